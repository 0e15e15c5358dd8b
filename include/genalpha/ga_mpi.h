/* SPDX-License-Identifier: MIT */
/* libgenalpha_mpi: a team (ga_team.h) whose ranks are the processes of an MPI communicator.
 *
 * The header needs no mpi.h, so that programs may open the library at run time; who includes mpi.h
 * before it also gets the functions with communicators. Errors of MPI itself end the job, as MPI's
 * own error handler does unless it is replaced. All functions but the counts are collective. */
#ifndef GA_MPI_H
#define GA_MPI_H

#include <genalpha/ga_team.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For programs without MPI calls of their own: begin (MPI_Init, unless that was done), who and how
 * many we are, end (MPI_Finalize, if ga_mpi_begin has begun). */
GA_API ga_status ga_mpi_begin(int *process, int *processes, ga_error *err);
GA_API void ga_mpi_end(void);
/* End all processes of the job at once, with this exit code. */
GA_API void ga_mpi_abort(int code);

/* A team of all processes. velocity: for each of the nv velocities of this rank's model its number
 * in the whole system; all numbers 0, 1, .. occur on some rank. Velocities with the same number are
 * shared; the lowest rank that has one owns it. The array is copied. The team's linear solver is
 * ga_mpi_gather_linsol, none in a team of one; another may be put in its place before an integrator
 * is made. */
GA_API ga_status ga_mpi_team_world(int nv, const long *velocity, ga_team **out, ga_error *err);
GA_API void ga_mpi_team_free(ga_team *team);

/* A linear solver for moderate sizes and for comparison: the parts are sent to rank 0, added and
 * solved there by a solver of the library. It needs the context of a team made here. */
extern GA_API const ga_linsol_ops ga_mpi_gather_linsol;
/* The solver on rank 0, a name as in the option linsol; NULL, as at the beginning: "auto". Kept by
 * pointer, used by solvers that are opened later. */
GA_API void ga_mpi_gather_by(ga_team *team, const char *name);

/* What this rank has sent since the team was made or the counts were reset. */
typedef struct ga_mpi_counts {
  long exchanges;           /* calls of sum_shared */
  long messages;            /* to neighbours in these: as many as it has neighbours in each */
  long bytes;               /* 8 for each number of each velocity shared with a neighbour */
  long reductions, reduced; /* calls of reduce, and numbers in these */
  long gathered;            /* bytes given to MPI by ga_mpi_gather_linsol */
} ga_mpi_counts;
GA_API ga_mpi_counts ga_mpi_team_counts(const ga_team *team);
GA_API void ga_mpi_team_reset_counts(ga_team *team);
/* How many ranks share velocities with this one, and how many velocities, counted once for each of
 * these ranks. */
GA_API int ga_mpi_team_neighbours(const ga_team *team, long *shared);

#ifdef MPI_VERSION
/* The same over a communicator, which is duplicated. */
GA_API ga_status ga_mpi_team_new(MPI_Comm comm, int nv, const long *velocity, ga_team **out,
                                 ga_error *err);
/* The team's own communicator. */
GA_API MPI_Comm ga_mpi_team_comm(const ga_team *team);
#endif

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/* libgenalpha_mpi: a team (ga_team.h) of the processes of an MPI communicator.
 *
 * The header needs no mpi.h, so that programs may open the library at run time. A program that
 * includes mpi.h before it also gets the functions with communicators. Errors of MPI itself end the
 * job, unless the program replaces MPI's error handler. All functions but the counts are
 * collective. */
#ifndef GA_MPI_H
#define GA_MPI_H

#include <genalpha/ga_team.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For programs without MPI calls of their own. ga_mpi_begin starts MPI, unless the program has done
 * so, with MPI_THREAD_FUNNELED: only the thread that called it may call MPI. It says which process
 * this is, from 0 on, and how many there are. ga_mpi_end ends MPI if ga_mpi_begin has started
 * it. */
GA_API ga_status ga_mpi_begin(int *process, int *processes, ga_error *err);
GA_API void ga_mpi_end(void);
/* End all processes of the job at once, with this exit code. */
GA_API void ga_mpi_abort(int code);

/* A team of all processes. velocity: for each of the nv velocities of this process's model its
 * number in the whole system; every number 0, 1, .. occurs on some process. Velocities with the
 * same number are shared; the lowest process that has one owns it. The array is copied. The team's
 * linear solver is ga_mpi_gather_linsol (NULL for one process); set another one, if you like,
 * before you make an integrator. */
GA_API ga_status ga_mpi_team_world(int nv, const long *velocity, ga_team **out, ga_error *err);
GA_API void ga_mpi_team_free(ga_team *team);

/* A linear solver for moderate sizes and for comparison: all processes send their contributions to
 * process 0, which adds them and solves by a solver of the library. It needs the context of a team
 * that was made by this library. */
extern GA_API const ga_linsol_ops ga_mpi_gather_linsol;
/* Choose the solver on process 0 by a name of the option linsol; NULL, the default: "auto". The
 * name is not copied. It counts for integrators that are made later. */
GA_API void ga_mpi_gather_by(ga_team *team, const char *name);

/* What this process has sent since the team was made or the counts were reset. */
typedef struct ga_mpi_counts {
  long exchanges;           /* calls of sum_shared */
  long messages;            /* in these calls: one to each neighbour in each call */
  long bytes;               /* of these messages: 8 for each number of each shared velocity */
  long reductions, reduced; /* calls of reduce, and the sum of their n */
  long gathered;            /* bytes sent by ga_mpi_gather_linsol */
} ga_mpi_counts;
GA_API ga_mpi_counts ga_mpi_team_counts(const ga_team *team);
GA_API void ga_mpi_team_reset_counts(ga_team *team);
/* How many processes share velocities with this one (its neighbours), and in *shared how many
 * velocities: one that three processes share counts twice here, once for each neighbour. */
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

/* SPDX-License-Identifier: MIT */
/* Private: what the tool needs of MPI, behind one table. The tool fetches it from libgenalpha_mpi
 * by dlsym when a launcher has started several ranks; it never sees mpi.h.
 *
 * All functions but those of a rank's own numbers are collective: all ranks call them, in the same
 * order. */
#ifndef GA_MPI_LAUNCH_H
#define GA_MPI_LAUNCH_H

#include <genalpha/ga_partition.h>
#include <genalpha/ga_team.h>

/* A mechanism shared out over all ranks. */
typedef struct ga_launch ga_launch;

/* What a rank has. */
typedef struct ga_launch_subdomain {
  int bodies, shared, owned, lent, elements, velocities, constraints; /* see ga_subdomain_info */
} ga_launch_subdomain;

typedef double (*ga_launch_value)(void *context, const ga_state *whole);

typedef struct ga_launch_ops {
  const char *version; /* GA_VERSION of the library that made it */

  /* MPI begins and ends */
  ga_status (*begin)(int *rank, int *size, ga_error *err);
  void (*end)(void);

  /* Cut the mechanism, which must outlive it, and make the team. petsc: NULL for the gathering
   * solver, else options of PETSc, which may be empty. */
  ga_status (*open)(const ga_mechanism *m, const char *petsc, ga_launch **out, ga_error *err);
  void (*close)(ga_launch *l);
  bool (*has_petsc)(void); /* libgenalpha_petsc can be opened */

  /* a rank's own */
  ga_subdomain_info (*portion)(const ga_launch *l);
  ga_team *(*team)(ga_launch *l);
  const ga_collector *(*whole)(const ga_launch *l);
  ga_launch_subdomain (*part)(const ga_launch *l, int rank);

  /* The whole state on rank 0, in arrays that live until the next call; elsewhere the arrays are
   * NULL. Entries that own has not (NULL) are left out. */
  ga_status (*gather)(ga_launch *l, const ga_state *own, ga_state *whole);
  /* A number of the whole state, computed on rank 0, on all ranks; NaN if something failed. */
  double (*value)(ga_launch *l, ga_launch_value value, void *context, const ga_state *own);
  /* true if it is so on all ranks */
  bool (*agree)(bool good);
  /* sums over the ranks, in the order of the ranks */
  void (*sum)(ga_launch *l, int n, double *x);
} ga_launch_ops;

#define GA_LAUNCH_SYMBOL "ga_launch_ops_1"

#endif

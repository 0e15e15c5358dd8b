/* SPDX-License-Identifier: MIT */
/* Private: all that the tool needs of MPI, as one table of functions. If a launcher has started
 * several processes, the tool takes the table from libgenalpha_mpi by dlsym (parallel/launcher.h).
 * So the tool itself is built without MPI.
 *
 * Errors of MPI end the job. */
#ifndef GA_MPI_LAUNCH_H
#define GA_MPI_LAUNCH_H

#include <genalpha/ga_partition.h>
#include <genalpha/ga_team.h>

/* A mechanism cut into subdomains, one for each process, with the team that integrates it. */
typedef struct ga_launch ga_launch;

/* How much of the mechanism a process has (see ga_subdomain_info). */
typedef struct ga_launch_subdomain {
  int bodies, shared, owned, lent, elements, velocities, constraints;
} ga_launch_subdomain;

typedef double (*ga_launch_value)(void *context, const ga_state *whole);

/* Messages between two processes, for sweeps. One thread of a process makes all calls. Messages
 * from one process to another arrive in the order in which they were sent. */
typedef struct ga_message_ops {
  void (*send)(int to, const void *bytes, size_t size);
  /* Has a message arrived? Its sender and its length; it stays there until it is received. */
  bool (*poll)(int *from, size_t *size);
  void (*receive)(int from, void *bytes, size_t size);
} ga_message_ops;

typedef struct ga_launch_ops {
  const char *version; /* GA_VERSION of the library that has this table */

  /* Start MPI; end it, which returns when all processes have called it; end all processes of the
   * job at once, with this exit code. */
  ga_status (*begin)(int *process, int *processes, ga_error *err);
  void (*end)(void);
  void (*abort)(int code);

  const ga_message_ops *messages;

  /* All functions from here on are collective, except where a comment says otherwise: all processes
   * call them, in the same order. */

  /* Cut the mechanism, which must outlive the launch, and make the team. petsc: NULL for the solver
   * that gathers the matrix on process 0, else options of PETSc, which may be empty. */
  ga_status (*open)(const ga_mechanism *m, const char *petsc, ga_launch **out, ga_error *err);
  void (*close)(ga_launch *l);
  bool (*has_petsc)(void); /* can libgenalpha_petsc be opened? Not collective. */

  /* This process's subdomain, its team, its collector; the size of any subdomain. Not collective.
   */
  ga_subdomain_info (*subdomain)(const ga_launch *l);
  ga_team *(*team)(ga_launch *l);
  const ga_collector *(*whole)(const ga_launch *l);
  ga_launch_subdomain (*size)(const ga_launch *l, int process);

  /* The state of the whole mechanism on process 0, in arrays that live until the next call; the
   * other processes get NULL arrays. Arrays that are NULL in own are left out. */
  ga_status (*gather)(ga_launch *l, const ga_state *own, ga_state *whole);
  /* A function of the whole state, computed by process 0 and given to all; NaN if that failed. */
  double (*value)(ga_launch *l, ga_launch_value value, void *context, const ga_state *own);
  /* Is good true on all processes? */
  bool (*agree)(bool good);
  /* Sums over the processes, in the order of the processes. */
  void (*sum)(ga_launch *l, int n, double *x);
} ga_launch_ops;

extern const ga_message_ops ga_mpi_messages; /* messages.c */

#define GA_LAUNCH_SYMBOL "ga_launch_ops_2"

#endif

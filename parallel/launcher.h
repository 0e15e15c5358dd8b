/* SPDX-License-Identifier: MIT */
/* The launcher of a job (mpirun, srun): how many processes it has started, which of them this one
 * is, and how to join them. This is the only place that reads a launcher's environment and the
 * only one that opens libgenalpha_mpi. Without a launcher nothing is opened. */
#ifndef GA_LAUNCHER_H
#define GA_LAUNCHER_H

#include "parallel/mpi/launch.h"

typedef struct launcher {
  const char *name;       /* "Open MPI", "Slurm", ..; NULL: no launcher */
  int process, processes; /* 0 and 1 without a launcher */
} launcher;

/* What the environment of this process says. */
launcher launcher_detect(void);

/* Whether libraries that are opened later find MPI's functions. The sequential MUMPS has functions
 * of the same names, so it is refused where they are visible. (Open MPI makes itself visible when
 * it starts; other MPIs stay hidden.) */
typedef enum launcher_scope {
  LAUNCHER_MPI_HIDDEN, /* for sweeps, whose runs may use the sequential MUMPS */
  LAUNCHER_MPI_VISIBLE /* for runs over several processes: PETSc needs MPI's functions */
} launcher_scope;

/* Join the processes of the launcher: open libgenalpha_mpi and start MPI. The caller ends MPI by
 * ops->end(). NULL, with a sentence in why, if the library is missing or belongs to another
 * version, or if MPI does not see the processes that the launcher has started. */
const ga_launch_ops *launcher_join(launcher_scope scope, char *why, size_t size);

#endif

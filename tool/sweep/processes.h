/* SPDX-License-Identifier: MIT */
/* A sweep over the processes of a job: rank 0 has the journal and hands out the runs, all ranks
 * make them. */
#ifndef CLI_SWEEP_RANKS_H
#define CLI_SWEEP_RANKS_H

#include "parallel/launcher.h"
#include "sweep/workers.h"

/* Rank 0 tells the others whether there are runs to be made (ARGS_GO_ON) or with which code to
 * end; about is the text that says which sweep it is, NULL if that is not known. Nothing is done
 * where there are no others. */
void sweep_ranks_tell(const ranks *r, int code, const char *about);

/* The whole of the other ranks: hear what rank 0 tells, make runs until none is left. The exit code
 * is returned. about is NULL if this rank could not read the problem. */
int sweep_ranks_work(const ranks *r, const sweep_plan *p, const sweep_shape *s, const char *about);

/* For sweep_threads on rank 0: serves the other ranks until all have ended. */
typedef struct sweep_ranks {
  const ranks *ranks;
  const sweep_plan *plan;
  const sweep_shape *shape;
} sweep_ranks;
void sweep_ranks_serve(void *self, const sweep_source *source);

#endif

/* SPDX-License-Identifier: MIT */
/* A sweep over the processes of a launcher (mpirun, srun): process 0 has the journal and hands out
 * the runs, all processes make them. */
#ifndef TOOL_SWEEP_PROCESSES_H
#define TOOL_SWEEP_PROCESSES_H

#include "parallel/mpi/launch.h"
#include "sweep/workers.h"

/* The processes that make one sweep together. */
typedef struct sweep_job {
  const ga_launch_ops *ops; /* NULL: there is one process */
  int process, processes;   /* which one this is, and how many there are */
} sweep_job;

/* Join the processes of a launcher, if there is one. False after a message if that fails. */
bool sweep_job_join(sweep_job *job);
/* Returns when all processes have called it. */
void sweep_job_leave(sweep_job *job);

/* Process 0 tells the others whether there are runs to be made (ARGS_GO_ON) or with which code to
 * end. about: the text that identifies the sweep, NULL if it is not known. Does nothing in other
 * processes, and nothing if there is one process. */
void sweep_job_announce(const sweep_job *job, int code, const char *about);

/* All that a process other than 0 does: wait for the announcement, make runs until none is left.
 * Returns the exit code. about: NULL if this process could not read the problem. */
int sweep_job_work(const sweep_job *job, const sweep_plan *p, const sweep_shape *s,
                   const char *about);

/* For sweep_threads in process 0: serve the other processes until all of them have ended. */
typedef struct sweep_job_server {
  const sweep_job *job;
  const sweep_plan *plan;
  const sweep_shape *shape;
} sweep_job_server;
void sweep_job_serve(void *self, const sweep_source *source);

#endif

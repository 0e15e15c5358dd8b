/* SPDX-License-Identifier: MIT */
/* The workers of a sweep, and the source that hands out runs to them. */
#ifndef TOOL_SWEEP_WORKERS_H
#define TOOL_SWEEP_WORKERS_H

#include "sweep/journal.h"

/* Hands out runs and takes their results. Several workers call it at the same time. The one here
 * serves the threads of a process; one that serves other processes needs these two functions, too.
 */
typedef struct sweep_source {
  long (*next)(void *self);                         /* the number of a run, -1: none is left */
  bool (*store)(void *self, const sweep_result *r); /* false after a message: nothing more works */
  void *self;
} sweep_source;

/* The work of one worker: runs until none is left. */
void sweep_work(const sweep_source *source, const sweep_plan *p, const sweep_shape *s);

/* What sweep_threads has done. */
typedef struct sweep_tally {
  long made, failed; /* runs, and those among them that failed */
  double seconds;    /* sum of the times of the runs */
  double elapsed;    /* wall-clock time in seconds */
} sweep_tally;

/* What the caller's thread does while others make runs: serve workers elsewhere from the source. */
typedef struct sweep_server {
  void (*serve)(void *self, const sweep_source *source);
  void *self;
} sweep_server;

/* Make all runs that the journal lacks, with `workers` threads. The calling thread is one of them,
 * or serves if server is not NULL. False after a message, or if it was interrupted. */
bool sweep_threads(const sweep_plan *p, const sweep_shape *s, sweep_journal *j, int workers,
                   const sweep_server *server, sweep_tally *tally);

#endif

/* SPDX-License-Identifier: MIT */
/* A line with the time to go, on a terminal and for runs over a second only. */
#ifndef TOOL_SIMULATE_PROGRESS_H
#define TOOL_SIMULATE_PROGRESS_H

#include <stdbool.h>

typedef struct progress {
  double t0, t_end;   /* of the run; of a sweep: numbers of runs */
  double began, next; /* start, and time of the next line, in seconds of the clock */
  bool on, shown;     /* stderr is a terminal; a line is visible */
} progress;

/* Update and count show a line if the last one is old enough. */
void progress_begin(progress *p, double t0, double t_end);
void progress_update(progress *p, double t, long steps);
void progress_count(progress *p, long runs, long all); /* for sweeps */
void progress_clear(progress *p);                      /* before anything else is printed */
double progress_seconds(const progress *p);            /* since progress_begin */

#endif

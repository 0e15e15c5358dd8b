/* SPDX-License-Identifier: MIT */
/* Computing items side by side, a process each, with the time to go. */
#ifndef PAPERS_RUNNER_H
#define PAPERS_RUNNER_H

#include "papers/record.h"

typedef struct runner {
  /* set before */
  const char *dir;
  const item **items;
  int count, jobs;
  bool quick, draw; /* draw: gnuplot is there */
  /* set by runner_run() */
  int computed, redrawn, kept, failed;
} runner;

/* Bring all items up to date; what is done stays done. TOOL_OK, TOOL_FAILED after messages, or
 * TOOL_INTERRUPTED. */
int runner_run(runner *r);

#endif

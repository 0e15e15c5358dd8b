/* SPDX-License-Identifier: MIT */
/* Computes items in parallel, one process each, and shows the time left. */
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

/* Brings all items up to date; finished items are kept if it is interrupted. Returns TOOL_OK,
 * TOOL_FAILED after messages, or TOOL_INTERRUPTED. */
int runner_run(runner *r);

#endif

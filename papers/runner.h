/* SPDX-License-Identifier: MIT */
/* Computing items side by side, a process each, with the time to go. */
#ifndef CLI_REPRODUCE_RUNNER_H
#define CLI_REPRODUCE_RUNNER_H

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

/* Bring all items up to date; what is done stays done. CLI_OK, CLI_FAILED after messages, or
 * CLI_INTERRUPTED. */
int runner_run(runner *r);

#endif

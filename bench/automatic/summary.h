/* SPDX-License-Identifier: MIT */
/* What the runs of a case say: slopes, spreads, costs; and the same over all cases. */
#ifndef GA_BENCH_AUTOMATIC_SUMMARY_H
#define GA_BENCH_AUTOMATIC_SUMMARY_H

#include <stdio.h>

#include "automatic.h"

/* NaN where it could not be measured. */
typedef struct case_summary {
  bool driven;
  double slope[VARIABLES];        /* of log error over log rtol */
  double spread[VARIABLES];       /* largest over least error/rtol */
  double mean[VARIABLES];         /* geometric mean of error/rtol */
  double cost_seconds, cost_work; /* over fixed steps at equal error of q and v */
  double worst_q, worst_f;        /* largest error/rtol */
  int failed;                     /* runs */
} case_summary;

case_summary summarize(const measured_case *c, const run_result *runs, int n,
                       const run_result *fixed, int nfixed, const errors *accuracy);

/* Cost of fixed steps at this error of q and v, between two runs in logarithms; NaN outside. */
double cost_of_fixed(const run_result *fixed, int n, double error,
                     double (*cost)(const run_result *));
double run_seconds(const run_result *r);

void summarize_all(const case_summary *s, int n, FILE *to);

#endif

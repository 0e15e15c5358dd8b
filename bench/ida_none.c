/* SPDX-License-Identifier: MIT */
/* In place of ida.c where SUNDIALS is not installed. */
#include <math.h>
#include <stddef.h>

#include "bench.h"

const char *bench_ida_version(void) {
  return NULL;
}

/* Always fails, with NaN results. */
int bench_ida_run(const bench_problem *b, const bench_variant *variant, double setting,
                  bench_run *out, double *q, double *lam) {
  (void)b, (void)variant, (void)setting, (void)q, (void)lam;
  *out = (bench_run){.seconds = NAN, .error_q = NAN, .error_lam = NAN};
  return 1;
}

double bench_ida_jacobian_error(const bench_problem *b) {
  (void)b;
  return 0;
}

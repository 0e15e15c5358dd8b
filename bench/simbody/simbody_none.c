/* SPDX-License-Identifier: MIT */
/* Stands for simbody.cpp where Simbody is not installed. */
#include <stddef.h>

#include "simbody.h"

const char *bench_simbody_version(void) {
  return NULL;
}

bench_simbody *bench_simbody_new(const char *mechanism) {
  (void)mechanism;
  return NULL;
}

void bench_simbody_free(bench_simbody *s) {
  (void)s;
}

int bench_simbody_bodies(const bench_simbody *s) {
  (void)s;
  return 0;
}

int bench_simbody_start(bench_simbody *s, double *x, double *a) {
  (void)s, (void)x, (void)a;
  return 1;
}

int bench_simbody_run(bench_simbody *s, double accuracy, double t_end, int n, double *x,
                      double *seconds, long *steps) {
  (void)s, (void)accuracy, (void)t_end, (void)n, (void)x, (void)seconds, (void)steps;
  return 1;
}

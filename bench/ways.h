/* SPDX-License-Identifier: MIT */
/* Ways to a result of some accuracy: fixed steps of a method, extrapolated K times or not. Who knows
 * the error of every one of them beforehand chooses the cheapest. */
#ifndef GA_BENCH_WAYS_H
#define GA_BENCH_WAYS_H

#include "automatic/automatic.h"

typedef struct bench_way {
  const char *name, *method;
  int levels; /* of extrapolation, harmonic; 0: none */
} bench_way;

/* The i-th way by hand; NULL past the end. */
const bench_way *bench_way_at(int i);

typedef struct bench_way_run {
  bool good;
  double seconds; /* CPU time with the making and the start of the integrator, least of repeats */
  long steps;     /* of all runs */
} bench_way_run;

/* A run with `steps` largest steps, a multiple of x->n, through the common times of x. One thread;
 * runs below 20 ms are repeated `repeats` times. */
bench_way_run bench_way_go(measured_case *c, const bench_way *way, double newton_tol, long steps,
                           int repeats, trajectory *x);

/* A run to the accuracy asked for (ga_accuracy.h), one thread, through the common times of x: the
 * time has the making of the solution, the runs and the states at the common times. *told receives
 * what the solution says of itself. */
bench_way_run bench_accuracy_go(measured_case *c, double accuracy, int repeats, trajectory *x,
                                ga_accuracy *told);

/* A point of a ladder of settings, in the order of the ladder. */
typedef struct bench_point {
  double setting, error, seconds;
} bench_point;

/* Seconds at this error: between neighbours of the ladder in logarithms, the least one where the
 * ladder meets it several times; the first point's if that is more exact; NaN if no point is. */
double bench_seconds_at(const bench_point *points, int n, double error);

#endif

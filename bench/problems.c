/* SPDX-License-Identifier: MIT */
/* The problems of the benchmark and the errors that count. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "problems/problems.h"

/* Creates the problem `name` (size 0: its own) with its reference at t_end. NULL after a message;
 * free by bench_problem_free. */
bench_problem *bench_problem_new(const char *name, int size) {
  bench_problem *b = bench_take(1, sizeof *b);
  ga_problem_options options = ga_problem_options_default();
  ga_error err = {0};
  options.size = size;
  if (ga_problem_new(name, &options, &b->p, &err) != GA_OK) {
    fprintf(stderr, "bench: %s\n", err.text);
    free(b);
    return NULL;
  }
  b->size = size;
  b->nq = ga_space_nq(b->p->model.space);
  b->nv = ga_space_nv(b->p->model.space);
  b->nlam = b->p->model.nlam;
  b->stride = 1;
  snprintf(b->label, sizeof b->label, size ? "%s-%d" : "%s", name, size);
  if (strcmp(name, "heavy-top") == 0) b->quaternion = 3;
  if (strcmp(name, "chain") == 0) b->first = 2, b->stride = 3; /* the angles */
  b->q_ref = bench_doubles(b->nq);
  b->lam_ref = bench_doubles(b->nlam);
  ga_problem_reference(b->p, b->p->t_end, b->q_ref, NULL, NULL, b->lam_ref, NULL);
  return b;
}

/* Frees b, which may be NULL. */
void bench_problem_free(bench_problem *b) {
  if (!b) return;
  ga_problem_free(b->p);
  free(b->q_ref);
  free(b->lam_ref);
  free(b);
}

/* Error of q at t_end: largest difference over the coordinates that count, or the distance on the
 * group with a quaternion. */
double bench_error_q(const bench_problem *b, const double *q) {
  if (b->quaternion) return ga_space_distance(b->p->model.space, q, b->q_ref);
  return bench_max_difference(b->nq - b->first, b->stride, q + b->first, b->q_ref + b->first);
}

/* Largest error of lam at t_end over the largest |lam|. */
double bench_error_lam(const bench_problem *b, const double *lam) {
  return bench_max_difference(b->nlam, 1, lam, b->lam_ref) / bench_max_abs(b->nlam, b->lam_ref);
}

/* Step size (s) for timing bare steps. */
double bench_step_size(const bench_problem *b) {
  if (b->quaternion || b->size) return b->p->h;
  return strcmp(b->p->name, "andrews") == 0 ? 1e-5 : 1e-3;
}

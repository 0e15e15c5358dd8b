/* SPDX-License-Identifier: MIT */
/* One run through the common times, and its errors against the reference. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "automatic.h"
#include "bench/bench.h"

enum { FEW_STEPS = 20 }; /* between common times, below which these would rule the step sizes */

trajectory trajectory_new(const measured_case *c, int n) {
  return (trajectory){n, bench_doubles((n + 1) * c->nq), bench_doubles((n + 1) * c->nv),
                      bench_doubles((n + 1) * c->nv)};
}

void trajectory_free(trajectory *x) {
  free(x->q);
  free(x->v);
  free(x->f);
}

void trajectory_copy(const measured_case *c, const trajectory *from, trajectory *to) {
  const size_t rows = (size_t)from->n + 1, row_v = (size_t)c->nv * sizeof(double);
  memcpy(to->q, from->q, rows * (size_t)c->nq * sizeof(double));
  memcpy(to->v, from->v, rows * row_v);
  memcpy(to->f, from->f, rows * row_v);
}

double common_time(const measured_case *c, int n, int i) {
  return i == n ? c->t0 + c->span : c->t0 + c->span * i / n;
}

bool trajectory_put(measured_case *c, trajectory *x, int i, const ga_state *state) {
  memcpy(x->q + (size_t)i * (size_t)c->nq, state->q, (size_t)c->nq * sizeof(double));
  memcpy(x->v + (size_t)i * (size_t)c->nv, state->v, (size_t)c->nv * sizeof(double));
  return case_forces(c, state, x->f + (size_t)i * (size_t)c->nv);
}

/* Raises every size to 1e-3 of the largest of its kind. A kind that only rounding moves, below 1e-6
 * of the other one in the metric, is measured by that. */
static void apply_floor(const measured_case *c, double *size) {
  double largest[2] = {0, 0}; /* of lengths and angles, in the metric */
  for (int i = 0; i < c->nv; i++) {
    double *l = &largest[c->kind[i] == 'a'];
    *l = fmax(*l, size[i] * c->root_metric[i]);
  }
  for (int k = 0; k < 2; k++) {
    if (largest[k] < 1e-6 * largest[1 - k]) largest[k] = largest[1 - k];
  }
  for (int i = 0; i < c->nv; i++) {
    size[i] = fmax(size[i], 1e-3 * largest[c->kind[i] == 'a'] / c->root_metric[i]);
    if (size[i] <= 0) size[i] = 1; /* nothing moves */
  }
}

errors trajectory_errors(const measured_case *c, const trajectory *x, const trajectory *reference) {
  const int nv = c->nv, n = reference->n;
  double *size_q = bench_doubles(nv), *size_v = bench_doubles(nv), *w = bench_doubles(nv);
  double largest_f = 0;
  errors e = {{0, 0, 0}};
  for (int t = 0; t <= n; t++) {
    const double *v = reference->v + t * nv, *f = reference->f + t * nv;
    ga_space_size(c->model->space, reference->q + t * c->nq, w);
    for (int i = 0; i < nv; i++) {
      size_q[i] = fmax(size_q[i], w[i]);
      size_v[i] = fmax(size_v[i], fabs(v[i]));
      largest_f = fmax(largest_f, fabs(f[i]));
    }
  }
  apply_floor(c, size_q);
  apply_floor(c, size_v);
  for (int t = 0; t <= n; t++) {
    ga_space_diff(c->model->space, reference->q + t * c->nq, x->q + t * c->nq, w);
    for (int i = 0; i < nv; i++) {
      const int k = t * nv + i;
      const double of[VARIABLES] = {fabs(w[i]) / size_q[i],
                                    fabs(x->v[k] - reference->v[k]) / size_v[i],
                                    fabs(x->f[k] - reference->f[k]) / largest_f};
      /* written so that a NaN stays */
      for (int j = 0; j < VARIABLES; j++) e.of[j] = of[j] <= e.of[j] ? e.of[j] : of[j];
    }
  }
  if (largest_f <= 0) e.of[OF_F] = NAN;
  free(size_q);
  free(size_v);
  free(w);
  return e;
}

double run_work(const run_result *r) {
  return (double)r->stats.residuals + WORK_MATRIX * (double)r->stats.matrices +
         WORK_SOLVE * (double)r->stats.newton_its;
}

/* One run through the common times first .. last, whose states go into x; the state at the start into
 * row 0. */
static ga_status run_once(measured_case *c, const ga_options *o, int first, int last, trajectory *x,
                          run_result *r) {
  ga_integrator *it = NULL;
  ga_error err = {0};
  double seconds = -bench_clock();
  ga_status status = ga_integrator_new(c->model, o, &it, &err);
  if (status == GA_OK) status = ga_integrator_start(it, c->t0, c->q0, c->v0);
  for (int i = 0; i <= last && status == GA_OK; i++) {
    if (i > 0 && i < first) continue;
    if (i > 0) status = ga_integrator_run(it, common_time(c, x->n, i));
    if (status != GA_OK) break;
    seconds += bench_clock();
    if (!trajectory_put(c, x, i, ga_integrator_state(it))) status = GA_ERR_MODEL;
    seconds -= bench_clock();
  }
  seconds += bench_clock();
  r->seconds = fmin(r->seconds, seconds);
  if (it) r->stats = *ga_integrator_stats(it);
  if (status != GA_OK) {
    snprintf(r->message, sizeof r->message, "%.230s",
             it ? ga_integrator_error(it)->text : err.text);
  }
  ga_integrator_free(it);
  return status;
}

/* Steps end at common times. Where automatic ones are long this would be measured, not the
 * controller: then every common time has a run of its own that ends there, in ascending order. */
static ga_status run_apart(measured_case *c, const ga_options *o, trajectory *x, run_result *r) {
  ga_status status = GA_OK;
  for (int i = 1; i <= x->n && status == GA_OK; i++) {
    r->seconds = INFINITY;
    status = run_once(c, o, i, i, x, r);
  }
  return status;
}

run_result run_case(measured_case *c, const run_settings *s, double rtol, long steps,
                    const trajectory *reference) {
  run_result r = {.setting = rtol > 0 ? rtol : (double)steps, .seconds = INFINITY};
  trajectory x = trajectory_new(c, s->times);
  ga_options o = c->options;
  o.method = s->method;
  o.rtol = rtol > 0 ? rtol : 0;
  o.atol = 0;
  if (rtol <= 0) o.h = c->span / (double)steps;
  o.h_max = rtol > 0 ? s->h_max * c->span : 0;
  ga_status status = run_once(c, &o, 1, x.n, &x, &r);
  bool apart = rtol > 0 && r.stats.steps < (long)FEW_STEPS * x.n;
  if (apart && status == GA_OK) status = run_apart(c, &o, &x, &r);
  for (int i = 1; i < s->repeats && status == GA_OK && r.seconds < 0.05; i++) {
    status = run_once(c, &o, apart ? x.n : 1, x.n, &x, &r);
  }
  r.good = status == GA_OK;
  if (r.good) r.error = trajectory_errors(c, &x, reference);
  trajectory_free(&x);
  return r;
}

/* SPDX-License-Identifier: MIT */
/* A motion to compare runs with, on a grid of times: the closed solution of a problem, or two fine
 * runs and an extrapolation. */
#ifndef GA_TESTS_TRAJECTORY_H
#define GA_TESTS_TRAJECTORY_H

#include <stdlib.h>

#include "methods.h"
#include "problems/problems.h"

/* variables of a state, in the order they are kept; a trajectory does not have a */
enum { VAR_Q, VAR_V, VAR_VD, VAR_LAM, VAR_PSI, VAR_KEPT, VAR_A = VAR_KEPT, VARS };
static const char *const var_name[VARS] = {"q", "v", "v'", "lam", "psi", "a"};

typedef struct {
  const ga_problem *p;
  double dt; /* point i is at t0 + i dt, i = 0 .. n */
  int n, size[VAR_KEPT], total;
  bool closed;
  double *data;
} trajectory;

static inline double *trajectory_field(const trajectory *tr, int i, int field) {
  double *x = tr->data + (size_t)i * (size_t)tr->total;
  for (int k = 0; k < field; k++) x += tr->size[k];
  return x;
}

static inline const double *state_field(const ga_state *s, int field) {
  const double *const fields[VARS] = {s->q, s->v, s->vd, s->lam, s->psi, s->a};
  return fields[field];
}

static inline bool ask_reference(const trajectory *tr, int i, double t) {
  double *x[VAR_KEPT];
  for (int k = 0; k < VAR_KEPT; k++) x[k] = trajectory_field(tr, i, k);
  return ga_problem_reference(tr->p, t, x[VAR_Q], x[VAR_V], x[VAR_VD], x[VAR_LAM], x[VAR_PSI]);
}

typedef struct {
  trajectory *tr;
  int stride; /* steps between points */
  bool second;
} fine_run;

/* x(h), then (4 x(h/2) - x(h))/3, which is of order 3; in q along the group */
static inline int keep_point(void *context, const ga_state *s, const ga_stats *stats) {
  const fine_run *run = context;
  const trajectory *tr = run->tr;
  if (stats->steps % run->stride != 0) return 0;
  int i = (int)(stats->steps / run->stride);
  double w[SUPPORT_MAX], *q = trajectory_field(tr, i, VAR_Q);
  if (run->second) {
    ga_space_diff(tr->p->model.space, q, s->q, w);
    for (int j = 0; j < tr->size[VAR_V]; j++) w[j] /= 3;
    ga_space_step(tr->p->model.space, s->q, w, q);
  }
  for (int k = run->second ? VAR_V : VAR_Q; k < VAR_KEPT; k++) {
    double *x = trajectory_field(tr, i, k);
    for (int j = 0; j < tr->size[k]; j++) {
      double y = state_field(s, k)[j];
      x[j] = run->second ? (4 * y - x[j]) / 3 : y;
    }
  }
  return 0;
}

/* points every dt up to t_end; runs of stab2 with dt/fine and dt/(2 fine) where the problem has no
 * closed solution */
static inline trajectory trajectory_new(const ga_problem *p, double dt, double t_end, int fine) {
  const ga_model *model = &p->model;
  trajectory tr = {.p = p, .dt = dt, .n = (int)lround((t_end - p->t0) / dt)};
  const int size[VAR_KEPT] = {ga_space_nq(model->space), ga_space_nv(model->space),
                              ga_space_nv(model->space), model->nlam, model->npsi};
  memcpy(tr.size, size, sizeof size);
  for (int k = 0; k < VAR_KEPT; k++) tr.total += size[k];
  tr.data = calloc((size_t)(tr.n + 1), (size_t)tr.total * sizeof *tr.data);
  assert_non_null(tr.data);
  tr.closed = true;
  for (int i = 0; i <= tr.n && tr.closed; i++) {
    tr.closed = ask_reference(&tr, i, p->t0 + i * dt);
  }
  for (int k = 1; k <= 2 && !tr.closed; k++) {
    fine_run run = {&tr, k * fine, k == 2};
    ga_options o = ga_options_default();
    o.par = ga_params_rho(p->rho_inf);
    o.h = dt / run.stride;
    o.newton_tol = 1e-13;
    o.multiplier_guess = p->mult0;
    ga_integrator *it = NULL;
    ga_error err = {0};
    must(ga_integrator_new(model, &o, &it, &err), &err);
    ga_integrator_observe(it, keep_point, &run);
    must(ga_integrator_start(it, p->t0, p->q0, p->v0), ga_integrator_error(it));
    must(ga_integrator_run(it, p->t0 + tr.n * dt), ga_integrator_error(it));
    ga_integrator_free(it);
  }
  return tr;
}

static inline void trajectory_free(trajectory *tr) {
  free(tr->data);
}

/* largest errors so far, from a time on */
typedef struct {
  const trajectory *tr;
  ga_integrator *twin; /* NULL: a is not compared */
  double from, shift;  /* alpha h */
  double e[VARS];
} meter;

/* an observer: states between the points of the grid do not count */
static inline int meter_state(void *context, const ga_state *s, const ga_stats *stats) {
  (void)stats;
  meter *m = context;
  const trajectory *tr = m->tr;
  const ga_problem *p = tr->p;
  double at = (s->t - p->t0) / tr->dt;
  int i = (int)lround(at);
  if (fabs(at - i) > 1e-6 || s->t < m->from) return 0;
  m->e[VAR_Q] =
      fmax(m->e[VAR_Q], ga_space_distance(p->model.space, s->q, trajectory_field(tr, i, VAR_Q)));
  for (int k = VAR_V; k < VAR_KEPT; k++) {
    double error = vector_error(tr->size[k], state_field(s, k), trajectory_field(tr, i, k));
    m->e[k] = fmax(m->e[k], error);
  }
  if (!m->twin) return 0;
  double q[SUPPORT_MAX], v[SUPPORT_MAX];
  assert_true(ga_problem_reference(p, s->t + m->shift, q, v, NULL, NULL, NULL));
  double error = vector_error(tr->size[VAR_V], s->a, meaning_of_a(m->twin, s->t + m->shift, q, v));
  m->e[VAR_A] = fmax(m->e[VAR_A], error);
  return 0;
}

/* is there such a variable to compare? */
static inline bool trajectory_has(const trajectory *tr, int var) {
  return var == VAR_A ? tr->closed : tr->size[var] > 0;
}

/* largest errors of a run to t_end, from a time on; a where the solution is closed */
static inline void trajectory_errors(const trajectory *tr, const ga_options *o, double from,
                                     double t_end, double *e) {
  const ga_problem *p = tr->p;
  ga_options own = *o;
  own.multiplier_guess = p->mult0;
  meter seen = {.tr = tr, .from = from, .shift = (o->par.alpha_m - o->par.alpha_f) * o->h};
  if (tr->closed) seen.twin = plain_twin(&p->model, &own);
  ga_integrator *it = started(p, &own);
  ga_integrator_observe(it, meter_state, &seen);
  must(ga_integrator_run(it, t_end), ga_integrator_error(it));
  memcpy(e, seen.e, sizeof seen.e);
  ga_integrator_free(it);
  ga_integrator_free(seen.twin);
}

/* slopes of all variables there are from 1.9 to 2.1 */
static inline void assert_order_2(const trajectory *tr, const char *what, const ga_method *m,
                                  const double *coarse, const double *fine) {
  for (int k = 0; k < VARS; k++) {
    char text[160];
    if (!trajectory_has(tr, k)) continue;
    snprintf(text, sizeof text, "%s, %s, %s: slope of %s", what, tr->p->name, method_text(m),
             var_name[k]);
    assert_between(text, slope(coarse[k], fine[k]), 1.9, 2.1);
  }
}

#endif

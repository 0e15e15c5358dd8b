/* SPDX-License-Identifier: MIT */
/* Runs that are watched, and errors over step sizes. */
#include "papers/lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/problems.h"
#include "simulate/interrupt.h"

/* Fills *l, which need not be initialized: creates the problem and sets l->o to method index3,
 * plain start, the problem's own h, rho_inf and guess of the multipliers. False, with the reason
 * in r; lab_close in any case. */
bool lab_open(lab *l, result *r, const char *problem) {
  ga_error err = {GA_OK, ""};
  *l = (lab){.r = r, .o = ga_options_default()};
  if (ga_problem_new(problem, NULL, &l->problem, &err) != GA_OK) {
    return result_fail(r, "%s", err.text);
  }
  l->o.method = "index3";
  l->o.start = GA_START_PLAIN;
  l->o.par = ga_params_rho(l->problem->rho_inf);
  l->o.h = l->problem->h;
  l->o.multiplier_guess = l->problem->mult0;
  return true;
}

/* Frees the problem; also after lab_open has failed. */
void lab_close(lab *l) {
  ga_problem_free(l->problem);
  l->problem = NULL;
}

/* runs */

enum { MOVED_MAX = 16 }; /* most velocities of a problem whose start is mirrored */

/* what call_watch calls */
typedef struct watcher {
  lab_watch watch;
  void *context;
} watcher;

/* Observer of the integrator: calls w->watch if there is one. Returns nonzero, which stops the
 * run, after an interrupt. */
static int call_watch(void *context, const ga_state *state, const ga_stats *stats) {
  const watcher *w = context;
  if (w->watch) w->watch(w->context, state, stats->steps);
  return interrupt_came();
}

/* Runs to plan->project_at, projects v onto the hidden constraints (plain projection) and calls
 * the watch once more, with the same number of steps. Returns the status of the first that
 * fails. */
static ga_status run_and_project(ga_integrator *it, const lab_plan *plan, const watcher *w) {
  ga_status status = ga_integrator_run(it, plan->project_at);
  if (status == GA_OK) status = ga_integrator_project_velocity(it, GA_PROJECT_PLAIN, NULL);
  if (status == GA_OK && w->watch) {
    w->watch(w->context, ga_integrator_state(it), ga_integrator_stats(it)->steps);
  }
  return status;
}

/* Writes why the run failed into the result; returns false. */
static bool fail_run(lab *l, const ga_integrator *it, ga_status status) {
  const char *text = ga_integrator_error(it)->text;
  return result_fail(l->r, "%s, %s, h = %g: %s", l->problem->name, l->o.method, l->o.h,
                     interrupt_came() ? "interrupted"
                     : *text          ? text
                                      : ga_status_text(status));
}

/* A new integrator with options o; NULL, with the reason in the result. */
static ga_integrator *new_integrator(lab *l, const ga_options *o) {
  ga_integrator *it = NULL;
  ga_error err = {GA_OK, ""};
  ga_status status = ga_integrator_new(&l->problem->model, o, &it, &err);
  if (status != GA_OK) result_fail(l->r, "%s: %s", l->problem->name, err.text);
  return it;
}

/* A new integrator at the problem's initial state; NULL, with the reason in the result. The caller
 * frees it. */
ga_integrator *lab_start(lab *l) {
  const ga_problem *p = l->problem;
  ga_integrator *it = new_integrator(l, &l->o);
  if (!it) return NULL;
  ga_status status = ga_integrator_start(it, p->t0, p->q0, p->v0);
  if (status == GA_OK) return it;
  fail_run(l, it, status);
  ga_integrator_free(it);
  return NULL;
}

/* v0 = 2 v - w, v the problem's initial velocity and w the one of the perturbed start: moved by
 * the same amount to the other side. v0 must have room for nv numbers. False, with the reason in
 * the result, if that start failed. l->o is unchanged on return. */
static bool mirrored_velocity(lab *l, double *v0) {
  const ga_problem *p = l->problem;
  ga_start start = l->o.start;
  l->o.start = GA_START_PERTURBED;
  ga_integrator *it = lab_start(l);
  l->o.start = start;
  if (!it) return false;
  const double *v = ga_integrator_state(it)->v;
  for (int i = 0; i < ga_space_nv(p->model.space); i++) v0[i] = 2 * p->v0[i] - v[i];
  ga_integrator_free(it);
  return true;
}

/* Runs l's problem with options l->o as the plan says; watch, if not NULL, is called after the
 * start, each step and the projection. l->o is unchanged. False if a start or step failed or an
 * interrupt came, with the reason in the result (none if plan->mirror and there are more than
 * MOVED_MAX velocities). */
bool lab_run(lab *l, const lab_plan *plan, lab_watch watch, void *context) {
  const ga_problem *p = l->problem;
  watcher w = {watch, context};
  double v0[MOVED_MAX];
  ga_options o = l->o;
  if (plan->mirror) {
    if (ga_space_nv(p->model.space) > MOVED_MAX || !mirrored_velocity(l, v0)) return false;
    o.initial_tol = 0.1; /* v0 is off the hidden constraints on purpose */
  }
  ga_integrator *it = new_integrator(l, &o);
  if (!it) return false;
  ga_integrator_observe(it, call_watch, &w);
  ga_status status = ga_integrator_start(it, p->t0, p->q0, plan->mirror ? v0 : p->v0);
  if (status == GA_OK && plan->project_at > p->t0) status = run_and_project(it, plan, &w);
  if (status == GA_OK) {
    double steps = plan->steps;
    status = ga_integrator_run(it, steps > 0 ? p->t0 + steps * o.h : plan->t_end);
  }
  if (status != GA_OK) fail_run(l, it, status);
  ga_integrator_free(it);
  return status == GA_OK;
}

/* errors */

/* Euclidean norm of a - b, or of a if b is NULL. */
double lab_norm(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double d = a[i] - (b ? b[i] : 0);
    sum += d * d;
  }
  return sqrt(sum);
}

/* Distance of q from exact along the group: |w| in exact = q o exp(w), Euclidean. With more than
 * 64 velocities the distance of the space, ga_space_distance, is taken instead. */
static double distance(const ga_model *model, const double *q, const double *exact) {
  double w[64];
  int nv = ga_space_nv(model->space);
  if (nv > 64) return ga_space_distance(model->space, q, exact);
  ga_space_diff(model->space, q, exact, w);
  return lab_norm(nv, w, NULL);
}

/* A lab_error: raises error[FIELD_..] to the Euclidean errors of q, v, a, v', lambda, psi (NaN:
 * none yet); fields that the model lacks or whose exact value is unknown (NULL) are left as they
 * are. error must have room for FIELDS numbers. */
void lab_euclid(const lab *l, const ga_state *x, const ga_state *exact, double *error) {
  const ga_model *model = &l->problem->model;
  int nv = ga_space_nv(model->space);
  const struct {
    int column, n;
    const double *x, *exact;
  } fields[] = {{FIELD_V, nv, x->v, exact->v},
                {FIELD_A, nv, x->a, exact->a},
                {FIELD_VD, nv, x->vd, exact->vd},
                {FIELD_LAM, model->nlam, x->lam, exact->lam},
                {FIELD_PSI, model->npsi, x->psi, exact->psi}};
  error[FIELD_Q] = fmax(error[FIELD_Q], distance(model, x->q, exact->q));
  for (int i = 0; i < 5; i++) {
    if (fields[i].n == 0 || !fields[i].exact) continue;
    double e = lab_norm(fields[i].n, fields[i].x, fields[i].exact);
    error[fields[i].column] = fmax(error[fields[i].column], e);
  }
}

/* the runs of lab_ladder: context of watch_error */
typedef struct ladder {
  lab *l;
  const lab_plan *plan;
  reference reference;
  lab_error errors;
  double *error;
  double finest; /* step of the finest level, and of the reference's grid */
} ladder;

/* Finds the exact state at the time of `state` and raises d->error by d->errors; does nothing
 * outside the grid of a computed reference. The reference must be open and d->l->shift set. */
static void add_errors(ladder *d, const ga_state *state) {
  reference *ref = &d->reference;
  ga_state exact;
  if (ref->kind == REFERENCE_COMPUTED) {
    long i = lround((state->t - d->l->problem->t0) / d->finest);
    if (i < ref->first || i > ref->last) return;
    exact = reference_point(ref, i);
  } else {
    exact = reference_at(ref, state->t, d->l->shift);
  }
  d->errors(d->l, state, &exact, d->error);
}

/* Counts the errors of this state if it lies in the window of the plan; the start never counts. */
static void watch_error(void *context, const ga_state *state, long steps) {
  ladder *d = context;
  const lab_plan *plan = d->plan;
  double near = 1e-6 * d->finest;
  bool inside = plan->to > 0 ? state->t >= plan->from - near && state->t <= plan->to + near
                             : fabs(state->t - plan->t_end) <= near;
  if (plan->steps > 0) inside = steps == plan->steps;
  if (inside && steps > 0) add_errors(d, state);
}

/* Opens d->reference: closed solution or table if the problem has one, else computed with fine
 * steps on the grid of the finest level (d->finest must be set). False, with the reason in the
 * result; reference_close in any case. */
static bool find_reference(ladder *d) {
  lab *l = d->l;
  double t0 = l->problem->t0, t_end = d->plan->t_end;
  bool whole = d->plan->to > 0;
  if (!reference_open(&d->reference, l->problem, &l->o, t_end, whole)) {
    return result_fail(l->r, "no memory for the reference of '%s'", l->problem->name);
  }
  if (d->reference.kind == REFERENCE_FINEST) d->reference.kind = REFERENCE_COMPUTED;
  if (d->reference.kind != REFERENCE_COMPUTED) return true;
  long last = lround(((whole ? d->plan->to : t_end) - t0) / d->finest);
  long first = whole ? lround((d->plan->from - t0) / d->finest) : last;
  /* 2: extrapolations */
  if (reference_compute(&d->reference, &l->o, 2, d->finest, first, last) == TOOL_OK) return true;
  return result_fail(l->r, "the reference of '%s' could not be computed", l->problem->name);
}

/* Runs the plan with h = l->o.h, h/2, .. (`levels` of them): row i of the result's table gets h
 * (average step) in `column` and the n errors, n <= FIELDS + 4, in the columns after it. l->o.h
 * is restored, l->shift is that of the last run. False, with the reason in the result, if a run
 * or the reference failed; the rows before it stay. */
bool lab_ladder(lab *l, const lab_plan *plan, int levels, lab_error errors, int n, int column) {
  double error[FIELDS + 4], h0 = l->o.h;
  ladder d = {.l = l, .plan = plan, .errors = errors, .error = error};
  d.finest = ldexp(h0, 1 - levels);
  bool good = find_reference(&d);
  for (int i = 0; good && i < levels; i++) {
    l->o.h = ldexp(h0, -i);
    int turn = l->o.h_fractions ? l->o.h_fractions_n : 1;
    double last = l->o.h_fractions ? l->o.h_fractions[turn - 1] : 1;
    l->shift = (l->o.par.alpha_m - l->o.par.alpha_f) * l->o.h * last;
    for (int c = 0; c < n; c++) error[c] = NAN;
    good = lab_run(l, plan, watch_error, &d);
    table_set(&l->r->data, i, column, l->o.h / turn);
    for (int c = 0; good && c < n; c++) table_set(&l->r->data, i, column + 1 + c, error[c]);
  }
  l->o.h = h0;
  reference_close(&d.reference);
  return good;
}

/* Least-squares slope of log(column y) over log(column x) through the last `points` rows in which
 * both are finite; NaN if there are fewer. */
double lab_slope(const table *t, int x, int y, int points) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  int n = 0;
  for (int i = t->rows - 1; i >= 0 && n < points; i--) {
    double a = log(table_at(t, i, x)), b = log(table_at(t, i, y));
    if (!isfinite(a) || !isfinite(b)) continue;
    sx += a, sy += b, sxx += a * a, sxy += a * b;
    n++;
  }
  return n == points ? (n * sxy - sx * sy) / (n * sxx - sx * sx) : NAN;
}

/* M (nv x nv, full, by rows) of the model at (t, q), with velocity 0; all zeros and false if the
 * evaluation failed or memory is short. */
bool lab_mass(const ga_model *model, double t, const double *q, double *M) {
  int nv = ga_space_nv(model->space);
  size_t entries = (size_t)nv * (size_t)nv;
  double *val = calloc(entries + 1, sizeof *val);
  double *rest = calloc((size_t)nv + 1, sizeof *rest);
  ga_csr A = {.nrow = nv, .ncol = nv, .val = val};
  const ga_csr *pattern = model->pat_M;
  if (pattern) A.ptr = pattern->ptr, A.col = pattern->col;
  const ga_evaluation ask = {.M = &A};
  bool good = val && rest && ga_model_evaluate(model, t, q, rest, &ask) == 0;
  for (size_t i = 0; i < entries; i++) M[i] = good && !pattern ? val[i] : 0;
  for (int i = 0; good && pattern && i < nv; i++) {
    for (int e = pattern->ptr[i]; e < pattern->ptr[i + 1]; e++)
      M[i * nv + pattern->col[e]] = val[e];
  }
  free(rest);
  free(val);
  return good;
}

/* out = G v + g_t (nlam numbers), the residual of the hidden constraints; g_t only where
 * constraints depend on time and the model gives it. False if the evaluation failed or memory is
 * short. */
bool lab_hidden(const ga_model *model, const ga_state *state, double *out) {
  int nv = ga_space_nv(model->space), m = model->nlam;
  const ga_csr *pattern = model->pat_G;
  size_t entries = pattern ? (size_t)pattern->ptr[m] : (size_t)m * (size_t)nv;
  double *val = calloc(entries + 1, sizeof *val);
  ga_csr G = {.nrow = m, .ncol = nv, .val = val};
  if (pattern) G.ptr = pattern->ptr, G.col = pattern->col;
  bool timed = !model->scleronomic && (ga_model_gives(model) & GA_GIVES_GT);
  const ga_evaluation ask = {.G = &G, .gt = timed ? out : NULL};
  for (int i = 0; i < m; i++) out[i] = 0;
  bool good = val && ga_model_evaluate(model, state->t, state->q, state->v, &ask) == 0;
  for (int i = 0; good && i < m; i++) {
    int from = pattern ? G.ptr[i] : i * nv, to = pattern ? G.ptr[i + 1] : (i + 1) * nv;
    for (int e = from; e < to; e++) out[i] += val[e] * state->v[pattern ? G.col[e] : e - from];
  }
  free(val);
  return good;
}

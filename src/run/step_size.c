/* SPDX-License-Identifier: MIT */
/* Automatic step sizes, by the error of one step (docs/internals/step-size.md).
 *
 * Local error, exact minus numerical, the same for all methods, alpha = alpha_m - alpha_f:
 *
 *   q:  h^3 (2 (1 - 6 beta - 3 alpha) v'' + [v, v'])/12        as w in q o exp(w~)
 *   v:  h^3 (-1/12 + alpha/2 - alpha alpha_f) v'''
 *
 * v'' and v''' by divided differences of v' at the steps' ends, at the times in the middle of them:
 * v''(t_n + h_n/2) = (v'_{n+1} - v'_n)/h_n, v''' the difference of this and the last step's. Both
 * are correct for steps of any size, as v' belongs to t_n (a_n to t_n + alpha h).
 *
 * What the constraints forbid is no error, and what the method damps as stiff is none either: with
 * the step's own factored matrix, A (x, mu) = (m M e, d) is solved, which removes the former from e
 * and divides the part of a vibration of frequency omega by 1 + c (h omega)^2. This is done twice.
 * A vibration of amplitude A that h does not resolve has v' = omega^2 A, from which e of q is about
 * (h omega)^2 A: once divided it is A for any h, in v it is A/h, and smaller steps would not help
 * but make it visible; twice divided, it vanishes with (h omega)^-2. Vibrations of some times the
 * tolerance are resolved, as no step passes h omega = 2, where e is largest. Hairer and Wanner,
 * Solving Ordinary Differential Equations II, section IV.8, filter the estimate of Radau IIA in the
 * same manner, and a second time at the first step and after a rejected one.
 *
 * err = max over the components of weight |e| / (atol + rtol size), size the largest value of the
 * component since the start, but not less than FLOOR times the largest of all: a component that
 * passes through zero or stays there is measured by what it is part of. A system at rest has the
 * sizes of the motion to come, and what is rounding is no error (rounding_noise.c). err <= 1 is
 * accepted. Controller (PI): h <- h min(GROW, max(SHRINK, SAFE err^-(1/3 - 3/4 B) err_last^B)), B =
 * 0.4/3. */
#include "run/step_size.h"

#include <math.h>
#include <string.h>

#include "lie/lie.h"
#include "run/integrator.h"

static const double FLOOR = 1e-3;
static const double SAFE = 0.9, GROW = 2, SHRINK = 0.2, FAILED = 0.25;
static const double KEEP = 1.2; /* smaller growth is not worth a new matrix */
static const double B = 0.4 / 3;
static const double LEAST = 1e-4; /* errors below this are not told apart */
static const double STAYS = 0.3;  /* an error after which h stays as it is */

/* ---- the estimate ------------------------------------------------------------------------ */

double ga_step_size_q_factor(const ga_params *par) {
  return 2 * (1 - 6 * par->beta - 3 * (par->alpha_m - par->alpha_f));
}

static double v_factor(const ga_params *par) {
  double alpha = par->alpha_m - par->alpha_f;
  return -1.0 / 12 + alpha / 2 - alpha * par->alpha_f;
}

/* err of e against sizes x */
static double norm(const ga_integrator *it, const double *e, const double *x,
                   const double *weight) {
  const ga_options *o = &it->options;
  ga_team *team = it->eval.team;
  double least = FLOOR * ga_team_max(team, ga_max_abs(it->eval.nv, x)), worst = 0;
  for (int i = 0; i < it->eval.nv; i++) {
    double size = fabs(e[i]) * (weight ? weight[i] : 1);
    if (size == 0) continue;
    worst = ga_larger(worst, size / (o->atol + o->rtol * fmax(x[i], least)));
  }
  return ga_team_max(team, worst);
}

static bool has_row(const ga_method *method, ga_con_kind kind) {
  for (int c = 0; c < method->ncon; c++) {
    if (method->con[c] == kind) return true;
  }
  return false;
}

/* Does this kind of constraint exclude a position (velocity) error? Positions are bound by g alone,
 * and only where the method has its rows; velocities by G v and k. */
static bool forbidden(const ga_method *method, ga_con_kind kind, bool position) {
  if (kind == GA_ROW_NONHOL) return !position;
  return has_row(method, GA_ROW_POS) || (!position && has_row(method, GA_ROW_VEL));
}

/* the rows whose x is an acceleration, or the applied part of one: those that carry e */
static bool carries(const ga_method *method, int j) {
  return method->dyn[j].forces != GA_FORCES_REACTION;
}

static double carried(const ga_method *method, const double *by) {
  double sum = 0;
  for (int j = 0; j < method->nx; j++) sum += carries(method, j) ? by[j] : 0;
  return sum;
}

/* what constraint row c makes of e, into its place in `filtered` */
static void row_of(const ga_equations *s, int c, const double *e, double *filtered) {
  const ga_method *method = s->method;
  ga_con_kind kind = method->con[c];
  const double *by = kind == GA_ROW_POS ? s->tab.p : method->con_hat[c] ? s->tab.rh : s->tab.r;
  double factor = kind == GA_ROW_ACC ? 1 : carried(method, by);
  ga_csr_mul_add(ga_equations_gradient(s, kind), factor, e, filtered + s->con_at[c]);
}

/* e <- sum_j c_j x_j / C of A (x, mu) = (m M e, d), m M e in the rows that carry e, C the sum of
 * their c_j, c = p or r for positions or velocities, d = 0 in the rows that forbid an error, else
 * what they make of e */
static ga_status filter(ga_integrator *it, bool position, double *e) {
  const ga_equations *s = &it->step.eq;
  double *filtered = it->step_size.filtered;
  const ga_method *method = s->method;
  const double *c = position ? s->tab.p : s->tab.r;
  double sum = carried(method, c);
  if (sum == 0) return GA_OK;
  memset(filtered, 0, (size_t)s->n * sizeof(double));
  for (int j = 0; j < method->nx; j++) {
    const ga_site *site = &s->site[method->dyn[j].site];
    if (carries(method, j)) ga_csr_mul_add(&site->M, s->tab.m, e, filtered + j * s->nv);
  }
  for (int k = 0; k < method->ncon; k++) {
    if (!forbidden(method, method->con[k], position)) row_of(s, k, e, filtered);
  }
  ga_status status = ga_team_sum_shared(it->eval.team, method->nx, filtered);
  if (status == GA_OK) status = ga_factors_solve(&it->step.factors, s, filtered);
  if (status != GA_OK) {
    ga_error_prefix(&it->error, "error estimate");
    return status;
  }
  memset(e, 0, (size_t)s->nv * sizeof(double));
  for (int j = 0; j < method->nx; j++) ga_axpy(s->nv, c[j] / sum, filtered + j * s->nv, e);
  return GA_OK;
}

static ga_status filter_twice(ga_integrator *it, bool position, double *e) {
  ga_status status = filter(it, position, e);
  return status != GA_OK ? status : filter(it, position, e);
}

/* the largest values so far and those of (q, v) */
static void sizes(const ga_integrator *it, const double *q, const double *v, double *size_q,
                  double *size_v) {
  const ga_step_size *c = &it->step_size;
  ga_space_size(it->model->space, q, size_q);
  for (int i = 0; i < it->eval.nv; i++) {
    size_q[i] = fmax(size_q[i], c->size_q[i]);
    size_v[i] = fmax(fabs(v[i]), c->size_v[i]);
  }
}

static void grow_sizes(ga_integrator *it) {
  ga_step_size *c = &it->step_size;
  sizes(it, it->mem.q, it->mem.v, it->vs, it->d);
  memcpy(c->size_q, it->vs, (size_t)it->eval.nv * sizeof(double));
  memcpy(c->size_v, it->d, (size_t)it->eval.nv * sizeof(double));
}

/* clean: without what the roundings of v' at both ends of this step and of the one before make of
 * it (rounding_noise.c) */
static ga_status estimate(ga_integrator *it, bool clean, double *err) {
  ga_step_size *c = &it->step_size;
  const ga_memory *from = &it->last.mem, *to = &it->mem;
  const ga_options *o = &it->options;
  int nv = it->eval.nv;
  double h = to->h, h3 = h * h * h, q_weight = ga_step_size_q_factor(&o->par),
         v_weight = v_factor(&o->par);
  double apart = from->t + h / 2 - c->t_vdd, before = fmax(from->h, 2 * (from->t - c->t_vdd));
  sizes(it, to->q, to->v, it->vs, it->d);
  for (int i = 0; i < nv; i++) c->vdd_new[i] = (to->vd[i] - from->vd[i]) / h;
  ga_space_bracket(it->model->space, to->v, to->vd, it->r);
  for (int i = 0; i < nv; i++) c->e[i] = h3 * (q_weight * c->vdd_new[i] + it->r[i]) / 12;
  ga_status status = filter_twice(it, true, c->e);
  if (status != GA_OK) return status;
  if (clean) ga_rest_clean(it, h3 * fabs(q_weight) / 12 * 2 / h, c->e);
  double err_q = norm(it, c->e, it->vs, o->weight_q);
  for (int i = 0; i < nv; i++) c->e[i] = h3 * v_weight * (c->vdd_new[i] - c->vdd[i]) / apart;
  status = filter_twice(it, false, c->e);
  if (clean) ga_rest_clean(it, h3 * fabs(v_weight) * (2 / h + 2 / before) / apart, c->e);
  double err_v = norm(it, c->e, it->d, o->weight_v);
  *err = isnan(err_q) || isnan(err_v) ? INFINITY : fmax(err_q, err_v);
  return status;
}

/* Where hardly anything moves, the error is looked at without rounding. Steps in which rounding
 * moves q by more than is allowed do not grow any more. */
ga_status ga_step_size_error(ga_integrator *it, double *err) {
  ga_step_size *c = &it->step_size;
  const ga_memory *to = &it->mem;
  ga_status status = estimate(it, false, err);
  c->suspect = status == GA_OK && *err > LEAST && ga_rest_suspect(it, to->h);
  if (!c->suspect) return status;
  ga_start_guess(it);
  if (ga_rest_rounding(it, to->t, to->q, to->v) == 0) return GA_OK;
  status = estimate(it, true, err);
  for (int i = 0; i < it->eval.nv; i++) c->e[i] = to->h * to->h * c->noise[i];
  if (norm(it, c->e, it->vs, it->options.weight_q) > 1) *err = fmax(*err, STAYS);
  return status;
}

/* ---- the controller ---------------------------------------------------------------------- */

static double limited(const ga_integrator *it, double h) {
  double largest = it->options.h_max;
  return fmax(largest > 0 ? fmin(h, largest) : h, it->options.h_min);
}

void ga_step_size_accept(ga_integrator *it, double err, double h, double wanted, bool again) {
  ga_step_size *c = &it->step_size;
  double e = fmax(err, LEAST), last = c->err_last > 0 ? c->err_last : e;
  double factor = SAFE * pow(e, -(1.0 / 3 - 0.75 * B)) * pow(last, B);
  bool cut = h < 0.99 * wanted;
  if (cut) {
    /* a step that had to meet a time tells little: back to what was wanted, as far as its error,
     * which falls like h^3, does not forbid it */
    it->h = limited(it, fmin(wanted, h * fmax(SAFE * pow(err, -1.0 / 3), SHRINK)));
  } else {
    factor = fmax(SHRINK, fmin(factor, again ? 1 : GROW));
    if (factor >= 1 && factor < KEEP) factor = 1;
    it->h = limited(it, h * factor);
  }
  c->err_last = cut ? 0 : e;
  /* a difference over a short step is rough: the one before serves while it is near */
  if (!cut || it->mem.t - c->t_vdd >= 0.99 * wanted) {
    memcpy(c->vdd, c->vdd_new, (size_t)it->eval.nv * sizeof(double));
    c->t_vdd = it->last.mem.t + it->mem.h / 2;
  }
  grow_sizes(it);
}

void ga_step_size_reject(ga_integrator *it, double err, double h) {
  ga_step_size *c = &it->step_size;
  const ga_memory *mem = &it->mem;
  if (c->suspect) {
    ga_start_guess(it);
    double speed = ga_team_max(it->eval.team, ga_max_abs(it->eval.nv, c->size_v));
    if (speed <= h * ga_rest_rounding(it, mem->t, mem->q, mem->v)) {
      ga_rest_sizes(it, &(ga_rest){mem->t, mem->q, mem->v, mem->vd}, h, c->size_q, c->size_v);
    }
  }
  it->h = h * fmax(SHRINK, fmin(0.9, SAFE * pow(err, -1.0 / 3)));
}

void ga_step_size_fail(ga_integrator *it, double h) {
  it->h = FAILED * h;
}

/* ---- the first step ---------------------------------------------------------------------- */

/* Size at which the errors by v'', v''' are half of what is allowed, with a motion over h as the
 * least size of q and v. */
static double first_size(ga_integrator *it, double h, const double *vddd) {
  ga_step_size *c = &it->step_size;
  const ga_options *o = &it->options;
  int nv = it->eval.nv;
  double *move = it->d;
  ga_space_size(it->model->space, it->q, it->vs);
  ga_space_bracket(it->model->space, it->v, it->vd, it->r);
  for (int i = 0; i < nv; i++) {
    it->vs[i] = fmax(it->vs[i], fabs(h * it->v[i]) + h * h / 2 * fabs(it->vd[i]));
    it->vs[i] = fmax(it->vs[i], c->rest_q[i]);
    c->e[i] = (ga_step_size_q_factor(&o->par) * it->vdd[i] + it->r[i]) / 12;
  }
  double err = norm(it, c->e, it->vs, o->weight_q);
  for (int i = 0; i < nv; i++) {
    move[i] = fmax(fmax(fabs(it->v[i]), fabs(h * it->vd[i])), c->rest_v[i]);
    c->e[i] = v_factor(&o->par) * vddd[i];
  }
  err = fmax(err, norm(it, c->e, move, o->weight_v));
  return isfinite(err) && err > 0 ? cbrt(0.5 / err) : 10 * h;
}

/* Sizes for a start from rest, and the largest first step: INFINITY if it is none. Where v' is
 * nothing but rounding the guess h is all that is known of the time in which things happen. */
static double rest_at_start(ga_integrator *it, double t, double h) {
  ga_step_size *c = &it->step_size;
  size_t bytes = (size_t)it->eval.nv * sizeof(double);
  memset(c->rest_q, 0, bytes);
  memset(c->rest_v, 0, bytes);
  ga_team *team = it->eval.team;
  double rounding = ga_rest_rounding(it, t, it->q, it->v);
  if (ga_team_max(team, ga_max_abs(it->eval.nv, it->v)) > h * rounding) return INFINITY;
  const ga_rest state = {t, it->q, it->v, it->vd};
  double T = ga_rest_sizes(it, &state, h, c->rest_q, c->rest_v);
  bool moved = ga_team_max(team, ga_max_abs(it->eval.nv, it->vd)) > 0;
  if (moved && ga_rest_calm(it, it->vd)) return T > 0 ? fmin(T, h) : h;
  return T > 0 ? T : INFINITY;
}

/* v'' and v''' are differences over h: h is changed until it suits what they say */
ga_status ga_step_size_start(ga_integrator *it, double t, double *h) {
  enum { TRIES = 30 };
  double *vddd = it->step_size.vdd_new, known = 0;
  ga_status status = GA_OK;
  *h = limited(it, *h);
  double largest = rest_at_start(it, t, *h);
  *h = fmin(*h, largest);
  for (int i = 0; i < TRIES; i++) {
    ga_eval_set_step(&it->eval, *h);
    status = ga_start_vdd(it, t, it->q, it->v, it->vd, *h, it->vdd, vddd);
    if (status < 0) return status;
    if (status > 0 && known > 0) break; /* no larger ones */
    ga_rest_clean(it, 1 / *h, it->vdd);
    ga_rest_clean(it, 4 / (*h * *h), vddd);
    double size = status == GA_OK ? first_size(it, *h, vddd) : 0.01 * *h;
    double next = limited(it, fmin(fmin(size, 10 * *h), largest));
    if (status == GA_OK) known = next >= 0.1 * *h && next <= 2 * *h ? next : *h;
    if (known > 0 && known == next) break;
    *h = next;
  }
  if (known == 0) return status;
  ga_error_clear(&it->error);
  *h = known;
  memcpy(it->step_size.e, it->vdd, (size_t)it->eval.nv * sizeof(double));
  ga_eval_set_step(&it->eval, known);
  return GA_OK;
}

void ga_step_size_begin(ga_integrator *it) {
  ga_step_size *c = &it->step_size;
  size_t bytes = (size_t)it->eval.nv * sizeof(double);
  memcpy(c->vdd, c->e, bytes);
  memcpy(c->size_q, c->rest_q, bytes);
  memcpy(c->size_v, c->rest_v, bytes);
  c->t_vdd = it->mem.t;
  c->err_last = 0;
  grow_sizes(it);
}

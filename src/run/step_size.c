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
 * Errors that the constraints forbid, or that the method damps as stiff, must not count. So
 * A (x, mu) = (m M e, d) is solved with the step's own factored matrix. This removes the former
 * from e and divides the component of a vibration of frequency omega by 1 + c (h omega)^2. It is
 * done twice.
 * A vibration of amplitude A that h does not resolve has v' = omega^2 A, from which e of q is about
 * (h omega)^2 A: once divided it is A for any h, in v it is A/h, and smaller steps would not help
 * but make it visible; twice divided, it vanishes with (h omega)^-2. Vibrations of some times the
 * tolerance are resolved, as no step passes h omega = 2, where e is largest. Hairer and Wanner,
 * Solving Ordinary Differential Equations II, section IV.8, filter the estimate of Radau IIA in the
 * same manner, and a second time at the first step and after a rejected one.
 *
 * err = max over the components of weight |e| / (atol + rtol size), size the largest value of the
 * component since the start, but not less than FLOOR times the largest of all, in the metric W of
 * the model, by which lengths and angles are compared: a component that
 * passes through zero or stays there is measured by the others. A system at rest has the sizes of
 * the motion to come, and rounding does not count as an error (rounding_noise.c). err <= 1 is
 * accepted. Controller (PI): h <- h min(GROW, max(SHRINK, SAFE err^-(1/3 - 3/4 B) err_last^B)), B =
 * 0.4/3. */
#include "run/step_size.h"

#include <math.h>
#include <string.h>

#include "kkt/measure.h"
#include "lie/lie.h"
#include "run/integrator.h"

static const double FLOOR = 1e-3;
static const double SAFE = 0.9, GROW = 2, SHRINK = 0.2, FAILED = 0.25;
static const double KEEP = 1.2; /* smaller growth is not worth a new matrix */
static const double B = 0.4 / 3;
static const double LEAST = 1e-4; /* smaller errors count as this */
static const double STAYS = 0.3;  /* an error after which h stays as it is */

/* Allocate all arrays of it->step_size; the caller checks arena.failed. it->step is set up. */
void ga_step_size_init(ga_integrator *it) {
  ga_step_size *c = &it->step_size;
  double **const of_v[] = {&c->vdd,   &c->size_q,  &c->size_v,  &c->rest_q, &c->rest_v,
                           &c->e,     &c->vdd_new, &c->vdd_try, &c->noise,  &c->vdd_start,
                           &c->now_q, &c->now_v,   &c->bracket};
  for (int i = 0; i < 13; i++) *of_v[i] = ga_arena_doubles(&it->arena, (size_t)it->eval.nv);
  c->filtered = ga_arena_doubles(&it->arena, (size_t)it->step.eq.n);
}

/* ---- the estimate ------------------------------------------------------------------------ */

/* Returns 2 (1 - 6 beta - 3 alpha): the weight of v'' in the local error of q, see the head of this
 * file. */
double ga_step_size_q_factor(const ga_params *par) {
  return 2 * (1 - 6 * par->beta - 3 * (par->alpha_m - par->alpha_f));
}

/* Weight of v''' in the local error of v, -1/12 + alpha/2 - alpha alpha_f. */
static double v_factor(const ga_params *par) {
  double alpha = par->alpha_m - par->alpha_f;
  return -1.0 / 12 + alpha / 2 - alpha * par->alpha_f;
}

/* max_i weight_i |e_i| / (atol + rtol max(x_i, FLOOR X/sqrt(w_i))): the error e (nv numbers) relative
 * to what is allowed for values of size x >= 0, X the largest of all in the metric W; weight NULL: 1. NaN if an entry of e is. Collective:
 * the maximum over all processes of a team. */
static double error_norm(const ga_integrator *it, const double *e, const double *x,
                         const double *weight) {
  const ga_options *o = &it->options;
  ga_team *team = it->eval.team;
  double least = FLOOR * ga_measure(&it->eval, x), worst = 0;
  for (int i = 0; i < it->eval.nv; i++) {
    double size = fabs(e[i]) * (weight ? weight[i] : 1);
    if (size == 0) continue;
    worst =
        ga_larger(worst, size / (o->atol + o->rtol * fmax(x[i], least / it->eval.root_metric[i])));
  }
  return ga_team_max(team, worst);
}

/* Has the method a constraint row of this kind? */
static bool has_row(const ga_method *method, ga_con_kind kind) {
  for (int c = 0; c < method->ncon; c++) {
    if (method->con[c] == kind) return true;
  }
  return false;
}

/* Does this kind of constraint exclude an error of the position (position = false: of the
 * velocity) in its direction? Positions are bound by g, if the method has its rows; velocities
 * by G v and k. */
static bool forbids_error(const ga_method *method, ga_con_kind kind, bool position) {
  if (kind == GA_ROW_NONHOL) return !position;
  return has_row(method, GA_ROW_POS) || (!position && has_row(method, GA_ROW_VEL));
}

/* Is x_j an acceleration, or the applied component of one? Then row j gets the error e as a
 * right-hand side. */
static bool row_carries_error(const ga_method *method, int j) {
  return method->dyn[j].forces != GA_FORCES_REACTION;
}

/* Sum of by[j] over the rows j that carry the error. */
static double sum_over_carrying_rows(const ga_method *method, const double *by) {
  double sum = 0;
  for (int j = 0; j < method->nx; j++) sum += row_carries_error(method, j) ? by[j] : 0;
  return sum;
}

/* Right-hand side of constraint row c for a vector e that the row does not forbid: gradient times
 * e, times the sum of the coefficients p, r or rh (method.h) of x in that row. Added to `filtered`
 * at the place of row c. */
static void add_constraint_rhs(const ga_equations *s, int c, const double *e, double *filtered) {
  const ga_method *method = s->method;
  ga_con_kind kind = method->con[c];
  const double *by = kind == GA_ROW_POS ? s->tab.p : method->con_hat[c] ? s->tab.rh : s->tab.r;
  double factor = kind == GA_ROW_ACC ? 1 : sum_over_carrying_rows(method, by);
  ga_csr_mul_add(ga_equations_gradient(s, kind), factor, e, filtered + s->con_at[c]);
}

/* e <- sum_j c_j x_j / C from A (x, mu) = (m M e, d), with c = p (position) or r (velocity) and C
 * the sum of c_j over rows that carry e. d = 0 in rows that forbid an error. This removes what
 * constraints forbid and damps stiff vibrations; A is the Newton matrix as factored last. e is
 * unchanged if C = 0 or on failure; step_size.filtered is work. Collective. */
static ga_status filter_error(ga_integrator *it, bool position, double *e) {
  const ga_equations *s = &it->step.eq;
  double *filtered = it->step_size.filtered;
  const ga_method *method = s->method;
  const double *c = position ? s->tab.p : s->tab.r;
  double sum = sum_over_carrying_rows(method, c);
  if (sum == 0) return GA_OK;
  memset(filtered, 0, (size_t)s->n * sizeof(double));
  for (int j = 0; j < method->nx; j++) {
    const ga_site *site = &s->site[method->dyn[j].site];
    if (row_carries_error(method, j)) ga_csr_mul_add(&site->M, s->tab.m, e, filtered + j * s->nv);
  }
  for (int k = 0; k < method->ncon; k++) {
    if (!forbids_error(method, method->con[k], position)) add_constraint_rhs(s, k, e, filtered);
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

/* Filter e (see filter_error) twice: only then unresolved vibrations vanish with (h omega)^-2, see
 * the head of this file. */
static ga_status filter_twice(ga_integrator *it, bool position, double *e) {
  ga_status status = filter_error(it, position, e);
  return status != GA_OK ? status : filter_error(it, position, e);
}

/* Output size_q, size_v (nv numbers each): the larger of the sizes since the start and of |q|, |v|
 * now, for each velocity. The sizes since the start do not change. */
static void largest_sizes(const ga_integrator *it, const double *q, const double *v, double *size_q,
                          double *size_v) {
  const ga_step_size *c = &it->step_size;
  ga_space_size(it->model->space, q, size_q);
  for (int i = 0; i < it->eval.nv; i++) {
    size_q[i] = fmax(size_q[i], c->size_q[i]);
    size_v[i] = fmax(fabs(v[i]), c->size_v[i]);
  }
}

/* Include the accepted state in the largest sizes since the start, step_size.size_q and size_v. */
static void grow_sizes(ga_integrator *it) {
  ga_step_size *c = &it->step_size;
  largest_sizes(it, it->mem.q, it->mem.v, c->now_q, c->now_v);
  memcpy(c->size_q, c->now_q, (size_t)it->eval.nv * sizeof(double));
  memcpy(c->size_v, c->now_v, (size_t)it->eval.nv * sizeof(double));
}

/* *err: local error of the step from it->last.mem to it->mem, relative to what is allowed; INFINITY
 * if it is NaN. clean: set to zero components of e that rounding of v', as in step_size.noise, can
 * explain. Left behind: v'' of this step in vdd_new, sizes in now_q and now_v. On failure *err means nothing. Collective. */
static ga_status estimate_error(ga_integrator *it, bool clean, double *err) {
  ga_step_size *c = &it->step_size;
  const ga_memory *from = &it->last.mem, *to = &it->mem;
  const ga_options *o = &it->options;
  int nv = it->eval.nv;
  double h = to->h, h3 = h * h * h, q_weight = ga_step_size_q_factor(&o->par),
         v_weight = v_factor(&o->par);
  /* between the middles of this and the last step; `before` is the size of the last step */
  double apart = from->t + h / 2 - c->t_vdd, before = fmax(from->h, 2 * (from->t - c->t_vdd));
  largest_sizes(it, to->q, to->v, c->now_q, c->now_v);
  for (int i = 0; i < nv; i++) c->vdd_new[i] = (to->vd[i] - from->vd[i]) / h;
  ga_space_bracket(it->model->space, to->v, to->vd, c->bracket);
  for (int i = 0; i < nv; i++) c->e[i] = h3 * (q_weight * c->vdd_new[i] + c->bracket[i]) / 12;
  ga_status status = filter_twice(it, true, c->e); /* true: position */
  if (status != GA_OK) return status;
  /* factor of the noise of v' in e: v'' is a difference of two v', divided by h */
  if (clean) ga_rest_clean(nv, c->noise, h3 * fabs(q_weight) / 12 * 2 / h, c->e);
  double err_q = error_norm(it, c->e, c->now_q, o->weight_q);
  for (int i = 0; i < nv; i++) c->e[i] = h3 * v_weight * (c->vdd_new[i] - c->vdd[i]) / apart;
  status = filter_twice(it, false, c->e); /* false: velocity */
  if (clean) ga_rest_clean(nv, c->noise, h3 * fabs(v_weight) * (2 / h + 2 / before) / apart, c->e);
  double err_v = error_norm(it, c->e, c->now_v, o->weight_v);
  *err = isnan(err_q) || isnan(err_v) ? INFINITY : fmax(err_q, err_v);
  return status;
}

/* *err: local error of the last step (it->last to it->mem) relative to the allowed one; at most 1:
 * accept. If hardly anything moves (step_size.suspect, set here), it is estimated again without
 * rounding; if rounding alone moves q by more than is allowed, *err is at least STAYS, so that h
 * does not grow. Changes work arrays only, see estimate_error. Collective. */
ga_status ga_step_size_error(ga_integrator *it, double *err) {
  ga_step_size *c = &it->step_size;
  const ga_memory *to = &it->mem;
  ga_status status = estimate_error(it, false, err); /* false: rounding included */
  c->suspect = status == GA_OK && *err > LEAST && ga_rest_suspect(it, to->h);
  if (!c->suspect) return status;
  ga_start_guess(it);
  if (ga_rest_rounding(it, to->t, to->q, to->v, c->noise) == 0) return GA_OK;
  status = estimate_error(it, true, err); /* true: without rounding */
  for (int i = 0; i < it->eval.nv; i++) c->e[i] = to->h * to->h * c->noise[i];
  if (error_norm(it, c->e, c->now_q, it->options.weight_q) > 1) *err = fmax(*err, STAYS);
  return status;
}

/* ---- the controller ---------------------------------------------------------------------- */

/* Returns h, limited to h_min from below and the largest step from above. */
static double limit_to_h_range(const ga_integrator *it, double h) {
  return fmax(fmin(h, ga_corners_largest_step(it)), it->options.h_min);
}

/* Set it->h, the next size, after an accepted step of size h with error err: PI controller, growth
 * at most GROW, none after a rejection (again). Growth below KEEP is not used, so that factors can
 * be kept. wanted: the size before it was cut to meet a time. Also updates err_last (0 after a cut
 * step), the sizes since the start and v'' with its time t_vdd, if the step was not cut or the old
 * one is far. */
void ga_step_size_accept(ga_integrator *it, double err, double h, double wanted, bool again) {
  ga_step_size *c = &it->step_size;
  double e = fmax(err, LEAST), last = c->err_last > 0 ? c->err_last : e;
  double factor = SAFE * pow(e, -(1.0 / 3 - 0.75 * B)) * pow(last, B);
  bool cut = h < 0.99 * wanted;
  if (cut) {
    /* A step that was cut to meet a time says little: return to the size wanted, unless its error,
     * which falls like h^3, forbids it. */
    it->h = limit_to_h_range(it, fmin(wanted, h * fmax(SAFE * pow(err, -1.0 / 3), SHRINK)));
  } else {
    factor = fmax(SHRINK, fmin(factor, again ? 1 : GROW));
    if (factor >= 1 && factor < KEEP) factor = 1;
    it->h = limit_to_h_range(it, h * factor);
  }
  c->err_last = cut ? 0 : e;
  /* a difference over a short step is rough: the one before serves while it is near */
  if (!cut || it->mem.t - c->t_vdd >= 0.99 * wanted) {
    memcpy(c->vdd, c->vdd_new, (size_t)it->eval.nv * sizeof(double));
    c->t_vdd = it->last.mem.t + it->mem.h / 2;
  }
  grow_sizes(it);
}

/* Set a smaller it->h after a rejected step of size h, with error err > 1, which was undone. If
 * hardly anything moves (suspect), the sizes that errors are relative to, size_q and size_v, are
 * raised to those of the motion to come. */
void ga_step_size_reject(ga_integrator *it, double err, double h) {
  ga_step_size *c = &it->step_size;
  const ga_memory *mem = &it->mem;
  if (c->suspect) {
    ga_start_guess(it);
    double speed = ga_measure(&it->eval, c->size_v);
    if (speed <= h * ga_rest_rounding(it, mem->t, mem->q, mem->v, c->noise)) {
      const ga_rest state = {mem->t, mem->q, mem->v, mem->vd};
      ga_rest_sizes(it, &state, c->noise, h, c->size_q, c->size_v);
    }
  }
  it->h = h * fmax(SHRINK, fmin(0.9, SAFE * pow(err, -1.0 / 3)));
}

/* Set it->h, the next size to try, after a step of size h that failed to converge. */
void ga_step_size_fail(ga_integrator *it, double h) {
  it->h = FAILED * h;
}

/* ---- the first step ---------------------------------------------------------------------- */

/* Returns the h at which the local errors at the start *at, h^3 times v'' (vdd) and v''' (vddd),
 * are half of what is allowed; 10 h if both are zero. The motion of q and v over the current h,
 * at->h, and rest_q, rest_v, are the least sizes that errors are relative to. */
static double first_size(ga_integrator *it, const ga_memory *at, const double *vdd,
                         const double *vddd) {
  ga_step_size *c = &it->step_size;
  const ga_options *o = &it->options;
  int nv = it->eval.nv;
  double h = at->h, *way = c->now_q, *move = c->now_v;
  ga_space_size(it->model->space, at->q, way);
  ga_space_bracket(it->model->space, at->v, at->vd, c->bracket);
  for (int i = 0; i < nv; i++) {
    way[i] = fmax(way[i], fabs(h * at->v[i]) + h * h / 2 * fabs(at->vd[i]));
    way[i] = fmax(way[i], c->rest_q[i]);
    c->e[i] = (ga_step_size_q_factor(&o->par) * vdd[i] + c->bracket[i]) / 12;
  }
  double err = error_norm(it, c->e, way, o->weight_q);
  for (int i = 0; i < nv; i++) {
    move[i] = fmax(fmax(fabs(at->v[i]), fabs(h * at->vd[i])), c->rest_v[i]);
    c->e[i] = v_factor(&o->par) * vddd[i];
  }
  err = fmax(err, error_norm(it, c->e, move, o->weight_v));
  return isfinite(err) && err > 0 ? cbrt(0.5 / err) : 10 * h;
}

/* Set rest_q, rest_v: sizes of the motion to come if the start *at is at rest (nothing
 * moves but by rounding), otherwise 0. Returns the largest first step allowed; INFINITY if the
 * start is not at rest. If v' is only rounding, the guess at->h is all that is known of the time
 * scale. step_size.noise is set. */
static double rest_at_start(ga_integrator *it, const ga_memory *at) {
  ga_step_size *c = &it->step_size;
  size_t bytes = (size_t)it->eval.nv * sizeof(double);
  memset(c->rest_q, 0, bytes);
  memset(c->rest_v, 0, bytes);
  ga_team *team = it->eval.team;
  double h = at->h, rounding = ga_rest_rounding(it, at->t, at->q, at->v, c->noise);
  if (ga_measure(&it->eval, at->v) > h * rounding) return INFINITY;
  const ga_rest state = {at->t, at->q, at->v, at->vd};
  double T = ga_rest_sizes(it, &state, c->noise, h, c->rest_q, c->rest_v);
  bool moved = ga_team_max(team, ga_max_abs(it->eval.nv, at->vd)) > 0;
  if (moved && ga_rest_calm(it, c->noise, at->vd)) return T > 0 ? fmin(T, h) : h;
  return T > 0 ? T : INFINITY;
}

/* First step size at->h (before: a guess) from v'' and v''' at the start *at. These are differences
 * over h, so h is changed until it fits the size that they give. On success v'' over the last h for
 * which it could be computed is left in vdd_start, the sizes of a motion from rest in rest_q,
 * rest_v, and eval has the step at->h. Fails with the status of the last try if v'' could be
 * computed for no h; at->h then means nothing. Collective. */
ga_status ga_step_size_start(ga_integrator *it, ga_memory *at) {
  enum { TRIES = 30 };
  ga_step_size *c = &it->step_size;
  int nv = it->eval.nv;
  /* known: the size to return if no better one is found; 0: v'' could not be computed yet */
  double *vdd = c->vdd_try, *vddd = c->vdd_new, known = 0;
  ga_status status = GA_OK;
  at->h = limit_to_h_range(it, at->h);
  double largest = rest_at_start(it, at);
  at->h = fmin(at->h, largest);
  for (int i = 0; i < TRIES; i++) {
    double h = at->h;
    ga_eval_set_step(&it->eval, h);
    status = ga_start_vdd(it, at->t, at->q, at->v, at->vd, h, vdd, vddd);
    if (status < 0) return status;
    if (status > 0 && known > 0) break; /* the size `known` works: look no further */
    /* rounding of v' enters v'' as 2/(2 h), v''' as (1 + 2 + 1)/h^2 */
    ga_rest_clean(nv, c->noise, 1 / h, vdd);
    ga_rest_clean(nv, c->noise, 4 / (h * h), vddd);
    /* if v'' cannot be computed over h: try a hundredth; never grow by more than 10 at once */
    double size = status == GA_OK ? first_size(it, at, vdd, vddd) : 0.01 * h;
    double next = limit_to_h_range(it, fmin(fmin(size, 10 * h), largest));
    if (status == GA_OK) {
      memcpy(c->vdd_start, vdd, (size_t)nv * sizeof(double));
      /* `next` fits if the differences were taken over about that size, otherwise h serves */
      known = next >= 0.1 * h && next <= 2 * h ? next : h;
    }
    if (known > 0 && known == next) break;
    at->h = next;
  }
  if (known == 0) return status;
  ga_error_clear(&it->error);
  at->h = known;
  ga_eval_set_step(&it->eval, known);
  return GA_OK;
}

/* After a start was accepted into it->mem: initialize v'' (left in vdd_start by
 * ga_step_size_start), the sizes since the start and the controller. */
void ga_step_size_begin(ga_integrator *it) {
  ga_step_size *c = &it->step_size;
  size_t bytes = (size_t)it->eval.nv * sizeof(double);
  memcpy(c->vdd, c->vdd_start, bytes);
  memcpy(c->size_q, c->rest_q, bytes);
  memcpy(c->size_v, c->rest_v, bytes);
  c->t_vdd = it->mem.t;
  c->err_last = 0;
  grow_sizes(it);
}

/* After a restart at the accepted state, over `dt` of which v' changes by `change`: v'' of the motion
 * from now on. The sizes and it->h stay; no error of the step before is known. */
void ga_step_size_restart(ga_integrator *it, const double *change, double dt) {
  ga_step_size *c = &it->step_size;
  for (int i = 0; i < it->eval.nv; i++) c->vdd[i] = change[i] / dt;
  c->t_vdd = it->mem.t;
  c->err_last = 0;
}

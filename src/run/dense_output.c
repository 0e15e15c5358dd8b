/* SPDX-License-Identifier: MIT */
/* The solution inside the last step, from t_n to t_1 = t_n + h, theta = (t - t_n)/h.
 *
 *   q(t) = q_n o exp(w(theta)~),  w the cubic with
 *     w(0) = 0,  w'(0) = h v_n,  w(1) = w_1 = log(q_n^-1 o q_1),  w'(1) = h T(w_1)^-1 v_1
 *   v(t)  the cubic with v_n, h v'_n, v_1, h v'_1
 *   lam, psi linear
 *
 * where q' = DL_q(e) v~ gives v = T(w) w'/h. T^-1 = 1 + ad/2 + ad^2/12 + O(ad^4), ad x = [w, x];
 * the rest is O(h^4) of h v, far below the error h^4 of the cubic. */
#include <math.h>
#include <string.h>

#include "run/integrator.h"

/* cubic with values x0, x1 and slopes d0, d1 (by theta) at the ends: weights of the four */
typedef struct {
  double x0, x1, d0, d1;
} weights;

/* Weights of the cubic (values and slopes by theta at its ends) at s in [0, 1], s = theta. */
static weights hermite(double s) {
  double r = 1 - s;
  return (weights){(1 + 2 * s) * r * r, s * s * (3 - 2 * s), s * r * r, -s * s * r};
}

/* Weights of its derivative by s. */
static weights hermite_slope(double s) {
  return (weights){6 * s * (s - 1), 6 * s * (1 - s), (1 - s) * (1 - 3 * s), s * (3 * s - 2)};
}

/* Value of the cubic with these weights for values x0, x1 and slopes d0, d1 at the ends. */
static double combine(const weights *k, double x0, double x1, double d0, double d1) {
  return k->x0 * x0 + k->x1 * x1 + k->d0 * d0 + k->d1 * d1;
}

/* Allocate the work arrays of this file from it->arena; the caller checks arena.failed. */
void ga_dense_output_init(ga_integrator *it) {
  ga_dense_work *work = &it->dense_work;
  work->w = ga_arena_doubles(&it->arena, (size_t)it->eval.nv);
  work->bracket = ga_arena_doubles(&it->arena, (size_t)it->eval.nv);
  work->twice = ga_arena_doubles(&it->arena, (size_t)it->eval.nv);
}

/* The end of the last step: the accepted state or, if the step ended at a corner, the one before it. */
static const ga_memory *end_of_step(const ga_integrator *it) {
  return it->corners.passed ? &it->corners.left : &it->mem;
}

/* Output q (nq numbers) at theta in the last step, by the formulas at the head of this file.
 * it->last must be valid. */
static void position_at(const ga_integrator *it, double theta, double *q) {
  const ga_memory *from = &it->last.mem, *to = end_of_step(it);
  const ga_space *space = it->model->space;
  double h = to->t - from->t;
  double *w = it->dense_work.w, *bracket = it->dense_work.bracket, *twice = it->dense_work.twice;
  weights k = hermite(theta);
  ga_space_diff(space, from->q, to->q, w);
  ga_space_bracket(space, w, to->v, bracket);
  ga_space_bracket(space, w, bracket, twice);
  for (int i = 0; i < it->eval.nv; i++) {
    double slope = to->v[i] + bracket[i] / 2 + twice[i] / 12;
    w[i] = combine(&k, 0, w[i], h * from->v[i], h * slope);
  }
  ga_space_step(space, from->q, w, q);
}

/* x = (1 - theta) x0 + theta x1, n numbers; nothing if x is NULL. */
static void interpolate(int n, double theta, const double *x0, const double *x1, double *x) {
  for (int i = 0; x && i < n; i++) x[i] = (1 - theta) * x0[i] + theta * x1[i];
}

/* State at t in the last step into the arrays of *out that are not NULL; the accepted state if
 * there is no last step. t must lie in the step, ends included. */
void ga_dense_output_state(const ga_integrator *it, double t, const ga_dense_output *out) {
  const ga_memory *from = &it->last.mem, *to = end_of_step(it);
  const ga_eval *e = &it->eval;
  double h = to->t - from->t;
  double theta = it->last.valid ? (t - from->t) / h : 1;
  if (theta == 1 || theta == 0) {
    /* the ends as they are, bit by bit */
    const ga_memory *end = theta == 1 ? &it->mem : from;
    if (out->q) memcpy(out->q, end->q, (size_t)e->nq * sizeof(double));
    if (out->v) memcpy(out->v, end->v, (size_t)e->nv * sizeof(double));
    if (out->vd) memcpy(out->vd, end->vd, (size_t)e->nv * sizeof(double));
    if (out->lam) memcpy(out->lam, end->lam, (size_t)e->nlam * sizeof(double));
    if (out->psi) memcpy(out->psi, end->psi, (size_t)e->npsi * sizeof(double));
    return;
  }
  if (out->q) position_at(it, theta, out->q);
  weights k = hermite(theta), slope = hermite_slope(theta);
  for (int i = 0; i < e->nv; i++) {
    double d0 = h * from->vd[i], d1 = h * to->vd[i];
    if (out->v) out->v[i] = combine(&k, from->v[i], to->v[i], d0, d1);
    if (out->vd) {
      out->vd[i] =
          it->last.extrapolated ? to->vd[i] : combine(&slope, from->v[i], to->v[i], d0, d1) / h;
    }
  }
  interpolate(e->nlam, theta, from->lam, to->lam, out->lam);
  interpolate(e->npsi, theta, from->psi, to->psi, out->psi);
}

/* The solution at t inside the last step into the arrays that are not NULL; at its ends the states
 * themselves. GA_ERR_ARG, and nothing written, if t is outside or there was no start. */
ga_status ga_integrator_dense_output(ga_integrator *it, double t, double *q, double *v, double *vd,
                                     double *lam, double *psi) {
  ga_error_clear(&it->error);
  if (!it->started) return ga_fail(&it->error, GA_ERR_ARG, "ga_integrator_start comes first");
  double from = it->last.valid ? it->last.mem.t : it->mem.t, to = it->mem.t;
  double slack = ga_same_time(from, to);
  if (!(t >= from - slack && t <= to + slack)) {
    return ga_fail(&it->error, GA_ERR_ARG,
                   "t = %.17g is not inside the last step, from %.17g to %.17g", t, from, to);
  }
  /* a time that differs from an end by rounding is that end */
  if (fabs(t - from) <= slack) t = from;
  if (fabs(t - to) <= slack) t = to;
  double *const own_lam = it->presence.on && lam ? it->presence.lam_at : lam;
  double *const own_psi = it->presence.on && psi ? it->presence.psi_at : psi;
  ga_dense_output_state(it, t, &(ga_dense_output){q, v, vd, own_lam, own_psi});
  if (own_lam != lam) ga_presence_spread_lam(it, own_lam, lam);
  if (own_psi != psi) ga_presence_spread_psi(it, own_psi, psi);
  return GA_OK;
}

/* SPDX-License-Identifier: MIT */
/* Projections onto the constraints, by solves with the mass KKT matrix. */
#include "kkt/projection.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "kkt/measure.h"
#include "lie/lie.h"

enum { ITERATIONS = 60 };

/* Changes relative to the size of q or v, both in the metric W: */
static const double REACHED = 1e-15; /* a change below this is rounding */
static const double CLOSE = 1e-10;   /* a change below this is rounding if it no longer halves */
static const double HOLDS = 8 * DBL_EPSILON; /* rounding of q, of which residuals of g are made */

/* Allocate the work arrays of *p from the arena; the saddle is borrowed. The caller checks
 * arena->failed. */
void ga_projector_init(ga_projector *p, ga_saddle *saddle, ga_arena *arena) {
  const ga_eval *e = saddle->eval;
  *p = (ga_projector){.saddle = saddle,
                      .q = ga_arena_doubles(arena, (size_t)e->nq),
                      .v = ga_arena_doubles(arena, (size_t)e->nv),
                      .d = ga_arena_doubles(arena, (size_t)e->nv),
                      .d_on = ga_arena_doubles(arena, (size_t)e->nv),
                      .size = ga_arena_doubles(arena, (size_t)e->nv),
                      .g = ga_arena_doubles(arena, (size_t)e->nlam),
                      .T = ga_arena_doubles(arena, (size_t)ga_space_tangent_size(e->model->space))};
}

/* Has Newton's iteration reached rounding? change, last: largest changes in this and the last
 * iteration; size: of q or v. All are in the metric W. */
static bool has_converged(double change, double last, double size) {
  return change <= REACHED * size || (change <= CLOSE * size && change >= 0.5 * last);
}

/* *yes: |g_i| <= HOLDS sum_j |G_ij| Q/sqrt(w_j), Q the size of q in the metric W, i.e. the
 * constraints hold up to rounding of q on all processes.
 * p->g = g and saddle.G are overwritten. Collective. */
static ga_status constraints_hold(ga_projector *p, double t, const double *q, bool *yes) {
  ga_eval *e = p->saddle->eval;
  ga_csr *G = &p->saddle->G;
  double size = HOLDS * ga_measure_position(e, q, p->size);
  ga_status status = ga_eval_all(e, t, q, NULL, &(ga_evaluation){.g = p->g, .G = G});
  *yes = status == GA_OK;
  for (int i = 0; i < e->nlam && *yes; i++) {
    if (e->contacts && e->contacts->mode[i] != GA_ROW_IS_ON) continue;
    *yes = fabs(p->g[i]) <= size * ga_measure_row(e, G, i, i);
  }
  status = ga_team_agree(e->team, status, e->err);
  *yes = !ga_team_any(e->team, !*yes);
  return status;
}

/* One step of ACB15 (6). With G, g at q o exp(d~), M at q and T = T(d),
 *     [ M  (G T)^T ] [ x  ]   [ 0 ]
 *     [ G T    0   ] [ mu ] = [ c ],
 * feasible:  c = -g,         d <- d + x: shortest way to g = 0, quadratically convergent;
 * nearest:   c = G T d - g,  d <- x:     a fixed point has M d + (G T)^T mu = 0 besides, so that
 *                                        d^T M d is least. */
typedef enum { FEASIBLE, NEAREST } aim;

/* One step of this kind from p->d; p->d and p->q = q o exp(p->d), which must fit each other on
 * entry, are updated. *change: of p->d, in the metric W. p->g
 * is work. On failure p->d and p->q are as before. Collective. */
static ga_status position_step(ga_projector *p, double t, const double *q, const double *v,
                               aim kind, double *change) {
  ga_saddle *s = p->saddle;
  ga_eval *e = p->saddle->eval;
  int nv = e->nv;
  ga_status status = ga_saddle_factor_position(s, t, q, v, p->d, p->q, p->T);
  if (status != GA_OK) return status;
  status = ga_team_agree(e->team, ga_eval_g(e, t, p->q, p->g), e->err);
  if (status != GA_OK) return status;
  memset(s->rhs, 0, (size_t)s->n * sizeof(double));
  if (kind == NEAREST) ga_csr_mul_add(&s->G, 1, p->d, s->rhs + nv);
  for (int k = 0; k < e->nlam; k++) s->rhs[nv + k] -= p->g[k];
  status = ga_saddle_solve(s);
  if (status != GA_OK) return status;
  if (kind == FEASIBLE) ga_axpy(nv, 1, p->d, s->rhs);
  *change = ga_measure_difference(e, s->rhs, p->d);
  memcpy(p->d, s->rhs, (size_t)nv * sizeof(double));
  ga_space_step(e->model->space, q, p->d, p->q);
  return GA_OK;
}

/* Repeat position_step until p->d has converged. GA_OK with *done = false if it diverges or does
 * not end; another status if a solve fails. Changes p->d, p->q, p->g. Collective. */
static ga_status position_steps(ga_projector *p, double t, const double *q, const double *v,
                                aim kind, bool *done) {
  const ga_eval *e = p->saddle->eval;
  double last = INFINITY, change = 0;
  double start = ga_measure_position(e, q, p->size);
  int worse = 0;
  *done = false;
  for (int i = 0; i < ITERATIONS && !*done; i++) {
    ga_status status = position_step(p, t, q, v, kind, &change);
    if (status != GA_OK) return status;
    worse = change > last ? worse + 1 : 0;
    *done = has_converged(change, last, fmax(start, ga_measure_position(e, p->q, p->size)));
    if (!isfinite(change) || worse > 3) break;
    last = change;
  }
  return GA_OK;
}

/* After the first step, in p->d and p->q: iterate to g = 0, then to the nearest point, then to g
 * = 0 again. Result in p->d, p->q. If the last two fail, the first point (kept in p->d_on) is the
 * result. GA_ERR_INITIAL if there is none. Collective. */
static ga_status finish_position(ga_projector *p, double t, const double *q, const double *v) {
  const ga_eval *e = p->saddle->eval;
  size_t size = (size_t)e->nv * sizeof(double);
  bool done;
  ga_status status = position_steps(p, t, q, v, FEASIBLE, &done);
  if (status != GA_OK) return status;
  if (!done) {
    return ga_fail(e->err, GA_ERR_INITIAL,
                   "t = %.9g: no configuration that satisfies the constraints was found near q", t);
  }
  memcpy(p->d_on, p->d, size);
  status = position_steps(p, t, q, v, NEAREST, &done);
  if (status == GA_OK && done) status = position_steps(p, t, q, v, FEASIBLE, &done);
  if (status != GA_OK && status != GA_ERR_SINGULAR) return status;
  if (status != GA_OK || !done) {
    memcpy(p->d, p->d_on, size);
    ga_space_step(e->model->space, q, p->d, p->q);
    ga_error_clear(e->err);
  }
  return GA_OK;
}

/* Steps to g = 0 alone, from the first one in p->d and p->q: each doubles the digits. *done: g = 0 up
 * to rounding. Collective. */
static ga_status reach_constraints(ga_projector *p, double t, const double *q, const double *v,
                                   bool *done) {
  enum { FEW = 3 };
  ga_status status = GA_OK;
  double change;
  for (int i = 0; i < FEW && status == GA_OK && !*done; i++) {
    status = position_step(p, t, q, v, FEASIBLE, &change);
    if (status == GA_OK) status = constraints_hold(p, t, p->q, done);
  }
  return status;
}

/* ACB15 (6): q <- q o exp(d~) with d = argmin d^T M d, g(t, q o exp(d~)) = 0. If the first step
 * meets g = 0 up to rounding, the constraints are straight there and no point is nearer.
 * Nonholonomic rows do not restrict positions; they are used only if nothing else determines d,
 * with H at v. *moved (may be NULL): largest |d_i|. q is unchanged on failure; *p is
 * work. Collective. */
ga_status ga_project_position(ga_projector *p, double t, double *q, const double *v,
                              double *moved) {
  ga_eval *e = p->saddle->eval;
  bool done;
  double change;
  if (moved) *moved = 0;
  if (e->nlam_all == 0) return GA_OK;
  ga_status status = constraints_hold(p, t, q, &done);
  if (status != GA_OK || done) return status;
  memset(p->d, 0, (size_t)e->nv * sizeof(double));
  memcpy(p->q, q, (size_t)e->nq * sizeof(double));
  status = position_step(p, t, q, v, FEASIBLE, &change);
  if (status == GA_OK && isfinite(change)) status = constraints_hold(p, t, p->q, &done);
  if (status == GA_OK && !done && p->near_enough) status = reach_constraints(p, t, q, v, &done);
  if (status == GA_OK && !done) status = finish_position(p, t, q, v);
  if (status != GA_OK) return status;
  if (moved) *moved = ga_max_abs(e->nv, p->d);
  if (moved) *moved = ga_team_max(e->team, *moved);
  memcpy(q, p->q, (size_t)e->nq * sizeof(double));
  return GA_OK;
}

/* ACB15 (7): v <- v + dv with M dv + G^T mu + H^T nu = 0, G dv = target - (G v + g_t) (target NULL:
 * 0), H dv = 0 or (with_k) -k(v). One solve if k plays no part, else Newton's iteration. *moved
 * (may be NULL): largest |dv_i|. v is unchanged on failure; p->v is work, v must not be it.
 * Collective. */
ga_status ga_project_velocity(ga_projector *p, double t, const double *q, double *v,
                              const double *target, bool with_k, double *moved) {
  ga_saddle *s = p->saddle;
  ga_eval *e = p->saddle->eval;
  int nv = e->nv, nlam = e->nlam;
  double last = INFINITY, start = ga_measure(e, v);
  memcpy(p->v, v, (size_t)nv * sizeof(double));
  for (int i = 0; i < ITERATIONS && e->nlam_all + e->npsi_all > 0; i++) {
    ga_status status = ga_saddle_factor(s, t, q, p->v);
    if (status != GA_OK) return status;
    memset(s->rhs, 0, (size_t)s->n * sizeof(double));
    status = ga_eval_hidden(e, t, q, p->v, &s->G, s->rhs + nv);
    if (status == GA_OK && with_k) status = ga_eval_k(e, t, q, p->v, s->rhs + nv + nlam);
    status = ga_team_agree(e->team, status, e->err);
    if (status != GA_OK) return status;
    for (int k = nv; k < s->n; k++) s->rhs[k] = -s->rhs[k];
    for (int k = 0; target && k < nlam; k++) s->rhs[nv + k] += target[k];
    status = ga_saddle_solve(s);
    if (status != GA_OK) return status;
    double change = ga_measure(e, s->rhs);
    ga_axpy(nv, 1, s->rhs, p->v);
    if (!with_k || e->npsi_all == 0) break;
    /* below DBL_MIN rounding is not relative: a body at rest */
    if (change < DBL_MIN || has_converged(change, last, fmax(start, ga_measure(e, p->v)))) break;
    last = change;
    if (i == ITERATIONS - 1 || !isfinite(change)) {
      return ga_fail(e->err, GA_ERR_INITIAL,
                     "t = %.9g: no velocity that satisfies the constraints was found near v (last "
                     "change %.2g)",
                     t, change);
    }
  }
  if (moved) {
    *moved = 0;
    for (int k = 0; k < nv; k++) *moved = fmax(*moved, fabs(p->v[k] - v[k]));
    *moved = ga_team_max(e->team, *moved);
  }
  memcpy(v, p->v, (size_t)nv * sizeof(double));
  return GA_OK;
}

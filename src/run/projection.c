/* SPDX-License-Identifier: MIT */
/* Projections onto the constraints, by solves with the mass KKT matrix. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "run/integrator.h"

enum { ITERATIONS = 60 };

static const double REACHED = 1e-15; /* a change below this, relative to 1 + size, is rounding */
static const double CLOSE = 1e-10;   /* a change below this is rounding if it no longer halves */

/* Has Newton's iteration reached rounding? change, last: largest changes in this and the last
 * iteration; size: scale of q or v. */
static bool has_converged(double change, double last, double size) {
  double level = REACHED * (1 + size);
  return change <= level || (change <= CLOSE * (1 + size) && change >= 0.5 * last);
}

/* *yes: |g_i| <= 8 eps |G_i| |q|, i.e. the constraints hold up to rounding on all processes.
 * it->hidden = g and saddle.G are overwritten. Collective. */
static ga_status constraints_hold(ga_integrator *it, double t, const double *q, bool *yes) {
  ga_eval *e = &it->eval;
  ga_csr *G = &it->saddle.G;
  double size = 8 * DBL_EPSILON * ga_team_max(e->team, ga_max_abs(e->nq, q));
  ga_status status = ga_eval_all(e, t, q, NULL, &(ga_evaluation){.g = it->hidden, .G = G});
  *yes = status == GA_OK;
  for (int i = 0; i < e->nlam && *yes; i++) {
    double sum = 0;
    for (int k = G->ptr[i]; k < G->ptr[i + 1]; k++) sum += fabs(G->val[k]);
    *yes = fabs(it->hidden[i]) <= size * sum;
  }
  status = ga_team_agree(e->team, status, &it->error);
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

/* One step of this kind from it->d; it->d and it->qs = q o exp(it->d), which must fit each other on
 * entry, are updated. *change: largest change of an entry of it->d over all processes. it->hidden
 * is work. On failure it->d and it->qs are as before. Collective. */
static ga_status position_step(ga_integrator *it, double t, const double *q, const double *v,
                               aim kind, double *change) {
  ga_saddle *s = &it->saddle;
  ga_eval *e = &it->eval;
  int nv = e->nv;
  ga_status status = ga_saddle_factor_position(s, t, q, v, it->d, it->qs, it->step.eq.site->T);
  if (status != GA_OK) return status;
  status = ga_team_agree(e->team, ga_eval_g(e, t, it->qs, it->hidden), &it->error);
  if (status != GA_OK) return status;
  memset(s->rhs, 0, (size_t)s->n * sizeof(double));
  if (kind == NEAREST) ga_csr_mul_add(&s->G, 1, it->d, s->rhs + nv);
  for (int k = 0; k < e->nlam; k++) s->rhs[nv + k] -= it->hidden[k];
  status = ga_saddle_solve(s);
  if (status != GA_OK) return status;
  if (kind == FEASIBLE) ga_axpy(nv, 1, it->d, s->rhs);
  *change = 0;
  for (int k = 0; k < nv; k++) *change = fmax(*change, fabs(s->rhs[k] - it->d[k]));
  *change = ga_team_max(e->team, *change);
  memcpy(it->d, s->rhs, (size_t)nv * sizeof(double));
  ga_space_step(it->model->space, q, it->d, it->qs);
  return GA_OK;
}

/* Repeat position_step until it->d has converged. GA_OK with *done = false if it diverges or does
 * not end; another status if a solve fails. Changes it->d, it->qs, it->hidden. Collective. */
static ga_status position_steps(ga_integrator *it, double t, const double *q, const double *v,
                                aim kind, bool *done) {
  double last = INFINITY, change = 0;
  double size = ga_team_max(it->eval.team, ga_max_abs(it->eval.nq, q));
  int worse = 0;
  *done = false;
  for (int i = 0; i < ITERATIONS && !*done; i++) {
    ga_status status = position_step(it, t, q, v, kind, &change);
    if (status != GA_OK) return status;
    worse = change > last ? worse + 1 : 0;
    *done = has_converged(change, last, size);
    if (!isfinite(change) || worse > 3) break;
    last = change;
  }
  return GA_OK;
}

/* After the first step, in it->d and it->qs: iterate to g = 0, then to the nearest point, then to g
 * = 0 again. Result in it->d, it->qs. If the last two fail, the first point (kept in it->r) is the
 * result. GA_ERR_INITIAL if there is none. Collective. */
static ga_status finish_position(ga_integrator *it, double t, const double *q, const double *v) {
  size_t size = (size_t)it->eval.nv * sizeof(double);
  bool done;
  ga_status status = position_steps(it, t, q, v, FEASIBLE, &done);
  if (status != GA_OK) return status;
  if (!done) {
    return ga_fail(&it->error, GA_ERR_INITIAL,
                   "t = %.9g: no configuration that satisfies the constraints was found near q", t);
  }
  memcpy(it->r, it->d, size);
  status = position_steps(it, t, q, v, NEAREST, &done);
  if (status == GA_OK && done) status = position_steps(it, t, q, v, FEASIBLE, &done);
  if (status != GA_OK && status != GA_ERR_SINGULAR) return status;
  if (status != GA_OK || !done) {
    memcpy(it->d, it->r, size);
    ga_space_step(it->model->space, q, it->d, it->qs);
    ga_error_clear(&it->error);
  }
  return GA_OK;
}

/* ACB15 (6): q <- q o exp(d~) with d = argmin d^T M d, g(t, q o exp(d~)) = 0. If the first step
 * meets g = 0 up to rounding, the constraints are straight there and no point is nearer.
 * Nonholonomic rows do not restrict positions; they are used only if nothing else determines d,
 * with H at v. *moved (may be NULL): largest |d_i|. q is unchanged on failure; it->d, qs, r, hidden
 * are work. Collective. */
ga_status ga_project_position(ga_integrator *it, double t, double *q, const double *v,
                              double *moved) {
  ga_eval *e = &it->eval;
  bool done;
  double change;
  if (moved) *moved = 0;
  if (e->nlam_all == 0) return GA_OK;
  ga_status status = constraints_hold(it, t, q, &done);
  if (status != GA_OK || done) return status;
  memset(it->d, 0, (size_t)e->nv * sizeof(double));
  memcpy(it->qs, q, (size_t)e->nq * sizeof(double));
  status = position_step(it, t, q, v, FEASIBLE, &change);
  if (status == GA_OK && isfinite(change)) status = constraints_hold(it, t, it->qs, &done);
  if (status == GA_OK && !done) status = finish_position(it, t, q, v);
  if (status != GA_OK) return status;
  if (moved) *moved = ga_max_abs(e->nv, it->d);
  if (moved) *moved = ga_team_max(e->team, *moved);
  memcpy(q, it->qs, (size_t)e->nq * sizeof(double));
  return GA_OK;
}

/* ACB15 (7): v <- v + dv with M dv + G^T mu + H^T nu = 0, G dv = target - (G v + g_t) (target NULL:
 * 0), H dv = 0 or (with_k) -k(v). One solve if k plays no part, else Newton's iteration. *moved
 * (may be NULL): largest |dv_i|. v is unchanged on failure; it->vs is work, v must not be it.
 * Collective. */
ga_status ga_project_velocity(ga_integrator *it, double t, const double *q, double *v,
                              const double *target, bool with_k, double *moved) {
  ga_saddle *s = &it->saddle;
  ga_eval *e = &it->eval;
  int nv = e->nv, nlam = e->nlam;
  double last = INFINITY;
  memcpy(it->vs, v, (size_t)nv * sizeof(double));
  for (int i = 0; i < ITERATIONS && e->nlam_all + e->npsi_all > 0; i++) {
    ga_status status = ga_saddle_factor(s, t, q, it->vs);
    if (status != GA_OK) return status;
    memset(s->rhs, 0, (size_t)s->n * sizeof(double));
    status = ga_eval_hidden(e, t, q, it->vs, &s->G, s->rhs + nv);
    if (status == GA_OK && with_k) status = ga_eval_k(e, t, q, it->vs, s->rhs + nv + nlam);
    status = ga_team_agree(e->team, status, &it->error);
    if (status != GA_OK) return status;
    for (int k = nv; k < s->n; k++) s->rhs[k] = -s->rhs[k];
    for (int k = 0; target && k < nlam; k++) s->rhs[nv + k] += target[k];
    status = ga_saddle_solve(s);
    if (status != GA_OK) return status;
    double change = ga_team_max(e->team, ga_max_abs(nv, s->rhs));
    ga_axpy(nv, 1, s->rhs, it->vs);
    if (!with_k || e->npsi_all == 0) break;
    if (has_converged(change, last, ga_team_max(e->team, ga_max_abs(nv, it->vs)))) break;
    last = change;
    if (i == ITERATIONS - 1 || !isfinite(change)) {
      return ga_fail(&it->error, GA_ERR_INITIAL,
                     "t = %.9g: no velocity that satisfies the constraints was found near v (last "
                     "change %.2g)",
                     t, change);
    }
  }
  if (moved) {
    *moved = 0;
    for (int k = 0; k < nv; k++) *moved = fmax(*moved, fabs(it->vs[k] - v[k]));
    *moved = ga_team_max(e->team, *moved);
  }
  memcpy(v, it->vs, (size_t)nv * sizeof(double));
  return GA_OK;
}

/* SPDX-License-Identifier: MIT */
/* Projections onto the constraints, by solves with the mass KKT matrix. */
#include <math.h>
#include <string.h>

#include "lie/lie.h"
#include "step/integrator.h"

enum { ITERATIONS = 30 };

/* Largest |w_i| against the scale of positions: where Newton's iteration is at rounding. */
static bool settled(double change, double last, double size) {
  double level = 1e-15 * (1 + size);
  return change <= level || (change <= 1e-10 * (1 + size) && change >= 0.5 * last);
}

/* ACB15 (6): q o exp(d~) with d = argmin d^T M d, g(t, q o exp(d~)) = 0. The conditions
 *     M d + (G T(d))^T mu = 0,  g(t, q o exp(d~)) = 0,    M at the old q,
 * are solved by successive linearisation of g: with G, g at q o exp(d~),
 *     [ M  (G T)^T ] [ d_new ]   [        0       ]
 *     [ G T    0   ] [  mu   ] = [ G T d - g ].
 * Nonholonomic rows do not restrict positions and are left out. */
ga_status ga_project_position(ga_integrator *it, double t, double *q, double *moved) {
  ga_saddle *s = &it->saddle;
  ga_eval *e = &it->eval;
  const ga_space *space = it->model->space;
  int nv = e->nv, nlam = e->nlam;
  double last = INFINITY, change = 0;
  ga_status status = GA_OK;
  memset(it->d, 0, (size_t)nv * sizeof(double));
  memcpy(it->qs, q, (size_t)e->nq * sizeof(double));
  for (int i = 0; i < ITERATIONS && nlam > 0; i++) {
    status = ga_saddle_factor_position(s, t, q, it->d, it->qs, it->step.T);
    if (status == GA_OK) status = ga_eval_g(e, t, it->qs, it->hidden);
    if (status != GA_OK) return status;
    memset(s->rhs, 0, (size_t)s->n * sizeof(double));
    ga_csr_mul_add(&s->G, 1, it->d, s->rhs + nv);
    for (int k = 0; k < nlam; k++) s->rhs[nv + k] -= it->hidden[k];
    status = ga_saddle_solve(s);
    if (status != GA_OK) return status;
    change = 0;
    for (int k = 0; k < nv; k++) change = fmax(change, fabs(s->rhs[k] - it->d[k]));
    memcpy(it->d, s->rhs, (size_t)nv * sizeof(double));
    ga_space_step(space, q, it->d, it->qs);
    if (settled(change, last, ga_max_abs(e->nq, q))) break;
    last = change;
    if (i == ITERATIONS - 1 || !isfinite(change)) {
      return ga_fail(&it->error, GA_ERR_INITIAL,
                     "t = %.9g: no configuration that satisfies the constraints was found near q "
                     "(last change %.2g)",
                     t, change);
    }
  }
  if (moved) *moved = ga_max_abs(nv, it->d);
  memcpy(q, it->qs, (size_t)e->nq * sizeof(double));
  return GA_OK;
}

/* ACB15 (7): v + dv with M dv + G^T mu + H^T nu = 0, G dv = target - (G v + g_t), H dv = 0 or
 * -k(v). One solve if k is linear in v, else Newton's iteration. */
ga_status ga_project_velocity(ga_integrator *it, double t, const double *q, double *v,
                              const double *target, bool with_k, double *moved) {
  ga_saddle *s = &it->saddle;
  ga_eval *e = &it->eval;
  int nv = e->nv, nlam = e->nlam, npsi = e->npsi;
  double last = INFINITY;
  memcpy(it->vs, v, (size_t)nv * sizeof(double));
  for (int i = 0; i < ITERATIONS && nlam + npsi > 0; i++) {
    ga_status status = ga_saddle_factor(s, t, q, it->vs);
    memset(s->rhs, 0, (size_t)s->n * sizeof(double));
    if (status == GA_OK) status = ga_eval_hidden(e, t, q, it->vs, &s->G, s->rhs + nv);
    if (status == GA_OK && with_k) status = ga_eval_k(e, t, q, it->vs, s->rhs + nv + nlam);
    if (status != GA_OK) return status;
    for (int k = nv; k < s->n; k++) s->rhs[k] = -s->rhs[k];
    for (int k = 0; target && k < nlam; k++) s->rhs[nv + k] += target[k];
    status = ga_saddle_solve(s);
    if (status != GA_OK) return status;
    double change = ga_max_abs(nv, s->rhs);
    ga_axpy(nv, 1, s->rhs, it->vs);
    if (!with_k || npsi == 0 || settled(change, last, ga_max_abs(nv, it->vs))) break;
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
  }
  memcpy(v, it->vs, (size_t)nv * sizeof(double));
  return GA_OK;
}

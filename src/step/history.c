/* SPDX-License-Identifier: MIT */
/* What the memory needs when the step size changes from h_old to h (docs/notation.md).
 *
 *   a <- v' + (h/h_old) (a - v'),                  because a_n = v'(t_n + alpha h) + O(h^2)
 *
 * and where the method leaves the hidden constraint free, its residual h^2 G r is rescaled too:
 *
 *   v <- v + dv,  M dv + G^T mu + H^T nu = 0,  G dv = ((h/h_old)^2 - 1) (G v + g_t),  H dv = 0.
 *
 * Without the first, order 1 in a, lam, psi; without the second, order 0 to 1 in lam of such
 * methods. Both differences are small and carry the rounding of a step of size h_old; a growth of h
 * by more than GROWTH would multiply it, so the history is then built anew from t, q, v, as at a
 * start. */
#include <math.h>
#include <string.h>

#include "step/integrator.h"

static const double GROWTH = 4;
static const double SAME = 1e-4; /* relative changes of h below this do not matter */

/* G v + g_t at the accepted state, times factor, into it->hidden */
static ga_status scaled_hidden(ga_integrator *it, double factor) {
  const ga_memory *mem = &it->mem;
  ga_status status = ga_eval_G(&it->eval, mem->t, mem->q, &it->saddle.G);
  if (status != GA_OK) return status;
  status = ga_eval_hidden(&it->eval, mem->t, mem->q, mem->v, &it->saddle.G, it->hidden);
  for (int i = 0; i < it->eval.nlam; i++) it->hidden[i] *= factor;
  return status;
}

static ga_status rebuild(ga_integrator *it, double h) {
  const ga_memory *mem = &it->mem;
  memcpy(it->q, mem->q, (size_t)it->eval.nq * sizeof(double));
  ga_initial_guess(it);
  ga_status status =
      ga_saddle_acceleration(&it->saddle, mem->t, it->q, it->v, it->vd, it->lam, it->psi);
  if (status != GA_OK) return status;
  return ga_initial_history(it, it->method->best_start, mem->t, h);
}

ga_status ga_history_correct(ga_integrator *it, double h) {
  const ga_memory *mem = &it->mem;
  int nv = it->eval.nv;
  memcpy(it->v, mem->v, (size_t)nv * sizeof(double));
  memcpy(it->a, mem->a, (size_t)nv * sizeof(double));
  memcpy(it->vd, mem->vd, (size_t)nv * sizeof(double));
  double ratio = h / mem->h;
  if (fabs(ratio - 1) <= SAME) return GA_OK;
  if (ratio > GROWTH) return rebuild(it, h);
  for (int i = 0; i < nv; i++) it->a[i] = mem->vd[i] + ratio * (mem->a[i] - mem->vd[i]);
  if (!it->method->hidden_free || it->eval.nlam == 0) return GA_OK;
  ga_status status = scaled_hidden(it, ratio * ratio);
  if (status != GA_OK) return status;
  return ga_project_velocity(it, mem->t, mem->q, it->v, it->hidden, false, NULL);
}

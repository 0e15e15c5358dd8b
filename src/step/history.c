/* SPDX-License-Identifier: MIT */
/* What the memory needs when the step size changes from h_old to h (docs/notation.md).
 *
 *   a <- v' + (h/h_old) (a - v'),                  because a_n = v'(t_n + alpha h) + O(h^2)
 *
 * and where the method leaves the hidden constraint free, its residual h^2 G r is rescaled too:
 *
 *   v <- v + dv,  M dv + G^T mu + H^T nu = 0,  G dv = ((h/h_old)^2 - 1) (G v + g_t),  H dv = 0.
 *
 * Without the first, order 1 in a, lam, psi; without the second, order 0 to 1 in lam of index3. */
#include <string.h>

#include "step/integrator.h"

ga_status ga_history_correct(ga_integrator *it, double h) {
  const ga_memory *mem = &it->mem;
  int nv = it->eval.nv, nlam = it->eval.nlam;
  memcpy(it->v, mem->v, (size_t)nv * sizeof(double));
  memcpy(it->a, mem->a, (size_t)nv * sizeof(double));
  if (h == mem->h) return GA_OK;
  double ratio = h / mem->h;
  for (int i = 0; i < nv; i++) it->a[i] = mem->vd[i] + ratio * (mem->a[i] - mem->vd[i]);
  if (!it->method->hidden_free || nlam == 0) return GA_OK;
  ga_status status = ga_eval_G(&it->eval, mem->t, mem->q, &it->saddle.G);
  if (status == GA_OK) {
    status = ga_eval_hidden(&it->eval, mem->t, mem->q, mem->v, &it->saddle.G, it->hidden);
  }
  for (int i = 0; i < nlam; i++) it->hidden[i] *= ratio * ratio;
  if (status != GA_OK) return status;
  return ga_project_velocity(it, mem->t, mem->q, it->v, it->hidden, false, NULL);
}

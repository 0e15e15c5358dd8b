/* SPDX-License-Identifier: MIT */
/* Errors of methods that leave the hidden constraint free (index3), for automatic steps.
 *
 * Such a method finds v' and lam in the directions of the constraints from positions alone. They
 * ring after each change of h, and carry the rounding of q over h^2. Differences of that v' tell
 * neither its error nor those of q and v. But the equations of motion and the constraints,
 * differentiated, have one solution (v'_c, lam_c) at the accepted q and v,
 *
 *   M v'_c + G^T lam_c + H^T psi_c = F,   G v'_c = -(g drift),   H v'_c = -(k drift),
 *
 * which depends on q and v smoothly. Hence
 *
 *   v'', v'''  in the local errors are differences of v'_c;
 *   delta f = M (v' - v'_c) is the error of the constraint forces: ringing, rounding and that of the
 *             method, O(h^2). Ringing has the root -rho_inf: it changes sign from step to step. The
 *             mean of delta f over two steps is the error that smaller steps reduce. Half the
 *             difference is ringing, for which smaller steps are no remedy, but time: while it is
 *             above what is allowed, h does not grow;
 *   delta v:  M-orthogonal, G delta v = G v + g_t, is the error of v in these directions, O(h^2). It
 *             is an error of the run, as delta f, not one that adds up step by step.
 *
 * Rounding. Each position has an error xi of some eps |q|; v' follows from it as xi/(beta h^2), and
 * earlier ones ring on: both roots of the recursion of v' are -rho_inf, so that n steps later
 * n rho_inf^n of xi/(beta h^2) is left. The squares add up:
 *
 *   noise of v' = eps |q| / (beta h^2) sqrt(1 + sum n^2 rho^2n),  sum = rho^2 (1 + rho^2)/(1 - rho^2)^3
 *
 * (driven-crank, h = 1e-4 to 3e-6, rho_inf 0.9: 0.5 to 1 of it). newton_tol |v'| comes to it. The
 * noise of v is h times as large. A change of h rescales G v by (h/h_old)^2, its noise with it:
 * after growth by the factor r it is r^3 times what it would be. What noise explains does not
 * count: no step would make it smaller. If it is above rtol of the accelerations, smaller steps
 * make forces worse: h stays as it is. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kkt/measure.h"
#include "run/integrator.h"
#include "run/step_size.h"

static const double ROUNDINGS = 12; /* of a position, in eps |q|: three deviations of some each */

/* The noise of v' at the end of a step, in the metric W, without that of growing steps. |q| and
 * |v'| are the largest of all, as constraints pass errors on. Sizes of q are in now_q. Collective. */
double ga_hidden_error_noise(ga_integrator *it) {
  double h = it->mem.h, rho2 = fmin(it->rho_inf, 0.99) * fmin(it->rho_inf, 0.99), rest = 1 - rho2;
  double gain = sqrt(1 + rho2 * (1 + rho2) / (rest * rest * rest));
  double xi = ROUNDINGS * DBL_EPSILON * ga_measure(&it->eval, it->step_size.now_q);
  double of_newton = it->options.newton_tol * ga_measure(&it->eval, it->mem.vd);
  return gain * (xi / (it->options.par.beta * h * h) + of_newton);
}

/* Set the entries of x to zero that noise, by times that of v', explains. Collective. */
static void clean(ga_integrator *it, double by, double *x) {
  double *noise = it->step_size.noise, growth = it->growth;
  double all = by * ga_hidden_error_noise(it) * growth * growth * growth;
  for (int i = 0; i < it->eval.nv; i++) noise[i] = all / it->eval.root_metric[i];
  ga_rest_clean(it->eval.nv, noise, 1, x);
}

/* c->vd_new: v'_c at the end of the step, if the method leaves the hidden constraint free. Where
 * the constraints are dependent, or the model cannot be evaluated there, v' of the step itself. A
 * negative status of the model or of memory is returned. Collective. */
ga_status ga_hidden_error_begin(ga_integrator *it) {
  const ga_memory *to = &it->mem;
  double *vd = it->step_size.vd_new;
  if (!it->method->hidden_free) return GA_OK;
  ga_start_guess(it);
  const ga_status status = ga_saddle_acceleration(&it->saddle, to->t, to->q, to->v, vd, NULL, NULL);
  if (status == GA_OK || status == GA_ERR_MODEL || status == GA_ERR_MEM) return status;
  ga_error_clear(&it->error);
  memcpy(vd, to->vd, (size_t)it->eval.nv * sizeof(double));
  return GA_OK;
}

/* df += M (d_n + d_n-1)/2 of this process, d = v' - v'_c at the ends of this and the last step, as
 * far as it is more than noise; ringing: M (d_n - d_n-1)/2. c->once and c->noise are work.
 * Collective. */
void ga_hidden_error_forces(ga_integrator *it, bool ringing, double *df) {
  ga_step_size *c = &it->step_size;
  const double *vd = it->mem.vd, *vd_last = it->last.mem.vd;
  for (int i = 0; i < it->eval.nv; i++) {
    double last = vd_last[i] - c->vd[i];
    c->once[i] = (vd[i] - c->vd_new[i] + (ringing ? -last : last)) / 2;
  }
  clean(it, 1, c->once);
  ga_factors_add_mass(&it->step.factors, &it->step.eq, 1, c->once, df);
}

/* dv (nv numbers): the error delta v of the velocity, with the factors of the step, as far as it
 * is more than noise. c->noise is work. Collective. */
ga_status ga_hidden_error_velocity(ga_integrator *it, double *dv) {
  const ga_memory *to = &it->mem;
  ga_step_size *c = &it->step_size;
  double *gv = c->residual;
  ga_status status =
      ga_eval_hidden(&it->eval, to->t, to->q, to->v, &it->step.eq.site[GA_SITE_NEW].G, gv);
  status = ga_team_agree(it->eval.team, status, &it->error);
  if (status == GA_OK) status = ga_error_filter_residual(it, gv, dv);
  if (status != GA_OK) return status;
  clean(it, to->h, dv);
  return GA_OK;
}

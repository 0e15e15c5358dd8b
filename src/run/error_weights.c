/* SPDX-License-Identifier: MIT */
/* What errors of automatic steps are compared with (error_estimate.c).
 *
 * An error of q or v of the run may be tol = atol + rtol size, that of a step tol sqrt(tol/size), that
 * of forces rtol force. size is the largest value of the component since the start, but at least FLOOR
 * times the largest of all in the metric W, by which lengths and angles are compared: a component that
 * passes through zero or stays there is measured by the others. `force` is likewise the largest
 * |M||v'| + |G|^T|lam| + |H|^T|psi| on the velocity, at least the mass times size_v over the time since
 * the start.
 *
 * The weights by_q, by_v, by_f are one over these, tol_q and tol_v one over tol. They are found for a
 * full estimate; rough ones, which are ratios to it, keep them. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kkt/measure.h"
#include "lie/lie.h"
#include "run/integrator.h"
#include "run/step_size.h"

static const double FLOOR = 1e-3;

/* ---- sizes and weights ------------------------------------------------------------------- */

/* now_q, now_v: the larger of the sizes since the start, which do not change, and of |q|, |v| at the end
 * of the step, for each velocity. */
void ga_error_weights_sizes(ga_integrator *it) {
  ga_step_size *c = &it->step_size;
  ga_model_tolerance_sizes(it->model, it->mem.q, c->now_q);
  for (int i = 0; i < it->eval.nv; i++) {
    c->now_q[i] = ga_max(c->now_q[i], c->size_q[i]);
    c->now_v[i] = ga_max(fabs(it->mem.v[i]), c->size_v[i]);
  }
}

/* Include the accepted state in the largest sizes since the start, step_size.size_q and size_v. now_q is
 * work. */
void ga_step_size_grow(ga_integrator *it) {
  ga_step_size *c = &it->step_size;
  ga_model_tolerance_sizes(it->model, it->mem.q, c->now_q);
  for (int i = 0; i < it->eval.nv; i++) {
    c->size_q[i] = ga_max(c->now_q[i], c->size_q[i]);
    c->size_v[i] = ga_max(fabs(it->mem.v[i]), c->size_v[i]);
  }
}

/* The least size that counts for component i if the largest of all, in the metric W, is `largest`. */
static double least_size(const ga_integrator *it, double largest, int i) {
  return FLOOR * largest / it->eval.root_metric[i];
}

/* The error of a step allowed where tol is allowed of the run, for a value of this size:
 * tol sqrt(tol/size), at most tol. */
static double allowed_in_step(double tol, double size) {
  return tol < size ? tol * sqrt(tol / size) : tol;
}

/* weight/allowed, also where nothing is allowed a number that is not infinite. NaN if one is. */
static double per_allowed(double weight, double allowed) {
  const double by = weight == 0 ? 0 : weight / allowed;
  return by > DBL_MAX ? DBL_MAX : by;
}

/* by_i (nv numbers): weight_i over the error that a step may have in a value of size x_i >= 0; tol_i
 * (NULL: none): weight_i over the tolerance. weight NULL: ones. Collective. */
static void set_weights(const ga_integrator *it, const double *x, const double *weight, double *by,
                        double *tol) {
  const ga_options *o = &it->options;
  const double largest = ga_measure(&it->eval, x);
  for (int i = 0; i < it->eval.nv; i++) {
    const double one = weight ? weight[i] : 1, size = fmax(x[i], least_size(it, largest, i));
    const double allowed = o->atol + o->rtol * size;
    by[i] = per_allowed(one, allowed_in_step(allowed, size));
    if (tol) tol[i] = per_allowed(one, allowed);
  }
}

/* The error e (nv numbers) relative to what a step may have, for values of size x >= 0. weight NULL:
 * ones. NaN if an entry is. step_size.once is work. Collective: the maximum over all processes of a
 * team. */
double ga_step_size_norm(const ga_integrator *it, const double *e, const double *x,
                         const double *weight) {
  double *by = it->step_size.once, worst = 0;
  set_weights(it, x, weight, by, NULL);
  for (int i = 0; i < it->eval.nv; i++) worst = ga_larger(worst, by[i] * fabs(e[i]));
  return ga_team_max(it->eval.team, worst);
}

/* ---- forces ------------------------------------------------------------------------------ */

/* Include the state `to` in the largest forces since the start, step_size.force: |M||v'| +
 * |G|^T|lam| + |H|^T|psi|. M, G, H are those of the end of the step. Collective. */
static ga_status grow_forces(ga_integrator *it, const ga_memory *to) {
  ga_step_size *c = &it->step_size;
  const ga_site *end = &it->step.eq.site[GA_SITE_NEW];
  int nv = it->eval.nv;
  memset(c->force_now, 0, (size_t)nv * sizeof(double));
  ga_factors_add_mass_sizes(&it->step.factors, &it->step.eq, to->vd, c->force_now);
  ga_csr_add_sizes(&end->G, true, to->lam, c->force_now);
  ga_csr_add_sizes(&end->H, true, to->psi, c->force_now);
  ga_status status = ga_team_sum_shared(it->eval.team, 1, c->force_now);
  for (int i = 0; i < nv; i++) c->force_now[i] = fmax(c->force_now[i], c->force[i]);
  c->acceleration = fmax(c->acceleration, ga_measure(&it->eval, to->vd));
  return status;
}

/* by_f_i: 1/(rtol force_i), 0 without rtol, from the largest forces, force_now. step_size.force_least is
 * work. Collective. */
static ga_status set_force_weights(ga_integrator *it) {
  ga_step_size *c = &it->step_size;
  ga_team *team = it->eval.team;
  const double *root = it->eval.root_metric, rtol = it->options.rtol;
  const double since = it->mem.t - c->t_start;
  double *force = c->force_least, most = 0;
  int nv = it->eval.nv;
  memset(force, 0, (size_t)nv * sizeof(double));
  ga_factors_add_masses(&it->step.eq, force);
  ga_status status = ga_team_sum_shared(team, 1, force);
  for (int i = 0; i < nv; i++) {
    force[i] = fmax(c->force_now[i], force[i] * c->now_v[i] / since);
    most = ga_larger(most, force[i] / root[i]);
  }
  most = ga_team_max(team, most);
  for (int i = 0; i < nv; i++) {
    c->by_f[i] = rtol > 0 ? per_allowed(1, rtol * fmax(force[i], FLOOR * most * root[i])) : 0;
  }
  return status;
}

/* What errors are compared with at the end of the last step: sizes, forces and weights. Collective. */
ga_status ga_error_weights_set(ga_integrator *it) {
  ga_step_size *c = &it->step_size;
  const ga_memory *to = &it->mem;
  ga_error_weights_sizes(it);
  set_weights(it, c->now_q, it->options.weight_q, c->by_q, c->tol_q);
  set_weights(it, c->now_v, it->options.weight_v, c->by_v, c->tol_v);
  const ga_status status = grow_forces(it, to);
  return status == GA_OK ? set_force_weights(it) : status;
}

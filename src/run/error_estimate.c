/* SPDX-License-Identifier: MIT */
/* The error of a step, for automatic sizes (docs/internals/step-size.md).
 *
 * Local error, exact minus numerical, the same for all methods, alpha = alpha_m - alpha_f:
 *
 *   q:  e_q = h^3 (2 (1 - 6 beta - 3 alpha) v'' + [v, v'])/12        as w in q o exp(w~)
 *   v:  e_v = h^3 (-1/12 + alpha/2 - alpha alpha_f) v'''
 *
 * v'' and v''' by divided differences of v' at the steps' ends, at the times in the middle of them:
 * v''(t_n + h_n/2) = (v'_{n+1} - v'_n)/h_n, v''' the difference of this and the last step's. Both
 * are correct for steps of any size, as v' belongs to t_n (a_n to t_n + alpha h).
 *
 * Errors that the constraints forbid, or that the method damps as stiff, must not count as errors of
 * q and v: the filter of error_filter.c removes them. It divides the component of a vibration of
 * frequency omega by 1 + c (h omega)^2.
 *
 * It is applied twice. A vibration of amplitude A that h does not resolve has v' = omega^2 A, from
 * which e of q is about (h omega)^2 A: once divided it is A for any h, in v it is A/h, and smaller
 * steps would not help but make it visible; twice divided, it vanishes with (h omega)^-2. Hairer
 * and Wanner, Solving Ordinary Differential Equations II, section IV.8, filter the estimate of
 * Radau IIA in the same manner.
 *
 * A vibration need not be resolved if its amplitude is below the tolerance, though its error in a
 * step is O(h^3) as any other. A third filter tells by its effect on a component, 1/(1 + z), what
 * (h omega)^2 = z/c dominates it. The error of a vibration of amplitude A is C (h omega)^3 A, C the
 * factor of v'' h^3 in e_q or e_v: so C (h omega)^3 tol is allowed, where that is more than what is
 * allowed otherwise (below). With tol/size = 1e-4 this matters above h omega = 0.5: no motion of
 * which the steps would still give an error in proportion to rtol.
 *
 * Forces. What the constraints take from e_v in the first filter, over h, is an error of their
 * forces: delta f = (G^T mu + H^T nu)/h. It is O(h^2), as the errors of q and v, and where drives
 * prescribe the whole motion it is the only one. Ringing of unresolved vibrations, on which
 * constraints react, does not count: if the second filter takes something, e_v is divided by
 * 1 + c (h omega)^2 before, with its component normal to the constraints unchanged. (To multiply
 * delta f by the fraction that the second filter leaves would hide the errors of a drive behind any
 * stiff spring of the model, and behind rounding.) To this comes the
 * error of forces that depend on v, C e_v after the first filter: a dry friction force can be wrong
 * by itself where v is right to rtol.
 *
 * What is allowed. The error of the run, not of a step, is to be proportional to rtol. The error of
 * a run is O(h^2), so h must be like rtol^(1/2), and that of a step, O(h^3), like rtol^(3/2):
 *
 *   err = max of |e|/(tol sqrt(tol/size)), tol = atol + rtol size, for q and v, e filtered twice,
 *         of what the second filter has taken from e, over tol (unresolved vibrations),
 *         and of (|delta f|/(rtol force))^(3/2), to be O(h^3) as the others.
 *
 * size is the largest value of the component since the start, but at least FLOOR times the largest
 * of all in the metric W, by which lengths and angles are compared: a component that passes through
 * zero or stays there is measured by the others. `force` is likewise the largest |M||v'| +
 * |G|^T|lam| + |H|^T|psi| on the velocity, at least the mass times size_v over the time since the
 * start. A system at rest has the sizes of the motion to come, and rounding does not count as an
 * error (rounding_noise.c).
 *
 * Four solves are as expensive as a step of a small mechanism. So most estimates are rough: the
 * norms of the differences before the filter, times err over these norms in the last full
 * estimate, for q, v and for forces. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kkt/measure.h"
#include "lie/lie.h"
#include "run/integrator.h"
#include "run/step_size.h"

static const double FLOOR = 1e-3;
static const double ROUNDINGS = 8; /* of q and v in a step */
/* A rough estimate needs a full one at most so many steps before: rtol^(1/2), as h, tells how fast
 * the motion changes. And the last two full ones must agree on err over the norm before the filter,
 * up to this factor: where stiff forces ring, they do not. */
static const double MOST_ROUGH = 32, ROUGH_PER_ROOT = 0.1, AGREE = 1.5;
/* A filter that leaves less than this of the differences must have the matrix of this very step: an
 * older one lets pass what is normal to the constraints or stiff in directions that have turned. */
static const double DELICATE = 1e-3;
/* If the second filter takes less than this of an error, nothing vibrates. */
static const double STIFF = 0.02;
/* and a norm before the filter, relative to that of the full estimate, in this range; above
 * NEARLY the result is too near to a rejection to be rough. */
static const double ROUGH_LEAST = 1.0 / 3, ROUGH_LARGEST = 1.5, NEARLY = 0.9;

/* ---- sizes ------------------------------------------------------------------------------- */

/* Returns 2 (1 - 6 beta - 3 alpha): the weight of v'' in the local error of q, see the head of this
 * file. */
double ga_step_size_q_factor(const ga_params *par) {
  return 2 * (1 - 6 * par->beta - 3 * (par->alpha_m - par->alpha_f));
}

/* Weight of v''' in the local error of v, -1/12 + alpha/2 - alpha alpha_f. */
double ga_step_size_v_factor(const ga_params *par) {
  double alpha = par->alpha_m - par->alpha_f;
  return -1.0 / 12 + alpha / 2 - alpha * par->alpha_f;
}

/* Output size_q, size_v (nv numbers each): the larger of the sizes since the start and of |q|, |v|
 * now, for each velocity. The sizes since the start do not change. */
static void largest_sizes(const ga_integrator *it, const double *q, const double *v, double *size_q,
                          double *size_v) {
  const ga_step_size *c = &it->step_size;
  ga_model_tolerance_sizes(it->model, q, size_q);
  for (int i = 0; i < it->eval.nv; i++) {
    size_q[i] = fmax(size_q[i], c->size_q[i]);
    size_v[i] = fmax(fabs(v[i]), c->size_v[i]);
  }
}

/* Include the accepted state in the largest sizes since the start, step_size.size_q and size_v. */
void ga_step_size_grow(ga_integrator *it) {
  ga_step_size *c = &it->step_size;
  largest_sizes(it, it->mem.q, it->mem.v, c->now_q, c->now_v);
  memcpy(c->size_q, c->now_q, (size_t)it->eval.nv * sizeof(double));
  memcpy(c->size_v, c->now_v, (size_t)it->eval.nv * sizeof(double));
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

/* max_i weight_i |e_i| / allowed_i: the error e (nv numbers) relative to what a step may have, for
 * values of size x >= 0; weight NULL: 1. stiff (NULL: none): errors that are compared with the
 * tolerance itself. NaN if an entry is. Collective: the maximum over all processes of a team. */
double ga_step_size_norm(const ga_integrator *it, const double *e, const double *stiff,
                         const double *x, const double *weight) {
  const ga_options *o = &it->options;
  ga_team *team = it->eval.team;
  double largest = ga_measure(&it->eval, x), worst = 0;
  for (int i = 0; i < it->eval.nv; i++) {
    double by = weight ? weight[i] : 1, error = by * fabs(e[i]);
    double vibration = stiff ? by * fabs(stiff[i]) : 0;
    if (error == 0 && vibration == 0) continue;
    double size = fmax(x[i], least_size(it, largest, i)), tol = o->atol + o->rtol * size;
    worst = ga_larger(worst, error / allowed_in_step(tol, size));
    worst = ga_larger(worst, vibration / tol);
  }
  return ga_team_max(team, worst);
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

/* *err: the largest |df_i|/(rtol force_i); 0 without rtol. largest: the largest forces so far, nv
 * numbers. step_size.force_least is work. Collective. */
static ga_status force_error(ga_integrator *it, const double *df, const double *largest,
                             double *err) {
  ga_step_size *c = &it->step_size;
  const ga_memory *to = &it->mem;
  ga_team *team = it->eval.team;
  const double *root = it->eval.root_metric;
  double *force = c->force_least;
  int nv = it->eval.nv;
  *err = 0;
  if (!(it->options.rtol > 0)) return GA_OK;
  memset(force, 0, (size_t)nv * sizeof(double));
  ga_factors_add_masses(&it->step.eq, force);
  ga_status status = ga_team_sum_shared(team, 1, force);
  if (status != GA_OK) return status;
  double since = to->t - c->t_start, most = 0, worst = 0;
  for (int i = 0; i < nv; i++) {
    force[i] = fmax(largest[i], force[i] * c->now_v[i] / since);
    most = ga_larger(most, force[i] / root[i]);
  }
  most = ga_team_max(team, most);
  for (int i = 0; i < nv; i++) {
    if (df[i] == 0) continue;
    double allowed = it->options.rtol * fmax(force[i], FLOOR * most * root[i]);
    worst = ga_larger(worst, fabs(df[i]) / allowed);
  }
  *err = ga_team_max(team, worst);
  return GA_OK;
}

/* *err: norm of the forces M e/h of an error e of v before the filter, for rough estimates.
 * step_size.bracket is work. Collective. */
static ga_status raw_force_error(ga_integrator *it, const double *e, double *err) {
  double *df = it->step_size.bracket;
  memset(df, 0, (size_t)it->eval.nv * sizeof(double));
  if (it->method->hidden_free) {
    ga_hidden_error_forces(it, false, df);
  } else {
    ga_factors_add_mass(&it->step.factors, &it->step.eq, 1 / it->mem.h, e, df);
  }
  ga_status status = ga_team_sum_shared(it->eval.team, 1, df);
  return status == GA_OK ? force_error(it, df, it->step_size.force, err) : status;
}

/* The error of forces, relative to what is allowed, as an error of a step: to the power 3/2. If h
 * has shrunk and the error has not fallen with it, v' rings; if the rounding of q, over h^2, is
 * above rtol of the accelerations, forces have no more digits. Then no smaller step would help, and
 * the error counts for no more than what leaves h as it is. Collective. */
static double force_norm(ga_integrator *it, double relative) {
  ga_step_size *c = &it->step_size;
  double h = it->mem.h, err = relative * sqrt(relative);
  bool shrunk = h < 0.9 * c->force_h && c->force_err > 0;
  bool rings = shrunk && relative * c->force_h > c->force_err * h;
  double rounding = ROUNDINGS * DBL_EPSILON * ga_measure(&it->eval, c->now_q) / (h * h);
  if (it->method->hidden_free) rounding = ga_hidden_error_noise(it);
  if (rings || rounding > it->options.rtol * c->acceleration) err = fmin(err, GA_STEP_AIM);
  c->force_err = relative;
  c->force_h = h;
  return err;
}

/* ---- the estimate ------------------------------------------------------------------------ */

/* Differences of v' over the step from it->last.mem to it->mem: e_q into c->e, e_v into c->e_v, both
 * before the filter, v'' of this step into vdd_new, the factors of the noise of v' in both into
 * by_noise. Sizes in now_q and now_v. */
static void difference_errors(ga_integrator *it, double by_noise[2]) {
  ga_step_size *c = &it->step_size;
  const ga_memory *from = &it->last.mem, *to = &it->mem;
  bool hidden = it->method->hidden_free;
  const double *vd_from = hidden ? c->vd : from->vd, *vd_to = hidden ? c->vd_new : to->vd;
  const ga_params *par = &it->options.par;
  double h = to->h, h3 = h * h * h, q_weight = ga_step_size_q_factor(par),
         v_weight = ga_step_size_v_factor(par);
  /* between the middles of this and the last step; `before` is the size of the last step */
  double apart = from->t + h / 2 - c->t_vdd, before = fmax(from->h, 2 * (from->t - c->t_vdd));
  largest_sizes(it, to->q, to->v, c->now_q, c->now_v);
  ga_space_bracket(it->model->space, to->v, vd_to, c->bracket);
  for (int i = 0; i < it->eval.nv; i++) {
    c->vdd_new[i] = (vd_to[i] - vd_from[i]) / h;
    c->e[i] = h3 * (q_weight * c->vdd_new[i] + c->bracket[i]) / 12;
    c->e_v[i] = h3 * v_weight * (c->vdd_new[i] - c->vdd[i]) / apart;
  }
  /* v'' is a difference of two v', divided by h */
  by_noise[0] = h3 * fabs(q_weight) / 12 * 2 / h;
  by_noise[1] = h3 * fabs(v_weight) * (2 / h + 2 / before) / apart;
}

/* The larger of the norms of the errors of q and v in c->e and c->e_v; INFINITY if one is NaN. */
static double norm_of_both(const ga_integrator *it, const double *stiff_q, const double *stiff_v) {
  const ga_step_size *c = &it->step_size;
  const ga_options *o = &it->options;
  double q = ga_step_size_norm(it, c->e, stiff_q, c->now_q, o->weight_q);
  double v = ga_step_size_norm(it, c->e_v, stiff_v, c->now_v, o->weight_v);
  return isnan(q) || isnan(v) ? INFINITY : fmax(q, v);
}

/* stiff = once - e: what the second filter has taken from an error. */
static void subtract(int n, const double *once, const double *e, double *stiff) {
  for (int i = 0; i < n; i++) stiff[i] = once[i] - e[i];
}

/* Reduce entries of the error e of q (position) or v, filtered twice, that belong to vibrations, so
 * that C (h omega)^3 tol is allowed of them; see the head of this file. Only if the second filter has
 * taken something, `stiff`. x: sizes of q or v. c->once is work. Collective. */
static ga_status relax_vibrations(ga_integrator *it, bool position, const double *stiff,
                                  const double *x, double *e) {
  const ga_options *o = &it->options;
  const ga_equations *s = &it->step.eq;
  double *third = it->step_size.once, largest = ga_measure(&it->eval, x);
  double C = fabs(position ? ga_step_size_q_factor(&o->par) / 12 : ga_step_size_v_factor(&o->par));
  double c = ga_error_filter_sum(s->method, s->tab.p) / s->tab.m;
  double norm = ga_step_size_norm(it, e, NULL, x, NULL);
  if (!(ga_step_size_norm(it, stiff, NULL, x, NULL) > STIFF * norm && c > 0)) return GA_OK;
  memcpy(third, e, (size_t)it->eval.nv * sizeof(double));
  ga_status status = ga_error_filter(it, position, third);
  for (int i = 0; i < it->eval.nv && status == GA_OK; i++) {
    double z = fabs(e[i]) / fabs(third[i]) - 1, size = fmax(x[i], least_size(it, largest, i));
    double tol = o->atol + o->rtol * size, plain = allowed_in_step(tol, size) / tol;
    if (!(z > 0)) continue;
    double amplitude = fmin(1, C * pow(z / c, 1.5));
    if (amplitude > plain) e[i] *= plain / amplitude;
  }
  return status;
}

/* c->first: the solution of the filter of velocities from which the error of the constraint forces
 * comes. c->df is the error of v before all filters; changed. If the second filter has taken
 * something, from c->once to c->e_v, a vibration is taken from it first. Collective. */
static ga_status filter_for_forces(ga_integrator *it) {
  ga_step_size *c = &it->step_size;
  const double *weight = it->options.weight_v;
  const double once = ga_step_size_norm(it, c->once, NULL, c->now_v, weight);
  const double taken = ga_step_size_norm(it, c->stiff_v, NULL, c->now_v, weight);
  if (!(taken > STIFF * once)) return GA_OK;
  ga_status status = ga_filter_vibrations(it, c->first, c->df);
  if (status == GA_OK) status = ga_error_filter(it, false, c->df);
  memcpy(c->first, c->filtered, (size_t)it->step.eq.n * sizeof(double));
  return status;
}

/* Filter the errors of q and v, c->e and c->e_v, twice. Left behind: what the second filters have
 * taken, stiff_q and stiff_v, and c->df, the error of forces. Collective. */
static ga_status filter_twice(ga_integrator *it) {
  ga_step_size *c = &it->step_size;
  size_t bytes = (size_t)it->eval.nv * sizeof(double);
  int nv = it->eval.nv;
  const bool hidden = it->method->hidden_free;
  ga_status status = ga_error_filter(it, true, c->e);
  memcpy(c->once, c->e, bytes);
  if (status == GA_OK) status = ga_error_filter(it, true, c->e);
  subtract(nv, c->once, c->e, c->stiff_q);
  memcpy(c->df, c->e_v, bytes);
  if (status == GA_OK) status = ga_error_filter(it, false, c->e_v);
  memcpy(c->once, c->e_v, bytes);
  if (status != GA_OK) return status;
  memcpy(c->first, c->filtered, (size_t)it->step.eq.n * sizeof(double));
  status = ga_error_filter(it, false, c->e_v);
  subtract(nv, c->once, c->e_v, c->stiff_v);
  if (status == GA_OK && !hidden) status = filter_for_forces(it);
  if (status == GA_OK)
    status = ga_error_filter_forces(it, hidden ? NULL : c->first, c->once, c->df);
  if (status == GA_OK && hidden) {
    memset(c->bracket, 0, bytes);
    ga_hidden_error_forces(it, false, c->bracket);
    status = ga_team_sum_shared(it->eval.team, 1, c->bracket);
    ga_axpy(nv, 1, c->bracket, c->df);
  }
  if (status == GA_OK) status = relax_vibrations(it, true, c->stiff_q, c->now_q, c->e);
  if (status == GA_OK) status = relax_vibrations(it, false, c->stiff_v, c->now_v, c->e_v);
  return status;
}

/* *err is raised to the error of v in the directions of constraints whose velocities are free, O(h^2),
 * as an error of a step. c->once and c->bracket are work. Collective. */
static ga_status include_hidden(ga_integrator *it, double *err) {
  ga_step_size *c = &it->step_size;
  if (!it->method->hidden_free || it->eval.nlam_all == 0) return GA_OK;
  ga_status status = ga_hidden_error_velocity(it, c->once);
  if (status != GA_OK) return status;
  memset(c->bracket, 0, (size_t)it->eval.nv * sizeof(double));
  double v = ga_step_size_norm(it, c->bracket, c->once, c->now_v, it->options.weight_v);
  *err = isnan(v) ? INFINITY : fmax(*err, v * sqrt(v));
  return GA_OK;
}

/* *err: local error of the step from it->last.mem to it->mem, relative to what is allowed, by full
 * filters, from the differences in c->e and c->e_v; INFINITY if it is NaN. by_noise: factors
 * of the noise of v' in both. Components that it can explain are set to zero: that in c->noise, if
 * the system rests (then forces do not count, either); that of positions for methods whose v'
 * follows from them. On failure *err means nothing. Collective. */
static ga_status estimate_fully(ga_integrator *it, const double by_noise[2], bool rests,
                                double *err) {
  ga_step_size *c = &it->step_size;
  int nv = it->eval.nv;
  ga_status status = filter_twice(it);
  if (status == GA_OK) status = grow_forces(it, &it->mem);
  if (status != GA_OK) return status;
  if (rests) {
    ga_rest_clean(nv, c->noise, by_noise[0], c->e);
    ga_rest_clean(nv, c->noise, by_noise[0], c->stiff_q);
    ga_rest_clean(nv, c->noise, by_noise[1], c->e_v);
    ga_rest_clean(nv, c->noise, by_noise[1], c->stiff_v);
  }
  *err = norm_of_both(it, c->stiff_q, c->stiff_v);
  if (!rests) status = include_hidden(it, err);
  c->full.err = *err;
  c->full.forces = 0;
  if (rests || status != GA_OK) return status;
  status = force_error(it, c->df, c->force_now, &c->full.forces);
  if (status != GA_OK) return status;
  if (isnan(c->full.forces)) {
    *err = INFINITY;
    return GA_OK;
  }
  *err = fmax(*err, force_norm(it, c->full.forces));
  return GA_OK;
}

/* Is x within the range of `full` in which a rough estimate can be based on it? */
static bool is_near(double x, double full) {
  return x >= ROUGH_LEAST * full && x <= ROUGH_LARGEST * full;
}

/* A rough estimate from the norms raw before the filter: those of q, v and of the forces are scaled
 * like the last full ones. False if it would not be good enough. */
static bool estimate_roughly(const ga_step_size *c, const ga_raw_norms *raw, double *err) {
  const ga_full_estimate *full = &c->full;
  if (c->rough >= c->rough_allowed || !(full->raw.errors > 0)) return false;
  if (!is_near(raw->errors, full->raw.errors) || !is_near(raw->forces, full->raw.forces)) {
    return false;
  }
  double forces = full->forces > 0 ? full->forces * raw->forces / full->raw.forces : 0;
  *err = fmax(full->err * raw->errors / full->raw.errors, forces * sqrt(forces));
  return *err <= NEARLY;
}

/* How many rough estimates may follow a full one, for this relative tolerance. */
long ga_step_size_rough_most(double rtol) {
  return rtol > 0 ? (long)fmin(MOST_ROUGH, 1 + ROUGH_PER_ROOT / sqrt(rtol)) : (long)MOST_ROUGH;
}

/* Decide how many rough estimates may follow this full one, and keep it for them. None unless it
 * agrees with the one before, *last; then twice as many as after that one. */
static void keep_full(ga_step_size *c, const ga_full_estimate *last, ga_raw_norms raw,
                      bool useful) {
  c->rough = 0;
  c->full.raw = useful ? raw : (ga_raw_norms){0, 0};
  double now = c->full.err * last->raw.errors, before = last->err * raw.errors;
  bool agrees = useful && last->raw.errors > 0 && now <= AGREE * before && before <= AGREE * now;
  long more = 2 * c->rough_allowed + 1;
  c->rough_allowed = !agrees ? 0 : more < c->rough_most ? more : c->rough_most;
}

/* The same as estimate_fully, after which a step might be rejected. If nearly all was filtered away
 * by a matrix of an earlier step, a new one is made and the estimate repeated. Collective. */
static ga_status estimate_with_care(ga_integrator *it, double raw, double by_noise[2],
                                    double *err) {
  ga_factors *f = &it->step.factors;
  ga_status status = estimate_fully(it, by_noise, false, err);
  if (status != GA_OK || f->made || !(*err > GA_STEP_AIM && *err < DELICATE * raw)) return status;
  status = ga_factors_replace(f, &it->step.eq, it->step.newton.x);
  if (status != GA_OK) return status;
  difference_errors(it, by_noise);
  return estimate_fully(it, by_noise, false, err);
}

/* Where v' of a method rings, *err is raised, at most to what leaves h as it is. Collective. */
static ga_status include_ringing(ga_integrator *it, double *err) {
  double *df = it->step_size.bracket, ringing = 0;
  if (!it->method->hidden_free || it->eval.nlam_all == 0) return GA_OK;
  memset(df, 0, (size_t)it->eval.nv * sizeof(double));
  ga_hidden_error_forces(it, true, df);
  ga_status status = ga_team_sum_shared(it->eval.team, 1, df);
  if (status == GA_OK) status = force_error(it, df, it->step_size.force, &ringing);
  *err = fmax(*err, fmin(GA_STEP_AIM, ringing * sqrt(ringing)));
  return status;
}

/* *err: local error of the last step (it->last to it->mem) relative to the allowed one; at most 1:
 * accept. If hardly anything moves (step_size.suspect, set here), it is estimated again without
 * rounding; if rounding alone moves q by more than is allowed, *err is at least GA_STEP_AIM, so
 * that h does not grow. Changes work arrays and what rough estimates are based on. Collective. */
ga_status ga_step_size_error(ga_integrator *it, double *err) {
  ga_step_size *c = &it->step_size;
  const ga_memory *to = &it->mem;
  double noise[2];
  ga_status status = ga_hidden_error_begin(it);
  if (status != GA_OK) return status;
  difference_errors(it, noise);
  ga_raw_norms raw = {.errors = norm_of_both(it, NULL, NULL)};
  status = raw_force_error(it, c->e_v, &raw.forces);
  c->suspect = false;
  if (status == GA_OK && estimate_roughly(c, &raw, err)) {
    c->rough++;
    return include_ringing(it, err);
  }
  const ga_full_estimate last = c->full;
  if (status == GA_OK) status = estimate_with_care(it, raw.errors, noise, err);
  keep_full(c, &last, raw, status == GA_OK && isfinite(raw.errors) && isfinite(*err));
  c->suspect = status == GA_OK && *err > GA_STEP_LEAST && ga_rest_suspect(it, to->h);
  if (status == GA_OK && !c->suspect) status = include_ringing(it, err);
  if (!c->suspect) return status;
  c->full.raw.errors = 0; /* the next estimate is full, too */
  ga_start_guess(it);
  if (ga_rest_rounding(it, to->t, to->q, to->v, c->noise) == 0) return GA_OK;
  difference_errors(it, noise);
  status = estimate_fully(it, noise, true, err);
  for (int i = 0; i < it->eval.nv; i++) c->e[i] = to->h * to->h * c->noise[i];
  if (ga_step_size_norm(it, c->e, NULL, c->now_q, it->options.weight_q) > 1)
    *err = fmax(*err, GA_STEP_AIM);
  return status;
}

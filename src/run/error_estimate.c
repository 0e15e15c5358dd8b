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
 * size and `force` are those of error_weights.c. A system at rest has the sizes of the motion to come,
 * and rounding does not count as an error (rounding_noise.c).
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

static const double ROUNDINGS = 8; /* of q and v in a step */
/* So many times the bound of rounding is above what is allowed, where the error of forces must be
 * rounding: errors of forces were seen from 1e-4 of the bound (stab2) up to the bound (index3). */
static const double SURELY = 1000;
/* A rough estimate needs a full one at most so many steps before: rtol^(1/2), as h, tells how fast
 * the motion changes. And the last two full ones must agree on err over the norm before the filter,
 * up to this factor: where stiff forces ring, they do not. */
static const double MOST_ROUGH = 32, ROUGH_PER_ROOT = 0.1, AGREE = 1.2;
/* A filter that leaves less than this of the differences must have the matrix of this very step: an
 * older one lets pass what is normal to the constraints or stiff in directions that have turned. */
static const double DELICATE = 1e-3;
/* If the second filter takes less than this of an error, nothing vibrates. If both filters take more than
 * they leave, h does not resolve what does, c (h omega)^2 > 1: then no estimate is rough, as the
 * differences before the filters are those of vibrations. */
static const double STIFF = 0.02, RINGS = 1;
/* and norms before the filter, relative to those of the full estimate, in this range. What makes less than
 * MATTERS of the error may leave it, and what the filter has left as it was, but for 1 - PASSES. Above
 * NEARLY the result is too near to a rejection to be rough. */
static const double ROUGH_LEAST = 1.0 / 3, ROUGH_LARGEST = 1.5, MATTERS = 0.1, PASSES = 0.9;
static const double NEARLY = 0.9;

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

/* max of `known` and all by_i |e_i|, n numbers; NaN if one is NaN. */
static double weigh(double known, int n, const double *by, const double *e) {
  for (int i = 0; i < n; i++) known = ga_larger(known, by[i] * fabs(e[i]));
  return known;
}

/* The largest by_f_i |df_i|. Collective. */
static double force_error(const ga_integrator *it, const double *df) {
  return ga_team_max(it->eval.team, weigh(0, it->eval.nv, it->step_size.by_f, df));
}

/* raw: norms before the filter by the weights that are there, of the errors c->e and c->e_v, and what
 * the error of forces is proportional to, e_v/h. step_size.bracket is work. Collective. */
static ga_status raw_norms(ga_integrator *it, double raw[GA_ERRORS]) {
  ga_step_size *c = &it->step_size;
  const int nv = it->eval.nv;
  double *df = c->bracket;
  ga_status status = GA_OK;
  raw[GA_ERROR_Q] = weigh(0, nv, c->by_q, c->e);
  raw[GA_ERROR_V] = weigh(0, nv, c->by_v, c->e_v);
  raw[GA_ERROR_F] = raw[GA_ERROR_V] / it->mem.h;
  if (it->method->hidden_free) {
    memset(df, 0, (size_t)nv * sizeof(double));
    ga_hidden_error_forces(it, false, df);
    status = ga_team_sum_shared(it->eval.team, 1, df);
    raw[GA_ERROR_F] = weigh(0, nv, c->by_f, df);
  }
  return status == GA_OK ? ga_team_max_all(it->eval.team, GA_ERRORS, raw) : status;
}

/* The error of forces, relative to what is allowed, as an error of a step: to the power 3/2. If h
 * has shrunk and the error has not fallen with it, v' rings; if the rounding of q, over h^2, is R > 1
 * times rtol of the accelerations, forces have no more digits. Then no smaller step would help, and the
 * error counts for no more than what leaves h as it is. If R is above SURELY, a step (R/SURELY)^(1/2)
 * times as long is allowed: steps that a singular position has made tiny would else stay tiny long
 * behind it, as their rounding looks like an error. Collective. */
static double force_norm(ga_integrator *it, double relative) {
  ga_step_size *c = &it->step_size;
  double h = it->mem.h, err = relative * sqrt(relative);
  bool shrunk = h < 0.9 * c->force_h && c->force_err > 0;
  bool rings = shrunk && relative * c->force_h > c->force_err * h;
  double rounding = ROUNDINGS * DBL_EPSILON * ga_measure(&it->eval, c->now_q) / (h * h);
  if (it->method->hidden_free) rounding = ga_hidden_error_noise(it);
  const double allowed = it->options.rtol * c->acceleration;
  if (rings || rounding > allowed) err = fmin(err, GA_STEP_AIM);
  if (rounding > SURELY * allowed) {
    const double less = SURELY * allowed / rounding;
    err = fmin(err, GA_STEP_AIM * less * sqrt(less));
  }
  c->force_err = relative;
  c->force_h = h;
  return err;
}

/* ---- the estimate ------------------------------------------------------------------------ */

/* Differences of v' over the step from it->last.mem to it->mem: e_q into c->e, e_v into c->e_v, both
 * before the filter, v'' of this step into vdd_new, the factors of the noise of v' in both into
 * by_noise. */
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
  if (hidden) ga_error_weights_sizes(it); /* its noise depends on them */
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

/* err: norms of the errors of q and v, filtered twice, c->e and c->e_v, and of what the second filter took,
 * stiff_q and stiff_v, relative to the tolerance; INFINITY if one is NaN. That of forces is 0.
 * Collective. */
static ga_status filtered_norms(const ga_integrator *it, double err[GA_ERRORS]) {
  const ga_step_size *c = &it->step_size;
  const int nv = it->eval.nv;
  err[GA_ERROR_Q] = weigh(weigh(0, nv, c->by_q, c->e), nv, c->tol_q, c->stiff_q);
  err[GA_ERROR_V] = weigh(weigh(0, nv, c->by_v, c->e_v), nv, c->tol_v, c->stiff_v);
  err[GA_ERROR_F] = 0;
  const ga_status status = ga_team_max_all(it->eval.team, GA_ERRORS, err);
  for (int k = 0; k < GA_ERRORS; k++) err[k] = isnan(err[k]) ? INFINITY : err[k];
  return status;
}

/* norm: of what the second filter has taken, `stiff`, and of the error e that it left, or began with, by
 * these weights. Returns the first over the second, INFINITY if nothing is left. Collective. */
static double share_taken(const ga_integrator *it, const double *by, const double *stiff,
                          const double *e, double norm[2]) {
  norm[0] = weigh(0, it->eval.nv, by, stiff);
  norm[1] = weigh(0, it->eval.nv, by, e);
  if (ga_team_max_all(it->eval.team, 2, norm) != GA_OK || !(norm[0] > 0)) return 0;
  return norm[0] / norm[1];
}

/* stiff = once - e: what the second filter has taken from an error. */
static void subtract(int n, const double *once, const double *e, double *stiff) {
  for (int i = 0; i < n; i++) stiff[i] = once[i] - e[i];
}

/* Reduce entries of the error e of q (position) or v, filtered twice, that belong to vibrations, so
 * that C (h omega)^3 tol is allowed of them; see the head of this file. Only if the second filter has
 * taken something, `stiff`. c->once is work. Collective. */
static ga_status relax_vibrations(ga_integrator *it, bool position, const double *stiff,
                                  double *e) {
  const ga_options *o = &it->options;
  const ga_equations *s = &it->step.eq;
  double *third = it->step_size.once;
  double C = fabs(position ? ga_step_size_q_factor(&o->par) / 12 : ga_step_size_v_factor(&o->par));
  double c = ga_error_filter_sum(s->method, s->tab.p) / s->tab.m;
  const double *by = position ? it->step_size.by_q : it->step_size.by_v;
  const double *tol = position ? it->step_size.tol_q : it->step_size.tol_v;
  const double raw = it->step_size.full.raw[position ? GA_ERROR_Q : GA_ERROR_V];
  double norm[2];
  const double taken = share_taken(it, by, stiff, e, norm);
  if (taken > RINGS && raw > (1 + RINGS) * (norm[0] + norm[1])) {
    it->step_size.rings = ga_max(it->step_size.rings, norm[0]);
  }
  if (!(taken > STIFF && c > 0)) return GA_OK;
  memcpy(third, e, (size_t)it->eval.nv * sizeof(double));
  ga_status status = ga_error_filter(it, position, third);
  for (int i = 0; i < it->eval.nv && status == GA_OK; i++) {
    const double z = fmin(stiff[i] / e[i], e[i] / third[i] - 1), plain = tol[i] / by[i];
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
  double norm[2];
  if (!(share_taken(it, c->by_v, c->stiff_v, c->once, norm) > STIFF)) return GA_OK;
  ga_status status = ga_filter_vibrations(it, c->first, c->df);
  if (status == GA_OK) status = ga_error_filter(it, false, c->df);
  memcpy(c->first, c->filtered, (size_t)it->step.eq.n * sizeof(double));
  return status;
}

/* Filter the errors of q and v, c->e and c->e_v, twice. Left behind: what the second filters have
 * taken, stiff_q and stiff_v, whether something rings, and c->df, the error of forces. Collective. */
static ga_status filter_twice(ga_integrator *it) {
  ga_step_size *c = &it->step_size;
  c->rings = 0;
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
  if (status == GA_OK) status = relax_vibrations(it, true, c->stiff_q, c->e);
  if (status == GA_OK) status = relax_vibrations(it, false, c->stiff_v, c->e_v);
  return status;
}

/* *err is raised to the error of v in the directions of constraints whose velocities are free, O(h^2),
 * as an error of a step. c->once is work. Collective. */
static ga_status include_hidden(ga_integrator *it, double *err) {
  ga_step_size *c = &it->step_size;
  if (!it->method->hidden_free || it->eval.nlam_all == 0) return GA_OK;
  ga_status status = ga_hidden_error_velocity(it, c->once);
  if (status != GA_OK) return status;
  const double v = ga_team_max(it->eval.team, weigh(0, it->eval.nv, c->tol_v, c->once));
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
  double *of = c->full.err;
  int nv = it->eval.nv;
  ga_status status = filter_twice(it);
  if (status != GA_OK) return status;
  if (rests) {
    ga_rest_clean(nv, c->noise, by_noise[0], c->e);
    ga_rest_clean(nv, c->noise, by_noise[0], c->stiff_q);
    ga_rest_clean(nv, c->noise, by_noise[1], c->e_v);
    ga_rest_clean(nv, c->noise, by_noise[1], c->stiff_v);
  }
  status = filtered_norms(it, of);
  if (status == GA_OK && !rests) status = include_hidden(it, &of[GA_ERROR_V]);
  *err = ga_max(of[GA_ERROR_Q], of[GA_ERROR_V]);
  if (rests || status != GA_OK) return status;
  of[GA_ERROR_F] = force_error(it, c->df);
  *err = isnan(of[GA_ERROR_F]) ? INFINITY : ga_max(*err, force_norm(it, of[GA_ERROR_F]));
  return GA_OK;
}

/* Can the part k of a rough estimate, `part` of err, be scaled from raw_full at the full one to raw? What the
 * filter left as it was goes on so; of what it took from, at most raw is left. */
static bool can_scale(const ga_full_estimate *full, int k, double raw, double part, double err) {
  const double raw_full = full->raw[k];
  if (raw >= ROUGH_LEAST * raw_full && raw <= ROUGH_LARGEST * raw_full) return true;
  if (k == GA_ERROR_F) return full->err[k] == 0 || (raw < raw_full && part <= MATTERS * err);
  const bool left = full->err[k] >= PASSES * raw_full && full->err[k] <= raw_full / PASSES;
  return left || (raw < raw_full ? part : ga_max(part, raw)) <= MATTERS * err;
}

/* *err: what the full estimate makes of the norms raw before the filter, each of q, v and forces scaled
 * as it was there. False if one has changed by too much, or nothing is known to be wrong. */
static bool scale_full(const ga_full_estimate *full, const double raw[GA_ERRORS], double *err) {
  double part[GA_ERRORS];
  bool good = true;
  *err = 0;
  for (int k = 0; k < GA_ERRORS; k++) {
    part[k] = full->err[k] > 0 ? full->err[k] * raw[k] / full->raw[k] : 0;
    if (k == GA_ERROR_F) part[k] *= sqrt(part[k]);
    *err = ga_larger(*err, part[k]);
  }
  for (int k = 0; k < GA_ERRORS && good; k++) good = can_scale(full, k, raw[k], part[k], *err);
  return good && *err > 0;
}

/* A rough estimate, by the weights of the last full one. *done: it is good enough. Collective. */
static ga_status estimate_roughly(ga_integrator *it, double *err, bool *done) {
  ga_step_size *c = &it->step_size;
  double raw[GA_ERRORS];
  *done = false;
  if (c->rough >= c->rough_allowed || !c->full.known) return GA_OK;
  const ga_status status = raw_norms(it, raw);
  *done = status == GA_OK && scale_full(&c->full, raw, err) && *err <= NEARLY;
  if (*done) c->rough++;
  return status;
}

/* How many rough estimates may follow a full one, for this relative tolerance. */
long ga_step_size_rough_most(double rtol) {
  return rtol > 0 ? (long)fmin(MOST_ROUGH, 1 + ROUGH_PER_ROOT / sqrt(rtol)) : (long)MOST_ROUGH;
}

/* Decide how many rough estimates may follow this full one, of a step whose error is err. None unless the
 * one before, *last, would have been good for a rough estimate of the same, up to the factor AGREE; then
 * twice as many as after that one. useful: it can be a base for rough ones. */
static void keep_full(ga_step_size *c, const ga_full_estimate *last, bool useful) {
  double now = 0, before;
  for (int k = 0; k < GA_ERRORS; k++) {
    const double part = c->full.err[k];
    now = ga_larger(now, k == GA_ERROR_F ? part * sqrt(part) : part);
    useful = useful && isfinite(part) && isfinite(c->full.raw[k]);
  }
  c->rough = 0;
  c->full.known = useful;
  const bool agrees = useful && !(c->rings > MATTERS * now) && last->known &&
                      scale_full(last, c->full.raw, &before) && now <= AGREE * before &&
                      before <= AGREE * now;
  long more = 2 * c->rough_allowed + 1;
  c->rough_allowed = !agrees ? 0 : more < c->rough_most ? more : c->rough_most;
}

/* The same as estimate_fully, after which a step might be rejected. If nearly all was filtered away
 * by a matrix of an earlier step, a new one is made and the estimate repeated. Collective. */
static ga_status estimate_with_care(ga_integrator *it, double by_noise[2], double *err) {
  ga_factors *f = &it->step.factors;
  const double *norm = it->step_size.full.raw, raw = ga_max(norm[GA_ERROR_Q], norm[GA_ERROR_V]);
  ga_status status = estimate_fully(it, by_noise, false, err);
  if (status != GA_OK || f->made || !(*err > GA_STEP_AIM && *err < DELICATE * raw)) return status;
  status = ga_factors_replace(f, &it->step.eq, it->step.newton.x);
  if (status != GA_OK) return status;
  difference_errors(it, by_noise);
  return estimate_fully(it, by_noise, false, err);
}

/* Where v' of a method rings, *err is raised, at most to what leaves h as it is. Collective. */
static ga_status include_ringing(ga_integrator *it, double *err) {
  double *df = it->step_size.bracket;
  if (!it->method->hidden_free || it->eval.nlam_all == 0) return GA_OK;
  memset(df, 0, (size_t)it->eval.nv * sizeof(double));
  ga_hidden_error_forces(it, true, df);
  ga_status status = ga_team_sum_shared(it->eval.team, 1, df);
  const double ringing = force_error(it, df);
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
  bool done = false;
  const ga_full_estimate last = c->full;
  ga_status status = ga_hidden_error_begin(it);
  if (status != GA_OK) return status;
  difference_errors(it, noise);
  c->suspect = false;
  status = estimate_roughly(it, err, &done);
  if (done) return include_ringing(it, err);
  if (status == GA_OK) status = ga_error_weights_set(it);
  if (status == GA_OK) status = raw_norms(it, c->full.raw);
  if (status == GA_OK) status = estimate_with_care(it, noise, err);
  keep_full(c, &last, status == GA_OK && isfinite(*err));
  c->suspect = status == GA_OK && *err > GA_STEP_LEAST && ga_rest_suspect(it, to->h);
  if (status == GA_OK && !c->suspect) status = include_ringing(it, err);
  if (!c->suspect) return status;
  c->full.known = false; /* the next estimate is full, too */
  ga_start_guess(it);
  if (ga_rest_rounding(it, to->t, to->q, to->v, c->noise) == 0) return GA_OK;
  difference_errors(it, noise);
  status = estimate_fully(it, noise, true, err);
  for (int i = 0; i < it->eval.nv; i++) c->e[i] = to->h * to->h * c->noise[i];
  if (ga_step_size_norm(it, c->e, c->now_q, it->options.weight_q) > 1)
    *err = fmax(*err, GA_STEP_AIM);
  return status;
}

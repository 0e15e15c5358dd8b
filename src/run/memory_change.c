/* SPDX-License-Identifier: MIT */
/* Corrections of the memory when the step size changes from h_old to h
 * (docs/reference/notation.md), and steps that are too short to be solved (end of this file).
 *
 *   a <- w + (h/h_old) (a - w),                     because a_n = w(t_n + alpha h) + O(h^2), w = v'
 *                                                   or M^-1 F, JN07 (2.3);
 *   a <- a + alpha (h/h_old - 1) (a - a_prev),      of weighted rows, JN08 (15), a_prev as used by
 *                                                   the step before; likewise for M a, (16)
 *
 * and where the method leaves the hidden constraint free, its residual h^2 G r is rescaled too:
 *
 *   v <- v + dv,  M dv + G^T mu + H^T nu = 0,  G dv = ((h/h_old)^2 - 1) (G v + g_t),  H dv = 0.
 *
 * Without the first, order 1 in a, lam, psi; without the second, order 0 to 1 in lam of such
 * methods. These differences are small and carry the rounding of a step of size h_old; a growth of
 * h by more than a limit would multiply it, and alternating with such growth would make errors of
 * the normal components grow from pair to pair of steps; the memory is then built anew from t, q,
 * v, as at a start. Not so where forces are stiff against h: v'(t + h) and v'(t - h) of a Taylor
 * polynomial are then far from those of the motion, and a - w becomes many times larger than by
 * correction, its rounding included.
 *
 * Instead of correcting a, gamma may be adapted (AB07 section 2.3): with a_n = v'(t_n + delta),
 *   delta^+ = (alpha h - alpha_m delta)/(1 - alpha_m),  gamma_n = (h/2 - delta)/(h + delta^+ -
 * delta) keeps order 2 of the velocity. It is there for comparison. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kkt/measure.h"
#include "run/integrator.h"

/* Names: a, w, momentum are the memory of the method, a_n, w_n (method.h) and M a of weighted rows;
 * mem = it->mem is the accepted state; next = memory_change.next is a copy that may be changed. */

static const double SAME = 1e-4; /* relative changes of h below this do not matter */

/* Allocate the work arrays of this file from it->arena; the caller checks arena.failed. */
void ga_memory_change_init(ga_integrator *it) {
  ga_memory_change *w = &it->memory_change;
  const ga_eval *e = &it->eval;
  double **const of_v[] = {&w->v, &w->d, &w->vd, &w->change, &w->noise};
  ga_memory_carve(&w->next, e, &it->arena);
  w->q = ga_arena_doubles(&it->arena, (size_t)e->nq);
  for (int i = 0; i < 5; i++) *of_v[i] = ga_arena_doubles(&it->arena, (size_t)e->nv);
  w->hidden = ga_arena_doubles(&it->arena, (size_t)e->nlam);
}

/* hidden = factor (G v + g_t) at the accepted state, nlam numbers; saddle.G is overwritten.
 * Collective. */
static ga_status scaled_hidden(ga_integrator *it, double factor, double *hidden) {
  const ga_memory *mem = &it->mem;
  ga_status status = ga_eval_G(&it->eval, mem->t, mem->q, &it->saddle.G);
  if (status == GA_OK) {
    status = ga_eval_hidden(&it->eval, mem->t, mem->q, mem->v, &it->saddle.G, hidden);
  }
  for (int i = 0; i < it->eval.nlam; i++) hidden[i] *= factor;
  return ga_team_agree(it->eval.team, status, &it->error);
}

/* Growth up to which the corrections are used. Growth is the product of the last ratios h/h_old,
 * where older ratios fade as errors are damped (growth_with): a ramp of small factors counts as one
 * large factor. Alternating h, h/r is unstable (roots of the linear recursion of two steps) for
 *     rho_inf                        0    0.2   0.4   0.6   0.8   0.9
 *     hidden constraint free     r > 3.0  3.3   4.3   7.9   30    -
 *     others                     r > 6.9  6.1   5.9   6.9   11    21  */
static double largest_growth(const ga_integrator *it) {
  double rho = fmin(it->rho_inf, 0.99);
  if (it->method->hidden_free) return fmin(10, 2.8 * pow(1 - rho, -0.7));
  return rho >= 0.8 ? 10 : 5.5;
}

/* Growth of h if the next step has the given ratio h/h_old: the product of recent ratios, where
 * older ones fade by 0.8 per step; at least 1. */
static double growth_with(const ga_integrator *it, double ratio) {
  const double forget = 0.8;
  return fmax(1, fmax(1, forget * it->mem.growth) * ratio);
}

/* Compute vd, lam, psi, a, w of memory_change.next anew for steps of h, as at a start from the
 * accepted q and from next.v, which the caller has set; next.v is moved if the best start of the
 * method is perturbed. The accepted state does not change. Collective. */
static ga_status rebuild_memory(ga_integrator *it, double h) {
  const ga_memory *mem = &it->mem;
  ga_memory *next = &it->memory_change.next;
  next->t = mem->t;
  next->h = h;
  memcpy(next->q, mem->q, (size_t)it->eval.nq * sizeof(double));
  ga_start_guess(it);
  ga_status status = ga_saddle_acceleration(&it->saddle, next->t, next->q, next->v, next->vd,
                                            next->lam, next->psi);
  if (status != GA_OK) return status;
  return ga_start_memory(it, it->method->best_start, next);
}

/* old <- old + weight (old - before). */
static void extrapolate_difference(int n, double weight, const double *before, double *old) {
  for (int i = 0; i < n; i++) old[i] += weight * (old[i] - before[i]);
}

/* Correct a and momentum of *next, a copy of the memory, for the new h, ratio = h/h_old.
 * After a start there is no step before; then, as for rows that are not weighted, a <- base + ratio
 * (a - base), base = v' (weighted rows) or w. */
static void correct_a(const ga_integrator *it, double ratio, ga_memory *next) {
  const ga_memory *mem = &it->mem;
  const ga_params *par = &it->options.par;
  int nv = it->eval.nv;
  if (it->method->weighted && !mem->first) {
    double weight = (par->alpha_m - par->alpha_f) * (ratio - 1);
    extrapolate_difference(nv, weight, mem->a_used, next->a);
    extrapolate_difference(nv, weight, mem->momentum_used, next->momentum);
    return;
  }
  const double *base = it->method->weighted ? mem->vd : mem->w;
  for (int i = 0; i < nv; i++) next->a[i] = base[i] + ratio * (mem->a[i] - base[i]);
}

/* How far the memory a is from the acceleration of its time: the size of a - w in the metric W,
 * for weighted rows of a - v', over all processes (collective). For a smooth motion this shift is alpha h
 * |w'|; vd, w: v' and w that belong to a. */
static double largest_shift(const ga_integrator *it, const double *a, const double *vd,
                            const double *w) {
  return ga_measure_difference(&it->eval, a, it->method->weighted ? vd : w);
}

/* One rounding of w (weighted rows: of v') in the accepted memory, in the metric W.
 * Collective. */
static double rounding_of_w(const ga_integrator *it) {
  const double *base = it->method->weighted ? it->mem.vd : it->mem.w;
  return DBL_EPSILON * ga_measure(&it->eval, base);
}

/* Option rescale = gamma: set the coefficients of the step, step.eq.tab, to those with gamma_n for
 * a step of h, and it->delta to delta^+ (both: head of this file). mem.delta takes that value when
 * the step is accepted. */
static void adapt_gamma(ga_integrator *it, double h) {
  ga_params par = it->options.par;
  double delta = it->mem.delta;
  double next = ((par.alpha_m - par.alpha_f) * h - par.alpha_m * delta) / (1 - par.alpha_m);
  par.gamma = (h / 2 - delta) / (h + next - delta);
  it->method->coef(&par, &it->step.eq.tab);
  it->delta = next;
}

/* Copy v, a, w, momentum of the memory to memory_change.next, to be corrected there. */
static void copy_memory(ga_integrator *it) {
  const ga_memory *mem = &it->mem;
  ga_memory *next = &it->memory_change.next;
  size_t bytes = (size_t)it->eval.nv * sizeof(double);
  memcpy(next->v, mem->v, bytes);
  memcpy(next->a, mem->a, bytes);
  memcpy(next->w, mem->w, bytes);
  memcpy(next->momentum, mem->momentum, bytes);
}

/* Set *past to the old values for a step of size h: pointers to the memory, or to the
 * corrected copy memory_change.next if h has changed. After too much growth the memory is rebuilt as at a start,
 * unless forces are so stiff that this gives a larger a - w than the correction. Sets it->growth,
 * with rescale = gamma also it->delta and step.eq.tab. it->mem does not change, also on failure.
 * Collective. */
ga_status ga_memory_correct(ga_integrator *it, double h, ga_past *past) {
  const ga_memory *mem = &it->mem;
  ga_memory *next = &it->memory_change.next;
  ga_rescale rescale = it->options.rescale;
  /* is M a of the last step used again? Else past->momentum = NULL and it is computed anew */
  bool kept = it->options.mass_at == GA_MASS_PREVIOUS && !mem->first;
  *past = (ga_past){mem->v, mem->a, mem->w, kept ? mem->momentum : NULL};
  if (rescale == GA_RESCALE_GAMMA) adapt_gamma(it, h);
  double ratio = h / mem->h;
  it->growth = growth_with(it, ratio);
  if (fabs(ratio - 1) <= SAME) return GA_OK;
  copy_memory(it);
  *past = (ga_past){next->v, next->a, next->w, kept ? next->momentum : NULL};
  if (rescale == GA_RESCALE_ALL && it->growth > largest_growth(it)) {
    correct_a(it, ratio, next);
    double allowed = 2 * (largest_shift(it, next->a, mem->vd, mem->w) + ratio * rounding_of_w(it));
    ga_status status = rebuild_memory(it, h);
    if (status != GA_OK) return status;
    if (largest_shift(it, next->a, next->vd, next->w) <= allowed) {
      it->growth = 1;
      past->momentum = NULL;
      return GA_OK;
    }
    copy_memory(it);
  }
  if (rescale == GA_RESCALE_ALL || rescale == GA_RESCALE_A) correct_a(it, ratio, next);
  bool hidden = rescale == GA_RESCALE_ALL || rescale == GA_RESCALE_V;
  if (!hidden || !it->method->hidden_free || it->eval.nlam_all == 0) return GA_OK;
  double *hidden_target = it->memory_change.hidden;
  ga_status status = scaled_hidden(it, ratio * ratio, hidden_target);
  if (status != GA_OK) return status;
  /* false: H dv = 0; NULL: the size of the change is not asked for */
  return ga_project_velocity(&it->projector, mem->t, mem->q, next->v, hidden_target, false, NULL);
}

/* ---- short steps ------------------------------------------------------------------------- */

/* An end of a run may lie very near to the time reached. A step of dt divides the rounding of its
 * constraints by dt: accelerations and multipliers carry eps |v|/dt from the rows (G v + g_t)/dt,
 * and eps |q|/dt^2 from the rows g/dt^2. With tau the time in which the motion changes, that is a
 * relative error of eps tau/dt at least. The Taylor polynomials
 *
 *   q <- q o exp(dt v + dt^2/2 v'),  v <- v + dt v'
 *
 * have a relative error of (dt/tau)^2. They are better below dt = eps^(1/3) tau. tau is not known,
 * but it is not less than the size h of the steps that follow the motion. So a step below
 * eps^(1/3) h is extrapolated: q and v follow the polynomials; v', the multipliers and the memory
 * are not updated.
 * The error dt/tau <= eps^(1/3) h/tau is less than that of the method, (h/tau)^2, for every
 * h > eps^(1/3) tau; below, rounding exceeds both. eps is the rounding of G, larger where G is made
 * of difference quotients.
 *
 * h is the size the step would have if no end had to be met, as far as steps of that size were made
 * since the start, or that of the step that made the memory if it is larger. Short steps in a row
 * share the distance eps^(1/3) h, then one is solved: they may be the motion's own.
 *
 * After a start no step has shown that the motion can be followed so. A size that is given as such
 * is solved; before an end the size is what the user says of the motion, or guesses where sizes are
 * automatic. Then v' at the end of the polynomials decides: it must differ from that of the start
 * by a fraction of dt/tau <= eps^(1/3) at most, or by rounding only (rounding_noise.c). */

/* The usual step size h in the sense above, with which a planned step is compared. */
static double usual_size(const ga_integrator *it, const ga_plan *plan) {
  double made = it->stats.h_largest;
  if (!it->mem.first) return fmax(fmin(plan->whole, made), it->step_size.on ? 0 : it->mem.h);
  return it->step_size.on ? fmin(plan->whole, fmax(made, it->options.h)) : plan->whole;
}

/* q, v: Taylor polynomials of the accepted state at a time dt later. */
static void taylor_step(ga_integrator *it, double dt, double *q, double *v) {
  const ga_memory *mem = &it->mem;
  double *d = it->memory_change.d;
  for (int i = 0; i < it->eval.nv; i++) {
    d[i] = dt * mem->v[i] + dt * dt / 2 * mem->vd[i];
    v[i] = mem->v[i] + dt * mem->vd[i];
  }
  ga_space_step(it->model->space, mem->q, d, q);
}

/* Does v' at t1, after a Taylor step, differ from v' at the accepted state by at most this fraction
 * of |v'|, or by rounding only? False if the model cannot be evaluated there. it->saddle is
 * work; it->error is cleared. Collective. */
static bool acceleration_hardly_changes(ga_integrator *it, double t1, double fraction) {
  const ga_memory *mem = &it->mem;
  ga_saddle *s = &it->saddle;
  const ga_eval *e = &it->eval;
  ga_memory_change *w = &it->memory_change;
  int nv = it->eval.nv;
  taylor_step(it, t1 - mem->t, w->q, w->v);
  ga_start_guess(it);
  ga_status status = ga_saddle_acceleration(s, t1, w->q, w->v, w->change, NULL, NULL);
  if (status == GA_OK) {
    status = ga_saddle_acceleration(s, mem->t, mem->q, mem->v, w->vd, NULL, NULL);
  }
  ga_error_clear(&it->error);
  if (status != GA_OK) return false;
  double allowed = fraction * ga_measure(e, w->vd);
  ga_axpy(nv, -1, w->vd, w->change);
  if (ga_measure(e, w->change) <= allowed) return true;
  ga_rest_rounding(it, mem->t, mem->q, mem->v, w->noise);
  ga_rest_clean(nv, w->noise, 2, w->change);
  return ga_measure(e, w->change) <= allowed;
}

/* True if the planned step is so short that rounding would spoil it (see above): the caller then
 * extrapolates. Steps since t_memory, the last solved one, count together. Collective after a
 * start. */
bool ga_memory_step_too_short(ga_integrator *it, const ga_plan *plan) {
  double fraction = (plan->t1 - it->t_memory) / usual_size(it, plan);
  if (!(fraction * fraction * fraction < it->eval.noise_all)) return false;
  return !it->mem.first || acceleration_hardly_changes(it, plan->t1, cbrt(it->eval.noise_all));
}

/* Set the time of the accepted state, of it->state and of the predictor to t1, which differs from
 * it by rounding only. */
void ga_memory_set_time(ga_integrator *it, double t1) {
  ga_predictor_shift(&it->predictor, t1);
  it->mem.t = it->state.t = t1;
}

/* Move the accepted q, v, t to t1 along Taylor polynomials; v', multipliers, a, w and mem.h stay.
 * The old memory goes to it->last, for dense output and for undoing the step. */
void ga_memory_extrapolate(ga_integrator *it, double t1) {
  ga_memory *mem = &it->mem;
  const ga_memory_change *w = &it->memory_change;
  taylor_step(it, t1 - mem->t, w->q, w->v);
  ga_memory_copy(&it->last.mem, mem, &it->eval);
  memcpy(mem->q, w->q, (size_t)it->eval.nq * sizeof(double));
  memcpy(mem->v, w->v, (size_t)it->eval.nv * sizeof(double));
  mem->t = t1;
  it->last.valid = it->last.extrapolated = true;
}

/* SPDX-License-Identifier: MIT */
/* Automatic step sizes: the controller and the first step. The error of a step is estimated in
 * error_estimate.c; a step with err <= 1 is accepted.
 *
 * Controller (H211PI; Soederlind, Digital filters in adaptive time-stepping, ACM Transactions on
 * Mathematical Software 29, 2003): err is O(h^3), and
 *
 *   h <- h (AIM/err)^(1/6) (AIM/err_last)^(1/6),   the factor between SHRINK and GROW.
 *
 * Every change of h is used. A controller that waits until a change is worth a new matrix follows
 * the motion late, with steps that are too large here and too small there; and the matrix survives
 * such changes (factors.h). AIM well below 1 makes rejected steps rare. */
#include "run/step_size.h"

#include <math.h>
#include <string.h>

#include "kkt/measure.h"
#include "lie/lie.h"
#include "run/integrator.h"

static const double GROW = 2, SHRINK = 0.2, FAILED = 0.25;
/* A step shorter than this, relative to the one wanted, has differences of v' that are as large as
 * the error of v': it tells nothing of longer steps. */
static const double TELLING = 0.1;

/* Allocate all arrays of it->step_size; the caller checks arena.failed. it->step is set up. */
void ga_step_size_init(ga_integrator *it) {
  ga_step_size *c = &it->step_size;
  double **const of_v[] = {&c->vdd,         &c->size_q,  &c->size_v,  &c->rest_q, &c->rest_v,
                           &c->e,           &c->vdd_new, &c->vdd_try, &c->noise,  &c->vdd_start,
                           &c->now_q,       &c->now_v,   &c->bracket, &c->e_v,    &c->df,
                           &c->once,        &c->stiff_q, &c->stiff_v, &c->force,  &c->force_now,
                           &c->force_least, &c->vd,      &c->vd_new,  &c->by_q,   &c->by_v,
                           &c->by_f,        &c->tol_q,   &c->tol_v};
  const int n = (int)(sizeof of_v / sizeof *of_v);
  for (int i = 0; i < n && !*of_v[i]; i++) { /* they stay, other sizes may change */
    *of_v[i] = ga_arena_doubles(&it->arena, (size_t)it->eval.nv);
  }
  c->filtered = ga_arena_doubles(&it->system, (size_t)it->step.eq.n);
  c->residual = ga_arena_doubles(&it->system, (size_t)it->eval.nlam);
  c->first = ga_arena_doubles(&it->system, (size_t)it->step.eq.n);
  c->rough_most = ga_step_size_rough_most(it->options.rtol);
}

/* ---- the controller ---------------------------------------------------------------------- */

/* Returns h, limited to h_min from below and the largest step from above. */
static double limit_to_h_range(const ga_integrator *it, double h) {
  return fmax(fmin(h, ga_corners_largest_step(it)), it->options.h_min);
}

/* The factor of h after which the error, O(h^3), would be GA_STEP_AIM; at least SHRINK. */
static double factor_to_aim(double err) {
  return fmax(SHRINK, cbrt(GA_STEP_AIM / err));
}

/* Set it->h, the next size, after an accepted step of size h with error err, by the controller of
 * the head of this file; no growth after a rejection (again). wanted: the size before it was cut to
 * meet a time. Also updates err_last (0 after a cut step), the sizes and forces since the start and
 * v'' with its time t_vdd, if the step was not cut or the old one is far. */
void ga_step_size_accept(ga_integrator *it, double err, double h, double wanted, bool again) {
  ga_step_size *c = &it->step_size;
  size_t bytes = (size_t)it->eval.nv * sizeof(double);
  double last = c->err_last > 0 ? c->err_last : fmax(err, GA_STEP_LEAST);
  bool cut = h < 0.99 * wanted;
  if (cut) {
    /* A step that was cut to meet a time says little, a very short one nothing: return to the size
     * wanted, unless the error, which falls like h^3, forbids it. */
    bool tiny = h < TELLING * wanted && err <= GA_STEP_AIM;
    it->h = limit_to_h_range(it, tiny ? wanted : fmin(wanted, h * factor_to_aim(err)));
  } else {
    const double factor = sqrt(cbrt(GA_STEP_AIM / ga_max(err, GA_STEP_LEAST) * GA_STEP_AIM / last));
    it->h = limit_to_h_range(it, h * fmin(factor, again ? 1 : GROW));
  }
  c->err_last = cut ? 0 : fmax(err, GA_STEP_LEAST);
  /* a difference over a short step is rough: the one before serves while it is near */
  if (!cut || it->mem.t - c->t_vdd >= 0.99 * wanted) {
    memcpy(c->vdd, c->vdd_new, bytes);
    c->t_vdd = it->last.mem.t + it->mem.h / 2;
  }
  if (c->rough == 0) memcpy(c->force, c->force_now, bytes);
  if (it->method->hidden_free) memcpy(c->vd, c->vd_new, bytes);
  ga_step_size_grow(it);
}

/* Set a smaller it->h after a rejected step of size h, with error err > 1, which was undone. If
 * hardly anything moves (suspect), the sizes that errors are relative to, size_q and size_v, are
 * raised to those of the motion to come. */
void ga_step_size_reject(ga_integrator *it, double err, double h) {
  ga_step_size *c = &it->step_size;
  const ga_memory *mem = &it->mem;
  if (c->suspect) {
    ga_start_guess(it);
    double speed = ga_measure(&it->eval, c->size_v);
    if (speed <= h * ga_rest_rounding(it, mem->t, mem->q, mem->v, c->noise)) {
      const ga_rest state = {mem->t, mem->q, mem->v, mem->vd};
      ga_rest_sizes(it, &state, c->noise, h, c->size_q, c->size_v);
    }
  }
  it->h = h * fmin(0.9, factor_to_aim(err));
}

/* Set it->h, the next size to try, after a step of size h that failed to converge. */
void ga_step_size_fail(ga_integrator *it, double h) {
  it->h = FAILED * h;
}

/* ---- the first step ---------------------------------------------------------------------- */

/* The cube root of a finite x > 0 of which cube_root(8 x) = 2 cube_root(x) bit by bit: x has a
 * unit, and that of time must not matter. cbrt of the C library rounds otherwise where the exponent
 * changes its sign. */
static double cube_root(double x) {
  int e;
  const double m = frexp(x, &e);
  const int r = (e % 3 + 3) % 3;
  return ldexp(cbrt(ldexp(m, r)), (e - r) / 3);
}

/* Returns the h at which the local errors at the start *at, h^3 times v'' (vdd) and v''' (vddd),
 * are GA_STEP_AIM of what is allowed; 10 h if both are zero. The motion of q and v over the current h,
 * at->h, and rest_q, rest_v, are the least sizes that errors are relative to. */
static double first_size(ga_integrator *it, const ga_memory *at, const double *vdd,
                         const double *vddd) {
  ga_step_size *c = &it->step_size;
  const ga_options *o = &it->options;
  int nv = it->eval.nv;
  double h = at->h, *way = c->now_q, *move = c->now_v;
  ga_model_tolerance_sizes(it->model, at->q, way);
  ga_space_bracket(it->model->space, at->v, at->vd, c->bracket);
  for (int i = 0; i < nv; i++) {
    way[i] = fmax(way[i], fabs(h * at->v[i]) + h * h / 2 * fabs(at->vd[i]));
    way[i] = fmax(way[i], c->rest_q[i]);
    c->e[i] = (ga_step_size_q_factor(&o->par) * vdd[i] + c->bracket[i]) / 12;
  }
  double err = ga_step_size_norm(it, c->e, way, o->weight_q);
  for (int i = 0; i < nv; i++) {
    move[i] = fmax(fmax(fabs(at->v[i]), fabs(h * at->vd[i])), c->rest_v[i]);
    c->e[i] = ga_step_size_v_factor(&o->par) * vddd[i];
  }
  err = fmax(err, ga_step_size_norm(it, c->e, move, o->weight_v));
  return isfinite(err) && err > 0 ? cube_root(GA_STEP_AIM / err) : 10 * h;
}

/* Set rest_q, rest_v: sizes of the motion to come if the start *at is at rest (nothing
 * moves but by rounding), otherwise 0. Returns the largest first step allowed; INFINITY if the
 * start is not at rest. If v' is only rounding, the guess at->h is all that is known of the time
 * scale. step_size.noise is set. */
static double rest_at_start(ga_integrator *it, const ga_memory *at) {
  ga_step_size *c = &it->step_size;
  size_t bytes = (size_t)it->eval.nv * sizeof(double);
  memset(c->rest_q, 0, bytes);
  memset(c->rest_v, 0, bytes);
  ga_team *team = it->eval.team;
  double h = at->h, rounding = ga_rest_rounding(it, at->t, at->q, at->v, c->noise);
  if (ga_measure(&it->eval, at->v) > h * rounding) return INFINITY;
  const ga_rest state = {at->t, at->q, at->v, at->vd};
  double T = ga_rest_sizes(it, &state, c->noise, h, c->rest_q, c->rest_v);
  bool moved = ga_team_max(team, ga_max_abs(it->eval.nv, at->vd)) > 0;
  if (moved && ga_rest_calm(it, c->noise, at->vd)) return T > 0 ? fmin(T, h) : h;
  return T > 0 ? T : INFINITY;
}

/* First step size at->h (before: a guess) from v'' and v''' at the start *at. These are differences
 * over h, so h is changed until it fits the size that they give. On success v'' over the last h for
 * which it could be computed is left in vdd_start, the sizes of a motion from rest in rest_q,
 * rest_v, and eval has the step at->h. Fails with the status of the last try if v'' could be
 * computed for no h; at->h then means nothing. Collective. */
ga_status ga_step_size_start(ga_integrator *it, ga_memory *at) {
  enum { TRIES = 30 };
  ga_step_size *c = &it->step_size;
  int nv = it->eval.nv;
  /* known: the size to return if no better one is found; 0: v'' could not be computed yet */
  double *vdd = c->vdd_try, *vddd = c->vdd_new, known = 0;
  ga_status status = GA_OK;
  at->h = limit_to_h_range(it, at->h);
  double largest = rest_at_start(it, at);
  at->h = fmin(at->h, largest);
  for (int i = 0; i < TRIES; i++) {
    double h = at->h;
    ga_eval_set_step(&it->eval, h);
    status = ga_start_vdd(it, at->t, at->q, at->v, at->vd, h, vdd, vddd);
    if (status < 0) return status;
    if (status > 0 && known > 0) break; /* the size `known` works: look no further */
    /* rounding of v' enters v'' as 2/(2 h), v''' as (1 + 2 + 1)/h^2 */
    ga_rest_clean(nv, c->noise, 1 / h, vdd);
    ga_rest_clean(nv, c->noise, 4 / (h * h), vddd);
    /* if v'' cannot be computed over h: try a hundredth; never grow by more than 10 at once */
    double size = status == GA_OK ? first_size(it, at, vdd, vddd) : 0.01 * h;
    double next = limit_to_h_range(it, fmin(fmin(size, 10 * h), largest));
    if (status == GA_OK) {
      memcpy(c->vdd_start, vdd, (size_t)nv * sizeof(double));
      /* `next` fits if the differences were taken over about that size, otherwise h serves */
      known = next >= 0.1 * h && next <= 2 * h ? next : h;
    }
    if (known > 0 && known == next) break;
    at->h = next;
  }
  if (known == 0) return status;
  ga_error_clear(&it->error);
  at->h = known;
  ga_eval_set_step(&it->eval, known);
  return GA_OK;
}

/* After a start was accepted into it->mem: initialize v'' (left in vdd_start by
 * ga_step_size_start), the sizes since the start and the controller. */
void ga_step_size_begin(ga_integrator *it) {
  ga_step_size *c = &it->step_size;
  size_t bytes = (size_t)it->eval.nv * sizeof(double);
  memcpy(c->vdd, c->vdd_start, bytes);
  memcpy(c->vd, it->mem.vd, bytes);
  memcpy(c->size_q, c->rest_q, bytes);
  memcpy(c->size_v, c->rest_v, bytes);
  memset(c->force, 0, bytes);
  c->t_vdd = c->t_start = it->mem.t;
  c->rough_allowed = 0;
  c->err_last = c->force_err = c->acceleration = 0;
  c->full.known = false;
  ga_step_size_grow(it);
}

/* If the start was at rest: sizes of the motion up to the end of the first run, see step_size.h. */
void ga_step_size_first_run(ga_integrator *it) {
  ga_step_size *c = &it->step_size;
  const ga_memory *mem = &it->mem;
  const size_t bytes = (size_t)it->eval.nv * sizeof(double);
  if (mem->t != c->t_start || ga_measure(&it->eval, c->rest_v) == 0) return;
  memset(c->rest_q, 0, bytes);
  memset(c->rest_v, 0, bytes);
  ga_start_guess(it);
  ga_rest_rounding(it, mem->t, mem->q, mem->v, c->noise);
  const ga_rest state = {mem->t, mem->q, mem->v, mem->vd};
  ga_rest_sizes(it, &state, c->noise, it->h, c->rest_q, c->rest_v);
  memcpy(c->size_q, c->rest_q, bytes);
  memcpy(c->size_v, c->rest_v, bytes);
  ga_step_size_grow(it);
}

/* After a restart at the accepted state, over `dt` of which v' changes by `change`: v'' of the motion
 * from now on. The sizes and it->h stay; no error of the step before is known. */
void ga_step_size_restart(ga_integrator *it, const double *change, double dt) {
  ga_step_size *c = &it->step_size;
  for (int i = 0; i < it->eval.nv; i++) c->vdd[i] = change[i] / dt;
  memcpy(c->vd, it->mem.vd, (size_t)it->eval.nv * sizeof(double));
  c->t_vdd = it->mem.t;
  c->err_last = c->force_err = 0;
  c->full.known = false;
}

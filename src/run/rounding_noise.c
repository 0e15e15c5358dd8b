/* SPDX-License-Identifier: MIT */
/* Rounding errors near equilibrium, for automatic steps (docs/internals/step-size.md).
 *
 * Near equilibrium the computed v' is only the rounding error of forces that cancel. It does not
 * shrink with h, so an error estimate based on it would reduce the step for ever. This file
 * estimates, per velocity, how much |v'| rounding alone can cause, and treats anything smaller as
 * zero. The estimate is a small fraction of the larger of
 *
 *   |M||v'| + |G|^T|lam| + |H|^T|psi|, divided by the mass: the forces on a velocity (with F);
 *   v'(q + |q|) - v'(q), linearized: forces that cancel inside a callback.
 *
 * A velocity that is smaller than this v' times the step size counts as zero, too. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kkt/measure.h"
#include "lie/lie.h"
#include "run/integrator.h"
#include "run/step_size.h"

static const double ROUNDINGS = 32; /* of the forces in v' */
/* Assumed relative force residual of a solved step: min(newton_tol, 1e-12), because steps usually
 * converge further than newton_tol asks. */
static const double SOLVED = 1e-12;
static const double FLOOR = 1e-3; /* least rounding of an entry, relative to the largest */
static const double SHARE = 1e-2; /* fraction of the error allowed from which on rounding matters */
static const double HARDLY = 1e4; /* roundings of q: less motion in a step may be rounding */

/* ---- rounding ---------------------------------------------------------------------------- */

/* Assumed relative error of balanced forces after a step or a solve with the mass KKT matrix. */
static double relative_noise(const ga_integrator *it) {
  return ROUNDINGS * DBL_EPSILON + fmin(it->options.newton_tol, SOLVED);
}

/* Allocate the work arrays of this file from it->arena; the caller checks arena.failed. */
void ga_rest_init(ga_integrator *it) {
  ga_rest_work *w = &it->rest_work;
  const ga_eval *e = &it->eval;
  double **const of_v[] = {&w->v, &w->d, &w->vd, &w->later, &w->moved, &w->mass, &w->noise};
  w->q = ga_arena_doubles(&it->arena, (size_t)e->nq);
  for (int i = 0; i < 7; i++) *of_v[i] = ga_arena_doubles(&it->arena, (size_t)e->nv);
  w->lam = ga_arena_doubles(&it->arena, (size_t)e->nlam);
  w->psi = ga_arena_doubles(&it->arena, (size_t)e->npsi);
}

/* noise_i = relative_noise (|M||v'| + |G|^T|lam| + |H|^T|psi|)_i / M_ii; 0 without mass, or if a
 * process fails. *x holds v', lam, psi. M NULL: that of the step. Collective. */
static void rounding_of_forces(ga_integrator *it, const ga_csr *M, const ga_csr *G, const ga_csr *H,
                               const ga_values *x, double *noise) {
  double *mass = it->rest_work.mass;
  int nv = it->eval.nv;
  memset(noise, 0, (size_t)nv * sizeof(double));
  memset(mass, 0, (size_t)nv * sizeof(double));
  if (M) {
    ga_csr_add_sizes(M, false, x->vd, noise);
    ga_csr_add_diagonal_sizes(M, mass);
  } else {
    ga_factors_add_mass_sizes(&it->step.factors, &it->step.eq, x->vd, noise);
    ga_factors_add_masses(&it->step.eq, mass);
  }
  ga_csr_add_sizes(G, true, x->lam, noise); /* G^T */
  ga_csr_add_sizes(H, true, x->psi, noise); /* H^T */
  ga_team *team = it->eval.team;
  bool known = ga_team_sum_shared(team, 1, noise) == GA_OK;
  known = ga_team_sum_shared(team, 1, mass) == GA_OK && known;
  for (int i = 0; i < nv; i++)
    noise[i] = known && mass[i] > 0 ? relative_noise(it) * noise[i] / mass[i] : 0;
}

/* noise_i = max(noise_i, |change of v'_i|) if q is moved by relative_noise |q|, all entries to one
 * side or (in_turns) alternating; unchanged if the model fails there. rest_work.vd must be v' at
 * q. Collective. */
static void add_noise_of_callbacks(ga_integrator *it, double t, const double *q, const double *v,
                                   bool in_turns, double *noise) {
  ga_rest_work *w = &it->rest_work;
  int nv = it->eval.nv;
  ga_eval_size(&it->eval, q, w->d);
  for (int i = 0; i < nv; i++) {
    w->d[i] *= (in_turns && i % 2 ? -1 : 1) * relative_noise(it);
  }
  ga_space_step(it->model->space, q, w->d, w->q);
  if (ga_saddle_acceleration(&it->saddle, t, w->q, v, w->moved, NULL, NULL) != GA_OK) return;
  for (int i = 0; i < nv; i++) {
    double change = fabs(w->moved[i] - w->vd[i]);
    if (change > noise[i]) noise[i] = change;
  }
}

/* Estimate the rounding noise of v' at (t, q, v) into noise, each entry at least FLOOR of the
 * largest, in the metric W; returns the largest, 0 (and zeros) if it cannot be computed. Clears it->error.
 * Collective. */
double ga_rest_rounding(ga_integrator *it, double t, const double *q, const double *v,
                        double *noise) {
  const ga_rest_work *w = &it->rest_work;
  ga_saddle *s = &it->saddle;
  const ga_values at = {.vd = w->vd, .lam = w->lam, .psi = w->psi};
  bool own = ga_eval_own_reaction(&it->eval);
  bool defined = !it->redundancy.singular; /* else v' is a limit, not the solution of this system */
  int nv = it->eval.nv;
  memset(noise, 0, (size_t)nv * sizeof(double));
  if (defined && ga_saddle_acceleration(s, t, q, v, w->vd, w->lam, w->psi) == GA_OK) {
    rounding_of_forces(it, &s->M, own ? &s->L : &s->G, own ? &s->P : &s->H, &at, noise);
    add_noise_of_callbacks(it, t, q, v, false, noise); /* to one side, then in turns */
    add_noise_of_callbacks(it, t, q, v, true, noise);
  }
  ga_error_clear(&it->error);
  double largest = ga_measure(&it->eval, noise);
  for (int i = 0; i < nv; i++) {
    noise[i] = fmax(noise[i], FLOOR * largest / it->eval.root_metric[i]);
  }
  return largest;
}

/* Set to zero all of the n entries of x with |x_i| <= times noise_i. */
void ga_rest_clean(int n, const double *noise, double times, double *x) {
  for (int i = 0; i < n; i++) {
    if (fabs(x[i]) <= times * noise[i]) x[i] = 0;
  }
}

/* Is the motion before a step of size h so small that rounding may dominate its error estimate? A
 * cheap test, done before the rounding is computed. Collective. */
bool ga_rest_suspect(ga_integrator *it, double h) {
  const ga_options *o = &it->options;
  const ga_step_size *c = &it->step_size;
  const ga_site *end = &it->step.eq.site[GA_SITE_NEW];
  const ga_memory *mem = &it->mem;
  const ga_saddle *s = &it->saddle;
  const ga_rest_work *w = &it->rest_work;
  const ga_eval *e = &it->eval;
  double size = fmax(ga_measure(e, c->size_q), ga_measure_position(e, mem->q, w->d));
  double speed = ga_measure(e, c->size_v);
  if (h * speed <= HARDLY * DBL_EPSILON * size) return true;
  bool by_step = it->method->report == GA_REPORT_STEP; /* else the matrices are those of v' */
  const ga_values x = {.vd = mem->vd, .lam = mem->lam, .psi = mem->psi};
  rounding_of_forces(it, by_step ? NULL : &s->M, by_step ? &end->G : &s->G,
                     by_step ? &end->H : &s->H, &x, w->noise);
  bool matters = false;
  for (int i = 0; i < e->nv && !matters; i++) {
    matters = h * w->noise[i] >= SHARE * (o->atol + o->rtol * speed / e->root_metric[i]);
  }
  return ga_team_any(e->team, matters);
}

/* ---- sizes of a system at rest ----------------------------------------------------------- */

/* Nothing has moved so far, and errors have no size to be measured against. Under forces that grow
 * from zero like t^p the motion of a step and its error both are like h^(p+1) in v: their ratio
 * does not fall with h, and no step is small enough. What counts is the size that the motion will
 * have. It is the motion made in the time T in which the forces develop: the largest T at which
 *
 *   v'(t + T) of the state at rest still grows like a power of T, by more than sqrt(2) from T/2 on,
 *   and is changed by less than its half by the motion q o exp(T^2/6 v'), T/2 v' that it makes
 *
 * (the motion is exact for p = 1). T is sought downwards from h until three such T in a row are
 * found, then upwards, as long as the power grows by at most 1: a force like exp(t) - 1 - t grows for
 * ever, but not like a power. */

/* rest_work.later = v' of the resting state s at T later, *largest its largest entry; moved = v'
 * after the motion that it causes, both without the noise given. False if the two differ by more than half, or cannot
 * be computed (*largest may then be unset). Collective. */
static bool force_after(ga_integrator *it, const ga_rest *s, const double *noise, double T,
                        double *largest) {
  ga_rest_work *w = &it->rest_work;
  int nv = it->eval.nv;
  ga_saddle *saddle = &it->saddle;
  double t = s->t + T;
  if (ga_saddle_acceleration(saddle, t, s->q, s->v, w->later, NULL, NULL) != GA_OK) return false;
  ga_rest_clean(nv, noise, 1, w->later);
  *largest = ga_measure(&it->eval, w->later);
  for (int i = 0; i < nv; i++) {
    w->d[i] = T * T / 6 * w->later[i];
    w->v[i] = s->v[i] + T / 2 * w->later[i];
  }
  ga_space_step(it->model->space, s->q, w->d, w->q);
  if (ga_saddle_acceleration(saddle, t, w->q, w->v, w->moved, NULL, NULL) != GA_OK) return false;
  ga_rest_clean(nv, noise, 1, w->moved);
  return ga_measure_difference(&it->eval, w->moved, w->later) <= *largest / 2;
}

/* Does v' of the resting state still grow like a power of T, by more than sqrt(2) from T/2 to T?
 * *now: its largest entry at T (at T/2 if that fails already). *growth: by which it has grown the first
 * time, 0: not yet; twice as much is more than a power. noise: of v' at s. Collective. */
static bool force_develops(ga_integrator *it, const ga_rest *s, const double *noise, double T,
                           double *growth, double *now) {
  if (!force_after(it, s, noise, T / 2, now)) return false;
  double before = *now;
  if (!force_after(it, s, noise, T, now) || *now * *now < 2 * before * before) return false;
  if (!(before > 0)) return true;
  if (*growth == 0) *growth = *now / before;
  return *now <= 2 * *growth * before;
}

/* The largest |vd_i|, in the metric W, that is above its rounding noise. Collective. */
static double largest_true_acceleration(const ga_integrator *it, const double *noise,
                                        const double *vd) {
  double largest = 0;
  for (int i = 0; i < it->eval.nv; i++) {
    double a = fabs(vd[i]);
    if (a > noise[i]) largest = ga_larger(largest, it->eval.root_metric[i] * a);
  }
  return ga_team_max(it->eval.team, largest);
}

/* Is every entry of vd within its noise? Collective. */
bool ga_rest_calm(const ga_integrator *it, const double *noise, const double *vd) {
  return largest_true_acceleration(it, noise, vd) == 0;
}

/* Find the time T in which forces on the resting state s develop (see above), downwards from h by
 * halving, then upwards by doubling; raise size_q, size_v to the motion in T. Returns T; 0, and the
 * sizes as they were, if s is not at rest. noise: of v' at s. Collective. */
double ga_rest_sizes(ga_integrator *it, const ga_rest *s, const double *noise, double h,
                     double *size_q, double *size_v) {
  const double *moved = it->rest_work.moved;
  enum { TRIES = 100, IN_A_ROW = 3 };
  int found = 0, tries = 0;
  double T = 2 * h, now = INFINITY, growth = 0;
  /* v' later must be 10 times v' now, or s is not at rest */
  double least = 10 * largest_true_acceleration(it, noise, s->vd);
  for (; found < IN_A_ROW && tries < TRIES && now >= least; tries++) {
    growth = 0; /* only upwards */
    found = force_develops(it, s, noise, T /= 2, &growth, &now) ? found + 1 : 0;
  }
  if (found < IN_A_ROW) T = 0;
  T = ldexp(T, IN_A_ROW - 1);
  const double most = ga_corners_span(it); /* what comes later has not been asked for */
  while (T > 0 && 2 * T <= most && tries++ < TRIES) {
    if (!force_develops(it, s, noise, 2 * T, &growth, &now)) break;
    T *= 2;
  }
  if (T > 0 && force_after(it, s, noise, T, &now)) {
    for (int i = 0; i < it->eval.nv; i++) {
      size_q[i] = fmax(size_q[i], T * T / 6 * fabs(moved[i]));
      size_v[i] = fmax(size_v[i], T / 2 * fabs(moved[i]));
    }
  }
  ga_error_clear(&it->error);
  return T;
}

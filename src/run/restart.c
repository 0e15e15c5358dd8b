/* SPDX-License-Identifier: MIT */
/* Continuing a run at the accepted time and position, after forces, inputs or velocities have
 * jumped.
 *
 * q stays, and v unless the user gives another one. What jumps are v', lam, psi and with them the
 * memory a, w of the method. All of it follows from one factorization of the mass KKT matrix K at
 * (t, q, v):
 *
 *   1. K (v', lam, psi) = (F, -(g drift), -(k drift))                        the new accelerations
 *   2. K (dv', dlam, dpsi) = (F + R - M v', -(G v' + drift), -(H v' + drift))  at the time t + dt,
 *      dt = GA_RESTART_DT h, on the Taylor polynomial of the motion, for v', lam, psi of 1. Hence
 *      v'' = dv'/dt + O(h): that K is not the matrix at t + dt costs O(dt) of dv'.
 *   3. a = w + alpha h w', w = v' or M^-1 F. A method of order 2 needs a to O(h^2), so v'' to O(h).
 *   4. where the method leaves the hidden constraint free, M dv + G^T mu + H^T nu = 0,
 *      G dv = h^2 G r - (G v + g_t), H dv = 0.
 *
 * Why 4, and why once more after each jump. Such a method has, between jumps, G v + g_t = h^2 G r +
 * O(h^3), r = (2 (1 - 6 beta - 3 alpha) v'' + [v, v'])/12. v'' and v' of r are those of the motion
 * before the jump; v itself does not jump, and the method now tends to the r of the new motion. The
 * difference, h^2 G (r_new - r_old), divided by h enters lam at once: a first-order transient
 * n^2 rho^n h. dv removes it. An error O(h) of r leaves O(h^3) in G v and O(h^2) in lam. dv is
 * normal to the constraints in the metric M, so that it does not change the motion along them, and
 * its errors do not add up over many restarts. v' and lam of 1 belong to the v before dv, which is
 * O(h^2) from the hidden constraint; so is their error.
 *
 * Only times t and later are evaluated: at t - h a force that jumps at t would still be the old
 * one.
 *
 * The guess of the next steps begins with the line through x and its rate. If the last restart was
 * one step ago, as with a controller that samples at every step, what the line missed then is added:
 * it does not jump as x does. Factors of the Newton matrix are kept: M, G, and K at the same q and h
 * hardly change.
 *
 * Nothing has jumped if v' of 1 differs from that of the last step by less than 0.3 of the second
 * difference of v' over the last steps, in the metric W. That is O(h^2), the error the method makes
 * in v' anyway. Then a, w and v stay, and the run goes on as without the restart; only v', lam and
 * psi become those of 1. */
#include "run/restart.h"

#include <math.h>
#include <string.h>

#include "kkt/measure.h"
#include "run/integrator.h"

/* Part of h over which v'' is a difference quotient. It is short, so that v'' and the rates belong
 * to the time t, and long against rounding: the shift of a needs some digits of v'' only. */
static const double GA_RESTART_DT = 1.0 / 16;

/* The error that a method makes in v', relative to the second difference of v' over the last steps,
 * is at most this. Measured: 0.08 (stab2, 1/12 for many), 0.02 to 0.25 (index3). */
static const double OWN_ERROR = 0.3;

/* Times that differ by this part of h are the same: one rounding of a sum of many h. */
static const double SAME_STEP = 1e-6;

/* Allocate the work arrays; the caller checks arena->failed. */
void ga_restart_init(ga_integrator *it) {
  ga_restart *r = &it->restart;
  const ga_eval *e = &it->eval;
  ga_arena *arena = &it->arena;
  ga_memory_carve(&r->next, e, arena);
  ga_memory_carve(&r->rate, e, arena);
  r->q = ga_arena_doubles(arena, (size_t)e->nq);
  r->v = ga_arena_doubles(arena, (size_t)e->nv);
  r->d = ga_arena_doubles(arena, (size_t)e->nv);
  r->hidden = ga_arena_doubles(arena, (size_t)e->nlam);
}

/* Is v' = next.vd that of the accepted state, up to OWN_ERROR of the second difference of v' over
 * the last steps? False if the last steps do not give one. Collective. */
static bool nothing_jumped(const ga_integrator *it) {
  const ga_eval *e = &it->eval;
  const double *second = ga_predictor_second_difference(&it->predictor, it->mem.t);
  if (!second) return false;
  double error = OWN_ERROR * ga_measure(e, second + it->method->out_x * e->nv);
  return ga_measure_difference(e, it->restart.next.vd, it->mem.vd) <= error;
}

/* restart.q, restart.v: Taylor polynomials of q and v of `next` at a time dt later; restart.d is
 * work. */
static void move_along_motion(ga_integrator *it, double dt) {
  ga_restart *r = &it->restart;
  const ga_memory *next = &r->next;
  for (int i = 0; i < it->eval.nv; i++) {
    r->d[i] = dt * next->v[i] + dt * dt / 2 * next->vd[i];
    r->v[i] = next->v[i] + dt * next->vd[i];
  }
  ga_space_step(it->model->space, next->q, r->d, r->q);
}

/* Equation 2 of the head of this file: rate.vd, lam, psi = change of v', lam, psi over dt. restart.q,
 * v are the point at t + dt, where saddle.M, G, H are evaluated; the factors are those of t.
 * Collective. */
static ga_status find_rates(ga_integrator *it, double dt) {
  ga_restart *r = &it->restart;
  const ga_memory *next = &r->next;
  const ga_eval *e = &it->eval;
  move_along_motion(it, dt);
  const ga_eval_point p = {
      .t = next->t + dt, .q = r->q, .v = r->v, .x = next->vd, .lam = next->lam, .psi = next->psi};
  ga_status status = ga_saddle_correction(&it->saddle, &p);
  if (status != GA_OK) return status;
  const double *x = it->saddle.rhs;
  memcpy(r->rate.vd, x, (size_t)e->nv * sizeof(double));
  memcpy(r->rate.lam, x + e->nv, (size_t)e->nlam * sizeof(double));
  memcpy(r->rate.psi, x + e->nv + e->nlam, (size_t)e->npsi * sizeof(double));
  return GA_OK;
}

/* Equation 4: next.v <- next.v + dv, with r from v'' = rate.vd/dt. restart.hidden = G v + g_t on
 * entry; it and restart.d are overwritten. G of h^2 G r is that of t + dt, which find_rates has left
 * in saddle.G: a difference of O(h^3). Collective. */
static ga_status move_to_hidden_residual(ga_integrator *it, double h, double dt) {
  ga_restart *r = &it->restart;
  ga_memory *next = &r->next;
  ga_saddle *s = &it->saddle;
  const ga_eval *e = &it->eval;
  double weight = ga_step_size_q_factor(&it->options.par);
  ga_space_bracket(it->model->space, next->v, next->vd, r->d);
  for (int i = 0; i < e->nv; i++) r->d[i] = (weight * r->rate.vd[i] / dt + r->d[i]) / 12;
  if (ga_eval_own_reaction(e)) { /* the factors have dR/dlam in place of G^T */
    memset(r->hidden, 0, (size_t)e->nlam * sizeof(double));
    ga_csr_mul_add(&s->G, h * h, r->d, r->hidden);
    /* false: H dv = 0; NULL: the size of the change is not asked for */
    return ga_project_velocity(&it->projector, next->t, next->q, next->v, r->hidden, false, NULL);
  }
  memset(s->rhs, 0, (size_t)s->n * sizeof(double));
  ga_csr_mul_add(&s->G, h * h, r->d, s->rhs + e->nv);
  for (int i = 0; i < e->nlam; i++) s->rhs[e->nv + i] -= r->hidden[i];
  ga_status status = ga_saddle_solve_roughly(s);
  if (status == GA_OK) ga_axpy(e->nv, 1, s->rhs, next->v);
  return status;
}

/* next.w and rate.w of a method whose w is the applied acceleration M^-1 F: at t, and its change
 * over dt. restart.q, v are the point at t + dt. The factors of the saddle are overwritten.
 * Collective. */
static ga_status find_applied(ga_integrator *it, double dt) {
  ga_restart *r = &it->restart;
  ga_memory *next = &r->next;
  ga_status status = ga_saddle_applied(&it->saddle, next->t, next->q, next->v, next->w);
  if (status == GA_OK) status = ga_saddle_applied(&it->saddle, next->t + dt, r->q, r->v, r->rate.w);
  if (status == GA_OK) ga_axpy(it->eval.nv, -1, next->w, r->rate.w);
  return status;
}

/* The memory w, a of `next` and the rates for steps of h, from q, v, v', lam, psi of it; perhaps a
 * changed next.v (equations 2 to 4). restart.hidden = G v + g_t on entry. Collective. */
static ga_status find_memory(ga_integrator *it, ga_start start, double h) {
  ga_restart *r = &it->restart;
  ga_memory *next = &r->next;
  const ga_params *par = &it->options.par;
  int nv = it->eval.nv;
  double dt = GA_RESTART_DT * h, alpha = par->alpha_m - par->alpha_f;
  bool applied = it->method->dyn[it->method->out_x].forces == GA_FORCES_APPLIED;
  ga_status status = find_rates(it, dt);
  if (status == GA_OK && start == GA_START_PERTURBED && it->eval.nlam_all > 0)
    status = move_to_hidden_residual(it, h, dt);
  memcpy(next->w, next->vd, (size_t)nv * sizeof(double));
  memcpy(r->rate.w, r->rate.vd, (size_t)nv * sizeof(double));
  if (status == GA_OK && applied) status = find_applied(it, dt);
  if (status != GA_OK) return status;
  memcpy(next->a, next->w, (size_t)nv * sizeof(double));
  memcpy(r->rate.a, r->rate.w, (size_t)nv * sizeof(double));
  if (start != GA_START_PLAIN) ga_axpy(nv, alpha * h / dt, r->rate.w, next->a);
  next->delta = start == GA_START_PLAIN ? 0 : alpha * h;
  return GA_OK;
}

/* v', lam, psi of the motion from now on, into `next`, whose q and v are those of the accepted state
 * or given by the user; restart.hidden = G v + g_t. A given v is projected first, if the options
 * ask for it; *moved: largest change of an entry by that. GA_ERR_INITIAL if the constraints are
 * violated; sound: that is not asked, as at a corner, where corners.c has compared them.
 * Collective. */
static ga_status find_accelerations(ga_integrator *it, bool given, bool sound, double *moved) {
  ga_restart *r = &it->restart;
  ga_memory *next = &r->next;
  ga_status status = GA_OK;
  ga_start_guess(it);
  if (given && it->options.initial == GA_INITIAL_PROJECT) {
    /* NULL, true: onto G v + g_t = 0 and k = 0 */
    status = ga_project_velocity(&it->projector, next->t, next->q, next->v, NULL, true, moved);
  }
  if (status != GA_OK) return status;
  status = ga_saddle_acceleration(&it->saddle, next->t, next->q, next->v, next->vd, next->lam,
                                  next->psi);
  if (status != GA_OK) return status;
  if (sound) {
    status = ga_eval_hidden(&it->eval, next->t, next->q, next->v, &it->saddle.G, r->hidden);
    return ga_team_agree(it->eval.team, status, &it->error);
  }
  const ga_state_check check = {.t = next->t,
                                .q = next->q,
                                .v = next->v,
                                .free = !given,
                                .own_v = given ? it->mem.v : NULL,
                                .evaluated = true,
                                .hidden = r->hidden};
  return ga_start_check(it, &check);
}

/* If the last restart was one step of this h ago: phi[2] of the predictor, such that it adds to the
 * line after one step what that step missed. True if so. phi[0] has the unknowns of that step. */
static bool find_missed(ga_integrator *it, double h) {
  const ga_restart *r = &it->restart;
  const ga_predictor *p = &it->predictor;
  const double since = it->mem.t - r->line_t;
  if (!r->line_known || r->line_h != h || fabs(since - h) > SAME_STEP * h) return false;
  /* the weight of phi[2] after one step: nodes at t, t - dt and t - 2 dt */
  const double weight = (1 + 1 / GA_RESTART_DT) / (2 * GA_RESTART_DT);
  for (int i = 0; i < p->n; i++) p->phi[2][i] = (p->phi[0][i] - r->line[i]) / weight;
  return true;
}

/* Accept `next` and begin the guess of the next steps with the line through its unknowns, or a
 * parabola. */
static void accept(ga_integrator *it, double h) {
  ga_restart *r = &it->restart;
  ga_predictor *p = &it->predictor;
  r->next.h = h;
  r->next.first = true;
  r->next.growth = 1;
  ga_memory_copy(&it->mem, &r->next, &it->eval);
  ga_equations_reset(&it->step.eq); /* the model may have changed at this very place */
  it->t_memory = it->mem.t;
  const bool bent = find_missed(it, h);
  ga_equations_guess(&it->step.eq, &r->next, p->phi[0]);
  ga_equations_guess(&it->step.eq, &r->rate, p->phi[1]);
  ga_predictor_begin(p, it->mem.t, GA_RESTART_DT * h, bent ? 3 : 2);
  ga_add_scaled(p->n, 1 / GA_RESTART_DT, p->phi[1], p->phi[0], r->line);
  r->line_t = it->mem.t;
  r->line_h = h;
  r->line_known = true;
}

/* The memory of `next`, whose v', lam, psi are set, for steps of h, accepted as it->mem.
 * Collective. */
static ga_status begin_anew(ga_integrator *it, double h) {
  ga_start start = it->options.start;
  if (start == GA_START_BEST) start = it->method->best_start;
  const ga_status status = find_memory(it, start, h);
  if (status != GA_OK) {
    ga_error_prefix(&it->error, "memory of the method from v' at t and at t + h/16");
    return status;
  }
  accept(it, h);
  return GA_OK;
}

/* At a corner of the model: continue at the accepted q, v with steps of h. If this fails, the accepted state does not
 * change. Collective. */
ga_status ga_restart_at_corner(ga_integrator *it, double h) {
  double moved = 0;
  ga_memory_copy(&it->restart.next, &it->mem, &it->eval);
  /* false: v is the accepted one; true: the constraints are not checked */
  ga_status status = find_accelerations(it, false, true, &moved);
  if (status == GA_OK) status = begin_anew(it, h);
  if (status == GA_OK && it->step_size.on)
    ga_step_size_restart(it, it->restart.rate.vd, GA_RESTART_DT * h);
  ga_integrator_count_repivots(it);
  return status;
}

/* Continue at the accepted q with v (NULL: the accepted one); sound: the constraints hold as in the
 * last step, and are not checked. *done = false, and no change: sizes
 * are automatic and something has jumped, so that a size must be found first. On failure the
 * accepted state does not change. Collective. */
ga_status ga_restart_here(ga_integrator *it, const double *v, bool sound, bool *done) {
  ga_memory *mem = &it->mem, *next = &it->restart.next;
  const ga_eval *e = &it->eval;
  ga_memory_copy(next, mem, e);
  if (v) memcpy(next->v, v, (size_t)e->nv * sizeof(double));
  double moved = 0;
  *done = true;
  ga_status status = find_accelerations(it, v != NULL, sound, &moved);
  if (status != GA_OK) return status;
  if (!v && nothing_jumped(it)) {
    ga_equations_reset(&it->step.eq); /* the model may have changed at this very place */
    memcpy(mem->vd, next->vd, (size_t)e->nv * sizeof(double));
    memcpy(mem->lam, next->lam, (size_t)e->nlam * sizeof(double));
    memcpy(mem->psi, next->psi, (size_t)e->npsi * sizeof(double));
    return GA_OK;
  }
  *done = !it->step_size.on;
  if (!*done) return GA_OK;
  status = begin_anew(it, it->h);
  if (status == GA_OK && v && it->options.initial == GA_INITIAL_PROJECT) it->stats.start_dv = moved;
  return status;
}

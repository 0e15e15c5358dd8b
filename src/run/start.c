/* SPDX-License-Identifier: MIT */
/* Starting values (docs/reference/notation.md): consistent q0, v0; v', lam, psi; the memory a_0
 * and, where the method leaves the hidden constraint free, the velocity it will settle at. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kkt/measure.h"
#include "run/integrator.h"

/* Part of h over which w' is a difference quotient where it must not look back; as in restart.c. */
static const double AHEAD = 1.0 / 16;

/* Allocate the work arrays of this file from it->arena; the caller checks arena.failed. */
void ga_start_init(ga_integrator *it) {
  ga_start_work *w = &it->start_work;
  const ga_eval *e = &it->eval;
  double **const of_v[] = {&w->v, &w->d, &w->wd, &w->r, &w->a, &w->a_better};
  ga_memory_carve(&w->next, e, &it->arena);
  w->q = ga_arena_doubles(&it->arena, (size_t)e->nq);
  for (int i = 0; i < 6; i++) *of_v[i] = ga_arena_doubles(&it->arena, (size_t)e->nv);
  w->g = ga_arena_doubles(&it->arena, (size_t)e->nlam);
  w->own = ga_arena_doubles(&it->arena, (size_t)e->nlam);
  w->k = ga_arena_doubles(&it->arena, (size_t)e->npsi);
}

/* Central differences at t: vdd = (v'(+h) - v'(-h))/(2h) and, unless NULL, vddd = (v'(+h) - 2 v' +
 * v'(-h))/h^2. v' is the KKT solution (applied: M^-1 F) at (t +- h, q o exp(+-h v + h^2/2 v'), v +-
 * h v'). On failure vdd and vddd are incomplete. saddle.guess is the guess of the multipliers. Collective. */
static ga_status differentiate_acceleration(ga_integrator *it, bool applied, double t,
                                            const double *q, const double *v, const double *vd,
                                            double h, double *vdd, double *vddd) {
  ga_saddle *s = &it->saddle;
  ga_start_work *w = &it->start_work;
  int nv = it->eval.nv;
  for (int i = 0; vddd && i < nv; i++) vddd[i] = -2 * vd[i] / (h * h);
  memset(vdd, 0, (size_t)nv * sizeof(double));
  for (int side = 1; side >= -1; side -= 2) {
    for (int i = 0; i < nv; i++) {
      w->d[i] = side * h * v[i] + h * h / 2 * vd[i];
      w->v[i] = v[i] + side * h * vd[i];
    }
    ga_space_step(it->model->space, q, w->d, w->q);
    double at = t + side * h;
    ga_status status = applied ? ga_saddle_applied(s, at, w->q, w->v, w->d)
                               : ga_saddle_acceleration(s, at, w->q, w->v, w->d, NULL, NULL);
    if (status != GA_OK) return status;
    ga_axpy(nv, side / (2 * h), w->d, vdd);
    if (vddd) ga_axpy(nv, 1 / (h * h), w->d, vddd);
  }
  return GA_OK;
}

/* vdd = v'' and, unless NULL, vddd = v''' at (t, q, v, vd), as central differences over h of the
 * KKT solution v'; incomplete on failure. Collective. */
ga_status ga_start_vdd(ga_integrator *it, double t, const double *q, const double *v,
                       const double *vd, double h, double *vdd, double *vddd) {
  /* false: of the KKT solution, not of M^-1 F */
  return differentiate_acceleration(it, false, t, q, v, vd, h, vdd, vddd);
}

/* Is the second variable w of the method the applied acceleration M^-1 F, not v'? */
static bool keeps_applied_acceleration(const ga_method *method) {
  return method->dyn[method->out_x].forces == GA_FORCES_APPLIED;
}

/* wd = (w(t + dt) - w)/dt, w = v' or M^-1 F as in *mem, on the Taylor polynomial of the motion with the
 * acceleration vd; dt is a short part of mem->h, and no force jumps in it. Collective. */
ga_status ga_start_difference_ahead(ga_integrator *it, const ga_memory *mem, const double *vd,
                                    double *wd) {
  ga_saddle *s = &it->saddle;
  ga_start_work *w = &it->start_work;
  const int nv = it->eval.nv;
  double way;
  ga_corners_beside(it, mem->t, mem->h, &way);
  const double dt = fmin(AHEAD * mem->h, way / 2);
  for (int i = 0; i < nv; i++) {
    w->d[i] = dt * mem->v[i] + dt * dt / 2 * vd[i];
    w->v[i] = mem->v[i] + dt * vd[i];
  }
  ga_space_step(it->model->space, mem->q, w->d, w->q);
  const ga_status status = keeps_applied_acceleration(it->method)
                               ? ga_saddle_applied(s, mem->t + dt, w->q, w->v, wd)
                               : ga_saddle_acceleration(s, mem->t + dt, w->q, w->v, wd, NULL, NULL);
  for (int i = 0; i < nv && status == GA_OK; i++) wd[i] = (wd[i] - mem->w[i]) / dt;
  return status;
}

/* wd = w': central differences over mem->h, or over a short way ahead where a force jumps so near before
 * or behind, as w' is that of the motion that begins: restart.sudden. Collective. */
static ga_status differentiate_w(ga_integrator *it, bool applied, const ga_memory *mem,
                                 double *wd) {
  double way, *wdd = it->start_work.a;
  const double h = mem->h;
  it->restart.sudden = ga_corners_beside(it, mem->t, h, &way);
  if (it->restart.sudden) {
    return ga_start_difference_ahead(it, mem, mem->vd, wd);
  }
  return differentiate_acceleration(it, applied, mem->t, mem->q, mem->v, mem->vd, h, wd, wdd);
}

/* Set saddle.guess, the guess of the next mass KKT solution, to lam, psi; NULL stands for zeros. */
static void guess_multipliers(ga_integrator *it, const double *lam, const double *psi) {
  const ga_eval *e = &it->eval;
  double *guess = it->saddle.guess;
  memset(guess, 0, ((size_t)e->nlam + (size_t)e->npsi) * sizeof(double));
  if (lam) memcpy(guess, lam, (size_t)e->nlam * sizeof(double));
  if (psi) memcpy(guess + e->nlam, psi, (size_t)e->npsi * sizeof(double));
}

/* Set saddle.guess to the multipliers of the accepted state. */
void ga_start_guess(ga_integrator *it) {
  guess_multipliers(it, it->mem.lam, it->mem.psi);
}

/* target = h^2 G r, nlam numbers, the residual of G v + g_t that a method settles at which leaves this hidden
 * constraint free. ACB15 after (8): r = (2 (1 - 6 beta - 3 alpha) v'' + [v, v'])/12, alpha =
 * alpha_m - alpha_f. vd, vdd: v', v''. saddle.G is overwritten. Collective. */
ga_status ga_start_hidden_target(ga_integrator *it, double t, const double *q, const double *v,
                                 const double *vd, const double *vdd, double h, double *target) {
  double *r = it->start_work.r;
  double weight = ga_step_size_q_factor(&it->options.par);
  ga_status status = ga_eval_G(&it->eval, t, q, &it->saddle.G);
  status = ga_team_agree(it->eval.team, status, &it->error);
  if (status != GA_OK) return status;
  ga_space_bracket(it->model->space, v, vd, r);
  for (int i = 0; i < it->eval.nv; i++) r[i] = (weight * vdd[i] + r[i]) / 12;
  memset(target, 0, (size_t)it->eval.nlam * sizeof(double));
  ga_csr_mul_add(&it->saddle.G, h * h, r, target);
  return GA_OK;
}

/* sum_j |A_ij| |x_j| of row i: the size of the terms of that row. */
static double row_size(const ga_csr *A, int i, const double *x) {
  double sum = 0;
  for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) sum += fabs(A->val[e]) * fabs(x[A->col[e]]);
  return sum;
}

/* Residuals relative to sum_j |G_ij| Q/sqrt(w_j), Q the size of q in the metric W: */
static const double ROUND = 100 * DBL_EPSILON; /* below this they are rounding */
static const double NEAR = 1e-3;               /* below this, no solution means contradiction */

/* Is row i, of g and then of k, one of a contact that is not on? */
static bool row_is_off(const ga_integrator *it, int i) {
  return it->eval.contacts && it->eval.contacts->mode[i] != GA_ROW_IS_ON;
}

/* GA_ERR_INITIAL with a message about violated row i: its name, residual and limit. best: the
 * values are already the best ones, so the constraints contradict each other. */
static ga_status fail_inconsistent(ga_integrator *it, const char *what, const char *symbol, int i,
                                   const char *const *names, double value, double allowed,
                                   bool best) {
  char name[96];
  ga_eval_entry_name(name, sizeof name, symbol, i, names);
  if (best) {
    return ga_fail(
        &it->error, GA_ERR_INITIAL,
        "constraints contradict each other: no values satisfy all of them, the best leave "
        "%.3g in the %s %s, allowed %.1g; remove it or make it fit the others",
        value, what, name, allowed);
  }
  return ga_fail(&it->error, GA_ERR_INITIAL,
                 "start values violate the %s %s: residual %.3g, allowed %.1g; correct them, or "
                 "let them be projected (option initial = project)",
                 what, name, value, allowed);
}

/* own = G own_v + g_t, nlam numbers, if check->own_v is given and the method leaves this constraint
 * free; else 0. saddle.G must be evaluated. */
static ga_status own_violations(ga_integrator *it, const ga_state_check *check, double *own) {
  ga_eval *e = &it->eval;
  memset(own, 0, (size_t)e->nlam * sizeof(double));
  if (!check->own_v || it->step.eq.has_row[GA_ROW_VEL]) return GA_OK;
  return ga_eval_hidden(e, check->t, check->q, check->own_v, &it->saddle.G, own);
}

/* Check |g_i|, |(G v + g_t)_i|, |k_i| of this process against initial_tol times the sum of their
 * terms; GA_ERR_INITIAL at the first that is larger. Terms of g have the size of q; velocities that
 * move q by rounding in a step h count as zero. The integrator's own states may be as wrong as its
 * steps are unsolved. saddle.G and saddle.H are overwritten unless they
 * are known. */
static ga_status check_own_rows(ga_integrator *it, const ga_state_check *check) {
  ga_eval *e = &it->eval;
  ga_saddle *s = &it->saddle;
  const ga_model *model = it->model;
  const bool *has = it->step.eq.has_row, all = !check->free;
  const bool moved = all && !check->own_v; /* q is not the integrator's own */
  const double t = check->t, *q = check->q, *v = check->v;
  double *g = it->start_work.g, *k = it->start_work.k, *own = it->start_work.own;
  double tol = it->options.initial_tol, size = ga_measure_position(e, q, it->start_work.d);
  double noise = ROUND * size / it->h;
  /* what the tolerance of the accelerations leaves of v in the integrator's own steps */
  double solved = it->loose_tol * it->mem.h * ga_measure(e, it->mem.vd);
  if (!moved) noise += solved;
  ga_evaluation out = {.g = g, .k = k};
  if (!check->evaluated) out.G = &s->G, out.H = &s->H;
  ga_status status = ga_eval_all(e, t, q, v, &out);
  for (int i = 0; i < e->nlam && status == GA_OK && (moved || has[GA_ROW_POS]); i++) {
    double allowed = fmax(tol, ROUND) * size * ga_measure_row(e, &s->G, i, i);
    if (!moved) allowed += it->mem.h * solved * ga_measure_row(e, &s->G, i, i);
    if (fabs(g[i]) <= allowed + GA_UNDERFLOW || row_is_off(it, i)) continue;
    return fail_inconsistent(it, "holonomic constraint", "g", i, model->lam_names, g[i], allowed,
                             check->best);
  }
  if (status == GA_OK) status = ga_eval_hidden(e, t, q, v, &s->G, g);
  if (status == GA_OK && check->hidden) memcpy(check->hidden, g, (size_t)e->nlam * sizeof(double));
  if (status == GA_OK) status = own_violations(it, check, own);
  for (int i = 0; i < e->nlam && status == GA_OK && (all || has[GA_ROW_VEL]); i++) {
    double allowed = tol * row_size(&s->G, i, v) + noise * ga_measure_row(e, &s->G, i, i);
    allowed += 2 * fabs(own[i]);
    if (fabs(g[i]) <= allowed + GA_UNDERFLOW || row_is_off(it, i)) continue;
    return fail_inconsistent(it, "hidden velocity constraint of", "g", i, model->lam_names, g[i],
                             allowed, check->best);
  }
  for (int i = 0; i < e->npsi && status == GA_OK; i++) {
    double allowed = tol * row_size(&s->H, i, v) + noise * ga_measure_row(e, &s->H, i, e->nlam + i);
    if (fabs(k[i]) <= allowed + GA_UNDERFLOW || row_is_off(it, e->nlam + i)) continue;
    return fail_inconsistent(it, "nonholonomic constraint", "k", i, model->psi_names, k[i], allowed,
                             check->best);
  }
  return status;
}

/* check_own_rows on all processes: if one fails, all do. */
ga_status ga_start_check(ga_integrator *it, const ga_state_check *check) {
  return ga_team_agree(it->eval.team, check_own_rows(it, check), &it->error);
}

/* From mem->t, q, v, vd, for steps of mem->h, set mem->w = w_0 = v', or M^-1 F, and mem->a: a_0 =
 * w_0 (plain), a_0 = w_0 + alpha h w'_0 (shifted); perturbed: mem->v, too, becomes v_0 + dv with G
 * dv = h^2 G r, H dv = 0. An implicit start begins with the shifted values. *mem is not the
 * accepted state. `start` is not GA_START_BEST. Collective. */
ga_status ga_start_memory(ga_integrator *it, ga_start start, ga_memory *mem) {
  const ga_params *par = &it->options.par;
  double t = mem->t, h = mem->h, *wd = it->start_work.wd, *target = it->start_work.g;
  int nv = it->eval.nv;
  bool applied = keeps_applied_acceleration(it->method);
  memcpy(mem->w, mem->vd, (size_t)nv * sizeof(double));
  ga_status status = GA_OK;
  if (applied) status = ga_saddle_applied(&it->saddle, t, mem->q, mem->v, mem->w);
  if (status != GA_OK) {
    ga_error_prefix(&it->error, "method '%s'", it->method->name);
    return status;
  }
  memcpy(mem->a, mem->w, (size_t)nv * sizeof(double));
  if (start == GA_START_PLAIN) return GA_OK;
  status = differentiate_w(it, applied, mem, wd);
  if (status != GA_OK) {
    ga_error_prefix(&it->error,
                    "starting values from v' at t - h and t + h (start = plain needs none)");
    return status;
  }
  ga_axpy(nv, (par->alpha_m - par->alpha_f) * h, wd, mem->a);
  if (start != GA_START_PERTURBED || it->eval.nlam_all == 0) return GA_OK;
  status = ga_start_hidden_target(it, t, mem->q, mem->v, mem->vd, wd, h, target);
  if (status != GA_OK) return status;
  /* false: H dv = 0 instead of k = 0 */
  return ga_project_velocity(&it->projector, t, mem->q, mem->v, target, false, NULL);
}

/* Output a (nv numbers): a better a_0 from the step just solved (step.newton.x, step.eq), JN08
 * (10): a = (1 - alpha) w_0 + alpha w_1. For weighted rows M_alpha a = (1 - alpha) f_0 + alpha f_1,
 * f_0 = M(t_0,q_0) v'_0 and, from the row itself, f_1 = (m M_{1+alpha} a + old terms)/phi. saddle.M
 * and the factors of the saddle are overwritten. */
static ga_status improve_implicit_a(ga_integrator *it, double *a) {
  const ga_equations *s = &it->step.eq;
  const ga_method *method = it->method;
  const ga_memory *mem = &it->mem;
  ga_start_work *w = &it->start_work;
  const double *x = it->step.newton.x + method->out_x * s->nv;
  double alpha = it->options.par.alpha_m - it->options.par.alpha_f;
  if (!method->weighted) {
    for (int i = 0; i < s->nv; i++) a[i] = (1 - alpha) * mem->w[i] + alpha * x[i];
    return GA_OK;
  }
  double weight = alpha / s->tab.phi;
  const ga_team *team = it->eval.team; /* old_terms is a sum over the processes already */
  for (int i = 0; i < s->nv; i++) a[i] = !team || team->owned[i] ? weight * s->old_terms[i] : 0;
  ga_csr_mul_add(&s->site->M, weight * s->tab.m, x, a);
  ga_status status = ga_eval_mass(&it->eval, mem->t, mem->q, &it->saddle.M);
  status = ga_team_agree(it->eval.team, status, &it->error);
  if (status != GA_OK) return status;
  ga_csr_mul_add(&it->saddle.M, 1 - alpha, mem->vd, a);
  for (int i = 0; i < s->nv; i++) w->d[i] = alpha * s->h * s->v[i];
  ga_space_step(it->model->space, mem->q, w->d, w->q);
  status = ga_saddle_mass_solve(&it->saddle, mem->t + alpha * s->h, w->q, a, a);
  if (status != GA_OK) ga_error_prefix(&it->error, "start = implicit");
  return status;
}

/* Fixed-point iteration for a_0 of the first step: solve the step for a given a_0, compute a better
 * a_0 from it, until a_0 changes by rounding only. Its contraction is about alpha times a root of
 * the method. Results: the step in step.newton.x, and its a_0 as the `a` of step.eq;
 * predictor.phi[0] is overwritten. GA_RETRY_NEWTON if it does not converge. Collective. */
ga_status ga_start_implicit_step(ga_integrator *it, const ga_past *past, double h, double t1) {
  enum { ROUNDS = 100 };
  int nv = it->eval.nv;
  double *a = it->start_work.a, *better = it->start_work.a_better;
  const ga_past changing = {.v = past->v, .a = a, .w = past->w};
  double last = INFINITY;
  memcpy(a, past->a, (size_t)nv * sizeof(double));
  for (int round = 0; round < ROUNDS; round++) {
    ga_status status = ga_loop_solve(it, &changing, h, t1);
    if (status == GA_OK) status = improve_implicit_a(it, better);
    if (status != GA_OK) return status;
    double size = ga_measure(&it->eval, better);
    double change = ga_measure_difference(&it->eval, better, a);
    if (change <= 4 * DBL_EPSILON * size || (change <= 1e-10 * size && change >= last)) {
      return GA_OK;
    }
    last = change;
    memcpy(a, better, (size_t)nv * sizeof(double));
    memcpy(it->predictor.phi[0], it->step.newton.x, (size_t)it->step.eq.n * sizeof(double));
  }
  return ga_fail(
      &it->error, GA_RETRY_NEWTON,
      "t = %.9g, h = %.3g: the implicit start did not converge (last change %.3g); try a "
      "smaller step or start = shifted",
      it->mem.t, h, last);
}

/* Project q, then v onto the constraints, in place; if v fails, q is projected already. dq, dv (may
 * be NULL): largest change of an entry. Collective. */
static ga_status project_both(ga_integrator *it, double t, double *q, double *v, double *dq,
                              double *dv) {
  ga_status status = ga_project_position(&it->projector, t, q, v, dq);
  /* NULL, true: onto G v + g_t = 0 and k = 0 */
  return status != GA_OK ? status : ga_project_velocity(&it->projector, t, q, v, NULL, true, dv);
}

/* Project q and v in place onto the constraints with soft rows (saddle.h). Constraints that contradict
 * each other are violated there: GA_ERR_INITIAL. If the start nearly satisfies them and no
 * projection is found, they contradict each other as well. dq, dv (may be NULL): largest change of
 * an entry. */
static ga_status project_softly(ga_integrator *it, double t, double *q, double *v, double *dq,
                                double *dv) {
  ga_eval *e = &it->eval;
  ga_csr *G = &it->saddle.G;
  double *g = it->start_work.g, size = ga_measure_position(e, q, it->start_work.d);
  double largest = 0, violation = 0; /* of the residuals: the largest relative one, and itself */
  int worst = 0;
  ga_status status = ga_eval_all(e, t, q, NULL, &(ga_evaluation){.g = g, .G = G});
  if (status != GA_OK) return status;
  for (int i = 0; i < e->nlam; i++) {
    double relative = g[i] == 0 ? 0 : fabs(g[i]) / (size * ga_measure_row(e, G, i, i));
    if (relative > largest) largest = relative, worst = i, violation = fabs(g[i]);
  }
  status = project_both(it, t, q, v, dq, dv);
  /* true: these are the best values there are */
  if (status == GA_OK) {
    return ga_start_check(it, &(ga_state_check){.t = t, .q = q, .v = v, .best = true});
  }
  if (status != GA_ERR_INITIAL || largest > NEAR) return status;
  char name[96];
  ga_eval_entry_name(name, sizeof name, "g", worst, it->model->lam_names);
  return ga_fail(
      &it->error, GA_ERR_INITIAL,
      "constraints contradict each other: none of the values near the start satisfies all "
      "of them; %s is violated by %.3g there. Remove it or make it fit the others",
      name, violation);
}

/* Make q, v consistent in place, or check that they are, as from->initial asks; projections write
 * their changes to stats->start_dq, start_dv. The integrator's own state is only checked, and only
 * in the rows that the method solves for. If soft rows are on, a failure may be explained by
 * constraints that contradict each other; q, v may then have been projected. Sets
 * saddle.soft and saddle.dropped = NULL: no rows have been chosen yet. */
static ga_status consistent_state(ga_integrator *it, const ga_beginning *from, double *q, double *v,
                                  ga_stats *stats) {
  const ga_state_check check = {.t = from->t, .q = q, .v = v, .free = from->own};
  double t = from->t;
  bool soft = it->saddle.soft = it->redundancy.on;
  it->saddle.dropped = NULL;
  if (from->initial == GA_INITIAL_PROJECT && !from->own) {
    if (soft) return project_softly(it, t, q, v, &stats->start_dq, &stats->start_dv);
    return project_both(it, t, q, v, &stats->start_dq, &stats->start_dv);
  }
  ga_status status = ga_start_check(it, &check);
  if (status != GA_ERR_INITIAL || !soft || from->own) return status;
  const ga_error before = it->error;
  if (project_softly(it, t, q, v, NULL, NULL) == GA_ERR_INITIAL &&
      strstr(it->error.text, "contradict")) {
    return GA_ERR_INITIAL;
  }
  it->error = before;
  return before.code;
}

/* Project q and v in place onto the constraints and set vd, lam, psi to those of the equations of
 * motion there; lam, psi are the guess before. Uses no accepted state. On failure q, v may be
 * projected already. Collective. */
ga_status ga_start_consistent(ga_integrator *it, double t, double *q, double *v, double *vd,
                              double *lam, double *psi) {
  ga_error_clear(&it->error);
  guess_multipliers(it, lam, psi);
  ga_status status = project_both(it, t, q, v, NULL, NULL);
  if (status != GA_OK) return status;
  return ga_saddle_acceleration(&it->saddle, t, q, v, vd, lam, psi);
}

/* Compute the start memory (w, a, perhaps v of *mem, see ga_start_memory) for steps of mem->h. If
 * that fails with a status > 0 and sizes are automatic, try again with mem->h / 4, up to 20 times;
 * mem->h is then the size that worked. */
static ga_status start_memory_with_smaller_h(ga_integrator *it, ga_start start, ga_memory *mem) {
  for (int tries = 0;; tries++) {
    ga_status status = ga_start_memory(it, start, mem);
    if (status <= 0 || !it->step_size.on || tries == 20) return status;
    mem->h /= 4;
    ga_error_clear(&it->error);
  }
}

/* weight (a number for each unknown of a step): sqrt(w) for accelerations, for multipliers the
 * lengths in W^-1 of their rows in saddle.G and saddle.H. */
void ga_start_weigh(const ga_integrator *it, double *weight) {
  const ga_equations *eq = &it->step.eq;
  const ga_eval *e = &it->eval;
  for (int i = 0; i < eq->nx; i++) weight[i] = e->root_metric[i % e->nv];
  for (int c = 0; c < it->method->ncon; c++) {
    const ga_csr *A = it->method->mult[c] == GA_BLOCK_PSI ? &it->saddle.H : &it->saddle.G;
    for (int i = 0; i < A->nrow; i++) weight[eq->mult_at[c] + i] = ga_measure_length(e, A, i);
  }
}

/* Start at *from. Everything is computed in a memory beside the accepted one, which is copied to
 * it->mem only after all of it has succeeded; then it->h, t_memory and the statistics are set,
 * factors forgotten, and the guess of the first step is made. On failure it->mem, it->h and the
 * statistics are as before. Collective. */
ga_status ga_start_at(ga_integrator *it, const ga_beginning *from) {
  const ga_eval *e = &it->eval;
  ga_memory *next = &it->start_work.next, *mem = &it->mem;
  ga_stats stats = from->again ? it->stats : (ga_stats){0};
  double t = next->t = from->t;
  ga_start start = from->start;
  if (start == GA_START_BEST) start = it->method->best_start;
  next->h = it->h;
  memcpy(next->q, from->q, (size_t)e->nq * sizeof(double));
  memcpy(next->v, from->v, (size_t)e->nv * sizeof(double));
  guess_multipliers(it, from->lam, from->psi);
  ga_redundancy_keep(it);
  ga_status status = consistent_state(it, from, next->q, next->v, &stats);
  if (status == GA_OK) status = ga_redundancy_start(it, t, next->q, next->v);
  if (status == GA_OK) status = ga_redundancy_acceleration(it, next);
  double *weight = it->start_work.weight; /* saddle.G, H are those of the start now */
  if (status == GA_OK && weight) ga_start_weigh(it, weight);
  if (status == GA_OK && it->step_size.on) status = ga_step_size_start(it, next);
  if (status == GA_OK) status = start_memory_with_smaller_h(it, start, next);
  if (status != GA_OK) ga_redundancy_restore(it);
  if (status != GA_OK) return status;
  next->first = true;
  next->growth = 1;
  next->delta =
      start == GA_START_PLAIN ? 0 : (it->options.par.alpha_m - it->options.par.alpha_f) * next->h;
  ga_memory_copy(mem, next, e);
  if (weight) memcpy(it->predictor.weight, weight, (size_t)it->predictor.n * sizeof(double));
  it->t_memory = t;
  it->restart.line_known = false;
  it->h = mem->h;
  it->stats = stats;
  it->stats.dependent = ga_contacts_dropped_joints(it);
  if (!from->again) ga_passages_reset(it);
  if (it->step_size.on) ga_step_size_begin(it);
  ga_step_reset(&it->step);
  ga_redundancy_guess(it);
  return GA_OK;
}

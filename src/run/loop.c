/* SPDX-License-Identifier: MIT */
/* The loop over steps. Steps that are too short to be solved are extrapolated (memory_change.c).
 *
 *   attempt_step           correct the memory for h, solve, store the results in the memory,
 *                          project; the state before the step is kept in it->last
 *   restore_after_failure  restore statistics and factors after a failed attempt
 *   ga_loop_undo             restore the memory, too
 *   accept_step            update predictor, statistics and time; then events and observer
 *
 * it->mem is the accepted state and memory, it->last what an attempt returns to. A status < 0 is
 * final; with a status > 0 (GA_RETRY_..) a step of another size may succeed. All functions that
 * solve or evaluate are collective: all processes of a team call them. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "run/integrator.h"

static const double SAME_STEP = 1e-9; /* relative difference of t1 - t and h that is rounding */
static const double LEAST_STEP = 16;  /* smallest automatic step, in roundings of t */
static const double NOT_LEAST =
    1.001; /* a step that is larger than the least one, relative to it */

/* Allocate the work arrays of this file from it->arena; the caller checks arena.failed. */
void ga_loop_init(ga_integrator *it) {
  ga_loop_work *w = &it->loop_work;
  w->values.vd = ga_arena_doubles(&it->arena, (size_t)it->eval.nv);
  w->values.lam = ga_arena_doubles(&it->arena, (size_t)it->eval.nlam);
  w->values.psi = ga_arena_doubles(&it->arena, (size_t)it->eval.npsi);
  w->mass_solution = ga_arena_doubles(&it->arena, (size_t)it->eval.nv);
}

/* Compute into loop_work.values what is reported but is no unknown of the step: v', lam, psi from
 * the equations of motion at its end. Nothing to do for GA_REPORT_STEP. The multipliers of the
 * step, in step.newton.x, are the guess and go to saddle.guess. */
static ga_status compute_reported_values(ga_integrator *it) {
  const ga_equations *eq = &it->step.eq;
  const ga_method *method = it->method;
  const ga_site *end = &eq->site[GA_SITE_NEW];
  const double *x = it->step.newton.x;
  const ga_values *out = &it->loop_work.values;
  if (method->report == GA_REPORT_STEP) return GA_OK;
  memcpy(it->saddle.guess, ga_equations_multipliers(eq, x, method->out_lam),
         (size_t)eq->nlam * sizeof(double));
  memcpy(it->saddle.guess + eq->nlam, ga_equations_multipliers(eq, x, method->out_psi),
         (size_t)eq->npsi * sizeof(double));
  return ga_saddle_acceleration(&it->saddle, end->t, end->q, end->v, out->vd, out->lam, out->psi);
}

/* The matrix of a step is singular. If the method needs a regular M and M is singular, replace
 * the text in it->error by one that names the coordinate without mass (the code stays), and
 * return true; otherwise it->error does not change. The factors of the saddle are overwritten.
 */
static bool name_massless_coordinate(ga_integrator *it) {
  const ga_method *method = it->method;
  const ga_site *site = &it->step.eq.site[GA_SITE_NEW];
  if (method->dyn[method->out_x].forces != GA_FORCES_APPLIED) return false;
  ga_error matrix = it->error;
  ga_status status =
      ga_saddle_mass_solve(&it->saddle, site->t, site->q, site->F, it->loop_work.mass_solution);
  if (status == GA_ERR_SINGULAR) {
    ga_error_prefix(&it->error, "method '%s'", method->name);
    it->error.code = matrix.code;
  } else {
    it->error = matrix;
  }
  return status == GA_ERR_SINGULAR;
}

/* The matrix of a step is singular. If the constraints are independent at the state before the
 * step, change the end of the text in it->error, from ';' on: the step is too large, its iterates
 * have left the motion. The factors of the saddle are overwritten. */
static void explain_singular_step(ga_integrator *it) {
  ga_error matrix = it->error;
  char *tail = strchr(matrix.text, ';');
  bool explained = ga_team_any(it->eval.team, tail != NULL);
  if (explained && ga_saddle_factor(&it->saddle, it->mem.t, it->mem.q, it->mem.v) == GA_OK &&
      tail) {
    size_t room = sizeof matrix.text - (size_t)(tail - matrix.text);
    snprintf(tail, room,
             "; the constraints are independent at t = %.9g: the step is too large, or leads to a "
             "place where they are not; try a smaller step",
             it->mem.t);
  }
  it->error = matrix;
}

/* Solve the equations of the step of size h from it->mem.t to t1 by Newton's iteration, from a
 * guess extrapolated from the last steps. The solution is in it->step.newton.x, the end of the step
 * in step.eq.site[GA_SITE_NEW]; the memory does not change. */
ga_status ga_loop_solve(ga_integrator *it, const ga_past *past, double h, double t1) {
  ga_status status = ga_equations_begin(&it->step.eq, &it->mem, past, h, t1);
  if (status != GA_OK) return status;
  double *x = it->step.newton.x; /* the guess is made where the iteration begins */
  bool extrapolated = ga_predictor_guess(&it->predictor, it->mem.t, t1, x);
  return ga_newton_solve(&it->step.newton, extrapolated ? x : NULL, it->predictor.phi[0]);
}

/* Correct the memory for h, then solve the equations of the step into step.newton.x; the first step
 * of an implicit start also finds its a_n. If the matrix is singular, the message is
 * improved. The memory it->mem does not change. */
static ga_status solve_step(ga_integrator *it, double h, double t1) {
  ga_past past;
  ga_status status = ga_memory_correct(it, h, &past);
  if (status != GA_OK) return status;
  if (it->mem.first && it->options.start == GA_START_IMPLICIT) {
    return ga_start_implicit_step(it, &past, h, t1);
  }
  status = ga_loop_solve(it, &past, h, t1);
  if (status == GA_RETRY_SINGULAR && !name_massless_coordinate(it)) explain_singular_step(it);
  return status;
}

/* Before an attempt: copy statistics and experience to it->last, mark factors and evaluations as
 * those to return to. it->last holds no step any more. */
static void remember_before_step(ga_integrator *it) {
  it->last.stats = it->stats;
  it->last.experience = it->step.factors.past;
  it->last.redundancy = it->redundancy;
  ga_factors_begin(&it->step.factors);
  ga_eval_begin(&it->eval);
  it->last.valid = false;
}

/* After an attempt that failed or is rejected, when it->mem is already as before: counters of work
 * stay, maxima of residuals and the state of redundancy are restored. Factors made in the attempt
 * are dropped, so that the next attempt does not depend on it. it->last is no longer valid. */
static void restore_after_failure(ga_integrator *it) {
  const ga_stats *before = &it->last.stats;
  it->stats.max_g = before->max_g;
  it->stats.max_gv = before->max_gv;
  it->stats.max_k = before->max_k;
  it->redundancy.calm = it->last.redundancy.calm;
  memcpy(it->redundancy.reference, it->last.redundancy.reference, sizeof it->redundancy.reference);
  ga_factors_take_back(&it->step.factors, &it->step.eq, &it->last.experience);
  ga_eval_take_back(&it->eval);
  it->last.valid = false;
}

/* Return to the accepted state before the last step, bit by bit. it->last must be valid, and is not
 * afterwards: only one step can be undone. */
void ga_loop_undo(ga_integrator *it) {
  ga_memory_copy(&it->mem, &it->last.mem, &it->eval);
  restore_after_failure(it);
}

/* Store the solved step in the memory (the old one goes to it->last, which becomes valid) and the
 * largest constraint residuals in the statistics. If this fails, the memory does not change. */
static ga_status store_results(ga_integrator *it) {
  double worst[3];
  ga_status status = ga_equations_end(&it->step.eq, it->step.newton.x, &it->loop_work.values,
                                      &it->mem, &it->last.mem, worst);
  if (status != GA_OK) return status;
  it->stats.max_g = ga_max(it->stats.max_g, worst[0]);
  it->stats.max_gv = ga_max(it->stats.max_gv, worst[1]);
  it->stats.max_k = ga_max(it->stats.max_k, worst[2]);
  it->mem.delta = it->delta;
  it->mem.growth = it->growth;
  it->last.valid = true;
  it->last.extrapolated = false;
  return GA_OK;
}

/* After a projection of q and v: compute v' and, unless they are unknowns of the step
 * (GA_REPORT_VD), lam and psi again at the projected state, into it->mem. a and w, the memory of
 * the method, stay. If this fails, it->mem keeps the old values. */
ga_status ga_loop_report_again(ga_integrator *it) {
  const ga_values *out = &it->loop_work.values;
  ga_memory *mem = &it->mem;
  const ga_eval *e = &it->eval;
  ga_start_guess(it);
  ga_status status =
      ga_saddle_acceleration(&it->saddle, mem->t, mem->q, mem->v, out->vd, out->lam, out->psi);
  if (status != GA_OK) return status;
  memcpy(mem->vd, out->vd, (size_t)e->nv * sizeof(double));
  if (it->method->report == GA_REPORT_VD) return GA_OK; /* multipliers are the step's */
  memcpy(mem->lam, out->lam, (size_t)e->nlam * sizeof(double));
  memcpy(mem->psi, out->psi, (size_t)e->npsi * sizeof(double));
  return GA_OK;
}

/* Try one step of size h to t1. On success it->mem is the new state and it->last the old one; the
 * step is not yet counted and can be undone. On failure the accepted state is as before and
 * stats.failed is increased (not for a step that is too small to be tried); a status > 0 means that
 * a smaller step may succeed. */
ga_status ga_loop_attempt(ga_integrator *it, double h, double t1) {
  ga_error_clear(&it->error);
  if (!(t1 > it->mem.t) || h * h < DBL_MIN) {
    return ga_fail(&it->error, GA_ERR_STEP, "t = %.17g: a step of %g is too small", it->mem.t, h);
  }
  /* if t is so large that t + h is rounded, the true step size is t1 - t */
  if (fabs(t1 - it->mem.t - h) > SAME_STEP * h) h = t1 - it->mem.t;
  if (it->step_size.on) ga_eval_set_step(&it->eval, h);
  remember_before_step(it);
  if (it->contacts.n > 0) ga_contacts_hold(it, h);
  it->far_roots.refused = false;
  ga_redundancy_begin(it);
  ga_status status = solve_step(it, h, t1);
  if (status == GA_OK) status = ga_far_roots_check(it, h, t1);
  if (status == GA_OK) status = ga_redundancy_check(it); /* a singular position has no report */
  if (status == GA_OK) status = compute_reported_values(it);
  if (status == GA_OK) status = store_results(it);
  if (status == GA_OK) status = ga_project_if_due(it);
  ga_integrator_count_repivots(it);
  if (status == GA_OK) return GA_OK;
  if (it->last.valid) {
    ga_loop_undo(it);
  } else {
    restore_after_failure(it);
  }
  it->stats.failed++;
  return status;
}

/* Update statistics (steps, largest and least h) and t, h of the user's state for an accepted step
 * of size h. */
static void count_step(ga_integrator *it, double h) {
  it->stats.steps++;
  it->stats.h_largest = fmax(it->stats.h_largest, h);
  it->stats.h_least = it->stats.h_least > 0 ? fmin(it->stats.h_least, h) : h;
  it->state.h = h;
  it->state.t = it->mem.t;
  ga_integrator_inputs_show(it);
}

/* Make the solved step final: predictor, statistics, singular positions, redundant rows. A failure
 * (of the multipliers of redundant rows) ends the run, with the step counted. */
static ga_status accept_step(ga_integrator *it) {
  const ga_equations *eq = &it->step.eq;
  if (it->step.newton.misled) ga_predictor_forget(&it->predictor);
  ga_predictor_keep(&it->predictor, eq->t, eq->t1, it->step.newton.x);
  it->t_memory = it->mem.t;
  count_step(it, it->mem.h);
  ga_passages_watch(it);
  return ga_redundancy_accept(it);
}

/* The step was cut at a change of contacts, where a new memory will begin. */
static ga_status accept_cut(ga_integrator *it) {
  it->t_memory = it->mem.t;
  if (it->last.valid) count_step(it, it->mem.t - it->last.mem.t);
  return GA_OK;
}

/* Fail because a step below `least` would be needed. The message gives the cause: the last
 * attempt, of size h, was rejected for its error, or failed with the message in it->error. */
static ga_status fail_below_h_min(ga_integrator *it, double least, double h, bool rejected) {
  const ga_error last = it->error;
  if (rejected) {
    return ga_fail(&it->error, GA_ERR_STEP,
                   "t = %.9g: steps fell below h-min = %.3g; the last of %.3g had too large an "
                   "error. Larger rtol or atol, a smaller h-min, or a smoother model may help",
                   it->mem.t, least, h);
  }
  return ga_fail(&it->error, GA_ERR_STEP,
                 "t = %.9g: steps fell below h-min = %.3g; the last of %.3g failed: %s", it->mem.t,
                 least, h, last.text);
}

/* One step with automatic size: try smaller and smaller steps until the error estimate is at most 1
 * (GA_OK; not yet counted), or the step is below h_min or rounding of t (GA_ERR_STEP). Output:
 * *plan is the step made, it->h the next size. On failure the accepted state is as before. */
static ga_status step_of_automatic_size(ga_integrator *it, double t_end, ga_plan *plan) {
  enum { BESIDE = 6 };
  static const double beside[BESIDE] = {0.6, 1.4, 0.3, 2.5, 0.15, 5}; /* of the step that fails */
  double err = 0, first = 0;
  int singular = 0;
  for (bool again = false;; again = true) {
    double t = fabs(it->mem.t), way = t_end - t;
    if (t == 0 && isfinite(way)) t = DBL_EPSILON * way;
    double least = fmax(it->options.h_min, LEAST_STEP * DBL_EPSILON * t);
    if (again && it->h < least && plan->h > NOT_LEAST * least) it->h = least;
    if (again && it->h < least) return fail_below_h_min(it, least, plan->h, err > 0);
    ga_status status = ga_plan_next(it, t_end, plan);
    if (status == GA_OK) status = ga_loop_attempt(it, plan->h, plan->t1);
    if (status < 0) return status;
    if (status > 0) {
      err = 0;
      if (singular == 0) first = plan->h;
      ga_step_size_fail(it, plan->h);
      /* steps that end before and beyond a singular position; all shorter ones end nearer to it */
      if (status == GA_RETRY_SINGULAR && singular < BESIDE) it->h = beside[singular++] * first;
      continue;
    }
    status = ga_step_size_error(it, &err);
    if (status == GA_OK && err <= 1) {
      ga_step_size_accept(it, err, plan->h, it->h, again);
      return GA_OK;
    }
    ga_loop_undo(it);
    if (status < 0) return status;
    it->stats.rejected++;
    ga_step_size_reject(it, err, plan->h);
  }
}

/* The last step of a run failed with `status`. Try a shorter and a longer one; if both succeed,
 * the end is a singular position, and the message says so. Both are undone. */
static ga_status explain_singular_end(ga_integrator *it, const ga_plan *plan, ga_status status) {
  static const double fractions[] = {0.6, 1.4}; /* of the step: before and after its end */
  const ga_error failed = it->error;
  for (int i = 0; i < 2; i++) {
    if (ga_loop_attempt(it, fractions[i] * plan->h, it->mem.t + fractions[i] * plan->h) != GA_OK) {
      it->error = failed;
      return status;
    }
    ga_loop_undo(it);
  }
  return ga_fail(&it->error, GA_RETRY_SINGULAR,
                 "t = %.9g: steps that end before and after t = %.9g succeed, one that ends there "
                 "does not. The run is to end in a singular position, or next to one, where "
                 "constraints depend on each other and their forces are not defined; end it a "
                 "little later or earlier",
                 it->mem.t, plan->t1);
}

/* A step of given size. If it would end in a singular position, try 0.6, 0.8, 0.3 of the way to its
 * end; the next ones, none longer than h, lead to the planned time after that (plan.c). If the
 * mechanism stays singular, or t_end itself is singular, solve the step as it is, with regularized
 * multipliers (redundancy.patient). it->mem is the result; on failure it is as before. */
static ga_status step_of_given_size(ga_integrator *it, const ga_plan *plan, double t_end) {
  static const double fractions[] = {0.6, 0.8, 0.3};
  ga_status status = ga_loop_attempt(it, plan->h, plan->t1);
  if (status > 0 && it->restart.fresh) status = ga_restart_damped(it, plan->h, plan->t1, status);
  it->restart.fresh = false;
  if (!it->redundancy.on || it->far_roots.refused ||
      (status != GA_RETRY_SINGULAR && status != GA_RETRY_NEWTON))
    return status;
  const double way = plan->t1 - it->mem.t;
  const bool divided = plan->t1 < t_end;
  for (int i = 0; i < 3 && status > 0 && divided; i++) {
    status = ga_loop_attempt(it, fractions[i] * way, it->mem.t + fractions[i] * way);
  }
  it->stats.singular += status == GA_OK;
  if (status <= 0) return status;
  status = ga_redundancy_make_slots(it);
  if (status != GA_OK) return status;
  it->redundancy.patient = true;
  status = ga_loop_attempt(it, plan->h, plan->t1);
  it->redundancy.patient = false;
  return status > 0 && plan->t1 >= t_end ? explain_singular_end(it, plan, status) : status;
}

/* A step that is too short to be solved: move q and v along their Taylor polynomials, project if due, count
 * the step. On failure the accepted state is as before. */
static ga_status extrapolate_short_step(ga_integrator *it, const ga_plan *plan) {
  ga_memory_extrapolate(it, plan->t1);
  ga_status status = ga_project_if_due(it);
  if (status == GA_OK) {
    ga_predictor_shift(&it->predictor, plan->t1);
    count_step(it, plan->h);
  } else {
    ga_memory_copy(&it->mem, &it->last.mem, &it->eval);
    it->last.valid = false;
  }
  return status;
}

/* A step was solved. Where it is not cut: again with other states, as long as contacts change in it. */
static ga_status switch_contacts(ga_integrator *it, const ga_plan *plan, double t_end) {
  bool again = true;
  ga_status status = GA_OK;
  if (!ga_contacts_uncut(it)) return ga_contacts_aim(it, plan);
  ga_contacts_begin_uncut(it);
  while (status == GA_OK) {
    status = ga_contacts_find_switch(it, &again);
    if (status != GA_OK || !again) break;
    ga_loop_undo(it);
    status = ga_contacts_switch(it);
    if (status == GA_OK) status = step_of_given_size(it, plan, t_end);
  }
  return status;
}

/* Make one accepted step on the way to t_end (INFINITY: no end has to be met), which never passes
 * t_end, and advance the plan. The step begins with the inputs set last and ends where one of them
 * jumps. Neither events nor the observer are called. */
static ga_status advance_one_step(ga_integrator *it, double t_end) {
  ga_plan plan;
  const double asked = t_end;
  ga_status status = it->presence.change ? ga_presence_prepare(it) : GA_OK;
  if (status == GA_OK) status = ga_corners_pass(it, t_end);
  if (status == GA_OK) status = ga_integrator_inputs_apply(it);
  if (status == GA_OK && it->contacts.n > 0) status = ga_contacts_prepare(it);
  if (status != GA_OK) return status;
  t_end = ga_integrator_inputs_stop(it, t_end);
  double end = t_end;
  if (it->step_size.on) status = ga_corners_end(it, t_end, &end);
  if (status == GA_OK) status = ga_plan_next(it, end, &plan);
  if (status == GA_OK && !it->step_size.on) status = ga_corners_meet(it, t_end, &plan);
  if (status != GA_OK) return status;
  it->corners.passed = false;
  if (plan.t1 > it->mem.t && ga_memory_step_too_short(it, &plan)) {
    status = extrapolate_short_step(it, &plan);
  } else {
    bool cut = false, late = false;
    status = it->step_size.on ? step_of_automatic_size(it, end, &plan)
                              : step_of_given_size(it, &plan, t_end);
    if (status > 0 && it->contacts.n > 0) status = ga_contacts_retry(it, &plan, status);
    if (status == GA_OK && it->contacts.n > 0) status = switch_contacts(it, &plan, t_end);
    if (status == GA_OK && it->presence.on) status = ga_presence_watch(it, &late);
    if (status == GA_OK && late) return ga_loop_undo(it), advance_one_step(it, asked);
    if (status == GA_OK && it->contacts.n > 0) status = ga_contacts_examine(it, &plan, &cut);
    if (status == GA_OK) status = cut ? accept_cut(it) : accept_step(it);
    if (status == GA_OK && it->contacts.n > 0) status = ga_contacts_accept(it);
  }
  if (status != GA_OK) return status;
  it->corners.behind = false;
  ga_plan_advance(it, &plan, it->mem.t == t_end);
  return GA_OK;
}

/* Call the observer; GA_STOPPED on all processes if that of one of them returns nonzero. */
ga_status ga_loop_observe(ga_integrator *it) {
  ga_status status = GA_OK;
  it->state.t = it->mem.t;
  ga_presence_show(it);
  if (it->observer && it->observer(it->observer_context, &it->state, &it->stats) != 0) {
    status = ga_fail(&it->error, GA_STOPPED, "t = %.9g: stopped by the observer", it->mem.t);
  }
  return ga_team_agree(it->eval.team, status, &it->error);
}

/* After an accepted step on the way to t_end: find and report events, pass a corner at its end,
 * then call the observer. The result is GA_STOPPED if the observer stops the run, otherwise
 * GA_EVENT after a terminal event, or GA_OK; < 0: failure. */
static ga_status handle_events_and_observe(ga_integrator *it, double t_end) {
  ga_status status = it->events.n > 0 ? ga_events_handle(it) : GA_OK;
  if (status == GA_OK && it->contacts.pending) status = ga_contacts_pass(it);
  if (status == GA_OK) status = ga_corners_pass(it, t_end);
  if (status == GA_OK && isfinite(t_end) && t_end > it->mem.t &&
      t_end - it->mem.t <= ga_same_time(it->mem.t, t_end)) {
    ga_memory_set_time(it, t_end); /* there was a corner next to the end */
  }
  if (status < 0) return status;
  ga_status seen = ga_loop_observe(it);
  return seen != GA_OK ? seen : status;
}

/* Before a step or a run: GA_ERR_ARG unless the integrator is started and, in a team, all processes
 * agree on t_end, h and the number of events. Clears it->error and events.stopped_by. */
static ga_status check_ready(ga_integrator *it, double t_end) {
  ga_team *team = it->eval.team;
  const double common[] = {it->started, t_end, it->events.n, it->h};
  it->events.stopped_by = -1;
  ga_error_clear(&it->error);
  if (team && !ga_team_same(team, 4, common)) {
    return ga_fail(
        &it->error, GA_ERR_ARG,
        "the ranks of the team differ: all of them need a start, the same step size, the "
        "same end of the run and the same number of events");
  }
  if (it->started) return GA_OK;
  return ga_fail(&it->error, GA_ERR_ARG, "ga_integrator_start comes first");
}

/* Make one step, then handle events and call the observer. GA_OK, GA_EVENT or GA_STOPPED after an
 * accepted step; any other status: the accepted state is that before the step. */
ga_status ga_integrator_step(ga_integrator *it) {
  ga_status status = check_ready(it, 0); /* 0: there is no t_end to compare */
  if (status == GA_OK) status = advance_one_step(it, INFINITY);
  return status == GA_OK ? handle_events_and_observe(it, INFINITY) : status;
}

/* Step until t_end is met exactly (GA_OK), an event (GA_EVENT) or the observer (GA_STOPPED) stops
 * the run, or a step fails; the accepted state is then the last good one. t_end in the past:
 * GA_ERR_ARG. */
ga_status ga_integrator_run(ga_integrator *it, double t_end) {
  ga_status status = check_ready(it, isfinite(t_end) ? t_end : 0);
  if (status != GA_OK) return status;
  double same = ga_same_time(it->mem.t, t_end);
  if (!isfinite(t_end) || t_end < it->mem.t - same) {
    return ga_fail(&it->error, GA_ERR_ARG, "t_end = %g must be finite and not before t = %g", t_end,
                   it->mem.t);
  }
  /* t_end is reached up to rounding: make no step, and do not move time backwards */
  if (t_end <= it->mem.t + same) {
    if (t_end > it->mem.t) ga_memory_set_time(it, t_end);
    return GA_OK;
  }
  ga_corners_limit_step(it, t_end);
  while (status == GA_OK && it->mem.t < t_end) {
    status = advance_one_step(it, t_end);
    if (status == GA_OK) status = handle_events_and_observe(it, t_end);
  }
  return status;
}

/* Set the size h of the next steps (automatic sizes: of the next step only); given times are
 * counted from the current one on. GA_ERR_STEP, and no change, if h is not a possible size. */
ga_status ga_integrator_set_step(ga_integrator *it, double h) {
  ga_status status = ga_check_step_size(h, &it->error);
  if (status != GA_OK) return status;
  it->h = h;
  it->corners.known = false; /* other corners are on the grid of h */
  if (!it->step_size.on) it->options.h = h;
  ga_eval_set_step(&it->eval, h);
  if (it->started) ga_plan_rebase(it, true); /* true: go on with the next fraction */
  return GA_OK;
}

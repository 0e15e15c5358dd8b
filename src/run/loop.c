/* SPDX-License-Identifier: MIT */
/* The loop over steps: one attempt, its acceptance or the way back, what follows an accepted step.
 * Steps that are too short to be solved are extrapolated (memory_change.c).
 *
 *   attempt    correct the memory for h, solve, put the results into the memory, project; the state
 *              before the step is kept
 *   give_back  restore factors and costs of the Newton matrix after a failed attempt
 *   take_back  restore the memory, too
 *   accept     update predictor, statistics, times, step size; then events and observer
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "run/integrator.h"

static const double SAME_STEP = 1e-9; /* relative difference of t1 - t and h that is rounding */
static const double LEAST_STEP = 16;  /* smallest automatic step, in roundings of t */
static const double NOT_LEAST =
    1.001; /* a step that is larger than the least one, relative to it */

/* Reported values that are not unknowns of the step: from the equations of motion at its end. */
static ga_status report(ga_integrator *it) {
  const ga_equations *eq = &it->step.eq;
  const ga_method *method = it->method;
  const ga_site *end = &eq->site[GA_SITE_NEW];
  const double *x = it->step.newton.x;
  const ga_values *out = &it->values;
  if (method->report == GA_REPORT_STEP) return GA_OK;
  memcpy(it->saddle.guess, ga_equations_multipliers(eq, x, method->out_lam),
         (size_t)eq->nlam * sizeof(double));
  memcpy(it->saddle.guess + eq->nlam, ga_equations_multipliers(eq, x, method->out_psi),
         (size_t)eq->npsi * sizeof(double));
  return ga_saddle_acceleration(&it->saddle, end->t, end->q, end->v, out->vd, out->lam, out->psi);
}

/* A method that needs M regular, and the matrix of its step is singular: if M is the reason, the
 * message names the coordinate. */
static bool name_massless(ga_integrator *it) {
  const ga_method *method = it->method;
  const ga_site *site = &it->step.eq.site[GA_SITE_NEW];
  if (method->dyn[method->out_x].forces != GA_FORCES_APPLIED) return false;
  ga_error matrix = it->error;
  ga_status status = ga_saddle_mass_solve(&it->saddle, site->t, site->q, site->F, it->d);
  if (status == GA_ERR_SINGULAR) {
    ga_error_prefix(&it->error, "method '%s'", method->name);
    it->error.code = matrix.code;
  } else {
    it->error = matrix;
  }
  return status == GA_ERR_SINGULAR;
}

/* The matrix of a step is singular. Where the constraints are independent at the state before it,
 * they are not to blame: the iterates of a step that is too large have left the motion. */
static void blame_step(ga_integrator *it) {
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

/* the equations of the step, solved from a guess that the last steps give */
ga_status ga_loop_solve(ga_integrator *it, const ga_past *past, double h, double t1) {
  ga_status status = ga_equations_begin(&it->step.eq, &it->mem, past, h, t1);
  if (status != GA_OK) return status;
  double *x = it->step.newton.x; /* the guess is made where the iteration begins */
  bool extrapolated = ga_predictor_guess(&it->predictor, it->mem.t, t1, x);
  return ga_newton_solve(&it->step.newton, extrapolated ? x : NULL, it->predictor.phi[0]);
}

/* correct the memory for h, then solve the equations of the step */
static ga_status solve_step(ga_integrator *it, double h, double t1) {
  ga_past past;
  ga_status status = ga_memory_correct(it, h, &past);
  if (status != GA_OK) return status;
  if (it->mem.first && it->options.start == GA_START_IMPLICIT) {
    return ga_start_implicit_step(it, &past, h, t1);
  }
  status = ga_loop_solve(it, &past, h, t1);
  if (status == GA_RETRY_SINGULAR && !name_massless(it)) blame_step(it);
  return status;
}

/* before an attempt: there is no last step any more */
static void keep(ga_integrator *it) {
  it->last.stats = it->stats;
  it->last.experience = it->step.factors.past;
  it->last.redundancy = it->redundancy;
  ga_factors_begin(&it->step.factors);
  ga_eval_begin(&it->eval);
  it->last.valid = false;
}

/* An attempt failed or is rejected. The effort counts, the extremes do not; factors made on the
 * way do not serve the next attempt: a run that never tried this step would not have them. */
static void give_back(ga_integrator *it) {
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

static void take_back(ga_integrator *it) {
  ga_memory_copy(&it->mem, &it->last.mem, &it->eval);
  give_back(it);
}

/* results into the memory, constraint residuals into the statistics */
static ga_status finish(ga_integrator *it) {
  double worst[3];
  ga_status status = ga_equations_end(&it->step.eq, it->step.newton.x, &it->values, &it->mem,
                                      &it->last.mem, worst);
  if (status != GA_OK) return status;
  it->stats.max_g = ga_max(it->stats.max_g, worst[0]);
  it->stats.max_gv = ga_max(it->stats.max_gv, worst[1]);
  it->stats.max_k = ga_max(it->stats.max_k, worst[2]);
  it->mem.delta = it->delta;
  it->mem.growth = it->growth;
  it->last.valid = true;
  return GA_OK;
}

/* q and v have been projected: v' and the multipliers that are reported belong to where they are
 * now. The memory of the method, a and w, stays what the step has made. */
static ga_status report_again(ga_integrator *it) {
  const ga_values *out = &it->values;
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

/* The projections that the options ask for belong to the step: where one fails, so does the step.
 */
static ga_status project(ga_integrator *it) {
  int every = it->options.project_every;
  double moved_q = 0, moved_v = 0;
  if (every == 0 || (it->stats.steps + 1) % every != 0) return GA_OK;
  ga_status status = ga_integrator_project_position(it, &moved_q);
  if (status == GA_OK) status = ga_integrator_project_velocity(it, GA_PROJECT_PLAIN, &moved_v);
  if (status == GA_OK && moved_q + moved_v > 0) status = report_again(it);
  if (status != GA_OK) ga_error_prefix(&it->error, "projection of a step");
  return status;
}

/* one step of size h to t1; the memory changes only if all of it succeeds */
static ga_status attempt(ga_integrator *it, double h, double t1) {
  ga_error_clear(&it->error);
  if (!(t1 > it->mem.t) || h * h < DBL_MIN) {
    return ga_fail(&it->error, GA_ERR_STEP, "t = %.17g: a step of %g is too small", it->mem.t, h);
  }
  /* where t is so large that its rounding matters, the step is what t1 - t says */
  if (fabs(t1 - it->mem.t - h) > SAME_STEP * h) h = t1 - it->mem.t;
  if (it->step_size.on) ga_eval_set_step(&it->eval, h);
  keep(it);
  ga_redundancy_begin(it);
  ga_status status = solve_step(it, h, t1);
  if (status == GA_OK) status = ga_redundancy_check(it); /* a singular position has no report */
  if (status == GA_OK) status = report(it);
  if (status == GA_OK) status = finish(it);
  if (status == GA_OK) status = project(it);
  ga_integrator_count_repivots(it);
  if (status == GA_OK) return GA_OK;
  if (it->last.valid) {
    take_back(it);
  } else {
    give_back(it);
  }
  it->stats.failed++;
  return status;
}

static void count(ga_integrator *it, double h) {
  it->stats.steps++;
  it->stats.h_largest = fmax(it->stats.h_largest, h);
  it->stats.h_least = it->stats.h_least > 0 ? fmin(it->stats.h_least, h) : h;
  it->state.h = h;
  it->state.t = it->mem.t;
}

static ga_status accept(ga_integrator *it) {
  const ga_equations *eq = &it->step.eq;
  if (it->step.newton.misled) ga_predictor_forget(&it->predictor);
  ga_predictor_keep(&it->predictor, eq->t, eq->t1, it->step.newton.x);
  it->t_memory = it->mem.t;
  count(it, it->mem.h);
  return ga_redundancy_accept(it);
}

/* No step smaller than h_min is tried. The message gives the cause: the last attempt, of size h,
 * was rejected for its error, or it failed and left its reason. */
static ga_status below_least(ga_integrator *it, double least, double h, bool rejected) {
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

/* Automatic: smaller and smaller, until the error is small enough or the step too small. */
static ga_status step_of_automatic_size(ga_integrator *it, double t_end, ga_plan *plan) {
  double err = 0;
  for (bool again = false;; again = true) {
    double t = fabs(it->mem.t), way = t_end - t;
    if (t == 0 && isfinite(way)) t = DBL_EPSILON * way;
    double least = fmax(it->options.h_min, LEAST_STEP * DBL_EPSILON * t);
    if (again && it->h < least && plan->h > NOT_LEAST * least) it->h = least;
    if (again && it->h < least) return below_least(it, least, plan->h, err > 0);
    ga_status status = ga_plan_next(it, t_end, plan);
    if (status == GA_OK) status = attempt(it, plan->h, plan->t1);
    if (status < 0) return status;
    if (status > 0) {
      err = 0;
      ga_step_size_fail(it, plan->h);
      continue;
    }
    status = ga_step_size_error(it, &err);
    if (status == GA_OK && err <= 1) {
      ga_step_size_accept(it, err, plan->h, it->h, again);
      return GA_OK;
    }
    take_back(it);
    if (status < 0) return status;
    it->stats.rejected++;
    ga_step_size_reject(it, err, plan->h);
  }
}

/* The last step of a run failed. If a shorter and a longer one succeed, the end is a singular
 * position: say so. */
static ga_status blame_end(ga_integrator *it, const ga_plan *plan, ga_status status) {
  static const double fractions[] = {0.6, 1.4};
  const ga_error failed = it->error;
  for (int i = 0; i < 2; i++) {
    if (attempt(it, fractions[i] * plan->h, it->mem.t + fractions[i] * plan->h) != GA_OK) {
      it->error = failed;
      return status;
    }
    take_back(it);
  }
  return ga_fail(&it->error, GA_RETRY_SINGULAR,
                 "t = %.9g: steps that end before and after t = %.9g succeed, one that ends there "
                 "does not. The run is to end in a singular position, or next to one, where "
                 "constraints depend on each other and their forces are not defined; end it a "
                 "little later or earlier",
                 it->mem.t, plan->t1);
}

/* A step of given size. One that would end in a singular position ends beside it, and the next one
 * at the time that was planned for it. If the mechanism stays singular, or t_end itself is
 * singular, solve the step as it is, with regularized multipliers. */
static ga_status step_of_given_size(ga_integrator *it, const ga_plan *plan, double t_end) {
  static const double fractions[] = {0.6, 0.8, 0.3};
  ga_status status = attempt(it, plan->h, plan->t1);
  if (!it->redundancy.on || (status != GA_RETRY_SINGULAR && status != GA_RETRY_NEWTON))
    return status;
  for (int i = 0; i < 3 && status > 0 && plan->t1 < t_end; i++) {
    status = attempt(it, fractions[i] * plan->h, it->mem.t + fractions[i] * plan->h);
  }
  it->stats.singular += status == GA_OK;
  if (status <= 0) return status;
  status = ga_redundancy_make_slots(it);
  if (status != GA_OK) return status;
  it->redundancy.patient = true;
  status = attempt(it, plan->h, plan->t1);
  it->redundancy.patient = false;
  return status > 0 && plan->t1 >= t_end ? blame_end(it, plan, status) : status;
}

/* a step that is too short to be solved */
static ga_status extrapolate(ga_integrator *it, const ga_plan *plan) {
  ga_memory_extrapolate(it, plan->t1);
  ga_status status = project(it);
  if (status == GA_OK) {
    ga_predictor_shift(&it->predictor, plan->t1);
    count(it, plan->h);
  } else {
    ga_memory_copy(&it->mem, &it->last.mem, &it->eval);
    it->last.valid = false;
  }
  return status;
}

/* one accepted step on the way to t_end */
static ga_status advance(ga_integrator *it, double t_end) {
  ga_plan plan;
  ga_status status = ga_plan_next(it, t_end, &plan);
  if (status != GA_OK) return status;
  if (plan.t1 > it->mem.t && ga_memory_step_too_short(it, &plan)) {
    status = extrapolate(it, &plan);
  } else {
    status = it->step_size.on ? step_of_automatic_size(it, t_end, &plan)
                              : step_of_given_size(it, &plan, t_end);
    if (status == GA_OK) status = accept(it);
  }
  if (status != GA_OK) return status;
  ga_plan_advance(it, &plan, it->mem.t == t_end);
  return GA_OK;
}

ga_status ga_loop_observe(ga_integrator *it) {
  ga_status status = GA_OK;
  it->state.t = it->mem.t;
  if (it->observer && it->observer(it->observer_context, &it->state, &it->stats) != 0) {
    status = ga_fail(&it->error, GA_STOPPED, "t = %.9g: stopped by the observer", it->mem.t);
  }
  return ga_team_agree(it->eval.team, status, &it->error);
}

/* what follows an accepted step: events, the observer */
static ga_status conclude(ga_integrator *it) {
  ga_status status = it->events.n > 0 ? ga_events_handle(it) : GA_OK;
  if (status < 0) return status;
  ga_status seen = ga_loop_observe(it);
  return seen != GA_OK ? seen : status;
}

static ga_status begin(ga_integrator *it, double t_end) {
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

ga_status ga_integrator_step(ga_integrator *it) {
  ga_status status = begin(it, 0);
  if (status == GA_OK) status = advance(it, INFINITY);
  return status == GA_OK ? conclude(it) : status;
}

ga_status ga_integrator_run(ga_integrator *it, double t_end) {
  ga_status status = begin(it, isfinite(t_end) ? t_end : 0);
  if (status != GA_OK) return status;
  double same = ga_same_time(it->mem.t, t_end);
  if (!isfinite(t_end) || t_end < it->mem.t - same) {
    return ga_fail(&it->error, GA_ERR_ARG, "t_end = %g must be finite and not before t = %g", t_end,
                   it->mem.t);
  }
  /* already there but for rounding: no step, and no time backwards */
  if (t_end <= it->mem.t + same) {
    if (t_end > it->mem.t) ga_memory_set_time(it, t_end);
    return GA_OK;
  }
  while (status == GA_OK && it->mem.t < t_end) {
    status = advance(it, t_end);
    if (status == GA_OK) status = conclude(it);
  }
  return status;
}

ga_status ga_integrator_set_step(ga_integrator *it, double h) {
  ga_status status = ga_check_step_size(h, &it->error);
  if (status != GA_OK) return status;
  it->h = h;
  if (!it->step_size.on) it->options.h = h;
  ga_eval_set_step(&it->eval, h);
  if (it->started) ga_plan_rebase(it, true);
  return GA_OK;
}

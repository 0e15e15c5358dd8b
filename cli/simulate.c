/* SPDX-License-Identifier: MIT */
/* Drives the integrator: observer, interruption by signals, projection, failures. */
#define _POSIX_C_SOURCE 200809L
#include "simulate.h"

#include <math.h>
#include <string.h>

#include "interrupt.h"

void simulate_log(void *context, ga_log_level level, const char *text) {
  simulation *s = context;
  progress_clear(&s->progress);
  cli_error("%s%s", level == GA_LOG_WARNING ? "warning: " : "", text);
}

const ga_state *simulation_state(const simulation *s) {
  return s->x ? &ga_extrapolator_state(s->x)->state : ga_integrator_state(s->it);
}

long simulation_steps(const simulation *s) {
  return s->x ? ga_extrapolator_state(s->x)->steps : ga_integrator_stats(s->it)->steps;
}

const ga_stats *simulation_stats(const simulation *s) {
  return s->x ? ga_extrapolator_stats(s->x) : ga_integrator_stats(s->it);
}

static void watch_energy(simulation *s, const ga_state *state) {
  const ga_model *model = &s->problem->model;
  double kin, pot;
  if (!model->ops->energy ||
      model->ops->energy(model->user, state->t, state->q, state->v, &kin, &pot) != 0) {
    return;
  }
  s->energy_end = kin + pot;
  if (isnan(s->energy0)) {
    s->energy0 = kin + pot;
    s->energy_change = 0;
  }
  s->energy_change = fmax(s->energy_change, fabs(s->energy_end - s->energy0));
}

static bool write_row(simulation *s, const ga_state *state, long steps) {
  if (!s->out) return true;
  s->last_row = steps;
  return csv_row(s->out, &s->problem->model, state);
}

/* the first multiple of the interval, from the problem's start, that is later than t; multiples of
 * simulated time, so that a resumed run saves at the same steps as one that was never stopped */
static double checkpoint_after(const simulation *s, double t) {
  double t0 = s->problem->t0, every = s->checkpoint_every;
  return t0 + (floor((t - t0) / every * (1 + 1e-12)) + 1) * every;
}

static bool save(simulation *s) {
  if (ga_integrator_save(s->it, s->save_state) == GA_OK) return true;
  progress_clear(&s->progress);
  cli_error("%s", ga_integrator_error(s->it)->text);
  s->save_failed = true;
  return false;
}

/* each state in turn; false: the run ends here */
static bool watch(simulation *s, const ga_state *state, long steps) {
  watch_energy(s, state);
  if (s->history) history_add(s->history, state);
  if (steps % s->every == 0 && !write_row(s, state, steps)) return false;
  if (state->t >= s->next_checkpoint && steps > 0) {
    s->next_checkpoint = checkpoint_after(s, state->t);
    if (!save(s)) return false;
  }
  progress_update(&s->progress, state->t, steps);
  return !interrupt_came();
}

static int observe(void *context, const ga_state *state, const ga_stats *stats) {
  return !watch(context, state, stats->steps);
}

static int observe_extrapolated(void *context, const ga_extrapolated *now) {
  return !watch(context, &now->state, now->steps);
}

/* the state before and the state after the projection both belong to the trajectory */
static ga_status project(simulation *s) {
  const ga_state *state = ga_integrator_state(s->it);
  long steps = ga_integrator_stats(s->it)->steps;
  if (s->last_row != steps && !write_row(s, state, steps)) return GA_STOPPED;
  double moved = NAN;
  ga_status status = ga_integrator_project_velocity(s->it, s->projection, &moved);
  if (status != GA_OK) return status;
  progress_clear(&s->progress);
  cli_error("velocity projected at t = %.10g (%s): v moved by %.6g", state->t,
            s->projection == GA_PROJECT_PLAIN ? "plain" : "keep-order", moved);
  state = ga_integrator_state(s->it);
  if (s->history) history_add(s->history, state);
  return write_row(s, state, steps) ? GA_OK : GA_STOPPED;
}

/* at the problem's start values, or where a saved run was */
static ga_status begin(simulation *s) {
  const ga_problem *problem = s->problem;
  s->next_checkpoint = isnan(s->checkpoint_every) ? INFINITY : checkpoint_after(s, problem->t0);
  if (!s->from_state) return ga_integrator_start(s->it, problem->t0, problem->q0, problem->v0);
  ga_status status = ga_integrator_load(s->it, s->from_state);
  if (status != GA_OK) return status;
  const ga_state *state = ga_integrator_state(s->it);
  if (!isnan(s->checkpoint_every)) s->next_checkpoint = checkpoint_after(s, state->t);
  if (state->t > s->t_end) {
    cli_error("'%s' is at t = %.10g, after the end of the run at %.10g", s->from_state, state->t,
              s->t_end);
    return GA_STOPPED;
  }
  watch_energy(s, state);
  if (s->history) history_add(s->history, state);
  return write_row(s, state, ga_integrator_stats(s->it)->steps) ? GA_OK : GA_STOPPED;
}

static ga_status run_extrapolated(simulation *s) {
  const ga_problem *problem = s->problem;
  s->next_checkpoint = INFINITY;
  ga_extrapolator_observe(s->x, observe_extrapolated, s);
  ga_status status = ga_extrapolator_start(s->x, problem->t0, problem->q0, problem->v0);
  return status == GA_OK ? ga_extrapolator_run(s->x, s->t_end) : status;
}

static ga_status run(simulation *s) {
  if (s->x) return run_extrapolated(s);
  ga_integrator_observe(s->it, observe, s);
  ga_status status = begin(s);
  if (status == GA_OK && ga_integrator_state(s->it)->t <= s->project_at) {
    status = ga_integrator_run(s->it, s->project_at);
    if (status == GA_OK) status = project(s);
  }
  if (status == GA_OK && ga_integrator_state(s->it)->t < s->t_end) {
    status = ga_integrator_run(s->it, s->t_end);
  }
  return status;
}

static int report(const simulation *s, ga_status status, const ga_state *state, long steps) {
  if ((s->out && s->out->failed) || s->save_failed) return CLI_FAILED;
  if (interrupt_came() && status == GA_STOPPED) {
    cli_error("interrupted at t = %.10g of %.10g, after %ld steps", state->t, s->t_end, steps);
    return CLI_INTERRUPTED;
  }
  if (status != GA_OK) {
    /* the library's text mostly begins with the time */
    const ga_error *err = s->x ? ga_extrapolator_error(s->x) : ga_integrator_error(s->it);
    const char *reason = err->text[0] ? err->text : ga_status_text(status);
    char at[48] = "";
    if (strncmp(reason, "t = ", 4) != 0) snprintf(at, sizeof at, "t = %.10g: ", state->t);
    cli_error("the run failed after %ld steps, at %s%s", steps, at, reason);
    return CLI_FAILED;
  }
  return CLI_OK;
}

int simulate(simulation *s) {
  s->energy0 = s->energy_end = s->energy_change = NAN;
  s->last_row = -1;
  interrupt_catch();
  progress_begin(&s->progress, s->problem->t0, s->t_end);
  ga_status status = run(s);
  s->seconds = progress_seconds(&s->progress);
  progress_clear(&s->progress);

  const ga_state *state = simulation_state(s);
  long steps = simulation_steps(s);
  bool started = s->last_row >= 0;
  if (started && s->last_row != steps && !s->out->failed) write_row(s, state, steps);
  bool good = status == GA_OK || (status == GA_STOPPED && interrupt_came());
  int code = report(s, status, state, steps);
  if (s->save_state && good && !s->save_failed && !save(s)) code = CLI_FAILED;
  return code;
}

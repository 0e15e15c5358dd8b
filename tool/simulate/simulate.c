/* SPDX-License-Identifier: MIT */
/* Drives the integrator: observer, interruption by signals, projection, failures. */
#define _POSIX_C_SOURCE 200809L
#include "simulate/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "columns/state_fields.h"
#include "simulate/interrupt.h"

/* For ga_options.log, with the simulation as context: print a message of the library. */
void simulate_log(void *context, ga_log_level level, const char *text) {
  simulation *s = context;
  progress_clear(&s->progress);
  tool_error("%s%s", level == GA_LOG_WARNING ? "warning: " : "", text);
}

/* Update s->energy0 (at the first call, when it is NaN), energy_end and energy_change = max |E -
 * energy0|. Nothing if the model has no energy. All processes of a team call it. */
static void watch_energy(simulation *s, const ga_state *state) {
  double kin, pot;
  if (!solver_energy(s->solver, &s->problem->model, state, &kin, &pot)) return;
  s->energy_end = kin + pot;
  if (isnan(s->energy0)) {
    s->energy0 = kin + pot;
    s->energy_change = 0;
  }
  s->energy_change = fmax(s->energy_change, fabs(s->energy_end - s->energy0));
}

/* Append a state to the trajectory as a row, in process 0. If that fails, after a message, all
 * processes return false, with s->write_failed set. All processes of a team call it. */
static bool append_row(simulation *s, const ga_state *state) {
  const ga_state *whole = team_gather(s->solver->team, state);
  const bool good = !team_writes(s->solver->team) || trajectory_row(s->out, whole);
  s->write_failed = !team_agree(s->solver->team, good);
  return !s->write_failed;
}

/* For --out-dt: write the rows at t0 + k out_dt up to state->t that were not written yet, by dense
 * output (the integrator's interpolation inside its last step). s->next_out, the next k, moves on;
 * s->between is scratch. False after a message. */
static bool write_between(simulation *s, const ga_state *state) {
  const ga_model *model = &s->problem->model;
  /* slack: times that differ by less are the same */
  double t0 = s->problem->t0, slack = 1e-9 * s->out_dt, t_now = state->t;
  for (;; s->next_out++) {
    double t = t0 + (double)s->next_out * s->out_dt;
    if (t > t_now + slack) return true;
    if (t > t_now - slack) t = t_now;
    if (!solver_state_at(s->solver, model, t, s->between)) return false;
    ga_state row = snapshot_state(model, s->between);
    row.t = t;
    row.contacts = state->contacts; /* those of the piece of the step */
    row.energy_impacts = state->energy_impacts;
    row.energy_friction = state->energy_friction;
    if (model->ninput > 0) {
      double *u = s->between + snapshot_size(model);
      const ga_integrator *it = s->solver->it;
      if (it) ga_integrator_inputs(it, t, u);
      if (!it && model->input) memcpy(u, model->input, (size_t)model->ninput * sizeof *u);
      row.u = u;
    }
    if (!append_row(s, &row)) return false;
  }
}

/* Write the row, or with --out-dt the rows, that belong to this state; true also without a
 * trajectory, false after a message. steps: how many have been done, noted in s->last_row. */
static bool write_row(simulation *s, const ga_state *state, long steps) {
  if (!s->out) return true;
  s->last_row = steps;
  return s->between ? write_between(s, state) : append_row(s, state);
}

/* The first time t0 + k checkpoint_every later than t, with t0 the problem's start. A resumed run
 * therefore saves at the same steps as one that was never stopped. */
static double checkpoint_after(const simulation *s, double t) {
  double t0 = s->problem->t0, every = s->checkpoint_every;
  return t0 + (floor((t - t0) / every * (1 + 1e-12)) + 1) * every;
}

/* Save the present state of the integrator to the file s->save_state. False, with s->save_failed
 * set, after a message. All processes of a team call it. */
static bool save_state_file(simulation *s) {
  ga_integrator *it = s->solver->it;
  if (team_save(s->solver->team, it, s->save_state) == GA_OK) return true;
  progress_clear(&s->progress);
  tool_error("%s", ga_integrator_error(it)->text);
  s->save_failed = true;
  return false;
}

/* Pass a state on to s->seen (a function of the caller), the plot and the film of the page, as far
 * as they are wanted. All processes of a team call it. */
static void record_frame(simulation *s, const ga_state *state) {
  if (s->seen) s->seen(s->seen_context, state);
  if (!s->shows) return;
  const ga_state *whole = team_gather(s->solver->team, state);
  if (s->time_plot) time_plot_add(s->time_plot, whole);
  if (s->film) film_add(s->film, whole);
}

/* Does a row belong to this state? Steps that contacts cut have several pieces: with --every above 1
 * rows are those of every N-th whole step, without the pieces. */
static bool row_is_due(const simulation *s, const ga_state *state, long steps) {
  if (s->problem->model.ncontacts == 0 || s->every == 1 || !(s->options->h > 0)) {
    return steps % s->every == 0;
  }
  const double n = (state->t - s->problem->t0) / (s->options->h * s->every);
  return fabs(n - round(n)) < 1e-6;
}

/* The solver_watch of the run, called at the start and after every step: energy, frames, rows,
 * checkpoints, progress. False ends the run: a file failed, or a signal came. */
static bool observe_step(void *context, const ga_state *state, long steps) {
  simulation *s = context;
  watch_energy(s, state);
  record_frame(s, state);
  if (row_is_due(s, state, steps) && !write_row(s, state, steps)) return false;
  if (state->t >= s->next_checkpoint && steps > 0) {
    s->next_checkpoint = checkpoint_after(s, state->t);
    if (!save_state_file(s)) return false;
  }
  progress_update(&s->progress, state->t, steps);
  s->interrupted = !team_agree(s->solver->team, !interrupt_came());
  return !s->interrupted;
}

/* Project the velocity onto the hidden constraint (that of velocities) at the present time and
 * print how far it moved. The states before and after both become rows and frames. GA_OK, the
 * status of a failed projection, or GA_STOPPED if a row cannot be written. */
static ga_status project_velocity(simulation *s) {
  ga_integrator *it = s->solver->it;
  const ga_state *state = ga_integrator_state(it);
  long steps = ga_integrator_stats(it)->steps;
  if (s->last_row != steps && !write_row(s, state, steps)) return GA_STOPPED;
  double moved = NAN;
  ga_status status = ga_integrator_project_velocity(it, s->projection, &moved);
  if (status != GA_OK) return status;
  progress_clear(&s->progress);
  tool_error("velocity projected at t = %.10g (%s): v moved by %.6g", state->t,
             s->projection == GA_PROJECT_PLAIN ? "plain" : "keep-order", moved);
  record_frame(s, state);
  return write_row(s, state, steps) ? GA_OK : GA_STOPPED;
}

/* Start at the problem's initial values, or load s->from_state and write its first row and frame.
 * Sets s->next_checkpoint and, when resumed, s->next_out. GA_STOPPED after a message if that state
 * is later than t_end (s->start_refused) or a row cannot be written; else GA_OK or the failure. */
static ga_status start_or_resume(simulation *s) {
  const ga_problem *problem = s->problem;
  s->next_checkpoint = isnan(s->checkpoint_every) ? INFINITY : checkpoint_after(s, problem->t0);
  if (!s->from_state) return solver_start(s->solver, problem);
  ga_status status = team_load(s->solver->team, s->solver->it, s->from_state);
  if (status != GA_OK) return status;
  const ga_state *state = solver_state(s->solver);
  if (!isnan(s->checkpoint_every)) s->next_checkpoint = checkpoint_after(s, state->t);
  if (state->t > s->t_end) {
    tool_error("'%s' is at t = %.10g, after the end of the run at %.10g", s->from_state, state->t,
               s->t_end);
    s->start_refused = true;
    return GA_STOPPED;
  }
  watch_energy(s, state);
  if (s->between) s->next_out = (long)ceil((state->t - problem->t0) / s->out_dt - 1e-9);
  record_frame(s, state);
  return write_row(s, state, solver_steps(s->solver)) ? GA_OK : GA_STOPPED;
}

/* Start, run to s->project_at if there is one (it may be NaN), project, and run to s->t_end. The
 * status of the first part that did not end with GA_OK, GA_EVENT if an event ended the run. */
static ga_status run_to_end(simulation *s) {
  ga_status status = start_or_resume(s);
  if (status == GA_OK && solver_state(s->solver)->t <= s->project_at) {
    status = solver_run(s->solver, s->project_at);
    if (status == GA_OK) status = project_velocity(s);
  }
  if (status == GA_OK && solver_state(s->solver)->t < s->t_end) {
    status = solver_run(s->solver, s->t_end);
  }
  return status;
}

/* The exit code of a run that ended with this status, after a message if it did not succeed. */
static int report_outcome(const simulation *s, ga_status status, const ga_state *state,
                          long steps) {
  if (s->write_failed || s->save_failed || s->start_refused) return TOOL_FAILED;
  if (s->interrupted && status == GA_STOPPED) {
    tool_error("interrupted at t = %.10g of %.10g, after %ld steps", state->t, s->t_end, steps);
    return TOOL_INTERRUPTED;
  }
  if (status == GA_OK || status == GA_EVENT) return TOOL_OK;
  if (s->solver->solution) {
    tool_error("the run failed: %s", solver_reason(s->solver, status).text);
    return TOOL_FAILED;
  }
  tool_error("the run failed %s", solver_failure(s->solver, status, steps).text);
  return TOOL_FAILED;
}

/* With --accuracy: TOOL_NOT_REACHED if the result has not the accuracy asked for, which is said; else
 * TOOL_OK. */
int simulate_accuracy(const simulation *s) {
  const ga_solution *solution = s->solver->solution;
  if (!solution || ga_solution_accuracy(solution)->verdict == GA_VERDICT_REACHED) return TOOL_OK;
  tool_error("%s", ga_solution_accuracy(solution)->text);
  return TOOL_NOT_REACHED;
}

/* Make the run that s describes: rows, frames, checkpoints, projection, saved end state. s->solver
 * is open, and files in s are. Sets status, seconds, the energies and the flags of s; the end state
 * is then solver_state. Returns the exit code, after a message if it is not TOOL_OK. All processes
 * of a team call it. */
int simulate(simulation *s) {
  s->energy0 = s->energy_end = s->energy_change = NAN;
  s->last_row = -1;
  if (s->out && !isnan(s->out_dt)) {
    const ga_model *model = &s->problem->model;
    s->between = malloc((snapshot_size(model) + (size_t)model->ninput + 1) * sizeof *s->between);
    if (!team_agree(s->solver->team, s->between != NULL)) {
      tool_error("no memory for the states between the steps");
      free(s->between);
      return TOOL_FAILED;
    }
  }
  interrupt_catch();
  s->solver->watch = observe_step;
  s->solver->context = s;
  progress_begin(&s->progress, s->problem->t0, s->t_end);
  if (s->quiet) s->progress.on = false;
  s->solver->draws = s->time_plot || s->film || (s->out && !s->between) || s->seen;
  ga_status status = s->status = run_to_end(s);
  if (status == GA_STOPPED && s->solver->solution && interrupt_came()) s->interrupted = true;
  s->seconds = progress_seconds(&s->progress);
  progress_clear(&s->progress);

  const ga_state *state = solver_state(s->solver);
  long steps = solver_steps(s->solver);
  bool started = s->last_row >= 0;
  if (started && s->last_row != steps && !s->write_failed) write_row(s, state, steps);
  if (status == GA_EVENT) {
    events_note_stop(s->events, s->solver);
    events_tell_stop(s->events, s->solver);
  }
  bool good = status == GA_OK || status == GA_EVENT || (status == GA_STOPPED && s->interrupted);
  int code = report_outcome(s, status, state, steps);
  if (s->save_state && good && !s->save_failed && !save_state_file(s)) code = TOOL_FAILED;
  free(s->between);
  solver_finish(s->solver);
  return code;
}

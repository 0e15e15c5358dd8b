/* SPDX-License-Identifier: MIT */
/* One interface to the integrator, the extrapolator and solutions of a given accuracy. */
#include "simulate/solver.h"

#include <math.h>
#include <string.h>

#include "args/problem_args.h"
#include "columns/state_fields.h"
#include "simulate/interrupt.h"

/* Observer of the integrator: pass the state on to s->watch; nonzero stops the run. */
static int observe(void *context, const ga_state *state, const ga_stats *stats) {
  const solver *s = context;
  return s->watch && !s->watch(s->context, state, stats->steps);
}

/* Observer of the extrapolator: the same with the extrapolated state. */
static int observe_extrapolated(void *context, const ga_extrapolated *now) {
  const solver *s = context;
  return s->watch && !s->watch(s->context, &now->state, now->steps);
}

/* Are the step sizes h, h/2, h/3, .. rather than h, h/2, h/4, ..? */
static bool is_harmonic(const extrapolation *how) {
  return how->steps == GA_STEPS_HARMONIC;
}

/* m_j: run j of the extrapolation makes steps of h/m_j: 1, 2, 3, .. or 1, 2, 4, .. */
int extrapolation_substeps(const extrapolation *how, int j) {
  return is_harmonic(how) ? j + 1 : 1 << j;
}

/* m_K of the finest run: its steps are h/m_K. */
int extrapolation_finest(const extrapolation *how) {
  return extrapolation_substeps(how, how->K);
}

/* Name of the sequence of step sizes: "harmonic" or "halved". */
const char *extrapolation_steps(const extrapolation *how) {
  return is_harmonic(how) ? "harmonic" : "halved";
}

/* How multipliers are found, as --extrapolate-multipliers says: "consistent" or "extrapolated". */
const char *extrapolation_multipliers(const extrapolation *how) {
  return how->multipliers == GA_MULTIPLIERS_CONSISTENT ? "consistent" : "extrapolated";
}

/* Create the extrapolator s->x with the settings s->how; values of -1 keep the library's defaults.
 * It calls s->watch after each step. GA_OK, or the failure with a message in err. */
static ga_status open_extrapolator(solver *s, const ga_model *model, const ga_options *options,
                                   ga_error *err) {
  const extrapolation *how = &s->how;
  ga_status status = ga_extrapolator_new(model, options, how->K, &s->x, err);
  if (status != GA_OK) return status;
  ga_extrapolator_set_threads(s->x, how->threads);
  if (how->steps >= 0) ga_extrapolator_set_steps(s->x, (ga_extrapolate_steps)how->steps);
  if (how->multipliers >= 0) {
    ga_extrapolator_set_multipliers(s->x, (ga_extrapolate_multipliers)how->multipliers);
  }
  ga_extrapolator_observe(s->x, observe_extrapolated, s);
  return GA_OK;
}

/* For ga_solution_stop_when: a signal ends the search. */
static int stop_search(void *context) {
  (void)context;
  return interrupt_came();
}

/* Create the solution s->solution. GA_OK, or the failure with a message in err. */
static ga_status open_solution(solver *s, const ga_model *model, const ga_options *options,
                               ga_error *err) {
  ga_status status = ga_solution_new(model, options, &s->solution, err);
  if (status != GA_OK) return status;
  ga_solution_set_threads(s->solution, s->how.threads);
  ga_solution_stop_when(s->solution, stop_search, NULL);
  return GA_OK;
}

/* Open an integrator s->it, or with how->K > 0 (how may be NULL) an extrapolator s->x, or with an accuracy a
 * solution; sets s->how.
 * s must be zeroed except for team, watch and context, and stay in place. With s->team set, it
 * integrates this process's subdomain instead of the model. ARGS_GO_ON, or the exit code after a
 * message; solver_close in any case. */
int solver_open(solver *s, const ga_model *model, const ga_options *options,
                const extrapolation *how) {
  ga_error err = {GA_OK, ""};
  ga_options own = *options;
  ga_status status;
  s->how = how ? *how : (extrapolation)EXTRAPOLATION_NONE;
  if (s->team) {
    model = team_model(s->team);
    own.team = team_members(s->team);
    own.multiplier_guess = NULL; /* it is sized for the whole model */
    options = &own;
  }
  if ((s->how.K || options->accuracy > 0) && s->team) {
    tool_error("--%s is not possible over several processes: it needs runs side by side",
               s->how.K ? "extrapolate" : "accuracy");
    return TOOL_USAGE;
  }
  if (options->accuracy > 0) {
    status = open_solution(s, model, options, &err);
  } else if (s->how.K) {
    status = open_extrapolator(s, model, options, &err);
  } else {
    status = ga_integrator_new(model, options, &s->it, &err);
    if (s->it) ga_integrator_observe(s->it, observe, s);
  }
  if (status == GA_OK) return ARGS_GO_ON;
  tool_error("%s", err.text);
  return problem_exit_code(status);
}

/* Free integrator, extrapolator and solution; also after a failed solver_open. */
void solver_close(solver *s) {
  ga_integrator_free(s->it);
  ga_extrapolator_free(s->x);
  ga_solution_free(s->solution);
  s->solution = NULL;
  s->it = NULL;
  s->x = NULL;
}

/* Start at the problem's initial values; with a team, at those of this process's subdomain. */
ga_status solver_start(solver *s, const ga_problem *problem) {
  if (s->team) {
    return ga_integrator_start(s->it, problem->t0, team_q0(s->team), team_v0(s->team));
  }
  if (s->solution) {
    s->from = problem;
    s->now = (ga_state){.t = problem->t0, .q = problem->q0, .v = problem->v0};
    return GA_OK;
  }
  return s->x ? ga_extrapolator_start(s->x, problem->t0, problem->q0, problem->v0)
              : ga_integrator_start(s->it, problem->t0, problem->q0, problem->v0);
}

/* Show a state of the solution to s->watch; false if it ends the run. */
static bool show(solver *s, const ga_state *state) {
  s->now = *state;
  const bool go_on = !s->watch || s->watch(s->context, &s->now, s->rows);
  s->rows++;
  return go_on;
}

/* Solve with the accuracy of the options and show the states of the result in order: the nodes, and
 * if curves are drawn, states between them so that there are CURVE of them. */
static ga_status solve_and_show(solver *s, double t_end) {
  enum { CURVE = 200 };
  const ga_problem *p = s->from;
  const ga_status status = ga_solution_solve(s->solution, p->t0, p->q0, p->v0, t_end);
  if (status != GA_OK && status != GA_EVENT) return status;
  const long nodes = ga_solution_nodes(s->solution);
  const long each = s->draws && nodes < CURVE ? (CURVE + nodes - 2) / (nodes - 1) : 1;
  for (long i = 0; i < nodes; i++) {
    ga_state node = ga_solution_node(s->solution, i);
    if (i > 0 && node.t == s->now.t)
      continue; /* the end of a piece, and the beginning of the next */
    const double from = s->now.t;
    for (long k = 1; i > 0 && k < each; k++) {
      const ga_state state =
          ga_solution_at(s->solution, from + (node.t - from) * (double)k / (double)each);
      if (!show(s, &state)) return GA_STOPPED;
    }
    if (each > 1) node = ga_solution_node(s->solution, i); /* its arrays may be those of `state` */
    if (!show(s, &node)) return GA_STOPPED;
  }
  s->rows--; /* the number of steps, not of states */
  s->now = ga_solution_end(s->solution);
  return status;
}

/* Integrate up to t_end, from the present state. GA_OK, GA_EVENT or GA_STOPPED if an event or
 * s->watch ended it before, or a failure. */
ga_status solver_run(solver *s, double t_end) {
  if (s->solution) return solve_and_show(s, t_end);
  return s->x ? ga_extrapolator_run(s->x, t_end) : ga_integrator_run(s->it, t_end);
}

/* The message of the last call that failed. */
const ga_error *solver_error(const solver *s) {
  if (s->solution) return ga_solution_error(s->solution);
  return s->x ? ga_extrapolator_error(s->x) : ga_integrator_error(s->it);
}

/* The state at t by dense output, into a snapshot; not with extrapolation. */
bool solver_state_at(solver *s, const ga_model *model, double t, double *snapshot) {
  double *field[FIELDS];
  for (int f = 0; f < FIELDS; f++) field[f] = snapshot_field(model, snapshot, f);
  if (s->solution) {
    const ga_state at = ga_solution_at(s->solution, t);
    for (int f = 0; f < FIELDS && !isnan(at.t); f++) {
      const double *values = field_values(&at, f);
      if (values) memcpy(field[f], values, (size_t)field_size(model, f) * sizeof *values);
    }
    if (!isnan(at.t)) return true;
  } else if (ga_integrator_dense_output(s->it, t, field[FIELD_Q], field[FIELD_V], field[FIELD_VD],
                                        field[FIELD_LAM], field[FIELD_PSI]) == GA_OK) {
    return true;
  }
  tool_error("%s", solver_error(s)->text);
  return false;
}

/* Add an event to the integrator or the solution; with extrapolation there are none. */
ga_status solver_add_event(solver *s, const ga_event *event) {
  return s->solution ? ga_solution_add_event(s->solution, event)
                     : ga_integrator_add_event(s->it, event);
}

/* The event that ended the run, -1 if none did. */
int solver_event(const solver *s) {
  return s->solution ? ga_solution_event(s->solution) : s->it ? ga_integrator_event(s->it) : -1;
}

/* After the run of a team: gather the state of the whole in s->end, which solver_state then returns
 * (in process 0; its arrays are NULL elsewhere). All processes must call it. */
void solver_finish(solver *s) {
  if (s->team) s->end = team_gather(s->team, ga_integrator_state(s->it));
}

/* Set *kin and *pot, the energies at a state, summed over all processes, which must all call it.
 * False if the model has no energy (both are then unchanged) or its callback failed (NaN). */
bool solver_energy(const solver *s, const ga_model *model, const ga_state *state, double *kin,
                   double *pot) {
  if (s->team) model = team_model(s->team);
  if (!model->ops->energy) return false;
  const bool good = model->ops->energy(model->user, state->t, state->q, state->v, kin, pot) == 0;
  if (!good) *kin = *pot = NAN;
  team_energy(s->team, kin, pot);
  return s->team ? !isnan(*kin + *pot) : good;
}

/* The present state; of this process's subdomain while the run lasts. */
const ga_state *solver_state(const solver *s) {
  if (s->end) return s->end;
  if (s->solution) return &s->now;
  return s->x ? &ga_extrapolator_state(s->x)->state : ga_integrator_state(s->it);
}

/* Number of steps so far; of an extrapolation, steps of h; of a solution, intervals shown. */
long solver_steps(const solver *s) {
  if (s->solution) return s->rows;
  return s->x ? ga_extrapolator_state(s->x)->steps : ga_integrator_stats(s->it)->steps;
}

/* Counters of the run; of an extrapolation, of all its runs together. Owned by s. */
const ga_stats *solver_stats(const solver *s) {
  if (s->solution) return ga_solution_stats(s->solution);
  return s->x ? ga_extrapolator_stats(s->x) : ga_integrator_stats(s->it);
}

/* Does the library's text say that the run failed at its start? */
static bool is_start_failure(const char *reason) {
  return strncmp(reason, "start at t = ", 13) == 0;
}

/* Why a run failed, beginning with the time: "t = 0.1: ..." or "start at t = 0: ...". */
solver_text solver_reason(const solver *s, ga_status status) {
  const ga_error *err = solver_error(s);
  const char *reason = err->text[0] ? err->text : ga_status_text(status);
  solver_text out;
  char at[48] = ""; /* the library's text mostly begins with the time */
  if (strncmp(reason, "t = ", 4) != 0 && !is_start_failure(reason)) {
    snprintf(at, sizeof at, "t = %.10g: ", solver_state(s)->t);
  }
  snprintf(out.text, sizeof out.text, "%s%s", at, reason);
  return out;
}

/* The same for "the run failed ..": "after 3 steps, at t = 0.1: ..." or "at the start at t = 0:
 * ...". */
solver_text solver_failure(const solver *s, ga_status status, long steps) {
  const solver_text reason = solver_reason(s, status);
  solver_text out;
  if (is_start_failure(reason.text)) {
    snprintf(out.text, sizeof out.text, "at the %.640s", reason.text);
  } else {
    snprintf(out.text, sizeof out.text, "after %ld step%s, at %.640s", steps, steps == 1 ? "" : "s",
             reason.text);
  }
  return out;
}

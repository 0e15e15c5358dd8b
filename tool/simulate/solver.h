/* SPDX-License-Identifier: MIT */
/* One run of a problem, plain, extrapolated or of a given accuracy, behind the same few functions. */
#ifndef TOOL_SIMULATE_SOLVER_H
#define TOOL_SIMULATE_SOLVER_H

#include "simulate/team.h"

/* Called at the start and after every step; false ends the run with GA_STOPPED. */
typedef bool (*solver_watch)(void *context, const ga_state *state, long steps);

/* The settings of --extrapolate and its companions. */
typedef struct extrapolation {
  int K;           /* 0: none */
  int threads;     /* 0: one for each processor */
  int steps;       /* a ga_extrapolate_steps; -1: the library's default */
  int multipliers; /* a ga_extrapolate_multipliers; -1: the library's default */
} extrapolation;
#define EXTRAPOLATION_NONE \
  { .steps = -1, .multipliers = -1 }

/* m_j, where run j makes steps h/m_j; m_K of the finest run; the two settings as words. */
int extrapolation_substeps(const extrapolation *how, int j);
int extrapolation_finest(const extrapolation *how);
const char *extrapolation_steps(const extrapolation *how);
const char *extrapolation_multipliers(const extrapolation *how);

typedef struct solver {
  ga_integrator *it;      /* NULL with extrapolation or an accuracy */
  ga_extrapolator *x;     /* NULL without extrapolation */
  ga_solution *solution;  /* NULL without --accuracy */
  const ga_problem *from; /* with an accuracy: where it starts */
  ga_state now;           /* with an accuracy: the state that is shown, after so many rows */
  long rows;
  bool draws; /* with an accuracy: rows are dense enough for curves */
  extrapolation how;
  solver_watch watch;
  void *context;
  team *team;          /* of the processes that integrate the model; NULL: one process */
  const ga_state *end; /* state of the whole, set by solver_finish */
} solver;

/* Open an integrator, or an extrapolator (how NULL: none). ARGS_GO_ON, or the exit code after a
 * message. Set team before: its subdomain replaces the model; set watch and context before
 * solver_start. The struct must not move until it is closed. */
int solver_open(solver *s, const ga_model *model, const ga_options *options,
                const extrapolation *how);
void solver_close(solver *s); /* also if open failed */

/* With an accuracy all runs are made by solver_run, which then shows the states of the result. */
ga_status solver_start(solver *s, const ga_problem *problem);
ga_status solver_run(solver *s, double t_end);

/* The state at a time of the last step, with an accuracy at any time, into a snapshot (state_fields.h)
 * of the model. False after a message. */
bool solver_state_at(solver *s, const ga_model *model, double t, double *snapshot);

/* Add an event. The event that ended the run, -1 if none did. */
ga_status solver_add_event(solver *s, const ga_event *event);
int solver_event(const solver *s);
const ga_error *solver_error(const solver *s);

/* After the run: gathers the state of the whole, which solver_state then returns in process 0. All
 * processes call it. */
void solver_finish(solver *s);

/* The energies at one of the solver's states, summed over all processes; false: there are none. */
bool solver_energy(const solver *s, const ga_model *model, const ga_state *state, double *kin,
                   double *pot);

/* The present state (of this process's subdomain), the number of steps h that led there, and the
 * statistics (with extrapolation: of all its runs). */
const ga_state *solver_state(const solver *s);
long solver_steps(const solver *s);
const ga_stats *solver_stats(const solver *s);

/* Why the run failed, with the time; the same as "after 3 steps, at t = ..", "at the start ..". */
typedef struct solver_text {
  char text[700];
} solver_text;
solver_text solver_reason(const solver *s, ga_status status);
solver_text solver_failure(const solver *s, ga_status status, long steps);

#endif

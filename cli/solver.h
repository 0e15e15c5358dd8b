/* SPDX-License-Identifier: MIT */
/* One run of a problem, plain or extrapolated, behind the same few functions. */
#ifndef CLI_SOLVER_H
#define CLI_SOLVER_H

#include "cli.h"

/* Sees the start and every step; false ends the run with GA_STOPPED. */
typedef bool (*solver_watch)(void *context, const ga_state *state, long steps);

typedef struct solver {
  ga_integrator *it; /* or, with extrapolation: */
  ga_extrapolator *x;
  int extrapolate; /* K, 0 if there is none */
  solver_watch watch;
  void *context;
} solver;

/* threads 0: one for each processor. ARGS_GO_ON, or the exit code after a message. The solver must
 * stay where it is until it is closed. */
int solver_open(solver *s, const ga_model *model, const ga_options *options, int extrapolate,
                int threads);
void solver_close(solver *s); /* also if open failed */

ga_status solver_start(solver *s, const ga_problem *problem);
ga_status solver_run(solver *s, double t_end);

/* Where it is, how many steps (of size h) led there, the counts (with extrapolation: of all runs).
 */
const ga_state *solver_state(const solver *s);
long solver_steps(const solver *s);
const ga_stats *solver_stats(const solver *s);

/* Why it failed, beginning with the time. */
typedef struct solver_text {
  char text[600];
} solver_text;
solver_text solver_reason(const solver *s, ga_status status);

#endif

/* SPDX-License-Identifier: MIT */
/* One run of a problem: start, steps, projection, and all output on the way. */
#ifndef TOOL_SIMULATE_SIMULATE_H
#define TOOL_SIMULATE_SIMULATE_H

#include "output/output.h"
#include "picture/film.h"
#include "picture/time_plot.h"
#include "simulate/events.h"
#include "simulate/progress.h"
#include "simulate/solver.h"

typedef struct simulation {
  /* set before simulate() */
  const ga_problem *problem;
  solver *solver; /* if it extrapolates, nothing is projected, loaded or saved */
  const ga_options *options;
  double t_end;
  double project_at; /* NaN: never */
  ga_projection projection;
  const char *from_state, *save_state; /* NULL: start at the problem's values, save nothing */
  double checkpoint_every;             /* simulated time between savings on the way, NaN: none */
  trajectory *out;                     /* NULL: no trajectory */
  int every;                           /* rows for every N-th step, */
  double out_dt;                       /* or at these equal distances, between the steps; NaN: no */
  time_plot *time_plot;                /* NULL: no plot */
  film *film;                          /* NULL: no page */
  bool shows;                          /* process 0 makes a plot or a page */
  run_events *events;                  /* NULL: none */
  bool quiet;                          /* no line of progress */
  /* called at the start, after every step and after a projection; NULL: none */
  void (*seen)(void *context, const ga_state *state);
  void *seen_context;

  /* set by simulate() */
  progress progress;
  double seconds;   /* elapsed time */
  ga_status status; /* of the run itself */
  double next_checkpoint;
  bool write_failed, save_failed;
  bool start_refused; /* the saved state is later than t_end; a message has said so */
  bool interrupted;
  long last_row;                             /* steps done when the last row was written */
  double *between;                           /* snapshot for rows between the steps (out_dt) */
  long next_out;                             /* the next of these rows: t0 + next_out out_dt */
  double energy0, energy_end, energy_change; /* NaN if the model has no energy */
} simulation;

/* Make the run. Returns the exit code, after a message if it is not TOOL_OK. */
int simulate(simulation *s);

/* After a run that succeeded: TOOL_NOT_REACHED, after a message, if it has not the accuracy that was
 * asked for; else TOOL_OK. */
int simulate_accuracy(const simulation *s);

/* For ga_options.log, with the simulation as context. */
void simulate_log(void *context, ga_log_level level, const char *text);

/* Print settings, effort, accuracy and end state of a run. */
void summary_print(FILE *to, const simulation *s);

#endif

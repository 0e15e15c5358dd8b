/* SPDX-License-Identifier: MIT */
/* Events of a run: those of the model file, and --stop-when. */
#ifndef TOOL_SIMULATE_EVENTS_H
#define TOOL_SIMULATE_EVENTS_H

#include "simulate/solver.h"

typedef struct run_event {
  const char *name, *when;
  ga_watch *watch;
  ga_event inner; /* event function of the watch, for the state of the whole mechanism */
  team *team;     /* NULL: one process */
} run_event;

typedef struct run_events {
  run_event *event;
  int count;
} run_events;

/* Add all events to the solver's integrator; ARGS_GO_ON, or the exit code after a message. */
int events_open(run_events *e, const ga_problem *problem, const char *stop_when, solver *s);
void events_close(run_events *e);

/* Print "stopped at t = .." after a run that ended with GA_EVENT. e may be NULL. */
void events_tell_stop(const run_events *e, const ga_integrator *it);

#endif

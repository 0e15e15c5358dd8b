/* SPDX-License-Identifier: MIT */
/* Events of a run: those of the model file, and --stop-when. */
#ifndef TOOL_SIMULATE_EVENTS_H
#define TOOL_SIMULATE_EVENTS_H

#include "simulate/solver.h"

enum { EVENTS_KEPT = 1000 }; /* times of events that are kept for files; all are counted */

typedef struct run_events run_events;

typedef struct run_event {
  run_events *all;
  const char *name, *when;
  ga_watch *watch;
  ga_event inner; /* event function of the watch, for the state of the whole mechanism */
  team *team;     /* NULL: one process */
} run_event;

/* An event that happened: its number, the time, and whether its function rose (1) or fell (-1). */
typedef struct event_time {
  int event, sign;
  double t;
} event_time;

struct run_events {
  run_event *event;
  int count;
  event_time *seen; /* the first EVENTS_KEPT that happened */
  long happened;    /* all that happened */
};

/* Add all events to the solver's integrator; ARGS_GO_ON, or the exit code after a message. */
int events_open(run_events *e, const ga_problem *problem, const char *stop_when, solver *s);
void events_close(run_events *e);

/* Print "stopped at t = .." after a run that ended with GA_EVENT. e may be NULL. */
void events_tell_stop(const run_events *e, const solver *s);

/* Note the event that ended the run, after a run that ended with GA_EVENT. e may be NULL. */
void events_note_stop(run_events *e, const solver *s);

#endif

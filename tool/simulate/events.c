/* SPDX-License-Identifier: MIT */
/* Events that end a run, or are only reported. */
#include "simulate/events.h"

#include <stdlib.h>
#include <string.h>

#include "source/model_file.h"

/* A team_function: the event's function at the state of the whole mechanism. context: run_event. */
static double value_of_whole(void *context, const ga_state *whole) {
  const run_event *own = context;
  return own->inner.value(own->inner.context, whole);
}

/* Value of the event function for the integrator: of the whole mechanism, also over several
 * processes. context: run_event. */
static double event_value(void *context, const ga_state *state) {
  const run_event *own = context;
  return team_value(own->team, value_of_whole, context, state);
}

/* Count an event that happened, and keep its time. */
static void note_event(run_events *e, int event, int sign, double t) {
  if (e->seen && e->happened < EVENTS_KEPT) {
    e->seen[e->happened] = (event_time){event, sign, t};
  }
  e->happened++;
}

/* Handler of an event that does not end the run: note it, print it and return 0, go on. context:
 * the run_event. */
static int report_event(void *context, int event, int sign, const ga_state *state) {
  const run_event *own = context;
  note_event(own->all, event, sign, state->t);
  tool_error("event %s at t = %.10g: %s", own->name, state->t, own->when);
  return 0;
}

/* Watch the condition `when` and add it to the solver's integrator as the next event of e (e->event
 * must have room, e->count grows). name and when are borrowed. stop: it ends the run, otherwise it
 * is only reported. ARGS_GO_ON, or the exit code after a message. */
static int add_event(run_events *e, const ga_mechanism *m, const char *name, const char *when,
                     ga_direction direction, bool stop, solver *s) {
  run_event *own = &e->event[e->count];
  ga_error err = {GA_OK, ""};
  if (ga_watch_new(m, when, direction, stop, &own->watch, &err) != GA_OK) {
    tool_error("%s: %s", name, err.text);
    return TOOL_USAGE;
  }
  own->all = e;
  own->name = name, own->when = when;
  own->inner = ga_watch_event(own->watch);
  own->team = s->team;
  e->count++;
  const ga_event event = {.value = event_value,
                          .handler = stop ? NULL : report_event,
                          .context = own,
                          .direction = direction,
                          .terminal = stop};
  if (solver_add_event(s, &event) == GA_OK) return ARGS_GO_ON;
  tool_error("%s: %s", name, solver_error(s)->text);
  return TOOL_FAILED;
}

/* Add the events of the model file and --stop-when (may be NULL) to the solver's integrator, which
 * uses e from then on: e must be zeroed before and stay in place. ARGS_GO_ON, or the exit code
 * after a message. events_close in any case. */
int events_open(run_events *e, const ga_problem *problem, const char *stop_when, solver *s) {
  const ga_file *file = file_of(problem);
  ga_file_event event;
  int count = stop_when ? 1 : 0, code = ARGS_GO_ON;
  if (stop_when && !file) {
    tool_error("--stop-when is for model files: '%s' has no named columns", problem->name);
    return TOOL_USAGE;
  }
  if (stop_when && *stop_when && !strpbrk(stop_when, "<>=")) {
    tool_error("--stop-when '%s': a comparison is needed, such as \"%s < 0\"", stop_when,
               stop_when);
    return TOOL_USAGE;
  }
  for (int i = 0; file && ga_file_event_at(file, i, &event); i++) count++;
  if (count == 0) return ARGS_GO_ON;
  if (s->x) {
    tool_error("--extrapolate and events exclude each other: events end or divide a run");
    return TOOL_USAGE;
  }
  e->event = calloc((size_t)count, sizeof *e->event);
  e->seen = calloc(EVENTS_KEPT, sizeof *e->seen);
  if (!e->event || !e->seen) {
    tool_error("no memory for events");
    return TOOL_FAILED;
  }
  const ga_mechanism *m = ga_file_mechanism(file);
  for (int i = 0; code == ARGS_GO_ON && ga_file_event_at(file, i, &event); i++) {
    code = add_event(e, m, event.name, event.when, event.direction, event.stop, s);
  }
  if (code == ARGS_GO_ON && stop_when) {
    code = add_event(e, m, "--stop-when", stop_when, GA_EVENT_RISING, true /* stop */, s);
  }
  return code;
}

/* Free all events; the integrator must not run any more. */
void events_close(run_events *e) {
  for (int i = 0; i < e->count; i++) ga_watch_free(e->event[i].watch);
  free(e->event);
  free(e->seen);
  *e = (run_events){.count = 0};
}

/* Report which event ended the run: after a run that ended with GA_EVENT. e may be NULL. */
void events_tell_stop(const run_events *e, const solver *s) {
  const int i = solver_event(s);
  if (!e || i < 0 || i >= e->count) return;
  tool_error("stopped at t = %.10g by %s: %s", solver_state(s)->t, e->event[i].name,
             e->event[i].when);
}

/* Note the event that ended the run, after a run that ended with GA_EVENT. e may be NULL. */
void events_note_stop(run_events *e, const solver *s) {
  const int i = solver_event(s);
  if (!e || i < 0 || i >= e->count) return;
  note_event(e, i, 0 /* not known */, solver_state(s)->t);
}

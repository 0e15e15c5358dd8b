/* SPDX-License-Identifier: MIT */
/* Events of a solution: where functions of it change their sign. Each interval between nodes is
 * looked at in quarters; a change of sign is located on the solution by bisection and regula falsi.
 * Events are reported in order of time, up to the first one that ends the solution. */
#include <float.h>
#include <string.h>

#include "accuracy/solution.h"

enum { QUARTERS = 4, ITERATIONS = 100 };

/* Copy an event to the list. */
ga_status ga_solution_add_event(ga_solution *s, const ga_event *event) {
  ga_error_clear(&s->error);
  if (!event || !event->value) return ga_fail(&s->error, GA_ERR_ARG, "an event needs a value");
  if (s->events == s->event_room) {
    int room = 2 * s->event_room + 4;
    ga_event *list = ga_calloc((size_t)room, sizeof *list);
    if (!list) return ga_fail(&s->error, GA_ERR_MEM, "no memory for %d events", room);
    if (s->events) memcpy(list, s->event, (size_t)s->events * sizeof *list);
    ga_free(s->event);
    s->event = list;
    s->event_room = room;
  }
  s->event[s->events++] = *event;
  return GA_OK;
}

/* The event that ended the last solve, -1 if none did. */
int ga_solution_event(const ga_solution *s) {
  return s->stopped_by;
}

/* -1, 0 or 1 */
static int sign_of(double x) {
  return (x > 0) - (x < 0);
}

/* The value of event i at t. */
static ga_status value_at(ga_solution *s, int i, double t, double *value) {
  ga_state state = ga_solution_at(s, t);
  *value = s->event[i].value(s->event[i].context, &state);
  if (!isnan(*value)) return GA_OK;
  return ga_fail(&s->error, GA_ERR_MODEL, "t = %.9g: the value of event %d is NaN", t, i);
}

/* Where event i changes its sign between (lo, e_lo) and (hi, e_hi), which have different signs: the
 * end of the last bracket where the new sign, or 0, holds. */
static ga_status locate(ga_solution *s, int i, double lo, double e_lo, double hi, double e_hi,
                        double *found) {
  double tol = fmax(s->event[i].tol, 4 * DBL_EPSILON * fmax(fabs(lo), fabs(hi)));
  int sign = sign_of(e_lo);
  for (int k = 0; k < ITERATIONS && hi - lo > tol && e_hi != 0; k++) {
    double t = (lo * e_hi - hi * e_lo) / (e_hi - e_lo), e;
    if (k % 2 || !(t > lo && t < hi)) t = lo + (hi - lo) / 2;
    /* just beyond a root near an end, so that the bracket shrinks from both sides */
    t = fmin(fmax(t, lo + tol / 2), hi - tol / 2);
    if (!(t > lo && t < hi)) break;
    ga_status status = value_at(s, i, t, &e);
    if (status != GA_OK) return status;
    if (sign_of(e) == sign) {
      lo = t, e_lo = e;
    } else {
      hi = t, e_hi = e;
    }
  }
  *found = hi;
  return GA_OK;
}

/* An event that was found in an interval. */
typedef struct {
  double t;
  int sign;
} change;

/* Look for changes of all events from t to t1; value[i] is that at t, and becomes that at t1. Found
 * ones go to found[i]; t = INFINITY: none. A value of 0 at t counts with the sign a moment later. */
static ga_status look(ga_solution *s, double t, double t1, double *value, change *found) {
  for (int i = 0; i < s->events; i++) {
    double before = value[i], from = t;
    found[i].t = INFINITY;
    if (before == 0) {
      from = t + 1e-6 * (t1 - t);
      ga_status status = value_at(s, i, from, &before);
      if (status != GA_OK) return status;
    }
    ga_status status = value_at(s, i, t1, &value[i]);
    if (status != GA_OK) return status;
    int sign = sign_of(before), wanted = (int)s->event[i].direction;
    if (sign == 0 || sign_of(value[i]) == sign || (wanted && wanted != -sign)) continue;
    found[i].sign = -sign;
    status = locate(s, i, from, before, t1, value[i], &found[i].t);
    if (status != GA_OK) return status;
  }
  return GA_OK;
}

/* Report what was found, in order of time, up to the first event that ends the solution: GA_EVENT,
 * with stopped_by and t_stop. */
static ga_status report(ga_solution *s, change *found) {
  for (;;) {
    int i = 0;
    for (int k = 1; k < s->events; k++) {
      if (found[k].t < found[i].t) i = k;
    }
    double t = found[i].t;
    if (!isfinite(t) || (s->stopped_by >= 0 && t > s->t_stop)) break;
    found[i].t = INFINITY;
    s->stats.events++;
    bool ends = s->event[i].terminal;
    if (s->event[i].handler) {
      ga_state state = ga_solution_at(s, t);
      ends |= s->event[i].handler(s->event[i].context, i, found[i].sign, &state) != 0;
    }
    if (ends && s->stopped_by < 0) s->stopped_by = i, s->t_stop = t;
  }
  return s->stopped_by < 0 ? GA_OK : GA_EVENT;
}

/* Find and report the events of the solution, interval by interval. */
ga_status ga_solution_find_events(ga_solution *s) {
  if (s->events == 0) return GA_OK;
  size_t n = (size_t)s->events;
  double *value = ga_calloc(n, sizeof *value);
  change *found = ga_calloc(n, sizeof *found);
  ga_status status = GA_OK;
  if (!value || !found) status = ga_fail(&s->error, GA_ERR_MEM, "no memory for the events");
  for (int i = 0; i < s->events && status == GA_OK; i++) {
    status = value_at(s, i, s->t0, &value[i]);
  }
  for (long node = 0; node + 1 < s->nodes && status == GA_OK; node++) {
    double from = ga_solution_time(s, node), to = ga_solution_time(s, node + 1);
    if (!(to > from)) continue; /* the end of a piece and the beginning of the next one */
    for (int k = 0; k < QUARTERS && status == GA_OK; k++) {
      double t = from + (to - from) * k / QUARTERS;
      double t1 = k == QUARTERS - 1 ? to : from + (to - from) * (k + 1) / QUARTERS;
      status = look(s, t, t1, value, found);
      if (status == GA_OK) status = report(s, found);
    }
    if (status == GA_EVENT) {
      s->shown = node + 1;
      ga_fail(&s->error, GA_EVENT, "t = %.9g: event %d", s->t_stop, s->stopped_by);
    }
  }
  ga_free(value);
  ga_free(found);
  return status;
}

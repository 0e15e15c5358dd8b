/* SPDX-License-Identifier: MIT */
/* Events: where functions e(t, q, v, lam) of the solution change their sign.
 *
 * After an accepted step each e_i is evaluated at its end. A change of sign in a wanted direction
 * is located on the dense output by regula falsi (Illinois), with bisection where that is slow.
 * Equal signs at both ends hide two changes if e_i has an extremum beyond zero in between; this is
 * checked if the slopes at the ends show that |e_i| first falls and then rises. All events of
 * the step are reported in order of time. The state of the first one that ends the run becomes the
 * accepted one: q and v of the dense output, projected onto the constraints, and a memory as at a
 * start. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "run/integrator.h"

enum { ITERATIONS = 200 };

/* Allocate the work arrays of this file from it->arena; the caller checks arena.failed. No event
 * has stopped a run. */
void ga_events_init(ga_integrator *it) {
  ga_dense_output *at = &it->events.at;
  at->q = ga_arena_doubles(&it->arena, (size_t)it->eval.nq);
  at->v = ga_arena_doubles(&it->arena, (size_t)it->eval.nv);
  at->vd = ga_arena_doubles(&it->arena, (size_t)it->eval.nv);
  at->lam = ga_arena_doubles(&it->arena, (size_t)it->eval.nlam);
  at->psi = ga_arena_doubles(&it->arena, (size_t)it->eval.npsi);
  it->events.stopped_by = -1;
}

/* Copy *event to the list, which grows if it is full, and evaluate it if the run has started.
 * GA_ERR_ARG, GA_ERR_MEM or GA_ERR_MODEL (NaN): the event is not in the list. */
ga_status ga_integrator_add_event(ga_integrator *it, const ga_event *event) {
  ga_events *events = &it->events;
  ga_error_clear(&it->error);
  if (!event || !event->value) return ga_fail(&it->error, GA_ERR_ARG, "an event needs a value");
  if (!(event->tol >= 0)) {
    return ga_fail(&it->error, GA_ERR_ARG, "event: tol = %g is less than 0", event->tol);
  }
  if (events->n == events->room) {
    int room = 2 * events->room + 4;
    ga_event_state *item = ga_calloc((size_t)room, sizeof *item);
    if (!item) return ga_fail(&it->error, GA_ERR_MEM, "no memory for %d events", room);
    if (events->n) memcpy(item, events->item, (size_t)events->n * sizeof *item);
    ga_free(events->item);
    events->item = item;
    events->room = room;
  }
  ga_event_state *r = &events->item[events->n];
  *r = (ga_event_state){.event = *event, .t_last = it->mem.t};
  if (it->started) {
    r->value = event->value(event->context, &it->state);
    if (isnan(r->value)) {
      return ga_fail(&it->error, GA_ERR_MODEL, "t = %.9g: event %d is NaN", it->mem.t, events->n);
    }
  }
  events->n++;
  return GA_OK;
}

/* Remove all events; the memory of the list is kept. */
void ga_integrator_clear_events(ga_integrator *it) {
  it->events.n = 0;
  it->events.stopped_by = -1;
}

/* Index of the event that ended the last run or step, -1 if none did. */
int ga_integrator_event(const ga_integrator *it) {
  return it->events.stopped_by;
}

/* The state at t: the accepted one, or that of dense output inside the last step, in the work
 * arrays it->events.at, which the next call overwrites. */
static ga_state state_at(ga_integrator *it, double t) {
  const ga_dense_output *at = &it->events.at;
  it->state.t = it->mem.t;
  if (t == it->mem.t) return it->state;
  ga_dense_output_state(it, t, at);
  ga_state state = it->state; /* contacts do not change inside a piece */
  state.t = t;
  state.q = at->q;
  state.v = at->v;
  state.a = NULL;
  state.vd = at->vd;
  state.lam = at->lam;
  state.psi = at->psi;
  if (it->presence.on) {
    ga_presence_spread_lam(it, at->lam, it->presence.lam_at);
    ga_presence_spread_psi(it, at->psi, it->presence.psi_at);
    state.lam = it->presence.lam_at, state.psi = it->presence.psi_at;
  }
  state.u = ga_inputs_at(&it->eval.inputs, t);
  return state;
}

/* *value of event i at time t inside the last step (or the accepted time); GA_ERR_MODEL if it is
 * NaN. Overwrites it->events.at. */
static ga_status evaluate_event(ga_integrator *it, int i, double t, double *value) {
  const ga_event *event = &it->events.item[i].event;
  ga_state state = state_at(it, t);
  *value = event->value(event->context, &state);
  if (!isnan(*value)) return GA_OK;
  return ga_fail(&it->error, GA_ERR_MODEL, "t = %.9g: the value of event %d is NaN", t, i);
}

/* At a start: evaluate all events at the accepted state and set their t_last to its time; no event
 * has stopped the run. Fails on all processes if the value of one is NaN. Collective. */
ga_status ga_events_begin(ga_integrator *it) {
  ga_status status = GA_OK;
  it->events.stopped_by = -1;
  for (int i = 0; i < it->events.n && status == GA_OK; i++) {
    ga_event_state *r = &it->events.item[i];
    status = evaluate_event(it, i, it->mem.t, &r->value);
    r->t_last = it->mem.t;
  }
  return ga_team_agree(it->eval.team, status, &it->error);
}

/* -1, 0 or 1; 0 for NaN, too. */
static int sign_of(double x) {
  return (x > 0) - (x < 0);
}

/* Times that differ by less than this are the same for this event. */
static double time_resolution(const ga_integrator *it, const ga_event *event) {
  return fmax(event->tol, ga_same_time(it->last.mem.t, it->mem.t));
}

/* An event of the user, for ga_events_locate. */
typedef struct {
  ga_integrator *it;
  int i;
} event_number;

static ga_status value_of_event(void *context, double t, double *value) {
  const event_number *e = context;
  return evaluate_event(e->it, e->i, t, value);
}

/* Find the time where a value changes its sign between (lo, e_lo) and (hi, e_hi), times inside the
 * last step and values there of different sign, e_lo not 0, by regula falsi with bisection. *found
 * is the end of the last bracket where the new sign, or 0, holds; not set on failure. */
ga_status ga_events_locate(ga_value_at value, void *context, double tol, double lo, double e_lo,
                           double hi, double e_hi, double *found) {
  int sign = sign_of(e_lo), side = 0; /* side: which end moved last, -1 lo, 1 hi */
  double width = hi - lo;
  for (int k = 0; k < ITERATIONS && hi - lo > tol && e_hi != 0; k++) {
    double t = (lo * e_hi - hi * e_lo) / (e_hi - e_lo);
    /* three steps must halve the bracket thrice, else bisect */
    bool slow = k % 3 == 2 && hi - lo > width / 8;
    if (k % 3 == 2) width = hi - lo;
    if (slow || !isfinite(t)) t = lo + (hi - lo) / 2;
    /* a root near an end: evaluate just beyond it, so that the bracket shrinks from both sides */
    t = fmin(fmax(t, lo + tol / 2), hi - tol / 2);
    if (!(t > lo && t < hi)) break;
    double e;
    ga_status status = value(context, t, &e);
    if (status != GA_OK) return status;
    if (sign_of(e) == sign) {
      lo = t;
      e_lo = e;
      if (side < 0) e_hi /= 2; /* Illinois: lo moved twice, so pull the next t to hi */
      side = -1;
    } else {
      hi = t;
      e_hi = e;
      if (e == 0) break;
      if (side > 0) e_lo /= 2;
      side = 1;
    }
  }
  *found = hi;
  return GA_OK;
}

/* The same for event i. */
static ga_status locate_sign_change(ga_integrator *it, int i, double lo, double e_lo, double hi,
                                    double e_hi, double *found) {
  event_number event = {it, i};
  return ga_events_locate(value_of_event, &event, time_resolution(it, &it->events.item[i].event),
                          lo, e_lo, hi, e_hi, found);
}

/* The first change of this event has been reported, or is not wanted: make the change back, if
 * there is one, the next to report (found, t_found, sign). */
static void drop_reported_change(ga_event_state *r) {
  r->found = r->back;
  r->back = false;
  r->t_found = r->t_back;
  r->sign = -r->sign;
}

/* Least value on [0, 1] of the cubic with the values f0, f1 and slopes d0 < 0 < d1 at the ends. Its
 * derivative d0 + 2 b s + 3 c s^2 has one zero in between, as its ends differ in sign. */
static double cubic_minimum(double f0, double f1, double d0, double d1) {
  double b = 3 * (f1 - f0) - 2 * d0 - d1, c = 2 * (f0 - f1) + d0 + d1;
  /* 3 c s^2 + 2 b s + d0 = 0; of the two forms of the root the one without cancellation */
  double root = sqrt(fmax(b * b - 3 * c * d0, 0));
  double s = b > 0 ? -d0 / (b + root) : (root - b) / (3 * c);
  if (!(s >= 0 && s <= 1)) s = 0.5;
  return f0 + s * (d0 + s * (b + s * c));
}

/* May f, positive at both ends of [0, 1] with values f0, f1 and slopes d0, d1, reach zero in
 * between? A convex f stays above its end tangents, so their crossing must be below zero. */
static bool may_reach_zero(double f0, double f1, double d0, double d1) {
  if (!(d0 < 0 && d1 > 0)) return false;
  double cross = f0 + d0 * (f1 - f0 - d1) / (d0 - d1);
  return cross <= 0 && cubic_minimum(f0, f1, d0, d1) <= fmin(f0, f1) / 4;
}

/* Golden section search for a time in (lo, hi) where sign e <= 0; both ends have sign e > 0.
 * *beyond is that time and *value the e there; *beyond = lo if none is found. */
static ga_status find_beyond(ga_integrator *it, int i, int sign, double lo, double hi,
                             double *beyond, double *value) {
  static const double golden = 0.61803398874989485;
  double a = lo, b = hi, tol = time_resolution(it, &it->events.item[i].event);
  double x = b - golden * (b - a), y = a + golden * (b - a), fx, fy;
  ga_status status = evaluate_event(it, i, x, &fx);
  if (status == GA_OK) status = evaluate_event(it, i, y, &fy);
  *beyond = lo;
  for (int k = 0; status == GA_OK && k < ITERATIONS && b - a > tol; k++) {
    bool left = sign * fx < sign * fy;
    *value = left ? fx : fy;
    if (sign * *value <= 0) {
      *beyond = left ? x : y;
      return GA_OK;
    }
    if (left) {
      b = y, y = x, fy = fx;
      x = b - golden * (b - a);
      status = evaluate_event(it, i, x, &fx);
    } else {
      a = x, x = y, fx = fy;
      y = a + golden * (b - a);
      status = evaluate_event(it, i, y, &fy);
    }
  }
  return status;
}

/* Event i has the sign of `before` at `from` and at the end of the step, where its value is
 * r->value. If it changes to the other sign and back in between, locate both changes and set found,
 * back, their times t_found, t_back and sign, as far as the direction is wanted. */
static ga_status find_double_change(ga_integrator *it, int i, double from, double before) {
  ga_event_state *r = &it->events.item[i];
  double to = it->mem.t, h = to - from, near, far, beyond, value;
  int sign = sign_of(before);
  if (!(h > 1e3 * time_resolution(it, &r->event))) return GA_OK;
  const double fraction = 1e-3; /* of the step, for the slopes at its ends */
  ga_status status = evaluate_event(it, i, from + fraction * h, &near);
  if (status == GA_OK) status = evaluate_event(it, i, to - fraction * h, &far);
  if (status != GA_OK) return status;
  if (!may_reach_zero(sign * before, sign * r->value, sign * (near - before) / fraction,
                      sign * (r->value - far) / fraction)) {
    return GA_OK;
  }
  status = find_beyond(it, i, sign, from, to, &beyond, &value);
  if (status != GA_OK || !(beyond > from)) return status;
  double there = from, again = to;
  status = locate_sign_change(it, i, from, before, beyond, value, &there);
  /* back again: seen from the other side, where e = 0 counts as being there still */
  if (status == GA_OK) {
    status = locate_sign_change(it, i, beyond, value == 0 ? -sign * DBL_MIN : value, to, r->value,
                                &again);
  }
  if (status != GA_OK) return status;
  ga_direction wanted = r->event.direction;
  r->found = wanted == GA_EVENT_ANY || (int)wanted == -sign;
  r->back = wanted == GA_EVENT_ANY || (int)wanted == sign;
  r->t_found = there, r->t_back = again, r->sign = -sign;
  return GA_OK;
}

/* Set value (at the end of the last step), found, t_found, sign, back, t_back of event i, if it
 * happened in the last step. After a start on the event, or a restart at it, the sign a moment
 * later counts as the sign before. Not collective. */
static ga_status find_event(ga_integrator *it, int i) {
  ga_event_state *r = &it->events.item[i];
  double from = it->last.mem.t, to = it->mem.t, before = r->value;
  double later = r->t_last + 8 * time_resolution(it, &r->event) + 1e-9 * (to - from);
  ga_status status = evaluate_event(it, i, to, &r->value);
  r->found = r->back = false;
  if (status == GA_OK && later > from) {
    from = fmin(later, to);
    status = evaluate_event(it, i, from, &before);
  }
  int sign = sign_of(before);
  if (status != GA_OK || sign == 0) return status;
  if (sign_of(r->value) == sign) {
    status = find_double_change(it, i, from, before);
    if (status == GA_OK && !r->found) drop_reported_change(r);
    return status;
  }
  if (r->event.direction != GA_EVENT_ANY && (int)r->event.direction != -sign) return GA_OK;
  status = locate_sign_change(it, i, from, before, to, r->value, &r->t_found);
  r->sign = -sign;
  r->found = status == GA_OK;
  return status;
}

/* Index of the earliest event that was found and not reported yet, -1 if there is none. */
static int earliest_found(const ga_events *events) {
  int first = -1;
  for (int i = 0; i < events->n; i++) {
    const ga_event_state *r = &events->item[i];
    if (r->found && (first < 0 || r->t_found < events->item[first].t_found)) first = i;
  }
  return first;
}

/* An event found by one process of a team is found by all. If several processes find it, the
 * earliest time counts, with the signs of that process. */
static ga_status share_found(ga_integrator *it, ga_event_state *r) {
  ga_team *team = it->eval.team;
  double first = r->found ? -r->t_found : -INFINITY;
  ga_status status = ga_team_max_all(team, 1, &first);
  if (status != GA_OK || !isfinite(first)) return status;
  bool mine = r->found && r->t_found == -first;
  double seen[3] = {-2, -2, -INFINITY}; /* sign, back, -t_back */
  if (mine) seen[0] = r->sign, seen[1] = r->back, seen[2] = r->back ? -r->t_back : 0;
  status = ga_team_max_all(team, 3, seen);
  r->found = true;
  r->t_found = -first;
  r->sign = (int)seen[0];
  r->back = seen[1] > 0;
  r->t_back = -seen[2];
  return status;
}

/* Find the events of the step: set `found` and what belongs to it of all items; all processes of a
 * team get the same result. Collective. */
static ga_status find_events(ga_integrator *it) {
  ga_events *events = &it->events;
  ga_status status = GA_OK;
  for (int i = 0; i < events->n && status == GA_OK; i++) status = find_event(it, i);
  if (!it->eval.team) return status;
  status = ga_team_agree(it->eval.team, status, &it->error);
  for (int i = 0; i < events->n && status == GA_OK; i++) {
    status = share_found(it, &events->item[i]);
  }
  return status;
}

/* Call the handler of event i at its t_found and count the event; true (on all processes) if the
 * run ends there. r->t_last is set, and a change back becomes the next one found. Collective. */
static bool report_event(ga_integrator *it, int i) {
  ga_event_state *r = &it->events.item[i];
  r->t_last = r->t_found;
  it->stats.events++;
  double t = r->t_found;
  int sign = r->sign;
  drop_reported_change(r);
  bool ends = r->event.terminal;
  if (r->event.handler) {
    ga_state state = state_at(it, t);
    ends |= r->event.handler(r->event.context, i, sign, &state) != 0;
  }
  return ga_team_any(it->eval.team, ends);
}

/* Move the accepted state back to event i at time t: restart there from the dense output, with q
 * and v projected onto the constraints. Sets events.stopped_by and the plan; it->last stays the
 * beginning of the step. If the start fails, the accepted state is the end of the step.
 * Collective. */
static ga_status restart_at_event(ga_integrator *it, int i, double t) {
  const ga_dense_output *at = &it->events.at;
  double from = it->last.mem.t;
  ga_dense_output_state(it, t, at);
  ga_beginning beginning = {.t = t,
                            .q = at->q,
                            .v = at->v,
                            .lam = at->lam,
                            .psi = at->psi,
                            .start = it->method->best_start,
                            .initial = GA_INITIAL_PROJECT,
                            .again = true};
  ga_status status = ga_start_at(it, &beginning);
  if (status != GA_OK) {
    ga_error_prefix(&it->error, "t = %.9g: event %d", t, i);
    return status;
  }
  it->state.h = t - from;
  ga_plan_rebase(it, false); /* false: begin with the first fraction of h */
  status = ga_events_begin(it);
  it->events.stopped_by = i;
  return status;
}

/* Find the events of the last step and report them in order of time, up to the first that ends the
 * run and those of the same time; GA_EVENT if one does, which is then the accepted state; GA_OK if
 * none does. Collective. */
ga_status ga_events_handle(ga_integrator *it) {
  ga_events *events = &it->events;
  int ends = -1;
  double t_end = INFINITY;
  ga_status status = find_events(it);
  if (status != GA_OK) return status;
  for (int i; (i = earliest_found(events)) >= 0;) {
    const ga_event_state *r = &events->item[i];
    double t = r->t_found;
    if (t > t_end + time_resolution(it, &r->event)) break;
    if (report_event(it, i) && ends < 0) {
      ends = i;
      t_end = t;
    }
  }
  if (ends < 0) return GA_OK;
  status = restart_at_event(it, ends, t_end);
  if (status != GA_OK) return status;
  return ga_fail(&it->error, GA_EVENT, "t = %.9g: event %d", t_end, ends);
}

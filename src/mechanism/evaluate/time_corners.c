/* SPDX-License-Identifier: MIT */
/* What a mechanism knows of its future: corners in time of the author's functions, of all elements, and
 * what changes
 * unexpectedly. */
#include <math.h>

#include "mechanism/evaluate/time_corners.h"
#include "mechanism/signal/signal.h"

/* *corner <- the first of both, hidden if one of them is. */
static void join(ga_corner *corner, const ga_corner *c) {
  const bool hidden = corner->hidden || c->hidden;
  if (c->t < corner->t || (c->t == corner->t && c->jumps < corner->jumps)) *corner = *c;
  corner->hidden = hidden;
}

/* Number of the variable t in a list; -1: the function does not depend on time. */
static int time_variable(const ga_variable *variables) {
  for (int i = 0; variables[i].name; i++) {
    if (variables[i].time) return i;
  }
  return -1;
}

/* The first corner after t of a function of this element. A function of a force jumps with the
 * second derivative of the position, that of a drive with the position itself, or with its rate. */
static ga_corner call_corner(const ga_element *el, const ga_call *call, double t) {
  const int time = time_variable(call->variables);
  ga_corner c = {.before = INFINITY, .t = INFINITY};
  if (time < 0) return c;
  c = ga_law_next_corner(call->law, time, t);
  c.jumps += 2 - call->time_derivatives;
  c.what = el->type->what;
  c.name = el->name;
  return c;
}

/* The first corner of an element after t, of all its functions; t is INFINITY if there is none. */
ga_corner ga_element_next_corner(const ga_mechanism *m, const ga_element *el, double t) {
  const ga_evaluation nothing = {0};
  ga_corner first = {.before = INFINITY, .t = INFINITY};
  ga_pass pass;
  ga_call call;
  if (!el->type->function) return first;
  first.hidden = !ga_pass_begin(&pass, m, t, m->anywhere, m->anywhere, &nothing);
  if (first.hidden) return first;
  for (int k = 0; el->type->function(&pass, el, k, &call); k++) {
    const ga_corner c = call_corner(el, &call, t);
    join(&first, &c);
  }
  ga_pass_end(&pass);
  return first;
}

/* The first corner after t of a signal that is a function. It may enter the rate of a drive or of a
 * state, which then jumps with it. */
static ga_corner signal_corner(const ga_signal *signal, double t) {
  ga_corner c = {.before = INFINITY, .t = INFINITY};
  if (signal->kind != GA_SIGNAL_FUNCTION || !signal->law) return c;
  const int time = time_variable(signal->variables);
  if (time < 0) return c;
  c = ga_law_next_corner(signal->law, time, t);
  c.jumps += 1;
  c.what = "a function that others use";
  return c;
}

/* ga_model_ops.next_corner; user is the mechanism. */
void ga_mechanism_next_corner(void *user, double t, ga_corner *corner) {
  const ga_mechanism *m = user;
  for (int i = 0; i < m->elements.count; i++) {
    const ga_corner c = ga_element_next_corner(m, &m->elements.item[i], t);
    join(corner, &c);
  }
  for (int i = 0; i < m->signals.count; i++) {
    const ga_corner c = signal_corner(&m->signals.item[i], t);
    join(corner, &c);
  }
}

/* ---- surprises ---------------------------------------------------------------------------- */

/* Note the function if it may change unexpectedly in time; false: no memory. */
static bool note(ga_mechanism *m, const ga_timed *f) {
  if (f->time < 0 || !ga_law_may_surprise(f->law, f->time)) return true;
  if (!GA_GROW(m->timed)) return false;
  m->timed.item[m->timed.count++] = *f;
  return true;
}

/* m->anywhere, and m->timed <- all such functions; false: no memory. */
bool ga_mechanism_prepare_future(ga_mechanism *m) {
  const ga_evaluation nothing = {0};
  bool ok = true;
  m->anywhere = ga_arena_doubles(&m->arena, (size_t)(m->nq > m->nv ? m->nq : m->nv) + 1);
  if (!m->anywhere) return false;
  for (int i = 0; i < m->elements.count; i++) {
    const ga_element *el = &m->elements.item[i];
    ga_pass pass;
    ga_call call;
    if (!el->type->function || !ga_pass_begin(&pass, m, 0, m->anywhere, m->anywhere, &nothing)) {
      continue;
    }
    for (int k = 0; el->type->function(&pass, el, k, &call); k++) {
      const ga_timed f = {call.law, time_variable(call.variables), 2 - call.time_derivatives,
                          el->type->what, el->name};
      ok = ok && note(m, &f);
    }
    ga_pass_end(&pass);
  }
  for (int i = 0; i < m->signals.count; i++) {
    const ga_signal *signal = &m->signals.item[i];
    if (signal->kind != GA_SIGNAL_FUNCTION || !signal->law) continue;
    const ga_timed f = {signal->law, time_variable(signal->variables), 1,
                        "a function that others use", NULL};
    ok = ok && note(m, &f);
  }
  return ok;
}

/* ga_model_ops.surprise; user is the mechanism. */
void ga_mechanism_surprise(void *user, double since, double t, double way, ga_corner *surprise) {
  const ga_mechanism *m = user;
  for (int i = 0; i < m->timed.count; i++) {
    const ga_timed *f = &m->timed.item[i];
    ga_corner c = ga_law_surprise(f->law, f->time, since, t, way);
    if (!isfinite(c.t)) continue;
    c.jumps += f->jumps;
    c.what = f->what, c.name = f->name;
    join(surprise, &c);
  }
}

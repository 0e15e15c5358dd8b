/* SPDX-License-Identifier: MIT */
/* States of controllers and inputs: coordinates without a joint, whose rate a function gives. An input
 * is a state whose rate is 0: its value is in q, so that every integrator has its own, and saved
 * states contain it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mechanism/signal/signal.h"

/* Add a coordinate of this name without a joint, and the element that gives its rate. what: "state",
 * "input". */
static ga_status add_state(ga_mechanism *m, const char *what, const ga_controller_state *state,
                           bool input, ga_error *err) {
  char owner[160];
  ga_status status = ga_mechanism_claim(m, what, state->name, err);
  if (status != GA_OK) return status;
  snprintf(owner, sizeof owner, "%s '%.120s'", what, state->name);
  const double numbers[2] = {state->start, state->size};
  if (!ga_finite(2, numbers) || state->size < 0) {
    return ga_fail(err, GA_ERR_ARG, "%s: its start and size must be finite, size not negative",
                   owner);
  }
  ga_law *law = ga_arena_take(&m->arena, 1, sizeof *law);
  int *number = ga_arena_ints(&m->arena, 1);
  if (m->arena.failed || !GA_GROW(m->coordinates) || !GA_GROW(m->others)) {
    return ga_fail(err, GA_ERR_MEM, "no memory for %s", owner);
  }
  *number = m->coordinates.count;
  /* the name comes first: its own rate may use it */
  status = ga_mechanism_define(m, state->name, GA_NAMED_STATE, *number, 0, err);
  if (status != GA_OK) return status;
  const char *name = ga_mechanism_find(m, state->name)->name;
  ga_angle angle = {.name = name,
                    .rate = ga_mechanism_text(m, name, "_rate"),
                    .asked_by = ga_mechanism_text(m, owner, NULL),
                    .joint = -1,
                    .size = state->size > 0 ? state->size : 1,
                    .input = input,
                    .start = state->start,
                    .held = true};
  if (!angle.rate || !angle.asked_by) return ga_fail(err, GA_ERR_MEM, "no memory for %s", owner);
  m->coordinates.item[m->coordinates.count++] = angle;
  status = ga_mechanism_law(m, owner, "rate", &state->rate, ga_of_time, law, err);
  if (status != GA_OK) { /* as if it had never been there */
    m->coordinates.count--;
    ga_mechanism_undefine(m, name);
    return status;
  }
  if (!GA_GROW(m->others)) return ga_fail(err, GA_ERR_MEM, "no memory for %s", owner);
  m->others.item[m->others.count++] = (ga_element){.type = &ga_element_state,
                                                   .name = name,
                                                   .npsi = 1,
                                                   .ncoordinate = 1,
                                                   .coordinate = number,
                                                   .data = law};
  return GA_OK;
}

/* Add a state z' = rate(t, signals). */
ga_status ga_mechanism_add_controller_state(ga_mechanism *m, const ga_controller_state *state,
                                            ga_error *err) {
  return add_state(m, "state", state, false, err);
}

/* Add an input, a state that does not change between steps. */
ga_status ga_mechanism_add_input(ga_mechanism *m, const ga_input *input, ga_error *err) {
  const ga_controller_state state = {
      .name = input->name, .start = input->value, .size = input->size};
  return add_state(m, "input", &state, true, err);
}

/* Number of the coordinate that is the i-th input, -1 past the end. */
static int input_coordinate(const ga_mechanism *m, int i) {
  for (int c = 0; c < m->coordinates.count; c++) {
    if (m->coordinates.item[c].input && i-- == 0) return c;
  }
  return -1;
}

/* Name of the i-th input, NULL past the end. */
const char *ga_mechanism_input_name(const ga_mechanism *m, int i) {
  const int c = i < 0 ? -1 : input_coordinate(m, i);
  return c < 0 ? NULL : m->coordinates.item[c].name;
}

/* Number of the i-th input in q, -1 past the end; after the build. */
int ga_mechanism_input_at(const ga_mechanism *m, int i) {
  const int c = i < 0 ? -1 : input_coordinate(m, i);
  return c < 0 ? -1 : m->coordinates.item[c].q_at;
}

/* v of all states and inputs <- their rates at t, q and v of the others. */
ga_status ga_mechanism_settle(const ga_mechanism *m, double t, const double *q, double *v,
                              ga_error *err) {
  const ga_evaluation nothing = {0};
  ga_pass pass;
  ga_pass_begin(&pass, m, t, q, v, &nothing);
  for (int i = 0; i < m->elements.count; i++) {
    const ga_element *el = &m->elements.item[i];
    if (el->type != &ga_element_state) continue;
    ga_call call = {
        .law = el->data, .field = "rate", .variables = ga_of_time, .value = {[GA_OF_TIME_T] = t}};
    double f = 0;
    if (ga_pass_call(&pass, &call, false, &f) != 0 || !isfinite(f)) {
      return ga_fail(err, GA_ERR_INITIAL, "state '%s': its rate has no value at t = %.9g", el->name,
                     t);
    }
    v[m->coordinates.item[el->coordinate[0]].v_at] = f;
  }
  return GA_OK;
}

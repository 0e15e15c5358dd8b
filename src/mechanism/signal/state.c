/* SPDX-License-Identifier: MIT */
/* States of controllers, coordinates without a joint whose rate a function gives; inputs, which the
 * integrator hands to every evaluation. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mechanism/signal/signal.h"

/* Add a state z' = rate(t, signals): a coordinate of this name without a joint, and the element that
 * gives its rate. */
ga_status ga_mechanism_add_controller_state(ga_mechanism *m, const ga_controller_state *state,
                                            ga_error *err) {
  char owner[160];
  ga_status status = ga_mechanism_claim(m, "state", state->name, err);
  if (status != GA_OK) return status;
  snprintf(owner, sizeof owner, "state '%.120s'", state->name);
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

/* ---- inputs --------------------------------------------------------------------------------- */

/* values[0] <- the value of the input */
static void input_output(ga_pass *pass, const ga_state *state, const ga_element *el,
                         double *values) {
  (void)state;
  values[0] = pass->u[*(const int *)el->data];
}

static const ga_column input_columns[] = {{"", "", NULL}};
static const ga_element_type input_type = {
    .what = "input", GA_COLUMNS(input_columns), .output = input_output};

/* Add an input; it is a column, like a sensor. */
ga_status ga_mechanism_add_input(ga_mechanism *m, const ga_input *input, ga_error *err) {
  ga_status status = ga_mechanism_claim(m, "input", input->name, err);
  if (status != GA_OK) return status;
  if (!isfinite(input->value)) {
    return ga_fail(err, GA_ERR_ARG, "input '%s': its value is not a finite number", input->name);
  }
  int *number = ga_arena_ints(&m->arena, 1);
  if (m->arena.failed || !GA_GROW(m->inputs) || !GA_GROW(m->sensors)) {
    return ga_fail(err, GA_ERR_MEM, "no memory for '%s'", input->name);
  }
  *number = m->inputs.count;
  status = ga_mechanism_define(m, input->name, GA_NAMED_INPUT, *number, 0, err);
  if (status != GA_OK) return status;
  const char *name = ga_mechanism_find(m, input->name)->name;
  m->inputs.item[m->inputs.count++] = (ga_input){.name = name, .value = input->value};
  m->sensors.item[m->sensors.count++] =
      (ga_element){.type = &input_type, .name = name, .data = number};
  return GA_OK;
}

/* Set the names and first values of inputs in m->model; false: no memory. */
bool ga_mechanism_set_inputs(ga_mechanism *m) {
  const size_t n = (size_t)m->inputs.count;
  const char **names = ga_arena_take(&m->arena, n + 1, sizeof *names);
  double *values = ga_arena_doubles(&m->arena, n + 1);
  if (m->arena.failed) return false;
  for (size_t i = 0; i < n; i++) {
    names[i] = m->inputs.item[i].name;
    values[i] = m->inputs.item[i].value;
  }
  m->model.ninput = m->inputs.count;
  m->model.input_names = names;
  m->model.input = values;
  return true;
}

/* ---- start ---------------------------------------------------------------------------------- */

/* v of all states <- their rates at t, q and v of the others. */
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

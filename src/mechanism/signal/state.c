/* SPDX-License-Identifier: MIT */
/* States of controllers, coordinates without a joint whose rate a function gives; inputs, which the
 * integrator hands to every evaluation. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mechanism/signal/signal.h"

/* Add a state z' = rate(t, signals): a coordinate of this name without a joint, and the element that
 * gives its rate. */
static ga_status add_continuous(ga_mechanism *m, const ga_controller_state *state, ga_error *err) {
  char owner[160];
  ga_status status;
  snprintf(owner, sizeof owner, "state '%.120s'", state->name);
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

/* May the element depend on t? Where its author gave a function, it may. */
static bool may_depend_on_time(const ga_element *el) {
  if (!el->type->function) return false;
  if (el->type->relation) return !((const ga_relation *)el->data)->law.zero;
  if (!el->type->law) return true;
  const ga_law *law;
  for (int i = 0; (law = el->type->law(el, i)); i++) {
    if (!law->zero) return true;
  }
  return false;
}

/* No element depends on t, and there are no inputs. */
static bool is_autonomous(const ga_mechanism *m) {
  for (int i = 0; i < m->elements.count; i++) {
    if (may_depend_on_time(&m->elements.item[i])) return false;
  }
  return m->inputs.count == 0;
}

/* Set the names and first values of inputs in m->model, and whether it depends on time at all; false:
 * no memory. */
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
  m->model.autonomous = is_autonomous(m);
  return true;
}

/* ---- states --------------------------------------------------------------------------------- */

/* Add a sampled state: an input that the mechanism sets itself. */
static ga_status add_sampled(ga_mechanism *m, const ga_controller_state *state, ga_error *err) {
  char owner[160];
  const ga_input input = {.name = state->name, .value = state->start};
  snprintf(owner, sizeof owner, "state '%.120s'", state->name);
  if (m->samples.count == GA_SAMPLES_MAX) {
    return ga_fail(err, GA_ERR_ARG, "%s: at most %d states can be sampled", owner, GA_SAMPLES_MAX);
  }
  if (!GA_GROW(m->samples)) return ga_fail(err, GA_ERR_MEM, "no memory for %s", owner);
  ga_status status = ga_mechanism_add_input(m, &input, err);
  if (status != GA_OK) return status;
  ga_sample *sample = &m->samples.item[m->samples.count];
  *sample = (ga_sample){.input = m->inputs.count - 1, .every = state->every};
  status = ga_mechanism_law(m, owner, "value", &state->value, ga_of_time, &sample->value, err);
  if (status == GA_OK) {
    m->samples.count++;
    return GA_OK;
  }
  m->inputs.count--, m->sensors.count--;
  ga_mechanism_undefine(m, state->name);
  return status;
}

/* Is input i a sampled state, which the mechanism sets itself? */
bool ga_mechanism_input_sampled(const ga_mechanism *m, int i) {
  for (int k = 0; k < m->samples.count; k++) {
    if (m->samples.item[k].input == i) return true;
  }
  return false;
}

/* Has the author given this function? */
static bool given(const ga_function *f) {
  return f->fn || f->text || f->constant != 0;
}

/* Add a state of a controller, with a rate or sampled. */
ga_status ga_mechanism_add_controller_state(ga_mechanism *m, const ga_controller_state *state,
                                            ga_error *err) {
  const ga_status status = ga_mechanism_claim(m, "state", state->name, err);
  if (status != GA_OK) return status;
  const double numbers[3] = {state->start, state->size, state->every};
  if (!ga_finite(3, numbers) || state->size < 0 || state->every < 0) {
    return ga_fail(err, GA_ERR_ARG,
                   "state '%s': start, size and every must be finite, the last two not negative",
                   state->name);
  }
  if (given(&state->value) != (state->every > 0) || (given(&state->rate) && state->every > 0)) {
    return ga_fail(err, GA_ERR_ARG, "state '%s' needs a rate, or a value and every", state->name);
  }
  return state->every > 0 ? add_sampled(m, state, err) : add_continuous(m, state, err);
}

/* ---- samples -------------------------------------------------------------------------------- */

static const double ON_TIME = 1e-9; /* of a period: times nearer to a sample are at it */

/* The first time after t at which a state is sampled; INFINITY: none. */
double ga_mechanism_next_sample(const ga_mechanism *m, double t) {
  double first = INFINITY;
  for (int i = 0; i < m->samples.count; i++) {
    const double every = m->samples.item[i].every;
    first = fmin(first, every * (floor(t / every + ON_TIME) + 1));
  }
  return first;
}

/* u <- the values of sampled states from t on: those that are due see the values before it. first: all
 * begin with their start values. Returns 0, or 1 + the number of a sample whose function failed. */
int ga_mechanism_sample(const ga_mechanism *m, double t, const double *q, const double *v,
                        bool first, double *u) {
  double now[GA_SAMPLES_MAX];
  for (int i = 0; first && i < m->samples.count; i++) {
    const int k = m->samples.item[i].input;
    u[k] = m->model.input[k];
  }
  const ga_evaluation nothing = {.u = u};
  ga_pass pass;
  int code = 0;
  if (!ga_pass_begin(&pass, m, t, q, v, &nothing)) return GA_PASS_MEMORY;
  for (int i = 0; i < m->samples.count && code == 0; i++) {
    const ga_sample *s = &m->samples.item[i];
    ga_call call = {
        .law = &s->value, .field = "value", .variables = ga_of_time, .value = {[GA_OF_TIME_T] = t}};
    now[i] = u[s->input];
    if (fabs(t - s->every * round(t / s->every)) > ON_TIME * s->every) continue;
    if (ga_pass_call(&pass, &call, false, &now[i]) != 0) code = m->elements.count + 1 + i;
  }
  ga_pass_end(&pass);
  for (int i = 0; i < m->samples.count && code == 0; i++) u[m->samples.item[i].input] = now[i];
  return code;
}

/* ---- start ---------------------------------------------------------------------------------- */

/* v of all states <- their rates at t, q and v of the others. */
ga_status ga_mechanism_settle(const ga_mechanism *m, double t, const double *q, double *v,
                              ga_error *err) {
  const ga_evaluation nothing = {0};
  ga_pass pass;
  ga_status status = GA_OK;
  if (!ga_pass_begin(&pass, m, t, q, v, &nothing)) {
    return ga_fail(err, GA_ERR_MEM, "no memory for an evaluation");
  }
  for (int i = 0; i < m->elements.count && status == GA_OK; i++) {
    const ga_element *el = &m->elements.item[i];
    if (el->type != &ga_element_state) continue;
    ga_call call = {
        .law = el->data, .field = "rate", .variables = ga_of_time, .value = {[GA_OF_TIME_T] = t}};
    double f = 0;
    if (ga_pass_call(&pass, &call, false, &f) != 0 || !isfinite(f)) {
      status = ga_fail(err, GA_ERR_INITIAL, "state '%s': its rate has no value at t = %.9g",
                       el->name, t);
    }
    v[m->coordinates.item[el->coordinate[0]].v_at] = f;
  }
  ga_pass_end(&pass);
  return status;
}

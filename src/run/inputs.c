/* SPDX-License-Identifier: MIT */
/* Inputs during a run: values that the user sets, and tables that jump. Both restart the run, so
 * that order 2 is kept (restart.c). */
#include <math.h>
#include <string.h>

#include "run/integrator.h"

/* Allocate the values that the user's state shows; the caller checks arena.failed. */
void ga_integrator_inputs_init(ga_integrator *it) {
  if (it->eval.inputs.n == 0) return;
  it->inputs = ga_arena_doubles(&it->arena, (size_t)it->eval.inputs.n);
  it->sampled = ga_arena_doubles(&it->arena, (size_t)it->eval.inputs.n);
  it->state.u = it->inputs;
  if (it->inputs) ga_integrator_inputs_show(it);
}

/* Renew the values of the inputs in the user's state: those at its time. */
void ga_integrator_inputs_show(ga_integrator *it) {
  if (it->eval.inputs.n > 0) ga_inputs_get(&it->eval.inputs, it->mem.t, it->inputs);
}

/* The values at the start of a run, or of a new beginning on the way; whatever was set before is
 * included in it. */
ga_status ga_integrator_inputs_begin(ga_integrator *it, const ga_beginning *from) {
  const double t = from->t;
  ga_inputs_jump(&it->eval.inputs, t, ga_same_time(t, t));
  it->input_changed = false;
  return from->again ? GA_OK : ga_samples_begin(it, t, from->q, from->v);
}

/* Restart with velocities moved onto k = 0: an input in a nonholonomic row, such as that of a
 * controller's state, lets the rate of the state jump. it->restart.v is work. Collective. */
static ga_status restart_with_rates(ga_integrator *it) {
  double *v = it->restart.v;
  memcpy(v, it->mem.v, (size_t)it->eval.nv * sizeof(double));
  /* NULL, true: onto G v + g_t = 0 and k = 0; NULL: the change is not asked for */
  const ga_status status =
      ga_project_velocity(&it->projector, it->mem.t, it->mem.q, v, NULL, true, NULL);
  return status == GA_OK ? ga_integrator_restart(it, NULL, v) : status;
}

/* Before a step: restart, without a call of the observer, if an input was set or jumps now.
 * Collective. */
ga_status ga_integrator_inputs_apply(ga_integrator *it) {
  ga_inputs *u = &it->eval.inputs;
  if (u->n == 0) return GA_OK;
  const double t = it->mem.t;
  if (ga_inputs_jump(u, t, ga_same_time(t, t))) it->input_changed = true;
  const ga_status sampled = ga_samples_take(it);
  if (sampled != GA_OK) return sampled;
  if (!it->input_changed) return GA_OK;
  const ga_observer observer = it->observer;
  it->observer = NULL;
  ga_status status = ga_integrator_restart_after(it, NULL, NULL, true); /* true: inputs only */
  if (status == GA_ERR_INITIAL && it->eval.npsi_all > 0) status = restart_with_rates(it);
  it->observer = observer;
  return status;
}

/* The time where the next step must end at the latest: t_end, where a table jumps, or, of automatic
 * steps, where one begins to change after a rest. */
double ga_integrator_inputs_stop(const ga_integrator *it, double t_end) {
  const ga_inputs *u = &it->eval.inputs;
  const double t = it->mem.t, same = ga_same_time(t, t);
  if (u->n == 0) return t_end;
  double first = fmin(t_end, it->next_sample);
  if (it->step_size.on && u->moving) first = fmin(first, ga_inputs_next_rise(u, t, same));
  return fmin(first, ga_inputs_next_jump(u, t, same));
}

/* Restart now if an input was set. */
ga_status ga_integrator_apply_inputs(ga_integrator *it) {
  return it->input_changed && it->started ? ga_integrator_inputs_apply(it) : GA_OK;
}

/* GA_ERR_ARG unless there is an input of this number. */
static ga_status check_number(ga_integrator *it, int input) {
  const int n = it->eval.inputs.n;
  ga_error_clear(&it->error);
  if (input >= 0 && input < n) return GA_OK;
  return ga_fail(&it->error, GA_ERR_ARG, "there is no input %d: the model has %d", input, n);
}

/* Name of an input for messages: its own, or its number, printed to text. */
static const char *input_name(const ga_integrator *it, int input, char *text, size_t room) {
  return ga_eval_entry_name(text, room, "input", input, it->model->input_names);
}

/* Set an input to a constant from now on; the next step restarts if the value changes. */
ga_status ga_integrator_set_input(ga_integrator *it, int input, double value) {
  ga_inputs *u = &it->eval.inputs;
  char name[120];
  const ga_status status = check_number(it, input);
  if (status != GA_OK) return status;
  if (!isfinite(value)) {
    return ga_fail(&it->error, GA_ERR_ARG, "%s is set to %g, which is not a finite number",
                   input_name(it, input, name, sizeof name), value);
  }
  if (u->table[input].n == 0 && u->value[input] == value) return GA_OK;
  ga_inputs_set(u, input, value);
  it->input_changed = true;
  ga_integrator_inputs_show(it);
  return GA_OK;
}

/* GA_ERR_ARG unless times and values are n >= 2 finite numbers, the times rising. */
static ga_status check_table(ga_integrator *it, int input, int n, const double *t,
                             const double *values) {
  char name[120];
  input_name(it, input, name, sizeof name);
  if (n < 2 || !t || !values) {
    return ga_fail(&it->error, GA_ERR_ARG, "%s: a table needs at least two values", name);
  }
  for (int i = 0; i < n; i++) {
    if (!isfinite(t[i]) || !isfinite(values[i])) {
      return ga_fail(&it->error, GA_ERR_ARG,
                     "%s: value %d of its table, %g at t = %g, is not "
                     "finite",
                     name, i, values[i], t[i]);
    }
    if (i > 0 && t[i] <= t[i - 1]) {
      return ga_fail(&it->error, GA_ERR_ARG,
                     "%s: the times of its table must rise, but t = %.9g follows t = %.9g", name,
                     t[i], t[i - 1]);
    }
  }
  return GA_OK;
}

/* Let an input follow a table, which is copied. */
ga_status ga_integrator_set_input_table(ga_integrator *it, int input, ga_input_kind kind, int n,
                                        const double *t, const double *values) {
  static const ga_table_kind kinds[] = {
      [GA_INPUT_HOLD] = GA_TABLE_HOLD,
      [GA_INPUT_LINEAR] = GA_TABLE_LINEAR,
      [GA_INPUT_SMOOTH] = GA_TABLE_AKIMA,
  };
  ga_status status = check_number(it, input);
  if (status == GA_OK) status = check_table(it, input, n, t, values);
  if (status != GA_OK) return status;
  const size_t bytes = (size_t)n * sizeof(double);
  ga_table table = {.n = n, .kind = kinds[kind]};
  table.x = ga_calloc((size_t)n, sizeof(double));
  table.y = ga_calloc((size_t)n, sizeof(double));
  if (table.x) memcpy(table.x, t, bytes);
  if (table.y) memcpy(table.y, values, bytes);
  if (!table.x || !table.y || !ga_table_fit(&table)) {
    ga_table_free(&table);
    return ga_fail(&it->error, GA_ERR_MEM, "no memory for a table");
  }
  ga_inputs_follow(&it->eval.inputs, input, &table);
  it->input_changed = true;
  return GA_OK;
}

/* values <- the inputs at a time of the last step. */
void ga_integrator_inputs(const ga_integrator *it, double t, double *values) {
  ga_inputs_get(&it->eval.inputs, t, values);
}

/* SPDX-License-Identifier: MIT */
/* A mechanism that a program steps: an integrator, its start, columns and inputs by name. */
#include "genalpha/ga_simulation.h"

#include <stdio.h>
#include <string.h>

#include "mechanism/mechanism.h"

struct ga_simulation {
  const ga_mechanism *m;
  ga_integrator *it;
  ga_error error;
  double t0, *q0, *v0; /* the start that a reset returns to */
};

/* Keep the message of the integrator if a call of it failed; returns its status. */
static ga_status kept(ga_simulation *sim, ga_status status) {
  if (status != GA_OK) sim->error = *ga_integrator_error(sim->it);
  return status;
}

/* A simulation at the start values of the mechanism, t = 0. On failure *out is NULL. */
ga_status ga_simulation_new(const ga_mechanism *m, const ga_options *options, ga_simulation **out,
                            ga_error *err) {
  *out = NULL;
  if (!m->built) return ga_fail(err, GA_ERR_ARG, "the mechanism has not been built");
  ga_simulation *sim = ga_calloc(1, sizeof *sim);
  if (!sim) return ga_fail(err, GA_ERR_MEM, "no memory for a simulation");
  sim->m = m;
  sim->q0 = ga_calloc((size_t)m->nq + 1, sizeof(double));
  sim->v0 = ga_calloc((size_t)m->nv + 1, sizeof(double));
  ga_status status = sim->q0 && sim->v0 ? ga_integrator_new(&m->model, options, &sim->it, err)
                                        : ga_fail(err, GA_ERR_MEM, "no memory for a simulation");
  if (status == GA_OK) {
    status = ga_simulation_start(sim, 0, m->q0, m->v0);
    if (status != GA_OK && err) *err = sim->error;
  }
  if (status == GA_OK) {
    *out = sim;
  } else {
    ga_simulation_free(sim);
  }
  return status;
}

/* Free the simulation and its integrator, not the mechanism; NULL is allowed. */
void ga_simulation_free(ga_simulation *sim) {
  if (!sim) return;
  ga_integrator_free(sim->it);
  ga_free(sim->q0);
  ga_free(sim->v0);
  ga_free(sim);
}

/* Begin anew at (t, q, v), with the inputs of the mechanism's description. */
ga_status ga_simulation_start(ga_simulation *sim, double t, const double *q, const double *v) {
  const ga_model *model = &sim->m->model;
  for (int i = 0; i < model->ninput; i++) {
    ga_integrator_set_input(sim->it, i, model->input ? model->input[i] : 0);
  }
  const ga_status status = kept(sim, ga_integrator_start(sim->it, t, q, v));
  if (status != GA_OK || q == sim->q0) return status;
  sim->t0 = t;
  memcpy(sim->q0, q, (size_t)sim->m->nq * sizeof(double));
  memcpy(sim->v0, v, (size_t)sim->m->nv * sizeof(double));
  return GA_OK;
}

/* Begin anew where the last start was. */
ga_status ga_simulation_reset(ga_simulation *sim) {
  return ga_simulation_start(sim, sim->t0, sim->q0, sim->v0);
}

/* The i-th input, "" for one that the mechanism sets itself, NULL past the end (candidates of
 * ga_nearest_in, for which no word is similar to ""). */
static const char *input_name(const void *context, int i) {
  const ga_mechanism *m = context;
  if (i >= m->model.ninput) return NULL;
  return ga_mechanism_input_sampled(m, i) ? "" : m->model.input_names[i];
}

/* GA_ERR_ARG: there is no input of this name that can be set; the message says what can be. */
static ga_status fail_unknown_input(ga_simulation *sim, const char *name) {
  char all[200] = "";
  size_t at = 0;
  for (int i = 0; input_name(sim->m, i) && at < sizeof all - 1; i++) {
    if (!*input_name(sim->m, i)) continue;
    at += (size_t)snprintf(all + at, sizeof all - at, "%s%.60s", at ? ", " : ": ",
                           input_name(sim->m, i));
  }
  if (at == 0) snprintf(all, sizeof all, "; this mechanism has none");
  if (ga_mechanism_find(sim->m, name)) {
    return ga_fail(&sim->error, GA_ERR_ARG,
                   "'%.60s' is fixed when the mechanism is built, or set by it; only inputs can be "
                   "set%s",
                   name, all);
  }
  const char *near = ga_nearest_in(name, input_name, sim->m);
  if (near && *near) {
    return ga_fail(&sim->error, GA_ERR_ARG, "there is no input '%.60s'; did you mean '%s'?", name,
                   near);
  }
  return ga_fail(&sim->error, GA_ERR_ARG, "there is no input '%.60s'; only inputs can be set%s",
                 name, all);
}

/* Set an input by its name. */
ga_status ga_simulation_set(ga_simulation *sim, const char *input, double value) {
  const int i = ga_model_input(&sim->m->model, input);
  if (i < 0 || ga_mechanism_input_sampled(sim->m, i)) return fail_unknown_input(sim, input);
  return kept(sim, ga_integrator_set_input(sim->it, i, value));
}

/* n accepted steps. */
ga_status ga_simulation_step(ga_simulation *sim, long n) {
  ga_status status = GA_OK;
  for (long i = 0; i < n && status == GA_OK; i++) status = ga_integrator_step(sim->it);
  return kept(sim, status);
}

/* Steps until t is met exactly. */
ga_status ga_simulation_run_to(ga_simulation *sim, double t) {
  return kept(sim, ga_integrator_run(sim->it, t));
}

/* Column i at the present state; inputs that were set are applied first. */
ga_status ga_simulation_column(ga_simulation *sim, int column, double *value) {
  const ga_status status = kept(sim, ga_integrator_apply_inputs(sim->it));
  if (status != GA_OK) return status;
  if (column >= 0 && column < sim->m->ncolumn) {
    *value = ga_mechanism_output(sim->m, ga_integrator_state(sim->it), column);
    return GA_OK;
  }
  return ga_fail(&sim->error, GA_ERR_ARG, "there is no column %d: the mechanism has %d", column,
                 sim->m->ncolumn);
}

/* The i-th column, NULL past the end (candidates of ga_nearest_in). */
static const char *column_name(const void *context, int i) {
  return ga_mechanism_column_name(context, i);
}

/* The column of this name. */
ga_status ga_simulation_get(ga_simulation *sim, const char *column, double *value) {
  const int i = ga_mechanism_column_index(sim->m, column);
  if (i >= 0) return ga_simulation_column(sim, i, value);
  const char *near = ga_nearest_in(column, column_name, sim->m);
  return ga_fail(&sim->error, GA_ERR_ARG, "there is no column '%.80s'%s%s%s", column,
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* The message of the last call that failed. */
const ga_error *ga_simulation_error(const ga_simulation *sim) {
  return &sim->error;
}

/* The integrator of the simulation. */
ga_integrator *ga_simulation_integrator(ga_simulation *sim) {
  return sim->it;
}

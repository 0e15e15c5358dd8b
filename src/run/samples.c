/* SPDX-License-Identifier: MIT */
/* Inputs that the model sets itself at times of its own, and that are held between them: the output of
 * a digital controller. Steps end at these times. The accepted state at such a time is the one before
 * the values change; they are taken from it when the next step begins, so that a saved state goes on
 * alike. */
#include <math.h>
#include <string.h>

#include "run/integrator.h"

/* Ask the model for the values from t on, and set those that change. */
static ga_status take(ga_integrator *it, double t, const double *q, const double *v, bool first) {
  const ga_model_ops *ops = it->model->ops;
  ga_inputs *u = &it->eval.inputs;
  memcpy(it->sampled, u->value, (size_t)u->n * sizeof(double));
  const int code = ops->sample(it->model->user, t, q, v, first, it->sampled);
  if (code != 0) {
    char text[300] = "";
    if (ops->explain) ops->explain(it->model->user, code, text, sizeof text);
    return ga_fail(&it->error, GA_ERR_MODEL, "t = %.9g: the model could not sample its inputs%s%s",
                   t, *text ? ": " : "", text);
  }
  for (int i = 0; i < u->n; i++) {
    if (it->sampled[i] == u->value[i]) continue;
    if (!isfinite(it->sampled[i])) {
      char name[120];
      ga_eval_entry_name(name, sizeof name, "input", i, it->model->input_names);
      return ga_fail(&it->error, GA_ERR_MODEL, "t = %.9g: %s is sampled as %g", t, name,
                     it->sampled[i]);
    }
    ga_inputs_set(u, i, it->sampled[i]);
    it->input_changed = true;
  }
  it->next_sample = ops->next_sample(it->model->user, t + ga_same_time(t, t));
  return GA_OK;
}

/* The values at the start of a run. */
ga_status ga_samples_begin(ga_integrator *it, double t, const double *q, const double *v) {
  it->next_sample = INFINITY;
  if (!it->model->ops->sample || it->eval.inputs.n == 0) return GA_OK;
  const ga_status status = take(it, t, q, v, true);
  it->input_changed = false; /* the start includes them */
  return status;
}

/* Before a step: the values that are due. */
ga_status ga_samples_take(ga_integrator *it) {
  const double t = it->mem.t;
  if (!(it->next_sample <= t + ga_same_time(t, t))) return GA_OK;
  return take(it, t, it->mem.q, it->mem.v, false);
}

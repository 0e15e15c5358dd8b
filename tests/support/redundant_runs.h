/* SPDX-License-Identifier: MIT */
/* Runs of mechanisms with redundant constraints. */
#ifndef GA_TESTS_REDUNDANT_RUNS_H
#define GA_TESTS_REDUNDANT_RUNS_H

#include "mechanisms.h"

static inline ga_options allowing(const char *method, double h) {
  ga_options o = ga_options_default();
  o.method = method;
  o.h = h;
  o.redundant = GA_REDUNDANT_ALLOW;
  return o;
}

/* the value of a column at the accepted state */
static inline double column_of(const ga_mechanism *m, const ga_integrator *it, const char *name) {
  double *values = calloc((size_t)ga_mechanism_columns(m), sizeof *values);
  const int i = ga_mechanism_column_index(m, name);
  assert_non_null(values);
  if (i < 0) fail_msg("there is no column %s", name);
  assert_int_equal(ga_mechanism_outputs(m, ga_integrator_state(it), values), GA_OK);
  const double value = values[i];
  free(values);
  return value;
}

static inline void run_to(ga_integrator *it, double t) {
  must(ga_integrator_run(it, t), ga_integrator_error(it));
}

static inline ga_file *text_parsed(const char *text) {
  ga_file *file = NULL;
  ga_error err = {0};
  must(ga_file_parse("text.yaml", text, strlen(text), NULL, &file, &err), &err);
  return file;
}

/* largest change of the total energy, and the largest kinetic one, in steps */
typedef struct {
  const ga_mechanism *m;
  double first, change, kinetic;
  double *values;
} energy_watch;

static inline int watch_energy(void *context, const ga_state *s, const ga_stats *stats) {
  energy_watch *w = context;
  (void)stats;
  ga_mechanism_outputs(w->m, s, w->values);
  const double total = w->values[ga_mechanism_column_index(w->m, "energy.total")];
  if (isnan(w->first)) w->first = total;
  w->change = fmax(w->change, fabs(total - w->first));
  w->kinetic = fmax(w->kinetic, w->values[ga_mechanism_column_index(w->m, "energy.kinetic")]);
  return 0;
}

#endif

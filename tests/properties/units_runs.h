/* SPDX-License-Identifier: MIT */
/* Runs of one model in other units, and the comparison of their bits. */
#ifndef GA_TESTS_UNITS_RUNS_H
#define GA_TESTS_UNITS_RUNS_H

#include "rescaled.h"

struct model {
  char name[80];
  char *text;
  double h;                /* size of the steps, or guess of the first */
  double rtol;             /* automatic steps with this; 0: steps of size h */
  const char *coordinates; /* in place of those of the file; NULL: these */
};

/* All columns of a run: `rows` rows of `columns` numbers; error: "" if all steps were made. */
struct run {
  ga_file *file;
  int columns, rows;
  double *values;
  long iterations; /* of Newton's method, in all steps */
  char error[600];
};

static const struct scales metres = {1, 1, 1, 0};

/* Make at most `steps` steps from the start of run->file; fills values and rows. */
static inline ga_status make_steps(struct run *run, const ga_options *o, int steps, ga_error *err) {
  const ga_mechanism *m = ga_file_mechanism(run->file);
  ga_integrator *it = NULL;
  run->columns = ga_mechanism_columns(m);
  run->values = calloc((size_t)run->columns * (size_t)(steps + 1), sizeof *run->values);
  assert_non_null(run->values);
  ga_status status = ga_integrator_new(ga_mechanism_model(m), o, &it, err);
  if (status != GA_OK) return status;
  status = ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m));
  for (int i = 0; i <= steps && status == GA_OK; i++) {
    ga_mechanism_outputs(m, ga_integrator_state(it), run->values + i * run->columns);
    run->rows++;
    if (i < steps) status = ga_integrator_step(it);
  }
  if (status != GA_OK) *err = *ga_integrator_error(it);
  run->iterations = ga_integrator_stats(it)->newton_its;
  ga_integrator_free(it);
  return status;
}

/* Read and run a model in other units, `steps` steps with `method`. */
static inline struct run run_in(const struct model *model, const struct scales *of,
                                const char *method, int steps) {
  struct run run = {NULL, 0, 0, NULL, 0, ""};
  ga_error err = {0};
  char *text = rescaled(model->text, of);
  ga_options o = ga_options_default();
  const ga_file_options with = {.coordinates = model->coordinates};
  o.method = method;
  o.par = ga_params_rho(0.9);
  o.h = model->h * of->time;
  o.rtol = model->rtol;
  o.redundant = GA_REDUNDANT_ALLOW;
  ga_status status = ga_file_parse(model->name, text, strlen(text), &with, &run.file, &err);
  if (status == GA_OK) status = make_steps(&run, &o, steps, &err);
  if (status != GA_OK) {
    snprintf(run.error, sizeof run.error, "%s: %s", ga_status_name(status), err.text);
  }
  free(text);
  return run;
}

static inline void free_run(struct run *run) {
  ga_file_free(run->file);
  free(run->values);
}

/* Factor of column i; 0: not known, as of a coupler's effort. */
static inline double column_factor(const ga_mechanism *m, int i, const struct scales *of) {
  const char *unit = ga_mechanism_column_unit(m, i);
  return unit[0] ? unit_factor(of, unit, 1, 1) : 0;
}

/* ---- powers of two ---------------------------------------------------------------------------- */

/* Compare two runs bit by bit; prints the first difference. Returns true if there is none. */
static inline bool same_bits(const char *what, const struct run *a, const struct run *b,
                             const struct scales *of) {
  if (a->rows != b->rows || !a->error[0] != !b->error[0]) {
    printf("%s: %d rows against %d: '%s' against '%s'\n", what, b->rows, a->rows, b->error,
           a->error);
    return false;
  }
  for (int k = 0; k < a->rows * a->columns; k++) {
    const ga_mechanism *m = ga_file_mechanism(a->file);
    const int i = k % a->columns;
    const double x = a->values[k], factor = column_factor(m, i, of), y = b->values[k] / factor;
    if (factor == 0 || x == y || (isnan(x) && isnan(y))) continue;
    printf("%s: %s after %d steps is %.17g, not %.17g: relative %.1e\n", what,
           ga_mechanism_column_name(m, i), k / a->columns, y, x, (y - x) / x);
    return false;
  }
  return true;
}

#endif

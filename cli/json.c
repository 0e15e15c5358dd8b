/* SPDX-License-Identifier: MIT */
/* The end state of a run as one JSON object, 17 significant digits, null for what is not finite. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "columns.h"
#include "output.h"

static void put_number(FILE *to, double x) {
  if (isfinite(x)) {
    fprintf(to, "%.17g", x);
  } else {
    fputs("null", to);
  }
}

static void put_array(FILE *to, const char *key, int n, const double *x) {
  fprintf(to, ",\n  \"%s\": [", key);
  for (int i = 0; i < n; i++) {
    if (i) fputs(", ", to);
    put_number(to, x[i]);
  }
  fputc(']', to);
}

static void put_stats(FILE *to, const ga_stats *stats) {
  const char *between = "";
  fputs(",\n  \"stats\": {", to);
#define COUNTER(name, text)                                  \
  fprintf(to, "%s\"" #name "\": %ld", between, stats->name); \
  between = ", ";
#define EXTREME(name, text)                  \
  fprintf(to, "%s\"" #name "\": ", between); \
  put_number(to, stats->name);               \
  between = ", ";
  GA_STAT_LIST(COUNTER, EXTREME)
#undef COUNTER
#undef EXTREME
  fputc('}', to);
}

static void put_errors(FILE *to, const char *key, const ga_errors *e) {
  const double of[PARTS] = {[PART_Q] = e->q,
                            [PART_V] = e->v,
                            [PART_VD] = e->vd,
                            [PART_LAM] = e->lam,
                            [PART_PSI] = e->psi};
  fprintf(to, ",\n  \"%s\": {", key);
  for (int p = 0; p < PARTS; p++) {
    fprintf(to, "%s\"%s\": ", p ? ", " : "", part_title(p));
    put_number(to, of[p]);
  }
  fputc('}', to);
}

/* how the step sizes were chosen; the text of a sequence has no characters to be quoted */
static void put_steps(FILE *to, const ga_options *o) {
  fputs(",\n  \"step_sizes\": {", to);
  if (o->rtol > 0 || o->atol > 0) {
    fputs("\"kind\": \"automatic\", \"rtol\": ", to);
    put_number(to, o->rtol);
    fputs(", \"atol\": ", to);
    put_number(to, o->atol);
  } else {
    fprintf(to, "\"kind\": \"given\", \"h_seq\": \"%s\", \"h\": ", o->h_seq);
    put_number(to, o->h);
  }
  fputc('}', to);
}

static void put_extrapolation(FILE *to, const ga_extrapolated *x, const extrapolation *how) {
  fprintf(to, ",\n  \"extrapolate\": %d, \"extrapolate_steps\": \"%s\"", how->K,
          extrapolation_steps(how));
  fprintf(to, ", \"extrapolate_multipliers\": \"%s\"", extrapolation_multipliers(how));
  fprintf(to, ", \"order\": %d, \"h\": ", 2 + how->K);
  put_number(to, x->state.h);
  fprintf(to, ", \"steps\": %ld", x->steps);
  put_errors(to, "error_estimate", &x->error);
  put_errors(to, "finest_error_estimate", &x->finest);
}

/* every column of a model file by its name */
static void put_columns(FILE *to, const ga_file *file, const ga_state *state) {
  const ga_mechanism *m = ga_file_mechanism(file);
  const int n = ga_mechanism_columns(m);
  double *values = calloc((size_t)n, sizeof *values);
  if (!values || ga_mechanism_outputs(m, state, values) != GA_OK) {
    free(values);
    return;
  }
  fputs(",\n  \"named\": {", to);
  for (int i = 0; i < n; i++) {
    fprintf(to, "%s\n    \"%s\": ", i ? "," : "", ga_mechanism_column_name(m, i));
    put_number(to, values[i]);
  }
  fputs("\n  }", to);
  free(values);
}

void json_final(FILE *to, const ga_problem *problem, const solver *at_end) {
  const ga_model *model = &problem->model;
  const ga_state *state = solver_state(at_end);
  int nq = part_size(model, PART_Q), nv = part_size(model, PART_V);
  fputs("{\n  \"t\": ", to);
  put_number(to, state->t);
  put_array(to, "q", nq, state->q);
  put_array(to, "v", nv, state->v);
  put_array(to, "vd", nv, state->vd);
  if (state->a) put_array(to, "a", nv, state->a);
  put_array(to, "lambda", model->nlam, state->lam);
  put_array(to, "psi", model->npsi, state->psi);
  if (at_end->x) {
    put_extrapolation(to, ga_extrapolator_state(at_end->x), &at_end->how);
  }
  if (at_end->it) {
    put_steps(to, ga_integrator_options(at_end->it));
    fprintf(to, ",\n  \"linsol\": {\"name\": \"%s\", \"why\": \"%s\"}",
            ga_integrator_linsol(at_end->it), ga_integrator_linsol_why(at_end->it));
  }
  if (file_of(problem)) put_columns(to, file_of(problem), state);
  put_stats(to, solver_stats(at_end));
  fputs("\n}\n", to);
}

/* SPDX-License-Identifier: MIT */
/* The end state of a run as one JSON object, 17 significant digits, null for what is not finite. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "args/problem_args.h"
#include "columns/columns.h"
#include "output/output.h"

/* Raised when a key changes its meaning or goes; new keys alone do not raise it.
 * docs/guide/output.md */
enum { VERSION = 1 };

/* Write a number with 17 digits; null if it is not finite. */
void json_number(FILE *to, double x) {
  if (isfinite(x)) {
    fprintf(to, "%.17g", x);
  } else {
    fputs("null", to);
  }
}

/* Write a string in quotes, with escapes. */
void json_string(FILE *to, const char *text) {
  fputc('"', to);
  for (; *text; text++) {
    const unsigned char c = (unsigned char)*text;
    if (c < 0x20) {
      fprintf(to, "\\u%04x", c);
      continue;
    }
    if (c == '"' || c == '\\') fputc('\\', to);
    fputc(c, to);
  }
  fputc('"', to);
}

/* Write a further member with n numbers: ,"key": [x, ..]. */
void json_array(FILE *to, const char *key, int n, const double *x) {
  fprintf(to, ",\n  \"%s\": [", key);
  for (int i = 0; i < n; i++) {
    if (i) fputs(", ", to);
    json_number(to, x[i]);
  }
  fputc(']', to);
}

/* Beginning of the object of --final: version, problem, method and its parameters. */
static void put_head(FILE *to, const ga_problem *problem, const ga_options *o) {
  const ga_params *p = &o->par;
  const char *variant = problem_variant(o);
  fprintf(to, "{\n  \"format\": \"genalpha-run\", \"version\": %d, \"genalpha\": \"%s\"", VERSION,
          ga_version());
  fputs(",\n  \"problem\": ", to);
  json_string(to, problem->name);
  fprintf(to, ", \"method\": \"%s\"", o->method);
  fprintf(to, variant ? ", \"variant\": \"%s\"" : ", \"variant\": null", variant);
  const struct {
    const char *key;
    double value;
  } all[] = {{"rho_inf", ga_params_check(p).rho_inf},
             {"alpha_m", p->alpha_m},
             {"alpha_f", p->alpha_f},
             {"beta", p->beta},
             {"gamma", p->gamma},
             {"b", p->b}};
  fputs(",\n  \"parameters\": {", to);
  for (int i = 0; i < (int)(sizeof all / sizeof all[0]); i++) {
    fprintf(to, "%s\"%s\": ", i ? ", " : "", all[i].key);
    json_number(to, all[i].value);
  }
  fputc('}', to);
}

/* Member "columns": names of the entries of q, v, vd, lam and psi, as in the head of a
 * trajectory. */
static void put_names(FILE *to, const ga_model *model) {
  fputs(",\n  \"columns\": {", to);
  for (int f = 0; f < FIELDS; f++) {
    if (f == FIELD_A) continue;
    fprintf(to, "%s\n    \"%s\": [", f ? "," : "", field_title(f));
    for (int i = 0; i < field_size(model, f); i++) {
      if (i) fputs(", ", to);
      json_string(to, field_name(model, f, i).text);
    }
    fputc(']', to);
  }
  fputs("\n  }", to);
}

/* Member "stats": all counters and extremes of GA_STAT_LIST. */
static void put_stats(FILE *to, const ga_stats *stats) {
  const char *between = "";
  fputs(",\n  \"stats\": {", to);
#define COUNTER(name, text)                                  \
  fprintf(to, "%s\"" #name "\": %ld", between, stats->name); \
  between = ", ";
#define EXTREME(name, text)                  \
  fprintf(to, "%s\"" #name "\": ", between); \
  json_number(to, stats->name);              \
  between = ", ";
  GA_STAT_LIST(COUNTER, EXTREME)
#undef COUNTER
#undef EXTREME
  fputc('}', to);
}

/* A member of that key with the errors of q, v, vd, lam and psi. */
static void put_errors(FILE *to, const char *key, const ga_errors *e) {
  const field_errors error = field_errors_of(e);
  fprintf(to, ",\n  \"%s\": {", key);
  for (int f = 0; f < FIELDS; f++) {
    if (f == FIELD_A) continue;
    fprintf(to, "%s\"%s\": ", f ? ", " : "", field_title(f));
    json_number(to, error.of[f]);
  }
  fputc('}', to);
}

/* Member "step_sizes": automatic with its tolerances, or given. h_seq needs no quoting: it holds
 * only numbers and separators. */
static void put_steps(FILE *to, const ga_options *o) {
  fputs(",\n  \"step_sizes\": {", to);
  if (o->rtol > 0 || o->atol > 0) {
    fputs("\"kind\": \"automatic\", \"rtol\": ", to);
    json_number(to, o->rtol);
    fputs(", \"atol\": ", to);
    json_number(to, o->atol);
  } else {
    fprintf(to, "\"kind\": \"given\", \"h_seq\": \"%s\", \"h\": ", o->h_seq);
    json_number(to, o->h);
  }
  fputc('}', to);
}

/* Members about an extrapolated run: settings, order, step size, and error estimates of the result
 * and of the finest run. */
static void put_extrapolation(FILE *to, const ga_extrapolated *x, const extrapolation *how) {
  fprintf(to, ",\n  \"extrapolate\": %d, \"extrapolate_steps\": \"%s\"", how->K,
          extrapolation_steps(how));
  fprintf(to, ", \"extrapolate_multipliers\": \"%s\"", extrapolation_multipliers(how));
  fprintf(to, ", \"order\": %d, \"h\": ", 2 + how->K);
  json_number(to, x->state.h);
  fprintf(to, ", \"steps\": %ld", x->steps);
  put_errors(to, "error_estimate", &x->error);
  put_errors(to, "finest_error_estimate", &x->finest);
}

/* Member "accuracy": what was asked for, what was reached, and how. */
static void put_accuracy(FILE *to, const ga_solution *solution) {
  if (!solution) return;
  const ga_accuracy *a = ga_solution_accuracy(solution);
  fputs(",\n  \"accuracy\": {\"asked\": ", to);
  json_number(to, a->asked);
  fprintf(to, ", \"reached\": %s", a->verdict == GA_VERDICT_REACHED ? "true" : "false");
  fprintf(to, ", \"verdict\": \"%s\", \"error\": ", ga_verdict_word(a->verdict));
  json_number(to, a->error);
  const field_errors error = field_errors_of(&a->estimate);
  fputs(", \"estimate\": {", to);
  for (int f = 0; f < FIELDS; f++) {
    if (f == FIELD_A) continue;
    fprintf(to, "%s\"%s\": ", f ? ", " : "", field_title(f));
    json_number(to, error.of[f]);
  }
  fprintf(to, "},\n    \"method\": \"%s\", \"order\": %d, \"runs\": %d", a->method, a->order,
          a->runs);
  fprintf(to, ", \"least_steps\": %ld, \"largest_steps\": %ld, \"steps\": %ld", a->least,
          a->largest, a->steps);
  fputs(", \"t_kink\": ", to);
  json_number(to, a->t_kink);
  fputs(", \"growth\": ", to);
  json_number(to, a->growth);
  fputs(",\n    \"text\": ", to);
  json_string(to, a->text);
  fputc('}', to);
}

/* Write a further member "named": every column of the problem by its full name. Nothing if they
 * cannot be evaluated. */
void json_columns(FILE *to, const ga_problem *problem, const ga_state *state) {
  column_set c;
  double *value = NULL;
  if (columns_open(&c, problem, COLUMNS_ALL)) value = calloc((size_t)c.count, sizeof *value);
  if (value && columns_evaluate(&c, state, value)) {
    fputs(",\n  \"named\": {", to);
    for (int i = 0; i < c.count; i++) {
      fputs(i ? ",\n    " : "\n    ", to);
      json_string(to, columns_full_name(&c, i));
      fputs(": ", to);
      json_number(to, value[i]);
    }
    fputs("\n  }", to);
  }
  free(value);
  columns_close(&c);
}

/* Write a further member "events": name, condition and time of each event that happened, in order,
 * with "sign" 1 or -1 if it rose or fell, and 0 for the one that ended the run. Only the first
 * EVENTS_KEPT are written; stats.events has their number. Nothing for a run without events. */
static void put_events(FILE *to, const run_events *e) {
  if (!e || e->count == 0) return;
  fputs(",\n  \"events\": [", to);
  for (long i = 0; i < e->happened && i < EVENTS_KEPT; i++) {
    const event_time *seen = &e->seen[i];
    fputs(i ? ",\n    {\"name\": " : "\n    {\"name\": ", to);
    json_string(to, e->event[seen->event].name);
    fputs(", \"when\": ", to);
    json_string(to, e->event[seen->event].when);
    fputs(", \"t\": ", to);
    json_number(to, seen->t);
    fprintf(to, ", \"sign\": %d}", seen->sign);
  }
  fputs("]", to);
}

/* Write the object of `run --final`: settings, end state, events (NULL: none), statistics. The
 * options are those of the run, at_end is its solver after the run. The caller checks `to` for
 * write errors. */
void json_final(FILE *to, const ga_problem *problem, const ga_options *options,
                const solver *at_end, const run_events *events) {
  const ga_model *model = &problem->model;
  const ga_state *state = solver_state(at_end);
  int nq = field_size(model, FIELD_Q), nv = field_size(model, FIELD_V);
  put_head(to, problem, options);
  put_names(to, model);
  fputs(",\n  \"t\": ", to);
  json_number(to, state->t);
  json_array(to, "q", nq, state->q);
  json_array(to, "v", nv, state->v);
  json_array(to, "vd", nv, state->vd);
  if (state->a) json_array(to, "a", nv, state->a);
  json_array(to, "lam", model->nlam, state->lam);
  json_array(to, "psi", model->npsi, state->psi);
  if (at_end->x) {
    put_extrapolation(to, ga_extrapolator_state(at_end->x), &at_end->how);
  }
  put_accuracy(to, at_end->solution);
  if (at_end->it) {
    put_steps(to, ga_integrator_options(at_end->it));
    fprintf(to, ",\n  \"linsol\": {\"name\": \"%s\", \"why\": \"%s\"}",
            ga_integrator_linsol(at_end->it), ga_integrator_linsol_why(at_end->it));
  }
  if (file_of(problem)) json_columns(to, problem, state);
  put_events(to, events);
  put_stats(to, solver_stats(at_end));
  fputs("\n}\n", to);
}

/* ---- for files of results ------------------------------------------------------------------- */

/* What put(stream, what) writes, as a string to be freed; NULL without memory. */
char *json_text(json_put put, const void *what) {
  char *text = NULL;
  size_t length = 0;
  FILE *to = open_memstream(&text, &length);
  if (!to) return NULL;
  put(to, what);
  if (fclose(to) == 0) return text;
  free(text);
  return NULL;
}

/* Separator, key and colon of a further member. */
static void put_key(FILE *to, const char *key) {
  fputs(",\n  ", to);
  json_string(to, key);
  fputs(": ", to);
}

/* Write the i-th word, from 0 on, of "a|b|c" as a string; i must be less than their number. */
static void put_word(FILE *to, const char *words, int i) {
  char word[40];
  while (i-- > 0) words += strcspn(words, "|") + 1;
  snprintf(word, sizeof word, "%.*s", (int)strcspn(words, "|"), words);
  json_string(to, word);
}

/* All options of the library as members, by their keys. */
static void put_library_options(FILE *to, const ga_options *o) {
#define NAME(field, def, key, help) put_key(to, key), json_string(to, o->field);
#define TEXT(field, def, argument, key, help) put_key(to, key), json_string(to, o->field);
#define REAL(field, def, least, largest, key, help) put_key(to, key), json_number(to, o->field);
#define INT(field, def, least, largest, key, help) put_key(to, key), fprintf(to, "%d", o->field);
#define WORD(field, type, def, words, key, help) \
  put_key(to, key), put_word(to, words, (int)o->field);
  GA_OPTION_LIST(NAME, TEXT, REAL, INT, WORD)
#undef NAME
#undef TEXT
#undef REAL
#undef INT
#undef WORD
}

/* A json_put: how a run was made, for its result file. The argument is a json_run. */
void json_options(FILE *to, const void *json_run_) {
  const json_run *run = json_run_;
  const ga_params *par = &run->options->par;
  fputs("{\n  \"problem\": ", to);
  json_string(to, run->problem->name);
  const struct {
    const char *key;
    double value;
  } numbers[] = {{"t0", run->problem->t0}, {"t-end", run->t_end},     {"out-dt", run->out_dt},
                 {"every", run->every},    {"alpha_m", par->alpha_m}, {"alpha_f", par->alpha_f},
                 {"beta", par->beta},      {"gamma", par->gamma}};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    put_key(to, numbers[i].key);
    json_number(to, numbers[i].value);
  }
  put_library_options(to, run->options);
  if (run->solver->how.K > 0) {
    put_key(to, "extrapolate");
    fprintf(to, "%d", run->solver->how.K);
  }
  put_key(to, "set");
  fputc('{', to);
  for (int i = 0; i < run->sets->count; i++) {
    if (i) fputs(", ", to);
    json_string(to, run->sets->set[i].name);
    fputs(": ", to);
    json_string(to, run->sets->set[i].value);
  }
  fputs("}\n}\n", to);
}

/* A json_put: how a run ended, for its result file. The argument is a json_run. */
void json_statistics(FILE *to, const void *json_run_) {
  const json_run *run = json_run_;
  const char *end = run->exit_code == TOOL_OK            ? "complete"
                    : run->exit_code == TOOL_INTERRUPTED ? "interrupted"
                                                         : "failed";
  fprintf(to, "{\n  \"end\": \"%s\",\n  \"t\": ", end);
  json_number(to, solver_state(run->solver)->t);
  put_accuracy(to, run->solver->solution);
  put_events(to, run->events);
  put_stats(to, solver_stats(run->solver));
  fputs("\n}\n", to);
}

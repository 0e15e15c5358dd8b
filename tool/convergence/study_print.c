/* SPDX-License-Identifier: MIT */
/* The report of a study: an aligned table, CSV, or one JSON object. */
#include <math.h>
#include <string.h>

#include "args/problem_args.h"
#include "convergence/study.h"
#include "problems/problems.h"

/* Writes to text (size bytes) what the errors are measured against, as the end of a sentence.
 * Where the finest level is the reference, it also says by how much the last slope is too large:
 * for errors e and e/2^p it is log2(2^p + 1) in place of p (tolerances: factor 10, p = 2/3). */
static void describe_reference(const study *s, size_t size, char *text) {
  const reference *r = &s->reference;
  const char *name = s->problem->name;
  int order = 2 + s->how.K;
  char slopes[48];
  if (s->automatic) {
    snprintf(slopes, sizeof slopes, "%.2f in place of %.2f", log10(pow(10, 2.0 / 3) + 1), 2.0 / 3);
  } else {
    snprintf(slopes, sizeof slopes, "%.2f in place of %d", log2(ldexp(1, order) + 1), order);
  }
  switch (r->kind) {
    case REFERENCE_CLOSED:
      snprintf(text, size, "against the closed solution of '%s'", name);
      break;
    case REFERENCE_TABLE:
      snprintf(text, size, "against the reference values of '%s'", name);
      break;
    case REFERENCE_COMPUTED:
      snprintf(text, size,
               "against a computed reference: stab2 with steps down to h = %.8g, extrapolated to "
               "order %d",
               r->h, r->order);
      break;
    case REFERENCE_FINEST:
      snprintf(text, size,
               "against the finest level of this study, %s = %.8g, as '%s' has no reference at t = "
               "%.10g: that level has no row, and slopes near it are too large (%s in the last "
               "row)",
               study_level_title(s), r->h, name, s->t_end, slopes);
      break;
  }
}

/* Appends to text the times at which the problem has reference values, if any. */
static void append_times(const ga_problem *problem, size_t size, char *text) {
  double t = ga_problem_reference_time(problem, 0);
  const char *before = "; reference values are known at t =";
  for (int i = 0; !isnan(t); t = ga_problem_reference_time(problem, ++i)) {
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s %.10g", before, t);
    before = ",";
  }
}

/* Do the levels estimate their own errors at the end (extrapolation with --norm end)? */
static bool has_estimates(const study *s) {
  return s->how.K > 0 && !s->norm.max;
}

/* text */

/* "extrapolated to order 4", with settings that are not the default in brackets. */
static void text_extrapolation(FILE *to, const extrapolation *how) {
  bool steps = how->steps == GA_STEPS_HARMONIC;
  bool multipliers = how->multipliers == GA_MULTIPLIERS_CONSISTENT;
  fprintf(to, "extrapolated to order %d", 2 + how->K);
  if (steps || multipliers) {
    fprintf(to, " (%s%s%s)", steps ? "harmonic steps" : "", steps && multipliers ? ", " : "",
            multipliers ? "consistent multipliers" : "");
  }
  fprintf(to, steps || multipliers ? ",\n" : ", ");
}

/* Writes the sentence about method, norm and reference (against), and the titles of the columns;
 * with several studies in one table (s->of > 0) method and rho_inf are columns instead. */
static void text_head(FILE *to, const study *s, const char *against) {
  const ga_options *o = s->options;
  fprintf(to, "%s: ", s->problem->name);
  if (s->of == 0) {
    fprintf(to, "%s, rho_inf = %.4g, ", problem_method(o).text, ga_params_check(&o->par).rho_inf);
  }
  if (s->how.K) text_extrapolation(to, &s->how);
  if (s->automatic) fprintf(to, "automatic steps, ");
  if (s->per > 1) fprintf(to, "steps h times %s, ", o->h_seq);
  fprintf(to, "largest errors ");
  if (s->norm.max) {
    fprintf(to, "for %.10g %s t <= %.10g,\n", s->norm.from, s->norm.whole ? "<" : "<=", s->norm.to);
  } else {
    fprintf(to, "at t = %.10g,\n", s->t_end);
  }
  tool_print_wrapped(to, against, 0);
  fputc('\n', to);
  if (s->of) fprintf(to, "%-10s%8s", "method", "rho_inf");
  fprintf(to, "%14s", study_level_title(s));
  if (s->automatic) fprintf(to, "%10s", "steps");
  for (int c = 0; c < FIELDS; c++) {
    if (s->has[c]) fprintf(to, "%12s  slope", field_title(c));
  }
  fputc('\n', to);
}

/* One line: h or tolerance, then error and slope of each field; an unknown slope is left blank. */
static void text_row(FILE *to, const study *s, int i) {
  const study_level *level = &s->level[i];
  int blanks = 0; /* held back, so that no line ends with them */
  if (s->of) {
    fprintf(to, "%-10s%8.4g", s->options->method, ga_params_check(&s->options->par).rho_inf);
  }
  fprintf(to, "%14.8g", level->h);
  if (s->automatic) fprintf(to, "%10ld", level->steps);
  for (int c = 0; c < FIELDS; c++) {
    if (!s->has[c]) continue;
    fprintf(to, "%*s%12.3e", blanks, "", level->error[c]);
    blanks = isnan(level->slope[c]) ? 7 : 0;
    if (blanks == 0) fprintf(to, "%7.2f", level->slope[c]);
  }
  fputc('\n', to);
}

/* CSV */

/* The line of column names. CSV has no comments: a computed reference is described on stderr. */
static void csv_head(FILE *to, const study *s, const char *against) {
  if (!isnan(s->reference.h)) tool_error("errors %s", against);
  fprintf(to, "%s%s,steps", s->of ? "method,rho_inf," : "", study_level_title(s));
  for (int c = 0; c < FIELDS; c++) {
    if (!s->has[c]) continue;
    fprintf(to, ",%s_error,%s_slope", field_title(c), field_title(c));
    if (has_estimates(s)) fprintf(to, ",%s_estimate", field_title(c));
  }
  fputc('\n', to);
}

/* One line with 17 digits; unknown slopes and estimates are empty. */
static void csv_line(FILE *to, const study *s, int i) {
  const study_level *level = &s->level[i];
  if (s->of) {
    fprintf(to, "%s,%.12g,", s->options->method, ga_params_check(&s->options->par).rho_inf);
  }
  fprintf(to, "%.17g,%ld", level->h, level->steps);
  for (int c = 0; c < FIELDS; c++) {
    if (!s->has[c]) continue;
    fprintf(to, ",%.17g,", level->error[c]);
    if (!isnan(level->slope[c])) fprintf(to, "%.17g", level->slope[c]);
    if (!has_estimates(s)) continue;
    fputc(',', to);
    if (!isnan(level->estimate[c])) fprintf(to, "%.17g", level->estimate[c]);
  }
  fputc('\n', to);
}

/* JSON */

/* Writes `, "key": x`, null if x is not finite. */
static void json_number(FILE *to, const char *key, double x) {
  if (isfinite(x)) {
    fprintf(to, ", \"%s\": %.17g", key, x);
  } else {
    fprintf(to, ", \"%s\": null", key);
  }
}

/* Opens the object of this study (and the list, if it is the first of several) and writes all
 * keys up to "levels": [. study_print_end closes them. */
static void json_head(FILE *to, const study *s, const char *against) {
  (void)against; /* the keys say it */
  static const char *const kinds[] = {"closed", "table", "computed", "finest"};
  const ga_options *o = s->options;
  if (s->of) fputs(s->place == 0 ? "[\n" : ",\n", to);
  fprintf(to, "{\n  \"format\": \"genalpha-converge\", \"version\": 1,\n");
  fprintf(to, "  \"problem\": \"%s\", \"method\": \"%s\"", s->problem->name, o->method);
  const char *variant = problem_variant(o);
  fprintf(to, variant ? ", \"variant\": \"%s\"" : ", \"variant\": null", variant);
  json_number(to, "rho_inf", ga_params_check(&o->par).rho_inf);
  fprintf(to, ", \"extrapolate\": %d", s->how.K);
  if (s->how.K) {
    fprintf(to, ", \"extrapolate_steps\": \"%s\", \"extrapolate_multipliers\": \"%s\"",
            extrapolation_steps(&s->how), extrapolation_multipliers(&s->how));
  }
  json_number(to, "t_end", s->t_end);
  fprintf(to, ", \"step_sizes\": \"%s\", \"h_seq\": \"%s\"", s->automatic ? "automatic" : "given",
          o->h_seq);
  fprintf(to, ",\n  \"norm\": \"%s\"", s->norm.max ? "max" : "end");
  json_number(to, "from", s->norm.max ? s->norm.from : s->t_end);
  json_number(to, "to", s->norm.max ? s->norm.to : s->t_end);
  fprintf(to, ", \"start_left_out\": %s", s->norm.max && s->norm.whole ? "true" : "false");
  fprintf(to, ",\n  \"reference\": \"%s\"", kinds[s->reference.kind]);
  json_number(to, "reference_h", s->reference.h);
  fputs(",\n  \"levels\": [", to);
}

/* One object of the list "levels". */
static void json_row(FILE *to, const study *s, int i) {
  const study_level *level = &s->level[i];
  fprintf(to, "%s\n    {\"%s\": %.17g, \"steps\": %ld", i ? "," : "", study_level_title(s),
          level->h, level->steps);
  for (int c = 0; c < FIELDS; c++) {
    if (!s->has[c]) continue;
    fprintf(to, ",\n     \"%s\": {\"error\": %.17g", field_title(c), level->error[c]);
    json_number(to, "slope", level->slope[c]);
    if (has_estimates(s)) json_number(to, "estimate", level->estimate[c]);
    fputc('}', to);
  }
  fputc('}', to);
}

/* Prints row i, whose errors are known; before the first one the head: one for all studies of a
 * table, but each study its own object in JSON. Rows are printed in order. */
void study_print_row(FILE *to, study_form form, const study *s, int i) {
  static const struct {
    void (*head)(FILE *to, const study *s, const char *against);
    void (*row)(FILE *to, const study *s, int i);
  } forms[] = {{text_head, text_row}, {csv_head, csv_line}, {json_head, json_row}};
  if (i == 0 && (s->place == 0 || form == STUDY_JSON)) {
    char against[600];
    describe_reference(s, sizeof against, against);
    if (s->reference.kind == REFERENCE_FINEST) append_times(s->problem, sizeof against, against);
    forms[form].head(to, s, against);
  }
  forms[form].row(to, s, i);
}

/* Closes the object, and the list after the last study, in JSON; an empty line between studies in
 * text. */
void study_print_end(FILE *to, study_form form, const study *s) {
  bool last = s->place + 1 >= s->of;
  if (form == STUDY_JSON && s->rows > 0) {
    fprintf(to, "\n  ],\n  \"complete\": %s\n}%s", s->complete ? "true" : "false",
            last ? "\n" : "");
  }
  if (form == STUDY_JSON && s->of && last && s->rows > 0) fputs("]\n", to);
  if (form == STUDY_TEXT && !last && s->rows > 0) fputc('\n', to);
}

/* SPDX-License-Identifier: MIT */
/* The summary of a run: settings, effort, how well constraints and energy were kept, end state. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "args/problem_args.h"
#include "columns/columns.h"
#include "problems/problems.h"
#include "simulate/simulate.h"

enum { TABLE_ROWS = 12, LABEL = 13 };

/* Begin a line with its label, padded to LABEL characters. */
static void print_label(FILE *to, const char *text) {
  fprintf(to, "  %-*s", LABEL, text);
}

/* Print title, source, method with its parameters, sizes of q, v, lam, psi. */
static void print_settings(FILE *to, const simulation *s) {
  const ga_problem *problem = s->problem;
  const ga_options *o = s->options;
  const ga_params *par = &o->par;
  tool_print_title(to, problem->name, problem->summary);
  print_label(to, "source");
  tool_print_wrapped(to, problem->cite, LABEL + 2);
  print_label(to, "method");
  fprintf(to, "%s, rho_inf = %.4g (alpha_m %.4g, alpha_f %.4g, beta %.4g, gamma %.4g",
          problem_method(o).text, ga_params_check(par).rho_inf, par->alpha_m, par->alpha_f,
          par->beta, par->gamma);
  if (par->b != 0) fprintf(to, ", b %.4g", par->b);
  fputs(")\n", to);
  print_label(to, "sizes");
  const char *between = "";
  for (int f = 0; f < FIELDS; f++) {
    const int n = field_columns(&problem->model, f);
    if (f == FIELD_VD || n == 0) continue;
    fprintf(to, "%s%s %d", between, field_title(f), n);
    between = ", ";
  }
  fputc('\n', to);
  const ga_file *file = file_of(problem);
  const char *coordinates;
  if (!file) return;
  ga_mechanism_coordinates(ga_file_mechanism(file), &coordinates);
  print_label(to, "coordinates");
  tool_print_wrapped(to, coordinates, LABEL + 2);
}

/* Print number and sizes of steps, time span, and how many steps were taken back: repeated with a
 * smaller size. */
static void print_steps(FILE *to, const simulation *s) {
  const ga_stats *stats = solver_stats(s->solver);
  /* the size in use; that of a saved state may be another than the one asked for */
  const ga_options *o = s->solver->it ? ga_integrator_options(s->solver->it) : s->options;
  long steps = solver_steps(s->solver);
  if (s->solver->solution) {
    const ga_accuracy *a = ga_solution_accuracy(s->solver->solution);
    print_label(to, "accuracy");
    tool_print_wrapped(to, a->text + strlen("accuracy "), LABEL + 2);
    return;
  }
  print_label(to, "steps");
  if (o->rtol > 0 || o->atol > 0) {
    fprintf(to, "%ld automatic, h = %.3g to %.3g (rtol %.3g, atol %.3g)", steps, stats->h_least,
            stats->h_largest, o->rtol, o->atol);
  } else if (strcmp(o->h_seq, "1") != 0) {
    fprintf(to, "%ld of h = %.6g times %s", steps, o->h, o->h_seq);
  } else {
    fprintf(to, "%ld of h = %.6g", steps, o->h);
    /* if h does not divide the time span, the last two steps are shorter */
    bool shorter = !s->solver->x && stats->h_least < o->h * (1 - 1e-9);
    if (steps > 0 && shorter) fprintf(to, ", the last of %.6g", stats->h_least);
  }
  fprintf(to, ", from t = %.6g to %.10g\n", s->problem->t0, solver_state(s->solver)->t);
  if (stats->rejected + stats->failed == 0) return;
  print_label(to, "taken back");
  fprintf(to, "%ld for the error, %ld that did not converge\n", stats->rejected, stats->failed);
}

/* Steps, extrapolation, linear solver, elapsed time and Newton iterations a step. */
static void print_effort(FILE *to, const simulation *s) {
  const ga_stats *stats = solver_stats(s->solver);
  double steps = stats->steps > 0 ? (double)stats->steps : 1;
  print_steps(to, s);
  if (s->solver->x) {
    print_label(to, "extrapolated");
    const extrapolation *how = &s->solver->how;
    fprintf(to, "to order %d, from runs with h, ", 2 + how->K);
    for (int j = 1; j <= how->K; j++) fprintf(to, "h/%d, ", extrapolation_substeps(how, j));
    fprintf(to, "and 2h for the estimates: %ld steps in all\n", stats->steps);
    if (how->multipliers == GA_MULTIPLIERS_CONSISTENT) {
      print_label(to, "");
      fprintf(to,
              "states put back onto the constraints, vd and multipliers consistent with them\n");
    }
  }
  if (s->solver->it) {
    const char *why = ga_integrator_linsol_why(s->solver->it);
    print_label(to, "linear");
    fprintf(to, "%s%s%s%s\n", ga_integrator_linsol(s->solver->it), why[0] ? " (" : "", why,
            why[0] ? ")" : "");
  }
  print_label(to, "effort");
  fprintf(to, "%.3g s, %.3g Newton iterations a step, Newton matrices: %ld\n", s->seconds,
          (double)stats->newton_its / steps, stats->matrices);
}

/* A line with the errors of each field; the caller ends the line. name: its label. */
static void print_error_estimates(FILE *to, const simulation *s, const char *name,
                                  const ga_errors *e) {
  const field_errors error = field_errors_of(e);
  const char *between = "";
  print_label(to, name);
  for (int f = 0; f < FIELDS; f++) {
    if (field_columns(&s->problem->model, f) == 0) continue;
    fprintf(to, "%s%s %.2e", between, field_title(f), error.of[f]);
    between = ", ";
  }
}

/* Is it a mechanism in joint coordinates? */
static bool by_joints(const ga_problem *problem) {
  const ga_file *file = file_of(problem);
  return file && ga_mechanism_coordinates(ga_file_mechanism(file), NULL) == GA_COORDINATES_JOINT;
}

/* Print how many constraint rows are redundant and, for the first 6, what they follow from (joints in
 * the tree have no rows, and are not named); and how many singular positions were stepped over and
 * passed. Nothing if there are none. */
static void print_dependency(FILE *to, const simulation *s) {
  enum { SHOWN = 6 };
  const ga_stats *stats = solver_stats(s->solver);
  const ga_integrator *it = s->solver->it;
  char text[400];
  if (it && stats->dependent > 0) {
    const ga_dependency all = ga_integrator_dependency(it);
    print_label(to, "redundant");
    fprintf(to, "%ld of %d constraint rows follow%s from others%s:\n", stats->dependent, all.rows,
            stats->dependent == 1 ? "s" : "",
            by_joints(s->problem) ? " or from the joints of the tree" : "");
    for (int i = 0; ga_integrator_dependency_text(it, i, text, sizeof text); i++) {
      print_label(to, "");
      fprintf(to, "%s\n", i < SHOWN ? text : "and others");
      if (i == SHOWN) break;
    }
  }
  if (stats->singular > 0) {
    print_label(to, "singular");
    fprintf(to, "%ld singular position%s stepped over\n", stats->singular,
            stats->singular == 1 ? "" : "s");
  }
  if (stats->singular_passages > 0) {
    print_label(to, "singular");
    fprintf(to, "%ld singular position%s passed: the motion could go on in several ways there\n",
            stats->singular_passages, stats->singular_passages == 1 ? "" : "s");
  }
}

/* With extrapolation: print estimated errors of the result (or why there are none), and of the
 * finest run alone. */
static void print_estimates(FILE *to, const simulation *s) {
  if (!s->solver->x) return;
  const ga_extrapolated *end = ga_extrapolator_state(s->solver->x);
  if (!isnan(end->error.q)) {
    print_error_estimates(to, s, "estimates", &end->error);
    fprintf(to, ": errors of this state\n");
  } else {
    print_label(to, "estimates");
    fprintf(to, end->steps % 2 == 0 ? "none, as the run with 2h failed\n"
                                    : "none: they need an even number of steps h\n");
  }
  print_error_estimates(to, s, "", &end->finest);
  fprintf(to, ": those of the run with h/%d alone\n", extrapolation_finest(&s->solver->how));
}

/* Largest constraint residuals and the change of energy over the run. */
static void print_quality(FILE *to, const simulation *s) {
  const ga_stats *stats = solver_stats(s->solver);
  const ga_model *model = &s->problem->model;
  if (model->nlam + model->npsi > 0) {
    print_label(to, "residuals");
    if (model->nlam > 0) {
      fprintf(to, "position |g| <= %.2e, velocity |G v + g_t| <= %.2e", stats->max_g,
              stats->max_gv);
    }
    if (model->npsi > 0) {
      fprintf(to, "%snonholonomic |k| <= %.2e", model->nlam > 0 ? ", " : "", stats->max_k);
    }
    if (!s->solver->it) fprintf(to, ", in the runs");
    fputc('\n', to);
  }
  if (!isnan(s->energy0)) {
    print_label(to, "energy");
    fprintf(to, "%.8g at the start, %.8g at the end, largest change %.2e\n", s->energy0,
            s->energy_end, s->energy_change);
  }
}

/* max |x[i] - reference[i]| over the entries whose reference is known; NaN if none is. */
static double largest_error(int n, const double *x, const double *reference) {
  double largest = NAN;
  for (int i = 0; i < n; i++) {
    if (!isnan(reference[i])) largest = fmax(largest, fabs(x[i] - reference[i]));
  }
  return largest;
}

/* Print the times for which the problem has reference values, if there are any. */
static void print_reference_times(FILE *to, const ga_problem *problem) {
  double t = ga_problem_reference_time(problem, 0);
  if (isnan(t)) return;
  print_label(to, "error");
  fprintf(to, "no reference for this time; there is one for t =");
  for (int i = 0; !isnan(t); t = ga_problem_reference_time(problem, ++i)) {
    fprintf(to, "%s %.10g", i ? "," : "", t);
  }
  fputc('\n', to);
}

/* Print the errors of the end state against the problem's reference values, the largest of each
 * field; without any for this time, the times that have them. Nothing without memory. */
static void print_errors(FILE *to, const simulation *s) {
  const ga_model *model = &s->problem->model;
  const ga_state *state = solver_state(s->solver);
  double *field[FIELDS];
  const size_t size = snapshot_size(model);
  double *reference = malloc((size + 1) * sizeof *reference);
  if (!reference) return;
  for (size_t i = 0; i < size; i++) reference[i] = NAN;
  for (int f = 0; f < FIELDS; f++) field[f] = snapshot_field(model, reference, f);
  if (!ga_problem_reference(s->problem, state->t, field[FIELD_Q], field[FIELD_V], field[FIELD_VD],
                            field[FIELD_LAM], field[FIELD_PSI])) {
    print_reference_times(to, s->problem);
  } else {
    const char *between = "";
    print_label(to, "error");
    for (int f = 0; f < FIELDS; f++) {
      double error = f == FIELD_Q
                         ? ga_space_distance(model->space, state->q, field[f])
                         : largest_error(field_columns(model, f), field_values(state, f), field[f]);
      if (isnan(error)) continue;
      fprintf(to, "%s%s %.2e", between, field_title(f), error);
      between = ", ";
    }
    fprintf(to, " against the reference\n");
  }
  free(reference);
}

/* Print the chosen columns of a model file at the end state, with units, the first 40. Reactions
 * that redundant constraints leave undetermined are marked "not unique, the least"; in joint
 * coordinates "not unique": only multipliers of joints that close loops are least there. */
static void print_columns(FILE *to, const simulation *s) {
  enum { SHOWN = 40 };
  column_set c;
  double *value = NULL;
  int width = 0;
  const char *mark = by_joints(s->problem) ? "   not unique" : "   not unique, the least";
  if (columns_open(&c, s->problem, COLUMNS_CHOSEN)) value = calloc((size_t)c.count, sizeof *value);
  if (value) {
    columns_evaluate(&c, solver_state(s->solver), value);
    if (s->solver->it) columns_find_ambiguous(&c, s->solver->it);
    /* the first column is t, which the line above has printed */
    for (int i = 1; i < c.count && i <= SHOWN; i++) {
      const int length = (int)strlen(columns_full_name(&c, i));
      if (length > width) width = length;
    }
    for (int i = 1; i < c.count && i <= SHOWN; i++) {
      fprintf(to, "    %-*s  %14.9g%s%s\n", width, columns_full_name(&c, i), value[i],
              columns_unit_suffix(&c, i).text, columns_is_unique(&c, i) ? "" : mark);
    }
    if (c.count - 1 > SHOWN) fprintf(to, "    ... %d more\n", c.count - 1 - SHOWN);
  }
  free(value);
  columns_close(&c);
}

/* Print the end state: columns of a model file, or q, v, lam, psi of a library problem side by
 * side, the first TABLE_ROWS entries of each. */
static void print_state(FILE *to, const simulation *s) {
  static const int shown[] = {FIELD_Q, FIELD_V, FIELD_LAM, FIELD_PSI};
  const ga_model *model = &s->problem->model;
  const ga_state *state = solver_state(s->solver);
  int width[4] = {0}, most = 0;
  for (int c = 0; c < 4; c++) {
    int n = field_size(model, shown[c]);
    if (n > most) most = n;
    for (int i = 0; i < n && i < TABLE_ROWS; i++) {
      int length = (int)strlen(field_name(model, shown[c], i).text);
      if (length > width[c]) width[c] = length;
    }
  }
  fprintf(to, "\n  state at t = %.10g\n", state->t);
  if (file_of(s->problem)) {
    print_columns(to, s);
    fputc('\n', to);
    return;
  }
  for (int i = 0; i < most && i < TABLE_ROWS; i++) {
    char line[400] = "";
    size_t used = 0;
    for (int c = 0; c < 4; c++) {
      int n = field_size(model, shown[c]);
      if (n == 0) continue;
      column_name name = {""};
      char value[32] = "";
      if (i < n) {
        name = field_name(model, shown[c], i);
        snprintf(value, sizeof value, "%.9g", field_values(state, shown[c])[i]);
      }
      int k =
          snprintf(line + used, sizeof line - used, "    %-*s %15s", width[c], name.text, value);
      if (k > 0 && (size_t)k < sizeof line - used) used += (size_t)k;
    }
    while (used > 0 && line[used - 1] == ' ') line[--used] = '\0';
    fprintf(to, "%s\n", line);
  }
  if (most > TABLE_ROWS) {
    fprintf(to, "    and %d more rows: --final prints all\n", most - TABLE_ROWS);
  }
  fputc('\n', to);
}

/* Print all that a user wants to know after a run: s after simulate() returned. Over several
 * processes only process 0 calls it. */
void summary_print(FILE *to, const simulation *s) {
  print_settings(to, s);
  team_print(s->solver->team, to);
  print_effort(to, s);
  print_dependency(to, s);
  print_quality(to, s);
  print_estimates(to, s);
  print_errors(to, s);
  print_state(to, s);
}

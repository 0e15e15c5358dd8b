/* SPDX-License-Identifier: MIT */
/* genalpha converge: errors and slopes of a problem over step sizes h, h/2, h/4, ... */
#include <stdlib.h>
#include <string.h>

#include "args/paths.h"
#include "args/problem_args.h"
#include "convergence/series.h"
#include "picture/chart.h"
#include "picture/gnuplot.h"
#include "problems/problems.h"
#include "simulate/interrupt.h"

typedef struct settings {
  problem_args problem;
  int levels;
  study_norm norm;
  bool json, csv;
  const char *plot;
} settings;

/* An arg_read for --norm: "end", "max" or "max:T0,T1" into a study_norm. False after a message. */
static bool read_norm(const arg_spec *spec, const char *text, void *field) {
  study_norm *norm = field;
  *norm = (study_norm){.max = false};
  if (strcmp(text, "end") == 0) return true;
  norm->max = norm->whole = strcmp(text, "max") == 0;
  if (norm->whole) return true;
  if (strncmp(text, "max:", 4) == 0) {
    const char *second;
    char *end;
    norm->max = true;
    norm->from = strtod(text + 4, &end);
    second = end > text + 4 && *end == ',' ? end + 1 : end;
    norm->to = strtod(second, &end);
    bool read = second > text + 4 && second[-1] == ',' && end > second && !*end;
    if (read && isfinite(norm->from) && isfinite(norm->to) && norm->from <= norm->to) return true;
  }
  tool_error("--%s '%s': must be end, max, or max:T0,T1 with numbers T0 <= T1", spec->key, text);
  return false;
}

#define FIELD(name) offsetof(settings, name)
static const arg_spec specs[] = {
    PROBLEM_SPECS(settings, problem,
                  "end of the runs (default T1 of --norm max, else the first time with a reference "
                  "solution, else the problem's)"),
    {"levels", "L", "number of step sizes: h, h/2, h/4, ... (default 5)", arg_read_int,
     FIELD(levels), 1, STUDY_LEVELS_MAX},
    {"norm", "end|max|max:T0,T1",
     "errors at the end (default), the largest over all steps without the start, or over those "
     "with "
     "T0 <= t <= T1",
     read_norm, FIELD(norm), 0, 0},
    {"json", NULL, "print one JSON object, 17 digits, instead of the table", arg_read_flag,
     FIELD(json), 0, 0},
    {"csv", NULL, "print comma-separated values, 17 digits, instead of the table", arg_read_flag,
     FIELD(csv), 0, 0},
    {"plot", "FILE.svg|FILE.png", "draw the errors over h", gnuplot_read_name, FIELD(plot), 0, 0},
    {.key = NULL}};
#undef FIELD

static const arg_command command = {
    .name = "converge",
    .operand = "PROBLEM",
    .needs_operand = true,
    .summary =
        "Solve a problem ('genalpha list problems') with step sizes h, h/2, h/4, ... and print "
        "the\n"
        "errors of q, v, a, vd (the acceleration), lam and psi, largest over the components,\n"
        "and slopes, log2 of their successive ratios. They are measured against the closed "
        "solution\n"
        "or the reference values of the problem, else against the finest level itself; for\n"
        "--norm max without a closed solution, against a reference computed by fine steps. All\n"
        "options of run are taken, but for those about the files and states of one run.\n"
        "Several methods and parameters, --method stab2,index3 --rho 0.5,0.9, go into one table "
        "and\n"
        "one picture.",
    .specs = specs,
    .takes_library = problem_takes_all,
    .library_default = problem_default};

/* End of the runs if --t-end is not given: T1 of --norm max:T0,T1, else the first time with
 * reference values, else the end of the problem. */
static double default_end(const settings *set, const ga_problem *problem) {
  if (set->norm.max && !set->norm.whole) return set->norm.to;
  double t = ga_problem_reference_time(problem, 0);
  return isnan(t) ? problem->t_end : t;
}

/* Output format of the study: JSON, CSV or a table for people. */
static study_form form_of(const settings *set) {
  if (set->json) return STUDY_JSON;
  return set->csv ? STUDY_CSV : STUDY_TEXT;
}

/* Called after each level i of a study: print its row at once, because a study may take long.
 * context: the study_form. */
static void print_row(void *context, const study *s, int i) {
  study_print_row(stdout, *(const study_form *)context, s, i);
  fflush(stdout);
}

/* Draw the errors of one study over h, with the rows computed so far. False after a message. */
static bool draw_study(const study *s, const char *path) {
  char names[FIELDS * 16], title[160];
  snprintf(names, sizeof names, "%s", study_level_title(s));
  for (int c = 0; c < FIELDS; c++) {
    size_t used = strlen(names);
    if (s->has[c]) snprintf(names + used, sizeof names - used, ",%s_error", field_title(c));
  }
  table t;
  table_init(&t, names);
  for (int i = 0; i < s->rows; i++) {
    int j = 0;
    table_set(&t, i, j++, s->level[i].h);
    for (int c = 0; c < FIELDS; c++) {
      if (s->has[c]) table_set(&t, i, j++, s->level[i].error[c]);
    }
  }
  snprintf(title, sizeof title, "%s, %s, ρ∞ = %.4g", s->problem->name, s->options->method,
           ga_params_check(&s->options->par).rho_inf);
  bool good = chart_draw_study(&t, title, study_axis_title(s), path);
  table_free(&t);
  return good;
}

/* Run one study (errors over step sizes h, h/2, ..) for each set of options in `all`, print each
 * row at once, and draw all. s: room for all->count studies, zeroed; the caller closes them, also
 * those that were never opened. Returns the exit code; after a failed study the others are left
 * out, the picture is still drawn. */
static int run_studies(const settings *set, const ga_problem *problem, const series *all,
                       study *s) {
  study_form form = form_of(set);
  int code = TOOL_OK, rows = 0;
  for (int k = 0; k < all->count; k++) {
    int wrong = study_check(&(study){.problem = problem, .options = &all->options[k]});
    if (wrong != ARGS_GO_ON) return wrong;
  }
  for (int k = 0; k < all->count && code == TOOL_OK; k++) {
    s[k] = (study){.problem = problem,
                   .options = &all->options[k],
                   .t_end = set->problem.t_end,
                   .project_at = set->problem.project_at,
                   .projection = (ga_projection)set->problem.project,
                   .how = set->problem.how,
                   .levels = set->levels,
                   .norm = set->norm,
                   .place = k,
                   .of = all->count > 1 ? all->count : 0};
    code = study_open(&s[k]);
    if (code != ARGS_GO_ON) return code;
    code = study_run(&s[k], print_row, &form);
    study_print_end(stdout, form, &s[k]);
    rows += s[k].rows;
  }
  if (set->plot && rows > 0) {
    bool good = all->count > 1 ? series_draw(s, all->count, set->plot) : draw_study(s, set->plot);
    if (!good && code == TOOL_OK) code = TOOL_FAILED;
  }
  return code;
}

/* Run all studies of the problem up to set->problem.t_end, which is filled in if it was not given.
 * Returns the exit code. */
static int converge(settings *set, const ga_problem *problem, const series *all) {
  double *t_end = &set->problem.t_end;
  if (isnan(*t_end)) *t_end = default_end(set, problem);
  int code = problem_check_times(&set->problem, false, problem);
  if (code != ARGS_GO_ON) return code;
  study *s = calloc((size_t)all->count, sizeof *s);
  if (!s) {
    tool_error("no memory for %d studies", all->count);
    return TOOL_FAILED;
  }
  interrupt_catch();
  code = run_studies(set, problem, all, s);
  for (int k = 0; k < all->count; k++) study_close(&s[k]);
  free(s);
  return code;
}

/* `genalpha converge`: --method and --rho may be lists, of which series_take leaves the first
 * word in argv for the parser; one study is made for each combination. Returns the exit code. */
int command_converge(int argc, char **argv) {
  settings set = {.problem = PROBLEM_ARGS_NONE, .levels = 5};
  ga_options options = ga_options_default();
  args a = {.command = &command, .settings = &set, .options = &options};
  word_list methods, rhos;
  if (!series_take(argc, argv, "method", &methods) || !series_take(argc, argv, "rho", &rhos)) {
    return TOOL_USAGE;
  }
  int code = args_parse(&a, argc, argv);
  if (code == ARGS_GO_ON) code = args_check_params(&a);
  if (code != ARGS_GO_ON) return code;
  if (set.json && set.csv) {
    tool_error("--json and --csv cannot both go to standard output");
    return TOOL_USAGE;
  }
  const path_use use[] = {{"the model", problem_is_file(a.operand) ? a.operand : NULL, NULL, false},
                          {"--plot", set.plot, NULL, true}};
  code = paths_check(2, use);
  if (code != ARGS_GO_ON) return code;
  if (set.plot && !gnuplot_check(set.plot)) return TOOL_FAILED;
  ga_problem *problem = NULL;
  static series all; /* large */
  code = problem_open(&set.problem, &a, NULL, &problem);
  if (code == ARGS_GO_ON) code = series_make(&all, &options, &methods, &rhos);
  if (code == ARGS_GO_ON) code = converge(&set, problem, &all);
  problem_close(problem);
  return code;
}

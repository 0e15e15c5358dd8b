/* SPDX-License-Identifier: MIT */
/* Inputs of a run from a file: --input. */
#include "simulate/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "args/problem_args.h"

/* Where inputs have their names: the model, and the mechanism that may set some itself (NULL: none). */
typedef struct {
  const ga_model *model;
  const ga_mechanism *mechanism;
} input_list;

/* Name of the i-th input, "" for one that the mechanism sets itself, NULL past the end (candidates of
 * ga_nearest_in). */
static const char *input_name(const void *context, int i) {
  const input_list *list = context;
  if (i >= list->model->ninput) return NULL;
  const bool own = list->mechanism && ga_mechanism_input_sampled(list->mechanism, i);
  return own ? "" : list->model->input_names[i];
}

/* Does the name of a column, a unit in brackets behind it or not, name this input? */
static bool same_name(const char *column, const char *input) {
  const size_t n = strlen(input);
  const char *rest = column + n;
  if (strncmp(column, input, n) != 0) return false;
  rest += strspn(rest, " ");
  return *rest == '\0' || *rest == '[' || *rest == '(';
}

/* The input that a column sets, -1 with a warning: there is none of its name. */
static int input_of_column(const input_list *list, const char *path, const char *column) {
  for (int i = 0; input_name(list, i); i++) {
    if (*input_name(list, i) && same_name(column, input_name(list, i))) return i;
  }
  const char *near = ga_nearest_in(column, input_name, list);
  if (near && !*near) near = NULL;
  tool_error("warning: %s: column '%s' is not used, there is no input of this name%s%s%s", path,
             column, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  return -1;
}

/* Set the tables of all inputs from the columns of csv; times and values: work, a number for each
 * row. ARGS_GO_ON, or TOOL_FAILED after a message. */
static int set_tables(const ga_csv *csv, const char *path, ga_input_kind kind,
                      const input_list *list, ga_integrator *it, double *times, double *values) {
  ga_error err = {GA_OK, ""};
  const int rows = ga_csv_rows(csv);
  ga_status status = ga_csv_numbers(csv, 0, true, times, &err);
  int set = 0;
  for (int k = 1; status == GA_OK && ga_csv_name(csv, k); k++) {
    const int i = input_of_column(list, path, ga_csv_name(csv, k));
    if (i < 0) continue;
    status = ga_csv_numbers(csv, k, false, values, &err);
    if (status != GA_OK) break;
    status = ga_integrator_set_input_table(it, i, kind, rows, times, values);
    if (status != GA_OK) err = *ga_integrator_error(it);
    set++;
  }
  if (status != GA_OK) {
    tool_error("%s", err.text);
  } else if (set == 0) {
    int i = 0;
    while (input_name(list, i) && !*input_name(list, i)) i++;
    const char *name = input_name(list, i) ? input_name(list, i) : "u";
    tool_error("%s: no column has the name of an input, such as '%s'; the first column is the time",
               path, name);
  }
  return status == GA_OK && set > 0 ? ARGS_GO_ON : TOOL_FAILED;
}

/* Read the file and set the tables of the inputs. */
int inputs_open(const char *path, int interpolation, const ga_problem *problem, solver *s) {
  const ga_model *model = s->team ? team_model(s->team) : &problem->model;
  if (!path) return ARGS_GO_ON;
  if (!s->it) {
    tool_error("--input and --extrapolate exclude each other: inputs belong to a single run");
    return TOOL_USAGE;
  }
  if (model->ninput == 0) {
    tool_error("--input: '%s' has no inputs; name them in its section inputs: {u: 0}",
               problem->name);
    return TOOL_USAGE;
  }
  ga_csv *csv = NULL;
  ga_error err = {GA_OK, ""};
  if (ga_csv_load(path, &csv, &err) != GA_OK) {
    tool_error("%s", err.text);
    return TOOL_FAILED;
  }
  const size_t rows = (size_t)ga_csv_rows(csv);
  double *work = malloc((2 * rows + 1) * sizeof *work);
  int code = TOOL_FAILED;
  if (work) {
    const input_list list = {
        model, file_of(problem) && !s->team ? ga_file_mechanism(file_of(problem)) : NULL};
    code = set_tables(csv, path, (ga_input_kind)interpolation, &list, s->it, work, work + rows);
  } else {
    tool_error("no memory for '%s'", path);
  }
  free(work);
  ga_csv_free(csv);
  return code;
}

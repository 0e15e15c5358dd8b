/* SPDX-License-Identifier: MIT */
/* Opening the problem a command line names. */
#include "args/problem_args.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "columns/state_fields.h"
#include "problems/problems.h"
#include "source/shared_object.h"

/* For arg_command.takes_library: all options of the library. */
bool problem_takes_all(const char *key) {
  (void)key;
  return true;
}

/* For arg_command.library_default: rho and h have the problem's values as defaults. */
const char *problem_default(const char *key) {
  return strcmp(key, "rho") == 0 || strcmp(key, "h") == 0 ? "the problem's" : NULL;
}

/* Exit code for a status of the library: wrong names and values are wrong usage, all else is a
 * failure. */
int problem_exit_code(ga_status status) {
  bool usage = status == GA_ERR_ARG || status == GA_ERR_BACKEND || status == GA_ERR_METHOD ||
               status == GA_ERR_STEP;
  return usage ? TOOL_USAGE : TOOL_FAILED;
}

/* Set parameters, step size h and multiplier guess in a->options to the problem's where the
 * command line did not give them. par.b is kept in any case. */
static void use_problem_defaults(const args *a, const ga_problem *problem) {
  ga_options *o = a->options;
  if (!args_given(a, "rho") && !args_given(a, "alpha") && !args_given(a, "params")) {
    double b = o->par.b;
    o->par = ga_params_rho(problem->rho_inf);
    o->par.b = b;
  }
  if (!args_given(a, "h")) o->h = problem->h;
  o->multiplier_guess = problem->mult0;
}

/* Write the names of the multipliers to text, "lam1, lam2, psi1", at most 8 of them. */
static void list_multipliers(const ga_model *model, size_t size, char *text) {
  enum { SHOWN = 8 };
  int n = model->nlam + model->npsi;
  text[0] = '\0';
  for (int i = 0; i < n && i < SHOWN; i++) {
    bool holonomic = i < model->nlam;
    column_name name =
        field_name(model, holonomic ? FIELD_LAM : FIELD_PSI, holonomic ? i : i - model->nlam);
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", i ? ", " : "", name.text);
  }
  size_t used = strlen(text);
  if (n > SHOWN) snprintf(text + used, size - used, ", ...");
}

/* Read the numbers of --guess-multipliers, separated by commas, into problem->mult0: all lam, then
 * all psi. ARGS_GO_ON, or TOOL_USAGE after a message if one is no number or their count is
 * wrong. */
static int read_multiplier_guess(const char *text, const ga_problem *problem) {
  int n = problem->model.nlam + problem->model.npsi, count = 0;
  const char *at = text;
  for (bool more = true; more; count++) {
    char *end;
    double x = strtod(at, &end);
    if (end == at || (*end && *end != ',') || !isfinite(x)) {
      tool_error("--guess-multipliers '%s': '%.*s' is not a number", text, (int)strcspn(at, ","),
                 at);
      return TOOL_USAGE;
    }
    if (count < n) problem->mult0[count] = x;
    more = *end == ',';
    at = end + 1;
  }
  if (count == n) return ARGS_GO_ON;
  char names[600];
  list_multipliers(&problem->model, sizeof names, names);
  if (n == 0) {
    tool_error("--guess-multipliers: '%s' has no multipliers", problem->name);
  } else {
    tool_error("--guess-multipliers '%s': '%s' has %d multiplier%s, %s, not %d", text,
               problem->name, n, n > 1 ? "s" : "", names, count);
  }
  return TOOL_USAGE;
}

/* The variant of the method in use: the given one, else the method's default; NULL if it has
 * none. */
const char *problem_variant(const ga_options *o) {
  return o->variant[0] ? o->variant : ga_method_variant(o->method, 0);
}

/* The method with its variant, for people: "hht (variant 3.4)". */
method_title problem_method(const ga_options *o) {
  method_title title;
  const char *variant = problem_variant(o);
  int used = snprintf(title.text, sizeof title.text, "%.40s", o->method);
  if (variant) {
    snprintf(title.text + used, sizeof title.text - (size_t)used, " (variant %.40s)", variant);
  }
  return title;
}

/* problem_open for a model file, which also applies the options of its section `run` to a. --size
 * and --omega are refused: they belong to library problems. ARGS_GO_ON, or the exit code after a
 * message; *problem may be set in both cases. */
static int open_model_file(const problem_args *given, args *a, const char *want,
                           ga_problem **problem) {
  if (given->size > 0 || !isnan(given->omega)) {
    tool_error("--%s is for problems of the library; parameters of a model file: --set NAME=VALUE",
               given->size > 0 ? "size" : "omega");
    return TOOL_USAGE;
  }
  int code = file_open(a->operand, &given->sets, want, problem);
  if (code == ARGS_GO_ON) code = file_apply_options(a, *problem);
  if (code != ARGS_GO_ON) return code;
  use_problem_defaults(a, *problem);
  return given->guess ? read_multiplier_guess(given->guess, *problem) : ARGS_GO_ON;
}

/* Is the operand of a command a file: a model file or a shared object? Else it names a problem of
 * the library. */
bool problem_is_file(const char *operand) {
  return object_named(operand) || file_named(operand);
}

/* Open the problem that a->operand names: library problem, model file or shared object. Fills
 * a->options where nothing was given. want: columns that must exist, or NULL. *problem must be NULL
 * before; the caller calls problem_close in any case. ARGS_GO_ON, or the exit code after a
 * message. */
int problem_open(const problem_args *given, args *a, const char *want, ga_problem **problem) {
  ga_error err = {GA_OK, ""};
  bool object = object_named(a->operand);
  if (!object && file_named(a->operand)) return open_model_file(given, a, want, problem);
  if (given->sets.count > 0) {
    tool_error("--set is for model files; '%s' is not one (NAME.yaml)", a->operand);
    return TOOL_USAGE;
  }
  ga_problem_options options = ga_problem_options_default();
  if (given->size > 0) options.size = given->size;
  if (!isnan(given->omega)) options.omega = given->omega;
  if (object) {
    int code = file_open_object(a->operand, &options, problem);
    if (code != ARGS_GO_ON) return code;
  }
  ga_status status = object ? GA_OK : ga_problem_new(a->operand, &options, problem, &err);
  if (status == GA_OK) {
    use_problem_defaults(a, *problem);
    return given->guess ? read_multiplier_guess(given->guess, *problem) : ARGS_GO_ON;
  }
  tool_error("%s", err.text);
  if (status == GA_ERR_ARG) {
    const bool file = strchr(a->operand, '.') || access(a->operand, F_OK) == 0;
    fprintf(tool_messages(),
            file
                ? "A model file ends in .yaml, .yml or .json, a robot in .urdf, a shared object in "
                  ".so.\n"
                : "Try 'genalpha list problems'.\n");
  }
  return problem_exit_code(status);
}

/* Without --extrapolate, refuse the options that only modify it (accuracy: but for --threads): TOOL_USAGE after a message, else
 * ARGS_GO_ON. */
static int check_companions(const extrapolation *how, bool accuracy) {
  const struct {
    bool given;
    const char *text;
  } options[] = {{how->threads > 0 && !accuracy,
                  "--threads needs --extrapolate or --accuracy; other runs take one thread"},
                 {how->steps >= 0,
                  "--extrapolate-steps needs --extrapolate K, which makes the runs it is about"},
                 {how->multipliers >= 0,
                  "--extrapolate-multipliers needs --extrapolate K, whose result it is about"}};
  for (int i = 0; i < 3; i++) {
    if (!options[i].given) continue;
    tool_error("%s", options[i].text);
    return TOOL_USAGE;
  }
  return ARGS_GO_ON;
}

/* Check t0 < t_end, t0 < project_at <= t_end, and options that extrapolation excludes: TOOL_USAGE
 * after a message, else ARGS_GO_ON. */
int problem_check_times(const problem_args *given, bool accuracy, const ga_problem *problem) {
  double t0 = problem->t0, t_end = given->t_end, at = given->project_at;
  if (!(t_end > t0)) {
    tool_error("--t-end %g: must be greater than %g, where '%s' starts", t_end, t0, problem->name);
    return TOOL_USAGE;
  }
  if (!isnan(at) && !(at > t0 && at <= t_end)) {
    tool_error("--project-at %g: must be greater than %g and at most %g, the end of the run", at,
               t0, t_end);
    return TOOL_USAGE;
  }
  if (!isnan(at) && given->how.K) {
    tool_error(
        "--project-at and --extrapolate exclude each other: a projection ends the smooth "
        "history that extrapolation relies on");
    return TOOL_USAGE;
  }
  return given->how.K ? ARGS_GO_ON : check_companions(&given->how, accuracy);
}

/* Do whole steps of h meet t_end, to within 1e-9 of `finest`, the smallest step of all runs? Sets
 * *n, their number, and returns ARGS_GO_ON; else TOOL_USAGE after a message that suggests the
 * nearest --h that does, with as few digits as possible. With --h-seq, h is the length of a whole
 * sequence, which is `period` times the --h of the user; period is 1 without it. */
int problem_check_steps(const ga_problem *problem, double h, double finest, double period,
                        double t_end, long *n) {
  double span = t_end - problem->t0, steps = fmax(round(span / h), 1);
  if (steps * (h / finest) > 1e15) {
    tool_error("--h %g: the finest run has %.2g steps, more than can be done", h / period,
               steps * (h / finest));
    return TOOL_USAGE;
  }
  double slack = 1e-9 * finest + 2e-16 * fabs(t_end);
  *n = (long)steps;
  if (fabs(steps * h - span) <= slack) return ARGS_GO_ON;
  char near[32];
  int digits = 2;
  do {
    snprintf(near, sizeof near, "%.*g", digits, span / steps / period);
  } while (fabs(steps * period * strtod(near, NULL) - span) > slack && digits++ < 17);
  tool_error("--h %.10g%s does not divide the interval from %.10g to %.10g; --h %s does",
             h / period, period == 1 ? "" : " (the periods of --h-seq)", problem->t0, t_end, near);
  return TOOL_USAGE;
}

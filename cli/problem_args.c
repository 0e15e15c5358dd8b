/* SPDX-License-Identifier: MIT */
/* Opening the problem a command line names. */
#include "problem_args.h"

#include <string.h>

bool problem_takes_all(const char *key) {
  (void)key;
  return true;
}

const char *problem_default(const char *key) {
  return strcmp(key, "rho") == 0 || strcmp(key, "h") == 0 ? "the problem's" : NULL;
}

int problem_exit_code(ga_status status) {
  bool usage = status == GA_ERR_ARG || status == GA_ERR_BACKEND || status == GA_ERR_METHOD ||
               status == GA_ERR_STEP;
  return usage ? CLI_USAGE : CLI_FAILED;
}

/* what the command line leaves open comes from the problem */
static void fill_in(const args *a, const ga_problem *problem) {
  ga_options *o = a->options;
  if (!args_given(a, "rho") && !args_given(a, "alpha") && !args_given(a, "params")) {
    double b = o->par.b;
    o->par = ga_params_rho(problem->rho_inf);
    o->par.b = b;
  }
  if (!args_given(a, "h")) o->h = problem->h;
  o->multiplier_guess = problem->mult0;
}

int problem_open(const problem_args *given, const args *a, ga_problem **problem) {
  ga_error err = {GA_OK, ""};
  ga_problem_options options = ga_problem_options_default();
  if (given->size > 0) options.size = given->size;
  if (!isnan(given->omega)) options.omega = given->omega;
  ga_status status = ga_problem_new(a->operand, &options, problem, &err);
  if (status == GA_OK) {
    fill_in(a, *problem);
    return ARGS_GO_ON;
  }
  cli_error("%s", err.text);
  if (status == GA_ERR_ARG) fprintf(stderr, "Try 'genalpha list problems'.\n");
  return problem_exit_code(status);
}

int problem_check_end(const ga_problem *problem, double t_end) {
  if (t_end > problem->t0) return ARGS_GO_ON;
  cli_error("--t-end %g: must be greater than %g, where '%s' starts", t_end, problem->t0,
            problem->name);
  return CLI_USAGE;
}

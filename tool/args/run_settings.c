/* SPDX-License-Identifier: MIT */
/* From the settings of a run to its simulation. */
#include "args/run_settings.h"

#include <string.h>

#include "simulate/inputs.h"

/* Check options of `run` that exclude or need each other: ARGS_GO_ON, or TOOL_USAGE after a
 * message. */
static int check_run_settings(const run_settings *set, const ga_options *o,
                              const ga_problem *problem) {
  int code = problem_check_times(&set->problem, o->accuracy > 0, problem);
  if (code != ARGS_GO_ON) return code;
  if (!isnan(set->checkpoint_every) && !set->save_state) {
    tool_error("--checkpoint-every needs --save-state FILE, where to save to");
    return TOOL_USAGE;
  }
  if (!isnan(set->out_dt) && (!set->out || set->every > 0)) {
    tool_error(set->out ? "--out-dt and --every both say which rows to write; give only one of them"
                        : "--out-dt needs --out FILE, where to write to");
    return TOOL_USAGE;
  }
  if (set->view && !file_of(problem)) {
    tool_error("--view shows the mechanism of a model file; '%s' is a problem of the library",
               problem->name);
    return TOOL_USAGE;
  }
  if (set->final && set->out && strcmp(set->out, "-") == 0) {
    tool_error("--final and --out - cannot both go to standard output");
    return TOOL_USAGE;
  }
  return ARGS_GO_ON;
}

/* With --extrapolate, refuse the options that need a single run (saved states, rows between
 * steps), and check that steps of h divide the time span. ARGS_GO_ON, or TOOL_USAGE after a
 * message. */
static int check_extrapolation(const run_settings *set, const ga_options *o,
                               const ga_problem *problem) {
  const extrapolation *how = &set->problem.how;
  if (how->K == 0) return ARGS_GO_ON;
  if (set->save_state || set->from_state) {
    tool_error("--extrapolate and --%s exclude each other: a saved state is that of a single run",
               set->save_state ? "save-state" : "from-state");
    return TOOL_USAGE;
  }
  if (!isnan(set->out_dt)) {
    tool_error(
        "--extrapolate and --out-dt exclude each other: extrapolated states are known at the "
        "ends of the steps");
    return TOOL_USAGE;
  }
  long n;
  /* 1: h is one step, not the period of a sequence */
  return problem_check_steps(problem, o->h, o->h / extrapolation_finest(how), 1, set->problem.t_end,
                             &n);
}

/* With --accuracy, refuse what belongs to a single run. ARGS_GO_ON, or TOOL_USAGE after a message. */
static int check_accuracy(const run_settings *set, const args *a) {
  if (a->options->accuracy == 0) return ARGS_GO_ON;
  const struct {
    bool given;
    const char *text;
  } wrong[] = {{args_typed(a, "h"), "--h: the accuracy chooses the steps"},
               {set->problem.how.K > 0, "--extrapolate: the accuracy chooses the order"},
               {set->save_state, "--save-state: a saved state is that of a single run"},
               {set->from_state, "--from-state: a saved state is that of a single run"},
               {set->input, "--input: its jumps belong to a single run"},
               {!isnan(set->problem.project_at),
                "--project-at: a projection ends the smooth history that extrapolation relies on"}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    if (!wrong[i].given) continue;
    tool_error("--accuracy does not go together with %s", wrong[i].text);
    return TOOL_USAGE;
  }
  return ARGS_GO_ON;
}

/* Check the settings of a run of the problem, which is open; set->problem.t_end and set->view are
 * filled in. ARGS_GO_ON, or the exit code after a message. */
int run_check(run_settings *set, const args *a, const ga_problem *problem) {
  set->view = set->view || set->page != NULL;
  if (isnan(set->problem.t_end)) set->problem.t_end = problem->t_end;
  a->options->method_chosen = a->options->method_chosen || args_typed(a, "method");
  int code = check_accuracy(set, a);
  if (code == ARGS_GO_ON) code = check_run_settings(set, a->options, problem);
  return code == ARGS_GO_ON ? check_extrapolation(set, a->options, problem) : code;
}

/* Open the problem (*problem, NULL before) and check the settings of its run (run_check). want:
 * columns that must exist, or NULL. ARGS_GO_ON, or the exit code after a message. The caller closes
 * the problem in any case. */
int run_open(run_settings *set, args *a, const char *want, ga_problem **problem) {
  const int code = problem_open(&set->problem, a, want, problem);
  return code == ARGS_GO_ON ? run_check(set, a, *problem) : code;
}

/* Fill s from the settings, open the solver `solve` and add the problem's events to it. The log of
 * a->options then points to s, which must stay in place, as must solve and events; both are zeroed
 * before, except solve->team. ARGS_GO_ON, or the exit code after a message; the caller closes both
 * in any case. */
int run_simulation(const run_settings *set, args *a, const ga_problem *problem, solver *solve,
                   run_events *events, simulation *s) {
  *s = (simulation){.problem = problem,
                    .options = a->options,
                    .t_end = set->problem.t_end,
                    .project_at = set->problem.project_at,
                    .projection = (ga_projection)set->problem.project,
                    .from_state = set->from_state,
                    .save_state = set->save_state,
                    .checkpoint_every = set->checkpoint_every,
                    .out_dt = set->out_dt,
                    .every = set->every > 0 ? set->every : 1,
                    .events = events,
                    .solver = solve};
  a->options->log = simulate_log;
  a->options->log_context = s;
  int code = solver_open(solve, &problem->model, a->options, &set->problem.how);
  if (solve->solution &&
      strcmp(a->options->method, ga_solution_accuracy(solve->solution)->method)) {
    a->options->method = ga_solution_accuracy(solve->solution)->method; /* its own choice */
    a->options->variant = "";
  }
  if (code == ARGS_GO_ON) code = inputs_open(set->input, set->interpolate, problem, solve);
  return code == ARGS_GO_ON ? events_open(events, problem, set->stop_when, solve) : code;
}

/* Make the start and the first step of the run that `genalpha run` would make of the model file of
 * an open problem, with the options of `given` and those of its section `run`. No file is written.
 * Messages go to text (size bytes), which is empty if all is well, and begins with "warning: " if
 * the run succeeds with a warning. Returns the exit code of the run. */
int run_try_start(const args *given, const ga_problem *problem, size_t size, char *text,
                  double *t_end) {
  run_settings set = RUN_SETTINGS_NONE;
  ga_options options = *given->options;
  args a = {.command = &run_command,
            .settings = &set,
            .options = &options,
            .operand = given->operand,
            .given = given->given,
            .typed = given->typed};
  solver solve = {0};
  run_events events = {.count = 0};
  simulation s;
  *t_end = problem->t_end;
  tool_collect_messages(text, size);
  int code = file_apply_options(&a, problem);
  if (code == ARGS_GO_ON) text[0] = '\0'; /* warnings about options were printed before */
  if (code == ARGS_GO_ON) code = run_check(&set, &a, problem);
  if (code == ARGS_GO_ON) {
    *t_end = set.problem.t_end;
    /* one step of the coarsest run; an extrapolation also makes steps of 2 h */
    const double first = problem->t0 + (set.problem.how.K ? 2 : 1) * options.h;
    set.problem.t_end = fmin(first, set.problem.t_end);
    set.problem.project_at = NAN;
    set.checkpoint_every = set.out_dt = NAN;
    set.save_state = NULL;
    code = run_simulation(&set, &a, problem, &solve, &events, &s);
  }
  if (code == ARGS_GO_ON && set.from_state) {
    /* the state may be at any time: that it fits is all that is checked */
    const ga_status status = ga_integrator_load(solve.it, set.from_state);
    if (status != GA_OK) tool_error("%s", solver_reason(&solve, status).text);
    code = status == GA_OK ? TOOL_OK : TOOL_FAILED;
  } else if (code == ARGS_GO_ON) {
    s.quiet = true;
    code = simulate(&s);
  }
  solver_close(&solve);
  events_close(&events);
  tool_collect_messages(NULL, 0);
  if (code == TOOL_OK && strncmp(text, "warning: ", 9) != 0) text[0] = '\0';
  return code;
}

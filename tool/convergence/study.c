/* SPDX-License-Identifier: MIT */
/* Running the levels of a study and measuring their errors. */
#include "convergence/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "args/problem_args.h"
#include "columns/quantity.h"
#include "columns/state_fields.h"
#include "simulate/interrupt.h"
#include "simulate/progress.h"
#include "simulate/solver.h"

/* Periods of the finest level in one period of level i: 2^(levels - 1 - i). */
static long stride_of(const study *s, int i) {
  return 1L << (s->levels - 1 - i);
}

/* ---- checks --------------------------------------------------------------------------------- */

/* Sets automatic (steps by tolerances), per (steps in a period of --h-seq, else 1) and period
 * (its length in units of h) from the options. A wrong --h-seq counts as none here; the library
 * reports it later. */
static void read_sizes(study *s) {
  const ga_options *o = s->options;
  s->automatic = o->rtol > 0 || o->atol > 0;
  s->per = ga_options_sequence(o->h_seq, NULL, 0, NULL);
  double *fraction = s->per > 0 ? calloc((size_t)s->per, sizeof *fraction) : NULL;
  s->period = fraction ? 0 : 1;
  if (fraction) ga_options_sequence(o->h_seq, fraction, s->per, NULL);
  for (int i = 0; fraction && i < s->per; i++) s->period += fraction[i];
  if (!fraction) s->per = 1;
  free(fraction);
}

/* Name of the number that differs between levels: the step size, or the tolerance if steps are
 * automatic. */
const char *study_level_title(const study *s) {
  if (!s->automatic) return "h";
  return s->options->rtol > 0 ? "rtol" : "atol";
}

/* The same for an axis, with the unit where the model has units. */
const char *study_axis_title(const study *s) {
  const bool seconds = !s->automatic && !quantity_unitless_model(&s->problem->model);
  return seconds ? "h (s)" : study_level_title(s);
}

/* Every level must meet t_end, and project_at if given, with whole periods; otherwise its last
 * steps would have another size. Sets s->steps, the periods of level 0; nothing with automatic
 * steps. read_sizes comes first. Returns as study_open. */
static int check_steps(study *s) {
  double h = s->options->h * s->period, t0 = s->problem->t0;
  if (s->automatic) return ARGS_GO_ON;
  double finest = ldexp(h, 1 - s->levels) / extrapolation_finest(&s->how);
  int code = problem_check_steps(s->problem, h, finest, s->period, s->t_end, &s->steps);
  if (code != ARGS_GO_ON || isnan(s->project_at)) return code;
  double at = (s->project_at - t0) / h, near = t0 + fmax(round(at), 1) * h;
  /* rounding of t is allowed for: a small fraction of the finest step, and of t_end */
  if (fabs(at - round(at)) * h <= 1e-9 * finest + 2e-16 * fabs(s->t_end)) return ARGS_GO_ON;
  tool_error("--project-at %.10g: no step of h = %.10g ends there; one ends at %.10g",
             s->project_at, h, near);
  return TOOL_USAGE;
}

/* Checks that the interval of --norm max lies in the run and contains the end of a period of
 * level 0. Sets norm.from and norm.to (whole run), and s->first and s->last, the periods of the
 * finest level inside the interval. check_steps comes first. Returns as study_open. */
static int check_norm(study *s) {
  if (!s->norm.max) return ARGS_GO_ON;
  if (s->norm.whole) s->norm.from = s->problem->t0, s->norm.to = s->t_end;
  double t0 = s->problem->t0, from = s->norm.from, to = s->norm.to;
  double finest = ldexp(s->options->h * s->period, 1 - s->levels);
  if (s->automatic) {
    if (from >= t0 && to <= s->t_end) return ARGS_GO_ON;
    finest = s->t_end - t0; /* the error is reported below */
  }
  /* in periods of the finest level, 1e-6 of one for rounding */
  double first = ceil((from - t0) / finest - 1e-6), last = floor((to - t0) / finest + 1e-6);
  if (first < 0 || last > (double)(s->steps * stride_of(s, 0))) {
    tool_error("--norm max:%.10g,%.10g: the interval must lie inside the run, %.10g to %.10g", from,
               to, t0, s->t_end);
    return TOOL_USAGE;
  }
  s->first = (long)first;
  s->last = (long)last;
  long stride = stride_of(s, 0), after = (s->first + stride - 1) / stride * stride;
  if (after > s->last) {
    tool_error("--norm max:%.10g,%.10g: no step of h = %.10g ends in this interval", from, to,
               s->options->h);
    return TOOL_USAGE;
  }
  return ARGS_GO_ON;
}

/* Creates an integrator with the options and frees it again, for its error messages; ARGS_GO_ON
 * or the exit code after a message. */
int study_check(const study *s) {
  ga_options o = *s->options;
  solver probe = {.watch = NULL};
  o.log = NULL;
  int code = solver_open(&probe, &s->problem->model, &o, NULL);
  solver_close(&probe);
  return code;
}

/* Checks step sizes and norm, finds the reference; allocates the end states if the finest level
 * is the reference. ARGS_GO_ON, or the exit code after a message; study_close in any case. *s is
 * zeroed but for the members that study.h names. */
int study_open(study *s) {
  read_sizes(s);
  int code = check_steps(s);
  if (code == ARGS_GO_ON) code = check_norm(s);
  if (code != ARGS_GO_ON) return code;
  if (!reference_open(&s->reference, s->problem, s->options, s->t_end, s->norm.max))
    return TOOL_FAILED;
  if (s->automatic && s->reference.kind == REFERENCE_COMPUTED) {
    tool_error(
        "--norm max with automatic steps: '%s' has no closed solution to compare with; use --norm "
        "end",
        s->problem->name);
    return TOOL_USAGE;
  }
  if (s->reference.kind == REFERENCE_COMPUTED) return study_check(s);
  if (s->reference.kind != REFERENCE_FINEST) return ARGS_GO_ON;
  if (s->levels < 2) {
    tool_error(
        "--levels %d: '%s' has no reference at t = %.10g, the finest of at least 2 levels "
        "must serve as one",
        s->levels, s->problem->name, s->t_end);
    return TOOL_USAGE;
  }
  s->ends = calloc((size_t)s->levels, snapshot_size(&s->problem->model) * sizeof(double));
  if (s->ends) return ARGS_GO_ON;
  tool_error("no memory for the end states of %d levels", s->levels);
  return TOOL_FAILED;
}

/* Frees reference and end states; also after study_open has failed. */
void study_close(study *s) {
  reference_close(&s->reference);
  free(s->ends);
}

/* ---- errors --------------------------------------------------------------------------------- */

/* error[f] <- max(error[f], largest |difference| of x and exact in field f), where NaN counts as
 * nothing. q is compared by the distance of the space; a field that either state lacks (NULL) is
 * left out. */
static void raise_errors(const study *s, const ga_state *x, const ga_state *exact, double *error) {
  const ga_model *model = &s->problem->model;
  error[FIELD_Q] = fmax(error[FIELD_Q], ga_space_distance(model->space, x->q, exact->q));
  for (int f = FIELD_V; f < FIELDS; f++) {
    const double *a = field_values(x, f), *b = field_values(exact, f);
    const int n = field_size(model, f);
    for (int i = 0; a && b && i < n; i++) error[f] = fmax(error[f], fabs(a[i] - b[i]));
  }
}

/* Compares the state after `steps` steps of level i with the reference at its time and raises
 * the errors of the level (s->level[i].error). For a computed reference the state must be at the
 * end of a period. */
static void measure_errors(study *s, int i, const ga_state *state, long steps) {
  reference *r = &s->reference;
  study_level *level = &s->level[i];
  const ga_params *par = &s->options->par;
  ga_state known;
  if (r->kind == REFERENCE_COMPUTED) {
    known = reference_point(r, steps / s->per * stride_of(s, i));
  } else {
    /* a belongs to the step that led here */
    double h = state->h > 0 || s->automatic ? state->h : level->h;
    known = reference_at(r, state->t, (par->alpha_m - par->alpha_f) * h);
  }
  raise_errors(s, state, &known, level->error);
}

/* Call when the errors of level i are complete: computes its slopes against level i - 1 and, at
 * level 0, sets which fields have a column (s->has). Sets s->rows to i + 1. */
static void finish_row(study *s, int i) {
  study_level *level = &s->level[i];
  for (int c = 0; c < FIELDS; c++) {
    if (i == 0) s->has[c] = !isnan(level->error[c]);
    if (i > 0 && level->error[c] > 0 && level[-1].error[c] > 0) {
      level->slope[c] = log(level[-1].error[c] / level->error[c]) / log(s->automatic ? 10 : 2);
    }
  }
  s->rows = i + 1;
}

/* ---- levels --------------------------------------------------------------------------------- */

/* the run of level i: context of watch_level and log_level */
typedef struct level_run {
  study *s;
  int i;
  progress progress;
  solver solver;
} level_run;

/* Does the state after `steps` steps count for --norm max? A closed solution is known at every
 * step, others only at the ends of periods; the start of a whole run does not count. */
static bool in_norm(const study *s, int i, const ga_state *state, long steps) {
  if (s->norm.whole && steps == 0) return false;
  if (s->automatic || (s->per > 1 && s->reference.kind == REFERENCE_CLOSED)) {
    double slack = 1e-9 * (s->norm.to - s->norm.from);
    return state->t >= s->norm.from - slack && state->t <= s->norm.to + slack;
  }
  long at = steps / s->per * stride_of(s, i);
  return steps % s->per == 0 && at >= s->first && at <= s->last;
}

/* Called after each step: shows progress and, for --norm max, measures errors; false if
 * interrupted. */
static bool watch_level(void *context, const ga_state *state, long steps) {
  level_run *run = context;
  study *s = run->s;
  progress_update(&run->progress, state->t, steps);
  if (s->norm.max && in_norm(s, run->i, state, steps)) measure_errors(s, run->i, state, steps);
  return !interrupt_came();
}

/* Shows a message of the library; the progress line is cleared before. */
static void log_level(void *context, ga_log_level kind, const char *text) {
  level_run *run = context;
  progress_clear(&run->progress);
  tool_error("%s%s", kind == GA_LOG_WARNING ? "warning: " : "", text);
}

/* Starts and runs the level to t_end, with a velocity projection at project_at if that is given.
 * Returns the status of the first that is not GA_OK. */
static ga_status integrate(level_run *run) {
  const study *s = run->s;
  solver *of = &run->solver;
  ga_status status = solver_start(of, s->problem);
  if (status == GA_OK && !isnan(s->project_at)) {
    status = solver_run(of, s->project_at);
    if (status == GA_OK) status = ga_integrator_project_velocity(of->it, s->projection, NULL);
  }
  return status == GA_OK ? solver_run(of, s->t_end) : status;
}

/* Runs the level and sets its number of steps. For --norm end it then stores the end state in
 * s->ends (finest level is the reference) or measures the errors, and copies the error estimates
 * of an extrapolation. Returns the status of the run. */
static ga_status run_and_compare(level_run *run) {
  study *s = run->s;
  study_level *level = &s->level[run->i];
  progress_begin(&run->progress, s->problem->t0, s->t_end);
  ga_status status = integrate(run);
  progress_clear(&run->progress);
  level->steps = solver_steps(&run->solver);
  if (status != GA_OK || s->norm.max) return status;
  const ga_extrapolator *x = run->solver.x;
  if (x) { /* the extrapolation estimates its own errors */
    const field_errors estimate = field_errors_of(&ga_extrapolator_state(x)->error);
    memcpy(level->estimate, estimate.of, sizeof level->estimate);
  }
  const ga_state *state = solver_state(&run->solver);
  if (s->ends) {
    const ga_model *model = &s->problem->model;
    snapshot_copy(model, state, s->ends + (size_t)run->i * snapshot_size(model));
  } else {
    measure_errors(s, run->i, state, level->steps);
  }
  return status;
}

/* Runs level i with h/2^i, or tolerances/10^i, and fills s->level[i] but for its slopes.
 * TOOL_OK, or the exit code after a message. */
static int run_level(study *s, int i) {
  study_level *level = &s->level[i];
  for (int c = 0; c < FIELDS; c++) level->error[c] = level->slope[c] = level->estimate[c] = NAN;
  level_run run = {.s = s, .i = i, .solver = {.watch = watch_level, .context = &run}};
  ga_options o = *s->options;
  if (s->automatic) {
    o.rtol /= pow(10, i);
    o.atol /= pow(10, i);
    level->h = o.rtol > 0 ? o.rtol : o.atol;
  } else {
    o.h = level->h = ldexp(o.h, -i);
  }
  o.log = i == 0 ? log_level : NULL; /* warnings are about the parameters: once is enough */
  o.log_context = &run;
  int code = solver_open(&run.solver, &s->problem->model, &o, &s->how);
  if (code != ARGS_GO_ON) return code;
  ga_status status = run_and_compare(&run);
  bool stopped = status == GA_STOPPED && interrupt_came();
  if (stopped) {
    tool_error("interrupted in the run with %s = %.10g, at t = %.10g", study_level_title(s),
               level->h, solver_state(&run.solver)->t);
  } else if (status != GA_OK) {
    tool_error("the run with %s = %.10g failed %s", study_level_title(s), level->h,
               solver_failure(&run.solver, status, level->steps).text);
  }
  solver_close(&run.solver);
  return status == GA_OK ? TOOL_OK : stopped ? TOOL_INTERRUPTED : TOOL_FAILED;
}

/* For a study whose finest level is the reference: errors of the first n - 1 end states against
 * the n-th; sets s->reference.h, finishes each row and calls row for it. Nothing with fewer than
 * two. */
static void compare_ends(study *s, int n, study_row row, void *context) {
  const ga_model *model = &s->problem->model;
  size_t size = snapshot_size(model);
  if (n < 2) return;
  s->reference.h = s->level[n - 1].h;
  ga_state finest = snapshot_state(model, s->ends + (size_t)(n - 1) * size);
  for (int i = 0; i < n - 1; i++) {
    ga_state end = snapshot_state(model, s->ends + (size_t)i * size);
    raise_errors(s, &end, &finest, s->level[i].error);
    finish_row(s, i);
    row(context, s, i);
  }
}

/* Computes the reference if needed, then all levels, and calls row for each as soon as its
 * errors are known; the first failure ends it. Sets s->rows and s->complete. TOOL_OK, or the
 * exit code after a message. */
int study_run(study *s, study_row row, void *context) {
  int code = TOOL_OK, done = 0;
  if (s->reference.kind == REFERENCE_COMPUTED) {
    double finest = ldexp(s->options->h * s->period, 1 - s->levels);
    int K = s->how.K ? GA_EXTRAPOLATE_MAX : 2;
    code = reference_compute(&s->reference, s->options, K, finest, s->first, s->last);
  }
  while (code == TOOL_OK && done < s->levels) {
    code = run_level(s, done);
    if (code != TOOL_OK) break;
    if (!s->ends) {
      finish_row(s, done);
      row(context, s, done);
    }
    done++;
  }
  s->complete = code == TOOL_OK;
  if (s->ends) compare_ends(s, done, row, context);
  return code;
}

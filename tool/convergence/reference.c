/* SPDX-License-Identifier: MIT */
/* Reference solutions: those the problem knows, completed, and those computed by fine runs. */
#include "convergence/reference.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "args/problem_args.h"
#include "columns/state_fields.h"
#include "problems/problems.h"
#include "simulate/interrupt.h"
#include "simulate/progress.h"
#include "simulate/solver.h"

/* Memory for `count` snapshots (all fields of a state, see state_fields.h); NULL if there is
 * none. */
static double *snapshots_new(const ga_model *model, size_t count) {
  size_t size = snapshot_size(model);
  if (count > SIZE_MAX / sizeof(double) / (size + 1)) return NULL;
  return malloc(count * size * sizeof(double) + sizeof(double));
}

/* Does a snapshot have a NaN in one of the fields from <= f < to? */
static bool any_unknown(const ga_model *model, const double *data, int from, int to) {
  for (int p = 0; p < to; p++) {
    int n = field_columns(model, p);
    for (int i = 0; p >= from && i < n; i++) {
      if (isnan(data[i])) return true;
    }
    data += n;
  }
  return false;
}

/* ---- what the problem knows ----------------------------------------------------------------- */

/* Fills a snapshot with the reference of the problem at t, NaN where it is not known. True if q
 * and v are complete. */
static bool read_known(const ga_problem *problem, double t, double *data) {
  const ga_model *model = &problem->model;
  size_t size = snapshot_size(model);
  for (size_t i = 0; i < size; i++) data[i] = NAN;
  double *field[FIELDS];
  for (int f = 0; f < FIELDS; f++) field[f] = snapshot_field(model, data, f);
  return ga_problem_reference(problem, t, field[FIELD_Q], field[FIELD_V], field[FIELD_VD],
                              field[FIELD_LAM], field[FIELD_PSI]) &&
         !any_unknown(model, data, FIELD_Q, FIELD_VD);
}

/* Does the problem have a closed solution? It is asked at two odd times that no table has. data:
 * scratch. */
static bool is_closed(const ga_problem *problem, double t, double *data) {
  double span = t - problem->t0;
  return read_known(problem, problem->t0 + 0.38196601125 * span, data) &&
         read_known(problem, problem->t0 + 0.70710678118 * span, data);
}

/* Fills *r, which need not be initialized, and chooses its kind: closed if there is a closed
 * solution; else computed if the whole run is compared (whole), a table if t is in it, or the
 * finest level. A computed one is filled by reference_compute. False after a message. */
bool reference_open(reference *r, const ga_problem *problem, const ga_options *options, double t,
                    bool whole) {
  *r = (reference){.kind = REFERENCE_FINEST, .h = NAN, .problem = problem, .options = options};
  r->now = snapshots_new(&problem->model, 1);
  r->later = snapshots_new(&problem->model, 1);
  if (!r->now || !r->later) {
    tool_error("no memory for the reference solution");
    return false;
  }
  if (is_closed(problem, t, r->now)) {
    r->kind = REFERENCE_CLOSED;
  } else if (whole) {
    r->kind = REFERENCE_COMPUTED;
  } else if (read_known(problem, t, r->now)) {
    r->kind = REFERENCE_TABLE;
  }
  return true;
}

/* Frees all; also after reference_open has failed. */
void reference_close(reference *r) {
  ga_integrator_free(r->equations);
  free(r->now);
  free(r->later);
  free(r->grid);
}

/* Starts r->equations, an integrator of the study's method, at (t, q, v) with a plain start: its
 * state then has vd, lambda, psi and a. It is made at the first call. False after a warning; then
 * r->no_equations is set. */
static bool solve_equations(reference *r, double t, const double *q, const double *v) {
  ga_error err = {GA_OK, ""};
  if (!r->equations) {
    ga_options o = *r->options;
    o.start = GA_START_PLAIN;
    o.initial = GA_INITIAL_CHECK;
    o.log = NULL;
    o.initial_tol = 1e-6; /* a table has so many digits and no more */
    if (ga_integrator_new(&r->problem->model, &o, &r->equations, &err) != GA_OK) {
      r->equations = NULL;
    }
  }
  if (r->equations && ga_integrator_start(r->equations, t, q, v) == GA_OK) return true;
  tool_error("warning: the reference at t = %.10g cannot be completed: %s", t,
             r->equations ? ga_integrator_error(r->equations)->text : err.text);
  r->no_equations = true;
  return false;
}

/* Replaces the NaN in vd, lambda, psi and a of a snapshot by the solution of the equations of
 * motion at its (t, q, v); if they cannot be solved, the NaN stay. */
static void fill_unknown(reference *r, double t, double *data) {
  const ga_model *model = &r->problem->model;
  if (r->no_equations || !any_unknown(model, data, FIELD_VD, FIELDS)) return;
  const double *q = snapshot_field(model, data, FIELD_Q), *v = snapshot_field(model, data, FIELD_V);
  if (!solve_equations(r, t, q, v)) return;
  const ga_state *state = ga_integrator_state(r->equations);
  for (int p = FIELD_VD; p < FIELDS; p++) {
    double *x = snapshot_field(model, data, p);
    const double *found = field_values(state, p);
    for (int i = 0; i < field_columns(model, p); i++) {
      if (isnan(x[i])) x[i] = found[i];
    }
  }
}

/* The state at t, completed; closed solutions and tables only. If the solution is closed, its a
 * is that of the method at t + shift. It points into *r and is valid until the next call. */
ga_state reference_at(reference *r, double t, double shift) {
  const ga_model *model = &r->problem->model;
  read_known(r->problem, t, r->now);
  fill_unknown(r, t, r->now);
  ga_state state = snapshot_state(model, r->now);
  state.t = t;
  if (r->kind == REFERENCE_CLOSED && !r->no_equations) {
    read_known(r->problem, t + shift, r->later);
    const double *q = snapshot_field(model, r->later, FIELD_Q),
                 *v = snapshot_field(model, r->later, FIELD_V);
    if (solve_equations(r, t + shift, q, v)) state.a = ga_integrator_state(r->equations)->a;
  }
  return state;
}

/* ---- fine runs, extrapolated ---------------------------------------------------------------- */

enum { STRIDE = 2 }; /* largest steps of these runs between points of the grid */

/* the run that fills the grid of r: context of watch_fine */
typedef struct fine_run {
  reference *r;
  progress progress;
} fine_run;

/* Called after each step: stores every STRIDE-th state inside the grid; false if interrupted. */
static bool watch_fine(void *context, const ga_state *state, long steps) {
  fine_run *run = context;
  reference *r = run->r;
  progress_update(&run->progress, state->t, steps);
  long i = steps / STRIDE;
  if (steps % STRIDE == 0 && i >= r->first && i <= r->last) {
    const ga_model *model = &r->problem->model;
    snapshot_copy(model, state, r->grid + (size_t)(i - r->first) * snapshot_size(model));
  }
  return !interrupt_came();
}

/* Runs the problem with these options and K extrapolations to t_end; watch_fine fills the grid
 * of run->r, which is allocated. TOOL_OK, or the exit code after a message. */
static int run_fine(fine_run *run, const ga_options *options, int K, double t_end) {
  const ga_problem *problem = run->r->problem;
  solver s = {.watch = watch_fine, .context = run};
  extrapolation how = EXTRAPOLATION_NONE;
  how.K = K;
  int code = solver_open(&s, &problem->model, options, &how);
  if (code != ARGS_GO_ON) return code;
  progress_begin(&run->progress, problem->t0, t_end);
  ga_status status = solver_start(&s, problem);
  if (status == GA_OK) status = solver_run(&s, t_end);
  progress_clear(&run->progress);
  code = status == GA_OK ? TOOL_OK : problem_exit_code(status);
  if (status == GA_STOPPED && interrupt_came()) {
    tool_error("interrupted in the reference run with h = %.10g", run->r->h);
    code = TOOL_INTERRUPTED;
  } else if (status != GA_OK) {
    tool_error("the reference run with %s failed, at %s", options->method,
               solver_reason(&s, status).text);
  }
  solver_close(&s);
  return code;
}

/* Allocates the grid and fills its points first to last, t0 + i h, by a run of stab2 with steps
 * h/STRIDE, extrapolated K times to order 2 + K; sets r->h and r->order. TOOL_OK, or the exit
 * code after a message. */
int reference_compute(reference *r, const ga_options *options, int K, double h, long first,
                      long last) {
  r->first = first;
  r->last = last;
  r->grid = snapshots_new(&r->problem->model, (size_t)(last - first + 1));
  if (!r->grid) {
    tool_error("no memory for the reference solution at %ld times; a shorter interval needs less",
               last - first + 1);
    return TOOL_FAILED;
  }
  ga_options o = ga_options_default();
  o.method = "stab2";
  o.start = GA_START_SHIFTED;
  o.par = ga_params_rho(r->problem->rho_inf);
  o.linsol = options->linsol;
  o.initial = options->initial;
  o.initial_tol = options->initial_tol;
  o.multiplier_guess = options->multiplier_guess;
  o.h = h / STRIDE;
  r->h = ldexp(o.h, -K);
  r->order = 2 + K;
  fine_run run = {.r = r};
  return run_fine(&run, &o, K, r->problem->t0 + (double)last * h);
}

/* The state at grid point i, first <= i <= last; it points into the grid. */
ga_state reference_point(const reference *r, long i) {
  const ga_model *model = &r->problem->model;
  return snapshot_state(model, r->grid + (size_t)(i - r->first) * snapshot_size(model));
}

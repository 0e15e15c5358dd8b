/* SPDX-License-Identifier: MIT */
/* Runs with h = h_0, h_1, ..., h_K and 2h side by side, combined at every step of size h.
 *
 * The runs go forward in windows of some steps h. Threads take the runs of a window one by one, the
 * longest first; each run keeps its states at the ends of the steps h. Then the caller's thread
 * combines them, in order, and calls the observer. A run changes only its own integrator and
 * states, so the result depends neither on threads nor windows. The length of a window follows the clock. */
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "extrapolate/tableau.h"
#include "run/integrator.h"

enum {
  RUNS_MAX = GA_TABLEAU_ROWS_MAX,
  WINDOW_MAX = 256,
  WINDOW_NUMBERS = 1 << 20, /* kept by one run in a window, unless one step has more */
};
static const double window_seconds = 0.1;

/* run 0 has the step 2h, run j + 1 the step h_j = h/m_j */
typedef struct run {
  ga_integrator *it;
  double h;
  double *states; /* after the steps h of the window */
  double *times;
  long reached; /* steps h done; run 0: those with a state, an even number */
  ga_status status;
} run;

struct ga_extrapolator {
  ga_arena arena;
  const ga_model *model;
  ga_layout layout;
  ga_options options;
  int K, threads;
  ga_extrapolate_steps steps, next_steps; /* now, and from the next start on */
  ga_extrapolate_multipliers multipliers, next_multipliers;
  ga_divisors factors;
  run runs[RUNS_MAX];
  ga_integrator *equations; /* evaluates those of motion, for consistent multipliers */
  ga_status inconsistent;   /* such an evaluation failed */
  ga_error error;
  ga_stats stats;
  ga_extrapolated now;
  bool started;
  bool no_estimate; /* the run with 2h has failed */
  double *result, *finest, *w;
  /* times: n steps h since the start led to t; t_base + (n - n_base) h = t */
  long n, n_base;
  double t_base;
  /* the window: states after the steps first + 1, ..., last; the steps wanted end at t_end */
  long first, last;
  int length, length_max;
  long n_end;
  double t_end;
  atomic_int taken; /* runs taken by threads */
  ga_extrapolator_observer observer;
  void *observer_context;
};

/* life cycle */

/* Send a formatted warning to the log of the options, if there is one. */
static void GA_PRINTF(2, 3) warn(const ga_extrapolator *x, const char *format, ...) {
  if (!x->options.log) return;
  char text[800];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  x->options.log(x->options.log_context, GA_LOG_WARNING, text);
}

/* Step size of run i. */
static double step_of(const ga_extrapolator *x, int i) {
  double h = x->options.h;
  return i == 0 ? 2 * h : h / ga_substeps(x->steps, i - 1);
}

/* A new integrator with the options of the extrapolator and step h. warns: it may write warnings,
 * which would otherwise be repeated by each run. */
static ga_status make_integrator(ga_extrapolator *x, double h, bool warns, ga_integrator **out,
                                 ga_error *err) {
  ga_options o = x->options;
  o.h = h;
  o.cut_at_corners = GA_CUT_NO; /* all runs have their own grids, and all of them */
  if (!warns) o.log = NULL;     /* warnings are about the options: once is enough */
  return ga_integrator_new(x->model, &o, out, err);
}

/* Make the integrators of all K + 2 runs; on failure the caller frees those made. */
static ga_status make_runs(ga_extrapolator *x, ga_error *err) {
  ga_status status = GA_OK;
  for (int i = 0; i < x->K + 2 && status == GA_OK; i++) {
    run *r = &x->runs[i];
    r->h = step_of(x, i);
    status = make_integrator(x, r->h, i == 1, &r->it, err); /* run 1 alone warns */
  }
  return status;
}

/* Allocate the windows of states and the results; a window has at most WINDOW_NUMBERS numbers. */
static ga_status make_memory(ga_extrapolator *x, ga_error *err) {
  x->layout = ga_layout_of(x->model);
  int size = x->layout.at[GA_VARIABLES];
  x->length_max = WINDOW_NUMBERS / (size + 1);
  if (x->length_max > WINDOW_MAX) x->length_max = WINDOW_MAX;
  if (x->length_max < 2) x->length_max = 2;
  size_t length = (size_t)x->length_max, n = (size_t)size;
  for (int i = 0; i < x->K + 2; i++) {
    x->runs[i].states = ga_arena_doubles(&x->arena, length * n);
    x->runs[i].times = ga_arena_doubles(&x->arena, length);
  }
  x->result = ga_arena_doubles(&x->arena, n);
  x->finest = ga_arena_doubles(&x->arena, n);
  x->w = ga_arena_doubles(&x->arena, (size_t)ga_space_nv(x->model->space));
  if (x->arena.failed) return ga_fail(err, GA_ERR_MEM, "no memory for the extrapolation");
  ga_layout_unpack(&x->layout, x->result, &x->now.state);
  x->now.state.h = x->options.h;
  return GA_OK;
}

/* Check the options, then make the K + 2 integrators and all memory. On failure *out is NULL. */
ga_status ga_extrapolator_new(const ga_model *model, const ga_options *options, int K,
                              ga_extrapolator **out, ga_error *err) {
  if (!out) return ga_fail(err, GA_ERR_ARG, "out is NULL");
  *out = NULL;
  if (K < 1 || K > GA_EXTRAPOLATE_MAX) {
    return ga_fail(err, GA_ERR_ARG, "extrapolate = %d: must be between 1 and %d", K,
                   GA_EXTRAPOLATE_MAX);
  }
  const ga_options *o = options;
  if (o &&
      (o->rtol > 0 || o->atol > 0 || o->step_size || o->h_fractions || strcmp(o->h_seq, "1"))) {
    return ga_fail(err, GA_ERR_ARG,
                   "extrapolation needs steps of one size: neither automatic ones (rtol, atol) nor "
                   "a sequence (h-seq)");
  }
  if (o && o->team) {
    return ga_fail(err, GA_ERR_ARG,
                   "extrapolation is not possible in a team: its runs would take turns on the same "
                   "ranks; give each of them a whole model instead");
  }
  if (ga_refuse_contacts(model, "extrapolation", err) != GA_OK) return GA_ERR_ARG;
  ga_extrapolator *x = ga_calloc(1, sizeof *x);
  if (!x) return ga_fail(err, GA_ERR_MEM, "no memory for an extrapolator");
  x->K = K;
  x->model = model;
  x->options = options ? *options : ga_options_default();
  ga_status status = make_runs(x, err);
  if (status == GA_OK) status = make_memory(x, err);
  if (status != GA_OK) {
    ga_extrapolator_free(x);
    return status;
  }
  if (x->options.start == GA_START_PLAIN) {
    warn(x,
         "start = plain: the transient of the start is no series in h; until it has died out, "
         "extrapolation gains nothing and its error estimates mean nothing");
  }
  *out = x;
  return GA_OK;
}

/* Free the extrapolator and its integrators; NULL is allowed, and one half made. */
void ga_extrapolator_free(ga_extrapolator *x) {
  if (!x) return;
  for (int i = 0; i < RUNS_MAX; i++) ga_integrator_free(x->runs[i].it);
  ga_integrator_free(x->equations);
  ga_arena_free(&x->arena);
  ga_free(x);
}

/* Number of threads from the next window on; 0 or less: one per processor. */
void ga_extrapolator_set_threads(ga_extrapolator *x, int threads) {
  x->threads = threads;
}

/* The sequence of steps h/m_j from the next start on. */
void ga_extrapolator_set_steps(ga_extrapolator *x, ga_extrapolate_steps steps) {
  x->next_steps = steps;
}

/* How v', lam, psi of the result are found, from the next start on. */
void ga_extrapolator_set_multipliers(ga_extrapolator *x, ga_extrapolate_multipliers multipliers) {
  x->next_multipliers = multipliers;
}

/* Set the function to be called with every combined step; NULL: none. */
void ga_extrapolator_observe(ga_extrapolator *x, ga_extrapolator_observer observer, void *context) {
  x->observer = observer;
  x->observer_context = context;
}

/* results */

/* Where run r keeps its state after step n of the window. */
static double *state_after(const ga_extrapolator *x, const run *r, long n) {
  return r->states + (size_t)(n - x->first - 1) * (size_t)x->layout.at[GA_VARIABLES];
}

/* Copy the current state of run r as its state after step n, which is in the window; r->reached =
 * n. */
static void keep_state(const ga_extrapolator *x, run *r, long n) {
  const ga_state *state = ga_integrator_state(r->it);
  ga_layout_pack(&x->layout, state, state_after(x, r, n));
  r->times[n - x->first - 1] = state->t;
  r->reached = n;
}

/* The same five numbers as a struct with names. */
static ga_errors errors_by_name(const double e[GA_VARIABLES]) {
  return (ga_errors){.q = e[0], .v = e[1], .vd = e[2], .lam = e[3], .psi = e[4]};
}

/* Project q, v of a packed state at t onto the constraints and replace v', lam, psi by those of
 * the equations of motion there. */
static ga_status make_consistent(ga_extrapolator *x, double t, double *state) {
  const int *at = x->layout.at;
  ga_kkt_reset(&x->equations->saddle.kkt); /* no pivots of earlier results */
  return ga_start_consistent(x->equations, t, state + at[0], state + at[1], state + at[2],
                             state + at[3], state + at[4]);
}

/* If consistent multipliers are wanted: make both results (packed states) consistent at t, and let
 * v', lam, psi have the fall of q and v. *with_2h becomes NULL if that one fails: then there are no
 * estimates. If the result itself fails, the status is kept in x->inconsistent. */
static ga_status make_results_consistent(ga_extrapolator *x, double t, double **with_2h,
                                         double *result, double fall[GA_VARIABLES]) {
  if (x->multipliers != GA_MULTIPLIERS_CONSISTENT) return GA_OK;
  if (*with_2h && make_consistent(x, t, *with_2h) != GA_OK) *with_2h = NULL;
  for (int i = 2; i < GA_VARIABLES; i++) fall[i] = fmin(fall[0], fall[1]);
  x->inconsistent = make_consistent(x, t, result);
  return x->inconsistent;
}

static ga_status first_failure(ga_extrapolator *x);

/* Will the observer or the caller see the state after step n? The caller sees the last step and
 * the one before a failure. */
static bool is_seen(ga_extrapolator *x, long n) {
  return x->observer || n == x->n_end || (n == x->last && first_failure(x) != GA_OK);
}

/* Extrapolate the states after step n of the window into x->now and x->result, with error
 * estimates, and call the observer: GA_STOPPED if it says so. The states of the window are
 * overwritten: once for each n. If consistent multipliers fail, x->now stays as it was. */
static ga_status combine_and_observe(ga_extrapolator *x, long n) {
  int K = x->K;
  bool coarser = n % 2 == 0 && x->runs[0].reached >= n;
  double *states[RUNS_MAX] = {NULL}, fall[GA_VARIABLES] = {0}, error[GA_VARIABLES];
  size_t bytes = (size_t)x->layout.at[GA_VARIABLES] * sizeof(double);
  for (int i = coarser ? 0 : 1; i < K + 2; i++) states[i] = state_after(x, &x->runs[i], n);
  double t = x->runs[1].times[n - x->first - 1];
  double *result = states[K + 1], *with_2h = coarser ? states[K] : NULL;
  memcpy(x->finest, result, bytes);
  ga_combine(&x->layout, &x->factors, states, x->w, fall);
  if (is_seen(x, n)) {
    if (make_results_consistent(x, t, &with_2h, result, fall) != GA_OK) return first_failure(x);
  }
  memcpy(x->result, result, bytes);
  x->now.steps = n;
  x->now.state.t = t;
  ga_combined_errors(&x->layout, &x->factors, fall, with_2h, result, error);
  x->now.error = errors_by_name(error);
  for (int i = 0; i < GA_VARIABLES; i++) {
    error[i] = ga_layout_distance(&x->layout, i, x->finest, result);
  }
  x->now.finest = errors_by_name(error);
  if (!x->observer || x->observer(x->observer_context, &x->now) == 0) return GA_OK;
  return ga_fail(&x->error, GA_STOPPED, "t = %.9g: stopped by the observer", x->now.state.t);
}

/* x->stats: sums of counters and maxima of extremes over all runs. */
static void add_stats(ga_extrapolator *x) {
  memset(&x->stats, 0, sizeof x->stats);
  for (int i = 0; i < x->K + 2; i++) {
    const ga_stats *of = ga_integrator_stats(x->runs[i].it);
#define COUNTER(name, text) x->stats.name += of->name;
#define EXTREME(name, text) x->stats.name = fmax(x->stats.name, of->name);
    GA_STAT_LIST(COUNTER, EXTREME)
#undef COUNTER
#undef EXTREME
  }
}

/* Status of a failure of consistent multipliers or of the run with the largest step, not counting
 * the run with 2h, with its message in x->error; GA_OK if there is none. */
static ga_status first_failure(ga_extrapolator *x) {
  if (x->inconsistent != GA_OK) {
    ga_fail(&x->error, x->inconsistent, "%s", ga_integrator_error(x->equations)->text);
    ga_error_prefix(&x->error, "consistent multipliers of the extrapolated state");
    return x->inconsistent;
  }
  for (int i = 1; i < x->K + 2; i++) {
    const run *r = &x->runs[i];
    if (r->status == GA_OK) continue;
    ga_fail(&x->error, r->status, "%s", ga_integrator_error(r->it)->text);
    ga_error_prefix(&x->error, "run with h = %.10g", r->h);
    return r->status;
  }
  return GA_OK;
}

/* The run with 2h serves error estimates only: if it fails, warn once and go on without. */
static void warn_if_no_estimate(ga_extrapolator *x) {
  const run *r = &x->runs[0];
  if (r->status == GA_OK || x->no_estimate) return;
  x->no_estimate = true;
  warn(x, "no error estimates from here on, as the run with h = %.10g for them failed: %s", r->h,
       ga_integrator_error(r->it)->text);
}

/* windows */

/* Make the steps of run r in the window and keep its states; the last step ends at t_end exactly. A
 * failure is left in r->status, r->reached tells how far it came. The run with 2h is skipped if
 * nobody sees an estimate. Called by any thread: it changes *r only. */
static void advance_run(ga_extrapolator *x, run *r) {
  int i = (int)(r - x->runs);
  bool waits = i == 0 && !x->observer && x->n_end % 2 != 0;
  for (long n = x->first + 1; n <= x->last && r->status == GA_OK; n++) {
    if (waits || (i == 0 && n % 2 != 0)) continue;
    long target = i == 0 ? n / 2 : n * ga_substeps(x->steps, i - 1);
    long steps = ga_integrator_stats(r->it)->steps;
    for (; steps < target && r->status == GA_OK; steps++) {
      bool ends = n == x->n_end && steps + 1 == target;
      r->status = ends ? ga_integrator_run(r->it, x->t_end) : ga_integrator_step(r->it);
    }
    if (r->status == GA_OK) keep_state(x, r, n);
  }
}

/* Body of a thread: take the next run, the one with the smallest step first, until all are
 * taken. */
static void *run_worker(void *context) {
  ga_extrapolator *x = context;
  int i;
  while ((i = atomic_fetch_add(&x->taken, 1)) < x->K + 2) advance_run(x, &x->runs[x->K + 1 - i]);
  return NULL;
}

/* Threads to use: as set, or one per processor, at most one per run. */
static int thread_count(const ga_extrapolator *x) {
  long n = x->threads > 0 ? x->threads : sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : n > x->K + 2 ? x->K + 2 : (int)n;
}

/* A clock that never goes back, in seconds. */
static double seconds_now(void) {
  struct timespec ts = {0, 0};
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/* Advance all runs by the next window of steps, in parallel, and choose the length of the next
 * window. Sets x->first, x->last (the last step that all runs reached), x->stats, x->length. If a
 * thread cannot be created, the others do its work. */
static void fill_window(ga_extrapolator *x) {
  double began = seconds_now();
  x->first = x->n;
  x->last = x->n_end - x->n > x->length ? x->n + x->length : x->n_end;
  atomic_store(&x->taken, 0);
  pthread_t threads[RUNS_MAX];
  int count = 0, wanted = thread_count(x) - 1;
  while (count < wanted && pthread_create(&threads[count], NULL, run_worker, x) == 0) count++;
  run_worker(x);
  while (count > 0) pthread_join(threads[--count], NULL);

  for (int i = 1; i < x->K + 2; i++) {
    if (x->runs[i].reached < x->last) x->last = x->runs[i].reached;
  }
  warn_if_no_estimate(x);
  add_stats(x);
  double took = seconds_now() - began;
  if (took < window_seconds / 2 && x->length * 2 <= x->length_max) x->length *= 2;
  if (took > window_seconds && x->length >= 4) x->length /= 2;
}

/* from t0 to t_end */

/* At a start: apply steps and multipliers as set since the last start; make the integrator for
 * consistent multipliers if needed. */
static ga_status apply_settings(ga_extrapolator *x) {
  ga_status status = GA_OK;
  bool other = x->steps != x->next_steps;
  x->steps = x->next_steps;
  x->multipliers = x->next_multipliers;
  x->factors = ga_factors_of(x->steps, x->K);
  for (int i = 1; i < x->K + 2 && other && status == GA_OK; i++) {
    run *r = &x->runs[i];
    r->h = step_of(x, i);
    status = ga_integrator_set_step(r->it, r->h);
    if (status != GA_OK) ga_fail(&x->error, status, "%s", ga_integrator_error(r->it)->text);
  }
  x->inconsistent = GA_OK;
  if (status == GA_OK && x->multipliers == GA_MULTIPLIERS_CONSISTENT && !x->equations) {
    /* false: it does not warn */
    status = make_integrator(x, x->options.h, false, &x->equations, &x->error);
  }
  return status;
}

/* Start all runs at (t0, q0, v0) and deliver that state as step 0. Fails if any run fails to
 * start, except the one with 2h. */
ga_status ga_extrapolator_start(ga_extrapolator *x, double t0, const double *q0, const double *v0) {
  ga_error_clear(&x->error);
  x->started = x->no_estimate = false;
  ga_status status = apply_settings(x);
  if (status != GA_OK) return status;
  for (int i = 0; i < x->K + 2; i++) {
    run *r = &x->runs[i];
    r->status = ga_integrator_start(r->it, t0, q0, v0);
    r->reached = -1;
  }
  status = first_failure(x);
  if (status != GA_OK) return status;
  warn_if_no_estimate(x);
  x->length = 2;
  x->n = x->n_base = x->last = 0;
  x->n_end = -1;
  x->t_base = t0;
  x->first = -1;
  for (int i = 0; i < x->K + 2; i++) {
    if (x->runs[i].status == GA_OK) keep_state(x, &x->runs[i], 0);
  }
  add_stats(x);
  status = combine_and_observe(x, 0);
  x->started = status == GA_OK || status == GA_STOPPED;
  return status;
}

/* Set n_end and t_end. GA_ERR_ARG unless h divides the interval to t_end, which is not before t. */
static ga_status check_end(ga_extrapolator *x, double t_end) {
  double h = x->options.h, done = x->now.state.t;
  if (!x->started) return ga_fail(&x->error, GA_ERR_ARG, "ga_extrapolator_start comes first");
  if (!isfinite(t_end) || t_end < done) {
    return ga_fail(&x->error, GA_ERR_ARG, "t_end = %g must be finite and not before t = %g", t_end,
                   done);
  }
  double n = round((t_end - x->t_base) / h);
  double slack = 1e-8 * x->runs[x->K + 1].h + 4 * DBL_EPSILON * fabs(t_end);
  if (n > 1e15 || fabs(x->t_base + n * h - t_end) > slack) {
    return ga_fail(
        &x->error, GA_ERR_ARG,
        "h = %.10g does not divide the interval from %.10g to %.10g; extrapolation needs "
        "steps of one size, for example h = %.15g",
        h, x->t_base, t_end, (t_end - x->t_base) / fmax(n, 1));
  }
  x->n_end = x->n_base + (long)n;
  x->t_end = t_end;
  return GA_OK;
}

/* Compute windows and deliver their steps, until t_end, a failure, or a stop by the observer. A
 * stopped run may be continued. */
ga_status ga_extrapolator_run(ga_extrapolator *x, double t_end) {
  ga_error_clear(&x->error);
  ga_status status = check_end(x, t_end);
  if (status == GA_OK && x->inconsistent != GA_OK) status = first_failure(x);
  while (status == GA_OK && x->n < x->n_end) {
    if (x->n < x->last) {
      x->n = x->observer ? x->n + 1 : x->last;
      if (is_seen(x, x->n)) status = combine_and_observe(x, x->n);
    } else {
      status = first_failure(x);
      if (status == GA_OK) fill_window(x);
    }
  }
  if (status == GA_OK) {
    x->n_base = x->n;
    x->t_base = x->now.state.t;
  }
  return status;
}

/* The last combined step; the numbers change with every step. */
const ga_extrapolated *ga_extrapolator_state(const ga_extrapolator *x) {
  return &x->now;
}

/* Statistics of all runs together: sums and maxima. */
const ga_stats *ga_extrapolator_stats(const ga_extrapolator *x) {
  return &x->stats;
}

/* Status and message of the last call that failed. */
const ga_error *ga_extrapolator_error(const ga_extrapolator *x) {
  return &x->error;
}

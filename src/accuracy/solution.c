/* SPDX-License-Identifier: MIT */
/* The search for the accuracy: pilot, runs with more and more steps, and when to end. */
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "accuracy/solution.h"

static const double memory_largest = 4e9; /* bytes of the nodes of all runs */

/* GA_ERR_ARG if an option does not go together with an accuracy. */
static ga_status check_options(const ga_options *o, ga_error *err) {
  if (!(o->accuracy > 0)) {
    return ga_fail(err, GA_ERR_ARG, "accuracy = %g: it must be greater than 0", o->accuracy);
  }
  if (o->rtol > 0 || o->atol > 0 || o->step_size || o->h_fractions || strcmp(o->h_seq, "1")) {
    return ga_fail(err, GA_ERR_ARG,
                   "accuracy chooses the steps itself: give neither rtol and atol nor a sequence "
                   "of steps (h-seq) with it");
  }
  if (o->project_every > 0 || o->start == GA_START_PLAIN) {
    return ga_fail(err, GA_ERR_ARG,
                   "%s and accuracy exclude each other: errors would be no series in the step size",
                   o->project_every > 0 ? "project-every" : "start = plain");
  }
  if (o->team) {
    return ga_fail(err, GA_ERR_ARG,
                   "accuracy is not possible in a team: its runs would take turns on the same "
                   "processes; give each of them a whole model instead");
  }
  return GA_OK;
}

/* The options of the runs: their method, and Newton's tolerance for this accuracy. */
static ga_options options_of_runs(const ga_model *model, const ga_options *given) {
  ga_options o = *given;
  if (!o.method_chosen) {
    bool free = model->nlam == 0 || ga_params_check(&o.par).rho_inf >= 1;
    o.method = free ? "stab2" : "index3";
    o.variant = "";
  }
  if (o.newton_tol == ga_options_default().newton_tol) {
    o.newton_tol = fmin(fmax(1e-3 * o.accuracy, 1e-12), 1e-6);
  }
  o.accuracy = 0;
  return o;
}

/* sqrt(w) of the model's metric, and the layout of q and v. */
static ga_status prepare(ga_solution *s, ga_error *err) {
  int nv = ga_space_nv(s->model->space);
  s->layout = ga_layout_of(s->model);
  for (int i = 3; i <= GA_VARIABLES; i++) s->layout.at[i] = s->layout.at[2];
  s->size = s->layout.at[2];
  s->root_metric = ga_arena_doubles(&s->arena, (size_t)nv);
  if (s->arena.failed) return ga_fail(err, GA_ERR_MEM, "no memory for a solution");
  for (int i = 0; i < nv; i++) s->root_metric[i] = s->model->metric ? sqrt(s->model->metric[i]) : 1;
  return GA_OK;
}

/* Check model and options, also by making an integrator, whose warnings go to the log. */
ga_status ga_solution_new(const ga_model *model, const ga_options *options, ga_solution **out,
                          ga_error *err) {
  if (!out) return ga_fail(err, GA_ERR_ARG, "out is NULL");
  *out = NULL;
  if (!model || !options) return ga_fail(err, GA_ERR_ARG, "model or options is NULL");
  ga_status status = check_options(options, err);
  if (status != GA_OK) return status;
  ga_options o = options_of_runs(model, options);
  ga_integrator *it = NULL;
  status = ga_integrator_new(model, &o, &it, err);
  ga_integrator_free(it);
  if (status != GA_OK) return status;
  ga_solution *s = ga_calloc(1, sizeof *s);
  if (!s) return ga_fail(err, GA_ERR_MEM, "no memory for a solution");
  s->model = model;
  s->options = o;
  s->accuracy.asked = options->accuracy;
  status = prepare(s, err);
  if (status == GA_OK)
    *out = s;
  else
    ga_solution_free(s);
  return status;
}

/* Free the solution; NULL is allowed. */
void ga_solution_free(ga_solution *s) {
  if (!s) return;
  ga_integrator_free(s->equations);
  ga_arena_free(&s->work);
  ga_arena_free(&s->arena);
  ga_free(s);
}

/* Number of threads; 0 or less: one per processor. */
void ga_solution_set_threads(ga_solution *s, int threads) {
  s->threads = threads;
}

/* A function that ends the search; NULL: none. */
void ga_solution_stop_when(ga_solution *s, int (*stop)(void *context), void *context) {
  s->stop = stop;
  s->stop_context = context;
}

/* Threads to use: as set, or one per processor, at most GA_THREADS_MAX. */
static int thread_count(const ga_solution *s) {
  long n = s->threads > 0 ? s->threads : sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : n > GA_THREADS_MAX ? GA_THREADS_MAX : (int)n;
}

/* Memory of the nodes: two rows of five columns, one array besides, one for each thread. */
static ga_status take_memory(ga_solution *s, int threads) {
  size_t n = (size_t)s->nodes * (size_t)s->size, nodes = (size_t)s->nodes;
  double bytes = (double)n * (2 * GA_COLUMNS + 1 + threads) * sizeof(double);
  if (bytes > memory_largest) {
    return ga_fail(&s->error, GA_ERR_MEM,
                   "accuracy: %ld times with %d numbers of q and v need %.1f GB for all runs, more "
                   "than %.0f GB are not taken; shorten the run, or take automatic steps (rtol)",
                   s->nodes, s->size, bytes / 1e9, memory_largest / 1e9);
  }
  for (int k = 0; k < GA_COLUMNS; k++) {
    for (int i = 0; i < 2; i++) s->row[i].x[k] = ga_arena_doubles(&s->work, n);
  }
  s->before = ga_arena_doubles(&s->work, n);
  for (int i = 0; i < threads; i++) s->spare[i] = ga_arena_doubles(&s->work, n);
  s->apart = ga_arena_doubles(&s->work, nodes);
  for (int i = 0; i < 3; i++) s->twice[i] = ga_arena_doubles(&s->work, nodes);
  if (!s->work.failed) return GA_OK;
  return ga_fail(&s->error, GA_ERR_MEM, "no memory for %ld nodes of %d numbers", s->nodes, s->size);
}

/* Memory whose size does not depend on the pilot. */
static ga_status take_small_memory(ga_solution *s) {
  size_t nv = (size_t)ga_space_nv(s->model->space);
  double **const of_v[] = {&s->size_q, &s->size_v, &s->w, &s->v};
  for (int i = 0; i < 4; i++) *of_v[i] = ga_arena_doubles(&s->work, nv);
  s->pilot_end = ga_arena_doubles(&s->work, (size_t)s->size);
  s->state = ga_arena_doubles(&s->work, (size_t)ga_layout_of(s->model).at[GA_VARIABLES]);
  return s->work.failed ? ga_fail(&s->error, GA_ERR_MEM, "no memory for a solution") : GA_OK;
}

/* The result is column K of the last row: note its estimates and how it came about. */
static void note_result(ga_solution *s) {
  ga_accuracy *a = &s->accuracy;
  int j = s->rows - 1;
  a->error = NAN;
  a->estimate = (ga_errors){NAN, NAN, NAN, NAN, NAN};
  s->K = 0;
  if (j < 0) return;
  const ga_estimate *e = &s->made[j];
  if (j >= 1) {
    s->K = e->K;
    a->estimate.q = e->error[0], a->estimate.v = e->error[1];
    a->error = e->largest;
  }
  a->order = 2 + s->K;
  a->runs = s->rows;
  a->least = (long)s->m_of[0] * s->steps;
  a->largest = (long)s->m_of[j] * s->steps;
}

/* May the runs end? GA_VERDICT_NONE: no, go on. */
static ga_verdict verdict_so_far(const ga_solution *s) {
  int j = s->rows - 1;
  if (j < 1) return GA_VERDICT_NONE;
  const ga_estimate *e = &s->made[j];
  if (e->largest <= s->accuracy.asked) return GA_VERDICT_REACHED;
  if (j >= 3 && e->largest < 0.1 && !(e->largest < 0.7 * s->made[j - 2].largest)) {
    return e->regular ? GA_VERDICT_ROUNDING : GA_VERDICT_KINK;
  }
  return GA_VERDICT_NONE;
}

/* More steps are not allowed: what is the reason? */
static ga_verdict verdict_at_budget(const ga_solution *s) {
  const ga_estimate *e = s->rows > 0 ? &s->made[s->rows - 1] : NULL;
  if (s->rows >= 5 && !e->regular && e->fall < 4 && e->largest < 0.1) return GA_VERDICT_KINK;
  return GA_VERDICT_BUDGET;
}

/* Take the results of a run in order: a row, or a failure after which the sequence begins anew. */
static ga_status take_run(ga_solution *s, ga_run *r, double **buffer) {
  ga_stats_add(&s->stats, &r->stats);
  s->accuracy.steps += r->stats.steps;
  if (r->status == GA_OK) {
    *buffer = ga_solution_add_row(s, r->m, r->x);
    return GA_OK;
  }
  s->error = r->error;
  if (r->status < 0 || r->status == GA_STOPPED) return r->status;
  s->rows = 0;
  return GA_OK;
}

/* Runs until there is a verdict. A failure of all runs is returned with the message of the last. */
static ga_status search(ga_solution *s, ga_verdict *verdict) {
  int threads = thread_count(s);
  *verdict = GA_VERDICT_NONE;
  for (int i = 0; *verdict == GA_VERDICT_NONE;) {
    ga_run runs[GA_THREADS_MAX];
    int count = 0;
    double steps = (double)s->accuracy.steps;
    for (; count < threads && i + count < GA_RUNS_LISTED; count++) {
      int m = ga_solution_substeps(i + count);
      steps += (double)m * (double)s->steps;
      if (steps > s->options.accuracy_steps) break;
      runs[count] = (ga_run){.of = s, .m = m, .x = s->spare[count]};
    }
    if (count == 0) {
      *verdict = verdict_at_budget(s);
      break;
    }
    ga_solution_runs(s, runs, count);
    for (int k = 0; k < count && *verdict == GA_VERDICT_NONE; k++) {
      ga_status status = take_run(s, &runs[k], &s->spare[k]);
      if (status == GA_STOPPED)
        *verdict = GA_VERDICT_STOPPED;
      else if (status != GA_OK)
        return status;
      else
        *verdict = verdict_so_far(s);
    }
    i += count;
  }
  if (s->rows > 0) return GA_OK;
  if (*verdict == GA_VERDICT_STOPPED) return GA_STOPPED;
  return s->error.code != GA_OK ? s->error.code
                                : ga_fail(&s->error, GA_ERR_STEP,
                                          "accuracy-steps = %g does not allow a single run of %ld "
                                          "steps",
                                          s->options.accuracy_steps, s->steps);
}

/* Solve; the memory of the solution before is freed. */
ga_status ga_solution_solve(ga_solution *s, double t0, const double *q0, const double *v0,
                            double t_end) {
  ga_error_clear(&s->error);
  ga_arena_free(&s->work);
  s->work = (ga_arena){0};
  s->accuracy = (ga_accuracy){.asked = s->accuracy.asked, .method = s->options.method};
  s->stats = (ga_stats){0};
  s->rows = 0;
  s->t0 = t0, s->t_end = t_end;
  s->q0 = q0, s->v0 = v0;
  if (!q0 || !v0 || !isfinite(t0) || !isfinite(t_end) || !(t_end > t0)) {
    return ga_fail(&s->error, GA_ERR_ARG,
                   "a solution needs q0, v0 and a time after t0 = %g to go to, not %g", t0, t_end);
  }
  ga_status status = take_small_memory(s);
  if (status == GA_OK) status = ga_solution_pilot(s);
  if (status == GA_OK) status = take_memory(s, thread_count(s));
  ga_verdict verdict = GA_VERDICT_NONE;
  if (status == GA_OK) ga_error_clear(&s->error);
  if (status == GA_OK) status = search(s, &verdict);
  s->q0 = s->v0 = NULL;
  if (status != GA_OK) return status;
  ga_error_clear(&s->error);
  note_result(s);
  ga_solution_judge(s, verdict);
  return GA_OK;
}

/* What is known about the error. */
const ga_accuracy *ga_solution_accuracy(const ga_solution *s) {
  return &s->accuracy;
}

/* Statistics of all runs together, the pilot included. */
const ga_stats *ga_solution_stats(const ga_solution *s) {
  return &s->stats;
}

/* Status and message of the last call that failed. */
const ga_error *ga_solution_error(const ga_solution *s) {
  return &s->error;
}

/* SPDX-License-Identifier: MIT */
/* The search for the accuracy: pilot, runs with more and more steps, and when to end. */
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "accuracy/solution.h"

static const double pilot_outlier = 3;    /* its error is not larger by more than is predicted */
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
    o.newton_tol = fmax(1e-3 * o.accuracy, 1e-12);
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

/* Check model and options, also by making the first integrator, whose warnings go to the log. */
ga_status ga_solution_new(const ga_model *model, const ga_options *options, ga_solution **out,
                          ga_error *err) {
  if (!out) return ga_fail(err, GA_ERR_ARG, "out is NULL");
  *out = NULL;
  if (!model || !options) return ga_fail(err, GA_ERR_ARG, "model or options is NULL");
  ga_status status = check_options(options, err);
  if (status == GA_OK) status = ga_refuse_contacts(model, "accuracy", err);
  if (status != GA_OK) return status;
  ga_solution *s = ga_calloc(1, sizeof *s);
  if (!s) return ga_fail(err, GA_ERR_MEM, "no memory for a solution");
  s->model = model;
  s->options = options_of_runs(model, options);
  s->accuracy = (ga_accuracy){.asked = options->accuracy, .method = s->options.method};
  ga_options o = ga_solution_run_options(s);
  o.log = options->log;
  status = ga_integrator_new(model, &o, &s->runner[0], err);
  if (status == GA_OK) s->runner[0]->options.log = NULL; /* once is enough */
  if (status == GA_OK) status = prepare(s, err);
  if (status == GA_OK)
    *out = s;
  else
    ga_solution_free(s);
  return status;
}

/* Free the solution; NULL is allowed. */
void ga_solution_free(ga_solution *s) {
  if (!s) return;
  for (int i = 0; i < GA_THREADS_MAX; i++) ga_integrator_free(s->runner[i]);
  ga_free(s->event);
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
  return s->work.failed ? ga_fail(&s->error, GA_ERR_MEM, "no memory for a solution") : GA_OK;
}

/* The result is column K of the last row: note its estimates and how it came about. */
static void note_result(ga_solution *s) {
  ga_accuracy *a = &s->accuracy;
  int j = s->rows - 1;
  const ga_estimate *e = &s->made[j];
  a->error = NAN;
  a->estimate = (ga_errors){NAN, NAN, NAN, NAN, NAN};
  s->K = 0;
  if (j >= 1) {
    s->K = e->K;
    a->estimate.q = e->error[0], a->estimate.v = e->error[1];
    a->estimate.vd = e->vd, a->estimate.lam = e->lam;
    a->error = fmax(e->largest, e->forces);
    if (!isnan(s->passed_over)) a->error = NAN; /* what they agree on means nothing */
  }
  a->order = 2 + s->K;
  a->runs = s->rows;
  a->least = (long)s->m_of[0] * s->steps;
  a->largest = (long)s->m_of[j] * s->steps;
}

/* The estimates of v' and the constraint forces, if they are asked for and q and v are good enough:
 * they cost two solutions of the equations of motion at each node. */
static ga_status add_forces(ga_solution *s) {
  unsigned of = (unsigned)s->options.accuracy_of;
  if (s->rows < 3 || of == 0) return GA_OK;
  ga_estimate *e = &s->made[s->rows - 1];
  if (!(e->largest <= s->accuracy.asked)) return GA_OK;
  double vd, lam;
  ga_status status = ga_solution_force_distance(s, e->K, &vd, &lam);
  if (status != GA_OK) return status;
  if (of & GA_ACCURACY_OF_QV_VD) e->vd = vd / e->divisor;
  if (of & GA_ACCURACY_OF_QV_LAM) e->lam = lam / e->divisor;
  e->forces = fmax(e->vd, e->lam);
  return GA_OK;
}

/* Would the trend of the differences, which fall by rho where steps are doubled, need far more steps
 * than are allowed? Only where this trend is that of a kink, thrice in a row. */
static bool is_hopeless(const ga_solution *s) {
  int j = s->rows - 1;
  if (j < 7) return false;
  const ga_estimate *e = &s->made[j];
  for (int i = 0; i < 3; i++) {
    if (e[-i].regular || !(e[-i].fall < 4)) return false;
  }
  double order = log2(fmax(e->fall, 1.2));
  double needed = s->m_of[j] * (double)s->steps * pow(e->largest / s->accuracy.asked, 1 / order);
  return needed > 4 * s->options.accuracy_steps;
}

/* The error after row j: of q and v, and of the forces where that is known. */
static double error_after(const ga_solution *s, int j) {
  return fmax(s->made[j].largest, s->made[j].forces); /* NaN is dropped */
}

/* Is the error after row j not below 0.7 of that two rows before, where steps were half as many? */
static bool stands(const ga_solution *s, int j) {
  bool comparable = isnan(s->made[j].forces) || !isnan(s->made[j - 2].forces);
  return comparable && !(error_after(s, j) < 0.7 * error_after(s, j - 2));
}

/* Do two runs suffice? Then order 3 of both is the result, and the error of the second one, of order 2, which
 * is known by their difference, is its bound: e->K becomes 1. Two that agree tell nothing of what falls
 * between their steps; so the pilot, whose steps are others, must end there, too, as near as this accuracy
 * lets expect. Forces are compared in three runs. */
static bool two_suffice(ga_solution *s) {
  double of[2];
  ga_estimate *e = &s->made[1];
  if (!(e->largest <= s->accuracy.asked) || s->options.accuracy_of != 0 || !s->pilot_end) {
    return false;
  }
  ga_solution_distance(s, ga_solution_column(s, 0, 1, s->nodes - 1), s->pilot_end, of);
  if (!(ga_larger(of[0], of[1]) <= pilot_outlier * s->accuracy.asked)) return false;
  e->K = 1;
  return true;
}

/* May the runs end? GA_VERDICT_NONE: no, go on. The first runs may be too coarse for any theory; so a
 * standstill counts from the seventh run on, twice in a row, and below 0.1. */
static ga_verdict verdict_so_far(ga_solution *s) {
  int j = s->rows - 1;
  s->passed_over = NAN;
  if (j < 1 || (j == 1 && !two_suffice(s))) return GA_VERDICT_NONE;
  const ga_estimate *e = &s->made[j];
  double now = error_after(s, j);
  if (now <= s->accuracy.asked) {
    s->passed_over = ga_solution_passed_over(s, s->m_of[j]);
    return isnan(s->passed_over) ? GA_VERDICT_REACHED : GA_VERDICT_NONE;
  }
  if (j < 6 || !(now < 0.1)) return GA_VERDICT_NONE;
  if (!(stands(s, j) && stands(s, j - 1)) && !is_hopeless(s)) return GA_VERDICT_NONE;
  /* a smooth motion comes to its rounding errors at higher orders */
  bool rounding = now < 1e-9 || (e->regular && e->K > 0);
  return rounding ? GA_VERDICT_ROUNDING : GA_VERDICT_KINK;
}

/* More steps are not allowed: what is the reason? */
static ga_verdict verdict_at_budget(const ga_solution *s) {
  if (s->rows < 5 || !isnan(s->passed_over)) return GA_VERDICT_BUDGET;
  const ga_estimate *e = &s->made[s->rows - 1];
  if (ga_solution_growth(s) > 1e3) return GA_VERDICT_SENSITIVE;
  return e->regular || e->fall > 4 ? GA_VERDICT_BUDGET : GA_VERDICT_KINK;
}

/* At least the error that a run with the steps of the pilot has at the end, where the solution is
 * `end`: by the last two runs, e_m ~ 1/m^2. 0: it is not known. */
static double error_of_pilot(ga_solution *s, const double *end) {
  int j = s->rows - 1;
  double of[2], least = INFINITY; /* of a run with the steps of the coarsest */
  if (s->made[j].K == 0) return 0;
  for (int i = 0; i < 2; i++) {
    ga_solution_distance(s, end, ga_solution_column(s, i, 0, s->nodes - 1), of);
    least = fmin(least, of[0] * s->m_of[j - i] * s->m_of[j - i]);
  }
  double ratio = (double)s->steps / s->pilot_steps;
  return least * ratio * ratio;
}

/* The accuracy is reached; but does a run with automatic steps end at the same place? If the pilot
 * is far off in q, farther than by its error, better ones decide. */
static ga_verdict check_branch(ga_solution *s) {
  double of[2];
  const double *end = ga_solution_column(s, 0, s->made[s->rows - 1].K, s->nodes - 1);
  if (!s->pilot_end) return GA_VERDICT_REACHED;
  ga_solution_distance(s, end, s->pilot_end, of);
  double first = of[0], near = fmax(fmin(0.1, first / 2), 2 * s->accuracy.asked);
  if (first < 0.5 || first < pilot_outlier * error_of_pilot(s, end)) return GA_VERDICT_REACHED;
  if (ga_solution_second_pilot(s, 1e-2) != GA_OK) return GA_VERDICT_REACHED;
  ga_solution_distance(s, end, s->pilot_end, of);
  if (of[0] < near) return GA_VERDICT_REACHED;
  if (ga_solution_second_pilot(s, 1e-4) != GA_OK) return GA_VERDICT_REACHED;
  ga_solution_distance(s, end, s->pilot_end, of);
  return of[0] < near ? GA_VERDICT_REACHED : GA_VERDICT_BRANCH;
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
      if (status == GA_OK) status = add_forces(s);
      if (status == GA_STOPPED) {
        *verdict = GA_VERDICT_STOPPED;
      } else if (status == GA_OK) {
        *verdict = verdict_so_far(s);
      } else {
        return status;
      }
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

/* Forget the last solution but for its start values, and take the memory that does not depend on
 * the pilot. The arrays q0 and v0 may be those of the last solution. */
static ga_status begin(ga_solution *s, double t0, const double *q0, const double *v0,
                       double t_end) {
  ga_arena old = s->work;
  int nq = s->layout.at[1], nv = s->size - nq;
  s->work = (ga_arena){0};
  double *q = ga_arena_doubles(&s->work, (size_t)nq), *v = ga_arena_doubles(&s->work, (size_t)nv);
  if (!s->work.failed) memcpy(q, q0, (size_t)nq * sizeof *q);
  if (!s->work.failed) memcpy(v, v0, (size_t)nv * sizeof *v);
  ga_arena_free(&old);
  s->q0 = q, s->v0 = v;
  s->t0 = t0, s->t_end = s->t_stop = t_end;
  s->accuracy = (ga_accuracy){.asked = s->accuracy.asked, .method = s->options.method};
  s->stats = (ga_stats){0};
  s->rows = 0;
  s->passed_over = NAN;
  s->stopped_by = -1;
  s->state = NULL;
  return take_small_memory(s);
}

/* Solve to s->t_end, or, with events, to shortly after the terminal event that the pilot meets. */
static ga_status attempt(ga_solution *s, bool with_events) {
  ga_status status = ga_solution_pilot(s, with_events);
  if (status == GA_OK) status = take_memory(s, thread_count(s));
  ga_verdict verdict = GA_VERDICT_NONE;
  if (status == GA_OK) ga_error_clear(&s->error);
  if (status == GA_OK) status = search(s, &verdict);
  if (status != GA_OK) return status;
  if (verdict == GA_VERDICT_REACHED) verdict = check_branch(s);
  ga_error_clear(&s->error);
  s->t_stop = s->t_end;
  s->shown = s->nodes;
  note_result(s);
  ga_solution_judge(s, verdict);
  return ga_solution_find_events(s);
}

/* Solve; the memory of the solution before is freed. If the pilot meets a terminal event which the
 * solution does not have, it is solved once more, to its end. */
ga_status ga_solution_solve(ga_solution *s, double t0, const double *q0, const double *v0,
                            double t_end) {
  ga_error_clear(&s->error);
  s->accuracy.verdict = GA_VERDICT_NONE;
  if (!q0 || !v0 || !isfinite(t0) || !isfinite(t_end) || !(t_end > t0)) {
    return ga_fail(&s->error, GA_ERR_ARG,
                   "a solution needs q0, v0 and a time after t0 = %g to go to, not %g", t0, t_end);
  }
  const ga_model_ops *ops = s->model->ops;
  if (s->model->ninput > 0 && ops->sample && ops->next_sample(s->model->user, t0) < t_end) {
    return ga_fail(&s->error, GA_ERR_ARG,
                   "the model has sampled states, which remember the run that they are in: an "
                   "accuracy cannot be asked for; give rtol or h");
  }
  ga_status status = begin(s, t0, q0, v0, t_end);
  if (status == GA_OK) status = attempt(s, true);
  if (status == GA_OK && s->t_end < t_end) {
    status = begin(s, t0, s->q0, s->v0, t_end);
    if (status == GA_OK) status = attempt(s, false);
  }
  if (status != GA_OK && status != GA_EVENT) s->accuracy.verdict = GA_VERDICT_NONE;
  return status;
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

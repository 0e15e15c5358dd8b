/* SPDX-License-Identifier: MIT */
/* Runs with fixed and extrapolated steps, chosen by hand. */
#include "ways.h"

#include <math.h>

#include "bench.h"

/* The one that is the cheapest most often comes first: others end when they take longer. */
static const bench_way ways[] = {
    {"index3", "index3", 0},
    {"index3, order 3", "index3", 1},
    {"index3, order 4", "index3", 2},
    {"index3, order 5", "index3", 3},
    {"stab2", "stab2", 0},
    {"stab2, order 3", "stab2", 1},
    {"stab2, order 4", "stab2", 2},
    {"stab2, order 5", "stab2", 3},
};
enum { WAYS = (int)(sizeof ways / sizeof ways[0]) };

const bench_way *bench_way_at(int i) {
  return i >= 0 && i < WAYS ? &ways[i] : NULL;
}

/* Fixed steps. */
static ga_status run_plain(measured_case *c, const ga_options *o, trajectory *x,
                           bench_way_run *out) {
  ga_integrator *it = NULL;
  ga_error err;
  double seconds = -bench_clock();
  ga_status status = ga_integrator_new(c->model, o, &it, &err);
  if (status == GA_OK) status = ga_integrator_start(it, c->t0, c->q0, c->v0);
  for (int i = 0; i <= x->n && status == GA_OK; i++) {
    if (i > 0) status = ga_integrator_run(it, common_time(c, x->n, i));
    seconds += bench_clock();
    if (status == GA_OK) trajectory_put(c, x, i, ga_integrator_state(it));
    seconds -= bench_clock();
  }
  out->seconds = fmin(out->seconds, seconds + bench_clock());
  if (it) out->steps = ga_integrator_stats(it)->steps;
  ga_integrator_free(it);
  return status;
}

/* Extrapolated steps. */
static ga_status run_extrapolated(measured_case *c, const ga_options *o, int levels, trajectory *x,
                                  bench_way_run *out) {
  ga_extrapolator *run = NULL;
  ga_error err;
  double seconds = -bench_clock();
  ga_status status = ga_extrapolator_new(c->model, o, levels, &run, &err);
  if (status == GA_OK) {
    ga_extrapolator_set_threads(run, 1);
    ga_extrapolator_set_steps(run, GA_STEPS_HARMONIC);
    status = ga_extrapolator_start(run, c->t0, c->q0, c->v0);
  }
  for (int i = 0; i <= x->n && status == GA_OK; i++) {
    if (i > 0) status = ga_extrapolator_run(run, common_time(c, x->n, i));
    seconds += bench_clock();
    if (status == GA_OK) trajectory_put(c, x, i, &ga_extrapolator_state(run)->state);
    seconds -= bench_clock();
  }
  out->seconds = fmin(out->seconds, seconds + bench_clock());
  if (run) out->steps = ga_extrapolator_stats(run)->steps;
  ga_extrapolator_free(run);
  return status;
}

bench_way_run bench_way_go(measured_case *c, const bench_way *way, double newton_tol, long steps,
                           int repeats, trajectory *x) {
  bench_way_run out = {.seconds = INFINITY};
  ga_options o = c->options;
  o.method = way->method;
  o.rtol = o.atol = 0;
  o.newton_tol = newton_tol;
  o.h = c->span / (double)steps;
  ga_status status = GA_OK;
  for (int r = 0; status == GA_OK && (r == 0 || (r < repeats && out.seconds < 0.02)); r++) {
    status =
        way->levels ? run_extrapolated(c, &o, way->levels, x, &out) : run_plain(c, &o, x, &out);
  }
  out.good = status == GA_OK;
  return out;
}

static ga_status run_accuracy(measured_case *c, const ga_options *o, trajectory *x,
                              ga_accuracy *told, bench_way_run *out) {
  ga_solution *solution = NULL;
  ga_error err;
  double seconds = -bench_clock();
  ga_status status = ga_solution_new(c->model, o, &solution, &err);
  if (status == GA_OK) {
    ga_solution_set_threads(solution, 1);
    status = ga_solution_solve(solution, c->t0, c->q0, c->v0, c->t0 + c->span);
  }
  for (int i = 0; i <= x->n && status == GA_OK; i++) {
    const ga_state state = ga_solution_at(solution, common_time(c, x->n, i));
    seconds += bench_clock();
    trajectory_put(c, x, i, &state);
    seconds -= bench_clock();
  }
  out->seconds = fmin(out->seconds, seconds + bench_clock());
  if (solution) {
    *told = *ga_solution_accuracy(solution);
    out->steps = told->steps;
  }
  if (status != GA_OK) {
    fprintf(stderr, "bench: %s, accuracy %g: %s\n", c->label, o->accuracy,
            solution ? ga_solution_error(solution)->text : err.text);
  }
  ga_solution_free(solution);
  return status;
}

bench_way_run bench_accuracy_go(measured_case *c, double accuracy, int repeats, trajectory *x,
                                ga_accuracy *told) {
  bench_way_run out = {.seconds = INFINITY};
  ga_options o = c->options;
  o.rtol = o.atol = 0;
  o.accuracy = accuracy;
  ga_status status = GA_OK;
  *told = (ga_accuracy){0};
  for (int r = 0; status == GA_OK && (r == 0 || (r < repeats && out.seconds < 0.02)); r++) {
    status = run_accuracy(c, &o, x, told, &out);
  }
  out.good = status == GA_OK;
  return out;
}

double bench_seconds_at(const bench_point *points, int n, double error) {
  double least = NAN;
  if (n > 0 && points[0].error <= error) least = points[0].seconds;
  for (int i = 1; i < n; i++) {
    const bench_point *a = &points[i - 1], *b = &points[i];
    if (!(a->error > error && b->error <= error)) continue;
    const double x = log(a->error / error) / log(a->error / b->error);
    least = fmin(least, exp((1 - x) * log(a->seconds) + x * log(b->seconds)));
  }
  return least;
}

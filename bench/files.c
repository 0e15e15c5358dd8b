/* SPDX-License-Identifier: MIT */
/* Mechanisms from model files: what a step costs beside the problem written by hand, and how long a
 * large one takes to load. */
#include <math.h>
#include <stdlib.h>

#include "bench.h"

#ifndef BENCH_MODELS
#define BENCH_MODELS "models"
#endif

/* Loads BENCH_MODELS/model.yaml, with its parameter N set to `size` unless that is NULL. NULL after
 * a message; the caller frees the file. */
static ga_file *load_model(const char *model, const char *size) {
  char path[1024];
  ga_file *file = NULL;
  ga_error err = {0};
  const ga_file_set set = {"N", size};
  snprintf(path, sizeof path, "%s/%s.yaml", BENCH_MODELS, model);
  const ga_file_options options = {.set = &set, .nset = size ? 1 : 0};
  if (ga_file_load(path, &options, &file, &err) != GA_OK) fprintf(stderr, "bench: %s\n", err.text);
  return file;
}

/* CPU seconds per step of `steps` steps of size h (s) from q0, v0 at t = 0, rho_inf = 0.9; -1,
 * after a message, if a step failed. */
static double seconds_per_step(const ga_model *model, const double *q0, const double *v0, double h,
                               long steps) {
  ga_options o = ga_options_default();
  ga_integrator *it = NULL;
  ga_error err = {0};
  o.par = ga_params_rho(0.9);
  o.h = h;
  ga_status status = ga_integrator_new(model, &o, &it, &err);
  if (status == GA_OK) status = ga_integrator_start(it, 0, q0, v0);
  const double start = bench_clock();
  for (long n = 0; n < steps && status == GA_OK; n++) status = ga_integrator_step(it);
  const double seconds = (bench_clock() - start) / (double)steps;
  if (status != GA_OK)
    fprintf(stderr, "bench: %s\n", it ? ga_integrator_error(it)->text : err.text);
  ga_integrator_free(it);
  return status == GA_OK ? seconds : -1;
}

typedef struct {
  const char *problem, *model, *size, *key;
  long steps;
  int repeats;
  double target;
} comparison;

/* Times the problem written by hand and the one from a file in turn, c->repeats times; reports the
 * least time of each and their ratio. */
static void compare_case(bench_report *report, const comparison *c) {
  bench_problem *b = bench_problem_new(c->problem, c->size ? atoi(c->size) : 0);
  ga_file *file = load_model(c->model, c->size);
  double best[2] = {INFINITY, INFINITY};
  if (b && file) {
    const ga_mechanism *m = ga_file_mechanism(file);
    const ga_problem *p = b->p;
    for (int r = 0; r < c->repeats; r++) {
      best[0] = fmin(best[0], seconds_per_step(&p->model, p->q0, p->v0, p->h, c->steps));
      best[1] = fmin(best[1], seconds_per_step(ga_mechanism_model(m), ga_mechanism_q0(m),
                                               ga_mechanism_v0(m), p->h, c->steps));
    }
    for (int k = 0; k < 2; k++) {
      const bench_field fields[] = {BENCH_TEXT("problem", b->label),
                                    BENCH_TEXT("written", k ? "file" : "by hand"),
                                    BENCH_NUMBER("us/step", 1e6 * best[k]), BENCH_END};
      bench_report_row(report, "files", fields);
    }
  }
  const bool good = best[0] > 0 && best[1] > 0 && isfinite(best[1]);
  bench_report_ratio(report, c->key, good ? best[1] / best[0] : NAN, c->target);
  ga_file_free(file);
  if (b) bench_problem_free(b);
}

/* Time to read and build a chain of 10,000 bodies over that of 20 of its steps; NaN if
 * it failed. */
static double load_over_20_steps(void) {
  double best = INFINITY, step = INFINITY;
  for (int r = 0; r < 3; r++) {
    const double start = bench_clock();
    ga_file *file = load_model("chain", "10000");
    best = fmin(best, bench_clock() - start);
    if (!file) return NAN;
    const ga_mechanism *m = ga_file_mechanism(file);
    step = fmin(step, seconds_per_step(ga_mechanism_model(m), ga_mechanism_q0(m),
                                       ga_mechanism_v0(m), 1e-3, 5));
    ga_file_free(file);
  }
  return step > 0 ? best / (20 * step) : NAN;
}

/* Reports the ratio file/hand for two problems, and the time of loading. */
void bench_part_files(bench_report *report) {
  static const comparison list[] = {
      {"heavy-top", "heavy-top", NULL, "file_over_hand_top", 5000, 10, 2},
      {"chain", "chain", "1000", "file_over_hand_chain1000", 100, 10, 1.3}};
  for (int i = 0; i < 2; i++) compare_case(report, &list[i]);
  bench_report_ratio(report, "load_10000_over_20_steps", load_over_20_steps(), 1);
}

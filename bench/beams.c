/* SPDX-License-Identifier: MIT */
/* Beams of many elements: instructions of a step over those of one klu_refactor and klu_solve of its
 * matrix, Newton iterations, and time and memory per element up to 100,000 elements. The models are
 * those of models/, at h = 1 ms: the arm that is spun up, and the beam that is thrown. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "floor.h"

#ifndef BENCH_MODELS
#define BENCH_MODELS "models"
#endif

static const double STEP = 1e-3, RHO = 0.8;

/* A model of models/ with n elements, started. */
typedef struct {
  ga_file *file;
  ga_integrator *it;
} beam_run;

static void close_run(beam_run *b) {
  ga_integrator_free(b->it);
  ga_file_free(b->file);
}

/* False after a message. */
static bool open_run(beam_run *b, const char *name, const char *n) {
  char path[1024];
  ga_error err = {0};
  const ga_file_set set = {"n", n};
  const ga_file_options choice = {.set = &set, .nset = 1};
  *b = (beam_run){0};
  snprintf(path, sizeof path, "%s/%s.yaml", BENCH_MODELS, name);
  ga_status status = ga_file_load(path, &choice, &b->file, &err);
  ga_options o = ga_options_default();
  o.h = STEP;
  o.par = ga_params_rho(RHO);
  const ga_mechanism *m = b->file ? ga_file_mechanism(b->file) : NULL;
  if (status == GA_OK) status = ga_integrator_new(ga_mechanism_model(m), &o, &b->it, &err);
  if (status == GA_OK) {
    status = ga_integrator_start(b->it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m));
    if (status != GA_OK) err = *ga_integrator_error(b->it);
  }
  if (status == GA_OK) return true;
  fprintf(stderr, "bench: %s\n", err.text);
  close_run(b);
  return false;
}

/* False after a message. */
static bool take_steps(beam_run *b, long steps) {
  for (long i = 0; i < steps; i++) {
    if (ga_integrator_step(b->it) == GA_OK) continue;
    fprintf(stderr, "bench: %s\n", ga_integrator_error(b->it)->text);
    return false;
  }
  return true;
}

int bench_beam_steps(const char *name, const char *n, long steps) {
  beam_run b;
  const bool done = open_run(&b, name, n) && take_steps(&b, steps);
  if (done) close_run(&b);
  return !done;
}

/* The matrix after a few steps. */
int bench_beam_floor(const char *name, const char *n, int count) {
  beam_run b;
  if (!open_run(&b, name, n) || !take_steps(&b, 3)) return 1;
  const ga_state *s = ga_integrator_state(b.it);
  const bench_point at = {.t = s->t, .q = s->q, .v = s->v, .x = s->vd, .lam = s->lam};
  bench_matrix A =
      bench_index3_matrix_at(ga_mechanism_model(ga_file_mechanism(b.file)), &at, STEP, false);
  const double seconds = bench_klu_rounds(&A, false, count, 1);
  bench_matrix_free(&A);
  close_run(&b);
  return !(seconds > 0);
}

/* Instructions of one of what `command` does: the difference of `more` and `few` of them. NaN if they
 * were not counted. */
static double instructions(const char *command, const char *name, const char *n, int few,
                           int more) {
  char text[2][16];
  double count[2];
  for (int i = 0; i < 2; i++) {
    snprintf(text[i], sizeof text[i], "%d", i ? more : few);
    const char *const arguments[] = {command, name, n, text[i], NULL};
    count[i] = bench_child_instructions(arguments);
    if (count[i] < 0) return NAN;
  }
  return (count[1] - count[0]) / (more - few);
}

static const struct {
  const char *name, *over_klu, *iterations;
} models[] = {{"spin-up", "spin_up1000_over_klu", "spin_up1000_iterations"},
              {"flying-beam", "flying_beam1000_over_klu", "flying_beam1000_iterations"}};
enum { STEPS = 20 };
enum { MODELS = (int)(sizeof models / sizeof models[0]) };

/* Least CPU seconds a step of `steps` steps, with the counts of the last run; NaN if a step failed. */
static double seconds(const char *name, const char *n, long steps, int repeats, ga_stats *stats) {
  double best = INFINITY;
  for (int r = 0; r < repeats; r++) {
    beam_run b;
    if (!open_run(&b, name, n)) return NAN;
    const double start = bench_clock();
    const bool done = take_steps(&b, steps);
    best = fmin(best, (bench_clock() - start) / (double)steps);
    *stats = *ga_integrator_stats(b.it);
    close_run(&b);
    if (!done) return NAN;
  }
  return best;
}

/* Bytes per element of a run of a few steps, less those with 8 elements, which the columns of the
 * models need. NaN if it failed. */
static double memory(const char *name, const char *n) {
  const char *const many[] = {"--beam", name, n, "5", NULL};
  const char *const few[] = {"--beam", name, "8", "5", NULL};
  const double base = bench_child_memory(few), peak = bench_child_memory(many);
  return base > 0 && peak > 0 ? (peak - base) / (atof(n) - 8) : NAN;
}

/* Instructions at 1000 elements; time and memory at 1e3, 1e4 and 1e5. */
void bench_part_beams(bench_report *report) {
  static const char *const sizes[] = {"1000", "10000", "100000"};
  for (int i = 0; i < MODELS; i++) {
    const char *name = models[i].name;
    const double floor = instructions("--beam-floor", name, "1000", 5, 15);
    const double step = instructions("--beam", name, "1000", 10, 30);
    double each[3], bytes[3];
    for (int k = 0; k < 3; k++) {
      ga_stats stats = {0};
      /* as many steps of each: the first one analyses and chooses pivots */
      each[k] = seconds(name, sizes[k], STEPS, k == 2 ? 1 : 3, &stats) / atof(sizes[k]);
      bytes[k] = memory(name, sizes[k]);
      const double taken = (double)stats.steps;
      const bench_field fields[] = {
          BENCH_TEXT("model", name),
          BENCH_NUMBER("elements", atof(sizes[k])),
          BENCH_NUMBER("us/element", 1e6 * each[k]),
          BENCH_NUMBER("bytes/element", bytes[k]),
          BENCH_NUMBER("Newton", taken > 0 ? (double)stats.newton_its / taken : NAN),
          BENCH_NUMBER("matrices", taken > 0 ? (double)stats.matrices / taken : NAN),
          BENCH_NUMBER("instructions", k == 0 ? step : NAN),
          BENCH_NUMBER("over KLU", k == 0 ? step / floor : NAN),
          BENCH_END};
      bench_report_row(report, "beams", fields);
      if (k == 0) {
        bench_report_ratio(report, models[i].over_klu, step / floor, 4);
        bench_report_ratio(report, models[i].iterations, (double)stats.newton_its / taken, 2);
      }
    }
    char key[2][48];
    snprintf(key[0], sizeof key[0], "%s_time_1e5_over_1e3", name);
    snprintf(key[1], sizeof key[1], "%s_memory_1e5_over_1e3", name);
    for (char *c = key[0]; *c; c++) *c = *c == '-' ? '_' : *c;
    for (char *c = key[1]; *c; c++) *c = *c == '-' ? '_' : *c;
    bench_report_ratio(report, key[0], each[2] / each[0], 1.4);
    bench_report_ratio(report, key[1], bytes[2] / bytes[0], 1.4);
  }
}

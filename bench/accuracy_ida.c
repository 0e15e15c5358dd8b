/* SPDX-License-Identifier: MIT */
/* `--accuracy` against the peer IDA at equal error of q at the end of the run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "ways.h"

enum { TARGETS = 4, MOST_POINTS = 40, REPEATS = 5 };
#define LONGEST 2.0 /* seconds of a run after which there is no finer one */
static const double targets[TARGETS] = {1e-3, 1e-4, 1e-5, 1e-6};

static const struct {
  const char *name, *key;
  int size;
  double limit; /* 0: none */
} problems[] = {
    {"heavy-top", "top", 0, 0.6}, {"andrews", "andrews", 0, 0.6}, {"chain", "", 100, 0}};

/* A run by ga_solution with one thread; nonzero if it failed. */
static int run_accuracy(const bench_problem *b, const bench_variant *variant, double setting,
                        bench_run *out, double *q, double *lam) {
  (void)variant, (void)q, (void)lam;
  ga_options o = ga_options_default();
  ga_solution *solution = NULL;
  ga_error err = {0};
  o.par = ga_params_rho(b->p->rho_inf);
  o.accuracy = setting;
  *out = (bench_run){0};
  const double start = bench_clock();
  ga_status status = ga_solution_new(&b->p->model, &o, &solution, &err);
  if (status == GA_OK) {
    ga_solution_set_threads(solution, 1);
    status = ga_solution_solve(solution, b->p->t0, b->p->q0, b->p->v0, b->p->t_end);
  }
  if (status == GA_OK) {
    const ga_state end = ga_solution_end(solution);
    out->seconds = bench_clock() - start;
    out->error_q = bench_error_q(b, end.q);
    out->error_lam = bench_error_lam(b, end.lam);
    out->steps = ga_solution_accuracy(solution)->steps;
  } else {
    fprintf(stderr, "bench: %s: %s\n", b->label,
            solution ? ga_solution_error(solution)->text : err.text);
  }
  ga_solution_free(solution);
  return status != GA_OK;
}

/* Seconds at the targets over a ladder of settings, the least of REPEATS runs of each. */
static void run_ladder(const bench_problem *b, const bench_variant *variant, double *seconds) {
  bench_point points[MOST_POINTS];
  int n = 0;
  for (double setting = 0.1; setting > 1e-12 && n < MOST_POINTS; setting /= sqrt(10)) {
    bench_run run;
    double least = INFINITY, error = NAN;
    for (int r = 0; r < REPEATS; r++) {
      if (variant->run(b, variant, setting, &run, NULL, NULL) != 0) break;
      least = fmin(least, run.seconds);
      error = run.error_q;
    }
    if (!(error < 1)) continue;
    points[n++] = (bench_point){setting, error, least};
    if (error < targets[TARGETS - 1] / 3 || least > LONGEST) break;
  }
  for (int k = 0; k < TARGETS; k++) {
    seconds[k] = fmin(seconds[k], bench_seconds_at(points, n, targets[k]));
  }
}

void bench_part_accuracy_ida(bench_report *report) {
  const bench_variant asked = {.code = "genalpha", .run = run_accuracy};
  const bench_variant peer[] = {{.code = "IDA", .part_atol = 1, .run = bench_ida_run},
                                {.code = "IDA", .part_atol = 0.1, .run = bench_ida_run}};
  for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
    bench_problem *b = bench_problem_new(problems[i].name, problems[i].size);
    double ours[TARGETS] = {NAN, NAN, NAN, NAN}, theirs[TARGETS] = {NAN, NAN, NAN, NAN};
    if (!b) continue;
    if (b->size) { /* has no reference of its own */
      const bench_variant fine = {.method = "stab2", .levels = 3};
      bench_run run;
      bench_extrapolated_run(b, &fine, 2000, &run, b->q_ref, b->lam_ref);
    }
    run_ladder(b, &asked, ours);
    for (int k = 0; k < 2 && bench_ida_version(); k++) run_ladder(b, &peer[k], theirs);
    for (int k = 0; k < TARGETS; k++) {
      char key[48];
      const bench_field fields[] = {BENCH_TEXT("problem", b->label),
                                    BENCH_NUMBER("error q", targets[k]),
                                    BENCH_NUMBER("accuracy ms", 1e3 * ours[k]),
                                    BENCH_NUMBER("IDA ms", 1e3 * theirs[k]),
                                    BENCH_NUMBER("ratio", ours[k] / theirs[k]),
                                    BENCH_END};
      bench_report_row(report, "accuracy over IDA", fields);
      if (problems[i].limit <= 0) continue;
      snprintf(key, sizeof key, "accuracy_over_ida_%s_%.0e", problems[i].key, targets[k]);
      bench_report_ratio(report, key, ours[k] / theirs[k], problems[i].limit);
    }
    bench_problem_free(b);
  }
}

/* SPDX-License-Identifier: MIT */
/* `--accuracy A` on all problems and models: is the error at most A, and what does it cost beside
 * the best choice by hand, of who knows the errors of all methods, orders and steps beforehand?
 *
 * The error is the largest of q and v at eight times (automatic/automatic.h). Steps by hand: those
 * of ways.c, the least number on a ladder of the factor 1.25 that meets A, with Newton's tolerance
 * that `--accuracy` takes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "ways.h"

#ifndef BENCH_MODELS
#define BENCH_MODELS "models"
#endif

enum { TIMES = 8, ASKED = 7 };
static const double asked[ASKED] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};

/* Limits of the geometric mean of cost over the best choice by hand; 0: none. */
static const double limit[ASKED] = {5, 0, 2.5, 0, 2, 0, 2};
static const double short_run = 0.01; /* seconds, for which nobody waits */

/* Counts of one accuracy over all cases. */
typedef struct {
  int cases, within, said, unsaid, failed; /* within 2 A; not reached and said; above 5 A, unsaid */
  double log_cost, log_steps;
  int compared, slow; /* of them: above 5 times the best by hand, and no short run */
} tally;

typedef struct {
  const char *name;
  double seconds;
  long steps;
} by_hand;

static double motion_error(const measured_case *c, const trajectory *x,
                           const trajectory *reference) {
  const errors e = trajectory_errors(c, x, reference);
  return fmax(e.of[OF_Q], isnan(e.of[OF_Q]) ? NAN : e.of[OF_V]);
}

/* Of one way: the least number of steps that meets A, from `first` per common time, which is set
 * to it. The ladder is left when it takes longer than the best way so far. */
static void try_by_hand(measured_case *c, const bench_way *way, double A,
                        const trajectory *reference, trajectory *x, double *first, by_hand *best) {
  const double newton_tol = fmin(fmax(1e-3 * A, 1e-12), 1e-4), order = 2 + way->levels;
  for (double per_time = *first; per_time < 1e5;) {
    const long steps = TIMES * lround(per_time);
    bench_way_run run = bench_way_go(c, way, newton_tol, steps, 1, x);
    const double error = run.good ? motion_error(c, x, reference) : NAN;
    *first = per_time;
    if (error <= A) {
      if (run.seconds < 2 * best->seconds) run = bench_way_go(c, way, newton_tol, steps, 5, x);
      if (run.seconds < best->seconds) *best = (by_hand){way->name, run.seconds, run.steps};
      break;
    }
    if (run.seconds > 1.5 * best->seconds || run.seconds > 5) break;
    /* not farther than nearly to what the order promises */
    const double far = error < 0.1 ? 0.8 * pow(error / A, 1 / order) : 1;
    per_time *= fmax(far, fmax(1.25, 1 + 1 / per_time));
  }
}

/* The cheapest way by hand to an error of A. */
static by_hand best_by_hand(measured_case *c, double A, const trajectory *reference,
                            double *first) {
  by_hand best = {"-", INFINITY, 0};
  trajectory x = trajectory_new(c, TIMES);
  for (int i = 0; bench_way_at(i); i++) {
    try_by_hand(c, bench_way_at(i), A, reference, &x, &first[i], &best);
  }
  trajectory_free(&x);
  return best;
}

static void measure_case(bench_report *report, measured_case *c, const trajectory *reference,
                         const errors *accuracy, tally *sums) {
  trajectory x = trajectory_new(c, TIMES);
  double first[16] = {0};
  for (int i = 0; i < 16; i++) first[i] = 1;
  const double floor_ = 2 * fmax(accuracy->of[OF_Q], accuracy->of[OF_V]);
  for (int k = 0; k < ASKED; k++) {
    ga_accuracy told;
    if (asked[k] < floor_) continue; /* the reference is not better */
    const bench_way_run run = bench_accuracy_go(c, asked[k], 3, &x, &told);
    const double error = run.good ? motion_error(c, &x, reference) : NAN;
    const bool reached = told.verdict == GA_VERDICT_REACHED;
    tally *sum = &sums[k];
    sum->cases++;
    sum->failed += !run.good;
    sum->within += error <= 2 * asked[k];
    sum->said += run.good && !reached;
    sum->unsaid += run.good && reached && !(error <= 5 * asked[k]);
    by_hand best = {"-", NAN, 0};
    if (k % 2 == 0 && run.good && reached && !c->driven) { /* any steps do for a driven motion */
      best = best_by_hand(c, asked[k], reference, first);
    }
    const double cost = run.seconds / best.seconds;
    if (cost > 0 && isfinite(cost)) {
      sum->compared++;
      sum->slow += cost > 5 && run.seconds > short_run;
      sum->log_cost += log(cost);
      sum->log_steps += log((double)run.steps / (double)best.steps);
    }
    const bench_field fields[] = {
        BENCH_TEXT("case", c->label),
        BENCH_NUMBER("asked", asked[k]),
        BENCH_NUMBER("error", error),
        BENCH_NUMBER("estimate", run.good ? told.error : NAN),
        BENCH_TEXT("verdict", run.good ? ga_verdict_word(told.verdict) : "failed"),
        BENCH_NUMBER("order", run.good ? (double)told.order : NAN),
        BENCH_NUMBER("steps", (double)run.steps),
        BENCH_NUMBER("ms", 1e3 * run.seconds),
        BENCH_TEXT("by hand", best.name),
        BENCH_NUMBER("by hand ms", 1e3 * best.seconds),
        BENCH_NUMBER("cost", cost),
        BENCH_END};
    bench_report_row(report, "accuracy, each", fields);
  }
  trajectory_free(&x);
}

static void report_sums(bench_report *report, const tally *sums) {
  for (int k = 0; k < ASKED; k++) {
    const tally *s = &sums[k];
    const double cost = s->compared ? exp(s->log_cost / s->compared) : NAN;
    const bench_field fields[] = {
        BENCH_NUMBER("asked", asked[k]),
        BENCH_NUMBER("cases", s->cases),
        BENCH_NUMBER("within 2 A, %", s->cases ? 100.0 * s->within / s->cases : NAN),
        BENCH_NUMBER("not reached, said", s->said),
        BENCH_NUMBER("above 5 A, unsaid", s->unsaid),
        BENCH_NUMBER("failed", s->failed),
        BENCH_NUMBER("CPU over by hand", cost),
        BENCH_NUMBER("above 5 and 10 ms", s->slow),
        BENCH_NUMBER("steps over by hand", s->compared ? exp(s->log_steps / s->compared) : NAN),
        BENCH_END};
    bench_report_row(report, "accuracy", fields);
    if (limit[k] > 0) {
      char key[48];
      snprintf(key, sizeof key, "accuracy_over_hand_%.0e", asked[k]);
      bench_report_ratio(report, key, cost, limit[k]);
    }
  }
}

void bench_part_accuracy(bench_report *report) {
  static const char *const directories[] = {BENCH_MODELS};
  char references[4096];
  reference_directory(references, sizeof references);
  case_list *list = case_list_new(directories, 1);
  tally sums[ASKED] = {{0}};
  for (int i = 0; i < case_list_size(list); i++) {
    measured_case *c = case_open(list, i, 1);
    trajectory reference;
    errors accuracy;
    if (c && reference_get(c, references, TIMES, &reference, &accuracy)) {
      measure_case(report, c, &reference, &accuracy, sums);
      trajectory_free(&reference);
    }
    case_close(c);
  }
  case_list_free(list);
  report_sums(report, sums);
}

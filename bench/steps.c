/* SPDX-License-Identifier: MIT */
/* Time of a step: small problems against a plain LU and against the peer, the chain against KLU,
 * from 10 to 100000 rods; memory; instructions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static const double MICRO = 1e6;

/* Least CPU seconds per step of the peer for rtol = 10^-first .. 10^-last; NaN without the peer. */
static double ida_step(const bench_problem *b, int first, int last, int repeats) {
  const bench_variant variant = {.part_atol = 1};
  double best = INFINITY;
  for (int k = first; k <= last && bench_ida_version(); k++) {
    for (int r = 0; r < repeats; r++) {
      bench_run run;
      if (bench_ida_run(b, &variant, pow(10, -k), &run, NULL, NULL) != 0) break;
      best = fmin(best, run.seconds / (double)run.steps);
    }
  }
  return isfinite(best) ? best : NAN;
}

/* Reports one row: seconds `step` per step, also over `floor`, and counts per step (stats NULL:
 * none). */
static void step_row(bench_report *report, const bench_problem *b, const char *what, double h,
                     double step, double floor, const ga_stats *stats) {
  double count = stats ? (double)stats->steps : NAN;
  const bench_field fields[] = {
      BENCH_TEXT("problem", b->label),
      BENCH_TEXT("method", what),
      BENCH_NUMBER("h", h),
      BENCH_NUMBER("us/step", MICRO * step),
      BENCH_NUMBER("over floor", step / floor),
      BENCH_NUMBER("Newton", stats ? (double)stats->newton_its / count : NAN),
      BENCH_NUMBER("residuals", stats ? (double)stats->residuals / count : NAN),
      BENCH_NUMBER("matrices", stats ? (double)stats->matrices / count : NAN),
      BENCH_END};
  bench_report_row(report, "time per step", fields);
}

enum { METHODS = 16, ROUNDS = 12 };

/* Times all methods, the floor and the peer in turn, ROUNDS times, so that a busy moment of the
 * machine hits them alike. best[m]: seconds per step of method m, negative if it refuses the
 * problem. */
static void small_problem(bench_report *report, const bench_problem *b, long steps, double *best,
                          double *floor, double *ida) {
  ga_stats stats[METHODS];
  double h = bench_step_size(b);
  bool with_peer = strcmp(b->label, "slider-crank") != 0; /* its singular M is not for the peer */
  *floor = *ida = INFINITY;
  for (int m = 0; m < METHODS; m++) best[m] = INFINITY;
  for (int r = 0; r < ROUNDS; r++) {
    for (int m = 0; m < METHODS && ga_method_name(m); m++) {
      if (best[m] < 0) continue;
      double step = bench_genalpha_steps(b, ga_method_name(m), "auto", h, steps, 1, &stats[m]);
      best[m] = step < 0 ? step : fmin(best[m], step);
    }
    *floor = fmin(*floor, bench_floor_dense(b, h, 2));
    if (with_peer && r % 3 == 0) *ida = fmin(*ida, ida_step(b, 4, 9, 1));
  }
  step_row(report, b, "LU + solve", h, *floor, *floor, NULL);
  for (int m = 0; m < METHODS && ga_method_name(m); m++) {
    if (best[m] > 0) step_row(report, b, ga_method_name(m), h, best[m], *floor, &stats[m]);
  }
  if (with_peer) step_row(report, b, "IDA", NAN, *ida, *floor, NULL);
}

/* best[m] of the method with this name; NaN if there is none. */
static double of_method(const double *best, const char *method) {
  for (int m = 0; m < METHODS && ga_method_name(m); m++) {
    if (strcmp(ga_method_name(m), method) == 0) return best[m];
  }
  return NAN;
}

/* The small problems; ratios are reported for the heavy top only. */
void bench_part_steps(bench_report *report) {
  static const struct {
    const char *name;
    long steps;
  } small[] = {{"heavy-top", 1000}, {"andrews", 1000}, {"slider-crank", 1000}};
  for (size_t i = 0; i < sizeof small / sizeof small[0]; i++) {
    double best[METHODS], floor, ida;
    bench_problem *b = bench_problem_new(small[i].name, 0);
    if (!b) return;
    small_problem(report, b, small[i].steps, best, &floor, &ida);
    bench_problem_free(b);
    if (i > 0) continue;
    double index3 = of_method(best, "index3"), stab2 = of_method(best, "stab2");
    bench_report_ratio(report, "top_index3_over_lu9", index3 / floor, 6);
    bench_report_ratio(report, "top_index3_over_ida_step", index3 / ida, 0.5);
    bench_report_ratio(report, "top_stab2_over_index3", stab2 / index3, 1.4);
  }
}

/* Bytes per rod: peak memory of a few steps of a chain, less that of a chain of one rod. NaN if it
 * failed. */
static double memory_per_rod(const char *method, int size) {
  char number[16];
  snprintf(number, sizeof number, "%d", size);
  const char *const many[] = {"--steps", "chain", method, "5", number, NULL};
  const char *const one[] = {"--steps", "chain", method, "5", "1", NULL};
  double base = bench_child_memory(one), peak = bench_child_memory(many);
  return base > 0 && peak > 0 ? (peak - base) / size : NAN;
}

typedef struct {
  int size;
  long steps; /* a whole run, t = 1, but for the largest */
  int repeats;
} chain_case;

/* Reports one row of the chain and adds its point to the plot; memory: also measures bytes
 * per rod. */
static void chain_row(bench_report *report, const bench_problem *b, const char *method, long steps,
                      double seconds, const ga_stats *stats, double floor, bool memory) {
  double count = stats ? (double)stats->steps : NAN;
  const bench_field fields[] = {
      BENCH_TEXT("problem", b->label),
      BENCH_TEXT("method", method),
      BENCH_NUMBER("steps", (double)steps),
      BENCH_NUMBER("us/step", MICRO * seconds),
      BENCH_NUMBER("us/rod", MICRO * seconds / b->size),
      BENCH_NUMBER("over KLU", seconds / floor),
      BENCH_NUMBER("Newton", stats ? (double)stats->newton_its / count : NAN),
      BENCH_NUMBER("matrices", stats ? (double)stats->matrices / count : NAN),
      BENCH_NUMBER("bytes/rod", memory ? memory_per_rod(method, b->size) : NAN),
      BENCH_END};
  bench_report_row(report, "chain", fields);
  bench_plot_point("chain", method, b->size, MICRO * seconds / b->size);
}

enum { SHORT = 50 }; /* steps at N = 1e5, and at N = 1e3 for the comparison */

/* Times KLU alone, index3, stab2 and the peer in turn and reports them; returns index3 over KLU,
 * NaN on failure. */
static double chain_problem(bench_report *report, const chain_case *c) {
  static const char *const methods[] = {"index3", "stab2"};
  double floor = INFINITY, tuned = INFINITY, best[2] = {INFINITY, INFINITY}, ida = NAN;
  ga_stats stats[2];
  bench_problem *b = bench_problem_new("chain", c->size);
  if (!b) return NAN;
  for (int r = 0; r < c->repeats; r++) {
    floor = fmin(floor, bench_floor_klu(b, b->p->h, false, 2));
    tuned = fmin(tuned, bench_floor_klu(b, b->p->h, true, 2));
    for (int m = 0; m < (r < 2 ? 2 : 1); m++) { /* no ratio asks for stab2: twice is enough */
      double step = bench_genalpha_steps(b, methods[m], "auto", b->p->h, c->steps, 1, &stats[m]);
      best[m] = fmin(best[m], step);
    }
  }
  if (c->size <= 1000) ida = ida_step(b, 5, 6, c->size < 1000 ? 5 : 2);
  chain_row(report, b, "KLU", 1, floor, NULL, floor, false);
  chain_row(report, b, "KLU tuned", 1, tuned, NULL, floor, false);
  for (int m = 0; m < 2; m++) {
    chain_row(report, b, methods[m], c->steps, best[m], &stats[m], floor, c->size >= 1000);
  }
  if (isfinite(ida)) chain_row(report, b, "IDA", 0, ida, NULL, floor, false);
  bench_problem_free(b);
  return best[0] / floor;
}

/* Time per rod and step of a chain of 1e5 rods over that of 1e3 rods, first SHORT steps, measured
 * in turn: the long chain does not fit the cache, so other work of the machine disturbs it more. */
static double per_rod_ratio(int repeats) {
  bench_problem *b[] = {bench_problem_new("chain", 1000), bench_problem_new("chain", 100000)};
  double best[] = {INFINITY, INFINITY};
  for (int r = 0; r < repeats; r++) {
    for (int k = 0; k < 2 && b[0] && b[1]; k++) {
      double step =
          bench_genalpha_steps(b[k], "index3", "auto", b[k]->p->h, SHORT, k ? 1 : 4, NULL);
      best[k] = fmin(best[k], step / b[k]->size);
    }
  }
  for (int k = 0; k < 2; k++) bench_problem_free(b[k]);
  return best[1] > 0 && best[0] > 0 ? best[1] / best[0] : NAN;
}

/* Chains of 10 to 100,000 rods. */
void bench_part_chain(bench_report *report) {
  static const chain_case cases[] = {
      {10, 1000, 10}, {100, 1000, 6}, {1000, 1000, 6}, {10000, 300, 6}, {100000, SHORT, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double over = chain_problem(report, &cases[i]);
    if (cases[i].size == 1000) bench_report_ratio(report, "chain1000_over_klu", over, 2);
    if (cases[i].size == 10000) bench_report_ratio(report, "chain10000_over_klu", over, 2);
  }
  bench_report_ratio(report, "chain_per_rod_1e5_over_1e3", per_rod_ratio(10), 1.4);
}

/* Instructions per step by callgrind: the difference of 1000 and 500 steps, over 500. */
void bench_part_instructions(bench_report *report) {
  static const char *const problems[] = {"heavy-top", "andrews", "slider-crank", "chain"};
  static const char *const methods[] = {"index3", "stab2"};
  for (int i = 0; i < 4; i++) {
    const char *size = i == 3 ? "10" : "0";
    for (int m = 0; m < 2; m++) {
      const char *const few[] = {"--steps", problems[i], methods[m], "500", size, NULL};
      const char *const many[] = {"--steps", problems[i], methods[m], "1000", size, NULL};
      double start = bench_child_instructions(few), end = bench_child_instructions(many);
      if (start < 0 || end < 0) {
        printf("\ninstructions: not counted, valgrind is missing\n");
        return;
      }
      const bench_field fields[] = {BENCH_TEXT("problem", i == 3 ? "chain-10" : problems[i]),
                                    BENCH_TEXT("method", methods[m]),
                                    BENCH_NUMBER("instructions", (end - start) / 500), BENCH_END};
      bench_report_row(report, "instructions per step", fields);
    }
  }
}

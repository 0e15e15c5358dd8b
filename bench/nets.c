/* SPDX-License-Identifier: MIT */
/* Nets and lattices: a step against one factorization and solve by MUMPS; and on all kinds of
 * problems the solver "auto" takes against the best one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static const double MILLI = 1e3;

typedef struct {
  const char *name;
  int size;
  long steps[2];       /* of index3, stab2 */
  const char *keys[2]; /* of their ratios */
  int repeats;
} net_case;

/* CPU seconds per step with the problem's own h; infinite if a step failed. stats may be NULL. */
static double step_time(const bench_problem *b, const char *method, const char *solver, long steps,
                        ga_stats *stats) {
  double time = bench_genalpha_steps(b, method, solver, b->p->h, steps, 1, stats);
  return time < 0 ? INFINITY : time;
}

/* Reports one row: seconds per step, also over `floor`, and counts per step (stats NULL: none). */
static void net_row(bench_report *report, const bench_problem *b, const char *what, double seconds,
                    double floor, const ga_stats *stats) {
  double count = stats ? (double)stats->steps : NAN;
  const bench_field fields[] = {
      BENCH_TEXT("problem", b->label),
      BENCH_TEXT("method", what),
      BENCH_NUMBER("rows", b->nv + b->nlam),
      BENCH_NUMBER("ms/step", MILLI * seconds),
      BENCH_NUMBER("over MUMPS", seconds / floor),
      BENCH_NUMBER("Newton", stats ? (double)stats->newton_its / count : NAN),
      BENCH_NUMBER("matrices", stats ? (double)stats->matrices / count : NAN),
      BENCH_END};
  bench_report_row(report, "nets", fields);
}

/* Times MUMPS alone and steps of index3 and stab2 in turn; reports the least times and the two
 * ratios. */
static void net_problem(bench_report *report, const net_case *c) {
  static const char *const methods[] = {"index3", "stab2"};
  static const double targets[] = {2, 3.5};
  double floor = INFINITY, best[2] = {INFINITY, INFINITY};
  ga_stats stats[2];
  bench_problem *b = bench_problem_new(c->name, c->size);
  if (!b) return;
  for (int r = 0; r < c->repeats; r++) {
    floor = fmin(floor, bench_floor_mumps(b, b->p->h, 3));
    for (int m = 0; m < 2; m++) {
      best[m] = fmin(best[m], step_time(b, methods[m], "auto", c->steps[m], &stats[m]));
    }
  }
  net_row(report, b, "MUMPS", floor, floor, NULL);
  for (int m = 0; m < 2; m++) {
    net_row(report, b, methods[m], best[m], floor, &stats[m]);
    bench_report_ratio(report, c->keys[m], best[m] / floor, targets[m]);
  }
  bench_problem_free(b);
}

/* Nets and lattices of several sizes. */
void bench_part_nets(bench_report *report) {
  static const net_case cases[] = {
      {"net", 32, {200, 200}, {"net32_index3_over_mumps", "net32_stab2_over_mumps"}, 3},
      {"net", 64, {60, 60}, {"net64_index3_over_mumps", "net64_stab2_over_mumps"}, 2},
      {"net", 100, {30, 30}, {"net100_index3_over_mumps", "net100_stab2_over_mumps"}, 2},
      {"lattice", 10, {100, 100}, {"lattice10_index3_over_mumps", "lattice10_stab2_over_mumps"}, 2},
      {"lattice", 16, {40, 40}, {"lattice16_index3_over_mumps", "lattice16_stab2_over_mumps"}, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) net_problem(report, &cases[i]);
}

/* True if the solver is built in and would not take minutes on this problem. */
static bool worth_trying(const bench_problem *b, const char *solver) {
  if (strcmp(solver, "dense") == 0 && b->nv + b->nlam > 300) return false;
  if (strcmp(solver, "klu") == 0 && strcmp(b->p->name, "chain") != 0 && b->nv > 1200) return false;
  for (int i = 0; ga_linsol_name(i); i++) {
    if (strcmp(ga_linsol_name(i), solver) == 0) return true;
  }
  return false;
}

/* Reports the least time per step with each solver and with "auto"; returns auto over the best one,
 * infinite if auto failed. */
static double solver_row(bench_report *report, const bench_problem *b, const char *method,
                         long steps) {
  static const char *const names[] = {"dense", "klu", "mumps", "weak-entries"};
  double best = INFINITY, automatic = INFINITY, of[4] = {NAN, NAN, NAN, NAN};
  int rounds = b->nv < 100 ? 12 : 3; /* short ones suffer more from a busy moment */
  for (int r = 0; r < rounds; r++) {
    automatic = fmin(automatic, step_time(b, method, "auto", steps, NULL));
    for (int i = 0; i < 4; i++) {
      if (!worth_trying(b, names[i])) continue;
      double now = step_time(b, method, names[i], steps, NULL);
      of[i] = fmin(isnan(of[i]) ? INFINITY : of[i], now);
      best = fmin(best, now);
    }
  }
  const bench_field fields[] = {BENCH_TEXT("problem", b->label),
                                BENCH_TEXT("method", method),
                                BENCH_NUMBER("dense, ms", MILLI * of[0]),
                                BENCH_NUMBER("klu, ms", MILLI * of[1]),
                                BENCH_NUMBER("mumps, ms", MILLI * of[2]),
                                BENCH_NUMBER("weak-entries, ms", MILLI * of[3]),
                                BENCH_NUMBER("auto, ms", MILLI * automatic),
                                BENCH_NUMBER("auto over best", automatic / best),
                                BENCH_END};
  bench_report_row(report, "linear solvers", fields);
  return isfinite(automatic) ? automatic / best : INFINITY;
}

/* All problems with index3 and stab2; reports the worst ratio of "auto" to the best solver. */
void bench_part_solvers(bench_report *report) {
  static const struct {
    const char *name;
    int size;
    long steps;
  } cases[] = {{"heavy-top", 0, 300},
               {"slider-crank", 0, 300},
               {"andrews", 0, 300},
               {"andrews-absolute", 0, 300},
               {"heavy-top-se3", 0, 300},
               {"pendulum-spring", 0, 300},
               {"rolling-disk", 0, 300},
               {"jay-nonholonomic", 0, 90},
               {"jay-negrut-hht", 0, 90},
               {"rheonomic", 0, 300},
               {"oscillator", 0, 300},
               {"chain", 2, 300},
               {"chain", 3, 300},
               {"chain", 10, 300},
               {"chain", 100, 200},
               {"chain", 1000, 50},
               {"net", 2, 200},
               {"net", 3, 200},
               {"net", 4, 200},
               {"net", 6, 100},
               {"net", 8, 60},
               {"net", 10, 50},
               {"net", 12, 30},
               {"net", 16, 20},
               {"net", 24, 10},
               {"lattice", 2, 200},
               {"lattice", 3, 100},
               {"lattice", 4, 50},
               {"lattice", 5, 30},
               {"lattice", 6, 10},
               {"lattice", 8, 5}};
  double worst = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bench_problem *b = bench_problem_new(cases[i].name, cases[i].size);
    if (!b) return;
    worst = fmax(worst, solver_row(report, b, "index3", cases[i].steps));
    worst = fmax(worst, solver_row(report, b, "stab2", cases[i].steps));
    bench_problem_free(b);
  }
  bench_report_ratio(report, "auto_over_best_solver", worst, 1.2);
}

/* SPDX-License-Identifier: MIT */
/* automatic_steps [--method M] [--only NAME,..] [--rtols R,..] [--table FILE.csv] [--h-max F]
 *                 [--times N] [--repeats N] [--span F] [--references DIR] [--no-fixed]
 *                 [DIRECTORY..]
 *
 * --h-max is a fraction of the span; 1, the default, is no limit: the controller alone is measured.
 * The library's own limit would be 1/100 of the way to the first common time. Models of prescribed
 * motion tell more with --times 1, where no common time ends a long step.
 *
 * Prints what automatic.h says of all problems, of the files in models/ and of those in the
 * directories given. References are kept beside the program. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "summary.h"

#ifndef BENCH_MODELS
#define BENCH_MODELS "models"
#endif

enum { MOST_RTOLS = 32, MOST_FIXED = 24, MOST_DIRECTORIES = 16 };
#define LONGEST_FIXED 5.0 /* seconds of a run with fixed steps after which there is no finer one */

typedef struct {
  run_settings run;
  const char *only, *references;
  double rtol[MOST_RTOLS], span;
  int nrtol;
  bool fixed;
  FILE *table;
  const char *directories[MOST_DIRECTORIES];
  int ndirectories;
} settings;

/* Is `label` in the list of names? An empty list has all. */
static bool is_wanted(const char *label, const char *names) {
  if (!names) return true;
  const size_t length = strlen(label);
  for (const char *p = names; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
    if (strncmp(p, label, length) == 0 && (p[length] == ',' || p[length] == 0)) return true;
  }
  return false;
}

static void table_row(FILE *table, const measured_case *c, const char *steps, const char *method,
                      const run_result *r, const run_result *fixed, int nfixed) {
  if (!table) return;
  const double error = fmax(r->error.of[OF_Q], r->error.of[OF_V]);
  fprintf(table, "%s,%s,%s,%g,%d,%.4g,%.4g,%.4g,%ld,%ld,%ld,%ld,%ld,%.4g,%.6g,%.3g,%.3g,\"%s\"\n",
          c->label, method, steps, r->setting, r->good, r->good ? r->error.of[OF_Q] : NAN,
          r->good ? r->error.of[OF_V] : NAN, r->good ? r->error.of[OF_F] : NAN, r->stats.steps,
          r->stats.rejected, r->stats.residuals, r->stats.matrices, r->stats.newton_its,
          run_work(r), r->seconds,
          r->good ? r->seconds / cost_of_fixed(fixed, nfixed, error, run_seconds) : NAN,
          r->good ? run_work(r) / cost_of_fixed(fixed, nfixed, error, run_work) : NAN, r->message);
  fflush(table);
}

/* Fixed steps, halved until their error is below the least of the automatic runs. */
static int run_fixed(const settings *s, measured_case *c, const trajectory *reference, double goal,
                     run_result *fixed) {
  int n = 0;
  for (long steps = s->run.times; n < MOST_FIXED; steps *= 2) {
    fixed[n] = run_case(c, &s->run, 0, steps, reference);
    const run_result *r = &fixed[n++];
    if (r->good && fmax(r->error.of[OF_Q], r->error.of[OF_V]) < goal) break;
    if (r->good && r->seconds > LONGEST_FIXED) break;
  }
  return n;
}

static case_summary measure(const settings *s, measured_case *c, const trajectory *reference,
                            const errors *accuracy) {
  run_result runs[MOST_RTOLS], fixed[MOST_FIXED];
  double least = INFINITY;
  int nfixed = 0;
  for (int i = 0; i < s->nrtol; i++) {
    runs[i] = run_case(c, &s->run, s->rtol[i], 0, reference);
    if (!runs[i].good) printf("  %s, rtol %g: %s\n", c->label, s->rtol[i], runs[i].message);
    const double error = fmax(runs[i].error.of[OF_Q], runs[i].error.of[OF_V]);
    if (runs[i].good && error > 0) least = fmin(least, error);
  }
  least = fmax(least, 20 * fmax(accuracy->of[OF_Q], accuracy->of[OF_V]));
  if (s->fixed && !c->driven) nfixed = run_fixed(s, c, reference, least, fixed);
  for (int i = 0; i < s->nrtol; i++) {
    table_row(s->table, c, "automatic", s->run.method, &runs[i], fixed, nfixed);
  }
  for (int i = 0; i < nfixed; i++) {
    table_row(s->table, c, "fixed", s->run.method, &fixed[i], fixed, 0);
  }
  return summarize(c, runs, s->nrtol, fixed, nfixed, accuracy);
}

static void print_summary(const measured_case *c, const case_summary *s, const errors *accuracy) {
  printf("%-28s %5.2f %5.2f %5.2f  %6.2f %6.2f %6.2f  %8.2g %8.2g %8.2g  %5.2f %5.2f  %7.0e",
         c->label, s->slope[OF_Q], s->slope[OF_V], s->slope[OF_F], s->spread[OF_Q], s->spread[OF_V],
         s->spread[OF_F], s->mean[OF_Q], s->mean[OF_V], s->mean[OF_F], s->cost_seconds,
         s->cost_work,
         fmax(fmax(accuracy->of[OF_Q], accuracy->of[OF_V]),
              isnan(accuracy->of[OF_F]) ? 0 : accuracy->of[OF_F]));
  if (s->failed) printf("  %d runs FAILED", s->failed);
  if (s->driven) printf("  driven: q within %.2g rtol, forces %.2g rtol", s->worst_q, s->worst_f);
  if (c->note) printf("  %.1f s: %s", c->span, c->note);
  putchar('\n');
  fflush(stdout);
}

/* Numbers of a list "1e-2,1e-3". */
static int read_list(const char *text, double *x) {
  int n = 0;
  for (const char *p = text; p && n < MOST_RTOLS; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
    x[n++] = strtod(p, NULL);
  }
  return n;
}

static bool read_arguments(int argc, char **argv, settings *s) {
  for (int i = 1; i < argc; i++) {
    const char *key = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(key, "--no-fixed") == 0) {
      s->fixed = false;
      continue;
    }
    if (key[0] != '-') {
      if (s->ndirectories < MOST_DIRECTORIES) s->directories[s->ndirectories++] = key;
      continue;
    }
    i++;
    if (strcmp(key, "--method") == 0)
      s->run.method = value;
    else if (strcmp(key, "--only") == 0)
      s->only = value;
    else if (strcmp(key, "--rtols") == 0)
      s->nrtol = read_list(value, s->rtol);
    else if (strcmp(key, "--table") == 0)
      s->table = fopen(value, "w");
    else if (strcmp(key, "--h-max") == 0)
      s->run.h_max = strtod(value, NULL);
    else if (strcmp(key, "--times") == 0)
      s->run.times = atoi(value);
    else if (strcmp(key, "--repeats") == 0)
      s->run.repeats = atoi(value);
    else if (strcmp(key, "--span") == 0)
      s->span = strtod(value, NULL);
    else if (strcmp(key, "--references") == 0)
      s->references = value;
    else {
      fprintf(stderr, "automatic_steps: unknown option %s\n", key);
      return false;
    }
  }
  return true;
}

int main(int argc, char **argv) {
  char path[4096];
  settings s = {.run = {.method = "stab2", .h_max = 1, .times = 16, .repeats = 5},
                .rtol = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7},
                .nrtol = 6,
                .span = 1,
                .fixed = true,
                .directories = {BENCH_MODELS},
                .ndirectories = 1};
  s.references = reference_directory(path, sizeof path);
  if (!read_arguments(argc, argv, &s)) return 2;
  case_list *list = case_list_new(s.directories, s.ndirectories);
  case_summary *all = bench_take((size_t)case_list_size(list), sizeof *all);
  int n = 0;
  if (s.table) {
    fprintf(s.table,
            "case,method,steps,setting,good,error q,error v,error forces,steps,rejected,"
            "residuals,matrices,newton_its,work,seconds,cost,cost in work,message\n");
  }
  printf("%s; work = residuals + %g matrices + %g solves\n", s.run.method, WORK_MATRIX, WORK_SOLVE);
  printf(
      "%-28s %17s  %20s  %26s  %11s  %7s\n%-28s %5s %5s %5s  %6s %6s %6s  %8s %8s %8s  %5s %5s\n",
      "", "slope", "spread of error/rtol", "mean error/rtol", "cost/fixed", "ref.", "case", "q",
      "v", "f", "q", "v", "f", "q", "v", "f", "CPU", "work");
  for (int i = 0; i < case_list_size(list); i++) {
    if (!is_wanted(case_list_label(list, i), s.only)) continue;
    measured_case *c = case_open(list, i, s.span);
    trajectory reference;
    errors accuracy = {{0, 0, 0}};
    if (c && reference_get(c, s.references, s.run.times, &reference, &accuracy)) {
      all[n] = measure(&s, c, &reference, &accuracy);
      print_summary(c, &all[n++], &accuracy);
      trajectory_free(&reference);
    }
    case_close(c);
  }
  summarize_all(all, n, stdout);
  if (s.table) fclose(s.table);
  free(all);
  case_list_free(list);
  return 0;
}

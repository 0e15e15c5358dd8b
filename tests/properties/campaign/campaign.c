/* SPDX-License-Identifier: MIT */
/* The campaign: thousands of hard runs, every accepted step judged by the checker.
 *     campaign [--grid] [--pendulum] [--friction N] [--random N] [--seed S] [--only I] [--verbose]
 *              [--record FILE] [--against FILE]
 * Without a choice: the grid, the spring pendulum, 1000 runs with friction, 10000 random models.
 * --only I repeats one run of the chosen campaign. --record writes one line "index passed" for each
 * run; --against reads such a file of another library and tells how many of its failures pass now.
 * The exit status is 1 if a wrong step was accepted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

enum { SHOWN = 12 };

typedef struct settings {
  bool grid, pendulum, verbose;
  int friction, random, only;
  uint64_t seed;
  const char *record, *against;
} settings;

typedef struct tally {
  long runs, passed, failed, steps, wrong_starts;
  long strict_runs, wrong_runs, wrong_ok, gross_runs, gross_ok;
  long status[64], fault[FAULT_COUNT], strict, reach[REACH_COUNT], solvable;
  double position;
  long old_failures, mended, broken;
} tally;

static void show(const char *what, int index, const hard_model *m, const hard_outcome *o) {
  char text[256];
  hard_describe(m, text, sizeof text);
  printf("  %s %d: %s: %s after %ld steps", what, index, text, ga_status_name(o->status), o->steps);
  if (o->wrong > 0) {
    printf(
        "; %ld wrong (%ld gross), first at t = %.10g: %s, row %d, |r| %.2g = %.2g of terms, %.2g "
        "times the bound",
        o->wrong, o->gross, o->t_wrong, hard_fault_name(o->worst.fault), o->worst.row,
        o->worst.error, o->worst.imbalance, o->worst.ratio);
  }
  if (o->strict > o->wrong) printf("; %ld above the first bound", o->strict);
  if (o->wrong_start) printf("; start is wrong (%s)", hard_fault_name(o->start.fault));
  printf("%s%s\n", o->text[0] ? "\n    " : "", o->text);
}

static void count(tally *t, const hard_outcome *o) {
  t->runs++;
  t->steps += o->steps;
  t->status[(int)o->status + 32]++;
  t->strict_runs += o->strict > 0;
  t->strict += o->strict;
  for (int c = 0; c < REACH_COUNT; c++) t->reach[c] += o->reach[c];
  t->solvable += o->solvable;
  t->wrong_starts += o->wrong_start;
  if (o->position > t->position) t->position = o->position;
  if (hard_passed(o)) {
    t->passed++;
  } else {
    t->failed++;
  }
  t->gross_runs += o->gross > 0;
  t->gross_ok += o->gross > 0 && o->status == GA_OK;
  if (o->wrong > 0) {
    t->wrong_runs++;
    t->wrong_ok += o->status == GA_OK;
    t->fault[o->worst.fault]++;
  }
}

static void report(const char *what, const tally *t) {
  printf("%s: %ld runs, %ld steps\n", what, t->runs, t->steps);
  printf(
      "  runs with a wrong accepted step %ld (%ld end with GA_OK), a grossly wrong one %ld (%ld),"
      " one above the first bound %ld; wrong starts %ld\n",
      t->wrong_runs, t->wrong_ok, t->gross_runs, t->gross_ok, t->strict_runs, t->wrong_starts);
  printf("  %ld runs passed, %ld not; largest |g| / (|G| |q|) %.2g; ends:", t->passed, t->failed,
         t->position);
  for (int s = 0; s < 64; s++) {
    if (t->status[s] > 0) printf(" %s %ld", ga_status_name((ga_status)(s - 32)), t->status[s]);
  }
  printf("; faults:");
  for (int f = 1; f < FAULT_COUNT; f++) {
    if (t->fault[f] > 0) printf(" %s %ld", hard_fault_name((hard_fault)f), t->fault[f]);
  }
  printf("\n");
  if (t->strict == 0) return;
  printf(
      "  steps above the first bound %ld: %ld underflow, %ld are within it by the forces that the "
      "callbacks return, %ld have no v' in double that meets it, %ld may have one (of "
      "both, %ld have a solution that, rounded once, meets it), %ld are not decided\n",
      t->strict, t->reach[REACH_UNDERFLOW], t->reach[REACH_CALLBACK], t->reach[REACH_NONE],
      t->reach[REACH_SOME], t->solvable, t->reach[REACH_UNKNOWN]);
}

static bool make(const char *what, hard_model *m, const settings *s, int index) {
  if (strcmp(what, "grid") == 0) return hard_grid(m, index);
  if (strcmp(what, "pendulum") == 0) return hard_pendulum(m, index);
  if (strcmp(what, "friction") == 0) hard_friction(m, s->seed, index);
  if (strcmp(what, "random") == 0) hard_random(m, s->seed, index);
  return true;
}

/* compare a run with the same run of another library */
static void compare(FILE *against, tally *t, int index, const hard_outcome *o) {
  int old, passed;
  if (!against || fscanf(against, "%d %d", &old, &passed) != 2 || old != index) return;
  t->old_failures += !passed;
  t->mended += !passed && hard_passed(o);
  t->broken += passed && !hard_passed(o);
}

static long campaign(const char *what, int runs, const settings *s) {
  static hard_model m;
  tally t = {0};
  int shown = 0;
  FILE *record = s->record ? fopen(s->record, "w") : NULL;
  FILE *against = s->against ? fopen(s->against, "r") : NULL;
  for (int i = s->only >= 0 ? s->only : 0; i < runs && make(what, &m, s, i); i++) {
    hard_outcome o = hard_run(&m);
    count(&t, &o);
    compare(against, &t, i, &o);
    if (record) fprintf(record, "%d %d\n", i, hard_passed(&o));
    bool wrong = o.wrong > 0 || o.wrong_start;
    if (s->verbose || s->only >= 0 || (wrong && shown++ < SHOWN)) show(what, i, &m, &o);
    if (s->only >= 0) break;
  }
  report(what, &t);
  if (against) {
    printf("  of %ld earlier failures %ld pass now; %ld runs that passed fail now\n",
           t.old_failures, t.mended, t.broken);
    fclose(against);
  }
  if (record) fclose(record);
  return t.wrong_runs;
}

static bool read_settings(int argc, char **argv, settings *s) {
  for (int i = 1; i < argc; i++) {
    const char *key = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp(key, "--grid") == 0) {
      s->grid = true;
      continue;
    }
    if (strcmp(key, "--pendulum") == 0) {
      s->pendulum = true;
      continue;
    }
    if (strcmp(key, "--verbose") == 0) {
      s->verbose = true;
      continue;
    }
    if (!value) return false;
    i++;
    if (strcmp(key, "--friction") == 0) {
      s->friction = atoi(value);
    } else if (strcmp(key, "--random") == 0) {
      s->random = atoi(value);
    } else if (strcmp(key, "--seed") == 0) {
      s->seed = strtoull(value, NULL, 0);
    } else if (strcmp(key, "--only") == 0) {
      s->only = atoi(value);
    } else if (strcmp(key, "--record") == 0) {
      s->record = value;
    } else if (strcmp(key, "--against") == 0) {
      s->against = value;
    } else {
      return false;
    }
  }
  return true;
}

int main(int argc, char **argv) {
  settings s = {.only = -1, .seed = 20260};
  if (!read_settings(argc, argv, &s)) {
    fprintf(stderr,
            "usage: %s [--grid] [--pendulum] [--friction N] [--random N] [--seed S] [--only I]"
            " [--verbose] [--record FILE] [--against FILE]\n",
            argv[0]);
    return 2;
  }
  if (!s.grid && !s.pendulum && s.friction == 0 && s.random == 0) {
    s.grid = s.pendulum = true;
    s.friction = 1000;
    s.random = 10000;
  }
  printf("seed %llu\n", (unsigned long long)s.seed);
  long wrong = 0;
  if (s.grid) wrong += campaign("grid", 1 << 20, &s);
  if (s.pendulum) wrong += campaign("pendulum", 1 << 20, &s);
  if (s.friction > 0) wrong += campaign("friction", s.friction, &s);
  if (s.random > 0) wrong += campaign("random", s.random, &s);
  return wrong > 0;
}

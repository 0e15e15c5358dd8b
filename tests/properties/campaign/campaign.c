/* SPDX-License-Identifier: MIT */
/* The campaign: thousands of hard runs, every accepted step judged by the checker.
 *     campaign [--grid] [--pendulum] [--friction N] [--random N] [--linear N] [--mechanisms N]
 *              [--coordinates N] [--seed S] [--only I] [--verbose] [--record FILE] [--against FILE]
 * Without a choice: the grid, the spring pendulum, 1000 runs with friction, 10000 random models, 500
 * linear structures, 500 mechanisms with all linear solvers, 500 in both coordinates. --only I repeats one run of the chosen
 * campaign. --record writes one line "index passed" for each run; --against reads such a file of
 * another library and tells how many of its failures pass now. The exit status is 1 if a wrong step
 * was accepted, or solvers or coordinates disagree. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinates.h"
#include "motion.h"
#include "run.h"
#include "structure.h"

enum { SHOWN = 12 };

typedef struct settings {
  bool grid, pendulum, verbose;
  int friction, random, linear, mechanisms, coordinates, only;
  uint64_t seed;
  const char *record, *against;
} settings;

typedef struct tally {
  long runs, passed, failed, steps, wrong, rounded, no_root, skipped;
  long wrong_runs, wrong_ok, status[64], fault[FAULT_COUNT];
  long old_failures, mended, broken;
} tally;

static void show(const char *what, int index, const hard_model *m, const hard_outcome *o) {
  char text[256];
  hard_describe(m, text, sizeof text);
  printf("  %s %d: %s: %s after %ld steps", what, index, text, ga_status_name(o->status), o->steps);
  if (o->wrong > 0) {
    printf(
        "; %ld wrong, first at t = %.10g: %s, row %d, error %.2g = %.2g of the scale, %.2g times"
        " the bound%s",
        o->wrong, o->t_wrong, hard_fault_name(o->worst.fault), o->worst.row, o->worst.error,
        o->worst.relative, o->worst.ratio, o->worst.no_root ? ", no root" : "");
  }
  printf("; %ld by rounding, %ld without a root", o->rounded, o->no_root);
  printf("%s%s\n", o->text[0] ? "\n    " : "", o->text);
}

static void count(tally *t, const hard_outcome *o) {
  t->runs++;
  t->steps += o->steps;
  t->wrong += o->wrong;
  t->rounded += o->rounded;
  t->no_root += o->no_root;
  t->skipped += o->skipped;
  t->status[(int)o->status + 32]++;
  if (hard_passed(o)) {
    t->passed++;
  } else {
    t->failed++;
  }
  if (o->wrong > 0) {
    t->wrong_runs++;
    t->wrong_ok += o->status == GA_OK;
    t->fault[o->worst.fault]++;
  }
}

static void report(const char *what, const tally *t) {
  printf("%s: %ld runs, %ld passed, %ld not; %ld accepted steps\n", what, t->runs, t->passed,
         t->failed, t->steps);
  printf(
      "  forward-wrong steps %ld, in %ld runs (%ld end with GA_OK); steps above 1e-8 by rounding"
      " %ld, judged without a root %ld, not judged %ld\n",
      t->wrong, t->wrong_runs, t->wrong_ok, t->rounded, t->no_root, t->skipped);
  printf("  ends:");
  for (int s = 0; s < 64; s++) {
    if (t->status[s] > 0) printf(" %s %ld", ga_status_name((ga_status)(s - 32)), t->status[s]);
  }
  printf("; faults:");
  for (int f = 1; f < FAULT_COUNT; f++) {
    if (t->fault[f] > 0) printf(" %s %ld", hard_fault_name((hard_fault)f), t->fault[f]);
  }
  printf("\n");
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
    if (s->verbose || s->only >= 0 || (o.wrong > 0 && shown++ < SHOWN)) show(what, i, &m, &o);
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

static void show_structure(int index, const hard_structure *m, const hard_structure_outcome *o) {
  printf(
      "  linear %d: %s, %s, %s (%s), h %.3g, rho %.3g, rtol %.3g: %s after %ld steps, %ld solves",
      index, m->name, m->method, m->linsol, o->linsol, m->h, m->rho, m->rtol,
      ga_status_name(o->status), o->steps, o->solves);
  if (o->wrong > 0) {
    printf("; %ld wrong, first at t = %.10g: %s, %.2g of the scale, %.2g times the bound", o->wrong,
           o->t_wrong, o->what, o->relative, o->ratio);
  }
  printf("%s%s\n", o->text[0] ? "\n    " : "", o->text);
}

/* The linear structures; the result is the number of runs with wrong steps. */
static long structures(const settings *s) {
  tally t = {0};
  long more = 0;
  int shown = 0;
  FILE *record = s->record ? fopen(s->record, "w") : NULL;
  for (int i = s->only >= 0 ? s->only : 0; i < s->linear; i++) {
    hard_structure m;
    if (!hard_structure_make(&m, s->seed, i)) return 1;
    hard_structure_outcome o = hard_structure_run(&m, NULL);
    bool passed = hard_structure_passed(&o), one = hard_structure_one_iteration(&m, &o);
    t.runs++;
    t.passed += passed;
    t.failed += !passed;
    t.steps += o.steps;
    t.wrong += o.wrong;
    t.wrong_runs += o.wrong > 0;
    t.wrong_ok += o.wrong > 0 && o.status == GA_OK;
    t.rounded += o.rounded;
    t.status[(int)o.status + 32]++;
    more += !one;
    if (record) fprintf(record, "%d %d\n", i, passed);
    if (s->verbose || s->only >= 0 || ((!passed || !one) && shown++ < SHOWN))
      show_structure(i, &m, &o);
    hard_structure_free(&m);
    if (s->only >= 0) break;
  }
  if (record) fclose(record);
  report("linear", &t);
  printf("  runs with more than one iteration a step: %ld\n", more);
  return t.wrong_runs;
}

/* Random mechanisms with all solvers and in another order; the result is how many disagree. */
static long mechanisms(const settings *s) {
  long failed = 0, chaotic = 0, wrong = 0;
  double worst = 0;
  for (int i = s->only >= 0 ? s->only : 0; i < s->mechanisms; i++) {
    hard_agreement a = hard_solvers_agree(s->seed, i);
    bool sensitive = a.sensitivity > 1e-10, apart = !sensitive && !(a.apart <= 1e-9);
    failed += a.status != GA_OK;
    chaotic += sensitive;
    wrong += apart && a.status == GA_OK;
    if (!sensitive && a.apart > worst) worst = a.apart;
    if (s->verbose || s->only >= 0 || apart || a.status != GA_OK) {
      printf("  mechanisms %d: %s, %.2g apart (%s), sensitivity %.2g %s\n", i,
             ga_status_name(a.status), a.apart, a.with, a.sensitivity, a.text);
    }
    if (s->only >= 0) break;
  }
  printf(
      "mechanisms: %d, %ld disagree by more than 1e-9, largest %.2g; %ld fail, %ld too sensitive\n",
      s->mechanisms, wrong, worst, failed, chaotic);
  return wrong;
}

/* Random mechanisms in both coordinates; the result is how many disagree, or run in one alone. */
static long coordinates(const settings *s) {
  static const char *const meeting[] = {"meet", "apart", "one fails", "neither runs", "refused"};
  static const char *const methods[] = {"stab2", "index3"};
  long count[5] = {0}, reactions = 0;
  for (int i = s->only >= 0 ? s->only : 0; i < s->coordinates; i++) {
    char *text = hard_coordinates_text(s->seed, i);
    if (s->only >= 0) printf("%s", text);
    for (int k = 0; k < 2; k++) {
      hard_comparison c = hard_compare_coordinates("random", text, methods[k], 4e-3, 0.16);
      count[c.meeting]++;
      reactions += c.meeting == HARD_MEET && c.reactions;
      if (!s->verbose && s->only < 0 && (c.meeting == HARD_MEET || c.meeting == HARD_REFUSED)) {
        continue;
      }
      printf("  coordinates %d, %s: %s %s\n", i, methods[k], meeting[c.meeting], c.text);
      hard_print_comparison(&c);
    }
    free(text);
    if (s->only >= 0) break;
  }
  printf("coordinates: %d, runs in both:", s->coordinates);
  for (int k = 0; k < 5; k++) printf(" %ld %s%s", count[k], meeting[k], k < 4 ? "," : "");
  printf("; forces of joints compared in %ld\n", reactions);
  return count[HARD_APART] + count[HARD_ONE_FAILS];
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
    } else if (strcmp(key, "--linear") == 0) {
      s->linear = atoi(value);
    } else if (strcmp(key, "--mechanisms") == 0) {
      s->mechanisms = atoi(value);
    } else if (strcmp(key, "--coordinates") == 0) {
      s->coordinates = atoi(value);
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
            "usage: %s [--grid] [--pendulum] [--friction N] [--random N] [--linear N] "
            "[--mechanisms N] [--coordinates N] [--seed S] "
            "[--only I]"
            " [--verbose] [--record FILE] [--against FILE]\n",
            argv[0]);
    return 2;
  }
  if (!s.grid && !s.pendulum && s.friction == 0 && s.random == 0 && s.linear == 0 &&
      s.mechanisms == 0 && s.coordinates == 0) {
    s.grid = s.pendulum = true;
    s.friction = 1000;
    s.random = 10000;
    s.linear = s.mechanisms = s.coordinates = 500;
  }
  printf("seed %llu\n", (unsigned long long)s.seed);
  long wrong = 0;
  if (s.grid) wrong += campaign("grid", 1 << 20, &s);
  if (s.pendulum) wrong += campaign("pendulum", 1 << 20, &s);
  if (s.friction > 0) wrong += campaign("friction", s.friction, &s);
  if (s.random > 0) wrong += campaign("random", s.random, &s);
  if (s.linear > 0) wrong += structures(&s);
  if (s.mechanisms > 0) wrong += mechanisms(&s);
  if (s.coordinates > 0) wrong += coordinates(&s);
  return wrong > 0;
}

/* SPDX-License-Identifier: MIT */
/* References: fixed steps, extrapolated to order 5, halved until two results agree. They are kept
 * in files, one for each case, whose first line has the hash of what the reference depends on. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "automatic.h"
#include "bench/bench.h"

enum { LEVELS = 3, FIRST_STEPS = 4, MOST_STEPS = 1 << 14 }; /* largest steps per common time */
#define GOAL 1e-10   /* error of a reference that is good enough */
#define LONGEST 40.0 /* seconds of a result after which no finer one is computed */
#define HALVING 16.0 /* at least, by which an error falls; order 5 promises 32 */

/* The states of one extrapolated run; GA_OK, or the status with a message in text. */
static ga_status extrapolate(measured_case *c, ga_extrapolate_multipliers multipliers, int steps,
                             trajectory *x, char *text, size_t room) {
  ga_options o = c->options;
  ga_extrapolator *run = NULL;
  ga_error err = {0};
  o.method = "stab2";
  o.newton_tol = 1e-13;
  o.rtol = o.atol = 0;
  o.h = c->span / ((double)steps * x->n);
  ga_status status = ga_extrapolator_new(c->model, &o, LEVELS, &run, &err);
  if (status == GA_OK) {
    ga_extrapolator_set_multipliers(run, multipliers);
    status = ga_extrapolator_start(run, c->t0, c->q0, c->v0);
  }
  for (int i = 0; i <= x->n && status == GA_OK; i++) {
    if (i > 0) status = ga_extrapolator_run(run, common_time(c, x->n, i));
    if (status != GA_OK) break;
    if (!trajectory_put(c, x, i, &ga_extrapolator_state(run)->state)) status = GA_ERR_MODEL;
  }
  if (status != GA_OK) {
    snprintf(text, room, "%s", run ? ga_extrapolator_error(run)->text : err.text);
  }
  ga_extrapolator_free(run);
  return status;
}

/* The largest of the errors that exist. */
static double largest(const errors *e) {
  double most = 0;
  for (int j = 0; j < VARIABLES; j++) most = isnan(e->of[j]) ? most : fmax(most, e->of[j]);
  return most;
}

static errors divided(errors e, double by) {
  for (int j = 0; j < VARIABLES; j++) e.of[j] /= by;
  return e;
}

/* Halves the steps until the result no longer changes. Multipliers are those of the equations of
 * motion where these have one solution, else extrapolated. */
static bool compute(measured_case *c, trajectory *best, errors *accuracy) {
  ga_extrapolate_multipliers multipliers = GA_MULTIPLIERS_CONSISTENT;
  trajectory x = trajectory_new(c, best->n), before = trajectory_new(c, best->n);
  bool have_before = false, found = false;
  char text[512] = "";
  errors last = {{INFINITY, INFINITY, INFINITY}};
  for (int steps = FIRST_STEPS; steps <= MOST_STEPS; steps *= 2) {
    const double start = bench_clock();
    ga_status status = extrapolate(c, multipliers, steps, &x, text, sizeof text);
    if (status != GA_OK && multipliers == GA_MULTIPLIERS_CONSISTENT) {
      status = extrapolate(c, GA_MULTIPLIERS_EXTRAPOLATED, steps, &x, text, sizeof text);
      if (status == GA_OK) multipliers = GA_MULTIPLIERS_EXTRAPOLATED;
    }
    if (status != GA_OK) {
      have_before = false;
      continue;
    }
    if (have_before) {
      const errors difference = trajectory_errors(c, &x, &before);
      const errors now =
          largest(&difference) < largest(&last) / 4 ? divided(difference, HALVING) : difference;
      last = difference;
      if (!found || largest(&now) < largest(accuracy)) {
        found = true;
        *accuracy = now;
        trajectory_copy(c, &x, best);
      } else if (largest(accuracy) < 1e-7) {
        break; /* rounding */
      }
      if (largest(accuracy) < GOAL) break;
    }
    have_before = true;
    const trajectory swap = before;
    before = x;
    x = swap;
    if (bench_clock() - start > LONGEST) break;
  }
  if (!found) fprintf(stderr, "automatic_steps: %s: no reference: %s\n", c->label, text);
  trajectory_free(&x);
  trajectory_free(&before);
  return found;
}

/* Writes or reads n numbers, exactly; false if the file ends. */
static bool transfer(FILE *f, bool write, int n, double *x) {
  for (int i = 0; i < n; i++) {
    if (write ? fprintf(f, "%a\n", x[i]) < 0 : fscanf(f, "%la", &x[i]) != 1) return false;
  }
  return true;
}

static bool transfer_all(const measured_case *c, FILE *f, bool write, trajectory *x,
                         errors *accuracy) {
  return transfer(f, write, VARIABLES, accuracy->of) &&
         transfer(f, write, (x->n + 1) * c->nq, x->q) &&
         transfer(f, write, (x->n + 1) * c->nv, x->v) &&
         transfer(f, write, (x->n + 1) * c->nv, x->f);
}

bool reference_get(measured_case *c, const char *directory, int n, trajectory *x,
                   errors *accuracy) {
  char path[2048], name[64];
  snprintf(name, sizeof name, "%s", c->label);
  for (char *p = name; *p; p++) *p = *p == '/' ? '_' : *p;
  snprintf(path, sizeof path, "%s/%s-%d.txt", directory, name, n);
  *x = trajectory_new(c, n);
  FILE *f = fopen(path, "r");
  unsigned long long hash = 0;
  bool good = f && fscanf(f, "%llx", &hash) == 1 && hash == c->hash &&
              transfer_all(c, f, false, x, accuracy);
  if (f) fclose(f);
  if (good) return true;
  good = compute(c, x, accuracy);
  f = good ? fopen(path, "w") : NULL;
  if (f) {
    fprintf(f, "%llx\n", c->hash);
    transfer_all(c, f, true, x, accuracy);
    fclose(f);
  }
  if (!good) trajectory_free(x);
  return good;
}

const char *reference_directory(char *path, size_t room) {
  const ssize_t length = readlink("/proc/self/exe", path, room - 32);
  path[length > 0 ? length : 0] = 0;
  char *slash = strrchr(path, '/');
  if (slash) *slash = 0;
  strcat(path, "/automatic-references");
  mkdir(path, 0777);
  return path;
}

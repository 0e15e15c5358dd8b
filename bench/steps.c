/* SPDX-License-Identifier: MIT */
/* Time of a step against the floor: one plain-loop LU and solve of a matrix of the same size,
 * measured in the same run, the least of several repeats. `steps PROBLEM METHOD N` just takes N
 * steps, for instruction counts. */
#define _POSIX_C_SOURCE 200809L
#include <genalpha/genalpha.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 7, NMAX = 64 };

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* LU with row exchanges and one solve, the plainest loops there are */
static void lu_solve(int n, double *A, double *b) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++) {
      if (fabs(A[i * n + k]) > fabs(A[p * n + k])) p = i;
    }
    for (int j = 0; j < n; j++) {
      double keep = A[k * n + j];
      A[k * n + j] = A[p * n + j];
      A[p * n + j] = keep;
    }
    double keep = b[k];
    b[k] = b[p];
    b[p] = keep;
    for (int i = k + 1; i < n; i++) {
      double factor = A[i * n + k] / A[k * n + k];
      for (int j = k + 1; j < n; j++) A[i * n + j] -= factor * A[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) b[i] -= A[i * n + j] * b[j];
    b[i] /= A[i * n + i];
  }
}

static double floor_seconds(int n) {
  static double A[NMAX * NMAX], B[NMAX * NMAX], b[NMAX];
  unsigned seed = 1;
  for (int i = 0; i < n * n; i++) {
    seed = seed * 1664525u + 1013904223u;
    B[i] = (double)seed / 4294967296.0 - 0.5;
  }
  double best = INFINITY;
  for (int r = 0; r < REPEATS; r++) {
    const int count = 20000;
    double start = cpu_seconds();
    for (int i = 0; i < count; i++) {
      memcpy(A, B, (size_t)(n * n) * sizeof(double));
      for (int k = 0; k < n; k++) b[k] = 1 + k;
      lu_solve(n, A, b);
    }
    best = fmin(best, (cpu_seconds() - start) / count);
  }
  return best;
}

/* unknowns of a step, in blocks of velocities and of multipliers; 0 for a method not in the list */
static int unknowns_of(const char *method, int nv, int nlam) {
  static const struct {
    const char *method;
    int x, lam;
  } blocks[] = {{"stab2", 1, 2}, {"index3", 1, 1}, {"soi2", 2, 2},
                {"hht", 3, 2},   {"index2", 1, 1}, {"index1", 1, 1}};
  for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
    if (strcmp(blocks[i].method, method) == 0) return blocks[i].x * nv + blocks[i].lam * nlam;
  }
  return 0;
}

/* seconds per step, a negative number after an error, or INFINITY where the method does not suit
 * the problem: no rows for its constraints, or a singular mass */
static double step_seconds(const char *name, const char *method, long steps, int repeats,
                           ga_stats *stats, int *unknowns) {
  ga_problem *p = NULL;
  ga_error err = {0};
  ga_integrator *it = NULL;
  double best = INFINITY;
  if (ga_problem_new(name, NULL, &p, &err) != GA_OK) return fputs(err.text, stderr), -1;
  ga_options o = ga_options_default();
  o.method = method;
  o.h = p->t_end / 10000 < p->h ? p->t_end / 10000 : p->h;
  o.par = ga_params_rho(p->rho_inf);
  if (strncmp(name, "heavy-top", 9) == 0) o.h = 1e-3;
  ga_status status = ga_integrator_new(&p->model, &o, &it, &err);
  for (int r = 0; r < repeats && status == GA_OK; r++) {
    status = ga_integrator_start(it, p->t0, p->q0, p->v0);
    double start = cpu_seconds();
    for (long n = 0; n < steps && status == GA_OK; n++) status = ga_integrator_step(it);
    best = fmin(best, (cpu_seconds() - start) / (double)steps);
  }
  if (status == GA_ERR_METHOD || status == GA_ERR_SINGULAR) {
    best = INFINITY;
    status = GA_OK;
  }
  if (status != GA_OK) fprintf(stderr, "%s\n", it ? ga_integrator_error(it)->text : err.text);
  if (stats && it) *stats = *ga_integrator_stats(it);
  *unknowns = unknowns_of(method, ga_space_nv(p->model.space), p->model.nlam);
  ga_integrator_free(it);
  ga_problem_free(p);
  return status == GA_OK ? best : -1;
}

int main(int argc, char **argv) {
  int n;
  if (argc == 4) return step_seconds(argv[1], argv[2], atol(argv[3]), 1, NULL, &n) < 0;
  const char *const problems[] = {"heavy-top", "heavy-top-se3", "andrews", "slider-crank"};
  printf("%-14s %-7s %4s %9s %9s %6s %7s %7s\n", "problem", "method", "n", "us/step", "us/LU",
         "ratio", "Newton", "matrix");
  for (int k = 0; k < 4; k++) {
    for (int m = 0; ga_method_name(m); m++) {
      ga_stats stats;
      double step = step_seconds(problems[k], ga_method_name(m), 5000, REPEATS, &stats, &n);
      if (step < 0) return 1;
      if (n == 0 || isinf(step)) continue;
      double floor = floor_seconds(n), count = (double)stats.steps;
      printf("%-14s %-7s %4d %9.3f %9.3f %6.2f %7.2f %7.2f\n", problems[k], ga_method_name(m), n,
             1e6 * step, 1e6 * floor, step / floor, (double)stats.newton_its / count,
             (double)stats.matrices / count);
    }
  }
  return 0;
}

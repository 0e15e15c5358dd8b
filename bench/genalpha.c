/* SPDX-License-Identifier: MIT */
/* Runs of genalpha: fixed and extrapolated steps to t_end, and bare steps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static ga_options options_for(const bench_problem *b, const char *method) {
  ga_options o = ga_options_default();
  o.method = method;
  o.par = ga_params_rho(b->p->rho_inf);
  return o;
}

static int complain(const bench_problem *b, const ga_integrator *it, const ga_error *err) {
  fprintf(stderr, "bench: %s: %s\n", b->label, it ? ga_integrator_error(it)->text : err->text);
  return 1;
}

/* one run with n steps, counted into out */
static int single(const bench_problem *b, const bench_variant *variant, double n, bench_run *out,
                  double *q, double *lam) {
  ga_integrator *it = NULL;
  ga_error err = {0};
  ga_options o = options_for(b, variant->method);
  o.h = (b->p->t_end - b->p->t0) / n;
  ga_status status = ga_integrator_new(&b->p->model, &o, &it, &err);
  if (status == GA_OK) status = ga_integrator_start(it, b->p->t0, b->p->q0, b->p->v0);
  if (status == GA_OK) status = ga_integrator_run(it, b->p->t_end);
  if (status != GA_OK) {
    /* steps too large for this problem are no mistake */
    if (status < 0) complain(b, it, &err);
    ga_integrator_free(it);
    return 1;
  }
  const ga_stats *stats = ga_integrator_stats(it);
  out->steps += stats->steps;
  out->iterations += stats->newton_its;
  out->residuals += stats->residuals;
  out->matrices += stats->matrices;
  memcpy(q, ga_integrator_state(it)->q, (size_t)b->nq * sizeof(double));
  memcpy(lam, ga_integrator_state(it)->lam, (size_t)b->nlam * sizeof(double));
  ga_integrator_free(it);
  return 0;
}

/* fine <- (2^p fine - coarse)/(2^p - 1) */
static void eliminate(int n, double factor, double *fine, const double *coarse) {
  for (int i = 0; i < n; i++) fine[i] = (factor * fine[i] - coarse[i]) / (factor - 1);
}

enum { LEVELS_MAX = 4 };

/* Runs with h, h/2, h/4, ..: the error has all powers of h from h^2 on, so that level k removes the
 * term of order k + 1. q in R^n only. */
int bench_genalpha_run(const bench_problem *b, const bench_variant *variant, double setting,
                       bench_run *out, double *q, double *lam) {
  int levels = variant->levels, n = b->nq + b->nlam, failed = 0;
  double *x = bench_doubles((levels + 1) * n);
  *out = (bench_run){0};
  double start = bench_clock();
  for (int k = 0; k <= levels && !failed; k++) {
    failed = single(b, variant, ldexp(setting, k), out, x + k * n, x + k * n + b->nq);
  }
  for (int p = 1; p <= levels; p++) {
    for (int k = levels; k >= p; k--) eliminate(n, ldexp(2, p), x + k * n, x + (k - 1) * n);
  }
  out->seconds = bench_clock() - start;
  const double *best = x + levels * n;
  out->error_q = bench_error_q(b, best);
  out->error_lam = bench_error_lam(b, best + b->nq);
  if (q) memcpy(q, best, (size_t)b->nq * sizeof(double));
  if (lam) memcpy(lam, best + b->nq, (size_t)b->nlam * sizeof(double));
  free(x);
  return failed;
}

double bench_genalpha_steps(const bench_problem *b, const char *method, double h, long steps,
                            int repeats, ga_stats *stats) {
  ga_integrator *it = NULL;
  ga_error err = {0};
  ga_options o = options_for(b, method);
  o.h = h;
  double best = INFINITY;
  ga_status status = ga_integrator_new(&b->p->model, &o, &it, &err);
  for (int r = 0; r < repeats && status == GA_OK; r++) {
    status = ga_integrator_start(it, b->p->t0, b->p->q0, b->p->v0);
    double start = bench_clock();
    for (long n = 0; n < steps && status == GA_OK; n++) status = ga_integrator_step(it);
    best = fmin(best, (bench_clock() - start) / (double)steps);
  }
  /* a method without rows for these constraints, or for a singular M, just has no line */
  if (status == GA_ERR_ARG || status == GA_ERR_SINGULAR) {
    best = -1;
  } else if (status != GA_OK) {
    best = -complain(b, it, &err);
  }
  if (stats && it) *stats = *ga_integrator_stats(it);
  ga_integrator_free(it);
  return best;
}

/* SPDX-License-Identifier: MIT */
/* Runs of genalpha: fixed and extrapolated steps to t_end, and bare steps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* Options of a run: method, rho_inf and Newton tolerance of the variant, the problem's rho_inf if
 * it has none. */
static ga_options options_for(const bench_problem *b, const bench_variant *variant) {
  ga_options o = ga_options_default();
  o.method = variant->method;
  o.par = ga_params_rho(variant->rho_inf > 0 ? variant->rho_inf : b->p->rho_inf);
  if (variant->newton_tol > 0) o.newton_tol = variant->newton_tol;
  return o;
}

/* Prints the integrator's error, or *err if there is no integrator; returns 1. */
static int print_error(const bench_problem *b, const ga_integrator *it, const ga_error *err) {
  fprintf(stderr, "bench: %s: %s\n", b->label, it ? ga_integrator_error(it)->text : err->text);
  return 1;
}

/* Copies the statistics of a run; steps includes rejected ones. */
static void copy_counts(const ga_stats *stats, bench_run *out) {
  out->steps = stats->steps + stats->rejected;
  out->iterations = stats->newton_its;
  out->residuals = stats->residuals;
  out->matrices = stats->matrices;
}

/* Errors of the end state into out; copies of it into q and lam if they are not NULL. */
static void store_end(const bench_problem *b, const ga_state *end, bench_run *out, double *q,
                      double *lam) {
  out->error_q = bench_error_q(b, end->q);
  out->error_lam = bench_error_lam(b, end->lam);
  if (q) memcpy(q, end->q, (size_t)b->nq * sizeof(double));
  if (lam) memcpy(lam, end->lam, (size_t)b->nlam * sizeof(double));
}

/* One run to t_end: fixed steps, `setting` is their number; with by_rtol automatic steps, `setting`
 * is rtol. Nonzero if it failed; too large steps (status above 0, GA_ERR_STEP) are not printed as
 * errors. */
int bench_genalpha_run(const bench_problem *b, const bench_variant *variant, double setting,
                       bench_run *out, double *q, double *lam) {
  ga_integrator *it = NULL;
  ga_error err = {0};
  ga_options o = options_for(b, variant);
  *out = (bench_run){0};
  o.h = (b->p->t_end - b->p->t0) / (variant->by_rtol ? 1000 : setting);
  if (variant->by_rtol) o.rtol = setting, o.atol = variant->part_atol * setting;
  double start = bench_clock();
  ga_status status = ga_integrator_new(&b->p->model, &o, &it, &err);
  if (status == GA_OK) status = ga_integrator_start(it, b->p->t0, b->p->q0, b->p->v0);
  if (status == GA_OK) status = ga_integrator_run(it, b->p->t_end);
  out->seconds = bench_clock() - start;
  if (status == GA_OK) {
    copy_counts(ga_integrator_stats(it), out);
    store_end(b, ga_integrator_state(it), out, q, lam);
  } else if (status < 0 && status != GA_ERR_STEP) {
    print_error(b, it, &err);
  }
  ga_integrator_free(it);
  return status != GA_OK;
}

/* An extrapolated run with one thread; `setting` is the number of the largest steps. It is made
 * odd, which saves the run that only estimates the error. Nonzero if the run failed. */
int bench_extrapolated_run(const bench_problem *b, const bench_variant *variant, double setting,
                           bench_run *out, double *q, double *lam) {
  ga_extrapolator *x = NULL;
  ga_error err = {0};
  ga_options o = options_for(b, variant);
  *out = (bench_run){0};
  o.h = (b->p->t_end - b->p->t0) / (2 * floor(setting / 2) + 1);
  double start = bench_clock();
  ga_status status = ga_extrapolator_new(&b->p->model, &o, variant->levels, &x, &err);
  if (status == GA_OK) {
    ga_extrapolator_set_threads(x, 1);
    ga_extrapolator_set_steps(x, variant->sequence);
    ga_extrapolator_set_multipliers(x, variant->multipliers);
    status = ga_extrapolator_start(x, b->p->t0, b->p->q0, b->p->v0);
  }
  if (status == GA_OK) status = ga_extrapolator_run(x, b->p->t_end);
  out->seconds = bench_clock() - start;
  if (status == GA_OK) {
    copy_counts(ga_extrapolator_stats(x), out);
    store_end(b, &ga_extrapolator_state(x)->state, out, q, lam);
  } else if (status < 0) {
    fprintf(stderr, "bench: %s: %s\n", b->label, x ? ga_extrapolator_error(x)->text : err.text);
  }
  ga_extrapolator_free(x);
  return status != GA_OK;
}

/* Least CPU seconds per step over `repeats` runs of `steps` steps from the start; stats
 * (may be NULL) receives the counts of the last. Negative if it failed or the method
 * refuses the problem. */
double bench_genalpha_steps(const bench_problem *b, const char *method, const char *linsol,
                            double h, long steps, int repeats, ga_stats *stats) {
  ga_integrator *it = NULL;
  ga_error err = {0};
  ga_options o = options_for(b, &(bench_variant){.method = method});
  o.h = h;
  o.linsol = linsol;
  double best = INFINITY;
  ga_status status = ga_integrator_new(&b->p->model, &o, &it, &err);
  for (int r = 0; r < repeats && status == GA_OK; r++) {
    status = ga_integrator_start(it, b->p->t0, b->p->q0, b->p->v0);
    double start = bench_clock();
    for (long n = 0; n < steps && status == GA_OK; n++) status = ga_integrator_step(it);
    best = fmin(best, (bench_clock() - start) / (double)steps);
  }
  /* a method without rows for these constraints, or for a singular M, just has no line */
  if (!it || status == GA_ERR_SINGULAR) {
    best = -1;
  } else if (status != GA_OK) {
    best = -print_error(b, it, &err);
  }
  if (stats && it) *stats = *ga_integrator_stats(it);
  ga_integrator_free(it);
  return best;
}

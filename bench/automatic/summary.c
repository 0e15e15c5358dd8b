/* SPDX-License-Identifier: MIT */
/* What the runs of a case say: slopes, spreads, costs; and the same over all cases. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "summary.h"

#define REFERENCE_SHARE 20.0 /* errors below this many errors of the reference do not count */
#define LARGEST_ERROR 0.3    /* nor those above, where the motion is another one */

static bool counts(const run_result *r, int variable, const errors *accuracy) {
  const double e = r->error.of[variable];
  return r->good && e > REFERENCE_SHARE * accuracy->of[variable] && e > 1e-11 && e < LARGEST_ERROR;
}

/* Slope of log error over log rtol by least squares, and extremes and mean of error/rtol. */
static void fit(const run_result *runs, int n, int variable, const errors *accuracy,
                case_summary *s) {
  double count = 0, x1 = 0, y1 = 0, xx = 0, xy = 0, most = -INFINITY, least = INFINITY, mean = 0;
  for (int i = 0; i < n; i++) {
    if (!counts(&runs[i], variable, accuracy)) continue;
    const double x = log(runs[i].setting), y = log(runs[i].error.of[variable]);
    count++, x1 += x, y1 += y, xx += x * x, xy += x * y, mean += y - x;
    most = fmax(most, y - x), least = fmin(least, y - x);
  }
  const bool enough = count >= 3;
  s->slope[variable] = enough ? (count * xy - x1 * y1) / (count * xx - x1 * x1) : NAN;
  s->spread[variable] = enough ? exp(most - least) : NAN;
  s->mean[variable] = enough ? exp(mean / count) : NAN;
}

/* The error that cost is compared at: the larger one of q and v. */
static double motion_error(const run_result *r) {
  return fmax(r->error.of[OF_Q], r->error.of[OF_V]);
}

double cost_of_fixed(const run_result *fixed, int n, double error,
                     double (*cost)(const run_result *)) {
  for (int i = 1; i < n; i++) {
    if (!fixed[i - 1].good || !fixed[i].good) continue;
    const double coarse = log(motion_error(&fixed[i - 1])), fine = log(motion_error(&fixed[i]));
    if (!(coarse >= log(error) && log(error) >= fine && coarse > fine)) continue;
    const double x = (coarse - log(error)) / (coarse - fine);
    return exp((1 - x) * log(cost(&fixed[i - 1])) + x * log(cost(&fixed[i])));
  }
  return NAN;
}

double run_seconds(const run_result *r) {
  return r->seconds;
}

/* Geometric mean over the runs of cost over fixed steps at equal error. */
static double mean_cost(const run_result *runs, int n, const run_result *fixed, int nfixed,
                        const errors *accuracy, double (*cost)(const run_result *)) {
  double sum = 0, count = 0;
  for (int i = 0; i < n; i++) {
    if (!counts(&runs[i], OF_Q, accuracy) && !counts(&runs[i], OF_V, accuracy)) continue;
    const double other = cost_of_fixed(fixed, nfixed, motion_error(&runs[i]), cost);
    if (isnan(other)) continue;
    sum += log(cost(&runs[i]) / other), count++;
  }
  return count > 0 ? exp(sum / count) : NAN;
}

case_summary summarize(const measured_case *c, const run_result *runs, int n,
                       const run_result *fixed, int nfixed, const errors *accuracy) {
  case_summary s = {.driven = c->driven};
  for (int j = 0; j < VARIABLES; j++) fit(runs, n, j, accuracy, &s);
  for (int i = 0; i < n; i++) {
    const run_result *r = &runs[i];
    if (!r->good) s.failed++;
    if (r->good) s.worst_q = fmax(s.worst_q, r->error.of[OF_Q] / r->setting);
    if (r->good) s.worst_f = fmax(s.worst_f, r->error.of[OF_F] / r->setting);
  }
  if (c->driven) {
    s.slope[OF_Q] = s.slope[OF_V] = s.spread[OF_Q] = s.spread[OF_V] = NAN;
    s.cost_seconds = s.cost_work = NAN;
    return s;
  }
  s.cost_seconds = mean_cost(runs, n, fixed, nfixed, accuracy, run_seconds);
  s.cost_work = mean_cost(runs, n, fixed, nfixed, accuracy, run_work);
  return s;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Sorts the numbers that are not NaN to the front and returns how many there are. */
static int keep_sorted(double *x, int n) {
  int m = 0;
  for (int i = 0; i < n; i++) {
    if (!isnan(x[i])) x[m++] = x[i];
  }
  if (m > 0) qsort(x, (size_t)m, sizeof *x, compare);
  return m;
}

static double quantile(const double *sorted, int n, double p) {
  if (n == 0) return NAN;
  const double at = p * (n - 1);
  const int i = (int)at < n - 1 ? (int)at : n - 1, k = i < n - 1 ? i + 1 : i;
  return sorted[i] + (at - i) * (sorted[k] - sorted[i]);
}

/* x[i] <- a member of summary i. */
#define COLLECT(member) \
  for (int i = 0; i < n; i++) x[i] = s[i].member

void summarize_all(const case_summary *s, int n, FILE *to) {
  static const char *const name[VARIABLES] = {"q", "v", "forces"};
  double *x = malloc((size_t)(n ? n : 1) * sizeof *x);
  if (!x) return;
  fprintf(to, "\nover all cases (driven ones count for forces only)\n");
  for (int j = 0; j < VARIABLES; j++) {
    COLLECT(slope[j]);
    int m = keep_sorted(x, n), inside = 0;
    for (int i = 0; i < m; i++) inside += x[i] >= 0.85 && x[i] <= 1.3;
    fprintf(to, "  %-6s slope: median %.3f (%.2f .. %.2f), %.0f %% of %d in 0.85 .. 1.3", name[j],
            quantile(x, m, 0.5), quantile(x, m, 0), quantile(x, m, 1), m ? 100.0 * inside / m : NAN,
            m);
    COLLECT(spread[j]);
    m = keep_sorted(x, n);
    fprintf(to, "; spread: median %.2f, 90 %% %.2f, max %.1f", quantile(x, m, 0.5),
            quantile(x, m, 0.9), quantile(x, m, 1));
    COLLECT(mean[j]);
    m = keep_sorted(x, n);
    fprintf(to, "; error/rtol %.2g .. %.2g\n", quantile(x, m, 0), quantile(x, m, 1));
  }
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < n; i++) x[i] = k ? s[i].cost_work : s[i].cost_seconds;
    const int m = keep_sorted(x, n);
    double mean = 0;
    for (int i = 0; i < m; i++) mean += log(x[i]) / m;
    fprintf(to, "  cost over fixed, %-9s geometric mean %.2f (10 %% %.2f, 90 %% %.2f) of %d\n",
            k ? "work:" : "CPU time:", m ? exp(mean) : NAN, quantile(x, m, 0.1),
            quantile(x, m, 0.9), m);
  }
  free(x);
}

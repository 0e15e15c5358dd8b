/* SPDX-License-Identifier: MIT */
/* The difference of two runs that differ in a_0 by O(h) only, with a step so small that the problem
 * hardly moves: the difference then follows the method's own recursion. */
#include "papers/rates.h"

#include <math.h>

const double rates_rho[RATES] = {0.2, 0.5, 0.9};

/* Rates for rho_inf = rho: m = |alpha_m/(alpha_m - 1)|, gamma = |(gamma - 1)/gamma|, f =
 * |alpha_f/(alpha_f - 1)|. */
rates rates_of(double rho) {
  ga_params p = ga_params_rho(rho);
  return (rates){.m = fabs(p.alpha_m / (p.alpha_m - 1)),
                 .gamma = fabs((p.gamma - 1) / p.gamma),
                 .f = fabs(p.alpha_f / (p.alpha_f - 1))};
}

enum { N = 110, KEPT = 8 };

/* a and the multipliers of all steps: of the first run, then minus those of the second */
typedef struct layer {
  const ga_model *model;
  double a[N + 1][KEPT], mult[N + 1][KEPT];
  bool second;
} layer;

/* First run: *kept = x. Second run: *kept = x - *kept. */
static void keep_or_subtract(double *kept, double x, bool second) {
  *kept = second ? x - *kept : x;
}

/* A lab_watch: keeps a, lambda and psi of step n <= N, or in the second run their differences
 * from the first. The model has at most KEPT velocities and KEPT multipliers. */
static void watch_layer(void *context, const ga_state *s, long n) {
  layer *d = context;
  int nv = ga_space_nv(d->model->space), nlam = d->model->nlam, npsi = d->model->npsi;
  if (n > N) return;
  for (int i = 0; i < nv; i++) keep_or_subtract(&d->a[n][i], s->a[i], d->second);
  for (int i = 0; i < nlam; i++) keep_or_subtract(&d->mult[n][i], s->lam[i], d->second);
  for (int i = 0; i < npsi; i++) keep_or_subtract(&d->mult[n][nlam + i], s->psi[i], d->second);
}

/* Two runs of N steps, shifted then plain start; *d, zeroed but for its model, receives their
 * differences. Changes l->o.start. False, with the reason in the result, if a run failed. */
static bool measure_layer(lab *l, layer *d) {
  const lab_plan plan = {.steps = N};
  d->second = false;
  l->o.start = GA_START_SHIFTED;
  if (!lab_run(l, &plan, watch_layer, d)) return false;
  d->second = true;
  l->o.start = GA_START_PLAIN;
  return lab_run(l, &plan, watch_layer, d);
}

/* Largest decay rate per step of the vectors x_n, n <= N: two rates act, so fits x_{n+2} = c_1
 * x_{n+1} + c_0 x_n by least squares from step first on, while |x_n| is above 1e-4 of its
 * maximum (rounding is below); returns the larger modulus of the roots of z^2 - c_1 z - c_0. */
static double fit_decay(double (*x)[KEPT], int first) {
  double s00 = 0, s01 = 0, s11 = 0, b0 = 0, b1 = 0, largest = 0;
  for (int n = first; n + 2 <= N; n++) {
    double size = lab_norm(KEPT, x[n], NULL);
    largest = fmax(largest, size);
    if (size < 1e-4 * largest) break;
    for (int i = 0; i < KEPT; i++) {
      s00 += x[n][i] * x[n][i];
      s01 += x[n][i] * x[n + 1][i];
      s11 += x[n + 1][i] * x[n + 1][i];
      b0 += x[n][i] * x[n + 2][i];
      b1 += x[n + 1][i] * x[n + 2][i];
    }
  }
  double det = s00 * s11 - s01 * s01;
  const double c[] = {-(b0 * s11 - b1 * s01) / det, -(s00 * b1 - s01 * b0) / det, 1};
  return lab_largest_root(2, c, NULL);
}

/* For each rho_inf of rates_rho: two runs of N steps of 1e-5 s; the norms of their differences
 * over n fill the table, which replaces r->data; found[k] gets their decay rates. The
 * multipliers count from step 1 on, as the start sets them. False, with the reason in r, if a
 * run failed. */
bool rates_measure(result *r, const char *problem, const char *method, decay found[RATES]) {
  static layer d; /* large */
  lab l;
  table_free(&r->data);
  table_init(&r->data, "n,a_0.2,mult_0.2,a_0.5,mult_0.5,a_0.9,mult_0.9");
  bool good = lab_open(&l, r, problem);
  l.o.method = method;
  l.o.h = 1e-5;
  for (int k = 0; k < RATES && good; k++) {
    d = (layer){.model = &l.problem->model};
    l.o.par = ga_params_rho(rates_rho[k]);
    good = measure_layer(&l, &d);
    for (int n = 0; n <= N && good; n++) {
      table_set(&r->data, n, 0, n);
      table_set(&r->data, n, 2 * k + 1, lab_norm(KEPT, d.a[n], NULL));
      table_set(&r->data, n, 2 * k + 2, n > 0 ? lab_norm(KEPT, d.mult[n], NULL) : NAN);
    }
    found[k] = (decay){fit_decay(d.a, 0), fit_decay(d.mult, 1)};
  }
  lab_close(&l);
  return good;
}

/* Adds two claims: the rate `found` is at most `bound` (the paper's), corrected to `right` with
 * the reason `because`; and, as our addition, it is `right`. Tolerance 2 % of `right`. what:
 * text. */
void rates_judge(result *r, double bound, double right, double found, const char *because,
                 const char *what) {
  claim *c = claim_at_most(r, bound, found, "%s: decay per step", what);
  c->tolerance = 0.02 * right;
  claim_corrected(c, right, because);
  claim_addition(claim_near(r, right, 0.02 * right, found, "%s: the rate itself", what));
}

#define RATE_CURVES(name, part)                                                  \
  static const chart_curve name[] = {{"n", part "_0.2", "ρ∞ = 0.2", CHART_LINE}, \
                                     {"n", part "_0.5", "ρ∞ = 0.5", CHART_LINE}, \
                                     {"n", part "_0.9", "ρ∞ = 0.9", CHART_LINE}, \
                                     {.y = NULL}}
RATE_CURVES(curves_a, "a");
RATE_CURVES(curves_mult, "mult");
#define RATE_PANEL(label, list) \
  { .xlabel = "n (steps)", .ylabel = label, .log_y = true, .x = {0, 60}, .curves = list }
static const chart_panel panels[] = {RATE_PANEL("layer of a", curves_a),
                                     RATE_PANEL("layer of the multipliers", curves_mult),
                                     {.curves = NULL}};
const chart rates_chart = {.panels = panels, .panel_height = 270};

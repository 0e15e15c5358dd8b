/* SPDX-License-Identifier: MIT */
/* Arnold, Cardona, Brüls 2015: the error recursions (8) and (27). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "papers/acb15.h"

/* T = T+^-1 T0 of (8), 3 x 3 by rows. False if T+ is singular. */
static bool recursion3(const ga_params *p, double *T) {
  const double plus[] = {0, 0, -p->beta, 1, 0, -p->gamma, 0, 1 - p->alpha_f, 1 - p->alpha_m};
  const double zero[] = {1, 0, 0.5 - p->beta, 1, 0, 1 - p->gamma, 0, -p->alpha_f, -p->alpha_m};
  return lab_solve_columns(3, plus, zero, T);
}

/* T = T+^-1 T0 of (27), 2 x 2 by rows. False if T+ is singular. */
static bool recursion2(const ga_params *p, double *T) {
  const double plus[] = {0, -p->beta, 1, -p->gamma};
  const double zero[] = {1, 0.5 - p->beta, 1, 1 - p->gamma};
  return lab_solve_columns(2, plus, zero, T);
}

/* Largest difference of the coefficients of T's characteristic polynomial (T 3 x 3) from those of
 * (z + rho)^3. */
static double off3(const double *T, double rho) {
  double trace = T[0] + T[4] + T[8];
  double minors = T[0] * T[4] - T[1] * T[3] + T[0] * T[8] - T[2] * T[6] + T[4] * T[8] - T[5] * T[7];
  double det = T[0] * (T[4] * T[8] - T[5] * T[7]) - T[1] * (T[3] * T[8] - T[5] * T[6]) +
               T[2] * (T[3] * T[7] - T[4] * T[6]);
  return fmax(fabs(-trace - 3 * rho),
              fmax(fabs(minors - 3 * rho * rho), fabs(-det - rho * rho * rho)));
}

/* The same for T 2 x 2 and (z + rho)^2. */
static double off2(const double *T, double rho) {
  double trace = T[0] + T[3], det = T[0] * T[3] - T[1] * T[2];
  return fmax(fabs(-trace - 2 * rho), fabs(det - rho * rho));
}

/* Writes Frobenius norms |T^n|, n = 1 .. count, into column j of the table, row n - 1, and n
 * into column 0; T is size x size by rows, size <= 3. */
static void powers(table *t, int size, const double *T, int count, int j) {
  double P[9], Q[9];
  memcpy(P, T, (size_t)(size * size) * sizeof *P);
  for (int n = 1; n <= count; n++) {
    table_set(t, n - 1, 0, n);
    table_set(t, n - 1, j, lab_norm(size * size, P, NULL));
    lab_multiply(size, P, T, Q);
    memcpy(P, Q, sizeof P);
  }
}

/* Exponent p in |T^n| / rho^n ~ n^p, from the norms in column j at n and 2n. */
static double growth(const table *t, int j, double rho, int n) {
  double ratio = table_at(t, 2 * n - 1, j) / table_at(t, n - 1, j) / pow(rho, n);
  return log2(ratio);
}

/* Item acb15-recursion, ACB15 (8): claims that the characteristic polynomial is (z + rho)^3 for
 * 21 values of rho_inf, and that |T^n| grows like n^2 rho^n. Table: |T^n| for three rho_inf up
 * to n = 400 and the curve c n^2 0.9^n through the last point. */
static void recursion(result *r) {
  static const double rhos[] = {0.5, 0.7, 0.9};
  enum { COUNT = 400 };
  double off = 0, T[9];
  table_init(&r->data, "n,norm_0.5,norm_0.7,norm_0.9,model_0.9");
  for (int i = 0; i <= 20; i++) {
    ga_params p = ga_params_rho(i / 20.0);
    if (!recursion3(&p, T)) {
      result_fail(r, "T+ is singular for rho = %g", i / 20.0);
      return;
    }
    off = fmax(off, off3(T, i / 20.0));
  }
  for (int k = 0; k < 3; k++) {
    ga_params p = ga_params_rho(rhos[k]);
    recursion3(&p, T);
    powers(&r->data, 3, T, COUNT, k + 1);
  }
  double c = table_at(&r->data, COUNT - 1, 3) / ((double)COUNT * COUNT * pow(0.9, COUNT));
  for (int n = 1; n <= COUNT; n++) {
    table_set(&r->data, n - 1, 4, c * n * n * pow(0.9, n));
  }
  claim *same = claim_at_most(r, 0, off,
                              "spectral radius is ρ∞: the characteristic polynomial is (ζ + ρ∞)³, "
                              "largest difference of a coefficient, ρ∞ = 0 … 1");
  same->tolerance = 1e-12;
  for (int k = 0; k < 3; k++) {
    claim_near(r, 2, 0.05, growth(&r->data, k + 1, rhos[k], COUNT / 2),
               "p in |(T₊⁻¹T₀)ⁿ| ~ nᵖ ρ∞ⁿ for ρ∞ = %g: transients like n² ρ∞ⁿ", rhos[k]);
  }
}

static const chart_curve recursion_curves[] = {{"n", "norm_0.5", "ρ∞ = 0.5", CHART_LINE},
                                               {"n", "norm_0.7", "ρ∞ = 0.7", CHART_LINE},
                                               {"n", "norm_0.9", "ρ∞ = 0.9", CHART_LINE},
                                               {"n", "model_0.9", "c n² 0.9ⁿ", CHART_DASHED},
                                               {.y = NULL}};
static const chart_panel recursion_panels[] = {{.xlabel = "n (steps)",
                                                .ylabel = "norm of (T₊⁻¹T₀)ⁿ",
                                                .log_y = true,
                                                .x = {0, 200},
                                                .y = {1e-10, 1e4},
                                                .curves = recursion_curves},
                                               {.curves = NULL}};
static const chart recursion_chart = {.panels = recursion_panels};

const item acb15_recursion = {
    "acb15-recursion",
    "Recursion (8): spectral radius and transients",
    "The spectral radius of T₊⁻¹T₀ is ρ∞ for Chung and Hulbert's parameters; an error after a "
    "projection is bounded by C (n² ρ∞ⁿ h + h²).",
    "The matrices of (8): characteristic polynomial for 21 values of ρ∞, norms of powers up to "
    "n = 400.",
    recursion,
    &recursion_chart,
    0.1};

/* (27): the component of a in the null space of M, after a velocity projection */

enum { X5 = 8, Y5 = 9 }; /* massless coordinates of the slider-crank */

/* context of watch_null */
typedef struct null_log {
  table *t;
  double from, h;
  int column;
} null_log;

/* A lab_watch: stores n and a of the massless point (x5, y5) for the steps n = 1, 2, .. after
 * the time log->from in row n - 1, columns 0, log->column and log->column + 1. */
static void watch_null(void *context, const ga_state *s, long steps) {
  null_log *log = context;
  (void)steps;
  long n = lround((s->t - log->from) / log->h);
  if (n < 1) return;
  table_set(log->t, (int)n - 1, 0, (double)n);
  table_set(log->t, (int)n - 1, log->column, s->a[X5]);
  table_set(log->t, (int)n - 1, log->column + 1, s->a[Y5]);
}

/* Decay rate rho in x_n ~ n rho^n: exp of the slope of log(x/n) over n (column 0), x in column j,
 * rows first to last. NaN with fewer than 3 usable rows. */
static double decay(const table *t, int j, int first, int last) {
  double sn = 0, sy = 0, snn = 0, sny = 0;
  int m = 0;
  for (int i = first; i <= last; i++) {
    double n = table_at(t, i, 0), y = log(table_at(t, i, j) / n);
    if (!isfinite(y)) continue;
    sn += n, sy += y, snn += n * n, sny += n * y;
    m++;
  }
  return m > 2 ? exp((m * sny - sn * sy) / (m * snn - sn * sn)) : NAN;
}

/* Item acb15-nullspace, ACB15 (27): claims that the characteristic polynomial is (z + rho)^2 for
 * 21 values of rho_inf. Then the difference of a of the massless point between a run with a
 * velocity projection at 0.3 s (columns 1, 2) and one without (3, 4) into column 5, a fitted
 * curve c n 0.7^n into 6; claims the decay 0.7 per step. A failed run leaves no claims. */
static void nullspace(result *r) {
  lab l;
  double off = 0, T[4];
  for (int i = 0; i <= 20; i++) {
    ga_params p = ga_params_rho(i / 20.0);
    if (recursion2(&p, T)) off = fmax(off, off2(T, i / 20.0));
  }
  table_init(&r->data, "n,ax,ay,ax_free,ay_free,difference,model");
  if (lab_open(&l, r, "slider-crank")) {
    const double t_star = 0.3;
    bool good = true;
    l.o.h = 5e-4;
    for (int k = 0; k < 2 && good; k++) {
      const lab_plan plan = {.t_end = t_star + 80 * l.o.h, .project_at = k == 0 ? t_star : 0};
      null_log log = {.t = &r->data, .from = t_star, .h = l.o.h, .column = 1 + 2 * k};
      good = lab_run(&l, &plan, watch_null, &log);
    }
    for (int i = 0; good && i < r->data.rows; i++) {
      double dx = table_at(&r->data, i, 1) - table_at(&r->data, i, 3);
      double dy = table_at(&r->data, i, 2) - table_at(&r->data, i, 4);
      table_set(&r->data, i, 5, hypot(dx, dy));
    }
    double at = table_at(&r->data, 9, 5) / (10 * pow(0.7, 10));
    for (int i = 0; i < r->data.rows; i++) {
      table_set(&r->data, i, 6, at * (i + 1) * pow(0.7, i + 1));
    }
    if (good) {
      claim *c = claim_at_most(r, 0, off,
                               "spectral radius in (27) is ρ∞ < 1: characteristic polynomial (ζ + "
                               "ρ∞)², largest difference of a coefficient, ρ∞ = 0 … 1");
      c->tolerance = 1e-12;
      claim_near(r, 0.7, 0.02, decay(&r->data, 5, 4, 24),
                 "decay per step of the null-space part of a after a projection, fitted as n ρⁿ "
                 "for n = 5 … 25, ρ∞ = 0.7");
    }
  }
  lab_close(&l);
}

static const chart_curve nullspace_curves[] = {
    {"n", "difference", "a of the massless point, projected − free", CHART_MARKS},
    {"n", "model", "c n 0.7ⁿ", CHART_DASHED},
    {.y = NULL}};
static const chart_panel nullspace_panels[] = {{.xlabel = "n (steps after the projection)",
                                                .ylabel = "difference (m/s²)",
                                                .log_y = true,
                                                .x = {0, 60},
                                                .curves = nullspace_curves},
                                               {.curves = NULL}};
static const chart nullspace_chart = {.panels = nullspace_panels};

const item acb15_nullspace = {
    "acb15-nullspace",
    "Recursion (27): the null space of a rank-deficient mass matrix",
    "In the null space of M the errors obey a recursion of two components, contractive whenever "
    "γ > 1/2 and β > γ/2.",
    "The matrices of (27); and a computed trajectory: slider-crank, index3, ρ∞ = 0.7, h = 5e-4 s, "
    "velocity projection at t = 0.3 s, the algorithmic acceleration of its massless point against "
    "that of a run without projection.",
    nullspace,
    &nullspace_chart,
    0.3};

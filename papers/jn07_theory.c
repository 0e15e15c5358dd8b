/* SPDX-License-Identifier: MIT */
/* Jay, Negrut 2007: Theorems 4.1, 4.3, 4.4 and 4.5 on existence, local errors, perturbations and
 * convergence of the extended HHT method. */
#include <math.h>

#include "papers/jn07.h"
#include "papers/remainders.h"

typedef long double real;
enum { N = DIRECT_DIM };

static const double ALPHA = -0.15, B = 0.3;

/* Theorem 4.1 */

enum { GUESSES = 30, LEVELS = 6 };

/* Largest distance, in multipliers and y, of the solutions of one step from x0 found from
 * GUESSES random guesses within 0.3 of (1, 1) from the one found from (1, 1). NaN if one was not
 * found; r then has the reason, unless it was the latter. */
static double solution_spread(result *r, const ga_params *par, real h, const direct_state *x0) {
  uint64_t seed = 7;
  double largest = 0;
  direct_state first;
  const real at[] = {1, 1};
  if (!direct_hht(par, h, at, x0, &first)) return NAN;
  for (int i = 0; i < GUESSES; i++) {
    direct_state x1;
    const real guess[] = {1 + lab_random(&seed, -0.3, 0.3), 1 + lab_random(&seed, -0.3, 0.3)};
    if (!direct_hht(par, h, guess, x0, &x1)) {
      result_fail(r, "no solution from guess %d", i);
      return NAN;
    }
    largest = fmax(largest, direct_apart(first.mult, x1.mult) + direct_apart(first.y, x1.y));
  }
  return largest;
}

/* Start values that meet the hypotheses with equality: g = O(h^3), g' = O(h^2), a_0 - a(t_0 + alpha
 * h) = O(h). */
static direct_state loose_start(real h) {
  direct_state x = direct_exact_hht(0, 0);
  x.y[1] += h * h * h;
  x.z[1] += h * h;
  x.a[0] += h, x.a[1] -= h;
  return x;
}

/* Changes |y1 - y0|, |z1 - z0|, |a1 - a0|, |Lambda_0 - 1|, |Lambda_1 - 1| in one step from
 * loose_start(h), for h = 0.02, halved LEVELS - 1 times: h and these into columns 0..5. False,
 * with the reason in r, if a step has no solution. */
static bool tabulate_changes(result *r, const ga_params *par) {
  for (int i = 0; i < LEVELS; i++) {
    real h = ldexpl(0.02L, -i);
    direct_state x0 = loose_start(h), x1;
    const real guess[] = {1, 1};
    if (!direct_hht(par, h, guess, &x0, &x1)) return result_fail(r, "no solution, h = %Lg", h);
    const double row[] = {(double)h,
                          direct_apart(x1.y, x0.y),
                          direct_apart(x1.z, x0.z),
                          direct_apart(x1.a, x0.a),
                          (double)fabsl(x1.mult[0] - 1),
                          (double)fabsl(x1.mult[1] - 1)};
    for (int j = 0; j < 6; j++) table_set(&r->data, i, j, row[j]);
  }
  return true;
}

/* Item jn07-theorem4.1: claims that all changes in one step are O(h), that the solution near
 * lambda_0 = 1 is unique, and that the determinant of its equations over that of b = 0 is 1 -
 * 2b. Table: columns 0..5 by tabulate_changes, 6..8 b, quotient, formula. */
static void theorem41(result *r) {
  static const char *const names[] = {"y1 − y0", "z1 − z0", "a1 − a0", "Λ0 − λ0", "Λ1 − λ0"};
  ga_params par = ga_params_hht(ALPHA, B);
  table_init(&r->data, "h,dy,dz,da,dL0,dL1,b,det,formula");
  if (!tabulate_changes(r, &par)) return;
  for (int j = 0; j < 5; j++) {
    claim_at_least(r, 1, lab_slope(&r->data, 0, j + 1, 3), "(4.1): order of %s", names[j])
        ->tolerance = 0.05;
  }
  direct_state x0 = loose_start(0.01L);
  claim *c =
      claim_at_most(r, 0, solution_spread(r, &par, 0.01L, &x0),
                    "unique solution near λ0: largest distance of those found from %d random "
                    "guesses, h = 0.01",
                    GUESSES);
  c->tolerance = 1e-13;
  /* the determinant of the two multipliers' equations, over that of b = 0 */
  real at_zero = 0;
  double off = 0;
  for (int i = 0; i <= 20; i++) {
    par = ga_params_hht(ALPHA, i / 20.0);
    real d = direct_det_hht(&par, 1e-4L);
    if (i == 0) at_zero = d;
    double quotient = (double)(d / at_zero), formula = 1 - 2 * par.b;
    const double row[] = {par.b, quotient, formula};
    for (int j = 0; j < 3; j++) table_set(&r->data, i, 6 + j, row[j]);
    off = fmax(off, fabs(quotient - formula));
  }
  c = claim_at_most(r, 0, off,
                    "b ≠ 1/2 is needed: the determinant of the equations for Λ0, Λ1 over that of "
                    "b = 0 is 1 − 2b, largest difference for b = 0 … 1, h = 1e-4");
  c->tolerance = 1e-3;
}

static const chart_curve det_curves[] = {
    {"b", "det", "determinant over that of b = 0", CHART_POINTS},
    {"b", "formula", "1 − 2b", CHART_DASHED},
    {.y = NULL}};
static const chart_curve estimate_curves[] = {
    {"h", "dy", "y1 − y0", CHART_MARKS},  {"h", "dz", "z1 − z0", CHART_MARKS},
    {"h", "da", "a1 − a0", CHART_MARKS},  {"h", "dL0", "Λ0 − λ0", CHART_MARKS},
    {"h", "dL1", "Λ1 − λ0", CHART_MARKS}, {.y = NULL}};
static const chart_panel theorem41_panels[] = {
    {.xlabel = "h",
     .ylabel = "change in one step",
     .log_x = true,
     .log_y = true,
     .slopes = {1},
     .curves = estimate_curves},
    {.xlabel = "b", .ylabel = "determinant", .curves = det_curves},
    {.curves = NULL}};
static const chart theorem41_chart = {.panels = theorem41_panels};

const item jn07_theorem41 = {
    "jn07-theorem4.1",
    "Theorem 4.1: existence and uniqueness for b ≠ 1/2",
    "From values that violate the constraints by O(h³) and O(h²) there is one solution of a step "
    "near λ0, all changes are O(h), and b = 1/2 is excluded.",
    "(3.4) written down without the library on the test problem of section 5.1, α = −0.15, b = "
    "0.3; "
    "Newton's method from random guesses.",
    theorem41,
    &theorem41_chart,
    0.1};

/* Theorem 4.3: errors after one step */

static const int fields[] = {FIELD_Q, FIELD_V, FIELD_A};
static const char *const names[] = {"y", "z", "a"};

/* Item jn07-theorem4.3: errors after one step of h = 0.02, halved 5 times, into the table:
 * columns 0..6 with plain start (a0 of first order), 7..13 with shifted start (second order);
 * claims that y, z, a have at least the orders of the theorem. */
static void theorem43(result *r) {
  static const double orders[][3] = {{3, 2, 2}, {3, 3, 2}};
  lab l;
  table_init(&r->data, "h,y_1,z_1,a_1,zd_1,lam_1,psi_1,h_2,y_2,z_2,a_2,zd_2,lam_2,psi_2");
  if (lab_open(&l, r, "jay-negrut-hht")) {
    const lab_plan plan = {.steps = 1, .t_end = 1};
    l.o.method = "hht";
    l.o.par = ga_params_hht(ALPHA, B);
    l.o.h = 0.02;
    for (int q = 0; q < 2; q++) {
      l.o.start = q == 0 ? GA_START_PLAIN : GA_START_SHIFTED;
      if (!lab_ladder(&l, &plan, 6, lab_euclid, FIELDS, 7 * q)) break;
      for (int i = 0; i < 3; i++) {
        claim_at_least(r, orders[q][i], lab_slope(&r->data, 7 * q, 7 * q + 1 + fields[i], 3),
                       "local order of %s for a0 − a(t0 + αh) = O(h%s)", names[i], q ? "²" : "")
            ->tolerance = 0.1;
      }
    }
  }
  lab_close(&l);
}

#define LOCAL_CURVES(name, h, end)                                   \
  static const chart_curve name[] = {{h, "y" end, "y", CHART_MARKS}, \
                                     {h, "z" end, "z", CHART_MARKS}, \
                                     {h, "a" end, "a", CHART_MARKS}, \
                                     {.y = NULL}}
LOCAL_CURVES(local_1, "h", "_1");
LOCAL_CURVES(local_2, "h_2", "_2");
#define LOCAL_PANEL(label, list)                                                                   \
  {                                                                                                \
    .title = label, .xlabel = "h", .ylabel = "error after one step", .log_x = true, .log_y = true, \
    .slopes = {3, 2}, .curves = list                                                               \
  }
static const chart_panel theorem43_panels[] = {LOCAL_PANEL("a0 of first order", local_1),
                                               LOCAL_PANEL("a0 of second order", local_2),
                                               {.curves = NULL}};
static const chart theorem43_chart = {.panels = theorem43_panels};

const item jn07_theorem43 = {
    "jn07-theorem4.3",
    "Theorem 4.3: local errors",
    "After one step y is O(h³), z is O(h²), a is O(h²); z is O(h³) if a0 − a(t0 + αh) = O(h²).",
    "Method hht, one step on the test problem of section 5.1, plain and shifted start.",
    theorem43,
    &theorem43_chart,
    0.1};

/* Theorem 4.4: two neighbouring steps */

enum { KINDS = 3 };

/* Copy of x with a (kind 0), z (1) or y (2) moved by about h; z and y stay on the constraint. */
static direct_state moved_start(int kind, const direct_state *x, real h) {
  direct_state y = *x;
  if (kind == 0) y.a[0] += 0.7L * h, y.a[1] -= 0.4L * h;
  if (kind == 1) direct_move_hht(&y, 0, h);
  if (kind == 2) direct_move_hht(&y, h, 0);
  return y;
}

/* A remainders_fn, with P at the start, P1 at the end, Q1 = I - P1: |P1 dy1 - (P dy + h P dz + (1/2
 * - beta) h^2 P da)|, |P1 dz1 - (P dz + (1 - gamma) h P da)|, |da1|, |Q1 dy1|. */
static bool step_remainders(int kind, const ga_params *par, real h, double rest[REMAINDERS]) {
  direct_state x0 = direct_exact_hht(0.2L, (real)-par->alpha_f * h), w0 = moved_start(kind, &x0, h);
  direct_state x1, w1;
  const real guess[] = {x0.mult[0], x0.mult[1]};
  if (!direct_hht(par, h, guess, &x0, &x1) || !direct_hht(par, h, guess, &w0, &w1)) return false;
  real P0[N * N], P1[N * N], dy[N], dz[N], da[N], Py[N], Pz[N], Pa[N], Py1[N], Pz1[N];
  direct_projector_hht(&x0, P0);
  direct_projector_hht(&x1, P1);
  for (int i = 0; i < N; i++) dy[i] = w0.y[i] - x0.y[i], dz[i] = w0.z[i] - x0.z[i];
  for (int i = 0; i < N; i++) da[i] = w0.a[i] - x0.a[i];
  direct_times(P0, dy, Py), direct_times(P0, dz, Pz), direct_times(P0, da, Pa);
  for (int i = 0; i < N; i++) dy[i] = w1.y[i] - x1.y[i], dz[i] = w1.z[i] - x1.z[i];
  direct_times(P1, dy, Py1), direct_times(P1, dz, Pz1);
  real to_y[N], to_z[N];
  for (int i = 0; i < N; i++) {
    to_y[i] = Py[i] + h * Pz[i] + (0.5L - (real)par->beta) * h * h * Pa[i];
    to_z[i] = Pz[i] + (1 - (real)par->gamma) * h * Pa[i];
  }
  rest[0] = direct_apart(Py1, to_y), rest[1] = direct_apart(Pz1, to_z);
  rest[2] = direct_apart(w1.a, x1.a), rest[3] = direct_apart(dy, Py1);
  return true;
}

/* Item jn07-theorem4.4: orders of the remainders of step_remainders for the three kinds of
 * moved_start; claims by remainders_study that they are at least those of the O-terms. */
static void theorem44(result *r) {
  /* from the theorem's O-terms with perturbations of size h */
  static const double least[KINDS][REMAINDERS] = {{4, 3, 2, 0}, {3, 2, 1, 3}, {2, 1, 1, 1}};
  static const char *const of[] = {"Δa = O(h)", "Δz = O(h)", "Δy = O(h), Δz with it"};
  static const remainders orders = {
      KINDS, of, {"P Δy", "P Δz", "Δa", "Q Δy"}, least, step_remainders};
  ga_params par = ga_params_hht(ALPHA, B);
  table_init(&r->data, "h,y_a,z_a,a_a,q_a,h_z,y_z,z_z,a_z,q_z,h_y,y_y,z_y,a_y,q_y");
  remainders_study(r, &orders, &par);
}

#define REST_CURVES(name, h, end)                                          \
  static const chart_curve name[] = {{h, "y" end, "of P Δy", CHART_MARKS}, \
                                     {h, "z" end, "of P Δz", CHART_MARKS}, \
                                     {h, "a" end, "Δa", CHART_MARKS},      \
                                     {.y = NULL}}
REST_CURVES(rest_a, "h", "_a");
REST_CURVES(rest_z, "h_z", "_z");
static const chart_panel theorem44_panels[] = {REMAINDERS_PANEL("Δa of size h", rest_a, {4, 2}),
                                               REMAINDERS_PANEL("Δz of size h", rest_z, {3, 1}),
                                               {.curves = NULL}};
static const chart theorem44_chart = {.panels = theorem44_panels};

const item jn07_theorem44 = {"jn07-theorem4.4",
                             "Theorem 4.4: perturbations of consistent values",
                             "P Δy and P Δz obey the recursion of the theorem up to its O-terms, "
                             "Δa after a step is as small "
                             "as Δy and Δz: the method forgets a wrong a0.",
                             "Two steps of (3.4), written down without the library, from values of "
                             "section 5.1 at t = 0.2 and "
                             "from others on the constraints, moved by h.",
                             theorem44,
                             &theorem44_chart,
                             0.1};

/* Theorem 4.5 */

/* Item jn07-theorem4.5: largest errors over all steps 0 < t <= 1 from a first-order a0 (plain
 * start), h = 0.05, halved, into the table; claims order 2 of y, z and a. */
static void theorem45(result *r) {
  lab l;
  table_init(&r->data, "h,y,z,a,zd,lam,psi");
  if (lab_open(&l, r, "jay-negrut-hht")) {
    const lab_plan plan = {.t_end = 1, .from = 0, .to = 1};
    l.o.method = "hht";
    l.o.par = ga_params_hht(ALPHA, B);
    l.o.start = GA_START_PLAIN;
    l.o.h = 0.05;
    if (lab_ladder(&l, &plan, r->quick ? 6 : 8, lab_euclid, FIELDS, 0)) {
      for (int i = 0; i < 3; i++) {
        claim_near(r, 2, 0.1, lab_slope(&r->data, 0, 1 + fields[i], 3),
                   "order of the largest error of %s over all steps n ≥ 1 to t = 1", names[i]);
      }
    }
  }
  lab_close(&l);
}

LOCAL_CURVES(global, "h", "");
static const chart_panel theorem45_panels[] = {{.xlabel = "h",
                                                .ylabel = "largest error in (0, 1]",
                                                .log_x = true,
                                                .log_y = true,
                                                .slopes = {2},
                                                .curves = global},
                                               {.curves = NULL}};
static const chart theorem45_chart = {.panels = theorem45_panels};

const item jn07_theorem45 = {
    "jn07-theorem4.5",
    "Theorem 4.5: global convergence from a first-order a0",
    "y, z and a are of order 2 for all n ≥ 1, although a0 − a(t0 + αh) = O(h) only.",
    "Method hht on the test problem of section 5.1, a0 = f(t0, y0, z0), largest error over all "
    "steps: no layer is left.",
    theorem45,
    &theorem45_chart,
    0.2};

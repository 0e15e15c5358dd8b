/* SPDX-License-Identifier: MIT */
/* Jay 2011: Theorem 3.1 (existence and uniqueness), Lemma 5.1 and Theorem 5.2 (perturbations). */
#include <math.h>

#include "papers/j11.h"
#include "papers/remainders.h"

typedef long double real;
enum { N = DIRECT_DIM, LEVELS = 6 };

/* Theorem 3.1 */

enum { GUESSES = 30 };

/* Start values that are consistent only as far as the theorem asks: k = O(h^1.5), which is o(h),
 * and M a - f, k' = O(h^0.5), which is o(1). */
static direct_state loose_start(real h) {
  direct_state x = direct_exact_nonholonomic(0, 0);
  x.z[1] += powl(h, 1.5L);
  x.a[0] += sqrtl(h);
  x.mult[0] += sqrtl(h);
  return x;
}

/* Largest distance, in (a, psi), of the solutions of one step from x0 found from GUESSES random
 * guesses within 0.3 of (a_alpha, psi_0) from the one found from that point itself. NaN if one
 * was not found; r then has the reason, unless it was the latter. */
static double solution_spread(result *r, const ga_params *par, real h, const direct_state *x0) {
  uint64_t seed = 11;
  double largest = 0;
  direct_state first;
  const real near[] = {x0->a[0], x0->a[1], x0->mult[0]};
  if (!direct_nonholonomic(par, h, near, x0, &first)) return NAN;
  for (int i = 0; i < GUESSES; i++) {
    direct_state x1;
    real guess[N + 1];
    for (int j = 0; j <= N; j++) guess[j] = near[j] + lab_random(&seed, -0.3, 0.3);
    if (!direct_nonholonomic(par, h, guess, x0, &x1)) {
      result_fail(r, "no solution from guess %d", i);
      return NAN;
    }
    largest =
        fmax(largest, direct_apart(first.a, x1.a) + (double)fabsl(first.mult[0] - x1.mult[0]));
  }
  return largest;
}

/* Changes |y1 - y0|, |z1 - z0|, |a - a_alpha|, |psi1 - psi0| in one step from consistent values
 * with a_alpha = a(t_0 + alpha h), for h = 0.02, halved LEVELS - 1 times: h and these into
 * columns 0..4. False, with the reason in r, if a step has no solution. */
static bool tabulate_changes(result *r, const ga_params *par) {
  for (int i = 0; i < LEVELS; i++) {
    real h = ldexpl(0.02L, -i), alpha = (real)par->alpha_m - par->alpha_f;
    direct_state x0 = direct_exact_nonholonomic(0, alpha * h), x1;
    const real guess[] = {x0.a[0], x0.a[1], x0.mult[0]};
    if (!direct_nonholonomic(par, h, guess, &x0, &x1)) return result_fail(r, "no solution");
    const double row[] = {(double)h, direct_apart(x1.y, x0.y), direct_apart(x1.z, x0.z),
                          direct_apart(x1.a, x0.a), (double)fabsl(x1.mult[0] - x0.mult[0])};
    for (int j = 0; j < 5; j++) table_set(&r->data, i, j, row[j]);
  }
  return true;
}

/* Largest |det/det_0 - (1 - alpha_m)(1 - alpha_f) gamma| over random parameters, h = 1e-5; det_0
 * is that for alpha_m = alpha_f = 0, gamma = 1. Fills columns 5 (formula) and 6 (quotient). */
static double determinant_error(result *r, int draws) {
  uint64_t seed = 3;
  const ga_params unit = {.alpha_m = 0, .alpha_f = 0, .beta = 0.25, .gamma = 1};
  real base = direct_det_nonholonomic(&unit, 1e-5L);
  double off = 0;
  for (int i = 0; i < draws; i++) {
    ga_params p = {.alpha_m = lab_random(&seed, -1, 0.95), .alpha_f = lab_random(&seed, -1, 0.95)};
    p.gamma = lab_random(&seed, -1, 2), p.beta = lab_random(&seed, 0, 1);
    double quotient = (double)(direct_det_nonholonomic(&p, 1e-5L) / base);
    double formula = (1 - p.alpha_m) * (1 - p.alpha_f) * p.gamma;
    table_set(&r->data, i, 5, formula), table_set(&r->data, i, 6, quotient);
    off = fmax(off, fabs(quotient - formula));
  }
  return off;
}

/* Item j11-theorem3.1: claims that all changes in one step are O(h), that the solution near
 * (a_alpha, psi_0) is unique, and that the determinant of its equations is as the formula says.
 * Table: columns 0..4 by tabulate_changes, 5 and 6 by determinant_error. */
static void theorem31(result *r) {
  static const char *const names[] = {"y1 − y0", "z1 − z0", "a_{1+α} − a_α", "ψ1 − ψ0"};
  ga_params par = ga_params_rho(0.2);
  table_init(&r->data, "h,dy,dz,da,dpsi,formula,det");
  if (!tabulate_changes(r, &par)) return;
  for (int j = 0; j < 4; j++) {
    claim_at_least(r, 1, lab_slope(&r->data, 0, j + 1, 3), "(3.1): order of %s", names[j])
        ->tolerance = 0.05;
  }
  direct_state x0 = loose_start(0.001L);
  claim *c =
      claim_at_most(r, 0, solution_spread(r, &par, 0.001L, &x0),
                    "unique solution near (a_α, ψ0), also from values that are consistent to "
                    "o(h) and o(1) only: largest distance of those found from %d random "
                    "guesses, h = 1e-3",
                    GUESSES);
  c->tolerance = 1e-12;
  c = claim_at_most(
      r, 0, determinant_error(r, 200),
      "γ ≠ 0, α_m ≠ 1, α_f ≠ 1 are what is needed: the determinant of the equations for "
      "(a, ψ) goes with (1−α_m)(1−α_f)γ, largest difference, 200 random sets");
  c->tolerance = 1e-3;
}

static const chart_curve change_curves[] = {{"h", "dy", "y1 − y0", CHART_MARKS},
                                            {"h", "dz", "z1 − z0", CHART_MARKS},
                                            {"h", "da", "a_{1+α} − a_α", CHART_MARKS},
                                            {"h", "dpsi", "ψ1 − ψ0", CHART_MARKS},
                                            {.y = NULL}};
static const chart_curve det_curves[] = {{"formula", "det", "200 random sets", CHART_POINTS},
                                         {"formula", "formula", "equal", CHART_DASHED},
                                         {.y = NULL}};
static const chart_panel theorem31_panels[] = {
    {.xlabel = "h",
     .ylabel = "change in one step",
     .log_x = true,
     .log_y = true,
     .slopes = {1},
     .curves = change_curves},
    {.xlabel = "(1−α_m)(1−α_f)γ", .ylabel = "determinant", .curves = det_curves},
    {.curves = NULL}};
static const chart theorem31_chart = {.panels = theorem31_panels};

const item j11_theorem31 = {"j11-theorem3.1",
                            "Theorem 3.1: existence and uniqueness of a step",
                            "If γ ≠ 0, α_m ≠ 1 and α_f ≠ 1 there is one solution near the values "
                            "of the step before, and all "
                            "changes are O(h).",
                            "(2.3) written down without the library on the test problem (7.1), ρ∞ "
                            "= 0.2; Newton's method from "
                            "random guesses; determinants for random parameters.",
                            theorem31,
                            &theorem31_chart,
                            0.1};

/* Lemma 5.1: both sides of (5.1) with random matrices */

enum { DIM = 5, ROWS = 2, SIZE = DIM + ROWS };

/* M, F and K of (5.1), dense, by rows */
typedef struct blocks {
  double M[DIM * DIM], F[DIM * ROWS], K[ROWS * DIM];
} blocks;

/* Random M (diagonally shifted by 3), F and K. Advances *seed. */
static blocks draw_blocks(uint64_t *seed) {
  blocks b;
  for (int i = 0; i < DIM * DIM; i++) b.M[i] = lab_random(seed, -1, 1) + (i % (DIM + 1) ? 0 : 3);
  for (int i = 0; i < DIM * ROWS; i++) {
    b.F[i] = lab_random(seed, -1, 1);
    b.K[i] = lab_random(seed, -1, 1);
  }
  return b;
}

/* A = [[m M, -f F], [k K, 0]], SIZE x SIZE by rows. */
static void compose_matrix(const blocks *b, double m, double f, double k, double *A) {
  for (int i = 0; i < SIZE; i++) {
    for (int j = 0; j < SIZE; j++) {
      double x = 0;
      if (i < DIM && j < DIM) x = m * b->M[i * DIM + j];
      if (i < DIM && j >= DIM) x = -f * b->F[i * ROWS + j - DIM];
      if (i >= DIM && j < DIM) x = k * b->K[(i - DIM) * DIM + j];
      A[i * SIZE + j] = x;
    }
  }
}

/* R = right side of (5.1), SIZE x SIZE by rows, from X = [[M, -F], [K, 0]]^-1 [[0], [K]] = (Q,
 * (K M^-1 F)^-1 K). nu is the factor of the block that takes the Q part of a into psi. False if
 * the matrix is singular. */
static bool right_side(const blocks *b, const ga_params *p, double *R) {
  double A[SIZE * SIZE], E[SIZE * SIZE], X[SIZE * SIZE];
  compose_matrix(b, 1, 1, 1, A);
  compose_matrix(b, 0, 0, 1, E);
  if (!lab_solve_columns(SIZE, A, E, X)) return false;
  double am = p->alpha_m, af = p->alpha_f, gamma = p->gamma;
  double nu = am / (1 - af) * (1 - (1 - gamma) * (1 - am) / (gamma * am));
  for (int i = 0; i < SIZE; i++) {
    for (int j = 0; j < SIZE; j++) {
      double Q = X[i * SIZE + j], value = 0;
      if (i < DIM && j < DIM) {
        value = am / (am - 1) * ((i == j ? 1 : 0) - Q) + (gamma - 1) / gamma * Q;
      } else if (j < DIM) {
        value = nu * Q;
      } else if (i >= DIM && i == j) {
        value = af / (af - 1);
      }
      R[i * SIZE + j] = value;
    }
  }
  return true;
}

/* Item j11-lemma5.1: largest relative difference of both sides of (5.1) over 2000 (200 if quick)
 * random matrices and rho_inf; singular draws are skipped. The first 400 go into the table;
 * differences of 0 are written as 1e-18 for the logarithmic axis. */
static void lemma51(result *r) {
  uint64_t seed = 5;
  int draws = r->quick ? 200 : 2000;
  double largest = 0;
  table_init(&r->data, "rho_inf,difference");
  for (int i = 0; i < draws; i++) {
    blocks b = draw_blocks(&seed);
    double rho = lab_random(&seed, 0.01, 0.99), A[SIZE * SIZE], E[SIZE * SIZE], L[SIZE * SIZE],
           R[SIZE * SIZE], off = 0, size = 0;
    ga_params p = ga_params_rho(rho);
    compose_matrix(&b, 1 - p.alpha_m, 1 - p.alpha_f, p.gamma, A);
    compose_matrix(&b, -p.alpha_m, -p.alpha_f, -(1 - p.gamma), E);
    if (!lab_solve_columns(SIZE, A, E, L) || !right_side(&b, &p, R)) continue;
    for (int k = 0; k < SIZE * SIZE; k++) {
      off = fmax(off, fabs(L[k] - R[k]));
      size = fmax(size, fabs(R[k]));
    }
    if (i < 400) table_set(&r->data, i, 0, rho), table_set(&r->data, i, 1, fmax(off / size, 1e-18));
    largest = fmax(largest, off / size);
  }
  claim *c = claim_at_most(r, 0, largest,
                           "(5.1): largest difference of both sides, relative, %d random sets of "
                           "matrices (5 velocities, 2 constraints) and ρ∞",
                           draws);
  c->tolerance = 1e-12;
}

static const chart_curve lemma51_curves[] = {
    {"rho_inf", "difference", "both sides of (5.1)", CHART_POINTS}, {.y = NULL}};
static const chart_panel lemma51_panels[] = {
    {.xlabel = "ρ∞", .ylabel = "relative difference", .log_y = true, .curves = lemma51_curves},
    {.curves = NULL}};
static const chart lemma51_chart = {.panels = lemma51_panels};

const item j11_lemma51 = {"j11-lemma5.1",
                          "Lemma 5.1: the recursion of a and ψ",
                          "The matrix that takes errors of (a, ψ) to the next step has the blocks "
                          "r_αm P + r_γ Q, r_αf, and "
                          "one that takes the Q part of a into ψ.",
                          "Both sides of (5.1) with random M, F, K, solved in extended precision.",
                          lemma51,
                          &lemma51_chart,
                          0.1};

/* Theorem 5.2: two neighbouring steps */

enum { KINDS = 4 };

/* Copy of x, moved by about h: a along P (kind 0), a along Q = I - P (1), psi (2), y and z on the
 * constraint (3). */
static direct_state moved_start(int kind, const direct_state *x, const real *P, real h) {
  static const real some[] = {0.8L, -0.5L};
  direct_state w = *x;
  real Px[N];
  direct_times(P, some, Px);
  for (int i = 0; i < N; i++) {
    if (kind == 0) w.a[i] += h * Px[i];
    if (kind == 1) w.a[i] += h * (some[i] - Px[i]);
  }
  if (kind == 2) w.mult[0] += h;
  if (kind == 3) direct_move_nonholonomic(&w, h / 2, h);
  return w;
}

/* A remainders_fn: distance of (y, z, a, psi) after a step from the moved start (w) from the
 * prediction of the theorem, without its O-terms, made from the step from the exact start (x) at
 * t = 0.2. False if a step has no solution. */
static bool step_remainders(int kind, const ga_params *par, real h, double rest[REMAINDERS]) {
  real am = par->alpha_m, af = par->alpha_f, beta = par->beta, gamma = par->gamma, P[N * N];
  direct_state x0 = direct_exact_nonholonomic(0.2L, (am - af) * h), x1, w1;
  direct_projector_nonholonomic(&x0, P);
  direct_state w0 = moved_start(kind, &x0, P, h);
  const real guess[] = {x0.a[0], x0.a[1], x0.mult[0]};
  if (!direct_nonholonomic(par, h, guess, &x0, &x1) ||
      !direct_nonholonomic(par, h, guess, &w0, &w1)) {
    return false;
  }
  real da[N], Pa[N], Qa[N], y[N], z[N], a[N];
  for (int i = 0; i < N; i++) da[i] = w0.a[i] - x0.a[i];
  direct_times(P, da, Pa);
  for (int i = 0; i < N; i++) {
    Qa[i] = da[i] - Pa[i];
    real dy = w0.y[i] - x0.y[i], dz = w0.z[i] - x0.z[i];
    y[i] = x1.y[i] + dy + h * dz + (0.5L + beta / (am - 1)) * h * h * Pa[i] +
           (0.5L - beta / gamma) * h * h * Qa[i];
    z[i] = x1.z[i] + dz + (1 + gamma / (am - 1)) * h * Pa[i];
    a[i] = x1.a[i] + am / (am - 1) * Pa[i] + (gamma - 1) / gamma * Qa[i];
  }
  real psi = x1.mult[0] - af / (1 - af) * (w0.mult[0] - x0.mult[0]);
  rest[0] = direct_apart(w1.y, y), rest[1] = direct_apart(w1.z, z), rest[2] = direct_apart(w1.a, a);
  rest[3] = (double)fabsl(w1.mult[0] - psi);
  return true;
}

/* Item j11-theorem5.2: orders of these remainders. */
static void theorem52(result *r) {
  /* from the theorem's O-terms with perturbations of size h */
  static const double least[KINDS][REMAINDERS] = {
      {4, 3, 2, 2}, {4, 3, 2, 1}, {4, 3, 2, 2}, {3, 2, 1, 1}};
  static const char *const of[] = {"P Δa = O(h)", "Q Δa = O(h)", "Δψ = O(h)", "Δy, Δz = O(h)"};
  static const remainders orders = {KINDS, of, {"Δy", "Δz", "Δa", "Δψ"}, least, step_remainders};
  ga_params par = ga_params_rho(0.2);
  table_init(
      &r->data,
      "h,y_p,z_p,a_p,psi_p,h_q,y_q,z_q,a_q,psi_q,h_s,y_s,z_s,a_s,psi_s,h_y,y_y,z_y,a_y,psi_y");
  remainders_study(r, &orders, &par);
}

#define REST_CURVES(name, h, end)                                          \
  static const chart_curve name[] = {{h, "y" end, "of Δy", CHART_MARKS},   \
                                     {h, "z" end, "of Δz", CHART_MARKS},   \
                                     {h, "a" end, "of Δa", CHART_MARKS},   \
                                     {h, "psi" end, "of Δψ", CHART_MARKS}, \
                                     {.y = NULL}}
REST_CURVES(rest_p, "h", "_p");
REST_CURVES(rest_q, "h_q", "_q");
static const chart_panel theorem52_panels[] = {REMAINDERS_PANEL("P Δa of size h", rest_p, {4, 2}),
                                               REMAINDERS_PANEL("Q Δa of size h", rest_q, {4, 1}),
                                               {.curves = NULL}};
static const chart theorem52_chart = {.panels = theorem52_panels};

const item j11_theorem52 = {
    "j11-theorem5.2",
    "Theorem 5.2: perturbations of consistent values",
    "The changes of y, z, a and ψ after a step are those of the theorem up to its O-terms; P Δa "
    "goes on "
    "with α_m/(α_m−1), Q Δa with (γ−1)/γ, Δψ with −α_f/(1−α_f).",
    "Two steps of (2.3), written down without the library, on the test problem (7.1) at t = 0.2, "
    "ρ∞ = 0.2, with a, ψ, or y and z moved by h.",
    theorem52,
    &theorem52_chart,
    0.1};

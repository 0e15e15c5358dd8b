/* SPDX-License-Identifier: MIT */
/* The formulas (3.4) of JN07 and (2.3) of J11, and the test problems, as they are printed. */
#include "papers/direct.h"

#include <math.h>
#include <string.h>

typedef long double real;
enum { N = DIRECT_DIM, UNKNOWNS = 3 };

/* Residuals of n equations in the n unknowns x (n <= UNKNOWNS), for newton() below. */
typedef void (*equations)(const void *context, const real *x, real *residual);

/* J = df/dx at x, n x n by rows, by one-sided difference quotients with the step 1e-7 (1 +
 * |x_j|). x must have room for UNKNOWNS numbers, also if n is less. */
static void difference_jacobian(equations f, const void *context, int n, const real *x, real *J) {
  real r0[UNKNOWNS], r1[UNKNOWNS], moved[UNKNOWNS];
  f(context, x, r0);
  for (int j = 0; j < n; j++) {
    memcpy(moved, x, sizeof moved);
    real step = 1e-7L * (1 + fabsl(x[j]));
    moved[j] += step;
    f(context, moved, r1);
    for (int i = 0; i < n; i++) J[i * n + j] = (r1[i] - r0[i]) / step;
  }
}

/* Determinant of the n x n matrix J; n is 2 or 3. */
static real determinant(int n, const real *J) {
  if (n == 2) return J[0] * J[3] - J[1] * J[2];
  return J[0] * (J[4] * J[8] - J[5] * J[7]) - J[1] * (J[3] * J[8] - J[5] * J[6]) +
         J[2] * (J[3] * J[7] - J[4] * J[6]);
}

/* Solves J x = b by Cramer's rule; n is 2 or 3. False if J is singular. */
static bool cramer(int n, const real *J, const real *b, real *x) {
  real d = determinant(n, J), A[UNKNOWNS * UNKNOWNS];
  if (!(fabsl(d) > 0)) return false;
  for (int k = 0; k < n; k++) {
    memcpy(A, J, (size_t)(n * n) * sizeof *A);
    for (int i = 0; i < n; i++) A[i * n + k] = b[i];
    x[k] = determinant(n, A) / d;
  }
  return true;
}

/* Solves f(x) = 0 by Newton's method with difference quotients, from the guess in x (room for
 * UNKNOWNS numbers), which becomes the solution. Ends when the relative change is below 1e-12
 * and falls by less than a factor 4, or after 60 steps. False if a matrix is singular or it did
 * not converge. */
static bool newton(equations f, const void *context, int n, real *x) {
  real J[UNKNOWNS * UNKNOWNS], r[UNKNOWNS], dx[UNKNOWNS], last = INFINITY;
  for (int k = 0; k < 60; k++) {
    real change = 0;
    difference_jacobian(f, context, n, x, J);
    f(context, x, r);
    if (!cramer(n, J, r, dx)) return false;
    for (int i = 0; i < n; i++) {
      x[i] -= dx[i];
      change = fmaxl(change, fabsl(dx[i]) / (1 + fabsl(x[i])));
    }
    if (!isfinite((double)change)) return false;
    if (change < 1e-12L && change >= last / 4) return true;
    last = change;
  }
  return last < 1e-15L;
}

/* JN07, section 5.1 */

/* Applied acceleration f(y, z) of the test problem of JN07 section 5.1. */
static void f_hht(const real *y, const real *z, real *f) {
  f[0] = y[0] * z[1] + 2 * y[1] * z[0];
  f[1] = y[1] * z[1] / 2 - 2 * y[0] * z[0] * y[1] * z[1];
}

/* Acceleration r(t, y, lambda) by the multiplier of the same problem. */
static void r_hht(real t, const real *y, real lambda, real *r) {
  r[0] = expl(t) * y[0] * lambda;
  r[1] = y[1] * lambda * lambda;
}

/* context of the equations of one step: from one state, its result is written to *to */
typedef struct hht_step {
  const ga_params *par;
  real h;
  const direct_state *from;
  direct_state *to;
} hht_step;

/* (3.4a) to (3.4d) for given mult = (Lambda_0, Lambda_1): sets t, y, z, a of s->to by
 * fixed-point iteration (at most 200 times, until the change is below 1e-18), whose contraction
 * factor is O(h). s->to->mult is not written. */
static void hht_values(const hht_step *s, const real *mult) {
  const direct_state *x0 = s->from;
  direct_state *x1 = s->to;
  real h = s->h, b = s->par->b, beta = s->par->beta, gamma = s->par->gamma;
  real alpha = -s->par->alpha_f, f0[N], f1[N], R0[N], R1[N];
  f_hht(x0->y, x0->z, f0);
  r_hht(x0->t, x0->y, mult[0], R0);
  x1->t = x0->t + h;
  memcpy(x1->y, x0->y, sizeof x1->y);
  memcpy(x1->z, x0->z, sizeof x1->z);
  for (int sweep = 0; sweep < 200; sweep++) {
    real change = 0;
    f_hht(x1->y, x1->z, f1);
    r_hht(x1->t, x1->y, mult[1], R1);
    for (int i = 0; i < N; i++) {
      real a1 = (1 + alpha) * f1[i] - alpha * f0[i], a0 = x0->a[i];
      real y = x0->y[i] + h * x0->z[i] + h * h / 2 * ((1 - 2 * beta) * a0 + 2 * beta * a1) +
               h * h / 2 * ((1 - b) * R0[i] + b * R1[i]);
      real z = x0->z[i] + h * ((1 - gamma) * a0 + gamma * a1) + h / 2 * (R0[i] + R1[i]);
      change = fmaxl(change, fabsl(y - x1->y[i]) + fabsl(z - x1->z[i]));
      x1->y[i] = y, x1->z[i] = z, x1->a[i] = a1;
    }
    if (change < 1e-18L) break;
  }
}

/* (3.4e) at s->to: residual[0] = g 2/h^2, residual[1] = g'/h, scaled as in the proof of Theorem
 * 4.1 so that their derivatives by the multipliers are O(1). */
static void constraint_residuals(const hht_step *s, real *residual) {
  const real *y = s->to->y, *z = s->to->z, h = s->h;
  residual[0] = 2 / (h * h) * (y[0] * y[0] * y[1] - 1);
  residual[1] = (2 * y[0] * y[1] * z[0] + y[0] * y[0] * z[1]) / h;
}

/* Residuals of the two equations for mult; also sets s->to. */
static void hht_equations(const void *context, const real *mult, real *residual) {
  const hht_step *s = context;
  hht_values(s, mult);
  constraint_residuals(s, residual);
}

/* One step of (3.4) with par->b, beta, gamma and alpha = -alpha_f, solved for both multipliers
 * from the guess; fills *to. False if Newton's method fails; *to is then of no use. */
bool direct_hht(const ga_params *par, real h, const real guess[N], const direct_state *from,
                direct_state *to) {
  const hht_step s = {par, h, from, to};
  real mult[UNKNOWNS] = {guess[0], guess[1], 0};
  if (!newton(hht_equations, &s, 2, mult)) return false;
  hht_values(&s, mult);
  memcpy(to->mult, mult, sizeof to->mult);
  return true;
}

/* Determinant of d residual/d(Lambda_0, Lambda_1) at Lambda = (1, 1), t = 0, exact start. */
real direct_det_hht(const ga_params *par, real h) {
  direct_state x0 = direct_exact_hht(0, (real)-par->alpha_f * h), x1;
  const hht_step s = {par, h, &x0, &x1};
  real J[UNKNOWNS * UNKNOWNS];
  const real mult[UNKNOWNS] = {1, 1, 0};
  difference_jacobian(hht_equations, &s, 2, mult, J);
  return determinant(2, J);
}

/* Stages y_i = y_0 + h sum a_ij zy_j; the velocity in y' takes the multipliers' force by IIIB, all
 * else is by IIIA, whose second stage is the end of the step:
 *   zy_i = z_0 + h sum (a_ij f_j + b_ij r_j),   zf_i = z_0 + h sum a_ij (f_j + r_j),
 *   f_j = f(y_j, zf_j),   r_j = r(t_j, y_j, mult_j).
 * Solved by 200 fixed-point sweeps; sets t, y, z, a of s->to. */
static void lobatto_values(const hht_step *s, const real *mult) {
  static const real A[N][N] = {{0, 0}, {0.5L, 0.5L}}, B[N][N] = {{0.5L, 0}, {0.5L, 0}};
  const direct_state *x0 = s->from;
  real h = s->h, y[N][N], zf[N][N], zy[N][N], f[N][N], r[N][N];
  for (int i = 0; i < N; i++) {
    for (int c = 0; c < N; c++) y[i][c] = x0->y[c], zf[i][c] = zy[i][c] = x0->z[c];
  }
  for (int sweep = 0; sweep < 200; sweep++) {
    for (int i = 0; i < N; i++) {
      f_hht(y[i], zf[i], f[i]);
      r_hht(x0->t + (real)i * h, y[i], mult[i], r[i]);
    }
    for (int i = 0; i < N; i++) {
      for (int c = 0; c < N; c++) {
        y[i][c] = x0->y[c], zf[i][c] = zy[i][c] = x0->z[c];
        for (int j = 0; j < N; j++) {
          zy[i][c] += h * (A[i][j] * f[j][c] + B[i][j] * r[j][c]);
          zf[i][c] += h * A[i][j] * (f[j][c] + r[j][c]);
        }
      }
    }
    for (int c = 0; c < N; c++) y[1][c] = x0->y[c] + h / 2 * (zy[0][c] + zy[1][c]);
  }
  s->to->t = x0->t + h;
  memcpy(s->to->y, y[1], sizeof s->to->y);
  memcpy(s->to->z, zf[1], sizeof s->to->z);
  memcpy(s->to->a, f[1], sizeof s->to->a);
}

/* Residuals of the two equations for the stage multipliers; also sets s->to. */
static void lobatto_equations(const void *context, const real *mult, real *residual) {
  const hht_step *s = context;
  lobatto_values(s, mult);
  constraint_residuals(s, residual);
}

/* One step of length h of the Lobatto IIIA/IIIB method; solves for the multipliers of both
 * stages from the guess and fills *to. False if Newton's method fails; *to is then of no use. */
bool direct_lobatto(real h, const real guess[N], const direct_state *from, direct_state *to) {
  const hht_step s = {NULL, h, from, to};
  real mult[UNKNOWNS] = {guess[0], guess[1], 0};
  if (!newton(lobatto_equations, &s, 2, mult)) return false;
  lobatto_values(&s, mult);
  memcpy(to->mult, mult, sizeof to->mult);
  return true;
}

/* t, y and z of the exact solution, the same in both test problems. */
static void set_motion(direct_state *x, real t) {
  x->t = t;
  x->y[0] = x->z[0] = expl(t);
  x->y[1] = expl(-2 * t), x->z[1] = -2 * x->y[1];
}

/* Exact state at t; a is f at t + shift, both multipliers e^-t. */
direct_state direct_exact_hht(real t, real shift) {
  direct_state x, later;
  set_motion(&x, t);
  set_motion(&later, t + shift);
  f_hht(later.y, later.z, x.a);
  x.mult[0] = x.mult[1] = expl(-t);
  return x;
}

/* P = I - R (G R)^-1 G, 2 x 2 by rows, for a force along R and a constraint with gradient G; G R
 * must not be 0. */
static void projector(const real *R, const real *G, real *P) {
  real GR = G[0] * R[0] + G[1] * R[1];
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) P[i * N + j] = (i == j ? 1 : 0) - R[i] * G[j] / GR;
  }
}

/* P with R = r_lambda and G = g_y at x, for lambda = e^-t, its exact value. */
void direct_projector_hht(const direct_state *x, real P[N * N]) {
  const real R[] = {expl(x->t) * x->y[0], 2 * x->y[1] * expl(-x->t)};
  const real G[] = {2 * x->y[0] * x->y[1], x->y[0] * x->y[0]};
  projector(R, G, P);
}

/* Moves y_1 by dy and z_1 by dz, and sets y_2, z_2 from g = 0, g' = 0. */
void direct_move_hht(direct_state *x, real dy, real dz) {
  x->y[0] += dy, x->z[0] += dz;
  x->y[1] = 1 / (x->y[0] * x->y[0]);
  x->z[1] = -2 * x->y[1] * x->z[0] / x->y[0];
}

/* J11, (7.1) */

/* M(t, y) of (7.1), 2 x 2 by rows. */
static void mass_71(real t, const real *y, real *M) {
  M[0] = y[0], M[1] = y[1] - expl(-2 * t);
  M[2] = sinl(y[0] - expl(t)), M[3] = y[0] * y[1];
}

/* Force f(t, y, z, psi) of (7.1). */
static void f_71(real t, const real *y, const real *z, real psi, real *f) {
  f[0] = expl(t) * (y[0] * z[1] + 2 * y[1] * z[0]) + expl(2 * t) * y[0] * psi;
  f[1] = expl(-t) * (y[1] * z[1] / 2 - 2 * y[0] * z[0] * y[1] * z[1] + y[1] * psi * psi);
}

/* Nonholonomic constraint k(y, z) of (7.1), zero on the solution. */
static real k_71(const real *y, const real *z) {
  return z[0] * z[0] * z[1] + 6 * y[0] * y[1] * z[0] - 4;
}

/* For x = (a_{1+alpha}, psi_1): sets t, y, z, a of s->to by (2.3a), (2.3b), and writes three
 * residuals: (2.3c), two rows, with M_alpha at the predicted points, then (2.3d) over h. */
static void nonholonomic_equations(const void *context, const real *x, real *residual) {
  const hht_step *s = context;
  const direct_state *x0 = s->from;
  direct_state *x1 = s->to;
  const ga_params *p = s->par;
  real h = s->h, alpha = (real)p->alpha_m - p->alpha_f, f0[N], f1[N], M0[N * N], M1[N * N];
  real y_old[N], y_new[N];
  x1->t = x0->t + h;
  for (int i = 0; i < N; i++) {
    x1->a[i] = x[i];
    x1->y[i] = x0->y[i] + h * x0->z[i] +
               h * h / 2 * ((1 - 2 * (real)p->beta) * x0->a[i] + 2 * (real)p->beta * x[i]);
    x1->z[i] = x0->z[i] + h * ((1 - (real)p->gamma) * x0->a[i] + (real)p->gamma * x[i]);
    y_old[i] = x0->y[i] + h * alpha * x0->z[i];
    y_new[i] = x0->y[i] + h * (1 + alpha) * x0->z[i];
  }
  mass_71(x0->t + alpha * h, y_old, M0);
  mass_71(x0->t + (1 + alpha) * h, y_new, M1);
  f_71(x0->t, x0->y, x0->z, x0->mult[0], f0);
  f_71(x1->t, x1->y, x1->z, x[N], f1);
  for (int i = 0; i < N; i++) {
    real new = M1[i * N] * x[0] + M1[i * N + 1] * x[1];
    real old = M0[i * N] * x0->a[0] + M0[i * N + 1] * x0->a[1];
    residual[i] = (1 - (real)p->alpha_m) * new + (real)p->alpha_m *old -
                  (1 - (real)p->alpha_f) * f1[i] - (real)p->alpha_f *f0[i];
  }
  residual[N] = k_71(x1->y, x1->z) / h;
}

/* One step of (2.3), solved for (a, psi) from the guess; fills *to (the last evaluation does),
 * with mult = (psi, 0). False if Newton's method fails; *to is then of no use. */
bool direct_nonholonomic(const ga_params *par, real h, const real guess[N + 1],
                         const direct_state *from, direct_state *to) {
  const hht_step s = {par, h, from, to};
  real x[UNKNOWNS], residual[UNKNOWNS];
  memcpy(x, guess, sizeof x);
  if (!newton(nonholonomic_equations, &s, UNKNOWNS, x)) return false;
  nonholonomic_equations(&s, x, residual);
  to->mult[0] = x[N], to->mult[1] = 0;
  return true;
}

/* Determinant of d residual/d(a, psi) at t = 0, exact start. */
real direct_det_nonholonomic(const ga_params *par, real h) {
  direct_state x0 = direct_exact_nonholonomic(0, ((real)par->alpha_m - par->alpha_f) * h), x1;
  const hht_step s = {par, h, &x0, &x1};
  real J[UNKNOWNS * UNKNOWNS];
  const real x[UNKNOWNS] = {x0.a[0], x0.a[1], x0.mult[0]};
  difference_jacobian(nonholonomic_equations, &s, UNKNOWNS, x, J);
  return determinant(UNKNOWNS, J);
}

/* Exact state at t; a is v' at t + shift. */
direct_state direct_exact_nonholonomic(real t, real shift) {
  direct_state x;
  set_motion(&x, t);
  x.a[0] = expl(t + shift), x.a[1] = 4 * expl(-2 * (t + shift));
  x.mult[0] = expl(-t), x.mult[1] = 0;
  return x;
}

/* P with R = M^-1 f_psi, G = k_z. P is unchanged if M is singular. */
void direct_projector_nonholonomic(const direct_state *x, real P[N * N]) {
  real M[N * N], R[UNKNOWNS], f[UNKNOWNS];
  const real G[] = {2 * x->z[0] * x->z[1] + 6 * x->y[0] * x->y[1], x->z[0] * x->z[0]};
  mass_71(x->t, x->y, M);
  f[0] = expl(2 * x->t) * x->y[0];
  f[1] = 2 * expl(-x->t) * x->y[1] * x->mult[0];
  if (cramer(N, M, f, R)) projector(R, G, P);
}

/* Moves y by (dy, dy) and z_1 by dz, and sets z_2 from k = 0. */
void direct_move_nonholonomic(direct_state *x, real dy, real dz) {
  for (int i = 0; i < N; i++) x->y[i] += dy;
  x->z[0] += dz;
  x->z[1] = (4 - 6 * x->y[0] * x->y[1] * x->z[0]) / (x->z[0] * x->z[0]);
}

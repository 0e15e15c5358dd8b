/* SPDX-License-Identifier: MIT */
/* Extrapolation of x(h) = x + c_2 h^2 + c_3 h^3 + ... from any falling steps h_j, on R^n and on
 * groups, by Brezinski's E-algorithm for the error functions g_m(h) = h^(m+1):
 *
 *   T_{j,0} = x(h_j),             T_{j,k} = T_{j,k-1} + (T_{j,k-1} - T_{j-1,k-1})/f_{j,k}
 *   g_{j,m}^(0) = h_j^(m+1),      the same recursion for g_{j,m}^(k), m > k
 *   f_{j,k} = g_{j-1,k}^(k-1)/g_{j,k}^(k-1) - 1
 *
 * Column k - 1 has the error c g_{j,k}^(k-1) + ..., hence f. Halved steps: g_{j,m}^(k) falls by
 * 2^(m+1) from row to row whatever k, f_{j,k} = 2^(k+1) - 1, Neville's scheme.
 *
 * On a group the difference is the logarithm w, q_b = q_a o exp(w~), and T_{j,k} = q_b o exp(w~/f).
 * With q_a, q_b = q o exp(e~) for errors e_a, e_b, w is e_b - e_a - [e_a, e_b]/2 + ..., and as the
 * leading terms of both errors are parallel, the bracket is O(h^5) and has a series of its own.
 *
 * With a run of 2h in front there are two results in column K, whose leading errors are as
 * g_{j-1,K+1} to g_{j,K+1}: that of the better one is their distance over this ratio less one, for
 * halved steps 2^(K+2) - 1.
 *
 * Where c_3 is very small (index3 on the heavy top with rho_inf = 0.9), T_{.,1} falls by 16. Powers
 * 2, 4, ... in place of 2, 3, ... would suit it better at large h, but leave the order at 3 and the
 * error estimates, measured, at a ninth of the truth; so the powers are always the same. */
#include "extrapolate/tableau.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "lie/lie.h"

/* Where q, v, vd, lam, psi of this model begin in a packed state; it borrows the space. */
ga_layout ga_layout_of(const ga_model *model) {
  int nq = ga_space_nq(model->space), nv = ga_space_nv(model->space);
  const int sizes[GA_VARIABLES] = {nq, nv, nv, model->nlam, model->npsi};
  ga_layout layout = {.space = model->space};
  for (int i = 0; i < GA_VARIABLES; i++) layout.at[i + 1] = layout.at[i] + sizes[i];
  return layout;
}

/* Copy q, v, vd, lam, psi of the state to x, which has room for at[GA_VARIABLES] numbers. */
void ga_layout_pack(const ga_layout *layout, const ga_state *state, double *x) {
  const double *const fields[GA_VARIABLES] = {state->q, state->v, state->vd, state->lam,
                                              state->psi};
  for (int i = 0; i < GA_VARIABLES; i++) {
    size_t n = (size_t)(layout->at[i + 1] - layout->at[i]);
    if (n > 0) memcpy(x + layout->at[i], fields[i], n * sizeof *x);
  }
}

/* Let q, v, vd, lam, psi of *state point into x; its other members do not change. */
void ga_layout_unpack(const ga_layout *layout, const double *x, ga_state *state) {
  const double **const fields[GA_VARIABLES] = {&state->q, &state->v, &state->vd, &state->lam,
                                               &state->psi};
  for (int i = 0; i < GA_VARIABLES; i++) *fields[i] = x + layout->at[i];
}

/* Largest difference of a and b in one variable (0: q, along the group; 1: v, ..); NaN if one
 * is. */
double ga_layout_distance(const ga_layout *layout, int variable, const double *a, const double *b) {
  if (variable == 0) return ga_space_distance(layout->space, a, b);
  double largest = 0;
  for (int i = layout->at[variable]; i < layout->at[variable + 1]; i++) {
    largest = ga_larger(largest, fabs(a[i] - b[i]));
  }
  return largest;
}

/* b <- b + (b - a)/f for packed states, in q along the group; w: work of nv numbers. */
void ga_layout_extrapolate(const ga_layout *layout, double f, const double *a, double *b,
                           double *w) {
  int nv = layout->at[2] - layout->at[1];
  ga_space_diff(layout->space, a, b, w);
  for (int i = 0; i < nv; i++) w[i] /= f;
  ga_space_step(layout->space, b, w, b);
  for (int i = layout->at[1]; i < layout->at[GA_VARIABLES]; i++) b[i] += (b[i] - a[i]) / f;
}

/* m_j, the number of steps h/m_j in a step h: j + 1 (harmonic) or 2^j (halved). */
int ga_substeps(ga_extrapolate_steps steps, int j) {
  return steps == GA_STEPS_HARMONIC ? j + 1 : 1 << j;
}

/* Distance of the two results over the error of the better one: falls - 1 for even K. falls,
 * next_falls: ratios of the leading and of the next error term of both. For odd K the odd power K +
 * 2 may be missing, so that the next power rules (7 or 15 for halved steps, K = 1); a number
 * between, 9 there, in general (7 + next_falls/falls)/7 of the former. */
static double error_divisor(int K, double falls, double next_falls) {
  return (falls - 1) * (K % 2 == 1 ? (7 + next_falls / falls) / 7 : 1);
}

enum { POWERS = GA_TABLEAU_ROWS_MAX + 2 };

/* Column k of the E-algorithm above, applied to the error functions alone: f[row] from column
 * k - 1, then g[m][row] for m = k + 1, .., powers, in place. */
static void eliminate(int k, int rows, int powers, double g[POWERS][GA_TABLEAU_ROWS_MAX],
                      double *f) {
  for (int row = k; row < rows; row++) f[row] = g[k][row - 1] / g[k][row] - 1;
  for (int m = k + 1; m <= powers; m++) {
    for (int row = rows - 1; row >= k; row--) g[m][row] += (g[m][row] - g[m][row - 1]) / f[row];
  }
}

/* Coefficients of the last row; steps are measured in the last one, so that no power overflows. */
ga_tableau_row ga_tableau_last_row(int rows, const double *m) {
  ga_tableau_row of = {.columns = rows};
  double g[POWERS][GA_TABLEAU_ROWS_MAX] = {{0}}, f[GA_TABLEAU_ROWS_MAX];
  for (int p = 1; p <= rows; p++) {
    for (int row = 0; row < rows; row++) g[p][row] = pow(m[rows - 1] / m[row], p + 1);
  }
  for (int k = 0; k < rows; k++) {
    if (k > 0) eliminate(k, rows, rows, g, f);
    if (k > 0) of.f[k] = f[rows - 1];
    if (k < rows - 1) of.falls[k] = fabs(g[k + 1][rows - 2] / g[k + 1][rows - 1]);
  }
  return of;
}

/* The divisors f_{j,k}. Row 0 is the step 2h, row j + 1 the step h/m_j; h = 1 here. K is at most
 * GA_EXTRAPOLATE_MAX. Also sets fall and divisor (tableau.h). */
ga_divisors ga_factors_of(ga_extrapolate_steps steps, int K) {
  ga_divisors of = {.K = K};
  double g[POWERS][GA_TABLEAU_ROWS_MAX] = {{0}}; /* g[m][row] */
  for (int m = 1; m <= K + 2; m++) {
    g[m][0] = ldexp(1, m + 1);
    for (int j = 0; j <= K; j++) g[m][j + 1] = pow(1.0 / ga_substeps(steps, j), m + 1);
  }
  for (int k = 1; k <= K; k++) {
    if (k == K) of.fall = (g[k][K - 1] - g[k][K]) / (g[k][K] - g[k][K + 1]);
    eliminate(k, K + 2, K + 2, g, of.f[k]);
  }
  of.divisor = error_divisor(K, g[K + 1][K] / g[K + 1][K + 1], g[K + 2][K] / g[K + 2][K + 1]);
  return of;
}

/* Factor by which the last two differences of a column fall; last points to its last row, and two
 * rows are before it. INFINITY or NaN if the last difference is zero. */
static double fall_of_differences(const ga_layout *layout, int variable, double *const *last) {
  return ga_layout_distance(layout, variable, last[-2], last[-1]) /
         ga_layout_distance(layout, variable, last[-1], last[0]);
}

/* Compute the tableau column by column, in place; from the last row up, so that row - 1 is still
 * old. x has K + 2 states; x[K+1] becomes the result, x[K] the one from 2h on. x[0] NULL: no run
 * with 2h, then fall is not set. */
void ga_combine(const ga_layout *layout, const ga_divisors *factors, double *const *x, double *w,
                double fall[GA_VARIABLES]) {
  int K = factors->K, first = x[0] ? 0 : 1;
  for (int k = 1; k <= K; k++) {
    for (int i = 0; i < GA_VARIABLES && k == K && x[0]; i++) {
      fall[i] = fall_of_differences(layout, i, x + K + 1);
    }
    for (int row = K + 1; row >= first + k; row--) {
      ga_layout_extrapolate(layout, factors->f[k][row], x[row - 1], x[row], w);
    }
  }
}

/* error[i] of each variable, from the distance of the results with and without 2h; NaN if with_2h
 * is NULL. If the differences fell by less than half of the expected factor, h is too large for the
 * theory, or the difference is rounding: then the distance itself is the error. */
void ga_combined_errors(const ga_layout *layout, const ga_divisors *factors,
                        const double fall[GA_VARIABLES], const double *with_2h,
                        const double *result, double error[GA_VARIABLES]) {
  for (int i = 0; i < GA_VARIABLES; i++) {
    error[i] = with_2h ? ga_layout_distance(layout, i, with_2h, result) : NAN;
    if (with_2h && !(fall[i] < factors->fall / 2)) error[i] /= factors->divisor;
  }
}

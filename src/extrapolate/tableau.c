/* SPDX-License-Identifier: MIT */
/* Neville's scheme for x(h) = x + c_2 h^2 + c_3 h^3 + ..., on R^n and on groups.
 *
 *   T_{j,0} = x(h/2^j),   T_{j,k} = T_{j,k-1} + (T_{j,k-1} - T_{j-1,k-1})/(2^(k+1) - 1)
 *
 * On a group the difference is the logarithm w, q_b = q_a o exp(w~), and T_{j,k} = q_b o exp(w~/f).
 * With q_a, q_b = q o exp(e~) for errors e_a, e_b, w is e_b - e_a - [e_a, e_b]/2 + ..., and as the
 * leading terms of both errors are parallel, the bracket is O(h^5) and has a series of its own.
 *
 * With j = -1 in front (a run with 2h) there are two results, T_{K,K} and T_{K-1,K}, whose errors
 * c h^(K+2) differ by the factor 2^(K+2): that of the former is their distance over 2^(K+2) - 1.
 *
 * Where c_3 is very small (index3 on the heavy top with rho_inf = 0.9), T_{.,1} falls by 16. Powers
 * 2, 4, ... in place of 2, 3, ... would suit it better at large h, but leave the order at 3 and the
 * error estimates, measured, at a ninth of the truth; so the powers are always the same. */
#include "extrapolate/tableau.h"

#include <math.h>
#include <string.h>

#include "base/base.h"

ga_layout ga_layout_of(const ga_model *model) {
  int nq = ga_space_nq(model->space), nv = ga_space_nv(model->space);
  const int sizes[GA_VARIABLES] = {nq, nv, nv, model->nlam, model->npsi};
  ga_layout layout = {.space = model->space};
  for (int i = 0; i < GA_VARIABLES; i++) layout.at[i + 1] = layout.at[i] + sizes[i];
  return layout;
}

void ga_layout_pack(const ga_layout *layout, const ga_state *state, double *x) {
  const double *const parts[GA_VARIABLES] = {state->q, state->v, state->vd, state->lam, state->psi};
  for (int i = 0; i < GA_VARIABLES; i++) {
    size_t n = (size_t)(layout->at[i + 1] - layout->at[i]);
    if (n > 0) memcpy(x + layout->at[i], parts[i], n * sizeof *x);
  }
}

void ga_layout_unpack(const ga_layout *layout, const double *x, ga_state *state) {
  const double **const parts[GA_VARIABLES] = {&state->q, &state->v, &state->vd, &state->lam,
                                              &state->psi};
  for (int i = 0; i < GA_VARIABLES; i++) *parts[i] = x + layout->at[i];
}

double ga_layout_distance(const ga_layout *layout, int variable, const double *a, const double *b) {
  if (variable == 0) return ga_space_distance(layout->space, a, b);
  double largest = 0;
  for (int i = layout->at[variable]; i < layout->at[variable + 1]; i++) {
    double d = fabs(a[i] - b[i]);
    if (!(d <= largest)) largest = d; /* NaN stays */
  }
  return largest;
}

void ga_layout_extrapolate(const ga_layout *layout, double f, const double *a, double *b,
                           double *w) {
  int nv = layout->at[2] - layout->at[1];
  ga_space_diff(layout->space, a, b, w);
  for (int i = 0; i < nv; i++) w[i] /= f;
  ga_space_step(layout->space, b, w, b);
  for (int i = layout->at[1]; i < layout->at[GA_VARIABLES]; i++) b[i] += (b[i] - a[i]) / f;
}

/* by which factor the last two differences of a column fall; 2^p, where h^p is the leading power of
 * its error */
static double fall_of(const ga_layout *layout, int variable, double *const *last) {
  return ga_layout_distance(layout, variable, last[-2], last[-1]) /
         ga_layout_distance(layout, variable, last[-1], last[0]);
}

/* By which number the distance of the two results is divided. If the differences before did not
 * fall by half of what they should, h is too large for the theory, or the difference is rounding:
 * then the distance itself. For odd K nothing tells whether the odd power K + 2 is there, which
 * leads to 7 (K = 1), or very small, which leads to 15: a number between them, nearer to the
 * former.
 */
static double divisor(int K, double fall) {
  if (fall < ldexp(1, K)) return 1;
  return (ldexp(1, K + 2) - 1) * (K % 2 == 1 ? 9.0 / 7 : 1);
}

void ga_tableau(const ga_layout *layout, int K, int count, double *const *x, double *finest,
                double *w, double error[GA_VARIABLES], double finest_error[GA_VARIABLES]) {
  bool coarser = count == K + 2;
  double *const *last = x + count - 1;
  double fall[GA_VARIABLES] = {0};
  memcpy(finest, *last, (size_t)layout->at[GA_VARIABLES] * sizeof *finest);
  for (int k = 1; k <= K; k++) {
    if (coarser && k == K) {
      for (int i = 0; i < GA_VARIABLES; i++) fall[i] = fall_of(layout, i, last);
    }
    double f = ldexp(1, k + 1) - 1;
    for (int j = count - 1; j >= k; j--) ga_layout_extrapolate(layout, f, x[j - 1], x[j], w);
  }
  for (int i = 0; i < GA_VARIABLES; i++) {
    finest_error[i] = ga_layout_distance(layout, i, finest, *last);
    error[i] = coarser ? ga_layout_distance(layout, i, last[-1], *last) / divisor(K, fall[i]) : NAN;
  }
}

/* SPDX-License-Identifier: MIT */
/* Orders of the remainders of theorems on perturbed start values, see remainders.h. */
#include "papers/remainders.h"

#include <math.h>

enum { N = DIRECT_DIM, LEVELS = 6, WIDTH = REMAINDERS + 1, POINTS = 3 };

/* Euclidean distance of a and b (2 numbers each). */
double direct_apart(const long double *a, const long double *b) {
  return (double)hypotl(a[0] - b[0], a[1] - b[1]);
}

/* Px = P x for the 2 x 2 matrix P by rows. */
void direct_times(const long double *P, const long double *x, long double *Px) {
  for (int i = 0; i < N; i++) Px[i] = P[i * N] * x[0] + P[i * N + 1] * x[1];
}

/* For each kind: remainders for h = 0.02/2^i, i < LEVELS, into the table; claims that their orders
 * (slopes through the last POINTS) are at least s->least. Stops, with the reason in r, if a step
 * has no solution. */
void remainders_study(result *r, const remainders *s, const ga_params *par) {
  for (int k = 0; k < s->kinds; k++) {
    const int column = WIDTH * k;
    for (int i = 0; i < LEVELS; i++) {
      double rest[REMAINDERS];
      long double h = ldexpl(0.02L, -i);
      if (!s->after(k, par, h, rest)) {
        result_fail(r, "no solution, h = %Lg", h);
        return;
      }
      table_set(&r->data, i, column, (double)h);
      for (int j = 0; j < REMAINDERS; j++) table_set(&r->data, i, column + 1 + j, rest[j]);
    }
    for (int j = 0; j < REMAINDERS; j++) {
      if (s->least[k][j] == 0) continue;
      claim_at_least(r, s->least[k][j], lab_slope(&r->data, column, column + 1 + j, POINTS),
                     "%s: order of the remainder of %s after one step", s->of[k], s->what[j])
          ->tolerance = 0.05;
    }
  }
}

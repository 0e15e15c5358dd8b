/* SPDX-License-Identifier: MIT */
/* R^n: addition. The one group where n is a dimension and not a number of copies. */
#include <string.h>

#include "lie/lie.h"

/* q1 = q + w; also the group product */
static void rn_step(int n, const double *q, const double *w, double *q1) {
  for (int i = 0; i < n; i++) q1[i] = q[i] + w[i];
}

/* w = qb - qa */
static void rn_diff(int n, const double *qa, const double *qb, double *w) {
  for (int i = 0; i < n; i++) w[i] = qb[i] - qa[i];
}

/* T = I, n x n by rows; the product space never asks for it, as R^n commutes */
static void rn_tangent(int n, const double *w, double *T) {
  (void)w;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) T[(size_t)i * (size_t)n + (size_t)j] = i == j;
  }
}

/* c = 0 */
static void rn_bracket(int n, const double *a, const double *b, double *c) {
  (void)a;
  (void)b;
  memset(c, 0, (size_t)n * sizeof *c);
}

/* largest |qa_i - qb_i|, NaN if one is NaN */
static double rn_distance(int n, const double *qa, const double *qb) {
  double largest = 0;
  for (int i = 0; i < n; i++) largest = ga_larger(largest, fabs(qa[i] - qb[i]));
  return largest;
}

/* q = 0 */
static void rn_identity(int n, double *q) {
  memset(q, 0, (size_t)n * sizeof *q);
}

/* nothing to do: every vector is in the group */
static void rn_clean(int n, double *q) {
  (void)n;
  (void)q;
}

/* size_i = |q_i| */
static void rn_size(int n, const double *q, double *size) {
  for (int i = 0; i < n; i++) size[i] = fabs(q[i]);
}

const ga_group ga_group_rn = {
    .name = "rn",
    .nq = 1,
    .nv = 1,
    .commutative = true,
    .step = rn_step,
    .diff = rn_diff,
    .compose = rn_step,
    .tangent = rn_tangent,
    .bracket = rn_bracket,
    .distance = rn_distance,
    .identity = rn_identity,
    .clean = rn_clean,
    .size = rn_size,
};

/* SPDX-License-Identifier: MIT */
/* Private to the judge: what is allowed in a row, and the sizes that it is made of. */
#ifndef GA_SRC_ALLOW_H
#define GA_SRC_ALLOW_H

#include <math.h>

#include "step/acceptance/judge.h"

/* One rounding of a constraint row is factor |D| size, D its gradient, which is part of the
 * equations and no claim. Rows of accelerations have a further term. */
typedef struct ga_row_rounding {
  const ga_csr *D;
  const double *size;
  double factor, noise; /* noise: one rounding of a number, relative to its size */
  double speed;         /* of acceleration rows: factor |D| (|x| + speed V) besides; else 0 */
  /* D is a difference quotient whose noise counts: each entry is rounded like the largest of its
   * row, at the sizes of q_1 (NULL for a derivative by v) and times those of v_1 */
  bool quotient;
  const double *now_q, *now_v;
} ga_row_rounding;

/* The sizes of constraint row i: |D| times those of accelerations, |D| times those of the summands
 * of q or v, and one rounding. The first two together are the row's terms. */
typedef struct ga_row_sizes {
  double by_x, summed, rounding;
} ga_row_sizes;

/* What is allowed in a row: proved; with what tangents claim; with all that shaken constraints may
 * excuse. */
typedef struct ga_allowance {
  double proved, claimed, shakable;
} ga_allowance;

/* sum_k |A_ik| x_k for x >= 0 */
static inline double ga_allow_row_sum(const ga_csr *A, int i, const double *x) {
  double sum = 0;
  for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) sum += fabs(A->val[e]) * x[A->col[e]];
  return sum;
}

/* What a velocity brings to the sum that accepts most constraint rows: newton_tol |x|, and factor
 * times the size that roundings are relative to. It is formed where it is needed: mostly the first
 * entry of a row tells, and long vectors are not gone through once more. */
typedef struct ga_bound {
  double tol, factor;
  const double *size_x, *size;
} ga_bound;

static inline double ga_bound_of(const ga_bound *b, int k) {
  return b->tol * b->size_x[k] + b->factor * b->size[k];
}

/* sum_k |D_ik| bound_k; is r at most that? */
static inline double ga_allow_row_bound(const ga_csr *D, int i, const ga_bound *bound) {
  double sum = 0;
  for (int e = D->ptr[i]; e < D->ptr[i + 1]; e++) {
    sum += fabs(D->val[e]) * ga_bound_of(bound, D->col[e]);
  }
  return sum;
}

static inline bool ga_allow_within(const ga_csr *D, int i, const ga_bound *bound, double r) {
  double sum = 0;
  int e = D->ptr[i], end = D->ptr[i + 1];
  while (r > sum && e < end) {
    sum += fabs(D->val[e]) * ga_bound_of(bound, D->col[e]);
    e++;
  }
  return r <= sum;
}

/* Is r at most one rounding of row i, factor |D| size? The first terms tell mostly, as they do
 * above. */
static inline bool ga_allow_closed(const ga_row_rounding *k, int i, double r) {
  const ga_csr *D = k->D;
  double sum = 0;
  int e = D->ptr[i], end = D->ptr[i + 1];
  while (r > k->factor * sum && e < end) {
    sum += fabs(D->val[e]) * k->size[D->col[e]];
    e++;
  }
  return r <= k->factor * sum;
}

/* The sizes of accelerations at an iterate, into size_x. */
void ga_allow_accelerations(ga_judge *j, const ga_iterate *at);
/* Add what eta moves to size_q. */
ga_status ga_allow_count_eta(ga_judge *j, const ga_iterate *at);

/* Constraint rows: one rounding, the sizes of row i, the rounding of the liveliest motion in its
 * part, all that is allowed. */
ga_row_rounding ga_allow_rounding(ga_judge *j, ga_con_kind kind, ga_look look);
ga_row_sizes ga_allow_sizes(const ga_judge *j, const ga_row_rounding *k, int i);
double ga_allow_motion(const ga_judge *j, const ga_csr *D, int i);
ga_allowance ga_allow_constraint(const ga_judge *j, int c, int i, ga_row_sizes size, ga_look look);

/* Force rows: the strongest forces; in a team also the sums over the ranks; what is too faint to
 * count; what is allowed in dynamic row i, as far as it takes to allow r. */
void ga_allow_prepare(ga_judge *j, const double *terms);
ga_status ga_allow_sum_forces(ga_judge *j, const ga_iterate *at, ga_look look);
double ga_allow_faint(const ga_judge *j, int k, double terms);
ga_allowance ga_allow_force(ga_judge *j, const ga_iterate *at, int i, double r, double faint,
                            ga_look look);

#endif

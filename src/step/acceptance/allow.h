/* SPDX-License-Identifier: MIT */
/* Private to the judge: the largest residual allowed in a row, and the sizes it depends on. */
#ifndef GA_SRC_ALLOW_H
#define GA_SRC_ALLOW_H

#include <math.h>

#include "step/acceptance/judge.h"

/* One rounding of a constraint row is factor |D| size, with D its gradient. Rows of accelerations
 * have a further term. */
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

/* Largest |r_i| allowed: as proved; with the claims of tangents; with the most that a shake
 * (ga_judge_shake) may excuse. */
typedef struct ga_allowance {
  double proved, claimed, shakable;
} ga_allowance;

/* sum_k |A_ik| x_k for x >= 0 */
static inline double ga_allow_row_sum(const ga_csr *A, int i, const double *x) {
  double sum = 0;
  for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) sum += fabs(A->val[e]) * x[A->col[e]];
  return sum;
}

/* The bound that accepts most constraint rows: sum_k |D_ik| (tol size_x[k] + factor size[k]). It is
 * computed entry by entry, as mostly the first entries of a row suffice. */
typedef struct ga_bound {
  double tol, factor;
  const double *size_x, *size;
} ga_bound;

/* The bound of column k: tol size_x[k] + factor size[k]. */
static inline double ga_bound_of(const ga_bound *b, int k) {
  return b->tol * b->size_x[k] + b->factor * b->size[k];
}

/* sum_k |D_ik| bound_k of row i */
static inline double ga_allow_row_bound(const ga_csr *D, int i, const ga_bound *bound) {
  double sum = 0;
  for (int e = D->ptr[i]; e < D->ptr[i + 1]; e++) {
    sum += fabs(D->val[e]) * ga_bound_of(bound, D->col[e]);
  }
  return sum;
}

/* Is r >= 0 at most sum_k |D_ik| bound_k? Stops adding as soon as it is; false if r is NaN. */
static inline bool ga_allow_within(const ga_csr *D, int i, const ga_bound *bound, double r) {
  double sum = 0;
  int e = D->ptr[i], end = D->ptr[i + 1];
  while (r > sum && e < end) {
    sum += fabs(D->val[e]) * ga_bound_of(bound, D->col[e]);
    e++;
  }
  return r <= sum;
}

/* Is r at most one rounding of row i, factor |D| size? Mostly the first terms suffice. */
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
/* Add h^2 |G_n|^T |eta| to size_q. */
ga_status ga_allow_count_eta(ga_judge *j, const ga_iterate *at);

/* Constraint rows: one rounding, the sizes of row i, the rounding of the liveliest motion in its
 * subsystem, the allowance of row i of constraint c. */
ga_row_rounding ga_allow_rounding(ga_judge *j, ga_con_kind kind, ga_look look);
ga_row_sizes ga_allow_sizes(const ga_judge *j, const ga_row_rounding *k, int i);
double ga_allow_motion(const ga_judge *j, const ga_csr *D, int i);
ga_allowance ga_allow_constraint(const ga_judge *j, int c, int i, ga_row_sizes size, ga_look look);

/* Force rows: the strongest forces; in a team the sums over the processes; the force that is
 * negligible for velocity k; the allowance of dynamic row i, as far as needed to allow r. */
void ga_allow_prepare(ga_judge *j, const double *terms);
ga_status ga_allow_sum_forces(ga_judge *j, const ga_iterate *at, ga_look look);
double ga_allow_faint(const ga_judge *j, int k, double terms);
ga_allowance ga_allow_force(ga_judge *j, const ga_iterate *at, int i, double r, double faint,
                            ga_look look);

#endif

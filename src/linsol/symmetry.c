/* SPDX-License-Identifier: MIT */
/* Row scaling to symmetry: d_i a_ij = d_j a_ji, followed from entry to entry of the matrix. */
#include "linsol/symmetry.h"

#include <float.h>
#include <math.h>

/* An entry is followed if it is at least STRONG times the largest of its row: smaller ones are too
 * inaccurate. */
static const double STRONG = 1e-3;
/* Largest difference of two equal entries of size 1, due to rounding. */
static const double SAME = 64 * DBL_EPSILON;

/* Allocate for the pattern of A, and find the slot of (j, i) for each entry (i, j). arena->failed
 * is set if memory runs out. */
void ga_symmetry_init(ga_symmetry_diagonal *balance, const ga_csr *A, ga_arena *arena) {
  balance->n = A->nrow;
  balance->partner = ga_arena_ints(arena, (size_t)ga_csr_nnz(A));
  balance->D = ga_arena_doubles(arena, (size_t)A->nrow);
  balance->queue = ga_arena_ints(arena, (size_t)A->nrow);
  for (int i = 0; i < A->nrow && !arena->failed; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      balance->partner[e] = ga_csr_find(A, A->col[e], i);
    }
  }
}

/* D = identity: no scaling to symmetry. */
void ga_symmetry_none(ga_symmetry_diagonal *balance) {
  for (int i = 0; i < balance->n; i++) balance->D[i] = 1;
}

/* A ratio that is a power of two up to rounding becomes that power. */
static double without_rounding(double ratio) {
  int exponent;
  const double part = 2 * frexp(ratio, &exponent); /* 1 <= |part| < 2 */
  if (fabs(part - 1) <= SAME) return ldexp(1, exponent - 1);
  return fabs(part - 2) <= 2 * SAME ? ldexp(1, exponent) : ratio;
}

/* For each strong entry (i, j) with unknown D_j (0) and an entry (j, i): D_j = D_i a_ij/a_ji, and
 * row j is appended to the queue at `end`. Returns the new end. */
static int visit_row(ga_symmetry_diagonal *balance, const ga_csr *A, int i, int end) {
  double largest = ga_max_abs(A->ptr[i + 1] - A->ptr[i], A->val + A->ptr[i]);
  for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
    int j = A->col[e], back = balance->partner[e];
    if (balance->D[j] != 0 || back < 0 || A->val[back] == 0) continue;
    if (!(fabs(A->val[e]) >= STRONG * largest)) continue;
    balance->D[j] = balance->D[i] * without_rounding(A->val[e] / A->val[back]);
    balance->queue[end++] = j;
  }
  return end;
}

/* Set balance->D, if possible such that D A is symmetric (ga_symmetry_holds checks): breadth-first
 * search over strong entries. D of the first row of each connected component is 1, D of the others
 * follows from entry to entry. Overwrites the queue. */
void ga_symmetry_find(ga_symmetry_diagonal *balance, const ga_csr *A) {
  for (int i = 0; i < balance->n; i++) balance->D[i] = 0;
  for (int start = 0; start < balance->n; start++) {
    if (balance->D[start] != 0) continue;
    balance->D[start] = 1;
    balance->queue[0] = start;
    for (int at = 0, end = 1; at < end; at++) end = visit_row(balance, A, balance->queue[at], end);
  }
}

/* Are the values val, entries of about 1 in the pattern of A, symmetric up to rounding? A missing
 * entry counts as zero. */
bool ga_symmetry_holds(const ga_symmetry_diagonal *balance, const ga_csr *A, const double *val) {
  for (int i = 0; i < A->nrow; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      if (A->col[e] >= i && balance->partner[e] >= 0) continue; /* seen from the other side */
      double other = balance->partner[e] < 0 ? 0 : val[balance->partner[e]];
      if (!(fabs(val[e] - other) <= SAME * ga_max(1, fabs(val[e])))) return false;
    }
  }
  return true;
}

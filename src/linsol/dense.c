/* SPDX-License-Identifier: MIT */
/* Dense LU with row exchanges: plain loops for small systems, LAPACK above.
 *
 * Factored is R A C, with diagonal R and C of powers of two that bring the largest entry of every
 * row and column near 1 (Ruiz 2001). Row exchanges choose well only among rows of one size: in
 * [[k, -k, 1], [-k, k, 0], [1, 0, 0]], a stiff spring beside a constraint, the rounding error left
 * of k would be preferred to the entry of the constraint.
 *
 * Up to SMALL rows a plain loop by rows is faster than OpenBLAS; LAPACK has its matrix by columns.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linsol/linsol.h"

enum { SMALL = 60, SWEEPS = 5 };

void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
             const int *ipiv, double *b, const int *ldb, int *info, size_t trans_len);

typedef struct {
  ga_arena arena;
  int n, singular;
  double *lu; /* n x n, by rows up to SMALL, by columns above */
  int *pivot;
  double *row_scale, *col_scale; /* the diagonals of R and C */
  double *row_max, *col_max;     /* of R A C, in the course of scaling */
} dense;

static ga_status dense_analyze(ga_linsol *ls, const ga_csr *A) {
  dense *d = ga_calloc(1, sizeof *d);
  if (!d) return GA_ERR_MEM;
  ls->impl = d;
  size_t n = (size_t)A->nrow;
  d->n = A->nrow;
  d->singular = -1;
  d->lu = ga_arena_doubles(&d->arena, n * n);
  d->pivot = ga_arena_ints(&d->arena, n);
  d->row_scale = ga_arena_doubles(&d->arena, n);
  d->col_scale = ga_arena_doubles(&d->arena, n);
  d->row_max = ga_arena_doubles(&d->arena, n);
  d->col_max = ga_arena_doubles(&d->arena, n);
  return d->arena.failed ? GA_ERR_MEM : GA_OK;
}

/* Divide scale by the square root of max, to a power of two; false if that is 1. Rows that are zero
 * or not finite stay as they are. */
static bool rescale(double max, double *scale) {
  int exponent = 0;
  if (max > 0 && max <= DBL_MAX) frexp(max, &exponent);
  if (exponent / 2 == 0) return false;
  *scale = ldexp(*scale, -exponent / 2);
  return true;
}

/* Every sweep halves the exponents of the largest entries of rows and columns; a matrix in good
 * units needs one look. */
static void equilibrate(dense *d, const ga_csr *A) {
  int n = d->n;
  for (int i = 0; i < n; i++) d->row_scale[i] = d->col_scale[i] = 1;
  bool changed = true;
  for (int sweep = 0; sweep < SWEEPS && changed; sweep++) {
    for (int i = 0; i < n; i++) d->row_max[i] = d->col_max[i] = 0;
    for (int i = 0; i < n; i++) {
      for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
        int j = A->col[e];
        double size = fabs(A->val[e]) * d->row_scale[i] * d->col_scale[j];
        if (size > d->row_max[i]) d->row_max[i] = size;
        if (size > d->col_max[j]) d->col_max[j] = size;
      }
    }
    changed = false;
    for (int i = 0; i < n; i++) {
      changed |= rescale(d->row_max[i], &d->row_scale[i]);
      changed |= rescale(d->col_max[i], &d->col_scale[i]);
    }
  }
}

/* A pivot is u_kk = a_kk - sum_m l_km u_mk, m < k, known to about eps sum |l_km u_mk|: one below
 * that is rounding error and the matrix singular to working precision. Returns the first such k
 * below count, -1 if there is none: column k depends on those before. (The test has no units, so
 * that neither a heavy mass nor a stiff spring beside a constraint is taken for a dependent
 * constraint.) By rows or by columns: the sum is the same. */
static int first_noise_pivot(const dense *d, int count) {
  size_t n = (size_t)d->n;
  for (size_t k = 0; k < (size_t)count; k++) {
    double sum = 0;
    for (size_t m = 0; m < k; m++) sum += fabs(d->lu[k * n + m] * d->lu[m * n + k]);
    if (!(fabs(d->lu[k * n + k]) > 4 * (double)n * DBL_EPSILON * sum)) return (int)k;
  }
  return -1;
}

/* LU by rows with row exchanges; returns the column without a pivot, -1 if all have one. */
static int small_factor(dense *d) {
  int n = d->n;
  double *lu = d->lu;
  for (int k = 0; k < n; k++) {
    int p = k;
    double best = fabs(lu[k * n + k]);
    for (int i = k + 1; i < n; i++) {
      double size = fabs(lu[i * n + k]);
      if (size > best) {
        best = size;
        p = i;
      }
    }
    d->pivot[k] = p;
    if (best == 0) return first_noise_pivot(d, k + 1);
    double *rk = lu + k * n, *rp = lu + p * n;
    if (p != k) {
      for (int j = 0; j < n; j++) {
        double swap = rk[j];
        rk[j] = rp[j];
        rp[j] = swap;
      }
    }
    double inverse = 1 / rk[k];
    for (int i = k + 1; i < n; i++) {
      double *ri = lu + i * n;
      if (ri[k] == 0) continue;
      double factor = ri[k] *= inverse;
      for (int j = k + 1; j < n; j++) ri[j] -= factor * rk[j];
    }
  }
  return first_noise_pivot(d, n);
}

static void small_solve(const dense *d, double *b) {
  int n = d->n;
  const double *lu = d->lu;
  for (int k = 0; k < n; k++) {
    int p = d->pivot[k];
    double swap = b[k];
    b[k] = b[p];
    b[p] = swap;
  }
  for (int i = 1; i < n; i++) {
    double sum = b[i];
    for (int j = 0; j < i; j++) sum -= lu[i * n + j] * b[j];
    b[i] = sum;
  }
  for (int i = n - 1; i >= 0; i--) {
    double sum = b[i];
    for (int j = i + 1; j < n; j++) sum -= lu[i * n + j] * b[j];
    b[i] = sum / lu[i * n + i];
  }
}

/* The same by LAPACK, whose info need not be asked: the first zero pivot is a noise pivot, too. */
static int lapack_factor(dense *d) {
  int n = d->n, info = 0;
  dgetrf_(&n, &n, d->lu, &n, d->pivot, &info);
  return first_noise_pivot(d, n);
}

static ga_status dense_factor(ga_linsol *ls, const ga_csr *A) {
  dense *d = ls->impl;
  size_t n = (size_t)d->n;
  bool small = d->n <= SMALL;
  equilibrate(d, A);
  memset(d->lu, 0, n * n * sizeof(double));
  for (size_t i = 0; i < n; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      size_t j = (size_t)A->col[e];
      d->lu[small ? i * n + j : j * n + i] = A->val[e] * d->row_scale[i] * d->col_scale[j];
    }
  }
  d->singular = small ? small_factor(d) : lapack_factor(d);
  return d->singular < 0 ? GA_OK : GA_RETRY_SINGULAR;
}

static ga_status dense_solve(ga_linsol *ls, double *b) {
  dense *d = ls->impl;
  int n = d->n, one = 1, info = 0;
  for (int i = 0; i < n; i++) b[i] *= d->row_scale[i];
  if (n <= SMALL) {
    small_solve(d, b);
  } else {
    dgetrs_("N", &n, &one, d->lu, &n, d->pivot, b, &n, &info, 1);
  }
  for (int j = 0; j < n; j++) b[j] *= d->col_scale[j];
  return info == 0 ? GA_OK : GA_ERR_BACKEND;
}

static int dense_singular_column(const ga_linsol *ls) {
  const dense *d = ls->impl;
  return d->singular;
}

static void dense_free(ga_linsol *ls) {
  dense *d = ls->impl;
  if (!d) return;
  ga_arena_free(&d->arena);
  ga_free(d);
  ls->impl = NULL;
}

const ga_linsol_ops ga_linsol_dense = {
    .name = "dense",
    .summary = "dense LU: plain loops up to 60 unknowns, LAPACK above",
    .analyze = dense_analyze,
    .factor = dense_factor,
    .solve = dense_solve,
    .singular_column = dense_singular_column,
    .free = dense_free,
};

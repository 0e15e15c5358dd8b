/* SPDX-License-Identifier: MIT */
/* Dense LU with row exchanges: plain loops for small systems, LAPACK above.
 *
 * The matrix is kept by rows. LAPACK reads that as A^T by columns, factors A^T = P L U and solves
 * with the transposed factors. Up to SMALL rows a plain loop is faster than OpenBLAS. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linsol/linsol.h"

enum { SMALL = 60 };

void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
             const int *ipiv, double *b, const int *ldb, int *info, size_t trans_len);

typedef struct {
  ga_arena arena;
  int n, singular;
  double *lu; /* n x n by rows */
  int *pivot;
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
  return d->arena.failed ? GA_ERR_MEM : GA_OK;
}

/* A pivot is u_kk = a_kk - sum_m l_km u_mk, m < k, known to about eps sum |l_km u_mk|: one below
 * that is rounding error and the matrix singular to working precision. Returns the first such k,
 * -1 if there is none. (The test has no units, so that neither a heavy mass nor a stiff spring
 * beside a constraint is taken for a dependent constraint.) Rows or columns first: the sum is the
 * same. */
static int first_noise_pivot(const dense *d) {
  size_t n = (size_t)d->n;
  for (size_t k = 0; k < n; k++) {
    double sum = 0;
    for (size_t m = 0; m < k; m++) sum += fabs(d->lu[k * n + m] * d->lu[m * n + k]);
    if (!(fabs(d->lu[k * n + k]) > 4 * (double)n * DBL_EPSILON * sum)) return (int)k;
  }
  return -1;
}

/* LU of A by rows with row exchanges; returns the column without a pivot, -1 if all have one. */
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
    if (best == 0) return k;
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
  return first_noise_pivot(d);
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

/* LAPACK factors A^T, so its columns are our rows and a missing pivot names a dependent row; the
 * KKT matrices have a symmetric pattern, row and column carry the same meaning there. */
static int lapack_factor(dense *d) {
  int n = d->n, info = 0;
  dgetrf_(&n, &n, d->lu, &n, d->pivot, &info);
  return info > 0 ? info - 1 : first_noise_pivot(d);
}

static ga_status dense_factor(ga_linsol *ls, const ga_csr *A) {
  dense *d = ls->impl;
  size_t n = (size_t)d->n;
  memset(d->lu, 0, n * n * sizeof(double));
  for (int i = 0; i < d->n; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      d->lu[(size_t)i * n + (size_t)A->col[e]] = A->val[e];
    }
  }
  d->singular = d->n <= SMALL ? small_factor(d) : lapack_factor(d);
  return d->singular < 0 ? GA_OK : GA_RETRY_SINGULAR;
}

static ga_status dense_solve(ga_linsol *ls, double *b) {
  dense *d = ls->impl;
  if (d->n <= SMALL) {
    small_solve(d, b);
    return GA_OK;
  }
  int n = d->n, one = 1, info = 0;
  dgetrs_("T", &n, &one, d->lu, &n, d->pivot, b, &n, &info, 1);
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

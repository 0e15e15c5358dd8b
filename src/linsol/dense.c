/* SPDX-License-Identifier: MIT */
/* Dense LU with row exchanges: plain loops for small systems, LAPACK above. Factored is R A C, see
 * scale.h. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linsol/linsol.h"
#include "linsol/scale.h"

enum { SMALL = 60 }; /* up to here a plain loop by rows is faster than OpenBLAS */

void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
             const int *ipiv, double *b, const int *ldb, int *info, size_t trans_len);

typedef struct {
  ga_arena arena;
  int n, singular;
  double *lu; /* n x n, by rows up to SMALL, by columns above */
  int *pivot;
  double *val; /* entries of R A C */
  ga_scale scale;
} dense;

static ga_status dense_analyze(ga_linsol *ls, const ga_csr *A) {
  dense *d = ga_calloc(1, sizeof *d);
  if (!d) return GA_ERR_MEM;
  ls->impl = d;
  size_t n = (size_t)A->nrow;
  d->n = A->nrow;
  d->singular = -1;
  d->lu = ga_arena_doubles(&d->arena, n * n);
  if (d->arena.failed) return GA_ERR_MEM;
  d->pivot = ga_arena_ints(&d->arena, n);
  d->val = ga_arena_doubles(&d->arena, (size_t)A->ptr[A->nrow]);
  ga_scale_init(&d->scale, A->nrow, &d->arena);
  return d->arena.failed ? GA_ERR_MEM : GA_OK;
}

/* LU by rows; a column without pivot is left with a zero */
static void small_factor(dense *d) {
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
    if (best == 0) continue;
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

/* b <- (R A C)^-1 b */
static void solve_scaled(const void *context, double *b) {
  const dense *d = context;
  int n = d->n, one = 1, info = 0;
  if (n <= SMALL) {
    small_solve(d, b);
  } else {
    dgetrs_("N", &n, &one, d->lu, &n, d->pivot, b, &n, &info, 1);
  }
}

/* A pivot is u_kk = a_kk - sum_m l_km u_mk, m < k, known to about eps sum |l_km u_mk|; one below
 * that is rounding error. Returns the first such k, -1 if there is none. By rows or by columns: the
 * sum is the same. */
static int first_noise_pivot(const dense *d) {
  size_t n = (size_t)d->n;
  for (size_t k = 0; k < n; k++) {
    double sum = 0;
    for (size_t m = 0; m < k; m++) sum += fabs(d->lu[k * n + m] * d->lu[m * n + k]);
    if (!(fabs(d->lu[k * n + k]) > 4 * (double)n * DBL_EPSILON * sum)) return (int)k;
  }
  return -1;
}

/* no pivot of R A C so small that it needs a closer look */
static bool sound_pivots(const dense *d) {
  size_t n = (size_t)d->n;
  double least = INFINITY, largest = 0;
  for (size_t k = 0; k < n; k++) {
    double size = fabs(d->lu[k * n + k]);
    least = size < least ? size : least;
    largest = size > largest ? size : largest;
  }
  return least > GA_SCALE_SOUND * largest;
}

static ga_status dense_factor(ga_linsol *ls, const ga_csr *A) {
  dense *d = ls->impl;
  size_t n = (size_t)d->n;
  bool small = d->n <= SMALL;
  ga_scale_apply(&d->scale, A, d->val);
  memset(d->lu, 0, n * n * sizeof(double));
  for (size_t i = 0; i < n; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      size_t j = (size_t)A->col[e];
      d->lu[small ? i * n + j : j * n + i] = d->val[e];
    }
  }
  if (small) {
    small_factor(d);
  } else {
    int info = 0;
    dgetrf_(&d->n, &d->n, d->lu, &d->n, d->pivot, &info);
  }
  d->singular = -1;
  if (sound_pivots(d)) return GA_OK;
  int noise = first_noise_pivot(d);
  for (size_t k = 0; k < n; k++) {
    if (d->lu[k * n + k] == 0) d->lu[k * n + k] = DBL_EPSILON;
  }
  d->singular = ga_scale_singular(&d->scale, A, solve_scaled, d, noise);
  return d->singular < 0 ? GA_OK : GA_RETRY_SINGULAR;
}

static ga_status dense_solve(ga_linsol *ls, double *b) {
  const dense *d = ls->impl;
  for (int i = 0; i < d->n; i++) b[i] *= d->scale.row[i];
  solve_scaled(d, b);
  for (int i = 0; i < d->n; i++) b[i] *= d->scale.col[i];
  return GA_OK;
}

static int dense_singular_column(const ga_linsol *ls) {
  const dense *d = ls->impl;
  return d->singular;
}

static void dense_reset(ga_linsol *ls) {
  dense *d = ls->impl;
  d->scale.known = false;
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
    .reset = dense_reset,
    .free = dense_free,
};

/* SPDX-License-Identifier: MIT */
/* Dense LU with row exchanges: plain loops for small systems, LAPACK above. Factored is R A C, see
 * scaling.h. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linsol/rank/null_space.h"
#include "linsol/registry.h"

enum { SMALL = GA_DENSE_SMALL };

void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
             const int *ipiv, double *b, const int *ldb, int *info, size_t trans_len);

/* Matrices are stored by columns of ld numbers. For small systems ld is even, because their loops
 * run over whole pairs. */
typedef struct {
  ga_arena arena;
  int n, ld, singular;
  bool small;
  double *lu;
  int *pivot;      /* of LAPACK; small: row of A that became row k */
  double *inverse; /* small: 1/u_kk */
  double *l;       /* small: scratch, ld */
  int *slot;       /* slot in lu of each entry of A */
  double *val;     /* entries of R A C */
  ga_scaling scale;
  ga_null_space_store null;
} dense;

/* Allocate ls->impl and find the slot of each entry of A in the dense array. Sets the cost in
 * ls. */
static ga_status dense_analyze(ga_linsol *ls, const ga_csr *A) {
  dense *d = ga_calloc(1, sizeof *d);
  if (!d) return GA_ERR_MEM;
  ls->impl = d;
  d->n = A->nrow;
  d->small = d->n <= SMALL;
  d->ld = d->small ? (d->n + 1) & ~1 : d->n;
  d->singular = -1;
  size_t n = (size_t)d->n, ld = (size_t)d->ld;
  d->lu = ga_arena_doubles(&d->arena, ld * n);
  if (d->arena.failed) return GA_ERR_MEM;
  size_t nnz = (size_t)A->ptr[A->nrow];
  ls->cost = (ga_linsol_cost){d->n / 3.0, (double)(n * n) / (double)(nnz > 0 ? nnz : 1)};
  d->pivot = ga_arena_ints(&d->arena, n);
  d->inverse = ga_arena_doubles(&d->arena, n);
  d->l = ga_arena_doubles(&d->arena, ld);
  d->slot = ga_arena_ints(&d->arena, nnz);
  d->val = ga_arena_doubles(&d->arena, nnz);
  ga_scaling_init(&d->scale, A->nrow, A->ptr[A->nrow], ls->layout, &d->arena);
  if (d->arena.failed) return GA_ERR_MEM;
  for (int i = 0; i < d->n; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) d->slot[e] = A->col[e] * d->ld + i;
  }
  return GA_OK;
}

/* y <- y - c x, entries from .. to, both even */
static inline void subtract(int from, int to, double c, const double *restrict x,
                            double *restrict y) {
  for (int i = from; i < to; i += 2) {
    y[i] -= c * x[i];
    y[i + 1] -= c * x[i + 1];
  }
}

/* Exchange two numbers. */
static void swap(double *a, double *b) {
  double keep = *a;
  *a = *b;
  *b = keep;
}

/* Factor d->lu (n columns of ld numbers, row n zero if n is odd) in place with row exchanges; sets
 * pivot and inverse. A column without pivot keeps a zero on the diagonal, and its inverse is not
 * set. l has zeros down to row k, so that a pair may begin at row k. */
static void small_factor(dense *d) {
  int n = d->n, ld = d->ld;
  double *lu = d->lu, *l = d->l;
  for (int i = 0; i < n; i++) d->pivot[i] = i;
  for (int k = 0; k < n; k++) {
    double *column = lu + k * ld, best = fabs(column[k]);
    int p = k;
    for (int i = k + 1; i < n; i++) {
      double size = fabs(column[i]);
      p = size > best ? i : p;
      best = size > best ? size : best;
    }
    l[k] = 0;
    if (best == 0) continue;
    if (p != k) {
      int row = d->pivot[k];
      d->pivot[k] = d->pivot[p];
      d->pivot[p] = row;
      for (int j = 0; j < n; j++) swap(&lu[j * ld + k], &lu[j * ld + p]);
    }
    double inverse = 1 / column[k];
    d->inverse[k] = inverse;
    for (int i = k + 1; i < n; i++) l[i] = column[i] *= inverse;
    for (int j = k + 1; j < n; j++) {
      double *to = lu + j * ld, u = to[k];
      if (u != 0) subtract((k + 1) & ~1, ld, u, l, to);
    }
  }
}

/* x <- U^-1 L^-1 x; x has ld entries, its rows already exchanged. Loops over pairs also change x_k,
 * which is therefore kept and restored. */
static void small_solve(const dense *d, double *restrict x) {
  int n = d->n, ld = d->ld;
  for (int k = 0; k < n; k++) {
    double keep = x[k];
    subtract((k + 1) & ~1, ld, keep, d->lu + k * ld, x);
    x[k] = keep;
  }
  for (int k = n - 1; k >= 0; k--) {
    double keep = x[k] * d->inverse[k];
    subtract(0, (k + 1) & ~1, keep, d->lu + k * ld, x);
    x[k] = keep;
  }
}

/* x <- L^-T U^-T x, n entries; the caller exchanges rows afterwards. */
static void small_solve_transposed(const dense *d, double *restrict x) {
  int n = d->n, ld = d->ld;
  for (int k = 0; k < n; k++) {
    const double *column = d->lu + k * ld;
    double sum = x[k];
    for (int m = 0; m < k; m++) sum -= column[m] * x[m];
    x[k] = sum * d->inverse[k];
  }
  for (int k = n - 1; k >= 0; k--) {
    const double *column = d->lu + k * ld;
    double sum = x[k];
    for (int m = k + 1; m < n; m++) sum -= column[m] * x[m];
    x[k] = sum;
  }
}

/* One right-hand side of a small system: b <- C (R A C)^-1 R b, transposed R (R A C)^-T C b, with
 * `from` and `to` the diagonals on the right and on the left; NULL: I. */
static void small_solve_in_units(const dense *d, bool transposed, const double *from,
                                 const double *to, double *b) {
  double x[SMALL + 2];
  int n = d->n;
  x[d->ld - 1] = 0;
  for (int k = 0; k < n; k++) {
    int i = transposed ? k : d->pivot[k];
    x[k] = from ? b[i] * from[i] : b[i];
  }
  if (transposed) {
    small_solve_transposed(d, x);
  } else {
    small_solve(d, x);
  }
  for (int k = 0; k < n; k++) {
    int i = transposed ? d->pivot[k] : k;
    b[i] = to ? x[k] * to[i] : x[k];
  }
}

/* every column of B times a diagonal; NULL: I */
static void multiply_rows(int n, int nrhs, const double *diagonal, double *B) {
  for (int c = 0; c < nrhs && diagonal; c++, B += n) {
    for (int i = 0; i < n; i++) B[i] *= diagonal[i];
  }
}

/* B <- to F^-1 from B for nrhs columns, or F^-T if transposed; F = R A C, `from` and `to` are
 * diagonals, NULL: I. */
static void solve_in_units(const dense *d, bool transposed, int nrhs, const double *from,
                           const double *to, double *B) {
  int n = d->n, info = 0;
  if (d->small) {
    for (int c = 0; c < nrhs; c++) small_solve_in_units(d, transposed, from, to, B + c * n);
    return;
  }
  multiply_rows(n, nrhs, from, B);
  dgetrs_(transposed ? "T" : "N", &n, &nrhs, d->lu, &n, d->pivot, B, &n, &info, 1);
  multiply_rows(n, nrhs, to, B);
}

/* b <- (R A C)^-1 b */
static void solve_scaled(const void *context, double *b) {
  solve_in_units(context, false, 1, NULL, NULL, b);
}

/* A pivot is u_kk = a_kk - sum_m l_km u_mk, m < k, known to about eps sum |l_km u_mk|; one below
 * that is rounding error. Returns the first such k, -1 if there is none. */
static int first_noise_pivot(const dense *d) {
  size_t n = (size_t)d->n, ld = (size_t)d->ld;
  for (size_t k = 0; k < n; k++) {
    double sum = 0;
    for (size_t m = 0; m < k; m++) sum += fabs(d->lu[m * ld + k] * d->lu[k * ld + m]);
    if (!(fabs(d->lu[k * ld + k]) > 4 * (double)n * DBL_EPSILON * sum)) return (int)k;
  }
  return -1;
}

/* Are all pivots of R A C so large that A is certainly regular? */
static bool sound_pivots(const dense *d) {
  double least = INFINITY, largest = 0;
  for (int k = 0; k < d->n; k++) {
    double size = fabs(d->lu[(size_t)k * (size_t)d->ld + (size_t)k]);
    least = size < least ? size : least;
    largest = size > largest ? size : largest;
  }
  return least > GA_SCALING_SOUND * largest;
}

/* Factor R A C. If a pivot is small, zero pivots are replaced by eps and inverse iteration decides
 * whether A is singular; d->singular gets the dependent column. */
static ga_status factor_in_units(ga_linsol *ls, const ga_csr *A) {
  dense *d = ls->impl;
  size_t n = (size_t)d->n, ld = (size_t)d->ld;
  int nnz = A->ptr[A->nrow];
  if (!ga_scaling_apply(&d->scale, A, d->val)) return GA_RETRY_NONFINITE;
  memset(d->lu, 0, n * ld * sizeof(double));
  for (int e = 0; e < nnz; e++) d->lu[d->slot[e]] = d->val[e];
  if (d->small) {
    small_factor(d);
  } else {
    int info = 0;
    dgetrf_(&d->n, &d->n, d->lu, &d->n, d->pivot, &info);
  }
  d->singular = -1;
  if (sound_pivots(d)) return GA_OK;
  int noise = first_noise_pivot(d);
  for (size_t k = 0; k < n; k++) {
    if (d->lu[k * ld + k] != 0) continue;
    d->lu[k * ld + k] = DBL_EPSILON;
    d->inverse[k] = 1 / DBL_EPSILON;
  }
  d->singular = ga_scaling_singular(&d->scale, A, solve_scaled, d, noise);
  return d->singular < 0 ? GA_OK : GA_RETRY_SINGULAR;
}

/* Factor A; GA_RETRY_SINGULAR only if it is singular with new R and C, too. */
static ga_status dense_factor(ga_linsol *ls, const ga_csr *A) {
  dense *d = ls->impl;
  return ga_scaling_factor(&d->scale, factor_in_units, ls, A);
}

/* b <- A^-1 b = C (R A C)^-1 R b */
static ga_status dense_solve(ga_linsol *ls, double *b) {
  const dense *d = ls->impl;
  solve_in_units(d, false, 1, d->scale.row, d->scale.col, b);
  return GA_OK;
}

/* B <- A^-1 B or A^-T B for nrhs columns. */
static ga_status dense_solve_many(ga_linsol *ls, bool transposed, int nrhs, double *B) {
  const dense *d = ls->impl;
  const double *row = d->scale.row, *col = d->scale.col;
  solve_in_units(d, transposed, nrhs, transposed ? col : row, transposed ? row : col, B);
  return GA_OK;
}

/* Complete null space of A, by elimination with complete pivoting; independent of the factors. */
static ga_status dense_null_space(ga_linsol *ls, const ga_csr *A, ga_null_space *out) {
  dense *d = ls->impl;
  if (!ga_scaling_apply(&d->scale, A, d->val)) return GA_RETRY_NONFINITE;
  return ga_null_space_eliminate(&d->null, &d->scale, A, d->val, out);
}

/* The dependent column that the last factorization found; -1 if none. */
static int dense_singular_column(const ga_linsol *ls) {
  const dense *d = ls->impl;
  return d->singular;
}

/* Forget R and C. */
static void dense_reset(ga_linsol *ls) {
  dense *d = ls->impl;
  d->scale.known = false;
}

/* Free ls->impl with everything it holds and set it to NULL; allowed if it is NULL. */
static void dense_free(ga_linsol *ls) {
  dense *d = ls->impl;
  if (!d) return;
  ga_null_space_free(&d->null);
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
    .solve_many = dense_solve_many,
    .null_space = dense_null_space,
};

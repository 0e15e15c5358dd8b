/* SPDX-License-Identifier: MIT */
/* A linear solver as a user would write it, with memory and a context of its own. */
#ifndef GA_TESTS_OWN_SOLVER_H
#define GA_TESTS_OWN_SOLVER_H

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "genalpha/genalpha.h"

/* the context: how often each function was called, and what analyze shall do */
typedef struct {
  int analyzed, factored, solved, freed;
  ga_status analyze_status;
  bool fail_early; /* before anything is allocated */
  /* Calls that fail: those counted in `tried` from `from` on, so many `times` (0: none). */
  int tried_factor, tried_solve;
  int factor_from, factor_times, solve_from, solve_times;
  ga_status fail_status;
} own_counts;

/* Elimination with row and column exchanges. Entries that are rounding error, against size, which
 * holds what each is the sum of, are set to zero: dependent rows end in a row of zeros. */
typedef struct {
  int n, singular;
  double *a, *size, *row_scale, *col_scale, *work;
  int *row, *col;
} own_factors;

/* whether this call is to fail; counts it */
static inline bool own_fails(int *tried, int from, int times) {
  int call = (*tried)++;
  return call >= from && call < from + times;
}

/* a <- R a C with powers of two, the largest entry of every row and column near 1 (Ruiz) */
static inline void own_equilibrate(int nrow, int ncol, double *a, double *R, double *C) {
  for (int i = 0; i < nrow; i++) R[i] = 1;
  for (int j = 0; j < ncol; j++) C[j] = 1;
  for (int line = 0; line < 12 * (nrow + ncol); line++) {
    /* one line of the matrix at a time: all rows, all columns, all rows, .. */
    int k = line % (nrow + ncol), n = k < nrow ? ncol : nrow, exponent = 0;
    double *from = k < nrow ? a + k * ncol : a + (k - nrow), largest = 0;
    int step = k < nrow ? 1 : ncol;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(from[i * step]));
    if (largest > 0) frexp(largest, &exponent);
    double scale = ldexp(1, -exponent / 2);
    for (int i = 0; i < n; i++) from[i * step] *= scale;
    *(k < nrow ? &R[k] : &C[k - nrow]) *= scale;
  }
}

static inline ga_status own_analyze(ga_linsol *ls, const ga_csr *A) {
  own_counts *counts = ls->context;
  counts->analyzed++;
  if (counts->fail_early) return counts->analyze_status;
  own_factors *f = calloc(1, sizeof *f);
  if (!f) return GA_ERR_MEM;
  ls->impl = f;
  f->n = A->nrow;
  size_t n = (size_t)A->nrow;
  f->a = calloc(n * n, sizeof *f->a);
  if (counts->analyze_status != GA_OK) return counts->analyze_status;
  f->size = calloc(n * n, sizeof *f->size);
  f->row_scale = calloc(n, sizeof *f->row_scale);
  f->col_scale = calloc(n, sizeof *f->col_scale);
  f->work = calloc(n, sizeof *f->work);
  f->row = calloc(n, sizeof *f->row);
  f->col = calloc(n, sizeof *f->col);
  bool whole = f->a && f->size && f->row_scale && f->col_scale && f->work && f->row && f->col;
  return whole ? GA_OK : GA_ERR_MEM;
}

/* row and column k are exchanged with those of the largest entry; false if none is left */
static inline bool own_exchange(own_factors *f, int k) {
  int n = f->n, p = -1, q = -1;
  double largest = 0;
  for (int i = k; i < n; i++) {
    for (int j = k; j < n; j++) {
      double value = fabs(f->a[i * n + j]);
      if (value <= largest) continue;
      largest = value, p = i, q = j;
    }
  }
  if (p < 0) return false;
  int row = f->row[k], col = f->col[k];
  f->row[k] = f->row[p], f->row[p] = row;
  f->col[k] = f->col[q], f->col[q] = col;
  double *const both[] = {f->a, f->size};
  for (int m = 0; m < 2; m++) {
    for (int j = 0; j < n; j++) {
      double swap = both[m][k * n + j];
      both[m][k * n + j] = both[m][p * n + j], both[m][p * n + j] = swap;
    }
    for (int i = 0; i < n; i++) {
      double swap = both[m][i * n + k];
      both[m][i * n + k] = both[m][i * n + q], both[m][i * n + q] = swap;
    }
  }
  return true;
}

static inline ga_status own_factor(ga_linsol *ls, const ga_csr *A) {
  own_factors *f = ls->impl;
  int n = f->n;
  own_counts *c = ls->context;
  c->factored++;
  if (own_fails(&c->tried_factor, c->factor_from, c->factor_times)) {
    f->singular = -1;
    return c->fail_status;
  }
  for (int i = 0; i < n * n; i++) f->a[i] = 0;
  for (int i = 0; i < n; i++) {
    f->row[i] = f->col[i] = i;
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) f->a[i * n + A->col[e]] = A->val[e];
  }
  own_equilibrate(n, n, f->a, f->row_scale, f->col_scale);
  for (int i = 0; i < n * n; i++) f->size[i] = fabs(f->a[i]);
  for (int k = 0; k < n; k++) {
    if (!own_exchange(f, k)) {
      f->singular = f->col[k];
      return GA_RETRY_SINGULAR;
    }
    for (int i = k + 1; i < n; i++) {
      double l = f->a[i * n + k] /= f->a[k * n + k];
      for (int j = k + 1; j < n && l != 0; j++) {
        f->a[i * n + j] -= l * f->a[k * n + j];
        f->size[i * n + j] += fabs(l * f->a[k * n + j]);
        bool noise = fabs(f->a[i * n + j]) <= 4 * n * DBL_EPSILON * f->size[i * n + j];
        if (noise) f->a[i * n + j] = 0;
      }
    }
  }
  f->singular = -1;
  return GA_OK;
}

static inline ga_status own_solve(ga_linsol *ls, double *b) {
  const own_factors *f = ls->impl;
  int n = f->n;
  own_counts *c = ls->context;
  c->solved++;
  if (own_fails(&c->tried_solve, c->solve_from, c->solve_times)) return c->fail_status;
  double *x = f->work;
  for (int k = 0; k < n; k++) x[k] = b[f->row[k]] * f->row_scale[f->row[k]];
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++) x[i] -= f->a[i * n + k] * x[k];
  }
  for (int k = n - 1; k >= 0; k--) {
    x[k] /= f->a[k * n + k];
    for (int i = 0; i < k; i++) x[i] -= f->a[i * n + k] * x[k];
  }
  for (int k = 0; k < n; k++) b[f->col[k]] = x[k] * f->col_scale[f->col[k]];
  return GA_OK;
}

static inline int own_singular_column(const ga_linsol *ls) {
  return ((const own_factors *)ls->impl)->singular;
}

static inline void own_free(ga_linsol *ls) {
  own_factors *f = ls->impl;
  ((own_counts *)ls->context)->freed++;
  if (!f) return;
  void *const blocks[] = {f->a, f->size, f->row_scale, f->col_scale, f->work, f->row, f->col, f};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
  ls->impl = NULL;
}

static const ga_linsol_ops own_solver = {
    .name = "own",
    .summary = "elimination that knows its rounding errors",
    .analyze = own_analyze,
    .factor = own_factor,
    .solve = own_solve,
    .singular_column = own_singular_column,
    .free = own_free,
};

#endif

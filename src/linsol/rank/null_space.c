/* SPDX-License-Identifier: MIT */
/* Null spaces of a singular matrix: by elimination, or from bases that a solver found.
 *
 * Elimination with complete pivoting gives P R A C Q = [[L1, 0], [L2, I]] [[U1, U2], [0, 0]] with
 * U1 of the size of the rank. The other rows and columns have no pivot, and
 *
 *     R A C Q (-U1^-1 U2; I) = 0,    (-L1^-T L2^T; I)^T P R A C = 0.
 *
 * An entry is taken for zero when it is below the rounding errors of the terms it is the sum of:
 * then the rank does not depend on the units of rows and columns. */
#include "linsol/rank/null_space.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Free the arrays of a report, which becomes invalid; the store can be used again. */
void ga_null_space_free(ga_null_space_store *store) {
  ga_arena_free(&store->arena);
}

/* Allocate the arrays of a report, zero, for count vectors of n numbers on each side; an earlier
 * report becomes invalid. GA_ERR_MEM without a message. */
ga_status ga_null_space_room(ga_null_space_store *store, int n, int count) {
  ga_null_space_free(store);
  size_t numbers = (size_t)n * (size_t)count;
  store->rows = ga_arena_ints(&store->arena, (size_t)count);
  store->cols = ga_arena_ints(&store->arena, (size_t)count);
  store->left = ga_arena_doubles(&store->arena, numbers);
  store->right = ga_arena_doubles(&store->arena, numbers);
  return store->arena.failed ? GA_ERR_MEM : GA_OK;
}

/* Fill *out with the report of count null vectors; it points to the arrays of store, which must
 * outlive it. */
static void fill_report(const ga_null_space_store *store, int count, ga_null_space *out) {
  *out = (ga_null_space){.count = count,
                         .complete = true,
                         .rows = store->rows,
                         .cols = store->cols,
                         .left = store->left,
                         .right = store->right};
}

/* the matrix under elimination, by rows, and the sum of the sizes of the terms of each entry */
typedef struct {
  int n, rank;
  double *a, *size;
  int *row, *col; /* row and column of A that are now here */
} elimination;

/* Exchange two numbers. */
static void swap_ints(int *a, int *b) {
  int keep = *a;
  *a = *b;
  *b = keep;
}

/* Exchange n numbers at x and y, each `stride` apart: two rows or two columns. */
static void swap_lines(size_t n, double *x, double *y, size_t stride) {
  for (size_t i = 0; i < n * stride; i += stride) {
    double keep = x[i];
    x[i] = y[i];
    y[i] = keep;
  }
}

/* Bring the largest entry of the rows and columns from k on to (k, k), by exchanges that row and
 * col record; false if all are zero. */
static bool bring_pivot(elimination *e, size_t k) {
  size_t n = (size_t)e->n, p = k, q = k;
  double largest = 0;
  for (size_t i = k; i < n; i++) {
    for (size_t j = k; j < n; j++) {
      double size = fabs(e->a[i * n + j]);
      if (size > largest) largest = size, p = i, q = j;
    }
  }
  if (largest == 0) return false;
  double *const both[] = {e->a, e->size};
  for (int m = 0; m < 2; m++) {
    swap_lines(n, both[m] + k * n, both[m] + p * n, 1);
    swap_lines(n, both[m] + k, both[m] + q, n);
  }
  swap_ints(&e->row[k], &e->row[p]);
  swap_ints(&e->col[k], &e->col[q]);
  return true;
}

/* Gauss elimination with complete pivoting, in place; sets e->rank. An entry below the rounding
 * error of its terms (e->size) becomes zero. */
static void eliminate(elimination *e) {
  size_t n = (size_t)e->n, k = 0;
  double noise = 4 * (double)n * DBL_EPSILON;
  for (; k < n && bring_pivot(e, k); k++) {
    for (size_t i = k + 1; i < n; i++) {
      double l = e->a[i * n + k] /= e->a[k * n + k];
      for (size_t j = k + 1; j < n && l != 0; j++) {
        double *to = &e->a[i * n + j], term = l * e->a[k * n + j];
        *to -= term;
        e->size[i * n + j] += fabs(term);
        if (fabs(*to) <= noise * e->size[i * n + j]) *to = 0;
      }
    }
  }
  e->rank = (int)k;
}

/* Null vectors of the c-th row and column without pivot: column c of store->right is (-U1^-1 U2; I)
 * in the order of A, column c of store->left likewise with L; both must be zero before. cols[c] and
 * rows[c] get the places of the ones. */
static void put_vectors(const elimination *e, int c, ga_null_space_store *store) {
  size_t n = (size_t)e->n, rank = (size_t)e->rank, last = rank + (size_t)c;
  double *right = store->right + n * (size_t)c, *left = store->left + n * (size_t)c;
  store->cols[c] = e->col[last];
  store->rows[c] = e->row[last];
  right[e->col[last]] = left[e->row[last]] = 1;
  for (size_t k = rank; k-- > 0;) {
    double sum = -e->a[k * n + last], sum_left = -e->a[last * n + k];
    for (size_t m = k + 1; m < rank; m++) {
      sum -= e->a[k * n + m] * right[e->col[m]];
      sum_left -= e->a[m * n + k] * left[e->row[m]];
    }
    right[e->col[k]] = sum / e->a[k * n + k];
    left[e->row[k]] = sum_left;
  }
}

/* Change a null vector of R A C to one of A: x_i <- unit_i x_i / unit_one, so that x_one stays
 * 1. */
static void change_units(int n, const double *unit, int one, double *x) {
  for (int i = 0; i < n; i++) x[i] *= unit[i] / unit[one];
}

/* Complete null spaces of A on both sides into *out, whose arrays lie in store: eliminate R A C
 * (val: its entries, in the pattern of A) as a dense matrix, and compute one pair of null vectors
 * for each row and column without a pivot. GA_ERR_MEM without a message. */
ga_status ga_null_space_eliminate(ga_null_space_store *store, const ga_scaling *scale,
                                  const ga_csr *A, const double *val, ga_null_space *out) {
  ga_arena scratch = {0};
  size_t n = (size_t)A->nrow;
  elimination e = {.n = A->nrow,
                   .a = ga_arena_doubles(&scratch, n * n),
                   .size = ga_arena_doubles(&scratch, n * n),
                   .row = ga_arena_ints(&scratch, n),
                   .col = ga_arena_ints(&scratch, n)};
  ga_status status = scratch.failed ? GA_ERR_MEM : GA_OK;
  for (int i = 0; i < A->nrow && status == GA_OK; i++) {
    e.row[i] = e.col[i] = i;
    for (int k = A->ptr[i]; k < A->ptr[i + 1]; k++) {
      size_t at = (size_t)i * n + (size_t)A->col[k];
      e.a[at] = val[k];
      e.size[at] = fabs(val[k]);
    }
  }
  if (status == GA_OK) {
    eliminate(&e);
    status = ga_null_space_room(store, e.n, e.n - e.rank);
  }
  for (int c = 0; c < e.n - e.rank && status == GA_OK; c++) {
    put_vectors(&e, c, store);
    change_units(e.n, scale->col, store->cols[c], store->right + n * (size_t)c);
    change_units(e.n, scale->row, store->rows[c], store->left + n * (size_t)c);
  }
  if (status == GA_OK) fill_report(store, e.n - e.rank, out);
  ga_arena_free(&scratch);
  return status;
}

/* Gauss-Jordan on the columns of a basis (count columns of n numbers, independent): the largest
 * entry of each column becomes 1, and all other columns become 0 in that row. at[c] is the row of
 * the 1 of column c. */
static void reduce_basis(int n, int count, double *basis, int *at) {
  for (int c = 0; c < count; c++) {
    double *x = basis + (size_t)n * (size_t)c;
    at[c] = 0;
    for (int i = 1; i < n; i++) {
      if (fabs(x[i]) > fabs(x[at[c]])) at[c] = i;
    }
    double pivot = x[at[c]];
    for (int i = 0; i < n; i++) x[i] /= pivot;
    for (int other = 0; other < count; other++) {
      double *y = basis + (size_t)n * (size_t)other, factor = y[at[c]];
      if (other == c || factor == 0) continue;
      ga_axpy(n, -factor, x, y);
      y[at[c]] = 0;
    }
  }
}

/* From any bases of the null spaces of R A C (store->right) and of its transpose (store->left),
 * count columns each: bring both in place to reduced form and to the units of A, and fill *out,
 * which points to the arrays of store. */
void ga_null_space_from_bases(ga_null_space_store *store, const ga_scaling *scale, int count,
                              ga_null_space *out) {
  int n = scale->n;
  reduce_basis(n, count, store->right, store->cols);
  reduce_basis(n, count, store->left, store->rows);
  for (int c = 0; c < count; c++) {
    size_t at = (size_t)n * (size_t)c;
    change_units(n, scale->col, store->cols[c], store->right + at);
    change_units(n, scale->row, store->rows[c], store->left + at);
  }
  fill_report(store, count, out);
}

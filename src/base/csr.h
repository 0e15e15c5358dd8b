/* SPDX-License-Identifier: MIT */
/* Private operations on compressed-row matrices. */
#ifndef GA_SRC_CSR_H
#define GA_SRC_CSR_H

#include "base/base.h"
#include "genalpha/ga_csr.h"

/* number of entries of the pattern */
static inline int ga_csr_nnz(const ga_csr *A) {
  return A->ptr[A->nrow];
}

/* A copy of the pattern (full if pattern is NULL) with zero values, in the arena. */
ga_status ga_csr_init(ga_csr *A, int nrow, int ncol, const ga_csr *pattern, ga_arena *arena);

/* A = n x n unit matrix with a diagonal pattern, in the arena */
ga_status ga_csr_init_identity(ga_csr *A, int n, ga_arena *arena);

/* Rows in order, columns increasing and in range; says what is wrong. */
ga_status ga_csr_validate(const ga_csr *A, int nrow, int ncol, const char *what, ga_error *err);

/* slot of entry (i, j) in val, -1 if the pattern lacks it */
int ga_csr_find(const ga_csr *A, int i, int j);

/* entry (i, j), 0 if the pattern lacks it */
static inline double ga_csr_at(const ga_csr *A, int i, int j) {
  const int e = ga_csr_find(A, i, j);
  return e < 0 ? 0 : A->val[e];
}

/* all values zero; the pattern stays */
void ga_csr_zero(ga_csr *A);

/* y = c A x, y += c A x and y += c A^T x */
void ga_csr_mul(const ga_csr *A, double c, const double *x, double *y);
void ga_csr_mul_add(const ga_csr *A, double c, const double *x, double *y);
void ga_csr_mul_t_add(const ga_csr *A, double c, const double *x, double *y);

/* out += |A| |x| or |A|^T |x|, and out_i += |A_ii|, |.| entry by entry */
void ga_csr_add_sizes(const ga_csr *A, bool transposed, const double *x, double *out);
void ga_csr_add_diagonal_sizes(const ga_csr *A, double *out);

/* The entries of a matrix column by column: those of column k are val[entry[c]] in row[c],
 * ptr[k] <= c < ptr[k+1]. */
typedef struct ga_columns {
  int *ptr, *row, *entry;
} ga_columns;

void ga_columns_init(ga_columns *columns, const ga_csr *A, ga_arena *arena);

/* P = A B^T. Entry e of P is the sum over start[e] <= k < start[e+1] of a_{of_A[k]} b_{of_B[k]}:
 * pattern and lists once, in the arena, then values. Full matrices need no lists. */
typedef struct ga_product {
  ga_csr P;
  int *start, *of_A, *of_B;
  double *turned; /* room for B^T where A and B are full */
} ga_product;

ga_status ga_product_init(ga_product *product, const ga_csr *A, const ga_csr *B, ga_arena *arena);
void ga_product_values(ga_product *product, const ga_csr *A, const ga_csr *B);

#endif

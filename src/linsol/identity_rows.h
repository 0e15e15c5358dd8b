/* SPDX-License-Identifier: MIT */
/* Replace rows and columns of a matrix with a fixed pattern by those of the identity. So an
 * equation is left out and its unknown is zero, and the pattern does not change. */
#ifndef GA_SRC_IDENTITY_ROWS_H
#define GA_SRC_IDENTITY_ROWS_H

#include "base/csr.h"

typedef struct ga_identity_rows {
  int first;     /* the unknowns from this one on can be replaced */
  int *ptr;      /* entries of column first + j: slot[ptr[j]] .. slot[ptr[j+1]-1] */
  int *slot;     /* their slots in A */
  int *diagonal; /* slot of the diagonal entry of each of these columns */
} ga_identity_rows;

/* A must have all diagonal entries from `first` on. arena->failed is set if memory runs out. */
void ga_identity_rows_init(ga_identity_rows *rows, const ga_csr *A, int first, ga_arena *arena);
/* Replace row and column i of A. */
void ga_identity_rows_apply(const ga_identity_rows *rows, ga_csr *A, int i);
/* Replace row and column at + i for every i with mark[i]. */
void ga_identity_rows_apply_all(const ga_identity_rows *rows, ga_csr *A, int at, int n,
                                const bool *mark);

#endif

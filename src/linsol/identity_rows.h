/* SPDX-License-Identifier: MIT */
/* Rows and columns of a matrix with a fixed pattern that become those of the identity: an equation
 * is left out and its unknown stays zero, without a change of the pattern. */
#ifndef GA_SRC_IDENTITY_ROWS_H
#define GA_SRC_IDENTITY_ROWS_H

#include "base/csr.h"

typedef struct ga_identity_rows {
  int first;        /* from this unknown on it is possible; */
  int *ptr, *place; /* places in A of the entries of its column, */
  int *diagonal;    /* and of the one on the diagonal */
} ga_identity_rows;

/* A has all diagonal entries from `first` on. arena->failed tells. */
void ga_identity_rows_init(ga_identity_rows *unit, const ga_csr *A, int first, ga_arena *arena);
/* Row and column i of A. */
void ga_identity_rows_apply(const ga_identity_rows *unit, ga_csr *A, int i);
/* Row and column at + i for every i with a mark. */
void ga_identity_rows_apply_all(const ga_identity_rows *unit, ga_csr *A, int at, int n,
                                const bool *mark);

#endif

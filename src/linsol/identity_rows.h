/* SPDX-License-Identifier: MIT */
/* Rows and columns of a matrix with a fixed pattern that become those of the identity: an equation
 * is left out and its unknown stays zero, without a change of the pattern. */
#ifndef GA_SRC_UNIT_H
#define GA_SRC_UNIT_H

#include "base/csr.h"

typedef struct ga_unit {
  int first;        /* from this unknown on it is possible; */
  int *ptr, *place; /* places in A of the entries of its column, */
  int *diagonal;    /* and of the one on the diagonal */
} ga_unit;

/* A has all diagonal entries from `first` on. arena->failed tells. */
void ga_unit_init(ga_unit *unit, const ga_csr *A, int first, ga_arena *arena);
/* Row and column i of A. */
void ga_unit_apply(const ga_unit *unit, ga_csr *A, int i);
/* Row and column at + i for every i with a mark. */
void ga_unit_apply_all(const ga_unit *unit, ga_csr *A, int at, int n, const bool *mark);

#endif

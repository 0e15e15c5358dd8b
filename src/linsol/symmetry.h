/* SPDX-License-Identifier: MIT */
/* Private: a diagonal D for which D A is symmetric. */
#ifndef GA_SRC_SYMMETRY_H
#define GA_SRC_SYMMETRY_H

#include "base/csr.h"

typedef struct ga_balance {
  int n;
  int *partner; /* place of entry (j, i) for entry (i, j), -1 if the pattern lacks it */
  double *D;
  int *queue;
} ga_balance;

/* Carve the arrays for a pattern; arena->failed tells. */
void ga_balance_init(ga_balance *balance, const ga_csr *A, ga_arena *arena);

/* Find D for these values, as far as large entries determine it: ga_balance_holds tells whether D A
 * is then symmetric. */
void ga_balance_find(ga_balance *balance, const ga_csr *A);
/* D = I */
void ga_balance_none(ga_balance *balance);

/* whether a matrix with the pattern of A and the values val, entries of about 1, is symmetric up to
 * rounding */
bool ga_balance_holds(const ga_balance *balance, const ga_csr *A, const double *val);

#endif

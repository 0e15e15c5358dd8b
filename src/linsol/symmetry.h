/* SPDX-License-Identifier: MIT */
/* Private: a diagonal D for which D A is symmetric. */
#ifndef GA_SRC_SYMMETRY_H
#define GA_SRC_SYMMETRY_H

#include "base/csr.h"

typedef struct ga_symmetry_diagonal {
  int n;
  int *partner; /* place of entry (j, i) for entry (i, j), -1 if the pattern lacks it */
  double *D;
  int *queue;
} ga_symmetry_diagonal;

/* Carve the arrays for a pattern; arena->failed tells. */
void ga_symmetry_init(ga_symmetry_diagonal *balance, const ga_csr *A, ga_arena *arena);

/* Find D for these values, as far as large entries determine it: ga_symmetry_holds tells whether D A
 * is then symmetric. */
void ga_symmetry_find(ga_symmetry_diagonal *balance, const ga_csr *A);
/* D = I */
void ga_symmetry_none(ga_symmetry_diagonal *balance);

/* whether a matrix with the pattern of A and the values val, entries of about 1, is symmetric up to
 * rounding */
bool ga_symmetry_holds(const ga_symmetry_diagonal *balance, const ga_csr *A, const double *val);

#endif

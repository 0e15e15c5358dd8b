/* SPDX-License-Identifier: MIT */
/* Private: a diagonal D for which D A is symmetric. */
#ifndef GA_SRC_SYMMETRY_H
#define GA_SRC_SYMMETRY_H

#include "base/csr.h"

typedef struct ga_symmetry_diagonal {
  int n;
  int *partner; /* for entry (i, j): slot of entry (j, i), -1 if the pattern lacks it */
  double *D;    /* n numbers */
  int *queue;   /* scratch */
} ga_symmetry_diagonal;

/* Allocate the arrays for a pattern; arena->failed is set if memory runs out. */
void ga_symmetry_init(ga_symmetry_diagonal *balance, const ga_csr *A, ga_arena *arena);

/* Find D for these values, as far as large entries determine it. ga_symmetry_holds then says
 * whether D A is symmetric. */
void ga_symmetry_find(ga_symmetry_diagonal *balance, const ga_csr *A);
/* D = I */
void ga_symmetry_none(ga_symmetry_diagonal *balance);

/* Whether a matrix with the pattern of A and the values val, entries of about 1, is symmetric up to
 * rounding */
bool ga_symmetry_holds(const ga_symmetry_diagonal *balance, const ga_csr *A, const double *val);

#endif

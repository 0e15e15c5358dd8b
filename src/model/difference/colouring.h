/* SPDX-License-Identifier: MIT */
/* Columns of a sparse matrix in groups that share no row, so that one pair of function values gives
 * the difference quotients of a whole group (Curtis, Powell, Reid 1974). */
#ifndef GA_SRC_COLOURING_H
#define GA_SRC_COLOURING_H

#include "base/csr.h"

typedef struct ga_colouring {
  int count;   /* number of groups */
  int *start;  /* group c is column[start[c]] .. column[start[c+1]-1] */
  int *column; /* ncol */
  int *ptr;    /* entries of column j: number ptr[j] .. ptr[j+1]-1 of row and slot */
  int *row;    /* row of an entry */
  int *slot;   /* its slot in the row-wise val */
} ga_colouring;

/* Greedy colouring in the order of the columns; the pattern must not change afterwards. */
ga_status ga_colouring_init(ga_colouring *colours, const ga_csr *A, ga_arena *arena);

#endif

/* SPDX-License-Identifier: MIT */
/* Private: the null spaces of a singular matrix, as solvers report them (ga_null_space). */
#ifndef GA_SRC_NULL_SPACE_H
#define GA_SRC_NULL_SPACE_H

#include "genalpha/ga_linsol.h"
#include "linsol/scaling.h"

/* The arrays of a report, in an arena of their own. */
typedef struct ga_null_space_store {
  ga_arena arena;
  int *rows, *cols;     /* count numbers each */
  double *left, *right; /* n x count numbers each, column by column */
} ga_null_space_store;

/* Allocate count vectors of n numbers; earlier ones are released. */
ga_status ga_null_space_room(ga_null_space_store *store, int n, int count);
void ga_null_space_free(ga_null_space_store *store);

/* The report of R A C, whose entries are val in the pattern of A, by elimination with exchanges of
 * rows and columns. It takes time n^3 and room for 2 n^2 numbers. */
ga_status ga_null_space_eliminate(ga_null_space_store *store, const ga_scaling *scale,
                                  const ga_csr *A, const double *val, ga_null_space *out);

/* The report from any bases of the null spaces of R A C and its transpose, in store->right and
 * store->left: count columns each, which are brought to the form of ga_null_space. */
void ga_null_space_from_bases(ga_null_space_store *store, const ga_scaling *scale, int count,
                              ga_null_space *out);

#endif

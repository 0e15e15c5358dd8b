/* SPDX-License-Identifier: MIT */
/* Private: what direct solvers share, good units for a matrix and the test whether it is singular.
 */
#ifndef GA_SRC_SCALING_H
#define GA_SRC_SCALING_H

#include "base/csr.h"
#include "genalpha/ga_linsol.h"

/* Diagonal R and C of powers of two that bring the largest entry of every row and column of R A C
 * near 1. Row exchanges choose well only among rows of one size: in [[k, -k, 1], [-k, k, 0],
 * [1, 0, 0]], a stiff spring beside a constraint, the rounding error left of k would be preferred
 * to the entry of the constraint. */
typedef struct ga_scaling {
  int n;
  bool known; /* R and C were found and still fit */
  double *row, *col;
  double *unit_of;           /* row times col for every entry */
  double *row_max, *col_max; /* of R A C, in the course of scaling */
  double *x, *unit;          /* of ga_scaling_singular */
} ga_scaling;

/* Carve the arrays for a matrix of n rows and nnz entries; arena->failed tells. */
void ga_scaling_init(ga_scaling *scale, int n, int nnz, ga_arena *arena);

/* R A C into val, entry by entry. R and C are found for the first values and kept as long as they
 * fit roughly: units do not change in a run, and finding them costs as much as factoring a small
 * matrix. Set known = false to forget them. False if an entry of A is not finite. */
bool ga_scaling_apply(ga_scaling *scale, const ga_csr *A, double *val);

/* factor(ls, A), which applies R and C, and once more with new ones if it finds A singular in units
 * that were found for other values: these may have made it look so. */
ga_status ga_scaling_factor(ga_scaling *scale, ga_status (*factor)(ga_linsol *ls, const ga_csr *A),
                            ga_linsol *ls, const ga_csr *A);

/* Pivots of R A C above this times the largest are no reason to look closer. */
#define GA_SCALING_SOUND 1e-7

/* Start of inverse iterations. No two of these are equal, so that no difference of two rows is
 * overlooked. */
double ga_scaling_weight(int i);

/* The column that depends on the others, -1 if A is regular. solve(context, b) overwrites b by
 * (R A C)^-1 b, with the factors of R A C, a zero pivot replaced by DBL_EPSILON. noise is a column
 * whose pivot is nothing but rounding error, -1 if there is none.
 *
 * Such a pivot proves A singular to working precision, whatever the units. There may be none: a
 * dependent row may turn to rounding errors early, on the way, and give pivots that look sound. But
 * then inverse iteration finds some x of size 1 with R A C x = O(eps). That alone is no proof, as R
 * and C are not the only good units; [[m, 0, 1], [0, m, 1], [1, 1, 0]] with tiny m is regular. So
 * either every row of A x must be a sum that cancels, or a second step must grow as much when
 * measured in the units of the first x. */
int ga_scaling_singular(ga_scaling *scale, const ga_csr *A,
                        void (*solve)(const void *context, double *b), const void *context,
                        int noise);

/* The same for a matrix known to be singular, factored after its entries were disturbed by
 * roundings: the column with the largest share in x, R A C x = O(eps). */
int ga_scaling_dependent(ga_scaling *scale, void (*solve)(const void *context, double *b),
                         const void *context);

#endif

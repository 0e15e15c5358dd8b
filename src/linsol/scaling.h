/* SPDX-License-Identifier: MIT */
/* Private: row and column scaling of a matrix, and the test whether it is singular. All direct
 * solvers use both. */
#ifndef GA_SRC_SCALING_H
#define GA_SRC_SCALING_H

#include "base/csr.h"
#include "genalpha/ga_linsol.h"

/* Diagonal R and C of powers of two that bring the largest entry of every row and column of R A C
 * near 1. If the layout of the matrix knows the sizes of velocities, R A C is the same, bit by bit,
 * in all units that are powers of two. Row exchanges choose well only among rows of one size: in [[k, -k, 1], [-k, k, 0],
 * [1, 0, 0]], a stiff spring beside a constraint, the rounding error left of k would be preferred
 * to the entry of the constraint. */
typedef struct ga_scaling {
  int n;
  const double *size;        /* borrowed: ga_linsol_layout.size, NULL: not known */
  bool known;                /* R and C were found and still fit */
  double *row, *col;         /* n numbers: diagonals of R and C */
  double *unit_of;           /* for every entry: row times col */
  double *row_max, *col_max; /* n numbers: largest entries of R A C, while R and C are found */
  double *x, *unit;          /* n numbers: scratch of ga_scaling_singular */
} ga_scaling;

/* Allocate the arrays for a matrix of n rows and nnz entries; arena->failed is set if memory runs
 * out. layout (NULL: nothing is known) is borrowed. */
void ga_scaling_init(ga_scaling *scale, int n, int nnz, const ga_linsol_layout *layout,
                     ga_arena *arena);

/* R A C into val, entry by entry. R and C are found for the first values and kept while the entries
 * of R A C stay within 2^-20 and 2^20: units do not change in a run, and finding R and C costs as
 * much as factoring a small matrix. Set known = false to forget them. False if an entry of A is not
 * finite. */
bool ga_scaling_apply(ga_scaling *scale, const ga_csr *A, double *val);

/* Call factor(ls, A), which applies R and C. If it finds A singular with an R and C of earlier
 * values, call it again with new ones: old ones may make a regular matrix look singular. */
ga_status ga_scaling_factor(ga_scaling *scale, ga_status (*factor)(ga_linsol *ls, const ga_csr *A),
                            ga_linsol *ls, const ga_csr *A);

/* If all pivots of R A C are above this times the largest, A is regular without further tests. */
#define GA_SCALING_SOUND 1e-7

/* Entry i of the start vector of inverse iterations. No two entries are equal, so that a dependency
 * of the kind row i - row j = 0 is not missed. */
double ga_scaling_weight(int i);

/* The column that depends on the others, -1 if A is regular. solve(context, b) overwrites b by (R A
 * C)^-1 b with the factors of R A C, in which a zero pivot is replaced by DBL_EPSILON. noise is a
 * column whose pivot is only rounding error, -1 if there is none.
 *
 * A pivot that is only rounding error proves that A is singular to working precision, in any units.
 * But a singular matrix need not have such a pivot: a dependent row may turn into rounding errors
 * early in the elimination and then give pivots of normal size. Inverse iteration still finds an x
 * of size 1 with R A C x = O(eps). That alone proves nothing, because R and C are not the only good
 * units: [[m, 0, 1], [0, m, 1], [1, 1, 0]] with tiny m is regular. So one of two conditions must
 * hold as well: every row of A x is a sum that cancels, or a second iteration grows as much when
 * measured in the units of the first x. */
int ga_scaling_singular(ga_scaling *scale, const ga_csr *A,
                        void (*solve)(const void *context, double *b), const void *context,
                        int noise);

/* The same for a matrix known to be singular, whose entries were disturbed by rounding errors
 * before it was factored: the column with the largest entry of x, R A C x = O(eps). */
int ga_scaling_dependent(ga_scaling *scale, void (*solve)(const void *context, double *b),
                         const void *context);

#endif

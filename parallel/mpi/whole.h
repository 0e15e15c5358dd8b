/* SPDX-License-Identifier: MIT */
/* The whole matrix of a team, A = sum P_p^T A_p P_p, where the contributions A_p of all processes
 * are in one place. No communication. */
#ifndef GA_MPI_WHOLE_H
#define GA_MPI_WHOLE_H

#include <genalpha/ga_linsol.h>

/* The pattern of A_p: n rows and columns, and their numbers in the whole. */
typedef struct ga_whole_contribution {
  int n;
  const int *ptr, *col;
  const long *number;
} ga_whole_contribution;

/* The smallest and the largest number of the rows and columns of a block; -1: it is empty. */
typedef struct ga_block_range {
  long row_lo, row_hi, col_lo, col_hi;
} ga_block_range;

enum { GA_WHOLE_BLOCKS = 16 };

typedef struct ga_whole {
  ga_csr A;
  int count;
  int **map; /* of each contribution: the slot in A.val of each of its entries; -1 is the end */
  ga_linsol_block block[GA_WHOLE_BLOCKS];
  ga_linsol_layout layout;
  struct ga_condensed *condensed; /* the matrix after ga_whole_condense, or NULL */
} ga_whole;

/* NULL if there is no memory. n: rows of the whole. */
ga_whole *ga_whole_new(long n, int count, const ga_whole_contribution *from);
void ga_whole_free(ga_whole *w);

/* New values: clear, add the contributions in the order of the processes, finish. */
void ga_whole_clear(ga_whole *w);
void ga_whole_add(ga_whole *w, int process, const double *val);
void ga_whole_finish(ga_whole *w);

/* Eliminate the nunit unknowns y with numbers from `unit` on, whose rows are y - S x = 0
 * (ga_linsol_numbering.nunit). From then on the solver gets the smaller matrix. False: no
 * memory. */
bool ga_whole_condense(ga_whole *w, long unit, long nunit);
/* The matrix for the solver: the smaller one, or A; and its layout. */
const ga_csr *ga_whole_matrix(ga_whole *w);
const ga_linsol_layout *ga_whole_layout(const ga_whole *w);
/* In place, in an array of w->A.nrow numbers: a right side of A to one of the solver's matrix,
 * whose numbers come first in the array; the solution of that matrix to the solution of A. */
void ga_whole_right_side(const ga_whole *w, double *x);
void ga_whole_solution(const ga_whole *w, double *x);
void ga_whole_release(ga_whole *w);
/* The number in A of a column of the solver's matrix. */
long ga_whole_column(const ga_whole *w, long column);

/* The ranges of the blocks of a process's layout. */
void ga_block_ranges(const ga_linsol_layout *layout, ga_block_range *range);
/* The blocks of the whole, from nblock ranges of each of count processes, process after process. */
void ga_whole_blocks(ga_whole *w, int nblock, int count, const ga_block_range *range);

#endif

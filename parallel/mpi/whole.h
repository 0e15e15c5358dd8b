/* SPDX-License-Identifier: MIT */
/* A whole matrix from the parts of the ranks of a team, without communication: who has the parts
 * in one place may add them. */
#ifndef GA_MPI_WHOLE_H
#define GA_MPI_WHOLE_H

#include <genalpha/ga_linsol.h>

/* A square matrix of n rows, whose rows and columns have numbers in the whole. */
typedef struct ga_whole_contribution {
  int n;
  const int *ptr, *col;
  const long *number;
} ga_whole_contribution;

/* The least and the largest number of the rows and columns of a block, -1 where it is empty. */
typedef struct ga_block_range {
  long row_lo, row_hi, col_lo, col_hi;
} ga_block_range;

enum { GA_WHOLE_BLOCKS = 16 };

typedef struct ga_whole {
  ga_csr A;
  int count;
  int **map; /* of each part: the place in A.val of each of its entries */
  ga_linsol_block block[GA_WHOLE_BLOCKS];
  ga_linsol_layout layout;
  struct ga_condensed *condensed; /* without the unknowns that others are made of, or NULL */
} ga_whole;

/* NULL if there is no memory. n: rows of the whole. */
ga_whole *ga_whole_new(long n, int count, const ga_whole_contribution *part);
void ga_whole_free(ga_whole *w);

/* Values: zeros, then part after part, in the order of the ranks. */
void ga_whole_clear(ga_whole *w);
void ga_whole_add(ga_whole *w, int part, const double *val);

/* Condensed: the unknowns y with numbers from `unit` on, nunit of them, whose rows read y - S x =
 * 0, are eliminated. What a solver sees of the whole then is the smaller matrix. False: no memory.
 */
bool ga_whole_condense(ga_whole *w, long unit, long nunit);
/* That matrix, or A, with its layout; its values after all parts were added. */
const ga_csr *ga_whole_matrix(ga_whole *w);
const ga_linsol_layout *ga_whole_layout(const ga_whole *w);
void ga_whole_finish(ga_whole *w);
/* A right side of A for the smaller matrix, and its solution back: x has w->A.nrow numbers. Their
 * first ones are those of the smaller matrix in between. */
void ga_whole_right_side(const ga_whole *w, double *x);
void ga_whole_solution(const ga_whole *w, double *x);
void ga_whole_release(ga_whole *w);
/* The number in A of a column of that matrix. */
long ga_whole_column(const ga_whole *w, long column);

/* The ranges of the blocks of a rank's layout. */
void ga_block_ranges(const ga_linsol_layout *layout, ga_block_range *range);
/* The blocks of the whole, from nblock ranges of each of count ranks, rank after rank. */
void ga_whole_blocks(ga_whole *w, int nblock, int count, const ga_block_range *range);

#endif

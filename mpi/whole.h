/* SPDX-License-Identifier: MIT */
/* A whole matrix from the parts of the ranks of a team, without communication: who has the parts
 * in one place may add them. */
#ifndef GA_MPI_WHOLE_H
#define GA_MPI_WHOLE_H

#include <genalpha/ga_linsol.h>

/* A square matrix of n rows, whose rows and columns have numbers in the whole. */
typedef struct ga_whole_part {
  int n;
  const int *ptr, *col;
  const long *number;
} ga_whole_part;

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
} ga_whole;

/* NULL if there is no memory. n: rows of the whole. */
ga_whole *ga_whole_new(long n, int count, const ga_whole_part *part);
void ga_whole_free(ga_whole *w);

/* Values: zeros, then part after part, in the order of the ranks. */
void ga_whole_clear(ga_whole *w);
void ga_whole_add(ga_whole *w, int part, const double *val);

/* The ranges of the blocks of a rank's layout. */
void ga_block_ranges(const ga_linsol_layout *layout, ga_block_range *range);
/* The blocks of the whole, from nblock ranges of each of count ranks, rank after rank. */
void ga_whole_blocks(ga_whole *w, int nblock, int count, const ga_block_range *range);

#endif

/* SPDX-License-Identifier: MIT */
/* Block matrices with one fixed pattern, filled through maps built once.
 *
 * A term is a source matrix, or its transpose, at a block of the big matrix A. Assembly is
 * A.val[map[e]] += coef * src.val[e] for each term, where map has the slot in A of each entry of
 * the source. Terms may overlap. The entries of a term that overlaps with no other are assigned
 * instead of added, and A need not be set to zero there. */
#ifndef GA_SRC_BLOCK_MATRIX_H
#define GA_SRC_BLOCK_MATRIX_H

#include "base/csr.h"

enum { GA_BLOCK_MATRIX_TERMS = 96 };

typedef struct ga_block_matrix_term {
  const ga_csr *src; /* its pattern is fixed, its values are read at each scatter */
  int row, col;      /* upper left corner of the block */
  bool transpose;
  int *map;      /* slot in A of each entry of src */
  bool alone;    /* no other term has an entry in these slots */
  bool in_a_row; /* alone, and the slots are consecutive */
} ga_block_matrix_term;

typedef struct ga_block_matrix {
  ga_csr A;
  int nterm;
  ga_block_matrix_term term[GA_BLOCK_MATRIX_TERMS];
  int nshared, *shared; /* slots of the entries of terms that are not alone */
} ga_block_matrix;

/* Add a term before building; returns its number. */
int ga_block_matrix_add(ga_block_matrix *blocks, int row, int col, const ga_csr *src,
                        bool transpose);
/* Union of all terms as the pattern of an n x n matrix, and the maps. */
ga_status ga_block_matrix_build(ga_block_matrix *blocks, int n, ga_arena *arena);
/* Assembly of all terms: clear, then put every term once. */
void ga_block_matrix_clear(ga_block_matrix *blocks);
void ga_block_matrix_put(ga_block_matrix *blocks, int term, double coef);
/* Assembly of some terms: set A to zero, then add these terms. */
void ga_block_matrix_scatter(ga_block_matrix *blocks, int term, double coef);

#endif

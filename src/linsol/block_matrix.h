/* SPDX-License-Identifier: MIT */
/* Block matrices with one fixed pattern, filled through maps built once.
 *
 * A term places a source matrix (or its transpose) at a block of the big matrix; assembly is
 * A.val[map[e]] += coef * src.val[e] for each term. Terms may overlap; most do not, and their
 * entries need neither a zero before nor a sum. */
#ifndef GA_SRC_BLOCK_MATRIX_H
#define GA_SRC_BLOCK_MATRIX_H

#include "base/csr.h"

enum { GA_BLOCK_MATRIX_TERMS = 96 };

typedef struct ga_block_matrix_term {
  const ga_csr *src; /* its pattern is fixed, its values are read at each scatter */
  int row, col;      /* upper left corner of the block */
  bool transpose;
  int *map;
  bool alone;    /* no other term has an entry where it has one, */
  bool in_a_row; /* and its entries have places one after the other */
} ga_block_matrix_term;

typedef struct ga_block_matrix {
  ga_csr A;
  int nterm;
  ga_block_matrix_term term[GA_BLOCK_MATRIX_TERMS];
  int nshared, *shared; /* places of the entries of the other terms */
} ga_block_matrix;

/* Add a term before building; returns its number. */
int ga_block_matrix_add(ga_block_matrix *blocks, int row, int col, const ga_csr *src,
                        bool transpose);
/* Union of all terms as the pattern of an n x n matrix, and the maps. */
ga_status ga_block_matrix_build(ga_block_matrix *blocks, int n, ga_arena *arena);
/* Assembly of all terms: clear, then put every one of them. */
void ga_block_matrix_clear(ga_block_matrix *blocks);
void ga_block_matrix_put(ga_block_matrix *blocks, int term, double coef);
/* Assembly of any terms: zeros in A, then add some. */
void ga_block_matrix_scatter(ga_block_matrix *blocks, int term, double coef);

#endif

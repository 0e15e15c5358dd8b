/* SPDX-License-Identifier: MIT */
/* Block matrices with one fixed pattern, filled through maps built once.
 *
 * A term places a source matrix (or its transpose) at a block of the big matrix; assembly is
 * A.val[map[e]] += coef * src.val[e] for each term. Terms may overlap; most do not, and their
 * entries need neither a zero before nor a sum. */
#ifndef GA_SRC_BLOCKS_H
#define GA_SRC_BLOCKS_H

#include "base/csr.h"

enum { GA_BLOCK_TERMS = 96 };

typedef struct ga_block_term {
  const ga_csr *src; /* its pattern is fixed, its values are read at each scatter */
  int row, col;      /* upper left corner of the block */
  bool transpose;
  int *map;
  bool alone;    /* no other term has an entry where it has one, */
  bool in_a_row; /* and its entries have places one after the other */
} ga_block_term;

typedef struct ga_blocks {
  ga_csr A;
  int nterm;
  ga_block_term term[GA_BLOCK_TERMS];
  int nshared, *shared; /* places of the entries of the other terms */
} ga_blocks;

/* Add a term before building; returns its number. */
int ga_blocks_add(ga_blocks *blocks, int row, int col, const ga_csr *src, bool transpose);
/* Union of all terms as the pattern of an n x n matrix, and the maps. */
ga_status ga_blocks_build(ga_blocks *blocks, int n, ga_arena *arena);
/* Assembly of all terms: clear, then put every one of them. */
void ga_blocks_clear(ga_blocks *blocks);
void ga_blocks_put(ga_blocks *blocks, int term, double coef);
/* Assembly of any terms: zeros in A, then add some. */
void ga_blocks_scatter(ga_blocks *blocks, int term, double coef);

#endif

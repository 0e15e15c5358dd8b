/* SPDX-License-Identifier: MIT */
/* Block matrices with one fixed pattern, filled through maps built once.
 *
 * A term places a source matrix (or its transpose) at a block of the big matrix; assembly is
 * A.val[map[e]] += coef * src.val[e] for each term. Terms may overlap; most do not, and their
 * entries need neither a zero before nor a sum. */
#ifndef GA_SRC_KKT_H
#define GA_SRC_KKT_H

#include "base/csr.h"

enum { GA_KKT_TERMS = 96 };

typedef struct ga_kkt_term {
  const ga_csr *src; /* its pattern is fixed, its values are read at each scatter */
  int row, col;      /* upper left corner of the block */
  bool transpose;
  int *map;
  bool alone; /* no other term has an entry where it has one */
} ga_kkt_term;

typedef struct ga_kkt {
  ga_csr A;
  int nterm;
  ga_kkt_term term[GA_KKT_TERMS];
  int nshared, *shared; /* places of the entries of the other terms */
} ga_kkt;

/* Add a term before building; returns its number. */
int ga_kkt_add(ga_kkt *kkt, int row, int col, const ga_csr *src, bool transpose);
/* Union of all terms as the pattern of an n x n matrix, and the maps. */
ga_status ga_kkt_build(ga_kkt *kkt, int n, ga_arena *arena);
/* Assembly of all terms: clear, then put every one of them. */
void ga_kkt_clear(ga_kkt *kkt);
void ga_kkt_put(ga_kkt *kkt, int term, double coef);
/* Assembly of any terms: zeros in A, then add some. */
void ga_kkt_scatter(ga_kkt *kkt, int term, double coef);

#endif

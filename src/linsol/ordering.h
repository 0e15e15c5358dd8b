/* SPDX-License-Identifier: MIT */
/* Private: an order of elimination for matrices with constraints, and what an L U costs in it. */
#ifndef GA_SRC_ORDERING_H
#define GA_SRC_ORDERING_H

#include "base/csr.h"
#include "genalpha/ga_linsol.h"

/* Pivot k is expected in row[k] and column col[k]; both are permutations of 0 .. n - 1. */
typedef struct ga_ordering {
  int *row, *col;
} ga_ordering;

/* An L U of a matrix: its entries and its operations (multiplications, additions, divisions). */
typedef struct ga_ordering_counts {
  double entries, operations;
} ga_ordering_counts;

/* Allocate an ordering of n pivots; arena->failed is set if memory runs out. */
void ga_ordering_init(ga_ordering *ordering, int n, ga_arena *arena);

/* Bodies first: every constraint is eliminated right after a velocity that it holds. val: entries of
 * A, whose sizes choose that velocity, or NULL. layout may be NULL. False if memory runs out. */
bool ga_ordering_bodies_first(const ga_csr *A, const ga_linsol_layout *layout, const double *val,
                              ga_ordering *out);

/* Entries and operations of an L U in this order without exchanges. False if memory runs out. */
bool ga_ordering_count(const ga_csr *A, const ga_ordering *ordering, ga_ordering_counts *out);

#endif

/* SPDX-License-Identifier: MIT */
/* Orders of elimination for saddle-point matrices [[K, G^T], [G, 0]].
 *
 * A constraint has no diagonal entry. It gets one, -G K^-1 G^T, when a velocity that it holds is
 * eliminated. An ordering that puts a constraint before these velocities forces exchanges of pivots,
 * and these spoil the ordering. So every constraint gets a velocity of its own as partner, which its
 * row has an entry for. AMD orders the graph in which partners are one node, and each node becomes
 * its velocity and then its constraint. Pairs of this kind are the 2 x 2 pivots of an L D L^T. */
#include "linsol/ordering.h"

#include <math.h>
#include <string.h>
#include <suitesparse/amd.h>

/* Allocate an ordering of n pivots; arena->failed is set if memory runs out. */
void ga_ordering_init(ga_ordering *ordering, int n, ga_arena *arena) {
  ordering->row = ga_arena_ints(arena, (size_t)n);
  ordering->col = ga_arena_ints(arena, (size_t)n);
}

/* row_of[j]: the row in which the pivot of column j is expected, by the blocks of the layout, else
 * row j. */
static void pair_rows(int n, const ga_linsol_layout *layout, int *row_of) {
  for (int j = 0; j < n; j++) row_of[j] = j;
  for (int k = 0; layout && k < layout->nblock; k++) {
    const ga_linsol_block *block = &layout->block[k];
    for (int i = 0; i < block->size; i++) row_of[block->col + i] = block->row + i;
  }
}

/* The column of a partner for the constraint in row i: one that has an entry in this row, has an
 * entry at its own pivot (diagonal[j]) and is free (node[j] < 0): the one of the largest |val|, or
 * the first if val is NULL; -1 if there is none. */
static int find_partner(const ga_csr *A, int i, const double *val, const bool *diagonal,
                        const int *node) {
  int best = -1;
  double largest = -1;
  for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
    const int j = A->col[e];
    const double size = val ? fabs(val[e]) : 0;
    if (!diagonal[j] || node[j] >= 0 || !(size > largest)) continue;
    best = j;
    largest = size;
  }
  return best;
}

/* Number the nodes: node[j] of every column j, two columns if a constraint has a partner; first and
 * second get the columns of each node in their order of elimination, second is -1 for a node of one
 * column. Returns the number of nodes. */
static int make_nodes(const ga_csr *A, const int *row_of, const double *val, const bool *diagonal,
                      int *node, int *first, int *second) {
  int nnode = 0;
  for (int j = 0; j < A->nrow; j++) node[j] = -1;
  for (int j = 0; j < A->nrow; j++) {
    const int partner = diagonal[j] ? -1 : find_partner(A, row_of[j], val, diagonal, node);
    if (partner < 0) continue;
    node[j] = node[partner] = nnode;
    first[nnode] = partner;
    second[nnode++] = j;
  }
  for (int j = 0; j < A->nrow; j++) {
    if (node[j] >= 0) continue;
    node[j] = nnode;
    first[nnode] = j;
    second[nnode++] = -1;
  }
  return nnode;
}

/* The graph of the nodes, by rows: ptr of nnode + 1 numbers and col of all entries of A, with
 * duplicates, which AMD removes. */
static void make_graph(const ga_csr *A, const int *row_of, const int *first, const int *second,
                       const int *node, int nnode, int *ptr, int *col) {
  int at = 0;
  ptr[0] = 0;
  for (int k = 0; k < nnode; k++) {
    for (int part = 0; part < 2; part++) {
      const int j = part ? second[k] : first[k], i = j < 0 ? -1 : row_of[j];
      for (int e = i < 0 ? 0 : A->ptr[i]; i >= 0 && e < A->ptr[i + 1]; e++) {
        col[at++] = node[A->col[e]];
      }
    }
    ptr[k + 1] = at;
  }
}

/* Bodies first, as the head of this file says, into *out. False if memory runs out. */
bool ga_ordering_bodies_first(const ga_csr *A, const ga_linsol_layout *layout, const double *val,
                              ga_ordering *out) {
  enum { LISTS = 6 };
  ga_arena scratch = {0};
  const int n = A->nrow;
  int *list[LISTS];
  for (int i = 0; i < LISTS; i++) list[i] = ga_arena_ints(&scratch, (size_t)n + 1);
  int *row_of = list[0], *node = list[1], *first = list[2], *second = list[3];
  int *ptr = list[4], *order = list[5];
  int *col = ga_arena_ints(&scratch, (size_t)ga_csr_nnz(A));
  bool *diagonal = ga_arena_take(&scratch, (size_t)n, sizeof(bool));
  bool made = !scratch.failed;
  if (made) {
    pair_rows(n, layout, row_of);
    for (int j = 0; j < n; j++) diagonal[j] = ga_csr_find(A, row_of[j], j) >= 0;
    const int nnode = make_nodes(A, row_of, val, diagonal, node, first, second);
    make_graph(A, row_of, first, second, node, nnode, ptr, col);
    made = amd_order(nnode, ptr, col, order, NULL, NULL) >= AMD_OK;
    for (int k = 0, at = 0; made && k < nnode; k++) {
      out->col[at++] = first[order[k]];
      if (second[order[k]] >= 0) out->col[at++] = second[order[k]];
    }
    for (int k = 0; made && k < n; k++) out->row[k] = row_of[out->col[k]];
  }
  ga_arena_free(&scratch);
  return made;
}

/* The entries of the lower triangle of the pattern of A + A^T, both in the order of elimination: row
 * k has the columns adjacent[ptr[k]] .. of smaller numbers, with duplicates. ptr has n + 2 numbers,
 * row_at and col_at are n numbers of scratch. */
static void lower_triangle(const ga_csr *A, const ga_ordering *ordering, int *row_at, int *col_at,
                           int *ptr, int *adjacent) {
  const int n = A->nrow;
  for (int k = 0; k < n; k++) row_at[ordering->row[k]] = col_at[ordering->col[k]] = k;
  memset(ptr, 0, ((size_t)n + 2) * sizeof(int));
  for (int pass = 0; pass < 2; pass++) { /* counts, then entries */
    for (int i = 0; i < n; i++) {
      for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
        const int a = row_at[i], b = col_at[A->col[e]];
        const int high = a > b ? a : b, low = a > b ? b : a;
        if (a == b) continue;
        if (pass == 0) {
          ptr[high + 2]++;
        } else {
          adjacent[ptr[high + 1]++] = low;
        }
      }
    }
    for (int k = 0; k < n && pass == 0; k++) ptr[k + 2] += ptr[k + 1];
  }
}

/* Counts of an L U with the pattern of A + A^T: with c_k entries of L below pivot k,
 *
 *     entries = sum (2 + 2 c_k),   operations = sum (c_k + 2 c_k^2),
 *
 * both diagonals included, as KLU counts.
 *
 * Row k of L has an entry in every column on the paths of the elimination tree from the entries of
 * row k of A up to k (Liu 1986). False if memory runs out. */
bool ga_ordering_count(const ga_csr *A, const ga_ordering *ordering, ga_ordering_counts *out) {
  ga_arena scratch = {0};
  const int n = A->nrow;
  int *parent = ga_arena_ints(&scratch, (size_t)n), *seen = ga_arena_ints(&scratch, (size_t)n);
  int *count = ga_arena_ints(&scratch, (size_t)n), *ptr = ga_arena_ints(&scratch, (size_t)n + 2);
  int *adjacent = ga_arena_ints(&scratch, (size_t)ga_csr_nnz(A));
  const bool made = !scratch.failed;
  if (made) {
    lower_triangle(A, ordering, parent, seen, ptr, adjacent);
    for (int k = 0; k < n; k++) {
      parent[k] = -1;
      seen[k] = k;
      count[k] = 0;
      for (int p = ptr[k]; p < ptr[k + 1]; p++) {
        for (int i = adjacent[p]; seen[i] != k; i = parent[i]) {
          if (parent[i] < 0) parent[i] = k;
          seen[i] = k;
          count[i]++;
        }
      }
    }
    *out = (ga_ordering_counts){0};
    for (int k = 0; k < n; k++) {
      out->entries += 2 + 2.0 * count[k];
      out->operations += count[k] + 2.0 * count[k] * count[k];
    }
  }
  ga_arena_free(&scratch);
  return made;
}

/* SPDX-License-Identifier: MIT */
/* Pattern and scatter maps of a block matrix. */
#include "linsol/block_matrix.h"

#include <assert.h>

/* Add src, or its transpose, with its upper left corner at (row, col); before build only. Returns
 * the number of the term. src is borrowed; at most GA_BLOCK_MATRIX_TERMS terms. */
int ga_block_matrix_add(ga_block_matrix *blocks, int row, int col, const ga_csr *src,
                        bool transpose) {
  assert(blocks->nterm < GA_BLOCK_MATRIX_TERMS);
  blocks->term[blocks->nterm] =
      (ga_block_matrix_term){.src = src, .row = row, .col = col, .transpose = transpose};
  return blocks->nterm++;
}

/* All entries of all terms, numbered through; row and column in the big matrix. */
typedef struct {
  int *row, *col;
} entries;

/* all->row, all->col: row and column in the big matrix of every entry of every term, term after
 * term; both must have room for all of them. */
static void list_entries(const ga_block_matrix *blocks, entries *all) {
  int at = 0;
  for (int k = 0; k < blocks->nterm; k++) {
    const ga_block_matrix_term *term = &blocks->term[k];
    for (int i = 0; i < term->src->nrow; i++) {
      for (int e = term->src->ptr[i]; e < term->src->ptr[i + 1]; e++, at++) {
        int j = term->src->col[e];
        all->row[at] = term->row + (term->transpose ? j : i);
        all->col[at] = term->col + (term->transpose ? i : j);
      }
    }
  }
}

/* Stable counting sort: `sorted` gets the `total` numbers of `order` by increasing key[.], which is
 * from 0 to n - 1; count is scratch of n + 1. */
static void sort_by(const int *key, int n, int total, const int *order, int *sorted, int *count) {
  for (int i = 0; i <= n; i++) count[i] = 0;
  for (int i = 0; i < total; i++) count[key[i] + 1]++;
  for (int i = 0; i < n; i++) count[i + 1] += count[i];
  for (int i = 0; i < total; i++) sorted[count[key[order[i]]]++] = order[i];
}

/* Set alone (no slot is shared with another term or twice used) and in_a_row (alone, and
 * consecutive slots) of each term, and the list of shared slots. count is scratch of nnz numbers;
 * the maps must be set. May set arena->failed. */
static void find_shared(ga_block_matrix *blocks, int nnz, int *count, ga_arena *arena) {
  for (int e = 0; e < nnz; e++) count[e] = 0;
  for (int k = 0; k < blocks->nterm; k++) {
    const ga_block_matrix_term *term = &blocks->term[k];
    for (int e = 0; e < ga_csr_nnz(term->src); e++) count[term->map[e]]++;
  }
  blocks->nshared = nnz;
  for (int k = 0; k < blocks->nterm; k++) {
    ga_block_matrix_term *term = &blocks->term[k];
    int n = ga_csr_nnz(term->src);
    term->alone = true;
    for (int e = 0; e < n; e++) term->alone &= count[term->map[e]] == 1;
    term->in_a_row = term->alone && n > 0;
    for (int e = 1; e < n; e++) term->in_a_row &= term->map[e] == term->map[0] + e;
    for (int e = 0; e < n && term->alone; e++) count[term->map[e]] = 0;
    if (term->alone) blocks->nshared -= n;
  }
  blocks->shared = ga_arena_ints(arena, (size_t)blocks->nshared);
  for (int e = 0, at = 0; e < nnz && !arena->failed; e++) {
    if (count[e] > 0) blocks->shared[at++] = e;
  }
}

/* Sort the entries of all terms by row and column; equal ones share a slot of A. Sets A (n rows,
 * pattern, zero values), the map of each term, and the list of shared slots. A and maps live in
 * arena. GA_ERR_MEM without a message. */
ga_status ga_block_matrix_build(ga_block_matrix *blocks, int n, ga_arena *arena) {
  int total = 0;
  for (int k = 0; k < blocks->nterm; k++) total += ga_csr_nnz(blocks->term[k].src);
  ga_arena scratch = {0};
  size_t size = (size_t)total;
  entries all = {ga_arena_ints(&scratch, size), ga_arena_ints(&scratch, size)};
  int *first = ga_arena_ints(&scratch, size), *second = ga_arena_ints(&scratch, size);
  int *slot = ga_arena_ints(&scratch, size), *count = ga_arena_ints(&scratch, (size_t)n + 1);
  blocks->A = (ga_csr){.nrow = n, .ncol = n, .ptr = ga_arena_ints(arena, (size_t)n + 1)};
  if (scratch.failed || arena->failed) {
    ga_arena_free(&scratch);
    return GA_ERR_MEM;
  }
  list_entries(blocks, &all);
  for (int i = 0; i < total; i++) second[i] = i;
  sort_by(all.col, n, total, second, first, count);
  sort_by(all.row, n, total, first, second, count);
  /* equal neighbours are one entry of A */
  int nnz = 0;
  for (int i = 0; i < total; i++) {
    int e = second[i], before = i ? second[i - 1] : -1;
    bool same = before >= 0 && all.row[before] == all.row[e] && all.col[before] == all.col[e];
    if (!same) blocks->A.ptr[all.row[e] + 1] = ++nnz;
    slot[e] = nnz - 1;
  }
  for (int i = 0; i < n; i++) {
    if (blocks->A.ptr[i + 1] == 0) blocks->A.ptr[i + 1] = blocks->A.ptr[i]; /* empty row */
  }
  blocks->A.col = ga_arena_ints(arena, (size_t)nnz);
  blocks->A.val = ga_arena_doubles(arena, (size_t)nnz);
  int at = 0;
  for (int k = 0; k < blocks->nterm && !arena->failed; k++) {
    int entries_of_term = ga_csr_nnz(blocks->term[k].src);
    blocks->term[k].map = ga_arena_ints(arena, (size_t)entries_of_term);
    for (int e = 0; e < entries_of_term && !arena->failed; e++, at++) {
      blocks->term[k].map[e] = slot[at];
      blocks->A.col[slot[at]] = all.col[at];
    }
  }
  if (!arena->failed) find_shared(blocks, nnz, first, arena);
  ga_arena_free(&scratch);
  return arena->failed ? GA_ERR_MEM : GA_OK;
}

/* to[map[e]] += coef from[e]; no slot occurs twice in map, so four can be treated together */
static void add_at(int nnz, double coef, const int *restrict map, const double *restrict from,
                   double *restrict to) {
  int e = 0;
  for (; e + 3 < nnz; e += 4) {
    to[map[e]] += coef * from[e];
    to[map[e + 1]] += coef * from[e + 1];
    to[map[e + 2]] += coef * from[e + 2];
    to[map[e + 3]] += coef * from[e + 3];
  }
  for (; e < nnz; e++) to[map[e]] += coef * from[e];
}

/* to[e] = coef from[e], for consecutive slots */
static void assign_consecutive(int nnz, double coef, const double *restrict from,
                               double *restrict to) {
  for (int e = 0; e < nnz; e++) to[e] = coef * from[e];
}

/* to[map[e]] = coef from[e] */
static void assign_at(int nnz, double coef, const int *restrict map, const double *restrict from,
                      double *restrict to) {
  for (int e = 0; e < nnz; e++) to[map[e]] = coef * from[e];
}

/* Set to zero the slots of terms that overlap (the others are assigned by put); or all of A, if
 * that is faster. */
void ga_block_matrix_clear(ga_block_matrix *blocks) {
  if (2 * blocks->nshared > ga_csr_nnz(&blocks->A)) {
    ga_csr_zero(&blocks->A);
    return;
  }
  for (int i = 0; i < blocks->nshared; i++) blocks->A.val[blocks->shared[i]] = 0;
}

/* Assign the values of term k, times coef, or add them if the term overlaps with another: A must
 * have been cleared by ga_block_matrix_clear, and a term that is alone is put only once. */
void ga_block_matrix_put(ga_block_matrix *blocks, int k, double coef) {
  const ga_block_matrix_term *term = &blocks->term[k];
  if (term->in_a_row) {
    assign_consecutive(ga_csr_nnz(term->src), coef, term->src->val, blocks->A.val + term->map[0]);
  } else if (term->alone) {
    assign_at(ga_csr_nnz(term->src), coef, term->map, term->src->val, blocks->A.val);
  } else {
    add_at(ga_csr_nnz(term->src), coef, term->map, term->src->val, blocks->A.val);
  }
}

/* Add the values of term k, times coef, to A; its slots must have been set before. */
void ga_block_matrix_scatter(ga_block_matrix *blocks, int k, double coef) {
  const ga_block_matrix_term *term = &blocks->term[k];
  add_at(ga_csr_nnz(term->src), coef, term->map, term->src->val, blocks->A.val);
}

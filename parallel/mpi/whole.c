/* SPDX-License-Identifier: MIT */
/* The union of the patterns of all contributions, and their sum. */
#include "whole.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* all entries of all contributions, one after the other; order is a permutation of them */
typedef struct {
  size_t count;
  int *row, *col, *order, *sorted, *bucket;
} entries;

/* Free the arrays of all, which may be NULL. */
static void free_entries(entries *all) {
  free(all->row);
  free(all->col);
  free(all->order);
  free(all->sorted);
  free(all->bucket);
}

/* Allocate the arrays of *all, which must be zeroed, and set count, row, col (numbers in the whole)
 * and order (0, 1, ..) for all entries of the `count` contributions; n: rows of the whole. False if
 * memory runs out; free_entries in any case. */
static bool list_entries(entries *all, int n, int count, const ga_whole_contribution *from) {
  for (int k = 0; k < count; k++) all->count += (size_t)from[k].ptr[from[k].n];
  size_t size = all->count + 1;
  all->row = malloc(size * sizeof(int));
  all->col = malloc(size * sizeof(int));
  all->order = malloc(size * sizeof(int));
  all->sorted = malloc(size * sizeof(int));
  all->bucket = malloc(((size_t)n + 1) * sizeof(int));
  if (!all->row || !all->col || !all->order || !all->sorted || !all->bucket) return false;
  int at = 0;
  for (int k = 0; k < count; k++) {
    const ga_whole_contribution *p = &from[k];
    for (int i = 0; i < p->n; i++) {
      for (int e = p->ptr[i]; e < p->ptr[i + 1]; e++, at++) {
        all->row[at] = (int)p->number[i];
        all->col[at] = (int)p->number[p->col[e]];
        all->order[at] = at;
      }
    }
  }
  return true;
}

/* Stable counting sort of all->order by key[entry], which is from 0 to n - 1. sorted and bucket are
 * scratch. */
static void sort_by(entries *all, const int *key, int n) {
  int *bucket = all->bucket;
  memset(bucket, 0, ((size_t)n + 1) * sizeof(int));
  for (size_t i = 0; i < all->count; i++) bucket[key[i] + 1]++;
  for (int i = 0; i < n; i++) bucket[i + 1] += bucket[i];
  for (size_t i = 0; i < all->count; i++) all->sorted[bucket[key[all->order[i]]]++] = all->order[i];
  int *kept = all->order;
  all->order = all->sorted;
  all->sorted = kept;
}

/* Entries with the same row and column, which follow each other in all->order (sorted by row, then
 * column), get one slot of A. Writes the slot of each entry to all->sorted, and A->ptr, which must
 * be zero before. Returns the number of slots. */
static int assign_slots(entries *all, ga_csr *A) {
  int nnz = 0;
  for (size_t i = 0; i < all->count; i++) {
    int e = all->order[i], before = i > 0 ? all->order[i - 1] : -1;
    bool same = before >= 0 && all->row[before] == all->row[e] && all->col[before] == all->col[e];
    if (!same) A->ptr[all->row[e] + 1] = ++nnz;
    all->sorted[e] = nnz - 1;
  }
  for (int i = 0; i < A->nrow; i++) {
    if (A->ptr[i + 1] == 0) A->ptr[i + 1] = A->ptr[i];
  }
  return nnz;
}

/* Allocate and set A.ptr's slots, A.col, A.val (zero) and the map of each contribution in w, from
 * the sorted entries. False if memory runs out; ga_whole_free frees what there is. */
static bool fill_pattern(ga_whole *w, entries *all, const ga_whole_contribution *from) {
  ga_csr *A = &w->A;
  int nnz = assign_slots(all, A);
  A->col = malloc(((size_t)nnz + 1) * sizeof(int));
  A->val = calloc((size_t)nnz + 1, sizeof(double));
  if (!A->col || !A->val) return false;
  size_t at = 0;
  for (int k = 0; k < w->count; k++) {
    int n = from[k].ptr[from[k].n];
    w->map[k] = malloc(((size_t)n + 1) * sizeof(int));
    if (!w->map[k]) return false;
    for (int e = 0; e < n; e++, at++) {
      w->map[k][e] = all->sorted[at];
      A->col[all->sorted[at]] = all->col[at];
    }
    w->map[k][n] = -1;
  }
  return true;
}

/* A new whole matrix of n rows with the pattern of `count` contributions, all values zero; equal
 * entries share a slot of A. NULL if memory runs out or n exceeds an int. */
ga_whole *ga_whole_new(long n, int count, const ga_whole_contribution *from) {
  ga_whole *w = calloc(1, sizeof *w);
  entries all = {0};
  if (!w || n >= INT_MAX) {
    free(w);
    return NULL;
  }
  w->A.nrow = w->A.ncol = (int)n;
  w->count = count;
  w->map = calloc((size_t)count, sizeof *w->map);
  w->A.ptr = calloc((size_t)n + 1, sizeof(int));
  bool good = w->map && w->A.ptr && list_entries(&all, (int)n, count, from);
  if (good) {
    sort_by(&all, all.col, (int)n);
    sort_by(&all, all.row, (int)n);
    good = fill_pattern(w, &all, from);
  }
  free_entries(&all);
  if (good) return w;
  ga_whole_free(w);
  return NULL;
}

/* Free w with all it owns; NULL is allowed. */
void ga_whole_free(ga_whole *w) {
  if (!w) return;
  ga_whole_release(w);
  for (int k = 0; k < w->count && w->map; k++) free(w->map[k]);
  free(w->map);
  free(w->A.ptr);
  free(w->A.col);
  free(w->A.val);
  free(w);
}

/* Set all values of A to zero, before the contributions are added. */
void ga_whole_clear(ga_whole *w) {
  memset(w->A.val, 0, (size_t)w->A.ptr[w->A.nrow] * sizeof(double));
}

/* A += the contribution of this process; val has its entries in the order of its pattern.
 * ga_whole_clear comes before the first one, ga_whole_finish after the last. */
void ga_whole_add(ga_whole *w, int process, const double *val) {
  const int *map = w->map[process];
  double *sum = w->A.val;
  for (int e = 0; map[e] >= 0; e++) sum[map[e]] += val[e]; /* -1 is the end */
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Extend the range *lo .. *hi so that it has this number; both are -1 if it is empty. */
static void widen(long number, long *lo, long *hi) {
  if (*lo < 0 || number < *lo) *lo = number;
  if (number > *hi) *hi = number;
}

/* Write to range[b] the smallest and largest number in the whole of the rows and columns of block b
 * of this process, -1 if it is empty; at most GA_WHOLE_BLOCKS blocks. */
void ga_block_ranges(const ga_linsol_layout *layout, ga_block_range *range) {
  const long *number = layout->numbering->number;
  for (int b = 0; b < layout->nblock && b < GA_WHOLE_BLOCKS; b++) {
    const ga_linsol_block *block = &layout->block[b];
    range[b] = (ga_block_range){-1, -1, -1, -1};
    for (int i = 0; i < block->size; i++) {
      widen(number[block->row + i], &range[b].row_lo, &range[b].row_hi);
      widen(number[block->col + i], &range[b].col_lo, &range[b].col_hi);
    }
  }
}

/* Set w->block and w->layout: join range[p nblock + b] of all `count` processes p to block b of the
 * whole; blocks that are empty everywhere are left out. nblock <= GA_WHOLE_BLOCKS. */
void ga_whole_blocks(ga_whole *w, int nblock, int count, const ga_block_range *range) {
  int known = 0;
  for (int b = 0; b < nblock; b++) {
    ga_block_range all = {-1, -1, -1, -1};
    for (int p = 0; p < count; p++) {
      const ga_block_range *own = &range[p * nblock + b];
      if (own->row_lo < 0) continue;
      widen(own->row_lo, &all.row_lo, &all.row_hi);
      widen(own->row_hi, &all.row_lo, &all.row_hi);
      widen(own->col_lo, &all.col_lo, &all.col_hi);
      widen(own->col_hi, &all.col_lo, &all.col_hi);
    }
    if (all.row_lo < 0) continue;
    w->block[known++] =
        (ga_linsol_block){(int)all.row_lo, (int)all.col_lo, (int)(all.row_hi - all.row_lo + 1)};
  }
  w->layout = (ga_linsol_layout){.nblock = known, .block = w->block};
}

/* SPDX-License-Identifier: MIT */
/* Patterns built entry by entry, and entries of a matrix by row and column. */
#include <stdlib.h>
#include <string.h>

#include "base/csr.h"
#include "genalpha/ga_helpers.h"
#include "lie/lie.h"

/* one entry of a pattern */
typedef struct entry {
  int row, col;
} entry;

struct ga_pattern {
  entry *list;
  size_t count, room;
  bool failed;  /* no memory */
  entry wrong;  /* the first entry outside, */
  bool outside; /* if there is one */
  ga_csr A;     /* the finished pattern */
};

/* *out: a new empty pattern of nrow x ncol, freed by ga_pattern_free */
ga_status ga_pattern_new(int nrow, int ncol, ga_pattern **out) {
  *out = NULL;
  if (nrow < 0 || ncol < 0) return GA_ERR_ARG;
  ga_pattern *p = ga_calloc(1, sizeof *p);
  if (!p) return GA_ERR_MEM;
  p->A.nrow = nrow;
  p->A.ncol = ncol;
  *out = p;
  return GA_OK;
}

/* frees p and the pattern it made; NULL is allowed */
void ga_pattern_free(ga_pattern *p) {
  if (!p) return;
  ga_free(p->list);
  ga_free(p->A.ptr);
  ga_free(p->A.col);
  ga_free(p);
}

/* makes room for one more entry by doubling the list; false without memory */
static bool make_room(ga_pattern *p) {
  if (p->count < p->room) return true;
  size_t room = p->room > 0 ? 2 * p->room : 64;
  entry *list = ga_calloc(room, sizeof *list);
  if (!list) return false;
  if (p->count > 0) memcpy(list, p->list, p->count * sizeof *list);
  ga_free(p->list);
  p->list = list;
  p->room = room;
  return true;
}

/* Adds entry (row, col); duplicates are allowed. An entry outside and lack of memory are
 * remembered: ga_pattern_finish reports them. */
void ga_pattern_add(ga_pattern *p, int row, int col) {
  if (row < 0 || row >= p->A.nrow || col < 0 || col >= p->A.ncol) {
    if (!p->outside) p->wrong = (entry){row, col};
    p->outside = true;
    return;
  }
  p->failed = p->failed || !make_room(p);
  if (!p->failed) p->list[p->count++] = (entry){row, col};
}

/* adds all entries of a block of rows x cols at (row, col) */
void ga_pattern_add_block(ga_pattern *p, int row, int col, int rows, int cols) {
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < cols; j++) ga_pattern_add(p, row + i, col + j);
  }
}

/* Velocities of the non-commutative group that a column belongs to: returns how many, *first is the
 * first one. 0 for columns of R^n. */
static int copy_of(const ga_space *space, int col, int *first) {
  for (int f = 0; f < space->nfactor; f++) {
    const ga_factor *factor = &space->factor[f];
    int nv = factor->group->nv, at = col - factor->v_at;
    if (factor->group->commutative || at < 0 || at >= nv * factor->n) continue;
    *first = col - at % nv;
    return nv;
  }
  return 0;
}

/* Completes every row: if it has one column of a copy of SO(3) or SE(3), it gets all of them,
 * because T mixes them. Call it after the last ga_pattern_add; lack of memory is remembered. */
void ga_pattern_close(ga_pattern *p, const ga_space *space) {
  if (space->commutative) return;
  for (size_t e = 0, count = p->count; e < count; e++) {
    int first = 0, nv = copy_of(space, p->list[e].col, &first), row = p->list[e].row;
    for (int k = 0; k < nv; k++) {
      if (first + k != p->list[e].col) ga_pattern_add(p, row, first + k);
    }
  }
}

/* order of qsort: by row, then by column; 0 for equal entries */
static int compare_entries(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->row != y->row) return x->row < y->row ? -1 : 1;
  return (x->col > y->col) - (x->col < y->col);
}

/* Sorts the entries, skips duplicates and sets *out to the pattern in compressed rows, which
 * belongs to p and lives until the next call or ga_pattern_free. NULL on failure: GA_ERR_ARG if an
 * entry was outside, GA_ERR_MEM if memory was short, now or before. */
ga_status ga_pattern_finish(ga_pattern *p, const ga_csr **out, ga_error *err) {
  *out = NULL;
  if (p->outside) {
    return ga_fail(err, GA_ERR_ARG, "pattern: entry (%d, %d) is outside of %d x %d", p->wrong.row,
                   p->wrong.col, p->A.nrow, p->A.ncol);
  }
  ga_free(p->A.ptr);
  ga_free(p->A.col);
  p->A.ptr = ga_calloc((size_t)p->A.nrow + 1, sizeof(int));
  p->A.col = ga_calloc(p->count + 1, sizeof(int));
  if (p->failed || !p->A.ptr || !p->A.col) {
    return ga_fail(err, GA_ERR_MEM, "no memory for a pattern");
  }
  if (p->count > 0) qsort(p->list, p->count, sizeof *p->list, compare_entries);
  int nnz = 0;
  for (size_t e = 0; e < p->count; e++) {
    const entry *now = &p->list[e];
    if (e > 0 && compare_entries(now - 1, now) == 0) continue;
    p->A.col[nnz++] = now->col;
    p->A.ptr[now->row + 1] = nnz;
  }
  for (int i = 0; i < p->A.nrow; i++) { /* rows without entries end where they begin */
    if (p->A.ptr[i + 1] < p->A.ptr[i]) p->A.ptr[i + 1] = p->A.ptr[i];
  }
  *out = &p->A;
  return GA_OK;
}

/* position of (row, col) in A->val, -1 if there is none; A->ptr NULL: A is full, by rows */
int ga_csr_slot(const ga_csr *A, int row, int col) {
  if (row < 0 || row >= A->nrow || col < 0 || col >= A->ncol) return -1;
  return A->ptr ? ga_csr_find(A, row, col) : row * A->ncol + col;
}

/* A(row, col) += value; false if the pattern has no such entry */
bool ga_csr_add(ga_csr *A, int row, int col, double value) {
  int at = ga_csr_slot(A, row, col);
  if (at >= 0) A->val[at] += value;
  return at >= 0;
}

/* A += B, a block of rows x cols numbers by rows, at (row, col); false if the pattern lacks an
 * entry (the others are added) */
bool ga_csr_add_block(ga_csr *A, int row, int col, int rows, int cols, const double *B) {
  bool all = true;
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < cols; j++) {
      if (!ga_csr_add(A, row + i, col + j, B[i * cols + j])) all = false;
    }
  }
  return all;
}

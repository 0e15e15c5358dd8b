/* SPDX-License-Identifier: MIT */
/* Strong entries, partners and blocks.
 *
 * Rows and columns are partners if a pivot is expected where they meet: on the diagonal, if that is
 * strong. What is left are rows of constraints and columns of multipliers. Those of them that are
 * each other's largest entry are partners (in stab2 a position constraint and its eta, by G G^T),
 * the others are paired in order (velocity constraints and lam, whose pivots come from the
 * elimination of velocities). If the layout of the matrix is known, its blocks are the partners.
 * With partners as diagonal, the strongly connected components of the graph are the blocks of a
 * block triangular form. */
#include "linsol/strong_entries.h"

#include <math.h>
#include <string.h>
#include <suitesparse/btf.h>

void ga_strong_init(ga_strong *s, const ga_csr *A) {
  size_t n = (size_t)A->nrow, nnz = (size_t)ga_csr_nnz(A);
  s->A = *A;
  s->A.val = NULL;
  s->scaled = ga_arena_doubles(&s->arena, nnz);
  s->kept = ga_arena_take(&s->arena, nnz, sizeof(bool));
  int **const lists[] = {&s->row_of, &s->column_of, &s->block_of, &s->place};
  for (int i = 0; i < 4; i++) *lists[i] = ga_arena_ints(&s->arena, n);
  s->work = ga_arena_doubles(&s->arena, n);
  ga_scale_init(&s->scale, A->nrow, ga_csr_nnz(A), &s->arena);
}

void ga_strong_close(ga_strong *s, bool forget) {
  for (int k = 0; k < s->nblock; k++) ga_linsol_close(&s->block[k].ls);
  s->nblock = 0;
  ga_arena_free(&s->choice);
  if (forget) memset(s->kept, 0, (size_t)ga_csr_nnz(&s->A) * sizeof(bool));
}

void ga_strong_free(ga_strong *s) {
  ga_strong_close(s, false);
  ga_arena_free(&s->arena);
}

static void choose_entries(ga_strong *s, double weak) {
  const ga_csr *A = &s->A;
  s->entries = 0;
  /* work: 1 where the pattern has no diagonal */
  for (int i = 0; i < A->nrow; i++) s->work[i] = ga_csr_find(A, i, i) < 0;
  for (int i = 0; i < A->nrow; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      bool constraint = s->work[i] > 0 || s->work[A->col[e]] > 0;
      s->kept[e] |= constraint || fabs(s->scaled[e]) >= weak;
      s->entries += s->kept[e];
    }
  }
}

static void pair(ga_strong *s, int row, int col) {
  s->row_of[col] = row;
  s->column_of[row] = col;
}

/* the free column in which a free row has its largest entry, -1 if it has none there */
static int largest_free(const ga_strong *s, int row, double *largest) {
  int best = -1;
  *largest = 0;
  for (int e = s->A.ptr[row]; e < s->A.ptr[row + 1] && s->column_of[row] < 0; e++) {
    int j = s->A.col[e];
    if (!s->kept[e] || s->row_of[j] >= 0 || fabs(s->scaled[e]) <= *largest) continue;
    *largest = fabs(s->scaled[e]);
    best = j;
  }
  return best;
}

/* Free rows and columns that are each other's largest entry become partners; false if none did.
 * work: the largest entry of each column. */
static bool pair_mutual(ga_strong *s) {
  bool found = false;
  double largest;
  for (int j = 0; j < s->A.nrow; j++) s->work[j] = 0;
  for (int i = 0; i < s->A.nrow; i++) {
    for (int e = s->A.ptr[i]; e < s->A.ptr[i + 1] && s->column_of[i] < 0; e++) {
      if (s->kept[e]) s->work[s->A.col[e]] = ga_max(s->work[s->A.col[e]], fabs(s->scaled[e]));
    }
  }
  for (int i = 0; i < s->A.nrow; i++) {
    int j = largest_free(s, i, &largest);
    if (j < 0 || largest < s->work[j]) continue;
    pair(s, i, j);
    found = true;
  }
  return found;
}

static void find_partners(ga_strong *s) {
  enum { PASSES = 20 }; /* two or three are enough for constraints */
  int n = s->A.nrow;
  for (int i = 0; i < n; i++) s->row_of[i] = s->column_of[i] = -1;
  for (int i = 0; i < n; i++) {
    int e = ga_csr_find(&s->A, i, i);
    if (e >= 0 && s->kept[e]) pair(s, i, i);
  }
  for (int pass = 0; pass < PASSES && pair_mutual(s); pass++) continue;
  for (int i = 0, j = 0; i < n; i++) {
    if (s->column_of[i] >= 0) continue;
    while (s->row_of[j] >= 0) j++;
    pair(s, i, j);
  }
}

/* partners as the layout of the matrix tells */
static void take_partners(ga_strong *s, const ga_linsol_layout *layout) {
  for (int k = 0; k < layout->nblock; k++) {
    const ga_linsol_block *block = &layout->block[k];
    for (int i = 0; i < block->size; i++) pair(s, block->row + i, block->col + i);
  }
}

/* Constraints that are partners of a multiplier without diagonal keep their gradients, however
 * small some entries are at present: else P would have to be chosen anew as they grow. */
static void keep_gradients(ga_strong *s) {
  for (int j = 0; j < s->A.nrow; j++) {
    int i = s->row_of[j];
    if (ga_csr_find(&s->A, j, j) >= 0) continue;
    for (int e = s->A.ptr[i]; e < s->A.ptr[i + 1]; e++) {
      bool gradient = !s->kept[e] && s->row_of[s->A.col[e]] == s->A.col[e];
      s->kept[e] |= gradient;
      s->entries += gradient;
    }
  }
}

/* Components in the order of the block triangular form; small ones join the next. */
static bool find_blocks(ga_strong *s) {
  ga_arena scratch = {0};
  int n = s->A.nrow, at = 0;
  int *ptr = ga_arena_ints(&scratch, (size_t)n + 1);
  int *col = ga_arena_ints(&scratch, (size_t)s->entries),
      *order = ga_arena_ints(&scratch, (size_t)n);
  int *first = ga_arena_ints(&scratch, (size_t)n + 1),
      *work = ga_arena_ints(&scratch, 4 * (size_t)n);
  bool made = !scratch.failed;
  for (int j = 0; j < n && made; j++) {
    for (int e = s->A.ptr[s->row_of[j]]; e < s->A.ptr[s->row_of[j] + 1]; e++) {
      if (s->kept[e]) col[at++] = s->A.col[e];
    }
    ptr[j + 1] = at;
  }
  if (made) {
    int found = btf_strongcomp(n, ptr, col, NULL, order, first, work);
    s->nblock = 0;
    for (int k = 0, begun = 0; k < found; k++) {
      for (int i = first[k]; i < first[k + 1]; i++) s->block_of[order[i]] = s->nblock;
      bool large = GA_STRONG_BLOCKS * (first[k + 1] - begun) >= n;
      if (!large && k + 1 < found) continue;
      s->nblock++;
      begun = first[k + 1];
    }
  }
  ga_arena_free(&scratch);
  return made;
}

/* row i, whose partner is the column at `place`, of a block */
static int copy_row(const ga_strong *s, ga_strong_block *b, int k, int i, int at) {
  for (int e = s->A.ptr[i]; e < s->A.ptr[i + 1]; e++) {
    if (!s->kept[e] || s->block_of[s->A.col[e]] != k) continue;
    b->D.col[at] = s->place[s->A.col[e]];
    b->from[at++] = e;
  }
  return at;
}

/* Columns and sizes of the blocks, then their patterns, one after the other in arrays for all. */
static bool fill_blocks(ga_strong *s) {
  size_t n = (size_t)s->A.nrow, most = (size_t)s->entries;
  for (int k = 0; k < s->nblock; k++) {
    ga_strong_block *b = &s->block[k];
    *b = (ga_strong_block){.cols = ga_arena_ints(&s->choice, n)};
    if (!b->cols) return false;
    for (int j = 0; j < s->A.nrow; j++) {
      if (s->block_of[j] == k) s->place[j] = b->n, b->cols[b->n++] = j;
    }
    b->D = (ga_csr){.nrow = b->n, .ncol = b->n};
    b->D.ptr = ga_arena_ints(&s->choice, (size_t)b->n + 1);
  }
  int *col = ga_arena_ints(&s->choice, most), *from = ga_arena_ints(&s->choice, most);
  double *val = ga_arena_doubles(&s->choice, most);
  for (int k = 0, at = 0; k < s->nblock && !s->choice.failed; k++, at = 0) {
    ga_strong_block *b = &s->block[k];
    b->D.col = col, b->D.val = val, b->from = from;
    for (int p = 0; p < b->n; p++) {
      at = copy_row(s, b, k, s->row_of[b->cols[p]], at);
      b->D.ptr[p + 1] = at;
    }
    col += at, val += at, from += at;
  }
  return !s->choice.failed;
}

/* the entries below the blocks, by rows of A */
static bool fill_rest(ga_strong *s) {
  size_t n = (size_t)s->A.nrow, most = (size_t)s->entries;
  int at = 0;
  s->rest = (ga_csr){.nrow = s->A.nrow, .ncol = s->A.nrow};
  s->rest.ptr = ga_arena_ints(&s->choice, n + 1);
  s->rest.col = ga_arena_ints(&s->choice, most);
  s->rest.val = ga_arena_doubles(&s->choice, most);
  s->rest_from = ga_arena_ints(&s->choice, most);
  if (s->choice.failed) return false;
  for (int i = 0; i < s->A.nrow; i++) {
    for (int e = s->A.ptr[i]; e < s->A.ptr[i + 1]; e++) {
      if (!s->kept[e] || s->block_of[s->A.col[e]] == s->block_of[s->column_of[i]]) continue;
      s->rest.col[at] = s->A.col[e];
      s->rest_from[at++] = e;
    }
    s->rest.ptr[i + 1] = at;
  }
  return true;
}

ga_status ga_strong_choose(ga_strong *s, const ga_csr *A, const ga_linsol_layout *layout,
                           double weak) {
  s->scale.known = false;
  if (!ga_scale_apply(&s->scale, A, s->scaled)) return GA_RETRY_NONFINITE;
  ga_strong_close(s, false);
  choose_entries(s, weak);
  if (layout && layout->nblock > 0) {
    take_partners(s, layout);
  } else {
    find_partners(s);
  }
  keep_gradients(s);
  if (!find_blocks(s) || !fill_blocks(s) || !fill_rest(s)) {
    s->nblock = 0;
    return GA_ERR_MEM;
  }
  s->time = s->fill = 0;
  for (int k = 0; k < s->nblock; k++) {
    ga_prediction of;
    double time;
    if (!ga_linsol_predict(&s->block[k].D, &of)) return GA_ERR_MEM;
    s->block[k].ls.ops = ga_linsol_fastest(&of, &time);
    s->time += time;
    s->fill += of.fill;
  }
  return GA_OK;
}

ga_status ga_strong_open(ga_strong *s) {
  ga_status status = GA_OK;
  for (int k = 0; k < s->nblock && status == GA_OK; k++) {
    status = s->block[k].ls.ops->analyze(&s->block[k].ls, &s->block[k].D);
  }
  return status;
}

ga_status ga_strong_factor(ga_strong *s, const ga_csr *A) {
  const double *val = A->val;
  ga_status status = GA_OK;
  for (int e = 0; e < ga_csr_nnz(&s->rest); e++) s->rest.val[e] = val[s->rest_from[e]];
  for (int k = 0; k < s->nblock && status == GA_OK; k++) {
    ga_strong_block *b = &s->block[k];
    for (int e = 0; e < ga_csr_nnz(&b->D); e++) b->D.val[e] = val[b->from[e]];
    status = b->ls.ops->factor(&b->ls, &b->D);
  }
  return status;
}

/* Block by block from the first, what the ones before contribute is taken away. */
static ga_status forward(ga_strong *s, double *r, double *c) {
  for (int k = 0; k < s->nblock; k++) {
    ga_strong_block *b = &s->block[k];
    for (int p = 0; p < b->n; p++) {
      int i = s->row_of[b->cols[p]];
      double sum = r[i];
      for (int e = s->rest.ptr[i]; e < s->rest.ptr[i + 1]; e++) {
        sum -= s->rest.val[e] * c[s->rest.col[e]];
      }
      s->work[p] = sum;
    }
    ga_status status = b->ls.ops->solve(&b->ls, s->work);
    if (status != GA_OK) return status;
    for (int p = 0; p < b->n; p++) c[b->cols[p]] = s->work[p];
  }
  return GA_OK;
}

/* The transpose: from the last; unknowns belong to rows now. */
static ga_status backward(ga_strong *s, double *r, double *c) {
  for (int k = s->nblock - 1; k >= 0; k--) {
    ga_strong_block *b = &s->block[k];
    for (int p = 0; p < b->n; p++) s->work[p] = r[b->cols[p]];
    ga_status status = ga_linsol_solve_many(&b->ls, true, b->n, 1, s->work);
    if (status != GA_OK) return status;
    for (int p = 0; p < b->n; p++) {
      int i = s->row_of[b->cols[p]];
      c[i] = s->work[p];
      for (int e = s->rest.ptr[i]; e < s->rest.ptr[i + 1]; e++) {
        r[s->rest.col[e]] -= s->rest.val[e] * c[i];
      }
    }
  }
  return GA_OK;
}

ga_status ga_strong_solve(ga_strong *s, bool transposed, double *r, double *c) {
  return transposed ? backward(s, r, c) : forward(s, r, c);
}

long ga_strong_repivots(const ga_strong *s) {
  long sum = 0;
  for (int k = 0; k < s->nblock; k++) sum += s->block[k].ls.repivots;
  return sum;
}

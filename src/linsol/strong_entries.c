/* SPDX-License-Identifier: MIT */
/* Strong entries, partners and blocks.
 *
 * A row and a column are partners if a pivot is expected where they meet. Partners are chosen in
 * this order:
 *
 *   1. as the blocks of the layout say, if the layout of the matrix is known;
 *   2. row i and column i, if the diagonal entry is strong;
 *   3. of the other rows (constraints) and columns (multipliers), those whose common entry is the
 *      largest of both (in stab2 a position constraint and its eta, by G G^T);
 *   4. the rest in order (velocity constraints and lam: their pivots appear when the velocities are
 *      eliminated).
 *
 * With the partners on the diagonal, the strongly connected components of the graph of P are the
 * blocks of a block triangular form. */
#include "linsol/strong_entries.h"

#include <math.h>
#include <string.h>
#include <suitesparse/btf.h>

/* Borrow the pattern of A and the layout (NULL: nothing is known), and allocate what does not depend on the choice; *s must be zero before.
 * s->arena.failed is set if memory runs out. */
void ga_strong_entries_init(ga_strong_entries *s, const ga_csr *A, const ga_linsol_layout *layout) {
  size_t n = (size_t)A->nrow, nnz = (size_t)ga_csr_nnz(A);
  s->A = *A;
  s->A.val = NULL;
  s->scaled = ga_arena_doubles(&s->arena, nnz);
  s->kept = ga_arena_take(&s->arena, nnz, sizeof(bool));
  int **const lists[] = {&s->row_of, &s->column_of, &s->block_of, &s->index_of};
  for (int i = 0; i < 4; i++) *lists[i] = ga_arena_ints(&s->arena, n);
  s->work = ga_arena_doubles(&s->arena, n);
  ga_scaling_init(&s->scale, A->nrow, ga_csr_nnz(A), layout, &s->arena);
}

/* Close the solvers of all blocks and release the present choice. forget: also which entries were
 * kept (they stay strong otherwise). */
void ga_strong_entries_close(ga_strong_entries *s, bool forget) {
  for (int k = 0; k < s->nblock; k++) ga_linsol_close(&s->block[k].ls);
  s->nblock = 0;
  ga_arena_free(&s->choice);
  if (forget) memset(s->kept, 0, (size_t)ga_csr_nnz(&s->A) * sizeof(bool));
}

/* Close the solvers and free all arrays. */
void ga_strong_entries_free(ga_strong_entries *s) {
  ga_strong_entries_close(s, false);
  ga_arena_free(&s->arena);
}

/* Mark the strong entries in s->kept and count them in s->entries: those of constraints, those with
 * |R A C| >= weak, and all that were kept before. Overwrites s->work. */
static void choose_entries(ga_strong_entries *s, double weak) {
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

/* A pivot is expected where this row and this column meet. */
static void make_partners(ga_strong_entries *s, int row, int col) {
  s->row_of[col] = row;
  s->column_of[row] = col;
}

/* For a row without partner: the column without partner in which it has its largest strong entry,
 * whose size is *largest; -1 (and 0) if there is none or the row has a partner. */
static int largest_free_column(const ga_strong_entries *s, int row, double *largest) {
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

/* One pass of rule 3: rows and columns without partner whose common entry is the largest of both
 * become partners; false if there were none. Overwrites s->work: the largest entry of each
 * column. */
static bool pair_mutual(ga_strong_entries *s) {
  bool found = false;
  double largest;
  for (int j = 0; j < s->A.nrow; j++) s->work[j] = 0;
  for (int i = 0; i < s->A.nrow; i++) {
    for (int e = s->A.ptr[i]; e < s->A.ptr[i + 1] && s->column_of[i] < 0; e++) {
      if (s->kept[e]) s->work[s->A.col[e]] = ga_max(s->work[s->A.col[e]], fabs(s->scaled[e]));
    }
  }
  for (int i = 0; i < s->A.nrow; i++) {
    int j = largest_free_column(s, i, &largest);
    if (j < 0 || largest < s->work[j]) continue;
    make_partners(s, i, j);
    found = true;
  }
  return found;
}

/* Partners by rules 2 to 4 of the head of this file, into row_of and column_of; every row and
 * column gets one. s->kept must be set. */
static void find_partners(ga_strong_entries *s) {
  enum { PASSES = 20 }; /* two or three are enough for constraints */
  int n = s->A.nrow;
  for (int i = 0; i < n; i++) s->row_of[i] = s->column_of[i] = -1;
  for (int i = 0; i < n; i++) {
    int e = ga_csr_find(&s->A, i, i);
    if (e >= 0 && s->kept[e]) make_partners(s, i, i);
  }
  for (int pass = 0; pass < PASSES && pair_mutual(s); pass++) continue;
  for (int i = 0, j = 0; i < n; i++) {
    if (s->column_of[i] >= 0) continue;
    while (s->row_of[j] >= 0) j++;
    make_partners(s, i, j);
  }
}

/* Partners by rule 1: row and column i of each block of the layout, which must cover all rows. */
static void pair_by_layout(ga_strong_entries *s, const ga_linsol_layout *layout) {
  for (int k = 0; k < layout->nblock; k++) {
    const ga_linsol_block *block = &layout->block[k];
    for (int i = 0; i < block->size; i++) make_partners(s, block->row + i, block->col + i);
  }
}

/* Mark more entries as strong, in kept and entries: a constraint that is the partner of a
 * multiplier without diagonal entry keeps its whole gradient (columns that are their own partners),
 * small entries too: they may grow during the motion, and then P would have to be chosen again. */
static void keep_gradients(ga_strong_entries *s) {
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

/* Set block_of and nblock: strongly connected components in the order of the block triangular form;
 * a component with less than n/8 columns is merged with the next. False if memory runs out. */
static bool find_blocks(ga_strong_entries *s) {
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
      bool large = GA_STRONG_ENTRIES_BLOCKS * (first[k + 1] - begun) >= n;
      if (!large && k + 1 < found) continue;
      s->nblock++;
      begun = first[k + 1];
    }
  }
  ga_arena_free(&scratch);
  return made;
}

/* Append the pattern of row i of A within block k to b->D.col and b->from (slots in A) at slot
 * `at`; returns the next free slot. index_of must be set for the columns of the block. */
static int copy_row(const ga_strong_entries *s, ga_strong_entries_block *b, int k, int i, int at) {
  for (int e = s->A.ptr[i]; e < s->A.ptr[i + 1]; e++) {
    if (!s->kept[e] || s->block_of[s->A.col[e]] != k) continue;
    b->D.col[at] = s->index_of[s->A.col[e]];
    b->from[at++] = e;
  }
  return at;
}

/* Set s->block and index_of: columns and sizes of the blocks, then their patterns, which lie one
 * after the other in common arrays from s->choice; values and solvers are not set. False if memory
 * runs out. */
static bool fill_blocks(ga_strong_entries *s) {
  size_t n = (size_t)s->A.nrow, most = (size_t)s->entries;
  for (int k = 0; k < s->nblock; k++) {
    ga_strong_entries_block *b = &s->block[k];
    *b = (ga_strong_entries_block){.cols = ga_arena_ints(&s->choice, n)};
    if (!b->cols) return false;
    for (int j = 0; j < s->A.nrow; j++) {
      if (s->block_of[j] == k) s->index_of[j] = b->n, b->cols[b->n++] = j;
    }
    b->D = (ga_csr){.nrow = b->n, .ncol = b->n};
    b->D.ptr = ga_arena_ints(&s->choice, (size_t)b->n + 1);
  }
  int *col = ga_arena_ints(&s->choice, most), *from = ga_arena_ints(&s->choice, most);
  double *val = ga_arena_doubles(&s->choice, most);
  for (int k = 0, at = 0; k < s->nblock && !s->choice.failed; k++, at = 0) {
    ga_strong_entries_block *b = &s->block[k];
    b->D.col = col, b->D.val = val, b->from = from;
    for (int p = 0; p < b->n; p++) {
      at = copy_row(s, b, k, s->row_of[b->cols[p]], at);
      b->D.ptr[p + 1] = at;
    }
    col += at, val += at, from += at;
  }
  return !s->choice.failed;
}

/* Set s->rest and rest_from (slots in A): strong entries outside the blocks, by rows of A, without
 * values. False if memory runs out. */
static bool fill_rest(ga_strong_entries *s) {
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

/* Choose P for the values of A: mark strong entries (|R A C| >= weak), pair rows with columns, form
 * the blocks, predict the work of each block with the solver of least work (sum in
 * s->work_of_P). layout may be NULL. GA_RETRY_NONFINITE or GA_ERR_MEM on failure, without a
 * message. Then ga_strong_entries_open. */
ga_status ga_strong_entries_choose(ga_strong_entries *s, const ga_csr *A,
                                   const ga_linsol_layout *layout, double weak) {
  s->scale.known = false;
  if (!ga_scaling_apply(&s->scale, A, s->scaled)) return GA_RETRY_NONFINITE;
  ga_strong_entries_close(s, false);
  choose_entries(s, weak);
  if (layout && layout->nblock > 0) {
    pair_by_layout(s, layout);
  } else {
    find_partners(s);
  }
  keep_gradients(s);
  if (!find_blocks(s) || !fill_blocks(s) || !fill_rest(s)) {
    s->nblock = 0;
    return GA_ERR_MEM;
  }
  s->work_of_P = (ga_linsol_work){0, 0};
  for (int k = 0; k < s->nblock; k++) {
    ga_linsol_prediction of;
    ga_linsol_work work;
    if (!ga_linsol_predict(&s->block[k].D, &of)) return GA_ERR_MEM;
    s->block[k].ls.ops = ga_linsol_fastest(&of, &work);
    s->work_of_P.factor += work.factor;
    s->work_of_P.solve += work.solve;
  }
  return GA_OK;
}

/* Let the solver of each block analyze its pattern; stops at the first that fails. */
ga_status ga_strong_entries_open(ga_strong_entries *s) {
  ga_status status = GA_OK;
  for (int k = 0; k < s->nblock && status == GA_OK; k++) {
    status = s->block[k].ls.ops->analyze(&s->block[k].ls, &s->block[k].D);
  }
  return status;
}

/* Copy the values of R A C, with the R and C of the choice, into the blocks and into rest, and
 * factor the blocks; stops at the first that fails. Overwrites s->scaled. */
ga_status ga_strong_entries_factor(ga_strong_entries *s, const ga_csr *A) {
  double *val = s->scaled;
  ga_status status = GA_OK;
  for (int e = 0; e < ga_csr_nnz(A); e++) val[e] = A->val[e] * s->scale.unit_of[e];
  for (int e = 0; e < ga_csr_nnz(&s->rest); e++) s->rest.val[e] = val[s->rest_from[e]];
  for (int k = 0; k < s->nblock && status == GA_OK; k++) {
    ga_strong_entries_block *b = &s->block[k];
    for (int e = 0; e < ga_csr_nnz(&b->D); e++) b->D.val[e] = val[b->from[e]];
    status = b->ls.ops->factor(&b->ls, &b->D);
  }
  return status;
}

/* c = (R P C)^-1 r, block by block from the first: the contributions of earlier blocks are subtracted
 * from r (in s->work; r stays), then the block is solved. */
static ga_status solve_forward(ga_strong_entries *s, double *r, double *c) {
  for (int k = 0; k < s->nblock; k++) {
    ga_strong_entries_block *b = &s->block[k];
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

/* c = (R P C)^-T r, from the last block to the first; the unknowns belong to rows. r is overwritten. */
static ga_status solve_transposed(ga_strong_entries *s, double *r, double *c) {
  for (int k = s->nblock - 1; k >= 0; k--) {
    ga_strong_entries_block *b = &s->block[k];
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

/* c = P^-1 r = C (R P C)^-1 R r, or P^-T r = R (R P C)^-T C r if transposed, with the factors made
 * last; r is overwritten. */
ga_status ga_strong_entries_solve(ga_strong_entries *s, bool transposed, double *r, double *c) {
  const double *from = transposed ? s->scale.col : s->scale.row;
  const double *to = transposed ? s->scale.row : s->scale.col;
  for (int i = 0; i < s->A.nrow; i++) r[i] *= from[i];
  const ga_status status = transposed ? solve_transposed(s, r, c) : solve_forward(s, r, c);
  for (int i = 0; i < s->A.nrow; i++) c[i] *= to[i];
  return status;
}

/* Number of factorizations with new pivots, summed over the blocks. */
long ga_strong_entries_repivots(const ga_strong_entries *s) {
  long sum = 0;
  for (int k = 0; k < s->nblock; k++) sum += s->block[k].ls.repivots;
  return sum;
}

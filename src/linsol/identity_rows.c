/* SPDX-License-Identifier: MIT */
/* Rows and columns of the identity in a matrix with a fixed pattern. */
#include "linsol/identity_rows.h"

/* List the slots of each column of A from `first` on and of its diagonal entry, which must exist.
 * arena->failed is set if memory runs out. */
void ga_identity_rows_init(ga_identity_rows *rows, const ga_csr *A, int first, ga_arena *arena) {
  size_t n = (size_t)(A->nrow - first);
  int count = 0;
  for (int e = 0; e < ga_csr_nnz(A); e++) count += A->col[e] >= first;
  rows->first = first;
  rows->ptr = ga_arena_ints(arena, n + 2);
  rows->slot = ga_arena_ints(arena, (size_t)count);
  rows->diagonal = ga_arena_ints(arena, n);
  if (arena->failed) return;
  int *next =
      rows->ptr + 1; /* where the next entry of a column goes; in the end, where the column ends */
  for (int e = 0; e < ga_csr_nnz(A); e++) {
    if (A->col[e] >= first) next[A->col[e] - first + 1]++;
  }
  for (size_t j = 0; j < n; j++) next[j + 1] += next[j];
  for (int i = 0; i < A->nrow; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      int j = A->col[e] - first;
      if (j < 0) continue;
      rows->slot[next[j]++] = e;
      if (A->col[e] == i) rows->diagonal[j] = e;
    }
  }
}

/* Set row i and column i of A to zero and the diagonal entry to 1; i >= first. */
void ga_identity_rows_apply(const ga_identity_rows *rows, ga_csr *A, int i) {
  int j = i - rows->first;
  for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) A->val[e] = 0;
  for (int k = rows->ptr[j]; k < rows->ptr[j + 1]; k++) A->val[rows->slot[k]] = 0;
  A->val[rows->diagonal[j]] = 1;
}

/* Make row and column at + i those of the identity for all i < n with mark[i]; at >= first. */
void ga_identity_rows_apply_all(const ga_identity_rows *rows, ga_csr *A, int at, int n,
                                const bool *mark) {
  for (int i = 0; i < n; i++) {
    if (mark[i]) ga_identity_rows_apply(rows, A, at + i);
  }
}

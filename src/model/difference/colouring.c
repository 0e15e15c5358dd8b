/* SPDX-License-Identifier: MIT */
/* Greedy colouring of the columns of a pattern, and the pattern by columns. */
#include "model/difference/colouring.h"

/* Set c->ptr, row and slot: rows of the entries and their slots in A->val, column by column. c->ptr
 * must have n + 1 zeros at first. */
static void list_by_columns(ga_colouring *c, const ga_csr *A) {
  int n = A->ncol;
  for (int e = 0; e < ga_csr_nnz(A); e++) c->ptr[A->col[e] + 1]++;
  for (int j = 0; j < n; j++) c->ptr[j + 1] += c->ptr[j];
  for (int i = 0; i < A->nrow; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      int at = c->ptr[A->col[e]]++;
      c->row[at] = i;
      c->slot[at] = e;
    }
  }
  for (int j = n; j > 0; j--) c->ptr[j] = c->ptr[j - 1];
  if (n > 0) c->ptr[0] = 0;
}

/* The least colour that no neighbour of column j (a column before j with a common row) has. of: the
 * colours of these columns; taken[k] == j + 1 marks a colour k of a neighbour. The search ends when all
 * c->count colours are taken: after the first row of a full matrix. */
static int least_colour(const ga_colouring *c, const ga_csr *A, int j, const int *of, int *taken) {
  int ntaken = 0;
  for (int at = c->ptr[j]; at < c->ptr[j + 1] && ntaken < c->count; at++) {
    int i = c->row[at];
    for (int e = A->ptr[i]; e < A->ptr[i + 1] && A->col[e] < j; e++) {
      int *mark = &taken[of[A->col[e]]];
      ntaken += *mark != j + 1;
      *mark = j + 1;
    }
  }
  int colour = 0;
  while (taken[colour] == j + 1) colour++;
  return colour;
}

/* Colour the columns one after the other with the least free colour, then sort them by colour:
 * columns of colour k are c->column[start[k] .. start[k + 1] - 1]. Sets all members of *c; arrays
 * live in arena. GA_ERR_MEM without a message. */
ga_status ga_colouring_init(ga_colouring *c, const ga_csr *A, ga_arena *arena) {
  size_t n = (size_t)A->ncol, nnz = (size_t)ga_csr_nnz(A);
  ga_arena scratch = {0};
  int *of = ga_arena_ints(&scratch, n + 1), *taken = ga_arena_ints(&scratch, n + 1);
  c->start = ga_arena_ints(arena, n + 2);
  c->column = ga_arena_ints(arena, n);
  c->ptr = ga_arena_ints(arena, n + 1);
  c->row = ga_arena_ints(arena, nnz);
  c->slot = ga_arena_ints(arena, nnz);
  c->count = 0;
  if (scratch.failed || arena->failed) {
    ga_arena_free(&scratch);
    return GA_ERR_MEM;
  }
  list_by_columns(c, A);
  for (int j = 0; j < A->ncol; j++) {
    of[j] = least_colour(c, A, j, of, taken);
    if (of[j] + 1 > c->count) c->count = of[j] + 1;
  }
  /* columns sorted by colour */
  for (int j = 0; j < A->ncol; j++) c->start[of[j] + 2]++;
  for (int k = 0; k < c->count; k++) c->start[k + 2] += c->start[k + 1];
  for (int j = 0; j < A->ncol; j++) c->column[c->start[of[j] + 1]++] = j;
  ga_arena_free(&scratch);
  return GA_OK;
}

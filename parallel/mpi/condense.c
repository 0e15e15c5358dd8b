/* SPDX-License-Identifier: MIT */
/* Elimination of the unknowns y = S x (ga_linsol_numbering.nunit) from a whole matrix:
 *
 *     [ A_xx A_xy ] [x]   [b]
 *     [ -S    1   ] [y] = [c]     ->   (A_xx + A_xy S) x = b - A_xy c,   y = c + S x
 *
 * The numbers of y are a range. The slots of all products are found once. */
#include <stdlib.h>
#include <string.h>

#include "whole.h"

typedef struct ga_condensed {
  int unit, nunit; /* first number of y, and how many */
  ga_csr B;        /* A_xx + A_xy S */
  int nplain, nproduct;
  int *plain_from, *plain_to;     /* entries of A_xx and their slots in B */
  int *left, *right, *product_to; /* entries of A_xy and -S, and the slots of their products */
  int ny, *y_entry, *y_row;       /* the entries of A_xy and their rows */
  double *aside;                  /* c of the present right side */
  ga_linsol_block block[GA_WHOLE_BLOCKS];
  ga_linsol_layout layout;
} condensed;

/* Is unknown i of A one of y? */
static bool is_unit(const condensed *c, int i) {
  return i >= c->unit && i < c->unit + c->nunit;
}

/* The number in B of unknown i of A, which is not one of y. */
static int number_of(const condensed *c, int i) {
  return i < c->unit ? i : i - c->nunit;
}

/* row and column in B of each of its terms: entries of A_xx, then products */
typedef struct {
  int *row, *col;
} terms;

/* Note row and column in B of term `at` in t, from row i and column j of A, neither in y. t NULL:
 * nothing. */
static void add_term(condensed *c, terms *t, int at, int i, int j) {
  if (!t) return;
  t->row[at] = number_of(c, i);
  t->col[at] = number_of(c, j);
}

/* List all terms of B in t: entries of A_xx, then products of A_xy and -S; their slots in A go to
 * plain_from, left and right of c, which must have room. Sets nplain and nproduct; t NULL: only
 * these. */
static void list_terms(condensed *c, const ga_csr *A, terms *t) {
  c->nplain = c->nproduct = 0;
  for (int i = 0; i < A->nrow; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1] && !is_unit(c, i); e++) {
      int y = A->col[e];
      if (is_unit(c, y)) continue;
      if (t) c->plain_from[c->nplain] = e;
      add_term(c, t, c->nplain++, i, y);
    }
  }
  for (int i = 0; i < A->nrow; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1] && !is_unit(c, i); e++) {
      int y = A->col[e];
      for (int k = A->ptr[y]; is_unit(c, y) && k < A->ptr[y + 1]; k++) {
        if (A->col[k] == y) continue;
        if (t) c->left[c->nproduct] = e, c->right[c->nproduct] = k;
        add_term(c, t, c->nplain + c->nproduct++, i, A->col[k]);
      }
    }
  }
}

/* Set c->B (its values zero) and the arrays plain_* , left, right and product_to; false if memory
 * runs out, ga_whole_release frees what there is. The terms, row by row, are the pattern of a
 * matrix whose entries are not sorted and may occur twice: ga_whole_new sorts and joins them. */
static bool build_pattern(condensed *c, const ga_csr *A) {
  list_terms(c, A, NULL);
  size_t total = (size_t)(c->nplain + c->nproduct), n = (size_t)(A->nrow - c->nunit);
  terms t = {malloc((total + 1) * sizeof(int)), malloc((total + 1) * sizeof(int))};
  int *count = calloc(n + 2, sizeof(int)), *ptr = calloc(n + 2, sizeof(int));
  int *col = malloc((total + 1) * sizeof(int)), *at = malloc((total + 1) * sizeof(int));
  long *number = malloc((n + 1) * sizeof(long));
  c->plain_from = malloc(((size_t)c->nplain + 1) * sizeof(int));
  c->plain_to = malloc(((size_t)c->nplain + 1) * sizeof(int));
  int **const products[] = {&c->left, &c->right, &c->product_to};
  bool good = t.row && t.col && count && ptr && col && at && number && c->plain_from && c->plain_to;
  for (int k = 0; k < 3; k++) {
    *products[k] = malloc(((size_t)c->nproduct + 1) * sizeof(int));
    good = good && *products[k];
  }
  ga_whole *sorted = NULL;
  if (good) {
    list_terms(c, A, &t);
    for (size_t e = 0; e < total; e++) ptr[t.row[e] + 1]++;
    for (size_t i = 0; i < n; i++) ptr[i + 1] += ptr[i], number[i] = (long)i;
    for (size_t e = 0; e < total; e++) {
      at[e] = ptr[t.row[e]] + count[t.row[e]]++;
      col[at[e]] = t.col[e];
    }
    const ga_whole_contribution all = {(int)n, ptr, col, number};
    sorted = ga_whole_new((long)n, 1, &all);
  }
  if (sorted) {
    for (int e = 0; e < c->nplain; e++) c->plain_to[e] = sorted->map[0][at[e]];
    for (int e = 0; e < c->nproduct; e++) c->product_to[e] = sorted->map[0][at[c->nplain + e]];
    c->B = sorted->A;
    sorted->A = (ga_csr){0};
  }
  good = good && sorted;
  ga_whole_free(sorted);
  void *const scratch[] = {t.row, t.col, count, ptr, col, at, number};
  for (size_t k = 0; k < sizeof scratch / sizeof scratch[0]; k++) free(scratch[k]);
  return good;
}

/* Set c->block and c->layout: the blocks of A except that of y, in the numbers of B. */
static void copy_blocks(condensed *c, const ga_linsol_layout *layout) {
  int known = 0;
  for (int b = 0; b < layout->nblock; b++) {
    ga_linsol_block block = layout->block[b];
    if (is_unit(c, block.row)) continue;
    block.row = number_of(c, block.row);
    block.col = number_of(c, block.col);
    c->block[known++] = block;
  }
  c->layout = (ga_linsol_layout){.nblock = known, .block = c->block};
}

/* Set ny, y_entry and y_row of c, the entries of A_xy, and allocate c->aside. False if memory runs
 * out. */
static bool list_coupling(condensed *c, const ga_csr *A) {
  size_t most = (size_t)A->ptr[A->nrow] + 1;
  c->aside = malloc(((size_t)c->nunit + 1) * sizeof(double));
  c->y_entry = malloc(most * sizeof(int));
  c->y_row = malloc(most * sizeof(int));
  if (!c->aside || !c->y_entry || !c->y_row) return false;
  for (int i = 0; i < A->nrow; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1] && !is_unit(c, i); e++) {
      if (!is_unit(c, A->col[e])) continue;
      c->y_entry[c->ny] = e;
      c->y_row[c->ny++] = i;
    }
  }
  return true;
}

/* Prepare the elimination of the nunit unknowns y from number `unit` on: sets w->condensed with
 * patterns and slots; w->A and w->layout must have been made. Nothing to do if nunit is 0. False if
 * memory runs out; ga_whole_free frees what was allocated. */
bool ga_whole_condense(ga_whole *w, long unit, long nunit) {
  if (nunit == 0) return true;
  condensed *c = calloc(1, sizeof *c);
  if (!c) return false;
  w->condensed = c;
  c->unit = (int)unit;
  c->nunit = (int)nunit;
  copy_blocks(c, &w->layout);
  return list_coupling(c, &w->A) && build_pattern(c, &w->A);
}

/* Free w->condensed, if there is one; for ga_whole_free only, the pointer stays. */
void ga_whole_release(ga_whole *w) {
  condensed *c = w->condensed;
  if (!c) return;
  void *const all[] = {c->B.ptr, c->B.col,      c->B.val, c->plain_from, c->plain_to, c->left,
                       c->right, c->product_to, c->aside, c->y_entry,    c->y_row};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) free(all[k]);
  free(c);
}

/* The matrix for the solver: B if unknowns are eliminated, else A; w owns it. */
const ga_csr *ga_whole_matrix(ga_whole *w) {
  return w->condensed ? &w->condensed->B : &w->A;
}

/* The layout of that matrix, NULL if it has no blocks; w owns it. */
const ga_linsol_layout *ga_whole_layout(const ga_whole *w) {
  const ga_linsol_layout *layout = w->condensed ? &w->condensed->layout : &w->layout;
  return layout->nblock > 0 ? layout : NULL;
}

/* B = A_xx + A_xy S from the values of A; nothing to do without elimination. */
void ga_whole_finish(ga_whole *w) {
  condensed *c = w->condensed;
  if (!c) return;
  const double *from = w->A.val;
  double *to = c->B.val;
  memset(to, 0, (size_t)c->B.ptr[c->B.nrow] * sizeof(double));
  for (int e = 0; e < c->nplain; e++) to[c->plain_to[e]] += from[c->plain_from[e]];
  for (int e = 0; e < c->nproduct; e++) {
    to[c->product_to[e]] -= from[c->left[e]] * from[c->right[e]];
  }
}

/* In place in x, A.nrow numbers: (b, c) becomes b - A_xy c, the right side for B, in the first
 * entries; c is kept in aside for ga_whole_solution, and the entries after it move forward. */
void ga_whole_right_side(const ga_whole *w, double *x) {
  const condensed *c = w->condensed;
  const ga_csr *A = &w->A;
  if (!c) return;
  int after = A->nrow - c->unit - c->nunit;
  memcpy(c->aside, x + c->unit, (size_t)c->nunit * sizeof(double));
  for (int e = 0; e < c->ny; e++)
    x[c->y_row[e]] -= A->val[c->y_entry[e]] * x[A->col[c->y_entry[e]]];
  memmove(x + c->unit, x + c->unit + c->nunit, (size_t)after * sizeof(double));
}

/* In place in x, A.nrow numbers: the solution of B becomes (x, y) of A with y = c + S x, c of the
 * last ga_whole_right_side; the entries after y move back. Nothing to do without elimination. */
void ga_whole_solution(const ga_whole *w, double *x) {
  const condensed *c = w->condensed;
  const ga_csr *A = &w->A;
  if (!c) return;
  int after = A->nrow - c->unit - c->nunit;
  memmove(x + c->unit + c->nunit, x + c->unit, (size_t)after * sizeof(double));
  for (int y = c->unit; y < c->unit + c->nunit; y++) {
    double sum = c->aside[y - c->unit];
    for (int e = A->ptr[y]; e < A->ptr[y + 1]; e++) {
      if (A->col[e] != y) sum -= A->val[e] * x[A->col[e]];
    }
    x[y] = sum;
  }
}

/* The number in A of a column of the solver's matrix. */
long ga_whole_column(const ga_whole *w, long column) {
  const condensed *c = w->condensed;
  return !c || column < c->unit ? column : column + c->nunit;
}

/* SPDX-License-Identifier: MIT */
/* The Schur complement of the border of a matrix. */
#include "linsol/bordered.h"

#include <string.h>

#include "base/csr.h"

/* Costs of ga_linsol_cost: a solve in passes through a matrix as large as the work of A, and the
 * factorization of A in solves. Those of recursions over a chain of bodies. */
static const double SOLVE = 2, FACTOR = 4;

typedef struct {
  ga_arena arena;
  const ga_leading *lead;
  const ga_csr *given; /* the matrix factored last; its pattern is that of analyze */
  int n, m;            /* rows of A, rows of D */
  ga_columns columns;  /* of the matrix; B is what stands in the first n rows */
  double *Y;           /* A^-1 B, m columns of n numbers */
  double *val;         /* the values factored last */
  ga_csr S;
  ga_linsol schur;
  ga_linsol_layout layout; /* of S: sizes 0, all rows are constraints */
  int singular;
} bordered;

/* Allocate ls->impl for the pattern of A, which has no entries in the leading block, and open the
 * solver of S. */
static ga_status bordered_analyze(ga_linsol *ls, const ga_csr *A) {
  bordered *d = ga_calloc(1, sizeof *d);
  if (!d) return GA_ERR_MEM;
  ls->impl = d;
  d->lead = ls->context;
  d->n = d->lead->n;
  d->m = A->nrow - d->n;
  d->singular = -1;
  ga_columns_init(&d->columns, A, &d->arena);
  d->Y = ga_arena_doubles(&d->arena, (size_t)d->n * (size_t)d->m);
  d->val = ga_arena_doubles(&d->arena, (size_t)ga_csr_nnz(A));
  ga_csr_init(&d->S, d->m, d->m, NULL, &d->arena);
  d->layout.size = ga_arena_doubles(&d->arena, (size_t)d->m);
  if (d->arena.failed) return GA_ERR_MEM;
  ls->cost = (ga_linsol_cost){FACTOR + d->m, SOLVE};
  if (d->m == 0) return GA_OK;
  return ga_linsol_attach(&d->schur, "dense", &d->S, &d->layout, NULL);
}

/* Y = A^-1 B, column by column. GA_RETRY_NONFINITE if an entry is not finite. */
static ga_status solve_border(bordered *d, const ga_csr *A) {
  const ga_columns *of = &d->columns;
  memset(d->Y, 0, (size_t)d->n * (size_t)d->m * sizeof(double));
  for (int j = 0; j < d->m; j++) {
    double *y = d->Y + (size_t)j * (size_t)d->n;
    ga_status status = GA_OK;
    for (int k = of->ptr[d->n + j]; k < of->ptr[d->n + j + 1]; k++) {
      if (of->row[k] < d->n) y[of->row[k]] = A->val[of->entry[k]];
    }
    if (d->lead->add_column) status = d->lead->add_column(d->lead->user, j, y);
    if (status == GA_OK) status = d->lead->solve(d->lead->user, y);
    if (status != GA_OK) return status;
    if (ga_first_nonfinite(d->n, y) >= 0) return GA_RETRY_NONFINITE;
  }
  return GA_OK;
}

/* S = D - C Y */
static void form_complement(bordered *d, const ga_csr *A) {
  double *S = d->S.val;
  memset(S, 0, (size_t)d->m * (size_t)d->m * sizeof(double));
  for (int i = 0; i < d->m; i++, S += d->m) {
    for (int e = A->ptr[d->n + i]; e < A->ptr[d->n + i + 1]; e++) {
      const int col = A->col[e];
      if (col >= d->n) S[col - d->n] += A->val[e];
      for (int j = 0; j < d->m && col < d->n; j++) {
        S[j] -= A->val[e] * d->Y[(size_t)j * (size_t)d->n + (size_t)col];
      }
    }
  }
}

/* Factor the leading block and S. */
static ga_status bordered_factor(ga_linsol *ls, const ga_csr *A) {
  bordered *d = ls->impl;
  d->singular = -1;
  d->given = A;
  ls->trouble[0] = '\0';
  ga_status status = d->lead->factor(d->lead->user, ls->trouble, sizeof ls->trouble);
  if (status != GA_OK || d->m == 0) return status;
  if (ga_first_nonfinite(ga_csr_nnz(A), A->val) >= 0) return GA_RETRY_NONFINITE;
  memcpy(d->val, A->val, (size_t)ga_csr_nnz(A) * sizeof(double));
  status = solve_border(d, A);
  if (status != GA_OK) return status;
  form_complement(d, A);
  status = d->schur.ops->factor(&d->schur, &d->S);
  if (status == GA_RETRY_SINGULAR) d->singular = d->schur.ops->singular_column(&d->schur);
  return status;
}

/* b <- (A, B; C, D)^-1 b */
static ga_status bordered_solve(ga_linsol *ls, double *b) {
  bordered *d = ls->impl;
  const ga_csr *A = d->given;
  ga_status status = d->lead->solve(d->lead->user, b);
  if (status != GA_OK || d->m == 0) return status;
  double *y = b + d->n;
  for (int i = 0; i < d->m; i++) {
    for (int e = A->ptr[d->n + i]; e < A->ptr[d->n + i + 1]; e++) {
      if (A->col[e] < d->n) y[i] -= d->val[e] * b[A->col[e]];
    }
  }
  status = d->schur.ops->solve(&d->schur, y);
  for (int j = 0; j < d->m && status == GA_OK; j++) {
    ga_axpy(d->n, -y[j], d->Y + (size_t)j * (size_t)d->n, b);
  }
  return status;
}

/* The column of D without a pivot, -1: it is not known. */
static int bordered_singular_column(const ga_linsol *ls) {
  const bordered *d = ls->impl;
  return d->singular >= 0 ? d->n + d->singular : -1;
}

/* Forget the scaling of S. */
static void bordered_reset(ga_linsol *ls) {
  bordered *d = ls->impl;
  ga_linsol_reset(&d->schur);
}

/* Free everything; impl may be NULL. */
static void bordered_free(ga_linsol *ls) {
  bordered *d = ls->impl;
  if (!d) return;
  ga_linsol_close(&d->schur);
  ga_arena_free(&d->arena);
  ga_free(d);
  ls->impl = NULL;
}

const ga_linsol_ops ga_linsol_bordered = {
    .name = "own",
    .summary = "the model's own solver; constraint rows by their Schur complement",
    .analyze = bordered_analyze,
    .factor = bordered_factor,
    .solve = bordered_solve,
    .singular_column = bordered_singular_column,
    .reset = bordered_reset,
    .free = bordered_free,
};

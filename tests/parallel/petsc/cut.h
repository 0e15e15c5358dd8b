/* SPDX-License-Identifier: MIT */
/* A whole matrix, which every process has, cut into contributions of the processes; and the solver
 * of a team behind the interface of a solver for whole matrices. So any serial run exercises a
 * team's solver. */
#ifndef GA_TESTS_CUT_H
#define GA_TESTS_CUT_H

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "genalpha/genalpha.h"

/* how a matrix is cut, and which solver gets the contributions */
typedef struct {
  MPI_Comm comm;
  int process, size;
  const ga_linsol_ops *ops;
  void *context;
  /* The process that owns row and column i, 0 <= home < size. */
  int (*home)(const void *user, const ga_csr *A, const ga_linsol_layout *layout, int i);
  /* The fraction of entry e = (i, j) that a process gets; over all processes they add up to 1. */
  double (*fraction)(const void *user, const int *home, int i, int j, int e, int process);
  const void *user;
} cut_plan;

typedef struct {
  int n, *home;    /* of the whole matrix */
  int *whole;      /* number of a local row in it */
  int *local;      /* and back, -1 if this process has not got it */
  int *from;       /* entries of the whole that this process has */
  double *weight;  /* and their weights */
  double *b, *all; /* local right-hand side; solution */
  long *number;
  bool *owned;
  ga_csr own;
  ga_linsol_numbering numbering;
  ga_linsol_layout layout;
  ga_linsol_block *block;
  ga_linsol inner;
} cut;

static inline void cut_free(ga_linsol *ls) {
  cut *c = ls->impl;
  if (!c) return;
  if (c->inner.ops) c->inner.ops->free(&c->inner);
  void *const blocks[] = {c->home,   c->whole, c->local,   c->from,    c->weight,  c->b,     c->all,
                          c->number, c->owned, c->own.ptr, c->own.col, c->own.val, c->block, c};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
  ls->impl = NULL;
}

/* the rows that this process has: those it owns and those of its entries */
static inline void cut_rows(const cut_plan *plan, cut *c, const ga_csr *A,
                            const ga_linsol_layout *layout) {
  int n = A->nrow;
  bool *has = calloc((size_t)n, sizeof *has);
  for (int i = 0; i < n; i++) {
    if (c->home[i] == plan->process) has[i] = true;
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      if (plan->fraction(plan->user, c->home, i, A->col[e], e, plan->process) == 0) continue;
      has[i] = has[A->col[e]] = true;
    }
  }
  /* a row and the column that it shares a block with are on one process or on none */
  for (int k = 0; layout && k < layout->nblock; k++) {
    bool *row = has + layout->block[k].row, *col = has + layout->block[k].col;
    for (int i = 0; i < layout->block[k].size; i++) row[i] = col[i] = row[i] || col[i];
  }
  c->own.nrow = 0;
  for (int i = 0; i < n; i++) {
    c->local[i] = has[i] ? c->own.nrow : -1;
    if (!has[i]) continue;
    c->number[c->own.nrow] = i;
    c->owned[c->own.nrow] = c->home[i] == plan->process;
    c->whole[c->own.nrow++] = i;
  }
  c->own.ncol = c->own.nrow;
  free(has);
}

static inline void cut_entries(const cut_plan *plan, cut *c, const ga_csr *A) {
  int at = 0;
  for (int k = 0; k < c->own.nrow; k++) {
    int i = c->whole[k];
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      double weight = plan->fraction(plan->user, c->home, i, A->col[e], e, plan->process);
      if (weight == 0) continue;
      c->own.col[at] = c->local[A->col[e]];
      c->weight[at] = weight;
      c->from[at++] = e;
    }
    c->own.ptr[k + 1] = at;
  }
}

/* A block of the whole is a block here if the same of its rows and columns are here. */
static inline void cut_blocks(cut *c, const ga_linsol_layout *layout) {
  c->layout = (ga_linsol_layout){.numbering = &c->numbering};
  if (!layout) return;
  c->block = calloc((size_t)layout->nblock + 1, sizeof *c->block);
  c->layout.block = c->block;
  c->layout.symmetry = layout->symmetry;
  for (int k = 0; k < layout->nblock; k++) {
    const ga_linsol_block *whole = &layout->block[k];
    ga_linsol_block block = {-1, -1, 0};
    for (int i = 0; i < whole->size; i++) {
      int row = c->local[whole->row + i], col = c->local[whole->col + i];
      if ((row < 0) != (col < 0)) abort();
      if (row < 0) continue;
      if (block.size == 0) block.row = row, block.col = col;
      block.size++;
    }
    if (block.size > 0) c->block[c->layout.nblock++] = block;
  }
}

static inline ga_status cut_analyze(ga_linsol *ls, const ga_csr *A) {
  const cut_plan *plan = ls->context;
  cut *c = calloc(1, sizeof *c);
  ls->impl = c;
  size_t n = (size_t)A->nrow + 1, nnz = (size_t)A->ptr[A->nrow] + 1;
  c->n = A->nrow;
  c->home = calloc(n, sizeof(int)), c->whole = calloc(n, sizeof(int));
  c->local = calloc(n, sizeof(int)), c->from = calloc(nnz, sizeof(int));
  c->weight = calloc(nnz, sizeof(double)), c->b = calloc(n, sizeof(double));
  c->all = calloc(n, sizeof(double)), c->number = calloc(n, sizeof(long));
  c->owned = calloc(n, sizeof(bool)), c->own.ptr = calloc(n, sizeof(int));
  c->own.col = calloc(nnz, sizeof(int)), c->own.val = calloc(nnz, sizeof(double));
  for (int i = 0; i < A->nrow; i++) c->home[i] = plan->home(plan->user, A, ls->layout, i);
  cut_rows(plan, c, A, ls->layout);
  cut_entries(plan, c, A);
  c->numbering = (ga_linsol_numbering){.n = A->nrow, .number = c->number, .owned = c->owned};
  cut_blocks(c, ls->layout);
  c->inner = (ga_linsol){.ops = plan->ops, .context = plan->context, .layout = &c->layout};
  ga_status status = plan->ops->analyze(&c->inner, &c->own);
  memcpy(ls->trouble, c->inner.trouble, sizeof ls->trouble);
  return status;
}

static inline ga_status cut_factor(ga_linsol *ls, const ga_csr *A) {
  cut *c = ls->impl;
  for (int e = 0; e < c->own.ptr[c->own.nrow]; e++) {
    c->own.val[e] = A->val[c->from[e]] * c->weight[e];
  }
  ga_status status = c->inner.ops->factor(&c->inner, &c->own);
  memcpy(ls->trouble, c->inner.trouble, sizeof ls->trouble);
  ls->cost = c->inner.cost;
  return status;
}

/* x of the rows that other processes own comes from them; those this process has must be the same
 * bits. */
static inline ga_status cut_solve(ga_linsol *ls, double *b) {
  const cut_plan *plan = ls->context;
  cut *c = ls->impl;
  for (int k = 0; k < c->own.nrow; k++) c->b[k] = b[c->whole[k]];
  ga_status status = c->inner.ops->solve(&c->inner, c->b);
  memcpy(ls->trouble, c->inner.trouble, sizeof ls->trouble);
  for (int i = 0; i < c->n; i++) c->all[i] = 0;
  for (int k = 0; k < c->own.nrow; k++) {
    if (c->owned[k]) c->all[c->whole[k]] = c->b[k];
  }
  MPI_Allreduce(c->all, b, c->n, MPI_DOUBLE, MPI_SUM, plan->comm);
  for (int k = 0; k < c->own.nrow && status == GA_OK; k++) {
    if (b[c->whole[k]] != c->b[k]) return GA_ERR_BACKEND;
  }
  return status;
}

static inline int cut_singular_column(const ga_linsol *ls) {
  const cut_plan *plan = ls->context;
  const cut *c = ls->impl;
  int column = c->inner.ops->singular_column(&c->inner), all;
  if (column >= 0) column = c->whole[column];
  MPI_Allreduce(&column, &all, 1, MPI_INT, MPI_MAX, plan->comm);
  return all;
}

static inline void cut_reset(ga_linsol *ls) {
  cut *c = ls->impl;
  if (c->inner.ops->reset) c->inner.ops->reset(&c->inner);
}

static const ga_linsol_ops cut_solver = {
    .name = "cut",
    .summary = "whole matrices by the solver of a team",
    .analyze = cut_analyze,
    .factor = cut_factor,
    .solve = cut_solve,
    .singular_column = cut_singular_column,
    .reset = cut_reset,
    .free = cut_free,
};

#endif

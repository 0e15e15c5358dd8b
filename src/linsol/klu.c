/* SPDX-License-Identifier: MIT */
/* Sparse LU by SuiteSparse KLU.
 *
 * Our matrices are stored by rows, KLU's by columns: it is given A^T, analyzes and factors that,
 * and solves with the transposed factors. The ordering is chosen once per pattern. New values are
 * refactored in the old pivot order, which is cheap; a full factorization with new pivots follows
 * when the reciprocal pivot growth has fallen by REPIVOT since the last one, or a pivot vanished.
 */
#include <suitesparse/klu.h>

#include "linsol/linsol.h"
#include "linsol/scale.h"

static const double REPIVOT = 1e-3;    /* fall of the reciprocal pivot growth */
static const double SUSPICIOUS = 1e-7; /* ratio of pivots below which the matrix may be singular */

typedef struct {
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
  int n;
  int singular;  /* column of A that depends on the others, -1 if none */
  double growth; /* reciprocal pivot growth of the last full factorization */
  ga_arena arena;
  ga_scale scale; /* units in which a suspicious matrix is judged */
} klu;

static ga_status klu_status(const klu *k) {
  return k->common.status == KLU_OUT_OF_MEMORY ? GA_ERR_MEM : GA_ERR_BACKEND;
}

static ga_status sparse_analyze(ga_linsol *ls, const ga_csr *A) {
  klu *k = ga_calloc(1, sizeof *k);
  if (!k) return GA_ERR_MEM;
  ls->impl = k;
  k->n = A->nrow;
  k->singular = -1;
  klu_defaults(&k->common);
  k->common.tol = 0.1; /* pivots on the diagonal unless ten times too small */
  ga_scale_init(&k->scale, k->n, &k->arena);
  if (k->arena.failed) return GA_ERR_MEM;
  k->symbolic = klu_analyze(k->n, A->ptr, A->col, &k->common);
  return k->symbolic ? GA_OK : klu_status(k);
}

/* (R A C)^-1 b = C^-1 A^-1 R^-1 b */
static void solve_scaled(const void *context, double *b) {
  const klu *k = context;
  klu_common common = k->common; /* a solve changes its status only */
  for (int i = 0; i < k->n; i++) b[i] /= k->scale.row[i];
  klu_tsolve(k->symbolic, k->numeric, k->n, 1, b, &common);
  for (int i = 0; i < k->n; i++) b[i] /= k->scale.col[i];
}

/* pivots anew */
static ga_status full_factor(ga_linsol *ls, const ga_csr *A) {
  klu *k = ls->impl;
  klu_free_numeric(&k->numeric, &k->common);
  k->numeric = klu_factor(A->ptr, A->col, A->val, k->symbolic, &k->common);
  ls->repivots++;
  if (!k->numeric) {
    if (k->common.status != KLU_SINGULAR) return klu_status(k);
    k->singular = k->common.singular_col < k->n ? k->common.singular_col : -1;
    return GA_RETRY_SINGULAR;
  }
  if (!klu_rgrowth(A->ptr, A->col, A->val, k->symbolic, k->numeric, &k->common)) {
    return klu_status(k);
  }
  k->growth = k->common.rgrowth;
  return GA_OK;
}

/* the old pivots with new values; false if they do not do any more */
static bool refactor(klu *k, const ga_csr *A) {
  if (!k->numeric) return false;
  if (!klu_refactor(A->ptr, A->col, A->val, k->symbolic, k->numeric, &k->common)) return false;
  if (!klu_rgrowth(A->ptr, A->col, A->val, k->symbolic, k->numeric, &k->common)) return false;
  return k->common.rgrowth >= REPIVOT * k->growth;
}

static ga_status sparse_factor(ga_linsol *ls, const ga_csr *A) {
  klu *k = ls->impl;
  k->singular = -1;
  if (!refactor(k, A)) {
    ga_status status = full_factor(ls, A);
    if (status != GA_OK) return status;
  }
  if (!klu_rcond(k->symbolic, k->numeric, &k->common)) return klu_status(k);
  if (k->common.rcond > SUSPICIOUS) return GA_OK;
  ga_scale_find(&k->scale, A);
  k->singular = ga_scale_singular(&k->scale, A, solve_scaled, k, -1);
  return k->singular < 0 ? GA_OK : GA_RETRY_SINGULAR;
}

static ga_status sparse_solve(ga_linsol *ls, double *b) {
  klu *k = ls->impl;
  if (!k->numeric) return GA_ERR_BACKEND;
  return klu_tsolve(k->symbolic, k->numeric, k->n, 1, b, &k->common) ? GA_OK : klu_status(k);
}

/* KLU names a column of A^T, a row of A; in the KKT matrices row and column mean the same. */
static int sparse_singular_column(const ga_linsol *ls) {
  const klu *k = ls->impl;
  return k->singular;
}

static void sparse_reset(ga_linsol *ls) {
  klu *k = ls->impl;
  klu_free_numeric(&k->numeric, &k->common);
}

static void sparse_free(ga_linsol *ls) {
  klu *k = ls->impl;
  if (!k) return;
  klu_free_numeric(&k->numeric, &k->common);
  klu_free_symbolic(&k->symbolic, &k->common);
  ga_arena_free(&k->arena);
  ga_free(k);
  ls->impl = NULL;
}

const ga_linsol_ops ga_linsol_klu = {
    .name = "klu",
    .summary = "sparse LU (SuiteSparse KLU): ordering once, refactorization while pivots are good",
    .analyze = sparse_analyze,
    .factor = sparse_factor,
    .solve = sparse_solve,
    .singular_column = sparse_singular_column,
    .reset = sparse_reset,
    .free = sparse_free,
};

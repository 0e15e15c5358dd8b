/* SPDX-License-Identifier: MIT */
/* The floor: the cost of one factorization and one solve of a step's matrix, without any
 * integrator. */
#include "floor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/klu.h>

/* One entry of a matrix in coordinate form; entries with equal (row, col) are added up later. */
typedef struct {
  int row, col;
  double value;
} entry;

/* Order for qsort: by row, then by column. */
static int by_row(const void *a, const void *b) {
  const entry *x = a, *y = b;
  return x->row != y->row ? x->row - y->row : x->col - y->col;
}

typedef struct {
  entry *all;
  size_t count;
} entries;

/* Appends coef A, or coef A^T, to the list as the block that begins at (row, col). The list must
 * have room. */
static void append_block(entries *list, const ga_csr *A, int row, int col, double coef,
                         bool transpose) {
  for (int i = 0; i < A->nrow; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      int j = A->col[e];
      list->all[list->count++] =
          (entry){row + (transpose ? j : i), col + (transpose ? i : j), coef * A->val[e]};
    }
  }
}

/* A zero matrix with the given pattern, or a full one if pattern is NULL. Free it by free_csr. */
static ga_csr new_csr(int nrow, int ncol, const ga_csr *pattern) {
  int nnz = pattern ? pattern->ptr[nrow] : nrow * ncol;
  ga_csr A = {.nrow = nrow, .ncol = ncol, .val = bench_doubles(nnz)};
  A.ptr = bench_take((size_t)nrow + 1, sizeof(int));
  A.col = bench_take((size_t)nnz, sizeof(int));
  for (int i = 0; i <= nrow; i++) A.ptr[i] = pattern ? pattern->ptr[i] : i * ncol;
  for (int e = 0; e < nnz; e++) A.col[e] = pattern ? pattern->col[e] : e % ncol;
  return A;
}

/* Frees the arrays of A. */
static void free_csr(ga_csr *A) {
  free(A->ptr);
  free(A->col);
  free(A->val);
}

/* Sorts the entries and adds up equal ones: an n x n matrix in compressed rows. Frees the list. */
static bench_matrix compress(entries *list, int n) {
  qsort(list->all, list->count, sizeof *list->all, by_row);
  bench_matrix A = {.n = n};
  A.ptr = bench_take((size_t)n + 1, sizeof(int));
  A.col = bench_take(list->count, sizeof(int));
  A.val = bench_take(list->count, sizeof(double));
  for (size_t e = 0; e < list->count; e++) {
    const entry *x = &list->all[e];
    bool same = e > 0 && by_row(x - 1, x) == 0;
    if (!same) A.col[A.nnz++] = x->col;
    A.val[A.nnz - 1] += x->value;
    A.ptr[x->row + 1] = A.nnz;
  }
  free(list->all);
  return A;
}

/* See floor.h, with p = 0.3, r = 0.6. Free it by bench_matrix_free. */
bench_matrix bench_index3_matrix_at(const ga_model *m, const bench_point *at, double h,
                                    bool symmetric) {
  const int nv = ga_space_nv(m->space), nlam = m->nlam;
  ga_csr M = new_csr(nv, nv, m->pat_M), Kt = new_csr(nv, nv, m->pat_K),
         Ct = new_csr(nv, nv, m->pat_C ? m->pat_C : m->pat_K);
  ga_csr G = new_csr(nlam, nv, m->pat_G);
  const ga_evaluation ask = {.M = &M, .G = &G, .x = at->x, .lam = at->lam, .Kt = &Kt, .Ct = &Ct};
  ga_model_evaluate(m, at->t, at->q, at->v, &ask);
  size_t total = (size_t)(M.ptr[nv] + Kt.ptr[nv] + Ct.ptr[nv] + 2 * G.ptr[nlam]);
  entries list = {.all = bench_take(total, sizeof(entry))};
  append_block(&list, &M, 0, 0, 1, false);
  append_block(&list, &Kt, 0, 0, 0.3 * h * h, false);
  append_block(&list, &Ct, 0, 0, 0.6 * h, false);
  append_block(&list, &G, 0, nv, 1, true);
  append_block(&list, &G, nv, 0, symmetric ? 1 : 0.3, false);
  ga_csr *const all[] = {&M, &Kt, &Ct, &G};
  for (int i = 0; i < 4; i++) free_csr(all[i]);
  return compress(&list, nv + nlam);
}

/* The matrix near the start of b, at a state moved away from it, so that no entry is zero by
 * chance. */
bench_matrix bench_index3_matrix(const bench_problem *b, double h, bool symmetric) {
  const ga_model *m = &b->p->model;
  double *q = bench_doubles(b->nq), *w = bench_doubles(b->nv), *lam = bench_doubles(b->nlam);
  for (int i = 0; i < b->nv; i++) w[i] = 0.1 * sin(1.0 + i);
  for (int i = 0; i < b->nlam; i++) lam[i] = 100 * cos(1.0 + i);
  ga_space_step(m->space, b->p->q0, w, q);
  const bench_point at = {.q = q, .v = b->p->v0, .x = w, .lam = lam};
  bench_matrix A = bench_index3_matrix_at(m, &at, h, symmetric);
  free(q);
  free(w);
  free(lam);
  return A;
}

/* Frees the arrays of A. */
void bench_matrix_free(bench_matrix *A) {
  free(A->ptr);
  free(A->col);
  free(A->val);
}

/* Solves A x = b by LU with row exchanges, in plain loops: A (n x n by rows) is destroyed, b
 * becomes x. */
static void lu_solve(int n, double *restrict A, double *restrict b) {
  for (int k = 0; k < n; k++) {
    double *rk = A + k * n;
    int p = k;
    for (int i = k + 1; i < n; i++) {
      if (fabs(A[i * n + k]) > fabs(A[p * n + k])) p = i;
    }
    if (p != k) {
      double *rp = A + p * n;
      for (int j = k; j < n; j++) {
        double keep = rk[j];
        rk[j] = rp[j];
        rp[j] = keep;
      }
      double keep = b[k];
      b[k] = b[p];
      b[p] = keep;
    }
    double inverse = 1 / rk[k];
    for (int i = k + 1; i < n; i++) {
      double *ri = A + i * n, factor = ri[k] * inverse;
      for (int j = k + 1; j < n; j++) ri[j] -= factor * rk[j];
      b[i] -= factor * b[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    double sum = b[i];
    for (int j = i + 1; j < n; j++) sum -= A[i * n + j] * b[j];
    b[i] = sum / A[i * n + i];
  }
}

enum { COUNT = 2000 };

/* Least CPU seconds of `repeats` rounds for one dense LU and solve, each round the mean of COUNT of
 * them; copying the matrix is included. */
double bench_floor_dense(const bench_problem *b, double h, int repeats) {
  bench_matrix A = bench_index3_matrix(b, h, false);
  int n = A.n;
  double *full = bench_doubles(2 * n * n + n), *work = full + n * n, *x = work + n * n;
  for (int i = 0; i < n; i++) {
    for (int e = A.ptr[i]; e < A.ptr[i + 1]; e++) full[i * n + A.col[e]] = A.val[e];
  }
  double best = INFINITY;
  volatile double sink = 0;
  for (int r = 0; r < repeats; r++) {
    double start = bench_clock();
    for (int i = 0; i < COUNT; i++) {
      memcpy(work, full, (size_t)(n * n) * sizeof(double));
      for (int k = 0; k < n; k++) x[k] = 1 + k;
      lu_solve(n, work, x);
      sink += x[0];
    }
    best = fmin(best, (bench_clock() - start) / COUNT);
  }
  (void)sink;
  free(full);
  bench_matrix_free(&A);
  return best;
}

/* KLU's settings: the default ones, or without scaling and block triangular form. */
static void set_klu(klu_common *common, bool tuned) {
  klu_defaults(common);
  if (tuned) common->scale = -1, common->btf = 0;
}

double bench_klu_rounds(const bench_matrix *A, bool tuned, int count, int repeats) {
  klu_common common;
  set_klu(&common, tuned);
  double *x = bench_doubles(A->n), best = INFINITY;
  klu_symbolic *symbolic = klu_analyze(A->n, A->ptr, A->col, &common);
  klu_numeric *numeric = symbolic ? klu_factor(A->ptr, A->col, A->val, symbolic, &common) : NULL;
  for (int r = 0; numeric && r < repeats; r++) {
    double start = bench_clock();
    for (int i = 0; i < count; i++) {
      for (int k = 0; k < A->n; k++) x[k] = 1 + (double)(k % 7);
      klu_refactor(A->ptr, A->col, A->val, symbolic, numeric, &common);
      klu_solve(symbolic, numeric, A->n, 1, x, &common);
    }
    best = fmin(best, (bench_clock() - start) / count);
  }
  if (common.status != KLU_OK) best = NAN;
  klu_free_numeric(&numeric, &common);
  klu_free_symbolic(&symbolic, &common);
  free(x);
  return best;
}

/* Least CPU seconds of `repeats` rounds for one klu_refactor and klu_solve; tuned: without scaling
 * and block triangular form. NaN if KLU failed. */
double bench_floor_klu(const bench_problem *b, double h, bool tuned, int repeats) {
  bench_matrix A = bench_index3_matrix(b, h, false);
  const int count = A.n < 20000 ? 100000 / A.n : 5;
  const double best = bench_klu_rounds(&A, tuned, count, repeats);
  bench_matrix_free(&A);
  return best;
}

/* SPDX-License-Identifier: MIT */
/* Rank analysis: units, the choice of a way, QR with column pivoting. */
#include "linsol/rank/rank.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* most rows for which QR takes well under a second */
enum { DENSE_ROWS = 1000 };
/* If a row that the sparse analysis keeps is nearer than this to the others, QR decides. */
static const double NEAR = 1e-4;

void dgeqp3_(const int *m, const int *n, double *a, const int *lda, int *jpvt, double *tau,
             double *work, const int *lwork, int *info);
void dtrtrs_(const char *uplo, const char *trans, const char *diag, const int *n, const int *nrhs,
             const double *a, const int *lda, double *b, const int *ldb, int *info, size_t uplo_len,
             size_t trans_len, size_t diag_len);

/* mass[i] = M_ii, with a positive substitute where M_ii is not positive; see rank.h. */
void ga_rank_masses(const ga_csr *M, const double *w, double *mass) {
  double least = INFINITY;
  for (int i = 0; i < M->nrow; i++) {
    int e = ga_csr_find(M, i, i);
    mass[i] = e >= 0 ? M->val[e] : 0;
    if (mass[i] > 0 && mass[i] / w[i] < least) least = mass[i] / w[i];
  }
  for (int i = 0; i < M->nrow; i++) {
    if (!(mass[i] > 0)) mass[i] = w[i] * (least < INFINITY ? least : 1);
  }
}

/* ---- rows in units of the motion ------------------------------------------------------------- */

/* Weight of row i of `from`, row n of all, see rank.h. */
static double weight_of(const ga_rank_rows *rows, const ga_csr *from, int i, int n) {
  if (!rows->reach) return 1;
  double sum = 0;
  for (int e = from->ptr[i]; e < from->ptr[i + 1]; e++) {
    sum += fabs(from->val[e]) / sqrt(rows->metric[from->col[e]]);
  }
  return sum < rows->reach[n] ? sum / rows->reach[n] : 1;
}

/* Append the rows of `from` to a->A at row0: divided by sqrt(mass) column by column (mass NULL: 1),
 * then to length 1; a->length gets the lengths before, a->weight the weights. Zeros are left out. False if a number is not
 * finite. a->A.ptr[row0] must be set. */
static bool append_rows(ga_rank_matrix *a, const ga_csr *from, const ga_rank_rows *rows, int row0) {
  const double *mass = rows->mass;
  ga_csr *A = &a->A;
  for (int i = 0; i < from->nrow; i++) {
    int at = A->ptr[row0 + i];
    double sum = 0, largest = 0;
    const double weight = weight_of(rows, from, i, row0 + i);
    const bool zero = weight <= GA_RANK_TOL;
    a->weight[row0 + i] = zero ? 1 : weight;
    for (int e = from->ptr[i]; e < from->ptr[i + 1]; e++) {
      if (from->val[e] == 0 || zero) continue;
      A->col[at] = from->col[e];
      A->val[at] = from->val[e] / (mass ? sqrt(mass[from->col[e]]) : 1);
      largest = ga_larger(largest, fabs(A->val[at++]));
    }
    if (!(largest <= DBL_MAX)) return false;
    for (int k = A->ptr[row0 + i]; k < at; k++) {
      double part = A->val[k] / largest;
      sum += part * part;
    }
    double length = a->length[row0 + i] = largest * sqrt(sum);
    for (int k = A->ptr[row0 + i]; k < at; k++) A->val[k] /= length;
    A->ptr[row0 + i + 1] = at;
  }
  return true;
}

/* Fill cptr (n + 1 zeros before), crow and cval: the entries of a->A by columns. */
static void list_by_columns(ga_rank_matrix *a) {
  const ga_csr *A = &a->A;
  for (int e = 0; e < ga_csr_nnz(A); e++) a->cptr[A->col[e] + 1]++;
  for (int j = 0; j < a->n; j++) a->cptr[j + 1] += a->cptr[j];
  for (int i = 0; i < a->m; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      int at = a->cptr[A->col[e]]++;
      a->crow[at] = i;
      a->cval[at] = A->val[e];
    }
  }
  for (int j = a->n; j > 0; j--) a->cptr[j] = a->cptr[j - 1];
  a->cptr[0] = 0;
}

/* Allocate *a and fill it with the scaled rows of G and H (may be NULL), by rows and by columns.
 * Memory from arena. On failure a message in err. */
static ga_status make_matrix(ga_rank_matrix *a, const ga_rank_rows *rows, ga_arena *arena,
                             ga_error *err) {
  const ga_csr *G = rows->G, *H = rows->H;
  size_t nnz = (size_t)ga_csr_nnz(G) + (H ? (size_t)ga_csr_nnz(H) : 0);
  *a = (ga_rank_matrix){.m = G->nrow + (H ? H->nrow : 0), .n = G->ncol, .holonomic = G->nrow};
  a->A = (ga_csr){.nrow = a->m,
                  .ncol = a->n,
                  .ptr = ga_arena_ints(arena, (size_t)a->m + 1),
                  .col = ga_arena_ints(arena, nnz),
                  .val = ga_arena_doubles(arena, nnz)};
  a->length = ga_arena_doubles(arena, (size_t)a->m);
  a->weight = ga_arena_doubles(arena, (size_t)a->m);
  a->cptr = ga_arena_ints(arena, (size_t)a->n + 1);
  a->crow = ga_arena_ints(arena, nnz);
  a->cval = ga_arena_doubles(arena, nnz);
  if (arena->failed) return ga_fail(err, GA_ERR_MEM, "no memory for the rank of %d rows", a->m);
  bool finite = append_rows(a, G, rows, 0);
  if (finite && H) finite = append_rows(a, H, rows, G->nrow);
  if (!finite) {
    return ga_fail(err, GA_ERR_ARG, "the rank of constraints whose gradients are not finite");
  }
  list_by_columns(a);
  return GA_OK;
}

/* ---- the result ------------------------------------------------------------------------------ */

/* Allocate the arrays for dependent rows and their coefficients; false if memory runs out. */
bool ga_rank_reserve(ga_rank *rank, int ndependent, int ncoef) {
  ga_arena *arena = &rank->arena;
  rank->ndependent = ndependent;
  rank->dependent = ga_arena_ints(arena, (size_t)ndependent);
  rank->start = ga_arena_ints(arena, (size_t)ndependent + 1);
  rank->residual = ga_arena_doubles(arena, (size_t)ndependent);
  rank->from = ga_arena_ints(arena, (size_t)ncoef);
  rank->coef = ga_arena_doubles(arena, (size_t)ncoef);
  return !arena->failed;
}

/* *rank as if all rows were independent, with arrays dropped and unique; an earlier content is
 * lost, not freed. */
static ga_status init_result(ga_rank *rank, int rows, ga_error *err) {
  *rank = (ga_rank){.rows = rows, .rank = rows, .least = 1};
  rank->dropped = ga_arena_take(&rank->arena, (size_t)rows, sizeof(bool));
  rank->unique = ga_arena_take(&rank->arena, (size_t)rows, sizeof(bool));
  if (!rank->arena.failed) return GA_OK;
  return ga_fail(err, GA_ERR_MEM, "no memory for the rank of %d rows", rows);
}

/* Set rank and unique; change the coefficients from rows of length 1 to the rows as given. The
 * multiplier of a row is unique if no dependent row is a combination with this row. */
static void finish_result(ga_rank *rank, const ga_rank_matrix *a) {
  rank->rank = rank->rows - rank->ndependent;
  for (int i = 0; i < rank->rows; i++) rank->unique[i] = !rank->dropped[i];
  for (int d = 0; d < rank->ndependent; d++) {
    for (int k = rank->start[d]; k < rank->start[d + 1]; k++) {
      rank->unique[rank->from[k]] = false;
      rank->coef[k] *= a->length[rank->dependent[d]] / a->length[rank->from[k]];
    }
  }
}

/* Free all arrays of the result; *rank is zero afterwards. */
void ga_rank_free(ga_rank *rank) {
  ga_arena_free(&rank->arena);
  *rank = (ga_rank){0};
}

/* ---- QR with column pivoting ----------------------------------------------------------------- */

typedef struct {
  int n, m, rank;       /* length of a column, number of columns, rank */
  double *a;            /* R on and above the diagonal */
  int *pivot;           /* column of A^T at each position, counted from 1 */
  const double *weight; /* of the rows of A */
} pivoted;

/* f->a, f->pivot <- QR with column pivoting of the columns row[0], .. row[m - 1] of A^T times their weights,
 * of which the first `leading` come first, in this order. Sets f->m and f->rank, the number of diagonal
 * entries of R above GA_RANK_TOL; memory from arena, f->a and f->pivot have room for m columns. */
static ga_status factor_columns(pivoted *f, const ga_rank_matrix *a, const int *row, int m,
                                int leading, ga_arena *arena, ga_error *err) {
  int info = 0, ask = -1, lwork;
  double size;
  const size_t n = (size_t)f->n;
  f->m = m;
  memset(f->a, 0, n * (size_t)m * sizeof(double));
  for (int k = 0; k < m; k++) {
    f->pivot[k] = k < leading;
    for (int e = a->A.ptr[row[k]]; e < a->A.ptr[row[k] + 1]; e++) {
      f->a[(size_t)k * n + (size_t)a->A.col[e]] = a->weight[row[k]] * a->A.val[e];
    }
  }
  double *tau = ga_arena_doubles(arena, (size_t)m);
  dgeqp3_(&f->n, &f->m, f->a, &f->n, f->pivot, tau, &size, &ask, &info);
  lwork = (int)size;
  double *work = ga_arena_doubles(arena, (size_t)lwork);
  if (arena->failed) return ga_fail(err, GA_ERR_MEM, "no memory for the rank of %d rows", a->m);
  dgeqp3_(&f->n, &f->m, f->a, &f->n, f->pivot, tau, work, &lwork, &info);
  if (info != 0) return ga_fail(err, GA_ERR_BACKEND, "LAPACK's dgeqp3 failed (info %d)", info);
  for (int k = 0; k < m; k++) f->pivot[k] = row[f->pivot[k] - 1] + 1;
  f->weight = a->weight;
  const int most = f->n < m ? f->n : m;
  for (f->rank = 0; f->rank < most; f->rank++) {
    if (!(fabs(f->a[(size_t)f->rank * (n + 1)]) > GA_RANK_TOL)) break;
  }
  return GA_OK;
}

/* Set *f: QR with column pivoting of A^T, whose columns are the rows of G and H. Rows of H follow from
 * rows of G, not the other way: without its row g a position would drift, and k alone does not see it.
 * So the independent rows of G are found first and come first. Memory from arena; on failure a message
 * in err. */
static ga_status factor_qr(pivoted *f, const ga_rank_matrix *a, ga_arena *arena, ga_error *err) {
  const size_t n = (size_t)a->n, m = (size_t)a->m;
  *f = (pivoted){.n = a->n, .m = a->m};
  f->a = ga_arena_doubles(arena, n * m);
  f->pivot = ga_arena_ints(arena, m);
  int *row = ga_arena_ints(arena, m), leading = 0;
  if (arena->failed) return ga_fail(err, GA_ERR_MEM, "no memory for the rank of %d rows", a->m);
  for (int i = 0; i < a->m; i++) row[i] = i;
  if (a->holonomic > 0 && a->holonomic < a->m) {
    const ga_status status = factor_columns(f, a, row, a->holonomic, 0, arena, err);
    if (status != GA_OK) return status;
    leading = f->rank;
    for (int k = 0; k < a->holonomic; k++) row[k] = f->pivot[k] - 1;
  }
  return factor_columns(f, a, row, a->m, leading, arena, err);
}

/* Weight of the row at position k. */
static double weight_at(const pivoted *f, int k) {
  return f->weight[f->pivot[k] - 1];
}

/* The least diagonal entry of R up to its rank, without its weight; 1 if the rank is 0. */
static double least_pivot(const pivoted *f) {
  double least = f->rank > 0 ? INFINITY : 1;
  for (int k = 0; k < f->rank; k++) {
    least = fmin(least, fabs(f->a[(size_t)k * (size_t)(f->n + 1)]) / weight_at(f, k));
  }
  return least;
}

/* length of column k of R below the first `rank` entries: the residual of that row */
static double residual_of(const pivoted *f, int k) {
  double sum = 0;
  for (int i = f->rank; i < f->n && i <= k; i++) {
    double entry = f->a[(size_t)k * (size_t)f->n + (size_t)i];
    sum += entry * entry;
  }
  return sqrt(sum) / weight_at(f, k);
}

/* coefficients smaller than this are rounding errors of zeros */
static const double NOTHING = 1e-9;

/* R12 <- R11^-1 R12 in f->a: the coefficients of the dependent rows, of rows without weights. R12: the
 * columns of R after the first rank ones. */
static ga_status solve_coefficients(pivoted *f, ga_error *err) {
  int info = 0, dependent = f->m - f->rank;
  if (f->rank == 0 || dependent == 0) return GA_OK;
  dtrtrs_("U", "N", "N", &f->rank, &dependent, f->a, &f->n, f->a + (size_t)f->rank * (size_t)f->n,
          &f->n, &info, 1, 1, 1);
  for (int k = f->rank; k < f->m && info == 0; k++) {
    double *c = f->a + (size_t)k * (size_t)f->n;
    for (int i = 0; i < f->rank; i++) c[i] *= weight_at(f, i) / weight_at(f, k);
  }
  if (info == 0) return GA_OK;
  return ga_fail(err, GA_ERR_BACKEND, "LAPACK's dtrtrs failed (info %d)", info);
}

/* Fill dropped, dependent, residual, start, from and coef of the result from the coefficients
 * R11^-1 R12 in f->a, sorted by row. left[k]: residual of the k-th pivot, position[row]: its
 * position in the pivot order. */
static ga_status list_dependent_rows(ga_rank *rank, const pivoted *f, const double *left,
                                     const int *position, ga_error *err) {
  int count = 0;
  size_t n = (size_t)f->n;
  for (int k = f->rank; k < f->m; k++) {
    for (int i = 0; i < f->rank; i++) count += fabs(f->a[(size_t)k * n + (size_t)i]) > NOTHING;
  }
  if (!ga_rank_reserve(rank, f->m - f->rank, count)) {
    return ga_fail(err, GA_ERR_MEM, "no memory for the rank of %d rows", f->m);
  }
  for (int row = 0, d = 0, at = 0; row < f->m; row++) {
    int k = position[row];
    if (k < f->rank) continue;
    rank->dropped[row] = true;
    rank->dependent[d] = row;
    rank->residual[d] = left[k];
    for (int i = 0; i < f->rank; i++) {
      double c = f->a[(size_t)k * n + (size_t)i];
      if (!(fabs(c) > NOTHING)) continue;
      rank->from[at] = f->pivot[i] - 1;
      rank->coef[at++] = c;
    }
    rank->start[++d] = at;
  }
  return GA_OK;
}

/* Dependent rows of a by QR; fills rank (after init_result) except for what finish_result adds. On
 * failure a message in err. */
ga_status ga_rank_dense(ga_rank *rank, const ga_rank_matrix *a, ga_error *err) {
  ga_arena scratch = {0};
  pivoted f;
  ga_status status = factor_qr(&f, a, &scratch, err);
  double *left = ga_arena_doubles(&scratch, (size_t)a->m);
  int *position = ga_arena_ints(&scratch, (size_t)a->m);
  if (status == GA_OK && scratch.failed) {
    status = ga_fail(err, GA_ERR_MEM, "no memory for the rank of %d rows", a->m);
  }
  if (status == GA_OK) {
    for (int k = 0; k < a->m; k++) {
      position[f.pivot[k] - 1] = k;
      if (k >= f.rank) left[k] = residual_of(&f, k);
    }
    rank->least = least_pivot(&f);
    rank->dense = true;
    status = solve_coefficients(&f, err);
  }
  if (status == GA_OK) status = list_dependent_rows(rank, &f, left, position, err);
  ga_arena_free(&scratch);
  return status;
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* Find the rows of G and H that depend on others, into *rank. GA_RANK_AUTO: sparse analysis, then
 * QR if there are few rows and dependent or nearly dependent ones. On failure a message in err.
 * Call ga_rank_free afterwards in any case. */
ga_status ga_rank_analyze(ga_rank *rank, const ga_rank_rows *rows, ga_rank_way way, ga_error *err) {
  ga_arena scratch = {0};
  ga_rank_matrix a;
  *rank = (ga_rank){0};
  ga_status status = make_matrix(&a, rows, &scratch, err);
  if (status == GA_OK) status = init_result(rank, a.m, err);
  if (status == GA_OK && way != GA_RANK_DENSE) status = ga_rank_sparse(rank, &a, err);
  bool closer = a.m <= DENSE_ROWS && (rank->ndependent > 0 || rank->least < NEAR);
  if (status == GA_OK && (way == GA_RANK_DENSE || (way == GA_RANK_AUTO && closer))) {
    ga_rank_free(rank);
    status = init_result(rank, a.m, err);
    if (status == GA_OK) status = ga_rank_dense(rank, &a, err);
  }
  if (status == GA_OK) finish_result(rank, &a);
  ga_arena_free(&scratch);
  return status;
}

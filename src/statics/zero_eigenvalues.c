/* SPDX-License-Identifier: MIT */
/* Eigenvalues of a pencil A x = s M x whose zero eigenvalues are found as a space, by ranks.
 *
 * A zero eigenvalue that is multiple and has too few eigenvectors (a Jordan block of size m) is
 * split by rounding errors of size eps into values of size eps^(1/m): 1e-8 or 1e-5 instead of 0,
 * some of them with a positive real part. So zeros are not recognized by their size, but split off
 * before, as often as A is singular:
 *
 *     A Q0 = 0,  Q = [Q1 Q0] orthogonal,  P = [P1 P0] orthogonal with range(P0) = range(M Q0)
 *
 *     P^T A Q = [ A11  0 ],   P^T M Q = [ M11   0  ],   A11 y = s M11 y is the smaller pencil
 *               [ A01  0 ]              [ M01  M00 ]
 *
 * It has the same eigenvalues but for as many zeros as Q0 has columns. If A11 is singular, it is
 * done again. An eigenvector of s != 0 is x = Q1 y + Q0 a with M00 a = A01 y/s - M01 y.
 *
 * The rank of A is that of its rows up to their rounding errors: each row is divided by the bound
 * `noise` of its error. */
#include <math.h>
#include <string.h>

#include "statics/linearization.h"

void dgeqp3_(const int *m, const int *n, double *a, const int *lda, int *jpvt, double *tau,
             double *work, const int *lwork, int *info);
void dormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k,
             const double *a, const int *lda, const double *tau, double *c, const int *ldc,
             double *work, const int *lwork, int *info, size_t side_len, size_t trans_len);
void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b,
            const int *ldb, int *info);

/* Matrices are by columns. zeroed memory for rows x columns numbers; NULL without memory */
static double *new_matrix(ga_arena *arena, int rows, int columns) {
  return ga_arena_doubles(arena, (size_t)rows * (size_t)columns + 1);
}

/* sets the message of err and returns GA_ERR_MEM */
static ga_status no_memory(ga_error *err) {
  return ga_fail(err, GA_ERR_MEM, "no memory for eigenvalues");
}

/* Q (n x n, orthogonal) and *rank from the m columns of X (n x m, destroyed): the first `rank`
 * columns of Q span those of X, up to parts of length 1. QR with column pivoting. */
static ga_status complete_basis(int n, int m, double *X, int *rank, double *Q, ga_arena *arena,
                                ga_error *err) {
  const int ask = -1, least = m < n ? m : n;
  int info = 0;
  double size[2] = {0, 0};
  int *pivot = ga_arena_ints(arena, (size_t)m + 1);
  double *tau = new_matrix(arena, least, 1);
  if (arena->failed) return no_memory(err);
  dgeqp3_(&n, &m, X, &n, pivot, tau, &size[0], &ask, &info);
  dormqr_("L", "N", &n, &n, &least, X, &n, tau, Q, &n, &size[1], &ask, &info, 1, 1);
  const int lwork = (int)fmax(fmax(size[0], size[1]), 1);
  double *work = ga_arena_doubles(arena, (size_t)lwork);
  if (!work) return no_memory(err);
  dgeqp3_(&n, &m, X, &n, pivot, tau, work, &lwork, &info);
  for (*rank = 0; info == 0 && *rank < least && fabs(X[*rank * n + *rank]) > 1;) ++*rank;
  memset(Q, 0, (size_t)n * (size_t)n * sizeof(double));
  for (int j = 0; j < n; j++) Q[j * n + j] = 1;
  if (info == 0) {
    dormqr_("L", "N", &n, &n, &least, X, &n, tau, Q, &n, work, &lwork, &info, 1, 1);
  }
  return info == 0 ? GA_OK : ga_fail(err, GA_ERR_BACKEND, "LAPACK: no null space (%d)", info);
}

/* One stage: the smaller pencil, and what its eigenvectors need. All of the arena. */
typedef struct stage {
  int n, k;                /* size of the pencil, zeros that are split off */
  double *Q1, *Q0;         /* n x (n - k), n x k */
  double *A11, *M11;       /* (n - k) x (n - k) */
  double *A01, *M01, *M00; /* k x (n - k), k x (n - k), k x k */
  double *noise;           /* n - k: bounds of the rows of A11 */
} stage;

/* out = P^T X Q for X n x n, P n x p, Q n x q; out: a new p x q matrix */
static double *project(int n, int p, const double *P, const double *X, int q, const double *Q,
                       ga_arena *arena) {
  double *XQ = new_matrix(arena, n, q), *out = new_matrix(arena, p, q);
  if (arena->failed) return NULL;
  ga_lapack_multiply(false, n, q, n, X, n, Q, n, XQ, n);
  ga_lapack_multiply(true, p, q, n, P, n, XQ, n, out, p);
  return out;
}

/* P (n x n) for the null space Q0 (n x k): its first k columns span M Q0. GA_RETRY_SINGULAR if these
 * columns are dependent: a direction without mass, force and constraint. */
static ga_status left_basis(int n, int k, const double *M, const double *Q0, double *P,
                            ga_arena *arena, ga_error *err) {
  static const double DEPENDENT = 1e-10; /* relative to the largest entry of M */
  const double size = DEPENDENT * ga_max_abs(n * n, M);
  double *MQ = new_matrix(arena, n, k);
  int rank;
  if (!MQ) return no_memory(err);
  ga_lapack_multiply(false, n, k, n, M, n, Q0, n, MQ, n);
  for (int i = 0; i < n * k; i++) MQ[i] /= size;
  const ga_status status = complete_basis(n, k, MQ, &rank, P, arena, err);
  if (status != GA_OK || rank == k) return status;
  return ga_fail(err, GA_RETRY_SINGULAR, "the pencil is singular");
}

/* Fill *st from the pencil A, M (n x n) with the bounds `noise` of the rows of A. st->k = 0: A is
 * regular, and nothing else is set. */
static ga_status split_zeros(int n, const double *A, const double *M, const double *noise,
                             stage *st, ga_arena *arena, ga_error *err) {
  double *rows = new_matrix(arena, n, n), *Q = new_matrix(arena, n, n), *P;
  int rank;
  *st = (stage){.n = n};
  if (arena->failed) return no_memory(err);
  for (int i = 0; i < n; i++) { /* row i of A becomes column i */
    for (int j = 0; j < n; j++) rows[i * n + j] = A[j * n + i] / noise[i];
  }
  ga_status status = complete_basis(n, n, rows, &rank, Q, arena, err);
  const int k = st->k = n - rank, m = rank;
  if (status != GA_OK || k == 0) return status;
  st->Q1 = Q, st->Q0 = Q + (size_t)rank * (size_t)n;
  P = new_matrix(arena, n, n);
  if (!P) return no_memory(err);
  status = left_basis(n, k, M, st->Q0, P, arena, err);
  if (status != GA_OK) return status;
  const double *P0 = P, *P1 = P + (size_t)k * (size_t)n;
  st->A11 = project(n, m, P1, A, m, st->Q1, arena);
  st->M11 = project(n, m, P1, M, m, st->Q1, arena);
  st->A01 = project(n, k, P0, A, m, st->Q1, arena);
  st->M01 = project(n, k, P0, M, m, st->Q1, arena);
  st->M00 = project(n, k, P0, M, k, st->Q0, arena);
  st->noise = new_matrix(arena, m, 1);
  if (arena->failed) return no_memory(err);
  for (int i = 0; i < m; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum = hypot(sum, P1[i * n + j] * noise[j]);
    st->noise[i] = sum;
  }
  return GA_OK;
}

/* Eigenvalues and vectors of a regular pencil without zeros; regular: M is, too. A, M destroyed. */
static ga_status solve_pencil(int n, double *A, double *M, bool regular, double *re, double *im,
                              double *vectors, ga_arena *arena, ga_error *err) {
  int info = 0;
  int *pivot = ga_arena_ints(arena, (size_t)n + 1);
  if (!pivot) return no_memory(err);
  if (!regular) return ga_lapack_eigen_general(n, A, M, re, im, vectors, arena, err);
  dgesv_(&n, &n, M, &n, pivot, A, &n, &info);
  if (info != 0) return ga_fail(err, GA_ERR_BACKEND, "LAPACK: no solution (%d)", info);
  return ga_lapack_eigen_general(n, A, NULL, re, im, vectors, arena, err);
}

/* Column `column` of x (n rows) <- Q1 y + Q0 a of one stage, for the eigenvalue re + i im != 0 whose
 * y stands in the same column of y (n - k rows); of a complex one also the next column, its
 * imaginary part. a (2 k numbers), M00 (k x k), pivot (k): scratch. An infinite eigenvalue has re =
 * INFINITY: 1/s = 0. */
static ga_status lift_vector(const stage *st, int column, double re, double im, const double *y,
                             double *x, double *a, double *M00, int *pivot, ga_error *err) {
  const int n = st->n, k = st->k, m = n - k, parts = im != 0 ? 2 : 1;
  const double *own = y + (size_t)column * (size_t)m;
  double *out = x + (size_t)column * (size_t)n;
  const double size = re * re + im * im;
  const double cr = isfinite(re) ? re / size : 0, ci = isfinite(re) ? -im / size : 0; /* 1/s */
  int info = 0;
  for (int i = 0; i < k; i++) {
    double f[2] = {0, 0}, g[2] = {0, 0}; /* A01 y, M01 y */
    for (int p = 0; p < parts; p++) {
      for (int j = 0; j < m; j++) {
        f[p] += st->A01[j * k + i] * own[p * m + j];
        g[p] += st->M01[j * k + i] * own[p * m + j];
      }
    }
    a[i] = f[0] * cr - f[1] * ci - g[0];
    a[k + i] = f[0] * ci + f[1] * cr - g[1];
  }
  memcpy(M00, st->M00, (size_t)k * (size_t)k * sizeof(double));
  dgesv_(&k, &parts, M00, &k, pivot, a, &k, &info);
  if (info != 0) return ga_fail(err, GA_ERR_BACKEND, "LAPACK: no solution (%d)", info);
  for (int p = 0; p < parts; p++) {
    ga_lapack_multiply(false, n, 1, m, st->Q1, n, own + p * m, m, out + p * n, n);
    for (int j = 0; j < k; j++) ga_axpy(n, a[p * k + j], st->Q0 + j * n, out + p * n);
  }
  return GA_OK;
}

/* Eigenvectors of all count eigenvalues by one stage: y (n - k rows) becomes a new matrix of n
 * rows, *x. */
static ga_status lift_vectors(const stage *st, int count, const double *re, const double *im,
                              const double *y, double **x, ga_arena *arena, ga_error *err) {
  double *a = new_matrix(arena, 2, st->k), *M00 = new_matrix(arena, st->k, st->k);
  int *pivot = ga_arena_ints(arena, (size_t)st->k + 1);
  *x = new_matrix(arena, st->n, count);
  if (arena->failed) return no_memory(err);
  ga_status status = GA_OK;
  for (int j = 0; j < count && status == GA_OK; j += im[j] != 0 ? 2 : 1) {
    status = lift_vector(st, j, re[j], im[j], y, *x, a, M00, pivot, err);
  }
  return status;
}

/* The finite and infinite eigenvalues of A x = s M x, matrices of p->n by columns, destroyed. See
 * the head of this file, and ga_pencil. */
ga_status ga_pencil_eigenvalues(ga_pencil *p, ga_arena *arena, ga_error *err) {
  enum { STAGES = 16 }; /* the largest Jordan block; mechanisms have 2 or 3 */
  stage list[STAGES];
  int stages = 0, n = p->n;
  double *A = p->A, *M = p->M, *noise = p->noise, *y, *x;
  ga_status status = GA_OK;
  p->kernel = p->zeros = 0;
  while (stages < STAGES && n > 0) {
    stage *st = &list[stages];
    status = split_zeros(n, A, M, noise, st, arena, err);
    if (status == GA_RETRY_SINGULAR) break; /* nothing can be split off: solve it as it is */
    if (status != GA_OK) return status;
    if (st->k == 0) break;
    if (stages++ == 0) p->kernel = st->k;
    p->zeros += st->k;
    n -= st->k;
    A = st->A11, M = st->M11, noise = st->noise;
  }
  p->count = n;
  p->re = new_matrix(arena, n, 1);
  p->im = new_matrix(arena, n, 1);
  y = new_matrix(arena, n, n);
  if (arena->failed) return no_memory(err);
  if (n > 0) status = solve_pencil(n, A, M, p->regular, p->re, p->im, y, arena, err);
  for (int i = stages - 1; i >= 0 && status == GA_OK && n > 0; i--) {
    status = lift_vectors(&list[i], n, p->re, p->im, y, &x, arena, err);
    y = x;
  }
  p->vectors = y;
  p->null = stages > 0 ? list[0].Q0 : NULL;
  return n > 0 ? status : GA_OK;
}

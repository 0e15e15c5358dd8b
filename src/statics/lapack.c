/* SPDX-License-Identifier: MIT */
/* LAPACK behind a few functions: eigenvalues, products, least squares. Matrices by columns. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "statics/linearization.h"

void dsygv_(const int *itype, const char *jobz, const char *uplo, const int *n, double *a,
            const int *lda, double *b, const int *ldb, double *w, double *work, const int *lwork,
            int *info, size_t jobz_len, size_t uplo_len);
void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda,
            double *wr, double *wi, double *vl, const int *ldvl, double *vr, const int *ldvr,
            double *work, const int *lwork, int *info, size_t jobvl_len, size_t jobvr_len);
void dggev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda,
            double *b, const int *ldb, double *alphar, double *alphai, double *beta, double *vl,
            const int *ldvl, double *vr, const int *ldvr, double *work, const int *lwork, int *info,
            size_t jobvl_len, size_t jobvr_len);
void dposv_(const char *uplo, const int *n, const int *nrhs, double *a, const int *lda, double *b,
            const int *ldb, int *info, size_t uplo_len);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc, size_t transa_len, size_t transb_len);
void dgelsy_(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b,
             const int *ldb, int *jpvt, const double *rcond, int *rank, double *work,
             const int *lwork, int *info);

/* sets the message of err and returns GA_ERR_MEM */
static ga_status no_memory(ga_error *err) {
  return ga_fail(err, GA_ERR_MEM, "no memory for eigenvalues");
}

/* Eigenvalues s (increasing) of A x = s B x; A and B are destroyed, A becomes the eigenvectors.
 * GA_RETRY_SINGULAR if B is not positive definite. All n x n; scratch is left in the arena. */
ga_status ga_lapack_eigen_symmetric(int n, double *A, double *B, double *s, ga_arena *arena,
                                    ga_error *err) {
  const int one = 1, ask = -1;
  int info = 0;
  double size;
  dsygv_(&one, "V", "U", &n, A, &n, B, &n, s, &size, &ask, &info, 1, 1);
  const int lwork = (int)size;
  double *work = ga_arena_doubles(arena, (size_t)lwork);
  if (!work) return no_memory(err);
  dsygv_(&one, "V", "U", &n, A, &n, B, &n, s, work, &lwork, &info, 1, 1);
  if (info == 0) return GA_OK;
  /* more than n: B is not positive definite */
  return ga_fail(err, info > n ? GA_RETRY_SINGULAR : GA_ERR_BACKEND, "LAPACK: no eigenvalues (%d)",
                 info);
}

/* re, im (n numbers) and vectors (n x n) = eigenvalues and right eigenvectors of A, which is
 * destroyed; of a conjugate pair real and imaginary part are in two columns */
static ga_status eigen_standard(int n, double *A, double *re, double *im, double *vectors,
                                ga_arena *arena, ga_error *err) {
  const int ask = -1;
  int info = 0;
  double size, none;
  dgeev_("N", "V", &n, A, &n, re, im, &none, &n, vectors, &n, &size, &ask, &info, 1, 1);
  const int lwork = (int)size;
  double *work = ga_arena_doubles(arena, (size_t)lwork);
  if (!work) return no_memory(err);
  dgeev_("N", "V", &n, A, &n, re, im, &none, &n, vectors, &n, work, &lwork, &info, 1, 1);
  return info == 0 ? GA_OK : ga_fail(err, GA_ERR_BACKEND, "LAPACK: no eigenvalues (%d)", info);
}

/* Eigenvalues re + i im and right eigenvectors of A x = s B x; B = NULL: the unit matrix. A and B
 * are destroyed. Infinite eigenvalues have re = INFINITY, im = 0. Vectors as of eigen_standard. */
ga_status ga_lapack_eigen_general(int n, double *A, double *B, double *re, double *im,
                                  double *vectors, ga_arena *arena, ga_error *err) {
  const int ask = -1;
  int info = 0;
  double size, none;
  if (!B) return eigen_standard(n, A, re, im, vectors, arena, err);
  double *beta = ga_arena_doubles(arena, (size_t)n);
  if (!beta) return no_memory(err);
  dggev_("N", "V", &n, A, &n, B, &n, re, im, beta, &none, &n, vectors, &n, &size, &ask, &info, 1,
         1);
  const int lwork = (int)size;
  double *work = ga_arena_doubles(arena, (size_t)lwork);
  if (!work) return no_memory(err);
  dggev_("N", "V", &n, A, &n, B, &n, re, im, beta, &none, &n, vectors, &n, work, &lwork, &info, 1,
         1);
  if (info != 0) return ga_fail(err, GA_ERR_BACKEND, "LAPACK: no eigenvalues (%d)", info);
  double largest = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(beta[i]));
  for (int i = 0; i < n; i++) {
    const bool infinite = fabs(beta[i]) <= 1e-10 * largest;
    re[i] = infinite ? INFINITY : re[i] / beta[i];
    im[i] = infinite ? 0 : im[i] / beta[i];
  }
  return GA_OK;
}

/* X (n x columns, columns ldx apart) <- A^-1 X by Cholesky, A destroyed; false if A is not positive
 * definite: then X is unchanged */
bool ga_lapack_solve_positive(int n, double *A, int columns, double *X, int ldx) {
  int info = 0;
  if (n == 0) return true;
  dposv_("U", &n, &columns, A, &n, X, &ldx, &info, 1);
  return info == 0;
}

/* C = A B or, if `transpose`, A^T B, all by columns; inner: the dimension that is summed over; lda,
 * ldb, ldc: distances of columns */
void ga_lapack_multiply(bool transpose, int rows, int columns, int inner, const double *A, int lda,
                        const double *B, int ldb, double *C, int ldc) {
  const double one = 1, zero = 0;
  if (rows == 0 || columns == 0) return;
  dgemm_(transpose ? "T" : "N", "N", &rows, &columns, &inner, &one, A, &lda, B, &ldb, &zero, C,
         &ldc, 1, 1);
}

/* X = least-norm solution of A X nearest to B, all by columns; A is destroyed. The rank of A is
 * that of its largest leading block (QR with pivoting) with condition number below 1e10. */
ga_status ga_lapack_least_squares(int m, int n, double *A, int columns, const double *B, double *X,
                                  ga_arena *arena, ga_error *err) {
  const int ask = -1, ld = m > n ? m : n;
  const double rcond = 1e-10;
  int info = 0, rank = 0;
  double size;
  int *pivot = ga_arena_ints(arena, (size_t)n);
  double *both = ga_arena_doubles(arena, (size_t)ld * (size_t)columns);
  if (arena->failed) return no_memory(err);
  for (int j = 0; j < columns; j++) memcpy(both + j * ld, B + j * m, (size_t)m * sizeof(double));
  dgelsy_(&m, &n, &columns, A, &m, both, &ld, pivot, &rcond, &rank, &size, &ask, &info);
  const int lwork = (int)size;
  double *work = ga_arena_doubles(arena, (size_t)lwork);
  if (!work) return no_memory(err);
  dgelsy_(&m, &n, &columns, A, &m, both, &ld, pivot, &rcond, &rank, work, &lwork, &info);
  for (int j = 0; j < columns; j++) memcpy(X + j * n, both + j * ld, (size_t)n * sizeof(double));
  return info == 0 ? GA_OK : ga_fail(err, GA_ERR_BACKEND, "LAPACK: no solution (%d)", info);
}

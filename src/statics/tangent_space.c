/* SPDX-License-Identifier: MIT */
/* A basis of the tangent space of the constraints: the null space of a few rows, by QR with column
 * pivoting of their transpose. */
#include <math.h>
#include <string.h>

#include "linsol/rank/rank.h"
#include "statics/linearization.h"

void dgeqp3_(const int *m, const int *n, double *a, const int *lda, int *jpvt, double *tau,
             double *work, const int *lwork, int *info);
void dormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k,
             const double *a, const int *lda, const double *tau, double *c, const int *ldc,
             double *work, const int *lwork, int *info, size_t side_len, size_t trans_len);

/* scales each row of A (m x n by rows) to length 1, so that a small diagonal entry of R means
 * dependence */
static void normalize_rows(int m, int n, double *A) {
  for (int i = 0; i < m; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += A[i * n + j] * A[i * n + j];
    const double length = sqrt(sum);
    for (int j = 0; j < n && length > 0; j++) A[i * n + j] /= length;
  }
}

/* N = orthonormal basis of the null space of A (m x n by rows, destroyed), n x (n - rank) by
 * columns; *rank = rank of A. N needs room for n x n, as the rank is not known before. Rows with a
 * pivot below GA_RANK_TOL, relative to rows of length 1, count as dependent. Scratch is left in the
 * arena. */
ga_status ga_tangent_space_basis(int m, int n, double *A, int *rank, double *N, ga_arena *arena,
                                 ga_error *err) {
  const int ask = -1, least = m < n ? m : n;
  int info = 0, columns = n;
  double size[2] = {0, 0};
  *rank = 0;
  int *pivot = ga_arena_ints(arena, (size_t)m + 1);
  double *tau = ga_arena_doubles(arena, (size_t)least + 1);
  if (arena->failed) return ga_fail(err, GA_ERR_MEM, "no memory for a null space");
  normalize_rows(m, n, A);
  /* by rows of n is by columns of the transpose */
  if (m > 0) dgeqp3_(&n, &m, A, &n, pivot, tau, &size[0], &ask, &info);
  dormqr_("L", "N", &n, &columns, &least, A, &n, tau, N, &n, &size[1], &ask, &info, 1, 1);
  const int lwork = (int)fmax(fmax(size[0], size[1]), 1);
  double *work = ga_arena_doubles(arena, (size_t)lwork);
  if (!work) return ga_fail(err, GA_ERR_MEM, "no memory for a null space");
  if (m > 0) dgeqp3_(&n, &m, A, &n, pivot, tau, work, &lwork, &info);
  while (info == 0 && *rank < least && fabs(A[*rank * n + *rank]) > GA_RANK_TOL) ++*rank;
  columns = n - *rank;
  memset(N, 0, (size_t)n * (size_t)columns * sizeof(double));
  for (int j = 0; j < columns; j++) N[j * n + *rank + j] = 1;
  if (info == 0 && m > 0 && columns > 0) {
    dormqr_("L", "N", &n, &columns, &least, A, &n, tau, N, &n, work, &lwork, &info, 1, 1);
  }
  return info == 0 ? GA_OK : ga_fail(err, GA_ERR_BACKEND, "LAPACK: no null space (%d)", info);
}

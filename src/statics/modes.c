/* SPDX-License-Identifier: MIT */
/* Eigenvalues of a linearization on the tangent space of the constraints.
 *
 * With N a basis of G y = 0, y = N z, and Hn = H N, Yn = Y N, Mn = N^T M N, Cn, Kn likewise:
 *
 *     Mn z'' + Cn z' + Kn z + Hn^T dpsi = 0,   Hn z' + Yn z = 0
 *
 * E spans the null space of Hn, B = Hn^+ Yn: z' = E u - B z, and, multiplied by E^T,
 *
 *     E^T Mn E u' = E^T ((Mn B - Cn) z' - Kn z)
 *
 * a system of first order in (z, u). Without nonholonomic rows E = I, B = 0. Where besides Cn = 0
 * and Kn is symmetric, (Kn - omega^2 Mn) z = 0 is solved, which is more accurate. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "statics/linearization.h"

enum { DENSE_MOST = 6000 }; /* most velocities for dense matrices */
/* Eigenvalues below ZERO, and omega^2 below ZERO_SQUARE, of the largest count as zero; a matrix
 * with less than SYMMETRIC relative asymmetry counts as symmetric. */
static const double ZERO = 1e-7, ZERO_SQUARE = 1e-13, SYMMETRIC = 1e-9;

typedef struct reduction {
  const ga_linearization *lin;
  ga_arena arena;
  ga_error *err;
  int n, d, e;               /* velocities, freedom of z, of u */
  double *N, *Mn, *Cn, *Kn;  /* N: n x d, the others d x d; all matrices by columns */
  double *E, *B;             /* d x e, d x d; NULL without nonholonomic rows */
  double *re, *im, *vectors; /* eigenvalues, and their z: d numbers, a pair in two columns */
  int count;                 /* number of eigenvalues in re, im */
} reduction;

/* zeroed memory for rows x columns numbers; NULL without memory */
static double *new_matrix(reduction *r, int rows, int columns) {
  return ga_arena_doubles(&r->arena, (size_t)rows * (size_t)columns + 1);
}

/* sets the message of r->err and returns GA_ERR_MEM */
static ga_status no_memory(const reduction *r) {
  return ga_fail(r->err, GA_ERR_MEM, "no memory for the modes of %d velocities", r->n);
}

/* ---- reduction ------------------------------------------------------------------------------ */

/* Sets N, d and e (= d until reduce_rolling): N by QR of G in units of sqrt(weight), so that the
 * columns are orthonormal in the metric of the weights. On failure N is not usable. */
static ga_status find_basis(reduction *r) {
  const ga_linearization *lin = r->lin;
  const int n = r->n, m = lin->nlam;
  double *rows = new_matrix(r, m, n);
  int rank;
  r->N = new_matrix(r, n, n);
  if (r->arena.failed) return no_memory(r);
  for (int i = 0; i < m; i++) {
    for (int e = lin->G.ptr[i]; e < lin->G.ptr[i + 1]; e++) {
      const int j = lin->G.col[e];
      rows[i * n + j] = lin->G.val[e] / sqrt(lin->weight[j]);
    }
  }
  const ga_status status = ga_tangent_space_basis(m, n, rows, &rank, r->N, &r->arena, r->err);
  r->d = r->e = n - rank;
  for (int k = 0; k < r->d; k++) {
    for (int j = 0; j < n; j++) r->N[k * n + j] /= sqrt(lin->weight[j]);
  }
  return status;
}

/* A N for a sparse A with n columns: a new matrix, A->nrow x d by columns; NULL without memory */
static double *times_basis(reduction *r, const ga_csr *A) {
  double *out = new_matrix(r, A->nrow, r->d);
  for (int k = 0; out && k < r->d; k++) {
    ga_csr_mul_add(A, 1, r->N + (size_t)k * (size_t)r->n, out + (size_t)k * (size_t)A->nrow);
  }
  return out;
}

/* N^T A N for a sparse A (n x n): a new matrix, d x d; valid only if the arena has not failed */
static double *reduce_matrix(reduction *r, const ga_csr *A) {
  double *AN = times_basis(r, A), *out = new_matrix(r, r->d, r->d);
  if (!r->arena.failed) ga_lapack_multiply(true, r->d, r->d, r->n, r->N, r->n, AN, r->n, out, r->d);
  return out;
}

/* Sets E, B and e for the nonholonomic rows: E = null space of H N (orthonormal columns), B = (H
 * N)^+ Y N, where ^+ is the least-squares inverse. Needs N and d > 0. */
static ga_status reduce_rolling(reduction *r) {
  const ga_linearization *lin = r->lin;
  const int m = lin->npsi, d = r->d;
  double *Hn = times_basis(r, &lin->H), *Yn = times_basis(r, &lin->Y), *rows = new_matrix(r, m, d);
  int rank;
  r->E = new_matrix(r, d, d);
  r->B = new_matrix(r, d, d);
  if (r->arena.failed) return no_memory(r);
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < d; j++) rows[i * d + j] = Hn[j * m + i];
  }
  ga_status status = ga_tangent_space_basis(m, d, rows, &rank, r->E, &r->arena, r->err);
  r->e = d - rank;
  if (status == GA_OK) status = ga_lapack_least_squares(m, d, Hn, d, Yn, r->B, &r->arena, r->err);
  return status;
}

/* Sets N, d, e, Mn, Cn, Kn and, with nonholonomic rows, E and B. Without freedom (d = 0) E and B
 * stay NULL. */
static ga_status reduce_all(reduction *r) {
  ga_status status = find_basis(r);
  if (status != GA_OK) return status;
  r->Mn = reduce_matrix(r, &r->lin->M);
  r->Cn = reduce_matrix(r, &r->lin->C);
  r->Kn = reduce_matrix(r, &r->lin->K);
  if (r->arena.failed) return no_memory(r);
  return r->lin->npsi > 0 && r->d > 0 ? reduce_rolling(r) : GA_OK;
}

/* ---- symmetric ------------------------------------------------------------------------------ */

/* largest |A_ij - A_ji| over the largest |A_ij| of an n x n matrix; 0 if A is zero */
static double relative_asymmetry(int n, const double *A) {
  double size = 0, most = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      size = fmax(size, fabs(A[i * n + j]));
      most = fmax(most, fabs(A[i * n + j] - A[j * n + i]));
    }
  }
  return size > 0 ? most / size : 0;
}

/* true: no nonholonomic rows, no damping (up to rounding, 1e-12) and Kn symmetric, so that omega^2
 * can be computed directly. Needs reduce_all. */
static bool is_symmetric(const reduction *r) {
  const int dd = r->d * r->d;
  const double M = ga_max_abs(dd, r->Mn), K = ga_max_abs(dd, r->Kn), C = ga_max_abs(dd, r->Cn);
  return !r->E && C <= 1e-12 * sqrt(M * K) && relative_asymmetry(r->d, r->Kn) <= SYMMETRIC;
}

/* Solves (Kn - omega^2 Mn) z = 0 and sets re, im, vectors, count. omega^2 > 0: a pair +- i omega; <
 * 0: two real eigenvalues; 0: twice zero. GA_RETRY_SINGULAR if Mn is not positive definite: then
 * nothing of r is set. Mn and Kn are kept. */
static ga_status solve_symmetric(reduction *r) {
  const int d = r->d;
  /* A: the symmetric part of Kn, then the eigenvectors; B: a copy of Mn; square: omega^2 */
  double *A = new_matrix(r, d, d), *B = new_matrix(r, d, d), *square = new_matrix(r, d, 1);
  if (r->arena.failed) return no_memory(r);
  for (int i = 0; i < d; i++) {
    for (int j = 0; j < d; j++) {
      A[i * d + j] = 0.5 * (r->Kn[i * d + j] + r->Kn[j * d + i]);
      B[i * d + j] = r->Mn[i * d + j];
    }
  }
  const ga_status status = ga_lapack_eigen_symmetric(d, A, B, square, &r->arena, r->err);
  if (status != GA_OK) return status;
  r->count = 2 * d;
  r->re = new_matrix(r, 2 * d, 1);
  r->im = new_matrix(r, 2 * d, 1);
  r->vectors = new_matrix(r, d, 2 * d);
  if (r->arena.failed) return no_memory(r);
  const double fastest = ga_max_abs(d, square);
  for (int k = 0; k < d; k++) {
    const double x = fabs(square[k]) <= ZERO_SQUARE * fastest ? 0 : square[k];
    r->re[2 * k] = x < 0 ? sqrt(-x) : 0, r->re[2 * k + 1] = -r->re[2 * k];
    r->im[2 * k] = x > 0 ? sqrt(x) : 0, r->im[2 * k + 1] = -r->im[2 * k];
    memcpy(r->vectors + 2 * k * d, A + k * d, (size_t)d * sizeof(double));
    /* of a vibration the second column is the imaginary part */
    if (!(x > 0)) memcpy(r->vectors + (2 * k + 1) * d, A + k * d, (size_t)d * sizeof(double));
  }
  return GA_OK;
}

/* ---- general -------------------------------------------------------------------------------- */

/* T = Mn B - Cn, a new d x d matrix (-Cn if there is no B); NULL without memory */
static double *coupling_matrix(reduction *r) {
  const int d = r->d;
  double *T = new_matrix(r, d, d);
  if (!T) return NULL;
  if (r->B) ga_lapack_multiply(false, d, d, d, r->Mn, d, r->B, d, T, d);
  for (int i = 0; i < d * d; i++) T[i] -= r->Cn[i];
  return T;
}

/* out = E^T X E (both = true; e x e) or E^T X (false; e x d) for X of d x d; a copy of X if there
 * is no E. work: d x d numbers, overwritten. */
static void project_on_E(reduction *r, const double *X, bool both, double *out, double *work) {
  const int d = r->d, e = r->e;
  if (!r->E) {
    memcpy(out, X, (size_t)d * (size_t)d * sizeof(double));
    return;
  }
  if (!both) {
    ga_lapack_multiply(true, e, d, d, r->E, d, X, d, out, e);
    return;
  }
  ga_lapack_multiply(false, d, e, d, X, d, r->E, d, work, d);
  ga_lapack_multiply(true, e, e, d, r->E, d, work, d, out, e);
}

/* lower = the two lower blocks of the first-order system, -E^T (T B + Kn) and E^T T E, e rows of d
 * + e columns; Me = E^T Mn E, e x e. The caller gives the room of both; false without memory. */
static bool lower_blocks(reduction *r, double *lower, double *Me) {
  const int d = r->d, e = r->e;
  double *T = coupling_matrix(r), *X = new_matrix(r, d, d), *work = new_matrix(r, d, d);
  if (r->arena.failed) return false;
  if (r->B) ga_lapack_multiply(false, d, d, d, T, d, r->B, d, X, d);
  for (int i = 0; i < d * d; i++) X[i] = -(X[i] + r->Kn[i]);
  project_on_E(r, X, false, lower, work); /* false: E^T X; true: E^T X E */
  project_on_E(r, T, true, lower + e * d, work);
  project_on_E(r, r->Mn, true, Me, work);
  return true;
}

/* Eigenvalues of the first-order system in (z, u); sets re, im, vectors, count. If E^T Mn E is not
 * positive definite (velocities without mass), it goes to the right side, and some eigenvalues are
 * infinite (re = INFINITY). The z part of each eigenvector is kept in vectors; results are valid
 * only with GA_OK. */
static ga_status solve_general(reduction *r) {
  const int d = r->d, e = r->e, s = d + e; /* s: size of the system */
  double *A = new_matrix(r, s, s), *mass = NULL, *lower = new_matrix(r, e, s),
         *Me = new_matrix(r, e, e);
  double *own = new_matrix(r, e, e), *vectors = new_matrix(r, s, s), *solved = new_matrix(r, e, s);
  r->re = new_matrix(r, s, 1);
  r->im = new_matrix(r, s, 1);
  r->vectors = new_matrix(r, d, s);
  if (r->arena.failed || !lower_blocks(r, lower, Me)) return no_memory(r);
  memcpy(own, Me, (size_t)e * (size_t)e * sizeof(double));
  memcpy(solved, lower, (size_t)e * (size_t)s * sizeof(double));
  const bool regular = ga_lapack_solve_positive(e, own, s, solved, e);
  if (!regular) mass = new_matrix(r, s, s);
  if (r->arena.failed) return no_memory(r);
  for (int j = 0; j < s; j++) {
    for (int i = 0; i < d; i++) {
      if (j < d) A[j * s + i] = r->B ? -r->B[j * d + i] : 0;
      if (j >= d) A[j * s + i] = r->E ? r->E[(j - d) * d + i] : i == j - d;
    }
    memcpy(A + j * s + d, (regular ? solved : lower) + j * e, (size_t)e * sizeof(double));
    for (int i = 0; mass && i < s; i++) {
      mass[j * s + i] = i < d || j < d ? i == j : Me[(j - d) * e + i - d];
    }
  }
  const ga_status status =
      ga_lapack_eigen_general(s, A, mass, r->re, r->im, vectors, &r->arena, r->err);
  r->count = s;
  for (int k = 0; k < s; k++) {
    memcpy(r->vectors + k * d, vectors + k * s, (size_t)d * sizeof(double));
  }
  return status;
}

/* ---- results -------------------------------------------------------------------------------- */

/* one eigenvalue re + i im, and the column of r->vectors with its z */
typedef struct entry {
  double re, im;
  int column;
} entry;

/* order of qsort: slow ones first; among equally fast ones those that grow faster, then by
 * column */
static int compare_modes(const void *a, const void *b) {
  const entry *x = a, *y = b;
  const double fx = hypot(x->re, x->im), fy = hypot(y->re, y->im);
  if (fx != fy) return fx < fy ? -1 : 1;
  if (x->re != y->re) return x->re > y->re ? -1 : 1;
  return x->column - y->column;
}

/* re + i im = shape y = N z of a mode in space axes (n numbers each, overwritten), scaled so that
 * its largest component is 1 + 0 i. A mode with im > 0 has the imaginary part of z in the next
 * column of r->vectors. */
static void write_shape(const reduction *r, const entry *mode, double *re, double *im) {
  const ga_linearization *lin = r->lin;
  const double *z = r->vectors + mode->column * r->d;
  const int n = r->n;
  int largest = 0;
  ga_lapack_multiply(false, n, 1, r->d, r->N, n, z, r->d, re, n);
  if (mode->im > 0) ga_lapack_multiply(false, n, 1, r->d, r->N, n, z + r->d, r->d, im, n);
  if (!(mode->im > 0)) memset(im, 0, (size_t)n * sizeof(double));
  if (!lin->moving) { /* a moving model's matrices are in space axes already */
    ga_linearization_to_space_axes(lin->model->space, lin->q, re);
    ga_linearization_to_space_axes(lin->model->space, lin->q, im);
  }
  for (int i = 0; i < n; i++) {
    if (hypot(re[i], im[i]) > (1 + 1e-9) * hypot(re[largest], im[largest])) largest = i;
  }
  const double a = re[largest], b = im[largest], size = a * a + b * b;
  for (int i = 0; i < n && size > 0; i++) {
    const double x = re[i], y = im[i];
    re[i] = (x * a + y * b) / size;
    im[i] = (y * a - x * b) / size;
  }
}

/* true: column `column` of r->vectors (a zero eigenvalue) is linearly independent of kept, nkept
 * orthonormal vectors of d numbers. Its normalized remainder is then vector nkept of kept; the
 * caller increases nkept. kept needs room for d + 1 vectors: vector nkept is overwritten in any
 * case. Where nothing holds the model, zero is a double eigenvalue with one vector for both; it
 * must be counted once. */
static bool add_if_independent(reduction *r, int column, double *kept, int nkept) {
  const int d = r->d;
  double *x = kept + nkept * d, size = 0, left = 0;
  memcpy(x, r->vectors + column * d, (size_t)d * sizeof(double));
  for (int i = 0; i < d; i++) size += x[i] * x[i];
  for (int pass = 0; pass < 2; pass++) { /* Gram-Schmidt, twice because of rounding */
    for (int k = 0; k < nkept; k++) {
      double dot = 0;
      for (int i = 0; i < d; i++) dot += kept[k * d + i] * x[i];
      ga_axpy(d, -dot, kept + k * d, x);
    }
  }
  for (int i = 0; i < d; i++) left += x[i] * x[i];
  if (!(left > 1e-6 * size) || nkept == d) return false;
  for (int i = 0; i < d; i++) x[i] /= sqrt(left);
  return true;
}

/* Writes the eigenvalues with im >= 0 and their shapes into `modes`, slowest first, at most
 * modes->room; sets count, all (number without that limit) and unstable (some re > 0; false
 * before). Rounding errors are set to zero; infinite eigenvalues are left out. */
static ga_status collect_modes(reduction *r, ga_modes *modes) {
  entry *list = ga_arena_take(&r->arena, (size_t)r->count + 1, sizeof *list);
  double *kept = new_matrix(r, r->d, r->d + 1); /* independent vectors of zero eigenvalues */
  int nkept = 0;
  if (r->arena.failed) return no_memory(r);
  double fastest = 0;
  for (int k = 0; k < r->count; k++) {
    if (isfinite(r->re[k])) fastest = fmax(fastest, hypot(r->re[k], r->im[k]));
  }
  int count = 0;
  for (int k = 0; k < r->count; k++) {
    if (!isfinite(r->re[k]) || r->im[k] < 0) continue;
    entry mode = {r->re[k], r->im[k], k};
    if (hypot(mode.re, mode.im) <= ZERO * fastest) mode.re = mode.im = 0;
    if (fabs(mode.re) <= 1e-12 * fastest) mode.re = 0;
    if (mode.re == 0 && mode.im == 0 && !add_if_independent(r, k, kept, nkept)) continue;
    if (mode.re == 0 && mode.im == 0) nkept++;
    list[count++] = mode;
    if (mode.re > 0) modes->unstable = true;
  }
  qsort(list, (size_t)count, sizeof *list, compare_modes);
  modes->all = count;
  modes->count = count < modes->room ? count : modes->room;
  for (int k = 0; k < modes->count; k++) {
    modes->re[k] = list[k].re;
    modes->im[k] = list[k].im;
    if (!modes->shape_re) continue;
    const size_t at = (size_t)k * (size_t)r->n;
    write_shape(r, &list[k], modes->shape_re + at, modes->shape_im + at);
  }
  return GA_OK;
}

/* Fills `modes` with all modes by dense matrices: reduction, eigenvalues, results. Sets freedom,
 * too. The caller frees r->arena, also on failure. */
static ga_status find_all_modes(reduction *r, ga_modes *modes) {
  ga_status status = reduce_all(r);
  if (status != GA_OK) return status;
  modes->freedom = r->d;
  if (r->d == 0) return GA_OK;
  status = is_symmetric(r) ? solve_symmetric(r) : GA_RETRY_SINGULAR;
  if (status == GA_RETRY_SINGULAR) status = solve_general(r);
  return status == GA_OK ? collect_modes(r, modes) : status;
}

/* Fills `modes` (room, re, im and shapes are the caller's) with eigenvalues in rad/s and shapes,
 * slowest first, and sets count, all, freedom and unstable. modes->few: by ARPACK if the model is
 * large enough; freedom then stays 0. GA_ERR_ARG: missing arrays, or the model is too large. */
ga_status ga_modes_find(const ga_linearization *lin, ga_modes *modes, ga_error *err) {
  ga_error own;
  if (!err) err = &own;
  modes->count = modes->all = modes->freedom = 0;
  modes->unstable = false;
  if (modes->room < 1 || !modes->re || !modes->im || !modes->shape_re != !modes->shape_im) {
    return ga_fail(err, GA_ERR_ARG,
                   "modes: room for at least one, arrays re and im, and both "
                   "arrays of shapes or none");
  }
  const bool small = lin->nv <= DENSE_MOST && !ga_arpack_fits(lin->nv, modes->room);
  if (modes->few && !small) return ga_arpack_modes(lin, modes, err);
  if (lin->nv > DENSE_MOST) {
    return ga_fail(err, GA_ERR_ARG,
                   "all modes of %d velocities are too many (at most %d); ask for a few", lin->nv,
                   DENSE_MOST);
  }
  reduction r = {.lin = lin, .err = err, .n = lin->nv};
  const ga_status status = find_all_modes(&r, modes);
  ga_arena_free(&r.arena);
  return status;
}

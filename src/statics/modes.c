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

#include "statics/axes.h"
#include "statics/reduction.h"

enum { DENSE_MOST = 6000 }; /* most velocities for dense matrices */
/* ROUNDING: relative errors of the entries of the matrices, from roundings and from multipliers
 * that are the solution of a linear system. omega^2 below ZERO_SQUARE of the largest, or of that of
 * loads on contacts, counts as zero; a matrix with less than SYMMETRIC relative asymmetry counts as
 * symmetric. */
static const double ROUNDING = 1e-12, ZERO_SQUARE = 1e-13, SYMMETRIC = 1e-9;

/* ---- symmetric ------------------------------------------------------------------------------ */

/* largest |A_ij - A_ji| over the largest |A_ij|, or `least`, of an n x n matrix; 0 if A is zero */
static double relative_asymmetry(int n, const double *A, double least) {
  double size = least, most = 0;
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
static bool is_symmetric(const ga_reduction *r) {
  const int dd = r->d * r->d;
  const double M = ga_max_abs(dd, r->Mn), K = ga_max_abs(dd, r->Kn), C = ga_max_abs(dd, r->Cn);
  return !r->E && C <= 1e-12 * sqrt(M * K) &&
         relative_asymmetry(r->d, r->Kn, r->lin->load * M) <= SYMMETRIC;
}

/* Solves (Kn - omega^2 Mn) z = 0 and sets re, im, vectors, count. omega^2 > 0: a pair +- i omega; <
 * 0: two real eigenvalues; 0: one entry for the double zero. GA_RETRY_SINGULAR if Mn is not
 * positive definite: then nothing of r is set. Mn and Kn are kept. */
static ga_status solve_symmetric(ga_reduction *r) {
  const int d = r->d;
  /* A: the symmetric part of Kn, then the eigenvectors; B: a copy of Mn; square: omega^2 */
  double *A = ga_reduction_matrix(r, d, d), *B = ga_reduction_matrix(r, d, d),
         *square = ga_reduction_matrix(r, d, 1);
  if (r->arena.failed) return ga_reduction_no_memory(r);
  for (int i = 0; i < d; i++) {
    for (int j = 0; j < d; j++) {
      A[i * d + j] = 0.5 * (r->Kn[i * d + j] + r->Kn[j * d + i]);
      B[i * d + j] = r->Mn[i * d + j];
    }
  }
  const ga_status status = ga_lapack_eigen_symmetric(d, A, B, square, &r->arena, r->err);
  if (status != GA_OK) return status;
  r->re = ga_reduction_matrix(r, 2 * d, 1);
  r->im = ga_reduction_matrix(r, 2 * d, 1);
  r->vectors = ga_reduction_matrix(r, d, 2 * d);
  if (r->arena.failed) return ga_reduction_no_memory(r);
  const double fastest = fmax(ga_max_abs(d, square), r->lin->load);
  const size_t length = (size_t)d * sizeof(double);
  for (int k = 0, c = 0; k < d; k++) {
    const double x = fabs(square[k]) <= ZERO_SQUARE * fastest ? 0 : square[k];
    /* of a vibration the second column is the imaginary part, which is 0 */
    memcpy(r->vectors + c * d, A + k * d, length);
    r->im[c] = x > 0 ? sqrt(x) : 0;
    r->re[c++] = x < 0 ? sqrt(-x) : 0;
    r->count = c;
    if (x == 0) continue;
    if (x < 0) memcpy(r->vectors + c * d, A + k * d, length);
    r->im[c] = -r->im[c - 1];
    r->re[c] = -r->re[c - 1];
    r->count = ++c;
  }
  return GA_OK;
}

/* ---- general -------------------------------------------------------------------------------- */

/* T = Mn B - Cn, a new d x d matrix (-Cn if there is no B); NULL without memory */
static double *coupling_matrix(ga_reduction *r) {
  const int d = r->d;
  double *T = ga_reduction_matrix(r, d, d);
  if (!T) return NULL;
  if (r->B) ga_lapack_multiply(false, d, d, d, r->Mn, d, r->B, d, T, d);
  for (int i = 0; i < d * d; i++) T[i] -= r->Cn[i];
  return T;
}

/* out = E^T X E (both = true; e x e) or E^T X (false; e x d) for X of d x d; a copy of X if there
 * is no E. work: d x d numbers, overwritten. */
static void project_on_E(ga_reduction *r, const double *X, bool both, double *out, double *work) {
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
static bool lower_blocks(ga_reduction *r, double *lower, double *Me) {
  const int d = r->d, e = r->e;
  double *T = coupling_matrix(r), *X = ga_reduction_matrix(r, d, d),
         *work = ga_reduction_matrix(r, d, d);
  if (r->arena.failed) return false;
  if (r->B) ga_lapack_multiply(false, d, d, d, T, d, r->B, d, X, d);
  for (int i = 0; i < d * d; i++) X[i] = -(X[i] + r->Kn[i]);
  project_on_E(r, X, false, lower, work); /* false: E^T X; true: E^T X E */
  project_on_E(r, T, true, lower + e * d, work);
  project_on_E(r, r->Mn, true, Me, work);
  return true;
}

/* bound (d numbers) += ROUNDING times the size of the terms of each row of N^T A N: the sum over j
 * of |N_jk| |A_jl| |N_l|, where |N_l| is the length of row l of N */
static bool add_row_bounds(ga_reduction *r, const ga_csr *A, double *bound) {
  const int n = r->n, d = r->d;
  double *length = ga_reduction_matrix(r, n, 1);
  if (!length) return false;
  for (int k = 0; k < d; k++) {
    for (int j = 0; j < n; j++) length[j] = hypot(length[j], r->N[k * n + j]);
  }
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int e = A->ptr[j]; e < A->ptr[j + 1]; e++) sum += fabs(A->val[e]) * length[A->col[e]];
    for (int k = 0; k < d; k++) bound[k] += ROUNDING * fabs(r->N[k * n + j]) * sum;
  }
  return true;
}

/* noise (d + e numbers) = bounds of the rounding errors of the rows of the pencil that build_pencil
 * makes, in the same unit of time 1/w */
static bool pencil_noise(ga_reduction *r, double w, double *noise) {
  const int d = r->d, e = r->e;
  double *stiff = ga_reduction_matrix(r, d, 1), *damp = ga_reduction_matrix(r, d, 1),
         *mass = ga_reduction_matrix(r, d, 1);
  if (r->arena.failed || !add_row_bounds(r, &r->lin->K, stiff) ||
      !add_row_bounds(r, &r->lin->C, damp) || !add_row_bounds(r, &r->lin->M, mass)) {
    return false;
  }
  const double B = r->B ? ga_max_abs(d * d, r->B) / w : 0;
  for (int i = 0; i < d; i++) {
    noise[i] = ROUNDING * (1 + B);
    /* T = Mn B - Cn; the lower blocks are T B + Kn over w^2 and T over w */
    mass[i] = (mass[i] * B + damp[i] / w) * (1 + B) + stiff[i] / (w * w);
  }
  for (int i = 0; i < e; i++) {
    double sum = 0;
    for (int j = 0; j < d; j++) sum += r->E ? fabs(r->E[i * d + j]) * mass[j] : (i == j) * mass[j];
    noise[d + i] = sum > 0 ? sum : ROUNDING;
  }
  return true;
}

/* The pencil of the first-order system in (z, u/w) with time in 1/w: A = [-B/w, E; lower], M = [I,
 * 0; 0, Me]. Sets all given members of p. False without memory. */
static bool build_pencil(ga_reduction *r, double w, ga_pencil *p) {
  const int d = r->d, e = r->e, s = d + e;
  double *lower = ga_reduction_matrix(r, e, s), *Me = ga_reduction_matrix(r, e, e),
         *own = ga_reduction_matrix(r, e, e);
  *p = (ga_pencil){.n = s,
                   .A = ga_reduction_matrix(r, s, s),
                   .M = ga_reduction_matrix(r, s, s),
                   .noise = ga_reduction_matrix(r, s, 1)};
  if (r->arena.failed || !lower_blocks(r, lower, Me) || !pencil_noise(r, w, p->noise)) return false;
  for (int j = 0; j < s; j++) {
    for (int i = 0; i < d; i++) {
      if (j < d) p->A[j * s + i] = r->B ? -r->B[j * d + i] / w : 0;
      if (j >= d) p->A[j * s + i] = r->E ? r->E[(j - d) * d + i] : i == j - d;
    }
    for (int i = 0; i < e; i++) p->A[j * s + d + i] = lower[j * e + i] / (j < d ? w * w : w);
    for (int i = 0; i < s; i++) {
      p->M[j * s + i] = i < d || j < d ? i == j : Me[(j - d) * e + i - d];
    }
  }
  memcpy(own, Me, (size_t)e * (size_t)e * sizeof(double));
  p->regular = ga_lapack_solve_positive(e, own, 0, own, e);
  return true;
}

/* Eigenvalues of the first-order system in (z, u); sets re, im, vectors, count, one entry for each
 * independent vector of the eigenvalue zero. If E^T Mn E is not positive definite (velocities
 * without mass), some eigenvalues are infinite (re = INFINITY). The z part of each eigenvector is
 * kept in vectors; results are valid only with GA_OK. */
static ga_status solve_general(ga_reduction *r) {
  const int d = r->d, s = d + r->e;
  const double w = ga_reduction_frequency(r);
  ga_pencil p;
  if (!build_pencil(r, w, &p)) return ga_reduction_no_memory(r);
  const ga_status status = ga_pencil_eigenvalues(&p, &r->arena, r->err);
  if (status != GA_OK) return status;
  r->count = p.count + p.kernel;
  r->re = ga_reduction_matrix(r, r->count, 1);
  r->im = ga_reduction_matrix(r, r->count, 1);
  r->vectors = ga_reduction_matrix(r, d, r->count);
  if (r->arena.failed) return ga_reduction_no_memory(r);
  for (int k = 0; k < r->count; k++) {
    const bool zero = k >= p.count;
    const double *x = zero ? p.null + (k - p.count) * s : p.vectors + k * s;
    r->re[k] = zero ? 0 : w * p.re[k];
    r->im[k] = zero ? 0 : w * p.im[k];
    memcpy(r->vectors + k * d, x, (size_t)d * sizeof(double));
  }
  return GA_OK;
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
static void write_shape(const ga_reduction *r, const entry *mode, double *re, double *im) {
  const ga_linearization *lin = r->lin;
  const double *z = r->vectors + mode->column * r->d;
  const int n = r->n;
  int largest = 0;
  ga_lapack_multiply(false, n, 1, r->d, r->N, n, z, r->d, re, n);
  if (mode->im > 0) ga_lapack_multiply(false, n, 1, r->d, r->N, n, z + r->d, r->d, im, n);
  if (!(mode->im > 0)) memset(im, 0, (size_t)n * sizeof(double));
  if (lin->turning) {
    ga_axes_from_bodies(lin, re);
    ga_axes_from_bodies(lin, im);
  } else if (!lin->moving) { /* a moving model's matrices are in space axes already */
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

/* Writes the eigenvalues with im >= 0 and their shapes into `modes`, slowest first, at most
 * modes->room; sets count, all (number without that limit) and unstable (some re > 0; false
 * before). Rounding errors are set to zero; infinite eigenvalues are left out. */
static ga_status collect_modes(ga_reduction *r, ga_modes *modes) {
  entry *list = ga_arena_take(&r->arena, (size_t)r->count + 1, sizeof *list);
  if (r->arena.failed) return ga_reduction_no_memory(r);
  double fastest = 0;
  for (int k = 0; k < r->count; k++) {
    if (isfinite(r->re[k])) fastest = fmax(fastest, hypot(r->re[k], r->im[k]));
  }
  int count = 0;
  for (int k = 0; k < r->count; k++) {
    if (!isfinite(r->re[k]) || r->im[k] < 0) continue;
    entry mode = {r->re[k], r->im[k], k};
    if (mode.im > 0 && fabs(mode.re) <= ROUNDING * fastest) mode.re = 0;
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
static ga_status find_all_modes(ga_reduction *r, ga_modes *modes) {
  ga_status status = ga_reduce(r);
  if (status != GA_OK) return status;
  modes->freedom = r->d;
  modes->turning = r->lin->turning;
  modes->velocities = r->e;
  if (r->d == 0) return GA_OK;
  status = is_symmetric(r) ? solve_symmetric(r) : GA_RETRY_SINGULAR;
  if (status == GA_RETRY_SINGULAR) status = solve_general(r);
  return status == GA_OK ? collect_modes(r, modes) : status;
}

/* Fills `modes` (room, re, im and shapes are the caller's) with eigenvalues in rad/s and shapes,
 * slowest first, and sets count, all, freedom and unstable. modes->few: by ARPACK if the model is
 * large enough; freedom then stays 0. GA_ERR_ARG: missing arrays, or the model is too large. */
ga_status ga_modes_find(const ga_linearization *lin, ga_modes *modes, ga_error *err) {
  for (int i = 0; modes->contacts && i < lin->model->ncontacts; i++) {
    modes->contacts[i] = lin->contact[i];
  }
  ga_error own;
  if (!err) err = &own;
  modes->turning = false;
  modes->count = modes->all = modes->freedom = modes->velocities = 0;
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
  ga_reduction r = {.lin = lin, .err = err, .n = lin->nv};
  const ga_status status = find_all_modes(&r, modes);
  ga_arena_free(&r.arena);
  return status;
}

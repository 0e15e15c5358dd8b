/* SPDX-License-Identifier: MIT */
/* Reduce a linearization to the tangent space of its constraints, with balanced variables. */
#include "statics/reduction.h"

#include <math.h>
#include <string.h>

/* zeroed memory for rows x columns numbers; NULL without memory */
double *ga_reduction_matrix(ga_reduction *r, int rows, int columns) {
  return ga_arena_doubles(&r->arena, (size_t)rows * (size_t)columns + 1);
}

/* sets the message of r->err and returns GA_ERR_MEM */
ga_status ga_reduction_no_memory(const ga_reduction *r) {
  return ga_fail(r->err, GA_ERR_MEM, "no memory for the modes of %d velocities", r->n);
}

/* ---- matrices ------------------------------------------------------------------------------- */

/* list <- the velocities that G binds, *count of them, then the others, which are free one by one. False
 * without memory. */
static bool sort_bound(ga_reduction *r, int **list, int *count) {
  const ga_csr *G = &r->lin->G;
  int *bound = ga_arena_ints(&r->arena, (size_t)r->n + 1), next = 0;
  *list = ga_arena_ints(&r->arena, (size_t)r->n + 1);
  if (r->arena.failed) return false;
  for (int e = 0; e < G->ptr[G->nrow]; e++) bound[G->col[e]] = 1;
  for (int pass = 1; pass >= 0; pass--) {
    for (int j = 0; j < r->n; j++) {
      if (bound[j] == pass) (*list)[next++] = j;
    }
    if (pass == 1) *count = next;
  }
  return true;
}

/* Sets N, d and e (= d until reduce_rolling): N by QR of G in units of sqrt(weight), so that the
 * columns are orthonormal in the metric of the weights; velocities that G does not bind are columns of
 * their own. On failure N is not usable. */
static ga_status find_basis(ga_reduction *r) {
  const ga_linearization *lin = r->lin;
  const int n = r->n, m = lin->nlam;
  int *list, bound, rank = 0;
  if (!sort_bound(r, &list, &bound)) return ga_reduction_no_memory(r);
  double *rows = ga_reduction_matrix(r, m, bound), *basis = ga_reduction_matrix(r, bound, bound);
  int *at = ga_arena_ints(&r->arena, (size_t)n + 1); /* place of a velocity in the list */
  r->N = ga_reduction_matrix(r, n, n);
  if (r->arena.failed) return ga_reduction_no_memory(r);
  for (int i = 0; i < n; i++) at[list[i]] = i;
  for (int i = 0; i < m; i++) {
    for (int e = lin->G.ptr[i]; e < lin->G.ptr[i + 1]; e++) {
      const int j = lin->G.col[e];
      rows[i * bound + at[j]] = lin->G.val[e] / sqrt(r->weight[j]);
    }
  }
  const ga_status status =
      bound == 0 ? GA_OK : ga_tangent_space_basis(m, bound, rows, &rank, basis, &r->arena, r->err);
  if (status != GA_OK) return status;
  r->d = r->e = n - rank;
  for (int k = 0; k < bound - rank; k++) {
    for (int i = 0; i < bound; i++) {
      r->N[k * n + list[i]] = basis[k * bound + i] / sqrt(r->weight[list[i]]);
    }
  }
  for (int i = bound; i < n; i++) r->N[(i - rank) * n + list[i]] = 1 / sqrt(r->weight[list[i]]);
  return GA_OK;
}

/* A N for a sparse A with n columns: a new matrix, A->nrow x d by columns; NULL without memory */
static double *times_basis(ga_reduction *r, const ga_csr *A) {
  double *out = ga_reduction_matrix(r, A->nrow, r->d);
  for (int k = 0; out && k < r->d; k++) {
    ga_csr_mul_add(A, 1, r->N + (size_t)k * (size_t)r->n, out + (size_t)k * (size_t)A->nrow);
  }
  return out;
}

/* N^T A N for a sparse A (n x n): a new matrix, d x d; valid only if the arena has not failed */
static double *reduce_matrix(ga_reduction *r, const ga_csr *A) {
  double *AN = times_basis(r, A), *out = ga_reduction_matrix(r, r->d, r->d);
  if (!r->arena.failed) ga_lapack_multiply(true, r->d, r->d, r->n, r->N, r->n, AN, r->n, out, r->d);
  return out;
}

/* Sets E, B and e for the nonholonomic rows: E = null space of H N (orthonormal columns), B = (H
 * N)^+ Y N, where ^+ is the least-squares inverse. Needs N and d > 0. */
static ga_status reduce_rolling(ga_reduction *r) {
  const ga_linearization *lin = r->lin;
  const int m = lin->npsi, d = r->d;
  double *Hn = times_basis(r, &lin->H), *Yn = times_basis(r, &lin->Y),
         *rows = ga_reduction_matrix(r, m, d);
  int rank;
  r->E = ga_reduction_matrix(r, d, d);
  r->B = ga_reduction_matrix(r, d, d);
  if (r->arena.failed) return ga_reduction_no_memory(r);
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < d; j++) rows[i * d + j] = Hn[j * m + i];
  }
  ga_status status = ga_tangent_space_basis(m, d, rows, &rank, r->E, &r->arena, r->err);
  r->e = d - rank;
  if (status == GA_OK) status = ga_lapack_least_squares(m, d, Hn, d, Yn, r->B, &r->arena, r->err);
  return status;
}

/* Sets N, d, e, Mn, Cn, Kn and, with nonholonomic rows, E and B, by the weights. Without freedom (d = 0)
 * E and B stay NULL. */
static ga_status reduce_by_weights(ga_reduction *r) {
  ga_status status = find_basis(r);
  if (status != GA_OK) return status;
  r->Mn = reduce_matrix(r, &r->lin->M);
  r->Cn = reduce_matrix(r, &r->lin->C);
  r->Kn = reduce_matrix(r, &r->lin->K);
  if (r->arena.failed) return ga_reduction_no_memory(r);
  return r->lin->npsi > 0 && r->d > 0 ? reduce_rolling(r) : GA_OK;
}

/* ---- variables without mass ----------------------------------------------------------------- */

/* A frequency (rad/s) of the size of the fastest ones: the unit of time is its inverse. */
double ga_reduction_frequency(const ga_reduction *r) {
  const int dd = r->d * r->d;
  const double M = ga_max_abs(dd, r->Mn), K = ga_max_abs(dd, r->Kn), C = ga_max_abs(dd, r->Cn);
  const double B = r->B ? ga_max_abs(dd, r->B) : 0;
  const double w = M > 0 ? fmax(fmax(sqrt(K / M), C / M), B) : 0;
  return w > 0 && isfinite(w) ? w : 1;
}

/* The velocity that column k of N is, if it is one alone and moves no mass, as a state of a controller;
 * else -1. */
static int massless_velocity(const ga_reduction *r, int k) {
  int alone = -1;
  if (r->Mn[k * r->d + k] != 0) return -1;
  for (int j = 0; j < r->n; j++) {
    if (r->N[k * r->n + j] == 0) continue;
    if (alone >= 0) return -1;
    alone = j;
  }
  return alone;
}

/* The factor D of z_k = D z*_k, a power of two, that makes what z_k' depends on, row k of [B/w, E], as
 * large as what depends on z_k, column k of B/w and of Kn/(w^2 max Mn): D^2 = row/column. */
static double balance_factor(const ga_reduction *r, int k, double w, double mass) {
  const int d = r->d;
  double row = 0, column = 0;
  for (int j = 0; j < d; j++) {
    if (j == k) continue;
    row = hypot(row, r->B[j * d + k] / w);
    column = hypot(column, hypot(r->B[k * d + j] / w, r->Kn[k * d + j] / (w * w * mass)));
  }
  for (int j = 0; j < r->e; j++) row = hypot(row, r->E[j * d + k]);
  if (!(row > 0)) row = 1;
  if (!(column > 0)) column = 1;
  const double factor = sqrt(row / column);
  return isfinite(factor) && factor > 0 ? exp2(round(log2(factor))) : 1;
}

/* z_k = factor z*_k in Kn, Cn, E and B */
static void scale_variable(ga_reduction *r, int k, double factor) {
  const int d = r->d;
  for (int j = 0; j < d; j++) {
    r->B[j * d + k] /= factor;
    r->B[k * d + j] *= factor;
    r->Kn[j * d + k] *= factor;
    r->Kn[k * d + j] *= factor;
    r->Cn[j * d + k] *= factor;
    r->Cn[k * d + j] *= factor;
  }
  for (int j = 0; j < r->e; j++) r->E[j * d + k] /= factor;
}

/* Balance variables without mass, whose size nothing tells (Osborne 1960; without it a force of a state
 * in mN hides what is of the size of 1): their weights get factors 1/D^2 after some sweeps. True if one
 * is farther from 1 than 8^2. Needs B; destroys the reduced matrices. */
static bool balance_states(ga_reduction *r) {
  enum { SWEEPS = 20 };
  const double mass = ga_max_abs(r->d * r->d, r->Mn);
  bool far = false, changed = mass > 0;
  for (int sweep = 0; sweep < SWEEPS && changed; sweep++) {
    const double w = ga_reduction_frequency(r);
    changed = false;
    for (int k = 0; k < r->d; k++) {
      const int j = massless_velocity(r, k);
      const double factor = j < 0 ? 1 : balance_factor(r, k, w, mass);
      if (factor == 1) continue;
      changed = true;
      far = far || factor > 8 || factor < 0.125;
      scale_variable(r, k, factor);
      r->weight[j] /= factor * factor;
    }
  }
  return far;
}

/* The reduction with balanced variables. Controllers have weights of their own (`size`), but those may
 * be missing or rough. */
ga_status ga_reduce(ga_reduction *r) {
  enum { ROUNDS = 5 };
  r->weight = ga_reduction_matrix(r, r->n, 1);
  if (r->arena.failed) return ga_reduction_no_memory(r);
  memcpy(r->weight, r->lin->weight, (size_t)r->n * sizeof(double));
  ga_status status = reduce_by_weights(r);
  for (int i = 0; i < ROUNDS && status == GA_OK && r->B && balance_states(r); i++) {
    status = reduce_by_weights(r);
  }
  return status;
}

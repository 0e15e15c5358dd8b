/* SPDX-License-Identifier: MIT */
/* Negative eigenvalues of the symmetric part of the tangent on the constraints: whether an equilibrium
 * is stable, and where a structure buckles. */
#include <math.h>
#include <string.h>

#include "statics/fixed_contacts.h"
#include "statics/linearization.h"

/* An eigenvalue counts as negative below this, relative to the largest: rounding of free motions. */
static const double ROUNDING = 1e-13;

/* Fill the dense rows A (nlam + npsi, by rows of nv) with G and H times S. */
static void dense_rows(const ga_static_system *s, const double *scale, double *A) {
  for (int i = 0; i < s->nlam + s->npsi; i++) {
    const ga_csr *D = i < s->nlam ? &s->G : &s->H;
    const int row = i < s->nlam ? i : i - s->nlam;
    for (int e = D->ptr[row]; e < D->ptr[row + 1]; e++) {
      A[(size_t)i * (size_t)s->nv + (size_t)D->col[e]] = D->val[e] * scale[D->col[e]];
    }
  }
}

/* X (nv x nv by columns) <- the symmetric part of S K S */
static void symmetric_part(const ga_csr *K, const double *scale, double *X) {
  const size_t n = (size_t)K->nrow;
  for (int i = 0; i < K->nrow; i++) {
    for (int e = K->ptr[i]; e < K->ptr[i + 1]; e++) {
      const double half = 0.5 * K->val[e] * scale[i] * scale[K->col[e]];
      X[(size_t)K->col[e] * n + (size_t)i] += half;
      X[(size_t)i * n + (size_t)K->col[e]] += half;
    }
  }
}

/* Count with the matrices of s, which has G, H and K. Congruent matrices have the same signs: K is
 * scaled by S = |diag K|^-1/2, so that stiff directions do not hide soft ones. */
static ga_status count_negatives(ga_static_system *s, int *negative, ga_error *err) {
  const int n = s->nv, m = s->nlam + s->npsi;
  const size_t nn = (size_t)n * (size_t)n;
  double *scale = ga_arena_doubles(&s->arena, (size_t)n);
  double *A = ga_arena_doubles(&s->arena, (size_t)m * (size_t)n + 1);
  double *N = ga_arena_doubles(&s->arena, nn), *X = ga_arena_doubles(&s->arena, nn);
  double *Y = ga_arena_doubles(&s->arena, nn), *R = ga_arena_doubles(&s->arena, nn);
  double *one = ga_arena_doubles(&s->arena, nn), *value = ga_arena_doubles(&s->arena, (size_t)n);
  if (s->arena.failed)
    return ga_fail(err, GA_ERR_MEM, "no memory for the eigenvalues of a tangent");
  for (int i = 0; i < n; i++) {
    const int e = ga_csr_find(&s->K, i, i);
    const double own = e < 0 ? 0 : fabs(s->K.val[e]);
    scale[i] = own > 0 ? 1 / sqrt(own) : 1;
  }
  dense_rows(s, scale, A);
  symmetric_part(&s->K, scale, X);
  int rank;
  ga_status status = ga_tangent_space_basis(m, n, A, &rank, N, &s->arena, err);
  if (status != GA_OK) return status;
  const int r = n - rank;
  ga_lapack_multiply(false, n, r, n, X, n, N, n, Y, n);
  ga_lapack_multiply(true, r, r, n, N, n, Y, n, R, r);
  for (int i = 0; i < r; i++) one[(size_t)i * (size_t)r + (size_t)i] = 1;
  if (r > 0) status = ga_lapack_eigen_symmetric(r, R, one, value, &s->arena, err);
  *negative = 0;
  for (int i = 0; i < r && status == GA_OK; i++) {
    *negative += value[i] < -ROUNDING * fmax(fabs(value[0]), fabs(value[r - 1]));
  }
  return status;
}

ga_status ga_tangent_negatives(const ga_model *model, double t, const double *q, const double *lam,
                               const double *psi, int *negative, ga_error *err) {
  ga_static_system s = {0};
  ga_fixed_contacts fixed;
  ga_arena arena = {0};
  ga_status status = ga_model_validate(model, err);
  if (status == GA_OK) status = ga_fixed_contacts_open(&fixed, model, &arena, err);
  if (status == GA_OK) status = ga_static_system_open(&s, &fixed.model, true, err);
  if (status == GA_OK) {
    const double *rest = ga_arena_doubles(&s.arena, (size_t)s.nv);
    const ga_eval_point at = {t, q, rest, rest, lam, psi};
    if (s.arena.failed) {
      status = ga_fail(err, GA_ERR_MEM, "no memory for the eigenvalues of a tangent");
    }
    if (status == GA_OK) status = ga_fixed_contacts_find(&fixed, &s, t, q, rest);
    if (status == GA_OK) status = ga_eval_G(&s.eval, t, q, &s.G);
    if (status == GA_OK) status = ga_eval_H(&s.eval, t, q, rest, &s.H);
    if (status == GA_OK) status = ga_eval_tangents(&s.eval, &at, &s.K, &s.C);
    if (status == GA_OK) status = count_negatives(&s, negative, err);
  }
  ga_static_system_close(&s);
  ga_arena_free(&arena);
  return status;
}

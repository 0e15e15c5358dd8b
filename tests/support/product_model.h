/* SPDX-License-Identifier: MIT */
/* Any model again, as one that gives M x as a vector and, if wanted, brings a solver of its own. It
 * counts what it is asked for. */
#ifndef GA_TESTS_PRODUCT_MODEL_H
#define GA_TESTS_PRODUCT_MODEL_H

#include <math.h>
#include <stdlib.h>

#include "genalpha/ga_model.h"

typedef struct product_model {
  ga_model inner; /* the model behind it */
  ga_model_ops ops;
  ga_model model; /* the one to use */
  int nv;
  double *M;              /* nv x nv */
  long masses, products;  /* evaluations with M, with M x */
  double wrong;           /* added to the last entry of M x */
  long tangents, factors; /* evaluations with Kt, factorizations of its own */
  int last;               /* see product_model_bring_solver */
  int fail_at;            /* this factorization returns 1; 0: none */
} product_model;

/* y = A x, A full, n x n by rows */
static inline void product_full(int n, const double *A, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int k = 0; k < n; k++) y[i] += A[i * n + k] * x[k];
  }
}

/* The matrix of a pattern (NULL: full) with these values as a full one. */
static inline void product_spread(int n, const ga_csr *pattern, const double *val, double *full) {
  for (int i = 0; i < n * n; i++) full[i] = 0;
  for (int i = 0; i < n; i++) {
    const int from = pattern ? pattern->ptr[i] : i * n,
              to = pattern ? pattern->ptr[i + 1] : from + n;
    for (int e = from; e < to; e++) full[i * n + (pattern ? pattern->col[e] : e - from)] = val[e];
  }
}

/* A matrix in the pattern (NULL: full, without ptr and col), with values in val. */
static inline ga_csr product_matrix(int n, const ga_csr *pattern, double *val) {
  if (!pattern) return (ga_csr){.nrow = n, .ncol = n, .val = val};
  return (ga_csr){n, n, pattern->ptr, pattern->col, val};
}

static inline int product_evaluate(void *user, double t, const double *q, const double *v,
                                   const ga_evaluation *out) {
  product_model *p = user;
  ga_evaluation ask = *out;
  ask.Mx = NULL;
  p->masses += out->M != NULL;
  p->tangents += out->Kt != NULL;
  int code = ga_model_evaluate(&p->inner, t, q, v, &ask);
  if (code != 0 || !out->Mx) return code;
  p->products++;
  double *val = calloc((size_t)(p->nv * p->nv), sizeof *val);
  ga_csr M = product_matrix(p->nv, p->inner.pat_M, val);
  code = ga_model_evaluate(&p->inner, t, q, v, &(ga_evaluation){.M = &M});
  product_spread(p->nv, p->inner.pat_M, val, p->M);
  product_full(p->nv, p->M, out->x, out->Mx);
  out->Mx[p->nv - 1] += p->wrong;
  free(val);
  return code;
}

/* *p becomes this model with products; the model is borrowed. */
static inline void product_model_init(product_model *p, const ga_model *model) {
  *p = (product_model){.inner = *model, .model = *model, .nv = ga_space_nv(model->space)};
  p->M = calloc((size_t)(p->nv * p->nv), sizeof *p->M);
  p->ops =
      (ga_model_ops){.evaluate = product_evaluate, .gives = ga_model_gives(model) | GA_GIVES_MX};
  p->model.ops = &p->ops;
  p->model.user = p;
  p->model.const_mass = false;
  p->model.const_M = NULL;
}

/* ---- its solver: full matrices, elimination with row exchanges ------------------------------ */

/* work: M, Ct, Kt T, the factors, and the row exchanges */
static inline size_t product_room(void *user) {
  const product_model *p = user;
  return (size_t)(4 * p->nv * p->nv + p->nv);
}

/* A <- A T, T of each factor that does not commute, for spaces R^n, SO(3), SE(3) and R^3 x SO(3):
 * the last 3 or 6 velocities turn */
static inline void product_turn(int n, int last, const ga_group *group, const double *w,
                                double *A) {
  double T[36], row[6];
  group->tangent(1, w + n - last, T);
  for (int i = 0; i < n; i++) {
    double *a = A + i * n + n - last;
    for (int k = 0; k < last; k++) {
      row[k] = 0;
      for (int l = 0; l < last; l++) row[k] += a[l] * T[l * last + k];
    }
    for (int k = 0; k < last; k++) a[k] = row[k];
  }
}

static inline int product_factor(void *user, const ga_solver_point *at, double *work,
                                 double *diagonal) {
  product_model *p = user;
  const int n = p->nv, nn = n * n;
  double *M = work, *C = M + nn, *K = C + nn, *A = K + nn, *pivot = A + nn;
  const ga_csr *const pattern[] = {p->inner.pat_M, p->inner.pat_C ? p->inner.pat_C : p->inner.pat_K,
                                   p->inner.pat_K};
  double *val = calloc((size_t)(3 * nn), sizeof *val);
  ga_csr formed[3];
  for (int i = 0; i < 3; i++) formed[i] = product_matrix(n, pattern[i], val + i * nn);
  const ga_evaluation out = {.M = &formed[0],
                             .Ct = &formed[1],
                             .Kt = &formed[2],
                             .x = at->x,
                             .lam = at->lam,
                             .psi = at->psi,
                             .u = at->u};
  int code = ga_model_evaluate(&p->inner, at->t, at->q, at->v, &out);
  for (int i = 0; i < 3; i++) product_spread(n, pattern[i], val + i * nn, work + i * nn);
  free(val);
  if (at->w) product_turn(n, p->last, p->last == 6 ? &ga_group_se3 : &ga_group_so3, at->w, K);
  for (int i = 0; i < nn; i++) A[i] = at->a * M[i] + at->b * C[i] + at->c * K[i];
  for (int i = 0; i < n; i++) diagonal[i] = M[i * n + i];
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k; i < n; i++) best = fabs(A[i * n + k]) > fabs(A[best * n + k]) ? i : best;
    pivot[k] = best;
    for (int j = 0; j < n; j++) {
      const double kept = A[k * n + j];
      A[k * n + j] = A[best * n + j], A[best * n + j] = kept;
    }
    if (A[k * n + k] == 0) return 1;
    for (int i = k + 1; i < n; i++) {
      const double l = A[i * n + k] /= A[k * n + k];
      for (int j = k + 1; j < n; j++) A[i * n + j] -= l * A[k * n + j];
    }
  }
  if (++p->factors == p->fail_at) return 1;
  return code;
}

static inline int product_solve(void *user, double *work, double *b) {
  const product_model *p = user;
  const int n = p->nv;
  const double *A = work + 3 * n * n, *pivot = A + n * n;
  for (int k = 0; k < n; k++) {
    const int with = (int)pivot[k];
    const double kept = b[k];
    b[k] = b[with], b[with] = kept;
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) b[i] -= A[i * n + j] * b[j];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) b[i] -= A[i * n + j] * b[j];
    b[i] /= A[i * n + i];
  }
  return 0;
}

static inline int product_multiply(void *user, double *work, double a, double b, double c,
                                   const double *x, double *y) {
  const product_model *p = user;
  const int n = p->nv, nn = n * n;
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int k = 0; k < n; k++) {
      const int e = i * n + k;
      y[i] += (a * work[e] + b * work[nn + e] + c * work[2 * nn + e]) * x[k];
    }
  }
  return 0;
}

/* The model brings its solver, too, if it gives Kt and Ct. last: how many of its last velocities are
 * those of SO(3) (3) or SE(3) (6), 0 on R^n. */
static inline void product_model_bring_solver(product_model *p, int last) {
  static const ga_model_solver solver = {
      "elimination", 1, product_room, product_factor, product_solve, product_multiply};
  p->last = last;
  p->ops.solver = &solver;
}

static inline void product_model_free(product_model *p) {
  free(p->M);
}

#endif

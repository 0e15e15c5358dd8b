/* SPDX-License-Identifier: MIT */
/* Any model again, as one that gives M x as a vector. It counts what it is asked for. */
#ifndef GA_TESTS_PRODUCT_MODEL_H
#define GA_TESTS_PRODUCT_MODEL_H

#include <stdlib.h>

#include "genalpha/ga_model.h"

typedef struct product_model {
  ga_model inner; /* the model behind it */
  ga_model_ops ops;
  ga_model model; /* the one to use */
  int nv;
  double *M;             /* nv x nv */
  long masses, products; /* evaluations with M, with M x */
  double wrong;          /* added to the last entry of M x */
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

static inline void product_model_free(product_model *p) {
  free(p->M);
}

#endif

/* SPDX-License-Identifier: MIT */
/* The equations of peer.h by the callbacks of a genalpha model. */
#include "peer.h"

#include <stdlib.h>
#include <string.h>

static int nnz_of(const ga_csr *A) {
  return A->ptr[A->nrow];
}

/* *A = zero matrix with the given pattern, or full if pattern is NULL. Free it by csr_free. */
static void csr_new(ga_csr *A, int nrow, int ncol, const ga_csr *pattern) {
  int nnz = pattern ? nnz_of(pattern) : nrow * ncol;
  *A = (ga_csr){.nrow = nrow,
                .ncol = ncol,
                .ptr = bench_take((size_t)nrow + 1, sizeof(int)),
                .col = bench_take((size_t)nnz, sizeof(int)),
                .val = bench_doubles(nnz)};
  for (int i = 0; i <= nrow; i++) A->ptr[i] = pattern ? pattern->ptr[i] : i * ncol;
  for (int e = 0; e < nnz; e++) A->col[e] = pattern ? pattern->col[e] : e % ncol;
}

/* Frees the arrays of A. */
static void csr_free(ga_csr *A) {
  free(A->ptr);
  free(A->col);
  free(A->val);
}

static void csr_zero(ga_csr *A) {
  memset(A->val, 0, (size_t)nnz_of(A) * sizeof(double));
}

/* y += c A x. */
static void multiply(const ga_csr *A, double c, const double *x, double *y) {
  for (int i = 0; i < A->nrow; i++) {
    double sum = 0;
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) sum += A->val[e] * x[A->col[e]];
    y[i] += c * sum;
  }
}

/* y += c A^T x. */
static void multiply_t(const ga_csr *A, double c, const double *x, double *y) {
  for (int i = 0; i < A->nrow; i++) {
    double factor = c * x[i];
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) y[A->col[e]] += A->val[e] * factor;
  }
}

/* E (4 x 3) with p o (0, w) = E w for the quaternion p; K(q) is E/2. */
static void quaternion_rates(const double *p, double E[4][3]) {
  const double rows[4][3] = {
      {-p[1], -p[2], -p[3]}, {p[0], -p[3], p[2]}, {p[3], p[0], -p[1]}, {-p[2], p[1], p[0]}};
  memcpy(E, rows, sizeof rows);
}

/* out = A B^T with B = c E in the columns of the quaternion, I elsewhere; out is full,
 * nq columns. */
static void turn_columns(const peer *p, const ga_csr *A, double c, double E[4][3], ga_csr *out) {
  int at = p->b->quaternion;
  csr_zero(out);
  for (int i = 0; i < A->nrow; i++) {
    double *to = out->val + i * out->ncol;
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      int j = A->col[e];
      if (j < at) to[j] = A->val[e];
      for (int k = 0; j >= at && k < 4; k++) to[at + k] += c * E[k][j - at] * A->val[e];
    }
  }
}

/* Adds src, or its transpose, at block (row, col) of the Jacobian to the list of terms. */
static void add_term(peer *p, int row, int col, const ga_csr *src, bool transpose) {
  p->term[p->nterm++] = (peer_term){.src = src, .row = row, .col = col, .transpose = transpose};
}

typedef struct {
  int64_t row, col;
  size_t *place; /* receives its slot in the Jacobian's values */
} entry;

/* Order for qsort: by column, then by row. */
static int by_column(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->col != y->col) return x->col < y->col ? -1 : 1;
  return (x->row > y->row) - (x->row < y->row);
}

/* Sets the map of each term (slot of each entry in the Jacobian's values) and, if sparse, the
 * pattern by columns. */
static void build_maps(peer *p, bool sparse) {
  size_t total = 0, at = 0;
  for (int k = 0; k < p->nterm; k++) total += (size_t)nnz_of(p->term[k].src);
  entry *all = bench_take(total, sizeof *all);
  for (int k = 0; k < p->nterm; k++) {
    peer_term *t = &p->term[k];
    t->map = bench_take((size_t)nnz_of(t->src), sizeof *t->map);
    for (int i = 0; i < t->src->nrow; i++) {
      for (int e = t->src->ptr[i]; e < t->src->ptr[i + 1]; e++, at++) {
        int j = t->src->col[e];
        all[at] =
            (entry){t->row + (t->transpose ? j : i), t->col + (t->transpose ? i : j), &t->map[e]};
      }
    }
  }
  if (!sparse) {
    p->nnz = (int64_t)p->n * p->n;
    for (size_t e = 0; e < total; e++) *all[e].place = (size_t)(all[e].col * p->n + all[e].row);
    free(all);
    return;
  }
  qsort(all, total, sizeof *all, by_column);
  p->col_ptr = bench_take((size_t)p->n + 1, sizeof *p->col_ptr);
  p->row = bench_take(total, sizeof *p->row);
  for (size_t e = 0; e < total; e++) {
    if (e == 0 || by_column(&all[e - 1], &all[e]) != 0) p->row[p->nnz++] = all[e].row;
    *all[e].place = (size_t)(p->nnz - 1);
    p->col_ptr[all[e].col + 1] = p->nnz;
  }
  free(all);
}

/* Allocates the matrices of the problem and finds the pattern of the Jacobian, sparse or dense. b
 * must outlive it; free by peer_free. */
peer *peer_new(const bench_problem *b, bool sparse) {
  peer *p = bench_take(1, sizeof *p);
  const ga_model *model = &b->p->model;
  int nq = b->nq, nv = b->nv, nlam = b->nlam;
  bool flat = !b->quaternion;
  *p = (peer){.b = b, .model = model, .nq = nq, .nv = nv, .nlam = nlam};
  p->n = nq + nv + 2 * nlam;
  csr_new(&p->M, nv, nv, model->pat_M);
  csr_new(&p->G, nlam, nv, model->pat_G);
  csr_new(&p->Kt, nv, nv, model->pat_K);
  csr_new(&p->Ct, nv, nv, model->pat_C ? model->pat_C : model->pat_K);
  csr_new(&p->Z, nlam, nv, model->pat_G);
  if (!flat) {
    csr_new(&p->Gq, nlam, nq, NULL);
    csr_new(&p->Zq, nlam, nq, NULL);
    csr_new(&p->Ktq, nv, nq, NULL);
    csr_new(&p->GK, nlam, nq, NULL);
  }
  p->F = bench_doubles(nv);
  p->w = bench_doubles(nv);
  /* I and -K: diagonal on R^n, full with a quaternion */
  ga_csr diagonal = {.nrow = nq, .ncol = nq};
  diagonal.ptr = bench_take((size_t)nq + 1, sizeof(int));
  diagonal.col = bench_take((size_t)nq, sizeof(int));
  for (int i = 0; i < nq; i++) diagonal.col[i] = i, diagonal.ptr[i + 1] = i + 1;
  csr_new(&p->Iqq, nq, nq, flat ? &diagonal : NULL);
  csr_new(&p->Iqv, nq, nv, flat ? &diagonal : NULL);
  free(diagonal.ptr);
  free(diagonal.col);
  int v0 = nq, mu0 = nq + nv, lam0 = mu0 + nlam;
  add_term(p, 0, 0, &p->Iqq, false);
  add_term(p, 0, v0, &p->Iqv, false);
  add_term(p, 0, mu0, flat ? &p->G : &p->GK, true);
  add_term(p, v0, 0, flat ? &p->Kt : &p->Ktq, false);
  add_term(p, v0, v0, &p->M, false);
  add_term(p, v0, v0, &p->Ct, false);
  add_term(p, v0, lam0, &p->G, true);
  add_term(p, mu0, 0, flat ? &p->G : &p->Gq, false);
  add_term(p, lam0, 0, flat ? &p->Z : &p->Zq, false);
  add_term(p, lam0, v0, &p->G, false);
  build_maps(p, sparse);
  return p;
}

/* Frees p and all its arrays; p may be NULL. */
void peer_free(peer *p) {
  if (!p) return;
  ga_csr *const all[] = {&p->M,  &p->G,   &p->Kt, &p->Ct,  &p->Z,  &p->Gq,
                         &p->Zq, &p->Ktq, &p->GK, &p->Iqq, &p->Iqv};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) csr_free(all[i]);
  for (int k = 0; k < p->nterm; k++) free(p->term[k].map);
  free(p->F);
  free(p->w);
  free(p->col_ptr);
  free(p->row);
  free(p);
}

/* dq = K(q) w, nq numbers. */
static void kinematics(const peer *p, const double *q, const double *w, double *dq) {
  int at = p->b->quaternion ? p->b->quaternion : p->nv;
  memcpy(dq, w, (size_t)at * sizeof(double));
  if (!p->b->quaternion) return;
  double E[4][3];
  quaternion_rates(q + at, E);
  for (int k = 0; k < 4; k++) {
    dq[at + k] = 0.5 * (E[k][0] * w[at] + E[k][1] * w[at + 1] + E[k][2] * w[at + 2]);
  }
}

/* y and y' consistent at the start, by a plain start of genalpha; y and yd must be zeroed. Returns
 * a ga_status. */
int peer_start(const peer *p, double *y, double *yd) {
  const ga_problem *problem = p->b->p;
  ga_integrator *it = NULL;
  ga_error err = {0};
  ga_options o = ga_options_default();
  o.start = GA_START_PLAIN;
  o.h = 1e-6;
  ga_status status = ga_integrator_new(p->model, &o, &it, &err);
  if (status == GA_OK) status = ga_integrator_start(it, problem->t0, problem->q0, problem->v0);
  if (status == GA_OK) {
    const ga_state *s = ga_integrator_state(it);
    memcpy(y, s->q, (size_t)p->nq * sizeof(double));
    memcpy(y + p->nq, s->v, (size_t)p->nv * sizeof(double));
    memcpy(y + p->nq + p->nv + p->nlam, s->lam, (size_t)p->nlam * sizeof(double));
    kinematics(p, s->q, s->v, yd);
    memcpy(yd + p->nq, s->vd, (size_t)p->nv * sizeof(double));
  }
  ga_integrator_free(it);
  return status;
}

/* Evaluates G, M (once if it is constant) and the fields set in *out at (t, q, v) into p. Returns
 * the model's code. */
static int evaluate(peer *p, double t, const double *q, const double *v, ga_evaluation *out) {
  if (!p->mass_known) out->M = &p->M;
  out->G = &p->G;
  p->mass_known = p->model->const_mass;
  return ga_model_evaluate(p->model, t, q, v, out);
}

/* r = residual of the equations of peer.h at (t, y, y'), n numbers; p's matrices are scratch.
 * Nonzero if the model failed. */
int peer_residual(peer *p, double t, const double *y, const double *yd, double *r) {
  const double *q = y, *v = y + p->nq, *mu = v + p->nv, *lam = mu + p->nlam;
  double *rv = r + p->nq, *rg = rv + p->nv, *rh = rg + p->nlam;
  int code = evaluate(p, t, q, v, &(ga_evaluation){.F = p->F, .g = rg});
  if (code != 0) return code;
  memcpy(p->w, v, (size_t)p->nv * sizeof(double));
  multiply_t(&p->G, -1, mu, p->w);
  kinematics(p, q, p->w, r);
  for (int i = 0; i < p->nq; i++) r[i] = yd[i] - r[i];
  for (int i = 0; i < p->nv; i++) rv[i] = -p->F[i];
  multiply(&p->M, 1, yd + p->nq, rv);
  multiply_t(&p->G, 1, lam, rv);
  memset(rh, 0, (size_t)p->nlam * sizeof(double));
  multiply(&p->G, 1, v, rh);
  return 0;
}

/* Sets Iqq = cj I - d(K w)/dq, Iqv = -K, and with a quaternion the derivatives Gq, Zq, Ktq by its
 * four numbers: from w = 2 p^-1 o dp, A becomes 2 A E^T for |p| = 1. */
static void kinematic_derivatives(peer *p, double cj, const double *q, const double *w) {
  int at = p->b->quaternion;
  int free_part = at ? at : p->nq, row_q = at ? p->nq + 1 : 1, row_v = at ? p->nv + 1 : 1;
  for (int i = 0; i < free_part; i++) {
    p->Iqq.val[i * row_q] = cj;
    p->Iqv.val[i * row_v] = -1;
  }
  if (!at) return;
  double E[4][3];
  quaternion_rates(q + at, E);
  turn_columns(p, &p->G, 2, E, &p->Gq);
  turn_columns(p, &p->Z, 2, E, &p->Zq);
  turn_columns(p, &p->Kt, 2, E, &p->Ktq);
  turn_columns(p, &p->G, 0.5, E, &p->GK);
  /* p o (0, w) is linear in p, too */
  const double *o = w + at;
  const double by_p[4][4] = {{0, -o[0], -o[1], -o[2]},
                             {o[0], 0, o[2], -o[1]},
                             {o[1], -o[2], 0, o[0]},
                             {o[2], o[1], -o[0], 0}};
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      p->Iqq.val[(at + i) * p->nq + at + j] = (i == j ? cj : 0) - 0.5 * by_p[i][j];
    }
    for (int j = 0; j < 3; j++) p->Iqv.val[(at + i) * p->nv + at + j] = -0.5 * E[i][j];
  }
}

/* J += dr/dy + cj dr/dy', into the zeroed values J in the order of p's pattern. Nonzero if the
 * model failed. */
int peer_jacobian(peer *p, double t, double cj, const double *y, const double *yd, double *J) {
  const double *q = y, *v = y + p->nq, *mu = v + p->nv, *lam = mu + p->nlam;
  int code = evaluate(
      p, t, q, v,
      &(ga_evaluation){.x = yd + p->nq, .lam = lam, .Kt = &p->Kt, .Ct = &p->Ct, .Z = &p->Z});
  if (code != 0) return code;
  memcpy(p->w, v, (size_t)p->nv * sizeof(double));
  multiply_t(&p->G, -1, mu, p->w);
  kinematic_derivatives(p, cj, q, p->w);
  for (int k = 0; k < p->nterm; k++) {
    const peer_term *term = &p->term[k];
    double coef = term->src == &p->M ? cj : 1;
    int nnz = nnz_of(term->src);
    for (int e = 0; e < nnz; e++) J[term->map[e]] += coef * term->src->val[e];
  }
  return 0;
}

/* SPDX-License-Identifier: MIT */
/* A problem at one point: its functions as plain arrays, and difference quotients of them. */
#ifndef GA_TESTS_MODEL_POINT_H
#define GA_TESTS_MODEL_POINT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka needs the headers above */
#include <cmocka.h>

#include "base/base.h"
#include "genalpha/ga_problem.h"

enum { NMAX = 64, NSTATE = 3, NKKT = 2 * NMAX };

/* a matrix with a pattern of the model, and its values as a plain array by rows */
typedef struct full {
  ga_csr a;
  int ptr[NMAX + 1], col[NMAX * NMAX];
  double entry[NMAX * NMAX], val[NMAX * NMAX];
} full;

/* all zero; the full pattern where the model names none */
static inline ga_csr *full_init(full *f, int nrow, int ncol, const ga_csr *pattern) {
  assert_true(nrow <= NMAX && ncol <= NMAX);
  for (int i = 0; i <= nrow; i++) f->ptr[i] = pattern ? pattern->ptr[i] : i * ncol;
  for (int e = 0; e < f->ptr[nrow]; e++) f->col[e] = pattern ? pattern->col[e] : e % ncol;
  memset(f->entry, 0, sizeof f->entry);
  memset(f->val, 0, sizeof f->val);
  f->a = (ga_csr){.nrow = nrow, .ncol = ncol, .ptr = f->ptr, .col = f->col, .val = f->entry};
  return &f->a;
}

static inline void full_spread(full *f) {
  for (int i = 0; i < f->a.nrow; i++) {
    for (int e = f->ptr[i]; e < f->ptr[i + 1]; e++) f->val[i * f->a.ncol + f->col[e]] = f->entry[e];
  }
}

/* Everything a model may be evaluated at. */
typedef struct point {
  const ga_problem *problem;
  const ga_model *model;
  int nq, nv, nlam, npsi;
  double t, q[NMAX], v[NMAX], x[NMAX], lam[NMAX], psi[NMAX];
} point;

static inline point point_start(const ga_problem *p) {
  point s = {.problem = p, .model = &p->model, .t = p->t0};
  s.nq = ga_space_nq(p->model.space);
  s.nv = ga_space_nv(p->model.space);
  s.nlam = p->model.nlam;
  s.npsi = p->model.npsi;
  assert_true(s.nq <= NMAX && s.nlam <= NMAX && s.npsi <= NMAX);
  memcpy(s.q, p->q0, (size_t)s.nq * sizeof *s.q);
  memcpy(s.v, p->v0, (size_t)s.nv * sizeof *s.v);
  return s;
}

/* uniform in (-size, size), the same in every run */
static inline void random_vector(unsigned *seed, int n, double size, double *x) {
  for (int i = 0; i < n; i++) {
    *seed = *seed * 1664525u + 1013904223u;
    x[i] = size * ((*seed >> 8) / 8388608.0 - 1);
  }
}

static inline double speed(const point *s) {
  return 1 + ga_max_abs(s->nv, s->v);
}

/* State 0 is the start; the others have a random configuration near it and random velocities. */
static inline point point_state(const ga_problem *p, int which) {
  point s = point_start(p);
  if (which == 0) return s;
  unsigned seed = 977u * (unsigned)which;
  double w[NMAX];
  random_vector(&seed, s.nv, 0.5, w);
  ga_space_step(s.model->space, s.q, w, s.q);
  random_vector(&seed, s.nv, speed(&s), s.v);
  s.t = 0.3 * which;
  return s;
}

/* ---- evaluations ------------------------------------------------------------------------- */

/* one field of an evaluation of the model at the point s */
#define CALL(...) \
  assert_int_equal(ga_model_evaluate(s->model, s->t, s->q, s->v, &(ga_evaluation){__VA_ARGS__}), 0)

static inline void eval_g(const point *s, double *f) {
  CALL(.g = f);
}

static inline void eval_mass(const point *s, full *M) {
  CALL(.M = full_init(M, s->nv, s->nv, s->model->pat_M));
  full_spread(M);
}

static inline void eval_jac(const point *s, full *G) {
  full_init(G, s->nlam, s->nv, s->model->pat_G);
  if (s->nlam > 0) CALL(.G = &G->a);
  full_spread(G);
}

static inline void eval_curv(const point *s, full *Z) {
  CALL(.Z = full_init(Z, s->nlam, s->nv, s->model->pat_G));
  full_spread(Z);
}

static inline void eval_k(const point *s, double *f) {
  CALL(.k = f);
}

static inline void eval_nonholonomic_jac(const point *s, full *H) {
  full_init(H, s->npsi, s->nv, s->model->pat_H);
  if (s->npsi > 0) CALL(.H = &H->a);
  full_spread(H);
}

static inline void eval_nonholonomic_dq(const point *s, full *Y) {
  CALL(.Y = full_init(Y, s->npsi, s->nv, s->model->pat_H));
  full_spread(Y);
}

static inline void eval_tangents(const point *s, full *Kt, full *Ct) {
  full_init(Kt, s->nv, s->nv, s->model->pat_K);
  full_init(Ct, s->nv, s->nv, s->model->pat_C ? s->model->pat_C : s->model->pat_K);
  CALL(.x = s->x, .lam = s->lam, .psi = s->psi, .Kt = &Kt->a, .Ct = &Ct->a);
  full_spread(Kt);
  full_spread(Ct);
}

static inline void eval_gt(const point *s, double *f) {
  memset(f, 0, NMAX * sizeof *f);
  if (s->nlam > 0 && !s->model->scleronomic) CALL(.gt = f);
}

/* G v + g_t */
static inline void eval_hidden(const point *s, double *f) {
  full G;
  eval_jac(s, &G);
  eval_gt(s, f);
  for (int i = 0; i < s->nlam; i++) {
    for (int j = 0; j < s->nv; j++) f[i] += G.val[i * s->nv + j] * s->v[j];
  }
}

/* -dR/dlam and -dR/dpsi, nv x nlam and nv x npsi by rows */
static inline void eval_dmult(const point *s, double *dlam, double *dpsi) {
  full L, P;
  full_init(&L, s->nlam, s->nv, s->model->pat_G);
  full_init(&P, s->npsi, s->nv, s->model->pat_H);
  CALL(.lam = s->lam, .psi = s->psi, .L = &L.a, .P = &P.a);
  full_spread(&L);
  full_spread(&P);
  for (int i = 0; i < s->nv; i++) {
    for (int j = 0; j < s->nlam; j++) dlam[i * s->nlam + j] = L.val[j * s->nv + i];
    for (int j = 0; j < s->npsi; j++) dpsi[i * s->npsi + j] = P.val[j * s->nv + i];
  }
}

/* R, by default -G^T lam - H^T psi */
static inline void eval_reaction(const point *s, double *R) {
  if (ga_model_gives(s->model) & GA_GIVES_R) {
    CALL(.lam = s->lam, .psi = s->psi, .R = R);
    return;
  }
  full G, H;
  eval_jac(s, &G);
  eval_nonholonomic_jac(s, &H);
  for (int i = 0; i < s->nv; i++) {
    R[i] = 0;
    for (int j = 0; j < s->nlam; j++) R[i] -= G.val[j * s->nv + i] * s->lam[j];
    for (int j = 0; j < s->npsi; j++) R[i] -= H.val[j * s->nv + i] * s->psi[j];
  }
}

/* M x - F - R */
static inline void eval_dynamics(const point *s, double *f) {
  full M;
  double R[NMAX];
  eval_mass(s, &M);
  eval_reaction(s, R);
  CALL(.F = f);
  for (int i = 0; i < s->nv; i++) {
    f[i] = -f[i] - R[i];
    for (int j = 0; j < s->nv; j++) f[i] += M.val[i * s->nv + j] * s->x[j];
  }
}

static inline void eval_energy(const point *s, double *e) {
  double kin, pot;
  assert_int_equal(s->model->ops->energy(s->model->user, s->t, s->q, s->v, &kin, &pot), 0);
  *e = kin + pot;
}

/* ---- difference quotients ---------------------------------------------------------------- */

typedef void (*vector_fn)(const point *s, double *f);
typedef void (*move_fn)(const point *s, int j, double step, point *moved);

static inline void move_q(const point *s, int j, double step, point *moved) {
  double w[NMAX] = {0};
  w[j] = step;
  ga_space_step(s->model->space, s->q, w, moved->q);
}

static inline void move_v(const point *s, int j, double step, point *moved) {
  moved->v[j] = s->v[j] + step * speed(s);
}

static inline void move_lam(const point *s, int j, double step, point *moved) {
  moved->lam[j] = s->lam[j] + step;
}

static inline void move_psi(const point *s, int j, double step, point *moved) {
  moved->psi[j] = s->psi[j] + step;
}

static inline void move_t(const point *s, int j, double step, point *moved) {
  (void)j;
  moved->t = s->t + step;
}

/* along the motion q' = v, v' = x */
static inline void move_flow(const point *s, int j, double step, point *moved) {
  (void)j;
  double w[NMAX] = {0}, dt = step / speed(s);
  ga_axpy(s->nv, dt, s->v, w);
  ga_space_step(s->model->space, s->q, w, moved->q);
  ga_axpy(s->nv, dt, s->x, moved->v);
  moved->t = s->t + dt;
}

/* a small fraction of the lengths of a problem; those of andrews-absolute are centimetres, and the
 * springs of a lattice bend much while they are without force, friction of slow slip, and angles of
 * lines that are short, too */
static inline double step_of(const ga_problem *p) {
  if (strcmp(p->name, "lattice") == 0 || strncmp(p->name, "soft", 4) == 0 ||
      strncmp(p->name, "span", 4) == 0) {
    return 3e-4;
  }
  return strcmp(p->name, "andrews-absolute") == 0 ? 1e-4 : 1e-3;
}

/* Compare given (nrow x ncol by rows) with a five-point quotient of fn; scale is what a unit step
 * of move means. The allowance grows with the row of the matrix and the rounding of fn. */
static inline void check_matrix(const point *s, const char *what, vector_fn fn, move_fn move,
                                double scale, int nrow, int ncol, const double *given) {
  static const double weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12}, at[4] = {-2, -1, 1, 2};
  const double step = step_of(s->problem);
  double quotient[NMAX * NMAX] = {0}, size[NMAX] = {0};
  for (int j = 0; j < ncol; j++) {
    for (int k = 0; k < 4; k++) {
      point moved = *s;
      double f[NMAX];
      move(s, j, at[k] * step, &moved);
      fn(&moved, f);
      for (int i = 0; i < nrow; i++) {
        quotient[i * ncol + j] += weight[k] / (step * scale) * f[i];
        size[i] = fmax(size[i], fabs(f[i]));
      }
    }
  }
  const double largest = ga_max_abs(nrow, size);
  for (int i = 0; i < nrow; i++) {
    double allowed = 1e-9 * ga_max_abs(ncol, given + i * ncol);
    allowed += (1e-11 * size[i] + 2e-12 * largest + 1e-14 * speed(s)) / scale;
    for (int j = 0; j < ncol; j++) {
      double error = fabs(given[i * ncol + j] - quotient[i * ncol + j]);
      if (error <= allowed) continue;
      fail_msg("%s(%d,%d): given %.12g, quotient %.12g", what, i, j, given[i * ncol + j],
               quotient[i * ncol + j]);
    }
  }
}

/* ---- all derivatives of a model --------------------------------------------------------- */

static inline void check_holonomic(const point *s) {
  full A;
  double f[NMAX];
  eval_jac(s, &A);
  check_matrix(s, "G", eval_g, move_q, 1, s->nlam, s->nv, A.val);
  eval_gt(s, f);
  check_matrix(s, "g_t", eval_g, move_t, 1, s->nlam, 1, f);
  eval_curv(s, &A);
  check_matrix(s, "Z", eval_hidden, move_q, 1, s->nlam, s->nv, A.val);
  CALL(.drift = f);
  check_matrix(s, "drift", eval_hidden, move_flow, 1 / speed(s), s->nlam, 1, f);
}

static inline void check_nonholonomic(const point *s) {
  full A;
  double f[NMAX];
  eval_nonholonomic_jac(s, &A);
  check_matrix(s, "H", eval_k, move_v, speed(s), s->npsi, s->nv, A.val);
  eval_nonholonomic_dq(s, &A);
  check_matrix(s, "Y", eval_k, move_q, 1, s->npsi, s->nv, A.val);
  /* s->x is zero: v is held */
  CALL(.k_drift = f);
  check_matrix(s, "drift of k", eval_k, move_flow, 1 / speed(s), s->npsi, 1, f);
}

static inline void check_tangents(const point *s) {
  full Kt, Ct;
  const int n = s->nv;
  eval_tangents(s, &Kt, &Ct);
  check_matrix(s, "Kt", eval_dynamics, move_q, 1, n, n, Kt.val);
  check_matrix(s, "Ct", eval_dynamics, move_v, speed(s), n, n, Ct.val);
}

static inline void check_reaction(const point *s) {
  double dlam[NMAX * NMAX], dpsi[NMAX * NMAX];
  eval_dmult(s, dlam, dpsi);
  check_matrix(s, "L", eval_dynamics, move_lam, 1, s->nv, s->nlam, dlam);
  check_matrix(s, "P", eval_dynamics, move_psi, 1, s->nv, s->npsi, dpsi);
}

/* The tangents once with v, x and the multipliers each alone, so that no term hides behind a larger
 * one, and once with all of them. */
static inline void check_derivatives(const ga_problem *p) {
  for (int which = 0; which < NSTATE; which++) {
    const point s = point_state(p, which);
    if (s.nlam > 0) check_holonomic(&s);
    if (s.npsi > 0) check_nonholonomic(&s);
    for (int which_terms = 0; which_terms < 8; which_terms++) {
      point r = s;
      unsigned seed = 4711u + (unsigned)which;
      if (!(which_terms & 1)) memset(r.v, 0, sizeof r.v);
      if (which_terms & 2) random_vector(&seed, r.nv, 3, r.x);
      if (which_terms & 4) random_vector(&seed, r.nlam, 5, r.lam);
      if (which_terms & 4) random_vector(&seed, r.npsi, 5, r.psi);
      check_tangents(&r);
      if (ga_model_gives(r.model) & GA_GIVES_R) check_reaction(&r);
    }
  }
}

#endif

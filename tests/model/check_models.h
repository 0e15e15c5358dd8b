/* SPDX-License-Identifier: MIT */
/* Two small models with every derivative given by formula, and a way to spoil each of them.
 *
 * flat: R^5, everything depends on everything: M(t,q), g(t,q), k(t,q,v) nonlinear in v.
 * top: R^3 x SO(3), a body fixed at a point, g = R^T x - X, and k = sum d_i n_i Omega_i with the
 * vertical n = R^T e_3 seen from the body; scleronomic, patterns given. */
#ifndef GA_TESTS_CHECK_MODELS_H
#define GA_TESTS_CHECK_MODELS_H

#include "lie/lie.h"
#include "support.h"

/* user data: what goes wrong, and where */
typedef struct {
  const char *spoiled; /* callback with a wrong entry, NULL: none */
  int matrix, entry;   /* which of its outputs, and the entry in the array of values */
  double factor, plus; /* value <- factor value + plus */
  const char *failing; /* callback that returns code, NULL: none */
  int code;
} trouble;

static inline int finish_part(const trouble *u, const char *name, int matrix, int n, double *out) {
  if (u->spoiled && strcmp(u->spoiled, name) == 0 && u->matrix == matrix && u->entry < n) {
    out[u->entry] = u->factor * out[u->entry] + u->plus;
  }
  return u->failing && strcmp(u->failing, name) == 0 ? u->code : 0;
}

static inline int finish(const trouble *u, const char *name, int n, double *out) {
  return finish_part(u, name, 0, n, out);
}

static inline int finish_csr(const trouble *u, const char *name, ga_csr *A) {
  return finish_part(u, name, 0, A->ptr[A->nrow], A->val);
}

static inline void add(ga_csr *A, int i, int j, double value) {
  for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
    if (A->col[e] != j) continue;
    A->val[e] += value;
    return;
  }
  fail_msg("entry (%d, %d) is not in the pattern", i, j);
}

/* flat */

static int flat_mass(void *u, double t, const double *q, ga_csr *M) {
  add(M, 0, 0, 2 + sin(q[0]) + 0.1 * t);
  add(M, 0, 1, 0.3 * cos(q[2]));
  add(M, 1, 0, 0.3 * cos(q[2]));
  add(M, 1, 1, 3);
  add(M, 2, 2, 2 + q[1] * q[1]);
  add(M, 3, 3, 1.5);
  add(M, 4, 4, 2 + 0.5 * sin(q[3]));
  return finish_csr(u, "mass", M);
}

static int flat_force(void *u, double t, const double *q, const double *v, double *F) {
  F[0] = -5 * q[0] * q[1] + v[1] * v[2] + sin(t);
  F[1] = -q[0] * q[0] - 0.7 * v[1];
  F[2] = cos(q[3]) * v[0] * v[0];
  F[3] = -v[3] * v[3] * v[3] + q[2] * t;
  F[4] = -2 * v[4] * q[1];
  return finish(u, "force", 5, F);
}

/* r, r', r'' of the driven radius */
static inline double flat_r(double t) {
  return 1 + 0.1 * sin(2 * t);
}
static inline double flat_rd(double t) {
  return 0.2 * cos(2 * t);
}
static inline double flat_rdd(double t) {
  return -0.4 * sin(2 * t);
}

static int flat_holonomic(void *u, double t, const double *q, double *g) {
  g[0] = (q[0] * q[0] + q[1] * q[1]) / 2 - flat_r(t) * (1 + 0.2 * q[2]);
  g[1] = q[3] - q[0] * q[2] * cos(t) + q[4] * q[4] / 2;
  return finish(u, "holonomic", 2, g);
}

static int flat_holonomic_jac(void *u, double t, const double *q, ga_csr *G) {
  add(G, 0, 0, q[0]);
  add(G, 0, 1, q[1]);
  add(G, 0, 2, -0.2 * flat_r(t));
  add(G, 1, 0, -q[2] * cos(t));
  add(G, 1, 2, -q[0] * cos(t));
  add(G, 1, 3, 1);
  add(G, 1, 4, q[4]);
  return finish_csr(u, "holonomic_jac", G);
}

static int flat_holonomic_t(void *u, double t, const double *q, double *gt) {
  gt[0] = -flat_rd(t) * (1 + 0.2 * q[2]);
  gt[1] = q[0] * q[2] * sin(t);
  return finish(u, "holonomic_t", 2, gt);
}

static int flat_holonomic_curv(void *u, double t, const double *q, const double *v, ga_csr *Z) {
  add(Z, 0, 0, v[0]);
  add(Z, 0, 1, v[1]);
  add(Z, 0, 2, -0.2 * flat_rd(t));
  add(Z, 1, 0, -cos(t) * v[2] + q[2] * sin(t));
  add(Z, 1, 2, -cos(t) * v[0] + q[0] * sin(t));
  add(Z, 1, 4, v[4]);
  return finish_csr(u, "holonomic_curv", Z);
}

/* g'' for v' = 0 */
static int flat_holonomic_drift(void *u, double t, const double *q, const double *v, double *d) {
  d[0] = v[0] * v[0] + v[1] * v[1] - 0.4 * flat_rd(t) * v[2] - flat_rdd(t) * (1 + 0.2 * q[2]);
  d[1] = -2 * cos(t) * v[0] * v[2] + 2 * sin(t) * (q[2] * v[0] + q[0] * v[2]) +
         q[0] * q[2] * cos(t) + v[4] * v[4];
  return finish(u, "holonomic_drift", 2, d);
}

static int flat_nonholonomic(void *u, double t, const double *q, const double *v, double *k) {
  k[0] = v[2] - q[1] * v[0] + 0.3 * sin(q[2]) * v[3] * v[3] - 0.2 * t * v[1];
  k[1] = v[4] * v[0] + q[3] * v[1] + 0.4 * q[4] * t;
  return finish(u, "nonholonomic", 2, k);
}

static int flat_nonholonomic_jac(void *u, double t, const double *q, const double *v, ga_csr *H) {
  add(H, 0, 0, -q[1]);
  add(H, 0, 1, -0.2 * t);
  add(H, 0, 2, 1);
  add(H, 0, 3, 0.6 * sin(q[2]) * v[3]);
  add(H, 1, 0, v[4]);
  add(H, 1, 1, q[3]);
  add(H, 1, 4, v[0]);
  return finish_csr(u, "nonholonomic_jac", H);
}

static int flat_nonholonomic_dq(void *u, double t, const double *q, const double *v, ga_csr *Y) {
  add(Y, 0, 1, -v[0]);
  add(Y, 0, 2, 0.3 * cos(q[2]) * v[3] * v[3]);
  add(Y, 1, 3, v[1]);
  add(Y, 1, 4, 0.4 * t);
  return finish_csr(u, "nonholonomic_dq", Y);
}

static int flat_nonholonomic_drift(void *u, double t, const double *q, const double *v, double *d) {
  d[0] = -v[0] * v[1] + 0.3 * cos(q[2]) * v[3] * v[3] * v[2] - 0.2 * v[1];
  d[1] = v[1] * v[3] + 0.4 * t * v[4] + 0.4 * q[4];
  return finish(u, "nonholonomic_drift", 2, d);
}

static int flat_force_tangents(void *u, double t, const double *q, const double *v, const double *x,
                               const double *lam, const double *psi, ga_csr *Kt, ga_csr *Ct) {
  const double c = cos(t);
  /* D_q(M x) */
  add(Kt, 0, 0, cos(q[0]) * x[0]);
  add(Kt, 0, 2, -0.3 * sin(q[2]) * x[1]);
  add(Kt, 1, 2, -0.3 * sin(q[2]) * x[0]);
  add(Kt, 2, 1, 2 * q[1] * x[2]);
  add(Kt, 4, 3, 0.5 * cos(q[3]) * x[4]);
  /* -D_q F, -D_v F */
  add(Kt, 0, 0, 5 * q[1]);
  add(Kt, 0, 1, 5 * q[0]);
  add(Kt, 1, 0, 2 * q[0]);
  add(Kt, 2, 3, sin(q[3]) * v[0] * v[0]);
  add(Kt, 3, 2, -t);
  add(Kt, 4, 1, 2 * v[4]);
  add(Ct, 0, 1, -v[2]);
  add(Ct, 0, 2, -v[1]);
  add(Ct, 1, 1, 0.7);
  add(Ct, 2, 0, -2 * cos(q[3]) * v[0]);
  add(Ct, 3, 3, 3 * v[3] * v[3]);
  add(Ct, 4, 4, 2 * q[1]);
  /* D_q(G^T lam) */
  add(Kt, 0, 0, lam[0]);
  add(Kt, 0, 2, -c * lam[1]);
  add(Kt, 1, 1, lam[0]);
  add(Kt, 2, 0, -c * lam[1]);
  add(Kt, 4, 4, lam[1]);
  /* D_q(H^T psi), D_v(H^T psi) */
  add(Kt, 0, 1, -psi[0]);
  add(Kt, 1, 3, psi[1]);
  add(Kt, 3, 2, 0.6 * cos(q[2]) * v[3] * psi[0]);
  add(Ct, 0, 4, psi[1]);
  add(Ct, 3, 3, 0.6 * sin(q[2]) * psi[0]);
  add(Ct, 4, 0, psi[1]);
  int code = finish_part(u, "force_tangents", 0, Kt->ptr[Kt->nrow], Kt->val);
  return code ? code : finish_part(u, "force_tangents", 1, Ct->ptr[Ct->nrow], Ct->val);
}

static const ga_model_ops flat_ops = {
    .mass = flat_mass,
    .force = flat_force,
    .holonomic = flat_holonomic,
    .nonholonomic = flat_nonholonomic,
    .holonomic_jac = flat_holonomic_jac,
    .holonomic_t = flat_holonomic_t,
    .holonomic_curv = flat_holonomic_curv,
    .holonomic_drift = flat_holonomic_drift,
    .nonholonomic_jac = flat_nonholonomic_jac,
    .nonholonomic_dq = flat_nonholonomic_dq,
    .nonholonomic_drift = flat_nonholonomic_drift,
    .force_tangents = flat_force_tangents,
};

/* top: x, p in q; x', Omega in v. D_w R^T y = (R^T y)~ for fixed y. */

/* A(row.., col..) += c (S a~) with a 3 x 3 matrix S, NULL for the identity */
static inline void add_cross(ga_csr *A, int row, int col, double c, const double *S,
                             const double *a) {
  const double cross[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      double sum = S ? 0 : cross[3 * i + j];
      for (int l = 0; S && l < 3; l++) sum += S[3 * i + l] * cross[3 * l + j];
      add(A, row + i, col + j, c * sum);
    }
  }
}

static inline void cross_matrix(const double *a, double S[9]) {
  const double cross[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
  memcpy(S, cross, sizeof cross);
}

static inline void rotation_of(const double *p, double R[9]) {
  for (int j = 0; j < 3; j++) {
    double e[3] = {j == 0, j == 1, j == 2}, c[3];
    ga_quat_rotate(p, e, c);
    for (int i = 0; i < 3; i++) R[3 * i + j] = c[i];
  }
}

static const double top_X[3] = {0.3, 1, -0.2}, top_J[3] = {0.5, 0.8, 0.3}, top_d[3] = {1, -2, 0.5};
static const double top_tau[3] = {0.4, -0.1, 0.7};

/* y = R^T x, u = R^T x', n = R^T e_3 */
typedef struct {
  double y[3], u[3], n[3];
} top_frame;

static inline top_frame top_at(const double *q, const double *v) {
  const double e3[3] = {0, 0, 1};
  top_frame f = {{0}, {0}, {0}};
  ga_quat_unrotate(q + 3, q, f.y);
  if (v) ga_quat_unrotate(q + 3, v, f.u);
  ga_quat_unrotate(q + 3, e3, f.n);
  return f;
}

static int top_mass(void *u, double t, const double *q, ga_csr *M) {
  (void)t, (void)q;
  for (int i = 0; i < 3; i++) add(M, i, i, 2), add(M, 3 + i, 3 + i, top_J[i]);
  return finish_csr(u, "mass", M);
}

/* F = (-2 x - 9 e_3, -Omega x J Omega + n x tau) */
static int top_force(void *u, double t, const double *q, const double *v, double *F) {
  (void)t;
  top_frame f = top_at(q, v);
  double JO[3], gyro[3], moment[3];
  for (int i = 0; i < 3; i++) JO[i] = top_J[i] * v[3 + i];
  ga_cross3(v + 3, JO, gyro);
  ga_cross3(f.n, top_tau, moment);
  for (int i = 0; i < 3; i++) F[i] = -2 * q[i] - (i == 2 ? 9 : 0), F[3 + i] = moment[i] - gyro[i];
  return finish(u, "force", 6, F);
}

static int top_holonomic(void *u, double t, const double *q, double *g) {
  (void)t;
  top_frame f = top_at(q, NULL);
  for (int i = 0; i < 3; i++) g[i] = f.y[i] - top_X[i];
  return finish(u, "holonomic", 3, g);
}

/* G = (R^T, y~) */
static int top_holonomic_jac(void *u, double t, const double *q, ga_csr *G) {
  (void)t;
  top_frame f = top_at(q, NULL);
  double R[9];
  rotation_of(q + 3, R);
  for (int i = 0; i < 9; i++) add(G, i / 3, i % 3, R[3 * (i % 3) + i / 3]);
  add_cross(G, 0, 3, 1, NULL, f.y);
  return finish_csr(u, "holonomic_jac", G);
}

/* G v = u + y x Omega; Z = (-Omega~ R^T, u~ - Omega~ y~) */
static int top_holonomic_curv(void *u, double t, const double *q, const double *v, ga_csr *Z) {
  (void)t;
  top_frame f = top_at(q, v);
  double R[9], O[9];
  rotation_of(q + 3, R);
  cross_matrix(v + 3, O);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      for (int l = 0; l < 3; l++) add(Z, i, j, -O[3 * i + l] * R[3 * j + l]);
    }
  }
  add_cross(Z, 0, 3, 1, NULL, f.u);
  add_cross(Z, 0, 3, -1, O, f.y);
  return finish_csr(u, "holonomic_curv", Z);
}

/* -2 Omega x u - Omega x (y x Omega) */
static int top_holonomic_drift(void *u, double t, const double *q, const double *v, double *d) {
  (void)t;
  top_frame f = top_at(q, v);
  double a[3], b[3], c[3];
  ga_cross3(v + 3, f.u, a);
  ga_cross3(f.y, v + 3, b);
  ga_cross3(v + 3, b, c);
  for (int i = 0; i < 3; i++) d[i] = -2 * a[i] - c[i];
  return finish(u, "holonomic_drift", 3, d);
}

static int top_nonholonomic(void *u, double t, const double *q, const double *v, double *k) {
  (void)t;
  top_frame f = top_at(q, v);
  k[0] = 0;
  for (int i = 0; i < 3; i++) k[0] += top_d[i] * f.n[i] * v[3 + i];
  return finish(u, "nonholonomic", 1, k);
}

static int top_nonholonomic_jac(void *u, double t, const double *q, const double *v, ga_csr *H) {
  (void)t;
  top_frame f = top_at(q, v);
  for (int i = 0; i < 3; i++) add(H, 0, 3 + i, top_d[i] * f.n[i]);
  return finish_csr(u, "nonholonomic_jac", H);
}

/* (d Omega) . (n x w) = ((d Omega) x n) . w */
static inline void top_turning(const double *q, const double *v, double c[3]) {
  top_frame f = top_at(q, v);
  const double dO[3] = {top_d[0] * v[3], top_d[1] * v[4], top_d[2] * v[5]};
  ga_cross3(dO, f.n, c);
}

static int top_nonholonomic_dq(void *u, double t, const double *q, const double *v, ga_csr *Y) {
  (void)t;
  double c[3];
  top_turning(q, v, c);
  for (int i = 0; i < 3; i++) add(Y, 0, 3 + i, c[i]);
  return finish_csr(u, "nonholonomic_dq", Y);
}

static int top_nonholonomic_drift(void *u, double t, const double *q, const double *v, double *d) {
  (void)t;
  double c[3];
  top_turning(q, v, c);
  d[0] = ga_dot3(c, v + 3);
  return finish(u, "nonholonomic_drift", 1, d);
}

/* D of -F, of G^T lam = (R lam, lam x y), of H^T psi = psi (0, d n) */
static int top_force_tangents(void *u, double t, const double *q, const double *v, const double *x,
                              const double *lam, const double *psi, ga_csr *Kt, ga_csr *Ct) {
  (void)t, (void)x;
  top_frame f = top_at(q, v);
  double R[9], L[9], O[9], T[9], JO[3];
  rotation_of(q + 3, R);
  cross_matrix(lam, L);
  cross_matrix(v + 3, O);
  cross_matrix(top_tau, T);
  for (int i = 0; i < 3; i++) {
    JO[i] = top_J[i] * v[3 + i];
    add(Kt, i, i, 2);
    for (int j = 0; j < 3; j++) {
      for (int l = 0; l < 3; l++) add(Kt, 3 + i, j, L[3 * i + l] * R[3 * j + l]);
      add(Ct, 3 + i, 3 + j, O[3 * i + j] * top_J[j]);
    }
  }
  add_cross(Kt, 0, 3, -1, R, lam);
  add_cross(Kt, 3, 3, 1, L, f.y);
  add_cross(Kt, 3, 3, 1, T, f.n);
  const double D[9] = {top_d[0] * psi[0], 0, 0, 0, top_d[1] * psi[0], 0, 0, 0, top_d[2] * psi[0]};
  add_cross(Kt, 3, 3, 1, D, f.n);
  add_cross(Ct, 3, 3, -1, NULL, JO);
  int code = finish_part(u, "force_tangents", 0, Kt->ptr[Kt->nrow], Kt->val);
  return code ? code : finish_part(u, "force_tangents", 1, Ct->ptr[Ct->nrow], Ct->val);
}

static const ga_model_ops top_ops = {
    .mass = top_mass,
    .force = top_force,
    .holonomic = top_holonomic,
    .nonholonomic = top_nonholonomic,
    .holonomic_jac = top_holonomic_jac,
    .holonomic_curv = top_holonomic_curv,
    .holonomic_drift = top_holonomic_drift,
    .nonholonomic_jac = top_nonholonomic_jac,
    .nonholonomic_dq = top_nonholonomic_dq,
    .nonholonomic_drift = top_nonholonomic_drift,
    .force_tangents = top_force_tangents,
};

#endif

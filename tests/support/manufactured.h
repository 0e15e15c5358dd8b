/* SPDX-License-Identifier: MIT */
/* A problem with everything at once and a known solution: M(t,q) full and varying, a driven
 * holonomic constraint, a nonholonomic one nonlinear in v, forces with stiffness and damping.
 *
 *   q*(t) = (sin t, cos 2t, e^{-t/2}, t/(1+t)),  lam* = 1 + sin 3t,  psi* = cos t
 *   M = diag(2,1,3,1) + 0.3 (1 + cos t) s s^T,  s = (1, sin q1, cos q2, 1/2)
 *   g = q1 q2 + q3^2 + q4 - c(t),   k = v1 + q2 v2^2/2 + v3 q1 - d(t),   c, d so that q* satisfies
 * them F = M(t,q) v*' + G(t,q)^T lam* + H(t,q,v)^T psi* + 4 (q* - q) + (v* - v) + 0.2 (v*^3 - v^3)
 */
#ifndef GA_TESTS_MANUFACTURED_H
#define GA_TESTS_MANUFACTURED_H

#include "support.h"

enum { MF_N = 4 };

/* model.user: which of the two constraints there are; NULL: both */
typedef struct {
  bool lam, psi;
} mf_multipliers;
static const mf_multipliers mf_holonomic_alone = {true, false},
                            mf_nonholonomic_alone = {false, true};

/* a multiplier, or 0 where its constraint is left out */
static inline double mf_lam(const void *user, const double *lam) {
  return user && !((const mf_multipliers *)user)->lam ? 0 : *lam;
}
static inline double mf_psi(const void *user, const double *psi) {
  return user && !((const mf_multipliers *)user)->psi ? 0 : *psi;
}

static inline void mf_exact(double t, double *q, double *v, double *vd, double *lam, double *psi) {
  const double e = exp(-t / 2), u = 1 + t;
  const double eq[MF_N] = {sin(t), cos(2 * t), e, t / u};
  const double ev[MF_N] = {cos(t), -2 * sin(2 * t), -e / 2, 1 / (u * u)};
  const double ea[MF_N] = {-sin(t), -4 * cos(2 * t), e / 4, -2 / (u * u * u)};
  if (q) memcpy(q, eq, sizeof eq);
  if (v) memcpy(v, ev, sizeof ev);
  if (vd) memcpy(vd, ea, sizeof ea);
  if (lam) *lam = 1 + sin(3 * t);
  if (psi) *psi = cos(t);
}

static inline int mf_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user;
  const double diagonal[MF_N] = {2, 1, 3, 1}, s[MF_N] = {1, sin(q[0]), cos(q[1]), 0.5};
  double w = 0.3 * (1 + cos(t));
  for (int i = 0; i < MF_N; i++) {
    for (int j = 0; j < MF_N; j++) M->val[i * MF_N + j] = w * s[i] * s[j] + (i == j) * diagonal[i];
  }
  return 0;
}

static inline double mf_g(const double *q) {
  return q[0] * q[1] + q[2] * q[2] + q[3];
}
static inline double mf_k(const double *q, const double *v) {
  return v[0] + q[1] * v[1] * v[1] / 2 + v[2] * q[0];
}

static inline int mf_holonomic(void *user, double t, const double *q, double *g) {
  (void)user;
  double e[MF_N];
  mf_exact(t, e, NULL, NULL, NULL, NULL);
  g[0] = mf_g(q) - mf_g(e);
  return 0;
}

static inline int mf_holonomic_jac(void *user, double t, const double *q, ga_csr *G) {
  (void)user, (void)t;
  const double row[MF_N] = {q[1], q[0], 2 * q[2], 1};
  memcpy(G->val, row, sizeof row);
  return 0;
}

static inline int mf_nonholonomic(void *user, double t, const double *q, const double *v,
                                  double *k) {
  (void)user;
  double eq[MF_N], ev[MF_N];
  mf_exact(t, eq, ev, NULL, NULL, NULL);
  k[0] = mf_k(q, v) - mf_k(eq, ev);
  return 0;
}

static inline int mf_nonholonomic_jac(void *user, double t, const double *q, const double *v,
                                      ga_csr *H) {
  (void)user, (void)t;
  const double row[MF_N] = {1, q[1] * v[1], q[0], 0};
  memcpy(H->val, row, sizeof row);
  return 0;
}

static inline int mf_force(void *user, double t, const double *q, const double *v, double *F) {
  double eq[MF_N], ev[MF_N], ea[MF_N], lam, psi, m[MF_N * MF_N], g[MF_N], h[MF_N];
  ga_csr M = {.val = m}, G = {.val = g}, H = {.val = h};
  mf_exact(t, eq, ev, ea, &lam, &psi);
  mf_mass(user, t, q, &M);
  mf_holonomic_jac(user, t, q, &G);
  mf_nonholonomic_jac(user, t, q, v, &H);
  lam = mf_lam(user, &lam), psi = mf_psi(user, &psi);
  for (int i = 0; i < MF_N; i++) {
    F[i] = g[i] * lam + h[i] * psi + 4 * (eq[i] - q[i]) + (ev[i] - v[i]) +
           0.2 * (ev[i] * ev[i] * ev[i] - v[i] * v[i] * v[i]);
    for (int j = 0; j < MF_N; j++) F[i] += m[i * MF_N + j] * ea[j];
  }
  return 0;
}

/* The same with a reaction nonlinear in the multipliers,
 *   R = -G^T (lam + lam^3/5) - (1 + v2^2/4) H^T (psi + 3/10 psi^2),
 * and F so that the solution is the same; psi = -10/3 - psi* is another branch. */
static inline int mf_reaction(void *user, double t, const double *q, const double *v,
                              const double *lam, const double *psi, double *R) {
  double g[MF_N], h[MF_N], l = mf_lam(user, lam), p = mf_psi(user, psi);
  l += l * l * l / 5;
  p = (1 + v[1] * v[1] / 4) * (p + 0.3 * p * p);
  ga_csr G = {.val = g}, H = {.val = h};
  mf_holonomic_jac(user, t, q, &G);
  mf_nonholonomic_jac(user, t, q, v, &H);
  for (int i = 0; i < MF_N; i++) R[i] = -g[i] * l - h[i] * p;
  return 0;
}

static inline int mf_reaction_dmult(void *user, double t, const double *q, const double *v,
                                    const double *lam, const double *psi, ga_csr *L, ga_csr *P) {
  if (L->nrow) mf_holonomic_jac(user, t, q, L);
  if (P->nrow) mf_nonholonomic_jac(user, t, q, v, P);
  for (int i = 0; i < MF_N && L->nrow; i++) L->val[i] *= 1 + 0.6 * lam[0] * lam[0];
  for (int i = 0; i < MF_N && P->nrow; i++) {
    P->val[i] *= (1 + v[1] * v[1] / 4) * (1 + 0.6 * psi[0]);
  }
  return 0;
}

static inline int mf_force_nonlinear(void *user, double t, const double *q, const double *v,
                                     double *F) {
  double lam, psi, g[MF_N], h[MF_N], R[MF_N];
  ga_csr G = {.val = g}, H = {.val = h};
  mf_force(user, t, q, v, F);
  mf_exact(t, NULL, NULL, NULL, &lam, &psi);
  mf_holonomic_jac(user, t, q, &G);
  mf_nonholonomic_jac(user, t, q, v, &H);
  mf_reaction(user, t, q, v, &lam, &psi, R);
  lam = mf_lam(user, &lam), psi = mf_psi(user, &psi);
  for (int i = 0; i < MF_N; i++) F[i] -= g[i] * lam + h[i] * psi + R[i];
  return 0;
}

/* three callbacks and one more for k; all derivatives by differences */
static const ga_model_ops mf_ops_bare = {
    .mass = mf_mass, .force = mf_force, .holonomic = mf_holonomic, .nonholonomic = mf_nonholonomic};
static const ga_model_ops mf_ops_reaction_bare = {.mass = mf_mass,
                                                  .force = mf_force_nonlinear,
                                                  .holonomic = mf_holonomic,
                                                  .nonholonomic = mf_nonholonomic,
                                                  .reaction = mf_reaction};
static const ga_model_ops mf_ops_reaction = {.mass = mf_mass,
                                             .force = mf_force_nonlinear,
                                             .holonomic = mf_holonomic,
                                             .holonomic_jac = mf_holonomic_jac,
                                             .nonholonomic = mf_nonholonomic,
                                             .nonholonomic_jac = mf_nonholonomic_jac,
                                             .reaction = mf_reaction,
                                             .reaction_dmult = mf_reaction_dmult};
/* Jacobians of the constraints given */
static const ga_model_ops mf_ops = {.mass = mf_mass,
                                    .force = mf_force,
                                    .holonomic = mf_holonomic,
                                    .holonomic_jac = mf_holonomic_jac,
                                    .nonholonomic = mf_nonholonomic,
                                    .nonholonomic_jac = mf_nonholonomic_jac};

#endif

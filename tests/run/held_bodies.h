/* SPDX-License-Identifier: MIT */
/* Two models of test_redundancy.c, written as callbacks: bodies held by rows that are nearly
 * parallel or doubled, and a pendulum whose row is there twice, the second time far smaller. */
#ifndef GA_TESTS_RUN_HELD_BODIES_H
#define GA_TESTS_RUN_HELD_BODIES_H

#include "support.h"

enum { MOST_V = 3, MOST_ROWS = 4 };

/* bodies on R, which linear rows hold at 1, under constant forces */
typedef struct {
  int nv, rows;
  double m[MOST_V], f[MOST_V], G[MOST_ROWS][MOST_V];
} held;

static inline int held_mass(void *user, double t, const double *q, ga_csr *M) {
  const held *p = user;
  (void)t, (void)q;
  for (int i = 0; i < p->nv; i++) M->val[i * p->nv + i] = p->m[i];
  return 0;
}
static inline int held_force(void *user, double t, const double *q, const double *v, double *F) {
  const held *p = user;
  (void)t, (void)q, (void)v;
  for (int i = 0; i < p->nv; i++) F[i] = p->f[i];
  return 0;
}
static inline int held_rows(void *user, double t, const double *q, double *g) {
  const held *p = user;
  (void)t;
  for (int k = 0; k < p->rows; k++) {
    g[k] = 0;
    for (int i = 0; i < p->nv; i++) g[k] += p->G[k][i] * (q[i] - 1);
  }
  return 0;
}
static inline int held_jac(void *user, double t, const double *q, ga_csr *G) {
  const held *p = user;
  (void)t, (void)q;
  for (int k = 0; k < p->rows; k++) {
    for (int i = 0; i < p->nv; i++) G->val[k * p->nv + i] = p->G[k][i];
  }
  return 0;
}

/* largest |M v' + G^T lam - F| of a row, relative to its terms */
static inline double imbalance(const held *p, const ga_state *x) {
  double worst = 0;
  for (int i = 0; i < p->nv; i++) {
    double left = p->m[i] * x->vd[i] - p->f[i], terms = fabs(p->m[i] * x->vd[i]) + fabs(p->f[i]);
    for (int k = 0; k < p->rows; k++) {
      left += p->G[k][i] * x->lam[k];
      terms += fabs(p->G[k][i] * x->lam[k]);
    }
    worst = fmax(worst, fabs(left) / terms);
  }
  return worst;
}

static const ga_model_ops held_ops = {
    .mass = held_mass, .force = held_force, .holonomic = held_rows, .holonomic_jac = held_jac};

/* At rest, by a method and a solver; look is shown the start and three steps. */
static inline void run_held(const held *p, const char *method, const char *solver,
                            void (*look)(const held *p, const ga_state *x, const char *method)) {
  ga_space *space = NULL;
  ga_integrator *it = NULL;
  ga_error err = {0};
  const double q[MOST_V] = {1, 1, 1}, v[MOST_V] = {0};
  must(ga_space_rn(p->nv, &space), NULL);
  ga_model model = {
      .ops = &held_ops, .space = space, .nlam = p->rows, .user = (void *)p, .scleronomic = true};
  ga_options o = ga_options_default();
  o.method = method;
  o.linsol = solver;
  o.h = 1e-3;
  o.redundant = GA_REDUNDANT_ALLOW;
  if (strcmp(method, "hht") == 0) o.par = ga_params_hht(-0.1, 0);
  must(ga_integrator_new(&model, &o, &it, &err), &err);
  must(ga_integrator_start(it, 0, q, v), ga_integrator_error(it));
  for (int step = 0; step < 4; step++) {
    if (step > 0) must(ga_integrator_step(it), ga_integrator_error(it));
    look(p, ga_integrator_state(it), method);
  }
  ga_integrator_free(it);
  ga_space_free(space);
}

static inline void run_all_ways(const held *p, void (*look)(const held *p, const ga_state *x,
                                                            const char *method)) {
  static const char *const methods[] = {"stab2", "index3", "soi2", "hht", "index2", "index1"};
  static const char *const solvers[] = {"dense", "klu"};
  for (int k = 0; k < 12; k++) run_held(p, methods[k / 2], solvers[k % 2], look);
}

/* a pendulum of length r whose row is there twice, the second time divided by 10^4 */
typedef struct {
  double r, m;
} twice;
static const double SECOND = 1e-4;

static inline int twice_mass(void *user, double t, const double *q, ga_csr *M) {
  const twice *p = user;
  (void)t, (void)q;
  M->val[0] = M->val[3] = p->m;
  return 0;
}
static inline int twice_force(void *user, double t, const double *q, const double *v, double *F) {
  const twice *p = user;
  (void)t, (void)q, (void)v;
  F[0] = 0, F[1] = -9.81 * p->m;
  return 0;
}
static inline int twice_rows(void *user, double t, const double *q, double *g) {
  const twice *p = user;
  (void)t;
  g[0] = (q[0] * q[0] + q[1] * q[1] - p->r * p->r) / 2;
  g[1] = SECOND * g[0];
  return 0;
}
static inline int twice_jac(void *user, double t, const double *q, ga_csr *G) {
  (void)user, (void)t;
  for (int i = 0; i < 2; i++) G->val[i] = q[i], G->val[2 + i] = SECOND * q[i];
  return 0;
}

static inline int twice_drift(void *user, double t, const double *q, const double *v,
                              double *drift) {
  (void)user, (void)t, (void)q;
  drift[0] = v[0] * v[0] + v[1] * v[1];
  drift[1] = SECOND * drift[0];
  return 0;
}

#endif

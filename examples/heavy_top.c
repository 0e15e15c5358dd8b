/* SPDX-License-Identifier: MIT */
/* The heavy top on R^3 x SO(3) with analytic derivatives, checked before use.
 *
 *   m u' = m gamma + lam,  J W' = -W x J W - X x R^T lam,  0 = -x + R X   (G = [-I, -R X~])
 *
 * q = (x, quaternion), v = (u, W), W the body-fixed angular velocity, X = e_y the mass centre. */
#include <genalpha/genalpha.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double m = 15, J[3] = {0.234375, 0.46875, 0.234375}, gravity = -9.81;

static void rotation(const double *e, double R[3][3]) {
  double a = e[0], b = e[1], c = e[2], d = e[3];
  const double M[3][3] = {
      {a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)},
      {2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)},
      {2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d}};
  memcpy(R, M, sizeof M);
}

static int mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  for (int i = 0; i < 3; i++) M->val[7 * i] = m, M->val[7 * (i + 3)] = J[i];
  return 0;
}

static int force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)q;
  const double *W = v + 3;
  F[0] = F[1] = 0, F[2] = m * gravity;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    F[3 + i] = (J[j] - J[k]) * W[j] * W[k]; /* -(W x J W)_i */
  }
  return 0;
}

static int holonomic(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  double R[3][3];
  rotation(q + 3, R);
  for (int i = 0; i < 3; i++) g[i] = R[i][1] - q[i];
  return 0;
}

/* R X~ for X = e_y has the columns -R e_z, 0, R e_x */
static int holonomic_jac(void *user, double t, const double *q, ga_csr *G) {
  (void)user, (void)t;
  double R[3][3];
  rotation(q + 3, R);
  for (int i = 0; i < 3; i++) {
    G->val[6 * i + i] = -1;
    G->val[6 * i + 3] = R[i][2];
    G->val[6 * i + 5] = -R[i][0];
  }
  return 0;
}

/* d/dt (G v) with v held: R W~ (W x X) = R (W (W.X) - X (W.W)) */
static int holonomic_drift(void *user, double t, const double *q, const double *v, double *d) {
  (void)user, (void)t;
  const double *W = v + 3;
  double R[3][3], W2 = W[0] * W[0] + W[1] * W[1] + W[2] * W[2];
  rotation(q + 3, R);
  for (int i = 0; i < 3; i++) {
    d[i] = -R[i][1] * W2;
    for (int k = 0; k < 3; k++) d[i] += R[i][k] * W[k] * W[1];
  }
  return 0;
}

int main(void) {
  const ga_model_ops ops = {mass, force, holonomic, .holonomic_jac = holonomic_jac,
                            .holonomic_drift = holonomic_drift};
  const double q0[] = {0, 1, 0, 1, 0, 0, 0}, W3 = -4.61538, v0[] = {-W3, 0, 0, 0, 150, W3};
  ga_space *space = NULL;
  ga_integrator *it = NULL;
  ga_error err = {0};
  if (ga_space_new(&space) || ga_space_add(space, &ga_group_rn, 3, NULL, NULL) ||
      ga_space_add(space, &ga_group_so3, 1, NULL, NULL))
    return 1;
  ga_model top = {.ops = &ops, .space = space, .nlam = 3, .const_mass = true, .scleronomic = true};
  ga_status status = ga_model_check_derivatives(&top, 0, q0, v0, stdout, &err);
  if (status == GA_OK) status = ga_integrator_new(&top, NULL, &it, &err); /* default options */
  if (status == GA_OK) status = ga_integrator_start(it, 0, q0, v0);
  if (status == GA_OK) status = ga_integrator_run(it, 1);
  const ga_state *s = it ? ga_integrator_state(it) : NULL;
  if (status != GA_OK) fprintf(stderr, "%s\n", it ? ga_integrator_error(it)->text : err.text);
  if (status == GA_OK) printf("t = 1: x = (%.5f, %.5f, %.5f)\n", s->q[0], s->q[1], s->q[2]);
  int failed = status != GA_OK || fabs(s->q[2] + 0.74849) > 5e-3; /* reference -0.748491 */
  ga_integrator_free(it);
  ga_space_free(space);
  return failed;
}

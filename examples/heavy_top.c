/* SPDX-License-Identifier: MIT */
/* The heavy top on R^3 x SO(3) with analytic derivatives, checked before use:
 *     m u' = m gamma + lam,  J W' = -W x J W - X x R^T lam,  0 = g = -x + R X
 * q = (x, quaternion), v = (u, W), W the body-fixed angular velocity, X = e_y the mass centre. */
#include <genalpha/genalpha.h>
#include <math.h>
#include <stdio.h>

static const double m = 15, J[3] = {0.234375, 0.46875, 0.234375}, X[3] = {0, 1, 0};

/* rotation block of a 3 x 6 matrix: column j is -R (y x e_j) = d/ds R exp(s e_j~) y */
static void rotation_block(const double *e, const double *y, double *A) {
  for (int j = 0; j < 3; j++) {
    double c[3], unit[3] = {j == 0, j == 1, j == 2};
    ga_cross(unit, y, c), ga_so3_rotate(e, c, c);
    for (int i = 0; i < 3; i++) A[6 * i + 3 + j] = c[i];
  }
}
static int mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  for (int i = 0; i < 3; i++) M->val[7 * i] = m, M->val[7 * (i + 3)] = J[i];
  return 0;
}
static int force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)q;
  const double L[3] = {J[0] * v[3], J[1] * v[4], J[2] * v[5]}; /* J W */
  F[0] = F[1] = 0, F[2] = -9.81 * m, ga_cross(L, v + 3, F + 3);
  return 0;
}
static int holonomic(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  ga_so3_rotate(q + 3, X, g);
  for (int i = 0; i < 3; i++) g[i] -= q[i];
  return 0;
}
static int holonomic_jac(void *user, double t, const double *q, ga_csr *G) {
  (void)user, (void)t;
  for (int i = 0; i < 3; i++) G->val[7 * i] = -1;
  rotation_block(q + 3, X, G->val);
  return 0;
}
/* Z: the derivative of G v = -u + R (W x X) */
static int holonomic_curv(void *user, double t, const double *q, const double *v, ga_csr *Z) {
  (void)user, (void)t;
  double y[3];
  ga_cross(v + 3, X, y);
  rotation_block(q + 3, y, Z->val);
  return 0;
}
/* Kt = X~ (R^T lam)~ by G^T lam = (-lam, X x R^T lam); Ct = W~ J - (J W)~ */
static int tangents(void *user, double t, const double *q, const double *v, const double *x,
                    const double *lam, const double *psi, ga_csr *Kt, ga_csr *Ct) {
  (void)user, (void)t, (void)x, (void)psi;
  const double *W = v + 3, L[3] = {J[0] * W[0], J[1] * W[1], J[2] * W[2]};
  double y[3];
  ga_so3_unrotate(q + 3, lam, y);
  for (int j = 0; j < 3; j++) {
    double a[3], b[3], c[3], unit[3] = {j == 0, j == 1, j == 2};
    ga_cross(y, unit, a), ga_cross(X, a, b), ga_cross(W, unit, a), ga_cross(unit, L, c);
    for (int i = 0; i < 3; i++) {
      Kt->val[6 * (3 + i) + 3 + j] = b[i];
      Ct->val[6 * (3 + i) + 3 + j] = a[i] * J[j] + c[i];
    }
  }
  return 0;
}
int main(void) {
  const ga_model_ops ops = {mass,
                            force,
                            holonomic,
                            .holonomic_jac = holonomic_jac,
                            .holonomic_curv = holonomic_curv,
                            .force_tangents = tangents};
  const double q0[] = {0, 1, 0, 1, 0, 0, 0}, v0[] = {4.61538, 0, 0, 0, 150, -4.61538};
  ga_space *space = NULL;
  ga_integrator *it = NULL;
  ga_error err = {0};
  if (ga_space_rn(3, &space) || ga_space_add(space, &ga_group_so3, 1, NULL, NULL)) return 1;
  ga_model top = {.ops = &ops, .space = space, .nlam = 3, .const_mass = true, .scleronomic = true};
  bool ok = ga_model_check_derivatives(&top, 0, q0, v0, stdout, &err) == GA_OK &&
            ga_integrator_new(&top, NULL, &it, &err) == GA_OK; /* default options */
  ok = ok && ga_integrator_start(it, 0, q0, v0) == GA_OK && ga_integrator_run(it, 1) == GA_OK;
  double x3 = ok ? ga_integrator_state(it)->q[2] : NAN; /* -0.74849 as h -> 0 */
  printf("t = 1: x3 = %.5f %s\n", x3, ok ? "" : it ? ga_integrator_error(it)->text : err.text);
  ga_integrator_free(it);
  ga_space_free(space);
  return fabs(x3 + 0.74849) < 5e-3 ? 0 : 1;
}

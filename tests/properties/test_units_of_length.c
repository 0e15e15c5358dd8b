/* SPDX-License-Identifier: MIT */
/* Lengths in other units: a pendulum of a metre, of millimetres, of kilometres, without a Jacobian,
 * moves alike. */
#include "support.h"

/* length of the pendulum, in the unit in use */
static int unit_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  M->val[0] = M->val[3] = 1;
  return 0;
}
static int gravity(void *user, double t, const double *q, const double *v, double *F) {
  const double *length = user;
  (void)t, (void)q, (void)v;
  F[0] = 0;
  F[1] = -9.81 * *length;
  return 0;
}
static int circle(void *user, double t, const double *q, double *g) {
  const double *length = user;
  (void)t;
  g[0] = q[0] * q[0] + q[1] * q[1] - *length * *length;
  return 0;
}
static const ga_model_ops ops = {.mass = unit_mass, .force = gravity, .holonomic = circle};

static void swing(const char *method, double length, double q[2], double *lam) {
  ga_space *space = NULL;
  ga_error err = {0};
  must(ga_space_rn(2, &space), &err);
  const ga_model model = {.ops = &ops,
                          .user = &length,
                          .space = space,
                          .nlam = 1,
                          .const_mass = true,
                          .scleronomic = true};
  const double q0[2] = {length, 0}, v0[2] = {0, 0};
  ga_options o = ga_options_default();
  ga_integrator *it = NULL;
  o.method = method;
  must(ga_integrator_new(&model, &o, &it, &err), &err);
  must(ga_integrator_start(it, 0, q0, v0), ga_integrator_error(it));
  must(ga_integrator_run(it, 3), ga_integrator_error(it));
  for (int i = 0; i < 2; i++) q[i] = ga_integrator_state(it)->q[i] / length;
  *lam = ga_integrator_state(it)->lam[0];
  ga_integrator_free(it);
  ga_space_free(space);
}

static void test_lengths(void **state) {
  (void)state;
  const char *const methods[] = {"stab2", "index3"};
  const double lengths[] = {1e-6, 1e-3, 300, 1e3, 2e4};
  for (int m = 0; m < 2; m++) {
    double q1[2], q[2], lam1, lam;
    swing(methods[m], 1, q1, &lam1);
    for (int k = 0; k < 5; k++) {
      swing(methods[m], lengths[k], q, &lam);
      assert_true(vector_error(2, q, q1) < 1e-8);
      assert_near("lam", lam, lam1, 1e-6);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lengths)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

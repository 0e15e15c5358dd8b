/* SPDX-License-Identifier: MIT */
/* How often g is called for a model without derivatives: a chain of point masses on rods, all
 * patterns full. */
#include "support.h"

enum { MOST = 60 };

static long calls;
static int count;

static int mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  for (int i = 0; i < M->nrow; i++) M->val[i * M->ncol + i] = 1;
  return 0;
}

static int force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)q, (void)v;
  for (int i = 0; i < count; i++) F[2 * i] = 0, F[2 * i + 1] = -9.81;
  return 0;
}

/* from the mass before, or the origin */
static void rod(const double *q, int i, double d[2]) {
  for (int k = 0; k < 2; k++) d[k] = q[2 * i + k] - (i > 0 ? q[2 * i - 2 + k] : 0);
}

static int rods(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  calls++;
  for (int i = 0; i < count; i++) {
    double d[2];
    rod(q, i, d);
    g[i] = (d[0] * d[0] + d[1] * d[1] - 1) / 2;
  }
  return 0;
}

static int rods_jac(void *user, double t, const double *q, ga_csr *G) {
  (void)user, (void)t;
  for (int i = 0; i < count; i++) {
    double d[2], *row = G->val + i * G->ncol;
    rod(q, i, d);
    for (int k = 0; k < 2; k++) {
      row[2 * i + k] = d[k];
      if (i > 0) row[2 * i - 2 + k] = -d[k];
    }
  }
  return 0;
}

/* steps from rest, horizontal; returns calls a step */
static double swing(const ga_model_ops *ops, int n, const char *method, int steps, double *q) {
  ga_space *space = NULL;
  ga_integrator *it = NULL;
  ga_error err = {0};
  double q0[MOST] = {0}, v0[MOST] = {0};
  count = n / 2;
  for (int i = 0; i < count; i++) q0[2 * i] = i + 1;
  must(ga_space_rn(n, &space), NULL);
  ga_model model = {.ops = ops, .space = space, .nlam = count};
  ga_options o = ga_options_default();
  o.method = method;
  o.h = 1e-3;
  must(ga_integrator_new(&model, &o, &it, &err), &err);
  must(ga_integrator_start(it, 0, q0, v0), ga_integrator_error(it));
  calls = 0;
  for (int i = 0; i < steps; i++) must(ga_integrator_step(it), ga_integrator_error(it));
  memcpy(q, ga_integrator_state(it)->q, (size_t)n * sizeof *q);
  ga_integrator_free(it);
  ga_space_free(space);
  return (double)calls / steps;
}

/* Jacobians, their renewals and everything else: at most 12 n + 20 calls a step, where nested
 * quotients took 1,400 to 70,000; and the motion is that with an exact Jacobian. */
static void test_calls_of_g(void **state) {
  (void)state;
  const ga_model_ops bare = {.mass = mass, .force = force, .holonomic = rods};
  const ga_model_ops with_G = {
      .mass = mass, .force = force, .holonomic = rods, .holonomic_jac = rods_jac};
  const char *const methods[] = {"stab2", "index3"};
  const int sizes[] = {8, 20, 60};
  for (int m = 0; m < 2; m++) {
    for (int k = 0; k < 3 - m; k++) {
      int n = sizes[k];
      double q[MOST], exact[MOST], a_step = swing(&bare, n, methods[m], 1000, q);
      swing(&with_G, n, methods[m], 1000, exact);
      assert_between("calls of g a step", a_step, 4 * n, 12 * n + 20);
      double error = vector_error(n, q, exact);
      if (!(error < 1e-10))
        fail_msg("%s, n = %d: %g from the exact Jacobian", methods[m], n, error);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_calls_of_g)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Iterations that seem to make no progress: what is accepted then is in balance, and what only
 * rounding keeps from being in balance is accepted. And an integrator that starts again has the
 * bits of a new one. */
#include <float.h>

#include "support.h"

static struct { double mass, force, width, stiffness; } body;

static int mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  M->val[0] = body.mass;
  return 0;
}

static ga_integrator *thrown(const ga_model_ops *ops, ga_space *space, double rho, double h,
                             double q0, double v0) {
  static ga_model model; /* the integrator refers to it */
  ga_options o = ga_options_default();
  ga_integrator *it = NULL;
  model = (ga_model){.ops = ops, .space = space, .const_mass = true, .scleronomic = true};
  o.h = h;
  o.par = ga_params_rho(rho);
  must(ga_integrator_new(&model, &o, &it, NULL), NULL);
  must(ga_integrator_start(it, 0, &q0, &v0), ga_integrator_error(it));
  return it;
}

/* ---- a force of constant size towards 0, smooth in a thin layer ------------------------------ */

static int relay(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)v;
  F[0] = -body.force * q[0] / hypot(q[0], body.width);
  return 0;
}

/* |m v' - F| in units of 1e-8 (|m v'| + |F|) + 100 eps K |q| */
static double relay_imbalance(const ga_state *s) {
  const long double q = s->q[0], r = hypotl(q, body.width), inertia = body.mass * s->vd[0];
  const long double F = -body.force * q / r, K = body.force * body.width * body.width / (r * r * r);
  const long double allowed = 1e-8L * (fabsl(inertia) + fabsl(F)) +
                              100 * (long double)DBL_EPSILON * (K * fabsl(q) + fabsl(F));
  return (double)(fabsl(inertia - F) / allowed);
}

/* Steps that cross the layer a million times as fast as it is wide: the residual halves from
 * iteration to iteration, relative to its own terms it does not. */
static void test_relay(void **state) {
  (void)state;
  const ga_model_ops ops = {.mass = mass, .force = relay};
  static const double rhos[] = {0, 0.5, 0.8, 0.9};
  ga_space *space = NULL;
  must(ga_space_rn(1, &space), NULL);
  int accepted = 0;
  for (int k = 0; k < 400; k++) {
    body.mass = 0.3 + 0.1 * (k % 7);
    body.force = 10 * pow(2.3, k % 9);
    body.width = pow(10, -(k % 5) - 1);
    double h = 0.3 * pow(3.1, k % 13), q0 = 0.1 + 0.07 * (k % 11);
    ga_integrator *it = thrown(&ops, space, rhos[k % 4], h, q0, 0.08);
    for (int n = 0; n < 50 && ga_integrator_step(it) == GA_OK; n++, accepted++) {
      double imbalance = relay_imbalance(ga_integrator_state(it));
      if (!(imbalance <= 1)) fail_msg("run %d, step %d: %g bounds", k, n + 1, imbalance);
    }
    ga_integrator_free(it);
  }
  assert_true(accepted > 10000);
  ga_space_free(space);
}

/* ---- a spring far from the origin ------------------------------------------------------------ */

static double anchor;

static int pull(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)v;
  F[0] = -body.stiffness * (q[0] - anchor);
  return 0;
}

/* Increments below a rounding of q move M v' alone, which reduces the residual by the same part
 * each time, never by half: nothing but rounding is left, and no run fails. */
static void test_far_spring(void **state) {
  (void)state;
  const ga_model_ops ops = {.mass = mass, .force = pull};
  ga_space *space = NULL;
  must(ga_space_rn(1, &space), NULL);
  body.mass = 1;
  for (int k = 0; k < 300; k++) {
    anchor = 3e6 * pow(4, k % 8);
    body.stiffness = pow(10, 5 + 0.25 * (k % 12));
    double h = sqrt((1 + k % 5) / (3 * body.stiffness));
    ga_integrator *it = thrown(&ops, space, 0, h, anchor + 0.01 * (1 + k % 3), 1);
    for (int n = 0; n < 60; n++) must(ga_integrator_step(it), ga_integrator_error(it));
    ga_integrator_free(it);
  }
  ga_space_free(space);
}

/* ---- a second start -------------------------------------------------------------------------- */

static int two_masses(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  M->val[0] = M->val[3] = 1;
  return 0;
}
static int weight(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)q, (void)v;
  F[0] = 0, F[1] = -9.81;
  return 0;
}
static int moved_circle(void *user, double t, const double *q, double *g) {
  (void)user;
  double x = q[0] - 0.1 * sin(20 * t);
  g[0] = (x * x + q[1] * q[1] - 1) / 2;
  return 0;
}

/* Automatic steps leave their size to the quotients of g_t: not beyond a new start. */
static void test_second_start(void **state) {
  (void)state;
  const ga_model_ops ops = {.mass = two_masses, .force = weight, .holonomic = moved_circle};
  ga_space *space = NULL;
  ga_integrator *it = NULL;
  must(ga_space_rn(2, &space), NULL);
  const ga_model model = {.ops = &ops, .space = space, .nlam = 1, .const_mass = true};
  const double q0[2] = {0.6, -0.8}, v0[2] = {0, 0};
  ga_options o = ga_options_default();
  o.rtol = o.atol = o.h = 1e-6;
  o.h_max = 2e-6;
  o.initial = GA_INITIAL_PROJECT;
  double first[5];
  must(ga_integrator_new(&model, &o, &it, NULL), NULL);
  for (int n = 0; n < 2; n++) {
    must(ga_integrator_start(it, 0, q0, v0), ga_integrator_error(it));
    must(ga_integrator_run(it, 1e-4), ga_integrator_error(it));
    const ga_state *s = ga_integrator_state(it);
    const double now[5] = {s->q[0], s->q[1], s->v[0], s->vd[0], s->lam[0]};
    if (n == 0) memcpy(first, now, sizeof now);
    assert_memory_equal(first, now, sizeof now);
  }
  ga_integrator_free(it);
  ga_space_free(space);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_relay),
                                     cmocka_unit_test(test_far_spring),
                                     cmocka_unit_test(test_second_start)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

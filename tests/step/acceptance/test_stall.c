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

/* How far q_1 is from the root of the step, in roundings of the summands of q_1: the imbalance
 * m v' - F divided by its derivative by q_1, m/(beta h^2) + K at the smallest. summands: |q| before
 * the step and the way that it made. */
static double relay_error(const ga_state *s, double h, double summands) {
  const long double q = s->q[0], r = hypotl(q, body.width), inertia = body.mass * s->vd[0];
  const long double F = -body.force * q / r, K = body.force * body.width * body.width / (r * r * r);
  const long double error = fabsl(inertia - F) / (body.mass / ((long double)h * h) + K);
  return (double)(error / ((long double)DBL_EPSILON * summands));
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
    const ga_state *s = ga_integrator_state(it);
    const double tolerance = 1e-12 / DBL_EPSILON; /* newton_tol */
    double q = s->q[0], v = s->v[0], a = s->a[0];
    for (int n = 0; n < 50 && ga_integrator_step(it) == GA_OK; n++, accepted++) {
      double summands = fabs(q) + h * fabs(v) + h * h * (fabs(a) + fabs(s->vd[0]));
      double error = relay_error(s, h, summands);
      if (!(error <= 16 + tolerance)) fail_msg("run %d, step %d: %g roundings", k, n + 1, error);
      q = s->q[0], v = s->v[0], a = s->a[0];
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

/* ---- a jump ---------------------------------------------------------------------------------- */

/* friction on a belt whose speed is 1, and a body beside it with a force of its own */
static struct { double friction, shake, other, damping; } belt;

static double side_of(double x) {
  return (x > 0) - (x < 0);
}
static int belt_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  M->val[0] = 1, M->val[1] = 1e6;
  return 0;
}
static int belt_force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)q;
  F[0] = -belt.friction * side_of(v[0] - 1) + belt.shake * cos(3e4 * t);
  F[1] = belt.other * cos(t);
  return 0;
}
static int belt_tangents(void *user, double t, const double *q, const double *v, const double *x,
                         const double *lam, const double *psi, ga_csr *Kt, ga_csr *Ct) {
  (void)user, (void)t, (void)q, (void)v, (void)x, (void)lam, (void)psi, (void)Kt;
  Ct->val[0] = belt.damping;
  return 0;
}

/* Just on the jump the force changes to both sides of v. That is no rounding, whatever the force on
 * another body or a tangent that is far too stiff may say. */
static void test_belt(void **state) {
  (void)state;
  int ptr[] = {0, 1, 2}, col[] = {0, 1};
  const ga_csr apart = {.nrow = 2, .ncol = 2, .ptr = ptr, .col = col};
  ga_space *space = NULL;
  must(ga_space_rn(2, &space), NULL);
  for (int n = 0; n < 200; n++) {
    const ga_model_ops ops = {
        .mass = belt_mass, .force = belt_force, .force_tangents = n % 2 ? belt_tangents : NULL};
    const ga_model model = {
        .ops = &ops, .space = space, .pat_M = &apart, .pat_K = &apart, .const_mass = true};
    const double q[2] = {0, 0}, v[2] = {1, 0};
    ga_options o = ga_options_default();
    ga_integrator *it = NULL;
    belt.friction = 10 - n % 4;
    belt.shake = 1e-3 * pow(3, n % 5);
    belt.other = n % 3 ? 1e13 : 1;
    belt.damping = pow(10, 6 + n % 10);
    o.h = 1e-5;
    o.start = GA_START_PLAIN;
    must(ga_integrator_new(&model, &o, &it, NULL), NULL);
    must(ga_integrator_start(it, 0, q, v), ga_integrator_error(it));
    for (int k = 0; k < 8 && ga_integrator_step(it) == GA_OK; k++) {
      const ga_state *s = ga_integrator_state(it);
      double F[2];
      belt_force(NULL, s->t, s->q, s->v, F);
      assert_true(fabs(s->vd[0] - F[0]) <= 1e-8 * (fabs(s->vd[0]) + fabs(F[0])));
    }
    ga_integrator_free(it);
  }
  ga_space_free(space);
}

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
/* ---- coordinates that are displacements ------------------------------------------------------ */

static double radius;

static int hung_circle(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  g[0] = (q[0] * q[0] + (q[1] - radius) * (q[1] - radius) - radius * radius) / 2;
  return 0;
}
static int hung_gradient(void *user, double t, const double *q, ga_csr *G) {
  (void)user, (void)t;
  G->val[0] = q[0], G->val[1] = q[1] - radius;
  return 0;
}

/* A pendulum near rest, which hangs at the origin: g is rounded like its radius, as the model says,
 * not like q. The period, to which the steps add the usual part, shows that the motion is right. */
static void test_displacements(void **state) {
  (void)state;
  const ga_model_ops ops = {.mass = two_masses,
                            .force = weight,
                            .holonomic = hung_circle,
                            .holonomic_jac = hung_gradient};
  ga_space *space = NULL;
  must(ga_space_rn(2, &space), NULL);
  for (int n = 0; n < 24; n++) {
    radius = n % 2 ? 1.3713 : 370;
    const double size[2] = {radius, radius}, angle = pow(10, -1 - n % 6), w = sqrt(9.81 / radius);
    const ga_model model = {.ops = &ops,
                            .space = space,
                            .nlam = 1,
                            .const_mass = true,
                            .scleronomic = true,
                            .q_size = size};
    const double half = sin(angle / 2);
    const double q[2] = {radius * sin(angle), 2 * radius * half * half}, v[2] = {0, 0};
    ga_options o = ga_options_default();
    ga_integrator *it = NULL;
    o.h = (n / 2 % 2 ? 1e-2 : 1e-3) / w;
    o.method = n / 12 ? "stab2" : "index3";
    must(ga_integrator_new(&model, &o, &it, NULL), NULL);
    must(ga_integrator_start(it, 0, q, v), ga_integrator_error(it));
    must(ga_integrator_run(it, 6.283185307179586 / w), ga_integrator_error(it));
    const ga_state *s = ga_integrator_state(it);
    assert_true(fabs(s->q[0] - q[0]) <= (0.01 + angle * angle) * fabs(q[0]));
    assert_true(fabs(s->v[0]) <= (0.01 + angle * angle) * w * fabs(q[0]));
    ga_integrator_free(it);
  }
  ga_space_free(space);
}

/* ---- a second start -------------------------------------------------------------------------- */

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
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_relay), cmocka_unit_test(test_far_spring), cmocka_unit_test(test_belt),
      cmocka_unit_test(test_displacements), cmocka_unit_test(test_second_start)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Rounding in one part of a system is no excuse for errors in another. A pendulum far from the
 * origin, whose constraint is rounded to eps X, beside a part that has nothing to do with it: an
 * oscillator with a cubic spring, or a pendulum at the origin. That part must move as it does
 * alone. */
#include "support.h"

/* far: (x - X)^2 + y^2 = 1;  near: z'' = -k z^3, or x^2 + y^2 = 1 */
typedef struct {
  double X, mass_far, mass_near;
  bool far, oscillator; /* far: is it there; oscillator: or the other pendulum */
} mechanism;

static int count(const mechanism *s) { /* of coordinates */
  return (s->far ? 2 : 0) + (s->oscillator ? 1 : 2);
}

static int mass(void *user, double t, const double *q, ga_csr *M) {
  const mechanism *s = user;
  (void)t, (void)q;
  for (int i = 0; i < count(s); i++) {
    M->val[i * count(s) + i] = s->far && i < 2 ? s->mass_far : s->mass_near;
  }
  return 0;
}

static int force(void *user, double t, const double *q, const double *v, double *F) {
  const mechanism *s = user;
  const int n = count(s);
  (void)t, (void)v;
  for (int i = 0; i < n; i++) F[i] = 0;
  if (s->far) F[1] = -9.81 * s->mass_far;
  if (s->oscillator) F[n - 1] = -100 * q[n - 1] * q[n - 1] * q[n - 1];
  if (!s->oscillator) F[n - 1] = -9.81 * s->mass_near;
  return 0;
}

static int holonomic(void *user, double t, const double *q, double *g) {
  const mechanism *s = user;
  int row = 0;
  (void)t;
  if (s->far) g[row++] = (q[0] - s->X) * (q[0] - s->X) + q[1] * q[1] - 1, q += 2;
  if (!s->oscillator) g[row] = q[0] * q[0] + q[1] * q[1] - 1;
  return 0;
}

static int holonomic_jac(void *user, double t, const double *q, ga_csr *G) {
  const mechanism *s = user;
  const int n = count(s);
  double *row = G->val;
  (void)t;
  if (s->far) row[0] = 2 * (q[0] - s->X), row[1] = 2 * q[1], row += n;
  if (!s->oscillator) row[n - 2] = 2 * q[n - 2], row[n - 1] = 2 * q[n - 1];
  return 0;
}

static const ga_model_ops ops = {
    .mass = mass, .force = force, .holonomic = holonomic, .holonomic_jac = holonomic_jac};

/* the coordinates of the near part over the run, n_steps x 2 */
static void run(const mechanism *s, const char *method, double tol, int steps, double *near) {
  const int n = count(s), nlam = s->far + !s->oscillator, first = s->far ? 2 : 0;
  ga_space *space = NULL;
  ga_error err = {0};
  assert_int_equal(ga_space_rn(n, &space), GA_OK);
  ga_model model = {.ops = &ops,
                    .user = (void *)(uintptr_t)s,
                    .space = space,
                    .nlam = nlam,
                    .const_mass = true,
                    .scleronomic = true};
  ga_options o = ga_options_default();
  o.method = method;
  o.h = 1e-3;
  o.newton_tol = tol;
  o.matrix_every = tol < 1e-13;
  ga_integrator *it = NULL;
  must(ga_integrator_new(&model, &o, &it, &err), &err);
  double q[4] = {s->X + 1, 0, 0, 0}, v[4] = {0};
  if (!s->far) q[0] = 0;
  q[first] = s->oscillator ? 0.5 : 1;
  must(ga_integrator_start(it, 0, q, v), ga_integrator_error(it));
  for (int k = 0; k < steps; k++) {
    must(ga_integrator_step(it), ga_integrator_error(it));
    near[2 * k] = ga_integrator_state(it)->q[first];
    near[2 * k + 1] = ga_integrator_state(it)->q[n - 1];
  }
  ga_integrator_free(it);
  ga_space_free(space);
}

enum { STEPS = 600 };

/* largest difference of the near part's motion beside the far one and alone */
static double disturbed(const mechanism *both, const char *method) {
  static double beside[2 * STEPS], alone[2 * STEPS];
  mechanism near = *both;
  near.far = false;
  run(both, method, 1e-12, STEPS, beside);
  run(&near, method, 1e-14, STEPS, alone);
  return vector_error(2 * STEPS, beside, alone);
}

/* measured: up to 8e-10; where rounding of the one part excused errors of the other: 1e-5 */
static void test_oscillator(void **state) {
  (void)state;
  const char *const methods[] = {"index3", "stab2"};
  for (int m = 0; m < 2; m++) {
    for (int k = 0; k < 2; k++) {
      const mechanism both = {k ? 1e3 : 0, 1, 1e-3, true, true};
      double error = disturbed(&both, methods[m]);
      assert_true(error < 5e-9);
    }
  }
}

static void test_pendulum(void **state) {
  (void)state;
  const char *const methods[] = {"index3", "stab2"};
  const double masses[][2] = {{1, 1}, {1e6, 1e-6}, {1e-6, 1e6}};
  for (int m = 0; m < 2; m++) {
    for (int k = 0; k < 3; k++) {
      const mechanism both = {1e6, masses[k][0], masses[k][1], true, false};
      double error = disturbed(&both, methods[m]);
      assert_true(error < 1e-11);
    }
  }
}

/* A column of ten masses, each on a spring and a dashpot above the one before, comes to rest. Then
 * the forces are nothing but the roundings of heights of some metres, times a large stiffness. A
 * probe that moves two ends of a spring alike does not see them. The system is linear. */
enum { FLOORS = 10 };
static const double stiffness = 1e10;

static int column_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  for (int i = 0; i < FLOORS; i++) M->val[i * FLOORS + i] = 1;
  return 0;
}

static int column_force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t;
  memset(F, 0, FLOORS * sizeof(double));
  for (int i = 0; i < FLOORS; i++) {
    double length = q[i] - (i ? q[i - 1] : 0), speed = v[i] - (i ? v[i - 1] : 0);
    double pull = stiffness * (length - 1) + 2 * sqrt(stiffness) * speed;
    F[i] -= pull;
    if (i) F[i - 1] += pull;
  }
  return 0;
}

static void test_column_at_rest(void **state) {
  (void)state;
  static const ga_model_ops column = {.mass = column_mass, .force = column_force};
  double q[FLOORS], v[FLOORS] = {0};
  ga_space *space;
  ga_integrator *it;
  ga_error err;
  ga_options o = ga_options_default();
  assert_int_equal(ga_space_rn(FLOORS, &space), GA_OK);
  const ga_model model = {.ops = &column, .space = space, .const_mass = true, .scleronomic = true};
  o.h = 1e-2;
  o.par = ga_params_rho(0.5);
  for (int i = 0; i < FLOORS; i++) q[i] = 1.0001 * (i + 1);
  assert_int_equal(ga_integrator_new(&model, &o, &it, &err), GA_OK);
  assert_int_equal(ga_integrator_start(it, 0, q, v), GA_OK);
  assert_int_equal(ga_integrator_run(it, 2.5), GA_OK);
  for (int i = 0; i < FLOORS; i++) {
    assert_true(fabs(ga_integrator_state(it)->q[i] - (i + 1)) < 1e-13);
  }
  assert_true(ga_integrator_stats(it)->newton_its < 3 * ga_integrator_stats(it)->steps);
  ga_integrator_free(it);
  ga_space_free(space);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_oscillator),
      cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_column_at_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

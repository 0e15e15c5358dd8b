/* SPDX-License-Identifier: MIT */
/* Automatic steps and a very stiff spring: what is below the tolerance is not resolved, what is
 * above is. */
#include "small_models.h"

static const double horizontal[] = {1, 0}, at_rest[] = {0, 0};

/* where a pendulum on a rigid rod is */
static void rigid(double t, double *q) {
  double a = rod_angle(t);
  q[0] = cos(a);
  q[1] = -sin(a);
}

/* A spring pendulum, of frequency up to 1e6, released at the rest length: it swings like one on a
 * rod, with about as many steps, for every stiffness. */
static void test_below_tolerance(void **state) {
  (void)state;
  small s;
  double ref[2];
  rigid(2, ref);
  small_open(&s, 2, spring_force, false);
  for (int rho = 5; rho <= 9; rho += 4) {
    for (s.k = 1e6; s.k < 2e12; s.k *= 100) {
      for (int absolute = 0; absolute < 2; absolute++) {
        ga_options o = ga_options_default();
        o.par = ga_params_rho(0.1 * rho);
        o.rtol = 1e-4;
        o.h_max = INFINITY;
        o.atol = absolute * 1e-6;
        ga_integrator *it = small_start(&s, &o, horizontal, at_rest);
        must(ga_integrator_run(it, 0.08), ga_integrator_error(it));
        assert_in_range(ga_integrator_stats(it)->steps, 5, 1000);
        must(ga_integrator_run(it, 2), ga_integrator_error(it));
        assert_in_range(ga_integrator_stats(it)->steps, 400, 4000);
        assert_between("error", vector_error(2, ga_integrator_state(it)->q, ref) / o.rtol, 0, 10);
        ga_integrator_free(it);
      }
    }
  }
  small_close(&s);
}

/* Smaller tolerances: more steps, as on a rod, and smaller errors, h^2 ~ tol and error ~ h^2. */
static void test_tolerances(void **state) {
  (void)state;
  small s;
  double ref[2];
  rigid(1, ref);
  small_open(&s, 2, spring_force, false);
  s.k = 1e12;
  for (int l = 0; l < 4; l++) {
    ga_options o = ga_options_default();
    o.rtol = pow(10, -3 - l);
    o.h_max = INFINITY;
    ga_integrator *it = small_start(&s, &o, horizontal, at_rest);
    must(ga_integrator_run(it, 1), ga_integrator_error(it));
    assert_between("steps", (double)ga_integrator_stats(it)->steps / pow(10, 0.5 * l), 80, 200);
    double error = vector_error(2, ga_integrator_state(it)->q, ref);
    assert_between("error", error / o.rtol, 0.1, 1);
    ga_integrator_free(it);
  }
  small_close(&s);
}

/* A vibration of a hundred times the tolerance: twenty periods of it, right to some per cent of the
 * amplitude. */
static void test_above_tolerance(void **state) {
  (void)state;
  small s;
  const double off[] = {1.01, 0};
  double q[2][2];
  small_open(&s, 2, spring_force, false);
  s.k = 1e6;
  for (int automatic = 0; automatic < 2; automatic++) {
    ga_options o = ga_options_default();
    o.h = automatic ? 1e-3 : 2e-6;
    o.rtol = automatic ? 1e-6 : 0;
    o.h_max = INFINITY;
    o.atol = automatic ? 1e-6 : 0;
    ga_integrator *it = small_start(&s, &o, off, at_rest);
    must(ga_integrator_run(it, 0.126), ga_integrator_error(it));
    memcpy(q[automatic], ga_integrator_state(it)->q, sizeof q[0]);
    if (automatic) assert_true(ga_integrator_stats(it)->h_largest < 1e-3);
    ga_integrator_free(it);
  }
  assert_between("error over amplitude", vector_error(2, q[0], q[1]) / 0.01, 0, 0.1);
  small_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_below_tolerance),
      cmocka_unit_test(test_tolerances),
      cmocka_unit_test(test_above_tolerance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Beams of infinitely many elements: results for n, 2n, 4n elements, extrapolated, against values of
 * the continuum that others computed by shooting, and against closed forms. */
#include "clamped_beam.h"

enum { RUNS = 4 };

/* Limit of results x with n, 2n, 4n, 8n elements, a series in n^-2 (Richardson); x is overwritten. */
static double limit(double *x) {
  for (int order = 2; order < 2 * RUNS; order += 2) {
    for (int i = 0; i < RUNS - order / 2; i++) {
      x[i] = x[i + 1] + (x[i + 1] - x[i]) / (exp2(order) - 1);
    }
  }
  return x[0];
}

/* tip <- the extrapolated tip, from n elements on */
static void tip_limit(clamped c, double *tip) {
  double x[3][RUNS];
  for (int i = 0; i < RUNS; i++, c.n *= 2) {
    double end[3];
    assert_int_equal(tip_at_rest(&c, end), 0);
    for (int k = 0; k < 3; k++) x[k][i] = end[k];
  }
  for (int k = 0; k < 3; k++) tip[k] = limit(x[k]);
}

static void statics(void **state) {
  (void)state;
  double x[3];
  const double EI = 1e7 / 12;
  const clamped bend = {
      .n = 4,
      .bend = true,
      .section =
          {.EA = 1e7, .GA = {5e6, 5e6}, .GJ = EI, .EI = {EI, EI}, .rhoA = 1, .rhoI = {1, 1, 1}},
      .force = {0, 0, 600}};
  tip_limit(bend, x);
  near3("bend", x, 47.15043857, 15.68480053, 53.47485879, 1e-9);
  near3("bend, published", x, 47.2, 15.9, 53.4, 5e-3); /* Bathe, Bolourchi (1979), eight elements */
  clamped elastica = {.n = 8, .section = UNIT_SECTION, .force = {0, -10, 0}};
  tip_limit(elastica, x);
  near3("elastica", x, 0.44500440225, -0.81061902488, 0, 1e-9);
  const clamped weight = {.n = 8, .section = UNIT_SECTION, .gravity = {0, -20, 0}};
  tip_limit(weight, x);
  near3("own weight", x, 0.44523205224, -0.82989144344, 0, 1e-9);
  /* nearly inextensible and stiff against shear: Mattiasson (1981), five digits */
  elastica.n = 4;
  elastica.section.EA = elastica.section.GA[0] = elastica.section.GA[1] = 1e10;
  tip_limit(elastica, x);
  near3("inextensible elastica", x, 1 - 0.55500, -0.81061, 0, 0.6e-5);
}

/* Timoshenko's beam */
static void frequencies(void **state) {
  (void)state;
  static const double hertz[3] = {16.70500187, 33.37809629, 104.4895784};
  /* squares of frequencies have the rounding eps (w_max/w)^2, with 32 elements 3e-9 for the first */
  static const int first[3] = {4, 4, 6};
  clamped c = {.section = {.EA = 1.68e8,
                           .GA = {53846153.846, 53846153.846},
                           .GJ = 5918.769230769,
                           .EI = {5600, 22400},
                           .rhoA = 6.28,
                           .rhoI = {1.0466667e-3, 2.0933333e-4, 8.3733333e-4}}};
  for (int k = 0; k < 3; k++) {
    double by_n[RUNS], f[3];
    for (int i = 0; i < RUNS; i++) {
      c.n = first[k] << i;
      lowest_frequencies(&c, f);
      by_n[i] = f[k];
    }
    const double value = limit(by_n);
    print_message("frequency %.9f Hz, %.1e off\n", value, value / hertz[k] - 1);
    assert_near("frequency", value, hertz[k], 5e-9);
  }
}

/* Dead load at the tip at which a strip buckles sideways: one eigenvalue changes its sign there. */
static double critical_load(int n) {
  double low = 4, high = 4.5, x[3];
  clamped c = {
      .n = n,
      .section = {
          .EA = 1e8, .GA = {1e8, 1e8}, .GJ = 1, .EI = {1, 1e6}, .rhoA = 1, .rhoI = {1, 1, 1}}};
  while (high - low > 1e-9) {
    c.force[1] = -0.5 * (low + high);
    const int negative = tip_at_rest(&c, x);
    assert_true(negative == 0 || negative == 1);
    *(negative ? &high : &low) = -c.force[1];
  }
  return 0.5 * (low + high);
}

static void lateral_buckling(void **state) {
  (void)state;
  double load[RUNS];
  for (int i = 0; i < RUNS; i++) load[i] = critical_load(4 << i);
  assert_true(fabs(load[1] - 4.0433730) < 0.6e-7);
  const double value = limit(load);
  print_message("load %.9f\n", value);
  assert_true(fabs(value - 4.01260) < 0.6e-5);
}

/* One element is exact in pure bending: a torque theta EI/L at its tip bends it to an arc. */
static void one_element(void **state) {
  (void)state;
  for (int k = 1; k <= 9; k++) {
    const double theta = 0.05 * k * 2 * pi_;
    const clamped c = {
        .n = 1,
        .section =
            {.EA = 1e3, .GA = {1e3, 1e3}, .GJ = 1, .EI = {1, 1}, .rhoA = 1, .rhoI = {1, 1, 1}},
        .torque = {0, 0, theta}};
    double x[3];
    tip_at_rest(&c, x);
    near3("arc", x, sin(theta) / theta, (1 - cos(theta)) / theta, 0, 1e-13);
  }
}

/* The arm that turns with w = 6 rad/s is longer by tan(k L)/k - L, k^2 = w^2 rhoA/EA. Strain rates are
 * damped, so it comes to rest in rotating axes. */
static void steady_stretch(void **state) {
  (void)state;
  const double w = 6, L = 10, k = w * sqrt(1.2 / 2.8e7);
  double stretch[3];
  for (int i = 0; i < 3; i++) {
    ga_mechanism *m = mechanism_new(NULL);
    ga_beam_node nodes[17];
    ga_error err = {0};
    const int n = 2 << i;
    must(ga_beam_line((double[3]){0, 0, 0}, (double[3]){L, 0, 0}, NULL, n, nodes, &err), &err);
    const ga_beam beam = {.name = "arm",
                          .elements = n,
                          .nodes = nodes,
                          .section = {.EA = 2.8e7,
                                      .GA = {1e7, 1e7},
                                      .GJ = 1.4e4,
                                      .EI = {1.4e4, 1.4e4},
                                      .rhoA = 1.2,
                                      .rhoI = {1.2e-3, 6e-4, 6e-4}},
                          .damping = {2e-3, 2e-3, 2e-3, 0.1, 0.1, 0.1},
                          .angular_velocity = {0, 0, w}};
    must(ga_mechanism_beam(m, &beam, &err), &err);
    ADD(joint, m, .name = "base", .type = "revolute", .between = {"ground", "arm.start"},
        .axis = GA_IN_SPACE(0, 0, 1));
    ADD(drive, m, .name = "motor", .coordinate = "base.angle", .position = {.text = "6*t"});
    build(m);
    ga_options o = ga_options_default();
    o.h = 0.005;
    o.par = ga_params_rho(0.5);
    ga_integrator *it = mechanism_started(m, &o);
    must(ga_integrator_run(it, 10), ga_integrator_error(it));
    const ga_state *end = ga_integrator_state(it);
    const double x = ga_mechanism_output(m, end, ga_mechanism_column_index(m, "arm.end.x")),
                 y = ga_mechanism_output(m, end, ga_mechanism_column_index(m, "arm.end.y"));
    stretch[i] = hypot(x, y) - L;
    ga_integrator_free(it);
    ga_mechanism_free(m);
  }
  const double exact = tan(k * L) / k - L;
  print_message("stretch: %.1e %.1e %.1e of %.7e\n", stretch[0] / exact - 1, stretch[1] / exact - 1,
                stretch[2] / exact - 1, exact);
  assert_near("closed form", exact, 5.1432e-4, 1e-5);
  assert_near("stretch", stretch[2], exact, 1e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(statics), cmocka_unit_test(frequencies), cmocka_unit_test(lateral_buckling),
      cmocka_unit_test(one_element), cmocka_unit_test(steady_stretch)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

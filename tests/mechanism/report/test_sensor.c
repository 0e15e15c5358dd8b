/* SPDX-License-Identifier: MIT */
/* Sensors of a body in free fall that turns about z, against values by hand: motion of a point,
 * distance and its rate, angle between directions. */
#include "redundant_runs.h"

/* At (1, 0, 0) m, with (1, 3, 0) m/s and 2 rad/s about z; the gravity is 9.81 m/s^2. */
static ga_mechanism *falling_body(void) {
  ga_mechanism *m = mechanism_new(down_z);
  ADD(body, m, .name = "box", .mass = 1, .inertia = {0.1, 0.1, 0.1}, .position = {1, 0, 0},
      .velocity = {1, 3, 0}, .angular_velocity = {0, 0, 2});
  ADD(sensor, m, .name = "tip", .type = "point", .body = "box", .at = GA_ON_A(0.5, 0, 0));
  ADD(sensor, m, .name = "gap", .type = "distance", .between = {"ground", "box"});
  ADD(sensor, m, .name = "same", .type = "distance", .between = {"ground", "box"},
      .at = GA_ON_BOTH(1, 0, 0, 0, 0, 0));
  ADD(sensor, m, .name = "turn", .type = "angle", .between = {"ground", "box"},
      .directions = GA_ON_BOTH(1, 0, 0, 0, 1, 0));
  build(m);
  return m;
}

static void values_by_hand(void **state) {
  (void)state;
  static const struct {
    const char *column;
    double value;
  } expected[] = {{"tip.x", 1.5},
                  {"tip.y", 0},
                  {"tip.vx", 1},
                  {"tip.vy", 3 + 2 * 0.5},
                  {"tip.ax", -2 * 2 * 0.5},
                  {"tip.ay", 0},
                  {"tip.az", -9.81},
                  {"gap", 1},
                  {"gap_rate", 1},
                  {"same", 0},
                  {"same_rate", 3.1622776601683795}, /* the speed where the distance is zero */
                  {"turn", 1.5707963267948966}};
  ga_mechanism *m = falling_body();
  ga_options o = ga_options_default();
  ga_integrator *it = mechanism_started(m, &o);
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    const double value = column_of(m, it, expected[i].column);
    if (!(fabs(value - expected[i].value) <= 1e-12)) {
      fail_msg("%s is %.15g, not %.15g", expected[i].column, value, expected[i].value);
    }
  }
  ga_integrator_free(it);
  ga_mechanism_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(values_by_hand)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

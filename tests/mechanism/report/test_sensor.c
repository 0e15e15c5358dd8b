/* SPDX-License-Identifier: MIT */
/* Sensors of a body in free fall that turns about z, against values by hand: motion of a point,
 * distance and its rate, angle between directions. */
#include "lie/lie.h"
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

/* A carrousel A turns with 2 rad/s about z and is turned by 0.5; B is turned relative to it by yaw,
 * pitch and roll, and moves in space. */
static void relative_and_orientation(void **state) {
  (void)state;
  const double angle = 0.5, at[3] = {2, 1, 0.3}, v[3] = {0.4, -1, 0.7};
  static const double turns[][3] = {
      {0.3, -0.7, 2.1}, {-3, 1.2, -0.4}, {0, 1.5707963267948966, 0.6}};
  for (int k = 0; k < 3; k++) {
    const double *rpy = turns[k];
    double qa[4] = {cos(angle / 2), 0, 0, sin(angle / 2)}, q[4], turn[4];
    memcpy(q, qa, sizeof q);
    for (int i = 2; i >= 0; i--) { /* Rz(yaw) Ry(pitch) Rx(roll) */
      turn[0] = cos(rpy[i] / 2), turn[1] = turn[2] = turn[3] = 0;
      turn[1 + i] = sin(rpy[i] / 2);
      ga_quat_mul(q, turn, q);
    }
    ga_mechanism *m = mechanism_new(NULL);
    ADD(body, m, .name = "a", .mass = 1, .inertia = {1, 1, 1}, .angular_velocity = {0, 0, 2},
        .orientation = {qa[0], qa[1], qa[2], qa[3]});
    ADD(body, m, .name = "b", .mass = 1, .inertia = {1, 1, 1}, .position = {at[0], at[1], at[2]},
        .velocity = {v[0], v[1], v[2]}, .orientation = {q[0], q[1], q[2], q[3]});
    ADD(sensor, m, .name = "seen", .type = "relative", .between = {"a", "b"});
    ADD(sensor, m, .name = "rpy", .type = "orientation", .between = {"a", "b"});
    build(m);
    ga_options o = ga_options_default();
    ga_integrator *it = mechanism_started(m, &o);
    const double c = cos(angle), s = sin(angle);
    const double seen[3] = {v[0] + 2 * at[1], v[1] - 2 * at[0], v[2]}; /* v - w x r */
    assert_true(fabs(column_of(m, it, "seen.x") - (c * at[0] + s * at[1])) < 1e-13);
    assert_true(fabs(column_of(m, it, "seen.y") - (c * at[1] - s * at[0])) < 1e-13);
    assert_true(fabs(column_of(m, it, "seen.z") - at[2]) < 1e-13);
    assert_true(fabs(column_of(m, it, "seen.vx") - (c * seen[0] + s * seen[1])) < 1e-13);
    assert_true(fabs(column_of(m, it, "seen.vy") - (c * seen[1] - s * seen[0])) < 1e-13);
    assert_true(fabs(column_of(m, it, "seen.vz") - seen[2]) < 1e-13);
    assert_true(fabs(column_of(m, it, "rpy.roll") - rpy[0]) < 1e-7);
    assert_true(fabs(column_of(m, it, "rpy.pitch") - rpy[1]) < 1e-7);
    assert_true(fabs(column_of(m, it, "rpy.yaw") - rpy[2]) < 1e-7);
    ga_integrator_free(it);
    ga_mechanism_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(values_by_hand),
                                     cmocka_unit_test(relative_and_orientation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

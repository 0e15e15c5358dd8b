/* SPDX-License-Identifier: MIT */
/* Gears with play: free flight until the teeth touch, a collision that keeps energy, and the momentum
 * that gears keep. */
#include "run_text.h"

#define GEARS                                                                \
  "genalpha: 1\n"                                                            \
  "bodies:\n"                                                                \
  "  pinion: {kind: planar, mass: 1, inertia: 0.01, angular_velocity: 10}\n" \
  "  wheel: {kind: planar, mass: 5, inertia: 0.3, position: [0.5, 0]}\n"     \
  "joints:\n"                                                                \
  "  a: {type: revolute, between: [ground, pinion], at: [0, 0]}\n"           \
  "  b: {type: revolute, between: [ground, wheel], at: [0.5, 0]}\n"

/* With e = a + 3 b the reduced inertia is J = 1/(1/0.01 + 9/0.3) = 1/130. The teeth touch when e =
 * gap/2 and part half a period pi sqrt(J/k) later, with e' reversed: pinion 10 - 20 J/0.01, wheel
 * -3 20 J/0.3. */
static void collision(void **state) {
  (void)state;
  const double J = 1 / 130.0, k = 2000, touch = 0.005 / 10,
               taut = 3.14159265358979323846 * sqrt(J / k);
  static const char text[] = GEARS
      "forces: {mesh: {type: backlash, sum: {a.angle: 1, b.angle: 3}, gap: 0.01, stiffness: "
      "2000}}\n";
  double x[5];
  run_text(text, 50, 0.9 * touch, x, "a.angle_rate", "mesh.offset", "mesh.rate", "mesh.effort",
           "b.angle_rate", NULL);
  assert_close("before", x[0], 10, 1e-12);
  assert_close("offset", x[1], 0.0045, 1e-12);
  assert_close("rate", x[2], 10, 1e-12);
  assert_true(x[3] == 0 && x[4] == 0);
  run_text(text, 4000, touch + taut / 2, x, "mesh.effort", "energy.total", "mesh.rate", NULL);
  assert_close("deepest", x[0], -10 * sqrt(k * J), 1e-4);
  assert_close("energy", x[1], 0.5, 1e-6);
  assert_close("rest", x[2], 0, 1e-2);
  run_text(text, 4000, touch + taut + 1e-4, x, "a.angle_rate", "b.angle_rate", "mesh.effort",
           "energy.total", NULL);
  assert_close("pinion", x[0], 10 - 20 * J / 0.01, 1e-4);
  assert_close("wheel", x[1], -3 * 20 * J / 0.3, 1e-4);
  assert_true(x[2] == 0);
  assert_close("energy", x[3], 0.5, 1e-5);
}

/* the other flank, and a middle that is given */
static void middle(void **state) {
  (void)state;
  double x[3];
  run_text(GEARS
           "forces: {mesh: {type: backlash, sum: {a.angle: 1, b.angle: 3}, gap: 0.01,\n"
           "                free: 0.2, stiffness: 2000, damping: 1}}\n",
           10, 1e-6, x, "mesh.offset", "mesh.effort", NULL);
  assert_close("offset", x[0], -0.2, 1e-4);
  assert_close("effort", x[1], 2000 * 0.195 - 10, 0.1);
}

static void refused(void **state) {
  (void)state;
  refused_text(GEARS "forces: {mesh: {type: backlash, sum: {a.angle: 1}, gap: -1, stiffness: 1}}\n",
               "gap and damping not negative");
  refused_text(GEARS "forces: {mesh: {type: backlash, sum: {a.angel: 1}, stiffness: 1}}\n",
               "has no coordinate 'angel'");
  refused_text(GEARS "forces: {mesh: {type: backlash, sum: {a.angle: 0}, stiffness: 1}}\n",
               "the coefficient of 'a.angle' is 0");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(collision), cmocka_unit_test(middle),
                                     cmocka_unit_test(refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

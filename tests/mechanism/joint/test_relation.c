/* SPDX-License-Identifier: MIT */
/* Couplers with a function: a cycloidal cam, a screw whose pitch varies; a table as a cam; messages. */
#include "run_text.h"

static const double pi_ = 3.14159265358979323846;

#define BODIES                                                                  \
  "genalpha: 1\n"                                                               \
  "bodies:\n"                                                                   \
  "  shaft: {mass: 1, inertia: [0.1, 0.1, 0.1], angular_velocity: [0, 0, 2]}\n" \
  "  valve: {mass: 0.3, inertia: [1e-3, 1e-3, 1e-3], position: [0, 0.1, 0]}\n"  \
  "joints:\n"                                                                   \
  "  bearing: {type: revolute, between: [ground, shaft], axis: [0, 0, 1]}\n"    \
  "  guide: {type: prismatic, between: [ground, valve], axis: [0, 1, 0]}\n"

/* Cycloidal rise, lift h over the angle b: y = h (x - sin(2 pi x)/(2 pi)), x = angle/b. The shaft
 * turns with w: y'' = 2 pi h (w/b)^2 sin(2 pi x), and the cam pushes with m y''; the shaft needs the
 * torque m y'' dy/dangle, which is the power over w. */
static void cycloidal(void **state) {
  (void)state;
  static const char text[] = BODIES
      "drives: {motor: {coordinate: bearing.angle, position: 2*t}}\n"
      "couplers:\n"
      "  cam: {sum: {guide.position: 1}, equals: \"h*(bearing.angle/b - "
      "sin(2*pi*bearing.angle/b)/(2*pi))\"}\n"
      "parameters: {h: 0.02, b: 120 deg}\n";
  const double h = 0.02, b = 2 * pi_ / 3, w = 2, t = 0.3, x = w * t / b;
  const double y = h * (x - sin(2 * pi_ * x) / (2 * pi_));
  const double by = h / b * (1 - cos(2 * pi_ * x)),
               a = 2 * pi_ * h * w * w / (b * b) * sin(2 * pi_ * x);
  double v[6], error[2];
  for (int i = 0; i < 2; i++) {
    run_text(text, i ? 300 : 150, t, v, "valve.y", "valve.vy", "valve.ay", "cam.effort",
             "motor.effort", "guide.position", NULL);
    error[i] = fabs(v[3] - 0.3 * a);
  }
  assert_close("lift", v[5], y, 1e-12);
  assert_close("y", v[0], 0.1 + y, 1e-12);
  assert_close("vy", v[1], by * w, 1e-10);
  assert_close("ay", v[2], a, 1e-4);
  assert_close("force", v[3], 0.3 * a, 1e-4);
  assert_close("torque", v[4], 0.3 * a * by, 1e-5);
  assert_between("order of lam", slope(error[0], error[1]), 1.9, 2.1);
}

/* Without a drive: energy (J w^2 + m y'^2)/2 stays, y' = y_angle w, and so does the relation. A
 * function of time besides. */
static void free_cam(void **state) {
  (void)state;
  double v[4], energy[2];
  static const char text[] =
      BODIES "couplers: {cam: {sum: {guide.position: 2}, equals: 0.2*sin(bearing.angle)^2}}\n";
  for (int i = 0; i < 2; i++) {
    run_text(text, i ? 1000 : 500, 1.5, v, "guide.position", "bearing.angle", "energy.total", NULL);
    energy[i] = fabs(v[2] - 0.2);
    assert_close("relation", v[0], 0.1 * sin(v[1]) * sin(v[1]), 1e-12);
  }
  print_message("energy %.2e %.2e\n", energy[0], energy[1]);
  assert_true(energy[1] < 1e-6 && energy[1] < energy[0] / 3);
  run_text(BODIES
           "couplers: {cam: {sum: {guide.position: 1, bearing.angle: -0.1}, equals: "
           "-0.2*t + 0.1*t^2}}\n",
           500, 1, v, "guide.position", "bearing.angle", NULL);
  assert_close("rheonomic", v[0], 0.1 * v[1] - 0.1, 1e-12);
}

static void refused(void **state) {
  (void)state;
  refused_text(
      BODIES "couplers: {cam: {sum: {guide.position: 1}, equals: shaft.x}}\n",
      "couplers.cam: coupler 'cam': equals is a function of t and of coordinates of joints "
      "(JOINT.NAME), it cannot use 'shaft.x'");
  refused_text(BODIES "couplers: {cam: {sum: {guide.position: 1}, equals: bearing.angle_rate}}\n",
               "cannot use 'bearing.angle_rate'");
  refused_text(BODIES "couplers: {cam: {sum: {guide.position: 1}, equals: bearing.angel}}\n",
               "cannot use 'bearing.angel'");
  refused_text(BODIES
               "couplers: {cam: {sum: {guide.position: 1}, equals: 0.01*cos(bearing.angle)}}\n",
               "coupler 'cam' (row 1) is open by -0.01 at the start");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cycloidal), cmocka_unit_test(free_cam),
                                     cmocka_unit_test(refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* A point on a curve: Huygens' cycloid, whose swing has a period that does not depend on its width. */
#include "run_text.h"

/* A bead on x = r (s + sin s), z = -r (1 + cos s). With u = sin(s/2), u'' = -(g/4 r) u: from rest at s0,
 * sin(s/2) = sin(s0/2) cos(w t), w = sqrt(g/r)/2, at any width. The force is normal to the curve. */
static void cycloid(void **state) {
  (void)state;
  static const char text[] =
      "genalpha: 1\n"
      "gravity: [0, 0, -9.81]\n"
      "parameters: {r: 0.5, s0: 2}\n"
      "bodies: {bead: {kind: point, mass: 2, position: [r*(s0 + sin(s0)), 0, -r*(1 + cos(s0))]}}\n"
      "joints: {wire: {type: point_on_curve, between: [ground, bead], start: 1.5,\n"
      "                curve: [r*(s + sin(s)), 0, -r*(1 + cos(s))]}}\n";
  const double w = 0.5 * sqrt(9.81 / 0.5), t = 0.8;
  const double s = 2 * asin(sin(1.0) * cos(w * t));
  double x[5], error[2];
  for (int i = 0; i < 2; i++) {
    run_text(text, i ? 800 : 400, t, x, "wire.s", "bead.x", "wire.fx", "wire.fz", "energy.total",
             NULL);
    error[i] = fabs(x[0] - s);
    assert_close("x", x[1], 0.5 * (x[0] + sin(x[0])), 1e-12);
  }
  print_message("s %.9f, errors %.3e %.3e\n", s, error[0], error[1]);
  assert_between("order", slope(error[0], error[1]), 1.95, 2.05);
  /* the force: normal to the tangent (1 + cos s, sin s) */
  assert_close("normal", x[2] * (1 + cos(x[0])) + x[3] * sin(x[0]), 0, 1e-9);
  assert_close("energy", x[4], -2 * 9.81 * 0.5 * (1 + cos(2.0)), 1e-5);
}

/* In the plane, on a body that turns: a slot along x of a disk whose angle is driven. r'' = w^2 r. */
static void slot(void **state) {
  (void)state;
  double x[3];
  run_text(
      "genalpha: 1\n"
      "bodies:\n"
      "  disk: {kind: planar, mass: 1, inertia: 1, angular_velocity: 3}\n"
      "  pin: {kind: planar, mass: 0.5, inertia: 0.01, position: [0.2, 0], velocity: [0, 0.6]}\n"
      "joints:\n"
      "  hub: {type: revolute, between: [ground, disk], at: [0, 0]}\n"
      "  way: {type: point_on_curve, between: [disk, pin], curve: [2*s, 0]}\n"
      "drives: {motor: {coordinate: hub.angle, position: 3*t}}\n",
      2000, 0.5, x, "way.s", "way.s_rate", "way.fy", NULL);
  assert_close("s", x[0], 0.1 * cosh(1.5), 1e-6);
  assert_close("rate", x[1], 0.3 * sinh(1.5), 1e-6);
  assert_close("force", x[2], 0.5 * 2 * 3 * 0.6 * sinh(1.5), 1e-5); /* 2 m w r' */
}

#define HEAD                                             \
  "genalpha: 1\nbodies: {one: {kind: point, mass: 1}}\n" \
  "joints: {j: {type: point_on_curve, between: [ground, one]"
static void refused(void **state) {
  (void)state;
  refused_text(HEAD "}}\n", "type 'point_on_curve' needs curve");
  refused_text(HEAD ", curve: [s, 0]}}\n", "a list of 3 numbers or functions of s");
  refused_text(HEAD ", curve: [s, q, 0]}}\n", "m.yaml:3:71: joints.j.curve");
  refused_text(HEAD ", curve: [s, one.x, 0]}}\n", "curve is a function of s alone");
  refused_text(HEAD ", curve: [s, 1, 0]}}\n", "is open by");
  refused_text(
      "genalpha: 1\nbodies: {one: {kind: point, mass: 1}}\n"
      "joints: {j: {type: distance, between: [ground, one], curve: [s, 0, 0]}}\n",
      "has no curve");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cycloid), cmocka_unit_test(slot),
                                     cmocka_unit_test(refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

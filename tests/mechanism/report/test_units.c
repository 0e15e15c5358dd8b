/* SPDX-License-Identifier: MIT */
/* Units of a mechanism's columns: those of every kind of element, and the same name with two units.
 */
#include "genalpha/ga_file.h"
#include "support.h"

static ga_file *parsed(const char *text) {
  ga_file *file = NULL;
  ga_error err = {0};
  must(ga_file_parse("text.yaml", text, strlen(text), NULL, &file, &err), &err);
  return file;
}

typedef struct expectation {
  const char *name, *unit;
} expectation;

static void check(const char *text, const expectation *list, int n) {
  ga_file *file = parsed(text);
  const ga_mechanism *m = ga_file_mechanism(file);
  for (int k = 0; k < n; k++) {
    const int i = ga_mechanism_column_index(m, list[k].name);
    if (i < 0) fail_msg("there is no column %s", list[k].name);
    const char *unit = ga_mechanism_column_unit(m, i);
    if (strcmp(unit, list[k].unit) != 0) {
      fail_msg("%s: '%s', not '%s'", list[k].name, unit, list[k].unit);
    }
  }
  assert_null(ga_mechanism_column_unit(m, -1));
  assert_null(ga_mechanism_column_unit(m, ga_mechanism_columns(m)));
  ga_file_free(file);
}

#define CHECK(text, list) check(text, list, (int)(sizeof list / sizeof list[0]))

static void in_space(void **state) {
  (void)state;
  static const expectation list[] = {{"t", "s"},
                                     {"arm.x", "m"},
                                     {"arm.e0", "1"},
                                     {"arm.vz", "m/s"},
                                     {"arm.wy", "rad/s"},
                                     {"arm.ax", "m/s^2"},
                                     {"arm.alz", "rad/s^2"},
                                     {"ball.vx", "m/s"},
                                     {"hinge.fx", "N"},
                                     {"hinge.mz", "N m"},
                                     {"hinge.Fy", "N"},
                                     {"slot.Fz", "N"},
                                     {"hinge.angle", "rad"},
                                     {"hinge.angle_rate", "rad/s"},
                                     {"slot.position", "m"},
                                     {"slot.position_rate", "m/s"},
                                     {"slot.angle", "rad"},
                                     {"string.tension", "N"},
                                     {"turn.effort", "N m"},
                                     {"push.effort", "N"},
                                     {"screw.effort", ""},
                                     {"brake.effort", "N m"},
                                     {"band.length", "m"},
                                     {"band.rate", "m/s"},
                                     {"band.force", "N"},
                                     {"rubber.fz", "N"},
                                     {"rubber.mx", "N m"},
                                     {"tip.x", "m"},
                                     {"tip.ay", "m/s^2"},
                                     {"gap", "m"},
                                     {"gap_rate", "m/s"},
                                     {"tilt", "rad"},
                                     {"energy.total", "J"},
                                     {"momentum.y", "kg m/s"},
                                     {"angular_momentum.z", "kg m^2/s"}};
  CHECK(
      "genalpha: 1\n"
      "bodies:\n"
      "  arm: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
      "  bolt: {mass: 1, inertia: [1, 1, 1], position: [0, 1, 0]}\n"
      "  free: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 2]}\n"
      "  ball: {kind: point, mass: 1, position: [0, 0, 3]}\n"
      "joints:\n"
      "  hinge: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1]}\n"
      "  slot: {type: cylindrical, between: [ground, bolt], at: [0, 1, 0], axis: [0, 0, 1]}\n"
      "  string: {type: distance, between: [free, ball]}\n"
      "drives:\n"
      "  turn: {coordinate: hinge.angle, position: \"t^2\"}\n"
      "  push: {coordinate: slot.position, rate: \"t\"}\n"
      "forces:\n"
      "  brake: {type: torsion, coordinate: slot.angle, damping: 1}\n"
      "  band: {type: spring, between: [arm, free], stiffness: 1}\n"
      "  rubber: {type: bushing, between: [ground, free], at: [0, 0, 2], axis: [0, 0, 1],"
      " stiffness: [1, 1, 1, 1, 1, 1]}\n"
      "couplers:\n"
      "  screw: {sum: {slot.angle: 1, slot.position: -2}}\n"
      "sensors:\n"
      "  tip: {type: point, body: arm, at: [1, 0, 0]}\n"
      "  gap: {type: distance, between: [arm, free]}\n"
      "  tilt: {type: angle, between: [arm, free], directions: {arm: [1, 0, 0], free: [0, 0, "
      "1]}}\n",
      list);
}

/* .rate is one of an angle here, and of a length in a spring */
static void in_the_plane(void **state) {
  (void)state;
  static const expectation list[] = {{"disk.angle", "rad"},  {"disk.rate", "rad/s"},
                                     {"disk.al", "rad/s^2"}, {"disk.vy", "m/s"},
                                     {"band.rate", "m/s"},   {"pin.fx", "N"}};
  CHECK(
      "genalpha: 1\n"
      "bodies:\n"
      "  disk: {kind: planar, mass: 1, inertia: 1, position: [1, 0]}\n"
      "joints:\n"
      "  pin: {type: revolute, between: [ground, disk], at: [0, 0]}\n"
      "forces:\n"
      "  band: {type: spring, between: [ground, disk], at: {ground: [3, 1]}, stiffness: 1}\n",
      list);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(in_space), cmocka_unit_test(in_the_plane)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

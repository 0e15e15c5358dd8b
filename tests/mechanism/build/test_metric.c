/* SPDX-License-Identifier: MIT */
/* The metric of mechanisms: 1 for lengths, l^2 for angles, l a length of each subsystem. */
#include "mechanisms.h"

/* Two rods with a hinge, a point mass on a spring between them and the ground, and, not connected
 * with these, a wheel about its centre. All lengths are multiplied by `unit`. swapped: the rods
 * change places in the list of bodies, their axes are turned. */
static ga_mechanism *three_subsystems(double unit, bool swapped) {
  ga_mechanism *m = mechanism_new(down_y);
  for (int k = 0; k < 2; k++) {
    if ((k == 0) == swapped) {
      ADD(body, m, .name = "short", .type = GA_BODY_PLANAR, .mass = 1,
          .inertia = {0, 0, unit * unit}, .position = {3.5 * unit}, .angle = swapped ? 1 : 0);
    } else {
      ADD(body, m, .name = "long", .type = GA_BODY_PLANAR, .position = {1.5 * unit},
          .angle = swapped ? 2 : 0);
    }
  }
  ADD(body, m, .name = "wheel", .type = GA_BODY_PLANAR, .mass = 0.5,
      .inertia = {0, 0, 50 * unit * unit}, .position = {40 * unit});
  ADD(body, m, .name = "dot", .type = GA_BODY_POINT, .mass = 1, .position = {3.5 * unit, unit});
  ADD(joint, m, .name = "pin", .type = "revolute", .between = {"ground", "long"},
      .at = GA_IN_SPACE(0, 0, 0));
  ADD(joint, m, .name = "knee", .type = "revolute", .between = {"long", "short"},
      .at = GA_IN_SPACE(3 * unit, 0, 0));
  ADD(joint, m, .name = "hub", .type = "revolute", .between = {"ground", "wheel"},
      .at = GA_IN_SPACE(40 * unit, 0, 0));
  want(m, "knee.angle");
  build(m);
  return m;
}

/* w of the velocity with this name; the first that begins with it */
static double weight_of(const ga_mechanism *m, const char *name) {
  const ga_model *model = ga_mechanism_model(m);
  for (int i = 0; i < ga_space_nv(model->space); i++) {
    if (strncmp(model->v_names[i], name, strlen(name)) == 0) return model->metric[i];
  }
  fail_msg("no velocity %s", name);
  return 0;
}

/* Largest arm of the rods: l = 1.5. Radius of gyration of the wheel: l = 10. */
static void lengths_of_subsystems(void **state) {
  (void)state;
  const int exponent[] = {0, 1, -20, 31};
  double first[2];
  for (int k = 0; k < 8; k++) {
    const double unit = ldexp(1, exponent[k / 2]), square = unit * unit;
    ga_mechanism *m = three_subsystems(unit, k % 2);
    assert_true(weight_of(m, "long.vx") == 1);
    const double rods = 2.25 * square;
    assert_near("l^2", weight_of(m, "long.rate") / rods, 1, 1e-15);
    assert_true(weight_of(m, "short.rate") == weight_of(m, "long.rate"));
    assert_true(weight_of(m, "knee.angle") == weight_of(m, "long.rate"));
    assert_true(weight_of(m, "wheel.rate") == 100 * square);
    assert_true(weight_of(m, "dot.vy") == 1);
    /* the same bits in units that are powers of two */
    if (k < 2) first[k] = weight_of(m, "long.rate");
    assert_true(weight_of(m, "long.rate") == first[k % 2] * square);
    ga_mechanism_free(m);
  }
}

/* A spring ties the wheel to a rod: one subsystem, whose largest length is that of the spring. */
static void a_spring_connects(void **state) {
  (void)state;
  ga_mechanism *m = mechanism_new(down_y);
  ADD(body, m, .name = "rod", .type = GA_BODY_PLANAR, .mass = 1, .inertia = {0, 0, 1},
      .position = {1});
  ADD(body, m, .name = "wheel", .type = GA_BODY_PLANAR, .mass = 1, .inertia = {0, 0, 1},
      .position = {21});
  ADD(joint, m, .name = "pin", .type = "revolute", .between = {"ground", "rod"},
      .at = GA_IN_SPACE(0, 0, 0));
  ADD(force, m, .name = "band", .type = "spring", .between = {"rod", "wheel"}, .stiffness = 1);
  build(m);
  assert_true(weight_of(m, "rod.rate") == 400);
  assert_true(weight_of(m, "wheel.rate") == 400);
  ga_mechanism_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lengths_of_subsystems),
      cmocka_unit_test(a_spring_connects),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

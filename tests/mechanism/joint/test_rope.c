/* SPDX-License-Identifier: MIT */
/* Ropes against closed forms: Atwood's machine, a block of pulleys, a winch, Hooke's rope that goes
 * slack and taut. */
#include "genalpha/ga_drawable.h"
#include "genalpha/ga_placement.h"
#include "run_text.h"

#define HEAD "genalpha: 1\ngravity: [0, 0, -9.81]\n"
static const double g = 9.81, pi_ = 3.14159265358979323846;

/* a = g (m2 - m1)/(m1 + m2), tension 2 m1 m2 g/(m1 + m2); the motion is exact for any step */
static void atwood(void **state) {
  (void)state;
  double x[5];
  run_text(HEAD
           "bodies:\n"
           "  one: {kind: point, mass: 1, position: [-0.2, 0, -1]}\n"
           "  two: {kind: point, mass: 2, position: [0.2, 0, -1]}\n"
           "ropes: {rope: {over: [one, {ground: [-0.2, 0, 0]}, {ground: [0.2, 0, 0]}, two]}}\n",
           50, 0.5, x, "two.z", "two.az", "rope.tension", "rope.length", "energy.total", NULL);
  assert_close("z", x[0], -1 - g / 3 * 0.125, 1e-12);
  assert_close("az", x[1], -g / 3, 1e-9);
  assert_close("tension", x[2], 4 * g / 3, 1e-9);
  assert_close("length", x[3], 2.4, 1e-12);
  assert_close("energy", x[4], -3 * g, 1e-10);
}

/* A block with n = 4 falls: the load rises by a quarter of what the counterweight sinks. With the
 * load M and the weight m the tension T obeys m (g + a) = T, M (g - a/4) = 4 T. The falls are
 * vertical: pulleys are points. */
static void pulley_block(void **state) {
  (void)state;
  const double M = 10, m = 2, a = (4 * M * g - 16 * m * g) / (16 * m + M);
  double x[4];
  run_text(
      HEAD
      "bodies:\n"
      "  load: {kind: point, mass: 10, position: [0, 0, -3]}\n"
      "  weight: {kind: point, mass: 2, position: [1, 0, -1]}\n"
      "ropes:\n"
      "  tackle: {over: [ground, load, ground, load, {ground: [0, 0, 0]}, {ground: [1, 0, 0]},\n"
      "                  weight]}\n",
      40, 0.2, x, "load.az", "weight.az", "tackle.tension", "load.z", NULL);
  /* `load` sinks with a/4, `weight` rises with a */
  assert_close("load", x[0], -a / 4, 1e-8);
  assert_close("weight", x[1], a, 1e-8);
  assert_close("tension", x[2], m * (g + a), 1e-8);
  assert_close("z", x[3], -3 - a / 8 * 0.04, 1e-11);
}

/* A drum of radius r and inertia J lets a load m down: a = m g/(m + J/r^2). */
static void winch(void **state) {
  (void)state;
  const double a = 5 * g / (5 + 0.1 / 0.04);
  double x[3];
  run_text(HEAD
           "bodies:\n"
           "  drum: {mass: 3, inertia: [0.2, 0.1, 0.2]}\n"
           "  load: {kind: point, mass: 5, position: [0.2, 0, -1]}\n"
           "joints: {bearing: {type: revolute, between: [ground, drum], axis: [0, 1, 0]}}\n"
           "ropes: {rope: {over: [{ground: [0.2, 0, 0]}, load], length: 1 + 0.2*bearing.angle}}\n",
           40, 0.4, x, "load.vz", "bearing.angle", "rope.tension", NULL);
  assert_close("vz", x[0], -a * 0.4, 1e-11);
  assert_close("angle", x[1], a / 2 * 0.16 / 0.2, 1e-11);
  assert_close("tension", x[2], 5 * (g - a), 1e-9);
}

/* A driven rope pulls a load up with the acceleration of its length. */
static void driven(void **state) {
  (void)state;
  double x[2];
  run_text(HEAD
           "bodies: {load: {kind: point, mass: 5, position: [0, 0, -2]}}\n"
           "ropes: {rope: {over: [ground, load], length: 2 - 0.3*t^2}}\n",
           100, 1, x, "load.z", "rope.tension", NULL);
  assert_close("z", x[0], -1.7, 1e-11);
  assert_close("tension", x[1], 5 * (g + 0.6), 1e-8);
}

/* A mass flies to the end of its rope, is held for half a period pi sqrt(m/k) and comes back with the
 * same speed; taut in between with tension v sqrt(k m) sin. Errors fall by four if the step is
 * halved, to the order that kinks leave: the slack rope is met at two times only. */
static void hooke(void **state) {
  (void)state;
  static const char text[] =
      "genalpha: 1\n"
      "bodies: {mass: {kind: point, mass: 1, position: [0.9, 0, 0], "
      "velocity: [1, 0, 0]}}\n"
      "ropes: {rope: {over: [ground, mass], length: 1, stiffness: 1e3}}\n";
  const double w = sqrt(1000), taut = pi_ / w;
  double x[3];
  run_text(text, 4000, 0.1 + taut / 2, x, "mass.x", "rope.tension", "energy.total", NULL);
  assert_close("farthest", x[0], 1 + 1 / w, 1e-8);
  assert_close("tension", x[1], w, 1e-4);
  assert_close("energy", x[2], 0.5, 1e-6);
  run_text(text, 4000, 0.2 + taut, x, "mass.x", "mass.vx", "rope.tension", NULL);
  assert_close("back", x[0], 0.9, 1e-5);
  assert_close("speed", x[1], -1, 1e-5);
  assert_true(x[2] == 0);
  double error[2];
  for (int i = 0; i < 2; i++) {
    run_text(text, i ? 2000 : 500, 0.2 + taut, x, "mass.x", NULL);
    error[i] = fabs(x[0] - 0.9);
  }
  print_message("errors %.3e %.3e\n", error[0], error[1]);
  assert_true(error[1] < error[0] / 4);
}

/* damping only takes energy, and the tension begins at 0 at any speed */
static void damped(void **state) {
  (void)state;
  double x[2];
  run_text(
      "genalpha: 1\n"
      "bodies: {mass: {kind: point, mass: 1, position: [1, 0, 0], velocity: [1, 0, 0]}}\n"
      "ropes: {rope: {over: [ground, mass], length: 1, stiffness: 1e3, damping: 5}}\n",
      2000, 0.3, x, "energy.total", "mass.vx", NULL);
  assert_true(x[0] < 0.5 && x[0] > 0.1 && x[1] < 0);
}

#define ONE HEAD "bodies: {one: {kind: point, mass: 1, position: [1, 0, 0]}}\n"
static void refused(void **state) {
  (void)state;
  refused_text(ONE "ropes: {r: {over: [one]}}\n", "m.yaml:4:19: ropes.r.over: a list of two");
  refused_text(ONE "ropes: {r: {over: [ground, tow]}}\n",
               "m.yaml:4:28: ropes.r.over: there is no body 'tow'");
  refused_text(ONE "ropes: {r: {over: [ground, ground]}}\n", "all points are on one body");
  refused_text(ONE "ropes: {r: {over: [ground, one], length: one.x}}\n",
               "length is a function of t and of coordinates of joints (JOINT.NAME), it cannot use "
               "'one.x'");
  refused_text(ONE "ropes: {r: {over: [ground, one], length: -1}}\n", "must be positive");
  refused_text(ONE "ropes: {r: {over: [ground, one], damping: 1}}\n", "damping needs a stiffness");
  /* a failed call leaves nothing behind: the names of its spans are free again */
  ga_mechanism *m = NULL;
  ga_error err = {0};
  assert_int_equal(ga_mechanism_new(&m), GA_OK);
  must(ga_mechanism_add_body(
           m, &(ga_body){.name = "one", .type = GA_BODY_POINT, .mass = 1, .position = {1}}, &err),
       &err);
  const ga_rope_point over[] = {
      {.body = "ground", .at = {0}}, {.body = "one", .at = {0}}, {.body = "two", .at = {0}}};
  assert_int_equal(
      ga_mechanism_add_rope(m, &(ga_rope){.name = "r", .count = 3, .over = over}, &err),
      GA_ERR_ARG);
  must(ga_mechanism_add_rope(m, &(ga_rope){.name = "r", .count = 2, .over = over}, &err), &err);
  ga_mechanism_free(m);
}

/* In a frame at (1, 2, 3), turned by 90 degrees about z, a point (1, 0, 0) of the ground is drawn where
 * the rope begins, at (1, 3, 3); a point of a body stays in the body frame. */
static void drawn_in_its_frame(void **state) {
  (void)state;
  ga_mechanism *m = NULL;
  ga_error err = {0};
  ga_line line;
  assert_int_equal(ga_mechanism_new(&m), GA_OK);
  const ga_placement placement = {.position = {1, 2, 3},
                                  .orientation = {sqrt(0.5), 0, 0, sqrt(0.5)}};
  must(ga_mechanism_place(m, &placement, &err), &err);
  must(ga_mechanism_add_body(
           m, &(ga_body){.name = "b", .mass = 1, .inertia = {1, 1, 1}, .position = {0, 0, -2}},
           &err),
       &err);
  const ga_rope_point over[] = {{.body = "ground", .at = {1, 0, 0}},
                                {.body = "b", .at = {0.5, 0, 0}}};
  must(ga_mechanism_add_rope(m, &(ga_rope){.name = "r", .count = 2, .over = over}, &err), &err);
  assert_true(ga_mechanism_line(m, 0, &line));
  assert_true(line.point[0].body == -1 && line.point[1].body == 0);
  const double at[2][3] = {{1, 3, 3}, {0.5, 0, 0}};
  for (int i = 0; i < 6; i++)
    assert_close("at", line.point[i / 3].at[i % 3], at[i / 3][i % 3], 1e-15);
  ga_mechanism_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(atwood),  cmocka_unit_test(pulley_block),
      cmocka_unit_test(winch),   cmocka_unit_test(driven),
      cmocka_unit_test(hooke),   cmocka_unit_test(damped),
      cmocka_unit_test(refused), cmocka_unit_test(drawn_in_its_frame)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* ga_drawable.h: bodies, joints, forces and sensors as pictures see them, in body frames; looks
 * from model files. */
#include <genalpha/genalpha.h>
#include <math.h>
#include <string.h>

#include "support.h"

static const char model[] =
    "genalpha: 1\n"
    "gravity: [0, -3, 0]\n"
    "bodies:\n"
    "  arm: {shape: {rod: {length: 2, radius: 0.1}}, look: {colour: '#12aBff'}, mass: 3,\n"
    "        com: [0.5, 0, 0], position: [1, 2, 3], orientation: {axis: [0, 0, 1], angle: 90 "
    "deg}}\n"
    "  ball: {look: {sphere: {radius: 0.2}, colour: green}, kind: point, mass: 1, position: [4, 2, "
    "3]}\n"
    "  plain: {mass: 1, inertia: [1, 2, 2.5], position: [0, 0, 9]}\n"
    "joints:\n"
    "  hinge: {type: revolute, between: [ground, arm], at: [1, 1, 3], axis: [1, 0, 0]}\n"
    "  stay: {type: distance, between: [arm, ball], at: {arm: [0.25, 0, 0]}}\n"
    "  floor: {type: rolling_sphere, between: [ground, plain], radius: 9}\n"
    "forces:\n"
    "  twist: {type: torsion, coordinate: hinge.angle, stiffness: 1}\n"
    "  coil: {type: spring, between: [ball, arm], at: {arm: [0.5, 0, 1]}, stiffness: 1, length: "
    "7}\n"
    "  push: {type: force, body: arm, at: [0, 0.5, 0], value: [1, 0, 0]}\n"
    "sensors:\n"
    "  tip: {type: point, body: arm, at: [1.5, 0, 0]}\n";

static ga_file *read_model(const char *text) {
  ga_file *file = NULL;
  ga_error err = {GA_OK, ""};
  if (ga_file_parse("text.yaml", text, strlen(text), NULL, &file, &err) != GA_OK) {
    fail_msg("%s", err.text);
  }
  return file;
}

static void near3(const double *x, double a, double b, double c) {
  assert_true(fabs(x[0] - a) < 1e-12 && fabs(x[1] - b) < 1e-12 && fabs(x[2] - c) < 1e-12);
}

static void bodies(void **state) {
  (void)state;
  ga_file *file = read_model(model);
  const ga_mechanism *m = ga_file_mechanism(file);
  ga_body_info b;
  double g[3];
  ga_mechanism_gravity(m, g);
  near3(g, 0, -3, 0);
  assert_true(ga_mechanism_body_at(m, 0, &b));
  assert_string_equal(b.name, "arm");
  assert_true(b.type == GA_BODY_RIGID && b.mass == 3);
  near3(b.com, 0.5, 0, 0);
  /* as described, not the centre of mass */
  near3(b.position, 1, 2, 3);
  assert_true(fabs(b.orientation[0] - sqrt(0.5)) < 1e-12);
  near3(b.orientation + 1, 0, 0, sqrt(0.5));
  /* a colour alone keeps the shape */
  assert_true(b.look.shape == GA_SHAPE_ROD && b.look.length == 2 && b.look.radius == 0.1);
  assert_true(b.look.coloured && b.look.colour == 0x12abff);
  assert_true(ga_mechanism_body_at(m, 1, &b));
  assert_true(b.type == GA_BODY_POINT && b.look.shape == GA_SHAPE_SPHERE && b.look.radius == 0.2);
  assert_true(b.look.coloured);
  assert_true(ga_mechanism_body_at(m, 2, &b));
  assert_true(b.look.shape == GA_SHAPE_NONE && !b.look.coloured);
  near3(b.inertia, 1, 2, 2.5);
  assert_false(ga_mechanism_body_at(m, 3, &b));
  assert_false(ga_mechanism_body_at(m, -1, &b));
  ga_file_free(file);
}

static void parts(void **state) {
  (void)state;
  ga_file *file = read_model(model);
  const ga_mechanism *m = ga_file_mechanism(file);
  ga_drawable p;
  assert_true(ga_mechanism_drawable(m, GA_DRAWABLE_JOINT, 0, &p));
  assert_string_equal(p.name, "hinge");
  assert_string_equal(p.type, "revolute");
  assert_true(p.body[0] == -1 && p.body[1] == 0 && !p.single);
  /* the point in space, and in the frame of the arm, which is turned: R^T (0, -1, 0) */
  near3(p.at[0], 1, 1, 3);
  near3(p.at[1], -1, 0, 0);
  /* z of the joint axes is (1, 0, 0) in space, (0, -1, 0) on the arm */
  near3((double[3]){p.axes[0][2], p.axes[0][5], p.axes[0][8]}, 1, 0, 0);
  near3((double[3]){p.axes[1][2], p.axes[1][5], p.axes[1][8]}, 0, -1, 0);
  assert_true(ga_mechanism_drawable(m, GA_DRAWABLE_JOINT, 1, &p));
  near3(p.at[0], 0.25, 0, 0);
  near3(p.at[1], 0, 0, 0);
  assert_true(fabs(p.length - hypot(3, 0.25)) < 1e-12);
  assert_true(ga_mechanism_drawable(m, GA_DRAWABLE_JOINT, 2, &p));
  assert_true(p.radius == 9 && p.body[1] == 2);
  assert_false(ga_mechanism_drawable(m, GA_DRAWABLE_JOINT, 3, &p));
  /* torsions have no place: the spring is the first */
  assert_true(ga_mechanism_drawable(m, GA_DRAWABLE_FORCE, 0, &p));
  assert_string_equal(p.name, "coil");
  assert_string_equal(p.type, "spring");
  assert_true(p.body[0] == 1 && p.body[1] == 0 && p.length == 7);
  near3(p.at[1], 0.5, 0, 1);
  assert_true(ga_mechanism_drawable(m, GA_DRAWABLE_FORCE, 1, &p));
  assert_string_equal(p.type, "force");
  assert_true(p.single && p.body[0] == 0);
  near3(p.at[0], 0, 0.5, 0);
  assert_false(ga_mechanism_drawable(m, GA_DRAWABLE_FORCE, 2, &p));
  assert_true(ga_mechanism_drawable(m, GA_DRAWABLE_SENSOR, 0, &p));
  assert_string_equal(p.type, "point");
  assert_true(p.single && p.body[0] == 0);
  near3(p.at[0], 1.5, 0, 0);
  assert_false(ga_mechanism_drawable(m, GA_DRAWABLE_SENSOR, -1, &p));
  ga_file_free(file);
}

/* a model that does not fit together can be drawn all the same */
static void no_build(void **state) {
  (void)state;
  static const char text[] =
      "genalpha: 1\n"
      "bodies: {a: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}}\n"
      "joints: {pin: {type: spherical, between: [ground, a], at: {ground: [0, 0, 0], a: [1, 0, "
      "0]}}}\n";
  ga_file_options options = {.no_build = true};
  ga_file *file = NULL;
  ga_error err = {GA_OK, ""};
  ga_drawable p;
  assert_int_equal(ga_file_parse("t", text, strlen(text), NULL, &file, &err), GA_ERR_INITIAL);
  assert_int_equal(ga_file_parse("t", text, strlen(text), &options, &file, &err), GA_OK);
  assert_true(ga_mechanism_drawable(ga_file_mechanism(file), GA_DRAWABLE_JOINT, 0, &p));
  near3(p.at[1], 1, 0, 0);
  ga_file_free(file);
}

static void wrong_looks(void **state) {
  (void)state;
  static const struct {
    const char *look, *says;
  } cases[] = {
      {"{sphere: {radius: -1}}", "text.yaml:2:"},
      {"{sphere: {radius: 1}, box: [1, 1, 1]}", "a second shape"},
      {"{colour: '#12345'}", "unknown colour '#12345'"},
      {"{colour: gren}", "did you mean 'green'?"},
      {"{color: red}", "did you mean 'colour'?"},
      {"{density: 3}", "unknown shape 'density'"},
      {"[1, 2]", "a look is a shape, a colour, or both"},
      {"{}", "a look is a shape, a colour, or both"},
  };
  for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); i++) {
    char text[200];
    ga_file *file = NULL;
    ga_error err = {GA_OK, ""};
    snprintf(text, sizeof text, "genalpha: 1\nbodies: {a: {mass: 1, look: %s}}\n", cases[i].look);
    assert_int_equal(ga_file_parse("text.yaml", text, strlen(text), NULL, &file, &err),
                     GA_ERR_FILE);
    if (!strstr(err.text, cases[i].says)) fail_msg("'%s' lacks '%s'", err.text, cases[i].says);
    assert_non_null(strstr(err.text, "bodies.a.look"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bodies), cmocka_unit_test(parts),
                                     cmocka_unit_test(no_build), cmocka_unit_test(wrong_looks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

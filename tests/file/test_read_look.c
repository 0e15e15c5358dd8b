/* SPDX-License-Identifier: MIT */
/* Looks: what pictures show, where it stands in the frame of its body, and how many there are. */
#include "genalpha/ga_drawable.h"
#include "support.h"

static ga_file *parse(const char *text) {
  ga_file *file = NULL;
  ga_error err = {0};
  must(ga_file_parse("text.yaml", text, strlen(text), NULL, &file, &err), &err);
  return file;
}

/* one look without a pose, as it always was: centred at the mass centre */
static void one_look(void **state) {
  (void)state;
  ga_file *file = parse(
      "genalpha: 1\nbodies:\n  b: {mass: 1, com: [1, 0, 0], inertia: [1, 1, 1], "
      "look: {sphere: {radius: 0.5}, colour: red}}\n");
  ga_body_info b;
  assert_true(ga_mechanism_body_at(ga_file_mechanism(file), 0, &b));
  assert_int_equal(b.look.shape, GA_SHAPE_SPHERE);
  assert_true(b.look.radius == 0.5 && b.look.coloured && !b.look.has_pose);
  assert_int_equal(b.nmore, 0);
  ga_file_free(file);
}

/* a list: each with its own pose and colour; the numbers are those of the body frame */
static void several_looks(void **state) {
  (void)state;
  ga_file *file = parse(
      "genalpha: 1\nbodies:\n  b:\n    mass: 1\n    com: [1, 0, 0]\n    inertia: [1, 1, 1]\n    "
      "look:\n"
      "      - {box: [1, 2, 3], position: [0.1, 0.2, 0.3], orientation: {axis: [0, 0, 1], angle: "
      "90 deg}}\n"
      "      - {cylinder: {radius: 0.1, length: 2}, position: [0, 0, 1], colour: \"#010203\"}\n"
      "      - {rod: {length: 2}}\n");
  ga_body_info b;
  assert_true(ga_mechanism_body_at(ga_file_mechanism(file), 0, &b));
  assert_int_equal(b.nmore, 2);
  assert_int_equal(b.look.shape, GA_SHAPE_BOX);
  assert_true(b.look.has_pose && b.look.position[1] == 0.2 && b.look.box[2] == 3);
  assert_true(fabs(b.look.orientation[0] - sqrt(0.5)) < 1e-15);
  assert_true(fabs(b.look.orientation[3] - sqrt(0.5)) < 1e-15);
  assert_int_equal(b.more_looks[0].shape, GA_SHAPE_CYLINDER);
  assert_true(b.more_looks[0].has_pose && b.more_looks[0].position[2] == 1);
  assert_int_equal(b.more_looks[0].colour, 0x010203);
  assert_int_equal(b.more_looks[1].shape, GA_SHAPE_ROD);
  assert_false(b.more_looks[1].has_pose);
  ga_file_free(file);
}

static void looks_of_the_ground(void **state) {
  (void)state;
  ga_file *file = parse(
      "genalpha: 1\nground: {look: [{sphere: {radius: 1}}, {box: [1, 1, 1], position: [0, 0, "
      "2]}]}\n"
      "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n");
  ga_body_look look;
  assert_true(ga_mechanism_ground_look(ga_file_mechanism(file), 0, &look));
  assert_int_equal(look.shape, GA_SHAPE_SPHERE);
  assert_true(ga_mechanism_ground_look(ga_file_mechanism(file), 1, &look));
  assert_true(look.position[2] == 2);
  assert_false(ga_mechanism_ground_look(ga_file_mechanism(file), 2, &look));
  assert_false(ga_mechanism_ground_look(ga_file_mechanism(file), -1, &look));
  ga_file_free(file);
}

/* a mesh: its path begins at the model file, unless it is absolute or an address; hide */
static void meshes(void **state) {
  (void)state;
  static const char text[] =
      "genalpha: 1\nbodies:\n"
      "  b: {mass: 1, inertia: [1, 1, 1], look: [{mesh: a.stl, scale: 1 mm}, {mesh: /x/b.obj, "
      "scale: [1, -1, 2]}, {mesh: 'package://p/c.stl', colour: red, hide: true}]}\n"
      "  c: {mass: 1, inertia: [1, 1, 1], look: {hide: true}}\n"
      "  d: {mass: 1, shape: {sphere: {radius: 1}}, look: {hide: true}}\n";
  ga_file *file = NULL;
  ga_error err = {0};
  must(ga_file_parse("some/where/text.yaml", text, strlen(text), NULL, &file, &err), &err);
  ga_body_info b;
  assert_true(ga_mechanism_body_at(ga_file_mechanism(file), 0, &b));
  assert_int_equal(b.look.shape, GA_SHAPE_MESH);
  assert_string_equal(b.look.mesh, "some/where/a.stl");
  assert_true(b.look.scale[0] == 0.001 && b.look.scale[2] == 0.001 && !b.look.hide);
  assert_string_equal(b.more_looks[0].mesh, "/x/b.obj");
  assert_true(b.more_looks[0].scale[1] == -1 && b.more_looks[0].scale[2] == 2);
  assert_string_equal(b.more_looks[1].mesh, "package://p/c.stl");
  assert_true(b.more_looks[1].hide && b.more_looks[1].coloured);
  assert_true(ga_mechanism_body_at(ga_file_mechanism(file), 1, &b));
  assert_true(b.look.hide && b.look.shape == GA_SHAPE_NONE);
  assert_true(ga_mechanism_body_at(ga_file_mechanism(file), 2, &b));
  assert_true(b.look.hide && b.look.shape == GA_SHAPE_SPHERE);
  ga_file_free(file);
}

static void wrong_looks(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } list[] = {
      {"bodies: {b: {mass: 1, look: {mesh: ''}}}\n", "2:36: bodies.b.look: a mesh is the name of"},
      {"bodies: {b: {mass: 1, look: {mesh: a.stl, scale: 0}}}\n", "a scale must not be 0"},
      {"bodies: {b: {mass: 1, look: {mesh: a.stl, scale: [1, 2]}}}\n", "the list has 2 entries"},
      {"bodies: {b: {mass: 1, look: {box: [1, 1, 1], scale: 2}}}\n", "a scale belongs to a mesh"},
      {"bodies: {b: {mass: 1, look: {mesh: a.stl, box: [1, 1, 1]}}}\n", "a second shape"},
      {"bodies: {b: {mass: 1, look: {box: [1, 1, 1], mesh: a.stl}}}\n", "a second shape"},
      {"bodies: {b: {mass: 1, look: {mesh: [a.stl]}}}\n", "2:36: bodies.b.look"},
      {"bodies: {b: {mass: 1, look: {hide: maybe}}}\n", "2:36: bodies.b.look"},
      {"bodies: {b: {mass: 1, look: {hidden: true}}}\n", "did you mean 'hide'?"},
      {"bodies: {b: {mass: 1, shape: {mesh: a.stl}}}\n", "unknown shape 'mesh'"},
      {"bodies: {b: {mass: 1, look: []}}\n", "bodies.b.look: a list of looks has one or more"},
      {"bodies: {b: {mass: 1, look: [{sphere: {radius: 1}}, {colour: red}]}}\n",
       "2:53: bodies.b.look: a shape is missing"},
      {"bodies: {b: {mass: 1, look: {position: [0, 0, 1]}}}\n", "a position belongs to a shape"},
      {"bodies: {b: {mass: 1, look: {sphere: {radius: 1}, position: [0, 1]}}}\n",
       "the list has 2 entries, 3 are expected"},
      {"bodies: {b: {mass: 1, look: {sphere: {radius: 1}, positoin: [0, 0, 1]}}}\n",
       "did you mean 'position'?"},
      {"bodies: {b: {mass: 1, look: {sphere: {radius: 1}, orientation: [2, 0, 0, 0]}}}\n",
       "the quaternion has length 2, not 1"},
      {"ground: {mass: 1}\n", "ground: the ground has {look: ..} and nothing else"},
      {"ground: {look: {colour: red}}\n", "ground.look: a shape is missing"},
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    char text[300];
    ga_file *file;
    ga_error err = {0};
    snprintf(text, sizeof text, "genalpha: 1\n%s", list[i].text);
    assert_int_equal(ga_file_parse("x", text, strlen(text), NULL, &file, &err), GA_ERR_FILE);
    if (!strstr(err.text, list[i].message)) fail_msg("'%s', not '%s'", err.text, list[i].message);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_look), cmocka_unit_test(several_looks),
                                     cmocka_unit_test(looks_of_the_ground),
                                     cmocka_unit_test(meshes), cmocka_unit_test(wrong_looks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

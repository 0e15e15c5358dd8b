/* SPDX-License-Identifier: MIT */
/* The model files of models/ against the same mechanisms built by calls: the same columns, and the
 * same numbers in them. Repetition, parameters set from outside, sensors, forms of orientation. */
#include "mechanisms.h"

static ga_file *parsed(const char *text) {
  ga_file *file = NULL;
  ga_error err = {0};
  must(ga_file_parse("text.yaml", text, strlen(text), NULL, &file, &err), &err);
  return file;
}

/* Columns of the file are columns of the calls, with equal values. */
static void same_as_calls(void **state) {
  (void)state;
  for (int i = 0; i < NMECHANISM; i++) {
    const struct mechanism_entry *e = &mechanism_list[i];
    ga_file *file = model_loaded(e->name, NULL, 0);
    const ga_mechanism *read = ga_file_mechanism(file);
    ga_mechanism *built = mechanism_built(e, GA_FORMULATION_R3SO3);
    double *a = columns_at(read, 1e-3, 0.1), *b = columns_at(built, 1e-3, 0.1);
    for (int k = 0; k < ga_mechanism_default_columns(read); k++) {
      const char *name = ga_mechanism_column_name(read, k);
      const int j = ga_mechanism_column_index(built, name);
      if (j < 0) fail_msg("%s: the calls have no column %s", e->name, name);
      if (!(fabs(a[k] - b[j]) <= 1e-9 * (10 + fabs(b[j])))) {
        fail_msg("%s, %s: file %.15g, calls %.15g", e->name, name, a[k], b[j]);
      }
    }
    assert_string_equal(ga_file_name(file), e->name);
    assert_true(strlen(ga_file_description(file)) > 10);
    assert_true(ga_file_output(file, 0) > 0);
    free(a);
    free(b);
    ga_mechanism_free(built);
    ga_file_free(file);
  }
}

static double value_at_start(const ga_file *file, const char *name) {
  const ga_mechanism *m = ga_file_mechanism(file);
  double *values = columns_at(m, 1e-3, 0);
  const int i = ga_mechanism_column_index(m, name);
  if (i < 0) fail_msg("there is no column %s", name);
  const double value = values[i];
  free(values);
  return value;
}

/* --set: in place, so that later parameters follow; options of the run may be expressions */
static void set_parameters(void **state) {
  (void)state;
  const ga_file_set set[] = {{"l", "2"}, {"th0", "l*15 deg"}};
  ga_file *file = model_loaded("pendulum", set, 2);
  const char *name, *key, *value;
  double number;
  int line;
  assert_true(ga_file_parameter(file, 2, &name, &number));
  assert_string_equal(name, "th0");
  assert_near("th0", number, pi_ / 6, 1e-14);
  assert_false(ga_file_parameter(file, 3, &name, &number));
  assert_near("x", value_at_start(file, "rod.x"), 0.5, 1e-14);
  assert_true(ga_file_option(file, 0, &key, &value, &line));
  assert_string_equal(key, "method");
  assert_string_equal(value, "stab2");
  assert_false(ga_file_option(file, 9, &key, &value, &line));
  ga_file_free(file);
}

#define HEAD "genalpha: 1\n"

/* a chain and a grid; names with expressions */
static void repetition(void **state) {
  (void)state;
  ga_file *file = parsed(
      HEAD
      "parameters: {N: 5, l: 0.4}\n"
      "gravity: [0, -9.81, 0]\n"
      "repeat:\n"
      "  - index: i\n"
      "    from: 1\n"
      "    to: N\n"
      "    bodies: {\"link{i}\": {kind: planar, mass: 1, inertia: l^2/12, position: [(i-1/2)*l, "
      "0]}}\n"
      "    joints: {\"pin{i}\": {type: revolute, between: [\"post{i-1}\", \"link{i}\"], at: "
      "[(i-1)*l, 0]}}\n"
      "  - {index: j, from: 0, to: N-1, bodies: {\"post{j}\": {kind: planar, mass: 2, inertia: 1,"
      " position: [j*l, 0]}}, repeat: [{index: k, from: 1, to: 2, sensors: {\"s{j}_{k}\": {type: "
      "point, body: \"post{j}\", at: [k*l, 0]}}}]}\n"
      "output: [link5.x, \"pin{2+1}.angle\", s4_2.x]\n");
  const ga_mechanism *m = ga_file_mechanism(file);
  assert_int_equal(ga_mechanism_model(m)->nlam, 10 + 1);
  assert_near("last link", value_at_start(file, "link5.x"), 4.5 * 0.4, 1e-14);
  assert_near("grid", value_at_start(file, "s4_2.x"), 6 * 0.4, 1e-14);
  assert_string_equal(ga_mechanism_column_name(m, ga_file_output(file, 1)), "pin3.angle");
  assert_int_equal(ga_file_output(file, 3), -1);
  ga_file_free(file);
}

/* the same rotation in every form: 90 degrees about x, then 90 about the new z */
static void orientations(void **state) {
  (void)state;
  static const char *const forms[] = {
      "[0.5, 0.5, -0.5, 0.5]",
      "{quaternion: [0.5, 0.5, -0.5, 0.5]}",
      "{axis: [1, -1, 1], angle: 120 deg}",
      "{rotation_vector: [2*pi/3/sqrt(3), -2*pi/3/sqrt(3), 2*pi/3/sqrt(3)]}",
      "{matrix: [[0, -1, 0], [0, 0, -1], [1, 0, 0]]}",
      "{euler: {sequence: xzx, angles: [90 deg, 90 deg, 0]}}",
      "{euler: {sequence: xzy, angles: [90 deg, 90 deg, 0]}}"};
  for (int i = 0; i < 7; i++) {
    char text[400];
    snprintf(text, sizeof text,
             HEAD
             "bodies: {base: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0], orientation: %s},"
             " top: {mass: 1, inertia: [1, 1, 1], in: base, position: [0, 2, 0]}}\n",
             forms[i]);
    ga_file *file = parsed(text);
    /* R e_x = e_z, R e_y = -e_x, R e_z = -e_y */
    if (!(fabs(value_at_start(file, "top.x") - (1 - 2)) < 1e-14)) fail_msg("%s", forms[i]);
    assert_true(fabs(value_at_start(file, "top.y")) < 1e-14);
    assert_near("e1/e0", value_at_start(file, "top.e1") / value_at_start(file, "top.e0"), 1, 1e-14);
    ga_file_free(file);
  }
}

/* inertia of shapes, mass by density; in JSON, too */
static void shapes(void **state) {
  (void)state;
  ga_file *file = parsed(
      "{\"genalpha\": 1, \"bodies\": {\n"
      "\"box\": {\"shape\": {\"box\": [1, 2, 3], \"density\": 2}, \"angular_velocity\": [1, 0, "
      "0]},\n"
      "\"can\": {\"mass\": 4, \"shape\": {\"cylinder\": {\"radius\": 2, \"length\": 3}},"
      " \"position\": [9, 0, 0]},\n"
      "\"ball\": {\"shape\": {\"sphere\": {\"radius\": 1}, \"density\": 3}},\n"
      "\"flat\": {\"kind\": \"planar\", \"mass\": 12, \"shape\": {\"box\": [1, 1, 1]},"
      " \"angular_velocity\": 2}}}");
  const ga_mechanism *m = ga_file_mechanism(file);
  const ga_model *model = ga_mechanism_model(m);
  ga_arena arena = {0};
  ga_csr M;
  assert_int_equal(ga_csr_init(&M, 21, 21, model->pat_M, &arena), GA_OK);
  assert_int_equal(ga_model_evaluate(model, 0, ga_mechanism_q0(m), ga_mechanism_v0(m),
                                     &(ga_evaluation){.M = &M}),
                   0);
  const double expected[21] = {12,      12,        12,        13,        10, 5,       4,
                               4,       4,         4 + 3,     4 + 3,     8,  4 * pi_, 4 * pi_,
                               4 * pi_, 1.6 * pi_, 1.6 * pi_, 1.6 * pi_, 12, 12,      2};
  for (int i = 0; i < 21; i++) {
    assert_int_equal(M.ptr[i + 1], i + 1);
    assert_near("mass", M.val[i], expected[i], 1e-14);
  }
  ga_arena_free(&arena);
  ga_file_free(file);
}

/* turns and rates of coordinates, in agreement with the bodies */
static void initial(void **state) {
  (void)state;
  ga_file *file = parsed(HEAD
                         "bodies: {b: {mass: 1, inertia: [1, 1, 1], angular_velocity: [0, 0, 3]}}\n"
                         "joints: {j: {type: revolute, between: [ground, b], axis: [0, 0, 1]}}\n"
                         "initial: {coordinates: {j.angle: 4*pi}, rates: {j.angle: 3}}\n");
  assert_near("angle", value_at_start(file, "j.angle"), 4 * pi_, 1e-15);
  assert_near("rate", value_at_start(file, "j.angle_rate"), 3, 1e-15);
  ga_file_free(file);
}

/* scalars are text: nothing becomes a truth value, an octal or a base 60 number */
static void plain_text(void **state) {
  (void)state;
  ga_file *file = parsed(HEAD
                         "name: on\ndescription: 1:30\n"
                         "parameters: {no: 010, y: no + 1}\n"
                         "bodies: {yes: {mass: y, kind: point, position: [no, y, 1e-1]}}\n");
  assert_string_equal(ga_file_name(file), "on");
  assert_string_equal(ga_file_description(file), "1:30");
  assert_near("no", value_at_start(file, "yes.x"), 10, 1e-15);
  assert_near("y", value_at_start(file, "yes.y"), 11, 1e-15);
  ga_file_free(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_as_calls), cmocka_unit_test(set_parameters),
      cmocka_unit_test(repetition),    cmocka_unit_test(orientations),
      cmocka_unit_test(shapes),        cmocka_unit_test(initial),
      cmocka_unit_test(plain_text)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

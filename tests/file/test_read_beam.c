/* SPDX-License-Identifier: MIT */
/* Beams of model files: forms of lines, arcs, nodes, sections and shapes; every mistake is refused
 * with its place. */
#include "mechanisms.h"

#define SECTION "section: {EA: 9, GA: [4, 5], GJ: 6, EI: [8, 9], rhoA: 1, rhoI: [3, 2, 1]}"
#define LINE "line: {from: [0, 0, 0], to: [2, 0, 0], elements: 2}"

/* K with its entries (1, 1), (1, 2), (2, 1) */
#define K_OF(a, b, c)                      \
  "K: [[" a ", " b ", 0, 0, 0, 0], [" c    \
  ", 7, 0, 0, 0, 0], [0, 0, 7, 0, 0, 0], " \
  "[0, 0, 0, 7, 0, 0], [0, 0, 0, 0, 7, 0], [0, 0, 0, 0, 0, 7]]"

/* a file with one beam of these keys */
static ga_status parse(const char *keys, ga_file **file, ga_error *err) {
  char text[2000];
  snprintf(text, sizeof text, "genalpha: 1\nparameters: {n: 6}\nbeams:\n  arm: {%s}\n%s", keys,
           "output: [arm.n1.x, arm.s1.N]\n");
  return ga_file_parse("m.yaml", text, strlen(text), NULL, file, err);
}

static double start_value(const char *keys, const char *column) {
  ga_file *file = NULL;
  ga_error err = {0};
  must(parse(keys, &file, &err), &err);
  const ga_mechanism *m = ga_file_mechanism(file);
  double *vd = calloc(200, sizeof *vd);
  const ga_state s = {.q = ga_mechanism_q0(m), .v = ga_mechanism_v0(m), .vd = vd};
  const int i = ga_mechanism_column_index(m, column);
  if (i < 0) fail_msg("there is no column %s", column);
  const double value = ga_mechanism_output(m, &s, i);
  assert_int_equal(ga_file_output(file, 1), ga_mechanism_column_index(m, "arm.s1.N"));
  free(vd);
  ga_file_free(file);
  return value;
}

static void forms(void **state) {
  (void)state;
  assert_near("line", start_value(LINE ", " SECTION, "arm.n1.x"), 1, 1e-15);
  assert_near("expression",
              start_value("line: {from: [0, 0, 0], to: [2, 0, 0], elements: n/3 + 2}, " SECTION,
                          "arm.n3.x"),
              1.5, 1e-15);
  const char *arc =
      "arc: {from: [0, 0, 0], tangent: [3, 0, 0], normal: [0, 2, 0], radius: 2, angle: pi/2, "
      "elements: 4}, " SECTION;
  assert_near("arc", start_value(arc, "arm.end.y"), 2, 1e-14);
  const char *nodes =
      "nodes: [{position: [0, 0, 0]}, {position: [1, 0, 0], orientation: {rotation_vector: [0, 0, "
      "0.1]}}], shape: {rectangle: [0.1, 0.2]}, material: {E: 12, nu: 0.3, density: 1}, shear: "
      "[0.8, 0.8], damping: [1, 2, 3, 4, 5, 6], load: [1, 2, 3], mass: lumped, "
      "stiffness: constant_strain, formulation: r3so3, node_velocities: [[0, 0, 0, 0, 0, 0], [0, "
      "0, 7, 0, 0, 0]]";
  assert_near("nodes", start_value(nodes, "arm.end.vz"), 7, 1e-15);
  /* a stress-free reference half as long: the strain is 1, N = EA; a straight one */
  assert_near("reference",
              start_value(LINE ", reference: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: "
                               "2}}, " SECTION,
                          "arm.s2.N"),
              9, 1e-13);
  assert_near(
      "K",
      start_value(LINE ", reference: {line: {from: [0, 0, 0], to: [1, 0, 0], elements: 2}}, "
                       "section: {rhoA: 1, rhoI: [1, 1, 1], K: [[7, 0, 0, 0, 0, 0], [0, 7, "
                       "0, 0, 0, 0], [0, 0, 7, 0, 0, 0], [0, 0, 0, 7, 0, 0], [0, 0, 0, 0, 7, "
                       "0], [0, 0, 0, 0, 0, 7]]}",
                  "arm.s1.N"),
      7, 1e-13);
  assert_near("tube",
              start_value(LINE ", shape: {tube: {outer: 2, inner: 1}}, material: {E: 1, G: 1, "
                               "density: 1}, velocity: [1, 0, 0], angular_velocity: [0, 0, 3]",
                          "arm.end.vy"),
              6, 1e-14);
}

static void mistakes(void **state) {
  (void)state;
  static const struct {
    const char *keys, *text;
  } bad[] = {
      {SECTION, "one of line, arc, nodes is needed"},
      {LINE, "a section, or a shape with a material, is missing"},
      {LINE ", nodes: [], " SECTION, "only one of line, arc, nodes"},
      {"line: {from: [0, 0, 0], to: [2, 0, 0], elements: 0}, " SECTION,
       "arm.line: a beam needs at least 1 element, not 0"},
      {"line: {from: [0, 0, 0], to: [2, 0, 0], elements: 2.5}, " SECTION, "not a whole number"},
      {"line: {from: [0, 0, 0], to: [0, 0, 0], elements: 2}, " SECTION, "no length"},
      {"line: {from: [0, 0, 0], to: [2, 0, 0]}, " SECTION, "the key 'elements' is missing"},
      {LINE ", y_axis: [1, 0, 0], " SECTION, "y_axis is parallel to the tangent"},
      {"arc: {from: [0, 0, 0], tangent: [1, 0, 0], normal: [1, 1, 0], radius: 1, angle: 1, "
       "elements: 1}, " SECTION,
       "not perpendicular"},
      {"arc: {from: [0, 0, 0], tangent: [1, 0, 0], normal: [0, 1, 0], radius: 1, angle: -1, "
       "elements: 1}, " SECTION,
       "must be positive"},
      {"arc: {from: [0, 0, 0], tangent: [1, 0, 0], normal: [0, 1, 0], radius: 1, angle: 3, "
       "elements: 1}, " SECTION,
       "more than 0.95 pi"},
      {"nodes: [{position: [0, 0, 0]}], " SECTION, "at least two frames"},
      {"nodes: [{position: [0, 0, 0]}, {position: [0, 0, 0]}], " SECTION, "zero length"},
      {LINE ", " SECTION ", shape: {circle: {radius: 1}}", "both section and shape are given"},
      {LINE ", section: {EA: 9, GA: [4, 5], GJ: 6, EI: [8, 9], rhoA: 1}", "'rhoI' is missing"},
      {LINE ", section: {EA: 9, GA: [4, 5], GJ: 6, rhoA: 1, rhoI: [1, 1, 1]}", "'EI' is missing"},
      {LINE ", section: {EA: 9, GA: [4, -5], GJ: 6, EI: [8, 9], rhoA: 1, rhoI: [3, 2, 1]}",
       "beam 'arm': GA of the section is -5"},
      {LINE ", section: {EA: 9, GA: [4, 5], GJ: 6, EI: [8, 9], rhoA: 1, rhoI: [3, 0, 1]}",
       "beam 'arm': rhoI of the section is 0"},
      {LINE ", section: {EA: 9, GA: [4, 5], GJ: 6, EI: [8, 0], rhoA: 1, rhoI: [3, 2, 1]}",
       "beam 'arm': EI of the section is 0"},
      {LINE ", section: {EA: -9, GA: [4, 5], GJ: 6, EI: [8, 9], rhoA: 1, rhoI: [3, 2, 1]}",
       "beam 'arm': EA of the section is -9"},
      {LINE ", section: {EA: 9, GA: [4, 5], GJ: 0, EI: [8, 9], rhoA: 1, rhoI: [3, 2, 1]}",
       "beam 'arm': GJ of the section is 0"},
      {LINE ", section: {EA: 9, GA: [4, 5], GJ: 6, EI: [8, 9], rhoA: 0, rhoI: [3, 2, 1]}",
       "beam 'arm': rhoA of the section is 0"},
      {LINE ", section: {" K_OF("7", "8", "8") ", rhoA: -1, rhoI: [3, 2, 1]}",
       "beam 'arm': rhoA of the section is -1"},
      {LINE ", section: {" K_OF("7", "8", "8") ", rhoA: 1, rhoI: [3, 2, 1]}",
       "beam 'arm': K is not positive definite"},
      {LINE ", section: {" K_OF("-7", "0", "0") ", rhoA: 1, rhoI: [3, 2, 1]}",
       "beam 'arm': K is not positive definite"},
      {LINE ", section: {" K_OF("7", "1", "2") ", rhoA: 1, rhoI: [3, 2, 1]}",
       "beam 'arm': K is not symmetric at row 1, column 2"},
      {LINE ", section: {K: [[1, 0], [0, 1]], rhoA: 1, rhoI: [3, 2, 1]}",
       "K is a list of 6 rows of 6 numbers"},
      {LINE ", section: {EA: 1, " K_OF("7", "0", "0") ", rhoA: 1, rhoI: [3, 2, 1]}",
       "both K and EA are given"},
      {"nodes: [{position: [0, 0, 0]}, {position: [1, 0, 0], orientation: {rotation_vector: [0, 0, "
       "3]}}], " SECTION,
       "nodes 0 and 1 are turned against each other by 3 rad, more than 0.95 pi"},
      {LINE ", reference: {arc: {from: [0, 0, 0], tangent: [1, 0, 0], normal: [0, 1, 0], radius: "
            "1, angle: 6, elements: 2}}, " SECTION,
       "more than 0.95 pi: use more elements"},
      {LINE ", damping: -1, " SECTION, "damping -1 is negative"},
      {LINE ", shape: {circle: {radius: 1}}", "the key 'material' is missing"},
      {LINE ", shape: {tube: {outer: 1, inner: 2}}, material: {E: 1, G: 1, density: 1}",
       "the inner radius 2 of a tube must be below the outer one, 1"},
      {LINE ", shape: {rectangle: [1, -2]}, material: {E: 1, G: 1, density: 1}",
       "sizes of a section must be positive"},
      {LINE ", shape: {circle: {radius: 1}}, material: {E: -1, G: 1, density: 1}",
       "moduli and the density of a material must be positive"},
      {LINE ", shape: {circle: {radius: 0}}, material: {E: 1, G: 1, density: 1}", "positive"},
      {LINE ", shape: {disk: {radius: 0}}, material: {E: 1, G: 1, density: 1}",
       "unknown shape 'disk'"},
      {LINE ", shape: {circle: {radius: 1}}, material: {E: 1, G: 1, nu: 1, density: 1}",
       "both nu and G"},
      {LINE ", shape: {circle: {radius: 1}}, material: {E: 1, density: 1}", "'nu' or 'G'"},
      {LINE ", mass: spread, " SECTION, "not one of consistent|lumped"},
      {LINE ", " SECTION ", node_velocities: [[0, 0, 0, 0, 0, 0]]", "a list of 3 entries"},
      {LINE ", " SECTION ", velocity: [0, 0, 0], node_velocities: [[0, 0, 0, 0, 0, 0]]",
       "both node_velocities and velocity"},
      {LINE ", " SECTION ", reference: {line: {from: [0, 0, 0], to: [2, 0, 0], elements: 3}}",
       "the reference has 3 elements, the beam has 2"},
      {LINE ", " SECTION ", section: 3", "section"},
      {LINE ", " SECTION ", colour: red", "unknown key 'colour'"},
  };
  for (int i = 0; i < (int)(sizeof bad / sizeof bad[0]); i++) {
    ga_error err = {0};
    ga_file *file = NULL;
    assert_refused(parse(bad[i].keys, &file, &err), &err, GA_ERR_FILE, bad[i].text, "m.yaml:4:");
    assert_null(file);
  }
}

/* K is refused where it stands; a beam alone is no body; its name is used once. */
static void places(void **state) {
  (void)state;
  ga_error err = {0};
  ga_file *file = NULL;
  const char *with_K =
      "genalpha: 1\nbeams:\n  arm:\n    " LINE
      "\n    section:\n      rhoA: 1\n      rhoI: [3, 2, 1]\n      " K_OF("7", "8", "8") "\n";
  assert_refused(ga_file_parse("m.yaml", with_K, strlen(with_K), NULL, &file, &err), &err,
                 GA_ERR_FILE, "m.yaml:8:10: beams.arm.section: beam 'arm': K is not positive", "");
  const char *text = "genalpha: 1\nbeams: {arm: {" LINE ", " SECTION
                     "}}\njoints: {j: {type: fixed, between: [ground, arm]}}\n";
  assert_refused(ga_file_parse("m.yaml", text, strlen(text), NULL, &file, &err), &err, GA_ERR_FILE,
                 "'arm' is a beam", "m.yaml:3:");
  text = "genalpha: 1\nbeams: {arm: {" LINE ", " SECTION
         "}}\nforces: {f: {type: force, body: arm.end, value: [arm.s1.N, 0, 0]}}\n";
  assert_refused(ga_file_parse("m.yaml", text, strlen(text), NULL, &file, &err), &err, GA_ERR_FILE,
                 "'arm.s1' has no 'N' that a function can use", "m.yaml:3:");
  text = "genalpha: 1\nbodies: {arm: {mass: 1, inertia: [1, 1, 1]}}\nbeams: {arm: {" LINE
         ", " SECTION "}}\n";
  assert_refused(ga_file_parse("m.yaml", text, strlen(text), NULL, &file, &err), &err, GA_ERR_FILE,
                 "used already", "m.yaml:3:");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(forms), cmocka_unit_test(mistakes),
                                     cmocka_unit_test(places)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

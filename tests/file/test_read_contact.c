/* SPDX-License-Identifier: MIT */
/* Contacts and hard limits of model files: their columns, and the sentences about mistakes. */
#include <stdlib.h>

#include "support.h"

#define HEAD                                                                                 \
  "genalpha: 1\nbodies:\n  ball: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 1]}\n"       \
  "  bob: {kind: point, mass: 1, position: [3, 0, 1]}\n"                                     \
  "  flat: {kind: planar, mass: 1, inertia: 1, position: [0, 1]}\n"                          \
  "  box: {mass: 1, shape: {box: [0.2, 0.3, 0.1]}, com: [0.1, 0, 0], position: [5, 0, 1]}\n" \
  "joints: {hinge: {type: revolute, between: [ground, box], axis: [0, 1, 0]}}\n"

static ga_file *parse(const char *text, ga_error *err) {
  ga_file *file = NULL;
  ga_file_parse("m.yaml", text, strlen(text), NULL, &file, err);
  return file;
}

/* what follows HEAD, and what the message has */
static const char *const bad[][2] = {
    {"contacts: {a: {between: [ground, ball]}}",
     "contacts.a: a surface of 'ball' is missing: sphere, circle"},
    {"contacts: {a: {between: [ground, ball], sphere: {radius: 0}}}",
     "contacts.a.sphere: radius 0 must be positive"},
    {"contacts: {a: {between: [ground, ball], sphere: {radius: 1}, points: [[0, 0, 0]]}}",
     "one surface of B is expected"},
    {"contacts: {a: {between: [ball, ground], plane: {normal: {ground: [0, 0, 1]}}, points: [[0, "
     "0, "
     "0]]}}",
     "plane.normal is given on 'ground', but the plane belongs to the first body; swap the bodies"},
    {"contacts: {a: {between: [bob, ball], points: [[0, 0, 0]]}}",
     "'bob' is a point and has no plane; swap the bodies of between"},
    {"contacts: {a: {between: [ground, bob], sphere: {radius: 0.1}, friction: 0.1}}",
     "'bob' is a point, which cannot roll"},
    {"contacts: {a: {between: [ground, ball], sphere: {radius: 0.1}, restitution: 1.1}}",
     "restitution 1.1 is not between 0 and 1"},
    {"contacts: {a: {between: [ground, ball], sphere: {radius: 0.1}, friction: -1}}",
     "friction -1 must not be negative"},
    {"contacts: {a: {between: [ground, ball], sphere: {radius: 0.1}, friction: 0.3, "
     "static_friction: "
     "0.2}}",
     "contacts.a: static_friction 0.2 is less than friction 0.3"},
    {"contacts: {a: {between: [ground, ball], sphere: {radius: 0.1}, static_friction: 0.2}}",
     "static_friction 0.2 needs a friction above 0"},
    {"contacts: {a: {between: [ground, ball], sphere: {radius: 0.1}, restitution: 0, stiffness: "
     "1}}",
     "restitution belongs to a hard contact, stiffness to a soft one"},
    {"contacts: {a: {between: [ground, ball], sphere: {radius: 0.1}, damping: 1}}",
     "damping belongs to a soft contact, which has a stiffness"},
    {"contacts: {a: {between: [ground, ball], inside: true, sphere: {radius: 0.1}}}",
     "inside belongs to spheres or circles of both bodies"},
    {"contacts: {a: {between: [ball, box], inside: true, spheres: [0.1, 0.2]}}",
     "the inner radius 0.2 is not less than the outer one 0.1"},
    {"contacts: {a: {between: [ground, ball], shape: true}}", "'ball' has no shape"},
    {"contacts: {a: {between: [ground, ball], sphere: {radius: 0.1, center: [0, 0, 0]}}}",
     "unknown key 'center'; did you mean 'centre'?"},
    {"contacts: {a: {between: [ground, ball], plane: {normal: [0, 0, 0]}, sphere: {radius: 0.1}}}",
     "is zero and has no direction"},
    {"contacts: {a: {between: [ground, ball], circle: {radius: 0.1}}}",
     "'ball' moves in space; take sphere"},
    {"contacts: {a: {between: [box, ball], circles: [0.1, 0.1]}}",
     "'ball' moves in space; take spheres"},
    {"contacts: {ball: {between: [ground, ball], sphere: {radius: 0.1}}}", "'ball'"},
    {"contacts: {a: {between: [ground, ball], sphere: {radius: 1.003}}}",
     "contact 'a' starts closed by 3 mm: move 'ball' by 3 mm along [0, 0, 1]"},
    {"contacts: {a: {between: [ball, ground], plane: {normal: {ball: [0, 0, -1]}, point: {ball: "
     "[0, "
     "0, -1.5]}}, points: [[0, 0, 0]]}}",
     "contact 'a' starts closed by 500 mm: move 'ball' by 500 mm along [0, 0, 1]"},
    {"contacts: {a: {between: [ground, flat], points: [[0, -0.2], [0.1, -1.2]]}}",
     "contact 'a.2' starts closed by 200 mm: move 'flat'"},
    {"contacts: {a: {sphere: {radius: 0.1}}}", "the key 'between' is missing, or 'all'"},
    {"contacts: {a: {all: [ball]}}", "a list of bodies [a, b, ..] is expected here"},
    {"contacts: {a: {all: [ball, box]}}", "'ball' has no shape that meets others"},
    {"contacts: {a: {all: [box, nobody]}}", "nobody"},
    {"contacts: {a: {all: [ball, box], sphere: {radius: 1}}}",
     "between and surfaces do not stand beside it"},
    {"contacts: {a: {all: [ball, box], between: [ball, box]}}",
     "between and surfaces do not stand beside it"},
    {"limits: {knee: {coordinate: hinge.angle, lower: 2.1, upper: 2.0}}",
     "limits.knee: lower (2.1) is above upper (2)"},
    {"limits: {knee: {coordinate: hinge.angle, lower: 1, upper: 1}}",
     "limits.knee: lower (1) is equal to upper (1)"},
    {"limits: {knee: {coordinate: hinge.ange, upper: 1}}",
     "limit 'knee': joint 'hinge' (revolute) has no coordinate 'ange', but 'angle'"},
    {"limits: {knee: {coordinate: hinge.angle, upper: 1, damping: 1}}",
     "damping belongs to a stiffness"},
    {"limits: {knee: {coordinate: hinge.angle, upper: 1, friction: 1}}", "unknown key 'friction'"},
    {"limits: {hinge: {coordinate: hinge.angle, upper: 1}}", "the name is used already"},
    {"contacts: {a: {between: [ground, ball], sphere: {radius: 1}, stiffness: 1, friction: 1, "
     "slip_speed: 0}}",
     "slip_speed 0 must be positive"},
    {"contacts: {a: {between: [ground, ball], sphere: {radius: 1}, slip_speed: 1}}",
     "slip_speed belongs to a soft contact"},
    {"contacts: {a: {between: [ground, ball], sphere: {radius: 1}, stiffness: -1}}",
     "stiffness -1 must be positive"},
    {"contacts: {a: {between: [ground, ball], capsule: {radius: 0.1, from: [1, 0, 0], to: [1, 0, "
     "0]}}}",
     "both ends of the capsule are one point; take a sphere"},
    {"contacts: {a: {between: [bob, ball], spheres: [0, 0]}}", "one of the radii must be positive"},
    {"contacts: {a: {between: [ball, box], spheres: [0.1, -0.1]}}", "radius -0.1 must be positive"},
    {"contacts: {a: {between: [ball, ball], spheres: [0.1, 0.1]}}", "both sides are 'ball'"},
    {"contacts: {a: {all: [ball]}}", "a list of bodies [a, b, ..] is expected here"},
    {"contacts: {a: {between: [ball, flat], spheres: [0.1, 0.1]}}",
     "'flat' is planar and 'ball' is not"},
    {"contacts: {a: {between: [ground, nobody], sphere: {radius: 1}}}",
     "there is no body 'nobody'"},
    {"contacts: {a: {between: [ground, box], points: []}}",
     "a list of points [[x, y, z], ..] is expected here"},
    {"contacts: {a: {between: [ground, flat], plane: {normal: [0, 0, 1]}, points: [[0, 0]]}}",
     "the list has 3 entries, 2 are expected"},
    {"contacts: {a: {between: [ground, bob], box: [1, 1, 1]}}",
     "'bob' is a point: its only point is [0, 0, 0]"},
    {"contacts: {a: {between: [ball, box], block: [1, 1, 1]}}",
     "a block of A goes with a sphere of B"},
    {"contacts: {a: {between: [ground, ball], disk: {radius: 0.1, axis: [0, 0, 1]}}}",
     "contact 'a.1': the disk lies flat on its plane"},
    {"contacts: {a: {between: [ground, ball], disk: {radius: 0.1}}}", "the key 'axis' is missing"},
    {"limits: {knee: {coordinate: hinge.angle, lower: 0.5}}",
     "limit 'knee': hinge.angle starts at 0, below its lower end 0.5 by 0.5"},
    {"limits: {knee: {coordinate: hinge.angle, upper: -0.5}}",
     "limit 'knee': hinge.angle starts at 0, above its upper end -0.5 by 0.5"},
    {"limits: {knee: {coordinate: hinge.angle}}", "a limit needs lower, upper or both"},
    {"limits: {knee: {coordinate: hinge.angle, upper: 1, restitution: 2}}",
     "restitution 2 is not between 0 and 1"},
    {"limits: {knee: {coordinate: hinge.angle, upper: 1, restitution: 0.5, stiffness: 3}}",
     "restitution belongs to a hard limit, stiffness to a soft one"},
};

static void messages(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    char text[2000];
    ga_error err = {0};
    snprintf(text, sizeof text, "%s%s\n", HEAD, bad[i][0]);
    ga_file *file = parse(text, &err);
    if (file) fail_msg("accepted: %s", bad[i][0]);
    if (!strstr(err.text, bad[i][1])) fail_msg("%s\n  lacks: %s", err.text, bad[i][1]);
  }
}

/* `all` is what the pairs would be one by one: gaps and rows, bit by bit; two boxes are refused;
 * pairs that are far apart have zero rows. */
#define FOUR                                                                  \
  "genalpha: 1\nbodies:\n  a: {shape: {sphere: {radius: 0.1}}, mass: 1}\n"    \
  "  b: {shape: {sphere: {radius: 0.2}}, mass: 1, position: [0.4, 0.1, 0]}\n" \
  "  c: {shape: {box: [0.2, 0.3, 0.1]}, mass: 1, position: [0, 0.4, 0.1]}\n"  \
  "  d: {shape: {sphere: {radius: 0.1}}, mass: 1, position: [5, 0, 0]}\n"
static void all_pairs(void **state) {
  (void)state;
  ga_error err = {0};
  ga_file *all = parse(FOUR
                       "contacts: {pile: {all: [a, b, c, d], friction: 0.3, restitution: 0.5}}\n"
                       "output: [pile.gap, pile.a_b.gap, pile.c_d.n]\n",
                       &err);
  if (!all) fail_msg("%s", err.text);
  ga_file *each = parse(
      FOUR
      "contacts:\n  ab: {between: [a, b], spheres: [0.1, 0.2], friction: 0.3}\n"
      "  ca: {between: [c, a], block: [0.2, 0.3, 0.1], sphere: {radius: 0.1}, friction: 0.3}\n"
      "  ad: {between: [a, d], spheres: [0.1, 0.1], friction: 0.3}\n"
      "  cb: {between: [c, b], block: [0.2, 0.3, 0.1], sphere: {radius: 0.2}, friction: 0.3}\n"
      "  bd: {between: [b, d], spheres: [0.2, 0.1], friction: 0.3}\n"
      "  cd: {between: [c, d], block: [0.2, 0.3, 0.1], sphere: {radius: 0.1}, friction: 0.3}\n",
      &err);
  if (!each) fail_msg("%s", err.text);
  static const char *const expected[] = {"pile.a_b", "pile.a_c", "pile.a_d",
                                         "pile.b_c", "pile.b_d", "pile.c_d"};
  const ga_model *x = ga_mechanism_model(ga_file_mechanism(all));
  const ga_model *y = ga_mechanism_model(ga_file_mechanism(each));
  assert_int_equal(x->ncontacts, 6);
  assert_int_equal(y->ncontacts, 6);
  double g[2][6], k[2][12], v[24];
  for (int i = 0; i < 24; i++) v[i] = sin(1.0 + i);
  const double *q = ga_mechanism_q0(ga_file_mechanism(all));
  assert_int_equal(ga_model_evaluate(x, 0, q, v, &(ga_evaluation){.g = g[0], .k = k[0]}), 0);
  assert_int_equal(ga_model_evaluate(y, 0, q, v, &(ga_evaluation){.g = g[1], .k = k[1]}), 0);
  for (int i = 0; i < 6; i++) {
    const bool far = strchr(expected[i], 'd') != NULL;
    assert_string_equal(x->contacts[i].name, expected[i]);
    if (far) {
      assert_true(g[0][i] > 0 && g[0][i] < g[1][i]);
      assert_true(k[0][2 * i] == 0 && k[0][2 * i + 1] == 0);
      continue;
    }
    assert_true(g[0][i] == g[1][i]);
    assert_true(k[0][2 * i] == k[1][2 * i] && k[0][2 * i + 1] == k[1][2 * i + 1]);
  }
  must(ga_model_check_derivatives(x, 0, q, v, NULL, &err), &err);
  ga_file_free(all);
  ga_file_free(each);
  assert_null(
      parse("genalpha: 1\nbodies:\n  c: {shape: {box: [1, 1, 1]}, mass: 1}\n"
            "  d: {shape: {box: [1, 1, 1]}, mass: 1, position: [5, 0, 0]}\n"
            "contacts: {pile: {all: [c, d]}}\n",
            &err));
  assert_non_null(strstr(err.text, "'c' and 'd' are boxes; boxes meet spheres here"));
}

/* Names of the contacts of the model, and columns that are known by name, with their units. */
static void names(void **state) {
  (void)state;
  ga_error err = {0};
  ga_file *file = parse(
      HEAD
      "contacts:\n"
      "  floor: {between: [ground, ball], sphere: {radius: 0.1}, friction: 0.2, restitution: 0.5}\n"
      "  feet: {between: [ground, box], box: [0.2, 0.3, 0.1]}\n"
      "  line: {between: [ground, flat], points: [[0.3, -0.1], [0.2, 0]], friction: 1}\n"
      "  soft: {between: [ground, bob], stiffness: 100}\n"
      "limits: {knee: {coordinate: hinge.angle, lower: -1, upper: 120 deg}}\n"
      "output: [floor.gap, floor.n, floor.fx, floor.fy, floor.fz, floor.slip, floor.state, "
      "floor.impulse,\n"
      "  floor.Fz, feet.3.gap, feet.8.Fx, line.2.gap, line.fy, line.Fy, soft.n, knee.gap, knee.n,\n"
      "  knee.lower.n, knee.upper.gap, energy.impacts, energy.friction]\n",
      &err);
  if (!file) fail_msg("%s", err.text);
  const ga_mechanism *m = ga_file_mechanism(file);
  const ga_model *model = ga_mechanism_model(m);
  static const char *const expected[] = {"floor",  "feet.1",     "feet.2",    "feet.3", "feet.4",
                                         "feet.5", "feet.6",     "feet.7",    "feet.8", "line.1",
                                         "line.2", "knee.lower", "knee.upper"};
  static const int slips[] = {2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0};
  assert_int_equal(model->ncontacts, 13);
  for (int i = 0; i < 13; i++) {
    assert_string_equal(model->contacts[i].name, expected[i]);
    assert_int_equal(model->contacts[i].nslip, slips[i]);
  }
  double values[2000], *lam = calloc((size_t)model->nlam, sizeof *lam);
  double *psi = calloc((size_t)model->npsi, sizeof *psi);
  double *vd = calloc((size_t)ga_space_nv(model->space), sizeof *vd);
  lam[model->contacts[0].gap] = -4;
  psi[model->contacts[0].slip] = 0.5;
  psi[model->contacts[9].slip] = -2; /* f = 2 along t = x */
  lam[model->contacts[11].gap] = -7;
  const ga_state s = {
      .q = ga_mechanism_q0(m), .v = ga_mechanism_v0(m), .vd = vd, .lam = lam, .psi = psi};
  assert_true(ga_mechanism_columns(m) < 2000);
  ga_mechanism_outputs(m, &s, values);
#define COLUMN(name) values[ga_mechanism_column_index(m, name)]
  assert_float_equal(COLUMN("floor.gap"), 0.9, 1e-14);
  assert_float_equal(COLUMN("floor.n"), 4, 0);
  assert_float_equal(COLUMN("floor.fx"), -0.5, 0);
  assert_float_equal(COLUMN("floor.fz"), 4, 0);
  assert_float_equal(COLUMN("floor.Fx"), -0.5, 0);
  /* corners are about the centre of mass, (-,-,-) first, y fastest, z slowest; com is at (5.1, 0, 1) */
  assert_float_equal(COLUMN("feet.1.gap"), 0.95, 1e-14);
  assert_float_equal(COLUMN("feet.5.gap"), 1.05, 1e-14);
  assert_float_equal(COLUMN("feet.gap"), 0.95, 1e-14);
  assert_float_equal(COLUMN("line.1.fx"), 2, 0);
  assert_float_equal(COLUMN("line.Fx"), 2, 0);
  assert_float_equal(COLUMN("line.gap"), 0.9, 1e-14);
  assert_float_equal(COLUMN("knee.gap"), 1, 1e-14);
  assert_float_equal(COLUMN("knee.upper.gap"), 2.0943951023931953, 1e-14);
  assert_float_equal(COLUMN("knee.n"), 7, 0);
  assert_float_equal(COLUMN("knee.lower.n"), 7, 0);
  assert_string_equal(ga_mechanism_column_unit(m, ga_mechanism_column_index(m, "knee.gap")), "rad");
  assert_string_equal(ga_mechanism_column_unit(m, ga_mechanism_column_index(m, "feet.3.slip")),
                      "m/s");
  free(lam), free(psi), free(vd);
  ga_file_free(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(messages), cmocka_unit_test(all_pairs),
                                     cmocka_unit_test(names)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Functions of signals: every signal in every kind of function, its derivatives in Kt, Ct, H, Y and the
 * drifts at random states against difference quotients; values of signals against columns; messages. */
#include "element_settings.h"

/* Sensors of all types between the bodies of a setting. */
static void add_sensors(ga_mechanism *m, const setting *s) {
  const bool turns = s->type[0] == GA_BODY_RIGID && s->type[1] == GA_BODY_RIGID;
  const double z = is_planar(s) ? 0 : 1;
  const bool dot = s->type[0] == GA_BODY_POINT || s->type[1] == GA_BODY_POINT;
  ga_point at = GA_ON_BOTH(0.3, -0.2, 0.5 * z, 0.1, 0.6, -0.3 * z);
  if (dot) at.kind = s->type[0] == GA_BODY_POINT ? GA_NOT_GIVEN : GA_SIDE_A;
  ADD(sensor, m, .name = "tip", .type = "point", .body = "one",
      .at = {s->type[0] == GA_BODY_POINT ? GA_NOT_GIVEN : GA_SIDE_A, {0.2, 0.1, -0.4 * z}, {0}});
  ADD(sensor, m, .name = "gap", .type = "distance", .between = {s->between[0], s->between[1]},
      .at = at);
  ADD(sensor, m, .name = "rel", .type = "relative", .between = {s->between[0], s->between[1]},
      .at = at);
  ADD(force, m, .name = "band", .type = "spring", .between = {s->between[0], s->between[1]},
      .at = at, .stiffness = 3, .damping = 0.7, .law = {.text = "sin(s)*s_dot + t*one.vx"});
  ADD(force, m, .name = "wind", .type = "force", .body = "two",
      .frame = turns ? GA_FORCE_BODY : GA_FORCE_SPACE,
      .at = {turns ? GA_SIDE_A : GA_NOT_GIVEN, {0.3, -0.2, 0.5 * z}, {0}},
      .value = {{.text = "0.3*gap*cos(t)"}, {.constant = 0.4}});
  ADD(sensor, m, .name = "p_band", .type = "power", .of = "band");
  ADD(sensor, m, .name = "p_wind", .type = "power", .of = "wind");
  if (turns) {
    static const double K[36] = {
        .4,        .03,        [6] = .03, [7] = .5,   [14] = .6,  [21] = .2,
        [4] = .01, [24] = .01, [28] = .3, [29] = .02, [34] = .02, [35] = .25};
    static const double C[36] = {
        .04, [2] = .01, [7] = .05, [14] = .03, [21] = .02, [28] = .04, [35] = .01};
    ADD(force, m, .name = "rubber", .type = "bushing", .between = {s->between[0], s->between[1]},
        .at = at, .axis = GA_IN_SPACE(0.2, 1, 0.3), .K = K, .C = C);
    ADD(force, m, .name = "spin", .type = "torque", .body = "one", .frame = GA_FORCE_BODY,
        .value = {{.text = "0.2*two.vy"}, {.constant = 0.3}, {.text = "sin(t)"}});
    ADD(sensor, m, .name = "p_rubber", .type = "power", .of = "rubber");
    ADD(sensor, m, .name = "p_spin", .type = "power", .of = "spin");
    ADD(sensor, m, .name = "bend", .type = "angle", .between = {s->between[0], s->between[1]},
        .directions = GA_ON_BOTH(1, 0.2, 0.3, -0.4, 1, 0.2));
    ADD(sensor, m, .name = "turn", .type = "orientation",
        .between = {s->between[0], s->between[1]});
  }
  ADD(sensor, m, .name = "mix", .type = "expression",
      .value = {.text = "0.1*(one.vx*two.y + gap^2*cos(t)) - 0.02*band.force*rel.vx"});
}

static const char *const everywhere[] = {
    "one.x",     "one.y",      "one.vx",  "two.vy", "tip.x",   "tip.vy",
    "gap",       "gap_rate",   "rel.x",   "rel.vy", "mix",     "band.length",
    "band.rate", "band.force", "wind.fx", "p_band", "wind.fy", "p_wind"};
static const char *const in_space[] = {"one.z", "one.vz", "tip.z", "tip.vz", "rel.z", "rel.vz"};
static const char *const rigid[] = {
    "two.e0",      "two.e1",      "two.e2",      "two.e3",      "two.wx",      "two.wy",
    "two.wz",      "two.body_vx", "two.body_vy", "two.body_vz", "two.body_wx", "two.body_wy",
    "two.body_wz", "bend",        "turn.roll",   "turn.pitch",  "turn.yaw",    "wind.fz",
    "rubber.fx",   "rubber.fy",   "rubber.fz",   "rubber.mx",   "rubber.my",   "rubber.mz",
    "p_rubber",    "spin.mx",     "spin.mz",     "p_spin"};
static const char *const planar[] = {"one.angle", "two.rate", "one.body_vx", "one.body_vy"};

/* One signal in every kind of function. */
static void check_signal(const setting *s, const char *name) {
  ga_mechanism *m = bodies_of(s);
  char text[5][128], title[200];
  add_sensors(m, s);
  snprintf(text[0], sizeof text[0], "cos(0.5*%s) + t", name);
  snprintf(text[1], sizeof text[1], "%s^2*sin(t)", name);
  snprintf(text[2], sizeof text[2], "s*%s - %s*s_dot", name, name);
  snprintf(text[3], sizeof text[3], "sin(2*t)*%s + z*%s", name, name);
  snprintf(text[4], sizeof text[4], "-z + tanh(%s)*t", name);
  const bool turns = s->type[1] != GA_BODY_POINT;
  ADD(controller_state, m, .name = "z", .rate = {.constant = 0.2}, .start = 0.3);
  ADD(force, m, .name = "push", .type = "force", .body = "two",
      .at = {turns ? GA_SIDE_A : GA_NOT_GIVEN, {0.3, -0.2, is_planar(s) ? 0 : 0.5}, {0}},
      .value = {{.text = text[0]}, {.constant = 1}, {.text = text[1]}});
  ADD(force, m, .name = "follow", .type = "force", .body = "one", .frame = GA_FORCE_BODY,
      .value = {{.text = text[1]}, {.text = text[0]}});
  if (turns) {
    ADD(force, m, .name = "twist", .type = "torque", .body = "two", .frame = GA_FORCE_BODY,
        .value = {{.text = text[1]}, {0}, {.text = text[0]}});
  }
  ADD(force, m, .name = "rope", .type = "spring", .between = {s->between[0], s->between[1]},
      .stiffness = 2, .law = {.text = text[2]});
  ADD(controller_state, m, .name = "y", .rate = {.text = text[3]}, .start = -0.1);
  ADD(controller_state, m, .name = "x", .rate = {.text = text[4]}, .start = 0.1);
  snprintf(title, sizeof title, "%s %s", s->text, name);
  check(m, title);
}

/* Each signal in every third setting, so that all settings and all signals have their turn. */
static void check_some(const setting *s, int turn, const char *const *names, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (((int)i + turn) % 3 == 0) check_signal(s, names[i]);
  }
}

static void signals_everywhere(void **state) {
  (void)state;
  for (int k = 0; k < NSETTING; k++) {
    const setting *s = &settings[k];
    const bool turns = s->type[0] == GA_BODY_RIGID && s->type[1] == GA_BODY_RIGID;
    check_some(s, k, everywhere, sizeof everywhere / sizeof everywhere[0]);
    if (!is_planar(s)) check_some(s, k, in_space, sizeof in_space / sizeof in_space[0]);
    if (turns) check_some(s, k, rigid, sizeof rigid / sizeof rigid[0]);
    for (size_t i = 0; is_planar(s) && i < sizeof planar / sizeof planar[0]; i++) {
      check_signal(s, planar[i]);
    }
  }
}

/* Coordinates and rates in torsions, drives and states. */
static void signals_of_joints(void **state) {
  (void)state;
  for (int k = 0; k < 5; k++) {
    const setting *s = &settings[k];
    ga_mechanism *m = bodies_of(s);
    ADD(joint, m, .name = "j", .type = "cylindrical", .between = {s->between[0], s->between[1]},
        .at = GA_IN_SPACE(0.5, 0.2, 0.4), .axis = GA_IN_SPACE(0.3, -0.5, 0.8));
    ADD(joint, m, .name = "k", .type = "universal", .between = {"ground", "two"},
        .at = GA_IN_SPACE(0.1, 0.2, 0.3), .axis = GA_IN_SPACE(0.3, -0.5, 0.8),
        .x_axis = GA_IN_SPACE(0.8, 0, -0.3));
    ADD(input, m, .name = "u", .value = 0.7);
    ADD(controller_state, m, .name = "z", .rate = {.text = "j.angle_rate*u - z^2*sin(t) + two.vx"});
    ADD(force, m, .name = "a", .type = "torsion", .coordinate = "j.angle", .stiffness = 5,
        .law = {.text = "-2*s*k.angle_a_rate + z*two.wx + u*j.position"});
    ADD(force, m, .name = "b", .type = "torsion", .coordinate = "k.angle_b", .damping = 0.4,
        .law = {.text = "a.effort*k.angle_a + s*s_dot"});
    ADD(drive, m, .name = "d", .coordinate = "j.position",
        .rate = {.text = "sin(t)*k.angle_a - b.effort*two.wz + z - j.position*j.angle"});
    check(m, s->text);
  }
}

/* Ropes, backlash, friction and powers on coordinates: the rope is taut and the teeth touch. */
static void signals_of_relations(void **state) {
  (void)state;
  static const char *const names[] = {
      "rope.length",  "rope.rate",  "rope.tension", "plain.tension", "p_plain",
      "teeth.offset", "teeth.rate", "teeth.effort", "p_teeth",       "p_a",
      "stiff.length", "rub.effort", "p_rub"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const setting *s = &settings[i % 5];
    ga_mechanism *m = bodies_of(s);
    char text[2][100];
    ADD(joint, m, .name = "j", .type = "cylindrical", .between = {s->between[0], s->between[1]},
        .at = GA_IN_SPACE(0.5, 0.2, 0.4), .axis = GA_IN_SPACE(0.3, -0.5, 0.8));
    ADD(joint, m, .name = "k", .type = "universal", .between = {"ground", "two"},
        .at = GA_IN_SPACE(0.1, 0.2, 0.3), .axis = GA_IN_SPACE(0.3, -0.5, 0.8),
        .x_axis = GA_IN_SPACE(0.8, 0, -0.3));
    const ga_rope_point over[] = {{.body = "ground", .at = {3, 1, 2}},
                                  {.body = "one", .at = {0.1, 0.3, 0.2}},
                                  {.body = "two", .at = {0, 0.4, 0}}};
    ADD(rope, m, .name = "rope", .count = 3, .over = over, .stiffness = 40, .damping = 3,
        .length = {.text = "0.2 + 0.1*sin(j.angle*t) + 0.1*t*k.angle_a"});
    ADD(rope, m, .name = "plain", .count = 2, .over = over, .stiffness = 30, .damping = 2,
        .length = {.constant = 0.5});
    ADD(rope, m, .name = "stiff", .count = 2, .over = over);
    static const char *const sum[] = {"j.angle", "k.angle_a"};
    static const double c[] = {2, -1};
    ADD(force, m, .name = "teeth", .type = "backlash", .nsum = 2, .sum = sum, .coefficients = c,
        .stiffness = 20, .damping = 1, .gap = 1e-3, .free = {true, -4});
    ADD(force, m, .name = "a", .type = "torsion", .coordinate = "j.angle", .stiffness = 5,
        .law = {.text = "-2*s*k.angle_a_rate"});
    ADD(force, m, .name = "rub", .type = "friction", .coordinate = "k.angle_a", .friction = 0.5,
        .static_friction = 0.8, .speed = 5);
    ADD(sensor, m, .name = "p_rub", .type = "power", .of = "rub");
    ADD(sensor, m, .name = "p_plain", .type = "power", .of = "plain");
    ADD(sensor, m, .name = "p_teeth", .type = "power", .of = "teeth");
    ADD(sensor, m, .name = "p_a", .type = "power", .of = "a");
    snprintf(text[0], sizeof text[0], "0.1*%s*s - sin(0.02*%s)", names[i], names[i]);
    snprintf(text[1], sizeof text[1], "-0.2*%s + z*t", names[i]);
    ADD(controller_state, m, .name = "z", .rate = {.text = "-z"}, .start = 0.3);
    ADD(force, m, .name = "b", .type = "torsion", .coordinate = "k.angle_b",
        .law = {.text = text[0]});
    ADD(controller_state, m, .name = "y", .rate = {.text = text[1]});
    ADD(sensor, m, .name = "copy", .type = "expression", .value = {.text = names[i]});
    check(m, names[i]);
  }
}

/* f = x[1] x[2]^2 + t; the second derivative is along one variable */
static int product(void *context, const double *x, int along, double f[3]) {
  (void)context;
  f[0] = x[0] + x[1] * x[2] * x[2];
  f[1] = along == 0 ? 1 : along == 1 ? x[2] * x[2] : along == 2 ? 2 * x[1] * x[2] : 0;
  f[2] = along == 2 ? 2 * x[1] : 0;
  return 0;
}

/* A function in C with the names of its signals, one of which is added later. */
static void functions_in_c(void **state) {
  (void)state;
  static const char *const uses[] = {"two.vx", "later"};
  ga_mechanism *m = bodies_of(&settings[1]);
  ADD(force, m, .name = "push", .type = "force", .body = "one",
      .value = {{.fn = product, .uses = uses, .nuses = 2}});
  ADD(sensor, m, .name = "later", .type = "distance", .between = {"one", "two"});
  check(m, "a function in C");
}

/* Expressions as sensors have the values of the columns that they mention. */
static void values_are_columns(void **state) {
  (void)state;
  for (int k = 0; k < NSETTING; k++) {
    const setting *s = &settings[k];
    ga_mechanism *m = bodies_of(s);
    add_sensors(m, s);
    char name[32];
    const bool turns = s->type[0] == GA_BODY_RIGID && s->type[1] == GA_BODY_RIGID;
    const size_t first = sizeof everywhere / sizeof everywhere[0];
    const size_t n = first + (turns ? sizeof rigid / sizeof rigid[0] : 0);
    const char *all[64];
    for (size_t i = 0; i < n; i++) {
      all[i] = i < first ? everywhere[i] : rigid[i - first];
      if (strncmp(all[i], "two.body_", 9) == 0) all[i] = "two.x"; /* no columns */
      snprintf(name, sizeof name, "copy%zu", i);
      ADD(sensor, m, .name = name, .type = "expression", .value = {.text = all[i]});
    }
    build(m);
    const ga_model *model = ga_mechanism_model(m);
    double v[NMAX], vd[NMAX] = {0}, values[200];
    unsigned seed = 8;
    random_vector(&seed, ga_space_nv(model->space), 1, v);
    const ga_state at = {.t = 0.4, .q = ga_mechanism_q0(m), .v = v, .vd = vd};
    assert_int_equal(ga_mechanism_outputs(m, &at, values), GA_OK);
    for (size_t i = 0; i < n; i++) {
      snprintf(name, sizeof name, "copy%zu", i);
      const double copy = values[ga_mechanism_column_index(m, name)];
      const double column = values[ga_mechanism_column_index(m, all[i])];
      assert_true(fabs(copy - column) <= 1e-14 * (1 + fabs(column)));
    }
    ga_mechanism_free(m);
  }
}

/* The text of the message of a force whose law is this; NULL: it was accepted. */
static const char *refusal(const char *law, ga_error *err) {
  ga_mechanism *m = bodies_of(&settings[0]);
  ADD(joint, m, .name = "j", .type = "revolute", .between = {"one", "two"},
      .at = GA_IN_SPACE(0.5, 0.2, 0.4), .axis = GA_IN_SPACE(0.3, -0.5, 0.8));
  ADD(sensor, m, .name = "tip", .type = "point", .body = "one");
  ga_status status = ga_mechanism_add_force(
      m, &(ga_force){.name = "f", .type = "torsion", .coordinate = "j.angle", .law = {.text = law}},
      err);
  if (status == GA_OK) status = ga_mechanism_build(m, 0, err);
  ga_mechanism_free(m);
  return status == GA_OK ? NULL : err->text;
}

static void messages(void **state) {
  (void)state;
  ga_error err = {0};
  assert_null(refusal("j.angle_rate", &err));
  assert_non_null(strstr(refusal("j.fx", &err), "'j.fx' is a force of a constraint"));
  assert_non_null(strstr(refusal("tip.ax", &err), "functions cannot use 'tip.ax'"));
  assert_non_null(strstr(refusal("one.vw", &err), "unknown name 'one.vw'"));
  assert_non_null(strstr(refusal("tipp.x", &err), "unknown name 'tipp.x'"));
  /* definitions in a circle are named */
  static const char *const b[] = {"second"}, *const a[] = {"first"};
  ga_mechanism *m = bodies_of(&settings[0]);
  ADD(sensor, m, .name = "first", .type = "expression",
      .value = {.fn = product, .uses = b, .nuses = 1});
  ADD(sensor, m, .name = "second", .type = "expression",
      .value = {.fn = product, .uses = a, .nuses = 1});
  assert_int_equal(ga_mechanism_build(m, 0, &err), GA_ERR_ARG);
  assert_non_null(strstr(err.text, "sensor 'first'"));
  assert_non_null(strstr(err.text, "sensor 'second'"));
  assert_non_null(strstr(err.text, "circle"));
  ga_mechanism_free(m);
  /* a force that would need its own power */
  static const char *const own[] = {"power"};
  m = bodies_of(&settings[0]);
  ADD(force, m, .name = "f", .type = "spring", .between = {"one", "two"},
      .law = {.fn = product, .uses = own, .nuses = 1});
  ADD(sensor, m, .name = "power", .type = "power", .of = "f");
  assert_int_equal(ga_mechanism_build(m, 0, &err), GA_ERR_ARG);
  assert_non_null(strstr(err.text, "circle"));
  ga_mechanism_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(signals_everywhere),   cmocka_unit_test(signals_of_joints),
      cmocka_unit_test(signals_of_relations), cmocka_unit_test(functions_in_c),
      cmocka_unit_test(values_are_columns),   cmocka_unit_test(messages)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

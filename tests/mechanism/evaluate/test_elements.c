/* SPDX-License-Identifier: MIT */
/* One suite over the tables: Jacobian, curvature, drift and tangents of every joint with its
 * coordinates, of every force, between all kinds of bodies, at random states against difference
 * quotients. Structure, too: an entry that a pattern lacks shows as a difference. */
#include "element_settings.h"
#include "mechanism/mechanism.h"

/* ---- joints --------------------------------------------------------------------------------- */

/* A joint of any type that is closed in the start configuration: its point is given in space. */
static ga_joint joint_of(const ga_joint_type_info *type, const setting *s) {
  ga_joint j = {.name = "joint", .type = type->name, .between = {s->between[0], s->between[1]}};
  const bool planar = is_planar(s);
  if (type->uses & GA_JOINT_RADIUS) {
    /* the disk's axis is x of space, so that its lowest point is straight below */
    j.radius = 0.4;
    j.centre = (ga_point)GA_IN_SPACE(0.6, 0.1, 0.7);
    j.point = (ga_point)GA_IN_SPACE(0.2, -0.3, 0.3);
    if (type->uses & GA_JOINT_AXIS) j.axis = (ga_point)GA_IN_SPACE(2, 0, 0);
    return j;
  }
  if (type->uses & GA_JOINT_CURVE) {
    /* through the origin of B, which the start configuration has at s = 0.3 */
    j.at = (ga_point)GA_ON_A(0.2, -0.1, planar ? 0 : 0.3);
    j.curve[0].text = "c0*(1 + 0.2*sin(s - 0.3))";
    j.curve[1].text = "c1 + 0.7*(s - 0.3) + 0.4*(s - 0.3)^2";
    if (!planar) j.curve[2].text = "c2*cos(2*(s - 0.3))";
    j.start = (ga_given)GA_VALUE(0.2);
    return j;
  }
  if (type->uses & GA_JOINT_LENGTH || strcmp(type->name, "span") == 0) {
    j.at = (ga_point)GA_ON_BOTH(0.2, 0.3, planar ? 0 : -0.1, -0.4, 0.1, planar ? 0 : 0.3);
    if (s->type[0] == GA_BODY_POINT) j.at.kind = GA_NOT_GIVEN;
    /* across the line of the points, whose angles are not smooth near the axis */
    if (type->uses & GA_JOINT_AXIS && !planar) j.axis = (ga_point)GA_IN_SPACE(0.8, -0.1, 0.6);
    return j;
  }
  j.at = (ga_point)GA_IN_SPACE(0.5, 0.2, planar ? 0 : 0.4);
  if (s->type[1] == GA_BODY_POINT) j.at.kind = GA_NOT_GIVEN;
  if (type->uses & GA_JOINT_DIRECTION) j.direction = (ga_point)GA_IN_SPACE(0.3, -0.5, 0.8);
  const bool turning = strcmp(type->name, "revolute") == 0 || strcmp(type->name, "fixed") == 0;
  if (type->uses & GA_JOINT_AXIS && !(planar && turning)) {
    j.axis = (ga_point)GA_IN_SPACE(0.3, -0.5, planar ? 0 : 0.8);
  }
  if (type->uses & GA_JOINT_X_AXIS && !planar) j.x_axis = (ga_point)GA_IN_SPACE(0.8, 0, -0.3);
  return j;
}

/* Numbers c0, c1, c2: the origin of body B relative to the point (0.2, -0.1, 0.3) of A, axes of A. */
static void measure_offset(ga_mechanism *m, const setting *s) {
  const bool planar = is_planar(s);
  const ga_solid *side[2];
  double r[3], d[3];
  ga_error err = {0};
  for (int i = 0; i < 2; i++) {
    int number;
    must(ga_mechanism_body_named(m, "test", s->between[i], &number, &err), &err);
    side[i] = &m->bodies.item[number];
  }
  ga_times3(side[1]->R0, side[1]->com, r);
  ga_plus3(side[1]->x0, -1, r, d);
  ga_plus3(d, -1, side[0]->x0, d);
  ga_times_t3(side[0]->R0, d, r);
  ga_plus3(r, 1, side[0]->com, r);
  ga_plus3(r, -1, (const double[3]){0.2, -0.1, planar ? 0 : 0.3}, r);
  static const char *const names[] = {"c0", "c1", "c2"};
  for (int k = 0; k < 3; k++) must(ga_mechanism_set_parameter(m, names[k], r[k], &err), &err);
}

/* whether the tables allow it; a refusal is tested elsewhere */
static bool add_joint(ga_mechanism *m, const ga_joint *j) {
  ga_error err = {0};
  const ga_status status = ga_mechanism_add_joint(m, j, &err);
  if (status == GA_OK) return true;
  const bool expected = strstr(err.text, "does not join planar") || strstr(err.text, "the point");
  if (!expected) fail_msg("%s", err.text);
  return false;
}

static void joints(void **state) {
  (void)state;
  ga_joint_type_info type;
  int checked = 0;
  for (int i = 0; ga_joint_types(i, &type); i++) {
    for (int k = 0; k < NSETTING; k++) {
      ga_mechanism *m = bodies_of(&settings[k]);
      const ga_joint j = joint_of(&type, &settings[k]);
      measure_offset(m, &settings[k]);
      if (!add_joint(m, &j)) {
        ga_mechanism_free(m);
        continue;
      }
      for (int c = 0; c < 3 && type.coordinates[c]; c++) {
        char name[64];
        snprintf(name, sizeof name, "joint.%s", type.coordinates[c]);
        want(m, name);
      }
      char text[128];
      snprintf(text, sizeof text, "%s %s", type.name, settings[k].text);
      check(m, text);
      checked++;
    }
  }
  /* 17 types between 5 pairs of rigid bodies, 7 planar ones in 2 settings, 6 with one point, 3 with
   * two */
  assert_int_equal(checked, 17 * 5 + 7 * 2 + 6 + 3);
}

/* ---- drives and couplers -------------------------------------------------------------------- */

/* out[k] = d^k/dt^k (t + sin 2t) */
static int wave(void *context, const double *x, int along, double f[3]) {
  (void)context;
  f[0] = x[0] + sin(2 * x[0]);
  f[1] = along == 0 ? 1 + 2 * cos(2 * x[0]) : 0;
  f[2] = along == 0 ? -4 * sin(2 * x[0]) : 0;
  return 0;
}

static void drives(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    ga_mechanism *m = bodies_of(&settings[k]);
    const char *const *between = settings[k].between;
    ADD(joint, m, .name = "j", .type = "cylindrical", .between = {between[0], between[1]},
        .at = GA_IN_SPACE(0.5, 0.2, 0.4), .axis = GA_IN_SPACE(0.3, -0.5, 0.8), .turns = {3});
    ADD(joint, m, .name = "k", .type = "planar", .between = {"ground", between[1]},
        .at = GA_IN_SPACE(0.1, 0.2, 0.3), .axis = GA_IN_SPACE(1, 1, 0));
    ADD(drive, m, .name = "d1", .coordinate = "j.angle", .position = {.text = "6*pi + t^2*cos(t)"});
    ADD(drive, m, .name = "d2", .coordinate = "j.position",
        .rate = {.text = "table(t, [-1, 1, 2.5], [0.5, 3, 1])*t"});
    ADD(drive, m, .name = "d3", .coordinate = "k.x", .rate = {.fn = wave});
    static const char *const terms[] = {"j.angle", "k.y", "k.angle"};
    static const double factors[] = {1, -2.5, 0.3};
    ADD(coupler, m, .name = "c", .count = 3, .coordinates = terms, .coefficients = factors);
    check(m, settings[k].text);
  }
}

/* ---- cams, ropes, backlash ------------------------------------------------------------------ */

/* x1 sin(x2) exp(t): a C function, with derivatives along single variables only */
static int product(void *context, const double *x, int along, double f[3]) {
  (void)context;
  const double e = exp(x[0]), s = sin(x[2]), c = cos(x[2]);
  f[0] = x[1] * s * e;
  f[1] = along == 0 ? f[0] : along == 1 ? s * e : along == 2 ? x[1] * c * e : 0;
  f[2] = along == 0 ? f[0] : along == 2 ? -f[0] : 0;
  return 0;
}

/* two joints with coordinates j.angle, j.position, k.x, k.y, k.angle */
static ga_mechanism *with_coordinates(const setting *s) {
  ga_mechanism *m = bodies_of(s);
  ADD(joint, m, .name = "j", .type = "cylindrical", .between = {s->between[0], s->between[1]},
      .at = GA_IN_SPACE(0.5, 0.2, 0.4), .axis = GA_IN_SPACE(0.3, -0.5, 0.8));
  ADD(joint, m, .name = "k", .type = "planar", .between = {"ground", s->between[1]},
      .at = GA_IN_SPACE(0.1, 0.2, 0.3), .axis = GA_IN_SPACE(1, 1, 0));
  return m;
}

static void cams(void **state) {
  (void)state;
  static const char *const one[] = {"k.y"}, *const two[] = {"j.position", "j.angle"};
  static const char *const used[] = {"j.angle", "k.angle"};
  static const double factors[] = {-1.5, 0.7};
  for (int k = 0; k < 3; k++) {
    for (int own = 0; own < 2; own++) {
      ga_mechanism *m = with_coordinates(&settings[k]);
      /* a function of t, of a coordinate of the sum and of two others; they vanish at the start */
      ADD(coupler, m, .name = "cam", .count = 1, .coordinates = one, .coefficients = factors,
          .function = {.text = "0.2*sin(k.y)*t + t^2*cos(j.angle + k.angle)*k.angle"});
      ADD(coupler, m, .name = "screw", .count = 2, .coordinates = two, .coefficients = factors,
          .function = {.text = own ? NULL : "j.angle*sin(k.angle)*exp(t)",
                       .fn = own ? product : NULL,
                       .uses = used,
                       .nuses = 2});
      check(m, own ? "cam of a C function" : "cam");
    }
  }
}

/* Over a point of A, B, the ground, B again and A: the last two of B have a fixed distance. */
static ga_rope rope_of(const setting *s, ga_rope_point *over, bool elastic) {
  const double z = is_planar(s) ? 0 : 1,
               turns[2] = {s->type[0] != GA_BODY_POINT, s->type[1] != GA_BODY_POINT};
  const ga_rope_point points[5] = {
      {.body = s->between[0], .at = {0.3 * turns[0], -0.2 * turns[0], 0.5 * z * turns[0]}},
      {.body = s->between[1], .at = {0.1 * turns[1], 0.6 * turns[1], -0.3 * z * turns[1]}},
      {.body = "ground", .at = {2, 3, z}},
      {.body = s->between[1], .at = {-0.4 * turns[1], 0.2 * turns[1], 0.3 * z * turns[1]}},
      {.body = s->between[1], .at = {0.2 * turns[1], 0.2 * turns[1], 0}}};
  memcpy(over, points, sizeof points);
  return (ga_rope){.name = "rope",
                   .count = 5,
                   .over = over,
                   .stiffness = elastic ? 40 : 0,
                   .damping = elastic ? 0.1 : 0,
                   .length = {.text = elastic ? "1 + 0.1*sin(t)" : NULL}};
}

static void ropes(void **state) {
  (void)state;
  ga_rope_point over[5];
  for (int k = 0; k < NSETTING; k++) {
    for (int elastic = 0; elastic < 2; elastic++) {
      ga_mechanism *m = bodies_of(&settings[k]);
      const ga_rope rope = rope_of(&settings[k], over, elastic);
      ga_error err = {0};
      must(ga_mechanism_add_rope(m, &rope, &err), &err);
      check(m, settings[k].text);
    }
  }
  /* a winch that turns with other coordinates, elastic */
  for (int k = 0; k < 3; k++) {
    ga_mechanism *m = with_coordinates(&settings[k]);
    ga_rope rope = rope_of(&settings[k], over, true);
    ga_error err = {0};
    rope.length.text =
        "2 - 0.2*j.angle*cos(k.angle) + 0.1*t^2*j.angle - 0.3*sin(rope_span1.length)";
    must(ga_mechanism_add_rope(m, &rope, &err), &err);
    check(m, "winch");
  }
}

/* The same rope over sheaves: a drum on A, a sheave of the other sense on B, one on the ground, a point
 * of B, a drum there. Axes are parallel at the start; turns keep the rope on the sheaves. */
static void sheaves(void **state) {
  (void)state;
  static const double radius[5] = {0.2, -0.15, 0.1, 0, 0.12}, axis[3] = {0.8, -0.1, 0.6};
  ga_rope_point over[5];
  for (int k = 0; k < NSETTING; k++) {
    for (int elastic = 0; elastic < 2; elastic++) {
      ga_mechanism *m = bodies_of(&settings[k]);
      const ga_rope rope = rope_of(&settings[k], over, elastic);
      ga_error err = {0};
      char text[64];
      for (int i = 0; i < 5; i++) {
        int body;
        must(ga_mechanism_body_named(m, "test", over[i].body, &body, &err), &err);
        /* a point body has one point: no drum behind a point of it */
        over[i].radius = i == 4 && settings[k].type[1] == GA_BODY_POINT ? 0 : radius[i];
        over[i].turns = i == 1 || i == 2;
        if (is_planar(&settings[k]) || over[i].radius == 0) continue;
        ga_times_t3(m->bodies.item[body].R0, axis, over[i].axis);
      }
      must(ga_mechanism_add_rope(m, &rope, &err), &err);
      snprintf(text, sizeof text, "span over sheaves %s", settings[k].text);
      check(m, text);
    }
  }
}

static void teeth(void **state) {
  (void)state;
  static const char *const sum[] = {"j.angle", "k.angle", "k.x"};
  static const double factors[] = {3, -2, 0.4};
  for (int k = 0; k < 3; k++) {
    for (int side = -1; side < 2; side += 2) {
      ga_mechanism *m = with_coordinates(&settings[k]);
      ADD(force, m, .name = "mesh", .type = "backlash", .nsum = 3, .sum = sum,
          .coefficients = factors, .gap = 0.1, .stiffness = 20, .damping = 0.2,
          .free = GA_VALUE(side * 20));
      check(m, "backlash");
    }
  }
}

/* ---- forces --------------------------------------------------------------------------------- */

static void add_point_forces(ga_mechanism *m, const setting *s) {
  const bool planar = is_planar(s), turns = s->type[1] != GA_BODY_POINT;
  ADD(force, m, .name = "push", .type = "force", .body = "two",
      .at = {turns ? GA_SIDE_A : GA_NOT_GIVEN, {0.3, -0.2, planar ? 0 : 0.5}, {0}},
      .value = {{.text = "3*cos(t)"}, {.constant = -2}, {.fn = wave}});
  ADD(force, m, .name = "follow", .type = "force", .body = "two", .frame = GA_FORCE_BODY,
      .at = {turns ? GA_SIDE_A : GA_NOT_GIVEN, {-0.1, 0.4, planar ? 0 : 0.2}, {0}},
      .value = {{.constant = 1.5}, {.text = "t"}, {.constant = 0.7}});
  if (!turns) return;
  ADD(force, m, .name = "turn", .type = "torque", .body = "two",
      .value = {{.constant = 1}, {.text = "t - 2"}, {.constant = 3}});
  ADD(force, m, .name = "wind", .type = "torque", .body = "two", .frame = GA_FORCE_BODY,
      .value = {{.constant = -1}, {.constant = 0.5}, {.text = "exp(t)"}});
}

static void point_forces(void **state) {
  (void)state;
  for (int k = 0; k < NSETTING; k++) {
    ga_mechanism *m = bodies_of(&settings[k]);
    add_point_forces(m, &settings[k]);
    check(m, settings[k].text);
  }
}

static void springs(void **state) {
  (void)state;
  for (int k = 0; k < NSETTING; k++) {
    const setting *s = &settings[k];
    const double z = is_planar(s) ? 0 : 1;
    ga_point at = GA_ON_BOTH(0.3, -0.2, 0.5 * z, 0.1, 0.6, -0.3 * z);
    if (s->type[1] == GA_BODY_POINT)
      at.kind = s->type[0] == GA_BODY_POINT ? GA_NOT_GIVEN : GA_SIDE_A;
    ga_mechanism *m = bodies_of(s);
    ADD(force, m, .name = "soft", .type = "spring", .between = {s->between[0], s->between[1]},
        .at = at, .stiffness = 7, .length = GA_VALUE(0.4));
    ADD(force, m, .name = "spring", .type = "spring", .between = {s->between[0], s->between[1]},
        .at = at, .stiffness = 20, .damping = 3, .law = {.text = "s^3 - s*s_dot^2 + sin(t)*s_dot"});
    check(m, s->text);
  }
}

static void torsions(void **state) {
  (void)state;
  for (int k = 0; k < 5; k++) {
    const setting *s = &settings[k];
    ga_mechanism *m = bodies_of(s);
    ADD(joint, m, .name = "j", .type = "universal", .between = {s->between[0], s->between[1]},
        .at = GA_IN_SPACE(0.5, 0.2, 0.4), .axis = GA_IN_SPACE(0.3, -0.5, 0.8),
        .x_axis = GA_IN_SPACE(0.8, 0, -0.3));
    ADD(force, m, .name = "a", .type = "torsion", .coordinate = "j.angle_a", .stiffness = 5,
        .damping = 0.5, .law = {.text = "-2*s^3*s_dot + t*s"});
    ADD(force, m, .name = "b", .type = "torsion", .coordinate = "j.angle_b", .stiffness = 3,
        .free = GA_VALUE(0.2));
    check(m, s->text);
  }
}

static void bushings(void **state) {
  (void)state;
  double K[36], C[36];
  unsigned seed = 5;
  random_vector(&seed, 36, 2, K);
  random_vector(&seed, 36, 1, C);
  for (int i = 0; i < 36; i++) {
    if (i % 7 == 0) K[i] += 9;
    if (i / 6 > i % 6) K[i] = K[6 * (i % 6) + i / 6];
  }
  for (int k = 0; k < 5; k++) {
    for (int damped = 0; damped < 2; damped++) {
      const setting *s = &settings[k];
      ga_mechanism *m = bodies_of(s);
      ADD(force, m, .name = "bush", .type = "bushing", .between = {s->between[0], s->between[1]},
          .at = GA_ON_BOTH(0.3, -0.2, 0.5, 0.1, 0.6, -0.3), .axis = GA_IN_SPACE(0.3, -0.5, 0.8),
          .K = K, .C = damped ? C : NULL);
      check(m, s->text);
    }
  }
}

/* Frames are kept in a table of slots: bodies whose numbers differ by its size share one. Rods from
 * each of 70 points to one 32 and one 64 numbers on, and to its neighbour. */
static void shared_slots(void **state) {
  (void)state;
  enum { POINTS = 70 };
  ga_mechanism *m = mechanism_new(down_z);
  char name[16], other[16], rod[32];
  for (int i = 0; i < POINTS; i++) {
    snprintf(name, sizeof name, "p%d", i);
    ADD(body, m, .name = name, .mass = 1, .inertia = {1, 2, 3}, .position = {i, sin(i), cos(i)},
        .formulation = i % 2 ? GA_FORMULATION_SE3 : GA_FORMULATION_R3SO3);
  }
  int rods = 0;
  static const int apart[] = {1, 32, 64};
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i + apart[k] < POINTS; i++) {
      snprintf(name, sizeof name, "p%d", i + (k == 1 ? apart[k] : 0));
      snprintf(other, sizeof other, "p%d", i + (k == 1 ? 0 : apart[k]));
      snprintf(rod, sizeof rod, "rod%d", rods++);
      ADD(joint, m, .name = rod, .type = "distance", .between = {name, other},
          .at = GA_ON_BOTH(0.1, 0.2, 0.3, -0.3, 0.2, 0.1));
    }
  }
  build(m);
  const ga_model *model = ga_mechanism_model(m);
  assert_int_equal(model->nlam, 69 + 38 + 6);
  double v[6 * POINTS];
  unsigned seed = 3;
  random_vector(&seed, 6 * POINTS, 1, v);
  ga_error err = {0};
  must(ga_model_check_derivatives(model, 0, ga_mechanism_q0(m), v, NULL, &err), &err);
  double g[200];
  assert_int_equal(
      ga_model_evaluate(model, 0, ga_mechanism_q0(m), ga_mechanism_v0(m), &(ga_evaluation){.g = g}),
      0);
  assert_true(ga_max_abs(model->nlam, g) < 1e-12);
  ga_mechanism_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shared_slots), cmocka_unit_test(joints),  cmocka_unit_test(drives),
      cmocka_unit_test(point_forces), cmocka_unit_test(springs), cmocka_unit_test(torsions),
      cmocka_unit_test(bushings),     cmocka_unit_test(cams),    cmocka_unit_test(ropes),
      cmocka_unit_test(sheaves),      cmocka_unit_test(teeth)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

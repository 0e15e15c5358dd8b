/* SPDX-License-Identifier: MIT */
/* Every refusal of the calls that build a mechanism, with its sentence; and that a refused call
 * changes nothing. */
#include "mechanisms.h"

/* a rigid, a planar and a point body, a hinge */
static ga_mechanism *some(void) {
  ga_mechanism *m = mechanism_new(down_z);
  ADD(body, m, .name = "crank", .mass = 1, .inertia = {1, 1, 1});
  ADD(body, m, .name = "rod", .mass = 1, .inertia = {1, 1, 1}, .position = {1});
  ADD(body, m, .name = "flat", .type = GA_BODY_PLANAR, .mass = 1, .inertia = {0, 0, 1});
  ADD(body, m, .name = "dot", .type = GA_BODY_POINT, .mass = 1);
  ADD(joint, m, .name = "hinge", .type = "revolute", .between = {"ground", "crank"},
      .axis = GA_IN_SPACE(0, 0, 1));
  ADD(joint, m, .name = "ball", .type = "spherical", .between = {"crank", "rod"},
      .at = GA_IN_SPACE(0.5, 0, 0));
  ADD(joint, m, .name = "flat_joint", .type = "planar", .between = {"ground", "rod"},
      .axis = GA_IN_SPACE(0, 0, 1));
  return m;
}

#define REFUSED(kind, m, message, ...)                                                             \
  do {                                                                                             \
    ga_error refused_err = {0};                                                                    \
    const ga_status refused = ga_mechanism_add_##kind(m, &(ga_##kind){__VA_ARGS__}, &refused_err); \
    assert_refused(refused, &refused_err, GA_ERR_ARG, message, NULL);                              \
  } while (0)

static void names(void **state) {
  (void)state;
  ga_mechanism *m = some();
  REFUSED(body, m, "a body needs a name", .mass = 1);
  REFUSED(body, m, "a body needs a name", .name = "");
  REFUSED(body, m, "body '2x': a name has letters, digits and _", .name = "2x");
  REFUSED(body, m, "body 'a.b': a name has letters", .name = "a.b");
  REFUSED(body, m, "body 'crank': the name is used already", .name = "crank");
  REFUSED(joint, m, "joint 'crank': the name is used already", .name = "crank");
  REFUSED(drive, m, "drive 'hinge': the name is used already", .name = "hinge");
  static const char *const reserved[] = {
      "ground", "energy", "momentum", "angular_momentum", "t", "pi", "e", "s", "s_dot"};
  for (int i = 0; i < 9; i++) {
    REFUSED(sensor, m, "the name is reserved", .name = reserved[i]);
    if (i < 4) REFUSED(body, m, "the name is reserved", .name = reserved[i]);
  }
  ga_error err = {0};
  /* words that are not ambiguous as names */
  static const char *const good[] = {"t", "s", "e", "pi", "table", "sin", "mm", "step", "floor"};
  for (int i = 0; i < 9; i++) {
    must(ga_mechanism_add_body(
             m, &(ga_body){.name = good[i], .mass = 1, .inertia = {1, 1, 1}, .position = {9, i}},
             &err),
         &err);
  }
  static const char *const words[] = {"pi", "ground", "energy"};
  for (int i = 0; i < 3; i++) {
    assert_refused(ga_mechanism_set_parameter(m, words[i], 1, &err), &err, GA_ERR_ARG,
                   "the name is reserved", NULL);
  }
  assert_refused(ga_mechanism_set_parameter(m, "rod", 1, &err), &err, GA_ERR_ARG,
                 "parameter 'rod': the name is used already", NULL);
  assert_refused(ga_mechanism_set_parameter(m, "k", NAN, &err), &err, GA_ERR_ARG,
                 "parameter 'k' is not a finite number", NULL);
  ga_mechanism_free(m);
}

/* parameters may be called like variables, unless a text that has the variable mentions it */
static void parameter_names(void **state) {
  (void)state;
  ga_mechanism *m = some();
  ga_error err = {0};
  static const char *const good[] = {"t", "s", "s_dot", "e", "table", "sin", "mm"};
  for (int i = 0; i < 7; i++) must(ga_mechanism_set_parameter(m, good[i], 2 + i, &err), &err);
  const ga_force push = {.name = "p", .type = "force", .body = "rod", .value = {{.text = "s+e"}}};
  must(ga_mechanism_add_force(m, &push, &err), &err);
  REFUSED(force, m, "'t' is a variable of this function, and a parameter", .name = "pull",
          .type = "force", .body = "rod", .value = {{.text = "2*t"}});
  ga_mechanism_free(m);
}

static void bodies(void **state) {
  (void)state;
  ga_mechanism *m = some();
  REFUSED(body, m, "body 'b': mass -1 is negative", .name = "b", .mass = -1);
  REFUSED(body, m, "body 'b' has a number that is not finite", .name = "b", .mass = NAN);
  REFUSED(body, m, "body 'b' has a number that is not finite", .name = "b",
          .position = {0, INFINITY});
  REFUSED(body, m, "inertia has a number that is not finite", .name = "b", .inertia = {NAN});
  REFUSED(body, m, "body 'b': the inertia is not positive semidefinite", .name = "b",
          .inertia = {1, 1, -1});
  REFUSED(body, m, "not positive semidefinite", .name = "b", .inertia = {0, 0, 0, 1e-172});
  REFUSED(body, m, "not positive semidefinite", .name = "b", .inertia = {1, 1, 1, 0.9, 0.9, -0.9});
  ADD(body, m, .name = "large", .mass = 1e150, .inertia = {1e172, 1e172, 1, 0, 1e80, 0});
  REFUSED(body, m, "body 'b': inertia -1 is negative", .name = "b", .type = GA_BODY_PLANAR,
          .inertia = {0, 0, -1});
  REFUSED(body, m, "the quaternion has length 2, not 1", .name = "b", .orientation = {2});
  REFUSED(body, m, "a planar body has x and y", .name = "b", .type = GA_BODY_PLANAR,
          .position = {0, 0, 1});
  REFUSED(body, m, "a planar body has x and y", .name = "b", .type = GA_BODY_PLANAR,
          .angular_velocity = {1});
  REFUSED(body, m, "an angle is for planar bodies", .name = "b", .angle = 1);
  REFUSED(body, m, "a point has mass, position and velocity only", .name = "b",
          .type = GA_BODY_POINT, .inertia = {1, 1, 1});
  assert_int_equal(ga_mechanism_set_gravity(m, (double[3]){NAN}), GA_ERR_ARG);
  assert_int_equal(ga_mechanism_set_formulation(m, 7), GA_ERR_ARG);
  ga_mechanism_free(m);
}

static char told[256];
static void listen(void *context, ga_log_level level, const char *text) {
  (void)context;
  assert_int_equal(level, GA_LOG_WARNING);
  snprintf(told, sizeof told, "%s", text);
}

/* no body has moments of inertia 1, 1, 3; a thin disk, 1, 1, 2, is at the limit */
static void warnings(void **state) {
  (void)state;
  ga_mechanism *m = mechanism_new(NULL);
  ga_mechanism_set_log(m, listen, NULL);
  ADD(body, m, .name = "disk", .mass = 1, .inertia = {1, 1, 2});
  assert_string_equal(told, "");
  ADD(body, m, .name = "odd", .mass = 1, .inertia = {1, 1, 3});
  assert_non_null(strstr(told, "body 'odd': a moment of inertia is larger than the sum"));
  ga_mechanism_free(m);
}

static void joints(void **state) {
  (void)state;
  ga_mechanism *m = some();
#define BETWEEN .between = {"crank", "rod"}
#define Z_AXIS .axis = GA_IN_SPACE(0, 0, 1)
  REFUSED(joint, m, "joint 'j': a type is missing", .name = "j", BETWEEN);
  REFUSED(joint, m, "there is no type 'revolut' of joints; did you mean 'revolute'?", .name = "j",
          .type = "revolut", BETWEEN);
  REFUSED(joint, m, "there is no type 'glue' of joints", .name = "j", .type = "glue", BETWEEN);
  REFUSED(joint, m, "joint 'j': a body is missing", .name = "j", .type = "spherical",
          .between = {"crank"});
  REFUSED(joint, m, "joint 'j': there is no body 'crnk'; did you mean 'crank'?", .name = "j",
          .type = "spherical", .between = {"crnk", "rod"});
  REFUSED(joint, m, "there is no body 'hinge'", .name = "j", .type = "spherical",
          .between = {"hinge", "rod"});
  REFUSED(joint, m, "joint 'j': both sides are 'rod'", .name = "j", .type = "spherical",
          .between = {"rod", "rod"});
  REFUSED(joint, m, "joint 'j': 'flat' is planar and 'rod' is not", .name = "j", .type = "distance",
          .between = {"rod", "flat"});
  REFUSED(joint, m, "type 'spherical' does not join planar bodies", .name = "j",
          .type = "spherical", .between = {"ground", "flat"});
  REFUSED(joint, m, "side B of type 'revolute' cannot be the point 'dot'", .name = "j",
          .type = "revolute", .between = {"rod", "dot"}, Z_AXIS);
  REFUSED(joint, m, "side A of type 'point_on_line' cannot be the point 'dot'", .name = "j",
          .type = "point_on_line", .between = {"dot", "rod"}, Z_AXIS);
  REFUSED(joint, m, "type 'revolute' needs axis", .name = "j", .type = "revolute", BETWEEN);
  REFUSED(joint, m, "type 'universal' needs x_axis", .name = "j", .type = "universal", BETWEEN,
          Z_AXIS);
  REFUSED(joint, m, "type 'prismatic' between planar bodies needs axis", .name = "j",
          .type = "prismatic", .between = {"ground", "flat"});
  REFUSED(joint, m, "type 'revolute' between planar bodies has no axis", .name = "j",
          .type = "revolute", .between = {"ground", "flat"}, Z_AXIS);
  REFUSED(joint, m, "type 'spherical' has no radius", .name = "j", .type = "spherical", BETWEEN,
          .radius = 1);
  REFUSED(joint, m, "type 'revolute' has no length", .name = "j", .type = "revolute", BETWEEN,
          Z_AXIS, .length = GA_VALUE(1));
  REFUSED(joint, m, "turns are for angles", .name = "j", .type = "prismatic", BETWEEN, Z_AXIS,
          .turns = {1});
  REFUSED(joint, m, "joint 'j': axis is zero and has no direction", .name = "j", .type = "revolute",
          BETWEEN, .axis = GA_IN_SPACE(0, 0, 0));
  REFUSED(joint, m, "x_axis is parallel to axis", .name = "j", .type = "revolute", BETWEEN, Z_AXIS,
          .x_axis = GA_IN_SPACE(0, 0, 3));
  REFUSED(joint, m, "axis and x_axis are not perpendicular (cosine 0.6)", .name = "j",
          .type = "universal", BETWEEN, Z_AXIS, .x_axis = GA_IN_SPACE(0.8, 0, 0.6));
  REFUSED(joint, m, "at has a number that is not finite", .name = "j", .type = "spherical", BETWEEN,
          .at = GA_IN_SPACE(NAN, 0, 0));
  REFUSED(joint, m, "at is of no known kind (3)", .name = "j", .type = "spherical", BETWEEN,
          .at = {3, {0}, {0}});
  REFUSED(joint, m, "at of planar bodies lies in the plane", .name = "j", .type = "revolute",
          .between = {"ground", "flat"}, .at = GA_IN_SPACE(0, 0, 1));
  REFUSED(joint, m, "at is given in the frames of the bodies, not in space", .name = "j",
          .type = "distance", BETWEEN, .at = GA_IN_SPACE(0, 0, 1));
  REFUSED(joint, m, "joint 'j': length -2 must be positive", .name = "j", .type = "distance",
          BETWEEN, .length = GA_VALUE(-2));
  REFUSED(joint, m, "length 0 must be positive", .name = "j", .type = "distance",
          .between = {"ground", "crank"});
  REFUSED(joint, m, "the z axes of both sides point away from each other", .name = "j",
          .type = "revolute", BETWEEN, .axis = GA_ON_BOTH(0, 0, 1, 0, 0, -1));
  REFUSED(joint, m, "type 'rolling_disk' needs radius", .name = "j", .type = "rolling_disk",
          BETWEEN, Z_AXIS);
  REFUSED(joint, m, "radius -1 must be positive", .name = "j", .type = "rolling_sphere", BETWEEN,
          .radius = -1);
  REFUSED(joint, m, "normal is given in space or on side A, 'crank'", .name = "j",
          .type = "rolling_sphere", BETWEEN, .radius = 1, .normal = GA_ON_B(0, 0, 1));
  REFUSED(joint, m, "centre is given in space or on side B, 'rod'", .name = "j",
          .type = "rolling_sphere", BETWEEN, .radius = 1, .centre = GA_ON_A(0, 0, 1));
  REFUSED(joint, m, "type 'knife_edge' needs direction", .name = "j", .type = "knife_edge",
          BETWEEN);
  ga_mechanism_free(m);
}

static void drives_and_couplers(void **state) {
  (void)state;
  ga_mechanism *m = some();
#define ANGLE .coordinate = "hinge.angle"
  REFUSED(drive, m, "drive 'd' needs either a position or a rate", .name = "d", ANGLE);
  REFUSED(drive, m, "needs either a position or a rate", .name = "d", ANGLE,
          .position = {.constant = 1}, .rate = {.constant = 1});
  REFUSED(drive, m, "drive 'd': a coordinate is written JOINT.NAME, not 'hinge'", .name = "d",
          .coordinate = "hinge", .position = {.constant = 1});
  REFUSED(drive, m, "not ''", .name = "d", .position = {.constant = 1});
  REFUSED(drive, m, "there is no joint 'hing'; did you mean 'hinge'?", .name = "d",
          .coordinate = "hing.angle", .position = {.constant = 1});
  REFUSED(drive, m, "joint 'hinge' (revolute) has no coordinate 'position', but 'angle'",
          .name = "d", .coordinate = "hinge.position", .position = {.constant = 1});
  REFUSED(drive, m, "(planar) has no coordinate 'z', but 'x', 'y', 'angle'", .name = "d",
          .coordinate = "flat_joint.z", .position = {.constant = 1});
  REFUSED(drive, m, "joint 'ball' (spherical) has no coordinates", .name = "d",
          .coordinate = "ball.angle", .position = {.constant = 1});
  REFUSED(drive, m, "drive 'd': position: '2*tt', column 3: unknown name 'tt'", .name = "d", ANGLE,
          .position = {.text = "2*tt"});
  REFUSED(drive, m, "drive 'd': rate: 's', column 1: unknown name 's'", .name = "d", ANGLE,
          .rate = {.text = "s"});
  REFUSED(drive, m, "position is not a finite number", .name = "d", ANGLE,
          .position = {.constant = NAN});
  static const char *const terms[] = {"hinge.angle", "ball.x"}, *const twice[] = {"hinge.angle",
                                                                                  "hinge.angle"};
  static const double one[] = {1, 1}, none[] = {0, 1};
  REFUSED(coupler, m, "coupler 'c': its sum is empty", .name = "c");
  REFUSED(coupler, m, "joint 'ball' (spherical) has no coordinates", .name = "c", .count = 2,
          .coordinates = terms, .coefficients = one);
  REFUSED(coupler, m, "the coefficient of 'hinge.angle' is 0", .name = "c", .count = 1,
          .coordinates = terms, .coefficients = none);
  REFUSED(coupler, m, "'hinge.angle' stands in the sum twice", .name = "c", .count = 2,
          .coordinates = twice, .coefficients = one);
  REFUSED(coupler, m, "equals is not a finite number", .name = "c", .count = 1,
          .coordinates = terms, .coefficients = one, .equals = GA_VALUE(INFINITY));
  /* none of these made a coordinate exist */
  build(m);
  assert_int_equal(ga_mechanism_column_index(m, "hinge.angle"), -1);
  ga_mechanism_free(m);
}

static void forces(void **state) {
  (void)state;
  ga_mechanism *m = some();
  double K[36] = {[1] = 1};
  REFUSED(force, m, "force 'f': a type is missing", .name = "f");
  REFUSED(force, m, "there is no type 'sprung'; did you mean 'spring'?", .name = "f",
          .type = "sprung");
  REFUSED(force, m, "there is no type 'magnet'", .name = "f", .type = "magnet");
  REFUSED(force, m, "force 'f': type 'force' needs body", .name = "f", .type = "force");
  REFUSED(force, m, "force 'f' acts on the ground", .name = "f", .type = "torque",
          .body = "ground");
  REFUSED(force, m, "the point 'dot' cannot be turned", .name = "f", .type = "torque",
          .body = "dot");
  REFUSED(force, m, "force 'f': type 'torque' has no at", .name = "f", .type = "torque",
          .body = "rod", .at = GA_ON_A(1, 0, 0));
  REFUSED(force, m, "at is given in the frame of 'rod'", .name = "f", .type = "force",
          .body = "rod", .at = GA_ON_B(1, 0, 0));
  REFUSED(force, m, "force 'f': value: 'sin(', column 5", .name = "f", .type = "force",
          .body = "rod", .value = {{.text = "sin("}});
  REFUSED(force, m, "force 'f': both sides are 'rod'", .name = "f", .type = "spring",
          .between = {"rod", "rod"});
  REFUSED(force, m, "force 'f': length -1 is negative", .name = "f", .type = "spring",
          .between = {"rod", "dot"}, .length = GA_VALUE(-1));
  REFUSED(force, m, "force 'f' has a number that is not finite", .name = "f", .type = "spring",
          .between = {"rod", "dot"}, .stiffness = NAN);
  REFUSED(force, m, "force 'f': law: 's + v', column 5: unknown name 'v'", .name = "f",
          .type = "spring", .between = {"rod", "dot"}, .law = {.text = "s + v"});
  REFUSED(force, m, "type 'torsion' needs coordinate", .name = "f", .type = "torsion");
  REFUSED(force, m, "a coordinate is written JOINT.NAME", .name = "f", .type = "torsion",
          .coordinate = "hinge");
  REFUSED(force, m, "a bushing is between rigid bodies", .name = "f", .type = "bushing",
          .between = {"rod", "dot"});
  REFUSED(force, m, "the stiffness K is not symmetric at row 1, column 2", .name = "f",
          .type = "bushing", .between = {"rod", "crank"}, .K = K);
  K[1] = NAN;
  REFUSED(force, m, "force 'f' has a number that is not finite", .name = "f", .type = "bushing",
          .between = {"rod", "crank"}, .K = K);
  REFUSED(sensor, m, "sensor 'f': there is no type 'points'; did you mean 'point'?", .name = "f",
          .type = "points");
  REFUSED(sensor, m, "sensor 'f': a body is missing", .name = "f", .type = "point");
  REFUSED(sensor, m, "sensor 'f' needs directions on both sides", .name = "f", .type = "angle",
          .between = {"rod", "crank"});
  ga_mechanism_free(m);
}

/* ---- what the build refuses ----------------------------------------------------------------- */

static void refuse_build(ga_mechanism *m, const char *message) {
  ga_error err = {0};
  assert_refused(ga_mechanism_build(m, 0, &err), &err, GA_ERR_INITIAL, message, NULL);
  ga_mechanism_free(m);
}

static void starts(void **state) {
  (void)state;
  ga_error err = {0};
  ga_mechanism *m = mechanism_new(NULL);
  assert_refused(ga_mechanism_build(m, 0, &err), &err, GA_ERR_ARG, "the mechanism has no bodies",
                 NULL);
  ga_mechanism_free(m);

  m = mechanism_new(NULL);
  ADD(body, m, .name = "b", .mass = 1, .inertia = {1, 1, 1}, .position = {1});
  ADD(joint, m, .name = "pin", .type = "spherical", .between = {"ground", "b"},
      .at = GA_ON_BOTH(0, 0, 0, -1.001, 0, 0));
  refuse_build(m, "joint 'pin' (row 1) is open by -0.001 at the start");

  m = mechanism_new(NULL);
  ADD(body, m, .name = "b", .mass = 1, .inertia = {1, 1, 1}, .position = {1}, .velocity = {0, 2});
  ADD(joint, m, .name = "pin", .type = "spherical", .between = {"ground", "b"},
      .at = GA_IN_SPACE(0, 0, 0));
  refuse_build(m, "joint 'pin' (row 2) moves apart with 2 at the start");

  m = mechanism_new(NULL);
  ADD(body, m, .name = "b", .mass = 1, .inertia = {1, 1, 1}, .velocity = {0, 2});
  ADD(joint, m, .name = "skate", .type = "knife_edge", .between = {"ground", "b"},
      .direction = GA_IN_SPACE(0, 1, 0));
  refuse_build(m, "joint 'skate' (row 1) slips with 2 at the start");

  m = mechanism_new(NULL);
  ADD(body, m, .name = "b", .mass = 1, .inertia = {1, 1, 1});
  ADD(joint, m, .name = "floor", .type = "rolling_disk", .between = {"ground", "b"}, .radius = 1,
      .axis = GA_ON_B(0, 0, 1));
  refuse_build(m, "at the start: joint 'floor': the disk lies flat on its plane");

  m = some();
  build(m);
  assert_refused(ga_mechanism_build(m, 0, &err), &err, GA_ERR_ARG, "has been built already", NULL);
  REFUSED(body, m, "the mechanism has been built: nothing can be added", .name = "late");
  assert_refused(ga_mechanism_want_coordinate(m, "hinge.angle", &err), &err, GA_ERR_ARG,
                 "the mechanism has been built", NULL);
  assert_int_equal(ga_mechanism_set_gravity(m, down_z), GA_ERR_ARG);
  ga_mechanism_free(m);
}

/* start values within 1e-6 are polished to rounding */
static void polish(void **state) {
  (void)state;
  ga_mechanism *m = mechanism_new(NULL);
  use_absolute(m);
  ADD(body, m, .name = "b", .mass = 1, .inertia = {1, 1, 1}, .position = {1},
      .velocity = {0, 3 + 2e-7}, .angular_velocity = {0, 0, 3});
  ADD(joint, m, .name = "pin", .type = "spherical", .between = {"ground", "b"},
      .at = GA_ON_BOTH(0, 0, 0, -1 - 3e-7, 0, 0));
  build(m);
  const ga_model *model = ga_mechanism_model(m);
  double g[3], drift[3];
  assert_int_equal(
      ga_model_evaluate(model, 0, ga_mechanism_q0(m), ga_mechanism_v0(m), &(ga_evaluation){.g = g}),
      0);
  assert_true(ga_max_abs(3, g) < 1e-15);
  assert_true(fabs(ga_mechanism_v0(m)[1] / ga_mechanism_v0(m)[5] - 1) < 1e-6);
  assert_int_equal(ga_model_evaluate(model, 0, ga_mechanism_q0(m), ga_mechanism_v0(m),
                                     &(ga_evaluation){.drift = drift}),
                   0);
  assert_near("centripetal", drift[0], 9, 1e-6);
  ga_mechanism_free(m);
}

/* ---- what an evaluation refuses ------------------------------------------------------------- */

static int gives_up(void *context, const double *x, int along, double f[3]) {
  (void)x, (void)along;
  f[0] = 0;
  return *(const int *)context;
}

static int gives_up_late(void *context, const double *x, int along, double f[3]) {
  (void)context, (void)along;
  f[0] = 0;
  return x[0] > 0.2;
}

static void evaluations(void **state) {
  (void)state;
  int code = 1;
  char text[200];
  ga_mechanism *m = mechanism_new(NULL);
  ADD(body, m, .name = "b", .mass = 1, .inertia = {1, 1, 1});
  ADD(force, m, .name = "line", .type = "spring", .between = {"ground", "b"}, .stiffness = 1,
      .length = GA_VALUE(0));
  ADD(force, m, .name = "wind", .type = "force", .body = "b",
      .value = {{.fn = gives_up, .context = &code}});
  build(m);
  const ga_model *model = ga_mechanism_model(m);
  double F[6], q[7] = {0, 0, 0, 1}, v[6] = {0};
  int got = ga_model_evaluate(model, 0, q, v, &(ga_evaluation){.F = F});
  assert_true(got > 0);
  assert_string_equal(ga_mechanism_explain(m, got, text, sizeof text),
                      "spring 'line': its points meet, or its law cannot be evaluated here");
  q[0] = 1;
  got = ga_model_evaluate(model, 0, q, v, &(ga_evaluation){.F = F});
  assert_true(got > 0);
  assert_string_equal(ga_mechanism_explain(m, got, text, sizeof text),
                      "force 'wind': its function cannot be evaluated here");
  code = -5;
  got = ga_model_evaluate(model, 0, q, v, &(ga_evaluation){.F = F});
  assert_true(got < 0);
  assert_string_equal(ga_mechanism_explain(m, got, text, sizeof text),
                      "force 'wind': its function failed");
  assert_string_equal(ga_mechanism_explain(m, 77, text, sizeof text), "");
  ga_mechanism_free(m);
}

/* a run that cannot go on names the element: a mass on a spring falls through its other end */
static void named_in_runs(void **state) {
  (void)state;
  ga_mechanism *m = mechanism_new(NULL);
  ADD(body, m, .name = "b", .type = GA_BODY_POINT, .mass = 1, .position = {1}, .velocity = {-1});
  ADD(force, m, .name = "line", .type = "spring", .between = {"ground", "b"}, .length = GA_VALUE(0),
      .law = {.text = "sqrt(s - 0.5)"});
  ADD(force, m, .name = "push", .type = "force", .body = "b", .value = {{.fn = gives_up_late}});
  build(m);
  ga_options o = ga_options_default();
  o.h = 0.01;
  ga_integrator *it = mechanism_started(m, &o);
  assert_true(ga_integrator_run(it, 1) != GA_OK);
  const char *text = ga_integrator_error(it)->text;
  if (!strstr(text, "force 'push': its function cannot be evaluated here")) fail_msg("%s", text);
  ga_integrator_free(it);
  ga_mechanism_free(m);
}

/* hht needs a regular mass, in absolute coordinates: it names the coordinate and who asked for it.
 * The rod has inertia about every axis, so nothing but the coordinate is without mass. */
static void no_mass(void **state) {
  (void)state;
  ga_mechanism *m = mechanism_new(down_z);
  use_absolute(m);
  ADD(body, m, .name = "rod", .mass = 2, .inertia = {0.01, 0.2, 0.2}, .position = {0.5});
  ADD(joint, m, .name = "pin", .type = "revolute", .between = {"ground", "rod"},
      .at = GA_IN_SPACE(0, 0, 0), .axis = GA_IN_SPACE(0, 1, 0));
  want(m, "pin.angle");
  ADD(force, m, .name = "brake", .type = "torsion", .coordinate = "pin.angle", .damping = 1);
  build(m);
  ga_options o = ga_options_default();
  o.method = "hht";
  o.par = ga_params_hht(-0.1, 0);
  ga_integrator *it = NULL;
  ga_error err = {0};
  ga_status status = ga_integrator_new(ga_mechanism_model(m), &o, &it, &err);
  if (status == GA_OK) {
    status = ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m));
    err = *ga_integrator_error(it);
  }
  assert_true(status < 0);
  if (!strstr(err.text, "pin.angle, which output asked for")) fail_msg("%s", err.text);
  ga_integrator_free(it);
  ga_mechanism_free(m);
}

/* A rod that turns with rate 1 about a hinge, in units in which a metre is L and a second T; the
 * speed of its centre is wrong by the factor 1 + error. A spring of half its length pulls at it. */
static ga_status build_turning(double L, double T, double error, ga_mechanism **m, ga_error *err) {
  *m = mechanism_new(NULL);
  ADD(body, *m, .name = "rod", .type = GA_BODY_PLANAR, .mass = 1, .inertia = {0, 0, L * L / 12},
      .position = {L / 2}, .velocity = {0, L / 2 / T * (1 + error)},
      .angular_velocity = {0, 0, 1 / T});
  ADD(joint, *m, .name = "pin", .type = "revolute", .between = {"ground", "rod"},
      .at = GA_IN_SPACE(0, 0, 0));
  ADD(force, *m, .name = "band", .type = "spring", .between = {"ground", "rod"},
      .at = GA_ON_BOTH(0, 0, 0, 0, 0, 0), .stiffness = 1 / (T * T));
  return ga_mechanism_build(*m, 0, err);
}

/* Limits of start values are relative to the mechanism's own size and speed: what fits in metres
 * and seconds fits in any units, and likewise what does not. */
static void starts_in_units(void **state) {
  (void)state;
  const double units[][2] = {{1, 1}, {1e3, 1}, {1e-14, 1}, {1e13, 1e3}, {1, 1e-9}, {1, 1e9}};
  for (int k = 0; k < 6; k++) {
    const double L = units[k][0], T = units[k][1];
    ga_mechanism *m;
    ga_error err = {0};
    must(build_turning(L, T, 1e-8, &m, &err), &err);
    /* corrected: the centre moves as the hinge says */
    const double *v = ga_mechanism_v0(m);
    assert_near("speed", v[1] / (L / 2 * v[2]), 1, 1e-14);
    ga_mechanism_free(m);
    assert_int_equal(build_turning(L, T, 1e-4, &m, &err), GA_ERR_INITIAL);
    assert_non_null(strstr(err.text, "'pin'"));
    ga_mechanism_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(names),
                                     cmocka_unit_test(parameter_names),
                                     cmocka_unit_test(bodies),
                                     cmocka_unit_test(warnings),
                                     cmocka_unit_test(joints),
                                     cmocka_unit_test(forces),
                                     cmocka_unit_test(drives_and_couplers),
                                     cmocka_unit_test(starts),
                                     cmocka_unit_test(polish),
                                     cmocka_unit_test(evaluations),
                                     cmocka_unit_test(named_in_runs),
                                     cmocka_unit_test(no_mass),
                                     cmocka_unit_test(starts_in_units)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Equilibrium and modes with states of controllers: steady states of integrators against closed forms,
 * eigenvalues against those of the linearized equations (numpy), derivatives of the model at rest
 * against difference quotients, what has no rest. */
#include "mechanism/assembly/states_at_rest.h"

#include "mechanisms.h"

enum { ROOM = 64 };

/* A pendulum upright on a cart, held by a state feedback with an integrator; a wind pushes the cart. */
static ga_file *cart(const char *coordinates, const char *integral) {
  char text[1600];
  snprintf(text, sizeof text,
           "genalpha: 1\ncoordinates: %s\ngravity: [0, 0, -9.81]\n"
           "bodies:\n"
           "  cart: {mass: 2, inertia: [1, 1, 1], position: [0.1, 0, 0]}\n"
           "  rod: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.1, 0, 0.5]}\n"
           "joints:\n"
           "  rail: {type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: [1, 0, 0]}\n"
           "  pin: {type: revolute, between: [cart, rod], at: {rod: [0, 0, -0.5]}, axis: [0, 1, "
           "0]}\n"
           "states: {z: {rate: rail.position - 0.3}}\n"
           "forces: {push: {type: force, body: cart, value: [\"3 + 60*pin.angle + "
           "12*pin.angle_rate + 3*rail.position + 8*rail.position_rate + %s\", 0, 0]}}\n",
           coordinates, integral);
  ga_file *file = NULL;
  ga_error err = {0};
  must(ga_file_parse("cart.yaml", text, strlen(text), NULL, &file, &err), &err);
  return file;
}

static int coordinate(const ga_mechanism *m, const char *name) {
  for (int c = 0; c < m->coordinates.count; c++) {
    if (strcmp(m->coordinates.item[c].name, name) == 0) return m->coordinates.item[c].q_at;
  }
  fail_msg("no %s", name);
  return -1;
}

/* z = -(3 + 3 0.3), the cart at 0.3, the rod upright, whatever the wind; eigenvalues by
 * numpy.linalg.eigvals of the linearized equations */
static void upright(const char *coordinates) {
  static const double expected[3][2] = {
      {-0.19141973, 0.33161235}, {-1.17892795, 3.48846277}, {-4.65553106, 0}};
  ga_file *file = cart(coordinates, "z");
  const ga_mechanism *m = ga_file_mechanism(file);
  double q[ROOM], v[ROOM] = {0}, lam[ROOM], psi[ROOM] = {9}, re[ROOM], im[ROOM];
  ga_error err = {0};
  ga_equilibrium e = {.lam = lam, .psi = psi};
  memcpy(q, ga_mechanism_q0(m), (size_t)m->nq * sizeof(double));
  must(ga_mechanism_equilibrium(m, 0, q, &e, &err), &err);
  assert_near("z", q[coordinate(m, "z")], -3.9, 1e-12);
  assert_near("rail", q[coordinate(m, "rail.position")], 0.3, 1e-13);
  assert_true(fabs(q[coordinate(m, "pin.angle")]) < 1e-13);
  assert_near("psi", psi[0], 0, 0); /* states have no reaction */
  ga_modes modes = {.room = ROOM, .re = re, .im = im};
  must(ga_mechanism_modes(m, 0, q, v, false, &modes, &err), &err);
  assert_int_equal(modes.count, 3);
  assert_false(modes.unstable);
  for (int i = 0; i < 3; i++) {
    assert_near("re", re[i], expected[i][0], 2e-8);
    assert_near("im", im[i], expected[i][1], 2e-8);
  }
  ga_file_free(file);
}

static void integrator_holds(void **state) {
  (void)state;
  upright("absolute");
  upright("joint");
}

/* An arm under PID control rests where it is asked to, and its motors carry its weight. */
static void arm_under_pid(void **state) {
  (void)state;
  ga_file *file = model_loaded("robot-arm", NULL, 0);
  const ga_mechanism *m = ga_file_mechanism(file);
  double q[ROOM], v[ROOM] = {0}, lam[ROOM], psi[ROOM], values[200];
  ga_error err = {0};
  ga_equilibrium e = {.lam = lam, .psi = psi};
  memcpy(q, ga_mechanism_q0(m), (size_t)m->nq * sizeof(double));
  must(ga_mechanism_equilibrium(m, 10, q, &e, &err), &err); /* t = 10: targets are constant */
  const ga_state at = {.t = 10, .q = q, .v = v, .vd = v, .lam = lam, .psi = psi};
  must(ga_mechanism_outputs(m, &at, values), NULL);
  assert_near("turn", values[ga_mechanism_column_index(m, "turn.angle")], 1.2, 1e-11);
  assert_near("elbow", values[ga_mechanism_column_index(m, "elbow.angle")], -1.1, 1e-11);
  const double upper = 0.4 * cos(0.7), lower = 0.35 * cos(0.7 - 1.1);
  assert_near("m3", values[ga_mechanism_column_index(m, "m3.effort")], 2.5 * 9.81 * lower / 2,
              1e-9);
  assert_near("m2", values[ga_mechanism_column_index(m, "m2.effort")],
              9.81 * (4 * upper / 2 + 2.5 * (upper + lower / 2)), 1e-9);
  ga_file_free(file);
}

/* A ball under a magnet with its current, a lag and a PID controller, tied to an arm: the same eigenvalues
 * in any units, in both kinds of coordinates, though the states of a controller have no size. By numpy from
 * difference quotients of the equations of motion, extrapolated. */
static const char levitation[] =
    "genalpha: 1\ngravity: [0, 0, \"-9.81*u\"]\ncoordinates: %s\nparameters: {u: %g, kg: %g}\n"
    "bodies:\n"
    "  ball: {mass: 0.8*kg, inertia: [1e-3*kg*u^2, 1e-3*kg*u^2, 1e-3*kg*u^2]}\n"
    "  arm: {mass: 0.5*kg, inertia: [0.02*kg*u^2, 0.02*kg*u^2, 0.02*kg*u^2], position: [0.3*u, 0, "
    "0]}\n"
    "joints:\n"
    "  guide: {type: prismatic, between: [ground, ball], axis: [0, 0, 1]}\n"
    "  pin: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0],\n"
    "    damping: 0.05*kg*u^2, friction: {friction: 0.01*kg*u^2, speed: 0.3}}\n"
    "states:\n"
    "  cur: {rate: \"(c/(kg*u) - cur)/0.01\"}\n"
    "  lag: {rate: \"(ball.vz/u - lag)/0.05\"}\n"
    "controllers:\n"
    "  c: {type: pid, target: 0.02*u, input: ball.z, kp: 900*kg, ki: 800*kg, kd: 60*kg, filter: 5 "
    "ms}\n"
    "sensors: {gap: {type: relative, between: [arm, ball], at: {arm: [0, 0, 0], ball: [0, 0, "
    "0]}}}\n"
    "forces:\n"
    "  magnet: {type: force, body: ball, value: [0, 0, \"kg*u*(cur*(1 + 4*table(ball.z/u, "
    "[-0.05, 0, 0.02, 0.05], [0.1, 0, -0.1, -0.15], cubic)) - 3*lag)\"]}\n"
    "  link: {type: spring, between: [arm, ball], stiffness: 40*kg, length: 0.3*u, damping: "
    "0.8*kg}\n"
    "  hold: {type: torsion, coordinate: pin.angle,\n"
    "    law: \"-kg*u^2*(5*s + 8*s^3) + 0.2*kg*u*gap.vz\"}\n";

static void eigenvalues_of_levitation(const char *coordinates, double u, double kg) {
  static const double expected[6][2] = {
      {-0.65906555, 0},  {-0.65194939, 10.3335171},   {-16.37773395, 0},
      {-30.93541972, 0}, {-20.98633506, 51.79229074}, {-230.15230251, 0}};
  char text[3000];
  ga_file *file = NULL;
  ga_error err = {0};
  snprintf(text, sizeof text, levitation, coordinates, u, kg);
  must(ga_file_parse("ball.yaml", text, strlen(text), NULL, &file, &err), &err);
  const ga_mechanism *m = ga_file_mechanism(file);
  double q[ROOM], v[ROOM] = {0}, re[ROOM], im[ROOM];
  memcpy(q, ga_mechanism_q0(m), (size_t)m->nq * sizeof(double));
  must(ga_mechanism_equilibrium(m, 0, q, NULL, &err), &err);
  ga_modes modes = {.room = ROOM, .re = re, .im = im};
  must(ga_mechanism_modes(m, 0, q, v, false, &modes, &err), &err);
  print_message("%s, u = %g, kg = %g\n", coordinates, u, kg);
  assert_int_equal(modes.count, 6);
  for (int i = 0; i < 6; i++) {
    assert_near("re", re[i], expected[i][0], 2e-8 * (1 + fabs(expected[i][0])));
    assert_near("im", im[i], expected[i][1], 2e-8 * (1 + fabs(expected[i][1])));
  }
  ga_file_free(file);
}

static void modes_in_any_units(void **state) {
  (void)state;
  static const double units[][2] = {{1, 1},     {1e3, 1},     {1, 1e3},
                                    {1e3, 1e3}, {1e-3, 1e-3}, {1e-3, 1e3}};
  for (int i = 0; i < 6; i++) {
    eigenvalues_of_levitation("absolute", units[i][0], units[i][1]);
    eigenvalues_of_levitation("joint", units[i][0], units[i][1]);
  }
}

/* Kt of the model at rest is the derivative of its forces, whatever the states of the controller are
 * that feed each other, with a rolling constraint beside them. */
static void derivatives(void **state) {
  (void)state;
  ga_mechanism *m = mechanism_new(down_z);
  ADD(body, m, .name = "skate", .mass = 2, .inertia = {1, 2, 3}, .position = {0.3, 0.1, 0.2});
  ADD(joint, m, .name = "blade", .type = "knife_edge", .between = {"ground", "skate"},
      .direction = GA_IN_SPACE(0, 1, 0));
  ADD(controller_state, m, .name = "a", .rate = {.text = "-2*a + skate.x*sin(a)"}, .start = 0.4);
  ADD(controller_state, m, .name = "b", .rate = {.text = "a*skate.e1*b - skate.z + t"},
      .start = -0.7);
  ADD(force, m, .name = "f", .type = "force", .body = "skate",
      .value = {{.text = "a*b + skate.y"}, {.text = "-b^2"}});
  build(m);
  ga_model model = *ga_mechanism_model(m);
  model.ops = &ga_mechanism_ops;
  ga_states_at_rest *rest = NULL;
  ga_error err = {0};
  double weight[ROOM], unit[ROOM];
  ga_mechanism_weights(m, weight, unit);
  must(ga_states_at_rest_new(m, &model, 0, ga_mechanism_q0(m), weight, unit, &rest, &err), &err);
  const ga_model *at_rest = ga_states_at_rest_model(rest);
  assert_int_equal(at_rest->npsi, 1);
  assert_string_equal(at_rest->psi_names[0], "joint blade");
  must(ga_model_validate(at_rest, &err), &err);
  double v[ROOM] = {0};
  must(ga_model_check_derivatives(at_rest, 0.3, ga_mechanism_q0(m), v, NULL, &err), &err);
  ga_states_at_rest_free(rest);
  ga_mechanism_free(m);
}

static void refusal(const char *text, const char *word) {
  ga_file *file = NULL;
  ga_error err = {0};
  double q[ROOM];
  must(ga_file_parse("text.yaml", text, strlen(text), NULL, &file, &err), &err);
  const ga_mechanism *m = ga_file_mechanism(file);
  memcpy(q, ga_mechanism_q0(m), (size_t)m->nq * sizeof(double));
  assert_true(ga_mechanism_equilibrium(m, 0, q, NULL, &err) < 0);
  if (!strstr(err.text, word)) fail_msg("%s", err.text);
  ga_file_free(file);
}

/* An integrator that cannot reach its target is named. */
static void no_rest(void **state) {
  (void)state;
  static const char head[] =
      "genalpha: 1\nbodies: {m: {kind: point, mass: 1, position: [1, 0, 0]}}\n"
      "forces:\n  k: {type: spring, between: [ground, m], stiffness: 10, length: 1, law: z}\n";
  char text[600];
  snprintf(text, sizeof text, "%sstates: {z: {rate: 1 + m.x^2}}\n", head);
  refusal(text, "the rate of z");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integrator_holds), cmocka_unit_test(modes_in_any_units),
      cmocka_unit_test(arm_under_pid), cmocka_unit_test(derivatives), cmocka_unit_test(no_rest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

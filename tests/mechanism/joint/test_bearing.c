/* SPDX-License-Identifier: MIT */
/* Friction of joints by their own force: closed forms while they slip, a pendulum against an
 * independent integration, order 2, creep at rest, derivatives, messages. */
#include "models_all.h"

static void near_to(const char *what, double value, double expected, double tol) {
  if (!(fabs(value - expected) <= tol)) fail_msg("%s: %.12g, not %.12g", what, value, expected);
}

/* Runs a model file and keeps its last state. */
typedef struct run {
  ga_file *file;
  const ga_mechanism *m;
  ga_integrator *it;
} run;

static run run_of(const char *text, double h, double rho, double t_end) {
  run r = {NULL, NULL, NULL};
  ga_error err = {0};
  ga_options o = ga_options_default();
  o.h = h;
  o.par = ga_params_rho(rho);
  must(ga_file_parse("text.yaml", text, strlen(text), NULL, &r.file, &err), &err);
  r.m = ga_file_mechanism(r.file);
  must(ga_integrator_new(&r.m->model, &o, &r.it, &err), &err);
  must(ga_integrator_start(r.it, 0, r.m->q0, r.m->v0), ga_integrator_error(r.it));
  must(ga_integrator_run(r.it, t_end), ga_integrator_error(r.it));
  return r;
}

static double column(const run *r, const char *name) {
  const int i = ga_mechanism_column_index(r->m, name);
  assert_true(i >= 0);
  return ga_mechanism_output(r->m, ga_integrator_state(r->it), i);
}

static void end(run *r) {
  ga_integrator_free(r->it);
  ga_file_free(r->file);
}

/* ---- closed forms --------------------------------------------------------------------------- */

/* A shaft whose pin carries its weight: J omega' = -mu r m g. */
static void shaft_spins_down(void **state) {
  (void)state;
  run r = run_of(
      "genalpha: 1\ngravity: [0, 0, -9.81]\n"
      "bodies: {rotor: {mass: 2, inertia: [0.03, 0.05, 0.04], angular_velocity: [0, 20, 0]}}\n"
      "joints: {pin: {type: revolute, between: [ground, rotor], axis: [0, 1, 0],\n"
      "    friction: {coulomb: 0.2, radius: 0.01}}}\n",
      0.02, 0.8, 5);
  near_to("speed", column(&r, "rotor.wy"), 20 - 0.2 * 0.01 * 2 * 9.81 / 0.05 * 5, 1e-10);
  near_to("friction", column(&r, "pin.friction"), 0.2 * 2 * 9.81, 1e-9);
  near_to("slip", column(&r, "pin.slip"), 0.01 * column(&r, "rotor.wy"), 1e-12);
  end(&r);
}

/* It stops after J omega/(mu r m g) = 0.8 s, and does not turn back: half of the angle of the start
 * rate. */
static void shaft_stops(void **state) {
  (void)state;
  run r = run_of(
      "genalpha: 1\ngravity: [0, 0, -9.81]\n"
      "bodies: {rotor: {mass: 1, inertia: [0.01, 0.009810, 0.01], angular_velocity: [0, 8, 0]}}\n"
      "joints: {pin: {type: revolute, between: [ground, rotor], axis: [0, 1, 0],\n"
      "    friction: {coulomb: 0.5, radius: 0.02, speed: 1e-5}}}\n"
      "output: [pin.angle, rotor.wy]\n",
      0.001, 0.8, 2);
  near_to("angle", column(&r, "pin.angle"), 0.5 * 8 * 0.8, 2e-3);
  near_to("rest", column(&r, "rotor.wy"), 0, 1e-9);
  end(&r);
}

/* A block in a guide that rises by 20 degrees, pushed up it: x'' = -g (sin a + mu cos a); in space
 * and in the plane. */
static void block_in_a_guide(void **state) {
  (void)state;
  static const char *const texts[] = {
      "genalpha: 1\nparameters: {a: 20 deg}\ngravity: [-9.81*sin(a), 0, -9.81*cos(a)]\n"
      "bodies: {block: {mass: 3, inertia: [1, 1, 1], velocity: [5, 0, 0]}}\n"
      "joints: {guide: {type: prismatic, between: [ground, block], axis: [1, 0, 0],\n"
      "    friction: {coulomb: 0.3}}}\n",
      "genalpha: 1\nparameters: {a: 20 deg}\ngravity: [-9.81*sin(a), -9.81*cos(a), 0]\n"
      "bodies: {block: {kind: planar, mass: 3, inertia: 1, velocity: [5, 0]}}\n"
      "joints: {guide: {type: prismatic, between: [ground, block], axis: [1, 0],\n"
      "    friction: {coulomb: 0.3}}}\n"};
  const double a = 20 * 0.017453292519943295, back = 9.81 * (sin(a) + 0.3 * cos(a));
  for (int i = 0; i < 2; i++) {
    run r = run_of(texts[i], 0.05, 0.8, 0.5);
    near_to("speed", column(&r, "block.vx"), 5 - back * 0.5, 1e-10);
    near_to("place", column(&r, "block.x"), 2.5 - back * 0.125, 1e-10);
    end(&r);
  }
}

/* It creeps below atan mu: tanh(s/w) mu cos a = sin a. */
static void block_creeps(void **state) {
  (void)state;
  run r = run_of(
      "genalpha: 1\nparameters: {a: 10 deg}\ngravity: [-9.81*sin(a), 0, -9.81*cos(a)]\n"
      "bodies: {block: {mass: 3, inertia: [1, 1, 1]}}\n"
      "joints: {guide: {type: prismatic, between: [ground, block], axis: [1, 0, 0],\n"
      "    friction: {coulomb: 0.3, speed: 1e-4}}}\n",
      0.01, 0.5, 1);
  const double tangent = tan(10 * 0.017453292519943295);
  near_to("creep", column(&r, "block.vx"), -1e-4 * atanh(tangent / 0.3), 1e-9);
  near_to("static", column(&r, "guide.friction"), 9.81 * 3 * sin(10 * 0.017453292519943295), 1e-7);
  end(&r);
}

/* A sleeve with J = m r^2 on a bar: the slip (x', r theta') keeps its direction and loses mu g. */
static void sleeve_on_a_bar(void **state) {
  (void)state;
  run r = run_of(
      "genalpha: 1\ngravity: [0, 0, -9.81]\n"
      "bodies: {sleeve: {mass: 2, inertia: [0.02, 0.05, 0.05], velocity: [3, 0, 0],\n"
      "    angular_velocity: [40, 0, 0]}}\n"
      "joints: {bar: {type: cylindrical, between: [ground, sleeve], axis: [1, 0, 0],\n"
      "    friction: {coulomb: 0.25, radius: 0.1}}}\n",
      0.02, 0.9, 1);
  const double left = 1 - 0.25 * 9.81 / 5; /* of |s| = 5 m/s */
  near_to("along", column(&r, "sleeve.vx"), 3 * left, 1e-9);
  near_to("around", column(&r, "sleeve.wx"), 40 * left, 1e-8);
  near_to("slip", column(&r, "bar.slip"), 5 * left, 1e-9);
  end(&r);
}

/* A ball in a socket that carries its weight, equal inertias: |omega|' = -mu r m g/J. */
static void ball_in_a_socket(void **state) {
  (void)state;
  for (int se3 = 0; se3 < 2; se3++) {
    char text[600];
    snprintf(text, sizeof text,
             "genalpha: 1\ngravity: [0, 0, -9.81]\nformulation: %s\n"
             "bodies: {ball: {mass: 2, inertia: [0.05, 0.05, 0.05], angular_velocity: [6, 0, 8]}}\n"
             "joints: {socket: {type: spherical, between: [ground, ball],\n"
             "    friction: {coulomb: 0.2, radius: 0.03}}}\n",
             se3 ? "se3" : "r3so3");
    run r = run_of(text, 0.02, 0.9, 1);
    const double left = 1 - 0.2 * 0.03 * 2 * 9.81 / 0.05 / 10;
    near_to("x", column(&r, "ball.wx"), 6 * left, 1e-9);
    near_to("z", column(&r, "ball.wz"), 8 * left, 1e-9);
    near_to("friction", column(&r, "socket.friction"), 0.2 * 2 * 9.81, 1e-8);
    end(&r);
  }
}

/* ---- order ---------------------------------------------------------------------------------- */

static const double J = 0.1, G = 9.81, MU = 0.3, RADIUS = 0.1, W = 0.02;

/* The force of the pin of a pendulum of length and mass 1 at (angle, rate) with acceleration a. */
static double pin_force(double th, double om, double a, double *fx, double *fy) {
  *fx = -a * sin(th) - om * om * cos(th);
  *fy = a * cos(th) - om * om * sin(th) + G;
  return hypot(*fx, *fy);
}

/* (J + 1) a + G cos th + mu r tanh(r om/w) |F(a)| = 0, by bisection: the left side grows with a. */
static double acceleration(double th, double om) {
  double lo = -100, hi = 100, fx, fy;
  for (int i = 0; i < 60; i++) {
    const double a = 0.5 * (lo + hi);
    const double F = pin_force(th, om, a, &fx, &fy);
    const double rest = (J + 1) * a + G * cos(th) + MU * RADIUS * tanh(RADIUS * om / W) * F;
    if (rest > 0) hi = a;
    if (rest <= 0) lo = a;
  }
  return 0.5 * (lo + hi);
}

/* th, om at t = 1 from rest at 0, by Runge's and Kutta's method of order 4 */
static void reference(double *th, double *om) {
  enum { STEPS = 4000 };
  const double h = 1.0 / STEPS;
  double x = 0, v = 0;
  for (int n = 0; n < STEPS; n++) {
    const double a1 = acceleration(x, v), v2 = v + h / 2 * a1;
    const double a2 = acceleration(x + h / 2 * v, v2), v3 = v + h / 2 * a2;
    const double a3 = acceleration(x + h / 2 * v2, v3), v4 = v + h * a3;
    const double a4 = acceleration(x + h * v3, v4);
    x += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  *th = x, *om = v;
}

static void order_two(void **state) {
  (void)state;
  static const double rhos[] = {0.5, 0.9};
  double th, om, fx, fy;
  reference(&th, &om);
  pin_force(th, om, acceleration(th, om), &fx, &fy);
  for (int k = 0; k < 2; k++) {
    double last[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
      run r = run_of(
          "genalpha: 1\ngravity: [0, -9.81, 0]\n"
          "bodies: {rod: {kind: planar, mass: 1, inertia: 0.1, position: [1, 0]}}\n"
          "joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0],\n"
          "    friction: {coulomb: 0.3, radius: 0.1, speed: 0.02}}}\n",
          0.01 / (1 << i), rhos[k], 1);
      const double error[3] = {fabs(column(&r, "rod.angle") - th),
                               fabs(column(&r, "rod.rate") - om),
                               hypot(column(&r, "pin.fx") - fx, column(&r, "pin.fy") - fy)};
      for (int c = 0; c < 3; c++) {
        const double slope = log2(last[c] / error[c]);
        if (i > 0 && !(slope > 1.9 && slope < 2.1)) {
          fail_msg("rho %g, variable %d: order %g, error %g", rhos[k], c, slope, error[c]);
        }
        last[c] = error[c];
      }
      end(&r);
    }
  }
}

/* ---- derivatives ---------------------------------------------------------------------------- */

static void derivatives(void **state) {
  (void)state;
  static const char *const types[] = {"revolute", "prismatic", "cylindrical", "spherical"};
  for (int i = 0; i < 16; i++) {
    char text[1200];
    const bool fast = i / 8; /* beside the speed of the law, or far above it */
    snprintf(text, sizeof text,
             "genalpha: 1\ngravity: [1, 2, -9.81]\nformulation: %s\n"
             "bodies:\n  a: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.3, -0.2, 0.1]}\n"
             "  b: {mass: 2, inertia: [0.3, 0.2, 0.4], position: [1, 0.4, 0.2]}\n"
             "joints: {bearing: {type: %s, between: [a, b], at: [0.6, 0.1, 0.2]%s,\n"
             "    friction: {coulomb: 0.3, static_coulomb: 0.4%s, speed: %g}}}\n",
             i % 2 ? "se3" : "r3so3", types[i / 2 % 4],
             i / 2 % 4 == 3 ? "" : ", axis: [0.3, 1, 0.4]", i / 2 % 4 == 1 ? "" : ", radius: 0.2",
             fast ? 0.01 : 0.5);
    ga_file *file = NULL;
    ga_error err = {0};
    must(ga_file_parse("text.yaml", text, strlen(text), NULL, &file, &err), &err);
    const ga_mechanism *m = ga_file_mechanism(file);
    assert_true(ga_model_gives(&m->model) & GA_GIVES_R);
    static const double v[12] = {0.3, 0.5, 0.2, 0.5, -1, 2, 1, 0.5, 0.2, -1, 2, 1};
    must(ga_model_check_derivatives(&m->model, 0.3, m->q0, v, NULL, &err), &err);
    ga_file_free(file);
  }
}

/* ---- messages ------------------------------------------------------------------------------- */

static void refused(const char *joint, const char *word) {
  char text[600];
  ga_file *file = NULL;
  ga_error err = {0};
  snprintf(text, sizeof text,
           "genalpha: 1\nbodies:\n  b: {mass: 1, inertia: [1, 1, 1]}\n  p: {kind: point, mass: 1}\n"
           "joints: {pin: {%s}}\n",
           joint);
  assert_true(ga_file_parse("text.yaml", text, strlen(text), NULL, &file, &err) < 0);
  if (!strstr(err.text, word)) fail_msg("'%s' does not say '%s'", err.text, word);
}

static void messages(void **state) {
  (void)state;
#define PIN "type: revolute, between: [ground, b], axis: [0, 0, 1], friction: "
  refused(PIN "{coulomb: 0.2}", "friction of type 'revolute' needs a radius");
  refused(PIN "{coulomb: -0.2, radius: 0.1}", "must not be negative");
  refused(PIN "{coulomb: 0, radius: 0.1}", "needs coulomb, a coefficient above 0");
  refused(PIN "{coulomb: 0.3, static_coulomb: 0.2, radius: 0.1}", "static_coulomb 0.2 is less");
  refused(PIN "{coulomb: 0.3, radius: 0.1, mu: 1}", "mu");
  refused(
      "type: prismatic, between: [ground, b], axis: [0, 0, 1], friction: {coulomb: 0.2, radius: 1}",
      "friction of type 'prismatic' has no radius");
  refused("type: fixed, between: [ground, b], friction: {coulomb: 0.2}",
          "type 'fixed' has no friction by its own force");
  refused("type: spherical, between: [ground, p], friction: {coulomb: 0.2, radius: 0.1}",
          "'p' is a point and does not turn");
#undef PIN
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shaft_spins_down), cmocka_unit_test(shaft_stops),
      cmocka_unit_test(block_in_a_guide), cmocka_unit_test(block_creeps),
      cmocka_unit_test(sleeve_on_a_bar),  cmocka_unit_test(ball_in_a_socket),
      cmocka_unit_test(order_two),        cmocka_unit_test(derivatives),
      cmocka_unit_test(messages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

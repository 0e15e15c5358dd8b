/* SPDX-License-Identifier: MIT */
/* Elements between two branches of a tree that moves, at the origin and 1 km away: all derivatives against
 * difference quotients at random states.
 *
 * Rows of joints that close loops, where the tree holds some of what they hold: three of the five rows of the
 * hinge that closes a plane linkage. They are zero but for rounding, which is not zero if the plane is
 * tilted. A four-bar moves, rests and is let go alike in every plane and far away. */
#include "genalpha/ga_helpers.h"
#include "mechanisms.h"
#include "model_point.h"

/* ---- elements between branches --------------------------------------------------------------- */

/* A trunk with two branches, some joints backwards, and a free body; distances from F, -F. */
#define BODIES                                                                                 \
  "genalpha: 1\nparameters: {F: %d}\ngravity: [1.5, -2, -9]\ncoordinates: joint\n"             \
  "bodies:\n"                                                                                  \
  "  trunk: {mass: 3, inertia: [0.3, 0.4, 0.35, 0.02, -0.03, 0.05], com: [0.1, -0.05, 0.07], " \
  "position: [F, -F, 0]}\n"                                                                    \
  "  arm: {mass: 2, inertia: [0.2, 0.3, 0.25], position: [F+1, -F+0.3, 0.2], "                 \
  "orientation: {rotation_vector: [0.3, 0.5, -0.7]}}\n"                                        \
  "  hand: {mass: 1.3, inertia: [0.2, 0.15, 0.1, 0.01, 0.02, -0.01], com: [0, 0.1, 0.05], "    \
  "position: [F+1.8, -F+0.7, 0.5], orientation: {rotation_vector: [-0.8, 0.2, 0.4]}}\n"        \
  "  leg: {mass: 1.7, inertia: [0.1, 0.15, 0.12], position: [F-0.4, -F-0.9, -0.6], "           \
  "orientation: {rotation_vector: [0.2, -0.9, 0.1]}}\n"                                        \
  "  foot: {mass: 0.9, inertia: [0.05, 0.06, 0.07], com: [0.05, 0, 0.02], "                    \
  "position: [F-0.5, -F-1.2, -1.4], orientation: {rotation_vector: [1.2, 0.1, 0.6]}}\n"        \
  "  kite: {mass: 0.6, inertia: [0.05, 0.06, 0.07], position: [F+0.5, -F+2, 1.2], "            \
  "orientation: {rotation_vector: [0.1, 0.7, 0.3]}}\n"                                         \
  "joints:\n"

/* Five joints, so strong that one between hand and foot is cut: all that are, and those with at most three
 * rows. */
static const char *const trees[] = {
    "  waist: {type: revolute, between: [ground, trunk], at: [F-0.3, -F+0.1, 0], axis: [0, 1, "
    "0.2]}\n"
    "  shoulder: {type: revolute, between: [arm, trunk], at: [F+0.5, -F+0.2, 0.1], axis: [1, 1, "
    "0.2]}\n"
    "  elbow: {type: prismatic, between: [arm, hand], at: [F+1.4, -F+0.5, 0.3], axis: [0.2, 1, "
    "0.3]}\n"
    "  hip: {type: revolute, between: [leg, trunk], at: [F-0.2, -F-0.4, -0.3], axis: [0.1, 0.2, "
    "1]}\n"
    "  ankle: {type: revolute, between: [foot, leg], at: [F-0.5, -F-1, -1], axis: [0.3, 0.1, 1]}\n",
    "  waist: {type: universal, between: [ground, trunk], at: [F-0.3, -F+0.1, 0], axis: [0, 1, "
    "0.2], "
    "x_axis: [1, 0, 0]}\n"
    "  shoulder: {type: spherical, between: [arm, trunk], at: [F+0.5, -F+0.2, 0.1]}\n"
    "  elbow: {type: revolute, between: [arm, hand], at: [F+1.4, -F+0.5, 0.3], axis: [0.2, 1, "
    "0.3]}\n"
    "  hip: {type: cylindrical, between: [leg, trunk], at: [F-0.2, -F-0.4, -0.3], axis: [0.1, 0.2, "
    "1]}\n"
    "  ankle: {type: spherical, between: [foot, leg], at: [F-0.5, -F-1, -1]}\n"};

#define CUT(type)                                                             \
  "  cut: {type: " type                                                       \
  ", between: [hand, foot], at: [F+0.3, -F+0.2, 0.4], axis: [0.3, -0.4, 1], " \
  "x_axis: [1, 0, -0.3]}\n"

/* What comes between the branches: tree from which it is cut, its rows, text. */
static const struct {
  int tree, rows;
  const char *text;
} between[] = {
    {0, 5, CUT("revolute")},
    {0, 5, CUT("prismatic")},
    {0, 4, CUT("cylindrical")},
    {0, 4, CUT("universal")},
    {0, 3, CUT("spherical")},
    {1, 3, CUT("spherical")},
    {1, 3, CUT("planar")},
    {1, 3, CUT("orientation")},
    {1, 2, CUT("parallel")},
    {1, 2, CUT("point_on_line")},
    {1, 1, CUT("point_on_plane")},
    {1, 1,
     "  rod: {type: distance, between: [hand, foot], at: {hand: [0.1, 0.2, 0.1], foot: [0.3, 0, "
     "0.1]}}\n"},
    {1, 3,
     "  wheel: {type: rolling_disk, between: [hand, foot], axis: {foot: [1, 0.2, 0.3]}, radius: "
     "0.3, "
     "point: {hand: [-0.53195775, -0.11597888, -3.15978877]}, "
     "normal: {hand: [0.2, 0.1, 1]}}\n"},
    {1, 3,
     "  ball: {type: rolling_sphere, between: [hand, foot], radius: 0.3, point: {hand: "
     "[-0.54443171, -0.12221585, -3.22215855]}, "
     "normal: {hand: [0.2, 0.1, 1]}}\n"},
    {1, 1,
     "  skate: {type: knife_edge, between: [hand, foot], at: {foot: [0.1, 0.2, 0.3]}, "
     "direction: {foot: [1, 0.2, 0.4]}}\n"},
    {0, 7,
     CUT("cylindrical") "drives: {d: {coordinate: cut.position, position: \"0.2*(1 - cos(t))\"}}\n"
                        "forces: {f: {type: torsion, coordinate: cut.angle, law: \"-s^3*s_dot + "
                        "0.1*foot.y\"}}\n"},
    {1, 5,
     CUT("planar") "couplers: {c: {sum: {cut.angle: 2, elbow.angle: 1}}}\n"
                   "forces: {f: {type: friction, coordinate: elbow.angle, friction: 0.4, speed: "
                   "0.7}}\n"},
    {1, 0,
     "forces:\n"
     "  soft: {type: bushing, between: [hand, foot], at: [F+0.3, -F+0.2, 0.4], axis: [0.1, 0.2, "
     "1], "
     "stiffness: [40, 50, 60, 5, 6, 7], damping: [1, 2, 3, 0.1, 0.2, 0.3]}\n"
     "  line: {type: spring, between: [kite, foot], at: {kite: [0.1, 0, 0], foot: [0, 0.2, 0]}, "
     "stiffness: 30, damping: 4, law: \"0.3*(s - 1)^3 - s_dot^3\"}\n"
     "  own: {type: force, body: hand, frame: body, at: [0.1, 0.2, 0.3], value: [\"0.3*t\", 2, "
     "-1]}\n"},
    /* a rotor, a soft stop that is passed, friction and a motor on coordinates of a cut joint and of the
     * tree; controllers, states, an input; sampled ones are constant */
    {0, 10,
     "  cut: {type: cylindrical, between: [foot, hand], at: [F+0.3, -F+0.2, 0.4], axis: [0.3, "
     "-0.4, 1], "
     "x_axis: [1, 0, -0.3], inertia: {angle: 0.3}, friction: {position: {friction: 0.5, "
     "static_friction: 0.7, speed: 0.9}}}\n"
     "inputs: {u: 0.7}\n"
     "states: {z: {rate: \"foot.vx - z*u + cut.angle\"}, held: {value: \"2*hand.y\", every: 0.1}}\n"
     "limits:\n"
     "  stop: {coordinate: waist.angle, lower: 8, upper: 9, stiffness: 5, damping: 0.3}\n"
     "  end: {coordinate: cut.angle, lower: 8, upper: 9, stiffness: 4, damping: 0.2}\n"
     "controllers:\n"
     "  hold: {type: servo, coordinate: hip.angle, target: \"sin(t) + 0.1*foot.vz\", kp: 4, ki: 2, "
     "kd: 0.5, limit: 90}\n"
     "  pid: {type: pid, target: \"0.2*t\", input: \"cut.angle + leg.wx\", kp: 3, ki: 1, kd: 0.2, "
     "filter: 0.3}\n"
     "forces:\n"
     "  m: {type: torsion, coordinate: cut.angle, stiffness: 3, free: 0.2, damping: 0.4, law: "
     "\"pid + "
     "z*s*s_dot\"}\n"
     "  f: {type: force, body: kite, at: [0.1, 0.2, 0], value: [\"z^2*kite.x/(1 + F)\", \"u*t + "
     "held\", "
     "\"stop.effort*foot.vy\"]}\n"},
    /* a drive and a coupler that depend on time, a rate that depends on signals, on joints of the tree */
    {1, 3,
     "drives: {d: {coordinate: elbow.angle, position: \"0.3 - 0.3*cos(2*t)\"}, r: {coordinate: "
     "hip.position, "
     "rate: \"0.2*kite.vy + sin(t)*arm.x/(1 + F)\"}}\n"
     "couplers: {c: {sum: {hip.angle: 1, waist.angle_a: 0.5}, equals: \"0.1*t^2\"}}\n"},
    /* cams, a curve, play, ropes: rows and forces whose second derivatives by coordinates do not vanish */
    {0, 2,
     "  span: {type: span, between: [hand, foot], at: {hand: [0.1, 0.2, 0.1], foot: [0.3, 0, "
     "0.1]}}\n"
     "couplers: {c: {sum: {hip.angle: 1, span.length: 0.5}, equals: \"0.1*t^2 + "
     "sin(waist.angle)*span.length^2 - sin(0)\"}}\n"
     "initial: {assemble: true}\n"
     "forces: {play: {type: backlash, sum: {span.length: 1, ankle.angle: -2}, gap: 0.01, "
     "stiffness: 9, "
     "damping: 0.3}}\n"
     "run: {h: 1e-3}\n"},
    {1, 4,
     "  wire: {type: point_on_curve, between: [hand, foot], curve: [\"s + s^2 -1.989685651\", "
     "\"sin(s) +1.021379576\", "
     "\"0.3*s^3 -2.740061089\"]}\n"
     "couplers: {c: {sum: {wire.s: 1}, equals: \"0.5*elbow.angle^2 + 0.1*elbow.angle*t\"}}\n"},
    {1, 8,
     "  reach: {type: span, between: [arm, leg], at: {arm: [0, 0.1, 0], leg: [0.2, 0, 0]}, axis: "
     "{arm: [0.1, "
     "0.2, 1]}}\n"
     "ropes:\n"
     "  stay: {over: [{hand: [0.1, 0, 0]}, {trunk: [0, 0.2, 0]}, {foot: [0, 0, 0.1]}]}\n"
     "  soft: {over: [{kite: [0.1, 0, 0]}, {trunk: [0, 0, 0.3], radius: -0.1, axis: [0, 0, 1]}, "
     "{leg: [0, 0, "
     "0.1]}], length: 1, stiffness: 30, damping: 2}\n"
     "forces: {turn: {type: torsion, coordinate: reach.length, stiffness: 3, damping: 1}}\n"},
    /* functions of what elements exert and of powers */
    {1, 0,
     "forces:\n"
     "  line: {type: spring, between: [hand, foot], at: {hand: [0.1, 0, 0], foot: [0, 0.2, 0]}, "
     "stiffness: 30, damping: 4}\n"
     "  soft: {type: bushing, between: [arm, leg], at: [F+0.3, -F+0.2, 0.4], axis: [0.1, 0.2, 1], "
     "stiffness: [40, 50, 60, 5, 6, 7], damping: [1, 2, 3, 0.1, 0.2, 0.3]}\n"
     "  wind: {type: torque, body: foot, value: [\"0.2*foot.wy\", \"t\", \"-foot.body_wz\"]}\n"
     "  f: {type: force, body: kite, value: [\"0.1*line.force\", \"soft.mx + soft.fy\", \"p*q\"]}\n"
     "  g: {type: torsion, coordinate: elbow.angle, law: \"wind.mx - 0.3*line.length*s\"}\n"
     "sensors: {p: {type: power, of: line}, q: {type: expression, value: \"t + leg.body_vx\"}}\n"},
    {1, 0,
     "sensors:\n"
     "  far: {type: distance, between: [hand, foot], at: {hand: [0.1, 0, 0], foot: [0, 0.1, 0]}}\n"
     "  seen: {type: relative, between: [hand, foot], at: {hand: [0.1, 0, 0], foot: [0, 0.1, 0]}}\n"
     "  tip: {type: point, body: foot, at: [0.1, 0.2, 0.3]}\n"
     "  turn: {type: orientation, between: [hand, foot]}\n"
     "  wide: {type: angle, between: [hand, foot], directions: {hand: [1, 0, 0], foot: [0, 1, "
     "0.2]}}\n"
     "forces:\n"
     "  f: {type: force, body: arm, value: [\"far^2 + far_rate\", \"seen.x*seen.vy\", "
     "\"tip.vz*tip.x/(1+F)\"]}\n"
     "  g: {type: torque, body: leg, frame: body, value: [\"turn.yaw + turn.roll^2\", \"wide\", "
     "\"hand.body_wx*foot.body_vz\"]}\n"},
};

/* Derivatives at random states, 0, 0.2 and 0.4 from the start. */
static void check_between(int i, int far) {
  char text[6000];
  ga_file *file = NULL;
  ga_error err = {0};
  snprintf(text, sizeof text, BODIES "%s%s", far, trees[between[i].tree], between[i].text);
  must(ga_file_parse("between", text, strlen(text), NULL, &file, &err), &err);
  const ga_mechanism *m = ga_file_mechanism(file);
  const ga_model *model = ga_mechanism_model(m);
  const int nv = ga_space_nv(model->space);
  unsigned seed = 11 + (unsigned)i;
  assert_int_equal(ga_mechanism_coordinates(m, NULL), GA_COORDINATES_JOINT);
  assert_int_equal(model->nlam + model->npsi, between[i].rows);
  for (int k = 0; k < 3; k++) {
    double q[NMAX], v[NMAX], step[NMAX];
    random_vector(&seed, nv, 1.5, v);
    random_vector(&seed, nv, 0.2 * k, step);
    ga_space_step(model->space, ga_mechanism_q0(m), step, q);
    if (ga_model_check_derivatives(model, 0.3, q, v, NULL, &err) != GA_OK) {
      fail_msg("%d m away, state %d, %s: %s", far, k, between[i].text, err.text);
    }
  }
  ga_file_free(file);
}

static void between_branches(void **state) {
  (void)state;
  for (int i = 0; i < (int)(sizeof between / sizeof *between); i++) {
    check_between(i, 0);
    check_between(i, 1000);
  }
}

/* ---- a four-bar in every plane --------------------------------------------------------------- */

typedef struct {
  double R[9], shift[3];
} placing;

/* The frame of a plane: the first two columns from two directions, Gram-Schmidt. */
static placing place(const double *x, const double *y, const double *shift) {
  placing p;
  double a[3], b[3], c[3], along = 0;
  const double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  for (int i = 0; i < 3; i++) a[i] = x[i] / length, along += y[i] * x[i] / length;
  for (int i = 0; i < 3; i++) b[i] = y[i] - along * a[i];
  const double width = sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
  for (int i = 0; i < 3; i++) b[i] /= width;
  for (int i = 0; i < 3; i++)
    c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
  for (int i = 0; i < 3; i++) {
    p.R[3 * i] = a[i], p.R[3 * i + 1] = b[i], p.R[3 * i + 2] = c[i], p.shift[i] = shift[i];
  }
  return p;
}

static ga_point at(const placing *p, double x, double y) {
  double s[3];
  for (int i = 0; i < 3; i++) s[i] = p->shift[i] + p->R[3 * i] * x + p->R[3 * i + 1] * y;
  return (ga_point)GA_IN_SPACE(s[0], s[1], s[2]);
}

static ga_mechanism *four_bar(const placing *p, ga_coordinates coordinates) {
  static const double pin[4][2] = {{0, 0}, {0.3, 0.8}, {1.9, 1.1}, {1.7, 0}};
  static const char *const body[] = {"ground", "crank", "rod", "rocker", "ground"};
  static const char *const joint[] = {"a", "b", "c", "d"};
  const double down[] = {0.5, -9.81};
  double g[3], x[3], q[4];
  for (int i = 0; i < 3; i++) g[i] = p->R[3 * i] * down[0] + p->R[3 * i + 1] * down[1];
  ga_so3_from_matrix(p->R, q);
  ga_mechanism *m = mechanism_new(g);
  for (int i = 0; i < 3; i++) {
    const ga_point c = at(p, (pin[i][0] + pin[i + 1][0]) / 2, (pin[i][1] + pin[i + 1][1]) / 2);
    memcpy(x, c.a, sizeof x);
    ADD(body, m, .name = body[i + 1], .mass = 1.3, .inertia = {0.02, 0.05, 0.06},
        .position = {x[0], x[1], x[2]}, .orientation = {q[0], q[1], q[2], q[3]});
  }
  for (int i = 0; i < 4; i++) {
    ADD(joint, m, .name = joint[i], .type = "revolute", .between = {body[i], body[i + 1]},
        .at = at(p, pin[i][0], pin[i][1]), .axis = GA_IN_SPACE(p->R[2], p->R[5], p->R[8]));
  }
  assert_int_equal(ga_mechanism_set_coordinates(m, coordinates), GA_OK);
  build(m);
  return m;
}

static double kinetic(const ga_mechanism *m, const ga_state *s) {
  return ga_mechanism_output(m, s, ga_mechanism_column_index(m, "energy.kinetic"));
}

/* The kinetic energy after 0.3 s, and the potential energy at rest. */
static void move_and_rest(const ga_mechanism *m, const char *method, double *moving, double *rest) {
  const ga_model *model = ga_mechanism_model(m);
  ga_options o = ga_options_default();
  ga_integrator *it = NULL;
  ga_error err = {0};
  must(ga_options_set(&o, "method", method, &err), &err);
  o.h = 2e-3;
  o.redundant = GA_REDUNDANT_ALLOW;
  must(ga_integrator_new(model, &o, &it, &err), &err);
  must(ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)), ga_integrator_error(it));
  must(ga_integrator_run(it, 0.3), ga_integrator_error(it));
  *moving = kinetic(m, ga_integrator_state(it));
  ga_integrator_free(it);
  double q[64];
  memcpy(q, ga_mechanism_q0(m), (size_t)ga_space_nq(model->space) * sizeof *q);
  must(ga_mechanism_equilibrium(m, 0, q, NULL, &err), &err);
  const double zero[64] = {0};
  const ga_state s = {.q = q, .v = zero, .vd = zero, .lam = zero, .psi = zero};
  *rest = ga_mechanism_output(m, &s, ga_mechanism_column_index(m, "energy.potential"));
}

static void every_plane(void **state) {
  (void)state;
  static const double placings[][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 0},
                                       {1, 2, 0.3, -0.7, 0.4, 1.9, 0, 0, 0},
                                       {-0.2, 0.1, 1, 0.9, 1.3, -0.1, 5, -3, 2},
                                       {0.6, -1.7, 0.2, 0.3, 0.1, 0.9, 400, -30, 7}};
  static const char *const methods[] = {"stab2", "index3"};
  for (int k = 0; k < 2; k++) {
    double moving = 0, rest = 0;
    for (int i = 0; i < 4; i++) {
      const placing p = place(placings[i], placings[i] + 3, placings[i] + 6);
      ga_mechanism *m = four_bar(&p, GA_COORDINATES_JOINT);
      double x, y;
      move_and_rest(m, methods[k], &x, &y);
      double g = 0; /* of the shift */
      for (int j = 0; j < 3; j++) {
        g += 3.9 * p.shift[j] * (p.R[3 * j] * 0.5 + p.R[3 * j + 1] * -9.81);
      }
      y += g;
      if (i == 0) moving = x, rest = y;
      if (!(fabs(x - moving) <= 1e-9 * moving && fabs(y - rest) <= 1e-9 * fabs(rest))) {
        fail_msg("%s, placing %d: %.12g J, not %.12g; %.12g J, not %.12g", methods[k], i, x, moving,
                 y, rest);
      }
      ga_mechanism_free(m);
    }
    assert_true(moving > 0.1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(between_branches),
                                     cmocka_unit_test(every_plane)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

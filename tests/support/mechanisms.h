/* SPDX-License-Identifier: MIT */
/* Ten mechanisms with known motions, built through ga_mechanism.h. */
#ifndef GA_TESTS_MECHANISMS_H
#define GA_TESTS_MECHANISMS_H

#include <stdlib.h>

#include "support.h"

static const double pi_ = 3.14159265358979323846;
static const double down_z[3] = {0, 0, -9.81}, down_y[3] = {0, -9.81, 0};

static inline ga_mechanism *mechanism_new(const double *gravity) {
  ga_mechanism *m = NULL;
  assert_int_equal(ga_mechanism_new(&m), GA_OK);
  if (gravity) assert_int_equal(ga_mechanism_set_gravity(m, gravity), GA_OK);
  return m;
}

#define ADD(kind, m, ...)                                                            \
  do {                                                                               \
    ga_error add_err = {0};                                                          \
    must(ga_mechanism_add_##kind(m, &(ga_##kind){__VA_ARGS__}, &add_err), &add_err); \
  } while (0)

static inline void want(ga_mechanism *m, const char *coordinate) {
  ga_error err = {0};
  must(ga_mechanism_want_coordinate(m, coordinate, &err), &err);
}

static inline void build(ga_mechanism *m) {
  ga_error err = {0};
  must(ga_mechanism_build(m, 0, &err), &err);
}

/* a quaternion by components: axis times sine of half the angle */
#define TURN_Y(angle) \
  { cos((angle) / 2), 0, sin((angle) / 2), 0 }
#define TURN_X(angle) \
  { cos((angle) / 2), sin((angle) / 2), 0, 0 }
#define TURN_Z(angle) \
  { cos((angle) / 2), 0, 0, sin((angle) / 2) }
#define BOX(m, a, b, c)                                                     \
  {                                                                         \
    (m) * ((b) * (b) + (c) * (c)) / 12, (m) * ((a) * (a) + (c) * (c)) / 12, \
        (m) * ((a) * (a) + (b) * (b)) / 12                                  \
  }

static inline void quaternion_from(const double *R, double *p) {
  p[0] = 0.5 * sqrt(1 + R[0] + R[4] + R[8]);
  p[1] = (R[7] - R[5]) / (4 * p[0]);
  p[2] = (R[2] - R[6]) / (4 * p[0]);
  p[3] = (R[3] - R[1]) / (4 * p[0]);
}

static inline void add_pendulum(ga_mechanism *m) {
  const double l = 1, mass = 2, th = pi_ / 3;
  ADD(body, m, .name = "rod", .mass = mass, .inertia = {0, mass * l * l / 12, mass * l * l / 12},
      .position = {l / 2 * sin(th), 0, -l / 2 * cos(th)}, .orientation = TURN_Y(pi_ / 2 - th));
  ADD(joint, m, .name = "pin", .type = "revolute", .between = {"ground", "rod"},
      .at = GA_IN_SPACE(0, 0, 0), .axis = GA_IN_SPACE(0, 1, 0));
  ADD(sensor, m, .name = "tip", .type = "point", .body = "rod", .at = GA_ON_A(l / 2, 0, 0));
  want(m, "pin.angle");
}

static inline void add_double_pendulum(ga_mechanism *m) {
  const double l1 = 1, l2 = 0.7, m1 = 1, m2 = 0.8, w = 0.05;
  ADD(body, m, .name = "upper", .mass = m1, .inertia = BOX(m1, l1, w, 2 * w),
      .position = {l1 / 2, 0, 0}, .angular_velocity = {0, 0, 2}, .velocity = {0, l1, 0});
  ADD(body, m, .name = "lower", .mass = m2, .inertia = BOX(m2, l2, w, w),
      .position = {l1, l2 / 2, 0}, .orientation = TURN_Z(pi_ / 2), .angular_velocity = {0, 0, 2},
      .velocity = {-l2, 2 * l1, 0});
  ADD(joint, m, .name = "ball", .type = "spherical", .between = {"ground", "upper"},
      .at = GA_IN_SPACE(0, 0, 0));
  ADD(joint, m, .name = "hinge", .type = "revolute", .between = {"upper", "lower"},
      .at = GA_IN_SPACE(l1, 0, 0), .axis = GA_IN_SPACE(1, 0, 1));
  ADD(sensor, m, .name = "tip", .type = "point", .body = "lower", .at = GA_ON_A(l2 / 2, 0, 0));
  want(m, "hinge.angle");
}

static inline void add_driven_crank(ga_mechanism *m) {
  const double r = 0.2, l = 0.5;
  ga_error err = {0};
  must(ga_mechanism_set_parameter(m, "w0", 12, &err), &err);
  ADD(body, m, .name = "crank", .type = GA_BODY_PLANAR, .mass = 1, .inertia = {0, 0, r * r / 12},
      .position = {r / 2});
  ADD(body, m, .name = "rod", .type = GA_BODY_PLANAR, .mass = 1, .inertia = {0, 0, l * l / 12},
      .position = {r + l / 2});
  ADD(body, m, .name = "slider", .type = GA_BODY_PLANAR, .mass = 1, .inertia = {0, 0, 0.01},
      .position = {r + l});
  ADD(joint, m, .name = "bearing", .type = "revolute", .between = {"ground", "crank"},
      .at = GA_IN_SPACE(0, 0, 0));
  ADD(joint, m, .name = "pin", .type = "revolute", .between = {"crank", "rod"},
      .at = GA_IN_SPACE(r, 0, 0));
  ADD(joint, m, .name = "wrist", .type = "revolute", .between = {"rod", "slider"},
      .at = GA_IN_SPACE(r + l, 0, 0));
  ADD(joint, m, .name = "guide", .type = "prismatic", .between = {"ground", "slider"},
      .at = GA_IN_SPACE(r + l, 0, 0), .axis = GA_IN_SPACE(1, 0, 0));
  ADD(drive, m, .name = "motor", .coordinate = "bearing.angle",
      .position = {.text = "if(t < 1, w0*(t^4*(2.5 - 3*t + t^2)), w0*(t - 0.5))"});
  ADD(force, m, .name = "load", .type = "spring", .between = {"ground", "slider"},
      .at = GA_ON_A(1.5, 0, 0), .stiffness = 50, .damping = 2, .length = GA_VALUE(0.8));
  want(m, "guide.position");
  want(m, "pin.angle");
  want(m, "wrist.angle");
}

static inline void add_four_bar(ga_mechanism *m) {
  const double a = 0.4, b = 1, c = 0.8, d = 1, phi = 50 * pi_ / 180, rho = 2;
  const double bx = a * cos(phi), by = a * sin(phi), f = sqrt((d - bx) * (d - bx) + by * by);
  const double del = atan2(-by, d - bx), be = acos((b * b + f * f - c * c) / (2 * b * f));
  const double cx = bx + b * cos(del + be), cy = by + b * sin(del + be);
  ADD(body, m, .name = "crank", .type = GA_BODY_PLANAR, .mass = rho * a,
      .inertia = {0, 0, rho * a * a * a / 12}, .position = {bx / 2, by / 2}, .angle = phi);
  ADD(body, m, .name = "coupler", .type = GA_BODY_PLANAR, .mass = rho * b,
      .inertia = {0, 0, rho * b * b * b / 12}, .position = {(bx + cx) / 2, (by + cy) / 2},
      .angle = atan2(cy - by, cx - bx));
  ADD(body, m, .name = "rocker", .type = GA_BODY_PLANAR, .mass = rho * c,
      .inertia = {0, 0, rho * c * c * c / 12}, .position = {(d + cx) / 2, cy / 2},
      .angle = atan2(cy, cx - d));
  ADD(joint, m, .name = "A", .type = "revolute", .between = {"ground", "crank"},
      .at = GA_IN_SPACE(0, 0, 0));
  ADD(joint, m, .name = "B", .type = "revolute", .between = {"crank", "coupler"},
      .at = GA_IN_SPACE(bx, by, 0));
  ADD(joint, m, .name = "C", .type = "revolute", .between = {"coupler", "rocker"},
      .at = GA_ON_BOTH(b / 2, 0, 0, c / 2, 0, 0));
  ADD(joint, m, .name = "D", .type = "revolute", .between = {"ground", "rocker"},
      .at = GA_IN_SPACE(d, 0, 0));
  ADD(force, m, .name = "twist", .type = "torsion", .coordinate = "D.angle", .stiffness = 5,
      .damping = 0.3, .free = GA_VALUE(0.2));
  want(m, "A.angle");
}

static inline void add_gear_pair(ga_mechanism *m) {
  const double w0 = 5;
  ADD(body, m, .name = "motor", .mass = 1, .inertia = {0.02, 0.02, 0.02},
      .angular_velocity = {0, 0, w0});
  ADD(body, m, .name = "pinion", .mass = 1, .inertia = {0.005, 0.005, 0.005},
      .angular_velocity = {0, 0, w0});
  ADD(body, m, .name = "wheel", .mass = 1, .inertia = {0.03, 0.03, 0.03}, .position = {0.3},
      .angular_velocity = {0, 0, -w0 / 2});
  ADD(body, m, .name = "load", .mass = 1, .inertia = {0.08, 0.08, 0.08}, .position = {0.3, 0, 0.2},
      .angular_velocity = {0, 0, -w0 / 2});
  static const char *const between[4][2] = {
      {"ground", "motor"}, {"motor", "pinion"}, {"ground", "wheel"}, {"wheel", "load"}};
  static const char *const names[4] = {"b1", "b2", "b3", "b4"};
  for (int i = 0; i < 4; i++) {
    ADD(joint, m, .name = names[i], .type = "revolute", .between = {between[i][0], between[i][1]},
        .at = GA_ON_B(0, 0, 0), .axis = GA_IN_SPACE(0, 0, 1));
  }
  static const char *const terms[3] = {"b1.angle", "b2.angle", "b3.angle"};
  static const double factors[3] = {1, 1, 2};
  ADD(coupler, m, .name = "gears", .count = 3, .coordinates = terms, .coefficients = factors,
      .equals = GA_VALUE(0));
  ADD(force, m, .name = "shaft1", .type = "torsion", .coordinate = "b2.angle", .stiffness = 200,
      .damping = 0.02, .free = GA_VALUE(0));
  ADD(force, m, .name = "shaft2", .type = "torsion", .coordinate = "b4.angle", .stiffness = 350,
      .damping = 0.02, .free = GA_VALUE(0));
  ADD(force, m, .name = "drive", .type = "torque", .body = "motor",
      .value = {[2] = {.text = "1.5*sin(12*t)"}});
  ADD(force, m, .name = "drag", .type = "torsion", .coordinate = "b4.angle",
      .law = {.text = "-0.4*s^3"});
}

static inline void add_governor(ga_mechanism *m) {
  const double L = 0.3, b = 0.04, al = 40 * pi_ / 180, w0 = 9, mb = 1.5, sa = sin(al), ca = cos(al);
  ADD(body, m, .name = "spindle", .mass = 1, .inertia = {0.01, 0.01, 0.002},
      .angular_velocity = {0, 0, w0});
  ADD(body, m, .name = "armR", .mass = mb, .inertia = {1e-3, 1e-3, 1e-3},
      .position = {b + L * sa, 0, -L * ca}, .orientation = TURN_Y(pi_ / 2 - al),
      .angular_velocity = {0, 0, w0}, .velocity = {0, w0 * (b + L * sa), 0});
  ADD(body, m, .name = "armL", .mass = mb, .inertia = {1e-3, 1e-3, 1e-3},
      .position = {-b - L * sa, 0, -L * ca}, .orientation = TURN_Y(pi_ / 2 + al),
      .angular_velocity = {0, 0, w0}, .velocity = {0, -w0 * (b + L * sa), 0});
  ADD(body, m, .name = "sleeve", .mass = 2, .inertia = {0.002, 0.002, 0.004},
      .position = {0, 0, -2 * L * ca * 0.6}, .angular_velocity = {0, 0, w0});
  ADD(joint, m, .name = "bearing", .type = "revolute", .between = {"ground", "spindle"},
      .at = GA_IN_SPACE(0, 0, 0), .axis = GA_IN_SPACE(0, 0, 1));
  ADD(joint, m, .name = "hingeR", .type = "revolute", .between = {"spindle", "armR"},
      .at = GA_IN_SPACE(b, 0, 0), .axis = GA_IN_SPACE(0, 1, 0));
  ADD(joint, m, .name = "hingeL", .type = "revolute", .between = {"spindle", "armL"},
      .at = GA_IN_SPACE(-b, 0, 0), .axis = GA_IN_SPACE(0, 1, 0));
  ADD(joint, m, .name = "slide", .type = "prismatic", .between = {"spindle", "sleeve"},
      .at = GA_IN_SPACE(0, 0, 0), .axis = GA_IN_SPACE(0, 0, 1));
  ADD(joint, m, .name = "linkR", .type = "distance", .between = {"armR", "sleeve"},
      .at = GA_ON_BOTH(-0.4 * L, 0, 0, b, 0, 0));
  ADD(joint, m, .name = "linkL", .type = "distance", .between = {"armL", "sleeve"},
      .at = GA_ON_BOTH(-0.4 * L, 0, 0, -b, 0, 0));
  ADD(force, m, .name = "spring", .type = "spring", .between = {"spindle", "sleeve"},
      .at = GA_ON_BOTH(0, 0, -0.8, 0, 0, 0), .stiffness = 300, .damping = 3,
      .length = GA_VALUE(0.4));
  ADD(force, m, .name = "motor", .type = "torque", .body = "spindle",
      .value = {[2] = {.text = "2*step(t, 0.2, 0, 0.6, 1)"}});
  want(m, "bearing.angle");
  want(m, "hingeR.angle");
}

static inline void add_gyroscope(ga_mechanism *m) {
  ADD(body, m, .name = "top", .mass = 15, .inertia = {0.234375, 0.46875, 0.234375},
      .position = {0, 1, 0}, .velocity = {4.61538, 0, 0}, .angular_velocity = {0, 150, -4.61538});
  ADD(joint, m, .name = "pin", .type = "spherical", .between = {"ground", "top"},
      .at = GA_IN_SPACE(0, 0, 0));
}

static inline void add_rolling_disk(ga_mechanism *m) {
  const double mass = 2, r = 0.5, lean = 25 * pi_ / 180, spin = 8, turn = 0.6;
  const double c = cos(lean), s = sin(lean);
  ADD(body, m, .name = "disk", .mass = mass,
      .inertia = {mass * r * r / 4, mass * r * r / 2, mass * r * r / 4}, .position = {0, 0, r * c},
      .orientation = TURN_X(lean), .angular_velocity = {0, spin * c, spin * s + turn},
      .velocity = {r * c * spin * c + r * s * (spin * s + turn), 0, 0});
  ADD(joint, m, .name = "floor", .type = "rolling_disk", .between = {"ground", "disk"},
      .point = GA_IN_SPACE(0, 0, 0), .normal = GA_IN_SPACE(0, 0, 1), .centre = GA_ON_B(0, 0, 0),
      .axis = GA_ON_B(0, 1, 0), .radius = r);
}

static inline void add_slider_crank_3d(ga_mechanism *m) {
  const double r = 0.08, l = 0.3, yA = 0.1, zA = 0.12, w0 = 6, h = zA + r;
  const double xs = sqrt(l * l - yA * yA - h * h), hh = sqrt(xs * xs + yA * yA);
  const double vs = yA * w0 * r / xs, k = h * (w0 * r * xs + vs * yA) / (l * hh * l * hh);
  const double R[9] = {
      xs / l, yA / hh, xs * h / (l * hh), -yA / l, xs / hh, -yA * h / (l * hh), -h / l, 0, hh / l};
  double p[4];
  quaternion_from(R, p);
  ADD(body, m, .name = "crank", .mass = 0.12, .inertia = {1e-4, 1e-5, 1e-4},
      .position = {0, yA, zA + r / 2}, .velocity = {0, -w0 * r / 2, 0},
      .angular_velocity = {w0, 0, 0});
  ADD(body, m, .name = "rod", .mass = 0.5, .inertia = {4e-4, 0.004, 0.004},
      .position = {xs / 2, yA / 2, h / 2}, .velocity = {vs / 2, -w0 * r / 2, 0},
      .angular_velocity = {h * w0 * r / (l * l) - k * xs, -h * vs / (l * l) + k * yA,
                           (xs * w0 * r + yA * vs) / (l * l) + k * h},
      .orientation = {p[0], p[1], p[2], p[3]});
  ADD(body, m, .name = "slider", .mass = 2, .inertia = {1e-4, 1e-4, 1e-4}, .position = {xs, 0, 0},
      .velocity = {vs, 0, 0});
  ADD(joint, m, .name = "bearing", .type = "revolute", .between = {"ground", "crank"},
      .at = GA_IN_SPACE(0, yA, zA), .axis = GA_IN_SPACE(1, 0, 0));
  ADD(joint, m, .name = "ball", .type = "spherical", .between = {"crank", "rod"},
      .at = GA_ON_BOTH(0, 0, r / 2, -l / 2, 0, 0));
  ADD(joint, m, .name = "cross", .type = "universal", .between = {"slider", "rod"},
      .at = GA_ON_BOTH(0, 0, 0, l / 2, 0, 0), .axis = GA_IN_SPACE(0, 0, 1),
      .x_axis = GA_IN_SPACE(yA / hh, xs / hh, 0));
  ADD(joint, m, .name = "guide", .type = "prismatic", .between = {"ground", "slider"},
      .at = GA_IN_SPACE(0, 0, 0), .axis = GA_IN_SPACE(1, 0, 0));
  ADD(force, m, .name = "friction", .type = "torsion", .coordinate = "bearing.angle",
      .damping = 0.01);
  want(m, "guide.position");
  want(m, "cross.angle_a");
  want(m, "cross.angle_b");
}

static inline void add_universal_shaft(ga_mechanism *m) {
  const double be = 30 * pi_ / 180, w = 20, c = cos(be), s = sin(be);
  ADD(body, m, .name = "input", .mass = 1, .inertia = {0.02, 0.02, 0.01}, .position = {0, 0, -0.2},
      .angular_velocity = {0, 0, w});
  ADD(body, m, .name = "output", .mass = 1, .inertia = {0.02, 0.025, 0.03},
      .position = {0.2 * s, 0, 0.2 * c}, .orientation = TURN_Y(be),
      .angular_velocity = {w * s * c, 0, w * c * c});
  ADD(joint, m, .name = "front", .type = "revolute", .between = {"ground", "input"},
      .at = GA_IN_SPACE(0, 0, -0.2), .axis = GA_IN_SPACE(0, 0, 1));
  ADD(joint, m, .name = "cross", .type = "universal", .between = {"input", "output"},
      .at = GA_IN_SPACE(0, 0, 0), .axis = GA_IN_SPACE(0, 1, 0), .x_axis = GA_IN_SPACE(c, 0, -s));
  ADD(joint, m, .name = "rear", .type = "point_on_line", .between = {"ground", "output"},
      .at = GA_ON_B(0, 0, 0.1), .axis = GA_ON_B(0, 0, 1));
  ADD(drive, m, .name = "motor", .coordinate = "front.angle", .position = {.text = "20*t"});
  ADD(force, m, .name = "brake", .type = "torque", .body = "output", .frame = GA_FORCE_BODY,
      .value = {[2] = {.constant = -0.8}});
  want(m, "cross.angle_a");
  want(m, "cross.angle_b");
}

static const struct mechanism_entry {
  const char *name;
  const double *gravity;
  void (*add)(ga_mechanism *m);
  double h;
} mechanism_list[] = {{"double-pendulum", down_z, add_double_pendulum, 1e-3},
                      {"driven-crank", down_y, add_driven_crank, 1e-3},
                      {"four-bar", down_y, add_four_bar, 1e-3},
                      {"gear-pair", NULL, add_gear_pair, 5e-4},
                      {"governor", down_z, add_governor, 5e-4},
                      {"gyroscope", down_z, add_gyroscope, 2.5e-4},
                      {"pendulum", down_z, add_pendulum, 1e-3},
                      {"rolling-disk", down_z, add_rolling_disk, 1e-3},
                      {"slider-crank-3d", down_z, add_slider_crank_3d, 1e-3},
                      {"universal-shaft", NULL, add_universal_shaft, 1e-3}};
enum { NMECHANISM = (int)(sizeof mechanism_list / sizeof mechanism_list[0]) };

static inline ga_mechanism *mechanism_built(const struct mechanism_entry *e,
                                            ga_formulation formulation) {
  ga_mechanism *m = mechanism_new(e->gravity);
  assert_int_equal(ga_mechanism_set_formulation(m, formulation), GA_OK);
  e->add(m);
  build(m);
  return m;
}

/* an integrator started at the mechanism's start values */
static inline ga_integrator *mechanism_started(const ga_mechanism *m, const ga_options *o) {
  ga_integrator *it = NULL;
  ga_error err = {0};
  must(ga_integrator_new(ga_mechanism_model(m), o, &it, &err), &err);
  must(ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)), ga_integrator_error(it));
  return it;
}

/* all columns at time t, by stab2 with rho_inf = 0.9; to be freed */
static inline double *columns_at(const ga_mechanism *m, double h, double t) {
  ga_options o = ga_options_default();
  o.par = ga_params_rho(0.9);
  o.h = h;
  ga_integrator *it = mechanism_started(m, &o);
  if (t > 0) must(ga_integrator_run(it, t), ga_integrator_error(it));
  double *values = calloc((size_t)ga_mechanism_columns(m), sizeof *values);
  assert_non_null(values);
  assert_int_equal(ga_mechanism_outputs(m, ga_integrator_state(it), values), GA_OK);
  ga_integrator_free(it);
  return values;
}

/* a file of models/ in these coordinates; NULL: its own */
static inline ga_file *model_loaded_in(const char *coordinates, const char *name,
                                       const ga_file_set *set, int nset) {
  char path[300];
  ga_file *file = NULL;
  ga_error err = {0};
  const ga_file_options options = {.set = set, .nset = nset, .coordinates = coordinates};
  snprintf(path, sizeof path, "%s/%s.yaml", GA_MODELS, name);
  must(ga_file_load(path, &options, &file, &err), &err);
  return file;
}

static inline ga_file *model_loaded(const char *name, const ga_file_set *set, int nset) {
  return model_loaded_in(NULL, name, set, nset);
}

/* for tests that look at unknowns and rows of bodies */
static inline void use_absolute(ga_mechanism *m) {
  assert_int_equal(ga_mechanism_set_coordinates(m, GA_COORDINATES_ABSOLUTE), GA_OK);
}

#endif

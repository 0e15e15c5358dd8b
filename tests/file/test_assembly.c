/* SPDX-License-Identifier: MIT */
/* Sub-assemblies and included files: a placed assembly moves as the one that stands in space, nested
 * three deep and a hundred times; messages with file, line and path; circles are refused. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "run_text.h"

static char folder[] = "ga_assembly_XXXXXX";

/* Writes a file of the folder. */
static void put(const char *name, const char *text) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static ga_status load(const char *name, const ga_file_options *options, ga_file **file,
                      ga_error *err) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return ga_file_load(path, options, file, err);
}

/* The model of this text is refused, with these words in the message. */
static void refused(const char *text, const char *says, const char *also) {
  ga_file *file = NULL;
  ga_error err = {0};
  put("bad.yaml", text);
  const ga_status status = load("bad.yaml", NULL, &file, &err);
  if (status == GA_OK || !strstr(err.text, says) || !strstr(err.text, also)) {
    fail_msg("'%s' or '%s' is not in '%s'", says, also, err.text);
  }
  ga_file_free(file);
}

#define LEG                                                                                      \
  "  bodies:\n"                                                                                  \
  "    rod: {mass: 2, inertia: [0.1, 0.2, 0.15], position: [l/2, 0, 0], com: [0.1, 0, 0.05]}\n"  \
  "    bob: {kind: point, mass: 1, position: [l, 0, -0.4]}\n"                                    \
  "    rider: {mass: 1, inertia: [1, 1, 1], in: rod, position: [0, 0, 0.3]}\n"                   \
  "  joints:\n"                                                                                  \
  "    pin: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0.2]}\n"        \
  "    plate: {type: planar, between: [rod, rider], axis: [0, 0, 1]}\n"                          \
  "    wire: {type: point_on_curve, between: [ground, bob], curve: [l + 0.3*sin(s), 0.5*s, "     \
  "-0.4*cos(s)]}\n"                                                                              \
  "  ropes: {cord: {over: [{ground: [0.2, 0, 2]}, rider, bob], length: 1.5, stiffness: 20}}\n"   \
  "  sensors: {far: {type: distance, between: [ground, rider]}}\n"                               \
  "  forces:\n"                                                                                  \
  "    push: {type: force, body: rod, value: [sin(3*t), 0.4*pin.angle, 1 + plate.x]}\n"          \
  "    tie: {type: spring, between: [ground, bob], at: {ground: [0, 1, 0]}, stiffness: 9, law: " \
  "far}\n"                                                                                       \
  "    soft: {type: bushing, between: [ground, rider], stiffness: [9, 8, 7, 6, 5, 4]}\n"

/* The same twice: in space, and placed; gravity is none, so coordinates and forces agree. */
static void placed(void **state) {
  (void)state;
  double x[12];
  run_text(
      "genalpha: 1\n"
      "templates:\n leg:\n  parameters: {l: 1}\n" LEG
      "assemblies:\n"
      "  a: {template: leg}\n"
      "  b: {template: leg, position: [3, -2, 1], orientation: {euler: {sequence: zyx, angles: "
      "[0.5, -0.8, 1.1]}}}\n",
      400, 1, x, "a_pin.angle", "b_pin.angle", "a_plate.x", "b_plate.x", "a_wire.s", "b_wire.s",
      "a_tie.force", "b_tie.force", "a_soft.fx", "b_soft.fx", "a_cord.tension", "b_cord.tension",
      NULL);
  for (int i = 0; i < 12; i += 2) {
    assert_true(fabs(x[i]) > 1e-3);
    assert_close("placed", x[i + 1], x[i], 1e-7 * (1 + fabs(x[i])));
  }
}

#define BENT                                                                                       \
  "  beams:\n"                                                                                     \
  "    arm: {arc: {from: [0, 0, 0], tangent: [1, 0, 0], normal: [0, 0, 1], radius: 2, angle: "     \
  "0.8, "                                                                                          \
  "elements: 3}, section: {EA: 2e4, GA: [1e4, 1e4], GJ: 30, EI: [60, 80], rhoA: 1, rhoI: [2e-3, "  \
  "1e-3, 1e-3]}, load: [0, 3, -2], damping: 1e-3, velocity: [0, 0, 0], reference: {line: {from: "  \
  "[0, 0, 0], to: [1.6, 0, 0], elements: 3}}}\n"                                                   \
  "  bodies:\n"                                                                                    \
  "    die: {mass: 1, shape: {box: [0.2, 0.2, 0.2]}, position: [0, -3, 0.11], velocity: [1, 0.2, " \
  "0], angular_velocity: [0, 0.4, 0.1]}\n"                                                         \
  "    ball: {mass: 0.3, inertia: [1e-3, 1e-3, 1e-3], position: [0, 3, 0.5], velocity: [0.5, 0, "  \
  "0]}\n"                                                                                          \
  "  joints: {clamp: {type: fixed, between: [ground, arm.start]}}\n"                               \
  "  contacts:\n"                                                                                  \
  "    floor: {between: [ground, die], shape: true, friction: 0.3}\n"                              \
  "    slope: {between: [ground, ball], plane: {point: [0, 0, 0.1], normal: [0.2, 0, 1]}, "        \
  "sphere: "                                                                                       \
  "{radius: 0.1}, friction: 0.2, restitution: 0.5}\n"                                              \
  "    peg: {between: [ground, ball], spheres: [0.2, 0.1], centres: {ground: [0.45, 3, 0.1]}}\n"   \
  "  forces:\n"                                                                                    \
  "    down: {type: force, body: die, value: [0, 0, -9.81]}\n"                                     \
  "    fall: {type: force, body: ball, value: [0, 0, -2.943]}\n"                                   \
  "  sensors:\n"                                                                                   \
  "    tip: {type: distance, between: [ground, arm.end], at: {ground: [0.3, 1, 2]}}\n"             \
  "    slid: {type: distance, between: [ground, die], at: {ground: [-1, 0, 3]}}\n"                 \
  "    flew: {type: distance, between: [ground, ball], at: {ground: [-1, 0, 3]}}\n"

/* beams and contacts in an assembly inside another, both placed */
static void beams_and_contacts(void **state) {
  (void)state;
  double x[10];
  run_text(
      "genalpha: 1\n"
      "templates:\n"
      " part:\n" BENT
      " around:\n"
      "  assemblies: {in: {template: part, position: [1, 2, -1], orientation: {axis: [0, 1, 1], "
      "angle: 0.7}}}\n"
      "assemblies:\n"
      "  a: {template: part}\n"
      "  b: {template: around, position: [3, -2, 1], orientation: {euler: {sequence: zyx, angles: "
      "[0.5, -0.8, 1.1]}}}\n",
      2000, 1, x, "a_tip", "b_in_tip", "a_arm.s1.Mz", "b_in_arm.s1.Mz", "a_slid", "b_in_slid",
      "a_flew", "b_in_flew", "a_floor.n", "b_in_floor.n", NULL);
  for (int i = 0; i < 10; i += 2) {
    assert_true(fabs(x[i]) > 1e-3);
    assert_close("placed", x[i + 1], x[i], 1e-6 * (1 + fabs(x[i])));
  }
}

#define STEERED                                                                                    \
  "  bodies:\n"                                                                                    \
  "    a_rod: {kind: planar, mass: 2, inertia: 0.3, position: [0.4, 0]}\n"                         \
  "    bob: {kind: planar, mass: 1, inertia: 0.2, position: [2, 0]}\n"                             \
  "  joints:\n"                                                                                    \
  "    a_pin: {type: revolute, between: [ground, a_rod], at: [0, 0]}\n"                            \
  "    hub: {type: revolute, between: [ground, bob], at: [2, 0]}\n"                                \
  "  states: {a_lag: {rate: \"a_pin.angle - 3*a_lag\"}}\n"                                         \
  "  controllers:\n"                                                                               \
  "    u: {type: pid, target: goal + a_lag, input: a_pin.angle, kp: 20, ki: 5, kd: 2, filter: 20 " \
  "ms, limit: 9, every: 10 ms}\n"                                                                  \
  "    a_v: {type: pid, target: \"sin(t)\", input: a_rod.angle, kp: 2, ki: 1, kd: 1, filter: "     \
  "0.1}\n"                                                                                         \
  "    turn: {type: servo, coordinate: hub.angle, target: u_error, kp: 30, ki: 8, kd: 4}\n"        \
  "  forces: {motor: {type: torsion, coordinate: a_pin.angle, law: u + a_v + "                     \
  "0.1*turn_integral}}\n"

/* ready controllers inside an assembly, and names that begin as its prefix does */
static void controllers_inside(void **state) {
  (void)state;
  double x[6], y[6];
  run_text(
      "genalpha: 1\n"
      "templates:\n steered:\n  parameters: {goal: 0}\n" STEERED
      "assemblies: {a: {template: steered, parameters: {goal: 0.7}}}\n",
      400, 1, x, "a_a_pin.angle", "a_hub.angle", "a_u", "a_u_filtered", "a_a_v_integral",
      "a_turn_integral", NULL);
  run_text(
      "genalpha: 1\nparameters: {goal: 0.7}\n"
      "repeat:\n- index: i\n  from: 1\n  to: 1\n" STEERED,
      400, 1, y, "a_pin.angle", "hub.angle", "u", "u_filtered", "a_v_integral", "turn_integral",
      NULL);
  for (int i = 0; i < 6; i++) {
    assert_true(fabs(y[i]) > 1e-3);
    assert_close("inside", x[i], y[i], 1e-12);
  }
}

/* a rigid motion at the start: all points of the part have it */
static void moving(void **state) {
  (void)state;
  double x[5];
  run_text(
      "genalpha: 1\n"
      "templates: {one: {bodies: {p: {kind: point, mass: 1, position: [1, 0, 0], velocity: [0, "
      "0, 1]}}}}\n"
      "assemblies: {a: {template: one, position: [0, 5, 0], orientation: 90 deg, velocity: [1, "
      "0, 0], angular_velocity: 2}}\n",
      10, 1e-9, x, "a_p.x", "a_p.y", "a_p.vx", "a_p.vy", "a_p.vz", NULL);
  assert_close("x", x[0], 0, 1e-8);
  assert_close("y", x[1], 6, 1e-8);
  assert_close("vx", x[2], -1, 1e-8);
  assert_close("vy", x[3], 0, 1e-8);
  assert_close("vz", x[4], 1, 1e-8);
}

/* files in folders: three deep, a hundred times, with parameters, tables and indices of repetitions */
static void nested(void **state) {
  (void)state;
  ga_file *file = NULL;
  ga_error err = {0};
  char sub[200];
  snprintf(sub, sizeof sub, "%s/parts", folder);
  char command[220];
  snprintf(command, sizeof command, "mkdir -p %s", sub);
  assert_int_equal(system(command), 0);
  put("parts/curve.csv", "x,y\n0,1\n1,3\n");
  put("parts/wheel.yaml",
      "genalpha: 1\nparameters: {m: 1, x: 0}\n"
      "bodies: {hub: {kind: point, mass: m, position: [x, 0, 0]}}\n"
      "forces: {f: {type: force, body: hub, value: ['table(t, \"curve.csv\", "
      "\"y\")', 0, 0]}}\n");
  put("parts/axle.yaml",
      "genalpha: 1\nparameters: {m: 1}\n"
      "assemblies:\n"
      "  left: {file: wheel.yaml, position: [0, 1, 0], parameters: {m: 2*m}}\n"
      "  right: {file: wheel.yaml, position: [0, -1, 0]}\n");
  put("parts/car.yaml",
      "genalpha: 1\nparameters: {m: 1}\n"
      "assemblies: {front: {file: axle.yaml, position: [1, 0, 0], parameters: {m: "
      "m}}, rear: {file: axle.yaml}}\n");
  put("fleet.yaml",
      "genalpha: 1\nparameters: {n: 100}\n"
      "repeat:\n"
      "  - index: i\n    from: 1\n    to: n\n"
      "    assemblies: {\"car{i}\": {file: parts/car.yaml, position: [0, 0, i], "
      "parameters: {m: i}}}\n");
  must(load("fleet.yaml", NULL, &file, &err), &err);
  const ga_mechanism *m = ga_file_mechanism(file);
  assert_int_equal(ga_mechanism_bodies(m), 400);
  const double *q = ga_mechanism_q0(m);
  /* the last bodies: car100, front left, right, rear left, right */
  assert_string_equal(ga_mechanism_body_name(m, 396), "car100_front_left_hub");
  const double expected[3] = {1, 1, 100};
  for (int k = 0; k < 3; k++) assert_close("hub", q[3 * 396 + k], expected[k], 1e-12);
  ga_state at = {.t = 0.5, .q = q, .v = ga_mechanism_v0(m)};
  double *zero = calloc(1300, sizeof *zero);
  at.vd = zero, at.lam = zero, at.psi = zero;
  const int force = ga_mechanism_column_index(m, "car7_rear_right_f.fx");
  assert_close("table", ga_mechanism_output(m, &at, force), 2, 1e-12);
  free(zero);
  ga_file_free(file);
  const ga_file_set set = {"n", "3"};
  const ga_file_options options = {.set = &set, .nset = 1};
  must(load("fleet.yaml", &options, &file, &err), &err);
  assert_int_equal(ga_mechanism_bodies(ga_file_mechanism(file)), 12);
  ga_file_free(file);
}

#define ONE "genalpha: 1\nbodies: {a: {kind: point, mass: 1}}\n"
static void messages(void **state) {
  (void)state;
  put("inner.yaml", "genalpha: 1\nbodies:\n  rod: {kind: point, mass: -m}\nparameters: {m: 1}\n");
  refused(ONE "assemblies: {car: {file: inner.yaml}}\n", "inner.yaml:3:8: assemblies.car.bodies.",
          "mass -1 is negative");
  refused(ONE "assemblies: {car: {file: inner.yaml, parameters: {k: 1}}}\n",
          "bad.yaml:3:51: ", "has no parameter 'k'");
  refused(ONE "assemblies: {car: {file: inner.yaml, parameters: {m: q}}}\n",
          "bad.yaml:3:54: assemblies.car.parameters", "unknown name 'q'");
  refused(ONE "assemblies: {car: {file: missing.yaml}}\n", "bad.yaml:3:26: assemblies.car.file",
          "missing.yaml");
  refused(ONE "assemblies: {car: {template: leg}}\n", "bad.yaml:3:30: assemblies.car.template",
          "there is no template 'leg'");
  refused(ONE "assemblies: {car: {position: [0, 0, 0]}}\n", "bad.yaml:3:19: assemblies.car",
          "either a file or a template");
  refused(ONE "assemblies: {car: {file: inner.yaml, positon: [0, 0, 0]}}\n",
          "bad.yaml:3:", "did you mean 'position'?");
  refused(ONE "templates: {x: {bodis: {}}}\nassemblies: {car: {template: x}}\n", "bad.yaml:3:17",
          "did you mean 'bodies'?");
  put("planar.yaml", "genalpha: 1\nbodies: {p: {kind: planar, mass: 1, inertia: 1}}\n");
  refused(
      "genalpha: 1\nassemblies: {car: {file: planar.yaml, orientation: {axis: [1, 0, 0], angle: "
      "1}}}\n",
      "planar.yaml:2:13", "about z only");
}

static void circles(void **state) {
  (void)state;
  put("one.yaml", "genalpha: 1\ninclude: two.yaml\n");
  put("two.yaml", "genalpha: 1\ninclude: [one.yaml]\n");
  refused(ONE "include: one.yaml\n", "two.yaml:2:11: include", "in a circle");
  put("self.yaml", "genalpha: 1\nassemblies: {again: {file: self.yaml}}\n");
  refused(ONE "assemblies: {a: {file: self.yaml}}\n", "self.yaml:2:", "contains itself");
  refused(
      "genalpha: 1\ntemplates: {x: {assemblies: {y: {template: x}}}}\nassemblies: {a: {template: "
      "x}}\n",
      "bad.yaml:2:", "contains itself");
  put("bad.yaml", "");
  refused("genalpha: 1\ninclude: bad.yaml\n", "bad.yaml:2:10: include", "in a circle");
}

/* what is included stands before; parameters and options of the file itself count */
static void included(void **state) {
  (void)state;
  ga_file *file = NULL;
  ga_error err = {0};
  put("base.yaml",
      "genalpha: 1\ngravity: [0, 0, -1]\nparameters: {m: 1, k: 2*m}\n"
      "bodies: {a: {kind: point, mass: k}}\nrun: {h: 1e-3, t_end: 1}\noutput: [a.z]\n"
      "templates: {leg: {bodies: {b: {kind: point, mass: 1}}}}\n");
  put("whole.yaml",
      "genalpha: 1\ninclude: base.yaml\nparameters: {m: 3}\n"
      "bodies: {c: {kind: point, mass: k}}\nassemblies: {x: {template: leg}}\n"
      "run: {h: 1e-2}\noutput: [c.z, a.z, x_b.z]\n");
  must(load("whole.yaml", NULL, &file, &err), &err);
  const char *key, *value;
  int line;
  double m;
  assert_true(ga_file_parameter(file, 1, &key, &m));
  assert_close("k", m, 6, 0);
  assert_true(ga_file_option(file, 0, &key, &value, &line));
  assert_string_equal(value, "1e-2");
  assert_int_equal(ga_mechanism_bodies(ga_file_mechanism(file)), 3);
  assert_true(ga_file_output(file, 2) >= 0 && ga_file_output(file, 3) < 0);
  ga_file_free(file);
  refused("genalpha: 1\ninclude: base.yaml\nbodies: {a: {kind: point, mass: 1}}\n", "bad.yaml:3:10",
          "'a' stands in");
  put("no.yaml", "bodies: {a: {kind: point, mass: 1}}\n");
  refused("genalpha: 1\ninclude: no.yaml\n", "no.yaml:1:1", "the version of the format");
}

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
  (void)state;
  char command[100];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(placed),
                                     cmocka_unit_test(moving),
                                     cmocka_unit_test(beams_and_contacts),
                                     cmocka_unit_test(controllers_inside),
                                     cmocka_unit_test(nested),
                                     cmocka_unit_test(messages),
                                     cmocka_unit_test(circles),
                                     cmocka_unit_test(included)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

/* SPDX-License-Identifier: MIT */
/* Mechanisms whose motion is known in closed form, and what must stay constant. */
#include <pthread.h>
#include <stdlib.h>

#include "mechanisms.h"

/* a mechanism, an integrator at some time, the columns there */
typedef struct {
  const ga_mechanism *m;
  ga_integrator *it;
  double *values;
} motion;

static motion started_motion(const ga_mechanism *m, double rho, double h) {
  ga_options o = ga_options_default();
  o.par = ga_params_rho(rho);
  o.h = h;
  const size_t n = (size_t)ga_mechanism_columns(m);
  return (motion){m, mechanism_started(m, &o), calloc(n, sizeof(double))};
}

static void run_to(motion *x, double t) {
  if (t > 0) must(ga_integrator_run(x->it, t), ga_integrator_error(x->it));
  assert_int_equal(ga_mechanism_outputs(x->m, ga_integrator_state(x->it), x->values), GA_OK);
}

static double column(const motion *x, const char *name) {
  const int i = ga_mechanism_column_index(x->m, name);
  if (i < 0) fail_msg("there is no column %s", name);
  return x->values[i];
}

static void end(motion *x) {
  ga_integrator_free(x->it);
  free(x->values);
}

/* one column at time t */
static double result(const ga_mechanism *m, double h, double t, const char *name) {
  motion x = started_motion(m, 0.9, h);
  run_to(&x, t);
  const double value = column(&x, name);
  end(&x);
  return value;
}

/* |value| errors at h and h/2 fall by 4 and are below a limit */
static void assert_second_order(const char *what, double coarse, double fine, double exact,
                                double limit) {
  assert_between(what, slope(fabs(coarse - exact), fabs(fine - exact)), 1.9, 2.1);
  assert_true(fabs(fine - exact) < limit);
}

/* ---- statics -------------------------------------------------------------------------------- */

/* A body that hangs still: the joint carries its weight, force of A on B is up. */
static void hanging(void **state) {
  (void)state;
  for (int hinge = 0; hinge < 2; hinge++) {
    ga_mechanism *m = mechanism_new(down_z);
    ADD(body, m, .name = "b", .mass = 3, .inertia = {1, 2, 2}, .position = {0.5, 0, 1},
        .com = {-0.5, 0, -2});
    ADD(joint, m, .name = "pin", .type = hinge ? "revolute" : "spherical",
        .between = {"ground", "b"}, .at = GA_IN_SPACE(0, 0, 0),
        .axis = {hinge ? GA_SPACE : GA_NOT_GIVEN, {0, 1, 0}, {0}});
    build(m);
    motion x = started_motion(m, 0.9, 0.01);
    run_to(&x, 1);
    /* axes of the hinge: x = x, z = y, y = -z */
    assert_near("weight", column(&x, hinge ? "pin.fy" : "pin.fz"), hinge ? -29.43 : 29.43, 1e-12);
    assert_near("in space axes", column(&x, "pin.Fz"), 29.43, 1e-12);
    assert_true(fabs(column(&x, "pin.fx")) < 1e-10 && fabs(column(&x, "pin.mx")) < 1e-10);
    assert_near("z", column(&x, "b.z"), 1, 1e-12);
    end(&x);
    ga_mechanism_free(m);
  }
}

/* A cantilever holding a body: the moment about p_a; the same by a bushing, which yields. */
static void cantilever(void **state) {
  (void)state;
  const double K[36] = {[0] = 1e4, [7] = 1e4, [14] = 1e4, [21] = 1e4, [28] = 1e4, [35] = 1e4};
  const double C[36] = {[0] = 300, [7] = 300, [14] = 300, [21] = 300, [28] = 300, [35] = 300};
  for (int soft = 0; soft < 2; soft++) {
    ga_mechanism *m = mechanism_new(down_z);
    ADD(body, m, .name = "b", .mass = 2, .inertia = {1, 1, 1}, .position = {0.5});
    if (soft) {
      ADD(force, m, .name = "wall", .type = "bushing", .between = {"ground", "b"},
          .at = GA_IN_SPACE(0, 0, 0), .K = K, .C = C);
    } else {
      ADD(joint, m, .name = "wall", .type = "fixed", .between = {"ground", "b"},
          .at = GA_IN_SPACE(0, 0, 0));
    }
    build(m);
    motion x = started_motion(m, 0.5, 0.01);
    run_to(&x, soft ? 5 : 0.1);
    const double arm = column(&x, "b.x");
    assert_near("force", column(&x, "wall.fz"), 19.62, 1e-9);
    assert_near("moment", column(&x, "wall.my"), -19.62 * arm, 1e-9);
    assert_true(fabs(column(&x, "wall.mx")) + fabs(column(&x, "wall.fx")) < 1e-8);
    if (soft)
      assert_near("turn", asin(2 * column(&x, "b.e2") * column(&x, "b.e0")), 19.62 * arm / 1e4,
                  1e-6);
    end(&x);
    ga_mechanism_free(m);
  }
}

/* ---- oscillations --------------------------------------------------------------------------- */

/* pi/(2 agm(1, cos(a/2))) = K(sin(a/2)) */
static double quarter_period(double amplitude) {
  double a = 1, b = cos(amplitude / 2);
  for (int i = 0; i < 8; i++) {
    const double mean = (a + b) / 2;
    b = sqrt(a * b);
    a = mean;
  }
  return pi_ / (2 * a);
}

/* theta'' = -(3 g/2 l) sin theta from 60 degrees: vertical after 5/4 periods */
static void physical_pendulum(void **state) {
  (void)state;
  const double t = 5 * quarter_period(pi_ / 3) / sqrt(1.5 * 9.81);
  for (int se3 = 0; se3 < 2; se3++) {
    ga_mechanism *m = mechanism_new(down_z);
    ga_mechanism_set_formulation(m, se3 ? GA_FORMULATION_SE3 : GA_FORMULATION_R3SO3);
    add_pendulum(m);
    build(m);
    assert_second_order("period", result(m, 2e-3, t, "pin.angle"), result(m, 1e-3, t, "pin.angle"),
                        pi_ / 3, 1e-4);
    ga_mechanism_free(m);
  }
}

/* Two equal rods: (3/2) g/l th1, (1/2) g/l th2 against [[4/3, 1/2], [1/2, 1/3]], so that omega^2 =
 * (3 g/l)(1 -+ 2/sqrt 7). In a mode both angles are turned over after half a period. */
static void double_pendulum_modes(void **state) {
  (void)state;
  const double small = 1e-4;
  for (int mode = 0; mode < 2; mode++) {
    const double w2 = 3 * 9.81 * (1 + (mode ? 2 : -2) / sqrt(7));
    const double th1 = small, th2 = small * (1.5 * 9.81 - w2 * 4 / 3) / (0.5 * w2);
    const double x1 = sin(th1), y1 = -cos(th1);
    ga_mechanism *m = mechanism_new(down_y);
    ADD(body, m, .name = "one", .type = GA_BODY_PLANAR, .mass = 1, .inertia = {0, 0, 1. / 12},
        .position = {x1 / 2, y1 / 2}, .angle = th1);
    ADD(body, m, .name = "two", .type = GA_BODY_PLANAR, .mass = 1, .inertia = {0, 0, 1. / 12},
        .position = {x1 + sin(th2) / 2, y1 - cos(th2) / 2}, .angle = th2);
    ADD(joint, m, .name = "a", .type = "revolute", .between = {"ground", "one"},
        .at = GA_IN_SPACE(0, 0, 0));
    ADD(joint, m, .name = "b", .type = "revolute", .between = {"one", "two"},
        .at = GA_IN_SPACE(x1, y1, 0));
    build(m);
    motion x = started_motion(m, 0.9, 2e-4);
    run_to(&x, pi_ / sqrt(w2));
    assert_near("first rod", column(&x, "one.angle"), -th1, 1e-4);
    assert_near("second rod", column(&x, "two.angle"), -th2, 1e-4);
    assert_true(fabs(column(&x, "one.rate")) < 1e-3 * small * sqrt(w2));
    end(&x);
    ga_mechanism_free(m);
  }
}

/* ---- spinning and rolling ------------------------------------------------------------------- */

/* A Om^2 cos al - C n Om + m g l = 0: a symmetric top, axis at al from the vertical, goes round
 * with Om if its spin about the axis is n. A is taken about the pivot. */
static void steady_precession(void **state) {
  (void)state;
  const double mass = 2, l = 0.4, C = 0.05, Ac = 0.03, al = 0.6, Om = 2.5;
  const double A = Ac + mass * l * l, n = (A * Om * Om * cos(al) + mass * 9.81 * l) / (C * Om);
  const double s = sin(al), c = cos(al), own = n - Om * c;
  for (int se3 = 0; se3 < 2; se3++) {
    ga_mechanism *m = mechanism_new(down_z);
    ga_mechanism_set_formulation(m, se3 ? GA_FORMULATION_SE3 : GA_FORMULATION_R3SO3);
    ADD(body, m, .name = "top", .mass = mass, .inertia = {Ac, Ac, C}, .position = {l * s, 0, l * c},
        .orientation = TURN_Y(al), .angular_velocity = {own * s, 0, own * c + Om},
        .velocity = {0, Om * l * s, 0});
    ADD(joint, m, .name = "pin", .type = "spherical", .between = {"ground", "top"},
        .at = GA_IN_SPACE(0, 0, 0));
    build(m);
    const double t = 1.3;
    double
        far[2]; /* distance from the circle's point; x alone is at its turn, its error by chance */
    for (int k = 0; k < 2; k++) {
      const double h = k ? 2e-4 : 4e-4;
      far[k] = hypot(result(m, h, t, "top.x") - l * s * cos(Om * t),
                     result(m, h, t, "top.y") - l * s * sin(Om * t));
    }
    assert_second_order("place", far[0], far[1], 0, 1e-3);
    assert_near("height", result(m, 1e-4, t, "top.z"), l * c, 1e-4);
    ga_mechanism_free(m);
  }
}

/* A disk that leans by be on a circle: with Om about the vertical and w about its axis,
 * Om cos be (I_t Om sin be - I_a w) = m r (r w Om cos be + g sin be). */
static void rolling_on_a_circle(void **state) {
  (void)state;
  const double mass = 2, r = 0.5, It = mass * r * r / 4, Ia = mass * r * r / 2, be = 0.3, Om = 1.5;
  const double s = sin(be), c = cos(be);
  const double w = (It * Om * Om * s * c - mass * 9.81 * r * s) / (Om * c * (Ia + mass * r * r));
  /* axis of the disk: (0, c, s) in space, its y axis; m = (0, -s, c) points up in the disk */
  ga_mechanism *m = mechanism_new(down_z);
  ADD(body, m, .name = "disk", .mass = mass, .inertia = {It, Ia, It}, .position = {0, 0, r * c},
      .orientation = TURN_X(be), .angular_velocity = {0, w * c - Om * c * s, w * s + Om * c * c},
      .velocity = {r * w, 0, 0});
  ADD(joint, m, .name = "floor", .type = "rolling_disk", .between = {"ground", "disk"}, .radius = r,
      .axis = GA_ON_B(0, 1, 0));
  build(m);
  /* the centre goes round on a circle of radius r w/Om: x' = r w cos(Om t) */
  const double t = 1.7, radius = r * w / Om;
  assert_second_order("x", result(m, 4e-3, t, "disk.x"), result(m, 2e-3, t, "disk.x"),
                      radius * sin(Om * t), 1e-4);
  assert_second_order("y", result(m, 4e-3, t, "disk.y"), result(m, 2e-3, t, "disk.y"),
                      radius * (1 - cos(Om * t)), 1e-4);
  assert_near("height", result(m, 1e-3, t, "disk.z"), r * c, 1e-5);
  assert_near("weight", result(m, 1e-3, t, "floor.fz"), mass * 9.81, 1e-5);
  ga_mechanism_free(m);
}

/* A homogeneous ball down a slope without slipping: 5/7 g sin al. */
static void rolling_ball(void **state) {
  (void)state;
  const double al = 0.4, r = 0.2, mass = 3;
  const double slope_g[3] = {9.81 * sin(al), 0, -9.81 * cos(al)};
  ga_mechanism *m = mechanism_new(slope_g);
  ADD(body, m, .name = "ball", .mass = mass,
      .inertia = {0.4 * mass * r * r, 0.4 * mass * r * r, 0.4 * mass * r * r},
      .position = {0, 0, r}, .orientation = {0.6, 0.8});
  ADD(joint, m, .name = "floor", .type = "rolling_sphere", .between = {"ground", "ball"},
      .radius = r);
  build(m);
  motion x = started_motion(m, 0.9, 1e-3);
  run_to(&x, 2);
  const double a = 5. / 7 * 9.81 * sin(al);
  assert_near("distance", column(&x, "ball.x"), a * 4 / 2, 1e-9);
  assert_near("spin", column(&x, "ball.wy"), a * 2 / r, 1e-9);
  assert_near("friction", column(&x, "floor.fx"), -2. / 7 * mass * 9.81 * sin(al), 1e-9);
  assert_near("normal", column(&x, "floor.fz"), mass * 9.81 * cos(al), 1e-9);
  end(&x);
  ga_mechanism_free(m);
}

/* The sleigh: a body on a skate through its centre of mass goes round a circle, and the skate
 * pushes with m v w. */
static void skate(void **state) {
  (void)state;
  ga_mechanism *m = mechanism_new(NULL);
  ADD(body, m, .name = "sleigh", .mass = 2, .inertia = {1, 1, 1}, .velocity = {3},
      .angular_velocity = {0, 0, 0.5});
  ADD(joint, m, .name = "ice", .type = "planar", .between = {"ground", "sleigh"},
      .axis = GA_IN_SPACE(0, 0, 1));
  ADD(joint, m, .name = "blade", .type = "knife_edge", .between = {"ground", "sleigh"},
      .direction = GA_ON_B(0, 1, 0));
  build(m);
  const double t = 2;
  assert_second_order("x", result(m, 2e-2, t, "sleigh.x"), result(m, 1e-2, t, "sleigh.x"),
                      6 * sin(0.5 * t), 1e-3);
  assert_near("force", result(m, 1e-2, t, "blade.f"), 2 * 3 * 0.5, 1e-3);
  ga_mechanism_free(m);
}

/* ---- couplers and drives -------------------------------------------------------------------- */

/* position = pitch/(2 pi) angle, over 100 turns; the angle is counted on from its start at 3 turns
 */
static void screw(void **state) {
  (void)state;
  const double pitch = 0.01, inertia = 0.2, mass = 5, torque = 4;
  static const char *const terms[] = {"thread.position", "thread.angle"};
  const double factors[] = {1, -pitch / (2 * pi_)};
  ga_mechanism *m = mechanism_new(NULL);
  ADD(body, m, .name = "nut", .mass = mass, .inertia = {inertia, inertia, inertia});
  ADD(joint, m, .name = "thread", .type = "cylindrical", .between = {"ground", "nut"},
      .axis = GA_IN_SPACE(1, 2, 2), .turns = {3});
  ADD(coupler, m, .name = "screw", .count = 2, .coordinates = terms, .coefficients = factors);
  ADD(force, m, .name = "twist", .type = "torsion", .coordinate = "thread.angle",
      .law = {.constant = torque});
  build(m);
  const double effective = inertia + mass * pitch * pitch / (4 * pi_ * pi_);
  const double t = sqrt(2 * 100 * 2 * pi_ * effective / torque);
  motion x = started_motion(m, 0.9, t / 2000);
  run_to(&x, t);
  assert_near("angle", column(&x, "thread.angle"), 103 * 2 * pi_, 1e-9);
  assert_near("position", column(&x, "thread.position"), 100 * pitch, 1e-9);
  assert_near("x", column(&x, "nut.x"), 100 * pitch / 3, 1e-9);
  /* the screw drives the mass: effort on the position, and what that takes from the angle */
  assert_near("effort", column(&x, "screw.effort"), mass * torque / effective * pitch / (2 * pi_),
              1e-9);
  end(&x);
  ga_mechanism_free(m);
}

/* A gear pair of ratio -3 under a torque: J1 + J2/9 is what it feels. A drive holds a rate. */
static void gears(void **state) {
  (void)state;
  static const char *const terms[] = {"a.angle", "b.angle"};
  static const double factors[] = {1, 3};
  ga_mechanism *m = mechanism_new(NULL);
  ADD(body, m, .name = "one", .mass = 1, .inertia = {0.1, 0.1, 0.1});
  ADD(body, m, .name = "two", .mass = 1, .inertia = {0.9, 0.9, 0.9}, .position = {1});
  ADD(joint, m, .name = "a", .type = "revolute", .between = {"ground", "one"},
      .axis = GA_IN_SPACE(0, 0, 1));
  ADD(joint, m, .name = "b", .type = "revolute", .between = {"ground", "two"},
      .axis = GA_IN_SPACE(0, 0, 1));
  ADD(coupler, m, .name = "mesh", .count = 2, .coordinates = terms, .coefficients = factors);
  ADD(force, m, .name = "motor", .type = "torque", .body = "one", .value = {[2] = {.constant = 2}});
  build(m);
  motion x = started_motion(m, 0.9, 0.01);
  run_to(&x, 1);
  assert_near("first", column(&x, "a.angle"), 0.5 * 2 / 0.2, 1e-10);
  assert_near("ratio", column(&x, "b.angle_rate") / column(&x, "a.angle_rate"), -1. / 3, 1e-12);
  end(&x);
  ga_mechanism_free(m);
}

/* theta' = 2 + t from the start, against a damper: effort = J theta'' + c theta' */
static void rate_drive(void **state) {
  (void)state;
  ga_mechanism *m = mechanism_new(NULL);
  ADD(body, m, .name = "rotor", .mass = 1, .inertia = {0.3, 0.3, 0.3},
      .angular_velocity = {0, 0, 2});
  ADD(joint, m, .name = "a", .type = "revolute", .between = {"ground", "rotor"},
      .axis = GA_IN_SPACE(0, 0, 1));
  ADD(drive, m, .name = "motor", .coordinate = "a.angle", .rate = {.text = "2 + t"});
  ADD(force, m, .name = "oil", .type = "torsion", .coordinate = "a.angle", .damping = 0.7);
  build(m);
  motion x = started_motion(m, 0.9, 0.01);
  run_to(&x, 3);
  assert_near("angle", column(&x, "a.angle"), 2 * 3 + 4.5, 1e-10);
  assert_near("effort", column(&x, "motor.effort"), 0.3 + 0.7 * 5, 1e-10);
  assert_near("friction", column(&x, "oil.effort"), -0.7 * 5, 1e-10);
  assert_true(fabs(column(&x, "a.mz")) < 1e-10);
  end(&x);
  ga_mechanism_free(m);
}

/* ---- what stays constant -------------------------------------------------------------------- */

static ga_mechanism *floating(ga_formulation formulation) {
  static double K[36];
  for (int i = 0; i < 6; i++) K[7 * i] = 30 + i;
  ga_mechanism *m = mechanism_new(NULL);
  ga_mechanism_set_formulation(m, formulation);
  ADD(body, m, .name = "a", .mass = 1, .inertia = {0.2, 0.3, 0.4, 0.02}, .com = {0.1, 0.2},
      .angular_velocity = {1, -2, 3}, .velocity = {0.8 - 0.15, -0.7, 0.4});
  ADD(body, m, .name = "b", .mass = 2, .inertia = {0.5, 0.6, 0.4}, .position = {1, 0.5, -0.2},
      .angular_velocity = {1, -2, 3}, .velocity = {-1.1 + 0.8 - 0.15, 3.2 - 0.7, 2.5 + 0.4});
  ADD(body, m, .name = "c", .mass = 0.5, .type = GA_BODY_POINT, .position = {0, 0, 2},
      .velocity = {0.3, 0.1, 0});
  ADD(joint, m, .name = "ball", .type = "spherical", .between = {"a", "b"},
      .at = GA_IN_SPACE(0.5, 0, 0));
  ADD(force, m, .name = "spring", .type = "spring", .between = {"b", "c"}, .stiffness = 20,
      .length = GA_VALUE(1.5), .at = GA_ON_A(0.2, 0.1, 0));
  ADD(force, m, .name = "bush", .type = "bushing", .between = {"a", "b"},
      .at = GA_IN_SPACE(0.3, 0.2, 0.1), .K = K);
  build(m);
  return m;
}

static void invariants(void **state) {
  (void)state;
  static const char *const momentum[] = {"momentum.x", "momentum.y", "momentum.z"};
  static const char *const second[] = {"angular_momentum.x", "angular_momentum.y",
                                       "angular_momentum.z", "energy.total"};
  for (int se3 = 0; se3 < 2; se3++) {
    ga_mechanism *m = floating(se3 ? GA_FORMULATION_SE3 : GA_FORMULATION_R3SO3);
    motion x = started_motion(m, 1, 1e-2);
    run_to(&x, 0);
    double p0[3], s0[4], e[3][4];
    for (int i = 0; i < 3; i++) p0[i] = column(&x, momentum[i]);
    for (int i = 0; i < 4; i++) s0[i] = column(&x, second[i]);
    end(&x);
    for (int k = 0; k < 3; k++) {
      x = started_motion(m, 0.9, 1e-2 / (1 << k));
      run_to(&x, 2);
      for (int i = 0; i < 4; i++) e[k][i] = fabs(column(&x, second[i]) - s0[i]);
      for (int i = 0; i < 3 && !se3; i++) {
        assert_true(fabs(column(&x, momentum[i]) - p0[i]) < 1e-11);
      }
      end(&x);
    }
    for (int i = 0; i < 4; i++) {
      assert_true(e[2][i] < 1e-3);
      assert_true(slope(e[1][i], e[2][i]) > 1.7);
    }
    ga_mechanism_free(m);
  }
}

/* ---- threads -------------------------------------------------------------------------------- */

static const ga_mechanism *shared;
static void *work(void *out) {
  motion x = started_motion(shared, 0.9, 1e-3);
  run_to(&x, 0.5);
  memcpy(out, x.values, (size_t)ga_mechanism_columns(shared) * sizeof(double));
  end(&x);
  return NULL;
}

/* two integrators in two threads over one mechanism: the same bits as one alone */
static void threads(void **state) {
  (void)state;
  enum { MOST = 400 };
  double values[3][MOST];
  pthread_t thread[2];
  ga_mechanism *m = mechanism_built(&mechanism_list[4], GA_FORMULATION_SE3);
  shared = m;
  assert_true(ga_mechanism_columns(m) <= MOST);
  work(values[2]);
  for (int i = 0; i < 2; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, work, values[i]), 0);
  for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i < 2; i++) {
    assert_memory_equal(values[i], values[2], (size_t)ga_mechanism_columns(m) * sizeof(double));
  }
  ga_mechanism_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(hanging),
                                     cmocka_unit_test(cantilever),
                                     cmocka_unit_test(physical_pendulum),
                                     cmocka_unit_test(double_pendulum_modes),
                                     cmocka_unit_test(steady_precession),
                                     cmocka_unit_test(rolling_on_a_circle),
                                     cmocka_unit_test(rolling_ball),
                                     cmocka_unit_test(skate),
                                     cmocka_unit_test(screw),
                                     cmocka_unit_test(gears),
                                     cmocka_unit_test(rate_drive),
                                     cmocka_unit_test(invariants),
                                     cmocka_unit_test(threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

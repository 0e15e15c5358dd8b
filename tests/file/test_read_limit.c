/* SPDX-License-Identifier: MIT */
/* Soft stops: the effort is that of the formula on both sides, it never pulls and has no jump; its
 * derivatives are exact; a mass between two stops without damping keeps its energy and its period. */
#include "mechanism/mechanism.h"
#include "mechanisms.h"

/* A mass of 2 kg on a guide with stops at -0.1 and 0.2, k = 5000, c given, at s with rate v. */
static ga_file *mass_at(double s, double v, double c) {
  char text[800];
  snprintf(text, sizeof text,
           "genalpha: 1\n"
           "bodies: {m: {mass: 2, inertia: [1, 1, 1], position: [0, 0, %.17g], velocity: [0, 0, "
           "%.17g]}}\n"
           "joints: {g: {type: prismatic, between: [ground, m], axis: [0, 0, 1],\n"
           "             at: {ground: [0, 0, 0], m: [0, 0, 0]}}}\n"
           "limits: {stop: {coordinate: g.position, lower: -0.1, upper: 0.2, stiffness: 5000,\n"
           "                damping: %.17g}}\n",
           s, v, c);
  ga_file *file = NULL;
  ga_error err = {0};
  must(ga_file_parse("m.yaml", text, strlen(text), NULL, &file, &err), &err);
  return file;
}

static double effort_at(double s, double v, double c) {
  ga_file *file = mass_at(s, v, c);
  const ga_mechanism *m = ga_file_mechanism(file);
  double F[20] = {0};
  assert_int_equal(
      ga_model_evaluate(ga_mechanism_model(m), 0, m->q0, m->v0, &(ga_evaluation){.F = F}), 0);
  const double f = F[m->coordinates.item[0].v_at];
  ga_file_free(file);
  return f;
}

static void efforts(void **state) {
  (void)state;
  const struct {
    double s, v, c, effort;
  } list[] = {{0, 3, 100, 0},
              {0.2, 3, 100, 0},
              {0.21, 0, 100, -50},
              {-0.13, 0, 100, 150},
              {0.21, 0.2, 100, -70},
              {0.21, -0.2, 100, -30},
              {-0.13, -0.5, 100, 200},
              {-0.13, 0.5, 100, 100},
              {0.21, 9, 100, -100}, /* at most twice */
              {0.21, -9, 100, 0},
              {-0.13, -99, 100, 300},
              {-0.13, 99, 100, 0},          /* never pulls */
              {0.2 + 1e-9, 5, 100, -1e-5}}; /* no jump */
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    const double f = effort_at(list[i].s, list[i].v, list[i].c);
    assert_true(fabs(f - list[i].effort) <= 1e-9 * (1 + fabs(list[i].effort)));
  }
}

static void derivatives(void **state) {
  (void)state;
  static const double s[] = {-0.2, -0.11, 0.05, 0.23, 0.5}, v[] = {-7, -0.3, 0.1, 8};
  for (int i = 0; i < 5; i++) {
    for (int k = 0; k < 4; k++) {
      ga_file *file = mass_at(s[i], v[k], 60);
      const ga_mechanism *m = ga_file_mechanism(file);
      ga_error err = {0};
      must(ga_model_check_derivatives(ga_mechanism_model(m), 0, m->q0, m->v0, NULL, &err), &err);
      ga_file_free(file);
    }
  }
}

/* Without damping: two free flights over 0.3 m with 1.5 m/s, two half periods pi sqrt(m/k). */
static void bounces(void **state) {
  (void)state;
  ga_file *file = mass_at(0, 1.5, 0);
  const ga_mechanism *m = ga_file_mechanism(file);
  ga_options o = ga_options_default();
  ga_error err = {0};
  ga_integrator *it = NULL;
  o.h = 1e-5;
  must(ga_integrator_new(ga_mechanism_model(m), &o, &it, &err), &err);
  must(ga_integrator_start(it, 0, m->q0, m->v0), ga_integrator_error(it));
  const double period = 2 * 0.3 / 1.5 + 2 * 3.14159265358979 * sqrt(2.0 / 5000);
  must(ga_integrator_run(it, period), ga_integrator_error(it));
  const ga_state *end = ga_integrator_state(it);
  const ga_angle *c = &m->coordinates.item[0];
  assert_true(fabs(end->q[c->q_at]) < 1e-6 && fabs(end->v[c->v_at] - 1.5) < 1e-6);
  ga_integrator_free(it);
  ga_file_free(file);
}

/* Runs the text to t = 1 and gives q and v there; returns their number. */
static int end_of(const char *text, double *x) {
  ga_file *file = NULL;
  ga_error err = {0};
  must(ga_file_parse("m.yaml", text, strlen(text), NULL, &file, &err), &err);
  const ga_mechanism *m = ga_file_mechanism(file);
  ga_options o = ga_options_default();
  ga_integrator *it = NULL;
  o.h = 2e-3;
  must(ga_integrator_new(ga_mechanism_model(m), &o, &it, &err), &err);
  must(ga_integrator_start(it, 0, m->q0, m->v0), ga_integrator_error(it));
  must(ga_integrator_run(it, 1), ga_integrator_error(it));
  const ga_state *end = ga_integrator_state(it);
  const int n = m->nq + m->nv;
  memcpy(x, end->q, (size_t)m->nq * sizeof(double));
  memcpy(x + m->nq, end->v, (size_t)m->nv * sizeof(double));
  ga_integrator_free(it);
  ga_file_free(file);
  return n;
}

#define TWO_BODIES                                                                \
  "genalpha: 1\n"                                                                 \
  "bodies:\n"                                                                     \
  "  a: {mass: 1, inertia: [1, 1, 1], angular_velocity: [0, 0, 3]}\n"             \
  "  b: {mass: 2, inertia: [1, 1, 1], position: [3, 0, 0], velocity: [0, 0, 1], " \
  "angular_velocity: [0, 0, 2]}\n"                                                \
  "initial: {coordinates: {ja.angle: 2*pi}}\n"

/* The keys of a joint are the forces and limits that they stand for, bit by bit; the free value is
 * that of the start, also if `initial` gives it. */
static void keys_of_joints(void **state) {
  (void)state;
  static const char *const keys = TWO_BODIES
      "joints:\n"
      "  ja: {type: revolute, between: [ground, a], axis: [0, 0, 1], stiffness: 4, damping: 0.5,\n"
      "       limits: {upper: 2*pi + 0.3, stiffness: 100, damping: 1}}\n"
      "  jb: {type: cylindrical, between: [ground, b], axis: [0, 0, 1], stiffness: {position: "
      "32},\n"
      "       free: {position: 0.1}, damping: {angle: 0.3},\n"
      "       limits: {position: {lower: -0.05, stiffness: 1e3}}}\n";
  static const char *const forces = TWO_BODIES
      "joints:\n"
      "  ja: {type: revolute, between: [ground, a], axis: [0, 0, 1]}\n"
      "  jb: {type: cylindrical, between: [ground, b], axis: [0, 0, 1]}\n"
      "forces:\n"
      "  f1: {type: torsion, coordinate: ja.angle, stiffness: 4, damping: 0.5}\n"
      "  f2: {type: torsion, coordinate: jb.angle, damping: 0.3}\n"
      "  f3: {type: torsion, coordinate: jb.position, stiffness: 32, free: 0.1}\n"
      "limits:\n"
      "  l1: {coordinate: ja.angle, upper: 2*pi + 0.3, stiffness: 100, damping: 1}\n"
      "  l2: {coordinate: jb.position, lower: -0.05, stiffness: 1e3}\n";
  double x[60], y[60];
  const int n = end_of(keys, x);
  assert_int_equal(n, end_of(forces, y));
  /* the coordinates of both files come in the same order */
  for (int i = 0; i < n; i++) assert_true(fabs(x[i] - y[i]) <= 1e-13 * (1 + fabs(y[i])));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(efforts), cmocka_unit_test(derivatives),
                                     cmocka_unit_test(bounces), cmocka_unit_test(keys_of_joints)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

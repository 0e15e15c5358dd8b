/* SPDX-License-Identifier: MIT */
/* Redundant is not contradictory: doors on several hinges, closed planar linkages in space and
 * trusses with more bars than they need are assembled from perturbed starts; with one dimension
 * wrong they are refused, and what is named stays open by about that much. */
#include "models_all.h"

enum { MODELS = 40 };

/* ---- generated models ----------------------------------------------------------------------- */

typedef struct {
  uint64_t seed;
  double wrong; /* what one dimension is off by; 0: nothing */
  double axis[3], across[3], up[3];
} maker;

static double between(maker *g, double low, double high) {
  return low + (high - low) * 0.5 * (1 + next_uniform(&g->seed));
}

static int pick(maker *g, int low, int high) {
  return low + (int)((high - low + 1) * 0.5 * (1 + next_uniform(&g->seed)));
}

/* three perpendicular directions, turned at random */
static void axes(maker *g) {
  double u[3], length = 0;
  for (int i = 0; i < 3; i++) g->axis[i] = next_uniform(&g->seed), u[i] = next_uniform(&g->seed);
  length = ga_norm3(g->axis);
  for (int i = 0; i < 3; i++) g->axis[i] /= length;
  ga_cross3(g->axis, u, g->across);
  length = ga_norm3(g->across);
  for (int i = 0; i < 3; i++) g->across[i] /= length;
  ga_cross3(g->axis, g->across, g->up);
}

/* along the axis, across and up */
static void combine(const maker *g, double a, double b, double c, double *x) {
  for (int i = 0; i < 3; i++) x[i] = a * g->axis[i] + b * g->across[i] + c * g->up[i];
}

/* A plate on two to four hinges of one axis; wrong: one hinge stands beside the others. */
static void door(maker *g, ga_mechanism *m) {
  const int hinges = pick(g, 2, 4);
  double centre[3];
  axes(g);
  combine(g, 1, 0.4, 0, centre);
  ADD(body, m, .name = "door", .mass = between(g, 1, 30), .inertia = {0.5, 0.7, 0.9},
      .position = {centre[0], centre[1], centre[2]});
  for (int i = 0; i < hinges; i++) {
    const double off = i == hinges - 1 ? g->wrong : 0;
    char name[20];
    double a[3], b[3];
    snprintf(name, sizeof name, "hinge_%d", i + 1);
    combine(g, 2.0 * i / (hinges - 1), off, 0, a);
    combine(g, 2.0 * i / (hinges - 1) - 1, -0.4, 0, b);
    ADD(joint, m, .name = name, .type = "revolute", .between = {"ground", "door"},
        .at = GA_ON_BOTH(a[0], a[1], a[2], b[0], b[1], b[2]),
        .axis = GA_IN_SPACE(g->axis[0], g->axis[1], g->axis[2]));
  }
}

/* A polygon of four to six bars, one of them the ground, hinges parallel; wrong: one of them is
 * shifted along its axis. */
static void polygon(maker *g, ga_mechanism *m) {
  const int bars = pick(g, 4, 6);
  double p[8][3];
  axes(g);
  for (int i = 0; i < bars; i++) {
    const double phi = 2 * pi_ * i / bars + between(g, -0.2, 0.2), r = between(g, 0.6, 1);
    combine(g, 0, r * cos(phi), r * sin(phi), p[i]);
  }
  ga_copy3(p[0], p[bars]);
  for (int i = 1; i <= bars; i++) {
    char name[20], before[20], pin[20];
    double middle[3], a[3], b[3];
    snprintf(before, sizeof before, i > 1 ? "bar%d" : "ground", i - 1);
    snprintf(name, sizeof name, i < bars ? "bar%d" : "ground", i);
    snprintf(pin, sizeof pin, "pin%d", i);
    for (int k = 0; k < 3; k++) middle[k] = i < bars ? 0.5 * (p[i - 1][k] + p[i][k]) : 0;
    if (i < bars) {
      ADD(body, m, .name = name, .mass = between(g, 0.5, 5), .inertia = {0.1, 0.2, 0.15},
          .position = {middle[0], middle[1], middle[2]});
    }
    ga_plus3(p[i - 1], -1, middle, b);
    if (i == 1) {
      ga_copy3(p[0], a);
    } else {
      for (int k = 0; k < 3; k++) a[k] = 0.5 * (p[i - 1][k] - p[i - 2][k]);
    }
    if (i == bars) ga_plus3(b, g->wrong, g->axis, b);
    ADD(joint, m, .name = pin, .type = "revolute", .between = {before, name},
        .at = GA_ON_BOTH(a[0], a[1], a[2], b[0], b[1], b[2]),
        .axis = GA_IN_SPACE(g->axis[0], g->axis[1], g->axis[2]));
  }
}

/* Five or six points, all distances: one or three bars more than a rigid body needs; wrong: one of
 * them is too long. */
static void truss(maker *g, ga_mechanism *m) {
  const int n = pick(g, 5, 6);
  double p[6][3];
  for (int i = 0; i < n; i++) {
    char name[20];
    for (int k = 0; k < 3; k++) p[i][k] = (k == i % 3) * (i < 3 ? 1.0 : -1.0) + between(g, 0, 0.3);
    snprintf(name, sizeof name, "node%d", i);
    ADD(body, m, .name = name, .type = GA_BODY_POINT, .mass = between(g, 0.5, 2),
        .position = {p[i][0], p[i][1], p[i][2]});
  }
  for (int i = 0; i < n; i++) {
    for (int j = i + 1; j < n; j++) {
      char name[32], a[20], b[20];
      double d[3];
      snprintf(name, sizeof name, "bar%d_%d", i, j);
      snprintf(a, sizeof a, "node%d", i);
      snprintf(b, sizeof b, "node%d", j);
      ga_plus3(p[j], -1, p[i], d);
      ADD(joint, m, .name = name, .type = "distance", .between = {a, b},
          .length = {ga_norm3(d) + (i == 0 && j == 1 ? g->wrong : 0), true});
    }
  }
}

static void (*const makers[])(maker *, ga_mechanism *) = {door, polygon, truss};

static ga_mechanism *made(int number, double wrong) {
  maker g = {.seed = (uint64_t)number, .wrong = wrong};
  ga_mechanism *m = mechanism_new(down_z);
  makers[number % 3](&g, m);
  return m;
}

/* ---- assembly ------------------------------------------------------------------------------- */

static void redundant_is_assembled(void **state) {
  (void)state;
  for (int i = 0; i < MODELS; i++) {
    ga_mechanism *m = made(i, 0);
    build(m);
    double *q = calloc((size_t)m->nq, sizeof(double)), *g = calloc((size_t)m->nlam, sizeof(double));
    ga_error err = {0};
    perturbed(m, m->q0, 0.02, (uint64_t)i, q);
    must(ga_mechanism_assemble(m, 0, q, NULL, NULL, NULL, NULL, &err), &err);
    assert_int_equal(ga_mechanism_evaluate(m, 0, q, NULL, &(ga_evaluation){.g = g}), 0);
    assert_true(ga_max_abs(m->nlam, g) < 1e-10 * m->length);
    free(q);
    free(g);
    ga_mechanism_free(m);
  }
}

/* the number behind the first "(by " of a message */
static double named_gap(const char *text) {
  const char *by = strstr(text, "(by ");
  return by ? strtod(by + 4, NULL) : 0;
}

static void contradictory_is_refused(void **state) {
  (void)state;
  static const double wrongs[] = {1e-3, 1e-2, 3e-6};
  for (int i = 0; i < MODELS; i++) {
    const double wrong = wrongs[i / 3 % 3];
    ga_mechanism *m = made(i, wrong);
    ga_error err = {0};
    ga_mechanism_set_assemble(m, true);
    const ga_status status = ga_mechanism_build(m, 0, &err);
    if (status != GA_ERR_INITIAL) fail_msg("model %d: %s", i, ga_status_name(status));
    if (!strstr(err.text, "cannot be closed together")) fail_msg("model %d: %s", i, err.text);
    assert_between("gap over what is wrong", named_gap(err.text) / wrong, 0.02, 1);
    ga_mechanism_free(m);
  }
}

/* the same mechanisms build with assembly on when nothing is wrong, and nothing moves */
static void fitting_starts_stay(void **state) {
  (void)state;
  for (int i = 0; i < MODELS; i++) {
    ga_mechanism *m = made(i, 0);
    ga_mechanism_set_assemble(m, true);
    build(m);
    for (int b = 0; b < ga_mechanism_bodies(m); b++) {
      double moved[2];
      ga_mechanism_moved(m, b, moved);
      assert_true(moved[0] < 1e-12 && moved[1] < 1e-7);
    }
    ga_mechanism_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(redundant_is_assembled),
      cmocka_unit_test(contradictory_is_refused),
      cmocka_unit_test(fitting_starts_stay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

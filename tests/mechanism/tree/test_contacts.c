/* SPDX-License-Identifier: MIT */
/* Contacts and limits in joint coordinates: all derivatives against difference quotients; impacts and forces
 * of a start as in absolute coordinates to rounding, and a motion with changes as h -> 0. */
#include <genalpha/ga_mechanism_contact.h>

#include "random_tree.h"

#define LIMIT(m, ...)                                                                \
  do {                                                                               \
    ga_error own = {0};                                                              \
    must(ga_mechanism_add_limit(m, &(ga_mechanism_limit){__VA_ARGS__}, &own), &own); \
  } while (0)

/* ---- derivatives ---------------------------------------------------------------------------- */

static const double corners[][3] = {{0.2, 0.1, -0.3}, {-0.1, 0.4, 0.2}};

/* A contact of these surfaces between two branches of a tree; a soft one is pressed. */
static ga_mechanism_contact touch(ga_surfaces surfaces, bool soft) {
  ga_mechanism_contact c = {.name = "touch",
                            .between = {"b3", "b4"},
                            .surfaces = surfaces,
                            .normal = GA_IN_SPACE(0.3, 0.5, 0.8),
                            .point = GA_IN_SPACE(soft ? 9 : -9, soft ? 9 : -9, soft ? 9 : -9),
                            .axis = GA_IN_SPACE(0.8, 0.3, -0.2),
                            .friction = 0.4,
                            .stiffness = soft ? 3 : 0,
                            .damping = soft ? 0.2 : 0,
                            .radius = 0.3,
                            .block = {0.2, 0.3, 0.4}};
  if (surfaces == GA_SURFACES_PLANE) c.npoints = 2, c.points = corners[0];
  if (surfaces == GA_SURFACES_SPHERES) c.radius_a = soft ? 9 : 0.01, c.radius = 0.02;
  if (surfaces == GA_SURFACES_INSIDE) c.radius_a = soft ? 0.31 : 9;
  if (surfaces == GA_SURFACES_BLOCK) c.radius = soft ? 5 : 0.02;
  if (surfaces == GA_SURFACES_BLOCK && !soft) c.block[0] = c.block[1] = c.block[2] = 0.02;
  return c;
}

static void check_states(const ga_mechanism *m, const char *what) {
  const ga_model *model = ga_mechanism_model(m);
  const int nv = ga_space_nv(model->space);
  double q[NMAX], v[NMAX], step[NMAX];
  unsigned seed = 11;
  assert_int_equal(ga_mechanism_coordinates(m, NULL), GA_COORDINATES_JOINT);
  for (int k = 0; k < 3; k++) {
    ga_error err = {0};
    random_vector(&seed, nv, 1.5, v);
    random_vector(&seed, nv, 0.2 * k, step);
    ga_space_step(model->space, ga_mechanism_q0(m), step, q);
    if (ga_model_check_derivatives(model, 0.3, q, v, NULL, &err) != GA_OK) {
      fail_msg("%s: %s", what, err.text);
    }
  }
}

static void derivatives(void **state) {
  (void)state;
  for (int kind = GA_SURFACES_PLANE; kind <= GA_SURFACES_BLOCK; kind++) {
    for (unsigned n = 0; n < 6; n++) {
      const bool soft = n % 2;
      const random_tree t = {
          .seed = 40 + n, .first = "revolute", .coordinates = GA_COORDINATES_JOINT};
      ga_mechanism *m = tree_new(&t);
      const ga_mechanism_contact c = touch((ga_surfaces)kind, soft);
      ga_error err = {0};
      char what[64];
      snprintf(what, sizeof what, "surfaces %d, tree %u, %s", kind, t.seed, soft ? "soft" : "hard");
      must(ga_mechanism_add_contact(m, &c, &err), &err);
      LIMIT(m, .name = "stop", .coordinate = "j0.angle", .lower = GA_VALUE(-9));
      must(ga_mechanism_build(m, 0, &err), &err);
      check_states(m, what);
      ga_mechanism_free(m);
    }
  }
}

/* ---- the same motion ------------------------------------------------------------------------ */

/* A turret with an arm of two links. At the start the elbow runs into its limit while the hand, which slides
 * sideways, hits a floor. */
static ga_mechanism *arm(ga_coordinates coordinates) {
  const double turn = 0.7, lift = 1.5, bend = 0.2;
  ga_mechanism *m = mechanism_new(down_z);
  ADD(body, m, .name = "turret", .mass = 3, .inertia = {0.2, 0.3, 0.25},
      .angular_velocity = {0, 0, turn});
  ADD(body, m, .name = "upper", .mass = 1.2, .inertia = {0.02, 0.12, 0.11}, .position = {0.5, 0, 0},
      .velocity = {0, 0.5 * turn, -0.5 * lift}, .angular_velocity = {0, lift, turn});
  ADD(body, m, .name = "lower", .mass = 0.8, .inertia = {0.01, 0.07, 0.08}, .position = {1.5, 0, 0},
      .velocity = {0, 1.5 * turn, -lift - 0.5 * bend}, .angular_velocity = {0, bend, turn});
  ADD(joint, m, .name = "base", .type = "revolute", .between = {"ground", "turret"},
      .at = GA_IN_SPACE(0, 0, 0), .axis = GA_IN_SPACE(0, 0, 1));
  ADD(joint, m, .name = "shoulder", .type = "revolute", .between = {"upper", "turret"},
      .at = GA_IN_SPACE(0, 0, 0), .axis = GA_IN_SPACE(0, 1, 0));
  ADD(joint, m, .name = "elbow", .type = "revolute", .between = {"upper", "lower"},
      .at = GA_IN_SPACE(1, 0, 0), .axis = GA_IN_SPACE(0, 1, 0));
  ga_error err = {0};
  const ga_mechanism_contact floor = {.name = "floor",
                                      .between = {"ground", "lower"},
                                      .point = GA_IN_SPACE(0, 0, -0.05),
                                      .npoints = 1,
                                      .points = (const double[3]){0.5, 0, 0},
                                      .radius = 0.05,
                                      .restitution = 0.9,
                                      .friction = 0.3};
  must(ga_mechanism_add_contact(m, &floor, &err), &err);
  LIMIT(m, .name = "stop", .coordinate = "elbow.angle", .lower = GA_VALUE(0), .upper = GA_VALUE(2),
        .restitution = 0.8);
  assert_int_equal(ga_mechanism_set_coordinates(m, coordinates), GA_OK);
  build(m);
  assert_int_equal(ga_mechanism_coordinates(m, NULL), coordinates);
  return m;
}

static const char *const columns[] = {
    "lower.x",      "lower.y",       "lower.z",  "lower.vx",   "lower.vy",      "lower.vz",
    "lower.wx",     "lower.wz",      "lower.ay", "lower.az",   "upper.aly",     "elbow.angle",
    "floor.n",      "floor.Fx",      "floor.Fy", "floor.slip", "floor.impulse", "stop.n",
    "stop.impulse", "elbow.fx",      "elbow.fz", "elbow.mx",   "shoulder.fz",   "base.mx",
    "energy.total", "energy.impacts"};
enum { COLUMNS = (int)(sizeof columns / sizeof columns[0]) };

/* value <- the columns after a run to t_end */
static void run_arm(ga_coordinates coordinates, double h, double t_end, double value[COLUMNS]) {
  ga_mechanism *m = arm(coordinates);
  ga_options o = ga_options_default();
  ga_integrator *it = NULL;
  ga_error err = {0};
  o.h = h;
  o.rest_time = 1e-9;
  must(ga_integrator_new(ga_mechanism_model(m), &o, &it, &err), &err);
  must(ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)), ga_integrator_error(it));
  if (t_end > 0) must(ga_integrator_run(it, t_end), ga_integrator_error(it));
  for (int i = 0; i < COLUMNS; i++) {
    const int column = ga_mechanism_column_index(m, columns[i]);
    if (column < 0) fail_msg("no column %s", columns[i]);
    value[i] = ga_mechanism_output(m, ga_integrator_state(it), column);
  }
  ga_integrator_free(it);
  ga_mechanism_free(m);
}

/* The impact of two contacts that share a body, and the forces after it. */
static void the_same_impact(void **state) {
  (void)state;
  double a[COLUMNS], j[COLUMNS];
  run_arm(GA_COORDINATES_ABSOLUTE, 1e-3, 0, a);
  run_arm(GA_COORDINATES_JOINT, 1e-3, 0, j);
  for (int i = 0; i < COLUMNS; i++) {
    if (fabs(a[i] - j[i]) > 1e-10 * (1 + fabs(a[i]))) {
      fail_msg("%s: %.15g, not %.15g", columns[i], j[i], a[i]);
    }
  }
  assert_true(a[16] > 0.1 && a[18] > 0.1); /* both have had an impulse */
}

/* Differences are errors of both methods, of order 2. */
static void the_same_motion(void **state) {
  (void)state;
  double a[COLUMNS], j[COLUMNS], apart[2][COLUMNS];
  for (int k = 0; k < 2; k++) {
    const double h = k ? 5e-4 : 2e-3;
    run_arm(GA_COORDINATES_ABSOLUTE, h, 0.4, a);
    run_arm(GA_COORDINATES_JOINT, h, 0.4, j);
    for (int i = 0; i < COLUMNS; i++) apart[k][i] = fabs(a[i] - j[i]);
  }
  for (int i = 0; i < COLUMNS; i++) {
    const bool rounding = apart[0][i] <= 1e-7 * (1 + fabs(a[i]));
    if (!rounding && !(apart[1][i] <= apart[0][i] / 12)) {
      fail_msg("%s: %.3g and %.3g apart", columns[i], apart[0][i], apart[1][i]);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives),
                                     cmocka_unit_test(the_same_impact),
                                     cmocka_unit_test(the_same_motion)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

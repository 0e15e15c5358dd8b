/* SPDX-License-Identifier: MIT */
/* Assembly: the nearest configuration and velocity, what is held, redundant and contradictory rows,
 * start values of files. */
#include "mechanisms.h"

/* ---- a point and curves in the plane -------------------------------------------------------- */

/* rows: the unit circle, as often as wanted, and y = line */
typedef struct {
  int circles;
  double radius[3];
} curves;

static int unit_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  M->val[0] = M->val[3] = 1;
  return 0;
}

static int no_force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)q, (void)v;
  F[0] = F[1] = 0;
  return 0;
}

static int circles(void *user, double t, const double *q, double *g) {
  const curves *c = user;
  (void)t;
  for (int i = 0; i < c->circles; i++) {
    g[i] = (q[0] * q[0] + q[1] * q[1] - c->radius[i] * c->radius[i]) / 2;
  }
  return 0;
}

static const ga_model_ops curve_ops = {.mass = unit_mass, .force = no_force, .holonomic = circles};

static ga_model curve_model(curves *c, ga_space **space) {
  assert_int_equal(ga_space_rn(2, space), GA_OK);
  return (ga_model){.ops = &curve_ops, .user = c, .space = *space, .nlam = c->circles};
}

/* On a circle the nearest point lies on the ray; with weights (4, 1) the normal of the ellipse
 * 4 x^2 + y^2 about the given point is radial. Once, twice and three times the same row. */
static void nearest_point(void **state) {
  (void)state;
  static const double weight[2] = {4, 1};
  for (int n = 1; n <= 3; n++) {
    curves c = {n, {1, 1, 1}};
    ga_space *space;
    ga_model model = curve_model(&c, &space);
    ga_error err = {0};
    double q[2] = {1.3, 0.4}, change[2], r = hypot(1.3, 0.4);
    ga_assembly a = {.change = change};
    must(ga_assemble_position(&model, 0, q, &a, &err), &err);
    assert_near("x", q[0], 1.3 / r, 1e-9);
    assert_near("y", q[1], 0.4 / r, 1e-9);
    assert_near("change", change[0], 1.3 / r - 1.3, 1e-9);
    assert_near("closed", hypot(q[0], q[1]), 1, 1e-14);
    double p[2] = {1.3, 0.4};
    a.weight = weight;
    must(ga_assemble_position(&model, 0, p, &a, &err), &err);
    /* W d is parallel to p */
    assert_true(fabs(4 * (p[0] - 1.3) * p[1] - (p[1] - 0.4) * p[0]) < 1e-6);
    assert_near("closed", hypot(p[0], p[1]), 1, 1e-14);
    assert_true(fabs(p[0] - 1.3) < fabs(q[0] - 1.3));
    ga_space_free(space);
  }
}

static void held_component(void **state) {
  (void)state;
  static const bool hold[2] = {true, false};
  curves c = {2, {1, 1, 1}};
  ga_space *space;
  ga_model model = curve_model(&c, &space);
  ga_error err = {0};
  double q[2] = {0.6, -0.5}, v[2] = {3, 0.1};
  ga_assembly a = {.hold = hold};
  must(ga_assemble_position(&model, 0, q, &a, &err), &err);
  assert_true(q[0] == 0.6);
  assert_near("y", q[1], -0.8, 1e-14);
  must(ga_assemble_velocity(&model, 0, q, v, &a, &err), &err);
  assert_true(v[0] == 3);
  assert_near("vy", v[1], 3 * 0.6 / 0.8, 1e-9);
  /* without the mask the nearest velocity: v - n (n.v) */
  double u[2] = {3, 0.1};
  a.hold = NULL;
  must(ga_assemble_velocity(&model, 0, q, u, &a, &err), &err);
  assert_near("ux", u[0], 3 - 0.6 * (0.6 * 3 - 0.8 * 0.1), 1e-9);
  /* a point out of reach of what is held */
  double far[2] = {1.2, 0.3};
  a.hold = hold;
  assert_int_equal(ga_assemble_position(&model, 0, far, &a, &err), GA_ERR_INITIAL);
  assert_true(far[0] == 1.2 && far[1] == 0.3);
  ga_space_free(space);
}

/* Circles of different radius: refused as contradictory, with both rows and by how much. */
static void contradiction(void **state) {
  (void)state;
  curves c = {2, {1, 1.1, 0}};
  ga_space *space;
  ga_model model = curve_model(&c, &space);
  ga_error err = {0};
  double q[2] = {0.9, 0.2}, open[2];
  ga_assembly a = {.open = open};
  assert_int_equal(ga_assemble_position(&model, 0, q, &a, &err), GA_ERR_INITIAL);
  /* both rows have the same gradient, so they share 1.1^2 - 1 = 0.21 halves */
  assert_near("first", open[0], 0.0525, 1e-3);
  assert_near("second", open[1], -0.0525, 1e-3);
  assert_non_null(strstr(err.text, "contradict"));
  assert_non_null(strstr(err.text, "g[0]"));
  assert_non_null(strstr(err.text, "g[1]"));
  assert_true(q[0] == 0.9 && q[1] == 0.2);
  ga_space_free(space);
}

/* ---- files ---------------------------------------------------------------------------------- */

static const char crank_file[] =
    "genalpha: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  crank:  {kind: planar, mass: 1, inertia: 0.01, position: [0.1, 0.01]}\n"
    "  rod:    {kind: planar, mass: 2, inertia: 0.04, position: [0.44, 0.02], orientation: 0.05}\n"
    "  slider: {kind: planar, mass: 5, inertia: 0.01, position: [0.69, %s]}\n"
    "joints:\n"
    "  bearing: {type: revolute, between: [ground, crank], at: {ground: [0, 0], crank: [-0.1, "
    "0]}}\n"
    "  pin: {type: revolute, between: [crank, rod], at: {crank: [0.1, 0], rod: [-0.25, 0]}}\n"
    "  wrist: {type: revolute, between: [rod, slider], at: {rod: [0.25, 0], slider: [0, 0]}}\n"
    "  guide: {type: prismatic, between: [ground, slider], axis: [1, 0], at: {ground: [0, 0], "
    "slider: [0, 0]}}\n"
    "initial: {assemble: true, %s}\n";

static ga_status crank_with(const char *slider_y, const char *initial, ga_file **file,
                            ga_error *err) {
  char text[2000];
  snprintf(text, sizeof text, crank_file, slider_y, initial);
  return ga_file_parse("crank.yaml", text, strlen(text), NULL, file, err);
}

static double column(const ga_file *file, const char *name) {
  const ga_mechanism *m = ga_file_mechanism(file);
  double *values = columns_at(m, 1e-3, 0);
  const int i = ga_mechanism_column_index(m, name);
  assert_true(i >= 0);
  const double value = values[i];
  free(values);
  return value;
}

/* A crank at 30 degrees with 6 rad/s, in a file that gives neither rod nor slider the right place:
 * everything follows, and neither the angle nor the speed has been touched. */
static void crank_speed_stays(void **state) {
  (void)state;
  ga_file *file = NULL;
  ga_error err = {0};
  must(crank_with("0.003", "coordinates: {bearing.angle: 30 deg}, rates: {bearing.angle: 6}", &file,
                  &err),
       &err);
  const double phi = pi_ / 6, r = 0.2, l = 0.5;
  const double x = r * cos(phi) + sqrt(l * l - r * r * sin(phi) * sin(phi));
  const double rod = -asin(r * sin(phi) / l);
  assert_near("bearing.angle", column(file, "bearing.angle"), phi, 1e-15);
  assert_near("bearing.angle_rate", column(file, "bearing.angle_rate"), 6, 1e-15);
  assert_near("crank.rate", column(file, "crank.rate"), 6, 1e-9);
  assert_near("slider.x", column(file, "slider.x"), x, 1e-10);
  assert_near("rod.angle", column(file, "rod.angle"), rod, 1e-10);
  assert_near("slider.vx", column(file, "slider.vx"),
              -r * 6 * sin(phi) * (1 + r * cos(phi) / (l * cos(rod))), 1e-8);
  double moved[2];
  ga_mechanism_moved(ga_file_mechanism(file), 0, moved);
  assert_near("the crank turned", moved[1], phi, 1e-9);
  ga_file_free(file);
}

static void fixed_body(void **state) {
  (void)state;
  ga_file *file = NULL;
  ga_error err = {0};
  must(crank_with("0.003", "fix: []", &file, &err), &err);
  assert_true(fabs(column(file, "slider.x") - 0.69) > 1e-4);
  ga_file_free(file);
  /* the slider stays; the crank has to turn for it */
  must(crank_with("0", "fix: [slider], rates: {bearing.angle: 2}", &file, &err), &err);
  assert_true(column(file, "slider.x") == 0.69 && column(file, "slider.y") == 0);
  const double r = 0.2, l = 0.5, x = 0.69;
  assert_near("crank", cos(column(file, "crank.angle")), (r * r + x * x - l * l) / (2 * r * x),
              1e-10);
  assert_near("speed", column(file, "bearing.angle_rate"), 2, 1e-15);
  ga_file_free(file);
}

static void refused_with(const char *initial, const char *const *words) {
  ga_file *file = NULL;
  ga_error err = {0};
  assert_int_not_equal(crank_with("0.003", initial, &file, &err), GA_OK);
  for (; *words; words++) {
    if (!strstr(err.text, *words)) fail_msg("'%s' lacks '%s'", err.text, *words);
  }
}

static void wrong_words(void **state) {
  (void)state;
  /* the slider stands 3 mm beside its guide */
  refused_with("fix: [slider]", (const char *[]){"cannot be closed", "'guide' (by 0.003)", NULL});
  refused_with("fix: [slide]", (const char *[]){"initial.fix", "slider", NULL});
  refused_with("fix: slider", (const char *[]){"initial.fix", "list", NULL});
  refused_with("assembly: true", (const char *[]){"unknown key", "assemble, fix", NULL});
  /* two speeds that do not fit: the guide lets the slider have none beside that of the crank */
  refused_with("rates: {bearing.angle: 6, guide.position: 5}",
               (const char *[]){"velocities", "do not fit", "move apart", NULL});
}

/* A chain with a dummy link of almost no mass, as robots have between two hinges of one place, and beside it two
 * arms that follow each other: positions and velocities are found to the same digits, whatever the dummy
 * weighs. */
static void dummy_links(void **state) {
  (void)state;
  static const char format[] =
      "genalpha: 1\n"
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  trunk: {mass: 11, inertia: [0.2, 0.15, 0.12], position: [0, 0, 0]}\n"
      "  dummy: {mass: %s, inertia: [%s, %s, %s], position: [0, 0, -0.3]}\n"
      "  leg: {mass: 3, inertia: [0.04, 0.04, 0.006], position: [0, 0, -0.5]}\n"
      "  left: {mass: 2, inertia: [0.02, 0.02, 0.002], position: [0, 0.3, -0.2]}\n"
      "  right: {mass: 2, inertia: [0.02, 0.02, 0.002], position: [0, -0.3, -0.2]}\n"
      "joints:\n"
      "  yaw: {type: revolute, between: [trunk, dummy], at: [0, 0, -0.3], axis: [0, 0, 1]}\n"
      "  roll: {type: revolute, between: [dummy, leg], at: [0, 0, -0.3], axis: [1, 0, 0]}\n"
      "  l: {type: revolute, between: [trunk, left], at: [0, 0.3, 0], axis: [0, 1, 0]}\n"
      "  r: {type: revolute, between: [trunk, right], at: [0, -0.3, 0], axis: [0, 1, 0]}\n"
      "couplers: {follow: {sum: {l.angle: 1, r.angle: 0.8}, equals: 0.15}}\n"
      "initial: {assemble: true, fix: [trunk], coordinates: {yaw.angle: 0.3, roll.angle: -0.2, "
      "r.angle: "
      "0.4}, rates: {yaw.angle: 0.5, roll.angle: 1, r.angle: -2}}\n";
  static const char *const weights[][2] = {{"0", "0"},         {"1e-2", "1e-3"},  {"1e-7", "1e-7"},
                                           {"1e-9", "1e-12"},  {"1e-9", "1e-3"},  {"1e-12", "1e-9"},
                                           {"1e-15", "1e-15"}, {"1e-30", "1e-30"}};
  for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
    const char *J = weights[i][1];
    char text[2500];
    ga_file *file = NULL;
    ga_error err = {0};
    snprintf(text, sizeof text, format, weights[i][0], J, J, J);
    must(ga_file_parse("dummy.yaml", text, strlen(text), NULL, &file, &err), &err);
    assert_near("left", column(file, "l.angle"), 0.15 - 0.8 * 0.4, 1e-9);
    assert_near("left turns", column(file, "l.angle_rate"), 1.6, 1e-9);
    /* the leg's y = -sin(roll) z in the axes of the dummy, turned by yaw */
    assert_near("leg", column(file, "leg.x"), -0.2 * sin(-0.2) * sin(0.3), 1e-9);
    ga_file_free(file);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nearest_point), cmocka_unit_test(held_component),
      cmocka_unit_test(contradiction), cmocka_unit_test(crank_speed_stays),
      cmocka_unit_test(fixed_body),    cmocka_unit_test(wrong_words),
      cmocka_unit_test(dummy_links),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Joint coordinates against absolute ones and against reference values: all columns at the start of
 * random mechanisms, three mechanisms at their end, differences that fall with the square of h. */
#include "genalpha/ga_extrapolate.h"
#include "genalpha/ga_file.h"
#include "random_tree.h"

/* ---- files ---------------------------------------------------------------------------------- */

typedef struct {
  const char *column;
  double value;
} expected;

static const char mixed[] =
    "{genalpha: 1, gravity: [0, 0, -9.81], bodies: {"
    "cart: {mass: 3, inertia: [.02, .03, .04]},"
    "boom: {mass: 2, inertia: [.15, .01, .15], position: [0, .4, -.1],"
    "  orientation: {axis: [0, 0, 1], angle: .3}},"
    "load: {mass: 1.5, inertia: [.02, .03, .01], position: [.1, .8, -.5],"
    "  orientation: {axis: [1, 1, 0], angle: .5}},"
    "flap: {mass: .7, inertia: [.004, .01, .012], position: [.3, -.2, .1],"
    "  orientation: {axis: [0, 1, 0], angle: .2}}}, joints: {"
    "slide: {type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: [1, .2, 0]},"
    "cross: {type: universal, between: [cart, boom], at: [0, 0, 0], axis: [0, 1, 0],"
    "  x_axis: [1, 0, 0]},"
    "ball: {type: spherical, between: [boom, load], at: [0, .8, -.2]},"
    "hinge: {type: revolute, between: [cart, flap], at: [.1, -.1, 0], axis: [.3, 1, .2]}},"
    "forces: {spring: {type: spring, between: [load, flap], stiffness: 60, at: {"
    "  load: [0.018775825618903726, 0.0012241743810962721, 0.006780100988420896],"
    "  flap: [0.09403327116822294, 0, 0.039468264636330956]}}}}";
static const expected mixed_start[] = {{"cart.ax", 0.2256391323},
                                       {"boom.alx", -14.74713438},
                                       {"load.ax", -0.04421368957},
                                       {"load.ay", -0.1937310035},
                                       {"load.az", -10.91710882},
                                       {"flap.aly", 26.79608104},
                                       {"cross.fx", -2.526691156},
                                       {"cross.fy", -6.161629272},
                                       {"cross.fz", -3.149767728},
                                       {"slide.mx", 1.659857182},
                                       {"slide.my", 0.1560285056},
                                       {"slide.mz", -0.5303394231},
                                       {NULL, 0}};
static const expected mixed_end[] = {{"cart.x", 0.1824718646},
                                     {"load.x", 0.02133786064},
                                     {"load.y", -0.6436950487},
                                     {"load.z", -0.7775358148},
                                     {"flap.wy", -1.071176681},
                                     {"spring.force", 0.3434549332},
                                     {NULL, 0}};

static const char slider[] =
    "{genalpha: 1, gravity: [0, 0, -9.81], parameters: {n: sqrt(5)}, bodies: {"
    "crank: {mass: .12, inertia: [1e-4, 1e-5, 1e-4], position: [0, .1, .16],"
    "  angular_velocity: [12, 0, 0], velocity: [0, -.48, 0]},"
    "rod: {mass: .5, inertia: [4e-4, .004, .004], position: [.1, .05, .1], orientation: {matrix:"
    "  [[2/3, 1/n, 4/(3*n)], [-1/3, 2/n, -2/(3*n)], [-2/3, 0, 5/(3*n)]]},"
    "  angular_velocity: [32/15, -16/15, 8/3], velocity: [.24, -.48, 0]},"
    "slider: {mass: 2, inertia: [1e-4, 2e-4, 3e-4], position: [.2, 0, 0], velocity: [.48, 0, 0]}},"
    "joints: {j_crank: {type: revolute, between: [ground, crank], at: [0, .1, .12],"
    "  axis: [1, 0, 0]},"
    "j_rod: {type: spherical, between: [crank, rod], at: [0, .1, .2]},"
    "j_slider: {type: prismatic, between: [ground, slider], at: [.2, 0, 0], axis: [1, 0, 0]},"
    "l0: {type: spherical, between: [rod, slider], at: [.2, 0, 0]}}}";
static const expected slider_start[] = {
    {"crank.alx", -103.1117631},  {"slider.ax", 1.635529476},  {"j_crank.fx", 0.1185785276},
    {"j_crank.fy", -2.561690336}, {"j_crank.fz", 3.679941322}, {"l0.fx", 3.271058953},
    {"l0.fy", -2.438593197},      {"l0.fz", -5.072690336},     {NULL, 0}};
static const expected slider_end[] = {
    {"slider.x", 0.262910233}, {"slider.vx", 0.6016536526}, {"rod.x", 0.1314551165},
    {"rod.y", 0.01163053303},  {"rod.z", 0.07130415873},    {"l0.fx", 0.4493855516},
    {"l0.fy", -1.784278976},   {"l0.fz", -1.828005554},     {NULL, 0}};

/* ten links on hinges about axes that turn from joint to joint */
static const char hinges[] =
    "{genalpha: 1, gravity: [0, 0, -9.81], repeat: [{index: i, from: 0, to: 9, bodies: {"
    "\"b{i}\": {shape: {box: [1, 0.1, 0.06]}, mass: 1, position: [i + 0.5, 0, 0]}}},"
    "{index: i, from: 1, to: 9, joints: {\"j_b{i}\": {type: revolute, between: [\"b{i-1}\", "
    "\"b{i}\"], at: [i, 0, 0], axis: [0, cos(0.6*i), sin(0.6*i)]}}}],"
    "joints: {j_b0: {type: revolute, between: [ground, b0], at: [0, 0, 0], axis: [0, 1, 0]}}}";
static const expected hinges_start[] = {{"b0.aly", 4.78943573},
                                        {"b9.ay", -0.2127728574},
                                        {"b9.az", -9.216271591},
                                        {"j_b0.fy", -11.34539673},
                                        {"j_b0.fz", -7.503216308},
                                        {"j_b0.my", 18.08180103},
                                        {NULL, 0}};
static const expected hinges_end[] = {{"b4.x", 2.49607436},
                                      {"b4.y", -0.1349064407},
                                      {"b4.z", -3.731080217},
                                      {"b9.x", 7.078073527},
                                      {"b9.y", 0.1114652985},
                                      {"b9.z", -5.046028009},
                                      {"b9.wx", 0.09513509868},
                                      {"b9.wy", 0.4231540328},
                                      {"b9.wz", 1.656894449},
                                      {"j_b0.fx", -60.26449186},
                                      {"j_b0.fy", -121.2119187},
                                      {"j_b0.fz", -1.511380002},
                                      {NULL, 0}};

static ga_file *parse(const char *text, const char *coordinates) {
  const ga_file_options options = {.coordinates = coordinates};
  ga_error err = {0};
  ga_file *file = NULL;
  must(ga_file_parse("text", text, strlen(text), &options, &file, &err), &err);
  return file;
}

static void compare(const ga_mechanism *m, const ga_state *s, const expected *list, double tol) {
  for (; list->column; list++) {
    const double x = ga_mechanism_output(m, s, ga_mechanism_column_index(m, list->column));
    if (!(fabs(x - list->value) <= tol * fmax(1, fabs(list->value)))) {
      fail_msg("%s is %.12g, not %.12g", list->column, x, list->value);
    }
  }
}

static void check_reference(const char *text, double h, double t_end, const expected *start,
                            const expected *end) {
  ga_file *file = parse(text, "joint");
  const ga_mechanism *m = ga_file_mechanism(file);
  assert_int_equal(ga_mechanism_coordinates(m, NULL), GA_COORDINATES_JOINT);
  ga_options o = ga_options_default();
  ga_error err = {0};
  ga_extrapolator *x = NULL;
  must(ga_options_set(&o, "method", "stab2", &err), &err);
  o.h = h;
  must(ga_extrapolator_new(ga_mechanism_model(m), &o, 3, &x, &err), &err);
  must(ga_extrapolator_start(x, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)), NULL);
  compare(m, &ga_extrapolator_state(x)->state, start, 1e-9);
  must(ga_extrapolator_run(x, t_end), ga_extrapolator_error(x));
  compare(m, &ga_extrapolator_state(x)->state, end, 2e-9);
  ga_extrapolator_free(x);
  ga_file_free(file);
}

static void references(void **state) {
  (void)state;
  check_reference(hinges, 2e-3, 1, hinges_start, hinges_end);
  check_reference(mixed, 2e-3, 0.8, mixed_start, mixed_end);
  check_reference(slider, 2e-3, 0.5, slider_start, slider_end);
}

/* Ten links on balls, pushed sideways: all columns at t = 0.5, extrapolated three times, are the same in both
 * coordinates. */
static const char balls[] =
    "{genalpha: 1, gravity: [0, 0, -9.81], repeat: [{index: i, from: 0, to: 9, bodies: {\"b{i}\": "
    "{mass: 1, inertia: [0.01, 0.03, 0.03], position: [(i + 0.5)/2, 0, 0], velocity: [0, (i + "
    "0.5)/10, 0], angular_velocity: [0, 0, 0.2]}}}, {index: i, from: 1, to: 9, joints: {\"j{i}\": "
    "{type: "
    "spherical, between: [\"b{i-1}\", \"b{i}\"], at: [i/2, 0, 0]}}}], joints: {j0: {type: "
    "spherical, "
    "between: [ground, b0], at: [0, 0, 0]}}}";

static void ball_chain(void **state) {
  (void)state;
  enum { MOST = 400 };
  static const char *const kinds[] = {"absolute", "joint"};
  double end[2][MOST];
  int n = 0;
  for (int k = 0; k < 2; k++) {
    ga_file *file = parse(balls, kinds[k]);
    const ga_mechanism *m = ga_file_mechanism(file);
    ga_options o = ga_options_default();
    ga_error err = {0};
    ga_extrapolator *x = NULL;
    o.h = 2e-3;
    must(ga_extrapolator_new(ga_mechanism_model(m), &o, 3, &x, &err), &err);
    must(ga_extrapolator_start(x, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)), NULL);
    must(ga_extrapolator_run(x, 0.5), ga_extrapolator_error(x));
    n = ga_mechanism_columns(m);
    assert_true(n <= MOST);
    assert_int_equal(ga_mechanism_outputs(m, &ga_extrapolator_state(x)->state, end[k]), GA_OK);
    ga_extrapolator_free(x);
    if (k) {
      for (int i = 0; i < n; i++) {
        if (!(fabs(end[0][i] - end[1][i]) <= 2e-9 * fmax(1, fabs(end[0][i])))) {
          fail_msg("%s: %.12g and %.12g", ga_mechanism_column_name(m, i), end[0][i], end[1][i]);
        }
      }
    }
    ga_file_free(file);
  }
  assert_true(n > 200);
}

/* ---- both coordinates ----------------------------------------------------------------------- */

enum { COLUMNS_MAX = 400 };

/* Columns after `steps` steps; their number. */
static int run_columns(const ga_mechanism *m, const char *method, double h, int steps,
                       double *values) {
  ga_options o = ga_options_default();
  ga_error err = {0};
  ga_integrator *it = NULL;
  must(ga_options_set(&o, "method", method, &err), &err);
  o.h = h;
  o.redundant = GA_REDUNDANT_ALLOW;
  must(ga_integrator_new(ga_mechanism_model(m), &o, &it, &err), &err);
  must(ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)), ga_integrator_error(it));
  if (steps > 0) must(ga_integrator_run(it, steps * h), ga_integrator_error(it));
  assert_true(ga_mechanism_columns(m) <= COLUMNS_MAX);
  assert_int_equal(ga_mechanism_outputs(m, ga_integrator_state(it), values), GA_OK);
  ga_integrator_free(it);
  return ga_mechanism_columns(m);
}

/* largest difference of columns, relative to the largest of them */
static double differ(int n, const double *a, const double *b) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most / fmax(1, ga_max_abs(n, a));
}

/* Positions, velocities, accelerations, forces of joints, energies at the start. */
static void same_start(void **state) {
  (void)state;
  int rigid = 0;
  for (unsigned seed = 1; seed < 80; seed++) {
    random_tree t = {.seed = 31 * seed,
                     .signals = seed % 3 == 0,
                     .loop = seed % 2 == 0,
                     .far = seed % 10 == 0 ? 1000 : 0,
                     .first = tree_types[seed % NTREE_TYPE],
                     .coordinates = GA_COORDINATES_ABSOLUTE};
    double a[COLUMNS_MAX], b[COLUMNS_MAX];
    ga_mechanism *m = tree_new(&t);
    build(m);
    const int n = run_columns(m, "stab2", 1e-3, 0, a);
    t.coordinates = GA_COORDINATES_JOINT;
    ga_mechanism *j = tree_new(&t);
    ga_error err = {0};
    const ga_status status = ga_mechanism_build(j, 0, &err);
    if (status == GA_ERR_ARG && strstr(err.text, "joint 'cut' joins bodies that do not move")) {
      ga_mechanism_free(m);
      ga_mechanism_free(j);
      rigid++;
      continue;
    }
    must(status, &err);
    assert_int_equal(run_columns(j, "stab2", 1e-3, 0, b), n);
    for (int i = 0; i < n; i++) {
      assert_string_equal(ga_mechanism_column_name(m, i), ga_mechanism_column_name(j, i));
    }
    /* forces of redundant rows are not unique */
    ga_check check;
    must(ga_mechanism_check(m, 0, ga_mechanism_q0(m), ga_mechanism_v0(m), NULL, NULL, &check, &err),
         &err);
    const int forces = ga_mechanism_column_index(m, "j0.fx");
    const double d = differ(check.redundant > 0 ? forces : n, a, b);
    if (d > (t.far > 0 ? 1e-10 : 1e-12)) fail_msg("seed %u: columns differ by %.2g", seed, d);
    ga_mechanism_free(m);
    ga_mechanism_free(j);
  }
  assert_true(rigid < 8);
}

/* The difference of the two falls by 4 with h/2, in all columns together. */
static void order_two(void **state) {
  (void)state;
  static const char *const methods[] = {"stab2", "index3"};
  static const char *const files[] = {hinges, mixed, slider};
  for (int k = 0; k < 6; k++) {
    double d[2];
    for (int half = 0; half < 2; half++) {
      double a[COLUMNS_MAX], b[COLUMNS_MAX];
      ga_file *fa = parse(files[k / 2], "absolute"), *fj = parse(files[k / 2], "joint");
      const double h = 2e-3 / (1 << half);
      const int steps = 200 << half;
      const int n = run_columns(ga_file_mechanism(fa), methods[k % 2], h, steps, a);
      run_columns(ga_file_mechanism(fj), methods[k % 2], h, steps, b);
      d[half] = differ(n, a, b);
      ga_file_free(fa);
      ga_file_free(fj);
    }
    if (!(d[0] / d[1] > 3.4 && d[0] / d[1] < 4.6)) {
      fail_msg("file %d, %s: %.3g, %.3g", k / 2, methods[k % 2], d[0], d[1]);
    }
  }
}

/* ---- long trees ----------------------------------------------------------------------------- */

/* 1,000 hinges: M has a condition of more than 1e14, but the recursion solves with it. When
 * it is let go, the bodies near the ground do not feel the far end: their accelerations are those of
 * a chain of 100, whose M is harmless. */
static void long_chain(void **state) {
  (void)state;
  static const char text[] =
      "{genalpha: 1, gravity: [0, 0, -9.81], parameters: {N: %d}, repeat: [{index: i, from: 1, to: "
      "N,"
      " bodies: {\"b{i}\": {mass: 1, inertia: [0.01, 0.03, 0.03], position: [(i - 0.5)/2, 0, 0]}}},"
      "{index: i, from: 2, to: N, joints: {\"j{i}\": {type: revolute, between: [\"b{i-1}\", "
      "\"b{i}\"],"
      " at: [(i - 1)/2, 0, 0], axis: [0, cos(i), sin(i)]}}}], joints: {j1: {type: revolute, "
      "between:"
      " [ground, b1], at: [0, 0, 0], axis: [0, cos(1), sin(1)]}}}";
  static const char *const columns[] = {"b1.az", "b1.aly", "b5.ay", "b5.az", "b20.az"};
  double near[5], far[5];
  for (int k = 0; k < 2; k++) {
    char own[sizeof text + 20];
    snprintf(own, sizeof own, text, k ? 1000 : 100);
    ga_file *file = parse(own, "auto");
    const ga_mechanism *m = ga_file_mechanism(file);
    assert_int_equal(ga_mechanism_coordinates(m, NULL), GA_COORDINATES_JOINT);
    ga_options o = ga_options_default();
    ga_error err = {0};
    ga_integrator *it = NULL;
    must(ga_integrator_new(ga_mechanism_model(m), &o, &it, &err), &err);
    must(ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)),
         ga_integrator_error(it));
    for (int i = 0; i < 5; i++) {
      const int column = ga_mechanism_column_index(m, columns[i]);
      (k ? far : near)[i] = ga_mechanism_output(m, ga_integrator_state(it), column);
    }
    must(ga_integrator_run(it, 5e-3), ga_integrator_error(it));
    assert_true(ga_integrator_stats(it)->newton_its <= 15);
    ga_integrator_free(it);
    ga_file_free(file);
  }
  for (int i = 0; i < 5; i++) {
    if (!(fabs(near[i] - far[i]) <= 1e-8 * fmax(1, fabs(near[i])))) {
      fail_msg("%s: %.12g of 100, %.12g of 1000", columns[i], near[i], far[i]);
    }
  }
}

/* ---- loops far away ------------------------------------------------------------------------- */

/* Rows of a cut joint are differences of places, rounded like these: a body on a ball joint and a plane
 * has the same forces at the origin, 13 m and 1.3 km away, with small steps, too. */
static void far_loop(void **state) {
  (void)state;
  static const char text[] =
      "{genalpha: 1, gravity: [0, 0, -9.81], parameters: {X: %g}, bodies: {b: {mass: 1, inertia: "
      "[0.1, 0.1, 0.1], position: [556.55*X, 669.28*X, -903.655*X], orientation: "
      "{rotation_vector: [0.3, -1.4, -1.7]}}}, joints: {s: {type: spherical, between: [ground, b],"
      " at: [556.55*X - 0.11, 669.28*X + 0.12, -903.655*X]}, p: {type: point_on_plane, between: "
      "[ground, b], at: [556.55*X, 669.28*X, -903.655*X], axis: [0.265, 0.47, 0.986]}}}";
  static const double places[] = {0, 0.01, 1}, steps[] = {1e-3, 2e-4};
  for (int h = 0; h < 2; h++) {
    double near[2] = {0};
    for (int k = 0; k < 3; k++) {
      char own[sizeof text + 20];
      snprintf(own, sizeof own, text, places[k]);
      ga_file *file = parse(own, "joint");
      const ga_mechanism *m = ga_file_mechanism(file);
      ga_options o = ga_options_default();
      o.method = "stab2", o.h = steps[h];
      ga_error err = {0};
      ga_integrator *it = NULL;
      must(ga_integrator_new(ga_mechanism_model(m), &o, &it, &err), &err);
      must(ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)),
           ga_integrator_error(it));
      must(ga_integrator_run(it, 0.256), ga_integrator_error(it));
      static const char *const columns[] = {"s.fx", "p.fz"};
      for (int i = 0; i < 2; i++) {
        const int column = ga_mechanism_column_index(m, columns[i]);
        const double x = ga_mechanism_output(m, ga_integrator_state(it), column);
        if (k == 0) near[i] = x;
        if (!(fabs(x - near[i]) <= 1e-7)) {
          fail_msg("%s: %.12g, at the origin %.12g", columns[i], x, near[i]);
        }
      }
      ga_integrator_free(it);
      ga_file_free(file);
    }
  }
}

/* ---- refusals ------------------------------------------------------------------------------- */

static void refused(const char *text, const char *sentence) {
  const ga_file_options options = {.coordinates = "joint"};
  ga_error err = {0};
  ga_file *file = NULL;
  assert_int_equal(ga_file_parse("text", text, strlen(text), &options, &file, &err), GA_ERR_FILE);
  if (!strstr(err.text, sentence)) fail_msg("%s", err.text);
  const ga_file_options automatic = {.coordinates = "auto"};
  must(ga_file_parse("text", text, strlen(text), &automatic, &file, &err), &err);
  assert_int_equal(ga_mechanism_coordinates(ga_file_mechanism(file), NULL),
                   GA_COORDINATES_ABSOLUTE);
  ga_file_free(file);
}

static void refusals(void **state) {
  (void)state;
  refused("{genalpha: 1, bodies: {disk: {kind: planar, mass: 1, inertia: 1, position: [0, 0]}}}",
          "coordinates: joint: planar body 'disk'");
  refused(
      "{genalpha: 1, bodies: {arm: {mass: 1, inertia: [1, 1, 1]}, hub: {mass: 0, "
      "inertia: [0, 0, 0]}}, joints: {"
      "a: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1]},"
      "b: {type: revolute, between: [arm, hub], at: [1, 0, 0], axis: [0, 0, 1]},"
      "c: {type: revolute, between: [ground, hub], at: [1, 1, 0], axis: [0, 0, 1]}},"
      "run: {redundant: allow}}",
      "coordinates: joint: body 'hub' has no mass and nothing beyond it has; use absolute");
  refused(
      "{genalpha: 1, gravity: [0, 0, -9.81], bodies: {sign: {mass: 1, inertia: [1, 1, 1]}}, "
      "joints: {bolt: {type: fixed, between: [ground, sign]}}}",
      "coordinates: joint: no body can move; use absolute");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(references), cmocka_unit_test(ball_chain),
                                     cmocka_unit_test(same_start), cmocka_unit_test(order_two),
                                     cmocka_unit_test(long_chain), cmocka_unit_test(far_loop),
                                     cmocka_unit_test(refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

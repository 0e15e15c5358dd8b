/* SPDX-License-Identifier: MIT */
/* The check of a mechanism: each number and sentence for models where the answer is known by hand.
 */
#include "models_all.h"
#include "statics/statics.h"

/* everything that was said, and how much of it as a warning */
typedef struct speech {
  char text[6000];
  size_t used;
  int warnings;
} speech;

static void hear(void *context, ga_log_level level, const char *text) {
  speech *s = context;
  const int n = snprintf(s->text + s->used, sizeof s->text - s->used, "%s\n", text);
  assert_true(n > 0 && (size_t)n < sizeof s->text - s->used);
  s->used += (size_t)n;
  if (level == GA_LOG_WARNING) s->warnings++;
}

static void says(const speech *s, const char *words) {
  if (!strstr(s->text, words)) fail_msg("'%s' is not said in:\n%s", words, s->text);
}

static void says_not(const speech *s, const char *words) {
  if (strstr(s->text, words)) fail_msg("'%s' is said in:\n%s", words, s->text);
}

static ga_check checked_at(const ga_mechanism *m, const double *q, const double *v, speech *s) {
  ga_check c;
  ga_error err = {0};
  *s = (speech){.used = 0};
  must(ga_mechanism_check(m, 0, q, v, hear, s, &c, &err), &err);
  assert_int_equal(c.warnings, s->warnings);
  assert_true(c.derivatives_ok);
  return c;
}

static ga_check checked(const ga_mechanism *m, speech *s) {
  return checked_at(m, m->q0, m->v0, s);
}

static ga_check checked_model(const char *name, speech *s) {
  ga_file *file = model_loaded(name, NULL, 0);
  const ga_check c = checked(ga_file_mechanism(file), s);
  ga_file_free(file);
  return c;
}

/* A rod of 1 m that hangs at its end: one degree of freedom, omega^2 = 3 g/(2 l). */
static void hanging_rod(void **state) {
  (void)state;
  ga_mechanism *m = mechanism_new(down_z);
  use_absolute(m);
  speech s;
  ADD(body, m, .name = "rod", .mass = 2, .inertia = {2.0 / 12, 2.0 / 12, 0},
      .position = {0, 0, -0.5});
  ADD(joint, m, .name = "pin", .type = "revolute", .between = {"ground", "rod"},
      .at = GA_IN_SPACE(0, 0, 0), .axis = GA_IN_SPACE(0, 1, 0));
  want(m, "pin.angle");
  ga_check c;
  ga_error err = {0};
  assert_int_equal(ga_mechanism_check(m, 0, NULL, NULL, hear, &s, &c, &err), GA_ERR_ARG);
  build(m);
  c = checked(m, &s);
  assert_int_equal(c.bodies, 1);
  assert_int_equal(c.joints, 1);
  assert_int_equal(c.coordinates, 1);
  assert_int_equal(c.velocities, 7);
  assert_int_equal(c.rows, 6);
  assert_int_equal(c.gruebler, 1);
  assert_int_equal(c.freedom, 1);
  assert_int_equal(c.redundant, 0);
  assert_int_equal(c.loose, 0);
  assert_int_equal(c.warnings, 0);
  assert_near("length", c.length, 0.5, 1e-15);
  assert_true(c.gap == 0 && c.slip == 0 && c.lightest == 2 && c.heaviest == 2);
  assert_near("slowest", c.slowest, sqrt(1.5 * 9.81), 1e-10);
  assert_near("fastest", c.fastest, sqrt(1.5 * 9.81), 1e-10);
  assert_near("h", c.h, 2 * pi_ / sqrt(1.5 * 9.81) / 40, 1e-10);
  says(&s, "It has 1 degree of freedom: 7 velocities, 6 independent equations.");
  says(&s, "The fastest vibration or decay at the start takes 1.64 s");
  says_not(&s, "Counting alone");
  /* 2 rad/s about the hinge: faster is nothing, but the rotation lasts no longer than that */
  double v[7] = {0};
  for (int i = 0; i < 7; i++) v[i] = m->v0[i];
  v[0] = 0.01;
  c = checked_at(m, m->q0, v, &s);
  assert_near("slip", c.slip, 0.01, 1e-12);
  ga_mechanism_free(m);
}

/* A joint that is open by 3 mm at the state that is asked about. */
static void open_joint(void **state) {
  (void)state;
  ga_mechanism *m = mechanism_new(down_y);
  use_absolute(m);
  speech s;
  add_pendulum(m);
  build(m);
  double q[8];
  memcpy(q, m->q0, (size_t)m->nq * sizeof(double));
  q[m->bodies.item[1].q_at] += 3e-3;
  const ga_check c = checked_at(m, q, m->v0, &s);
  assert_near("gap", c.gap, 3e-3 / m->length, 1e-12);
  assert_int_equal(c.warnings, 1);
  says(&s, "is open by 0.003: it needs to be assembled");
  says(&s, "joint pin, row 1 is");
  /* gravity along the hinge's axis: nothing vibrates, and rounding is not taken for it */
  assert_true(c.fastest == 0 && c.h == 0);
  says_not(&s, "All joints are closed");
  ga_mechanism_free(m);
}

/* Counting and truth in the overconstrained models that come along, by hand: a door on three hinges
 * of 5 rows each has 6 velocities and one coordinate; Bricard's five rods have 30 and six hinges 30
 * rows; a truss has one bar too many in each of its four bays. */
static void redundancy(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int gruebler, freedom, redundant;
    const char *words[2];
  } rows[] = {
      {"door",
       -9,
       1,
       10,
       {"joint 'middle': 5 of its 5 rows follow from", "of its 16 equations 10"}},
      {"bricard", 0, 1, 1, {"1 of its 5 rows follows from", "of its 30 equations 1 follows"}},
      {"truss", -2, 2, 4, {"of its 35 equations 4 follow", "'fall1'"}},
      {"slider-crank-hinged",
       -2,
       1,
       3,
       {"of its 20 equations 3 follow", "joint 'guide': 2 of its 5 rows follow from"}},
      {"four-bar", 1, 1, 0, {"1 degree of freedom", "well posed"}}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    speech s;
    const ga_check c = checked_model(rows[i].name, &s);
    assert_int_equal(c.gruebler, rows[i].gruebler);
    assert_int_equal(c.freedom, rows[i].freedom);
    assert_int_equal(c.redundant, rows[i].redundant);
    assert_int_equal(c.gruebler, c.velocities - c.rows);
    for (int k = 0; k < 2; k++) says(&s, rows[i].words[k]);
  }
}

/* A mass on a spring is connected, one without anything is not. */
static void loose_bodies(void **state) {
  (void)state;
  ga_mechanism *m = mechanism_new(NULL);
  speech s;
  ADD(body, m, .name = "held", .type = GA_BODY_POINT, .mass = 3, .position = {1, 0, 0});
  ADD(body, m, .name = "lost", .type = GA_BODY_POINT, .mass = 0.5, .position = {2, 0, 0});
  ADD(force, m, .name = "spring", .type = "spring", .between = {"ground", "held"}, .stiffness = 48);
  build(m);
  const ga_check c = checked(m, &s);
  assert_int_equal(c.loose, 1);
  assert_int_equal(c.freedom, 6);
  assert_int_equal(c.warnings, 1);
  assert_true(c.lightest == 0.5 && c.heaviest == 3);
  assert_near("fastest", c.fastest, 4, 1e-10);
  assert_near("condition", c.condition, 1, 1e-12);
  says(&s, "Body 'lost' is connected to nothing");
  says_not(&s, "'held'");
  ga_mechanism_free(m);
}

/* M^-1/2 .. of a point on a rod: [1, n; n^T, 0] has the eigenvalues 1, 1, (1 +- sqrt 5)/2. */
static void condition(void **state) {
  (void)state;
  ga_mechanism *m = mechanism_new(down_z);
  speech s;
  ADD(body, m, .name = "bob", .type = GA_BODY_POINT, .mass = 1e-3, .position = {0.3, 0, -0.4});
  ADD(joint, m, .name = "rod", .type = "distance", .between = {"ground", "bob"});
  build(m);
  const ga_check c = checked(m, &s);
  const double golden = (1 + sqrt(5)) / 2;
  assert_near("condition", c.condition, golden * golden, 1e-2);
  assert_int_equal(c.freedom, 2);
  says(&s, "well posed (condition 3)");
  ga_mechanism_free(m);
}

/* kilograms beside milligrams, gravity in millimetres, an inertia in g mm^2 and one in t m^2 */
static void units(void **state) {
  (void)state;
  static const struct {
    double mass, inertia, gravity;
    const char *words; /* NULL: nothing is odd */
  } rows[] = {{1e6, 1e6 / 3, 9.81, NULL},
              {1.01e6, 1e6 / 3, 9.81, "Masses go from 1 to 1.01e+06"},
              {1, 1.0 / 3, 9810, "Gravity is 9810, as in millimetres"},
              {1, 1.0 / 3, 981, NULL},
              {1, 3e3, 9.81, "Body 'rod': an inertia of 3e+03 is that of a body 190 long"},
              {1, 2e-8, 9.81, "Body 'rod': an inertia of 2e-08"},
              {1, 1e-3, 9.81, NULL}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const double gravity[3] = {0, -rows[i].gravity, 0};
    ga_mechanism *m = mechanism_new(gravity);
    speech s;
    ADD(body, m, .name = "rod", .type = GA_BODY_PLANAR, .mass = rows[i].mass,
        .inertia = {0, 0, rows[i].inertia}, .position = {0.5, 0});
    ADD(body, m, .name = "bob", .type = GA_BODY_PLANAR, .mass = 1, .inertia = {0, 0, 0.1},
        .position = {1, 0});
    ADD(joint, m, .name = "pin", .type = "revolute", .between = {"ground", "rod"},
        .at = GA_IN_SPACE(0, 0, 0));
    ADD(joint, m, .name = "end", .type = "revolute", .between = {"rod", "bob"},
        .at = GA_IN_SPACE(1, 0, 0));
    build(m);
    const ga_check c = checked(m, &s);
    assert_int_equal(c.warnings, rows[i].words != NULL);
    if (rows[i].words) says(&s, rows[i].words);
    ga_mechanism_free(m);
  }
}

/* Masses and springs in a line between two walls, omega = 2 sqrt(k/m) sin(j pi/(2 (n + 1))): all
 * modes of a short one, the fastest alone of a long one. */
static void fastest_of_many(void **state) {
  (void)state;
  static const int sizes[] = {20, 400};
  for (int i = 0; i < 2; i++) {
    const int n = sizes[i];
    ga_mechanism *m = mechanism_new(NULL);
    speech s;
    for (int k = 0; k <= n; k++) {
      char body[16], before[16] = "ground", spring[16];
      if (k > 0) snprintf(before, sizeof before, "m%d", k - 1);
      snprintf(body, sizeof body, k < n ? "m%d" : "ground", k);
      snprintf(spring, sizeof spring, "s%d", k);
      if (k < n) {
        ADD(body, m, .name = body, .type = GA_BODY_POINT, .mass = 0.25,
            .position = {k + 1.0, 0, 0});
      }
      ADD(force, m, .name = spring, .type = "spring", .between = {before, body},
          .at = GA_ON_B(k < n ? 0 : n + 1.0, 0, 0), .stiffness = 100);
    }
    build(m);
    const ga_check c = checked(m, &s);
    const double exact = 40 * sin(n * pi_ / (2 * (n + 1)));
    assert_near("fastest", c.fastest, exact, n > 100 ? 5e-3 * exact : 1e-9);
    assert_near("h", c.h, 2 * pi_ / c.fastest / 40, 1e-12);
    assert_true(n > 100 ? c.slowest == 0 : fabs(c.slowest - 40 * sin(pi_ / (2 * (n + 1)))) < 1e-8);
    says(&s, "The fastest vibration or decay at the start takes 0.15");
    ga_mechanism_free(m);
  }
}

/* Without a basis of the tangent space and with one: moving, damped, rolling, redundant models. */
static int compared;

static void same_fastest(const char *name, const ga_file *file) {
  const ga_mechanism *m = ga_file_mechanism(file);
  speech s;
  ga_error err = {0};
  const ga_check c = checked(m, &s);
  if (m->absolute) m = m->absolute; /* which the check looks at */
  double fastest;
  must(ga_fastest_mode(&m->model, 0, m->q0, m->v0, &fastest, &err), &err);
  if (c.freedom == 0) return;
  if (fabs(fastest - c.fastest) > 1e-9 * c.fastest) {
    fail_msg("%s: %.12g, by all modes %.12g", name, fastest, c.fastest);
  }
  compared += c.fastest > 0;
}

static void fastest_of_models(void **state) {
  (void)state;
  assert_true(each_model(same_fastest) >= 22);
  assert_true(compared >= 16);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hanging_rod),     cmocka_unit_test(open_joint),
      cmocka_unit_test(redundancy),      cmocka_unit_test(loose_bodies),
      cmocka_unit_test(condition),       cmocka_unit_test(units),
      cmocka_unit_test(fastest_of_many), cmocka_unit_test(fastest_of_models)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

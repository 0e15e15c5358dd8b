/* SPDX-License-Identifier: MIT */
/* Corners that the model tells: pieces between them, each smooth, so that the accuracy is reached. */
#include "support.h"

static const double corners[] = {1.234, 3.75, 3.8, 7.7};

/* A force that jumps at each corner: 0, 1, -2, 0, 3. */
static double input(double t) {
  static const double value[] = {0, 1, -2, 0, 3};
  int i = 0;
  while (i < 4 && t >= corners[i]) i++;
  return value[i];
}

static int mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  M->val[0] = 1;
  return 0;
}

static int force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)v;
  F[0] = -q[0] + input(t);
  return 0;
}

/* q'' = -q + input from q = 0.5, v = 0: a turn about each value of the input. */
static void exact(double t, double *q, double *v) {
  double from = 0, x = 0.5, y = 0;
  for (int i = 0; i <= 4; i++) {
    double to = i < 4 ? fmin(t, corners[i]) : t, c = input(from), s = to - from;
    double turned = c + (x - c) * cos(s) + y * sin(s);
    y = -(x - c) * sin(s) + y * cos(s);
    x = turned;
    from = to;
    if (to == t) break;
  }
  *q = x, *v = y;
}

static ga_solution *solved(const ga_space *space, const double *told, int n, double A,
                           ga_model *model) {
  static const ga_model_ops ops = {.mass = mass, .force = force};
  *model = (ga_model){.ops = &ops, .space = space, .const_mass = true};
  model->corners = told, model->ncorners = n;
  ga_options o = ga_options_default();
  ga_solution *s = NULL;
  ga_error err = {0};
  const double q0 = 0.5, v0 = 0;
  o.accuracy = A;
  o.accuracy_steps = 1e5;
  must(ga_solution_new(model, &o, &s, &err), &err);
  must(ga_solution_solve(s, 0, &q0, &v0, 10), ga_solution_error(s));
  return s;
}

/* With corners told, every accuracy is reached, at the nodes, between them and at the corners, on
 * both sides; v' is that of its own side. */
static void test_corners_told(void **state) {
  (void)state;
  ga_space *space = NULL;
  must(ga_space_rn(1, &space), NULL);
  for (int digits = 2; digits <= 10; digits += 2) {
    double A = pow(10, -digits), worst = 0;
    ga_model model;
    ga_solution *s = solved(space, corners, 4, A, &model);
    const ga_accuracy *a = ga_solution_accuracy(s);
    if (a->verdict != GA_VERDICT_REACHED) fail_msg("%s", a->text);
    for (int k = 0; k <= 1000; k++) {
      double t = 0.01 * k, q, v;
      exact(t, &q, &v);
      ga_state at = ga_solution_at(s, t);
      worst = fmax(worst, fmax(fabs(at.q[0] - q), fabs(at.v[0] - v)));
      if (fabs(t - 3.8) > 1e-9 && fabs(t - 3.75) > 1e-9 && fabs(t - 7.7) > 1e-9) {
        assert_true(fabs(at.vd[0] - (-q + input(t))) <= 10 * A);
      }
    }
    if (!(worst <= 2 * 4 * A)) fail_msg("A = %g: %g", A, worst); /* largest |q|, |v|: about 4 */
    ga_solution_free(s);
  }
  ga_space_free(space);
}

/* Not told, they cost the order, and that is said. */
static void test_corners_hidden(void **state) {
  (void)state;
  ga_space *space = NULL;
  ga_model model;
  must(ga_space_rn(1, &space), NULL);
  ga_solution *s = solved(space, NULL, 0, 1e-8, &model);
  const ga_accuracy *a = ga_solution_accuracy(s);
  assert_true(a->verdict != GA_VERDICT_REACHED && a->error > 1e-8);
  ga_solution_free(s);
  ga_space_free(space);
}

/* Corners that differ from others, or from the start, by rounding cut no pieces of their own. max(0, t)
 * has one at the first number above 0. */
static void test_corners_of_rounding(void **state) {
  (void)state;
  static const double told[] = {0x1p-1074, 1.234, 1.234 + 0x1p-50, 3.75, 3.8, 7.7};
  ga_space *space = NULL;
  ga_model model;
  double q, v;
  must(ga_space_rn(1, &space), NULL);
  ga_solution *s = solved(space, told, 6, 1e-8, &model);
  const ga_accuracy *a = ga_solution_accuracy(s);
  if (a->verdict != GA_VERDICT_REACHED) fail_msg("%s", a->text);
  exact(10, &q, &v);
  const ga_state at = ga_solution_at(s, 10);
  assert_true(fabs(at.q[0] - q) <= 8e-8 && fabs(at.v[0] - v) <= 8e-8);
  ga_solution_free(s);
  ga_space_free(space);
}

/* Forces of time alone, in [0, 1]: slow; with a bump as narrow as a hundredth of the time on it. */
static const double bump_at = 0.3717, bump_width = 0.01;
static double bump_height;

static int slow_force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)q, (void)v;
  double x = (t - bump_at) / bump_width;
  F[0] = cos(2 * t);
  if (fabs(x) < 0.5) F[0] += bump_height * pow(1 - 4 * x * x, 4);
  return 0;
}

/* v from rest at t = 1; the bump's integral is 128/315 of height times width. */
static double final_speed(void) {
  return sin(2) / 2 + bump_height * bump_width * 128.0 / 315;
}

/* A slow motion takes few steps, whether its forces depend on time or not: a pilot of 16, and runs of
 * 16, 32 and 48. A bump is not stepped over: one that moves v by 5 A or more is met or told. */
static void test_slow_and_narrow(void **state) {
  (void)state;
  static const ga_model_ops ops = {.mass = mass, .force = slow_force};
  static const double zero = 0;
  ga_space *space = NULL;
  must(ga_space_rn(1, &space), NULL);
  const ga_model model = {.ops = &ops, .space = space, .const_mass = true};
  for (int digits = 2; digits <= 6; digits += 2) {
    for (int k = 0; k < 4; k++) {
      ga_options o = ga_options_default();
      ga_solution *s = NULL;
      ga_error err = {0};
      o.accuracy = pow(10, -digits);
      bump_height = k == 0 ? 0 : o.accuracy * pow(10, 2 + k);
      must(ga_solution_new(&model, &o, &s, &err), &err);
      must(ga_solution_solve(s, 0, &zero, &zero, 1), ga_solution_error(s));
      const ga_accuracy *a = ga_solution_accuracy(s);
      double error = fabs(ga_solution_end(s).v[0] / final_speed() - 1);
      if (a->verdict == GA_VERDICT_REACHED && !(error <= 5 * o.accuracy)) {
        fail_msg("A = %g, bump %g: %g; %s", o.accuracy, bump_height, error, a->text);
      }
      if (k == 0) assert_int_equal(a->verdict, GA_VERDICT_REACHED);
      if (k == 0 && digits == 2 && a->steps > 112) fail_msg("%s", a->text);
      ga_solution_free(s);
    }
  }
  ga_space_free(space);
}

static int spring(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)v;
  F[0] = -q[0];
  return 0;
}

/* After 50 periods the pilot is far off, by a phase that its number of steps explains: no better one
 * is needed. */
static void test_phase_is_no_branch(void **state) {
  (void)state;
  static const ga_model_ops ops = {.mass = mass, .force = spring};
  static const double one = 1, zero = 0;
  ga_space *space = NULL;
  ga_solution *s = NULL;
  ga_error err = {0};
  ga_options o = ga_options_default();
  o.accuracy = 1e-2;
  must(ga_space_rn(1, &space), NULL);
  const ga_model model = {.ops = &ops, .space = space, .const_mass = true};
  must(ga_solution_new(&model, &o, &s, &err), &err);
  must(ga_solution_solve(s, 0, &one, &zero, 100 * acos(-1)), ga_solution_error(s));
  const ga_accuracy *a = ga_solution_accuracy(s);
  assert_int_equal(a->verdict, GA_VERDICT_REACHED);
  assert_true(fabs(ga_solution_end(s).q[0] - 1) <= 2e-2);
  long sum = 0;
  for (int m = 1, next = 2, i = 0; i < a->runs; i++) { /* 1, 2, 3, 4, 6, 8, 12, .. */
    sum += m * a->least;
    int after = i == 0 ? 3 : 2 * m;
    m = next, next = after;
  }
  if (!(a->steps - sum < 2 * a->least)) fail_msg("pilots: %ld; %s", a->steps - sum, a->text);
  ga_solution_free(s);
  ga_space_free(space);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_corners_told),        cmocka_unit_test(test_corners_hidden),
      cmocka_unit_test(test_corners_of_rounding), cmocka_unit_test(test_slow_and_narrow),
      cmocka_unit_test(test_phase_is_no_branch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

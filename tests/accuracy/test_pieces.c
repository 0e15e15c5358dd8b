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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_corners_told),
      cmocka_unit_test(test_corners_hidden),
      cmocka_unit_test(test_corners_of_rounding),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

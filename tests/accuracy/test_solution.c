/* SPDX-License-Identifier: MIT */
/* Solutions of a given accuracy: achieved errors, refusals, threads, verdicts. */
#include "support.h"

/* The solution of a problem, solved to its end; threads 1. */
static ga_solution *solved(const ga_problem *p, double accuracy, int threads) {
  ga_options o = ga_options_default();
  o.accuracy = accuracy;
  o.multiplier_guess = p->mult0;
  ga_solution *s = NULL;
  ga_error err = {0};
  must(ga_solution_new(&p->model, &o, &s, &err), &err);
  ga_solution_set_threads(s, threads);
  must(ga_solution_solve(s, p->t0, p->q0, p->v0, p->t_end), ga_solution_error(s));
  return s;
}

/* Largest |v_i| over the nodes. */
static double largest_speed(ga_solution *s, int nv) {
  double largest = 0;
  for (long i = 0; i < ga_solution_nodes(s); i++) {
    largest = fmax(largest, ga_max_abs(nv, ga_solution_node(s, i).v));
  }
  return largest;
}

/* Errors at the end against the reference of the problem, relative to the largest |q|, |v|. */
static void test_references(void **state) {
  (void)state;
  static const char *const names[] = {"oscillator", "heavy-top", "rheonomic"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    ga_problem *p = problem_named(names[k]);
    int nv = ga_space_nv(p->model.space);
    truth ref = {0};
    if (!ga_problem_reference(p, p->t_end, ref.q, ref.v, NULL, NULL, NULL)) {
      ga_problem_free(p);
      continue;
    }
    for (int digits = 2; digits <= 8; digits++) {
      double A = pow(10, -digits);
      ga_solution *s = solved(p, A, 1);
      const ga_accuracy *a = ga_solution_accuracy(s);
      double speed = largest_speed(s, nv);
      ga_state end = ga_solution_end(s);
      assert_int_equal(a->verdict, GA_VERDICT_REACHED);
      assert_true(a->error <= A && a->error > 0);
      assert_true(end.t == p->t_end);
      double q = ga_space_distance(p->model.space, end.q, ref.q);
      double v = vector_error(nv, end.v, ref.v) / speed;
      if (!(q <= 2 * A && v <= 2 * A)) {
        fail_msg("%s, %g: errors %g, %g; %s", names[k], A, q, v, a->text);
      }
      ga_solution_free(s);
    }
    ga_problem_free(p);
  }
}

/* A coarse accuracy may be reached by two runs: the result has order 3 of both, and an error below that of
 * the second one, which is what is said. Forces take three. */
static void test_two_runs(void **state) {
  (void)state;
  static const char *const names[] = {"oscillator", "heavy-top", "rheonomic", "pendulum-spring"};
  int by_two = 0;
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    ga_problem *p = problem_named(names[k]);
    int nv = ga_space_nv(p->model.space);
    ga_solution *fine = solved(p, 1e-8, 1);
    double speed = largest_speed(fine, nv);
    ga_state exact = ga_solution_end(fine);
    for (int i = 0; i < 4; i++) {
      ga_solution *s = solved(p, pow(10, -0.5 * (i + 1)), 1);
      const ga_accuracy *a = ga_solution_accuracy(s);
      ga_state end = ga_solution_end(s);
      assert_int_equal(a->verdict, GA_VERDICT_REACHED);
      double q = ga_space_distance(p->model.space, end.q, exact.q);
      double v = vector_error(nv, end.v, exact.v) / speed;
      if (a->runs == 2) {
        by_two++;
        assert_int_equal(a->order, 3);
        assert_true(a->largest > a->least);
        if (!(q <= a->error && v <= a->error)) {
          fail_msg("%s: errors %g, %g; %s", names[k], q, v, a->text);
        }
      }
      ga_solution_free(s);
    }
    ga_solution_free(fine);
    ga_problem_free(p);
  }
  assert_true(by_two >= 4);
  ga_problem *p = problem_named("heavy-top");
  ga_options o = ga_options_default();
  ga_solution *s = NULL;
  ga_error err = {0};
  o.accuracy = 0.3;
  o.accuracy_of = GA_ACCURACY_OF_QV_LAM;
  must(ga_solution_new(&p->model, &o, &s, &err), &err);
  must(ga_solution_solve(s, p->t0, p->q0, p->v0, p->t_end), ga_solution_error(s));
  assert_true(ga_solution_accuracy(s)->runs >= 3 && ga_solution_accuracy(s)->estimate.lam > 0);
  ga_solution_free(s);
  ga_problem_free(p);
}

/* The same bits with one thread and with four. */
static void test_threads(void **state) {
  (void)state;
  ga_problem *p = problem_named("heavy-top");
  ga_solution *one = solved(p, 1e-4, 1), *four = solved(p, 1e-4, 4);
  assert_true(ga_solution_nodes(one) == ga_solution_nodes(four));
  assert_memory_equal(ga_solution_accuracy(one), ga_solution_accuracy(four), sizeof(ga_accuracy));
  for (long i = 0; i < ga_solution_nodes(one); i++) {
    ga_state a = ga_solution_node(one, i), b = ga_solution_node(four, i);
    assert_true(a.t == b.t);
    assert_memory_equal(a.q, b.q, 7 * sizeof(double));
    assert_memory_equal(a.lam, b.lam, 3 * sizeof(double));
  }
  ga_solution_free(one);
  ga_solution_free(four);
  ga_problem_free(p);
}

/* What does not go together is refused with the reason, and an integrator refuses an accuracy. */
static void test_refusals(void **state) {
  (void)state;
  ga_problem *p = problem_named("oscillator");
  const char *const wrong[][3] = {{"rtol", "1e-4", "rtol"},
                                  {"atol", "1e-4", "atol"},
                                  {"h-seq", "1/3,2/3", "h-seq"},
                                  {"project-every", "3", "project-every"},
                                  {"start", "plain", "start = plain"},
                                  {"accuracy", "0", "greater than 0"}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    ga_options o = ga_options_default();
    ga_error err = {0};
    ga_solution *s = NULL;
    o.accuracy = 1e-3;
    must(ga_options_set(&o, wrong[i][0], wrong[i][1], &err), &err);
    assert_int_equal(ga_solution_new(&p->model, &o, &s, &err), GA_ERR_ARG);
    assert_null(s);
    assert_non_null(strstr(err.text, wrong[i][2]));
  }
  ga_options o = ga_options_default();
  ga_integrator *it = NULL;
  ga_error err = {0};
  o.accuracy = 1e-3;
  assert_int_equal(ga_integrator_new(&p->model, &o, &it, &err), GA_ERR_ARG);
  assert_non_null(strstr(err.text, "ga_solution_new"));
  ga_problem_free(p);
}

/* The budget is told, with what was reached. */
static void test_budget(void **state) {
  (void)state;
  ga_problem *p = problem_named("heavy-top");
  ga_options o = ga_options_default();
  ga_solution *s = NULL;
  ga_error err = {0};
  o.accuracy = 1e-9;
  o.accuracy_steps = 3000;
  must(ga_solution_new(&p->model, &o, &s, &err), &err);
  must(ga_solution_solve(s, p->t0, p->q0, p->v0, p->t_end), ga_solution_error(s));
  const ga_accuracy *a = ga_solution_accuracy(s);
  assert_int_equal(a->verdict, GA_VERDICT_BUDGET);
  assert_true(a->steps <= 3000 && a->error > 1e-9 && a->error < 1);
  assert_non_null(strstr(a->text, "NOT reached"));
  ga_solution_free(s);
  ga_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_references), cmocka_unit_test(test_two_runs),
      cmocka_unit_test(test_threads),    cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_budget),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Orders of q, v, v', lam for each method and problem, and the errors docs/reference/problems.md
 * lists. */
#include "methods.h"
#include "problems/problems.h"

enum { LEVELS = 5 };

static const char *const variable[ERR_COUNT] = {"q", "v", "v'", "lam"};

/* max norms at the reference time over LEVELS step sizes h, h/2, .. */
typedef struct {
  const char *problem;
  const ga_method *method;
  double t, h;
} order_case;

/* every step size divides t; the finest is well above the rounding of lam */
static const struct {
  const char *problem;
  double t, h;
} order_problems[] = {
    {"heavy-top", 1, 2e-3},    {"heavy-top-se3", 1, 1e-3}, {"slider-crank", 1, 2e-3},
    {"andrews", 0.03, 1.5e-4}, {"rheonomic", 1, 4e-2},     {"pendulum-spring", 2, 4e-3},
};

static void check_slope(const order_case *c, int k, double h, double coarse, double fine) {
  char what[128];
  bool rheonomic = strcmp(c->problem, "rheonomic") == 0;
  snprintf(what, sizeof what, "%s %s: slope of %s at h = %g", c->problem, method_text(c->method),
           variable[k], h);
  if (k == ERR_LAM && rheonomic && rheonomic_lam(c->method) == LAM_EXACT) {
    assert_between(what, fine, 0, 1e-10);
  } else {
    assert_between(what, slope(coarse, fine), 1.9, 2.1);
  }
}

static void test_order(void **state) {
  const order_case *c = *state;
  ga_problem *p = problem_named(c->problem);
  truth ref = reference_at(p, c->t);
  ga_options o = ga_options_default();
  use_method(&o, c->method);
  o.par = ga_params_rho(p->rho_inf);
  errors e[LEVELS];
  for (int l = 0; l < LEVELS; l++) {
    o.h = ldexp(c->h, -l);
    e[l] = run_errors(p, &o, &ref);
  }
  for (int l = LEVELS - 3; l < LEVELS; l++) {
    for (int k = 0; k < ERR_COUNT; k++) check_slope(c, k, o.h, e[l - 1].e[k], e[l].e[k]);
  }
  ga_problem_free(p);
}

/* docs/reference/problems.md: errors to expect, index3, plain start */
static void expect_errors(const char *problem, double t, double h, int levels, const double *q,
                          const double *lam, double tol) {
  ga_problem *p = problem_named(problem);
  truth ref = reference_at(p, t);
  ga_options o = ga_options_default();
  o.method = "index3";
  o.start = GA_START_PLAIN;
  o.par = ga_params_rho(p->rho_inf);
  for (int l = 0; l < levels; l++) {
    o.h = ldexp(h, -l);
    errors e = run_errors(p, &o, &ref);
    assert_near("q", e.e[ERR_Q], q[l], tol);
    assert_near("lam", e.e[ERR_LAM], lam[l], tol);
  }
  ga_problem_free(p);
}

static void test_heavy_top_digits(void **state) {
  (void)state;
  const double q[] = {3.035e-2, 7.396e-3, 1.837e-3, 4.584e-4};
  const double lam[] = {27.7, 6.853, 1.709, 0.4269};
  expect_errors("heavy-top", 1, 2e-3, 4, q, lam, 5e-4);
}

static void test_andrews_digits(void **state) {
  (void)state;
  const double q[] = {1.068e-1, 2.357e-2, 5.571e-3, 1.354e-3, 3.337e-4};
  const double lam[] = {18.7, 4.96, 1.136, 0.2783, 0.06915};
  expect_errors("andrews", 0.03, 3e-4, 5, q, lam, 2e-3);
}

/* the seven angles at t = 0.03 to 1e-6 relative with stab2 at h = 1e-6 */
static void test_andrews_angles(void **state) {
  (void)state;
  ga_problem *p = problem_named("andrews");
  truth ref = reference_at(p, 0.03);
  ga_options o = ga_options_default();
  o.par = ga_params_rho(p->rho_inf);
  o.h = 1e-6;
  ga_integrator *it = started(p, &o);
  must(ga_integrator_run(it, 0.03), ga_integrator_error(it));
  for (int i = 0; i < 7; i++) {
    assert_near(p->model.q_names[i], ga_integrator_state(it)->q[i], ref.q[i], 1e-6);
  }
  ga_integrator_free(it);
  ga_problem_free(p);
}

/* ratios of errors on the two forms of the heavy top: the SE(3) form preserves the joint */
static void test_se3_form(void **state) {
  (void)state;
  ga_problem *p = problem_named("heavy-top-se3");
  for (const ga_method *m = NULL; (m = next_method(m, &p->model, p->q0)) != NULL;) {
    ga_options o = ga_options_default();
    use_method(&o, m);
    o.start = GA_START_SHIFTED;
    ga_integrator *it = started(p, &o);
    must(ga_integrator_run(it, 0.1), ga_integrator_error(it));
    /* no transient: the hidden constraint holds although index3 does not enforce it */
    assert_true(ga_integrator_stats(it)->max_gv < 1e-8);
    ga_integrator_free(it);
  }
  ga_problem_free(p);
}

/* Jay, Negrut 2007, Figures 5.7 and 5.8: theta and theta' at t = 2, alpha = 0 and -0.3, b = 0. The
 * error of theta' passes zero between h = 5e-3 and 2.5e-3: its value counts, not its slope. */
static void test_pendulum_figures(void **state) {
  (void)state;
  enum { THETA = 2 };
  const double alphas[] = {0, -0.3}, t_end[] = {2, 4}, allowed[] = {5e-7, 5e-6};
  ga_problem *p = problem_named("pendulum-spring");
  for (int k = 0; k < 2; k++) {
    double error[4], speed[4];
    for (int l = 0; l < 4; l++) {
      ga_options o = ga_options_default();
      o.method = "hht";
      o.par = ga_params_hht(alphas[k], 0);
      o.h = ldexp(1e-2, -l);
      ga_integrator *it = started(p, &o);
      for (int i = 0; i < 2; i++) {
        double q[3], v[3];
        assert_true(ga_problem_reference(p, t_end[i], q, v, NULL, NULL, NULL));
        must(ga_integrator_run(it, t_end[i]), ga_integrator_error(it));
        const ga_state *s = ga_integrator_state(it);
        double now = s->v[THETA] - v[THETA];
        if (l == 3) assert_between("theta'", fabs(now), 0, allowed[i]);
        if (i == 0) error[l] = fabs(s->q[THETA] - q[THETA]), speed[l] = now;
      }
      if (l > 0) assert_between("theta", slope(error[l - 1], error[l]), 1.98, 2.02);
      ga_integrator_free(it);
    }
    assert_true(speed[1] > 0 && speed[2] < 0);
  }
  ga_problem_free(p);
}

int main(void) {
  enum { PROBLEMS = (int)(sizeof order_problems / sizeof order_problems[0]), FIXED = 5 };
  static order_case cases[PROBLEMS * METHODS];
  static char names[PROBLEMS * METHODS][64];
  struct CMUnitTest tests[PROBLEMS * METHODS + FIXED] = {
      cmocka_unit_test(test_heavy_top_digits), cmocka_unit_test(test_andrews_digits),
      cmocka_unit_test(test_andrews_angles), cmocka_unit_test(test_se3_form),
      cmocka_unit_test(test_pendulum_figures)};
  int count = 0;
  for (int i = 0; i < PROBLEMS; i++) {
    ga_problem *p = problem_named(order_problems[i].problem);
    for (const ga_method *m = NULL; (m = next_method(m, &p->model, p->q0)) != NULL;) {
      if (is_variant(m)) continue; /* test_method_table.c has them, on shorter spans */
      order_case *c = &cases[count];
      *c = (order_case){order_problems[i].problem, m, order_problems[i].t, order_problems[i].h};
      snprintf(names[count], sizeof names[count], "order_%s_%s", c->problem, method_text(m));
      tests[FIXED + count] =
          (struct CMUnitTest){.name = names[count], .test_func = test_order, .initial_state = c};
      count++;
    }
    ga_problem_free(p);
  }
  return _cmocka_run_group_tests("orders", tests, (size_t)(FIXED + count), NULL, NULL);
}

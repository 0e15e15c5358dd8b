/* SPDX-License-Identifier: MIT */
/* Double and triple systems solved in parts: the same numbers as from the whole matrix, and the
 * whole matrix is taken where the parts do not converge. */
#include "manufactured.h"
#include "problems/problems.h"
#include "run/integrator.h"

static const struct {
  const char *method, *variant, *b;
} methods[] = {
    {"soi2", "", "0"},   {"hht", "3.4", "0"},    {"hht", "3.4", "0.3"},        {"hht", "3.5", "0"},
    {"hht", "mid", "0"}, {"hht", "mid3.5", "0"}, {"hht", "lunk-simeon", "0.5"}};
enum { METHODS = (int)(sizeof methods / sizeof methods[0]) };

static ga_options options_of(int i, ga_system system) {
  ga_options o = ga_options_default();
  ga_error err = {0};
  o.method = methods[i].method;
  o.variant = methods[i].variant;
  must(ga_options_set(&o, "b", methods[i].b, &err), &err);
  o.newton_tol = 1e-13;
  o.system = system;
  return o;
}

static double relative(int n, const double *a, const double *b) {
  double size = 1e-300 + ga_max_abs(n, b);
  return vector_error(n, a, b) / size;
}

/* the two systems over some steps of a problem; returns how often the whole matrix was factored by
 * the run in parts */
static long compare(const ga_problem *p, int i, double h, int steps) {
  ga_options in_parts = options_of(i, GA_SYSTEM_SPLIT), whole = options_of(i, GA_SYSTEM_FULL);
  in_parts.h = whole.h = h;
  ga_integrator *a = started(p, &in_parts), *b = started(p, &whole);
  assert_true(a->step.factors.split.on && !b->step.factors.split.on);
  for (int n = 0; n < steps; n++) {
    must(ga_integrator_step(a), ga_integrator_error(a));
    must(ga_integrator_step(b), ga_integrator_error(b));
  }
  int nv = ga_space_nv(p->model.space);
  const ga_state *x = ga_integrator_state(a), *y = ga_integrator_state(b);
  double error = fmax(relative(a->eval.nq, x->q, y->q), relative(nv, x->v, y->v));
  double later = fmax(relative(nv, x->vd, y->vd), relative(p->model.nlam, x->lam, y->lam));
  if (!(error < 1e-11) || !(later < 1e-9)) {
    fail_msg("%s, %s %s: q, v differ by %g, v', lam by %g", p->name, methods[i].method,
             methods[i].variant, error, later);
  }
  long full = a->step.factors.split.full;
  ga_integrator_free(a);
  ga_integrator_free(b);
  return full;
}

static void test_same_numbers(void **state) {
  (void)state;
  static const struct {
    const char *problem;
    double h;
  } cases[] = {{"heavy-top", 1e-3},       {"heavy-top-se3", 1e-3}, {"andrews", 2e-5},
               {"pendulum-spring", 1e-3}, {"rheonomic", 1e-2},     {"jay-negrut-hht", 1e-2}};
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    ga_problem *p = problem_named(cases[c].problem);
    for (int i = 0; i < METHODS; i++) {
      long full = compare(p, i, cases[c].h, 60);
      /* at the rounding level some */
      if (i == 0 && full > 10) fail_msg("%s: soi2 factored %ld whole matrices", p->name, full);
    }
    ga_problem_free(p);
  }
}

/* both kinds of constraints, M(t,q) varying, nonlinear k */
static void test_mixed(void **state) {
  (void)state;
  static const ga_model_ops *const all[] = {&mf_ops, &mf_ops_reaction};
  double q[MF_N], v[MF_N], lam, psi;
  mf_exact(0, q, v, NULL, &lam, &psi);
  double guess[2] = {lam, psi};
  ga_space *space = NULL;
  must(ga_space_rn(MF_N, &space), NULL);
  for (int k = 0; k < 2; k++) {
    const ga_problem p = {.name = "manufactured",
                          .model = {.ops = all[k], .space = space, .nlam = 1, .npsi = 1},
                          .q0 = q,
                          .v0 = v,
                          .mult0 = guess};
    compare(&p, 0, 1e-2, 50);
    compare(&p, 0, 5e-2, 10);
  }
  ga_space_free(space);
}

/* steps so large that gyroscopic terms of one step are as large as the masses */
static void test_large_steps(void **state) {
  (void)state;
  ga_problem *p = problem_named("heavy-top");
  long full = 0;
  for (int i = 0; i < METHODS; i++) full += compare(p, i, 8e-3, 10);
  assert_true(full > 0);
  ga_problem_free(p);
}

/* steps so small that a residual at rounding moves the multipliers: the iteration must end there */
static void test_rounding(void **state) {
  (void)state;
  ga_problem *p = problem_named("heavy-top");
  for (double rho = 0.2; rho < 1; rho += 0.7) {
    ga_options o = options_of(0, GA_SYSTEM_SPLIT);
    o.par = ga_params_rho(rho);
    o.newton_tol = 1e-12;
    o.h = 1.0416666e-5;
    ga_integrator *it = started(p, &o);
    must(ga_integrator_run(it, 0.17), ga_integrator_error(it));
    ga_integrator_free(it);
  }
  ga_problem_free(p);
}

/* auto: parts for pairs that are not small, for triples where a large dense matrix would be the
 * alternative */
static void test_choice(void **state) {
  (void)state;
  ga_problem *p = problem_named("andrews");
  ga_options pair = options_of(0, GA_SYSTEM_AUTO), triple = options_of(1, GA_SYSTEM_AUTO);
  ga_integrator *a = started(p, &pair), *b = started(p, &triple);
  assert_true(a->step.factors.split.on && !b->step.factors.split.on);
  ga_integrator_free(a);
  ga_integrator_free(b);
  ga_problem_free(p);
  ga_error err = {0};
  ga_problem_options large = ga_problem_options_default();
  large.size = 5;
  must(ga_problem_new("chain", &large, &p, &err), &err);
  triple.linsol = "dense";
  a = started(p, &triple);
  triple.linsol = "klu";
  b = started(p, &triple);
  assert_true(a->step.factors.split.on && !b->step.factors.split.on);
  ga_integrator_free(a);
  ga_integrator_free(b);
  ga_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_numbers), cmocka_unit_test(test_mixed),
      cmocka_unit_test(test_large_steps),  cmocka_unit_test(test_rounding),
      cmocka_unit_test(test_choice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

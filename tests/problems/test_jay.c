/* SPDX-License-Identifier: MIT */
/* The problems of Jay and Negrut, nonlinear in the multipliers: errors to expect, branches of the
 * start. Orders of all methods are in test_method_table.c. */
#include "methods.h"
#include "problems/problems.h"

enum { JAY_Q, JAY_V, JAY_VD, JAY_A, JAY_LAM, JAY_PSI, JAY_COUNT };
static const char *const variable[JAY_COUNT] = {"q", "v", "v'", "a", "lam", "psi"};
static const char *const problems[] = {"jay-nonholonomic", "jay-negrut-hht", "jay-negrut-soi2"};
enum { NPROBLEM = (int)(sizeof problems / sizeof problems[0]) };

static const double T_END = 1;

/* max norms of stab2 at T_END against the closed solution; a is compared with
 * v'(t + (alpha_m - alpha_f) h) */
static void measure(const ga_problem *p, double h, double *e) {
  ga_options o = ga_options_default();
  o.par = ga_params_rho(p->rho_inf);
  o.h = h;
  o.newton_tol = 1e-13;
  ga_integrator *it = started(p, &o);
  must(ga_integrator_run(it, T_END), ga_integrator_error(it));
  const ga_state *s = ga_integrator_state(it);
  assert_true(s->t == T_END);
  const double shifted = T_END + (o.par.alpha_m - o.par.alpha_f) * h;
  double q[2], v[2], vd[2], a[2], lam[1], psi[1];
  assert_true(ga_problem_reference(p, T_END, q, v, vd, lam, psi));
  assert_true(ga_problem_reference(p, shifted, NULL, NULL, a, NULL, NULL));
  e[JAY_Q] = vector_error(2, s->q, q);
  e[JAY_V] = vector_error(2, s->v, v);
  e[JAY_VD] = vector_error(2, s->vd, vd);
  e[JAY_A] = vector_error(2, s->a, a);
  e[JAY_LAM] = vector_error(p->model.nlam, s->lam, lam);
  e[JAY_PSI] = vector_error(p->model.npsi, s->psi, psi);
  ga_integrator_free(it);
}

static bool has(const ga_problem *p, int k) {
  return !(k == JAY_LAM && p->model.nlam == 0) && !(k == JAY_PSI && p->model.npsi == 0);
}

/* docs/reference/problems.md: errors of stab2 at h = 1e-2 */
static void test_listed_errors(void **state) {
  (void)state;
  static const double listed[NPROBLEM][JAY_COUNT] = {
      {3.82e-5, 1.34e-4, 2.11e-3, 2.06e-3, 0, 2.79e-4},
      {6.24e-6, 8.23e-5, 2.94e-4, 2.87e-4, 4.06e-5, 0},
      {9.57e-5, 9.57e-5, 9.45e-5, 1.86e-4, 1.28e-5, 1.04e-5}};
  for (int i = 0; i < NPROBLEM; i++) {
    ga_problem *p = problem_named(problems[i]);
    double e[JAY_COUNT];
    measure(p, p->h, e);
    for (int k = 0; k < JAY_COUNT; k++) {
      if (has(p, k)) assert_near(variable[k], e[k], listed[i][k], 5e-3);
    }
    ga_problem_free(p);
  }
}

/* v' and the multipliers at the start, from a guess */
static void check_start(const ga_problem *p, const double *guess, const double *vd,
                        const double *mult) {
  ga_options o = ga_options_default();
  o.multiplier_guess = guess;
  ga_integrator *it = started(p, &o);
  const ga_state *s = ga_integrator_state(it);
  const int nlam = p->model.nlam, npsi = p->model.npsi;
  assert_between("v'", vector_error(2, s->vd, vd), 0, 1e-12);
  assert_between("lam", vector_error(nlam, s->lam, mult), 0, 1e-12);
  assert_between("psi", vector_error(npsi, s->psi, mult + nlam), 0, 1e-12);
  ga_integrator_free(it);
}

/* the closed solution's branch, from the problem's guess and from others near it */
static void test_branch(void **state) {
  (void)state;
  static const double guesses[][2] = {{0.8, 0.8}, {1.3, 0.9}, {0.9, 1.3}};
  for (int i = 0; i < NPROBLEM; i++) {
    ga_problem *p = problem_named(problems[i]);
    double vd[2], mult[2];
    assert_true(ga_problem_reference(p, 0, NULL, NULL, vd, mult, mult + p->model.nlam));
    check_start(p, p->mult0, vd, mult);
    for (int k = 0; k < 3; k++) check_start(p, guesses[k], vd, mult);
    ga_problem_free(p);
  }
}

/* At the start of the first two problems z' = (mu, 3 + mu^2), and the differentiated constraint is
 * mu^2 + 2 mu - 3 = 0: a guess near -3 leads to another motion with the same start values. */
static void test_other_branch(void **state) {
  (void)state;
  static const double guess[] = {-2.5}, vd[] = {-3, 12}, mult[] = {-3};
  for (int i = 0; i < 2; i++) {
    ga_problem *p = problem_named(problems[i]);
    check_start(p, guess, vd, mult);
    ga_problem_free(p);
  }
}

/* That motion of jay-nonholonomic ends soon after t = 0.05; the values at 0.02 are those of the
 * classical Runge-Kutta method with h = 1e-4, psi from the quadratic equation k' = 0. */
static void test_other_motion(void **state) {
  (void)state;
  static const double guess[] = {-2.5};
  ga_problem *p = problem_named("jay-nonholonomic");
  for (const ga_method *m = NULL; (m = next_method(m, &p->model, p->q0)) != NULL;) {
    ga_options o = ga_options_default();
    use_method(&o, m);
    o.par = ga_params_rho(p->rho_inf);
    o.h = 1e-4;
    o.multiplier_guess = guess;
    ga_integrator *it = started(p, &o);
    must(ga_integrator_run(it, 0.02), ga_integrator_error(it));
    const ga_state *s = ga_integrator_state(it);
    assert_near("z1", s->v[0], 0.9278741775624281, 1e-5);
    assert_near("z2", s->v[1], -1.699890599219346, 1e-5);
    assert_near("psi", s->psi[0], -4.204456882787395, 1e-4);
    ga_integrator_free(it);
  }
  ga_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_listed_errors), cmocka_unit_test(test_branch),
      cmocka_unit_test(test_other_branch), cmocka_unit_test(test_other_motion)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Double and triple systems whose parts cannot be solved: the whole matrix is factored instead, and
 * solves the same equations. */
#include "own_solver.h"
#include "problems/problems.h"
#include "support.h"

static const struct {
  const char *problem, *method, *variant;
  double h;
  int rows; /* of a part: as many as velocities and constraints */
} cases[] = {
    {"heavy-top", "soi2", "", 1e-3, 9}, {"heavy-top", "hht", "3.4", 1e-3, 9},
    {"rheonomic", "soi2", "", 1e-2, 3}, {"rheonomic", "hht", "mid", 1e-2, 3},
    {"andrews", "soi2", "", 2e-5, 13},
};
enum { CASES = (int)(sizeof cases / sizeof *cases) };

typedef struct {
  double q[SUPPORT_MAX], v[SUPPORT_MAX], vd[SUPPORT_MAX], lam[SUPPORT_MAX];
  long its, matrices;
} result;

static result run_solver(int c, ga_system system, ga_status (*solve)(ga_linsol *ls, double *b),
                         own_counts *counts) {
  ga_linsol_ops ops = own_solver;
  ops.solve = solve;
  ga_problem *p = problem_named(cases[c].problem);
  ga_options o = ga_options_default();
  o.method = cases[c].method;
  o.variant = cases[c].variant;
  o.h = cases[c].h;
  o.system = system;
  o.matrix_every = 1; /* the same matrices, however the work is divided */
  o.linsol_ops = &ops;
  o.linsol_context = counts;
  ga_integrator *it = started(p, &o);
  result r = {.its = 0};
  for (int n = 0; n < 30; n++) must(ga_integrator_step(it), ga_integrator_error(it));
  const ga_state *s = ga_integrator_state(it);
  size_t nv = (size_t)ga_space_nv(p->model.space);
  memcpy(r.q, s->q, (size_t)ga_space_nq(p->model.space) * sizeof *r.q);
  memcpy(r.v, s->v, nv * sizeof *r.v);
  memcpy(r.vd, s->vd, nv * sizeof *r.vd);
  memcpy(r.lam, s->lam, (size_t)p->model.nlam * sizeof *r.lam);
  r.its = ga_integrator_stats(it)->newton_its;
  r.matrices = ga_integrator_stats(it)->matrices;
  ga_integrator_free(it);
  ga_problem_free(p);
  return r;
}

static result run_with(int c, ga_system system, own_counts *counts) {
  return run_solver(c, system, own_solve, counts);
}

static double apart(int n, const double *a, const double *b) {
  double size = 1e-300;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(b[i]));
  return vector_error(n, a, b) / size;
}

static void assert_same(int c, const char *what, const result *a, const result *b, double tol) {
  double near = fmax(apart(SUPPORT_MAX, a->q, b->q), apart(SUPPORT_MAX, a->v, b->v));
  double later = fmax(apart(SUPPORT_MAX, a->vd, b->vd), apart(SUPPORT_MAX, a->lam, b->lam));
  if (near <= tol && later <= 100 * tol) return;
  fail_msg("%s, %s, %s: q, v differ by %g, v', lam by %g", cases[c].problem, cases[c].method, what,
           near, later);
}

/* No factorization, or no solve, of a part succeeds: every matrix is factored whole, and what it
 * solves is what the run without parts solves, iteration by iteration. */
static void test_parts_never(void **state) {
  (void)state;
  for (int c = 0; c < CASES; c++) {
    own_counts none = {0};
    result whole = run_with(c, GA_SYSTEM_FULL, &none);
    for (int k = 0; k < 6; k++) {
      static const ga_status reasons[] = {GA_RETRY_SINGULAR, GA_ERR_BACKEND, GA_RETRY_NONFINITE};
      own_counts broken = {.fail_below = cases[c].rows + 1, .fail_status = reasons[k % 3]};
      *(k < 3 ? &broken.factor_times : &broken.solve_times) = 1000000;
      result r = run_with(c, GA_SYSTEM_SPLIT, &broken);
      assert_int_equal(r.its, whole.its);
      assert_int_equal(r.matrices, whole.matrices);
      assert_same(c, k < 3 ? "no factors" : "no solves", &r, &whole, 1e-13);
    }
  }
}

/* One call in the middle of a run fails, each in its turn: the sweeps that had begun are given up,
 * and the whole solve begins with the right-hand side as it was. */
static void test_parts_once(void **state) {
  (void)state;
  for (int c = 0; c < CASES; c++) {
    own_counts none = {.fail_below = cases[c].rows + 1}, full = {0};
    result whole = run_with(c, GA_SYSTEM_FULL, &full), parts = run_with(c, GA_SYSTEM_SPLIT, &none);
    assert_same(c, "in parts", &parts, &whole, 1e-11);
    assert_true(none.tried_factor >= 30 && none.tried_solve >= 60);
    for (int call = 0; call < 40; call++) {
      own_counts broken = {.fail_below = cases[c].rows + 1,
                           .fail_status = GA_ERR_BACKEND,
                           .solve_from = call,
                           .solve_times = 1};
      result r = run_with(c, GA_SYSTEM_SPLIT, &broken);
      assert_same(c, "once", &r, &whole, 1e-11);
    }
  }
}

/* parts whose solutions are wrong, so that sweeps lead away: the same */
static int wrong_below;
static ga_status wrong_solve(ga_linsol *ls, double *b) {
  const own_factors *f = ls->impl;
  ga_status status = own_solve(ls, b);
  for (int i = 0; i < f->n && f->n < wrong_below && f->ends_in_zero; i++) b[i] *= -2;
  return status;
}

static void test_sweeps_diverge(void **state) {
  (void)state;
  for (int c = 0; c < CASES; c++) {
    own_counts counts = {0};
    wrong_below = 0;
    result whole = run_solver(c, GA_SYSTEM_FULL, wrong_solve, &counts);
    wrong_below = cases[c].rows + 1;
    result r = run_solver(c, GA_SYSTEM_SPLIT, wrong_solve, &counts);
    assert_same(c, "wrong parts", &r, &whole, 1e-13);
    assert_int_equal(r.its, whole.its);
    assert_int_equal(r.matrices, whole.matrices);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_parts_never),
      cmocka_unit_test(test_parts_once),
      cmocka_unit_test(test_sweeps_diverge),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

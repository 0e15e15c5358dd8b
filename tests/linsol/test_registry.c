/* SPDX-License-Identifier: MIT */
/* The choice of a linear solver, by name or by functions of the user, and what fails on the way. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "linsol/registry.h"

#include <dlfcn.h>

#include "own_solver.h"
#include "problems/problems.h"
#include "support.h"

/* a request that cannot be met returns NULL under the address sanitizer too */
GA_API const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "allocator_may_return_null=1";
}

static void test_names(void **state) {
  (void)state;
  int ptr[] = {0, 1}, col[] = {0};
  double val[] = {2};
  const ga_csr A = {1, 1, ptr, col, val};
  ga_options o = ga_options_default();
  ga_error err = {0};
  ga_linsol ls;
  o.linsol = "dence";
  assert_refused(ga_linsol_open(&ls, &o, &A, &err), &err, GA_ERR_BACKEND, "'dence'",
                 "did you mean 'dense'?");
  ga_linsol_close(&ls);
  o.linsol = "quantum";
  assert_refused(ga_linsol_open(&ls, &o, &A, &err), &err, GA_ERR_BACKEND, "'quantum'", "auto");
  assert_null(strstr(err.text, "did you mean"));
  /* the integrator passes this on, with every known name in the text */
  ga_problem *problem = problem_named("oscillator");
  ga_integrator *it = NULL;
  int count = 0;
  for (int i = 0; ga_linsol_name(i); i++, count++) {
    assert_true(strlen(ga_linsol_summary(i)) > 0);
    assert_refused(ga_integrator_new(&problem->model, &o, &it, &err), &err, GA_ERR_BACKEND,
                   "'quantum'", ga_linsol_name(i));
    assert_null(it);
  }
  assert_null(ga_linsol_name(-1));
  assert_null(ga_linsol_summary(-1));
  assert_null(ga_linsol_summary(count));
  ga_problem_free(problem);
}

/* An old name opens the solver that has a new one. */
static void test_alias(void **state) {
  (void)state;
  int ptr[] = {0, 1}, col[] = {0};
  double val[] = {2};
  const ga_csr A = {1, 1, ptr, col, val};
  const ga_linsol_ops *named[2] = {0};
  ga_options o = ga_options_default();
  static const char *const names[] = {"weak-entries", "sweep"};
  for (int i = 0; i < 2; i++) {
    o.linsol = names[i];
    must(ga_linsol_choose(&o, &A, &named[i], NULL), NULL);
    assert_string_equal(named[i]->name, "weak-entries");
    assert_true(ga_linsol_known(names[i]));
  }
  assert_ptr_equal(named[0], named[1]);
  for (int i = 0; ga_linsol_name(i); i++) {
    assert_true(ga_linsol_known(ga_linsol_name(i)));
    assert_string_not_equal(ga_linsol_name(i), "sweep");
  }
  assert_true(ga_linsol_known("auto"));
  assert_false(ga_linsol_known("weak"));
  assert_false(ga_linsol_known(""));
}

/* "auto": the dense solver for a small full matrix, another for a large one with few entries */
static void test_auto(void **state) {
  (void)state;
  ga_arena arena = {0};
  ga_csr small, large;
  ga_options o = ga_options_default();
  const ga_linsol_ops *ops = NULL;
  ga_csr_init(&small, 6, 6, NULL, &arena);
  ga_csr_init_identity(&large, 3000, &arena);
  assert_int_equal(ga_linsol_choose(&o, &small, &ops, NULL), GA_OK);
  assert_string_equal(ops->name, "dense");
  assert_int_equal(ga_linsol_choose(&o, &large, &ops, NULL), GA_OK);
  assert_string_not_equal(ops->name, "dense");
  ga_arena_free(&arena);
}

/* a problem run with a solver of one's own gives what "dense" gives */
static void test_own_in_integrator(void **state) {
  (void)state;
  static const char *const problems[] = {"slider-crank", "heavy-top"};
  for (int p = 0; p < 2; p++) {
    ga_problem *problem = problem_named(problems[p]);
    ga_options o = ga_options_default();
    own_counts counts = {0};
    o.h = 1e-3;
    o.linsol = "dense";
    ga_integrator *dense = started(problem, &o);
    o.linsol = "not looked at";
    o.linsol_ops = &own_solver;
    o.linsol_context = &counts;
    ga_integrator *own = started(problem, &o);
    must(ga_integrator_run(dense, problem->t0 + 0.05), ga_integrator_error(dense));
    must(ga_integrator_run(own, problem->t0 + 0.05), ga_integrator_error(own));
    const ga_state *a = ga_integrator_state(dense), *b = ga_integrator_state(own);
    int nv = ga_space_nv(problem->model.space), nlam = problem->model.nlam;
    assert_true(vector_error(ga_space_nq(problem->model.space), a->q, b->q) <= 1e-12);
    assert_true(vector_error(nv, a->v, b->v) <= 1e-10 * (1 + ga_max_abs(nv, a->v)));
    assert_true(vector_error(nlam, a->lam, b->lam) <= 1e-8 * (1 + ga_max_abs(nlam, a->lam)));
    assert_true(counts.factored >= ga_integrator_stats(own)->matrices);
    assert_true(counts.solved >= ga_integrator_stats(own)->newton_its);
    assert_true(counts.analyzed >= 1 && counts.freed == 0);
    ga_integrator_free(own);
    ga_integrator_free(dense);
    assert_int_equal(counts.freed, counts.analyzed);
    ga_problem_free(problem);
  }
}

/* what analyze returns, and that free follows once, whatever was built until then */
static void test_half_built(void **state) {
  (void)state;
  int ptr[] = {0, 1, 2}, col[] = {0, 1};
  double val[] = {2, 3};
  const ga_csr A = {2, 2, ptr, col, val};
  ga_problem *problem = problem_named("oscillator");
  for (int k = 0; k < 6; k++) {
    const ga_status fails[] = {GA_ERR_MEM, GA_ERR_BACKEND, GA_RETRY_SINGULAR};
    own_counts counts = {.analyze_status = fails[k % 3], .fail_early = k < 3};
    ga_status expected = k % 3 == 0 ? GA_ERR_MEM : GA_ERR_BACKEND;
    ga_options o = ga_options_default();
    ga_error err = {0};
    ga_linsol ls;
    o.linsol_ops = &own_solver;
    o.linsol_context = &counts;
    assert_refused(ga_linsol_open(&ls, &o, &A, &err), &err, expected, "2 rows", NULL);
    assert_int_equal(counts.freed, 1);
    assert_true(!ls.impl && !ls.ops);
    ga_linsol_close(&ls);
    assert_int_equal(counts.freed, 1);
    ga_integrator *it = NULL;
    ga_status status = ga_integrator_new(&problem->model, &o, &it, &err);
    assert_refused(status, &err, expected, "rows", NULL);
    assert_int_equal(counts.freed, counts.analyzed);
  }
  ga_problem_free(problem);
  /* the built-in ones, before analyze, and with a matrix that no memory holds */
  for (int i = 0; ga_linsol_name(i); i++) {
    ga_options o = ga_options_default();
    o.linsol = ga_linsol_name(i);
    ga_linsol ls = {0};
    must(ga_linsol_choose(&o, &A, &ls.ops, NULL), NULL);
    ls.ops->free(&ls);
  }
  const ga_csr huge = {.nrow = 1 << 24, .ncol = 1 << 24};
  ga_options o = ga_options_default();
  ga_error err = {0};
  ga_linsol ls;
  o.linsol = "dense";
  assert_refused(ga_linsol_open(&ls, &o, &huge, &err), &err, GA_ERR_MEM, "16777216 rows", NULL);
}

/* What the module brings along stays in it: no dummy MPI in this process. */
static void test_module_keeps_to_itself(void **state) {
  (void)state;
  int ptr[] = {0, 1}, col[] = {0};
  double val[] = {2}, b[] = {3};
  const ga_csr A = {1, 1, ptr, col, val};
  ga_options o = ga_options_default();
  ga_error err = {0};
  ga_linsol ls;
  o.linsol = "mumps";
  if (!strstr(ga_capabilities(), o.linsol)) skip();
  must(ga_linsol_open(&ls, &o, &A, &err), &err);
  assert_int_equal(ls.ops->factor(&ls, &A), GA_OK);
  assert_int_equal(ls.ops->solve(&ls, b), GA_OK);
  assert_true(b[0] == 1.5);
  assert_true(ls.repivots == 1);
  ga_linsol_close(&ls);
  assert_null(dlsym(RTLD_DEFAULT, "MPI_Init"));
  assert_null(dlsym(RTLD_DEFAULT, "dmumps_c"));
}

/* a solver without one of the functions it needs is refused before anything is done with it */
static void test_incomplete_ops(void **state) {
  (void)state;
  ga_problem *problem = problem_named("oscillator");
  for (int k = 0; k < 4; k++) {
    ga_linsol_ops ops = own_solver;
    ops.name = k % 2 ? "torso" : NULL;
    if (k == 0) ops.analyze = NULL;
    if (k == 1) ops.factor = NULL;
    if (k == 2) ops.solve = NULL;
    if (k == 3) ops.free = NULL;
    ga_options o = ga_options_default();
    ga_error err = {0};
    ga_integrator *it = NULL;
    own_counts counts = {0};
    o.linsol_ops = &ops;
    o.linsol_context = &counts;
    assert_refused(ga_integrator_new(&problem->model, &o, &it, &err), &err, GA_ERR_ARG, "lacks",
                   k % 2 ? "'torso'" : "'without name'");
    assert_null(it);
    assert_int_equal(counts.analyzed + counts.freed, 0);
  }
  ga_problem_free(problem);
}

/* solvers that fail and say why: when they factor, when they solve */
static ga_status complain(ga_linsol *ls) {
  snprintf(ls->trouble, sizeof ls->trouble, "the abacus is broken");
  return GA_ERR_BACKEND;
}
static ga_status factor_complains(ga_linsol *ls, const ga_csr *A) {
  (void)A;
  return complain(ls);
}
static ga_status solve_complains(ga_linsol *ls, double *b) {
  (void)b;
  return complain(ls);
}

/* What a solver says of its trouble is in the message, at the start and in a step: the solver of
 * the mass KKT system, which has as many rows here, is the first to be asked. */
static void test_trouble(void **state) {
  (void)state;
  ga_problem *p = problem_named("oscillator");
  for (int k = 0; k < 4; k++) {
    ga_linsol_ops ops = own_solver;
    own_counts counts = {0};
    ga_options o = ga_options_default();
    ga_error err = {0};
    ga_integrator *it = NULL;
    bool at_start = k < 2;
    o.linsol_ops = &ops;
    o.linsol_context = &counts;
    must(ga_integrator_new(&p->model, &o, &it, &err), &err);
    if (!at_start) must(ga_integrator_start(it, p->t0, p->q0, p->v0), ga_integrator_error(it));
    if (k % 2) {
      ops.solve = solve_complains;
    } else {
      ops.factor = factor_complains;
    }
    ga_status status =
        at_start ? ga_integrator_start(it, p->t0, p->q0, p->v0) : ga_integrator_step(it);
    assert_refused(status, ga_integrator_error(it), GA_ERR_BACKEND, ": the abacus is broken",
                   at_start ? "mass KKT"
                   : k % 2  ? "failed to solve"
                            : "factor the Newton matrix");
    ga_integrator_free(it);
  }
  ga_problem_free(p);
}

/* A solve that does not converge is no error: once, another guess is tried; always, the step fails
 * as one that is too large; with automatic steps it is repeated with a smaller h. */
static void test_no_convergence(void **state) {
  (void)state;
  static const struct {
    ga_status says, expected;
    int times;
    double rtol;
  } cases[] = {{GA_RETRY_NEWTON, GA_OK, 1, 0},
               {GA_RETRY_NEWTON, GA_RETRY_NEWTON, 1000, 0},
               {GA_RETRY_SINGULAR, GA_RETRY_SINGULAR, 1, 0},
               {GA_RETRY_NEWTON, GA_OK, 3, 1e-4},
               {GA_RETRY_SINGULAR, GA_OK, 1, 1e-4}};
  ga_problem *p = problem_named("heavy-top");
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    own_counts counts = {0};
    ga_options o = ga_options_default();
    o.linsol_ops = &own_solver;
    o.linsol_context = &counts;
    o.rtol = cases[k].rtol;
    ga_integrator *it = started(p, &o);
    counts.solve_from = counts.tried_solve;
    counts.solve_times = cases[k].times;
    counts.fail_status = cases[k].says;
    ga_status status = ga_integrator_step(it);
    const ga_error *err = ga_integrator_error(it);
    if (cases[k].expected == GA_OK) {
      must(status, err);
    } else {
      assert_refused(status, err, cases[k].expected, "linear solver failed to solve", "h = ");
    }
    assert_int_equal(ga_integrator_state(it)->t > 0, cases[k].expected == GA_OK);
    ga_integrator_free(it);
  }
  ga_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_alias),
      cmocka_unit_test(test_auto),
      cmocka_unit_test(test_own_in_integrator),
      cmocka_unit_test(test_half_built),
      cmocka_unit_test(test_incomplete_ops),
      cmocka_unit_test(test_trouble),
      cmocka_unit_test(test_no_convergence),
      cmocka_unit_test(test_module_keeps_to_itself),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

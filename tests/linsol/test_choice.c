/* SPDX-License-Identifier: MIT */
/* The choice of "auto": which solver it takes for Newton matrices of mechanisms, and that the
 * predicted work of KLU is that of the factors it makes. */
#include <float.h>

#include "base/csr.h"
#include "genalpha/ga_file.h"
#include "linsol/registry.h"
#include "problems/problems.h"
#include "run/integrator.h"
#include "support.h"

/* A mechanism after one step: its Newton matrix has values. */
typedef struct {
  ga_problem *problem;
  ga_file *file;
  ga_integrator *it;
} running;

/* Take one step of h with this method, with the solver klu. */
static void step_once(running *r, const ga_model *model, double t0, const double *q0,
                      const double *v0, ga_options *o) {
  ga_error err = {0};
  must(ga_integrator_new(model, o, &r->it, &err), &err);
  must(ga_integrator_start(r->it, t0, q0, v0), ga_integrator_error(r->it));
  must(ga_integrator_step(r->it), ga_integrator_error(r->it));
}

/* A problem by its name and size, or a model file. */
static running run_case(const char *name, int size, const char *method) {
  running r = {0};
  ga_error err = {0};
  ga_options o = ga_options_default();
  o.h = 1e-3;
  o.method = method;
  o.linsol = "klu";
  if (strstr(name, ".yaml")) {
    char path[500];
    snprintf(path, sizeof path, GA_MODELS "/%s", name);
    const ga_file_options absolute = {.coordinates = "absolute"};
    must(ga_file_load(path, &absolute, &r.file, &err), &err);
    const ga_mechanism *m = ga_file_mechanism(r.file);
    step_once(&r, ga_mechanism_model(m), 0, ga_mechanism_q0(m), ga_mechanism_v0(m), &o);
    return r;
  }
  ga_problem_options options = ga_problem_options_default();
  options.size = size;
  must(ga_problem_new(name, &options, &r.problem, &err), &err);
  o.multiplier_guess = r.problem->mult0;
  o.h = r.problem->h;
  step_once(&r, &r.problem->model, r.problem->t0, r.problem->q0, r.problem->v0, &o);
  return r;
}

static void release(running *r) {
  ga_integrator_free(r->it);
  ga_problem_free(r->problem);
  ga_file_free(r->file);
}

static const struct {
  const char *name;
  int size;
  const char *index3, *stab2; /* what "auto" takes */
} cases[] = {
    {"slider-crank", 0, "dense", "dense"},
    {"andrews", 0, "klu", "klu"},
    {"andrews-absolute", 0, "klu", "klu"},
    {"chain", 10, "klu", "klu"},
    {"chain", 300, "klu", "klu"},
    {"net", 3, "klu", "klu"},
    {"net", 12, "weak-entries", "weak-entries"},
    {"lattice", 4, "weak-entries", "weak-entries"},
    {"governor.yaml", 0, "klu", "dense"},
    {"stewart.yaml", 0, "klu", "klu"},
    {"slider-crank-3d.yaml", 0, "klu", "klu"},
    {"universal-shaft.yaml", 0, "klu", "klu"},
    {"gear-train.yaml", 0, "klu", "klu"},
};
enum { CASES = (int)(sizeof cases / sizeof *cases) };

static void test_solvers(void **state) {
  (void)state;
  for (int k = 0; k < 2 * CASES; k++) {
    const char *method = k % 2 ? "stab2" : "index3";
    const char *expected = k % 2 ? cases[k / 2].stab2 : cases[k / 2].index3;
    running r = run_case(cases[k / 2].name, cases[k / 2].size, method);
    char why[160] = "";
    const ga_linsol_ops *ops = ga_linsol_auto(&r.it->step.factors.matrix.blocks.A, why, sizeof why);
    if (strcmp(ops->name, expected) != 0) {
      fail_msg("%s, %s: %s instead of %s (%s)", cases[k / 2].name, method, ops->name, expected,
               why);
    }
    release(&r);
  }
}

/* The work of KLU's own factors, from the costs it reports: solve = entries of L and U over those of
 * A, factor = (operations + 2 entries)/(2 entries). */
static double true_work(const ga_csr *A, const ga_linsol *ls) {
  const double entries = ls->cost.solve * ga_csr_nnz(A);
  const ga_ordering_counts counts = {entries, 2 * entries * (ls->cost.factor - 1)};
  return ga_linsol_total(ga_klu_work(A, &counts, false));
}

/* predicted over true: 0.85 to 1.63 on all problems and models */
static void test_work_of_klu(void **state) {
  (void)state;
  for (int k = 0; k < 2 * CASES; k++) {
    const char *method = k % 2 ? "stab2" : "index3";
    running r = run_case(cases[k / 2].name, cases[k / 2].size, method);
    const ga_csr *A = &r.it->step.factors.matrix.blocks.A;
    ga_linsol_prediction p;
    assert_true(ga_linsol_predict(A, &p));
    const double ratio = ga_linsol_total(p.klu) / true_work(A, &r.it->step.factors.ls);
    if (!(ratio > 0.75 && ratio < 1.75)) {
      fail_msg("%s, %s: predicted %.3g, ratio %.3g", cases[k / 2].name, method,
               ga_linsol_total(p.klu), ratio);
    }
    release(&r);
  }
}

/* A matrix of ones in a cycle has no diagonal entry, but a transversal: a permutation of a diagonal
 * matrix, without fill. With the first rows full it is a dense block beside that. */
static void test_transversal(void **state) {
  (void)state;
  enum { N = 2000 };
  static int ptr[N + 1], col[N];
  static double val[N];
  for (int i = 0; i < N; i++) {
    ptr[i + 1] = i + 1;
    col[i] = (i + 7) % N;
    val[i] = 1;
  }
  const ga_csr A = {N, N, ptr, col, val};
  const ga_ordering_counts diagonal = {2 * N, 0};
  ga_linsol_prediction p;
  assert_true(ga_linsol_predict(&A, &p));
  const double expected = ga_linsol_total(ga_klu_work(&A, &diagonal, true));
  assert_true(fabs(ga_linsol_total(p.klu) - expected) <= 0.05 * expected);
}

/* A structure that is singular: a row without entries. Still a prediction, from the other orders. */
static void test_singular_structure(void **state) {
  (void)state;
  int ptr[] = {0, 2, 2, 3}, col[] = {0, 1, 2};
  double val[] = {1, 1, 1};
  const ga_csr A = {3, 3, ptr, col, val};
  char why[160];
  assert_string_equal(ga_linsol_auto(&A, why, sizeof why)->name, "dense");
  assert_non_null(strstr(why, "auto: 3 rows"));
}

/* Full matrices: the dense solver, whatever their size; its work grows like n^3. */
static void test_full(void **state) {
  (void)state;
  double before = 0;
  for (int n = 20; n <= 320; n *= 2) {
    ga_arena arena = {0};
    ga_csr A;
    ga_linsol_prediction p;
    char why[160];
    must(ga_csr_init(&A, n, n, NULL, &arena), NULL);
    assert_string_equal(ga_linsol_auto(&A, why, sizeof why)->name, "dense");
    assert_true(ga_linsol_predict(&A, &p));
    assert_true(ga_linsol_total(p.klu) > 1.2 * ga_linsol_total(p.dense));
    assert_true(ga_linsol_total(p.dense) > 2 * before);
    before = ga_linsol_total(p.dense);
    ga_arena_free(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_solvers),     cmocka_unit_test(test_work_of_klu),
      cmocka_unit_test(test_transversal), cmocka_unit_test(test_singular_structure),
      cmocka_unit_test(test_full),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

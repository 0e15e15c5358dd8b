/* SPDX-License-Identifier: MIT */
/* The Newton matrix of every method on every problem against difference quotients of the residual.
 */
#include "manufactured.h"
#include "methods.h"
#include "problems/problems.h"
#include "run/integrator.h"

/* entry (i,j) of the assembled matrix, 0 outside the pattern */
static double entry(const ga_csr *A, int i, int j) {
  for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
    if (A->col[e] == j) return A->val[e];
  }
  return 0;
}

/* residual with unknown j moved by d */
static void residual_at(ga_step *s, int j, double d, double *out) {
  double *x = s->newton.x, keep = x[j];
  x[j] = keep + d;
  must(ga_equations_evaluate(&s->eq, x, NULL, NULL, out, s->newton.terms), s->eq.err);
  x[j] = keep;
}

/* the step from the start, at unknowns moved off the predictor so that no block is zero by chance
 */
static void compare_matrix(ga_integrator *it, const char *what) {
  ga_step *s = &it->step;
  const ga_csr *A = &s->factors.matrix.blocks.A;
  const ga_past past = {.v = it->mem.v, .a = it->mem.a, .w = it->mem.w};
  const int n = s->eq.n;
  double *x = s->newton.x;
  must(ga_equations_begin(&s->eq, &it->mem, &past, it->h, it->mem.t + it->h), s->eq.err);
  ga_equations_guess(&s->eq, &it->mem, x);
  double size_x = 1 + ga_max_abs(s->eq.nx, x);
  for (int i = 0; i < n; i++) x[i] += 0.3 * size_x * sin(1.7 * i + 0.4);
  must(ga_equations_evaluate(&s->eq, x, NULL, NULL, s->newton.r, s->newton.terms), s->eq.err);
  must(ga_factors_renew(&s->factors, &s->eq, x), s->eq.err);
  double hi[SUPPORT_MAX], lo[SUPPORT_MAX], hi2[SUPPORT_MAX], lo2[SUPPORT_MAX];
  assert_true(n <= SUPPORT_MAX);
  for (int j = 0; j < n; j++) {
    double d = 1e-3 * fmax(fabs(x[j]), size_x);
    residual_at(s, j, d, hi);
    residual_at(s, j, -d, lo);
    residual_at(s, j, 2 * d, hi2);
    residual_at(s, j, -2 * d, lo2);
    double size = 0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(entry(A, i, j)));
    for (int i = 0; i < n; i++) {
      double quotient = (8 * (hi[i] - lo[i]) - (hi2[i] - lo2[i])) / (12 * d);
      double error = fabs(quotient - entry(A, i, j));
      /* rounding of g/h^2 in the quotient */
      double noise = 1e-13 / (it->h * it->h) / d;
      if (!(error <= 1e-6 * size + noise)) {
        fail_msg("%s: row %d, column %d: matrix %.10g, quotient %.10g", what, i, j, entry(A, i, j),
                 quotient);
      }
    }
  }
}

static void test_problems(void **state) {
  (void)state;
  for (int k = 0; ga_problem_name(k); k++) {
    ga_problem *p = problem_named(ga_problem_name(k));
    for (const ga_method *m = NULL; (m = next_method(m, &p->model, p->q0)) != NULL;) {
      char what[96];
      snprintf(what, sizeof what, "%s, %s", p->name, method_text(m));
      ga_options o = ga_options_default();
      use_method(&o, m);
      o.h = p->h;
      ga_integrator *it = started(p, &o);
      must(ga_integrator_run(it, p->t0 + 5 * p->h), ga_integrator_error(it));
      compare_matrix(it, what);
      ga_integrator_free(it);
    }
    ga_problem_free(p);
  }
}

/* nonholonomic rows, driven constraint, varying mass; tangents by differences */
static void test_manufactured_matrix(void **state) {
  (void)state;
  ga_space *space = NULL;
  must(ga_space_rn(MF_N, &space), NULL);
  const ga_model_ops *ops[] = {&mf_ops, &mf_ops_bare, &mf_ops_reaction, &mf_ops_reaction_bare};
  for (int variant = 0; variant < 4; variant++) {
    ga_model model = {.ops = ops[variant], .space = space, .nlam = 1, .npsi = 1};
    double q[MF_N], v[MF_N];
    mf_exact(0, q, v, NULL, NULL, NULL);
    for (const ga_method *m = NULL; (m = next_method(m, &model, q)) != NULL;) {
      ga_options o = ga_options_default();
      ga_integrator *it = NULL;
      use_method(&o, m);
      o.h = 0.05;
      must(ga_integrator_new(&model, &o, &it, NULL), NULL);
      must(ga_integrator_start(it, 0, q, v), ga_integrator_error(it));
      compare_matrix(it, method_text(m));
      ga_integrator_free(it);
    }
  }
  ga_space_free(space);
}

/* scaled rows and unknowns: the matrix has a limit as h -> 0, its pivots stay O(1) */
static void test_matrix_limit(void **state) {
  (void)state;
  ga_problem *p = problem_named("heavy-top");
  for (const ga_method *m = NULL; (m = next_method(m, &p->model, p->q0)) != NULL;) {
    double largest[2];
    for (int k = 0; k < 2; k++) {
      ga_options o = ga_options_default();
      use_method(&o, m);
      o.h = k ? 1e-7 : 1e-4;
      ga_integrator *it = started(p, &o);
      must(ga_integrator_step(it), ga_integrator_error(it));
      const ga_csr *A = &it->step.factors.matrix.blocks.A;
      largest[k] = ga_max_abs(A->ptr[A->nrow], A->val);
      ga_integrator_free(it);
    }
    assert_near(method_text(m), largest[1], largest[0], 1e-2);
  }
  ga_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_problems),
      cmocka_unit_test(test_manufactured_matrix),
      cmocka_unit_test(test_matrix_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Models that give M x as a vector: the same motions, and M is asked for with Newton matrices only. */
#include "methods.h"
#include "problems/problems.h"
#include "product_model.h"

enum { STEPS = 40 };

/* q, v, vd, lam, psi after STEPS steps, one after the other; returns the statistics */
static ga_stats run_model(const ga_problem *p, const ga_model *model, const ga_options *o,
                          double *out) {
  ga_integrator *it;
  ga_error err;
  must(ga_integrator_new(model, o, &it, &err), &err);
  must(ga_integrator_start(it, p->t0, p->q0, p->v0), ga_integrator_error(it));
  for (int n = 0; n < STEPS; n++) must(ga_integrator_step(it), ga_integrator_error(it));
  const ga_state *s = ga_integrator_state(it);
  const int nq = ga_space_nq(model->space), nv = ga_space_nv(model->space);
  const double *const part[] = {s->q, s->v, s->vd, s->lam, s->psi};
  const int size[] = {nq, nv, nv, model->nlam, model->npsi};
  for (int k = 0; k < 5; k++) {
    for (int i = 0; i < size[k]; i++) *out++ = part[k][i];
  }
  ga_stats stats = *ga_integrator_stats(it);
  ga_integrator_free(it);
  return stats;
}

/* all problems and methods: the motion is that of M to rounding; where the method has one balance of
 * forces, M is asked for once per matrix, and a few times at the start */
static void test_same_motion(void **state) {
  (void)state;
  for (int k = 0; ga_problem_name(k); k++) {
    ga_problem *p = problem_named(ga_problem_name(k));
    product_model w;
    product_model_init(&w, &p->model);
    const int nv = w.nv, n = ga_space_nq(p->model.space) + 2 * nv + p->model.nlam + p->model.npsi;
    for (const ga_method *m = NULL; nv <= 100 && (m = next_method(m, &p->model, p->q0)) != NULL;) {
      double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y);
      ga_options o = ga_options_default();
      o.h = p->h, o.par = ga_params_rho(0.8), o.multiplier_guess = p->mult0;
      use_method(&o, m);
      w.masses = w.products = 0;
      const ga_stats plain = run_model(p, &p->model, &o, x), stats = run_model(p, &w.model, &o, y);
      double size = 0, apart = 0;
      for (int i = 0; i < n; i++) {
        size = fmax(size, fabs(x[i]));
        apart = fmax(apart, fabs(x[i] - y[i]));
      }
      if (!(apart <= 1e-8 * size)) fail_msg("%s, %s: %g of %g", p->name, m->name, apart, size);
      const bool one = m->nx == 1 && !m->weighted;
      if (one) assert_in_range(w.masses, stats.matrices, stats.matrices + 10);
      if (one) assert_in_range(w.products, stats.residuals, stats.residuals + 10);
      assert_in_range(stats.newton_its, 1, plain.newton_its + 5);
      free(x), free(y);
    }
    product_model_free(&w);
    ga_problem_free(p);
  }
}

/* M x is compared with M times x */
static void test_check_of_product(void **state) {
  (void)state;
  ga_problem *p = problem_named("andrews");
  product_model w;
  ga_error err;
  product_model_init(&w, &p->model);
  must(ga_model_check_derivatives(&w.model, 0, p->q0, p->v0, NULL, &err), &err);
  w.wrong = 1;
  assert_int_equal(ga_model_check_derivatives(&w.model, 0, p->q0, p->v0, NULL, &err), GA_ERR_MODEL);
  assert_non_null(strstr(err.text, "'evaluate (Mx)' is wrong"));
  assert_non_null(strstr(err.text, "M times x"));
  product_model_free(&w);
  ga_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_motion),
                                     cmocka_unit_test(test_check_of_product)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

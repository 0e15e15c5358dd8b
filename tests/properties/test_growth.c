/* SPDX-License-Identifier: MIT */
/* Steps that alternate by any ratio: no growth of errors normal to the constraints. */
#include "problems/problems.h"
#include "support.h"

static const double rhos[] = {0, 0.2, 0.4, 0.6, 0.8, 0.9};
static const double ratios[] = {2, 3, 4, 5, 6, 9, 12, 30};

/* largest error of the multipliers over 60 pairs of steps h, h/ratio */
static double worst(const char *problem, const char *method, double rho, double ratio) {
  ga_problem *p = problem_named(problem);
  ga_options o = ga_options_default();
  o.method = method;
  o.par = ga_params_rho(rho);
  o.h = 0.008;
  ga_integrator *it = started(p, &o);
  const ga_state *s = ga_integrator_state(it);
  double error = 0, lam[4], psi[4], q[8], v[8], vd[8];
  for (int n = 0; n < 120; n++) {
    must(ga_integrator_set_step(it, n % 2 ? 0.008 / ratio : 0.008), NULL);
    must(ga_integrator_step(it), ga_integrator_error(it));
    assert_true(ga_problem_reference(p, s->t, q, v, vd, lam, psi));
    if (n < 20) continue; /* the start's own transient */
    error = fmax(error, vector_error(p->model.nlam, s->lam, lam));
    error = fmax(error, vector_error(p->model.npsi, s->psi, psi));
  }
  ga_integrator_free(it);
  ga_problem_free(p);
  return error;
}

static void test_alternating(void **state) {
  (void)state;
  static const struct {
    const char *problem, *method;
    double limit; /* some times the error of equal steps */
  } cases[] = {{"rheonomic", "index3", 2e-3},         {"rheonomic", "stab2", 2e-3},
               {"rheonomic", "soi2", 2e-3},           {"rheonomic", "hht", 2e-3},
               {"jay-nonholonomic", "nonhol2", 2e-2}, {"jay-nonholonomic", "stab2", 2e-2}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    for (size_t i = 0; i < sizeof rhos / sizeof *rhos; i++) {
      for (size_t k = 0; k < sizeof ratios / sizeof *ratios; k++) {
        double error = worst(cases[c].problem, cases[c].method, rhos[i], ratios[k]);
        if (!(error < cases[c].limit)) {
          fail_msg("%s %s, rho_inf %g, h and h/%g: error %g", cases[c].problem, cases[c].method,
                   rhos[i], ratios[k], error);
        }
      }
    }
  }
}

enum { LONGEST = 6 };

/* error of lam at t = 4 with steps of these sizes repeated, all methods and rho_inf */
static void repeat(const ga_problem *p, const double *size, const char *what, int which) {
  static const char *const methods[] = {"index3", "stab2", "soi2", "hht", "index2"};
  int n = 0;
  double sum = 0, fractions[LONGEST];
  while (n < LONGEST && size[n] > 0) sum += size[n++];
  for (int i = 0; i < n; i++) fractions[i] = size[i] / sum;
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    for (size_t i = 0; i < sizeof rhos / sizeof *rhos; i++) {
      ga_options o = ga_options_default();
      o.method = methods[m];
      o.par = ga_params_rho(rhos[i]);
      o.h = 0.04;
      o.h_fractions = fractions;
      o.h_fractions_n = n;
      ga_integrator *it = started(p, &o);
      must(ga_integrator_run(it, 4), ga_integrator_error(it));
      double lam, q[2], v[2], vd[2], psi[1];
      assert_true(ga_problem_reference(p, 4, q, v, vd, &lam, psi));
      double error = fabs(ga_integrator_state(it)->lam[0] - lam);
      if (!(error < 5e-3)) {
        fail_msg("%s, rho_inf %g, %s %d: error %g", methods[m], rhos[i], what, which, error);
      }
      ga_integrator_free(it);
    }
  }
}

/* growth in one step or in several, then back */
static void test_ramps(void **state) {
  (void)state;
  static const double ramps[][LONGEST] = {
      {1, 2, 4, 8, 16},     {1, 4, 16},          {1, 5, 25},
      {1, 2, 4, 8, 16, 32}, {1, 1, 2, 2, 4},     {1, 3, 9, 3},
      {1, 3, 1, 1, 3, 9},   {1, 1.4, 2, 2.8, 4}, {1, 2, 1, 4, 1, 8}};
  ga_problem *p = problem_named("rheonomic");
  for (size_t k = 0; k < sizeof ramps / sizeof *ramps; k++) repeat(p, ramps[k], "ramp", (int)k);
  ga_problem_free(p);
}

static void test_random_sizes(void **state) {
  (void)state;
  ga_problem *p = problem_named("rheonomic");
  uint64_t seed = 7;
  for (int k = 0; k < 40; k++) {
    double size[LONGEST] = {0};
    int n = 2 + k % (LONGEST - 1);
    for (int i = 0; i < n; i++) size[i] = exp(1.5 * next_uniform(&seed));
    repeat(p, size, "random sizes", k);
  }
  ga_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_alternating),
                                     cmocka_unit_test(test_ramps),
                                     cmocka_unit_test(test_random_sizes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

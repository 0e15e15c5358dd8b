/* SPDX-License-Identifier: MIT */
/* Steps that alternate by any ratio: no growth of errors normal to the constraints. */
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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_alternating)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Step sizes that alternate: order 2 with the corrections of docs/reference/notation.md, less
 * without. */
#include "problems/problems.h"
#include "trajectory.h"

enum { LEVELS = 4 };
enum { Q = 1 << VAR_Q, V = 1 << VAR_V, VD = 1 << VAR_VD, LAM = 1 << VAR_LAM, PSI = 1 << VAR_PSI };

typedef struct {
  const char *problem;
  const ga_method *method;
  ga_mass_at mass_at;
  double alpha, b; /* HHT's; above 0: rho_inf in its place, 1: the problem's */
  double first;    /* of h, the second step takes the rest */
  double t_end, h;
  ga_rescale rescale; /* what is compared with the full correction */
  int loses, keeps;   /* variables that fall to first order with it, and that stay of order 2 */
} alternation;

/* Without the correction of a: order 1 in a, lam, psi, and in q, v where the constraints leave
 * freedom, which they do not on jay-negrut-soi2. index3 needs that of v as well. What is reported
 * as v' (and lam of hht) follows from q and v. */
static const alternation cases[] = {
    /* JN07, (2.3) */
    {"jay-negrut-hht", &ga_method_hht, GA_MASS_EVALUATED, -0.15, 0.3, 1. / 3, 1, 1e-2,
     GA_RESCALE_NONE, Q | V | VD | LAM, 0},
    {"jay-negrut-hht", &ga_method_hht_mid, GA_MASS_EVALUATED, -0.15, 0, 1. / 3, 1, 1e-2,
     GA_RESCALE_NONE, Q | V | VD | LAM, 0},
    /* JN08, (15) and (16) */
    {"jay-negrut-soi2", &ga_method_soi2, GA_MASS_EVALUATED, 1, 0, 2. / 3, 1, 1e-2, GA_RESCALE_NONE,
     LAM | PSI, Q | V | VD},
    {"jay-negrut-soi2", &ga_method_soi2, GA_MASS_PREVIOUS, 1, 0, 2. / 3, 1, 1e-2, GA_RESCALE_NONE,
     LAM | PSI, Q | V | VD},
    {"jay-nonholonomic", &ga_method_nonhol2, GA_MASS_EVALUATED, 1, 0, 2. / 3, 1, 1e-2,
     GA_RESCALE_NONE, Q | V | VD | PSI, 0},
    {"jay-nonholonomic", &ga_method_nonhol2, GA_MASS_PREVIOUS, 1, 0, 2. / 3, 1, 1e-2,
     GA_RESCALE_NONE, Q | V | VD | PSI, 0},
    /* AB07 form */
    {"heavy-top", &ga_method_stab2, GA_MASS_EVALUATED, 1, 0, 2. / 3, 0.2, 5e-4, GA_RESCALE_NONE,
     VD | LAM, 0},
    {"heavy-top", &ga_method_index3, GA_MASS_EVALUATED, 1, 0, 2. / 3, 0.2, 1e-3, GA_RESCALE_NONE,
     VD | LAM, 0},
    {"heavy-top", &ga_method_index3, GA_MASS_EVALUATED, 1, 0, 2. / 3, 0.2, 1e-3, GA_RESCALE_A, LAM,
     0},
    {"andrews", &ga_method_stab2, GA_MASS_EVALUATED, 1, 0, 2. / 3, 0.005, 5e-5, GA_RESCALE_NONE,
     Q | V | VD | LAM, 0},
    {"andrews", &ga_method_index3, GA_MASS_EVALUATED, 1, 0, 2. / 3, 0.0048, 8e-5, GA_RESCALE_NONE,
     Q | V | VD | LAM, 0},
    {"andrews", &ga_method_index3, GA_MASS_EVALUATED, 0.3, 0, 2. / 3, 0.0048, 8e-5, GA_RESCALE_NONE,
     Q | V | VD | LAM, 0},
    {"andrews", &ga_method_hht, GA_MASS_EVALUATED, 1, 0, 2. / 3, 0.005, 5e-5, GA_RESCALE_NONE, 0,
     0},
};
enum { CASES = (int)(sizeof cases / sizeof cases[0]) };

/* Order 2 of every halving. Of index3 with the problems' own rho_inf, v' and lam have a rounding of
 * some 1e3 eps |q|/h^2 and a large h^3 term: the three halvings count together. */
static void check_good(const alternation *c, int k, const double (*e)[VARS], const char *what) {
  bool noisy = c->method->hidden_free && c->alpha == 1 && (k == VAR_VD || k == VAR_LAM);
  bool steep = noisy && strcmp(c->problem, "heavy-top") == 0;
  for (int l = 1; l < LEVELS && !noisy; l++) {
    assert_between(what, slope(e[l - 1][k], e[l][k]), 1.9, 2.1);
  }
  if (!noisy) return;
  double mean = slope(e[0][k], e[LEVELS - 1][k]) / (LEVELS - 1);
  assert_between(what, mean, steep ? 2.2 : 1.9, steep ? 2.6 : 2.1);
}

/* largest errors in the second half, at the ends of pairs of steps */
static void run_pairs(const alternation *c, const trajectory *tr, ga_rescale rescale, double h,
                      double *e) {
  const ga_problem *p = tr->p;
  ga_options o = ga_options_default();
  use_method(&o, c->method);
  o.par = ga_params_rho(c->alpha == 1 ? p->rho_inf : fmax(c->alpha, 0));
  if (c->alpha <= 0) o.par = ga_params_hht(c->alpha, c->b);
  o.mass_at = c->mass_at;
  o.rescale = rescale;
  o.h = c->first * h;
  o.newton_tol = 1e-13;
  meter seen = {.tr = tr, .from = p->t0 + c->t_end / 2};
  ga_integrator *it = started(p, &o);
  ga_integrator_observe(it, meter_state, &seen);
  for (int n = 0; n < (int)lround(c->t_end / h); n++) {
    must(ga_integrator_set_step(it, c->first * h), ga_integrator_error(it));
    must(ga_integrator_step(it), ga_integrator_error(it));
    must(ga_integrator_set_step(it, (1 - c->first) * h), ga_integrator_error(it));
    must(ga_integrator_step(it), ga_integrator_error(it));
  }
  assert_near("end", ga_integrator_state(it)->t, p->t0 + c->t_end, 1e-12);
  memcpy(e, seen.e, VARS * sizeof *e);
  ga_integrator_free(it);
}

static void test_alternating(void **state) {
  const alternation *c = *state;
  ga_problem *p = problem_named(c->problem);
  trajectory tr = trajectory_new(p, ldexp(c->h, 1 - LEVELS), c->t_end, 4);
  double good[LEVELS][VARS], bad[LEVELS][VARS];
  for (int l = 0; l < LEVELS; l++) {
    run_pairs(c, &tr, GA_RESCALE_ALL, ldexp(c->h, -l), good[l]);
    run_pairs(c, &tr, c->rescale, ldexp(c->h, -l), bad[l]);
  }
  for (int k = 0; k < VAR_KEPT; k++) {
    if (tr.size[k] == 0) continue;
    const double *fine = bad[LEVELS - 1], *coarse = bad[LEVELS - 2];
    double without = slope(coarse[k], fine[k]);
    char what[128];
    snprintf(what, sizeof what, "%s, %s: %s", c->problem, method_text(c->method), var_name[k]);
    check_good(c, k, (const double(*)[VARS])good, what);
    if (c->keeps & 1 << k) assert_between(what, without, 1.9, 2.1);
    if (!(c->loses & 1 << k)) continue;
    /* order 1; less in lam of index3 where the hidden constraint alone is left as it was */
    assert_between(what, without, c->rescale == GA_RESCALE_A ? 0.7 : 0.9, 1.2);
    assert_true(fine[k] > 2 * good[LEVELS - 1][k]);
  }
  trajectory_free(&tr);
  ga_problem_free(p);
}

int main(void) {
  static char names[CASES][96];
  struct CMUnitTest tests[CASES];
  for (int i = 0; i < CASES; i++) {
    snprintf(names[i], sizeof names[i], "%s, %s, alpha or rho %g, mass-at %d, rescale %d",
             cases[i].problem, method_text(cases[i].method), cases[i].alpha, (int)cases[i].mass_at,
             (int)cases[i].rescale);
    tests[i] = (struct CMUnitTest){.name = names[i],
                                   .test_func = test_alternating,
                                   .initial_state = (void *)(uintptr_t)&cases[i]};
  }
  return _cmocka_run_group_tests("steps", tests, CASES, NULL, NULL);
}

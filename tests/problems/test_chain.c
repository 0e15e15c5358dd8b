/* SPDX-License-Identifier: MIT */
/* The sparse problems chain and andrews-absolute: values at the end, orders, agreement of forms. */
#include "problems/problems.h"
#include "support.h"

static const char *const methods[] = {"stab2", "index3"};
enum { NMETHOD = (int)(sizeof methods / sizeof methods[0]), LEVELS_MAX = 8 };

/* ---- chain ------------------------------------------------------------------------------- */

/* what is known of a chain at t = 1: angle and angular velocity of rod 1, end of the last rod */
enum { TH1, W1, TIP_X, TIP_Y, KNOWN };
static const char *const known_names[KNOWN] = {"theta1", "theta1'", "x of the tip", "y of the tip"};

/* Step sizes h, h/2, ..: the errors of the quantities from .. to have slopes between 1.9 and 2.1,
 * and the values extrapolated from the last two steps, y + (y_h/2 - y_h)/3, are right to tol. */
typedef struct {
  int rods;
  const char *solver; /* the row is skipped where the library lacks it */
  double h;
  int levels;
  int from, to;
  double tol;
  double known[KNOWN];
} chain_case;

/* Values of docs/reference/problems.md, 8 decimals; NAN: not known. The errors stay well above
 * 1e-8. Longer chains have shorter waves and show their order at smaller steps; theta1 of N = 1000
 * does so only when its error is that of the last decimal. */
static const chain_case chain_cases[] = {
    {10, "dense", 5e-3, 5, TH1, TIP_Y, 1e-8, {-1.08770561, -0.68150214, 7.52722902, -4.90626232}},
    {100, "klu", 1.25e-3, 3, TH1, W1, 5e-8, {-0.51480739, -0.35389514, NAN, NAN}},
    {1000, "klu", 1.25e-3, 2, W1, W1, 2e-6, {-0.24358427, -0.16455726, NAN, NAN}},
};
enum { NCHAIN = (int)(sizeof chain_cases / sizeof chain_cases[0]) };

static bool has_solver(const char *name) {
  for (int i = 0; ga_linsol_name(i); i++) {
    if (strcmp(ga_linsol_name(i), name) == 0) return true;
  }
  return false;
}

static void run_chain(const ga_problem *p, const ga_options *o, double *known) {
  ga_integrator *it = started(p, o);
  must(ga_integrator_run(it, p->t_end), ga_integrator_error(it));
  const ga_state *s = ga_integrator_state(it);
  const double *last = s->q + ga_space_nq(p->model.space) - 3;
  known[TH1] = s->q[2];
  known[W1] = s->v[2];
  known[TIP_X] = last[0] + 0.5 * cos(last[2]);
  known[TIP_Y] = last[1] + 0.5 * sin(last[2]);
  ga_integrator_free(it);
}

static void check_chain(const chain_case *c, const ga_problem *p, const char *method) {
  double y[LEVELS_MAX][KNOWN];
  ga_options o = ga_options_default();
  o.method = method;
  o.linsol = c->solver;
  o.par = ga_params_rho(p->rho_inf);
  assert_true(c->levels <= LEVELS_MAX);
  for (int l = 0; l < c->levels; l++) {
    o.h = ldexp(c->h, -l);
    run_chain(p, &o, y[l]);
  }
  for (int k = 0; k < KNOWN; k++) {
    if (isnan(c->known[k])) continue;
    char what[96];
    for (int l = 1; l < c->levels && k >= c->from && k <= c->to; l++) {
      snprintf(what, sizeof what, "%d rods, %s: slope of %s at h = %g", c->rods, method,
               known_names[k], ldexp(c->h, -l));
      double s = slope(fabs(y[l - 1][k] - c->known[k]), fabs(y[l][k] - c->known[k]));
      assert_between(what, s, 1.9, 2.1);
    }
    double finest = y[c->levels - 1][k], limit = finest + (finest - y[c->levels - 2][k]) / 3;
    snprintf(what, sizeof what, "%d rods, %s: %s", c->rods, method, known_names[k]);
    assert_between(what, limit, c->known[k] - c->tol, c->known[k] + c->tol);
  }
}

static void test_chain(void **state) {
  const chain_case *c = *state;
  if (!has_solver(c->solver)) skip();
  ga_problem_options size = ga_problem_options_default();
  size.size = c->rods;
  ga_problem *p = NULL;
  ga_error err = {0};
  must(ga_problem_new("chain", &size, &p, &err), &err);
  assert_false(ga_problem_reference(p, 1, NULL, NULL, NULL, NULL, NULL));
  for (int m = 0; m < NMETHOD; m++) check_chain(c, p, methods[m]);
  ga_problem_free(p);
}

/* Setup is linear: the longest chain, its patterns and start values, in a fraction of a second. */
static void test_longest_chain(void **state) {
  (void)state;
  ga_problem_options size = ga_problem_options_default();
  size.size = 1000000;
  ga_problem *p = NULL;
  ga_error err = {0};
  must(ga_problem_new("chain", &size, &p, &err), &err);
  must(ga_model_validate(&p->model, &err), &err);
  const ga_model *model = &p->model;
  assert_int_equal(model->nlam, 2000000);
  assert_int_equal(ga_csr_nnz(model->pat_M), 3000000);
  assert_int_equal(ga_csr_nnz(model->pat_K), 1000000);
  assert_int_equal(ga_csr_nnz(model->pat_G), 8000000 - 4);
  assert_true(p->q0[2999997] == 999999.5);
  ga_problem_free(p);
}

/* ---- andrews-absolute -------------------------------------------------------------------- */

enum { ANDREWS_LEVELS = 5, ANGLES = 7 };

/* absolute angles at t = 0.03 from a run of either form */
static void run_angles(const ga_problem *p, const ga_options *o, double *angles) {
  ga_integrator *it = started(p, o);
  must(ga_integrator_run(it, p->t_end), ga_integrator_error(it));
  memcpy(angles, ga_integrator_state(it)->q, ANGLES * sizeof *angles);
  if (ga_space_nq(p->model.space) == ANGLES) {
    /* beta + Theta, Phi + delta, Omega + epsilon */
    angles[1] += angles[0], angles[3] += angles[4], angles[5] += angles[6];
  }
  ga_integrator_free(it);
}

static void assert_order(const char *method, const char *what, double h, double s) {
  char text[96];
  snprintf(text, sizeof text, "andrews-absolute, %s: slope of %s at h = %g", method, what, h);
  assert_between(text, s, 1.9, 2.1);
}

/* Errors of q, v, v', lam fall with order 2, and so does the distance to the relative form, which
 * is another discretisation of the same motion; it is smaller than the errors. */
static void test_andrews_absolute(void **state) {
  static const char *const variable[ERR_COUNT] = {"q", "v", "v'", "lam"};
  const char *method = *state;
  ga_problem *absolute = problem_named("andrews-absolute"), *relative = problem_named("andrews");
  truth ref = reference_at(absolute, 0.03);
  ga_options o = ga_options_default();
  o.method = method;
  o.par = ga_params_rho(absolute->rho_inf);
  errors e[ANDREWS_LEVELS];
  double apart[ANDREWS_LEVELS];
  for (int l = 0; l < ANDREWS_LEVELS; l++) {
    double a[ANGLES], b[ANGLES];
    o.h = ldexp(1.5e-4, -l);
    e[l] = run_errors(absolute, &o, &ref);
    run_angles(absolute, &o, a);
    run_angles(relative, &o, b);
    apart[l] = vector_error(ANGLES, a, b);
    assert_true(apart[l] > 0 && apart[l] < e[l].e[ERR_Q]);
    if (l < ANDREWS_LEVELS - 3) continue;
    for (int k = 0; k < ERR_COUNT; k++) {
      assert_order(method, variable[k], o.h, slope(e[l - 1].e[k], e[l].e[k]));
    }
    assert_order(method, "the distance to andrews", o.h, slope(apart[l - 1], apart[l]));
  }
  ga_problem_free(absolute);
  ga_problem_free(relative);
}

int main(void) {
  struct CMUnitTest tests[NCHAIN + NMETHOD + 1];
  char names[NCHAIN + NMETHOD][64];
  int n = 0;
  for (int i = 0; i < NCHAIN; i++, n++) {
    snprintf(names[n], sizeof names[n], "chain_%d", chain_cases[i].rods);
    tests[n] = (struct CMUnitTest){.name = names[n],
                                   .test_func = test_chain,
                                   .initial_state = (void *)(uintptr_t)&chain_cases[i]};
  }
  for (int m = 0; m < NMETHOD; m++, n++) {
    snprintf(names[n], sizeof names[n], "andrews_absolute_%s", methods[m]);
    tests[n] = (struct CMUnitTest){.name = names[n],
                                   .test_func = test_andrews_absolute,
                                   .initial_state = (void *)(uintptr_t)methods[m]};
  }
  tests[n] = (struct CMUnitTest)cmocka_unit_test(test_longest_chain);
  return cmocka_run_group_tests(tests, NULL, NULL);
}

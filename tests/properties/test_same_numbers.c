/* SPDX-License-Identifier: MIT */
/* Methods that must agree to rounding: all of them without constraints, soi2 and nonhol2 without
 * holonomic ones. */
#include "methods.h"
#include "problems/problems.h"

static const double TOL = 1e-12;

/* |a - b| <= TOL (1 + |b|), max norms */
static void assert_same(const char *what, const char *variable, int n, const double *a,
                        const double *b) {
  double error = vector_error(n, a, b), size = 1;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(b[i]));
  if (!(error <= TOL * size)) fail_msg("%s: %s differ by %.2g", what, variable, error);
}

static void assert_same_state(const char *what, const ga_model *model, const ga_state *a,
                              const ga_state *b) {
  int nv = ga_space_nv(model->space);
  assert_same(what, "q", ga_space_nq(model->space), a->q, b->q);
  assert_same(what, "v", nv, a->v, b->v);
  assert_same(what, "v'", nv, a->vd, b->vd);
  assert_same(what, "a", nv, a->a, b->a);
  assert_same(what, "lam", model->nlam, a->lam, b->lam);
  assert_same(what, "psi", model->npsi, a->psi, b->psi);
}

/* both take n steps of every size and are compared after each */
static void compare_runs(const char *what, const ga_problem *p, const ga_options *a,
                         const ga_options *b, int n, int sizes) {
  ga_integrator *one = started(p, a), *other = started(p, b);
  for (int k = 0; k < sizes * n; k++) {
    double h = a->h * (k / n % 2 ? 0.7 : 1);
    must(ga_integrator_set_step(one, h), NULL);
    must(ga_integrator_set_step(other, h), NULL);
    must(ga_integrator_step(one), ga_integrator_error(one));
    must(ga_integrator_step(other), ga_integrator_error(other));
    assert_same_state(what, &p->model, ga_integrator_state(one), ga_integrator_state(other));
  }
  ga_integrator_free(one);
  ga_integrator_free(other);
}

/* ---- a linear oscillator without constraints --------------------------------------------- */

/* M v' = b cos t - C v - K q with full matrices that do not change */
enum { N = 3 };
static const double mass[N * N] = {4, 1, 0.5, 1, 3, -0.25, 0.5, -0.25, 2};
static const double damping[N * N] = {0.3, 0.1, 0, -0.1, 0.2, 0, 0, 0, 0.4};
static const double stiffness[N * N] = {20, -5, 0, -5, 9, -1, 0, -1, 3};

static int linear_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  memcpy(M->val, mass, sizeof mass);
  return 0;
}

static int linear_force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user;
  for (int i = 0; i < N; i++) {
    F[i] = (i + 1) * cos(t);
    for (int j = 0; j < N; j++) F[i] -= stiffness[N * i + j] * q[j] + damping[N * i + j] * v[j];
  }
  return 0;
}

static void test_unconstrained(void **state) {
  (void)state;
  static const ga_model_ops ops = {.mass = linear_mass, .force = linear_force};
  static const ga_start starts[] = {GA_START_PLAIN, GA_START_SHIFTED, GA_START_IMPLICIT};
  const ga_params pars[] = {ga_params_rho(0), ga_params_rho(0.5), ga_params_rho(0.9),
                            ga_params_hht(-0.2, 0)};
  double q0[N] = {1, -0.5, 0.3}, v0[N] = {0.2, 0.7, -1};
  ga_space *space = NULL;
  must(ga_space_rn(N, &space), NULL);
  ga_problem p = {.name = "linear", .q0 = q0, .v0 = v0};
  p.model = (ga_model){.ops = &ops, .space = space, .const_mass = true};
  for (int k = 0; k < 4 * 3 * METHODS; k++) {
    ga_options o = ga_options_default(), usual;
    o.par = pars[k / METHODS % 4];
    o.start = starts[k / METHODS / 4];
    o.h = 0.05;
    o.newton_tol = 1e-14;
    usual = o;
    use_method(&o, all_methods[k % METHODS]);
    compare_runs(method_text(all_methods[k % METHODS]), &p, &o, &usual, 50, 1);
  }
  ga_space_free(space);
}

/* ---- nonholonomic constraints alone ------------------------------------------------------ */

/* also when the step size changes, and with the mass of the step before */
static void test_nonholonomic(void **state) {
  (void)state;
  const char *const problems[] = {"jay-nonholonomic", "rolling-disk"};
  static const ga_start starts[] = {GA_START_BEST, GA_START_PLAIN, GA_START_IMPLICIT};
  for (int k = 0; k < 2 * 2 * 3; k++) {
    ga_problem *p = problem_named(problems[k % 2]);
    ga_options o = ga_options_default(), other;
    o.method = "soi2";
    o.par = ga_params_rho(p->rho_inf);
    o.h = p->h;
    o.mass_at = k / 2 % 2 ? GA_MASS_PREVIOUS : GA_MASS_EVALUATED;
    o.start = starts[k / 4];
    o.newton_tol = 1e-14;
    other = o;
    other.method = "nonhol2";
    compare_runs(p->name, p, &o, &other, 25, 4);
    ga_problem_free(p);
  }
}

/* The variants 3.4 and lunk-simeon of hht are one where b = 0. */
static void test_same_variant(void **state) {
  (void)state;
  ga_problem *p = problem_named("pendulum-spring");
  ga_options o = ga_options_default(), other;
  o.method = "hht";
  o.h = p->h;
  o.newton_tol = 1e-14;
  other = o;
  other.variant = "lunk-simeon";
  compare_runs("hht 3.4 and lunk-simeon", p, &o, &other, 50, 1);
  ga_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_unconstrained),
      cmocka_unit_test(test_nonholonomic),
      cmocka_unit_test(test_same_variant),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

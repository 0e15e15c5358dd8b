/* SPDX-License-Identifier: MIT */
/* One generic suite over all methods of the registry: orders, limits, edge cases, life cycle. */
#include "manufactured.h"
#include "methods.h"
#include "problems/problems.h"
#include "run/integrator.h"

static ga_space *rn(int n) {
  ga_space *space = NULL;
  must(ga_space_rn(n, &space), NULL);
  return space;
}

/* every method and variant that suits a model without constraints, or the given one */
static void for_all(void (*check)(const ga_method *method), const ga_model *model,
                    const double *q) {
  int count = 0;
  for (int i = 0; i < METHODS; i++) {
    if (model && !suits(all_methods[i], model, q)) continue;
    check(all_methods[i]);
    count++;
  }
  assert_true(count >= 5);
}

static void for_all_on(void (*check)(const ga_method *method), const char *problem) {
  ga_problem *p = problem_named(problem);
  for_all(check, &p->model, p->q0);
  ga_problem_free(p);
}

/* q, v, v', a, lam, psi of the manufactured problem */
enum { MF_ERRORS = 6 };

static void manufactured_errors(const ga_model *model, const ga_method *method, double rho,
                                double h, double *e) {
  double q[MF_N], v[MF_N], vd[MF_N], lam, psi;
  ga_options o = ga_options_default();
  ga_integrator *it = NULL;
  ga_error err = {0};
  use_method(&o, method);
  o.par = ga_params_rho(rho);
  o.h = h;
  must(ga_integrator_new(model, &o, &it, &err), &err);
  mf_exact(0, q, v, NULL, NULL, NULL);
  must(ga_integrator_start(it, 0, q, v), ga_integrator_error(it));
  must(ga_integrator_run(it, 1), ga_integrator_error(it));
  const ga_state *s = ga_integrator_state(it);
  double shifted = 1 + (o.par.alpha_m - o.par.alpha_f) * h;
  ga_integrator *twin = plain_twin(model, &o);
  mf_exact(shifted, q, v, NULL, NULL, NULL);
  e[3] = vector_error(MF_N, s->a, meaning_of_a(twin, shifted, q, v));
  mf_exact(1, q, v, vd, &lam, &psi);
  e[0] = vector_error(MF_N, s->q, q);
  e[1] = vector_error(MF_N, s->v, v);
  e[2] = vector_error(MF_N, s->vd, vd);
  e[4] = model->nlam ? fabs(s->lam[0] - lam) : 0;
  e[5] = model->npsi ? fabs(s->psi[0] - psi) : 0;
  ga_integrator_free(it);
  ga_integrator_free(twin);
}

static void check_manufactured(const ga_model *model, const ga_method *method, int variant) {
  static const char *const name[MF_ERRORS] = {"q", "v", "v'", "a", "lam", "psi"};
  /* the rounding of index3 in lam grows with rho: with one constraint alone it would show at 0.9 */
  double next = model->nlam + model->npsi == 2 ? 0.45 : 0.4;
  for (double rho = 0; rho < 1; rho += next) {
    double e[5][MF_ERRORS];
    for (int l = 0; l < 5; l++) {
      manufactured_errors(model, method, rho, ldexp(0.02, -l), e[l]);
    }
    for (int k = 0; k < MF_ERRORS; k++) {
      if ((k == 4 && !model->nlam) || (k == 5 && !model->npsi)) continue;
      for (int l = 2; l < 5; l++) {
        char what[96];
        snprintf(what, sizeof what, "%s, rho %g, ops %d: slope %d of %s", method_text(method), rho,
                 variant, l, name[k]);
        assert_between(what, slope(e[l - 1][k], e[l][k]), 1.9, 2.1);
      }
    }
  }
}

/* both constraints, and each alone: then all methods have their turn */
static void test_manufactured(void **state) {
  const mf_multipliers *used = *state;
  const ga_model_ops *ops[] = {&mf_ops, &mf_ops_reaction, &mf_ops_bare, &mf_ops_reaction_bare};
  ga_space *space = rn(MF_N);
  double q[MF_N];
  mf_exact(0, q, NULL, NULL, NULL, NULL);
  for (int variant = 0; variant < (used ? 2 : 4); variant++) {
    ga_model model = {.ops = ops[variant],
                      .user = (void *)(uintptr_t)used,
                      .space = space,
                      .nlam = !used || used->lam,
                      .npsi = !used || used->psi};
    for (const ga_method *m = NULL; (m = next_method(m, &model, q)) != NULL;) {
      check_manufactured(&model, m, variant);
    }
  }
  ga_space_free(space);
}

/* several branches of multipliers: the guess chooses */
static void test_branches(void **state) {
  (void)state;
  ga_space *space = rn(MF_N);
  ga_model model = {.ops = &mf_ops_reaction, .space = space, .nlam = 1, .npsi = 1};
  const double guesses[2][2] = {{0, 0}, {0, -6}}, psi[2] = {1, -1 / 0.3 - 1};
  double q[MF_N], v[MF_N];
  mf_exact(0, q, v, NULL, NULL, NULL);
  for (int k = 0; k < 2; k++) {
    ga_options o = ga_options_default();
    ga_integrator *it = NULL;
    o.multiplier_guess = guesses[k];
    must(ga_integrator_new(&model, &o, &it, NULL), NULL);
    must(ga_integrator_start(it, 0, q, v), ga_integrator_error(it));
    assert_near("psi at the start", ga_integrator_state(it)->psi[0], psi[k], 1e-8);
    must(ga_integrator_run(it, 0.1), ga_integrator_error(it));
    assert_near("psi on its branch", ga_integrator_state(it)->psi[0],
                k == 0 ? cos(0.1) : -1 / 0.3 - cos(0.1), 1e-4);
    ga_integrator_free(it);
  }
  ga_error err = {0};
  must(ga_model_check_derivatives(&model, 0.3, q, v, NULL, &err), &err);
  ga_space_free(space);
}

/* Without constraints every method is Chung-Hulbert: powers of the amplification matrix. */
static void check_oscillator(const ga_method *method) {
  const double rhos[] = {0, 0.5, 0.9, 1};
  ga_problem *p = problem_named("oscillator");
  for (int r = 0; r < 4; r++) {
    ga_options o = ga_options_default();
    use_method(&o, method);
    o.par = ga_params_rho(rhos[r]);
    o.h = 0.05;
    o.start = GA_START_PLAIN;
    ga_integrator *it = started(p, &o);
    const ga_state *s = ga_integrator_state(it);
    double x[3] = {s->q[0], o.h * s->v[0], o.h * o.h * s->a[0]}, A[9];
    double omega = sqrt(-s->vd[0] / s->q[0]);
    ga_params_amplification(&o.par, omega * o.h, A);
    for (int n = 0; n < 100; n++) {
      double y[3];
      for (int i = 0; i < 3; i++)
        y[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
      memcpy(x, y, sizeof x);
      must(ga_integrator_step(it), ga_integrator_error(it));
      assert_true(fabs(s->q[0] - x[0]) < 1e-12);
      assert_true(fabs(o.h * s->v[0] - x[1]) < 1e-12);
      assert_true(fabs(o.h * o.h * s->a[0] - x[2]) < 1e-12);
    }
    ga_integrator_free(it);
  }
  ga_problem_free(p);
}

static void test_oscillator(void **state) {
  (void)state;
  for_all(check_oscillator, NULL, NULL);
}

/* largest modulus of the eigenvalues of A by the roots of its characteristic polynomial: with
 * B = A + rho I nilpotent of degree 3 the radius is rho; here |B^3| must vanish against |A|^3 */
static double nilpotent_defect(const double *A, double rho) {
  double B[9], C[9], D[9], size = 0;
  for (int i = 0; i < 9; i++) B[i] = A[i] + (i % 4 == 0 ? rho : 0);
  for (int pass = 0; pass < 2; pass++) {
    const double *left = pass ? C : B;
    double *out = pass ? D : C;
    for (int i = 0; i < 9; i++) {
      out[i] = 0;
      for (int k = 0; k < 3; k++) out[i] += left[i / 3 * 3 + k] * B[3 * k + i % 3];
    }
  }
  for (int i = 0; i < 9; i++) size = fmax(size, fabs(D[i]));
  return size;
}

/* One step from each unit state (q, h v, h^2 a/W), W = (omega h)^2, at omega h = 1e8: the matrix
 * has the threefold eigenvalue -rho_inf (AB07 (21)-(24), Lemma 1). */
static void check_spectral_radius(const ga_method *method) {
  ga_problem_options po = ga_problem_options_default();
  po.omega = 1e8;
  ga_problem *p = NULL;
  ga_error err = {0};
  must(ga_problem_new("oscillator", &po, &p, &err), &err);
  for (int r = 0; r <= 10; r++) {
    double rho = r / 10.0, A[9], W = 1e16;
    ga_options o = ga_options_default();
    use_method(&o, method);
    o.par = ga_params_rho(rho);
    o.h = 1;
    for (int j = 0; j < 3; j++) {
      ga_integrator *it = started(p, &o);
      it->mem.q[0] = j == 0;
      it->mem.v[0] = j == 1;
      it->mem.a[0] = j == 2 ? W : 0;
      it->mem.vd[0] = it->mem.w[0] = -W * it->mem.q[0];
      must(ga_integrator_step(it), ga_integrator_error(it));
      /* q from the force as the step solved for it: q itself has lost its digits to q_n */
      A[j] = -(method->weighted ? it->mem.vd[0] : it->mem.w[0]) / W;
      A[3 + j] = it->mem.v[0];
      A[6 + j] = it->mem.a[0] / W;
      ga_integrator_free(it);
    }
    /* in these units v moves by (h^2 a) of size W: balance the second row and column */
    double balance[3] = {1, 1 / W, 1};
    for (int i = 0; i < 9; i++) A[i] *= balance[i / 3] / balance[i % 3];
    assert_between(method_text(method), nilpotent_defect(A, rho), 0, 1e-6);
    assert_near("spectral radius", ga_params_spectral_radius(&o.par, 1e8) + 1, rho + 1, 1e-5);
  }
  ga_problem_free(p);
}

static void test_spectral_radius(void **state) {
  (void)state;
  for_all(check_spectral_radius, NULL, NULL);
}

/* As many constraints as coordinates, and no mass at all: q = c(t), lam = F. */
static int zero_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q, (void)M;
  return 0;
}
static int plain_force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)v;
  F[0] = 2 + q[1];
  F[1] = cos(t);
  return 0;
}
static int all_prescribed(void *user, double t, const double *q, double *g) {
  (void)user;
  g[0] = q[0] - sin(t);
  g[1] = q[1] - q[0] * q[0];
  return 0;
}
static const ga_model_ops prescribed_ops = {
    .mass = zero_mass, .force = plain_force, .holonomic = all_prescribed};

static void check_fully_constrained(const ga_method *method) {
  ga_space *space = rn(2);
  ga_model model = {.ops = &prescribed_ops, .space = space, .nlam = 2, .const_mass = true};
  ga_options o = ga_options_default();
  ga_error err = {0};
  ga_integrator *it = NULL;
  use_method(&o, method);
  o.h = 0.01;
  must(ga_integrator_new(&model, &o, &it, &err), &err);
  const double q0[2] = {0, 0}, v0[2] = {1, 0};
  must(ga_integrator_start(it, 0, q0, v0), ga_integrator_error(it));
  must(ga_integrator_run(it, 1), ga_integrator_error(it));
  const ga_state *s = ga_integrator_state(it);
  /* to rounding where positions are enforced, to the error of the method where not */
  double x = sin(1.0), y = x * x, allowed = has_rows(method, GA_ROW_POS) ? 1e-13 : 1e-4;
  assert_true(fabs(s->q[0] - x) < allowed && fabs(s->q[1] - y) < allowed);
  /* G^T lam = F with G = (1 0; -2 q1 1) */
  assert_true(fabs(s->lam[1] - cos(1.0)) < 1e-7);
  assert_true(fabs(s->lam[0] - 2 * s->q[0] * s->lam[1] - 2 - s->q[1]) < 1e-7);
  assert_true(fabs(s->v[0] - cos(1.0)) < 1e-3);
  ga_integrator_free(it);
  ga_space_free(space);
}

static void test_fully_constrained(void **state) {
  (void)state;
  ga_space *space = rn(2);
  ga_model model = {.ops = &prescribed_ops, .space = space, .nlam = 2};
  const double q0[2] = {0, 0};
  for_all(check_fully_constrained, &model, q0);
  ga_space_free(space);
}

/* t_end that h does not divide: met exactly, order 2 kept through the short step */
static void check_short_last_step(const ga_method *method) {
  ga_problem *p = problem_named("rheonomic");
  truth ref = reference_at(p, 1);
  ga_options o = ga_options_default();
  use_method(&o, method);
  o.par = ga_params_rho(0.8);
  o.h = 0.0301 / 4;
  errors coarse = run_errors(p, &o, &ref);
  o.h = 0.0301 / 16;
  errors fine = run_errors(p, &o, &ref);
  for (int k = 0; k < ERR_COUNT; k++) {
    double s = slope(coarse.e[k], fine.e[k]) / 2;
    switch (k == ERR_LAM ? rheonomic_lam(method) : LAM_ORDER_2) {
      case LAM_EXACT:
        assert_between("exact lam", fmax(coarse.e[k], fine.e[k]), 0, 1e-11);
        break;
      case LAM_ORDER_3:
        assert_between("lam of order 3", s, 2.95, 3.05);
        break;
      case LAM_ORDER_2:
        assert_between(method_text(method), s, 1.94, 2.06);
        break;
    }
  }
  /* a multiple that is one only in exact arithmetic takes no tiny extra step */
  o.h = 0.1;
  ga_integrator *it = started(p, &o);
  must(ga_integrator_run(it, 0.3), ga_integrator_error(it));
  assert_int_equal(ga_integrator_stats(it)->steps, 3);
  assert_true(ga_integrator_state(it)->t == 0.3);
  ga_integrator_free(it);
  ga_problem_free(p);
}

static void test_short_last_step(void **state) {
  (void)state;
  for_all_on(check_short_last_step, "rheonomic");
}

/* Starting anew gives the same bits as a fresh integrator. */
static void check_restart(const ga_method *method) {
  ga_problem *p = problem_named("heavy-top");
  ga_options o = ga_options_default();
  use_method(&o, method);
  ga_integrator *a = started(p, &o), *b = started(p, &o);
  must(ga_integrator_run(a, 0.05), ga_integrator_error(a));
  must(ga_integrator_run(b, 0.0213), ga_integrator_error(b));
  must(ga_integrator_start(b, p->t0, p->q0, p->v0), ga_integrator_error(b));
  must(ga_integrator_run(b, 0.05), ga_integrator_error(b));
  const ga_state *sa = ga_integrator_state(a), *sb = ga_integrator_state(b);
  assert_memory_equal(sa->q, sb->q, 7 * sizeof(double));
  assert_memory_equal(sa->a, sb->a, 6 * sizeof(double));
  assert_memory_equal(sa->lam, sb->lam, 3 * sizeof(double));
  assert_int_equal(ga_integrator_stats(a)->newton_its, ga_integrator_stats(b)->newton_its);
  ga_integrator_free(a);
  ga_integrator_free(b);
  ga_problem_free(p);
}

static void test_restart(void **state) {
  (void)state;
  for_all_on(check_restart, "heavy-top");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_manufactured),
      {.name = "test_manufactured, holonomic",
       .test_func = test_manufactured,
       .initial_state = (void *)(uintptr_t)&mf_holonomic_alone},
      {.name = "test_manufactured, nonholonomic",
       .test_func = test_manufactured,
       .initial_state = (void *)(uintptr_t)&mf_nonholonomic_alone},
      cmocka_unit_test(test_branches),
      cmocka_unit_test(test_oscillator),
      cmocka_unit_test(test_spectral_radius),
      cmocka_unit_test(test_fully_constrained),
      cmocka_unit_test(test_short_last_step),
      cmocka_unit_test(test_restart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

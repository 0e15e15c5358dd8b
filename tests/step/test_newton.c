/* SPDX-License-Identifier: MIT */
/* Newton's iteration: tiny and huge steps, failures that leave the state intact, matrix reuse. */
#include "methods.h"
#include "own_solver.h"
#include "problems/problems.h"
#include "separate.h"

/* a copy of everything a user can see of a state */
typedef struct {
  double t, q[SUPPORT_MAX], v[SUPPORT_MAX], vd[SUPPORT_MAX], a[SUPPORT_MAX], lam[SUPPORT_MAX];
} snapshot;

static snapshot take(const ga_problem *p, const ga_integrator *it) {
  const ga_state *s = ga_integrator_state(it);
  size_t nq = (size_t)ga_space_nq(p->model.space), nv = (size_t)ga_space_nv(p->model.space);
  snapshot c = {.t = s->t};
  memcpy(c.q, s->q, nq * sizeof(double));
  memcpy(c.v, s->v, nv * sizeof(double));
  memcpy(c.vd, s->vd, nv * sizeof(double));
  memcpy(c.a, s->a, nv * sizeof(double));
  memcpy(c.lam, s->lam, (size_t)p->model.nlam * sizeof(double));
  return c;
}

/* h = 1e-7: the stopping test must pass at the rounding level, and the state move by h v */
static void test_tiny_steps(void **state) {
  (void)state;
  const char *const problems[] = {"heavy-top", "andrews", "slider-crank", "pendulum-spring"};
  for (int k = 0; k < 4; k++) {
    ga_problem *p = problem_named(problems[k]);
    for (const ga_method *m = NULL; (m = next_method(m, &p->model, p->q0)) != NULL;) {
      ga_options o = ga_options_default();
      use_method(&o, m);
      o.h = 1e-7;
      ga_integrator *it = started(p, &o);
      const ga_state *s = ga_integrator_state(it);
      double vd0 = s->vd[0], q0 = s->q[0], v0 = s->v[0];
      for (int n = 0; n < 50; n++) must(ga_integrator_step(it), ga_integrator_error(it));
      assert_true(fabs(s->q[0] - q0 - 5e-6 * v0 - 12.5e-12 * vd0) < 1e-12);
      assert_true(ga_integrator_stats(it)->max_g < 1e-14);
      /* one iteration brings everything to rounding, a second one may have to tell so; where there
       * are several accelerations a third */
      assert_in_range(ga_integrator_stats(it)->newton_its, 50, 50 * (m->nx == 1 ? 2 : 3));
      ga_integrator_free(it);
    }
    ga_problem_free(p);
  }
}

/* a step far too large: refused with the row, the state of before, and a smaller step works */
static void test_failed_step(void **state) {
  (void)state;
  ga_problem *p = problem_named("andrews");
  for (const ga_method *m = NULL; (m = next_method(m, &p->model, p->q0)) != NULL;) {
    ga_options o = ga_options_default();
    use_method(&o, m);
    o.par = ga_params_rho(0.7);
    o.h = 1e-4;
    o.newton_max = 8; /* more might find some far solution by chance */
    ga_integrator *it = started(p, &o);
    must(ga_integrator_run(it, 0.01), ga_integrator_error(it));
    snapshot before = take(p, it);
    long steps = ga_integrator_stats(it)->steps;
    must(ga_integrator_set_step(it, 1.0), ga_integrator_error(it));
    ga_status status = ga_integrator_step(it);
    assert_true(status == GA_RETRY_NEWTON || status == GA_RETRY_SINGULAR);
    assert_non_null(strstr(ga_integrator_error(it)->text, "t = 0.01"));
    snapshot after = take(p, it);
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_equal(ga_integrator_stats(it)->failed, 1);
    assert_int_equal(ga_integrator_stats(it)->steps, steps);
    must(ga_integrator_set_step(it, 1e-4), ga_integrator_error(it));
    must(ga_integrator_step(it), ga_integrator_error(it));
    /* the failed attempt leaves no trace in what follows */
    ga_integrator *twin = started(p, &o);
    must(ga_integrator_run(twin, 0.01), ga_integrator_error(twin));
    must(ga_integrator_step(twin), ga_integrator_error(twin));
    assert_true(vector_error(7, ga_integrator_state(it)->q, ga_integrator_state(twin)->q) < 1e-13);
    ga_integrator_free(twin);
    ga_integrator_free(it);
  }
  ga_problem_free(p);
}

/* too few iterations allowed: never accepted */
static void test_iteration_limit(void **state) {
  (void)state;
  ga_problem *p = problem_named("heavy-top");
  ga_options o = ga_options_default();
  o.newton_max = 1;
  ga_integrator *it = started(p, &o);
  snapshot before = take(p, it);
  assert_int_equal(ga_integrator_step(it), GA_RETRY_NEWTON);
  assert_non_null(strstr(ga_integrator_error(it)->text, "did not converge (1 iteration,"));
  snapshot after = take(p, it);
  assert_memory_equal(&before, &after, sizeof before);
  ga_integrator_free(it);
  ga_problem_free(p);
}

/* the solution does not depend on when the matrix is renewed, the work does */
static void test_matrix_every(void **state) {
  (void)state;
  ga_problem *p = problem_named("slider-crank");
  double q[2][10], lam[2][8];
  long matrices[2];
  for (int k = 0; k < 2; k++) {
    ga_options o = ga_options_default();
    o.h = 1e-3;
    o.matrix_every = k;
    o.newton_tol = 1e-13;
    ga_integrator *it = started(p, &o);
    must(ga_integrator_run(it, 0.5), ga_integrator_error(it));
    memcpy(q[k], ga_integrator_state(it)->q, sizeof q[k]);
    memcpy(lam[k], ga_integrator_state(it)->lam, sizeof lam[k]);
    matrices[k] = ga_integrator_stats(it)->matrices;
    ga_integrator_free(it);
  }
  assert_true(matrices[1] >= 500 && 10 * matrices[0] < 9 * matrices[1]);
  assert_true(vector_error(10, q[0], q[1]) < 1e-11);
  assert_true(vector_error(8, lam[0], lam[1]) < 1e-8);
  ga_problem_free(p);
}

/* a callback that fails at a chosen call, or from there on until it is mended */
static const ga_problem *inner;
static int countdown, answer;
static bool for_good;

static int failing_force(void *user, double t, const double *q, const double *v, double *F) {
  int code = separate_force(user, t, q, v, F);
  bool now = countdown == 0 || (for_good && countdown < 0 && countdown > -1000);
  countdown--;
  if (now) {
    if (answer == 0) F[1] = NAN;
    return answer;
  }
  return code;
}

static void test_callback_failures(void **state) {
  (void)state;
  const struct {
    int answer;
    ga_status status;
    const char *text;
  } cases[] = {{1, GA_RETRY_MODEL, "'force' asked for a smaller step"},
               {-7, GA_ERR_MODEL, "'force' failed and returned -7"},
               {0, GA_RETRY_NONFINITE, "'force' wrote"},
               {0, GA_OK, ""}}; /* NaN from one call: solved from another guess */
  ga_problem *p = problem_named("heavy-top");
  inner = p;
  ga_model_ops ops = separate_ops(&p->model);
  ops.force = failing_force;
  ga_model model = p->model;
  model.ops = &ops;
  for (int k = 0; k < 4; k++) {
    for (int when = 0; when < 4; when++) {
      ga_options o = ga_options_default();
      ga_integrator *it = NULL;
      for_good = cases[k].status == GA_RETRY_NONFINITE;
      countdown = -2000;
      must(ga_integrator_new(&model, &o, &it, NULL), NULL);
      must(ga_integrator_start(it, 0, p->q0, p->v0), ga_integrator_error(it));
      must(ga_integrator_run(it, 0.01), ga_integrator_error(it));
      snapshot before = take(p, it);
      answer = cases[k].answer;
      countdown = when;
      ga_status status = ga_integrator_step(it);
      if (countdown >= 0) { /* fewer evaluations in this step */
        ga_integrator_free(it);
        break;
      }
      assert_int_equal(status, cases[k].status);
      assert_non_null(strstr(ga_integrator_error(it)->text, cases[k].text));
      snapshot after = take(p, it);
      if (status != GA_OK) assert_memory_equal(&before, &after, sizeof before);
      countdown = -2000;
      must(ga_integrator_step(it), ga_integrator_error(it));
      ga_integrator_free(it);
    }
  }
  ga_problem_free(p);
}

/* Steps so small that a residual at rounding moves the multipliers: the iteration must end there.
 */
static void test_rounding_level(void **state) {
  (void)state;
  ga_problem *p = problem_named("heavy-top");
  for (double rho = 0.2; rho < 1; rho += 0.7) {
    ga_options o = ga_options_default();
    o.method = "soi2";
    o.par = ga_params_rho(rho);
    o.h = 1.0416666e-5;
    ga_integrator *it = started(p, &o);
    must(ga_integrator_run(it, 0.17), ga_integrator_error(it));
    ga_integrator_free(it);
  }
  ga_problem_free(p);
}

/* 30 steps with a linear solver of the user's, which fails as `counts` says; a step that fails is
 * repeated. Returns how many failed. */
static int run_with_solver(const ga_problem *p, const ga_method *m, own_counts *counts,
                           snapshot *end) {
  const own_counts wanted = *counts;
  ga_options o = ga_options_default();
  use_method(&o, m);
  o.h = 1e-3;
  o.linsol_ops = &own_solver;
  o.linsol_context = counts;
  *counts = (own_counts){0};
  ga_integrator *it = started(p, &o); /* the start does not fail */
  *counts = wanted;
  int failed = 0;
  for (int n = 0; n < 30; n++) {
    snapshot before = take(p, it);
    if (ga_integrator_step(it) == GA_OK) continue;
    failed++;
    snapshot after = take(p, it);
    assert_memory_equal(&before, &after, sizeof before);
    must(ga_integrator_step(it), ga_integrator_error(it));
  }
  *end = take(p, it);
  ga_integrator_free(it);
  return failed;
}

/* A factorization or a solve of a user's solver fails once in a run: the state is the one before
 * the step, or the step is solved from another guess. The run ends where it would have ended. */
static void test_solver_fails_once(void **state) {
  (void)state;
  static const ga_status reasons[] = {GA_RETRY_SINGULAR, GA_ERR_BACKEND};
  ga_problem *p = problem_named("heavy-top");
  int failed = 0;
  for (const ga_method *m = NULL; (m = next_method(m, &p->model, p->q0)) != NULL;) {
    snapshot plain, end;
    own_counts counts = {0};
    assert_int_equal(run_with_solver(p, m, &counts, &plain), 0);
    for (int k = 0; k < 4; k++) {
      for (int call = 0; call < 30; call += 3) {
        counts = (own_counts){.fail_status = reasons[k % 2]};
        *(k < 2 ? &counts.factor_from : &counts.solve_from) = call;
        *(k < 2 ? &counts.factor_times : &counts.solve_times) = 1;
        failed += run_with_solver(p, m, &counts, &end);
        double near = fmax(vector_error(7, end.q, plain.q), vector_error(6, end.v, plain.v));
        double later = vector_error(6, end.vd, plain.vd);
        if (near > 1e-9 || later > 1e-6) {
          fail_msg("%s, call %d: q, v differ by %g, v' by %g", method_text(m), call, near, later);
        }
      }
    }
  }
  assert_true(failed > 0);
  ga_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tiny_steps),        cmocka_unit_test(test_failed_step),
      cmocka_unit_test(test_iteration_limit),   cmocka_unit_test(test_matrix_every),
      cmocka_unit_test(test_callback_failures), cmocka_unit_test(test_rounding_level),
      cmocka_unit_test(test_solver_fails_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

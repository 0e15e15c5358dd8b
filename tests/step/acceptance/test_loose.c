/* SPDX-License-Identifier: MIT */
/* The tolerance of Newton's iteration in automatic steps: loose where no force is stiff. */
#include "problems/problems.h"
#include "run/integrator.h"
#include "small_models.h"

static const double horizontal[] = {1, 0}, at_rest[] = {0, 0};

/* The tolerance in the last step of a run to 0.1. */
static double tolerance_at(small *s, const ga_options *o) {
  ga_integrator *it = small_start(s, o, horizontal, at_rest);
  must(ga_integrator_run(it, 0.1), ga_integrator_error(it));
  double tol = it->step.newton.acceptance.tol;
  ga_integrator_free(it);
  return tol;
}

/* A spring pendulum: a soft spring, one that vibrates faster than the steps, and the same with a
 * tolerance that the user has set, with given steps, and with a method that finds forces from positions. */
static void test_which(void **state) {
  (void)state;
  small s;
  small_open(&s, 2, spring_force, false);
  ga_options o = ga_options_default();
  o.rtol = 1e-4;
  s.k = 100;
  assert_between("soft", tolerance_at(&s, &o) / 1e-6, 0.999, 1.001);
  s.k = 1e10;
  assert_between("stiff", tolerance_at(&s, &o) / 1e-8, 0.999, 1.001);
  s.k = 100;
  o.rtol = 1e-2;
  assert_between("at most", tolerance_at(&s, &o) / 1e-5, 0.999, 1.001);
  o.method = "index3";
  assert_between("index3", tolerance_at(&s, &o) / 1e-8, 0.999, 1.001);
  o.method = "stab2";
  o.newton_tol = 1e-10;
  assert_between("asked for", tolerance_at(&s, &o) / 1e-10, 0.999, 1.001);
  o.newton_tol = o.rtol = 0;
  assert_between("given steps", tolerance_at(&s, &o) / 1e-12, 0.999, 1.001);
  small_close(&s);
}

typedef struct {
  double q[SUPPORT_MAX], v[SUPPORT_MAX];
  ga_stats stats;
} outcome;

static outcome run_with(const ga_problem *p, double newton_tol) {
  outcome r = {.stats = {0}};
  ga_options o = ga_options_default();
  ga_error err = {0};
  ga_integrator *it = NULL;
  o.rtol = 1e-4;
  o.newton_tol = newton_tol;
  o.multiplier_guess = p->mult0;
  must(ga_integrator_new(&p->model, &o, &it, &err), &err);
  must(ga_integrator_start(it, p->t0, p->q0, p->v0), ga_integrator_error(it));
  must(ga_integrator_run(it, p->t_end), ga_integrator_error(it));
  memcpy(r.q, ga_integrator_state(it)->q, (size_t)ga_space_nq(p->model.space) * sizeof(double));
  memcpy(r.v, ga_integrator_state(it)->v, (size_t)ga_space_nv(p->model.space) * sizeof(double));
  r.stats = *ga_integrator_stats(it);
  ga_integrator_free(it);
  return r;
}

/* As many steps as with newton_tol = 1e-12 and the same result, up to a fraction of rtol, by
 * less than half of the matrices. */
static void test_unseen(void **state) {
  (void)state;
  const char *const names[] = {"heavy-top", "andrews", "chain", "slider-crank"};
  for (int i = 0; i < 4; i++) {
    ga_problem *p = problem_named(names[i]);
    outcome loose = run_with(p, 0), tight = run_with(p, 1e-12);
    const int nq = ga_space_nq(p->model.space), nv = ga_space_nv(p->model.space);
    const double q = vector_error(nq, loose.q, tight.q) / ga_max_abs(nq, tight.q);
    const double v = vector_error(nv, loose.v, tight.v) / ga_max_abs(nv, tight.v);
    const double steps = (double)loose.stats.steps / (double)tight.stats.steps;
    assert_between(names[i], fmax(q, v) / 1e-4, 0, 1.0 / 3);
    assert_between("steps", steps, 0.98, 1.02);
    assert_true(2 * loose.stats.matrices < tight.stats.matrices);
    ga_problem_free(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_which),
      cmocka_unit_test(test_unseen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

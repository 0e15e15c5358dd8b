/* SPDX-License-Identifier: MIT */
/* Dense output: its ends, its order, on groups too, and the agreement of q' with v. */
#include "base/base.h"
#include "genalpha/ga_events.h"
#include "problems/problems.h"
#include "support.h"

enum { PARTS_OF_STEP = 8 };

typedef struct {
  double q[SUPPORT_MAX], v[SUPPORT_MAX], vd[SUPPORT_MAX], lam[SUPPORT_MAX], psi[SUPPORT_MAX];
} between;

static between dense_at(ga_integrator *it, double t) {
  between b;
  memset(&b, 0, sizeof b);
  must(ga_integrator_dense_output(it, t, b.q, b.v, b.vd, b.lam, b.psi), ga_integrator_error(it));
  return b;
}

/* Largest errors of q and v inside the first step, from exact start values, against a run with
 * steps of a 64th. */
static void step_errors(const ga_problem *p, const char *method, double h, double *error) {
  ga_options o = ga_options_default();
  o.method = method;
  o.h = h;
  ga_integrator *it = started(p, &o);
  must(ga_integrator_step(it), ga_integrator_error(it));
  o.method = "stab2";
  o.h = h / 64;
  ga_integrator *fine = started(p, &o);
  error[0] = error[1] = 0;
  for (int i = 1; i < PARTS_OF_STEP; i++) {
    double t = p->t0 + i * h / PARTS_OF_STEP;
    must(ga_integrator_run(fine, t), ga_integrator_error(fine));
    between b = dense_at(it, t);
    const ga_state *s = ga_integrator_state(fine);
    error[0] = fmax(error[0], ga_space_distance(p->model.space, b.q, s->q));
    error[1] = fmax(error[1], vector_error(ga_space_nv(p->model.space), b.v, s->v));
  }
  ga_integrator_free(it);
  ga_integrator_free(fine);
}

/* In one step from exact values q and v are of order 3 between the ends, as at the end. */
static void test_order(void **state) {
  (void)state;
  static const struct {
    const char *problem;
    double h, order; /* of q: the disk's term of order 3 is small in the first step */
  } cases[] = {{"heavy-top", 1e-3, 3},
               {"heavy-top-se3", 1e-3, 3},
               {"rheonomic", 0.02, 3},
               {"rolling-disk", 0.01, 3.32}};
  const char *const methods[] = {"stab2", "soi2"};
  for (int m = 0; m < 2; m++) {
    for (int c = 0; c < 4; c++) {
      ga_problem *p = problem_named(cases[c].problem);
      double coarse[2], fine[2];
      step_errors(p, methods[m], cases[c].h, coarse);
      step_errors(p, methods[m], cases[c].h / 2, fine);
      assert_near(cases[c].problem, slope(coarse[0], fine[0]), cases[c].order, 0.01);
      assert_near(cases[c].problem, slope(coarse[1], fine[1]), 3, 0.01);
      ga_problem_free(p);
    }
  }
}

/* Bit by bit the accepted states at both ends; continuous, and close to them nearby. */
static void test_ends(void **state) {
  (void)state;
  const char *const problems[] = {"heavy-top", "heavy-top-se3", "andrews", "rolling-disk"};
  for (int c = 0; c < 4; c++) {
    ga_problem *p = problem_named(problems[c]);
    int nq = ga_space_nq(p->model.space), nv = ga_space_nv(p->model.space);
    ga_options o = ga_options_default();
    o.h = p->h;
    o.rtol = c % 2 ? 1e-4 : 0;
    ga_integrator *it = started(p, &o);
    between last = dense_at(it, p->t0); /* at a start there is that time only */
    assert_memory_equal(last.q, p->q0, (size_t)nq * sizeof(double));
    assert_int_equal(ga_integrator_dense_output(it, p->t0 - o.h, last.q, NULL, NULL, NULL, NULL),
                     GA_ERR_ARG);
    for (int i = 0; i < 20; i++) {
      last = dense_at(it, ga_integrator_state(it)->t);
      must(ga_integrator_step(it), ga_integrator_error(it));
      const ga_state *s = ga_integrator_state(it);
      between from = dense_at(it, s->t - s->h), to = dense_at(it, s->t);
      assert_memory_equal(from.q, last.q, (size_t)nq * sizeof(double));
      assert_memory_equal(from.v, last.v, (size_t)nv * sizeof(double));
      assert_memory_equal(from.vd, last.vd, (size_t)nv * sizeof(double));
      assert_memory_equal(from.lam, last.lam, (size_t)p->model.nlam * sizeof(double));
      assert_memory_equal(to.q, s->q, (size_t)nq * sizeof(double));
      assert_memory_equal(to.psi, s->psi, (size_t)p->model.npsi * sizeof(double));
      between near = dense_at(it, s->t - 1e-9 * s->h),
              begun = dense_at(it, s->t - s->h * (1 - 1e-9));
      double v = 1 + fabs(s->h) * ga_max_abs(nv, s->v), vd = 1 + ga_max_abs(nv, s->vd) * s->h;
      assert_true(ga_space_distance(p->model.space, near.q, s->q) < 1e-8 * v);
      assert_true(ga_space_distance(p->model.space, begun.q, last.q) < 1e-8 * v);
      assert_true(vector_error(nv, near.v, s->v) < 1e-8 * vd);
      assert_true(vector_error(nv, begun.v, last.v) < 1e-8 * vd);
    }
    const ga_error *err = ga_integrator_error(it);
    double t = ga_integrator_state(it)->t, q[SUPPORT_MAX];
    assert_refused(ga_integrator_dense_output(it, t + o.h, q, NULL, NULL, NULL, NULL), err,
                   GA_ERR_ARG, "last step", NULL);
    assert_refused(ga_integrator_dense_output(it, NAN, q, NULL, NULL, NULL, NULL), err, GA_ERR_ARG,
                   "last step", NULL);
    must(ga_integrator_dense_output(it, t, NULL, NULL, NULL, NULL, NULL), err);
    ga_integrator_free(it);
    ga_problem_free(p);
  }
}

/* q' of the interpolant, trivialised, is v of the interpolant up to O(h^2), as the step's own error
 * of order 3 is met within h: central differences */
static void test_derivative(void **state) {
  (void)state;
  const char *const problems[] = {"heavy-top", "heavy-top-se3"};
  for (int c = 0; c < 2; c++) {
    ga_problem *p = problem_named(problems[c]);
    int nv = ga_space_nv(p->model.space);
    double error[2] = {0};
    for (int l = 0; l < 2; l++) {
      ga_options o = ga_options_default();
      o.h = ldexp(1e-3, -l);
      ga_integrator *it = started(p, &o);
      must(ga_integrator_run(it, 0.01), ga_integrator_error(it));
      double t0 = 0.01 - o.h, d = 1e-4 * o.h, w[SUPPORT_MAX];
      for (int i = 1; i < PARTS_OF_STEP; i++) {
        double t = t0 + i * o.h / PARTS_OF_STEP;
        between before = dense_at(it, t - d), after = dense_at(it, t + d), now = dense_at(it, t);
        ga_space_diff(p->model.space, before.q, after.q, w);
        for (int k = 0; k < nv; k++) w[k] /= 2 * d;
        error[l] = fmax(error[l], vector_error(nv, w, now.v));
      }
      ga_integrator_free(it);
    }
    assert_between(problems[c], slope(error[0], error[1]), 1.97, 2.03);
    assert_near(problems[c], error[1], c == 0 ? 3.041e-3 : 5.991e-3, 0.01);
    ga_problem_free(p);
  }
}

/* who keeps the addresses of a state's arrays sees every new state there */
static void test_arrays_stay(void **state) {
  (void)state;
  ga_problem *p = problem_named("heavy-top");
  ga_options o = ga_options_default();
  o.h = p->h;
  ga_integrator *it = started(p, &o);
  const ga_state *s = ga_integrator_state(it), first = *s;
  for (int k = 0; k < 5; k++) {
    double q0 = s->q[0], v0 = s->v[0], from[SUPPORT_MAX], lam[SUPPORT_MAX], lam0 = s->lam[0];
    double t0 = s->t;
    must(ga_integrator_step(it), ga_integrator_error(it));
    assert_true(s->q == first.q && s->v == first.v && s->vd == first.vd && s->a == first.a);
    assert_true(s->lam == first.lam && s->psi == first.psi);
    assert_true(first.v[0] != v0);
    /* and the state before is still known, bit by bit */
    must(ga_integrator_dense_output(it, t0, from, NULL, NULL, lam, NULL), ga_integrator_error(it));
    assert_true(from[0] == q0 && lam[0] == lam0);
  }
  ga_integrator_free(it);
  ga_problem_free(p);
}

static double until_third(void *context, const ga_state *s) {
  return s->t - *(const double *)context;
}

/* After an event that ends the run in the first half of a step, v' inside that step is the
 * derivative of v, as in a whole step; it was constant. */
static void test_before_event(void **state) {
  (void)state;
  ga_problem *p = problem_named("heavy-top");
  ga_options o = ga_options_default();
  o.h = 1e-3;
  double t_event = 10.3 * o.h;
  ga_integrator *it = started(p, &o);
  const ga_event event = {.value = until_third, .context = &t_event, .terminal = true};
  must(ga_integrator_add_event(it, &event), ga_integrator_error(it));
  assert_int_equal(ga_integrator_run(it, 1), GA_EVENT);
  double from = 10 * o.h, part = t_event - from, d = 1e-3 * part, change = 0;
  int nv = ga_space_nv(p->model.space);
  between first = dense_at(it, from + 0.1 * part);
  for (int i = 1; i < PARTS_OF_STEP; i++) {
    double t = from + i * part / PARTS_OF_STEP;
    between before = dense_at(it, t - d), after = dense_at(it, t + d), now = dense_at(it, t);
    for (int k = 0; k < nv; k++) {
      double slope_v = (after.v[k] - before.v[k]) / (2 * d);
      assert_true(fabs(slope_v - now.vd[k]) <= 1e-6 * ga_max_abs(nv, now.vd));
      change = fmax(change, fabs(now.vd[k] - first.vd[k]));
    }
  }
  assert_true(change > 1e-4 * ga_max_abs(nv, first.vd));
  ga_integrator_free(it);
  ga_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order),        cmocka_unit_test(test_ends),
      cmocka_unit_test(test_derivative),   cmocka_unit_test(test_arrays_stay),
      cmocka_unit_test(test_before_event),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

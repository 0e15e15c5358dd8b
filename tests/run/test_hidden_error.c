/* SPDX-License-Identifier: MIT */
/* Automatic steps of a method that leaves the hidden constraint free: velocities and forces of a
 * prescribed motion, which has no other errors, and rounding. */
#include "problems/problems.h"
#include "small_models.h"

/* One unit mass at x = s(t) = sin(3 t) + t^2/4: v = s', lam = -s'' for g = x - s. */
static double place(double t, int derivative) {
  switch (derivative) {
    case 0:
      return sin(3 * t) + t * t / 4;
    case 1:
      return 3 * cos(3 * t) + t / 2;
    default:
      return -9 * sin(3 * t) + 0.5;
  }
}

static int led(void *user, double t, const double *q, double *g) {
  (void)user;
  g[0] = q[0] - place(t, 0);
  return 0;
}

static int led_jac(void *user, double t, const double *q, ga_csr *G) {
  (void)user, (void)t, (void)q;
  G->val[0] = 1;
  return 0;
}

static int led_t(void *user, double t, const double *q, double *gt) {
  (void)user, (void)q;
  gt[0] = -place(t, 1);
  return 0;
}

static int led_drift(void *user, double t, const double *q, const double *v, double *drift) {
  (void)user, (void)q, (void)v;
  drift[0] = -place(t, 2);
  return 0;
}

static int no_force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)q, (void)v;
  F[0] = 0;
  return 0;
}

typedef struct {
  double v, lam; /* largest errors, relative to the largest values */
} worst;

static int watch(void *context, const ga_state *s, const ga_stats *stats) {
  (void)stats;
  worst *w = context;
  w->v = fmax(w->v, fabs(s->v[0] - place(s->t, 1)) / 4);
  w->lam = fmax(w->lam, fabs(s->lam[0] + place(s->t, 2)) / 9.5);
  return 0;
}

/* The motion is prescribed, so that the filter leaves no error of q and v; h is what the errors of v
 * and lam in the direction of the constraint ask for. Both are within a few rtol, for every rho_inf,
 * and the number of steps grows like rtol^(-1/2). */
static void test_prescribed(void **state) {
  (void)state;
  small s;
  small_open(&s, 1, no_force, false);
  s.ops.holonomic = led;
  s.ops.holonomic_jac = led_jac;
  s.ops.holonomic_t = led_t;
  s.ops.holonomic_drift = led_drift;
  s.model.nlam = 1;
  s.model.scleronomic = false;
  const double q = place(0, 0), v = place(0, 1);
  for (int rho = 0; rho <= 9; rho += 3) {
    long before = 0;
    for (double rtol = 1e-2; rtol > 0.5e-5; rtol /= 10) {
      worst w = {0, 0};
      ga_options o = ga_options_default();
      o.method = "index3";
      o.par = ga_params_rho(0.1 * rho);
      o.rtol = rtol, o.h_max = INFINITY;
      ga_integrator *it = small_start(&s, &o, &q, &v);
      ga_integrator_observe(it, watch, &w);
      must(ga_integrator_run(it, 4), ga_integrator_error(it));
      assert_between("error of v over rtol", w.v / rtol, 0, 2);
      assert_between("error of lam over rtol", w.lam / rtol, 0.1, 4);
      long steps = ga_integrator_stats(it)->steps;
      if (before > 0) assert_between("steps", (double)steps / (double)before, 2.2, 4.5);
      before = steps;
      ga_integrator_free(it);
    }
  }
  small_close(&s);
}

/* The rounding of positions over h^2 is in lam, not in the size of steps: these follow rtol^(-1/2)
 * where lam has no digits of that many. */
static void test_rounding(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double t;
  } cases[] = {{"andrews", 0.005}, {"slider-crank", 0.02}, {"chain", 0.1}};
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    ga_problem *p = problem_named(cases[c].name);
    double steps[2];
    for (int l = 0; l < 2; l++) {
      ga_options o = ga_options_default();
      o.method = "index3";
      o.par = ga_params_rho(p->rho_inf);
      o.h = p->h;
      o.rtol = l == 0 ? 1e-5 : 1e-7, o.h_max = INFINITY;
      ga_integrator *it = started(p, &o);
      must(ga_integrator_run(it, cases[c].t), ga_integrator_error(it));
      steps[l] = (double)ga_integrator_stats(it)->steps;
      ga_integrator_free(it);
    }
    assert_between(cases[c].name, steps[1] / steps[0], 5, 14);
    ga_problem_free(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_prescribed),
                                     cmocka_unit_test(test_rounding)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

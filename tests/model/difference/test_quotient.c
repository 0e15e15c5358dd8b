/* SPDX-License-Identifier: MIT */
/* Drifts by differences: second derivatives of g along the motion, each row with its own step. */
#include <float.h>

#include "model/evaluation.h"
#include "support.h"

enum { N = 5 };

static int no_mass(void *user, double t, const double *q, ga_csr *M) {
  (void)user, (void)t, (void)q;
  for (int i = 0; i < N; i++) M->val[i * N + i] = 1;
  return 0;
}
static int no_force(void *user, double t, const double *q, const double *v, double *F) {
  (void)user, (void)t, (void)q, (void)v;
  memset(F, 0, N * sizeof *F);
  return 0;
}

/* a pendulum of length R, a slider moved by a rotor, a mass moved by 1e-3 sin(rate t); g may refuse
 * to go far with the rotor */
static struct {
  double R, rate, refuse;
  bool nan;
  long calls;
} mill;

static int mill_g(void *user, double t, const double *q, double *g) {
  (void)user;
  mill.calls++;
  g[0] = (q[0] * q[0] + q[1] * q[1] - mill.R * mill.R) / 2;
  g[1] = q[2] - sin(q[3]);
  g[2] = q[4] - 1e-3 * sin(mill.rate * t);
  bool far = fabs(q[3] - 0.5) > mill.refuse;
  if (far && mill.nan) g[1] = sqrt(-1 - q[3] * q[3]);
  return far && !mill.nan;
}

/* the largest error of each row, in units of V^2, W^2 and 1e-3 rate^2, over all positions */
static void drift_errors(double V, double W, double h, bool trusting, double error[3]) {
  const ga_model_ops ops = {.mass = no_mass, .force = no_force, .holonomic = mill_g};
  ga_space *space = NULL;
  ga_arena arena = {0};
  ga_error err = {0};
  ga_eval e = {.model = NULL};
  must(ga_space_rn(N, &space), NULL);
  ga_model model = {.ops = &ops, .space = space, .nlam = 3, .const_mass = true};
  must(ga_eval_init(&e, &model, &arena, &err), &err);
  ga_eval_set_step(&e, h);
  e.trusting = trusting;
  error[0] = error[1] = error[2] = 0;
  mill.calls = 0;
  for (int k = 0; k < 100; k++) {
    double a = 0.1 * k, b = 0.5, t = 0.37 * k / mill.rate, drift[3];
    const double q[N] = {mill.R * cos(a), mill.R * sin(a), sin(b), b, 1e-3 * sin(mill.rate * t)};
    const double v[N] = {-V * sin(a), V * cos(a), W * cos(b), W, 0};
    must(ga_eval_g_drift(&e, t, q, v, drift), &err);
    error[0] = fmax(error[0], fabs(drift[0] / (V * V) - 1));
    error[1] = fmax(error[1], fabs(drift[1] / (W * W) - sin(b)));
    error[2] = fmax(error[2], fabs(drift[2] / (1e-3 * mill.rate * mill.rate) - sin(mill.rate * t)));
  }
  ga_arena_free(&arena);
  ga_space_free(space);
}

/* Every row has the step that suits it: a fast rotor costs the pendulum nothing, nor does a fast
 * drive, nor is a pendulum of a kilometre rounded like one that moves within a millimetre. */
static void test_drift(void **state) {
  (void)state;
  static const struct {
    double R, V, W, rate, h;
    long calls; /* at most, for one drift */
  } cases[] = {{1, 1, 1, 1, 1e-3, 5},        {1, 1, 100, 1, 1e-3, 21},   {1, 1, 1e4, 1, 1e-3, 17},
               {1, 1, 1e6, 1, 1e-3, 17},     {1e3, 100, 1, 1, 1e-3, 13}, {1e5, 1e3, 1, 1, 1e-3, 13},
               {1, 1, 1, 316, 1e-4, 17},     {1, 1, 1, 1000, 1e-4, 25},  {1, 1, 1, 3162, 1e-5, 29},
               {1, 1, 1, 1e4, 1e-5, 29},     {1, 1, 1, 31623, 1e-6, 33}, {1, 1, 1, 1e5, 1e-6, 37},
               {1e3, 10, 1e3, 1e3, 1e-4, 37}};
  const double d = 0x1p-9;
  mill.refuse = INFINITY;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    double error[3];
    mill.R = cases[c].R, mill.rate = cases[c].rate;
    drift_errors(cases[c].V, cases[c].W, cases[c].h, false, error);
    double size = mill.R / cases[c].V, noise = 4 * DBL_EPSILON / (d * d);
    bool good = error[0] <= noise * size * size + 1e-8;
    good = good && error[1] <= noise + 1e-8 && error[2] <= noise + 1e-8;
    if (!good) fail_msg("case %zu: %g %g %g", c, error[0], error[1], error[2]);
    if (mill.calls > 100 * cases[c].calls) fail_msg("case %zu: %ld calls", c, mill.calls);
  }
}

/* where g does not exist far away, the motion limits the step of all rows */
static void test_drift_nearby(void **state) {
  (void)state;
  mill.R = 1, mill.rate = 1, mill.refuse = 0.1;
  for (int k = 0; k < 3; k++) {
    double error[3];
    mill.nan = k > 0;
    drift_errors(1, 1e3, 1e-3, k == 2, error);
    assert_true(error[0] <= 1e-3 && error[1] <= 1e-9);
  }
  mill.refuse = INFINITY;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_drift),
      cmocka_unit_test(test_drift_nearby),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

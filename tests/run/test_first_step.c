/* SPDX-License-Identifier: MIT */
/* The first automatic step: its size follows from the formula of the local error. */
#include "mechanisms.h"
#include "run/step_size.h"
#include "small_models.h"

/* oscillators that do not know of each other: k of one of them, 1 of the others */
static int fast;
static int apart_force(void *user, double t, const double *q, const double *v, double *F) {
  const small *s = user;
  (void)t, (void)v;
  for (int i = 0; i < s->n; i++) F[i] = -(i == fast ? s->k : 1) * q[i];
  return 0;
}

/* The first step is the one whose error, by the formula of the local error, is 0.3 of what a step may
 * have. The fastest component rules, whichever of them it is:
 *   q: h^3 |1 - 6 beta - 3 alpha| k |v|/6 = 0.3 atol sqrt(atol/|q|),
 *   v: h^3 |-1/12 + alpha/2 - alpha alpha_f| k^2 q = 0.3 atol sqrt(atol/|v|) */
static void test_first_step(void **state) {
  (void)state;
  enum { N = 3 };
  const double k = 400, atol = 1e-8, q0[N] = {1, 1, 1}, v0[N] = {2, 2, 2}, zeros[N] = {0};
  small s;
  small_open(&s, N, apart_force, false);
  s.k = k;
  for (int c = 0; c < 2 * N; c++) {
    bool position = c < N;
    ga_options o = ga_options_default();
    ga_params par = o.par = ga_params_rho(0.6);
    double alpha = par.alpha_m - par.alpha_f;
    double by_q = fabs(1 - 6 * par.beta - 3 * alpha) * k * v0[0] / 6;
    double by_v = fabs(-1.0 / 12 + alpha / 2 - alpha * par.alpha_f) * k * k * q0[0];
    double allowed = GA_STEP_AIM * atol * sqrt(atol / (position ? q0[0] : v0[0]));
    fast = c % N;
    o.atol = atol;
    *(position ? &o.weight_v : &o.weight_q) = zeros;
    ga_integrator *it = small_start(&s, &o, q0, v0);
    must(ga_integrator_step(it), ga_integrator_error(it));
    assert_int_equal(ga_integrator_stats(it)->rejected, 0);
    assert_near("first step", ga_integrator_state(it)->h, cbrt(allowed / (position ? by_q : by_v)),
                1e-3);
    ga_integrator_free(it);
  }
  small_close(&s);
}

/* A block that tips about a corner falls freely as long as the forces there are unknown, and a free
 * fall would be followed in one step of any size. The first step is that of the block with its
 * contact, whatever is guessed. */
static void test_start_in_contact(void **state) {
  (void)state;
  ga_file *file = model_loaded("rocking-block", NULL, 0);
  const ga_mechanism *m = ga_file_mechanism(file);
  static const char *const methods[] = {"stab2", "index3"};
  for (int k = 0; k < 2; k++) {
    double first = 0;
    for (double guess = 1; guess > 1e-7; guess /= 100) {
      ga_error err = {0};
      ga_integrator *it = NULL;
      ga_options o = ga_options_default();
      o.method = methods[k];
      o.rtol = 1e-5, o.h_max = INFINITY, o.h = guess;
      must(ga_integrator_new(ga_mechanism_model(m), &o, &it, &err), &err);
      must(ga_integrator_start(it, 0, ga_mechanism_q0(m), ga_mechanism_v0(m)),
           ga_integrator_error(it));
      must(ga_integrator_step(it), ga_integrator_error(it));
      if (first == 0) first = ga_integrator_state(it)->h;
      assert_between("first step", ga_integrator_state(it)->h / first, 0.1, 10);
      must(ga_integrator_run(it, 0.3), ga_integrator_error(it));
      assert_in_range(ga_integrator_stats(it)->steps, 100, 500);
      ga_integrator_free(it);
    }
  }
  ga_file_free(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_first_step),
                                     cmocka_unit_test(test_start_in_contact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Parameter sets, the conditions of AB07 section 2.3, and the linear test equation. */
#include <float.h>

#include "problems/problems.h"
#include "support.h"

void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda,
            double *wr, double *wi, double *vl, const int *ldvl, double *vr, const int *ldvr,
            double *work, const int *lwork, int *info, size_t left_len, size_t right_len);

/* eigenvalues of the amplification matrix by LAPACK's QR iteration (A^T has the same ones) */
static void eigenvalues(const ga_params *par, double omega_h, double wr[3], double wi[3]) {
  double A[9], work[64];
  int n = 3, lwork = 64, one = 1, info = -1;
  ga_params_amplification(par, omega_h, A);
  dgeev_("N", "N", &n, A, &n, wr, wi, NULL, &one, NULL, &one, work, &lwork, &info, 1, 1);
  assert_int_equal(info, 0);
}

static double radius_by_qr(const ga_params *par, double omega_h) {
  double wr[3], wi[3];
  eigenvalues(par, omega_h, wr, wi);
  return fmax(hypot(wr[0], wi[0]), fmax(hypot(wr[1], wi[1]), hypot(wr[2], wi[2])));
}

/* Eigenvalues at distance d from one another are known to eps/d (pairs) or eps/d^2 (triples), never
 * worse than eps^(1/2) and eps^(1/3). A pair meets at 1 for omega h -> 0, d = 2 omega h; three meet
 * at -rho_inf for omega h -> inf, for rho_inf = 1 with d = 4/(omega h), else more slowly. */
static double root_tolerance(double omega_h) {
  double pair = fmin(1 / omega_h, 1e8), triple = 20 * DBL_EPSILON * omega_h * omega_h;
  return 40 * DBL_EPSILON * (1 + pair) + fmin(triple, 2e-5);
}

static void assert_params(const ga_params *p, double alpha_m, double alpha_f, double beta,
                          double gamma, double b) {
  const double given[] = {p->alpha_m, p->alpha_f, p->beta, p->gamma, p->b};
  const double expected[] = {alpha_m, alpha_f, beta, gamma, b};
  assert_true(vector_error(5, given, expected) <= 1e-15);
}

static void test_chung_hulbert(void **state) {
  (void)state;
  /* known sets: asymptotic annihilation, rho = 1/2, no damping */
  ga_params p = ga_params_rho(0);
  assert_params(&p, -1, 0, 1, 1.5, 0);
  p = ga_params_rho(0.5);
  assert_params(&p, 0, 1.0 / 3, 4.0 / 9, 5.0 / 6, 0);
  p = ga_params_rho(1);
  assert_params(&p, 0.5, 0.5, 0.25, 0.5, 0);
  /* (24) for any rho: gamma = 1/2 + af - am, beta = (gamma + 1/2)^2/4 = 1/(1 + rho)^2 */
  for (int i = 0; i <= 20; i++) {
    double rho = i / 20.0;
    p = ga_params_rho(rho);
    assert_params(&p, (2 * rho - 1) / (rho + 1), rho / (rho + 1), 1 / ((1 + rho) * (1 + rho)),
                  (3 - rho) / (2 * (1 + rho)), 0);
  }
}

static void test_hht(void **state) {
  (void)state;
  for (int i = 0; i <= 12; i++) {
    double alpha = -i / 36.0;
    ga_params p = ga_params_hht(alpha, 0.3 * i);
    assert_params(&p, 0, -alpha, (1 - alpha) * (1 - alpha) / 4, 0.5 - alpha, 0.3 * i);
    ga_params_report rep = ga_params_check(&p);
    assert_true(rep.order2 && rep.zero_stable);
    assert_int_equal(rep.strict_at_inf, alpha < 0);
    /* sigma = ((1 - f) z + f) ((1 + f) z + 1 - f)^2/4 with f = -alpha: a double root */
    double f = -alpha, expected = fmax(f / (1 - f), (1 - f) / (1 + f));
    assert_true(fabs(rep.rho_inf - expected) <= 1e-7);
  }
}

static void test_names(void **state) {
  (void)state;
  ga_error err = {0};
  int count = 0;
  for (; ga_params_name(count); count++) {
    /* the whole struct is written, whatever was there */
    ga_params p = {NAN, NAN, NAN, NAN, NAN};
    assert_int_equal(ga_params_named(ga_params_name(count), &p, &err), GA_OK);
    assert_true(p.b == 0);
    assert_true(ga_params_check(&p).order2);
    for (int j = 0; j < count; j++) {
      assert_string_not_equal(ga_params_name(count), ga_params_name(j));
    }
  }
  assert_int_equal(count, 4);
  assert_null(ga_params_name(-1));
  ga_params p = {0};
  must(ga_params_named("newmark", &p, &err), &err);
  assert_params(&p, 0, 0, 0.25, 0.5, 0);
  must(ga_params_named("trapezoidal", &p, &err), &err);
  assert_params(&p, 0, 0, 0.25, 0.5, 0);
  must(ga_params_named("hht", &p, &err), &err);
  assert_params(&p, 0, 0.1, 0.3025, 0.6, 0);
  must(ga_params_named("chung-hulbert", &p, &err), &err);
  const ga_params rho9 = ga_params_rho(0.9), before = p;
  assert_memory_equal(&p, &rho9, sizeof p);
  ga_status status = ga_params_named("newmarc", &p, &err);
  assert_refused(status, &err, GA_ERR_ARG, "'newmarc'", "newmark, trapezoidal, hht, chung-hulbert");
  assert_memory_equal(&p, &before, sizeof p);
}

/* each condition broken alone and together, told in words */
static void test_report(void **state) {
  (void)state;
  const struct {
    ga_params p;
    bool order2, zero_stable, strict;
  } sets[] = {
      {{0, 1.0 / 3, 4.0 / 9, 5.0 / 6, 0}, true, true, true},
      {{0, 1.0 / 3, 4.0 / 9, 0.8, 0}, false, true, true},
      {{0, 1.0 / 3, 4.0 / 9, 0.9, 0}, false, true, true},
      {{0.5, 0.5, 0.25, 0.5, 0}, true, true, false},
      {{0.6, 0.7, 0.35, 0.6, 0}, true, false, false},
      {{0.2, 0.1, 0.5, 0.4, 0}, true, true, false},      /* alpha_m > alpha_f */
      {{0.1, 0.5, 0.8, 0.9, 0}, true, true, false},      /* alpha_f = 1/2 */
      {{0.1, 0.3, 0.35, 0.7, 0}, true, true, false},     /* beta = 1/4 + (af - am)/2 */
      {{0.1, 0.3, 0.3500001, 0.7, 0}, true, true, true}, /* and above */
      {{0.6, 0.5, 0.25, 0.5, 0}, false, false, false},
      {{-1, -1.0 / 4, 1, 1.25, 0}, true, true, true},
  };
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    ga_params_report rep = ga_params_check(&sets[i].p);
    assert_int_equal(rep.order2, sets[i].order2);
    assert_int_equal(rep.zero_stable, sets[i].zero_stable);
    assert_int_equal(rep.strict_at_inf, sets[i].strict);
    assert_int_equal(strstr(rep.text, "(20)") == NULL, sets[i].order2);
    assert_int_equal(strstr(rep.text, "(21)") == NULL, sets[i].zero_stable);
    assert_int_equal(strstr(rep.text, "(23)") == NULL, sets[i].strict);
    bool fine = sets[i].order2 && sets[i].zero_stable && sets[i].strict;
    assert_int_equal(rep.text[0] == '\0', fine);
    assert_true(fine || rep.text[strlen(rep.text) - 1] == '.');
    /* Lemma 1: (20) and (23) imply strict stability at infinity */
    if (rep.order2 && rep.strict_at_inf) assert_true(rep.rho_inf < 1);
  }
  /* Stoermer's beta = 0 and alpha_f = 1 have no damping at infinity: nothing bounds the step */
  const ga_params stoermer = {0, 0, 0, 0.5, 0}, old_only = {0, 1, 0.5, 0.5, 0};
  assert_true(ga_params_check(&stoermer).rho_inf == INFINITY);
  assert_true(ga_params_check(&old_only).rho_inf == INFINITY);
  assert_false(ga_params_check(&stoermer).strict_at_inf);
}

/* one step on the oscillator from the formulas of AB07 (3)-(5), solved for a_1 by hand */
static void hand_step(const ga_params *p, double omega, double h, const double from[3],
                      double to[3]) {
  double q = from[0], v = from[1], a = from[2], k = omega * omega;
  double q_known = q + h * v + h * h * (0.5 - p->beta) * a;
  double right = -k * ((1 - p->alpha_f) * q_known + p->alpha_f * q) - p->alpha_m * a;
  double a1 = right / (1 - p->alpha_m + (1 - p->alpha_f) * k * h * h * p->beta);
  to[0] = q_known + h * h * p->beta * a1;
  to[1] = v + h * ((1 - p->gamma) * a + p->gamma * a1);
  to[2] = a1;
}

static void test_amplification(void **state) {
  (void)state;
  const ga_params sets[] = {ga_params_rho(0),       ga_params_rho(0.4),       ga_params_rho(1),
                            ga_params_hht(-0.2, 0), {0.1, 0.3, 0.4, 0.55, 0}, {0, 0, 0, 0.5, 0}};
  const double steps[] = {0, 1e-9, 1e-3, 0.3, 2, 50, 1e4, 1e8};
  const double h = 0.037;
  for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
      double A[9];
      ga_params_amplification(&sets[s], steps[i], A);
      for (int j = 0; j < 3; j++) {
        /* unit vectors of the scaled state (q, h v, h^2 a) */
        double from[3] = {j == 0, (j == 1) / h, (j == 2) / (h * h)}, to[3];
        hand_step(&sets[s], steps[i] / h, h, from, to);
        const double expected[3] = {to[0], h * to[1], h * h * to[2]};
        /* explicit steps have no bound, everything else is O(1) however stiff */
        double size = sets[s].beta == 0 ? 1 + steps[i] * steps[i] : 10;
        for (int k = 0; k < 3; k++) {
          assert_true(fabs(A[3 * k + j] - expected[k]) <= 1e-14 * size);
        }
      }
    }
  }
}

/* the integrator itself moves the oscillator by this matrix */
static void test_amplification_of_integrator(void **state) {
  (void)state;
  ga_problem *problem = problem_named("oscillator");
  ga_options o = ga_options_default();
  o.h = 0.4;
  o.par = ga_params_rho(0.3);
  ga_integrator *it = started(problem, &o);
  const ga_state *s = ga_integrator_state(it);
  double omega = ga_problem_options_default().omega, A[9];
  ga_params_amplification(&o.par, omega * o.h, A);
  for (int n = 0; n < 20; n++) {
    const double x[3] = {s->q[0], o.h * s->v[0], o.h * o.h * s->a[0]};
    must(ga_integrator_step(it), ga_integrator_error(it));
    const double x1[3] = {s->q[0], o.h * s->v[0], o.h * o.h * s->a[0]};
    for (int i = 0; i < 3; i++) {
      double sum = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
      assert_true(fabs(x1[i] - sum) <= 1e-12 * (1 + fabs(sum)));
    }
  }
  ga_integrator_free(it);
  ga_problem_free(problem);
}

/* (21)-(24) and Lemma 1: all three roots meet at -rho_inf; no step size amplifies anything */
static void test_radius_of_rho(void **state) {
  (void)state;
  for (int i = 0; i <= 10; i++) {
    double rho = i / 10.0;
    ga_params p = ga_params_rho(rho);
    assert_true(fabs(ga_params_check(&p).rho_inf - rho) <= 4e-16);
    assert_true(fabs(ga_params_spectral_radius(&p, 1e8) - rho) <= 1e-5);
    assert_true(fabs(ga_params_spectral_radius(&p, 1e200) - rho) <= 1e-5);
    assert_true(fabs(ga_params_spectral_radius(&p, 0) - 1) <= 3e-8);
    for (int k = -1200; k <= 1200; k++) {
      double omega_h = pow(10, k / 100.0), radius = ga_params_spectral_radius(&p, omega_h);
      assert_true(radius <= 1 + root_tolerance(omega_h));
      assert_true(radius >= rho - root_tolerance(omega_h));
      /* damping wherever the step resolves the oscillation badly */
      if (rho < 1 && omega_h > 1) assert_true(radius < 1 - 5e-5);
    }
  }
}

/* the largest root of sigma from its factors in the proof of Lemma 1 */
static double sigma_radius(const ga_params *p) {
  double sum = (0.5 + p->gamma - 2 * p->beta) / p->beta,
         product = (0.5 - p->gamma + p->beta) / p->beta;
  double square = sum * sum / 4 - product, first = fabs(p->alpha_f / (1 - p->alpha_f));
  double pair = square < 0 ? sqrt(product) : fabs(sum / 2) + sqrt(square);
  return fmax(first, pair);
}

static void test_radius_against_qr(void **state) {
  (void)state;
  uint64_t seed = 31;
  for (int i = 0; i < 60; i++) {
    ga_params p = i <= 10 ? ga_params_rho(i / 10.0) : ga_params_hht(-(i % 10) / 30.0, 0);
    /* then sets without any property: real, complex, large and small roots */
    if (i > 20) {
      p.alpha_m = 0.9 * next_uniform(&seed), p.alpha_f = 0.9 * next_uniform(&seed);
      p.beta = 0.5 + 0.4 * next_uniform(&seed), p.gamma = 0.5 + 0.4 * next_uniform(&seed);
    }
    for (int k = -600; k <= 800; k += 7) {
      double omega_h = pow(10, k / 100.0);
      double radius = ga_params_spectral_radius(&p, omega_h), qr = radius_by_qr(&p, omega_h);
      if (!(fabs(radius - qr) <= root_tolerance(omega_h) * fmax(1, qr))) {
        fail_msg("set %d, omega h = %g: radius %.12g, QR %.12g", i, omega_h, radius, qr);
      }
    }
    /* the report's radius is the limit, and the root of sigma */
    double rho_inf = ga_params_check(&p).rho_inf;
    assert_near("rho_inf by QR", 1 + rho_inf, 1 + radius_by_qr(&p, 1e8), 2e-5);
    assert_near("rho_inf by factors", 1 + rho_inf, 1 + sigma_radius(&p), i > 20 ? 1e-12 : 1e-7);
  }
}

/* no damping and no growth */
static void test_trapezoidal(void **state) {
  (void)state;
  ga_params p = {0};
  ga_params_named("trapezoidal", &p, NULL);
  for (int k = -300; k <= 800; k++) {
    double omega_h = pow(10, k / 100.0);
    assert_true(fabs(ga_params_spectral_radius(&p, omega_h) - 1) <= 1e-12);
  }
  /* Stoermer's method is stable for omega h < 2 and explodes above */
  const ga_params stoermer = {0, 0, 0, 0.5, 0};
  assert_true(fabs(ga_params_spectral_radius(&stoermer, 1.99) - 1) <= 1e-12);
  assert_true(ga_params_spectral_radius(&stoermer, 2.1) > 1.5);
  /* zero-unstable: the parasitic root alone, alpha_m/(alpha_m - 1), exceeds 1 */
  const ga_params unstable = {0.6, 0.7, 0.4, 0.6, 0};
  assert_true(fabs(ga_params_spectral_radius(&unstable, 1e-6) - 1.5) <= 1e-9);
}

/* the pair of eigenvalues near exp(+-i omega h): local error h^3 if (20) holds, h^2 if not */
static double principal_error(const ga_params *p, double omega_h) {
  double wr[3], wi[3], least = INFINITY;
  eigenvalues(p, omega_h, wr, wi);
  for (int i = 0; i < 3; i++) {
    least = fmin(least, hypot(wr[i] - cos(omega_h), wi[i] - sin(omega_h)));
  }
  return least;
}

static void test_order(void **state) {
  (void)state;
  for (int i = 0; i < 10; i++) {
    ga_params p = i < 5 ? ga_params_rho(i / 5.0) : ga_params_hht((5 - i) / 15.0, 0);
    assert_true(ga_params_check(&p).order2);
    double order = slope(principal_error(&p, 0.01), principal_error(&p, 0.005));
    assert_between("local order", order, 2.9, 3.1);
    p.gamma += 0.05;
    assert_false(ga_params_check(&p).order2);
    order = slope(principal_error(&p, 0.01), principal_error(&p, 0.005));
    assert_between("local order without (20)", order, 1.9, 2.1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_chung_hulbert), cmocka_unit_test(test_hht),
      cmocka_unit_test(test_names),         cmocka_unit_test(test_report),
      cmocka_unit_test(test_amplification), cmocka_unit_test(test_amplification_of_integrator),
      cmocka_unit_test(test_radius_of_rho), cmocka_unit_test(test_radius_against_qr),
      cmocka_unit_test(test_trapezoidal),   cmocka_unit_test(test_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

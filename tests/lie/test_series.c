/* SPDX-License-Identifier: MIT */
/* The functions with removable singularities against long double, on both sides of each switch. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "genalpha/genalpha.h"
#include "lie/lie.h"

/* sum_k (-x)^k / (2k + m)! by running terms, from the largest on; used for x < 1 only */
static long double sum(int m, long double x) {
  long double term = 1, total = 0;
  for (int i = 2; i <= m; i++) term /= i;
  for (int k = 0; k < 30; k++) {
    total += term;
    term *= -x / ((2 * k + m + 1) * (2 * k + m + 2));
  }
  return total;
}

/* -d/dx of it, likewise: sum_k (k + 1) (-x)^k / (2k + m + 2)! */
static long double slope(int m, long double x) {
  long double term = 1, total = 0;
  for (int i = 2; i <= m + 2; i++) term /= i;
  for (int k = 0; k < 30; k++) {
    total += (k + 1) * term;
    term *= -x / ((2 * k + m + 3) * (2 * k + m + 4));
  }
  return total;
}

/* The definitions as they stand; long double has 3 digits to spare, and for t >= 1 the worst of
 * them, s5, loses two. Below that the sums. */
static long double reference(int which, double x_double) {
  long double x = x_double, t = sqrtl(x);
  long double s1 = sinl(t) / t, s2 = 2 * sinl(t / 2) * sinl(t / 2) / x,
              s3 = (t - sinl(t)) / (x * t);
  bool small = t < 1;
  switch (which) {
    case 1:
      return small ? sum(1, x) : s1;
    case 2:
      return small ? sum(2, x) : s2;
    case 3:
      return small ? sum(3, x) : s3;
    case 4:
      return small ? sum(4, x) : (x / 2 - 1 + cosl(t)) / (x * x);
    case 5:
      return small ? slope(3, x) : (3 * s3 - s2) / (2 * x);
    default:
      return small ? slope(2, x) / sum(2, x) : (1 - s1 / (2 * s2)) / x;
  }
}

static double (*const function[])(double) = {ga_s1, ga_s2, ga_s3, ga_s4, ga_s5, ga_s6};
enum { COUNT = 6 };
static const double at_zero[COUNT] = {1, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 12};

/* relative error, for s1 against 1, since it has a zero at t = pi */
static double error(int i, double x) {
  long double exact = reference(i + 1, x);
  long double scale = i == 0 ? 1 : fabsl(exact);
  return (double)(fabsl(function[i](x) - exact) / scale);
}

static void check(int i, double x, double tolerance) {
  double e = error(i, x);
  if (!(e <= tolerance)) fail_msg("s%d(%.17g): error %.3g", i + 1, x, e);
}

static void need_long_double(void) {
  if (LDBL_MANT_DIG < 64) skip();
}

/* the limit at zero, and no surprise for numbers whose square vanishes */
static void limits(void **state) {
  (void)state;
  for (int i = 0; i < COUNT; i++) {
    assert_true(fabs(function[i](0) - at_zero[i]) <= 1e-16);
    assert_true(fabs(function[i](DBL_MIN) - at_zero[i]) <= 1e-16);
    assert_true(fabs(function[i](4.9e-324) - at_zero[i]) <= 1e-16);
  }
}

/* t from 1e-9 up, dense from 0.01 to 3.6, past the last switch */
static void whole_range(void **state) {
  (void)state;
  need_long_double();
  for (int i = 0; i < COUNT; i++) {
    for (double t = 1e-9; t < 0.01; t *= 1.7) check(i, t * t, 6e-16);
    for (double t = 0.01; t < 3.6; t += 0.00037) check(i, t * t, 6e-16);
  }
}

/* The neighbourhood of the places where a branch may change. The two sides must agree with the
 * reference and, as neighbouring arguments give neighbouring values, with each other. */
static void both_sides(void **state) {
  (void)state;
  need_long_double();
  static const double place[] = {0.25, 1, 4, 6.25, 9, 12};
  for (size_t p = 0; p < sizeof place / sizeof *place; p++) {
    for (int i = 0; i < COUNT; i++) {
      double below = nextafter(place[p], 0), above = nextafter(place[p], 100);
      for (int k = -20; k <= 20; k++) check(i, place[p] * (1 + 1e-7 * k), 6e-16);
      check(i, below, 6e-16);
      check(i, place[p], 6e-16);
      check(i, above, 6e-16);
      double jump = fabs(function[i](below) - function[i](above));
      assert_true(jump <= 1.2e-15 * (i == 0 ? 1 : function[i](above)));
    }
  }
}

/* Beyond pi the functions come near zero again and again: errors are measured against the value at
 * zero, for s3 .. s5 with their decay. s6 has its pole there and is left out. */
static void large_arguments(void **state) {
  (void)state;
  need_long_double();
  for (int i = 0; i < COUNT - 1; i++) {
    for (double t = 3.6; t < 40; t += 0.01) {
      double x = t * t;
      double e = (double)fabsl(function[i](x) - reference(i + 1, x));
      if (!(e <= 2e-15 * at_zero[i] / (i < 2 ? 1 : 1 + x / 12)))
        fail_msg("s%d(%g): %g", i + 1, x, e);
    }
  }
}

/* the identities that connect them, which a wrong definition would break */
static void identities(void **state) {
  (void)state;
  for (double x = 1e-3; x < 12; x *= 1.37) {
    double s1 = ga_s1(x), s2 = ga_s2(x), s3 = ga_s3(x), s4 = ga_s4(x), s5 = ga_s5(x), t = sqrt(x);
    assert_true(fabs(s1 + x * s3 - 1) <= 1e-15);
    assert_true(fabs(s2 + x * s4 - 0.5) <= 1e-15);
    assert_true(fabs(s2 + 2 * x * s5 - 3 * s3) <= 1e-15);
    assert_true(fabs(s1 * t - sin(t)) <= 1e-15 && fabs(1 - x * s2 - cos(t)) <= 1e-14);
    assert_true(fabs(2 * s2 * ga_s6(x) + 2 * s4 - s3) <= 1e-15);
  }
}

/* s7 = 2 ds6/dx = (c^2 + c + x/4 - 2)/x^2, c = t/2 cot(t/2), where long double has digits to spare;
 * 2 c_1 = 1/360 at 0, and the quotient of s6 below. It enters tangents only: 1e-11 would do. */
static void test_s7(void **state) {
  (void)state;
  assert_true(fabs(360 * ga_s7(0) - 1) <= 1e-15);
  for (double t = 0.05; t < 6; t += 0.05) {
    const double x = t * t;
    const long double half = (long double)t / 2, c = half / tanl(half);
    const double direct = (double)((c * c + c + half * half - 2) / ((long double)x * x));
    if (t > 0.8) assert_true(fabs(ga_s7(x) - direct) <= 1e-13 * direct);
    const double h = 1e-3 * (1 + x) * 0.1;
    const double quotient =
        (ga_s6(x - 2 * h) - 8 * ga_s6(x - h) + 8 * ga_s6(x + h) - ga_s6(x + 2 * h)) / (6 * h);
    assert_true(fabs(ga_s7(x) - quotient) <= 1e-8 * direct + 1e-11);
  }
}

/* s8 = 2 ds7/dx: 8 c_2 = 8/30240 at 0, and the quotient of s7; 1e-11 is enough. */
static void test_s8(void **state) {
  (void)state;
  assert_true(fabs(3780 * ga_s8(0) - 1) <= 1e-15);
  for (double t = 0.05; t < 6; t += 0.05) {
    const double x = t * t, h = 1e-4 * (1 + x);
    const double quotient =
        (ga_s7(x - 2 * h) - 8 * ga_s7(x - h) + 8 * ga_s7(x + h) - ga_s7(x + 2 * h)) / (6 * h);
    assert_true(fabs(ga_s8(x) - quotient) <= 1e-7 * ga_s8(x) + 1e-11);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_s8),    cmocka_unit_test(test_s7),
      cmocka_unit_test(limits),     cmocka_unit_test(whole_range),
      cmocka_unit_test(both_sides), cmocka_unit_test(large_arguments),
      cmocka_unit_test(identities),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

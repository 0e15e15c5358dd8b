/* SPDX-License-Identifier: MIT */
/* The vector loops: sums, largest numbers, and numbers that are not finite. */
#include "support.h"

static void test_vectors(void **state) {
  (void)state;
  double x[] = {1, -3, 2}, y[] = {10, 20, 30};
  ga_axpy(3, -2, x, y);
  assert_true(y[0] == 8 && y[1] == 26 && y[2] == 26);
  ga_axpy(2, 1, x, y);
  assert_true(y[0] == 9 && y[1] == 23 && y[2] == 26);
  assert_true(ga_max_abs(3, x) == 3);
  assert_true(ga_max_abs(1, x) == 1);
  assert_true(ga_max_abs(0, x) == 0);
  assert_int_equal(ga_first_nonfinite(0, x), -1);
  for (int i = 0; i < 3; i++) {
    double z[] = {1, -1e308, 1e-320};
    assert_int_equal(ga_first_nonfinite(3, z), -1);
    z[i] = NAN;
    assert_true(isnan(ga_max_abs(3, z)));
    assert_int_equal(ga_first_nonfinite(3, z), i);
    z[i] = -INFINITY;
    assert_true(ga_max_abs(3, z) == INFINITY);
    assert_int_equal(ga_first_nonfinite(3, z), i);
    z[i] = INFINITY, z[(i + 1) % 3] = NAN;
    assert_true(isnan(ga_max_abs(3, z)));
    assert_int_equal(ga_first_nonfinite(3, z), i < 2 ? i : 0);
    z[(i + 1) % 3] = -INFINITY;
    assert_int_equal(ga_first_nonfinite(3, z), i < 2 ? i : 0);
  }
}

/* one number unlike the others, anywhere in vectors of all lengths: longer ones go by pieces */
static void test_long_vectors(void **state) {
  (void)state;
  enum { N = 300 };
  double x[N];
  for (int shape = 0; shape < 3; shape++) {
    for (int n = 1; n <= N; n += n < 140 ? 1 : 53) {
      for (int i = 0; i < n; i++) x[i] = shape == 0 ? -2 : shape == 1 ? i + 1 : (i - n) * 0.5;
      const double largest = shape == 0 ? 2 : shape == 1 ? n : 0.5 * n;
      assert_true(ga_max_abs(n, x) == largest);
      assert_true(!ga_any_above(n, x, largest) && ga_any_above(n, x, 0.99 * largest));
      assert_int_equal(ga_first_nonfinite(n, x), -1);
      for (int at = n % 7; at < n; at += 7) {
        const double kept = x[at];
        x[at] = -1e6;
        assert_true(ga_max_abs(n, x) == 1e6 && ga_any_above(n, x, largest));
        assert_true(!ga_any_above(n, x, 1e6));
        x[at] = -INFINITY;
        assert_true(ga_max_abs(n, x) == INFINITY && ga_any_above(n, x, 1e308));
        assert_int_equal(ga_first_nonfinite(n, x), at);
        x[at] = NAN;
        assert_true(isnan(ga_max_abs(n, x)) && ga_any_above(n, x, 1e308));
        assert_int_equal(ga_first_nonfinite(n, x), at);
        x[at] = kept;
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_vectors),
      cmocka_unit_test(test_long_vectors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

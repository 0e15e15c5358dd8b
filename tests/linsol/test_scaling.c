/* SPDX-License-Identifier: MIT */
/* Scaling of matrices: sizes near 1, and the same bits in other units. */
#include "linsol/scaling.h"
#include "support.h"

enum { N = 7, VELOCITIES = 4 };

/* The Newton matrix of two bodies with two coordinates each, a length and an angle, with l = 4 and
 * three constraints, in units in which a metre, kilogram, second is L, m, T. The second matrix of a
 * pair must be the first one with rows and columns multiplied by powers of two. */
static void fill(ga_csr *A, double L, double m, double T) {
  const double kinds[VELOCITIES] = {1, L, 1, L}; /* factor of a row or column of velocities */
  uint64_t seed = 11;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      const double x = (double)(seed >> 11) / 9007199254740992.0 - 0.3;
      double value = 0;
      if (i < VELOCITIES && j < VELOCITIES) {
        value = x * m * kinds[i] * kinds[j] * pow(10, i - 2);
      } else if (i < VELOCITIES || j < VELOCITIES) {
        const int velocity = i < j ? i : j, row = (i < j ? j : i) - VELOCITIES;
        value = x * kinds[velocity] * pow(100, row - 1) * (row == 1 ? 1 / L : 1);
        if (i > j) value /= T; /* a row may have any unit */
      }
      A->val[i * N + j] = value;
    }
  }
}

static void scaled(double L, double m, double T, double *val) {
  ga_arena arena = {0};
  int ptr[N + 1], col[N * N];
  double entries[N * N], size[N] = {1, 4 * L, 1, 4 * L};
  ga_csr A = {.nrow = N, .ncol = N, .ptr = ptr, .col = col, .val = entries};
  const ga_linsol_layout layout = {.size = size};
  for (int i = 0; i <= N; i++) ptr[i] = i * N;
  for (int e = 0; e < N * N; e++) col[e] = e % N;
  ga_scaling scale = {0};
  ga_scaling_init(&scale, N, N * N, &layout, &arena);
  assert_false(arena.failed);
  fill(&A, L, m, T);
  assert_true(ga_scaling_apply(&scale, &A, val));
  for (int i = 0; i < N; i++) { /* powers of two */
    int exponent;
    assert_true(frexp(scale.row[i], &exponent) == 0.5);
    assert_true(frexp(scale.col[i], &exponent) == 0.5);
  }
  ga_arena_free(&arena);
}

static void test_units(void **state) {
  (void)state;
  double first[N * N], other[N * N];
  scaled(1, 1, 1, first);
  static const int exponents[][3] = {{-10, 0, 0}, {0, -20, 0}, {0, 0, 9}, {30, -29, 7}};
  for (int k = 0; k < 4; k++) {
    scaled(ldexp(1, exponents[k][0]), ldexp(1, exponents[k][1]), ldexp(1, exponents[k][2]), other);
    assert_memory_equal(first, other, sizeof first);
  }
}

/* The largest entry of each row and column is near 1. */
static void test_sizes(void **state) {
  (void)state;
  double val[N * N];
  scaled(1e-5, 1e8, 1e-3, val);
  for (int i = 0; i < N; i++) {
    double row = 0, col = 0;
    for (int j = 0; j < N; j++) {
      row = fmax(row, fabs(val[i * N + j]));
      col = fmax(col, fabs(val[j * N + i]));
    }
    assert_true(row >= 0.125 && row <= 8);
    assert_true(col >= 0.125 && col <= 8);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_units), cmocka_unit_test(test_sizes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* What people who write models are given: patterns, entries by place, rotations. */
#include "genalpha/ga_helpers.h"

#include <float.h>

#include "lie/lie.h"
#include "support.h"

/* R^2 x SO(3) x SE(3): columns 2..4 and 5..10 belong together */
static ga_space *product_space(void) {
  ga_space *space = NULL;
  must(ga_space_new(&space), NULL);
  must(ga_space_add(space, &ga_group_rn, 2, NULL, NULL), NULL);
  must(ga_space_add(space, &ga_group_so3, 1, NULL, NULL), NULL);
  must(ga_space_add(space, &ga_group_se3, 1, NULL, NULL), NULL);
  return space;
}

static void assert_row(const ga_csr *A, int row, int n, const int *cols) {
  assert_int_equal(A->ptr[row + 1] - A->ptr[row], n);
  for (int k = 0; k < n; k++) assert_int_equal(A->col[A->ptr[row] + k], cols[k]);
}

static void test_pattern(void **state) {
  (void)state;
  ga_space *space = product_space();
  ga_pattern *p = NULL;
  const ga_csr *A = NULL;
  ga_error err = {0};
  must(ga_pattern_new(5, 11, &p), NULL);
  ga_pattern_add(p, 3, 7);
  ga_pattern_add(p, 0, 1);
  ga_pattern_add(p, 0, 0);
  ga_pattern_add(p, 0, 1);
  ga_pattern_add_block(p, 2, 1, 2, 2);
  must(ga_pattern_finish(p, &A, &err), &err);
  assert_row(A, 0, 2, (const int[]){0, 1});
  assert_row(A, 1, 0, NULL);
  assert_row(A, 2, 2, (const int[]){1, 2});
  assert_row(A, 3, 3, (const int[]){1, 2, 7});
  assert_row(A, 4, 0, NULL);
  assert_false(ga_space_pattern_closed(space, A, NULL, NULL));
  ga_pattern_close(p, space);
  must(ga_pattern_finish(p, &A, &err), &err);
  assert_row(A, 0, 2, (const int[]){0, 1});
  assert_row(A, 2, 4, (const int[]){1, 2, 3, 4});
  assert_row(A, 3, 10, (const int[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  assert_true(ga_space_pattern_closed(space, A, NULL, NULL));
  ga_pattern_add(p, 5, 0);
  assert_refused(ga_pattern_finish(p, &A, &err), &err, GA_ERR_ARG, "(5, 0)", "5 x 11");
  ga_pattern_free(p);
  ga_pattern_free(NULL);
  ga_space_free(space);
}

/* many entries in random order, against a full table */
static void test_random_pattern(void **state) {
  (void)state;
  enum { ROWS = 23, COLS = 17 };
  bool there[ROWS][COLS] = {{false}};
  uint64_t seed = 3;
  ga_pattern *p = NULL;
  const ga_csr *A = NULL;
  must(ga_pattern_new(ROWS, COLS, &p), NULL);
  for (int k = 0; k < 200; k++) {
    int i = (int)((next_uniform(&seed) + 1) / 2 * ROWS),
        j = (int)((next_uniform(&seed) + 1) / 2 * COLS);
    ga_pattern_add(p, i, j);
    there[i][j] = true;
  }
  must(ga_pattern_finish(p, &A, NULL), NULL);
  must(ga_csr_validate(A, ROWS, COLS, "A", NULL), NULL);
  double val[ROWS * COLS] = {0};
  ga_csr B = *A;
  B.val = val;
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < COLS; j++) {
      assert_int_equal(ga_csr_slot(A, i, j) >= 0, there[i][j]);
      assert_int_equal(ga_csr_add(&B, i, j, i + 0.01 * j), there[i][j]);
      if (there[i][j]) assert_true(val[ga_csr_slot(A, i, j)] == i + 0.01 * j);
    }
  }
  assert_int_equal(ga_csr_slot(A, -1, 0), -1);
  assert_int_equal(ga_csr_slot(A, 0, COLS), -1);
  ga_pattern_free(p);
}

static void test_full_matrix(void **state) {
  (void)state;
  double val[12] = {0};
  ga_csr A = {.nrow = 3, .ncol = 4, .val = val};
  assert_true(ga_csr_add_block(&A, 1, 2, 2, 2, (const double[]){1, 2, 3, 4}));
  assert_true(ga_csr_add(&A, 2, 3, 0.5));
  assert_false(ga_csr_add_block(&A, 2, 0, 2, 1, (const double[]){7, 8}));
  const double expected[12] = {0, 0, 0, 0, 0, 0, 1, 2, 7, 0, 3, 4.5};
  for (int e = 0; e < 12; e++) assert_true(val[e] == expected[e]);
}

/* a quarter turn about z takes e_x to e_y; all functions agree on random rotations */
static void test_rotations(void **state) {
  (void)state;
  double p[4], y[3], R[9];
  ga_so3_from_axis_angle((const double[]){0, 0, 2}, acos(-1) / 2, p);
  ga_so3_rotate(p, (const double[]){1, 0, 0}, y);
  assert_true(fabs(y[0]) < 1e-15 && fabs(y[1] - 1) < 1e-15 && y[2] == 0);
  uint64_t seed = 11;
  for (int k = 0; k < 50; k++) {
    double w[3], x[3], back[3], Rx[3] = {0}, q[4], r[4], axis[3], tilde[9], c[3];
    for (int i = 0; i < 3; i++) w[i] = 1.5 * next_uniform(&seed), x[i] = next_uniform(&seed);
    ga_so3_exp(w, p);
    double angle = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    for (int i = 0; i < 3; i++) axis[i] = 5 * w[i];
    ga_so3_from_axis_angle(axis, angle, q);
    ga_so3_log(p, back);
    ga_so3_matrix(p, R);
    ga_so3_rotate(p, x, y);
    for (int i = 0; i < 9; i++) Rx[i / 3] += R[i] * x[i % 3];
    for (int i = 0; i < 4; i++) assert_true(fabs(p[i] - q[i]) < 4 * DBL_EPSILON);
    for (int i = 0; i < 3; i++) assert_true(fabs(back[i] - w[i]) < 1e-14);
    for (int i = 0; i < 3; i++) assert_true(fabs(Rx[i] - y[i]) < 1e-15);
    ga_so3_unrotate(p, y, y);
    for (int i = 0; i < 3; i++) assert_true(fabs(y[i] - x[i]) < 1e-15);
    ga_so3_from_matrix(R, q);
    assert_true(ga_quat_distance(p, q) < 1e-14);
    ga_so3_compose(p, p, r);
    ga_so3_rotate(p, Rx, Rx);
    ga_so3_rotate(r, x, y);
    for (int i = 0; i < 3; i++) assert_true(fabs(Rx[i] - y[i]) < 2e-15);
    ga_cross(w, x, c);
    ga_tilde(w, tilde);
    for (int i = 0; i < 3; i++) {
      double sum = tilde[3 * i] * x[0] + tilde[3 * i + 1] * x[1] + tilde[3 * i + 2] * x[2];
      assert_true(fabs(sum - c[i]) < 1e-15);
    }
    for (int i = 0; i < 4; i++) r[i] *= 3;
    ga_so3_clean(r);
    assert_true(fabs(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3] - 1) < 1e-15);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pattern), cmocka_unit_test(test_random_pattern),
      cmocka_unit_test(test_full_matrix), cmocka_unit_test(test_rotations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

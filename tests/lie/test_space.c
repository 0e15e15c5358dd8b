/* SPDX-License-Identifier: MIT */
/* Product spaces: places of the factors, wrong arguments, the product of a sparse matrix with T. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "genalpha/genalpha.h"
#include "lie/lie.h"

/* R^2 x SO(3)^2 x SE(3) x R^1 x SO(3): columns 0-1, 2-7, 8-13, 14, 15-17 */
enum { NV = 18, NQ = 22, NT = 9 + 9 + 36 + 9, ROWS = 60 };

static ga_space *new_space(void) {
  ga_space *space = NULL;
  assert_int_equal(ga_space_new(&space), GA_OK);
  assert_int_equal(ga_space_add(space, &ga_group_rn, 2, NULL, NULL), GA_OK);
  assert_int_equal(ga_space_add(space, &ga_group_so3, 2, NULL, NULL), GA_OK);
  assert_int_equal(ga_space_add(space, &ga_group_se3, 1, NULL, NULL), GA_OK);
  assert_int_equal(ga_space_add(space, &ga_group_rn, 1, NULL, NULL), GA_OK);
  assert_int_equal(ga_space_add(space, &ga_group_so3, 1, NULL, NULL), GA_OK);
  return space;
}

static void places(void **state) {
  (void)state;
  ga_space *space = NULL;
  int q_at = -1, v_at = -1;
  assert_int_equal(ga_space_new(&space), GA_OK);
  assert_int_equal(ga_space_nq(space), 0);
  assert_int_equal(ga_space_nv(space), 0);
  ga_space_add(space, &ga_group_rn, 2, &q_at, &v_at);
  assert_int_equal(q_at, 0);
  assert_int_equal(v_at, 0);
  assert_true(space->commutative);
  ga_space_add(space, &ga_group_so3, 2, &q_at, &v_at);
  assert_int_equal(q_at, 2);
  assert_int_equal(v_at, 2);
  assert_false(space->commutative);
  ga_space_add(space, &ga_group_se3, 1, &q_at, NULL);
  ga_space_add(space, &ga_group_rn, 5, NULL, &v_at);
  assert_int_equal(q_at, 10);
  assert_int_equal(v_at, 14);
  assert_false(space->commutative);
  assert_int_equal(ga_space_nq(space), 22);
  assert_int_equal(ga_space_nv(space), 19);
  assert_int_equal(ga_space_tangent_size(space), 9 + 9 + 36);
  ga_space_free(space);
  ga_space_free(NULL);
}

static void euclidean(void **state) {
  (void)state;
  ga_space *space = NULL;
  assert_int_equal(ga_space_rn(4, &space), GA_OK);
  assert_true(space->commutative);
  assert_int_equal(ga_space_nq(space), 4);
  assert_int_equal(ga_space_nv(space), 4);
  assert_int_equal(ga_space_tangent_size(space), 0);
  double q[4] = {1, 2, 3, 4};
  const double w[4] = {10, 20, 30, 40};
  ga_space_step(space, q, w, q);
  assert_true(q[0] == 11 && q[1] == 22 && q[2] == 33 && q[3] == 44);
  ga_space_free(space);
}

/* a refused call leaves the space as it was */
static void wrong_arguments(void **state) {
  (void)state;
  ga_space *space = new_space();
  ga_group large = ga_group_so3;
  large.nv = GA_GROUP_NV_MAX + 1;
  assert_int_equal(ga_space_new(NULL), GA_ERR_ARG);
  assert_int_equal(ga_space_add(NULL, &ga_group_rn, 1, NULL, NULL), GA_ERR_ARG);
  assert_int_equal(ga_space_add(space, NULL, 1, NULL, NULL), GA_ERR_ARG);
  assert_int_equal(ga_space_add(space, &ga_group_rn, 0, NULL, NULL), GA_ERR_ARG);
  assert_int_equal(ga_space_add(space, &ga_group_rn, -3, NULL, NULL), GA_ERR_ARG);
  assert_int_equal(ga_space_add(space, &large, 1, NULL, NULL), GA_ERR_ARG);
  /* more than an int can count: in q, and in the T blocks only */
  assert_int_equal(ga_space_add(space, &ga_group_rn, INT_MAX, NULL, NULL), GA_ERR_ARG);
  assert_int_equal(ga_space_add(space, &ga_group_se3, INT_MAX / 30, NULL, NULL), GA_ERR_ARG);
  assert_int_equal(space->nfactor, 5);
  assert_int_equal(ga_space_nq(space), NQ);
  assert_int_equal(ga_space_nv(space), NV);
  assert_int_equal(ga_space_tangent_size(space), NT);
  ga_space_free(space);
  space = NULL;
  assert_int_equal(ga_space_rn(0, &space), GA_ERR_ARG);
  assert_null(space);
}

/* A random closed pattern: each row takes some of the units, a unit being a column of R^n or all
 * columns of a copy. first[c] is the first column of the unit of column c. */
static const int first[NV + 1] = {0, 1, 2, 2, 2, 5, 5, 5, 8, 8, 8, 8, 8, 8, 14, 15, 15, 15, 18};

typedef struct matrix {
  int ptr[ROWS + 1], col[ROWS * NV];
  double val[ROWS * NV];
  ga_csr csr;
} matrix;

static uint64_t random_bits(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return *seed >> 33;
}

static double random_number(uint64_t *seed) {
  return (double)random_bits(seed) * 0x1p-30 - 1;
}

static void random_matrix(uint64_t *seed, matrix *A) {
  int count = 0;
  for (int row = 0; row < ROWS; row++) {
    A->ptr[row] = count;
    bool taken = false;
    for (int c = 0; c < NV; c++) {
      /* rows 0 and 1 are empty and full */
      if (first[c] == c) taken = row < 2 ? row == 1 : (random_bits(seed) & 1) != 0;
      if (!taken) continue;
      A->col[count] = c;
      A->val[count++] = random_number(seed);
    }
  }
  A->ptr[ROWS] = count;
  A->csr = (ga_csr){ROWS, NV, A->ptr, A->col, A->val};
}

/* T as a dense matrix from its list of blocks of 3, 3, 6 and 3 columns, identity elsewhere */
static void dense(const double *blocks, double T[NV][NV]) {
  static const struct { int at, n; } place[] = {{2, 3}, {5, 3}, {8, 6}, {15, 3}};
  for (int i = 0; i < NV; i++) {
    for (int j = 0; j < NV; j++) T[i][j] = i == j;
  }
  for (int b = 0; b < 4; b++) {
    for (int i = 0; i < place[b].n; i++) {
      for (int j = 0; j < place[b].n; j++) T[place[b].at + i][place[b].at + j] = *blocks++;
    }
  }
}

/* A T against the dense product, T any numbers: no symmetry hides a transposed block */
static void apply_tangent(void **state) {
  (void)state;
  ga_space *space = new_space();
  uint64_t seed = 7;
  static matrix A, AT;
  double blocks[NT], T[NV][NV];
  for (int i = 0; i < NT; i++) blocks[i] = random_number(&seed);
  dense(blocks, T);
  random_matrix(&seed, &A);
  AT = A;
  AT.csr = (ga_csr){ROWS, NV, AT.ptr, AT.col, AT.val};
  assert_true(ga_space_pattern_closed(space, &AT.csr, NULL, NULL));
  ga_space_apply_tangent(space, blocks, &AT.csr);
  for (int row = 0; row < ROWS; row++) {
    for (int k = A.ptr[row]; k < A.ptr[row + 1]; k++) {
      double sum = 0;
      for (int l = A.ptr[row]; l < A.ptr[row + 1]; l++) sum += A.val[l] * T[A.col[l]][A.col[k]];
      assert_true(fabs(sum - AT.val[k]) <= 1e-14);
    }
  }
  ga_space_free(space);
}

/* on a commutative space neither the values nor the pattern matter */
static void apply_tangent_commutative(void **state) {
  (void)state;
  ga_space *space = NULL;
  int ptr[2] = {0, 2}, col[2] = {0, 2};
  double val[2] = {5, 6};
  ga_csr A = {1, 3, ptr, col, val};
  assert_int_equal(ga_space_rn(3, &space), GA_OK);
  assert_true(ga_space_pattern_closed(space, &A, NULL, NULL));
  ga_space_apply_tangent(space, NULL, &A);
  assert_true(val[0] == 5 && val[1] == 6);
  ga_space_free(space);
}

/* the T blocks are those of the groups, in the order of factors and copies */
static void tangent_rows(void **state) {
  (void)state;
  ga_space *space = new_space();
  uint64_t seed = 11;
  double w[NV], T[NT + 1], expected[NT];
  for (int i = 0; i < NV; i++) w[i] = random_number(&seed);
  T[NT] = 17;
  ga_space_tangent_rows(space, w, T);
  ga_group_so3.tangent(1, w + 2, expected);
  ga_group_so3.tangent(1, w + 5, expected + 9);
  ga_group_se3.tangent(1, w + 8, expected + 18);
  ga_group_so3.tangent(1, w + 15, expected + 54);
  for (int i = 0; i < NT; i++) assert_true(T[i] == expected[i]);
  assert_true(T[NT] == 17);
  ga_space_free(space);
}

/* entries from the n-th on are untouched */
static void check_end(const char *what, const ga_group *group, int n, double *out) {
  for (int i = n; i < n + 8; i++) {
    if (out[i] != 17) fail_msg("%s of %s writes beyond its end", what, group->name);
  }
  for (int i = 0; i < NV * NV; i++) out[i] = 17;
}

/* no function of a group writes beyond the two copies (the two dimensions of R^n) it is called for
 */
static void no_overrun(void **state) {
  (void)state;
  static const ga_group *const groups[] = {&ga_group_rn, &ga_group_so3, &ga_group_se3};
  for (int i = 0; i < 3; i++) {
    const ga_group *g = groups[i];
    int nt = g->commutative ? 4 : 2 * g->nv * g->nv;
    double in[NV * NV], out[NV * NV];
    for (int k = 0; k < NV * NV; k++) in[k] = out[k] = 17;
    g->step(2, in, in, out);
    check_end("step", g, 2 * g->nq, out);
    g->diff(2, in, in, out);
    check_end("diff", g, 2 * g->nv, out);
    g->compose(2, in, in, out);
    check_end("compose", g, 2 * g->nq, out);
    g->tangent(2, in, out);
    check_end("tangent", g, nt, out);
    g->bracket(2, in, in, out);
    check_end("bracket", g, 2 * g->nv, out);
    g->identity(2, out);
    check_end("identity", g, 2 * g->nq, out);
    g->clean(2, out);
    check_end("clean", g, 2 * g->nq, out);
  }
}

/* Take any one entry out of a closed pattern: the row and the column must be named, unless the
 * column belongs to R^n, where nothing is missing. */
static void pattern_closed(void **state) {
  (void)state;
  ga_space *space = new_space();
  uint64_t seed = 5;
  static matrix A, B;
  random_matrix(&seed, &A);
  for (int gone = 0; gone < A.ptr[ROWS]; gone++) {
    B = A;
    B.csr = (ga_csr){ROWS, NV, B.ptr, B.col, NULL};
    memmove(B.col + gone, B.col + gone + 1, (size_t)(A.ptr[ROWS] - gone - 1) * sizeof *B.col);
    int row = 0, c = A.col[gone], bad_row = -1, bad_col = -1;
    while (A.ptr[row + 1] <= gone) row++;
    for (int i = row + 1; i <= ROWS; i++) B.ptr[i]--;
    bool alone = first[c] == c && first[c + 1] == c + 1;
    assert_true(ga_space_pattern_closed(space, &B.csr, &bad_row, &bad_col) == alone);
    assert_int_equal(bad_row, alone ? -1 : row);
    assert_int_equal(bad_col, alone ? -1 : c);
    assert_true(ga_space_pattern_closed(space, &B.csr, NULL, NULL) == alone);
  }
  ga_space_free(space);
}

/* entries of positions and rotation matrices; q and -q are one rotation; NaN is not dropped */
static void test_distance(void **state) {
  (void)state;
  ga_space *space = NULL;
  assert_int_equal(ga_space_new(&space), GA_OK);
  assert_int_equal(ga_space_add(space, &ga_group_rn, 1, NULL, NULL), GA_OK);
  assert_int_equal(ga_space_add(space, &ga_group_so3, 1, NULL, NULL), GA_OK);
  assert_int_equal(ga_space_add(space, &ga_group_se3, 1, NULL, NULL), GA_OK);
  double q[12], r[12], w[10] = {0};
  ga_space_identity(space, q);
  w[3] = 0.1; /* about z: the largest entry that changes is sin(0.1) */
  ga_space_step(space, q, w, r);
  assert_true(fabs(ga_space_distance(space, q, r) - sin(0.1)) < 1e-15);
  for (int i = 1; i < 5; i++) r[i] = -q[i];
  assert_true(ga_space_distance(space, q, r) == 0);
  r[5] += 0.25; /* position of the SE(3) factor */
  assert_true(ga_space_distance(space, q, r) == 0.25);
  r[0] -= 0.5;
  assert_true(ga_space_distance(space, q, r) == 0.5);
  r[11] = NAN;
  assert_true(isnan(ga_space_distance(space, q, r)));
  ga_space_free(space);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_distance),
      cmocka_unit_test(places),
      cmocka_unit_test(euclidean),
      cmocka_unit_test(wrong_arguments),
      cmocka_unit_test(tangent_rows),
      cmocka_unit_test(apply_tangent),
      cmocka_unit_test(apply_tangent_commutative),
      cmocka_unit_test(pattern_closed),
      cmocka_unit_test(no_overrun),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Compressed-row matrices against plain arrays: patterns, their validation, products. */
#include "support.h"

static void test_full_pattern(void **state) {
  (void)state;
  ga_arena arena = {0};
  ga_csr A;
  assert_int_equal(ga_csr_init(&A, 3, 4, NULL, &arena), GA_OK);
  assert_int_equal(A.nrow, 3);
  assert_int_equal(A.ncol, 4);
  assert_int_equal(ga_csr_nnz(&A), 12);
  for (int i = 0; i <= 3; i++) assert_int_equal(A.ptr[i], 4 * i);
  for (int e = 0; e < 12; e++) {
    assert_int_equal(A.col[e], e % 4);
    assert_true(A.val[e] == 0);
  }
  assert_int_equal(ga_csr_validate(&A, 3, 4, "A", NULL), GA_OK);
  /* no rows, no columns */
  assert_int_equal(ga_csr_init(&A, 0, 4, NULL, &arena), GA_OK);
  assert_int_equal(ga_csr_nnz(&A), 0);
  assert_int_equal(ga_csr_validate(&A, 0, 4, "A", NULL), GA_OK);
  ga_csr_zero(&A);
  assert_int_equal(ga_csr_init(&A, 4, 0, NULL, &arena), GA_OK);
  assert_int_equal(ga_csr_nnz(&A), 0);
  assert_int_equal(ga_csr_validate(&A, 4, 0, "A", NULL), GA_OK);
  ga_arena_free(&arena);
}

/* the pattern is copied, so that the original may go; values start at zero */
static void test_copied_pattern(void **state) {
  (void)state;
  ga_arena arena = {0};
  int ptr[] = {0, 2, 2, 5}, col[] = {0, 3, 1, 2, 4};
  const ga_csr pattern = {3, 5, ptr, col, NULL};
  ga_csr A;
  assert_int_equal(ga_csr_init(&A, 3, 5, &pattern, &arena), GA_OK);
  assert_int_equal(ga_csr_nnz(&A), 5);
  assert_memory_equal(A.ptr, ptr, sizeof ptr);
  assert_memory_equal(A.col, col, sizeof col);
  ptr[1] = col[0] = 77;
  assert_int_equal(A.ptr[1], 2);
  assert_int_equal(A.col[0], 0);
  for (int e = 0; e < 5; e++) assert_true(A.val[e] == 0);
  for (int e = 0; e < 5; e++) A.val[e] = e + 1;
  ga_csr_zero(&A);
  for (int e = 0; e < 5; e++) assert_true(A.val[e] == 0);
  assert_int_equal(ga_csr_init(&A, 1, 1, NULL, &arena), GA_OK);
  A.val[0] = 3;
  ga_csr_zero(&A);
  assert_true(A.val[0] == 0);
  /* an arena that has failed before says so */
  arena.failed = true;
  assert_int_equal(ga_csr_init(&A, 2, 2, NULL, &arena), GA_ERR_MEM);
  assert_int_equal(ga_csr_init_identity(&A, 2, &arena), GA_ERR_MEM);
  ga_arena_free(&arena);
}

static void test_identity(void **state) {
  (void)state;
  ga_arena arena = {0};
  ga_csr E;
  for (int n = 0; n < 6; n++) {
    double x[] = {3, -1, 4, 1, -5, 9}, y[6] = {0}, yt[6] = {0};
    assert_int_equal(ga_csr_init_identity(&E, n, &arena), GA_OK);
    assert_int_equal(ga_csr_validate(&E, n, n, "E", NULL), GA_OK);
    assert_int_equal(ga_csr_nnz(&E), n);
    ga_csr_mul_add(&E, 1, x, y);
    ga_csr_mul_t_add(&E, 1, x, yt);
    for (int i = 0; i < 6; i++) assert_true(y[i] == (i < n ? x[i] : 0) && yt[i] == y[i]);
  }
  ga_arena_free(&arena);
}

/* every way in which a pattern can be wrong; arrays as long as they must be and no longer, so that
 * a read past a bad pointer is found by the sanitizer */
static void test_validate(void **state) {
  (void)state;
  static int good[] = {0, 2, 2, 3}, cols[] = {0, 2, 1};
  static int offset[] = {1, 2, 2, 3}, falls[] = {0, 7, 2, 3}, falls_late[] = {0, 2, 4, 3};
  static int negative[] = {-1, 2, 1}, beyond[] = {0, 4, 1}, swapped[] = {2, 0, 1};
  static int twice[] = {1, 1, 1}, last[] = {0, 2, 4};
  const struct {
    ga_csr A;
    const char *place;
  } wrong[] = {
      {{2, 4, good, cols, NULL}, "2 x 4, it must be 3 x 4"},
      {{3, 5, good, cols, NULL}, "3 x 5, it must be 3 x 4"},
      {{3, 4, NULL, cols, NULL}, "no ptr"},
      {{3, 4, good, NULL, NULL}, "no ptr or col"},
      {{3, 4, offset, cols, NULL}, "ptr[0]"},
      {{3, 4, falls, cols, NULL}, "ptr decreases at row 1"},
      {{3, 4, falls_late, cols, NULL}, "ptr decreases at row 2"},
      {{3, 4, good, negative, NULL}, "row 0: column -1"},
      {{3, 4, good, beyond, NULL}, "row 0: column 4"},
      {{3, 4, good, swapped, NULL}, "row 0: column 0"},
      {{3, 4, good, twice, NULL}, "row 0: column 1"},
      {{3, 4, good, last, NULL}, "row 2: column 4"},
  };
  const ga_csr right = {3, 4, good, cols, NULL};
  ga_error err = {0};
  assert_int_equal(ga_csr_validate(&right, 3, 4, "G", &err), GA_OK);
  assert_string_equal(err.text, "");
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ga_error_clear(&err);
    ga_status status = ga_csr_validate(&wrong[i].A, 3, 4, "matrix Q", &err);
    assert_refused(status, &err, GA_ERR_ARG, "pattern of matrix Q", wrong[i].place);
    assert_int_equal(ga_csr_validate(&wrong[i].A, 3, 4, "Q", NULL), GA_ERR_ARG);
  }
  const ga_csr one = {1, 4, (int[]){0, 1}, NULL, NULL};
  assert_refused(ga_csr_validate(&one, 1, 4, "Q", &err), &err, GA_ERR_ARG, "col array", NULL);
  /* a pattern without entries needs no columns */
  int none[] = {0, 0, 0};
  const ga_csr empty = {2, 4, none, NULL, NULL};
  assert_int_equal(ga_csr_validate(&empty, 2, 4, "G", &err), GA_OK);
}

/* sizes of the random matrices: single rows, wide, tall, square */
static const struct {
  int m, n, k;
} shapes[] = {{1, 1, 1}, {3, 7, 5}, {8, 8, 8}, {20, 6, 11}, {7, 25, 30}, {4, 9, 0}};
static const double densities[] = {0, 0.1, 0.4, 1};
enum { SHAPES = sizeof shapes / sizeof *shapes, DENSITIES = sizeof densities / sizeof *densities };

static void test_vector_products(void **state) {
  (void)state;
  uint64_t seed = 11;
  for (int c = 0; c < SHAPES * DENSITIES; c++) {
    int m = shapes[c % SHAPES].m, n = shapes[c % SHAPES].n;
    ga_arena arena = {0};
    ga_csr A;
    double full[25 * 30], x[30], xt[30], y[30], yt[30], sum[30], sum_t[30];
    random_csr(&seed, m, n, densities[c / SHAPES], NULL, &A, &arena);
    dense_of(&A, full);
    for (int j = 0; j < n; j++) x[j] = next_uniform(&seed), yt[j] = sum_t[j] = next_uniform(&seed);
    for (int i = 0; i < m; i++) xt[i] = next_uniform(&seed), y[i] = sum[i] = next_uniform(&seed);
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < n; j++) {
        sum[i] += -0.7 * full[i * n + j] * x[j];
        sum_t[j] += 1.3 * full[i * n + j] * xt[i];
      }
    }
    ga_csr_mul_add(&A, -0.7, x, y);
    ga_csr_mul_t_add(&A, 1.3, xt, yt);
    assert_true(vector_error(m, y, sum) <= 1e-14);
    assert_true(vector_error(n, yt, sum_t) <= 1e-14);
    ga_arena_free(&arena);
  }
}

/* every place of the pattern has its entry, every other none */
static void test_find(void **state) {
  (void)state;
  uint64_t seed = 14;
  for (int c = 0; c < SHAPES * DENSITIES; c++) {
    ga_arena arena = {0};
    ga_csr A;
    random_csr(&seed, shapes[c % SHAPES].m, shapes[c % SHAPES].n, densities[c / SHAPES], NULL, &A,
               &arena);
    for (int i = 0; i < A.nrow; i++) {
      for (int j = 0; j < A.ncol; j++) {
        int at = -1;
        for (int e = A.ptr[i]; e < A.ptr[i + 1]; e++) at = A.col[e] == j ? e : at;
        assert_int_equal(ga_csr_find(&A, i, j), at);
      }
    }
    ga_arena_free(&arena);
  }
}

/* row i of A and row j of B share a column */
static bool meet(const ga_csr *A, int i, const ga_csr *B, int j) {
  for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
    for (int f = B->ptr[j]; f < B->ptr[j + 1]; f++) {
      if (A->col[e] == B->col[f]) return true;
    }
  }
  return false;
}

static void assert_product(const ga_csr *P, const ga_csr *A, const ga_csr *B) {
  static double a[900], b[900], p[900];
  dense_of(A, a);
  dense_of(B, b);
  dense_of(P, p);
  for (int i = 0; i < A->nrow; i++) {
    for (int j = 0; j < B->nrow; j++) {
      double sum = 0;
      for (int l = 0; l < A->ncol; l++) sum += a[i * A->ncol + l] * b[j * B->ncol + l];
      assert_true(fabs(p[i * P->ncol + j] - sum) <= 1e-14);
    }
  }
}

/* P = A B^T: exactly the places where rows meet, then the values, twice with the same pattern */
static void test_product(void **state) {
  (void)state;
  uint64_t seed = 12;
  for (int c = 0; c < SHAPES * DENSITIES * DENSITIES; c++) {
    int m = shapes[c % SHAPES].m, n = shapes[c % SHAPES].n, k = shapes[c % SHAPES].k;
    ga_arena arena = {0};
    ga_csr A, B;
    ga_product product;
    const ga_csr *P = &product.P;
    random_csr(&seed, m, n, densities[c / SHAPES % DENSITIES], NULL, &A, &arena);
    random_csr(&seed, k, n, densities[c / SHAPES / DENSITIES], NULL, &B, &arena);
    assert_int_equal(ga_product_init(&product, &A, &B, &arena), GA_OK);
    assert_int_equal(ga_csr_validate(P, m, k, "P", NULL), GA_OK);
    int places = 0;
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < k; j++) places += meet(&A, i, &B, j);
      assert_int_equal(P->ptr[i + 1], places);
      for (int e = P->ptr[i]; e < P->ptr[i + 1]; e++) assert_true(meet(&A, i, &B, P->col[e]));
    }
    for (int pass = 0; pass < 2; pass++) {
      ga_product_values(&product, &A, &B);
      assert_product(P, &A, &B);
      for (int e = 0; e < ga_csr_nnz(&A); e++) A.val[e] = next_uniform(&seed);
      for (int e = 0; e < ga_csr_nnz(&B); e++) B.val[e] = next_uniform(&seed);
    }
    ga_arena_free(&arena);
  }
}

/* with the identity a product is the transpose, or the matrix itself */
static void test_product_identity(void **state) {
  (void)state;
  uint64_t seed = 13;
  ga_arena arena = {0};
  ga_csr A, E;
  ga_product P, Q;
  double a[54], p[54], q[54];
  random_csr(&seed, 6, 9, 0.4, NULL, &A, &arena);
  assert_int_equal(ga_csr_init_identity(&E, 9, &arena), GA_OK);
  assert_int_equal(ga_product_init(&P, &A, &E, &arena), GA_OK);
  assert_int_equal(ga_product_init(&Q, &E, &A, &arena), GA_OK);
  ga_product_values(&P, &A, &E);
  ga_product_values(&Q, &E, &A);
  dense_of(&A, a);
  dense_of(&P.P, p);
  dense_of(&Q.P, q);
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 9; j++)
      assert_true(p[i * 9 + j] == a[i * 9 + j] && q[j * 6 + i] == p[i * 9 + j]);
  }
  arena.failed = true;
  assert_int_equal(ga_product_init(&P, &A, &E, &arena), GA_ERR_MEM);
  ga_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_full_pattern),    cmocka_unit_test(test_copied_pattern),
      cmocka_unit_test(test_identity),        cmocka_unit_test(test_validate),
      cmocka_unit_test(test_vector_products), cmocka_unit_test(test_find),
      cmocka_unit_test(test_product),         cmocka_unit_test(test_product_identity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

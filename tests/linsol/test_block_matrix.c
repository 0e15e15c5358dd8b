/* SPDX-License-Identifier: MIT */
/* Block matrices assembled through maps against the same sums in a plain array. */
#include "linsol/block_matrix.h"

#include "support.h"

enum { N = 40, TERMS = 12 };

/* the reference: values by the same sums, and how often each place is taken */
typedef struct {
  double value[N * N];
  int taken[N * N];
} plain;

static void add_plain(plain *ref, const ga_block_matrix_term *term, int n, double coef) {
  const ga_csr *src = term->src;
  double full[N * N];
  dense_of(src, full);
  for (int i = 0; i < src->nrow; i++) {
    for (int j = 0; j < src->ncol; j++) {
      int row = term->row + (term->transpose ? j : i), col = term->col + (term->transpose ? i : j);
      ref->value[row * n + col] += coef * full[i * src->ncol + j];
    }
    for (int e = src->ptr[i]; e < src->ptr[i + 1]; e++) {
      int j = src->col[e];
      int row = term->row + (term->transpose ? j : i), col = term->col + (term->transpose ? i : j);
      ref->taken[row * n + col]++;
    }
  }
}

/* The pattern is the union of the terms, in order, and nothing else. */
static void assert_pattern(const ga_block_matrix *blocks, int n) {
  static plain ref;
  memset(&ref, 0, sizeof ref);
  for (int k = 0; k < blocks->nterm; k++) add_plain(&ref, &blocks->term[k], n, 0);
  assert_int_equal(ga_csr_validate(&blocks->A, n, n, "A", NULL), GA_OK);
  int places = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) places += ref.taken[i * n + j] > 0;
    assert_int_equal(blocks->A.ptr[i + 1], places);
    for (int e = blocks->A.ptr[i]; e < blocks->A.ptr[i + 1]; e++) {
      assert_true(ref.taken[i * n + blocks->A.col[e]] > 0);
    }
  }
}

/* all terms with these coefficients, some of them twice, into a zeroed matrix */
static void assert_assembly(ga_block_matrix *blocks, int n, const double *coef) {
  static plain ref;
  double full[N * N];
  memset(&ref, 0, sizeof ref);
  ga_csr_zero(&blocks->A);
  for (int k = 0; k < blocks->nterm; k++) {
    for (int again = 0; again <= (k % 4 == 3); again++) {
      ga_block_matrix_scatter(blocks, k, coef[k]);
      add_plain(&ref, &blocks->term[k], n, coef[k]);
    }
  }
  dense_of(&blocks->A, full);
  assert_true(vector_error(n * n, full, ref.value) <= 1e-13);
}

/* all terms, each once, over what was there before */
static void assert_put(ga_block_matrix *blocks, int n, const double *coef) {
  static plain ref;
  double full[N * N];
  memset(&ref, 0, sizeof ref);
  ga_block_matrix_clear(blocks);
  for (int k = 0; k < blocks->nterm; k++) {
    ga_block_matrix_put(blocks, k, coef[k]);
    add_plain(&ref, &blocks->term[k], n, coef[k]);
  }
  dense_of(&blocks->A, full);
  assert_true(vector_error(n * n, full, ref.value) <= 1e-13);
}

/* a term is alone if every place it takes is taken once */
static void assert_alone(const ga_block_matrix *blocks, int n) {
  static plain ref;
  memset(&ref, 0, sizeof ref);
  for (int k = 0; k < blocks->nterm; k++) add_plain(&ref, &blocks->term[k], n, 0);
  for (int k = 0; k < blocks->nterm; k++) {
    const ga_block_matrix_term *term = &blocks->term[k];
    bool alone = true;
    for (int i = 0; i < term->src->nrow; i++) {
      for (int e = term->src->ptr[i]; e < term->src->ptr[i + 1]; e++) {
        int j = term->src->col[e];
        int row = term->row + (term->transpose ? j : i);
        int col = term->col + (term->transpose ? i : j);
        alone &= ref.taken[row * n + col] == 1;
      }
    }
    assert_int_equal(term->alone, alone);
  }
}

static int pick(uint64_t *seed, int below) {
  int i = (int)(0.5 * (next_uniform(seed) + 1) * below);
  return i < below ? i : below - 1;
}

/* random terms: any size including none, anywhere, so that they overlap; some sources used twice */
static void test_random_blocks(void **state) {
  (void)state;
  uint64_t seed = 21;
  for (int trial = 0; trial < 200; trial++) {
    ga_arena arena = {0};
    ga_block_matrix blocks = {0};
    ga_csr src[TERMS];
    double coef[TERMS];
    int n = 1 + pick(&seed, N);
    for (int k = 0; k < TERMS; k++) {
      int nrow = pick(&seed, n + 1), ncol = pick(&seed, n + 1);
      bool transpose = next_uniform(&seed) > 0;
      random_csr(&seed, nrow, ncol, 0.3, NULL, &src[k], &arena);
      const ga_csr *used = k % 5 == 4 ? &src[k - 1] : &src[k];
      int high = transpose ? used->ncol : used->nrow, wide = transpose ? used->nrow : used->ncol;
      int row = pick(&seed, n - high + 1), col = pick(&seed, n - wide + 1);
      assert_int_equal(ga_block_matrix_add(&blocks, row, col, used, transpose), k);
    }
    assert_int_equal(ga_block_matrix_build(&blocks, n, &arena), GA_OK);
    assert_pattern(&blocks, n);
    assert_alone(&blocks, n);
    /* the maps are built once and used for any values and coefficients */
    for (int pass = 0; pass < 3; pass++) {
      for (int k = 0; k < TERMS; k++) {
        coef[k] = next_uniform(&seed);
        for (int e = 0; e < ga_csr_nnz(&src[k]); e++) src[k].val[e] = next_uniform(&seed);
      }
      assert_assembly(&blocks, n, coef);
      assert_put(&blocks, n, coef);
    }
    ga_arena_free(&arena);
  }
}

/* [[M, G^T], [G, 0]] written down by hand */
static void test_saddle_by_hand(void **state) {
  (void)state;
  ga_arena arena = {0};
  ga_block_matrix blocks = {0};
  int m_ptr[] = {0, 2, 4, 5}, m_col[] = {0, 1, 0, 1, 2}, g_ptr[] = {0, 2, 3}, g_col[] = {0, 2, 1};
  double m_val[] = {4, 1, 1, 5, 6}, g_val[] = {7, 8, 9};
  const ga_csr M = {3, 3, m_ptr, m_col, m_val}, G = {2, 3, g_ptr, g_col, g_val};
  const double expected[25] = {4, 1, 0, 7, 0, 1, 5, 0, 0, 9, 0, 0, 6,
                               8, 0, 7, 0, 8, 0, 0, 0, 9, 0, 0, 0};
  double full[25];
  assert_int_equal(ga_block_matrix_add(&blocks, 0, 0, &M, false), 0);
  assert_int_equal(ga_block_matrix_add(&blocks, 3, 0, &G, false), 1);
  assert_int_equal(ga_block_matrix_add(&blocks, 0, 3, &G, true), 2);
  assert_int_equal(ga_block_matrix_build(&blocks, 5, &arena), GA_OK);
  assert_int_equal(ga_csr_nnz(&blocks.A), 11);
  for (int e = 0; e < 11; e++) assert_true(blocks.A.val[e] == 0);
  for (int k = 0; k < 3; k++) ga_block_matrix_scatter(&blocks, k, 1);
  dense_of(&blocks.A, full);
  assert_memory_equal(full, expected, sizeof full);
  /* no place is of two terms: nothing to clear */
  assert_true(blocks.term[0].alone && blocks.term[1].alone && blocks.term[2].alone);
  assert_int_equal(blocks.nshared, 0);
  /* scattering adds */
  ga_block_matrix_scatter(&blocks, 1, -1);
  ga_block_matrix_scatter(&blocks, 0, 0.5);
  dense_of(&blocks.A, full);
  assert_true(full[15] == 0 && full[17] == 0 && full[21] == 0);
  assert_true(full[0] == 6 && full[6] == 7.5 && full[3] == 7);
  ga_arena_free(&arena);
}

/* rows and columns no term touches: first, last, in the middle, all */
static void test_empty_rows(void **state) {
  (void)state;
  int ptr[] = {0, 1, 2}, col[] = {0, 1};
  double val[] = {2, 3};
  const ga_csr block = {2, 2, ptr, col, val};
  for (int n = 2; n < 9; n++) {
    for (int at = 0; at + 2 <= n; at++) {
      ga_arena arena = {0};
      ga_block_matrix blocks = {0};
      double coef[] = {1, -1.5};
      ga_block_matrix_add(&blocks, at, n - 2 - at, &block, false);
      ga_block_matrix_add(&blocks, n - 2 - at, at, &block, true);
      assert_int_equal(ga_block_matrix_build(&blocks, n, &arena), GA_OK);
      assert_pattern(&blocks, n);
      assert_assembly(&blocks, n, coef);
      assert_put(&blocks, n, coef);
      ga_arena_free(&arena);
    }
  }
  ga_arena arena = {0};
  ga_block_matrix blocks = {0};
  assert_int_equal(ga_block_matrix_build(&blocks, 4, &arena), GA_OK);
  assert_int_equal(ga_csr_nnz(&blocks.A), 0);
  assert_int_equal(ga_csr_validate(&blocks.A, 4, 4, "A", NULL), GA_OK);
  arena.failed = true;
  assert_int_equal(ga_block_matrix_build(&blocks, 4, &arena), GA_ERR_MEM);
  ga_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_blocks),
      cmocka_unit_test(test_saddle_by_hand),
      cmocka_unit_test(test_empty_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Bodies first: a permutation in which every constraint has a pivot without exchanges, which AMD's
 * order of A + A^T does not give. The counts of an L U are those of an elimination. */
#include "linsol/ordering.h"

#include <suitesparse/amd.h>

#include "support.h"

enum { NMAX = 120 };

/* A matrix from its pattern, by rows, with random values of sizes 1/2 to 1. */
static void from_pattern(int n, bool (*has)[NMAX], ga_csr *A, ga_arena *arena) {
  static int ptr[NMAX + 1], col[NMAX * NMAX];
  uint64_t seed = 5;
  for (int i = 0, at = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      if (has[i][j]) col[at++] = j;
    }
    ptr[i + 1] = at;
  }
  const ga_csr pattern = {.nrow = n, .ncol = n, .ptr = ptr, .col = col};
  must(ga_csr_init(A, n, n, &pattern, arena), NULL);
  for (int e = 0; e < ga_csr_nnz(A); e++) {
    const double u = next_uniform(&seed);
    A->val[e] = u < 0 ? u / 2 - 0.5 : u / 2 + 0.5;
  }
}

/* [[K, G^T], [G, 0]] of `bodies` masses with three velocities each: K couples the velocities of a
 * mass, and of neighbours if springs; bars between neighbours in a ring, and across it if net. */
static int saddle(int bodies, bool springs, bool net, bool (*has)[NMAX]) {
  const int nv = 3 * bodies, bars = net ? 2 * bodies : bodies - 1;
  assert_true(nv + bars <= NMAX);
  memset(has, 0, NMAX * sizeof *has);
  for (int i = 0; i < nv; i++) {
    for (int j = 0; j < nv; j++) {
      has[i][j] = i / 3 == j / 3 || (springs && abs(i / 3 - j / 3) == 1);
    }
  }
  for (int b = 0; b < bars; b++) {
    const int from = b % bodies, to = (from + (b < bodies ? 1 : bodies / 3)) % bodies;
    for (int c = 0; c < 3; c++) {
      const int ends[] = {3 * from + c, 3 * to + c};
      for (int e = 0; e < 2; e++) has[nv + b][ends[e]] = has[ends[e]][nv + b] = true;
    }
  }
  return nv + bars;
}

/* Elimination in this order without exchanges: the least |pivot| over the largest entry of its
 * column, and the entries and operations of L and U with the pattern of A + A^T. */
static double eliminate(const ga_csr *A, const ga_ordering *o, ga_ordering_counts *counts) {
  static double a[NMAX][NMAX];
  static bool fill[NMAX][NMAX];
  const int n = A->nrow;
  double least = INFINITY;
  memset(a, 0, sizeof a);
  for (int k = 0; k < n; k++) {
    for (int m = 0; m < n; m++) {
      const int e = ga_csr_find(A, o->row[k], o->col[m]);
      a[k][m] = e < 0 ? 0 : A->val[e];
    }
  }
  for (int k = 0; k < n; k++) {
    for (int m = 0; m < n; m++) fill[k][m] = k == m || a[k][m] != 0 || a[m][k] != 0;
  }
  *counts = (ga_ordering_counts){0};
  for (int k = 0; k < n; k++) {
    counts->entries += 2;
    least = fmin(least, fabs(a[k][k]));
    for (int i = k + 1; i < n; i++) {
      if (!fill[i][k]) continue;
      counts->entries += 2;
      counts->operations += 1;
      const double l = a[k][k] != 0 ? a[i][k] / a[k][k] : 0;
      for (int j = k + 1; j < n; j++) {
        if (!fill[k][j]) continue;
        counts->operations += 2;
        fill[i][j] = true;
        a[i][j] -= l * a[k][j];
      }
    }
  }
  return least;
}

static void assert_permutation(int n, const int *order) {
  bool seen[NMAX] = {0};
  for (int k = 0; k < n; k++) {
    assert_in_range(order[k], 0, n - 1);
    assert_false(seen[order[k]]);
    seen[order[k]] = true;
  }
}

/* chains and nets, with and without springs, partners by pattern and by values */
static void test_pivots(void **state) {
  (void)state;
  static bool has[NMAX][NMAX];
  int zero_pivots = 0;
  for (int kind = 0; kind < 16; kind++) {
    ga_arena arena = {0};
    ga_csr A;
    ga_ordering bodies, plain;
    ga_ordering_counts counted, true_counts;
    const int n = saddle(kind < 8 ? 7 : 20, kind & 1, kind & 2, has);
    from_pattern(n, has, &A, &arena);
    ga_ordering_init(&bodies, n, &arena);
    ga_ordering_init(&plain, n, &arena);
    assert_true(ga_ordering_bodies_first(&A, NULL, kind & 4 ? A.val : NULL, &bodies));
    assert_permutation(n, bodies.row);
    assert_permutation(n, bodies.col);
    assert_true(eliminate(&A, &bodies, &true_counts) > 1e-6);
    assert_true(ga_ordering_count(&A, &bodies, &counted));
    assert_true(counted.entries == true_counts.entries);
    assert_true(counted.operations == true_counts.operations);
    assert_true(amd_order(n, A.ptr, A.col, plain.row, NULL, NULL) >= AMD_OK);
    memcpy(plain.col, plain.row, (size_t)n * sizeof(int));
    zero_pivots += eliminate(&A, &plain, &true_counts) == 0;
    assert_true(ga_ordering_count(&A, &plain, &counted));
    assert_true(counted.entries == true_counts.entries);
    assert_true(counted.operations == true_counts.operations);
    ga_arena_free(&arena);
  }
  assert_true(zero_pivots >= 8); /* in the nets AMD begins with constraints */
}

/* The rows of the layout: a matrix whose blocks of rows are exchanged gets the same order of columns,
 * and every row goes with the column that the layout gives it. */
static void test_layout(void **state) {
  (void)state;
  static bool has[NMAX][NMAX], moved[NMAX][NMAX];
  ga_arena arena = {0};
  ga_csr A, B;
  ga_ordering a, b;
  const int bodies = 8, nv = 3 * bodies, n = saddle(bodies, true, true, has), nlam = n - nv;
  memset(moved, 0, sizeof moved);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) moved[i < nv ? nlam + i : i - nv][j] = has[i][j];
  }
  from_pattern(n, has, &A, &arena);
  from_pattern(n, moved, &B, &arena);
  ga_ordering_init(&a, n, &arena);
  ga_ordering_init(&b, n, &arena);
  const ga_linsol_block blocks[] = {{nlam, 0, nv}, {0, nv, nlam}};
  const ga_linsol_layout layout = {.nblock = 2, .block = blocks};
  assert_true(ga_ordering_bodies_first(&A, NULL, NULL, &a));
  assert_true(ga_ordering_bodies_first(&B, &layout, NULL, &b));
  for (int k = 0; k < n; k++) {
    assert_int_equal(a.col[k], b.col[k]);
    assert_int_equal(a.row[k], a.col[k]);
    assert_int_equal(b.row[k], b.col[k] < nv ? nlam + b.col[k] : b.col[k] - nv);
  }
  ga_arena_free(&arena);
}

/* More constraints than velocities around them, and a column without entries: still a permutation. */
static void test_without_partner(void **state) {
  (void)state;
  static bool has[NMAX][NMAX];
  ga_arena arena = {0};
  ga_csr A;
  ga_ordering o;
  ga_ordering_counts counts;
  const int n = 6;
  memset(has, 0, sizeof has);
  has[0][0] = true;
  for (int c = 1; c < 5; c++) has[c][0] = has[0][c] = true;
  from_pattern(n, has, &A, &arena);
  ga_ordering_init(&o, n, &arena);
  assert_true(ga_ordering_bodies_first(&A, NULL, NULL, &o));
  assert_permutation(n, o.col);
  assert_permutation(n, o.row);
  assert_true(ga_ordering_count(&A, &o, &counts));
  assert_true(counts.entries >= 2 * n);
  ga_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pivots),
      cmocka_unit_test(test_layout),
      cmocka_unit_test(test_without_partner),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

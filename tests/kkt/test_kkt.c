/* SPDX-License-Identifier: MIT */
/* The saddle-point matrix: every block where it belongs, with its weight; its factors; scales of
 * rows. */
#include "kkt/kkt.h"

#include "support.h"

enum { NV = 3, NLAM = 2, NPSI = 1, N = NV + NLAM + NPSI };

/* a full matrix of these entries */
static ga_csr full(int rows, int cols, const double *entries, ga_arena *arena) {
  ga_csr A;
  ga_csr_init(&A, rows, cols, NULL, arena);
  assert_false(arena->failed);
  memcpy(A.val, entries, (size_t)(rows * cols) * sizeof(double));
  return A;
}

static double entry(const ga_csr *A, int i, int j) {
  const int e = ga_csr_find(A, i, j);
  return e < 0 ? 0 : A->val[e];
}

static const double m[] = {4, 1, 0, 1, 5, 0.5, 0, 0.5, 6}, k[] = {1, -2, 3, -2, 7, 1, 3, 1, 2};
static const double g[] = {1, 0, 2, 0, 3, -1}, h[] = {0.5, 0.25, 4};
static const double l[] = {2, 1, 1, 0, 1, 1}, p[] = {1, 1, 3};

static void test_matrix(void **state) {
  (void)state;
  for (int own = 0; own < 2; own++) {
    ga_arena arena = {0};
    ga_error err = {0};
    double root[NV] = {1, 1, 2};
    ga_eval eval = {.nv = NV, .nlam = NLAM, .npsi = NPSI, .root_metric = root, .err = &err};
    ga_csr M = full(NV, NV, m, &arena), K = full(NV, NV, k, &arena), W, E;
    ga_csr G = full(NLAM, NV, g, &arena), H = full(NPSI, NV, h, &arena);
    ga_csr L = full(NLAM, NV, l, &arena), P = full(NPSI, NV, p, &arena);
    ga_csr_init_identity(&W, NV, &arena);
    ga_csr_init_identity(&E, NLAM + NPSI, &arena);
    for (int i = 0; i < NV; i++) W.val[i] = 10 + i;
    for (int i = 0; i < NLAM + NPSI; i++) E.val[i] = 0.5 + i;
    const ga_kkt_blocks from = {.W = &W,
                                .K = &K,
                                .M = &M,
                                .G = &G,
                                .H = &H,
                                .E = &E,
                                .L = own ? &L : NULL,
                                .P = own ? &P : NULL};
    const ga_options o = ga_options_default();
    ga_kkt kkt = {0};
    must(ga_kkt_init(&kkt, &eval, &from, &o, own == 1, &arena), &err);
    for (int rows = 0; rows < 2; rows++) {
      const ga_kkt_weights c = {.w = 2, .k = 3, .m = 5, .e = -7, .without_rows = rows == 0};
      const ga_csr *A = &kkt.blocks.A;
      ga_kkt_assemble(&kkt, &c);
      for (int i = 0; i < NV; i++) {
        for (int j = 0; j < NV; j++) {
          const double want = (i == j ? 2 * W.val[i] : 0) + 3 * k[3 * i + j] + 5 * m[3 * i + j];
          assert_true(fabs(entry(A, i, j) - want) < 1e-14);
        }
        for (int r = 0; r < NLAM + NPSI; r++) {
          const double *down = r < NLAM ? g + NV * r : h, *up = r < NLAM ? l + NV * r : p;
          assert_true(entry(A, NV + r, i) == rows * down[i]);
          assert_true(entry(A, i, NV + r) == rows * (own ? up : down)[i]);
        }
      }
      for (int r = 0; r < NLAM + NPSI; r++) assert_true(entry(A, NV + r, NV + r) == -7 * E.val[r]);
      /* the factors are those of this matrix */
      double x[N], b[N] = {0};
      for (int i = 0; i < N; i++) x[i] = 1 + 0.3 * i;
      ga_csr_mul_add(A, 1, x, b);
      must(ga_kkt_factor(&kkt), &err);
      assert_int_equal(kkt.ls.ops->solve(&kkt.ls, b), GA_OK);
      for (int i = 0; i < N; i++) assert_true(fabs(b[i] - x[i]) < 1e-12);
    }
    ga_kkt_close(&kkt);
    ga_arena_free(&arena);
  }
}

static void test_scales(void **state) {
  (void)state;
  ga_arena arena = {0};
  const double zero[NV] = {0}, weight[NV] = {1, 2, 4};
  double D[NLAM + 1];
  ga_csr G = full(NLAM, NV, g, &arena), H = full(1, NV, zero, &arena);
  ga_kkt_row_scales(&G, &H, weight, D);
  assert_true(D[0] == 1 + 1 && D[1] == 4.5 + 0.25 && D[2] == 1); /* a zero row has the scale 1 */
  ga_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_matrix), cmocka_unit_test(test_scales)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

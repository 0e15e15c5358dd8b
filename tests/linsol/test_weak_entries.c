/* SPDX-License-Identifier: MIT */
/* The solver "weak-entries" on Newton matrices of nets and lattices, assembled here: partners,
 * blocks, solutions against the dense solver's, weak entries that grow, dependent constraints. */
#include <float.h>

#include "linsol/block_matrix.h"
#include "linsol/strong_entries.h"
#include "problems/problems.h"
#include "support.h"

/* [[M + c K, G^T], [p G, 0]], c = p h^2, and with eta
 *
 *     [[M + c K, G^T, -c K G^T], [p G, 0, -G G^T], [r G + h p Z, 0, -h Z G^T]],
 *
 * at a state that is bent everywhere */
typedef struct {
  ga_problem *p;
  ga_arena arena;
  ga_csr M, K, G, Z;
  ga_product KG, GG, ZG;
  ga_block_matrix blocks;
  int nv, nlam, n;
} newton;

enum { NMAX = 1400 };

static void evaluate(newton *w) {
  const ga_model *model = &w->p->model;
  static double q[NMAX], v[NMAX], lam[NMAX];
  for (int i = 0; i < w->nv; i++) {
    q[i] = w->p->q0[i] + 0.2 * sin(1.0 + i);
    v[i] = 3 * cos(2.0 * i);
  }
  for (int i = 0; i < w->nlam; i++) lam[i] = 30 * cos(1.0 + i);
  ga_csr Ct;
  must(ga_csr_init(&Ct, w->nv, w->nv, model->pat_K, &w->arena), NULL);
  const ga_evaluation all = {
      .M = &w->M, .G = &w->G, .x = v, .lam = lam, .Kt = &w->K, .Ct = &Ct, .Z = &w->Z};
  assert_int_equal(ga_model_evaluate(model, 0, q, v, &all), 0);
}

static void make(newton *w, const char *name, int size, bool eta) {
  ga_problem_options options = ga_problem_options_default();
  ga_error err = {0};
  *w = (newton){0};
  options.size = size;
  must(ga_problem_new(name, &options, &w->p, &err), &err);
  const ga_model *model = &w->p->model;
  int nv = w->nv = ga_space_nv(model->space), nlam = w->nlam = model->nlam;
  w->n = nv + nlam + (eta ? nlam : 0);
  assert_true(w->n <= NMAX);
  must(ga_csr_init(&w->M, nv, nv, model->pat_M, &w->arena), NULL);
  must(ga_csr_init(&w->K, nv, nv, model->pat_K, &w->arena), NULL);
  must(ga_csr_init(&w->G, nlam, nv, model->pat_G, &w->arena), NULL);
  must(ga_csr_init(&w->Z, nlam, nv, model->pat_G, &w->arena), NULL);
  evaluate(w);
  ga_block_matrix_add(&w->blocks, 0, 0, &w->M, false);
  ga_block_matrix_add(&w->blocks, 0, 0, &w->K, false);
  ga_block_matrix_add(&w->blocks, 0, nv, &w->G, true);
  ga_block_matrix_add(&w->blocks, nv, 0, &w->G, false);
  if (eta) {
    int velocity = nv + nlam;
    must(ga_product_init(&w->KG, &w->K, &w->G, &w->arena), NULL);
    must(ga_product_init(&w->GG, &w->G, &w->G, &w->arena), NULL);
    must(ga_product_init(&w->ZG, &w->Z, &w->G, &w->arena), NULL);
    ga_product_values(&w->KG, &w->K, &w->G);
    ga_product_values(&w->GG, &w->G, &w->G);
    ga_product_values(&w->ZG, &w->Z, &w->G);
    ga_block_matrix_add(&w->blocks, velocity, 0, &w->G, false);
    ga_block_matrix_add(&w->blocks, velocity, 0, &w->Z, false);
    ga_block_matrix_add(&w->blocks, 0, velocity, &w->KG.P, false);
    ga_block_matrix_add(&w->blocks, nv, velocity, &w->GG.P, false);
    ga_block_matrix_add(&w->blocks, velocity, velocity, &w->ZG.P, false);
  }
  must(ga_block_matrix_build(&w->blocks, w->n, &w->arena), NULL);
}

/* the values for a step size */
static void fill(newton *w, double h) {
  const double p = 0.25, r = 0.5, c = p * h * h;
  const double coefs[] = {1, c, 1, p, r, h * p, -c, -1, -h};
  ga_block_matrix_clear(&w->blocks);
  for (int k = 0; k < w->blocks.nterm; k++) ga_block_matrix_put(&w->blocks, k, coefs[k]);
}

static void release(newton *w) {
  ga_arena_free(&w->arena);
  ga_problem_free(w->p);
}

static void open_named(ga_linsol *ls, const char *name, const ga_csr *A) {
  ga_options o = ga_options_default();
  ga_error err = {0};
  o.linsol = name;
  must(ga_linsol_open(ls, &o, A, &err), &err);
}

/* Both solvers give the same x, for two right-hand sides, with A and with its transpose */
static void assert_same(ga_linsol *weak, ga_linsol *dense, int n, double tol) {
  static double X[2 * NMAX], Y[2 * NMAX];
  for (int transposed = 0; transposed < 2; transposed++) {
    for (int i = 0; i < 2 * n; i++) X[i] = Y[i] = sin(1 + 7.0 * i);
    must(ga_linsol_solve_many(weak, transposed, n, 2, X), NULL);
    must(ga_linsol_solve_many(dense, transposed, n, 2, Y), NULL);
    for (int c = 0; c < 2; c++) {
      double error = vector_error(n, X + c * n, Y + c * n), size = ga_max_abs(n, Y + c * n);
      if (!(error <= tol * size)) fail_msg("%g of %g, transposed: %d", error, size, transposed);
    }
  }
}

/* Every row of A x = b, or of A^T x = b, holds against its own terms. KLU with pivots chosen for
 * other values may lose some digits. */
static void assert_solves(ga_linsol *weak, const ga_csr *A) {
  static double x[NMAX], r[NMAX], size[NMAX];
  for (int transposed = 0; transposed < 2; transposed++) {
    int n = A->nrow;
    for (int i = 0; i < n; i++) x[i] = r[i] = sin(1 + 7.0 * i), size[i] = fabs(r[i]);
    must(ga_linsol_solve_many(weak, transposed, n, 1, x), NULL);
    for (int i = 0; i < n; i++) {
      for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
        int row = transposed ? A->col[e] : i, col = transposed ? i : A->col[e];
        r[row] -= A->val[e] * x[col];
        size[row] += fabs(A->val[e] * x[col]);
      }
    }
    for (int i = 0; i < n; i++) {
      if (!(fabs(r[i]) <= 1e-8 * size[i])) fail_msg("row %d: %g of %g", i, r[i], size[i]);
    }
  }
}

/* Small steps: by iteration alone, with one block for index3 and two for stab2. repivots counts the
 * choice and one factorization for each block; with full factors there would be more. */
static void test_by_iteration(void **state) {
  (void)state;
  const struct {
    const char *name;
    int size;
    bool eta;
    const char *blocks;
    long repivots;
  } cases[] = {{"net", 12, false, " 1 block,", 2},
               {"net", 10, true, " 2 blocks,", 3},
               {"lattice", 5, false, " 5 blocks,", 6},
               {"lattice", 5, true, " blocks", 0}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    newton w;
    ga_linsol weak, dense;
    make(&w, cases[k].name, cases[k].size, cases[k].eta);
    const ga_csr *A = &w.blocks.A;
    open_named(&weak, "weak-entries", A);
    open_named(&dense, "dense", A);
    for (int i = 0; i < 3; i++) {
      fill(&w, 1e-3 * (i + 1));
      must(weak.ops->factor(&weak, A), NULL);
      must(dense.ops->factor(&dense, A), NULL);
      assert_same(&weak, &dense, w.n, 1e-11);
    }
    assert_non_null(strstr(weak.why, cases[k].blocks));
    if (cases[k].repivots) assert_int_equal(weak.repivots, cases[k].repivots);
    ga_linsol_close(&weak);
    ga_linsol_close(&dense);
    release(&w);
  }
}

/* Steps that grow until nothing is weak, and shrink again: right all the time. */
static void test_growing(void **state) {
  (void)state;
  for (int eta = 0; eta < 2; eta++) {
    newton w;
    ga_linsol weak;
    make(&w, "lattice", 4, eta);
    const ga_csr *A = &w.blocks.A;
    open_named(&weak, "weak-entries", A);
    for (int i = 0; i < 24; i++) {
      fill(&w, 1e-3 * pow(2, i < 12 ? i : 24 - i));
      must(weak.ops->factor(&weak, A), NULL);
      assert_solves(&weak, A);
    }
    /* after a reset it solves as before */
    ga_linsol_reset(&weak);
    fill(&w, 1e-3);
    must(weak.ops->factor(&weak, A), NULL);
    assert_solves(&weak, A);
    ga_linsol_close(&weak);
    release(&w);
  }
}

/* The same constraint twice: found, named, and reported with its vectors. */
static void test_dependent(void **state) {
  (void)state;
  newton w;
  ga_linsol weak;
  ga_null_space null;
  make(&w, "net", 10, false);
  double *from = w.G.val + 6 * 20;
  /* bar 40 pulls at its masses as bar 20 does at others: put it there */
  for (int k = 0; k < 6; k++) w.G.col[6 * 40 + k] = w.G.col[6 * 20 + k];
  for (int k = 0; k < 6; k++) w.G.val[6 * 40 + k] = -2 * from[k];
  w.blocks = (ga_block_matrix){0};
  ga_block_matrix_add(&w.blocks, 0, 0, &w.M, false);
  ga_block_matrix_add(&w.blocks, 0, 0, &w.K, false);
  ga_block_matrix_add(&w.blocks, 0, w.nv, &w.G, true);
  ga_block_matrix_add(&w.blocks, w.nv, 0, &w.G, false);
  must(ga_block_matrix_build(&w.blocks, w.n, &w.arena), NULL);
  fill(&w, 1e-3);
  const ga_csr *A = &w.blocks.A;
  open_named(&weak, "weak-entries", A);
  assert_int_equal(weak.ops->factor(&weak, A), GA_RETRY_SINGULAR);
  int column = weak.ops->singular_column(&weak);
  assert_true(column == w.nv + 20 || column == w.nv + 40);
  must(weak.ops->null_space(&weak, A, &null), NULL);
  assert_int_equal(null.count, 1);
  assert_true(null.complete);
  assert_true(null.cols[0] == w.nv + 20 || null.cols[0] == w.nv + 40);
  assert_near("lam", null.right[w.nv + 20], 2 * null.right[w.nv + 40], 1e-10);
  ga_linsol_close(&weak);
  release(&w);
}

static void assert_partners(const newton *w, const ga_strong_entries *strong) {
  assert_int_equal(strong->nblock, 2);
  for (int i = 0; i < w->nv; i++) assert_int_equal(strong->row_of[i], i);
  for (int i = 0; i < w->nlam; i++) {
    int lam = w->nv + i, eta = lam + w->nlam;
    assert_int_equal(strong->row_of[eta], lam);
    assert_int_equal(strong->row_of[lam], eta);
    assert_int_equal(strong->block_of[lam], 0);
    assert_int_equal(strong->block_of[eta], 1);
  }
  assert_int_equal(strong->block[0].n, w->nv + w->nlam);
  assert_int_equal(strong->block[1].n, w->nlam);
}

/* Partners of stab2: force balances and velocities, position constraints and eta, velocity
 * constraints and lam; eta comes last. Found from the values, or taken from the layout. */
static void test_partners(void **state) {
  (void)state;
  newton w;
  ga_strong_entries strong = {0};
  make(&w, "net", 8, true);
  fill(&w, 1e-3);
  ga_strong_entries_init(&strong, &w.blocks.A, NULL);
  const ga_linsol_block blocks[] = {
      {0, 0, w.nv}, {w.nv + w.nlam, w.nv, w.nlam}, {w.nv, w.nv + w.nlam, w.nlam}};
  const ga_linsol_layout layout = {.nblock = 3, .block = blocks};
  for (int known = 0; known < 2; known++) {
    must(ga_strong_entries_choose(&strong, &w.blocks.A, known ? &layout : NULL, 0.1), NULL);
    assert_partners(&w, &strong);
  }
  ga_strong_entries_free(&strong);
  release(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_by_iteration),
      cmocka_unit_test(test_growing),
      cmocka_unit_test(test_dependent),
      cmocka_unit_test(test_partners),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* What the linear solvers report of singular matrices: null pivots, their rows and columns, null
 * vectors. 200 KKT matrices with dependent constraints and coordinates without mass, half of them
 * not symmetric; the rank is LAPACK's. */
#include <float.h>

#include "linsol/registry.h"
#include "own_solver.h"
#include "support.h"

enum { MATRICES = 200, NMAX = 40 };

void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a,
             const int *lda, double *s, double *u, const int *ldu, double *vt, const int *ldvt,
             double *work, const int *lwork, int *info, size_t jobu_len, size_t jobvt_len);

/* singular values above 1e-10 of the largest, after rows and columns were scaled to about 1 */
static int rank_of(int nrow, int ncol, const double *full) {
  static double a[NMAX * NMAX], R[NMAX], C[NMAX], values[NMAX], work[20 * NMAX];
  int room = 20 * NMAX, info = 0, one = 1, rank = 0, most = nrow < ncol ? nrow : ncol;
  if (most == 0) return 0;
  memcpy(a, full, (size_t)(nrow * ncol) * sizeof *a);
  own_equilibrate(nrow, ncol, a, R, C);
  /* rows of a are columns of the transpose */
  dgesvd_("N", "N", &ncol, &nrow, a, &ncol, values, NULL, &one, NULL, &one, work, &room, &info, 1,
          1);
  assert_int_equal(info, 0);
  while (rank < most && values[rank] > 1e-10 * values[0]) rank++;
  return rank;
}

typedef struct {
  int n, nv, m, deficiency;
  double full[NMAX * NMAX];
} kkt;

/* a random integer from .. to */
static int pick(uint64_t *seed, int from, int to) {
  int i = from + (int)(0.5 * (next_uniform(seed) + 1) * (to - from + 1));
  return i > to ? to : i;
}

/* [[K, G^T], [p G, 0]]: K positive, perhaps with an antisymmetric part; the last constraints are
 * combinations of the others; the last velocities perhaps have neither mass nor constraint. */
static void generate(uint64_t *seed, int number, kkt *A) {
  int extra = pick(seed, number % 3 == 0 ? 1 : 0, 3), free = number % 3 == 0 ? pick(seed, 0, 2) : 0;
  if (extra + free == 0) extra = 1;
  A->nv = pick(seed, 6, 22);
  int independent = pick(seed, 1, A->nv / 2);
  A->m = independent + extra;
  A->n = A->nv + A->m;
  int n = A->n, nv = A->nv;
  bool symmetric = number % 2 == 0;
  double p = symmetric && number % 4 == 0 ? 1 : 0.25, *a = A->full;
  memset(a, 0, sizeof A->full);
  for (int i = 0; i < nv - free; i++) {
    a[i * n + i] = 3 + next_uniform(seed);
    for (int j = 0; j < i; j++) {
      double u = next_uniform(seed), skew = symmetric ? 0 : 0.2 * next_uniform(seed);
      if (fabs(u) > 0.3) continue;
      a[i * n + j] = u + skew;
      a[j * n + i] = u - skew;
    }
  }
  for (int c = 0; c < A->m; c++) {
    double weight[NMAX];
    for (int d = 0; d < independent; d++) weight[d] = pick(seed, -2, 2);
    weight[c % independent] = 1;
    for (int j = 0; j < nv - free; j++) {
      double u = next_uniform(seed), g = j == c || fabs(u) < 0.4 ? u + (j == c) : 0;
      if (c >= independent) {
        g = 0;
        for (int d = 0; d < independent; d++) g += weight[d] * a[j * n + nv + d];
      }
      a[j * n + nv + c] = g;
      a[(nv + c) * n + j] = p * g;
    }
  }
  A->deficiency = extra + free;
}

static void to_csr(const kkt *A, ga_csr *out, ga_arena *arena) {
  int n = A->n, e = 0;
  assert_int_equal(ga_csr_init(out, n, n, NULL, arena), GA_OK);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      if (A->full[i * n + j] == 0) continue;
      out->col[e] = j;
      out->val[e++] = A->full[i * n + j];
    }
    out->ptr[i + 1] = e;
  }
}

static bool among(int i, int count, const int *list) {
  for (int c = 0; c < count; c++) {
    if (list[c] == i) return true;
  }
  return false;
}

/* Without the rows and columns named the rest is regular. */
static void assert_places(const kkt *A, const ga_null_space *null) {
  static double rest[NMAX * NMAX];
  int n = A->n, at = 0, left = n - null->count;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      if (among(i, null->count, null->rows) || among(j, null->count, null->cols)) continue;
      rest[at++] = A->full[i * n + j];
    }
  }
  assert_int_equal(at, left * left);
  if (null->complete) {
    assert_int_equal(rank_of(left, left, rest), left);
  } else {
    assert_int_equal(rank_of(left, left, rest), n - A->deficiency);
  }
}

/* A x = 0, or A^T x = 0, and the ones and zeros x has */
static void assert_vectors(const kkt *A, bool transposed, int count, const int *at,
                           const double *vectors) {
  int n = A->n;
  for (int c = 0; c < count; c++) {
    const double *x = vectors + c * n;
    for (int d = 0; d < count; d++) assert_true(fabs(x[at[d]] - (c == d)) < 1e-12);
    double size = ga_max_abs(n, x);
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int j = 0; j < n; j++) sum += A->full[transposed ? j * n + i : i * n + j] * x[j];
      if (!(fabs(sum) <= 1e-11 * size)) fail_msg("row %d of %d: %g for |x| = %g", i, n, sum, size);
    }
  }
}

typedef struct {
  const char *name;
  bool complete; /* finds all of them */
} reporter;

static void test_reports(void **state) {
  const reporter *r = *state;
  uint64_t seed = 4711;
  static kkt A;
  for (int number = 0; number < MATRICES; number++) {
    ga_arena arena = {0};
    ga_csr csr;
    ga_options o = ga_options_default();
    ga_error err = {0};
    ga_linsol ls;
    ga_null_space null = {0};
    generate(&seed, number, &A);
    assert_int_equal(rank_of(A.n, A.n, A.full), A.n - A.deficiency);
    to_csr(&A, &csr, &arena);
    o.linsol = r->name;
    must(ga_linsol_open(&ls, &o, &csr, &err), &err);
    assert_int_equal(ls.ops->factor(&ls, &csr), GA_RETRY_SINGULAR);
    assert_int_equal(ls.ops->null_space(&ls, &csr, &null), GA_OK);
    assert_int_equal(null.complete, r->complete);
    assert_int_equal(null.count, r->complete ? A.deficiency : 1);
    assert_places(&A, &null);
    assert_vectors(&A, false, null.count, null.cols, null.right);
    assert_vectors(&A, true, null.count, null.rows, null.left);
    ga_linsol_close(&ls);
    ga_arena_free(&arena);
  }
}

/* [[I, G^T], [G, 0]] with constraints x_i = 2 x_i+1, and more: x_i = 4 x_i+2, the sum of the first
 * i = 5 d + 1 and of twice the next. The rank of G is CHAIN. */
enum { CHAIN = 700, MORE = 40, LARGE = 2 * CHAIN + 1 + MORE };

static void large_kkt(ga_csr *A, ga_arena *arena) {
  int nv = CHAIN + 1, e = 0;
  assert_int_equal(ga_csr_init(A, LARGE, LARGE, NULL, arena), GA_OK);
  for (int j = 0; j < nv; j++) {
    A->col[e] = j, A->val[e++] = 1;
    if (j > 0) A->col[e] = nv + j - 1, A->val[e++] = -2;
    if (j < CHAIN) A->col[e] = nv + j, A->val[e++] = 1;
    for (int d = 0; d < MORE; d++) {
      if (j != 5 * d + 1 && j != 5 * d + 3) continue;
      A->col[e] = nv + CHAIN + d, A->val[e++] = j == 5 * d + 1 ? 1 : -4;
    }
    A->ptr[j + 1] = e;
  }
  for (int c = 0; c < CHAIN + MORE; c++) {
    int first = c < CHAIN ? c : 5 * (c - CHAIN) + 1;
    A->col[e] = first, A->val[e++] = 1;
    A->col[e] = c < CHAIN ? first + 1 : first + 2, A->val[e++] = c < CHAIN ? -2 : -4;
    A->ptr[nv + c + 1] = e;
  }
}

/* Many rows: the rank, and that every vector combines x_i = 4 x_i+2 with the two it is made of. */
static void test_large(void **state) {
  const reporter *r = *state;
  ga_arena arena = {0};
  ga_csr A;
  ga_options o = ga_options_default();
  ga_error err = {0};
  ga_linsol ls;
  ga_null_space null = {0};
  bool mumps = strstr(ga_capabilities(), "mumps") != NULL;
  if (strcmp(r->name, "dense") == 0 || (strcmp(r->name, "weak-entries") == 0 && !mumps)) skip();
  large_kkt(&A, &arena);
  o.linsol = r->name;
  must(ga_linsol_open(&ls, &o, &A, &err), &err);
  must(ls.ops->null_space(&ls, &A, &null), NULL);
  assert_int_equal(null.count, r->complete ? MORE : 1);
  bool seen[MORE] = {false};
  for (int k = 0; k < null.count; k++) {
    const double *x = null.right + (size_t)k * LARGE;
    for (int d = 0; d < MORE && r->complete; d++) {
      double more = x[CHAIN + 1 + CHAIN + d];
      const double *two = x + CHAIN + 1 + 5 * d + 1;
      assert_true(fabs(two[0] + more) < 1e-12 && fabs(two[1] + 2 * more) < 1e-12);
      seen[d] |= fabs(more) > 0.1;
    }
    for (int j = 0; j <= CHAIN; j++) assert_true(fabs(x[j]) < 1e-12);
  }
  for (int d = 0; d < MORE && r->complete; d++) assert_true(seen[d]);
  ga_linsol_close(&ls);
  ga_arena_free(&arena);
}

/* a regular matrix has nothing to report, also after a singular one */
static void test_regular(void **state) {
  const reporter *r = *state;
  int ptr[] = {0, 2, 4}, col[] = {0, 1, 0, 1};
  double val[] = {1, 2, 2, 4};
  const ga_csr A = {2, 2, ptr, col, val};
  ga_options o = ga_options_default();
  ga_error err = {0};
  ga_linsol ls;
  ga_null_space null = {0};
  o.linsol = r->name;
  must(ga_linsol_open(&ls, &o, &A, &err), &err);
  assert_int_equal(ls.ops->factor(&ls, &A), GA_RETRY_SINGULAR);
  assert_int_equal(ls.ops->null_space(&ls, &A, &null), GA_OK);
  assert_int_equal(null.count, 1);
  /* (-2, 1) up to the place of its 1 */
  assert_true(fabs(null.right[0] + 2 * null.right[1]) < 1e-12);
  val[3] = 3;
  if (r->complete) {
    assert_int_equal(ls.ops->null_space(&ls, &A, &null), GA_OK);
    assert_int_equal(null.count, 0);
  }
  double x[] = {3, 5};
  assert_int_equal(ls.ops->factor(&ls, &A), GA_OK);
  assert_int_equal(ls.ops->solve(&ls, x), GA_OK);
  assert_true(fabs(x[0] - 1) < 1e-14 && fabs(x[1] - 1) < 1e-14);
  ga_linsol_close(&ls);
}

int main(void) {
  static reporter reporters[8];
  int count = 0, failed = 0;
  for (; ga_linsol_name(count) && count < 8; count++) {
    reporters[count].name = ga_linsol_name(count);
    reporters[count].complete = strcmp(ga_linsol_name(count), "klu") != 0;
  }
  for (int i = 0; i < count; i++) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_reports, &reporters[i]),
        cmocka_unit_test_prestate(test_regular, &reporters[i]),
        cmocka_unit_test_prestate(test_large, &reporters[i]),
    };
    failed += cmocka_run_group_tests_name(reporters[i].name, tests, NULL, NULL);
  }
  return failed;
}

/* SPDX-License-Identifier: MIT */
/* One suite for all linear solvers: the built-in ones, "auto", and a user's own (own_solver.h). */
#include "linsol/registry.h"

#include <float.h>

#include "own_solver.h"
#include "support.h"
#ifdef GA_SUITE_PETSC
#include "genalpha/ga_petsc.h"
#endif

enum { NMAX = 150 };
static const int sizes[] = {1, 2, 5, 12, 59, 60, 61, 150};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* a solver under test, attached to a matrix */
typedef struct {
  const char *name;
  const ga_linsol_ops *ops;
  own_counts counts;
  void *context; /* NULL: the counts */
  double growth; /* of entries in its elimination, beyond that of the best pivots; 0: none */
  ga_linsol ls;
} solver;

static void attach(solver *s, const ga_csr *A) {
  ga_options o = ga_options_default();
  ga_error err = {0};
  o.linsol = s->name;
  o.linsol_ops = s->ops;
  o.linsol_context = s->context ? s->context : &s->counts;
  must(ga_linsol_open(&s->ls, &o, A, &err), &err);
}

enum { RHS = 3 };

/* A x = b, or A^T x = b, for x and b in units that make the matrix R A C about 1 everywhere: what
 * is left, b - A x, is the rounding error of n operations, times the growth of the elimination. */
static void assert_residual(const solver *s, const ga_csr *A, bool transposed, const double *b,
                            const double *x, double growth) {
  static double full[NMAX * NMAX], R[NMAX], C[NMAX];
  double largest = 1, worst = 0;
  int n = A->nrow;
  dense_of(A, full);
  own_equilibrate(n, n, full, R, C);
  const double *from = transposed ? C : R, *to = transposed ? R : C;
  for (int i = 0; i < n; i++) {
    double r = from[i] * b[i];
    for (int j = 0; j < n; j++) {
      r -= full[transposed ? j * n + i : i * n + j] * (x[j] / to[j]);
    }
    worst = fmax(worst, fabs(r));
    largest = fmax(largest, fabs(x[i] / to[i]));
  }
  if (s->growth > 0) growth *= s->growth;
  if (!(worst <= growth * n * DBL_EPSILON * largest)) {
    fail_msg("%s, %d rows%s: residual %g, solution %g", s->name, n,
             transposed ? ", transposed" : "", worst, largest);
  }
}

/* random right-hand sides, in the units of the rows or of the columns of A */
static void random_sides(const ga_csr *A, bool transposed, int count, uint64_t *seed, double *B) {
  static double full[NMAX * NMAX], R[NMAX], C[NMAX];
  int n = A->nrow;
  dense_of(A, full);
  own_equilibrate(n, n, full, R, C);
  for (int i = 0; i < count * n; i++) {
    B[i] = next_uniform(seed) / (transposed ? C : R)[i % n];
  }
}

/* one right-hand side, then three at once with A and with its transpose */
static void assert_solves(solver *s, const ga_csr *A, uint64_t *seed, double growth) {
  static double B[RHS * NMAX], X[RHS * NMAX];
  int n = A->nrow;
  random_sides(A, false, 1, seed, B);
  memcpy(X, B, (size_t)n * sizeof *X);
  assert_int_equal(s->ls.ops->solve(&s->ls, X), GA_OK);
  assert_residual(s, A, false, B, X, growth);
  for (int transposed = 0; transposed < 2; transposed++) {
    random_sides(A, transposed, RHS, seed, B);
    memcpy(X, B, (size_t)(RHS * n) * sizeof *X);
    ga_status status = ga_linsol_solve_many(&s->ls, transposed, n, RHS, X);
    if (transposed && !s->ls.ops->solve_many) {
      assert_int_equal(status, GA_ERR_BACKEND);
      assert_non_null(strstr(s->ls.trouble, "no transposed"));
      break;
    }
    assert_int_equal(status, GA_OK);
    for (int c = 0; c < RHS; c++) {
      assert_residual(s, A, transposed, B + c * n, X + c * n, growth);
    }
  }
}

/* attach, factor, solve twice, detach */
static void assert_regular(solver *s, const ga_csr *A, uint64_t *seed, double growth) {
  attach(s, A);
  ga_status status = s->ls.ops->factor(&s->ls, A);
  if (status != GA_OK) {
    fail_msg("%s: %s at column %d of %d", s->name, ga_status_name(status),
             s->ls.ops->singular_column(&s->ls), A->nrow);
  }
  assert_solves(s, A, seed, growth);
  assert_solves(s, A, seed, growth);
  ga_linsol_close(&s->ls);
}

/* a full matrix with the given values, or only its entries that are not zero */
static void from_dense(int n, const double *full, bool sparse, ga_csr *A, ga_arena *arena) {
  assert_int_equal(ga_csr_init(A, n, n, NULL, arena), GA_OK);
  int e = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      if (sparse && full[i * n + j] == 0) continue;
      A->col[e] = j;
      A->val[e++] = full[i * n + j];
    }
    A->ptr[i + 1] = e;
  }
}

/* random places and values, and a large entry in each row and column off the diagonal */
static void random_regular(uint64_t *seed, int n, double density, ga_csr *A, ga_arena *arena) {
  int place[NMAX];
  for (int i = 0; i < n; i++) place[i] = i;
  for (int i = n - 1; i > 0; i--) {
    int j = (int)(0.5 * (next_uniform(seed) + 1) * i), swap = place[i];
    place[i] = place[j], place[j] = swap;
  }
  random_csr(seed, n, n, density, place, A, arena);
  for (int i = 0; i < n; i++) {
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      if (A->col[e] == place[i]) A->val[e] = (1 + sqrt(n * density)) * (A->val[e] > 0 ? 1 : -1);
    }
  }
}

static void test_random(void **state) {
  solver *s = *state;
  uint64_t seed = 41;
  for (int k = 0; k < SIZES * 3; k++) {
    int n = sizes[k % SIZES];
    const double density[] = {1, 0.3, 3.0 / (n + 3)};
    ga_arena arena = {0};
    ga_csr A;
    random_regular(&seed, n, density[k / SIZES], &A, &arena);
    assert_regular(s, &A, &seed, 8);
    ga_arena_free(&arena);
  }
}

/* new values in the same pattern, several right-hand sides, and a singular matrix in between */
static void test_refactor(void **state) {
  solver *s = *state;
  uint64_t seed = 42;
  for (int k = 0; k < SIZES; k++) {
    ga_arena arena = {0};
    ga_csr A;
    random_regular(&seed, sizes[k], 0.4, &A, &arena);
    attach(s, &A);
    for (int pass = 0; pass < 4; pass++) {
      assert_int_equal(s->ls.ops->factor(&s->ls, &A), GA_OK);
      for (int rhs = 0; rhs < 3; rhs++) assert_solves(s, &A, &seed, 8);
      double keep[NMAX * NMAX];
      int nnz = ga_csr_nnz(&A);
      memcpy(keep, A.val, (size_t)nnz * sizeof *keep);
      ga_csr_zero(&A);
      assert_int_equal(s->ls.ops->factor(&s->ls, &A), GA_RETRY_SINGULAR);
      for (int e = 0; e < nnz; e++) A.val[e] = keep[nnz - 1 - e] + 3 * keep[e] * (pass - 1.5);
    }
    ga_linsol_close(&s->ls);
    ga_arena_free(&arena);
  }
}

/* a matrix with one entry per row: the solution has no rounding error */
static void test_exact(void **state) {
  solver *s = *state;
  for (int k = 0; k < SIZES; k++) {
    int n = sizes[k];
    ga_arena arena = {0};
    ga_csr A;
    double b[NMAX];
    ga_csr_init_identity(&A, n, &arena);
    /* row i holds 2^(i % 7) at column (i + 2) mod n */
    for (int i = 0; i < n; i++) A.col[i] = (i + 2) % n, A.val[i] = ldexp(1, i % 7), b[i] = i + 1;
    attach(s, &A);
    assert_int_equal(s->ls.ops->factor(&s->ls, &A), GA_OK);
    assert_int_equal(s->ls.ops->solve(&s->ls, b), GA_OK);
    for (int i = 0; i < n; i++) assert_true(b[(i + 2) % n] == (i + 1) / ldexp(1, i % 7));
    ga_linsol_close(&s->ls);
    ga_arena_free(&arena);
  }
}

/* [[M, G^T], [G, 0]]: positive M, zero where a constraint of its own holds the coordinate (every
 * third one), and constraints that are independent */
static void saddle(uint64_t *seed, int n, bool massless, double *full) {
  int m = n / 3, nv = n - m;
  memset(full, 0, (size_t)(n * n) * sizeof *full);
  for (int i = 0; i < nv; i++) full[i * n + i] = massless && i < m ? 0 : 2 + next_uniform(seed);
  for (int c = 0; c < m; c++) {
    for (int j = 0; j < nv; j++) {
      double u = next_uniform(seed);
      double g = j == c ? 3 : j < m ? 0 : fabs(u) < 0.3 ? u : 0;
      full[(nv + c) * n + j] = full[j * n + nv + c] = g;
    }
  }
}

static void test_saddle(void **state) {
  solver *s = *state;
  uint64_t seed = 43;
  static double full[NMAX * NMAX];
  for (int k = 0; k < SIZES * 4; k++) {
    ga_arena arena = {0};
    ga_csr A;
    int n = sizes[k % SIZES];
    saddle(&seed, n, k / SIZES % 2 == 1 && n > 2, full);
    from_dense(n, full, k / SIZES >= 2, &A, &arena);
    assert_regular(s, &A, &seed, 8);
    ga_arena_free(&arena);
  }
}

/* units chosen badly: rows and columns times 1e-12 .. 1e12, together or each on its own */
static void test_units(void **state) {
  solver *s = *state;
  uint64_t seed = 44;
  static double full[NMAX * NMAX], row[NMAX], col[NMAX];
  for (int k = 0; k < SIZES * 6; k++) {
    ga_arena arena = {0};
    ga_csr A;
    int n = sizes[k % SIZES], kind = k / SIZES;
    if (kind < 3) {
      random_regular(&seed, n, 0.5, &A, &arena);
    } else {
      saddle(&seed, n, false, full);
      from_dense(n, full, true, &A, &arena);
    }
    for (int i = 0; i < n; i++) {
      row[i] = kind % 3 == 1 ? 1 : pow(10, 12 * next_uniform(&seed));
      col[i] = kind % 3 == 0 ? 1 : kind % 3 == 2 ? row[i] : pow(10, 12 * next_uniform(&seed));
    }
    for (int i = 0; i < n; i++) {
      for (int e = A.ptr[i]; e < A.ptr[i + 1]; e++) A.val[e] *= row[i] * col[A.col[e]];
    }
    /* row exchanges are not quite what they would be in good units */
    assert_regular(s, &A, &seed, 100);
    ga_arena_free(&arena);
  }
}

/* light and heavy masses, soft and stiff springs beside constraints that determine what they leave
 * open */
static void test_stiff(void **state) {
  solver *s = *state;
  uint64_t seed = 45;
  for (int step = -64; step <= 72; step++) {
    const double k = pow(10, step / 4.0), m = 1, c = m + k, d = m + 2 * k;
    const struct {
      int n;
      double full[25];
    } systems[] = {
        {2, {k, 1, 1, 0}},
        {3, {k, 0, 1, 0, m, 1, 1, 1, 0}},
        {3, {k, 0, 1, 0, k, 1, 1, 1, 0}},
        {3, {c, -k, 1, -k, c, 1, 1, 1, 0}}, /* the centre of two masses held */
        {3, {c, -k, 1, -k, c, 0, 1, 0, 0}}, /* one of two masses held */
        {3, {m, k, 1, -k, m, 0, 1, 0, 0}},  /* strong gyroscopic coupling */
        {5, {m, 0, 0, 0, 0, 0, c, -k, 0, 1, 0, -k, d, -k, 1, 0, 0, -k, c, 1, 0, 1, 1, 1, 0}},
        {5, {c, -k, 0, 1, 0, -k, d, -k, 0, 1, 0, -k, c, 1, 2, 1, 0, 1, 0, 0, 0, 1, 2, 0, 0}},
    };
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
      ga_arena arena = {0};
      ga_csr A;
      from_dense(systems[i].n, systems[i].full, i % 2, &A, &arena);
      assert_regular(s, &A, &seed, 30);
      ga_arena_free(&arena);
    }
  }
}

/* Gaussian elimination with complete pivoting, in good units: the number of pivots above 1e-9 */
static int rank_of(int nrow, int ncol, const double *full) {
  static double a[NMAX * NMAX], R[NMAX], C[NMAX];
  memcpy(a, full, (size_t)(nrow * ncol) * sizeof *a);
  own_equilibrate(nrow, ncol, a, R, C);
  int most = nrow < ncol ? nrow : ncol;
  for (int k = 0; k < most; k++) {
    int p = k, q = k;
    for (int i = k; i < nrow; i++) {
      for (int j = k; j < ncol; j++) {
        if (fabs(a[i * ncol + j]) > fabs(a[p * ncol + q])) p = i, q = j;
      }
    }
    if (fabs(a[p * ncol + q]) <= 1e-9) return k;
    for (int j = 0; j < ncol; j++) {
      double swap = a[k * ncol + j];
      a[k * ncol + j] = a[p * ncol + j], a[p * ncol + j] = swap;
    }
    for (int i = 0; i < nrow; i++) {
      double swap = a[i * ncol + k];
      a[i * ncol + k] = a[i * ncol + q], a[i * ncol + q] = swap;
    }
    for (int i = k + 1; i < nrow; i++) {
      double factor = a[i * ncol + k] / a[k * ncol + k];
      for (int j = k; j < ncol; j++) a[i * ncol + j] -= factor * a[k * ncol + j];
    }
  }
  return most;
}

/* The matrix is singular, the column named depends on the others; with_row: and without that column
 * and its row the matrix is regular. */
static void assert_singular(solver *s, int n, const double *full, bool with_row) {
  static double rest[NMAX * NMAX];
  ga_arena arena = {0};
  ga_csr A;
  from_dense(n, full, n % 2, &A, &arena);
  attach(s, &A);
  ga_status status = s->ls.ops->factor(&s->ls, &A);
  if (status != GA_RETRY_SINGULAR) {
    fail_msg("%s: %s for a singular matrix of %d rows", s->name, ga_status_name(status), n);
  }
  int column = s->ls.ops->singular_column(&s->ls), at = 0;
  assert_in_range(column, 0, n - 1);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      if (j != column && !(with_row && i == column)) rest[at++] = full[i * n + j];
    }
  }
  if (rank_of(with_row ? n - 1 : n, n - 1, rest) != n - 1) {
    fail_msg("%s: column %d of %d does not depend on the others", s->name, column, n);
  }
  ga_linsol_close(&s->ls);
  ga_arena_free(&arena);
}

/* twins: equal rows or columns or both, equal but for rounding, or zero */
static void test_singular(void **state) {
  solver *s = *state;
  uint64_t seed = 46;
  static double full[NMAX * NMAX];
  for (int k = 0; k < SIZES * 8; k++) {
    int n = sizes[k % SIZES], kind = k / SIZES;
    int a = kind % 4 ? (3 * n / 7) % n : 0, b = (a + 1 + n / 3) % n;
    /* symmetric first, so that a column and its row depend alike */
    for (int i = 0; i < n; i++) {
      for (int j = 0; j <= i; j++) full[i * n + j] = full[j * n + i] = next_uniform(&seed);
    }
    double scale = n == 1 || kind == 7 ? 0 : kind == 6 ? -1e9 : kind % 2 ? 1.0 / 3 : 1;
    for (int j = 0; j < n && kind != 4 && kind != 5; j++) full[a * n + j] = scale * full[b * n + j];
    for (int i = 0; i < n && kind != 2 && kind != 3; i++) full[i * n + a] = scale * full[i * n + b];
    /* a third of something, times three, and some noise of rounding: nearly singular */
    for (int i = 0; i < n && kind % 2; i++) full[i * n + a] = full[i * n + a] * 0.7 / 0.7;
    assert_singular(s, n, full, kind < 2 || kind >= 6);
  }
}

/* a constraint that is the sum, a multiple or a copy of others, a coordinate without mass, four
 * constraints on three coordinates */
static void test_dependent_constraint(void **state) {
  solver *s = *state;
  uint64_t seed = 47;
  static double full[NMAX * NMAX];
  for (int k = 0; k < SIZES * 5; k++) {
    int n = sizes[k % SIZES], kind = k / SIZES, m = n / 3, nv = n - m;
    if (m < 3) continue;
    saddle(&seed, n, false, full);
    int c = nv + (kind == 1 ? 0 : m / 2), a = nv + m - 1, b = nv + (m > 3 ? 1 : 0);
    for (int j = 0; j < nv && kind < 3; j++) {
      const double sum[] = {full[a * n + j], -1e-5 / 3 * full[a * n + j],
                            0.1 * full[a * n + j] + full[b * n + j] / 3};
      full[c * n + j] = full[j * n + c] = sum[kind];
    }
    for (int j = 0; j < n && kind == 3; j++) full[(nv - 1) * n + j] = full[j * n + nv - 1] = 0;
    for (int i = nv + m - 4; i < n && kind == 4; i++) {
      for (int j = 0; j < nv; j++) {
        full[i * n + j] = full[j * n + i] = j < nv - 3 ? 0 : next_uniform(&seed);
      }
    }
    assert_singular(s, n, full, true);
  }
}

/* Five masses in a row, one spring of them very stiff, and three constraints, the last of which
 * depends on the others, or would but for `extra` in one entry. Where the pivots are sound and no
 * row cancels, a second step of inverse iteration has to tell the one from the other. */
static void stiff_row(double stiff, int kind, double extra, double *full) {
  enum { N = 8, NV = 5 };
  double m[NV] = {1, 1, 1, 1e4, 1e3}, k[NV - 1] = {30, stiff, 0, 0};
  double g[2][NV] = {{-35, 34, 0, 41, 27}, {0, 0, -0.047, 0, 0.00037}};
  const double unit[] = {1, 100, 1e-3};
  if (kind % 2) k[0] = 0, k[2] = stiff / 100;
  memset(full, 0, N * N * sizeof *full);
  for (int i = 0; i < NV; i++) full[i * N + i] = m[i];
  for (int i = 0; i + 1 < NV; i++) {
    full[i * N + i] += k[i], full[(i + 1) * N + i + 1] += k[i];
    full[i * N + i + 1] -= k[i], full[(i + 1) * N + i] -= k[i];
  }
  for (int j = 0; j < NV; j++) {
    double b = unit[kind / 2] * g[1][j];
    const double row[3] = {g[0][j], b, 0.13 * g[0][j] + 0.09 * b + (j == 2 ? extra : 0)};
    for (int c = 0; c < 3; c++) full[(NV + c) * N + j] = full[j * N + NV + c] = row[c];
  }
}

static void test_dependent_beside_stiffness(void **state) {
  solver *s = *state;
  static double full[64];
  uint64_t seed = 48;
  for (int exponent = 3; exponent <= 14; exponent++) {
    for (int kind = 0; kind < 6; kind++) {
      ga_arena arena = {0};
      ga_csr A;
      stiff_row(pow(10, exponent), kind, 0, full);
      assert_singular(s, 8, full, false);
      stiff_row(pow(10, exponent), kind, 0.5, full);
      from_dense(8, full, true, &A, &arena);
      assert_regular(s, &A, &seed, 100);
      ga_arena_free(&arena);
    }
  }
}

/* Three constraints hold three coordinates, two of which a spring couples that is 1e10 to 1e14
 * times stiffer than all else: regular, whatever the first step of inverse iteration says. */
static void test_held_beside_stiffness(void **state) {
  solver *s = *state;
  uint64_t seed = 49;
  for (int i = 0; i < 17 * 12; i++) {
    const double K = pow(10, 10 + i / 12 / 4.0), m = pow(100, -(i % 4)), c = pow(10, -(i / 4 % 3));
    const struct {
      int i, j;
      double value;
    } entry[] = {{0, 0, 1},       {1, 1, m}, {2, 2, m + K}, {3, 3, m + K}, {3, 2, -K},
                 {4, 2, 0.3 * c}, {5, 1, c}, {5, 3, 2 * c}, {6, 1, 3 * c}, {6, 2, -3 * c}};
    double full[49] = {0};
    for (size_t e = 0; e < sizeof entry / sizeof *entry; e++) {
      full[entry[e].i * 7 + entry[e].j] = full[entry[e].j * 7 + entry[e].i] = entry[e].value;
    }
    ga_arena arena = {0};
    ga_csr A;
    from_dense(7, full, true, &A, &arena);
    assert_regular(s, &A, &seed, 100);
    ga_arena_free(&arena);
  }
}

/* the solvers under test */
static int list_solvers(solver *solvers) {
  int count = 0;
#ifdef GA_SUITE_PETSC
  static ga_petsc_context petsc = {.options = "-backward 1e-16"};
  solvers[count++] =
      (solver){.name = "petsc", .ops = &ga_petsc_linsol, .context = &petsc, .growth = 12};
  return count;
#endif
  for (; ga_linsol_name(count) && count < 6; count++) {
    solvers[count].name = ga_linsol_name(count);
    if (strcmp(ga_linsol_name(count), "mumps") == 0) solvers[count].growth = 12;
    /* pivots down to a tenth of the largest: entries grow more, up to 11 for AMD's order of a full
     * random matrix, 5 for the other orders */
    if (strcmp(ga_linsol_name(count), "klu") == 0) solvers[count].growth = 2;
  }
  solvers[count++].name = "auto";
  solvers[count++] = (solver){.name = "own", .ops = &own_solver};
  return count;
}

int main(void) {
  static solver solvers[8];
  int count = list_solvers(solvers), failed = 0;
  for (int i = 0; i < count; i++) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_random, &solvers[i]),
        cmocka_unit_test_prestate(test_refactor, &solvers[i]),
        cmocka_unit_test_prestate(test_exact, &solvers[i]),
        cmocka_unit_test_prestate(test_saddle, &solvers[i]),
        cmocka_unit_test_prestate(test_units, &solvers[i]),
        cmocka_unit_test_prestate(test_stiff, &solvers[i]),
        cmocka_unit_test_prestate(test_singular, &solvers[i]),
        cmocka_unit_test_prestate(test_dependent_constraint, &solvers[i]),
        cmocka_unit_test_prestate(test_dependent_beside_stiffness, &solvers[i]),
        cmocka_unit_test_prestate(test_held_beside_stiffness, &solvers[i]),
    };
    failed += cmocka_run_group_tests_name(solvers[i].name, tests, NULL, NULL);
  }
  return failed;
}

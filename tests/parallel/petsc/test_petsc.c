/* SPDX-License-Identifier: MIT */
/* The solver on PETSc, on any number of processes: matrices that all processes know are cut into
 * contributions, and what the processes find together is compared with what one finds alone. */
#include <float.h>

#include "cut.h"
#include "genalpha/ga_petsc.h"
#include "own_solver.h"
#include "problems/problems.h"
#include "support.h"

enum { NMAX = 120 };

static cut_plan plan;
static ga_petsc_context petsc;

/* ---- cuts ------------------------------------------------------------------------------------ */

/* numbers of [0, 1) that depend on an index and nothing else */
static double dice(int i, int j) {
  uint64_t x = (uint64_t)(i + 1) * 0x9e3779b97f4a7c15u + (uint64_t)(j + 7) * 0xbf58476d1ce4e5b9u;
  x ^= x >> 31, x *= 0x94d049bb133111ebu, x ^= x >> 29;
  return (double)(x >> 11) * 0x1p-53;
}

static int random_home(const void *user, const ga_csr *A, const ga_linsol_layout *layout, int i) {
  (void)user, (void)A, (void)layout;
  return (int)(plan.size * dice(i, -1));
}

/* half of the entries are on one process, the others on two, with weights that add up to 1
 * exactly */
static double random_fraction(const void *user, const int *home, int i, int j, int e, int process) {
  (void)user, (void)home, (void)e;
  int first = (int)(plan.size * dice(i, j)), second = (int)(plan.size * dice(j, i + 3));
  double weight = dice(i + j, 5) < 0.5 ? 1 : 1.75;
  return (first == process ? weight : 0) + (second == process ? 1 - weight : 0);
}

/* velocities by blocks of three, constraints where their first velocity is */
static int strip_home(const void *user, const ga_csr *A, const ga_linsol_layout *layout, int i) {
  const int nv = *(const int *)user, at = i < nv ? i : A->col[A->ptr[i]];
  (void)layout;
  return (int)((long)(at / 3) * plan.size / (nv / 3));
}

static double strip_fraction(const void *user, const int *home, int i, int j, int e, int process) {
  const int nv = *(const int *)user;
  int of = i >= nv ? home[i] : j >= nv ? home[j] : home[i] < home[j] ? home[i] : home[j];
  (void)e;
  return of == process;
}

static void cut_at_random(void) {
  plan.home = random_home, plan.fraction = random_fraction;
}

static void cut_in_strips(const int *nv) {
  plan.home = strip_home, plan.fraction = strip_fraction, plan.user = nv;
}

/* ---- matrices -------------------------------------------------------------------------------- */

/* [[M, G^T], [G, 0]] with three velocities of a mass coupled, weak entries between masses, and
 * constraints that touch two masses or three; n rows, a third of them constraints */
static void saddle(uint64_t *seed, int n, double *full) {
  int m = n / 3, nv = n - m;
  memset(full, 0, (size_t)(n * n) * sizeof *full);
  for (int i = 0; i < nv; i++) {
    for (int j = 0; j < i; j++) {
      double u = next_uniform(seed);
      full[i * n + j] = full[j * n + i] = i / 3 == j / 3 ? 0.3 * u : fabs(u) < 0.1 ? 0.05 * u : 0;
    }
    full[i * n + i] = 2 + next_uniform(seed);
  }
  for (int c = 0; c < m; c++) {
    for (int j = 0; j < nv; j++) {
      double u = next_uniform(seed), g = j == 2 * c ? 2 : fabs(u) < 3.0 / nv ? u : 0;
      full[(nv + c) * n + j] = full[j * n + nv + c] = g;
    }
  }
}

static void sparse_of(int n, const double *full, ga_csr *A, ga_arena *arena) {
  assert_int_equal(ga_csr_init(A, n, n, NULL, arena), GA_OK);
  int e = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      if (full[i * n + j] == 0) continue;
      A->col[e] = j;
      A->val[e++] = full[i * n + j];
    }
    A->ptr[i + 1] = e;
  }
}

/* ---- solvers --------------------------------------------------------------------------------- */

static ga_status open_with(ga_linsol *ls, const ga_csr *A, const char *options) {
  petsc = (ga_petsc_context){.comm = &plan.comm, .options = options};
  *ls = (ga_linsol){.ops = &cut_solver, .context = &plan};
  ga_status status = ls->ops->analyze(ls, A);
  return status == GA_OK ? ls->ops->factor(ls, A) : status;
}

static void close_solver(ga_linsol *ls) {
  ls->ops->free(ls);
}

/* the same by dense elimination */
static void exact_solution(const ga_csr *A, double *b) {
  own_counts counts = {0};
  ga_linsol ls = {.ops = &own_solver, .context = &counts};
  assert_int_equal(own_solver.analyze(&ls, A), GA_OK);
  assert_int_equal(own_solver.factor(&ls, A), GA_OK);
  assert_int_equal(own_solver.solve(&ls, b), GA_OK);
  own_solver.free(&ls);
}

static void assert_solution(const char *what, ga_linsol *ls, const ga_csr *A, double tol) {
  static double b[NMAX], x[NMAX];
  double largest = 0, error = 0;
  for (int i = 0; i < A->nrow; i++) x[i] = b[i] = dice(i, 77) - 0.5;
  exact_solution(A, x);
  ga_status status = ls->ops->solve(ls, b);
  if (status != GA_OK) fail_msg("%s: %s: %s", what, ga_status_name(status), ls->trouble);
  for (int i = 0; i < A->nrow; i++) {
    largest = fmax(largest, fabs(x[i]));
    error = fmax(error, fabs(b[i] - x[i]));
  }
  if (!(error <= tol * largest)) fail_msg("%s, %d rows: %g off", what, A->nrow, error / largest);
}

static const struct {
  const char *options;
  double tol;
} ways[] = {
    {NULL, 1e-7},
    {"-ksp_rtol 1e-9 -backward 1e-14", 1e-12},
    {"-weak 0 -overlap 0 -ga_ksp_rtol 1e-12", 1e-9},
    {"-overlap 2 -pc_asm_type basic -ksp_rtol 1e-12", 1e-9},
    {"-pc_type lu -pc_factor_mat_solver_type mumps", 1e-10},
    {"-sub_pc_type lu -sub_pc_factor_mat_solver_type umfpack -ksp_type gmres -ksp_rtol 1e-12",
     1e-9},
};
enum { WAYS = (int)(sizeof ways / sizeof *ways) };

static void test_random_contributions(void **state) {
  static const int sizes[] = {3, 4, 9, 33, NMAX};
  static double full[NMAX * NMAX];
  uint64_t seed = 5;
  (void)state;
  cut_at_random();
  for (int k = 0; k < 5 * WAYS; k++) {
    ga_arena arena = {0};
    ga_linsol ls;
    ga_csr A;
    saddle(&seed, sizes[k % 5], full);
    sparse_of(sizes[k % 5], full, &A, &arena);
    const char *options = ways[k / 5].options;
    ga_status status = open_with(&ls, &A, options);
    if (status != GA_OK) fail_msg("%s: %s: %s", options, ga_status_name(status), ls.trouble);
    assert_solution(options ? options : "defaults", &ls, &A, ways[k / 5].tol);
    /* new values, in the same pattern */
    for (int e = 0; e < A.ptr[A.nrow]; e++) A.val[e] *= 1 + 0.01 * dice(e, 2);
    assert_int_equal(ls.ops->factor(&ls, &A), GA_OK);
    assert_solution(options ? options : "defaults", &ls, &A, ways[k / 5].tol);
    close_solver(&ls);
    ga_arena_free(&arena);
  }
}

/* Rows and columns times powers of two: the same iteration, so the same digits. */
static void test_units(void **state) {
  enum { N = 33 };
  static double full[N * N];
  uint64_t seed = 6;
  double b[2][N];
  (void)state;
  cut_at_random();
  saddle(&seed, N, full);
  for (int scaled = 0; scaled < 2; scaled++) {
    ga_arena arena = {0};
    ga_linsol ls;
    ga_csr A;
    sparse_of(N, full, &A, &arena);
    for (int i = 0; i < N && scaled; i++) {
      for (int e = A.ptr[i]; e < A.ptr[i + 1]; e++) {
        A.val[e] = ldexp(A.val[e], 16 * (i % 5 - 2) + 12 * (A.col[e] % 4 - 2));
      }
    }
    for (int i = 0; i < N; i++) b[scaled][i] = ldexp(dice(i, 3), scaled ? 16 * (i % 5 - 2) : 0);
    assert_int_equal(open_with(&ls, &A, "-backward 1e-15"), GA_OK);
    assert_int_equal(ls.ops->solve(&ls, b[scaled]), GA_OK);
    close_solver(&ls);
    ga_arena_free(&arena);
  }
  for (int i = 0; i < N; i++) {
    assert_between("x", ldexp(b[1][i], 12 * (i % 4 - 2)) - b[0][i], -1e-12, 1e-12);
  }
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

/* Constraints of which the last is the sum of two others, on one process or over all; or a velocity
 * without mass and constraint. All processes must find it, with a column that is one of those. */
static void test_singular(void **state) {
  enum { N = 36, M = N / 3, NV = N - M };
  static double full[N * N];
  static const char *const options[] = {NULL, "-weak 0",
                                        "-pc_type lu -pc_factor_mat_solver_type mumps"};
  uint64_t seed = 8;
  (void)state;
  for (int k = 0; k < 2 * 3 * 3; k++) {
    int kind = k / 2 % 3, nv = NV;
    ga_arena arena = {0};
    ga_linsol ls;
    ga_csr A;
    if (k % 2) cut_in_strips(&nv);
    if (k % 2 == 0) cut_at_random();
    saddle(&seed, N, full);
    for (int j = 0; j < NV && kind == 0; j++) {
      double sum = full[NV * N + j] + 0.3 * full[(N - 2) * N + j];
      full[(N - 1) * N + j] = full[j * N + N - 1] = sum;
    }
    for (int j = 0; j < NV && kind == 1; j++) {
      full[(NV + 1) * N + j] = full[j * N + NV + 1] = full[(NV + 2) * N + j] / 3;
    }
    for (int j = 0; j < N && kind == 2; j++) full[7 * N + j] = full[j * N + 7] = 0;
    sparse_of(N, full, &A, &arena);
    ga_status status = open_with(&ls, &A, options[k / 6]);
    double b[N];
    for (int i = 0; i < N; i++) b[i] = dice(i, 9);
    /* what several processes have together is found when the iteration stands still */
    if (status == GA_OK) status = ls.ops->solve(&ls, b);
    if (status != GA_RETRY_SINGULAR) {
      fail_msg("case %d, %s: %s, %s", k, options[k / 6], ga_status_name(status), ls.trouble);
    }
    int column = ls.ops->singular_column(&ls);
    bool right = kind == 0   ? column == NV || column >= N - 2
                 : kind == 1 ? column == NV + 1 || column == NV + 2
                             : column == 7;
    if (!right && column != -1) fail_msg("case %d: column %d", k, column);
    if (plan.size == 1 && !right) fail_msg("case %d: no column", k);
    close_solver(&ls);
    ga_arena_free(&arena);
  }
}

static void test_not_finite(void **state) {
  enum { N = 12 };
  static double full[N * N];
  uint64_t seed = 9;
  ga_arena arena = {0};
  ga_linsol ls;
  ga_csr A;
  (void)state;
  cut_at_random();
  saddle(&seed, N, full);
  sparse_of(N, full, &A, &arena);
  assert_int_equal(open_with(&ls, &A, NULL), GA_OK);
  for (int e = 0; e < A.ptr[N]; e += 7) {
    double value = A.val[e];
    A.val[e] = e % 2 ? NAN : INFINITY;
    assert_int_equal(ls.ops->factor(&ls, &A), GA_RETRY_NONFINITE);
    A.val[e] = value;
    assert_int_equal(ls.ops->factor(&ls, &A), GA_OK);
    assert_solution("after a NaN", &ls, &A, 1e-7);
  }
  close_solver(&ls);
  ga_arena_free(&arena);
}

/* A status that a smaller step may help, the same on all processes, with the reason in words. */
static void test_no_convergence(void **state) {
  enum { N = 60 };
  static const struct {
    const char *options, *says;
  } cases[] = {
      {"-pc_type none -ksp_max_it 1", "no convergence within -ksp_max_it iterations"},
      {"-pc_type jacobi -ksp_type richardson -ksp_divtol 10", "the residual grew"},
  };
  static double full[N * N], b[N];
  uint64_t seed = 10;
  (void)state;
  cut_at_random();
  saddle(&seed, N, full);
  for (int i = 0; i < N; i++) full[i * N + i] = 1;
  for (int k = 0; k < 2; k++) {
    ga_arena arena = {0};
    ga_linsol ls;
    ga_csr A;
    sparse_of(N, full, &A, &arena);
    ga_status status = open_with(&ls, &A, cases[k].options);
    if (status != GA_OK) fail_msg("%s: %s", cases[k].options, ls.trouble);
    for (int i = 0; i < N; i++) b[i] = 1;
    status = ls.ops->solve(&ls, b);
    if (status != GA_RETRY_NEWTON || !strstr(ls.trouble, cases[k].says)) {
      fail_msg("%s: %s, %s", cases[k].options, ga_status_name(status), ls.trouble);
    }
    close_solver(&ls);
    ga_arena_free(&arena);
  }
}

/* A chain, and few iterations: MUMPS takes the place of the subdomains. */
static void test_last_resort(void **state) {
  ga_problem_options po = ga_problem_options_default();
  ga_problem *p;
  ga_error err = {0};
  (void)state;
  if (plan.size == 1) skip(); /* one subdomain is all */
  po.size = 200;
  must(ga_problem_new("chain", &po, &p, &err), &err);
  ga_options o = ga_options_default();
  const int nv = 600;
  cut_in_strips(&nv);
  petsc = (ga_petsc_context){.comm = &plan.comm, .options = "-ksp_max_it 1 -overlap 0"};
  ga_integrator *alone = started(p, &o);
  o.linsol_ops = &cut_solver, o.linsol_context = &plan;
  ga_integrator *together = started(p, &o);
  for (int n = 0; n < 5; n++) {
    must(ga_integrator_step(alone), ga_integrator_error(alone));
    must(ga_integrator_step(together), ga_integrator_error(together));
  }
  const ga_state *a = ga_integrator_state(alone), *b = ga_integrator_state(together);
  assert_between("v", vector_error(nv, a->v, b->v), 0, 1e-10);
  assert_true(petsc.resorts > 0);
  ga_integrator_free(alone);
  ga_integrator_free(together);
  ga_problem_free(p);
}

static void test_wrong_options(void **state) {
  enum { N = 12 };
  static const struct {
    const char *options, *says;
  } cases[] = {
      {"-ksp_tpye gmres", "option -ksp_tpye: PETSc has no use for it here"},
      {"-pc_type lu -sub_pc_type ilu", "option -sub_pc_type"},
      {"gmres", "'gmres' among PETSc's options belongs to none"},
      {"-ksp_type gmres fgmres", "'fgmres' among PETSc's options belongs to none"},
      {"-pc_type cholesky", "not symmetric; use lu"},
      {"-pc_type lu -pc_factor_mat_solver_type superlu_dist", "superlu_dist ends the process"},
      {"-weak much", "much"},
      {"-ksp_type quick", "quick"},
      {"-pc_type lu -pc_factor_mat_solver_type slow", "slow"},
  };
  static double full[N * N];
  uint64_t seed = 11;
  ga_arena arena = {0};
  ga_csr A;
  (void)state;
  cut_at_random();
  saddle(&seed, N, full);
  sparse_of(N, full, &A, &arena);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ga_linsol ls;
    ga_status status = open_with(&ls, &A, cases[k].options);
    if (status != GA_ERR_BACKEND || !strstr(ls.trouble, cases[k].says)) {
      fail_msg("%s: %s, %s", cases[k].options, ga_status_name(status), ls.trouble);
    }
    close_solver(&ls);
  }
  /* nothing of all this is left */
  ga_linsol ls;
  assert_int_equal(open_with(&ls, &A, NULL), GA_OK);
  assert_solution("afterwards", &ls, &A, 1e-7);
  close_solver(&ls);
  ga_arena_free(&arena);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Nets and a lattice, by the integrator, against the library's own solver. */
static void test_runs(void **state) {
  static const struct {
    const char *problem, *method, *options;
    int size;
    long steps;
  } cases[] = {
      {"net", "stab2", NULL, 12, 20},
      {"net", "index3", NULL, 12, 20},
      {"net", "index3", "-pc_type lu -pc_factor_mat_solver_type mumps -mat_mumps_icntl_14 1", 24,
       5},
      {"lattice", "stab2", NULL, 4, 20},
      {"lattice", "index3", "-overlap 0", 4, 20},
      {"chain", "stab2", NULL, 60, 20},
  };
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ga_problem_options po = ga_problem_options_default();
    ga_problem *p;
    ga_error err = {0};
    po.size = cases[k].size;
    must(ga_problem_new(cases[k].problem, &po, &p, &err), &err);
    ga_options o = ga_options_default();
    o.method = cases[k].method, o.par = ga_params_rho(p->rho_inf), o.h = p->h;
    ga_integrator *alone = started(p, &o);
    int nv = ga_space_nv(p->model.space);
    cut_in_strips(&nv);
    petsc = (ga_petsc_context){.comm = &plan.comm, .options = cases[k].options};
    o.linsol_ops = &cut_solver, o.linsol_context = &plan;
    ga_integrator *together = started(p, &o);
    for (long n = 0; n < cases[k].steps; n++) {
      must(ga_integrator_step(alone), ga_integrator_error(alone));
      must(ga_integrator_step(together), ga_integrator_error(together));
    }
    const ga_state *a = ga_integrator_state(alone), *b = ga_integrator_state(together);
    assert_between("q", vector_error(nv, a->q, b->q), 0, 1e-10);
    assert_between("v", vector_error(nv, a->v, b->v), 0, 1e-10);
    /* index3 leaves lam uncertain by newton_tol/h^2 */
    double tol = strcmp(cases[k].method, "index3") == 0 ? 1e-5 : 1e-8;
    assert_between("lam", vector_error(p->model.nlam, a->lam, b->lam), 0, tol);
    assert_true(petsc.solves > 0 && petsc.factors > 0 && petsc.iterations > 0);
    ga_integrator_free(alone);
    ga_integrator_free(together);
    ga_problem_free(p);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  plan = (cut_plan){.comm = MPI_COMM_WORLD, .ops = &ga_petsc_linsol, .context = &petsc};
  MPI_Comm_rank(plan.comm, &plan.process);
  MPI_Comm_size(plan.comm, &plan.size);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_contributions),
      cmocka_unit_test(test_units),
      cmocka_unit_test(test_singular),
      cmocka_unit_test(test_not_finite),
      cmocka_unit_test(test_no_convergence),
      cmocka_unit_test(test_wrong_options),
      cmocka_unit_test(test_last_resort),
      cmocka_unit_test(test_runs),
  };
  int failed = cmocka_run_group_tests_name("petsc", tests, NULL, NULL);
  /* a process that failed alone must not leave the others waiting */
  if (failed > 0) MPI_Abort(plan.comm, 1);
  ga_petsc_close();
  MPI_Finalize();
  return failed;
}

/* SPDX-License-Identifier: MIT */
/* Groups of columns that share no row, and difference quotients formed with them. */
#include "model/difference/colouring.h"

#include "model/evaluation.h"
#include "problems/problems.h"
#include "separate.h"
#include "support.h"

/* ---- groups ------------------------------------------------------------------------------ */

/* every column in one group, no two of a group in one row; entries listed by columns */
static void assert_colouring(const ga_colouring *c, const ga_csr *A) {
  ga_arena arena = {0};
  int *row_of = ga_arena_ints(&arena, (size_t)A->nrow + 1);
  int *seen = ga_arena_ints(&arena, (size_t)A->ncol + 1);
  assert_false(arena.failed);
  assert_int_equal(c->start[0], 0);
  assert_int_equal(c->start[c->count], A->ncol);
  for (int g = 0; g < c->count; g++) {
    assert_true(c->start[g + 1] > c->start[g]);
    for (int k = c->start[g]; k < c->start[g + 1]; k++) {
      int j = c->column[k];
      assert_in_range(j, 0, A->ncol - 1);
      assert_int_equal(seen[j]++, 0);
      for (int at = c->ptr[j]; at < c->ptr[j + 1]; at++) {
        assert_int_not_equal(row_of[c->row[at]], g + 1);
        row_of[c->row[at]] = g + 1;
      }
    }
  }
  assert_int_equal(c->ptr[0], 0);
  assert_int_equal(c->ptr[A->ncol], ga_csr_nnz(A));
  for (int j = 0; j < A->ncol; j++) {
    for (int at = c->ptr[j]; at < c->ptr[j + 1]; at++) {
      assert_int_equal(c->slot[at], ga_csr_find(A, c->row[at], j));
      if (at > c->ptr[j]) assert_true(c->row[at] > c->row[at - 1]);
    }
  }
  ga_arena_free(&arena);
}

/* a pattern by a rule, and its number of groups */
typedef bool (*rule)(int i, int j, int parameter);

static int colour_rule(int nrow, int ncol, rule taken, int parameter) {
  ga_arena arena = {0};
  ga_csr A;
  ga_colouring c;
  assert_int_equal(ga_csr_init(&A, nrow, ncol, NULL, &arena), GA_OK);
  int e = 0;
  for (int i = 0; i < nrow; i++) {
    for (int j = 0; j < ncol; j++) {
      if (taken(i, j, parameter)) A.col[e++] = j;
    }
    A.ptr[i + 1] = e;
  }
  assert_int_equal(ga_colouring_init(&c, &A, &arena), GA_OK);
  assert_colouring(&c, &A);
  int count = c.count;
  ga_arena_free(&arena);
  return count;
}

static bool full(int i, int j, int unused) {
  (void)i, (void)j, (void)unused;
  return true;
}
static bool none(int i, int j, int unused) {
  (void)i, (void)j, (void)unused;
  return false;
}
static bool band(int i, int j, int width) {
  return i - j <= width && j - i <= width;
}
static bool block(int i, int j, int size) {
  return i / size == j / size;
}
/* one full row */
static bool arrow(int i, int j, int at) {
  return i == at || i == j;
}
/* one full column */
static bool pillar(int i, int j, int at) {
  return j == at || i == j;
}

static void test_patterns(void **state) {
  (void)state;
  for (int n = 1; n <= 33; n += 4) {
    assert_int_equal(colour_rule(n, n, full, 0), n);
    assert_int_equal(colour_rule(1, n, full, 0), n);
    assert_int_equal(colour_rule(2 * n, n, full, 0), n);
    assert_int_equal(colour_rule(n, n, none, 0), 1);
    assert_int_equal(colour_rule(0, n, none, 0), 1);
    assert_int_equal(colour_rule(n, n, arrow, n / 2), n);
    assert_int_equal(colour_rule(n, n, pillar, n / 2), n == 1 ? 1 : 2);
  }
  for (int width = 0; width <= 5; width++) {
    assert_int_equal(colour_rule(200, 200, band, width), 2 * width + 1);
    assert_int_equal(colour_rule(200, 200, block, width + 1), width + 1);
  }
  assert_int_equal(colour_rule(3, 0, none, 0), 0);
}

/* greedy: at most one group more than the largest number of neighbours of a column */
static void test_random_patterns(void **state) {
  (void)state;
  uint64_t seed = 7;
  for (int k = 0; k < 60; k++) {
    ga_arena arena = {0};
    ga_csr A;
    ga_colouring c;
    int nrow = 1 + k, ncol = 1 + (7 * k) % 61, most = 0, least = 0;
    random_csr(&seed, nrow, ncol, k % 3 == 0 ? 0.5 : 0.08, NULL, &A, &arena);
    assert_int_equal(ga_colouring_init(&c, &A, &arena), GA_OK);
    assert_colouring(&c, &A);
    for (int i = 0; i < nrow; i++) least = (int)fmax(least, A.ptr[i + 1] - A.ptr[i]);
    for (int j = 0; j < ncol; j++) {
      int neighbours = 0;
      for (int other = 0; other < ncol; other++) {
        bool shared = false;
        for (int i = 0; i < nrow; i++) {
          shared |= ga_csr_find(&A, i, j) >= 0 && ga_csr_find(&A, i, other) >= 0;
        }
        neighbours += shared && other != j;
      }
      most = (int)fmax(most, neighbours + 1);
    }
    assert_in_range(c.count, least > 0 ? least : 1, most);
    ga_arena_free(&arena);
  }
}

/* ---- quotients on a chain ---------------------------------------------------------------- */

enum { NV_MAX = 120 };

/* calls of the callbacks that are left */
static struct {
  ga_model_ops all, left;
  long mass, force, holonomic, jac;
} calls;

static int mass(void *user, double t, const double *q, ga_csr *M) {
  calls.mass++;
  return calls.all.mass(user, t, q, M);
}
static int force(void *user, double t, const double *q, const double *v, double *F) {
  calls.force++;
  return calls.all.force(user, t, q, v, F);
}
static int holonomic(void *user, double t, const double *q, double *g) {
  calls.holonomic++;
  return calls.all.holonomic(user, t, q, g);
}

static int holonomic_jac(void *user, double t, const double *q, ga_csr *G) {
  calls.jac++;
  return calls.all.holonomic_jac(user, t, q, G);
}

/* the chain with its derivatives, and the same without any, or with G alone */
static ga_problem *chain_of(int rods, bool with_G, ga_model *poor) {
  ga_problem_options size = ga_problem_options_default();
  ga_problem *p = NULL;
  ga_error err = {0};
  size.size = rods;
  must(ga_problem_new("chain", &size, &p, &err), &err);
  memset(&calls, 0, sizeof calls);
  calls.all = separate_ops(&p->model);
  calls.left = (ga_model_ops){.mass = mass,
                              .force = force,
                              .holonomic = holonomic,
                              .holonomic_jac = with_G ? holonomic_jac : NULL};
  *poor = p->model;
  poor->ops = &calls.left;
  return p;
}

/* somewhere near the start, moving */
typedef struct {
  double q[NV_MAX], v[NV_MAX], x[NV_MAX], lam[NV_MAX];
} place;

static place place_near(const ga_problem *p) {
  place s;
  uint64_t seed = 5;
  for (int i = 0; i < ga_space_nv(p->model.space); i++) {
    s.q[i] = p->q0[i] + 0.3 * next_uniform(&seed);
    s.v[i] = next_uniform(&seed);
    s.x[i] = next_uniform(&seed);
    s.lam[i] = next_uniform(&seed);
  }
  return s;
}

/* all that may come from differences */
typedef struct {
  ga_eval e;
  ga_arena arena;
  ga_error err;
  ga_csr G, Z, Kt, Ct;
  double drift[NV_MAX];
} derivatives;

static void derive(derivatives *d, const ga_model *model, const place *s) {
  *d = (derivatives){.arena = {0}};
  must(ga_eval_init(&d->e, model, &d->arena, &d->err), &d->err);
  int nv = d->e.nv;
  assert_true(nv <= NV_MAX);
  ga_csr_init(&d->G, model->nlam, nv, model->pat_G, &d->arena);
  ga_csr_init(&d->Z, model->nlam, nv, model->pat_G, &d->arena);
  ga_csr_init(&d->Kt, nv, nv, model->pat_K, &d->arena);
  ga_csr_init(&d->Ct, nv, nv, ga_eval_pattern_C(model), &d->arena);
  assert_false(d->arena.failed);
  const ga_eval_point point = {.t = 0, .q = s->q, .v = s->v, .x = s->x, .lam = s->lam};
  must(ga_eval_G(&d->e, 0, s->q, &d->G), &d->err);
  must(ga_eval_Z(&d->e, 0, s->q, s->v, &d->Z), &d->err);
  must(ga_eval_tangents(&d->e, &point, &d->Kt, &d->Ct), &d->err);
  must(ga_eval_g_drift(&d->e, 0, s->q, s->v, d->drift), &d->err);
}

static void assert_close(const char *what, int n, const double *a, const double *b, double tol) {
  double error = vector_error(n, a, b);
  if (!(error <= tol)) fail_msg("%s differs by %.2g, %.2g allowed", what, error, tol);
}

static void compare(const derivatives *a, const derivatives *b, double G, double tangents,
                    double drift) {
  assert_close("G", ga_csr_nnz(&a->G), a->G.val, b->G.val, G);
  assert_close("Z", ga_csr_nnz(&a->Z), a->Z.val, b->Z.val, tangents);
  assert_close("Kt", ga_csr_nnz(&a->Kt), a->Kt.val, b->Kt.val, tangents);
  assert_close("Ct", ga_csr_nnz(&a->Ct), a->Ct.val, b->Ct.val, tangents);
  assert_close("drift", a->e.nlam, a->drift, b->drift, drift);
}

/* Entries are of size 1, coordinates as large as N; a quotient of step d carries eps N/d. Without G
 * those of Z and Kt, which enter Newton's matrix only, are quotients of quotients. */
static void test_quotients(void **state) {
  (void)state;
  const int rods = 30;
  for (int with_G = 0; with_G < 2; with_G++) {
    static derivatives exact, quotient;
    ga_model poor;
    ga_problem *p = chain_of(rods, with_G, &poor);
    place s = place_near(p);
    derive(&exact, &p->model, &s);
    derive(&quotient, &poor, &s);
    assert_true(ga_max_abs(ga_csr_nnz(&exact.Kt), exact.Kt.val) > 0.3);
    if (with_G) {
      compare(&exact, &quotient, 0, 1e-9, 1e-9);
    } else {
      compare(&exact, &quotient, 1e-10, 1e-6, rods * 1e-9);
    }
    ga_arena_free(&exact.arena);
    ga_arena_free(&quotient.arena);
    ga_problem_free(p);
  }
}

/* the number of evaluations does not depend on the number of rods */
static void test_evaluations(void **state) {
  (void)state;
  for (int with_G = 0; with_G < 2; with_G++) {
    long count[2][4];
    for (int k = 0; k < 2; k++) {
      static derivatives d;
      ga_model poor;
      ga_problem *p = chain_of(k ? 40 : 10, with_G, &poor);
      place s = place_near(p);
      derive(&d, &poor, &s);
      const long now[4] = {calls.mass, calls.force, calls.holonomic, calls.jac};
      memcpy(count[k], now, sizeof now);
      assert_int_equal(d.e.colouring_G.count, 4);
      assert_int_equal(d.e.colouring_K.count, 1);
      ga_arena_free(&d.arena);
      ga_problem_free(p);
    }
    for (int c = 0; c < 4; c++) assert_int_equal(count[0][c], count[1][c]);
    assert_true(count[0][0] == 0); /* M is constant */
    assert_true(count[0][1] > 0 && count[0][with_G ? 3 : 2] > 0);
  }
}

/* the motion is that of the chain with derivatives */
static void test_run(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    ga_model poor;
    ga_problem *p = chain_of(10, false, &poor);
    ga_problem stripped = *p;
    ga_options o = ga_options_default();
    stripped.model = poor;
    o.method = ga_method_name(k % 2);
    o.linsol = k < 2 ? "klu" : "dense";
    o.h = 5e-3;
    ga_integrator *a = started(p, &o), *b = started(&stripped, &o);
    must(ga_integrator_run(a, 0.5), ga_integrator_error(a));
    must(ga_integrator_run(b, 0.5), ga_integrator_error(b));
    const ga_state *sa = ga_integrator_state(a), *sb = ga_integrator_state(b);
    assert_true(ga_max_abs(30, sa->v) > 1);
    assert_close("q", 30, sa->q, sb->q, 1e-8);
    assert_close("v", 30, sa->v, sb->v, 1e-8);
    assert_close("lam", 20, sa->lam, sb->lam, 1e-8 * ga_max_abs(20, sa->lam));
    ga_integrator_free(a);
    ga_integrator_free(b);
    ga_problem_free(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_patterns),  cmocka_unit_test(test_random_patterns),
      cmocka_unit_test(test_quotients), cmocka_unit_test(test_evaluations),
      cmocka_unit_test(test_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

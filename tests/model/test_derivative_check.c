/* SPDX-License-Identifier: MIT */
/* Models: derivatives right and wrong, failing callbacks, difference quotients, validation. */
#include "check_models.h"
#include "model/evaluation.h"

/* a model at a point, with room for all its functions */
typedef struct {
  const char *name;
  const ga_model_ops *right;
  bool patterned;
  /* set up for each test */
  ga_model model;
  ga_model_ops ops;
  trouble user;
  ga_space *space;
  double t, q[8], v[8], x[8], lam[3], psi[2];
} fixture;

/* patterns of the flat model and of the top: M, Kt and Ct, G and Z, H and Y */
#define PATTERN(name, nrow, ncol, ptr, col) \
  static const ga_csr name = {nrow, ncol, (int[])ptr, (int[])col, NULL}
#define LIST(...) \
  { __VA_ARGS__ }
PATTERN(flat_M, 5, 5, LIST(0, 2, 4, 5, 6, 7), LIST(0, 1, 0, 1, 2, 3, 4));
PATTERN(flat_K, 5, 5, LIST(0, 4, 8, 11, 13, 17),
        LIST(0, 1, 2, 4, 0, 1, 2, 3, 0, 1, 3, 2, 3, 0, 1, 3, 4));
PATTERN(flat_G, 2, 5, LIST(0, 3, 7), LIST(0, 1, 2, 0, 2, 3, 4));
PATTERN(flat_H, 2, 5, LIST(0, 4, 8), LIST(0, 1, 2, 3, 0, 1, 3, 4));
PATTERN(top_M, 6, 6, LIST(0, 1, 2, 3, 6, 9, 12), LIST(0, 1, 2, 3, 4, 5, 3, 4, 5, 3, 4, 5));
PATTERN(top_K, 6, 6, LIST(0, 4, 8, 12, 18, 24, 30),
        LIST(0, 3, 4, 5, 1, 3, 4, 5, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4,
             5));
PATTERN(top_H, 1, 6, LIST(0, 3), LIST(3, 4, 5));

static fixture fixtures[] = {
    {.name = "flat", .right = &flat_ops},
    {.name = "flat, patterns", .right = &flat_ops, .patterned = true},
    {.name = "top", .right = &top_ops},
    {.name = "top, patterns", .right = &top_ops, .patterned = true},
};

static int set_up(void **state) {
  fixture *f = *state;
  bool top = f->right == &top_ops, patterned = f->patterned;
  uint64_t seed = 51;
  f->ops = *f->right;
  f->user = (trouble){.factor = 1};
  if (ga_space_new(&f->space)) return -1;
  if (ga_space_add(f->space, &ga_group_rn, top ? 3 : 5, NULL, NULL)) return -1;
  if (top && ga_space_add(f->space, &ga_group_so3, 1, NULL, NULL)) return -1;
  f->model = (ga_model){.ops = &f->ops,
                        .user = &f->user,
                        .space = f->space,
                        .nlam = top ? 3 : 2,
                        .npsi = top ? 1 : 2,
                        .scleronomic = top,
                        .const_mass = top,
                        .pat_M = !patterned ? NULL
                                 : top      ? &top_M
                                            : &flat_M,
                        .pat_K = !patterned ? NULL
                                 : top      ? &top_K
                                            : &flat_K,
                        .pat_G = !patterned || top ? NULL : &flat_G,
                        .pat_H = !patterned ? NULL
                                 : top      ? &top_H
                                            : &flat_H};
  f->t = 0.7;
  for (int i = 0; i < 8; i++) {
    double *const all[] = {&f->q[i], &f->v[i], &f->x[i]};
    /* of either sign and not small */
    for (int k = 0; k < 3; k++) *all[k] = next_uniform(&seed), *all[k] += copysign(0.3, *all[k]);
  }
  f->lam[0] = 0.8, f->lam[1] = -1.1, f->lam[2] = 0.4, f->psi[0] = -0.9, f->psi[1] = 1.3;
  ga_space_clean(f->space, f->q);
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  ga_space_free(f->space);
  return 0;
}

/* everything that can be evaluated */
typedef struct {
  ga_arena arena;
  ga_eval eval;
  ga_error err;
  ga_csr M, G, H, Z, Y, Kt, Ct;
  double F[8], g[3], k[2], gt[3], g_drift[3], k_drift[2];
} results;

static void prepare(const fixture *f, results *r) {
  const ga_model *m = &f->model;
  int nv = ga_space_nv(f->space);
  *r = (results){.err = {0}};
  must(ga_eval_init(&r->eval, m, &r->arena, &r->err), &r->err);
  ga_csr_init(&r->M, nv, nv, m->pat_M, &r->arena);
  ga_csr_init(&r->Kt, nv, nv, m->pat_K, &r->arena);
  ga_csr_init(&r->Ct, nv, nv, m->pat_K, &r->arena);
  ga_csr *const by_lam[] = {&r->G, &r->Z}, *const by_psi[] = {&r->H, &r->Y};
  for (int i = 0; i < 2; i++) {
    ga_csr_init(by_lam[i], m->nlam, nv, m->pat_G, &r->arena);
    ga_csr_init(by_psi[i], m->npsi, nv, m->pat_H, &r->arena);
  }
  assert_false(r->arena.failed);
}

/* until the first failure */
static ga_status evaluate(const fixture *f, results *r) {
  ga_eval *e = &r->eval;
  const ga_eval_point p = {f->t, f->q, f->v, f->x, f->lam, f->psi};
  ga_status s = ga_eval_mass(e, f->t, f->q, &r->M);
  if (!s) s = ga_eval_force(e, f->t, f->q, f->v, r->F);
  if (!s) s = ga_eval_g(e, f->t, f->q, r->g);
  if (!s) s = ga_eval_k(e, f->t, f->q, f->v, r->k);
  if (!s) s = ga_eval_G(e, f->t, f->q, &r->G);
  if (!s) s = ga_eval_gt(e, f->t, f->q, r->gt);
  if (!s) s = ga_eval_g_drift(e, f->t, f->q, f->v, r->g_drift);
  if (!s) s = ga_eval_Z(e, f->t, f->q, f->v, &r->Z);
  if (!s) s = ga_eval_H(e, f->t, f->q, f->v, &r->H);
  if (!s) s = ga_eval_k_drift(e, f->t, f->q, f->v, r->k_drift);
  if (!s) s = ga_eval_Y(e, f->t, f->q, f->v, &r->Y);
  if (!s) s = ga_eval_tangents(e, &p, &r->Kt, &r->Ct);
  return s;
}

/* callbacks by name, with their place in the ops, what they write, and how they are differenced */
typedef struct {
  const char *name;
  size_t at;
  bool required, sharp;
} callback;
#define CALLBACK(name, required, sharp) \
  { #name, offsetof(ga_model_ops, name), required, sharp }
static const callback callbacks[] = {
    CALLBACK(mass, true, false),
    CALLBACK(force, true, false),
    CALLBACK(holonomic, true, false),
    CALLBACK(nonholonomic, true, false),
    CALLBACK(holonomic_jac, false, true),
    CALLBACK(holonomic_t, false, true),
    CALLBACK(holonomic_curv, false, false),
    CALLBACK(holonomic_drift, false, true),
    CALLBACK(nonholonomic_jac, false, true),
    CALLBACK(nonholonomic_dq, false, false),
    CALLBACK(nonholonomic_drift, false, true),
    CALLBACK(force_tangents, false, false),
};
enum { CALLBACKS = sizeof callbacks / sizeof *callbacks };

static bool has(const fixture *f, int c) {
  void (*function)(void);
  memcpy(&function, (const char *)&f->ops + callbacks[c].at, sizeof function);
  return function != NULL;
}

static void drop(fixture *f, int c) {
  memset((char *)&f->ops + callbacks[c].at, 0, sizeof(void (*)(void)));
}

/* the array a callback writes; shape is NULL for a vector */
static double *written(results *r, int c, int matrix, int *n, const ga_csr **shape) {
  ga_csr *const matrices[CALLBACKS] = {&r->M, NULL, NULL,  NULL,  &r->G, NULL,
                                       &r->Z, NULL, &r->H, &r->Y, NULL,  matrix ? &r->Ct : &r->Kt};
  double *const vectors[CALLBACKS] = {NULL, r->F,       r->g, r->k, NULL,       r->gt,
                                      NULL, r->g_drift, NULL, NULL, r->k_drift, NULL};
  const ga_eval *e = &r->eval;
  *shape = matrices[c];
  *n = matrices[c]         ? ga_csr_nnz(matrices[c])
       : c == 1            ? e->nv
       : c == 3 || c == 10 ? e->npsi
                           : e->nlam;
  return matrices[c] ? matrices[c]->val : vectors[c];
}

/* "row 2, column 4" or "entry 3" */
static const char *place_of(const ga_csr *shape, int entry, char *text, size_t room) {
  int row = 0;
  while (shape && shape->ptr[row + 1] <= entry) row++;
  if (shape) snprintf(text, room, "row %d, column %d", row, shape->col[entry]);
  if (!shape) snprintf(text, room, "entry %d", entry);
  return text;
}

static ga_status check(const fixture *f, ga_error *err) {
  *err = (ga_error){0};
  return ga_model_check_derivatives(&f->model, f->t, f->q, f->v, NULL, err);
}

static void test_right(void **state) {
  fixture *f = *state;
  ga_error err = {0};
  FILE *report = tmpfile();
  assert_non_null(report);
  must(ga_model_check_derivatives(&f->model, f->t, f->q, f->v, report, &err), &err);
  assert_int_equal(err.code, GA_OK);
  assert_int_equal(ga_model_check_derivatives(&f->model, f->t, f->q, f->v, NULL, NULL), GA_OK);
  /* one line per derivative, tangents have two; the claims scleronomic and const_mass one each */
  int lines = 0, expected = 1 + f->model.scleronomic + f->model.const_mass;
  char line[200];
  rewind(report);
  for (; fgets(line, sizeof line, report); lines++) assert_non_null(strstr(line, "ok"));
  for (int c = 0; c < CALLBACKS; c++) expected += !callbacks[c].required && has(f, c);
  assert_int_equal(lines, expected);
  fclose(report);
}

/* one entry of one derivative wrong, by its sign or a little: found, and told where */
static void test_wrong_entry(void **state) {
  fixture *f = *state;
  results r;
  prepare(f, &r);
  must(evaluate(f, &r), &r.err);
  for (int c = 0; c < CALLBACKS; c++) {
    if (callbacks[c].required || !has(f, c)) continue;
    for (int matrix = 0; matrix <= (c == CALLBACKS - 1); matrix++) {
      int n;
      const ga_csr *shape;
      const double *value = written(&r, c, matrix, &n, &shape);
      for (int k = 0; k < 2 * n; k++) {
        char name[64], place[64];
        ga_error err;
        bool flip = k >= n;
        if (flip && fabs(value[k - n]) < 1e-3) continue;
        f->user =
            (trouble){callbacks[c].name, matrix, k % n, flip ? -1 : 1, flip ? 0 : 0.02, NULL, 0};
        snprintf(name, sizeof name, "'%s%s'", callbacks[c].name,
                 c < CALLBACKS - 1 ? ""
                 : matrix          ? " (Ct)"
                                   : " (Kt)");
        place_of(shape, k % n, place, sizeof place);
        assert_refused(check(f, &err), &err, GA_ERR_MODEL, name, place);
      }
    }
  }
  ga_arena_free(&r.arena);
}

/* a wrong derivative is named although another callback fails later */
static void test_first_fault(void **state) {
  fixture *f = *state;
  ga_error err;
  f->user = (trouble){"holonomic_jac", 0, 1, 1, 0.02, "force_tangents", 1};
  assert_refused(check(f, &err), &err, GA_ERR_MODEL, "'holonomic_jac'", "column 1");
  /* and the first of two that fail */
  f->user = (trouble){"nonholonomic_dq", 0, 0, 1, NAN, "holonomic_curv", 5};
  assert_refused(check(f, &err), &err, GA_RETRY_MODEL, "'holonomic_curv'", "(5)");
}

static void test_claims_about_time(void **state) {
  fixture *f = *state;
  ga_error err;
  f->model.autonomous = true;
  if (f->right == &top_ops) {
    must(check(f, &err), &err);
    return;
  }
  assert_refused(check(f, &err), &err, GA_ERR_MODEL, "'autonomous'", "entry");
  f->model.autonomous = false;
  f->model.scleronomic = true;
  assert_refused(check(f, &err), &err, GA_ERR_MODEL, "'scleronomic'", "entry");
  drop(f, 5);
  assert_refused(check(f, &err), &err, GA_ERR_MODEL, "'scleronomic'", "entry");
}

/* the mass of the model, which fails late */
static int late_mass(void *user, double t, const double *q, ga_csr *M) {
  return t > 1 ? 5 : flat_ops.mass(user, t, q, M);
}

static void test_const_mass_claim(void **state) {
  fixture *f = *state;
  ga_error err;
  if (f->right == &top_ops) return;
  f->model.const_mass = true;
  assert_refused(check(f, &err), &err, GA_ERR_MODEL, "'const_mass'", "row");
  f->ops.mass = late_mass; /* it fails at the second point */
  assert_refused(check(f, &err), &err, GA_RETRY_MODEL, "'mass'", "(5)");
}

/* what comes back is judged: negative, positive, not finite */
static void test_failing_callbacks(void **state) {
  fixture *f = *state;
  for (int c = 0; c < CALLBACKS; c++) {
    if (!has(f, c)) continue;
    char name[64], place[64];
    snprintf(name, sizeof name, "callback '%s'", callbacks[c].name);
    for (int kind = 0; kind < 4; kind++) {
      const char *texts[] = {"-7", "(3)", "nan", "inf"};
      const ga_status statuses[] = {GA_ERR_MODEL, GA_RETRY_MODEL, GA_RETRY_NONFINITE,
                                    GA_RETRY_NONFINITE};
      results r;
      int n;
      const ga_csr *shape;
      ga_error err;
      prepare(f, &r);
      written(&r, c, 0, &n, &shape);
      f->user = (trouble){.failing = callbacks[c].name, .code = kind == 0 ? -7 : 3};
      if (kind >= 2) {
        f->user = (trouble){callbacks[c].name, 0, n - 1, 1, kind == 2 ? NAN : INFINITY, NULL, 0};
      }
      assert_refused(evaluate(f, &r), &r.err, statuses[kind], name, texts[kind]);
      if (kind >= 2)
        assert_non_null(strstr(r.err.text, place_of(shape, n - 1, place, sizeof place)));
      assert_non_null(strstr(r.err.text, "t = 0.7"));
      assert_refused(check(f, &err), &err, statuses[kind], name, texts[kind]);
      assert_int_equal(ga_model_check_derivatives(&f->model, f->t, f->q, f->v, NULL, NULL),
                       statuses[kind]);
      ga_arena_free(&r.arena);
    }
  }
}

/* every output against the formulas; quotients of quotients are good for the Newton matrix only */
static void assert_quotients(const fixture *f, results *exact, const char *left_out, bool nested) {
  results r;
  prepare(f, &r);
  must(evaluate(f, &r), &r.err);
  for (int c = 0; c < CALLBACKS + 1; c++) {
    int n, at = c < CALLBACKS ? c : CALLBACKS - 1, matrix = c == CALLBACKS;
    const ga_csr *shape;
    const double *a = written(exact, at, matrix, &n, &shape);
    const double *b = written(&r, at, matrix, &n, &shape);
    double tol = nested && !callbacks[at].required && !callbacks[at].sharp ? 2e-6 : 1e-9;
    if (!(vector_error(n, a, b) <= tol * (1 + ga_max_abs(n, a)))) {
      fail_msg("%s without %s: %s differs by %g", f->name, left_out, callbacks[at].name,
               vector_error(n, a, b));
    }
  }
  ga_arena_free(&r.arena);
}

/* each derivative left out in turn, each given alone, all left out */
static void test_quotients(void **state) {
  fixture *f = *state;
  results exact;
  prepare(f, &exact);
  must(evaluate(f, &exact), &exact.err);
  for (int c = 0; c < CALLBACKS; c++) {
    if (callbacks[c].required || !has(f, c)) continue;
    drop(f, c);
    assert_quotients(f, &exact, callbacks[c].name, c == 4 || c == 5 || c == 8);
    for (int other = 0; other < CALLBACKS; other++) {
      f->ops = *f->right;
      for (int k = 0; k < CALLBACKS; k++) {
        if (!callbacks[k].required && k != c && k != other) drop(f, k);
      }
      assert_quotients(f, &exact, "most", true);
    }
    f->ops = *f->right;
  }
  for (int c = 0; c < CALLBACKS; c++) {
    if (!callbacks[c].required) drop(f, c);
  }
  assert_quotients(f, &exact, "all", true);
  ga_arena_free(&exact.arena);
}

/* the same models without constraints, of either kind and of both */
static void test_without_constraints(void **state) {
  fixture *f = *state;
  for (int k = 1; k < 4; k++) {
    ga_error err = {0};
    if (k & 1) f->model.nlam = 0, f->model.pat_G = NULL;
    if (k & 2) f->model.npsi = 0, f->model.pat_H = NULL;
    for (int c = 2; c < CALLBACKS - 1; c++) {
      bool holonomic = strncmp(callbacks[c].name, "holonomic", 9) == 0;
      if (holonomic ? k & 1 : k & 2) drop(f, c);
    }
    /* the tangents read multipliers that are not there any more */
    drop(f, CALLBACKS - 1);
    results r;
    prepare(f, &r);
    must(evaluate(f, &r), &r.err);
    must(check(f, &err), &err);
    ga_arena_free(&r.arena);
    tear_down(state);
    assert_int_equal(set_up(state), 0);
  }
}

static void refuse_model(const fixture *f, const char *word, const char *second) {
  ga_error err = {0};
  assert_refused(ga_model_validate(&f->model, &err), &err, GA_ERR_ARG, word, second);
  assert_refused(check(f, &err), &err, GA_ERR_ARG, word, second);
  ga_integrator *it = NULL;
  ga_status status = ga_integrator_new(&f->model, NULL, &it, &err);
  assert_refused(status, &err, GA_ERR_ARG, word, second);
}

static void test_validate(void **state) {
  fixture *f = *state;
  ga_error err = {0};
  const ga_model right = f->model;
  must(ga_model_validate(&f->model, &err), &err);
  assert_refused(ga_model_validate(NULL, &err), &err, GA_ERR_ARG, "model", "NULL");
  for (int c = 0; c < 4; c++) {
    char name[64];
    snprintf(name, sizeof name, "callback '%s' is missing", callbacks[c].name);
    f->ops = *f->right;
    drop(f, c);
    refuse_model(f, name, NULL);
  }
  /* constraints that are not there need no callback */
  f->ops = *f->right;
  drop(f, 2);
  f->model.nlam = 0;
  f->model.pat_G = NULL;
  must(ga_model_validate(&f->model, &err), &err);
  f->ops = *f->right;
  f->model = right, f->model.ops = NULL;
  refuse_model(f, "ops", "NULL");
  f->model = right, f->model.space = NULL;
  refuse_model(f, "space", "NULL");
  ga_space *empty;
  assert_int_equal(ga_space_new(&empty), GA_OK);
  f->model = right, f->model.space = empty;
  refuse_model(f, "space", "empty");
  ga_space_free(empty);
  f->model = right, f->model.nlam = -1;
  refuse_model(f, "nlam = -1", "negative");
  f->model = right, f->model.npsi = -2;
  refuse_model(f, "npsi = -2", "negative");
  int nv = ga_space_nv(f->space);
  f->model = right, f->model.nlam = nv - 2, f->model.npsi = 2;
  f->model.pat_G = f->model.pat_H = NULL;
  must(ga_model_validate(&f->model, &err), &err);
  f->model = right, f->model.nlam = 4, f->model.npsi = 3, f->model.pat_G = f->model.pat_H = NULL;
  /* more rows than velocities are no mistake of a model, but a run must be told to go on */
  must(ga_model_validate(&f->model, &err), &err);
  ga_integrator *it;
  assert_refused(ga_integrator_new(&f->model, NULL, &it, &err), &err, GA_ERR_ARG,
                 "4 holonomic and 3 nonholonomic", "redundant = allow");
  f->model = right;
}

/* wrong patterns of each matrix, and rows that list a part of a rotation only, which M alone may */
static void test_validate_patterns(void **state) {
  fixture *f = *state;
  const ga_model right = f->model;
  const ga_csr **const places[] = {&f->model.pat_M, &f->model.pat_K, &f->model.pat_G,
                                   &f->model.pat_H};
  const char *const names[] = {"pattern of M", "pattern of K", "pattern of G", "pattern of H"};
  int nv = ga_space_nv(f->space);
  for (int m = 0; m < 4; m++) {
    int nrow = m < 2 ? nv : m == 2 ? right.nlam : right.npsi;
    int ptr[8], col[8];
    for (int i = 0; i <= nrow; i++) ptr[i] = i, col[i] = nv - 1;
    ga_csr pattern = {nrow, nv - 1, ptr, col, NULL};
    *places[m] = &pattern;
    refuse_model(f, names[m], "it must be");
    pattern.ncol = nv;
    col[nrow - 1] = nv;
    refuse_model(f, names[m], "out of range");
    col[nrow - 1] = nv - 1;
    ptr[0] = 1;
    refuse_model(f, names[m], "ptr[0]");
    ptr[0] = 0;
    if (f->right == &top_ops && m > 0) {
      /* the last row alone has one component of Omega, at its beginning, middle or end */
      for (int i = 0; i < nrow; i++) ptr[i] = 0;
      ptr[nrow] = 1;
      for (int part = 3; part < 6; part++) {
        char place[64];
        snprintf(place, sizeof place, "row %d: column %d", nrow - 1, part == 3 ? 4 : 3);
        col[0] = part;
        refuse_model(f, names[m], place);
        refuse_model(f, names[m], "SO(3)");
      }
    } else {
      must(ga_model_validate(&f->model, NULL), NULL);
    }
    f->model = right;
  }
}

int main(void) {
  int failed = 0;
  for (size_t i = 0; i < sizeof fixtures / sizeof *fixtures; i++) {
    fixture *f = &fixtures[i];
#define TEST(test) cmocka_unit_test_prestate_setup_teardown(test, set_up, tear_down, f)
    const struct CMUnitTest tests[] = {
        TEST(test_right),
        TEST(test_wrong_entry),
        TEST(test_first_fault),
        TEST(test_claims_about_time),
        TEST(test_const_mass_claim),
        TEST(test_failing_callbacks),
        TEST(test_quotients),
        TEST(test_without_constraints),
        TEST(test_validate),
        TEST(test_validate_patterns),
    };
#undef TEST
    failed += cmocka_run_group_tests_name(f->name, tests, NULL, NULL);
  }
  return failed;
}

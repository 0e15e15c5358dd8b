/* SPDX-License-Identifier: MIT */
/* A model as `evaluate` alone, as callbacks, and as both: the same numbers, bit by bit; what is
 * said of mistakes in either. */
#include "methods.h"
#include "model/evaluation.h"
#include "problems/problems.h"
#include "separate.h"

/* What evaluate is asked for goes to the callbacks of separate.h; what it must not be asked for is
 * told by `allowed`. */
static unsigned allowed;

static int joined(void *user, double t, const double *q, const double *v,
                  const ga_evaluation *out) {
  const struct {
    unsigned bit;
    const void *wanted;
  } parts[] = {{GA_GIVES_G, out->G},         {GA_GIVES_H, out->H},
               {GA_GIVES_TANGENTS, out->Kt}, {GA_GIVES_Z, out->Z},
               {GA_GIVES_Y, out->Y},         {GA_GIVES_GT, out->gt},
               {GA_GIVES_DRIFT, out->drift}, {GA_GIVES_R, out->R},
               {GA_GIVES_DR, out->L},        {GA_GIVES_K_DRIFT, out->k_drift}};
  (void)user;
  assert_non_null(v);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (parts[i].wanted) assert_true(allowed & parts[i].bit);
  }
  return ga_model_evaluate(&separate_of, t, q, v, out);
}

/* some steps, and what they end with */
typedef struct {
  ga_status status;
  truth end;
  long residuals, matrices;
} outcome;

static outcome run(const ga_problem *p, const ga_model_ops *ops, const ga_method *method) {
  ga_problem copy = *p;
  ga_options o = ga_options_default();
  ga_integrator *it = NULL;
  outcome r = {0};
  copy.model.ops = ops;
  use_method(&o, method);
  o.h = p->h;
  o.multiplier_guess = p->mult0;
  r.status = ga_integrator_new(&copy.model, &o, &it, NULL);
  if (r.status == GA_OK) r.status = ga_integrator_start(it, p->t0, p->q0, p->v0);
  for (int i = 0; i < 4 && r.status == GA_OK; i++) r.status = ga_integrator_step(it);
  if (r.status == GA_OK) {
    const ga_state *s = ga_integrator_state(it);
    size_t nv = (size_t)ga_space_nv(p->model.space) * sizeof(double);
    memcpy(r.end.q, s->q, (size_t)ga_space_nq(p->model.space) * sizeof(double));
    memcpy(r.end.v, s->v, nv);
    memcpy(r.end.vd, s->vd, nv);
    memcpy(r.end.lam, s->lam, (size_t)p->model.nlam * sizeof(double));
    memcpy(r.end.psi, s->psi, (size_t)p->model.npsi * sizeof(double));
    r.residuals = ga_integrator_stats(it)->residuals;
    r.matrices = ga_integrator_stats(it)->matrices;
  }
  ga_integrator_free(it);
  return r;
}

/* every problem with every method: callbacks, evaluate alone, both with a part of it each */
static void test_same_bits(void **state) {
  (void)state;
  int compared = 0;
  for (int i = 0; ga_problem_name(i); i++) {
    ga_problem *p = problem_named(ga_problem_name(i));
    const ga_model_ops apart = separate_ops(&p->model);
    unsigned gives = ga_model_gives(&p->model);
    ga_model_ops whole = {.evaluate = joined, .gives = gives, .explain = apart.explain};
    ga_model_ops mixed = apart;
    mixed.evaluate = joined;
    for (int m = 0; m < METHODS; m++) {
      outcome a = run(p, &apart, all_methods[m]);
      allowed = gives;
      outcome b = run(p, &whole, all_methods[m]);
      /* what has a callback is asked of evaluate, too, unless it is a later addition */
      allowed = GA_GIVES_G | GA_GIVES_H | GA_GIVES_TANGENTS | GA_GIVES_Z | GA_GIVES_Y;
      outcome c = run(p, &mixed, all_methods[m]);
      if (memcmp(&a, &b, sizeof a) != 0) fail_msg("%s, %s", p->name, method_text(all_methods[m]));
      if (memcmp(&a, &c, sizeof a) != 0) fail_msg("%s, %s", p->name, method_text(all_methods[m]));
      compared += a.status == GA_OK;
    }
    ga_problem_free(p);
  }
  assert_in_range(compared, 80, 1000);
}

/* evaluate that gives M, F, g and k only: the rest by differences, as for callbacks */
static void test_differences(void **state) {
  (void)state;
  const char *const names[] = {"heavy-top", "heavy-top-se3", "rheonomic", "rolling-disk",
                               "andrews"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    ga_problem *p = problem_named(names[i]);
    const ga_model_ops all = separate_ops(&p->model);
    const ga_model_ops apart = {.mass = all.mass,
                                .force = all.force,
                                .holonomic = all.holonomic,
                                .nonholonomic = all.nonholonomic};
    const ga_model_ops whole = {.evaluate = joined};
    allowed = 0;
    outcome a = run(p, &apart, ga_method_find("stab2", "", NULL));
    outcome b = run(p, &whole, ga_method_find("stab2", "", NULL));
    outcome c = run(p, &all, ga_method_find("stab2", "", NULL));
    assert_int_equal(a.status, GA_OK);
    assert_memory_equal(&a, &b, sizeof a);
    double apart_by = ga_space_distance(p->model.space, a.end.q, c.end.q);
    if (!(apart_by < 1e-12)) fail_msg("%s: %g from analytic derivatives", p->name, apart_by);
    ga_problem_free(p);
  }
}

static void test_public_evaluation(void **state) {
  (void)state;
  ga_problem *p = problem_named("heavy-top");
  double g[3], R[6], G_val[18];
  ga_csr full = {.nrow = 3, .ncol = 6, .val = G_val}, *G = &full;
  assert_int_equal(ga_model_gives(&p->model),
                   GA_GIVES_G | GA_GIVES_Z | GA_GIVES_TANGENTS | GA_GIVES_DRIFT);
  assert_int_equal(ga_model_evaluate(&p->model, 0, p->q0, p->v0, &(ga_evaluation){.g = g}), 0);
  assert_true(g[0] == 0 && g[1] == 0 && g[2] == 0);
  assert_int_equal(ga_model_evaluate(&p->model, 0, p->q0, p->v0, &(ga_evaluation){.R = R}),
                   GA_ERR_ARG);
  /* a full matrix needs no ptr; its values are zeroed */
  ga_problem *se3 = problem_named("heavy-top-se3");
  for (int e = 0; e < 18; e++) G_val[e] = 7;
  assert_int_equal(ga_model_evaluate(&se3->model, 0, se3->q0, se3->v0, &(ga_evaluation){.G = G}),
                   0);
  const double expected[18] = {-1, 0, 0, 0, 0, -1, 0, -1, 0, 0, 0, 0, 0, 0, -1, 1, 0, 0};
  for (int e = 0; e < 18; e++) assert_true(G_val[e] == expected[e]);
  ga_problem_free(se3);
  ga_problem_free(p);
}

/* ---- messages -------------------------------------------------------------------------------- */

static void test_validation(void **state) {
  (void)state;
  ga_problem *p = problem_named("heavy-top");
  ga_error err = {0};
  ga_model_ops ops = {.gives = GA_GIVES_G};
  p->model.ops = &ops;
  assert_refused(ga_model_validate(&p->model, &err), &err, GA_ERR_ARG, "'evaluate'", "gives");
  ops.gives = 0;
  assert_refused(ga_model_validate(&p->model, &err), &err, GA_ERR_ARG, "'mass' is missing",
                 "evaluate");
  ops.evaluate = joined;
  must(ga_model_validate(&p->model, &err), &err);
  ops.gives = GA_GIVES_DR;
  assert_refused(ga_model_validate(&p->model, &err), &err, GA_ERR_ARG, "reaction_dmult",
                 "without 'reaction'");
  ga_problem_free(p);
}

/* evaluate with one entry changed, always or only if it is asked for more than this part */
static struct {
  unsigned bit;
  double by;
  bool with_others;
} spoiled;

static int spoiling(void *user, double t, const double *q, const double *v,
                    const ga_evaluation *out) {
  (void)user;
  int code = ga_model_evaluate(&separate_of, t, q, v, out);
  bool others = out->F != NULL && out->M != NULL;
  if (spoiled.with_others && !others) return code;
  ga_csr *A = spoiled.bit == GA_GIVES_G          ? out->G
              : spoiled.bit == GA_GIVES_Z        ? out->Z
              : spoiled.bit == GA_GIVES_TANGENTS ? out->Ct
                                                 : NULL;
  if (A) A->val[1] += spoiled.by;
  if (spoiled.bit == GA_GIVES_DRIFT && out->drift) out->drift[1] += spoiled.by;
  return code;
}

static void test_check(void **state) {
  (void)state;
  static const struct {
    unsigned bit;
    const char *alone, *with_others;
  } cases[] = {{GA_GIVES_G, "'evaluate (G)'", "'evaluate (G with others)'"},
               {GA_GIVES_Z, "'evaluate (Z)'", "'evaluate (Z with others)'"},
               {GA_GIVES_TANGENTS, "'evaluate (Ct)'", "'evaluate (Ct with others)'"},
               {GA_GIVES_DRIFT, "'evaluate (drift)'", "'evaluate (drift with others)'"}};
  ga_problem *p = problem_named("heavy-top");
  ga_error err = {0};
  must(ga_model_check_derivatives(&p->model, 0, p->q0, p->v0, NULL, &err), &err);
  separate_of = p->model;
  const ga_model_ops ops = {.evaluate = spoiling, .gives = ga_model_gives(&p->model)};
  p->model.ops = &ops;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    for (int others = 0; others < 2; others++) {
      spoiled.bit = cases[c].bit;
      spoiled.by = 1;
      spoiled.with_others = others;
      ga_status status = ga_model_check_derivatives(&p->model, 0, p->q0, p->v0, NULL, &err);
      assert_refused(status, &err, GA_ERR_MODEL, others ? cases[c].with_others : cases[c].alone,
                     others ? "alone" : "difference quotient");
    }
  }
  /* what is not a number is told by its part and place */
  spoiled.bit = GA_GIVES_G;
  spoiled.by = NAN;
  spoiled.with_others = false;
  ga_integrator *it = NULL;
  must(ga_integrator_new(&p->model, NULL, &it, &err), &err);
  ga_status status = ga_integrator_start(it, 0, p->q0, p->v0);
  assert_refused(status, ga_integrator_error(it), GA_RETRY_NONFINITE, "'evaluate' wrote nan",
                 "row 0, column 3 of G");
  ga_integrator_free(it);
  ga_problem_free(p);
}

/* ---- constant rows of M ---------------------------------------------------------------------- */

enum { CONST_ROOM = 2000 };

/* A model of which some rows of M are named constant. It writes the others only, and sees to it
 * that these arrive in place. */
static struct {
  ga_model of;
  ga_csr M; /* the constant rows */
  int ptr[CONST_ROOM], col[CONST_ROOM];
  double val[CONST_ROOM], scratch[CONST_ROOM];
  bool all;
  bool adds; /* a mistake: it adds to all rows */
} constant;

/* Rows first, first + stride, .. of M as it is at the start. */
static void name_constant_rows(const ga_problem *p, int first, int stride) {
  const int nv = ga_space_nv(p->model.space);
  ga_arena arena = {0};
  ga_csr M;
  int n = 0;
  must(ga_csr_init(&M, nv, nv, p->model.pat_M, &arena), NULL);
  assert_in_range(ga_csr_nnz(&M), 1, CONST_ROOM - 1);
  constant.of = p->model;
  constant.all = first == 0 && stride == 1;
  constant.adds = false;
  assert_int_equal(ga_model_evaluate(&p->model, p->t0, p->q0, p->v0, &(ga_evaluation){.M = &M}), 0);
  for (int i = 0; i < nv; i++) {
    const bool named = i >= first && (i - first) % stride == 0;
    for (int e = M.ptr[i]; e < M.ptr[i + 1] && named; e++, n++) {
      constant.col[n] = M.col[e], constant.val[n] = M.val[e];
    }
    constant.ptr[i + 1] = n;
  }
  constant.M = (ga_csr){nv, nv, constant.ptr, constant.col, constant.val};
  ga_arena_free(&arena);
}

static int without_constant_rows(void *user, double t, const double *q, const double *v,
                                 const ga_evaluation *out) {
  (void)user;
  ga_evaluation rest = *out;
  rest.M = NULL;
  if (out->M) {
    const ga_csr *C = &constant.M;
    ga_csr M = *out->M;
    M.val = constant.scratch;
    assert_false(constant.all);
    int code = ga_model_evaluate(&constant.of, t, q, v, &(ga_evaluation){.M = &M});
    if (code != 0) return code;
    for (int i = 0; i < M.nrow; i++) {
      const bool named = C->ptr[i + 1] > C->ptr[i];
      for (int e = M.ptr[i]; e < M.ptr[i + 1]; e++) {
        assert_true(out->M->val[e] == (named ? C->val[C->ptr[i] + e - M.ptr[i]] : 0));
        if (!named || constant.adds) out->M->val[e] += M.val[e];
      }
    }
  }
  return ga_model_evaluate(&constant.of, t, q, v, &rest);
}

static void compare_constant(const ga_problem *p, const outcome *expected, const ga_method *m) {
  ga_problem copy = *p;
  const ga_model_ops ops = {.evaluate = without_constant_rows, .gives = ga_model_gives(&p->model)};
  copy.model.const_mass = false;
  copy.model.const_M = &constant.M;
  outcome r = run(&copy, &ops, m);
  if (memcmp(&r, expected, sizeof r) != 0) fail_msg("%s, %s", p->name, method_text(m));
}

/* Every second row, and all, of problems with a constant mass; one row of Andrews' mechanism. */
static void test_constant_rows(void **state) {
  (void)state;
  int compared = 0, full = 0;
  for (int i = 0; ga_problem_name(i); i++) {
    ga_problem *p = problem_named(ga_problem_name(i));
    const bool andrews = strcmp(p->name, "andrews") == 0;
    for (int m = 0; m < METHODS && (p->model.const_mass || andrews); m++) {
      outcome expected = run(p, p->model.ops, all_methods[m]);
      name_constant_rows(p, andrews ? 2 : 1, andrews ? 7 : 2);
      compare_constant(p, &expected, all_methods[m]);
      if (!andrews) name_constant_rows(p, 0, 1);
      if (!andrews) compare_constant(p, &expected, all_methods[m]);
      compared += expected.status == GA_OK;
      full += expected.status == GA_OK && !p->model.pat_M;
    }
    ga_problem_free(p);
  }
  assert_in_range(compared, 30, 1000);
  assert_in_range(full, 5, 1000);
}

/* With all rows a model of callbacks needs no 'mass', and ga_model_evaluate gives M. */
static void test_no_mass(void **state) {
  (void)state;
  ga_problem *p = problem_named("heavy-top");
  const ga_method *stab2 = ga_method_find("stab2", "", NULL);
  const outcome expected = run(p, p->model.ops, stab2);
  name_constant_rows(p, 0, 1);
  ga_model_ops ops = separate_ops(&p->model);
  ops.mass = NULL;
  p->model.const_mass = false;
  p->model.const_M = &constant.M;
  outcome r = run(p, &ops, stab2);
  assert_memory_equal(&r, &expected, sizeof r);
  p->model.ops = &ops;
  ga_csr M = constant.M;
  M.val = constant.scratch;
  for (int e = 0; e < ga_csr_nnz(&M); e++) M.val[e] = NAN;
  assert_int_equal(ga_model_evaluate(&p->model, 0, p->q0, p->v0, &(ga_evaluation){.M = &M}), 0);
  assert_memory_equal(M.val, constant.val, (size_t)ga_csr_nnz(&M) * sizeof(double));
  must(ga_model_check_derivatives(&p->model, 0, p->q0, p->v0, NULL, NULL), NULL);
  ga_problem_free(p);
}

/* M x has no derivative in a constant row: an x of 1e13 does not spoil the quotients there. The
 * changing rows have one. */
static void test_constant_rows_differences(void **state) {
  (void)state;
  ga_problem *p = problem_named("andrews");
  ga_arena arena = {0};
  ga_eval e, exact;
  ga_error err = {0};
  ga_csr Kt, Ct, given, C_given;
  double x[7], lam[6];
  for (int i = 0; i < 7; i++) x[i] = 1e13;
  for (int i = 0; i < 6; i++) lam[i] = i + 1;
  name_constant_rows(p, 2, 7);
  const ga_model_ops ops = {.evaluate = without_constant_rows, .gives = GA_GIVES_G};
  ga_model model = p->model;
  model.ops = &ops;
  model.const_M = &constant.M;
  must(ga_eval_init(&e, &model, &arena, &err), &err);
  must(ga_eval_init(&exact, &p->model, &arena, &err), &err);
  ga_csr *const all[] = {&Kt, &Ct, &given, &C_given};
  for (int i = 0; i < 4; i++) must(ga_csr_init(all[i], 7, 7, model.pat_K, &arena), NULL);
  const ga_eval_point at = {.t = 0, .q = p->q0, .v = p->v0, .x = x, .lam = lam};
  must(ga_eval_tangents(&e, &at, &Kt, &Ct), &err);
  must(ga_eval_tangents(&exact, &at, &given, &C_given), &err);
  for (int i = 0; i < 7; i++) {
    const int from = given.ptr[i], n = given.ptr[i + 1] - from;
    const double size = ga_max_abs(n, given.val + from);
    if (i == 2) assert_true(size > 1 && size < 10);
    if (i > 2) assert_true(size > 1e7);
    for (int k = from; k < from + n; k++) {
      if (fabs(Kt.val[k] - given.val[k]) <= 1e-5 * size + (i == 2 ? 0 : 1)) continue;
      fail_msg("row %d: %g, not %g", i, Kt.val[k], given.val[k]);
    }
  }
  ga_arena_free(&arena);
  ga_problem_free(p);
}

static void test_constant_row_messages(void **state) {
  (void)state;
  ga_problem *p = problem_named("andrews");
  ga_model model = p->model;
  ga_error err = {0};
  const ga_model_ops ops = {.evaluate = without_constant_rows, .gives = ga_model_gives(&model)};
  name_constant_rows(p, 2, 7);
  model.ops = &ops;
  model.const_M = &constant.M;
  must(ga_model_check_derivatives(&model, 0, p->q0, p->v0, NULL, &err), &err);
  constant.adds = true;
  assert_refused(ga_model_check_derivatives(&model, 0, p->q0, p->v0, NULL, &err), &err,
                 GA_ERR_MODEL, "'const_M'", "row 2, column 2");
  constant.val[0] = NAN;
  assert_refused(ga_model_validate(&model, &err), &err, GA_ERR_ARG, "const_M", "entry 0 is nan");
  constant.M.val = NULL;
  assert_refused(ga_model_validate(&model, &err), &err, GA_ERR_ARG, "const_M", "no values");
  constant.col[0] = 3;
  assert_refused(ga_model_validate(&model, &err), &err, GA_ERR_ARG, "const_M, row 2", "whole row");
  constant.M.nrow = 6;
  assert_refused(ga_model_validate(&model, &err), &err, GA_ERR_ARG, "const_M", "7 x 7");
  ga_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_differences),
      cmocka_unit_test(test_public_evaluation),
      cmocka_unit_test(test_validation),
      cmocka_unit_test(test_check),
      cmocka_unit_test(test_constant_rows),
      cmocka_unit_test(test_no_mass),
      cmocka_unit_test(test_constant_rows_differences),
      cmocka_unit_test(test_constant_row_messages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Extrapolation: factors, the tableau on groups, windows, failures, arguments. */
#include <stdlib.h>

#include "extrapolate/tableau.h"
#include "extrapolation.h"
#include "problems/problems.h"
#include "separate.h"

enum { STEPS_MAX = 64 };

/* ---- the tableau ------------------------------------------------------------------------- */

enum { SIZE = 64, ROWS = 5 };

typedef struct {
  ga_space *space;
  ga_model model;
  ga_layout layout;
  double q[SIZE], c[6][SIZE]; /* x(h) = x + c_2 h^2 + ... + c_5 h^5 */
} series;

static void series_open(series *s, bool groups) {
  memset(s, 0, sizeof *s);
  uint64_t seed = 11;
  must(ga_space_new(&s->space), NULL);
  must(ga_space_add(s->space, &ga_group_rn, 2, NULL, NULL), NULL);
  if (groups) {
    must(ga_space_add(s->space, &ga_group_so3, 1, NULL, NULL), NULL);
    must(ga_space_add(s->space, &ga_group_se3, 2, NULL, NULL), NULL);
  }
  s->model = (ga_model){.space = s->space, .nlam = 3, .npsi = 2};
  s->layout = ga_layout_of(&s->model);
  assert_true(s->layout.at[GA_VARIABLES] <= SIZE);
  double w[SIZE];
  for (int i = 0; i < SIZE; i++) w[i] = next_uniform(&seed);
  ga_space_identity(s->space, s->q);
  ga_space_step(s->space, s->q, w, s->q);
  for (int p = 2; p <= 5; p++) {
    for (int i = 0; i < SIZE; i++) s->c[p][i] = next_uniform(&seed);
  }
}

/* q o exp(e(h)), and e(h) for the rest, whose exact value is 0 */
static void series_at(const series *s, int degree, double h, double *x) {
  double e[SIZE] = {0};
  for (int p = 2; p <= degree; p++) {
    for (int i = 0; i < SIZE; i++) e[i] += s->c[p][i] * pow(h, p);
  }
  memcpy(x, e, (size_t)s->layout.at[GA_VARIABLES] * sizeof *x);
  ga_space_step(s->space, s->q, e, x);
}

/* errors, true and estimated, of what K leaves of a series of this degree */
static void series_errors(const series *s, ga_extrapolate_steps steps, int K, int degree, double h,
                          double *left, double *error) {
  double x[ROWS][SIZE], *rows[ROWS], w[SIZE], fall[GA_VARIABLES], exact[SIZE] = {0};
  ga_divisors factors = ga_factors_of(steps, K);
  memcpy(exact, s->q, (size_t)s->layout.at[1] * sizeof *exact);
  for (int j = 0; j < K + 2; j++) {
    rows[j] = x[j];
    series_at(s, degree, j == 0 ? 2 * h : h / ga_substeps(steps, j - 1), x[j]);
  }
  ga_combine(&s->layout, &factors, rows, w, fall);
  ga_combined_errors(&s->layout, &factors, fall, rows[K], rows[K + 1], error);
  for (int i = 0; i < GA_VARIABLES; i++) {
    left[i] = ga_layout_distance(&s->layout, i, rows[K + 1], exact);
  }
}

/* halved steps: the powers of two of the theory, to the last bit; harmonic ones: numbers by hand */
static void test_factors(void **state) {
  (void)state;
  for (int K = 1; K <= GA_EXTRAPOLATE_MAX; K++) {
    ga_divisors of = ga_factors_of(GA_STEPS_HALVED, K);
    for (int k = 1; k <= K; k++) {
      for (int row = k; row < K + 2; row++) assert_true(of.f[k][row] == ldexp(1, k + 1) - 1);
    }
    assert_true(of.fall == ldexp(1, K + 1));
    assert_true(of.divisor == (ldexp(1, K + 2) - 1) * (K == 2 ? 1 : 9.0 / 7));
  }
  ga_divisors of = ga_factors_of(GA_STEPS_HARMONIC, 3);
  const double f[4][5] = {
      {0}, {0, 3, 3, 5.0 / 4, 7.0 / 9}, {0, 0, 7, 4, 9.0 / 5}, {0, 0, 0, 65.0 / 7, 5}};
  for (int k = 1; k <= 3; k++) {
    for (int row = k; row < 5; row++) assert_near("f", of.f[k][row], f[k][row], 1e-13);
  }
  assert_near("fall", of.fall, 78.0 / 7, 1e-13);
  assert_near("divisor", of.divisor, 147.0 / 13 * (7 + 1.84) / 7, 1e-13);
  of = ga_factors_of(GA_STEPS_HARMONIC, 2);
  assert_near("fall", of.fall, 8.75, 1e-13);
  assert_near("divisor", of.divisor, 65.0 / 7, 1e-13);
}

/* The estimate over the error where the error is one power of h: for K = 1, 3 the estimate takes a
 * number between those of two powers. */
static double estimate_over_error(ga_extrapolate_steps steps, int K) {
  double r = steps == GA_STEPS_HARMONIC && K == 3 ? 1.84 : 2;
  return K == 2 ? 1 : 7 / (7 + r);
}

/* on R^n K terms of the series vanish altogether */
static void test_tableau_vectors(void **state) {
  (void)state;
  series s;
  series_open(&s, false);
  for (int i = 0; i < 2 * GA_EXTRAPOLATE_MAX; i++) {
    int K = i / 2 + 1;
    ga_extrapolate_steps steps = i % 2 ? GA_STEPS_HARMONIC : GA_STEPS_HALVED;
    double left[GA_VARIABLES], error[GA_VARIABLES];
    series_errors(&s, steps, K, K + 1, 0.25, left, error);
    for (int k = 0; k < GA_VARIABLES; k++) {
      assert_true(left[k] <= (steps == GA_STEPS_HALVED ? 1e-16 : 1e-14));
    }
    series_errors(&s, steps, K, K + 2, 0.25, left, error);
    for (int k = 0; k < GA_VARIABLES; k++) {
      assert_true(left[k] > 1e-9);
      assert_near("estimate", error[k], left[k] * estimate_over_error(steps, K), 1e-8);
    }
  }
  ga_space_free(s.space);
}

/* a NaN anywhere is the distance, in every variable and at every place */
static void test_distance_of_nan(void **state) {
  (void)state;
  series s;
  series_open(&s, false);
  double a[SUPPORT_MAX] = {0}, b[SUPPORT_MAX];
  for (int k = 0; k < GA_VARIABLES; k++) {
    int from = s.layout.at[k], to = s.layout.at[k + 1];
    for (int bad = from; bad < to; bad++) {
      for (int i = from; i < to; i++) b[i] = i - from + 1;
      assert_true(ga_layout_distance(&s.layout, k, a, b) == to - from);
      b[bad] = NAN;
      assert_true(isnan(ga_layout_distance(&s.layout, k, a, b)));
    }
  }
  ga_space_free(s.space);
}

static void test_tableau_groups(void **state) {
  (void)state;
  series s;
  series_open(&s, true);
  for (int i = 0; i < 2 * GA_EXTRAPOLATE_MAX; i++) {
    int K = i / 2 + 1;
    ga_extrapolate_steps steps = i % 2 ? GA_STEPS_HARMONIC : GA_STEPS_HALVED;
    double coarse[GA_VARIABLES], fine[GA_VARIABLES], error[GA_VARIABLES];
    series_errors(&s, steps, K, 5, 0.02, coarse, error);
    series_errors(&s, steps, K, 5, 0.01, fine, error);
    for (int k = 0; k < GA_VARIABLES; k++) {
      assert_between("slope", slope(coarse[k], fine[k]), 1.9 + K, 2.1 + K);
      assert_near("estimate", error[k] / fine[k], estimate_over_error(steps, K), 0.03);
    }
  }
  ga_space_free(s.space);
}

/* ---- on the way -------------------------------------------------------------------------- */

typedef struct {
  int count, stop_at;
  double t[STEPS_MAX], q0[STEPS_MAX], lam0[STEPS_MAX], error[STEPS_MAX];
} record;

static int observe(void *context, const ga_extrapolated *now) {
  record *r = context;
  assert_int_equal(r->count, now->steps);
  assert_true(r->count < STEPS_MAX);
  assert_null(now->state.a);
  r->t[r->count] = now->state.t;
  r->q0[r->count] = now->state.q[0];
  r->lam0[r->count] = now->state.lam[0];
  r->error[r->count++] = now->error.q;
  return r->count - 1 == r->stop_at;
}

/* 41 steps: at once; in pieces; stopped and continued: the same bits, estimates at even steps */
static void test_pieces(void **state) {
  (void)state;
  ga_problem *p = problem_named("heavy-top");
  ga_options o = ga_options_default();
  o.h = 0x1p-10;
  record r[3];
  memset(r, 0, sizeof r);
  for (int i = 0; i < 3; i++) {
    ga_extrapolator *x = extrapolator(p, &o, 2);
    r[i].stop_at = i == 2 ? 7 : -1;
    ga_extrapolator_observe(x, observe, &r[i]);
    must(ga_extrapolator_start(x, 0, p->q0, p->v0), NULL);
    if (i == 1) {
      must(ga_extrapolator_run(x, 3 * o.h), ga_extrapolator_error(x));
      must(ga_extrapolator_run(x, 3 * o.h), ga_extrapolator_error(x));
      must(ga_extrapolator_run(x, 18 * o.h), ga_extrapolator_error(x));
    }
    if (i == 2) {
      ga_status status = ga_extrapolator_run(x, 41 * o.h);
      assert_refused(status, ga_extrapolator_error(x), GA_STOPPED, "t = 0.0068", "observer");
      assert_int_equal(ga_extrapolator_state(x)->steps, 7);
    }
    must(ga_extrapolator_run(x, 41 * o.h), ga_extrapolator_error(x));
    assert_int_equal(ga_extrapolator_stats(x)->steps, 20 + 41 * 7);
    ga_extrapolator_free(x);
    assert_int_equal(r[i].count, 42);
  }
  for (int i = 0; i < 42; i++) {
    assert_true(r[0].t[i] == i * o.h);
    if (i > 0) assert_true(i % 2 == 0 ? r[0].error[i] > 0 : isnan(r[0].error[i]));
    for (int j = 1; j < 3; j++) {
      assert_true(r[0].q0[i] == r[j].q0[i] && r[0].lam0[i] == r[j].lam0[i]);
      assert_memory_equal(&r[0].error[i], &r[j].error[i], sizeof(double));
    }
  }
  ga_problem_free(p);
}

/* ---- failures ---------------------------------------------------------------------------- */

/* the oscillator, with a force that gives up for larger steps; its own step tells which run asks */
typedef struct {
  const ga_model *base;
  double t_fail; /* runs with times between the multiples of this, from t = 0.25 on, fail */
  char log[1024];
  int warnings;
} fragile;

static int fragile_mass(void *user, double t, const double *q, ga_csr *M) {
  const fragile *f = user;
  return f->base->ops->mass(f->base->user, t, q, M);
}

static int fragile_force(void *user, double t, const double *q, const double *v, double *F) {
  const fragile *f = user;
  double n = t / f->t_fail;
  if (t > 0.25 && fabs(n - floor(n) - 0.5) < 0.1) return -1;
  return f->base->ops->force(f->base->user, t, q, v, F);
}

static void keep_log(void *context, ga_log_level level, const char *text) {
  fragile *f = context;
  f->warnings += level == GA_LOG_WARNING;
  snprintf(f->log, sizeof f->log, "%s", text);
}

/* so large that the start of the run with 2h, which looks back by as much, fails */
static int early_force(void *user, double t, const double *q, const double *v, double *F) {
  const fragile *f = user;
  return t < -f->t_fail ? 1 : f->base->ops->force(f->base->user, t, q, v, F);
}

static void test_no_estimate_from_start(void **state) {
  (void)state;
  ga_problem *p = problem_named("oscillator");
  fragile f = {.base = &p->model, .t_fail = 0.015};
  ga_model_ops ops = {.mass = fragile_mass, .force = early_force};
  ga_model model = {.ops = &ops, .user = &f, .space = p->model.space};
  ga_options o = ga_options_default();
  o.h = 0.01;
  o.log = keep_log;
  o.log_context = &f;
  ga_extrapolator *x = NULL;
  must(ga_extrapolator_new(&model, &o, 1, &x, NULL), NULL);
  must(ga_extrapolator_start(x, 0, p->q0, p->v0), ga_extrapolator_error(x));
  assert_int_equal(f.warnings, 1); /* told at once, and once */
  assert_non_null(strstr(f.log, "h = 0.02 for them failed"));
  assert_true(isnan(ga_extrapolator_state(x)->error.q));
  must(ga_extrapolator_run(x, 0.1), ga_extrapolator_error(x));
  assert_int_equal(f.warnings, 1);
  assert_true(isnan(ga_extrapolator_state(x)->error.q));
  ga_extrapolator_free(x);
  ga_problem_free(p);
}

static void test_failures(void **state) {
  (void)state;
  ga_problem *p = problem_named("oscillator");
  fragile f = {.base = &p->model};
  ga_model_ops ops = {.mass = fragile_mass, .force = fragile_force};
  ga_model model = {.ops = &ops, .user = &f, .space = p->model.space};
  ga_options o = ga_options_default();
  o.h = 0x1p-6;
  o.log = keep_log;
  o.log_context = &f;
  ga_extrapolator *x = NULL;
  ga_error err = {0};

  /* the run with h/2 meets the middle of steps h, the others do not get there or fail later */
  f.t_fail = o.h;
  must(ga_extrapolator_new(&model, &o, 1, &x, &err), &err);
  must(ga_extrapolator_start(x, 0, p->q0, p->v0), ga_extrapolator_error(x));
  for (int i = 0; i < 2; i++) { /* the failure is final, the state stays */
    ga_status status = ga_extrapolator_run(x, 1);
    assert_refused(status, ga_extrapolator_error(x), GA_ERR_MODEL, "run with h = 0.0078125",
                   "t = 0.25");
    assert_true(ga_extrapolator_state(x)->state.t == 0.25);
    assert_int_equal(ga_extrapolator_state(x)->steps, 16);
  }
  must(ga_extrapolator_start(x, 0, p->q0, p->v0), ga_extrapolator_error(x));
  must(ga_extrapolator_run(x, 0.25), ga_extrapolator_error(x));
  assert_int_equal(f.warnings, 0);
  ga_extrapolator_free(x);
  ga_problem_free(p);
}

/* the run with 2h may fail: heavy top, steps at which Newton's method cannot do it */
static void test_no_estimate(void **state) {
  (void)state;
  ga_problem *p = problem_named("heavy-top");
  fragile f = {0};
  ga_options o = ga_options_default();
  o.h = 0.04;
  o.newton_max = 4;
  o.log = keep_log;
  o.log_context = &f;
  ga_extrapolator *x = extrapolator(p, &o, 1);
  must(ga_extrapolator_start(x, 0, p->q0, p->v0), ga_extrapolator_error(x));
  must(ga_extrapolator_run(x, 0.4), ga_extrapolator_error(x));
  assert_int_equal(f.warnings, 1);
  assert_non_null(strstr(f.log, "no error estimates"));
  assert_non_null(strstr(f.log, "h = 0.08"));
  assert_true(isnan(ga_extrapolator_state(x)->error.q));
  assert_true(ga_extrapolator_state(x)->finest.q > 0);
  ga_extrapolator_free(x);

  f = (fragile){0};
  o = ga_options_default();
  o.start = GA_START_PLAIN;
  o.log = keep_log;
  o.log_context = &f;
  x = extrapolator(p, &o, 1);
  assert_int_equal(f.warnings, 1);
  assert_non_null(strstr(f.log, "start = plain"));
  ga_extrapolator_free(x);
  ga_problem_free(p);
}

/* heavy top whose second derivative of g, which steps of index3 do without, is not to be had late
 */
static double drift_end;

static int failing_drift(void *user, double t, const double *q, const double *v, double *drift) {
  return t > drift_end ? -1 : separate_holonomic_drift(user, t, q, v, drift);
}

/* the evaluation of consistent multipliers fails: final, told, and the last state stays; without an
 * observer that is the start */
static void test_inconsistent(void **state) {
  (void)state;
  ga_problem *p = problem_named("heavy-top");
  ga_options o = ga_options_default();
  o.method = "index3";
  o.h = 0x1p-10;
  ga_model_ops ops = separate_ops(&p->model);
  ga_model model = p->model;
  assert_non_null(ops.holonomic_drift);
  drift_end = 8.5 * o.h;
  ops.holonomic_drift = failing_drift;
  model.ops = &ops;
  for (int seen = 0; seen < 2; seen++) {
    ga_extrapolator *x = NULL;
    record r = {.stop_at = -1};
    must(ga_extrapolator_new(&model, &o, 2, &x, NULL), NULL);
    if (seen) ga_extrapolator_observe(x, observe, &r);
    for (int i = 0; i < 2; i++) {
      r.count = 0;
      set_mode(x, consistent);
      must(ga_extrapolator_start(x, 0, p->q0, p->v0), ga_extrapolator_error(x));
      for (int again = 0; again < 2; again++) {
        ga_status status = ga_extrapolator_run(x, 16 * o.h);
        assert_refused(status, ga_extrapolator_error(x), GA_ERR_MODEL, "consistent multipliers",
                       "holonomic_drift");
        assert_int_equal(ga_extrapolator_state(x)->steps, seen ? 8 : 0);
        assert_true(ga_extrapolator_state(x)->state.t == (seen ? 8 : 0) * o.h);
      }
    }
    set_mode(x, harmonic);
    r.count = 0;
    must(ga_extrapolator_start(x, 0, p->q0, p->v0), ga_extrapolator_error(x));
    must(ga_extrapolator_run(x, 16 * o.h), ga_extrapolator_error(x));
    ga_extrapolator_free(x);
  }
  ga_problem_free(p);
}

/* runs of h/3 meet ends of steps h that are no binary fractions; the run with 2h is spared where no
 * one sees an estimate, and comes later when one is wanted */
static void test_harmonic_ends(void **state) {
  (void)state;
  ga_problem *p = problem_named("oscillator");
  ga_options o = ga_options_default();
  o.h = 0.1;
  ga_extrapolator *x = extrapolator(p, &o, 3);
  set_mode(x, harmonic);
  must(ga_extrapolator_start(x, 0, p->q0, p->v0), ga_extrapolator_error(x));
  assert_refused(ga_extrapolator_run(x, 0.1 + 1e-6), ga_extrapolator_error(x), GA_ERR_ARG,
                 "does not divide", NULL);
  const double ends[] = {0.3, 0.7, 1, 123.7};
  const long steps[] = {30, 70, 105, 12375};
  for (int i = 0; i < 4; i++) {
    must(ga_extrapolator_run(x, ends[i]), ga_extrapolator_error(x));
    const ga_extrapolated *now = ga_extrapolator_state(x);
    assert_true(now->state.t == ends[i]);
    assert_int_equal(ga_extrapolator_stats(x)->steps, steps[i]);
    assert_true(i == 2 ? now->error.q > 0 && now->error.q < 1e-3 : isnan(now->error.q));
  }
  ga_extrapolator_free(x);
  ga_problem_free(p);
}

static void test_arguments(void **state) {
  (void)state;
  ga_problem *p = problem_named("oscillator");
  ga_options o = ga_options_default();
  ga_extrapolator *x = NULL;
  ga_error err = {0};
  const int wrong[] = {0, -1, 4};
  for (int i = 0; i < 3; i++) {
    ga_status status = ga_extrapolator_new(&p->model, &o, wrong[i], &x, &err);
    assert_refused(status, &err, GA_ERR_ARG, "between 1 and 3", NULL);
    assert_null(x);
  }
  assert_int_equal(ga_extrapolator_new(&p->model, &o, 1, NULL, NULL), GA_ERR_ARG);
  o.method = "none";
  assert_refused(ga_extrapolator_new(&p->model, &o, 1, &x, &err), &err, GA_ERR_METHOD, "none",
                 NULL);
  o.method = "stab2";
  o.h = 0.1;
  x = extrapolator(p, &o, 3);
  const ga_error *e = ga_extrapolator_error(x);
  assert_refused(ga_extrapolator_run(x, 1), e, GA_ERR_ARG, "comes first", NULL);
  must(ga_extrapolator_start(x, 0, p->q0, p->v0), e);
  assert_refused(ga_extrapolator_run(x, 0.96), e, GA_ERR_ARG, "does not divide", "h = 0.096");
  assert_refused(ga_extrapolator_run(x, -1), e, GA_ERR_ARG, "not before", NULL);
  assert_refused(ga_extrapolator_run(x, NAN), e, GA_ERR_ARG, "finite", NULL);
  must(ga_extrapolator_run(x, 0.7), e);
  assert_refused(ga_extrapolator_run(x, 0.6), e, GA_ERR_ARG, "not before", NULL);
  must(ga_extrapolator_run(x, 0.7), e);
  must(ga_extrapolator_run(x, 1), e);
  assert_true(ga_extrapolator_state(x)->state.t == 1);
  double bad = NAN;
  assert_refused(ga_extrapolator_start(x, 0, &bad, p->v0), e, GA_ERR_ARG, "run with h = 0.1",
                 "not finite");
  assert_refused(ga_extrapolator_run(x, 1), e, GA_ERR_ARG, "comes first", NULL);
  ga_extrapolator_free(x);
  ga_extrapolator_free(NULL);
  ga_problem_free(p);
}

static long requests, fail_at, live;

static void *failing_calloc(size_t count, size_t size) {
  if (++requests == fail_at) return NULL;
  live++;
  return calloc(count, size);
}

static void counting_free(void *block) {
  live -= block != NULL;
  free(block);
}

static void test_no_memory(void **state) {
  (void)state;
  ga_problem *p = problem_named("heavy-top");
  ga_options o = ga_options_default();
  ga_extrapolator *x = NULL;
  ga_error err = {0};
  ga_set_allocator(failing_calloc, counting_free);
  ga_status status = GA_ERR_MEM;
  for (fail_at = 1; status != GA_OK; fail_at++) {
    requests = live = 0;
    status = ga_extrapolator_new(&p->model, &o, 2, &x, &err);
    if (status != GA_OK) assert_null(x);
    if (status == GA_OK) {
      set_mode(x, consistent);
      status = ga_extrapolator_start(x, 0, p->q0, p->v0);
      err = *ga_extrapolator_error(x);
      ga_extrapolator_free(x);
    }
    if (status != GA_OK) assert_refused(status, &err, GA_ERR_MEM, "memory", NULL);
    assert_int_equal(live, 0);
  }
  assert_true(fail_at > 20);
  ga_set_allocator(NULL, NULL);
  ga_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_factors),         cmocka_unit_test(test_tableau_vectors),
      cmocka_unit_test(test_tableau_groups),  cmocka_unit_test(test_pieces),
      cmocka_unit_test(test_failures),        cmocka_unit_test(test_no_estimate),
      cmocka_unit_test(test_arguments),       cmocka_unit_test(test_inconsistent),
      cmocka_unit_test(test_harmonic_ends),   cmocka_unit_test(test_no_memory),
      cmocka_unit_test(test_distance_of_nan), cmocka_unit_test(test_no_estimate_from_start),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

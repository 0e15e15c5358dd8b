/* SPDX-License-Identifier: MIT */
/* Given step sizes: sequences, times that carry one rounding, how an end is met. */
#include "problems/problems.h"
#include "run/integrator.h"
#include "small_models.h"

enum { SIZES = 64 };

typedef struct {
  int n;
  double h[SIZES], t[SIZES];
} sizes;

static int note(void *context, const ga_state *s, const ga_stats *stats) {
  sizes *z = context;
  (void)stats;
  if (z->n < SIZES) {
    z->h[z->n] = s->h;
    z->t[z->n] = s->t;
  }
  z->n++;
  return 0;
}

static const double at_rest = 0, away = 1;

static ga_integrator *watched(const small *s, const ga_options *o, sizes *z) {
  ga_integrator *it = small_start(s, o, &away, &at_rest);
  *z = (sizes){0};
  ga_integrator_observe(it, note, z);
  return it;
}

/* 10^7 steps of 0.1, and of a sequence, planned without solving them: t_n is within an ulp of the
 * exact multiple all along, and the last is t_end. */
static void test_many_times(void **state) {
  (void)state;
  static const struct {
    const char *seq;
    int per;
    double fraction[3];
  } cases[] = {{"1", 1, {1}}, {"1/3,2/3", 2, {1.0 / 3, 1}}, {"1/2,1/4,1/4", 3, {0.5, 0.75, 1}}};
  small s;
  small_open(&s, 1, load_force, false);
  for (int c = 0; c < 3; c++) {
    const long steps = 10000000, periods = steps / cases[c].per;
    ga_options o = ga_options_default();
    o.h = 0.1;
    o.h_seq = cases[c].seq;
    ga_integrator *it = small_start(&s, &o, &away, &at_rest);
    double t_end = (double)periods * 0.1;
    for (long n = 0; n < periods * cases[c].per; n++) {
      ga_plan plan;
      must(ga_plan_next(it, t_end, &plan), &it->error);
      long done = n / cases[c].per;
      double exact = ((double)done + cases[c].fraction[n % cases[c].per]) * 0.1;
      assert_true(plan.regular);
      if (!(fabs(plan.t1 - exact) <= 3e-16 * exact)) fail_msg("step %ld: %.17g", n, plan.t1);
      it->mem.t = plan.t1;
      ga_plan_advance(it, &plan, plan.t1 == t_end);
    }
    assert_true(it->mem.t == t_end);
    ga_integrator_free(it);
  }
  small_close(&s);
}

/* the same with steps that are solved */
static void test_many_steps(void **state) {
  (void)state;
  const long steps = 200000;
  sizes z;
  small s;
  small_open(&s, 1, load_force, false);
  s.k = 1e-4;
  ga_options o = ga_options_default();
  o.h = 0.1;
  ga_integrator *it = watched(&s, &o, &z);
  must(ga_integrator_run(it, 0.1 * (double)steps), ga_integrator_error(it));
  assert_true(ga_integrator_state(it)->t == 0.1 * (double)steps);
  assert_int_equal(ga_integrator_stats(it)->steps, steps);
  ga_integrator_free(it);
  small_close(&s);
}

static double thirds(void *context, long n, double t) {
  (void)t;
  ++*(int *)context;
  return (n % 2 ? 2.0 : 1.0) / 3 * 0.3;
}

/* text, numbers and a function for the same sizes: the same steps and results */
static void test_three_ways(void **state) {
  (void)state;
  const double fraction[] = {1.0 / 3, 2.0 / 3};
  int asked = 0;
  sizes z[3];
  double q[3];
  small s;
  small_open(&s, 1, load_force, false);
  for (int way = 0; way < 3; way++) {
    ga_options o = ga_options_default();
    o.h = 0.3;
    if (way == 0) o.h_seq = "1/3,2/3";
    if (way == 1) o.h_fractions = fraction, o.h_fractions_n = 2;
    if (way == 2) o.step_size = thirds, o.step_context = &asked;
    ga_integrator *it = watched(&s, &o, &z[way]);
    must(ga_integrator_run(it, 3), ga_integrator_error(it));
    assert_true(ga_integrator_state(it)->t == 3);
    q[way] = ga_integrator_state(it)->q[0];
    ga_integrator_free(it);
  }
  assert_memory_equal(&z[0], &z[1], sizeof z[0]);
  assert_true(q[0] == q[1]);
  assert_true(asked >= 20);
  for (int way = 0; way < 3; way++) {
    assert_int_equal(z[way].n, 20);
    for (int i = 0; i < 20; i++) {
      assert_near("size", z[way].h[i], (i % 2 ? 2.0 : 1.0) / 3 * 0.3, 1e-12);
      assert_near("time", z[way].t[i], (double)((i + 1) / 2) * 0.3 + (i % 2 ? 0 : 0.1), 1e-14);
    }
  }
  assert_near("a function", q[2], q[0], 1e-12);
  small_close(&s);
}

/* The end of a run in the middle of a period does not disturb the sequence; one that is not met
 * by it is shared by the last two steps, none of which is tiny; the sequence then begins anew. */
static void test_ends(void **state) {
  (void)state;
  sizes z;
  small s;
  small_open(&s, 1, load_force, false);
  ga_options o = ga_options_default();
  o.h = 0.3;
  o.h_seq = "1/3,2/3";
  ga_integrator *it = watched(&s, &o, &z);
  must(ga_integrator_run(it, 0.1), ga_integrator_error(it));
  must(ga_integrator_run(it, 0.3), ga_integrator_error(it));
  must(ga_integrator_run(it, 0.6), ga_integrator_error(it));
  const double expected[] = {0.1, 0.2, 0.1, 0.2};
  assert_int_equal(z.n, 4);
  for (int i = 0; i < 4; i++) assert_near("size", z.h[i], expected[i], 1e-12);
  must(ga_integrator_run(it, 0.85), ga_integrator_error(it)); /* 0.1, then 0.15 left */
  assert_int_equal(z.n, 6);
  assert_near("shared", z.h[4], 0.1, 1e-12);
  assert_near("shared", z.h[5], 0.15, 1e-12);
  must(ga_integrator_step(it), ga_integrator_error(it));
  assert_near("anew", z.h[6], 0.1, 1e-12);
  ga_integrator_free(it);

  /* any end: met exactly, with steps of at least half the size */
  for (int k = 0; k < 200; k++) {
    double t_end = 1 + k * 0.00317;
    o.h_seq = "1";
    o.h = 0.1;
    it = watched(&s, &o, &z);
    must(ga_integrator_run(it, t_end), ga_integrator_error(it));
    assert_true(ga_integrator_state(it)->t == t_end);
    for (int i = 0; i < z.n; i++) assert_true(z.h[i] > 0.0499 && z.h[i] < 0.100001);
    ga_integrator_free(it);
    /* and of a sequence: no step larger than its own size, none below half the smallest */
    o.h_seq = "1,1/4,1/2";
    it = watched(&s, &o, &z);
    must(ga_integrator_run(it, t_end), ga_integrator_error(it));
    assert_true(ga_integrator_state(it)->t == t_end);
    const double size[] = {0.1, 0.025, 0.05};
    for (int i = 0; i < z.n; i++) {
      assert_true(z.h[i] > 0.01249 && z.h[i] < size[i % 3] * 1.000001);
    }
    ga_integrator_free(it);
  }
  small_close(&s);
}

static double bad_size(void *context, long n, double t) {
  (void)t;
  return n < 5 ? 0.1 : *(const double *)context;
}

static void test_refusals(void **state) {
  (void)state;
  small s;
  small_open(&s, 1, load_force, false);
  ga_error err = {0};
  ga_integrator *it = NULL;
  const double fractions[] = {1, -1, NAN, 1001};
  for (int i = 1; i < 4; i++) {
    const double two[] = {1, fractions[i]};
    ga_options o = ga_options_default();
    o.h_fractions = two;
    o.h_fractions_n = 2;
    assert_refused(ga_integrator_new(&s.model, &o, &it, &err), &err, GA_ERR_ARG, "h_fractions[1]",
                   NULL);
    o.h_fractions_n = 0;
    assert_refused(ga_integrator_new(&s.model, &o, &it, &err), &err, GA_ERR_ARG, "h_fractions_n",
                   NULL);
  }
  ga_options o = ga_options_default();
  o.rtol = 1e-3;
  o.h_seq = "1,2";
  assert_refused(ga_integrator_new(&s.model, &o, &it, &err), &err, GA_ERR_ARG, "automatic",
                 "given");
  const double sizes_given[] = {0, -1, NAN, INFINITY};
  for (int i = 0; i < 4; i++) {
    o = ga_options_default();
    o.step_size = bad_size;
    o.step_context = (void *)(uintptr_t)&sizes_given[i];
    it = small_start(&s, &o, &away, &at_rest);
    assert_refused(ga_integrator_run(it, 2), ga_integrator_error(it), GA_ERR_STEP, "step_size",
                   "step 5");
    assert_near("stands", ga_integrator_state(it)->t, 0.4, 1e-12);
    ga_integrator_free(it);
  }
  small_close(&s);
}

/* A size whose square is no number is refused at once, whether steps are automatic or not. */
static void test_too_small(void **state) {
  (void)state;
  const double sizes_refused[] = {5e-324, 1e-300, 1e-155};
  small s;
  small_open(&s, 2, fall_force, true);
  const double q[] = {1, 0}, v[] = {0, 0};
  for (int i = 0; i < 3; i++) {
    for (int automatic = 0; automatic < 2; automatic++) {
      ga_options o = ga_options_default();
      ga_integrator *it = NULL;
      ga_error err = {0};
      o.rtol = automatic ? 1e-3 : 0;
      o.h = sizes_refused[i];
      assert_refused(ga_integrator_new(&s.model, &o, &it, &err), &err, GA_ERR_STEP, "too small",
                     "at least 1.5e-154");
      assert_null(it);
      o.h = 1e-3;
      it = small_start(&s, &o, q, v);
      assert_refused(ga_integrator_set_step(it, sizes_refused[i]), ga_integrator_error(it),
                     GA_ERR_STEP, "too small", NULL);
      must(ga_integrator_run(it, 0.01), ga_integrator_error(it));
      ga_integrator_free(it);
    }
  }
  small_close(&s);
}

/* ten sizes of 0.1, and no answer after that */
static double until_one(void *context, long n, double t) {
  (void)t;
  ++*(int *)context;
  return n < 10 ? 0.1 : -1;
}

/* A function of sizes is asked for steps that are needed, not for what comes after the end. */
static void test_asked_no_further(void **state) {
  (void)state;
  small s;
  small_open(&s, 1, load_force, false);
  for (int one_by_one = 0; one_by_one < 2; one_by_one++) {
    int asked = 0;
    ga_options o = ga_options_default();
    o.step_size = until_one;
    o.step_context = &asked;
    ga_integrator *it = small_start(&s, &o, &away, &at_rest);
    if (one_by_one) {
      for (int n = 0; n < 10; n++) must(ga_integrator_step(it), ga_integrator_error(it));
      assert_int_equal(asked, 10);
    } else {
      must(ga_integrator_run(it, 1), ga_integrator_error(it));
      assert_true(ga_integrator_state(it)->t == 1);
      assert_int_equal(asked, 19);
    }
    assert_int_equal(ga_integrator_stats(it)->steps, 10);
    assert_refused(ga_integrator_step(it), ga_integrator_error(it), GA_ERR_STEP, "step_size",
                   "step 10");
    ga_integrator_free(it);
  }
  /* an end inside the last size */
  int asked = 0;
  ga_options o = ga_options_default();
  o.step_size = until_one;
  o.step_context = &asked;
  ga_integrator *it = small_start(&s, &o, &away, &at_rest);
  must(ga_integrator_run(it, 0.95), ga_integrator_error(it));
  assert_int_equal(ga_integrator_stats(it)->steps, 10);
  ga_integrator_free(it);
  small_close(&s);
}

/* the heavy top at a time of its own: two fine runs, extrapolated (7 q, 6 v, 3 lam) */
static truth fine_top(const ga_problem *p, double t) {
  truth ref = {.t = t};
  const double weight[] = {-1.0 / 3, 4.0 / 3};
  for (int l = 0; l < 2; l++) {
    ga_options o = ga_options_default();
    o.h = ldexp(2.5e-5, -l);
    ga_integrator *it = started(p, &o);
    must(ga_integrator_run(it, t), ga_integrator_error(it));
    const ga_state *s = ga_integrator_state(it);
    ga_axpy(7, weight[l], s->q, ref.q);
    ga_axpy(6, weight[l], s->v, ref.v);
    ga_axpy(6, weight[l], s->vd, ref.vd);
    ga_axpy(3, weight[l], s->lam, ref.lam);
    ga_integrator_free(it);
  }
  return ref;
}

/* Alternating h/3, 2h/3: order 2 in every variable at the end, with the corrections of the memory;
 * without them some error is at least twenty times as large. */
static void test_order(void **state) {
  (void)state;
  static const struct {
    const char *problem, *method;
    double h, t;
    double vd,
        lam; /* slopes: of index3 they still fall like h^3 here, the term of order 2 is small */
  } cases[] = {
      {"heavy-top", "stab2", 2.5e-4, 0.2, 2, 2}, {"heavy-top", "index3", 4e-4, 0.2, 3.17, 2.35},
      {"andrews", "stab2", 3.75e-5, 0.03, 2, 2}, {"andrews", "index3", 3.75e-5, 0.03, 2, 2.29},
      {"andrews", "soi2", 3.75e-5, 0.03, 2, 2},  {"pendulum-spring", "hht", 5e-3, 2, 2, 2}};
  enum { LEVELS = 3 };
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    ga_problem *p = problem_named(cases[c].problem);
    truth ref = {0};
    errors e[2][LEVELS];
    ref = cases[c].t == 0.2 ? fine_top(p, 0.2) : reference_at(p, cases[c].t);
    for (int l = 0; l < LEVELS; l++) {
      for (int none = 0; none < 2; none++) {
        ga_options o = ga_options_default();
        o.method = cases[c].method;
        o.par = ga_params_rho(p->rho_inf);
        o.h = ldexp(cases[c].h, -l);
        o.h_seq = "1/3,2/3";
        o.rescale = none ? GA_RESCALE_NONE : GA_RESCALE_ALL;
        e[none][l] = run_errors(p, &o, &ref);
      }
    }
    char what[64];
    snprintf(what, sizeof what, "%s, %s", cases[c].problem, cases[c].method);
    for (int k = 0; k < ERR_COUNT; k++) {
      double order = slope(e[0][LEVELS - 2].e[k], e[0][LEVELS - 1].e[k]);
      double expected = k == ERR_VD ? cases[c].vd : k == ERR_LAM ? cases[c].lam : 2;
      assert_near(what, order, expected, 0.055);
    }
    double worse = 0;
    for (int k = 0; k < ERR_COUNT; k++) {
      worse = fmax(worse, e[1][LEVELS - 1].e[k] / e[0][LEVELS - 1].e[k]);
    }
    assert_between("uncorrected over corrected", worse, 20, INFINITY);
    ga_problem_free(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_many_times),       cmocka_unit_test(test_many_steps),
      cmocka_unit_test(test_three_ways),       cmocka_unit_test(test_ends),
      cmocka_unit_test(test_refusals),         cmocka_unit_test(test_order),
      cmocka_unit_test(test_asked_no_further), cmocka_unit_test(test_too_small),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

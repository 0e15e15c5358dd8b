/* SPDX-License-Identifier: MIT */
/* What breaks the order of lam and what restores it: starts, velocity projections, step changes. */
#include "problems/problems.h"
#include "support.h"

enum { NLAM = 3, GRID = 40, GRID_MAX = 4000 };

/* lam of the heavy top on a grid, from two fine stab2 runs and one extrapolation */
typedef struct {
  double dt;
  int n;
  double lam[GRID_MAX + 1][NLAM];
} history;

typedef struct {
  history *to;
  double weight;
  int at;
} collector;

static int collect(void *context, const ga_state *s, const ga_stats *stats) {
  (void)stats;
  collector *c = context;
  int i = (int)lround(s->t / c->to->dt);
  if (fabs(s->t - i * c->to->dt) > 1e-9 || i > c->to->n) return 0;
  for (int k = 0; k < NLAM; k++) c->to->lam[i][k] += c->weight * s->lam[k];
  return 0;
}

static void fine_run(const ga_problem *p, history *ref, double h, double weight, double t_end) {
  ga_options o = ga_options_default();
  o.h = h;
  ga_integrator *it = NULL;
  ga_error err = {0};
  must(ga_integrator_new(&p->model, &o, &it, &err), &err);
  collector c = {.to = ref, .weight = weight};
  ga_integrator_observe(it, collect, &c);
  must(ga_integrator_start(it, p->t0, p->q0, p->v0), ga_integrator_error(it));
  must(ga_integrator_run(it, t_end), ga_integrator_error(it));
  ga_integrator_free(it);
}

/* (4 x(h/2) - x(h))/3 is of order 3 */
static void make_reference(const ga_problem *p, history *ref, double dt, double t_end) {
  memset(ref, 0, sizeof *ref);
  ref->dt = dt;
  ref->n = (int)lround(t_end / dt);
  assert_true(ref->n <= GRID_MAX);
  fine_run(p, ref, 6.25e-5, -1.0 / 3, t_end);
  fine_run(p, ref, 3.125e-5, 4.0 / 3, t_end);
}

typedef struct {
  const history *ref;
  double from, to; /* time window */
  double worst;
} monitor;

static int watch(void *context, const ga_state *s, const ga_stats *stats) {
  (void)stats;
  monitor *m = context;
  int i = (int)lround(s->t / m->ref->dt);
  if (s->t < m->from - 1e-9 || s->t > m->to + 1e-9) return 0;
  m->worst = fmax(m->worst, vector_error(NLAM, s->lam, m->ref->lam[i]));
  return 0;
}

/* largest error of lam in [from, to]; a projection at `project_at` if that is positive */
static double worst_lam(const ga_problem *p, const history *ref, const ga_options *o, double from,
                        double to, double project_at, ga_projection kind) {
  ga_integrator *it = NULL;
  ga_error err = {0};
  must(ga_integrator_new(&p->model, o, &it, &err), &err);
  monitor m = {.ref = ref, .from = from, .to = to};
  ga_integrator_observe(it, watch, &m);
  must(ga_integrator_start(it, p->t0, p->q0, p->v0), ga_integrator_error(it));
  if (project_at > 0) {
    must(ga_integrator_run(it, project_at), ga_integrator_error(it));
    must(ga_integrator_project_velocity(it, kind, NULL), ga_integrator_error(it));
  }
  must(ga_integrator_run(it, to), ga_integrator_error(it));
  ga_integrator_free(it);
  return m.worst;
}

/* docs/reference/problems.md: index3 on [0, 0.1], plain start of first order, perturbed of second
 */
static void test_start_layer(void **state) {
  (void)state;
  const double plain[] = {252, 115, 57.5, 26.0}, perturbed[] = {8.4, 2.12, 0.530, 0.133};
  static history ref;
  ga_problem *p = problem_named("heavy-top");
  make_reference(p, &ref, 2.5e-4, 0.1);
  ga_options o = ga_options_default();
  o.method = "index3";
  for (int l = 0; l < 4; l++) {
    o.h = ldexp(2e-3, -l);
    o.start = GA_START_PLAIN;
    assert_near("plain", worst_lam(p, &ref, &o, 0, 0.1, 0, GA_PROJECT_PLAIN), plain[l], 1e-2);
    o.start = GA_START_PERTURBED;
    double kept = worst_lam(p, &ref, &o, 0, 0.1, 0, GA_PROJECT_PLAIN);
    assert_near("perturbed", kept, perturbed[l], 1e-2);
    o.start = GA_START_BEST;
    assert_true(worst_lam(p, &ref, &o, 0, 0.1, 0, GA_PROJECT_PLAIN) == kept);
  }
  ga_problem_free(p);
}

/* stab2 needs the shift of a_0 alone: no layer in lam with it */
static void test_stab2_start(void **state) {
  (void)state;
  static history ref;
  ga_problem *p = problem_named("heavy-top");
  make_reference(p, &ref, 2.5e-4, 0.1);
  ga_options o = ga_options_default();
  double last = 0;
  for (int l = 0; l < 4; l++) {
    o.h = ldexp(2e-3, -l);
    double worst = worst_lam(p, &ref, &o, 0, 0.1, 0, GA_PROJECT_PLAIN);
    if (l > 0) assert_between("slope of lam, stab2", slope(last, worst), 1.9, 2.1);
    last = worst;
  }
  ga_problem_free(p);
}

/* ACB15 Figure 2: a velocity projection costs index3 one order in lam, unless it keeps h^2 B r */
static void test_projection_orders(void **state) {
  (void)state;
  static const struct {
    const char *method;
    ga_projection kind;
    double low, high; /* slopes */
  } cases[] = {
      {"index3", GA_PROJECT_PLAIN, 0.9, 1.1},
      {"index3", GA_PROJECT_KEEP_ORDER, 1.9, 2.1},
      {"stab2", GA_PROJECT_PLAIN, 1.9, 2.1},
      {"stab2", GA_PROJECT_KEEP_ORDER, 1.9, 2.1},
  };
  static history ref;
  ga_problem *p = problem_named("heavy-top");
  make_reference(p, &ref, 1.25e-4, 0.3);
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    ga_options o = ga_options_default();
    o.method = cases[c].method;
    double last = 0;
    for (int l = 0; l < 4; l++) {
      o.h = ldexp(1e-3, -l);
      double worst = worst_lam(p, &ref, &o, 0.2 + o.h / 2, 0.3, 0.2, cases[c].kind);
      if (l > 0) {
        assert_between(cases[c].method, slope(last, worst), cases[c].low, cases[c].high);
      }
      last = worst;
    }
  }
  ga_problem_free(p);
}

/* After the projection the hidden constraint holds to rounding and nothing else has changed. */
static void test_projection_effect(void **state) {
  (void)state;
  ga_problem *p = problem_named("heavy-top");
  ga_options o = ga_options_default();
  o.method = "index3";
  ga_integrator *it = started(p, &o);
  must(ga_integrator_run(it, 0.05), ga_integrator_error(it));
  const ga_state *s = ga_integrator_state(it);
  double q[7], a[6], lam[3], moved = 0;
  memcpy(q, s->q, sizeof q);
  memcpy(a, s->a, sizeof a);
  memcpy(lam, s->lam, sizeof lam);
  must(ga_integrator_project_velocity(it, GA_PROJECT_PLAIN, &moved), ga_integrator_error(it));
  assert_true(moved > 1e-4 && moved < 1e-1);
  assert_memory_equal(q, s->q, sizeof q);
  assert_memory_equal(a, s->a, sizeof a);
  assert_memory_equal(lam, s->lam, sizeof lam);
  must(ga_integrator_project_velocity(it, GA_PROJECT_PLAIN, &moved), ga_integrator_error(it));
  assert_true(moved < 1e-13);
  /* positions satisfy their constraint already */
  must(ga_integrator_project_position(it, &moved), ga_integrator_error(it));
  assert_true(moved < 1e-14);
  ga_integrator_free(it);
  ga_problem_free(p);
}

/* docs/reference/problems.md: steps alternating 2h/3, h/3, plain start, Euclidean error of lam at t
 * = 0.2 */
static void test_alternating_steps(void **state) {
  (void)state;
  const double expected[] = {6.6, 2.3, 0.49, 0.086, 0.016};
  static history ref;
  ga_problem *p = problem_named("heavy-top");
  make_reference(p, &ref, 0.2, 0.2);
  ga_options o = ga_options_default();
  o.method = "index3";
  o.start = GA_START_PLAIN;
  for (int l = 0; l < 5; l++) {
    double h = ldexp(2e-3, -l), error = 0;
    int pairs = (int)lround(0.2 / h);
    o.h = 2 * h / 3;
    ga_integrator *it = started(p, &o);
    for (int n = 0; n < pairs; n++) {
      must(ga_integrator_set_step(it, 2 * h / 3), ga_integrator_error(it));
      must(ga_integrator_step(it), ga_integrator_error(it));
      must(ga_integrator_set_step(it, h / 3), ga_integrator_error(it));
      must(ga_integrator_step(it), ga_integrator_error(it));
    }
    const ga_state *s = ga_integrator_state(it);
    assert_near("end of the alternating steps", s->t, 0.2, 1e-12);
    for (int k = 0; k < NLAM; k++) error = hypot(error, s->lam[k] - ref.lam[1][k]);
    assert_near("alternating steps", error, expected[l], 0.05);
    ga_integrator_free(it);
  }
  ga_problem_free(p);
}

/* rho_inf = 1: index3 is unstable (lam is of size 600), stab2 keeps order 2 */
static void test_undamped(void **state) {
  (void)state;
  ga_problem *p = problem_named("heavy-top");
  truth ref = reference_at(p, 1);
  ga_options o = ga_options_default();
  o.par = ga_params_rho(1);
  o.method = "index3";
  o.h = 1e-3;
  ga_integrator *it = started(p, &o);
  must(ga_integrator_run(it, 0.6), ga_integrator_error(it));
  assert_true(fabs(ga_integrator_state(it)->lam[1]) > 1e4);
  ga_integrator_free(it);
  o.method = "stab2";
  errors coarse = run_errors(p, &o, &ref);
  o.h = 5e-4;
  errors fine = run_errors(p, &o, &ref);
  for (int k = 0; k < ERR_COUNT; k++) {
    assert_between("stab2, rho = 1", slope(coarse.e[k], fine.e[k]), 1.95, 2.05);
  }
  ga_problem_free(p);
}

/* max |g| at t = 0.05 and 0.1: linear in t for index2, quadratic for index1, both O(h^2); none with
 * projections */
static void test_drift(void **state) {
  (void)state;
  static const struct {
    const char *method;
    double drift[2];
  } cases[] = {{"index2", {7.9e-4, 1.48e-3}}, {"index1", {1.28e-3, 5.02e-3}}};
  ga_problem *p = problem_named("heavy-top");
  for (int c = 0; c < 2; c++) {
    double last[2] = {0};
    for (int l = 0; l < 3; l++) {
      ga_options o = ga_options_default();
      o.method = cases[c].method;
      o.h = ldexp(1e-3, -l);
      ga_integrator *it = started(p, &o);
      for (int k = 0; k < 2; k++) {
        double g[3];
        must(ga_integrator_run(it, 0.05 * (k + 1)), ga_integrator_error(it));
        ga_model_evaluate(&p->model, 0, ga_integrator_state(it)->q, p->v0,
                          &(ga_evaluation){.g = g});
        double drift = fmax(fabs(g[0]), fmax(fabs(g[1]), fabs(g[2])));
        if (l == 0) assert_near(cases[c].method, drift, cases[c].drift[k], 7e-3);
        if (l > 0) assert_between("order of the drift", slope(last[k], drift), 1.9, 2.1);
        last[k] = drift;
      }
      ga_integrator_free(it);
    }
  }
  ga_problem_free(p);
}

static void test_projected_orders(void **state) {
  (void)state;
  enum { LEVELS = 6 };
  const char *const methods[] = {"index2", "index1"};
  ga_problem *p = problem_named("heavy-top");
  truth ref = reference_at(p, 1);
  for (int m = 0; m < 2; m++) {
    errors e[LEVELS];
    for (int l = 0; l < LEVELS; l++) {
      ga_options o = ga_options_default();
      o.method = methods[m];
      o.h = ldexp(1e-3, -l);
      o.project_every = 1;
      ga_integrator *it = started(p, &o);
      must(ga_integrator_run(it, 1), ga_integrator_error(it));
      double g[3];
      ga_model_evaluate(&p->model, 0, ga_integrator_state(it)->q, p->v0, &(ga_evaluation){.g = g});
      for (int i = 0; i < 3; i++) assert_true(fabs(g[i]) < 1e-14);
      e[l] = errors_of(p, ga_integrator_state(it), &ref);
      ga_integrator_free(it);
    }
    /* lam of index1 is of order 2 only when h is small: 1.6, 1.7, 1.9, 1.94, .. */
    for (int l = LEVELS - 2; l < LEVELS; l++) {
      for (int k = 0; k < ERR_COUNT; k++) {
        assert_between(methods[m], slope(e[l - 1].e[k], e[l].e[k]), 1.9, 2.1);
      }
    }
  }
  ga_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_start_layer),
      cmocka_unit_test(test_stab2_start),
      cmocka_unit_test(test_projection_orders),
      cmocka_unit_test(test_projection_effect),
      cmocka_unit_test(test_alternating_steps),
      cmocka_unit_test(test_undamped),
      cmocka_unit_test(test_drift),
      cmocka_unit_test(test_projected_orders),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

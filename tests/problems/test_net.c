/* SPDX-License-Identifier: MIT */
/* The problems net and lattice: counts, independence of the constraints, values at the end. */
#include "problems/problems.h"
#include "support.h"

enum { LEVELS = 3, KNOWN = 4 };

static ga_problem *sized(const char *name, int size) {
  ga_problem_options options = ga_problem_options_default();
  ga_problem *p = NULL;
  ga_error err = {0};
  options.size = size;
  must(ga_problem_new(name, &options, &p, &err), &err);
  return p;
}

/* N^2 layers masses, 2 N (N-1) layers bars, three rows that hold the corner */
static void test_counts(void **state) {
  (void)state;
  const struct {
    const char *name;
    int size, nq, nlam, nnz_K;
  } cases[] = {{"net", 2, 12, 7, 3 * 4 + 6 * 4},
               {"net", 5, 75, 43, 3 * 25 + 6 * 40},
               {"net", 1000, 3000000, 1998003, 3 * 1000000 + 6 * 1998000},
               {"lattice", 2, 24, 11, 9 * 8 + 6 * 8 + 18 * 4},
               {"lattice", 4, 192, 99, 9 * 64 + 6 * 96 + 18 * 48}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ga_problem *p = sized(cases[i].name, cases[i].size);
    ga_error err = {0};
    must(ga_model_validate(&p->model, &err), &err);
    assert_int_equal(ga_space_nq(p->model.space), cases[i].nq);
    assert_int_equal(p->model.nlam, cases[i].nlam);
    assert_int_equal(ga_csr_nnz(p->model.pat_M), cases[i].nq);
    assert_int_equal(ga_csr_nnz(p->model.pat_K), cases[i].nnz_K);
    assert_int_equal(ga_csr_nnz(p->model.pat_G), 6 * (cases[i].nlam - 3) + 3);
    assert_true(!p->model.q_names == (cases[i].size == 1000));
    ga_problem_free(p);
  }
  ga_problem_options options = ga_problem_options_default();
  ga_problem *p = NULL;
  ga_error err = {0};
  options.size = 1001;
  assert_refused(ga_problem_new("net", &options, &p, &err), &err, GA_ERR_ARG, "2 to 1000", NULL);
  options.size = 101;
  assert_refused(ga_problem_new("lattice", &options, &p, &err), &err, GA_ERR_ARG, "2 to 100", NULL);
  options.size = 1;
  assert_refused(ga_problem_new("lattice", &options, &p, &err), &err, GA_ERR_ARG, "size 1", NULL);
}

/* G G^T by Cholesky: its least pivot, which is the square of the distance of a row of G from those
 * before it */
static double least_pivot(const ga_model *model, const double *q) {
  enum { MOST = 128 };
  static double S[MOST][MOST];
  ga_arena arena = {0};
  ga_csr G;
  int m = model->nlam;
  double least = INFINITY;
  assert_true(m <= MOST);
  must(ga_csr_init(&G, m, ga_space_nv(model->space), model->pat_G, &arena), NULL);
  assert_int_equal(ga_model_evaluate(model, 0, q, NULL, &(ga_evaluation){.G = &G}), 0);
  for (int i = 0; i < m; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int e = G.ptr[i]; e < G.ptr[i + 1]; e++) {
        int f = ga_csr_find(&G, j, G.col[e]);
        if (f >= 0) sum += G.val[e] * G.val[f];
      }
      for (int k = 0; k < j; k++) sum -= S[i][k] * S[j][k];
      if (i == j) least = fmin(least, sum);
      S[i][j] = i == j ? sqrt(sum) : sum / S[j][j];
    }
  }
  ga_arena_free(&arena);
  return least;
}

/* the constraints are independent at the start and all along the way */
static void test_independent(void **state) {
  (void)state;
  const struct {
    const char *name;
    int size;
  } cases[] = {{"net", 2}, {"net", 3}, {"net", 6}, {"lattice", 2}, {"lattice", 4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ga_problem *p = sized(cases[i].name, cases[i].size);
    ga_options o = ga_options_default();
    o.h = 2e-3;
    ga_integrator *it = started(p, &o);
    assert_true(least_pivot(&p->model, p->q0) > 0.1);
    for (int k = 1; k <= 50; k++) {
      must(ga_integrator_run(it, 0.02 * k), ga_integrator_error(it));
      double least = least_pivot(&p->model, ga_integrator_state(it)->q);
      if (!(least > 1e-5)) fail_msg("%s: least pivot %g at t = %g", p->name, least, 0.02 * k);
    }
    ga_integrator_free(it);
    ga_problem_free(p);
  }
}

/* x, z and their velocities of the last mass at t = 1, all digits right
 * (docs/reference/problems.md) */
typedef struct {
  const char *name;
  int size;
  double h, known[KNOWN];
} net_case;

static const net_case net_cases[] = {
    {"net", 3, 2e-3, {-0.64233216, -3.15334005, -8.43959359, 7.48599312}},
    {"net", 4, 1e-3, {1.56013343, -4.85244741, -10.60452681, -8.23079030}},
    {"lattice", 2, 1e-3, {-0.67151223, -1.81169058, -2.58297477, 2.73223921}},
    {"lattice", 3, 1e-3, {0.13549450, -4.92713795, -7.60308723, 13.55389972}},
};
enum { NCASES = (int)(sizeof net_cases / sizeof *net_cases) };

static void run_net(const ga_problem *p, const ga_options *o, double known[KNOWN]) {
  ga_integrator *it = started(p, o);
  must(ga_integrator_run(it, p->t_end), ga_integrator_error(it));
  const ga_state *s = ga_integrator_state(it);
  int last = ga_space_nq(p->model.space) - 3;
  known[0] = s->q[last], known[1] = s->q[last + 2];
  known[2] = s->v[last], known[3] = s->v[last + 2];
  /* start, forces and bars are symmetric in x and y */
  assert_near("y of the last mass", s->q[last + 1], s->q[last], 1e-9);
  ga_integrator_free(it);
}

/* The errors halve twice with h, and what is extrapolated from the last two steps is right. z of
 * the net of 4 changes by less than 1e-7; its slope is not looked at. */
static void test_values(void **state) {
  (void)state;
  const char *const methods[] = {"stab2", "index3"};
  for (int k = 0; k < 2 * NCASES; k++) {
    const net_case *c = &net_cases[k / 2];
    ga_problem *p = sized(c->name, c->size);
    double y[LEVELS][KNOWN];
    ga_options o = ga_options_default();
    o.method = methods[k % 2];
    o.par = ga_params_rho(p->rho_inf);
    for (int l = 0; l < LEVELS; l++) {
      o.h = ldexp(c->h, -l);
      run_net(p, &o, y[l]);
    }
    for (int i = 0; i < KNOWN; i++) {
      char what[96];
      snprintf(what, sizeof what, "%s %d, %s, value %d", c->name, c->size, o.method, i);
      double before = fabs(y[LEVELS - 2][i] - c->known[i]);
      double s = slope(before, fabs(y[LEVELS - 1][i] - c->known[i]));
      if (before > 1e-6) assert_between(what, s, 1.9, 2.1);
      double limit = y[LEVELS - 1][i] + (y[LEVELS - 1][i] - y[LEVELS - 2][i]) / 3;
      assert_between(what, limit, c->known[i] - 1e-6, c->known[i] + 1e-6);
    }
    ga_problem_free(p);
  }
}

/* The layers of a lattice fall side by side before they begin to bend: all that their bars do is
 * 1e-20 and less of the fall. Newton's iteration must not work on it. */
static void test_falling_layers(void **state) {
  (void)state;
  const char *const methods[] = {"stab2", "index3"};
  for (int k = 0; k < 2; k++) {
    ga_problem *p = sized("lattice", 8);
    ga_options o = ga_options_default();
    o.method = methods[k];
    o.h = 1e-3;
    ga_integrator *it = started(p, &o);
    must(ga_integrator_run(it, 0.06), ga_integrator_error(it));
    const ga_stats *stats = ga_integrator_stats(it);
    assert_true(stats->steps == 60);
    assert_between("iterations", (double)stats->newton_its, 60, 80);
    ga_integrator_free(it);
    ga_problem_free(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_counts),
      cmocka_unit_test(test_independent),
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_falling_layers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

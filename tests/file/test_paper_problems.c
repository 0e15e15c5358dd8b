/* SPDX-License-Identifier: MIT */
/* Model files of the papers' problems against the problems themselves: the heavy top, which has the
 * same coordinates, number by number; slider-crank, Andrews' squeezer and the chain, which have
 * others, in the limit, with order 2. */
#include "mechanisms.h"
#include "problems/problems.h"

static ga_options options_of(const char *method, double rho, double h) {
  ga_options o = ga_options_default();
  o.method = method;
  o.par = ga_params_rho(rho);
  o.h = h;
  return o;
}

/* the same q and v, lam with the other sign, at equal h, for two methods */
static void heavy_top(void **state) {
  (void)state;
  static const char *const methods[] = {"stab2", "index3"};
  for (int i = 0; i < 2; i++) {
    const ga_options o = options_of(methods[i], 0.9, 1e-3);
    ga_problem *p = problem_named("heavy-top");
    ga_file *file = model_loaded_in("absolute", "heavy-top", NULL, 0);
    ga_integrator *a = started(p, &o), *b = mechanism_started(ga_file_mechanism(file), &o);
    must(ga_integrator_run(a, 1), ga_integrator_error(a));
    must(ga_integrator_run(b, 1), ga_integrator_error(b));
    const ga_state *x = ga_integrator_state(a), *y = ga_integrator_state(b);
    assert_true(ga_space_distance(p->model.space, x->q, y->q) < 1e-9);
    for (int k = 0; k < 6; k++) {
      assert_true(fabs(x->v[k] - y->v[k]) < 1e-9 * (1 + fabs(x->v[k])));
      assert_true(fabs(x->vd[k] - y->vd[k]) < 1e-8 * (1 + fabs(x->vd[k])));
    }
    for (int k = 0; k < 3; k++) {
      assert_true(fabs(x->lam[k] + y->lam[k]) < 1e-8 * fabs(x->lam[k]));
    }
    ga_integrator_free(a);
    ga_integrator_free(b);
    ga_file_free(file);
    ga_problem_free(p);
  }
}

/* columns and the values of the problem's reference */
typedef struct {
  const char *column;
  double value;
} expected_value;

static void limit(const char *model, const ga_file_set *set, int nset, double rho, double h,
                  double t, const expected_value *list, int n) {
  ga_file *file = model_loaded(model, set, nset);
  const ga_mechanism *m = ga_file_mechanism(file);
  double *values = calloc((size_t)ga_mechanism_columns(m), sizeof *values), error[2][16];
  for (int k = 0; k < 2; k++) {
    const ga_options o = options_of("stab2", rho, h / (1 << k));
    ga_integrator *it = mechanism_started(m, &o);
    must(ga_integrator_run(it, t), ga_integrator_error(it));
    assert_int_equal(ga_mechanism_outputs(m, ga_integrator_state(it), values), GA_OK);
    for (int i = 0; i < n; i++) {
      const int c = ga_mechanism_column_index(m, list[i].column);
      assert_true(c >= 0);
      error[k][i] = fabs(values[c] - list[i].value);
    }
    ga_integrator_free(it);
  }
  for (int i = 0; i < n; i++) {
    print_message("%-14s %-12s %.3e %.3e order %.2f\n", model, list[i].column, error[0][i],
                  error[1][i], slope(error[0][i], error[1][i]));
    assert_between(list[i].column, slope(error[0][i], error[1][i]), 1.85, 2.15);
  }
  free(values);
  ga_file_free(file);
}

static void slider_crank(void **state) {
  (void)state;
  const expected_value list[] = {{"crank.angle", 7.4146249855387590},
                                 {"crank.rate", -6.5752346865749722},
                                 {"load.x", 0.60044313728400457},
                                 {"load.vx", -2.9819389858273890}};
  limit("slider-crank", NULL, 0, 0.7, 5e-4, 1, list, 4);
}

static void andrews(void **state) {
  (void)state;
  /* absolute angles: beta, beta + Theta, gamma, delta, Phi + delta, epsilon, Omega + epsilon */
  const double beta = 15.810771195153711, theta = -15.756371058411844;
  const expected_value list[] = {{"K1.angle", beta},
                                 {"K2.angle", beta + theta},
                                 {"K3.angle", 0.040822240119645756},
                                 {"K5.angle", 0.52440996587995404},
                                 {"K4.angle", 0.52440996587995404 - 0.53473011634207976},
                                 {"K7.angle", 1.0480807410419379},
                                 {"K6.angle", 1.0480807410419379 + 0.53473011634207985},
                                 {"K1.rate", 1139.9203022591061}};
  limit("andrews", NULL, 0, 0.9, 1e-5, 0.03, list, 8);
}

/* the problem `chain` with 10 rods; its coordinates are those of the file, its numbers, too,
 * with the metric of the file */
static void chain(void **state) {
  (void)state;
  const ga_file_set set[] = {{"N", "10"}};
  const ga_options o = options_of("stab2", 0.9, 1e-3);
  ga_problem *p = problem_named("chain");
  ga_file *file = model_loaded("chain", set, 1);
  p->model.metric = ga_mechanism_model(ga_file_mechanism(file))->metric;
  ga_integrator *a = started(p, &o), *b = mechanism_started(ga_file_mechanism(file), &o);
  must(ga_integrator_run(a, 1), ga_integrator_error(a));
  must(ga_integrator_run(b, 1), ga_integrator_error(b));
  const ga_state *x = ga_integrator_state(a), *y = ga_integrator_state(b);
  assert_true(vector_error(30, x->q, y->q) < 1e-9);
  assert_true(vector_error(30, x->v, y->v) < 1e-9);
  ga_integrator_free(a);
  ga_integrator_free(b);
  ga_file_free(file);
  ga_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(heavy_top), cmocka_unit_test(slider_crank),
                                     cmocka_unit_test(andrews), cmocka_unit_test(chain)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* A mechanism that a program steps: columns by name, resets and states bit by bit, messages. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "genalpha/genalpha.h"
#include "support.h"

static ga_file *open_model(const char *name) {
  char path[300];
  ga_file *file = NULL;
  ga_error err = {0};
  snprintf(path, sizeof path, "%s/%s", GA_MODELS, name);
  must(ga_file_load(path, NULL, &file, &err), &err);
  return file;
}

static ga_simulation *simulate(const ga_file *file, double h) {
  ga_options o = ga_options_default();
  ga_simulation *sim = NULL;
  ga_error err = {0};
  o.h = h;
  o.redundant = GA_REDUNDANT_ALLOW;
  must(ga_simulation_new(ga_file_mechanism(file), &o, &sim, &err), &err);
  return sim;
}

static void step(ga_simulation *sim, long n) {
  must(ga_simulation_step(sim, n), ga_simulation_error(sim));
}

/* one column at a time gives what all together give, bit by bit */
static void test_columns(void **state) {
  (void)state;
  static const char *const models[] = {"slider-crank.yaml", "governor.yaml", "bicycle.yaml",
                                       "stewart.yaml"};
  for (int k = 0; k < 4; k++) {
    ga_file *file = open_model(models[k]);
    const ga_mechanism *m = ga_file_mechanism(file);
    ga_simulation *sim = simulate(file, 1e-3);
    step(sim, 7);
    const int n = ga_mechanism_columns(m);
    double *all = calloc((size_t)n, sizeof *all), value;
    const ga_state *now = ga_integrator_state(ga_simulation_integrator(sim));
    assert_int_equal(ga_mechanism_outputs(m, now, all), GA_OK);
    for (int i = 0; i < n; i++) {
      must(ga_simulation_get(sim, ga_mechanism_column_name(m, i), &value),
           ga_simulation_error(sim));
      assert_memory_equal(&value, &all[i], sizeof value);
    }
    assert_true(isnan(ga_mechanism_output(m, now, -1)) && isnan(ga_mechanism_output(m, now, n)));
    assert_int_equal(ga_simulation_column(sim, n, &value), GA_ERR_ARG);
    free(all);
    ga_simulation_free(sim);
    ga_file_free(file);
  }
}

/* all numbers of the state, one after the other */
static void numbers(ga_simulation *sim, const ga_file *file, double *x) {
  const ga_model *model = ga_mechanism_model(ga_file_mechanism(file));
  const ga_state *s = ga_integrator_state(ga_simulation_integrator(sim));
  const size_t nq = (size_t)ga_space_nq(model->space), nv = (size_t)ga_space_nv(model->space);
  x[0] = s->t;
  memcpy(x + 1, s->q, nq * sizeof *x);
  memcpy(x + 1 + nq, s->v, nv * sizeof *x);
  memcpy(x + 1 + nq + nv, s->vd, nv * sizeof *x);
  memcpy(x + 1 + nq + 2 * nv, s->lam, (size_t)model->nlam * sizeof *x);
}

static void test_again(void **state) {
  (void)state;
  ga_file *file = open_model("slider-crank.yaml");
  ga_simulation *sim = simulate(file, 1e-3);
  ga_integrator *it = ga_simulation_integrator(sim);
  double first[200] = {0}, again[200] = {0};
  step(sim, 100);
  must(ga_simulation_run_to(sim, 0.15037), ga_simulation_error(sim));
  numbers(sim, file, first);
  must(ga_simulation_reset(sim), ga_simulation_error(sim));
  step(sim, 100);
  size_t size = 0;
  ga_integrator_save_memory(it, NULL, &size);
  void *bytes = malloc(size);
  must(ga_simulation_run_to(sim, 0.15037), ga_simulation_error(sim));
  numbers(sim, file, again);
  assert_memory_equal(first, again, sizeof first);
  must(ga_integrator_save_memory(it, bytes, &size), ga_integrator_error(it));
  step(sim, 50);
  numbers(sim, file, first);
  must(ga_integrator_load_memory(it, bytes, size), ga_integrator_error(it));
  step(sim, 50);
  numbers(sim, file, again);
  assert_memory_equal(first, again, sizeof first);
  free(bytes);
  ga_simulation_free(sim);
  ga_file_free(file);
}

static void test_messages(void **state) {
  (void)state;
  ga_file *file = open_model("slider-crank.yaml");
  ga_simulation *sim = simulate(file, 1e-3);
  const char *text = ga_simulation_error(sim)->text;
  double value;
  assert_int_equal(ga_simulation_get(sim, "slider.xx", &value), GA_ERR_ARG);
  assert_non_null(strstr(text, "there is no column 'slider.xx'; did you mean 'slider.x'?"));
  assert_int_equal(ga_simulation_set(sim, "torque", 1), GA_ERR_ARG);
  assert_non_null(strstr(text, "only inputs can be set; this mechanism has none"));
  assert_int_equal(ga_simulation_run_to(sim, -1), GA_ERR_ARG);
  assert_non_null(strstr(text, "t_end"));
  ga_mechanism *m;
  ga_error err = {0};
  assert_int_equal(ga_mechanism_new(&m), GA_OK);
  assert_int_equal(ga_simulation_new(m, NULL, &(ga_simulation *){NULL}, &err), GA_ERR_ARG);
  ga_mechanism_free(m);
  ga_simulation_free(sim);
  ga_simulation_free(NULL);
  ga_file_free(file);
}

/* Inputs by name, set in a loop: a mass m under a force u that jumps, x'' = u/m, in closed form. */
static void test_inputs(void **state) {
  (void)state;
  static const char text[] =
      "genalpha: 1\ninputs: {push: 1, wind: 0}\n"
      "states: {held: {value: \"push\", every: 0.5}}\n"
      "bodies: {mass: {kind: point, mass: 2}}\n"
      "forces: {motor: {type: force, body: mass, value: [push, wind, 0]}}\n";
  ga_file *file = NULL;
  ga_error err = {0};
  must(ga_file_parse("text", text, sizeof text - 1, NULL, &file, &err), &err);
  ga_simulation *sim = simulate(file, 1e-2);
  double x = 0, v = 0, value;
  for (int i = 0; i < 20; i++) {
    const double u = (i * 7) % 5 - 2;
    must(ga_simulation_set(sim, "push", u), ga_simulation_error(sim));
    must(ga_simulation_get(sim, "mass.ax", &value), ga_simulation_error(sim));
    assert_true(fabs(value - u / 2) < 1e-14);
    step(sim, 3);
    x += 0.03 * v + 0.03 * 0.03 * u / 4, v += 0.03 * u / 2;
    must(ga_simulation_get(sim, "mass.x", &value), ga_simulation_error(sim));
    assert_true(fabs(value - x) < 1e-14);
    must(ga_simulation_get(sim, "mass.vx", &value), ga_simulation_error(sim));
    assert_true(fabs(value - v) < 1e-14);
  }
  const char *said = ga_simulation_error(sim)->text;
  assert_int_equal(ga_simulation_set(sim, "pusch", 1), GA_ERR_ARG);
  assert_non_null(strstr(said, "there is no input 'pusch'; did you mean 'push'?"));
  assert_int_equal(ga_simulation_set(sim, "held", 1), GA_ERR_ARG);
  assert_non_null(strstr(said,
                         "'held' is fixed when the mechanism is built, or set by it; only "
                         "inputs can be set: push, wind"));
  assert_int_equal(ga_simulation_set(sim, "push", NAN), GA_ERR_ARG);
  must(ga_simulation_reset(sim), ga_simulation_error(sim));
  must(ga_simulation_get(sim, "push", &value), ga_simulation_error(sim));
  assert_true(value == 1);
  ga_simulation_free(sim);
  ga_file_free(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_columns), cmocka_unit_test(test_again),
                                     cmocka_unit_test(test_messages),
                                     cmocka_unit_test(test_inputs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

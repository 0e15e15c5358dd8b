/* SPDX-License-Identifier: MIT */
/* Functions of the program in a model file: with derivatives and without, the same motion as an
 * expression; messages. */
#include "mechanisms.h"

static const char text[] =
    "genalpha: 1\n"
    "bodies: {ball: {kind: point, mass: 0.5, velocity: [3, 0, 1]}}\n"
    "sensors: {speed: {type: expression, value: \"hypot(ball.vx, ball.vz)\"}}\n"
    "forces:\n"
    "  drag: {type: force, body: ball, value: [%s, 0, \"-0.2*speed*ball.vz\"]}\n";

/* -0.2 speed v + sin(t) of the variables t, speed, v */
static double drag(void *context, int n, const double *x) {
  assert_ptr_equal(context, text);
  assert_int_equal(n, 3);
  return -0.2 * x[1] * x[2] + sin(x[0]);
}

static int drag_with_derivatives(void *context, const double *x, int along, double f[3]) {
  f[0] = drag(context, 3, x);
  f[1] = along == 0 ? cos(x[0]) : along == 1 ? -0.2 * x[2] : along == 2 ? -0.2 * x[1] : 0;
  f[2] = along == 0 ? -sin(x[0]) : 0;
  return 0;
}

static ga_status parse(const char *value, ga_file **file, ga_error *err) {
  const ga_file_function functions[] = {
      {.name = "drag", .value = drag, .context = (void *)text},
      {.name = "exact", .fn = drag_with_derivatives, .context = (void *)text}};
  const ga_file_options options = {.functions = functions, .nfunctions = 2};
  char all[1000];
  snprintf(all, sizeof all, text, value);
  return ga_file_parse("test", all, strlen(all), &options, file, err);
}

/* x and vx after one second, and the check of derivatives */
static void run(const char *value, double out[2]) {
  ga_file *file;
  ga_error err = {0};
  must(parse(value, &file, &err), &err);
  const ga_mechanism *m = ga_file_mechanism(file);
  const double v[3] = {1.5, 0.4, -0.7};
  must(ga_model_check_derivatives(ga_mechanism_model(m), 0.3, ga_mechanism_q0(m), v, NULL, &err),
       &err);
  ga_options o = ga_options_default();
  o.h = 1e-2;
  ga_integrator *it = mechanism_started(m, &o);
  must(ga_integrator_run(it, 1), ga_integrator_error(it));
  out[0] = ga_integrator_state(it)->q[0];
  out[1] = ga_integrator_state(it)->v[0];
  ga_integrator_free(it);
  ga_file_free(file);
}

static void same_motion(void **state) {
  (void)state;
  double x[3][2];
  run("\"-0.2*speed*ball.vx + sin(t)\"", x[0]);
  run("{function: exact, uses: [speed, ball.vx]}", x[1]);
  run("{function: drag, uses: [speed, ball.vx]}", x[2]);
  for (int i = 1; i < 3; i++) {
    for (int k = 0; k < 2; k++) assert_true(fabs(x[i][k] - x[0][k]) <= 1e-11);
  }
}

static void messages(void **state) {
  (void)state;
  ga_file *file;
  ga_error err = {0};
  assert_int_equal(parse("{function: drga}", &file, &err), GA_ERR_FILE);
  assert_non_null(strstr(err.text, "nor the program has a function 'drga'; did you mean 'drag'?"));
  assert_int_equal(parse("{function: drag, uses: [sped]}", &file, &err), GA_ERR_FILE);
  assert_non_null(strstr(err.text, "unknown name 'sped'; did you mean 'speed'?"));
  assert_int_equal(parse("{function: drag, us: [speed]}", &file, &err), GA_ERR_FILE);
  assert_non_null(strstr(err.text, "unknown key 'us'"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_motion), cmocka_unit_test(messages)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

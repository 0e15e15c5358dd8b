/* SPDX-License-Identifier: MIT */
/* Inputs of a model: set between steps, or by tables; order 2 after jumps; in saved states. */
#include <math.h>
#include <string.h>

#include "genalpha/genalpha.h"
#include "support.h"

/* A pendulum in Cartesian coordinates: v' = (u0 - u1 vx, -9.81 - u1 vy) - q lam, (q.q - 1)/2 = 0. */
static int evaluate(void *user, double t, const double *q, const double *v,
                    const ga_evaluation *out) {
  (void)user, (void)t;
  const double *u = out->u;
  if (out->M) out->M->val[0] = out->M->val[3] = 1;
  if (out->F) out->F[0] = u[0] - u[1] * v[0], out->F[1] = -9.81 - u[1] * v[1];
  if (out->g) out->g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
  if (out->G) out->G->val[0] = q[0], out->G->val[1] = q[1];
  if (out->Kt) {
    out->Kt->val[0] = out->Kt->val[3] = out->lam[0];
    out->Ct->val[0] = out->Ct->val[3] = u[1];
  }
  if (out->Z) out->Z->val[0] = v[0], out->Z->val[1] = v[1];
  if (out->drift) out->drift[0] = v[0] * v[0] + v[1] * v[1];
  return 0;
}

static const ga_model_ops ops = {
    .evaluate = evaluate, .gives = GA_GIVES_G | GA_GIVES_TANGENTS | GA_GIVES_Z | GA_GIVES_DRIFT};
static const char *const names[] = {"push", "drag"};
static const double first_values[] = {1, 0.5};
static const double q0[] = {1, 0}, v0[] = {0, 0.3};

static ga_model make_model(const ga_space *space) {
  return (ga_model){.ops = &ops,
                    .space = space,
                    .nlam = 1,
                    .scleronomic = true,
                    .ninput = 2,
                    .input_names = names,
                    .input = first_values};
}

static ga_integrator *make(const ga_model *model, const char *method, double h) {
  ga_options o = ga_options_default();
  ga_integrator *it = NULL;
  ga_error err = {0};
  o.method = method;
  o.h = h;
  must(ga_integrator_new(model, &o, &it, &err), &err);
  return it;
}

static void start(ga_integrator *it) {
  must(ga_integrator_start(it, 0, q0, v0), ga_integrator_error(it));
}

static void run(ga_integrator *it, double t) {
  must(ga_integrator_run(it, t), ga_integrator_error(it));
}

enum { NUMBERS = 7 }; /* q, v, v', lam */
static void numbers(const ga_integrator *it, double *x) {
  const ga_state *s = ga_integrator_state(it);
  memcpy(x, s->q, 2 * sizeof *x);
  memcpy(x + 2, s->v, 2 * sizeof *x);
  memcpy(x + 4, s->vd, 2 * sizeof *x);
  x[6] = s->lam[0];
}

static void assert_same_bits(const ga_integrator *a, const ga_integrator *b) {
  double x[NUMBERS], y[NUMBERS];
  numbers(a, x), numbers(b, y);
  assert_memory_equal(x, y, sizeof x);
  assert_memory_equal(ga_integrator_state(a)->u, ga_integrator_state(b)->u, 2 * sizeof *x);
}

/* ---- orders --------------------------------------------------------------------------------- */

static const double jump_t[] = {0, 0.25, 0.5, 0.8125}, push[] = {1, -6, 3, 0}, drag[] = {0.5, 2};
static const double drag_t[] = {0, 0.40625};

/* what the program does at t = 0, 1/16, 2/16 .. */
typedef void (*way)(ga_integrator *it, double t);

/* jumps set by the program, where steps end */
static void by_calls(ga_integrator *it, double t) {
  if (t == 0) start(it);
  for (int i = 1; i < 4; i++) {
    if (t != jump_t[i]) continue;
    must(ga_integrator_set_input(it, 0, push[i]), ga_integrator_error(it));
    must(ga_integrator_set_input(it, 1, i % 2 ? 2 : 0.5), ga_integrator_error(it));
  }
}

static void by_tables(ga_integrator *it, ga_input_kind kind, double t) {
  if (t > 0) return;
  must(ga_integrator_set_input_table(it, 0, kind, 4, jump_t, push), ga_integrator_error(it));
  must(ga_integrator_set_input_table(it, 1, kind, 2, drag_t, drag), ga_integrator_error(it));
  start(it);
}

static void by_hold(ga_integrator *it, double t) {
  by_tables(it, GA_INPUT_HOLD, t);
}

static void by_lines(ga_integrator *it, double t) {
  by_tables(it, GA_INPUT_LINEAR, t);
}

static void by_curves(ga_integrator *it, double t) {
  by_tables(it, GA_INPUT_SMOOTH, t);
}

/* Largest errors of q, v, v', lam at t = 1/16, 2/16, .. with h and h/2 against a run with h/32; each
 * falls by nearly four. */
static void check_orders(const char *method, way go, double h) {
  enum { TIMES = 16 };
  ga_space *space;
  ga_space_rn(2, &space);
  const ga_model model = make_model(space);
  double x[3][TIMES][NUMBERS];
  const double sizes[] = {h, h / 2, h / 32};
  for (int k = 0; k < 3; k++) {
    ga_integrator *it = make(&model, method, sizes[k]);
    for (int i = 0; i < TIMES; i++) {
      go(it, (double)i / TIMES);
      run(it, (i + 1.0) / TIMES);
      numbers(it, x[k][i]);
    }
    ga_integrator_free(it);
  }
  static const int begin[] = {0, 2, 4, 6, 7};
  for (int part = 0; part < 4; part++) {
    double coarse = 0, fine = 0;
    for (int i = 0; i < TIMES * NUMBERS; i++) {
      if (i % NUMBERS < begin[part] || i % NUMBERS >= begin[part + 1]) continue;
      coarse = fmax(coarse, fabs(x[0][i / NUMBERS][i % NUMBERS] - x[2][i / NUMBERS][i % NUMBERS]));
      fine = fmax(fine, fabs(x[1][i / NUMBERS][i % NUMBERS] - x[2][i / NUMBERS][i % NUMBERS]));
    }
    if (coarse / fine < 3.4) print_error("%s, part %d: %g -> %g\n", method, part, coarse, fine);
    assert_true(coarse / fine > 3.4);
  }
  ga_space_free(space);
}

static void test_orders(void **state) {
  (void)state;
  static const way ways[] = {by_calls, by_hold, by_lines, by_curves};
  static const char *const methods[] = {"stab2", "index3", "index2"};
  for (int m = 0; m < 3; m++) {
    for (int w = 0; w < 4; w++) {
      check_orders(methods[m], ways[w], 1.0 / 256);            /* jumps at ends of steps */
      if (w > 0) check_orders(methods[m], ways[w], 1.0 / 300); /* and inside of steps */
    }
  }
}

/* The accepted state at a jump is the one before it; steps end there, and times are met. */
static void test_jump(void **state) {
  (void)state;
  ga_space *space;
  ga_space_rn(2, &space);
  const ga_model model = make_model(space);
  ga_integrator *it = make(&model, "stab2", 0.01);
  by_hold(it, 0);
  run(it, 0.25);
  assert_true(ga_integrator_state(it)->u[0] == 1 && ga_integrator_state(it)->u[1] == 0.5);
  must(ga_integrator_step(it), ga_integrator_error(it));
  assert_true(ga_integrator_state(it)->u[0] == -6);
  for (int n = 0; n < 100; n++) { /* plain steps end at jumps, too */
    const double before = ga_integrator_state(it)->t;
    must(ga_integrator_step(it), ga_integrator_error(it));
    const double t = ga_integrator_state(it)->t;
    for (int i = 0; i < 4; i++) assert_false(before < jump_t[i] && jump_t[i] < t);
    assert_false(before < drag_t[1] && drag_t[1] < t);
  }
  double u[2];
  ga_integrator_inputs(it, ga_integrator_state(it)->t, u);
  assert_true(u[0] == 0 && u[1] == 2);
  ga_integrator_free(it);
  ga_space_free(space);
}

/* Tables beyond their ends; values between the points of straight lines. */
static void test_values(void **state) {
  (void)state;
  ga_space *space;
  ga_space_rn(2, &space);
  const ga_model model = make_model(space);
  ga_integrator *it = make(&model, "stab2", 0.01);
  const double t[] = {0.1, 0.3}, y[] = {2, 4};
  double u[2];
  must(ga_integrator_set_input_table(it, 0, GA_INPUT_LINEAR, 2, t, y), ga_integrator_error(it));
  const double at[] = {0, 0.1, 0.15, 0.3, 5}, expected[] = {2, 2, 2.5, 4, 4};
  for (int i = 0; i < 5; i++) {
    ga_integrator_inputs(it, at[i], u);
    assert_near("table", u[0], expected[i], 1e-15);
  }
  must(ga_integrator_set_input(it, 0, 7), ga_integrator_error(it)); /* ends the table */
  ga_integrator_inputs(it, 0.15, u);
  assert_true(u[0] == 7 && u[1] == 0.5);
  assert_int_equal(ga_model_input(&model, "drag"), 1);
  assert_int_equal(ga_model_input(&model, "lift"), -1);
  ga_integrator_free(it);
  ga_space_free(space);
}

/* ---- costs, states, errors ------------------------------------------------------------------ */

static void test_same_value_is_free(void **state) {
  (void)state;
  ga_space *space;
  ga_space_rn(2, &space);
  const ga_model model = make_model(space);
  ga_integrator *a = make(&model, "stab2", 0.01), *b = make(&model, "stab2", 0.01);
  start(a), start(b);
  for (int i = 0; i < 50; i++) {
    must(ga_integrator_set_input(b, 0, 1), ga_integrator_error(b));
    must(ga_integrator_step(a), ga_integrator_error(a));
    must(ga_integrator_step(b), ga_integrator_error(b));
  }
  assert_same_bits(a, b);
  assert_memory_equal(ga_integrator_stats(a), ga_integrator_stats(b), sizeof(ga_stats));
  ga_integrator_free(a);
  ga_integrator_free(b);
  ga_space_free(space);
}

/* A run goes on bit by bit from a state saved at a jump, or with an input just set. */
static void test_saved(void **state) {
  (void)state;
  ga_space *space;
  ga_space_rn(2, &space);
  const ga_model model = make_model(space);
  unsigned char bytes[4096];
  for (int k = 0; k < 3; k++) {
    ga_integrator *a = make(&model, "stab2", 0.01), *b = make(&model, "stab2", 0.01);
    by_hold(a, 0), by_hold(b, 0);
    run(a, k == 0 ? 0.25 : 0.6);
    if (k == 2) must(ga_integrator_set_input(a, 1, 4), ga_integrator_error(a));
    if (k == 2) must(ga_integrator_set_input(b, 1, 3), ga_integrator_error(b));
    size_t size = sizeof bytes;
    must(ga_integrator_save_memory(a, bytes, &size), ga_integrator_error(a));
    must(ga_integrator_load_memory(b, bytes, size), ga_integrator_error(b));
    assert_same_bits(a, b);
    run(a, 1), run(b, 1);
    assert_same_bits(a, b);
    ga_model fewer = model;
    fewer.ninput = 1;
    ga_integrator *c = make(&fewer, "stab2", 0.01);
    assert_int_equal(ga_integrator_load_memory(c, bytes, size), GA_ERR_FILE);
    assert_non_null(strstr(ga_integrator_error(c)->text, "has 2 inputs, this model has 1"));
    ga_integrator_free(a);
    ga_integrator_free(b);
    ga_integrator_free(c);
  }
  ga_space_free(space);
}

/* The recorder keeps the inputs, also at times between steps. */
static void test_recorded(void **state) {
  (void)state;
  ga_space *space;
  ga_space_rn(2, &space);
  const ga_model model = make_model(space);
  ga_integrator *it = make(&model, "stab2", 0.01);
  ga_recorder *record;
  const double t[] = {0, 1}, y[] = {0, 8}, times[] = {0.125, 0.333, 0.7};
  assert_int_equal(ga_recorder_new(&model, &record), GA_OK);
  must(ga_integrator_set_input_table(it, 0, GA_INPUT_LINEAR, 2, t, y), ga_integrator_error(it));
  assert_int_equal(ga_recorder_times(record, it, times, 3), GA_OK);
  ga_integrator_observe(it, ga_recorder_observe, record);
  start(it);
  run(it, 1);
  for (int i = 0; i < 3; i++) {
    assert_near("u", ga_recorder_state(record, i).u[0], 8 * times[i], 1e-14);
    assert_true(ga_recorder_state(record, i).u[1] == 0.5);
  }
  ga_recorder_free(record);
  ga_integrator_free(it);
  ga_space_free(space);
}

static void test_refused(void **state) {
  (void)state;
  ga_space *space;
  ga_space_rn(2, &space);
  const ga_model model = make_model(space);
  ga_integrator *it = make(&model, "stab2", 0.01);
  const double t[] = {0, 1, 1}, y[] = {0, 1, NAN};
  const char *text = ga_integrator_error(it)->text;
  start(it);
  assert_int_equal(ga_integrator_set_input(it, 2, 0), GA_ERR_ARG);
  assert_non_null(strstr(text, "there is no input 2: the model has 2"));
  assert_int_equal(ga_integrator_set_input(it, -1, 0), GA_ERR_ARG);
  assert_int_equal(ga_integrator_set_input(it, 0, NAN), GA_ERR_ARG);
  assert_non_null(strstr(text, "'push'"));
  assert_int_equal(ga_integrator_set_input_table(it, 0, GA_INPUT_HOLD, 1, t, y), GA_ERR_ARG);
  assert_int_equal(ga_integrator_set_input_table(it, 0, GA_INPUT_HOLD, 3, t, y), GA_ERR_ARG);
  assert_int_equal(ga_integrator_set_input_table(it, 0, GA_INPUT_HOLD, 3, t, t), GA_ERR_ARG);
  assert_non_null(strstr(text, "must rise"));
  assert_true(ga_integrator_state(it)->u[0] == 1);
  ga_integrator_free(it);
  ga_space_free(space);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_orders),  cmocka_unit_test(test_jump),
      cmocka_unit_test(test_values),  cmocka_unit_test(test_same_value_is_free),
      cmocka_unit_test(test_saved),   cmocka_unit_test(test_recorded),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

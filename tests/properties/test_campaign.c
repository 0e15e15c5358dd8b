/* SPDX-License-Identifier: MIT */
/* No wrong step is accepted: hard models (tests/properties/campaign) in small number, judged by a
 * checker that uses nothing of src/, and the checker itself. `make campaign` is the large version;
 * its options repeat a single run. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "campaign/run.h"

static const uint64_t seed = 20260; /* that of the campaign */
enum { SHOWN = 5 };                 /* wrong runs that are named */

static hard_model model;

/* Run the model; 1 if it accepted a wrong step. The message has the words that
 * repeat the run. */
static int wrong_run_of(uint64_t of_seed, const char *what, int index, int wrong_before,
                        hard_outcome *out) {
  hard_outcome o = hard_run(&model);
  if (out) *out = o;
  if (o.wrong == 0 && !o.wrong_start) return 0;
  if (wrong_before < SHOWN) {
    char text[256];
    hard_describe(&model, text, sizeof text);
    const hard_verdict *v = o.wrong > 0 ? &o.worst : &o.start;
    print_error(
        "campaign --%s --seed %llu --only %d: %s: %ld wrong steps, first at t = %.10g: %s, "
        "row %d, |r| = %.2g, %.2g of its terms\n",
        what, (unsigned long long)of_seed, index, text, o.wrong, o.t_wrong,
        hard_fault_name(v->fault), v->row, v->error, v->imbalance);
  }
  return 1;
}

static int wrong_run(const char *what, int index, int wrong_before, hard_outcome *out) {
  return wrong_run_of(seed, what, index, wrong_before, out);
}

static void a_mass_between_stops(void **state) {
  (void)state;
  int wrong = 0, index = 0;
  for (; hard_grid(&model, index); index++) {
    if (index % 7 == 0) wrong += wrong_run("grid", index, wrong, NULL);
  }
  assert_int_equal(index, 1836);
  assert_int_equal(wrong, 0);
}

/* The mass must not appear on the other side of the circle, 1e3 J richer. */
static void a_stiff_spring_pendulum(void **state) {
  (void)state;
  int wrong = 0;
  for (int i = 0; hard_pendulum(&model, i); i += 3) wrong += wrong_run("pendulum", i, wrong, NULL);
  assert_int_equal(wrong, 0);
}

/* Fixed steps through stick and slip: most runs come to their end, the others say why not. */
static void regularised_friction(void **state) {
  (void)state;
  int wrong = 0, passed = 0;
  for (int i = 0; i < 50; i++) {
    hard_outcome o;
    hard_friction(&model, seed, i);
    wrong += wrong_run("friction 1000", i, wrong, &o);
    passed += hard_passed(&o);
    if (o.status != GA_OK) {
      assert_int_equal(o.status, GA_RETRY_NEWTON);
      assert_non_null(strstr(o.text, "Newton"));
    }
  }
  assert_int_equal(wrong, 0);
  if (passed < 42) fail_msg("only %d of 50 runs passed", passed);
}

static void random_models(void **state) {
  (void)state;
  int wrong = 0;
  for (int i = 0; i < 300; i++) {
    hard_random(&model, seed, i);
    wrong += wrong_run("random 10000", i, wrong, NULL);
  }
  assert_int_equal(wrong, 0);
}

/* Runs in which wrong steps were accepted once: a body without mass was excused by forces of other
 * subsystems; without G all subsystems were taken for one; without G terms were counted by the noise
 * of the quotients; a position constraint stayed violated where wrong tangents stalled the iteration;
 * forces of a ten millionth of the strongest in their subsystem were excused by it. */
static void random_models_of_old(void **state) {
  (void)state;
  static const struct {
    uint64_t seed;
    int index;
  } old[] = {{20260, 4910}, {20260, 5699}, {20260, 6454}, {20260, 5000}, {2, 6197},
             {2, 2509},     {2, 2986},     {2, 4744},     {1, 3249},     {3, 3673},
             {3, 5855},     {4, 2173},     {5, 285},      {18, 1863},    {18, 8160},
             {23, 324},     {25, 5556},    {30, 8583},    {32, 7261}};
  int wrong = 0;
  for (size_t n = 0; n < sizeof old / sizeof *old; n++) {
    hard_random(&model, old[n].seed, old[n].index);
    wrong += wrong_run_of(old[n].seed, "random 10000", old[n].index, wrong, NULL);
  }
  assert_int_equal(wrong, 0);
}

/* Models that are not hard: the checker has nothing to say, even of many steps. */

static void easy(const char *name, int n_flat, int n_rot) {
  model = (hard_model){.n_flat = n_flat, .n_rot = n_rot, .method = "stab2", .rho = 0.8};
  snprintf(model.name, sizeof model.name, "%s", name);
  model.h = 1e-3;
  model.steps = 300;
  model.give_jacobian = true;
}

static void easy_springs(void) {
  easy("springs", 6, 0);
  for (int i = 0; i < 6; i++) {
    model.mass[i] = 1 + i;
    model.q0[i] = 0.1 * i;
    hard_element *p = hard_add(&model, SHAPE_LINE, LAW_spring, i, i - 1);
    p->p[0] = 1e4;
    p->p[1] = 0.1;
    p->p[2] = 1;
    hard_add(&model, SHAPE_LINE, LAW_drag, i, -1)->p[0] = 0.1;
  }
  hard_add(&model, SHAPE_LINE, LAW_cubic, 5, -1)->p[1] = 100;
  hard_element *p = hard_add(&model, SHAPE_LINE, LAW_sine, 0, -1);
  p->p[0] = 30;
  p->p[1] = 12;
}

static void easy_rods(void) {
  easy("rods", 3, 0);
  for (int i = 0; i < 3; i++) {
    model.mass[i] = 3 - i;
    model.q0[i] = 0.5 + 0.3 * i;
    hard_element *p = hard_add(&model, SHAPE_LINE, LAW_ripple, i, -1);
    p->p[0] = 9.81 * (3 - i);
    p->p[1] = 1;
    for (int j = 0; j < i; j++) {
      hard_add(&model, SHAPE_COSINE_MASS, LAW_spring, j, i)->p[0] = 0.9 * (3 - i);
    }
  }
  hard_add(&model, SHAPE_GYRO, LAW_spring, 0, 2)->p[0] = 2;
}

static void easy_pendula(void) {
  easy("pendula", 4, 0);
  for (int b = 0; b < 2; b++) {
    model.q0[2 * b] = 0.6 * (b + 1);
    model.q0[2 * b + 1] = 0.8 * (b + 1);
    model.mass[2 * b] = model.mass[2 * b + 1] = 1 + b;
    hard_row *row = hard_constrain(&model, ROW_DISTANCE, 2 * b, 2 * b - 2);
    row->p[0] = 1;
    row->p[1] = 1;
    hard_add(&model, SHAPE_LINE, LAW_constant, 2 * b + 1, -1)->p[0] = -9.81 * (1 + b);
  }
  hard_element *p = hard_add(&model, SHAPE_PLANE, LAW_spring, 2, -1);
  p->anchor[0] = 3;
  p->p[0] = 50;
  p->p[1] = 2;
  p->p[2] = 0.5;
}

static void easy_top(void) {
  easy("top", 3, 1);
  static const double turned[4] = {0.5, 0.5, 0.5, 0.5};
  memcpy(model.q0 + 3, turned, sizeof turned);
  model.q0[0] = 1; /* R (0, 1, 0) of this quaternion is (0, 0, 1), R (0, 0, 1) is (1, 0, 0) */
  for (int a = 0; a < 3; a++) {
    model.mass[a] = 15;
    model.mass[3 + a] = 0.2 + 0.1 * a;
    model.v0[3 + a] = a == 2 ? 20 : 0;
    hard_row *row = hard_constrain(&model, ROW_BALL, 0, 0);
    row->k = a;
    row->p[2] = 1;
  }
  hard_add(&model, SHAPE_LINE, LAW_constant, 2, -1)->p[0] = -9.81 * 15;
  hard_element *p = hard_add(&model, SHAPE_TORSION, LAW_spring, 0, -1);
  p->p[0] = 40;
  p->p[1] = 0.3;
}

static void easy_skate(void) {
  easy("skate", 3, 0);
  model.mass[0] = model.mass[1] = 2;
  model.mass[2] = 0.5;
  model.v0[0] = 1;
  model.v0[2] = 3;
  hard_constrain(&model, ROW_SKATE, 0, 1)->k = 2;
  hard_element *p = hard_add(&model, SHAPE_LINE, LAW_spring, 0, -1);
  p->p[0] = 20;
  p = hard_add(&model, SHAPE_LINE, LAW_friction, 1, -1);
  p->p[0] = 1;
  p->p[1] = 0.5;
}

static void (*const easy_models[])(void) = {easy_springs, easy_rods, easy_pendula, easy_top,
                                            easy_skate};
enum { EASY_COUNT = sizeof easy_models / sizeof easy_models[0] };

static void easy_models_are_right(void **state) {
  (void)state;
  static const char *const method[3] = {"stab2", "index3", "soi2"};
  for (int n = 0; n < EASY_COUNT * 3; n++) {
    easy_models[n / 3]();
    model.method = method[n % 3];
    hard_outcome o;
    assert_int_equal(wrong_run("easy", n, 0, &o), 0);
    if (!hard_passed(&o) || o.steps != model.steps) fail_msg("%s: %s", model.name, o.text);
    assert_int_equal(o.strict, 0);
  }
}

/* The callbacks in double against the library's quotients, the same text in long double against
 * its own. Hard models are differentiated near their start, with multipliers and accelerations of
 * any size. */
static void derivatives_are_right(void **state) {
  (void)state;
  for (int n = 0; n < EASY_COUNT; n++) {
    easy_models[n]();
    ga_model_ops ops = hard_ops(&model);
    hard_user user;
    ga_space *space = NULL;
    ga_model seen;
    ga_error err = {0};
    assert_int_equal(hard_open(&model, &ops, &user, &space, &seen), GA_OK);
    if (ga_model_check_derivatives(&seen, 0.1, model.q0, model.v0, NULL, &err) != GA_OK) {
      fail_msg("%s: %s", model.name, err.text);
    }
    ga_space_free(space);
  }
  for (int n = 0; n < 1000; n++) {
    uint64_t r = (uint64_t)n;
    hard_random(&model, seed, n);
    hard_state s = {.t = model.t0};
    for (int i = 0; i < hard_nq(&model); i++) s.q[i] = model.q0[i];
    for (int i = 0; i < model.n_flat; i++) s.q[i] *= 1 + hard_uniform(&r, 0, 1e-3);
    for (int i = 0; i < hard_nv(&model); i++) s.v[i] = model.v0[i];
    for (int i = 0; i < hard_nv(&model); i++) s.vd[i] = hard_uniform(&r, -9, 9);
    for (int i = 0; i < HARD_ROWS; i++) s.lam[i] = s.psi[i] = hard_uniform(&r, -9, 9);
    double error = hard_derivative_error(&model, &s);
    if (!(error <= 1e-3)) fail_msg("random %d, %s: %g", n, model.name, error);
  }
}

/* one number of a right step changed by 1e-6 of its size: the checker sees it, and where */
static void the_checker_sees_errors(void **state) {
  (void)state;
  for (int n = 0; n < EASY_COUNT; n++) {
    easy_models[n]();
    model.steps = 100;
    hard_outcome o = hard_run(&model);
    assert_int_equal(hard_check(&model, &o.last, &o.before).fault, FAULT_NONE);
    assert_int_equal(hard_check_recursion(&model, &o.last, &o.before).fault, FAULT_NONE);
    for (int i = 0; i < hard_nv(&model); i++) {
      hard_state s = o.last;
      s.vd[i] += 1e-6L * (1 + fabsl(s.vd[i]));
      hard_verdict v = hard_check(&model, &s, &o.before);
      assert_int_equal(v.fault, FAULT_FORCE);
      assert_true(v.gross_ratio > 1 && v.strict_ratio > 1);
      assert_int_equal(hard_check_recursion(&model, &s, &o.before).fault, FAULT_RECURSION);
      s = o.last;
      s.v[i] += 1e-6L;
      assert_int_equal(hard_check_recursion(&model, &s, &o.before).fault, FAULT_RECURSION);
      s = o.last;
      s.a[i] = NAN;
      assert_int_equal(hard_check(&model, &s, &o.before).fault, FAULT_NOT_FINITE);
    }
    for (int i = 0; i < model.n_lam + model.n_psi; i++) {
      hard_state s = o.last;
      (i < model.n_lam ? s.lam : s.psi - model.n_lam)[i] *= 1 + 1e-6L;
      assert_int_equal(hard_check(&model, &s, &o.before).fault, FAULT_FORCE);
    }
    for (int i = 0; i < model.n_flat && model.n_lam > 0; i++) {
      hard_state s = o.last;
      s.q[i] += 1e-6L;
      hard_fault fault = hard_check(&model, &s, &o.before).fault;
      assert_true(fault == FAULT_FORCE || fault == FAULT_POSITION);
    }
  }
}

/* Stiff stops, some of whose steps are above the first bound: each is of one kind, and the solution
 * in long double, rounded once, is below it. Of a step that does not follow from the state before
 * nothing is said. */
static void steps_above_the_first_bound(void **state) {
  (void)state;
  bool solution;
  for (int i = 1812; i < 1836; i++) {
    assert_true(hard_grid(&model, i));
    hard_outcome o = hard_run(&model);
    long all = 0;
    for (int c = 0; c < REACH_COUNT; c++) all += o.reach[c];
    assert_int_equal(all, o.strict);
    assert_int_equal(o.solvable, o.reach[REACH_NONE] + o.reach[REACH_SOME]);
  }
  easy_springs();
  hard_outcome o = hard_run(&model);
  o.last.vd[2] += 1e-3L * (1 + fabsl(o.last.vd[2]));
  assert_int_equal(hard_reach_of(&model, &o.last, &o.before, &solution), REACH_UNKNOWN);
  assert_false(solution);
}

/* rho = 1 and h = 1: q_1 = q_0 + v_0 + v'/4 from a_0 = v'_0 = 0. The root is v' = 1, or between 1
 * and the next double, where h^2 beta k = 1e9 makes the force too steep for either of them. */
static void a_root_between_two_doubles(void **state) {
  (void)state;
  easy("spring", 1, 0);
  model.mass[0] = 1;
  model.rho = 1;
  hard_add(&model, SHAPE_LINE, LAW_spring, 0, -1)->p[0] = 4e9;
  for (int between = 0; between < 2; between++) {
    hard_state before = {.h = 1}, s = {.t = 1, .h = 1, .vd = {1}};
    before.q[0] = -0.25L;
    before.v[0] = -1 / 4e9L - (between ? 0.1L * 0x1p-52L : 0);
    s.v[0] = before.v[0] + 0.5L;
    s.q[0] = before.q[0] + before.v[0] + 0.25L + 0x1p-54L; /* a rounding of its summands */
    bool solution;
    hard_reach reach = hard_reach_of(&model, &s, &before, &solution);
    assert_int_equal(reach, between ? REACH_NONE : REACH_SOME);
    assert_true(solution);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_right),
      cmocka_unit_test(easy_models_are_right),
      cmocka_unit_test(the_checker_sees_errors),
      cmocka_unit_test(steps_above_the_first_bound),
      cmocka_unit_test(a_root_between_two_doubles),
      cmocka_unit_test(a_mass_between_stops),
      cmocka_unit_test(a_stiff_spring_pendulum),
      cmocka_unit_test(regularised_friction),
      cmocka_unit_test(random_models),
      cmocka_unit_test(random_models_of_old),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

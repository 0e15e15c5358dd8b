/* SPDX-License-Identifier: MIT */
/* No wrong step is accepted: hard models and linear structures (tests/properties/campaign) in small
 * number, judged by a checker that uses nothing of src/, and the checker itself. `make campaign` is
 * the large version; its options repeat a single run. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "campaign/run.h"
#include "campaign/structure.h"

static const uint64_t seed = 20260; /* that of the campaign */
enum { SHOWN = 5 };                 /* wrong runs that are named */

static hard_model model;

/* Run the model; 1 if it accepted a wrong step. The message has the words that
 * repeat the run. */
static int wrong_run_of(uint64_t of_seed, const char *what, int index, int wrong_before,
                        hard_outcome *out) {
  hard_outcome o = hard_run(&model);
  if (out) *out = o;
  if (o.wrong == 0) return 0;
  if (wrong_before < SHOWN) {
    char text[256];
    hard_describe(&model, text, sizeof text);
    const hard_verdict *v = &o.worst;
    print_error(
        "campaign --%s --seed %llu --only %d: %s: %ld wrong steps, first at t = %.10g: %s, "
        "row %d, error %.2g, %.2g of the scale, %.2g of the bound\n",
        what, (unsigned long long)of_seed, index, text, o.wrong, o.t_wrong,
        hard_fault_name(v->fault), v->row, v->error, v->relative, v->ratio);
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
  for (int i = 0; hard_pendulum(&model, i); i += 3) {
    hard_outcome o = hard_run(&model);
    assert_int_equal(o.status, GA_OK);
    assert_int_equal(o.worst.fault, FAULT_NONE);
  }
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

/* Runs in which earlier rules of acceptance took wrong steps: a body without mass was excused by
 * forces of other subsystems; without G all subsystems were taken for one; without G terms were
 * counted by the noise of the quotients; a position constraint stayed violated where wrong tangents
 * stalled the iteration; an increment of factors made far away was believed. */
static void random_models_of_old(void **state) {
  (void)state;
  static const struct {
    uint64_t seed;
    int index;
  } old[] = {{20260, 4910}, {20260, 5699}, {20260, 6454}, {20260, 5000}, {2, 6197},
             {2, 2986},     {2, 4744},     {1, 3249},     {3, 3673},     {4, 2173},
             {5, 285},      {18, 1863},    {18, 8160},    {23, 324},     {25, 5556},
             {30, 8583},    {32, 7261},    {3, 5855},     {20260, 5574}, {20260, 2751}};
  int wrong = 0;
  for (size_t n = 0; n < sizeof old / sizeof *old; n++) {
    hard_random(&model, old[n].seed, old[n].index);
    wrong += wrong_run_of(old[n].seed, "random 10000", old[n].index, wrong, NULL);
  }
  assert_int_equal(wrong, 0);
}

/* h^2 k/m: the rounding of the linear solver grows with it. */
static double stiffness_of(const hard_structure *s) {
  double most = 0;
  for (int i = 0; i < s->n; i++) {
    for (int e = s->K.ptr[i]; e < s->K.ptr[i + 1]; e++) {
      if (s->K.col[e] == i) most = fmax(most, s->K.val[e] / s->mass[i]);
    }
  }
  return s->h * s->h * most;
}

/* Structures of 81 to 375 displacements, each with one of the solvers: they come to their end, no
 * step is wrong, and each takes one iteration unless h^2 k/m is above 1e4. */
static void linear_structures(void **state) {
  (void)state;
  long steps = 0;
  for (int i = 0; i < 40; i++) {
    hard_structure s;
    assert_true(hard_structure_make(&s, seed, i));
    hard_structure_outcome o = {0};
    if (s.n <= 375) o = hard_structure_run(&s, NULL);
    bool one = hard_structure_one_iteration(&s, &o) || stiffness_of(&s) > 1e4;
    if (o.status != GA_OK || !one) {
      fail_msg("campaign --linear 500 --only %d: %s: %ld solves, %ld steps %s", i, s.name, o.solves,
               o.tries, o.text);
    }
    if (o.wrong > 0) {
      fail_msg("campaign --linear 500 --only %d: %s: %ld wrong steps, %s %.2g of the scale", i,
               s.name, o.wrong, o.what, o.relative);
    }
    steps += o.steps;
    hard_structure_free(&s);
  }
  assert_true(steps > 100);
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
  for (int n = 0; n < EASY_COUNT * 6; n++) {
    easy_models[n / 6]();
    model.method = method[n % 3];
    model.patterns = n / 3 % 2;
    hard_outcome o;
    assert_int_equal(wrong_run("easy", n, 0, &o), 0);
    if (!hard_passed(&o) || o.steps != model.steps) fail_msg("%s: %s", model.name, o.text);
    assert_int_equal(o.rounded + o.no_root, 0);
  }
}

/* The callbacks in double against the library's quotients, the same text in long double against
 * its own. Hard models are differentiated near their start, with multipliers and accelerations of
 * any size. */
static void derivatives_are_right(void **state) {
  (void)state;
  for (int n = 0; n < 2 * EASY_COUNT; n++) {
    easy_models[n / 2]();
    model.patterns = n % 2;
    static hard_patterns patterns;
    hard_patterns_of(&model, &patterns);
    ga_model_ops ops = hard_ops(&model);
    hard_user user;
    ga_space *space = NULL;
    ga_model seen;
    ga_error err = {0};
    assert_int_equal(hard_open(&model, &ops, &patterns, &user, &space, &seen), GA_OK);
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

static hard_fault fault_of(const hard_outcome *o, const hard_state *now) {
  return hard_check(&model, now, &o->before, &o->a_0).fault;
}

static hard_fault recursion_of(const hard_outcome *o, const hard_state *now) {
  const hard_verdict right = {.row = -1};
  return hard_check_recursion(&model, now, &o->before, &o->a_0, right).fault;
}

/* One number of a right step changed by 1e-6 of its scale: the checker sees it, and of what kind it
 * is. v_1 and q_1 of the step's own formulas may be anywhere; there the state before decides. */
static void see_errors_of_state(const hard_outcome *o) {
  int nv = hard_nv(&model);
  bool soi2 = strcmp(model.method, "soi2") == 0;
  long double most = 0;
  for (int i = 0; i < nv; i++) most = fmaxl(most, fabsl(soi2 ? o->last.a[i] : o->last.vd[i]));
  assert_int_equal(fault_of(o, &o->last), FAULT_NONE);
  assert_int_equal(recursion_of(o, &o->last), FAULT_NONE);
  for (int i = 0; i < nv; i++) {
    hard_state s = o->last;
    (soi2 ? s.a : s.vd)[i] += 1e-6L * most;
    assert_int_not_equal(fault_of(o, &s), FAULT_NONE);
    assert_int_equal(recursion_of(o, &s), FAULT_RECURSION);
    s = o->last;
    s.v[i] += 1e-6L;
    assert_int_equal(recursion_of(o, &s), FAULT_RECURSION);
    s = o->last;
    s.a[i] = NAN;
    assert_int_equal(fault_of(o, &s), FAULT_NOT_FINITE);
  }
  for (int i = 0; i < model.n_lam + model.n_psi; i++) {
    hard_state s = o->last;
    (i < model.n_lam ? s.lam : s.psi - model.n_lam)[i] *= 1 + 1e-6L;
    assert_int_equal(fault_of(o, &s), FAULT_FORCE);
  }
  for (int i = 0; i < model.n_flat && model.n_lam > 0; i++) {
    hard_state s = o->last;
    s.q[i] += 1e-6L;
    assert_int_not_equal(fault_of(o, &s), FAULT_NONE);
  }
}

static void the_checker_sees_errors(void **state) {
  (void)state;
  static const char *const method[3] = {"stab2", "index3", "soi2"};
  for (int n = 0; n < 3 * EASY_COUNT; n++) {
    easy_models[n / 3]();
    model.method = method[n % 3];
    model.steps = 100;
    hard_outcome o = hard_run(&model);
    see_errors_of_state(&o);
  }
}

/* Two oscillators that nothing couples, one of which moves 1e6 times less: an error of 1e-9 of the
 * larger one is seen in the smaller one where patterns make them subsystems, otherwise not. */
static void subsystems_have_scales_of_their_own(void **state) {
  (void)state;
  for (int patterns = 0; patterns < 2; patterns++) {
    easy("oscillators", 2, 0);
    model.patterns = patterns;
    for (int i = 0; i < 2; i++) {
      model.mass[i] = 1;
      model.q0[i] = i ? 1e-6 : 1;
      hard_add(&model, SHAPE_LINE, LAW_spring, i, -1)->p[0] = 100;
    }
    hard_outcome o = hard_run(&model);
    int label[HARD_NV];
    assert_int_equal(hard_subsystems(&model, label), patterns ? 2 : 1);
    assert_int_equal(fault_of(&o, &o.last), FAULT_NONE);
    o.last.vd[1] += 1e-9L * fabsl(o.last.vd[0]);
    assert_int_equal(fault_of(&o, &o.last), patterns ? FAULT_ACCELERATION : FAULT_NONE);
  }
}

/* A stiff spring at rest: a rounding of q changes v' by eps |q|/(h^2 p). A step in which q is off by
 * four roundings is right, one in which it is off by a hundred is wrong. */
static void rounding_is_measured(void **state) {
  (void)state;
  easy("far spring", 1, 0);
  model.mass[0] = 1;
  model.q0[0] = 1;
  model.h = 1e-3;
  model.steps = 2;
  hard_element *p = hard_add(&model, SHAPE_LINE, LAW_spring, 0, -1);
  p->p[0] = 1e12;
  p->p[1] = 1;
  hard_outcome o = hard_run(&model);
  for (int by = 4; by <= 100; by += 96) {
    hard_state s = o.last;
    s.q[0] += by * 0x1p-52L;
    hard_verdict v = hard_check(&model, &s, &o.before, &o.a_0);
    assert_int_equal(v.fault == FAULT_NONE, by == 4);
    assert_int_equal(v.rounded, by == 4);
  }
}

/* Rotations of more than a turn: log undoes exp, and T is the derivative of exp. */
static void rotations_are_right(void **state) {
  (void)state;
  easy("rotation", 0, 1);
  const long double from[4] = {0.5L, -0.5L, 0.5L, 0.5L};
  for (int n = 0; n < 4; n++) {
    long double size = (const long double[]){1e-4L, 0.3L, 3, 8}[n], to[4], back[3], T[9];
    const long double w[3] = {size * 0.6L, -size * 0.48L, size * 0.64L};
    hard_move(&model, from, w, to);
    hard_log(&model, from, to, w, back);
    hard_tangent(w, T);
    for (int a = 0; a < 3; a++) {
      assert_true(fabsl(back[a] - w[a]) <= 1e-15L * (1 + size));
      const long double none[3] = {0}, d = 1e-9L;
      long double moved[3], turned[4], difference[3];
      for (int b = 0; b < 3; b++) moved[b] = w[b] + (a == b ? d : 0);
      hard_move(&model, from, moved, turned);
      hard_log(&model, to, turned, none, difference);
      for (int b = 0; b < 3; b++) assert_true(fabsl(difference[b] / d - T[3 * b + a]) <= 1e-7L);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_right),
      cmocka_unit_test(easy_models_are_right),
      cmocka_unit_test(the_checker_sees_errors),
      cmocka_unit_test(subsystems_have_scales_of_their_own),
      cmocka_unit_test(rounding_is_measured),
      cmocka_unit_test(rotations_are_right),
      cmocka_unit_test(a_mass_between_stops),
      cmocka_unit_test(a_stiff_spring_pendulum),
      cmocka_unit_test(regularised_friction),
      cmocka_unit_test(random_models),
      cmocka_unit_test(random_models_of_old),
      cmocka_unit_test(linear_structures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

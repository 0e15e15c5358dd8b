/* SPDX-License-Identifier: MIT */
/* The first guess of a step: exact for polynomials, careful with everything else. */
#include "run/predictor.h"

#include "support.h"

enum { NX = 2, N = 3 };

/* steps that vary by about a factor 2; exact numbers, the same however a compiler folds them */
static double time_of(int i) {
  return i / 8.0 + i * i % 5 / 64.0;
}

/* x_0, x_1: polynomials of this degree; x_2, a multiplier: another */
static void polynomial(int degree, double t, double *x) {
  x[0] = x[1] = x[2] = 0;
  for (int k = degree; k >= 0; k--) {
    x[0] = x[0] * t + 1 + 0.3 * k;
    x[1] = x[1] * t + 2 - 0.4 * k;
    x[2] = x[2] * t + 3 + 0.1 * k;
  }
}

/* n steps along a polynomial, the last kept in x, then the largest error of a guess for the next */
static double error_after(ga_predictor *p, int degree, int n, double *x) {
  double next[N], guess[N], worst = 0;
  polynomial(degree, time_of(0), p->phi[0]);
  ga_predictor_forget(p);
  for (int i = 0; i < n; i++) {
    ga_predictor_guess(p, time_of(i), time_of(i + 1), guess);
    polynomial(degree, time_of(i + 1), x);
    ga_predictor_keep(p, time_of(i), time_of(i + 1), x);
  }
  polynomial(degree, time_of(n + 1), next);
  ga_predictor_guess(p, time_of(n), time_of(n + 1), guess);
  for (int e = 0; e < N; e++) worst = fmax(worst, fabs(guess[e] - next[e]));
  return worst;
}

static ga_predictor make(ga_arena *arena) {
  ga_predictor p = {.blocks = 2, .begin = {0, NX, N}, .force = {false, true}};
  ga_predictor_init(&p, false, arena);
  assert_false(arena->failed);
  return p;
}

/* exact as soon as there are enough steps, and not before */
static void test_polynomials(void **state) {
  (void)state;
  ga_arena arena = {0};
  ga_predictor p = make(&arena);
  double last[N];
  for (int degree = 0; degree < GA_PREDICTOR_STEPS; degree++) {
    for (int n = 0; n < 2 * GA_PREDICTOR_STEPS; n++) {
      double error = error_after(&p, degree, n, last);
      if (n >= degree) assert_true(error < 1e-12);
      if (n < degree && n < GA_PREDICTOR_STEPS - 1) assert_true(error > 1e-7);
    }
  }
  ga_arena_free(&arena);
}

/* from another state, or after forgetting: the last unknowns themselves */
static void test_forgets(void **state) {
  (void)state;
  ga_arena arena = {0};
  ga_predictor p = make(&arena);
  double last[N], guess[N];
  for (int k = 0; k < 2; k++) {
    assert_true(error_after(&p, 3, 8, last) < 1e-12);
    if (k == 1) ga_predictor_forget(&p);
    ga_predictor_guess(&p, k == 0 ? time_of(8) + 1e-9 : time_of(8), time_of(9), guess);
    assert_memory_equal(guess, last, sizeof last);
    assert_int_equal(p.order, 0);
  }
  ga_arena_free(&arena);
}

/* numbers that alternate are not extrapolated */
static void test_rough(void **state) {
  (void)state;
  ga_arena arena = {0};
  ga_predictor p = make(&arena);
  double guess[N];
  for (int i = 0; i < 10; i++) {
    const double x[N] = {i % 2 ? 1 : -1, 0.5, 7};
    ga_predictor_keep(&p, i, i + 1, x);
  }
  ga_predictor_guess(&p, 10, 11, guess);
  assert_int_equal(p.order, 0);
  assert_true(guess[0] == 1 && guess[1] == 0.5 && guess[2] == 7);
  ga_arena_free(&arena);
}

/* Largest error of the guesses after some steps, x = smooth + a (-rho)^n + white noise. */
static double error_among(ga_arena *arena, double rho, double a, double white) {
  ga_predictor p = make(arena);
  p.rho = rho;
  double guess[N], worst = 0, sign = a;
  unsigned random = 1;
  for (int i = 0; i < 40; i++, sign *= -0.8) {
    random = random * 1664525u + 1013904223u;
    double error = sign + white * (random / 4294967296.0 - 0.5);
    const double x[N] = {2 + sin(0.05 * i), 1 + error, cos(0.03 * i) + error};
    ga_predictor_guess(&p, i, i + 1, guess);
    for (int e = 0; e < N && i > 8; e++) worst = fmax(worst, fabs(guess[e] - x[e]));
    ga_predictor_keep(&p, i, i + 1, x);
  }
  return worst;
}

/* errors that alternate are foreseen where their damping is known, others do no harm */
static void test_alternating(void **state) {
  (void)state;
  ga_arena arena = {0};
  assert_true(error_among(&arena, 0.8, 0.1, 0) < 0.25 * error_among(&arena, 0, 0.1, 0));
  assert_true(error_among(&arena, 0.8, 0, 0.1) <= error_among(&arena, 0, 0, 0.1));
  assert_true(error_among(&arena, 0.8, 0, 0) == error_among(&arena, 0, 0, 0));
  ga_arena_free(&arena);
}

/* many unknowns, treated piece by piece: what few of them give, bit by bit */
static void test_many(void **state) {
  (void)state;
  enum { MANY = 700, MANY_X = 400 };
  static double x[MANY], guess[MANY];
  ga_arena arena = {0};
  ga_predictor few = make(&arena);
  ga_predictor many = {.blocks = 2, .begin = {0, MANY_X, MANY}, .force = {false, true}};
  ga_predictor_init(&many, false, &arena);
  assert_false(arena.failed);
  for (int i = 0; i < 10; i++) {
    double small[N], expected[N];
    polynomial(4, time_of(i + 1), small);
    for (int e = 0; e < MANY; e++) x[e] = e >= MANY_X ? small[2] : small[e % 2];
    ga_predictor_keep(&few, time_of(i), time_of(i + 1), small);
    ga_predictor_keep(&many, time_of(i), time_of(i + 1), x);
    ga_predictor_guess(&few, time_of(i + 1), time_of(i + 2), expected);
    ga_predictor_guess(&many, time_of(i + 1), time_of(i + 2), guess);
    assert_int_equal(many.order, few.order);
    for (int e = 0; e < MANY; e++) {
      assert_true(guess[e] == expected[e >= MANY_X ? 2 : e % 2]);
    }
  }
  assert_true(few.order >= 4);
  ga_arena_free(&arena);
}

/* The steps so far, taken for ones that ended later: the same guess, as much later; and not the
 * latest alone. Times are exact in binary. */
static void test_shift(void **state) {
  (void)state;
  ga_arena arena = {0};
  ga_predictor p = make(&arena);
  double last[N], guess[N], later[N];
  for (int n = 3; n < 2 * GA_PREDICTOR_STEPS; n++) {
    error_after(&p, 3, n, last);
    ga_predictor_guess(&p, time_of(n), time_of(n + 1), guess);
    ga_predictor_shift(&p, time_of(n) + 0.25);
    ga_predictor_guess(&p, time_of(n) + 0.25, time_of(n + 1) + 0.25, later);
    assert_memory_equal(guess, later, sizeof guess);
    assert_true(p.count > 3 && fabs(guess[0] - last[0]) > 1e-3);
  }
  ga_arena_free(&arena);
}

/* A metre that is smooth beside a radian that is not: with weights, their sizes count in one unit,
 * and the order does not depend on the unit of length. Without, the larger number would decide. */
static void test_units(void **state) {
  (void)state;
  ga_arena arena = {0};
  for (int k = 0; k < 3; k++) {
    const double u = k == 0 ? 1 : k == 1 ? 0x1p30 : 0x1p-30; /* metres in units of length */
    ga_predictor p = {.blocks = 2, .begin = {0, NX, N}, .force = {false, true}};
    ga_predictor_init(&p, true, &arena);
    assert_false(arena.failed);
    p.weight[1] = u;      /* the angle: l = 1 m */
    p.weight[2] = 0x1p-4; /* a force */
    double guess[N];
    for (int i = 0; i < 10; i++) {
      const double x[N] = {(2 + i) * u, i % 2 ? 0.75 : -0.75, 5 + 0.25 * i};
      ga_predictor_keep(&p, i, i + 1, x);
    }
    ga_predictor_guess(&p, 10, 11, guess);
    assert_int_equal(p.order, 1); /* 1.5 of 11 m: the first differences count, the others not */
    assert_true(guess[0] == 12 * u && guess[2] == 7.5);
  }
  ga_arena_free(&arena);
}

/* Begun with unknowns and their rate: the guess of the first step is the line; with dt -> 0 the
 * second is exact for parabolas, the third for cubics. */
static void test_begin(void **state) {
  (void)state;
  ga_arena arena = {0};
  ga_predictor p = make(&arena);
  const double dt = 1e-9, h = 0.125;
  for (int degree = 1; degree <= 3; degree++) {
    double x[N], guess[N], t = 2;
    polynomial(degree, t, p.phi[0]);
    polynomial(degree, t - dt, p.phi[1]);
    for (int e = 0; e < N; e++) p.phi[1][e] = p.phi[0][e] - p.phi[1][e];
    ga_predictor_begin(&p, t, dt, 2);
    assert_null(ga_predictor_second_difference(&p, t));
    for (int n = 0; n < degree; n++, t += h) {
      assert_true(ga_predictor_guess(&p, t, t + h, guess));
      polynomial(degree, t + h, x);
      if (n < degree - 1) ga_predictor_keep(&p, t, t + h, x);
    }
    assert_int_equal(p.order, degree);
    for (int e = 0; e < N; e++) assert_near("guess", guess[e], x[e], 1e-5);
  }
  ga_arena_free(&arena);
}

/* The second difference of a smooth motion is known, also where the first is zero; not next to a
 * jump, and not at another time. */
static void test_second_difference(void **state) {
  (void)state;
  ga_arena arena = {0};
  ga_predictor p = make(&arena);
  double last[N], x[N], h = 0.0625;
  error_after(&p, 2, 8, last);
  const double *second = ga_predictor_second_difference(&p, time_of(8));
  assert_ptr_equal(second, p.phi[2]);
  assert_null(ga_predictor_second_difference(&p, time_of(8) + 1e-9));
  for (int e = 0; e < N; e++) x[e] = last[e] + 0.3 * fabs(last[e]);
  ga_predictor_keep(&p, time_of(8), time_of(9), x); /* a jump */
  assert_null(ga_predictor_second_difference(&p, time_of(9)));
  ga_predictor_forget(&p);
  for (int n = -6; n < 2; n++) { /* x = 1 + t^2 with a step from -h/2 to h/2 */
    double t = (n - 0.5) * h;
    for (int e = 0; e < N; e++) x[e] = 1 + t * t;
    if (n == -6) {
      memcpy(p.phi[0], x, sizeof x);
    } else {
      double guess[N];
      ga_predictor_guess(&p, t - h, t, guess);
      ga_predictor_keep(&p, t - h, t, x);
    }
  }
  assert_true(p.size[1][0] < 1e-12 && p.size[2][0] > 1e-3);
  assert_non_null(ga_predictor_second_difference(&p, 0.5 * h));
  ga_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_polynomials),
      cmocka_unit_test(test_forgets),
      cmocka_unit_test(test_rough),
      cmocka_unit_test(test_alternating),
      cmocka_unit_test(test_many),
      cmocka_unit_test(test_units),
      cmocka_unit_test(test_shift),
      cmocka_unit_test(test_begin),
      cmocka_unit_test(test_second_difference),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

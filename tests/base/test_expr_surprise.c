/* SPDX-License-Identifier: MIT */
/* Surprises: a long step ends where a function of time begins to change after a rest; functions that
 * change all the time, or whose corners are known, limit no step. */
#include "base/expr.h"
#include "support.h"

/* variables s, t */
static ga_name lookup(const void *context, const char *name) {
  (void)context;
  if (strcmp(name, "s") == 0) return (ga_name){GA_NAME_VARIABLE, 0, 0};
  if (strcmp(name, "t") == 0) return (ga_name){GA_NAME_VARIABLE, 0, 1};
  return (ga_name){GA_NAME_UNKNOWN, 0, 0};
}

static ga_expr *parsed(const char *text) {
  static const ga_scope scope = {.lookup = lookup};
  ga_expr *e = NULL;
  ga_error err = {0};
  must(ga_expr_parse(text, &scope, &e, NULL, &err), &err);
  return e;
}

enum { T = 1 };

/* From t = 0, where the motion began at -1, a step of 100 ends between `from` and `to`. */
static const struct {
  const char *text;
  double from, to;
  bool jumps;
} pulses[] = {
    {"exp(-((t - 37)/0.02)^2)", 36.9, 36.95, false},
    {"exp(-((t - 37)/2e-7)^2)", 36.99, 37, false},
    {"s*exp(-((t - 37)/0.02)^2) + 9", 36.9, 36.95, false},
    {"t^2 + sin(t) + exp(-((t - 37)/0.02)^2)", 36.9, 36.95, false},
    {"tanh((t - 5)/0.01) - tanh((t - 5.1)/0.01)", 4.9, 4.95, false},
    {"(1 + tanh((t - 5)/0.01))*sin(200*t^2)", 4.9, 4.95, false},
    {"1/(1 + exp(-(t - 50)/0.01))", 49.8, 49.9, false},
    {"1/cosh((t - 50)/0.01)^2", 49.8, 49.95, false},
    {"sin(0.01*pi*t)^100000", 45, 49.9, false},
    {"min(1, exp((t - 50)/0.01))", 49.8, 49.9, false},
    {"step(exp(t - 3), 1, 0, 2, 1)", 3, 3.02, false},
    {"max(0, 1 - (t - 8)^2)", 6.99, 7.001, false},
    {"if(exp(t) < 20, 0, 1)", 2.9957, 2.9958, true},
    {"if(exp(t) < 20, 0, if(exp(t) > 20.0001, 0, 1))", 2.9957, 2.9958, true},
    {"if(t < 60, exp(-((t - 37)/0.02)^2), 0)", 36.9, 36.95, false},
    {"sign(t^3 - 8)", 1.9999, 2.0001, true},
    {"table(t^2, [-1e9, 100, 101, 102, 1e9], [0, 0, 1, 0, 0], linear)", 9.9, 10.1, false},
};

static void long_steps_end_before_pulses(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof pulses / sizeof pulses[0]; i++) {
    ga_expr *e = parsed(pulses[i].text);
    assert_true(ga_expr_may_surprise(e, T));
    const ga_expr_corner c = ga_expr_surprise(e, T, -1, 0, 100);
    const bool jumps = c.order == 0;
    if (!(c.before >= pulses[i].from && c.before <= pulses[i].to) || jumps != pulses[i].jumps) {
      fail_msg("%s: %.17g, order %d", pulses[i].text, c.before, c.order);
    }
    if (jumps) { /* between neighbours */
      double before[2] = {0, c.before}, behind[2] = {0, c.t};
      assert_true(c.t == nextafter(c.before, INFINITY));
      assert_true(ga_expr_value(e, before) != ga_expr_value(e, behind));
    }
    ga_expr_free(e);
  }
}

/* A pulse is passed in few steps that end on it, each of them not beyond what it lets expect. */
static void steps_onto_a_pulse(void **state) {
  (void)state;
  static const double widths[] = {1, 0.1, 1e-3, 1e-5};
  for (int i = 0; i < 4; i++) {
    char text[100];
    snprintf(text, sizeof text, "exp(-((t - 70)/%g)^2)", widths[i]);
    ga_expr *e = parsed(text);
    double t = 0, largest = 0;
    int n = 0;
    for (; n < 100 && t < 100; n++) {
      const ga_expr_corner c = ga_expr_surprise(e, T, 0, t, 100 - t);
      t = fmin(c.before, 100);
      const double at[2] = {0, t};
      largest = fmax(largest, ga_expr_value(e, at));
    }
    assert_true(n >= 4 && n <= 10);
    assert_true(largest > 1e-3);
    ga_expr_free(e);
  }
}

static const char *const no_surprise[] = {
    "sin(200*t)",
    "cos(200*t)",
    "t^3 - 5*t",
    "exp(t)",
    "exp(-t)",
    "sin(3*t)*exp(-0.01*t)",
    "sin(t^2)",
    "tanh(0.01*t)",
    "s^2*exp(-s^2) + t",
    "step(t, 5, 0, 6, 1)",
    "if(t < 5, 0, 1)",
    "sign(t - 5)",
    "floor(t)",
    "abs(t - 5)",
    "max(0, t - 5)",
    "table(t, [0, 10, 11, 12], [0, 0, 1, 0])",
    "if(t < 200, 0, exp(-((t - 37)/0.02)^2))",
    "7",
};

static void other_functions_limit_no_step(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof no_surprise / sizeof no_surprise[0]; i++) {
    ga_expr *e = parsed(no_surprise[i]);
    for (double t = 0; t < 50; t += 3.7) {
      for (double way = 1e-3; way < 200; way *= 3) {
        const double corner = ga_expr_next_corner(e, T, t).before; /* a step ends there */
        const ga_expr_corner c = ga_expr_surprise(e, T, fmin(t, 1), t, fmin(way, corner - t));
        if (c.t != INFINITY) {
          fail_msg("%s, %g + %g: %.17g", no_surprise[i], t, way, c.before);
        }
      }
    }
    ga_expr_free(e);
  }
}

/* Times by 2^40: the same, by 2^40. */
static void the_unit_of_time_does_not_matter(void **state) {
  (void)state;
  const double unit = ldexp(1, 40);
  ga_expr *a = parsed("exp(-((t - 37)/0.02)^2)");
  ga_expr *b = parsed("exp(-((t/1099511627776 - 37)/0.02)^2)");
  const ga_expr_corner one = ga_expr_surprise(a, T, 0, 1, 80);
  const ga_expr_corner two = ga_expr_surprise(b, T, 0, unit, 80 * unit);
  assert_true(one.before * unit == two.before);
  ga_expr_free(a);
  ga_expr_free(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(long_steps_end_before_pulses),
      cmocka_unit_test(steps_onto_a_pulse),
      cmocka_unit_test(other_functions_limit_no_step),
      cmocka_unit_test(the_unit_of_time_does_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

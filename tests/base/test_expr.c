/* SPDX-License-Identifier: MIT */
/* Expressions: values, exact first and second derivatives, and every message of the parser. */
#include "base/expr.h"
#include "support.h"

/* variables x, y; the parameter r = 0.3 */
static ga_name lookup(const void *context, const char *name) {
  (void)context;
  if (strcmp(name, "x") == 0) return (ga_name){GA_NAME_VARIABLE, 0, 0};
  if (strcmp(name, "y") == 0) return (ga_name){GA_NAME_VARIABLE, 0, 1};
  if (strcmp(name, "radius") == 0) return (ga_name){GA_NAME_NUMBER, 0.3, 0};
  return (ga_name){GA_NAME_UNKNOWN, 0, 0};
}

static const char *nearest(const void *context, const char *name) {
  (void)context;
  return strncmp(name, "rad", 3) == 0 ? "radius" : NULL;
}

static const ga_scope scope = {.lookup = lookup, .nearest = nearest};

static ga_expr *parsed(const char *text) {
  ga_expr *e = NULL;
  ga_error err = {0};
  must(ga_expr_parse(text, &scope, &e, NULL, &err), &err);
  return e;
}

static void values(void **state) {
  (void)state;
  const double pi = 3.14159265358979323846;
  const struct {
    const char *text;
    double value;
  } list[] = {{"1 + 2*3", 7},
              {"(1 + 2)*3", 9},
              {"2^3^2", 512},
              {"-2^2", -4},
              {"2^-1", 0.5},
              {"--3", 3},
              {"1 - 2 - 3", -4},
              {"24/4/3", 2},
              {"90 deg", pi / 2},
              {"-90 deg", -pi / 2},
              {"60 rpm", 2 * pi},
              {"2 mm^2", 4e-6},
              {"3*2 mm", 6e-3},
              {"pi + e", pi + 2.71828182845904523536},
              {"1e3 + 2.5E-1 + .5", 1000.75},
              {"radius*2", 0.6},
              {"sin(1) + cos(2) + tan(3)", 0},
              {"atan2(-1, -1)", -3 * pi / 4},
              {"min(3, 2) + max(3, 2)", 5},
              {"abs(-4) + sqrt(9)", 7},
              {"if(1 < 2, 10, 20)", 10},
              {"if(2 <= 1, 10, 20)", 20},
              {"if(1 == 1, 1, 0) + if(1 != 1, 1, 0)", 1},
              {"if(3 >= 3, 1, 0) + if(3 > 3, 1, 0)", 1},
              {"step(-1, 0, 2, 1, 5)", 2},
              {"step(0.5, 0, 2, 1, 5)", 3.5},
              {"step(9, 0, 2, 1, 5)", 5},
              {"table(1, [0, 1, 2], [5, 7, 5])", 7},
              {"table(3, [0, 1], [1, 3])", 7},
              {"table(-1, [0, 1], [1, 3])", -1},
              {"sign(-3) + 10*sign(0) + 100*sign(2)", 99},
              {"floor(-1.5) + 10*floor(2.9)", 18},
              {"mod(7.5, 2)", 1.5},
              {"mod(-0.5, 2)", 1.5},
              {"hypot(3, -4)", 5},
              {"clamp(7, 1, 3) + 10*clamp(0, 1, 3) + 100*clamp(2, 1, 3)", 213},
              {"impact(0.1, -1, 100, 1.5, 3, 0.01)", 0},     /* open */
              {"impact(-0.04, 0, 100, 1.5, 3, 0.01)", 0.8},  /* 100 * 0.04^1.5 */
              {"impact(-0.04, -1, 100, 1.5, 3, 0.01)", 3.8}, /* closing: full damping */
              {"impact(-0.005, -1, 100, 1, 3, 0.01)", 2},    /* at half the depth: half of it */
              {"impact(-0.04, 9, 100, 1.5, 3, 0.01)", 0},    /* it does not pull */
              {"impact(-0.04, -1, 100, 1.5, 3, 0)", 3.8},
              {"table(1.5, [0, 1, 2, 3], [0, 0, 1, 1])", 0.5}, /* akima, by symmetry */
              {"table(0.5, [0, 1, 2, 3], [0, 0, 1, 1], akima)", 0},
              {"table(2.25, [0, 1, 3], [0, 2, 6], linear)", 4.5},
              {"table(4, [0, 1, 3], [0, 2, 6], linear)", 8},
              {"table(2.9, [0, 1, 3], [5, 7, 9], hold)", 7},
              {"table(3, [0, 1, 3], [5, 7, 9], hold) + table(8, [0, 1, 3], [5, 7, 9], hold)", 18},
              {"table(-1, [0, 1, 3], [5, 7, 9], hold)", 5},
              {"table(7.5, [0, 1, 2], [4, 6, 4], linear, periodic)", 5},
              {"table(-0.5, [0, 1, 2], [4, 6, 4], linear, periodic)", 5},
              {"table(-0.5, [0, 1, 2], [4, 6, 4], hold, periodic)", 6},
              {"x + 10*y", 42}};
  for (int i = 0; i < (int)(sizeof list / sizeof list[0]); i++) {
    ga_expr *e = parsed(list[i].text);
    double expected = list[i].value;
    if (strncmp(list[i].text, "sin", 3) == 0) expected = sin(1) + cos(2) + tan(3);
    const double value = ga_expr_value(e, (const double[2]){2, 4});
    if (!(fabs(value - expected) <= 1e-15 * (1 + fabs(expected)))) {
      fail_msg("%s = %.17g, expected %.17g", list[i].text, value, expected);
    }
    assert_int_equal(ga_expr_constant(e), i + 1 < (int)(sizeof list / sizeof list[0]));
    ga_expr_free(e);
  }
}

/* f' and f'' along x against fourth-order difference quotients */
static void derivatives(void **state) {
  (void)state;
  static const char *const list[] = {"sin(x)*cos(x*y)",
                                     "tan(x/2) + asin(x/3) - acos(x/4)",
                                     "atan(x^2) + sinh(x) - cosh(2*x)*tanh(x)",
                                     "exp(-x^2)*log(1 + x) + sqrt(x)",
                                     "abs(-x)*x + min(x^2, 5) - max(-x^3, -9)",
                                     "x^y + y^x + x^3.5 + (x + 1)^-2",
                                     "atan2(x^2, y*x - 1)",
                                     "if(x < 3, x^2*y, 7)",
                                     "step(x, 0.2, y, 1.9, x^2)",
                                     "table(x*x, [0, 0.5, 1, 2.5, 4], [1, 3, -2, 0, 5])",
                                     "table(3*x, [0, 1], [1, 3])",
                                     "table(x*x, [0, 0.5, 1, 2.5, 4], [1, 3, -2, 0, 5], cubic)",
                                     "table(x*x, [0, 0.5, 1, 2.5, 4], [1, 3, -2, 0, 5], linear)",
                                     "table(5*x, [0, 0.5, 1.2, 2], [1, 3, -2, 1], akima, periodic)",
                                     "hypot(x, x*y) + mod(x^2, 0.7) + floor(x)*x",
                                     "clamp(x^2, 0, 9)*clamp(x, 2, 3)*sign(-x)",
                                     "impact(0.9 - x, x*y, 30, 1.5, 0.2, 0.7)",
                                     "impact(y - x, x, 30, 2.2, 0.2, 0.1)",
                                     "x/(1 + y*x^2)",
                                     "2*x deg - x mm"};
  const double h = 2e-3, at[2] = {1.1, 0.7};
  for (int i = 0; i < (int)(sizeof list / sizeof list[0]); i++) {
    ga_expr *e = parsed(list[i]);
    double f[5], jet[3];
    for (int k = -2; k <= 2; k++) f[k + 2] = ga_expr_value(e, (double[2]){at[0] + k * h, at[1]});
    const double d = (f[0] - 8 * f[1] + 8 * f[3] - f[4]) / (12 * h);
    const double dd = (-f[0] + 16 * f[1] - 30 * f[2] + 16 * f[3] - f[4]) / (12 * h * h);
    ga_expr_jet(e, at, 0, jet);
    if (!(fabs(jet[1] - d) <= 1e-8 * (1 + fabs(d)) && fabs(jet[2] - dd) <= 2e-7 * (1 + fabs(dd)))) {
      fail_msg("%s: derivatives %.12g, %.12g, quotients %.12g, %.12g", list[i], jet[1], jet[2], d,
               dd);
    }
    assert_true(jet[0] == f[2]);
    assert_true(ga_expr_mentions(e, 0));
    ga_expr_free(e);
  }
}

/* a cubic table is natural and twice continuously differentiable */
static void spline(void **state) {
  (void)state;
  ga_expr *e = parsed("table(x, [0, 1, 3, 4], [0, 2, -1, 1], cubic)");
  static const double knots[] = {0, 1, 3, 4};
  double low[3], high[3];
  for (int i = 0; i < 4; i++) {
    ga_expr_jet(e, (double[2]){knots[i] - 1e-9, 0}, 0, low);
    ga_expr_jet(e, (double[2]){knots[i] + 1e-9, 0}, 0, high);
    for (int k = 0; k < 3; k++) assert_true(fabs(low[k] - high[k]) < 1e-7);
    if (i == 0 || i == 3) assert_true(fabs(high[2]) < 1e-7);
  }
  ga_expr_free(e);
}

/* Tables go through their points, once continuously differentiable (akima), also periodically. A
 * step does not overshoot, whatever the distances of its points are. A parabola is met to the order
 * of the method. */
static void akima(void **state) {
  (void)state;
  ga_expr *e = parsed("table(x, [0, 1, 3, 4], [0, 2, -1, 0], akima, periodic)");
  static const double knots[] = {0, 1, 3, 4}, values_there[] = {0, 2, -1, 0};
  double low[3], high[3];
  for (int i = 0; i < 4; i++) {
    for (int turn = -1; turn <= 2; turn++) {
      ga_expr_jet(e, (double[2]){knots[i] + 4 * turn - 1e-10, 0}, 0, low);
      ga_expr_jet(e, (double[2]){knots[i] + 4 * turn + 1e-10, 0}, 0, high);
      assert_true(fabs(low[0] - values_there[i]) < 1e-8 && fabs(high[0] - low[0]) < 1e-8);
      assert_true(fabs(low[1] - high[1]) < 1e-7);
    }
  }
  ga_expr_free(e);
  static const char *const steps[] = {"table(x, [0, 1, 2, 3], [0, 0, 1, 1])",
                                      "table(x, [0, 1, 1.1, 2, 3, 7], [0, 0, 1, 1, 1, 1])",
                                      "table(x, [0, 2, 2.01, 3], [0, 0, 1, 1])",
                                      "table(x, [0, 1, 2, 3, 4, 5], [0, 0, 0, 1, 1, 1])"};
  for (int k = 0; k < 4; k++) {
    e = parsed(steps[k]);
    double last = 0;
    for (int i = -100; i <= 800; i++) {
      const double y = ga_expr_value(e, (double[2]){0.01 * i, 0});
      assert_true(y >= last - 1e-15 && y >= 0 && y <= 1 + 1e-15);
      last = y;
    }
    ga_expr_free(e);
  }
  double error[2] = {0, 0};
  for (int fine = 0; fine < 2; fine++) {
    char x[2000] = "", y[2000] = "", text[4100];
    const int n = fine ? 41 : 21;
    for (int i = 0; i < n; i++) {
      const double at = 3.0 * i / (n - 1);
      snprintf(x + strlen(x), sizeof x - strlen(x), "%s%.15g", i ? ", " : "", at);
      snprintf(y + strlen(y), sizeof y - strlen(y), "%s%.15g", i ? ", " : "",
               exp(-at) * sin(2 * at));
    }
    snprintf(text, sizeof text, "table(x, [%s], [%s])", x, y);
    e = parsed(text);
    for (double at = 0.7; at < 2.3; at += 0.00937) {
      const double wrong = ga_expr_value(e, (double[2]){at, 0}) - exp(-at) * sin(2 * at);
      error[fine] = fmax(error[fine], fabs(wrong));
    }
    ga_expr_free(e);
  }
  assert_true(error[0] < 1e-3 && error[0] / error[1] > 3.8); /* order 2 or more */
}

/* x^n at 0 has finite derivatives, and a variable that is not followed has none */
static void zero(void **state) {
  (void)state;
  static const double second[] = {0, 0, 2, 0};
  double jet[3];
  for (int n = 0; n < 4; n++) {
    char text[16];
    snprintf(text, sizeof text, "x^%d", n);
    ga_expr *e = parsed(text);
    ga_expr_jet(e, (double[2]){0, 0}, 0, jet);
    assert_true(jet[1] == (n == 1) && jet[2] == second[n]);
    ga_expr_jet(e, (double[2]){2, 0}, 1, jet);
    assert_true(jet[1] == 0 && jet[2] == 0);
    ga_expr_free(e);
  }
}

/* left > right as a function of its sign */
static void conditions(void **state) {
  (void)state;
  const ga_scope with = {.lookup = lookup, .condition = true};
  ga_error err = {0};
  ga_expr *e = NULL;
  must(ga_expr_parse("x > 6.5", &with, &e, NULL, &err), &err);
  assert_true(ga_expr_value(e, (double[2]){7, 0}) == 0.5);
  ga_expr_free(e);
  must(ga_expr_parse("x <= y", &with, &e, NULL, &err), &err);
  assert_true(ga_expr_value(e, (double[2]){1, 3}) == 2);
  ga_expr_free(e);
  assert_refused(ga_expr_parse("x > 6", &scope, &e, NULL, &err), &err, GA_ERR_ARG,
                 "'> 6' is not expected", "column 3");
}

static void messages(void **state) {
  (void)state;
  const struct {
    const char *text;
    int column;
    const char *message;
  } list[] = {
      {"", 1, "the expression is empty"},
      {"1 +", 4, "the text ends too early"},
      {"1 + * 2", 5, "a number, a name or '(' is expected before '* 2'"},
      {"(1 + 2", 7, "a ')' is missing; an expression with a comma inside a list"},
      {"1 + 2)", 6, "a '(' is missing before it"},
      {"sin 2", 1, "unknown name 'sin'"},
      {"sine(2)", 1, "unknown function 'sine'; did you mean 'sin'?"},
      {"qqqqqq(2)", 1, "unknown function 'qqqqqq'"},
      {"2*radias", 3, "unknown name 'radias'; did you mean 'radius'?"},
      {"zzz", 1, "unknown name 'zzz'"},
      {"atan2(1)", 8, "',' expected before ')'"},
      {"sin(1, 2)", 5, "too many arguments of 'sin'"},
      {"if(1, 2, 3)", 5, "a comparison (< <= > >= == !=) is expected"},
      {"2 degrees", 3, "an operator or a unit (deg, rpm, mm, ms) is expected before 'degrees'"},
      {"2 x", 3, "an operator or a unit"},
      {"2 kg", 3, "is expected before 'kg'; SI units are left out"},
      {"1e999", 1, "the number is too large"},
      {"0x10", 2, "an operator or a unit"},
      {"table(x, [0, x], [1, 2])", 13, "numbers of a table cannot change"},
      {"table(x, [0, 1], [1])", 10, "need equally many numbers, at least two"},
      {"table(x, [1, 1], [1, 2])", 10, "the first list increasing"},
      {"table(x, 1, 2)", 10, "'[' expected before '1, 2)'"},
      {"table(x, [1, 2], [1, 2], spline)", 26, "akima, linear, cubic, hold or periodic"},
      {"table(x, [1, 2], [1, 2], linear, hold)", 34, "akima, linear, cubic, hold or periodic"},
      {"table(x, [1, 2], [1, 2], periodic)", 10, "equal values at its first and last point"},
      {"table(x, [1, 2, 3], [1, 2, 1], cubic, periodic)", 10, "akima, linear or hold"},
      {"table(x, [1, 2], [1, 1], linear, periodic, 3)", 7, "too many arguments of 'table'"},
      {"clamp(x, 1)", 11, "',' expected before ')'"},
      {"1 = 2", 3, "'= 2' is not expected"}};
  for (int i = 0; i < (int)(sizeof list / sizeof list[0]); i++) {
    ga_error err = {0};
    ga_expr *e = NULL;
    int column = 0;
    const ga_status status = ga_expr_parse(list[i].text, &scope, &e, &column, &err);
    assert_refused(status, &err, GA_ERR_ARG, list[i].message, NULL);
    if (column != list[i].column) fail_msg("'%s': column %d", list[i].text, column);
    assert_null(e);
  }
}

static void deep(void **state) {
  (void)state;
  char text[1200];
  ga_error err = {0};
  ga_expr *e = NULL;
  memset(text, '(', 1000);
  strcpy(text + 1000, "1");
  assert_refused(ga_expr_parse(text, &scope, &e, NULL, &err), &err, GA_ERR_ARG, "nested too deeply",
                 NULL);
  memset(text, '-', 1000);
  assert_refused(ga_expr_parse(text, &scope, &e, NULL, &err), &err, GA_ERR_ARG, "nested too deeply",
                 NULL);
  /* 1+(1+(1+..: every level leaves a number on the stack */
  text[0] = '\0';
  for (int i = 0; i < 80; i++) strcat(text, "1+(");
  assert_refused(ga_expr_parse(text, &scope, &e, NULL, &err), &err, GA_ERR_ARG,
                 "expression is nested too deeply", NULL);
  memset(text, 'a', 300);
  text[300] = '\0';
  assert_refused(ga_expr_parse(text, &scope, &e, NULL, &err), &err, GA_ERR_ARG,
                 "a name is too long", NULL);
}

static void words(void **state) {
  (void)state;
  int n = 0;
  while (ga_expr_word(n)) n++;
  assert_int_equal(n, 25 + 4 + 2);
}

/* Small whole powers scale exactly: (2^k x)^n is 2^(k n) x^n, bit by bit, with its derivatives;
 * pow is not so exact. Both are near pow. */
static void whole_powers(void **state) {
  (void)state;
  for (int n = -5; n <= 9; n++) {
    char text[20];
    snprintf(text, sizeof text, "x^(%d)", n);
    ga_expr *e = parsed(text);
    for (int i = 1; i < 200; i++) {
      const double x = 0.37 + 0.01379 * i * (i % 2 ? 1 : -1), far = ldexp(x, 11);
      double near[3], scaled[3];
      ga_expr_jet(e, (double[2]){x, 0}, 0, near);
      ga_expr_jet(e, (double[2]){far, 0}, 0, scaled);
      assert_true(fabs(near[0] - pow(x, n)) <= 4e-15 * fabs(near[0]));
      for (int k = 0; k < 3; k++) assert_true(ldexp(near[k], 11 * (n - k)) == scaled[k]);
    }
    ga_expr_free(e);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(values),   cmocka_unit_test(derivatives),
                                     cmocka_unit_test(spline),   cmocka_unit_test(akima),
                                     cmocka_unit_test(zero),     cmocka_unit_test(conditions),
                                     cmocka_unit_test(messages), cmocka_unit_test(deep),
                                     cmocka_unit_test(words),    cmocka_unit_test(whole_powers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

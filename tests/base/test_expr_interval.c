/* SPDX-License-Identifier: MIT */
/* Bounds over intervals hold every value inside, for each operation with random arguments and intervals;
 * they are sharp where an operation is monotone or its extrema are known. */
#include "base/expr_interval.h"

#include "support.h"

static ga_name lookup(const void *context, const char *name) {
  (void)context;
  if (strlen(name) == 1 && name[0] >= 'u' && name[0] <= 'z') {
    return (ga_name){GA_NAME_VARIABLE, 0, name[0] - 'u'};
  }
  return (ga_name){GA_NAME_UNKNOWN, 0, 0};
}

enum { VARIABLES = 6, POINTS = 40 };

/* Operations of the variables u, v, w, .., one each, and whether the bounds are sharp. */
static const struct {
  const char *text;
  bool sharp;
} list[] = {
    {"sin(u)", true},
    {"cos(u)", true},
    {"tan(u)", false},
    {"asin(u)", false},
    {"acos(u)", false},
    {"atan(u)", true},
    {"sinh(u)", true},
    {"cosh(u)", true},
    {"tanh(u)", true},
    {"exp(u)", true},
    {"log(u)", false},
    {"sqrt(u)", false},
    {"abs(u)", true},
    {"sign(u)", false},
    {"floor(u)", false},
    {"atan2(u, v)", false},
    {"min(u, v)", true},
    {"max(u, v)", true},
    {"mod(u, 1.3)", false},
    {"mod(u, -0.7)", false},
    {"mod(u, v)", false},
    {"hypot(u, v)", true},
    {"clamp(u, -1, 2)", true},
    {"impact(u, v, 100, 1.5, 10, 0.1)", false},
    {"if(u < v, w, x)", false},
    {"if(u < v, 1, 0)", false},
    {"if(u <= v, 1, 0)", false},
    {"if(u > v, 1, 0)", false},
    {"if(u >= v, 1, 0)", false},
    {"if(u == v, 1, 0)", false},
    {"if(u != v, 1, 0)", false},
    {"step(u, -1, 2, 1.5, -3)", true},
    {"step(u, 1.5, 2, -1, v)", true},
    {"step(u, v, w, x, y)", false},
    {"step(u, 0.3, 0, 0.3, 1)", false},
    {"-u", true},
    {"u + v", true},
    {"u - v", true},
    {"u*v", true},
    {"u/v", false},
    {"u^2", true},
    {"u^3", true},
    {"u^(-2)", false},
    {"u^(-3)", false},
    {"u^0", true},
    {"u^1.5", false},
    {"u^(-0.5)", false},
    {"u^v", false},
    {"table(u, [-2, -1, 0, 0.5, 3], [1, -2, 0, 0.3, 0])", true},
    {"table(u, [-2, -1, 0, 0.5, 3], [1, -2, 0, 0.3, 0], linear)", true},
    {"table(u, [-2, -1, 0, 0.5, 3], [1, -2, 0, 0.3, 0], cubic)", true},
    {"table(u, [-2, -1, 0, 0.5, 3], [1, -2, 0, 0.3, 0], hold)", false},
    {"table(u, [0, 0.2, 0.7, 1], [1, -2, 0, 1], akima, periodic)", false},
    {"table(u, [0, 0.2, 0.7, 1], [1, -2, 0, 1], linear, periodic)", false},
};
enum { OPERATIONS = (int)(sizeof list / sizeof list[0]) };

/* Bounds of the expression over intervals of its variables. */
static ga_interval bounds(const ga_expr *e, const ga_interval *x) {
  ga_interval stack[GA_EXPR_STACK], *top = stack;
  for (int i = 0; i < e->length; i++) {
    const ga_instruction *c = &e->code[i];
    top -= ga_expr_arguments[c->op];
    if (c->op == GA_EXPR_number) {
      *top = (ga_interval){c->number, c->number};
    } else if (c->op == GA_EXPR_variable) {
      *top = x[c->index];
    } else {
      *top = ga_interval_operation(c->op, top, c->op == GA_EXPR_table ? &e->table[c->index] : NULL);
    }
    top++;
  }
  return stack[0];
}

/* One operation over random intervals, some of them points, with ends that repeat. */
static void try_operation(int number, uint64_t *seed) {
  ga_expr *e = NULL;
  ga_error err = {0};
  const ga_scope scope = {.lookup = lookup, .condition = true};
  must(ga_expr_parse(list[number].text, &scope, &e, NULL, &err), &err);
  for (int n = 0; n < 400; n++) {
    ga_interval x[VARIABLES];
    double lo = INFINITY, hi = -INFINITY;
    for (int k = 0; k < VARIABLES; k++) {
      const double a = floor(8 * next_uniform(seed)) / 2, width = fmax(0, 3 * next_uniform(seed));
      x[k] = (ga_interval){a, a + width};
    }
    const ga_interval r = bounds(e, x);
    assert_true(r.lo <= r.hi);
    for (int i = 0; i < POINTS * POINTS; i++) {
      double at[VARIABLES];
      for (int k = 0; k < VARIABLES; k++) {
        const double share = k == 0   ? (double)(i % POINTS) / (POINTS - 1)
                             : k == 1 ? (double)(i / POINTS) / (POINTS - 1)
                                      : fabs(next_uniform(seed));
        at[k] = x[k].lo + share * (x[k].hi - x[k].lo);
      }
      const double f = ga_expr_value(e, at);
      if (!isfinite(f)) continue; /* not defined there */
      if (!(f >= r.lo - 1e-12 * (1 + fabs(f)) && f <= r.hi + 1e-12 * (1 + fabs(f)))) {
        fail_msg("%s: %g is not in %g .. %g", list[number].text, f, r.lo, r.hi);
      }
      lo = fmin(lo, f), hi = fmax(hi, f);
    }
    if (!list[number].sharp) continue;
    if (!(r.lo > lo - 0.05 * (1 + hi - lo) && r.hi < hi + 0.05 * (1 + hi - lo))) {
      fail_msg("%s: %g .. %g are no sharp bounds of %g .. %g", list[number].text, r.lo, r.hi, lo,
               hi);
    }
  }
  ga_expr_free(e);
}

static void all_values_are_inside(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (int i = 0; i < OPERATIONS; i++) try_operation(i, &seed);
}

/* Over all numbers: functions that are bounded, and those that are not. */
static void bounds_for_ever(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double lo, hi;
  } known[] = {{"sin(u)", -1, 1},
               {"exp(-u^2)", 0, 1},
               {"tanh(u)", -1, 1},
               {"1/(1 + exp(-u))", 0, 1},
               {"1/cosh(u)^2", 0, 1},
               {"1/(1 + u^4)", 0, 1},
               {"max(0, 1 - u^2)", 0, 1},
               {"table(u, [0, 1, 2], [0, 3, 0], hold)", 0, 3},
               {"sin(u)^80", 0, 1},
               {"exp(u)", 0, INFINITY},
               {"table(u, [0, 1, 2], [0, 3, 1], linear)", -INFINITY, 3},
               {"u^3", -INFINITY, INFINITY}};
  const ga_interval ever[VARIABLES] = {{-INFINITY, INFINITY}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    ga_expr *e = NULL;
    ga_error err = {0};
    const ga_scope scope = {.lookup = lookup};
    must(ga_expr_parse(known[i].text, &scope, &e, NULL, &err), &err);
    const ga_interval r = bounds(e, ever);
    if (r.lo != known[i].lo || r.hi != known[i].hi) {
      fail_msg("%s: %g .. %g", known[i].text, r.lo, r.hi);
    }
    ga_expr_free(e);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_values_are_inside),
                                     cmocka_unit_test(bounds_for_ever)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Corners of expressions in time. Each list of corners is complete: between two of them the
 * expression is smooth; a jump happens between `before` and t, and nowhere else. */
#include "base/expr.h"
#include "support.h"

/* variables s, t */
static ga_name lookup(const void *context, const char *name) {
  (void)context;
  if (strcmp(name, "s") == 0) return (ga_name){GA_NAME_VARIABLE, 0, 0};
  if (strcmp(name, "t") == 0) return (ga_name){GA_NAME_VARIABLE, 0, 1};
  return (ga_name){GA_NAME_UNKNOWN, 0, 0};
}

static const ga_scope scope = {.lookup = lookup};

static ga_expr *parsed(const char *text) {
  ga_expr *e = NULL;
  ga_error err = {0};
  must(ga_expr_parse(text, &scope, &e, NULL, &err), &err);
  return e;
}

enum { T = 1, MOST = 8 };

typedef struct {
  const char *text;
  double from;
  int order; /* of all of them */
  int count; /* corners after `from`; MOST: at least so many */
  double t[MOST];
} known;

static const known list[] = {
    {"step(t, 5, 0, 5.025, 1)", 0, 3, 2, {5, 5.025}},
    {"step(t, 5, 0, 5.025, 1)", 5, 3, 1, {5.025}},
    {"step(2*t - 1, 0, 0, 3, 1)", -1, 3, 2, {0.5, 2}},
    {"step(t, 2, 0, 1, 1)", 0, 3, 2, {1, 2}},
    {"step(t, 0.7, 0, 0.7, 1)", 0, 0, 1, {0.7}},
    {"if(t < 0.35, 1, 2)", 0, 0, 1, {0.35}},
    {"if(t > 0.35, 1, 2)", 0, 0, 1, {0.35}},
    {"if(0.35 >= t, 1, 2)", 0, 0, 1, {0.35}},
    {"if(t > 0, 1, 2)", 0, 0, 1, {0}},
    {"if(t > 0, 1, 2)", -1, 0, 1, {0}},
    {"if(3*t - 0.3 <= 0.6, 1, 2)", 0, 0, 1, {0.3}},
    {"if(t < 1, 0, if(t > 2, 0, sin(t)))", 0, 0, 2, {1, 2}},
    {"if(t < 1, if(t < 3, 1, 2), 0)", 0, 0, 1, {1}}, /* t < 3 does not matter there */
    {"if(t == 1, 5, 0)", 0, 0, 0, {0}},
    {"s*if(t < 2, 1, 0) + s^2", 0, 0, 1, {2}},
    {"if(s < 2, step(t, 1, 0, 2, 1), t)", 0, 3, 2, {1, 2}},
    {"abs(t - 2)", 0, 1, 1, {2}},
    {"abs(2 - t)", 0, 1, 1, {2}},
    {"max(t, 3 - 2*t)", 0, 1, 1, {1}},
    {"min(1, max(0, t - 1))", 0, 1, 2, {1, 2}},
    {"clamp(2*t, 1, 3)", 0, 1, 2, {0.5, 1.5}},
    {"clamp(-2*t, -3, -1)", 0, 1, 2, {0.5, 1.5}},
    {"sign(t - 0.1)", 0, 0, 1, {0.1}},
    {"floor(4*t)", 0.1, 0, MOST, {0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2}},
    {"floor(-t)", 0.5, 0, MOST, {1, 2, 3, 4, 5, 6, 7, 8}},
    {"mod(t, 0.1)", 0.05, 0, MOST, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8}},
    {"if(mod(t, 1) < 0.2, 1, 0)", 0.1, 0, MOST, {0.2, 1, 1.2, 2, 2.2, 3, 3.2, 4}},
    {"if(mod(floor(t), 2) == 0, 1, -1)", 0.1, 0, MOST, {1, 2, 3, 4, 5, 6, 7, 8}},
    {"table(t, [0, 1, 3], [0, 1, 0], linear)", -1, 1, 3, {0, 1, 3}},
    {"table(t, [0, 1, 3], [0, 1, 0])", -1, 2, 3, {0, 1, 3}},
    {"table(t, [0, 1, 3], [0, 1, 0], cubic)", -1, 3, 3, {0, 1, 3}},
    {"table(2*t, [0, 1, 3], [0, 1, 0], hold)", -1, 0, 2, {0.5, 1.5}},
    {"table(t, [0, 1, 3], [0, 1, 0], linear, periodic)", 0.5, 1, MOST, {1, 3, 4, 6, 7, 9, 10, 12}},
    {"table(-t, [0, 1, 3], [0, 1, 0], linear, periodic)", 0.5, 1, MOST, {2, 3, 5, 6, 8, 9, 11, 12}},
    {"table(t, [0, 0.1, 0.3], [0, 1, 0], hold, periodic)",
     0.05,
     0,
     MOST,
     {0.1, 0.3, 0.4, 0.6, 0.7, 0.9, 1.0, 1.2}},
    {"if(table(t, [0, 2], [0, 1], linear) < 0.25, 1, 0)", 0.1, 0, 1, {0.5}},
    {"impact(1 - t, -1, 100, 1.5, 1, 0.5)", 0, 1, 1, {1}},
    {"sign(sin(pi*t))", 0.5, 0, MOST, {1, 2, 3, 4, 5, 6, 7, 8}},
    {"abs(3*sin(2*pi*t))", 0.1, 1, MOST, {0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4}},
    {"max(0, cos(pi*t))", 0, 1, MOST, {0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5}},
    {"if(1 - 2*sin(pi*t) > 0, 1, 0)",
     0,
     0,
     MOST,
     {1 / 6., 5 / 6., 13 / 6., 17 / 6., 25 / 6., 29 / 6., 37 / 6., 41 / 6.}},
    {"if(0.25 <= -cos(-pi*t)/2, 1, 0)",
     0,
     0,
     MOST,
     {2 / 3., 4 / 3., 8 / 3., 10 / 3., 14 / 3., 16 / 3., 20 / 3., 22 / 3.}},
    {"if(sin(t) < 2, 1, 0)", 0, 0, 0, {0}},
    {"if(mod(t, 2) < 1, 1, sign(cos(4*pi*t)))",
     0.5,
     0,
     MOST,
     {1, 1.125, 1.375, 1.625, 1.875, 2, 3, 3.125}},
    {"exp(t)*sin(t)^2 + t^3 + s", 0, 0, 0, {0}},
};

/* The corners are those of the list; kinks between hold points are of no interest. */
static void corners_are_found(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    const known *k = &list[i];
    ga_expr *e = parsed(k->text);
    double t = k->from;
    int found = 0;
    for (int n = 0; n < 40 && found < k->count + 1 && found < MOST; n++) {
      const ga_expr_corner c = ga_expr_next_corner(e, T, t);
      assert_false(c.hidden);
      if (c.t == INFINITY) break;
      assert_true(c.t > t && c.before <= c.t);
      t = c.t;
      if (c.order > k->order) continue; /* the end of the damping of an impact, equal values */
      if (found >= k->count) fail_msg("%s: a corner too many, at %.17g", k->text, c.t);
      if (!(fabs(c.t - k->t[found]) <= 1e-14 * (1 + fabs(c.t))))
        fail_msg("%s: corner %d at %.17g, not %g", k->text, found, c.t, k->t[found]);
      assert_int_equal(c.order, k->order);
      found++;
    }
    if (found != k->count) fail_msg("%s: %d corners, not %d", k->text, found, k->count);
    ga_expr_free(e);
  }
}

/* A jump happens between `before` and t of its corner, seen by ga_expr_value itself: from the time
 * behind one corner to that before the next, the value does not jump. */
static void jumps_are_exact(void **state) {
  (void)state;
  static const char *const texts[] = {"if(3*t - 0.3 <= 0.6, 1, 2)",
                                      "floor(10*t)",
                                      "mod(t, 0.1)",
                                      "floor((t - 0.05)/0.1)",
                                      "if(mod(0.7*t, 0.3) < 0.1, 5, 7)",
                                      "table(1.1*t, [0, 0.1, 0.3], [0, 1, 0], hold, periodic)",
                                      "sign(0.3 - 0.1*t)",
                                      "sign(sin(11*t))",
                                      "if(cos(3*t) < 0.3, 1, 2)",
                                      "if(t > 0.7, 1, 0)",
                                      "if(-t <= -0.7, 1, 0)"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    ga_expr *e = parsed(texts[i]);
    double v[2] = {0, -0.01}, last = ga_expr_value(e, v);
    int jumps = 0;
    for (int n = 0; n < 1000; n++) {
      const ga_expr_corner c = ga_expr_next_corner(e, T, v[T]);
      if (!(c.t < 50)) break;
      assert_true(c.t - c.before <= 4e-15 * (1 + c.t));
      if (c.order > 0) {
        v[T] = c.t;
        continue;
      }
      v[T] = c.before;
      const double old = ga_expr_value(e, v);
      assert_true(fabs(old - last) < 0.0999 || strncmp(texts[i], "mod", 3) == 0);
      v[T] = c.t;
      last = ga_expr_value(e, v);
      if (!(fabs(last - old) > 0.099)) fail_msg("%s: no jump at %.17g", texts[i], c.t);
      jumps++;
    }
    assert_true(jumps >= 1);
    ga_expr_free(e);
  }
}

/* A kink: the derivative of that order has its old value at `before` and its new one at t. */
static void kinks_are_exact(void **state) {
  (void)state;
  static const char *const texts[] = {"max(0, t - 0.5)",
                                      "abs(0.3*t - 0.1)",
                                      "min(3*t, 1)",
                                      "clamp(7*t, 1, 3)",
                                      "abs(sin(3*t))",
                                      "min(0.2, cos(2*t) + 0.1)",
                                      "table(0.7*t, [0, 0.1, 0.3], [0, 1, 0])",
                                      "table(1.1*t, [0, 0.1, 0.3], [0, 1, 0], linear, periodic)"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    ga_expr *e = parsed(texts[i]);
    double t = 0.01;
    int kinks = 0;
    for (int n = 0; n < 100; n++) {
      const ga_expr_corner c = ga_expr_next_corner(e, T, t);
      if (!(c.t < 10)) break;
      double old[3], new[3];
      ga_expr_jet(e, (double[]){0, c.before}, T, old);
      ga_expr_jet(e, (double[]){0, c.t}, T, new);
      assert_true(c.order == 1 || c.order == 2);
      if (!(fabs(new[c.order] - old[c.order]) > 0.2)) fail_msg("%s: no kink at %g", texts[i], c.t);
      assert_true(fabs(new[0] - old[0]) < 1e-13);
      t = c.t;
      kinks++;
    }
    assert_true(kinks >= 1);
    ga_expr_free(e);
  }
}

/* What cannot be inverted is said to be hidden. */
static void curves_hide_corners(void **state) {
  (void)state;
  static const char *const texts[] = {"step(exp(t), 0.5, 0, 2, 1)", "abs(t^2 - 1)",
                                      "if(t*t < 4, 1, 0)", "table(exp(t), [0, 1], [0, 1])"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    ga_expr *e = parsed(texts[i]);
    assert_true(ga_expr_next_corner(e, T, 0).hidden);
    ga_expr_free(e);
  }
  ga_expr *e = parsed("if(s < 4, 1, abs(s)) + sin(t)");
  const ga_expr_corner c = ga_expr_next_corner(e, T, 0);
  assert_true(!c.hidden && c.t == INFINITY); /* those depend on the state, not on time */
  ga_expr_free(e);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(corners_are_found), cmocka_unit_test(jumps_are_exact),
      cmocka_unit_test(kinks_are_exact), cmocka_unit_test(curves_hide_corners)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

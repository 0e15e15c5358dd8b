/* SPDX-License-Identifier: MIT */
/* Bounds of operations over intervals (Moore, Interval Analysis, 1966). A monotone function has them at
 * the ends of its argument; others at the ends or at their extrema in between. Rounding is not bounded:
 * callers compare bounds with differences that are much larger. */
#include "base/expr_interval.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
static const ga_interval anything = {-INFINITY, INFINITY};

/* x and y in their order; anything if one is not a number */
static ga_interval between(double x, double y) {
  if (isnan(x) || isnan(y)) return anything;
  return x < y ? (ga_interval){x, y} : (ga_interval){y, x};
}

/* the numbers of a and of b, and those between them */
static ga_interval hull(ga_interval a, ga_interval b) {
  return (ga_interval){fmin(a.lo, b.lo), fmax(a.hi, b.hi)};
}

static bool is_point(ga_interval a) {
  return a.lo == a.hi;
}

static bool contains(ga_interval a, double x) {
  return a.lo <= x && x <= a.hi;
}

/* |a| */
static ga_interval size(ga_interval a) {
  const double far = fmax(fabs(a.lo), fabs(a.hi));
  return (ga_interval){contains(a, 0) ? 0 : fmin(fabs(a.lo), fabs(a.hi)), far};
}

/* x y of ends: a bound of 0 times any number is 0 */
static double times(double x, double y) {
  return x == 0 || y == 0 ? 0 : x * y;
}

static ga_interval multiply(ga_interval a, ga_interval b) {
  return hull(between(times(a.lo, b.lo), times(a.lo, b.hi)),
              between(times(a.hi, b.lo), times(a.hi, b.hi)));
}

static ga_interval divide(ga_interval a, ga_interval b) {
  if (contains(b, 0)) return anything;
  return multiply(a, (ga_interval){1 / b.hi, 1 / b.lo});
}

/* Is one of the numbers x + n period in a? */
static bool meets(ga_interval a, double x, double period) {
  return floor((a.hi - x) / period) >= ceil((a.lo - x) / period);
}

/* sin(a + shift) */
static ga_interval sine(ga_interval a, double shift) {
  if (!(a.hi - a.lo < 2 * PI)) return (ga_interval){-1, 1};
  ga_interval r = between(sin(a.lo + shift), sin(a.hi + shift));
  if (meets(a, PI / 2 - shift, 2 * PI)) r.hi = 1;
  if (meets(a, -PI / 2 - shift, 2 * PI)) r.lo = -1;
  return r;
}

/* a^p, p a number */
static ga_interval power(ga_interval a, double p) {
  const bool whole = p == floor(p), even = fmod(p, 2) == 0;
  if (p == 0) return (ga_interval){1, 1};
  if (!whole && a.lo < 0) return anything;
  if (p < 0 && contains(a, 0)) return even ? (ga_interval){pow(size(a).hi, p), INFINITY} : anything;
  if (even) a = size(a);
  return between(pow(a.lo, p), pow(a.hi, p));
}

/* a - b floor(a/b) */
static ga_interval modulo(ga_interval a, ga_interval b) {
  if (!is_point(b) || b.lo == 0) return anything;
  const double turn = floor(a.lo / b.lo);
  if (turn == floor(a.hi / b.lo)) return between(a.lo - b.lo * turn, a.hi - b.lo * turn);
  return between(0, b.lo);
}

/* 10 s^3 - 15 s^4 + 6 s^5, which rises from 0 to 1 */
static double smooth(double s) {
  s = fmin(fmax(s, 0), 1);
  return s * s * s * (10 - 15 * s + 6 * s * s);
}

/* step(x, x0, y0, x1, y1), arguments a[0] .. a[4] */
static ga_interval smooth_step(const ga_interval *a) {
  const ga_interval from = a[1], to = a[3];
  if (!is_point(from) || !is_point(to)) return hull(a[2], a[4]);
  const double width = to.lo - from.lo;
  const double lo = (a[0].lo - from.lo) / width, hi = (a[0].hi - from.lo) / width;
  if (isnan(lo) || isnan(hi)) return hull(a[2], a[4]); /* width 0: a jump */
  const ga_interval share = between(smooth(lo), smooth(hi));
  const ga_interval rise = {a[4].lo - a[2].hi, a[4].hi - a[2].lo}, by = multiply(rise, share);
  return (ga_interval){a[2].lo + by.lo, a[2].hi + by.hi};
}

/* The extrema of piece i of the table between x0 and x1 are included in *r. */
static void include_extrema(const ga_table *t, int i, double x0, double x1, ga_interval *r) {
  const double b = t->b[i], c = t->c[i], d = t->d[i], under = c * c - 3 * b * d;
  if (!(under >= 0) || (c == 0 && d == 0)) return;
  const double q = -(c + copysign(sqrt(under), c));
  const double root[2] = {d != 0 ? q / (3 * d) : NAN, q != 0 ? b / q : NAN};
  for (int k = 0; k < 2; k++) {
    const double x = t->x[i] + root[k], h = root[k];
    if (!(x > x0 && x < x1)) continue;
    const double y = t->y[i] + h * (b + h * (c + h * d));
    *r = hull(*r, (ga_interval){y, y});
  }
}

enum { PIECES = 64 }; /* most pieces of a table that are looked at */

/* The value of a table at x, which may be infinite. */
static double table_at(const ga_table *t, double x) {
  double value[3];
  const bool ends = isfinite(x);
  ga_table_value(t, ends ? x : x > 0 ? t->x[t->n - 1] : t->x[0], value);
  return ends || t->kind == GA_TABLE_HOLD || value[1] == 0 ? value[0] : value[1] * x;
}

/* A table over a. */
static ga_interval table_over(const ga_table *t, ga_interval a) {
  const double first = t->x[0], last = t->x[t->n - 1], period = last - first;
  if (t->periodic) {
    const double turn = floor((a.lo - first) / period);
    const bool same = turn == floor((a.hi - first) / period);
    a = same ? (ga_interval){a.lo - turn * period, a.hi - turn * period}
             : (ga_interval){first, last};
  }
  ga_interval r = between(table_at(t, a.lo), table_at(t, a.hi));
  int seen = 0;
  for (int i = 0; i < t->n; i++) {
    if (t->x[i] > a.hi || (i + 1 < t->n && t->x[i + 1] < a.lo)) continue;
    if (++seen > PIECES) return anything;
    if (contains(a, t->x[i])) r = hull(r, (ga_interval){t->y[i], t->y[i]});
    if (i + 1 == t->n || t->kind == GA_TABLE_HOLD) continue;
    include_extrema(t, i, fmax(a.lo, t->x[i]), fmin(a.hi, t->x[i + 1]), &r);
  }
  return r;
}

/* A comparison that holds for all, for none, or for some. */
static ga_interval truth(bool all, bool none) {
  return (ga_interval){all ? 1 : 0, none ? 0 : 1};
}

static double sign(double x) {
  return (x > 0) - (x < 0);
}

/* A function of one argument. */
static ga_interval of_one(ga_expr_op op, ga_interval a) {
  switch (op) {
    case GA_EXPR_sin:
      return sine(a, 0);
    case GA_EXPR_cos:
      return sine(a, PI / 2);
    case GA_EXPR_tan:
      return a.hi - a.lo < PI && !meets(a, PI / 2, PI) ? between(tan(a.lo), tan(a.hi)) : anything;
    case GA_EXPR_asin:
      return between(asin(a.lo), asin(a.hi));
    case GA_EXPR_acos:
      return between(acos(a.hi), acos(a.lo));
    case GA_EXPR_atan:
      return between(atan(a.lo), atan(a.hi));
    case GA_EXPR_sinh:
      return between(sinh(a.lo), sinh(a.hi));
    case GA_EXPR_cosh:
      a = size(a);
      return between(cosh(a.lo), cosh(a.hi));
    case GA_EXPR_tanh:
      return between(tanh(a.lo), tanh(a.hi));
    case GA_EXPR_exp:
      return between(exp(a.lo), exp(a.hi));
    case GA_EXPR_log:
      return between(log(a.lo), log(a.hi));
    case GA_EXPR_sqrt:
      return between(sqrt(a.lo), sqrt(a.hi));
    case GA_EXPR_abs:
      return size(a);
    case GA_EXPR_sign:
      return between(sign(a.lo), sign(a.hi));
    case GA_EXPR_floor:
      return between(floor(a.lo), floor(a.hi));
    default: /* negate */
      return (ga_interval){-a.hi, -a.lo};
  }
}

/* A function of two arguments. */
static ga_interval of_two(ga_expr_op op, ga_interval a, ga_interval b) {
  switch (op) {
    case GA_EXPR_add:
      return (ga_interval){a.lo + b.lo, a.hi + b.hi};
    case GA_EXPR_subtract:
      return (ga_interval){a.lo - b.hi, a.hi - b.lo};
    case GA_EXPR_multiply:
      return multiply(a, b);
    case GA_EXPR_divide:
      return divide(a, b);
    case GA_EXPR_power:
      if (is_point(b)) return power(a, b.lo);
      if (a.lo < 0) return anything;
      return of_one(GA_EXPR_exp, multiply(b, of_one(GA_EXPR_log, a)));
    case GA_EXPR_atan2:
      return (ga_interval){-PI, PI};
    case GA_EXPR_min:
      return (ga_interval){fmin(a.lo, b.lo), fmin(a.hi, b.hi)};
    case GA_EXPR_max:
      return (ga_interval){fmax(a.lo, b.lo), fmax(a.hi, b.hi)};
    case GA_EXPR_mod:
      return modulo(a, b);
    case GA_EXPR_hypot:
      a = size(a), b = size(b);
      return (ga_interval){hypot(a.lo, b.lo), hypot(a.hi, b.hi)};
    case GA_EXPR_less:
      return truth(a.hi < b.lo, a.lo >= b.hi);
    case GA_EXPR_less_equal:
      return truth(a.hi <= b.lo, a.lo > b.hi);
    case GA_EXPR_greater:
      return truth(a.lo > b.hi, a.hi <= b.lo);
    case GA_EXPR_greater_equal:
      return truth(a.lo >= b.hi, a.hi < b.lo);
    case GA_EXPR_equal:
      return truth(is_point(a) && is_point(b) && a.lo == b.lo, a.hi < b.lo || b.hi < a.lo);
    default: /* not_equal */
      return truth(a.hi < b.lo || b.hi < a.lo, is_point(a) && is_point(b) && a.lo == b.lo);
  }
}

/* Bounds of the operation. */
ga_interval ga_interval_operation(ga_expr_op op, const ga_interval *a, const ga_table *table) {
  ga_interval r;
  switch (op) {
    case GA_EXPR_if:
      r = !contains(a[0], 0) ? a[1] : is_point(a[0]) ? a[2] : hull(a[1], a[2]);
      break;
    case GA_EXPR_step:
      r = smooth_step(a);
      break;
    case GA_EXPR_table:
      r = table_over(table, a[0]);
      break;
    case GA_EXPR_clamp:
      r = of_two(GA_EXPR_min, of_two(GA_EXPR_max, a[0], a[1]), a[2]);
      break;
    case GA_EXPR_impact: /* open: 0 */
      r = a[0].lo >= 0 ? (ga_interval){0, 0} : anything;
      break;
    default:
      r = ga_expr_arguments[op] == 1 ? of_one(op, a[0]) : of_two(op, a[0], a[1]);
  }
  return isnan(r.lo) || isnan(r.hi) ? anything : r;
}

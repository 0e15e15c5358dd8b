/* SPDX-License-Identifier: MIT */
/* Corners in time: where an expression of t has a kink or a jump.
 *
 * The code is gone through once at a time t. Each value on the stack knows what it is between t and
 * its own next corner: a straight line x + slope (tau - t), another function of time (a curve), or
 * something that depends on the state, too. An operation on lines finds its corner by solving a
 * linear equation; mod(t, 1), abs(t - 2) or a linear table are lines up to their next corner, so
 * that if(mod(t, 1) < 0.2, ..) is solved as well. Of `if` with a condition on time only the branch
 * in force counts. A sine of a line, times and plus constants, is a wave: where it passes a constant is
 * known, too, as in sign(sin(20*t)) or max(0, cos(t)).
 *
 * Kinks and jumps of other curves, such as abs(exp(t) - 2), are not found: `hidden` says so. Comparisons
 * by == and != hold at single times, which no step meets; they have no corner of their own.
 *
 * The root of a linear equation has a rounding error. A jump is located exactly: `before` and t are
 * neighbouring times between which the value, or the derivative, that ga_expr_jet computes changes. */
#include <float.h>
#include <math.h>

#include "base/expr_code.h"

typedef enum { LINE, WAVE, CURVE, STATE } shape;

/* What a value on the stack is from t to its next corner, and where its code begins. */
typedef struct {
  shape shape;
  double x, slope; /* of a line: value at t, change with time */
  /* of a wave: x + amplitude sin(phase + rate (tau - t)) */
  double amplitude, phase, rate;
  ga_expr_corner next;
  int begin;
} value;

/* One search: the expression, the number of its variable t, the time; variables: work, all of them 0
 * but t (only t is read where it matters). */
typedef struct {
  const ga_expr *expr;
  int time;
  double t;
  double variables[GA_EXPR_VARIABLES];
} search;

static const ga_expr_corner none = {INFINITY, INFINITY, GA_SMOOTH, false};

/* The earlier of two corners; of two at the same time, the sharper one. */
static ga_expr_corner earlier(ga_expr_corner a, ga_expr_corner b) {
  ga_expr_corner first = a.t < b.t || (a.t == b.t && a.order <= b.order) ? a : b;
  first.hidden = a.hidden || b.hidden;
  return first;
}

/* Value (order 0) or derivative by time of the instructions begin .. end - 1, which make one value, at
 * time tau. */
static double derivative_at(search *s, int begin, int end, int order, double tau) {
  ga_expr piece = *s->expr;
  double jet[3];
  piece.code += begin, piece.length = end - begin;
  s->variables[s->time] = tau;
  ga_expr_jet(&piece, s->variables, order > 0 ? s->time : -1, jet);
  return jet[order];
}

/* Times that differ by less than this are equal: near 0, where a relative bound means nothing. */
static const double NO_TIME = 1e-290;

/* Rounding error of the time where the line passes c. */
static double rounding_of_root(const value *line, double c, double root) {
  const double size = (fabs(line->x) + fabs(c)) / fabs(line->slope) + fabs(root);
  return fmax(16 * DBL_EPSILON * size, NO_TIME);
}

/* The corner of the given order at `root`, a time that is known up to `width`, in the operation whose
 * code is begin .. end - 1. Where the value or one of two derivatives jumps is found by bisection, see
 * the head; where none does, a corner at t, but for rounding, counts as passed. */
static ga_expr_corner corner_at(search *s, double root, double width, int order, int begin,
                                int end) {
  if (!(root >= s->t - width) || !isfinite(root)) return none;
  double lo = root - width, hi = root + width, old = 0, new = 0;
  if (order <= 2) {
    old = derivative_at(s, begin, end, order, lo), new = derivative_at(s, begin, end, order, hi);
  }
  if (!(old != new)) {
    const bool later = order > 0 && root > s->t + width;
    return later ? (ga_expr_corner){root, root, order, false} : none;
  }
  for (int i = 0; i < 100; i++) {
    const double middle = lo + (hi - lo) / 2;
    if (!(middle > lo && middle < hi)) break;
    if (fabs(derivative_at(s, begin, end, order, middle) - old) > 0.5 * fabs(new - old)) {
      hi = middle;
    } else {
      lo = middle;
    }
  }
  if (!(hi > s->t)) return none;
  return (ga_expr_corner){fmin(nextafter(lo, -INFINITY), hi), hi, order, false};
}

/* The corner where the line passes c after t. */
static ga_expr_corner passage(search *s, const value *line, double c, int order, int begin,
                              int end) {
  if (line->slope == 0 || !isfinite(line->slope) || !isfinite(c)) return none;
  const double root = s->t + (c - line->x) / line->slope;
  return corner_at(s, root, rounding_of_root(line, c, root), order, begin, end);
}

static const double PI = 3.14159265358979323846;

/* The corner where the wave passes c after t: sin(angle) = (c - x)/amplitude has two angles in each
 * turn. A wave that only touches c has none. */
static ga_expr_corner wave_passage(search *s, const value *w, double c, int order, int begin,
                                   int end) {
  const double sine = (c - w->x) / w->amplitude, period = 2 * PI / fabs(w->rate);
  ga_expr_corner first = none;
  if (!(fabs(sine) < 1)) return none;
  const double steep = sqrt((1 - sine) * (1 + sine));
  const double size = fabs(s->t) + period + (fabs(w->phase) + 1 / steep) / fabs(w->rate);
  const double width = fmax(64 * DBL_EPSILON * size, NO_TIME);
  for (int k = 0; k < 2; k++) {
    const double angle = k == 0 ? asin(sine) : PI - asin(sine);
    double way = fmod((angle - w->phase) / w->rate, period); /* to one of these times */
    if (way < 0) way += period;
    /* the time before it may be this one, but for rounding: it is tried as well */
    for (int n = -1; n <= 1; n++) {
      first = earlier(first, corner_at(s, s->t + way + n * period, width, order, begin, end));
    }
  }
  return first;
}

/* Is it a line that does not change? */
static bool is_constant(const value *a) {
  return a->shape == LINE && a->slope == 0;
}

/* The operation on a wave and constants, or the sine or cosine of a line: *r is what it is from t on, and
 * its own next corner. False: something else. */
static bool on_wave(search *s, ga_expr_op op, const value *a, int begin, int end, value *r) {
  const bool first = a[0].shape == WAVE; /* which argument is the wave */
  switch (op) {
    case GA_EXPR_sin:
    case GA_EXPR_cos:
      if (a->shape != LINE || a->slope == 0) return false;
      *r = (value){.shape = WAVE,
                   .amplitude = 1,
                   .phase = a->x + (op == GA_EXPR_cos ? PI / 2 : 0),
                   .rate = a->slope,
                   .next = none};
      return true;
    case GA_EXPR_negate:
      if (!first) return false;
      *r = a[0];
      r->x = -r->x, r->amplitude = -r->amplitude;
      break;
    case GA_EXPR_abs:
    case GA_EXPR_sign:
      if (!first) return false;
      *r = (value){.shape = op == GA_EXPR_sign ? LINE : CURVE};
      r->next = wave_passage(s, a, 0, op == GA_EXPR_sign ? 0 : 1, begin, end);
      return true;
    case GA_EXPR_add:
    case GA_EXPR_subtract:
    case GA_EXPR_multiply:
    case GA_EXPR_divide:
    case GA_EXPR_min:
    case GA_EXPR_max:
    case GA_EXPR_less:
    case GA_EXPR_less_equal:
    case GA_EXPR_greater:
    case GA_EXPR_greater_equal: {
      const value *w = first ? &a[0] : &a[1], *c = first ? &a[1] : &a[0];
      if (w->shape != WAVE || !is_constant(c)) return false;
      const bool compares = op >= GA_EXPR_less && op <= GA_EXPR_greater_equal;
      *r = *w;
      if (op == GA_EXPR_add || op == GA_EXPR_subtract) {
        const double sign = op == GA_EXPR_subtract && !first ? -1 : 1; /* of the wave */
        r->x = sign * w->x + (op == GA_EXPR_subtract && first ? -c->x : c->x);
        r->amplitude *= sign;
      } else if (op == GA_EXPR_multiply || (op == GA_EXPR_divide && first)) {
        const double factor = op == GA_EXPR_multiply ? c->x : 1 / c->x;
        r->x *= factor, r->amplitude *= factor;
      } else if (op == GA_EXPR_divide) {
        *r = (value){.shape = CURVE};
      } else {
        *r = (value){.shape = compares ? LINE : CURVE};
        r->next = wave_passage(s, w, c->x, compares ? 0 : 1, begin, end);
        return true;
      }
      break;
    }
    default:
      return false;
  }
  r->next = none;
  return true;
}

/* The difference of two lines. */
static value difference(const value *a, const value *b) {
  return (value){.shape = LINE, .x = a->x - b->x, .slope = a->slope - b->slope};
}

/* Is the line above c from t on? At c itself, but for rounding, its slope decides. */
static bool is_above(const search *s, const value *line, double c) {
  const double near = line->slope == 0 ? 0 : rounding_of_root(line, c, s->t) * fabs(line->slope);
  return fabs(line->x - c) <= near && line->slope != 0 ? line->slope > 0 : line->x > c;
}

/* The next whole number that the line passes; x itself if the line falls from it. */
static double next_whole(double x, double slope) {
  return slope > 0 ? floor(x) + 1 : floor(x);
}

/* ---- tables ------------------------------------------------------------------------------- */

/* Lowest derivative that jumps at the points of a table, by its kind: akima, linear, cubic, hold. */
static const int table_orders[] = {2, 1, 3, 0};

/* The last point i with x_i <= x, -1 if x is before the first one. */
static int last_point(const ga_table *table, double x) {
  int lo = -1, hi = table->n;
  while (hi - lo > 1) {
    const int middle = (lo + hi) / 2;
    if (table->x[middle] <= x) {
      lo = middle;
    } else {
      hi = middle;
    }
  }
  return lo;
}

/* The next corner of a table along the line x, and what the table is up to there. */
static value table_value(search *s, const ga_table *table, const value *x, int begin, int end) {
  value r = {.shape = CURVE, .next = none};
  const int order = table_orders[table->kind], pieces = table->n - 1;
  const double period = table->x[pieces] - table->x[0];
  const double turn = table->periodic ? floor((x->x - table->x[0]) / period) : 0;
  const int here = last_point(table, x->x - turn * period);
  for (int k = here - 1; k <= here + 2; k++) { /* the next point is one of these */
    if (!table->periodic && (k < 0 || k > pieces)) continue;
    const int away = table->periodic ? (k < 0 ? -1 : k / pieces) : 0; /* periods from this one */
    const double at = table->x[k - away * pieces] + (turn + away) * period * table->periodic;
    ga_expr_corner next = passage(s, x, at, order, begin, end);
    /* a point where nothing jumps is a corner all the same: the search goes on from there */
    if (next.t == INFINITY) next = passage(s, x, at, order > 0 ? order : 1, begin, end);
    r.next = earlier(r.next, next);
  }
  const bool straight = table->kind == GA_TABLE_LINEAR || table->kind == GA_TABLE_HOLD;
  if (!straight && x->slope != 0) return r;
  double y[3];
  /* beside x, on the side to which it moves: at a point the piece behind it counts */
  const double beside = x->x + 2 * rounding_of_root(x, x->x, s->t) * x->slope;
  ga_table_value(table, x->slope == 0 ? x->x : beside, y);
  r.shape = LINE;
  r.slope = x->slope == 0 ? 0 : y[1] * x->slope;
  return r;
}

/* ---- operations --------------------------------------------------------------------------- */

/* The line of an operation with one or two lines as arguments, or a curve. */
static value arithmetic(ga_expr_op op, const value *a) {
  value r = {.shape = LINE, .next = none};
  switch (op) {
    case GA_EXPR_negate:
      r.slope = -a[0].slope;
      break;
    case GA_EXPR_add:
      r.slope = a[0].slope + a[1].slope;
      break;
    case GA_EXPR_subtract:
      r.slope = a[0].slope - a[1].slope;
      break;
    case GA_EXPR_multiply:
      r.slope = a[0].slope * a[1].x + a[0].x * a[1].slope;
      if (a[0].slope != 0 && a[1].slope != 0) r.shape = CURVE;
      break;
    case GA_EXPR_divide:
      r.slope = a[0].slope / a[1].x;
      if (a[1].slope != 0) r.shape = CURVE;
      break;
    default:
      r.shape = CURVE;
  }
  return r;
}

/* The one of two values that min (larger false) or max takes from t on, with the corner where they
 * meet. */
static value extreme(search *s, const value *a, const value *b, bool larger, int begin, int end) {
  const value d = difference(a, b);
  const bool above = is_above(s, &d, 0);
  value r = above == larger ? *a : *b;
  r.next = passage(s, &d, 0, 1, begin, end);
  return r;
}

/* Has the operation corners where its arguments are smooth? */
bool ga_expr_has_corners(ga_expr_op op) {
  switch (op) {
    case GA_EXPR_abs:
    case GA_EXPR_sign:
    case GA_EXPR_floor:
    case GA_EXPR_atan2:
    case GA_EXPR_min:
    case GA_EXPR_max:
    case GA_EXPR_mod:
    case GA_EXPR_clamp:
    case GA_EXPR_impact:
    case GA_EXPR_if:
    case GA_EXPR_step:
    case GA_EXPR_table:
    case GA_EXPR_less:
    case GA_EXPR_less_equal:
    case GA_EXPR_greater:
    case GA_EXPR_greater_equal:
      return true;
    default:
      return false;
  }
}

/* step(x, x0, y0, x1, y1) of lines: third derivatives jump at x0 and x1; a jump if they are equal */
static value smooth_step(search *s, const value *a, int begin, int end) {
  value r = {.shape = CURVE, .next = none};
  const value from = difference(&a[0], &a[1]), to = difference(&a[0], &a[3]);
  const value width = difference(&a[3], &a[1]);
  const int order = width.x == 0 && width.slope == 0 ? 0 : 3;
  if (width.slope != 0) return r;
  const bool passed_from = is_above(s, &from, 0), passed_to = is_above(s, &to, 0);
  if (passed_from == passed_to) r = passed_from == (width.x >= 0) ? a[4] : a[2];
  r.next = earlier(passage(s, &from, 0, order, begin, end), passage(s, &to, 0, order, begin, end));
  return r;
}

/* The operation on lines: what it is from t on, and its own next corner (those of the arguments are
 * the caller's). */
static value on_lines(search *s, const ga_instruction *i, const value *a, int begin, int end) {
  value r = {.shape = LINE, .next = none}, d;
  switch (i->op) {
    case GA_EXPR_abs:
      r.slope = is_above(s, a, 0) ? a->slope : -a->slope;
      r.next = passage(s, a, 0, 1, begin, end);
      return r;
    case GA_EXPR_sign:
      r.next = passage(s, a, 0, 0, begin, end);
      return r;
    case GA_EXPR_floor:
      r.next = passage(s, a, next_whole(a->x, a->slope), 0, begin, end);
      return r;
    case GA_EXPR_mod:
      d = (value){.x = a[0].x / a[1].x, .slope = a[0].slope / a[1].x};
      r.slope = a[0].slope;
      r.next = passage(s, &d, next_whole(d.x, d.slope), 0, begin, end);
      if (a[1].slope != 0) r.shape = CURVE, r.next = none, r.next.hidden = true;
      return r;
    case GA_EXPR_min:
    case GA_EXPR_max:
      return extreme(s, &a[0], &a[1], i->op == GA_EXPR_max, begin, end);
    case GA_EXPR_clamp:
      d = extreme(s, &a[0], &a[1], true, begin, end);
      r = extreme(s, &d, &a[2], false, begin, end);
      r.next = earlier(r.next, d.next);
      return r;
    case GA_EXPR_impact: /* its gap closes or opens, its damping reaches its full size */
      d = (value){.x = a[0].x + a[5].x, .slope = a[0].slope + a[5].slope};
      r.shape = CURVE;
      r.next = earlier(passage(s, a, 0, 1, begin, end), passage(s, &d, 0, 3, begin, end));
      return r;
    case GA_EXPR_atan2: /* jumps by 2 pi behind the origin */
      r.shape = CURVE;
      r.next.hidden = true;
      return r;
    case GA_EXPR_step:
      return smooth_step(s, a, begin, end);
    case GA_EXPR_table:
      return table_value(s, &s->expr->table[i->index], a, begin, end);
    case GA_EXPR_less:
    case GA_EXPR_less_equal:
    case GA_EXPR_greater:
    case GA_EXPR_greater_equal:
      d = difference(&a[0], &a[1]);
      r.next = passage(s, &d, 0, 0, begin, end);
      return r;
    case GA_EXPR_equal:
    case GA_EXPR_not_equal:
      return r;
    default:
      return arithmetic(i->op, a);
  }
}

/* The operation number `at` of the code on its n arguments. */
static value operate(search *s, int at, int n, const value *a) {
  const ga_instruction *i = &s->expr->code[at];
  const int begin = n > 0 ? a[0].begin : at;
  value r = {.shape = LINE, .next = none};
  ga_expr_corner next = none;
  shape most = LINE;
  bool constant = true;
  for (int k = 0; k < n; k++) {
    next = earlier(next, a[k].next);
    if (a[k].shape > most) most = a[k].shape;
    constant = constant && a[k].shape == LINE && a[k].slope == 0;
  }
  if (i->op == GA_EXPR_variable) {
    r.shape = i->index == s->time ? LINE : STATE;
    r.slope = i->index == s->time;
  } else if (i->op == GA_EXPR_if && a[0].shape == LINE) {
    r = a[a[0].x != 0 ? 1 : 2];
    next = earlier(a[0].next, r.next);
  } else if (most <= WAVE && !constant && on_wave(s, i->op, a, begin, at + 1, &r)) {
    next = earlier(next, r.next);
  } else if (most == LINE && !constant) {
    r = on_lines(s, i, a, begin, at + 1);
    next = earlier(next, r.next);
  } else {
    r.shape = most == WAVE ? CURVE : most;
    next.hidden = next.hidden || (r.shape == CURVE && ga_expr_has_corners(i->op));
  }
  r.next = next;
  r.begin = begin;
  if (r.shape == LINE) r.x = derivative_at(s, begin, at + 1, 0, s->t);
  return r;
}

/* The first corner after t of the expression as a function of its variable number `time`; the other
 * variables are held. t of the result is INFINITY if there is none. */
ga_expr_corner ga_expr_next_corner(const ga_expr *expr, int time, double t) {
  value stack[GA_EXPR_STACK];
  value *top = stack;
  search s = {.expr = expr, .time = time, .t = t};
  if (!ga_expr_mentions(expr, time)) return none;
  for (int i = 0; i < expr->length; i++) {
    const ga_instruction *c = &expr->code[i];
    if (c->op == GA_EXPR_variable && c->index >= GA_EXPR_VARIABLES) {
      return (ga_expr_corner){INFINITY, INFINITY, GA_SMOOTH, true};
    }
  }
  for (int i = 0; i < expr->length; i++) {
    const int n = ga_expr_arguments[expr->code[i].op];
    top -= n;
    *top = operate(&s, i, n, top);
    top++;
  }
  return stack[0].next;
}

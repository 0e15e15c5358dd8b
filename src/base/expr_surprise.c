/* SPDX-License-Identifier: MIT */
/* Surprises: functions of time that rest, and then change within less than a step.
 *
 * A step sees a function of time where it evaluates it; what the function does in between, and has
 * undone at the end, nobody sees. A function that has changed in the time before is seen: then the
 * error of the step is estimated from what has changed. So a step of h from t is allowed if for each
 * operation u(t) of the expression, bounded over intervals,
 *
 *   change of u in [t, t + h]  <=  max(REST (change of u for all times), MORE (change of u in [t - h, t]))
 *
 * The bounds are rigorous: no pulse is too short to be seen. A pulse after a rest is approached by
 * steps that end where u has changed by REST, then by MORE times as much, and so on up to 1. Operations,
 * not the whole expression: a pulse counts beside a load that changes all the time. An operation that
 * is not bounded for all times, such as t^2, exp(t), has no rest to compare with. Its result may be
 * bounded again, as 1/(1 + exp(t)) is. Sums and products have nothing of their own: they change by
 * what their arguments do. No unit of u or t enters. */
#include <math.h>

#include "base/expr_interval.h"

static const double REST = 1e-6;    /* a change below this, relative to the largest one, is none */
static const double MORE = 100;     /* such a growth is seen by the estimate of the error */
static const double SHOWN = 10;     /* the ends of a step show a change that is so much larger */
static const double NEARLY = 0.999; /* of the step: what comes then can be left to the next one */
static const double NEAR = 1e-3;    /* of the way: so near to a change a step ends */

enum { AHEAD, BEHIND, EVER, START, END, SPANS }; /* the last two: ends of the step */
enum { MOST = 6 };                               /* arguments of an operation */

/* What a value on the stack is: a number, a straight line in time up to corners that are known, another
 * function of time, one of the state. */
typedef enum { CONSTANT, LINE, CURVE, STATE } kind;

typedef struct {
  kind kind;
  int begin;     /* of its code */
  bool surprise; /* there is one in what it is made of */
  ga_interval over[SPANS];
} value;

/* One search: the function and its variable of time, the time, the start of the motion. */
typedef struct {
  const ga_expr *expr;
  int time;
  double t, since;
} search;

/* The kind of an operation on n arguments of these kinds. *examine: it may change unexpectedly, by more
 * than its arguments do, and without a corner that is known. */
static kind kind_of(const search *s, const ga_instruction *c, int n, const kind *of,
                    bool *examine) {
  kind most = CONSTANT;
  for (int k = 0; k < n; k++) most = of[k] > most ? of[k] : most;
  *examine = false;
  switch (c->op) {
    case GA_EXPR_number:
      return CONSTANT;
    case GA_EXPR_variable:
      return c->index == s->time ? LINE : STATE;
    case GA_EXPR_multiply:
      return of[0] == LINE && of[1] == LINE ? CURVE : most;
    case GA_EXPR_add:
    case GA_EXPR_subtract:
    case GA_EXPR_negate:
      return most;
    case GA_EXPR_if:
      *examine = of[0] == CURVE && most == CURVE;
      return most;
    default:
      break;
  }
  if (most == CONSTANT || most == STATE) return most;
  const bool told = most == LINE && ga_expr_has_corners(c->op);
  const bool curved = c->op == GA_EXPR_step || c->op == GA_EXPR_table || c->op == GA_EXPR_atan2;
  *examine = !told;
  return told && !curved ? LINE : CURVE;
}

/* The change of the instructions begin .. end - 1 within h by their derivatives at t: what a first step
 * knows of the time before. */
static double change_by_slope(const search *s, int begin, int end, double h) {
  double variables[GA_EXPR_VARIABLES] = {0}, jet[3];
  ga_expr piece = *s->expr;
  piece.code += begin, piece.length = end - begin;
  variables[s->time] = s->t;
  ga_expr_jet(&piece, variables, s->time, jet);
  return fabs(jet[1]) * h + fabs(jet[2]) * h * h / 2;
}

static double change(ga_interval a) {
  return a.lo == a.hi ? 0 : a.hi - a.lo;
}

/* Does instruction number `at`, whose result is u, change unexpectedly? The time ahead is h long. If
 * the ends of the step count, a kink or jump that they show is no surprise: no step is short enough to
 * foresee it. What begins smoothly is foreseen by steps that can follow it. */
static bool is_surprise(const search *s, int at, const value *u, double h, bool ends) {
  const double ahead = change(u->over[AHEAD]);
  if (ahead <= MORE * change(u->over[BEHIND])) return false;
  if (ahead <= REST * change(u->over[EVER])) return false;
  if (ends && ga_expr_has_corners(s->expr->code[at].op) &&
      ahead <= SHOWN * fabs(u->over[END].lo - u->over[START].lo)) {
    return false;
  }
  return s->t > s->since || !(ahead <= MORE * change_by_slope(s, u->begin, at + 1, h));
}

/* Bounds of one operation of n arguments over the first spans. An impact stands for a contact, which depends
 * on the state. */
static void bound(const search *s, const ga_instruction *c, int n, const value *arguments,
                  const ga_interval *spans, int count, value *u) {
  const ga_table *table = c->op == GA_EXPR_table ? &s->expr->table[c->index] : NULL;
  ga_interval a[MOST];
  if (c->op == GA_EXPR_impact) u->kind = STATE;
  for (int k = 0; k < count && u->kind != STATE; k++) {
    for (int j = 0; j < n; j++) a[j] = arguments[j].over[k];
    if (c->op == GA_EXPR_number) {
      u->over[k] = (ga_interval){c->number, c->number};
    } else {
      u->over[k] = n > 0 ? ga_interval_operation(c->op, a, table) : spans[k];
    }
  }
}

/* Is there a surprise in the arguments, of `if` in the branch that is in force in the time ahead? */
static bool surprise_of_arguments(const ga_instruction *c, int n, const value *a) {
  bool any = false;
  for (int k = 0; k < n; k++) any = any || a[k].surprise;
  if (c->op != GA_EXPR_if || a[0].surprise || a[0].kind == STATE) return any;
  const ga_interval *condition = &a[0].over[AHEAD];
  if (condition->lo > 0 || condition->hi < 0) return a[1].surprise;
  return condition->lo == 0 && condition->hi == 0 ? a[2].surprise : any;
}

/* Does nothing change unexpectedly in the time `ahead`, after that in `behind`? ends: see is_surprise. */
static bool is_calm(const search *s, ga_interval ahead, ga_interval behind, bool ends) {
  value stack[GA_EXPR_STACK], *top = stack;
  const ga_interval spans[SPANS] = {
      ahead, behind, {-INFINITY, INFINITY}, {ahead.lo, ahead.lo}, {ahead.hi, ahead.hi}};
  for (int i = 0; i < s->expr->length; i++) {
    const ga_instruction *c = &s->expr->code[i];
    const int n = ga_expr_arguments[c->op];
    kind of[MOST];
    bool examine;
    top -= n;
    value u = {.begin = n > 0 ? top[0].begin : i};
    for (int k = 0; k < n; k++) of[k] = top[k].kind;
    u.kind = kind_of(s, c, n, of, &examine);
    bound(s, c, n, top, spans, ends ? SPANS : START, &u);
    const bool own = examine && u.kind != STATE && is_surprise(s, i, &u, ahead.hi - ahead.lo, ends);
    u.surprise = own || surprise_of_arguments(c, n, top);
    *top++ = u;
  }
  return !stack[0].surprise;
}

/* Is a step to the time `to` without a surprise? */
static bool is_calm_to(const search *s, double to) {
  const double since = fmax(s->since, s->t - (to - s->t));
  return is_calm(s, (ga_interval){s->t, to}, (ga_interval){since, s->t}, false);
}

/* Does the end of such a step show what has changed? */
static bool is_shown_at(const search *s, double to) {
  const double since = fmax(s->since, s->t - (to - s->t));
  return is_calm(s, (ga_interval){s->t, to}, (ga_interval){since, s->t}, true);
}

/* Is there no change at all between two times? */
static bool is_rest(const search *s, double from, double to) {
  return is_calm(s, (ga_interval){from, to}, (ga_interval){from, from}, false);
}

/* The time up to which a step from t, at most `way` long, is without a surprise, see expr.h. */
ga_expr_corner ga_expr_surprise(const ga_expr *expr, int time, double since, double t, double way) {
  const search s = {expr, time, t, since};
  const ga_expr_corner none = {INFINITY, INFINITY, GA_SMOOTH, false};
  if (is_calm_to(&s, t + way) || is_calm_to(&s, t + NEARLY * way)) return none;
  double lo = t + way, hi;
  do {
    hi = lo;
    lo = t + (hi - t) / 2;
  } while (lo > t && lo < hi && !is_calm_to(&s, lo));
  /* what begins there is smooth if it can be approached, or a jump between neighbouring times */
  bool jumps = false;
  while (!jumps && (hi - lo > NEAR * (lo - t) || !is_rest(&s, lo, hi))) {
    const double middle = lo + (hi - lo) / 2;
    jumps = !(middle > lo && middle < hi);
    if (is_calm_to(&s, middle)) {
      lo = middle;
    } else {
      hi = middle;
    }
  }
  if (!(lo > t)) return none;
  const bool hidden = !is_shown_at(&s, t + way);
  return jumps ? (ga_expr_corner){lo, hi, 0, hidden} : (ga_expr_corner){lo, lo, GA_SMOOTH, hidden};
}

/* Is there an operation that ga_expr_surprise looks at? */
bool ga_expr_may_surprise(const ga_expr *expr, int time) {
  const search s = {.expr = expr, .time = time};
  kind stack[GA_EXPR_STACK], *top = stack;
  bool examine = false;
  for (int i = 0; i < expr->length && !examine; i++) {
    top -= ga_expr_arguments[expr->code[i].op];
    *top = kind_of(&s, &expr->code[i], ga_expr_arguments[expr->code[i].op], top, &examine);
    top++;
  }
  return examine;
}

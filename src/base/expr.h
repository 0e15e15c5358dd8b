/* SPDX-License-Identifier: MIT */
/* Expressions: text compiled once, evaluated with exact first and second derivatives.
 *
 *   + - * / ^ (right-associative, tighter than unary minus), parentheses, numbers, pi, e,
 *   sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs min max sign floor mod hypot,
 *   clamp(x, a, b), impact(gap, rate, k, e, c, d),
 *   if(c, a, b) with < <= > >= == != in c, step(t, t0, y0, t1, y1), table(x, [x..], [y..]) and
 *   table(x, [x..], [y..], akima|linear|cubic|hold, periodic), postfix units deg, rpm, mm, ms,
 *   table(x, "FILE.csv", "column", "column of x", kind, periodic), where all behind "column" may be
 *   left out; the column of x is then the first one
 *
 * Derivatives are taken in forward mode along one variable: an evaluation carries (f, f', f'').
 * abs, min, max, clamp, impact and if take the branch they are on. A function is known by the
 * parenthesis behind its name, so that a name may be the same word. */
#ifndef GA_SRC_EXPR_H
#define GA_SRC_EXPR_H

#include "base/base.h"
#include "genalpha/ga_csv.h"

typedef struct ga_expr ga_expr;

/* What a name means: a number, or a variable by its index. */
typedef enum { GA_NAME_UNKNOWN, GA_NAME_NUMBER, GA_NAME_VARIABLE } ga_name_kind;
typedef struct ga_name {
  ga_name_kind kind;
  double number;
  int variable;
} ga_name;

/* Names besides functions, units, pi and e. `nearest`, for messages, may be NULL. */
typedef struct ga_scope {
  ga_name (*lookup)(const void *context, const char *name);
  const char *(*nearest)(const void *context, const char *name);
  /* *out <- the table in the file of this name; NULL: ga_csv_load */
  ga_status (*open)(const void *context, const char *name, ga_csv **out, ga_error *err);
  const void *context;
  bool condition; /* a comparison is allowed at the top; its value is > 0 where it holds */
} ga_scope;

/* *out: the compiled text, freed by ga_expr_free; NULL on failure. scope may be NULL: no names.
 * On failure err says what is wrong and where; *column, if not NULL, is the column in the text,
 * counted from 1. */
ga_status ga_expr_parse(const char *text, const ga_scope *scope, ga_expr **out, int *column,
                        ga_error *err);
void ga_expr_free(ga_expr *expr);

/* Value, and (f, f', f'') along one variable (-1: none, derivatives are zero). No allocation. */
double ga_expr_value(const ga_expr *expr, const double *variables);
void ga_expr_jet(const ga_expr *expr, const double *variables, int along, double jet[3]);
/* The same along a direction, one number for each variable. */
void ga_expr_jet_along(const ga_expr *expr, const double *variables, const double *direction,
                       double jet[3]);

/* Does it mention no variable? Does it mention the given one (< 0: any)? */
bool ga_expr_constant(const ga_expr *expr);
bool ga_expr_mentions(const ga_expr *expr, int variable);

/* A corner in time: a time where f or a derivative of it by t jumps. f has its old values up to
 * `before` and its new ones from t on; the two differ by rounding. A corner of order k lets the k-th
 * derivative jump, 0: f itself, but none below. hidden: there may be corners that cannot be found,
 * as those of step(sin(t), ..). */
typedef struct ga_expr_corner {
  double before, t; /* INFINITY: there is none */
  int order;
  bool hidden;
} ga_expr_corner;
enum { GA_SMOOTH = 9, GA_EXPR_VARIABLES = 256 };

/* The first corner after t, along variable number `time` (expr_corner.c). */
ga_expr_corner ga_expr_next_corner(const ga_expr *expr, int time, double t);

/* Does a function of time in the expression change in a step from t of length `way` by much more than
 * in the same time before, but not before the time `since` (expr_surprise.c)? Then the time at which
 * the step should end, before = t and GA_SMOOTH; or where it jumps, order 0. t is INFINITY if not.
 * hidden: the ends of the step do not show it.
 * may_surprise: is there such a function? */
ga_expr_corner ga_expr_surprise(const ga_expr *expr, int time, double since, double t, double way);
bool ga_expr_may_surprise(const ga_expr *expr, int time);

/* Words that may not be used as names: functions, units, constants; NULL past the end. */
const char *ga_expr_word(int i);

#endif

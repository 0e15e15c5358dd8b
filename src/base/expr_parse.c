/* SPDX-License-Identifier: MIT */
/* From text to the code of an expression, by recursive descent:
 *
 *   condition  = sum [("<" | "<=" | ">" | ">=" | "==" | "!=") sum]
 *   sum        = product {("+" | "-") product}
 *   product    = signed {("*" | "/") signed}
 *   signed     = ["+" | "-"] signed | power
 *   power      = primary [unit] ["^" signed]
 *   primary    = number | name | name "(" arguments ")" | "(" sum ")" */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expr_code.h"

enum { DEEP = 100, NAME_ROOM = 128, TABLE_MAX = 100000 };

static const double pi = 3.14159265358979323846, euler = 2.71828182845904523536;

static const struct {
  const char *name;
  int arguments;
} operation[GA_EXPR_COUNT] = {
#define GA_EXPR_NAMED(name, count) {#name, count},
#define GA_EXPR_UNNAMED(name, count) {NULL, count},
    GA_EXPR_LIST(GA_EXPR_NAMED, GA_EXPR_UNNAMED)
#undef GA_EXPR_NAMED
#undef GA_EXPR_UNNAMED
};

static const struct {
  const char *name;
  double factor;
} units[] = {
    {"deg", 3.14159265358979323846 / 180}, {"rpm", 2 * 3.14159265358979323846 / 60}, {"mm", 1e-3}};
enum { NUNIT = (int)(sizeof units / sizeof units[0]) };

/* functions stand before operations in the list */
enum { NFUNCTION = GA_EXPR_negate };

const char *ga_expr_word(int i) {
  static const char *const constants[] = {"pi", "e"};
  if (i < NFUNCTION) return operation[i].name;
  if (i < NFUNCTION + NUNIT) return units[i - NFUNCTION].name;
  return i < NFUNCTION + NUNIT + 2 ? constants[i - NFUNCTION - NUNIT] : NULL;
}

typedef struct parser {
  const char *text, *at;
  const ga_scope *scope;
  ga_expr *expr;
  int room;  /* for instructions */
  int stack; /* how full it is here */
  int deep;  /* nested parentheses and signs */
  int *column;
  ga_error *err;
  ga_status status;
} parser;

static void sum(parser *p);

/* the first error counts */
static void complain(parser *p, const char *where, const char *format, ...) GA_PRINTF(3, 4);

static void complain(parser *p, const char *where, const char *format, ...) {
  if (p->status != GA_OK) return;
  char text[300];
  const int column = (int)(where - p->text) + 1;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  p->status = ga_fail(p->err, GA_ERR_ARG, "'%.120s', column %d: %s", p->text, column, text);
  if (p->column) *p->column = column;
}

static void skip(parser *p) {
  while (isspace((unsigned char)*p->at)) p->at++;
}

static bool next_is(parser *p, const char *sign) {
  skip(p);
  if (strncmp(p->at, sign, strlen(sign)) != 0) return false;
  p->at += strlen(sign);
  return true;
}

static void expect(parser *p, const char *sign) {
  if (p->status != GA_OK || next_is(p, sign)) return;
  if (*p->at) {
    complain(p, p->at, "'%s' expected before '%.20s'", sign, p->at);
  } else {
    complain(p, p->at,
             "a '%s' is missing; an expression with a comma inside a list [..] needs quotes", sign);
  }
}

static void emit(parser *p, ga_expr_op op, int index, double number) {
  if (p->status != GA_OK) return;
  ga_expr *e = p->expr;
  if (e->length == p->room) {
    const int room = 2 * p->room + 8;
    ga_instruction *code = ga_calloc((size_t)room, sizeof *code);
    if (!code) {
      p->status = ga_fail(p->err, GA_ERR_MEM, "no memory for an expression");
      return;
    }
    if (e->length) memcpy(code, e->code, (size_t)e->length * sizeof *code);
    ga_free(e->code);
    e->code = code;
    p->room = room;
  }
  e->code[e->length++] = (ga_instruction){op, index, number};
  p->stack += 1 - operation[op].arguments;
  if (p->stack > GA_EXPR_STACK) complain(p, p->at, "expression is nested too deeply");
}

static void apply(parser *p, ga_expr_op op) {
  emit(p, op, 0, 0);
}

static bool read_name(parser *p, char *name) {
  skip(p);
  int n = 0;
  const char *start = p->at;
  if (!isalpha((unsigned char)*start) && *start != '_') return false;
  while (isalnum((unsigned char)start[n]) || start[n] == '_' || start[n] == '.') n++;
  if (n >= NAME_ROOM) {
    complain(p, start, "a name is too long");
    return false;
  }
  memcpy(name, start, (size_t)n);
  name[n] = '\0';
  p->at += n;
  return true;
}

/* a number that needs no variable, for the lists of a table */
static double constant_item(parser *p) {
  const int from = p->expr->length, stack = p->stack;
  const char *where = p->at;
  sum(p);
  if (p->status != GA_OK) return 0;
  ga_expr entry = *p->expr;
  entry.code += from, entry.length -= from;
  if (!ga_expr_constant(&entry)) complain(p, where, "numbers of a table cannot change");
  if (p->status != GA_OK) return 0;
  p->expr->length = from, p->stack = stack;
  return ga_expr_value(&entry, NULL);
}

/* one list [a, b, ..] into values; the number of its entries */
static int table_list(parser *p, double **values) {
  int n = 0, room = 0;
  *values = NULL;
  expect(p, "[");
  do {
    const double value = constant_item(p);
    if (p->status != GA_OK) break;
    if (n == room) {
      room = 2 * room + 8;
      double *more = ga_calloc((size_t)room, sizeof *more);
      if (!more || n > TABLE_MAX) {
        ga_free(more);
        complain(p, p->at, "the table is too long");
        break;
      }
      if (n) memcpy(more, *values, (size_t)n * sizeof *more);
      ga_free(*values);
      *values = more;
    }
    (*values)[n++] = value;
  } while (next_is(p, ","));
  expect(p, "]");
  return n;
}

/* y'' of the natural spline: w_i-1 y''_i-1 + 2 (w_i-1 + w_i) y''_i + w_i y''_i+1 = 6 (slope_i -
 * slope_i-1), zero at the ends; by elimination, c the factors above the diagonal */
static void bend_spline(ga_spline *s, double *c) {
  const double *t = s->t, *y = s->y;
  for (int i = 1; i + 1 < s->n; i++) {
    const double w0 = t[i] - t[i - 1], w1 = t[i + 1] - t[i];
    const double right = 6 * ((y[i + 1] - y[i]) / w1 - (y[i] - y[i - 1]) / w0);
    const double pivot = 2 * (w0 + w1) - w0 * c[i - 1];
    c[i] = w1 / pivot;
    s->bend[i] = (right - w0 * s->bend[i - 1]) / pivot;
  }
  for (int i = s->n - 2; i > 0; i--) s->bend[i] -= c[i] * s->bend[i + 1];
}

static void add_spline(parser *p, const char *where, int n, double *t, double *y) {
  ga_expr *e = p->expr;
  ga_spline *more = ga_calloc((size_t)e->nspline + 1, sizeof *more);
  ga_spline s = {n, t, y, ga_calloc((size_t)n, sizeof(double))};
  double *c = ga_calloc((size_t)n, sizeof *c);
  if (!more || !s.bend || !c) {
    p->status = ga_fail(p->err, GA_ERR_MEM, "no memory for a table");
    ga_free(more), ga_free(s.bend), ga_free(t), ga_free(y);
  } else {
    bend_spline(&s, c);
    if (e->nspline) memcpy(more, e->spline, (size_t)e->nspline * sizeof *more);
    more[e->nspline++] = s;
    ga_free(e->spline);
    e->spline = more;
  }
  ga_free(c);
  for (int i = 0; p->status == GA_OK && i < n; i++) {
    if (!isfinite(t[i]) || !isfinite(y[i]) || (i > 0 && t[i] <= t[i - 1])) {
      complain(p, where, "a table needs finite numbers, the first list increasing");
    }
  }
}

static void table(parser *p) {
  double *t = NULL, *y = NULL;
  sum(p);
  expect(p, ",");
  skip(p);
  const char *where = p->at;
  const int nt = table_list(p, &t);
  expect(p, ",");
  const int ny = table_list(p, &y);
  if (p->status == GA_OK && (nt != ny || nt < 2)) {
    complain(p, where, "the lists of a table need equally many numbers, at least two");
  }
  if (p->status != GA_OK) {
    ga_free(t), ga_free(y);
    return;
  }
  const int index = p->expr->nspline;
  add_spline(p, where, nt, t, y);
  emit(p, GA_EXPR_table, index, 0);
}

static bool comparison(parser *p, ga_expr_op *op) {
  /* the longer signs first */
  static const struct {
    const char *sign;
    ga_expr_op op;
  } signs[] = {{"<=", GA_EXPR_less_equal}, {">=", GA_EXPR_greater_equal}, {"==", GA_EXPR_equal},
               {"!=", GA_EXPR_not_equal},  {"<", GA_EXPR_less},           {">", GA_EXPR_greater}};
  for (int i = 0; i < 6; i++) {
    if (!next_is(p, signs[i].sign)) continue;
    *op = signs[i].op;
    return true;
  }
  return false;
}

static void condition(parser *p) {
  ga_expr_op op = GA_EXPR_less;
  sum(p);
  if (p->status != GA_OK) return;
  if (!comparison(p, &op)) {
    complain(p, p->at, "a comparison (< <= > >= == !=) is expected in the condition of 'if'");
    return;
  }
  sum(p);
  apply(p, op);
}

static void call(parser *p, int op) {
  const char *where = p->at;
  if (op == GA_EXPR_table) {
    table(p);
  } else {
    for (int i = 0; i < operation[op].arguments && p->status == GA_OK; i++) {
      if (i > 0) expect(p, ",");
      if (op == GA_EXPR_if && i == 0) {
        condition(p);
      } else {
        sum(p);
      }
    }
    apply(p, (ga_expr_op)op);
  }
  if (p->status == GA_OK && next_is(p, ",")) {
    complain(p, where, "too many arguments of '%s'", operation[op].name);
  }
  expect(p, ")");
}

static void unknown(parser *p, const char *where, const char *name, bool called) {
  const char *near = called ? ga_nearest_word(name, ga_expr_word) : NULL;
  if (!near && p->scope && p->scope->nearest) near = p->scope->nearest(p->scope->context, name);
  if (!near && !called) near = ga_nearest_word(name, ga_expr_word);
  const char *what = called ? "function" : "name";
  if (near) {
    complain(p, where, "unknown %s '%s'; did you mean '%s'?", what, name, near);
  } else {
    complain(p, where, "unknown %s '%s'", what, name);
  }
}

static void named(parser *p, const char *where, const char *name) {
  if (next_is(p, "(")) {
    for (int op = 0; op < NFUNCTION; op++) {
      if (strcmp(operation[op].name, name) == 0) {
        call(p, op);
        return;
      }
    }
    unknown(p, where, name, true);
    return;
  }
  if (strcmp(name, "pi") == 0 || strcmp(name, "e") == 0) {
    emit(p, GA_EXPR_number, 0, name[0] == 'p' ? pi : euler);
    return;
  }
  ga_name meaning = {GA_NAME_UNKNOWN, 0, 0};
  if (p->scope && p->scope->lookup) meaning = p->scope->lookup(p->scope->context, name);
  if (meaning.kind == GA_NAME_NUMBER) {
    emit(p, GA_EXPR_number, 0, meaning.number);
  } else if (meaning.kind == GA_NAME_VARIABLE) {
    emit(p, GA_EXPR_variable, meaning.variable, 0);
  } else {
    unknown(p, where, name, false);
  }
}

/* digits with one point and an exponent; strtod alone would take "nan", "inf" and hexadecimals */
static bool number(parser *p) {
  skip(p);
  const char *start = p->at;
  if (!isdigit((unsigned char)start[0]) && !(start[0] == '.' && isdigit((unsigned char)start[1]))) {
    return false;
  }
  char *end;
  const double value = start[0] == '0' && (start[1] == 'x' || start[1] == 'X')
                           ? (end = (char *)start + 1, 0.0)
                           : strtod(start, &end);
  p->at = end;
  if (!isfinite(value)) complain(p, start, "the number is too large");
  emit(p, GA_EXPR_number, 0, value);
  return true;
}

typedef struct padded {
  char text[NAME_ROOM + 2];
} padded;

static padded spaced(const char *name) {
  padded p;
  snprintf(p.text, sizeof p.text, " %s ", name);
  return p;
}

static void unit(parser *p) {
  const char *where = p->at;
  char name[NAME_ROOM];
  if (p->status != GA_OK || !read_name(p, name)) return;
  for (int i = 0; i < NUNIT; i++) {
    if (strcmp(units[i].name, name) != 0) continue;
    emit(p, GA_EXPR_number, 0, units[i].factor);
    apply(p, GA_EXPR_multiply);
    return;
  }
  skip(p);
  while (isspace((unsigned char)*where)) where++;
  const bool usual = strstr(" m kg s N J W Pa Hz rad Nm ", spaced(name).text) != NULL;
  complain(p, where, "an operator or a unit (deg, rpm, mm) is expected before '%s'%s", name,
           usual ? "; SI units are left out" : "");
}

static void primary(parser *p) {
  char name[NAME_ROOM];
  if (number(p)) return;
  skip(p);
  const char *where = p->at;
  if (next_is(p, "(")) {
    sum(p);
    expect(p, ")");
  } else if (read_name(p, name)) {
    named(p, where, name);
  } else if (*p->at) {
    complain(p, p->at, "a number, a name or '(' is expected before '%.20s'", p->at);
  } else {
    if (p->at == p->text) {
      complain(p, p->at, "the expression is empty");
    } else {
      complain(p, p->at, "the text ends too early");
    }
  }
}

static void signed_power(parser *p) {
  if (p->status != GA_OK) return;
  if (++p->deep > DEEP) complain(p, p->at, "expression is nested too deeply");
  if (p->status == GA_OK && next_is(p, "-")) {
    signed_power(p);
    apply(p, GA_EXPR_negate);
  } else if (p->status == GA_OK && next_is(p, "+")) {
    signed_power(p);
  } else if (p->status == GA_OK) {
    primary(p);
    unit(p);
    if (p->status == GA_OK && next_is(p, "^")) {
      signed_power(p);
      apply(p, GA_EXPR_power);
    }
  }
  p->deep--;
}

static void product(parser *p) {
  signed_power(p);
  while (p->status == GA_OK) {
    if (next_is(p, "*")) {
      signed_power(p);
      apply(p, GA_EXPR_multiply);
    } else if (next_is(p, "/")) {
      signed_power(p);
      apply(p, GA_EXPR_divide);
    } else {
      return;
    }
  }
}

static void sum(parser *p) {
  product(p);
  while (p->status == GA_OK) {
    if (next_is(p, "+")) {
      product(p);
      apply(p, GA_EXPR_add);
    } else if (next_is(p, "-")) {
      product(p);
      apply(p, GA_EXPR_subtract);
    } else {
      return;
    }
  }
}

/* left > right at the top is the function left - right, whose sign decides; left < right the same
 * with the other sign */
static void top(parser *p) {
  ga_expr_op op = GA_EXPR_less;
  sum(p);
  if (p->status != GA_OK || !p->scope || !p->scope->condition || !comparison(p, &op)) return;
  sum(p);
  apply(p, GA_EXPR_subtract);
  if (op == GA_EXPR_less || op == GA_EXPR_less_equal) apply(p, GA_EXPR_negate);
}

ga_status ga_expr_parse(const char *text, const ga_scope *scope, ga_expr **out, int *column,
                        ga_error *err) {
  *out = NULL;
  if (column) *column = 1;
  parser p = {.text = text, .at = text, .scope = scope, .column = column, .err = err};
  p.expr = ga_calloc(1, sizeof *p.expr);
  if (!p.expr) return ga_fail(err, GA_ERR_MEM, "no memory for an expression");
  top(&p);
  skip(&p);
  if (p.status == GA_OK && *p.at) {
    if (*p.at == ')') {
      complain(&p, p.at, "a '(' is missing before it");
    } else {
      complain(&p, p.at, "'%.20s' is not expected", p.at);
    }
  }
  if (p.status != GA_OK) {
    ga_expr_free(p.expr);
    return p.status;
  }
  *out = p.expr;
  return GA_OK;
}

void ga_expr_free(ga_expr *expr) {
  if (!expr) return;
  for (int i = 0; i < expr->nspline; i++) {
    ga_free(expr->spline[i].t), ga_free(expr->spline[i].y), ga_free(expr->spline[i].bend);
  }
  ga_free(expr->spline);
  ga_free(expr->code);
  ga_free(expr);
}

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

enum { DEEP = 100, NAME_ROOM = 128, TABLE_MAX = 100000 }; /* nesting, name's bytes, table's rows */

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

/* words that cannot be used as names: functions, then units, then constants; NULL past the end */
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

static void parse_sum(parser *p); /* parse_..: reads a rule, appends its code; see p->status */

static void complain(parser *p, const char *where, const char *format, ...) GA_PRINTF(3, 4);

/* Sets p->status and the message, with the column of `where`. Only the first error counts. */
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

static void skip_spaces(parser *p) { /* p->at = next sign that is not a space */
  while (isspace((unsigned char)*p->at)) p->at++;
}

/* If the next sign is `sign`, skips it and returns true. */
static bool next_is(parser *p, const char *sign) {
  skip_spaces(p);
  if (strncmp(p->at, sign, strlen(sign)) != 0) return false;
  p->at += strlen(sign);
  return true;
}

/* skips `sign`, or complains that it is missing */
static void expect_sign(parser *p, const char *sign) {
  if (p->status != GA_OK || next_is(p, sign)) return;
  if (*p->at) {
    complain(p, p->at, "'%s' expected before '%.20s'", sign, p->at);
  } else {
    complain(p, p->at,
             "a '%s' is missing; an expression with a comma inside a list [..] needs quotes", sign);
  }
}

/* Appends an instruction and keeps count of the stack that it needs at run time. */
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

static void apply(parser *p, ga_expr_op op) { /* appends an operation without operand */
  emit(p, op, 0, 0);
}

/* Reads a name (letters, digits, _ and .) into name, NAME_ROOM characters; false: none. */
static bool read_name(parser *p, char *name) {
  skip_spaces(p);
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

/* parses one entry of a table's list and returns its value; it must not contain variables */
static double constant_item(parser *p) {
  const int from = p->expr->length, stack = p->stack;
  const char *where = p->at;
  parse_sum(p);
  if (p->status != GA_OK) return 0;
  ga_expr entry = *p->expr;
  entry.code += from, entry.length -= from;
  if (!ga_expr_constant(&entry)) complain(p, where, "numbers of a table cannot change");
  if (p->status != GA_OK) return 0;
  p->expr->length = from, p->stack = stack;
  return ga_expr_value(&entry, NULL);
}

/* Parses a list [a, b, ..] into *values, which the caller frees; returns the number of entries. */
static int table_list(parser *p, double **values) {
  int n = 0, room = 0;
  *values = NULL;
  expect_sign(p, "[");
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
  expect_sign(p, "]");
  return n;
}

/* Adds the table t, whose x, y, n, kind and periodic are set, to the expression, which then owns it
 * (freed on failure). */
static void add_table(parser *p, const char *where, ga_table *t) {
  ga_expr *e = p->expr;
  ga_table *more = ga_calloc((size_t)e->ntable + 1, sizeof *more);
  for (int i = 0; i < t->n; i++) {
    if (!isfinite(t->x[i]) || !isfinite(t->y[i]) || (i > 0 && t->x[i] <= t->x[i - 1])) {
      complain(p, where, "a table needs finite numbers, the first list increasing");
    }
  }
  if (p->status == GA_OK && t->periodic && t->y[0] != t->y[t->n - 1]) {
    complain(p, where, "a periodic table needs equal values at its first and last point");
  }
  if (p->status == GA_OK && t->periodic && t->kind == GA_TABLE_CUBIC) {
    complain(p, where, "a periodic table is akima, linear or hold");
  }
  if (p->status == GA_OK && (!more || !ga_table_fit(t))) {
    p->status = ga_fail(p->err, GA_ERR_MEM, "no memory for a table");
  }
  if (p->status != GA_OK) {
    ga_free(more);
    ga_table_free(t);
    return;
  }
  if (e->ntable) memcpy(more, e->table, (size_t)e->ntable * sizeof *more);
  more[e->ntable++] = *t;
  ga_free(e->table);
  e->table = more;
}

/* the words behind the lists of a table: its kind, and `periodic`, in this order */
static void parse_table_words(parser *p, ga_table *t) {
  char word[NAME_ROOM];
  for (int i = 0; i < 2 && p->status == GA_OK && next_is(p, ","); i++) {
    skip_spaces(p);
    const char *where = p->at;
    const bool named = read_name(p, word);
    const int kind = named ? ga_table_kind_named(word) : -1;
    if (i == 0 && kind >= 0) {
      t->kind = (ga_table_kind)kind;
    } else if (named && strcmp(word, "periodic") == 0) {
      t->periodic = true;
      return;
    } else {
      complain(p, where, "akima, linear, cubic, hold or periodic is expected behind the lists");
    }
  }
}

/* the arguments of table(x, [x..], [y..]) */
static void parse_table(parser *p) {
  ga_table t = {.kind = GA_TABLE_AKIMA};
  parse_sum(p);
  expect_sign(p, ",");
  skip_spaces(p);
  const char *where = p->at;
  t.n = table_list(p, &t.x);
  expect_sign(p, ",");
  const int ny = table_list(p, &t.y);
  if (p->status == GA_OK && (t.n != ny || ny < 2)) {
    complain(p, where, "the lists of a table need equally many numbers, at least two");
  }
  if (p->status == GA_OK) parse_table_words(p, &t);
  if (p->status != GA_OK) {
    ga_table_free(&t);
    return;
  }
  const int index = p->expr->ntable;
  add_table(p, where, &t);
  emit(p, GA_EXPR_table, index, 0);
}

/* If a comparison sign follows, skips it, sets *op and returns true. */
static bool next_comparison(parser *p, ga_expr_op *op) {
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

/* sum, comparison, sum: the first argument of `if` */
static void parse_condition(parser *p) {
  ga_expr_op op = GA_EXPR_less;
  parse_sum(p);
  if (p->status != GA_OK) return;
  if (!next_comparison(p, &op)) {
    complain(p, p->at, "a comparison (< <= > >= == !=) is expected in the condition of 'if'");
    return;
  }
  parse_sum(p);
  apply(p, op);
}

/* arguments and ")" of function number op; "(" has been read */
static void parse_call(parser *p, int op) {
  const char *where = p->at;
  if (op == GA_EXPR_table) {
    parse_table(p);
  } else {
    for (int i = 0; i < operation[op].arguments && p->status == GA_OK; i++) {
      if (i > 0) expect_sign(p, ",");
      if (op == GA_EXPR_if && i == 0) {
        parse_condition(p);
      } else {
        parse_sum(p);
      }
    }
    apply(p, (ga_expr_op)op);
  }
  if (p->status == GA_OK && next_is(p, ",")) {
    complain(p, where, "too many arguments of '%s'", operation[op].name);
  }
  expect_sign(p, ")");
}

/* complains about a name or function, with the most similar one that exists */
static void report_unknown(parser *p, const char *where, const char *name, bool called) {
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

/* what follows a name: a call, or a constant, parameter or variable */
static void parse_named(parser *p, const char *where, const char *name) {
  if (next_is(p, "(")) {
    for (int op = 0; op < NFUNCTION; op++) {
      if (strcmp(operation[op].name, name) == 0) {
        parse_call(p, op);
        return;
      }
    }
    report_unknown(p, where, name, true);
    return;
  }
  ga_name meaning = {GA_NAME_UNKNOWN, 0, 0};
  if (p->scope && p->scope->lookup) meaning = p->scope->lookup(p->scope->context, name);
  if (meaning.kind == GA_NAME_NUMBER) {
    emit(p, GA_EXPR_number, 0, meaning.number);
  } else if (meaning.kind == GA_NAME_VARIABLE) {
    emit(p, GA_EXPR_variable, meaning.variable, 0);
  } else if (strcmp(name, "pi") == 0 || strcmp(name, "e") == 0) {
    emit(p, GA_EXPR_number, 0, name[0] == 'p' ? pi : euler);
  } else {
    report_unknown(p, where, name, false);
  }
}

/* Digits with one point and an exponent; false: none. (strtod would take "nan" and "0x1", too.) */
static bool parse_number(parser *p) {
  skip_spaces(p);
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

/* is it a unit of the SI that people write, although it must be left out? */
static bool is_usual_unit(const char *name) {
  static const char *const usual[] = {"m", "kg", "s", "N", "J", "W", "Pa", "Hz", "rad", "Nm"};
  for (int i = 0; i < 10; i++) {
    if (strcmp(usual[i], name) == 0) return true;
  }
  return false;
}

/* an optional unit behind a primary: multiplies by its factor */
static void parse_unit(parser *p) {
  const char *where = p->at;
  char name[NAME_ROOM];
  if (p->status != GA_OK || !read_name(p, name)) return;
  for (int i = 0; i < NUNIT; i++) {
    if (strcmp(units[i].name, name) != 0) continue;
    emit(p, GA_EXPR_number, 0, units[i].factor);
    apply(p, GA_EXPR_multiply);
    return;
  }
  skip_spaces(p);
  while (isspace((unsigned char)*where)) where++;
  complain(p, where, "an operator or a unit (deg, rpm, mm) is expected before '%s'%s", name,
           is_usual_unit(name) ? "; SI units are left out" : "");
}

/* number, name, call or parentheses */
static void parse_primary(parser *p) {
  char name[NAME_ROOM];
  if (parse_number(p)) return;
  skip_spaces(p);
  const char *where = p->at;
  if (next_is(p, "(")) {
    parse_sum(p);
    expect_sign(p, ")");
  } else if (read_name(p, name)) {
    parse_named(p, where, name);
  } else if (*p->at) {
    complain(p, p->at, "a number, a name or '(' is expected before '%.20s'", p->at);
  } else {
    complain(p, p->at, p->at == p->text ? "the expression is empty" : "the text ends too early");
  }
}

/* signs, then a power; "^" is right-associative, and -2^2 is -(2^2) */
static void parse_signed(parser *p) {
  if (p->status != GA_OK) return;
  if (++p->deep > DEEP) complain(p, p->at, "expression is nested too deeply");
  if (p->status == GA_OK && next_is(p, "-")) {
    parse_signed(p);
    apply(p, GA_EXPR_negate);
  } else if (p->status == GA_OK && next_is(p, "+")) {
    parse_signed(p);
  } else if (p->status == GA_OK) {
    parse_primary(p);
    parse_unit(p);
    if (p->status == GA_OK && next_is(p, "^")) {
      parse_signed(p);
      apply(p, GA_EXPR_power);
    }
  }
  p->deep--;
}

static void parse_product(parser *p) { /* signed {* or / signed}, from left to right */
  parse_signed(p);
  while (p->status == GA_OK) {
    if (next_is(p, "*")) {
      parse_signed(p);
      apply(p, GA_EXPR_multiply);
    } else if (next_is(p, "/")) {
      parse_signed(p);
      apply(p, GA_EXPR_divide);
    } else {
      return;
    }
  }
}

static void parse_sum(parser *p) { /* product {+ or - product}, from left to right */
  parse_product(p);
  while (p->status == GA_OK) {
    if (next_is(p, "+")) {
      parse_product(p);
      apply(p, GA_EXPR_add);
    } else if (next_is(p, "-")) {
      parse_product(p);
      apply(p, GA_EXPR_subtract);
    } else {
      return;
    }
  }
}

/* A comparison at the top, if the scope allows one, becomes the function left - right (for < and <=
 * right - left), which is positive where the comparison holds. */
static void parse_top(parser *p) {
  ga_expr_op op = GA_EXPR_less;
  parse_sum(p);
  if (p->status != GA_OK || !p->scope || !p->scope->condition || !next_comparison(p, &op)) return;
  parse_sum(p);
  apply(p, GA_EXPR_subtract);
  if (op == GA_EXPR_less || op == GA_EXPR_less_equal) apply(p, GA_EXPR_negate);
}

/* *out = code of the expression, freed by ga_expr_free; on failure NULL, and err says why. */
ga_status ga_expr_parse(const char *text, const ga_scope *scope, ga_expr **out, int *column,
                        ga_error *err) {
  *out = NULL;
  if (column) *column = 1;
  parser p = {.text = text, .at = text, .scope = scope, .column = column, .err = err};
  p.expr = ga_calloc(1, sizeof *p.expr);
  if (!p.expr) return ga_fail(err, GA_ERR_MEM, "no memory for an expression");
  parse_top(&p);
  skip_spaces(&p);
  if (*p.at == ')') complain(&p, p.at, "a '(' is missing before it");
  if (*p.at) complain(&p, p.at, "'%.20s' is not expected", p.at);
  if (p.status != GA_OK) {
    ga_expr_free(p.expr);
    return p.status;
  }
  *out = p.expr;
  return GA_OK;
}

/* frees an expression with its code and tables; NULL is allowed */
void ga_expr_free(ga_expr *expr) {
  if (!expr) return;
  for (int i = 0; i < expr->ntable; i++) ga_table_free(&expr->table[i]);
  ga_free(expr->table);
  ga_free(expr->code);
  ga_free(expr);
}

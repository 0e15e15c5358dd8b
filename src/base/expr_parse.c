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

#include "base/expr_parser.h"

enum { DEEP = 100 }; /* nested parentheses and signs */

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
} units[] = {{"deg", 3.14159265358979323846 / 180},
             {"rpm", 2 * 3.14159265358979323846 / 60},
             {"mm", 1e-3},
             {"ms", 1e-3}};
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

/* Sets p->status and the message, with the column of `where`. Only the first error counts. */
void ga_parser_complain(ga_parser *p, const char *where, const char *format, ...) {
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

void ga_parser_skip_spaces(ga_parser *p) { /* p->at = next sign that is not a space */
  while (isspace((unsigned char)*p->at)) p->at++;
}

/* If the next sign is `sign`, skips it and returns true. */
bool ga_parser_next_is(ga_parser *p, const char *sign) {
  ga_parser_skip_spaces(p);
  if (strncmp(p->at, sign, strlen(sign)) != 0) return false;
  p->at += strlen(sign);
  return true;
}

/* skips `sign`, or complains that it is missing */
void ga_parser_expect(ga_parser *p, const char *sign) {
  if (p->status != GA_OK || ga_parser_next_is(p, sign)) return;
  if (*p->at) {
    ga_parser_complain(p, p->at, "'%s' expected before '%.20s'", sign, p->at);
  } else {
    ga_parser_complain(
        p, p->at, "a '%s' is missing; an expression with a comma inside a list [..] needs quotes",
        sign);
  }
}

/* Appends an instruction and keeps count of the stack that it needs at run time. */
void ga_parser_emit(ga_parser *p, ga_expr_op op, int index, double number) {
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
  if (p->stack > GA_EXPR_STACK) ga_parser_complain(p, p->at, "expression is nested too deeply");
}

static void apply(ga_parser *p, ga_expr_op op) { /* appends an operation without operand */
  ga_parser_emit(p, op, 0, 0);
}

/* Reads a name (letters, digits, _ and .) into name, GA_NAME_ROOM characters; false: none. */
bool ga_parser_name(ga_parser *p, char *name) {
  ga_parser_skip_spaces(p);
  int n = 0;
  const char *start = p->at;
  if (!isalpha((unsigned char)*start) && *start != '_') return false;
  while (isalnum((unsigned char)start[n]) || start[n] == '_' || start[n] == '.') n++;
  if (n >= GA_NAME_ROOM) {
    ga_parser_complain(p, start, "a name is too long");
    return false;
  }
  memcpy(name, start, (size_t)n);
  name[n] = '\0';
  p->at += n;
  return true;
}

/* If a comparison sign follows, skips it, sets *op and returns true. */
static bool next_comparison(ga_parser *p, ga_expr_op *op) {
  /* the longer signs first */
  static const struct {
    const char *sign;
    ga_expr_op op;
  } signs[] = {{"<=", GA_EXPR_less_equal}, {">=", GA_EXPR_greater_equal}, {"==", GA_EXPR_equal},
               {"!=", GA_EXPR_not_equal},  {"<", GA_EXPR_less},           {">", GA_EXPR_greater}};
  for (int i = 0; i < 6; i++) {
    if (!ga_parser_next_is(p, signs[i].sign)) continue;
    *op = signs[i].op;
    return true;
  }
  return false;
}

/* sum, comparison, sum: the first argument of `if` */
static void parse_condition(ga_parser *p) {
  ga_expr_op op = GA_EXPR_less;
  ga_parser_sum(p);
  if (p->status != GA_OK) return;
  if (!next_comparison(p, &op)) {
    ga_parser_complain(p, p->at,
                       "a comparison (< <= > >= == !=) is expected in the condition of 'if'");
    return;
  }
  ga_parser_sum(p);
  apply(p, op);
}

/* arguments and ")" of function number op; "(" has been read */
static void parse_call(ga_parser *p, int op) {
  const char *where = p->at;
  if (op == GA_EXPR_table) {
    ga_parser_table(p);
  } else {
    for (int i = 0; i < operation[op].arguments && p->status == GA_OK; i++) {
      if (i > 0) ga_parser_expect(p, ",");
      if (op == GA_EXPR_if && i == 0) {
        parse_condition(p);
      } else {
        ga_parser_sum(p);
      }
    }
    apply(p, (ga_expr_op)op);
  }
  if (p->status == GA_OK && ga_parser_next_is(p, ",")) {
    ga_parser_complain(p, where, "too many arguments of '%s'", operation[op].name);
  }
  ga_parser_expect(p, ")");
}

/* complains about a name or function, with the most similar one that exists */
static void report_unknown(ga_parser *p, const char *where, const char *name, bool called) {
  const char *near = called ? ga_nearest_word(name, ga_expr_word) : NULL;
  if (!near && p->scope && p->scope->nearest) near = p->scope->nearest(p->scope->context, name);
  if (!near && !called) near = ga_nearest_word(name, ga_expr_word);
  const char *what = called ? "function" : "name";
  if (near) {
    ga_parser_complain(p, where, "unknown %s '%s'; did you mean '%s'?", what, name, near);
  } else {
    ga_parser_complain(p, where, "unknown %s '%s'", what, name);
  }
}

/* what follows a name: a call, or a constant, parameter or variable */
static void parse_named(ga_parser *p, const char *where, const char *name) {
  if (ga_parser_next_is(p, "(")) {
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
    ga_parser_emit(p, GA_EXPR_number, 0, meaning.number);
  } else if (meaning.kind == GA_NAME_VARIABLE) {
    ga_parser_emit(p, GA_EXPR_variable, meaning.variable, 0);
  } else if (strcmp(name, "pi") == 0 || strcmp(name, "e") == 0) {
    ga_parser_emit(p, GA_EXPR_number, 0, name[0] == 'p' ? pi : euler);
  } else {
    report_unknown(p, where, name, false);
  }
}

/* Digits with one point and an exponent; false: none. (strtod would take "nan" and "0x1", too.) */
static bool parse_number(ga_parser *p) {
  ga_parser_skip_spaces(p);
  const char *start = p->at;
  if (!isdigit((unsigned char)start[0]) && !(start[0] == '.' && isdigit((unsigned char)start[1]))) {
    return false;
  }
  char *end;
  const double value = start[0] == '0' && (start[1] == 'x' || start[1] == 'X')
                           ? (end = (char *)start + 1, 0.0)
                           : strtod(start, &end);
  p->at = end;
  if (!isfinite(value)) ga_parser_complain(p, start, "the number is too large");
  ga_parser_emit(p, GA_EXPR_number, 0, value);
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
static void parse_unit(ga_parser *p) {
  const char *where = p->at;
  char name[GA_NAME_ROOM];
  if (p->status != GA_OK || !ga_parser_name(p, name)) return;
  for (int i = 0; i < NUNIT; i++) {
    if (strcmp(units[i].name, name) != 0) continue;
    ga_parser_emit(p, GA_EXPR_number, 0, units[i].factor);
    apply(p, GA_EXPR_multiply);
    return;
  }
  ga_parser_skip_spaces(p);
  while (isspace((unsigned char)*where)) where++;
  ga_parser_complain(p, where, "an operator or a unit (deg, rpm, mm, ms) is expected before '%s'%s",
                     name, is_usual_unit(name) ? "; SI units are left out" : "");
}

/* number, name, call or parentheses */
static void parse_primary(ga_parser *p) {
  char name[GA_NAME_ROOM];
  if (parse_number(p)) return;
  ga_parser_skip_spaces(p);
  const char *where = p->at;
  if (ga_parser_next_is(p, "(")) {
    ga_parser_sum(p);
    ga_parser_expect(p, ")");
  } else if (ga_parser_name(p, name)) {
    parse_named(p, where, name);
  } else if (*p->at) {
    ga_parser_complain(p, p->at, "a number, a name or '(' is expected before '%.20s'", p->at);
  } else {
    ga_parser_complain(p, p->at,
                       p->at == p->text ? "the expression is empty" : "the text ends too early");
  }
}

/* signs, then a power; "^" is right-associative, and -2^2 is -(2^2) */
static void parse_signed(ga_parser *p) {
  if (p->status != GA_OK) return;
  if (++p->deep > DEEP) ga_parser_complain(p, p->at, "expression is nested too deeply");
  if (p->status == GA_OK && ga_parser_next_is(p, "-")) {
    parse_signed(p);
    apply(p, GA_EXPR_negate);
  } else if (p->status == GA_OK && ga_parser_next_is(p, "+")) {
    parse_signed(p);
  } else if (p->status == GA_OK) {
    parse_primary(p);
    parse_unit(p);
    if (p->status == GA_OK && ga_parser_next_is(p, "^")) {
      parse_signed(p);
      apply(p, GA_EXPR_power);
    }
  }
  p->deep--;
}

static void parse_product(ga_parser *p) { /* signed {* or / signed}, from left to right */
  parse_signed(p);
  while (p->status == GA_OK) {
    if (ga_parser_next_is(p, "*")) {
      parse_signed(p);
      apply(p, GA_EXPR_multiply);
    } else if (ga_parser_next_is(p, "/")) {
      parse_signed(p);
      apply(p, GA_EXPR_divide);
    } else {
      return;
    }
  }
}

void ga_parser_sum(ga_parser *p) { /* product {+ or - product}, from left to right */
  parse_product(p);
  while (p->status == GA_OK) {
    if (ga_parser_next_is(p, "+")) {
      parse_product(p);
      apply(p, GA_EXPR_add);
    } else if (ga_parser_next_is(p, "-")) {
      parse_product(p);
      apply(p, GA_EXPR_subtract);
    } else {
      return;
    }
  }
}

/* A comparison at the top, if the scope allows one, becomes the function left - right (for < and <=
 * right - left), which is positive where the comparison holds. */
static void parse_top(ga_parser *p) {
  ga_expr_op op = GA_EXPR_less;
  ga_parser_sum(p);
  if (p->status != GA_OK || !p->scope || !p->scope->condition || !next_comparison(p, &op)) return;
  ga_parser_sum(p);
  apply(p, GA_EXPR_subtract);
  if (op == GA_EXPR_less || op == GA_EXPR_less_equal) apply(p, GA_EXPR_negate);
}

/* *out = code of the expression, freed by ga_expr_free; on failure NULL, and err says why. */
ga_status ga_expr_parse(const char *text, const ga_scope *scope, ga_expr **out, int *column,
                        ga_error *err) {
  *out = NULL;
  if (column) *column = 1;
  ga_parser p = {.text = text, .at = text, .scope = scope, .column = column, .err = err};
  p.expr = ga_calloc(1, sizeof *p.expr);
  if (!p.expr) return ga_fail(err, GA_ERR_MEM, "no memory for an expression");
  parse_top(&p);
  ga_parser_skip_spaces(&p);
  if (*p.at == ')') ga_parser_complain(&p, p.at, "a '(' is missing before it");
  if (*p.at) ga_parser_complain(&p, p.at, "'%.20s' is not expected", p.at);
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

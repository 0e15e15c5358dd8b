/* SPDX-License-Identifier: MIT */
/* The parser of expressions: what expr_parse.c and expr_parse_table.c share. */
#ifndef GA_SRC_EXPR_PARSER_H
#define GA_SRC_EXPR_PARSER_H

#include "base/expr_code.h"

enum { GA_NAME_ROOM = 128 }; /* bytes of a name */

typedef struct ga_parser {
  const char *text, *at;
  const ga_scope *scope;
  ga_expr *expr;
  int room;  /* for instructions */
  int stack; /* how full it is here */
  int deep;  /* nested parentheses and signs */
  int *column;
  ga_error *err;
  ga_status status;
} ga_parser;

/* Sets p->status and the message, with the column of `where`. Only the first error counts. */
void ga_parser_complain(ga_parser *p, const char *where, const char *format, ...) GA_PRINTF(3, 4);
/* Skips spaces; skips `sign` if it stands here; skips it, or complains that it is missing. */
void ga_parser_skip_spaces(ga_parser *p);
bool ga_parser_next_is(ga_parser *p, const char *sign);
void ga_parser_expect(ga_parser *p, const char *sign);
/* Reads a name into name, GA_NAME_ROOM characters; false: none. */
bool ga_parser_name(ga_parser *p, char *name);
/* Appends an instruction. */
void ga_parser_emit(ga_parser *p, ga_expr_op op, int index, double number);
/* The rule `sum`; the arguments of `table`. */
void ga_parser_sum(ga_parser *p);
void ga_parser_table(ga_parser *p);

#endif

/* SPDX-License-Identifier: MIT */
/* The arguments of `table` in expressions: written lists, or columns of a CSV file. */
#include <math.h>
#include <string.h>

#include "base/expr_parser.h"

enum { TABLE_MAX = 100000, FILE_ROOM = 1024 }; /* numbers of a written list, bytes of a path */

/* parses one entry of a table's list and returns its value; it must not contain variables */
static double constant_item(ga_parser *p) {
  const int from = p->expr->length, stack = p->stack;
  const char *where = p->at;
  ga_parser_sum(p);
  if (p->status != GA_OK) return 0;
  ga_expr entry = *p->expr;
  entry.code += from, entry.length -= from;
  if (!ga_expr_constant(&entry)) ga_parser_complain(p, where, "numbers of a table cannot change");
  if (p->status != GA_OK) return 0;
  p->expr->length = from, p->stack = stack;
  return ga_expr_value(&entry, NULL);
}

/* Parses a list [a, b, ..] into *values, which the caller frees; returns the number of entries. */
static int table_list(ga_parser *p, double **values) {
  int n = 0, room = 0;
  *values = NULL;
  ga_parser_expect(p, "[");
  do {
    const double value = constant_item(p);
    if (p->status != GA_OK) break;
    if (n == room) {
      room = 2 * room + 8;
      double *more = ga_calloc((size_t)room, sizeof *more);
      if (!more || n > TABLE_MAX) {
        ga_free(more);
        ga_parser_complain(p, p->at, "the table is too long");
        break;
      }
      if (n) memcpy(more, *values, (size_t)n * sizeof *more);
      ga_free(*values);
      *values = more;
    }
    (*values)[n++] = value;
  } while (ga_parser_next_is(p, ","));
  ga_parser_expect(p, "]");
  return n;
}

/* Adds the table t, whose x, y, n, kind and periodic are set, to the expression, which then owns it
 * (freed on failure). */
static void add_table(ga_parser *p, const char *where, ga_table *t) {
  ga_expr *e = p->expr;
  ga_table *more = ga_calloc((size_t)e->ntable + 1, sizeof *more);
  for (int i = 0; i < t->n; i++) {
    if (!isfinite(t->x[i]) || !isfinite(t->y[i]) || (i > 0 && t->x[i] <= t->x[i - 1])) {
      ga_parser_complain(p, where, "a table needs finite numbers, the first list increasing");
    }
  }
  if (p->status == GA_OK && t->periodic && t->y[0] != t->y[t->n - 1]) {
    ga_parser_complain(p, where, "a periodic table needs equal values at its first and last point");
  }
  if (p->status == GA_OK && t->periodic && t->kind == GA_TABLE_CUBIC) {
    ga_parser_complain(p, where, "a periodic table is akima, linear or hold");
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
static void parse_table_words(ga_parser *p, ga_table *t) {
  char word[GA_NAME_ROOM];
  for (int i = 0; i < 2 && p->status == GA_OK && ga_parser_next_is(p, ","); i++) {
    ga_parser_skip_spaces(p);
    const char *where = p->at;
    const bool named = ga_parser_name(p, word);
    const int kind = named ? ga_table_kind_named(word) : -1;
    if (i == 0 && kind >= 0) {
      t->kind = (ga_table_kind)kind;
    } else if (named && strcmp(word, "periodic") == 0) {
      t->periodic = true;
      return;
    } else {
      ga_parser_complain(p, where,
                         "akima, linear, cubic, hold or periodic is expected behind the table");
    }
  }
}

/* Reads a text in quotes "..." or '...' into text, room bytes. False, without a complaint: no quote
 * stands here. */
static bool read_quoted(ga_parser *p, char *text, size_t room) {
  ga_parser_skip_spaces(p);
  const char quote = *p->at, *where = p->at;
  if (quote != '"' && quote != '\'') return false;
  const char *end = strchr(where + 1, quote);
  if (!end || (size_t)(end - where) > room) {
    ga_parser_complain(p, where, end ? "the text in quotes is too long" : "a quote does not end");
    return false;
  }
  memcpy(text, where + 1, (size_t)(end - where - 1));
  text[end - where - 1] = '\0';
  p->at = end + 1;
  return true;
}

/* x and y of the table t from columns of a file; x_name "": the first column. Complains at where. */
static void read_table_file(ga_parser *p, const char *where, const char *file, const char *y_name,
                            const char *x_name, ga_table *t) {
  const ga_scope *scope = p->scope;
  ga_error err = {GA_OK, ""};
  ga_csv *csv = NULL;
  ga_status status = scope && scope->open ? scope->open(scope->context, file, &csv, &err)
                                          : ga_csv_load(file, &csv, &err);
  const int y = status == GA_OK ? ga_csv_column(csv, y_name, &err) : -1;
  const int x = y >= 0 && *x_name ? ga_csv_column(csv, x_name, &err) : 0;
  if (status == GA_OK && (x < 0 || y < 0)) status = GA_ERR_FILE;
  if (status == GA_OK) {
    t->n = ga_csv_rows(csv);
    t->x = ga_calloc((size_t)t->n + 1, sizeof(double));
    t->y = ga_calloc((size_t)t->n + 1, sizeof(double));
    status = t->n < 2 ? ga_fail(&err, GA_ERR_FILE, "%s: a table needs at least two rows", file)
             : !t->x || !t->y ? ga_fail(&err, GA_ERR_MEM, "no memory for a table")
                              : ga_csv_numbers(csv, x, true, t->x, &err);
  }
  if (status == GA_OK) status = ga_csv_numbers(csv, y, false, t->y, &err);
  ga_csv_free(csv);
  if (status != GA_OK) ga_parser_complain(p, where, "%s", err.text);
}

/* the arguments of a table behind x: "FILE", "column", and perhaps "column of x" */
static void parse_table_file(ga_parser *p, ga_table *t) {
  char file[FILE_ROOM], y_name[GA_NAME_ROOM], x_name[GA_NAME_ROOM] = "";
  const char *where = p->at;
  if (!read_quoted(p, file, sizeof file)) return;
  ga_parser_expect(p, ",");
  if (p->status == GA_OK && !read_quoted(p, y_name, sizeof y_name)) {
    ga_parser_complain(p, p->at, "the name of a column in quotes is expected behind the file");
  }
  const char *before = p->at;
  if (p->status == GA_OK && ga_parser_next_is(p, ",") && !read_quoted(p, x_name, sizeof x_name)) {
    p->at = before; /* a word follows */
  }
  if (p->status == GA_OK) read_table_file(p, where, file, y_name, x_name, t);
}

/* the arguments of a table behind x: [x..], [y..] */
static void parse_table_lists(ga_parser *p, ga_table *t) {
  const char *where = p->at;
  t->n = table_list(p, &t->x);
  ga_parser_expect(p, ",");
  const int ny = table_list(p, &t->y);
  if (p->status == GA_OK && (t->n != ny || ny < 2)) {
    ga_parser_complain(p, where, "the lists of a table need equally many numbers, at least two");
  }
}

/* the arguments of table(x, [x..], [y..]) and table(x, "FILE", "column") */
void ga_parser_table(ga_parser *p) {
  ga_table t = {.kind = GA_TABLE_AKIMA};
  ga_parser_sum(p);
  ga_parser_expect(p, ",");
  ga_parser_skip_spaces(p);
  const char *where = p->at;
  if (*p->at == '"' || *p->at == '\'') {
    parse_table_file(p, &t);
  } else {
    parse_table_lists(p, &t);
  }
  if (p->status == GA_OK) parse_table_words(p, &t);
  if (p->status != GA_OK) {
    ga_table_free(&t);
    return;
  }
  const int index = p->expr->ntable;
  add_table(p, where, &t);
  ga_parser_emit(p, GA_EXPR_table, index, 0);
}

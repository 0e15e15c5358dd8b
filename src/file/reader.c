/* SPDX-License-Identifier: MIT */
/* Values of a model file: numbers and functions as expressions, names with {expressions}. Functions
 * that return bool return false after a failure, which is recorded in r->status and r->err; results
 * are then not to be used. */
#include "file/reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mechanism/signal/signal.h"

/* ---- failures ------------------------------------------------------------------------------- */

/* text <- the present position in the file, such as "bodies.crank.mass"; room: bytes of text. */
static void path_text(const ga_reader *r, size_t room, char *text) {
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < r->depth && i < GA_WHERE_MAX && used < room; i++) {
    const int n = snprintf(text + used, room - used, "%s%s", i ? "." : "", r->where[i]);
    used += n > 0 ? (size_t)n : 0;
  }
}

/* Record the first failure in r->status and r->err, with path, line and column. Returns false. */
static bool fail_column(ga_reader *r, const ga_node *node, int column, const char *text) {
  char path[256];
  if (r->status != GA_OK) return false;
  path_text(r, sizeof path, path);
  if (node->line == 0) { /* a parameter that the caller has set */
    r->status =
        ga_fail(r->err, GA_ERR_FILE, "%s: %s, set to '%.80s': %s", r->path, path, node->text, text);
    return false;
  }
  r->status = ga_fail(r->err, GA_ERR_FILE, "%s:%d:%d: %s%s%s", node->file ? node->file : r->path,
                      node->line, column, path, *path ? ": " : "", text);
  return false;
}

/* Fail at the node with a formatted text; only the first failure is kept. Returns false. */
bool ga_reader_fail(ga_reader *r, const ga_node *node, const char *format, ...) {
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return fail_column(r, node, node->column, text);
}

/* Append a copy of a word to the position in the file that messages name (r->where, r->depth);
 * ga_reader_leave removes it. Words beyond GA_WHERE_MAX are counted, not kept. */
void ga_reader_enter(ga_reader *r, const char *word) {
  if (r->depth < GA_WHERE_MAX) snprintf(r->where[r->depth], sizeof r->where[0], "%s", word);
  r->depth++;
}

/* Remove the last word of the position; not needed after a failure. */
void ga_reader_leave(ga_reader *r) {
  r->depth--;
}

/* True if status, the result of a call of the mechanism that wrote *err, is GA_OK. GA_ERR_ARG is
 * recorded as GA_ERR_FILE with the line and column of the node, other errors as they are, with the
 * path only. */
bool ga_reader_accept(ga_reader *r, const ga_node *node, ga_status status, const ga_error *err) {
  if (status == GA_OK) return true;
  if (status != GA_ERR_ARG) {
    if (r->status == GA_OK) r->status = ga_fail(r->err, status, "%s: %s", r->path, err->text);
    return false;
  }
  return ga_reader_fail(r, node, "%s", err->text);
}

/* ---- expressions ---------------------------------------------------------------------------- */

/* What an expression may mention (context of the ga_scope). */
typedef struct {
  ga_reader *r;
  const ga_variable *variables; /* NULL: none */
  ga_used_names *used;          /* signals that are mentioned; NULL: signals are not allowed */
  const char *file;             /* where the expression stands */
} scope;

/* Could the name be a signal? What follows later in the file is not known yet: the name of a column
 * with a '.', or of a sensor, state or input in one of these sections or in a repetition. */
static bool may_be_signal(const ga_reader *r, const char *name, const char *full) {
  static const char *const sections[] = {"sensors", "states", "inputs", "controllers"};
  if (strcmp(name, "pi") == 0 || strcmp(name, "e") == 0) return false; /* constants */
  if (strchr(name, '.') || ga_mechanism_signal_known(r->m, full)) return true;
  if (!r->root || ga_node_find(r->root, "repeat") || ga_node_find(r->root, "assemblies")) {
    return r->root != NULL;
  }
  for (int i = 0; i < 4; i++) {
    const ga_node *section = ga_node_find(r->root, sections[i]);
    const ga_node *item = section && section->kind == GA_NODE_MAP ? section->first : NULL;
    for (; item; item = item->next) {
      const size_t n = strlen(item->key->text);
      if (strncmp(item->key->text, name, n) == 0 && (!name[n] || name[n] == '_')) return true;
    }
  }
  return false;
}

/* Names in expressions (ga_scope): a variable, an index of a repetition (innermost first), or a
 * parameter. If it is a parameter defined below, r->below is set, for the message. */
static ga_name lookup_name(const void *context, const char *name) {
  const scope *s = context;
  ga_reader *r = s->r;
  for (int i = 0; s->variables && s->variables[i].name; i++) {
    if (strcmp(s->variables[i].name, name) == 0) return (ga_name){GA_NAME_VARIABLE, 0, i};
  }
  for (int i = r->nindex - 1; i >= 0; i--) {
    if (strcmp(r->index[i].name, name) == 0) return (ga_name){GA_NAME_NUMBER, r->index[i].value, 0};
  }
  for (int i = 0; i < r->parameters.count; i++) {
    const ga_parameter *p = &r->parameters.item[i];
    if (strcmp(p->name, name) == 0) return (ga_name){GA_NAME_NUMBER, p->value, 0};
  }
  char room[GA_WORD_ROOM];
  const char *full = ga_full_name(r, name, room, sizeof room);
  if (s->used && may_be_signal(r, name, full)) {
    char *copy = ga_arena_take(r->arena, strlen(full) + 1, 1);
    const int i = ga_used_name(s->used, full, copy ? strcpy(copy, full) : NULL);
    int own = 0;
    while (s->variables[own].name) own++;
    if (i >= 0) return (ga_name){GA_NAME_VARIABLE, 0, own + i};
  }
  const ga_node *later = r->later ? ga_node_find(r->later, name) : NULL;
  if (later) r->below = later->key->text;
  return (ga_name){GA_NAME_UNKNOWN, 0, 0};
}

/* Name of the i-th parameter, NULL past the end (candidates of ga_nearest_in). */
static const char *parameter_name(const void *context, int i) {
  const ga_reader *r = context;
  return i < r->parameters.count ? r->parameters.item[i].name : NULL;
}

/* The most similar parameter, for "did you mean" (ga_scope). */
static const char *nearest_parameter(const void *context, const char *name) {
  return ga_nearest_in(name, parameter_name, ((const scope *)context)->r);
}

/* Keep the name and the path of a CSV file in r->tables, once. GA_ERR_MEM without memory. */
ga_status ga_keep_table(ga_reader *r, const char *name, const char *path, ga_error *err) {
  for (int i = 0; i < r->tables.count; i++) {
    if (strcmp(r->tables.item[i].name, name) == 0) return GA_OK;
  }
  char *own = ga_arena_take(r->arena, strlen(name) + strlen(path) + 2, 1);
  if (!own || !GA_GROW(r->tables)) return ga_fail(err, GA_ERR_MEM, "%s: no memory", path);
  strcpy(own, name);
  r->tables.item[r->tables.count++] = (ga_table_file){own, strcpy(own + strlen(name) + 1, path)};
  return GA_OK;
}

/* path <- where the file is that `from` names (NULL: the model file): names that are not absolute
 * begin at the folder of that file; of the model file, at the folder of the reader if there is one.
 * False: it does not fit into `room` bytes. */
bool ga_reader_path(const ga_reader *r, const char *from, const char *name, size_t room,
                    char *path) {
  const bool given = r->folder && (!from || strcmp(from, r->path) == 0);
  const char *file = from ? from : r->path, *slash = strrchr(file, '/');
  const char *folder = given ? r->folder : file;
  const int length = given ? (int)strlen(folder) : slash ? (int)(slash - file) : 0;
  const bool relative = name[0] != '/' && (given || slash);
  const int n =
      snprintf(path, room, "%.*s%s%s", relative ? length : 0, folder, relative ? "/" : "", name);
  return n >= 0 && (size_t)n < room;
}

/* *out <- the CSV file of this name (ga_scope): from the section `files`, or from the folder. */
static ga_status open_csv(const void *context, const char *name, ga_csv **out, ga_error *err) {
  const scope *s = context;
  ga_reader *r = s->r;
  const ga_node *own = r->files ? ga_node_find(r->files, name) : NULL;
  char path[2048];
  if (own) return ga_csv_parse(name, own->text, strlen(own->text), out, err);
  *out = NULL;
  if (!ga_reader_path(r, s->file, name, sizeof path, path)) {
    return ga_fail(err, GA_ERR_FILE, "the path of '%.60s' is too long", name);
  }
  const ga_status status = ga_csv_load(path, out, err);
  return status == GA_OK ? ga_keep_table(r, name, path, err) : status;
}

/* *expr <- text parsed, a substring of the node's text that begins at `offset`; freed by the
 * caller. variables: those it may use besides parameters and indices, NULL: none. Failures name the
 * column in the file. */
static bool parse_expression(ga_reader *r, const ga_node *node, const char *text, int offset,
                             const ga_variable *variables, ga_used_names *used, ga_expr **expr) {
  const scope names = {r, variables, used, node->file};
  const ga_scope sc = {
      .lookup = lookup_name, .nearest = nearest_parameter, .open = open_csv, .context = &names};
  ga_error err = {GA_OK, ""};
  int column = 1;
  r->below = NULL;
  const ga_status status = ga_expr_parse(text, &sc, expr, &column, &err);
  if (status == GA_OK && !r->below) return true;
  if (status == GA_ERR_MEM) return ga_reader_accept(r, node, status, &err);
  if (r->below) {
    ga_expr_free(*expr); /* of a parameter `e` below, the constant was taken */
    *expr = NULL;
    char message[200];
    snprintf(message, sizeof message,
             "'%.60s' is a parameter that is defined below; each may use those above it", r->below);
    return fail_column(r, node, node->column + node->quoted + offset + column - 1, message);
  }
  /* the message names the column inside the text; replace it by the column in the file */
  const char *says = strstr(err.text, ": ");
  return fail_column(r, node, node->column + node->quoted + offset + column - 1,
                     says ? says + 2 : err.text);
}

/* Fast path: *x <- a text of digits, sign, point and exponent. False, without a failure: parse it
 * as an expression; *x may have been overwritten. */
static bool plain_number(const char *text, double *x) {
  if (strspn(text, "0123456789+-.eE") != strlen(text) || !strpbrk(text, "0123456789")) return false;
  char *end;
  *x = strtod(text, &end);
  return *end == '\0' && isfinite(*x) && text[0] != '+' && text[0] != 'e' && text[0] != 'E';
}

/* *x <- value of a number or expression without variables; text and offset as in parse_expression.
 * Fails unless it is finite. */
static bool number_from_text(ga_reader *r, const ga_node *node, const char *text, int offset,
                             double *x) {
  ga_expr *expr = NULL;
  if (plain_number(text, x)) return true;
  if (!parse_expression(r, node, text, offset, NULL, NULL, &expr)) return false;
  *x = ga_expr_value(expr, NULL);
  ga_expr_free(expr);
  if (isfinite(*x)) return true;
  return ga_reader_fail(r, node, isnan(*x) ? "'%.80s' has no value" : "'%.80s' is infinite", text);
}

/* *x <- a scalar that is a number or an expression of parameters and indices. */
bool ga_read_number(ga_reader *r, const ga_node *node, double *x) {
  if (node->kind != GA_NODE_SCALAR) return ga_reader_fail(r, node, "a number is expected here");
  if (!*node->text) return ga_reader_fail(r, node, "a number is missing here");
  return number_from_text(r, node, node->text, 0, x);
}

/* Hint for messages if an entry has an open parenthesis, as from [atan2(1, 2)] without quotes; else
 * "". */
const char *ga_comma_hint(const ga_node *list) {
  for (const ga_node *item = list->first; item; item = item->next) {
    int open = 0;
    for (const char *c = item->kind == GA_NODE_SCALAR ? item->text : ""; *c; c++) {
      open += (*c == '(') - (*c == ')');
    }
    if (open > 0) return "; an expression with a comma inside a list needs quotes";
  }
  return "";
}

/* x[0..n-1] <- a list of exactly n numbers. */
bool ga_read_numbers(ga_reader *r, const ga_node *node, int n, double *x) {
  if (node->kind != GA_NODE_LIST) {
    return ga_reader_fail(r, node, "a list of %d numbers is expected here", n);
  }
  if (node->count != n) {
    return ga_reader_fail(r, node, "the list has %d entr%s, %d are expected%s", node->count,
                          node->count == 1 ? "y" : "ies", n, ga_comma_hint(node));
  }
  int i = 0;
  for (const ga_node *item = node->first; item; item = item->next) {
    if (!ga_read_number(r, item, &x[i++])) return false;
  }
  return true;
}

/* x <- a list of 3 numbers, or of 2 with z = 0 if r->planar. */
bool ga_read_vector(ga_reader *r, const ga_node *node, double x[3]) {
  x[2] = 0;
  return ga_read_numbers(r, node, r->planar ? 2 : 3, x);
}

/* ga_function_fn of an expression (the context): value, two derivatives along a variable. */
static int call_expression(void *context, const double *variables, int along, double f[3]) {
  ga_expr_jet(context, variables, along, f);
  return 0;
}

/* The same along a direction (ga_function.along). */
static int expression_along(void *context, const double *variables, const double *direction,
                            double f[3]) {
  ga_expr_jet_along(context, variables, direction, f);
  return 0;
}

/* Its corners in time (ga_function.next_corner). */
static void expression_corner(void *context, int time, double t, ga_corner *corner) {
  const ga_expr_corner c = ga_expr_next_corner(context, time, t);
  *corner = (ga_corner){.before = c.before, .t = c.t, .jumps = c.order, .hidden = c.hidden};
}

/* What it does unexpectedly in time (ga_function.surprise). */
static void expression_surprise(void *context, int time, double since, double t, double way,
                                ga_corner *surprise) {
  const ga_expr_corner c = ga_expr_surprise(context, time, since, t, way);
  *surprise = (ga_corner){.before = c.before, .t = c.t, .jumps = c.order, .hidden = c.hidden};
}

/* Has the expression a function of time that may change unexpectedly? */
static bool may_surprise(const ga_expr *expr, const ga_variable *variables) {
  for (int i = 0; variables[i].name; i++) {
    if (variables[i].time && ga_expr_may_surprise(expr, i)) return true;
  }
  return false;
}

/* Fail if the expression mentions a variable that is also a parameter or an index: the author may
 * mean either. */
static bool check_ambiguous(ga_reader *r, const ga_node *node, const ga_variable *variables,
                            const ga_expr *expr) {
  const scope names = {r, NULL, NULL, NULL};
  for (int i = 0; variables[i].name; i++) {
    const char *name = variables[i].name;
    if (!ga_expr_mentions(expr, i)) continue;
    if (lookup_name(&names, name).kind == GA_NAME_UNKNOWN) continue;
    return ga_reader_fail(r, node,
                          "'%s' is a variable of this function, and a parameter: rename the "
                          "parameter",
                          name);
  }
  return true;
}

/* f->uses <- the names of signals; the function is noted, for messages. */
static bool keep_signals(ga_reader *r, const ga_node *node, const ga_used_names *used,
                         ga_function *f) {
  if (used->count == 0) return true;
  const char **names = ga_arena_take(r->arena, (size_t)used->count, sizeof *names);
  if (!names || !GA_GROW(r->uses)) {
    return ga_reader_accept(r, node, GA_ERR_MEM, &(ga_error){GA_ERR_MEM, "no memory"});
  }
  memcpy(names, used->name, (size_t)used->count * sizeof *names);
  f->uses = names;
  f->nuses = used->count;
  r->uses.item[r->uses.count++] = (ga_reader_use){names, node};
  return true;
}

/* *f (zero on entry) <- a constant, or an expression of the variables as a C function (fn,
 * context); the expression is kept in r->functions, which owns it. The constant 0 is kept as an
 * expression, so that it counts as given. */
bool ga_read_function(ga_reader *r, const ga_node *node, const ga_variable *variables,
                      ga_function *f) {
  ga_expr *expr = NULL;
  if (node->kind == GA_NODE_MAP) return ga_read_own_function(r, node, variables, f);
  if (node->kind != GA_NODE_SCALAR) {
    return ga_reader_fail(r, node, "a number or an expression is expected here");
  }
  if (plain_number(node->text, &f->constant) && f->constant != 0) return true;
  ga_used_names used = {.count = 0};
  if (!parse_expression(r, node, node->text, 0, variables, &used, &expr)) return false;
  if (!check_ambiguous(r, node, variables, expr)) {
    ga_expr_free(expr);
    return false;
  }
  if (!GA_GROW(r->functions)) {
    ga_expr_free(expr);
    return ga_reader_accept(r, node, GA_ERR_MEM, &(ga_error){GA_ERR_MEM, "no memory"});
  }
  r->functions.item[r->functions.count++] = expr;
  f->fn = call_expression;
  f->next_corner = expression_corner;
  if (may_surprise(expr, variables)) f->surprise = expression_surprise;
  f->along = expression_along;
  f->context = expr;
  return keep_signals(r, node, &used, f);
}

/* Find the signals of all functions of r->m. A failure is reported at the function that mentions
 * them. */
bool ga_read_signals(ga_reader *r) {
  const ga_uses *failed = NULL;
  ga_error err = {GA_OK, ""};
  const ga_status status = ga_mechanism_resolve(r->m, &failed, &err);
  const ga_node *node = r->root;
  for (int i = 0; i < r->uses.count && failed; i++) {
    if (r->uses.item[i].names == failed->source) node = r->uses.item[i].node;
  }
  return ga_reader_accept(r, node, status, &err);
}

/* ---- texts ---------------------------------------------------------------------------------- */

/* *text <- a scalar as it is written; it belongs to the node. */
bool ga_read_text(ga_reader *r, const ga_node *node, const char **text) {
  if (node->kind != GA_NODE_SCALAR) return ga_reader_fail(r, node, "a text is expected here");
  *text = node->text;
  return true;
}

/* out <- the node's text with every {expression} replaced by its whole value: "link{i-1}" becomes
 * "link4". out has GA_WORD_ROOM bytes. */
static bool fill_braces(ga_reader *r, const ga_node *node, char *out) {
  size_t used = 0;
  for (const char *at = node->text; *at;) {
    if (used + 32 >= GA_WORD_ROOM) return ga_reader_fail(r, node, "the name is too long");
    if (*at != '{') {
      out[used++] = *at++;
      continue;
    }
    const char *end = strchr(at, '}');
    char text[GA_WORD_ROOM];
    double x;
    if (!end || (size_t)(end - at) >= sizeof text) {
      return ga_reader_fail(r, node, "a '}' is missing in '%.60s'", node->text);
    }
    memcpy(text, at + 1, (size_t)(end - at - 1));
    text[end - at - 1] = '\0';
    if (!number_from_text(r, node, text, (int)(at - node->text) + 1, &x)) return false;
    if (x != round(x) || fabs(x) > 1e9) {
      return ga_reader_fail(r, node, "{%.60s} is %g, not a whole number", text, x);
    }
    used += (size_t)snprintf(out + used, GA_WORD_ROOM - used, "%.0f", x + 0.0);
    at = end + 1;
  }
  out[used] = '\0';
  return true;
}

/* *name <- a scalar with {expressions} filled in; a changed copy lives in r->arena. */
bool ga_read_name(ga_reader *r, const ga_node *node, const char **name) {
  char out[GA_WORD_ROOM];
  if (node->kind != GA_NODE_SCALAR) return ga_reader_fail(r, node, "a name is expected here");
  if (!*node->text) return ga_reader_fail(r, node, "a name is missing here");
  *name = node->text;
  if (!strchr(node->text, '{') && !r->prefix) return true;
  if (!fill_braces(r, node, out)) return false;
  char full[2 * GA_WORD_ROOM];
  const char *text = ga_full_name(r, out, full, sizeof full);
  char *copy = ga_arena_take(r->arena, strlen(text) + 1, 1);
  if (!copy) return ga_reader_accept(r, node, GA_ERR_MEM, &(ga_error){GA_ERR_MEM, "no memory"});
  *name = strcpy(copy, text);
  return true;
}

/* A copy of a text in the file's arena; "" without memory. */
const char *ga_reader_text(ga_reader *r, const char *text) {
  char *copy = ga_arena_take(r->arena, strlen(text) + 1, 1);
  return copy ? strcpy(copy, text) : "";
}

/* *flag <- a scalar "true" or "false". */
bool ga_read_flag(ga_reader *r, const ga_node *node, bool *flag) {
  int which = 0;
  if (!ga_read_word(r, node, "true|false", &which)) return false;
  *flag = which == 0;
  return true;
}

typedef struct {
  char word[12][32];
  int count;
} word_list;

/* The words of "a|b|c", at most 12 of up to 31 characters. */
static word_list split_words(const char *words) {
  word_list list = {.count = 0};
  while (*words && list.count < 12) {
    const size_t n = strcspn(words, "|");
    snprintf(list.word[list.count++], sizeof list.word[0], "%.*s", (int)n, words);
    words += n + (words[n] == '|');
  }
  return list;
}

/* The i-th word, NULL past the end (candidates of ga_nearest_in). */
static const char *word_at(const void *context, int i) {
  const word_list *list = context;
  return i < list->count ? list->word[i] : NULL;
}

/* *which <- position (from 0) of the scalar among the words "a|b|c" (see split_words); other words
 * fail, with "did you mean". */
bool ga_read_word(ga_reader *r, const ga_node *node, const char *words, int *which) {
  const word_list list = split_words(words);
  if (node->kind != GA_NODE_SCALAR) {
    return ga_reader_fail(r, node, "one of %s is expected here", words);
  }
  for (int i = 0; i < list.count; i++) {
    if (strcmp(list.word[i], node->text) != 0) continue;
    *which = i;
    return true;
  }
  const char *near = ga_nearest_in(node->text, word_at, &list);
  if (near) {
    return ga_reader_fail(r, node, "'%.40s' is not one of %s; did you mean '%s'?", node->text,
                          words, near);
  }
  return ga_reader_fail(r, node, "'%.40s' is not one of %s", node->text, words);
}

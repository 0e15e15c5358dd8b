/* SPDX-License-Identifier: MIT */
/* Functions in a model file: {function: NAME, uses: [signals]}, where the section `functions` has a
 * function of this name (read_library.c) or the caller gives one (ga_file_options.functions).
 * Without derivatives of its own it is differentiated by central differences. */
#include <math.h>
#include <string.h>

#include "file/private.h"

/* Steps of the quotients relative to a variable, or to 1 where it is smaller: roots 3 and 4 of the
 * rounding. */
static const double FIRST = 6e-6, SECOND = 1.2e-4;

/* A function without derivatives, and its number of variables. */
typedef struct own_function {
  double (*value)(void *context, int n, const double *variables);
  void *context;
  int n;
} own_function;

/* A ga_function_fn of it: context. */
static int call_with_quotients(void *context, const double *variables, int along, double f[3]) {
  const own_function *own = context;
  f[0] = own->value(own->context, own->n, variables);
  f[1] = f[2] = 0;
  if (along < 0) return 0;
  double x[GA_VARIABLES_MAX];
  memcpy(x, variables, (size_t)own->n * sizeof *x);
  const double size = fmax(1, fabs(x[along])), h = FIRST * size, h2 = SECOND * size, at = x[along];
  x[along] = at + h;
  f[1] = own->value(own->context, own->n, x);
  x[along] = at - h;
  f[1] = (f[1] - own->value(own->context, own->n, x)) / (2 * h);
  x[along] = at + h2;
  f[2] = own->value(own->context, own->n, x);
  x[along] = at - h2;
  f[2] = (f[2] - 2 * f[0] + own->value(own->context, own->n, x)) / (h2 * h2);
  return 0;
}

/* The i-th function: those of the section `functions` of all parts, then the caller's; NULL past the
 * end. */
static const ga_file_function *function_at(const ga_reader *r, int i) {
  if (i < r->libraries.count) return &r->libraries.item[i];
  i -= r->libraries.count;
  return i < r->options->nfunctions ? &r->options->functions[i] : NULL;
}

/* Its name (candidates of ga_nearest_in). */
static const char *function_name(const void *context, int i) {
  const ga_file_function *f = function_at(context, i);
  return f ? f->name : NULL;
}

/* The function of this name; NULL, with a failure at the node. */
static const ga_file_function *find_function(ga_reader *r, const ga_node *node, const char *name) {
  char full[2 * GA_WORD_ROOM];
  const char *own = ga_full_name(r, name, full, sizeof full); /* in an assembly */
  for (int i = 0; function_at(r, i); i++) {
    const ga_file_function *f = function_at(r, i);
    if (strcmp(f->name, i < r->libraries.count ? own : name) == 0) return f;
  }
  const char *near = ga_nearest_in(name, function_name, r);
  ga_reader_fail(r, node, "neither 'functions' nor the program has a function '%.60s'%s%s%s", name,
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  return NULL;
}

/* f->uses <- the list `uses` of names of signals; NULL: none. */
static bool read_uses(ga_reader *r, const ga_node *list, ga_function *f) {
  if (!list) return true;
  if (list->kind != GA_NODE_LIST || list->count > GA_USES_MAX) {
    return ga_reader_fail(r, list, "a list of at most %d signals is expected here", GA_USES_MAX);
  }
  const char **names = ga_arena_take(r->arena, (size_t)list->count + 1, sizeof *names);
  if (!names || !GA_GROW(r->uses)) {
    return ga_reader_accept(r, list, GA_ERR_MEM, &(ga_error){GA_ERR_MEM, "no memory"});
  }
  for (const ga_node *item = list->first; item; item = item->next) {
    if (!ga_read_name(r, item, &names[f->nuses++])) return false;
  }
  f->uses = names;
  r->uses.item[r->uses.count++] = (ga_reader_use){names, list};
  return true;
}

/* *f (zero on entry) <- a function of the caller, from a map {function: NAME, uses: [..]}. The record
 * with its number of variables lives in the file's arena. */
bool ga_read_own_function(ga_reader *r, const ga_node *map, const ga_variable *variables,
                          ga_function *f) {
  const ga_node *name = ga_node_find(map, "function"), *uses = ga_node_find(map, "uses");
  for (const ga_node *item = map->first; item; item = item->next) {
    if (item == name || item == uses) continue;
    return ga_reader_fail(r, item->key, "unknown key '%.40s'; a function is {function, uses}",
                          item->key->text);
  }
  if (!name || name->kind != GA_NODE_SCALAR) {
    return ga_reader_fail(r, map,
                          "a number, an expression or {function: NAME, uses: [..]} is expected");
  }
  const ga_file_function *given = find_function(r, name, name->text);
  if (!given || !read_uses(r, uses, f)) return false;
  own_function *own = ga_arena_take(r->arena, 1, sizeof *own);
  if (!own) return ga_reader_accept(r, map, GA_ERR_MEM, &(ga_error){GA_ERR_MEM, "no memory"});
  *own = (own_function){given->value, given->context, f->nuses};
  while (variables->name) variables++, own->n++;
  f->fn = given->fn ? given->fn : call_with_quotients;
  f->context = given->fn ? given->context : own;
  return true;
}

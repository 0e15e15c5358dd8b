/* SPDX-License-Identifier: MIT */
/* Sections of a model file, and repetition: elements with an index in their names and numbers.
 * Functions return false after a failure, which is recorded in r. */
#include <math.h>
#include <string.h>

#include "file/private.h"

/* Read all entries of a section, a map {NAME: {..}}, and add them to r->m; r->planar is false at
 * the beginning of each. */
bool ga_read_section(ga_reader *r, const ga_section *section, const ga_node *node) {
  ga_reader_enter(r, section->name);
  if (node->kind != GA_NODE_MAP) {
    return ga_reader_fail(r, node, "a map {NAME: {..}, ..} is expected here");
  }
  for (const ga_node *item = node->first; item; item = item->next) {
    const char *name;
    if (!ga_read_name(r, item->key, &name)) return false;
    ga_reader_enter(r, name);
    r->planar = false;
    if (!section->read(r, name, item)) return false;
    ga_reader_leave(r);
  }
  ga_reader_leave(r);
  return true;
}

/* most elements of all repetitions together, and most passes of one */
enum { ELEMENTS_MAX = 10000000 };
/* beyond 2^53 a number plus one is itself */
static const double WHOLE_MAX = 9007199254740992.0;

/* *from, *to <- bounds of a repetition, whole numbers; the name of its index is stored at
 * r->index[r->nindex], without counting it in r->nindex yet. */
static bool repeat_bounds(ga_reader *r, const ga_node *node, double *from, double *to) {
  const ga_node *index = ga_node_find(node, "index"), *first = ga_node_find(node, "from"),
                *last = ga_node_find(node, "to");
  if (!index || !first || !last) {
    return ga_reader_fail(r, node, "a repetition needs index, from and to");
  }
  if (index->kind != GA_NODE_SCALAR) return ga_reader_fail(r, index, "a name is expected here");
  ga_node key = *index;
  if (!ga_valid_name(r, &key)) return false;
  if (r->nindex == GA_INDEX_MAX)
    return ga_reader_fail(r, node, "repetitions are nested too deeply");
  if (!ga_read_number(r, first, from) || !ga_read_number(r, last, to)) return false;
  if (*from != round(*from) || *to != round(*to)) {
    return ga_reader_fail(r, first, "from %g to %g: whole numbers are expected", *from, *to);
  }
  r->index[r->nindex].name = index->text;
  return true;
}

/* One pass of a repetition, with the index set: read its entries of this section into r->m (counted
 * in r->elements), then inner repetitions. */
static bool repeat_once(ga_reader *r, const ga_node *node, const ga_section *section) {
  const ga_node *own = ga_node_find(node, section->name), *inner = ga_node_find(node, "repeat");
  if (own) {
    r->elements += own->count;
    if (r->elements > ELEMENTS_MAX) {
      return ga_reader_fail(r, node, "repetitions make more than %d elements", ELEMENTS_MAX);
    }
    if (!ga_read_section(r, section, own)) return false;
  }
  return inner ? ga_read_repeat(r, inner, section) : true;
}

/* Fail at a key that is neither index, from, to, repeat nor a section. */
static bool check_repeat_keys(ga_reader *r, const ga_node *node) {
  for (const ga_node *item = node->first; item; item = item->next) {
    const char *key = item->key->text;
    bool known = strcmp(key, "index") == 0 || strcmp(key, "from") == 0 || strcmp(key, "to") == 0 ||
                 strcmp(key, "repeat") == 0;
    for (const ga_section *s = ga_sections; s->name; s++)
      known = known || strcmp(s->name, key) == 0;
    if (!known) return ga_reader_fail(r, item->key, "unknown key '%.60s' of a repetition", key);
  }
  return true;
}

/* Run all repetitions of a list for one section, adding its entries to r->m; to < from repeats
 * nothing. r->nindex is as before on success. Called once for each section, from file.c. */
bool ga_read_repeat(ga_reader *r, const ga_node *list, const ga_section *section) {
  ga_reader_enter(r, "repeat");
  if (list->kind != GA_NODE_LIST) {
    return ga_reader_fail(r, list, "a list [{index, from, to, bodies, ..}] is expected here");
  }
  for (const ga_node *node = list->first; node; node = node->next) {
    double from, to;
    if (node->kind != GA_NODE_MAP) return ga_reader_fail(r, node, "a map is expected here");
    if (!check_repeat_keys(r, node) || !repeat_bounds(r, node, &from, &to)) return false;
    if (to - from >= ELEMENTS_MAX || fabs(from) > WHOLE_MAX || fabs(to) > WHOLE_MAX) {
      return ga_reader_fail(
          r, node, "from %g to %g are too many%s", from, to,
          to - from >= ELEMENTS_MAX ? "" : " for whole numbers: the largest is 2^53");
    }
    const int level = r->nindex++;
    for (double i = from; i <= to; i++) {
      r->index[level].value = i;
      if (!repeat_once(r, node, section)) return false;
    }
    r->nindex = level;
  }
  ga_reader_leave(r);
  return true;
}

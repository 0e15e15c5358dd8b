/* SPDX-License-Identifier: MIT */
/* Tables of fields: every key of a map is found in the table, read, and stored in the target. */
#include <stdio.h>
#include <string.h>

#include "file/reader.h"

/* ---- readers -------------------------------------------------------------------------------- */

/* Each reads the node of a key into out, whose type is given in reader.h; false after a failure,
 * which is recorded in r. f is the key's line of the table; most do not need it. */

/* A number or an expression of parameters; out: double. */
bool ga_field_number(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)f;
  return ga_read_number(r, node, out);
}

/* A number that is marked as given; out: ga_given. */
bool ga_field_given(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)f;
  ga_given *given = out;
  given->given = true;
  return ga_read_number(r, node, &given->value);
}

/* A name, with {expressions} filled in; out: const char *. */
bool ga_field_name(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)f;
  return ga_read_name(r, node, out);
}

/* A text as it is written; out: const char *. */
bool ga_field_text(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)f;
  return ga_read_text(r, node, out);
}

/* True or false; out: bool. */
bool ga_field_flag(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)f;
  return ga_read_flag(r, node, out);
}

/* A list of 3 numbers, or of 2 if r->planar; out: double[3]. */
bool ga_field_vector(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)f;
  return ga_read_vector(r, node, out);
}

/* One of the words f->words, "a|b|c"; out: int, its position among them. */
bool ga_field_choice(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  return ga_read_word(r, node, f->words, out);
}

/* A number or an expression of t; out: ga_function. */
bool ga_field_of_time(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)f;
  return ga_read_function(r, node, ga_of_time, out);
}

/* A number or an expression of s, s_dot and t; out: ga_function. */
bool ga_field_of_state(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)f;
  return ga_read_function(r, node, ga_of_state, out);
}

/* A list of three functions of t; out: ga_function[3]. */
bool ga_field_of_time3(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)f;
  ga_function *function = out;
  if (node->kind != GA_NODE_LIST || node->count != 3) {
    return ga_reader_fail(r, node, "a list of 3 numbers or functions of t is expected here%s",
                          node->kind == GA_NODE_LIST ? ga_comma_hint(node) : "");
  }
  for (const ga_node *item = node->first; item; item = item->next) {
    if (!ga_read_function(r, item, ga_of_time, function++)) return false;
  }
  return true;
}

/* ---- bodies and points ---------------------------------------------------------------------- */

/* True if `body` is the name of a planar body that has been added to r->m. */
static bool is_planar(const ga_reader *r, const char *body) {
  const ga_symbol *s = ga_mechanism_find(r->m, body);
  return s && s->kind == GA_NAMED_BODY && r->m->bodies.item[s->index].kind->planar;
}

/* A list [A, B] of two body names; out: const char *[2]. */
bool ga_field_between(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)f;
  const char **between = out;
  if (node->kind != GA_NODE_LIST || node->count != 2) {
    return ga_reader_fail(r, node, "a list of two bodies [A, B] is expected here");
  }
  if (!ga_read_name(r, node->first, &between[0])) return false;
  return ga_read_name(r, node->first->next, &between[1]);
}

/* Read one entry BODY: [x, y, z] into point->a or b and add its bit to point->kind, where BODY is
 * one of r->between (A, B). False, with a failure recorded: another body, one given twice, no
 * vector. */
static bool read_side(ga_reader *r, const ga_node *item, ga_point *point) {
  const char *body;
  if (!ga_read_name(r, item->key, &body)) return false;
  for (int side = 0; side < 2; side++) {
    if (!r->between[side] || strcmp(r->between[side], body) != 0) continue;
    const ga_point_kind bit = side == 0 ? GA_SIDE_A : GA_SIDE_B;
    if (point->kind & bit) return ga_reader_fail(r, item->key, "'%s' stands here twice", body);
    point->kind = (ga_point_kind)(point->kind | bit);
    return ga_read_vector(r, item, side == 0 ? point->a : point->b);
  }
  if (!r->between[0] || !r->between[1]) {
    return ga_reader_fail(r, item->key, "'%s' is not '%s'", body,
                          r->between[0] ? r->between[0] : "a body of this element");
  }
  return ga_reader_fail(r, item->key, "'%s' is neither '%s' nor '%s'", body, r->between[0],
                        r->between[1]);
}

/* A point or direction: a list in space, or {BODY: [..]} for one or both bodies; out: ga_point.
 * r->between and r->planar must be set (ga_read_fields does). */
bool ga_field_point(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)f;
  ga_point *point = out;
  *point = (ga_point){.kind = GA_SPACE};
  if (node->kind == GA_NODE_LIST) return ga_read_vector(r, node, point->a);
  if (node->kind != GA_NODE_MAP || node->count == 0) {
    return ga_reader_fail(r, node,
                          "a list [x, y, z] in space or {BODY: [x, y, z]} is expected here");
  }
  point->kind = GA_NOT_GIVEN;
  for (const ga_node *item = node->first; item; item = item->next) {
    if (!read_side(r, item, point)) return false;
  }
  return true;
}

/* As ga_field_point, but a list is in the frame of the element's own body (side A). */
bool ga_field_own_point(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  ga_point *point = out;
  if (node->kind != GA_NODE_LIST) return ga_field_point(r, f, node, out);
  *point = (ga_point){.kind = GA_SIDE_A};
  return ga_read_vector(r, node, point->a);
}

/* ---- maps ----------------------------------------------------------------------------------- */

/* Key of line i of a table, NULL past the end (candidates of ga_nearest_in). */
static const char *key_at(const void *context, int i) {
  return ((const ga_field *)context)[i].key;
}

/* Fail at the key with "did you mean", or with a list of all keys of the table. Returns false. */
static bool fail_unknown_key(ga_reader *r, const ga_node *key, const ga_field *fields) {
  const char *near = ga_nearest_in(key->text, key_at, fields);
  if (near) {
    return ga_reader_fail(r, key, "unknown key '%.60s'; did you mean '%s'?", key->text, near);
  }
  char all[300] = "";
  for (int i = 0; fields[i].key; i++) {
    const size_t used = strlen(all);
    snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", fields[i].key);
  }
  return ga_reader_fail(r, key, "unknown key '%.60s'; known are %s", key->text, all);
}

/* Fail at the node (false) unless the body has been added or is the ground. */
bool ga_check_body(ga_reader *r, const ga_node *node, const char *body) {
  int index;
  ga_error err = {GA_OK, ""};
  if (ga_mechanism_body_named(r->m, "", body, &index, &err) == GA_OK) return true;
  return ga_reader_fail(r, node, "%s",
                        err.text + strlen(": ")); /* the path in the file names the owner */
}

/* Fail at the node (false) if one of r->between is planar and the other is not; the ground goes
 * with both. Both names are given and exist. */
static bool check_same_kind(ga_reader *r, const ga_node *node) {
  const char *a = r->between[0], *b = r->between[1];
  const bool ground = strcmp(a, "ground") == 0 || strcmp(b, "ground") == 0;
  const bool planar_a = is_planar(r, a);
  if (ground || planar_a == is_planar(r, b)) return true;
  return ga_reader_fail(r, node, "'%s' is planar and '%s' is not", planar_a ? a : b,
                        planar_a ? b : a);
}

/* Set r->between (NULL: not given) from the keys `between` and `body` (side A); r->planar becomes
 * true if one is planar, else it stays as it is. They are read before other keys, because vectors
 * have two entries if the bodies are planar. False: a body does not exist, or they do not go
 * together. */
static bool read_bodies(ga_reader *r, const ga_node *map) {
  const ga_node *between = ga_node_find(map, "between"), *body = ga_node_find(map, "body");
  r->between[0] = r->between[1] = NULL;
  if (between) {
    const ga_node *a = between->first;
    if (!ga_field_between(r, NULL, between, r->between)) return false;
    if (!ga_check_body(r, a, r->between[0]) || !ga_check_body(r, a->next, r->between[1]))
      return false;
    if (!check_same_kind(r, between)) return false;
  }
  if (body) {
    if (!ga_read_name(r, body, &r->between[0])) return false;
    if (!ga_check_body(r, body, r->between[0])) return false;
  }
  for (int side = 0; side < 2; side++) {
    if (r->between[side] && is_planar(r, r->between[side])) r->planar = true;
  }
  return true;
}

/* Read every key of a map with the table's reader into `target` (offset f->at); members whose key
 * is not given stay as they are. The table ends with key NULL. Unknown keys and missing required
 * ones fail (false; target is then half filled). Sets r->between and may set r->planar to true. */
bool ga_read_fields(ga_reader *r, const ga_node *map, const ga_field *fields, void *target) {
  if (map->kind != GA_NODE_MAP) {
    return ga_reader_fail(r, map, "a map {key: value, ..} is expected here");
  }
  return read_bodies(r, map) && ga_read_inner_fields(r, map, fields, target);
}

/* The same of a map inside an element: its bodies are those of the element. */
bool ga_read_inner_fields(ga_reader *r, const ga_node *map, const ga_field *fields, void *target) {
  if (map->kind != GA_NODE_MAP) {
    return ga_reader_fail(r, map, "a map {key: value, ..} is expected here");
  }
  for (const ga_node *item = map->first; item; item = item->next) {
    const ga_field *f = fields;
    while (f->key && strcmp(f->key, item->key->text) != 0) f++;
    if (!f->key) return fail_unknown_key(r, item->key, fields);
    ga_reader_enter(r, f->key);
    if (!f->read(r, f, item, (char *)target + f->at)) return false;
    ga_reader_leave(r);
  }
  for (const ga_field *f = fields; f->key; f++) {
    if (f->required && !ga_node_find(map, f->key)) {
      return ga_reader_fail(r, map, "the key '%s' is missing", f->key);
    }
  }
  return true;
}

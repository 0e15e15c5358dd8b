/* SPDX-License-Identifier: MIT */
/* Relations of coordinates in a model file: couplers, sums of backlash, ropes, and curves of joints.
 * Functions that return bool return false after a failure, which is recorded in r. */
#include <math.h>
#include <string.h>

#include "file/reader.h"
#include "genalpha/ga_rope.h"
#include "mechanism/joint/joint.h"

/* Reads a map {COORDINATE: coefficient, ..}: *n terms, names and factors in the file's arena. */
bool ga_read_sum(ga_reader *r, const ga_node *map, int *n, const char *const **names,
                 const double **factors) {
  if (map->kind != GA_NODE_MAP || map->count == 0) {
    return ga_reader_fail(r, map, "a sum {COORDINATE: coefficient, ..} is expected here");
  }
  const char **name = ga_arena_take(r->arena, (size_t)map->count, sizeof *name);
  double *factor = ga_arena_doubles(r->arena, (size_t)map->count);
  if (!name || !factor) {
    return ga_reader_accept(r, map, GA_ERR_MEM, &(ga_error){GA_ERR_MEM, "no memory"});
  }
  *n = 0;
  for (const ga_node *item = map->first; item; item = item->next, (*n)++) {
    if (!ga_read_name(r, item->key, &name[*n]) || !ga_read_number(r, item, &factor[*n])) {
      return false;
    }
  }
  *names = name;
  *factors = factor;
  return true;
}

/* *number <- the value of an expression without variables; or else *f, a function of t and
 * coordinates. */
static bool read_number_or_function(ga_reader *r, const ga_node *node, ga_given *number,
                                    ga_function *f) {
  if (!ga_read_function(r, node, ga_of_time, f)) return false;
  const bool constant =
      !f->fn || (node->kind == GA_NODE_SCALAR && f->nuses == 0 && ga_expr_constant(f->context));
  if (!constant) return true;
  number->given = true;
  *f = (ga_function){0};
  return ga_read_number(r, node, &number->value);
}

/* ---- couplers ------------------------------------------------------------------------------- */

/* Field reader: the terms of a sum; out: the whole ga_coupler. */
static bool read_coupler_sum(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)f;
  ga_coupler *coupler = out;
  return ga_read_sum(r, node, &coupler->count, &coupler->coordinates, &coupler->coefficients);
}

/* Field reader: what the sum equals; out: the whole ga_coupler. */
static bool read_equals(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)f;
  ga_coupler *coupler = out;
  return read_number_or_function(r, node, &coupler->equals, &coupler->function);
}

const ga_field ga_coupler_fields[] = {
    {"sum", "sum", "coefficients of coordinates", read_coupler_sum, 0, NULL, true, "sum/q"},
    {"equals", "function_t",
     "number or function of t and coordinates; default: that of the initial configuration",
     read_equals, 0, NULL, false, "sum"},
    {.key = NULL}};

/* Read an entry of `couplers` and add it to r->m. */
bool ga_read_coupler(ga_reader *r, const char *name, const ga_node *node) {
  ga_coupler coupler = {.name = NULL};
  ga_error err = {GA_OK, ""};
  if (!ga_read_fields(r, node, ga_coupler_fields, &coupler)) return false;
  coupler.name = name;
  return ga_reader_accept(r, node, ga_mechanism_add_coupler(r->m, &coupler, &err), &err);
}

/* ---- ropes ---------------------------------------------------------------------------------- */

/* Is there a planar body among the points? Vectors have two entries then. */
static bool any_planar(const ga_reader *r, const ga_rope *rope) {
  for (int i = 0; i < rope->count; i++) {
    const ga_symbol *s = ga_mechanism_find(r->m, rope->over[i].body);
    if (s && s->kind == GA_NAMED_BODY && r->m->bodies.item[s->index].kind->planar) return true;
  }
  return false;
}

/* Keys of a point of a rope beside its body. */
static const char *const sheave_keys[] = {"radius", "axis", "turns", NULL};

/* The item of a point that names its body: the only one, or the only one that is no key of a sheave;
 * NULL: none. */
static const ga_node *body_of_point(const ga_node *point) {
  const ga_node *found = NULL;
  if (point->count == 1) return point->first;
  for (const ga_node *item = point->first; item; item = item->next) {
    bool key = false;
    for (int i = 0; sheave_keys[i]; i++) key = key || strcmp(item->key->text, sheave_keys[i]) == 0;
    if (!key && found) return NULL;
    if (!key) found = item;
  }
  return found;
}

/* Reads where a point is, and its sheave; its body has been read. */
static bool read_rope_point(ga_reader *r, const ga_node *node, ga_rope_point *p) {
  const ga_node *body = body_of_point(node);
  for (const ga_node *item = node->first; item; item = item->next) {
    double turns = 0;
    bool ok = false;
    if (item == body) {
      ok = ga_read_vector(r, item, p->at);
    } else if (strcmp(item->key->text, "radius") == 0) {
      ok = ga_read_number(r, item, &p->radius);
      if (ok && p->radius == 0) return ga_reader_fail(r, item, "the radius of a sheave is not 0");
    } else if (strcmp(item->key->text, "axis") == 0) {
      if (r->planar) return ga_reader_fail(r, item, "a sheave of planar bodies turns about z");
      ok = ga_read_vector(r, item, p->axis);
    } else {
      ok = ga_read_number(r, item, &turns);
      if (ok && !(turns == round(turns) && turns >= 0 && turns < 1e6)) {
        return ga_reader_fail(r, item, "turns are a whole number that is not negative");
      }
      p->turns = (int)turns;
    }
    if (!ok) return false;
  }
  return true;
}

/* Field reader: a list of BODY, its origin, or {BODY: [x, y, z]}, with a sheave {BODY: [x, y, z],
 * radius: , axis: , turns: }; out: the whole ga_rope. */
static bool read_over(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)f;
  ga_rope *rope = out;
  if (node->kind != GA_NODE_LIST || node->count < 2) {
    return ga_reader_fail(r, node,
                          "a list of two or more points, {BODY: [x, y, z]} or BODY, is expected");
  }
  ga_rope_point *point = ga_arena_take(r->arena, (size_t)node->count, sizeof *point);
  if (!point) return ga_reader_accept(r, node, GA_ERR_MEM, &(ga_error){GA_ERR_MEM, "no memory"});
  rope->over = point;
  for (const ga_node *item = node->first; item; item = item->next) {
    const ga_node *body = item->kind == GA_NODE_MAP ? body_of_point(item) : NULL;
    const ga_node *name = item->kind == GA_NODE_SCALAR ? item : body ? body->key : NULL;
    if (!name) {
      return ga_reader_fail(r, item,
                            "a point {BODY: [x, y, z]} or BODY is expected here; a sheave has "
                            "radius, axis and turns, too");
    }
    ga_rope_point *p = &point[rope->count++];
    *p = (ga_rope_point){.body = NULL};
    if (!ga_read_name(r, name, &p->body) || !ga_check_body(r, name, p->body)) return false;
  }
  r->planar = any_planar(r, rope);
  int i = 0;
  for (const ga_node *item = node->first; item; item = item->next, i++) {
    if (item->kind == GA_NODE_MAP && !read_rope_point(r, item, &point[i])) return false;
  }
  return true;
}

/* Field reader: a length, which is positive, or a function; out: the whole ga_rope. */
static bool read_length(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)f;
  ga_rope *rope = out;
  ga_given number = {0, false};
  if (!read_number_or_function(r, node, &number, &rope->length)) return false;
  if (number.given && !(number.value > 0)) {
    return ga_reader_fail(r, node, "the length %g must be positive", number.value);
  }
  if (number.given) rope->length.constant = number.value;
  return true;
}

#define AT(member) offsetof(ga_rope, member)
const ga_field ga_rope_fields[] = {
    {"over", "over",
     "points BODY or {BODY: [x, y, z]} in body frames; sheaves: radius, axis, turns", read_over, 0,
     NULL, true, "m"},
    {"length", "function_t",
     "a number or a function of t and coordinates; default: the initial length", read_length, 0,
     NULL, false, "m"},
    {"stiffness", "number", "the rope is elastic, and slack where it is too long", ga_field_number,
     AT(stiffness), NULL, false, "N/m"},
    {"damping", "number", "of an elastic rope; its force is at most the elastic one",
     ga_field_number, AT(damping), NULL, false, "N s/m"},
    {.key = NULL}};
#undef AT

/* Read an entry of `ropes` and add it to r->m. */
bool ga_read_rope(ga_reader *r, const char *name, const ga_node *node) {
  ga_rope rope = {.name = NULL};
  ga_error err = {GA_OK, ""};
  if (!ga_read_fields(r, node, ga_rope_fields, &rope)) return false;
  rope.name = name;
  return ga_reader_accept(r, node, ga_mechanism_add_rope(r->m, &rope, &err), &err);
}

/* ---- curves --------------------------------------------------------------------------------- */

/* Field reader: a list of three functions of s, two between planar bodies; out: ga_function[3]. */
bool ga_field_curve(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)f;
  ga_function *function = out;
  const int n = r->planar ? 2 : 3;
  if (node->kind != GA_NODE_LIST || node->count != n) {
    return ga_reader_fail(r, node, "a list of %d numbers or functions of s is expected here%s", n,
                          node->kind == GA_NODE_LIST ? ga_comma_hint(node) : "");
  }
  for (const ga_node *item = node->first; item; item = item->next) {
    if (!ga_read_function(r, item, ga_of_curve, function++)) return false;
  }
  return true;
}

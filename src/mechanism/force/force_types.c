/* SPDX-License-Identifier: MIT */
/* The registry of force types, and the fields of their descriptions. */
#include <string.h>

#include "mechanism/force/force.h"
#include "mechanism/joint/relation.h"

#define ADDRESS(name) &ga_force_##name,
static const ga_force_type *const types[] = {GA_FORCE_TYPE_LIST(ADDRESS)};
#undef ADDRESS
enum { NTYPE = (int)(sizeof types / sizeof types[0]) };

/* in the order of the bits GA_FORCE_HAS_.. */
static const char *const field_names[] = {
    "body",  "between",  "coordinate",      "at",      "axis",   "x_axis",
    "value", "frame",    "stiffness",       "damping", "length", "free",
    "law",   "friction", "static_friction", "speed",   "sum",    "gap"};
enum { NFIELD = (int)(sizeof field_names / sizeof field_names[0]) };

/* the i-th force type, NULL past the end */
const ga_force_type *ga_force_type_at(int i) {
  return i >= 0 && i < NTYPE ? types[i] : NULL;
}

/* the force type with this name in model files, NULL if there is none */
const ga_force_type *ga_force_type_named(const char *name) {
  for (int i = 0; i < NTYPE; i++) {
    if (strcmp(types[i]->element.name, name) == 0) return types[i];
  }
  return NULL;
}

/* name of field i (bit 1 << i) in model files, NULL past the end */
const char *ga_force_field_name(int i) {
  return i >= 0 && i < NFIELD ? field_names[i] : NULL;
}

/* *info = public description of the i-th force type; false past the end */
bool ga_force_types(int i, ga_force_type_info *info) {
  const ga_force_type *type = ga_force_type_at(i);
  if (!type) return false;
  *info = (ga_force_type_info){.name = type->element.name,
                               .summary = type->summary,
                               .uses = type->uses,
                               .needs = type->needs};
  return true;
}

/* bits GA_FORCE_HAS_.. of the fields that a description contains */
static unsigned given_fields(const ga_force *f) {
  const bool given[NFIELD] = {f->body,
                              f->between[0] || f->between[1],
                              f->coordinate,
                              f->at.kind,
                              f->axis.kind,
                              f->x_axis.kind,
                              ga_function_given(&f->value[0]) || ga_function_given(&f->value[1]) ||
                                  ga_function_given(&f->value[2]),
                              f->frame != GA_FORCE_SPACE,
                              f->stiffness != 0 || f->K,
                              f->damping != 0 || f->C,
                              f->length.given,
                              f->free.given,
                              ga_function_given(&f->law),
                              f->friction != 0,
                              f->static_friction != 0,
                              f->speed != 0,
                              f->nsum > 0,
                              f->gap != 0};
  unsigned mask = 0;
  for (int i = 0; i < NFIELD; i++) mask |= (unsigned)given[i] << i;
  return mask;
}

/* GA_ERR_ARG with a sentence if the description contains a field that its type does not use, or
 * lacks one it needs. */
ga_status ga_force_check_fields(const char *owner, const ga_force_type *type, const ga_force *force,
                                ga_error *err) {
  const unsigned given = given_fields(force);
  for (int i = 0; i < NFIELD; i++) {
    if (given >> i & 1 && !(type->uses >> i & 1)) {
      return ga_fail(err, GA_ERR_ARG, "%s: type '%s' has no %s", owner, type->element.name,
                     field_names[i]);
    }
    if (type->needs >> i & 1 && !(given >> i & 1)) {
      return ga_fail(err, GA_ERR_ARG, "%s: type '%s' needs %s", owner, type->element.name,
                     field_names[i]);
    }
  }
  return GA_OK;
}

/* Copies stiffness, damping and law into e; all numbers must be finite. e->free is left to the
 * caller. */
ga_status ga_elastic_describe(ga_mechanism *m, const char *owner, const ga_force *force,
                              ga_elastic *e, ga_error *err) {
  const double numbers[4] = {force->stiffness, force->damping, force->length.value,
                             force->free.value};
  if (!ga_finite(4, numbers)) {
    return ga_fail(err, GA_ERR_ARG, "%s has a number that is not finite", owner);
  }
  e->stiffness = force->stiffness;
  e->damping = force->damping;
  return ga_mechanism_law(m, owner, "law", &force->law, ga_of_state, &e->law, err);
}

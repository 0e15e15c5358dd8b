/* SPDX-License-Identifier: MIT */
/* Lines and contact points of pictures: whoever builds a rope, a beam, a cam or a contact adds them,
 * and pictures draw them without knowing what they are. */
#include <string.h>

#include "genalpha/ga_drawable.h"
#include "mechanism/mechanism.h"

/* A copy of n bytes in m's memory; NULL without memory. */
static void *copied(ga_mechanism *m, const void *from, size_t n) {
  void *copy = ga_arena_take(&m->arena, n, 1);
  return copy ? memcpy(copy, from, n) : NULL;
}

/* Fail if m has been built, or has no body of this number (-1: the ground). */
static ga_status check_body(const ga_mechanism *m, const char *name, int body, ga_error *err) {
  if (m->built) return ga_fail(err, GA_ERR_ARG, "the mechanism has been built");
  if (body >= -1 && body + 1 < m->bodies.count) return GA_OK;
  return ga_fail(err, GA_ERR_ARG, "'%s': there is no body number %d", name, body);
}

/* Add a line, see ga_drawable.h. On failure nothing is added. */
ga_status ga_mechanism_add_line(ga_mechanism *m, const ga_line *line, ga_error *err) {
  const char *name = line->name ? line->name : "", *type = line->type ? line->type : "line";
  bool finite = ga_finite(1, &line->radius) && line->radius >= 0;
  if (line->count < 2 || !line->point) {
    return ga_fail(err, GA_ERR_ARG, "line '%s': two points or more are needed", name);
  }
  for (int i = 0; i < line->count; i++) {
    const ga_status status = check_body(m, name, line->point[i].body, err);
    if (status != GA_OK) return status;
    finite = finite && ga_finite(3, line->point[i].at) && ga_finite(3, line->point[i].axis) &&
             ga_finite(1, &line->point[i].radius);
  }
  if (!finite) return ga_fail(err, GA_ERR_ARG, "line '%s': a number is not finite", name);
  ga_line own = *line;
  own.name = copied(m, name, strlen(name) + 1);
  own.type = copied(m, type, strlen(type) + 1);
  const size_t size = (size_t)line->count * sizeof *line->point;
  ga_line_point *point = ga_arena_take(&m->arena, (size_t)line->count, sizeof *point);
  own.point = point;
  if (!own.name || !own.type || !point || !GA_GROW(m->lines)) {
    return ga_fail(err, GA_ERR_MEM, "no memory for line '%s'", name);
  }
  memcpy(point, line->point, size);
  m->lines.item[m->lines.count++] = own;
  return GA_OK;
}

/* *line <- line i, owned by m; false past the end. */
bool ga_mechanism_line(const ga_mechanism *m, int i, ga_line *line) {
  if (i < 0 || i >= m->lines.count) return false;
  *line = m->lines.item[i];
  return true;
}

/* Add a contact point, see ga_drawable.h. On failure nothing is added. */
ga_status ga_mechanism_add_contact_point(ga_mechanism *m, const ga_contact_point *contact,
                                         ga_error *err) {
  const char *name = contact->name ? contact->name : "";
  ga_contact_point own = *contact;
  for (int side = 0; side < 2; side++) {
    const ga_status status = check_body(m, name, contact->body[side], err);
    if (status != GA_OK) return status;
  }
  if (!ga_finite(6, contact->at[0]) || !ga_finite(3, contact->normal) ||
      !ga_finite(3, contact->axis) || !ga_finite(2, contact->radius)) {
    return ga_fail(err, GA_ERR_ARG, "contact '%s': a number is not finite", name);
  }
  own.name = copied(m, name, strlen(name) + 1);
  if (!own.name || !GA_GROW(m->contact_points)) {
    return ga_fail(err, GA_ERR_MEM, "no memory for contact '%s'", name);
  }
  m->contact_points.item[m->contact_points.count++] = own;
  return GA_OK;
}

/* *contact <- contact point i, owned by m; false past the end. */
bool ga_mechanism_contact_point(const ga_mechanism *m, int i, ga_contact_point *contact) {
  if (i < 0 || i >= m->contact_points.count) return false;
  *contact = m->contact_points.item[i];
  return true;
}

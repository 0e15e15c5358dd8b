/* SPDX-License-Identifier: MIT */
/* Bodies and elements as pictures show them. Elements store points relative to centres of mass,
 * pictures need them relative to the origins of the body frames. */
#include "genalpha/ga_drawable.h"

#include <string.h>

#include "mechanism/mechanism.h"

/* *info <- body i (0: the first after the ground) at the start: position and orientation of its
 * body frame, the rest in that frame. False: there is none, *info is unchanged. Texts are owned by
 * m. */
bool ga_mechanism_body_at(const ga_mechanism *m, int i, ga_body_info *info) {
  if (i < 0 || i + 1 >= m->bodies.count) return false;
  const ga_solid *b = &m->bodies.item[i + 1];
  const double *J = b->J;
  *info = (ga_body_info){.name = b->name,
                         .type = b->kind->type,
                         .mass = b->mass,
                         .inertia = {J[0], J[4], J[8], J[1], J[2], J[5]},
                         .look = b->look,
                         .more_looks = b->more_looks,
                         .nmore = b->nmore};
  double arm[3];
  ga_copy3(b->com, info->com);
  ga_times3(b->R0, b->com, arm);
  ga_plus3(b->x0, -1, arm, info->position);
  memcpy(info->orientation, b->p0, sizeof info->orientation);
  return true;
}

/* *look <- the i-th look of the ground; false past the end. */
bool ga_mechanism_ground_look(const ga_mechanism *m, int i, ga_body_look *look) {
  const ga_solid *ground = &m->bodies.item[0];
  if (i < 0 || i >= ground->nmore) return false;
  *look = ground->more_looks[i];
  return true;
}

/* *drawable <- points and axes of an element in body frames; body numbers as in
 * ga_mechanism_body_at, -1: the ground. False: it has no position in space, *drawable is
 * unchanged. */
static bool make_drawable(const ga_mechanism *m, const ga_element *el, ga_drawable *drawable) {
  if (!el->type->geometry) return false;
  ga_geometry g = {.type = el->type->name};
  el->type->geometry(m, el, &g);
  *drawable = (ga_drawable){.name = el->name,
                            .type = g.type,
                            .body = {-1, -1},
                            .single = !g.has[0] || !g.has[1],
                            .length = g.length,
                            .radius = g.radius,
                            .law = g.law};
  /* an element on one body alone is drawn on side A, even if its point is on side B */
  const int first = g.has[0] ? 0 : 1;
  for (int side = first, to = 0; side < 2 && g.has[side]; side++, to++) {
    drawable->body[to] = el->body[side] - 1;
    ga_plus3(g.s[side], 1, m->bodies.item[el->body[side]].com, drawable->at[to]);
    ga_identity3(drawable->axes[to]);
    if (g.E[side]) memcpy(drawable->axes[to], g.E[side], sizeof drawable->axes[to]);
  }
  return true;
}

/* *drawable <- the i-th element of a kind, of those that have a position in space. False: there is
 * none; *drawable may have been overwritten. */
bool ga_mechanism_drawable(const ga_mechanism *m, ga_drawable_kind kind, int i,
                           ga_drawable *drawable) {
  const ga_element *list[] = {[GA_DRAWABLE_JOINT] = m->joints.item,
                              [GA_DRAWABLE_FORCE] = m->others.item,
                              [GA_DRAWABLE_SENSOR] = m->sensors.item};
  const int count[] = {[GA_DRAWABLE_JOINT] = m->joints.count,
                       [GA_DRAWABLE_FORCE] = m->others.count,
                       [GA_DRAWABLE_SENSOR] = m->sensors.count};
  if (i < 0 || (int)kind < 0 || kind > GA_DRAWABLE_SENSOR) return false;
  for (int k = 0; k < count[kind]; k++) {
    if (make_drawable(m, &list[kind][k], drawable) && i-- == 0) return true;
  }
  return false;
}

/* gravity <- the gravity of m in m/s^2, space axes. */
void ga_mechanism_gravity(const ga_mechanism *m, double gravity[3]) {
  ga_copy3(m->gravity, gravity);
}

/* SPDX-License-Identifier: MIT */
/* The metric W of a mechanism (ga_model.metric): w = 1 for lengths, w = l^2 for angles.
 *
 * l is a length of the coupled subsystem: bodies that elements connect, the ground left out. It is
 * the largest of
 *
 *     |s|          distance of a joint or force point from the centre of mass of its body,
 *     |p_b - p_a|  distance of the two points of an element at the start,
 *     length       of a rod, a spring; radius of a wheel,
 *
 * If all of these are zero, as for wheels that turn about their centres, l is the largest radius of
 * gyration, sqrt(J/m); if there is none, l = 1, and no length of the subsystem depends on an angle.
 *
 * A state of a controller has w = (L/size)^2, with the longest of these lengths and a large value of
 * the state, which its author gives.
 *
 * These lengths do not depend on the axes, on the order of the bodies or on the inertia of helper
 * bodies. In other units l is the same length: up to rounding, and exactly if the units are powers
 * of two. It must not be rounded to one: then eta would act with another weight in millimetres, and
 * results differ by a part of the error of a step. */
#include <math.h>

#include "mechanism/mechanism.h"

/* The subsystem that body i belongs to, named by the smallest number of its bodies. Paths in of[]
 * are shortened. */
static int subsystem_of(int *of, int i) {
  while (of[i] != i) i = of[i] = of[of[i]];
  return i;
}

/* The length of an element, see the head of this file; 0 if it has no points. */
static double element_length(const ga_mechanism *m, const ga_element *el) {
  ga_geometry g = {.type = NULL};
  double p[2][3], between[3];
  if (el->type->geometry) el->type->geometry(m, el, &g);
  if (g.only_drawn) return 0;
  double length = fmax(g.length, g.radius);
  for (int side = 0; side < 2; side++) {
    const ga_solid *b = &m->bodies.item[el->body[side]];
    if (!g.has[side]) continue;
    ga_times3(b->R0, g.s[side], p[side]);
    ga_plus3(p[side], 1, b->x0, p[side]);
    if (el->body[side] > 0) length = fmax(length, ga_norm3(g.s[side]));
  }
  if (!g.has[0] || !g.has[1]) return length;
  ga_plus3(p[1], -1, p[0], between);
  return fmax(length, ga_norm3(between));
}

/* Radius of gyration of a body, in space the root of the mean over two perpendicular axes, which
 * does not depend on the body's axes; 0 without mass or without rotations. */
static double gyration_radius(const ga_solid *b) {
  const double trace = b->J[0] + b->J[4] + b->J[8], J = b->kind->planar ? b->J[8] : trace / 2;
  return b->mass > 0 && !b->kind->point ? sqrt(J / b->mass) : 0;
}

/* One number of a body, to be raised to the largest of its subsystem, which named[] tells. */
static void share_largest(int bodies, const int *named, double *number) {
  for (int i = 1; i < bodies; i++) number[named[i]] = fmax(number[named[i]], number[i]);
  for (int i = 1; i < bodies; i++) number[i] = number[named[i]];
}

/* length[i] of each body i <- the length of its subsystem. length and radius, a work array, are zero
 * on entry. */
static void measure_subsystems(const ga_mechanism *m, const int *named, double *length,
                               double *radius) {
  for (int i = 0; i < ga_mechanism_elements(m); i++) {
    const ga_element *el = ga_mechanism_element(m, i);
    const int body = el->body[0] > 0 ? el->body[0] : el->body[1];
    length[body] = fmax(length[body], element_length(m, el));
  }
  for (int i = 1; i < m->bodies.count; i++) radius[i] = gyration_radius(&m->bodies.item[i]);
  share_largest(m->bodies.count, named, length);
  share_largest(m->bodies.count, named, radius);
  for (int i = 1; i < m->bodies.count; i++) {
    if (length[i] == 0) length[i] = radius[i] > 0 ? radius[i] : 1;
  }
}

/* Unite the subsystems of two bodies in of[], unless one is the ground. */
static void unite(int *of, int i, int k) {
  if (i == 0 || k == 0) return;
  const int a = subsystem_of(of, i), b = subsystem_of(of, k);
  of[a > b ? a : b] = a < b ? a : b;
}

/* of[i] <- the subsystem of each body: elements connect their two bodies and those of the joints
 * whose coordinates they act on. */
static void find_subsystems(const ga_mechanism *m, int *of) {
  for (int i = 0; i < m->bodies.count; i++) of[i] = i;
  for (int i = 0; i < ga_mechanism_elements(m); i++) {
    const ga_element *el = ga_mechanism_element(m, i);
    unite(of, el->body[0], el->body[1]);
    int before = 0;
    for (int c = 0; c < el->ncoordinate; c++) {
      const int joint = m->coordinates.item[el->coordinate[c]].joint;
      if (joint < 0) continue; /* a state */
      const int *body = m->joints.item[joint].body;
      const int now = body[0] > 0 ? body[0] : body[1];
      unite(of, before, now);
      before = now;
    }
  }
  for (int i = 0; i < m->bodies.count; i++) of[i] = subsystem_of(of, i);
}

/* Set w of all velocities from the lengths of the subsystems. */
static void fill_metric(const ga_mechanism *m, const double *length, double *w) {
  double longest = 0;
  for (int i = 1; i < m->bodies.count; i++) longest = fmax(longest, length[i]);
  for (int i = 1; i < m->bodies.count; i++) {
    const ga_solid *b = &m->bodies.item[i];
    const double l = length[i];
    for (int k = 0; k < b->kind->nv; k++) w[b->v_at + k] = k < b->kind->nx ? 1 : l * l;
  }
  for (int c = 0; c < m->coordinates.count; c++) {
    const ga_angle *angle = &m->coordinates.item[c];
    if (ga_kind_of_coordinate(m, c) == GA_COORDINATE_STATE) {
      /* a state or parameter: its size is as large as the longest length */
      const double ratio = longest / angle->size;
      w[angle->v_at] = ratio * ratio;
      continue;
    }
    const ga_element *joint = &m->joints.item[angle->joint];
    const int body = joint->body[0] > 0 ? joint->body[0] : joint->body[1];
    const double l = length[body];
    const bool turns = ((const ga_joint_data *)joint->data)->type->coordinate[angle->which].angle;
    w[angle->v_at] = turns ? l * l : 1;
  }
}

/* Set m->model.metric, nv numbers in m's arena. False: no memory. After the layout. */
bool ga_mechanism_set_metric(ga_mechanism *m) {
  ga_arena scratch = {0};
  int *of = ga_arena_ints(&scratch, (size_t)m->bodies.count);
  double *length = ga_arena_doubles(&scratch, (size_t)m->bodies.count);
  double *radius = ga_arena_doubles(&scratch, (size_t)m->bodies.count);
  double *w = ga_arena_doubles(&m->arena, (size_t)m->nv);
  const bool ok = !scratch.failed && !m->arena.failed;
  if (ok) {
    find_subsystems(m, of);
    measure_subsystems(m, of, length, radius);
    fill_metric(m, length, w);
    m->model.metric = w;
  }
  ga_arena_free(&scratch);
  return ok;
}

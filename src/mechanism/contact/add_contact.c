/* SPDX-License-Identifier: MIT */
/* Contacts and limits: descriptions checked, and made into points, ends and groups. */
#include <stdio.h>
#include <string.h>

#include "genalpha/ga_drawable.h"
#include "mechanism/contact/contact.h"

enum { OWNER = 160 }; /* bytes of "contact 'name'", the beginning of messages */

/* ---- checks --------------------------------------------------------------------------------- */

/* Is a plane on side A? */
static bool has_plane(const ga_mechanism_contact *c) {
  return c->surfaces == GA_SURFACES_PLANE || c->surfaces == GA_SURFACES_DISK;
}

/* Fail unless restitution is in [0, 1]. */
static ga_status check_restitution(const char *owner, double e, ga_error *err) {
  if (e >= 0 && e <= 1) return GA_OK;
  return ga_fail(err, GA_ERR_ARG, "%s: restitution %g is not between 0 and 1", owner, e);
}

/* Check the numbers of the laws: restitution, friction, softness. */
static ga_status check_laws(const char *owner, const ga_mechanism_contact *c, ga_error *err) {
  ga_status status = check_restitution(owner, c->restitution, err);
  if (status != GA_OK) return status;
  if (!(c->friction >= 0 && isfinite(c->friction))) {
    return ga_fail(err, GA_ERR_ARG, "%s: friction %g must not be negative", owner, c->friction);
  }
  if (c->static_friction != 0 && c->friction == 0) {
    return ga_fail(err, GA_ERR_ARG, "%s: static_friction %g needs a friction above 0", owner,
                   c->static_friction);
  }
  if (c->static_friction != 0 && !(c->static_friction >= c->friction)) {
    return ga_fail(err, GA_ERR_ARG, "%s: static_friction %g is less than friction %g", owner,
                   c->static_friction, c->friction);
  }
  if (c->stiffness == 0 && (c->damping != 0 || c->slip_speed != 0)) {
    return ga_fail(err, GA_ERR_ARG, "%s: %s belongs to a soft contact, which has a stiffness",
                   owner, c->damping != 0 ? "damping" : "slip_speed");
  }
  if (!(c->stiffness >= 0 && c->damping >= 0 && c->slip_speed >= 0 && isfinite(c->stiffness))) {
    return ga_fail(err, GA_ERR_ARG,
                   "%s: stiffness and slip_speed must be positive, damping not negative", owner);
  }
  if (c->stiffness > 0 && c->restitution != 0) {
    return ga_fail(err, GA_ERR_ARG,
                   "%s: restitution belongs to a hard contact, stiffness to a soft one; give one "
                   "of them",
                   owner);
  }
  if (c->stiffness > 0 && c->static_friction != 0) {
    return ga_fail(err, GA_ERR_ARG, "%s: a soft contact has no static_friction", owner);
  }
  return GA_OK;
}

/* Check radii and edges. */
static ga_status check_sizes(const char *owner, const ga_mechanism_contact *c, ga_error *err) {
  const bool round = c->surfaces != GA_SURFACES_PLANE;
  if (!(c->radius >= 0 && isfinite(c->radius)) ||
      (c->surfaces == GA_SURFACES_DISK && c->radius == 0)) {
    return ga_fail(err, GA_ERR_ARG, "%s: radius %g must be positive", owner, c->radius);
  }
  const bool both = c->surfaces == GA_SURFACES_SPHERES || c->surfaces == GA_SURFACES_INSIDE;
  if (both && !(c->radius_a >= 0 && c->radius_a + c->radius > 0 && isfinite(c->radius_a))) {
    return ga_fail(err, GA_ERR_ARG, "%s: radius %g must be positive", owner, c->radius_a);
  }
  if (c->surfaces == GA_SURFACES_INSIDE && !(c->radius_a > c->radius)) {
    return ga_fail(err, GA_ERR_ARG,
                   "%s: the inner radius %g is not less than the outer one %g; the outer sphere is "
                   "that of the first body",
                   owner, c->radius, c->radius_a);
  }
  for (int i = 0; c->surfaces == GA_SURFACES_BLOCK && i < 3; i++) {
    if (c->block[i] > 0 && isfinite(c->block[i])) continue;
    return ga_fail(err, GA_ERR_ARG, "%s: edge %g of the box must be positive", owner, c->block[i]);
  }
  if (c->npoints > 0 && round) {
    return ga_fail(err, GA_ERR_ARG, "%s: points belong to a plane", owner);
  }
  return GA_OK;
}

/* Check which bodies may take part. */
static ga_status check_bodies(const ga_sides *sides, const ga_mechanism_contact *c, bool planar,
                              ga_error *err) {
  const ga_solid *const *body = sides->body;
  if (body[0]->kind->point && (has_plane(c) || c->surfaces == GA_SURFACES_BLOCK)) {
    return ga_fail(err, GA_ERR_ARG, "%s: '%s' is a point and has no %s; swap the bodies of between",
                   sides->owner, body[0]->name, has_plane(c) ? "plane" : "box");
  }
  if (body[1]->kind->point && c->surfaces == GA_SURFACES_DISK) {
    return ga_fail(err, GA_ERR_ARG, "%s: '%s' is a point and has no disk", sides->owner,
                   body[1]->name);
  }
  for (int side = 0; side < 2; side++) {
    const double radius = side ? c->radius : c->radius_a;
    if (!body[side]->kind->point || radius == 0 || c->friction == 0) continue;
    return ga_fail(err, GA_ERR_ARG,
                   "%s: '%s' is a point, which cannot roll: friction needs a radius 0, or a rigid "
                   "body",
                   sides->owner, body[side]->name);
  }
  if (planar && (c->surfaces == GA_SURFACES_DISK || c->surfaces == GA_SURFACES_BLOCK)) {
    return ga_fail(err, GA_ERR_ARG, "%s: planar bodies have circles and points", sides->owner);
  }
  for (int i = 0; i < c->npoints; i++) {
    const double *p = c->points + 3 * i;
    if (!ga_finite(3, p)) {
      return ga_fail(err, GA_ERR_ARG, "%s: point %d has a number that is not finite", sides->owner,
                     i + 1);
    }
    if (planar && p[2] != 0) {
      return ga_fail(err, GA_ERR_ARG, "%s: point %d of planar bodies lies in the plane",
                     sides->owner, i + 1);
    }
    if (body[1]->kind->point && ga_norm3(p) > 0) {
      return ga_fail(err, GA_ERR_ARG, "%s: '%s' is a point: its only point is [0, 0, 0]",
                     sides->owner, body[1]->name);
    }
  }
  return GA_OK;
}

/* ---- shapes --------------------------------------------------------------------------------- */

/* Fail if a field of the plane is given on B. */
static ga_status on_side_a(const ga_sides *sides, const char *field, const ga_point *point,
                           ga_error *err) {
  if (point->kind != GA_SIDE_B && point->kind != GA_SIDES) return GA_OK;
  return ga_fail(
      err, GA_ERR_ARG,
      "%s: %s is given on '%s', but the plane belongs to the first body; swap the bodies "
      "of between",
      sides->owner, field, sides->body[1]->name);
}

/* E <- columns t_1, t_2, n in the axes of A. */
static ga_status plane_axes(const ga_sides *sides, const ga_axis *normal, bool planar, double *E,
                            ga_error *err) {
  static const ga_axis up = GA_IN_SPACE(0, 1, 0), none = {.kind = GA_NOT_GIVEN};
  double both[2][9], a[2][3];
  if (!planar) {
    const ga_status status = ga_locate_axes(sides, false, normal, &none, both, err);
    memcpy(E, both[0], sizeof both[0]);
    return status;
  }
  const ga_status status =
      ga_locate_direction(sides, "normal", normal->kind ? normal : &up, a, err);
  const double *n = a[0], t[3] = {n[1], -n[0], 0}, y[3] = {0, 0, -1}; /* y = n x t */
  for (int i = 0; i < 3; i++) E[3 * i] = t[i], E[3 * i + 1] = y[i], E[3 * i + 2] = n[i];
  return status;
}

/* side[0] <- point and axes of the plane. */
static ga_status plane_frame(const ga_sides *sides, const ga_mechanism_contact *c, bool planar,
                             ga_joint_frame *side, ga_error *err) {
  static const ga_point origin = GA_ON_A(0, 0, 0);
  double s[2][3];
  ga_status status = on_side_a(sides, "plane.point", &c->point, err);
  if (status == GA_OK) status = on_side_a(sides, "plane.normal", &c->normal, err);
  if (status == GA_OK) {
    status = ga_locate_point(sides, "plane.point", c->point.kind ? &c->point : &origin, s, err);
  }
  if (status != GA_OK) return status;
  ga_copy3(s[0], side->s);
  return plane_axes(sides, &c->normal, planar, side->E, err);
}

/* E <- orthonormal axes as columns with the unit vector z as third, x from the far space axis. */
static void axes_about(const double *z, double *E) {
  double x[3], y[3];
  ga_axis_far_from(z, x);
  ga_plus3(x, -ga_dot3(x, z), z, x);
  const double length = ga_norm3(x);
  for (int i = 0; i < 3; i++) x[i] /= length;
  ga_cross3(z, x, y);
  for (int i = 0; i < 3; i++) E[3 * i] = x[i], E[3 * i + 1] = y[i], E[3 * i + 2] = z[i];
}

/* Sets the surfaces of a contact, but for the point of B on a plane. */
static ga_status set_shape(const ga_sides *sides, const ga_mechanism_contact *c, bool planar,
                           ga_contact_shape *shape, ga_error *err) {
  static const double x_axis[3] = {1, 0, 0};
  double s[2][3], a[2][3];
  *shape = (ga_contact_shape){.kind = c->surfaces, .planar = planar};
  shape->radius[0] = c->radius_a, shape->radius[1] = c->radius;
  for (int i = 0; i < 3; i++) shape->half[i] = c->block[i] / 2;
  for (int side = 0; side < 2; side++) {
    ga_identity3(shape->side[side].E);
    /* a box on the ground has the axes of its sub-assembly */
    if (sides->base && sides->body[side]->kind->fixed) {
      memcpy(shape->side[side].E, sides->base->R, sizeof shape->side[side].E);
    }
  }
  axes_about(x_axis, shape->turn);
  ga_status status = ga_locate_origins(sides, "centres", &c->centres, s, err);
  if (status != GA_OK) return status;
  for (int side = 0; side < 2; side++) ga_copy3(s[side], shape->side[side].s);
  if (has_plane(c)) status = plane_frame(sides, c, planar, &shape->side[0], err);
  if (status != GA_OK || c->surfaces != GA_SURFACES_DISK) return status;
  if (c->axis.kind == GA_NOT_GIVEN) {
    return ga_fail(err, GA_ERR_ARG, "%s: the disk needs an axis", sides->owner);
  }
  status = ga_locate_direction(sides, "axis", &c->axis, a, err);
  if (status == GA_OK) axes_about(a[1], shape->side[1].E);
  return status;
}

/* At the start: the axis a of tangents that move, from the normal, and the points nearest to each
 * other, for sizes and pictures. */
static void set_start(const ga_sides *sides, ga_contact_data *data) {
  ga_contact_shape *shape = &data->shape;
  ga_frame frame[2];
  ga_touch_point at;
  double n[3], p[3], r[3], turn[9];
  for (int side = 0; side < 2; side++) ga_solid_frame(sides->body[side], &frame[side]);
  for (int side = 0; side < 2; side++) ga_copy3(shape->side[side].s, data->foot[side]);
  if (!ga_contact_at(shape, &frame[0], &frame[1], &at)) return;
  ga_copy3(at.t[0].t, n);
  axes_about(n, turn);
  ga_product_t3(at.pair.Ua, turn, shape->turn);
  if (shape->kind != GA_SURFACES_PLANE && shape->kind != GA_SURFACES_DISK) return;
  /* on A: straight below the centre of B */
  ga_plus3(at.pair.rb, 1, frame[1].x, p);
  ga_plus3(p, -ga_dot3(n, at.pair.d), n, p);
  ga_plus3(p, -1, frame[0].x, r);
  ga_times_t3(frame[0].R, r, data->foot[0]);
}

/* ---- adding --------------------------------------------------------------------------------- */

/* Append an element "NAME.END" to m->touches, with a copy of `size` bytes of its data. */
static bool add_touch(ga_mechanism *m, const char *name, const char *end, ga_element *el,
                      const void *data, size_t size) {
  char text[2 * OWNER + 1];
  void *own = ga_arena_take(&m->arena, 1, size);
  snprintf(text, sizeof text, ".%s", end);
  el->name = ga_mechanism_text(m, name, text);
  if (!own || !el->name || !GA_GROW(m->touches)) return false;
  memcpy(own, data, size);
  el->data = own;
  m->touches.item[m->touches.count++] = *el;
  return true;
}

/* Append a group of the touches from `first` on and define its name. */
static ga_status add_group(ga_mechanism *m, const char *name, const ga_element *like, int first,
                           ga_error *err) {
  ga_contact_group *group = ga_arena_take(&m->arena, 1, sizeof *group);
  ga_element el = *like;
  if (!group || !GA_GROW(m->groups)) return ga_fail(err, GA_ERR_MEM, "no memory for '%s'", name);
  const ga_status status = ga_mechanism_define(m, name, GA_NAMED_CONTACT, m->groups.count, 0, err);
  if (status != GA_OK) return status;
  *group = (ga_contact_group){.first = first, .count = m->touches.count - first};
  el.data = group;
  el.nlam = el.npsi = 0;
  el.name = ga_mechanism_find(m, name)->name;
  m->groups.item[m->groups.count++] = el;
  return GA_OK;
}

/* Let pictures show a point of the contact. name: before its columns. */
static ga_status draw_point(ga_mechanism *m, const char *name, const int body[2],
                            const ga_sides *sides, const ga_contact_shape *shape, ga_error *err) {
  ga_contact_point p = {.name = name,
                        .body = {body[0] - 1, body[1] - 1}, /* without the ground */
                        .radius = {shape->radius[0], shape->radius[1]},
                        .inside = shape->kind == GA_SURFACES_INSIDE};
  for (int side = 0; side < 2; side++) {
    ga_plus3(shape->side[side].s, 1, sides->body[side]->com, p.at[side]);
  }
  if (shape->kind == GA_SURFACES_PLANE || shape->kind == GA_SURFACES_DISK) {
    ga_column3(shape->side[0].E, 2, p.normal);
  }
  if (shape->kind == GA_SURFACES_DISK) ga_column3(shape->side[1].E, 2, p.axis);
  if (shape->kind == GA_SURFACES_BLOCK) return GA_OK;
  return ga_mechanism_add_contact_point(m, &p, err);
}

/* Append the points of a contact whose shape is set. pair: the name of its only point, NULL: 1, 2,
 * .. *el: the last one. */
static ga_status add_points(ga_mechanism *m, const ga_mechanism_contact *c, const ga_sides *sides,
                            const int body[2], ga_contact_data *data, const char *pair,
                            ga_element *el, ga_error *err) {
  const bool planar = data->shape.planar, soft = c->stiffness > 0;
  *el = (ga_element){.body = {body[0], body[1]}, .nlam = !soft};
  el->npsi = soft || c->friction == 0 ? 0 : planar ? 1 : 2;
  for (int i = 0; i < (c->npoints > 0 ? c->npoints : 1); i++) {
    char end[16];
    if (c->npoints > 0) {
      double own[3];
      ga_side_point(sides, 1, c->points + 3 * i, own);
      ga_plus3(own, -1, sides->body[1]->com, data->shape.side[1].s);
    }
    set_start(sides, data);
    snprintf(end, sizeof end, "%d", i + 1);
    el->type = soft ? (planar ? &ga_element_soft_contact_planar : &ga_element_soft_contact)
                    : (planar ? &ga_element_contact_planar : &ga_element_contact);
    if (!add_touch(m, c->name, pair ? pair : end, el, data, sizeof *data)) {
      return ga_fail(err, GA_ERR_MEM, "no memory for %s", sides->owner);
    }
    const bool several = c->npoints > 1 || pair;
    const char *name = several ? m->touches.item[m->touches.count - 1].name : c->name;
    const ga_status drawn = draw_point(m, name, body, sides, &data->shape, err);
    if (drawn != GA_OK) return drawn;
  }
  return GA_OK;
}

/* Append the points of a contact between two bodies. */
static ga_status add_between(ga_mechanism *m, const ga_mechanism_contact *contact,
                             const char *owner, const char *pair, const double *turn,
                             ga_element *el, ga_error *err) {
  ga_sides sides = {.owner = owner};
  int body[2];
  ga_status status = ga_sides_of(m, contact->between, body, &sides, err);
  if (status != GA_OK) return status;
  const bool planar = sides.body[0]->kind->planar || sides.body[1]->kind->planar;
  status = check_laws(owner, contact, err);
  if (status == GA_OK) status = check_sizes(owner, contact, err);
  if (status == GA_OK) status = check_bodies(&sides, contact, planar, err);
  if (status != GA_OK) return status;
  ga_contact_data data = {.restitution = contact->restitution,
                          .friction = contact->friction,
                          .static_friction = contact->static_friction,
                          .stiffness = contact->stiffness,
                          .damping = contact->damping,
                          .slip_speed = contact->slip_speed > 0 ? contact->slip_speed : 1e-3,
                          .sparse = pair != NULL};
  status = set_shape(&sides, contact, planar, &data.shape, err);
  if (status != GA_OK) return status;
  if (turn) memcpy(data.shape.side[0].E, turn, sizeof data.shape.side[0].E);
  return add_points(m, contact, &sides, body, &data, pair, el, err);
}

/* ---- all bodies of a list ------------------------------------------------------------------- */

/* The shape of a body: radius of a sphere, or edges and axes (in body axes) of a box; its centre in
 * the body frame. False if contacts do not know it. */
static bool shape_of(const ga_solid *b, double *radius, double *edges, double *axes,
                     double *centre) {
  const ga_body_look *look = &b->look;
  const double *p = look->orientation;
  ga_copy3(look->has_pose ? look->position : b->com, centre);
  ga_identity3(axes);
  if (look->has_pose && (p[0] != 0 || p[1] != 0 || p[2] != 0 || p[3] != 0)) ga_rotation3(p, axes);
  *radius = look->shape == GA_SHAPE_SPHERE ? look->radius : 0;
  ga_copy3(look->box, edges);
  return look->shape == GA_SHAPE_SPHERE || (look->shape == GA_SHAPE_BOX && !b->kind->planar);
}

/* Append the pair of bodies with numbers i and k of the list. */
static ga_status add_pair(ga_mechanism *m, const ga_mechanism_contact *c, const char *owner, int i,
                          int k, ga_element *el, ga_error *err) {
  const char *names[2] = {c->all[i], c->all[k]};
  double radius[2], edges[2][3], axes[2][9], centre[2][3];
  char pair[2 * OWNER];
  snprintf(pair, sizeof pair, "%.120s_%.120s", names[0], names[1]);
  for (int side = 0; side < 2; side++) {
    int body;
    const ga_status status = ga_mechanism_body_named(m, owner, names[side], &body, err);
    if (status != GA_OK) return status;
    if (shape_of(&m->bodies.item[body], &radius[side], edges[side], axes[side], centre[side])) {
      continue;
    }
    return ga_fail(err, GA_ERR_ARG,
                   "%s: '%s' has no shape that meets others: a sphere, or in space a box", owner,
                   names[side]);
  }
  if (radius[0] == 0 && radius[1] == 0) {
    return ga_fail(err, GA_ERR_ARG,
                   "%s: '%s' and '%s' are boxes; boxes meet spheres here, and planes of their own "
                   "contacts",
                   owner, names[0], names[1]);
  }
  const bool boxed = radius[0] == 0 || radius[1] == 0;
  const int a = radius[1] == 0; /* the side that is A: the box */
  ga_mechanism_contact own = *c;
  own.nall = own.npoints = 0;
  own.between[0] = names[a], own.between[1] = names[!a];
  own.surfaces = boxed ? GA_SURFACES_BLOCK : GA_SURFACES_SPHERES;
  own.radius_a = boxed ? 0 : radius[a];
  own.radius = radius[!a];
  ga_copy3(edges[a], own.block);
  own.centres = (ga_point){.kind = GA_SIDES};
  ga_copy3(centre[a], own.centres.a);
  ga_copy3(centre[!a], own.centres.b);
  return add_between(m, &own, owner, pair, boxed ? axes[a] : NULL, el, err);
}

/* Append the points of a contact: of two bodies, or of all pairs of a list. *el: one of them. */
static ga_status add_all_points(ga_mechanism *m, const ga_mechanism_contact *c, const char *owner,
                                ga_element *el, ga_error *err) {
  if (c->nall == 0) return add_between(m, c, owner, NULL, NULL, el, err);
  if (c->nall < 2) return ga_fail(err, GA_ERR_ARG, "%s: all needs two bodies at least", owner);
  ga_status status = GA_OK;
  for (int i = 0; i < c->nall && status == GA_OK; i++) {
    for (int k = i + 1; k < c->nall && status == GA_OK; k++) {
      status = add_pair(m, c, owner, i, k, el, err);
    }
  }
  return status;
}

/* The balls about the bodies of a list, for its group, the last one. False: no memory. */
static bool add_balls(ga_mechanism *m, const ga_mechanism_contact *c, const char *owner) {
  ga_element *el = &m->groups.item[m->groups.count - 1];
  ga_contact_group *group = ga_arena_take(&m->arena, 1, sizeof *group);
  ga_ball *all = ga_arena_take(&m->arena, (size_t)c->nall, sizeof *all);
  for (int i = 0; all && i < c->nall; i++) {
    double edges[3], axes[9], centre[3];
    ga_error none;
    if (ga_mechanism_body_named(m, owner, c->all[i], &all[i].body, &none) != GA_OK) continue;
    const ga_solid *b = &m->bodies.item[all[i].body];
    shape_of(b, &all[i].radius, edges, axes, centre);
    if (all[i].radius == 0) all[i].radius = ga_norm3(edges) / 2;
    ga_plus3(centre, -1, b->com, all[i].s);
  }
  if (!all || !group) return false;
  *group = *(const ga_contact_group *)el->data;
  group->ball = all;
  group->nball = c->nall;
  el->data = group;
  return true;
}

/* Check a description and append its points and its group. A failure adds nothing. */
ga_status ga_mechanism_add_contact(ga_mechanism *m, const ga_mechanism_contact *contact,
                                   ga_error *err) {
  char owner[OWNER];
  ga_element el;
  ga_status status = ga_mechanism_claim(m, "contact", contact->name, err);
  if (status != GA_OK) return status;
  snprintf(owner, sizeof owner, "contact '%.120s'", contact->name);
  const int first = m->touches.count;
  status = add_all_points(m, contact, owner, &el, err);
  if (status == GA_OK) {
    const bool planar =
        el.type == &ga_element_contact_planar || el.type == &ga_element_soft_contact_planar;
    el.type = planar ? &ga_group_contact_planar : &ga_group_contact;
    status = add_group(m, contact->name, &el, first, err);
  }
  if (status == GA_OK && contact->nall > 0 && !add_balls(m, contact, owner)) {
    status = ga_fail(err, GA_ERR_MEM, "no memory for %s", owner);
  }
  if (status != GA_OK) m->touches.count = first;
  return status;
}

/* Append one end of a limit. */
static bool add_end(ga_mechanism *m, const ga_mechanism_limit *limit, bool upper, int *coordinate) {
  const ga_limit_data data = {.sign = upper ? -1 : 1,
                              .end = upper ? limit->upper.value : limit->lower.value,
                              .restitution = limit->restitution};
  ga_element el = {
      .type = &ga_element_limit, .nlam = 1, .ncoordinate = 1, .coordinate = coordinate};
  return add_touch(m, limit->name, upper ? "upper" : "lower", &el, &data, sizeof data);
}

/* Check a description and append its ends and its group; the coordinate is created if necessary. */
ga_status ga_mechanism_add_limit(ga_mechanism *m, const ga_mechanism_limit *limit, ga_error *err) {
  char owner[OWNER];
  ga_status status = ga_mechanism_claim(m, "limit", limit->name, err);
  if (status != GA_OK) return status;
  snprintf(owner, sizeof owner, "limit '%.120s'", limit->name);
  const ga_given *ends[2] = {&limit->lower, &limit->upper};
  if (!limit->lower.given && !limit->upper.given) {
    return ga_fail(err, GA_ERR_ARG, "%s: a limit needs lower, upper or both", owner);
  }
  for (int i = 0; i < 2; i++) {
    if (!ends[i]->given || isfinite(ends[i]->value)) continue;
    return ga_fail(err, GA_ERR_ARG, "%s: %s is not a finite number", owner, i ? "upper" : "lower");
  }
  if (limit->lower.given && limit->upper.given && !(limit->lower.value < limit->upper.value)) {
    return ga_fail(err, GA_ERR_ARG, "%s: lower (%g) is %s upper (%g)", owner, limit->lower.value,
                   limit->lower.value > limit->upper.value ? "above" : "equal to",
                   limit->upper.value);
  }
  status = check_restitution(owner, limit->restitution, err);
  const int before = m->coordinates.count, first = m->touches.count;
  int *coordinate = ga_arena_ints(&m->arena, 1);
  if (status != GA_OK) return status;
  if (!coordinate) return ga_fail(err, GA_ERR_MEM, "no memory for %s", owner);
  status = ga_mechanism_coordinate_named(m, owner, limit->coordinate, coordinate, err);
  if (status != GA_OK) return status;
  for (int i = 0; i < 2 && status == GA_OK; i++) {
    if (ends[i]->given && !add_end(m, limit, i == 1, coordinate)) {
      status = ga_fail(err, GA_ERR_MEM, "no memory for %s", owner);
    }
  }
  const ga_element like = {.type = &ga_group_limit, .ncoordinate = 1, .coordinate = coordinate};
  if (status == GA_OK) status = add_group(m, limit->name, &like, first, err);
  if (status == GA_OK) return GA_OK;
  m->touches.count = first;
  ga_mechanism_forget_coordinates(m, before);
  return status;
}

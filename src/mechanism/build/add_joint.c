/* SPDX-License-Identifier: MIT */
/* Joints: a description checked against the table of its type, and made into rows and frames. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mechanism/joint/joint.h"
#include "mechanism/joint/relation.h"

enum { OWNER = 160 }; /* bytes of "joint 'name'", the beginning of messages */

/* ---- which fields --------------------------------------------------------------------------- */

static const char *const field_names[] = {"at",        "axis",  "x_axis", "length",
                                          "radius",    "point", "normal", "centre",
                                          "direction", "curve", "start"};
enum { NFIELD = (int)(sizeof field_names / sizeof field_names[0]) };

/* Fields that the description gives, bit i for field_names[i]: the bits GA_JOINT_AT .. */
static unsigned given_fields(const ga_joint *j) {
  const bool given[NFIELD] = {j->at.kind,
                              j->axis.kind,
                              j->x_axis.kind,
                              j->length.given,
                              j->radius != 0,
                              j->point.kind,
                              j->normal.kind,
                              j->centre.kind,
                              j->direction.kind,
                              ga_function_given(&j->curve[0]) || ga_function_given(&j->curve[1]) ||
                                  ga_function_given(&j->curve[2]),
                              j->start.given};
  unsigned mask = 0;
  for (int i = 0; i < NFIELD; i++) mask |= (unsigned)given[i] << i;
  return mask;
}

/* GA_ERR_ARG if a field is given that the type does not use (between planar bodies, if planar), one
 * that it needs is missing, or turns are given for a coordinate that is no angle. */
static ga_status check_fields(const char *owner, const ga_joint_type *type, bool planar,
                              const ga_joint *joint, ga_error *err) {
  const unsigned given = given_fields(joint);
  const unsigned uses = planar ? type->plane_uses : type->uses;
  const unsigned needs = planar ? type->plane_needs : type->needs;
  const char *where = planar ? " between planar bodies" : "";
  for (int i = 0; i < NFIELD; i++) {
    if (given >> i & 1 && !(uses >> i & 1)) {
      return ga_fail(err, GA_ERR_ARG, "%s: type '%s'%s has no %s", owner, type->name, where,
                     field_names[i]);
    }
    if (needs >> i & 1 && !(given >> i & 1)) {
      return ga_fail(err, GA_ERR_ARG, "%s: type '%s'%s needs %s", owner, type->name, where,
                     field_names[i]);
    }
  }
  for (int k = 0; k < GA_COORDINATES_MAX; k++) {
    if (joint->turns[k] == 0) continue;
    if (!type->coordinate[k].name || !type->coordinate[k].angle) {
      return ga_fail(err, GA_ERR_ARG, "%s: turns are for angles; type '%s' has none there", owner,
                     type->name);
    }
  }
  return GA_OK;
}

/* Name of the i-th type of joints, NULL past the end. */
static const char *type_name(int i) {
  const ga_joint_type *type = ga_joint_type_at(i);
  return type ? type->name : NULL;
}

/* *type <- the type of this name; fails (GA_ERR_ARG) with "did you mean" if there is none. owner
 * begins messages. */
static ga_status find_type(const char *owner, const char *name, const ga_joint_type **type,
                           ga_error *err) {
  if (!name) return ga_fail(err, GA_ERR_ARG, "%s: a type is missing", owner);
  *type = ga_joint_type_named(name);
  if (*type) return GA_OK;
  const char *near = ga_nearest_word(name, type_name);
  if (near) {
    return ga_fail(err, GA_ERR_ARG, "%s: there is no type '%s' of joints; did you mean '%s'?",
                   owner, name, near);
  }
  return ga_fail(err, GA_ERR_ARG, "%s: there is no type '%s' of joints", owner, name);
}

/* ---- which bodies --------------------------------------------------------------------------- */

/* number[side] and sides->body[side] <- number and body of between[side], A first. sides->owner
 * must be set, it begins messages. GA_ERR_ARG if one does not exist, both are the same, or one is
 * planar and the other spatial (the ground goes with both). The pointers hold until a body is
 * added. */
ga_status ga_sides_of(const ga_mechanism *m, const char *const between[2], int number[2],
                      ga_sides *sides, ga_error *err) {
  for (int side = 0; side < 2; side++) {
    ga_status status = ga_mechanism_body_named(m, sides->owner, between[side], &number[side], err);
    if (status != GA_OK) return status;
    sides->body[side] = &m->bodies.item[number[side]];
  }
  sides->base = m->base.placed ? &m->base : NULL;
  if (number[0] == number[1]) {
    return ga_fail(err, GA_ERR_ARG, "%s: both sides are '%s'", sides->owner, between[0]);
  }
  const ga_body_kind *a = sides->body[0]->kind, *b = sides->body[1]->kind;
  const bool planar_a = a->planar, planar_b = b->planar;
  const bool ground = a->fixed || b->fixed;
  if (planar_a != planar_b && !ground) {
    return ga_fail(err, GA_ERR_ARG, "%s: '%s' is planar and '%s' is not", sides->owner,
                   between[planar_a ? 0 : 1], between[planar_a ? 1 : 0]);
  }
  return GA_OK;
}

/* True if one of the bodies is planar. */
static bool is_planar(const ga_sides *sides) {
  return sides->body[0]->kind->planar || sides->body[1]->kind->planar;
}

/* Fail if the type does not join planar bodies, or a side cannot be a point body. */
static ga_status check_kinds(const ga_sides *sides, const ga_joint_type *type, ga_error *err) {
  if (is_planar(sides) && type->plane.count < 0) {
    return ga_fail(err, GA_ERR_ARG, "%s: type '%s' does not join planar bodies", sides->owner,
                   type->name);
  }
  for (int side = 0; side < 2; side++) {
    const bool allowed = side == 0 ? type->point_a : type->point_b;
    if (sides->body[side]->kind->point && !allowed) {
      return ga_fail(err, GA_ERR_ARG, "%s: side %c of type '%s' cannot be the point '%s'",
                     sides->owner, "AB"[side], type -> name, sides -> body[side] -> name);
    }
  }
  return GA_OK;
}

/* ---- frames --------------------------------------------------------------------------------- */

/* Fail unless the point or direction is given in space, on this side, or not at all. */
static ga_status check_one_side(const ga_sides *sides, const char *field, const ga_point *point,
                                int side, ga_error *err) {
  const ga_point_kind own = side == 0 ? GA_SIDE_A : GA_SIDE_B;
  if (point->kind == GA_NOT_GIVEN || point->kind == GA_SPACE || point->kind == own) return GA_OK;
  return ga_fail(err, GA_ERR_ARG, "%s: %s is given in space or on side %c, '%s'", sides->owner,
                 field, "AB"[side], sides -> body[side] -> name);
}

/* E <- orthonormal axes as columns with the unit vector z as third; x and y are arbitrary. */
static void axes_with_z(const double *z, double *E) {
  double x[3] = {0, 0, 0}, y[3];
  const int k = fabs(z[0]) < 0.6 ? 0 : 1;
  x[k] = 1;
  ga_plus3(x, -ga_dot3(x, z), z, x);
  const double length = ga_norm3(x);
  for (int i = 0; i < 3; i++) x[i] /= length;
  ga_cross3(z, x, y);
  for (int i = 0; i < 3; i++) E[3 * i] = x[i], E[3 * i + 1] = y[i], E[3 * i + 2] = z[i];
}

/* data->side <- frames of rolling joints: on A a point of the plane (default: A's origin), its
 * normal as z and tangents x, y; on B the centre, and the axis of a disk as z; a sphere has no
 * axis, its axes are those of A at the start. After a failure data->side must not be used. */
static ga_status rolling_frames(const ga_sides *sides, const ga_joint *joint, ga_joint_data *data,
                                ga_error *err) {
  static const ga_point a_origin = {GA_SIDE_A, {0, 0, 0}, {0, 0, 0}};
  double s[2][3], E[2][9], a[2][3];
  ga_status status = check_one_side(sides, "point", &joint->point, 0, err);
  if (status == GA_OK) status = check_one_side(sides, "normal", &joint->normal, 0, err);
  if (status == GA_OK) status = check_one_side(sides, "centre", &joint->centre, 1, err);
  if (status == GA_OK) status = check_one_side(sides, "axis", &joint->axis, 1, err);
  if (status == GA_OK) {
    const ga_point *point = joint->point.kind ? &joint->point : &a_origin;
    status = ga_locate_point(sides, "point", point, s, err);
  }
  ga_copy3(s[0], data->side[0].s);
  if (status == GA_OK)
    status = ga_locate_axes(sides, false /* not planar */, &joint->normal, &joint->x_axis, E, err);
  memcpy(data->side[0].E, E[0], sizeof E[0]);
  memcpy(data->side[1].E, E[1], sizeof E[1]);
  if (status == GA_OK) status = ga_locate_point(sides, "centre", &joint->centre, s, err);
  ga_copy3(s[1], data->side[1].s);
  if (status != GA_OK || !joint->axis.kind) return status;
  status = ga_locate_direction(sides, "axis", &joint->axis, a, err);
  if (status == GA_OK) axes_with_z(a[1], data->side[1].E);
  return status;
}

/* data->side <- frames of a knife edge: the point `at` and, as z, the direction of the edge, on
 * both sides; unchanged on failure. */
static ga_status knife_frames(const ga_sides *sides, const ga_joint *joint, ga_joint_data *data,
                              ga_error *err) {
  double s[2][3], a[2][3];
  ga_status status = check_one_side(sides, "at", &joint->at, 1, err);
  if (status == GA_OK) status = check_one_side(sides, "direction", &joint->direction, 1, err);
  if (status == GA_OK) status = ga_locate_point(sides, "at", &joint->at, s, err);
  if (status == GA_OK) {
    status = ga_locate_direction(sides, "direction", &joint->direction, a, err);
  }
  if (status != GA_OK) return status;
  for (int side = 0; side < 2; side++) {
    ga_copy3(s[side], data->side[side].s);
    axes_with_z(a[side], data->side[side].E);
  }
  return GA_OK;
}

/* data->side, curve and near <- a point on a curve: the origin of the curve on A, with the axes of A's
 * frame, and the point of B. */
static ga_status curve_frames(ga_mechanism *m, const ga_sides *sides, const ga_joint *joint,
                              ga_joint_data *data, ga_error *err) {
  double s[2][3];
  ga_status status = ga_locate_origins(sides, "at", &joint->at, s, err);
  for (int k = 0; k < 3 && status == GA_OK; k++) {
    status = ga_mechanism_law(m, sides->owner, "curve", &joint->curve[k], ga_of_curve,
                              &data->curve[k], err);
    if (status == GA_OK && data->curve[k].uses) {
      status = ga_fail(err, GA_ERR_ARG, "%s: curve is a function of s alone, it cannot use '%s'",
                       sides->owner, data->curve[k].uses->name[0]);
    }
  }
  if (status != GA_OK) return status;
  if (!ga_finite(1, &joint->start.value)) {
    return ga_fail(err, GA_ERR_ARG, "%s: start is not a finite number", sides->owner);
  }
  data->near = joint->start.value;
  for (int side = 0; side < 2; side++) {
    const bool placed = sides->base && sides->body[side]->kind->fixed;
    ga_copy3(s[side], data->side[side].s);
    for (int i = 0; i < 9; i++) data->side[side].E[i] = placed ? sides->base->R[i] : i % 4 == 0;
  }
  return GA_OK;
}

/* data->side <- frames of all other joints: point and axes; unchanged on failure. A type with a
 * length (data->type is set) has two distinct points. */
static ga_status usual_frames(const ga_sides *sides, const ga_joint *joint, ga_joint_data *data,
                              ga_error *err) {
  double s[2][3], E[2][9];
  /* two points are at different positions in space */
  const bool apart = data->type->uses & GA_JOINT_LENGTH || data->type->coordinate[0].distance;
  ga_status status = apart ? ga_locate_origins(sides, "at", &joint->at, s, err)
                           : ga_locate_point(sides, "at", &joint->at, s, err);
  if (status == GA_OK) {
    status = ga_locate_axes(sides, is_planar(sides), &joint->axis, &joint->x_axis, E, err);
  }
  for (int side = 0; side < 2 && status == GA_OK; side++) {
    ga_copy3(s[side], data->side[side].s);
    memcpy(data->side[side].E, E[side], sizeof E[side]);
  }
  return status;
}

/* Set data->side[], points and axes of the joint on both bodies in body axes; data->type is set. */
static ga_status set_frames(ga_mechanism *m, const ga_sides *sides, const ga_joint *joint,
                            ga_joint_data *data, ga_error *err) {
  if (data->type->uses & GA_JOINT_CURVE) return curve_frames(m, sides, joint, data, err);
  if (data->type->uses & GA_JOINT_RADIUS) return rolling_frames(sides, joint, data, err);
  if (data->type->uses & GA_JOINT_DIRECTION) return knife_frames(sides, joint, data, err);
  return usual_frames(sides, joint, data, err);
}

/* ---- the start configuration ---------------------------------------------------------------- */

/* frames and *p <- the bodies and the joint in the start configuration; data->side is set. p points
 * to frames, which must outlive it. */
static void start_pair(const ga_sides *sides, const ga_joint_data *data, ga_frame frames[2],
                       ga_pair *p) {
  for (int side = 0; side < 2; side++) ga_solid_frame(sides->body[side], &frames[side]);
  /* false: no second derivatives of rows */
  ga_pair_points(p, false, &frames[0], &frames[1], data->side[0].s, data->side[1].s);
  ga_pair_axes(p, data->side[0].E, data->side[1].E);
}

/* GA_ERR_ARG if axes of both sides that must agree (bits type->aligned: x, y, z) are more than 90
 * degrees apart at the start: the rows of the joint only make other axes perpendicular, so they
 * hold for opposite axes, too. */
static ga_status check_aligned(const ga_sides *sides, const ga_joint_data *data, const ga_pair *p,
                               ga_error *err) {
  for (int k = 0; k < 3; k++) {
    double a[3], b[3];
    ga_column3(p->Ua, k, a);
    ga_column3(p->Ub, k, b);
    if (data->type->aligned >> k & 1 && !(ga_dot3(a, b) > 0)) {
      return ga_fail(err, GA_ERR_ARG, "%s: the %c axes of both sides point away from each other",
                     sides->owner, "xyz"[k]);
    }
  }
  return GA_OK;
}

/* A joint whose axis z on A and x on B must be perpendicular (universal): if they are not at the
 * start, |cosine| > 1e-6, keep the x that the description gives on B, and make the z of B
 * perpendicular to it; the row of the joint is then violated until the bodies are moved. Fails if
 * both directions are given in the same axes, where no motion can make them perpendicular. Changes
 * data->side[1].E. */
static ga_status keep_own_axes(const ga_sides *sides, const ga_joint *joint, ga_joint_data *data,
                               ga_error *err) {
  double z[2][3], x[2][3], za[3], xb[3], y[3], own[3];
  ga_status status = ga_locate_direction(sides, "axis", &joint->axis, z, err);
  if (status == GA_OK) status = ga_locate_direction(sides, "x_axis", &joint->x_axis, x, err);
  if (status != GA_OK) return status;
  ga_times3(sides->body[0]->R0, z[0], za);
  ga_times3(sides->body[1]->R0, x[1], xb);
  const double cosine = ga_dot3(za, xb);
  if (fabs(cosine) <= 1e-6) return GA_OK;
  if (joint->axis.kind == joint->x_axis.kind && joint->axis.kind != GA_SIDES) {
    return ga_fail(err, GA_ERR_ARG, "%s: axis and x_axis are not perpendicular (cosine %.3g)",
                   sides->owner, cosine);
  }
  ga_plus3(z[1], -ga_dot3(z[1], x[1]), x[1], own);
  const double length = ga_norm3(own);
  if (!(length > 1e-6)) {
    return ga_fail(err, GA_ERR_ARG, "%s: x_axis is parallel to axis", sides->owner);
  }
  for (int i = 0; i < 3; i++) own[i] /= length;
  ga_cross3(own, x[1], y);
  for (int i = 0; i < 3; i++) {
    double *row = data->side[1].E + 3 * i;
    row[0] = x[1][i], row[1] = y[i], row[2] = own[i];
  }
  return GA_OK;
}

/* Set data->radius and data->length as far as the type uses them; GA_ERR_ARG unless positive and
 * finite. Default length: |d|, the distance of the points at the start. */
static ga_status set_sizes(const ga_sides *sides, const ga_joint *joint, const ga_pair *p,
                           ga_joint_data *data, ga_error *err) {
  if (data->type->uses & GA_JOINT_RADIUS) {
    data->radius = joint->radius;
    if (!(joint->radius > 0 && isfinite(joint->radius))) {
      return ga_fail(err, GA_ERR_ARG, "%s: radius %g must be positive", sides->owner,
                     joint->radius);
    }
  }
  if (!(data->type->uses & GA_JOINT_LENGTH)) return GA_OK;
  data->length = joint->length.given ? joint->length.value : ga_norm3(p->d);
  if (data->length > 0 && isfinite(data->length)) return GA_OK;
  return ga_fail(err, GA_ERR_ARG, "%s: length %g must be positive", sides->owner, data->length);
}

/* Check the description against data->type, which is set, and set side, length and radius of data.
 * After a failure data must not be used. */
static ga_status prepare_joint(ga_mechanism *m, const ga_sides *sides, const ga_joint *joint,
                               ga_joint_data *data, ga_error *err) {
  const ga_joint_type *type = data->type;
  ga_frame frames[2];
  ga_pair p;
  ga_status status = check_kinds(sides, type, err);
  if (status == GA_OK) status = check_fields(sides->owner, type, is_planar(sides), joint, err);
  const unsigned both = GA_JOINT_AXIS | GA_JOINT_X_AXIS;
  if (status == GA_OK) status = set_frames(m, sides, joint, data, err);
  if (status == GA_OK && (type->needs & both) == both) {
    status = keep_own_axes(sides, joint, data, err);
  }
  if (status != GA_OK) return status;
  start_pair(sides, data, frames, &p);
  status = set_sizes(sides, joint, &p, data, err);
  return status == GA_OK ? check_aligned(sides, data, &p, err) : status;
}

/* Create the parameter of the last joint, which its rows depend on, with its size: 1/|c'| at the
 * start, in units of the mechanism's length (build.c). On failure the joint is taken back. */
static ga_status add_parameter(ga_mechanism *m, const char *owner, ga_error *err) {
  ga_element *el = &m->joints.item[m->joints.count - 1];
  const ga_joint_data *data = el->data;
  char name[160];
  int index;
  snprintf(name, sizeof name, "%.120s.%s", el->name, data->type->coordinate[0].name);
  const ga_status status = ga_mechanism_coordinate_named(m, owner, name, &index, err);
  if (status != GA_OK) {
    ga_mechanism_undefine(m, el->name);
    m->joints.count--;
    return status;
  }
  ga_angle *angle = &m->coordinates.item[index];
  double square = 0, jet[3];
  for (int k = 0; k < data->rows->count; k++) {
    if (ga_law_jet(&data->curve[k], &angle->start, 0, jet) == 0) square += jet[1] * jet[1];
  }
  angle->size = 1 / sqrt(square);
  el->ncoordinate = 1;
  el->coordinate = data->coordinate;
  return GA_OK;
}

/* Check a description, append the joint with its rows and frames to m->joints and define its name;
 * on failure no joint is added. Coordinates are created only when something asks for them. */
ga_status ga_mechanism_add_joint(ga_mechanism *m, const ga_joint *joint, ga_error *err) {
  char owner[OWNER];
  ga_sides sides = {.owner = owner};
  ga_element el = {0};
  ga_joint_data data = {.coordinate = {-1, -1, -1}}; /* -1: does not exist */
  ga_status status = ga_mechanism_claim(m, "joint", joint->name, err);
  if (status != GA_OK) return status;
  snprintf(owner, sizeof owner, "joint '%.120s'", joint->name);
  status = find_type(owner, joint->type, &data.type, err);
  if (status == GA_OK) status = ga_sides_of(m, joint->between, el.body, &sides, err);
  if (status == GA_OK) status = prepare_joint(m, &sides, joint, &data, err);
  data.friction = joint->friction;
  if (status == GA_OK) status = ga_bearing_check(&sides, data.type, &data.friction, err);
  if (status != GA_OK) return status;
  ga_joint_set_rows(&data, is_planar(&sides) ? &data.type->plane : &data.type->space);
  memcpy(data.turns, joint->turns, sizeof data.turns);
  ga_joint_data *own = ga_arena_take(&m->arena, 1, sizeof *own);
  if (!own || !GA_GROW(m->joints)) return ga_fail(err, GA_ERR_MEM, "no memory for %s", owner);
  status = ga_mechanism_define(m, joint->name, GA_NAMED_JOINT, m->joints.count, 0, err);
  if (status != GA_OK) return status;
  *own = data;
  el.type = data.friction.coulomb > 0 ? &ga_element_bearing : data.type->element;
  el.name = ga_mechanism_find(m, joint->name)->name;
  el.nlam = data.rows->count;
  el.npsi = data.type->npsi;
  el.data = own;
  m->joints.item[m->joints.count++] = el;
  return data.type->coordinate[0].parameter ? add_parameter(m, owner, err) : GA_OK;
}

/* *index <- number of the coordinate "JOINT.NAME", created if necessary; GA_ERR_ARG after the build
 * or for an unknown name. owner: who asks, for messages. */
static ga_status need_coordinate(ga_mechanism *m, const char *owner, const char *coordinate,
                                 int *index, ga_error *err) {
  if (m->built) {
    return ga_fail(err, GA_ERR_ARG, "the mechanism has been built: nothing can be added");
  }
  return ga_mechanism_coordinate_named(m, owner, coordinate, index, err);
}

/* Make the coordinate "JOINT.NAME" exist, so that it has output columns; before the build. */
ga_status ga_mechanism_want_coordinate(ga_mechanism *m, const char *coordinate, ga_error *err) {
  int index;
  return need_coordinate(m, "output", coordinate, &index, err);
}

/* Put the inertia of a rotor on a coordinate, which is created if necessary; before the build. */
ga_status ga_mechanism_add_inertia(ga_mechanism *m, const char *coordinate, double inertia,
                                   ga_error *err) {
  int index;
  if (!isfinite(inertia) || inertia < 0) {
    return ga_fail(err, GA_ERR_ARG, "the inertia of '%s' is %g, it must not be negative",
                   coordinate, inertia);
  }
  const ga_status status = need_coordinate(m, "inertia", coordinate, &index, err);
  if (status == GA_OK) m->coordinates.item[index].inertia += inertia;
  return status;
}

/* Fix the start value of a coordinate (start, held), or of its rate (start_rate, rate_held): an
 * assembly does not change it. The coordinate is created if necessary. GA_ERR_ARG after the
 * build. */
static ga_status set_start(ga_mechanism *m, const char *coordinate, double value, bool rate,
                           ga_error *err) {
  int index;
  if (!isfinite(value)) {
    return ga_fail(err, GA_ERR_ARG, "start of '%s' is not a finite number", coordinate);
  }
  const ga_status status = need_coordinate(m, "start", coordinate, &index, err);
  if (status != GA_OK) return status;
  ga_angle *angle = &m->coordinates.item[index];
  if (rate) {
    angle->start_rate = value;
    angle->rate_held = true;
  } else {
    angle->start = value;
    angle->held = true;
  }
  return GA_OK;
}

/* Fix the start value of the coordinate "JOINT.NAME"; fails as set_start does. */
ga_status ga_mechanism_set_coordinate(ga_mechanism *m, const char *coordinate, double value,
                                      ga_error *err) {
  return set_start(m, coordinate, value, false /* the value */, err);
}

/* Fix the start value of its rate, per second; fails as set_start does. */
ga_status ga_mechanism_set_rate(ga_mechanism *m, const char *coordinate, double rate,
                                ga_error *err) {
  return set_start(m, coordinate, rate, true /* the rate */, err);
}

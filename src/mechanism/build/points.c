/* SPDX-License-Identifier: MIT */
/* Points and directions as descriptions give them, in the axes of both bodies.
 *
 * sides: the bodies A (0) and B (1) of an element, and owner, which begins messages; field: the key
 * of the description, for messages. "At the start" is the start configuration x0, R0 of the bodies.
 * All failures are GA_ERR_ARG; results are then not to be used. */
#include <math.h>
#include <string.h>

#include "mechanism/mechanism.h"

/* True if all n numbers are finite. */
bool ga_finite(int n, const double *x) {
  for (int i = 0; i < n; i++) {
    if (!isfinite(x[i])) return false;
  }
  return true;
}

/* Fail if a point or direction has an unknown kind, a number that is not finite, or z != 0 where
 * one of the bodies is planar. */
static ga_status check_point(const ga_sides *sides, const char *field, const ga_point *point,
                             ga_error *err) {
  const ga_point_kind k = point->kind;
  if (k != GA_NOT_GIVEN && k != GA_SPACE && k != GA_SIDE_A && k != GA_SIDE_B && k != GA_SIDES) {
    return ga_fail(err, GA_ERR_ARG, "%s: %s is of no known kind (%d)", sides->owner, field, (int)k);
  }
  if (!ga_finite(3, point->a) || !ga_finite(3, point->b)) {
    return ga_fail(err, GA_ERR_ARG, "%s: %s has a number that is not finite", sides->owner, field);
  }
  const bool planar = sides->body[0]->kind->planar || sides->body[1]->kind->planar;
  if (planar && (point->a[2] != 0 || point->b[2] != 0)) {
    return ga_fail(err, GA_ERR_ARG, "%s: %s of planar bodies lies in the plane, its z is not 0",
                   sides->owner, field);
  }
  return GA_OK;
}

/* p <- the point in space at the start; in_frame: the point in the body frame, from its origin. */
static void point_in_space(const ga_solid *b, const double *in_frame, double *p) {
  double s[3];
  ga_plus3(in_frame, -1, b->com, s);
  ga_times3(b->R0, s, p);
  ga_plus3(p, 1, b->x0, p);
}

/* x <- a point that is given in the frame of a side; on the ground, that of the description. */
void ga_side_point(const ga_sides *sides, int side, const double *given, double *x) {
  ga_copy3(given, x);
  if (sides->base && sides->body[side]->kind->fixed) ga_base_point(sides->base, given, x);
}

/* s <- p (in space) as an offset from the centre of mass, in body axes, at the start. */
static void point_on_body(const ga_solid *b, const double *p, double *s) {
  double r[3];
  ga_plus3(p, -1, b->x0, r);
  ga_times_t3(b->R0, r, s);
}

/* s[side] <- one point in space as an offset from the centre of mass of each body, body axes. Not
 * given: the origin of B's frame. GA_SIDES gives a point for each body, which need not coincide. */
ga_status ga_locate_point(const ga_sides *sides, const char *field, const ga_point *point,
                          double s[2][3], ga_error *err) {
  static const double origin[3] = {0, 0, 0};
  const ga_solid *const *body = sides->body;
  ga_status status = check_point(sides, field, point, err);
  if (status != GA_OK) return status;
  double p[3], own[2][3];
  ga_side_point(sides, 0, point->a, own[0]);
  ga_side_point(sides, 1, point->kind == GA_NOT_GIVEN ? origin : point->b, own[1]);
  if (point->kind == GA_SIDES) {
    for (int side = 0; side < 2; side++) ga_plus3(own[side], -1, body[side]->com, s[side]);
    return GA_OK;
  }
  /* one side gives the point; without one, it is the origin of B */
  const int from = point->kind == GA_SIDE_A ? 0 : 1;
  if (point->kind == GA_SPACE) {
    ga_copy3(point->a, p);
    if (sides->base) ga_base_point(sides->base, point->a, p);
  } else {
    point_in_space(body[from], own[from], p);
  }
  for (int side = 0; side < 2; side++) point_on_body(body[side], p, s[side]);
  /* on the body where it is given, use the point as it is, without rounding errors */
  if (point->kind != GA_SPACE) ga_plus3(own[from], -1, body[from]->com, s[from]);
  return GA_OK;
}

/* s[side] <- a point of each body as an offset from its centre of mass, body axes. A side that is
 * not given has its frame's origin. The two points may be apart. */
ga_status ga_locate_origins(const ga_sides *sides, const char *field, const ga_point *point,
                            double s[2][3], ga_error *err) {
  static const double origin[3] = {0, 0, 0};
  ga_status status = check_point(sides, field, point, err);
  if (status != GA_OK) return status;
  if (point->kind == GA_SPACE) {
    return ga_fail(err, GA_ERR_ARG, "%s: %s is given in the frames of the bodies, not in space",
                   sides->owner, field);
  }
  for (int side = 0; side < 2; side++) {
    const double *given = side == 0 ? point->a : point->b;
    const bool there = point->kind & (side == 0 ? GA_SIDE_A : GA_SIDE_B);
    double own[3];
    ga_side_point(sides, side, there ? given : origin, own);
    ga_plus3(own, -1, sides->body[side]->com, s[side]);
  }
  return GA_OK;
}

/* Scale a (3 numbers) to length 1 in place; fail if it is zero. */
static ga_status normalize(const ga_sides *sides, const char *field, double *a, ga_error *err) {
  const double length = ga_norm3(a);
  if (!(length > 0)) {
    return ga_fail(err, GA_ERR_ARG, "%s: %s is zero and has no direction", sides->owner, field);
  }
  for (int i = 0; i < 3; i++) a[i] /= length;
  return GA_OK;
}

/* a[side] <- unit vector of a direction in space axes at the start. One given for a single side or
 * in space is the same for both. */
static ga_status space_directions(const ga_sides *sides, const char *field, const ga_point *point,
                                  double a[2][3], ga_error *err) {
  ga_status status = check_point(sides, field, point, err);
  if (status != GA_OK) return status;
  const ga_base *base = sides->base;
  const double *R[2];
  for (int side = 0; side < 2; side++) {
    const ga_solid *b = sides->body[side];
    R[side] = base && b->kind->fixed ? base->R : b->R0;
  }
  ga_copy3(point->a, a[0]);
  if (point->kind == GA_SPACE && base) ga_times3(base->R, point->a, a[0]);
  if (point->kind & GA_SIDE_A) ga_times3(R[0], point->a, a[0]);
  if (point->kind & GA_SIDE_B) ga_times3(R[1], point->b, a[1]);
  if (point->kind == GA_SIDE_B) ga_copy3(a[1], a[0]);
  if (point->kind != GA_SIDE_B && point->kind != GA_SIDES) ga_copy3(a[0], a[1]);
  status = normalize(sides, field, a[0], err);
  return status == GA_OK ? normalize(sides, field, a[1], err) : status;
}

/* a[side] <- unit vector of a direction in the axes of each body; one that is given in space or on
 * a single side is the same direction in space, at the start, for both. */
ga_status ga_locate_direction(const ga_sides *sides, const char *field, const ga_point *point,
                              double a[2][3], ga_error *err) {
  double space[2][3];
  ga_status status = space_directions(sides, field, point, space, err);
  if (status != GA_OK) return status;
  for (int side = 0; side < 2; side++) ga_times_t3(sides->body[side]->R0, space[side], a[side]);
  return GA_OK;
}

/* x <- the axis of space that is farthest from z: the first of x, y, z whose |cosine| with z is within
 * 1e-9 of the least. */
void ga_axis_far_from(const double *z, double *x) {
  double least = fabs(z[0]);
  int k = 0;
  for (int i = 1; i < 3; i++) least = fmin(least, fabs(z[i]));
  while (fabs(z[k]) > least + 1e-9) k++;
  for (int i = 0; i < 3; i++) x[i] = i == k;
}

/* x <- the same axis of the description's frame; base NULL: of space. */
static void default_x(const ga_base *base, const double *z, double *x) {
  double own[3], axis[3];
  ga_copy3(z, own);
  if (base) ga_times_t3(base->R, z, own);
  ga_axis_far_from(own, axis);
  ga_copy3(axis, x);
  if (base) ga_times3(base->R, axis, x);
}

/* E <- orthonormal joint axes of one side as columns (x, y, z) in body axes: z as given, x made
 * perpendicular to z, y = z cross x. x and z are unit vectors in space axes; fails if they are
 * parallel (sine <= 1e-6). */
static ga_status make_axes(const ga_sides *sides, int side, const double *x, const double *z,
                           double *E, ga_error *err) {
  double U[9], own[3], y[3];
  ga_plus3(x, -ga_dot3(x, z), z, own);
  if (!(ga_norm3(own) > 1e-6)) {
    return ga_fail(err, GA_ERR_ARG, "%s: x_axis is parallel to axis", sides->owner);
  }
  const double length = ga_norm3(own);
  for (int i = 0; i < 3; i++) own[i] /= length;
  ga_cross3(z, own, y);
  for (int i = 0; i < 3; i++) U[3 * i] = own[i], U[3 * i + 1] = y[i], U[3 * i + 2] = z[i];
  ga_product_t3(sides->body[side]->R0, U, E);
  return GA_OK;
}

/* E[side] <- joint axes of each side as columns (x, y, z) in body axes, from the directions axis
 * (z) and x_axis. Default z: space z; default x: see default_x, and for planar joints with an axis
 * the in-plane normal of z. planar: one of the bodies is planar. */
ga_status ga_locate_axes(const ga_sides *sides, bool planar, const ga_point *axis,
                         const ga_point *x_axis, double E[2][9], ga_error *err) {
  double z[2][3] = {{0, 0, 1}, {0, 0, 1}}, x[2][3];
  ga_status status = GA_OK;
  for (int side = 0; side < 2 && sides->base; side++) ga_column3(sides->base->R, 2, z[side]);
  if (axis->kind != GA_NOT_GIVEN) status = space_directions(sides, "axis", axis, z, err);
  if (status != GA_OK) return status;
  default_x(sides->base, z[0], x[0]);
  ga_copy3(x[0], x[1]);
  for (int side = 0; side < 2 && planar && axis->kind != GA_NOT_GIVEN; side++) {
    x[side][0] = -z[side][1], x[side][1] = z[side][0], x[side][2] = 0;
  }
  if (x_axis->kind != GA_NOT_GIVEN) status = space_directions(sides, "x_axis", x_axis, x, err);
  for (int side = 0; side < 2 && status == GA_OK; side++) {
    status = make_axes(sides, side, x[side], z[side], E[side], err);
  }
  return status;
}

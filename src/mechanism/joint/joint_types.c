/* SPDX-License-Identifier: MIT */
/* The registry of joints: each is one row of this table. A new joint is a new row; the reader of
 * files, its schema and the documentation follow. */
#include <string.h>

#include "mechanism/mechanism.h"

enum { X, Y, Z }; /* axes of a joint frame */

/* rows of primitives (see joint.c): an axis of A, then one of B; lists of rows with their number,
 * -1: the joint does not exist in the plane */

#define PLANE(axis) \
  { &ga_primitive_plane, axis, 0 }
#define PERPENDICULAR(a, b) \
  { &ga_primitive_perpendicular, a, b }
#define SAME(axis) \
  { &ga_primitive_coincide, axis, 0 }
#define COINCIDE SAME(X), SAME(Y), SAME(Z)
#define SAME_AXES PERPENDICULAR(X, Y), PERPENDICULAR(Y, Z), PERPENDICULAR(Z, X)
#define SAME_Z PERPENDICULAR(X, Z), PERPENDICULAR(Y, Z)
#define ROWS(number, ...) \
  {                       \
    number, {             \
      __VA_ARGS__         \
    }                     \
  }
#define NO_JOINT     \
  {                  \
    -1, {            \
      { NULL, 0, 0 } \
    }                \
  }

/* atan2(y_a.x_b, x_a.x_b) about z; the position along an axis of A */
#define ANGLE(text) \
  { text, true, Y, X, X, X, false, false, 0 }
#define POSITION(text, axis) \
  { text, false, axis, 0, 0, 0, false, false, 0 }

/* elementary joints in a spanning tree, from A to B; the coordinate that each is, -1: none */
#define HINGE(axis, coordinate) \
  { GA_HINGE, axis, coordinate }
#define SLIDE(axis, coordinate) \
  { GA_SLIDE, axis, coordinate }
#define BALL \
  { GA_BALL, 0, -1 }
#define SHIFT \
  { GA_SHIFT, 0, -1 }
#define TREE(number, ...) \
  {                       \
    true, number, {       \
      __VA_ARGS__         \
    }                     \
  }

enum {
  FRAME = GA_JOINT_AT | GA_JOINT_AXIS | GA_JOINT_X_AXIS,
  ROLLING = GA_JOINT_POINT | GA_JOINT_NORMAL | GA_JOINT_CENTRE | GA_JOINT_RADIUS | GA_JOINT_X_AXIS,
  ALIGNED_Z = 1 << Z,
  ALIGNED = 1 << X | 1 << Y | 1 << Z
};

static const ga_joint_type types[] = {
    {.name = "fixed",
     .summary = "no relative motion",
     .space = ROWS(6, COINCIDE, SAME_AXES),
     .tree = TREE(0, {GA_NO_FREEDOM, 0, -1}),
     .plane = ROWS(3, SAME(X), SAME(Y), PERPENDICULAR(X, Y)),
     .uses = FRAME,
     .needs_rotation = true,
     .aligned = ALIGNED,
     .plane_uses = GA_JOINT_AT,
     .element = &ga_element_joint},
    {.name = "revolute",
     .summary = "rotation about z",
     .space = ROWS(5, COINCIDE, SAME_Z),
     .tree = TREE(1, HINGE(Z, 0)),
     .plane = ROWS(2, SAME(X), SAME(Y)),
     .coordinate = {ANGLE("angle")},
     .uses = FRAME,
     .needs = GA_JOINT_AXIS,
     .needs_rotation = true,
     .aligned = ALIGNED_Z,
     .plane_uses = GA_JOINT_AT | GA_JOINT_X_AXIS,
     .bearing = GA_BEARING_TURNS,
     .element = &ga_element_joint},
    {.name = "prismatic",
     .summary = "translation along z",
     .space = ROWS(5, SAME_AXES, PLANE(X), PLANE(Y)),
     .tree = TREE(1, SLIDE(Z, 0)),
     .plane = ROWS(2, PERPENDICULAR(X, Z), PLANE(X)),
     .coordinate = {POSITION("position", Z)},
     .uses = FRAME,
     .needs = GA_JOINT_AXIS,
     .needs_rotation = true,
     .aligned = ALIGNED,
     .plane_uses = GA_JOINT_AT | GA_JOINT_AXIS,
     .plane_needs = GA_JOINT_AXIS,
     .bearing = GA_BEARING_SLIDES,
     .element = &ga_element_joint},
    {.name = "cylindrical",
     .summary = "rotation about z and translation along it",
     .space = ROWS(4, SAME_Z, PLANE(X), PLANE(Y)),
     .tree = TREE(2, HINGE(Z, 0), SLIDE(Z, 1)),
     .plane = NO_JOINT,
     .coordinate = {ANGLE("angle"), POSITION("position", Z)},
     .uses = FRAME,
     .needs = GA_JOINT_AXIS,
     .needs_rotation = true,
     .aligned = ALIGNED_Z,
     .bearing = GA_BEARING_TURNS | GA_BEARING_SLIDES,
     .element = &ga_element_joint},
    {.name = "spherical",
     .summary = "rotation about a point",
     .space = ROWS(3, COINCIDE),
     .tree = TREE(1, BALL),
     .plane = NO_JOINT,
     .uses = FRAME,
     .point_a = true,
     .point_b = true,
     .bearing = GA_BEARING_BALL,
     .element = &ga_element_joint},
    {.name = "universal",
     .summary = "rotations about z of A and x of B, which stay perpendicular",
     .space = ROWS(4, COINCIDE, PERPENDICULAR(Z, X)),
     .tree = TREE(2, HINGE(Z, 0), HINGE(X, 1)),
     .plane = NO_JOINT,
     .coordinate = {ANGLE("angle_a"), {"angle_b", true, Z, Y, Z, Z, false, false, 0}},
     .uses = FRAME,
     .needs = GA_JOINT_AXIS | GA_JOINT_X_AXIS,
     .needs_rotation = true,
     .element = &ga_element_joint},
    {.name = "planar",
     .summary = "motion in the plane normal to z",
     .space = ROWS(3, SAME_Z, PLANE(Z)),
     .tree = TREE(3, SLIDE(X, 0), SLIDE(Y, 1), HINGE(Z, 2)),
     .plane = NO_JOINT,
     .coordinate = {POSITION("x", X), POSITION("y", Y), ANGLE("angle")},
     .uses = FRAME,
     .needs = GA_JOINT_AXIS,
     .needs_rotation = true,
     .aligned = ALIGNED_Z,
     .element = &ga_element_joint},
    {.name = "orientation",
     .summary = "translation without rotation",
     .space = ROWS(3, SAME_AXES),
     .tree = TREE(1, SHIFT),
     .plane = NO_JOINT,
     .uses = FRAME,
     .needs_rotation = true,
     .aligned = ALIGNED,
     .element = &ga_element_joint},
    {.name = "parallel",
     .summary = "the z axes stay parallel",
     .space = ROWS(2, SAME_Z),
     .tree = TREE(2, SHIFT, HINGE(Z, -1)),
     .plane = NO_JOINT,
     .uses = FRAME,
     .needs = GA_JOINT_AXIS,
     .needs_rotation = true,
     .aligned = ALIGNED_Z,
     .element = &ga_element_joint},
    {.name = "point_on_line",
     .summary = "the point of B stays on the z line of A",
     .space = ROWS(2, PLANE(X), PLANE(Y)),
     .tree = TREE(2, SLIDE(Z, 0), BALL),
     .plane = ROWS(1, PLANE(X)),
     .coordinate = {POSITION("position", Z)},
     .uses = FRAME,
     .needs = GA_JOINT_AXIS,
     .point_b = true,
     .plane_uses = GA_JOINT_AT | GA_JOINT_AXIS,
     .plane_needs = GA_JOINT_AXIS,
     .element = &ga_element_joint},
    {.name = "point_on_plane",
     .summary = "the point of B stays in the plane normal to z of A",
     .space = ROWS(1, PLANE(Z)),
     .tree = TREE(3, SLIDE(X, -1), SLIDE(Y, -1), BALL),
     .plane = NO_JOINT,
     .uses = FRAME,
     .needs = GA_JOINT_AXIS,
     .point_b = true,
     .element = &ga_element_joint},
    {.name = "distance",
     .summary = "constant distance of two points",
     .space = ROWS(1, {&ga_primitive_distance, 0, 0}),
     .plane = ROWS(1, {&ga_primitive_distance, 0, 0}),
     .uses = GA_JOINT_AT | GA_JOINT_LENGTH,
     .point_a = true,
     .point_b = true,
     .plane_uses = GA_JOINT_AT | GA_JOINT_LENGTH,
     .element = &ga_element_distance},
    {.name = "span",
     .summary = "no constraint; distance of points, angles of their line about z",
     .space = ROWS(0, {NULL, 0, 0}),
     .plane = ROWS(0, {NULL, 0, 0}),
     .coordinate = {{.name = "length", .distance = true},
                    {.name = "angle_a", .angle = true, .seen_from = 1},
                    {.name = "angle_b", .angle = true, .seen_from = 2}},
     .uses = FRAME,
     .point_a = true,
     .point_b = true,
     .plane_uses = GA_JOINT_AT,
     .element = &ga_element_span},
    {.name = "point_on_curve",
     .summary = "the point of B stays on a curve of A, whose parameter is `s`",
     .space = ROWS(3, PLANE(X), PLANE(Y), PLANE(Z)),
     .plane = ROWS(2, PLANE(X), PLANE(Y)),
     .coordinate = {{.name = "s", .parameter = true}},
     .uses = GA_JOINT_AT | GA_JOINT_CURVE | GA_JOINT_START,
     .needs = GA_JOINT_CURVE,
     .point_b = true,
     .plane_uses = GA_JOINT_AT | GA_JOINT_CURVE | GA_JOINT_START,
     .plane_needs = GA_JOINT_CURVE,
     .element = &ga_element_curve},
    {.name = "rolling_disk",
     .summary = "a disk on B rolls on a plane of A",
     .space = ROWS(1, PLANE(Z)),
     .plane = NO_JOINT,
     .uses = ROLLING | GA_JOINT_AXIS,
     .needs = GA_JOINT_AXIS | GA_JOINT_RADIUS,
     .needs_rotation = true,
     .element = &ga_element_rolling,
     .npsi = 2},
    {.name = "rolling_sphere",
     .summary = "a sphere on B rolls on a plane of A",
     .space = ROWS(1, PLANE(Z)),
     .plane = NO_JOINT,
     .uses = ROLLING,
     .needs = GA_JOINT_RADIUS,
     .needs_rotation = true,
     .element = &ga_element_rolling,
     .npsi = 2},
    {.name = "knife_edge",
     .summary = "a point of B does not move along a direction of B",
     .space = ROWS(0, {NULL, 0, 0}),
     .plane = NO_JOINT,
     .uses = GA_JOINT_AT | GA_JOINT_DIRECTION,
     .needs = GA_JOINT_DIRECTION,
     .needs_rotation = true,
     .element = &ga_element_knife_edge,
     .npsi = 1},
};
enum { NTYPE = (int)(sizeof types / sizeof types[0]) };

/* the i-th joint type, NULL past the end */
const ga_joint_type *ga_joint_type_at(int i) {
  return i >= 0 && i < NTYPE ? &types[i] : NULL;
}

/* the joint type with this name in model files, NULL if there is none */
const ga_joint_type *ga_joint_type_named(const char *name) {
  for (int i = 0; i < NTYPE; i++) {
    if (strcmp(types[i].name, name) == 0) return &types[i];
  }
  return NULL;
}

/* *info = public description of the i-th joint type; false past the end */
bool ga_joint_types(int i, ga_joint_type_info *info) {
  const ga_joint_type *type = ga_joint_type_at(i);
  if (!type) return false;
  *info = (ga_joint_type_info){.name = type->name,
                               .summary = type->summary,
                               .rows = type->space.count,
                               .nonholonomic = type->npsi,
                               .planar_rows = type->plane.count,
                               .uses = type->uses,
                               .needs = type->needs};
  for (int k = 0; k < GA_COORDINATES_MAX; k++) info->coordinates[k] = type->coordinate[k].name;
  return true;
}

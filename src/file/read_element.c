/* SPDX-License-Identifier: MIT */
/* Joints, drives, couplers, forces and sensors of a model file: one table of fields each. Functions
 * that return bool return false after a failure, which is recorded in r; then nothing is added. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "file/reader.h"
#include "mechanism/force/force.h"

/* The targets are the descriptions of ga_mechanism.h, so keys and members correspond one to one. */
#define AT(type, member) offsetof(type, member)

/* ---- joints --------------------------------------------------------------------------------- */

/* Field reader: keep the node of `turns`, a number for the only angle or {COORDINATE: number};
 * set_turns reads it when the type is known. */
static bool read_turns(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)f;
  *(const ga_node **)out = node;
  if (node->kind == GA_NODE_LIST) {
    return ga_reader_fail(r, node, "turns are a whole number or {COORDINATE: number}");
  }
  return true;
}

/* Target of the fields of a joint; turns, on: nodes of these keys, NULL: not given. */
typedef struct {
  ga_joint joint;
  const ga_node *turns;
  ga_on_coordinates on;
} joint_input;

/* Field reader: keep the node; ga_read_on_coordinates reads it when the type is known. */
static bool keep_node(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)r, (void)f;
  *(const ga_node **)out = node;
  return true;
}

/* *n <- a whole number of magnitude up to 1e6; others fail. */
static bool read_whole_number(ga_reader *r, const ga_node *node, int *n) {
  double x;
  if (!ga_read_number(r, node, &x)) return false;
  if (x != round(x) || fabs(x) > 1e6) return ga_reader_fail(r, node, "%g is not a whole number", x);
  *n = (int)x;
  return true;
}

/* Fill in->joint.turns (whole turns of each coordinate) from the node in->turns: a number is for
 * the first angle of the joint's type, a map names coordinates. An unknown type is left to
 * ga_mechanism_add_joint, which reports it. */
static bool set_turns(ga_reader *r, joint_input *in) {
  const ga_joint_type *type = ga_joint_type_named(in->joint.type);
  const ga_node *node = in->turns;
  if (!node || !type) return true;
  if (node->kind == GA_NODE_SCALAR) {
    for (int k = 0; k < GA_COORDINATES_MAX; k++) {
      if (type->coordinate[k].name && type->coordinate[k].angle) {
        return read_whole_number(r, node, &in->joint.turns[k]);
      }
    }
    return ga_reader_fail(r, node, "type '%s' has no angle", type->name);
  }
  for (const ga_node *item = node->first; item; item = item->next) {
    int k = 0;
    while (k < GA_COORDINATES_MAX &&
           !(type->coordinate[k].name && strcmp(type->coordinate[k].name, item->key->text) == 0)) {
      k++;
    }
    if (k == GA_COORDINATES_MAX) {
      return ga_reader_fail(r, item->key, "type '%s' has no coordinate '%.40s'", type->name,
                            item->key->text);
    }
    if (!read_whole_number(r, item, &in->joint.turns[k])) return false;
  }
  return true;
}

#define POINT(key, form, help, unit) \
  { #key, form, help, ga_field_point, AT(joint_input, joint.key), NULL, false, unit }
const ga_field ga_joint_fields[] = {
    {"type", "joint_type", "type of joint", ga_field_text, AT(joint_input, joint.type), NULL, true,
     NULL},
    {"between", "between", "bodies A and B", ga_field_between, AT(joint_input, joint.between), NULL,
     true, NULL},
    POINT(at, "point", "joint point; default: the origin of B's frame", "m"),
    POINT(axis, "direction", "z of the joint frame; axis of a rolling disk, on B", NULL),
    POINT(x_axis, "direction", "x of the joint frame; default: a space axis far from z", NULL),
    {"length", "number", "of a distance; default: the initial one", ga_field_given,
     AT(joint_input, joint.length), NULL, false, "m"},
    {"radius", "number", "of a rolling disk or sphere", ga_field_number,
     AT(joint_input, joint.radius), NULL, false, "m"},
    POINT(point, "point", "of the plane, on A; default: A's origin", "m"),
    POINT(normal, "direction", "of the plane, on A, towards the disk; default: space z", NULL),
    POINT(centre, "point", "of the disk or sphere, on B; default: B's origin", "m"),
    POINT(direction, "direction", "of a knife edge, on B", NULL),
    {"curve", "curve", "point_on_curve: x, y, z in the frame of A as functions of s",
     ga_field_curve, AT(joint_input, joint.curve), NULL, false, "m"},
    {"start", "number",
     "point_on_curve: value of s near which the point is at the start; default: 0", ga_field_given,
     AT(joint_input, joint.start), NULL, false, "1"},
    {"turns", "turns", "whole turns added to the start of its angles", read_turns,
     AT(joint_input, turns), NULL, false, NULL},
    {"stiffness", "each_coordinate", "of a spring on its coordinate", keep_node,
     AT(joint_input, on.stiffness), NULL, false, "J/q^2"},
    {"free", "each_coordinate", "value at which that spring is free; default: that of the start",
     keep_node, AT(joint_input, on.free), NULL, false, "q"},
    {"damping", "each_coordinate", "of its coordinate", keep_node, AT(joint_input, on.damping),
     NULL, false, "J s/q^2"},
    {"inertia", "each_coordinate", "of a rotor on its coordinate", keep_node,
     AT(joint_input, on.inertia), NULL, false, "J s^2/q^2"},
    {"friction", "joint_friction", "dry: {coulomb, radius, ..} by its own force, or {friction, ..}",
     keep_node, AT(joint_input, on.friction), NULL, false, "J/q, q/s or m, m/s"},
    {"limits", "joint_limits", "stops of its coordinate, as in the section limits", keep_node,
     AT(joint_input, on.limits), NULL, false, "q"},
    {.key = NULL}};

#define IN(member) AT(ga_joint_friction, member)
static const ga_field bearing_fields[] = {
    {"coulomb", "number", "coefficient of friction; the normal force is the joint's own force",
     ga_field_number, IN(coulomb), NULL, true, "1"},
    {"static_coulomb", "number", "the same near rest; default: coulomb", ga_field_number,
     IN(static_coulomb), NULL, false, "1"},
    {"radius", "number", "of the pin or ball; a prismatic joint has none", ga_field_number,
     IN(radius), NULL, false, "m"},
    {"speed", "number", "slip at its surface over which friction changes its sign; default 1e-3",
     ga_field_number, IN(speed), NULL, false, "m/s"},
    {.key = NULL}};
#undef IN

/* The friction of a joint by its own force, if in->on.friction is that; else it is left to its
 * coordinates. */
static bool read_bearing(ga_reader *r, joint_input *in) {
  const ga_node *node = in->on.friction;
  if (!node || node->kind != GA_NODE_MAP || !ga_node_find(node, "coulomb")) return true;
  in->on.friction = NULL;
  return ga_read_fields(r, node, bearing_fields, &in->joint.friction);
}

/* Read an entry of `joints` and add it to r->m; springs, dampers and limits of its coordinates are
 * kept until the start values are known. */
bool ga_read_joint(ga_reader *r, const char *name, const ga_node *node) {
  joint_input in = {.turns = NULL};
  ga_error err = {GA_OK, ""};
  if (!ga_read_fields(r, node, ga_joint_fields, &in) || !set_turns(r, &in)) return false;
  if (!read_bearing(r, &in)) return false;
  in.joint.name = name;
  if (!ga_reader_accept(r, node, ga_mechanism_add_joint(r->m, &in.joint, &err), &err)) return false;
  return ga_read_on_coordinates(r, name, in.joint.type, node, &in.on);
}

/* ---- drives -------------------------------------------------------------------- */

const ga_field ga_drive_fields[] = {
    {"coordinate", "coordinate", "JOINT.NAME", ga_field_name, AT(ga_drive, coordinate), NULL, true,
     NULL},
    {"position", "function_t", "value of the coordinate, function of t", ga_field_of_time,
     AT(ga_drive, position), NULL, false, "q"},
    {"rate", "function_t", "its rate instead, function of t and signals", ga_field_of_time,
     AT(ga_drive, rate), NULL, false, "q/s"},
    {.key = NULL}};

/* Read an entry of `drives` and add it to r->m. */
bool ga_read_drive(ga_reader *r, const char *name, const ga_node *node) {
  ga_drive drive = {.name = NULL};
  ga_error err = {GA_OK, ""};
  if (!ga_read_fields(r, node, ga_drive_fields, &drive)) return false;
  drive.name = name;
  return ga_reader_accept(r, node, ga_mechanism_add_drive(r->m, &drive, &err), &err);
}

/* ---- forces --------------------------------------------------------------------------------- */

/* Target of the fields of a force; K, C: 6 x 6 matrices of a bushing, which force.K and C point to;
 * stiffness, damping: nodes of these keys, NULL: not given. */
typedef struct {
  ga_force force;
  int frame;
  double K[36], C[36];
  const ga_node *stiffness, *damping;
} force_input;

/* Field reader: keep the node, to be read when the type of the force is known. */
static bool keep_any(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)r, (void)f;
  *(const ga_node **)out = node;
  return true;
}

/* Field reader: the terms of a sum; out: the ga_force. */
static bool read_force_sum(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)f;
  ga_force *force = out;
  return ga_read_sum(r, node, &force->nsum, &force->sum, &force->coefficients);
}

/* ga_force_help adds the types that use a field, and what differs between types */
const ga_field ga_force_fields[] = {
    {"type", "force_type", "type of force", ga_field_text, AT(force_input, force.type), NULL, true,
     NULL},
    {"body", "name", "the body", ga_field_name, AT(force_input, force.body), NULL, false, NULL},
    {"between", "between", "bodies A and B", ga_field_between, AT(force_input, force.between), NULL,
     false, NULL},
    {"coordinate", "coordinate", "JOINT.NAME", ga_field_name, AT(force_input, force.coordinate),
     NULL, false, NULL},
    {"at", "point", "a point", ga_field_point, AT(force_input, force.at), NULL, false, "m"},
    {"axis", "direction", "z of its frame", ga_field_point, AT(force_input, force.axis), NULL,
     false, NULL},
    {"x_axis", "direction", "x of its frame", ga_field_point, AT(force_input, force.x_axis), NULL,
     false, NULL},
    {"value", "function_t3", "three functions of t and signals", ga_field_of_time3,
     AT(force_input, force.value), NULL, false, "N or N m"},
    {"frame", "choice", "axes of value", ga_field_choice, AT(force_input, frame), "space|body",
     false, NULL},
    {"stiffness", "stiffness", "number", keep_any, AT(force_input, stiffness), NULL, false,
     "J/q^2"},
    {"damping", "stiffness", "number", keep_any, AT(force_input, damping), NULL, false, "J s/q^2"},
    {"length", "number", "free length; default: the initial one", ga_field_given,
     AT(force_input, force.length), NULL, false, "m"},
    {"free", "number", "free value; default: that of the start", ga_field_given,
     AT(force_input, force.free), NULL, false, "q"},
    {"law", "function_s", "function of s, s_dot, t and signals, added to tension or effort",
     ga_field_of_state, AT(force_input, force.law), NULL, false, "J/q"},
    {"friction", "number", "effort while it slides", ga_field_number,
     AT(force_input, force.friction), NULL, false, "J/q"},
    {"static_friction", "number", "effort near rest; default: friction", ga_field_number,
     AT(force_input, force.static_friction), NULL, false, "J/q"},
    {"speed", "number", "rate over which it changes its sign", ga_field_number,
     AT(force_input, force.speed), NULL, false, "q/s"},
    {"sum", "sum", "coefficients of coordinates", read_force_sum, AT(force_input, force), NULL,
     false, "sum/q"},
    {"gap", "number", "whole play of the sum; default: 0", ga_field_number,
     AT(force_input, force.gap), NULL, false, "sum"},
    {.key = NULL}};

/* Bit GA_FORCE_HAS_.. of a key; 0: not a field of forces (type, ..). */
static unsigned field_bit(const char *key) {
  for (int i = 0; ga_force_field_name(i); i++) {
    if (strcmp(ga_force_field_name(i), key) == 0) return 1u << i;
  }
  return 0;
}

/* Help of a field by types: "spring, torsion: number; bushing: 6 numbers or 6 x 6"; neighbouring
 * types with the same help share it. Written to text (room bytes; cut off if longer), which is
 * returned; for a key that all types have, returns the field's own help. */
const char *ga_force_help(const ga_field *field, char *text, size_t room) {
  const unsigned bit = field_bit(field->key);
  const char *last = NULL;
  size_t used = 0;
  if (!bit) return field->help;
  text[0] = '\0';
  for (int i = 0; ga_force_type_at(i); i++) {
    const ga_force_type *type = ga_force_type_at(i);
    const bool matrix = type->matrices && bit & (GA_FORCE_HAS_STIFFNESS | GA_FORCE_HAS_DAMPING);
    const char *help = bit == GA_FORCE_HAS_AT ? type->at_help
                       : matrix               ? "6 numbers or 6 x 6"
                                              : field->help;
    if (!(type->uses & bit)) continue;
    /* last: help of the types listed so far, printed when it differs from the next one */
    const bool same = last && strcmp(last, help) == 0;
    used += (size_t)snprintf(text + used, room - used, "%s%s%s%s", last && !same ? ": " : "",
                             last && !same ? last : "",
                             !last  ? ""
                             : same ? ", "
                                    : "; ",
                             type->element.name);
    if (used >= room) return text;
    last = help;
  }
  if (last) snprintf(text + used, room - used, ": %s", last);
  return text;
}

/* A <- 6 x 6 matrix from a list of 6; each entry is a row of 6 or a number, that of the diagonal. A
 * is zero on entry; type: of the force, for messages. */
static bool read_six(ga_reader *r, const char *type, const ga_node *node, double *A) {
  if (node->kind != GA_NODE_LIST || node->count != 6) {
    return ga_reader_fail(r, node, "a %s needs 6 numbers or 6 rows of 6", type);
  }
  int i = 0;
  for (const ga_node *item = node->first; item; item = item->next, i++) {
    const bool ok = item->kind == GA_NODE_LIST ? ga_read_numbers(r, item, 6, A + 6 * i)
                                               : ga_read_number(r, item, &A[7 * i]);
    if (!ok) return false;
  }
  return true;
}

/* Read the nodes in->stiffness and in->damping, if given: for types with `matrices` into in->K, C,
 * to which force.K, C then point; else into force.stiffness, damping. */
static bool read_stiffness(ga_reader *r, force_input *in, bool matrices) {
  const ga_node *const node[2] = {in->stiffness, in->damping};
  double *const number[2] = {&in->force.stiffness, &in->force.damping};
  double *const matrix[2] = {in->K, in->C};
  for (int i = 0; i < 2; i++) {
    if (!node[i]) continue;
    ga_reader_enter(r, i == 0 ? "stiffness" : "damping");
    if (!(matrices ? read_six(r, in->force.type, node[i], matrix[i])
                   : ga_read_number(r, node[i], number[i]))) {
      return false;
    }
    ga_reader_leave(r);
  }
  if (matrices) in->force.K = in->K, in->force.C = in->C;
  return true;
}

/* Fail at the first key that this type of force does not use. */
static bool check_fields_used(ga_reader *r, const ga_node *node, const ga_force_type *type) {
  for (int i = 0; ga_force_field_name(i); i++) {
    const ga_node *item = ga_node_find(node, ga_force_field_name(i));
    if (item && !(type->uses >> i & 1)) {
      return ga_reader_fail(r, item->key, "type '%s' has no %s", type->element.name,
                            ga_force_field_name(i));
    }
  }
  return true;
}

/* Read an entry of `forces` and add it to r->m. An unknown type is left to
 * ga_mechanism_add_force. */
bool ga_read_force(ga_reader *r, const char *name, const ga_node *node) {
  force_input in = {.frame = 0};
  ga_error err = {GA_OK, ""};
  if (!ga_read_fields(r, node, ga_force_fields, &in)) return false;
  const ga_force_type *type = ga_force_type_named(in.force.type);
  if (type && !check_fields_used(r, node, type)) return false;
  /* own_point: a list is a point in the body's own frame, not in space */
  if (type && type->own_point && in.force.at.kind == GA_SPACE) in.force.at.kind = GA_SIDE_A;
  if (!read_stiffness(r, &in, type && type->matrices)) return false;
  in.force.name = name;
  in.force.frame = (ga_force_frame)in.frame;
  return ga_reader_accept(r, node, ga_mechanism_add_force(r->m, &in.force, &err), &err);
}

/* ---- sensors -------------------------------------------------------------------------------- */

const ga_field ga_sensor_fields[] = {
    {"type", "sensor_type", "type of sensor", ga_field_text, AT(ga_sensor, type), NULL, true, NULL},
    {"body", "name", "point: the body", ga_field_name, AT(ga_sensor, body), NULL, false, NULL},
    {"between", "between", "distance, angle, relative, orientation: bodies A and B",
     ga_field_between, AT(ga_sensor, between), NULL, false, NULL},
    {"at", "point", "point: in the body frame; distance, relative: {A: [], B: []}",
     ga_field_own_point, AT(ga_sensor, at), NULL, false, "m"},
    {"directions", "direction", "angle: {A: [], B: []} in body axes", ga_field_point,
     AT(ga_sensor, directions), NULL, false, NULL},
    {"of", "name", "power: a force, soft limit, drive or coupler", ga_field_name, AT(ga_sensor, of),
     NULL, false, NULL},
    {"value", "function_t", "expression: function of t and signals", ga_field_of_time,
     AT(ga_sensor, value), NULL, false, "1"},
    {.key = NULL}};

/* Read an entry of `sensors` and add it to r->m. */
bool ga_read_sensor(ga_reader *r, const char *name, const ga_node *node) {
  ga_sensor sensor = {.name = NULL};
  ga_error err = {GA_OK, ""};
  if (!ga_read_fields(r, node, ga_sensor_fields, &sensor)) return false;
  sensor.name = name;
  return ga_reader_accept(r, node, ga_mechanism_add_sensor(r->m, &sensor, &err), &err);
}

/* SPDX-License-Identifier: MIT */
/* Bodies of a model file: orientation in its many forms, inertia and mass from shapes. */
#include <math.h>
#include <string.h>

#include "file/reader.h"

/* Target of the fields of a body: what ga_body has no member for, or gets only after all keys.
 * kind, formulation: as in the enums of ga_body; in: name of the body that the position is relative
 * to; shape, look: nodes to be read later; NULL: not given. */
typedef struct {
  ga_body body;
  int kind, formulation;
  ga_given mass;
  bool has_inertia, turned;
  const char *in;
  const ga_node *shape, *look;
} input;

/* ---- orientation ---------------------------------------------------------------------------- */

/* p <- quaternion of the rotation by |w| (rad) about w. */
static void from_rotation_vector(const double *w, double *p) {
  ga_quat_exp(w, p);
}

/* p <- quaternion (w first) from {axis: [x, y, z], angle: rad}; the axis need not have length 1.
 * This and the next ones return false after a failure, which is recorded in r. */
static bool from_axis_angle(ga_reader *r, const ga_node *node, double *p) {
  const ga_node *axis = ga_node_find(node, "axis"), *angle = ga_node_find(node, "angle");
  double a[3], w[3], turn;
  if (!axis || !angle || node->count != 2) {
    return ga_reader_fail(r, node, "an orientation by axis needs {axis: [x, y, z], angle: a}");
  }
  if (!ga_read_numbers(r, axis, 3, a) || !ga_read_number(r, angle, &turn)) return false;
  const double length = ga_norm3(a);
  if (!(length > 0)) return ga_reader_fail(r, axis, "the axis is zero and has no direction");
  for (int i = 0; i < 3; i++) w[i] = turn * a[i] / length;
  from_rotation_vector(w, p);
  return true;
}

/* p <- quaternion from a list of three rows; fails unless each entry of R^T R is that of I within
 * 2e-6 and the determinant is positive. */
static bool from_matrix(ga_reader *r, const ga_node *node, double *p) {
  double R[9], RtR[9];
  if (node->kind != GA_NODE_LIST || node->count != 3) {
    return ga_reader_fail(r, node, "a matrix is a list of three rows of three numbers");
  }
  int i = 0;
  for (const ga_node *row = node->first; row; row = row->next) {
    if (!ga_read_numbers(r, row, 3, R + 3 * i++)) return false;
  }
  ga_product_t3(R, R, RtR);
  double off = 0, cross[3];
  for (i = 0; i < 9; i++) off = fmax(off, fabs(RtR[i] - (i % 4 == 0)));
  ga_cross3(R, R + 3, cross);
  if (!(off <= 2e-6) || !(ga_dot3(cross, R + 6) > 0)) {
    return ga_reader_fail(r, node, "the matrix is not a rotation (R^T R differs from I by %.2g)",
                          off);
  }
  ga_quat_of_matrix(R, p);
  ga_quat_clean(p);
  return true;
}

/* p <- quaternion from {sequence, angles}: intrinsic turns one after the other, zyx is Rz Ry Rx. */
static bool from_euler(ga_reader *r, const ga_node *node, double *p) {
  const ga_node *sequence = ga_node_find(node, "sequence"), *angles = ga_node_find(node, "angles");
  double a[3];
  const char *axes;
  if (node->kind != GA_NODE_MAP || !sequence || !angles || node->count != 2) {
    return ga_reader_fail(r, node, "euler needs {sequence: zyx, angles: [a, b, c]}");
  }
  if (!ga_read_text(r, sequence, &axes) || !ga_read_numbers(r, angles, 3, a)) return false;
  if (strlen(axes) != 3 || strspn(axes, "xyz") != 3 || axes[0] == axes[1] || axes[1] == axes[2]) {
    return ga_reader_fail(r, sequence, "a sequence is three of x, y, z, neighbours different");
  }
  p[0] = 1, p[1] = p[2] = p[3] = 0;
  for (int i = 0; i < 3; i++) {
    double w[3] = {0, 0, 0}, turn[4];
    w[axes[i] - 'x'] = a[i];
    from_rotation_vector(w, turn);
    ga_quat_mul(p, turn, p);
  }
  return true;
}

/* p <- a list of four numbers, w first; fails unless its length is 1 within 1e-6. */
static bool from_quaternion(ga_reader *r, const ga_node *node, double *p) {
  if (!ga_read_numbers(r, node, 4, p)) return false;
  const double length = sqrt(p[0] * p[0] + ga_dot3(p + 1, p + 1));
  if (!(fabs(length - 1) <= 1e-6)) {
    return ga_reader_fail(r, node, "the quaternion has length %g, not 1", length);
  }
  return true;
}

/* p <- quaternion from any of the forms. */
bool ga_read_orientation(ga_reader *r, const ga_node *node, double *p) {
  double w[3];
  if (node->kind == GA_NODE_LIST) return from_quaternion(r, node, p);
  if (node->kind != GA_NODE_MAP || node->count == 0) {
    return ga_reader_fail(
        r, node,
        "an orientation is {axis, angle}, {rotation_vector}, {matrix}, {euler} or "
        "a quaternion [w, x, y, z]");
  }
  const ga_node *first = node->first;
  const char *key = first->key->text;
  if (strcmp(key, "axis") == 0 || strcmp(key, "angle") == 0) return from_axis_angle(r, node, p);
  if (node->count > 1) return ga_reader_fail(r, first->next->key, "one form is enough");
  if (strcmp(key, "quaternion") == 0) return from_quaternion(r, first, p);
  if (strcmp(key, "matrix") == 0) return from_matrix(r, first, p);
  if (strcmp(key, "euler") == 0) return from_euler(r, first, p);
  if (strcmp(key, "rotation_vector") != 0) {
    return ga_reader_fail(r, first->key,
                          "unknown orientation '%.40s'; known are axis and angle, rotation_vector, "
                          "matrix, euler, quaternion",
                          key);
  }
  if (!ga_read_numbers(r, first, 3, w)) return false;
  from_rotation_vector(w, p);
  return true;
}

/* Field reader; out is the whole input. Sets `turned`, and body.orientation, or body.angle (rad) of
 * a planar body (r->planar). */
static bool read_orientation(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)f;
  input *in = out;
  in->turned = true;
  if (r->planar) return ga_read_number(r, node, &in->body.angle);
  return ga_read_orientation(r, node, in->body.orientation);
}

/* ---- inertia and shapes --------------------------------------------------------------------- */

/* Field reader; out is the whole input. Sets `has_inertia`, and body.inertia = [xx, yy, zz, xy, xz,
 * yz] from 3 or 6 numbers or a symmetric matrix; one number (zz) for a planar body. */
static bool read_inertia(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)f;
  input *in = out;
  double *J = in->body.inertia;
  in->has_inertia = true;
  if (r->planar) return ga_read_number(r, node, &J[2]);
  if (node->kind == GA_NODE_LIST && node->count == 6) return ga_read_numbers(r, node, 6, J);
  if (node->kind != GA_NODE_LIST || node->count != 3) {
    return ga_reader_fail(r, node,
                          "inertia is [xx, yy, zz], [xx, yy, zz, xy, xz, yz] or a 3 x 3 matrix");
  }
  if (node->first->kind != GA_NODE_LIST) return ga_read_numbers(r, node, 3, J);
  double full[9];
  int i = 0;
  for (const ga_node *row = node->first; row; row = row->next) {
    if (!ga_read_numbers(r, row, 3, full + 3 * i++)) return false;
  }
  const double size = fabs(full[0]) + fabs(full[4]) + fabs(full[8]);
  if (fabs(full[1] - full[3]) + fabs(full[2] - full[6]) + fabs(full[5] - full[7]) > 1e-9 * size) {
    return ga_reader_fail(r, node, "the inertia is not symmetric");
  }
  const double six[6] = {full[0], full[4], full[8], full[1], full[2], full[5]};
  memcpy(J, six, sizeof six);
  return true;
}

/* Read a shape: it sets in->body.look, the inertia (kg m^2, about the centre) unless that is given,
 * and the mass if it has a density. Exactly one of mass and density must be given; body.mass is set
 * on entry if the mass is. False: a failure is recorded in r. */
static bool apply_shape(ga_reader *r, const ga_node *node, input *in) {
  ga_shape_input s;
  if (!ga_read_shape(r, node, &s)) return false;
  if (s.density.given == in->mass.given) {
    return ga_reader_fail(r, node,
                          s.density.given ? "both a mass and a density are given"
                                          : "a mass, or a density beside the shape, is missing");
  }
  if (s.density.given) in->body.mass = s.density.value * s.volume;
  if (s.density.given && !(s.volume > 0)) {
    return ga_reader_fail(r, node, "a density needs a radius");
  }
  for (int i = 0; i < 3 && !in->has_inertia; i++) in->body.inertia[i] = in->body.mass * s.J[i];
  if (in->kind == GA_BODY_PLANAR && !in->has_inertia) in->body.inertia[0] = in->body.inertia[1] = 0;
  in->body.look = s.look;
  return true;
}

/* Field reader: keep the node, to be read after all other keys; out: const ga_node *. */
static bool keep_node(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)r, (void)f;
  *(const ga_node **)out = node;
  return true;
}

/* ---- the body ------------------------------------------------------------------------------- */

/* Field reader; out is the whole input: three numbers in space axes, one (z) for a planar body. */
static bool read_angular_velocity(ga_reader *r, const ga_field *f, const ga_node *node, void *out) {
  (void)f;
  double *w = ((input *)out)->body.angular_velocity;
  return r->planar ? ga_read_number(r, node, &w[2]) : ga_read_numbers(r, node, 3, w);
}

#define AT(member) offsetof(input, member)
const ga_field ga_body_fields[] = {
    {"kind", "choice", "kind of body", ga_field_choice, AT(kind), "rigid|planar|point", false,
     NULL},
    {"formulation", "choice", "velocities of a rigid body", ga_field_choice, AT(formulation),
     "default|r3so3|se3", false, NULL},
    {"mass", "number", "mass; 0: massless", ga_field_given, AT(mass), NULL, false, "kg"},
    {"inertia", "inertia", "about the centre of mass, body axes, entries of the matrix",
     read_inertia, 0, NULL, false, "kg m^2"},
    {"com", "vector", "centre of mass in the body frame", ga_field_vector, AT(body.com), NULL,
     false, "m"},
    {"position", "vector", "origin of the body frame", ga_field_vector, AT(body.position), NULL,
     false, "m"},
    {"orientation", "orientation", "axes of the body frame", read_orientation, 0, NULL, false,
     NULL},
    {"velocity", "vector", "of the origin, space axes", ga_field_vector, AT(body.velocity), NULL,
     false, "m/s"},
    {"angular_velocity", "angular_velocity", "space axes", read_angular_velocity, 0, NULL, false,
     "rad/s"},
    {"in", "name", "position and orientation are relative to this body", ga_field_name, AT(in),
     NULL, false, NULL},
    {"shape", "shape", "box, cylinder, sphere or rod, centred at com: inertia follows", keep_node,
     AT(shape), NULL, false, "m, kg/m^3"},
    {"look", "look", "for pictures only: a shape, a colour, or a list of them", keep_node, AT(look),
     NULL, false, "m"},
    {.key = NULL}};
#undef AT

/* Position and orientation (or angle) of in->body are relative to the body in->in: convert them to
 * space in place, x = x_in + R_in position, p = p_in orientation; velocities stay. Fails (false) if
 * that body is not there yet, or one is planar and the other not. */
static bool move_to_frame_of(ga_reader *r, const ga_node *node, input *in) {
  const ga_symbol *s = ga_mechanism_find(r->m, in->in);
  ga_body *b = &in->body;
  if (strcmp(in->in, "ground") == 0) return true;
  if (!s || s->kind != GA_NAMED_BODY) {
    return ga_reader_fail(r, ga_node_find(node, "in"), "there is no body '%s' above", in->in);
  }
  const ga_solid *base = &r->m->bodies.item[s->index];
  const bool planar = in->kind == GA_BODY_PLANAR;
  if (planar != base->kind->planar) {
    return ga_reader_fail(r, ga_node_find(node, "in"), "one of the bodies is planar, one is not");
  }
  double arm[3], x[3];
  ga_plus3(b->position, -1, base->com, arm);
  ga_times3(base->R0, arm, x);
  ga_plus3(base->x0, 1, x, b->position);
  b->angle += base->angle0;
  double p[4] = {1, 0, 0, 0}, q[4];
  if (in->turned && in->kind == GA_BODY_RIGID) memcpy(p, b->orientation, sizeof p);
  ga_quat_mul(base->p0, p, q);
  /* in a sub-assembly, descriptions are in its frame */
  const ga_base *own = &r->m->base;
  if (own->placed) {
    ga_base_own(own, b->position, q);
    if (planar) b->angle -= atan2(own->R[3], own->R[0]);
  }
  if (in->kind == GA_BODY_RIGID) memcpy(b->orientation, q, sizeof q);
  return true;
}

/* Read an entry of `bodies` and add it to r->m; sets r->planar. An assembly leaves velocities that
 * the file gives. False: a failure is recorded in r. */
bool ga_read_body(ga_reader *r, const char *name, const ga_node *node) {
  input in = {.kind = 0};
  const ga_node *kind = node->kind == GA_NODE_MAP ? ga_node_find(node, "kind") : NULL;
  ga_error err = {GA_OK, ""};
  r->planar = kind && kind->kind == GA_NODE_SCALAR && strcmp(kind->text, "planar") == 0;
  if (!ga_read_fields(r, node, ga_body_fields, &in)) return false;
  in.body.mass = in.mass.value;
  ga_reader_enter(r, "shape");
  if (in.shape && !apply_shape(r, in.shape, &in)) return false;
  ga_reader_leave(r);
  ga_reader_enter(r, "look");
  if (in.look && !ga_read_looks(r, in.look, &in.body)) return false;
  ga_reader_leave(r);
  if (!in.shape && !in.mass.given) return ga_reader_fail(r, node, "the key 'mass' is missing");
  if (in.in && !move_to_frame_of(r, node, &in)) return false;
  in.body.name = name;
  in.body.type = (ga_body_type)in.kind;
  in.body.formulation = (ga_formulation)in.formulation;
  if (!ga_reader_accept(r, node, ga_mechanism_add_body(r->m, &in.body, &err), &err)) return false;
  /* an assembly must not change velocities that the file gives */
  const bool moving = r->parts.count > 0 && r->parts.item[r->part].moving;
  const unsigned given = (moving || ga_node_find(node, "velocity") ? GA_HOLD_VELOCITY : 0u) |
                         (moving || ga_node_find(node, "angular_velocity") ? GA_HOLD_SPIN : 0u);
  return ga_reader_accept(r, node, ga_mechanism_hold(r->m, name, given, &err), &err);
}

/* SPDX-License-Identifier: MIT */
/* An empty mechanism, its settings, and its bodies. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mechanism/mechanism.h"

/* *out <- a mechanism that contains only the ground (body 0), freed by ga_mechanism_free; NULL
 * without memory. Gravity is 0, the formulation R^3 x SO(3). */
ga_status ga_mechanism_new(ga_mechanism **out) {
  if (!out) return GA_ERR_ARG;
  ga_mechanism *m = *out = ga_calloc(1, sizeof *m);
  if (!m) return GA_ERR_MEM;
  m->formulation = GA_FORMULATION_R3SO3;
  m->carrier = &ga_carrier_absolute;
  m->coordinates_asked = GA_COORDINATES_AUTO;
  if (!GA_GROW(m->bodies)) {
    ga_mechanism_free(m);
    *out = NULL;
    return GA_ERR_MEM;
  }
  ga_solid ground = {.name = "ground", .kind = &ga_kind_ground, .p0 = {1, 0, 0, 0}};
  ga_identity3(ground.R0);
  m->bodies.item[m->bodies.count++] = ground;
  return GA_OK;
}

/* Free the mechanism and all it owns, its model included; m may be NULL. */
void ga_mechanism_free(ga_mechanism *m) {
  if (!m) return;
  for (int i = 0; i < m->texts.count; i++) ga_expr_free(m->texts.item[i]);
  ga_free(m->texts.item);
  ga_free(m->bodies.item);
  ga_free(m->joints.item);
  ga_free(m->others.item);
  ga_free(m->touches.item);
  ga_free(m->groups.item);
  ga_free(m->sensors.item);
  ga_free(m->coordinates.item);
  ga_free(m->samples.item);
  ga_free(m->inputs.item);
  ga_free(m->signals.item);
  ga_free(m->timed.item);
  ga_free(m->uses.item);
  ga_free(m->lines.item);
  ga_free(m->contact_points.item);
  ga_free(m->symbols.item);
  ga_free(m->elements.item);
  ga_free(m->blocks.item);
  ga_mechanism_free_tree(m);
  ga_space_free(m->space);
  ga_arena_free(&m->arena);
  ga_free(m);
}

/* Gravity in m/s^2, space axes; GA_ERR_ARG after the build or if it is not finite. */
ga_status ga_mechanism_set_gravity(ga_mechanism *m, const double gravity[3]) {
  if (m->built || !ga_finite(3, gravity)) return GA_ERR_ARG;
  ga_copy3(gravity, m->gravity);
  return GA_OK;
}

/* Formulation of rigid bodies that are added later and do not give one (GA_FORMULATION_DEFAULT: R^3
 * x SO(3)); GA_ERR_ARG after the build or for an unknown value. */
ga_status ga_mechanism_set_formulation(ga_mechanism *m, ga_formulation formulation) {
  if (m->built || formulation < GA_FORMULATION_DEFAULT || formulation > GA_FORMULATION_SE3) {
    return GA_ERR_ARG;
  }
  m->formulation = formulation == GA_FORMULATION_DEFAULT ? GA_FORMULATION_R3SO3 : formulation;
  return GA_OK;
}

/* Function that receives warnings of later calls; NULL: none. */
void ga_mechanism_set_log(ga_mechanism *m, ga_log_fn log, void *context) {
  m->log = log;
  m->log_context = context;
}

/* ---- inertia -------------------------------------------------------------------------------- */

/* True if the symmetric 3 x 3 matrix A is positive semidefinite to rounding: all principal minors
 * of n rows are at least -tol times the n-th power of the sum of |diagonal|. They are those of A divided by a
 * power of two, so that none overflows or vanishes. */
static bool is_semidefinite(const double *A, double tol) {
  const double largest = ga_max_abs(9, A);
  double J[9];
  if (largest == 0) return true;
  for (int i = 0; i < 9; i++) J[i] = scalbn(A[i], -ilogb(largest));
  const double size = fabs(J[0]) + fabs(J[4]) + fabs(J[8]);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3;
    if (J[4 * i] < -tol * size) return false;
    if (J[4 * i] * J[4 * j] - J[3 * i + j] * J[3 * i + j] < -tol * size * size) return false;
  }
  const double det = J[0] * (J[4] * J[8] - J[5] * J[7]) - J[1] * (J[3] * J[8] - J[5] * J[6]) +
                     J[2] * (J[3] * J[7] - J[4] * J[6]);
  return det >= -tol * size * size * size;
}

/* Log a warning (to m->log, if there is one) if a principal moment of inertia exceeds the sum of
 * the others, that is, if tr(J)/2 I - J is not semidefinite. name: of the body, J: 3 x 3. */
static void warn_triangle(const ga_mechanism *m, const char *name, const double *J) {
  const double half = 0.5 * (J[0] + J[4] + J[8]);
  double moments[9];
  for (int i = 0; i < 9; i++) moments[i] = (i % 4 == 0 ? half : 0) - J[i];
  if (!m->log || is_semidefinite(moments, 1e-9)) return;
  char text[200];
  snprintf(text, sizeof text, "body '%.60s': " GA_TRIANGLE_TEXT, name);
  m->log(m->log_context, GA_LOG_WARNING, text);
}

/* Set b->J (zero on entry), b->diagonal and b->round (J is a multiple of I) from body->inertia =
 * xx, yy, zz, xy, xz, yz; of a planar body only zz counts. Fails (GA_ERR_ARG) unless J is finite
 * and positive semidefinite; warns about J that no body has. */
static ga_status set_inertia(const ga_mechanism *m, const ga_body *body, ga_solid *b,
                             ga_error *err) {
  const double *in = body->inertia;
  const double J[9] = {in[0], in[3], in[4], in[3], in[1], in[5], in[4], in[5], in[2]};
  if (!ga_finite(6, in)) {
    return ga_fail(err, GA_ERR_ARG, "body '%s': inertia has a number that is not finite",
                   body->name);
  }
  if (body->type == GA_BODY_PLANAR) {
    b->J[8] = J[8];
    b->round = b->diagonal = true;
    return J[8] >= 0
               ? GA_OK
               : ga_fail(err, GA_ERR_ARG, "body '%s': inertia %g is negative", body->name, J[8]);
  }
  if (!is_semidefinite(J, 1e-12)) {
    return ga_fail(err, GA_ERR_ARG, "body '%s': the inertia is not positive semidefinite",
                   body->name);
  }
  warn_triangle(m, body->name, J);
  memcpy(b->J, J, sizeof J);
  b->diagonal = in[3] == 0 && in[4] == 0 && in[5] == 0;
  b->round = b->diagonal && in[0] == in[1] && in[1] == in[2];
  return GA_OK;
}

/* ---- bodies --------------------------------------------------------------------------------- */

/* GA_ERR_ARG if a number is given (is not 0) that this type of body does not use: z or a quaternion
 * of a planar body, the angle of a rigid one, rotation or inertia of a point. */
static ga_status check_kind(const ga_body *body, ga_error *err) {
  const double *a = body->angular_velocity, *o = body->orientation;
  const bool turned = o[0] != 0 || o[1] != 0 || o[2] != 0 || o[3] != 0;
  if (body->type == GA_BODY_PLANAR && (turned || body->position[2] != 0 || body->com[2] != 0 ||
                                       body->velocity[2] != 0 || a[0] != 0 || a[1] != 0)) {
    return ga_fail(err, GA_ERR_ARG,
                   "body '%s': a planar body has x and y, an angle and an angular velocity about z",
                   body->name);
  }
  if (body->type == GA_BODY_RIGID && body->angle != 0) {
    return ga_fail(err, GA_ERR_ARG, "body '%s': an angle is for planar bodies", body->name);
  }
  bool spins = turned || body->angle != 0;
  for (int i = 0; i < 3; i++) spins = spins || a[i] != 0 || body->com[i] != 0;
  for (int i = 0; i < 6; i++) spins = spins || body->inertia[i] != 0;
  if (body->type == GA_BODY_POINT && spins) {
    return ga_fail(err, GA_ERR_ARG, "body '%s': a point has mass, position and velocity only",
                   body->name);
  }
  return GA_OK;
}

/* Set b->p0 (quaternion), R0 (matrix) and angle0 at the start from the quaternion, or from the
 * angle of a planar body. No quaternion (all zeros): the identity. GA_ERR_ARG if its length differs
 * from 1 by more than 1e-6. */
static ga_status set_orientation(const ga_body *body, ga_solid *b, ga_error *err) {
  static const double none[4] = {1, 0, 0, 0};
  const double *p = body->orientation;
  const double length = sqrt(p[0] * p[0] + ga_dot3(p + 1, p + 1));
  if (length != 0 && !(fabs(length - 1) <= 1e-6)) {
    return ga_fail(err, GA_ERR_ARG, "body '%s': the quaternion has length %g, not 1", body->name,
                   length);
  }
  memcpy(b->p0, length == 0 ? none : p, sizeof b->p0);
  ga_quat_clean(b->p0);
  b->angle0 = body->angle;
  if (body->type == GA_BODY_PLANAR) {
    b->p0[0] = cos(0.5 * body->angle), b->p0[3] = sin(0.5 * body->angle);
    b->p0[1] = b->p0[2] = 0;
  }
  ga_rotation3(b->p0, b->R0);
  return GA_OK;
}

/* *to <- a copy of a look with its text in m's memory. Fails if a number is not finite, or without
 * memory. */
static ga_status copy_look(ga_mechanism *m, const char *name, const ga_body_look *look,
                           ga_body_look *to, ga_error *err) {
  if (!ga_finite(3, look->position) || !ga_finite(4, look->orientation)) {
    return ga_fail(err, GA_ERR_ARG, "body '%s': the pose of a look is not finite", name);
  }
  *to = *look;
  if (look->shape != GA_SHAPE_MESH) {
    to->mesh = NULL;
    return GA_OK;
  }
  if (!look->mesh || !*look->mesh || !ga_finite(3, look->scale)) {
    return ga_fail(err, GA_ERR_ARG, "body '%s': a mesh needs a file and a finite scale", name);
  }
  char *own = ga_arena_take(&m->arena, strlen(look->mesh) + 1, 1);
  if (!own) return ga_fail(err, GA_ERR_MEM, "no memory for body '%s'", name);
  to->mesh = strcpy(own, look->mesh);
  return GA_OK;
}

/* *to <- a copy of n looks in m's memory; NULL if n is 0. Fails as copy_look does. */
static ga_status copy_looks(ga_mechanism *m, const char *name, int n, const ga_body_look *looks,
                            const ga_body_look **to, ga_error *err) {
  ga_body_look *copy = n > 0 ? ga_arena_take(&m->arena, (size_t)n, sizeof *copy) : NULL;
  *to = copy;
  if (n > 0 && !copy) return ga_fail(err, GA_ERR_MEM, "no memory for body '%s'", name);
  ga_status status = GA_OK;
  for (int i = 0; i < n && status == GA_OK; i++) {
    status = copy_look(m, name, &looks[i], &copy[i], err);
  }
  return status;
}

/* Looks of the ground, which replace those it has. */
ga_status ga_mechanism_set_ground_looks(ga_mechanism *m, int n, const ga_body_look *looks,
                                        ga_error *err) {
  ga_solid *ground = &m->bodies.item[0];
  if (m->built) return ga_fail(err, GA_ERR_ARG, "the mechanism has been built");
  ground->nmore = 0;
  const ga_status status = copy_looks(m, "ground", n, looks, &ground->more_looks, err);
  if (status == GA_OK) ground->nmore = n;
  return status;
}

/* Check a description, append the body to m->bodies and define its name; on failure no body is
 * added. The description refers to the origin of the body frame, the stored x0 and xd0 to the
 * centre of mass. */
ga_status ga_mechanism_add_body(ga_mechanism *m, const ga_body *body, ga_error *err) {
  ga_body placed;
  ga_status status = ga_mechanism_claim(m, "body", body->name, err);
  if (status == GA_OK && m->base.placed) {
    status = ga_base_body(&m->base, body, &placed, err);
    body = &placed;
  }
  if (status != GA_OK) return status;
  const bool finite = ga_finite(1, &body->mass) && ga_finite(3, body->com) &&
                      ga_finite(3, body->position) && ga_finite(4, body->orientation) &&
                      ga_finite(1, &body->angle) && ga_finite(3, body->velocity) &&
                      ga_finite(3, body->angular_velocity);
  if (!finite) {
    return ga_fail(err, GA_ERR_ARG, "body '%s' has a number that is not finite", body->name);
  }
  if (body->mass < 0) {
    return ga_fail(err, GA_ERR_ARG, "body '%s': mass %g is negative", body->name, body->mass);
  }
  const ga_formulation formulation =
      body->formulation == GA_FORMULATION_DEFAULT ? m->formulation : body->formulation;
  ga_solid b = {
      .kind = ga_body_kind_of(body->type, formulation), .mass = body->mass, .nmore = body->nmore};
  status = check_kind(body, err);
  if (status == GA_OK) status = copy_look(m, body->name, &body->look, &b.look, err);
  if (status == GA_OK) {
    status = copy_looks(m, body->name, body->nmore, body->more_looks, &b.more_looks, err);
  }
  if (status == GA_OK) status = set_inertia(m, body, &b, err);
  if (status == GA_OK) status = set_orientation(body, &b, err);
  if (status != GA_OK) return status;
  /* x0 = position + R0 com, xd0 = velocity + omega x R0 com */
  double arm[3];
  ga_copy3(body->com, b.com);
  ga_times3(b.R0, b.com, arm);
  ga_plus3(body->position, 1, arm, b.x0);
  ga_copy3(body->angular_velocity, b.w0);
  ga_copy3(body->velocity, b.xd0);
  ga_add_cross3(1, b.w0, arm, b.xd0);
  if (!GA_GROW(m->bodies)) return ga_fail(err, GA_ERR_MEM, "no memory for body '%s'", body->name);
  status = ga_mechanism_define(m, body->name, GA_NAMED_BODY, m->bodies.count, 0, err);
  if (status != GA_OK) return status;
  b.name = ga_mechanism_find(m, body->name)->name;
  m->bodies.item[m->bodies.count++] = b;
  return GA_OK;
}

/* SPDX-License-Identifier: MIT */
/* Ropes over sheaves. In the plane of a sheave with the centre c, counted counterclockwise about its
 * axis, a rope that runs in the direction alpha touches it at c + rho (sin alpha, -cos alpha), where
 * rho is the radius if the rope runs counterclockwise, and minus the radius if not. Between two sheaves
 * with the radii rho_a and rho_b, D = rho_b - rho_a, the line of their centres has the length s and the
 * direction phi, and
 *
 *   length of the span   sqrt(s^2 - D^2)
 *   its direction        alpha = phi - asin(D/s)
 *   arc on sheave i      rho_i (alpha_out - alpha_in)
 *
 * so that the whole length is the sum over all spans of f(s) + rho_a phi_a - rho_b phi_b with
 * f(s) = sqrt(s^2 - D^2) + D asin(D/s): rope.c builds it of coordinates of spans. phi_a and phi_b are
 * seen from the bodies of the sheaves. Where the rope slides over a sheave their difference alone
 * counts, and the rotation of the body does not; a rope that ends on a sheave, which is a drum then,
 * is wound by it. In the plane the derivatives of the length by the centres are unit vectors along the
 * spans. If the rope leaves the plane of the sheave by h, they are longer by D^2 h^2/(2 s^4). */
#include "mechanism/joint/sheave.h"

#include <math.h>

static const double pi = 3.14159265358979323846;
/* degrees in messages */
static const double degrees = 180 / 3.14159265358979323846;
/* Largest sine of the angle between the axes of two neighbouring sheaves: 10 degrees. */
static const double PARALLEL = 0.17364817766693034;
/* Errors of a wrap angle of a start configuration, in rad. */
static const double ROUNDING = 1e-9;

/* *at <- where the point and the axis are in space */
static void place(const ga_mechanism *m, const ga_rope_point *p, const double *axis,
                  ga_sheave *at) {
  const ga_solid *b = &m->bodies.item[at->body];
  double own[3], s[3];
  ga_copy3(p->at, own);
  if (b->kind->fixed && m->base.placed) ga_base_point(&m->base, p->at, own);
  ga_plus3(own, -1, b->com, s);
  ga_times3(b->R0, s, at->x);
  ga_plus3(at->x, 1, b->x0, at->x);
  ga_times3(b->kind->fixed && m->base.placed ? m->base.R : b->R0, axis, at->axis);
  const double length = ga_norm3(at->axis);
  for (int k = 0; k < 3 && length > 0; k++) at->axis[k] /= length;
}

/* The body of point i, its place and axis: z in the plane. */
ga_status ga_sheave_at(const ga_mechanism *m, const char *owner, const ga_rope *rope, int i,
                       ga_sheave *at, ga_error *err) {
  const ga_rope_point *p = &rope->over[i];
  double axis[3];
  *at = (ga_sheave){.radius = p->radius, .turns = p->turns};
  const ga_status status = ga_mechanism_body_named(m, owner, p->body, &at->body, err);
  if (status != GA_OK) return status;
  if (!ga_finite(3, p->at) || !ga_finite(3, p->axis) || !ga_finite(1, &p->radius)) {
    return ga_fail(err, GA_ERR_ARG, "%s: point %d is not finite", owner, i + 1);
  }
  ga_copy3(p->axis, axis);
  const bool turned = ga_norm3(axis) > 0;
  if (p->radius == 0 && (turned || p->turns != 0)) {
    return ga_fail(err, GA_ERR_ARG, "%s: point %d has %s, but no radius", owner, i + 1,
                   turned ? "an axis" : "turns");
  }
  if (p->turns != 0 && (i == 0 || i + 1 == rope->count)) {
    return ga_fail(err, GA_ERR_ARG,
                   "%s: point %d is an end of the rope; turns are for sheaves between the ends",
                   owner, i + 1);
  }
  if (p->turns < 0) {
    return ga_fail(err, GA_ERR_ARG,
                   "%s: point %d has %d turns; the sign of the radius says which way the rope runs",
                   owner, i + 1, p->turns);
  }
  bool planar = m->bodies.item[at->body].kind->planar;
  for (int k = 0; k < rope->count && !planar; k++) {
    int body;
    planar = ga_mechanism_body_named(m, owner, rope->over[k].body, &body, NULL) == GA_OK &&
             m->bodies.item[body].kind->planar;
  }
  if (p->radius != 0 && planar && turned && (axis[0] != 0 || axis[1] != 0 || axis[2] < 0)) {
    return ga_fail(err, GA_ERR_ARG, "%s: the axis of point %d of planar bodies is z", owner, i + 1);
  }
  if (p->radius != 0 && planar && !turned) axis[2] = 1;
  if (p->radius != 0 && !planar && !turned) {
    return ga_fail(err, GA_ERR_ARG, "%s: the sheave at point %d needs an axis", owner, i + 1);
  }
  place(m, p, axis, at);
  return GA_OK;
}

/* Distance of the centres and D. Where the axes point away from each other, the radius of the other
 * sheave has the other sign. */
ga_status ga_rope_span_of(const char *owner, const ga_sheave *at, int i, ga_rope_span *span,
                          ga_error *err) {
  const ga_sheave *a = &at[i], *b = &at[i + 1];
  double d[3], across[3], sign = 1;
  ga_plus3(b->x, -1, a->x, d);
  span->s = ga_norm3(d);
  if (a->radius != 0 && b->radius != 0) {
    ga_cross3(a->axis, b->axis, across);
    if (ga_dot3(a->axis, b->axis) < 0) sign = -1;
    const double sine = ga_norm3(across);
    if (sine > PARALLEL) {
      return ga_fail(
          err, GA_ERR_ARG,
          "%s: the axes of the sheaves at points %d and %d are %.3g degrees apart, 10 are "
          "possible; put a point between them",
          owner, i + 1, i + 2, degrees * asin(fmin(1, sine)));
    }
  }
  span->radii[0] = sign * b->radius - a->radius;
  span->radii[1] = b->radius - sign * a->radius;
  if (span->radii[0] != 0 && !(span->s > fabs(span->radii[0]))) {
    return ga_fail(err, GA_ERR_ARG,
                   "%s: points %d and %d are %.6g m apart, their sheaves need more than %.6g m",
                   owner, i + 1, i + 2, span->s, fabs(span->radii[0]));
  }
  return GA_OK;
}

/* sqrt(s^2 - D^2) */
double ga_rope_span_length(const ga_rope_span *span) {
  return sqrt((span->s - span->radii[0]) * (span->s + span->radii[0]));
}

/* The angle from the line before to the line after, about the axis, gives that of the directions. In
 * (-pi/2, 3 pi/2] it is what a rope can have that comes and goes; below 0 it does not touch. */
ga_status ga_sheave_wrap(const char *owner, const ga_sheave *at, const ga_rope_span *span, int i,
                         double *wrap, ga_error *err) {
  const double *n = at[i].axis;
  double in[3], out[3], across[3];
  ga_plus3(at[i].x, -1, at[i - 1].x, in);
  ga_plus3(at[i + 1].x, -1, at[i].x, out);
  ga_plus3(in, -ga_dot3(in, n), n, in);
  ga_plus3(out, -ga_dot3(out, n), n, out);
  if (!(ga_norm3(in) > 0 && ga_norm3(out) > 0)) {
    return ga_fail(err, GA_ERR_ARG, "%s: the rope runs along the axis of the sheave at point %d",
                   owner, i + 1);
  }
  ga_cross3(in, out, across);
  const double line = atan2(ga_dot3(n, across), ga_dot3(in, out));
  const double turn =
      line - asin(span[i].radii[0] / span[i].s) + asin(span[i - 1].radii[1] / span[i - 1].s);
  double angle = at[i].radius > 0 ? turn : -turn;
  angle -= 2 * pi * ceil((angle - 1.5 * pi) / (2 * pi));
  if (angle < -ROUNDING && at[i].turns == 0) {
    return ga_fail(
        err, GA_ERR_ARG,
        "%s: the rope does not touch the sheave at point %d: it would lie on %.4g degrees "
        "of it; give the radius the other sign, or turns: 1 if it is wound around",
        owner, i + 1, degrees * angle);
  }
  *wrap = angle + 2 * pi * at[i].turns;
  return GA_OK;
}

/* SPDX-License-Identifier: MIT */
/* The frame of a sub-assembly: x = X + R x_0, p = P p_0, and with its rigid motion V, W
 *
 *   v = V + W x (x - X) + R v_0,   w = W + R w_0 */
#include <math.h>
#include <string.h>

#include "genalpha/ga_placement.h"
#include "mechanism/mechanism.h"

/* Set m->base. */
ga_status ga_mechanism_place(ga_mechanism *m, const ga_placement *placement, ga_error *err) {
  if (m->built) {
    return ga_fail(err, GA_ERR_ARG, "the mechanism has been built: nothing can be added");
  }
  m->base = (ga_base){.placed = false};
  if (!placement) return GA_OK;
  ga_base b = {.placed = true, .p = {1, 0, 0, 0}};
  const double *p = placement->orientation;
  const double length = sqrt(p[0] * p[0] + ga_dot3(p + 1, p + 1));
  if (!ga_finite(3, placement->position) || !ga_finite(4, p) ||
      !ga_finite(3, placement->velocity) || !ga_finite(3, placement->angular_velocity)) {
    return ga_fail(err, GA_ERR_ARG, "the placement has a number that is not finite");
  }
  if (length > 0 && fabs(length - 1) > 1e-6) {
    return ga_fail(err, GA_ERR_ARG, "the orientation of the placement has length %g, not 1",
                   length);
  }
  for (int i = 0; i < 4 && length > 0; i++) b.p[i] = p[i] / length;
  ga_rotation3(b.p, b.R);
  ga_copy3(placement->position, b.x);
  ga_copy3(placement->velocity, b.xd);
  ga_copy3(placement->angular_velocity, b.w);
  m->base = b;
  return GA_OK;
}

/* x <- X + R given */
void ga_base_point(const ga_base *base, const double *given, double *x) {
  double turned[3];
  ga_times3(base->R, given, turned);
  ga_plus3(base->x, 1, turned, x);
}

/* x, p (a point and an orientation in space) <- those in the frame of the base */
void ga_base_own(const ga_base *base, double *x, double *p) {
  double d[3];
  const double back[4] = {base->p[0], -base->p[1], -base->p[2], -base->p[3]};
  ga_plus3(x, -1, base->x, d);
  ga_times_t3(base->R, d, x);
  ga_quat_mul(back, p, p);
}

/* Sine of the largest angle between z of the frame and z of space that counts as none. */
static const double LEVEL = 1e-9;

/* *placed <- the body in space. */
ga_status ga_base_body(const ga_base *base, const ga_body *body, ga_body *placed, ga_error *err) {
  double arm[3], turned[3];
  *placed = *body;
  if (body->type == GA_BODY_PLANAR) {
    const bool level = fabs(base->R[2]) <= LEVEL && fabs(base->R[5]) <= LEVEL && base->R[8] > 0 &&
                       base->xd[2] == 0 && base->w[0] == 0 && base->w[1] == 0;
    if (!level) {
      return ga_fail(err, GA_ERR_ARG,
                     "body '%s' is planar: its assembly may be turned about z only, and moves in "
                     "the plane",
                     body->name);
    }
    placed->angle = body->angle + atan2(base->R[3], base->R[0]);
  }
  ga_times3(base->R, body->position, arm);
  ga_plus3(base->x, 1, arm, placed->position);
  if (body->type == GA_BODY_PLANAR) placed->position[2] = 0;
  if (body->type == GA_BODY_RIGID) {
    const double *p = body->orientation;
    const bool given = p[0] != 0 || p[1] != 0 || p[2] != 0 || p[3] != 0;
    memcpy(placed->orientation, base->p, sizeof base->p);
    if (given) ga_quat_mul(base->p, p, placed->orientation);
  }
  ga_times3(base->R, body->velocity, turned);
  ga_plus3(base->xd, 1, turned, placed->velocity);
  ga_add_cross3(1, base->w, arm, placed->velocity);
  if (body->type == GA_BODY_POINT) return GA_OK;
  ga_times3(base->R, body->angular_velocity, turned);
  ga_plus3(base->w, 1, turned, placed->angular_velocity);
  return GA_OK;
}

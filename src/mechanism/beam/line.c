/* SPDX-License-Identifier: MIT */
/* Frames of the nodes of a beam on a straight line or on an arc of a circle. */
#include <math.h>
#include <string.h>

#include "genalpha/ga_beam.h"
#include "mechanism/beam/beam.h"

/* p <- quaternion of the frame with x = tangent (a unit vector) and y towards `y`; fails if they are
 * parallel (sine <= 1e-6). */
static ga_status frame_of(const double *tangent, const double *y, double *p, ga_error *err) {
  const double length = ga_norm3(y);
  double own[3], z[3], R[9];
  if (!(length > 0)) return ga_fail(err, GA_ERR_ARG, "y_axis is zero and has no direction");
  ga_plus3(y, -ga_dot3(y, tangent), tangent, own);
  const double across = ga_norm3(own);
  if (!(across > 1e-6 * length)) {
    return ga_fail(err, GA_ERR_ARG, "y_axis is parallel to the tangent");
  }
  for (int i = 0; i < 3; i++) own[i] /= across;
  ga_cross3(tangent, own, z);
  for (int i = 0; i < 3; i++) R[3 * i] = tangent[i], R[3 * i + 1] = own[i], R[3 * i + 2] = z[i];
  ga_quat_of_matrix(R, p);
  ga_quat_clean(p);
  return GA_OK;
}

/* GA_ERR_ARG unless there is at least one element. */
static ga_status check_elements(int elements, ga_error *err) {
  if (elements >= 1) return GA_OK;
  return ga_fail(err, GA_ERR_ARG, "a beam needs at least 1 element, not %d", elements);
}

ga_status ga_beam_line(const double from[3], const double to[3], const double *y_axis, int elements,
                       ga_beam_node *nodes, ga_error *err) {
  double t[3], y[3], p[4];
  ga_status status = check_elements(elements, err);
  if (status != GA_OK) return status;
  ga_plus3(to, -1, from, t);
  const double length = ga_norm3(t);
  if (!(length > 0) || !isfinite(length)) {
    return ga_fail(err, GA_ERR_ARG, "the line has no length: from and to are one point");
  }
  for (int i = 0; i < 3; i++) t[i] /= length;
  if (y_axis) {
    ga_copy3(y_axis, y);
  } else {
    ga_axis_far_from(t, y);
  }
  status = frame_of(t, y, p, err);
  for (int k = 0; k <= elements && status == GA_OK; k++) {
    const double s = (double)k / elements;
    for (int i = 0; i < 3; i++) nodes[k].position[i] = (1 - s) * from[i] + s * to[i];
    memcpy(nodes[k].orientation, p, sizeof p);
  }
  return status;
}

ga_status ga_beam_arc(const double from[3], const double tangent[3], const double normal[3],
                      double radius, double angle, const double *y_axis, int elements,
                      ga_beam_node *nodes, ga_error *err) {
  double t[3], n[3], a[3], p[4];
  ga_status status = check_elements(elements, err);
  if (status != GA_OK) return status;
  const double lt = ga_norm3(tangent), ln = ga_norm3(normal);
  if (!(lt > 0) || !(ln > 0) || !isfinite(lt + ln)) {
    return ga_fail(err, GA_ERR_ARG, "tangent or normal is zero and has no direction");
  }
  for (int i = 0; i < 3; i++) t[i] = tangent[i] / lt, n[i] = normal[i] / ln;
  if (fabs(ga_dot3(t, n)) > 1e-6) {
    return ga_fail(err, GA_ERR_ARG, "tangent and normal are not perpendicular (cosine %.3g)",
                   ga_dot3(t, n));
  }
  if (!(radius > 0) || !(angle > 0) || !isfinite(radius + angle)) {
    return ga_fail(err, GA_ERR_ARG, "radius and angle of an arc must be positive");
  }
  ga_plus3(n, -ga_dot3(n, t), t, n);
  const double across = ga_norm3(n);
  for (int i = 0; i < 3; i++) n[i] /= across;
  ga_cross3(t, n, a);
  status = frame_of(t, y_axis ? y_axis : n, p, err);
  for (int k = 0; k <= elements && status == GA_OK; k++) {
    const double phi = angle * k / elements, half = sin(0.5 * phi);
    double w[3], turn[4];
    for (int i = 0; i < 3; i++) {
      w[i] = phi * a[i];
      nodes[k].position[i] = from[i] + radius * (sin(phi) * t[i] + 2 * half * half * n[i]);
    }
    ga_quat_exp(w, turn);
    ga_quat_mul(turn, p, nodes[k].orientation);
  }
  return status;
}

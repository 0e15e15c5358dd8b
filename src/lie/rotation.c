/* SPDX-License-Identifier: MIT */
/* Rotations for people who write models: the private functions of the groups, by public names. */
#include <math.h>
#include <string.h>

#include "genalpha/ga_helpers.h"
#include "lie/lie.h"

/* c = a x b; c may be a or b */
void ga_cross(const double a[3], const double b[3], double c[3]) {
  const double product[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                             a[0] * b[1] - a[1] * b[0]};
  memcpy(c, product, sizeof product);
}

/* A = a~, the matrix with a~ x = a x x (cross product), by rows */
void ga_tilde(const double a[3], double A[9]) {
  const double rows[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
  memcpy(A, rows, sizeof rows);
}

/* R = I + 2 p0 p~ + 2 p~^2, by rows, for a unit quaternion p */
void ga_so3_matrix(const double p[4], double R[9]) {
  const double a = p[0], b = p[1], c = p[2], d = p[3];
  const double rows[9] = {
      1 - 2 * (c * c + d * d), 2 * (b * c - a * d),     2 * (b * d + a * c),
      2 * (b * c + a * d),     1 - 2 * (b * b + d * d), 2 * (c * d - a * b),
      2 * (b * d - a * c),     2 * (c * d + a * b),     1 - 2 * (b * b + c * c)};
  memcpy(R, rows, sizeof rows);
}

/* y = R(p) x; y may be x */
void ga_so3_rotate(const double p[4], const double x[3], double y[3]) {
  ga_quat_rotate(p, x, y);
}

/* y = R(p)^T x; y may be x */
void ga_so3_unrotate(const double p[4], const double x[3], double y[3]) {
  ga_quat_unrotate(p, x, y);
}

/* r = p q, R(r) = R(p) R(q); r may be p or q */
void ga_so3_compose(const double p[4], const double q[4], double r[4]) {
  ga_quat_mul(p, q, r);
}

/* p = rotation by `angle` (rad) about `axis`, which need not have length 1 but must not be zero */
void ga_so3_from_axis_angle(const double axis[3], double angle, double p[4]) {
  const double length = hypot(hypot(axis[0], axis[1]), axis[2]), s = sin(angle / 2) / length;
  p[0] = cos(angle / 2);
  for (int i = 0; i < 3; i++) p[i + 1] = s * axis[i];
}

/* p = rotation by |w| (rad) about w */
void ga_so3_exp(const double w[3], double p[4]) {
  ga_quat_exp(w, p);
}

/* w = shortest rotation vector of p */
void ga_so3_log(const double p[4], double w[3]) {
  ga_quat_log(p, w);
}

/* p with R(p) = R, by rows */
void ga_so3_from_matrix(const double R[9], double p[4]) {
  ga_quat_of_matrix(R, p);
}

/* p <- p/|p| */
void ga_so3_clean(double p[4]) {
  ga_quat_clean(p);
}

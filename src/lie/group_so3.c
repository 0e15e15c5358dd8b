/* SPDX-License-Identifier: MIT */
/* SO(3) by unit quaternions (p0, p), scalar first: R = I + 2 p0 p~ + 2 p~^2.
 *
 *   q o exp(w~) = q (cos(t/2), sin(t/2)/t w),   t = |w|
 *   R^T dR = (T dw)~,  T(w) = I - s2 w~ + s3 w~^2   for R = exp(w~)
 *   [a, b] = a x b
 *
 * q and -q are the same rotation; the sign is carried along and never chosen. The length drifts by
 * roundoff only: 2e-14 in 1e4 steps with varying w, below 1e-12 when w is the same in all of them
 * and the roundoff in exp(w~) always points the same way. */
#include <math.h>
#include <string.h>

#include "lie/lie.h"

/* r = p q, the quaternion product; r may be p or q */
void ga_quat_mul(const double *p, const double *q, double *r) {
  double pq[3], p0 = p[0], q0 = q[0];
  ga_cross3(p + 1, q + 1, pq);
  r[0] = p0 * q0 - ga_dot3(p + 1, q + 1);
  for (int i = 0; i < 3; i++) r[i + 1] = p0 * q[i + 1] + q0 * p[i + 1] + pq[i];
}

/* r = p^-1 q for unit p: the rotation from p to q; r may be p or q */
void ga_quat_ldiv(const double *p, const double *q, double *r) {
  double conjugate[4] = {p[0], -p[1], -p[2], -p[3]};
  ga_quat_mul(conjugate, q, r);
}

/* p = quaternion of the rotation by t = |w| (rad) about w: (cos(t/2), sin(t/2)/t w), with
 * sin(t/2)/t = s1(x/4)/2, x = t^2. Both terms are good to an ulp, hence so is the length of p. */
void ga_quat_exp(const double *w, double *p) {
  double x = ga_dot3(w, w);
  double s = 0.5 * ga_s1(0.25 * x);
  p[0] = cos(0.5 * sqrt(x));
  for (int i = 0; i < 3; i++) p[i + 1] = s * w[i];
}

/* w = 2 atan2(|p|, p0) p/|p|, for -p in place of p if p0 < 0, so that |w| <= pi. atan2 is exact
 * near 0, where acos(p0) is not, and near pi, where asin(|p|) is not. Dividing by |p| is harmless
 * unless it is zero; then w is zero, too. */
void ga_quat_log(const double *p, double *w) {
  double length = sqrt(ga_dot3(p + 1, p + 1));
  double factor = length > 0 ? 2 * atan2(length, fabs(p[0])) / length : 2;
  if (p[0] < 0) factor = -factor;
  for (int i = 0; i < 3; i++) w[i] = factor * p[i + 1];
}

/* p <- p/|p| */
void ga_quat_clean(double *p) {
  double length = sqrt(p[0] * p[0] + ga_dot3(p + 1, p + 1));
  for (int i = 0; i < 4; i++) p[i] /= length;
}

/* p with R(p) = R (3 x 3 by rows), by Shepperd's method: of the four values 4 p_k^2, which the
 * diagonal gives, the largest is used as divisor, so that no digits are lost. */
void ga_quat_of_matrix(const double *R, double *p) {
  const double four[4] = {1 + R[0] + R[4] + R[8], 1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8],
                          1 - R[0] - R[4] + R[8]};
  int k = 0;
  for (int i = 1; i < 4; i++) {
    if (four[i] > four[k]) k = i;
  }
  const double s = 0.5 / sqrt(four[k]);
  const double low[3] = {R[7] - R[5], R[2] - R[6], R[3] - R[1]};
  if (k == 0) {
    p[0] = four[0] * s;
    for (int i = 0; i < 3; i++) p[i + 1] = low[i] * s;
    return;
  }
  p[0] = low[k - 1] * s;
  for (int i = 0; i < 3; i++) {
    p[i + 1] = i == k - 1 ? four[k] * s : (R[3 * (k - 1) + i] + R[3 * i + k - 1]) * s;
  }
}

/* largest |R(p)_ij - R(q)_ij|, so that p and -p are the same; NaN if one is NaN */
double ga_quat_distance(const double *p, const double *q) {
  double largest = 0;
  for (int j = 0; j < 3; j++) {
    double e[3] = {j == 0, j == 1, j == 2}, a[3], b[3];
    ga_quat_rotate(p, e, a);
    ga_quat_rotate(q, e, b);
    for (int i = 0; i < 3; i++) largest = ga_larger(largest, fabs(a[i] - b[i]));
  }
  return largest;
}

/* Writes T = I - s2 w~ + s3 (w w^T - x I) into a 3 x 3 block whose rows are ld apart, x = w.w; the
 * diagonal 1 - x s3 is s1. */
void ga_so3_tangent_block(const double *w, double *T, int ld) {
  double x = ga_dot3(w, w);
  double s1 = ga_s1(x), s2 = ga_s2(x), s3 = ga_s3(x);
  double *row[3] = {T, T + ld, T + 2 * ld};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) row[i][j] = s3 * w[i] * w[j];
    row[i][i] += s1;
  }
  row[0][1] += s2 * w[2];
  row[0][2] -= s2 * w[1];
  row[1][0] -= s2 * w[2];
  row[1][2] += s2 * w[0];
  row[2][0] += s2 * w[1];
  row[2][1] -= s2 * w[0];
}

/* q1 = q o exp(w~) for each of n rotations */
static void so3_step(int n, const double *q, const double *w, double *q1) {
  for (int i = 0; i < n; i++) {
    double p[4];
    ga_quat_exp(w + 3 * i, p);
    ga_quat_mul(q + 4 * i, p, q1 + 4 * i);
  }
}

/* w with qb = qa o exp(w~), |w| <= pi, for each of n rotations */
static void so3_diff(int n, const double *qa, const double *qb, double *w) {
  for (int i = 0; i < n; i++) {
    double r[4];
    ga_quat_ldiv(qa + 4 * i, qb + 4 * i, r);
    ga_quat_log(r, w + 3 * i);
  }
}

/* qc = qa o qb for each of n rotations; qc may be qa or qb */
static void so3_compose(int n, const double *qa, const double *qb, double *qc) {
  for (int i = 0; i < n; i++) ga_quat_mul(qa + 4 * i, qb + 4 * i, qc + 4 * i);
}

/* T = n blocks T(w), 3 x 3 by rows */
static void so3_tangent(int n, const double *w, double *T) {
  for (int i = 0; i < n; i++) ga_so3_tangent_block(w + 3 * i, T + 9 * i, 3);
}

/* c = a x b for each of n pairs */
static void so3_bracket(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++) ga_cross3(a + 3 * i, b + 3 * i, c + 3 * i);
}

/* largest difference of the entries of R, NaN if one is NaN */
static double so3_distance(int n, const double *qa, const double *qb) {
  double largest = 0;
  for (int i = 0; i < n; i++)
    largest = ga_larger(largest, ga_quat_distance(qa + 4 * i, qb + 4 * i));
  return largest;
}

/* q = n times R = I */
static void so3_identity(int n, double *q) {
  memset(q, 0, 4 * (size_t)n * sizeof *q);
  for (int i = 0; i < n; i++) q[4 * i] = 1;
}

/* scales the n quaternions to length 1 */
static void so3_clean(int n, double *q) {
  for (int i = 0; i < n; i++) ga_quat_clean(q + 4 * i);
}

const ga_group ga_group_so3 = {
    .name = "so3",
    .nq = 4,
    .nv = 3,
    .commutative = false,
    .step = so3_step,
    .diff = so3_diff,
    .compose = so3_compose,
    .tangent = so3_tangent,
    .bracket = so3_bracket,
    .distance = so3_distance,
    .identity = so3_identity,
    .clean = so3_clean,
};

/* SPDX-License-Identifier: MIT */
/* SE(3): q = (x, p), position and unit quaternion; v = (u, Omega), both body-fixed, x' = R u.
 *
 *   (xa, Ra) o (xb, Rb) = (xa + Ra xb, Ra Rb)
 *   exp((u, w)~) = (V u, exp(w~)),  V(w) = I + s2 w~ + s3 w~^2,  V^-1 = I - w~/2 + s6 w~^2
 *   [(u1, w1), (u2, w2)] = (w1 x u2 + u1 x w2, w1 x w2)
 *
 *   T(u, w) = [ T(w)  D    ]
 *             [ 0     T(w) ]
 *
 * with T(w) = I - s2 w~ + s3 w~^2 of SO(3) and its derivative along u,
 *   D = -s2 u~ + s3 (w~ u~ + u~ w~) + 2 (w.u) (-s2' w~ + s3' w~^2),   s2' = s4 - s3/2,  s3' = -s5
 *
 * D follows from T = sum (-ad)^k/(k+1)! with ad = [w~ u~; 0 w~]: a power series of such a matrix
 * has the derivative of the series in its corner. */
#include <math.h>
#include <string.h>

#include "lie/lie.h"

/* qc = qa o qb for each of n frames (x, p); qc may be qa or qb */
static void se3_compose(int n, const double *qa, const double *qb, double *qc) {
  for (int i = 0; i < n; i++, qa += 7, qb += 7, qc += 7) {
    double y[3];
    ga_quat_rotate(qa + 3, qb, y);
    for (int j = 0; j < 3; j++) qc[j] = qa[j] + y[j];
    ga_quat_mul(qa + 3, qb + 3, qc + 3);
  }
}

/* q1 = q o exp((u, w)~) for each of n frames */
static void se3_step(int n, const double *q, const double *w, double *q1) {
  for (int i = 0; i < n; i++, q += 7, w += 6, q1 += 7) {
    double e[7];
    double x = ga_dot3(w + 3, w + 3);
    ga_rodrigues3(ga_s2(x), ga_s3(x), w + 3, w, e);
    ga_quat_exp(w + 3, e + 3);
    se3_compose(1, q, e, q1);
  }
}

/* w = (u, w) with qb = qa o exp((u, w)~) for each of n frames, |w| <= pi */
static void se3_diff(int n, const double *qa, const double *qb, double *w) {
  for (int i = 0; i < n; i++, qa += 7, qb += 7, w += 6) {
    double r[4], y[3];
    for (int j = 0; j < 3; j++) y[j] = qb[j] - qa[j];
    ga_quat_unrotate(qa + 3, y, y);
    ga_quat_ldiv(qa + 3, qb + 3, r);
    ga_quat_log(r, w + 3);
    ga_rodrigues3(-0.5, ga_s6(ga_dot3(w + 3, w + 3)), w + 3, y, w);
  }
}

/* Writes D into a 3 x 3 block whose rows are ld apart. With w~ u~ = u w^T - (w.u) I, w~^2 = w w^T -
 * x I, wu = w.u:
 *   D = s3 (u w^T + w u^T) - 2 wu s5 w w^T + (2 x s5 - 2 s3) wu I - (s2 u + (2 s4 - s3) wu w)~ */
static void tangent_corner(const double *u, const double *w, double *D, int ld) {
  double x = ga_dot3(w, w), wu = ga_dot3(w, u);
  double s2 = ga_s2(x), s3 = ga_s3(x), s4 = ga_s4(x), s5 = ga_s5(x);
  double *row[3] = {D, D + ld, D + 2 * ld};
  double c[3];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      row[i][j] = s3 * (u[i] * w[j] + w[i] * u[j]) - 2 * wu * s5 * w[i] * w[j];
    }
    row[i][i] += 2 * (x * s5 - s3) * wu;
    c[i] = s2 * u[i] + (2 * s4 - s3) * wu * w[i];
  }
  row[0][1] += c[2];
  row[0][2] -= c[1];
  row[1][0] -= c[2];
  row[1][2] += c[0];
  row[2][0] += c[1];
  row[2][1] -= c[0];
}

/* T = n blocks T(u, w), 6 x 6 by rows */
static void se3_tangent(int n, const double *w, double *T) {
  memset(T, 0, 36 * (size_t)n * sizeof *T);
  for (int i = 0; i < n; i++, w += 6, T += 36) {
    ga_so3_tangent_block(w + 3, T, 6);
    tangent_corner(w, w + 3, T + 3, 6);
    ga_so3_tangent_block(w + 3, T + 21, 6);
  }
}

/* c = [a, b] for each of n pairs (u, w) */
static void se3_bracket(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++, a += 6, b += 6, c += 6) {
    double wu[3], uw[3];
    ga_cross3(a + 3, b, wu);
    ga_cross3(a, b + 3, uw);
    for (int j = 0; j < 3; j++) c[j] = wu[j] + uw[j];
    ga_cross3(a + 3, b + 3, c + 3);
  }
}

/* largest difference of the entries of x and of R, NaN if one is NaN */
static double se3_distance(int n, const double *qa, const double *qb) {
  double largest = 0;
  for (int i = 0; i < n; i++) {
    const double *a = qa + 7 * i, *b = qb + 7 * i;
    for (int k = 0; k < 3; k++) largest = ga_larger(largest, fabs(a[k] - b[k]));
    largest = ga_larger(largest, ga_quat_distance(a + 3, b + 3));
  }
  return largest;
}

/* q = n times (x = 0, R = I) */
static void se3_identity(int n, double *q) {
  memset(q, 0, 7 * (size_t)n * sizeof *q);
  for (int i = 0; i < n; i++) q[7 * i + 3] = 1;
}

/* scales the n quaternions to length 1 */
static void se3_clean(int n, double *q) {
  for (int i = 0; i < n; i++) ga_quat_clean(q + 7 * i + 3);
}

/* size of each velocity: |x| for the displacement, which is body-fixed, and 1 for the rotation */
static void se3_size(int n, const double *q, double *size) {
  for (int i = 0; i < n; i++) {
    double length = sqrt(ga_dot3(q + 7 * i, q + 7 * i));
    for (int k = 0; k < 6; k++) size[6 * i + k] = k < 3 ? length : 1;
  }
}

const ga_group ga_group_se3 = {
    .name = "se3",
    .nq = 7,
    .nv = 6,
    .commutative = false,
    .step = se3_step,
    .diff = se3_diff,
    .compose = se3_compose,
    .tangent = se3_tangent,
    .bracket = se3_bracket,
    .distance = se3_distance,
    .identity = se3_identity,
    .clean = se3_clean,
    .size = se3_size,
};

/* SPDX-License-Identifier: MIT */
/* Vectors and 3 x 3 matrices (by rows) of mechanisms, beside those of lie.h. */
#ifndef GA_SRC_SPACE3_H
#define GA_SRC_SPACE3_H

#include "lie/lie.h"

/* b = a */
static inline void ga_copy3(const double *a, double *b) {
  b[0] = a[0], b[1] = a[1], b[2] = a[2];
}

static inline void ga_zero3(double *a) {
  a[0] = a[1] = a[2] = 0;
}

/* c = a + s b; c may be a or b */
static inline void ga_plus3(const double *a, double s, const double *b, double *c) {
  for (int i = 0; i < 3; i++) c[i] = a[i] + s * b[i];
}

/* c += s a x b */
static inline void ga_add_cross3(double s, const double *a, const double *b, double *restrict c) {
  c[0] += s * (a[1] * b[2] - a[2] * b[1]);
  c[1] += s * (a[2] * b[0] - a[0] * b[2]);
  c[2] += s * (a[0] * b[1] - a[1] * b[0]);
}

/* |a| */
static inline double ga_norm3(const double *a) {
  return sqrt(ga_dot3(a, a));
}

/* y = A x; y may not be x */
static inline void ga_times3(const double *A, const double *x, double *restrict y) {
  for (int i = 0; i < 3; i++) y[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
}

/* y = A^T x; y may not be x */
static inline void ga_times_t3(const double *A, const double *x, double *restrict y) {
  for (int j = 0; j < 3; j++) y[j] = A[j] * x[0] + A[3 + j] * x[1] + A[6 + j] * x[2];
}

/* C = A B; C may not be A or B */
static inline void ga_product3(const double *A, const double *B, double *restrict C) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
    }
  }
}

/* C = A^T B; C may not be A or B */
static inline void ga_product_t3(const double *A, const double *B, double *restrict C) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      C[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
    }
  }
}

/* a = column j of A */
static inline void ga_column3(const double *A, int j, double *a) {
  a[0] = A[j], a[1] = A[3 + j], a[2] = A[6 + j];
}

/* A = a~, the matrix with a~ x = a x x (cross product) */
static inline void ga_skew3(const double *a, double *A) {
  A[0] = A[4] = A[8] = 0;
  A[1] = -a[2], A[2] = a[1];
  A[3] = a[2], A[5] = -a[0];
  A[6] = -a[1], A[7] = a[0];
}

/* A = a~ b~ = b a^T - (a.b) I */
static inline void ga_skew_skew3(const double *a, const double *b, double *A) {
  const double ab = ga_dot3(a, b);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) A[3 * i + j] = b[i] * a[j];
    A[4 * i] -= ab;
  }
}

/* R = I + 2 p0 p~ + 2 p~^2, the rotation matrix of a unit quaternion */
static inline void ga_rotation3(const double *p, double *R) {
  const double a = p[0], b = p[1], c = p[2], d = p[3];
  R[0] = 1 - 2 * (c * c + d * d), R[1] = 2 * (b * c - a * d), R[2] = 2 * (b * d + a * c);
  R[3] = 2 * (b * c + a * d), R[4] = 1 - 2 * (b * b + d * d), R[5] = 2 * (c * d - a * b);
  R[6] = 2 * (b * d - a * c), R[7] = 2 * (c * d + a * b), R[8] = 1 - 2 * (b * b + c * c);
}

/* x = the space axis that is farthest from z (build/points.c) */
void ga_axis_far_from(const double *z, double *x);

/* R = I */
static inline void ga_identity3(double *R) {
  for (int i = 0; i < 9; i++) R[i] = i % 4 == 0;
}

#endif

/* SPDX-License-Identifier: MIT */
/* Models with one constraint too many, each consistent, from which a row can be taken away.
 *
 * A model is described row by row: value of the constraint, columns and entries of its gradient.
 * What the integrator sees is made of the rows that are kept. */
#ifndef GA_TESTS_REDUNDANT_H
#define GA_TESTS_REDUNDANT_H

#include "support.h"

enum { RD_RODS = 50, RD_NV = 3 * RD_RODS, RD_ROWS = 2 * RD_RODS + 3, RD_ENTRIES = 16 * RD_RODS };

typedef struct redundant redundant;
struct redundant {
  const char *name;
  int so3;        /* number of rotations, after nrn coordinates in R^n */
  int nrn, nrows; /* rows of g, or of k if nonholonomic */
  bool nonholonomic, diagonal_K;
  double mass, inertia, gravity; /* of coordinates 3i, 3i+1; of 3i+2; along 3i+1 */
  void (*start)(const redundant *m, double *q, double *v); /* into zeros */
  /* value of row i; of a nonholonomic row the terms without v */
  double (*value)(const redundant *m, int i, const double *q);
  /* columns, increasing, and entries of its gradient; returns their number */
  int (*gradient)(const redundant *m, int i, const double *q, int *col, double *val);
};

/* ---- small ones in R^n ------------------------------------------------------------------- */

/* the sphere, a plane, and the sphere again, in other units */
static inline double twice_value(const redundant *m, int i, const double *q) {
  (void)m;
  if (i == 1) return q[2] - 0.6;
  return (i == 2 ? -1e3 / 3 : 1) * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1);
}
static inline int twice_gradient(const redundant *m, int i, const double *q, int *col,
                                 double *val) {
  (void)m;
  for (int j = 0; j < 3; j++) {
    col[j] = j;
    val[j] = i == 1 ? j == 2 : (i == 2 ? -1e3 / 3 : 1) * 2 * q[j];
  }
  return 3;
}
static inline void twice_start(const redundant *m, double *q, double *v) {
  (void)m;
  q[0] = 0.8, q[1] = 0, q[2] = 0.6;
  v[0] = 0, v[1] = 0.3, v[2] = 0;
}

/* g0 = q0^2 + q1^2 - 1, g1 = q2 - q0/2, g2 = q3 - q1 q2, g3 = 0.1 g0 + g1/3 */
static inline double sum_value(const redundant *m, int i, const double *q) {
  (void)m;
  const double g[3] = {q[0] * q[0] + q[1] * q[1] - 1, q[2] - q[0] / 2, q[3] - q[1] * q[2]};
  return i < 3 ? g[i] : 0.1 * g[0] + g[1] / 3;
}
static inline int sum_gradient(const redundant *m, int i, const double *q, int *col, double *val) {
  (void)m;
  const double G[3][4] = {{2 * q[0], 2 * q[1], 0, 0}, {-0.5, 0, 1, 0}, {0, -q[2], -q[1], 1}};
  for (int j = 0; j < 4; j++) {
    col[j] = j;
    val[j] = i < 3 ? G[i][j] : 0.1 * G[0][j] + G[1][j] / 3;
  }
  return 4;
}
static inline void sum_start(const redundant *m, double *q, double *v) {
  (void)m;
  q[0] = 0.6, q[1] = 0.8, q[2] = 0.3, q[3] = 0.24;
  v[0] = 0.8, v[1] = -0.6, v[2] = 0.4, v[3] = 0.8 * 0.4 - 0.6 * 0.3;
}

/* a skate on the plane, q = (x, y, angle, roll), whose roll follows the angle; the first row again
 */
static inline double skate_value(const redundant *m, int i, const double *q) {
  (void)m, (void)i, (void)q;
  return 0;
}
static inline int skate_gradient(const redundant *m, int i, const double *q, int *col,
                                 double *val) {
  (void)m;
  const double H[2][4] = {{-sin(q[2]), cos(q[2]), 0, 0}, {0, 0, 2, -1}};
  for (int j = 0; j < 4; j++) {
    col[j] = j;
    val[j] = i == 2 ? 0.7 * H[0][j] : H[i][j];
  }
  return 4;
}
static inline void skate_start(const redundant *m, double *q, double *v) {
  (void)m;
  q[0] = q[1] = q[3] = 0, q[2] = 0.4;
  v[0] = 2 * cos(0.4), v[1] = 2 * sin(0.4), v[2] = 0.5, v[3] = 1;
}

/* ---- a body in R^3 x SO(3) --------------------------------------------------------------- */

/* R^T x for the rotation of a unit quaternion */
static inline void turn_back(const double *p, const double *x, double *y) {
  double s = p[0], a = -p[1], b = -p[2], c = -p[3];
  double t[3] = {2 * (b * x[2] - c * x[1]), 2 * (c * x[0] - a * x[2]), 2 * (a * x[1] - b * x[0])};
  y[0] = x[0] + s * t[0] + b * t[2] - c * t[1];
  y[1] = x[1] + s * t[1] + c * t[0] - a * t[2];
  y[2] = x[2] + s * t[2] + a * t[1] - b * t[0];
}

/* point X of the body, seen from p: y = x + R X - p, in the frame of the body R^T y */
static const double held_X[3][3] = {{1, 0, 0}, {0, 1, 0.5}, {1, 0, 0}};
static const double held_p[3][3] = {{1, 0, 2}, {0, 3, 0.5}, {1, 0, 2}};

static inline double held_seen(int i, const double *q, double *y) {
  double d[3], square = 0;
  for (int j = 0; j < 3; j++) d[j] = q[j] - held_p[i][j];
  turn_back(q + 3, d, y);
  for (int j = 0; j < 3; j++) y[j] += held_X[i][j], square += y[j] * y[j];
  return sqrt(square);
}

/* at a distance of 2: rows 0 and 1 by squares, row 2 holds what row 0 holds, by the distance */
static inline double held_value(const redundant *m, int i, const double *q) {
  (void)m;
  double y[3], distance = held_seen(i, q, y);
  return i == 2 ? distance - 2 : distance * distance - 4;
}
static inline int held_gradient(const redundant *m, int i, const double *q, int *col, double *val) {
  (void)m;
  double y[3], distance = held_seen(i, q, y), scale = i == 2 ? 1 / distance : 2;
  const double *X = held_X[i], back[4] = {q[3], -q[4], -q[5], -q[6]};
  turn_back(back, y, val); /* R R^T y by x', X x R^T y by Omega */
  val[3] = X[1] * y[2] - X[2] * y[1];
  val[4] = X[2] * y[0] - X[0] * y[2];
  val[5] = X[0] * y[1] - X[1] * y[0];
  for (int j = 0; j < 6; j++) col[j] = j, val[j] *= scale;
  return 6;
}
static inline void held_start(const redundant *m, double *q, double *v) {
  (void)m;
  for (int j = 0; j < 6; j++) q[j] = v[j] = 0;
  q[6] = 0, q[3] = 1;
  v[0] = 0.2; /* both lines are at right angles to x */
}

/* ---- planar rods with joints ------------------------------------------------------------- */

/* a point on rod i, at distance s from its centre; on the ground (i < 0) a fixed point */
typedef struct {
  int rod;
  double x, y; /* x is the distance for a rod */
} rod_point;

/* rods of length 1: three cranks, their ends at one coupler of length 2, all joints kept */
static inline void bar_joint(int joint, rod_point *a, rod_point *b) {
  int crank = joint % 3;
  *a = (rod_point){crank, joint < 3 ? -0.5 : 0.5, 0};
  *b = joint < 3 ? (rod_point){-1, crank, 0} : (rod_point){3, crank - 1, 0};
}

/* the chain of the problem `chain`, its end held too, and the sum of all horizontal lengths */
static inline double arc(int i) {
  return -0.6 + 1.2 * i / (RD_RODS - 1.0) + (i % 2 ? 0.05 : 0);
}
static inline void chain_joint(int joint, rod_point *a, rod_point *b) {
  double end[2] = {0, 0};
  for (int i = 0; i < RD_RODS; i++) end[0] += cos(arc(i)), end[1] += sin(arc(i));
  *a = joint < RD_RODS ? (rod_point){joint, -0.5, 0} : (rod_point){-1, end[0], end[1]};
  *b = joint > 0 ? (rod_point){joint - 1, 0.5, 0} : (rod_point){-1, 0, 0};
}

static inline double rod_point_value(const rod_point *p, int axis, const double *q) {
  if (p->rod < 0) return axis ? p->y : p->x;
  const double *rod = q + 3 * p->rod;
  return rod[axis] + p->x * (axis ? sin(rod[2]) : cos(rod[2]));
}
static inline int rod_point_gradient(const rod_point *p, int axis, const double *q, double sign,
                                     int *col, double *val) {
  if (p->rod < 0) return 0;
  double angle = q[3 * p->rod + 2];
  col[0] = 3 * p->rod + axis, val[0] = sign;
  col[1] = 3 * p->rod + 2, val[1] = sign * p->x * (axis ? cos(angle) : -sin(angle));
  return 2;
}

static inline void joint_of(const redundant *m, int joint, rod_point *a, rod_point *b) {
  (m->nrn == RD_NV ? chain_joint : bar_joint)(joint, a, b);
}
static inline double rods_value(const redundant *m, int i, const double *q) {
  rod_point a, b;
  if (i < 2 * (RD_RODS + 1)) {
    joint_of(m, i / 2, &a, &b);
    return rod_point_value(&a, i % 2, q) - rod_point_value(&b, i % 2, q);
  }
  double sum = 0;
  for (int rod = 0; rod < RD_RODS; rod++) sum += cos(q[3 * rod + 2]) - cos(arc(rod));
  return sum;
}
static inline int rods_gradient(const redundant *m, int i, const double *q, int *col, double *val) {
  rod_point a, b;
  if (i < 2 * (RD_RODS + 1)) {
    joint_of(m, i / 2, &a, &b);
    bool a_first = b.rod > a.rod;
    int n = rod_point_gradient(a_first ? &a : &b, i % 2, q, a_first ? 1 : -1, col, val);
    return n + rod_point_gradient(a_first ? &b : &a, i % 2, q, a_first ? -1 : 1, col + n, val + n);
  }
  for (int rod = 0; rod < RD_RODS; rod++) {
    col[rod] = 3 * rod + 2;
    val[rod] = -sin(q[3 * rod + 2]);
  }
  return RD_RODS;
}
static inline void bar_start(const redundant *m, double *q, double *v) {
  (void)m;
  const double angle = 1.1, speed = 0.5;
  for (int i = 0; i < 4; i++) {
    double s = i < 3 ? 0.5 : 1, x = i < 3 ? i : 1;
    q[3 * i] = x + s * cos(angle), v[3 * i] = -s * speed * sin(angle);
    q[3 * i + 1] = s * sin(angle), v[3 * i + 1] = s * speed * cos(angle);
    q[3 * i + 2] = i < 3 ? angle : 0, v[3 * i + 2] = i < 3 ? speed : 0;
  }
}
static inline void chain_start(const redundant *m, double *q, double *v) {
  double x = 0, y = 0;
  for (int i = 0; i < m->nrn; i++) v[i] = 0;
  for (int i = 0; i < RD_RODS; i++) {
    double c = cos(arc(i)), s = sin(arc(i));
    q[3 * i] = x + c / 2, q[3 * i + 1] = y + s / 2, q[3 * i + 2] = arc(i);
    x += c, y += s;
  }
}

static const redundant redundants[] = {
    {"a row twice", 0, 3, 3, false, false, 1, 1, 0, twice_start, twice_value, twice_gradient},
    {"a sum of rows", 0, 5, 4, false, false, 2, 1, 1, sum_start, sum_value, sum_gradient},
    {"a skate", 0, 4, 3, true, false, 1, 1, 0, skate_start, skate_value, skate_gradient},
    {"a distance twice", 1, 3, 3, false, false, 1, 1, 1, held_start, held_value, held_gradient},
    {"a parallelogram", 0, 12, 12, false, true, 1, 0.1, 9.81, bar_start, rods_value, rods_gradient},
    {"a closed chain", 0, RD_NV, RD_ROWS, false, true, 1, 1. / 12, 9.81, chain_start, rods_value,
     rods_gradient},
};
enum { REDUNDANTS = (int)(sizeof redundants / sizeof redundants[0]) };

#endif

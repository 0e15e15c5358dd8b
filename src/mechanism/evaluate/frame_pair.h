/* SPDX-License-Identifier: MIT */
/* Two frames, and the building blocks of elements between them: constraint rows, force tangents.
 *
 * A frame is a point x (the centre of mass) and a rotation R, with their velocities x' and
 * omega = R Omega. Elements know frames only, all vectors in space axes; a variation is
 * (dx_a, dphi_a, dx_b, dphi_b) with dR = dphi~ R, 12 numbers. How these become the velocities of a
 * kind of body is in its table (body_kinds.c); absolute.c applies it to all elements alike.
 *
 * Derivatives given by elements are plain: x' and omega are held, and a vector in space axes is
 * differentiated as such. The model needs derivatives with Omega held (on SE(3) R^T x', too), and
 * covectors in body axes. With domega = dphi x omega and d(R^T f) = R^T (df + f x dphi), the
 * difference is a few cross products; absolute.c adds them for all elements. */
#ifndef GA_SRC_PAIR_H
#define GA_SRC_PAIR_H

#include "mechanism/space3.h"

typedef struct ga_frame {
  double x[3], R[9];
  double xd[3], w[3]; /* x', omega; zero if no velocities are given */
} ga_frame;

/* columns of a variation where dx_a, dphi_a, dx_b, dphi_b begin */
enum { GA_XA = 0, GA_PA = 3, GA_XB = 6, GA_PB = 9, GA_PAIR = 12 };

/* Which of these a row or a force depends on, as bits, */
enum {
  GA_IN_XA = 1,
  GA_IN_PA = 2,
  GA_IN_XB = 4,
  GA_IN_PB = 8,
  GA_ALL_VARIATIONS = GA_IN_XA | GA_IN_PA | GA_IN_XB | GA_IN_PB
};
/* and which 3 x 3 blocks of a tangent are not zero, bit 4 row + column. */
#define GA_BLOCK_BIT(row, column) (1u << (4 * (row) + (column)))
enum { GA_ALL_BLOCKS = 0xFFFF };

/* One row: holonomic g, G, and Z, the plain derivative of G v + g_t; or nonholonomic k, H, Y. */
typedef struct ga_row {
  double value;
  double J[GA_PAIR], Z[GA_PAIR];
} ga_row;

/* A covector f of forces and its plain derivatives A by the frames, B by (x', omega). f has
 * the sign of the left side of the equations of motion: G^T lam + H^T psi - F. */
typedef struct ga_tangent {
  double f[GA_PAIR];
  double A[GA_PAIR][GA_PAIR], B[GA_PAIR][GA_PAIR];
  bool damped; /* B is there */
} ga_tangent;

void ga_tangent_clear(ga_tangent *t, bool damped);

/* M[row..][column..] += s X, a 3 x 3 block */
static inline void ga_add_block(double (*M)[GA_PAIR], int row, int column, double s,
                                const double *X) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) M[row + i][column + j] += s * X[3 * i + j];
  }
}

/* A joint's point and axes on one body. */
typedef struct ga_joint_frame {
  double s[3]; /* the point from the centre of mass, body axes */
  double E[9]; /* columns: the joint axes in body axes */
} ga_joint_frame;

/* Joint points and axes at two frames, in space axes: side A has the point p_a = x_a + r_a and the
 * axes U_a (columns x, y, z), side B likewise. */
typedef struct ga_pair {
  const ga_frame *a, *b;
  bool curved; /* Z of rows is wanted */
  double ra[3], rb[3], Ua[9], Ub[9];
  double d[3];  /* p_b - p_a */
  double e[3];  /* p_b - x_a */
  double ed[3]; /* its velocity x_b' + omega_b x r_b - x_a' */
} ga_pair;

/* Set all of p but Ua, Ub; ga_pair_axes sets these, for elements that need them. */
void ga_pair_points(ga_pair *p, bool curved, const ga_frame *a, const ga_frame *b, const double *sa,
                    const double *sb);
void ga_pair_axes(ga_pair *p, const double *Ea, const double *Eb);

/* Each sets value and J of a row, and Z if p->curved (else Z is not to be used). First a.b, with a
 * fixed on A and b on B: */
void ga_row_dot(const ga_pair *p, const double *a, const double *b, ga_row *row);
/* component k of d, in space axes */
void ga_row_point(const ga_pair *p, int k, ga_row *row);
/* a.d, a fixed on A; equal to a.e but for a constant */
void ga_row_plane(const ga_pair *p, const double *a, ga_row *row);
/* (|d|^2 - l^2)/(2 l) */
void ga_row_distance(const ga_pair *p, double length, ga_row *row);
/* atan2(u, w) of two rows u = a1.b1, w = a2.b2; false where both vanish */
bool ga_row_angle(const ga_row *u, const ga_row *w, const ga_pair *p, ga_row *row);
/* The angle of d about z, from x to y, axes of side 0 (A) or 1 (B); false where d is along z */
bool ga_row_bearing(const ga_pair *p, int side, ga_row *row);

/* Each adds to t->f and t->A (and B). Rows lam a.d; a here is the sum of lam a over the rows: */
void ga_tangent_plane(const ga_pair *p, const double *a, ga_tangent *t);
/* rows lam a.b; S: sum of lam b~ a~, n: sum of lam a x b over the rows */
void ga_tangent_dot(const double *S, const double *n, ga_tangent *t);
/* a row lam atan2(u, w) of the rows u and w, with S = b~ a~ of each */
void ga_tangent_angle(const ga_row *u, const ga_row *w, const double *Su, const double *Sw,
                      double lam, ga_tangent *t);
/* A force phi at p_b, -phi at p_a, with phi's derivatives by d and by d' (each NULL: none) */
void ga_tangent_points(const ga_pair *p, const double *phi, const double *by_d,
                       const double *by_rate, ga_tangent *t);
/* a row lam times that angle */
void ga_tangent_bearing(const ga_pair *p, int side, double lam, ga_tangent *t);
/* a row's product with itself or another: t->A += c J1 J2^T */
void ga_tangent_outer(double c, const double *J1, const double *J2, ga_tangent *t);

/* d' = x_b' + omega_b x r_b - x_a' - omega_a x r_a */
void ga_pair_rate(const ga_pair *p, double *rate);
/* A squared distance of points below which they meet: 1e-24 of the squared lengths whose difference
 * d is. */
double ga_pair_meets(const ga_pair *p);

#endif

/* SPDX-License-Identifier: MIT */
/* Private side of the groups: series, vectors of length 3, quaternions, the product space.
 *
 * w~ is the matrix with w~ y = w x y. Matrices are stored by rows. */
#ifndef GA_SRC_LIE_H
#define GA_SRC_LIE_H

#include <genalpha/ga_csr.h>
#include <genalpha/ga_space.h>
#include <math.h>

#include "base/base.h"

/* Functions of x = t^2 with removable singularities at 0, see series.c.
 *   s1 = sin t / t                 s2 = (1 - cos t) / t^2
 *   s3 = (t - sin t) / t^3         s4 = (t^2/2 - 1 + cos t) / t^4
 *   s5 = (3 s3 - s2) / (2 t^2)     s6 = (1 - t/2 cot(t/2)) / t^2
 *   s7 = 2 ds6/dx                  s8 = 2 ds7/dx
 * With a dash for d/dx: s2' = s4 - s3/2, s3' = -s5, s6 = -s2'/s2. */
double ga_s1(double x);
double ga_s2(double x);
double ga_s3(double x);
double ga_s4(double x);
double ga_s5(double x);
double ga_s6(double x); /* x < 4 pi^2, where it has a pole */
double ga_s7(double x); /* likewise */
double ga_s8(double x); /* likewise */

/* a.b */
static inline double ga_dot3(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* c = a x b; c may not be a or b */
static inline void ga_cross3(const double *a, const double *b, double *restrict c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

/* z = y + c1 w x y + c2 w x (w x y): the form of V(w), its inverse and T(w); z may be y */
static inline void ga_rodrigues3(double c1, double c2, const double *w, const double *y,
                                 double *z) {
  double wy[3], wwy[3];
  ga_cross3(w, y, wy);
  ga_cross3(w, wy, wwy);
  for (int i = 0; i < 3; i++) z[i] = y[i] + c1 * wy[i] + c2 * wwy[i];
}

/* z = R(p) y = y + 2 p0 p x y + 2 p x (p x y) for a unit quaternion (p0, p); z may be y */
static inline void ga_quat_rotate(const double *p, const double *y, double *z) {
  ga_rodrigues3(2 * p[0], 2, p + 1, y, z);
}

/* z = R(p)^T y; z may be y */
static inline void ga_quat_unrotate(const double *p, const double *y, double *z) {
  ga_rodrigues3(-2 * p[0], 2, p + 1, y, z);
}

/* r = p q = (p0 q0 - p.q, p0 q + q0 p + p x q), R(r) = R(p) R(q); r may be p or q */
void ga_quat_mul(const double *p, const double *q, double *r);
/* r = p^-1 q for unit p; r may be p or q */
void ga_quat_ldiv(const double *p, const double *q, double *r);
/* p = exp(w~), the rotation by |w| about w */
void ga_quat_exp(const double *w, double *p);
/* the shortest w with exp(w~) = R(p); p and -p give the same, p need not be of unit length */
void ga_quat_log(const double *p, double *w);
/* p / |p|, the sign kept; a zero p becomes NaN, which the caller's checks find */
void ga_quat_clean(double *p);
/* p with R(p) = R, a rotation by rows; one of the two signs */
void ga_quat_of_matrix(const double *R, double *p);
/* largest difference of the entries of R(p) and R(q) */
double ga_quat_distance(const double *p, const double *q);
/* T(w) of SO(3), into the 3 x 3 block at T whose rows are ld apart */
void ga_so3_tangent_block(const double *w, double *T, int ld);

/* How logarithms of SO(3) and SE(3) vary, see inverse_tangent.c: 3 x 3 matrices by rows. */
typedef struct ga_log_coefficients {
  double e, eta, zeta; /* s6, s7, s8 of |w|^2 */
} ga_log_coefficients;
void ga_log_coefficients_at(const double *w, ga_log_coefficients *c);
void ga_so3_inverse_tangent(const ga_log_coefficients *c, const double *w, double *A);
void ga_so3_inverse_tangent_slope(const ga_log_coefficients *c, const double *w, const double *u,
                                  double *A1);
void ga_so3_gradient_odd(const ga_log_coefficients *c, const double *w, const double *n, double *E);
void ga_so3_gradient(const ga_log_coefficients *c, const double *w, const double *n, double *g);
void ga_so3_curvature(const ga_log_coefficients *c, const double *w, const double *n,
                      const double *u, double *chi);

/* One factor of a product: n copies (or the dimension n of R^n), starting at q_at in a
 * configuration, at v_at in a velocity, and at t_at in the list of T blocks. */
typedef struct ga_factor {
  const ga_group *group;
  int n;
  int q_at, v_at, t_at;
} ga_factor;

struct ga_space {
  ga_factor *factor; /* owned */
  int nfactor, room; /* factors; those that fit into the array */
  int nq, nv;        /* lengths of q and v */
  int nt;            /* doubles in all T blocks; commutative factors have none */
  bool commutative;  /* all factors are: T = I, nt = 0 */
};

/* The T blocks of the factors that do not commute, each copy nv x nv by rows, one after the other;
 * the number of doubles is ga_space_tangent_size, 0 for a commutative space. */
int ga_space_tangent_size(const ga_space *space);
void ga_space_tangent_rows(const ga_space *space, const double *w, double *T);

/* A <- A T in place with the block diagonal T of ga_space_tangent_rows, identity on commutative
 * factors. A has nv columns and a closed pattern: a row that lists one column of a copy of a
 * non-commutative factor lists all of them. */
void ga_space_apply_tangent(const ga_space *space, const double *T, ga_csr *A);

/* The same for a pattern that stays: nv entries of A from `entry` on are turned by the block of T
 * at `block`. ga_space_turns counts them, and lists them unless list is NULL. */
typedef struct ga_turn {
  int entry, block, nv;
} ga_turn;
int ga_space_turns(const ga_space *space, ga_csr *A, ga_turn *list);
void ga_space_turn(int count, const ga_turn *list, const double *T, ga_csr *A);

/* Whether the pattern of A (columns increasing, below nv; val not used) is closed. If not, the row
 * and the first column missing from it go to bad_row, bad_col; either may be NULL. */
bool ga_space_pattern_closed(const ga_space *space, const ga_csr *A, int *bad_row, int *bad_col);

#endif

/* SPDX-License-Identifier: MIT */
/* A force between two bodies at a point that moves on both: what contacts and rolling joints share.
 *
 * The point is y = p_b + c. A force T on B at y, and -T on A at the same point, does work on
 *
 *     U = x_b' + omega_b x (r_b + c) - x_a' - omega_a x (e + c),   e = p_b - x_a,
 *
 * the velocity of B's material point at y less that of A's. So k = t.U for a direction t has
 * J = (-t, -(e + c) x t, t, (r_b + c) x t). With the normal n for t it is the derivative of the gap. */
#ifndef GA_SRC_TOUCH_H
#define GA_SRC_TOUCH_H

#include "mechanism/evaluate/frame_pair.h"

/* A vector in space axes and its derivative D by a variation (dx_a, dphi_a, dx_b, dphi_b). */
typedef struct ga_moving {
  double t[3];
  double D[3][GA_PAIR];
} ga_moving;

/* d <- the vector t that is fixed on A (side 0) or B (side 1): dt = dphi x t */
void ga_moving_on(int side, const double *t, ga_moving *d);
/* sum += s X d, X: a 3 x 3 matrix, NULL: the identity */
void ga_moving_add(double s, const double *X, const ga_moving *d, ga_moving *sum);
/* D <- the derivative of d = p_b - p_a of a pair, 3 x 12 */
void ga_moving_apart(const ga_pair *p, double (*D)[GA_PAIR]);

/* U at the point p_b + c */
void ga_touch_velocity(const ga_pair *p, const double *c, double *U);
/* *row <- k = t.U: value, J, and the plain derivative of k in Z */
void ga_touch_row(const ga_pair *p, const ga_moving *c, const ga_moving *t, ga_row *row);
/* t->f += (-T, -(e + c) x T, T, (r_b + c) x T), t->A += its derivative */
void ga_touch_tangent(const ga_pair *p, const ga_moving *c, const ga_moving *T, ga_tangent *t);

#endif

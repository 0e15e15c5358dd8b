/* SPDX-License-Identifier: MIT */
/* The axes of a linearization about a state that moves: of space, or of bodies that turn steadily. */
#ifndef GA_SRC_AXES_H
#define GA_SRC_AXES_H

#include "statics/statics.h"

/* Change the matrices of lin, which are full and those of the model at (q, v, v'), to space axes, or to
 * axes that turn with the bodies, if the state is a steady rotation. */
ga_status ga_axes_to_space(ga_linearization *lin, const double *q, const double *v,
                           const double *vd, ga_error *err);
ga_status ga_axes_to_bodies(ga_linearization *lin, const double *q, const double *v, ga_error *err);
/* y, a variation in axes that turn with the bodies, to space axes */
void ga_axes_from_bodies(const ga_linearization *lin, double *y);

/* The state that a steady rotation with (q, v) reaches after dt; way: scratch, nv numbers */
ga_status ga_axes_rotate_on(const ga_space *space, double dt, const double *q, const double *v,
                            double *way, double *later_q, double *later_v, ga_error *err);
/* vd, given v', <- v' less that of a steady rotation with (q, v); *size: the largest acceleration
 * towards the axis, times the square root of its weight */
ga_status ga_axes_unsteady(const ga_space *space, const double *q, const double *v,
                           const double *weight, double *vd, double *size, ga_error *err);

#endif

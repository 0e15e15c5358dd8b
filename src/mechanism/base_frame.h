/* SPDX-License-Identifier: MIT */
/* The frame in which descriptions are given: space, or that of a sub-assembly (build/place.c). */
#ifndef GA_SRC_BASE_FRAME_H
#define GA_SRC_BASE_FRAME_H

#include "genalpha/ga_mechanism.h"

/* Frame of what is added (ga_placement.h), and its motion. */
typedef struct ga_base {
  bool placed; /* false: it is that of space, the rest is zero */
  double x[3], p[4], R[9], xd[3], w[3];
} ga_base;

/* place.c: *placed <- the body in space; GA_ERR_ARG for a planar body in a frame that is not turned
 * about z alone */
ga_status ga_base_body(const ga_base *base, const ga_body *body, ga_body *placed, ga_error *err);
/* x (a point, or a direction) <- the same in space; the reverse of a point and an orientation */
void ga_base_point(const ga_base *base, const double *given, double *x);
void ga_base_own(const ga_base *base, double *x, double *p);

#endif

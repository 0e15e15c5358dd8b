/* SPDX-License-Identifier: MIT */
/* Ropes of a mechanism. */
#ifndef GA_ROPE_H
#define GA_ROPE_H

#include <genalpha/ga_mechanism.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A rope without mass that runs over points of bodies, from the first to the last, and slides over
 * those between them without friction. Its length is the sum of the distances of neighbours. Without
 * a stiffness the length is given: lam is the tension, which may become negative (the rope would be
 * slack). With a stiffness the rope pulls where it is longer than `length`, with k p + d, p how much,
 * d = damping p', |d| <= k p; else it is slack. The distances are coordinates NAME_span1.length, ..;
 * a function of an angle as length is a winch, "5 - 0.2*drum.angle".
 *
 * A point with a radius is the centre of a sheave. The rope lies on it where it must, without friction
 * and without mass: the tension is the same on both sides, and no moment about the axis acts on the
 * body. The radius is positive if the rope, from its first point to the last, runs around the axis in
 * the positive sense, negative if in the other. A rope that begins or ends on a sheave is fixed there:
 * the body is a drum that winds it, its length counts from where it leaves the drum at the start. */
typedef struct ga_rope_point {
  const char *body;
  double at[3];   /* in the body frame */
  double radius;  /* of a sheave, to the middle of the rope; 0: the rope runs through the point */
  double axis[3]; /* of the sheave, in the body frame; planar bodies have z */
  int turns;      /* full turns of the rope around it, beside what the positions show */
} ga_rope_point;
typedef struct ga_rope {
  const char *name;
  int count;
  const ga_rope_point *over; /* two points at least */
  ga_function length;        /* function of t and of coordinates; default: the initial one */
  double stiffness, damping; /* N/m, N s/m; 0: it is not elastic */
} ga_rope;

/* What it refers to must have been added before. */
GA_API ga_status ga_mechanism_add_rope(ga_mechanism *m, const ga_rope *rope, ga_error *err);

#ifdef __cplusplus
}
#endif
#endif

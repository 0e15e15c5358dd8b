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
 * a function of an angle as length is a winch, "5 - 0.2*drum.angle". */
typedef struct ga_rope_point {
  const char *body;
  double at[3]; /* in the body frame */
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

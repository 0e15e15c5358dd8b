/* SPDX-License-Identifier: MIT */
/* Private: when a residual is as small as rounding lets it be. newton.c decides with these. */
#ifndef GA_SRC_ROUNDING_H
#define GA_SRC_ROUNDING_H

#include "step/step.h"

#define GA_UNSEEN 1e-11 /* constraint residual nobody notices, against 1 + |q| */

/* Every force balance within `part` of its own terms, or within rounding. */
bool ga_balanced(const ga_step *s, double part);
/* Constraints hold to a level that no discretization notices. */
bool ga_constraints_unseen(const ga_step *s);
/* Every row of the residual within many roundings of the terms it is the sum of. */
bool ga_at_rounding_level(const ga_step *s);

/* What the rounding of the constraints leaves, in units of accelerations: the largest row, and the
 * sum of squares of all. */
typedef struct ga_leftover {
  double most, squares;
} ga_leftover;

/* Constraint rows c: nothing left to gain. What is left is added to `left`. */
bool ga_constraint_clean(const ga_step *s, int c, ga_leftover *left);
/* Force balances: up to `level` of what they are made of, accelerations being of size_x; all others
 * together against what the constraints leave; or each against all of its terms. */
bool ga_forces_below(const ga_step *s, double level, double size_x, double squares);
bool ga_forces_clean(const ga_step *s, double level, double size_x);

#endif

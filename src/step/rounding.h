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

/* Constraint rows c: nothing left to gain. The largest that is left, in units of accelerations,
 * goes to `left`, if it is more. */
bool ga_constraint_clean(const ga_step *s, int c, double *left);
/* Force balances: each at most `level` of what it is made of, accelerations being of size_x. */
bool ga_forces_clean(const ga_step *s, double level, double size_x);
/* Each well below what a rounding `left` of the constraints does to the accelerations of the part
 * of the system it belongs to (s->gain). */
bool ga_forces_below(const ga_step *s, double left);
/* The parts: velocities that masses, forces and constraints connect, by their patterns. */
void ga_components_init(ga_step *s, ga_arena *arena);

#endif

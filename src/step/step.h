/* SPDX-License-Identifier: MIT */
/* One step: its equations, the factors of their matrix, Newton's iteration. src/run includes this
 * header and no other of src/step. */
#ifndef GA_SRC_STEP_H
#define GA_SRC_STEP_H

#include "step/newton.h"

typedef struct ga_step {
  ga_equations eq;
  ga_factors factors;
  ga_newton newton;
} ga_step;

/* may_drop: with diagonal slots for rows that are left out (equations.h). */
ga_status ga_step_init(ga_step *s, const ga_method *method, const ga_options *options,
                       double loose_tol, bool may_drop, ga_eval *eval, ga_stats *stats,
                       ga_arena *arena);
void ga_step_close(ga_step *s);
/* Forget factors, experience and constant masses: the next step starts from scratch. */
void ga_step_reset(ga_step *s);

#endif

/* SPDX-License-Identifier: MIT */
/* Newton's iteration on the equations of a step (newton.c). */
#ifndef GA_SRC_NEWTON_H
#define GA_SRC_NEWTON_H

#include "step/acceptance.h"

typedef struct ga_newton {
  ga_equations *eq;
  ga_factors *factors;
  ga_acceptance acceptance;
  int most; /* iterations from one guess: newton_max */
  ga_stats *stats;
  double *x, *r, *terms; /* the iterate; after a success the solution */
  double *dx;
  double *x_from; /* start of a damped step */
  double *far_x;  /* a root far from the last state, to be found twice */
  double slowest; /* the largest contraction on the way to the solution */
  bool misled;    /* the extrapolated guess did not lead to the solution */
} ga_newton;

void ga_newton_init(ga_newton *w, ga_equations *eq, ga_factors *factors, const ga_options *options,
                    ga_stats *stats, ga_arena *arena);

/* Solve the equations of the step under way, from a guess extrapolated from the last steps (NULL if
 * there is none; it may be w->x itself) and, if that fails, from the unknowns of the last step. The
 * solution is in w->x, the equations are evaluated there. GA_RETRY_NEWTON if none is found. */
ga_status ga_newton_solve(ga_newton *w, const double *extrapolated, const double *last);

#endif

/* SPDX-License-Identifier: MIT */
/* Is an iterate the solution? One test, norm-wise in each coupled subsystem (acceptance.c). */
#ifndef GA_SRC_ACCEPTANCE_H
#define GA_SRC_ACCEPTANCE_H

#include <float.h>

#include "step/factors.h"
#include "step/subsystems.h"

/* Smaller numbers count as zero: products with them are not normal numbers. */
#define GA_UNDERFLOW (DBL_MIN / DBL_EPSILON)

/* An iterate: the unknowns, the residual there and the terms of its force rows. */
typedef struct ga_iterate {
  const double *x, *r, *terms;
} ga_iterate;

typedef struct ga_acceptance {
  ga_equations *eq;
  ga_factors *factors;
  double tol;   /* newton_tol */
  double noise; /* relative rounding error of G and H: eps, or that of a difference quotient */
  ga_subsystems sub;
  /* of each subsystem, in the metric W: */
  double *largest;  /* X: the largest sqrt(w) |x| */
  double *least;    /* the least X: a motion of q_1 by its roundings */
  double *allowed;  /* (tol + 8 eps) X: the acceleration that may be wrong */
  double *change;   /* the largest sqrt(w) |dx| of the increment, */
  double *before;   /* and of the one that was taken last */
  double *force;    /* the largest |terms| / sqrt(w) */
  double *mass;     /* the largest m M_ii / w */
  double *floor;    /* the acceleration that rounding explains, */
  double *by_force; /* and that of the rounding of forces alone, 8 eps F/m */
  /* of each velocity: */
  double *size_q, *size_v;   /* Q, V: sizes of the summands of q_1 and v_1 */
  double *inertia;           /* m M_ii, summed over the processes of a team */
  double *by_x;              /* allowed / sqrt(w) */
  double *shift_q, *shift_v; /* roundings of q_1 and v_1 */
  int *diagonal;             /* slot of M_ii, -1: none */
  /* of each row: */
  double *level;         /* largest residual that is allowed */
  double *claim;         /* rounding that tangents explain, or that was measured */
  double *reaction;      /* nx: |G|^T |lam| + |H|^T |psi|; also work for nv numbers */
  double *r_up, *r_down; /* residuals with roundings added and subtracted, */
  double *probe_terms;   /* and the terms there, which nobody reads */
} ga_acceptance;

/* Allocate the arrays and find the subsystems. In a team collective. */
ga_status ga_acceptance_init(ga_acceptance *a, ga_equations *eq, ga_factors *factors, double tol,
                             ga_arena *arena);
/* The iteration begins at a guess. In a team collective. */
ga_status ga_acceptance_begin(ga_acceptance *a, const ga_iterate *at);
/* Are all residuals of the iterate within newton_tol of its accelerations? Needs no solve. In a
 * team collective. */
bool ga_acceptance_is_small(ga_acceptance *a, const ga_iterate *at);
/* b[row] = 0 for constraint rows whose residual is within rounding. b is a copy of -r. */
void ga_acceptance_skip_closed(const ga_acceptance *a, const double *r, double *b);
/* The size of the increment dx = -A^-1 r at this iterate relative to what is allowed; the iterate
 * is accepted if it is <= 1 and ga_acceptance_is_balanced. *contraction: its size relative to that
 * of the increment taken last. In a team collective. */
double ga_acceptance_error(ga_acceptance *a, const double *dx, double *contraction);
/* Was the increment taken last so large that A is another at the present iterate? In a team
 * collective. */
bool ga_acceptance_has_moved(const ga_acceptance *a);
/* The increment measured last is taken: the next contraction refers to it. */
void ga_acceptance_take(ga_acceptance *a);
/* Is every row balanced, up to the guard against wrong tangents? In a team collective. */
bool ga_acceptance_is_balanced(ga_acceptance *a, const ga_iterate *at);
/* Is the increment measured last within what rounding can explain? In a team collective. */
bool ga_acceptance_may_be_rounding(ga_acceptance *a, const ga_iterate *at);
/* If so, and the factors are fresh: is what is left rounding? *evaluated is set if the equations
 * were evaluated elsewhere: the caller must evaluate them at x again. In a team collective. */
ga_status ga_acceptance_is_rounding(ga_acceptance *a, const ga_iterate *at, bool *accepted,
                                    bool *evaluated);
/* a->level of each row, to compare residuals of different iterates: newton_tol of the forces of
 * the subsystem, and rounding. In a team collective. */
void ga_acceptance_levels(ga_acceptance *a, const ga_iterate *at);

#endif

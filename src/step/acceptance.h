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
  double tol;    /* strict or loose */
  double strict; /* newton_tol; and where nothing is stiff: */
  double loose;
  double noise; /* relative rounding error of G and H: eps, or that of a difference quotient */
  ga_subsystems sub;
  /* of each subsystem, in the metric W: */
  double *largest, *least; /* X, the largest sqrt(w) |x|, and the least X */
  double *change, *before; /* the largest sqrt(w) |dx|: of this increment, of the one taken last */
  double *force;           /* F, the largest |terms| / sqrt(w) */
  double *by_force;        /* 8 eps F/m: the acceleration that rounding of forces explains, */
  double *floor;           /* and that all roundings explain */
  double *most_q,
      *most_v; /* the largest sqrt(w) Q and sqrt(w) V; V of models with row_reach only */
  /* of each velocity: */
  double *size_q, *size_v;                  /* Q, V: sizes of the summands of q_1 and v_1 */
  double *inertia;                          /* m M_ii, summed over the processes of a team */
  double *by_x;                             /* (tol + 8 eps) X / sqrt(w): what may be wrong */
  double *shift_q, *shift_v;                /* roundings of q_1 and v_1; work */
  double *per_root, *per_metric;            /* 1 / sqrt(w), 1 / w */
  int *diagonal;                            /* slot of M_ii, -1: none */
  int *slot_K[GA_MAX_X], *slot_C[GA_MAX_X]; /* the same of Kt_ii, Ct_ii */
  double *level, *measured;                 /* of each row: residual allowed, rounding measured */
  double *verified, *probed; /* of each row: rounding told and verified, and by what change */
  bool told;                 /* measured has what the tangents tell about roundings */
  double *r_up, *r_down, *reaction, *probe_terms; /* work */
} ga_acceptance;

/* Allocate the arrays and find the subsystems. All functions are collective in a team. */
ga_status ga_acceptance_init(ga_acceptance *a, ga_equations *eq, double tol, ga_arena *arena);
/* Find what tells stiff forces in these factors, which are set up. */
ga_status ga_acceptance_find_diagonals(ga_acceptance *a, const ga_factors *factors,
                                       ga_arena *arena);
/* Set both tolerances, before a start: `loose` is that of steps in which no force is stiff. */
void ga_acceptance_set_tolerances(ga_acceptance *a, double tol, double loose);
/* stiff_forces.c: set tol for these factors. Collective. */
void ga_acceptance_choose_tolerance(ga_acceptance *a, const ga_factors *factors);
/* The iteration begins at a guess, with the factors of an earlier step or without any. */
ga_status ga_acceptance_begin(ga_acceptance *a, const ga_factors *factors, const ga_iterate *at);
/* New factors were made: tangents, and the masses of the model's own solver, are those of them. */
void ga_acceptance_renew(ga_acceptance *a, const ga_factors *factors);
/* Are all residuals of the next iterate small? This needs no solve. */
bool ga_acceptance_is_small(ga_acceptance *a, const ga_iterate *at);
/* b[row] = 0 for constraint rows whose residual is within rounding. b is a copy of -r. */
void ga_acceptance_skip_closed(const ga_acceptance *a, const double *r, double *b);
/* The size of the increment dx = -A^-1 r relative to what is allowed; *contraction: relative to the
 * increment taken last. An iterate is accepted if the former is <= 1, and if it is balanced. */
double ga_acceptance_error(ga_acceptance *a, const double *dx, double *contraction);
bool ga_acceptance_is_balanced(ga_acceptance *a, const ga_iterate *at);
/* The increment measured last is taken. Was it so large that A is another at the next iterate? */
void ga_acceptance_take(ga_acceptance *a);
bool ga_acceptance_has_moved(const ga_acceptance *a);
/* Is the increment measured last within what rounding can explain? If so, and the factors are
 * fresh: is what is left rounding? *evaluated: the equations were evaluated elsewhere than at x. */
bool ga_acceptance_may_be_rounding(ga_acceptance *a, const ga_iterate *at);
ga_status ga_acceptance_is_rounding(ga_acceptance *a, ga_factors *factors, const ga_iterate *at,
                                    bool *accepted, bool *evaluated);
/* Is the increment measured last no more than what one rounding of q_1 and v_1 makes, so that
 * another iteration would not make it smaller, and may the rows be explained so? May cost a solve. */
ga_status ga_acceptance_is_settled(ga_acceptance *a, ga_factors *factors, const ga_iterate *at,
                                   bool *settled);
/* a->level of each row, to compare residuals of different iterates. */
void ga_acceptance_levels(ga_acceptance *a, const ga_iterate *at);

#endif

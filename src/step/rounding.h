/* SPDX-License-Identifier: MIT */
/* What roundings of q_1 and v_1 do to the force rows of a step. */
#ifndef GA_SRC_ROUNDING_H
#define GA_SRC_ROUNDING_H

#include "step/acceptance.h"

/* Rounding errors in a sum: about one per summand; a row of a mechanism has some ten summands. */
#define GA_ROUND (8 * DBL_EPSILON)

/* Factors of K and C of dynamic row j: of the derivatives by q_1 and v_1. */
void ga_rounding_row_factors(const ga_equations *eq, int j, double *by_q, double *by_v);
/* r (n numbers) <- K dq + C dv in the force rows of this process, for one rounding of every q_1 and
 * v_1; zero in the other rows. */
void ga_rounding_force(const ga_acceptance *a, const ga_factors *f, double *r);
/* rows (n numbers) <- 8 eps (|K| Q + |C| V) in the force rows, zero in the others. In a team
 * collective, as all that follow. */
ga_status ga_rounding_told(const ga_acceptance *a, const ga_factors *f, double *rows);
/* Probes of the rounding: a change that is small by chance in one of them is not in the other. */
enum { GA_PROBES = 2 };
/* a->verified <- a->measured, of ga_rounding_told, made smaller where the tangents say more than is
 * true; by probe 0, then by the others where they tell more. The equations are evaluated elsewhere
 * than at x. */
ga_status ga_rounding_verify(ga_acceptance *a, const ga_factors *f, const ga_iterate *at,
                             unsigned probe);
/* rows <- the change of all rows that is measured when q_1 and v_1 are moved by up to 8 roundings. */
ga_status ga_rounding_measure(ga_acceptance *a, const ga_iterate *at, double *rows);

#endif

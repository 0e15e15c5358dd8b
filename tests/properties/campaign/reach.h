/* SPDX-License-Identifier: MIT */
/* Why a step is above the first bound of checker.h: could another double v' have met it?
 *
 * A step has q_1 = c + h^2 p v' and v_1 = d + h s v', where c and d follow from the state before.
 * In exact arithmetic r(v') has a root x*, and to first order r = A (v' - x*) with
 * A = M + h^2 p Kt + h s Ct. All v' within the bound b of every row lie within
 *     |v'_j - x*_j| <= e_j = sum_i |A^-1|_ji b_i.
 * If, for some j, no double is as near to x*_j as that, no v' in double meets the bound, even if
 * q_1 and v_1 are summed exactly and rounded once. This is decided for coordinates without
 * rotations and constraints, and where v' is the unknown.
 *
 * It says nothing about programs that keep more of v' than a double, or take q_1 for the unknown.
 * Therefore the solution itself is judged, too: q_1, v_1 and v' of x*, each rounded once. q_1 then
 * differs from its sum by less than a rounding of its largest summand. */
#ifndef GA_CAMPAIGN_REACH_H
#define GA_CAMPAIGN_REACH_H

#include "checker.h"

typedef enum hard_reach {
  REACH_UNDERFLOW, /* what is out of balance underflows in products of double */
  REACH_CALLBACK,  /* balanced to the bound with M and F as the callbacks round them */
  REACH_NONE,      /* no v' in double meets the bound */
  REACH_SOME,      /* the rule above does not exclude that some v' does */
  REACH_UNKNOWN,   /* the rule does not apply */
  REACH_COUNT
} hard_reach;

/* Of a step above the first bound; `before` is the accepted state before it. solution: whether the
 * solution, each number rounded once, meets the bound; false where the rule does not apply. */
hard_reach hard_reach_of(const hard_model *m, const hard_state *s, const hard_state *before,
                         bool *solution);

#endif

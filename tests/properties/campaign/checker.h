/* SPDX-License-Identifier: MIT */
/* Judges accepted steps in long double, without using the library.
 *
 * The promise is forward, in each coupled subsystem: from the accepted step the root of the step's
 * equations next to it is found (step_root.h), and for v'_1, q_1, v_1 and the constraint forces
 * G^T lam + H^T psi, each with its largest component in the subsystem,
 *     |accepted - root| <= 1e-8 S + R.
 * S is the scale of the subsystem: the largest |v'_1|; the largest summand of q_1 (1 for angles of a
 * rotation) and of v_1; the largest of |M v'|, |F|, |G^T lam + H^T psi|. R is what no program in
 * double can avoid, measured: the change of the root
 *     when q_1 and v_1 are moved by 8 roundings of their summands, each component with the sign that
 *     changes most, and
 *     when the callbacks' results are: by 8 roundings of their summands, by the noise and the jumps
 *     that the forces have on purpose; where G is left to difference quotients, by their error.
 * Where no root is found next to the step (a force that jumps has none), the first-order change
 * A^-1 r at the accepted step takes the place of accepted - root, without what jumps explain.
 * A step of stab2 or soi2 that turns a body in a joint by half a turn or more is not judged, as q_0
 * and q_1 do not tell the way between them; nor is any step of a hundred radians. */
#ifndef GA_CAMPAIGN_CHECKER_H
#define GA_CAMPAIGN_CHECKER_H

#include "step_root.h"

typedef enum hard_fault {
  FAULT_NONE,
  FAULT_ACCELERATION, /* forward-wrong in v'_1, */
  FAULT_POSITION,     /* q_1, */
  FAULT_VELOCITY,     /* v_1, */
  FAULT_FORCE,        /* G^T lam + H^T psi */
  FAULT_RECURSION,    /* v_1, a_1 or q_1 do not follow from the state before */
  FAULT_NOT_FINITE,   /* NaN or infinity */
  FAULT_ENERGY,       /* the energy of a model that cannot gain any has grown beyond its limit */
  FAULT_COUNT
} hard_fault;

const char *hard_fault_name(hard_fault fault);

/* One judgement: what is wrong with a step and where. */
typedef struct hard_verdict {
  hard_fault fault;
  int row;         /* the velocity of the largest error */
  double error;    /* the largest error, */
  double relative; /* relative to the scale of its subsystem, */
  double ratio;    /* relative to the bound */
  bool rounded;    /* above 1e-8 S somewhere, within 1e-8 S + R */
  bool no_root;    /* judged to first order */
  bool skipped;    /* not judged */
} hard_verdict;

/* The step from `before` to `now`. a_0: the memory that it began with, of soi2 only. */
hard_verdict hard_check(const hard_model *m, const hard_state *now, const hard_state *before,
                        const hard_memory *a_0);

/* Returns the verdict `so_far`, or one that says that v_1, a_1 and q_1 of the step do not follow from the
 * state before and a_0 by
 *     v_1 = v_0 + h ((1 - gamma) a_0 + gamma a_1)
 *     (1 - alpha_m) a_1 + alpha_m a_0 = (1 - alpha_f) v'_1 + alpha_f v'_0         (not soi2)
 *     q_1 = q_0 o exp(h v_0 + h^2 ((1/2 - beta) a_0 + beta a_1) - h G_0^T eta)    (stab2, any eta;
 * index3 and models without holonomic rows: eta = 0; soi2: not asked, as it has a~ for a_1). */
hard_verdict hard_check_recursion(const hard_model *m, const hard_state *now,
                                  const hard_state *before, const hard_memory *a_0,
                                  hard_verdict so_far);

#endif

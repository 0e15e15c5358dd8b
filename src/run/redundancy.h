/* SPDX-License-Identifier: MIT */
/* Constraints that follow from others, and positions where that happens on the way (redundancy.c).
 */
#ifndef GA_SRC_REDUNDANCY_H
#define GA_SRC_REDUNDANCY_H

#include "linsol/rank/rank.h"

typedef struct ga_redundancy {
  bool on;             /* the options allow them */
  int rank;            /* decided at a start, never on the way */
  double reference[2]; /* the least growth since the rows were chosen, by one solve and by two;
                          0: none was measured so far */
  long calm;           /* number of new factors for which growth need not be measured */
  bool aged;           /* the rows are to be chosen anew after the step under way */
  bool patient;        /* a position near a singular one is accepted */
  bool singular;       /* the start is one */
  double *mass;        /* nv */
  double *b;           /* unknowns of a step: work */
  double *q, *v;       /* a place to look at */
  ga_rank found;       /* the dependent rows at the start, in their order, for messages */
  ga_rank chosen;      /* the rows left out, from the start to its first guess */
  double t_found;      /* time and place of `found` */
  double *q_found;
  ga_rank_way way; /* as the linear solver: dense, sparse, or by size */
} ga_redundancy;

struct ga_integrator;

void ga_redundancy_init(struct ga_integrator *it);
void ga_redundancy_close(struct ga_integrator *it);

/* What the accepted state shows, for the names alone; after a state was loaded. */
ga_status ga_redundancy_find_names(struct ga_integrator *it);

/* The steps get places for rows that are left out, if they have none so far. */
ga_status ga_redundancy_make_slots(struct ga_integrator *it);

/* The rank at a start and the rows kept, from it->q and it->v, which satisfy the constraints. */
ga_status ga_redundancy_start(struct ga_integrator *it, double t);

/* v', lam, psi there, into it->vd, it->lam, it->psi. */
ga_status ga_redundancy_acceleration(struct ga_integrator *it, double t);

/* The guess of the first step. */
void ga_redundancy_guess(struct ga_integrator *it);

/* A step begins. */
void ga_redundancy_begin(struct ga_integrator *it);
/* A step is solved and not yet accepted: dropped rows that open are contradictions, an error. A
 * position so near to a singular one that its multipliers mean nothing: GA_RETRY_SINGULAR. */
ga_status ga_redundancy_check(struct ga_integrator *it);
/* It is accepted: report the least multipliers, choose rows anew if they have aged. */
ga_status ga_redundancy_accept(struct ga_integrator *it);

#endif

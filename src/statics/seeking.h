/* SPDX-License-Identifier: MIT */
/* What the search of an equilibrium keeps, and the balance of forces at a configuration. */
#ifndef GA_SRC_SEEKING_H
#define GA_SRC_SEEKING_H

#include "statics/fixed_contacts.h"
#include "statics/statics.h"

typedef struct ga_seeking {
  ga_static_system s;
  ga_equilibrium *e;
  /* time; pseudo-time step (see equilibrium.c), its bounds at first and now */
  double t, tau, tau_first, tau_most;
  double stiff; /* largest K_ii/W_i: the inverse of a tau at which K and W/tau are alike */
  /* configuration, trial, the best one, zero velocities, rows, forces, unbalanced forces and those
   * of the trial, multipliers, step, units */
  double *q, *q_try, *q_best, *v0, *g, *F, *rest, *rest_try, *lam, *psi, *w, *unit;
  double norm;   /* size of the unbalanced forces, in the norm of W^-1 */
  double acting; /* size of the acting forces, in the same norm */
  ga_fixed_contacts contacts;
  double *gap, *gap_try; /* nlam: rows of contacts at q and q_try */
  double *reach;         /* n: change of the gaps by one unit */
  double *given;         /* right-hand side of contact forces */
} ga_seeking;

/* Opens p->s, sets its W and allocates the arrays of p. */
ga_status ga_seeking_open(ga_seeking *p, const ga_model *model, double t, const double *q,
                          ga_equilibrium *e, ga_arena *arena, ga_error *err);
/* the largest |w_i| in units, states of controllers left out */
double ga_seeking_largest(const ga_seeking *p, const double *w);
/* sqrt(f^T W^-1 f) */
double ga_seeking_norm(const ga_seeking *p, const double *f);
/* GA_ERR_INITIAL if a nonholonomic row asks for a motion */
ga_status ga_seeking_check_rest(ga_seeking *p);
/* forces, rows and multipliers at q, and the unbalanced forces */
ga_status ga_seeking_balance(ga_seeking *p, const double *q, double *rest);
/* norm, acting, and the results worst and unbalanced of p->e */
void ga_seeking_measure(ga_seeking *p);
/* multipliers and unbalanced forces again */
ga_status ga_seeking_balance_rest(ga_seeking *p);
/* GA_ERR_INITIAL: no equilibrium was found; names what is left */
ga_status ga_seeking_not_found(const ga_seeking *p, double balanced);
/* K and C at p->q */
ga_status ga_seeking_tangents(ga_seeking *p);

#endif

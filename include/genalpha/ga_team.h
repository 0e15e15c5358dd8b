/* SPDX-License-Identifier: MIT */
/* A team: several processes integrate one model. Every process runs the same integrator over its
 * own subdomain of the model.
 *
 * The whole system M v' = F - G^T lam - H^T psi, g = 0, k = 0 is a sum over elements. A process has
 * some of the elements and all bodies that they touch, as a model of its own. Its q, v and v' are
 * those of the whole system. Its M, F, G^T lam and H^T psi are contributions to the force balances.
 * Its constraints belong to it alone. A body that several processes have is *shared*; its q and v
 * have the same bits there, because all processes compute them from the same numbers. Three
 * operations make one system of the subdomains. They are collective: all processes call them, in
 * the same order.
 *
 *   sum_shared   adds the contributions to the force balances of shared velocities,
 *   reduce       gives all processes the same number, so that they make the same decisions,
 *   the linear solve, by ga_team.linsol, whose layout numbers the rows of the whole matrix.
 *
 * A team belongs to one integrator at a time. Without a team (ga_options.team == NULL) no function
 * of this header is called. */
#ifndef GA_TEAM_H
#define GA_TEAM_H

#include <genalpha/ga_base.h>
#include <genalpha/ga_linsol.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ga_team ga_team;

typedef enum ga_team_op { GA_TEAM_MAX, GA_TEAM_MIN, GA_TEAM_SUM } ga_team_op;

typedef struct ga_team_ops {
  /* x has count vectors of nv numbers, one after the other. For every shared velocity, x becomes
   * the sum over the processes that share it, in the order of the processes, with the same bits on
   * all of them. */
  ga_status (*sum_shared)(ga_team *team, int count, double *x);
  /* x[i] <- max, min or sum (in the order of the processes) of x[i] over all processes. A NaN on
   * one process gives NaN on all. */
  ga_status (*reduce)(ga_team *team, ga_team_op op, int n, double *x);
} ga_team_ops;

struct ga_team {
  const ga_team_ops *ops;
  void *context;          /* belongs to the ops */
  int process, processes; /* which one this is, from 0 on, and how many there are */
  /* the velocities of this process's model, in its order */
  int nv;
  long nv_all;          /* velocities of the whole system */
  const long *velocity; /* number in the whole system, below nv_all */
  const bool *owned;    /* exactly one of the processes that share a velocity owns it */
  /* Solves A x = b for A = sum over the processes p of P_p^T A_p P_p; ga_linsol_layout.numbering
   * has the numbers of the rows. NULL is allowed for one process, which then works as without a
   * team. */
  const ga_linsol_ops *linsol;
  void *linsol_context;
};

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/* One model shared out over the ranks of a team: every rank runs the same integrator over its part.
 *
 * The whole system M v' = F - G^T lam - H^T psi, g = 0, k = 0 is a sum over elements. A rank has
 * some of the elements and all bodies that they touch, as a model of its own: its q, v and v' are
 * those of the whole system; its M, F, G^T lam, H^T psi are contributions to the force balances;
 * its constraints are its own alone. A body on several ranks is *shared*; its numbers are the same
 * there, bit by bit, because all ranks compute them from the same numbers. Three operations make
 * one system of the parts; all ranks call them in the same order, or none does:
 *
 *   sum_shared   adds the contributions to the force balances of shared velocities,
 *   reduce       agrees on a number, so that all ranks take the same decisions,
 *   the linear solve, by ga_team.linsol, whose layout has the numbering of the whole matrix.
 *
 * A team belongs to one integrator at a time. Without a team (ga_options.team == NULL) nothing of
 * this is called. */
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
  /* x, nv numbers for each of count vectors one after the other: of every shared velocity the sum
   * over the ranks that share it, in the order of the ranks, the same bits everywhere. */
  ga_status (*sum_shared)(ga_team *team, int count, double *x);
  /* x[i] <- max, min or sum (in the order of the ranks) of x[i] over all ranks. A NaN anywhere
   * gives a NaN everywhere. */
  ga_status (*reduce)(ga_team *team, ga_team_op op, int n, double *x);
} ga_team_ops;

struct ga_team {
  const ga_team_ops *ops;
  void *context; /* belongs to the ops */
  int process, processes;
  /* the velocities of this rank's model, in its order */
  int nv;
  long nv_all;          /* velocities of the whole system */
  const long *velocity; /* number in the whole system, below nv_all */
  const bool *owned;    /* each velocity is owned by just one of the ranks that share it */
  /* Solves A x = b for A = sum over ranks of P_r^T A_r P_r; ga_linsol_layout.numbering has the
   * numbering. A team of one may do without (NULL): its integrator is that of no team. */
  const ga_linsol_ops *linsol;
  void *linsol_context;
};

#ifdef __cplusplus
}
#endif
#endif

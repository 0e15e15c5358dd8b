/* SPDX-License-Identifier: MIT */
/* The kernel's side of a team (ga_team.h). All functions are collective: every process calls them
 * in the same order. Without a team (NULL) they return their argument at once; but
 * ga_team_reduce_one and ga_team_agree_on need one. */
#ifndef GA_SRC_TEAM_H
#define GA_SRC_TEAM_H

#include "base/base.h"
#include "genalpha/ga_team.h"

/* The inline functions below call these if there is a team. */
double ga_team_reduce_one(ga_team *team, ga_team_op op, double x);
ga_status ga_team_agree_on(ga_team *team, ga_status status, bool knows, ga_error *err);

/* The largest x of all processes. NaN if one x is NaN or the communication failed. */
static inline double ga_team_max(ga_team *team, double x) {
  return team ? ga_team_reduce_one(team, GA_TEAM_MAX, x) : x;
}
/* The sum of x over all processes; NaN if one x is NaN or the communication failed. */
static inline double ga_team_sum(ga_team *team, double x) {
  return team ? ga_team_reduce_one(team, GA_TEAM_SUM, x) : x;
}
/* Collective: is x true on any process? */
static inline bool ga_team_any(ga_team *team, bool x) {
  return team ? ga_team_reduce_one(team, GA_TEAM_MAX, x) != 0 : x;
}
/* Replaces each of n numbers by its largest value over all processes (collective). */
static inline ga_status ga_team_max_all(ga_team *team, int n, double *x) {
  return team ? team->ops->reduce(team, GA_TEAM_MAX, n, x) : GA_OK;
}
/* x: count vectors of nv numbers, contributions to force balances. Entries of velocities that
 * several processes share become sums over these processes (collective). */
static inline ga_status ga_team_sum_shared(ga_team *team, int count, double *x) {
  return team ? team->ops->sum_shared(team, count, x) : GA_OK;
}

/* One status for all processes: errors come before statuses that a smaller step may cure, a lower
 * process before a higher one. The process whose status is taken keeps its message, the others get
 * "process 3 failed: ..". Every status that one process alone may find passes through here before
 * the next collective call. */
static inline ga_status ga_team_agree(ga_team *team, ga_status status, ga_error *err) {
  return team ? ga_team_agree_on(team, status, true, err) : status;
}
/* The same if all processes may fail together: one that knows the reason comes before the others.
 */
static inline ga_status ga_team_tell(ga_team *team, ga_status status, bool knows, ga_error *err) {
  return team ? ga_team_agree_on(team, status, knows, err) : status;
}

/* Do all processes have the same n <= GA_TEAM_SAME numbers? */
enum { GA_TEAM_SAME = 16 };
bool ga_team_same(ga_team *team, int n, const double *x);

#endif

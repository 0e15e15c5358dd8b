/* SPDX-License-Identifier: MIT */
/* The kernel's side of a team (ga_team.h). All functions are collective: every rank calls them in
 * the same order. Without a team (NULL) they return at once what they were given. */
#ifndef GA_SRC_TEAM_H
#define GA_SRC_TEAM_H

#include "base/base.h"
#include "genalpha/ga_team.h"

/* what the inline functions do where there is a team */
double ga_team_reduced(ga_team *team, ga_team_op op, double x);
ga_status ga_team_settled(ga_team *team, ga_status status, bool knows, ga_error *err);

/* The largest x of all ranks; the sum. NaN if one is NaN, or if the ranks are out of touch. */
static inline double ga_team_max(ga_team *team, double x) {
  return team ? ga_team_reduced(team, GA_TEAM_MAX, x) : x;
}
static inline double ga_team_sum(ga_team *team, double x) {
  return team ? ga_team_reduced(team, GA_TEAM_SUM, x) : x;
}
/* Is it so on some rank? */
static inline bool ga_team_any(ga_team *team, bool x) {
  return team ? ga_team_reduced(team, GA_TEAM_MAX, x) != 0 : x;
}
/* n numbers at once: the largest of each. */
static inline ga_status ga_team_max_all(ga_team *team, int n, double *x) {
  return team ? team->ops->reduce(team, GA_TEAM_MAX, n, x) : GA_OK;
}
/* Force balances, count vectors of nv numbers: those of shared velocities summed over the ranks. */
static inline ga_status ga_team_sum_shared(ga_team *team, int count, double *x) {
  return team ? team->ops->sum_shared(team, count, x) : GA_OK;
}

/* One status for all: an error of a rank before a status that a smaller step may cure, the lowest
 * rank first. The rank it comes from keeps its message, the others get "rank r failed: ..". Every
 * status that one rank alone may find passes through here before the next collective call. */
static inline ga_status ga_team_agree(ga_team *team, ga_status status, ga_error *err) {
  return team ? ga_team_settled(team, status, true, err) : status;
}
/* The same where all ranks fail and the message of those that know more is to be preferred. */
static inline ga_status ga_team_tell(ga_team *team, ga_status status, bool knows, ga_error *err) {
  return team ? ga_team_settled(team, status, knows, err) : status;
}

/* Do all ranks have these n <= GA_TEAM_SAME numbers in common? */
enum { GA_TEAM_SAME = 16 };
bool ga_team_same(ga_team *team, int n, const double *x);

#endif

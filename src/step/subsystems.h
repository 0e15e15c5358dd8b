/* SPDX-License-Identifier: MIT */
/* Coupled subsystems: velocities that the patterns of M, K, C, G or H connect. */
#ifndef GA_SRC_SUBSYSTEMS_H
#define GA_SRC_SUBSYSTEMS_H

#include "model/evaluation.h"

typedef struct ga_subsystems {
  int count; /* subsystems of this process */
  int *of;   /* nv: number of the subsystem of each velocity, 0 .. count - 1 */
  /* In a team the first `joint` numbers are those of subsystems that reach over several processes;
   * all processes have the same joint subsystems, in the same order, even without a velocity of
   * theirs. 0 without a team. */
  int joint;
} ga_subsystems;

/* Find the subsystems of the model; arrays from arena. In a team collective. */
ga_status ga_subsystems_init(ga_subsystems *s, ga_eval *eval, ga_arena *arena);

/* number[i] of each joint subsystem <- its largest value over all processes. In a team
 * collective. */
static inline ga_status ga_subsystems_max(const ga_subsystems *s, ga_team *team, double *number) {
  return s->joint > 0 ? ga_team_max_all(team, s->joint, number) : GA_OK;
}

#endif

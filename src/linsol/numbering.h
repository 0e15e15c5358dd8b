/* SPDX-License-Identifier: MIT */
/* Private: the numbering of a matrix that is shared out over a team (ga_linsol_share). */
#ifndef GA_SRC_SHARE_H
#define GA_SRC_SHARE_H

#include "base/team.h"

/* A block of rows, and of as many columns in the same places: velocities of the team, or rows that
 * this rank alone has. */
typedef struct ga_share_block {
  int at, size;
  bool velocities;
} ga_share_block;

enum { GA_SHARE_BLOCKS = 16 };

/* Numbers for n rows made of count <= GA_SHARE_BLOCKS blocks, block after block; in a block of
 * velocities as the team has them, in others rank after rank. Collective. */
ga_status ga_share_init(ga_linsol_share *share, ga_team *team, int n, int count,
                        const ga_share_block *block, ga_arena *arena, ga_error *err);

#endif

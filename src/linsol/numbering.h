/* SPDX-License-Identifier: MIT */
/* Private: the numbering of a matrix that is shared out over a team (ga_linsol_numbering). */
#ifndef GA_SRC_NUMBERING_H
#define GA_SRC_NUMBERING_H

#include "base/team.h"

/* A block of rows, and of as many columns in the same places: velocities of the team, or rows that
 * this rank alone has. */
typedef struct ga_numbering_block {
  int at, size;
  bool velocities;
} ga_numbering_block;

enum { GA_NUMBERING_BLOCKS = 16 };

/* Numbers for n rows made of count <= GA_NUMBERING_BLOCKS blocks, block after block; in a block of
 * velocities as the team has them, in others rank after rank. Collective. */
ga_status ga_numbering_init(ga_linsol_numbering *share, ga_team *team, int n, int count,
                            const ga_numbering_block *block, ga_arena *arena, ga_error *err);

#endif

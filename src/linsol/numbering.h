/* SPDX-License-Identifier: MIT */
/* Private: numbers the rows of a matrix that is a sum over the processes of a team
 * (ga_linsol_numbering). */
#ifndef GA_SRC_NUMBERING_H
#define GA_SRC_NUMBERING_H

#include "base/team.h"

/* A block of rows and of the columns with the same numbers: velocities of the team, or rows that
 * this process alone has. */
typedef struct ga_numbering_block {
  int at, size;
  bool velocities;
} ga_numbering_block;

enum { GA_NUMBERING_BLOCKS = 16 };

/* Numbers for n rows, which are count <= GA_NUMBERING_BLOCKS blocks. Block follows block. A block
 * of velocities has the team's numbers of velocities; in another block process follows process.
 * Collective. */
ga_status ga_numbering_init(ga_linsol_numbering *numbering, ga_team *team, int n, int count,
                            const ga_numbering_block *block, ga_arena *arena, ga_error *err);

#endif

/* SPDX-License-Identifier: MIT */
/* Numbers for the rows of a team's matrix, the same on all processes. */
#include "linsol/numbering.h"

/* sizes[b * processes + p] = number of rows of block b on process p, on all processes; sizes must
 * be zero before. Collective. */
static ga_status gather_sizes(ga_team *team, int count, const ga_numbering_block *block,
                              double *sizes) {
  for (int b = 0; b < count; b++) sizes[b * team->processes + team->process] = block[b].size;
  return team->ops->reduce(team, GA_TEAM_SUM, count * team->processes, sizes);
}

/* Number a block of rows that no other process has: those of process 0 get the numbers from base
 * on, then those of process 1, .. Sets number and owned of these rows; sizes: rows of this block on
 * each process. Returns the first number that is free. */
static long number_own_rows(const ga_team *team, const ga_numbering_block *block,
                            const double *sizes, long base, long *number, bool *owned) {
  long first = base;
  for (int p = 0; p < team->process; p++) first += (long)sizes[p];
  for (int i = 0; i < block->size; i++) {
    number[block->at + i] = first + i;
    owned[block->at + i] = true;
  }
  for (int p = 0; p < team->processes; p++) base += (long)sizes[p];
  return base;
}

/* A block of velocities gets the team's global numbers, from base on. Sets number and owned of
 * these rows. Returns the first number that is free. */
static long number_velocities(const ga_team *team, const ga_numbering_block *block, long base,
                              long *number, bool *owned) {
  for (int i = 0; i < block->size; i++) {
    number[block->at + i] = base + team->velocity[i];
    owned[block->at + i] = team->owned[i];
  }
  return base + team->nv_all;
}

/* Set *numbering: number of all rows of the team's matrix, global number and owner of each of the n
 * local rows, which `count` blocks cover. Arrays live in arena; on failure a message in err.
 * Collective: all processes call it. */
ga_status ga_numbering_init(ga_linsol_numbering *numbering, ga_team *team, int n, int count,
                            const ga_numbering_block *block, ga_arena *arena, ga_error *err) {
  ga_arena scratch = {0};
  double *sizes = ga_arena_doubles(&scratch, (size_t)(count * team->processes));
  long *number = ga_arena_take(arena, (size_t)n, sizeof *number);
  bool *owned = ga_arena_take(arena, (size_t)n, sizeof *owned);
  ga_status status = GA_OK;
  if (scratch.failed || arena->failed) {
    status = ga_fail(err, GA_ERR_MEM, "no memory for the numbers of %d rows", n);
  }
  status = ga_team_agree(team, status, err);
  if (status == GA_OK) status = gather_sizes(team, count, block, sizes);
  long base = 0;
  for (int b = 0; b < count && status == GA_OK; b++) {
    const double *of_block = sizes + b * team->processes;
    base = block[b].velocities ? number_velocities(team, &block[b], base, number, owned)
                               : number_own_rows(team, &block[b], of_block, base, number, owned);
  }
  ga_arena_free(&scratch);
  *numbering = (ga_linsol_numbering){.n = base, .number = number, .owned = owned};
  return status;
}

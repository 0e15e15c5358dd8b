/* SPDX-License-Identifier: MIT */
/* The memory of a method: allocation and copies. */
#include <string.h>

#include "step/memory.h"

/* Allocate the arrays of *mem from arena; the caller checks arena->failed. */
void ga_memory_carve(ga_memory *mem, const ga_eval *e, ga_arena *arena) {
#define CARVE(name, size) mem->name = ga_arena_doubles(arena, (size_t)e->size);
  GA_MEMORY_LIST(CARVE)
#undef CARVE
}

/* Copy all members except the arrays. */
void ga_memory_copy_numbers(ga_memory *to, const ga_memory *from) {
  to->t = from->t;
  to->h = from->h;
  to->first = from->first;
  to->delta = from->delta;
  to->growth = from->growth;
}

/* Copy all members and the contents of all arrays, which must be allocated for the model of e. */
void ga_memory_copy(ga_memory *to, const ga_memory *from, const ga_eval *e) {
  ga_memory_copy_numbers(to, from);
#define COPY(name, size) memcpy(to->name, from->name, (size_t)e->size * sizeof(double));
  GA_MEMORY_LIST(COPY)
#undef COPY
}

/* SPDX-License-Identifier: MIT */
/* Common to the files that find patterns and slots: layout.c, tangent_slots.c. */
#ifndef GA_SRC_LAYOUT_H
#define GA_SRC_LAYOUT_H

#include "mechanism/mechanism.h"
#include "mechanism/signal/signal.h"

/* A space that is being built, its first error, and the dimensions of R^n not yet added to it. */
typedef struct ga_space_builder {
  ga_space *space;
  int waiting;
  ga_status status;
} ga_space_builder;
/* Append n copies of a group; neighbouring R^n become one, the last of them when they are flushed. */
void ga_layout_add_factor(ga_space_builder *s, const ga_group *group, int n);
void ga_layout_flush_rn(ga_space_builder *s);

/* *A <- empty pattern; the caller sets A->ptr[i + 1] to the length of row i, calls
 * ga_layout_finish_csr, which turns these into offsets and allocates A->col. False: no memory. */
bool ga_layout_start_csr(ga_csr *A, int nrow, int ncol, ga_arena *arena);
bool ga_layout_finish_csr(ga_csr *A, ga_arena *arena);
/* the nonzeros of an element by its type */
ga_structure ga_structure_of(const ga_mechanism *m, const ga_element *el);
/* number of bits that are 1 */
static inline int ga_count_bits(unsigned mask) {
  int n = 0;
  for (; mask; mask &= mask - 1) n++;
  return n;
}
/* Set the pattern m->M and the slots of bodies, coordinates and elements in it. */
ga_status ga_layout_masses(ga_mechanism *m, ga_arena *scratch);
/* Set the pattern m->K and the slots of all elements and bodies in it; needs m->nv, el->row. */
ga_status ga_layout_tangents(ga_mechanism *m, ga_arena *scratch);

/* Patterns G, H, K and all slots of a copy of a mechanism with other contacts (contact/crowd.c). */
ga_status ga_layout_selected(ga_mechanism *m);

#endif

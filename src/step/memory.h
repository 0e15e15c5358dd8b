/* SPDX-License-Identifier: MIT */
/* Everything of the accepted state that influences later steps. */
#ifndef GA_SRC_MEMORY_H
#define GA_SRC_MEMORY_H

#include "base/base.h"
#include "model/evaluation.h"

/* One list of arrays and their sizes serves to take memory, to copy and to save.
 *   w              the second memory of a step: v', or the applied part of it
 *   a_used         a_n as the last step used it, after correction
 *   momentum       of weighted rows: M_{1+alpha} a_{1+alpha} of the last step
 *   momentum_used  of weighted rows: the M_alpha a_alpha that the last step used */
#define GA_MEMORY_LIST(X) \
  X(q, nq)                \
  X(v, nv)                \
  X(vd, nv)               \
  X(a, nv) X(lam, nlam) X(psi, npsi) X(w, nv) X(a_used, nv) X(momentum, nv) X(momentum_used, nv)
#define GA_MEMORY_FIELD(name, size) double *name;
typedef struct ga_memory {
  double t;
  double h; /* the step size that a (and the residual of the hidden constraint) belong to */
  GA_MEMORY_LIST(GA_MEMORY_FIELD)
  bool first;    /* no step yet since a start: a_used and the momenta are empty */
  double growth; /* of h in the last steps, see history.c */
  double delta;  /* a_n = v'(t_n + delta) + O(h^2), followed when gamma is to be adapted */
} ga_memory;
#undef GA_MEMORY_FIELD

void ga_memory_carve(ga_memory *mem, const ga_eval *e, ga_arena *arena);
void ga_memory_copy(ga_memory *to, const ga_memory *from, const ga_eval *e);
/* Copy all members but the arrays. */
void ga_memory_copy_numbers(ga_memory *to, const ga_memory *from);

/* What a step begins with besides q_n: v, a, w, momentum of the memory, or copies corrected for the
 * step's h. They stay as they are until the step ends. momentum: NULL if M_alpha is to be
 * evaluated. */
typedef struct ga_past {
  const double *v, *a, *w, *momentum;
} ga_past;

#endif

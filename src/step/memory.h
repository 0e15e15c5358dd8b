/* SPDX-License-Identifier: MIT */
/* The accepted state and the memory of the method: everything that influences later steps. */
#ifndef GA_SRC_MEMORY_H
#define GA_SRC_MEMORY_H

#include "base/base.h"
#include "model/evaluation.h"

/* The arrays and their sizes. This one list is used to allocate, to copy and to save.
 *   q, v, vd, lam, psi  the state at t; vd is v'
 *   a              acceleration-like variable of the method
 *   w              second variable of the method: v', or M^-1 F for methods with separate reactions
 *   a_used         a_n that the last step used, after correction for its h
 *   momentum       weighted rows: M_{1+alpha} a_{1+alpha} of the last step
 *   momentum_used  weighted rows: M_alpha a_alpha that the last step used */
#define GA_MEMORY_LIST(X) \
  X(q, nq)                \
  X(v, nv)                \
  X(vd, nv)               \
  X(a, nv) X(lam, nlam) X(psi, npsi) X(w, nv) X(a_used, nv) X(momentum, nv) X(momentum_used, nv)
#define GA_MEMORY_FIELD(name, size) double *name;
typedef struct ga_memory {
  double t;
  double h; /* step size for which a, and the residual of the hidden constraint, are valid */
  GA_MEMORY_LIST(GA_MEMORY_FIELD)
  bool first;    /* no step since a start: a_used and both momenta are not set */
  double growth; /* growth of h over the last steps, see memory_change.c */
  double delta;  /* a_n = v'(t_n + delta) + O(h^2); used with the option rescale = gamma */
} ga_memory;
#undef GA_MEMORY_FIELD

/* Allocate the arrays from the arena; copy everything between memories of the same model. */
void ga_memory_carve(ga_memory *mem, const ga_eval *e, ga_arena *arena);
void ga_memory_copy(ga_memory *to, const ga_memory *from, const ga_eval *e);
/* Copy all members except the arrays. */
void ga_memory_copy_numbers(ga_memory *to, const ga_memory *from);

/* What a step begins with, besides q_n: v, a, w, momentum of the memory, or copies that are
 * corrected for the step's h. They do not change until the step ends. momentum: NULL if M_alpha is
 * to be evaluated. */
typedef struct ga_past {
  const double *v, *a, *w, *momentum;
} ga_past;

#endif

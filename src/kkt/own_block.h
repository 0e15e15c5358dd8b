/* SPDX-License-Identifier: MIT */
/* The block of the velocities, A = a M + b Ct + c Kt T, by the model's own solver (ga_model_solver): it
 * is the leading block of a matrix whose other rows are those of constraints (linsol/bordered.h). The
 * Newton matrix (step/own_solver.h) and the mass KKT matrix (saddle.h) may have such a block. */
#ifndef GA_SRC_OWN_BLOCK_H
#define GA_SRC_OWN_BLOCK_H

#include "linsol/bordered.h"
#include "model/evaluation.h"

typedef struct ga_own_block {
  const ga_model_solver *ops; /* NULL: the block is formed */
  const ga_eval *eval;
  const ga_solver_point *at; /* of the next factorization */
  double *work, *diagonal;   /* of the model's solver: its work, and the M_ii it gave */
  void *owner;               /* for lead.add_column */
  ga_leading lead;           /* its user is this block */
} ga_own_block;

/* The model has a solver, and the option linsol asks for it, or for none and it pays. */
bool ga_own_block_wanted(const ga_eval *e, const ga_options *options);
/* Allocate everything. May set arena->failed. The block must not move. */
void ga_own_block_init(ga_own_block *b, const ga_eval *e, const ga_solver_point *at,
                       ga_arena *arena);
/* Status of a code of the solver's functions. */
ga_status ga_own_block_status(int code);

#endif

/* SPDX-License-Identifier: MIT */
/* Linear solvers: five functions, phases as in KLU (analyze once, factor often, solve more often).
 *
 * Built in: "dense" (own LU for small systems, LAPACK above), "klu" (SuiteSparse, sparse); "auto"
 * picks one by size and pattern. A solver of your own: fill a ga_linsol_ops and give it to the
 * integrator through ga_options.linsol_ops. */
#ifndef GA_LINSOL_H
#define GA_LINSOL_H

#include <genalpha/ga_base.h>
#include <genalpha/ga_csr.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ga_linsol ga_linsol;

typedef struct ga_linsol_ops {
  const char *name, *summary;
  /* Once per pattern, before the first factor: allocate everything, store it in ls->impl.
   * A is square; its pattern stays valid and unchanged until free. */
  ga_status (*analyze)(ga_linsol *ls, const ga_csr *A);
  /* New values in the same pattern. GA_RETRY_SINGULAR if A is singular to working precision. */
  ga_status (*factor)(ga_linsol *ls, const ga_csr *A);
  /* Solve A x = b with the last factors; b is overwritten by x. */
  ga_status (*solve)(ga_linsol *ls, double *b);
  /* After GA_RETRY_SINGULAR: a column that depends on the others, -1 if unknown. */
  int (*singular_column)(const ga_linsol *ls);
  /* Optional: forget what earlier values taught (pivots, scaling), so that the next factor does not
   * depend on the past. Used when a state is saved or a run starts anew. */
  void (*reset)(ga_linsol *ls);
  /* Release ls->impl. Also called when analyze failed half way; impl may be NULL. */
  void (*free)(ga_linsol *ls);
} ga_linsol_ops;

struct ga_linsol {
  const ga_linsol_ops *ops;
  void *impl;    /* belongs to the solver */
  void *context; /* ga_options.linsol_context, for a user's solver */
  long repivots; /* counted by the solver: factorizations that chose pivots anew and allocated */
  double
      factor_cost; /* set by the solver if it knows: time of a factorization over that of a solve.
                      It tells Newton's method how many more iterations old factors are worth. */
};

/* Names and summaries of the built-in solvers; NULL past the end. */
GA_API const char *ga_linsol_name(int i);
GA_API const char *ga_linsol_summary(int i);

#ifdef __cplusplus
}
#endif
#endif

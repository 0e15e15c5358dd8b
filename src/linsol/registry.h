/* SPDX-License-Identifier: MIT */
/* Private: the registry of linear solvers and the opening of one. */
#ifndef GA_SRC_REGISTRY_H
#define GA_SRC_REGISTRY_H

#include "base/base.h"
#include "genalpha/ga_options.h"

extern const ga_linsol_ops ga_linsol_dense, ga_linsol_klu, ga_linsol_mumps, ga_linsol_weak_entries;
/* klu that accepts pivots down to 1e-3 of the largest, for callers that refine their solutions */
extern const ga_linsol_ops ga_linsol_klu_loose;

/* Most rows for which the plain loops of "dense" are faster than OpenBLAS. */
enum { GA_DENSE_SMALL = 60 };

/* Whether "mumps" is built in and its module can be used in this process; if not, the reason goes
 * to trouble. */
bool ga_mumps_available(char *trouble, size_t room);

/* Time of a factorization and two solves in nanoseconds, predicted from the pattern (choice.c). The
 * formulas are fitted to times on the Newton and KKT matrices of the built-in problems, from 1 to
 * 70000 rows. Where dense and klu take about the same time, the predictions are right within a
 * third. Only the ratios matter. */
typedef struct ga_linsol_prediction {
  int rows;
  double fill; /* entries of L and U */
  double dense, klu, mumps;
} ga_linsol_prediction;

/* False if there is no memory. */
bool ga_linsol_predict(const ga_csr *A, ga_linsol_prediction *out);
/* The fastest of the three that is available, and its time. */
const ga_linsol_ops *ga_linsol_fastest(const ga_linsol_prediction *prediction, double *time);

/* The solver "auto" takes for a pattern, and why; NULL if there is no memory to find out. */
const ga_linsol_ops *ga_linsol_auto(const ga_csr *A, char *why, size_t room);

/* The solver the options ask for: the user's own functions, a built-in one by name, or the one that
 * "auto" picks for this pattern. */
ga_status ga_linsol_choose(const ga_options *options, const ga_csr *A, const ga_linsol_ops **out,
                           ga_error *err);

/* Choose a solver for a pattern and analyze it. layout is borrowed until the solver is closed;
 * NULL: unknown. */
ga_status ga_linsol_open_layout(ga_linsol *ls, const ga_options *options, const ga_csr *A,
                                const ga_linsol_layout *layout, ga_error *err);
ga_status ga_linsol_open(ga_linsol *ls, const ga_options *options, const ga_csr *A, ga_error *err);

/* Solve A X = B or A^T X = B for nrhs columns of n numbers, one by one if the solver has no
 * solve_many. GA_ERR_BACKEND if it has no transposed solve. */
ga_status ga_linsol_solve_many(ga_linsol *ls, bool transposed, int n, int nrhs, double *B);

void ga_linsol_close(ga_linsol *ls);
void ga_linsol_reset(ga_linsol *ls);

#endif

/* SPDX-License-Identifier: MIT */
/* Private: the registry of linear solvers and the opening of one. */
#ifndef GA_SRC_REGISTRY_H
#define GA_SRC_REGISTRY_H

#include "base/base.h"
#include "genalpha/ga_options.h"
#include "linsol/ordering.h"

extern const ga_linsol_ops ga_linsol_dense, ga_linsol_klu, ga_linsol_mumps, ga_linsol_weak_entries;
/* klu that accepts pivots down to 1e-3 of the largest, for callers that refine their solutions */
extern const ga_linsol_ops ga_linsol_klu_loose;

/* Is this the option that asks for the model's own solver ("own", "tree")? Matrices that are formed
 * are then factored as with "auto". */
bool ga_linsol_is_own(const char *name);

/* Most rows for which the plain loops of "dense" are faster than OpenBLAS. */
enum { GA_DENSE_SMALL = 60 };

/* Whether "mumps" is built in and its module can be used in this process; if not, the reason goes
 * to trouble. */
bool ga_mumps_available(char *trouble, size_t room);

/* Pivots of "klu" stay on the diagonal unless they are ten times too small. */
#define GA_KLU_TOLERANCE 0.1

/* Instructions of "klu" for each entry of its factors in a solve. */
#define GA_KLU_ENTRY 8.7

/* Work of a solver in instructions. Only ratios matter. */
typedef struct ga_linsol_work {
  double factor, solve;
} ga_linsol_work;

/* Work of a matrix: one factorization and as many solves as usual (choice.c). */
double ga_linsol_total(ga_linsol_work work);

/* Work predicted from the pattern (choice.c). The formulas are fitted to the instructions of the
 * solvers on Newton matrices of all problems and models (bench/solvers). */
typedef struct ga_linsol_prediction {
  int rows;
  ga_linsol_work dense, klu, mumps;
} ga_linsol_prediction;

/* Work of "klu" for factors with these counts; blocks: the factors are block triangular. */
ga_linsol_work ga_klu_work(const ga_csr *A, const ga_ordering_counts *counts, bool blocks);
/* Work of a solve of "weak-entries" for A, if one solve with the strong entries takes `strong`. */
double ga_weak_entries_solve(const ga_csr *A, double strong);
/* False if there is no memory. */
bool ga_linsol_predict(const ga_csr *A, ga_linsol_prediction *out);
/* The one of the three with the least work that is available, and its work. */
const ga_linsol_ops *ga_linsol_fastest(const ga_linsol_prediction *prediction,
                                       ga_linsol_work *work);

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
/* The next factor takes new pivots and scaling, in the ordering there is. */
void ga_linsol_repivot(ga_linsol *ls);

/* Open this solver, with this context, for the pattern of A. On failure ls needs no close. */
ga_status ga_linsol_open_as(ga_linsol *ls, const ga_linsol_ops *ops, void *context, const ga_csr *A,
                            ga_error *err);

#endif

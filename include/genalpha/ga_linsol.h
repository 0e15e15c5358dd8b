/* SPDX-License-Identifier: MIT */
/* Linear solvers: phases as in KLU (analyze once, factor often, solve more often).
 *
 * Built in: "dense" (own LU for small systems, LAPACK above), "klu" (SuiteSparse, sparse), "mumps"
 * (multifrontal, for graphs that are not chains, if the library was built with it), "weak-entries"
 * (factors the strong entries by one of these and iterates for the weak ones; its old name "sweep"
 * still works); "auto" picks one by size and pattern. A solver of your own: fill a ga_linsol_ops
 * and give it to the integrator through ga_options.linsol_ops. A model may bring one that needs no
 * matrix ("own", ga_model_solver). */
#ifndef GA_LINSOL_H
#define GA_LINSOL_H

#include <genalpha/ga_base.h>
#include <genalpha/ga_csr.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ga_linsol ga_linsol;

/* A block of rows and the block of as many columns that belongs to it: velocities and their force
 * balances, multipliers and their constraints. Once the blocks before it are eliminated, the
 * diagonal of a block has pivots. */
typedef struct ga_linsol_block {
  int row, col, size;
} ga_linsol_block;

/* Whether there is a diagonal D, of any signs, for which D A is symmetric: a Newton matrix
 * [[K, G^T], [p G, 0]] is so with 1/p in the rows of the constraints, if K is symmetric. */
typedef enum ga_symmetry {
  GA_SYMMETRY_UNKNOWN, /* the solver may look at the values */
  GA_SYMMETRY_NONE,    /* it need not look */
  GA_SYMMETRY_ROWS     /* expected for all values; the solver finds D, and another way if not */
} ga_symmetry;

/* The numbering of a matrix that is a sum over the processes p of a team (ga_team.h):
 * A = sum P_p^T A_p P_p, where row i and column i of A_p are row and column number[i] of the whole.
 * Each process gives its A_p to analyze and factor. These are collective, and so is solve. b and x
 * of solve are complete in every row that a process has, with the same bits on all processes that
 * have it. All processes get the same status. */
typedef struct ga_linsol_numbering {
  long n;             /* rows of the whole matrix */
  const long *number; /* one for each row of this process */
  const bool *owned;  /* exactly one of the processes that have a row owns it */
  /* The last nunit unknowns of a process, y, are linear combinations of the other ones, x: their
   * rows of the whole matrix are y - S x = 0. A solver may eliminate y. The matrix has them because
   * S couples unknowns of different processes, which no process could write into its A_p. */
  int nunit;
} ga_linsol_numbering;

/* What is known of a matrix beyond its pattern; it stays valid until free. */
typedef struct ga_linsol_layout {
  int nblock; /* 0: no blocks known; else they cover all rows and all columns */
  const ga_linsol_block *block;
  ga_symmetry symmetry;
  const ga_linsol_numbering *numbering; /* NULL: the matrix is whole */
  /* Optional, one number for each row: s > 0 if row i is the balance of forces of velocity i, with
   * s = sqrt(w) of the metric (ga_model.h); 0 for a constraint and for a multiplier. A solver that
   * begins its scaling with it gives the same bits in other units. NULL: not known. */
  const double *size;
} ga_linsol_layout;

/* Rows and columns without a pivot. Without these columns the others are independent, likewise the
 * rows. Column j of right is a combination of the columns of A that vanishes, A right = 0, with 1
 * at cols[j] and 0 at the others of cols; column j of left likewise, left^T A = 0. The arrays
 * belong to the solver, until it is called again.
 *
 * The way to it, for any square matrix of any solver:
 *
 *     ls.ops->factor(&ls, A);             // GA_RETRY_SINGULAR: something depends
 *     ls.ops->null_space(&ls, A, &null);  // what; factor need not have been called before
 *     ls.ops->factor(&ls, B);             // before the next solve
 *
 * For redundant constraints A = [[I, G^T], [G, 0]]: rank G = nlam - count, and the entries of right
 * that belong to multipliers are the weights of rows of G whose sum vanishes. "dense" takes time
 * n^3; "mumps" 0.2 s for 10,000 constraints of which 50 depend, and room for 2 n count numbers;
 * "weak-entries" uses one of these; "klu" finds one dependency, and the next one when that row
 * and column are left out. */
typedef struct ga_null_space {
  int count;                  /* null pivots */
  bool complete;              /* the rank is n - count; else the solver stopped at the first one */
  const int *rows, *cols;     /* count numbers each */
  const double *left, *right; /* n x count numbers each, column by column */
} ga_null_space;

typedef struct ga_linsol_ops {
  const char *name, *summary;
  /* Once per pattern, before the first factor: allocate everything, store it in ls->impl.
   * A is square; its pattern stays valid and unchanged until free. */
  ga_status (*analyze)(ga_linsol *ls, const ga_csr *A);
  /* New values in the same pattern. GA_RETRY_SINGULAR if A is singular to working precision. */
  ga_status (*factor)(ga_linsol *ls, const ga_csr *A);
  /* Solve A x = b with the last factors; b is overwritten by x. An iteration that does not converge
   * gives GA_RETRY_NEWTON or, if A turns out to be singular, GA_RETRY_SINGULAR: the step is then
   * tried from another guess or with a smaller h, as when Newton's iteration does not converge. */
  ga_status (*solve)(ga_linsol *ls, double *b);
  /* After GA_RETRY_SINGULAR: a column that depends on the others, -1 if unknown. */
  int (*singular_column)(const ga_linsol *ls);
  /* Optional: forget what earlier values taught (pivots, scaling), so that the next factor does not
   * depend on the past. Used when a state is saved or a run starts anew. */
  void (*reset)(ga_linsol *ls);
  /* Release ls->impl. Also called when analyze failed half way; impl may be NULL. */
  void (*free)(ga_linsol *ls);

  /* Optional: A X = B or, transposed, A^T X = B with the last factors, nrhs columns of n numbers
   * one after the other; B is overwritten by X. NULL: solve is called column by column, and there
   * are no transposed solves. */
  ga_status (*solve_many)(ga_linsol *ls, bool transposed, int nrhs, double *B);
  /* Optional: all that depends, of the values last given to factor. It may allocate and destroy the
   * factors; a new factor must follow. NULL: nothing but singular_column is known. */
  ga_status (*null_space)(ga_linsol *ls, const ga_csr *A, ga_null_space *out);
  /* Optional: rows will change their meaning (contacts). The next factor takes new pivots and scaling,
   * but may keep its ordering. NULL: reset. */
  void (*repivot)(ga_linsol *ls);
} ga_linsol_ops;

/* What the last factors cost. Newton's method uses it to decide how many more iterations it makes
 * with old factors before it computes new ones. 0: not known. */
typedef struct ga_linsol_cost {
  double factor; /* time of a factorization over that of a solve */
  double solve;  /* time of a solve over that of a pass through the entries of A: mostly the entries
                    of the factors over those of A */
} ga_linsol_cost;

struct ga_linsol {
  const ga_linsol_ops *ops;
  void *impl;                     /* belongs to the solver */
  void *context;                  /* ga_options.linsol_context, for a user's solver */
  const ga_linsol_layout *layout; /* NULL: nothing is known */
  long repivots; /* counted by the solver: factorizations that chose pivots anew and allocated */
  ga_linsol_cost cost; /* set by the solver if it knows */
  char why[160];     /* why "auto" chose this solver, or what the solver says of its own choices */
  char trouble[120]; /* set by the solver: what went wrong in the last call that failed */
};

/* A built-in solver for those who write solvers of their own on top of it, such as one that gathers
 * the matrix of a team on one process: name as in the option linsol (NULL: "auto"), attached to the
 * pattern of A and analyzed. A and layout (NULL: nothing is known) are borrowed until it is
 * detached. Then ls->ops has factor and solve. */
GA_API ga_status ga_linsol_attach(ga_linsol *ls, const char *name, const ga_csr *A,
                                  const ga_linsol_layout *layout, ga_error *err);
GA_API void ga_linsol_detach(ga_linsol *ls);

/* Names and summaries of the built-in solvers; NULL past the end. */
GA_API const char *ga_linsol_name(int i);
GA_API const char *ga_linsol_summary(int i);
/* Whether the option linsol may have this value: "auto", the name of a built-in solver, an old name
 * of one ("sweep" for "weak-entries"), or "own" ("tree"): the model's own. */
GA_API bool ga_linsol_known(const char *name);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/* Private: the entry that a problem file defines, and the helpers it is built with.
 *
 * A new problem is one file that defines `const ga_problem_entry ga_entry_<id>` and one line in
 * GA_PROBLEM_LIST. Its build function calls ga_problem_setup, sets the usual rho_inf, h and t_end,
 * the start values q0, v0 and, if any, the guess mult0 and the tabulated references. */
#ifndef GA_SRC_PROBLEM_H
#define GA_SRC_PROBLEM_H

#include "base/csr.h"
#include "problems/problems.h"

#define GA_PI 3.14159265358979323846

/* The registry, in the order of listing. */
#define GA_PROBLEM_LIST(X) \
  X(heavy_top)             \
  X(heavy_top_se3)         \
  X(slider_crank)          \
  X(andrews)               \
  X(andrews_absolute)      \
  X(pendulum_spring)       \
  X(chain)                 \
  X(net)                   \
  X(lattice)               \
  X(rolling_disk)          \
  X(rolling_disk_printed)  \
  X(jay_nonholonomic)      \
  X(jay_negrut_hht)        \
  X(jay_negrut_soi2)       \
  X(rheonomic)             \
  X(oscillator)

/* Settings of ga_problem_options that a problem takes. */
enum { GA_TAKES_SIZE = 1, GA_TAKES_OMEGA = 2 };

typedef struct ga_problem_entry {
  const char *name, *summary, *cite;
  unsigned takes;
  ga_status (*build)(ga_problem *problem, const ga_problem_options *options, ga_error *err);
  /* closed solution, NULL if there is none; outputs that are not NULL are written completely */
  void (*exact)(const void *user, double t, double *q, double *v, double *vd, double *lam,
                double *psi);
} ga_problem_entry;

#define GA_PROBLEM_DECLARE(id) extern const ga_problem_entry ga_entry_##id;
GA_PROBLEM_LIST(GA_PROBLEM_DECLARE)
#undef GA_PROBLEM_DECLARE

/* One factor of the configuration space; a list of them ends with group == NULL. */
typedef struct ga_problem_factor {
  const ga_group *group;
  int n;
} ga_problem_factor;

/* A tabulated reference; q and v are to be filled in, vd, lam and psi arrive as NaN (unknown). */
typedef struct ga_problem_state {
  double t;
  double *q, *v, *vd, *lam, *psi;
} ga_problem_state;

/* Copy the model, build its space and carve q0 (the identity), v0 and mult0 (zero). */
ga_status ga_problem_setup(ga_problem *problem, const ga_model *model,
                           const ga_problem_factor *factors, ga_error *err);

/* Zeroed memory that lives as long as the problem, for model.user; NULL if there is none left. */
void *ga_problem_take(ga_problem *problem, size_t count, size_t size);

/* Room for a pattern with nnz entries, its rows still empty; false if memory is short. */
bool ga_problem_pattern(ga_problem *problem, int nrow, int ncol, int nnz, ga_csr *A);

/* Names for n elements with `per` numbers each, "x1", "y1", "x2", ..; formats has what comes before
 * and after the number of the element, for each of the `per`. NULL if memory is short. */
const char *const *ga_problem_names(ga_problem *problem, int n, int per,
                                    const char *const *formats);

/* A new tabulated reference at time t; NULL if memory is short. At most GA_REFERENCES_MAX. */
enum { GA_REFERENCES_MAX = 4 };
ga_problem_state *ga_problem_tabulate(ga_problem *problem, double t);

/* A(i, j) = value in a matrix with the full pattern (every entry stored, row by row). */
static inline void ga_put(ga_csr *A, int i, int j, double value) {
  A->val[i * A->ncol + j] = value;
}

/* A(i, j) += value in a matrix with the full pattern. */
static inline void ga_accumulate(ga_csr *A, int i, int j, double value) {
  A->val[i * A->ncol + j] += value;
}

/* The entry (i, j) of a sparse matrix; it must be in the pattern. */
static inline double *ga_find(ga_csr *A, int i, int j) {
  return &A->val[ga_csr_find(A, i, j)];
}

#endif

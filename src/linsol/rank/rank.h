/* SPDX-License-Identifier: MIT */
/* Rank analysis: which rows of the constraint gradients G and H follow from the others.
 *
 * Rows are compared as directions: column j is divided by sqrt(mass_j), then every row by its
 * length. A row depends on the kept rows if its least-squares residual with respect to them is
 * below GA_RANK_TOL. The result contains this residual.
 *
 * Rows that compare places which all unknowns move alike (model.row_reach) are differences of larger numbers:
 * their rounding errors are those of their reach, not of their length. Their residuals count in units of the
 * reach, so that of two rows of one direction the longer is kept, whose multiplier and position are
 * better determined.
 *
 *   dense   LAPACK's QR with column pivoting of the transpose; the kept rows are well conditioned
 *   sparse  L D L^T of the matrix of scalar products (the Schur complement of the KKT matrix), with
 *           the rows in the given order unless that fills too much. A pivot is the squared distance
 *           of a row from the kept rows before it. A row with distance zero is left out.
 *
 * Row numbers: first the rows of G, then those of H. */
#ifndef GA_SRC_RANK_H
#define GA_SRC_RANK_H

#include "base/csr.h"

/* Largest relative least-squares residual of a dependent row. This is the one threshold for
 * dependent rows, in runs, checks and linearizations. Rounding errors of gradients leave 1e-15 to
 * 1e-12; the forces of a row that is nearer than 1e-8 to others are lost in rounding. */
#define GA_RANK_TOL 1e-8

/* GA_RANK_AUTO: sparse first; then dense, if that finds dependent or nearly dependent rows and
 * there are at most about a thousand rows. */
typedef enum ga_rank_way { GA_RANK_AUTO, GA_RANK_DENSE, GA_RANK_SPARSE } ga_rank_way;

typedef struct ga_rank_rows {
  const ga_csr *G, *H; /* of one number of columns; H may be NULL */
  const double *mass;  /* one positive number for each column; NULL: ones */
  /* of a model with row_reach, else NULL: the weight of a row is sum_j |A_ij|/sqrt(w_j) over its reach, at
   * most 1. With a weight below GA_RANK_TOL it counts as zero: rounding errors would be a direction. */
  const double *reach, *metric;
} ga_rank_rows;

typedef struct ga_rank {
  ga_arena arena;
  int rows, rank;
  bool *dropped;  /* for each row: it depends on the others */
  bool *unique;   /* for each row: its multiplier is unique, although other rows depend */
  int ndependent; /* rows - rank */
  int *dependent; /* the dependent rows, increasing */
  /* row dependent[d] = sum of coef[k] row from[k], start[d] <= k < start[d+1]: a sum of kept rows,
   * with coefficients for the rows as they were given */
  int *start, *from;
  double *coef;
  double *residual; /* ndependent: residual of that sum, relative to the length of the row */
  double least;     /* least relative distance of a kept row from the rows kept before it */
  bool dense;       /* found by QR */
} ga_rank;

/* Call ga_rank_free afterwards in any case. GA_ERR_MEM, or GA_ERR_ARG if an entry is not finite. */
ga_status ga_rank_analyze(ga_rank *rank, const ga_rank_rows *rows, ga_rank_way way, ga_error *err);
void ga_rank_free(ga_rank *rank);

/* `mass` of ga_rank_rows from a mass matrix: its diagonal; where that is zero, w_i times the least
 * positive M_jj/w_j, or w_i if there is none. w: the metric, which makes masses and moments of
 * inertia comparable. */
void ga_rank_masses(const ga_csr *M, const double *w, double *mass);

/* Sentences on a result, one for each owner of dependent rows, in the order of their rows: the i-th
 * into text, false past the last. Rows "joint hinge_2, row 1", .. are owned by "joint hinge_2";
 * other rows own themselves. For example
 *   joint 'hinge_2': 3 of its 5 rows follow from 'hinge_1', 'slider'
 * names: of the rows of G, then of H; either may be NULL. */
bool ga_rank_sentence(const ga_rank *rank, int nlam, const char *const *lam_names,
                      const char *const *psi_names, int i, char *text, size_t room);

/* Private to rank*.c: the rows in units of the motion, by rows and by columns. */
typedef struct ga_rank_matrix {
  int m, n, holonomic; /* rows, columns; the first rows are those of G */
  ga_csr A;            /* rows of length 1; a zero row has no entries */
  int *cptr, *crow;    /* the pattern by columns */
  double *cval;        /* the values by columns */
  double *length;      /* length of each row before it was divided by it; 0: a zero row */
  double *weight;      /* of each row, at most 1, see reach above; 1 for a zero row */
} ga_rank_matrix;

ga_status ga_rank_dense(ga_rank *rank, const ga_rank_matrix *a, ga_error *err);
ga_status ga_rank_sparse(ga_rank *rank, const ga_rank_matrix *a, ga_error *err);
/* Room in the result for a known number of dependent rows and of coefficients. */
bool ga_rank_reserve(ga_rank *rank, int ndependent, int ncoef);

#endif

/* SPDX-License-Identifier: MIT */
/* Rank analysis: which rows of the constraint gradients G and H follow from the others.
 *
 * Rows are compared as directions in the units of the motion: column j is divided by sqrt(mass_j),
 * then every row by its length. A row depends on the kept ones if its least-squares residual is
 * below GA_RANK_TOL; that residual is the proof and is part of the result.
 *
 *   dense   LAPACK's QR with column pivoting of the transpose: the kept rows are well conditioned
 *   sparse  L D L^T of the matrix of scalar products, the Schur complement of the KKT matrix, rows
 *           in the given order where that does not fill; a pivot is the squared distance of a row
 *           from the kept rows before it, and a row whose distance vanishes leaves the elimination
 *
 * Rows of G come first, then those of H, numbered through. */
#ifndef GA_SRC_RANK_H
#define GA_SRC_RANK_H

#include "base/csr.h"

/* relative length of what is left of a row that follows from others */
#define GA_RANK_TOL 1e-8

/* by size: a sparse look first, QR up to about a thousand rows where that look finds anything */
typedef enum ga_rank_way { GA_RANK_AUTO, GA_RANK_DENSE, GA_RANK_SPARSE } ga_rank_way;

typedef struct ga_rank_rows {
  const ga_csr *G, *H; /* of one number of columns; H may be NULL */
  const double *mass;  /* one positive number for each column; NULL: ones */
} ga_rank_rows;

typedef struct ga_rank {
  ga_arena arena;
  int rows, rank;
  bool *dropped;  /* rows: it follows from the others */
  bool *unique;   /* rows: its multiplier is determined, whatever the dependent rows carry */
  int ndependent; /* rows - rank */
  int *dependent; /* these rows, increasing */
  int *start,
      *from;        /* row dependent[d] = sum of coef[k] row from[k], start[d] <= k < start[d+1], */
  double *coef;     /* a sum over kept rows, of the rows as they are given */
  double *residual; /* what is left of it, relative to its length */
  double least;     /* least relative distance of a kept row from those kept before it */
  bool dense;       /* found by QR */
} ga_rank;

/* Allocates the result; ga_rank_free in any case. GA_ERR_MEM or GA_ERR_ARG (not finite). */
ga_status ga_rank_analyze(ga_rank *rank, const ga_rank_rows *rows, ga_rank_way way, ga_error *err);
void ga_rank_free(ga_rank *rank);

/* Masses for the weights from a mass matrix: its diagonal; where that is zero, the least positive
 * one, or 1. */
void ga_rank_masses(const ga_csr *M, double *mass);

/* Sentences on a result, one for each owner of dependent rows, in the order of their rows: the i-th
 * into text, false past the last. Rows "joint hinge_2, row 1", .. are owned by "joint hinge_2";
 * other rows own themselves. For example
 *   joint 'hinge_2': 3 of its 5 rows follow from 'hinge_1', 'slider'
 * names: of the rows of G, then of H; either may be NULL. */
bool ga_rank_sentence(const ga_rank *rank, int nlam, const char *const *lam_names,
                      const char *const *psi_names, int i, char *text, size_t room);

/* Private to rank*.c: the rows in units of the motion, by rows and by columns. */
typedef struct ga_rank_matrix {
  int m, n;
  ga_csr A;         /* unit rows; of zero rows nothing */
  int *cptr, *crow; /* by columns: which rows, */
  double *cval;     /* and their entries */
  double *length;   /* of the rows before they were divided by it; 0: a zero row */
} ga_rank_matrix;

ga_status ga_rank_dense(ga_rank *rank, const ga_rank_matrix *a, ga_error *err);
ga_status ga_rank_sparse(ga_rank *rank, const ga_rank_matrix *a, ga_error *err);
/* Room in the result for a known number of dependent rows and of coefficients. */
bool ga_rank_reserve(ga_rank *rank, int ndependent, int ncoef);

#endif

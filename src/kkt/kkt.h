/* SPDX-License-Identifier: MIT */
/* The saddle-point matrix of accelerations, projections, assembly, equilibrium and modes, its assembly
 * and its factors:
 *
 *     [ w W + k K + m M   L^T  P^T ]      M mass, K stiffness, W diagonal and positive,
 *     [ G                          ]      G, H gradients of the constraints; L = G, P = H unless the
 *     [ H                   e E    ]      model has a reaction of its own; E diagonal
 *
 * saddle.h solves with w = k = 0: the mass KKT system; static_system.h solves with weights. */
#ifndef GA_SRC_KKT_H
#define GA_SRC_KKT_H

#include "linsol/block_matrix.h"
#include "linsol/bordered.h"
#include "linsol/numbering.h"
#include "linsol/registry.h"
#include "model/evaluation.h"

/* The blocks, borrowed; their values are read at each assembly. W, K, M: NULL if the matrix has no
 * such block. L, P: NULL for G, H. E has nlam + npsi rows. */
typedef struct ga_kkt_blocks {
  const ga_csr *W, *K, *M, *G, *H, *L, *P, *E;
  const ga_csr *split, *slip; /* slots for rows of contacts (contact/rows.h); NULL: none */
  ga_leading *lead; /* solves with the block of the velocities, which has no W, K, M; NULL:
                                 it is formed */
} ga_kkt_blocks;

/* The factors in the formula above. without_rows: G, H, L, P are left out. */
typedef struct ga_kkt_weights {
  double w, k, m, e;
  bool without_rows;
} ga_kkt_weights;

typedef struct ga_kkt {
  int nv, n;                     /* velocities; rows of the matrix */
  ga_block_matrix blocks;        /* the assembled matrix */
  int W, K, M, E;                /* numbers of its terms; -1: absent */
  int rows[4];                   /* numbers of the terms G, L^T, H, P^T */
  ga_linsol_layout layout;       /* what the linear solver knows of the matrix */
  ga_linsol_numbering numbering; /* in a team: numbers of the unknowns in the whole matrix */
  ga_linsol ls;                  /* its factors */
  /* Where rows change their meaning (contacts), else NULL: the values that were factored last. The same
   * matrix is not factored twice; another one gets new pivots. */
  double *factored;
  bool valid; /* `factored` are those of the factors */
} ga_kkt;

/* Set up the matrix for a model and open a linear solver. loose: of KLU take the variant for
 * quasi-definite matrices. Collective. Close *k also after a failure, if it was zeroed before. */
ga_status ga_kkt_init(ga_kkt *k, ga_eval *eval, const ga_kkt_blocks *from,
                      const ga_options *options, bool loose, ga_arena *arena);
void ga_kkt_close(ga_kkt *k);

/* Assemble the matrix in k->blocks.A. Factor it: GA_RETRY_SINGULAR, or what the solver says. */
void ga_kkt_assemble(ga_kkt *k, const ga_kkt_weights *c);
ga_status ga_kkt_factor(ga_kkt *k);
/* Forget the factors and what earlier values taught. */
void ga_kkt_reset(ga_kkt *k);

/* D_i = sum_j G_ij^2/weight_j for the rows of G, then of H; 1 for a zero row, which nothing in the
 * system changes. */
void ga_kkt_row_scales(const ga_csr *G, const ga_csr *H, const double *weight, double *D);

#endif

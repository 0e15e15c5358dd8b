/* SPDX-License-Identifier: MIT */
/* The Newton matrix of a step: derivatives of all rows by all unknowns. */
#ifndef GA_SRC_MATRIX_H
#define GA_SRC_MATRIX_H

#include "linsol/block_matrix.h"
#include "linsol/identity_rows.h"
#include "step/equations.h"

/* A row of blocks: its derivatives by q and v, and their slots in the matrix. */
typedef struct ga_row_terms {
  ga_csr *Aq;   /* derivative by q, after assembly times the tangent T of exp */
  ga_product P; /* Aq G_n^T, only with an eta block */
  int nturn;    /* pieces of Aq that T turns, none on R^n */
  struct ga_turn *turn;
  int by_q[GA_MAX_X], by_v[GA_MAX_X], by_eta; /* terms of the block assembly, -1 if none */
  int by_w; /* in place of by_q and by_eta, where the matrix has the unknown of w_q */
  bool hat; /* by v^_1 instead of v_1 */
  const ga_site *site;
  /* Factors of A_q and A_v in the matrix: s h^2 and s h with the scaling s = 1, 1/h or 1/h^2 of a
   * constraint row; phi h^2 by_wq and phi h by_v1 of a dynamic row. */
  double q_scale, v_scale;
} ga_row_terms;

typedef struct ga_matrix {
  ga_tangents tangents;
  ga_row_terms dyn[GA_MAX_X], con[GA_MAX_CON];
  ga_csr *mass; /* M of the matrix where residuals do without it (by_product), else NULL */
  int mass_term[GA_MAX_X], lam_term[GA_MAX_X], psi_term[GA_MAX_X];
  int acc_term; /* G of an acceleration row, -1 if there is none */
  ga_block_matrix blocks;
  /* Of a team, with an eta: n + nv rows. The last nv unknowns are y = sum_j p_j x_j - G_n^T eta,
   * through which w_q depends on x and eta: w_q = .. + h^2 y. */
  int n;
  ga_csr E_own; /* identity in the velocities that this process owns, else zero */
  int own_term, own_by_x[GA_MAX_X], own_by_eta;
  /* If rows may be left out: identities, and their terms on the diagonal of each block. */
  ga_csr E_lam, E_psi;
  int unit_term[GA_MAX_CON];
  int contact_term[GA_MAX_CON]; /* slots of rows of contacts */
  ga_identity_rows unit;
} ga_matrix;

ga_status ga_matrix_init(ga_matrix *m, ga_equations *s, ga_arena *arena);

/* The matrix at x, where the equations were evaluated last, into m->blocks.A. */
ga_status ga_matrix_assemble(ga_matrix *m, ga_equations *s, const double *x);

/* The number of all values, those of the matrix and of the tangents; copies of them, one after the
 * other. */
size_t ga_matrix_size(const ga_matrix *m);
void ga_matrix_save(const ga_matrix *m, double *values);
void ga_matrix_load(ga_matrix *m, const double *values);

/* After an assembly that is not finite: the message of the callback to blame, GA_OK if none is. */
ga_status ga_matrix_blame(ga_matrix *m, ga_equations *s, const double *x);

#endif

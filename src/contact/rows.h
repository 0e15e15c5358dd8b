/* SPDX-License-Identifier: MIT */
/* What the rows of contacts say: in the equations of a step, in their matrix, in the mass KKT system.
 *
 *     off     the row is left out, its multiplier is 0 (and its eta)
 *     on      g = 0, G v + g_t = 0; k = 0
 *     slip    psi + mu lam d = 0. d is held, or k/|k|
 *     split   n^T lam = 0 (n^T eta = 0) in place of a gap that depends on others: n^T G = 0 */
#ifndef GA_SRC_CONTACT_ROWS_H
#define GA_SRC_CONTACT_ROWS_H

#include "base/csr.h"
#include "genalpha/ga_model.h"
#include "linsol/identity_rows.h"

typedef enum { GA_ROW_IS_ON, GA_ROW_IS_OFF, GA_ROW_SLIPS, GA_ROW_SPLITS } ga_row_mode;

typedef struct ga_contact_rows {
  int n, nlam, npsi;
  const ga_contact *contact; /* n, of the model */
  unsigned char *mode;       /* nlam + npsi: ga_row_mode, of all rows of g, then of k */
  int *owner;                /* npsi: the contact that a row of k belongs to, -1: none */
  double *d;                 /* npsi: directions of slip, of the contacts that slip */
  bool *held;                /* n: d is held; false: d = k/|k| */
  ga_csr split;              /* nlam x nlam: pairs of gaps with the same columns; values n */
  ga_csr slip;               /* npsi x nlam: the gap of each row of k; no values */
} ga_contact_rows;

/* All contacts open. arena->failed without memory. */
void ga_contact_rows_init(ga_contact_rows *rows, const ga_model *model, ga_arena *arena);

/* Has row i of G (holonomic), or of H, another equation than on or off? */
bool ga_contact_rows_special(const ga_contact_rows *rows, bool holonomic, int i);

/* Set d = k/|k| of all contacts that slip and do not hold it; k: npsi numbers. */
void ga_contact_rows_turn(ga_contact_rows *rows, const double *k);

/* Residuals of a block of rows of G (holonomic) or H that are not on or off, with the multipliers
 * of the block; k: slip velocities. */
void ga_contact_rows_residual(ga_contact_rows *rows, bool holonomic, const double *lam,
                              const double *mult, const double *k, double *r);
/* Residuals of split rows from the multipliers of their block; of slip rows. */
void ga_contact_rows_split_residual(const ga_contact_rows *rows, const double *mult, double *r);
void ga_contact_rows_slip_residual(const ga_contact_rows *rows, const double *lam,
                                   const double *psi, double *r);
/* r = -residual in slip rows, nothing in others. */
void ga_contact_rows_slip_defect(const ga_contact_rows *rows, const double *lam, const double *psi,
                                 double *r);
/* The sum of |terms| of such a row, with the largest multiplier of all contacts, at least `least`, in
 * place of each. */
double ga_contact_rows_terms(const ga_contact_rows *rows, bool holonomic, int i, const double *mult,
                             const double *lam, double least);

/* In A, assembled: split rows, whose block begins at row and column `at`; slip rows of the block at
 * `at`, with the multipliers lam from `lam_at` on. clear: their rows in A are cleared first. */
void ga_contact_rows_put_split(const ga_contact_rows *rows, ga_csr *A, int at);
void ga_contact_rows_put_slip(const ga_contact_rows *rows, ga_csr *A, int at, int lam_at,
                              bool clear);

/* The same in a mass KKT matrix A after nv rows: rows that are off, and unless `moving` slip rows,
 * become the identity. n: rows of G, or of G and H, that are in A. clear: zeros on the right-hand side
 * of rows that are not on; slips: of slip rows, too. */
void ga_contact_rows_put(const ga_contact_rows *rows, const ga_identity_rows *off, ga_csr *A,
                         int nv, int n, bool moving);
void ga_contact_rows_clear(const ga_contact_rows *rows, double *rhs, bool slips);

/* D: rows of H or Y. Slip rows become scale mu lam (I - d d^T) D/|k|, 0 where d is held; others
 * stay. */
void ga_contact_rows_slip_gradient(const ga_contact_rows *rows, const double *lam, const double *k,
                                   double scale, ga_csr *D);

#endif

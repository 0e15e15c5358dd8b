/* SPDX-License-Identifier: MIT */
/* Private side of ga_statics.h: one saddle-point system for assembly, equilibrium and modes.
 *
 *     [ w W + k K + m M   G^T    H^T  ] [ x  ]   [ b ]
 *     [ G                -e D     0   ] [ mu ] = [ c ]      W, D: diagonal, positive
 *     [ H                  0    -e D  ] [ nu ]   [ d ]
 *
 * For k = m = 0 the matrix is quasi-definite: it is regular whatever the rank of G and H, and x is
 * the step of Levenberg and Marquardt with parameter e. The multiplier block needs no rank
 * decision, which is why redundant rows are no special case here. */
#ifndef GA_SRC_STATICS_H
#define GA_SRC_STATICS_H

#include "genalpha/ga_statics.h"
#include "linsol/block_matrix.h"
#include "linsol/registry.h"
#include "model/evaluation.h"

typedef struct ga_static_system {
  const ga_model *model;
  ga_arena arena;
  ga_eval eval;
  int nv, nlam, npsi, n;
  ga_csr W, K, M, G, H, D; /* W and D by their diagonals, D over nlam + npsi rows */
  ga_csr C;                /* pattern of K; not in the matrix */
  ga_block_matrix blocks;
  int term_W, term_K, term_M, term_D, term_rows[4];
  ga_linsol ls;
  double *rhs, *defect, *sum; /* n */
  double *T;                  /* tangent blocks of the space */
} ga_static_system;

/* with_tangents: K and M are part of the matrix, and so is their pattern. The message of whatever
 * fails later goes to err. */
ga_status ga_static_system_open(ga_static_system *s, const ga_model *model, bool with_tangents,
                                ga_error *err);
void ga_static_system_close(ga_static_system *s);

/* The matrix for the values that stand in W, K, M, G, H, D. */
typedef struct ga_static_system_weights {
  double w, k, m, e;
} ga_static_system_weights;
ga_status ga_static_system_factor(ga_static_system *s, const ga_static_system_weights *c);

/* s->rhs becomes the solution. Refined against the matrix with e = `e_exact` in place of that of
 * the factors: with e_exact = 0 this is the method of multipliers, which leaves no trace of e in x
 * where the rows are consistent. */
ga_status ga_static_system_solve(ga_static_system *s, double e_exact);

/* Columns of held velocities of G and H become zero, so that x does not move them. */
void ga_static_system_hold(ga_static_system *s, const bool *hold);

/* W from the caller's weights, or from the diagonal of M (the least positive entry where it is
 * zero); D_i = sum of G_ij^2 / W_j over the rows of G, then of H, with a floor. */
ga_status ga_static_system_set_weights(ga_static_system *s, double t, const double *q,
                                       const double *weight);
void ga_static_system_set_scales(ga_static_system *s);

/* Sizes of the components of a change: the caller's, or lengths |q| and angles 1. */
void ga_static_system_units(const ga_model *model, const double *q, const double *given,
                            double *unit);
/* sum of |A_ij| unit_j: how far large changes open row i */
double ga_static_system_reach(const ga_csr *A, int i, const double *unit);

/* lam, psi of least norm with G^T lam + H^T psi nearest to f, for the G, H that stand there;
 * rest: what of f is left, may be NULL. W and D are set, f has nv numbers. */
ga_status ga_static_system_multipliers(ga_static_system *s, const double *f, double *lam,
                                       double *psi, double *rest);

/* v', lam, psi of the equations of motion; least norm where rows are redundant. M, G, H and the
 * factors of their saddle-point system stand in s afterwards. */
ga_status ga_static_system_accelerate(ga_static_system *s, double t, const double *q,
                                      const double *v, double *vd, double *lam, double *psi);
/* The largest modulus of the eigenvalues about a state as it stands, to a few digits. */
ga_status ga_fastest_mode(const ga_model *model, double t, const double *q, const double *v,
                          double *fastest, ga_error *err);

/* Dynamic relaxation of q, at most so many steps; taken tells how many there were. */
ga_status ga_relaxation_run(const ga_model *model, double t, double *q, int steps, int *taken,
                            ga_error *err);

#endif

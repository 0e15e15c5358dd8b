/* SPDX-License-Identifier: MIT */
/* The saddle-point system of assembly, equilibrium and modes, a use of kkt.h with weights:
 *
 *     [ w W + k K + m M   G^T    H^T  ] [ x  ]   [ b ]
 *     [ G                -e D     0   ] [ mu ] = [ c ]      W, D: diagonal, positive
 *     [ H                  0    -e D  ] [ nu ]   [ d ]
 *
 * For k = m = 0 the matrix is quasi-definite: it is regular for any rank of G and H, and x is the
 * step of Levenberg and Marquardt with parameter e. Redundant rows need no special treatment,
 * because no rank has to be decided. */
#ifndef GA_SRC_STATIC_SYSTEM_H
#define GA_SRC_STATIC_SYSTEM_H

#include "kkt/kkt.h"

typedef struct ga_static_system {
  const ga_model *model;
  ga_arena arena;
  ga_eval eval;
  int nv, nlam, npsi, n;   /* velocities, rows of G and of H, their sum */
  ga_csr W, K, M, G, H, D; /* the blocks; W and D are diagonal, D has nlam + npsi rows */
  ga_csr C;                /* damping, in the pattern of K; not in the matrix */
  ga_kkt kkt;              /* the matrix and its factors */
  double *rhs;             /* n: right-hand side, then the solution */
  double *defect, *sum;    /* n: scratch of ga_static_system_solve */
  double *T;               /* tangent blocks of the space */
} ga_static_system;

/* Fills s. with_tangents: the matrix contains K and M. err is kept: it receives the message of any
 * later failure. Close s also if this fails. */
ga_status ga_static_system_open(ga_static_system *s, const ga_model *model, bool with_tangents,
                                ga_error *err);
void ga_static_system_close(ga_static_system *s);

/* Assemble and factor the matrix for the present values of W, K, M, G, H, D. w, k, m, e: the
 * factors in the formula at the head of this file. */
typedef ga_kkt_weights ga_static_system_weights;
ga_status ga_static_system_factor(ga_static_system *s, const ga_static_system_weights *c);

/* Solve; s->rhs is overwritten by the solution. The solution is refined for the matrix with e =
 * e_exact instead of the e of the factors. With e_exact = 0 this is the method of multipliers: if
 * the rows are consistent, x does not depend on e. */
ga_status ga_static_system_solve(ga_static_system *s, double e_exact);

/* Set the columns of held velocities in G and H to zero, so that x does not move them. */
void ga_static_system_hold(ga_static_system *s, const bool *hold);

/* W: the caller's weights, or the diagonal of M (where that is zero, see ga_rank_masses); D_i = sum of
 * G_ij^2 / W_j over the rows of G, then of H. */
ga_status ga_static_system_set_weights(ga_static_system *s, double t, const double *q,
                                       const double *weight);
void ga_static_system_set_scales(ga_static_system *s);

/* Unit of each velocity, the size of a large change: the caller's; or 1 for rotations, the largest |q|
 * for all other coordinates, in the metric of the model. */
void ga_static_system_units(const ga_model *model, const double *q, const double *given,
                            double *unit);
/* sum over j of |A_ij| unit_j: the change of row i caused by a change of one unit everywhere */
double ga_static_system_reach(const ga_csr *A, int i, const double *unit);

/* lam, psi of least norm with G^T lam + H^T psi nearest to f (nv numbers), for the present G, H, W
 * and D. rest = f - G^T lam - H^T psi, may be NULL. */
ga_status ga_static_system_multipliers(ga_static_system *s, const double *f, double *lam,
                                       double *psi, double *rest);

#endif

/* SPDX-License-Identifier: MIT */
/* The mass KKT system: starting values, projections and step-size changes are all solves with
 *
 *     [ M  G^T H^T ] [ dv ]   [ b ]
 *     [ G   0   0  ] [ mu ] = [ c ]        M may be singular; it is never factored alone.
 *     [ H   0   0  ] [ nu ]   [ d ]
 *
 * Soft rows, for constraints that follow from others: the matrix that is factored has -eps D in the
 * place of the lower zeros, D = diag(G M^-1 G^T) with a diagonal M, and a solve is repeated with
 * what the matrix above leaves of the right side (soft_rows.c). This converges in all that the
 * constraints determine, to the solution whose multipliers are least in the norm mu^T D mu; right
 * sides that contradict each other are met as well as possible. Where it does not converge, as rows
 * are too near to each other, and it is known which ones are kept, those are solved for as they
 * are, without the others. */
#ifndef GA_SRC_SADDLE_H
#define GA_SRC_SADDLE_H

#include "linsol/block_matrix.h"
#include "linsol/numbering.h"
#include "linsol/registry.h"
#include "model/evaluation.h"

typedef struct ga_saddle {
  ga_eval *eval; /* borrowed */
  int n;
  ga_csr M, G, H;
  ga_csr E_mu, E_nu; /* identities on the multiplier blocks, in use when their rows are left out */
  ga_csr L, P;       /* upper right blocks where the reaction is the model's own: L^T, P^T */
  ga_block_matrix blocks;
  int term[5], term_E_mu, term_E_nu; /* M, G, G^T, H, H^T; the identities */
  double *guess;           /* nlam + npsi: where multipliers of a nonlinear reaction are sought */
  ga_linsol_layout layout; /* of a team: what its solver is told */
  ga_linsol_numbering numbering; /* of a team: numbers of the unknowns in the whole */
  ga_linsol ls;
  double *rhs, *defect; /* n: right side, then solution; work of the refinement */
  bool soft;            /* rows are to be soft */
  bool softened;        /* the rows of the last factors are soft */
  const bool *dropped;  /* nlam + npsi, borrowed: rows that follow from the others; NULL: unknown */
  int kind;             /* of the last matrix, by its diagonal */
  bool judged;          /* a soft solution has to balance forces and close kept rows */
  double t;             /* of the last matrix */
  double *mass, *unit;  /* nv: a diagonal mass; nlam + npsi: eps D; where rows may be soft */
  double *way[2], *gain[2]; /* n, nlam + npsi: directions of a soft solve, what they change */
  double *sum; /* n: the solution of soft rows, round by round; in a team A x of all ranks */
} ga_saddle;

ga_status ga_saddle_init(ga_saddle *s, ga_eval *eval, const ga_options *options, ga_arena *arena);
void ga_saddle_close(ga_saddle *s);

/* Evaluate M, G, H at (t, q, v) and factor. GA_ERR_SINGULAR names a dependent row. */
ga_status ga_saddle_factor(ga_saddle *s, double t, const double *q, const double *v);

/* For the projection of positions: M at (t, q), G(t, q o exp(d)) T(d), no H rows (nu = 0) unless
 * the matrix is singular without them. T is work of ga_space_tangent_size numbers. */
ga_status ga_saddle_factor_position(ga_saddle *s, double t, const double *q, const double *v,
                                    const double *d, const double *q_moved, double *T);

/* M(t, q) alone: out = M^-1 b, and the applied part of v', out = M^-1 F. out may be b.
 * GA_ERR_SINGULAR names a coordinate without mass. */
ga_status ga_saddle_mass_solve(ga_saddle *s, double t, const double *q, const double *b,
                               double *out);
ga_status ga_saddle_applied(ga_saddle *s, double t, const double *q, const double *v, double *out);

/* Solve with the last factors, once; s->rhs holds (b, c, d) before, (dv, mu, nu) after. One step of
 * iterative refinement is included. GA_ERR_SINGULAR if soft rows leave the forces out of balance or
 * a kept row open; those of a projection of positions are not looked at. */
ga_status ga_saddle_solve(ga_saddle *s);

/* Soft rows: replace lam, psi by the least multipliers with the same G^T lam + H^T psi, with M, G,
 * H of another place than the last ones: same patterns. Where none are found that have the same
 * forces, lam and psi stay as they are. */
ga_status ga_saddle_least(ga_saddle *s, const ga_csr *M, const ga_csr *G, const ga_csr *H,
                          double *lam, double *psi);

/* v', lam, psi from the equations of motion and the differentiated constraints
 * (docs/reference/notation.md): M v' - R(lam, psi) = F,  G v' = -(g drift),  H v' = -(k drift) One
 * solve for the usual R; for one of the model's own Newton's iteration from s->guess, which is left
 * at the solution. */
ga_status ga_saddle_acceleration(ga_saddle *s, double t, const double *q, const double *v,
                                 double *vd, double *lam, double *psi);

#endif

/* SPDX-License-Identifier: MIT */
/* The mass KKT system: starting values, projections and step-size changes are all solves with
 *
 *     [ M  G^T H^T ] [ dv ]   [ b ]
 *     [ G   0   0  ] [ mu ] = [ c ]        M may be singular; it is never factored alone.
 *     [ H   0   0  ] [ nu ]   [ d ]
 *
 * Soft rows, for redundant constraints: the factored matrix has -eps D in the lower right block,
 * D = diag(G M^-1 G^T) with a diagonal M. A solve is repeated with the residual of the matrix above
 * (soft_rows.c). This converges to the solution with the smallest multipliers in the norm
 * mu^T D mu; constraints that contradict each other are satisfied as well as possible. It does not
 * converge if rows are nearly dependent. Then, if it is known which rows are kept, the system of
 * the kept rows alone is solved, without eps.
 *
 * If the model has a solver of its own (own_block.h) and no row may be redundant, M is left to it: a
 * full M of 1,000 hinges has a condition of 1e14, while the recursion divides by masses of single
 * bodies. */
#ifndef GA_SRC_SADDLE_H
#define GA_SRC_SADDLE_H

#include "contact/rows.h"
#include "kkt/kkt.h"
#include "kkt/own_block.h"

typedef struct ga_saddle {
  ga_eval *eval; /* borrowed */
  int n;
  ga_csr M, G, H;
  ga_csr E;            /* diagonal of the multiplier blocks: 0, 1 (row left out) or -eps D (soft) */
  ga_csr L, P;         /* if the model has a reaction of its own: transposed upper right blocks */
  ga_kkt kkt;          /* the matrix and its factors */
  double *guess;       /* nlam + npsi: guess of multipliers of a nonlinear reaction */
  double *predicted;   /* nv: such a reaction by its derivatives */
  double *rhs;         /* n: right-hand side, then solution */
  double *defect;      /* n: work of the refinement */
  bool soft;           /* factor with soft rows */
  bool softened;       /* the last factors have soft rows */
  const bool *dropped; /* nlam + npsi, borrowed: redundant rows; NULL: not known */
  int kind;            /* which diagonals the last matrix has, see set_kind in saddle.c */
  bool judged;         /* a soft solution must balance forces and satisfy the kept rows */
  double t;            /* time of the last matrix */
  double *mass;        /* nv: diagonal mass, if rows may be soft */
  double *unit;        /* nlam + npsi: eps D, if rows may be soft */
  double *way[2], *gain[2];  /* soft solves: two directions (n), changes of the rows along them */
  ga_contact_rows *contacts; /* rows of contacts; NULL: none */
  ga_identity_rows off;      /* of contacts: rows that are off */
  double *k;                 /* of contacts: npsi slip velocities */
  bool moving;               /* the last matrix is of accelerations: slip rows are in it */
  double *sum;               /* n: solution of a soft solve; in a team A x over all processes */
  ga_own_block own;          /* M by the model's own solver, if own.ops is set */
  ga_solver_point at;        /* of own: where M is */
  double *q;                 /* nq: of at */
  double *product;           /* nv: work */
} ga_saddle;

ga_status ga_saddle_init(ga_saddle *s, ga_eval *eval, const ga_options *options, ga_arena *arena);
void ga_saddle_close(ga_saddle *s);

/* Evaluate M, G, H at (t, q, v) and factor. GA_ERR_SINGULAR: the message names a dependent row. */
ga_status ga_saddle_factor(ga_saddle *s, double t, const double *q, const double *v);

/* Factor M, G, H (and L, P of a model with its own reaction) as they are in s, those of (t, q). */
ga_status ga_saddle_factor_rows(ga_saddle *s, double t, const double *q);

/* For the projection of positions: M at (t, q), G(t, q o exp(d)) T(d), no H rows (nu = 0) unless
 * the matrix is singular without them. T is work of ga_space_tangent_size numbers. */
ga_status ga_saddle_factor_position(ga_saddle *s, double t, const double *q, const double *v,
                                    const double *d, const double *q_moved, double *T);

/* With M(t, q) alone: out = M^-1 b, and the applied acceleration out = M^-1 F. out may be b.
 * GA_ERR_SINGULAR: the message names a coordinate without mass. */
ga_status ga_saddle_mass_solve(ga_saddle *s, double t, const double *q, const double *b,
                               double *out);
ga_status ga_saddle_applied(ga_saddle *s, double t, const double *q, const double *v, double *out);

/* Solve with the last factors, once; s->rhs holds (b, c, d) before, (dv, mu, nu) after. One step of
 * iterative refinement is included. GA_ERR_SINGULAR if, with soft rows, forces do not balance or a
 * kept row is violated; this is not checked in a projection of positions. */
ga_status ga_saddle_solve(ga_saddle *s);
/* The same without refinement, where some digits are enough; as often as wanted. Not with soft
 * rows. */
ga_status ga_saddle_solve_roughly(ga_saddle *s);

/* Soft rows: replace lam, psi by the smallest multipliers with the same G^T lam + H^T psi. M, G, H
 * have the patterns of the model. If no such multipliers are found, lam and psi do not change. */
ga_status ga_saddle_least(ga_saddle *s, const ga_csr *M, const ga_csr *G, const ga_csr *H,
                          double *lam, double *psi);

/* v', lam, psi from the equations of motion and the differentiated constraints
 * (docs/reference/notation.md): M v' - R(lam, psi) = F,  G v' = -(g drift),  H v' = -(k drift).
 * One solve; if the model has a reaction R of its own, Newton's iteration from s->guess, which then
 * holds the solution. */
ga_status ga_saddle_acceleration(ga_saddle *s, double t, const double *q, const double *v,
                                 double *vd, double *lam, double *psi);

/* What v', lam, psi (x, lam, psi of p) lack at the point p, into s->rhs: solved with the last
 * factors, which are those of a point nearby. G, H become those of p, M is lost. Not with soft
 * rows. */
ga_status ga_saddle_correction(ga_saddle *s, const ga_eval_point *p);

#endif

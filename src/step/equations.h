/* SPDX-License-Identifier: MIT */
/* The equations of one step as functions of its unknowns x; method.h states them.
 *
 * `begin` fixes the step from t_n to t_1 = t_n + h: old values and constants. `evaluate` then gives
 * the residual at any x. Neither changes the accepted state.
 *
 * The unknowns are the blocks x_0 .. x_{nx-1} of nv numbers, then the multiplier blocks. The rows
 * are the dynamic rows, then the constraint rows. All are in units of accelerations or forces. */
#ifndef GA_SRC_EQUATIONS_H
#define GA_SRC_EQUATIONS_H

#include "contact/rows.h"
#include "genalpha/ga_integrator.h"
#include "method/method.h"
#include "model/evaluation.h"
#include "step/memory.h"

/* A point at which rows are evaluated, with M, F, G, H there. They are valid for its t, q, v from
 * the moment `evaluated` is set until the site moves. F is evaluated at the new site only. With
 * weighted rows the M of the new site is that of a predicted point; if the model gives M x
 * (ga_equations.by_product) it is that of the last Newton matrix, with the model's own solver it is
 * not evaluated.
 *   t = t_n + c h,  q = q_n o exp(by_wq w_q), or q_n o exp(c h v_n) where by_wq = 0,
 *   v = (1 - by_v1) v_n + by_v1 v_1 */
typedef struct ga_site {
  bool used;
  double c, by_wq, by_v1;
  double t;
  double *q, *v, *F;
  ga_csr M, G, H;
  double *Mx;      /* M x, of the new site; NULL: M is evaluated instead */
  double *T;       /* tangent of exp at by_wq w_q */
  bool evaluated;  /* M, F, G, H are those of (t, q, v) */
  bool mass_known; /* M is constant and was evaluated once */
} ga_site;

/* Derivatives of the rows, for the Newton matrix. Kt, Ct: of the dynamic rows by q and v, Z: of
 * G v + g_t by q, Y: of k by q. The hatted ones are taken at v^_1. */
typedef struct ga_tangents {
  ga_csr Kt[GA_MAX_X], Ct[GA_MAX_X], L[GA_MAX_X], P[GA_MAX_X];
  ga_csr M[GA_MAX_X]; /* M in the matrix, where that of the site has gone on; else not allocated */
  ga_csr Z, Y, Hh, Yh, GT, acc_q, acc_v;
  ga_csr Hc;     /* H, with the derivatives of slip rows of contacts */
  ga_csr K0, C0; /* of the applied force alone, subtracted from rows without it */
  long of;       /* number of the evaluation that gave Kt, Ct, Z, Y, too; 0: none did */
} ga_tangents;

typedef struct ga_equations {
  const ga_method *method;
  ga_eval *eval;
  ga_error *err;
  ga_tableau tab;
  int nq, nv, nlam, npsi;

  /* layout: numbers of unknowns and where the blocks begin */
  int n, nx; /* number of all unknowns; of those in x blocks, also the number of dynamic rows */
  int mult_at[GA_MAX_CON], con_at[GA_MAX_CON];
  bool has_row[GA_ROW_NONHOL + 1]; /* by kind: method and model have such constraint rows */
  int eta;                         /* multiplier block of kind eta, -1 if there is none */
  bool constrained;                /* there are constraint rows, on some process of a team */
  bool has_hat;                    /* some rows are evaluated at v^_1 */
  bool mass_is_diagonal;           /* the pattern of M is diagonal */
  bool by_product;                 /* the model gives M x; M is needed for Newton matrices only */
  long mass_of;                    /* then: number of the evaluation that gave M */
  bool own;                        /* the model's own solver: M, Kt, Ct are not formed */
  bool straight;                   /* q_1 = q_n + w_q is computed directly; w_q is not set */

  /* Redundant rows of g, then of k, are left out: their residuals and multipliers are zero, and the
   * matrix has a row and a column of the identity there. */
  bool may_drop; /* the matrix has diagonal slots for that; they cost some fill-in */
  bool *dropped; /* nlam + npsi: the row is left out */
  int ndropped;  /* number of rows left out */
  /* If a step begins or must end in a singular position, the matrix (not the equations) has
   * -soften unit_i^2 on the diagonal of multiplier i. Otherwise 0. */
  double soften;
  /* G(t_n, q_n) is singular: eta acts along G(t_1, q_n o exp(h v_n)) instead. */
  bool ahead;
  double *mass_diagonal;     /* own solver: M_ii of the last Newton matrix, else NULL */
  double *unit;              /* nlam + npsi: lengths of the rows in the metric of the mass */
  ga_contact_rows *contacts; /* rows of contacts; NULL: the model has none */

  /* the current step */
  double t, t1, h;
  const double *q, *v, *a, *w; /* at t_n, corrected for this h */
  double *wq0, *v10;           /* w_q and v_1 for x = 0 */
  ga_csr Gn;                   /* G(t_n, q_n) W^-1, W the metric, if there is an eta */
  bool Gn_known; /* Gn, by difference quotients, belongs to the time Gn_t and to Gn_q */
  double Gn_t, *Gn_q;
  double *old_terms; /* of weighted rows: hm M_alpha a_n - hf f_n; zero for others */
  double *momentum;  /* M_alpha a_alpha of this step */

  /* at the x evaluated last */
  long evaluations;        /* number of evaluations so far; ga_tangents.of refers to it */
  double *wq, *vh;         /* w_q, v^_1 */
  double *g, *gt, *gv, *k; /* g, g_t (if there are velocity rows), G v + g_t, k */
  ga_site
      site[GA_SITES]; /* by kind; constraints are evaluated at the new site, which is always used */

  double *zero;      /* nv + nlam + npsi zeros */
  double *reaction;  /* G^T lam + H^T psi of the current row */
  double *scaled_wq; /* by_wq w_q of the current site */
  /* In a team: m M x, F, -R of each dynamic row, first of this process, then summed over the
   * processes; and G_n^T eta. */
  double *row_terms, *push;
} ga_equations;

/* may_drop: with diagonal slots for rows that are left out. */
ga_status ga_equations_init(ga_equations *s, const ga_method *method, const ga_options *options,
                            bool may_drop, ga_eval *eval, ga_arena *arena);

/* Forget earlier evaluations: the model's data may have changed. */
void ga_equations_reset(ga_equations *s);

/* Fix the step from the state in mem to t1, with the past as corrected for its size h. */
ga_status ga_equations_begin(ga_equations *s, const ga_memory *mem, const ga_past *past, double h,
                             double t1);

/* A shift that is added to w_q(x) and v_1(x), nv numbers each. */
typedef struct ga_shift {
  const double *wq, *v1;
} ga_shift;

/* The residual r at x and, of each dynamic row, |m M x| + phi (|F| + |R|) + |old terms|. With
 * tangents: those that the model gives in the same pass are evaluated, too. shift: NULL for none.
 * GA_RETRY_NONFINITE names the callback that is to blame. */
ga_status ga_equations_evaluate(ga_equations *s, const double *x, const ga_shift *shift,
                                ga_tangents *with, double *r, double *terms);

/* Accept the step: before <- mem, mem <- the results of the last evaluation, which was at x. values
 * has v', lam, psi where they are no unknowns of the step. worst receives the largest |g|,
 * |G v + g_t|, |k| at t_1. If this fails, both memories are as they were. */
typedef struct ga_values {
  double *vd, *lam, *psi;
} ga_values;
ga_status ga_equations_end(ga_equations *s, const double *x, const ga_values *values,
                           ga_memory *mem, ga_memory *before, double worst[3]);

/* The guess of a first step: x = v', a, or the applied or reaction component of v'; multipliers as
 * in mem; eta = 0. */
void ga_equations_guess(const ga_equations *s, const ga_memory *mem, double *x);

/* Sums of the absolute values of the terms of q_1 and v_1, one for each velocity, without x and
 * eta: |q_n| (rotations: 1) + |h v_n| + .. and |v_n| + |h a_n| + .. One rounding error of q_1
 * is eps times the first. */
void ga_equations_sizes(const ga_equations *s, double *size_q, double *size_v);

/* The multipliers of a block; zeros for GA_NONE. */
const double *ga_equations_multipliers(const ga_equations *s, const double *x, int block);

/* The gradient that rows of this kind contain: H for nonholonomic ones, else G, at t_1. */
const ga_csr *ga_equations_gradient(const ga_equations *s, ga_con_kind kind);

/* Sizes of a constraint row of this kind and of a multiplier block. */
int ga_equations_con_size(const ga_equations *s, ga_con_kind kind);
int ga_equations_mult_size(const ga_equations *s, ga_block_kind kind);
/* Marks of the rows of a kind that are left out; NULL if there are none. */
const bool *ga_equations_dropped(const ga_equations *s, ga_con_kind kind);
/* Zeros in x for the multipliers of rows that are left out. */
void ga_equations_clear_dropped(const ga_equations *s, double *x);

/* Name of row or unknown i for messages, written to text: "force balance of v[2] ('theta')". */
const char *ga_equations_row_name(const ga_equations *s, int i, char *text, size_t room);
const char *ga_equations_unknown_name(const ga_equations *s, int i, char *text, size_t room);

/* Sites (sites.c). */
void ga_sites_init(ga_equations *s, ga_arena *arena);
/* Set the sites whose q does not move with the unknowns, and evaluate M, G, H there. */
ga_status ga_sites_begin(ga_equations *s);
/* Compute w_q, v_1 (which is v of the new site), v^_1 from x and a shift (may be NULL), and move
 * all sites. */
ga_status ga_sites_move(ga_equations *s, const double *x, const ga_shift *shift);
/* Evaluate M, F, G, H, g, k at the sites, and the tangents that the model gives in the same pass.
 */
ga_status ga_sites_evaluate(ga_equations *s, const double *x, ga_tangents *with);
/* gv = G v + g_t at the new site. */
void ga_site_hidden(const ga_equations *s, double *gv);
/* Compute T, the tangent of exp, at the sites that move with w_q. */
void ga_sites_tangents(ga_equations *s);
/* Compose the message about the callback whose result is not finite; GA_OK if all are finite. */
ga_status ga_sites_blame(ga_equations *s);
/* Evaluate the M of a site at (t, q), once if it is constant. */
ga_status ga_site_mass(ga_equations *s, ga_site *site, double t, const double *q);
/* Was G there evaluated at (t, q)? */
bool ga_site_has_gradient_of(const ga_equations *s, const ga_site *site, double t, const double *q);

#endif

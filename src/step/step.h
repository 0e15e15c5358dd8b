/* SPDX-License-Identifier: MIT */
/* One step of any method: sites, residual, Newton matrix. Private to src/step.
 *
 * Order of use: begin, then update / residual / matrix as Newton asks for them, then end. Nothing
 * here changes the accepted state; the integrator copies the result when the step has converged. */
#ifndef GA_SRC_STEP_H
#define GA_SRC_STEP_H

#include "genalpha/ga_integrator.h"
#include "linsol/blocks.h"
#include "linsol/linsol.h"
#include "method/method.h"
#include "model/eval.h"
#include "run/predict.h"

/* Everything that influences later steps; all arrays owned by the integrator. One list of arrays
 * and their sizes serves to take memory, to copy and to save.
 *   w              the second memory of a step: v', or the applied part of it
 *   a_used         a_n as the last step used it, after correction
 *   momentum       M a of weighted rows: M_{1+alpha} a_{1+alpha} of the last step,
 *   momentum_used  and the M_alpha a_alpha it used */
#define GA_MEMORY_LIST(X) \
  X(q, nq)                \
  X(v, nv)                \
  X(vd, nv)               \
  X(a, nv) X(lam, nlam) X(psi, npsi) X(w, nv) X(a_used, nv) X(momentum, nv) X(momentum_used, nv)
#define GA_MEMORY_FIELD(name, size) double *name;
typedef struct ga_memory {
  double t;
  double h; /* the step size a (and the hidden residual of v) belong to */
  GA_MEMORY_LIST(GA_MEMORY_FIELD)
  bool fresh;    /* no step yet since a start: a_used and the momenta are empty */
  double growth; /* of h in the last steps, see history.c */
  double delta;  /* a_n = v'(t_n + delta) + O(h^2), followed when gamma is to be adapted */
} ga_memory;
#undef GA_MEMORY_FIELD

void ga_memory_carve(ga_memory *mem, const ga_eval *e, ga_arena *arena);
void ga_memory_copy(ga_memory *to, const ga_memory *from, const ga_eval *e);
/* all but the arrays */
void ga_memory_copy_numbers(ga_memory *to, const ga_memory *from);

/* The history a step begins with: the memory's v, a, w, momentum, or copies corrected for its h;
 * they stay as they are until the step ends. A momentum of NULL means M_alpha is to be evaluated.
 */
typedef struct ga_history {
  const double *v, *a, *w, *momentum;
} ga_history;

/* Where a dynamic row is taken, with what was evaluated there. */
typedef struct ga_site {
  ga_site_kind kind;
  bool used;
  double t;
  double *q, *v, *F;
  ga_csr M, G, H;
  double *T;           /* tangent of exp there, of the sites whose q depends on w_q */
  double by_wq, by_v1; /* d q/d w_q = by_wq T, d v/d v_1 = by_v1 */
  bool mass_known;     /* a constant M already evaluated */
} ga_site;

/* A row of the step's system: what its derivative by q and v is made of. A_q is kept after the
 * product with the tangent T of exp. */
typedef struct ga_row_terms {
  ga_csr *Aq;   /* derivative by q times T; NULL if none */
  ga_product P; /* Aq G_n^T, only with an eta block */
  int nturn;    /* pieces of Aq that T turns, none on R^n */
  struct ga_turn *turn;
  int by_q[GA_MAX_X], by_v[GA_MAX_X], by_eta;
  bool hat; /* by v^_1 instead of v_1 */
  const ga_site *site;
  double q_scale, v_scale; /* 1, 1/h or 1/h^2 of the row, times h^2 and h */
} ga_row_terms;

/* The parts of a double or triple system (split.c): matrices of KKT size for y and z, the mass. */
typedef struct ga_split {
  bool on;     /* the method has such a system and the options want it split */
  bool in_use; /* the last factors are those of the parts */
  int n, row_y, row_z;
  int pos, vel, hat, non; /* constraint rows: of y, of z; nonholonomic at v^_1, at v_1 */
  ga_blocks y, z, mass;
  int y_term[8], z_term[6], mass_term;
  ga_linsol ls_y, ls_z, ls_mass;
  double *by, *bz, *b, *c, *kept;
  double rate;           /* contraction of the last sweeps */
  int pause, pause_next; /* matrices to factor whole, and the next such number */
  long full;             /* matrices factored whole so far */
} ga_split;

typedef struct ga_step {
  const ga_method *method;
  const ga_options *options;
  ga_eval *eval;
  ga_stats *stats;
  ga_error *err;
  ga_tableau tab;
  int nq, nv, nlam, npsi;

  /* layout of unknowns and rows: x blocks, then multipliers; dynamic rows, then constraints */
  int n, mult_at[GA_MAX_CON], con_at[GA_MAX_CON];
  int eta; /* multiplier block of kind eta, -1 if none */

  /* the step under way: from t to t1, history as corrected for this h */
  double t, t1, h;
  const double *q;         /* q_n */
  const double *v, *a, *w; /* v_n, a_n, w_n, corrected */
  double *wq0, *v10;       /* w_q and v_1 for x = 0, eta = 0 */
  double *wq, *vh;         /* w_q, v^_1 */
  ga_site site[GA_SITES];  /* by kind; the new one is always in use, constraints are taken there */
  double *g, *gv, *k;      /* constraints at the end of the step */
  double *history, *zero;  /* of weighted rows: hm M_old a_n - hf f_n; nv zeros */
  double *momentum;        /* M_alpha a_alpha of this step */
  ga_csr Hh, Yh;           /* H and Y at v^_1 */
  bool has_hat;
  double *vd1, *lam1, *psi1;       /* those not unknowns of the step, set before it ends */
  int *mass_diagonal;              /* places of the diagonal in M, -1 where it has none */
  bool mass_is_diagonal;           /* M has nothing else */
  bool G_is_at_n;                  /* G was evaluated at the accepted state */
  ga_csr L[GA_MAX_X], P[GA_MAX_X]; /* derivatives of a reaction of the model's own */
  ga_csr Gn;                       /* at (t_n, q_n), for eta */

  /* Newton: unknowns, residual, increment; the unknowns of the last steps */
  double *x, *r, *dx;
  double r_size[GA_MAX_CON + 1]; /* largest residuals: dynamic rows, each kind of constraint */
  ga_predictor past;
  double *wq_last;  /* w_q of the iterate before, for the increment in position units */
  double *reaction; /* G^T lam + H^T psi of the row in hand */
  double *row_size; /* size of the terms of each dynamic row, and the largest of all: */
  double force_size;
  double *reaction_size; /* scratch of Newton's acceptance: reactions in each velocity's row, */
  double *size_q;        /* and how large the numbers are that a velocity moves */

  /* matrix */
  ga_csr Kt[GA_MAX_X], Ct[GA_MAX_X], GT, Z, Y, acc_q, acc_v;
  int acc_term;         /* G of an acceleration row, -1 if there is none */
  bool tangents_wanted; /* the matrix will follow: let the residual's pass evaluate what it needs */
  bool tangents_known;  /* Kt, Ct, Z, Y belong to the site of the last residual */
  double *work;         /* nv numbers, in one function */
  ga_row_terms dyn[GA_MAX_X], con[GA_MAX_CON];
  int mass_term[GA_MAX_X], lam_term[GA_MAX_X], psi_term[GA_MAX_X];
  ga_csr K0, C0; /* the applied part of the tangents, subtracted from rows without it */
  ga_blocks blocks;
  ga_linsol ls;
  ga_split split;
  bool factored; /* factors exist, for step size factored_h */
  double factored_h;
  long factored_age;     /* accepted steps since */
  double rate;           /* worst contraction seen in the last step */
  int pause, pause_next; /* steps to begin with a fresh matrix, and the next such number */
  int fresh_its;         /* iterations of the last step that began so, */
  int last_its;          /* and of the last one of all */
  int ncomponent;        /* parts of the system that move by themselves, */
  int *component;        /* and the part of each velocity */
  double *gain;          /* change of their accelerations by a rounding of the constraints, */
  double gain_mult;      /* and of multipliers, */
  double left;           /* how much is left of late, */
  int gain_age;          /* steps these still serve */
} ga_step;

ga_status ga_step_init(ga_step *s, const ga_method *method, const ga_options *options,
                       ga_eval *eval, ga_stats *stats, ga_arena *arena);
void ga_step_close(ga_step *s);

/* Forget factors and constant masses: the next step starts from scratch. */
void ga_step_reset(ga_step *s);

/* The predictor of a first step: x = v', a or a part of v', multipliers as given, eta = 0. */
void ga_step_predict(ga_step *s, const ga_memory *mem);

/* Take the history at t_n, corrected for h, prepare constants and predictor. */
ga_status ga_step_begin(ga_step *s, const ga_memory *mem, const ga_history *past, double h,
                        double t1);
/* x -> w_q, q_1, v_1 */
void ga_step_update(ga_step *s);
/* residual at the current site and its sizes, also F, M, G, H, g, k there; the matrix may follow */
ga_status ga_step_residual(ga_step *s, bool matrix_follows);
/* matrix at the site of the last residual, assembled and factored */
ga_status ga_step_matrix(ga_step *s);
/* constraint residuals of a converged step into the statistics, its results into mem, what was
 * there into before; if it fails, both are as they were */
ga_status ga_step_end(ga_step *s, ga_memory *mem, ga_memory *before);
/* the step just ended will not be taken back: its unknowns serve the next guesses */
void ga_step_accepted(ga_step *s);

/* Sites (site.c): storage; those fixed for a step; the others, after w_q and v_1 changed; M, F, G,
 * H at the current ones; the tangents of exp. */
void ga_sites_init(ga_step *s, ga_arena *arena);
ga_status ga_sites_begin(ga_step *s);
void ga_sites_move(ga_step *s);
ga_status ga_sites_evaluate(ga_step *s);
/* the message for what is not finite of it; GA_OK if all is */
ga_status ga_sites_blame(ga_step *s);
bool ga_step_has_row(const ga_step *s, ga_con_kind kind);
void ga_sites_tangents(ga_step *s);
ga_status ga_site_mass(ga_step *s, ga_site *site, double t, const double *q);

/* The linear systems of a step, whole or in parts (split.c): after the matrix is assembled, factor;
 * then solve, b in x. */
ga_status ga_split_init(ga_step *s, ga_arena *arena);
void ga_split_close(ga_split *split);
void ga_split_reset(ga_split *split);
long ga_split_repivots(const ga_split *split);
ga_status ga_split_factor(ga_step *s);
ga_status ga_split_solve(ga_step *s, double *x);

/* Terms of the matrix, after the layout is known; matrix.c. */
ga_status ga_step_matrix_init(ga_step *s, ga_arena *arena);

/* The current multipliers of a block; zeros for GA_NONE. */
const double *ga_step_multipliers(const ga_step *s, int block);

/* Size of a constraint row of this kind, and of a multiplier block. */
int ga_step_con_size(const ga_step *s, ga_con_kind kind);
int ga_step_mult_size(const ga_step *s, ga_block_kind kind);

/* Solve the step's equations by Newton's method (newton.c). */
ga_status ga_newton(ga_step *s);

/* What row or unknown i is, for messages: "force balance of v[2] ('theta')". */
const char *ga_step_row_name(const ga_step *s, int i, char *text, size_t room);
const char *ga_step_unknown_name(const ga_step *s, int i, char *text, size_t room);

#endif

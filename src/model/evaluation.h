/* SPDX-License-Identifier: MIT */
/* Evaluation of a model: any part of it, or several at once, checked; by finite differences where
 * the model gives no derivative. Everything goes through ga_eval_all. */
#ifndef GA_SRC_EVALUATION_H
#define GA_SRC_EVALUATION_H

#include "base/csr.h"
#include "base/team.h"
#include "model/adapter.h"
#include "model/difference/colouring.h"

/* The pattern of Ct. */
static inline const ga_csr *ga_eval_pattern_C(const ga_model *model) {
  return model->pat_C ? model->pat_C : model->pat_K;
}

/* Where something is evaluated. x, lam, psi are read by the tangents only. */
typedef struct ga_eval_point {
  double t;
  const double *q, *v;
  const double *x, *lam, *psi;
} ga_eval_point;

/* G by differences at one point, with the values of g that it was made of, for G at points nearby
 * (nearby.c). */
typedef struct ga_nearby {
  bool on;    /* G may be made of a G nearby: inside a step, whose points are close together */
  bool valid; /* there is one, */
  double t, *q;
  double same, reach;        /* how far points may be to have the same G, and one made of it */
  double *step;              /* of the columns */
  double *up, *down;         /* g at q o exp(+-step), nlam numbers for each group */
  double *new_up, *new_down; /* the same at a point nearby */
  double *G, *gt;            /* values of G and g_t */
  bool has_gt;
} ga_nearby;

/* D_q(G^T lam) by second differences, which takes n^2 values of g for n groups of columns: it is
 * used again for some matrices (mixed.c). */
typedef struct ga_bend {
  double t, *q, *lam; /* where it was made, */
  ga_csr K;           /* with the pattern of Kt */
  int uses;           /* how often it was used; 0: there is none */
} ga_bend;

/* One per integrator: borrows the model, owns scratch memory. */
typedef struct ga_eval {
  const ga_model *model;
  int nq, nv, nlam, npsi;
  /* The team that the model is a part for (NULL: it is whole), which of the velocities it shares,
   * and what all ranks have together: constraints, the largest noise of a gradient. */
  ga_team *team;
  bool *shared;
  long nlam_all, npsi_all;
  double noise_all;
  unsigned pass;   /* parts asked of the model's evaluate, */
  unsigned given;  /* of it or of callbacks, */
  unsigned absent; /* of neither, although the model has them: left to differences */
  bool alone;      /* evaluate is asked for all that is given */
  bool mass_given; /* all rows of M are constant and named: M is asked of nobody, */
  bool const_mass; /* or the model says that it is constant */
  double
      time_step; /* difference step in t, not above 10 h: faster drives are not resolved anyway */
  ga_error *err; /* receives the message of a failure */
  bool trusting; /* results are not searched for NaN: the caller looks at what it makes of them, and
                    asks for the callback to blame then */
  /* scratch of the difference quotients, one set per nesting level: a tangent by differences may
   * need a Jacobian by differences */
  struct ga_difference_level {
    double *q, *v, *w, *step;
    double *lo, *hi, *mid, *near, *far;
    double *bend, *wave, *truth, *proof; /* what is known of each row (quotient.c), */
    double *up[2], *down[2]; /* values at the step taken last and at the one under trial */
  } fd[2];
  int fd_depth;
  ga_csr M, G, H; /* scratch matrices of the vector functions below */
  double *zero;   /* nv zeros: v where it does not matter */
  double *mult;   /* scratch: nlam + npsi */
  ga_nearby near;
  /* scratch of second differences (mixed.c): values moved along groups of columns, of q and of v;
   * which column of a group is in a row */
  double *mixed[2], *mixed_rate;
  int *owner;
  bool one_tangent; /* Kt is wanted at one place of a step only: D_q(G^T lam) may be used again */
  ga_bend bend, bend_before; /* now, and at the begin of the step under way if it was renewed, */
  bool bend_renewed;
  int bend_uses; /* and how often it had been used */
  ga_colouring colouring_K, colouring_C, colouring_G, colouring_H;
} ga_eval;

/* sizes of the numbers that coordinates are rounded like: |q|, 1 for rotations, and at least what
 * the model says */
void ga_eval_size(const ga_eval *e, const double *q, double *size);

ga_status ga_eval_init(ga_eval *e, const ga_model *model, ga_arena *arena, ga_error *err);

/* Set pass, given, absent and alone. Where a part may come from evaluate and from a callback,
 * evaluate is asked if it is preferred. */
void ga_eval_sources(ga_eval *e, bool prefer_pass);

/* All of what is wanted, not NULL in out: of the model in one call as far as it gives it, by
 * differences for the rest. v may be NULL if only M, g, G or g_t is wanted. */
ga_status ga_eval_all(ga_eval *e, double t, const double *q, const double *v,
                      const ga_evaluation *out);

/* The model has a reaction R of its own. */
static inline bool ga_eval_own_reaction(const ga_eval *e) {
  return (e->given & GA_GIVES_R) != 0;
}

/* The same for one part each. */
ga_status ga_eval_mass(ga_eval *e, double t, const double *q, ga_csr *M);
ga_status ga_eval_force(ga_eval *e, double t, const double *q, const double *v, double *F);
ga_status ga_eval_g(ga_eval *e, double t, const double *q, double *g);
ga_status ga_eval_k(ga_eval *e, double t, const double *q, const double *v, double *k);
ga_status ga_eval_G(ga_eval *e, double t, const double *q, ga_csr *G);
ga_status ga_eval_H(ga_eval *e, double t, const double *q, const double *v, ga_csr *H);
/* g_t; and the hidden constraint G v + g_t for a G already evaluated there */
ga_status ga_eval_gt(ga_eval *e, double t, const double *q, double *gt);
ga_status ga_eval_hidden(ga_eval *e, double t, const double *q, const double *v, const ga_csr *G,
                         double *gv);
/* parts of g'' and k' without G v' and H v' */
ga_status ga_eval_g_drift(ga_eval *e, double t, const double *q, const double *v, double *drift);
ga_status ga_eval_k_drift(ga_eval *e, double t, const double *q, const double *v, double *drift);
ga_status ga_eval_Z(ga_eval *e, double t, const double *q, const double *v, ga_csr *Z);
ga_status ga_eval_Y(ga_eval *e, double t, const double *q, const double *v, ga_csr *Y);
/* D_q(G x + drift) and d drift/dv of g'' = G x + drift, x held; always by differences */
ga_status ga_eval_acceleration_tangents(ga_eval *e, double t, const double *q, const double *v,
                                        const double *x, ga_csr *by_q, ga_csr *by_v);
/* -R into out, which is overwritten: G^T lam + H^T psi for the G, H given, or the model's own */
ga_status ga_eval_reaction(ga_eval *e, const ga_eval_point *p, const ga_csr *G, const ga_csr *H,
                           double *out);
/* L, P: -dR/dlam and -dR/dpsi by rows; only for models with a reaction of their own */
ga_status ga_eval_reaction_dmult(ga_eval *e, const ga_eval_point *p, ga_csr *L, ga_csr *P);
/* Kt = D_q(M x - F - R), Ct = d/dv(-F - R) */
ga_status ga_eval_tangents(ga_eval *e, const ga_eval_point *p, ga_csr *Kt, ga_csr *Ct);

/* The message for the first of what was evaluated, not NULL in got, that is not finite; GA_OK if
 * all are. */
ga_status ga_eval_blame(ga_eval *e, double t, const ga_evaluation *got);

/* Difference quotients, derivatives.c. A vector function of a point, */
typedef ga_status (*ga_eval_point_fn)(ga_eval *e, const ga_eval_point *p, double *out);
/* its derivative by q (trivialised) or by v, column by column into the pattern of A, */
typedef enum { GA_DIFFERENCE_Q, GA_DIFFERENCE_V } ga_difference_kind;
ga_status ga_difference_columns(ga_eval *e, ga_eval_point_fn fn, const ga_eval_point *p,
                                ga_difference_kind kind, bool sharp, const ga_colouring *colours,
                                ga_csr *A);
/* the same of g by q, sharp, kept in e->near, */
ga_status ga_difference_keep_G(ga_eval *e, const ga_eval_point *p, ga_csr *G);
/* how far a step along column j may go, in units of the steps for coordinates of size 1, */
double ga_difference_scale(const ga_eval *e, const ga_eval_point *p, ga_difference_kind kind,
                           int j);
/* the power of two below d, and not below some roundings of t: t + d and t + 2d are then exact, */
double ga_difference_time_step(double t, double d);
/* and its derivative along t + s, q o exp(s v) (with_motion) or t + s alone, v held. */
ga_status ga_difference_time(ga_eval *e, ga_eval_point_fn fn, const ga_eval_point *p,
                             bool with_motion, int n, double *out);
/* The second derivative along t + s, q o exp(s v). */
ga_status ga_difference_second(ga_eval *e, ga_eval_point_fn fn, const ga_eval_point *p, int n,
                               double *out);

/* What the model does not give, by differences; p has what the part needs. */
ga_status ga_difference_G(ga_eval *e, const ga_eval_point *p, ga_csr *G);
ga_status ga_difference_gt(ga_eval *e, const ga_eval_point *p, double *gt);
ga_status ga_difference_H(ga_eval *e, const ga_eval_point *p, ga_csr *H);
ga_status ga_difference_Z(ga_eval *e, const ga_eval_point *p, ga_csr *Z);
ga_status ga_difference_Y(ga_eval *e, const ga_eval_point *p, ga_csr *Y);
/* Z: NULL, or with Kt, where both take second differences of g */
ga_status ga_difference_tangents(ga_eval *e, const ga_eval_point *p, ga_csr *Kt, ga_csr *Ct,
                                 ga_csr *Z);
/* Kt, Ct and Z at once, those of them that are not NULL, as far as they contain second derivatives
 * of g or k: added to Kt and Ct, written to Z. */
ga_status ga_difference_mixed(ga_eval *e, const ga_eval_point *p, ga_csr *Kt, ga_csr *Ct,
                              ga_csr *Z);
ga_status ga_difference_drift(ga_eval *e, const ga_eval_point *p, double *drift);
/* L and P of ga_eval_reaction_dmult */
ga_status ga_difference_multipliers(ga_eval *e, const ga_eval_point *p, ga_csr *L, ga_csr *P);

/* The model is the part of a rank: what it shares with others, what they have together. */
ga_status ga_eval_join(ga_eval *e, ga_team *team, ga_arena *arena);

/* Relative rounding of G and H as the model gives them: eps, or that of a difference quotient. */
double ga_eval_jacobian_noise(const ga_eval *e);
/* The same of the drift of g'', which may be a first or a second difference. */
double ga_eval_drift_noise(const ga_eval *e);

/* Forget the G that others nearby may be made of; that, and all else that influences later
 * quotients. */
void ga_eval_forget_nearby(ga_eval *e);
void ga_eval_forget(ga_eval *e);

/* A step begins; it is taken back, and leaves no trace. */
void ga_eval_begin(ga_eval *e);
void ga_eval_take_back(ga_eval *e);

/* Difference steps in t for a step size h. */
void ga_eval_set_step(ga_eval *e, double h);

/* The vector functions behind the quotients. */
ga_status ga_eval_point_g(ga_eval *e, const ga_eval_point *p, double *out);
ga_status ga_eval_point_k(ga_eval *e, const ga_eval_point *p, double *out);
ga_status ga_eval_point_hidden(ga_eval *e, const ga_eval_point *p, double *out);
ga_status ga_eval_point_balance(ga_eval *e, const ga_eval_point *p,
                                double *out); /* M x - F + ..., without constant rows of M */
ga_status ga_eval_point_acceleration(ga_eval *e, const ga_eval_point *p,
                                     double *out);                              /* G x + drift */
ga_status ga_eval_point_force(ga_eval *e, const ga_eval_point *p, double *out); /* -F + H^T psi */

/* "lam[2] 'pin x'" into text, for messages; names may be NULL. */
const char *ga_eval_entry_name(char *text, size_t room, const char *symbol, int i,
                               const char *const *names);

#endif

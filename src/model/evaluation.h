/* SPDX-License-Identifier: MIT */
/* Evaluation of a model: any fields of a ga_evaluation at once, checked for NaN and infinity, and
 * by finite differences where the model gives no derivative. Everything goes through ga_eval_all.
 *
 * Names: ga_eval_.. for functions of evaluation.c, ga_difference_.. for those of difference/. */
#ifndef GA_SRC_EVALUATION_H
#define GA_SRC_EVALUATION_H

#include "base/csr.h"
#include "base/team.h"
#include "model/adapter.h"
#include "model/difference/colouring.h"
#include "model/inputs.h"

/* The pattern of Ct. */
static inline const ga_csr *ga_eval_pattern_C(const ga_model *model) {
  return model->pat_C ? model->pat_C : model->pat_K;
}

/* The point at which a model is evaluated. Only the tangents read x, lam and psi. */
typedef struct ga_eval_point {
  double t;
  const double *q, *v;
  const double *x, *lam, *psi;
} ga_eval_point;

/* G by differences at a reference point (t, q), with the values of g that it was computed from. G
 * at a point nearby is computed from it (nearby.c). */
typedef struct ga_nearby {
  bool on;                   /* allowed: the caller is inside a step, whose points are close */
  bool valid;                /* a reference point exists */
  double t, *q;              /* the reference point */
  double same;               /* points closer than this have the same G (change of a coordinate) */
  double reach;              /* G at points closer than this is computed from that at q */
  double *step;              /* nv: difference step of each column of G */
  double *up, *down;         /* g at q o exp(+-step), nlam numbers for each group of columns */
  double *new_up, *new_down; /* the same at the new point */
  double *G, *gt;            /* values of G and g_t at the reference point */
  bool has_gt;               /* gt is known */
} ga_nearby;

/* D_q(G^T lam) by second differences, which costs n^2 values of g for n groups of columns. Some
 * later Newton matrices use it again (mixed.c). */
typedef struct ga_curvature {
  double t, *q, *lam; /* the point where it was computed */
  ga_csr K;           /* its values, in the pattern of Kt */
  int uses;           /* number of matrices that have used it; 0: it was not computed */
} ga_curvature;

/* Fields at the state evaluated last (recall.c). */
typedef struct ga_recall {
  bool possible;   /* evaluate gives all fields in one pass */
  bool on;         /* the caller asks for several fields of few states */
  bool of_q, of_v; /* M, g, G, g_t of (t, q) are known; the others of (t, q, v), too */
  double t, *q, *v;
  double *F, *g, *gt, *k, *drift, *k_drift;
  ga_csr M, G, H;
} ga_recall;

/* One per integrator: borrows the model, owns scratch memory. */
typedef struct ga_eval {
  const ga_model *model;
  int nq, nv, nlam, npsi;
  const int *axes; /* directions of contacts (ga_evaluation.axes), borrowed; NULL: none */
  struct ga_contact_rows *contacts; /* rows that are on or off, borrowed; NULL: none */
  struct ga_present_rows *present;  /* the model is one of these; NULL: it is whole. Borrowed */
  ga_inputs inputs;                 /* values of the inputs; whoever sets tables closes it */
  /* The metric W = diag(w) of the model, ones if it gives none, and its square root; nv numbers. */
  double *metric, *root_metric;
  /* Several processes: the model is the subdomain of one of them. */
  ga_team *team;           /* NULL: the model is the whole system */
  bool *shared;            /* nv: other processes have this velocity too; NULL without a team */
  long nlam_all, npsi_all; /* numbers of constraints of all processes together */
  double noise_all;        /* largest ga_eval_jacobian_noise of all processes */
  /* Sources of the fields, as bits GA_GIVES_.. */
  unsigned pass;   /* from the model's evaluate */
  unsigned given;  /* from evaluate or from a callback */
  unsigned absent; /* from neither, although the model has them: by differences */
  bool alone;      /* evaluate gives all that is given */
  bool mass_given; /* all rows of M are in const_M: the model is not asked for M */
  bool const_mass; /* M is constant: mass_given, or the model says so */
  /* Difference step in t, at most 10 h: the run does not resolve faster drives anyway. */
  double time_step;
  ga_error *err; /* receives the message of a failure */
  /* Do not search results for NaN. The caller checks what it computes from them, and calls
   * ga_eval_blame if that is not finite. */
  bool trusting;
  /* Scratch of the difference quotients, one set for each level of nesting: a tangent by
   * differences may need a Jacobian by differences. */
  struct ga_difference_level {
    double *q, *v;           /* the moved point */
    double *w;               /* nv: its increment in the Lie algebra */
    double *step;            /* nv: difference step of each column */
    double *hi, *lo, *mid;   /* f at s, -s and 0; mid also receives the derivative */
    double *near, *far;      /* s^order D1 and s^order D2 (quotient.c) */
    double *truncation;      /* state of each row in quotient.c, */
    double *wave;            /* explained there */
    double *truth, *proof;   /* .. */
    double *up[2], *down[2]; /* f at s and -s: of the step taken last, and of the one on trial */
  } fd[2];
  int fd_depth;   /* levels in use */
  ga_csr M, G, H; /* scratch matrices of the vector functions below */
  double *zero;   /* nv zeros: v for fields that do not depend on it */
  double *mult;   /* scratch: nlam + npsi */
  ga_nearby near;
  ga_recall recall;
  /* Scratch of second differences (mixed.c). */
  double *mixed[2];   /* function values moved along each group of columns, of q and of v */
  double *mixed_rate; /* function values moved along the motion */
  int *owner;         /* for each row: its column in the present group, -1: none */
  /* D_q(G^T lam), used again (mixed.c). */
  bool one_tangent;              /* Kt is needed once in a step: it may be used again */
  ga_curvature curvature;        /* the present one */
  ga_curvature curvature_before; /* the one at the begin of the step, if it was renewed since */
  bool curvature_renewed;        /* it was */
  int curvature_uses;            /* uses of the one at the begin of the step */
  ga_colouring colouring_K, colouring_C, colouring_G, colouring_H;
} ga_eval;

/* Length scale of each coordinate, for rounding bounds: |q|, 1 for rotations, and at least the
 * model's q_size. */
void ga_eval_size(const ga_eval *e, const double *q, double *size);
/* The same for relative tolerances: |q|, 1 for rotations, and at least the model's q_least. */
void ga_model_tolerance_sizes(const ga_model *model, const double *q, double *size);

ga_status ga_eval_init(ga_eval *e, const ga_model *model, ga_arena *arena, ga_error *err);

/* Set pass, given, absent and alone. A field that evaluate and a callback can give comes from
 * evaluate if prefer_pass is true. */
void ga_eval_sources(ga_eval *e, bool prefer_pass);

/* Compute all wanted fields (not NULL in out): from the model if it gives them, in one call of
 * evaluate, else by differences. v may be NULL if only M, g, G or g_t is wanted. */
ga_status ga_eval_all(ga_eval *e, double t, const double *q, const double *v,
                      const ga_evaluation *out);
/* The same, never from memory. */
ga_status ga_eval_fields(ga_eval *e, double t, const double *q, const double *v,
                         const ga_evaluation *out);

/* Memory for ga_recall_set, which begins or ends the use of remembered fields; what is remembered is
 * forgotten. ga_recall_all: as ga_eval_all, for fields that need no x, lam or psi, but derivatives Z, Y. */
void ga_recall_init(ga_eval *e, ga_arena *arena);
void ga_recall_set(ga_eval *e, bool on);
ga_status ga_recall_all(ga_eval *e, double t, const double *q, const double *v,
                        const ga_evaluation *out);

/* The model has a reaction R of its own. */
static inline bool ga_eval_own_reaction(const ga_eval *e) {
  return (e->given & GA_GIVES_R) != 0;
}

/* The model gives M x as a vector, and M is not constant. */
static inline bool ga_eval_gives_product(const ga_eval *e) {
  return (e->given & GA_GIVES_MX) != 0 && !e->const_mass;
}

/* The same for one field. */
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
/* drifts: g'' - G v' and k' - H v' */
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

/* If an entry of a field in got, evaluated at (t, q, v), is not finite: fill the message with the
 * callback and the first such entry, or with the explanation that the model gives. GA_OK if all are
 * finite. */
ga_status ga_eval_blame(ga_eval *e, double t, const double *q, const double *v,
                        const ga_evaluation *got);

/* ---- difference quotients (difference/derivatives.c) ---------------------------------------- */

/* A vector function of a point. */
typedef ga_status (*ga_eval_point_fn)(ga_eval *e, const ga_eval_point *p, double *out);
/* Its derivative with respect to q (trivialised) or v, column by column into the pattern of A.
 * sharp: by the fourth-order quotient, else by the central quotient. */
typedef enum { GA_DIFFERENCE_Q, GA_DIFFERENCE_V } ga_difference_kind;
ga_status ga_difference_columns(ga_eval *e, ga_eval_point_fn fn, const ga_eval_point *p,
                                ga_difference_kind kind, bool sharp, const ga_colouring *colours,
                                ga_csr *A);
/* G by the sharp quotient, kept as the reference point in e->near. */
ga_status ga_difference_keep_G(ga_eval *e, const ga_eval_point *p, ga_csr *G);
/* Step for column j relative to that of a coordinate of size 1. */
double ga_difference_scale(const ga_eval *e, const ga_eval_point *p, ga_difference_kind kind,
                           int j);
/* The largest power of two up to max(d, 256 eps |t|): t + d and t + 2 d are then exact. */
double ga_difference_time_step(double t, double d);
/* The derivative of fn along t + s, q o exp(s v) (with_motion) or along t + s alone; v is held. */
ga_status ga_difference_time(ga_eval *e, ga_eval_point_fn fn, const ga_eval_point *p,
                             bool with_motion, int n, double *out);
/* The second derivative of fn along t + s, q o exp(s v). */
ga_status ga_difference_second(ga_eval *e, ga_eval_point_fn fn, const ga_eval_point *p, int n,
                               double *out);

/* Fields that the model does not give, by differences. p has the vectors that the field needs. */
ga_status ga_difference_G(ga_eval *e, const ga_eval_point *p, ga_csr *G);
ga_status ga_difference_gt(ga_eval *e, const ga_eval_point *p, double *gt);
ga_status ga_difference_H(ga_eval *e, const ga_eval_point *p, ga_csr *H);
ga_status ga_difference_Z(ga_eval *e, const ga_eval_point *p, ga_csr *Z);
ga_status ga_difference_Y(ga_eval *e, const ga_eval_point *p, ga_csr *Y);
/* Z may be NULL. Kt and Z together share second differences of g. */
ga_status ga_difference_tangents(ga_eval *e, const ga_eval_point *p, ga_csr *Kt, ga_csr *Ct,
                                 ga_csr *Z);
/* Terms with second derivatives of g and k: added to Kt and Ct, written to Z. Each of the three may
 * be NULL. */
ga_status ga_difference_mixed(ga_eval *e, const ga_eval_point *p, ga_csr *Kt, ga_csr *Ct,
                              ga_csr *Z);
ga_status ga_difference_drift(ga_eval *e, const ga_eval_point *p, double *drift);
/* L and P of ga_eval_reaction_dmult */
ga_status ga_difference_multipliers(ga_eval *e, const ga_eval_point *p, ga_csr *L, ga_csr *P);

/* The model is the subdomain of a process of the team: set team, shared and the .._all members. */
ga_status ga_eval_join(ga_eval *e, ga_team *team, ga_arena *arena);

/* Relative rounding error of G and H: eps if the model gives them, else that of the quotient. */
double ga_eval_jacobian_noise(const ga_eval *e);
/* The same of the drift of g'', which may be given, a first or a second difference. */
double ga_eval_drift_noise(const ga_eval *e);

/* Forget the reference point of nearby.c; forget everything that influences later quotients. */
void ga_eval_forget_nearby(ga_eval *e);
void ga_eval_forget(ga_eval *e);

/* A step begins; the step is taken back, and everything is as before it. */
void ga_eval_begin(ga_eval *e);
void ga_eval_take_back(ga_eval *e);

/* Choose the difference step in t for a step size h. */
void ga_eval_set_step(ga_eval *e, double h);

/* Vector functions that are differentiated by quotients. */
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

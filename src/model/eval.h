/* SPDX-License-Identifier: MIT */
/* Evaluation of a model: every callback behind one function that checks what comes back and falls
 * back on finite differences where the model supplies no derivative. */
#ifndef GA_SRC_EVAL_H
#define GA_SRC_EVAL_H

#include "base/csr.h"
#include "genalpha/ga_model.h"
#include "model/colour.h"

/* Where something is evaluated. x, lam, psi are read by the tangents only. */
typedef struct ga_point {
  double t;
  const double *q, *v;
  const double *x, *lam, *psi;
} ga_point;

/* One per integrator: borrows the model, owns scratch memory. */
typedef struct ga_eval {
  const ga_model *model;
  int nq, nv, nlam, npsi;
  double
      time_step; /* difference step in t, not above 10 h: faster drives are not resolved anyway */
  ga_error *err; /* receives the message of a failure */
  bool trusting; /* results are not searched for NaN: the caller looks at what it makes of them, and
                    asks for the callback to blame then */
  /* scratch of the difference quotients, one set per nesting level: a tangent by differences may
   * need a Jacobian by differences */
  struct ga_fd_level {
    double *q, *v, *w, *step;
    double *lo, *hi, *mid, *near, *far;
  } fd[2];
  int fd_depth;
  ga_csr M, G, H; /* scratch matrices of the vector functions below */
  double *mult;   /* scratch: nlam + npsi */
  ga_colours colours_K, colours_G, colours_H;
} ga_eval;

ga_status ga_eval_init(ga_eval *e, const ga_model *model, ga_arena *arena, ga_error *err);

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
ga_status ga_eval_reaction(ga_eval *e, const ga_point *p, const ga_csr *G, const ga_csr *H,
                           double *out);
/* L, P: -dR/dlam and -dR/dpsi by rows; only for models with a reaction of their own */
ga_status ga_eval_reaction_dmult(ga_eval *e, const ga_point *p, ga_csr *L, ga_csr *P);
/* the same by differences */
ga_status ga_fd_multipliers(ga_eval *e, const ga_point *p, ga_csr *L, ga_csr *P);
/* Kt = D_q(M x - F - R), Ct = d/dv(-F - R) */
ga_status ga_eval_tangents(ga_eval *e, const ga_point *p, ga_csr *Kt, ga_csr *Ct);

/* All of what is wanted, not NULL in out, at once: by the model's one-pass callback as far as it
 * goes, by the functions above for the rest. */
ga_status ga_eval_all(ga_eval *e, double t, const double *q, const double *v,
                      const ga_evaluation *out);

/* The message for the first of what was evaluated, not NULL in got, that is not finite; GA_OK if
 * all are. */
ga_status ga_eval_blame(ga_eval *e, double t, const ga_evaluation *got);

/* Difference quotients, fd.c. A vector function of a point, */
typedef ga_status (*ga_point_fn)(ga_eval *e, const ga_point *p, double *out);
/* its derivative by q (trivialised) or by v, column by column into the pattern of A, */
typedef enum { GA_FD_Q, GA_FD_V } ga_fd_kind;
ga_status ga_fd_columns(ga_eval *e, ga_point_fn fn, const ga_point *p, ga_fd_kind kind, bool sharp,
                        const ga_colours *colours, ga_csr *A);
/* and its derivative along t + s, q o exp(s v) (with_motion) or t + s alone, v held. */
ga_status ga_fd_time(ga_eval *e, ga_point_fn fn, const ga_point *p, bool with_motion, int n,
                     double *out);
/* The second derivative along t + s, q o exp(s v). */
ga_status ga_fd_second(ga_eval *e, ga_point_fn fn, const ga_point *p, int n, double *out);

/* Relative rounding of G and H as the model gives them: eps, or that of a difference quotient. */
double ga_eval_jacobian_noise(const ga_eval *e);
/* The same of the drift of g'', which may be a first or a second difference. */
double ga_eval_drift_noise(const ga_eval *e);

/* Difference steps in t for a step size h. */
void ga_eval_set_step(ga_eval *e, double h);

/* The vector functions behind the quotients. */
ga_status ga_point_g(ga_eval *e, const ga_point *p, double *out);
ga_status ga_point_k(ga_eval *e, const ga_point *p, double *out);
ga_status ga_point_hidden(ga_eval *e, const ga_point *p, double *out);
ga_status ga_point_balance(ga_eval *e, const ga_point *p, double *out);      /* M x - F + ... */
ga_status ga_point_acceleration(ga_eval *e, const ga_point *p, double *out); /* G x + drift */
ga_status ga_point_force(ga_eval *e, const ga_point *p, double *out);        /* -F + H^T psi */

/* "lam[2] 'pin x'" into text, for messages; names may be NULL. */
const char *ga_name_entry(char *text, size_t room, const char *symbol, int i,
                          const char *const *names);

#endif

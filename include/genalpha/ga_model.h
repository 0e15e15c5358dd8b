/* SPDX-License-Identifier: MIT */
/* A mechanical system as one function, evaluate, or as a set of callbacks.
 *
 *     q' = DL_q(e) v~                                     q in G, see ga_space.h
 *     M(t,q) v' = F(t,q,v) + R,   R = -G(t,q)^T lam - H(t,q,v)^T psi, or what the model says
 *     0 = g(t,q)         nlam holonomic rows,     G = Dg      (papers: Phi, B; g, g_y)
 *     0 = k(t,q,v)       npsi nonholonomic rows,  H = dk/dv
 *
 * D is the left-trivialised derivative: Df(q) w = d/ds f(q o exp(s w~)) at s = 0; on R^n the
 * ordinary one. There are two ways to write a model:
 *
 *   callbacks   one for each quantity. Three are enough for a constrained system: mass, force,
 *               holonomic.
 *   evaluate    all wanted fields at one point in one call, so that sines, rotations and whatever
 *               else they have in common are computed once. No other callback is needed then.
 *
 * Every derivative that is not given is replaced by finite differences, whose steps suit
 * coordinates and times of about 1e-4 to 1e4 units (for micrometres in metres give G). Oscillations
 * of g are resolved if their period is longer than 1e-5 units, or than ten steps; those that change
 * the derivative of a row by less than 1e-5 are neglected. M may be singular, as long as [[M, G^T,
 * H^T], [G, 0, 0], [H, 0, 0]] is not. */
#ifndef GA_MODEL_H
#define GA_MODEL_H

#include <genalpha/ga_contact.h>
#include <genalpha/ga_csr.h>
#include <genalpha/ga_space.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What `evaluate` below is asked for at (t, q, v), each as the callback of the name beside it would
 * give it; NULL: not wanted this time. Matrices arrive zeroed. */
typedef struct ga_evaluation {
  ga_csr *M;                   /* mass */
  double *F;                   /* force */
  double *g;                   /* holonomic */
  ga_csr *G;                   /* holonomic_jac */
  double *k;                   /* nonholonomic */
  ga_csr *H;                   /* nonholonomic_jac */
  double *Mx;                  /* M x, nv numbers */
  const double *x, *lam, *psi; /* given: all for Kt and Ct, x for Mx, lam and psi for R, L, P */
  const double *u;             /* given: the inputs; NULL: those of the model */
  const int *axes; /* given: for each contact what contact_axis chose; NULL: 0 for all */
  /* given: for each contact whether its rows are used; they need not be written where they are not.
   * NULL: all are used */
  const bool *present;
  ga_csr *Kt, *Ct; /* force_tangents, always both */
  ga_csr *Z;       /* holonomic_curv */
  ga_csr *Y;       /* nonholonomic_dq */
  double *gt;      /* holonomic_t */
  double *drift;   /* holonomic_drift */
  double *k_drift; /* nonholonomic_drift */
  double *R;       /* reaction */
  ga_csr *L, *P;   /* reaction_dmult, always both */
} ga_evaluation;

/* What `evaluate` gives besides M, F, g and k, which it always gives. */
typedef enum ga_gives {
  GA_GIVES_G = 1,
  GA_GIVES_H = 2,
  GA_GIVES_TANGENTS = 4, /* Kt and Ct */
  GA_GIVES_Z = 8,
  GA_GIVES_Y = 16,
  GA_GIVES_GT = 32,
  GA_GIVES_DRIFT = 64,
  GA_GIVES_K_DRIFT = 128,
  GA_GIVES_R = 256,
  GA_GIVES_DR = 512, /* L and P */
  /* M x as a vector, all of it, constant rows of M included. Then a step asks for M itself with
   * Newton matrices only, if its method has one balance of forces without weights. No use for a
   * constant M. */
  GA_GIVES_MX = 1024
} ga_gives;

/* A corner: a time at which a model has a kink or a jump, such as the end of a ramp or a force that is
 * switched on. Automatic steps end there, so that nothing is stepped over, and the memory of the
 * method is built anew, so that order 2 is kept. */
typedef struct ga_corner {
  /* The callbacks have their old values up to the time `before` and their new ones from t on. The two
   * differ by rounding. INFINITY: there is no corner any more. */
  double before, t;
  /* The lowest derivative of the position by time that may jump: 2 the acceleration (a force jumps),
   * 3 its derivative (a force has a kink), 4, 5, .. what the method does not notice. 0 and 1, for
   * constraints that depend on time: if position or velocity do jump, the run ends there. 0 if
   * nothing is known. */
  int jumps;
  const char *what, *name; /* for messages: "force", "kick"; NULL: not known */
  bool hidden;             /* the model may have earlier corners that it cannot tell */
} ga_corner;

/* A point at which a model's own solver works, and the factors of its matrices. */
typedef struct ga_solver_point {
  double t;
  const double *q, *v, *x, *lam, *psi; /* as Kt and Ct get them */
  const double *u;                     /* the inputs; NULL: there are none */
  /* nv numbers, by which the position was reached, q = q_n o exp(w): a matrix T for each factor of
   * the space that does not commute (`tangent` of its group at its part of w), I elsewhere. NULL:
   * T = I. */
  const double *w;
  double a, b, c;
} ga_solver_point;

/* A solver that a model brings for A = a M + b Ct + c Kt T, such as the recursion over a tree of
 * bodies, which forms none of the three. The library handles the constraints, by the Schur
 * complement of their rows. Used by methods with one balance of forces ("stab2", "index3",
 * "index2", "index1") if the option linsol is "own" (or "tree"), or "auto" from `least` velocities
 * on; `evaluate` must give M x (GA_GIVES_MX). All functions return 0, > 0 (a pivot vanishes: try a
 * smaller step) or < 0 (fatal). */
typedef struct ga_model_solver {
  const char *name; /* for messages */
  int least;
  size_t (*room)(void *user); /* numbers of `work`, which each integrator has for itself */
  /* Factor A into work; diagonal: nv numbers, those of M there. Nothing of p is valid later. */
  int (*factor)(void *user, const ga_solver_point *p, double *work, double *diagonal);
  int (*solve)(void *user, double *work, double *b); /* b <- A^-1 b, by the last factors */
  /* y = (a M + b Ct + c Kt T) x with any a, b, c, and the matrices of the last factors. */
  int (*multiply)(void *user, double *work, double a, double b, double c, const double *x,
                  double *y);
} ga_model_solver;

/* Every callback returns 0 (ok), > 0 (cannot be evaluated here, try a smaller step) or < 0 (fatal).
 * Vectors are written whole. Matrices arrive zeroed, with the model's pattern (full where the model
 * names none), M with its constant rows, if they are named; only values may be written. Callbacks
 * must not change shared data: one model may be used by several threads at once. */
typedef struct ga_model_ops {
  /* M(t,q), nv x nv; required, as are the next ones, unless there is an `evaluate` */
  int (*mass)(void *user, double t, const double *q, ga_csr *M);
  /* F(t,q,v), nv numbers: all forces but those of the constraints; required */
  int (*force)(void *user, double t, const double *q, const double *v, double *F);
  /* g(t,q), nlam numbers; required if nlam > 0 */
  int (*holonomic)(void *user, double t, const double *q, double *g);
  /* k(t,q,v), npsi numbers; required if npsi > 0 */
  int (*nonholonomic)(void *user, double t, const double *q, const double *v, double *k);

  /* Optional derivatives; NULL means finite differences. */

  /* G = D g, nlam x nv */
  int (*holonomic_jac)(void *user, double t, const double *q, ga_csr *G);
  /* g_t, the partial time derivative; not called for a scleronomic model */
  int (*holonomic_t)(void *user, double t, const double *q, double *gt);
  /* Z = D_q(G v + g_t) with v held, nlam x nv, pattern of G */
  int (*holonomic_curv)(void *user, double t, const double *q, const double *v, ga_csr *Z);
  /* d/dt(G v + g_t) with v held along q' = v: Z v + G_t v + g_tt, so that g'' = G v' + drift. Left
   * out, it is a first difference of G v + g_t where G, and g_t unless the model is scleronomic,
   * are given; else a second difference of g over at most 2 ms. That is rounded by 1e-10 of the
   * largest numbers that g adds, by 1e-11 w^2 of them where g changes with w rad/s: give G where
   * these numbers are large and the motion is slow. */
  int (*holonomic_drift)(void *user, double t, const double *q, const double *v, double *drift);
  /* H = dk/dv, npsi x nv */
  int (*nonholonomic_jac)(void *user, double t, const double *q, const double *v, ga_csr *H);
  /* Y = D_q k, npsi x nv, pattern of H */
  int (*nonholonomic_dq)(void *user, double t, const double *q, const double *v, ga_csr *Y);
  /* Y v + k_t, so that k' = H v' + drift */
  int (*nonholonomic_drift)(void *user, double t, const double *q, const double *v, double *drift);
  /* Kt = D_q(M x - F - R) for given x, lam, psi, and Ct = d/dv(-F - R); nv x nv. Usually -R = G^T
   * lam + H^T psi. */
  int (*force_tangents)(void *user, double t, const double *q, const double *v, const double *x,
                        const double *lam, const double *psi, ga_csr *Kt, ga_csr *Ct);

  /* Optional: a reaction R(t,q,v,lam,psi) other than -G^T lam - H^T psi, perhaps nonlinear in the
   * multipliers, and its derivatives: row i of L is -dR/dlam_i (pattern of G), row i of P is
   * -dR/dpsi_i (pattern of H), so that L = G and P = H for the usual R. */
  int (*reaction)(void *user, double t, const double *q, const double *v, const double *lam,
                  const double *psi, double *R);
  int (*reaction_dmult)(void *user, double t, const double *q, const double *v, const double *lam,
                        const double *psi, ga_csr *L, ga_csr *P);

  /* All fields that are wanted (not NULL in out), at one point. It alone is a model: it must give
   * M, F, g and k, and what `gives` below names. v is zero where only M, g, G or g_t is wanted. A
   * step calls it about twice, once with the tangents if the Newton matrix is renewed.
   *
   * If there are callbacks as well, G, H, Z, Y, Kt and Ct are asked of evaluate where they have a
   * callback, too, even if `gives` does not name them; ga_model_check_derivatives compares. So who
   * replaces a callback in a copy of the model replaces evaluate, too, or sets it to NULL. */
  int (*evaluate)(void *user, double t, const double *q, const double *v, const ga_evaluation *out);

  /* Optional: what a nonzero code of a callback means, as a sentence in text, for messages; returns
   * text, empty if it has nothing to say. */
  const char *(*explain)(void *user, int code, char *text, size_t room);
  /* Optional: which element of the model gives a number at (t, q, v, inputs u) that is not finite, as a
   * sentence in text, for messages; returns text, empty if it has nothing to say. Called after such
   * a number was found in a result. */
  const char *(*explain_nonfinite)(void *user, double t, const double *q, const double *v,
                                   const double *u, char *text, size_t room);

  /* Optional: the first corner after t, for models with more than a list of them (`corners` of
   * ga_model). *corner arrives with the times INFINITY and jumps = 0. */
  void (*next_corner)(void *user, double t, ga_corner *corner);

  /* Optional: what an automatic step from t to t + way would pass over: something short after a rest
   * that has no corner known beforehand, such as a smooth pulse. The run began at `since`. *surprise
   * arrives with the times INFINITY and jumps = 0. If a function of time changes in the step by much more
   * than in a time as long before: `before` and t are the time at which the step should end, jumps is
   * 4 or more; or, where the function jumps, a corner. hidden: its values at the ends of the step
   * do not show the change. */
  void (*surprise)(void *user, double since, double t, double way, ga_corner *surprise);

  /* Optional: kinetic and potential energy, for reports. */
  int (*energy)(void *user, double t, const double *q, const double *v, double *kin, double *pot);

  /* Optional: inputs that the model itself sets at times of its own and that are held between them,
   * such as the output of a digital controller. next_sample: the first of these times after t,
   * INFINITY: none; steps end there. sample: writes the values from t on into u, which has the values
   * until t; first: at a start, where u has anything. The run restarts if a value changes, so that
   * order 2 is kept. */
  double (*next_sample)(void *user, double t);
  int (*sample)(void *user, double t, const double *q, const double *v, bool first, double *u);

  /* Optional, for contacts with two rows k: which of several pairs of directions t_1, t_2 these rows
   * use from now on, as a number of the model's own, 0 to 255. k, H and Y of `evaluate` use the pair
   * out->axes[contact] until the next call. axis: the present number, which is to be kept unless its
   * direction comes near to the normal; -1: choose anew, at a start and at a change of the contact.
   * Without it the rows k use the same directions for ever. */
  int (*contact_axis)(void *user, double t, const double *q, int contact, int axis);

  unsigned gives; /* GA_GIVES_.. of evaluate, joined by |; the rest is left to differences */

  const ga_model_solver *solver; /* optional: the model's own linear solver; NULL: none */
  /* Of mechanisms: contacts of very many bodies, whose rows have no entries in the patterns before
   * they are near. NULL: all rows have. */
  const struct ga_model_crowd *crowd;
} ga_model_ops;

/* All pointers are borrowed: ops, user, space, patterns and names must outlive every integrator
 * that uses the model. A model is constant during a run. */
typedef struct ga_model {
  const ga_model_ops *ops; /* the callbacks */
  void *user;              /* what they get as their first argument */
  const ga_space *space;   /* where q lives: ga_space_rn and others, ga_space.h */
  int nlam, npsi;          /* numbers of holonomic and of nonholonomic constraints; 0: not called */

  /* Patterns of M (nv x nv), of Kt and, unless pat_C below says otherwise, of Ct (nv x nv), of G
   * and Z, of H and Y; NULL means full. A row of K, G or H that touches one component of a
   * non-commutative factor (SO(3), SE(3)) lists all columns of that factor. */
  const ga_csr *pat_M, *pat_K, *pat_G, *pat_H;

  bool const_mass;  /* M depends on neither t nor q: evaluated once; for some rows see const_M */
  bool scleronomic; /* g does not depend on t: g_t = 0, nothing evaluated */
  bool still_gaps;  /* the gaps of contacts do not, though other rows of g do */
  bool autonomous;  /* nothing depends on t: an accuracy need not look at what comes later */

  /* Optional names for messages and column heads, nq, nv, nlam and npsi strings; NULL gives q1.. */
  const char *const *q_names;
  const char *const *v_names;
  const char *const *lam_names;
  const char *const *psi_names;

  const ga_csr *pat_C; /* pattern of Ct; NULL: that of Kt. No entries: forces do not depend on v */

  /* Optional: rows of M that never change, such as those of rigid bodies in a model in which other
   * inertias vary. An nv x nv matrix with values; each of its rows is a whole row of M, or empty. M
   * arrives with these rows filled in, and the model writes the others only. With all rows of M, M
   * is never asked for, and the callback 'mass' is not required. */
  const ga_csr *const_M;

  /* Optional, nv numbers: length scale of each coordinate, used for rounding bounds only. Set it if
   * q is small compared with constants in your callbacks, such as anchors, or the radius of a
   * pendulum if q is a displacement from rest: the sum has the rounding error of the larger number,
   * and a step cannot be more exact than that. NULL: |q| is its own scale. Rotations of SO(3) and
   * SE(3) need none. */
  const double *q_size;

  /* Optional, nv numbers: sizes of coordinates that relative tolerances (rtol, --accuracy) refer to at
   * least; 1 for an angle that counts as a rotation does. NULL or 0: the largest |q| so far. Rotations
   * of SO(3) and SE(3) need none, they count as 1. */
  const double *q_least;

  /* Optional, nlam + npsi numbers: the sum_j |G_ij|/sqrt(w_j) (for k: of H) that rounding bounds of
   * each row take at least. Set it if a row compares two places that all unknowns move alike: its
   * gradient is zero, its value is the rounding of the places. NULL: the gradient is enough. */
  const double *row_reach;

  /* Optional, nv numbers w > 0: the metric W = diag(w), constant during a run. It makes velocities
   * of different kinds comparable: 1 for lengths, l^2 for angles, with a typical length l of the
   * model; mechanisms set it themselves. Corrections of positions act through it, q' = v - W^-1
   * G^T eta; sqrt(w) |v'| is the size of an acceleration, |F| / sqrt(w) that of a force. With it
   * a run does not depend on units: multiply lengths, masses and times by powers of two, and the
   * same bits come out (but for derivatives by differences). NULL: ones, as in the papers. */
  const double *metric;

  /* Optional: the corners of the model, ncorners increasing times, if there is no callback
   * next_corner. At the time itself the callbacks give the values behind the corner. A force that is
   * on from t = 5 to t = 5.05: {5, 5.05}. */
  const double *corners;
  int ncorners;

  /* Optional inputs: numbers that are set between steps, or that follow a table over the time
   * (ga_integrator_set_input), such as the torque of a motor that a controller computes. M, g, G, k
   * and H must not depend on them. `evaluate` gets their values in out->u. input: their values at
   * first, NULL: zero. */
  int ninput;
  const char *const *input_names; /* ninput strings, NULL: they have no names */
  const double *input;            /* ninput numbers */

  /* Optional: what the coordinates are where a system can be written in several ways ("joint"), a word
   * of at most 15 letters. Saved states carry it, and one of another kind is refused by name. */
  const char *coordinates;

  /* Optional contacts (ga_contact.h): rows of g and k that are on or off. */
  const ga_contact *contacts;
  int ncontacts;
} ga_model;

/* The first corner of the model after t, by its callback or its list. */
GA_API ga_corner ga_model_next_corner(const ga_model *model, double t);

/* The number of the input of this name; -1: there is none. */
GA_API int ga_model_input(const ga_model *model, const char *name);

/* What a model gives besides M, F, g and k, by evaluate or by callbacks: bits GA_GIVES_.. */
GA_API unsigned ga_model_gives(const ga_model *model);

/* What is wanted in out, as the library asks for it: matrices are zeroed (full ones need neither
 * ptr nor col for that), then evaluate or the callbacks are called. Nothing is formed by
 * differences; v matters unless only M, g, G or g_t is wanted. Returns what the model returns, or
 * GA_ERR_ARG (< 0) if it does not give all of it. */
GA_API int ga_model_evaluate(const ga_model *model, double t, const double *q, const double *v,
                             const ga_evaluation *out);

/* Sizes, required callbacks, patterns: GA_ERR_ARG with a sentence if something is missing. */
GA_API ga_status ga_model_validate(const ga_model *model, ga_error *err);

/* Compare every derivative the model supplies with a difference quotient at (t, q, v). One line per
 * derivative goes to report if it is not NULL. GA_ERR_MODEL if one is wrong; err then names the
 * callback, the entry and both values. */
GA_API ga_status ga_model_check_derivatives(const ga_model *model, double t, const double *q,
                                            const double *v, FILE *report, ga_error *err);

#ifdef __cplusplus
}
#endif
#endif

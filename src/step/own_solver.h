/* SPDX-License-Identifier: MIT */
/* The Newton matrix with the model's own solver (ga_model_solver): the block of the velocities,
 *
 *     A = m M + phi h r Ct + phi h^2 p Kt T(w_q),
 *
 * is left to the model, and neither M nor Kt nor Ct is formed. The rows and columns of constraints
 * are a border (linsol/bordered.h). The columns of eta, -phi h^2 Kt T G_n^T, are products that the
 * model computes. Only for one dynamic row with all forces at the new site. */
#ifndef GA_SRC_OWN_SOLVER_H
#define GA_SRC_OWN_SOLVER_H

#include "kkt/own_block.h"
#include "step/equations.h"

/* A point with copies of its arrays, so that a step that is taken back can return to it. */
typedef struct ga_own_point {
  ga_solver_point at;
  double by_eta; /* -phi h^2 */
  double *held;  /* q, v, x, lam, psi, u, w, one after the other, then the values of G_n */
  double *Gn;    /* in held */
} ga_own_point;

typedef struct ga_own_solver {
  ga_own_block block; /* its point is `now` */
  const ga_equations *eq;
  size_t room; /* numbers in held */
  ga_own_point now, aside;
  double *row; /* nv: work */
} ga_own_solver;

/* Are steps of these equations to be solved so? */
bool ga_own_solver_wanted(const ga_equations *s, const ga_options *options);
/* Allocate everything. May set arena->failed. */
void ga_own_solver_init(ga_own_solver *o, ga_equations *s, ga_arena *arena);
/* The next factorization is at x, where the equations were evaluated last. */
void ga_own_solver_place(ga_own_solver *o, ga_equations *s, const double *x);
/* Keep the present point; return to it. */
void ga_own_solver_save(ga_own_solver *o);
void ga_own_solver_load(ga_own_solver *o);
/* y += (a M + b Ct) x, with the matrices of the last factorization. */
void ga_own_solver_multiply(const ga_own_solver *o, double a, double b, const double *x, double *y);

#endif

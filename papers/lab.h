/* SPDX-License-Identifier: MIT */
/* Tools of the items: runs with a callback per step, errors over step sizes, slopes, small dense
 * algebra. */
#ifndef PAPERS_LAB_H
#define PAPERS_LAB_H

#include <stdint.h>

#include "convergence/study.h"
#include "papers/item.h"

typedef struct lab {
  result *r;
  ga_problem *problem;
  ga_options o; /* the problem's parameters and step, method index3, plain start; change at will */
  double shift; /* set by lab_ladder: a_n ~ v'(t_n + shift) */
} lab;

/* False, with the reason in the result. Close either way. */
bool lab_open(lab *l, result *r, const char *problem);
void lab_close(lab *l);

/* How far a run goes, a projection on the way, and the times at which errors count. */
typedef struct lab_plan {
  double t_end;
  int steps;         /* > 0: so many steps of h instead of up to t_end */
  double project_at; /* time of a velocity projection (7); 0: none */
  bool mirror;       /* start: v0 moved opposite to the perturbed start, by the same amount */
  double from, to;   /* errors: the largest with from <= t <= to; to = 0: at t_end */
} lab_plan;

/* A new integrator, started; NULL, with the reason in the result. The caller frees it. */
ga_integrator *lab_start(lab *l);

/* Called after the start, after each step and after the projection; steps: how many so far. */
typedef void (*lab_watch)(void *context, const ga_state *state, long steps);
bool lab_run(lab *l, const lab_plan *plan, lab_watch watch, void *context);

/* Errors of the state x: error[i] = fmax(error[i], error of quantity i); NaN on entry: none yet.
 * exact->a is NULL where v' at t + alpha h is not known. */
typedef void (*lab_error)(const lab *l, const ga_state *x, const ga_state *exact, double *error);

/* Euclidean norms, as most of the papers have them, in the order of study.h: q, v, a, vd, lambda,
 * psi; columns FIELDS. */
void lab_euclid(const lab *l, const ga_state *x, const ga_state *exact, double *error);

/* Rows 0, 1, ... of the result's table: step sizes o.h, o.h/2, ... (with o.h_fractions: their
 * average) into the given column, n errors into the columns after it. */
bool lab_ladder(lab *l, const lab_plan *plan, int levels, lab_error errors, int n, int column);

/* Slope of log y over log x through the last `points` rows in which both are known. */
double lab_slope(const table *t, int x, int y, int points);

/* M as a full matrix by rows. */
bool lab_mass(const ga_model *model, double t, const double *q, double *M);
/* G v + g_t, nlam numbers. */
bool lab_hidden(const ga_model *model, const ga_state *state, double *out);

/* Evenly spread in an interval, always the same sequence for the same first seed. */
double lab_random(uint64_t *seed, double from, double to);

/* Euclidean norm of a - b, b NULL: of a. */
double lab_norm(int n, const double *a, const double *b);

/* Dense n x n matrices by rows, in long double. Condition number in the 1-norm, by the inverse. */
long double lab_condition(int n, const long double *A);
void lab_multiply(int n, const double *A, const double *B, double *C);
bool lab_solve_columns(int n, const double *A, const double *B, double *X); /* X = A^-1 B */
/* Eigenvalues of a symmetric matrix, rising, and orthonormal eigenvectors as columns of V. */
void lab_eigen(int n, const double *A, double *value, double *V);
int lab_rank(int n, const double *A, double tolerance); /* of a square matrix, singular values */

/* Roots of c[0] + c[1] z + ... + c[n] z^n, n <= 4, by simultaneous iteration: the largest modulus,
 * and the roots as pairs (re, im) if roots is not NULL. */
double lab_largest_root(int n, const double *c, double *roots);

#endif

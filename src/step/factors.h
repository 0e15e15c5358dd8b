/* SPDX-License-Identifier: MIT */
/* The factors of the Newton matrix: computed, kept over several steps, renewed by one rule.
 *
 * The unit of cost is one pass through the nonzeros of the matrix. The linear solver reports the
 * cost of a solve and of a factorization. A residual with its acceptance test costs RESIDUAL, the
 * assembly of a matrix ASSEMBLY (numbers in factors.c). The rule:
 *
 * Between steps, factors are kept as long as the last step with them cost less than the mean step
 * since they were made. The cost of making them is part of that mean. When they are given up, the
 * mean is compared with the cost of a step with new factors that follows another such step. (After
 * a step with old factors the guess is worse, so that such a step would not be a fair measure.) If
 * keeping did not pay, the next 2 steps use new factors, then 4, 8, .. until it pays.
 *
 * Inside a step, factors are renewed if the iterations that are left would cost more than new
 * factors and one iteration. The number of iterations left is predicted from the contraction. */
#ifndef GA_SRC_FACTORS_H
#define GA_SRC_FACTORS_H

#include "linsol/numbering.h"
#include "linsol/registry.h"
#include "step/matrix.h"
#include "step/own_solver.h"

/* Costs of earlier steps. A step that is taken back restores it by one assignment. */
typedef struct ga_experience {
  int steps;       /* steps with the current factors, including the step that made them */
  double spent;    /* cost of these steps, including making the factors */
  double last;     /* cost of the last of these steps */
  bool last_fresh; /* the last step began with new factors */
  double fresh;    /* cost of a step with new factors that follows another such step: running mean,
                      half of it from the last one; multiplied by FADE when factors are given up */
  int pause;       /* this many steps must begin with new factors before any are kept again */
  int pause_next;  /* the next pause, if keeping does not pay again */
} ga_experience;

/* Work done so far. The work of a step is the difference of two of these. */
typedef struct ga_effort {
  long residuals, solves;
} ga_effort;

typedef struct ga_factors {
  const ga_options *options;
  ga_stats *stats;
  ga_matrix matrix;
  /* Blocks of the matrix, a hint for the linear solver. */
  ga_linsol_block block[GA_MAX_X + 1 + GA_MAX_CON];
  ga_linsol_layout layout;
  ga_linsol_numbering numbering; /* in a team: numbers of the unknowns in the whole matrix */
  double *wide; /* in a team: right-hand side, if the matrix has more rows than the equations */
  ga_linsol ls;
  ga_own_solver own; /* of the model; then the matrix has the rows of constraints only */
  long solves;       /* number of solves so far */
  bool used;         /* a matrix was factored since the start: the solver has scales and pivots */
  bool valid;        /* there are factors */
  bool ahead;        /* they were made before the step that is the first to use them */
  double h;          /* step size that they were made for; 0: none was made */
  ga_experience past;
  double *aside;  /* values of the matrix that the current step found and replaced */
  bool set_aside; /* there are such values */
  double h_found; /* h when the current step began */
  bool made;      /* the current step has made a matrix, */
  bool first;     /* and no step before has: a step that is taken back resets the solver */
} ga_factors;

ga_status ga_factors_init(ga_factors *f, ga_equations *s, const ga_options *options,
                          ga_stats *stats, ga_arena *arena);
void ga_factors_close(ga_factors *f);
/* Forget factors, pivots, scaling and costs: the next step starts from scratch. */
void ga_factors_reset(ga_factors *f);
/* Rows have changed their meaning: forget factors, pivots and experience, not the ordering. */
void ga_factors_repivot(ga_factors *f);
/* Number of factorizations with new pivots so far. */
long ga_factors_repivots(const ga_factors *f);

/* Assemble and factor the matrix at x, where the equations were evaluated last. */
ga_status ga_factors_renew(ga_factors *f, ga_equations *s, const double *x);
/* The same before a step, which begins with these factors if it has the same h. */
ga_status ga_factors_renew_ahead(ga_factors *f, ga_equations *s, const double *x);
bool ga_factors_are_ahead(const ga_factors *f, double h);
/* The same inside a step that began with factors of an earlier step. */
ga_status ga_factors_replace(ga_factors *f, ga_equations *s, const double *x);
/* b <- A^-1 b */
ga_status ga_factors_solve(ga_factors *f, const ga_equations *s, double *b);

/* y += c M x; y += |M| |x| (own solver: |M x|); y_i += |M_ii|, with the M of the end of the step, or
 * of the last Newton matrix (ga_equations.by_product). Only the new site. */
void ga_factors_add_mass(const ga_factors *f, const ga_equations *s, double c, const double *x,
                         double *y);
void ga_factors_add_mass_sizes(const ga_factors *f, const ga_equations *s, const double *x,
                               double *y);
void ga_factors_add_masses(const ga_equations *s, double *y);

/* A step begins; a step is taken back. If the step has replaced the factors that it began with,
 * these are made again, so that it can be repeated bit by bit. */
void ga_factors_begin(ga_factors *f);
void ga_factors_take_back(ga_factors *f, const ga_equations *s, const ga_experience *before);

/* Should a step of size h begin with the current factors? */
bool ga_factors_keep(const ga_factors *f, double h);
/* Should they be renewed inside a step whose residual is `excess` times too large, and was reduced
 * by the factor `contraction` in the last iteration? */
bool ga_factors_spent(const ga_factors *f, double excess, double contraction);
/* The work done so far. */
ga_effort ga_factors_effort(const ga_factors *f);
/* A step is solved. before: the work done before it; made: matrices made in it; reused: it began
 * with factors of an earlier step. */
void ga_factors_learn(ga_factors *f, ga_effort before, int made, bool reused);

#endif

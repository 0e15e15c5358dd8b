/* SPDX-License-Identifier: MIT */
/* The factored Newton matrix: made, kept over several steps, renewed by one rule.
 *
 * Costs are counted in passes through the entries of the matrix. A solve and new factors cost what
 * the linear solver says, a residual and its judgement RESIDUAL, the assembly of a matrix ASSEMBLY
 * (factors.c has the numbers). The rule:
 *
 *   between steps  Factors are kept while the last step with them cost less than the mean step
 * since they were made, their making included. When they are given up, that mean is compared with
 * the cost of a step with new factors that follows another such step: one that follows a step with
 * old factors begins with a worse guess. If keeping did not pay, the next 2 steps have new factors,
 * then 4, 8, ... until it pays. inside a step  They are renewed where the iterations that are left,
 * foreseen from the contraction, would cost more than new factors and one iteration. */
#ifndef GA_SRC_FACTORS_H
#define GA_SRC_FACTORS_H

#include "linsol/numbering.h"
#include "linsol/registry.h"
#include "step/matrix.h"

/* What earlier steps taught. A step that is taken back restores it by one assignment. */
typedef struct ga_experience {
  int steps;       /* since the factors were made, the one that made them included */
  double spent;    /* cost of these steps and of the making */
  double last;     /* cost of the last of them */
  bool last_fresh; /* the last step began with new factors */
  double fresh;    /* mean cost of such a step after another one, half of it of the last; fades */
  int pause;       /* steps that must begin with new factors before any are kept again, */
  int pause_next;  /* and how many if that does not pay either */
} ga_experience;

/* Work counted so far; what a step took is the difference of two of these. */
typedef struct ga_effort {
  long residuals, solves;
} ga_effort;

typedef struct ga_factors {
  const ga_options *options;
  ga_stats *stats;
  ga_matrix matrix;
  /* Blocks of the matrix, as the linear solver is told. */
  ga_linsol_block block[GA_MAX_X + 1 + GA_MAX_CON];
  ga_linsol_layout layout;
  ga_linsol_numbering numbering; /* of a team */
  double *wide;                  /* right side of a matrix with more rows than the equations */
  ga_linsol ls;
  long solves; /* so far */
  bool valid;  /* there are factors */
  double h;    /* the step size that they were made for */
  ga_experience past;
  double *aside;  /* values of the matrix that the current step found and replaced */
  bool set_aside; /* there are such values */
  double h_found; /* h when the current step began */
  bool made;      /* the current step has made a matrix */
} ga_factors;

ga_status ga_factors_init(ga_factors *f, ga_equations *s, const ga_options *options,
                          ga_stats *stats, ga_arena *arena);
void ga_factors_close(ga_factors *f);
/* Forget factors, pivots, scaling and experience: the next step starts from scratch. */
void ga_factors_reset(ga_factors *f);
/* Factorizations that chose pivots anew, so far. */
long ga_factors_repivots(const ga_factors *f);

/* The matrix at x, where the equations were evaluated last, assembled and factored. */
ga_status ga_factors_renew(ga_factors *f, ga_equations *s, const double *x);
/* The same inside a step that found factors of an earlier one and used them. */
ga_status ga_factors_replace(ga_factors *f, ga_equations *s, const double *x);
/* b <- A^-1 b */
ga_status ga_factors_solve(ga_factors *f, const ga_equations *s, double *b);

/* A step begins; it is taken back. If it has renewed factors that it had found, these are made
 * again, so that it may be repeated bit by bit. */
void ga_factors_begin(ga_factors *f);
void ga_factors_take_back(ga_factors *f, const ga_equations *s, const ga_experience *before);

/* Should a step of size h begin with the factors there are? */
bool ga_factors_keep(const ga_factors *f, double h);
/* Should they be renewed inside a step whose residual is `excess` times too large, and was reduced
 * by the factor `contraction` in the last iteration? */
bool ga_factors_spent(const ga_factors *f, double excess, double contraction);
/* The work done so far. */
ga_effort ga_factors_effort(const ga_factors *f);
/* A step is solved: the work done before it, matrices made in it, and whether it began with old
 * factors. */
void ga_factors_learn(ga_factors *f, ga_effort before, int made, bool reused);

#endif

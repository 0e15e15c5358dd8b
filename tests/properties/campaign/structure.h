/* SPDX-License-Identifier: MIT */
/* Linear structures: grids of masses in space with springs along edges and diagonals, held by
 * constraints or by springs, some with rigid rods,
 *     M v' = f - K q - c K v - B^T lam,    B q = 0,
 * and runs of them in which every accepted step is judged in long double as in checker.h. A linear
 * step is solved by one Newton iteration. */
#ifndef GA_CAMPAIGN_STRUCTURE_H
#define GA_CAMPAIGN_STRUCTURE_H

#include "model.h"

typedef struct hard_structure {
  char name[96];
  int n, nc;        /* displacements, constraint rows */
  double *mass, *f; /* n each */
  ga_csr K, B;      /* with values, */
  ga_csr M;         /* a pattern */
  double damping;   /* c */
  double *q0, *v0;
  /* settings of the run */
  const char *method, *linsol;
  double h, rho, rtol;
  int steps;
} hard_structure;

/* Structure number `index` of the campaign with that seed; false without memory. The caller frees
 * it. */
bool hard_structure_make(hard_structure *s, uint64_t seed, int index);
void hard_structure_free(hard_structure *s);

typedef struct hard_structure_outcome {
  ga_status status;
  char text[160], linsol[32];      /* the library's sentence if it failed; its linear solver */
  long steps, wrong, rounded;      /* accepted; forward-wrong; above 1e-8 by rounding */
  long solves, tries;              /* linear solves; steps accepted, rejected, failed */
  const char *what;                /* the first wrong step: in which result, */
  double t_wrong, relative, ratio; /* when, relative to the scale, relative to the bound */
} hard_structure_outcome;

/* linsol: the solver to use, NULL: that of the structure. */
hard_structure_outcome hard_structure_run(const hard_structure *s, const char *linsol);

/* Whether the run came to its end with right steps; and with one iteration for each, which is
 * asked of stab2 and index3. */
bool hard_structure_passed(const hard_structure_outcome *o);
bool hard_structure_one_iteration(const hard_structure *s, const hard_structure_outcome *o);

#endif

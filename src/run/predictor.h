/* SPDX-License-Identifier: MIT */
/* Private: the first guess of a step's unknowns, extrapolated from the last steps. */
#ifndef GA_SRC_PREDICTOR_H
#define GA_SRC_PREDICTOR_H

#include "base/team.h"
#include "method/method.h"

enum { GA_PREDICTOR_STEPS = 6 }; /* steps remembered: order 5 at most */
enum { GA_PREDICTOR_BLOCKS = 1 + GA_MAX_CON };

typedef struct ga_predictor {
  ga_team *team; /* NULL: none */
  int n;         /* unknowns */
  /* Block k has the unknowns begin[k] .. begin[k + 1] - 1, which are accelerations (as G^T eta is)
   * or, if force[k], forces. Sizes of each of the two kinds are relative to x of the same kind. */
  int blocks, begin[GA_PREDICTOR_BLOCKS + 1];
  bool force[GA_PREDICTOR_BLOCKS];
  double *weight; /* n: makes the numbers of a kind comparable (metres and radians); NULL: ones */
  int count;      /* steps remembered, at least one, the latest first; if it is the only one, the
                    next `keep` sets its time */
  int order;      /* of the last guess */
  int bent;       /* differences beyond a line that it began with (ga_predictor_begin) */
  double rho;     /* errors that alternate are damped by this factor a step; 0: not guessed */
  double t[GA_PREDICTOR_STEPS], *phi[GA_PREDICTOR_STEPS];
  double b[GA_PREDICTOR_STEPS], b_t1; /* weights of a step to b_t1, */
  int nb;                             /* number of valid weights */
  double size[GA_PREDICTOR_STEPS][2]; /* largest weighted |phi_j| of accelerations and of forces */
} ga_predictor;

/* Allocate phi for the blocks of p, which the caller has set, as team and rho; weighted: allocate
 * weights, too, ones at first. *p was zeroed before. */
void ga_predictor_init(ga_predictor *p, bool weighted, ga_arena *arena);
/* Forget all steps except the latest. */
void ga_predictor_forget(ga_predictor *p);
/* Begin at time t with `count` differences that the caller has set: the unknowns phi[0], their change
 * phi[1] over the time dt before it, perhaps its change phi[2]. */
void ga_predictor_begin(ga_predictor *p, double t, double dt, int count);
/* The second difference phi[2] of the unknowns up to time t; NULL if it is not known, or if the
 * differences do not fall as those of a smooth motion. */
const double *ga_predictor_second_difference(const ga_predictor *p, double t);
/* Remember the unknowns x of an accepted step from t to t1. */
void ga_predictor_keep(ga_predictor *p, double t, double t1, const double *x);
/* Set the time of the latest step to t; the times of all earlier ones move with it. */
void ga_predictor_shift(ga_predictor *p, double t);
/* x (n numbers): a guess for the step from t to t1; false if it is just the unknowns of the last
 * step, phi[0]. */
bool ga_predictor_guess(ga_predictor *p, double t, double t1, double *x);

#endif

/* SPDX-License-Identifier: MIT */
/* Private: the first guess of a step's unknowns, extrapolated from the last steps. */
#ifndef GA_SRC_PREDICTOR_H
#define GA_SRC_PREDICTOR_H

#include "base/team.h"

enum { GA_PREDICTOR_STEPS = 6 }; /* steps remembered: order 5 at most */

typedef struct ga_predictor {
  ga_team *team; /* NULL: none */
  int n, nx;     /* unknowns; the first nx are accelerations, the others multipliers */
  int count;     /* steps remembered, at least one, the latest first; if it is the only one, the
                    next `keep` sets its time */
  int order;     /* of the last guess */
  double rho;    /* errors that alternate are damped by this factor a step; 0: not guessed */
  double t[GA_PREDICTOR_STEPS], *phi[GA_PREDICTOR_STEPS];
  double b[GA_PREDICTOR_STEPS], b_t1; /* weights of a step to b_t1, */
  int nb;                             /* number of valid weights */
  double size_x[GA_PREDICTOR_STEPS],
      size_m[GA_PREDICTOR_STEPS]; /* largest |phi_j| of accelerations and of multipliers */
} ga_predictor;

/* Allocate phi; *p was zeroed. The caller sets team and rho. */
void ga_predictor_init(ga_predictor *p, int nx, int n, ga_arena *arena);
/* Forget all steps except the latest. */
void ga_predictor_forget(ga_predictor *p);
/* Remember the unknowns x of an accepted step from t to t1. */
void ga_predictor_keep(ga_predictor *p, double t, double t1, const double *x);
/* Set the time of the latest step to t; the times of all earlier ones move with it. */
void ga_predictor_shift(ga_predictor *p, double t);
/* x (n numbers): a guess for the step from t to t1; false if it is just the unknowns of the last
 * step, phi[0]. */
bool ga_predictor_guess(ga_predictor *p, double t, double t1, double *x);

#endif

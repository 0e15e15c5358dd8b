/* SPDX-License-Identifier: MIT */
/* Derivatives along one curve by difference quotients, each row with the step that it needs. */
#ifndef GA_SRC_QUOTIENT_H
#define GA_SRC_QUOTIENT_H

#include "model/evaluation.h"

/* f along a curve through p */
typedef struct ga_quotient_curve {
  ga_eval_point_fn fn;
  const ga_eval_point *p;
  bool in_time, with_motion; /* t + s, and q o exp(s v) if with_motion; or else */
  ga_difference_kind kind;   /* all columns of a group, by s times their steps in fd->step */
  const int *column;
  int columns;
} ga_quotient_curve;

/* How its derivative is found. */
typedef struct ga_quotient_search {
  int order;     /* of the derivative, 1 or 2 */
  int rows;      /* of f */
  double s;      /* the step to begin with, */
  double sure;   /* one that resolves the motion, if the first is longer; else the same, */
  double least;  /* and the shortest */
  double ratio;  /* by which a step is reduced */
  double curved; /* |D1 - D2| up to this part of |D1| is good: the error is about its square */
} ga_quotient_search;

/* the shortest step that a row took: its parameter, the largest |D1 - D2|/|D1| of the rows that
 * took it, and where the values of f at +-s are in fd->up and fd->down */
typedef struct ga_quotient_sample {
  double s, relative;
  int which;
} ga_quotient_sample;

/* The derivative of f along the curve, row by row, into out. Rows may have units of their own: each
 * is judged by itself, and its step does not depend on other rows. */
ga_status ga_quotient(ga_eval *e, struct ga_difference_level *fd, const ga_quotient_curve *c,
                      const ga_quotient_search *how, double *out, ga_quotient_sample *last);

/* (f(s) - f(-s))/2 into out; f(s) and f(-s) are in fd->hi and fd->lo then. */
ga_status ga_quotient_central(ga_eval *e, struct ga_difference_level *fd,
                              const ga_quotient_curve *c, double s, int n, double *out);

#endif

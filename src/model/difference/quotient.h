/* SPDX-License-Identifier: MIT */
/* Derivatives along one curve by difference quotients, each row with the step that it needs. */
#ifndef GA_SRC_QUOTIENT_H
#define GA_SRC_QUOTIENT_H

#include "model/evaluation.h"

/* A function f along a curve through the point p. */
typedef struct ga_quotient_curve {
  ga_eval_point_fn fn;
  const ga_eval_point *p;
  bool in_time;            /* the curve is t + s; false: along columns of q or v */
  bool with_motion;        /* with in_time: q o exp(s v) as well */
  ga_difference_kind kind; /* without in_time: all `column`s of a group move by s times fd->step */
  const int *column;
  int columns;
} ga_quotient_curve;

/* How its derivative is found; see quotient.c. */
typedef struct ga_quotient_search {
  int order;     /* of the derivative, 1 or 2 */
  int rows;      /* of f */
  double s;      /* the first and longest step */
  double sure;   /* a step that resolves the motion, at most s */
  double least;  /* the shortest step */
  double ratio;  /* each step is shorter than the one before by this factor */
  double curved; /* accept if |D1 - D2| <= curved |D1|; the relative error is about curved^2 */
} ga_quotient_search;

/* The last step that a row took; along columns of q or v also the shortest. */
typedef struct ga_quotient_sample {
  double s;        /* its length */
  double relative; /* largest |D1 - D2|/|D1| of the rows that took it */
  int which;       /* f(s) and f(-s) are in fd->up[which] and fd->down[which] */
} ga_quotient_sample;

/* The derivative of f along the curve into out, how->rows numbers. Each row chooses its own step,
 * so rows may have different units. *last: the last step that a row took. fd is scratch. If the
 * status is not GA_OK, out is incomplete. */
ga_status ga_quotient(ga_eval *e, struct ga_difference_level *fd, const ga_quotient_curve *c,
                      const ga_quotient_search *how, double *out, ga_quotient_sample *last);

/* (f(s) - f(-s))/2 into out. Afterwards f(s) and f(-s) are in fd->hi and fd->lo. */
ga_status ga_quotient_central(ga_eval *e, struct ga_difference_level *fd,
                              const ga_quotient_curve *c, double s, int n, double *out);

#endif

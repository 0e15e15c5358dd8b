/* SPDX-License-Identifier: MIT */
/* Orders of the remainders after one step in theorems on perturbed start values. */
#ifndef PAPERS_REMAINDERS_H
#define PAPERS_REMAINDERS_H

#include "papers/direct.h"

enum { REMAINDERS = 4 }; /* number of values checked after the step */

/* The remainders after a step of size h from values moved by h in one of several ways. False if
 * there is no solution. */
typedef bool (*remainders_fn)(int kind, const ga_params *par, long double h,
                              double rest[REMAINDERS]);

typedef struct remainders {
  int kinds;                         /* ways to move the start values */
  const char *const *of;             /* text: the value that each kind moves */
  const char *what[REMAINDERS];      /* the values after the step */
  const double (*least)[REMAINDERS]; /* orders of the theorem's O-terms; 0: not given */
  remainders_fn after;
} remainders;

/* Rows of h, h/2, ..: for each kind a column h and the remainders; their orders become claims. The
 * table of the result has names for these columns. */
void remainders_study(result *r, const remainders *s, const ga_params *par);

/* The panel of one kind, its curves over h and the slopes to be compared with. */
#define REMAINDERS_PANEL(label, list, ...)                                              \
  {                                                                                     \
    .title = label, .xlabel = "h", .ylabel = "remainder after one step", .log_x = true, \
    .log_y = true, .slopes = __VA_ARGS__, .curves = list                                \
  }

/* Distance of two vectors; P x. */
double direct_apart(const long double *a, const long double *b);
void direct_times(const long double *P, const long double *x, long double *Px);

#endif

/* SPDX-License-Identifier: MIT */
/* Tables of expressions: pieces of cubic polynomials through given points. */
#ifndef GA_SRC_EXPR_TABLE_H
#define GA_SRC_EXPR_TABLE_H

#include "base/base.h"

typedef enum {
  GA_TABLE_AKIMA,  /* slopes by Akima; a piece between equal values stays flat */
  GA_TABLE_LINEAR, /* straight lines */
  GA_TABLE_CUBIC,  /* natural cubic spline: twice continuously differentiable */
  GA_TABLE_HOLD,   /* each value until the next point */
} ga_table_kind;

/* n points x (increasing) and y; on piece i, with h = x - x_i: y_i + b_i h + c_i h^2 + d_i h^3. */
typedef struct ga_table {
  int n;
  bool periodic; /* it repeats with the period x_n-1 - x_0 */
  ga_table_kind kind;
  double *x, *y, *b, *c, *d;
} ga_table;

/* The kind of that name; -1: there is none. */
int ga_table_kind_named(const char *name);

/* Compute b, c and d of t, whose other members are set. False without memory. */
bool ga_table_fit(ga_table *t);

/* value[0..2] <- y, y' and y'' at x. Beyond the ends of a table that is not periodic: the straight
 * line with the slope of the end; for GA_TABLE_HOLD, the value of the end. */
void ga_table_value(const ga_table *t, double x, double value[3]);

void ga_table_free(ga_table *t);

#endif

/* SPDX-License-Identifier: MIT */
/* Bounds of the operations of expressions over intervals (internal to src/base). */
#ifndef GA_SRC_EXPR_INTERVAL_H
#define GA_SRC_EXPR_INTERVAL_H

#include "base/expr_code.h"

/* All numbers from lo to hi; -INFINITY and INFINITY are allowed. */
typedef struct ga_interval {
  double lo, hi;
} ga_interval;

/* Bounds of the operation for arguments a[0], a[1], .. anywhere in their intervals: no number that it
 * can have is outside, but for rounding; numbers that it cannot have may be inside. Where it is not
 * defined for all arguments: all numbers. table: that of GA_EXPR_table. */
ga_interval ga_interval_operation(ga_expr_op op, const ga_interval *a, const ga_table *table);

#endif

/* SPDX-License-Identifier: MIT */
/* Common to the parser of expressions and their evaluation: one list of operations, the code. */
#ifndef GA_SRC_EXPR_CODE_H
#define GA_SRC_EXPR_CODE_H

#include "base/expr.h"
#include "base/expr_table.h"

/* FUNCTION(name, arguments) can be called by name; OPERATION(name, arguments) is written with
 * signs. */
#define GA_EXPR_LIST(FUNCTION, OPERATION) \
  FUNCTION(sin, 1)                        \
  FUNCTION(cos, 1)                        \
  FUNCTION(tan, 1)                        \
  FUNCTION(asin, 1)                       \
  FUNCTION(acos, 1)                       \
  FUNCTION(atan, 1)                       \
  FUNCTION(sinh, 1)                       \
  FUNCTION(cosh, 1)                       \
  FUNCTION(tanh, 1)                       \
  FUNCTION(exp, 1)                        \
  FUNCTION(log, 1)                        \
  FUNCTION(sqrt, 1)                       \
  FUNCTION(abs, 1)                        \
  FUNCTION(sign, 1)                       \
  FUNCTION(floor, 1)                      \
  FUNCTION(atan2, 2)                      \
  FUNCTION(min, 2)                        \
  FUNCTION(max, 2)                        \
  FUNCTION(mod, 2)                        \
  FUNCTION(hypot, 2)                      \
  FUNCTION(clamp, 3)                      \
  FUNCTION(impact, 6)                     \
  FUNCTION(if, 3)                         \
  FUNCTION(step, 5)                       \
  FUNCTION(table, 1)                      \
  OPERATION(negate, 1)                    \
  OPERATION(add, 2)                       \
  OPERATION(subtract, 2)                  \
  OPERATION(multiply, 2)                  \
  OPERATION(divide, 2)                    \
  OPERATION(power, 2)                     \
  OPERATION(less, 2)                      \
  OPERATION(less_equal, 2)                \
  OPERATION(greater, 2)                   \
  OPERATION(greater_equal, 2)             \
  OPERATION(equal, 2)                     \
  OPERATION(not_equal, 2)                 \
  OPERATION(number, 0)                    \
  OPERATION(variable, 0)

typedef enum {
#define GA_EXPR_ENUM(name, arguments) GA_EXPR_##name,
  GA_EXPR_LIST(GA_EXPR_ENUM, GA_EXPR_ENUM)
#undef GA_EXPR_ENUM
      GA_EXPR_COUNT
} ga_expr_op;

/* One instruction of a stack machine: a number, a variable, or an operation on the top of the
 * stack. */
typedef struct ga_instruction {
  ga_expr_op op;
  int index; /* of a variable, or of a table */
  double number;
} ga_instruction;

/* number of arguments of each operation */
extern const int ga_expr_arguments[GA_EXPR_COUNT];

/* Has the operation corners where its arguments are smooth? (expr_corner.c) */
bool ga_expr_has_corners(ga_expr_op op);

enum { GA_EXPR_STACK = 64 }; /* most values on the stack; the parser refuses what needs more */

/* instructions in the order of execution, and the tables they refer to by index; both owned */
struct ga_expr {
  ga_instruction *code;
  int length;
  ga_table *table;
  int ntable;
};

#endif

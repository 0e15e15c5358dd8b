/* SPDX-License-Identifier: MIT */
/* The options that choose a problem and its time span, shared by the commands that solve one. */
#ifndef CLI_PROBLEM_ARGS_H
#define CLI_PROBLEM_ARGS_H

#include <limits.h>
#include <math.h>

#include "args.h"

typedef struct problem_args {
  double t_end, omega; /* NaN: not given */
  int size;            /* 0: not given */
} problem_args;

#define PROBLEM_ARGS_NONE \
  { .t_end = NAN, .omega = NAN, .size = 0 }

/* Rows of a command's table; place: the member of its settings that is a problem_args. */
#define PROBLEM_SPECS(settings, place, t_end_help)                                           \
  {"t-end", "T", t_end_help, arg_read_real, offsetof(settings, place.t_end), -1e300, 1e300}, \
      {"size",                                                                               \
       "N",                                                                                  \
       "number of elements, for problems of variable size",                                  \
       arg_read_int,                                                                         \
       offsetof(settings, place.size),                                                       \
       1,                                                                                    \
       INT_MAX},                                                                             \
  {                                                                                          \
    "omega", "W", "angular frequency, for problems that have one", arg_read_real,            \
        offsetof(settings, place.omega), 0, 1e300                                            \
  }

/* For arg_command: all library options, and which defaults are the problem's. */
bool problem_takes_all(const char *key);
const char *problem_default(const char *key);

/* Create the problem the operand names; step size and parameters that were not given become its
 * own. ARGS_GO_ON, or the exit code after a message. */
int problem_open(const problem_args *given, const args *a, ga_problem **problem);

/* The end must come after the problem's start: CLI_USAGE after a message, else ARGS_GO_ON. */
int problem_check_end(const ga_problem *problem, double t_end);

/* Wrong names (of solvers, too) and values are wrong usage, everything else is a failure. */
int problem_exit_code(ga_status status);

#endif

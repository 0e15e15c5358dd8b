/* SPDX-License-Identifier: MIT */
/* The options that choose a problem, its time span and what happens on the way, shared by the
 * commands that solve one. */
#ifndef TOOL_ARGS_PROBLEM_ARGS_H
#define TOOL_ARGS_PROBLEM_ARGS_H

#include <limits.h>
#include <math.h>

#include "args/args.h"
#include "simulate/solver.h"
#include "source/model_file.h"

typedef struct problem_args {
  double t_end, omega, project_at; /* NaN: not given */
  int size;                        /* 0: not given */
  int project;                     /* a ga_projection */
  const char *guess;               /* of the multipliers; NULL: the problem's */
  file_sets sets;                  /* parameters of a model file */
  extrapolation how;
} problem_args;

#define PROBLEM_ARGS_NONE \
  { .t_end = NAN, .omega = NAN, .project_at = NAN, .how = EXTRAPOLATION_NONE }

/* Rows of a command's table; member: the one of its settings that is a problem_args. */
#define PROBLEM_SPECS(settings, member, t_end_help)                                             \
  {"t-end", "T", t_end_help, arg_read_real, offsetof(settings, member.t_end), -1e300, 1e300},   \
      {"set",                                                                                   \
       "NAME=VALUE",                                                                            \
       "a parameter of the model file, in place of its value there; once for each",             \
       file_read_set,                                                                           \
       offsetof(settings, member.sets),                                                         \
       0,                                                                                       \
       0},                                                                                      \
      {"coordinates",                                                                           \
       FILE_COORDINATES_WORDS,                                                                  \
       FILE_COORDINATES_HELP,                                                                   \
       file_read_coordinates,                                                                   \
       offsetof(settings, member.sets.coordinates),                                             \
       0,                                                                                       \
       0},                                                                                      \
      {"libraries",                                                                             \
       NULL,                                                                                    \
       FILE_LIBRARIES_HELP,                                                                     \
       arg_read_flag,                                                                           \
       offsetof(settings, member.sets.libraries),                                               \
       0,                                                                                       \
       0},                                                                                      \
      {"size",                                                                                  \
       "N",                                                                                     \
       "number of elements, for problems of variable size",                                     \
       arg_read_int,                                                                            \
       offsetof(settings, member.size),                                                         \
       1,                                                                                       \
       INT_MAX},                                                                                \
      {"omega",                                                                                 \
       "W",                                                                                     \
       "angular frequency, for problems that have one",                                         \
       arg_read_real,                                                                           \
       offsetof(settings, member.omega),                                                        \
       0,                                                                                       \
       1e300},                                                                                  \
      {"guess-multipliers",                                                                     \
       "X,X,...",                                                                               \
       "all lam, then all psi, near which those of the start are sought, where the model "      \
       "allows several (default the problem's)",                                                \
       arg_read_text,                                                                           \
       offsetof(settings, member.guess),                                                        \
       0,                                                                                       \
       0},                                                                                      \
      {"project-at",                                                                            \
       "T",                                                                                     \
       "project the velocity onto the hidden constraint at time T",                             \
       arg_read_real,                                                                           \
       offsetof(settings, member.project_at),                                                   \
       -1e300,                                                                                  \
       1e300},                                                                                  \
      {"project",                                                                               \
       "plain|keep-order",                                                                      \
       "kind of that projection: plain (default), or onto the hidden residual of the method "   \
       "itself, which keeps the order of lam",                                                  \
       arg_read_word,                                                                           \
       offsetof(settings, member.project),                                                      \
       0,                                                                                       \
       0},                                                                                      \
      {"extrapolate",                                                                           \
       "K",                                                                                     \
       "K = 1, 2, 3: order 2 + K and error estimates, from runs with h, h/2, ... and 2h, side " \
       "by side",                                                                               \
       arg_read_int,                                                                            \
       offsetof(settings, member.how.K),                                                        \
       1,                                                                                       \
       GA_EXTRAPOLATE_MAX},                                                                     \
      {"extrapolate-steps",                                                                     \
       "halved|harmonic",                                                                       \
       "steps of these runs: h, h/2, h/4, h/8 (default), or h, h/2, h/3, h/4, which are fewer", \
       arg_read_word,                                                                           \
       offsetof(settings, member.how.steps),                                                    \
       0,                                                                                       \
       0},                                                                                      \
      {"extrapolate-multipliers",                                                               \
       "extrapolated|consistent",                                                               \
       "vd, lam and psi: combined as q and v (default), or from the equations of motion at "    \
       "the extrapolated q and v, put back onto the constraints; mostly far better",            \
       arg_read_word,                                                                           \
       offsetof(settings, member.how.multipliers),                                              \
       0,                                                                                       \
       0},                                                                                      \
  {                                                                                             \
    "threads", "N",                                                                             \
        "threads for these runs (default one for each processor); the results are the same",    \
        arg_read_int, offsetof(settings, member.how.threads), 1, 1024                           \
  }

/* For arg_command: all library options, and which defaults are the problem's. */
bool problem_takes_all(const char *key);
const char *problem_default(const char *key);

/* Create the problem the operand names, or read the model file; step size and parameters that were
 * not given become its own. want: an expression of columns that must exist, or NULL. ARGS_GO_ON, or
 * the exit code after a message; problem_close releases it in any case. */
int problem_open(const problem_args *given, args *a, const char *want, ga_problem **problem);

/* Is the operand of a command a file: a model file or a shared object? Else it names a problem of
 * the library. */
bool problem_is_file(const char *operand);

/* Check that t_end is after the problem's start, project_at in between, and that no option is given
 * that extrapolation excludes, or that only modifies it (--threads is for an accuracy, too):
 * TOOL_USAGE after a message, else ARGS_GO_ON. */
int problem_check_times(const problem_args *given, bool accuracy, const ga_problem *problem);

/* Check that whole steps h, and steps as small as `finest`, meet t_end. ARGS_GO_ON with the
 * number of steps h in *n, or TOOL_USAGE after a message that suggests another h. With --h-seq,
 * h and finest are lengths of whole periods, `period` times the h of the command line; else
 * period = 1. */
int problem_check_steps(const ga_problem *problem, double h, double finest, double period,
                        double t_end, long *n);

/* The variant of the method in use, the default one if none was given; NULL if it has none. */
const char *problem_variant(const ga_options *o);

/* "stab2", "hht (variant 3.4)" */
typedef struct method_title {
  char text[120];
} method_title;
method_title problem_method(const ga_options *o);

/* Wrong names (of solvers, too) and values are wrong usage, everything else is a failure. */
int problem_exit_code(ga_status status);

#endif

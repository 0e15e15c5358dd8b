/* SPDX-License-Identifier: MIT */
/* The settings of `genalpha run`, and the steps from them to a simulation, shared with the commands
 * that make such runs by the thousand. */
#ifndef TOOL_ARGS_RUN_SETTINGS_H
#define TOOL_ARGS_RUN_SETTINGS_H

#include "args/problem_args.h"
#include "simulate/simulate.h"

typedef struct run_settings {
  problem_args problem;
  int every; /* 0: not given */
  bool final, columns, view;
  const char *page, *out, *plot, *save_state, *from_state, *stop_when, *petsc, *input, *impacts;
  int interpolate;                 /* of inputs: a ga_input_kind */
  double checkpoint_every, out_dt; /* NaN: not given */
} run_settings;

#define RUN_SETTINGS_NONE                                                 \
  {                                                                       \
    .problem = PROBLEM_ARGS_NONE, .checkpoint_every = NAN, .out_dt = NAN, \
    .interpolate = GA_INPUT_LINEAR                                        \
  }

/* Rows of a command's table: options about the run and its rows of output, not about files.
 * member: the one of its settings that is a run_settings. */
#define RUN_SPECS(settings, member)                                                             \
  PROBLEM_SPECS(settings, member.problem, "end of the run (default the problem's)"),            \
      {"every",                                                                                 \
       "N",                                                                                     \
       "write every N-th step, and the last (default 1)",                                       \
       arg_read_int,                                                                            \
       offsetof(settings, member.every),                                                        \
       1,                                                                                       \
       INT_MAX},                                                                                \
      {"out-dt",                                                                                \
       "DT",                                                                                    \
       "write the state at equal distances DT of time instead, by interpolation between the "   \
       "steps",                                                                                 \
       arg_read_real,                                                                           \
       offsetof(settings, member.out_dt),                                                       \
       0,                                                                                       \
       1e300},                                                                                  \
      {"input",                                                                                 \
       "FILE.csv",                                                                              \
       "let the inputs of a model file follow the columns of this file that have their names, " \
       "over its first column, the time",                                                       \
       arg_read_text,                                                                           \
       offsetof(settings, member.input),                                                        \
       0,                                                                                       \
       0},                                                                                      \
      {"interpolate",                                                                           \
       "hold|linear|smooth",                                                                    \
       "inputs between the lines of that file: hold each value until the next, where the run "  \
       "restarts and order 2 is kept, linear (default), smooth",                                \
       arg_read_word,                                                                           \
       offsetof(settings, member.interpolate),                                                  \
       0,                                                                                       \
       0},                                                                                      \
  {                                                                                             \
    "stop-when", "EXPRESSION",                                                                  \
        "end the run of a model file where an expression of its columns begins to hold: \"b.z " \
        "< 0.1\"",                                                                              \
        arg_read_text, offsetof(settings, member.stop_when), 0, 0                               \
  }

/* The command `run` itself; its settings are run_settings. The first rows of its table, run_shared
 * of them, are RUN_SPECS. */
extern const arg_command run_command;
extern const int run_shared;

/* Open the problem and check the settings of its run: ARGS_GO_ON, or the exit code after a message;
 * problem_close releases it in any case. want: columns that must exist, or NULL. */
int run_open(run_settings *set, args *a, const char *want, ga_problem **problem);

/* Check the settings of a run of an open problem: ARGS_GO_ON, or the exit code after a message. */
int run_check(run_settings *set, const args *a, const ga_problem *problem);

/* Make the start and the first step of the run that `genalpha run` would make of an open problem of
 * a model file, with the options of `given`; writes no file. Messages go to text (size bytes), ""
 * if all is well, "warning: .." if it succeeds with a warning. Returns the exit code of the run. */
int run_try_start(const args *given, const ga_problem *problem, size_t size, char *text,
                  double *t_end);

/* The simulation that the settings describe; the solver is opened with it, and the problem's events
 * are added. ARGS_GO_ON, or the exit code after a message. */
int run_simulation(const run_settings *set, args *a, const ga_problem *problem, solver *solve,
                   run_events *events, simulation *s);

#endif

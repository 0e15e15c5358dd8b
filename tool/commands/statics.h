/* SPDX-License-Identifier: MIT */
/* Shared by check, equilibrium and modes: one table of options, and one way to open a mechanism. */
#ifndef TOOL_COMMANDS_STATICS_H
#define TOOL_COMMANDS_STATICS_H

#include "source/mechanism_state.h"

typedef struct statics_settings {
  problem_args problem;
  bool json, frozen, view;
  double frequency;                                    /* Hz; 0: not given */
  int count, few;                                      /* 0: not given */
  const char *at, *save_state, *out, *matrices, *page; /* NULL: not given */
} statics_settings;

/* Which command takes an option of the table. */
enum { STATICS_CHECK = 1, STATICS_EQUILIBRIUM = 2, STATICS_MODES = 4 };

typedef struct statics_command {
  int which; /* one of STATICS_.. */
  const char *name, *summary;
  /* Compute and print, with the mechanism at its start; returns the exit code. */
  int (*solve)(const statics_settings *set, const args *a, mechanism_state *s);
} statics_command;

/* Parse the options, read the model file, solve. Returns the exit code. */
int statics_run(const statics_command *command, int argc, char **argv);

#endif

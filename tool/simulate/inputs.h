/* SPDX-License-Identifier: MIT */
/* Inputs of a run from a file: --input. */
#ifndef TOOL_SIMULATE_INPUTS_H
#define TOOL_SIMULATE_INPUTS_H

#include "simulate/solver.h"

/* Let the inputs of the solver's model follow the columns of a CSV file that have their names, over
 * its first column, the time; interpolation: a ga_input_kind. Nothing to do if path is NULL.
 * ARGS_GO_ON, or the exit code after a message. */
int inputs_open(const char *path, int interpolation, const ga_problem *problem, solver *s);

#endif

/* SPDX-License-Identifier: MIT */
/* Columns of a file of results as a table in memory, as far as they are wanted. */
#ifndef TOOL_OUTPUT_RESULTS_TABLE_H
#define TOOL_OUTPUT_RESULTS_TABLE_H

#include <genalpha/ga_results.h>

#include "output/table.h"

/* Open a file; all names of its columns become those of a table without rows. NULL after a message;
 * the table is initialised either way. */
ga_results *results_open(const char *path, table *names);

/* More rows than a picture can show are thinned to about this number, the last one included. */
enum { RESULTS_ROWS = 20000 };

/* The columns that `wanted` marks, with their names, into another table. False after a message. */
bool results_load(ga_results *r, const table *names, const bool *wanted, table *t);

#endif

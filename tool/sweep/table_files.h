/* SPDX-License-Identifier: MIT */
/* The files that a sweep leaves: a table with one row for each run, in order, and the histories of
 * all runs one behind the other. */
#ifndef TOOL_SWEEP_TABLE_FILES_H
#define TOOL_SWEEP_TABLE_FILES_H

#include "sweep/journal.h"

typedef struct sweep_tables {
  const char *out, *history; /* .h5 or .csv; history NULL: none */
  const char *about;         /* which sweep it is: a JSON object */
  const ga_problem *problem;
} sweep_tables;

/* How many runs ended in which way. */
typedef struct sweep_ends {
  long count[SWEEP_MISSING + 1];
  long first_failed;           /* the number of one, -1: none */
  char message[SWEEP_MESSAGE]; /* of that one */
} sweep_ends;

/* Write both files from the journal; each gets its name when it is complete. False after a message.
 */
bool sweep_tables_write(const sweep_tables *f, const sweep_plan *p, const sweep_shape *s,
                        const sweep_journal *j, sweep_ends *ends);

/* Is the file that of this sweep, with all its runs? False also if it is no such file. */
bool sweep_tables_complete(const sweep_tables *f);

#endif

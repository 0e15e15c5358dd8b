/* SPDX-License-Identifier: MIT */
/* Named columns of numbers in memory, to and from CSV; NaN is an empty field. */
#ifndef TOOL_OUTPUT_TABLE_H
#define TOOL_OUTPUT_TABLE_H

#include "columns/state_fields.h"

typedef struct table {
  int columns, rows, room; /* room: rows there is memory for */
  column_name *name;       /* columns */
  double *val;             /* rows x columns */
  bool failed;             /* memory ran out: later numbers are lost */
} table;

/* "h,q,v": three columns, no rows. */
void table_init(table *t, const char *names);
void table_free(table *t);
/* One more column, before the first row; false without memory. */
bool table_add_column(table *t, const char *name);

/* One number; rows up to it that are not there yet are filled with NaN. */
void table_set(table *t, int row, int column, double x);
double table_at(const table *t, int row, int column); /* NaN outside */

/* The number of a column, -1 if there is none of that name. */
int table_column(const table *t, const char *name);

/* Is it the table of a sweep, with a row for each run? Its texts are read as NaN. */
bool table_is_sweep(const table *t);

/* Head line and numbers with 17 digits. False if the file could not take them. */
bool table_write(const table *t, FILE *to);

/* Read a file as `genalpha run --out` writes it; false after a message that says where it is not a
 * table. The table is initialised either way. */
bool table_read(table *t, const char *path);

#endif

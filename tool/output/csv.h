/* SPDX-License-Identifier: MIT */
/* Lines of CSV files. */
#ifndef TOOL_OUTPUT_CSV_H
#define TOOL_OUTPUT_CSV_H

#include <stdbool.h>
#include <stdio.h>

/* A name in the head line, in quotes only where CSV demands them. */
void csv_name(FILE *to, const char *name);
/* The same, with a comma before every column but column 0. */
void csv_head(FILE *to, int column, const char *name);
/* A row of n numbers with 17 digits, and of m texts after them. False if it cannot be written. */
bool csv_row(FILE *to, int n, const double *values);
bool csv_row_texts(FILE *to, int n, const double *values, int m, const char *const *text);

#endif

/* SPDX-License-Identifier: MIT */
/* The parts of a state as named columns, for the trajectory, the summary and the plot. */
#ifndef TOOL_COLUMNS_STATE_FIELDS_H
#define TOOL_COLUMNS_STATE_FIELDS_H

#include "tool.h"

enum { FIELD_Q, FIELD_V, FIELD_VD, FIELD_LAM, FIELD_PSI, FIELDS };

enum { NAME_MAX_LENGTH = 64 };

typedef struct column_name {
  char text[NAME_MAX_LENGTH];
} column_name;

/* "q", "v", "vd", "lam", "psi" */
const char *field_title(int part);
int field_size(const ga_model *model, int part);
const double *field_values(const ga_state *state, int part);

/* The model's name of an entry; the acceleration of a velocity "x" is "x_dot"; without names q1 ...
 */
column_name field_name(const ga_model *model, int part, int i);

/* Of one family: x1 and x2, x1_dot and x2_dot, alike but for digits. */
bool name_family(const char *a, const char *b);

/* A name in the head line of a CSV file, quoted only where CSV demands it. */
void csv_name(FILE *to, const char *name);
/* The same with a comma before all columns but 0; a row with 17 digits, false if it is not written.
 */
void csv_head(FILE *to, int column, const char *name);
bool csv_row(FILE *to, int n, const double *values);
/* The same with texts behind the numbers. */
bool csv_row_texts(FILE *to, int n, const double *values, int m, const char *const *text);

#endif

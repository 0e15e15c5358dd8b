/* SPDX-License-Identifier: MIT */
/* A state as a row of numbers with names and units: t, then the columns of a model file, or q, v,
 * vd, lam, psi and, where the model has them, the energies. */
#ifndef TOOL_COLUMNS_STATE_ROW_H
#define TOOL_COLUMNS_STATE_ROW_H

#include "columns/state_fields.h"
#include "source/model_file.h"

/* Which columns of a model file: those that `output` chose, also the usual ones behind them, or
 * every one that exists. Problems of the library have the same columns in all cases. */
typedef enum state_extent { ROW_CHOSEN, ROW_USUAL, ROW_ALL } state_extent;

typedef struct state_row {
  const ga_model *model;
  named_columns named; /* of a model file */
  int width, chosen;   /* the first ones are those of ROW_CHOSEN; not counted in ROW_ALL */
  column_name *name;
  const char **unit; /* "" if it is not known */
} state_row;

/* False after a message; state_row_close in any case. */
bool state_row_open(state_row *r, const ga_problem *problem, state_extent extent);
void state_row_close(state_row *r);
/* width numbers */
void state_row_fill(state_row *r, const ga_state *state, double *row);
/* The place of a column, -1 if there is none of that name. */
int state_row_find(const state_row *r, const char *name);

#endif

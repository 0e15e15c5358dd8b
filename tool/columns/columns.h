/* SPDX-License-Identifier: MIT */
/* The columns of a problem: named numbers with units, and their values at a state. Trajectories,
 * summaries, plots, result files and sweeps all take names, units and values from here.
 *   model file        t, then columns of the mechanism (ga_mechanism_column_name)
 *   library problem   t, q, v, vd, lam, psi and, if the model has them, the energies */
#ifndef TOOL_COLUMNS_COLUMNS_H
#define TOOL_COLUMNS_COLUMNS_H

#include "columns/quantity.h"
#include "columns/state_fields.h"

/* Which columns of a model file: those that its section `output` chooses (all usual ones if it has
 * none); those and all other usual ones behind them; every column that exists. A problem of the
 * library has the same columns in all cases. */
typedef enum columns_choice { COLUMNS_CHOSEN, COLUMNS_USUAL, COLUMNS_ALL } columns_choice;

/* Source of a column, besides the fields FIELD_Q .. FIELD_PSI of a library problem. */
enum { COLUMN_OF_TIME = -1, COLUMN_OF_MECHANISM = -2, COLUMN_OF_ENERGY = -3 };

typedef struct column_set {
  const ga_model *model;
  const ga_mechanism *mechanism; /* NULL: a problem of the library */
  int count, chosen;             /* the first `chosen` ones are those of COLUMNS_CHOSEN */
  column_name *name;             /* cut at 63 characters, as in files */
  const char **unit;             /* "" if it is not known */
  int *source;                   /* FIELD_.. or COLUMN_OF_.. */
  int *index;                    /* COLUMN_OF_MECHANISM: number of the mechanism's column */
  double *all;                   /* values of all columns of the mechanism */
  bool *ambiguous;               /* of all columns of the mechanism; NULL: all are unique */
} column_set;

/* False after a message; columns_close in any case. */
bool columns_open(column_set *c, const ga_problem *problem, columns_choice which);
void columns_close(column_set *c);

/* The values at a state, `count` numbers. False if the mechanism cannot be evaluated there. */
bool columns_evaluate(column_set *c, const ga_state *state, double *row);

/* Number of the column of that name, -1 if there is none. */
int columns_find(const column_set *c, const char *name);

/* The name of a column in full, and its quantity ("angular velocity", "rad/s"). */
const char *columns_full_name(const column_set *c, int i);
quantity columns_quantity(const column_set *c, int i);

/* " m/s", to be printed after a value; "" for a pure number */
typedef struct unit_suffix {
  char text[24];
} unit_suffix;
unit_suffix columns_unit_suffix(const column_set *c, int i);

/* After a run: find the reactions that redundant constraints leave undetermined. Until then all
 * columns count as unique. */
void columns_find_ambiguous(column_set *c, const ga_integrator *it);
bool columns_is_unique(const column_set *c, int i);

#endif

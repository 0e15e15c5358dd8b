/* SPDX-License-Identifier: MIT */
/* The columns of a problem: how many, their names and units, their values at a state. */
#include "columns/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "source/model_file.h"

/* ---- which columns -------------------------------------------------------------------------- */

/* Choose columns of the mechanism by `which` (columns.h); return how many there are. `to` receives
 * their numbers. `taken`, one flag per column, all false before, receives those that `output` of
 * the model file names, so that none comes twice. Both may be NULL; then columns named by `output`
 * count twice for COLUMNS_USUAL. Column 0 is t, which begins every row: it is not counted. */
static int choose_mechanism_columns(const ga_file *file, columns_choice which, int *to,
                                    bool *taken) {
  const ga_mechanism *m = ga_file_mechanism(file);
  const int all = ga_mechanism_columns(m), usual = ga_mechanism_default_columns(m);
  int n = 0;
  if (which != COLUMNS_ALL) {
    for (; n < all && ga_file_output(file, n) >= 0; n++) {
      if (to) to[n] = ga_file_output(file, n);
      if (taken) taken[ga_file_output(file, n)] = true;
    }
    if (n > 0 && which == COLUMNS_CHOSEN) return n;
  }
  const int last = which == COLUMNS_ALL ? all : usual;
  for (int i = 1; i < last; i++) {
    if (taken && taken[i]) continue;
    if (to) to[n] = i;
    n++;
  }
  return n;
}

/* For a model file: set index (column i of c is column index[i] of the mechanism), count and chosen
 * of c, and allocate c->all. c->mechanism must be set. False without memory; columns_close frees
 * what there is. */
static bool open_mechanism_columns(column_set *c, const ga_file *file, columns_choice which) {
  const size_t all = (size_t)ga_mechanism_columns(c->mechanism);
  bool *taken = calloc(all, sizeof *taken);
  int *index = calloc(2 * all + 1, sizeof *index);
  c->all = calloc(all, sizeof *c->all);
  const bool ok = taken && index && c->all;
  if (ok) {
    c->chosen = 1 + choose_mechanism_columns(file, COLUMNS_CHOSEN, NULL, NULL);
    c->count = 1 + choose_mechanism_columns(file, which, index + 1, taken);
  }
  c->index = index;
  free(taken);
  return ok;
}

/* Number of columns of a library problem: t, all fields, two energies if the model has them. */
static int count_library_columns(const ga_model *model) {
  int n = 1 + (model->ops->energy ? 2 : 0);
  for (int f = 0; f < FIELDS; f++) n += field_columns(model, f);
  return n;
}

/* Set name, unit and source (which field of the state, or COLUMN_OF_..) of the c->count columns,
 * whose arrays must be allocated. Units of library problems are not known: "". */
static void name_columns(column_set *c) {
  int n = 0;
  snprintf(c->name[n].text, sizeof c->name->text, "t");
  c->unit[n] = c->mechanism ? "s" : "";
  c->source[n++] = COLUMN_OF_TIME;
  if (c->mechanism) {
    for (; n < c->count; n++) {
      c->source[n] = COLUMN_OF_MECHANISM;
      c->unit[n] = ga_mechanism_column_unit(c->mechanism, c->index[n]);
      snprintf(c->name[n].text, sizeof c->name->text, "%s",
               ga_mechanism_column_name(c->mechanism, c->index[n]));
    }
    return;
  }
  for (int f = 0; f < FIELDS; f++) {
    for (int i = 0; i < field_columns(c->model, f); i++, n++) {
      c->name[n] = field_name(c->model, f, i);
      c->source[n] = f;
      c->unit[n] = "";
    }
  }
  for (int i = 0; n < c->count; i++, n++) {
    snprintf(c->name[n].text, sizeof c->name->text, i ? "E_pot" : "E_kin");
    c->source[n] = COLUMN_OF_ENERGY;
    c->unit[n] = "";
  }
}

/* Set all of c for the columns of a problem: t, then those that `which` says for a model file, or
 * all of a library problem. It borrows the problem. False after a message; columns_close in any
 * case. */
bool columns_open(column_set *c, const ga_problem *problem, columns_choice which) {
  const ga_file *file = file_of(problem);
  *c = (column_set){.model = &problem->model, .mechanism = file ? ga_file_mechanism(file) : NULL};
  bool ok = true;
  if (file) {
    ok = open_mechanism_columns(c, file, which);
  } else {
    c->count = c->chosen = count_library_columns(c->model);
  }
  c->name = calloc((size_t)c->count, sizeof *c->name);
  c->unit = calloc((size_t)c->count, sizeof *c->unit);
  c->source = calloc((size_t)c->count, sizeof *c->source);
  ok = ok && c->name && c->unit && c->source;
  if (ok) {
    name_columns(c);
  } else {
    tool_error("no memory for the columns");
  }
  return ok;
}

/* Free all arrays and clear c. */
void columns_close(column_set *c) {
  free(c->name);
  free(c->unit);
  free(c->source);
  free(c->index);
  free(c->all);
  free(c->ambiguous);
  *c = (column_set){.model = NULL};
}

/* Number of the column of that name, -1 if there is none. */
int columns_find(const column_set *c, const char *name) {
  for (int i = 0; i < c->count; i++) {
    if (strcmp(c->name[i].text, name) == 0) return i;
  }
  return -1;
}

/* The name of column i in full; c->name is cut at 63 characters. Owned by c or the mechanism. */
const char *columns_full_name(const column_set *c, int i) {
  return c->source[i] == COLUMN_OF_MECHANISM ? ga_mechanism_column_name(c->mechanism, c->index[i])
                                             : c->name[i].text;
}

/* What column i measures and its unit, such as "velocity", "m/s": from its full name, and from its
 * unit where that is known. It borrows texts of c. */
quantity columns_quantity(const column_set *c, int i) {
  return quantity_in(columns_full_name(c, i), c->unit[i]);
}

/* The unit to be printed after a value, " m/s"; "" for pure numbers. */
unit_suffix columns_unit_suffix(const column_set *c, int i) {
  const char *unit = c->unit[i];
  unit_suffix suffix = {""};
  if (*unit && strcmp(unit, "1") != 0) {
    snprintf(suffix.text, sizeof suffix.text, " %.20s", unit);
  }
  return suffix;
}

/* ---- values --------------------------------------------------------------------------------- */

/* Write the values of all columns at a state to row, c->count numbers; c->all is scratch. False if
 * the mechanism cannot be evaluated there; row is filled nevertheless. Energies of a library
 * problem that fail are NaN. */
bool columns_evaluate(column_set *c, const ga_state *state, double *row) {
  const ga_model *model = c->model;
  *row++ = state->t;
  if (c->mechanism) {
    const bool ok = ga_mechanism_outputs(c->mechanism, state, c->all) == GA_OK;
    for (int i = 1; i < c->count; i++) *row++ = c->all[c->index[i]];
    return ok;
  }
  for (int f = 0; f < FIELDS; f++) {
    const int n = field_columns(model, f);
    if (n > 0) memcpy(row, field_values(state, f), (size_t)n * sizeof *row);
    row += n;
  }
  if (!model->ops->energy) return true;
  if (model->ops->energy(model->user, state->t, state->q, state->v, &row[0], &row[1]) != 0) {
    row[0] = row[1] = NAN;
  }
  return true;
}

/* ---- reactions that are not unique ---------------------------------------------------------- */

/* Set c->ambiguous (one flag per column of the mechanism). Evaluates the columns twice at the state
 * at which the dependent rows were found, at zero velocity: with multipliers that cause no force on
 * any body, and with zero multipliers. Columns that differ, by more than 1e-7 of the largest
 * difference, are ambiguous. work: 2 rows + nv + 2 columns numbers, zero before. */
static void compare_multipliers(column_set *c, const ga_dependency *all, double *work) {
  const ga_model *model = ga_mechanism_model(c->mechanism);
  const int nv = ga_space_nv(model->space), n = ga_mechanism_columns(c->mechanism);
  double *null = work, *zero = null + all->rows, *with = zero + nv + all->rows;
  double *without = with + n, size = 0;
  for (int d = 0; d < all->ndependent; d++) {
    const double weight = 1 + 0.618 * (d % 7); /* so that two rows do not cancel by chance */
    null[all->dependent[d]] += weight;
    for (int k = all->start[d]; k < all->start[d + 1]; k++) {
      null[all->from[k]] -= weight * all->coef[k];
    }
  }
  ga_state state = {.t = all->t, .q = all->q, .v = zero, .vd = zero, .a = zero};
  state.lam = null, state.psi = null + model->nlam;
  ga_mechanism_outputs(c->mechanism, &state, with);
  state.lam = zero, state.psi = zero;
  ga_mechanism_outputs(c->mechanism, &state, without);
  for (int i = 0; i < n; i++) size = fmax(size, fabs(with[i] - without[i]));
  for (int i = 0; i < n; i++) c->ambiguous[i] = fabs(with[i] - without[i]) > 1e-7 * size;
}

/* After a run: find the columns whose values redundant constraints leave undetermined, and allocate
 * and set c->ambiguous. Nothing for library problems or without redundant rows. Without memory all
 * count as unique. */
void columns_find_ambiguous(column_set *c, const ga_integrator *it) {
  const ga_dependency all = ga_integrator_dependency(it);
  if (all.ndependent == 0 || !c->mechanism) return;
  const size_t n = (size_t)ga_mechanism_columns(c->mechanism), rows = (size_t)all.rows;
  const size_t nv = (size_t)ga_space_nv(ga_mechanism_model(c->mechanism)->space);
  double *work = calloc(2 * rows + nv + 2 * n, sizeof *work);
  c->ambiguous = calloc(n, sizeof *c->ambiguous);
  if (work && c->ambiguous) compare_multipliers(c, &all, work);
  free(work);
}

/* Is the value of column i determined? False only after columns_find_ambiguous. */
bool columns_is_unique(const column_set *c, int i) {
  return !c->ambiguous || c->source[i] != COLUMN_OF_MECHANISM || !c->ambiguous[c->index[i]];
}

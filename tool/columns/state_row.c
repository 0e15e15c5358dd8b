/* SPDX-License-Identifier: MIT */
/* The columns of a state: how many, their names, their values. */
#include "columns/state_row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int count_columns(const state_row *r) {
  int n = 1 + r->named.count;
  if (r->named.count > 0) return n;
  for (int part = 0; part < FIELDS; part++) n += field_size(r->model, part);
  return n + (r->model->ops->energy ? 2 : 0);
}

/* name and unit of every column; units of a problem's own coordinates are not known */
static void name_columns(state_row *r) {
  column_name *name = r->name;
  int n = 0;
  snprintf(name[n++].text, sizeof name->text, "t");
  for (int i = 0; i < r->width; i++) r->unit[i] = "";
  for (int i = 0; i < r->named.count; i++) {
    r->unit[n] = named_unit(&r->named, i);
    snprintf(name[n++].text, sizeof name->text, "%s", named_name(&r->named, i));
  }
  if (r->named.count > 0) r->unit[0] = "s";
  for (int part = 0; n < r->width && part < FIELDS; part++) {
    for (int i = 0; i < field_size(r->model, part); i++) name[n++] = field_name(r->model, part, i);
  }
  for (int i = 0; n < r->width; i++) {
    snprintf(name[n++].text, sizeof name->text, i ? "E_pot" : "E_kin");
  }
}

bool state_row_open(state_row *r, const ga_problem *problem, state_extent extent) {
  *r = (state_row){.model = &problem->model};
  if (!named_open(&r->named, problem)) return false;
  r->chosen = count_columns(r);
  bool ok = extent != ROW_USUAL || named_add_rest(&r->named);
  if (extent == ROW_ALL) named_take_all(&r->named);
  r->width = count_columns(r);
  r->name = calloc((size_t)r->width, sizeof *r->name);
  r->unit = calloc((size_t)r->width, sizeof *r->unit);
  ok = ok && r->name && r->unit;
  if (ok) {
    name_columns(r);
  } else {
    tool_error("no memory for the columns");
  }
  return ok;
}

void state_row_close(state_row *r) {
  named_close(&r->named);
  free(r->name);
  free(r->unit);
  *r = (state_row){.model = NULL};
}

void state_row_fill(state_row *r, const ga_state *state, double *row) {
  const ga_model *model = r->model;
  *row++ = state->t;
  if (r->named.count > 0) {
    named_update(&r->named, state);
    for (int i = 0; i < r->named.count; i++) *row++ = named_value(&r->named, i);
    return;
  }
  for (int part = 0; part < FIELDS; part++) {
    const int n = field_size(model, part);
    if (n > 0) memcpy(row, field_values(state, part), (size_t)n * sizeof *row);
    row += n;
  }
  if (!model->ops->energy) return;
  if (model->ops->energy(model->user, state->t, state->q, state->v, &row[0], &row[1]) != 0) {
    row[0] = row[1] = NAN;
  }
}

int state_row_find(const state_row *r, const char *name) {
  for (int i = 0; i < r->width; i++) {
    if (strcmp(r->name[i].text, name) == 0) return i;
  }
  return -1;
}

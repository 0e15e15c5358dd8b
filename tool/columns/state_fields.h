/* SPDX-License-Identifier: MIT */
/* The fields of a state: q, v, a, vd, lam, psi; their names, sizes and values. */
#ifndef TOOL_COLUMNS_STATE_FIELDS_H
#define TOOL_COLUMNS_STATE_FIELDS_H

#include "tool.h"

/* a is the acceleration-like variable of the method. Its errors can be measured, but trajectories
 * and snapshots leave it out. */
enum { FIELD_Q, FIELD_V, FIELD_A, FIELD_VD, FIELD_LAM, FIELD_PSI, FIELDS };

enum { NAME_MAX_LENGTH = 64 };

typedef struct column_name {
  char text[NAME_MAX_LENGTH];
} column_name;

/* "q", "v", "a", "vd", "lam", "psi" */
const char *field_title(int field);
/* Entries of a field, and how many of them are columns of a trajectory: all, but none of a. */
int field_size(const ga_model *model, int field);
int field_columns(const ga_model *model, int field);
const double *field_values(const ga_state *state, int field);

/* The model's name of an entry. The acceleration that belongs to a velocity "x" is "x_dot". Without
 * names: q1, q2, .. */
column_name field_name(const ga_model *model, int field, int i);

/* Errors by field; that of a is NaN. */
typedef struct field_errors {
  double of[FIELDS];
} field_errors;
field_errors field_errors_of(const ga_errors *e);

/* Do two names belong to one family, alike but for digits: x1 and x2, x1_dot and x2_dot? */
bool name_family(const char *a, const char *b);

/* A snapshot is a state in one array: q, v, vd, lam, psi, one after the other. */
size_t snapshot_size(const ga_model *model);
void snapshot_copy(const ga_model *model, const ga_state *state, double *data);
ga_state snapshot_state(const ga_model *model, const double *data);     /* its a is NULL */
double *snapshot_field(const ga_model *model, double *data, int field); /* where it begins */

#endif

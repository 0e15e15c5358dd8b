/* SPDX-License-Identifier: MIT */
/* What a column measures, by its name: columns of one quantity share a panel of a picture. */
#ifndef TOOL_COLUMNS_QUANTITY_H
#define TOOL_COLUMNS_QUANTITY_H

#include "columns/state_fields.h"

typedef struct quantity {
  const char *what; /* "angular velocity"; the name itself if it says nothing */
  const char *unit; /* "rad/s"; "": none, or not known */
} quantity;

/* Quantity of a column of a library problem (theta1, x2_dot, lam1) or of a model file (rod.wx). */
quantity quantity_of(const char *name);

/* The same where the unit is known: the rate of a spring is a velocity, that of a body an angular
 * velocity, and sensors have names of their own. NULL or "": not known. */
quantity quantity_in(const char *name, const char *unit);

/* "angular velocity (rad/s)" */
column_name quantity_label(quantity q);
bool quantity_same(quantity a, quantity b);

/* The test problems of Jay and Negrut, y1 y2 z1 z2, are mathematical and have no units. */
bool quantity_unitless(const char *const *names, int n);
bool quantity_unitless_model(const ga_model *model);

#endif

/* SPDX-License-Identifier: MIT */
/* Inputs of a model: numbers that are set between two steps, or that follow a table. */
#ifndef GA_SRC_INPUTS_H
#define GA_SRC_INPUTS_H

#include "base/base.h"
#include "base/expr_table.h"
#include "genalpha/ga_model.h"

/* Values and tables of all inputs. A table that holds its values is constant over a step: the run
 * ends a step where it jumps and sets the value. Other tables are functions of the time, which
 * each evaluation asks for. */
typedef struct ga_inputs {
  int n;
  double *value;   /* constant during a step; not used where a table changes within a step */
  double *now;     /* work: all values at the time of an evaluation */
  ga_table *table; /* n tables over the time; n = 0: there is none */
  bool moving;     /* some table changes within a step */
} ga_inputs;

/* Allocate the arrays for a model and set the values to those of the model. arena->failed is set if
 * memory runs out. */
void ga_inputs_init(ga_inputs *u, const ga_model *model, ga_arena *arena);
/* Free the tables. */
void ga_inputs_close(ga_inputs *u);

/* out[0..n-1] <- the values at t, which is in the present step. */
void ga_inputs_get(const ga_inputs *u, double t, double *out);
/* The same in an array of u that the next call overwrites; NULL without inputs. */
const double *ga_inputs_at(ga_inputs *u, double t);

/* Set input i to a constant (a table ends); to a table, a table that u then owns. */
void ga_inputs_set(ga_inputs *u, int i, double value);
void ga_inputs_follow(ga_inputs *u, int i, const ga_table *table);

/* Set the values that are held at t to those from t on; true if one of them changes. Times up to
 * `same` later count as t. */
bool ga_inputs_jump(ga_inputs *u, double t, double same);
/* The next time after t + same at which a value that is held changes; INFINITY: none. */
double ga_inputs_next_jump(const ga_inputs *u, double t, double same);
/* The next point after t + same at which a table that changes within steps leaves a rest, two equal
 * values, and the point behind it; INFINITY: none. */
double ga_inputs_next_rise(const ga_inputs *u, double t, double same);

#endif

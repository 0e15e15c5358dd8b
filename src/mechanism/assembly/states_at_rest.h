/* SPDX-License-Identifier: MIT */
/* States of controllers at rest: a model in which their rates are forces. */
#ifndef GA_SRC_STATES_AT_REST_H
#define GA_SRC_STATES_AT_REST_H

#include "genalpha/ga_statics.h"
#include "mechanism/mechanism.h"

typedef struct ga_states_at_rest ga_states_at_rest;

/* *out <- a model like `model` of m, whose rows of states z' = f(t, q, v, z) are no constraints but
 * forces c f on the velocities of z; NULL if m has no such states. c makes them comparable to other
 * forces: weight and unit are nv numbers each, as those of ga_equilibrium. q: a configuration, to
 * find c at the time t. All is borrowed. */
ga_status ga_states_at_rest_new(const ga_mechanism *m, const ga_model *model, double t,
                                const double *q, const double *weight, const double *unit,
                                ga_states_at_rest **out, ga_error *err);
void ga_states_at_rest_free(ga_states_at_rest *r);

const ga_model *ga_states_at_rest_model(const ga_states_at_rest *r);
const bool *ga_states_at_rest_velocities(const ga_states_at_rest *r); /* nv: that of a state */
/* all <- psi of all rows of the first model: those of states are 0 */
void ga_states_at_rest_psi(const ga_states_at_rest *r, const double *psi, double *all);

#endif

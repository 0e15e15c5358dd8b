/* SPDX-License-Identifier: MIT */
/* What errors are measured against: closed solution, table, or a trajectory computed finely. */
#ifndef TOOL_CONVERGENCE_REFERENCE_H
#define TOOL_CONVERGENCE_REFERENCE_H

#include "tool.h"

typedef enum reference_kind {
  REFERENCE_CLOSED,   /* known at every time */
  REFERENCE_TABLE,    /* known at the end */
  REFERENCE_COMPUTED, /* fine runs and their extrapolation, on a grid */
  REFERENCE_FINEST    /* none: the finest level of the study must serve */
} reference_kind;

typedef struct reference {
  reference_kind kind;
  double h;  /* smallest step of the runs it is made from, NaN if there are none */
  int order; /* REFERENCE_COMPUTED: of their extrapolation */
  const ga_problem *problem;
  const ga_options *options; /* of the study: the meaning of a depends on its method */
  ga_integrator *equations;  /* computes fields that the problem does not know; NULL until needed */
  bool no_equations;         /* they could not be solved: those fields stay NaN */
  double *now, *later;       /* snapshots: of a time, and alpha h away from it */
  double *grid;              /* snapshots of the grid points first to last */
  long first, last;
} reference;

/* Find out what the problem knows at t, or at all times up to t if whole. The options say which
 * method's a is wanted. False after a message. */
bool reference_open(reference *r, const ga_problem *problem, const ga_options *options, double t,
                    bool whole);
void reference_close(reference *r);

/* REFERENCE_COMPUTED: fill the points first to last of the grid t0 + i h, by extrapolation from
 * steps h/2, ..., h/2^(K+1). The options give solver and treatment of start values; TOOL_OK, or the
 * exit code after a message. */
int reference_compute(reference *r, const ga_options *options, int K, double h, long first,
                      long last);
ga_state reference_point(const reference *r, long i);

/* REFERENCE_CLOSED and REFERENCE_TABLE: the state at time t. If the solution is closed, a is what
 * the method's a approximates at t + shift: v', or its applied term M^-1 F. Fields vd, lambda and
 * psi that the problem does not know are computed from q and v by the equations of motion; if that
 * fails they are NaN. Valid until the next call. */
ga_state reference_at(reference *r, double t, double shift);

#endif

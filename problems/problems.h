/* SPDX-License-Identifier: MIT */
/* The test problems of the papers, by name, with start values, usual settings and references: a
 * library of the tool, the tests and the benchmark, not in libgenalpha. */
#ifndef GA_PROBLEMS_H
#define GA_PROBLEMS_H

#include "genalpha/ga_problem.h"

/* The usual settings of every problem. */
ga_problem_options ga_problem_options_default(void);

/* Names and one-line summaries of all problems; NULL past the end. */
const char *ga_problem_name(int i);
const char *ga_problem_summary(int i);

/* A problem owns its model and arrays; ga_problem_free releases all. options may be NULL.
 * GA_ERR_ARG for an unknown name or a setting the problem does not have. */
ga_status ga_problem_new(const char *name, const ga_problem_options *options, ga_problem **out,
                         ga_error *err);
void ga_problem_free(ga_problem *problem);

/* Exact or reference solution at time t: writes q and v, and vd, lam, psi as far as they are known
 * independently, NaN elsewhere; any output may be NULL. False if no reference is known at t.
 * ga_problem_reference_time gives the i-th time with a tabulated reference, NaN past the end;
 * problems with a closed solution know every t. */
bool ga_problem_reference(const ga_problem *problem, double t, double *q, double *v, double *vd,
                          double *lam, double *psi);
double ga_problem_reference_time(const ga_problem *problem, int i);

#endif

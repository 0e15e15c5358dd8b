/* SPDX-License-Identifier: MIT */
/* The variables that examples in the public headers use without declaring them. main.c defines
 * them; an example becomes the function `example` (test_header_examples.sh). */
#ifndef GA_TESTS_EXAMPLE_H
#define GA_TESTS_EXAMPLE_H

#include <genalpha/ga_mpi.h>
#include <genalpha/ga_petsc.h>
#include <genalpha/genalpha.h>
#include <stdio.h>
#include <stdlib.h>

extern ga_space *space;         /* R^2 */
extern ga_model model;          /* a ball that falls along q[1] */
extern const double q0[], v0[]; /* its start values */
extern double v[];              /* room for a velocity */
extern const int nv, nlam;
extern ga_options options;
extern ga_integrator *it; /* started with model; NULL where the example makes one */
extern ga_status status;
extern ga_error err;
extern const double t_end;

extern ga_mechanism *m; /* a pendulum of two rods, built */

extern ga_team *team; /* NULL: one process alone */
extern ga_petsc_context petsc;
extern const int process, processes;

extern ga_linsol ls; /* of a matrix A that has been analyzed; B has the same pattern */
extern const ga_csr *const A, *const B;
extern ga_null_space null;

void example(void);

/* A status < 0 that an example does not look at makes the program fail. */
ga_status checked(ga_status status);
#ifndef GA_EXAMPLE_MAIN
#define ga_integrator_new(...) checked(ga_integrator_new(__VA_ARGS__))
#define ga_integrator_start(...) checked(ga_integrator_start(__VA_ARGS__))
#define ga_integrator_run(...) checked(ga_integrator_run(__VA_ARGS__))
#define ga_mechanism_add_body(...) checked(ga_mechanism_add_body(__VA_ARGS__))
#define ga_mechanism_add_joint(...) checked(ga_mechanism_add_joint(__VA_ARGS__))
#define ga_mechanism_build(...) checked(ga_mechanism_build(__VA_ARGS__))
#define ga_mechanism_subdomain(...) checked(ga_mechanism_subdomain(__VA_ARGS__))
#define ga_partition_new(...) checked(ga_partition_new(__VA_ARGS__))
#define ga_pattern_finish(...) checked(ga_pattern_finish(__VA_ARGS__))
#define ga_recorder_new(...) checked(ga_recorder_new(__VA_ARGS__))
#endif

#endif

/* SPDX-License-Identifier: MIT */
/* A linearization on the tangent space of its constraints, as dense matrices. */
#ifndef GA_SRC_REDUCTION_H
#define GA_SRC_REDUCTION_H

#include "statics/linearization.h"

/* Mn z'' + Cn z' + Kn z + Hn^T dpsi = 0, Hn z' + Yn z = 0, z' = E u - B z (modes.c) */
typedef struct ga_reduction {
  const ga_linearization *lin;
  ga_arena arena;
  ga_error *err;
  int n, d, e;               /* velocities, freedom of z, of u */
  double *weight;            /* n: those of lin, balanced for variables without mass */
  double *N, *Mn, *Cn, *Kn;  /* N: n x d, the others d x d; all matrices by columns */
  double *E, *B;             /* d x e, d x d; NULL without nonholonomic rows */
  double *re, *im, *vectors; /* eigenvalues, and their z: d numbers, a pair in two columns */
  int count;                 /* number of eigenvalues in re, im */
} ga_reduction;

/* zeroed memory for rows x columns numbers; NULL without memory */
double *ga_reduction_matrix(ga_reduction *r, int rows, int columns);

/* sets the message of r->err and returns GA_ERR_MEM */
ga_status ga_reduction_no_memory(const ga_reduction *r);

/* A frequency (rad/s) of the size of the fastest ones: the unit of time is its inverse. */
double ga_reduction_frequency(const ga_reduction *r);

/* Sets weight, N, d, e, Mn, Cn, Kn and, with nonholonomic rows, E and B from lin, arena, err and n. */
ga_status ga_reduce(ga_reduction *r);

#endif

/* SPDX-License-Identifier: MIT */
/* The matrix the floors factor. */
#ifndef GA_BENCH_FLOOR_H
#define GA_BENCH_FLOOR_H

#include "bench.h"

typedef struct bench_matrix {
  int n, nnz;
  int *ptr, *col; /* by rows; KLU takes it for the transpose, which costs the same */
  double *val;
} bench_matrix;

/* The matrix of a Newton step of index3 near the start of the problem,
 * [[M + p h^2 Kt + r h Ct, G^T], [p G, 0]]; symmetric: its last rows divided by p. */
bench_matrix bench_index3_matrix(const bench_problem *b, double h, bool symmetric);

/* A state and accelerations with multipliers. */
typedef struct bench_point {
  double t;
  const double *q, *v, *x, *lam;
} bench_point;

/* The same matrix of a model there. */
bench_matrix bench_index3_matrix_at(const ga_model *model, const bench_point *at, double h,
                                    bool symmetric);
/* Least CPU seconds of `repeats` rounds, each the mean of `count` times klu_refactor and klu_solve;
 * NaN if KLU failed. */
double bench_klu_rounds(const bench_matrix *A, bool tuned, int count, int repeats);
void bench_matrix_free(bench_matrix *A);

#endif

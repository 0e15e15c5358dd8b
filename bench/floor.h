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
void bench_matrix_free(bench_matrix *A);

#endif

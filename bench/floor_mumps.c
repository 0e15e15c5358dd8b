/* SPDX-License-Identifier: MIT */
/* The floor of nets: one factorization L D L^T and one solve of a step's matrix by MUMPS, in the
 * better of two orderings, without any integrator. MUMPS is reached through the library's module:
 * linked to this program, its dummy MPI would keep the library from using it. */
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

#include "floor.h"
#include "linsol/mumps.h"

/* Least CPU seconds of `repeats` factorizations and solves of A with the given ordering, the
 * analysis not counted; infinite if MUMPS failed. */
static double factor_solve_time(const ga_mumps_driver *mumps, const ga_mumps_matrix *A,
                                int ordering, int repeats) {
  enum { ROOM = 300 };
  ga_mumps_report report;
  double best = INFINITY, *x = bench_doubles(A->n);
  void *instance = mumps->open(A);
  if (instance) mumps->analyze(instance, ordering, true, &report);
  for (int r = 0; r < repeats && instance && report.code >= 0; r++) {
    for (int i = 0; i < A->n; i++) x[i] = 1 + (double)(i % 7);
    double start = bench_clock();
    mumps->factor(instance, ROOM, 1e-300, 1e-16, &report);
    if (report.code >= 0) mumps->solve(instance, false, 1, x, &report);
    if (report.code >= 0) best = fmin(best, bench_clock() - start);
  }
  if (instance) mumps->close(instance);
  free(x);
  return best;
}

/* Least CPU seconds of one MUMPS factorization and solve of the index-3 matrix, whose lower
 * triangle is passed on with indices from 1; the better of two orderings. NaN without MUMPS or if
 * it failed. */
double bench_floor_mumps(const bench_problem *b, double h, int repeats) {
  void *module = dlopen(BENCH_MODULE, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  const ga_mumps_driver *mumps = module ? dlsym(module, GA_MUMPS_SYMBOL) : NULL;
  if (!mumps) return NAN;
  bench_matrix A = bench_index3_matrix(b, h, true);
  ga_mumps_matrix lower = {.symmetric = true, .n = A.n};
  lower.row = bench_take((size_t)A.nnz, sizeof(int));
  lower.col = bench_take((size_t)A.nnz, sizeof(int));
  lower.val = bench_doubles(A.nnz);
  for (int i = 0; i < A.n; i++) {
    for (int e = A.ptr[i]; e < A.ptr[i + 1]; e++) {
      if (A.col[e] > i) continue;
      lower.row[lower.nnz] = i + 1;
      lower.col[lower.nnz] = A.col[e] + 1;
      lower.val[lower.nnz++] = A.val[e];
    }
  }
  double best = fmin(factor_solve_time(mumps, &lower, GA_MUMPS_AMF, repeats),
                     factor_solve_time(mumps, &lower, GA_MUMPS_QAMD, repeats));
  free(lower.row);
  free(lower.col);
  free(lower.val);
  bench_matrix_free(&A);
  return isfinite(best) ? best : NAN;
}

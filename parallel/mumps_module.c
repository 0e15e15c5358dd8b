/* SPDX-License-Identifier: MIT */
/* The module libgenalpha_mumps.so: MUMPS behind the table of linsol/mumps.h.
 *
 * MUMPS keeps variables of its own between calls, so one lock guards every call in the process. It
 * prints nothing: ICNTL(1..4). It runs in the thread that calls it. */
#include "linsol/mumps.h"

#include <dmumps_c.h>
#include <pthread.h>
#include <stdlib.h>

enum { INITIALIZE = -1, FINISH = -2, ANALYZE = 1, FACTOR = 2, SOLVE = 3 };
enum { USE_COMM_WORLD = -987654 };

/* Least size of a pivot, relative to its column. Larger ones lose less to rounding, but let more
 * pivots wait: with 0.05 the symmetric matrix of a net of 64 takes 1.3 times the operations. */
static const double PIVOT = 0.02, PIVOT_SYMMETRIC = 0.01;

/* entries of the arrays of controls and information, numbered as in the manual */
#define ICNTL(id, i) (id)->icntl[(i)-1]
#define CNTL(id, i) (id)->cntl[(i)-1]
#define INFOG(id, i) (id)->infog[(i)-1]
#define RINFOG(id, i) (id)->rinfog[(i)-1]

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Run one phase of MUMPS (job: INITIALIZE, ..), one thread at a time; INFOG(1) of id has the
 * result, negative after an error. */
static void run_phase(DMUMPS_STRUC_C *id, int job) {
  pthread_mutex_lock(&lock);
  id->job = job;
  dmumps_c(id);
  pthread_mutex_unlock(&lock);
}

/* The count that MUMPS reports: beyond the range of an int it is given in millions, with a minus
 * sign. */
static double count_of(MUMPS_INT number) {
  return number < 0 ? -1e6 * number : number;
}

/* Fill all of *out with the results of the last call; factored: counts of the factorization, else
 * predictions. null_at: row of the first null pivot from 0 on, -1 if there is none. */
static void fill_report(const DMUMPS_STRUC_C *id, bool factored, ga_mumps_report *out) {
  *out = (ga_mumps_report){.code = INFOG(id, 1),
                           .detail = INFOG(id, 2),
                           .flops = RINFOG(id, factored ? 3 : 1),
                           .entries = count_of(INFOG(id, factored ? 9 : 3)),
                           .least = RINFOG(id, 19),
                           .largest = RINFOG(id, 21),
                           .null_pivots = factored ? INFOG(id, 28) : 0,
                           .null_at = -1};
  if (out->code >= 0 && out->null_pivots > 0) out->null_at = id->pivnul_list[0] - 1;
}

/* A new instance of MUMPS for the entries of A, whose arrays it borrows; NULL on failure.
 * close_instance frees it. */
static void *open_instance(const ga_mumps_matrix *A) {
  DMUMPS_STRUC_C *id = calloc(1, sizeof *id);
  if (!id) return NULL;
  id->par = 1;
  id->sym = A->symmetric ? 2 : 0;
  id->comm_fortran = USE_COMM_WORLD;
  run_phase(id, INITIALIZE);
  if (INFOG(id, 1) < 0) {
    free(id);
    return NULL;
  }
  for (int i = 1; i <= 3; i++) ICNTL(id, i) = -1; /* no streams */
  ICNTL(id, 4) = 0;                               /* print nothing */
  ICNTL(id, 8) = 0;                               /* no scaling, ours is enough */
  CNTL(id, 1) = A->symmetric ? PIVOT_SYMMETRIC : PIVOT;
  id->n = A->n;
  id->nnz = A->nnz;
  id->irn = A->row;
  id->jcn = A->col;
  id->a = A->val;
  return id;
}

/* End an instance of MUMPS and free it; NULL is allowed. */
static void close_instance(void *instance) {
  DMUMPS_STRUC_C *id = instance;
  if (!id) return;
  run_phase(id, FINISH);
  free(id);
}

/* Analyze the pattern with ICNTL(7) = ordering; matching lets MUMPS permute large entries to the
 * diagonal. *out: result code and predictions (see ga_mumps_driver). */
static void analyze(void *instance, int ordering, bool matching, ga_mumps_report *out) {
  DMUMPS_STRUC_C *id = instance;
  const int automatic = 7;
  ICNTL(id, 6) = matching ? automatic : 0;
  ICNTL(id, 7) = ordering;
  run_phase(id, ANALYZE);
  fill_report(id, false /* predictions */, out);
}

/* Factor the present values, after analyze. extra: memory beyond the prediction in per cent; pivots
 * below `null` are replaced by `instead`. *out: code and counts (see ga_mumps_driver). */
static void factor(void *instance, int extra, double null, double instead, ga_mumps_report *out) {
  DMUMPS_STRUC_C *id = instance;
  ICNTL(id, 14) = extra;
  ICNTL(id, 24) = 1;   /* find null pivots */
  CNTL(id, 3) = -null; /* negative: not relative to the norm of the matrix */
  CNTL(id, 5) = instead;
  run_phase(id, FACTOR);
  fill_report(id, true, out);
}

/* X <- A^-1 X, or A^-T X if transposed, for nrhs columns of n numbers, after factor. *out: code. */
static void solve(void *instance, bool transposed, int nrhs, double *X, ga_mumps_report *out) {
  DMUMPS_STRUC_C *id = instance;
  ICNTL(id, 9) = !transposed;
  id->rhs = X;
  id->nrhs = nrhs;
  id->lrhs = id->n;
  run_phase(id, SOLVE);
  fill_report(id, true, out);
}

/* X: basis of the null space, `count` columns of n numbers, one for each null pivot of the last
 * factor; count must be out->null_pivots of that. *out: code. */
static void null_vectors(void *instance, int count, double *X, ga_mumps_report *out) {
  DMUMPS_STRUC_C *id = instance;
  const int all = -1;
  ICNTL(id, 25) = all;
  solve(id, false, count, X, out);
  ICNTL(id, 25) = 0;
}

/* the one symbol the module exports, GA_MUMPS_SYMBOL */
extern const ga_mumps_driver ga_mumps_driver_1;
__attribute__((visibility("default"))) const ga_mumps_driver ga_mumps_driver_1 = {
    .version = MUMPS_VERSION,
    .open = open_instance,
    .close = close_instance,
    .analyze = analyze,
    .factor = factor,
    .solve = solve,
    .null_vectors = null_vectors,
};

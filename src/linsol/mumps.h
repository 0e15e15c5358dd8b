/* SPDX-License-Identifier: MIT */
/* Private: what the library and its module for MUMPS (parallel/mumps_module.c) share.
 *
 * Debian's sequential MUMPS brings dummy MPI functions, which would collide with a real MPI, and
 * keeps variables of its own. So it is linked to a module that is opened at run time with its
 * symbols kept to itself, and all calls into it are made one at a time. */
#ifndef GA_SRC_MUMPS_H
#define GA_SRC_MUMPS_H

#include <stdbool.h>

#define GA_MUMPS_MODULE "libgenalpha_mumps.so"
#define GA_MUMPS_SYMBOL "ga_mumps_driver_1" /* its number changes with the table below */

/* What a call left; code is INFOG(1) of the MUMPS manual, >= 0 if all went well. */
typedef struct ga_mumps_report {
  int code, detail;
  double flops, entries; /* of the factors: predicted by analyze, true after factor */
  double least, largest; /* of the pivots */
  int null_pivots;       /* pivots below the threshold */
  int null_at;           /* row of the first of them, from 0; -1 if there is none */
} ga_mumps_report;

/* A matrix in coordinates that begin with 1; of a symmetric one the lower triangle. The arrays stay
 * the caller's and must live as long as the instance. */
typedef struct ga_mumps_matrix {
  bool symmetric;
  int n, nnz;
  int *row, *col;
  double *val;
} ga_mumps_matrix;

/* Orderings, by their numbers in ICNTL(7). */
enum { GA_MUMPS_AMF = 2, GA_MUMPS_SCOTCH = 3, GA_MUMPS_PORD = 4, GA_MUMPS_QAMD = 6 };

/* Errors that another try may avoid, and what MUMPS says for a lack of memory. */
enum {
  GA_MUMPS_STRUCTURE = -6,
  GA_MUMPS_NO_INTEGERS = -8,
  GA_MUMPS_NO_SPACE = -9,
  GA_MUMPS_SINGULAR = -10
};

typedef struct ga_mumps_driver {
  const char *version;
  /* NULL if there is no memory */
  void *(*open)(const ga_mumps_matrix *A);
  void (*close)(void *instance);
  /* Order and predict. matching: the values help to find pivots away from the diagonal. */
  void (*analyze)(void *instance, int ordering, bool matching, ga_mumps_report *out);
  /* extra: room beyond the prediction, in per cent. Pivots below `null` count as null and are
   * replaced by `instead`; 0: rows and columns of null pivots are left out, for null_vectors. */
  void (*factor)(void *instance, int extra, double null, double instead, ga_mumps_report *out);
  /* nrhs columns in X, overwritten by the solutions */
  void (*solve)(void *instance, bool transposed, int nrhs, double *X, ga_mumps_report *out);
  /* A basis of the null space, one column for each null pivot of the last factor. MUMPS has none of
   * the transposed matrix. */
  void (*null_vectors)(void *instance, int count, double *X, ga_mumps_report *out);
} ga_mumps_driver;

#endif

/* SPDX-License-Identifier: MIT */
/* Private: the interface between the library and its module for MUMPS (parallel/mumps_module.c).
 *
 * Debian's sequential MUMPS contains dummy MPI functions, which would collide with a real MPI, and
 * it has static variables. So a module is linked with it and opened at run time, its symbols are
 * not visible to others, and only one thread at a time calls it. */
#ifndef GA_SRC_MUMPS_H
#define GA_SRC_MUMPS_H

#include <stdbool.h>

#define GA_MUMPS_MODULE "libgenalpha_mumps.so"
#define GA_MUMPS_SYMBOL "ga_mumps_driver_1" /* its number changes with the table below */

/* The result of a call. */
typedef struct ga_mumps_report {
  int code;   /* INFOG(1) of the MUMPS manual; >= 0: success */
  int detail; /* INFOG(2): depends on code */
  double flops,
      entries; /* operations and entries of the factors: predicted by analyze, counted by factor */
  double least, largest; /* smallest and largest |pivot| */
  int null_pivots;       /* number of pivots below the threshold */
  int null_at;           /* row of the first of them, from 0; -1: none */
} ga_mumps_report;

/* A matrix as a list of entries; rows and columns count from 1. Of a symmetric matrix only the
 * lower triangle is listed. The caller owns the arrays; they must live as long as the instance. */
typedef struct ga_mumps_matrix {
  bool symmetric;
  int n, nnz;
  int *row, *col;
  double *val;
} ga_mumps_matrix;

/* Orderings, by their numbers in ICNTL(7). */
enum { GA_MUMPS_AMF = 2, GA_MUMPS_SCOTCH = 3, GA_MUMPS_PORD = 4, GA_MUMPS_QAMD = 6 };

/* Error codes after which another attempt may succeed, or that mean a lack of memory. */
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
  /* Choose an order of elimination and predict the cost. matching: use the values to find pivots
   * off the diagonal. */
  void (*analyze)(void *instance, int ordering, bool matching, ga_mumps_report *out);
  /* extra: memory beyond the prediction, in per cent. A pivot below `null` is a null pivot and is
   * replaced by `instead`. instead = 0: its row and column are left out, for null_vectors. */
  void (*factor)(void *instance, int extra, double null, double instead, ga_mumps_report *out);
  /* X: nrhs right-hand sides, overwritten by the solutions */
  void (*solve)(void *instance, bool transposed, int nrhs, double *X, ga_mumps_report *out);
  /* A basis of the null space, one column for each null pivot of the last factor. MUMPS cannot do
   * this for the transposed matrix. */
  void (*null_vectors)(void *instance, int count, double *X, ga_mumps_report *out);
} ga_mumps_driver;

#endif

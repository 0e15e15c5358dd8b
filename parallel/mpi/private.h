/* SPDX-License-Identifier: MIT */
/* Private: a team over MPI, from the inside. */
#ifndef GA_MPI_PRIVATE_H
#define GA_MPI_PRIVATE_H

#include <mpi.h>
/* mpi.h first: ga_mpi.h looks whether it is there */
#include <genalpha/ga_mpi.h>

/* Vectors that go out in one exchange; more are sent in turns. */
enum { GA_MPI_VECTORS = 8 };

/* A rank that shares velocities with this one: which of this rank's list of shared ones, in the
 * order of their numbers, and room for what is sent and received. */
typedef struct ga_neighbour {
  int rank, count;
  int *place;
  double *out, *in;
} ga_neighbour;

typedef struct ga_mpi_team {
  ga_team team;
  MPI_Comm comm;
  long *velocity;
  bool *owned;
  int nshared;
  int *shared; /* velocities that other ranks have, too */
  int nneighbour;
  ga_neighbour *neighbour; /* in the order of their ranks */
  MPI_Request *request;
  double *own, *sum; /* GA_MPI_VECTORS values of each shared velocity */
  double *work;      /* of reductions: nwork numbers */
  int nwork;
  const char *gather_by;
  ga_mpi_counts counts;
} ga_mpi_team;

ga_status ga_mpi_fail(ga_error *err, ga_status status, const char *format, ...) GA_PRINTF(3, 4);

/* One status for all: the least of them if one is an error. */
ga_status ga_mpi_agree(MPI_Comm comm, ga_status status);

/* share.c: the shared velocities, their owners, the neighbours. */
ga_status ga_mpi_find_shared(ga_mpi_team *t, ga_error *err);

#endif

/* SPDX-License-Identifier: MIT */
/* Private: a team over MPI, from the inside. */
#ifndef GA_MPI_PRIVATE_H
#define GA_MPI_PRIVATE_H

#include <mpi.h>
/* after mpi.h: ga_mpi.h then declares the functions with communicators */
#include <genalpha/ga_mpi.h>

/* Vectors in one message; more vectors take several messages. */
enum { GA_MPI_VECTORS = 8 };

/* A process that shares count velocities with this one. */
typedef struct ga_neighbour {
  int process, count;
  int *which;       /* of this process's shared velocities, in the order of their numbers */
  double *out, *in; /* buffers: GA_MPI_VECTORS values of each of them, sent and received */
} ga_neighbour;

typedef struct ga_mpi_team {
  ga_team team;
  MPI_Comm comm;
  long *velocity;
  bool *owned;
  int nshared;
  int *shared; /* velocities that other processes have as well, in the order of their numbers */
  int nneighbour;
  ga_neighbour *neighbour; /* in the order of the processes */
  MPI_Request *request;
  double *own, *sum; /* GA_MPI_VECTORS values of each shared velocity */
  double *work;      /* nwork numbers for reductions */
  int nwork;
  const char *gather_by; /* solver of ga_mpi_gather_linsol; NULL: "auto" */
  ga_mpi_counts counts;
} ga_mpi_team;

/* One status for all: the lowest number if one is an error, else the highest. */
ga_status ga_mpi_agree(MPI_Comm comm, ga_status status);

/* neighbours.c: find the shared velocities, their owners and the neighbours. Collective. */
ga_status ga_mpi_find_shared(ga_mpi_team *t, ga_error *err);

#endif

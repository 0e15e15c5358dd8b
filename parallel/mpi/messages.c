/* SPDX-License-Identifier: MIT */
/* Messages between the processes of a job, by MPI. A module, as a tool that is linked to MPI needs
 * it on every machine, and as sequential MUMPS brings functions of the same names along. */
#include "parallel/launcher.h"

#include <limits.h>
#include <mpi.h>
#include <stdint.h>

enum { TAG = 17 };

static bool begin(int *rank, int *size) {
  int level;
  /* other threads make runs; they never call MPI */
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) return false;
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
  return true;
}

static void end_all(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
}

/* MPI counts by int: the length comes first, then pieces of at most 1 GB */
enum { PIECE = 1 << 30 };

static int piece(size_t size, size_t done) {
  return size - done < PIECE ? (int)(size - done) : PIECE;
}

static void send_bytes(int to, const void *bytes, size_t size) {
  uint64_t length = size;
  MPI_Send(&length, 1, MPI_UINT64_T, to, TAG, MPI_COMM_WORLD);
  for (size_t done = 0; done < size; done += PIECE) {
    MPI_Send((const char *)bytes + done, piece(size, done), MPI_BYTE, to, TAG + 1, MPI_COMM_WORLD);
  }
}

/* the length of a message that has been looked at, and not been received */
static struct {
  int from; /* -1: none */
  uint64_t length;
} next = {.from = -1};

static bool poll_message(int *from, size_t *size) {
  if (next.from < 0) {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &status);
    if (!there) return false;
    MPI_Recv(&next.length, 1, MPI_UINT64_T, status.MPI_SOURCE, TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    next.from = status.MPI_SOURCE;
  }
  *from = next.from;
  *size = next.length;
  return true;
}

static void receive_bytes(int from, void *bytes, size_t size) {
  for (size_t done = 0; done < size; done += PIECE) {
    MPI_Recv((char *)bytes + done, piece(size, done), MPI_BYTE, from, TAG + 1, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  }
  next.from = -1;
}

static void end(void) {
  MPI_Finalize();
}

extern const ranks_ops genalpha_ranks;
__attribute__((visibility("default"))) const ranks_ops genalpha_ranks = {.begin = begin,
                                                                         .send = send_bytes,
                                                                         .poll = poll_message,
                                                                         .receive = receive_bytes,
                                                                         .abort = end_all,
                                                                         .end = end};

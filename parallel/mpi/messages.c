/* SPDX-License-Identifier: MIT */
/* Messages of any length between the processes of a job, by MPI (ga_message_ops of launch.h). */
#include <limits.h>
#include <mpi.h>
#include <stdint.h>

#include "parallel/mpi/launch.h"

enum { LENGTH_TAG = 17, BYTES_TAG = 18 };

/* MPI counts by int: the length comes first, then pieces of at most 1 GB */
enum { PIECE = 1 << 30 };

/* Bytes of the next piece when `done` of `size` bytes are done. */
static int piece_size(size_t size, size_t done) {
  return size - done < PIECE ? (int)(size - done) : PIECE;
}

/* Send `size` bytes to process `to`: the length, then the bytes. Returns when the bytes may be
 * overwritten, which may take until they are received. */
static void send_message(int to, const void *bytes, size_t size) {
  uint64_t length = size;
  MPI_Send(&length, 1, MPI_UINT64_T, to, LENGTH_TAG, MPI_COMM_WORLD);
  for (size_t done = 0; done < size; done += PIECE) {
    MPI_Send((const char *)bytes + done, piece_size(size, done), MPI_BYTE, to, BYTES_TAG,
             MPI_COMM_WORLD);
  }
}

/* the message whose length was received, and whose bytes were not received yet */
static struct {
  int from; /* -1: none */
  uint64_t length;
} next = {.from = -1};

/* Has a message arrived? If so, set *from, its sender, and *size, its bytes. Receives the length
 * only (into `next`); the same message is reported until receive_message has been called. */
static bool poll_message(int *from, size_t *size) {
  if (next.from < 0) {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, LENGTH_TAG, MPI_COMM_WORLD, &there, &status);
    if (!there) return false;
    MPI_Recv(&next.length, 1, MPI_UINT64_T, status.MPI_SOURCE, LENGTH_TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    next.from = status.MPI_SOURCE;
  }
  *from = next.from;
  *size = next.length;
  return true;
}

/* Receive the bytes of the message that poll_message has reported, with its `from` and `size`, into
 * bytes, which must have room. Waits for them. */
static void receive_message(int from, void *bytes, size_t size) {
  for (size_t done = 0; done < size; done += PIECE) {
    MPI_Recv((char *)bytes + done, piece_size(size, done), MPI_BYTE, from, BYTES_TAG,
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  next.from = -1;
}

const ga_message_ops ga_mpi_messages = {
    .send = send_message, .poll = poll_message, .receive = receive_message};

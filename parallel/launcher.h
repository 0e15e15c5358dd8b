/* SPDX-License-Identifier: MIT */
/* The processes of one job, started by mpirun: who we are, messages between them. MPI is behind a
 * module, which is opened only where a launcher has started several processes. */
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include <stdbool.h>
#include <stddef.h>

/* What the module gives (parallel/messages_module.c). All calls are made by one thread of a
 * process. Errors of MPI end the job. Messages between two processes arrive in the order they were
 * sent in. */
typedef struct ranks_ops {
  bool (*begin)(int *rank, int *size); /* false: MPI could not be started */
  void (*send)(int to, const void *bytes, size_t size);
  /* Is there a message? From whom, and how long; it stays there until it is received. */
  bool (*poll)(int *from, size_t *size);
  void (*receive)(int from, void *bytes, size_t size);
  void (*abort)(int code); /* end all processes of the job */
  void (*end)(void);       /* returns when all processes have called it */
} ranks_ops;

#define RANKS_MODULE "libgenalpha_ranks.so"
#define RANKS_SYMBOL "genalpha_ranks"

typedef struct ranks {
  const ranks_ops *ops; /* NULL: one process, no module */
  int rank, size;
} ranks;

/* How many processes the environment of a launcher tells: 1 without one. */
int ranks_told(void);

/* Joins the job, if there is one. False after a message, which one process prints, if the module is
 * missing. From then on only rank 0 prints. */
bool ranks_open(ranks *r);
void ranks_close(ranks *r);

/* Waits for a message. The bytes, to be freed, end with a zero; NULL without memory. */
char *ranks_wait(const ranks *r, int *from, size_t *size);

#endif

/* SPDX-License-Identifier: MIT */
/* Joining a job of several processes. */
#define _POSIX_C_SOURCE 200809L
#include "ranks.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

#include "cli.h"

/* number and count of processes as launchers tell them: Open MPI, MPICH and others */
static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
static const char *const numbers[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK"};

static int told(const char *const names[2]) {
  for (int i = 0; i < 2; i++) {
    const char *text = getenv(names[i]);
    if (text && atoi(text) > 0) return atoi(text);
  }
  return 0;
}

int ranks_told(void) {
  const int size = told(sizes);
  return size > 1 ? size : 1;
}

/* one process says it for all */
static bool refuse(const char *why) {
  if (told(numbers) == 0) cli_error("mpirun has started %d processes, %s", ranks_told(), why);
  return false;
}

/* The tool's run path leads to the module. It is opened for itself: the module of mumps has MPI
 * functions of its own, which are not to be mixed up with these. */
static const ranks_ops *open_module(void) {
  void *module = dlopen(RANKS_MODULE, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  return module ? dlsym(module, RANKS_SYMBOL) : NULL;
}

bool ranks_open(ranks *r) {
  static char unsaid[256];
  *r = (ranks){.size = 1};
  if (ranks_told() == 1) return true;
  const ranks_ops *ops = open_module();
  if (!ops) return refuse("but genalpha was built without MPI (Debian: libopenmpi-dev)");
  if (!ops->begin(&r->rank, &r->size)) return refuse("but MPI cannot be started");
  if (r->size == 1) {
    ops->end();
    return refuse("but genalpha's MPI sees one: the launcher belongs to another MPI");
  }
  r->ops = ops;
  if (r->rank == 0) return true;
  cli_collect(unsaid, sizeof unsaid);
  if (!freopen("/dev/null", "w", stdout)) ops->abort(CLI_FAILED);
  return true;
}

void ranks_close(ranks *r) {
  if (r->ops) r->ops->end();
  r->ops = NULL;
}

/* Short naps, not a busy loop: the processors belong to the runs. */
char *ranks_wait(const ranks *r, int *from, size_t *size) {
  const struct timespec nap = {0, 50000};
  while (!r->ops->poll(from, size)) nanosleep(&nap, NULL);
  char *bytes = malloc(*size + 1);
  if (!bytes) return NULL;
  r->ops->receive(*from, bytes, *size);
  bytes[*size] = '\0';
  return bytes;
}

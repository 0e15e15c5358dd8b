/* SPDX-License-Identifier: MIT */
/* Joining a job of several processes. RANKS_FROM_BIN, the way from the tool to installed modules,
 * comes from the build. */
#define _POSIX_C_SOURCE 200809L
#include "launcher.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tool.h"

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

/* The module beside the tool, as in the directory of a build, or where it is installed. It is
 * opened for itself: the module of mumps has MPI functions of its own, which are not to be mixed up
 * with these. NULL, with the reason in why. */
static const ranks_ops *open_module(char *why, size_t size) {
  static const char *const ways[] = {"", RANKS_FROM_BIN "/"};
  char own[PATH_MAX], path[2 * PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
  own[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(own, '/');
  snprintf(why, size, "but genalpha was built without MPI (Debian: libopenmpi-dev)");
  for (int i = 0; slash && i < 2; i++) {
    slash[1] = '\0';
    snprintf(path, sizeof path, "%s%s%s", own, ways[i], RANKS_MODULE);
    if (access(path, R_OK) != 0) continue;
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    const ranks_ops *ops = module ? dlsym(module, RANKS_SYMBOL) : NULL;
    if (ops) return ops;
    const char *reason = dlerror();
    snprintf(why, size, "but genalpha's module for MPI cannot be opened: %s", reason ? reason : "");
  }
  return NULL;
}

bool ranks_open(ranks *r) {
  static char unsaid[256];
  *r = (ranks){.size = 1};
  if (ranks_told() == 1) return true;
  char why[400];
  const ranks_ops *ops = open_module(why, sizeof why);
  if (!ops) return refuse(why);
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

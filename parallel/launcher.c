/* SPDX-License-Identifier: MIT */
/* Detecting a launcher by its environment, and joining its processes by libgenalpha_mpi.
 * GA_LIB_FROM_BIN, the relative path from the installed tool to the installed libraries, comes from
 * the build. */
#define _POSIX_C_SOURCE 200809L
#include "parallel/launcher.h"

#include <dlfcn.h>
#include <genalpha/genalpha.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the environment ------------------------------------------------------------------------ */

/* The first launcher whose two variables are numbers counts. Hydra starts programs of MPICH, Intel
 * MPI and others; Slurm's variables are those of a job step, so that a batch script alone is one
 * process. */
static const struct {
  const char *name, *processes, *process;
} launchers[] = {{"Open MPI", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                 {"Hydra", "PMI_SIZE", "PMI_RANK"},
                 {"MVAPICH", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
                 {"Slurm", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
enum { NLAUNCHER = (int)(sizeof launchers / sizeof launchers[0]) };

/* the number in an environment variable, -1 if there is none */
static int number_in(const char *variable) {
  const char *text = getenv(variable);
  char *end;
  const long value = text ? strtol(text, &end, 10) : -1;
  return text && *text && !*end && value >= 0 && value <= INT_MAX ? (int)value : -1;
}

/* The first launcher whose variables are set, with this process's number and how many there are;
 * process 0 of 1 without a launcher. */
launcher launcher_detect(void) {
  for (int i = 0; i < NLAUNCHER; i++) {
    const int processes = number_in(launchers[i].processes);
    const int process = number_in(launchers[i].process);
    if (processes > 0 && process >= 0) {
      return (launcher){launchers[i].name, .process = process, .processes = processes};
    }
  }
  return (launcher){.process = 0, .processes = 1};
}

/* ---- the library ---------------------------------------------------------------------------- */

static const char library_name[] = "libgenalpha_mpi.so";

/* Handle of libgenalpha_mpi in this directory (with the last slash; "": the search path of the
 * system); NULL if it is not there or cannot be opened. */
static void *open_in(const char *directory, launcher_scope scope) {
  char path[2 * PATH_MAX];
  if (snprintf(path, sizeof path, "%s%s", directory, library_name) >= (int)sizeof path) return NULL;
  if (*directory && access(path, R_OK) != 0) return NULL;
  return dlopen(path, RTLD_NOW | (scope == LAUNCHER_MPI_VISIBLE ? RTLD_GLOBAL : RTLD_LOCAL));
}

/* Handle of libgenalpha_mpi: beside the tool (a build tree), in the installed directory, or in the
 * search path of the system; NULL if none is found. */
static void *open_library(launcher_scope scope) {
  char own[PATH_MAX], installed[2 * PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
  own[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(own, '/');
  void *library = NULL;
  if (slash) {
    slash[1] = '\0';
    library = open_in(own, scope);
    snprintf(installed, sizeof installed, "%s%s/", own, GA_LIB_FROM_BIN);
    if (!library) library = open_in(installed, scope);
  }
  return library ? library : open_in("", scope);
}

/* Open the library, compare versions, start MPI, and check that MPI sees the processes of the
 * launcher. Returns the library's functions, whose end() the caller calls at last; NULL with the
 * reason in `why` (size bytes): MPI is then not running. All processes call it. */
const ga_launch_ops *launcher_join(launcher_scope scope, char *why, size_t size) {
  const launcher found = launcher_detect();
  dlerror(); /* forget older errors */
  void *library = open_library(scope);
  const ga_launch_ops *ops = library ? dlsym(library, GA_LAUNCH_SYMBOL) : NULL;
  if (!ops) {
    const char *reason = dlerror();
    snprintf(why, size,
             "%d processes were started, but libgenalpha_mpi cannot be opened: install MPI "
             "(Debian: libopenmpi-dev) and build genalpha anew, or start one process without "
             "mpirun (%s)",
             found.processes, reason ? reason : "it is not there");
    return NULL;
  }
  if (strcmp(ops->version, GA_VERSION) != 0) {
    snprintf(why, size, "libgenalpha_mpi belongs to genalpha %s, this is %s; install both anew",
             ops->version, GA_VERSION);
    return NULL;
  }
  ga_error err = {GA_OK, ""};
  int process = 0, processes = 1;
  if (ops->begin(&process, &processes, &err) != GA_OK) {
    snprintf(why, size, "%s", err.text);
    return NULL;
  }
  if (process == found.process && processes == found.processes) return ops;
  ops->end();
  snprintf(why, size,
           "%d processes were started, but MPI finds %d: the launcher belongs to another MPI than "
           "libgenalpha_mpi",
           found.processes, processes);
  return NULL;
}

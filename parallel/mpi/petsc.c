/* SPDX-License-Identifier: MIT */
/* The solver of libgenalpha_petsc for a team, without linking to PETSc: the library is opened from
 * the directory of this library, or from wherever the system looks. */
#define _GNU_SOURCE /* dladdr */
#include "parallel/mpi/petsc.h"

#include <dlfcn.h>
#include <genalpha/ga_petsc.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static void *library;
static ga_petsc_context context; /* of the one run of this process */

/* an address in the file that holds this library */
static const char anchor[] = "";

/* Handle of libgenalpha_petsc, opened at the first call; NULL if it cannot be opened. */
static void *open_library(void) {
  static const char name[] = "libgenalpha_petsc.so";
  char path[PATH_MAX + sizeof name];
  Dl_info info;
  if (library) return library;
  path[0] = '\0';
  if (dladdr((const void *)anchor, &info) && info.dli_fname && strlen(info.dli_fname) < PATH_MAX) {
    strcpy(path, info.dli_fname);
    char *slash = strrchr(path, '/');
    strcpy(slash ? slash + 1 : path, name);
    library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  }
  if (!library) library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
  return library;
}

/* Can libgenalpha_petsc be opened, with its solver in it? */
bool ga_launch_has_petsc(void) {
  return open_library() && dlsym(library, "ga_petsc_linsol");
}

/* Make PETSc the solver of the team (team->linsol and its context, of which there is one in this
 * process); options as PETSc writes them, borrowed, may be empty. GA_OK, or GA_ERR_BACKEND with a
 * message if the library is missing; the team is then unchanged. */
ga_status ga_launch_petsc(ga_team *team, const char *options, ga_error *err) {
  const ga_linsol_ops *ops = open_library() ? dlsym(library, "ga_petsc_linsol") : NULL;
  if (!ops) {
    snprintf(err->text, sizeof err->text,
             "--petsc: libgenalpha_petsc is not there; install PETSc (Debian: libpetsc-real-dev) "
             "and build with -DGA_PETSC=ON, or leave out --petsc");
    err->code = GA_ERR_BACKEND;
    return GA_ERR_BACKEND;
  }
  context = (ga_petsc_context){.options = *options ? options : NULL};
  team->linsol = ops;
  team->linsol_context = &context;
  return GA_OK;
}

/* Finalize PETSc, if the library was opened. */
void ga_launch_petsc_close(void) {
  void (*close)(void) = NULL;
  if (library) *(void **)(&close) = dlsym(library, "ga_petsc_close");
  if (close) close();
}

/* SPDX-License-Identifier: MIT */
/* PETSc's start and end, its errors, and the agreement of all processes on a status. */
#include <stdio.h>
#include <string.h>

#include "private.h"

/* There is one PETSc in a process, hence this variable: this library has initialized it. */
static bool opened_here;

/* Register our preconditioner type with PETSc; may be called again. GA_OK, or GA_ERR_BACKEND with a
 * message in trouble (room bytes). */
static ga_status register_type(char *trouble, size_t room) {
  if (!ga_petsc_register_klu()) return GA_OK;
  snprintf(trouble, room, "PETSc refused to register the solver for subdomains");
  return GA_ERR_BACKEND;
}

/* Initialize PETSc unless the program has done so, and register our preconditioner. GA_OK, or
 * GA_ERR_BACKEND with a message in trouble (room bytes). Sets opened_here. */
ga_status ga_petsc_open(char *trouble, size_t room) {
  PetscBool there = PETSC_FALSE, ended = PETSC_FALSE;
  if (PetscFinalized(&ended) || ended) {
    snprintf(trouble, room, "PETSc was finalized before, and starts only once in a process");
    return GA_ERR_BACKEND;
  }
  if (!PetscInitialized(&there) && there) return register_type(trouble, room);
  /* signals belong to the program; nothing is printed at the end */
  PetscErrorCode code = PetscOptionsSetValue(NULL, "-no_signal_handler", "true");
  if (!code) code = PetscOptionsSetValue(NULL, "-options_left", "false");
  if (!code) code = PetscInitializeNoArguments();
  if (code) {
    snprintf(trouble, room, "PETSc could not be initialized (its error %d)", (int)code);
    return GA_ERR_BACKEND;
  }
  opened_here = true;
  return register_type(trouble, room);
}

/* Public: finalize PETSc if this library has initialized it. */
void ga_petsc_close(void) {
  if (opened_here) (void)PetscFinalize();
  opened_here = false;
}

/* Error handler: keep the text of the first report in s->trouble. PETSc reports an error again from
 * every calling function; the first text is the most specific. */
static PetscErrorCode keep_text(MPI_Comm comm, int line, const char *function, const char *file,
                                PetscErrorCode code, PetscErrorType kind, const char *text,
                                void *context) {
  (void)comm, (void)line, (void)file;
  ga_petsc_solver *s = context;
  if (kind == PETSC_ERROR_INITIAL && s->trouble[0] == '\0') {
    snprintf(s->trouble, GA_PETSC_ROOM, "PETSc, %s: %s", function ? function : "", text);
    for (char *at = s->trouble; *at; at++) {
      if (*at == '\n') *at = ' ';
    }
  }
  return code;
}

/* Clear s->trouble and collect errors of PETSc there from now on; every call needs
 * ga_petsc_leave. */
void ga_petsc_enter(ga_petsc_solver *s) {
  s->trouble[0] = '\0';
  (void)PetscPushErrorHandler(keep_text, s);
}

/* Restore the error handler that was in use before ga_petsc_enter; s->trouble stays. */
void ga_petsc_leave(ga_petsc_solver *s) {
  (void)s;
  (void)PetscPopErrorHandler();
}

/* GA_OK, or the status for an error code of PETSc; s->trouble gets a message if it has none. */
ga_status ga_petsc_status(const ga_petsc_solver *s, PetscErrorCode code) {
  if (!code) return GA_OK;
  if (s->trouble[0] == '\0') {
    snprintf(s->trouble, GA_PETSC_ROOM, "PETSc failed with its error %d", (int)code);
  }
  return code == PETSC_ERR_MEM ? GA_ERR_MEM : GA_ERR_BACKEND;
}

/* The worst status of all processes; s->trouble becomes that of the first process that has it.
 * Collective. */
ga_status ga_petsc_agree(ga_petsc_solver *s, ga_status status) {
  if (s->processes == 1) return status;
  /* errors are worse than statuses that a smaller step may cure */
  struct {
    int grave, process;
  } mine = {status < 0 ? 1000 - (int)status : (int)status, s->process}, worst = mine;
  MPI_Allreduce(&mine, &worst, 1, MPI_2INT, MPI_MAXLOC, s->comm);
  if (worst.grave == 0) return GA_OK;
  MPI_Bcast(s->trouble, GA_PETSC_ROOM, MPI_CHAR, worst.process, s->comm);
  return (ga_status)(worst.grave > 1000 ? 1000 - worst.grave : worst.grave);
}

/* x[i] = the largest x[i] of all processes, for i < n. Collective. */
void ga_petsc_largest(const ga_petsc_solver *s, int n, double *x) {
  if (s->processes > 1) MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_DOUBLE, MPI_MAX, s->comm);
}

/* SPDX-License-Identifier: MIT */
/* Private: libgenalpha_petsc as the linear solver of a team, opened at run time. */
#ifndef GA_MPI_PETSC_H
#define GA_MPI_PETSC_H

#include <genalpha/ga_team.h>

/* Can it be opened? */
bool ga_launch_has_petsc(void);

/* Make PETSc the linear solver of a team, with options as PETSc writes them. */
ga_status ga_launch_petsc(ga_team *team, const char *options, ga_error *err);
void ga_launch_petsc_close(void);

#endif

/* SPDX-License-Identifier: MIT */
/* libgenalpha_petsc: linear systems of a team, solved by PETSc.
 *
 * A library of its own, built with -DGA_PETSC=ON (docs/guide/scale.md). Each rank has a part of the
 * matrix; PETSc adds the parts up and solves over all ranks:
 *
 *     ga_petsc_context petsc = {.options = "-ksp_monitor"};
 *     team->linsol = &ga_petsc_linsol;
 *     team->linsol_context = &petsc;
 *     ..
 *     ga_petsc_close();
 *
 * By default FGMRES, preconditioned by additive Schwarz: each rank factors, by KLU, the strong
 * entries of its own part and of what overlaps with it. Everything can be changed by PETSc's
 * options; a direct solver for all ranks together is
 *
 *     petsc.options = "-pc_type lu -pc_factor_mat_solver_type mumps";
 *
 * Without a team (ga_options.linsol_ops = &ga_petsc_linsol) the same solver works on one rank. */
#ifndef GA_PETSC_H
#define GA_PETSC_H

#include <genalpha/ga_linsol.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ga_team.linsol_context or ga_options.linsol_context of this solver; NULL is as one of zeros. */
typedef struct ga_petsc_context {
  const void *comm; /* address of the MPI_Comm of the team's ranks; NULL: MPI_COMM_WORLD. Without a
                     * team the solver works on its own rank alone */
  /* Options of PETSc as one line, "-ksp_rtol 1e-12 -sub_pc_type ilu"; NULL: none. PETSc keeps them
   * with the prefix ga_, so that a program's own options mean other solvers; with or without that
   * prefix they may be written here. What nothing in PETSc asks for ends the first factorization
   * with an error that names it. Three options are of this library:
   *
   *     -weak 0.1        entries below, where rows and columns are scaled to 1, are left out of the
   *                      preconditioner; 0: none. The default is 0 with -pc_type lu, and for
   *                      less than 500 rows
   *     -overlap 1       layers of elements of other ranks that a subdomain has besides its own
   *     -backward 1e-8   largest |b - A x| relative to |b| at which a solve ends, in these units;
   *                      -ksp_rtol 1e-9 is the goal of one round of the iteration, and most often
   *                      one is enough. With stab2 Newton's method makes some per cent more
   *                      iterations with these than with exact solves, with 1e-6 a fifth more */
  const char *options;
  /* counted by the solver, over all systems that use this context */
  long factors;    /* factorizations of the preconditioner */
  long solves;     /* solves */
  long iterations; /* Krylov iterations of all solves */
  int most;        /* iterations of the slowest solve */
  long resorts;    /* how often MUMPS had to take the place of the subdomains, see below */
} ga_petsc_context;

/* analyze, factor and solve are collective over the ranks of the team and give the same status on
 * all. Where the iteration does not converge in -ksp_max_it 300 iterations, MUMPS takes the place
 * of the subdomains until the state is saved or a run starts anew, unless the options have a
 * -pc_type. A solve that does not converge then gives GA_RETRY_NEWTON, with PETSc's reason in
 * ls->trouble: a smaller step may help. A matrix that is singular gives GA_RETRY_SINGULAR; the
 * column named is one of this rank's, or -1 where another rank has it. */
GA_API extern const ga_linsol_ops ga_petsc_linsol;

/* Finalize PETSc, if the solver has initialized it; all solvers must have been closed before.
 * PETSc then finalizes MPI, if PETSc has initialized MPI. Collective. Without it the process still
 * ends in order. */
GA_API void ga_petsc_close(void);

#ifdef __cplusplus
}
#endif
#endif

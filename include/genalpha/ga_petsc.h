/* SPDX-License-Identifier: MIT */
/* libgenalpha_petsc: linear systems of a team, solved by PETSc.
 *
 * A library of its own, built with -DGA_PETSC=ON (docs/guide/scale.md). Each process has a
 * contribution to the matrix; PETSc adds the contributions and solves over all processes:
 *
 *     ga_petsc_context petsc = {.options = "-ksp_monitor"};
 *     team->linsol = &ga_petsc_linsol;
 *     team->linsol_context = &petsc;
 *     ...
 *     ga_petsc_close();
 *
 * The default is FGMRES, preconditioned by additive Schwarz: each process factors, by KLU, the
 * strong entries of its own subdomain and of the overlap with its neighbours. PETSc's options
 * change everything. For example, this is a direct solver over all processes:
 *
 *     petsc.options = "-pc_type lu -pc_factor_mat_solver_type mumps";
 *
 * Without a team (ga_options.linsol_ops = &ga_petsc_linsol) the same solver works in one
 * process. */
#ifndef GA_PETSC_H
#define GA_PETSC_H

#include <genalpha/ga_linsol.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ga_team.linsol_context or ga_options.linsol_context of this solver; NULL is as one of zeros. */
typedef struct ga_petsc_context {
  const void *comm; /* address of the team's MPI_Comm; NULL: MPI_COMM_WORLD. Without a team the
                     * solver works in its own process alone */
  /* Options of PETSc as one line, "-ksp_rtol 1e-12 -sub_pc_type ilu"; NULL: none. PETSc keeps them
   * with the prefix ga_, which separates them from those of the program's own solvers; here the
   * prefix may be written or left out. An option that PETSc does not use ends the first
   * factorization with an error that names it. This library adds three options:
   *
   *     -weak 0.1        entries below this, after rows and columns are scaled to a largest entry
   *                      near 1, are left out of the preconditioner; 0: none are. The default is
   *                      0 with -pc_type lu, and for less than 500 rows
   *     -overlap 1       layers of elements of other processes that belong to a subdomain as well
   *     -backward 1e-8   a solve ends when |b - A x| / |b|, scaled like this, is below;
   *                      -ksp_rtol 1e-9 is the goal of one round of the iteration, and one round
   *                      is enough in most cases. With stab2, Newton's method makes a few per cent
   *                      more iterations with these values than with exact solves, and 20 % more
   *                      with 1e-6 */
  const char *options;
  /* counted by the solver, over all systems that use this context */
  long factors;    /* factorizations of the preconditioner */
  long solves;     /* solves */
  long iterations; /* Krylov iterations of all solves */
  int most;        /* iterations of the slowest solve */
  long resorts;    /* how often MUMPS replaced the subdomain solvers, see below */
} ga_petsc_context;

/* analyze, factor and solve are collective over the processes of the team and give the same status
 * on all. If the iteration does not converge in -ksp_max_it 300 iterations, MUMPS replaces the
 * subdomain solvers until the state is saved or a run starts anew, unless the options have a
 * -pc_type. A solve that does not converge then gives GA_RETRY_NEWTON, with PETSc's reason in
 * ls->trouble: a smaller step may help. A singular matrix gives GA_RETRY_SINGULAR; singular_column
 * is a column of this process, or -1 if another process has it. */
GA_API extern const ga_linsol_ops ga_petsc_linsol;

/* Finalize PETSc, if the solver has initialized it, and MPI, if PETSc has initialized that. Free
 * all integrators before. Collective. A program that does not call it ends properly all the
 * same. */
GA_API void ga_petsc_close(void);

#ifdef __cplusplus
}
#endif
#endif

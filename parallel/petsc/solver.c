/* SPDX-License-Identifier: MIT */
/* The table of functions: each of them enters PETSc, agrees on a status, and leaves it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"

static const double COST = 1; /* of a factorization in solves: most of them only copy values */

/* The processes that have contributions to the matrix: this one alone if the layout has no
 * numbering over processes, else those of the context, or all. */
static MPI_Comm comm_of(const ga_petsc_context *context, const ga_linsol_layout *layout) {
  if (!layout || !layout->numbering) return MPI_COMM_SELF;
  return context->comm ? *(const MPI_Comm *)context->comm : MPI_COMM_WORLD;
}

/* Allocate all arrays of s of n or nnz numbers, zero; s->n and s->nnz must be set. False if memory
 * runs out; petsc_free frees what there is. */
static bool allocate_arrays(ga_petsc_solver *s) {
  size_t n = (size_t)s->n + 1, nnz = (size_t)s->nnz + 1;
  const struct {
    void *to;
    size_t count, size;
  } wanted[] = {
      {&s->partner, n, sizeof(int)},       {&s->row_of, n, sizeof(int)},
      {&s->own, n, sizeof(int)},           {&s->index, n, sizeof(PetscInt)},
      {&s->roots, n, sizeof(double)},      {&s->leaves, n, sizeof(double)},
      {&s->has_diagonal, n, sizeof(bool)}, {&s->row, n, sizeof(double)},
      {&s->unit, n, sizeof(double)},       {&s->value, nnz, sizeof(double)},
      {&s->kept, nnz, sizeof(int)},        {&s->kept_value, nnz, sizeof(double)},
      {&s->made_for, nnz, sizeof(double)}, {&s->unit_of, nnz, sizeof(double)},
  };
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    void *block = calloc(wanted[i].count, wanted[i].size);
    memcpy(wanted[i].to, &block, sizeof block);
    if (!block) return false;
  }
  return true;
}

/* Initialize PETSc, number the rows over all processes and read the options; ls->impl becomes the
 * new solver, which borrows the pattern of A. Operators are made later, with the first values. The
 * same status on all processes (except for memory of the solver itself); message in ls->trouble;
 * petsc_free after a failure too. Collective. */
static ga_status petsc_analyze(ga_linsol *ls, const ga_csr *A) {
  ga_status status = ga_petsc_open(ls->trouble, sizeof ls->trouble);
  if (status != GA_OK) return status;
  ga_petsc_solver *s = calloc(1, sizeof *s);
  if (!s) return GA_ERR_MEM;
  ls->impl = s;
  s->trouble = ls->trouble;
  s->singular = -1;
  s->context = ls->context ? ls->context : &s->fallback;
  s->comm = comm_of(s->context, ls->layout);
  MPI_Comm_rank(s->comm, &s->process);
  MPI_Comm_size(s->comm, &s->processes);
  s->n = A->nrow;
  s->nnz = A->ptr[A->nrow];
  s->ptr = A->ptr, s->col = A->col;
  ga_petsc_enter(s);
  status = ga_petsc_agree(s, allocate_arrays(s) ? GA_OK : GA_ERR_MEM);
  if (status == GA_OK) {
    PetscErrorCode code = ga_petsc_number(s, ls->layout);
    if (!code) code = ga_petsc_read_options(s);
    status = ga_petsc_agree(s, ga_petsc_status(s, code));
  }
  ga_petsc_leave(s);
  return status;
}

/* Factor P and check whether A is singular (then s->singular may name a column). After a failure
 * the operators are closed. The same status on all processes; collective. */
static ga_status prepare(ga_petsc_solver *s) {
  ga_status status = GA_OK;
  PetscErrorCode code = ga_petsc_prepare(s, &status);
  if (code) status = ga_petsc_status(s, code);
  status = ga_petsc_agree(s, status);
  if (status == GA_OK) {
    code = ga_petsc_check_singular(s, &status);
    if (!code) code = ga_petsc_made(s);
    if (code) status = ga_petsc_status(s, code);
    status = ga_petsc_agree(s, status);
  }
  if (status != GA_OK) ga_petsc_close_operators(s);
  return status;
}

/* Make and factor P. If P is singular, A with its weak entries may still be regular: then P = A is
 * tried (s->weak becomes 0). If that is singular too, look for a dependent column (s->singular).
 * After a failure the operators are closed. The same status on all processes; collective. */
static ga_status prepare_with_all_entries(ga_petsc_solver *s) {
  ga_status status = prepare(s);
  if (status != GA_RETRY_SINGULAR) return status;
  if (s->weak > 0) {
    s->weak = 0;
    status = prepare(s);
    if (status != GA_RETRY_SINGULAR) return status;
  }
  PetscErrorCode code = s->singular_anywhere ? 0 : ga_petsc_find_column(s);
  ga_petsc_close_operators(s);
  if (code) status = ga_petsc_status(s, code);
  return ga_petsc_agree(s, status);
}

/* Scale the values of A; keep P if it is still good, else make and factor a new one. Sets
 * ls->cost.factor; message in ls->trouble. GA_RETRY_NONFINITE if an entry of A is not finite,
 * GA_RETRY_SINGULAR if A is singular. The same status on all processes; collective. */
static ga_status petsc_factor(ga_linsol *ls, const ga_csr *A) {
  ga_petsc_solver *s = ls->impl;
  bool not_finite = false;
  s->singular = -1;
  s->singular_anywhere = false;
  s->stale = s->opened;
  ga_petsc_enter(s);
  PetscErrorCode code = ga_petsc_units(s, A->val, &not_finite);
  ga_status status = ga_petsc_agree(s, ga_petsc_status(s, code));
  if (status == GA_OK && not_finite) status = GA_RETRY_NONFINITE;
  if (status == GA_OK) {
    status = ga_petsc_still_good(s) ? ga_petsc_agree(s, ga_petsc_status(s, ga_petsc_keep(s)))
                                    : prepare_with_all_entries(s);
  }
  ls->cost.factor = COST;
  ga_petsc_leave(s);
  return status;
}

/* Solve A x = b for the right-hand side in s->b; the solution is s->x. All processes get the same
 * status; collective. */
static ga_status iterate(ga_petsc_solver *s) {
  ga_status status = GA_OK;
  PetscErrorCode code = ga_petsc_iterate(s, &status);
  if (code) status = ga_petsc_status(s, code);
  return ga_petsc_agree(s, status);
}

/* Solve A x = b for b of all local rows; the scaled solution is s->x. If the iteration does not
 * converge, P is renewed: first for the present values (s->stale), then with all entries (s->weak =
 * 0), then by MUMPS (s->direct, counted in s->context->resorts). The same status on all processes;
 * collective. */
static ga_status solve_or_renew(ga_petsc_solver *s, const double *b) {
  for (;;) {
    PetscErrorCode code = s->opened ? ga_petsc_to_vector(s, b, s->b) : PETSC_ERR_ORDER;
    ga_status status = ga_petsc_agree(s, ga_petsc_status(s, code));
    if (status == GA_OK) status = iterate(s);
    bool another = s->stale || s->weak > 0 || (s->may_be_direct && !s->direct && s->processes > 1);
    if (status != GA_RETRY_NEWTON || !another) return status;
    if (!s->stale && s->weak == 0) s->direct = true, s->context->resorts++;
    if (!s->stale) s->weak = 0;
    s->stale = false;
    s->trouble[0] = '\0';
    ga_petsc_close_operators(s);
    status = prepare_with_all_entries(s);
    if (status != GA_OK) return status;
  }
}

/* b of this process is overwritten by the solution, also in shared rows; it stays after a failure.
 * petsc_factor must have succeeded before. The same status on all processes; collective. */
static ga_status petsc_solve(ga_linsol *ls, double *b) {
  ga_petsc_solver *s = ls->impl;
  ga_petsc_enter(s);
  ga_status status = solve_or_renew(s, b);
  if (status == GA_OK) {
    PetscErrorCode code = ga_petsc_from_vector(s, s->x, b);
    status = ga_petsc_agree(s, ga_petsc_status(s, code));
  }
  ga_petsc_leave(s);
  return status;
}

/* The local column that depends on others after GA_RETRY_SINGULAR; -1: unknown, or not here. */
static int petsc_singular_column(const ga_linsol *ls) {
  const ga_petsc_solver *s = ls->impl;
  return s->singular;
}

/* Forget scaling, operators and the replacement by MUMPS, so that the next factor does not depend
 * on earlier values. Collective. */
static void petsc_reset(ga_linsol *ls) {
  ga_petsc_solver *s = ls->impl;
  s->scaled = s->direct = false;
  s->weak = s->weak_wanted;
  ga_petsc_enter(s);
  ga_petsc_close_operators(s);
  ga_petsc_leave(s);
}

/* Free the solver and all it has opened; nothing to do if analyze did not create it. Collective. */
static void petsc_free(ga_linsol *ls) {
  ga_petsc_solver *s = ls->impl;
  if (!s) return;
  ga_petsc_enter(s);
  ga_petsc_close_operators(s);
  (void)PetscSFDestroy(&s->sf);
  ga_petsc_leave(s);
  void *const blocks[] = {s->partner,      s->row_of,  s->own,  s->index,  s->roots, s->leaves,
                          s->has_diagonal, s->row,     s->unit, s->value,  s->kept,  s->kept_value,
                          s->made_for,     s->unit_of, s->text, s->option, s};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
  ls->impl = NULL;
}

const ga_linsol_ops ga_petsc_linsol = {
    .name = "petsc",
    .summary = "matrices over several processes (PETSc): FGMRES with Schwarz over KLU, or others",
    .analyze = petsc_analyze,
    .factor = petsc_factor,
    .solve = petsc_solve,
    .singular_column = petsc_singular_column,
    .reset = petsc_reset,
    .free = petsc_free,
};

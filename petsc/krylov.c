/* SPDX-License-Identifier: MIT */
/* The iteration: operators, preconditioner, and rounds of FGMRES until the equations hold.
 *
 * One round solves A c = r to ksp_rtol, then x <- x + c, and r = b - A x is computed anew. Rounds
 * end when |r| <= backward (|b| + |x|) in the largest norm; the entries of A are about 1 here. */
#include <math.h>
#include <stdio.h>

#include "private.h"

enum { ROUNDS = 6 };
enum { ROOM_TRIES = 5 };        /* MUMPS is given more memory so often, each time twice as much */
static const double GAIN = 0.1; /* a round that leaves more of the residual was in vain */
static const double ENOUGH = 1e-8; /* backward error accepted then */

static const char *reason_in_words(KSPConvergedReason reason) {
  switch (reason) {
    case KSP_DIVERGED_ITS:
      return "no convergence within -ksp_max_it iterations";
    case KSP_DIVERGED_DTOL:
      return "the residual grew";
    case KSP_DIVERGED_BREAKDOWN:
      return "the iteration broke down";
    case KSP_DIVERGED_BREAKDOWN_BICG:
      return "the iteration broke down";
    case KSP_DIVERGED_NONSYMMETRIC:
      return "the matrix is not symmetric, the iteration wants that";
    case KSP_DIVERGED_INDEFINITE_PC:
      return "the preconditioner is indefinite";
    case KSP_DIVERGED_INDEFINITE_MAT:
      return "the matrix is indefinite, the iteration wants others";
    case KSP_DIVERGED_NANORINF:
      return "a NaN or infinity appeared";
    case KSP_DIVERGED_PC_FAILED:
      return "the preconditioner could not be made";
    default:
      return "the equations still do not hold";
  }
}

static PetscErrorCode set_subdomains(ga_petsc_solver *s, PC pc) {
  PetscBool schwarz;
  IS all, own;
  GA_TRY(PetscObjectTypeCompare((PetscObject)pc, PCASM, &schwarz));
  if (!schwarz) return 0;
  GA_TRY(ga_petsc_subdomain(s, &all, &own));
  GA_TRY(PCASMSetLocalSubdomains(pc, 1, &all, &own));
  GA_TRY(ISDestroy(&all));
  return ISDestroy(&own);
}

static PetscErrorCode copy_values(ga_petsc_solver *s) {
  GA_TRY(MatSetValuesCOO(s->A, s->value, INSERT_VALUES));
  if (s->P == s->A) return 0;
  for (int k = 0; k < s->nkept; k++) s->kept_value[k] = s->value[s->kept[k]];
  return MatSetValuesCOO(s->P, s->kept_value, INSERT_VALUES);
}

/* P for the present values. All ranks see whether any rank has a weak entry. */
static PetscErrorCode open_strong(ga_petsc_solver *s) {
  double any = 0;
  if (s->weak > 0) {
    GA_TRY(ga_petsc_choose(s));
    any = s->nkept < s->nnz;
    ga_petsc_largest(s, 1, &any);
  }
  if (any > 0) return ga_petsc_matrix(s, s->nkept, s->kept, &s->P);
  GA_TRY(PetscObjectReference((PetscObject)s->A));
  s->P = s->A;
  return 0;
}

static PetscErrorCode open_operators(ga_petsc_solver *s) {
  PC pc;
  GA_TRY(ga_petsc_matrix(s, s->nnz, NULL, &s->A));
  GA_TRY(open_strong(s));
  GA_TRY(copy_values(s));
  GA_TRY(MatCreateVecs(s->A, &s->x, &s->b));
  GA_TRY(VecDuplicate(s->b, &s->r));
  GA_TRY(VecDuplicate(s->b, &s->c));
  GA_TRY(KSPCreate(s->comm, &s->ksp));
  GA_TRY(KSPSetOptionsPrefix(s->ksp, "ga_"));
  GA_TRY(KSPSetOperators(s->ksp, s->A, s->P));
  GA_TRY(KSPSetFromOptions(s->ksp));
  GA_TRY(KSPGetPC(s->ksp, &pc));
  GA_TRY(set_subdomains(s, pc));
  s->opened = true;
  return 0;
}

void ga_petsc_close_operators(ga_petsc_solver *s) {
  Vec *const vectors[] = {&s->b, &s->x, &s->r, &s->c};
  for (int i = 0; i < 4; i++) (void)VecDestroy(vectors[i]);
  (void)KSPDestroy(&s->ksp);
  (void)MatDestroy(&s->P);
  (void)MatDestroy(&s->A);
  s->opened = false;
}

static PetscErrorCode set_up(ga_petsc_solver *s) {
  s->context->factors++;
  GA_TRY(KSPSetOperators(s->ksp, s->A, s->P)); /* else new values are not noticed before a solve */
  GA_TRY(KSPSetUp(s->ksp));
  return KSPSetUpOnBlocks(s->ksp);
}

PetscErrorCode ga_petsc_prepare(ga_petsc_solver *s, ga_status *status) {
  *status = GA_OK;
  if (s->opened) {
    GA_TRY(copy_values(s));
    return set_up(s);
  }
  GA_TRY(ga_petsc_put_options(s));
  PetscErrorCode code = open_operators(s);
  if (!code) code = set_up(s);
  PetscErrorCode taken = ga_petsc_take_options(s, !code);
  return code ? code : taken;
}

PetscErrorCode ga_petsc_iterate(ga_petsc_solver *s, ga_status *status) {
  double last = INFINITY;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  int made = 0;
  *status = GA_RETRY_NEWTON;
  GA_TRY(VecSet(s->x, 0));
  GA_TRY(VecCopy(s->b, s->r));
  for (int round = 0; round < ROUNDS; round++) {
    PetscReal norm_b, norm_x, left;
    PetscInt count;
    GA_TRY(KSPSolve(s->ksp, s->r, s->c));
    GA_TRY(KSPGetConvergedReason(s->ksp, &reason));
    GA_TRY(KSPGetIterationNumber(s->ksp, &count));
    made += (int)count;
    if (reason == KSP_DIVERGED_PC_FAILED || reason == KSP_DIVERGED_NANORINF) break;
    GA_TRY(VecAXPY(s->x, 1, s->c));
    GA_TRY(MatMult(s->A, s->x, s->r));
    GA_TRY(VecAYPX(s->r, -1, s->b));
    GA_TRY(VecNorm(s->b, NORM_INFINITY, &norm_b));
    GA_TRY(VecNorm(s->x, NORM_INFINITY, &norm_x));
    GA_TRY(VecNorm(s->r, NORM_INFINITY, &left));
    double size = norm_b + norm_x;
    bool vain = !(left <= GAIN * last);
    if (left <= s->backward * size || (vain && left <= ENOUGH * size)) *status = GA_OK;
    if (*status == GA_OK || vain) break;
    last = left;
  }
  s->context->solves++;
  s->context->iterations += made;
  if (made > s->context->most) s->context->most = made;
  if (*status == GA_OK) return 0;
  snprintf(s->trouble, GA_PETSC_ROOM, "PETSc: %s (%d iterations made)", reason_in_words(reason),
           made);
  return 0;
}

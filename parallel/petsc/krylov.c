/* SPDX-License-Identifier: MIT */
/* The iteration: operators, preconditioner, and rounds of FGMRES until the equations hold.
 *
 * One round solves A c = r to ksp_rtol, adds c to x, and computes r = b - A x anew. The rounds end
 * when |r| <= backward |b| in the maximum norm, or when r no longer gets smaller and is rounding
 * error, |r| <= ROUNDING |x|. (The largest entries of A are about 1 here.) */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "private.h"

enum { ROUNDS = 6 };
enum { ROOM_LEAST = 50, ROOM_MOST = 6400 }; /* per cent that MUMPS is given beyond its prediction */
static const double GAIN = 0.1; /* a round that reduces the residual by less is the last */
/* |r|/|x| that is accepted: always, and after a round that gained little */
static const double EXACT = 8 * DBL_EPSILON, ROUNDING = 1e4 * DBL_EPSILON;

/* Text for messages why the iteration has ended. */
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

/* If the preconditioner is additive Schwarz (PCASM), give it the closed subdomain of this process:
 * one whose constraints have all their velocities in it (head of strong.c). Collective. */
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

/* Set the values of s->P: A with a change of about 1000 eps in each entry and on the diagonal. P is
 * then regular, and its inverse is largest in the directions of the null vectors of A. s->P must
 * have been created with diagonal entries (open_strong with s->disturbed). Collective. */
static PetscErrorCode disturb(ga_petsc_solver *s) {
  enum { SOME = 1000 };
  PetscScalar *value;
  GA_TRY(PetscMalloc1((size_t)s->nnz + (size_t)s->nown + 1, &value));
  for (int e = 0; e < s->nnz; e++) {
    value[e] = s->value[e] * (1 + SOME * DBL_EPSILON * ga_petsc_weight(e));
  }
  for (PetscInt k = 0; k < s->nown; k++) {
    value[s->nnz + k] = SOME * DBL_EPSILON * ga_petsc_weight((int)k);
  }
  GA_TRY(MatSetValuesCOO(s->P, value, INSERT_VALUES));
  return PetscFree(value);
}

/* Copy the present scaled values R A C (s->value, see units.c) to the matrix s->A, and its strong
 * or disturbed entries to s->P, if that is another matrix. Both exist already. Collective. */
static PetscErrorCode copy_values(ga_petsc_solver *s) {
  GA_TRY(MatSetValuesCOO(s->A, s->value, INSERT_VALUES));
  if (s->P == s->A) return 0;
  if (s->disturbed) return disturb(s);
  for (int k = 0; k < s->nkept; k++) s->kept_value[k] = s->value[s->kept[k]];
  return MatSetValuesCOO(s->P, s->kept_value, INSERT_VALUES);
}

/* Create s->P for the present values, without setting its values: s->A itself if no process has a
 * weak entry. Also sets s->has_diagonal, s->kept and s->nkept. Collective. */
static PetscErrorCode open_strong(ga_petsc_solver *s) {
  double any = 0;
  GA_TRY(ga_petsc_find_diagonals(s));
  if (s->disturbed) return ga_petsc_matrix(s, s->nnz, NULL, true /* diagonal */, &s->P);
  if (s->weak > 0) {
    ga_petsc_choose(s);
    any = s->nkept < s->nnz;
    ga_petsc_largest(s, 1, &any);
  }
  if (any > 0) return ga_petsc_matrix(s, s->nkept, s->kept, false /* no diagonal */, &s->P);
  GA_TRY(PetscObjectReference((PetscObject)s->A));
  s->P = s->A;
  return 0;
}

/* Create A, P, the vectors x, b, r, c and the Krylov solver of s for the present values, and set
 * s->opened. The options must be in PETSc's set (ga_petsc_put_options). After an error the caller
 * calls ga_petsc_close_operators. Collective. */
static PetscErrorCode open_operators(ga_petsc_solver *s) {
  PC pc;
  GA_TRY(ga_petsc_matrix(s, s->nnz, NULL, false /* no diagonal */, &s->A));
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

/* Destroy A, P, the vectors and the Krylov solver; clears s->opened. Members that do not exist are
 * skipped. Collective. */
void ga_petsc_close_operators(ga_petsc_solver *s) {
  Vec *const vectors[] = {&s->b, &s->x, &s->r, &s->c};
  for (int i = 0; i < 4; i++) (void)VecDestroy(vectors[i]);
  (void)KSPDestroy(&s->ksp);
  (void)MatDestroy(&s->P);
  (void)MatDestroy(&s->A);
  s->opened = false;
}

/* *pc: preconditioner i of the subdomains of this process, *count: their number. If the
 * preconditioner is not additive Schwarz: that of the whole matrix, and 1. */
PetscErrorCode ga_petsc_sub_pc(ga_petsc_solver *s, int i, PC *pc, int *count) {
  PetscBool schwarz;
  PetscInt local = 1;
  KSP *sub;
  GA_TRY(KSPGetPC(s->ksp, pc));
  *count = 1;
  GA_TRY(PetscObjectTypeCompare((PetscObject)*pc, PCASM, &schwarz));
  if (!schwarz) return 0;
  GA_TRY(PCASMGetSubKSP(*pc, &local, NULL, &sub));
  *count = (int)local;
  return i < *count ? KSPGetPC(sub[i], pc) : 0;
}

/* Set *more if pc failed because MUMPS needs more memory than it predicts; s->room, the extra
 * memory in per cent, becomes twice what it had. No further attempt (*more stays) once it had more
 * than ROOM_MOST. The instance of MUMPS cannot be used any more and must be opened anew. */
static PetscErrorCode more_memory(ga_petsc_solver *s, PC pc, bool *more) {
  PCFailedReason why;
  PetscBool factor;
  MatSolverType type = NULL;
  PetscInt percent = 0;
  Mat F;
  GA_TRY(PCGetFailedReason(pc, &why));
  GA_TRY(PetscObjectTypeCompare((PetscObject)pc, PCLU, &factor));
  if (why != PC_FACTOR_OUTMEMORY || !factor) return 0;
  GA_TRY(PCFactorGetMatSolverType(pc, &type));
  if (!type || strcmp(type, MATSOLVERMUMPS) != 0) return 0;
  GA_TRY(PCFactorGetMatrix(pc, &F));
  GA_TRY(MatMumpsGetIcntl(F, 14, &percent)); /* ICNTL(14): extra memory in per cent */
  if (percent > ROOM_MOST) return 0;
  s->room = percent > ROOM_LEAST ? 2 * (int)percent : 2 * ROOM_LEAST;
  *more = true;
  return 0;
}

/* If the factors of pc failed, set *status (singular, no memory, or another failure) and the
 * message s->trouble; else leave both. */
static PetscErrorCode factors_status(ga_petsc_solver *s, PC pc, ga_status *status) {
  PCFailedReason why;
  GA_TRY(PCGetFailedReason(pc, &why));
  if (why == PC_NOERROR) return 0;
  bool zero = why == PC_FACTOR_STRUCT_ZEROPIVOT || why == PC_FACTOR_NUMERIC_ZEROPIVOT;
  *status = zero ? GA_RETRY_SINGULAR : why == PC_FACTOR_OUTMEMORY ? GA_ERR_MEM : GA_ERR_BACKEND;
  snprintf(s->trouble, GA_PETSC_ROOM, "PETSc: the factors of the preconditioner failed: %s",
           zero                         ? "a pivot is zero"
           : why == PC_FACTOR_OUTMEMORY ? "there is no memory"
                                        : "unknown reason");
  return 0;
}

/* Make the preconditioner: first the collective work, then the subdomains of this process. *status
 * is set if the factors are singular or failed on this process, *again if MUMPS needs more memory
 * (then s->room is raised); else both stay. Counts in s->context->factors. Collective. */
static PetscErrorCode set_up(ga_petsc_solver *s, ga_status *status, bool *again) {
  int count;
  PC pc;
  s->context->factors++;
  GA_TRY(KSPSetReusePreconditioner(s->ksp, PETSC_FALSE));
  GA_TRY(KSPSetOperators(s->ksp, s->A, s->P)); /* else new values are not noticed before a solve */
  GA_TRY(KSPSetUp(s->ksp));
  PetscErrorCode code = KSPSetUpOnBlocks(s->ksp);
  if (code == PETSC_ERR_MAT_LU_ZRPVT) *status = GA_RETRY_SINGULAR;
  if (code == PETSC_ERR_MAT_LU_ZRPVT) return 0;
  GA_TRY(code);
  GA_TRY(ga_petsc_sub_pc(s, 0, &pc, &count));
  for (int i = 0; i < count; i++) {
    GA_TRY(ga_petsc_sub_pc(s, i, &pc, &count));
    GA_TRY(factors_status(s, pc, status));
    GA_TRY(more_memory(s, pc, again));
  }
  return 0;
}

/* Create the operators with the solver's options, and factor; *status and *again as in set_up. The
 * options are in PETSc's set only meanwhile. Options that PETSc did not use are an error if all
 * else succeeded. Collective. */
static PetscErrorCode open_and_set_up(ga_petsc_solver *s, ga_status *status, bool *again) {
  GA_TRY(ga_petsc_put_options(s));
  PetscErrorCode code = open_operators(s);
  if (!code) code = set_up(s, status, again);
  PetscErrorCode taken = ga_petsc_take_options(s, !code && *status == GA_OK);
  return code ? code : taken;
}

/* Factor P for the present values (s->value); open the operators if needed. *status: GA_OK, or the
 * failure of this process (processes may differ), with s->trouble. If MUMPS lacks memory on a
 * process, all processes start again with more. Collective. */
PetscErrorCode ga_petsc_prepare(ga_petsc_solver *s, ga_status *status) {
  for (;;) {
    bool mine = false;
    PetscErrorCode code = 0;
    *status = GA_OK;
    if (s->opened) {
      code = copy_values(s);
      if (!code) code = set_up(s, status, &mine);
    } else {
      code = open_and_set_up(s, status, &mine);
    }
    double again[] = {mine && !code, s->room};
    ga_petsc_largest(s, 2, again);
    if (code || again[0] == 0) return code;
    s->room = (int)again[1];
    s->trouble[0] = '\0';
    ga_petsc_close_operators(s);
  }
}

/* Copy s->value to the matrix A only; P and its factors stay. Clears s->exact: the factors are not
 * those of A any more. The operators must be open. Collective. */
PetscErrorCode ga_petsc_keep(ga_petsc_solver *s) {
  s->exact = false;
  GA_TRY(KSPSetReusePreconditioner(s->ksp, PETSC_TRUE));
  return MatSetValuesCOO(s->A, s->value, INSERT_VALUES);
}

/* One round: solve A c = r to ksp_rtol for s->c; its iterations are added to *made, *reason says
 * why PETSc ended. If P has the factors of A (s->exact), the first round is one solve with them,
 * which counts as one iteration. Collective. */
static PetscErrorCode one_round(ga_petsc_solver *s, bool first, KSPConvergedReason *reason,
                                int *made) {
  PetscInt count = 1;
  if (first && s->exact) {
    PC pc;
    *reason = KSP_CONVERGED_ITS;
    GA_TRY(KSPGetPC(s->ksp, &pc));
    GA_TRY(PCApply(pc, s->r, s->c));
  } else {
    GA_TRY(KSPSolve(s->ksp, s->r, s->c));
    GA_TRY(KSPGetConvergedReason(s->ksp, reason));
    GA_TRY(KSPGetIterationNumber(s->ksp, &count));
  }
  *made += (int)count;
  return 0;
}

/* After a round: s->x += s->c and s->r = b - A x. *left: in, the largest |r_i| before; out, the one
 * of the x that is kept. *vain: |r| is above GAIN times that before, more rounds are useless. A c
 * that does not reduce |r| is subtracted again (s->r stays that of x + c). *status: GA_OK if |r| is
 * small; GA_RETRY_SINGULAR if only against an enormous x; else unchanged. Collective. */
static PetscErrorCode add_correction(ga_petsc_solver *s, double *left, bool *vain,
                                     ga_status *status) {
  PetscReal norm_b, norm_x, norm_r;
  GA_TRY(VecAXPY(s->x, 1, s->c));
  GA_TRY(MatMult(s->A, s->x, s->r));
  GA_TRY(VecAYPX(s->r, -1, s->b));
  GA_TRY(VecNorm(s->b, NORM_INFINITY, &norm_b));
  GA_TRY(VecNorm(s->x, NORM_INFINITY, &norm_x));
  GA_TRY(VecNorm(s->r, NORM_INFINITY, &norm_r));
  bool held = norm_r <= s->backward * norm_b; /* the equations hold */
  /* |x|/|b| is near 1/(n eps), as a solution with a singular A (GA_PETSC_GROWTH) */
  bool grown = norm_x > GA_PETSC_GROWTH / (s->ntotal * DBL_EPSILON) * norm_b;
  *vain = !(norm_r <= GAIN * *left);
  if (!(norm_r < *left)) {
    GA_TRY(VecAXPY(s->x, -1, s->c));
    norm_r = *left;
  }
  *left = norm_r;
  if (held || norm_r <= (*vain ? ROUNDING : EXACT) * norm_x) *status = GA_OK;
  /* in one process the factors have shown it before */
  if (s->processes > 1 && !held && *status == GA_OK && grown) *status = GA_RETRY_SINGULAR;
  return 0;
}

/* Up to ROUNDS rounds for A x = b from x = 0; s->b is given, s->x the result; r and c are
 * overwritten. *status: GA_OK; GA_RETRY_SINGULAR if the residual or the size of x shows that A is
 * singular; GA_RETRY_NEWTON if the rounds failed. Without convergence s->trouble gets a message.
 * Counts solves and iterations in s->context and for the age of P. Collective. */
PetscErrorCode ga_petsc_iterate(ga_petsc_solver *s, ga_status *status) {
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  double left = INFINITY;
  bool vain = false;
  int made = 0;
  *status = GA_RETRY_NEWTON;
  GA_TRY(VecSet(s->x, 0));
  GA_TRY(VecCopy(s->b, s->r));
  for (int round = 0; round < ROUNDS && !vain && *status == GA_RETRY_NEWTON; round++) {
    GA_TRY(one_round(s, round == 0, &reason, &made));
    if (reason == KSP_DIVERGED_PC_FAILED || reason == KSP_DIVERGED_NANORINF) break;
    GA_TRY(add_correction(s, &left, &vain, status));
  }
  ga_petsc_learn(s, made);
  s->context->solves++;
  s->context->iterations += made;
  if (made > s->context->most) s->context->most = made;
  if (*status != GA_RETRY_NEWTON) return 0;
  bool singular;
  GA_TRY(ga_petsc_residual_proves(s, &singular));
  if (singular) *status = GA_RETRY_SINGULAR;
  snprintf(s->trouble, GA_PETSC_ROOM, "PETSc: %s (%d iterations made)", reason_in_words(reason),
           made);
  return 0;
}

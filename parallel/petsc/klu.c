/* SPDX-License-Identifier: MIT */
/* A preconditioner type for PETSc: L U of a subdomain by KLU, in the order of ordering.c.
 *
 * PETSc's own interface to KLU chooses new pivots for all values and accepts no ordering. This one
 * factors new values in the old pivot order while the pivots stay good, as the solver "klu" of the
 * library does. PETSc stores rows, KLU columns: KLU gets the transpose and solves with the
 * transposed factors. */
#include <stdlib.h>
#include <string.h>
#include <suitesparse/klu.h>

#include "private.h"

static const double REPIVOT =
    0.1; /* new pivots if the ratio of the extreme pivots has fallen by this factor */

static const char NAME[] = "L U by KLU, in an order for constraints";

typedef struct {
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
  int n, *ptr, *col, *order;
  double ratio; /* of the extreme pivots, when they were chosen */
  double now;   /* and for the last values */
} factors;

/* Free factors, analysis and pattern; f can be analyzed again. */
static void free_factors(factors *f) {
  klu_free_numeric(&f->numeric, &f->common);
  klu_free_symbolic(&f->symbolic, &f->common);
  free(f->ptr), free(f->col), free(f->order);
  f->ptr = f->col = f->order = NULL;
}

/* Copy the pattern of n rows to f, choose the order for these values and let KLU analyze
 * (f->symbolic); older factors are freed. 0 or PETSC_ERR_MEM; free_factors after both. */
static PetscErrorCode analyze(factors *f, PetscInt n, const PetscInt *ptr, const PetscInt *col,
                              const double *value) {
  size_t rows = (size_t)n, entries = (size_t)ptr[n];
  free_factors(f);
  klu_defaults(&f->common);
  f->common.tol = 0.1;  /* pivots on the diagonal unless ten times too small */
  f->common.scale = -1; /* rows and columns have good units already */
  f->n = (int)n;
  f->ptr = malloc((rows + 1) * sizeof *f->ptr);
  f->col = malloc((entries + 1) * sizeof *f->col);
  f->order = malloc((rows + 1) * sizeof *f->order);
  if (!f->ptr || !f->col || !f->order) return PETSC_ERR_MEM;
  for (size_t i = 0; i <= rows; i++) f->ptr[i] = (int)ptr[i];
  for (size_t e = 0; e < entries; e++) f->col[e] = (int)col[e];
  if (!ga_petsc_order(f->n, f->ptr, f->col, value, f->order)) return PETSC_ERR_MEM;
  f->symbolic = klu_analyze_given(f->n, f->ptr, f->col, f->order, f->order, &f->common);
  return f->symbolic ? 0 : PETSC_ERR_MEM;
}

/* Factor in the old pivot order and set f->now, the ratio of the extreme pivots. False if there
 * are no old factors, KLU fails, or that ratio has fallen below REPIVOT times f->ratio. */
static bool refactor(factors *f, double *value) {
  if (!f->numeric) return false;
  if (!klu_refactor(f->ptr, f->col, value, f->symbolic, f->numeric, &f->common)) return false;
  if (f->common.status != KLU_OK || !klu_rcond(f->symbolic, f->numeric, &f->common)) return false;
  f->now = f->common.rcond;
  return f->now >= REPIVOT * f->ratio;
}

/* Factor `value` in the old pivot order if the pivots stay good, else with new pivots (f->numeric;
 * f->ratio and f->now are set). f must be analyzed. 0, PETSC_ERR_MAT_LU_ZRPVT if singular, or
 * PETSC_ERR_MEM. */
static PetscErrorCode factor(factors *f, double *value) {
  if (f->n == 0 || refactor(f, value)) return 0;
  klu_free_numeric(&f->numeric, &f->common);
  f->numeric = klu_factor(f->ptr, f->col, value, f->symbolic, &f->common);
  if (f->common.status == KLU_SINGULAR) return PETSC_ERR_MAT_LU_ZRPVT;
  if (!f->numeric) return PETSC_ERR_MEM;
  klu_rcond(f->symbolic, f->numeric, &f->common);
  f->ratio = f->now = f->common.rcond;
  return 0;
}

/* PETSc calls this for new values of the matrix of pc: factor them. A pattern with another number
 * of rows or entries is analyzed first. 0 or an error code, as in factor. */
static PetscErrorCode set_up(PC pc) {
  factors *f;
  Mat A;
  PetscInt n;
  const PetscInt *ptr, *col;
  PetscBool there;
  const PetscScalar *value;
  GA_TRY(PCShellGetContext(pc, &f));
  GA_TRY(PCGetOperators(pc, NULL, &A));
  GA_TRY(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &ptr, &col, &there));
  if (!there) return PETSC_ERR_SUP;
  const double none = 0;
  GA_TRY(MatSeqAIJGetArrayRead(A, &value));
  if (!value) value = &none;
  bool same = f->symbolic && f->n == n && f->ptr[n] == ptr[n];
  PetscErrorCode code = same ? 0 : analyze(f, n, ptr, col, value);
  if (!code) code = factor(f, (double *)value); /* KLU only reads */
  GA_TRY(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &ptr, &col, &there));
  GA_TRY(MatSeqAIJRestoreArrayRead(A, &value));
  return code;
}

/* PETSc calls this: x = A^-1 b by the factors of the last set_up. */
static PetscErrorCode apply(PC pc, Vec b, Vec x) {
  factors *f;
  PetscScalar *at;
  GA_TRY(PCShellGetContext(pc, &f));
  GA_TRY(VecCopy(b, x));
  GA_TRY(VecGetArray(x, &at));
  if (f->n > 0) klu_tsolve(f->symbolic, f->numeric, f->n, 1, at, &f->common);
  return VecRestoreArray(x, &at);
}

/* PETSc calls this at the end of pc: free its factors. */
static PetscErrorCode destroy(PC pc) {
  factors *f;
  GA_TRY(PCShellGetContext(pc, &f));
  free_factors(f);
  free(f);
  return 0;
}

/* PETSc calls this for a pc of our type: make it a shell preconditioner with the functions of this
 * file and empty factors. 0 or an error code. */
static PetscErrorCode create(PC pc) {
  factors *f = calloc(1, sizeof *f);
  if (!f) return PETSC_ERR_MEM;
  klu_defaults(&f->common);
  GA_TRY(PCSetType(pc, PCSHELL));
  GA_TRY(PCShellSetContext(pc, f));
  GA_TRY(PCShellSetSetUp(pc, set_up));
  GA_TRY(PCShellSetApply(pc, apply));
  GA_TRY(PCShellSetDestroy(pc, destroy));
  return PCShellSetName(pc, NAME);
}

/* *out: pivot ratio and operations (of factorization and solve) of a preconditioner of this type,
 * which must have been set up; all zero and known = false for other types. */
PetscErrorCode ga_petsc_klu_report(PC pc, ga_petsc_report *out) {
  PetscBool shell;
  const char *name = NULL;
  factors *f;
  *out = (ga_petsc_report){0};
  GA_TRY(PetscObjectTypeCompare((PetscObject)pc, PCSHELL, &shell));
  if (!shell) return 0;
  GA_TRY(PCShellGetName(pc, &name));
  if (!name || strcmp(name, NAME) != 0) return 0;
  GA_TRY(PCShellGetContext(pc, &f));
  *out = (ga_petsc_report){.known = true, .ratio = 1};
  if (f->n == 0) return 0;
  out->ratio = f->now;
  klu_flops(f->symbolic, f->numeric, &f->common);
  out->factor = f->common.flops;
  out->solve = 2.0 * (f->numeric->lnz + f->numeric->unz + f->numeric->nzoff);
  return 0;
}

/* Register our preconditioner type under the name GA_PETSC_KLU; 0 or an error code. */
PetscErrorCode ga_petsc_register_klu(void) {
  return PCRegister(GA_PETSC_KLU, create);
}

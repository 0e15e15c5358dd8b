/* SPDX-License-Identifier: MIT */
/* Is A singular to working precision, and which column depends on the others?
 *
 * As in the solvers of the library (src/linsol/scaling.h): if a pivot is small, inverse iteration
 * computes x = P^-1 b for a b with |b| = |A| 1. If |x| is below 1/(n eps), A is regular. Else A is
 * singular if every row of A x is a sum that cancels, or if a second step, in units of the first x,
 * grows as much again.
 *
 * A subdomain has complete constraints, so constraints that depend there depend in A. A dependency
 * among constraints of several processes is not seen by the subdomains. Then the iteration
 * stagnates, and its smallest residual r contains the weights of the dependent rows: r^T A = 0. */
#include <float.h>
#include <math.h>

#include "private.h"

/* From src/linsol/scaling.c: ratio of sound pivots, growth of the second step, relative sum of a
 * row that cancels, relative size of entries of x that count as zero. */
static const double SOUND = 1e-7, GROWTH_AGAIN = 1e6, CANCELLED = 1e-9, NOTHING = 1e-8;
static const double PROOF = 1e-10; /* |r^T A| relative to |r| that proves a dependency */

/* A number of size 1/2 to 1, positive for even i, negative for odd i, different for each i: weights
 * that do not cancel by chance. */
double ga_petsc_weight(int i) {
  return (i % 2 ? -0.5 : 0.5) * (1 + fmod(0.6180339887498949 * i, 1));
}

/* *out: a new matrix |A|, sums of the absolute values of the contributions of all processes; the
 * caller destroys it. Collective. */
static PetscErrorCode absolute(ga_petsc_solver *s, Mat *out) {
  PetscScalar *value;
  GA_TRY(PetscMalloc1((size_t)s->nnz + 1, &value));
  for (int e = 0; e < s->nnz; e++) value[e] = fabs(s->value[e]);
  GA_TRY(ga_petsc_matrix(s, s->nnz, NULL, false /* no diagonal */, out));
  GA_TRY(MatSetValuesCOO(*out, value, INSERT_VALUES));
  return PetscFree(value);
}

/* s->x = P^-1 b with b_i = weight_i (|A| unit)_i, weights of size 1/2 to 1 with varying signs;
 * sizes is |A|, s->b becomes b. P must be factored. Collective. */
static PetscErrorCode inverse_step(ga_petsc_solver *s, Mat sizes, Vec unit) {
  PetscScalar *b;
  PC pc;
  GA_TRY(MatMult(sizes, unit, s->b));
  GA_TRY(VecGetArray(s->b, &b));
  for (PetscInt k = 0; k < s->nown; k++) b[k] *= ga_petsc_weight((int)(s->begin + k));
  GA_TRY(VecRestoreArray(s->b, &b));
  GA_TRY(KSPGetPC(s->ksp, &pc));
  return PCApply(pc, s->b, s->x);
}

/* *size = largest |s->x_i|/unit_i of all processes (unit NULL: 1), infinity if one is not finite.
 * name true: also set s->singular to its column on the process that owns it, to -1 on the others,
 * and s->singular_anywhere to true. Collective. */
static PetscErrorCode largest_entry(ga_petsc_solver *s, Vec unit, bool name, double *size) {
  const PetscScalar *x, *u = NULL;
  double mine = -1;
  int at = -1;
  GA_TRY(VecGetArrayRead(s->x, &x));
  if (unit) GA_TRY(VecGetArrayRead(unit, &u));
  for (PetscInt k = 0; k < s->nown; k++) {
    double entry = fabs(x[k]) / (u ? u[k] : 1);
    if (!(entry <= DBL_MAX)) entry = INFINITY;
    if (entry > mine) mine = entry, at = s->own[k];
  }
  if (unit) GA_TRY(VecRestoreArrayRead(unit, &u));
  GA_TRY(VecRestoreArrayRead(s->x, &x));
  *size = mine;
  ga_petsc_largest(s, 1, size);
  if (!name) return 0;
  s->singular = mine == *size ? at : -1;
  s->singular_anywhere = true;
  return 0;
}

/* *all: does every row of A s->x cancel, so that its sum is tiny against its terms? sizes is |A|,
 * size the largest |x_i|. Entries of x that may be rounding errors count as 0. Overwrites s->b,
 * s->r and s->c, not s->x. The same answer on all processes; collective. */
static PetscErrorCode rows_cancel(ga_petsc_solver *s, Mat sizes, double size, bool *all) {
  PetscScalar *x;
  const PetscScalar *sum, *terms;
  double violated = 0;
  GA_TRY(VecCopy(s->x, s->b));
  GA_TRY(VecGetArray(s->b, &x));
  for (PetscInt k = 0; k < s->nown; k++) x[k] = fabs(x[k]) < NOTHING * size ? 0 : x[k] / size;
  GA_TRY(VecRestoreArray(s->b, &x));
  GA_TRY(MatMult(s->A, s->b, s->r));
  GA_TRY(VecAbs(s->b));
  GA_TRY(MatMult(sizes, s->b, s->c));
  GA_TRY(VecGetArrayRead(s->r, &sum));
  GA_TRY(VecGetArrayRead(s->c, &terms));
  for (PetscInt k = 0; k < s->nown; k++) {
    if (!(fabs(sum[k]) <= CANCELLED * terms[k])) violated = 1;
  }
  GA_TRY(VecRestoreArrayRead(s->c, &terms));
  GA_TRY(VecRestoreArrayRead(s->r, &sum));
  ga_petsc_largest(s, 1, &violated);
  *all = violated == 0;
  return 0;
}

/* *growth: the largest |x_i|/unit_i after a second inverse step in the units max(|x_i|, 1)/size of
 * the first one, whose result is in s->x with largest entry `size`. Overwrites unit, s->x and s->b.
 * Collective. */
static PetscErrorCode second_growth(ga_petsc_solver *s, Mat sizes, Vec unit, double size,
                                    double *growth) {
  const PetscScalar *x;
  PetscScalar *u;
  GA_TRY(VecGetArrayRead(s->x, &x));
  GA_TRY(VecGetArray(unit, &u));
  for (PetscInt k = 0; k < s->nown; k++) u[k] = fmax(fabs(x[k]), 1) / size;
  GA_TRY(VecRestoreArray(unit, &u));
  GA_TRY(VecRestoreArrayRead(s->x, &x));
  GA_TRY(inverse_step(s, sizes, unit));
  return largest_entry(s, unit, false /* name no column */, growth);
}

/* The test of the head of this file with the factors of P. unit is scratch; sizes is |A|.
 * *singular: the answer, the same on all processes; if true, s->singular and s->singular_anywhere
 * name the column. Overwrites s->x, s->b, s->r and s->c. Collective. */
static PetscErrorCode inverse_iteration(ga_petsc_solver *s, Mat sizes, Vec unit, bool *singular) {
  double size, growth;
  bool cancel;
  *singular = false;
  GA_TRY(VecSet(unit, 1));
  GA_TRY(inverse_step(s, sizes, unit));
  GA_TRY(largest_entry(s, NULL, false /* no name yet */, &size));
  if (size <= GA_PETSC_GROWTH / (s->ntotal * DBL_EPSILON)) return 0;
  GA_TRY(largest_entry(s, NULL, true /* name the column */, &size));
  *singular = true;
  if (!(size <= DBL_MAX)) return 0;
  GA_TRY(rows_cancel(s, sizes, size, &cancel));
  if (cancel) return 0;
  GA_TRY(second_growth(s, sizes, unit, size, &growth));
  *singular = !(growth <= GROWTH_AGAIN);
  if (!*singular) s->singular = -1, s->singular_anywhere = false;
  return 0;
}

/* If a pivot of a subdomain is small, or the pivots are not known because KLU did not factor, test
 * by inverse iteration. *status becomes GA_RETRY_SINGULAR if A is singular, else it stays; then
 * s->singular names a column. Overwrites s->x, s->b, s->r, s->c. P must be factored. Collective. */
PetscErrorCode ga_petsc_check_singular(ga_petsc_solver *s, ga_status *status) {
  double doubt = 0;
  bool singular;
  int count;
  PC pc;
  Mat sizes;
  Vec unit;
  GA_TRY(ga_petsc_sub_pc(s, 0, &pc, &count));
  for (int i = 0; i < count; i++) {
    ga_petsc_report report;
    GA_TRY(ga_petsc_sub_pc(s, i, &pc, &count));
    GA_TRY(ga_petsc_klu_report(pc, &report));
    if (!(report.ratio > SOUND)) doubt = 1;
  }
  ga_petsc_largest(s, 1, &doubt);
  if (doubt == 0) return 0;
  GA_TRY(absolute(s, &sizes));
  GA_TRY(VecDuplicate(s->b, &unit));
  GA_TRY(inverse_iteration(s, sizes, unit, &singular));
  GA_TRY(VecDestroy(&unit));
  GA_TRY(MatDestroy(&sizes));
  if (singular) *status = GA_RETRY_SINGULAR;
  return 0;
}

/* Factor A with small changes of all entries (s->disturbed), and name the column of the largest
 * entry of P^-1 b in s->singular. If that fails, no column is named and the result is still 0. The
 * operators must be closed before; the caller closes those that are made here. Collective. */
PetscErrorCode ga_petsc_find_column(ga_petsc_solver *s) {
  ga_status status = GA_OK;
  double size;
  PC pc;
  s->disturbed = true;
  PetscErrorCode code = ga_petsc_prepare(s, &status);
  s->disturbed = false;
  double failed = code || status != GA_OK;
  ga_petsc_largest(s, 1, &failed);
  if (failed > 0) return 0; /* singular, but no column is known */
  PetscScalar *b;
  GA_TRY(VecGetArray(s->b, &b));
  for (PetscInt k = 0; k < s->nown; k++) b[k] = ga_petsc_weight((int)(s->begin + k));
  GA_TRY(VecRestoreArray(s->b, &b));
  GA_TRY(KSPGetPC(s->ksp, &pc));
  GA_TRY(PCApply(pc, s->b, s->x));
  return largest_entry(s, NULL, true, &size);
}

/* *singular: |A^T r| <= PROOF |r| in the maximum norm, with r = s->r of the last round: then r
 * holds the weights of dependent rows. Overwrites s->c. The same on all processes; collective. */
PetscErrorCode ga_petsc_residual_proves(ga_petsc_solver *s, bool *singular) {
  PetscReal left, product;
  GA_TRY(MatMultTranspose(s->A, s->r, s->c));
  GA_TRY(VecNorm(s->r, NORM_INFINITY, &left));
  GA_TRY(VecNorm(s->c, NORM_INFINITY, &product));
  *singular = left > 0 && product <= PROOF * left;
  return 0;
}

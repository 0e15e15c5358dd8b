/* SPDX-License-Identifier: MIT */
/* The preconditioner: its strong entries, and a subdomain for each process.
 *
 * After scaling, the entries h^2 K between the masses are weak, and so are those that couple the
 * eta of stab2 to the force balances and to the velocity constraints. (The built-in solver that
 * treats weak entries by iteration uses the same fact.) Without them P is block triangular, with
 * the blocks [[M, G^T], [G, 0]] and G G^T, which KLU finds, and no two masses are coupled directly.
 * If stab2 has the motion by eta as unknowns of their own, the second block is [[I, G^T], [G, 0]].
 * The gradients of constraints are always kept: a small one may grow, and the pattern would have to
 * change.
 *
 * A subdomain must be regular by itself. A constraint that lacks some of its velocities may depend
 * on others. So subdomains are closed: they have all velocities that their constraints touch. The
 * elements of a process have this property; if M is block diagonal, the multipliers' matrix of that
 * subdomain is a principal submatrix of G M^-1 G^T. Layers of overlap are added by the graph of P,
 * without the constraints that would be incomplete. */
#include <math.h>
#include <stdlib.h>

#include "private.h"

/* Is entry e, in the row with partner p and in column j, strong? Diagonal entries, entries >=
 * s->weak, and gradients of constraints are: entries of a row or column without pivot that also
 * have a transposed entry in the pattern. has_diagonal must be set. */
static bool is_strong(const ga_petsc_solver *s, int p, int j, int e) {
  if (p == j || fabs(s->value[e]) >= s->weak) return true;
  bool constraint = !s->has_diagonal[p] || !s->has_diagonal[j];
  return constraint && ga_petsc_find(s, s->row_of[j], p) >= 0;
}

/* Set s->has_diagonal of all local columns: the scaled diagonal entry is above GA_PETSC_PIVOT on
 * some process. Overwrites s->leaves. Collective. */
PetscErrorCode ga_petsc_find_diagonals(ga_petsc_solver *s) {
  for (int j = 0; j < s->n; j++) {
    int e = ga_petsc_find(s, s->row_of[j], j);
    s->leaves[j] = e >= 0 ? fabs(s->value[e]) : 0;
  }
  GA_TRY(ga_petsc_max_shared(s, s->leaves));
  for (int j = 0; j < s->n; j++) s->has_diagonal[j] = s->leaves[j] > GA_PETSC_PIVOT;
  return 0;
}

/* Set s->nkept and s->kept, the slots of the strong entries of A_p in ascending order, for the
 * present values; has_diagonal must be set. */
void ga_petsc_choose(ga_petsc_solver *s) {
  s->nkept = 0;
  for (int i = 0; i < s->n; i++) {
    for (int e = s->ptr[i]; e < s->ptr[i + 1]; e++) {
      if (is_strong(s, s->partner[i], s->col[e], e)) s->kept[s->nkept++] = e;
    }
  }
}

/* Create *all, PETSc's indices of the columns that this process has, sorted, and *own, those that
 * it owns. The caller destroys both. */
static PetscErrorCode own_elements(ga_petsc_solver *s, IS *all, IS *own) {
  GA_TRY(ISCreateGeneral(PETSC_COMM_SELF, s->n, s->index, PETSC_COPY_VALUES, all));
  GA_TRY(ISSort(*all));
  return ISCreateStride(PETSC_COMM_SELF, s->nown, s->begin, 1, own);
}

/* Write to counts, for the rows that this process owns: the number of entries of P in the row if it
 * has no pivot on the diagonal (a constraint), else 0. */
static PetscErrorCode count_entries(ga_petsc_solver *s, Vec counts) {
  PetscScalar *to;
  GA_TRY(VecGetArrayWrite(counts, &to));
  for (PetscInt k = 0; k < s->nown; k++) {
    PetscInt entries = 0;
    GA_TRY(MatGetRow(s->P, s->begin + k, &entries, NULL, NULL));
    to[k] = s->has_diagonal[s->own[k]] ? 0 : entries;
    GA_TRY(MatRestoreRow(s->P, s->begin + k, &entries, NULL, NULL));
  }
  return VecRestoreArrayWrite(counts, &to);
}

/* *closed: a new set, the members of `all` without the constraints that lack a velocity there.
 * inside: the submatrix of P for `all`; counts: how many entries row k of it needs to be complete
 * (count_entries). */
static PetscErrorCode close_set(Mat inside, const PetscScalar *counts, IS all, IS *closed) {
  const PetscInt *member;
  PetscInt n, *kept, nkept = 0;
  GA_TRY(ISGetLocalSize(all, &n));
  GA_TRY(ISGetIndices(all, &member));
  GA_TRY(PetscMalloc1((size_t)n, &kept));
  for (PetscInt k = 0; k < n; k++) {
    PetscInt entries = 0;
    GA_TRY(MatGetRow(inside, k, &entries, NULL, NULL));
    if (entries >= (PetscInt)counts[k]) kept[nkept++] = member[k];
    GA_TRY(MatRestoreRow(inside, k, &entries, NULL, NULL));
  }
  GA_TRY(ISRestoreIndices(all, &member));
  return ISCreateGeneral(PETSC_COMM_SELF, nkept, kept, PETSC_OWN_POINTER, closed);
}

/* Replace *all by itself with s->overlap layers of elements around it, closed (see the head of this
 * file). A layer of elements is two layers of P's graph: constraints, and the bodies that these
 * touch. Overlap 0 adds one layer, which completes this process's constraints. Collective. */
static PetscErrorCode add_overlap(ga_petsc_solver *s, IS *all) {
  Mat *inside;
  Vec counts, near;
  VecScatter bring;
  IS closed;
  PetscInt n;
  const PetscScalar *have;
  GA_TRY(MatIncreaseOverlap(s->P, 1, all, s->overlap > 0 ? 2 * s->overlap : 1));
  GA_TRY(ISSort(*all));
  GA_TRY(MatCreateVecs(s->P, &counts, NULL));
  GA_TRY(count_entries(s, counts));
  GA_TRY(ISGetLocalSize(*all, &n));
  GA_TRY(VecCreateSeq(PETSC_COMM_SELF, n, &near));
  GA_TRY(VecScatterCreate(counts, *all, near, NULL, &bring));
  GA_TRY(VecScatterBegin(bring, counts, near, INSERT_VALUES, SCATTER_FORWARD));
  GA_TRY(VecScatterEnd(bring, counts, near, INSERT_VALUES, SCATTER_FORWARD));
  GA_TRY(MatCreateSubMatrices(s->P, 1, all, all, MAT_INITIAL_MATRIX, &inside));
  GA_TRY(VecGetArrayRead(near, &have));
  GA_TRY(close_set(inside[0], have, *all, &closed));
  GA_TRY(VecRestoreArrayRead(near, &have));
  GA_TRY(MatDestroySubMatrices(1, &inside));
  GA_TRY(VecScatterDestroy(&bring));
  GA_TRY(VecDestroy(&near));
  GA_TRY(VecDestroy(&counts));
  GA_TRY(ISDestroy(all));
  *all = closed;
  return 0;
}

/* *all: PETSc's indices of the subdomain with overlap, *own: those that this process owns; the
 * caller destroys both. s->P and s->has_diagonal must be set. Collective. */
PetscErrorCode ga_petsc_subdomain(ga_petsc_solver *s, IS *all, IS *own) {
  GA_TRY(own_elements(s, all, own));
  return s->processes > 1 ? add_overlap(s, all) : 0;
}

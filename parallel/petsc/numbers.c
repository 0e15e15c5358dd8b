/* SPDX-License-Identifier: MIT */
/* One numbering for all processes, matrices that are sums of contributions, exchanges of shared
 * numbers.
 *
 * PETSc wants the rows of a process to be numbered one after the other. Each process numbers the
 * columns that it owns. A constraint comes right after the first velocity that it touches, so that
 * neighbours in the mechanism are neighbours in memory. */
#include <petscao.h>
#include <stdio.h>
#include <stdlib.h>

#include "private.h"

/* Set s->partner and s->row_of from the blocks of the layout (NULL: row i belongs to column i).
 * *first: size of the first block, the velocities; 0 if it does not start at (0, 0). */
static void find_partners(ga_petsc_solver *s, const ga_linsol_layout *layout, int *first) {
  *first = 0;
  for (int i = 0; i < s->n; i++) s->partner[i] = s->row_of[i] = i;
  if (!layout) return;
  for (int k = 0; k < layout->nblock; k++) {
    const ga_linsol_block *block = &layout->block[k];
    for (int i = 0; i < block->size; i++) {
      s->partner[block->row + i] = block->col + i;
      s->row_of[block->col + i] = block->row + i;
    }
    if (k == 0 && block->row == 0 && block->col == 0) *first = block->size;
  }
}

/* Binary search: slot of (row, col) in s->col, -1 if the pattern has no such entry. The columns of
 * a row are sorted. */
int ga_petsc_find(const ga_petsc_solver *s, int row, int col) {
  int low = s->ptr[row], high = s->ptr[row + 1];
  while (low < high) {
    int middle = (low + high) / 2;
    if (s->col[middle] == col) return middle;
    if (s->col[middle] < col) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return -1;
}

/* Set s->nown and s->own, the columns that this process owns (owned NULL: all) in the order of
 * their indices. A velocity is sorted by its column, another unknown by the first column of its
 * row. first: number of velocities; 0: unknown, columns with a diagonal entry count as such. */
static PetscErrorCode order_own(ga_petsc_solver *s, const bool *owned, int first) {
  int *count = calloc((size_t)s->n + 1, sizeof *count),
      *key = calloc((size_t)s->n + 1, sizeof *key);
  if (!count || !key) {
    free(count), free(key);
    return PETSC_ERR_MEM;
  }
  s->nown = 0;
  for (int j = 0; j < s->n; j++) {
    int row = s->row_of[j], velocity = first > 0 ? j < first : ga_petsc_find(s, row, j) >= 0;
    bool empty = s->ptr[row] == s->ptr[row + 1];
    key[j] = velocity || empty ? j : s->col[s->ptr[row]];
    if (owned && !owned[j]) continue;
    count[key[j] + 1]++;
    s->nown++;
  }
  for (int k = 0; k < s->n; k++) count[k + 1] += count[k];
  for (int j = 0; j < s->n; j++) {
    if (!owned || owned[j]) s->own[count[key[j]]++] = j;
  }
  free(count), free(key);
  return 0;
}

/* Set s->index, PETSc's indices of all local columns, from the processes that own them; s->own must
 * be set. Collective. */
static PetscErrorCode find_indices(ga_petsc_solver *s, const ga_linsol_numbering *numbering) {
  PetscInt *given;
  AO ao;
  GA_TRY(PetscMalloc1((size_t)s->nown, &given));
  for (PetscInt k = 0; k < s->nown; k++) given[k] = (PetscInt)numbering->number[s->own[k]];
  for (int j = 0; j < s->n; j++) s->index[j] = (PetscInt)numbering->number[j];
  GA_TRY(AOCreateMemoryScalable(s->comm, s->nown, given, NULL, &ao));
  GA_TRY(AOApplicationToPetsc(ao, s->n, s->index));
  GA_TRY(AODestroy(&ao));
  return PetscFree(given);
}

/* Create s->sf, which exchanges numbers between the owner of a column and all processes that have
 * it; s->index and s->nown must be set. Collective. */
static PetscErrorCode open_exchange(ga_petsc_solver *s) {
  PetscLayout map;
  GA_TRY(PetscLayoutCreate(s->comm, &map));
  GA_TRY(PetscLayoutSetLocalSize(map, s->nown));
  GA_TRY(PetscLayoutSetUp(map));
  GA_TRY(PetscSFCreate(s->comm, &s->sf));
  GA_TRY(PetscSFSetGraphLayout(s->sf, map, s->n, NULL, PETSC_OWN_POINTER, s->index));
  GA_TRY(PetscSFSetUp(s->sf));
  return PetscLayoutDestroy(&map);
}

/* Set partner, row_of, nown, own, ntotal, begin, index and sf of s; layout may be NULL. An error
 * with a message in s->trouble if the numbers of all processes do not fit together. Collective. */
PetscErrorCode ga_petsc_number(ga_petsc_solver *s, const ga_linsol_layout *layout) {
  const ga_linsol_numbering *numbering = layout ? layout->numbering : NULL;
  long long own, begin = 0, all;
  int first;
  find_partners(s, layout, &first);
  GA_TRY(order_own(s, numbering ? numbering->owned : NULL, first));
  own = s->nown;
  MPI_Exscan(&own, &begin, 1, MPI_LONG_LONG, MPI_SUM, s->comm);
  MPI_Allreduce(&own, &all, 1, MPI_LONG_LONG, MPI_SUM, s->comm);
  if (s->process == 0) begin = 0;
  if (all > PETSC_MAX_INT || (numbering && all != numbering->n)) {
    snprintf(s->trouble, GA_PETSC_ROOM,
             all > PETSC_MAX_INT ? "%lld rows are more than this PETSc has numbers for, of %ld"
                                 : "the processes own %lld rows together, not %ld",
             all, numbering ? numbering->n : 0L);
    return PETSC_ERR_ARG_OUTOFRANGE;
  }
  s->begin = (PetscInt)begin, s->ntotal = (PetscInt)all;
  for (PetscInt k = 0; k < s->nown; k++) s->index[s->own[k]] = s->begin + k;
  if (numbering) GA_TRY(find_indices(s, numbering));
  return open_exchange(s);
}

/* x[j], one number for each local column, becomes the largest of all processes that have this
 * column. Overwrites s->roots. Collective. */
PetscErrorCode ga_petsc_max_shared(ga_petsc_solver *s, double *x) {
  if (s->processes == 1) return 0;
  for (PetscInt k = 0; k < s->nown; k++) s->roots[k] = x[s->own[k]];
  GA_TRY(PetscSFReduceBegin(s->sf, MPIU_REAL, x, s->roots, MPI_MAX));
  GA_TRY(PetscSFReduceEnd(s->sf, MPIU_REAL, x, s->roots, MPI_MAX));
  GA_TRY(PetscSFBcastBegin(s->sf, MPIU_REAL, s->roots, x, MPI_REPLACE));
  return PetscSFBcastEnd(s->sf, MPIU_REAL, s->roots, x, MPI_REPLACE);
}

/* Create *out with the pattern of the `count` entries which[0] < which[1] < .. (NULL: the first
 * `count`); diagonal: also the diagonal entries of owned columns, after them. Values follow by
 * MatSetValuesCOO in the same order. Contributions of processes are added. Collective. */
PetscErrorCode ga_petsc_matrix(ga_petsc_solver *s, int count, const int *which, bool diagonal,
                               Mat *out) {
  PetscInt *i, *j, all = count;
  size_t room = (size_t)s->nnz + (size_t)s->nown + 1;
  GA_TRY(PetscMalloc2(room, &i, room, &j));
  for (int row = 0; row < s->n; row++) {
    for (int e = s->ptr[row]; e < s->ptr[row + 1]; e++) i[e] = s->index[s->partner[row]];
  }
  for (int k = 0; k < count; k++) {
    int e = which ? which[k] : k; /* never before k: no entry is lost */
    i[k] = i[e];
    j[k] = s->index[s->col[e]];
  }
  for (PetscInt k = 0; k < s->nown && diagonal; k++, all++) i[all] = j[all] = s->begin + k;
  GA_TRY(MatCreate(s->comm, out));
  GA_TRY(MatSetSizes(*out, s->nown, s->nown, s->ntotal, s->ntotal));
  GA_TRY(MatSetType(*out, MATAIJ));
  GA_TRY(MatSetPreallocationCOO(*out, all, i, j));
  return PetscFree2(i, j);
}

/* out = R b for the rows that this process owns; b has all local rows, of which the others are
 * ignored. */
PetscErrorCode ga_petsc_to_vector(ga_petsc_solver *s, const double *b, Vec out) {
  PetscScalar *to;
  GA_TRY(VecGetArrayWrite(out, &to));
  for (PetscInt k = 0; k < s->nown; k++) {
    int j = s->own[k];
    to[k] = b[s->row_of[j]] * s->row[j];
  }
  return VecRestoreArrayWrite(out, &to);
}

/* out = C x for all local columns, those owned by other processes too. Collective. */
PetscErrorCode ga_petsc_from_vector(ga_petsc_solver *s, Vec x, double *out) {
  const PetscScalar *from;
  GA_TRY(VecGetArrayRead(x, &from));
  GA_TRY(PetscSFBcastBegin(s->sf, MPIU_REAL, from, s->leaves, MPI_REPLACE));
  GA_TRY(PetscSFBcastEnd(s->sf, MPIU_REAL, from, s->leaves, MPI_REPLACE));
  for (int j = 0; j < s->n; j++) out[j] = s->leaves[j] * s->unit[j];
  return VecRestoreArrayRead(x, &from);
}

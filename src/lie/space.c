/* SPDX-License-Identifier: MIT */
/* Products of groups: each operation runs over the factors, each on its entries of q and v. */
#include <limits.h>
#include <string.h>

#include "base/base.h"
#include "lie/lie.h"

/* *out: a new space without factors, freed by ga_space_free */
ga_status ga_space_new(ga_space **out) {
  if (!out) return GA_ERR_ARG;
  *out = ga_calloc(1, sizeof **out);
  if (!*out) return GA_ERR_MEM;
  (*out)->commutative = true;
  return GA_OK;
}

/* frees a space; NULL is allowed */
void ga_space_free(ga_space *space) {
  if (!space) return;
  ga_free(space->factor);
  ga_free(space);
}

/* a + b c, or -1 if it exceeds INT_MAX */
static int add_product(int a, int b, int c) {
  return c > 0 && b > (INT_MAX - a) / c ? -1 : a + b * c;
}

/* makes room for one more factor (spaces of mechanisms have thousands); false without memory */
static bool make_room(ga_space *space) {
  if (space->nfactor < space->room) return true;
  const int room = 2 * space->room + 4;
  ga_factor *factor = ga_calloc((size_t)room, sizeof *factor);
  if (!factor) return false;
  if (space->nfactor) memcpy(factor, space->factor, (size_t)space->nfactor * sizeof *factor);
  ga_free(space->factor);
  space->factor = factor;
  space->room = room;
  return true;
}

/* Appends n copies of a group (R^n: dimension n). *q_at, *v_at (may be NULL): where its entries
 * begin in q and v. On failure the space is unchanged. */
ga_status ga_space_add(ga_space *space, const ga_group *group, int n, int *q_at, int *v_at) {
  if (!space || !group || n < 1 || group->nq < 1 || group->nv < 1) return GA_ERR_ARG;
  /* apply_tangent keeps one row of a block on the stack */
  if (!group->commutative && group->nv > GA_GROUP_NV_MAX) return GA_ERR_ARG;
  int block = group->commutative ? 0 : group->nv * group->nv;
  int nq = add_product(space->nq, n, group->nq);
  int nv = add_product(space->nv, n, group->nv);
  int nt = add_product(space->nt, n, block);
  if (nq < 0 || nv < 0 || nt < 0) return GA_ERR_ARG;

  if (!make_room(space)) return GA_ERR_MEM;
  space->factor[space->nfactor] = (ga_factor){group, n, space->nq, space->nv, space->nt};
  space->nfactor++;

  if (q_at) *q_at = space->nq;
  if (v_at) *v_at = space->nv;
  space->nq = nq;
  space->nv = nv;
  space->nt = nt;
  space->commutative = space->commutative && group->commutative;
  return GA_OK;
}

/* *out: the space R^n; NULL on failure */
ga_status ga_space_rn(int n, ga_space **out) {
  ga_status status = ga_space_new(out);
  if (status) return status;
  status = ga_space_add(*out, &ga_group_rn, n, NULL, NULL);
  if (status) {
    ga_space_free(*out);
    *out = NULL;
  }
  return status;
}

/* length of q */
int ga_space_nq(const ga_space *space) {
  return space->nq;
}

/* length of v: the dimension of the space */
int ga_space_nv(const ga_space *space) {
  return space->nv;
}

/* q1 = q o exp(w~); q1 may be q */
void ga_space_step(const ga_space *space, const double *q, const double *w, double *q1) {
  for (int i = 0; i < space->nfactor; i++) {
    const ga_factor *f = &space->factor[i];
    f->group->step(f->n, q + f->q_at, w + f->v_at, q1 + f->q_at);
  }
}

/* w (nv numbers) with qb = qa o exp(w~); rotations by at most pi */
void ga_space_diff(const ga_space *space, const double *qa, const double *qb, double *w) {
  for (int i = 0; i < space->nfactor; i++) {
    const ga_factor *f = &space->factor[i];
    f->group->diff(f->n, qa + f->q_at, qb + f->q_at, w + f->v_at);
  }
}

/* c = [a, b] */
void ga_space_bracket(const ga_space *space, const double *a, const double *b, double *c) {
  for (int i = 0; i < space->nfactor; i++) {
    const ga_factor *f = &space->factor[i];
    f->group->bracket(f->n, a + f->v_at, b + f->v_at, c + f->v_at);
  }
}

/* largest distance of qa and qb over all factors, NaN if one is NaN */
double ga_space_distance(const ga_space *space, const double *qa, const double *qb) {
  double largest = 0;
  for (int i = 0; i < space->nfactor; i++) {
    const ga_factor *f = &space->factor[i];
    largest = ga_larger(largest, f->group->distance(f->n, qa + f->q_at, qb + f->q_at));
  }
  return largest;
}

/* size of each velocity at q (nv numbers): |q| for R^n, as the group says for others, 1 where it
 * does not say */
void ga_space_size(const ga_space *space, const double *q, double *size) {
  for (int i = 0; i < space->nfactor; i++) {
    const ga_factor *f = &space->factor[i];
    int n = f->n * f->group->nv;
    if (f->group->size) f->group->size(f->n, q + f->q_at, size + f->v_at);
    for (int k = 0; !f->group->size && k < n; k++) size[f->v_at + k] = 1;
  }
}

/* q = the identity of all factors */
void ga_space_identity(const ga_space *space, double *q) {
  for (int i = 0; i < space->nfactor; i++) {
    const ga_factor *f = &space->factor[i];
    f->group->identity(f->n, q + f->q_at);
  }
}

/* removes roundoff from q: quaternions get length 1 */
void ga_space_clean(const ga_space *space, double *q) {
  for (int i = 0; i < space->nfactor; i++) {
    const ga_factor *f = &space->factor[i];
    f->group->clean(f->n, q + f->q_at);
  }
}

/* number of doubles of ga_space_tangent_rows */
int ga_space_tangent_size(const ga_space *space) {
  return space->nt;
}

/* T (ga_space_tangent_size numbers) = the blocks T(w), by rows, of all non-commutative factors, one
 * after the other */
void ga_space_tangent_rows(const ga_space *space, const double *w, double *T) {
  for (int i = 0; i < space->nfactor; i++) {
    const ga_factor *f = &space->factor[i];
    if (!f->group->commutative) f->group->tangent(f->n, w + f->v_at, T + f->t_at);
  }
}

/* Does the factor contain this velocity? */
static bool has_column(const ga_factor *f, int column) {
  return column >= f->v_at && column < f->v_at + f->n * f->group->nv;
}

/* The factor of a column: f (that of the column before) or the next one in most cases, else found
 * by bisection. */
static const ga_factor *factor_of(const ga_space *space, const ga_factor *f, int column) {
  const ga_factor *first = space->factor, *last = first + space->nfactor - 1;
  if (has_column(f, column)) return f;
  if (f < last && has_column(f + 1, column)) return f + 1;
  while (first < last) {
    const ga_factor *middle = first + (last - first + 1) / 2;
    if (column >= middle->v_at) {
      first = middle;
    } else {
      last = middle - 1;
    }
  }
  return first;
}

/* a <- a T for a row a of n numbers, T n x n by rows */
static inline void row_times_block(int n, const double *restrict T, double *restrict a) {
  double row[GA_GROUP_NV_MAX], sum[GA_GROUP_NV_MAX] = {0};
  for (int i = 0; i < n; i++) row[i] = a[i];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) sum[j] += row[i] * T[i * n + j];
  }
  for (int j = 0; j < n; j++) a[j] = sum[j];
}

/* row_times_block with n known to the compiler for the usual sizes; a row of zeros is skipped */
static inline void turn_row(int n, const double *T, double *a) {
  bool zero = true;
  for (int i = 0; i < n; i++) zero = zero && a[i] == 0;
  if (zero) return;
  switch (n) {
    case 3:
      row_times_block(3, T, a);
      break;
    case 6:
      row_times_block(6, T, a);
      break;
    default:
      row_times_block(n, T, a);
  }
}

/* Goes through all pieces of rows of A that a block of T multiplies. T: a <- a T at once; list:
 * record the piece; it needs room for all. Each may be NULL. Returns the number of pieces. The
 * pattern must be closed: a row that has one column of a copy of SO(3) or SE(3) has all of them. */
static int for_each_turn(const ga_space *space, ga_csr *A, const double *T, ga_turn *list) {
  int count = 0;
  const ga_factor *f = space->factor;
  for (int row = 0; row < A->nrow && !space->commutative; row++) {
    for (int k = A->ptr[row], end = A->ptr[row + 1]; k < end;) {
      f = factor_of(space, f, A->col[k]);
      int nv = f->group->nv;
      if (f->group->commutative) {
        /* on to the next factor */
        for (int beyond = f->v_at + f->n * nv; k < end && A->col[k] < beyond;) k++;
        continue;
      }
      /* the pattern is closed: entries k .. k + nv - 1 are the columns of one copy */
      int copy = (A->col[k] - f->v_at) / nv, block = f->t_at + copy * nv * nv;
      if (T) turn_row(nv, T + block, A->val + k);
      if (list) list[count] = (ga_turn){.entry = k, .block = block, .nv = nv};
      count++;
      k += nv;
    }
  }
  return count;
}

/* A <- A T in place, T of ga_space_tangent_rows; the pattern of A must be closed (for_each_turn) */
void ga_space_apply_tangent(const ga_space *space, const double *T, ga_csr *A) {
  for_each_turn(space, A, T, NULL);
}

/* Number of pieces of rows of A that blocks of T multiply; listed unless list is NULL. A's values
 * are not used. */
int ga_space_turns(const ga_space *space, ga_csr *A, ga_turn *list) {
  return for_each_turn(space, A, NULL, list);
}

/* A <- A T in place, by a list of ga_space_turns for the pattern of A */
void ga_space_turn(int count, const ga_turn *list, const double *T, ga_csr *A) {
  for (int i = 0; i < count; i++) turn_row(list[i].nv, T + list[i].block, A->val + list[i].entry);
}

/* true: each row of A that has one column of a copy of SO(3) or SE(3) has all of them. If not,
 * *bad_row, *bad_col (may be NULL): the first entry that is missing. */
bool ga_space_pattern_closed(const ga_space *space, const ga_csr *A, int *bad_row, int *bad_col) {
  if (space->commutative) return true;
  const ga_factor *f = space->factor;
  for (int row = 0; row < A->nrow; row++) {
    for (int k = A->ptr[row]; k < A->ptr[row + 1];) {
      f = factor_of(space, f, A->col[k]);
      int nv = f->group->nv;
      if (f->group->commutative) {
        k++;
        continue;
      }
      /* one of the columns of this copy is there: all of them must follow, in order */
      int first = A->col[k] - (A->col[k] - f->v_at) % nv;
      for (int i = 0; i < nv; i++, k++) {
        if (k < A->ptr[row + 1] && A->col[k] == first + i) continue;
        if (bad_row) *bad_row = row;
        if (bad_col) *bad_col = first + i;
        return false;
      }
    }
  }
  return true;
}

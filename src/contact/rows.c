/* SPDX-License-Identifier: MIT */
/* Rows of contacts: their equations and what they are in a matrix. */
#include "contact/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A gap and a number for its columns in the pattern of G. */
typedef struct {
  int row;
  unsigned long columns;
} gap_key;

/* For qsort: by columns, then by row. */
static int compare_keys(const void *a, const void *b) {
  const gap_key *x = a, *y = b;
  if (x->columns != y->columns) return x->columns < y->columns ? -1 : 1;
  return (x->row > y->row) - (x->row < y->row);
}

/* The keys of all gaps, sorted: gaps with the same columns stand together. */
static void sort_gaps(const ga_model *model, gap_key *key) {
  for (int i = 0; i < model->ncontacts; i++) {
    key[i] = (gap_key){model->contacts[i].gap, 14695981039346656037ul};
    const ga_csr *G = model->pat_G;
    for (int e = G ? G->ptr[key[i].row] : 0; G && e < G->ptr[key[i].row + 1]; e++) {
      key[i].columns = (key[i].columns ^ (unsigned long)G->col[e]) * 1099511628211ul;
    }
  }
  qsort(key, (size_t)model->ncontacts, sizeof *key, compare_keys);
}

/* rows->split: the pattern of pairs, each row with its own diagonal at least. */
static void find_pairs(ga_contact_rows *rows, const ga_model *model, ga_arena *arena) {
  ga_arena scratch = {0};
  const int n = model->ncontacts, nlam = model->nlam;
  gap_key *key = ga_arena_take(&scratch, (size_t)n, sizeof *key);
  int *from = ga_arena_ints(&scratch, (size_t)nlam), *to = ga_arena_ints(&scratch, (size_t)nlam);
  int *ptr = ga_arena_ints(arena, (size_t)nlam + 1), *col = NULL;
  if (!scratch.failed && ptr) {
    sort_gaps(model, key);
    for (int i = 0, end; i < n; i = end) { /* groups of the sorted list */
      for (end = i; end < n && key[end].columns == key[i].columns; end++) from[key[end].row] = i;
      for (int k = i; k < end; k++) to[key[k].row] = end;
    }
    for (int i = 0; i < nlam; i++) ptr[i + 1] = ptr[i] + to[i] - from[i];
    col = ga_arena_ints(arena, (size_t)ptr[nlam]);
  }
  for (int i = 0; col && i < nlam; i++) {
    for (int k = from[i]; k < to[i]; k++) col[ptr[i] + k - from[i]] = key[k].row;
  }
  arena->failed |= scratch.failed;
  if (!arena->failed) {
    const ga_csr pattern = {.nrow = nlam, .ncol = nlam, .ptr = ptr, .col = col};
    ga_csr_init(&rows->split, nlam, nlam, &pattern, arena);
  }
  ga_arena_free(&scratch);
}

/* rows->slip and owner. */
static void find_slips(ga_contact_rows *rows, const ga_model *model, ga_arena *arena) {
  const int npsi = model->npsi;
  int *ptr = ga_arena_ints(arena, (size_t)npsi + 1), *col = ga_arena_ints(arena, (size_t)npsi);
  if (arena->failed) return;
  for (int i = 0; i < npsi; i++) rows->owner[i] = -1;
  for (int i = 0; i < model->ncontacts; i++) {
    const ga_contact *c = &model->contacts[i];
    for (int k = 0; k < c->nslip; k++) rows->owner[c->slip + k] = i;
  }
  for (int i = 0; i < npsi; i++) {
    ptr[i + 1] = ptr[i] + (rows->owner[i] >= 0);
    if (rows->owner[i] >= 0) col[ptr[i]] = model->contacts[rows->owner[i]].gap;
  }
  const ga_csr pattern = {.nrow = npsi, .ncol = model->nlam, .ptr = ptr, .col = col};
  ga_csr_init(&rows->slip, npsi, model->nlam, &pattern, arena);
}

void ga_contact_rows_init(ga_contact_rows *rows, const ga_model *model, ga_arena *arena) {
  *rows = (ga_contact_rows){
      .n = model->ncontacts, .nlam = model->nlam, .npsi = model->npsi, .contact = model->contacts};
  rows->mode = ga_arena_take(arena, (size_t)(model->nlam + model->npsi), 1);
  rows->owner = ga_arena_ints(arena, (size_t)model->npsi);
  rows->d = ga_arena_doubles(arena, (size_t)model->npsi);
  rows->held = ga_arena_take(arena, (size_t)model->ncontacts, sizeof(bool));
  if (arena->failed) return;
  find_pairs(rows, model, arena);
  find_slips(rows, model, arena);
  for (int i = 0; i < rows->n && !arena->failed; i++) {
    const ga_contact *c = &rows->contact[i];
    rows->mode[c->gap] = GA_ROW_IS_OFF;
    for (int k = 0; k < c->nslip; k++) rows->mode[rows->nlam + c->slip + k] = GA_ROW_IS_OFF;
  }
}

bool ga_contact_rows_special(const ga_contact_rows *rows, bool holonomic, int i) {
  return rows->mode[holonomic ? i : rows->nlam + i] >= GA_ROW_SLIPS;
}

/* |k| of a contact. */
static double speed(const ga_contact *c, const double *k) {
  return c->nslip == 2 ? hypot(k[c->slip], k[c->slip + 1]) : fabs(k[c->slip]);
}

/* Does the contact slip with a direction that turns? */
static bool turns(const ga_contact_rows *rows, int i) {
  const ga_contact *c = &rows->contact[i];
  return c->nslip == 2 && !rows->held[i] && rows->mode[rows->nlam + c->slip] == GA_ROW_SLIPS;
}

void ga_contact_rows_turn(ga_contact_rows *rows, const double *k) {
  for (int i = 0; i < rows->n; i++) {
    const ga_contact *c = &rows->contact[i];
    if (!turns(rows, i) || !(speed(c, k) > 0)) continue;
    for (int a = 0; a < 2; a++) rows->d[c->slip + a] = k[c->slip + a] / speed(c, k);
  }
}

void ga_contact_rows_split_residual(const ga_contact_rows *rows, const double *mult, double *r) {
  const ga_csr *n = &rows->split;
  for (int i = 0; i < rows->nlam; i++) {
    if (rows->mode[i] != GA_ROW_SPLITS) continue;
    r[i] = 0;
    for (int e = n->ptr[i]; e < n->ptr[i + 1]; e++) r[i] += n->val[e] * mult[n->col[e]];
  }
}

void ga_contact_rows_slip_residual(const ga_contact_rows *rows, const double *lam,
                                   const double *psi, double *r) {
  for (int i = 0; i < rows->npsi; i++) {
    if (rows->mode[rows->nlam + i] != GA_ROW_SLIPS) continue;
    const ga_contact *c = &rows->contact[rows->owner[i]];
    r[i] = psi[i] + c->friction * lam[c->gap] * rows->d[i];
  }
}

void ga_contact_rows_slip_defect(const ga_contact_rows *rows, const double *lam, const double *psi,
                                 double *r) {
  ga_contact_rows_slip_residual(rows, lam, psi, r);
  for (int i = 0; i < rows->npsi; i++) {
    if (rows->mode[rows->nlam + i] == GA_ROW_SLIPS) r[i] = -r[i];
  }
}

void ga_contact_rows_residual(ga_contact_rows *rows, bool holonomic, const double *lam,
                              const double *mult, const double *k, double *r) {
  if (holonomic) {
    ga_contact_rows_split_residual(rows, mult, r);
  } else {
    ga_contact_rows_turn(rows, k);
    ga_contact_rows_slip_residual(rows, lam, mult, r);
  }
}

double ga_contact_rows_terms(const ga_contact_rows *rows, bool holonomic, int i, const double *mult,
                             const double *lam, double least) {
  double largest = least, sum = 0;
  for (int k = 0; k < rows->n; k++) {
    const ga_contact *c = &rows->contact[k];
    if (holonomic) {
      largest = fmax(largest, fabs(mult[c->gap]));
    } else if (c->friction > 0) {
      largest = fmax(largest, fabs(lam[c->gap]));
    }
  }
  if (!holonomic) return fabs(mult[i]) + (1 + rows->contact[rows->owner[i]].friction) * largest;
  const ga_csr *n = &rows->split;
  for (int e = n->ptr[i]; e < n->ptr[i + 1]; e++) sum += fabs(n->val[e]);
  return sum * largest;
}

/* Set all entries of row i of A to zero. */
static void clear_row(ga_csr *A, int i) {
  for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) A->val[e] = 0;
}

void ga_contact_rows_put_split(const ga_contact_rows *rows, ga_csr *A, int at) {
  const ga_csr *n = &rows->split;
  for (int i = 0; i < rows->nlam; i++) {
    if (rows->mode[i] != GA_ROW_SPLITS) continue;
    clear_row(A, at + i);
    for (int e = n->ptr[i]; e < n->ptr[i + 1]; e++) {
      A->val[ga_csr_find(A, at + i, at + n->col[e])] = n->val[e];
    }
  }
}

void ga_contact_rows_put_slip(const ga_contact_rows *rows, ga_csr *A, int at, int lam_at,
                              bool clear) {
  for (int i = 0; i < rows->npsi; i++) {
    if (rows->mode[rows->nlam + i] != GA_ROW_SLIPS) continue;
    const ga_contact *c = &rows->contact[rows->owner[i]];
    if (clear) clear_row(A, at + i);
    A->val[ga_csr_find(A, at + i, at + i)] = 1;
    A->val[ga_csr_find(A, at + i, lam_at + c->gap)] = c->friction * rows->d[i];
  }
}

void ga_contact_rows_put(const ga_contact_rows *rows, const ga_identity_rows *off, ga_csr *A,
                         int nv, int n, bool moving) {
  ga_contact_rows_put_split(rows, A, nv);
  if (moving) ga_contact_rows_put_slip(rows, A, nv + rows->nlam, nv, true);
  for (int i = 0; i < n; i++) {
    if (rows->mode[i] == GA_ROW_IS_OFF || (rows->mode[i] == GA_ROW_SLIPS && !moving)) {
      ga_identity_rows_apply(off, A, nv + i);
    }
  }
}

void ga_contact_rows_clear(const ga_contact_rows *rows, double *rhs, bool slips) {
  for (int i = 0; i < rows->nlam + rows->npsi; i++) {
    if (rows->mode[i] == GA_ROW_IS_ON || (rows->mode[i] == GA_ROW_SLIPS && !slips)) continue;
    rhs[i] = 0;
  }
}

void ga_contact_rows_slip_gradient(const ga_contact_rows *rows, const double *lam, const double *k,
                                   double scale, ga_csr *D) {
  for (int i = 0; i < rows->n; i++) {
    const ga_contact *c = &rows->contact[i];
    if (c->nslip == 0 || rows->mode[rows->nlam + c->slip] != GA_ROW_SLIPS) continue;
    const int from = D->ptr[c->slip], size = D->ptr[c->slip + 1] - from;
    double by = 0;
    if (turns(rows, i) && speed(c, k) > 0) {
      by = scale * c->friction * lam[c->gap] / speed(c, k);
    }
    if (c->nslip == 1 || by == 0) {
      for (int a = 0; a < c->nslip; a++) clear_row(D, c->slip + a);
      continue;
    }
    const double d[2] = {rows->d[c->slip], rows->d[c->slip + 1]};
    for (int e = 0; e < size; e++) {
      double *first = &D->val[from + e], *second = &D->val[D->ptr[c->slip + 1] + e];
      const double along = d[0] * *first + d[1] * *second;
      *first = by * (*first - d[0] * along);
      *second = by * (*second - d[1] * along);
    }
  }
}

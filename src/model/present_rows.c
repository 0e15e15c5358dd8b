/* SPDX-License-Identifier: MIT */
/* Evaluations of a model with some of its contacts: the whole model writes into work arrays, from which
 * the present rows are copied. */
#include "model/present_rows.h"

#include <string.h>

#include "base/csr.h"

void ga_present_rows_init(ga_present_rows *p, const ga_model *whole, ga_arena *arena) {
  const size_t n = (size_t)whole->ncontacts, nlam = (size_t)whole->nlam, npsi = (size_t)whole->npsi;
  const int nv = ga_space_nv(whole->space);
  *p = (ga_present_rows){.whole = whole};
  p->on = ga_arena_take(arena, n, sizeof(bool));
  p->place = ga_arena_ints(arena, n);
  p->contact = ga_arena_ints(arena, n);
  p->of = ga_arena_take(arena, n, sizeof *p->of);
  p->lam = ga_arena_ints(arena, nlam);
  p->psi = ga_arena_ints(arena, npsi);
  p->names = ga_arena_take(arena, nlam + npsi, sizeof *p->names);
  double **const of_lam[] = {&p->g, &p->gt, &p->drift, &p->mult_lam};
  double **const of_psi[] = {&p->k, &p->k_drift, &p->mult_psi};
  for (int i = 0; i < 4; i++) *of_lam[i] = ga_arena_doubles(arena, nlam);
  for (int i = 0; i < 3; i++) *of_psi[i] = ga_arena_doubles(arena, npsi);
  ga_csr_init(&p->G, whole->nlam, nv, whole->pat_G, arena);
  ga_csr_init(&p->Z, whole->nlam, nv, whole->pat_G, arena);
  ga_csr_init(&p->H, whole->npsi, nv, whole->pat_H, arena);
  ga_csr_init(&p->Y, whole->npsi, nv, whole->pat_H, arena);
}

/* The rows of a pattern with these numbers; NULL, a full one, stays NULL, as do no rows. */
static const ga_csr *pattern_of(const ga_csr *whole, int n, const int *row, ga_arena *arena) {
  if (!whole || n == 0) return NULL;
  ga_csr *A = ga_arena_take(arena, 1, sizeof *A);
  int *ptr = ga_arena_ints(arena, (size_t)n + 1), entries = 0;
  for (int i = 0; i < n; i++) entries += whole->ptr[row[i] + 1] - whole->ptr[row[i]];
  int *col = ga_arena_ints(arena, (size_t)entries);
  if (arena->failed) return NULL;
  for (int i = 0; i < n; i++) {
    const int from = whole->ptr[row[i]], size = whole->ptr[row[i] + 1] - from;
    if (size > 0) memcpy(col + ptr[i], whole->col + from, (size_t)size * sizeof(int));
    ptr[i + 1] = ptr[i] + size;
  }
  *A = (ga_csr){.nrow = n, .ncol = whole->ncol, .ptr = ptr, .col = col};
  return A;
}

void ga_present_rows_lay_out(ga_present_rows *p, ga_arena *arena) {
  const ga_model *whole = p->whole;
  const int n = whole->ncontacts;
  ga_arena scratch = {0};
  int *to_lam = ga_arena_ints(&scratch, (size_t)whole->nlam);
  int *to_psi = ga_arena_ints(&scratch, (size_t)whole->npsi), nlam = 0, npsi = 0, count = 0;
  arena->failed |= scratch.failed;
  if (arena->failed) {
    ga_arena_free(&scratch);
    return;
  }
  for (int i = 0; i < n; i++) { /* -1: left out */
    const ga_contact *c = &whole->contacts[i];
    p->place[i] = p->on[i] ? count : -1;
    if (p->on[i]) p->contact[count++] = i;
    to_lam[c->gap] = p->on[i] ? 0 : -1;
    for (int k = 0; k < c->nslip; k++) to_psi[c->slip + k] = p->on[i] ? 0 : -1;
  }
  for (int i = 0; i < whole->nlam; i++) {
    if (to_lam[i] == 0) p->lam[to_lam[i] = nlam++] = i;
  }
  for (int i = 0; i < whole->npsi; i++) {
    if (to_psi[i] == 0) p->psi[to_psi[i] = npsi++] = i;
  }
  for (int k = 0; k < count; k++) {
    p->of[k] = whole->contacts[p->contact[k]];
    p->of[k].gap = to_lam[p->of[k].gap];
    if (p->of[k].nslip > 0) p->of[k].slip = to_psi[p->of[k].slip];
  }
  for (int i = 0; i < nlam && whole->lam_names; i++) p->names[i] = whole->lam_names[p->lam[i]];
  for (int i = 0; i < npsi && whole->psi_names; i++) {
    p->names[whole->nlam + i] = whole->psi_names[p->psi[i]];
  }
  memset(p->mult_lam, 0, (size_t)whole->nlam * sizeof(double));
  if (whole->npsi > 0) memset(p->mult_psi, 0, (size_t)whole->npsi * sizeof(double));
  ga_arena_free(&scratch);
  if (ga_model_waiting(whole) > 0) {
    const ga_model *some = whole->ops->crowd->select(whole->user, count, p->contact, arena);
    if (some) p->model = *some;
    arena->failed |= !some;
    return;
  }
  p->model = *whole;
  p->model.nlam = nlam;
  p->model.npsi = npsi;
  p->model.pat_G = pattern_of(whole->pat_G, nlam, p->lam, arena);
  p->model.pat_H = pattern_of(whole->pat_H, npsi, p->psi, arena);
  if (whole->lam_names) p->model.lam_names = p->names;
  if (whole->psi_names) p->model.psi_names = p->names + whole->nlam;
  p->model.contacts = count > 0 ? p->of : NULL;
  p->model.ncontacts = count;
}

void ga_present_rows_spread(int n, const int *row, const double *x, double *whole) {
  for (int i = 0; i < n; i++) whole[row[i]] = x[i];
}

void ga_present_rows_gather(int n, const int *row, const double *whole, double *x) {
  for (int i = 0; i < n; i++) x[i] = whole[row[i]];
}

/* vector <- the numbers of the present rows of `whole`, if it is wanted (not NULL). */
static void take_vector(int n, const int *row, const double *whole, double *vector) {
  if (vector) ga_present_rows_gather(n, row, whole, vector);
}

/* The same of a matrix. */
static void take_matrix(int n, const int *row, const ga_csr *whole, ga_csr *A) {
  double *to = A ? A->val : NULL;
  for (int i = 0; A && i < n; i++) {
    for (int e = whole->ptr[row[i]]; e < whole->ptr[row[i] + 1]; e++) *to++ = whole->val[e];
  }
}

int ga_present_rows_ask(ga_present_rows *p, unsigned pass, bool alone, double t, const double *q,
                        const double *v, const ga_evaluation *ask, const char **who) {
  const int nlam = p->model.nlam, npsi = p->model.npsi;
  ga_evaluation all = *ask;
  all.present = p->on;
  if (ask->lam) ga_present_rows_spread(nlam, p->lam, ask->lam, p->mult_lam), all.lam = p->mult_lam;
  if (ask->psi) ga_present_rows_spread(npsi, p->psi, ask->psi, p->mult_psi), all.psi = p->mult_psi;
  if (nlam > 0) {
    if (ask->g) all.g = p->g;
    if (ask->gt) all.gt = p->gt;
    if (ask->drift) all.drift = p->drift;
    if (ask->G) all.G = &p->G;
    if (ask->Z) all.Z = &p->Z;
  }
  if (npsi > 0) {
    if (ask->k) all.k = p->k;
    if (ask->k_drift) all.k_drift = p->k_drift;
    if (ask->H) all.H = &p->H;
    if (ask->Y) all.Y = &p->Y;
  }
  ga_adapter_zero(p->whole, &all);
  const int code = ga_adapter_ask(p->whole, pass, alone, t, q, v, &all, who);
  if (code != 0) return code;
  if (nlam > 0) {
    take_vector(nlam, p->lam, p->g, ask->g);
    take_vector(nlam, p->lam, p->gt, ask->gt);
    take_vector(nlam, p->lam, p->drift, ask->drift);
    take_matrix(nlam, p->lam, &p->G, ask->G);
    take_matrix(nlam, p->lam, &p->Z, ask->Z);
  }
  if (npsi > 0) {
    take_vector(npsi, p->psi, p->k, ask->k);
    take_vector(npsi, p->psi, p->k_drift, ask->k_drift);
    take_matrix(npsi, p->psi, &p->H, ask->H);
    take_matrix(npsi, p->psi, &p->Y, ask->Y);
  }
  return 0;
}

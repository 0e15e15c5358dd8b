/* SPDX-License-Identifier: MIT */
/* Pattern and scatter maps of a block matrix. */
#include "step/kkt.h"

#include <assert.h>

int ga_kkt_add(ga_kkt *kkt, int row, int col, const ga_csr *src, bool transpose) {
  assert(kkt->nterm < GA_KKT_TERMS);
  kkt->term[kkt->nterm] = (ga_kkt_term){.src = src, .row = row, .col = col, .transpose = transpose};
  return kkt->nterm++;
}

/* All entries of all terms, numbered through; row and column in the big matrix. */
typedef struct {
  int *row, *col;
} entries;

static void list_entries(const ga_kkt *kkt, entries *all) {
  int at = 0;
  for (int k = 0; k < kkt->nterm; k++) {
    const ga_kkt_term *term = &kkt->term[k];
    for (int i = 0; i < term->src->nrow; i++) {
      for (int e = term->src->ptr[i]; e < term->src->ptr[i + 1]; e++, at++) {
        int j = term->src->col[e];
        all->row[at] = term->row + (term->transpose ? j : i);
        all->col[at] = term->col + (term->transpose ? i : j);
      }
    }
  }
}

/* stable counting sort of `order` by key[.] < n */
static void sort_by(const int *key, int n, int total, const int *order, int *sorted, int *count) {
  for (int i = 0; i <= n; i++) count[i] = 0;
  for (int i = 0; i < total; i++) count[key[i] + 1]++;
  for (int i = 0; i < n; i++) count[i + 1] += count[i];
  for (int i = 0; i < total; i++) sorted[count[key[order[i]]]++] = order[i];
}

/* which terms are alone; count has room for nnz numbers */
static void find_shared(ga_kkt *kkt, int nnz, int *count, ga_arena *arena) {
  for (int e = 0; e < nnz; e++) count[e] = 0;
  for (int k = 0; k < kkt->nterm; k++) {
    const ga_kkt_term *term = &kkt->term[k];
    for (int e = 0; e < ga_csr_nnz(term->src); e++) count[term->map[e]]++;
  }
  kkt->nshared = nnz;
  for (int k = 0; k < kkt->nterm; k++) {
    ga_kkt_term *term = &kkt->term[k];
    int n = ga_csr_nnz(term->src);
    term->alone = true;
    for (int e = 0; e < n; e++) term->alone &= count[term->map[e]] == 1;
    for (int e = 0; e < n && term->alone; e++) count[term->map[e]] = 0;
    if (term->alone) kkt->nshared -= n;
  }
  kkt->shared = ga_arena_ints(arena, (size_t)kkt->nshared);
  for (int e = 0, at = 0; e < nnz && !arena->failed; e++) {
    if (count[e] > 0) kkt->shared[at++] = e;
  }
}

ga_status ga_kkt_build(ga_kkt *kkt, int n, ga_arena *arena) {
  int total = 0;
  for (int k = 0; k < kkt->nterm; k++) total += ga_csr_nnz(kkt->term[k].src);
  ga_arena scratch = {0};
  size_t size = (size_t)total;
  entries all = {ga_arena_ints(&scratch, size), ga_arena_ints(&scratch, size)};
  int *first = ga_arena_ints(&scratch, size), *second = ga_arena_ints(&scratch, size);
  int *place = ga_arena_ints(&scratch, size), *count = ga_arena_ints(&scratch, (size_t)n + 1);
  kkt->A = (ga_csr){.nrow = n, .ncol = n, .ptr = ga_arena_ints(arena, (size_t)n + 1)};
  if (scratch.failed || arena->failed) {
    ga_arena_free(&scratch);
    return GA_ERR_MEM;
  }
  list_entries(kkt, &all);
  for (int i = 0; i < total; i++) second[i] = i;
  sort_by(all.col, n, total, second, first, count);
  sort_by(all.row, n, total, first, second, count);
  /* equal neighbours are one entry of A */
  int nnz = 0;
  for (int i = 0; i < total; i++) {
    int e = second[i], before = i ? second[i - 1] : -1;
    bool same = before >= 0 && all.row[before] == all.row[e] && all.col[before] == all.col[e];
    if (!same) kkt->A.ptr[all.row[e] + 1] = ++nnz;
    place[e] = nnz - 1;
  }
  for (int i = 0; i < n; i++) {
    if (kkt->A.ptr[i + 1] == 0) kkt->A.ptr[i + 1] = kkt->A.ptr[i]; /* empty row */
  }
  kkt->A.col = ga_arena_ints(arena, (size_t)nnz);
  kkt->A.val = ga_arena_doubles(arena, (size_t)nnz);
  int at = 0;
  for (int k = 0; k < kkt->nterm && !arena->failed; k++) {
    int entries_of_term = ga_csr_nnz(kkt->term[k].src);
    kkt->term[k].map = ga_arena_ints(arena, (size_t)entries_of_term);
    for (int e = 0; e < entries_of_term && !arena->failed; e++, at++) {
      kkt->term[k].map[e] = place[at];
      kkt->A.col[place[at]] = all.col[at];
    }
  }
  if (!arena->failed) find_shared(kkt, nnz, first, arena);
  ga_arena_free(&scratch);
  return arena->failed ? GA_ERR_MEM : GA_OK;
}

/* no two entries of a term have one place */
static void add_at(int nnz, double coef, const int *restrict map, const double *restrict from,
                   double *restrict to) {
  int e = 0;
  for (; e + 3 < nnz; e += 4) {
    to[map[e]] += coef * from[e];
    to[map[e + 1]] += coef * from[e + 1];
    to[map[e + 2]] += coef * from[e + 2];
    to[map[e + 3]] += coef * from[e + 3];
  }
  for (; e < nnz; e++) to[map[e]] += coef * from[e];
}

static void put_at(int nnz, double coef, const int *restrict map, const double *restrict from,
                   double *restrict to) {
  for (int e = 0; e < nnz; e++) to[map[e]] = coef * from[e];
}

void ga_kkt_clear(ga_kkt *kkt) {
  if (2 * kkt->nshared > ga_csr_nnz(&kkt->A)) {
    ga_csr_zero(&kkt->A);
    return;
  }
  for (int i = 0; i < kkt->nshared; i++) kkt->A.val[kkt->shared[i]] = 0;
}

void ga_kkt_put(ga_kkt *kkt, int k, double coef) {
  const ga_kkt_term *term = &kkt->term[k];
  if (term->alone) {
    put_at(ga_csr_nnz(term->src), coef, term->map, term->src->val, kkt->A.val);
  } else {
    add_at(ga_csr_nnz(term->src), coef, term->map, term->src->val, kkt->A.val);
  }
}

void ga_kkt_scatter(ga_kkt *kkt, int k, double coef) {
  const ga_kkt_term *term = &kkt->term[k];
  add_at(ga_csr_nnz(term->src), coef, term->map, term->src->val, kkt->A.val);
}

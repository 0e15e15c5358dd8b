/* SPDX-License-Identifier: MIT */
/* The cone problem: islands, scaling, and the order in which the ways are tried. */
#include "contact/cone.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Entries of A below this, relative to its diagonal, are rounding: they connect no islands. */
static const double LINK = 1e-13;

/* first[i] = first row of block i in the whole problem. */
static void number_rows(const ga_cone *p, int *first) {
  int m = 0;
  for (int i = 0; i < p->n; i++) {
    first[i] = m;
    m += 1 + p->nt[i];
  }
}

static int root_of(int *of, int i) {
  while (of[i] != i) i = of[i] = of[of[i]];
  return i;
}

int ga_cone_islands(const ga_csr *A, int n, const int *nt, int *island, int *block, int *of) {
  int m = 0, count = 0;
  for (int i = 0; i < n; i++) {
    of[i] = i;
    for (int k = 0; k <= nt[i]; k++) block[m++] = i;
  }
  for (int i = 0; i < m; i++) {
    const double own = sqrt(fabs(ga_csr_at(A, i, i)));
    for (int e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      const int j = A->col[e];
      if (block[i] == block[j]) continue;
      if (!(fabs(A->val[e]) > LINK * own * sqrt(fabs(ga_csr_at(A, j, j))))) continue;
      const int a = root_of(of, block[i]), b = root_of(of, block[j]);
      of[a > b ? a : b] = a < b ? a : b;
    }
  }
  for (int i = 0; i < n; i++) { /* a root is the first of its island */
    const int root = root_of(of, i);
    island[i] = root == i ? count++ : island[root];
  }
  return count;
}

/* Units of velocities and of forces of an island: max |b|, and that over the least A_ii. */
typedef struct {
  double u, r;
} units;

/* s->S <- the rows of the island. The pattern of a block is that of its first row. */
static void take_sparse(const ga_cone *p, const int *rows, const int *place, double least,
                        ga_island *s) {
  const ga_csr *A = p->A;
  int *ptr = ga_arena_ints(s->arena, (size_t)s->m + 1), n = 0;
  for (int i = 0; i < s->m; i++) n += A->ptr[rows[i] + 1] - A->ptr[rows[i]];
  int *col = ga_arena_ints(s->arena, (size_t)n);
  double *val = ga_arena_doubles(s->arena, (size_t)n);
  s->S = (ga_csr){.nrow = s->m, .ncol = s->m, .ptr = ptr, .col = col, .val = val};
  n = 0;
  for (int i = 0; i < s->m && !s->arena->failed; i++) {
    for (int e = A->ptr[rows[i]]; e < A->ptr[rows[i] + 1]; e++) {
      const int j = A->col[e];
      if (place[j] >= s->m || rows[place[j]] != j) continue;
      col[n] = place[j];
      val[n++] = A->val[e] / least;
    }
    ptr[i + 1] = n;
  }
}

/* Copy the blocks of one island, scaled, into *s, whose arrays come from its arena. rows: of the whole
 * problem, for each row of the island. */
static units take_island(const ga_cone *p, const int *first, const int *island, int number,
                         ga_island *s, int *block, int *rows, int *place) {
  units size = {0, 0};
  double least = INFINITY;
  s->n = s->m = 0;
  for (int i = 0; i < p->n; i++) {
    if (island[i] != number) continue;
    block[s->n] = i;
    s->nt[s->n] = p->nt[i];
    s->at[s->n] = s->m;
    s->mu[s->n] = p->mu[i];
    const double diagonal =
        p->normal ? ga_csr_at(p->normal, i, i) : ga_csr_at(p->A, first[i], first[i]);
    if (diagonal > 0) least = fmin(least, diagonal);
    for (int k = 0; k <= p->nt[i]; k++) {
      rows[s->m++] = first[i] + k;
      size.u = fmax(size.u, fabs(p->b[first[i] + k]));
    }
    s->n++;
  }
  if (!(size.u > 0)) size.u = 1;
  if (!isfinite(least)) least = 1;
  size.r = size.u / least;
  for (int i = 0; i < s->m; i++) place[rows[i]] = i;
  s->large = s->m > GA_CONE_LARGE;
  if (s->large) {
    take_sparse(p, rows, place, least, s);
    for (int i = 0; i < s->m; i++) s->b[i] = p->b[rows[i]] / size.u;
    return size;
  }
  memset(s->A, 0, (size_t)s->m * (size_t)s->m * sizeof(double));
  for (int i = 0; i < s->m; i++) {
    s->b[i] = p->b[rows[i]] / size.u;
    for (int e = p->A->ptr[rows[i]]; e < p->A->ptr[rows[i] + 1]; e++) {
      const int j = p->A->col[e];
      if (place[j] < s->m && rows[place[j]] == j) s->A[i * s->m + place[j]] = p->A->val[e] / least;
    }
  }
  for (int i = 0; i < s->n; i++) {
    for (int j = 0; j < s->n; j++) {
      s->normal[i * s->n + j] = p->normal ? ga_csr_at(p->normal, block[i], block[j]) / least
                                          : s->A[s->at[i] * s->m + s->at[j]];
    }
  }
  return size;
}

/* The arrays of an island of at most n blocks and m rows. */
static void allocate_island(ga_island *s, int blocks, int m) {
  size_t n = (size_t)blocks, rows = (size_t)m;
  s->nt = ga_arena_ints(s->arena, n);
  s->at = ga_arena_ints(s->arena, n);
  s->status = ga_arena_ints(s->arena, n);
  s->mu = ga_arena_doubles(s->arena, n);
  const size_t square = rows > GA_CONE_LARGE ? GA_CONE_LARGE : rows; /* of dense islands */
  s->A = ga_arena_doubles(s->arena, square * square);
  s->normal = ga_arena_doubles(s->arena, square * square);
  s->b = ga_arena_doubles(s->arena, rows);
  s->r = ga_arena_doubles(s->arena, rows);
  s->u = ga_arena_doubles(s->arena, rows);
  s->d = ga_arena_take(s->arena, n, sizeof *s->d);
  s->stiff = ga_arena_take(s->arena, n, sizeof *s->stiff);
}

/* Does every block stick? */
static bool all_stick(const ga_island *s) {
  for (int i = 0; i < s->n; i++) {
    if (s->status[i] != GA_CONE_STICK) return false;
  }
  return true;
}

/* Rest comes first: where sets let redundant contacts slip, other forces may hold them. Then the
 * three ways in turn. */
static bool solve_island(ga_island *s, bool *coarse) {
  *coarse = false;
  if (s->large) return ga_island_large(s, coarse);
  const bool solved = ga_island_sets(s);
  const bool free = !(solved && all_stick(s)) && ga_island_forces_are_free(s);
  if (solved && !free) return true;
  if (free && (ga_island_rest(s) || (solved && ga_island_sets(s)))) return true;
  return s->symmetric ? ga_island_convex(s, coarse) : ga_island_sweeps(s, coarse);
}

/* Rows and blocks in islands[number]: sizes of the largest island. */
static void largest_island(const ga_cone *p, const int *island, int count, int *blocks, int *rows) {
  *blocks = *rows = 0;
  for (int k = 0; k < count; k++) {
    int n = 0, m = 0;
    for (int i = 0; i < p->n; i++) {
      if (island[i] == k) n++, m += 1 + p->nt[i];
    }
    if (n > *blocks) *blocks = n;
    if (m > *rows) *rows = m;
  }
}

ga_status ga_cone_solve(const ga_cone *p, ga_cone_solution *out, ga_error *err) {
  ga_arena pair[2] = {{0}, {0}}, *own = p->arena ? p->arena : pair, *work = own + 1;
  ga_status status = GA_OK;
  const size_t n = (size_t)p->n;
  int *first = ga_arena_ints(own, n), *queue = ga_arena_ints(own, n);
  int *rows = ga_arena_ints(own, 3 * n), *place = ga_arena_ints(own, 3 * n);
  int blocks = 0, most = 0, count = 0;
  out->unsolved = -1;
  out->sweeps = out->lists = 0;
  out->coarse = false;
  if (!own->failed) {
    number_rows(p, first);
    count = ga_cone_islands(p->A, p->n, p->nt, out->island, place, queue);
    memset(place, 0, 3 * n * sizeof(int));
    largest_island(p, out->island, count, &blocks, &most);
  }
  for (int k = 0; k < count && status == GA_OK; k++) {
    ga_island s = {.symmetric = p->symmetric, .arena = work};
    bool coarse = false;
    allocate_island(&s, blocks, most);
    if (!work->failed) {
      const units size = take_island(p, first, out->island, k, &s, queue, rows, place);
      const bool solved = !work->failed && solve_island(&s, &coarse);
      if (!solved) out->unsolved = k, status = GA_RETRY_CONTACT;
      for (int i = 0; i < s.n; i++) out->status[queue[i]] = s.status[i];
      for (int i = 0; i < s.m; i++) {
        out->r[rows[i]] = s.r[i] * size.r;
        out->u[rows[i]] = s.u[i] * size.u;
      }
      out->sweeps += s.sweeps;
      out->lists += s.lists;
      out->coarse |= coarse;
    }
    if (work->failed) status = GA_ERR_MEM;
    ga_arena_rewind(work);
  }
  if (own->failed) status = GA_ERR_MEM;
  ga_arena_rewind(own);
  for (int k = 0; k < 2; k++) ga_arena_free(&pair[k]);
  if (status == GA_ERR_MEM) return ga_fail(err, status, "no memory for a cone problem");
  return status;
}

/* SPDX-License-Identifier: MIT */
/* The order in which KLU eliminates a subdomain.
 *
 * KLU's own orderings do not know that a constraint has no pivot on the diagonal before one of its
 * velocities is eliminated. They put a constraint with few neighbours first, its pivot is then
 * taken elsewhere, and the fill is not what the ordering predicted: on a net of 100 x 100 masses a
 * factorization takes ten times as long. Here, in each block of the block triangular form, the
 * order is:
 *
 *   1. unknowns with a diagonal entry that are coupled with each other in small groups only: the
 *      velocities of single bodies;
 *   2. all others, by AMD, in the graph after the elimination of these: the multipliers, with the
 *      graph of G M^-1 G^T, whose diagonal entries exist by then.
 *
 * KLU finds the same blocks and keeps the order inside of them. PETSc's own interface cannot do
 * this: in Debian 12 it gives KLU either its own ordering or none. */
#include <math.h>
#include <stdlib.h>
#include <suitesparse/amd.h>
#include <suitesparse/btf.h>

#include "private.h"

enum { GROUP = 24 }; /* unknowns of a group that is eliminated first, at most */

typedef struct {
  int n;
  const int *ptr, *col; /* the matrix */
  const double *value;
  int *sptr, *scol; /* pattern of A + A^T, inside of blocks */
  int *block;       /* of an unknown */
  int *group;       /* the group of an unknown that is eliminated first, -1 for the others */
  int ngroup;
  int *gptr, *member; /* their members, in order */
  /* mark: first, has a pivot on the diagonal; in neighbours, i + 1 if seen from unknown i.
   * place: first, next slot of scol; in order_rest, the position of an unknown in the rest.
   * list: first, unknowns of a group; in neighbours, i + 1 if the group was seen from unknown i. */
  int *mark, *place, *list;
  int *order; /* result */
} graph;

/* Free all arrays that graph_take has allocated. */
static void graph_free(graph *g) {
  int *const all[] = {g->sptr,   g->scol, g->block, g->group, g->gptr,
                      g->member, g->mark, g->place, g->list,  g->order};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* Set g->n and allocate all arrays for n unknowns and nnz entries, zero except scol and order.
 * False if memory runs out; graph_free in any case. *g must be zeroed before. */
static bool graph_take(graph *g, int n, size_t nnz) {
  size_t N = (size_t)n + 1;
  int **const of_n[] = {&g->sptr,   &g->block, &g->group, &g->gptr,
                        &g->member, &g->mark,  &g->place, &g->list};
  g->n = n;
  g->scol = malloc((2 * nnz + 1) * sizeof(int));
  g->order = malloc(N * sizeof(int));
  bool taken = g->scol && g->order;
  for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++) {
    *of_n[i] = calloc(N, sizeof(int));
    taken = taken && *of_n[i];
  }
  return taken;
}

/* Find the blocks of the block triangular form: sets g->block of each unknown, and g->order to the
 * unknowns block by block; block k begins at first[k]. Returns the number of blocks. first has
 * room for n + 1 numbers, work for 4 n. */
static int find_blocks(graph *g, int *first, int *work) {
  int found = btf_strongcomp(g->n, (int *)g->ptr, (int *)g->col, NULL, g->order, first, work);
  for (int k = 0; k < found; k++) {
    for (int p = first[k]; p < first[k + 1]; p++) g->block[g->order[p]] = k;
  }
  return found;
}

/* Set sptr and scol: neighbours in A + A^T within the same block, possibly twice, without the
 * diagonal. mark[i]: unknown i has a diagonal entry that can be a pivot. place is scratch. sptr and
 * mark must be zero before; block must be set. The first pass counts, the second fills. */
static void symmetrize(graph *g) {
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < g->n; i++) {
      for (int e = g->ptr[i]; e < g->ptr[i + 1]; e++) {
        int j = g->col[e];
        if (i == j) g->mark[i] = fabs(g->value[e]) > GA_PETSC_PIVOT;
        if (i == j || g->block[i] != g->block[j]) continue;
        if (pass == 0) {
          g->sptr[i + 1]++, g->sptr[j + 1]++;
        } else {
          g->scol[g->place[i]++] = j, g->scol[g->place[j]++] = i;
        }
      }
    }
    if (pass == 1) continue;
    for (int i = 0; i < g->n; i++) g->sptr[i + 1] += g->sptr[i];
    for (int i = 0; i < g->n; i++) g->place[i] = g->sptr[i];
  }
}

/* List the unknowns with a diagonal (mark) that are connected with `from` in g->list, and set their
 * g->group, which was -2 (not seen), to ngroup. Returns their number. */
static int collect(graph *g, int from) {
  int count = 0;
  g->list[count++] = from;
  g->group[from] = g->ngroup;
  for (int at = 0; at < count; at++) {
    int i = g->list[at];
    for (int e = g->sptr[i]; e < g->sptr[i + 1]; e++) {
      int j = g->scol[e];
      if (!g->mark[j] || g->group[j] != -2) continue;
      g->group[j] = g->ngroup;
      g->list[count++] = j;
    }
  }
  return count;
}

/* Set group, ngroup, gptr and member: connected groups of at most GROUP unknowns with a diagonal
 * entry (mark). Unknowns without one, and those of larger groups, get group -1. list is scratch. */
static void find_groups(graph *g) {
  int at = 0;
  for (int i = 0; i < g->n; i++) g->group[i] = -2; /* not seen yet */
  for (int i = 0; i < g->n; i++) {
    if (!g->mark[i]) g->group[i] = -1;
    if (g->group[i] != -2) continue;
    int count = collect(g, i);
    if (count > GROUP) {
      for (int k = 0; k < count; k++) g->group[g->list[k]] = -1;
      continue;
    }
    for (int k = 0; k < count; k++) g->member[at++] = g->list[k];
    g->gptr[++g->ngroup] = at;
  }
}

/* Number of neighbours that unknown i, which is in no group, has after the groups are eliminated:
 * its own, and those of the groups it touches. Their positions (place) in the rest are written to
 * `to` unless that is NULL. mark and list must not contain i + 1 before, and do afterwards. */
static int neighbours(graph *g, int i, int *to) {
  int count = 0;
  g->mark[i] = i + 1;
  for (int e = g->sptr[i]; e < g->sptr[i + 1]; e++) {
    int j = g->scol[e], k = g->group[j];
    if (k < 0) {
      if (g->mark[j] != i + 1 && to) to[count] = g->place[j];
      count += g->mark[j] != i + 1;
      g->mark[j] = i + 1;
      continue;
    }
    if (g->list[k] == i + 1) continue; /* through this group before */
    g->list[k] = i + 1;
    for (int p = g->gptr[k]; p < g->gptr[k + 1]; p++) {
      for (int f = g->sptr[g->member[p]]; f < g->sptr[g->member[p] + 1]; f++) {
        int other = g->scol[f];
        if (g->group[other] >= 0 || g->mark[other] == i + 1) continue;
        g->mark[other] = i + 1;
        if (to) to[count] = g->place[other];
        count++;
      }
    }
  }
  return count;
}

/* Sort the `count` unknowns rest[0], .. of a block, those in no group, by AMD, in place, in the
 * graph after the elimination of the groups. Overwrites place, list and mark. False if memory runs
 * out or AMD fails; rest is then unchanged. */
static bool order_rest(graph *g, int count, int *rest) {
  int *ptr = calloc((size_t)count + 1, sizeof *ptr), *col = NULL,
      *P = malloc((size_t)count * sizeof *P);
  bool done = ptr && P;
  for (int k = 0; k < count; k++) g->place[rest[k]] = k;
  for (int k = 0; k < g->n; k++) g->list[k] = g->mark[k] = 0;
  for (int k = 0; k < count && done; k++) ptr[k + 1] = ptr[k] + neighbours(g, rest[k], NULL);
  if (done) col = malloc((size_t)(ptr[count] + 1) * sizeof *col);
  done = done && col;
  for (int k = 0; k < g->n; k++) g->list[k] = g->mark[k] = 0;
  for (int k = 0; k < count && done; k++) neighbours(g, rest[k], col + ptr[k]);
  done = done && amd_order(count, ptr, col, P, NULL, NULL) >= AMD_OK;
  for (int k = 0; k < count && done; k++) ptr[k] = rest[P[k]];
  for (int k = 0; k < count && done; k++) rest[k] = ptr[k];
  free(ptr), free(col), free(P);
  return done;
}

/* Sort the unknowns order[0 .. count-1] of a block in place: members of groups first, in their old
 * order, then the rest by AMD. scratch has room for count numbers. False if order_rest fails. */
static bool order_block(graph *g, int count, int *order, int *scratch) {
  int at = 0, left = 0;
  for (int k = 0; k < count; k++) {
    if (g->group[order[k]] < 0) {
      scratch[left++] = order[k];
    } else {
      order[at++] = order[k];
    }
  }
  for (int k = 0; k < left; k++) order[at + k] = scratch[k];
  return left < 2 || order_rest(g, left, order + at);
}

/* Fill g->order as the head of this file describes. The arrays of g are those of graph_take; ptr,
 * col and value are set. False if memory runs out. */
static bool find_order(graph *g) {
  size_t n = (size_t)g->n;
  int *first = calloc(n + 1, sizeof *first), *work = calloc(4 * n + 1, sizeof *work);
  bool done = first && work;
  if (done) {
    int found = find_blocks(g, first, work);
    symmetrize(g);
    find_groups(g);
    for (int k = 0; k < found && done; k++) {
      done = order_block(g, first[k + 1] - first[k], g->order + first[k], work);
    }
  }
  free(first), free(work);
  return done;
}

/* Write the order of elimination of the n unknowns of a matrix, stored by rows, to out (n numbers):
 * out[0] goes first. False if memory runs out; out is then unchanged. */
bool ga_petsc_order(int n, const int *ptr, const int *col, const double *value, int *out) {
  graph g = {0};
  bool done = graph_take(&g, n, (size_t)ptr[n]);
  g.ptr = ptr, g.col = col, g.value = value;
  done = done && find_order(&g);
  for (int k = 0; k < n && done; k++) out[k] = g.order[k];
  graph_free(&g);
  return done;
}

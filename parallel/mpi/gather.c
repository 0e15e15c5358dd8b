/* SPDX-License-Identifier: MIT */
/* A linear solver for a team: rank 0 gets all parts, adds them and solves.
 *
 *   analyze   patterns and numbers to rank 0, which builds the whole pattern
 *   factor    values to rank 0
 *   solve     the entries of b that a rank owns to rank 0; x back to all rows of all ranks
 *
 * What rank 0 finds out is told to all with the same message that ends a call. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"
#include "whole.h"

/* what rank 0 tells all others after a call */
typedef struct {
  double status, column, repivots, factor, solve;
} news;

/* Rank 0 has arrays over all ranks; `at` and `count` of rows, owned rows and entries. */
typedef struct {
  int *count, *at;
  int total;
} parts;

typedef struct {
  ga_mpi_team *team;
  int n, nnz, nowned;
  long unit[2];             /* unknowns that others give: the first number, and how many in all */
  int *owned;               /* places of the rows that this rank owns */
  double *b;                /* their values */
  long column;              /* number of a column without pivot, -1 if unknown */
  parts rows, own, entries; /* rank 0 only, like all that follows */
  long *number;             /* of all rows of all ranks, */
  long *own_number;         /* and of those that are owned */
  double *values, *x, *part_x, *part_b;
  ga_whole *whole;
  ga_linsol ls;
} gather;

static bool is_root(const gather *g) {
  return g->team->team.process == 0;
}

/* all ranks get what rank 0 has to say; returns the status */
static ga_status tell(ga_linsol *ls, ga_status status) {
  gather *g = ls->impl;
  news n = {status, (double)g->column, (double)g->ls.repivots, g->ls.cost.factor, g->ls.cost.solve};
  MPI_Bcast(&n, 5, MPI_DOUBLE, 0, g->team->comm);
  g->column = (long)n.column;
  ls->repivots = (long)n.repivots;
  ls->cost = (ga_linsol_cost){n.factor, n.solve};
  if (is_root(g)) {
    memcpy(ls->trouble, g->ls.trouble, sizeof ls->trouble);
    if (g->ls.ops) memcpy(ls->why, g->ls.why, sizeof ls->why);
  }
  return (ga_status)(int)n.status;
}

/* ---- set-up -----------------------------------------------------------------------------------
 */

/* counts of all ranks at rank 0 */
static bool count_parts(gather *g, parts *p, int own) {
  int size = g->team->team.processes;
  if (is_root(g)) {
    p->count = calloc((size_t)size, sizeof(int));
    p->at = calloc((size_t)size + 1, sizeof(int));
  }
  bool good = !is_root(g) || (p->count && p->at);
  if (ga_mpi_agree(g->team->comm, good ? GA_OK : GA_ERR_MEM) != GA_OK) return false;
  MPI_Gather(&own, 1, MPI_INT, p->count, 1, MPI_INT, 0, g->team->comm);
  long total = 0;
  for (int r = 0; is_root(g) && r < size; r++) {
    p->at[r] = (int)total;
    total += p->count[r];
    good = good && total < INT_MAX;
  }
  p->total = (int)total;
  return good;
}

/* Arrays over all ranks at rank 0: n of every rank. */
static void bring(const gather *g, const parts *p, int n, const void *from, void *to,
                  MPI_Datatype type) {
  MPI_Gatherv(from, n, type, to, p->count, p->at, type, 0, g->team->comm);
  int bytes;
  MPI_Type_size(type, &bytes);
  if (!is_root(g)) g->team->counts.gathered += (long)n * bytes;
}

static ga_status list_owned(gather *g, const ga_linsol_numbering *share) {
  g->owned = malloc(((size_t)g->n + 1) * sizeof(int));
  g->b = malloc(((size_t)g->n + 1) * sizeof(double));
  if (!g->owned || !g->b) return GA_ERR_MEM;
  for (int i = 0; i < g->n; i++) {
    if (share->owned[i]) g->owned[g->nowned++] = i;
  }
  return GA_OK;
}

/* patterns at rank 0: lengths of rows, columns, numbers */
typedef struct {
  int *length, *ptr, *col;
  ga_whole_contribution *part;
  ga_block_range *range;
} patterns;

static bool make_room(gather *g, long n, int nblock, patterns *p) {
  int size = g->team->team.processes;
  if (!is_root(g)) return true;
  size_t rows = (size_t)g->rows.total + 1, entries = (size_t)g->entries.total + 1;
  p->length = malloc(rows * sizeof(int));
  p->ptr = malloc((rows + (size_t)size) * sizeof(int));
  p->col = malloc(entries * sizeof(int));
  p->part = calloc((size_t)size, sizeof *p->part);
  p->range = calloc((size_t)(size * nblock) + 1, sizeof *p->range);
  g->number = malloc(rows * sizeof(long));
  g->own_number = malloc(((size_t)g->own.total + 1) * sizeof(long));
  g->values = malloc(entries * sizeof(double));
  g->part_x = malloc(rows * sizeof(double));
  g->part_b = malloc(((size_t)g->own.total + 1) * sizeof(double));
  g->x = malloc(((size_t)n + 1) * sizeof(double));
  return p->length && p->ptr && p->col && p->part && p->range && g->number && g->own_number &&
         g->values && g->part_x && g->part_b && g->x;
}

static ga_status build(gather *g, const ga_linsol_numbering *share, const patterns *p, int nblock) {
  int size = g->team->team.processes, *ptr = p->ptr;
  for (int r = 0; r < size; r++) {
    int n = g->rows.count[r];
    const int *length = p->length + g->rows.at[r];
    ptr[0] = 0;
    for (int i = 0; i < n; i++) ptr[i + 1] = ptr[i] + length[i];
    p->part[r] =
        (ga_whole_contribution){n, ptr, p->col + g->entries.at[r], g->number + g->rows.at[r]};
    ptr += n + 1;
  }
  g->whole = ga_whole_new(share->n, size, p->part);
  if (!g->whole) return GA_ERR_MEM;
  ga_whole_blocks(g->whole, nblock, size, p->range);
  return ga_whole_condense(g->whole, g->unit[0], g->unit[1]) ? GA_OK : GA_ERR_MEM;
}

/* row lengths of A into `length`, numbers of owned rows into `own` */
static void describe(const gather *g, const ga_csr *A, const ga_linsol_numbering *share,
                     int *length, long *own) {
  for (int i = 0; i < g->n; i++) length[i] = A->ptr[i + 1] - A->ptr[i];
  for (int k = 0; k < g->nowned; k++) own[k] = share->number[g->owned[k]];
}

static ga_status collect(gather *g, const ga_csr *A, const ga_linsol_layout *layout, patterns *p) {
  const ga_linsol_numbering *share = layout->numbering;
  int nblock = layout->nblock;
  ga_block_range range[GA_WHOLE_BLOCKS];
  int *length = malloc(((size_t)g->n + 1) * sizeof(int));
  long *own = malloc(((size_t)g->n + 1) * sizeof(long));
  bool good = length && own && nblock <= GA_WHOLE_BLOCKS && make_room(g, share->n, nblock, p);
  ga_status status = ga_mpi_agree(g->team->comm, good ? GA_OK : GA_ERR_MEM);
  if (status == GA_OK) {
    describe(g, A, share, length, own);
    ga_block_ranges(layout, range);
    bring(g, &g->rows, g->n, length, p->length, MPI_INT);
    bring(g, &g->rows, g->n, share->number, g->number, MPI_LONG);
    bring(g, &g->entries, g->nnz, A->col, p->col, MPI_INT);
    bring(g, &g->own, g->nowned, own, g->own_number, MPI_LONG);
    MPI_Gather(range, 4 * nblock, MPI_LONG, p->range, 4 * nblock, MPI_LONG, 0, g->team->comm);
  }
  free(length);
  free(own);
  return status;
}

static ga_status attach(gather *g, ga_error *err) {
  return ga_linsol_attach(&g->ls, g->team->gather_by, ga_whole_matrix(g->whole),
                          ga_whole_layout(g->whole), err);
}

/* the numbers of the unknowns that others give are a range */
static void find_unit(gather *g, const ga_linsol_numbering *share) {
  long range[2] = {-share->n, -1}; /* the first one, negative, and the last */
  for (int i = g->n - share->nunit; i < g->n; i++) {
    if (-share->number[i] > range[0]) range[0] = -share->number[i];
    if (share->number[i] > range[1]) range[1] = share->number[i];
  }
  MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_LONG, MPI_MAX, g->team->comm);
  g->unit[0] = -range[0];
  g->unit[1] = range[1] < 0 ? 0 : range[1] + range[0] + 1;
}

static ga_status analyze(ga_linsol *ls, const ga_csr *A) {
  ga_mpi_team *team = ls->context;
  gather *g = calloc(1, sizeof *g);
  patterns p = {0};
  ga_error err = {0};
  ls->impl = g;
  if (g) *g = (gather){.team = team, .n = A->nrow, .nnz = A->ptr[A->nrow], .column = -1};
  ga_status status =
      ga_mpi_agree(team->comm, g ? list_owned(g, ls->layout->numbering) : GA_ERR_MEM);
  if (status != GA_OK) return status;
  bool good = count_parts(g, &g->rows, g->n); /* all three are collective */
  good &= count_parts(g, &g->own, g->nowned);
  good &= count_parts(g, &g->entries, g->nnz);
  status = ga_mpi_agree(team->comm, good ? GA_OK : GA_ERR_MEM);
  find_unit(g, ls->layout->numbering);
  if (status == GA_OK) status = collect(g, A, ls->layout, &p);
  if (status == GA_OK && is_root(g)) {
    status = build(g, ls->layout->numbering, &p, ls->layout->nblock);
    if (status == GA_OK) status = attach(g, &err);
    if (err.text[0]) snprintf(g->ls.trouble, sizeof g->ls.trouble, "%.100s", err.text);
  }
  free(p.length);
  free(p.ptr);
  free(p.col);
  free(p.part);
  free(p.range);
  return tell(ls, status);
}

/* ---- values ------------------------------------------------------------------------------------
 */

static ga_status factor_whole(gather *g) {
  ga_linsol *ls = &g->ls;
  ga_whole_clear(g->whole);
  for (int r = 0; r < g->team->team.processes; r++) {
    ga_whole_add(g->whole, r, g->values + g->entries.at[r]);
  }
  ga_whole_finish(g->whole);
  ga_status status = ls->ops->factor(ls, ga_whole_matrix(g->whole));
  g->column = -1;
  if (status == GA_RETRY_SINGULAR && ls->ops->singular_column) {
    int column = ls->ops->singular_column(ls);
    if (column >= 0) g->column = ga_whole_column(g->whole, column);
  }
  return status;
}

static ga_status factor(ga_linsol *ls, const ga_csr *A) {
  gather *g = ls->impl;
  bring(g, &g->entries, g->nnz, A->val, g->values, MPI_DOUBLE);
  return tell(ls, is_root(g) ? factor_whole(g) : GA_OK);
}

static ga_status solve_whole(gather *g) {
  for (int k = 0; k < g->own.total; k++) g->x[g->own_number[k]] = g->part_b[k];
  ga_whole_right_side(g->whole, g->x);
  ga_status status = g->ls.ops->solve(&g->ls, g->x);
  ga_whole_solution(g->whole, g->x);
  for (int k = 0; k < g->rows.total; k++) g->part_x[k] = g->x[g->number[k]];
  return status;
}

static ga_status solve(ga_linsol *ls, double *b) {
  gather *g = ls->impl;
  for (int k = 0; k < g->nowned; k++) g->b[k] = b[g->owned[k]];
  bring(g, &g->own, g->nowned, g->b, g->part_b, MPI_DOUBLE);
  ga_status status = tell(ls, is_root(g) ? solve_whole(g) : GA_OK);
  if (status != GA_OK) return status;
  MPI_Scatterv(g->part_x, g->rows.count, g->rows.at, MPI_DOUBLE, b, g->n, MPI_DOUBLE, 0,
               g->team->comm);
  if (is_root(g)) g->team->counts.gathered += 8L * (g->rows.total - g->n);
  return GA_OK;
}

/* the place of the column in this rank's rows, -1 if it is one of others */
static int singular_column(const ga_linsol *ls) {
  const gather *g = ls->impl;
  const long *number = ls->layout->numbering->number;
  for (int i = 0; i < g->n && g->column >= 0; i++) {
    if (number[i] == g->column) return i;
  }
  return -1;
}

static void reset(ga_linsol *ls) {
  gather *g = ls->impl;
  if (g->ls.ops && g->ls.ops->reset) g->ls.ops->reset(&g->ls);
}

static void release(ga_linsol *ls) {
  gather *g = ls->impl;
  if (!g) return;
  if (g->ls.ops) ga_linsol_detach(&g->ls);
  ga_whole_free(g->whole);
  const parts *const all[] = {&g->rows, &g->own, &g->entries};
  for (int k = 0; k < 3; k++) {
    free(all[k]->count);
    free(all[k]->at);
  }
  void *const arrays[] = {g->owned,  g->b, g->number, g->own_number,
                          g->values, g->x, g->part_x, g->part_b};
  for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) free(arrays[k]);
  free(g);
  ls->impl = NULL;
}

const ga_linsol_ops ga_mpi_gather_linsol = {
    .name = "gather",
    .summary = "the parts of a team are added and solved on rank 0",
    .analyze = analyze,
    .factor = factor,
    .solve = solve,
    .singular_column = singular_column,
    .reset = reset,
    .free = release,
};

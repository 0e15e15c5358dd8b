/* SPDX-License-Identifier: MIT */
/* A linear solver for a team: process 0 gathers the matrices of all processes, adds them and
 * solves.
 *
 *   analyze   sends patterns and numbers to process 0, which builds the pattern of the whole
 *   factor    sends values to process 0
 *   solve     sends the entries of b that a process owns to process 0, which sends x back to all
 *
 * At the end of each call process 0 sends the outcome to all. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"
#include "whole.h"

/* what process 0 sends to all at the end of a call */
typedef struct {
  double status, column, repivots, factor, solve;
} outcome;

/* An array on process 0 that has entries of all processes: count[p] of process p, from at[p] on. */
typedef struct {
  int *count, *at;
  int total;
} gathered;

typedef struct {
  ga_mpi_team *team;
  int n, nnz, nowned;
  long unit[2]; /* unknowns y of ga_linsol_numbering.nunit: the first number, and how many in all */
  int *owned;   /* rows that this process owns */
  double *b;    /* their values */
  long column;  /* number of a column without pivot, -1 if unknown */
  /* the rest on process 0 only */
  gathered rows, own, entries; /* rows, owned rows and matrix entries of all processes */
  long *number;                /* of all rows, */
  long *own_number;            /* and of the owned ones */
  double *values;              /* of all entries */
  double *own_b;               /* right sides of owned rows */
  double *x, *row_x;           /* solution of the whole, and of all rows */
  ga_whole *whole;
  ga_linsol ls;
} gather;

/* Is this process 0, which has the whole matrix? */
static bool is_root(const gather *g) {
  return g->team->team.process == 0;
}

/* Process 0 sends the outcome to all: its status, which is returned (that of the others is
 * ignored), g->column, ls->repivots and ls->cost. ls->trouble and ls->why are set on process 0
 * only. Collective. */
static ga_status send_outcome(ga_linsol *ls, ga_status status) {
  gather *g = ls->impl;
  outcome n = {status, (double)g->column, (double)g->ls.repivots, g->ls.cost.factor,
               g->ls.cost.solve};
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

/* ---- set-up ---------------------------------------------------------------------------------- */

/* Gather the counts `own` of all processes on process 0: allocates and sets to->count and to->at
 * there, and to->total (0 elsewhere). Collective. False if memory runs out (on all processes), or
 * if the total exceeds an int (on process 0); free_gather frees the arrays. */
static bool gather_counts(gather *g, gathered *to, int own) {
  int processes = g->team->team.processes;
  if (is_root(g)) {
    to->count = calloc((size_t)processes, sizeof(int));
    to->at = calloc((size_t)processes + 1, sizeof(int));
  }
  bool good = !is_root(g) || (to->count && to->at);
  if (ga_mpi_agree(g->team->comm, good ? GA_OK : GA_ERR_MEM) != GA_OK) return false;
  MPI_Gather(&own, 1, MPI_INT, to->count, 1, MPI_INT, 0, g->team->comm);
  long total = 0;
  for (int p = 0; is_root(g) && p < processes; p++) {
    to->at[p] = (int)total;
    total += to->count[p];
    good = good && total < INT_MAX;
  }
  to->total = (int)total;
  return good;
}

/* Gather n numbers of every process in `to` on process 0; p has the counts (gather_counts). `to`
 * is not used elsewhere. Counts the bytes sent. Collective. */
static void gather_array(const gather *g, const gathered *p, int n, const void *from, void *to,
                         MPI_Datatype type) {
  MPI_Gatherv(from, n, type, to, p->count, p->at, type, 0, g->team->comm);
  int bytes;
  MPI_Type_size(type, &bytes);
  if (!is_root(g)) g->team->counts.gathered += (long)n * bytes;
}

/* Set g->owned and g->nowned, the rows that this process owns, and allocate g->b, the buffer for
 * their right-hand sides. g->n must be set, g->nowned 0. GA_OK or GA_ERR_MEM. */
static ga_status list_owned(gather *g, const ga_linsol_numbering *numbering) {
  g->owned = malloc(((size_t)g->n + 1) * sizeof(int));
  g->b = malloc(((size_t)g->n + 1) * sizeof(double));
  if (!g->owned || !g->b) return GA_ERR_MEM;
  for (int i = 0; i < g->n; i++) {
    if (numbering->owned[i]) g->owned[g->nowned++] = i;
  }
  return GA_OK;
}

/* patterns of all processes on process 0 */
typedef struct {
  int *length, *ptr, *col; /* of rows; ptr as in ga_csr, for each process */
  ga_whole_contribution *contribution;
  ga_block_range *range; /* of all blocks of all processes */
} patterns;

/* Allocate the arrays of *p and g on process 0, once the counts are known; nothing on other
 * processes. n: rows of the whole. False if memory runs out; the caller frees those of *p,
 * free_gather those of g. */
static bool allocate_root(gather *g, long n, int nblock, patterns *p) {
  int processes = g->team->team.processes;
  if (!is_root(g)) return true;
  size_t rows = (size_t)g->rows.total + 1, entries = (size_t)g->entries.total + 1;
  p->length = malloc(rows * sizeof(int));
  p->ptr = malloc((rows + (size_t)processes) * sizeof(int));
  p->col = malloc(entries * sizeof(int));
  p->contribution = calloc((size_t)processes, sizeof *p->contribution);
  p->range = calloc((size_t)(processes * nblock) + 1, sizeof *p->range);
  g->number = malloc(rows * sizeof(long));
  g->own_number = malloc(((size_t)g->own.total + 1) * sizeof(long));
  g->values = malloc(entries * sizeof(double));
  g->row_x = malloc(rows * sizeof(double));
  g->own_b = malloc(((size_t)g->own.total + 1) * sizeof(double));
  g->x = malloc(((size_t)n + 1) * sizeof(double));
  return p->length && p->ptr && p->col && p->contribution && p->range && g->number &&
         g->own_number && g->values && g->row_x && g->own_b && g->x;
}

/* On process 0: set g->whole, the whole matrix and its layout, from the gathered patterns (ptr and
 * contribution of p are filled here); the unknowns y of ga_linsol_numbering.nunit are eliminated.
 * GA_OK or GA_ERR_MEM. */
static ga_status build_whole(gather *g, const ga_linsol_numbering *numbering, const patterns *p,
                             int nblock) {
  int processes = g->team->team.processes, *ptr = p->ptr;
  for (int k = 0; k < processes; k++) {
    int n = g->rows.count[k];
    const int *length = p->length + g->rows.at[k];
    ptr[0] = 0;
    for (int i = 0; i < n; i++) ptr[i + 1] = ptr[i] + length[i];
    p->contribution[k] =
        (ga_whole_contribution){n, ptr, p->col + g->entries.at[k], g->number + g->rows.at[k]};
    ptr += n + 1;
  }
  g->whole = ga_whole_new(numbering->n, processes, p->contribution);
  if (!g->whole) return GA_ERR_MEM;
  ga_whole_blocks(g->whole, nblock, processes, p->range);
  return ga_whole_condense(g->whole, g->unit[0], g->unit[1]) ? GA_OK : GA_ERR_MEM;
}

/* Write the lengths of the g->n rows of A to `length`, and the numbers in the whole of the
 * g->nowned owned rows to `own`. */
static void describe_rows(const gather *g, const ga_csr *A, const ga_linsol_numbering *numbering,
                          int *length, long *own) {
  for (int i = 0; i < g->n; i++) length[i] = A->ptr[i + 1] - A->ptr[i];
  for (int k = 0; k < g->nowned; k++) own[k] = numbering->number[g->owned[k]];
}

/* Send the pattern, row numbers, owned rows and block ranges of this process to process 0, into the
 * arrays of *p and g, which are allocated here. All processes must have the same number of blocks.
 * The same status on all processes; collective. */
static ga_status gather_patterns(gather *g, const ga_csr *A, const ga_linsol_layout *layout,
                                 patterns *p) {
  const ga_linsol_numbering *numbering = layout->numbering;
  int nblock = layout->nblock;
  ga_block_range range[GA_WHOLE_BLOCKS];
  int *length = malloc(((size_t)g->n + 1) * sizeof(int));
  long *own = malloc(((size_t)g->n + 1) * sizeof(long));
  bool good =
      length && own && nblock <= GA_WHOLE_BLOCKS && allocate_root(g, numbering->n, nblock, p);
  ga_status status = ga_mpi_agree(g->team->comm, good ? GA_OK : GA_ERR_MEM);
  if (status == GA_OK) {
    describe_rows(g, A, numbering, length, own);
    ga_block_ranges(layout, range);
    gather_array(g, &g->rows, g->n, length, p->length, MPI_INT);
    gather_array(g, &g->rows, g->n, numbering->number, g->number, MPI_LONG);
    gather_array(g, &g->entries, g->nnz, A->col, p->col, MPI_INT);
    gather_array(g, &g->own, g->nowned, own, g->own_number, MPI_LONG);
    MPI_Gather(range, 4 * nblock, MPI_LONG, p->range, 4 * nblock, MPI_LONG, 0, g->team->comm);
  }
  free(length);
  free(own);
  return status;
}

/* Set g->unit: first number and count, over all processes, of the unknowns y
 * (ga_linsol_numbering.nunit), which are the last ones of a process. Collective. */
static void find_unit(gather *g, const ga_linsol_numbering *numbering) {
  long range[2] = {-numbering->n, -1}; /* the first one, negative, and the last */
  for (int i = g->n - numbering->nunit; i < g->n; i++) {
    if (-numbering->number[i] > range[0]) range[0] = -numbering->number[i];
    if (numbering->number[i] > range[1]) range[1] = numbering->number[i];
  }
  MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_LONG, MPI_MAX, g->team->comm);
  g->unit[0] = -range[0];
  g->unit[1] = range[1] < 0 ? 0 : range[1] + range[0] + 1;
}

/* Collective: process 0 gets all patterns, builds the whole and opens a solver for it (g->ls).
 * ls->context is the ga_mpi_team; ls->impl becomes the gather, freed by free_gather also after a
 * failure. The same status on all processes. */
static ga_status gather_analyze(ga_linsol *ls, const ga_csr *A) {
  ga_mpi_team *team = ls->context;
  gather *g = calloc(1, sizeof *g);
  patterns p = {0};
  ga_error err = {0};
  ls->impl = g;
  if (g) *g = (gather){.team = team, .n = A->nrow, .nnz = A->ptr[A->nrow], .column = -1};
  ga_status status =
      ga_mpi_agree(team->comm, g ? list_owned(g, ls->layout->numbering) : GA_ERR_MEM);
  if (status != GA_OK) return status;
  bool good = gather_counts(g, &g->rows, g->n); /* all three are collective */
  good &= gather_counts(g, &g->own, g->nowned);
  good &= gather_counts(g, &g->entries, g->nnz);
  status = ga_mpi_agree(team->comm, good ? GA_OK : GA_ERR_MEM);
  find_unit(g, ls->layout->numbering);
  if (status == GA_OK) status = gather_patterns(g, A, ls->layout, &p);
  if (status == GA_OK && is_root(g)) {
    status = build_whole(g, ls->layout->numbering, &p, ls->layout->nblock);
    if (status == GA_OK) {
      status = ga_linsol_attach(&g->ls, team->gather_by, ga_whole_matrix(g->whole),
                                ga_whole_layout(g->whole), &err);
    }
    if (err.text[0]) snprintf(g->ls.trouble, sizeof g->ls.trouble, "%.100s", err.text);
  }
  free(p.length);
  free(p.ptr);
  free(p.col);
  free(p.contribution);
  free(p.range);
  return send_outcome(ls, status);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* On process 0: add the gathered values of all processes (g->values), factor, and set g->column to
 * the number of the dependent column if singular, else -1. Returns the status of the solver. */
static ga_status factor_whole(gather *g) {
  ga_linsol *ls = &g->ls;
  ga_whole_clear(g->whole);
  for (int p = 0; p < g->team->team.processes; p++) {
    ga_whole_add(g->whole, p, g->values + g->entries.at[p]);
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

/* Collective: send the values of A to process 0, which factors. All processes return its status. */
static ga_status gather_factor(ga_linsol *ls, const ga_csr *A) {
  gather *g = ls->impl;
  gather_array(g, &g->entries, g->nnz, A->val, g->values, MPI_DOUBLE);
  return send_outcome(ls, is_root(g) ? factor_whole(g) : GA_OK);
}

/* On process 0: solve for the right-hand sides g->own_b of all owned rows; g->row_x gets x of all
 * rows of all processes, g->x that of the whole. Returns the status of the solver; after a failure
 * row_x has no meaning. */
static ga_status solve_whole(gather *g) {
  for (int k = 0; k < g->own.total; k++) g->x[g->own_number[k]] = g->own_b[k];
  ga_whole_right_side(g->whole, g->x);
  ga_status status = g->ls.ops->solve(&g->ls, g->x);
  ga_whole_solution(g->whole, g->x);
  for (int k = 0; k < g->rows.total; k++) g->row_x[k] = g->x[g->number[k]];
  return status;
}

/* Collective: overwrite b of this process (all its rows) by the solution; b stays after a failure.
 * Only entries of b that are owned count. The same status on all processes. */
static ga_status gather_solve(ga_linsol *ls, double *b) {
  gather *g = ls->impl;
  for (int k = 0; k < g->nowned; k++) g->b[k] = b[g->owned[k]];
  gather_array(g, &g->own, g->nowned, g->b, g->own_b, MPI_DOUBLE);
  ga_status status = send_outcome(ls, is_root(g) ? solve_whole(g) : GA_OK);
  if (status != GA_OK) return status;
  MPI_Scatterv(g->row_x, g->rows.count, g->rows.at, MPI_DOUBLE, b, g->n, MPI_DOUBLE, 0,
               g->team->comm);
  if (is_root(g)) g->team->counts.gathered += 8L * (g->rows.total - g->n);
  return GA_OK;
}

/* the index of the column on this process, -1 if this process does not have it */
static int singular_column(const ga_linsol *ls) {
  const gather *g = ls->impl;
  const long *number = ls->layout->numbering->number;
  for (int i = 0; i < g->n && g->column >= 0; i++) {
    if (number[i] == g->column) return i;
  }
  return -1;
}

/* Let the solver of process 0 forget earlier values; nothing on other processes. */
static void gather_reset(ga_linsol *ls) {
  gather *g = ls->impl;
  if (g->ls.ops && g->ls.ops->reset) g->ls.ops->reset(&g->ls);
}

/* Free all of ls->impl and clear it; NULL there is allowed. */
static void free_gather(ga_linsol *ls) {
  gather *g = ls->impl;
  if (!g) return;
  if (g->ls.ops) ga_linsol_detach(&g->ls);
  ga_whole_free(g->whole);
  const gathered *const all[] = {&g->rows, &g->own, &g->entries};
  for (int k = 0; k < 3; k++) {
    free(all[k]->count);
    free(all[k]->at);
  }
  void *const arrays[] = {g->owned,  g->b, g->number, g->own_number,
                          g->values, g->x, g->row_x,  g->own_b};
  for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) free(arrays[k]);
  free(g);
  ls->impl = NULL;
}

const ga_linsol_ops ga_mpi_gather_linsol = {
    .name = "gather",
    .summary = "the matrices of a team are added and solved on process 0",
    .analyze = gather_analyze,
    .factor = gather_factor,
    .solve = gather_solve,
    .singular_column = singular_column,
    .reset = gather_reset,
    .free = free_gather,
};

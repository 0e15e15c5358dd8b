/* SPDX-License-Identifier: MIT */
/* A mechanism cut into subdomains, one for each process of MPI_COMM_WORLD, for the tool (launch.h).
 *
 * Every process has read the whole mechanism. Process 0 partitions it and sends the partition to
 * the others, because their partitioners might find another one. Results are gathered on process 0,
 * which learns at the beginning which entries of the whole each process has. Processes that share a
 * body have the same bits of its state, so the order in which they arrive does not matter. */
#include "parallel/mpi/launch.h"

#include <genalpha/ga_mpi.h>
#include <genalpha/genalpha.h>
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parallel/mpi/petsc.h"

enum { ROOT = 0 };

/* Where the entries of one kind (q, v, lam or psi) belong, on the root: process p has count[p] of
 * them, entry i of these is entry number[at[p] + i] of the whole. */
typedef struct {
  int *count, *at;
  long *number;
  double *received;
} entry_map;

struct ga_launch {
  int process, processes;
  ga_partition *partition;
  ga_subdomain *subdomain;
  ga_subdomain_info info;
  ga_team *team;
  ga_launch_subdomain *sizes; /* of the subdomains of all processes */
  entry_map entries[GA_ENTRIES];
  ga_collector whole;
  double *q, *v, *vd, *a, *lam, *psi; /* the whole state, on the root */
  bool with_petsc;
};

/* ---- MPI itself ----------------------------------------------------------------------------- */

/* Is good true on all processes? Collective. */
static bool all_agree(bool good) {
  int own = good, all = 0;
  MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return all != 0;
}

/* Collective: all processes get the status and message of the lowest process that has an error;
 * GA_OK if none has. */
static ga_status share_error(ga_status status, ga_error *err) {
  int process, processes, own, first;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  own = status == GA_OK ? processes : process;
  MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == processes) return GA_OK;
  int code = (int)status;
  MPI_Bcast(&code, 1, MPI_INT, first, MPI_COMM_WORLD);
  MPI_Bcast(err->text, (int)sizeof err->text, MPI_CHAR, first, MPI_COMM_WORLD);
  err->code = (ga_status)code;
  return (ga_status)code;
}

/* Set err to the message that memory ran out; returns GA_ERR_MEM. */
static ga_status no_memory(ga_error *err) {
  snprintf(err->text, sizeof err->text, "no memory to cut the mechanism into subdomains");
  err->code = GA_ERR_MEM;
  return GA_ERR_MEM;
}

/* ---- entries of the whole ------------------------------------------------------------------ */

/* For ga_collector.gather: gather one kind of entries of all processes in `whole` on the root, each
 * at its number; `whole` is not used elsewhere. Overwrites the map's `received`. context: the
 * ga_launch. GA_OK or GA_ERR_BACKEND. Collective. */
static ga_status gather_entries(void *context, ga_entry kind, const double *own, double *whole) {
  ga_launch *l = context;
  const entry_map *n = &l->entries[kind];
  const int count[GA_ENTRIES] = {l->info.nq, l->info.nv, l->info.nlam, l->info.npsi};
  const int code = MPI_Gatherv(own, count[kind], MPI_DOUBLE, n->received, n->count, n->at,
                               MPI_DOUBLE, ROOT, MPI_COMM_WORLD);
  if (code != MPI_SUCCESS) return GA_ERR_BACKEND;
  if (l->process != ROOT) return GA_OK;
  const int all = n->at[l->processes];
  for (int i = 0; i < all; i++) whole[n->number[i]] = n->received[i];
  return GA_OK;
}

/* For ga_collector.spread: copy `count` bytes of the root to `bytes` of all processes, in pieces
 * because MPI counts by int. GA_OK or GA_ERR_BACKEND. Collective. */
static ga_status spread_bytes(void *context, void *bytes, size_t count) {
  char *at = bytes;
  (void)context;
  while (count > 0) {
    const int piece = count > INT_MAX ? INT_MAX : (int)count;
    if (MPI_Bcast(at, piece, MPI_BYTE, ROOT, MPI_COMM_WORLD) != MPI_SUCCESS) return GA_ERR_BACKEND;
    at += piece;
    count -= (size_t)piece;
  }
  return GA_OK;
}

/* On the root, once n->count is known: set n->at and allocate n->number and n->received. False if
 * memory runs out or there are more entries than an int counts. */
static bool allocate_map(ga_launch *l, entry_map *n) {
  for (int p = 0; p < l->processes; p++) {
    if (n->count[p] > INT_MAX - n->at[p]) return false;
    n->at[p + 1] = n->at[p] + n->count[p];
  }
  n->number = calloc((size_t)n->at[l->processes] + 1, sizeof *n->number);
  n->received = calloc((size_t)n->at[l->processes] + 1, sizeof *n->received);
  return n->number && n->received;
}

/* Tell the root which entries of the whole each process has (l->entries; count and at exist on all
 * processes, their values on the root only). l->info must be set. The same status and message on
 * all processes; collective. */
static ga_status gather_maps(ga_launch *l, ga_error *err) {
  const ga_subdomain_info *p = &l->info;
  const int count[GA_ENTRIES] = {p->nq, p->nv, p->nlam, p->npsi};
  const long *number[GA_ENTRIES] = {p->q, p->v, p->lam, p->psi};
  ga_status status = GA_OK;
  for (int k = 0; k < GA_ENTRIES; k++) {
    entry_map *n = &l->entries[k];
    n->count = calloc((size_t)l->processes, sizeof *n->count);
    n->at = calloc((size_t)l->processes + 1, sizeof *n->at);
    if (!n->count || !n->at) status = no_memory(err);
  }
  status = share_error(status, err);
  for (int k = 0; k < GA_ENTRIES && status == GA_OK; k++) {
    entry_map *n = &l->entries[k];
    MPI_Gather(&count[k], 1, MPI_INT, n->count, 1, MPI_INT, ROOT, MPI_COMM_WORLD);
    if (l->process == ROOT && !allocate_map(l, n)) status = no_memory(err);
    status = share_error(status, err);
    if (status != GA_OK) return status;
    MPI_Gatherv(number[k], count[k], MPI_LONG, n->number, n->count, n->at, MPI_LONG, ROOT,
                MPI_COMM_WORLD);
  }
  return status;
}

/* ---- the subdomains ------------------------------------------------------------------------- */

/* Set l->partition, that of the root on all processes, and l->subdomain of this process. The other
 * processes partition by ranges first, only to allocate. The same status and message on all
 * processes; collective. */
static ga_status cut_mechanism(ga_launch *l, const ga_mechanism *m, ga_error *err) {
  const ga_partition_method how = l->process == ROOT ? GA_PARTITION_GRAPH : GA_PARTITION_RANGES;
  const ga_status status =
      share_error(ga_partition_new(m, l->processes, how, &l->partition, err), err);
  if (status != GA_OK) return status;
  ga_partition *p = l->partition;
  MPI_Bcast(p->body, p->bodies, MPI_INT, ROOT, MPI_COMM_WORLD);
  MPI_Bcast(p->element, p->elements, MPI_INT, ROOT, MPI_COMM_WORLD);
  return share_error(ga_mechanism_subdomain(m, p, l->process, &l->subdomain, err), err);
}

/* Allocate l->sizes and set it to the sizes of all subdomains, on all processes. The same status on
 * all; collective. */
static ga_status gather_sizes(ga_launch *l, ga_error *err) {
  const ga_subdomain_info *p = &l->info;
  const ga_launch_subdomain own = {.bodies = p->bodies,
                                   .shared = p->shared,
                                   .owned = p->owned,
                                   .lent = p->lent,
                                   .elements = p->elements,
                                   .velocities = p->nv,
                                   .constraints = p->nlam + p->npsi};
  l->sizes = calloc((size_t)l->processes, sizeof *l->sizes);
  const ga_status status = share_error(l->sizes ? GA_OK : no_memory(err), err);
  if (status != GA_OK) return status;
  MPI_Allgather(&own, (int)sizeof own, MPI_BYTE, l->sizes, (int)sizeof own, MPI_BYTE,
                MPI_COMM_WORLD);
  return GA_OK;
}

/* Allocate q, v, vd, a, lam, psi of l for the whole state on the root; they stay NULL elsewhere.
 * Collective: all return the same status. */
static ga_status allocate_whole_state(ga_launch *l, ga_error *err) {
  const ga_subdomain_info *p = &l->info;
  if (l->process != ROOT) return share_error(GA_OK, err);
  const size_t nv = (size_t)p->nv_all + 1;
  l->q = calloc((size_t)p->nq_all + 1, sizeof *l->q);
  l->v = calloc(nv, sizeof *l->v);
  l->vd = calloc(nv, sizeof *l->vd);
  l->a = calloc(nv, sizeof *l->a);
  l->lam = calloc((size_t)p->nlam_all + 1, sizeof *l->lam);
  l->psi = calloc((size_t)p->npsi_all + 1, sizeof *l->psi);
  const bool good = l->q && l->v && l->vd && l->a && l->lam && l->psi;
  return share_error(good ? GA_OK : no_memory(err), err);
}

/* Set l->whole, by which the library gathers and spreads entries. */
static void describe_whole(ga_launch *l) {
  const ga_subdomain_info *p = &l->info;
  l->whole = (ga_collector){.n = {p->nq_all, p->nv_all, p->nlam_all, p->npsi_all},
                            .number = {p->q, p->v, p->lam, p->psi},
                            .root = l->process == ROOT,
                            .gather = gather_entries,
                            .spread = spread_bytes,
                            .context = l};
}

/* PETSc as the solver of l->team if its options are given (not NULL), else the team's own solver.
 * Sets l->with_petsc. The same status on all processes; collective. */
static ga_status choose_solver(ga_launch *l, const char *petsc, ga_error *err) {
  ga_status status = GA_OK;
  if (petsc) status = ga_launch_petsc(l->team, petsc, err);
  l->with_petsc = petsc && status == GA_OK;
  return share_error(status, err);
}

/* Free l with its team, subdomain and partition, and finalize PETSc if it was used; NULL is
 * allowed. Collective. */
static void close_launch(ga_launch *l) {
  if (!l) return;
  if (l->with_petsc) ga_launch_petsc_close();
  ga_mpi_team_free(l->team);
  ga_subdomain_free(l->subdomain);
  ga_partition_free(l->partition);
  for (int k = 0; k < GA_ENTRIES; k++) {
    entry_map *n = &l->entries[k];
    free(n->count), free(n->at), free(n->number), free(n->received);
  }
  free(l->q), free(l->v), free(l->vd), free(l->a), free(l->lam), free(l->psi);
  free(l->sizes);
  free(l);
}

/* Cut the mechanism m, which must outlive *out, into subdomains, one for each process, and make the
 * team. petsc: options of PETSc, NULL: no PETSc. Collective, the same status on all processes;
 * after a failure *out is NULL and err has the message of the first process that failed. */
static ga_status open_launch(const ga_mechanism *m, const char *petsc, ga_launch **out,
                             ga_error *err) {
  ga_launch *l = calloc(1, sizeof *l);
  *out = NULL;
  ga_status status = share_error(l ? GA_OK : no_memory(err), err);
  if (status != GA_OK) {
    free(l);
    return status;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &l->process);
  MPI_Comm_size(MPI_COMM_WORLD, &l->processes);
  status = cut_mechanism(l, m, err);
  if (status == GA_OK) {
    l->info = ga_subdomain_view(l->subdomain);
    describe_whole(l);
    status = gather_sizes(l, err);
  }
  if (status == GA_OK) status = gather_maps(l, err);
  if (status == GA_OK) status = allocate_whole_state(l, err);
  if (status == GA_OK) {
    status = share_error(ga_mpi_team_world(l->info.nv, l->info.v, &l->team, err), err);
  }
  if (status == GA_OK) status = choose_solver(l, petsc, err);
  if (status == GA_OK) {
    *out = l;
  } else {
    close_launch(l);
  }
  return status;
}

/* ---- a run ---------------------------------------------------------------------------------- */

/* This process's subdomain: its model, start values and numbers in the whole. */
static ga_subdomain_info subdomain_of(const ga_launch *l) {
  return l->info;
}

/* The team of this process, owned by l. */
static ga_team *team_of(ga_launch *l) {
  return l->team;
}

/* The collector, by which the library gathers and spreads entries of the whole; owned by l. */
static const ga_collector *whole_of(const ga_launch *l) {
  return &l->whole;
}

/* How much of the mechanism that process has. */
static ga_launch_subdomain size_of(const ga_launch *l, int process) {
  return l->sizes[process];
}

/* Gather all vectors of a state on the root: *whole gets t, h and arrays of l, valid until the next
 * call; NULL for vectors that own lacks, and on other processes. GA_OK or GA_ERR_BACKEND.
 * Collective. */
static ga_status gather_state(ga_launch *l, const ga_state *own, ga_state *whole) {
  const struct {
    ga_entry kind;
    const double *own;
    double *whole;
    const double **shown;
  } list[] = {
      {GA_ENTRY_Q, own->q, l->q, &whole->q},         {GA_ENTRY_V, own->v, l->v, &whole->v},
      {GA_ENTRY_V, own->vd, l->vd, &whole->vd},      {GA_ENTRY_V, own->a, l->a, &whole->a},
      {GA_ENTRY_LAM, own->lam, l->lam, &whole->lam}, {GA_ENTRY_PSI, own->psi, l->psi, &whole->psi}};
  ga_status status = GA_OK;
  *whole = (ga_state){.t = own->t, .h = own->h, .u = own->u};
  for (int i = 0; i < 6 && status == GA_OK; i++) {
    if (!list[i].own) continue;
    status = gather_entries(l, list[i].kind, list[i].own, list[i].whole);
    *list[i].shown = list[i].whole;
  }
  return status;
}

/* Returns of(context, whole state), computed by the root and given to all processes; NaN after a
 * failure. own: this process's part of the state. Collective. */
static double whole_value(ga_launch *l, ga_launch_value of, void *context, const ga_state *own) {
  ga_state whole;
  double x = NAN;
  const ga_status status = gather_state(l, own, &whole);
  if (l->process == ROOT && status == GA_OK) x = of(context, &whole);
  MPI_Bcast(&x, 1, MPI_DOUBLE, ROOT, MPI_COMM_WORLD);
  return x;
}

/* x[i] = sum over all processes; NaN after a failure. Collective. */
static void sum_over_processes(ga_launch *l, int n, double *x) {
  if (l->team->ops->reduce(l->team, GA_TEAM_SUM, n, x) == GA_OK) return;
  for (int i = 0; i < n; i++) x[i] = NAN;
}

/* the symbol that the tool looks for, GA_LAUNCH_SYMBOL */
extern const ga_launch_ops ga_launch_ops_2;
__attribute__((visibility("default"))) const ga_launch_ops ga_launch_ops_2 = {
    .version = GA_VERSION,
    .begin = ga_mpi_begin,
    .end = ga_mpi_end,
    .abort = ga_mpi_abort,
    .messages = &ga_mpi_messages,
    .open = open_launch,
    .close = close_launch,
    .has_petsc = ga_launch_has_petsc,
    .subdomain = subdomain_of,
    .team = team_of,
    .whole = whole_of,
    .size = size_of,
    .gather = gather_state,
    .value = whole_value,
    .agree = all_agree,
    .sum = sum_over_processes,
};

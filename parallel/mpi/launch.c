/* SPDX-License-Identifier: MIT */
/* A mechanism shared out over all ranks of MPI_COMM_WORLD, for the tool (launch.h).
 *
 * Every rank has read the whole mechanism. Rank 0 cuts it; the others take over its cut, so that
 * all agree even if their partitioners do not. Results are gathered on rank 0: it knows, from the
 * beginning, which numbers of the whole each rank has. Ranks that share a body have the same bits,
 * so that it does not matter whose arrive last. */
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

/* Numbers of one kind: those of rank r are number[at[r]] .. of the whole. On the root. */
typedef struct {
  int *count, *at;
  long *number;
  double *received;
} numbering;

struct ga_launch {
  int rank, size;
  ga_partition *sharing;
  ga_subdomain *portion;
  ga_subdomain_info info;
  ga_team *team;
  ga_launch_subdomain *parts; /* of all ranks */
  numbering numbers[GA_ENTRIES];
  ga_collector whole;
  double *q, *v, *vd, *a, *lam, *psi; /* the whole state, on the root */
  bool with_petsc;
};

/* ---- MPI itself ----------------------------------------------------------------------------- */

static bool agree(bool good) {
  int own = good, all = 0;
  MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return all != 0;
}

/* The error of the lowest rank that has one, on all ranks. */
static ga_status settle(ga_status status, ga_error *err) {
  int rank, size, own, first;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  own = status == GA_OK ? size : rank;
  MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == size) return GA_OK;
  int code = (int)status;
  MPI_Bcast(&code, 1, MPI_INT, first, MPI_COMM_WORLD);
  MPI_Bcast(err->text, (int)sizeof err->text, MPI_CHAR, first, MPI_COMM_WORLD);
  err->code = (ga_status)code;
  return (ga_status)code;
}

static ga_status no_memory(ga_error *err) {
  snprintf(err->text, sizeof err->text, "no memory to share out the mechanism");
  err->code = GA_ERR_MEM;
  return GA_ERR_MEM;
}

/* ---- numbers of the whole ------------------------------------------------------------------- */

static ga_status gather_entries(void *context, ga_entry kind, const double *own, double *whole) {
  ga_launch *l = context;
  const numbering *n = &l->numbers[kind];
  const int count[GA_ENTRIES] = {l->info.nq, l->info.nv, l->info.nlam, l->info.npsi};
  const int code = MPI_Gatherv(own, count[kind], MPI_DOUBLE, n->received, n->count, n->at,
                               MPI_DOUBLE, ROOT, MPI_COMM_WORLD);
  if (code != MPI_SUCCESS) return GA_ERR_BACKEND;
  if (l->rank != ROOT) return GA_OK;
  const int all = n->at[l->size];
  for (int i = 0; i < all; i++) whole[n->number[i]] = n->received[i];
  return GA_OK;
}

static ga_status spread(void *context, void *bytes, size_t count) {
  char *at = bytes;
  (void)context;
  while (count > 0) {
    const int part = count > INT_MAX ? INT_MAX : (int)count;
    if (MPI_Bcast(at, part, MPI_BYTE, ROOT, MPI_COMM_WORLD) != MPI_SUCCESS) return GA_ERR_BACKEND;
    at += part;
    count -= (size_t)part;
  }
  return GA_OK;
}

/* room on the root; counts have arrived */
static bool carve(ga_launch *l, numbering *n) {
  for (int r = 0; r < l->size; r++) {
    if (n->count[r] > INT_MAX - n->at[r]) return false;
    n->at[r + 1] = n->at[r] + n->count[r];
  }
  n->number = calloc((size_t)n->at[l->size] + 1, sizeof *n->number);
  n->received = calloc((size_t)n->at[l->size] + 1, sizeof *n->received);
  return n->number && n->received;
}

static ga_status learn_numbers(ga_launch *l, ga_error *err) {
  const ga_subdomain_info *p = &l->info;
  const int count[GA_ENTRIES] = {p->nq, p->nv, p->nlam, p->npsi};
  const long *number[GA_ENTRIES] = {p->q, p->v, p->lam, p->psi};
  ga_status status = GA_OK;
  for (int k = 0; k < GA_ENTRIES; k++) {
    numbering *n = &l->numbers[k];
    n->count = calloc((size_t)l->size, sizeof *n->count);
    n->at = calloc((size_t)l->size + 1, sizeof *n->at);
    if (!n->count || !n->at) status = no_memory(err);
  }
  status = settle(status, err);
  for (int k = 0; k < GA_ENTRIES && status == GA_OK; k++) {
    numbering *n = &l->numbers[k];
    MPI_Gather(&count[k], 1, MPI_INT, n->count, 1, MPI_INT, ROOT, MPI_COMM_WORLD);
    if (l->rank == ROOT && !carve(l, n)) status = no_memory(err);
    status = settle(status, err);
    if (status != GA_OK) return status;
    MPI_Gatherv(number[k], count[k], MPI_LONG, n->number, n->count, n->at, MPI_LONG, ROOT,
                MPI_COMM_WORLD);
  }
  return status;
}

/* ---- sharing out ---------------------------------------------------------------------------- */

/* the root's cut */
static ga_status cut(ga_launch *l, const ga_mechanism *m, ga_error *err) {
  const ga_partition_method how = l->rank == ROOT ? GA_PARTITION_GRAPH : GA_PARTITION_RANGES;
  const ga_status status = settle(ga_partition_new(m, l->size, how, &l->sharing, err), err);
  if (status != GA_OK) return status;
  ga_partition *s = l->sharing;
  MPI_Bcast(s->body, s->bodies, MPI_INT, ROOT, MPI_COMM_WORLD);
  MPI_Bcast(s->element, s->elements, MPI_INT, ROOT, MPI_COMM_WORLD);
  return settle(ga_mechanism_subdomain(m, s, l->rank, &l->portion, err), err);
}

static ga_status count_parts(ga_launch *l, ga_error *err) {
  const ga_subdomain_info *p = &l->info;
  const ga_launch_subdomain own = {.bodies = p->bodies,
                                   .shared = p->shared,
                                   .owned = p->owned,
                                   .lent = p->lent,
                                   .elements = p->elements,
                                   .velocities = p->nv,
                                   .constraints = p->nlam + p->npsi};
  l->parts = calloc((size_t)l->size, sizeof *l->parts);
  const ga_status status = settle(l->parts ? GA_OK : no_memory(err), err);
  if (status != GA_OK) return status;
  MPI_Allgather(&own, (int)sizeof own, MPI_BYTE, l->parts, (int)sizeof own, MPI_BYTE,
                MPI_COMM_WORLD);
  return GA_OK;
}

static ga_status make_room(ga_launch *l, ga_error *err) {
  const ga_subdomain_info *p = &l->info;
  if (l->rank != ROOT) return settle(GA_OK, err);
  const size_t nv = (size_t)p->nv_all + 1;
  l->q = calloc((size_t)p->nq_all + 1, sizeof *l->q);
  l->v = calloc(nv, sizeof *l->v);
  l->vd = calloc(nv, sizeof *l->vd);
  l->a = calloc(nv, sizeof *l->a);
  l->lam = calloc((size_t)p->nlam_all + 1, sizeof *l->lam);
  l->psi = calloc((size_t)p->npsi_all + 1, sizeof *l->psi);
  const bool good = l->q && l->v && l->vd && l->a && l->lam && l->psi;
  return settle(good ? GA_OK : no_memory(err), err);
}

static void describe_whole(ga_launch *l) {
  const ga_subdomain_info *p = &l->info;
  l->whole = (ga_collector){.n = {p->nq_all, p->nv_all, p->nlam_all, p->npsi_all},
                            .number = {p->q, p->v, p->lam, p->psi},
                            .root = l->rank == ROOT,
                            .gather = gather_entries,
                            .spread = spread,
                            .context = l};
}

static ga_status choose_solver(ga_launch *l, const char *petsc, ga_error *err) {
  ga_status status = GA_OK;
  if (petsc) status = ga_launch_petsc(l->team, petsc, err);
  l->with_petsc = petsc && status == GA_OK;
  return settle(status, err);
}

static void close_launch(ga_launch *l) {
  if (!l) return;
  if (l->with_petsc) ga_launch_petsc_close();
  ga_mpi_team_free(l->team);
  ga_subdomain_free(l->portion);
  ga_partition_free(l->sharing);
  for (int k = 0; k < GA_ENTRIES; k++) {
    numbering *n = &l->numbers[k];
    free(n->count), free(n->at), free(n->number), free(n->received);
  }
  free(l->q), free(l->v), free(l->vd), free(l->a), free(l->lam), free(l->psi);
  free(l->parts);
  free(l);
}

static ga_status open_launch(const ga_mechanism *m, const char *petsc, ga_launch **out,
                             ga_error *err) {
  ga_launch *l = calloc(1, sizeof *l);
  *out = NULL;
  ga_status status = settle(l ? GA_OK : no_memory(err), err);
  if (status != GA_OK) {
    free(l);
    return status;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &l->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &l->size);
  status = cut(l, m, err);
  if (status == GA_OK) {
    l->info = ga_subdomain_view(l->portion);
    describe_whole(l);
    status = count_parts(l, err);
  }
  if (status == GA_OK) status = learn_numbers(l, err);
  if (status == GA_OK) status = make_room(l, err);
  if (status == GA_OK) {
    status = settle(ga_mpi_team_world(l->info.nv, l->info.v, &l->team, err), err);
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

static ga_subdomain_info portion_of(const ga_launch *l) {
  return l->info;
}

static ga_team *team_of(ga_launch *l) {
  return l->team;
}

static const ga_collector *whole_of(const ga_launch *l) {
  return &l->whole;
}

static ga_launch_subdomain part_of(const ga_launch *l, int rank) {
  return l->parts[rank];
}

static ga_status gather(ga_launch *l, const ga_state *own, ga_state *whole) {
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
  *whole = (ga_state){.t = own->t, .h = own->h};
  for (int i = 0; i < 6 && status == GA_OK; i++) {
    if (!list[i].own) continue;
    status = gather_entries(l, list[i].kind, list[i].own, list[i].whole);
    *list[i].shown = list[i].whole;
  }
  return status;
}

static double value(ga_launch *l, ga_launch_value of, void *context, const ga_state *own) {
  ga_state whole;
  double x = NAN;
  const ga_status status = gather(l, own, &whole);
  if (l->rank == ROOT && status == GA_OK) x = of(context, &whole);
  MPI_Bcast(&x, 1, MPI_DOUBLE, ROOT, MPI_COMM_WORLD);
  return x;
}

static void sum(ga_launch *l, int n, double *x) {
  if (l->team->ops->reduce(l->team, GA_TEAM_SUM, n, x) == GA_OK) return;
  for (int i = 0; i < n; i++) x[i] = NAN;
}

/* the one symbol the tool looks for, GA_LAUNCH_SYMBOL */
extern const ga_launch_ops ga_launch_ops_1;
__attribute__((visibility("default"))) const ga_launch_ops ga_launch_ops_1 = {
    .version = GA_VERSION,
    .begin = ga_mpi_begin,
    .end = ga_mpi_end,
    .open = open_launch,
    .close = close_launch,
    .has_petsc = ga_launch_has_petsc,
    .portion = portion_of,
    .team = team_of,
    .whole = whole_of,
    .part = part_of,
    .gather = gather,
    .value = value,
    .agree = agree,
    .sum = sum,
};

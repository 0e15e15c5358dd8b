/* SPDX-License-Identifier: MIT */
/* Who shares what. The rank number % size of each velocity hears of all that have it, and tells
 * them of each other: two exchanges of all ranks with all, once. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"

/* a message to every rank and one from every rank, of longs */
typedef struct {
  int *count, *at; /* for each rank */
  long *data;
} mail;

static void discard(mail *m) {
  free(m->count);
  free(m->at);
  free(m->data);
}

/* places from counts; room for the data */
static bool lay_out(mail *m, int size) {
  long total = 0;
  for (int r = 0; r < size; r++) {
    m->at[r] = (int)total;
    total += m->count[r];
  }
  m->data = malloc((size_t)(total + 1) * sizeof(long));
  return m->data && total < INT_MAX;
}

static bool make(mail *m, int size) {
  m->count = calloc((size_t)size, sizeof(int));
  m->at = calloc((size_t)size, sizeof(int));
  return m->count && m->at;
}

/* what all others have for this rank; the same status everywhere */
static ga_status exchange(MPI_Comm comm, int size, const mail *out, mail *in) {
  ga_status status = make(in, size) ? GA_OK : GA_ERR_MEM;
  status = ga_mpi_agree(comm, status);
  if (status != GA_OK) return status;
  MPI_Alltoall(out->count, 1, MPI_INT, in->count, 1, MPI_INT, comm);
  status = ga_mpi_agree(comm, lay_out(in, size) ? GA_OK : GA_ERR_MEM);
  if (status != GA_OK) return status;
  MPI_Alltoallv(out->data, out->count, out->at, MPI_LONG, in->data, in->count, in->at, MPI_LONG,
                comm);
  return GA_OK;
}

/* ---- the numbers of all ranks, at the ranks that watch over them ------------------------------
 */

static ga_status send_numbers(ga_mpi_team *t, mail *out) {
  const ga_team *team = &t->team;
  int *next = calloc((size_t)team->processes, sizeof(int));
  bool good = make(out, team->processes) && next;
  for (int i = 0; good && i < team->nv; i++) out->count[t->velocity[i] % team->processes]++;
  good = good && lay_out(out, team->processes);
  for (int i = 0; good && i < team->nv; i++) {
    int to = (int)(t->velocity[i] % team->processes);
    out->data[out->at[to] + next[to]++] = t->velocity[i];
  }
  free(next);
  return good ? GA_OK : GA_ERR_MEM;
}

/* a number and a rank that has it */
typedef struct {
  long number;
  int rank;
} holder;

static int compare(const void *a, const void *b) {
  const holder *x = a, *y = b;
  if (x->number != y->number) return x->number < y->number ? -1 : 1;
  return (x->rank > y->rank) - (x->rank < y->rank);
}

/* how many holders from `at` on have the same number */
static int same(const holder *all, int at, int count) {
  int n = 1;
  while (at + n < count && all[at + n].number == all[at].number) n++;
  return n;
}

/* Answers: for each number that several ranks have, to each of them: number, count, ranks. */
static ga_status answer(int size, const holder *all, int count, mail *out) {
  int *next = calloc((size_t)size, sizeof(int));
  bool good = make(out, size) && next;
  for (int at = 0, n; good && at < count; at += n) {
    n = same(all, at, count);
    for (int k = 0; n > 1 && k < n; k++) out->count[all[at + k].rank] += 2 + n;
  }
  good = good && lay_out(out, size);
  for (int at = 0, n; good && at < count; at += n) {
    n = same(all, at, count);
    for (int k = 0; n > 1 && k < n; k++) {
      int to = all[at + k].rank;
      long *data = out->data + out->at[to] + next[to];
      data[0] = all[at].number;
      data[1] = n;
      for (int j = 0; j < n; j++) data[2 + j] = all[at + j].rank;
      next[to] += 2 + n;
    }
  }
  free(next);
  return good ? GA_OK : GA_ERR_MEM;
}

/* the holders of the numbers this rank watches over; *distinct and the largest of them */
static holder *list_holders(const mail *in, int size, int *count, long *distinct, long *largest) {
  int total = in->at[size - 1] + in->count[size - 1], at = 0;
  holder *all = malloc(((size_t)total + 1) * sizeof *all);
  *count = total;
  *distinct = 0;
  *largest = -1;
  if (!all) return NULL;
  for (int r = 0; r < size; r++) {
    for (int i = 0; i < in->count[r]; i++) all[at++] = (holder){in->data[in->at[r] + i], r};
  }
  qsort(all, (size_t)total, sizeof *all, compare);
  for (int i = 0; i < total; i += same(all, i, total)) ++*distinct;
  if (total > 0) *largest = all[total - 1].number;
  return all;
}

static bool twice(const holder *all, int count) {
  for (int i = 1; i < count; i++) {
    if (all[i].number == all[i - 1].number && all[i].rank == all[i - 1].rank) return true;
  }
  return false;
}

static ga_status check_all(ga_mpi_team *t, const holder *all, int count, const long known[2],
                           ga_error *err) {
  long total[2] = {known[0], 0}, bad = twice(all, count);
  MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_LONG, MPI_MAX, t->comm);
  MPI_Allreduce(&known[0], &total[0], 1, MPI_LONG, MPI_SUM, t->comm);
  MPI_Allreduce(&known[1], &total[1], 1, MPI_LONG, MPI_MAX, t->comm);
  t->team.nv_all = total[0];
  if (bad) return ga_mpi_fail(err, GA_ERR_ARG, "a rank has two velocities of the same number");
  if (total[1] + 1 == total[0]) return GA_OK;
  return ga_mpi_fail(err, GA_ERR_ARG,
                     "the ranks have %ld different velocities with numbers up to %ld: some numbers "
                     "belong to no rank",
                     total[0], total[1]);
}

/* ---- this rank's shared velocities ------------------------------------------------------------
 */

/* a velocity of this rank by its number */
typedef struct {
  long number;
  int i;
} named;

static int by_number(const void *a, const void *b) {
  const named *x = a, *y = b;
  return (x->number > y->number) - (x->number < y->number);
}

static int find(const named *own, int nv, long number) {
  const named key = {number, 0};
  const named *at = bsearch(&key, own, (size_t)nv, sizeof *own, by_number);
  return at ? at->i : -1;
}

/* An answer names a velocity and the ranks that have it. */
typedef struct {
  long number;
  int i, n;
  const long *rank;
} sharing;

static int by_velocity(const void *a, const void *b) {
  const sharing *x = a, *y = b;
  return (x->number > y->number) - (x->number < y->number);
}

static int read_answers(const mail *in, int size, const named *own, int nv, sharing *list) {
  int total = in->at[size - 1] + in->count[size - 1], count = 0;
  for (int at = 0; at < total; count++) {
    const long *data = in->data + at;
    if (list) list[count] = (sharing){data[0], find(own, nv, data[0]), (int)data[1], data + 2};
    at += 2 + (int)data[1];
  }
  if (list) qsort(list, (size_t)count, sizeof *list, by_velocity);
  return count;
}

static bool carve(ga_mpi_team *t, const int *with) {
  const ga_team *team = &t->team;
  size_t vectors = GA_MPI_VECTORS * sizeof(double);
  for (int r = 0; r < team->processes; r++) t->nneighbour += with[r] > 0;
  t->neighbour = calloc((size_t)t->nneighbour + 1, sizeof *t->neighbour);
  t->request = malloc((2 * (size_t)t->nneighbour + 1) * sizeof *t->request);
  t->own = malloc(((size_t)t->nshared + 1) * vectors);
  t->sum = malloc(((size_t)t->nshared + 1) * vectors);
  if (!t->neighbour || !t->request || !t->own || !t->sum) return false;
  for (int r = 0, k = 0; r < team->processes; r++) {
    if (with[r] == 0) continue;
    ga_neighbour *other = &t->neighbour[k++];
    other->rank = r;
    other->place = malloc((size_t)with[r] * sizeof(int));
    other->out = malloc((size_t)with[r] * vectors);
    other->in = malloc((size_t)with[r] * vectors);
    if (!other->place || !other->out || !other->in) return false;
  }
  return true;
}

/* shared velocities in the order of their numbers, and what of them each neighbour has */
static ga_status take_answers(ga_mpi_team *t, const mail *in) {
  const ga_team *team = &t->team;
  named *own = malloc(((size_t)team->nv + 1) * sizeof *own);
  int *with = calloc((size_t)team->processes, sizeof(int));
  t->nshared = read_answers(in, team->processes, NULL, 0, NULL);
  sharing *list = malloc(((size_t)t->nshared + 1) * sizeof *list);
  t->shared = malloc(((size_t)t->nshared + 1) * sizeof(int));
  bool good = own && with && list && t->shared;
  if (good) {
    for (int i = 0; i < team->nv; i++) own[i] = (named){t->velocity[i], i};
    qsort(own, (size_t)team->nv, sizeof *own, by_number);
    read_answers(in, team->processes, own, team->nv, list);
    for (int s = 0; s < t->nshared; s++) {
      for (int k = 0; k < list[s].n; k++) with[list[s].rank[k]]++;
    }
    with[team->process] = 0;
    good = carve(t, with);
  }
  for (int s = 0; good && s < t->nshared; s++) {
    t->shared[s] = list[s].i;
    t->owned[list[s].i] = list[s].rank[0] == team->process;
    for (int n = 0; n < t->nneighbour; n++) {
      ga_neighbour *other = &t->neighbour[n];
      for (int k = 0; k < list[s].n; k++) {
        if (list[s].rank[k] == other->rank) other->place[other->count++] = s;
      }
    }
  }
  free(own);
  free(with);
  free(list);
  return good ? GA_OK : GA_ERR_MEM;
}

ga_status ga_mpi_find_shared(ga_mpi_team *t, ga_error *err) {
  int size = t->team.processes, count = 0;
  long known[2] = {0, -1};
  mail numbers = {0}, heard = {0}, answers = {0}, told = {0};
  holder *all = NULL;
  ga_status status = ga_mpi_agree(t->comm, send_numbers(t, &numbers));
  if (status == GA_OK) status = exchange(t->comm, size, &numbers, &heard);
  if (status == GA_OK) {
    all = list_holders(&heard, size, &count, &known[0], &known[1]);
    status = ga_mpi_agree(t->comm, all ? GA_OK : GA_ERR_MEM);
  }
  if (status == GA_OK) status = check_all(t, all, count, known, err);
  bool refused = status == GA_ERR_ARG;
  if (status == GA_OK) status = ga_mpi_agree(t->comm, answer(size, all, count, &answers));
  if (status == GA_OK) status = exchange(t->comm, size, &answers, &told);
  if (status == GA_OK) status = ga_mpi_agree(t->comm, take_answers(t, &told));
  free(all);
  discard(&numbers);
  discard(&heard);
  discard(&answers);
  discard(&told);
  if (status == GA_OK || refused) return status;
  return ga_mpi_fail(err, status, "no memory to share out %d velocities", t->team.nv);
}

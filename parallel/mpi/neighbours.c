/* SPDX-License-Identifier: MIT */
/* Finds out which processes share which velocities, by two exchanges of all processes with all. The
 * velocity with number k has a directory process, k % processes. First every process sends the
 * numbers of its velocities to their directory processes. Then these send, for every number that
 * several processes have, the list of these processes to each of them. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"

/* messages to all processes, or from all processes: data[at[p]] .. is that of process p */
typedef struct {
  int *count, *at;
  long *data;
} mail;

/* Free the arrays of m, which may be NULL. */
static void free_mail(mail *m) {
  free(m->count);
  free(m->at);
  free(m->data);
}

/* Once m->count is known: set m->at and allocate m->data. False if memory runs out or the total
 * exceeds an int. */
static bool allocate_data(mail *m, int processes) {
  long total = 0;
  for (int p = 0; p < processes; p++) {
    m->at[p] = (int)total;
    total += m->count[p];
  }
  m->data = malloc((size_t)(total + 1) * sizeof(long));
  return m->data && total < INT_MAX;
}

/* Allocate m->count and m->at, zero, one number for each process; data follow when the counts are
 * known (allocate_data). False if memory runs out; free_mail in any case. */
static bool new_mail(mail *m, int processes) {
  m->count = calloc((size_t)processes, sizeof(int));
  m->at = calloc((size_t)processes, sizeof(int));
  return m->count && m->at;
}

/* Send `out` to all processes and receive `in`, which is allocated here. Collective; the same
 * status on all processes. */
static ga_status exchange_mail(MPI_Comm comm, int processes, const mail *out, mail *in) {
  ga_status status = new_mail(in, processes) ? GA_OK : GA_ERR_MEM;
  status = ga_mpi_agree(comm, status);
  if (status != GA_OK) return status;
  MPI_Alltoall(out->count, 1, MPI_INT, in->count, 1, MPI_INT, comm);
  status = ga_mpi_agree(comm, allocate_data(in, processes) ? GA_OK : GA_ERR_MEM);
  if (status != GA_OK) return status;
  MPI_Alltoallv(out->data, out->count, out->at, MPI_LONG, in->data, in->count, in->at, MPI_LONG,
                comm);
  return GA_OK;
}

/* ---- the directory -------------------------------------------------------------------------- */

/* Allocate `out`, which must be zeroed, and fill it with the numbers of this process's velocities,
 * for their directory processes (head of this file). GA_OK or GA_ERR_MEM. */
static ga_status pack_numbers(ga_mpi_team *t, mail *out) {
  const ga_team *team = &t->team;
  int *next = calloc((size_t)team->processes, sizeof(int));
  bool good = new_mail(out, team->processes) && next;
  for (int i = 0; good && i < team->nv; i++) out->count[t->velocity[i] % team->processes]++;
  good = good && allocate_data(out, team->processes);
  for (int i = 0; good && i < team->nv; i++) {
    int to = (int)(t->velocity[i] % team->processes);
    out->data[out->at[to] + next[to]++] = t->velocity[i];
  }
  free(next);
  return good ? GA_OK : GA_ERR_MEM;
}

/* a velocity and a process that has it */
typedef struct {
  long number;
  int process;
} holder;

/* By number, then by process, for qsort. */
static int compare_holders(const void *a, const void *b) {
  const holder *x = a, *y = b;
  if (x->number != y->number) return x->number < y->number ? -1 : 1;
  return (x->process > y->process) - (x->process < y->process);
}

/* Number of holders from all[at] on, at least 1, that have the same velocity number; the `count`
 * holders of all are sorted, at < count. */
static int count_same(const holder *all, int at, int count) {
  int n = 1;
  while (at + n < count && all[at + n].number == all[at].number) n++;
  return n;
}

/* Allocate `out` and fill it with the answers of the directory: for each number that several
 * processes have, to each of them: number, count, processes in ascending order. all: `count`
 * holders, sorted. GA_OK or GA_ERR_MEM. */
static ga_status pack_answers(int processes, const holder *all, int count, mail *out) {
  int *next = calloc((size_t)processes, sizeof(int));
  bool good = new_mail(out, processes) && next;
  for (int at = 0, n; good && at < count; at += n) {
    n = count_same(all, at, count);
    for (int k = 0; n > 1 && k < n; k++) out->count[all[at + k].process] += 2 + n;
  }
  good = good && allocate_data(out, processes);
  for (int at = 0, n; good && at < count; at += n) {
    n = count_same(all, at, count);
    for (int k = 0; n > 1 && k < n; k++) {
      int to = all[at + k].process;
      long *data = out->data + out->at[to] + next[to];
      data[0] = all[at].number;
      data[1] = n;
      for (int j = 0; j < n; j++) data[2 + j] = all[at + j].process;
      next[to] += 2 + n;
    }
  }
  free(next);
  return good ? GA_OK : GA_ERR_MEM;
}

/* Returns all holders of the numbers in this process's directory, sorted by number, then process,
 * to be freed; *count: how many holders, *distinct: how many different numbers, *largest: the
 * largest of them, -1 if there is none. in: the numbers received. NULL: no memory. */
static holder *list_holders(const mail *in, int processes, int *count, long *distinct,
                            long *largest) {
  int total = in->at[processes - 1] + in->count[processes - 1], at = 0;
  holder *all = malloc(((size_t)total + 1) * sizeof *all);
  *count = total;
  *distinct = 0;
  *largest = -1;
  if (!all) return NULL;
  for (int p = 0; p < processes; p++) {
    for (int i = 0; i < in->count[p]; i++) all[at++] = (holder){in->data[in->at[p] + i], p};
  }
  qsort(all, (size_t)total, sizeof *all, compare_holders);
  for (int i = 0; i < total; i += count_same(all, i, total)) ++*distinct;
  if (total > 0) *largest = all[total - 1].number;
  return all;
}

/* Set t->team.nv_all, the number of different velocities of all processes. Arguments are those of
 * list_holders. GA_OK, or GA_ERR_ARG with a message if a process has a number twice, or if no
 * process has one of 0 .. largest. The same on all processes; collective. */
static ga_status check_numbers(ga_mpi_team *t, const holder *all, int count, long distinct,
                               long largest, ga_error *err) {
  long twice = 0;
  for (int i = 1; i < count; i++) {
    if (compare_holders(&all[i], &all[i - 1]) == 0) twice = 1;
  }
  MPI_Allreduce(MPI_IN_PLACE, &twice, 1, MPI_LONG, MPI_MAX, t->comm);
  MPI_Allreduce(MPI_IN_PLACE, &distinct, 1, MPI_LONG, MPI_SUM, t->comm);
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_LONG, MPI_MAX, t->comm);
  t->team.nv_all = distinct;
  if (twice) {
    return ga_fail(err, GA_ERR_ARG, "a process has two velocities of the same number");
  }
  if (largest + 1 == distinct) return GA_OK;
  return ga_fail(err, GA_ERR_ARG,
                 "the processes have %ld different velocities with numbers up to %ld: some "
                 "numbers belong to no process",
                 distinct, largest);
}

/* ---- this process's shared velocities -------------------------------------------------------- */

/* a velocity of this process: its number in the whole and its index here */
typedef struct {
  long number;
  int i;
} own_velocity;

/* By number, for qsort and bsearch. */
static int by_number(const void *a, const void *b) {
  const own_velocity *x = a, *y = b;
  return (x->number > y->number) - (x->number < y->number);
}

/* Local index of the velocity with this number, -1 if there is none; own is sorted by number. */
static int find_velocity(const own_velocity *own, int nv, long number) {
  const own_velocity key = {number, 0};
  const own_velocity *at = bsearch(&key, own, (size_t)nv, sizeof *own, by_number);
  return at ? at->i : -1;
}

/* an answer: a shared velocity and the n processes that have it */
typedef struct {
  long number;
  int i, n;
  const long *process;
} shared_velocity;

/* By number, for qsort. */
static int by_shared_number(const void *a, const void *b) {
  const shared_velocity *x = a, *y = b;
  return (x->number > y->number) - (x->number < y->number);
}

/* Copy the answers received (pack_answers) to list, sorted by number, and return how many there
 * are. list points into `in`. list NULL: only count. own: this process's nv velocities, sorted. */
static int read_answers(const mail *in, int processes, const own_velocity *own, int nv,
                        shared_velocity *list) {
  int total = in->at[processes - 1] + in->count[processes - 1], count = 0;
  for (int at = 0; at < total; count++) {
    const long *data = in->data + at;
    if (list)
      list[count] =
          (shared_velocity){data[0], find_velocity(own, nv, data[0]), (int)data[1], data + 2};
    at += 2 + (int)data[1];
  }
  if (list) qsort(list, (size_t)count, sizeof *list, by_shared_number);
  return count;
}

/* Set t->nneighbour (0 before) and allocate t->neighbour, t->request, t->own, t->sum and the
 * buffers of each neighbour, whose count stays 0. with[p]: number of velocities shared with process
 * p. False if memory runs out; ga_mpi_team_free frees what there is. */
static bool allocate_neighbours(ga_mpi_team *t, const int *with) {
  const ga_team *team = &t->team;
  size_t vectors = GA_MPI_VECTORS * sizeof(double);
  for (int p = 0; p < team->processes; p++) t->nneighbour += with[p] > 0;
  t->neighbour = calloc((size_t)t->nneighbour + 1, sizeof *t->neighbour);
  t->request = malloc((2 * (size_t)t->nneighbour + 1) * sizeof *t->request);
  t->own = malloc(((size_t)t->nshared + 1) * vectors);
  t->sum = malloc(((size_t)t->nshared + 1) * vectors);
  if (!t->neighbour || !t->request || !t->own || !t->sum) return false;
  for (int p = 0, k = 0; p < team->processes; p++) {
    if (with[p] == 0) continue;
    ga_neighbour *other = &t->neighbour[k++];
    other->process = p;
    other->which = malloc((size_t)with[p] * sizeof(int));
    other->out = malloc((size_t)with[p] * vectors);
    other->in = malloc((size_t)with[p] * vectors);
    if (!other->which || !other->out || !other->in) return false;
  }
  return true;
}

/* Fill t->shared, t->nshared, t->owned and t->neighbour from the answers of the directory. The
 * lowest process that has a velocity owns it; t->owned must be true before. GA_OK or
 * GA_ERR_MEM. */
static ga_status list_neighbours(ga_mpi_team *t, const mail *in) {
  const ga_team *team = &t->team;
  own_velocity *own = malloc(((size_t)team->nv + 1) * sizeof *own);
  int *with = calloc((size_t)team->processes, sizeof(int));
  t->nshared = read_answers(in, team->processes, NULL, 0, NULL);
  shared_velocity *list = malloc(((size_t)t->nshared + 1) * sizeof *list);
  t->shared = malloc(((size_t)t->nshared + 1) * sizeof(int));
  bool good = own && with && list && t->shared;
  if (good) {
    for (int i = 0; i < team->nv; i++) own[i] = (own_velocity){t->velocity[i], i};
    qsort(own, (size_t)team->nv, sizeof *own, by_number);
    read_answers(in, team->processes, own, team->nv, list);
    for (int s = 0; s < t->nshared; s++) {
      for (int k = 0; k < list[s].n; k++) with[list[s].process[k]]++;
    }
    with[team->process] = 0;
    good = allocate_neighbours(t, with);
  }
  for (int s = 0; good && s < t->nshared; s++) {
    t->shared[s] = list[s].i;
    t->owned[list[s].i] = list[s].process[0] == team->process;
    for (int n = 0; n < t->nneighbour; n++) {
      ga_neighbour *other = &t->neighbour[n];
      for (int k = 0; k < list[s].n; k++) {
        if (list[s].process[k] == other->process) other->which[other->count++] = s;
      }
    }
  }
  free(own);
  free(with);
  free(list);
  return good ? GA_OK : GA_ERR_MEM;
}

/* Set team.nv_all, owned, shared, neighbour and the buffers of t by the two exchanges; see the head
 * of this file. t->velocity and t->owned (all true) must be set. Collective, the same status on all
 * processes; message in err; ga_mpi_team_free after a failure. */
ga_status ga_mpi_find_shared(ga_mpi_team *t, ga_error *err) {
  int processes = t->team.processes, count = 0;
  long distinct = 0, largest = -1;
  mail numbers = {0}, directory = {0}, answers = {0}, received = {0};
  holder *all = NULL;
  ga_status status = ga_mpi_agree(t->comm, pack_numbers(t, &numbers));
  if (status == GA_OK) status = exchange_mail(t->comm, processes, &numbers, &directory);
  if (status == GA_OK) {
    all = list_holders(&directory, processes, &count, &distinct, &largest);
    status = ga_mpi_agree(t->comm, all ? GA_OK : GA_ERR_MEM);
  }
  if (status == GA_OK) status = check_numbers(t, all, count, distinct, largest, err);
  bool refused = status == GA_ERR_ARG;
  if (status == GA_OK)
    status = ga_mpi_agree(t->comm, pack_answers(processes, all, count, &answers));
  if (status == GA_OK) status = exchange_mail(t->comm, processes, &answers, &received);
  if (status == GA_OK) status = ga_mpi_agree(t->comm, list_neighbours(t, &received));
  free(all);
  free_mail(&numbers);
  free_mail(&directory);
  free_mail(&answers);
  free_mail(&received);
  if (status == GA_OK || refused) return status;
  return ga_fail(err, status, "no memory to find the processes that share %d velocities",
                 t->team.nv);
}

/* SPDX-License-Identifier: MIT */
/* The operations of a team over MPI. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"

/* One status for all processes: the lowest (worst) if one is an error, else the highest.
 * Collective. */
ga_status ga_mpi_agree(MPI_Comm comm, ga_status status) {
  int both[2] = {status < 0 ? -(int)status : 0, status > 0 ? (int)status : 0};
  MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_INT, MPI_MAX, comm);
  return (ga_status)(both[0] > 0 ? -both[0] : both[1]);
}

/* The MPI team behind a public team. */
static ga_mpi_team *of(ga_team *team) {
  return team->context;
}

/* ---- sums over the processes that share a velocity ------------------------------------------ */

/* Copy the shared velocities of count vectors x to t->own; the count values of one velocity are
 * adjacent. */
static void pack_own(ga_mpi_team *t, int count, const double *x) {
  for (int s = 0; s < t->nshared; s++) {
    for (int c = 0; c < count; c++) t->own[s * count + c] = x[c * t->team.nv + t->shared[s]];
  }
}

/* Start the exchange of `count` values of each shared velocity (t->own) with all neighbours; the
 * values received will be in neighbour.in once MPI_Waitall on t->request returns. */
static void send_and_receive(ga_mpi_team *t, int count) {
  for (int n = 0; n < t->nneighbour; n++) {
    ga_neighbour *other = &t->neighbour[n];
    MPI_Irecv(other->in, count * other->count, MPI_DOUBLE, other->process, 0, t->comm,
              &t->request[2 * n]);
    for (int k = 0; k < other->count; k++) {
      memcpy(other->out + k * count, t->own + other->which[k] * count,
             (size_t)count * sizeof(double));
    }
    MPI_Isend(other->out, count * other->count, MPI_DOUBLE, other->process, 0, t->comm,
              &t->request[2 * n + 1]);
    t->counts.messages++;
    t->counts.bytes += 8L * count * other->count;
  }
}

/* t->sum = t->own + received values (neighbour.in), `count` of each shared velocity, added in the
 * order of the processes, so that all processes get the same bits. */
static void add_up(ga_mpi_team *t, int count) {
  bool added = false;
  memset(t->sum, 0, (size_t)(t->nshared * count) * sizeof(double));
  for (int n = 0; n <= t->nneighbour; n++) {
    const ga_neighbour *other = n < t->nneighbour ? &t->neighbour[n] : NULL;
    if (!added && (!other || other->process > t->team.process)) {
      for (int i = 0; i < t->nshared * count; i++) t->sum[i] += t->own[i];
      added = true;
    }
    for (int k = 0; other && k < other->count; k++) {
      double *sum = t->sum + other->which[k] * count;
      for (int c = 0; c < count; c++) sum[c] += other->in[k * count + c];
    }
  }
}

/* Sum `count` <= GA_MPI_VECTORS vectors x of nv numbers over the processes that share velocities,
 * in place; entries not shared stay. All neighbours must call it with the same count. */
static void sum_vectors(ga_mpi_team *t, int count, double *x) {
  pack_own(t, count, x);
  send_and_receive(t, count);
  MPI_Waitall(2 * t->nneighbour, t->request, MPI_STATUSES_IGNORE);
  add_up(t, count);
  for (int s = 0; s < t->nshared; s++) {
    for (int c = 0; c < count; c++) x[c * t->team.nv + t->shared[s]] = t->sum[s * count + c];
  }
}

/* Sum count vectors x of nv numbers over the processes that share a velocity, in place; entries
 * that are not shared stay. Collective among neighbours. */
static ga_status sum_shared(ga_team *team, int count, double *x) {
  ga_mpi_team *t = of(team);
  t->counts.exchanges++;
  for (int done = 0, some; done < count; done += some) {
    some = count - done < GA_MPI_VECTORS ? count - done : GA_MPI_VECTORS;
    sum_vectors(t, some, x + (size_t)done * (size_t)team->nv);
  }
  return GA_OK;
}

/* ---- reductions ------------------------------------------------------------------------------ */

/* Make t->work at least n numbers long (t->nwork); false if memory runs out, t->work then stays. */
static bool reserve_work(ga_mpi_team *t, int n) {
  if (n <= t->nwork) return true;
  double *room = realloc(t->work, (size_t)n * sizeof(double));
  if (!room) return false;
  t->work = room;
  t->nwork = n;
  return true;
}

/* x[i], i < n, becomes the largest (sign 1) or smallest (sign -1) over all processes, NaN if one is
 * NaN. MPI does not define the maximum of numbers with a NaN, so a flag for NaN is reduced beside
 * each number. t->work must have 2 n numbers. Collective. */
static void reduce_extreme(ga_mpi_team *t, int n, double sign, double *x) {
  double *all = t->work;
  for (int i = 0; i < n; i++) {
    all[i] = isnan(x[i]) ? -INFINITY : sign * x[i];
    all[n + i] = isnan(x[i]);
  }
  MPI_Allreduce(MPI_IN_PLACE, all, 2 * n, MPI_DOUBLE, MPI_MAX, t->comm);
  for (int i = 0; i < n; i++) x[i] = all[n + i] > 0 ? NAN : sign * all[i];
}

/* x[i], i < n, becomes the sum over all processes, in the order of the processes, so that all get
 * the same bits: MPI_SUM has no fixed order. t->work must have n numbers for each process.
 * Collective. */
static void reduce_sum(ga_mpi_team *t, int n, double *x) {
  MPI_Allgather(x, n, MPI_DOUBLE, t->work, n, MPI_DOUBLE, t->comm);
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int p = 0; p < t->team.processes; p++) sum += t->work[p * n + i];
    x[i] = sum;
  }
}

/* Sum, maximum or minimum (op) of each of the n numbers x[i] over all processes, in place; NaN if
 * one is NaN. GA_OK, or GA_ERR_MEM on all processes with x unchanged. Collective. */
static ga_status reduce(ga_team *team, ga_team_op op, int n, double *x) {
  ga_mpi_team *t = of(team);
  int room = op == GA_TEAM_SUM ? n * team->processes : 2 * n;
  if (room > t->nwork) {
    ga_status status = ga_mpi_agree(t->comm, reserve_work(t, room) ? GA_OK : GA_ERR_MEM);
    if (status != GA_OK) return status;
  }
  t->counts.reductions++;
  t->counts.reduced += n;
  if (op == GA_TEAM_SUM) {
    reduce_sum(t, n, x);
  } else {
    reduce_extreme(t, n, op == GA_TEAM_MAX ? 1 : -1, x);
  }
  return GA_OK;
}

static const ga_team_ops ops = {.sum_shared = sum_shared, .reduce = reduce};

/* ---- making and freeing a team --------------------------------------------------------------- */

/* Fill t->team, t->velocity (a copy) and t->owned: all velocities are owned for the moment. t->comm
 * must be set, the rest zero. False if memory runs out; ga_mpi_team_free in any case. */
static bool init_team(ga_mpi_team *t, int nv, const long *velocity) {
  t->team = (ga_team){.ops = &ops, .context = t, .nv = nv};
  MPI_Comm_rank(t->comm, &t->team.process);
  MPI_Comm_size(t->comm, &t->team.processes);
  t->velocity = malloc(((size_t)nv + 1) * sizeof(long));
  t->owned = malloc(((size_t)nv + 1) * sizeof(bool));
  if (!t->velocity || !t->owned || !reserve_work(t, 256 + 16 * t->team.processes)) return false;
  for (int i = 0; i < nv; i++) {
    t->velocity[i] = velocity[i];
    t->owned[i] = true; /* unless others share it */
  }
  t->team.velocity = t->velocity;
  t->team.owned = t->owned;
  t->team.linsol = t->team.processes > 1 ? &ga_mpi_gather_linsol : NULL;
  t->team.linsol_context = t;
  return true;
}

/* Are nv and the velocity numbers valid on all processes, none negative? GA_OK, or GA_ERR_ARG on
 * all with a message in err; collective. */
static ga_status check_arguments(MPI_Comm comm, int nv, const long *velocity, ga_error *err) {
  int bad = -1;
  for (int i = 0; velocity && i < nv && bad < 0; i++) bad = velocity[i] < 0 ? i : -1;
  ga_status status = GA_OK;
  if (nv < 0 || (nv > 0 && !velocity)) {
    status = ga_fail(err, GA_ERR_ARG, "nv = %d velocities, and no numbers", nv);
  } else if (bad >= 0) {
    status =
        ga_fail(err, GA_ERR_ARG, "velocity %d has the number %ld, less than 0", bad, velocity[bad]);
  }
  ga_status all = ga_mpi_agree(comm, status);
  if (all == status) return status;
  return ga_fail(err, all, "another process has wrong numbers of velocities");
}

/* Public: *out becomes a team over a copy of comm; velocity[i] is the number of velocity i in the
 * whole. Collective, the same status on all processes; after a failure *out is NULL and err has a
 * message. ga_mpi_team_free ends it. */
ga_status ga_mpi_team_new(MPI_Comm comm, int nv, const long *velocity, ga_team **out,
                          ga_error *err) {
  *out = NULL;
  ga_status status = check_arguments(comm, nv, velocity, err);
  if (status != GA_OK) return status;
  ga_mpi_team *t = calloc(1, sizeof *t);
  status = ga_mpi_agree(comm, t ? GA_OK : GA_ERR_MEM);
  if (status == GA_OK) {
    MPI_Comm_dup(comm, &t->comm);
    status = ga_mpi_agree(comm, init_team(t, nv, velocity) ? GA_OK : GA_ERR_MEM);
  } else {
    free(t);
    t = NULL;
  }
  if (status != GA_OK) {
    ga_fail(err, status, "no memory for a team with %d velocities", nv);
  } else {
    status = ga_mpi_find_shared(t, err);
  }
  if (status == GA_OK) {
    *out = &t->team;
  } else if (t) {
    ga_mpi_team_free(&t->team);
  }
  return status;
}

/* Public: ga_mpi_team_new over all processes, MPI_COMM_WORLD; the same results. */
ga_status ga_mpi_team_world(int nv, const long *velocity, ga_team **out, ga_error *err) {
  return ga_mpi_team_new(MPI_COMM_WORLD, nv, velocity, out, err);
}

/* Public: free the team and its communicator; NULL is allowed. Collective. */
void ga_mpi_team_free(ga_team *team) {
  if (!team) return;
  ga_mpi_team *t = of(team);
  for (int n = 0; n < t->nneighbour && t->neighbour; n++) {
    free(t->neighbour[n].which);
    free(t->neighbour[n].out);
    free(t->neighbour[n].in);
  }
  free(t->neighbour);
  free(t->request);
  free(t->velocity);
  free(t->owned);
  free(t->shared);
  free(t->own);
  free(t->sum);
  free(t->work);
  MPI_Comm_free(&t->comm);
  free(t);
}

/* Public: the team's own communicator, which the team frees. */
MPI_Comm ga_mpi_team_comm(const ga_team *team) {
  const ga_mpi_team *t = team->context;
  return t->comm;
}

/* Public: choose the solver that process 0 uses for the gathered matrix; name is borrowed, NULL:
 * "auto". */
void ga_mpi_gather_by(ga_team *team, const char *name) {
  of(team)->gather_by = name;
}

/* Public: messages, bytes and reductions of this process since the last reset. */
ga_mpi_counts ga_mpi_team_counts(const ga_team *team) {
  const ga_mpi_team *t = team->context;
  return t->counts;
}

/* Public: set all counts of this process to 0. */
void ga_mpi_team_reset_counts(ga_team *team) {
  of(team)->counts = (ga_mpi_counts){0};
}

/* Public: the number of processes that share velocities with this one; *shared: number of shared
 * velocities summed over them, so some count several times. */
int ga_mpi_team_neighbours(const ga_team *team, long *shared) {
  const ga_mpi_team *t = team->context;
  *shared = 0;
  for (int n = 0; n < t->nneighbour; n++) *shared += t->neighbour[n].count;
  return t->nneighbour;
}

/* ---- for programs without MPI of their own --------------------------------------------------- */

static bool begun; /* ga_mpi_begin has started MPI */

/* Public: start MPI, unless the program has done so; ga_mpi_end will finish it only if it was
 * started here. *process, *processes: this process's number and how many there are. GA_OK, or an
 * error with a message in err. */
ga_status ga_mpi_begin(int *process, int *processes, ga_error *err) {
  int running = 0, ended = 0, level;
  MPI_Initialized(&running);
  MPI_Finalized(&ended);
  if (ended) return ga_fail(err, GA_ERR_ARG, "MPI has ended and cannot begin again");
  if (!running) {
    /* the program may have other threads, which never call MPI */
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) {
      return ga_fail(err, GA_ERR_BACKEND, "MPI_Init_thread failed");
    }
    begun = true;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, process);
  MPI_Comm_size(MPI_COMM_WORLD, processes);
  return GA_OK;
}

/* End MPI if ga_mpi_begin has started it. */
void ga_mpi_end(void) {
  if (begun) MPI_Finalize();
  begun = false;
}

/* Public: end all processes of the job at once, with this exit code. */
void ga_mpi_abort(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
}

/* SPDX-License-Identifier: MIT */
/* A team whose "processes" are threads of the test: the kernel's collective calls without MPI.
 *
 * All of them meet at every collective call and compare which call they make. If the calls differ,
 * or if one has left or does not come, the crew is broken and every later call fails. So a wrong
 * order of calls is an error of the test instead of a deadlock. */
#ifndef CREW_H
#define CREW_H

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "genalpha/ga_team.h"
#include "parallel/mpi/whole.h"

enum { CREW = 8, CREW_PATIENCE = 60 /* seconds */ };

typedef struct {
  int size, arrived, left;
  long generation;
  bool broken;
  char why[120];
  pthread_mutex_t lock;
  pthread_cond_t all_there;
  long tag[CREW];
  const void *shown[CREW]; /* what a process lets the others read between two meetings */
  ga_team team[CREW];
  struct crew_member {
    void *crew;
    int process;
    int *index[CREW]; /* of each velocity of this process on process r, -1: r does not have it */
    double *room;
    size_t nroom;
    bool *owned;
    long calls; /* collective calls so far */
  } member[CREW];
} crew;

static inline void crew_break(crew *c, const char *why) {
  if (!c->broken) snprintf(c->why, sizeof c->why, "%s", why);
  c->broken = true;
  pthread_cond_broadcast(&c->all_there);
}

/* the caller holds the lock */
static inline void crew_compare_calls(crew *c) {
  if (c->left > 0) {
    crew_break(c, "a process has left while others wait");
    return;
  }
  for (int r = 1; r < c->size; r++) {
    if (c->tag[r] != c->tag[0]) crew_break(c, "processes make different calls");
  }
  c->arrived = 0;
  c->generation++;
  pthread_cond_broadcast(&c->all_there);
}

static inline bool crew_meet(crew *c, int process, long tag, const void *shown) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += CREW_PATIENCE;
  pthread_mutex_lock(&c->lock);
  long generation = c->generation;
  c->tag[process] = tag;
  if (shown) c->shown[process] = shown; /* NULL: others may still be reading it */
  c->member[process].calls++;
  if (!c->broken && ++c->arrived + c->left == c->size) crew_compare_calls(c);
  while (!c->broken && c->generation == generation) {
    if (pthread_cond_timedwait(&c->all_there, &c->lock, &until) == ETIMEDOUT) {
      crew_break(c, "a process does not come");
    }
  }
  bool good = !c->broken;
  pthread_mutex_unlock(&c->lock);
  return good;
}

/* a process is done and will not come again */
static inline void crew_leave(crew *c) {
  pthread_mutex_lock(&c->lock);
  c->left++;
  if (c->arrived > 0 && c->arrived + c->left == c->size) crew_compare_calls(c);
  pthread_mutex_unlock(&c->lock);
}

static inline double *crew_room(struct crew_member *own, size_t n) {
  if (n > own->nroom) own->room = realloc(own->room, n * sizeof(double)), own->nroom = n;
  return own->room;
}

static inline ga_status crew_sum_shared(ga_team *team, int count, double *x) {
  struct crew_member *own = team->context;
  crew *c = own->crew;
  size_t nv = (size_t)team->nv;
  double *sum = crew_room(own, (size_t)count * nv);
  if (!crew_meet(c, own->process, 1000 + count, x)) return GA_ERR_BACKEND;
  memcpy(sum, x, (size_t)count * nv * sizeof(double));
  for (int v = 0; v < count; v++) {
    for (size_t i = 0; i < nv; i++) {
      double total = 0;
      int sharing = 0;
      for (int r = 0; r < c->size; r++) {
        int at = own->index[r][i];
        if (at < 0) continue;
        const double *other = c->shown[r];
        total += other[(size_t)v * (size_t)c->team[r].nv + (size_t)at];
        sharing++;
      }
      if (sharing > 1) sum[(size_t)v * nv + i] = total;
    }
  }
  if (!crew_meet(c, own->process, 1, NULL)) return GA_ERR_BACKEND;
  memcpy(x, sum, (size_t)count * nv * sizeof(double));
  return GA_OK;
}

static inline double crew_op(ga_team_op op, double a, double b) {
  if (op == GA_TEAM_SUM) return a + b;
  if (isnan(a) || isnan(b)) return NAN;
  return (op == GA_TEAM_MAX) == (a > b) ? a : b;
}

static inline ga_status crew_reduce(ga_team *team, ga_team_op op, int n, double *x) {
  struct crew_member *own = team->context;
  crew *c = own->crew;
  double *all = crew_room(own, (size_t)n);
  if (!crew_meet(c, own->process, 1000000L * (1 + (long)op) + n, x)) return GA_ERR_BACKEND;
  for (int i = 0; i < n; i++) {
    for (int r = 0; r < c->size; r++) {
      double value = ((const double *)c->shown[r])[i];
      all[i] = r == 0 ? value : crew_op(op, all[i], value);
    }
  }
  if (!crew_meet(c, own->process, 2, NULL)) return GA_ERR_BACKEND;
  memcpy(x, all, (size_t)n * sizeof(double));
  return GA_OK;
}

/* ---- linear solver: process 0 reads the matrices of all -------------------------------------- */

typedef struct {
  struct crew_member *own;
  const ga_linsol_numbering *numbering;
  int n;
  ga_whole *whole; /* process 0 */
  ga_linsol ls;
  double *x;
  ga_status status; /* what process 0 reports to all, */
  int column;       /* and a column without pivot */
  const ga_csr *A;
  const ga_linsol_layout *layout;
  double *b;
} crew_solver;

static inline crew_solver *crew_of(const crew *c, int r) {
  return (crew_solver *)c->shown[r];
}

static inline ga_status crew_receive_status(ga_linsol *ls) {
  crew_solver *s = ls->impl;
  crew *c = s->own->crew;
  if (!crew_meet(c, s->own->process, 3, NULL)) return GA_ERR_BACKEND;
  const crew_solver *first = crew_of(c, 0);
  ga_status status = first->status;
  int column = first->column;
  ga_linsol_cost cost = first->ls.cost;
  if (!crew_meet(c, s->own->process, 4, NULL)) return GA_ERR_BACKEND;
  s->column = column;
  ls->cost = cost;
  return status;
}

static inline void crew_build(crew_solver *s) {
  crew *c = s->own->crew;
  ga_whole_contribution contribution[CREW];
  ga_block_range range[CREW * GA_WHOLE_BLOCKS];
  int nblock = s->layout->nblock;
  for (int r = 0; r < c->size; r++) {
    const crew_solver *other = crew_of(c, r);
    contribution[r] = (ga_whole_contribution){other->A->nrow, other->A->ptr, other->A->col,
                                              other->numbering->number};
    ga_block_ranges(other->layout, range + r * nblock);
  }
  s->whole = ga_whole_new(s->numbering->n, c->size, contribution);
  ga_whole_blocks(s->whole, nblock, c->size, range);
  s->x = malloc((size_t)s->numbering->n * sizeof(double));
  const struct crew_member *own = s->own;
  const ga_team *team = &c->team[own->process];
  /* numbers of unknowns that others give: a block of velocities */
  long first =
      s->numbering->nunit > 0 ? s->numbering->number[s->n - 1] - team->velocity[team->nv - 1] : 0;
  ga_whole_condense(s->whole, first, s->numbering->nunit > 0 ? team->nv_all : 0);
  s->status =
      ga_linsol_attach(&s->ls, NULL, ga_whole_matrix(s->whole), ga_whole_layout(s->whole), NULL);
}

static inline ga_status crew_analyze(ga_linsol *ls, const ga_csr *A) {
  crew_solver *s = calloc(1, sizeof *s);
  struct crew_member *own = ls->context;
  *s = (crew_solver){.own = own,
                     .numbering = ls->layout->numbering,
                     .n = A->nrow,
                     .A = A,
                     .layout = ls->layout,
                     .column = -1};
  ls->impl = s;
  if (!crew_meet(own->crew, own->process, 5, s)) return GA_ERR_BACKEND;
  if (own->process == 0) crew_build(s);
  return crew_receive_status(ls);
}

static inline ga_status crew_factor(ga_linsol *ls, const ga_csr *A) {
  crew_solver *s = ls->impl;
  struct crew_member *own = s->own;
  crew *c = own->crew;
  s->A = A;
  if (!crew_meet(c, own->process, 6, s)) return GA_ERR_BACKEND;
  if (own->process == 0) {
    ga_whole_clear(s->whole);
    for (int r = 0; r < c->size; r++) ga_whole_add(s->whole, r, crew_of(c, r)->A->val);
    ga_whole_finish(s->whole);
    s->status = s->ls.ops->factor(&s->ls, ga_whole_matrix(s->whole));
    s->column = s->status == GA_RETRY_SINGULAR ? s->ls.ops->singular_column(&s->ls) : -1;
    if (s->column >= 0) s->column = (int)ga_whole_column(s->whole, s->column);
  }
  return crew_receive_status(ls);
}

static inline ga_status crew_solve(ga_linsol *ls, double *b) {
  crew_solver *s = ls->impl;
  struct crew_member *own = s->own;
  crew *c = own->crew;
  s->b = b;
  if (!crew_meet(c, own->process, 7, s)) return GA_ERR_BACKEND;
  if (own->process == 0) {
    for (int r = 0; r < c->size; r++) {
      const crew_solver *other = crew_of(c, r);
      for (int i = 0; i < other->n; i++) {
        if (other->numbering->owned[i]) s->x[other->numbering->number[i]] = other->b[i];
      }
    }
    ga_whole_right_side(s->whole, s->x);
    s->status = s->ls.ops->solve(&s->ls, s->x);
    ga_whole_solution(s->whole, s->x);
  }
  if (!crew_meet(c, own->process, 8, NULL)) return GA_ERR_BACKEND;
  const double *x = crew_of(c, 0)->x;
  for (int i = 0; i < s->n; i++) b[i] = x[s->numbering->number[i]];
  return crew_receive_status(ls);
}

static inline int crew_column(const ga_linsol *ls) {
  const crew_solver *s = ls->impl;
  for (int i = 0; i < s->n && s->column >= 0; i++) {
    if (s->numbering->number[i] == s->column) return i;
  }
  return -1;
}

static inline void crew_reset(ga_linsol *ls) {
  crew_solver *s = ls->impl;
  if (s->ls.ops && s->ls.ops->reset) s->ls.ops->reset(&s->ls);
}

static inline void crew_free_solver(ga_linsol *ls) {
  crew_solver *s = ls->impl;
  if (!s) return;
  if (s->ls.ops) ga_linsol_detach(&s->ls);
  ga_whole_free(s->whole);
  free(s->x);
  free(s);
  ls->impl = NULL;
}

static const ga_team_ops crew_ops = {.sum_shared = crew_sum_shared, .reduce = crew_reduce};
static const ga_linsol_ops crew_linsol = {.name = "crew",
                                          .analyze = crew_analyze,
                                          .factor = crew_factor,
                                          .solve = crew_solve,
                                          .singular_column = crew_column,
                                          .reset = crew_reset,
                                          .free = crew_free_solver};

/* ---- life ------------------------------------------------------------------------------------ */

/* velocity[r]: the numbers of the nv[r] velocities of process r */
static inline crew *crew_new(int size, const int *nv, long *const *velocity, long nv_all) {
  crew *c = calloc(1, sizeof *c);
  c->size = size;
  pthread_mutex_init(&c->lock, NULL);
  pthread_cond_init(&c->all_there, NULL);
  int *at = malloc((size_t)nv_all * sizeof(int));
  bool *taken = calloc((size_t)nv_all, sizeof(bool));
  for (int r = 0; r < size; r++) {
    struct crew_member *own = &c->member[r];
    own->crew = c;
    own->process = r;
    own->owned = calloc((size_t)nv[r] + 1, sizeof(bool));
    for (int i = 0; i < nv[r]; i++) {
      own->owned[i] = !taken[velocity[r][i]];
      taken[velocity[r][i]] = true;
    }
    c->team[r] = (ga_team){.ops = &crew_ops,
                           .context = own,
                           .process = r,
                           .processes = size,
                           .nv = nv[r],
                           .nv_all = nv_all,
                           .velocity = velocity[r],
                           .owned = own->owned,
                           .linsol = &crew_linsol,
                           .linsol_context = own};
  }
  for (int s = 0; s < size; s++) {
    for (long v = 0; v < nv_all; v++) at[v] = -1;
    for (int i = 0; i < nv[s]; i++) at[velocity[s][i]] = i;
    for (int r = 0; r < size; r++) {
      c->member[r].index[s] = malloc(((size_t)nv[r] + 1) * sizeof(int));
      for (int i = 0; i < nv[r]; i++) c->member[r].index[s][i] = at[velocity[r][i]];
    }
  }
  free(at);
  free(taken);
  return c;
}

static inline void crew_free(crew *c) {
  for (int r = 0; r < c->size; r++) {
    for (int s = 0; s < c->size; s++) free(c->member[r].index[s]);
    free(c->member[r].owned);
    free(c->member[r].room);
  }
  pthread_mutex_destroy(&c->lock);
  pthread_cond_destroy(&c->all_there);
  free(c);
}

#endif

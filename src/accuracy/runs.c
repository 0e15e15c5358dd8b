/* SPDX-License-Identifier: MIT */
/* Runs with equal steps, side by side. A run changes only itself and the integrator of its thread,
 * whose start forgets all that was before, so that its bits depend neither on threads nor on the runs
 * before. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "accuracy/solution.h"

/* 1, 2, 3, 4, 6, 8, 12, 16, ..: from 2 and 3 on they double with every second one. */
int ga_solution_substeps(int i) {
  return i < 3 ? i + 1 : 2 * ga_solution_substeps(i - 2);
}

/* Add counters and join extremes of two runs. */
void ga_stats_add(ga_stats *sum, const ga_stats *of) {
#define COUNTER(name, text) sum->name += of->name;
#define EXTREME(name, text) sum->name = ga_larger(sum->name, of->name);
  GA_STAT_LIST(COUNTER, EXTREME)
#undef COUNTER
#undef EXTREME
}

/* The steps of run r from one node of the piece to the next, the last one to t_end exactly; its
 * state there becomes that of the node. */
static ga_status next_node(ga_run *r, ga_integrator *it, const ga_piece *p, long i) {
  const ga_solution *s = r->of;
  ga_status status = GA_OK;
  for (int n = 1; n <= r->m && status == GA_OK; n++) {
    bool last = i == p->steps && n == r->m;
    status = last ? ga_integrator_run(it, p->to) : ga_integrator_step(it);
    if (status == GA_OK && s->stop && s->stop(s->stop_context)) {
      return ga_fail(&r->error, GA_STOPPED, "stopped");
    }
  }
  if (status != GA_OK) r->error = *ga_integrator_error(it);
  const ga_state *state = ga_integrator_state(it);
  ga_layout_pack(&s->layout, state, r->x + (p->first + i) * s->size);
  return status;
}

/* Begin a piece with steps of size h: the first one by a start, the others, at the corner where the
 * run is, by a restart, which evaluates nothing before the corner. */
static ga_status begin_piece(ga_run *r, ga_integrator *it, const ga_piece *p, double h) {
  const ga_solution *s = r->of;
  bool first = p == s->piece;
  ga_status status = ga_integrator_set_step(it, h);
  if (status == GA_OK && first) status = ga_integrator_start(it, p->from, s->q0, s->v0);
  if (status == GA_OK && !first) status = ga_integrator_restart(it, NULL, NULL);
  if (status != GA_OK) r->error = *ga_integrator_error(it);
  /* the first node is the start itself, not what a method makes of it for its own steps; the others
   * are the end of the piece before */
  double *x = r->x + p->first * s->size;
  if (first) {
    memcpy(x, s->q0, (size_t)s->layout.at[1] * sizeof *x);
    memcpy(x + s->layout.at[1], s->v0, (size_t)(s->size - s->layout.at[1]) * sizeof *x);
  } else {
    memcpy(x, x - s->size, (size_t)s->size * sizeof *x);
  }
  return status;
}

/* Those of the solution, without a log: warnings are about the options. */
ga_options ga_solution_run_options(const ga_solution *s) {
  ga_options o = s->options;
  o.initial = GA_INITIAL_PROJECT; /* the pilot has made the check that the user asked for */
  o.initial_tol = fmax(o.initial_tol, 1e-6); /* at corners: what Newton's tolerance has left */
  o.log = NULL;
  return o;
}

/* Make a run with this integrator: status, error, stats and the states at the nodes, which are
 * complete if the status is GA_OK. */
static void make_run(ga_run *r, ga_integrator *it) {
  const ga_solution *s = r->of;
  for (int k = 0; k < s->pieces && r->status == GA_OK; k++) {
    const ga_piece *p = &s->piece[k];
    r->status = begin_piece(r, it, p, (p->to - p->from) / ((double)p->steps * r->m));
    for (long i = 1; i <= p->steps && r->status == GA_OK; i++) r->status = next_node(r, it, p, i);
  }
  r->stats = *ga_integrator_stats(it);
}

/* What threads share: the runs, and how many of them and of the integrators are taken. */
typedef struct {
  ga_run *runs;
  int count;
  ga_integrator **runner;
  atomic_int taken, runners;
} pool;

/* Body of a thread: take an integrator; then take the next run, the last and longest first, until all
 * are taken. */
static void *run_worker(void *context) {
  pool *p = context;
  int i;
  ga_integrator **it = &p->runner[atomic_fetch_add(&p->runners, 1)];
  while ((i = atomic_fetch_add(&p->taken, 1)) < p->count) {
    ga_run *r = &p->runs[p->count - 1 - i];
    r->status = GA_OK;
    if (!*it) {
      ga_options o = ga_solution_run_options(r->of);
      r->status = ga_integrator_new(r->of->model, &o, it, &r->error);
    }
    if (r->status == GA_OK) make_run(r, *it);
  }
  return NULL;
}

/* Make the runs; of, m and x of each are set before. If a thread cannot be created, the others do
 * its work. */
void ga_solution_runs(ga_solution *s, ga_run *runs, int count) {
  pool p = {.runs = runs, .count = count, .runner = s->runner};
  ga_solution_leave_nodes(s);
  atomic_init(&p.taken, 0);
  atomic_init(&p.runners, 0);
  pthread_t threads[GA_THREADS_MAX];
  int made = 0;
  while (made < count - 1 && pthread_create(&threads[made], NULL, run_worker, &p) == 0) made++;
  run_worker(&p);
  while (made > 0) pthread_join(threads[--made], NULL);
}

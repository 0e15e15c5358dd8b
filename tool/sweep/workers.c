/* SPDX-License-Identifier: MIT */
/* Threads that take runs from a shared counter and append results to the journal. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "simulate/interrupt.h"
#include "simulate/progress.h"

/* Makes runs of the source, one after the other, until none is left, or one is interrupted or
 * cannot be stored. Without memory it makes none, after a message. */
void sweep_work(const sweep_source *source, const sweep_plan *p, const sweep_shape *s) {
  sweep_result r;
  if (!sweep_result_open(&r, s)) {
    tool_error("no memory for a worker");
    return;
  }
  bool ok = true;
  while (ok && (r.run = source->next(source->self)) >= 0) {
    ok = sweep_run(p, s, &r) && source->store(source->self, &r);
  }
  sweep_result_close(&r);
}

/* data that the threads share */
typedef struct pool {
  const sweep_plan *plan;
  const sweep_shape *shape;
  sweep_source source;
  atomic_long counter;  /* the next run to look at */
  atomic_bool stopped;  /* a result could not be stored */
  const bool *skip;     /* runs that were done before */
  pthread_mutex_t lock; /* of all below */
  sweep_journal *journal;
  sweep_tally *tally;
  progress progress;
} pool;

/* The next run that is not done yet, -1 if none is left or the sweep is to stop. For any thread. */
static long next_run(void *self) {
  pool *p = self;
  while (!atomic_load(&p->stopped) && !interrupt_came()) {
    const long run = atomic_fetch_add(&p->counter, 1);
    if (run >= p->plan->runs) return -1;
    if (!p->skip[run]) return run;
  }
  return -1;
}

/* Appends a result to the journal, counts it in the tally and shows progress, under the lock.
 * False, after a message, if it cannot be stored; this stops all threads. */
static bool store_result(void *self, const sweep_result *r) {
  pool *p = self;
  pthread_mutex_lock(&p->lock);
  const bool ok = !atomic_load(&p->stopped) && sweep_journal_append(p->journal, p->shape, r);
  if (ok) {
    p->tally->made++;
    p->tally->failed += r->status == SWEEP_FAILED;
    p->tally->seconds += r->seconds;
    progress_count(&p->progress, p->journal->done, p->journal->runs);
  } else {
    atomic_store(&p->stopped, true);
  }
  pthread_mutex_unlock(&p->lock);
  return ok;
}

/* What a thread does; context is the pool. */
static void *thread_main(void *context) {
  pool *p = context;
  sweep_work(&p->source, p->plan, p->shape);
  return NULL;
}

/* Starts threads into `thread` (room for `workers`), works (or serves, if server is not NULL) in
 * the calling one, and waits for all. If fewer threads than wanted can be started, the others do
 * the work. */
static void run_threads(pool *p, int workers, const sweep_server *server, pthread_t *thread) {
  const int others = server ? workers : workers - 1;
  int count = 0;
  while (count < others && pthread_create(&thread[count], NULL, thread_main, p) == 0) count++;
  if (server) {
    server->serve(server->self, &p->source);
  } else {
    thread_main(p);
  }
  while (count > 0) pthread_join(thread[--count], NULL);
}

/* Makes all runs that the journal lacks, with `workers` threads; server, if not NULL, serves
 * other processes meanwhile. Adds to the tally and sets its elapsed seconds. True if all runs
 * are in the journal; false after a failure or an interrupt. */
bool sweep_threads(const sweep_plan *p, const sweep_shape *s, sweep_journal *j, int workers,
                   const sweep_server *server, sweep_tally *tally) {
  bool *skip = calloc((size_t)p->runs, sizeof *skip);
  pthread_t *thread = calloc((size_t)workers, sizeof *thread);
  if (!skip || !thread) {
    free(skip);
    free(thread);
    tool_error("no memory for %ld runs", p->runs);
    return false;
  }
  for (long i = 0; i < p->runs; i++) skip[i] = j->at[i] != 0;
  pool shared = {.plan = p,
                 .shape = s,
                 .source = {next_run, store_result, &shared},
                 .skip = skip,
                 .lock = PTHREAD_MUTEX_INITIALIZER,
                 .journal = j,
                 .tally = tally};
  interrupt_catch();
  progress_begin(&shared.progress, (double)j->done, (double)j->runs);
  run_threads(&shared, workers, server, thread);
  tally->elapsed = progress_seconds(&shared.progress);
  progress_clear(&shared.progress);
  free(skip);
  free(thread);
  return !atomic_load(&shared.stopped) && j->done == j->runs;
}

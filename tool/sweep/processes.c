/* SPDX-License-Identifier: MIT */
/* Messages of a sweep. A worker sends results (records), asks for a run (one letter), and says that
 * it ends (another one); rank 0 answers a question with the number of a run. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/processes.h"

#include <stdlib.h>
#include <string.h>

#include "args/args.h"
#include "simulate/interrupt.h"
#include "sweep/checksum.h"
#include "sweep/record.h"

static const char ASKS = '?', ENDS = '.';

/* the first message: what to do, and a checksum of the sweep that rank 0 has read */
typedef struct verdict {
  int64_t code;
  uint64_t sweep;
} verdict;

static uint64_t identity(const char *about) {
  return about ? sweep_hash(SWEEP_HASH_BEGIN, about, strlen(about)) : 0;
}

/* ---- rank 0 --------------------------------------------------------------------------------- */

void sweep_ranks_tell(const ranks *r, int code, const char *about) {
  const verdict v = {code, identity(about)};
  for (int i = 1; r->rank == 0 && i < r->size; i++) r->ops->send(i, &v, sizeof v);
}

/* the result of another rank into the journal; false if that cannot be */
static bool take_result(const sweep_ranks *all, const sweep_source *source, const char *bytes,
                        size_t size, sweep_result *result) {
  sweep_record head;
  if (size >= sizeof head) memcpy(&head, bytes, sizeof head);
  if (size < sizeof head ||
      !sweep_record_possible(all->shape, &head, all->plan->runs, (int64_t)size) ||
      !sweep_record_unpack(all->shape, bytes, result)) {
    cli_error("a result of another process arrived damaged");
    return false;
  }
  return source->store(source->self, result);
}

void sweep_ranks_serve(void *self, const sweep_source *source) {
  const sweep_ranks *all = self;
  const ranks *r = all->ranks;
  sweep_result result;
  bool ok = sweep_result_open(&result, all->shape);
  for (int left = r->size - 1; left > 0;) {
    int from;
    size_t size;
    char *bytes = ranks_wait(r, &from, &size);
    if (!bytes) r->ops->abort(CLI_FAILED);
    if (size == 1 && bytes[0] == ENDS) {
      left--;
    } else if (size == 1) {
      const int64_t run = ok ? source->next(source->self) : -1;
      r->ops->send(from, &run, sizeof run);
    } else {
      ok = ok && take_result(all, source, bytes, size, &result);
    }
    free(bytes);
  }
  sweep_result_close(&result);
}

/* ---- others --------------------------------------------------------------------------------- */

/* A worker asks for its next run before it makes the one it has, so that it need not wait. */
typedef struct remote {
  const ranks *ranks;
  const sweep_shape *shape;
  bool asked; /* an answer is on its way */
} remote;

/* a message of rank 0 of known length */
static void hear(const ranks *r, void *to, size_t expected) {
  int from;
  size_t size;
  char *bytes = ranks_wait(r, &from, &size);
  if (!bytes || size != expected) r->ops->abort(CLI_FAILED);
  memcpy(to, bytes, expected);
  free(bytes);
}

static void ask(remote *me) {
  me->ranks->ops->send(0, &ASKS, 1);
  me->asked = true;
}

static long next_run(void *self) {
  remote *me = self;
  int64_t run = -1;
  if (interrupt_came()) return -1;
  if (!me->asked) ask(me);
  hear(me->ranks, &run, sizeof run);
  me->asked = false;
  if (run >= 0) ask(me);
  return (long)run;
}

/* the answer to a question that has become needless; the run is made when the sweep goes on */
static void hear_last(remote *me) {
  int64_t run;
  if (me->asked) hear(me->ranks, &run, sizeof run);
}

static bool send_result(void *self, const sweep_result *result) {
  const remote *me = self;
  size_t size = 0;
  char *record = sweep_record_pack(me->shape, result, &size);
  if (!record) return false; /* rank 0 finds that the run is missing */
  me->ranks->ops->send(0, record, size);
  free(record);
  return true;
}

int sweep_ranks_work(const ranks *r, const sweep_plan *p, const sweep_shape *s, const char *about) {
  verdict v;
  remote me = {.ranks = r, .shape = s};
  const sweep_source source = {next_run, send_result, &me};
  hear(r, &v, sizeof v);
  if (v.code != ARGS_GO_ON) return (int)v.code;
  if (v.sweep != identity(about)) {
    cli_collect(NULL, 0);
    cli_error("process %d cannot read what process 0 has read: another model file, or none",
              r->rank);
    r->ops->abort(CLI_FAILED);
  }
  interrupt_catch();
  sweep_work(&source, p, s);
  hear_last(&me);
  r->ops->send(0, &ENDS, 1);
  return CLI_OK;
}

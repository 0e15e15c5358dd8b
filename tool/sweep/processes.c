/* SPDX-License-Identifier: MIT */
/* Messages of a sweep. Process 0 first announces what to do. Then another process sends results
 * (records), requests for a run (one letter) and a last message when it ends (another letter);
 * process 0 answers a request with the number of a run, or -1 if none is left. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/processes.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "args/args.h"
#include "parallel/launcher.h"
#include "simulate/interrupt.h"
#include "sweep/checksum.h"
#include "sweep/record.h"

static const char REQUEST = '?', END = '.';

/* the first message: ARGS_GO_ON or an exit code, and a checksum of the sweep that process 0 has
 * read */
typedef struct announcement {
  int64_t code;
  uint64_t sweep;
} announcement;

/* Checksum of the identity of a sweep; 0 if about is NULL. */
static uint64_t checksum_of(const char *about) {
  return about ? sweep_checksum(SWEEP_CHECKSUM_BEGIN, about, strlen(about)) : 0;
}

/* Detects the launcher and, if there are several processes, loads and starts MPI; fills *job.
 * Collective: all processes call it. False after a message. */
bool sweep_job_join(sweep_job *job) {
  const launcher found = launcher_detect();
  *job = (sweep_job){.process = found.process, .processes = found.processes};
  if (found.processes == 1) return true;
  char why[1000];
  job->ops = launcher_join(LAUNCHER_MPI_HIDDEN, why, sizeof why);
  tool_join();
  if (!job->ops) tool_error("%s", why);
  return job->ops != NULL;
}

/* Ends MPI, if it was started; waits for all processes. Collective: all processes call it. */
void sweep_job_leave(sweep_job *job) {
  if (job->ops) job->ops->end();
  job->ops = NULL;
}

/* Waits for the next message from anyone, with short naps, as the processors belong to the runs.
 * Sets its sender and size; the caller frees the bytes. Without memory all processes of the job
 * end. */
static char *wait_for_message(const sweep_job *job, int *from, size_t *size) {
  const struct timespec nap = {0, 50000};
  while (!job->ops->messages->poll(from, size)) nanosleep(&nap, NULL);
  char *bytes = malloc(*size + 1);
  if (!bytes) job->ops->abort(TOOL_FAILED);
  job->ops->messages->receive(*from, bytes, *size);
  return bytes;
}

/* ---- process 0 ------------------------------------------------------------------------------ */

/* Process 0 sends all others the first message: code (ARGS_GO_ON or an exit code) and the
 * checksum of `about`, the identity of the sweep (NULL: none). On other processes it does
 * nothing. sweep_job_work receives it. */
void sweep_job_announce(const sweep_job *job, int code, const char *about) {
  const announcement a = {code, checksum_of(about)};
  if (job->process != 0) return;
  for (int i = 1; i < job->processes; i++) job->ops->messages->send(i, &a, sizeof a);
}

/* Unpacks a result of another process into *result and stores it in the journal; false, after a
 * message, if it is damaged or cannot be stored. */
static bool store_result(const sweep_job_server *server, const sweep_source *source,
                         const char *bytes, size_t size, sweep_result *result) {
  sweep_record head;
  if (size >= sizeof head) memcpy(&head, bytes, sizeof head);
  if (size < sizeof head ||
      !sweep_record_possible(server->shape, &head, server->plan->runs, (int64_t)size) ||
      !sweep_record_unpack(server->shape, bytes, result)) {
    tool_error("a result of another process arrived damaged");
    return false;
  }
  return source->store(source->self, result);
}

/* The work of process 0: answers the messages of the other processes until all have ended.
 * source gives the runs and stores the results; self is a sweep_job_server. After a failure
 * every request is answered by -1, so that they end soon. */
void sweep_job_serve(void *self, const sweep_source *source) {
  const sweep_job_server *server = self;
  const sweep_job *job = server->job;
  sweep_result result;
  bool ok = sweep_result_open(&result, server->shape);
  for (int left = job->processes - 1; left > 0;) {
    int from;
    size_t size;
    char *bytes = wait_for_message(job, &from, &size);
    if (size == 1 && bytes[0] == END) {
      left--;
    } else if (size == 1) {
      const int64_t run = ok ? source->next(source->self) : -1;
      job->ops->messages->send(from, &run, sizeof run);
    } else {
      ok = ok && store_result(server, source, bytes, size, &result);
    }
    free(bytes);
  }
  sweep_result_close(&result);
}

/* ---- the other processes -------------------------------------------------------------------- */

/* A process requests its next run before it makes the one it has, so that it need not wait. */
typedef struct remote {
  const sweep_job *job;
  const sweep_shape *shape;
  bool requested; /* an answer is on its way */
} remote;

/* Waits for a message of process 0; if it has another length than expected, the whole job ends. */
static void receive_from_0(const sweep_job *job, void *to, size_t expected) {
  int from;
  size_t size;
  char *bytes = wait_for_message(job, &from, &size);
  if (size != expected) job->ops->abort(TOOL_FAILED);
  memcpy(to, bytes, expected);
  free(bytes);
}

/* Asks process 0 for a run; the answer is received later. */
static void request_run(remote *me) {
  me->job->ops->messages->send(0, &REQUEST, 1);
  me->requested = true;
}

/* The next run for this process, -1 if none is left or an interrupt came; requests the one after
 * it in advance (me->requested). */
static long next_run(void *self) {
  remote *me = self;
  int64_t run = -1;
  if (interrupt_came()) return -1;
  if (!me->requested) request_run(me);
  receive_from_0(me->job, &run, sizeof run);
  me->requested = false;
  if (run >= 0) request_run(me);
  return (long)run;
}

/* Sends a result to process 0; false if memory is short: process 0 then finds the run missing. */
static bool send_result(void *self, const sweep_result *result) {
  const remote *me = self;
  size_t size = 0;
  char *record = sweep_record_pack(me->shape, result, &size);
  if (!record) return false;
  me->job->ops->messages->send(0, record, size);
  free(record);
  return true;
}

/* The work of a process other than 0: waits for the announcement, makes runs until none is left,
 * sends the last message. about: the identity of the sweep as this process has read it; if it
 * differs from that of process 0, the whole job ends. TOOL_OK, or the code announced. */
int sweep_job_work(const sweep_job *job, const sweep_plan *p, const sweep_shape *s,
                   const char *about) {
  announcement a;
  remote me = {.job = job, .shape = s};
  const sweep_source source = {next_run, send_result, &me};
  receive_from_0(job, &a, sizeof a);
  if (a.code != ARGS_GO_ON) return (int)a.code;
  if (a.sweep != checksum_of(about)) {
    /* to stderr: messages of this process go nowhere, but process 0 does not know of this fault */
    fprintf(stderr,
            "genalpha: process %d cannot read what process 0 has read: another model file, or "
            "none\n",
            job->process);
    job->ops->abort(TOOL_FAILED);
  }
  interrupt_catch();
  sweep_work(&source, p, s);
  if (me.requested) {
    int64_t unused; /* a run that is made when the sweep is resumed */
    receive_from_0(job, &unused, sizeof unused);
  }
  job->ops->messages->send(0, &END, 1);
  return TOOL_OK;
}

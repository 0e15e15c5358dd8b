/* SPDX-License-Identifier: MIT */
/* Each item in a process of its own: compute, write the table, draw, write the record. Its
 * messages go to a temporary file, which is shown when the process ends. */
#define _POSIX_C_SOURCE 200809L
#include "papers/runner.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "picture/gnuplot.h"
#include "simulate/interrupt.h"
#include "simulate/progress.h"

/* one item */

/* Writes t as CSV; false after a message. */
static bool write_table(const char *path, const table *t) {
  errno = 0;
  FILE *to = fopen(path, "w");
  bool good = to && table_write(t, to);
  if (to && fclose(to) != 0) good = false;
  if (!good) tool_error("cannot write '%s': %s", path, errno ? strerror(errno) : "write error");
  return good;
}

/* Draws the item's chart from t as SVG and sets rec->svg; true if there is nothing to draw. */
static bool draw_picture(const runner *r, const item *it, const table *t, record *rec) {
  char path[PATH_LENGTH];
  if (!it->chart || !r->draw) return true;
  if (!record_path(path, r->dir, it->id, ".svg") || !chart_draw(it->chart, t, path)) return false;
  rec->svg = record_hash_file(path);
  return rec->svg != 0;
}

/* Computes an item and writes its CSV file, picture and record. False, after a message, if anything
 * failed. An interrupted item keeps the record of an earlier run. */
static bool compute_item(const runner *r, const item *it) {
  static result res; /* large */
  static record rec;
  char path[PATH_LENGTH];
  progress clock;
  progress_begin(&clock, 0, 1);
  res = (result){.quick = r->quick};
  it->compute(&res);
  if (res.data.failed) result_fail(&res, "no memory for its table");
  rec = (record){.program = record_program(), .quick = r->quick, .claims = res.claims};
  memcpy(rec.claim, res.claim, sizeof rec.claim);
  memcpy(rec.failure, res.failure, sizeof rec.failure);
  bool good = !res.failure[0];
  if (!good && !interrupt_came()) tool_error("%s: %s", it->id, res.failure);
  if (good) {
    good = record_path(path, r->dir, it->id, ".csv") && write_table(path, &res.data);
    if (good) rec.csv = record_hash_file(path);
    good = good && draw_picture(r, it, &res.data, &rec);
  }
  rec.seconds = progress_seconds(&clock);
  table_free(&res.data);
  /* an interrupted item leaves what an earlier run had */
  return (interrupt_came() || record_save(r->dir, it, &rec)) && good;
}

/* Draws the picture again from the CSV file, whose numbers are current, and updates the record.
 * False, usually after a message, if anything failed. */
static bool redraw_item(const runner *r, const item *it) {
  static record rec;
  char path[PATH_LENGTH];
  table t;
  if (!record_load(r->dir, it, &rec) || !record_path(path, r->dir, it->id, ".csv")) return false;
  bool good =
      table_read(&t, path) && draw_picture(r, it, &t, &rec) && record_save(r->dir, it, &rec);
  table_free(&t);
  return good;
}

/* several */

/* an item to compute or to redraw, and the process that does it */
typedef struct job {
  const item *it;
  bool (*work)(const runner *r, const item *it);
  double seconds; /* expected */
  pid_t child;    /* 0: not started, -1: done */
  double began;
  FILE *messages;
} job;

/* all jobs of a run; next: the first that is not started */
typedef struct crew {
  runner *r;
  job *jobs;
  int count, next, running, done;
  double expected, took; /* seconds of the finished jobs: estimated, and measured */
  progress clock;
  bool line;    /* a progress line is on the screen */
  bool stopped; /* interrupted: the processes have been signalled */
} crew;

/* Seconds since the run began. */
static double elapsed(const crew *c) {
  return progress_seconds(&c->clock);
}

/* Starts a process for the job, its standard error going to j->messages; sets j->began, j->child
 * and counts it in c->running. A failed fork is reported (j->child is -1); the job then counts
 * as missing. */
static void start_job(crew *c, job *j) {
  fflush(NULL);
  j->began = elapsed(c);
  j->messages = tmpfile();
  j->child = fork();
  if (j->child == 0) {
    if (j->messages) dup2(fileno(j->messages), 2);
    bool good = j->work(c->r, j->it);
    fflush(NULL);
    _exit(good ? TOOL_OK : TOOL_FAILED);
  }
  if (j->child < 0) tool_error("%s: cannot start a process: %s", j->it->id, strerror(errno));
  if (j->child > 0) c->running++;
}

/* Removes the progress line from the screen. */
static void clear_line(crew *c) {
  if (c->line) fprintf(stderr, "\r%78s\r", "");
  c->line = false;
}

/* Copies the messages of a finished job to standard error and closes their file. */
static void show_messages(job *j) {
  char line[600];
  if (!j->messages) return;
  rewind(j->messages);
  while (fgets(line, sizeof line, j->messages)) fputs(line, stderr);
  fclose(j->messages);
  j->messages = NULL;
}

/* Prints one line with the verdicts, such as "ab07-fig3   2 reproduced". */
static void show_result(const crew *c, const job *j, bool good) {
  static record rec;
  tally counts = {{0}, {0}};
  if (!good || !record_load(c->r->dir, j->it, &rec)) return;
  for (int i = 0; i < rec.claims; i++) tally_add(&counts, &rec.claim[i]);
  printf("%-22s", j->it->id);
  for (int v = 0; v < VERDICTS; v++) {
    if (counts.paper[v]) printf("  %d %s", counts.paper[v], verdict_word((verdict)v));
  }
  if (counts.addition[VERDICT_REPRODUCED]) {
    printf("  (%d of ours hold)", counts.addition[VERDICT_REPRODUCED]);
  }
  int open = counts.addition[VERDICT_OPEN] + counts.addition[VERDICT_DIFFERS];
  if (open) printf("  (%d of ours open)", open);
  putchar('\n');
  fflush(stdout);
}

/* Shows and counts the result of a job whose process ended with `status` of waitpid: updates the
 * counts of c and of c->r, sets j->child to -1. A job that failed because of an interrupt counts
 * neither as done nor as failed. */
static void finish_job(crew *c, job *j, int status) {
  bool good = WIFEXITED(status) && WEXITSTATUS(status) == TOOL_OK;
  clear_line(c);
  show_messages(j);
  if (WIFSIGNALED(status) && !interrupt_came()) {
    tool_error("%s: its process was ended by signal %d", j->it->id, WTERMSIG(status));
  }
  show_result(c, j, good);
  if (good && j->work == compute_item) c->r->computed++;
  if (good && j->work == redraw_item) c->r->redrawn++;
  if (!good && !interrupt_came()) c->r->failed++;
  c->expected += j->seconds;
  c->took += elapsed(c) - j->began;
  j->child = -1;
  c->running--;
  c->done += good || !interrupt_came();
}

/* Finishes all jobs whose processes have ended, without waiting. */
static void collect_finished(crew *c) {
  int status;
  pid_t child;
  while ((child = waitpid(-1, &status, WNOHANG)) > 0) {
    for (int i = 0; i < c->count; i++) {
      if (c->jobs[i].child == child) finish_job(c, &c->jobs[i], status);
    }
  }
}

/* Expected seconds until all is done: the estimates of unfinished jobs, corrected by the pace so
 * far (took/expected), divided among the workers; at least that of the longest job. */
static double seconds_left(const crew *c) {
  double pace = c->expected > 1 ? c->took / c->expected : 1, sum = 0, longest = 0;
  for (int i = 0; i < c->count; i++) {
    const job *j = &c->jobs[i];
    if (j->child < 0) continue;
    double left = pace * j->seconds - (j->child > 0 ? elapsed(c) - j->began : 0);
    sum += fmax(left, 0);
    longest = fmax(longest, left);
  }
  return fmax(sum / c->r->jobs, longest);
}

/* Shows the progress line on a terminal, from half a second on. */
static void show_progress(crew *c) {
  char text[160];
  if (!c->clock.on || elapsed(c) < 0.5) return;
  int n = snprintf(text, sizeof text, "%d of %d done, about %.0f s to go:", c->done, c->count,
                   ceil(seconds_left(c)));
  for (int i = 0; i < c->count && n < 78; i++) {
    if (c->jobs[i].child > 0) {
      n += snprintf(text + n, sizeof text - (size_t)n, " %s", c->jobs[i].it->id);
    }
  }
  fprintf(stderr, "\r%-78.78s", text);
  fflush(stderr);
  c->line = true;
}

/* Passes an interrupt on to the processes, once: the signal may have been sent to this
 * one alone. */
static void stop_all(crew *c) {
  for (int i = 0; i < c->count && !c->stopped; i++) {
    if (c->jobs[i].child > 0) kill(c->jobs[i].child, SIGTERM);
  }
  c->stopped = true;
}

/* Keeps up to r->jobs processes running until all are done, or after an interrupt until those
 * that run have ended; looks every 20 ms. */
static void run_jobs(crew *c) {
  const struct timespec pause = {0, 20 * 1000 * 1000};
  while (c->running > 0 || (c->next < c->count && !interrupt_came())) {
    while (c->running < c->r->jobs && c->next < c->count && !interrupt_came()) {
      start_job(c, &c->jobs[c->next++]);
    }
    if (c->running > 0) nanosleep(&pause, NULL);
    if (interrupt_came()) stop_all(c);
    collect_finished(c);
    show_progress(c);
  }
  clear_line(c);
}

/* Order for qsort: the longest first, so that no core idles at the end. */
static int by_length(const void *a, const void *b) {
  const job *x = a, *y = b;
  return x->seconds < y->seconds ? 1 : x->seconds > y->seconds ? -1 : 0;
}

/* Fills c->jobs (room for r->count) and c->count with the items to compute or redraw, longest
 * first; current ones are counted in r->kept. */
static void plan_jobs(crew *c, runner *r) {
  static record rec;
  for (int i = 0; i < r->count; i++) {
    const item *it = r->items[i];
    job *j = &c->jobs[c->count];
    bool known = record_load(r->dir, it, &rec);
    *j = (job){.it = it, .work = compute_item, .seconds = it->seconds};
    if (known && rec.quick == r->quick && !rec.failure[0]) j->seconds = rec.seconds;
    if (known && record_data_current(r->dir, it, &rec, r->quick)) {
      if (!r->draw || record_picture_current(r->dir, it, &rec)) {
        r->kept++;
        continue;
      }
      j->work = redraw_item;
      j->seconds = 0.1;
    }
    c->count++;
  }
  qsort(c->jobs, (size_t)c->count, sizeof *c->jobs, by_length);
}

/* Plans and runs all jobs, and counts computed, redrawn, kept and failed ones in r. TOOL_OK,
 * TOOL_FAILED after messages, or TOOL_INTERRUPTED. */
int runner_run(runner *r) {
  crew c = {.r = r};
  c.jobs = calloc((size_t)r->count + 1, sizeof *c.jobs);
  if (!c.jobs) {
    tool_error("no memory for the list of figures");
    return TOOL_FAILED;
  }
  interrupt_catch();
  plan_jobs(&c, r);
  progress_begin(&c.clock, 0, 1);
  run_jobs(&c);
  int missing = c.count - c.done;
  free(c.jobs);
  if (interrupt_came()) {
    tool_error("interrupted, %d of %d done; the next run goes on from there", c.done, c.count);
    return TOOL_INTERRUPTED;
  }
  return r->failed || missing ? TOOL_FAILED : TOOL_OK;
}

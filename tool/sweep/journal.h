/* SPDX-License-Identifier: MIT */
/* The journal of a sweep: a file to which every finished run is appended at once, in whatever order
 * runs finish. It is what a sweep that was killed goes on from. */
#ifndef TOOL_SWEEP_JOURNAL_H
#define TOOL_SWEEP_JOURNAL_H

#include <sys/types.h>

#include "sweep/one_run.h"

typedef struct sweep_journal {
  char *path;
  int fd;    /* -1: not open */
  off_t *at; /* of every run: where its record begins; 0: it is not done */
  long runs, done;
  off_t end;  /* of the last whole record */
  bool found; /* it was there already */
} sweep_journal;

/* Open or create OUT.journal. `about` says which sweep it is; the journal of another sweep is
 * refused. False after a message. */
bool sweep_journal_open(sweep_journal *j, const char *out, const char *about, const sweep_shape *s,
                        long runs);
/* Is there one? */
bool sweep_journal_exists(const char *out);
/* Each is false after a message. */
bool sweep_journal_append(sweep_journal *j, const sweep_shape *s, const sweep_result *r);
bool sweep_journal_read(const sweep_journal *j, const sweep_shape *s, long run, sweep_result *r);
void sweep_journal_close(sweep_journal *j, bool forget);

#endif

/* SPDX-License-Identifier: MIT */
/* Two sweeps with tables of their own but one file of histories would write it one over the other.
 * The journal of a sweep belongs to its table, so the histories need a mark of their own. */
#define _GNU_SOURCE /* flock, realpath */
#include "sweep/history_claim.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Report "cannot write 'PATH': " and the text of errno; returns false. */
static bool report_failure(const history_claim *c) {
  tool_error("cannot write '%s': %s", c->path, strerror(errno));
  return false;
}

/* Open or create the file and lock it (c->fd); where the file system has no locks, go on without.
 * Another sweep may remove the file between opening and locking; then a new one is opened. */
static bool open_locked(history_claim *c, const char *history) {
  struct stat own, named;
  while (true) {
    c->fd = open(c->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (c->fd < 0) return report_failure(c);
    if (flock(c->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      tool_error("'%s': another sweep that is running writes its histories to this file", history);
      return false;
    }
    if (fstat(c->fd, &own) != 0) return report_failure(c);
    if (stat(c->path, &named) == 0 && own.st_dev == named.st_dev && own.st_ino == named.st_ino) {
      return true;
    }
    close(c->fd);
  }
}

/* The absolute path of a file that need not exist, to be freed; NULL if its directory does not, or
 * without memory. */
static char *absolute_path(const char *path) {
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  char *directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  char *real = directory ? realpath(directory, NULL) : NULL, *out = NULL;
  if (real && asprintf(&out, "%s/%s", real, base) < 0) out = NULL;
  free(directory);
  free(real);
  return out;
}

/* Has the sweep into this table been stopped before its end: is there TABLE.journal? */
static bool has_journal(const char *table) {
  char *journal = NULL;
  if (asprintf(&journal, "%s.journal", table) < 0) return false;
  const bool there = access(journal, F_OK) == 0;
  free(journal);
  return there;
}

/* Compare the text of the locked file with `own`, the path of this sweep's table: false after a
 * message if it is that of another sweep which has not ended. Then write `own` to it. */
static bool take_over(const history_claim *c, const char *history, const char *own) {
  char other[PATH_MAX] = "";
  const ssize_t n = pread(c->fd, other, sizeof other - 1, 0);
  if (n > 0 && strcmp(other, own) != 0 && has_journal(other)) {
    tool_error(
        "'%s' belongs to the sweep into '%s', which was stopped; let that one end, remove its "
        "journal, or choose another name",
        history, other);
    return false;
  }
  const ssize_t length = (ssize_t)strlen(own);
  if (ftruncate(c->fd, 0) == 0 && pwrite(c->fd, own, (size_t)length, 0) == length) return true;
  return report_failure(c);
}

/* Claim the file `history` (NULL: nothing to do) for the sweep into the table `out`; fills *c. False
 * after a message if another sweep that has not ended writes to it; history_claim_close in any
 * case. */
bool history_claim_open(history_claim *c, const char *history, const char *out) {
  *c = (history_claim){.fd = -1};
  if (!history) return true;
  char *own = absolute_path(out);
  if (!own || asprintf(&c->path, "%s.owner", history) < 0) {
    c->path = NULL;
    free(own);
    tool_error("'%s': cannot find its directory", out);
    return false;
  }
  const bool good = open_locked(c, history) && take_over(c, history, own);
  free(own);
  return good;
}

/* Give the claim back; forget: the sweep has ended, the file is removed. Nothing for a claim that
 * was never opened. */
void history_claim_close(history_claim *c, bool forget) {
  if (forget && c->path && c->fd >= 0) unlink(c->path);
  if (c->fd >= 0) close(c->fd);
  free(c->path);
  *c = (history_claim){.fd = -1};
}

/* SPDX-License-Identifier: MIT */
/* Records of finished runs, one after the other, each with its length and a checksum. A killed
 * sweep may leave an incomplete record: it is dropped, with all that follows, and its run is made
 * again. */
#define _DEFAULT_SOURCE
#include "sweep/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sweep/record.h"

/* "gasweep1" as a number of this machine: a journal is read where it was written */
static const uint64_t HEAD = 0x3170656577736167u;

/* Reports errno for the journal ("cannot write .."); always false. */
static bool report_failure(const sweep_journal *j, const char *doing) {
  tool_error("cannot %s '%s': %s", doing, j->path, errno ? strerror(errno) : "it ends too early");
  return false;
}

/* Reads size bytes at offset `at`; false, with errno 0, also if the file ends before. */
static bool read_at(int fd, void *to, size_t size, off_t at) {
  errno = 0;
  for (size_t done = 0; done < size;) {
    const ssize_t n = pread(fd, (char *)to + done, size - done, at + (off_t)done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += (size_t)n;
  }
  return true;
}

/* Writes size bytes at offset `at`; false on failure, errno says why. */
static bool write_at(int fd, const void *from, size_t size, off_t at) {
  errno = 0;
  for (size_t done = 0; done < size;) {
    const ssize_t n = pwrite(fd, (const char *)from + done, size - done, at + (off_t)done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += (size_t)n;
  }
  return true;
}

/* ---- records -------------------------------------------------------------------------------- */

/* Appends the record of a run and updates j->at, end and done; the remains of a failed write are
 * cut off again. False after a message. Only one thread at a time may call it. */
bool sweep_journal_append(sweep_journal *j, const sweep_shape *s, const sweep_result *r) {
  size_t size = 0;
  char *record = sweep_record_pack(s, r, &size);
  if (!record) {
    tool_error("no memory for run %ld", r->run);
    return false;
  }
  const bool ok = write_at(j->fd, record, size, j->end);
  const int why = errno;
  free(record);
  if (!ok) {
    const bool cut = ftruncate(j->fd, j->end) == 0;
    (void)cut; /* if not, what is left there is found by its checksum */
    errno = why;
    return report_failure(j, "write");
  }
  j->at[r->run] = j->end;
  j->end += (off_t)size;
  j->done++;
  return true;
}

/* Reads the record at offset `at` of a file of `size` bytes, also its head; the caller frees it.
 * NULL if there is no complete record, or no memory (errno is ENOMEM then). */
static char *read_record(const sweep_journal *j, const sweep_shape *s, off_t at, off_t size,
                         sweep_record *head) {
  if (at + (off_t)sizeof *head > size || !read_at(j->fd, head, sizeof *head, at) ||
      !sweep_record_possible(s, head, j->runs, size - at)) {
    return NULL;
  }
  const size_t bytes = sizeof *head + (size_t)head->bytes;
  char *record = malloc(bytes);
  if (record && read_at(j->fd, record, bytes, at)) return record;
  free(record);
  return NULL;
}

/* Reads the result of a run that is done (j->at[run] != 0) into r; false after a message. */
bool sweep_journal_read(const sweep_journal *j, const sweep_shape *s, long run, sweep_result *r) {
  sweep_record head;
  char *record = read_record(j, s, j->at[run], j->end, &head);
  const bool ok = record && sweep_record_unpack(s, record, r);
  free(record);
  if (!ok) tool_error("cannot read run %ld in '%s'", run, j->path);
  return ok;
}

/* ---- the file ------------------------------------------------------------------------------- */

/* Reports the first line in which the identity of the journal (there) differs from ours (here). */
static void report_difference(const sweep_journal *j, const char *there, const char *here) {
  while (*there && *here) {
    const size_t n = strcspn(there, "\n"), m = strcspn(here, "\n");
    if (n != m || strncmp(there, here, n) != 0) break;
    there += n + (there[n] == '\n');
    here += m + (here[m] == '\n');
  }
  there += strspn(there, " ");
  here += strspn(here, " ");
  tool_error(
      "'%s' belongs to another sweep: it has %.*s, this one %.*s; take another --out, or remove "
      "the journal",
      j->path, (int)strcspn(there, "\n"), there, (int)strcspn(here, "\n"), here);
}

/* Checks that the file is a journal of this very sweep, whose identity is about; sets j->end to
 * the end of its head, 0 on failure. False after a message. */
static bool check_head(sweep_journal *j, const char *about) {
  uint64_t head[2];
  char *there = NULL;
  /* mark, and length of the identity, at most 1 GiB to be believed */
  bool ok = read_at(j->fd, head, sizeof head, 0) && head[0] == HEAD && head[1] < 1u << 30;
  if (ok) there = calloc(head[1] + 1, 1);
  ok = there && read_at(j->fd, there, head[1], (off_t)sizeof head);
  if (!ok) {
    tool_error("'%s' is not the journal of a sweep; take another --out, or remove it", j->path);
  } else if (strcmp(there, about) != 0) {
    report_difference(j, there, about);
    ok = false;
  }
  j->end = ok ? (off_t)(sizeof head + head[1]) : 0;
  free(there);
  return ok;
}

/* Is the file empty or only a beginning of this head? Then it is new, or a sweep was killed before
 * it had written its head. */
static bool head_incomplete(const sweep_journal *j, const char *head, size_t size) {
  struct stat now;
  if (fstat(j->fd, &now) != 0 || now.st_size >= (off_t)size) return false;
  char *there = malloc((size_t)now.st_size + 1);
  const bool same = there && read_at(j->fd, there, (size_t)now.st_size, 0) &&
                    memcmp(there, head, (size_t)now.st_size) == 0;
  free(there);
  return same;
}

/* Writes the head of a new journal, or checks that of an old one; sets j->found (it is an old
 * one) and j->end. The file must be locked. False after a message; a new file that cannot be
 * written is removed. */
static bool write_or_check_head(sweep_journal *j, const char *about) {
  const uint64_t mark[2] = {HEAD, strlen(about)};
  const size_t size = sizeof mark + mark[1];
  char *head = malloc(size);
  if (!head) return report_failure(j, "write");
  memcpy(head, mark, sizeof mark);
  memcpy(head + sizeof mark, about, mark[1]);
  j->found = !head_incomplete(j, head, size);
  const bool ok = j->found ? check_head(j, about) : write_at(j->fd, head, size, 0);
  free(head);
  if (j->found || ok) {
    if (!j->found) j->end = (off_t)size;
    return ok;
  }
  const int why = errno;
  unlink(j->path);
  errno = why;
  return report_failure(j, "write");
}

/* Opens or creates the file (j->fd) and locks it; goes on without a lock where the file system
 * has none. Another sweep may remove the file between opening and locking; then a new one is
 * opened. False after a message; sweep_journal_close closes it. */
static bool open_locked(sweep_journal *j) {
  struct stat own, named;
  while (true) {
    j->fd = open(j->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (j->fd < 0) return report_failure(j, "write");
    if (flock(j->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      tool_error("'%s': a sweep into this file is running already", j->path);
      return false;
    }
    if (fstat(j->fd, &own) != 0) return report_failure(j, "read");
    if (stat(j->path, &named) == 0 && own.st_dev == named.st_dev && own.st_ino == named.st_ino) {
      return true;
    }
    close(j->fd);
  }
}

/* Indexes all complete records from j->end on (sets at, done, end) and truncates the file after
 * the last one, as a killed sweep may have left half a record. j->at is zeroed before. If memory
 * runs out, the file is not truncated. False after a message. */
static bool index_records(sweep_journal *j, const sweep_shape *s) {
  const off_t size = lseek(j->fd, 0, SEEK_END);
  sweep_result r;
  sweep_record head;
  errno = 0;
  for (bool whole = sweep_result_open(&r, s); whole;) {
    char *record = read_record(j, s, j->end, size, &head);
    whole = record && sweep_record_unpack(s, record, &r);
    free(record);
    if (!whole) break;
    if (j->at[head.run] == 0) j->done++;
    j->at[head.run] = j->end;
    j->end += (off_t)sizeof head + (off_t)head.bytes;
  }
  const bool lacking = errno == ENOMEM;
  sweep_result_close(&r);
  if (lacking) return report_failure(j, "read");
  return ftruncate(j->fd, j->end) == 0 ? true : report_failure(j, "write");
}

/* OUT.journal, to be freed; NULL if memory is short. */
static char *journal_path(const char *out) {
  const size_t size = strlen(out) + 9;
  char *path = malloc(size);
  if (path) snprintf(path, size, "%s.journal", out);
  return path;
}

/* Is there a file OUT.journal? */
bool sweep_journal_exists(const char *out) {
  char *path = journal_path(out);
  const bool there = path && access(path, F_OK) == 0;
  free(path);
  return there;
}

/* Fills *j, which need not be initialized: opens or creates OUT.journal, locks it, checks that
 * it is of this sweep (about: its identity), indexes the records of its `runs` runs. False after
 * a message; sweep_journal_close in any case. */
bool sweep_journal_open(sweep_journal *j, const char *out, const char *about, const sweep_shape *s,
                        long runs) {
  *j = (sweep_journal){.fd = -1, .runs = runs, .path = journal_path(out)};
  j->at = calloc((size_t)runs, sizeof *j->at);
  if (!j->path || !j->at) {
    tool_error("no memory for the journal of %ld runs", runs);
    return false;
  }
  return open_locked(j) && write_or_check_head(j, about) && index_records(j, s);
}

/* Closes the journal and unlocks it; forget: also removes the file. */
void sweep_journal_close(sweep_journal *j, bool forget) {
  if (forget && j->path) unlink(j->path);
  if (j->fd >= 0) close(j->fd);
  free(j->path);
  free(j->at);
  *j = (sweep_journal){.fd = -1};
}

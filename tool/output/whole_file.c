/* SPDX-License-Identifier: MIT */
/* Files that are written at once. A disk may be full: what was written before says nothing then, and a
 * cut page or table looks like a whole one, so it is removed. */
#define _POSIX_C_SOURCE 200809L
#include "output/whole_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool.h"

/* Is this path standard output? */
static bool is_standard(const char *path) {
  return !path || strcmp(path, "-") == 0;
}

/* Empty a regular file and remove it; a link to it stays, and what is no file (/dev/full). */
static void remove_regular(const char *path) {
  struct stat info;
  if (is_standard(path) || stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return;
  const bool emptied = truncate(path, 0) == 0;
  if (emptied && lstat(path, &info) == 0 && S_ISREG(info.st_mode)) unlink(path);
}

/* Open a file for writing, over an old one; NULL and "-": standard output. NULL after a message. */
FILE *whole_file_open(const char *path) {
  errno = 0;
  FILE *to = is_standard(path) ? stdout : fopen(path, "w");
  if (!to) tool_error("cannot write '%s': %s", path, strerror(errno));
  return to;
}

/* Close what whole_file_open has opened. False after a message if not all was written, as on a full
 * disk; a regular file is then removed. Standard output stays open; the end of the program checks it. */
bool whole_file_close(FILE *to, const char *path) {
  const int before = errno; /* of a write that failed, if none fails now */
  if (to == stdout) return true;
  errno = 0;
  const bool flushed = fflush(to) == 0 && !ferror(to);
  int reason = errno ? errno : before;
  if (fclose(to) == 0 && flushed) return true;
  if (flushed) reason = errno;
  tool_error("cannot write '%s': %s", path, reason ? strerror(reason) : "write error");
  remove_regular(path);
  return false;
}

/* Close and remove a file whose contents could not be made; nothing is said. */
void whole_file_discard(FILE *to, const char *path) {
  if (to != stdout) fclose(to);
  remove_regular(path);
}

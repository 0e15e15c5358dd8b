/* SPDX-License-Identifier: MIT */
/* Files of states: written whole or not at all. */
#define _POSIX_C_SOURCE 200809L
#include "run/state_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns GA_ERR_IO; *err says that the file cannot be `what` ("read", ..), and why, from errno. */
ga_status ga_file_error(ga_error *err, const char *path, const char *what) {
  return ga_fail(err, GA_ERR_IO, "state file '%s' cannot be %s: %s", path, what, strerror(errno));
}

/* Write n bytes to path, replacing what is there, and wait until they are on the disk. GA_ERR_IO if
 * any part of it fails; the file may then be incomplete. */
static ga_status write_file(ga_error *err, const char *path, const void *bytes, size_t n) {
  FILE *file = fopen(path, "wb");
  if (!file) return ga_file_error(err, path, "created");
  bool good = fwrite(bytes, 1, n, file) == n && fflush(file) == 0;
  if (good) good = fsync(fileno(file)) == 0 || errno == EINVAL || errno == EROFS;
  int reason = errno;
  if (fclose(file) != 0 && good) {
    good = false;
    reason = errno;
  }
  errno = reason;
  return good ? GA_OK : ga_file_error(err, path, "written");
}

/* Write the bytes to PATH.tmp and rename it, so that the file is old or new, never half; it keeps
 * its permissions. A path that is not a regular file (a device, a link) is written directly.
 * GA_ERR_IO or GA_ERR_MEM on failure; PATH.tmp is removed. */
ga_status ga_file_replace(ga_error *err, const char *path, const void *bytes, size_t n) {
  struct stat there;
  bool exists = lstat(path, &there) == 0;
  if (exists && !S_ISREG(there.st_mode)) return write_file(err, path, bytes, n);
  size_t length = strlen(path) + 5;
  char *aside = ga_calloc(length, 1);
  if (!aside) return ga_fail(err, GA_ERR_MEM, "no memory to save the state");
  snprintf(aside, length, "%s.tmp", path);
  ga_status status = write_file(err, aside, bytes, n);
  if (status == GA_OK && exists) chmod(aside, there.st_mode & 07777);
  if (status == GA_OK && rename(aside, path) != 0) status = ga_file_error(err, path, "replaced");
  if (status != GA_OK) remove(aside);
  ga_free(aside);
  return status;
}

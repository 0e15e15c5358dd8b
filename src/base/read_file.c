/* SPDX-License-Identifier: MIT */
/* A whole file in memory, for the readers of model files and of robots. */
#define _POSIX_C_SOURCE 200809L
#include "base/read_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* *text <- `length` bytes of a file and a zero byte, in the arena; path: for messages. Fails if the
 * file is shorter or cannot be read. */
static ga_status read_bytes(FILE *file, const char *path, size_t length, ga_arena *arena,
                            char **text, ga_error *err) {
  *text = ga_arena_take(arena, length + 1, 1);
  if (!*text) return ga_fail(err, GA_ERR_MEM, "%s: no memory", path);
  if (fread(*text, 1, length, file) == length) return GA_OK;
  return ga_fail(err, GA_ERR_IO, "%s: cannot be read: %s", path,
                 ferror(file) ? strerror(errno) : "it became shorter");
}

/* *text <- the bytes of a regular file of at most `most` bytes, and a zero byte, in the arena. */
ga_status ga_read_file(const char *path, const char *what, long most, ga_arena *arena, char **text,
                       size_t *length, ga_error *err) {
  struct stat info;
  *text = NULL;
  *length = 0;
  if (stat(path, &info) != 0) {
    return ga_fail(err, GA_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
  }
  if (S_ISDIR(info.st_mode)) return ga_fail(err, GA_ERR_IO, "%s: is a directory", path);
  if (!S_ISREG(info.st_mode)) return ga_fail(err, GA_ERR_IO, "%s: is not a file", path);
  if (info.st_size > most) {
    return ga_fail(err, GA_ERR_FILE, "%s: has %lld bytes, %s may have %ld", path,
                   (long long)info.st_size, what, most);
  }
  FILE *file = fopen(path, "rb");
  if (!file) return ga_fail(err, GA_ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
  const ga_status status = read_bytes(file, path, (size_t)info.st_size, arena, text, err);
  fclose(file);
  if (status == GA_OK) *length = (size_t)info.st_size;
  return status;
}

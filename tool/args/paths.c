/* SPDX-License-Identifier: MIT */
/* Do two paths of a command name the same file? A file that exists is known by its device and
 * inode, so that links and other spellings count. A file that is still to be created is known by
 * its directory and its name there. */
#define _POSIX_C_SOURCE 200809L
#include "args/paths.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args/args.h"

/* What identifies a file. */
typedef struct file_identity {
  bool known;  /* false: no regular file can be there, or it is a device: never the same */
  bool exists; /* device and inode are those of the file, else those of its directory */
  dev_t device;
  ino_t inode;
  char name[PATH_MAX]; /* in its directory, if it does not exist; without a directory, its path */
} file_identity;

/* Set the identity of a file that does not exist, from its directory and its name there. */
static void identify_new_file(const char *path, file_identity *f) {
  struct stat s;
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  char *directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  const bool there = directory && stat(directory, &s) == 0;
  f->known = true;
  f->device = there ? s.st_dev : 0;
  f->inode = there ? s.st_ino : 0;
  snprintf(f->name, sizeof f->name, "%s", there ? base : path);
  free(directory);
}

/* If path is a symbolic link, write the path it points to into target (PATH_MAX bytes) and return
 * true. A relative target is one of the directory of the link. */
static bool read_link(const char *path, char *target) {
  const char *slash = strrchr(path, '/');
  const size_t before = slash ? (size_t)(slash - path) + 1 : 0;
  char text[PATH_MAX];
  const ssize_t n = readlink(path, text, sizeof text - 1);
  if (n <= 0) return false;
  text[n] = '\0';
  const size_t kept = text[0] == '/' ? 0 : before;
  if (kept + (size_t)n >= PATH_MAX) return false;
  memcpy(target, path, kept);
  memcpy(target + kept, text, (size_t)n + 1);
  return true;
}

/* The identity of the file that opening PATH followed by the suffix would read or create. */
static file_identity identify_file(const char *path, const char *suffix) {
  enum { LINKS_MAX = 40 }; /* as in the Linux kernel: a longer chain is a loop */
  file_identity f = {.known = false};
  struct stat s;
  char at[PATH_MAX], target[PATH_MAX];
  const int length = snprintf(at, sizeof at, "%s%s", path, suffix ? suffix : "");
  if (length < 0 || (size_t)length >= sizeof at) return f;
  if (stat(at, &s) == 0) {
    f.known = S_ISREG(s.st_mode);
    f.exists = true;
    f.device = s.st_dev;
    f.inode = s.st_ino;
    return f;
  }
  /* the target of a link need not exist: opening the link to write would create it */
  for (int i = 0; i < LINKS_MAX && read_link(at, target); i++) memcpy(at, target, sizeof at);
  identify_new_file(at, &f);
  return f;
}

/* Are both the same file? */
static bool is_same(const file_identity *a, const file_identity *b) {
  return a->known && b->known && a->exists == b->exists && a->device == b->device &&
         a->inode == b->inode && (a->exists || strcmp(a->name, b->name) == 0);
}

/* Do both paths name the same file? */
bool paths_same(const char *a, const char *b) {
  const file_identity first = identify_file(a, NULL), second = identify_file(b, NULL);
  return is_same(&first, &second);
}

/* Is this use a file? */
static bool is_file(const path_use *use) {
  return use->path && strcmp(use->path, "-") != 0;
}

/* The message about a pair that names the same file. */
static void report_pair(const path_use *a, const path_use *b) {
  const path_use *out = a->written ? a : b, *other = a->written ? b : a;
  tool_error("%s '%s%s' is the same file as %s '%s%s'%s; choose another name", out->what, out->path,
             out->suffix ? out->suffix : "", other->what, other->path,
             other->suffix ? other->suffix : "",
             other->written ? ", and only one of them can be kept" : ", which would be lost");
}

enum { WRITTEN_MAX = 16 };
/* What the command writes, known before it reads further files and starts threads. */
static path_use written[WRITTEN_MAX];
static int nwritten;

/* Refuse a pair of paths that name the same file if at least one of them is written, also by
 * another name of that file. n: number of uses. ARGS_GO_ON, or TOOL_USAGE after a message. */
int paths_check(int n, const path_use *use) {
  nwritten = 0;
  for (int i = 0; i < n && nwritten < WRITTEN_MAX; i++) {
    if (is_file(&use[i]) && use[i].written) written[nwritten++] = use[i];
  }
  for (int i = 0; i < n; i++) {
    if (!is_file(&use[i])) continue;
    const file_identity a = identify_file(use[i].path, use[i].suffix);
    for (int j = i + 1; j < n; j++) {
      if (!is_file(&use[j]) || !(use[i].written || use[j].written)) continue;
      const file_identity b = identify_file(use[j].path, use[j].suffix);
      if (!is_same(&a, &b)) continue;
      report_pair(&use[i], &use[j]);
      return TOOL_USAGE;
    }
  }
  return ARGS_GO_ON;
}

/* Refuse a file that the command reads and would write. */
int paths_check_read(const char *what, const char *path) {
  const path_use read = {.what = what, .path = path};
  const file_identity own = identify_file(path, NULL);
  for (int i = 0; i < nwritten; i++) {
    const file_identity out = identify_file(written[i].path, written[i].suffix);
    if (!is_same(&own, &out)) continue;
    report_pair(&written[i], &read);
    return TOOL_USAGE;
  }
  return ARGS_GO_ON;
}

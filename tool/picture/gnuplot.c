/* SPDX-License-Identifier: MIT */
/* The only file that calls gnuplot: script and messages are unnamed temporary files, the picture is
 * the standard output of gnuplot. */
#define _POSIX_C_SOURCE 200809L
#include "picture/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
  const char *ending, *terminal, *options;
} formats[] = {
    {".svg", "svg", "font 'sans-serif,14' background 'white' noenhanced"},
    {".png", "pngcairo", "font 'Sans,11' noenhanced"},
};

enum { NFORMATS = (int)(sizeof formats / sizeof formats[0]) };

/* Index into formats by the ending of the file name, -1 if it is neither .svg nor .png. */
static int format_of(const char *path) {
  size_t length = strlen(path);
  for (int i = 0; i < NFORMATS; i++) {
    size_t n = strlen(formats[i].ending);
    if (length > n && strcmp(path + length - n, formats[i].ending) == 0) return i;
  }
  return -1;
}

/* Reads the argument of an option as a file name; false, after a message, if it has another
 * ending. */
bool gnuplot_read_name(const arg_spec *spec, const char *text, void *field) {
  if (format_of(text) < 0) {
    tool_error("--%s '%s': the name must end in .svg or .png", spec->key, text);
    return false;
  }
  return arg_read_text(spec, text, field);
}

/* Is there an executable of that name in one of the directories of PATH? */
static bool in_path(const char *name) {
  const char *path = getenv("PATH");
  for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
    char file[4096];
    size_t length = strcspn(at, ":");
    int n = snprintf(file, sizeof file, "%.*s/%s", (int)length, at, name);
    if (n > 0 && (size_t)n < sizeof file && access(file, X_OK) == 0) return true;
    at += length + (at[length] == ':');
  }
  return false;
}

/* Is gnuplot in PATH? False after a message. */
bool gnuplot_found(void) {
  if (in_path("gnuplot")) return true;
  tool_error("gnuplot is not installed (Debian package gnuplot-nox): no pictures without it");
  return false;
}

/* Opens the picture (an old file is not truncated yet) and a temporary script that begins with
 * the terminal settings; size in pixels. The ending of path must be one of `formats`. False
 * after a message, with nothing left open; else gnuplot_close or gnuplot_discard ends it. */
bool gnuplot_open(gnuplot *plot, const char *path, int width, int height) {
  int format = format_of(path);
  *plot = (gnuplot){.path = path, .fd = -1};
  if (!gnuplot_found()) return false;
  plot->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (plot->fd < 0) {
    tool_error("cannot write '%s': %s", path, strerror(errno));
    return false;
  }
  plot->script = tmpfile();
  if (!plot->script) {
    tool_error("cannot write a temporary file for gnuplot: %s", strerror(errno));
    gnuplot_discard(plot);
    return false;
  }
  fputs("set encoding utf8\n", plot->script);
  fprintf(plot->script, "set terminal %s size %d,%d %s\n", formats[format].terminal, width, height,
          formats[format].options);
  return true;
}

/* Closes both files; the temporary script disappears. */
static void close_files(gnuplot *plot) {
  if (plot->script) fclose(plot->script);
  if (plot->fd >= 0) close(plot->fd);
  *plot = (gnuplot){.fd = -1};
}

/* Closes without a picture; removes the file if it is empty, as gnuplot_open has created it
 * then. */
void gnuplot_discard(gnuplot *plot) {
  struct stat info;
  /* an empty regular file is the one created by open */
  if (plot->fd >= 0 && fstat(plot->fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size == 0) {
    unlink(plot->path);
  }
  close_files(plot);
}

/* Opens the picture and discards it at once, for the messages before a long run; an old file
 * stays as it is. False after a message. */
bool gnuplot_check(const char *path) {
  gnuplot plot;
  if (!gnuplot_open(&plot, path, 1, 1)) return false;
  gnuplot_discard(&plot);
  return true;
}

/* Copy all that can be read from `in` to `out`. Returns 0, or the errno of the first write that
 * failed; what follows is still read, so that the writer does not end early. */
static int copy_output(int in, int out) {
  char block[1 << 16];
  int failed = 0;
  for (ssize_t n; (n = read(in, block, sizeof block)) != 0;) {
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed ? failed : errno;
    for (ssize_t done = 0; done < n && !failed;) {
      const ssize_t written = write(out, block + done, (size_t)(n - done));
      if (written >= 0) {
        done += written;
      } else if (errno != EINTR) {
        failed = errno;
      }
    }
  }
  return failed;
}

/* Run gnuplot with these files as standard input and error and wait. Its output goes to `out`
 * through a pipe, because gnuplot itself does not notice a disk that is full; *failed: errno of
 * that, else 0. Returns the status of waitpid, -1 if pipe, fork or waitpid failed, exit status 127
 * if gnuplot cannot be started. */
static int run_gnuplot(int in, int out, int err, int *failed) {
  int ends[2];
  *failed = 0;
  if (pipe(ends) != 0) return -1;
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    if (dup2(in, 0) == 0 && dup2(ends[1], 1) == 1 && dup2(err, 2) == 2) {
      execlp("gnuplot", "gnuplot", "-d", (char *)NULL);
    }
    _exit(127);
  }
  close(ends[1]);
  if (child > 0) *failed = copy_output(ends[0], out);
  close(ends[0]);
  int status = -1;
  while (child > 0 && waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return child > 0 ? status : -1;
}

/* Reports the last line of the messages of gnuplot that is not empty, as it says most. */
static void report_failure(const gnuplot *plot, FILE *messages) {
  char line[256], last[256] = "no message";
  rewind(messages);
  while (fgets(line, sizeof line, messages)) {
    line[strcspn(line, "\n")] = '\0';
    if (line[strspn(line, " \t^")]) memcpy(last, line, sizeof last);
  }
  tool_error("gnuplot failed, '%s' is not complete: %s", plot->path, last + strspn(last, " \t"));
}

/* Truncates the picture, runs gnuplot on the script and closes all, also after a failure. False
 * after a message: gnuplot ended with an error or wrote nothing, or the picture could not be
 * written. An incomplete picture is removed. */
bool gnuplot_close(gnuplot *plot) {
  struct stat info;
  int failed = 0;
  FILE *messages = tmpfile();
  bool ok = messages && fflush(plot->script) == 0 && !ferror(plot->script);
  /* not a regular file: nothing to cut, the error does not matter */
  if (ok && ftruncate(plot->fd, 0) != 0) errno = 0;
  if (!ok) {
    tool_error("cannot write a temporary file for gnuplot: %s", strerror(errno));
  } else {
    rewind(plot->script);
    int status = run_gnuplot(fileno(plot->script), plot->fd, fileno(messages), &failed);
    /* some file systems report a full disk only here */
    if (!failed && fsync(plot->fd) != 0 && errno != EINVAL && errno != EROFS) failed = errno;
    ok = status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
         fstat(plot->fd, &info) == 0 && (!S_ISREG(info.st_mode) || info.st_size > 0);
    if (!ok && !failed) report_failure(plot, messages);
    if (failed) tool_error("cannot write '%s': %s", plot->path, strerror(failed));
    ok = ok && !failed;
  }
  if (!ok && fstat(plot->fd, &info) == 0 && S_ISREG(info.st_mode)) unlink(plot->path);
  if (messages) fclose(messages);
  close_files(plot);
  return ok;
}

/* Colour i as #rrggbb; starts again after the last. */
const char *gnuplot_color(int i) {
  static const char *const colors[GNUPLOT_COLORS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                     "#e69f00", "#56b4e9", "#000000"};
  return colors[i % GNUPLOT_COLORS];
}

/* Writes text in single quotes; those inside are doubled. */
void gnuplot_quote(FILE *to, const char *text) {
  fputc('\'', to);
  for (; *text; text++) {
    if (*text == '\'') fputc('\'', to);
    fputc(*text, to);
  }
  fputc('\'', to);
}

/* SPDX-License-Identifier: MIT */
/* The only place that calls gnuplot: script and messages in unnamed temporary files, the picture
 * on its standard output. */
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

static int format_of(const char *path) {
  size_t length = strlen(path);
  for (int i = 0; i < NFORMATS; i++) {
    size_t n = strlen(formats[i].ending);
    if (length > n && strcmp(path + length - n, formats[i].ending) == 0) return i;
  }
  return -1;
}

bool gnuplot_read_name(const arg_spec *spec, const char *text, void *field) {
  if (format_of(text) < 0) {
    tool_error("--%s '%s': the name must end in .svg or .png", spec->key, text);
    return false;
  }
  return arg_read_text(spec, text, field);
}

/* is there an executable of that name in one of the directories of PATH? */
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

bool gnuplot_found(void) {
  if (in_path("gnuplot")) return true;
  tool_error("gnuplot is not installed (Debian package gnuplot-nox): no pictures without it");
  return false;
}

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

static void release(gnuplot *plot) {
  if (plot->script) fclose(plot->script);
  if (plot->fd >= 0) close(plot->fd);
  *plot = (gnuplot){.fd = -1};
}

void gnuplot_discard(gnuplot *plot) {
  struct stat info;
  /* an empty regular file is the one created by open */
  if (plot->fd >= 0 && fstat(plot->fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size == 0) {
    unlink(plot->path);
  }
  release(plot);
}

bool gnuplot_check(const char *path) {
  gnuplot plot;
  if (!gnuplot_open(&plot, path, 1, 1)) return false;
  gnuplot_discard(&plot);
  return true;
}

/* fork, exec, wait; the exit status as of waitpid, -1 if that failed */
static int run_gnuplot(int in, int out, int err) {
  pid_t child = fork();
  if (child == 0) {
    if (dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(err, 2) == 2) {
      execlp("gnuplot", "gnuplot", "-d", (char *)NULL);
    }
    _exit(127);
  }
  int status = -1;
  while (child > 0 && waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return child > 0 ? status : -1;
}

/* the line of gnuplot's messages that tells most: the last one that is not empty */
static void complain(const gnuplot *plot, FILE *messages) {
  char line[256], last[256] = "no message";
  rewind(messages);
  while (fgets(line, sizeof line, messages)) {
    line[strcspn(line, "\n")] = '\0';
    if (line[strspn(line, " \t^")]) memcpy(last, line, sizeof last);
  }
  tool_error("gnuplot failed, '%s' is not complete: %s", plot->path, last + strspn(last, " \t"));
}

bool gnuplot_close(gnuplot *plot) {
  struct stat info;
  FILE *messages = tmpfile();
  bool ok = messages && fflush(plot->script) == 0 && !ferror(plot->script);
  /* not a regular file: nothing to cut, the error does not matter */
  if (ok && ftruncate(plot->fd, 0) != 0) errno = 0;
  if (!ok) {
    tool_error("cannot write a temporary file for gnuplot: %s", strerror(errno));
  } else {
    rewind(plot->script);
    int status = run_gnuplot(fileno(plot->script), plot->fd, fileno(messages));
    ok = status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
         fstat(plot->fd, &info) == 0 && (!S_ISREG(info.st_mode) || info.st_size > 0);
    if (!ok) complain(plot, messages);
  }
  if (messages) fclose(messages);
  release(plot);
  return ok;
}

const char *gnuplot_color(int i) {
  static const char *const colors[GNUPLOT_COLORS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                     "#e69f00", "#56b4e9", "#000000"};
  return colors[i % GNUPLOT_COLORS];
}

void gnuplot_quote(FILE *to, const char *text) {
  fputc('\'', to);
  for (; *text; text++) {
    if (*text == '\'') fputc('\'', to);
    fputc(*text, to);
  }
  fputc('\'', to);
}

/* SPDX-License-Identifier: MIT */
/* The progress line: written over itself a few times a second, cleared at the end. */
#define _POSIX_C_SOURCE 200809L
#include "simulate/progress.h"

#include <time.h>
#include <unistd.h>

#include "tool.h"

enum { WIDTH = 78 };

/* Seconds of a monotonic clock. */
static double now(void) {
  struct timespec ts = {0, 0};
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/* Start the clock; t0 to t_end is the whole way. Lines appear after a second, on a terminal
 * only. */
void progress_begin(progress *p, double t0, double t_end) {
  *p = (progress){
      .t0 = t0, .t_end = t_end, .began = now(), .on = isatty(2) == 1 && tool_messages() == stderr};
  p->next = p->began + 1;
}

/* Seconds since progress_begin. */
double progress_seconds(const progress *p) {
  return now() - p->began;
}

/* Write a duration for people: "35 s", "12 min", "3 h". */
static void print_duration(char *text, size_t size, double seconds) {
  static const struct {
    double below, unit;
    const char *name;
  } units[] = {{100, 1, "s"}, {6000, 60, "min"}, {3e5, 3600, "h"}, {1e300, 86400, "days"}};
  int i = 0;
  while (i < 3 && seconds >= units[i].below) i++;
  snprintf(text, size, "%.0f %s", seconds / units[i].unit, units[i].name);
}

/* Is it time for another line (5 a second at most)? Then set *done, the fraction of the way from
 * t0 to t_end at `at`, and write the estimated remaining time to left. */
static bool line_due(progress *p, double at, double *done, char *left, size_t size) {
  if (!p->on) return false;
  const double clock = now();
  if (clock < p->next) return false;
  p->next = clock + 0.2;
  *done = (at - p->t0) / (p->t_end - p->t0);
  if (!(*done > 0)) return false;
  print_duration(left, size, (clock - p->began) * (1 - *done) / *done);
  return true;
}

/* Write a line over the one before. */
static void show_line(progress *p, const char *line) {
  fprintf(stderr, "\r%-*.*s", WIDTH, WIDTH, line);
  fflush(stderr);
  p->shown = true;
}

/* Show time, steps and the estimated remaining time, if a line is due. */
void progress_update(progress *p, double t, long steps) {
  double done;
  char line[160], left[32];
  if (!line_due(p, t, &done, left, sizeof left)) return;
  snprintf(line, sizeof line, "%5.1f %%   t = %.6g of %.6g   %ld steps   %s to go", 100 * done, t,
           p->t_end, steps, left);
  show_line(p, line);
}

/* Show how many of all runs are done, if a line is due. (For sweeps: t counts runs.) */
void progress_count(progress *p, long runs, long all) {
  double done;
  char line[160], left[32];
  if (!line_due(p, (double)runs, &done, left, sizeof left)) return;
  snprintf(line, sizeof line, "%5.1f %%   %ld of %ld runs   %s to go",
           100 * (double)runs / (double)all, runs, all, left);
  show_line(p, line);
}

/* Erase the line before anything else is printed. */
void progress_clear(progress *p) {
  if (p->shown) fprintf(stderr, "\r%*s\r", WIDTH, "");
  p->shown = false;
}

/* SPDX-License-Identifier: MIT */
/* Process CPU time, and what a run of this program in a process of its own needs. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

/* CPU time of this process in seconds. */
double bench_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Least CPU seconds of `repeats` calls of work(context); -1 if one returns nonzero. */
double bench_least(int repeats, int (*work)(void *context), void *context) {
  double best = INFINITY;
  for (int i = 0; i < repeats; i++) {
    double start = bench_clock();
    if (work(context) != 0) return -1;
    best = fmin(best, bench_clock() - start);
  }
  return best;
}

/* Zeroed memory for count objects; ends the program if there is none. */
void *bench_take(size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size);
  if (memory) return memory;
  fputs("bench: no memory\n", stderr);
  exit(1);
}

double *bench_doubles(int n) {
  return bench_take((size_t)n, sizeof(double));
}

/* Largest |a[i] - b[i]| for i = 0, stride, 2 stride, .. < n. */
double bench_max_difference(int n, int stride, const double *a, const double *b) {
  double largest = 0;
  for (int i = 0; i < n; i += stride) largest = fmax(largest, fabs(a[i] - b[i]));
  return largest;
}

/* Largest |a[i]|, i < n. */
double bench_max_abs(int n, const double *a) {
  double largest = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(a[i]));
  return largest;
}

enum { ARGUMENTS = 16 };

/* Starts this program anew with these arguments, behind the command `before` (such as valgrind).
 * Its output goes to the file descriptor out unless that is negative. Returns the process id, -1 on
 * failure. */
static pid_t start_child(const char *const *before, const char *const *arguments, int out) {
  char self[4096];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0) return -1;
  self[length] = 0;
  char *argv[ARGUMENTS + 1];
  int n = 0;
  for (; *before && n < ARGUMENTS; before++) argv[n++] = (char *)*before;
  if (n < ARGUMENTS) argv[n++] = self;
  for (; *arguments && n < ARGUMENTS; arguments++) argv[n++] = (char *)*arguments;
  argv[n] = NULL;
  fflush(NULL);
  pid_t pid = fork();
  if (pid != 0) return pid;
  if (out >= 0) {
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
  }
  execvp(argv[0], argv);
  _exit(127);
}

static const char PEAK[] = "VmHWM:"; /* of /proc/self/status: most memory so far, in kB */

/* Prints that line. A child does so at its end, because what wait4 tells of it, ru_maxrss, includes the
 * memory of the parent from which it was forked. */
void bench_tell_memory(void) {
  FILE *status = fopen("/proc/self/status", "r");
  char line[512];
  while (status && fgets(line, sizeof line, status)) {
    if (strncmp(line, PEAK, strlen(PEAK)) == 0) fputs(line, stdout);
  }
  if (status) fclose(status);
}

/* The number behind `word` in what a child prints, of this program with these arguments behind the
 * command `before`; -1 if the child failed or did not print it. */
static double number_of_child(const char *const *before, const char *const *arguments,
                              const char *word) {
  int channel[2], status = 0;
  if (pipe(channel) != 0) return -1;
  pid_t pid = start_child(before, arguments, channel[1]);
  close(channel[1]);
  FILE *output = fdopen(channel[0], "r");
  double number = -1;
  char line[512];
  while (output && fgets(line, sizeof line, output)) {
    const char *found = strstr(line, word);
    if (found) number = atof(found + strlen(word));
  }
  if (output) fclose(output);
  if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) return -1;
  return number;
}

/* Peak memory in bytes of this program run with these arguments; -1 if it failed. */
double bench_child_memory(const char *const *arguments) {
  static const char *const none[] = {NULL};
  const double kB = number_of_child(none, arguments, PEAK);
  return kB < 0 ? -1 : 1024 * kB;
}

/* Instructions of this program run with these arguments, read from callgrind's output; -1 without
 * valgrind or if it failed. */
double bench_child_instructions(const char *const *arguments) {
  static const char *const valgrind[] = {"valgrind", "--tool=callgrind",
                                         "--callgrind-out-file=/dev/null", NULL};
  return number_of_child(valgrind, arguments, "Collected :");
}

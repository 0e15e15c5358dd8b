/* SPDX-License-Identifier: MIT */
/* Process CPU time, and what a run of this program in a process of its own needs. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

/* Peak memory in bytes of this program run with these arguments; -1 if it failed. */
double bench_child_memory(const char *const *arguments) {
  static const char *const none[] = {NULL};
  struct rusage usage;
  int status = 0;
  pid_t pid = start_child(none, arguments, -1);
  if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status != 0) return -1;
  return 1024.0 * (double)usage.ru_maxrss;
}

/* Instructions of this program run with these arguments, read from callgrind's output; -1 without
 * valgrind or if it failed. */
double bench_child_instructions(const char *const *arguments) {
  static const char *const valgrind[] = {"valgrind", "--tool=callgrind",
                                         "--callgrind-out-file=/dev/null", NULL};
  int channel[2], status = 0;
  if (pipe(channel) != 0) return -1;
  pid_t pid = start_child(valgrind, arguments, channel[1]);
  close(channel[1]);
  FILE *output = fdopen(channel[0], "r");
  double count = -1;
  char line[512];
  while (output && fgets(line, sizeof line, output)) {
    const char *found = strstr(line, "Collected :");
    if (found) count = atof(found + strlen("Collected :"));
  }
  if (output) fclose(output);
  if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) return -1;
  return count;
}

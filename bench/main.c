/* SPDX-License-Identifier: MIT */
/* bench DIRECTORY [PART..]: all parts, or some of steps, chain, nets, solvers, precision,
 * instructions, beams, files, accuracy, accuracy-ida and mechanisms.
 *
 * bench --steps PROBLEM METHOD N [SIZE]: just N steps, for memory and instruction counts.
 * bench --beam MODEL N STEPS, bench --beam-floor MODEL N COUNT: the same for beams. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static const struct {
  const char *name;
  void (*run)(bench_report *report);
} parts[] = {{"steps", bench_part_steps},
             {"chain", bench_part_chain},
             {"nets", bench_part_nets},
             {"solvers", bench_part_solvers},
             {"precision", bench_part_precision},
             {"instructions", bench_part_instructions},
             {"beams", bench_part_beams},
             {"files", bench_part_files},
             {"accuracy", bench_part_accuracy},
             {"accuracy-ida", bench_part_accuracy_ida},
             {"mechanisms", bench_part_mechanisms}};
enum { PARTS = (int)(sizeof parts / sizeof parts[0]) };

/* --steps PROBLEM METHOD N [SIZE]: takes the steps, prints nothing. Returns the exit code. */
static int just_steps(char **argument, int count) {
  bench_problem *b = bench_problem_new(argument[0], count > 3 ? atoi(argument[3]) : 0);
  if (!b) return 1;
  double h = bench_step_size(b);
  double time = bench_genalpha_steps(b, argument[1], "auto", h, atol(argument[2]), 1, NULL);
  bench_problem_free(b);
  return time < 0;
}

/* Checks the peer's Jacobian on two problems; without SUNDIALS prints a note. Nonzero if it is
 * wrong. */
static int check_peer(void) {
  static const char *const names[] = {"heavy-top", "andrews"};
  if (!bench_ida_version()) {
    printf(
        "bench: SUNDIALS is not installed (Debian: libsundials-dev), so there is no peer; "
        "install it and configure anew\n");
    return 0;
  }
  for (int i = 0; i < 2; i++) {
    bench_problem *b = bench_problem_new(names[i], 0);
    double error = b ? bench_ida_jacobian_error(b) : 1;
    if (b) bench_problem_free(b);
    if (error < 1e-8) continue;
    fprintf(stderr, "bench: %s: the peer's Jacobian is wrong by %g\n", names[i], error);
    return 1;
  }
  return 0;
}

/* Prints the usage; returns exit code 2. */
static int usage(void) {
  fputs(
      "usage: bench DIRECTORY "
      "[steps|chain|nets|solvers|precision|instructions|beams|files|accuracy|\n"
      "             accuracy-ida|mechanisms]..\n"
      "       bench --steps PROBLEM METHOD N [SIZE]\n"
      "       bench --beam|--beam-floor MODEL N COUNT\n",
      stderr);
  return 2;
}

/* Runs the parts named by the arguments, or all. Exit code 1 if a check or file failed, 2 for wrong
 * arguments. */
int main(int argc, char **argv) {
  if (argc >= 5 && strcmp(argv[1], "--steps") == 0) {
    const int failed = just_steps(argv + 2, argc - 2);
    bench_tell_memory();
    return failed;
  }
  if (argc == 5 && strcmp(argv[1], "--beam") == 0) {
    const int failed = bench_beam_steps(argv[2], argv[3], atol(argv[4]));
    bench_tell_memory();
    return failed;
  }
  if (argc == 5 && strcmp(argv[1], "--beam-floor") == 0) {
    return bench_beam_floor(argv[2], argv[3], atoi(argv[4]));
  }
  if (argc < 2 || argv[1][0] == '-') return usage();
  for (int a = 2; a < argc; a++) {
    int known = 0;
    for (int i = 0; i < PARTS; i++) known |= strcmp(argv[a], parts[i].name) == 0;
    if (!known) return usage();
  }
  if (check_peer() != 0) return 1;
  bench_report *report = bench_report_open(argv[1]);
  if (!report) return 1;
  for (int i = 0; i < PARTS; i++) {
    int wanted = argc == 2;
    for (int a = 2; a < argc; a++) wanted |= strcmp(argv[a], parts[i].name) == 0;
    if (wanted) parts[i].run(report);
  }
  bench_plot_write(argv[1]);
  return bench_report_close(report);
}

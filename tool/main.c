/* SPDX-License-Identifier: MIT */
/* genalpha: the command line tool. Finds the command and checks that its output arrived. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <genalpha/ga_results.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "parallel/launcher.h"
#include "tool.h"

static const struct {
  const char *name, *summary;
  int (*run)(int argc, char **argv);
  bool parallel; /* it can be started by mpirun as several processes */
} commands[] = {
    {"run", "simulate a problem: summary, trajectory, plot, end state", command_run, true},
    {"sweep", "many runs with varied parameters, side by side, into one table", command_sweep,
     true},
    {"converge", "errors and slopes of a problem over h, h/2, h/4, ...", command_converge, false},
    {"check", "look at a model file before its first run: what is odd, what is wrong",
     command_check, false},
    {"equilibrium", "where a mechanism stays at rest, the forces there", command_equilibrium,
     false},
    {"modes", "frequencies, damping and shapes of vibrations", command_modes, false},
    {"import", "a robot (URDF) as a model file, and what was decided about it", command_import,
     false},
    {"plot", "draw columns of a CSV file or of results: PNG or SVG", command_plot, false},
    {"export", "a file of results (HDF5) as CSV", command_export, false},
    {"view", "a page that shows a mechanism or its motion in any browser", command_view, false},
    {"reproduce", "figures and claims of the five papers, computed and judged", command_reproduce,
     false},
    {"list", "methods, problems, linear solvers, figures of the papers", command_list, false},
    {"params", "parameters of the method, their conditions, the spectral radius", command_params,
     false},
    {"schema", "JSON Schema of model files, for editors", command_schema, false},
};

enum { NCOMMANDS = (int)(sizeof commands / sizeof commands[0]) };

/* The text of `genalpha --help`: all commands with their summaries. Returns TOOL_OK. */
static int print_help(void) {
  printf(
      "usage: genalpha COMMAND [options]\n"
      "Generalized-alpha time integration of constrained mechanical systems.\n\n"
      "commands:\n");
  for (int i = 0; i < NCOMMANDS; i++) printf("  %-13s%s\n", commands[i].name, commands[i].summary);
  printf(
      "\n'genalpha COMMAND --help' or 'genalpha help COMMAND' describes a command,\n"
      "'genalpha --version' the build.\n"
      "A first try: genalpha run heavy-top --out heavy-top.csv --plot heavy-top.svg\n"
      "exit status: 0 success, 1 a run or a file failed, 2 wrong usage, 3 --accuracy not reached,\n"
      "130 interrupted\n");
  return TOOL_OK;
}

/* Version, libraries that were built in, formats of results. Returns TOOL_OK. */
static int print_version(void) {
  printf("genalpha %s\n%s\nresults: CSV, HDF5%s\nrobots: URDF%s\n", ga_version(), ga_capabilities(),
         ga_results_available() ? "" : " not built in (Debian: libhdf5-dev)",
         ga_import_available() ? "" : " not built in (Debian: libexpat1-dev)");
  return TOOL_OK;
}

/* A tool_word: the i-th word that may follow "genalpha", commands first, then options; NULL past
 * the last one. list is not used. */
static const char *word_at(const void *list, int i) {
  static const char *const options[] = {"--help", "--version"};
  (void)list;
  if (i < NCOMMANDS) return commands[i].name;
  return i < NCOMMANDS + 2 ? options[i - NCOMMANDS] : NULL;
}

/* Run the command that argv[1] names with argv + 1 and return its exit code; also "help COMMAND",
 * --help and --version. TOOL_USAGE after a message if there is no such command. Under mpirun only
 * commands marked `parallel` run; the others return TOOL_FAILED after a message. */
static int dispatch(int argc, char **argv) {
  if (argc < 2) {
    tool_error(
        "a command is missing: run, sweep, check, equilibrium, modes, converge, import, plot, "
        "export, view, reproduce, list, params or schema");
    fprintf(tool_messages(), "Try 'genalpha --help'.\n");
    return TOOL_USAGE;
  }
  const char *name = argv[1];
  for (int i = 0; i < NCOMMANDS; i++) {
    if (strcmp(name, commands[i].name) != 0) continue;
    const int processes = launcher_detect().processes;
    if (processes > 1 && !commands[i].parallel) {
      tool_join(); /* all of them say this */
      tool_error(
          "%d processes were started, but '%s' cannot be divided among processes and would be done "
          "%d times; start it without mpirun",
          processes, name, processes);
      return TOOL_FAILED;
    }
    return commands[i].run(argc - 1, argv + 1);
  }
  if (strcmp(name, "help") == 0 && argc == 3) {
    char help[] = "--help";
    char *help_argv[] = {argv[0], argv[2], help};
    return dispatch(3, help_argv);
  }
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
    return print_help();
  }
  if (strcmp(name, "--version") == 0) return print_version();
  return tool_unknown(name[0] == '-' ? "option" : "command", name, word_at, NULL);
}

/* NULL unless the linear algebra library is OpenBLAS */
extern void openblas_set_num_threads(int count) __attribute__((weak));

/* Wait 0.3 s if the exit code is a failure and this is not process 0. A launcher (mpirun) ends all
 * processes as soon as one of them fails; so process 0 can print its message before. If this
 * process failed before it could tell process 0, and has not been ended after another second, then
 * process 0 did not fail: print the message here. A wrong command line is the same for all. */
static void let_process_0_speak(int code) {
  const struct timespec moment = {0, 300000000}, second = {1, 0};
  const int process = launcher_detect().process;
  if (code == TOOL_OK || process == 0) return;
  nanosleep(&moment, NULL);
  if (code == TOOL_USAGE || tool_joined()) return;
  nanosleep(&second, NULL);
  tool_speak_alone(process);
}

/* Run the command in argv, flush standard output, and return the exit code: that of the command, or
 * TOOL_FAILED after a message if it succeeded but its output could not be written. Processes other
 * than 0 print nothing. OpenBLAS gets one thread: the sum of several threads would change the last
 * digits of results. */
int main(int argc, char **argv) {
  /* a file larger than `ulimit -f` allows becomes a write error with a message, not a signal */
  signal(SIGXFSZ, SIG_IGN);
  if (openblas_set_num_threads) openblas_set_num_threads(1);
  if (launcher_detect().process != 0) tool_mute();
  int code = dispatch(argc, argv);
  errno = 0;
  if (fflush(stdout) != 0 || ferror(stdout)) {
    tool_error("standard output: %s", errno ? strerror(errno) : "write error");
    if (code == TOOL_OK) code = TOOL_FAILED;
  }
  let_process_0_speak(code);
  return code;
}

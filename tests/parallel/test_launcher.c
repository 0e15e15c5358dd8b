/* SPDX-License-Identifier: MIT */
/* Which launcher is detected, how many processes and which one (parallel/launcher.c). Joining them
 * is tested with the tool: tests/tool/commands/test_launcher.sh, test_mpi.sh, test_sweep_mpi.sh. */
#define _POSIX_C_SOURCE 200809L
#include "parallel/launcher.h"

#include <stdlib.h>

#include "support.h"

static const char *const variables[] = {
    "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE",     "PMI_RANK",
    "MV2_COMM_WORLD_SIZE",  "MV2_COMM_WORLD_RANK",  "SLURM_NTASKS", "SLURM_STEP_NUM_TASKS",
    "SLURM_PROCID"};

static int clear_environment(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) unsetenv(variables[i]);
  return 0;
}

static void assert_detected(const char *name, int process, int processes) {
  const launcher found = launcher_detect();
  if (name) {
    assert_string_equal(found.name, name);
  } else {
    assert_null(found.name);
  }
  assert_int_equal(found.process, process);
  assert_int_equal(found.processes, processes);
}

static void test_each_launcher(void **state) {
  static const struct {
    const char *name, *processes, *process;
  } all[] = {{"Open MPI", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
             {"Hydra", "PMI_SIZE", "PMI_RANK"},
             {"MVAPICH", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
             {"Slurm", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
  for (int i = 0; i < 4; i++) {
    clear_environment(state);
    assert_detected(NULL, 0, 1);
    setenv(all[i].processes, "12", 1);
    assert_detected(NULL, 0, 1); /* one of the two variables is not enough */
    setenv(all[i].process, "7", 1);
    assert_detected(all[i].name, 7, 12);
  }
}

/* mpirun inside a job of Slurm: the innermost launcher counts */
static void test_two_launchers(void **state) {
  (void)state;
  setenv("SLURM_STEP_NUM_TASKS", "1", 1);
  setenv("SLURM_PROCID", "0", 1);
  setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
  setenv("OMPI_COMM_WORLD_RANK", "3", 1);
  assert_detected("Open MPI", 3, 4);
}

/* a batch script of Slurm has tasks, but it is one process */
static void test_batch_script(void **state) {
  (void)state;
  setenv("SLURM_NTASKS", "8", 1);
  setenv("SLURM_PROCID", "0", 1);
  assert_detected(NULL, 0, 1);
}

static void test_nonsense(void **state) {
  static const char *const wrong[][2] = {{"", "0"},  {"4", ""},    {"4", "x"}, {"4x", "0"},
                                         {"0", "0"}, {"-2", "-1"}, {"4", "-1"}};
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    setenv("PMI_SIZE", wrong[i][0], 1);
    setenv("PMI_RANK", wrong[i][1], 1);
    assert_detected(NULL, 0, 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_each_launcher, clear_environment),
      cmocka_unit_test_setup(test_two_launchers, clear_environment),
      cmocka_unit_test_setup(test_batch_script, clear_environment),
      cmocka_unit_test_setup(test_nonsense, clear_environment),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#!/bin/sh
# SPDX-License-Identifier: MIT
# Sums up, from ctest's log in the build directory $1, what the test programs counted.
set -eu

awk '
  / test\(s\) run\.$/ { programs++ }
  /^\[  PASSED  \] [0-9]+ test\(s\)\.$/ { passed += $4 }
  /^\[  FAILED  \] [0-9]+ test\(s\)/ { failed += $4 }
  /^[0-9]+ checks, [0-9]+ failed$/ { scripts++; checks += $1; wrong += $3 }
  END {
    printf "cmocka: %d programs, %d tests passed, %d failed\n", programs, passed, failed
    if (scripts) {
      printf "tool: %d scripts, %d checks, %d failed\n", scripts, checks, wrong
    }
  }' "$1/Testing/Temporary/LastTest.log"

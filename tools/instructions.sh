#!/bin/sh
# SPDX-License-Identifier: MIT
# Instructions per step by callgrind: the difference of two runs, so that set-up does not count.
# usage: instructions.sh PROGRAM, which takes PROBLEM METHOD STEPS
set -eu

count() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 |
    awk '/Collected/ { print $4 }'
}

printf '%-14s %-7s %s\n' problem method 'instructions/step'
for problem in heavy-top andrews slider-crank; do
  for method in stab2 index3; do
    short=$(count "$1" $problem $method 1000)
    long=$(count "$1" $problem $method 2000)
    printf '%-14s %-7s %d\n' $problem $method $(((long - short) / 1000))
  done
done

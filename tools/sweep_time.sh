#!/bin/sh
# SPDX-License-Identifier: MIT
# What a sweep costs besides its runs: 10,000 runs of the heavy top by two workers, the time of the whole
# command over half the sum of the times of its runs. Then the same sweep is killed (kill -9) and resumed
# again and again; its table must be the same in the end.
# usage: sweep_time.sh [TOOL [RUNS [WORKERS]]]
set -eu
tool=${1:-build/release/genalpha}
runs=${2:-10000}
workers=${3:-2}
case $tool in /*) ;; *) tool=$PWD/$tool ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
ending=h5
if "$tool" --version | grep -q 'HDF5 not built in'; then ending=csv; fi

now() { date +%s.%N; }
sweep() {
  "$tool" sweep heavy-top --vary "h=1e-3:2e-3:$((runs / 100))" --vary rho=0.5:1:100 --columns x,y,z,lam1 \
    --workers "$workers" --out "$1.$ending"
}
table() { if [ $ending = h5 ]; then "$tool" export --all "$1.h5" -; else cat "$1.csv"; fi; }

began=$(now)
sweep whole >whole.txt
end=$(now)
cat whole.txt
awk -v began="$began" -v end="$end" -v workers="$workers" '
  /effort/ {
    sum = $(NF - 1)
    wall = end - began
    printf "  %-13s%.4g s for the whole command, %.4g s = sum of run times / %d: ratio %.4f\n", "ratio",
      wall, sum / workers, workers, wall * workers / sum
    bad = wall * workers > 1.1 * sum
  }
  END { exit bad }' whole.txt || echo "  more than 1.1"
seconds=$(awk -v began="$began" -v end="$end" 'BEGIN { print end - began }')

kills=0
for part in 0.05 0.1 0.2 0.3 0.15; do
  sweep killed >/dev/null 2>&1 &
  pid=$!
  sleep "$(awk -v s="$seconds" -v p=$part 'BEGIN { print s * p }')"
  # the shell that runs the function may be another process than the tool
  child=$(ps -o pid= --ppid $pid 2>/dev/null | tr -d ' ' || true)
  if kill -9 ${child:-$pid} 2>/dev/null; then kills=$((kills + 1)); fi
  wait $pid 2>/dev/null || true
done
sweep killed >resumed.txt 2>&1
cat resumed.txt
table whole >whole.all
table killed >killed.all
if cmp -s whole.all killed.all; then
  echo "  killed       $kills times and resumed: the table is the same, $(($(wc -l <whole.all) - 1)) rows"
else
  echo "  killed and resumed: the table DIFFERS"
  exit 1
fi

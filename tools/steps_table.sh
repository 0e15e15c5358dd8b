#!/bin/sh
# SPDX-License-Identifier: MIT
# Work of automatic against the best given steps at the same achieved error in q: the table of
# docs/data/benchmarks.md.in. Usage: tools/steps_table.sh build/release/genalpha
set -eu
export LC_ALL=C
tool=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# error PROBLEM T OPTION...: of q at T
error() {
  problem=$1
  t=$2
  shift 2
  "$tool" converge "$problem" --t-end "$t" --levels 1 --csv "$@" 2>/dev/null |
    awk -F, 'NR == 2 { print $3 }'
}

below() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a <= b) }'; }

# row LABEL PROBLEM T OPTION...: counts of one run, and the least time of fifteen
row() {
  label=$1
  problem=$2
  t=$3
  shift 3
  "$tool" run "$problem" --t-end "$t" --final "$@" >"$work/final"
  i=0
  : >"$work/times"
  while [ $i -lt 15 ]; do
    "$tool" run "$problem" --t-end "$t" "$@" | sed -n 's/^  effort *\([^ ]*\) s.*/\1/p' >>"$work/times"
    i=$((i + 1))
  done
  seconds=$(sort -g "$work/times" | head -n 1)
  of() { sed -n "s/.*\"$1\": \([^,}]*\).*/\1/p" "$work/final"; }
  printf '| %s | %s | %.2e | %d | %d | %d | %d | %.1f |\n' "$problem" "$label" \
    "$(error "$problem" "$t" "$@")" "$(of steps)" "$(of rejected)" "$(of matrices)" \
    "$(of residuals)" "$(awk -v s="$seconds" 'BEGIN { print 1000 * s }')"
}

echo '| problem | steps | error of q | accepted | rejected | factorizations | residuals | ms |'
echo '|---|---|---|---|---|---|---|---|'
for problem in andrews slider-crank; do
  case $problem in
    andrews) t=0.03 ;;
    *) t=1 ;;
  esac
  for target in 1e-3 1e-4 1e-5; do
    # the largest tolerance of 10^(-k/8) that reaches the target, and all smaller ones tried do too
    k=$(awk -v e=$target 'BEGIN { printf "%d", 8 * (4 - 1.5 * log(e) / log(10)) }')
    rtol=
    while [ $k -ge 16 ]; do
      try=$(awk -v k=$k 'BEGIN { printf "%.4g", 10^(-k / 8) }')
      below "$(error $problem $t --rtol "$try")" $target || break
      rtol=$try
      k=$((k - 1))
    done
    # the smallest number of steps 100 * 2^(k/8) that does, likewise
    k=$(awk -v e=$target 'BEGIN { printf "%d", 8 * (2 - 0.5 * log(e) / log(2)) }')
    n=
    while [ $k -ge 0 ]; do
      try=$(awk -v k=$k 'BEGIN { printf "%d", 100 * 2^(k / 8) }')
      h=$(awk -v t=$t -v n="$try" 'BEGIN { printf "%.17g", t / n }')
      below "$(error $problem $t --h "$h")" $target || break
      n=$try
      best=$h
      k=$((k - 1))
    done
    row "automatic, rtol $rtol" $problem $t --rtol "$rtol"
    row "$n of one size" $problem $t --h "$best"
  done
done

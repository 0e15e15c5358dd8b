#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes the final states of many runs, to compare two builds bit by bit: every model of models/ and
# every problem with stab2 and index3, saved states that are resumed, and claims.csv of `reproduce`.
# soi2 and hht are written apart, in DIR/two-sets, for comparisons to rounding.
# Usage: tools/final_states.sh TOOL MODELS DIR [quick]     then diff -r DIR1 DIR2
# quick: without `reproduce`. Exit status 0 even if a run is refused: the message is its result.
set -eu
tool=$1
models=$2
out=$3
mode=${4:-all}
mkdir -p "$out/final" "$out/resumed" "$out/two-sets"

# states, statistics and messages; not the choice of the linear solver in words, nor names of options
numbers() { sed -e '/^  "linsol"/d' -e 's/"system": "[a-z]*", //'; }

# final FILE ARGUMENT...: the end of a run, or what it was refused with
final() {
  file=$1
  shift
  "$tool" run "$@" --final 2>&1 | sed -e "s|$models|MODELS|g" | numbers >"$file" || true
}

problems=$("$tool" list problems | sed -n 's/^  \([a-z0-9-]*\) .*/\1/p')
for source in "$models"/*.yaml $problems; do
  name=$(basename "$source") # slider-crank.yaml and the problem slider-crank are two
  # 200 steps of most; Andrews' mechanism is squeezed within 0.03 s
  half=0.1
  end=0.2
  case $name in andrews*) half=0.015 end=0.03 ;; esac
  for method in stab2 index3; do
    final "$out/final/$name.$method" "$source" --method $method --t-end $end
    state=$out/resumed/$name.$method.state
    "$tool" run "$source" --method $method --t-end $half --save-state "$state" >/dev/null 2>&1 || true
    if [ -s "$state" ]; then
      final "$out/resumed/$name.$method" "$source" --method $method --t-end $end --from-state "$state"
    fi
    rm -f "$state"
  done
  for method in soi2 hht; do
    final "$out/two-sets/$name.$method" "$source" --method $method --t-end $half
  done
done

if [ "$mode" = all ]; then
  "$tool" reproduce --quick --out "$out/reproduction" >/dev/null 2>&1 || true
  cp "$out/reproduction/claims.csv" "$out/claims.csv"
  rm -rf "$out/reproduction"
fi

#!/bin/sh
# SPDX-License-Identifier: MIT
# What Python costs, in instructions counted by callgrind: sh overhead.sh TOOL PYTHON [OUT.json], with
# the tool of an installed tree and the interpreter that has the package for it.
#
#   run        Mechanism.run against the run inside the tool (`simulate`); at most 1.03
#   callbacks  a step of the heavy top with Python callbacks against these callbacks called alone;
#              at most 1.3
#   step       Simulation.step, a call for each step, against one call for 1000 steps; at most 1.2
#
# A count for Python is the difference of two processes, one of which does the thing twice more, so
# that the import, the file and whatever is done once fall out.
set -eu
tool=$1
python=$2
out=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
models=$(dirname "$(dirname "$tool")")/share/genalpha/models
GENALPHA_PROJECT=$(dirname "$(dirname "$here")")
export GENALPHA_PROJECT OPENBLAS_NUM_THREADS=1 PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v valgrind >/dev/null || {
  echo "overhead.sh: no valgrind here (Debian: valgrind)" >&2
  exit 77
}

# count NAME COMMAND...: instructions of a command, into the file NAME
count() {
  name=$1
  shift
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" >/dev/null 2>"$work/err" ||
    { cat "$work/err" >&2 && exit 1; }
  sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$work/err" >"$work/$name"
}

# of_python NAME SCRIPT ARGUMENT...: instructions of one repetition
of_python() {
  result=$1
  shift
  count none "$python" "$here/$@" 0
  count two "$python" "$here/$@" 2
  echo $((($(cat "$work/two") - $(cat "$work/none")) / 2)) >"$work/$result"
}

# ratio WORD WHAT LIMIT: of the counts `measured` and `basis`
ratio() {
  awk -v word="$1" -v what="$2" -v limit="$3" -v a="$(cat "$work/measured")" \
    -v b="$(cat "$work/basis")" 'BEGIN {
      printf "  %-38s %12.0f  %12.0f  %6.3f  (at most %s)\n", what, a, b, a / b, limit
      printf "  \"%s\": {\"instructions\": %.0f, \"basis\": %.0f, \"ratio\": %.4f, \"limit\": %s}",
        word, a, b, a / b, limit >"/dev/stderr"
      exit !(a <= limit * b)
    }' 2>"$work/$1.json"
}

failed=0
echo "Python: instructions                       from Python         basis   ratio"
count basis --toggle-collect=simulate "$tool" run "$models/slider-crank.yaml"
of_python measured mechanism.py "$models/slider-crank.yaml"
ratio run "slider-crank, against the tool" 1.03 || failed=1
of_python basis callbacks.py replay
of_python measured callbacks.py run
ratio callbacks "heavy top, against its callbacks" 1.3 || failed=1
of_python basis steps.py "$models/slider-crank.yaml" all
of_python measured steps.py "$models/slider-crank.yaml" each
ratio step "slider-crank, 1000 steps one by one" 1.2 || failed=1
if [ -n "$out" ]; then
  { echo "{" && cat "$work/run.json" && echo "," && cat "$work/callbacks.json" && echo "," &&
    cat "$work/step.json" && printf '\n}\n'; } >"$out"
fi
exit $failed

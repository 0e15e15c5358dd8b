# SPDX-License-Identifier: MIT
# Runs over several ranks of MPI: the same numbers as on one, results, states, failures. Skipped where
# libgenalpha_mpi was not built.
. "$(dirname "$0")/lib.sh"
models=$(dirname "$0")/../../models
own=$(dirname "$0")/../models
[ -e "$(dirname "$tool")/libgenalpha_mpi.so" ] && command -v mpirun >/dev/null || exit 77
export LC_ALL=C OMPI_MCA_btl_base_warn_component_unused=0 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# on P ARGUMENT...: the tool on P ranks; output in $work/out and $work/err, exit code in $code
on() {
  ranks=$1
  shift
  code=0
  timeout 120 mpirun --allow-run-as-root --oversubscribe -n "$ranks" "$tool" "$@" >"$work/out" \
    2>"$work/err" </dev/null || code=$?
}

# numbers FILE KEY: those of a JSON array or of one number, one in a line
numbers() {
  sed -n "s/^ *\"$2\": \[\(.*\)\].*/\1/p;s/.*\"$2\": \([-+.e0-9]*\)[,}].*/\1/p" "$1" | head -n 1 | tr ',' '\n'
}

# agree FILE FILE KEY TOLERANCE: relative to the largest number, or to 1
agree() {
  numbers "$1" "$3" >"$work/a"
  numbers "$2" "$3" >"$work/b"
  paste "$work/a" "$work/b" | awk -v tol="$4" '
    NF != 2 { bad = 1 }
    { d = $1 - $2; if (d < 0) d = -d; if (d > most) most = d; s = $2 < 0 ? -$2 : $2; if (s > size) size = s }
    END { if (NR == 0 || bad || most > tol * (size > 1 ? size : 1)) { print "  largest difference", most; exit 1 } }'
}

# same NAME: $work/out is the run of $work/serial, to rounding
same() {
  ok "$1: exit 0" code_is 0
  ok "$1: q" agree "$work/out" "$work/serial" q 1e-10
  ok "$1: v" agree "$work/out" "$work/serial" v 1e-10
  ok "$1: lam" agree "$work/out" "$work/serial" lam 1e-8
  ok "$1: steps" [ "$(numbers "$work/out" steps)" = "$(numbers "$work/serial" steps)" ]
}

# compare NAME ARGUMENT...: 2, 3 and 4 ranks against one
compare() {
  name=$1
  shift
  tool run "$@" --final
  ok "$name: serial" code_is 0
  cp "$work/out" "$work/serial"
  for p in 2 3 4; do
    on "$p" run "$@" --final
    same "$name on $p ranks"
  done
}

compare 'every joint' "$own/every-joint.yaml" --t-end 0.1
compare 'frame of bushings' "$own/frame.yaml" --t-end 0.05
compare 'chain' "$models/chain.yaml" --set N=40 --t-end 0.05
compare 'net' "$models/net.yaml" --t-end 0.05
compare 'gear train' "$models/gear-train.yaml" --t-end 0.02
compare 'automatic steps' "$own/every-joint.yaml" --t-end 0.05 --rtol 1e-6 --atol 1e-8
compare 'an event' "$own/frame.yaml" --stop-when 'b4_3.y > 0.004'
compare 'index 3' "$own/every-joint.yaml" --method index3 --t-end 0.05
finish

# SPDX-License-Identifier: MIT
# Runs over several processes of MPI: the same numbers as on one, results, states, failures. Skipped where
# libgenalpha_mpi was not built.
. "$(dirname "$0")/lib.sh"
models=$(dirname "$0")/../../../models
own=$(dirname "$0")/../../support/models
[ -e "$(dirname "$tool")/libgenalpha_mpi.so" ] && command -v mpirun >/dev/null || exit 77
# MPI does not free all of its memory
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS LC_ALL=C OMPI_MCA_btl_base_warn_component_unused=0 \
  OMPI_MCA_mpi_yield_when_idle=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# on P COMMAND ARGUMENT...: the tool on P processes; output in $work/out and $work/err, exit code in
# $code. PETSc solves if $petsc says so.
petsc=off
on() {
  processes=$1 command=$2
  shift 2
  [ "$command" != run ] || set -- "$@" --petsc "$petsc"
  code=0
  timeout 120 mpirun --allow-run-as-root --oversubscribe -n "$processes" "$tool" "$command" "$@" \
    >"$work/out" 2>"$work/err" </dev/null || code=$?
}

# numbers FILE KEY: those of an array of the end state, or a single one, one in a line
numbers() {
  sed -n "s/^  \"$2\": \[\(.*\)\].*/\1/p;s/.*\"$2\": \([-+.e0-9][-+.e0-9]*\)[,}].*/\1/p" "$1" | tr ',' '\n' | grep .
}

# agree FILE FILE KEY TOLERANCE: relative to the largest number, or to 1
agree() {
  numbers "$1" "$3" >"$work/a"
  numbers "$2" "$3" >"$work/b"
  paste "$work/a" "$work/b" | awk -v tol="$4" '
    NF != 2 { bad = 1 }
    { d = $1 - $2; if (d < 0) d = -d; if (d > most) most = d; s = $2 < 0 ? -$2 : $2; if (s > size) size = s }
    END { if (bad || most > tol * (size > 1 ? size : 1)) { print "  largest difference", most; exit 1 } }'
}

# same NAME: $work/out is the run of $work/serial, to rounding
same() {
  ok "$1: exit 0" code_is 0
  ok "$1: there is a state" [ "$(numbers "$work/out" q | wc -l)" -gt 6 ]
  ok "$1: q" agree "$work/out" "$work/serial" q 1e-10
  ok "$1: v" agree "$work/out" "$work/serial" v 1e-10
  ok "$1: lam" agree "$work/out" "$work/serial" lam 1e-8
  ok "$1: steps" [ "$(numbers "$work/out" steps)" = "$(numbers "$work/serial" steps)" ]
}

# compare NAME 'PROCESSES...' ARGUMENT...: several numbers of processes against one
compare() {
  name=$1 several=$2
  shift 2
  tool run "$@" --final --coordinates absolute
  ok "$name: serial" code_is 0
  cp "$work/out" "$work/serial"
  for p in $several; do
    on "$p" run "$@" --final
    same "$name on $p processes"
  done
}

# how long factors are kept depends on their cost, and takes part in automatic steps: not with
# --matrix-every 1
# ---- the same numbers ---------------------------------------------------------------------------

compare 'every joint' '2 3 4' "$own/every-joint.yaml" --t-end 0.1
compare 'frame of bushings' '2 3 4' "$own/frame.yaml" --t-end 0.05
compare 'chain' 4 "$models/chain.yaml" --set N=40 --t-end 0.05
compare 'net' 4 "$models/net.yaml" --t-end 0.05
compare 'gear train' 3 "$models/gear-train.yaml" --t-end 0.02
compare 'automatic steps' '2 3 4' "$own/every-joint.yaml" --t-end 0.02 --rtol 1e-5 --atol 1e-7 --matrix-every 1 \
  --newton-tol 1e-12
# forces of different processes that are switched on: all end a step at the first corner
cat >"$work/switched.yaml" <<'YAML'
genalpha: 1
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}
  b: {mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}
  c: {mass: 1, inertia: [1, 1, 1], position: [3, 0, 0]}
joints:
  ja: {type: spherical, between: [ground, a], at: [0.5, 0, 0]}
  jb: {type: spherical, between: [a, b], at: [1.5, 0, 0]}
  jc: {type: spherical, between: [b, c], at: [2.5, 0, 0]}
forces:
  kick: {type: force, body: a, value: [0, 0, "if(t < 0.235, 0, 40)"]}
  pull: {type: force, body: c, value: [0, "if(t < 0.1234, 0, 30)", 0]}
run: {h: 1e-2, t_end: 0.3}
YAML
compare 'corners, automatic steps' '2 3' "$work/switched.yaml" --rtol 1e-4 --matrix-every 1
compare 'corners, cut steps' '2 3' "$work/switched.yaml" --cut-at-corners
on 2 run "$work/switched.yaml"
ok "a jump inside a step is told" err_has 'jumps at t = 0.1234'

compare 'an event' 3 "$own/frame.yaml" --stop-when 'b4_3.y > 0.004'
compare 'an event in automatic steps' '2 3 4' "$own/every-joint.yaml" --stop-when 'bead.z + 0*energy.total < -0.01' \
  --rtol 1e-4 --atol 1e-6 --matrix-every 1 --newton-tol 1e-12
ok 'the event is reported once' [ "$(grep -c 'stopped at t = .* by --stop-when' "$work/err")" -eq 1 ]
for method in index3 index2 index1; do
  compare "$method" 3 "$own/every-joint.yaml" --method $method --t-end 0.04
done
compare 'a projection' 3 "$own/every-joint.yaml" --method index3 --project-at 0.02 --t-end 0.04

# ---- what is printed and written ----------------------------------------------------------------

on 3 run "$models/net.yaml" --t-end 0.02
ok 'a summary' out_has '^  steps        20 of h = 0.001, from t = 0 to 0.02'
ok 'printed once' [ "$(grep -c '^net: ' "$work/out")" -eq 1 ]
ok 'how the mechanism was cut' out_has '^  processes    3, cut by .*: [1-9][0-9]* of 49 bodies are shared by several'
ok 'a line for each process' [ "$(grep -c '^  *[012]  *[0-9]*  *[0-9]*  *[0-9]*  *[0-9]*  *[0-9]*$' "$work/out")" -eq 3 ]
ok 'every element once' [ "$(awk '/^  *[012]  *[0-9]/ { n += $4 } END { print n }' "$work/out")" -eq 88 ]
ok 'nothing to complain about' err_empty

# csv NAME ARGUMENT...: the rows of 3 processes are those of one
csv() {
  name=$1
  shift
  tool run "$@" --coordinates absolute --out "$work/one.csv"
  on 3 run "$@" --out "$work/three.csv"
  ok "$name: exit 0" code_is 0
  ok "$name: rows" [ "$(rows "$work/one.csv")" -eq "$(rows "$work/three.csv")" ]
  ok "$name: columns" [ "$(head -n 1 "$work/one.csv")" = "$(head -n 1 "$work/three.csv")" ]
  ok "$name: numbers" sh -c "paste -d, '$work/one.csv' '$work/three.csv' | awk -F, '
    NR > 1 { for (i = 1; i <= NF / 2; i++) { d = \$i - \$(i + NF / 2); if (d < 0) d = -d
      s = \$i < 0 ? -\$i : \$i; if (d > 1e-8 * (s > 1 ? s : 1)) bad = 1 } }
    END { exit bad }'"
}
csv 'trajectory' "$own/every-joint.yaml" --t-end 0.04 --every 3
csv 'at equal distances' "$own/every-joint.yaml" --t-end 0.04 --out-dt 0.0033
csv 'raw columns' "$own/frame.yaml" --t-end 0.02

if "$tool" --version | grep -q 'HDF5$'; then
  on 2 run "$own/frame.yaml" --t-end 0.02 --out "$work/two.h5"
  ok 'results in HDF5' code_is 0
  tool export "$work/two.h5"
  ok 'all rows of them' [ "$(rows "$work/out")" -eq 21 ]
fi
on 2 run "$own/frame.yaml" --t-end 0.02 --plot "$work/frame.svg"
ok 'a plot' [ -s "$work/frame.svg" ]

# ---- states -------------------------------------------------------------------------------------

# P processes save, Q processes go on
saved() {
  if [ "$1" = 1 ]; then tool run "$3" --t-end 0.03 --coordinates absolute --save-state "$work/$1.state"; else
    on "$1" run "$3" --t-end 0.03 --save-state "$work/$1.state"; fi
  ok "$1 processes save" code_is 0
  if [ "$2" = 1 ]; then tool run "$3" --t-end 0.06 --coordinates absolute --from-state "$work/$1.state" --final; else
    on "$2" run "$3" --t-end 0.06 --from-state "$work/$1.state" --final; fi
  same "saved by $1, resumed by $2"
}
for model in "$own/every-joint.yaml" "$own/frame.yaml"; do
  tool run "$model" --t-end 0.06 --final --coordinates absolute
  cp "$work/out" "$work/serial"
  for pair in '2 3' '4 1' '1 3'; do
    # shellcheck disable=SC2086
    saved $pair "$model"
  done
done
on 2 run "$own/frame.yaml" --t-end 0.06 --from-state "$models/net.yaml"
ok 'not a state: exit 1' code_is 1
ok 'one message' [ "$(grep -c 'is not a state file' "$work/err")" -eq 1 ]

# killed -9: the launcher ends the job, the last checkpoint goes on with another number of processes
tool run "$own/frame.yaml" --t-end 1 --final --coordinates absolute
cp "$work/out" "$work/serial"
mpirun --allow-run-as-root --oversubscribe -n 3 "$tool" run "$own/frame.yaml" --t-end 1000 \
  --save-state "$work/kill.state" --checkpoint-every 0.01 >"$work/out" 2>"$work/err" </dev/null &
launcher=$!
for i in $(seq 200); do [ -e "$work/kill.state" ] && break; sleep 0.05; done
ok 'a checkpoint came' [ -e "$work/kill.state" ]
victim=$(ps -o pid= --ppid $launcher | tail -n 1)
kill -9 $victim
code=0
wait $launcher || code=$?
ok 'the job ended' [ "$code" -ne 0 ]
t=$(od -An -t f8 -j 200 -N 8 "$work/kill.state" | tr -d ' ')
if awk -v t="$t" 'BEGIN { exit !(t < 1) }'; then
  on 2 run "$own/frame.yaml" --t-end 1 --from-state "$work/kill.state" --final
  same 'killed on 3 processes, resumed on 2'
fi

# ---- failures -----------------------------------------------------------------------------------

code_within() { [ "$code" -ge "$1" ] && [ "$code" -le "$2" ]; }

# fails PATTERN ARGUMENT...: 3 processes, exit 1 (or 2, wrong usage), the pattern in one line
fails() {
  pattern=$1
  shift
  on 3 "$@"
  ok "exit 1 or 2, not $code: $*" code_within 1 2
  ok "one message '$pattern': $*" [ "$(grep -c "genalpha: .*$pattern" "$work/err")" -eq 1 ]
}
sed 's/value: \["400.*/value: ["if(t < 0.01, 1, sqrt(-1))", 0, 0]}/' "$own/frame.yaml" >"$work/nan.yaml"
fails 'the run failed after [0-9]* steps, at' run "$work/nan.yaml" --t-end 0.05
sed 's/^  string: .*/  string: {type: distance, between: [box12, bead]}\n  again: {type: distance, between: [box12, bead]}/' \
  "$own/every-joint.yaml" >"$work/singular.yaml"
fails "joint string.*depends on the others" run "$work/singular.yaml" --t-end 0.05
fails 'redundant = allow is not possible in a team' run "$own/frame.yaml" --redundant allow
fails 'cannot write' run "$own/frame.yaml" --t-end 0.01 --out "$work/no/such/file.csv"
fails 'cannot save' run "$own/frame.yaml" --t-end 0.01 --save-state "$work/no/such/file"
fails 'bodies cannot be divided into 3 subdomains' run "$models/pendulum.yaml"
fails 'a mechanism with beams cannot be divided' run "$models/elastic-pendulum.yaml"
fails 'cannot be divided among processes' run heavy-top
fails 'cannot be divided among processes and would be done 3 times' converge "$own/frame.yaml"
on 2 run "$own/frame.yaml" --t-end 0.01 --out /dev/full
ok 'a full disk: exit 1' code_is 1
ok 'a full disk: one message' [ "$(grep -c 'genalpha: cannot write' "$work/err")" -eq 1 ]
on 2 run "$own/frame.yaml" --extrapolate 1
ok 'no extrapolation' [ "$(grep -c -e '--extrapolate is not possible over several processes' "$work/err")" -eq 1 ]

# a process other than 0 that fails alone says so: before the processes have met, and afterwards
alone() {
  pattern=$1
  shift
  code=0
  timeout 120 mpirun --allow-run-as-root --oversubscribe -n 1 "$tool" run "$own/frame.yaml" --t-end 0.01 : \
    -n 1 "$tool" run "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
  ok "not exit 0: $*" [ "$code" -ne 0 ]
  ok "process 1: $pattern" [ "$(grep -c "genalpha: process 1.*: .*$pattern" "$work/err")" -eq 1 ]
}
alone 'cannot be read: No such file' "$work/none.yaml"
alone "unknown method 'foo'" "$own/frame.yaml" --t-end 0.01 --method foo

# ---- PETSc --------------------------------------------------------------------------------------

if [ -e "$(dirname "$tool")/libgenalpha_petsc.so" ]; then
  petsc=
  compare 'PETSc, frame' 3 "$own/frame.yaml" --t-end 0.05
  compare 'PETSc, every joint' 3 "$own/every-joint.yaml" --t-end 0.05
  compare 'PETSc, net' 4 "$models/net.yaml" --t-end 0.05
  on 2 run "$own/frame.yaml" --t-end 0.01
  ok 'the summary names PETSc' out_has '^  linear       petsc'
  petsc='-pc_type lu -pc_factor_mat_solver_type mumps'
  compare 'MUMPS by PETSc' 3 "$models/net.yaml" --t-end 0.05
  petsc='-frob 3'
  fails 'option -frob: PETSc has no use for it' run "$own/frame.yaml"
else
  petsc=
  fails 'libgenalpha_petsc is not there' run "$own/frame.yaml"
fi
finish

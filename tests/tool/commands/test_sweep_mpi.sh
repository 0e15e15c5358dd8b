# SPDX-License-Identifier: MIT
# Sweeps over the processes of mpirun: the same table, one voice, kills. Skipped without MPI.
. "$(dirname "$0")/lib.sh"
export LC_ALL=C
case $tool in /*) ;; *) tool=$PWD/$tool ;; esac
command -v mpirun >/dev/null 2>&1 || { echo "skipped: no mpirun" && exit 77; }
[ -e "$(dirname "$tool")/libgenalpha_mpi.so" ] || { echo "skipped: no libgenalpha_mpi" && exit 77; }
cd "$work" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export ASAN_OPTIONS=detect_leaks=0 # MPI keeps some memory
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none

# on N ARGUMENT...: the tool on N processes; output in out and err, exit code in $code
on() {
  n=$1
  shift
  code=0
  timeout -k 5 100 mpirun -n "$n" "$tool" "$@" >out 2>err </dev/null || code=$?
}
# lines PATTERN FILE: the number of lines that have the pattern
lines() { grep -c -e "$1" "$2"; }

on 2 --version
if ! [ "$code" -eq 0 ]; then
  echo "skipped: mpirun does not work here: $(head -c 200 err)"
  exit 77
fi

grid="sweep heavy-top --t-end 0.1 --vary rho=0.5:1:10 --vary h=1e-3,0.07,5e-4 --columns x --extremes"
tool $grid --out one.csv --history one-rows.csv --every 10
ok "one process" code_is 0
for n in 2 3 4; do
  on $n $grid --out r$n.csv --history r$n-rows.csv --every 10
  ok "$n processes: exit 0, not $code" code_is 0
  ok "$n processes: the same table" cmp -s one.csv r$n.csv
  ok "$n processes: the same history" cmp -s one-rows.csv r$n-rows.csv
  ok "$n processes: reported once" [ "$(lines '30 runs of heavy-top' out)" -eq 1 ]
  ok "$n processes: their number is reported" grep -q "by $n processes" out
done

# an error is reported once, and no process waits for ever
for wrong in '--vary metod=1,2' '--vary h=1e-3,2e-3 --workers 2' '--vary h=abc,1' '--vary h=1:2'; do
  on 3 sweep heavy-top $wrong --out wrong.csv
  ok "$wrong: refused, not $code" [ "$code" -eq 2 ]
  ok "$wrong: said once" [ "$(lines '^genalpha: ' err)" -eq 1 ]
done
on 3 sweep absent.yaml --vary k=1,2 --out wrong.csv
ok "no such file: said once" [ "$(lines 'No such file' err)" -eq 1 ]
on 3 $grid --out one.csv
ok "a table that exists: exit 1, not $code" code_is 1
ok "a table that exists: said once" [ "$(lines 'exists already' err)" -eq 1 ]
on 2 $grid --list
ok "a list is printed once" [ "$(lines '^genalpha run' out)" -eq 30 ]
on 2 $grid --collect --out none.csv
ok "nothing to collect: said once" [ "$(lines 'there is no' err)" -eq 1 ]

# one process reads another model than the others: it says so, and all end
timeout -k 5 100 mpirun -n 1 "$tool" sweep heavy-top --t-end 0.01 --vary h=1e-3,2e-3 --out differ.csv : \
  -n 1 "$tool" sweep heavy-top --t-end 0.02 --vary h=1e-3,2e-3 --out differ.csv >out 2>err </dev/null
code=$?
ok "another model: exit 1, not $code" code_is 1
ok "another model: said once" [ "$(lines 'process 1 cannot read what process 0 has read' err)" -eq 1 ]

# killed: the job ends, and goes on with another number of processes
long="sweep heavy-top --t-end 0.25 --vary rho=0.5:1:20 --vary h=1e-3:2e-3:20 --columns x,lam1"
tool $long --out whole.csv
for who in 0 1 2; do
  timeout -k 5 100 mpirun -n 3 "$tool" $long --out killed.csv >out 2>err </dev/null &
  launcher=$!
  sleep 0.4
  # the processes of the tool are children of the launcher
  victim=$(ps -o pid=,args= --ppid "$(ps -o pid= --ppid $launcher | head -n 1 | tr -d ' ')" 2>/dev/null |
    grep killed.csv | sed -n "$((who + 1))p" | awk '{ print $1 }')
  if [ -n "$victim" ]; then kill -9 "$victim" 2>/dev/null; fi
  wait $launcher
done
if [ ! -e killed.csv ]; then on 2 $long --out killed.csv; fi
ok "killed and resumed by others: the same table" cmp -s whole.csv killed.csv

finish

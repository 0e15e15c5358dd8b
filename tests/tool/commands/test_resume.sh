# SPDX-License-Identifier: MIT
# Saved states: runs killed at any moment and resumed end as if nothing had happened; bad files.
. "$(dirname "$0")/lib.sh"

export LC_ALL=C
state=$work/state

# time of the state in a file: the first number after a head of 200 bytes; -1 without a file
time_of() {
  [ -e "$1" ] && od -An -t f8 -j 200 -N 8 "$1" | tr -d ' ' || echo -1
}

# reached FILE T: the state in the file is at T or later
reached() {
  awk -v t="$(time_of "$1")" -v target="$2" 'BEGIN { exit !(t >= target) }'
}

# kill_at T ARGUMENT...: run, kill -9 as soon as the state saved is at T or later, and a moment
# more; counts in $killed the runs that had not ended by then
kill_at() {
  target=$1
  shift
  "$tool" run "$@" >"$work/out" 2>"$work/err" </dev/null &
  pid=$!
  until reached "$state" "$target"; do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.01
  done
  sleep "0.00$((killed % 10))"
  kill -9 "$pid" 2>/dev/null
  code=0
  wait "$pid" 2>/dev/null || code=$?
  case $code in
    137) killed=$((killed + 1)) ;;
    *) ok "ended before it was killed, exit $code" code_is 0 ;;
  esac
  ok "a state was saved" reached "$state" "$target"
}

# resume NAME T2: kill once more at T2, then to the end; the same output as the whole run had
resume() {
  name=$1
  second=$2
  shift 2
  [ "$second" = - ] || kill_at "$second" "$@" --from-state "$state"
  succeeds run "$@" --from-state "$state"
  ok "$name: as if never killed" cmp -s "$work/out" "$work/whole"
}

# killed_runs COUNT STEP ARGUMENT...: kill at STEP/2, 3 STEP/2, .., every second run twice
killed_runs() {
  count=$1
  step=$2
  shift 2
  killed=0
  succeeds run "$@" --save-state "$work/other"
  cp "$work/out" "$work/whole"
  i=0
  while [ "$i" -lt "$count" ]; do
    rm -f "$state"
    first=$(awk -v s="$step" -v i="$i" 'BEGIN { print s * (i + 0.5) }')
    second=-
    [ $((i % 2)) -eq 0 ] && second=$(awk -v s="$step" -v i="$i" 'BEGIN { print s * (i + 1.1) }')
    kill_at "$first" "$@" --save-state "$state"
    resume "$1, killed at $first and $second" "$second" "$@" --save-state "$state"
    i=$((i + 1))
  done
  # a fast run may have ended before the last kills
  ok "$killed runs were killed" [ "$killed" -ge $((count * 3 / 4)) ]
  ok "both files are of the same end" cmp -s "$state" "$work/other"
  ok "nothing is left beside the file" [ ! -e "$state.tmp" ]
}

killed_runs 10 0.5 heavy-top --h 1e-4 --t-end 5 --checkpoint-every 0.1 --final
killed_runs 4 0.5 heavy-top --h 1.3e-4 --t-end 2 --checkpoint-every 0.07 --final --method index3 \
  --linsol klu
killed_runs 6 0.3 chain --size 40 --linsol klu --h 1e-3 --t-end 2 --checkpoint-every 0.05 --final

killed_runs 4 0.5 heavy-top --rtol 1e-7 --t-end 2 --checkpoint-every 0.05 --final
killed_runs 4 0.2 chain --size 20 --linsol klu --rtol 1e-6 --atol 1e-7 --method soi2 --t-end 1 \
  --checkpoint-every 0.03 --final
killed_runs 4 0.5 heavy-top --h 2e-4 --h-seq 1/3,2/3,1/5 --method index3 --t-end 2 \
  --checkpoint-every 0.05 --final
succeeds run heavy-top --rtol 1e-3 --save-state "$state"
refused 1 'automatic steps, this one has steps of one size' run heavy-top --from-state "$state"

# the whole run is not the one without checkpoints, but one that ended goes on from there
succeeds run chain --size 5 --t-end 0.2 --save-state "$state" --final
cp "$work/out" "$work/whole"
succeeds run chain --size 5 --t-end 0.2 --from-state "$state" --final
ok "at the end already: the same state" cmp -s "$work/out" "$work/whole"
succeeds run chain --size 5 --t-end 0.4 --from-state "$state" --out "$work/a.csv"
ok "goes on from where it was" [ "$(sed -n '2s/,.*//p' "$work/a.csv" | cut -c1-3)" = 0.2 ]
ok "the summary tells the steps of both" out_has 'steps *400 of'

# the size in use is that of the file, and this is what the summary and the JSON tell
succeeds run chain --size 5 --h 4e-3 --t-end 0.2 --save-state "$state"
succeeds run chain --size 5 --t-end 0.4 --from-state "$state"
ok "summary: the size of the saved run" out_has 'steps *100 of h = 0.004, from t = 0 to 0.4$'
succeeds run chain --size 5 --h 1e-2 --t-end 0.4 --from-state "$state" --final
ok "JSON: the size of the saved run" out_has '"h": 0.0040000000000000001}'

# Ctrl-C saves; the run can be ended later
code=0
timeout --preserve-status -s INT 1 "$tool" run heavy-top --h 1e-4 --t-end 1e4 --save-state "$state" \
  >"$work/out" 2>"$work/err" || code=$?
ok "Ctrl-C: exit 130, not $code" code_is 130
ok "Ctrl-C: told when" err_has 'interrupted at t = '
at=$(time_of "$state")
ok "Ctrl-C: the state was saved" [ "$at" != -1 ]
end=$(awk -v t="$at" 'BEGIN { printf "%.3f", t + 0.25 }')
succeeds run heavy-top --h 1e-4 --t-end "$end" --from-state "$state" --final
ok "Ctrl-C: ends where it should" [ "$(sed -n 's/.*"t": \(.*\),/\1/p' "$work/out" |
  awk -v t="$end" '{ print ($1 - t < 1e-12 && t - $1 < 1e-12) }')" = 1 ]

# files that are no states, or of another run
refused 1 "$work/missing.*No such file" run heavy-top --from-state "$work/missing"
refused 1 "$work.*directory" run heavy-top --from-state "$work"
for bytes in 0 1 7 100 200 300; do
  head -c "$bytes" "$state" >"$work/torn"
  refused 1 "$work/torn.*torn" run heavy-top --h 1e-4 --from-state "$work/torn"
done
echo 't,x1,x2' >"$work/foreign"
refused 1 "foreign' is not a state file" run heavy-top --from-state "$work/foreign"
{ head -c 16 "$state"; printf '\011'; tail -c +18 "$state"; } >"$work/newer"
refused 1 'newer version' run heavy-top --from-state "$work/newer"
refused 1 "of method 'stab2', this run uses 'index3'" run heavy-top --method index3 --from-state "$state"
refused 1 'other parameters' run heavy-top --rho 0.5 --from-state "$state"
refused 1 'another model' run chain --from-state "$state"
refused 1 'after the end of the run' run heavy-top --t-end 1e-3 --from-state "$state"

# a state that a version with the option `system` saved: rheonomic, soi2, --system split, t = 0.1
base64 -d >"$work/older" <<'END'
R0FTVEFURQAEAwIBAAAAAAQAAAAAAAAAAgAAAAAAAAACAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAGAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
AAAAAAAAAAAAc29pMgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACmvobyG8to/DuU1lNdQ
3j9/bE8QgbrRP/Iaymsor+E/AAAAAAAAAACamZmZmZm5P3sUrkfheoQ/exSuR+F6hD97FK5H4XqEP5qZmZmZmbk/mpmZmZmZuT8AAAAAAAAAAAAAAAAA
AAAACgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAARAAAAAAAAABsAAAAAAAAACgAAAAAAAAAAAAAAAAAAAAcAAAAAAAAAAAAAAAAAAAAAAAAA
AAAAAAAAAAAAAAAAAAAAAAAAuDwAAAAAAACQPAAAAAAAAAAAexSuR+F6hD97FK5H4XqEPwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPA/AAAA
AAAAAABQHw8eUD3wPxcvXvWejrk/iy9L3AdeuT9Z3dMfB9fvP/HsYTGoRvC/ubINhFOdub8Pu/erVkbwv/q+nFnFerm/gNPsgTQJ8D8Pu/erVkbwv/q+
nFnFerm/x1Ox9FNA8L+KdTUleeq2vw+796tWRvC/+r6cWcV6ub/HU7H0U0Dwv4p1NSV56ra/gVVYe2JD8L8C939JH3a5vw+796tWRvC/+r6cWcV6ub/1
C1/3AAbwP4DT7IE0CfA/tNkw8fXojjs=
END
succeeds run rheonomic --method soi2 --t-end 0.2 --final
sed -n '/"q"/p' "$work/out" >"$work/whole"
succeeds run rheonomic --method soi2 --t-end 0.2 --from-state "$work/older" --final
ok "as a run without interruption" awk 'function number(text) { sub(/.*\[/, "", text); return text + 0 }
  NR == FNR { q = number($0); next } /"q"/ { d = number($0) - q; found = 1 }
  END { exit !(found && d < 1e-12 && d > -1e-12) }' "$work/whole" "$work/out"

# where nothing can be saved
refused 2 'needs --save-state' run heavy-top --checkpoint-every 0.1
refused 2 'checkpoint-every' run heavy-top --checkpoint-every 0 --save-state "$state"
refused 1 'no/such/dir.*No such file' run rheonomic --save-state "$work/no/such/dir"
refused 1 'no/such/dir.*No such file' run rheonomic --save-state "$work/no/such/dir" \
  --checkpoint-every 0.1 --final
# through a link: what is put in its place by mistake is not put in place of the device
if [ -w /dev/full ]; then
  ln -s /dev/full "$work/full"
  refused 1 'full.*No space' run rheonomic --save-state "$work/full" --final
  ok "a device is not replaced" [ -c "$work/full" ]
fi

finish

# SPDX-License-Identifier: MIT
# Sweeps: the same table by any number of workers and after any kill, failures, lists, messages.
. "$(dirname "$0")/lib.sh"
models=$(dirname "$0")/../../../models
export LC_ALL=C
cd "$work" || exit 1
case $models in /*) ;; *) models=$OLDPWD/$models ;; esac
case $tool in /*) ;; *) tool=$OLDPWD/$tool ;; esac

ending=h5
if "$tool" --version | grep -q 'HDF5 not built in'; then
  refused 1 'built without HDF5' sweep heavy-top --vary h=1e-3,2e-3 --out s.h5
  ok "no journal is left" [ ! -e s.h5.journal ]
  ending=csv
fi

# table FILE: the whole table as CSV, in table.csv
table() {
  case $1 in
    *.h5) "$tool" export --all "$1" table.csv ;;
    *) cp "$1" table.csv ;;
  esac
}
# cell COLUMN RUN: a number of the table
cell() {
  awk -F, -v name="$1" -v run="$2" '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
    $1 == run { print $c }' table.csv
}

# ---- the same content by 1, 2 and 3 workers ---------------------------------------------------
grid="sweep heavy-top --t-end 0.1 --vary rho=0.5:1:6 --vary h=1e-3,5e-4 --columns x,lam1 --extremes"
for n in 1 2 3; do
  succeeds $grid --workers $n --out w$n.$ending --history l$n.$ending --every 7
  ok "told: $n workers" out_has "12 runs of heavy-top: 12 complete, 0 failed"
  ok "no journal is left" [ ! -e w$n.$ending.journal ]
  table w$n.$ending && mv table.csv w$n.txt
  table l$n.$ending && mv table.csv l$n.txt
done
for n in 2 3; do
  ok "the table of $n workers" cmp -s w1.txt w$n.txt
  ok "the history of $n workers" cmp -s l1.txt l$n.txt
done
if [ $ending = h5 ] && command -v h5diff >/dev/null 2>&1; then
  ok "h5diff finds no difference" sh -c "h5diff w1.h5 w3.h5 >/dev/null 2>&1"
fi
ok "12 rows" [ "$(rows w1.txt)" -eq 12 ]

python=/usr/bin/python3
if [ $ending = h5 ] && "$python" -c 'import h5py' 2>/dev/null; then
  "$python" - w1.h5 <<'EOP' >"$work/out" 2>"$work/err"
import sys, h5py
with h5py.File(sys.argv[1]) as f:
    good = f["columns/status"][:] == 0
    assert good.all() and len(good) == 12
    assert f["columns/rho"][:][good][-1] == 1
    assert f["texts/message"].asstr()[3] == ""
EOP
  ok "read by h5py" [ $? -eq 0 ]
fi

# the numbers are those of `run`: final values, extremes and rows
cp w1.txt table.csv
tool run heavy-top --t-end 0.1 --rho 0.7 --h 5e-4 --out run.csv
ok "the values at the end" [ "$(tail -n 1 run.csv | cut -d, -f2)" = "$(cell x 5)" ]
ok "the largest value" [ "$(tail -n +2 run.csv | cut -d, -f2 | sort -g | tail -n 1)" = "$(cell x.max 5)" ]
ok "the least value" [ "$(tail -n +2 run.csv | cut -d, -f2 | sort -g | head -n 1)" = "$(cell x.min 5)" ]
ok "rho varies slowest" [ "$(cell rho 5)" = "0.69999999999999996" ]
ok "h varies fastest" [ "$(cell h 5)" = "0.00050000000000000001" ]
ok "steps" [ "$(cell steps 5)" = 200 ]
tool run heavy-top --t-end 0.1 --rho 0.7 --h 5e-4 --every 7 --out run.csv
awk -F, '$1 == 5 { print $2 "," $3 }' l1.txt >rows.txt
tail -n +2 run.csv | cut -d, -f1,2 >expected.txt
ok "the history of a run" cmp -s rows.txt expected.txt

# a table that is there
if [ $ending = h5 ]; then
  succeeds $grid --workers 2 --out w1.h5 --history l1.h5 --every 7
  ok "nothing is done twice" out_has "has all runs of this sweep already"
fi
refused 1 "exists" sweep heavy-top --vary rho=0.5,0.6 --out w1.$ending

# one option under two names, and files that would be written over each other
refused 2 "'h' is varied twice" sweep heavy-top --vary h=1e-3 --vary run.h=2e-3 --out twice.csv
for other in ./one.csv one.csv.journal ./one.csv.part; do
  refused 2 'only one of them can be kept' sweep heavy-top --vary h=1e-3 --out one.csv --history $other
done
refused 1 "directory 'missing'" sweep heavy-top --vary h=1e-3 --out one.csv --history missing/l.csv
ok "nothing is left of a refused sweep" sh -c '! ls one.csv* >/dev/null 2>&1'
# a journal that was killed before its head was written; a table that came in between stays
: >empty.csv.journal
succeeds sweep heavy-top --t-end 0.01 --vary h=1e-3 --out empty.csv
: >empty.csv.journal
refused 1 "'empty.csv' exists already" sweep heavy-top --t-end 0.01 --vary h=2e-3 --out empty.csv
ok "the table stays" [ "$(rows empty.csv)" -eq 1 ]

# ---- kill -9 at several moments ---------------------------------------------------------------
long="sweep heavy-top --t-end 0.5 --vary rho=0.5:1:20 --vary h=1e-3:2e-3:20 --columns x,lam1"
succeeds $long --out whole.$ending
table whole.$ending && mv table.csv whole.txt
kills=0
for pause in 0.005 0.01 0.02 0.04 0.2; do
  "$tool" $long --workers 2 --out killed.$ending >/dev/null 2>&1 &
  sleep $pause
  kill -9 $! 2>/dev/null && kills=$((kills + 1))
  wait $! 2>/dev/null
done
ok "it was killed" [ $kills -ge 2 ]
# runs that are recorded are not made again
before=0
if [ -e killed.$ending.journal ]; then
  tool $long --out killed.$ending --collect
  table killed.$ending
  before=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "status") c = i; next }
    $c == 0 { n++ } END { print n + 0 }' table.csv)
  # a record that the kill has cut
  printf 'torn' >>killed.$ending.journal
  tool $long --workers 2 --out killed.$ending
  ok "the rest is made" code_is 0
  if [ "$before" -gt 0 ]; then ok "told: $before" err_has "^genalpha: $before of 400 runs are done"; fi
  ok "only the rest" out_has "effort  *$((400 - before)) runs"
fi
table killed.$ending
ok "killed and resumed: the same table" cmp -s whole.txt table.csv

# cut anywhere, a journal gives what is whole in it
"$tool" $long --workers 2 --out cut.$ending >/dev/null 2>&1 &
sleep 0.05
kill -9 $! 2>/dev/null
wait $! 2>/dev/null
if [ -e cut.$ending.journal ]; then
  size=$(wc -c <cut.$ending.journal)
  for part in 1 3 7 9; do
    cp cut.$ending.journal part.$ending.journal
    truncate -s $((size - size * part / 20 - part)) part.$ending.journal
    tool $long --out part.$ending
    table part.$ending
    ok "cut after $part: the same table" cmp -s whole.txt table.csv
    rm -f part.$ending
  done
  # another sweep does not touch it, and says what differs
  refused 1 'belongs to another sweep: it has .*h=1e-3:2e-3:20.*, this one .*h=1e-3:2e-3:21' \
    sweep heavy-top --t-end 0.5 --vary rho=0.5:1:20 --vary h=1e-3:2e-3:21 --columns x,lam1 \
    --out cut.$ending
fi
printf 'something else, long enough to be looked at' >odd.csv.journal
refused 1 'is not the journal of a sweep' $long --out odd.csv

# Ctrl-C: a message, and the same command goes on
"$tool" $long --workers 2 --out int.$ending >/dev/null 2>int.txt &
sleep 0.15
kill -TERM $! 2>/dev/null
wait $!
code=$?
if [ $code -ne 0 ]; then
  ok "interrupted" [ $code -eq 130 ]
  ok "told how to go on" grep -q 'the same command makes the others' int.txt
  tool $long --out int.$ending
fi
table int.$ending
ok "interrupted and resumed: the same table" cmp -s whole.txt table.csv

# a disk that is full: what is recorded stays, and is gone on from
code=0
(
  ulimit -f 16
  exec "$tool" $long --out full.$ending
) >out 2>err || code=$?
ok "a full disk: exit 1" code_is 1
ok "a full disk: told" err_has "cannot write 'full.$ending.journal': File too large"
echo "left by a sweep that was killed while it wrote its table" >full.$ending.part
tool $long --out full.$ending
ok "a full disk: only the rest" out_has 'effort  *[123][0-9][0-9] runs'
table full.$ending
ok "a full disk, then room: the same table" cmp -s whole.txt table.csv
ok "nothing else is left" [ -z "$(ls full.$ending.* 2>/dev/null)" ]

# ---- failures are recorded --------------------------------------------------------------------
tool sweep heavy-top --vary h=1e-3,0.5,2e-3 --vary method=stab2,index3 --t-end 1 --columns x --out bad.csv
ok "failures do not end a sweep" code_is 0
ok "counted" out_has "4 complete, 2 failed"
ok "the first one is told" out_has "failed  *run 2: "
ok "its message is kept" grep -q '^2,0.5,2,0,0,nan,stab2,"\{0,1\}the run failed after 0 steps.*smaller step' bad.csv
ok "the next is complete" grep -q '^4,0.002.*,0,1,500,.*,stab2,$' bad.csv
tool sweep "$models/slider-crank.yaml" --vary l2=0.6,0.1 --t-end 0.1 --columns slider.x --out geo.csv
ok "a model that cannot be built" grep -q '^1,0.10.*,2,nan,nan,nan,"\{0,1\}.*slider-crank.yaml' geo.csv
tool sweep heavy-top --vary h=0.5,0.6 --columns x --out none.csv
ok "none is complete: exit 1" code_is 1
tool sweep "$models/pendulum.yaml" --vary l=1,2 --stop-when 'pin.angle > 1' --columns pin.angle --out stop.csv
if [ "$code" -eq 0 ]; then
  ok "an event ends a run: status 1" grep -q '^0,1,1,.*stopped at t = ' stop.csv
fi
# what a run fails with is drawn, not written: recorded
tool sweep heavy-top --samples 4 --random 'h=uniform(-1,-0.5)' --columns x --out drawn.csv
ok "a value that is not allowed" grep -q '^3,-0.*,2,nan,nan,nan,"\{0,1\}--h' drawn.csv

# ---- random numbers ---------------------------------------------------------------------------
mc="sweep $models/slider-crank.yaml --t-end 0.02 --columns slider.x --samples 5"
law="--random k=normal(1000,50) --random m1=lognormal(-1,0.1)"
for n in 1 3; do
  succeeds $mc $law --workers $n --out mc$n.csv
done
ok "the same numbers by 3 workers" cmp -s mc1.csv mc3.csv
succeeds $mc $law --seed 1 --out mcs.csv
ok "seed 1 is the default" cmp -s mc1.csv mcs.csv
succeeds $mc $law --seed 2 --out mc2.csv
ok "another seed, other numbers" sh -c '! cmp -s mc1.csv mc2.csv'
# more samples: those of before stay
"$tool" sweep "$models/slider-crank.yaml" --t-end 0.02 --columns slider.x --samples 9 $law \
  --out mc9.csv >/dev/null 2>&1
head -n 6 mc9.csv >head.csv
ok "more samples go on where fewer end" cmp -s head.csv mc1.csv

# ---- lists ------------------------------------------------------------------------------------
succeeds sweep "$models/slider-crank.yaml" --vary 'k=500,2*500' --vary m4=0.5:0.7:2 --t-end 0.1 \
  --columns slider.x --out list.csv
tool sweep "$models/slider-crank.yaml" --vary 'k=500,2*500' --vary m4=0.5:0.7:2 --t-end 0.1 --list
ok "four lines" [ "$(wc -l <out)" -eq 4 ]
ok "a line of a list" grep -q -F -e "--t-end 0.1 --set 'k=2*500' --set m4=0.5 --final" out
cp out lines.txt
cp list.csv table.csv
genalpha() { "$tool" "$@"; }
run=0
while read -r line; do
  eval "$line" >final.json
  x=$(sed -n 's/^ *"slider\.x": \(.*\),$/\1/p' final.json)
  ok "line $run gives the same number" [ "$x" = "$(cell slider.x $run)" ]
  run=$((run + 1))
done <lines.txt
ok "an expression becomes a number" [ "$(cell k 2)" = 1000 ]
tool sweep heavy-top --vary h=1:1000:4:log --list
ok "logarithmic" [ "$(sed 's/.*--h \([^ ]*\) .*/\1/' out | tr '\n' ' ')" = '1 10 100 1000 ' ]
tool sweep "$models/slider-crank.yaml" --vary 'l1=100 mm:300 mm:3' --list
ok "with a unit" grep -q -F -e "--set 'l1=200 mm'" out

# a parameter of the file goes before an option of the same name; run.NAME is the option
sed 's/^parameters: {/&h: 2, /' "$models/slider-crank.yaml" >h.yaml
tool sweep h.yaml --vary h=1,2 --list
ok "the parameter" grep -q -e '--set h=1' out
tool sweep h.yaml --vary run.h=1e-3,2e-3 --list
ok "the option" grep -q -e '--h 1e-3' out

# ---- messages ---------------------------------------------------------------------------------
out='--out m.csv'
refused 2 "PROBLEM is missing" sweep
refused 2 "nothing is varied" sweep heavy-top $out
refused 2 "'tourque': neither a parameter .* did you mean 'torque'?" sweep "$models/slider-crank.yaml" --vary tourque=1,2 $out
refused 2 "did you mean 'method'" sweep heavy-top --vary metod=a,b $out
refused 2 "is no model file with parameters" sweep heavy-top --vary stiffness=1,2 $out
refused 2 "unknown method 'stab3'" sweep heavy-top --vary method=stab2,stab3 $out
refused 2 "unknown linsol 'weak'" sweep heavy-top --vary linsol=klu,weak $out
succeeds sweep heavy-top --vary linsol=auto,weak-entries,sweep --t-end 0.01 --columns x --list
refused 2 "unknown method 'stab3'" sweep heavy-top --method stab3 --vary h=1e-3,2e-3 $out
refused 2 "'h' is varied and given by --h" sweep heavy-top --h 1e-3 --vary h=1e-3,2e-3 $out
refused 2 "'k' is varied and given by --set k" sweep "$models/slider-crank.yaml" --set k=1 --vary k=1,2 $out
refused 2 "varied twice" sweep heavy-top --vary h=1e-3,2e-3 --vary h=1:2:3 $out
refused 2 "write NAME=" sweep heavy-top --vary h $out
refused 2 "write NAME=" sweep heavy-top --vary h= $out
refused 2 "write NAME=" sweep heavy-top --vary =1 $out
refused 2 "nothing between two commas" sweep heavy-top --vary h=1e-3,,1 $out
refused 2 "at least 2 values" sweep heavy-top --vary h=1e-3:2e-3:0 $out
refused 2 "at least 2 values" sweep heavy-top --vary h=1e-3:2e-3:-4 $out
refused 2 "the range is empty" sweep heavy-top --vary h=1e-3:1e-3:4 $out
refused 2 "a range is A:B:N" sweep heavy-top --vary h=1e-3:1e-2 $out
refused 2 "a range is A:B:N" sweep heavy-top --vary h=1e-3:x:4 $out
refused 2 "a range is A:B:N" sweep heavy-top --vary h=1e-3:1e-2:4:lin $out
refused 2 "both ends must be greater than 0" sweep heavy-top --vary h=-1:1:4:log $out
refused 2 "the same unit" sweep "$models/slider-crank.yaml" --vary 'l1=1 mm:2 m:3' $out
refused 2 "numbers without a unit" sweep heavy-top --vary 'h=1 ms:2 ms:3' $out
refused 2 "'abc' is not a number\|h = 'abc'" sweep heavy-top --vary h=1e-3,abc $out
refused 2 "more than 100000000 runs" sweep heavy-top --vary h=1:2:100000 --vary rho=0:1:100000 $out
refused 2 "needs --samples" sweep heavy-top --random 'h=uniform(1,2)' $out
refused 2 "needs --random" sweep heavy-top --samples 3 --vary h=1e-3,2e-3 $out
refused 2 "needs --random" sweep heavy-top --seed 3 --vary h=1e-3,2e-3 $out
refused 2 'is not a whole number' sweep heavy-top --seed ' -1' --random 'h=uniform(1e-3,2e-3)' $out
refused 2 "must be between 1 and" sweep heavy-top --samples 0 --random 'h=uniform(1,2)' $out
refused 2 "standard deviation" sweep heavy-top --samples 2 --random 'h=normal(1,-2)' $out
refused 2 "less than the second" sweep heavy-top --samples 2 --random 'h=uniform(1,1)' $out
refused 2 "did you mean 'normal'" sweep heavy-top --samples 2 --random 'h=norml(1,1)' $out
refused 2 "is not a whole number" sweep heavy-top --seed -3 --vary h=1e-3,2e-3 $out
refused 2 "out FILE.h5 or FILE.csv is missing" sweep heavy-top --vary h=1e-3,2e-3
refused 2 "'-' is none" sweep heavy-top --vary h=1e-3,2e-3 --out -
refused 2 "only one of them can be kept" sweep heavy-top --vary h=1e-3,2e-3 $out --history m.csv
refused 2 "about the rows of --history" sweep heavy-top --vary h=1e-3,2e-3 --every 3 $out
refused 2 "unknown column 'slider.xx'; did you mean 'slider.x'" sweep "$models/slider-crank.yaml" --vary k=1,2 --columns slider.xx $out
refused 2 "nothing between two commas" sweep heavy-top --vary h=1e-3,2e-3 --columns x,,y $out
refused 1 "there is no 'm.csv.journal'" sweep heavy-top --vary h=1e-3,2e-3 --collect $out
refused 1 "No such file" sweep absent.yaml --vary k=1,2 $out
refused 1 "No such file" sweep heavy-top --vary h=1e-3,2e-3 --out absent/m.csv
refused 2 "did you mean '--vary'" sweep heavy-top --var h=1e-3,2e-3 $out
# a launcher's variables without its processes; other launchers: test_launcher.sh
for launcher in OMPI_COMM_WORLD PMI; do
  export ${launcher}_SIZE=4 ${launcher}_RANK=0
  refused 1 "4 processes were started, but" sweep heavy-top --vary h=1e-3,2e-3 $out
  unset ${launcher}_SIZE ${launcher}_RANK
done
ok "nothing is left of what was refused" [ -z "$(ls m.csv* absent* 2>/dev/null)" ]

# one file of histories belongs to one sweep until that has ended, also while it is stopped
long='sweep heavy-top --vary h=1e-5:2e-5:100 --t-end 1 --workers 1 --history shared.csv --every 1000'
"$tool" $long --out first.csv >/dev/null 2>&1 &
sweeping=$!
tries=0
while [ ! -s first.csv.journal ] || [ ! -e shared.csv.owner ]; do
  tries=$((tries + 1))
  [ $tries -lt 200 ] || break
  sleep 0.05
done
refused 1 "another sweep that is running writes its histories" $long --out second.csv
ok "nothing of the second is left" [ ! -e second.csv.journal ]
kill -TERM $sweeping
wait $sweeping
ok "the first has stopped" [ -e first.csv.journal ]
refused 1 "belongs to the sweep into '.*first.csv', which was stopped" $long --out second.csv
succeeds sweep heavy-top --vary h=1e-3 --t-end 0.01 --out third.csv --history third_rows.csv
ok "no mark is left" [ ! -e third_rows.csv.owner ]
rm -f first.csv.journal
succeeds sweep heavy-top --vary h=1e-3 --t-end 0.01 --out second.csv --history shared.csv
ok "the mark is gone" [ ! -e shared.csv.owner ]

# a range says how many values it has
succeeds sweep heavy-top --vary h=1e-3:2e-3:6 --t-end 0.01 --out range.csv
ok "values of a range" out_has 'varied  *h: 6 values from 0.001 to 0.002, 0.0002 apart'

finish

# SPDX-License-Identifier: MIT
# genalpha run --accuracy: what it prints and writes, its exit status, what it refuses.
set -eu
tool=$1
models=$(cd "$(dirname "$0")/../../../models" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "test_accuracy: $*" >&2
  exit 1
}
# expect STATUS WORDS COMMAND: exit status, and words in what it prints
expect() {
  status=$1
  words=$2
  shift 2
  code=0
  "$@" >out 2>&1 || code=$?
  [ "$code" -eq "$status" ] || fail "exit status $code, not $status: $* : $(cat out)"
  tr -s ' \n' '  ' <out | grep -q -e "$words" || fail "'$words' is not in the output of $*: $(cat out)"
}

# the summary, the method it chooses, and the one that was asked for
expect 0 '1e-05 asked: q .*order [3-6] from .*(index3)' "$tool" run "$models/four-bar.yaml" --accuracy 1e-5
expect 0 '(stab2)' "$tool" run "$models/four-bar.yaml" --accuracy 1e-3 --method stab2
expect 0 '(stab2)' "$tool" run oscillator --accuracy 1e-3

# all files; the end agrees with another method
"$tool" run "$models/four-bar.yaml" --accuracy 1e-7 --accuracy-of q,v,lam --final --out a.csv >a.json
for word in '"asked": ' '"reached": true' '"verdict": "reached"' '"estimate": {"q": ' '"lam": [0-9]' '"order": '; do
  grep -q "$word" a.json || fail "$word is not in --final"
done
[ "$(wc -l <a.csv)" -ge 200 ] || fail "a.csv has few rows"
"$tool" run "$models/four-bar.yaml" --accuracy 1e-4 --out-dt 0.25 --out b.csv --threads 2 >/dev/null
[ "$(wc -l <b.csv)" -eq 8 ] || fail "b.csv: $(wc -l <b.csv) lines"
tail -1 a.csv >end.a
tail -1 b.csv >end.b
paste -d, end.a end.b | awk -F, '{ n = NF / 2; for (i = 2; i <= n; i++) { d = $i - $(i + n); s = $i < 0 ? -$i : $i;
  if (d < 0) d = -d; if (d > 1e-2 * (1 + s)) { print "column", i, $i, $(i + n); exit 1 } } }' || fail "the ends differ"

# threads do not change a bit
"$tool" run "$models/governor.yaml" --accuracy 1e-4 --final --threads 1 >one
"$tool" run "$models/governor.yaml" --accuracy 1e-4 --final --threads 4 >four
cmp one four || fail "the result depends on the threads"

# not reached: status 3, results all the same
expect 3 'NOT reached: about' "$tool" run heavy-top --accuracy 1e-12 --accuracy-steps 5000 --out c.csv
[ "$(wc -l <c.csv)" -gt 50 ] || fail "no results were written"
grep -q '"verdict": "budget"' a.json && fail "a.json has another verdict"

# refusals
expect 2 'accuracy does not go together with --h' "$tool" run heavy-top --accuracy 1e-4 --h 1e-3
expect 2 'neither rtol' "$tool" run heavy-top --accuracy 1e-4 --rtol 1e-3
expect 2 'extrapolate' "$tool" run heavy-top --accuracy 1e-4 --extrapolate 1
expect 2 'save-state' "$tool" run heavy-top --accuracy 1e-4 --save-state s
expect 2 'accuracy' "$tool" run heavy-top --accuracy 2

# in a file; the command line counts
sed 's/^run:.*/run: {accuracy: 1e-4, t_end: 0.5}/' "$models/pendulum.yaml" >p.yaml
expect 0 '0.0001 asked' "$tool" run p.yaml
expect 0 '500 of h = 0.001' "$tool" run p.yaml --h 1e-3
expect 0 'automatic' "$tool" run p.yaml --rtol 1e-3
expect 0 '1e-06 asked' "$tool" run p.yaml --accuracy 1e-6
sed 's/^run:.*/run: {rtol: 1e-3, t_end: 0.5}/' "$models/pendulum.yaml" >r.yaml
expect 0 '1e-06 asked' "$tool" run r.yaml --accuracy 1e-6
expect 0 '' "$tool" check p.yaml
expect 0 '' "$tool" converge p.yaml --h 1e-2 --levels 2 --t-end 0.1

# redundant joints: the sum of the constraint forces is unique
for model in door truss; do
  expect 0 'constraint forces [0-9]' "$tool" run "$models/$model.yaml" --accuracy 1e-5 --accuracy-of q,v,lam
done

# an event ends it
expect 0 'stopped at t = ' "$tool" run "$models/pendulum.yaml" --accuracy 1e-6 --stop-when 'rod.x < 0'

# a sweep keeps the estimates
"$tool" sweep "$models/pendulum.yaml" --vary accuracy=1e-3,1e-5 --t-end 0.5 --out s.csv >/dev/null
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { if ($i == "error") e = i; if ($i == "accuracy") a = i } }
  NR > 1 { n++; if (!e || !a || !($e > 0 && $e + 0 <= $a + 0)) bad = 1 } END { exit bad || n != 2 }' s.csv ||
  fail "the sweep: $(cut -c1-200 s.csv)"
echo "test_accuracy: ok"

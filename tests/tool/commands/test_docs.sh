# SPDX-License-Identifier: MIT
# Numbers in docs/ that a run produces: the tables are read from the documents and compared with runs.
# A failure prints what should stand there.
. "$(dirname "$0")/lib.sh"
docs=$(dirname "$0")/../../../docs

# near A B RELATIVE: do the numbers agree?
near() { awk -v a="$1" -v b="$2" -v r="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; s = b < 0 ? -b : b
  exit !(a != "" && b != "" && d <= r * s) }'; }

# said WHERE OLD NEW RELATIVE: the document's number is the run's
said() { ok "$1: the document says $2, a run gives $3" near "$2" "$3" "$4"; }

# number KEY: of the JSON object in $work/out, the first of that name
number() { grep -o "\"$1\": [-+.e0-9]*" "$work/out" | head -n 1 | sed 's/.*: //'; }

# docs/guide/variable-steps.md: steps and errors of `converge --rtol`
tool converge heavy-top --rtol 1e-2 --levels 4
grep '^ *[0-9.e-]*  *[0-9]*  *[0-9]' "$work/out" >"$work/rows"
grep -A 7 'genalpha converge heavy-top --rtol 1e-2 --levels 4' "$docs/guide/variable-steps.md" |
  grep '^ *[0-9.e-]*  *[0-9]*  *[0-9]' >"$work/said"
ok "four rows" [ "$(wc -l <"$work/rows") $(wc -l <"$work/said")" = '4 4' ]
for i in 1 2 3 4; do
  for column in 2 3 4 5; do
    said "variable-steps.md, row $i, column $column" "$(sed -n ${i}p "$work/said" | awk "{ print \$$column }")" \
      "$(sed -n ${i}p "$work/rows" | awk "{ print \$$column }")" 0.01
  done
done

# docs/reference/methods.md: iterations and matrices of a step
# counts LABEL RUN...: the row that begins with the label
counts() {
  label=$1
  shift
  tool run "$@" --final
  row=$(grep -F -e "| $label |" "$docs/reference/methods.md" | tail -n 1)
  for part in 'newton_its 3 iterations' 'matrices 4 matrices'; do
    # shellcheck disable=SC2086
    set -- $part
    ours=$(awk -v n="$(number "$1")" -v s="$(number steps)" 'BEGIN { printf "%.2f", n / s }')
    said "methods.md, $label, $3 a step" "$(echo "$row" | cut -d'|' -f"$2")" "$ours" 0.1
  done
}
counts 'heavy top, `index3`, h = 1e-3' heavy-top --method index3 --h 1e-3
counts 'heavy top, `stab2`, h = 1e-3' heavy-top --method stab2 --h 1e-3
counts 'Andrews, `index3`, h = 1e-5' andrews --method index3 --h 1e-5
counts 'Andrews, `stab2`, h = 1e-5' andrews --method stab2 --h 1e-5
counts 'chain of 1000 rods, `index3`, h = 1e-3, to t = 0.1' chain --size 1000 --method index3 \
  --h 1e-3 --t-end 0.1

# docs/reference/methods.md: errors of the methods
# errors METHOD VARIANT ROW
errors() {
  row=$(grep "^| $3 |.*| .*e-" "$docs/reference/methods.md" | head -n 1)
  for run in 'heavy-top 1e-3 1 3 4' 'andrews 3e-5 0.03 6 7'; do
    # shellcheck disable=SC2086
    set -- "$1" "$2" "$3" $run
    if [ -n "$2" ]; then variant="--variant $2"; else variant=''; fi
    # shellcheck disable=SC2086
    tool converge "$4" --method "$1" $variant --h "$5" --t-end "$6" --levels 1 --csv
    for part in "q_error $7" "lam_error $8"; do
      # shellcheck disable=SC2086
      set -- "$1" "$2" "$3" "$4" "$5" "$6" "$7" "$8" $part
      ours=$(awk -F, -v name="$9" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
        NR == 2 { printf "%.2g", $c }' "$work/out")
      said "methods.md, $3, $4, $9" "$(echo "$row" | cut -d'|' -f"${10}")" "$ours" 0.06
    done
  done
}
for method in stab2 index3 soi2 index2 index1; do errors $method '' "\`$method\`"; done
for variant in 3.4 3.5 mid mid3.5; do errors hht $variant "\`hht\` $variant"; done

# docs/guide/choosing.md: every message explained is one that the sources have
source=$(dirname "$0")/../../..
sed -n 's/^- "\([^"]*\)": .*/\1/p' "$docs/guide/choosing.md" >"$work/messages"
ok "there are some" [ "$(wc -l <"$work/messages")" -ge 15 ]
while read -r message; do
  ok "a message of the sources: '$message'" grep -r -q -F -e "$message" "$source/src" "$source/tool"
done <"$work/messages"

# docs/data/benchmarks.md: a ratio above its limit is marked, and others are not
sed -n '/^| ratio | measured | limit |/,/^$/p' "$docs/data/benchmarks.md" |
  sed -n 's/^| \([a-z].*\) | \(.*\) | \(.*\) |$/\1,\2,\3/p' |
  sed 1d >"$work/ratios"
ok "there are some ratios" [ "$(wc -l <"$work/ratios")" -ge 20 ]
awk -F, '{ marked = /\*\*.*above its limit/; value = $2; gsub(/\*/, "", value)
  if ((value + 0 > $NF + 0) != marked) { print; bad = 1 } } END { exit bad }' "$work/ratios" >"$work/wrong"
ok "ratios above their limits are marked: $(cat "$work/wrong")" [ ! -s "$work/wrong" ]

# tools/benchmarks.sh marks them
printf '%s\n' '"ratios": {' '"slow": 2.1,' '"quick": 0.5,' '"unknown": null' '"targets": {' '"slow": 2,' '"quick": 1,' \
  '"unknown": 3' >"$work/bench.json"
echo '@ratios@' >"$work/template"
sh "$source/tools/benchmarks.sh" "$work/bench.json" "$work/template" >"$work/out"
ok "a ratio above its limit" out_has '^| slow | \*\*2.1, above its limit of 2\*\* | 2 |$'
ok "one below" out_has '^| quick | 0.5 | 1 |$'
ok "how many" out_has '^1 of 3 ratios are above their limits:$'
ok "which" out_has '^`slow`\.$'

finish

# SPDX-License-Identifier: MIT
# Runs: summary, trajectory, end state, plot, files that cannot be written, interruption.
. "$(dirname "$0")/lib.sh"

# summary and trajectory
succeeds run rheonomic
for word in method steps residuals error 'state at t = 1' lam; do
  ok "summary tells $word" out_has "$word"
done
succeeds run rheonomic --method hht --b 0.25
ok "summary names variant and b" out_has 'method  *hht (variant 3.4), .*, b 0.25)'
succeeds run heavy-top --t-end 0.01 --h 0.001 --out "$work/a.csv"
ok "summary names the file" out_has a.csv
ok "complete CSV" is_complete_csv "$work/a.csv"
ok "11 rows for 10 steps" [ "$(rows "$work/a.csv")" -eq 11 ]
ok "t comes first" grep -q '^t,' "$work/a.csv"
succeeds run heavy-top --t-end 0.01 --h 0.001 --every 4 --out "$work/a.csv"
ok "every 4th and the last" [ "$(cut -d, -f1 "$work/a.csv" | tr '\n' ' ')" = \
  "t 0 0.0040000000000000001 0.0080000000000000002 0.01 " ]
tool run heavy-top --t-end 0.01 --h 0.001 --every 3 --out -
ok "CSV on stdout" is_complete_csv "$work/out"
ok "summary on stderr" err_has 'state at t'

# the linear solver, and why
succeeds run slider-crank --t-end 0.01
ok "auto: a small one is dense" out_has '^  linear  *dense (auto: 26 rows, instructions of a matrix: dense [0-9.e+]*, klu [0-9.e+]*)$'
succeeds run chain --size 100 --t-end 0.01 --linsol auto
ok "auto: a chain is for klu" out_has '^  linear  *klu (auto: 700 rows, .*: dense [0-9.e+]*, klu [0-9.e+]*, mumps .*)$'
succeeds run net --size 12 --t-end 0.01
ok "auto: a net has weak entries" out_has '^  linear  *weak-entries (auto: 966 rows, 6920 of 16168 entries strong, 2 blocks,'
for name in weak-entries sweep; do
  succeeds run net --size 12 --t-end 0.01 --linsol $name
  ok "--linsol $name" out_has '^  linear  *weak-entries (966 rows, 6920 of 16168 entries strong,'
  succeeds run net --size 12 --t-end 0.01 --linsol $name --final
  ok "JSON: $name" out_has '"linsol": {"name": "weak-entries", '
  cp "$work/out" "$work/$name.json"
done
ok "the old name gives the same bits" cmp -s "$work/weak-entries.json" "$work/sweep.json"
succeeds run net --size 12 --t-end 0.005 --linsol sweep --save-state "$work/net.state"
succeeds run net --size 12 --t-end 0.01 --linsol weak-entries --from-state "$work/net.state" --final
ok "a state of the old name is resumed" out_has '"linsol": {"name": "weak-entries", '
sed 's/^run: {/&linsol: sweep, /' "$(dirname "$0")/../../../models/door.yaml" >"$work/old.yaml"
succeeds run "$work/old.yaml" --t-end 0.01
ok "a file with the old name" out_has '^  linear  *weak-entries ('
succeeds run net --size 3 --t-end 0.01 --linsol klu
ok "no reason where it was asked for" out_has '^  linear  *klu$'

# the end state
succeeds run heavy-top --t-end 0.01 --final
ok "one JSON object" is_json_object "$work/out"
for key in format version genalpha problem method variant parameters columns t q v vd a lam psi \
  step_sizes stats; do ok "JSON has $key" out_has "\"$key\":"; done
ok "it names its format" out_has '"format": "genalpha-run", "version": 1,'
ok "it names problem and method" out_has '"problem": "heavy-top", "method": "stab2"'
ok "it names the entries" out_has '"vd": \["u1_dot", "u2_dot", "u3_dot", "Omega1_dot"'
ok "one spelling of the multipliers" eval '! out_has lambda'
succeeds run heavy-top --t-end 0.01 --rho 0.7 --method hht --variant 3.5 --final
ok "it names variant and parameters" out_has '"method": "hht", "variant": "3.5"'
documented() {
  grep -o '"[a-z_]*":' "$work/out" | tr -d '":' | sort -u | while read -r key; do
    grep -q "\`$key\`" "$(dirname "$0")/../../../docs/guide/output.md" || { echo "not documented: $key"; exit 1; }
  done
}
ok "every key of the object is documented" documented
echo '{"t": 1, "q": [1, ], "stats": {}}' >"$work/broken"
ok "broken JSON is found" eval '! is_json_object "$work/broken"'

# the guess of the multipliers chooses among the branches at the start, psi = 1 and -3
for guess in 0.9 -2.9; do
  tool run jay-nonholonomic --method index3 --t-end 0.02 --guess-multipliers $guess --out -
  ok "psi at the start, guess $guess" [ "$(awk -F, 'NR == 1 {
    for (i = 1; i <= NF; i++) if ($i == "psi") c = i } NR == 2 { printf "%.6g", $c }' "$work/out")" \
    = "$(awk -v x=$guess 'BEGIN { print (x > 0 ? 1 : -3) }')" ]
done

# projections
tool run heavy-top --method index3 --t-end 0.02 --final --project-at 0.01 --project keep-order
ok "projection runs" code_is 0
ok "says how far v moved" err_has 'v moved by'
ok "only JSON on stdout" is_json_object "$work/out"

# a step that is far too large is what the message blames, not the constraints
refused 1 'the constraints are independent at t = .*: the step is too large' run andrews --h 1e-2
ok "what to do" err_has 'try a smaller step'
refused 1 'try a smaller step' run andrews --method index3 --h 3e-3

# warnings
tool run oscillator --rho 1 --t-end 0.1
ok "rho 1 runs" code_is 0
tool run rheonomic --rho 1 --t-end 0.1
ok "rho 1 warns with constraints" err_has '^genalpha: warning: '

# files that cannot be written
refused 1 "no/such/dir.*No such file" run oscillator --out "$work/no/such/dir.csv"
refused 1 "no/such/dir.*No such file" run oscillator --plot "$work/no/such/dir.svg"
if [ -w /dev/full ]; then
  refused 1 "/dev/full.*No space" run oscillator --out /dev/full
  code=0
  "$tool" run oscillator --final >/dev/full 2>"$work/err" || code=$?
  ok "full stdout is an error" code_is 1
  ok "full stdout is told" err_has 'standard output'
fi
code=0
PATH=/nowhere "$tool" run oscillator --plot "$work/p.svg" >"$work/out" 2>"$work/err" || code=$?
ok "no gnuplot: exit 1" code_is 1
ok "no gnuplot: told" err_has 'gnuplot-nox'
ok "no gnuplot: no file" [ ! -e "$work/p.svg" ]

# plots
if command -v gnuplot >/dev/null 2>&1; then
  succeeds run heavy-top --t-end 0.05 --plot "$work/p.svg"
  ok "SVG" grep -q '</svg>' "$work/p.svg"
  succeeds run rheonomic --plot "$work/p.png"
  ok "PNG" [ "$(od -An -c -j1 -N3 "$work/p.png" | tr -d ' ')" = PNG ]
  succeeds params --rho 0.5 --plot "$work/r.svg"
  ok "SVG of the spectral radius" grep -q '</svg>' "$work/r.svg"
fi

# a failed run: exit 1, reason, output so far kept
tool run heavy-top --h 0.05 --newton-max 2 --t-end 1 --out "$work/f.csv"
ok "failed run: exit 1, not $code" code_is 1
ok "failed run: time and reason" err_has 'failed after .* steps, at t = .*Newton'
ok "failed run: output kept" is_complete_csv "$work/f.csv"

# interruption: exit 130 and complete lines
interrupt() {
  signal=$1
  shift
  code=0
  timeout --preserve-status -s "$signal" 1 "$tool" run oscillator --h 1e-6 --t-end 1e4 \
    --out "$work/i.csv" "$@" >"$work/out" 2>"$work/err" || code=$?
  ok "$signal: exit 130, not $code" code_is 130
  ok "$signal: told when" err_has 'interrupted at t = '
  ok "$signal: complete lines" is_complete_csv "$work/i.csv"
}
interrupt INT
interrupt TERM
interrupt INT --extrapolate 1

finish

# SPDX-License-Identifier: MIT
# Extrapolation: orders 3, 4 and 5, error estimates, forms of output, threads, what it excludes.
. "$(dirname "$0")/lib.sh"

# near NAME: estimates over errors of the last study, all between 1/2 and 2
near() {
  column "$1_error" >"$work/errors"
  column "$1_estimate" | paste - "$work/errors" |
    awk '!($1 >= $2 / 2 && $1 <= 2 * $2) { bad = 1 } END { exit bad || NR < 2 }'
}

# studies
for K in 1 2; do
  succeeds converge heavy-top --extrapolate $K --h 2e-3 --levels 3 --csv
  for name in q v vd lam; do
    ok "heavy-top, K = $K: order of $name" slopes_in $name "$((K + 1)).75" "$((K + 2)).25"
    ok "heavy-top, K = $K: estimates of $name" near $name
  done
  succeeds converge andrews --extrapolate $K --h 3.75e-5 --levels 2 --csv
  for name in q v lam; do
    ok "andrews, K = $K: order of $name" slopes_in $name "$((K + 1)).9" "$((K + 2)).3"
    ok "andrews, K = $K: estimates of $name" near $name
  done
done
for method in stab2 index3; do
  for K in 2 3; do
    h=6e-5
    [ $K = 2 ] || h=1e-4
    succeeds converge andrews --method $method --extrapolate $K --h $h --levels 2 --csv \
      --extrapolate-steps harmonic --extrapolate-multipliers consistent
    for name in v lam; do
      ok "andrews, $method, harmonic, K = $K: order of $name" slopes_in $name "$((K + 1)).9" "$((K + 2)).3"
      ok "andrews, $method, harmonic, K = $K: estimates of $name" near $name
    done
  done
done
succeeds converge slider-crank --extrapolate 3 --h 4e-3 --levels 2 --csv
ok "K = 3: order of q" slopes_in q 4.8 6.2
succeeds converge heavy-top --extrapolate 2 --h 2e-3 --levels 2
ok "the head tells the order" out_has 'extrapolated to order 4'
ok "no a" sh -c "! grep -q ' a  slope' '$work/out'"
succeeds converge heavy-top --extrapolate 2 --h 2e-3 --levels 2 --extrapolate-steps harmonic \
  --extrapolate-multipliers consistent
ok "and what is not usual" out_has 'extrapolated to order 4 (harmonic steps, consistent multipliers),$'
succeeds converge heavy-top --extrapolate 2 --h 4e-3 --levels 2 --norm max:0.1,0.2
ok "the reference is better still" out_has 'extrapolated to order 5'
succeeds converge chain --size 3 --extrapolate 2 --t-end 0.5 --h 0.01 --levels 3
ok "without reference: what slopes to expect" out_has '4.09 in place of 4'
succeeds converge heavy-top --extrapolate 1 --levels 2 --json
ok "one JSON object" is_json_object "$work/out"
ok "JSON: K" out_has '"extrapolate": 1, "extrapolate_steps": "halved", "extrapolate_multipliers": "extrapolated"'
ok "JSON: estimates" out_has '"slope": [0-9.]*, "estimate": [0-9.e-]*}'
tool converge heavy-top --extrapolate 1 --levels 2 --csv --norm max:0.1,0.2
ok "no estimates of largest errors" sh -c "! grep -q estimate '$work/out'"

# one run
succeeds run heavy-top --extrapolate 2
ok "the summary tells the runs" out_has 'to order 4, from runs with h, h/2, h/4, and 2h .*: 7500 steps'
ok "errors of the state" out_has 'estimates  *q 2\.9.e-07, v 1\.7.e-06,'
ok "errors of the finest run" out_has 'q 3\.3.e-04, .*: those of the run with h/4 alone'
succeeds run heavy-top --extrapolate 3 --extrapolate-steps harmonic --t-end 0.1
ok "harmonic steps" out_has 'to order 5, from runs with h, h/2, h/3, h/4, and 2h .*: 1050 steps'
ok "errors of their finest run" out_has 'those of the run with h/4 alone'
succeeds run heavy-top --extrapolate 1 --extrapolate-multipliers consistent --t-end 0.1
ok "consistent multipliers" out_has 'multipliers consistent with them'
succeeds run heavy-top --extrapolate 1 --t-end 0.02 --h 0.001 --every 4 --out "$work/a.csv"
ok "complete CSV" is_complete_csv "$work/a.csv"
ok "rows of the largest step" [ "$(rows "$work/a.csv")" -eq 6 ]
succeeds run heavy-top --extrapolate 3 --t-end 0.02 --final
ok "one JSON object" is_json_object "$work/out"
for key in extrapolate extrapolate_steps extrapolate_multipliers order h steps error_estimate finest_error_estimate; do
  ok "JSON has $key" out_has "\"$key\": "
done
ok "JSON has no a" sh -c "! grep -q '\"a\"' '$work/out'"
succeeds run heavy-top --extrapolate 1 --h 0.01 --t-end 0.03
ok "odd number of steps: no estimate, and why" out_has 'estimates  *none: they need an even number'
if command -v gnuplot >/dev/null 2>&1; then
  succeeds run heavy-top --t-end 0.05 --extrapolate 1 --plot "$work/p.svg"
  ok "SVG tells it" grep -q 'extrapolated to order 3' "$work/p.svg"
fi

# the same with any number of threads
for problem in heavy-top 'chain --size 30'; do
  for n in 1 2 5; do
    succeeds run $problem --t-end 0.02 --h 1e-3 --extrapolate 3 --threads $n --final
    [ $n -gt 1 ] || cp "$work/out" "$work/one"
    ok "$problem: $n threads" cmp -s "$work/out" "$work/one"
  done
done

# nor do the threads of the linear algebra library matter (LAPACK from 60 unknowns on)
for n in 1 4; do
  OPENBLAS_NUM_THREADS=$n
  export OPENBLAS_NUM_THREADS
  succeeds run chain --size 60 --linsol dense --t-end 0.05 --final
  [ $n -gt 1 ] || cp "$work/out" "$work/one"
  ok "OPENBLAS_NUM_THREADS=$n" cmp -s "$work/out" "$work/one"
done

# failures tell the step size
tool run heavy-top --extrapolate 1 --h 0.05 --newton-max 3 --out "$work/f.csv"
ok "exit 1, not $code" code_is 1
ok "which run failed" err_has 'the run failed after .* run with h = 0.0[0-9]*: .*Newton'
ok "output kept" is_complete_csv "$work/f.csv"
tool run heavy-top --extrapolate 1 --h 0.04 --newton-max 4 --t-end 0.4
ok "the run with 2h can be spared" code_is 0
ok "that is told" err_has 'warning: no error estimates from here on, as the run with h = 0.08'
ok "in the summary too" out_has 'none, as the run with 2h failed'
tool run heavy-top --extrapolate 1 --start plain --t-end 0.1
ok "a start with a transient" err_has 'warning: start = plain'

# wrong usage
for bad in 0 4 x '' 1.5; do refused 2 "extrapolate '$bad'" run heavy-top --extrapolate "$bad"; done
for bad in 0 -1 x; do refused 2 "threads '$bad'" run heavy-top --extrapolate 1 --threads "$bad"; done
for command in run converge; do
  refused 2 '--threads needs --extrapolate' $command heavy-top --threads 2
  refused 2 '--extrapolate-steps needs --extrapolate' $command heavy-top --extrapolate-steps harmonic
  refused 2 '--extrapolate-multipliers needs --extrapolate' \
    $command heavy-top --extrapolate-multipliers consistent
  refused 2 "'third': is not known; allowed: halved|harmonic" \
    $command heavy-top --extrapolate 2 --extrapolate-steps third
  refused 2 'allowed: extrapolated|consistent' \
    $command heavy-top --extrapolate 2 --extrapolate-multipliers right
  refused 2 'exclude each other' $command heavy-top --extrapolate 1 --project-at 0.5
  refused 2 'does not divide the interval .*; --h 0.003003003003[0-9]* does' \
    $command heavy-top --extrapolate 1 --h 0.003
done
refused 2 'exclude each other' run heavy-top --extrapolate 1 --save-state "$work/s"
refused 2 'exclude each other' run heavy-top --extrapolate 1 --from-state "$work/s"

finish

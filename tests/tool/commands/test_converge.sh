# SPDX-License-Identifier: MIT
# Studies of convergence: expected errors and slopes, references, forms of output, wrong usage.
. "$(dirname "$0")/lib.sh"

# agree NAME 'NUMBERS': the column has these numbers and no more, to the digits given
agree() {
  column "$1" | awk -v expected="$2" '
    BEGIN { n = split(expected, e, " ") }
    {
      digits = e[NR]
      sub(/e.*/, "", digits)
      gsub(/[^0-9]/, "", digits)
      sub(/^0*/, "", digits)
      if (sprintf("%." length(digits) "g", $1) + 0 != e[NR] + 0) bad = 1
    }
    END { exit bad || NR != n }'
}

is_csv() {
  awk -F, 'NR == 1 { n = NF; next } NF != n { bad = 1 }
    { for (i = 1; i <= NF; i++) if ($i != "" && $i !~ /^-?[0-9.]+(e[-+][0-9]+)?$/) bad = 1 }
    END { exit bad || NR < 2 }' "$work/out"
}

# errors to be expected, docs/reference/problems.md
succeeds converge heavy-top --method index3 --start plain --h 2e-3 --levels 4
for word in 3.035e-02 7.396e-03 1.837e-03 4.584e-04 6.853e+00 1.709e+00 4.269e-01; do
  ok "the table has $word" out_has " $word"
done
ok "says what it is compared with" out_has "against the reference values of 'heavy-top'"
ok "no a without a closed solution" sh -c "! grep -q ' a  slope' '$work/out'"
ok "no blanks at line ends" sh -c "! grep -q ' \$' '$work/out'"
succeeds converge heavy-top --method index3 --start plain --h 2e-3 --levels 4 --csv
ok "heavy-top: q" agree q_error '3.035e-2 7.396e-3 1.837e-3 4.584e-4'
ok "heavy-top: lam" agree lam_error '27.7 6.853 1.709 0.4269'
ok "heavy-top: h is halved" agree h '2e-3 1e-3 5e-4 2.5e-4'
ok "heavy-top: steps" agree steps '500 1000 2000 4000'
succeeds converge andrews --method index3 --start plain --h 3e-4 --csv
ok "andrews: q" agree q_error '1.068e-1 2.357e-2 5.571e-3 1.354e-3 3.337e-4'
ok "andrews: lam" agree lam_error '18.7 4.96 1.136 0.2783 0.06915'
ok "andrews: vd from the equations of motion" slopes_in vd 1.9 2.4

# the largest error over an interval, against a computed reference
max='--method index3 --h 2e-3 --levels 4 --norm max:0,0.1'
succeeds converge heavy-top $max --start plain --t-end 0.1
ok "says that the reference is computed" out_has 'computed reference: stab2 with steps down to h = 3.125e-05, extrapolated to order 4'
tool converge heavy-top $max --start plain --csv
ok "CSV: says it on stderr" err_has 'computed reference: stab2'
ok "plain start, order 1" agree lam_error '252 115 57.5 26.0'
tool converge heavy-top $max --start perturbed --csv
ok "perturbed start, order 2" agree lam_error '8.4 2.12 0.530 0.133'
ok "q" slopes_in q 1.9 2.1
ok "the interval is part of the run" code_is 0
tool converge heavy-top $max --t-end 0.2 --start perturbed --csv
ok "a longer run changes nothing" agree lam_error '8.4 2.12 0.530 0.133'

# a projection on the way: index3 loses an order of lambda by the plain one, not by the other
late='heavy-top --method index3 --h 1e-3 --levels 3 --norm max:0.06,0.08 --project-at 0.06 --csv'
tool converge $late --project plain
ok "plain projection, order 1 of vd" slopes_in vd 0.8 1.2
ok "plain projection, order 2 of q" slopes_in q 1.9 2.1
tool converge $late --project keep-order
ok "the other projection, order 2 of lam" slopes_in lam 1.9 2.4
refused 2 'no step of h = 0.001 ends there; one ends at 0.06' converge $late --project-at 0.0605

# the branch of a problem nonlinear in the multipliers
succeeds converge jay-negrut-soi2 --levels 3 --guess-multipliers 1.1,0.9 --csv
ok "a guess near the branch" slopes_in psi 1.9 2.1
# this branch ends soon after
tool converge jay-nonholonomic --levels 1 --guess-multipliers -2.5 --t-end 0.03 --csv
ok "another branch than that of the closed solution" sh -c "[ ! -s '$work/err' ]"
ok "its psi is another" [ "$(column psi_error | awk '{ print ($1 > 0.1) }')" = 1 ]

# closed solutions: every column
for norm in end max:0.25,1; do
  succeeds converge rheonomic --norm $norm --csv
  for name in q v a vd lam; do ok "rheonomic, $norm: $name" slopes_in $name 1.9 2.1; done
  ok "no psi where there is none" [ -z "$(column psi_error)" ]
done
# a of hht is the applied part alone
for options in '--alpha -0.15 --b 0.3' '--variant mid --rho 0.5' '--variant lunk-simeon --b 0.5'; do
  succeeds converge jay-negrut-hht --method hht $options --h 5e-3 --norm max:0.5,1 --csv
  for name in q v a vd lam; do ok "hht $options: $name" slopes_in $name 1.9 2.1; done
done
succeeds converge jay-negrut-soi2 --method soi2 --start implicit --norm max:0,1 --csv
for name in q v a vd lam psi; do ok "implicit start: $name" slopes_in $name 1.9 2.1; done
succeeds converge rheonomic
ok "says it is closed" out_has "against the closed solution of 'rheonomic'"
succeeds converge oscillator --omega 3 --t-end 1 --csv
ok "oscillator: q" slopes_in q 1.9 2.1
succeeds converge oscillator --levels 1
ok "one level: one row" [ "$(tail -n +5 "$work/out" | wc -l)" -eq 1 ]

# no reference: the finest level serves, and has no row
succeeds converge chain --size 4 --t-end 0.5 --h 0.01 --levels 4
ok "chain says so" out_has 'finest level of this study, h = 0.00125'
ok "chain: three rows" [ "$(grep -c '^ *0\.0[0-9]*  ' "$work/out")" -eq 3 ]
tool converge chain --size 4 --t-end 0.5 --h 0.01 --levels 4 --csv
ok "chain: CSV" is_csv
ok "chain: stderr says so" err_has 'finest level of this study'
ok "chain: three lines" agree h '0.01 0.005 0.0025'
tool converge pendulum-spring --t-end 3 --levels 2
ok "known times are told" out_has 'known at t = 2, 4'

# forms
succeeds converge rheonomic --levels 3 --json
ok "one JSON object" is_json_object "$work/out"
ok "JSON: no variant" out_has '"variant": null'
for key in problem method variant t_end norm reference levels complete h steps q v a vd lam; do
  ok "JSON has $key" out_has "\"$key\": "
done
succeeds converge heavy-top --h 0.01 --levels 1 --norm max:0.1,0.2 --json
ok "one JSON object of one level" is_json_object "$work/out"
ok "JSON names the reference" out_has '"reference": "computed"'
succeeds converge rheonomic --method hht --levels 2 --json
ok "one JSON object of a variant" is_json_object "$work/out"
ok "JSON names the default variant" out_has '"method": "hht", "variant": "3.4"'
succeeds converge rheonomic --method hht --variant mid --levels 2
ok "the head names the variant" out_has 'hht (variant mid), rho_inf = 0.9'
succeeds converge rheonomic --levels 3 --csv
ok "CSV" is_csv
ok "17 digits" out_has '0.0050000000000000001,'

# several methods and parameters in one table, one picture, one file
succeeds converge rheonomic --method hht,stab2 --rho 0.5,0.9 --levels 2
ok "one head" [ "$(grep -c '^method ' "$work/out")" -eq 1 ]
ok "four studies of two rows" [ "$(grep -c -E '^(hht|stab2) +0\.[59] ' "$work/out")" -eq 8 ]
succeeds converge rheonomic --method=hht,stab2 --levels 2 --csv
ok "CSV: names first" out_has '^method,rho_inf,h,steps,q_error'
ok "CSV: rows of both" [ "$(grep -c -E '^(hht|stab2),0.9,' "$work/out")" -eq 4 ]
cp "$work/out" "$work/both"
succeeds converge rheonomic --method stab2 --levels 2 --csv
ok "the same numbers as alone" [ "$(sed -n '/^stab2/s/^stab2,0.9,//p' "$work/both")" = \
  "$(tail -n 2 "$work/out")" ]
succeeds converge rheonomic --rho 0.2,0.9 --levels 2 --json
ok "JSON: an array of objects" [ "$(head -n 1 "$work/out")$(tail -n 1 "$work/out")" = '[]' ]
ok "JSON: two of them" [ "$(grep -c '"format": "genalpha-converge", "version": 1' "$work/out")" -eq 2 ]
if command -v gnuplot >/dev/null 2>&1; then
  succeeds converge rheonomic --method stab2,index3 --levels 2 --plot "$work/two.svg"
  ok "one picture of both" sh -c "grep -q 'stab2, ρ∞ = 0.9' '$work/two.svg' && grep -q 'index3, ρ∞ = 0.9' '$work/two.svg'"
fi
refused 2 "unknown method 'stbb2'" converge rheonomic --method hht,stbb2 --levels 2
ok "found before the first study" out_empty
refused 2 "genalpha: --rho = '0.x' is not a number" converge rheonomic --rho 0.2,0.x
refused 2 'nothing between two commas' converge rheonomic --rho 0.2,
refused 2 'at most 8 of them' converge rheonomic --rho 0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8

# the largest error without that of the start: a plain start has a wrong a_0, which hht forgets
for norm in max max:0,1; do
  succeeds converge jay-negrut-hht --method hht --alpha -0.15 --b 0.3 --start plain --norm $norm \
    --t-end 1 --csv
  if [ $norm = max ]; then order='1.9 2.1'; else order='0.9 1.1'; fi
  ok "order of a, $norm" slopes_in a $order
done

# the options of the method are those of run, defaults included; its own are accepted
of_method() { "$tool" "$1" --help | sed -n '/^options of the method/,$p'; }
ok "options of the method as in run" [ "$(of_method converge)" = "$(of_method run)" ]
ok "there are some" [ "$(of_method converge | grep -c '^  --')" -ge 10 ]
own() { "$tool" "$1" --help | sed -n '/^options:/,/^options of/s/^  \(--[a-z-]*\).*/\1/p' | sort; }
own run >"$work/run"
own converge >"$work/converge"
ok "all own options of run but these" [ "$(comm -23 "$work/run" "$work/converge" | tr '\n' ' ')" = \
  "$(echo --checkpoint-every --columns --every --final --from-state --impacts --input --interpolate --out --out-dt --out-page \
    --petsc --save-state --stop-when --view) " ]
for option in --json --csv --help '--levels 2' '--norm end' '--t-end 1' '--omega 2' '--rho 0.5' \
  '--start plain' '--newton-tol=1e-10'; do
  tool converge oscillator --h 0.1 --levels 1 --t-end 1 $option
  ok "$option is accepted" code_is 0
done
refused 2 'has no size' converge oscillator --size 3

# a level that fails: exit 1, the reason, rows so far
refused 1 'run with h = 0.05 failed after' converge heavy-top --h 0.05 --newton-max 2
n=2
while [ $n -lt 9 ]; do
  tool converge heavy-top --newton-max $n --levels 4 --json
  if [ $code -eq 1 ] && [ -s "$work/out" ]; then
    ok "rows so far are one JSON object" is_json_object "$work/out"
    ok "it is not complete" out_has '"complete": false'
    ok "h of the failed level is told" err_has 'the run with h = 0.000[0-9]* failed'
  fi
  n=$((n + 1))
done

# wrong usage
refused 2 'PROBLEM is missing' converge
refused 2 "did you mean 'heavy-top'" converge heavy-tpo
refused 2 "did you mean 'index3'" converge heavy-top --method indx3
refused 2 "did you mean 'index3'" converge heavy-top --method indx3 --norm max:0,1
refused 2 "unknown option '--out'" converge heavy-top --out x
refused 2 'cannot both' converge heavy-top --json --csv
refused 2 'give only one' converge heavy-top --rho 0.5 --alpha -0.1
refused 2 'must be greater' converge heavy-top --t-end 0
refused 2 'does not divide the interval from 0 to 1; --h 0.003003' converge heavy-top --h 0.003
h=$(sed -n 's/.*--h \([0-9.e-]*\) does$/\1/p' "$work/err")
succeeds converge heavy-top --h "$h" --levels 2
refused 2 'to 1; --h 1 does' converge heavy-top --h 3
refused 2 'more than can be done' converge heavy-top --h 1e-14
refused 2 "finest of at least 2 levels" converge chain --size 2 --levels 1
for bad in 0 -1 25 x 1.5 ''; do refused 2 "levels '$bad'" converge rheonomic --levels "$bad"; done
for bad in '' most max: max:1 max:1, max:,1 max:2,1 max:0,1x max:a,b max:0,inf max:nan,1 max:1,2,3 \
  min:0,1 End; do
  refused 2 "norm '$bad': must be end" converge rheonomic --norm "$bad"
done
refused 2 'must lie inside the run' converge rheonomic --t-end 1 --norm max:0,2
refused 2 'must lie inside the run' converge rheonomic --t-end 1 --norm max:0.5,1e300
refused 2 'must lie inside the run' converge rheonomic --norm max:-1,1
refused 2 'no step of h = 0.1 ends' converge rheonomic --t-end 1 --h 0.1 --norm max:0.51,0.59

# a model file that says what its runs write: a study does not write that
cat >"$work/writes.yaml" <<END
genalpha: 1
gravity: [0, -9.81, 0]
bodies: {rod: {kind: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}}
joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0]}}
run: {h: 0.02, t_end: 0.2, out: mine.csv, plot: mine.svg, final: true, save_state: mine.state}
END
(cd "$work" && "$tool" converge writes.yaml --levels 3 --csv >out 2>err)
ok "order 2" slopes_in q 1.7 2.5
ok "nothing was written" [ ! -e "$work/mine.csv" ] && [ ! -e "$work/mine.svg" ] && [ ! -e "$work/mine.state" ]

finish

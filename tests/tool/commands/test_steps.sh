# SPDX-License-Identifier: MIT
# Step sizes: sequences, automatic ones, equidistant output, independence of threads.
. "$(dirname "$0")/lib.sh"

export LC_ALL=C

# of FILE KEY: a number of the statistics in a JSON object
of() { sed -n "s/.*\"$2\": \([^,}]*\).*/\1/p" "$1" | head -n 1; }
# true_of EXPRESSION: with numbers, by awk
true_of() { awk "BEGIN { exit !($1) }"; }

# sequences
succeeds run oscillator --h 0.3 --h-seq 1/3,2/3 --t-end 1.2 --out "$work/a.csv"
ok "summary tells the sequence" out_has 'steps *8 of h = 0.3 times 1/3,2/3'
ok "times of the sequence" [ "$(cut -d, -f1 "$work/a.csv" | awk 'NR > 1 { printf "%.6g ", $1 }')" = \
  '0 0.1 0.3 0.4 0.6 0.7 0.9 1 1.2 ' ]
succeeds run oscillator --h 0.3 --h-seq 1/3,2/3 --t-end 1.2 --final
ok "JSON" is_json_object "$work/out"
ok "JSON tells the sequence" out_has '"step_sizes": {"kind": "given", "h_seq": "1/3,2/3", "h": 0.29'
succeeds converge heavy-top --h 1e-3 --h-seq 1/3,2/3 --levels 3 --csv
ok "slopes of 2 with a sequence" awk -F, 'NR > 2 && ($4 < 1.8 || $4 > 2.3 || $10 < 1.5) { bad = 1 }
  END { exit bad }' "$work/out"
succeeds converge jay-negrut-soi2 --method soi2 --h 0.1 --h-seq 1/3,2/3 --levels 3 --norm max:0,1
ok "the head tells the sequence" out_has 'steps h times 1/3,2/3'
refused 2 '0.11 (the periods of --h-seq).*--h 0.1 does' converge jay-negrut-soi2 --h 0.11 --h-seq 1,2/3,1/3,3
refused 2 'steps of one size' run oscillator --h-seq 1/3,2/3 --extrapolate 1

# automatic
succeeds run andrews --rtol 3e-2
ok "summary tells the tolerance" out_has 'automatic, h = .* (rtol 0.03, atol 0), from t = 0 to 0.03'
ok "and what was taken back" out_has 'taken back *[0-9]* for the error, [0-9]* that did not converge'
succeeds run andrews --rtol 3e-2 --h-max inf --final
ok "JSON" is_json_object "$work/out"
ok "JSON tells the tolerance" out_has '"kind": "automatic", "rtol": 0.029999999999999999, "atol": 0'
cp "$work/out" "$work/one"
ok "ends at the end" [ "$(of "$work/one" t)" = 0.029999999999999999 ]
ok "steps of many sizes" true_of "$(of "$work/one" h_largest) > 5 * $(of "$work/one" h_least)"
ok "some were rejected" true_of "$(of "$work/one" rejected) > 0"
succeeds run andrews --rtol 1e-3 --h-max 1e-4 --final
ok "h-max is kept" true_of "$(of "$work/out" h_largest) <= 1e-4"
refused 1 'h-min = 0.0002' run andrews --rtol 1e-3 --h-min 2e-4
refused 2 'steps of one size' run oscillator --rtol 1e-3 --extrapolate 1
succeeds converge heavy-top --rtol 1e-3 --levels 4
ok "a table of tolerances" out_has '^ *rtol *steps *q  slope'
ok "slopes of 1" awk '/^ *1e-0[56]/ && ($4 < 0.95 || $4 > 1.05) { bad = 1 } END { exit bad }' \
  "$work/out"
succeeds converge chain --size 3 --atol 1e-4 --levels 3 --json
ok "JSON of tolerances" out_has '"atol": 0.0001'
ok "finest tolerance as the reference" out_has '"reference": "finest"'
succeeds converge rheonomic --rtol 1e-3 --levels 3 --norm max:0.2,0.8
refused 2 'no closed solution' converge heavy-top --rtol 1e-3 --norm max:0,0.1
refused 2 'must lie inside' converge rheonomic --rtol 1e-3 --norm max:0,3 --t-end 2

# equidistant output does not touch the steps
for sizes in '--h 0.013' '--h 0.05 --h-seq 1/3,2/3' '--rtol 1e-4'; do
  succeeds run rheonomic $sizes --out "$work/a.csv" --out-dt 0.05
  ok "$sizes: complete CSV" is_complete_csv "$work/a.csv"
  ok "$sizes: 21 rows" [ "$(rows "$work/a.csv")" -eq 21 ]
  ok "$sizes: equidistant" awk -F, 'NR > 1 { d = $1 - (NR - 2) * 0.05; if (d * d > 1e-24) bad = 1 }
    END { exit bad }' "$work/a.csv"
  # x^2 + y^2 = r^2, r = 1 + 0.1 sin 2t, between the steps to O(h^4)
  ok "$sizes: on the constraint" awk -F, 'NR > 1 { r = 1 + 0.1 * sin(2 * $1)
    d = $2 * $2 + $3 * $3 - r * r; if (d * d > 1e-9) bad = 1 } END { exit bad }' "$work/a.csv"
  succeeds run rheonomic $sizes --final --out "$work/b.csv" --out-dt 0.3
  cp "$work/out" "$work/with"
  succeeds run rheonomic $sizes --final
  ok "$sizes: the same run" cmp -s "$work/out" "$work/with"
done
succeeds run rheonomic --t-end 0.5 --save-state "$work/state"
succeeds run rheonomic --from-state "$work/state" --out "$work/a.csv" --out-dt 0.2
ok "goes on at the next multiple" [ "$(cut -d, -f1 "$work/a.csv" | awk 'NR > 1 { printf "%.6g ", $1 }')" = \
  '0.6 0.8 1 ' ]
refused 2 'needs --out' run rheonomic --out-dt 0.1
refused 2 'give only one' run rheonomic --out "$work/a.csv" --out-dt 0.1 --every 2
refused 2 'exclude' run rheonomic --out "$work/a.csv" --out-dt 0.1 --extrapolate 1

# one thread for the linear algebra, whatever the environment says
for threads in 1 2 8; do
  OPENBLAS_NUM_THREADS=$threads "$tool" run chain --size 60 --linsol dense --t-end 0.05 --rtol 1e-4 \
    --final >"$work/threads$threads" 2>/dev/null
  ok "$threads threads: the same" cmp -s "$work/threads1" "$work/threads$threads"
done

finish

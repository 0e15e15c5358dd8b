# SPDX-License-Identifier: MIT
# Inputs of model files: --input, --interpolate, --set and sweeps; saved states; messages.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# near VALUE EXPECTED TOLERANCE
near() { awk -v x="$1" -v y="$2" -v e="$3" 'BEGIN { d = x - y; exit !(d <= e && -d <= e) }'; }
# at_end FILE COLUMN
at_end() {
  awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { x = $c }
    END { printf "%.15g", x }' "$1"
}

cat >mass.yaml <<'YAML'
genalpha: 1
parameters: {k: 3}
inputs: {push: 0.5, wind: {value: 1}}
bodies: {mass: {kind: point, mass: 2, position: [0, 0, 0]}}
forces: {motor: {type: force, body: mass, value: [push, "wind*k", 0]}}
run: {h: 1e-2, t_end: 1}
output: [mass.x, mass.vx, mass.ax, mass.y, push, wind]
YAML
cat >u.csv <<'CSV'
# measured
t [s]; push [N]; other
0; 4; a
0.2505; -6; b
0.5; 2; c
CSV

# constant, by --set, and a sweep: x = u t^2/4
succeeds run mass.yaml --out a.csv
ok "value of the file" near "$(at_end a.csv mass.x)" 0.125 1e-14
ok "second input" near "$(at_end a.csv mass.y)" 0.75 1e-14
succeeds run mass.yaml --set push=8 --out a.csv
ok "set" near "$(at_end a.csv mass.x)" 2 1e-13
succeeds sweep mass.yaml --vary push=1,2 --vary wind=2 --out s.csv
ok "sweep" [ "$(awk -F, 'NR > 1 { printf "%.6g %.6g ", $7, $10 }' s.csv)" = "0.25 1.5 0.5 1.5 " ]

# held values: steps end at the jumps, and a constant acceleration is integrated exactly
tool run mass.yaml --input u.csv --interpolate hold --out hold.csv
ok "hold" code_is 0
ok "a column that is no input" err_has "u.csv: column 'other' is not used, there is no input of this name"
exact=$(awk 'BEGIN { a = 2; b = -3; c = 1; t = .2505; s = .5 - t
  x = a*t*t/2; v = a*t; x += v*s + b*s*s/2; v += b*s; x += v/2 + c/8; v += c/2; printf "%.15g %.15g", x, v }')
ok "hold: position" near "$(at_end hold.csv mass.x)" "${exact% *}" 1e-13
ok "hold: velocity" near "$(at_end hold.csv mass.vx)" "${exact#* }" 1e-13
ok "hold: acceleration" near "$(at_end hold.csv mass.ax)" 1 1e-12
ok "a step ends at the jump" grep -q '^0.2505' hold.csv

# straight lines: x'' = u/2 between the points, constant behind the last one
tool run mass.yaml --input u.csv --h 1e-3 --out line.csv
exact=$(awk 'BEGIN { t = .2505; v = 2*t - 5*t/2; x = t*t - 5*t*t/6
  s = .5 - t; x += v*s - 1.5*s*s + 4*s*s/6; v += -3*s + 2*s; x += v/2 + 1/8; printf "%.15g", x }')
ok "linear" near "$(at_end line.csv mass.x)" "$exact" 1e-5
ok "linear: the last value stays" near "$(at_end line.csv push)" 2 0
tool run mass.yaml --input u.csv --interpolate smooth --out-dt 0.125 --out smooth.csv
ok "rows between steps" [ "$(wc -l <smooth.csv)" = 10 ]

# a saved state has the values of inputs, also at a jump
for t in 0.5; do
  tool run mass.yaml --input u.csv --interpolate hold --t-end $t --save-state s.state
  tool run mass.yaml --input u.csv --interpolate hold --from-state s.state --final
  cp out resumed.json
  tool run mass.yaml --input u.csv --interpolate hold --checkpoint-every $t --save-state x.state --final
  ok "resumed at $t" [ "$(grep -o '"mass.x[^,]*' resumed.json)" = "$(grep -o '"mass.x[^,]*' out)" ]
done

# a sampled state is no input
sed 's/^inputs: .*/inputs: {wind: 1}\nstates: {push: {value: "2*t", every: 0.1}}/' mass.yaml >sampled.yaml
refused 1 "u.csv: no column has the name of an input, such as 'wind'" run sampled.yaml --input u.csv
refused 1 "there is no parameter 'push'" run sampled.yaml --set push=1
refused 2 "'push': neither a parameter" sweep sampled.yaml --vary push=1,2 --out s.csv

refused 1 "mass.yaml: there is no parameter 'pusch'; did you mean 'push'?" run mass.yaml --set pusch=1
refused 2 "has no inputs" run "$(dirname "$tool")/../../models/slider-crank.yaml" --input u.csv
refused 2 "exclude each other" run mass.yaml --input u.csv --extrapolate 1
refused 2 "is the same file as --input" run mass.yaml --input u.csv --out ./u.csv
refused 1 "cannot be read: No such file" run mass.yaml --input none.csv
printf 't,pusch\n0,1\n1,2\n' >w.csv
refused 1 "w.csv: no column has the name of an input, such as 'push'" run mass.yaml --input w.csv
ok "the nearest name" err_has "column 'pusch' is not used.*did you mean 'push'"
printf 't,push\n0,1\n1,two\n' >w.csv
refused 1 "w.csv:3:3: 'two' in column 'push' is not a finite number" run mass.yaml --input w.csv
printf 't,push\n0,1\n0,2\n' >w.csv
refused 1 "w.csv:3:1: column 't' must rise" run mass.yaml --input w.csv
refused 2 "interpolate" run mass.yaml --input u.csv --interpolate cubic
finish

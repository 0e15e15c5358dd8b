# SPDX-License-Identifier: MIT
# The files of docs/guide/recipes.md run, and agree with closed forms.
. "$(dirname "$0")/lib.sh"
page=$(cd "$(dirname "$0")/../../.." && pwd)/docs/guide/recipes.md
cd "$work" || exit 1
awk '/^```(yaml|csv)/ { getline; name = $2; sub(/:$/, "", name); print > name; inside = 1; next } /^```/ { inside = 0 } inside { print > name }' "$page"

# near VALUE EXPECTED TOLERANCE
near() { awk -v x="$1" -v y="$2" -v e="$3" 'BEGIN { d = x - y; exit !(d <= e && -d <= e) }'; }
# extreme FILE COLUMN SIGN: its largest value times SIGN
extreme() {
  awk -F, -v name="$2" -v sign="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
    NR == 2 || sign * $c > most { most = sign * $c } END { printf "%.12g", sign * most }' "$1"
}
# last FILE COLUMN
last() {
  awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { x = $c }
    END { printf "%.12g", x }' "$1"
}

count=0
for file in *.yaml; do
  count=$((count + 1))
  succeeds check "$file"
  ok "$file: nothing looks wrong" out_has '^Nothing looks wrong'
  succeeds run "$file" --out "${file%.yaml}.csv"
done
ok "all recipes" [ "$count" = "$(grep -c '^```yaml' "$page")" ]
ok "at least six" [ "$count" -ge 6 ]

ok "stop" near "$(extreme stop.csv guide.position 1)" 0.11 2e-6
depth=$(awk 'BEGIN { printf "%.12g", exp(0.4*log(1.25/1e6)) }')
ok "ball" near "$(extreme ball.csv ball.z -1)" "-$depth" 1e-8
ok "ball comes back" near "$(last ball.csv floor.effort)" 0 1e-12
ok "friction" near "$(last friction.csv block.x)" 0.169895 1e-3
ok "friction: it stands" near "$(last friction.csv block.vx)" 0 1e-9
momentum=$(awk -v a="$(last backlash.csv a.wz)" -v b="$(last backlash.csv b.wz)" 'BEGIN { printf "%.15g", 0.4*a + 0.1*b }')
ok "backlash: momentum" near "$momentum" 0.8 1e-10
ok "backlash: windup" near "$(extreme backlash.csv coupling.angle -1)" -0.0352982 1e-5
ok "rope: back again" near "$(last rope.csv mass.x)" 0.5 2e-7
ok "rope: as fast" near "$(last rope.csv mass.vx)" -1 2e-7
ok "damper" near "$(awk -F, 'NR == 2 { print $5 }' damper.csv)" 350 1e-9
ok "road" near "$(extreme damper.csv wheel.z 1)" 0.02 1e-9
ok "road from a file" near "$(last csv-road.csv wheel.z)" 0.03 1e-12
ok "damper from a file" near "$(awk -F, 'NR > 2 && $5 != 0 { print "not 0 on the flat"; exit } $1 > 0.3 { print 0; exit }' csv-road.csv)" 0 1e-9

# the model of results has the CSV files with it
if "$tool" --version | grep -q HDF5; then
  succeeds run csv-road.yaml --out road.h5
  succeeds export road.h5 --model
  mkdir elsewhere
  cp "$work/out" elsewhere/stored.yaml
  succeeds run elsewhere/stored.yaml --out stored.csv
  ok "stored model: the same motion" cmp -s stored.csv csv-road.csv
fi

# messages name both files
sed 's/"z_left"/"z_lift"/' csv-road.yaml >wrong.yaml
refused 1 "wrong.yaml:12:64: drives.bumps.position: road.csv: there is no column 'z_lift'; did you mean" run wrong.yaml
sed 's/6, 0.03/6, 0.O3/' road.csv >road2.csv
sed 's/road.csv/road2.csv/' csv-road.yaml >wrong.yaml
refused 1 "wrong.yaml:12:.*road2.csv:5:4: '0.O3' in column 'z_left .m.' is not a finite number" run wrong.yaml
sed 's/road.csv/road3.csv/' csv-road.yaml >wrong.yaml
refused 1 "wrong.yaml:12:.*the file 'road3.csv' cannot be read: No such file" run wrong.yaml
sed 's/^6, /4, /' road.csv >road4.csv
sed 's/road.csv/road4.csv/' csv-road.yaml >wrong.yaml
refused 1 "road4.csv:5:1: column 'x .m.' must rise from line to line, but 4 follows 5" run wrong.yaml
finish

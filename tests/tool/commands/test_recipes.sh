# SPDX-License-Identifier: MIT
# The files of docs/guide/recipes.md run, and agree with closed forms.
. "$(dirname "$0")/lib.sh"
page=$(cd "$(dirname "$0")/../../.." && pwd)/docs/guide/recipes.md
cd "$work" || exit 1
awk '/^```(yaml|csv|obj)/ { getline; name = $2; sub(/:$/, "", name); print > name; inside = 1; next } /^```/ { inside = 0 } inside { print > name }' "$page"

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

ok "mesh" near "$(last mesh.csv edge.angle)" 3 2e-6
tool view mesh.yaml --out mesh.html
err_has libjs-three || ok "mesh: in the page" grep -q '"meshes":\[\[6,8\]\]' mesh.html
ok "stop" near "$(extreme stop.csv guide.position 1)" 0.11 2e-6
depth=$(awk 'BEGIN { printf "%.12g", exp(0.4*log(1.25/1e6)) }')
ok "ball" near "$(extreme ball.csv ball.z -1)" "-$depth" 1e-8
ok "ball comes back" near "$(last ball.csv floor.effort)" 0 1e-12
ok "friction" near "$(last friction.csv block.x)" 0.169895 1e-3
ok "friction: it stands" near "$(last friction.csv block.vx)" 0 1e-9
momentum=$(awk -v a="$(last backlash.csv a.wz)" -v b="$(last backlash.csv b.wz)" 'BEGIN { printf "%.15g", 0.4*a + 0.1*b }')
ok "backlash: momentum" near "$momentum" 0.8 1e-10
ok "backlash: windup" near "$(extreme backlash.csv coupling.angle -1)" -0.0352982 1e-5
ok "sheave: x as by its own equations" near "$(last sheave.csv right.x)" 0.0490212482621 1e-5
ok "drum: speed" near "$(last drum.csv load.vz)" -2.616 1e-9
ok "rope: back again" near "$(last rope.csv mass.x)" 0.5 2e-7
ok "rope: as fast" near "$(last rope.csv mass.vx)" -1 2e-7
ok "damper" near "$(awk -F, 'NR == 2 { print $5 }' damper.csv)" 350 1e-9
ok "road" near "$(extreme damper.csv wheel.z 1)" 0.02 1e-9
ok "road from a file" near "$(last csv-road.csv wheel.z)" 0.03 1e-12
ok "damper from a file" near "$(awk -F, 'NR > 2 && $5 != 0 { print "not 0 on the flat"; exit } $1 > 0.3 { print 0; exit }' csv-road.csv)" 0 1e-9

# the model of results has the CSV files with it
if "$tool" --version | grep -q 'HDF5$'; then
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

# Functions of the state, against Runge-Kutta's method of order 4 with 20,000 steps. rk4 END RULES: y[1] ..
# y[n] at the end, separated by spaces; RULES set n and start values in init(), f[] in rates(t, y, f)
rk4() {
  awk -v end="$1" -v N="${3:-20000}" "
    function max(a, b) { return a > b ? a : b }
    function step(t, a, b) { t = (t - a)/(b - a); return t <= 0 ? 0 : t >= 1 ? 1 : t^3*(10 - 15*t + 6*t*t) }
    $2
    function moved(to, by, f, i) { for (i = 1; i <= n; i++) to[i] = y[i] + by*f[i] }
    BEGIN { init(); h = end/N
      for (k = 0; k < N; k++) { t = k*h; start(t)
        rates(t, y, a); moved(z, h/2, a); rates(t + h/2, z, b); moved(z, h/2, b); rates(t + h/2, z, c)
        moved(z, h, c); rates(t + h, z, d)
        for (i = 1; i <= n; i++) y[i] += h/6*(a[i] + 2*b[i] + 2*c[i] + d[i]) }
      for (i = 1; i <= n; i++) printf \"%.13g \", y[i] }"
}
# agrees NAME FILE TOLERANCE VALUES COLUMNS: the last row of the columns has these values
agrees() {
  what=$1 file=$2 tolerance=$3 values=$4
  shift 4
  for value in $values; do
    [ $# -gt 0 ] || break
    ok "$what: $1" near "$(last "$file" "$1")" "$value" "$tolerance"
    shift
  done
}

agrees tyre tyre.csv 1e-6 "$(rk4 0.6 '
  function init() { n = 2; y[1] = 0.4; y[2] = 0 } function start(t) {}
  function rates(t, x, f,   d) { d = 0.3 + 0.05*step(t, 0.3, 0.35) - x[1]; f[1] = x[2]
    f[2] = (d > 0 ? max(0, 2e5*d - 400*x[2]) : 0)/40 - 9.81 }')" wheel.z
ok "drag" near "$(last drag.csv ball.vz)" "$(awk 'BEGIN { w = sqrt(0.02*9.81/0.5); x = exp(6*w)
  printf "%.13g", -sqrt(0.5*9.81/0.02)*(x - 1)/(x + 1) }')" 1e-6
agrees blade blade.csv 2e-8 "$(rk4 4 '
  function init() { n = 2; p = atan2(0, -1)/9 } function start(t) {}
  function rates(t, x, f,   g, u) { g = 3*(step(t, 1, 1.5) - step(t, 2, 3)); f[1] = x[2]
    u = 8*cos(p) + (g*cos(x[1]) - 2*x[2])*sin(p); f[2] = (2*0.8*u*(u < 0 ? -u : u)*sin(p) - 0.8*x[2])/12 }' 8000)" \
  hub.angle hub.angle_rate
agrees belt belt.csv 3e-5 "$(rk4 0.5 '
  function init() { n = 4; y[3] = 5 } function start(t) {}
  function rates(t, x, f,   T) { T = 5e3*max(0, 0.1*x[1] - 0.2*x[2] - 0.005); f[1] = x[3]; f[2] = x[4]
    f[3] = -0.1*T/0.01; f[4] = 0.2*T/0.08 }')" p1.angle p2.angle p1.angle_rate p2.angle_rate
belt=$(awk -v a="$(last belt.csv p1.angle_rate)" -v b="$(last belt.csv p2.angle_rate)" 'BEGIN { printf "%.15g", 0.01*a/0.1 + 0.08*b/0.2 }')
ok "belt: momentum" near "$belt" 0.5 1e-10
agrees teeth teeth.csv 1e-3 "$(rk4 0.1 '
  function init() { n = 4; y[1] = 10 } function start(t) {}
  function rates(t, x, f,   w, T) { w = x[3] - 3*x[4]; T = 2e3*(w > 0.01 ? w - 0.01 : w < -0.01 ? w + 0.01 : 0)
    f[1] = -T/0.01; f[2] = 3*T/0.3; f[3] = x[1]; f[4] = x[2] }')" a.angle_rate b.angle_rate
ok "satellite" near "$(last satellite.csv attitude.yaw)" "$(awk 'BEGIN { printf "%.13g", 3*exp(-5) }')" 1e-6
agrees pid pid.csv 1e-8 "$(rk4 2 '
  function init() { n = 4 } function start(t) {}
  function rates(t, x, f,   e) { e = 0.8*step(t, 0, 0.5) - x[1]; f[1] = x[4]; f[2] = 40*e; f[3] = (e - x[3])/0.02
    f[4] = (60*e + x[2] + 12*f[3] - 2*9.81*0.25*cos(x[1]))/0.625 }')" pin.angle lift_integral lift_filtered
agrees digital digital.csv 2e-7 "$(rk4 2 '
  function init() { n = 2 }
  function start(t,   e) { if (k % 200) return; e = 0.8*step(t, 0, 0.5) - y[1]; u = 60*e + 40*s - 6*y[2]; s += 0.02*e }
  function rates(t, x, f) { f[1] = x[2]; f[2] = (u - 2*9.81*0.25*cos(x[1]))/0.625 }')" pin.angle pin.angle_rate
agrees servo servo.csv 1e-5 "$(rk4 2 '
  function tanh(x) { x = exp(2*(x > 20 ? 20 : x < -20 ? -20 : x)); return (x - 1)/(x + 1) }
  function init() { n = 3 } function start(t) {}
  function rates(t, x, f,   e, T, w) { e = 1 - x[1]; T = 100*e + x[3] - 15*x[2]; T = T > 40 ? 40 : T < -40 ? -40 : T
    w = x[2]/0.01; f[1] = x[2]; f[3] = 20*e; f[2] = (T - tanh(w)*(0.5 + 0.3*exp(-0.01*w*w)))/(0.625 + 0.25) }')" \
  pin.angle pin.angle_rate motor_integral
finish

# SPDX-License-Identifier: MIT
# Corners in time: what comes after a long rest is not stepped over, jumps inside given steps are
# told, drives that jump are refused, `check` lists corners.
. "$(dirname "$0")/lib.sh"

export LC_ALL=C

# largest COLUMN FILE.csv
largest() {
  awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
    { x = $c < 0 ? -$c : $c; if (x > m) m = x } END { print m }' "$2"
}
# last COLUMN FILE.csv
last() {
  awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
    { x = $c } END { print x }' "$2"
}
# near X Y TOLERANCE
near() { awk "BEGIN { d = ($1) - ($2); exit !(d < $3 && -d < $3) }"; }

# an oscillator at rest, hit by a smooth pulse of 50 ms at t = 5
cat >"$work/late_pulse.yaml" <<'YAML'
genalpha: 1
bodies: {m: {mass: 1, inertia: [1, 1, 1]}}
joints: {g: {type: prismatic, between: [ground, m], axis: [0, 0, 1]}}
forces:
  k: {type: torsion, coordinate: g.position, stiffness: 100, damping: 1}
  hit: {type: force, body: m, value: [0, 0, "100*(step(t, 5, 0, 5.025, 1) - step(t, 5.025, 0, 5.05, 1))"]}
run: {h: 1e-3, t_end: 8}
output: [m.z, m.vz]
YAML
for rtol in 1e-4 1e-6; do
  succeeds run "$work/late_pulse.yaml" --rtol $rtol --out "$work/a.csv"
  ok "rtol $rtol: z" near "$(largest m.z "$work/a.csv")" 0.2312 3e-3
  ok "rtol $rtol: z at the end" near "$(last m.z "$work/a.csv")" -0.05585 3e-4
  for t in 5 5.025 5.05; do
    ok "rtol $rtol: a step ends at $t" awk -F, -v t=$t '($1 - t)^2 < 1e-28 { f = 1 } END { exit !f }' \
      "$work/a.csv"
  done
done
succeeds check "$work/late_pulse.yaml"
ok "check lists the corners" out_has "automatic steps end: force 'hit' at 5, 5.025, 5.05"
succeeds run "$work/late_pulse.yaml" --rtol 1e-4 --final
ok "no step is longer than 1/100 of the run" awk '/h_largest/ { sub(/.*h_largest": /, ""); exit !($1 <= 0.0800001 && $1 > 0.05) }' "$work/out"
succeeds run "$work/late_pulse.yaml" --rtol 1e-4 --h-max inf --final
ok "unless the user says so" awk '/h_largest/ { sub(/.*h_largest": /, ""); exit !($1 > 0.3) }' "$work/out"

# a quarter car on its wheel, which meets a bump: the wheel's force
cat >"$work/late_bump.yaml" <<'YAML'
genalpha: 1
parameters: {k: 2e5, c: 200, hb: 0.06, tb: 0.5, lb: 0.08}
gravity: [0, 0, -9.81]
bodies:
  road: {mass: 0, inertia: [0, 0, 0]}
  wheel: {mass: 38, inertia: [1, 1, 1], position: [0, 0, 0.28]}
  car: {mass: 400, inertia: [1, 1, 1], position: [0, 0, 0.7]}
joints:
  up: {type: prismatic, between: [ground, road], axis: [0, 0, 1]}
  tyre: {type: prismatic, between: [road, wheel], axis: [0, 0, 1]}
  strut: {type: prismatic, between: [wheel, car], axis: [0, 0, 1]}
drives:
  bump: {coordinate: up.position, position: "if(t < tb, 0, if(t > tb + lb, 0, hb/2*(1 - cos(2*pi*(t - tb)/lb))))"}
forces:
  rubber: {type: torsion, coordinate: tyre.position, law: "if(s < 0.3, k*(0.3 - s) - c*s_dot, 0)"}
  spring: {type: torsion, coordinate: strut.position, stiffness: 4e4, damping: 2e3, free: 0.5}
run: {h: 1e-4, t_end: 3}
output: [wheel.z, car.z, rubber.effort]
YAML
succeeds equilibrium "$work/late_bump.yaml" --save-state "$work/rest"
succeeds run "$work/late_bump.yaml" --from-state "$work/rest" --out "$work/fine.csv"
for rtol in 1e-4 1e-6; do
  succeeds run "$work/late_bump.yaml" --from-state "$work/rest" --rtol $rtol --out "$work/a.csv"
  ok "rtol $rtol: force over the bump" near "$(largest rubber.effort "$work/a.csv")" \
    "$(largest rubber.effort "$work/fine.csv")" 60
done

# a force that is switched on inside a step: told once, and of order 2 with the option
cat >"$work/kick.yaml" <<'YAML'
genalpha: 1
bodies: {m: {mass: 1, inertia: [1, 1, 1]}}
joints: {g: {type: prismatic, between: [ground, m], axis: [0, 0, 1]}}
forces:
  k: {type: torsion, coordinate: g.position, stiffness: 100}
  kick: {type: force, body: m, value: [0, 0, "if(t < 0.35, 0, if(t < 0.52, 10, 0))"]}
run: {h: 0.02, t_end: 1}
output: [m.z, m.vz]
YAML
tool run "$work/kick.yaml"
ok "exit 0" code_is 0
ok "a jump is told" err_has "warning: force 'kick' jumps at t = 0.35, inside a step of h = 0.02"
ok "once" [ "$(grep -c 'jumps at' "$work/err")" -eq 1 ]
succeeds run "$work/kick.yaml" --h 0.01
# exact: x'' + 100 x = f, from rest: x = 0.1 (cos(10 (t - 0.52)) - cos(10 (t - 0.35)))
exact=$(awk 'BEGIN { printf "%.12g", 0.1 * (cos(4.8) - cos(6.5)) }')
for h in 0.02 0.01 0.005; do
  succeeds run "$work/kick.yaml" --h $h --cut-at-corners --out "$work/a.csv"
  ok "all times of the grid, h = $h" [ "$(awk -F, -v h=$h 'NR > 1 { n = $1/h - int($1/h + 0.5); if (n*n < 1e-16) k++ }
    END { print k }' "$work/a.csv")" -eq "$(awk "BEGIN { print int(1/$h + 1.5) }")" ]
  error=$(awk "BEGIN { e = $(last m.z "$work/a.csv") - ($exact); print e < 0 ? -e : e }")
  [ $h = 0.02 ] || ok "order 2 at h = $h" awk "BEGIN { exit !($before / $error > 3.6 && $before / $error < 4.4) }"
  before=$error
done
sed 's/h: 0.02/h: 0.02, cut_at_corners: yes/' "$work/kick.yaml" >"$work/cut.yaml"
succeeds run "$work/cut.yaml"
refused 2 'allowed: no|yes' run "$work/kick.yaml" --cut-at-corners=perhaps

# drives that jump, in position and in rate; one whose acceleration jumps is a motion
drive() {
  cat >"$work/drive.yaml" <<YAML
genalpha: 1
bodies: {m: {mass: 1, inertia: [1, 1, 1]}}
joints: {g: {type: prismatic, between: [ground, m], axis: [0, 0, 1]}}
drives: {lift: {coordinate: g.position, $1}}
run: {h: 3e-2, t_end: 1}
output: [m.z, lift.effort]
YAML
}
drive 'position: "if(t < 0.5, 0, 0.1)"'
for sizes in '--h 0.03' '--h 0.01' '--rtol 1e-3' '--h 0.03 --cut-at-corners'; do
  refused 1 "t = 0.5: .*drive lift.* position that jumps there, by 0.1" run "$work/drive.yaml" $sizes
done
tool check "$work/drive.yaml"
ok "check tells it" out_has "WARNING: Drive 'lift' lets the position of g.position jump by 0.1 at t = 0.5"
drive 'position: "max(0, t - 0.5)"'
refused 1 'rate that jumps there, by 1' run "$work/drive.yaml"
tool check "$work/drive.yaml"
ok "check tells it" out_has "rate of g.position jump by 1 at t = 0.5"
drive 'rate: "if(t < 0.5, 0, 0.1)"'
refused 1 'drive lift.* rate that jumps there, by 0.1' run "$work/drive.yaml"
drive 'position: "max(0, t - 0.5)^2"'
succeeds run "$work/drive.yaml" --cut-at-corners
succeeds run "$work/drive.yaml" --rtol 1e-4
succeeds check "$work/drive.yaml"
ok "nothing wrong with it" out_has 'Nothing looks wrong'

finish

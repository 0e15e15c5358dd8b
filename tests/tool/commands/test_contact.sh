#!/bin/sh
# SPDX-License-Identifier: MIT
# Contacts of model files: motions with closed forms, columns, the file of changes, messages.
. "$(dirname "$0")/lib.sh"
models=$(cd "$(dirname "$0")/../../../models" && pwd)

# near NAME VALUE TOLERANCE: the column of the last --final
near() {
  awk -v name="\"$1\":" -v want="$2" -v tol="$3" '$1 == name { x = $2 + 0; d = x - want
    exit !(d <= tol && d >= -tol) } END { if (x == "") exit 1 }' "$work/out"
}

# a ball that bounces, restitution 0.8: exact for any step
cat >"$work/ball.yaml" <<'EOF'
genalpha: 1
gravity: [0, 0, -9.81]
parameters: {e: 0.8}
bodies: {ball: {kind: point, mass: 1, position: [0, 0, 1]}}
contacts: {floor: {between: [ground, ball], restitution: e}}
run: {h: 0.01, t_end: 2}
output: [ball.z, ball.vz, floor.gap, floor.n, floor.state, floor.impulse, energy.total, energy.impacts]
EOF
for h in 0.1 0.01; do
  succeeds run "$work/ball.yaml" --h $h --final --impacts "$work/hits.csv"
  ok "height after three bounces, h = $h" near ball.z 0.260741728327 1e-11
  ok "velocity, h = $h" near ball.vz -0.165869135836 1e-11
done
ok "head of the changes" grep -q '^t,kind,contact,un_before,un_after,impulse_n,impulse_t1,impulse_t2,energy$' "$work/hits.csv"
ok "three hits" [ "$(grep -c ',hit,floor,' "$work/hits.csv")" -eq 3 ]
ok "the first at 0.4515236410" grep -q '^0.4515236409' "$work/hits.csv"
succeeds run "$work/ball.yaml" --out "$work/ball.csv"
ok "two rows at an impact" [ "$(grep -c '^0.4515236409' "$work/ball.csv")" -eq 2 ]
succeeds run "$work/ball.yaml" --out "$work/ball.csv" --every 10
ok "none of them with --every" [ "$(grep -c . "$work/ball.csv")" -eq 22 ]
# rows between the steps know what contacts have done: (1 + e) sqrt(2 g) after the first hit, at 0.4515
succeeds run "$work/ball.yaml" --out "$work/ball.csv" --out-dt 0.047 --t-end 0.5
ok "no impulse before, the whole one after" awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^floor.impulse/) c = i }
  NR > 1 { want = $1 < 0.4515 ? 0 : 7.973004453; if (($c - want)^2 > 1e-12) bad = 1 } END { exit bad || !c }' "$work/ball.csv"
succeeds run "$work/ball.yaml" --set e=0.5 --final
ok "at rest" near ball.z 0 1e-12
ok "its weight" near floor.n 9.81 1e-9

# a ball that skids, then rolls at 4/7 m/s
succeeds run "$models/skid.yaml" --t-end 0.8 --final
ok "place when it rolls" near ball.x 0.9772285673 1e-9
ok "speed when it rolls" near ball.vx 0.571428571429 1e-9
ok "sticks" near floor.state 2 0

# equilibrium and modes: the states are found, fixed and said
succeeds equilibrium "$work/ball.yaml"
ok "it lies on the floor" out_has 'contacts: 1 of 1 closed: floor$'
succeeds equilibrium "$work/ball.yaml" --json
ok "JSON" out_has '"contacts": {"floor": 1}'
ok "its weight" out_has '"floor.n": 9.81'
succeeds modes "$models/rocking-block.yaml" --at equilibrium
ok "both feet stick" out_has 'contacts: 2 of 2 closed: feet.1 (sticks), feet.2 (sticks)$'
refused 1 "contact 'floor' slides" modes "$models/skid.yaml" --at 0.1

# a box on four corners, whose eta are zero but for rounding, beside another body: the same in other units
cat >"$work/units.yaml" <<'EOF'
genalpha: 1
parameters: {u: 1}
gravity: [0, 0, -9.81*u]
bodies:
  box: {mass: 1.05*u, shape: {box: [0.2*u, 0.15*u, 0.1*u]}, position: [-0.061*u, 0.034*u, 0.273*u], orientation: {rotation_vector: [0.515, -0.697, 0.413]}, velocity: [0.45*u, 0.53*u, 0], angular_velocity: [-0.469, 2.926, 3.903]}
  rod: {mass: 2.9*u, shape: {cylinder: {radius: 0.05*u, length: 0.2*u}}, position: [0.636*u, 0, 0.499*u], orientation: {rotation_vector: [0.374, -0.492, 0.223]}, velocity: [0.36*u, 0.92*u, 0], angular_velocity: [-3.404, 1.192, 1.286]}
contacts:
  flat: {between: [ground, box], box: [0.2*u, 0.15*u, 0.1*u]}
  round: {between: [ground, rod], capsule: {radius: 0.05*u, from: [0, 0, -0.1*u], to: [0, 0, 0.1*u]}, friction: 0.1}
run: {h: 0.004, t_end: 0.8, linsol: klu}
output: [box.e0, box.wz, rod.e1, rod.wz, flat.state, round.state]
EOF
succeeds run "$work/units.yaml" --final
grep -E '^ *"(box.e0|box.wz|rod.e1|rod.wz|flat.state|round.state)":' "$work/out" >"$work/one"
for u in 1024 1048576; do
  succeeds run "$work/units.yaml" --final --set u=$u
  grep -E '^ *"(box.e0|box.wz|rod.e1|rod.wz|flat.state|round.state)":' "$work/out" >"$work/other"
  ok "the same motion, lengths and masses times $u" cmp -s "$work/one" "$work/other"
done

# a run that goes on: its first row has the energies that were lost before
succeeds run "$work/ball.yaml" --t-end 0.5 --save-state "$work/ball.state" --final
lost=$(awk '$1 == "\"energy.impacts\":" { print $2 + 0 }' "$work/out")
succeeds run "$work/ball.yaml" --from-state "$work/ball.state" --t-end 0.6 --out "$work/ball.csv"
ok "energy.impacts goes on" awk -F, -v lost="$lost" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^energy.impacts/) c = i }
  NR > 1 && ($c - lost)^2 > 1e-12 { bad = 1 } END { exit bad || !c || !(lost > 1) }' "$work/ball.csv"

# automatic steps with friction whose direction turns: as many for a ball of a gram as for one of a ton
for mass in 1 1e-3 1e3; do
  sed "s/mass: 1,/mass: $mass,/; s/\[0, -30, 0\]/[20, -30, 5]/" "$models/skid.yaml" >"$work/skid.yaml"
  succeeds run "$work/skid.yaml" --rtol 1e-5 --final
  ok "a ball of $mass kg" grep -q "mass: $mass," "$work/skid.yaml"
  steps=$(grep -o '"steps": [0-9]*' "$work/out")
  ok "steps with mass $mass: $steps, 1 kg: ${first:=$steps}" [ "$steps" = "$first" ]
done

# events of what jumps at an impact are at its time
tool run "$work/ball.yaml" --stop-when 'floor.impulse > 10' --final
ok "the second hit" near t 1.17396146656 1e-10
tool run "$work/ball.yaml" --stop-when 'energy.impacts > 3' --final
ok "the first hit" near t 0.451523640986 1e-10

# messages
refused 2 "no rows for friction: contact 'floor'" run "$models/skid.yaml" --method hht
sed 's/position: \[0, 0, 1\]/position: [0, 0, -0.003]/' "$work/ball.yaml" >"$work/below.yaml"
refused 1 "contact 'floor' starts closed by 3 mm: move 'ball' by 3 mm along" run "$work/below.yaml"
# all kinds of bodies: a planar block that rocks, against the oracle of its specification within 1.5 times the error
# that is known there; the skidding ball on SE(3), where it has order 2
succeeds run "$models/rocking-block.yaml" --t-end 1.2 --h 0.01 --final
ok "angle of the block" near block.angle -0.05501878906 5e-5
ok "its rate" near block.rate 0.2708583668 5.4e-4
ok "its foot" near feet.2.n 9.2540824 1e-3
sed 's/^gravity/formulation: se3\ngravity/' "$models/skid.yaml" >"$work/se3.yaml"
for h in 0.005 0.0025; do
  succeeds run "$work/se3.yaml" --t-end 0.8 --h $h --final
  awk '$1 == "\"ball.x\":" { print $2 - 0.9772285673 }' "$work/out" >>"$work/errors"
done
ok "order 2 on SE(3)" awk '{ e[NR] = $1 } END { r = e[1] / e[2]; exit !(r > 3.7 && r < 4.3) }' "$work/errors"

# a limit of a planar hinge, whose x_axis gives its zero; spin of a rigid body has order 2 (errors: 1.1e-3, 2.8e-4)
cat >"$work/limit.yaml" <<'EOF'
genalpha: 1
gravity: [0, -9.81, 0]
bodies: {rod: {kind: planar, mass: 1, inertia: 1/12, position: [0.5*sin(0.9), -0.5*cos(0.9)], orientation: 0.9}}
joints: {hinge: {type: revolute, between: [ground, rod], at: [0, 0], x_axis: {ground: [1, 0], rod: [1, 0]}}}
limits: {stop: {coordinate: hinge.angle, lower: -0.5, upper: 1, restitution: 0.6}}
run: {h: 0.01, t_end: 3}
output: [hinge.angle, rod.rate, stop.n]
EOF
succeeds run "$work/limit.yaml" --final --impacts "$work/hits.csv"
ok "angle at a limit" near hinge.angle 0.01759073951 1.65e-3
ok "rate at a limit" near rod.rate -2.138809069 4.2e-4
ok "two hits of the lower end" [ "$(grep -c ',hit,stop.lower,' "$work/hits.csv")" -eq 2 ]
sed 's/velocity: \[2, 0, 0\]/velocity: [2, 1, 0]/; s/\[0, -30, 0\]/[25, -30, 7]/' "$models/skid.yaml" >"$work/skid.yaml"
succeeds run "$work/skid.yaml" --t-end 1.2 --h 0.01 --final
ok "a ball that skids and turns" near ball.x 1.320559800 1.65e-3
ok "rolls" near floor.state 2 0

# a woodpecker: its beak hits eight times in a second, and the period converges with order 2
rm -f "$work/periods"
for h in 4e-4 2e-4 1e-4; do
  succeeds run "$models/woodpecker.yaml" --h $h --impacts "$work/hits.csv"
  ok "the beak hits, h = $h" [ "$(grep -c ',hit,beak,' "$work/hits.csv")" -eq 8 ]
  grep ',hit,beak,' "$work/hits.csv" | awk -F, '{ p = $1 - t; t = $1 } END { printf "%.10f\n", p }' >>"$work/periods"
done
ok "its period converges" awk '{ p[NR] = $1 } END { r = (p[1] - p[2]) / (p[2] - p[3]); exit !(r > 3.6 && r < 4.4) }' "$work/periods"
ok "to 0.1307 s" awk 'NR == 3 && $1 > 0.13070 && $1 < 0.13078 { good = 1 } END { exit !good }' "$work/periods"

# all pairs of three balls in a row, of which the last one moves on; open contacts are no singular position (silence)
cat >"$work/row.yaml" <<'EOF'
genalpha: 1
bodies:
  b0: {shape: {sphere: {radius: 0.1}}, mass: 1, velocity: [1, 0, 0]}
  b1: {shape: {sphere: {radius: 0.1}}, mass: 1, position: [0.5, 0, 0]}
  b2: {shape: {sphere: {radius: 0.1}}, mass: 1, position: [1, 0, 0]}
contacts: {row: {all: [b0, b1, b2], restitution: 1}}
run: {h: 0.01, t_end: 1}
output: [b0.vx, b2.vx, row.b0_b1.gap]
EOF
succeeds run "$work/row.yaml" --final --impacts "$work/hits.csv"
ok "the first ball stands" near b0.vx 0 1e-9
ok "the last one has its velocity" near b2.vx 1 1e-9
ok "two hits by name" [ "$(grep -c ',hit,row.b[01]_b[12],' "$work/hits.csv")" -eq 2 ]

# events at the time of a hit, of the gap and of the velocity that jumps
cat >"$work/touch.yaml" <<'EOF'
genalpha: 1
gravity: [0, 0, -9.81]
bodies: {b: {kind: point, mass: 1, position: [0, 0, 1]}}
contacts: {f: {between: [ground, b], restitution: 0.8}}
events: {touch: {when: f.gap}, up: {when: b.vz}, now: {when: t - 0.4515236409857309}}
run: {h: 0.01, t_end: 0.5}
output: [b.z]
EOF
for h in 0.01 0.007 0.0213; do
  tool run "$work/touch.yaml" --h $h --final
  for name in touch up now; do
    ok "event $name at a hit, h = $h" err_has "event $name at t = 0.451523641"
  done
done

# messages of impacts: each is said once
cat >"$work/rod.yaml" <<'EOF'
genalpha: 1
parameters: {a: 0.8, mu: 2, e: 0, vx: -2, vy: 0, up: 0}
gravity: [0, -9.81, 0]
bodies: {rod: {kind: planar, mass: 1, inertia: 1/12, position: [cos(a)/2, sin(a)/2 + up], orientation: a, velocity: [vx, vy]}}
contacts: {tip: {between: [ground, rod], points: [[-0.5, 0], [0.5, 0]], friction: mu, restitution: e}}
run: {h: 0.01, t_end: 0.2}
output: [rod.x, rod.y, rod.rate, tip.1.n, tip.1.state]
EOF
tool run "$work/rod.yaml" --final
ok "Painleve's rod goes on" code_is 0
ok "and says so" err_has "contact 'tip.1': t = 0: no forces fit (Painlev.*an impulse of 0.75 N s stops its slip"
ok "place of the rod" near rod.x 0.24849883 6e-5
ok "it sticks" near tip.1.state 2 0
tool run "$work/rod.yaml" --final --set up=0.1 --set mu=1.1 --set e=0.9 --set a=0.9 --set vx=2 --set vy=-3
ok "an impact that would gain energy" err_has \
  "contact 'tip.1': t = 0.0316912455: restitution 0.9 with friction 1.1 would gain energy (+8 %): reduced to 0.45"
ok "said once" [ "$(grep -c 'would gain' "$work/err")" -eq 1 ]
cat >"$work/walls.yaml" <<'EOF'
genalpha: 1
bodies: {ball: {kind: point, mass: 1, position: [0, 0, 0.0005], velocity: [0, 0, 1]}}
contacts:
  floor: {between: [ground, ball], restitution: 1}
  roof: {between: [ground, ball], plane: {point: [0, 0, 0.001], normal: [0, 0, -1]}, restitution: 1}
run: {h: 0.1, t_end: 0.3}
output: [ball.z]
EOF
tool run "$work/walls.yaml"
ok "many bounces in a step" err_has \
  "contact 'roof': 30 changes between t = 0 and 0.1: that step is not cut; a smaller h would follow them"
ok "and the run goes on" code_is 0
for method in soi2 index2 index1 nonhol2 hht; do
  refused 2 "method '$method' has no contacts: rows that are on or off are made for stab2 and index3; contact 'floor'" \
    run "$work/ball.yaml" --method $method
done

refused 2 "--contact = 'foo' is not known; allowed: locate|step" run "$work/ball.yaml" --contact foo
refused 2 '--rest-time = -1 is out of range' run "$work/ball.yaml" --rest-time -1
refused 2 'contact = step needs steps of given size' run "$work/ball.yaml" --contact step --rtol 1e-4
refused 2 'extrapolation is not possible with contacts' run "$work/ball.yaml" --extrapolate 2
refused 2 'accuracy is not possible with contacts' run "$work/ball.yaml" --accuracy 1e-3
refused 1 "'$work/none/x.csv' cannot be written" run "$work/ball.yaml" --impacts "$work/none/x.csv"
refused 1 'the model has no contacts' run "$models/pendulum.yaml" --impacts "$work/none.csv"
if ! "$tool" --version | grep -q 'HDF5 not built in'; then
  succeeds run "$models/woodpecker.yaml" --out-dt 0.1 --out "$work/wood.h5" --impacts "$work/wood.csv"
  succeeds export "$work/wood.h5" --impacts "$work/wood2.csv"
  ok "a result file has the changes of contacts" cmp "$work/wood.csv" "$work/wood2.csv"
fi
finish

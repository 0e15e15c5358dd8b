# SPDX-License-Identifier: MIT
# check, equilibrium and modes on the command line; assembly in files; states that runs go on from.
. "$(dirname "$0")/lib.sh"
models=$(dirname "$0")/../../../models

# every model that comes along can be looked at, and none looks wrong
for file in "$models"/*.yaml; do
  succeeds check "$file"
  ok "$file: sentences" out_has 'It \(has\|cannot\)'
  ok "$file: one screen" [ "$(grep -c . "$work/out")" -le 24 ]
  ok "$file: no warning" out_has '^Nothing looks wrong'
done
# a damper table with a kink at rest: in joint coordinates, too, it is no wrong derivative
cat >"$work/damper.yaml" <<END
genalpha: 1
gravity: [0, 0, -9.81]
bodies: {car: {mass: 300, inertia: [50, 50, 50], position: [0, 0, 0.5]}}
joints: {heave: {type: prismatic, between: [ground, car], axis: [0, 0, 1]}}
forces:
  spring: {type: spring, between: [ground, car], stiffness: 2e4, length: 0.65}
  damper: {type: spring, between: [ground, car], law: "table(s_dot, [-1, 0, 1], [-900, 0, 1500], linear)"}
END
succeeds check "$work/damper.yaml"
ok "a damper in joint coordinates" out_has 'Coordinates: joint'
ok "its derivatives" out_has 'Its derivatives agree'
ok "nothing is wrong with it" [ "$(grep -c 'wrong at\|does not agree' "$work/out")" = 0 ]

# a kink at the start is no wrong derivative, in a model of 1 m as in one of 1 mm
for size in 1 0.1 1e-3; do
  cat >"$work/kink.yaml" <<END
genalpha: 1
gravity: [0, 0, -9.81]
bodies: {b: {kind: point, mass: 1, position: [0, 0, $size]}}
forces: {c: {type: spring, between: [ground, b], law: "-max(0, 1e4*($size - s))"}}
END
  succeeds check "$work/kink.yaml"
  ok "a kink, size $size" out_has 'has a kink at the start'
done
succeeds check "$models/bricard.yaml"
ok "true freedom" out_has 'It has 1 degree of freedom'
ok "Gruebler's" out_has 'Counting alone gives 0'
ok "redundancy named" out_has "1 of its 5 rows follows from"
succeeds check "$models/bricard.yaml" --json
if command -v python3 >/dev/null 2>&1; then
  ok "JSON" python3 -c "
import json
c = json.load(open('$work/out'))
assert c['freedom'] == 1 and c['gruebler'] == 0 and c['redundant'] == 1 and c['derivatives_ok']
assert any('degree of freedom' in f['text'] for f in c['findings'])"
fi

# what is odd
cat >"$work/odd.yaml" <<END
genalpha: 1
gravity: [0, -9810, 0]
bodies:
  rod: {kind: planar, mass: 1e-6, inertia: 4000, position: [0.5, 0]}
  big: {kind: planar, mass: 1e6, inertia: 1e5, position: [2, 0]}
  lost: {kind: planar, mass: 1, inertia: 0.1, position: [3, 0]}
joints:
  pin: {type: revolute, between: [ground, rod], at: [0, 0]}
  two: {type: revolute, between: [rod, big], at: [1, 0]}
END
succeeds check "$work/odd.yaml"
ok "masses" out_has 'Masses go from 1e-06 to 1e+06'
ok "gravity" out_has 'millimetres'
ok "inertia" out_has "Body 'rod': an inertia of 4e+03"
ok "not connected" out_has "Body 'lost' is connected to nothing"
ok "counted" out_has '^[0-9]* warnings'
refused 2 'is not a model file' check heavy-top
refused 1 'cannot be read: No such file' check "$work/none.yaml"
ok "nothing about joints" [ "$(grep -c assemble "$work/err")" = 0 ]

# a contact that just touches is no wrong derivative, and the step is that of its stiff side
cat >"$work/floor.yaml" <<END
genalpha: 1
gravity: [0, 0, -9.81]
bodies: {m: {mass: 1, inertia: [1, 1, 1]}}
joints: {g: {type: prismatic, between: [ground, m], axis: [0, 0, 1]}}
forces: {floor: {type: torsion, coordinate: g.position, law: "if(s < 0, -1e6*s - 10*s_dot, 0)"}}
run: {h: 1e-4, t_end: 0.1}
END
succeeds check "$work/floor.yaml"
ok "a kink" out_has 'has a kink at the start'
ok "the stiff side" out_has 'takes 0.00628 s: a step of h = 0.0002'
ok "no warning" out_has '^Nothing looks wrong'
# what was warned of is counted
sed 's/t_end: 0.1/t_end: 0.1, system: whole/' "$work/floor.yaml" >"$work/warns.yaml"
tool check "$work/warns.yaml"
ok "one warning" out_has '^1 warning'
sed 's/t_end: 0.1/t_end: 0.1, rho: 1/' "$work/floor.yaml" >"$work/warns.yaml"
tool check "$work/warns.yaml"
ok "a warning of the run" out_has 'WARNING: `genalpha run` warns: .*AB07'
ok "counted" out_has '^1 warning'

# where `run` cannot start, check does not succeed either, with the same exit code
for entry in 't_end: -1' 't_end: abc' 'every: 0' 'linsol: foo' 'out_dt: 1' 'project_at: 5' \
  'extrapolate: 7' 'from_state: none' 'hh: 1' 'stop_when: x'; do
  cat >"$work/start.yaml" <<END
genalpha: 1
gravity: [0, -9.81, 0]
bodies: {b: {kind: planar, mass: 1, inertia: 1}}
joints:
  j: {type: revolute, between: [ground, b], at: [1, 0]}
run: {$entry}
END
  tool run "$work/start.yaml"
  expected=$code
  tool check "$work/start.yaml"
  ok "check as run, $expected: $entry" code_is "$expected"
done
cat >"$work/start.yaml" <<END
genalpha: 1
bodies: {b: {mass: 1, inertia: [1, 1, 1]}}
forces: {f: {type: force, body: b, value: ["sqrt(-t)", 0, 0]}}
END
tool check "$work/start.yaml"
ok "the first step fails" code_is 1
ok "and check says so" out_has 'would refuse it or fail at its first step'
ok "no praise" [ "$(grep -c 'Nothing looks wrong' "$work/out")" = 0 ]

# assembly
cat >"$work/crank.yaml" <<END
genalpha: 1
gravity: [0, -9.81, 0]
parameters: {l: 0.5}
bodies:
  crank:  {kind: planar, mass: 1, inertia: 0.01, position: [0.1, 0.01]}
  rod:    {kind: planar, mass: 2, inertia: 0.04, position: [0.44, 0.02], orientation: 0.05}
  slider: {kind: planar, mass: 5, inertia: 0.01, position: [0.69, 0.003]}
joints:
  bearing: {type: revolute, between: [ground, crank], at: {ground: [0, 0], crank: [-0.1, 0]}}
  pin: {type: revolute, between: [crank, rod], at: {crank: [0.1, 0], rod: [-l/2, 0]}}
  wrist: {type: revolute, between: [rod, slider], at: {rod: [l/2, 0], slider: [0, 0]}}
  guide: {type: prismatic, between: [ground, slider], axis: [1, 0], at: {ground: [0, 0], slider: [0, 0]}}
initial: {assemble: true, rates: {bearing.angle: 6}}
run: {h: 1e-3, t_end: 0.1}
END
succeeds run "$work/crank.yaml" --final
succeeds check "$work/crank.yaml"
ok "told how far bodies moved" out_has 'Assembly moved bodies by up to'
sed 's/assemble: true, //' "$work/crank.yaml" >"$work/open.yaml"
refused 1 'is open by .* at the start.*initial: {assemble: true}' check "$work/open.yaml"
sed 's/assemble: true, /assemble: true, fix: [slider], /' "$work/crank.yaml" >"$work/fixed.yaml"
refused 1 "cannot be closed together.*'guide' (by 0.003)" run "$work/fixed.yaml"
refused 1 "to which side joint 'pin' is bent.*too far from fitting" run "$work/crank.yaml" --set l=0.1

# a universal joint whose axes, each given on its own body, are not quite perpendicular at the start
cat >"$work/cross.yaml" <<END
genalpha: 1
parameters: {off: 0.5 deg}
bodies:
  a: {mass: 1, inertia: [1, 1, 1]}
  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0], orientation: {axis: [0, 0, 1], angle: off}}
joints:
  foot:  {type: fixed, between: [ground, a]}
  cross: {type: universal, between: [a, b], at: {a: [0.5, 0, 0], b: [-0.5, 0, 0]}, axis: {a: [0, 1, 0]}, x_axis: {b: [1, 0, 0]}}
sensors: {between: {type: angle, between: [a, b], directions: {a: [0, 1, 0], b: [1, 0, 0]}}}
run: {t_end: 1e-3}
output: [between, b.x, b.y]
initial: {assemble: true}
END
for off in '0.5 deg' '-0.3 deg' '5 deg' '30 deg'; do
  tool run "$work/cross.yaml" --set off="$off" --out -
  ok "assembled: $off" code_is 0
  ok "right angle after $off" awk -F, 'NR == 2 { d = $2 - 1.5707963267948966; exit d > 1e-12 || d < -1e-12 }' "$work/out"
done
sed '/^initial/d' "$work/cross.yaml" >"$work/apart.yaml"
refused 1 "joint 'cross' .* is open by .*initial: {assemble: true}" run "$work/apart.yaml"
sed 's/axis: {a: \[0, 1, 0\]}, x_axis: {b: \[1, 0, 0\]}/axis: [0, 1, 0], x_axis: [1, 0.1, 0]/' "$work/cross.yaml" >"$work/apart.yaml"
refused 1 'axis and x_axis are not perpendicular' run "$work/apart.yaml"

# a start at half a turn is pi, never -pi, whatever the rounding errors are
cat >"$work/half.yaml" <<END
genalpha: 1
repeat:
  - index: i
    from: 1
    to: 60
    bodies:
      "b{i}": {mass: 1, inertia: [1, 1, 1], orientation: {axis: [cos(i), sin(2*i), cos(3*i)], angle: pi}}
    joints:
      "j{i}":
        type: revolute
        between: [ground, "b{i}"]
        axis: {ground: [cos(i), sin(2*i), cos(3*i)], "b{i}": [cos(i), sin(2*i), cos(3*i)]}
        x_axis: {ground: [sin(i), cos(5*i), sin(7*i)], "b{i}": [sin(i), cos(5*i), sin(7*i)]}
run: {t_end: 1e-3}
END
for i in $(seq 60); do printf ', j%d.angle' "$i"; done | sed 's/^,/output: [/; s/$/]/' >>"$work/half.yaml"
tool run "$work/half.yaml" --out -
ok "pi" awk -F, 'NR == 2 { for (k = 2; k <= NF; k++) bad += $k < 3.14; exit bad > 0 || NF != 61 }' "$work/out"
# a coupler that counts turns where the angle begins anew
cat >"$work/gear.yaml" <<END
genalpha: 1
bodies:
  a: {mass: 1, inertia: [1, 1, 1]}
  b: {mass: 1, inertia: [1, 1, 1], orientation: {axis: [0, 0, 1], angle: 4}}
joints:
  ja: {type: revolute, between: [ground, a], axis: [0, 0, 1]}
  jb: {type: revolute, between: [ground, b], axis: [0, 0, 1], x_axis: {ground: [1, 0, 0], b: [1, 0, 0]}}
couplers: {gear: {sum: {ja.angle: 2, jb.angle: 3}, equals: 12}}
END
refused 1 'whole turns of an angle, which starts in .* has .turns.' run "$work/gear.yaml"

# equilibrium: a start for a run that stays there
succeeds equilibrium "$models/four-bar.yaml" --save-state "$work/rest.state"
ok "stable" out_has 'stable: its slowest vibration has 1.030'
ok "a force" out_has '^  A.fy  *25.334[0-9]* N$'
succeeds run "$models/four-bar.yaml" --from-state "$work/rest.state" --t-end 1 --final
ok "it stays" sh -c "grep '\"crank.angle\"' '$work/out' | grep -q '1.74794179'"
# it is no run: any run can start there, whatever its events, steps and method are
cat >"$work/door.yaml" <<END
genalpha: 1
gravity: [0, -9.81, 0]
bodies: {rod: {kind: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}}
joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0]}}
forces: {spring: {type: torsion, coordinate: pin.angle, stiffness: 20, damping: 1}}
events: {closed: {when: pin.angle, falling: true}}
run: {h: 1e-2, t_end: 0.1}
output: [pin.angle]
END
succeeds equilibrium "$work/door.yaml" --save-state "$work/door.state"
for options in '' '--rtol 1e-5' '--method index3' '--rho 0.5' '--h-seq 0.4,0.6' '--redundant refuse'; do
  succeeds run "$work/door.yaml" $options --from-state "$work/door.state" --out "$work/rest.csv"
  ok "one first row: $options" [ "$(grep -c '^0,' "$work/rest.csv")" = 1 ]
  ok "it stays: $options" awk -F, 'NR == 2 { a = $2 } NR > 1 { d = $2 - a; bad += d > 1e-10 || d < -1e-10 || a == 0 }
    END { exit bad > 0 || NR < 3 }' "$work/rest.csv"
done
succeeds equilibrium "$models/pendulum.yaml" --set th0=pi --json
ok "unstable" out_has '"stable": false'
ok "named" out_has '"pin.Fz": 19.6'
refused 1 'no equilibrium was found' equilibrium "$models/slider-crank.yaml"
refused 1 'asks for a motion' equilibrium "$models/gear-train.yaml"

# modes
refused 1 'not an equilibrium' modes "$models/pendulum.yaml"
ok "what to do" err_has 'try --at equilibrium'
succeeds modes "$models/pendulum.yaml" --at equilibrium
ok "sqrt(3 g / 2 l)" out_has '  0 + *3.836013[0-9]* i *0.610520[0-9]* *0 '
succeeds modes "$models/four-bar.yaml" --at "$work/rest.state" --out - --matrices "$work/matrices"
ok "columns" out_has '^mode,re,im,frequency,damping_ratio,crank.x,crank.y,crank.angle,'
ok "frequency" [ "$(column frequency | cut -c 1-6)" = 1.0300 ]
ok "names of columns" grep -q '^rocker.angle$' "$work/matrices/names.txt"
for name in M C K G H Y; do
  ok "$name is there" grep -q 'MatrixMarket matrix coordinate real general' "$work/matrices/$name.mtx"
done
# a multiple eigenvalue zero is found by a rank: it is not split into values of +-6e-6. Eigenvalues published by
# Meijaard, Papadopoulos, Ruina and Schwab (2007), table 2: weave, capsize and castering mode
published() {
  cat <<END
1 3.52696170990070 0.80774027519930 -3.13423125066578 -7.11008014637442
2 2.68234517512745 1.68066296590675 -3.07158645641514 -8.67387984831735
3 1.70675605663975 2.31582447384325 -2.63366137253667 -10.35101467245920
4 0.41325331521125 3.07910818603206 -1.42944427361326 -12.15861426576447
5 -0.77534188219585 4.46486771378823 -0.32286642900409 -14.07838969279822
6 -1.52644486584142 5.87673060598709 -0.00406690076970 -16.08537123098026
7 -2.13875644258362 7.19525913329805 0.10268170574766 -18.15788466125262
8 -2.69348683581097 8.46037971396931 0.14327879765713 -20.27940894394569
9 -3.21675402252485 9.69377351531791 0.15790184030917 -22.43788559040858
10 -3.72016840437287 10.90681139476287 0.16105338653172 -24.62459635017404
END
}
published | while read -r v numbers; do
  "$tool" modes "$models/bicycle.yaml" --set v="$v" --out - | awk -F, -v published="$numbers" '
    function near(x, y) { d = x - y; if (d < 0) d = -d; return d <= 2e-11 * (1 + (y < 0 ? -y : y)) }
    NR == 1 { split(published, p, " "); next }
    $2 == 0 && $3 == 0 { free++; next }
    { for (i = 1; i <= 4; i++) if ($3 > 0 ? i == 1 && near($2, p[1]) && near($3, p[2]) : i > 2 && near($2, p[i])) found++ }
    END { exit !(NR == 8 && free == 4 && found == 3) }' || echo "$v"
done >"$work/differ"
ok "the published eigenvalues of the bicycle" [ ! -s "$work/differ" ]
for v in 4.30 4.5 5.5 5.95 5.97 5.99 6.0 6.01 6.02; do
  tool modes "$models/bicycle.yaml" --set v=$v
  ok "stable at $v" out_has '7 degrees of freedom in position and 3 in velocity, 7 modes, stable'
done
for v in 4.28 6.03; do
  tool modes "$models/bicycle.yaml" --set v=$v
  ok "unstable at $v" out_has '7 modes, unstable'
done
succeeds check "$models/bicycle.yaml"
ok "the same numbers" out_has '7 degrees of freedom in position and 3 in velocity: 25 velocities'
ok "sigma + i omega" sh -c "'$tool' modes '$models/bicycle.yaml' | grep -q -e '-0.77534188 + *4.4648677 i *0.71060577'"

# the rounding errors of a run that came to rest are no motion
cat >"$work/settled.yaml" <<END
genalpha: 1
gravity: [0, -9.81, 0]
bodies: {rod: {kind: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}}
joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0]}}
forces: {brake: {type: torsion, coordinate: pin.angle, damping: 3}}
run: {h: 1e-2}
END
succeeds modes "$work/settled.yaml" --at 30
ok "overdamped" out_has '-2.1993[0-9]* *decays *> 1'

refused 1 'not constant in time' modes "$models/gyroscope.yaml"
succeeds modes "$models/gyroscope.yaml" --frozen
succeeds modes "$models/chain.yaml" --at equilibrium --count 3 --json
ok "ten modes" out_has '"modes": 10, "stable": true'
succeeds modes "$models/chain.yaml" --at equilibrium --few 200
ok "more asked for than there are" out_has '10 modes, stable'
succeeds modes "$models/door.yaml" --at equilibrium
ok "damped frequency" out_has '0.92710[0-9]* i *0.147553[0-9]* *0.3043'
succeeds equilibrium "$models/door.yaml"
ok "the same one" out_has 'slowest vibration has 0.147554 Hz, damping ratio 0.304'
refused 1 "none.state': no such state file; 'equilibrium' or a time" \
  modes "$models/chain.yaml" --at "$work/none.state"
refused 2 'the model begins at' modes "$models/chain.yaml" --at -1

finish

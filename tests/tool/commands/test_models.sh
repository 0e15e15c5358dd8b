# SPDX-License-Identifier: MIT
# Model files on the command line: columns, parameters, events, messages, the schema.
. "$(dirname "$0")/lib.sh"
models=$(dirname "$0")/../../../models

# every model that comes along runs with its own settings, for a while
for file in "$models"/*.yaml; do
  succeeds run "$file" --t-end 0.05
  ok "$file opens with a comment" sh -c "head -n 1 '$file' | grep -q '^# '"
  ok "$file chooses columns" grep -q '^output:' "$file"
done

tool run "$models/pendulum.yaml" --out - --t-end 0.1 --every 50
ok "named columns" out_has '^t,rod.x,rod.z,rod.wy,pin.angle,pin.angle_rate,'
ok "rows" [ "$(grep -c . "$work/out")" -eq 4 ]
succeeds run "$models/pendulum.yaml" --columns
ok "all columns" out_has '^pin.Fz$'
succeeds run "$models/pendulum.yaml" --final --t-end 0.1
ok "named values" out_has '"rod.wy": '
ok "17 digits" sh -c "grep '\"tip.x\"' '$work/out' | grep -Eq '[0-9.]{17}'"

# the section run, the command line before it, parameters in place
succeeds run "$models/gyroscope.yaml" --t-end 0.01
ok "step of the file" out_has '10 of h = 0.001'
succeeds run "$models/gyroscope.yaml" --t-end 0.01 --h 0.002 --alpha -0.2
ok "step of the command line" out_has '5 of h = 0.002'
ok "parameters, too" out_has 'alpha_m 0, alpha_f 0.2'
succeeds run "$models/pendulum.yaml" --set th0=0.5 --set 'l=2' --final --t-end 0.001
ok "length set" out_has '"tip.z": -1.755'
refused 1 "there is no parameter 'lenght'" run "$models/pendulum.yaml" --set lenght=2
refused 1 "pendulum.yaml: parameters.l, set to 'x': unknown name 'x'" run "$models/pendulum.yaml" --set l=x
refused 2 'write NAME=VALUE' run "$models/pendulum.yaml" --set l
refused 2 'is for model files' run heavy-top --set l=1
refused 2 'is for problems of the library' run "$models/pendulum.yaml" --size 3

# events
tool run "$models/pendulum.yaml" --stop-when 'rod.x < 0' --final
ok "stopped" code_is 0
ok "where and why" err_has 'stopped at t = 0.4[0-9]* by --stop-when: rod.x < 0'
ok "the state there" sh -c "grep '\"rod.x\"' '$work/out' | grep -q 'e-1'"
refused 2 "unknown name 'rod.xx'; did you mean 'rod.x'" run "$models/pendulum.yaml" --stop-when 'rod.xx < 0'
refused 2 'mentions no column' run "$models/pendulum.yaml" --stop-when '1 < 2'
cat >"$work/drop.yaml" <<END
genalpha: 1
gravity: [0, 0, -10]
bodies: {ball: {kind: point, mass: 1, position: [0, 0, 1.25], velocity: [1, 0, 0]}}
events:
  half: {when: "ball.z - 0.8", falling: true}
  ground: {when: "ball.z", falling: true, stop: true}
run: {h: 0.01, t_end: 10}
END
tool run "$work/drop.yaml"
ok "ends on the ground" err_has 'stopped at t = 0.5 by ground: ball.z'
ok "told on the way" err_has 'event half at t = 0.3: ball.z - 0.8'
ok "summary" out_has 'ball.x  *0.5 m$'
# events leave their trace in the end state and in files of results
"$tool" run "$work/drop.yaml" --final >"$work/final.json" 2>/dev/null
ok "the event on the way" grep -q '"name": "half", "when": "ball.z - 0.8", "t": 0.[23][0-9]*, "sign": -1' "$work/final.json"
ok "the one that ended it" grep -q '"name": "ground", "when": "ball.z", "t": 0.[45][0-9]*, "sign": 0}\]' "$work/final.json"
if ! "$tool" --version | grep -q 'HDF5 not' && command -v h5dump >/dev/null 2>&1; then
  "$tool" run "$work/drop.yaml" --out "$work/drop.h5" >/dev/null 2>&1
  ok "in HDF5" sh -c "h5dump -a /statistics '$work/drop.h5' 2>/dev/null | grep -q 'half' || h5dump -d /statistics '$work/drop.h5' | grep -q half"
fi

# messages with their place
sed 's/mass: 1/mas: 1/' "$work/drop.yaml" >"$work/bad.yaml"
refused 1 "bad.yaml:3:30: bodies.ball: unknown key 'mas'; did you mean 'mass'" run "$work/bad.yaml"
sed 's/h: 0.01/hh: 0.01/' "$work/drop.yaml" >"$work/bad.yaml"
refused 1 "bad.yaml:7:7: run: unknown option 'hh'; did you mean 'h'?" run "$work/bad.yaml"
refused 1 "bad.yaml:7:7: run: unknown option 'hh'; did you mean 'h'?" check "$work/bad.yaml"
refused 1 'cannot be read: No such file' run "$work/none.yaml"
refused 1 'is a directory' run "$work/"

# a run that fails on the way has written every row up to there
cat >"$work/fails.yaml" <<END
genalpha: 1
bodies: {b: {kind: point, mass: 1, position: [1, 0, 0], velocity: [-1, 0, 0]}}
forces: {f: {type: force, body: b, value: ["sqrt(0.5 - t)", 0, 0]}}
run: {h: 0.01, t_end: 1}
END
tool run "$work/fails.yaml" --out "$work/rows.csv"
ok "it fails" code_is 1
ok "rows up to there" [ "$(grep -c . "$work/rows.csv")" -ge 50 ]

# a drive comes to rest, no force acts: what is left decays far below any rounding
sed -e '/^gravity/d; /^forces/d; /^  load:/d' -e 's/position: "if.*"/position: "step(t, 0, 0, 1, 6)"/' \
  "$models/driven-crank.yaml" >"$work/rest.yaml"
for h in 1e-3 5e-4; do
  succeeds run "$work/rest.yaml" --h $h --redundant refuse --out "$work/rest.csv"
  ok "it stands where the drive left it" sh -c "tail -n 1 '$work/rest.csv' | grep -q '^2,6\(\.000000\|,\|\.0*,\)\|^2,5\.999999'"
done

# bodies at the origin, at rest or nearly: lengths inside the elements are rounded, not the coordinates
cat >"$work/hung.yaml" <<END
genalpha: 1
parameters: {k: 1e4, a: 0}
gravity: [0, 0, -9.81]
bodies:
  bob: {kind: point, mass: 1, position: [0, 0, -9.81/k], velocity: [a, 0, 0]}
forces:
  spr: {type: spring, between: [ground, bob], at: {ground: [0, 0, 1.3]}, stiffness: k, length: 1.3}
run: {h: 0.01, t_end: 1}
END
for k in 1e2 1e3 1e4 1e6 1e8 1e10; do
  succeeds run "$work/hung.yaml" --set k=$k
  succeeds run "$work/hung.yaml" --set k=$k --set a=0.3 --h 1e-3
  succeeds run "$work/hung.yaml" --set k=$k --rtol 1e-6
  ok "automatic steps do not resolve a vibration of rounding" out_has 'steps  *[0-9]\{1,3\} automatic'
done
cat >"$work/bob.yaml" <<END
genalpha: 1
parameters: {a: 0.001, l: 1.3713}
gravity: [0, 0, -9.81]
bodies:
  bob: {kind: point, mass: 1, position: [l*sin(a), 0, 2*l*sin(a/2)*sin(a/2)]}
joints:
  rod: {type: distance, between: [ground, bob], at: {ground: [0, 0, l]}, length: l}
  plane: {type: point_on_plane, between: [ground, bob], axis: [0, 1, 0]}
run: {h: 1e-3, t_end: 2}
END
for method in stab2 index3 soi2; do
  succeeds run "$work/bob.yaml" --method $method
  succeeds run "$work/bob.yaml" --method $method --set a=1e-6 --h 0.03
done

# b11 is held in its orientation and turns by nothing but remnants, which decay to the smallest numbers
cat >"$work/held.yaml" <<END
genalpha: 1
gravity: [0, 0, -9.81]
bodies:
  b0: {mass: 1.723, inertia: [0.142, 0.186, 0.180], position: [-0.786, -0.538, -1.301], orientation: {rotation_vector: [-0.443, 0.835, -0.502]}}
  b2: {mass: 0.604, inertia: [0.141, 0.151, 0.186], position: [-1.214, 1.531, 0.131], orientation: {rotation_vector: [-0.338, -0.753, 0.431]}}
  b4: {mass: 1.680, inertia: [0.119, 0.160, 0.156], position: [0.32, -1.979, -0.378], orientation: {rotation_vector: [0.054, -0.281, -0.466]}, formulation: se3}
  b5: {mass: 0.909, inertia: [0.101, 0.175, 0.135], position: [0.214, -1.482, 0.634], orientation: {rotation_vector: [-0.336, 0.818, 0.157]}}
  b7: {mass: 0.819, inertia: [0.184, 0.154, 0.180], position: [0.927, 1.839, 0.361], orientation: {rotation_vector: [-0.497, -0.698, -0.779]}}
  b11: {mass: 0.970, inertia: [0.117, 0.197, 0.121], position: [1.846, 0.312, 0.078], orientation: {rotation_vector: [-0.662, 0.929, -0.538]}, formulation: r3so3}
joints:
  j0: {type: orientation, between: [ground, b0], at: [-0.786, -0.538, -1.301]}
  j4: {type: orientation, between: [b0, b4], at: [0.598, -1.659, 0.107]}
  j5: {type: cylindrical, between: [ground, b5], at: [0.214, -1.482, 0.634], axis: [0.735, -0.94, -0.2]}
  j7: {type: revolute, between: [b2, b7], at: [0.712, 1.661, 0.195], axis: [0.515, 0.661, -0.933]}
  j11: {type: orientation, between: [ground, b11], at: [1.846, 0.312, 0.078]}
couplers:
  c0: {sum: {j7.angle: 1, j5.position: -2}}
forces:
  s1: {type: spring, between: [b2, b4], stiffness: 56.93, damping: 0.5, length: 1}
run: {h: 2e-3, t_end: 0.2}
END
succeeds run "$work/held.yaml" --redundant refuse --final

succeeds converge "$models/gyroscope.yaml" --h 1e-3 --t-end 0.1 --levels 3
ok "order 2" out_has ' 2\.[0-9]*'

succeeds schema
ok "schema knows the joints" out_has '"universal"'
ok "and the fields" out_has '"angular_velocity": {"description"'
if command -v python3 >/dev/null 2>&1; then
  ok "schema is JSON" python3 -c "import json; json.load(open('$work/out'))"
fi
# every function in laws: derivatives agree with difference quotients
cat >"$work/laws.yaml" <<END
genalpha: 1
bodies:
  a: {mass: 1, inertia: [1, 1, 1]}
  b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.37]}
joints:
  ga: {type: prismatic, between: [ground, a], axis: [0, 0, 1]}
  gb: {type: prismatic, between: [ground, b], axis: [0, 0, 1], at: [0, 0, 0]}
initial: {coordinates: {ga.position: 0}}
forces:
  f1: {type: spring, between: [a, b], law: "impact(0.3 - s, s_dot, 50, 1.5, 0.3, 0.05) + hypot(s, 3*s_dot) + mod(s, 0.2)"}
  f2: {type: spring, between: [a, b], law: "clamp(7*s, 0, 9)*sign(s_dot + 4) + floor(s + 1)*s^2"}
  f3: {type: spring, between: [a, b], law: "table(s, [0, 0.2, 0.5, 0.9], [0, 3, 1, 2]) + table(s, [0, 0.2, 0.5], [0, 3, 1], linear)"}
  f4: {type: spring, between: [a, b], law: "table(9*s, [0, 1, 1.5], [2, 5, 2], akima, periodic)*s_dot + table(s, [0, 0.3, 0.5], [1, 2, 3], hold)"}
END
succeeds check "$work/laws.yaml"
ok "derivatives of all functions" out_has 'Its derivatives agree with difference quotients'
# a mass falls on an elastic floor: k p^2/2 = m g (h + p)
cat >"$work/floor.yaml" <<END
genalpha: 1
gravity: [0, 0, -9.81]
bodies: {m: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.1]}}
joints: {g: {type: prismatic, between: [ground, m], axis: [0, 0, 1], at: {ground: [0, 0, 0], m: [0, 0, 0]}}}
forces: {floor: {type: torsion, coordinate: g.position, law: "impact(s, s_dot, 1e4, 1, 0, 0.01)"}}
run: {h: 2e-5, t_end: 0.17}
output: [m.z]
END
tool run "$work/floor.yaml" --out -
ok "deepest point" awk -F, 'NR > 1 && $2 < z { z = $2 } END { d = z + 0.0150224515; exit d > 1e-7 || d < -1e-7 }' "$work/out"

finish

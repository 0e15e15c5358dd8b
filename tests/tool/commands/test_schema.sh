# SPDX-License-Identifier: MIT
# The JSON Schema gives the verdict of the reader, on all models and on all malformed files of the tests.
. "$(dirname "$0")/lib.sh"
here=$(dirname "$0")
python3 -W ignore -c 'import jsonschema, yaml' 2>/dev/null || {
  echo "python3-jsonschema and python3-yaml are not installed: skipped"
  exit 77
}
"$tool" schema >"$work/schema.json"
mkdir "$work/good" "$work/bad"
cp "$here"/../../../models/*.yaml "$work/good"
cat >"$work/good/everything.yaml" <<END
genalpha: 1
name: 5
parameters: {a: 1, n: 3}
gravity: [0, 0, "-9.81*a"]
repeat:
  - index: i
    from: 1
    to: n
    bodies: {"b{i}": {mass: 1, inertia: [1, 1, 1], position: ["i", 0, 0]}}
    joints: {"j{i}": {type: revolute, between: [ground, "b{i}"], at: ["i", 0, 0], axis: [0, 0, 1], turns: {angle: 1}}}
    repeat:
      - {index: k, from: 1, to: 2, sensors: {"p{i}{k}": {type: point, body: "b{i}", at: [0, 0, "k"]}}}
initial: {assemble: true, fix: [b1], coordinates: {j2.angle: 0.1}, rates: {j2.angle: 1}}
drives: {d: {coordinate: j1.angle, position: 2*pi}}
events:
  up: {when: b1.z - 1, rising: true}
  down: {when: "b2.z < 0", falling: true, stop: "true"}
run: {h: 1e-3, t-end: 1, rtol: 1e-4, out_dt: 0.1, out: x.csv, view: true, newton_tol: 1e-8, system: whole}
output: [b1.x, j1.angle]
END
cat >"$work/good/plane.yaml" <<END
genalpha: 1
bodies:
  b: {kind: planar, mass: 1, inertia: 1, position: [0, 0], orientation: 30 deg, angular_velocity: 0}
  c: {shape: {rod: {length: 1, radius: 0.1}, density: 7800}, orientation: {axis: [0, 0, 1], angle: pi}, look: {colour: red}}
  d: {mass: 1, shape: {box: [1, 2, 3]}, orientation: {euler: {sequence: zxz, angles: [1, 2, 3]}}, look: {sphere: {radius: 1}, colour: "#00ff00"}}
  p: {kind: point, mass: 0.5, position: [9, 0, 0], look: {sphere: {radius: 0.1}}}
joints: {pin: {type: revolute, between: [ground, b], at: [0, 0]}}
forces: {f: {type: bushing, between: [c, d], stiffness: [1, 1, 1, 1, 1, 1], damping: [[1,0,0,0,0,0],[0,1,0,0,0,0],[0,0,1,0,0,0],[0,0,0,1,0,0],[0,0,0,0,1,0],[0,0,0,0,0,1]]}}
END
cat >"$work/good/names.yaml" <<END
genalpha: 1
parameters: {t: 0.01, e: 2, table: 3, s: 4}
bodies:
  table: {shape: {box: [table, e, t]}, mass: 1}
  s: {mass: e, inertia: [1, 1, 1], position: [s, 0, 0]}
  e: {mass: 1, inertia: [1, 1, 1], position: [0, 2*s, 0]}
joints:
  t: {type: prismatic, between: [ground, s], axis: [1, 0, 0], stiffness: 3, free: 0, damping: {position: 1}}
  u: {type: cylindrical, between: [ground, e], axis: [1, 0, 0], limits: {angle: {lower: -1, stiffness: 5}}}
forces:
  floor: {type: torsion, coordinate: t.position, law: "impact(-0.01, 0, 100, 1.5, 1, 0.1) - 3"}
limits: {stop: {coordinate: t.position, lower: -1, upper: 2, stiffness: 1e3, damping: 5}}
events: {mm: {when: "s.x - e.y + e*t"}}
output: [table.x, s.x, e.y, t.position]
END
for file in "$work"/good/*.yaml; do
  tool check "$file"
  ok "the reader accepts $file" code_is 0
done
ok "the malformed files" "$(dirname "$tool")/file_reader" "$work/bad"
ok "verdicts" python3 -W ignore "$here/schema_verdicts.py" "$tool" "$work/schema.json" "$work/good" "$work/bad"

# the keys of `run` are the options of `genalpha run`, but those that a model file cannot use
"$tool" run --help | sed -n 's/^  --\([a-z-]*\).*/\1/p' |
  grep -v -x -e help -e set -e size -e omega -e columns -e coordinates -e libraries | tr - _ | sort >"$work/options"
python3 -c "
import json
print('\n'.join(sorted(json.load(open('$work/schema.json'))['properties']['run']['properties'])))" >"$work/keys"
ok "keys of run" cmp "$work/options" "$work/keys"
finish

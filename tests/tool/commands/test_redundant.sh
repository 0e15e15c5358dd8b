# SPDX-License-Identifier: MIT
# Redundant constraints on the command line: what the summary says, what is refused; and what they
# cost, in instructions (without valgrind this part is left out).
. "$(dirname "$0")/lib.sh"
models=$(dirname "$0")/../../../models

succeeds run "$models/slider-crank-hinged.yaml" --t-end 0.02 --coordinates absolute
ok "how many rows" out_has 'redundant    3 of 20 constraint rows follow from others:'
ok "which" out_has "joint 'guide': 3 of its 5 rows follow from 'bearing', 'pin', 'wrist'"
ok "unique forces are not marked" sh -c "! grep -q 'not unique' '$work/out'"
succeeds run "$models/door.yaml" --t-end 0.02
ok "others are" out_has 'low.fz .*not unique, the least'
ok "motion is unique" sh -c "! grep 'low.angle ' '$work/out' | grep -q unique"
succeeds run "$models/four-bar.yaml" --t-end 0.02
ok "nothing to say" sh -c "! grep -q '^  redundant ' '$work/out'"
succeeds run "$models/bricard.yaml" --t-end 0.02 --final
ok "in the JSON" out_has '"dependent": 1'
refused 1 'depends on the others\|can be independent' run "$models/bricard.yaml" --redundant refuse
refused 2 'at most 18 can be independent (option redundant = allow' \
  run "$models/slider-crank-hinged.yaml" --redundant refuse --coordinates absolute
# in joint coordinates the rows of the joint that closes the loop are left, 5 for 3 freedoms
succeeds run "$models/slider-crank-hinged.yaml" --t-end 0.02 --coordinates joint
ok "how many rows of the loop" out_has 'redundant    3 of 5 constraint rows follow from others or from the joints of the tree:'
# a door on an arm: all forces of a hinge that repeats another one are shared; `auto` takes absolute
# coordinates, where the
# least are known; in those of joints they are right, but not the least
succeeds run "$models/slider-crank-hinged.yaml" --t-end 0.02
ok "a loop stays in joint coordinates" out_has 'coordinates  joint'
cat >"$work/door.yaml" <<'EOF'
genalpha: 1
gravity: [0, 0, -9.81]
bodies:
  arm1: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [-1.5, 0, 1]}
  arm2: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [-0.5, 0, 1]}
  door: {mass: 10, inertia: [0.5, 0.4, 0.6], position: [0.5, 0, 1]}
joints:
  base: {type: revolute, between: [ground, arm1], at: [-2, 0, 1], axis: [0, 0, 1]}
  elbow: {type: revolute, between: [arm1, arm2], at: [-1, 0, 1], axis: [0, 0, 1]}
  a: {type: revolute, between: [arm2, door], at: [0, 0, 0.3], axis: [0, 0, 1]}
  b: {type: revolute, between: [arm2, door], at: [0, 0, 1.7], axis: [0, 0, 1]}
run: {h: 0.01, t_end: 0.1}
output: [a.fz, b.fz]
EOF
succeeds run "$work/door.yaml"
ok "absolute, and why" out_has "coordinates  absolute (.*joint 'b' repeats what"
ok "half of the weight" out_has 'a.fz *49.05 N   not unique, the least'
ok "the other half" out_has 'b.fz *49.05 N   not unique, the least'
succeeds run "$work/door.yaml" --coordinates joint
ok "not the least, and not called so" sh -c "grep -q 'a.fz.*not unique$' '$work/out' && ! grep -q least '$work/out'"
ok "from what" out_has "joint 'b': 5 of its 5 rows follow; their gradients are zero"

# two hinges whose rates are both driven: a drive is left out, not a coordinate, which would drift
cat >"$work/driven.yaml" <<'EOF'
genalpha: 1
gravity: [0, 0, -9.81]
bodies: {door: {mass: 10, inertia: [0.5, 0.4, 0.6], position: [0.5, 0, 1]}}
joints:
  a: {type: revolute, between: [ground, door], at: [0, 0, 0.3], axis: [0, 0, 1]}
  b: {type: revolute, between: [ground, door], at: [0, 0, 1.7], axis: [0, 0, 1]}
drives: {d1: {coordinate: a.angle, rate: "0.3*t"}, d2: {coordinate: b.angle, rate: "0.3*t"}}
run: {h: 0.01, t_end: 1}
output: [a.angle, b.angle]
EOF
succeeds run "$work/driven.yaml"
ok "a drive is left out" out_has "drive 'd2' follows from"
ok "the angle is 0.15" out_has 'b.angle *0.1\(5\|499999\)'

# two drives of one hinge that do not agree
cat >"$work/drives.yaml" <<'END'
genalpha: 1
bodies: {door: {mass: 3, inertia: [1, 2, 3], position: [1, 0, 0]}}
joints:
  a: {type: revolute, between: [ground, door], at: [0, 0, 0], axis: [0, 0, 1]}
  b: {type: revolute, between: [ground, door], at: [0, 0, 1], axis: [0, 0, 1]}
drives:
  first: {coordinate: a.angle, position: "t^2"}
  second: {coordinate: b.angle, position: "1.01*t^2"}
END
tool run "$work/drives.yaml" --t-end 1
ok "refused" code_is 1
ok "as contradictory" err_has 'constraints contradict each other'

# valgrind must be there, and able to read the tool: not what clang or sanitizers make
valgrind -q --tool=none "$tool" --version >/dev/null 2>&1 || finish

# N four-bars in space with hinges, five rows in each; with lines of two rows in the place of every
# third hinge they move alike and nothing is redundant
bars() {
  cat <<END
genalpha: 1
coordinates: absolute
parameters: {N: 10}
gravity: [0, -9.81, 0]
repeat:
  - index: i
    from: 0
    to: N
    bodies: {"crank{i}": {mass: 1, inertia: [1e-3, 1/12, 1/12], position: [i, 1/2, 0],
             orientation: {axis: [0, 0, 1], angle: 90 deg}, velocity: [1/2, 0, 0], angular_velocity: [0, 0, -1]}}
    joints: {"A{i}": {type: revolute, between: [ground, "crank{i}"], at: [i, 0, 0], axis: [0, 0, 1]}}
  - index: i
    from: 1
    to: N
    bodies: {"coupler{i}": {mass: 1, inertia: [1e-3, 1/12, 1/12], position: [i - 1/2, 1, 0], velocity: [1, 0, 0]}}
    joints: {"B{i}": {type: revolute, between: ["crank{i-1}", "coupler{i}"], at: [i - 1, 1, 0], axis: [0, 0, 1]},
             "C{i}": {type: $1, between: ["coupler{i}", "crank{i}"], at: [i, 1, 0], axis: [0, 0, 1]}}
output: [crank0.wz, energy.total]
END
}
bars revolute >"$work/hinges.yaml"
bars point_on_line >"$work/lines.yaml"

# instructions FUNCTION ARGUMENT...: of this function and what it calls
instructions() {
  inside=$1
  shift
  valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect="$inside" \
    "$tool" "$@" 2>&1 >"$work/out" | sed -n 's/.*Collected : *//p'
}
# most PERCENT: the last two counts
most() { [ -n "$a" ] && [ -n "$b" ] && [ $((100 * a)) -le $(($1 * b)) ]; }

# the same sizes: 8 and 16 loops with hinges have 102 and 198 velocities, 125 and 245 rows, 9 and 18 with
# lines 114 and 222, 113 and 221; together, as one of two runs may keep its factors where the other does not
for method in stab2 index3; do
  a=0 b=0
  for N in 8 16; do
    count=$(instructions ga_integrator_run run "$work/hinges.yaml" --set N=$N --t-end 0.02 --method $method)
    ok "redundant: $method" out_has "$((3 * N)) of $((15 * N + 5)) constraint rows"
    a=$((a + count))
    count=$(instructions ga_integrator_run run "$work/lines.yaml" --set N=$((N + N / 8)) --t-end 0.02 --method $method)
    b=$((b + count))
  done
  echo "$method: redundant $a, regular $b instructions"
  ok "redundant steps cost at most 1.7 times as much as regular ones with $method: $a and $b" most 170
done

# four times as many rows, about four times the work
a=$(instructions ga_integrator_start run "$work/hinges.yaml" --t-end 1e-3 --set N=100)
ok "all are found" out_has '300 of 1505 constraint rows'
b=$(instructions ga_integrator_start run "$work/hinges.yaml" --t-end 1e-3 --set N=25)
ok "the analysis is linear: $a and $b" most 450
finish

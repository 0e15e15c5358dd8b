# SPDX-License-Identifier: MIT
# genalpha import, and robots where model files are taken.
. "$(dirname "$0")/lib.sh"
models=$(dirname "$0")/../../../models

if "$tool" --version | grep -q 'URDF not built in'; then
  refused 1 'install it (Debian: libexpat1-dev) and build again' import "$models/arm.urdf"
  refused 1 'libexpat, which this build of genalpha lacks' run "$models/arm.urdf"
  # meshes: from a model file in another directory they are found by their whole path
mkdir -p "$work/robot" "$work/model"
cat >"$work/robot/r.urdf" <<END
<robot name="r"><link name="base"/>
<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="a.stl" scale="1 1 2"/></geometry></visual></link>
<joint name="j" type="continuous"><parent link="base"/><child link="a"/></joint></robot>
END
"$tool" import "$work/robot/r.urdf" --out "$work/robot/r.yaml" 2>/dev/null
ok "a mesh beside the model" grep -q 'mesh: "a.stl", scale: \[1, 1, 2\]' "$work/robot/r.yaml"
"$tool" import "$work/robot/r.urdf" --out "$work/model/r.yaml" 2>/dev/null
ok "a mesh elsewhere" grep -q 'mesh: "/.*/robot/a.stl"' "$work/model/r.yaml"
finish
fi

# the model file to standard output, the report to standard error
tool import "$models/arm.urdf"
ok "exit 0" code_is 0
ok "counts" err_has '^arm.urdf: 6 bodies, 6 joints, 1 coupler; 1 fixed joint merged; 5 degrees of freedom$'
ok "base" err_has '^  base: base is the ground (--base floating lets it fly)$'
ok "limits" err_has '^  not used: 4 limits (--limits stop)$'
ok "merged" err_has '^  hand: part of wrist$'
ok "the report at the head" sh -c "head -n 1 '$work/out' | grep -q '^# arm.urdf: 6 bodies'"
ok "coupler" out_has '^  mimic_grip_right: {sum: {grip_right.position: 1, grip.position: -1}, equals: 0}$'
cp "$work/out" "$work/arm.yaml"
tool import "$models/arm.urdf" --out "$work/own.yaml"
ok "the same file" cmp -s "$work/arm.yaml" "$work/own.yaml"
ok "nothing on stdout" out_empty

# the run of the robot and that of its model file: the same bits
tool run "$models/arm.urdf" --t-end 0.05 --out - --every 10
ok "a line says that it was imported" err_has 'arm.urdf: 6 bodies, .* (genalpha import says more)$'
cp "$work/out" "$work/direct.csv"
tool run "$work/arm.yaml" --t-end 0.05 --out - --every 10
ok "nothing was imported" sh -c "! grep -q import '$work/err'"
ok "the same bits" cmp -s "$work/out" "$work/direct.csv"
ok "rows" [ "$(rows "$work/direct.csv")" -ge 5 ]

# every command that takes a model file takes a robot
for robot in arm quadruped; do
  for command in check "run --t-end 0.02" "equilibrium" "modes --at equilibrium" "run --columns"; do
    # word splitting is wanted
    # shellcheck disable=SC2086
    tool ${command%% *} "$models/$robot.urdf" $(echo "$command " | cut -d ' ' -f 2-)
    ok "$command $robot" code_is 0
  done
done
tool check "$models/quadruped.urdf"
ok "freedom" out_has 'It has 15 degrees of freedom: 105 velocities, 90 independent equations'
ok "nothing is wrong" out_has 'Nothing looks wrong'
tool sweep "$models/arm.urdf" --vary h=1e-3,2e-3 --t-end 0.02 --out "$work/sweep.csv"
ok "sweep" code_is 0
ok "told once" [ "$(grep -c 'arm.urdf: 6 bodies' "$work/err")" -eq 1 ]
ok "no messages in the table" sh -c "! grep -q 'import says' '$work/sweep.csv'"

# results have the model file in them, so that they can be shown
if ! "$tool" --version | grep -q 'HDF5 not'; then
  tool run "$models/arm.urdf" --t-end 0.02 --out "$work/run.h5"
  tool export "$work/run.h5" --model
  ok "the model file of the results" cmp -s "$work/out" "$work/arm.yaml"
fi

# options
tool import "$models/arm.urdf" --coordinate elbow=0.5 --rate elbow=-1 --gravity 0,0,0 --friction ignore
ok "start values" out_has 'elbow.angle: 0.5, roll.angle: 0'
ok "rates" out_has 'elbow.angle: -1, roll.angle: 0'
ok "gravity" out_has '^gravity: \[0, 0, 0\]$'
ok "no friction" err_has 'not used: 4 limits (--limits stop), 2 frictions$'
printf 'joint,value,rate\nelbow,0.5,-1\n' >"$work/start.csv"
cp "$work/out" "$work/by_options.yaml"
tool import "$models/arm.urdf" --start "$work/start.csv" --gravity 0,0,0 --friction ignore
ok "the same start from a file" cmp -s "$work/out" "$work/by_options.yaml"
tool import "$models/arm.urdf" --coordinate elbow=0.5 --rate shoulder=2 --out "$work/start.yaml"
succeeds run "$work/start.yaml" --t-end 0.001 --h 0.001 --final
ok "it starts there" sh -c "grep '\"elbow.angle\"' '$work/out' | grep -q '0\.[45]'"
tool import "$models/arm.urdf" --limits stop
ok "stops by their effort" out_has 'limits: {lower: -0.8, upper: 2.2, stiffness: 5000}}'
tool import "$models/arm.urdf" --limits stop=1e4
ok "stops as given" out_has 'limits: {lower: -0.8, upper: 2.2, stiffness: 10000}}'
tool import "$models/arm.urdf" --keep-fixed
ok "fixed joints stay" out_has 'flange: {type: fixed, between: \[wrist, hand\], at: {hand: \[0, 0, 0\]}}'
tool import "$models/quadruped.urdf" --base floating
ok "world never flies" err_has 'base: world is the ground, as a root of this name always is'

# the lines of the guide, as they stand there
guide=$(dirname "$0")/../../../docs/guide/robots.md
mkdir "$work/guide"
ln -s "$(cd "$models" && pwd)" "$work/guide/models"
awk '/^## Ten lines/ { on = 1 } /^## Motors/ { on = 0 } on && /^    / { print substr($0, 5) }' "$guide" \
  >"$work/guide/lines"
ok "ten lines" [ "$(grep -c . "$work/guide/lines")" -le 10 ]
full=$(cd "$(dirname "$tool")" && pwd)
mkdir -p "$work/js/three/examples/js/controls" "$work/js/dygraphs" # so that pages need no packages
for file in three/three.min.js three/examples/js/controls/OrbitControls.js dygraphs/dygraph.min.js \
  dygraphs/dygraph.min.css; do
  echo >"$work/js/$file"
done
ok "they run" sh -c "cd '$work/guide' && GENALPHA_JS='$work/js' PATH='$full':\$PATH sh -e lines >../out 2>../err"
ok "the arm is turned and held" sh -c "tail -n 1 '$work/guide/arm.csv' | awk -F, '{ exit !(\$2 > 1.57 && \$2 < 1.571 && \$3 > -0.05 && \$3 < 0.05) }'"
ok "a plot" [ -s "$work/guide/arm.svg" ]
ok "a page" [ -s "$work/guide/quadruped.html" ]

# wrong usage and wrong files
refused 2 'is missing' import
refused 2 "write JOINT=NUMBER" import "$models/arm.urdf" --coordinate elbow
refused 2 "write JOINT=NUMBER" import "$models/arm.urdf" --rate elbow=fast
refused 2 'write three numbers, x,y,z' import "$models/arm.urdf" --gravity 9.81
refused 2 'write ignore, stop or stop=NUMBER' import "$models/arm.urdf" --limits hard
refused 2 'write ignore, smooth or smooth=NUMBER' import "$models/arm.urdf" --friction smooth=0
refused 2 'allowed: fixed|floating' import "$models/arm.urdf" --base flying
refused 2 'write NAME=DIRECTORY' import "$models/arm.urdf" --package x
refused 2 'a FILE.yaml is wanted' import "$models/arm.urdf" --out robot.csv
refused 2 'cannot read' import "$models/arm.urdf" --start "$work/nothing.csv"
printf 'joint,value,rate\nelbow,1\n' >"$work/bad.csv"
refused 2 'bad.csv:2: a line is JOINT,VALUE,RATE' import "$models/arm.urdf" --start "$work/bad.csv"
refused 1 "there is no joint 'elbwo'; did you mean 'elbow'" import "$models/arm.urdf" --coordinate elbwo=1
refused 1 "joint 'grip_right' follows 'grip'" import "$models/arm.urdf" --coordinate grip_right=0.01
refused 1 'a mechanism has no use for this limit (--strict)' import "$models/arm.urdf" --strict
refused 1 'is a directory' import "$models"
refused 1 'No such file' run "$work/nothing.urdf"
refused 1 'cannot write' import "$models/quadruped.urdf" --out "$work/none/robot.yaml"
cp "$models/arm.urdf" "$work/robot.xml"
tool run "$work/robot.xml" --t-end 0.002
ok ".xml is read, too" code_is 0
ln -s robot.xml "$work/robot.yaml"
refused 2 'robot' import "$work/robot.xml" --out "$work/robot.yaml"
sed 's/xyz="0 1 0"/xyz="0 1"/' "$models/arm.urdf" >"$work/axis.urdf"
refused 1 'axis.urdf:[0-9]*:5: robot/joint\[shoulder\]/axis: xyz="0 1" has 2 numbers, 3 are expected' run "$work/axis.urdf"
truncate -s 100M "$work/large.urdf"
refused 1 'has 104857600 bytes, the file of a robot may have 50000000' import "$work/large.urdf"
{
  printf '<!DOCTYPE robot [<!ENTITY a "ha">'
  for i in 1 2 3 4 5 6 7 8 9; do printf '<!ENTITY a%s "&a;&a;&a;&a;&a;&a;&a;&a;">' $i; done
  printf ']>\n<robot name="&a9;"/>\n'
} >"$work/bomb.urdf"
refused 1 'entities (<!ENTITY ..>) are not allowed' import "$work/bomb.urdf"
# meshes: from a model file in another directory they are found by their whole path
mkdir -p "$work/robot" "$work/model"
cat >"$work/robot/r.urdf" <<END
<robot name="r"><link name="base"/>
<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="a.stl" scale="1 1 2"/></geometry></visual></link>
<joint name="j" type="continuous"><parent link="base"/><child link="a"/></joint></robot>
END
"$tool" import "$work/robot/r.urdf" --out "$work/robot/r.yaml" 2>/dev/null
ok "a mesh beside the model" grep -q 'mesh: "a.stl", scale: \[1, 1, 2\]' "$work/robot/r.yaml"
"$tool" import "$work/robot/r.urdf" --out "$work/model/r.yaml" 2>/dev/null
ok "a mesh elsewhere" grep -q 'mesh: "/.*/robot/a.stl"' "$work/model/r.yaml"
finish

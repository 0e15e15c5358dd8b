# SPDX-License-Identifier: MIT
# genalpha plot and converge --plot: pictures of tables; files and columns that are none.
. "$(dirname "$0")/lib.sh"
command -v gnuplot >/dev/null 2>&1 || { echo "skipped: no gnuplot" && exit 77; }

is_svg() { grep -q '</svg>' "$1"; }
is_png() { head -c 4 "$1" | grep -q PNG; }
# curves FILE: how many a picture has
curves() { grep -c 'id="gnuplot_plot_' "$1"; }

succeeds run heavy-top --t-end 0.05 --out "$work/top.csv"
succeeds plot "$work/top.csv"
ok "the picture beside the table" is_svg "$work/top.svg"
ok "all quantities" [ "$(curves "$work/top.svg")" -eq 24 ]
for label in 'position (m)' 'quaternion (1)' 'velocity (m/s)' 'angular velocity (rad/s)' \
  'acceleration (m/s²)' 'constraint force (N)' 'energy (J)' 't (s)'; do
  ok "plot: an axis '$label'" grep -q -F ">$label<" "$work/top.svg"
done
# run --plot in the same style: rotations and angular velocities, m and rad in panels of their own
succeeds run slider-crank --t-end 0.05 --plot "$work/crank.svg"
for label in 'position (m)' 'angle (rad)' 'velocity (m/s)' 'angular velocity (rad/s)' \
  'constraint force (N)' 't (s)'; do
  ok "run --plot: an axis '$label'" grep -q -F ">$label<" "$work/crank.svg"
done
width() { sed -n 's/.*<svg *width="\([0-9]*\)".*/\1/p; s/^ *width="\([0-9]*\)".*/\1/p' "$1" | head -n 1; }
ok "one width" [ "$(width "$work/crank.svg")" = "$(width "$work/top.svg")" ]
succeeds run jay-negrut-hht --t-end 0.05 --plot "$work/jay.svg"
ok "a problem without units has none" sh -c "! grep -q '(m)\|(s)' '$work/jay.svg'"
succeeds plot "$work/top.csv" x,y,z lam1 --out "$work/two.svg" --title 'x < y & z'
ok "the columns named" [ "$(curves "$work/two.svg")" -eq 4 ]
ok "the title" grep -q 'x &lt; y &amp; z' "$work/two.svg"
succeeds plot "$work/top.csv" y --x x --log none --out "$work/one.png"
ok "PNG" is_png "$work/one.png"
"$tool" run heavy-top --t-end 0.05 --out - 2>/dev/null | "$tool" plot - x --out "$work/pipe.svg" \
  >/dev/null
ok "from a pipe" is_svg "$work/pipe.svg"

succeeds converge heavy-top --h 2e-3 --levels 3 --plot "$work/errors.svg"
ok "errors and a guide" [ "$(curves "$work/errors.svg")" -eq 5 ]
ok "slope 2" grep -q 'slope 2' "$work/errors.svg"
ok "the step has a unit" grep -q -F '>h (s)<' "$work/errors.svg"
succeeds converge heavy-top --rtol 1e-2 --levels 2 --plot "$work/tolerances.svg"
ok "errors over rtol" grep -q -F '>rtol<' "$work/tolerances.svg"
ok "with no guide" sh -c "! grep -q 'slope 2' '$work/tolerances.svg'"

# of a model file the unit is known, whatever the name: a sensor's angle, a spring's rate, an effort
cat >"$work/units.yaml" <<END
genalpha: 1
bodies:
  arm: {kind: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}
joints:
  pin: {type: revolute, between: [ground, arm], at: [0, 0]}
drives:
  motor: {coordinate: pin.angle, position: "1e4*t^2"}
forces:
  spring: {type: spring, between: [ground, arm], at: {ground: [2, 0]}, stiffness: 1}
sensors:
  tilt: {type: angle, between: [ground, arm], directions: {ground: [1, 0], arm: [1, 0]}}
run: {t_end: 0.01}
output: [tilt, spring.rate, motor.effort]
END
succeeds run "$work/units.yaml" --plot "$work/units.svg"
for label in 'angle (rad)' 'velocity (m/s)' 'effort (N m)'; do
  ok "run --plot: an axis '$label'" grep -q -F ">$label<" "$work/units.svg"
done

# wrenches of beams
for case in 'flying-beam arm.s1.Mz moment (N m)' 'elastic-pendulum arm.s1.N force (N)'; do
  name=${case%% *} label=${case#* } column=${label%% *} label=${label#* }
  succeeds run "$(dirname "$0")/../../../models/$name.yaml" --t-end 0.1 --out "$work/beam.csv"
  succeeds plot "$work/beam.csv" "$column" --out "$work/beam.svg"
  ok "$column is a $label" grep -q -F "$label" "$work/beam.svg"
done

# numbers of a low panel do not touch: from 32 to 54 each fifth, where gnuplot takes each second
printf 't,a.fx,a.mx\n0,32.1,0\n1,53.9,1\n' >"$work/tics.csv"
succeeds plot "$work/tics.csv" a.fx a.mx
ok "marks each fifth" sh -c "grep -q '>35<' '$work/tics.svg' && ! grep -q '>34<' '$work/tics.svg'"
tool converge heavy-top --h 2e-3 --levels 3 --csv
cp "$work/out" "$work/study.csv"
succeeds plot "$work/study.csv"
ok "a study is known by its columns" grep -q 'slope 2' "$work/study.svg"

refused 1 'No such file' plot "$work/absent.csv"
refused 2 'is missing' plot
refused 2 "did you mean 'lam1'" plot "$work/top.csv" lam_1
refused 2 'unknown column' plot "$work/top.csv" x --x nothing-like-it
refused 2 '\.svg or \.png' plot "$work/top.csv" --out top.pdf
refused 2 'none|x|y|xy' plot "$work/top.csv" --log z
refused 2 '\.svg or \.png' converge heavy-top --plot top.pdf
refused 1 'cannot write' plot "$work/top.csv" --out "$work/absent/top.svg"
refused 1 'cannot write' converge heavy-top --plot "$work/absent/top.svg"
printf 't,x\n0,1\n1,one\n' >"$work/bad.csv"
refused 1 "line 3: 'one' in column 'x' is not a number" plot "$work/bad.csv"
printf 't,x\n0,1,2\n' >"$work/bad.csv"
refused 1 'line 2: more fields' plot "$work/bad.csv"
printf 't,x\n0\n' >"$work/bad.csv"
refused 1 'line 2: 1 fields' plot "$work/bad.csv"
: >"$work/bad.csv"
refused 1 'has no head line' plot "$work/bad.csv"
printf 't,x\n' >"$work/bad.csv"
refused 1 'has no rows' plot "$work/bad.csv"
printf '"a ""b"", c",x\n0,1\n2,\n' >"$work/quoted.csv"
succeeds plot "$work/quoted.csv" --x x 'x'
printf 't\n0\n' >"$work/bad.csv"
refused 2 'only one column' plot "$work/bad.csv"

# a disk that is full: an error, and no picture that is cut
printf 't,x\n' >"$work/many.csv"
awk 'BEGIN { for (i = 0; i < 3000; i++) print i "," sin(i) }' >>"$work/many.csv"
ln -s /dev/full "$work/full.svg"
refused 1 "cannot write '.*full.svg': No space left on device" plot "$work/many.csv" --out "$work/full.svg"
tool run heavy-top --t-end 0.1 --plot "$work/full.svg"
ok "run --plot fails, too" code_is 1
ok "with a message" err_has "cannot write '.*full.svg': No space left on device"
code=0
(ulimit -f 60; "$tool" plot "$work/many.csv" --out "$work/cut.svg" >"$work/out" 2>"$work/err") || code=$?
ok "a limit of the size: exit 1" code_is 1
ok "said" err_has 'cannot write'
ok "no cut picture" [ ! -e "$work/cut.svg" ]

# the same of pages, tables, matrices and model files that are written at once
models=$(dirname "$0")/../../../models
# cut FILE ARGUMENT...: less than 1 kB can be written (512 bytes each)
cut() {
  file=$1
  shift
  code=0
  (ulimit -f 1; "$tool" "$@" >"$work/out" 2>"$work/err") || code=$?
  if grep -q 'libjs-three\|without' "$work/err"; then return; fi
  ok "exit 1: $*" code_is 1
  ok "said: $*" err_has 'cannot write .*: File too large'
  ok "removed: $*" [ ! -s "$file" ]
}
cut "$work/cut.html" view "$models/pendulum.yaml" --out "$work/cut.html"
cut "$work/cut.html" run "$models/pendulum.yaml" --t-end 0.1 --out-page "$work/cut.html"
cut "$work/cut-modes.html" modes "$models/pendulum.yaml" --at equilibrium --out-page "$work/cut-modes.html"
cut "$work/cut.csv" modes "$models/chain.yaml" --at equilibrium --out "$work/cut.csv"
cut "$work/matrices/G.mtx" modes "$models/chain.yaml" --at equilibrium --matrices "$work/matrices"
cut "$work/cut.yaml" import "$models/quadruped.urdf" --out "$work/cut.yaml"
ln -s target.csv "$work/link.csv"
cut "$work/target.csv" modes "$models/chain.yaml" --at equilibrium --out "$work/link.csv"
ok "the link stays" [ -L "$work/link.csv" ]
if ! "$tool" --version | grep -q 'HDF5 not'; then
  succeeds run "$models/pendulum.yaml" --t-end 0.1 --out "$work/some.h5"
  cut "$work/cut.csv" export "$work/some.h5" "$work/cut.csv"
fi

finish

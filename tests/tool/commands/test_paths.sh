# SPDX-License-Identifier: MIT
# No command writes a file over one that it reads, or two outputs to one file, by whatever name.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1
mkdir sub
cat >kept.yaml <<END
genalpha: 1
gravity: [0, -9.81, 0]
bodies: {rod: {kind: planar, mass: 1, inertia: 0.1, position: [0, -0.5]}}
joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0]}}
forces: {spring: {type: torsion, coordinate: pin.angle, stiffness: 2}}
run: {h: 0.01, t_end: 0.02}
END
cp kept.yaml model.yaml
succeeds run model.yaml --save-state s.state
cp s.state kept.state
succeeds run model.yaml --out t.csv
cp t.csv kept.csv
gnuplot=$(command -v gnuplot || true)
"$tool" --version | grep -q 'HDF5 not' && hdf5= || hdf5=yes

# names FILE ENDING: the same file by other names; links end in .ENDING
names() {
  rm -f link hard link."$2" hard."$2"
  ln -s "$1" "link.$2"
  ln "$1" "hard.$2"
  echo "$1 ./$1 sub/../$1 $work/$1 link.$2 hard.$2"
}

# kept FILE COPY ARGUMENT...: refused, and the file is as it was
kept() {
  file=$1
  copy=$2
  shift 2
  refused 2 'is the same file as' "$@"
  ok "unchanged: $*" cmp -s "$file" "$copy"
}

# the model, by any name, is never written over
for name in $(names model.yaml state); do
  kept model.yaml kept.yaml run model.yaml --save-state "$name"
  kept model.yaml kept.yaml equilibrium model.yaml --save-state "$name"
  kept model.yaml kept.yaml modes model.yaml --at equilibrium --out "$name"
done
for name in $(names model.yaml csv); do
  case $name in *.yaml) continue ;; esac
  kept model.yaml kept.yaml run model.yaml --out "$name"
  kept model.yaml kept.yaml sweep model.yaml --vary h=0.01 --out "$name"
  kept model.yaml kept.yaml sweep model.yaml --vary h=0.01 --out new.csv --history "$name"
done
for name in $(names model.yaml html); do
  case $name in *.yaml) continue ;; esac
  kept model.yaml kept.yaml run model.yaml --out-page "$name"
  kept model.yaml kept.yaml view model.yaml --out "$name"
done
if [ "$gnuplot" ]; then
  for name in $(names model.yaml svg); do
    case $name in *.yaml) continue ;; esac
    kept model.yaml kept.yaml run model.yaml --plot "$name"
    kept model.yaml kept.yaml converge model.yaml --plot "$name"
  done
  for name in $(names t.csv svg); do
    case $name in *.csv) continue ;; esac
    kept t.csv kept.csv plot t.csv --out "$name"
  done
  # the default name is a link to the table
  ln -s table.csv table.svg
  cp t.csv table.csv
  kept table.csv t.csv plot table.csv
fi
# the default name of a page is a link to the model
ln -s model.yaml page.html
cp model.yaml page.yaml
ln -sf page.yaml page.html
kept page.yaml kept.yaml view page.yaml
kept page.yaml kept.yaml run page.yaml --view

# a state that a command begins at
for name in $(names s.state state); do
  kept s.state kept.state equilibrium model.yaml --at s.state --save-state "$name"
  kept s.state kept.state modes model.yaml --at s.state --out "$name"
done
mkdir mm
cp s.state mm/K.mtx
kept mm/K.mtx s.state modes model.yaml --at mm/K.mtx --matrices mm
cp s.state x.state.tmp
kept x.state.tmp s.state run model.yaml --from-state x.state.tmp --t-end 0.04 --save-state x.state

# but a run may go on in its own state file
cp s.state own.state
succeeds run model.yaml --t-end 0.03 --from-state own.state --save-state own.state
succeeds run model.yaml --t-end 0.04 --from-state own.state --save-state ./own.state
refused 1 'after the end of the run' run model.yaml --t-end 0.035 --from-state own.state
refused 2 'only one of them' run model.yaml --t-end 0.05 --from-state own.state --save-state own.state --out own.state

# the file of inputs
sed 's/^joints/inputs: {u: 0}\njoints/; s/stiffness: 2/&, law: u/' model.yaml >driven.yaml
printf 't,u\n0,1\n1,2\n' >u.csv
cp u.csv kept.u
for name in $(names u.csv csv); do
  kept u.csv kept.u run driven.yaml --input u.csv --save-state "$name"
  kept u.csv kept.u run driven.yaml --input "$name" --out u.csv
  kept u.csv kept.u sweep driven.yaml --vary h=0.01 --input u.csv --out "$name"
  kept u.csv kept.u sweep driven.yaml --vary h=0.01 --input "$name" --out new.csv --history u.csv
done
cp u.csv new.csv.part
kept new.csv.part u.csv sweep driven.yaml --vary h=0.01 --input new.csv.part --out new.csv
sed 's/t_end: 0.02/&, input: new.csv.part/' driven.yaml >named.yaml
refused 2 'the input of the model.*would be lost' sweep named.yaml --vary h=0.01 --out new.csv
ok "the input is whole" cmp -s new.csv.part u.csv
rm new.csv.part

# results
if [ "$hdf5" ]; then
  succeeds run model.yaml --out r.h5
  cp r.h5 kept.h5
  for name in $(names r.h5 csv); do
    kept r.h5 kept.h5 export r.h5 "$name"
    case $name in *.h5) continue ;; esac
    kept r.h5 kept.h5 run model.yaml --out r.h5 --save-state "$name"
  done
  for name in $(names r.h5 html); do
    case $name in *.h5) continue ;; esac
    kept r.h5 kept.h5 view r.h5 --out "$name"
  done
fi

# two outputs: neither exists yet, or by a link whose target does not exist
refused 2 'only one of them' run model.yaml --out new.csv --save-state new.csv
refused 2 'only one of them' run model.yaml --out new.csv --save-state sub/../new.csv
ln -s new.csv dangling
refused 2 'only one of them' run model.yaml --out new.csv --save-state dangling
refused 2 'only one of them' run model.yaml --out x.tmp.csv --save-state x.tmp.csv
refused 2 'only one of them' modes model.yaml --out dir/M.mtx --matrices dir
refused 2 'only one of them' sweep model.yaml --vary h=0.01 --out a.csv --history ./a.csv
refused 2 'only one of them' sweep model.yaml --vary h=0.01 --out a --history a.journal
refused 2 'only one of them' sweep model.yaml --vary h=0.01 --out a --history a.part
refused 2 'only one of them' sweep model.yaml --vary h=0.01 --out a.part --history a
# every pair of outputs of a run: the second by a link, whose ending its option needs, to the first
for pair in out:csv impacts:csv plot:svg out-page:html save-state:state; do
  for other in out:csv impacts:csv plot:svg out-page:html save-state:state; do
    [ "$pair" != "$other" ] || continue
    rm -f two.*
    ln -s "two.${pair#*:}" "two.link.${other#*:}"
    refused 2 'only one of them' run model.yaml "--${pair%:*}" "two.${pair#*:}" "--${other%:*}" "two.link.${other#*:}"
    ok "nothing was created" [ ! -e "two.${pair#*:}" ]
  done
done
ok "nothing was created" [ ! -e new.csv ] && [ ! -e dir ] && [ ! -e a.csv ]

# files that the model file names: tables, included files, assemblies
printf 'time,y\n0,0\n1,1\n' >road.csv
printf 'genalpha: 1\nbodies: {b: {kind: point, mass: 1}}\n' >included.yaml
cp included.yaml placed.yaml
cat >whole.yaml <<END
genalpha: 1
include: included.yaml
assemblies: {p: {file: ./placed.yaml}}
forces: {f: {type: force, body: b, value: ['table(t, "road.csv", "y")', 0, 0]}}
run: {t_end: 0.01}
END
for name in road.csv included.yaml placed.yaml; do
  cp "$name" kept
  refused 2 'of the model.*would be lost' run whole.yaml --save-state "$name"
  refused 2 'of the model.*would be lost' equilibrium whole.yaml --save-state "sub/../$name"
  ok "$name is whole" cmp -s "$name" kept
done
refused 2 'of the model.*would be lost' run whole.yaml --out road.csv
# its meshes, the pages that have a default name, the start values of a robot
printf 'solid a\nendsolid a\n' >mesh.stl
cp mesh.stl kept.stl
sed 's/position: /look: [{box: [1, 1, 1]}, {mesh: mesh.stl}], position: /' model.yaml >mesh.yaml
for name in $(names mesh.stl csv); do
  kept mesh.stl kept.stl run mesh.yaml --save-state "$name"
  kept mesh.stl kept.stl modes mesh.yaml --at equilibrium --out "$name"
done
ln -sf mesh.stl mesh.html
kept mesh.stl kept.stl view mesh.yaml
kept mesh.stl kept.stl run mesh.yaml --view
ln -s page.yaml page-modes.html
kept page.yaml kept.yaml modes page.yaml --at equilibrium --view
if ! "$tool" --version | grep -q 'URDF not'; then
  printf 'joint,value,rate\n' >start.csv
  cp start.csv kept
  ln -s start.csv start.yaml
  kept start.csv kept import "$(dirname "$0")/../../../models/arm.urdf" --start start.csv --out start.yaml
fi
refused 2 'of the model.*would be lost' sweep whole.yaml --vary h=0.01 --out road.csv

# what is no file may be named twice, and a problem of the library is no file
succeeds run model.yaml --out /dev/null --save-state s2.state
tool run model.yaml --out - --final
succeeds run heavy-top --t-end 0.01 --save-state heavy-top
ok "the state" [ -s heavy-top ]
# two inputs may be the same file
succeeds run model.yaml --t-end 0.04 --from-state s.state --save-state s3.state
finish

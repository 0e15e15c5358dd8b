# SPDX-License-Identifier: MIT
# Files of results: run --out FILE.h5, export, plot; killed runs, full disks, readers beside a run.
. "$(dirname "$0")/lib.sh"
models=$(dirname "$0")/../../../models
export LC_ALL=C

# without HDF5: what is missing, and how to get it
if "$tool" --version | grep -q 'HDF5 not built in'; then
  for word in 'built without HDF5' 'Debian: libhdf5-dev' 'ends in .csv'; do
    refused 1 "$word" run heavy-top --out "$work/run.h5"
    refused 1 "$word" export "$work/run.h5"
    refused 1 "$word" plot "$work/run.h5"
  done
  succeeds run heavy-top --t-end 0.01 --out "$work/run.csv"
  finish
fi

# same ARGUMENT...: the run as results and as CSV; exported, the first is the second, byte by byte
same() {
  tool run "$@" --out "$work/run.csv"
  ok "CSV: $*" code_is 0
  tool run "$@" --out "$work/run.h5"
  ok "results: $*" code_is 0
  ok "told: $*" out_has "trajectory.*run\.h5"
  succeeds export "$work/run.h5" "$work/exported.csv"
  ok "the same text: $*" cmp -s "$work/run.csv" "$work/exported.csv"
}

same heavy-top --t-end 0.1
same heavy-top --t-end 0.1 --every 7
same heavy-top --t-end 0.1 --out-dt 0.003
same heavy-top --t-end 0.1 --rtol 1e-5
same heavy-top --t-end 0.1 --project-at 0.05
same heavy-top --t-end 0.1 --extrapolate 1
same rolling-disk --t-end 0.2
same chain --size 30 --t-end 0.02
same "$models/governor.yaml" --t-end 0.2
same "$models/gear-train.yaml" --t-end 0.1
same "$models/rolling-disk.yaml" --t-end 0.1
same "$models/chain.yaml" --set N=300 --t-end 0.003
same "$models/slider-crank.yaml" --h 1e-4

# what else the file has
succeeds export "$work/run.h5" --model
ok "the text of the model" cmp -s "$work/out" "$models/slider-crank.yaml"
succeeds export "$work/run.h5" --all
ok "all usual columns" [ "$(head -n 1 "$work/out" | tr ',' '\n' | wc -l)" -eq 79 ]
"$tool" export "$work/run.h5" - | cmp -s - "$work/run.csv"
ok "to standard output" [ $? -eq 0 ]
{ echo '# Grüße <b>&amp; "🚗"' && cat "$models/pendulum.yaml"; } >"$work/ü.yaml"
tool run "$work/ü.yaml" --t-end 0.01 --out "$work/ü.h5"
succeeds export "$work/ü.h5" --model
ok "a text with other letters" cmp -s "$work/out" "$work/ü.yaml"
tool run heavy-top --t-end 0.01 --final --out "$work/final.hdf5"
ok "with --final" is_json_object "$work/out"
succeeds export "$work/final.hdf5"
ok "eleven rows" [ "$(rows "$work/out")" -eq 11 ]

# a run resumed goes on in a file of its own
same heavy-top --t-end 0.1 --save-state "$work/state"
same heavy-top --t-end 0.2 --from-state "$work/state"
same "$models/slider-crank.yaml" --h 1e-4

if command -v gnuplot >/dev/null 2>&1; then
  succeeds plot "$work/run.h5" slider.x,crank.y energy.total --out "$work/some.svg"
  ok "three curves" [ "$(grep -c 'id="gnuplot_plot_' "$work/some.svg")" -eq 3 ]
  succeeds plot "$work/run.h5" slider.x
  ok "the picture beside the file" grep -q '</svg>' "$work/run.svg"
  refused 2 "did you mean 'slider.x'" plot "$work/run.h5" slider.xx
fi

# files that are none
refused 1 'No such file' export "$work/absent.h5"
refused 1 'is not an HDF5 file' export "$work/run.csv"
refused 1 'No such file or directory' run heavy-top --out "$work/absent/run.h5"
refused 2 'is missing' export
refused 2 "unexpected argument 'c'" export a b c
refused 1 'cannot write' export "$work/run.h5" "$work/absent/run.csv"
head -c 3000 "$work/run.h5" >"$work/cut.h5"
refused 1 'cannot read' export "$work/cut.h5"

# Long runs: the beginning of what they must write. They flush once a second.
long='heavy-top --h 1e-6 --every 10'
# word splitting is wanted
# shellcheck disable=SC2086
"$tool" run $long --t-end 0.02 --out "$work/long.csv" >/dev/null
head -n 1990 "$work/long.csv" >"$work/begin.csv"
# begins FILE: as the long run does
begins() { head -n 1990 "$1" | cmp -s - "$work/begin.csv" && is_complete_csv "$1"; }

# wait_for N FILE: until a reader beside the run finds more than N rows; $seen: how many
wait_for() {
  seen=0
  for _ in $(seq 100); do
    if "$tool" export "$2" "$work/seen.csv" 2>"$work/err"; then seen=$(rows "$work/seen.csv"); fi
    [ "$seen" -gt "$1" ] && return
    sleep 0.1
  done
}

# a reader beside the run finds more and more; then the run is killed
# shellcheck disable=SC2086
"$tool" run $long --t-end 1000 --out "$work/long.h5" >/dev/null 2>&1 &
pid=$!
wait_for 1990 "$work/long.h5"
ok "beside the run" begins "$work/seen.csv"
ok "the reader is told" err_has 'goes on: these are its first'
before=$seen
wait_for "$before" "$work/long.h5"
ok "more rows after a while" [ "$seen" -gt "$before" ]
refused 1 'another program is writing' run heavy-top --out "$work/long.h5"
kill -9 "$pid"
wait "$pid" 2>/dev/null
cp "$work/long.h5" "$work/marked.h5"
tool export "$work/long.h5" "$work/killed.csv"
ok "killed: exit 0" code_is 0
ok "killed: told" err_has 'was killed: these are its first'
ok "killed: rows are kept" begins "$work/killed.csv"
ok "killed: all that a reader has seen" [ "$(rows "$work/killed.csv")" -ge "$seen" ]

# what other programs find: h5clear removes the mark, too; afterwards anybody reads the file
if command -v h5clear >/dev/null 2>&1; then
  ok "h5clear -s" h5clear -s "$work/marked.h5"
  tool export "$work/marked.h5" "$work/cleared.csv"
  ok "the same rows" cmp -s "$work/killed.csv" "$work/cleared.csv"
fi
python=/usr/bin/python3
if "$python" -c 'import h5py, numpy' 2>/dev/null; then
  "$python" - "$work" <<'PYTHON' >"$work/out" 2>"$work/err"
import csv, h5py, json, sys
work = sys.argv[1]
def table(name):
    rows = list(csv.reader(open(f"{work}/{name}")))
    return rows[0], [[float(x) for x in row] for row in rows[1:]]
for name, source in (("run", "run.csv"), ("long", "killed.csv")):
    head, rows = table(source)
    with h5py.File(f"{work}/{name}.h5") as f:
        assert f.attrs["format"].decode() == "genalpha results"
        names = f["names"].asstr()[:].tolist()
        assert names[:len(head)] == head and f["chosen"][()] == len(head)
        assert f["values"].shape == (len(names), len(rows)) and f["rows"][()] == len(rows)
        assert f["values"].chunks and f["values"].compression == "gzip"
        for j, column in enumerate(head):
            view = f["columns"][column]
            assert view[:].tolist() == [row[j] for row in rows], column
            assert (f["values"][j] == view[:]).all()
            assert view.attrs["units"].decode() == f["units"].asstr()[j]
        statistics = f["statistics"].asstr()[()]
        if name == "run":
            assert list(f["columns"]) == names
            units = dict(zip(names, f["units"].asstr()[:]))
            assert units["t"] == "s" and units["slider.x"] == "m" and units["crank.rate"] == "rad/s"
            assert units["bearing.fx"] == "N" and units["energy.total"] == "J"
            assert json.loads(statistics)["stats"]["steps"] == len(rows) - 1
            assert json.loads(f["options"].asstr()[()])["h"] == 1e-4
            assert "bodies" in f["model"].asstr()[()]
        else:
            assert statistics == ""
print("read")
PYTHON
  ok "h5py reads the same" out_has read
fi

if command -v octave-cli >/dev/null 2>&1; then
  cat >"$work/read.m" <<'OCTAVE'
s = load('-hdf5', [getenv('WORK') '/run.h5']);
c = csvread([getenv('WORK') '/run.csv'], 1, 0);
assert(isequal(s.values(:, 1:s.chosen), c));
assert(isequal(s.columns.slider_x(:), c(:, strcmp(cellstr(s.names)(1:s.chosen), 'slider.x'))));
assert(! isempty(strfind(s.model, 'bodies:')));
disp('read');
OCTAVE
  WORK=$work octave-cli --norc --no-history "$work/read.m" >"$work/out" 2>"$work/err"
  ok "Octave reads the same" out_has '^read'
fi

# A disk that is full: a limit of the size of files stands for it.
full() {
  code=0
  # word splitting is wanted
  # shellcheck disable=SC2086
  (ulimit -f "$1" && exec "$tool" run $long --t-end 1000 --out "$2") >"$work/out" 2>"$work/err" ||
    code=$?
}
full 2000 "$work/full.h5"
ok "full disk: exit 1" code_is 1
ok "full disk: told" err_has "full\.h5': .*; the file keeps the first [0-9]* rows"
ok "full disk: nothing else is said" [ "$(wc -l <"$work/err")" -eq 1 ]
kept=$(sed -n 's/.*the first \([0-9]*\) rows.*/\1/p' "$work/err")
tool export "$work/full.h5" "$work/full.csv"
ok "full disk: as many rows as told" [ "$(rows "$work/full.csv")" -eq "$kept" ]
ok "full disk: the right ones" begins "$work/full.csv"
full 8 "$work/tiny.h5"
ok "no room for the head: exit 1" code_is 1
ok "no room for the head: told" err_has "cannot write '.*tiny\.h5': File too large"

# a real one, where that is allowed
mkdir "$work/disk"
if mount -t tmpfs -o size=1m tmpfs "$work/disk" 2>/dev/null; then
  # shellcheck disable=SC2086
  tool run $long --t-end 1000 --out "$work/disk/run.h5"
  ok "tmpfs: exit 1" code_is 1
  ok "tmpfs: told" err_has 'No space left on device; the file keeps the first'
  kept=$(sed -n 's/.*the first \([0-9]*\) rows.*/\1/p' "$work/err")
  tool export "$work/disk/run.h5" "$work/full.csv"
  ok "tmpfs: rows are kept" [ "$(rows "$work/full.csv")" -eq "$kept" ]
  umount "$work/disk"
fi

# Ctrl-C ends it in good order
# shellcheck disable=SC2086
"$tool" run $long --t-end 1000 --out "$work/stop.h5" >/dev/null 2>&1 &
pid=$!
wait_for 1990 "$work/stop.h5"
kill -TERM "$pid"
wait "$pid" 2>/dev/null
succeeds export "$work/stop.h5" "$work/stop.csv"
ok "interrupted: rows" begins "$work/stop.csv"

finish

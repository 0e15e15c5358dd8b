#!/bin/sh
# SPDX-License-Identifier: MIT
# genalpha view and run --view: the page as a file; tests/browser looks at it in a browser.
. "$(dirname "$0")/lib.sh"
models=$(cd "$(dirname "$0")/../../../models" && pwd)
hostile=$(dirname "$0")/../../browser/model.yaml

# without the JavaScript packages: what is missing and how to get it, before anything is computed
GENALPHA_JS="$work/none"
export GENALPHA_JS
refused 1 "three.min.js' is missing; install the Debian packages libjs-three and libjs-dygraphs" \
  view "$models/pendulum.yaml" --out "$work/page.html"
refused 1 'or set GENALPHA_JS' run "$models/pendulum.yaml" --view --out-page "$work/page.html"
ok 'no page then' [ ! -e "$work/page.html" ]

# libraries of our own, so that the rest needs no packages
mkdir -p "$work/js/three/examples/js/controls" "$work/js/dygraphs"
echo 'var three = "</script><!--";' >"$work/js/three/three.min.js"
echo '//# sourceMappingURL=three.map' >>"$work/js/three/three.min.js"
echo 'var orbit;' >"$work/js/three/examples/js/controls/OrbitControls.js"
echo 'var dygraph;' >"$work/js/dygraphs/dygraph.min.js"
GENALPHA_JS="$work/js"
refused 1 "dygraph.min.css' is missing" view "$models/pendulum.yaml" --out "$work/page.html"
echo '.dygraph {}' >"$work/js/dygraphs/dygraph.min.css"

succeeds view "$hostile" --out "$work/page.html"
ok 'the page is named' out_has "page: $work/page.html"
count() { grep -c -e "$1" "$work/page.html" || true; }
ok 'seven scripts begin' [ "$(count '^<script')" -eq 7 ]
ok 'and as many end' [ "$(grep -o '</script>' "$work/page.html" | wc -l)" -eq 7 ]
ok 'the library is there, made harmless' [ "$(count 'var three = "<\\/script><\\!--"')" -eq 1 ]
ok 'no link to its source map' [ "$(count 'sourceMappingURL')" -eq 0 ]
ok "no address of another page" [ "$(grep -o "https\?://[a-z.0-9]*" "$work/page.html" | grep -cv www.w3.org)" -eq 0 ]
ok 'the title is escaped' [ "$(count '<title>&lt;/script&gt;')" -eq 1 ]
ok 'the notices are there' [ "$(count 'Permission is hereby granted')" -ge 1 ]
ok 'three.js is named' [ "$(count 'three.js authors')" -ge 1 ]

# run --view: default name, other files beside it
cd "$work" || exit 1
succeeds run "$models/pendulum.yaml" --view --t-end 0.1
ok 'the page has the name of the model' [ -s pendulum.html ]
ok 'the summary names it' out_has '  page  *pendulum.html'
succeeds run "$models/pendulum.yaml" --out-page other.html --t-end 0.1 --out other.csv
ok 'a name is enough' [ -s other.html ]
succeeds view "$models/pendulum.yaml" --set l=2
cd "$OLDPWD" || exit 1

refused 2 "'heavy-top' is a problem of the library" run heavy-top --view
refused 1 "cannot write '$work/no/page.html'" view "$models/pendulum.yaml" --out "$work/no/page.html"
refused 1 'unknown colour .reed.; did you mean .red.' view "$(
  printf 'genalpha: 1\nbodies: {a: {mass: 1, look: {colour: reed}}}\n' >"$work/c.yaml"
  echo "$work/c.yaml"
)"
refused 1 "bodies.a.look: unknown shape 'boxx'; did you mean 'box'" view "$(
  printf 'genalpha: 1\nbodies: {a: {mass: 1, look: {boxx: [1, 1, 1]}}}\n' >"$work/c.yaml"
  echo "$work/c.yaml"
)"
refused 1 'a look is a shape, a colour, or both' view "$(
  printf 'genalpha: 1\nbodies: {a: {mass: 1, look: red}}\n' >"$work/c.yaml"
  echo "$work/c.yaml"
)"
# what check says: warnings as messages, the rest as notes
printf 'genalpha: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {kind: planar, mass: 1e9, inertia: 1}}\n' >"$work/c.yaml"
"$tool" check "$work/c.yaml" >"$work/said" 2>&1 || true
tool view "$work/c.yaml" --out "$work/page.html"
ok 'notes of check' grep -q '"notes":\["' "$work/page.html"
warnings=$(grep -c WARNING "$work/said" || true)
ok 'this model is warned of' [ "$warnings" -gt 0 ]
ok 'its warnings are messages' grep -q '"messages":\["' "$work/page.html"

# a model that does not fit together is shown all the same, with the reason
sed 's/at: {rod: \[l2\/2, 0\], slider: \[0, 0\]}/at: {rod: [l2, 0], slider: [0, 0]}/' "$models/slider-crank.yaml" >"$work/open.yaml"
tool view "$work/open.yaml" --out "$work/open.html"
ok 'exit 1' code_is 1
ok 'the joint is named' err_has wrist
ok 'there is a page' out_has "page: $work/open.html (as described"
ok 'with the reason' grep -q '"messages":\[".*wrist' "$work/open.html"
printf 'genalpha: 1\nbodies: [\n' >"$work/c.yaml"
refused 1 'c.yaml:' view "$work/c.yaml" --out "$work/none.html"
ok 'no page of what cannot be read' [ ! -e "$work/none.html" ]

# meshes: those of the model that comes along; a file that is not there, and one that is damaged, are warnings
succeeds view "$models/fan.yaml" --out "$work/fan.html"
ok 'two meshes' grep -q '"meshes":\[\[[0-9]*,[0-9]*\],\[[0-9]*,[0-9]*\]\]' "$work/fan.html"
ok 'no warning' [ ! -s "$work/err" ]
cat >"$work/m.yaml" <<END
genalpha: 1
bodies:
  a: {mass: 1, inertia: [1, 1, 1], look: {mesh: none.stl}}
  b: {mass: 1, inertia: [1, 1, 1], look: [{mesh: cut.stl}, {mesh: other.stl, hide: true}]}
  c: {mass: 1, inertia: [1, 1, 1], look: {mesh: no2.stl}}
  d: {mass: 1, inertia: [1, 1, 1], look: {hide: true}}
END
printf 'solid\nfacet normal 0 0 1\n' >"$work/cut.stl"
tool view "$work/m.yaml" --out "$work/m.html"
ok 'a mesh that is not there' err_has "warning: mesh '$work/none.stl' of 'a' (and 1 more): no such file; a placeholder"
ok 'a mesh that is cut' err_has "mesh '$work/cut.stl' of 'b': it ends in line 3 without 'endsolid': it is cut"
ok 'nothing of the hidden one' [ "$(grep -c other.stl "$work/err")" = 0 ]
ok 'the page says so, too' grep -q '"messages":\[".*no such file; a placeholder is drawn' "$work/m.html"
ok 'a hidden body' grep -q '"name":"d".*"hide":true' "$work/m.html"

# modes that move
cd "$work" || exit 1
succeeds modes "$models/pendulum.yaml" --at equilibrium --view
ok 'its page' out_has 'page: pendulum-modes.html'
ok 'has the mode' grep -q '"modes":\[{"from":0,"to":2,"name":"1: 0.6[0-9]* Hz' pendulum-modes.html
tool modes "$models/pendulum.yaml" --at equilibrium --out-page m2.html --json
ok 'a name is enough' [ -s m2.html ]
cd "$OLDPWD" || exit 1

# events on the time line
tool run "$hostile" --stop-when 'ball.z < -0.1' --out-page "$work/e.html"
ok 'an event' grep -q '"marks":\[{"t":0.[0-9]*,"name":' "$work/e.html"

BROWSER=false
export BROWSER
tool view "$models/pendulum.yaml" --out "$work/page.html" --open
ok 'a browser that fails is told' err_has "cannot open '.*page.html' with 'false'; open it"
BROWSER=true
succeeds view "$models/pendulum.yaml" --out "$work/page.html" --open
if [ -w /dev/full ]; then
  refused 1 'cannot write ./dev/full.: No space left' view "$models/pendulum.yaml" --out /dev/full
fi
finish

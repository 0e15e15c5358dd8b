# SPDX-License-Identifier: MIT
# Functions of a shared object that a model file names: with derivatives and without, in an assembly, the
# same motion as an expression; what is refused.
. "$(dirname "$0")/lib.sh"

cat >"$work/drag.c" <<'END'
#include <genalpha/genalpha.h>
#include <math.h>
/* variables: t of the place, then ball.vx */
double drag(void *context, int n, const double *x) {
  return context || n != 2 ? NAN : sin(x[0]) - 0.2 * x[1] * fabs(x[1]);
}
int exact(void *context, const double *x, int along, double f[3]) {
  f[0] = drag(context, 2, x);
  f[1] = along == 0 ? cos(x[0]) : along == 1 ? -0.4 * fabs(x[1]) : 0;
  f[2] = along == 0 ? -sin(x[0]) : 0;
  return 0;
}
END
"$CC" -shared -fPIC -I"$include" "$work/drag.c" -o "$work/drag.so" -lm

# model NAME VALUE: a ball under this force
model() {
  cat >"$work/$1.yaml" <<END
genalpha: 1
bodies: {ball: {kind: point, mass: 0.5, velocity: [3, 0, 1]}}
functions:
  drag: {library: drag.so}
  given: {library: ./drag.so, symbol: exact, derivatives: true}
forces: {air: {type: force, body: ball, value: [$2, 0, 0]}}
run: {h: 1e-2, t_end: 1}
output: [ball.x, ball.vx]
END
}
model plain '"sin(t) - 0.2*ball.vx*abs(ball.vx)"'
model value '{function: drag, uses: [ball.vx]}'
model exact '{function: given, uses: [ball.vx]}'
printf 'genalpha: 1\nassemblies: {left: {file: value.yaml}, right: {file: exact.yaml, position: [0, 5, 0]}}\n' \
  >"$work/both.yaml"
refused 1 "value.yaml:4:.*drag.so' is a program.*--libraries" run "$work/value.yaml"
for name in plain value exact both; do
  succeeds run "$work/$name.yaml" --libraries --h 1e-2 --t-end 1 --final
  cp "$work/out" "$work/$name.json"
done
succeeds check "$work/exact.yaml" --libraries
ok "derivatives" out_has 'Nothing looks wrong'
refused 2 "a part of the model .*drag.so.*would be lost" run "$work/exact.yaml" --libraries --save-state "$work/drag.so"
if command -v python3 >/dev/null 2>&1; then
  ok "the same motion" python3 -c "
import json
ends = {n: json.load(open('$work/' + n + '.json'))['named'] for n in ('plain', 'value', 'exact', 'both')}
for column in ('ball.x', 'ball.vx'):
    x = ends['plain'][column]
    for other in (ends['value'][column], ends['exact'][column], ends['both']['left_' + column],
                  ends['both']['right_' + column]):
        assert abs(other - x) < 1e-11, (column, other, x)"
fi
sed 's/symbol: exact/symbol: exakt/' "$work/exact.yaml" >"$work/wrong.yaml"
refused 1 "functions.given: './drag.so' has no symbol 'exakt'" run "$work/wrong.yaml" --libraries
sed 's/function: drag/function: drug/' "$work/value.yaml" >"$work/wrong.yaml"
refused 1 "neither.* function 'drug'; did you mean 'drag'" run "$work/wrong.yaml" --libraries

finish

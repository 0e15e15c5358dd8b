# SPDX-License-Identifier: MIT
# Beams in motion against values of two other implementations, after extrapolation in h. Vibrations along
# an element must be resolved, w h < 1 with w = 2 sqrt(3)/h_e sqrt(EA/rhoA), where a load excites them.
. "$(dirname "$0")/lib.sh"
models=$(dirname "$0")/../../../models

cat >"$work/planar.yaml" <<END
genalpha: 1
parameters: {n: 8}
beams:
  arm:
    line: {from: [6, 0, 0], to: [0, 8, 0], elements: n}
    section: {EA: 1e4, GA: [1e4, 1e4], GJ: 500, EI: [500, 500], rhoA: 1, rhoI: [20, 10, 10]}
forces:
  push: {type: force, body: arm.start, value: ["4*(1 - cos(2*pi*t/5))", 0, 0]}
  turn: {type: torque, body: arm.start, value: [0, 0, "-40*(1 - cos(2*pi*t/5))"]}
run: {t_end: 5, h: 0.0125, rho: 0.8}
output: [arm.end.x, arm.end.y]
END

succeeds run "$work/planar.yaml" --extrapolate 3 --threads 1 --final
final_is arm.end.x 11.943920924
final_is arm.end.y 7.054499591
# the continuum, of which four digits are known: errors are of order 2 in the length of an element
for n in 16 32; do
  succeeds run "$work/planar.yaml" --set n=$n --extrapolate 2 --threads 1 --final
  eval "x$n=$(final_value arm.end.x) y$n=$(final_value arm.end.y)"
done
ok "end of infinitely many elements = (11.936, 7.067)" awk -v a="$x16" -v b="$x32" -v c="$y16" -v d="$y32" \
  'BEGIN { x = b + (b - a)/3 - 11.936; y = d + (d - c)/3 - 7.067; exit !(a*c != 0 && x*x < 3e-7 && y*y < 3e-7) }'
succeeds run "$models/flying-beam.yaml" --t-end 2.5 --h 0.003125 --extrapolate 3 --threads 1 --final
final_is arm.end.x 3.965035096
final_is arm.end.y 8.526695940
final_is arm.end.z -0.532402993
# Steps of 0.05, 0.025, 0.0125 s: errors of the end at t = 5, and at most 3.1 Newton iterations a step
succeeds run "$models/flying-beam.yaml" --h 0.003125 --extrapolate 3 --threads 1 --final
X=$(final_value arm.end.x) Y=$(final_value arm.end.y) Z=$(final_value arm.end.z)
for method in stab2 index3; do
  for case in 0.05:0.031 0.025:0.0078 0.0125:0.0018; do
    succeeds run "$models/flying-beam.yaml" --method $method --h "${case%:*}" --final
    ok "$method: error ${case#*:} of steps of ${case%:*} s" awk -v x="$(final_value arm.end.x)" -v X="$X" -v y="$(final_value arm.end.y)" \
      -v Y="$Y" -v z="$(final_value arm.end.z)" -v Z="$Z" -v e="${case#*:}" 'function abs(a) { return a < 0 ? -a : a }
        BEGIN { d = abs(x - X); if (abs(y - Y) > d) d = abs(y - Y); if (abs(z - Z) > d) d = abs(z - Z)
                exit !(x != "" && X != "" && abs(d - e) < 0.02*e) }'
    ok "at most 3.1 iterations a step" awk -v k="$(final_value newton_its)" -v n="$(final_value steps)" 'BEGIN { exit !(n >= 100 && k <= 3.1*n) }'
  done
done
succeeds run "$models/elastic-pendulum.yaml" --t-end 0.4 --h 0.00025 --extrapolate 3 --threads 1 --final
final_is arm.end.x 0.476418413
final_is arm.end.y -0.841780745
succeeds run "$models/spin-up.yaml" --t-end 7.5 --h 0.015 --extrapolate 3 --threads 1 --final
final_is tip.x 9.982265417
final_is tip.y -0.559190968

finish

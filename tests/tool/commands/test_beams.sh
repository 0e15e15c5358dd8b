# SPDX-License-Identifier: MIT
# Beams in motion against values of two other implementations, after extrapolation in h. Vibrations along
# an element must be resolved, w h < 1 with w = 2 sqrt(3)/h_e sqrt(EA/rhoA), where a load excites them.
. "$(dirname "$0")/lib.sh"
models=$(dirname "$0")/../../../models

cat >"$work/planar.yaml" <<END
genalpha: 1
beams:
  arm:
    line: {from: [6, 0, 0], to: [0, 8, 0], elements: 8}
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
succeeds run "$models/flying-beam.yaml" --t-end 2.5 --h 0.003125 --extrapolate 3 --threads 1 --final
final_is arm.end.x 3.965035096
final_is arm.end.y 8.526695940
final_is arm.end.z -0.532402993
succeeds run "$models/elastic-pendulum.yaml" --t-end 0.4 --h 0.00025 --extrapolate 3 --threads 1 --final
final_is arm.end.x 0.476418413
final_is arm.end.y -0.841780745
succeeds run "$models/spin-up.yaml" --t-end 7.5 --h 0.015 --extrapolate 3 --threads 1 --final
final_is tip.x 9.982265417
final_is tip.y -0.559190968

finish

# SPDX-License-Identifier: MIT
# Beams joined to each other and to bodies, in motion, against values of two other implementations, after
# extrapolation in h.
. "$(dirname "$0")/lib.sh"
models=$(dirname "$0")/../../../models

succeeds run "$models/right-angle.yaml" --h 0.001 --extrapolate 3 --threads 1 --final
final_is one.end.x 9.133373198
final_is one.end.y -0.756739538
final_is one.end.z 3.116206325
final_is two.end.x 9.476794151
final_is two.end.y 8.960704579
final_is two.end.z 5.435069793

# The rigid start of the rod excites waves along it, w = 2.3e5/s. After T = 0.021 s their phase is wrong by w^3 h^2 T/12,
# 400 rad at T/1000 and 0.2 rad at T/40000: with longer steps the error is no series of h^2, and extrapolation
# makes it larger (3e-7 from T/1000). Deflection of the middle from the chord, to the left, over 0.3 m, to 1e-7 of itself:
sed 's/^output:.*/output: [rod.start.x, rod.start.y, rod.n2.x, rod.n2.y, rod.end.x, rod.end.y]/' \
  "$models/flexible-slider-crank.yaml" >"$work/crank.yaml"
h=$(awk 'BEGIN { printf "%.17g", atan2(0, -1)/150/40000 }')
succeeds run "$work/crank.yaml" --h "$h" --extrapolate 2 --threads 1 --final
ok "deflection over length = 0.0030335753" awk -v sx="$(final_value rod.start.x)" -v sy="$(final_value rod.start.y)" \
  -v mx="$(final_value rod.n2.x)" -v my="$(final_value rod.n2.y)" -v ex="$(final_value rod.end.x)" -v ey="$(final_value rod.end.y)" \
  'BEGIN { x = ex - sx; y = ey - sy; d = (x*(my - sy) - y*(mx - sx))/sqrt(x*x + y*y)/0.3 - 0.0030335753
           printf "deflection of the rod: %.1e from the reference\n", d; exit !(sx != "" && d < 3e-10 && d > -3e-10) }'

finish

# SPDX-License-Identifier: MIT
# A model in a shared object, built against the installed headers: run, converge, and what is refused.
. "$(dirname "$0")/lib.sh"

share=$tree/share/genalpha/examples/model
does cmake -S "$share" -B "$work/build" -DCMAKE_PREFIX_PATH="$tree" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
does cmake --build "$work/build"
object=$work/build/double_pendulum.so

succeeds run "$object" --out "$work/run.csv"
ok "summary" out_has 'double pendulum: two points on rods'
ok "sizes" out_has 'q 4, v 4, lam 2'
ok "rows to the end" sh -c "tail -n 1 '$work/run.csv' | grep -q '^2,'"
succeeds run "$object" --t-end 0.5 --extrapolate 2 --final
ok "extrapolated" out_has '"order"\|"extrapol'
succeeds converge "$object" --t-end 0.5 --h 1e-2 --levels 5
ok "slopes of 2" out_has '2\.0\|1\.9'
(cd "$work/build" && "$tool" run double_pendulum.so --t-end 0.01 >"$work/out" 2>&1)
ok "a name without slash is a file here" out_has 'double pendulum'

refused 1 'none.so' run "$work/none.so"
refused 2 '--set is for model files' run "$object" --set m=2

# objects that are none of ours
compile() { "$CC" -shared -fPIC -I"$include" "$work/$1.c" -o "$work/$1.so"; }
echo 'int nothing;' >"$work/bare.c"
compile bare
refused 1 'exports no problem.*GA_PROBLEM_MODULE' run "$work/bare.so"
cat >"$work/old.c" <<END
#include <genalpha/genalpha.h>
#undef GA_VERSION
#define GA_VERSION "0.0.9"
GA_PROBLEM_MODULE(NULL, NULL)
END
compile old
refused 1 'compiled for genalpha 0.0.9' run "$work/old.so"
cat >"$work/fails.c" <<END
#include <genalpha/genalpha.h>
#include <stdio.h>
static ga_status make(const ga_problem_options *o, ga_problem **out, ga_error *err) {
  (void)out;
  snprintf(err->text, sizeof err->text, "size %d is odd", o->size);
  return o->size % 2 ? GA_ERR_ARG : GA_OK;
}
GA_PROBLEM_MODULE(make, NULL)
END
compile fails
refused 1 'fails.so: size 3 is odd' run "$work/fails.so" --size 3
refused 1 'it made no problem' run "$work/fails.so" --size 2

finish

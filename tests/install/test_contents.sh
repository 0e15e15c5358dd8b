# SPDX-License-Identifier: MIT
# What is installed: files, soname, exported symbols, no trace of the build.
. "$(dirname "$0")/lib.sh"

for file in "$LIBDIR/libgenalpha.a" "$LIBDIR/libgenalpha.so" "$LIBDIR/pkgconfig/genalpha.pc" \
  "$LIBDIR/cmake/genalpha/genalphaConfig.cmake" \
  "$LIBDIR/cmake/genalpha/genalphaConfigVersion.cmake" "$tree/share/man/man1/genalpha.1" \
  "$tree/share/bash-completion/completions/genalpha" "$tree/share/genalpha/models/pendulum.yaml" \
  "$tree/share/genalpha/models/arm.urdf" \
  "$tree/share/genalpha/examples/pendulum.c" "$tree/share/doc/genalpha/docs/reference/notation.md"; do
  ok "$file is there" [ -s "$file" ]
done
succeeds --version
version=$(sed -n 's/^genalpha //p' "$work/out")

does readelf -d "$LIBDIR/libgenalpha.so"
ok "soname" out_has "SONAME.*\[libgenalpha\.so\.${version%%.*}\]"
ok "no search path" sh -c "! grep -q 'R.*PATH' '$work/out'"

does nm -D --defined-only "$LIBDIR/libgenalpha.so"
ok "ga_integrator_new is exported" out_has ' T ga_integrator_new$'
sed 's/.* //' "$work/out" | sort >"$work/exported"
grep -v '^ga_' "$work/exported" >"$work/out"
ok "only ga_ symbols are exported" out_empty

# the declarations marked GA_API, one per line, from the mark on
echo '#include <genalpha/genalpha.h>' >"$work/all.c"
"$CC" -E -P -I"$include" "$work/all.c" | tr '\n' ' ' | tr ';' '\n' |
  sed -n 's/.*visibility("default")))//p' >"$work/api"
grep -o 'ga_[a-z0-9_]*' "$work/api" | sort -u >"$work/names"
comm -23 "$work/exported" "$work/names" >"$work/out"
ok "every exported symbol is declared" out_empty
sed -n 's/^[^(]*\(ga_[a-z0-9_]*\)(.*/\1/p' "$work/api" | sort >"$work/functions"
ok "functions are declared" [ -s "$work/functions" ]
comm -13 "$work/exported" "$work/functions" >"$work/out"
ok "every declared function is exported" out_empty

# the tree may be moved: it was, from beside its present place
grep -r -F -e "$(dirname "$tree")" "$LIBDIR/cmake" "$LIBDIR/pkgconfig" >"$work/out"
ok "no path of the build is left" out_empty

finish

# SPDX-License-Identifier: MIT
# A program outside that uses pkg-config only, shared and static.
. "$(dirname "$0")/lib.sh"

flags() { "$PKG_CONFIG" "$@" genalpha; }

does flags --validate
version=$(flags --modversion)
define=-DPACKAGE_VERSION="\"$version\""

# word splitting of the flags is wanted below
# shellcheck disable=SC2046,SC2086
does "$CC" $CFLAGS "$define" "$outside" $(flags --cflags --libs) -o "$work/shared"
does env LD_LIBRARY_PATH="$LIBDIR" "$work/shared"
ok "shared: result" out_has '|x|^2 = 1.000000'
does readelf -d "$work/shared"
ok "linked by soname" out_has "NEEDED.*\[libgenalpha\.so\.${version%%.*}\]"
ok "not linked with what the library needs" \
  sh -c "! grep -q 'NEEDED.*\(lapack\|blas\|klu\)' '$work/out'"

# the linker prefers the shared library, so let it see the static one alone
mkdir "$work/lib"
cp "$LIBDIR/libgenalpha.a" "$work/lib"
# shellcheck disable=SC2046,SC2086
does "$CC" $CFLAGS "$define" "$outside" $(flags --cflags) -L"$work/lib" \
  $(flags --static --libs-only-l) -o "$work/static"
does "$work/static"
ok "static: result" out_has '|x|^2 = 1.000000'
does readelf -d "$work/static"
ok "static: no shared library of ours" sh -c "! grep -q 'NEEDED.*genalpha' '$work/out'"

finish

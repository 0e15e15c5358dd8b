# SPDX-License-Identifier: MIT
# The library of results: found by pkg-config, shared and static; libgenalpha does not need HDF5.
. "$(dirname "$0")/lib.sh"

flags() { "$PKG_CONFIG" "$@" genalpha-results; }
if "$tool" --version | grep -q 'HDF5 not built in'; then
  expected='built without HDF5'
else
  expected='10 rows of 2 columns, the last x = 0.81 m'
fi

does flags --validate
does readelf -d "$LIBDIR/libgenalpha.so"
ok "libgenalpha is free of HDF5" sh -c "! grep -q hdf5 '$work/out'"
does nm -D --defined-only "$LIBDIR/libgenalpha_results.so"
ok "ga_results_open is exported" out_has ' T ga_results_open$'
sed 's/.* //' "$work/out" | grep -v '^ga_results_' >"$work/others"
ok "nothing else is exported" [ ! -s "$work/others" ]

# word splitting of the flags is wanted below
# shellcheck disable=SC2046,SC2086
does "$CC" $CFLAGS "$here/results.c" $(flags --cflags --libs) -o "$work/shared"
does env LD_LIBRARY_PATH="$LIBDIR" "$work/shared" "$work/a.h5"
ok "shared: result" out_has "$expected"
does readelf -d "$work/shared"
ok "not linked with HDF5 itself" sh -c "! grep -q 'NEEDED.*hdf5' '$work/out'"

mkdir "$work/lib"
cp "$LIBDIR/libgenalpha.a" "$LIBDIR/libgenalpha_results.a" "$work/lib"
# shellcheck disable=SC2046,SC2086
does "$CC" $CFLAGS "$here/results.c" $(flags --cflags) -L"$work/lib" \
  $(flags --static --libs-only-L --libs-only-l) -o "$work/static"
does "$work/static" "$work/b.h5"
ok "static: result" out_has "$expected"

finish

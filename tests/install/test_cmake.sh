# SPDX-License-Identifier: MIT
# A project outside that uses find_package(genalpha) only, shared and static.
. "$(dirname "$0")/lib.sh"

does cmake -S "$here/find_package" -B "$work/build" -DCMAKE_PREFIX_PATH="$tree" \
  -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
does grep "^genalpha_DIR:PATH=$LIBDIR/cmake/genalpha\$" "$work/build/CMakeCache.txt"
does cmake --build "$work/build"
for library in genalpha genalpha_static; do
  does "$work/build/uses_$library"
  ok "$library: result" out_has '|x|^2 = 1.000000'
done
for library in results results_static; do
  does "$work/build/uses_$library" "$work/$library.h5"
  ok "$library: result" out_has '10 rows of 2 columns\|built without HDF5'
done

finish

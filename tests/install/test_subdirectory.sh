# SPDX-License-Identifier: MIT
# genalpha inside another project, by FetchContent: its libraries, no tests, nothing installed.
. "$(dirname "$0")/lib.sh"

does cmake -S "$here/subdirectory" -B "$work/build" -DGENALPHA_SOURCES="$(cd "$here/../.." && pwd)" \
  -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DGA_MUMPS=OFF -DCMAKE_DISABLE_FIND_PACKAGE_cmocka=ON
does cmake --build "$work/build" -j2
does "$work/build/uses_sources"
ok "result" out_has '|x|^2 = 1.000000'
does cmake --install "$work/build" --prefix "$work/tree"
ok "nothing of genalpha is installed" sh -c "! find '$work/tree' -name '*genalpha*' 2>/dev/null | grep -q ."
ok "no tests of genalpha" sh -c "! find '$work/build' -name 'test_*' -perm -100 -type f | grep -q ."
ok "no flags of the outer project are changed" \
  sh -c "! grep -q 'RELWITHDEBINFO:STRING=-O3 -g -DNDEBUG' '$work/build/CMakeCache.txt'"

finish

# SPDX-License-Identifier: MIT
# Helpers of the tests of an installed tree, sourced by each script: sh test_x.sh TREE/bin/genalpha.
# CC, CXX, CFLAGS, PKG_CONFIG and LIBDIR, the tree's directory of libraries, come from CMake. CFLAGS
# are the library's own, so that programs outside fit to it in a sanitizer build, too.
here=$(dirname "$0")
. "$here/../tool/commands/lib.sh"

tree=$(dirname "$(dirname "$tool")")
include=$tree/include
outside=$here/find_package/main.c
: "${CC:?}" "${CFLAGS=}" "${LIBDIR:?}" "${PKG_CONFIG:?}"
export PKG_CONFIG_LIBDIR="$LIBDIR/pkgconfig"
unset PKG_CONFIG_PATH

# does COMMAND...: it must succeed; output in $work/out and $work/err
does() {
  code=0
  "$@" >"$work/out" 2>"$work/err" || code=$?
  ok "exit 0, not $code: $*" code_is 0
}

# leave the test as skipped
skip() {
  echo "skipped: $*"
  exit 77
}

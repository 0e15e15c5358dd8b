# SPDX-License-Identifier: MIT
# A C++ program with the public header. Skipped without a C++ compiler.
. "$(dirname "$0")/lib.sh"
[ -n "${CXX-}" ] || skip "no C++ compiler"

# word splitting is wanted
# shellcheck disable=SC2046,SC2086
does "$CXX" $CFLAGS -std=c++11 -Wall -Wextra -pedantic -Werror "$here/main.cpp" \
  $("$PKG_CONFIG" --cflags --libs genalpha) -o "$work/program"
does env LD_LIBRARY_PATH="$LIBDIR" "$work/program"

finish

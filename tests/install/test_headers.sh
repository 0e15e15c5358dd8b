# SPDX-License-Identifier: MIT
# Each installed header compiles alone and includes headers of C and of its own only.
. "$(dirname "$0")/lib.sh"

ok "headers are installed" [ -f "$include/genalpha/genalpha.h" ]
for header in "$include"/genalpha/*.h; do
  name=${header##*/}
  # twice, for the include guard
  printf '#include <genalpha/%s>\n' "$name" "$name" >"$work/alone.c"
  # word splitting is wanted
  # shellcheck disable=SC2086
  does "$CC" $CFLAGS -std=c11 -Wall -Wextra -pedantic -Werror -I"$include" -fsyntax-only \
    "$work/alone.c"
  # what is neither a header of C nor one of ours
  sed -n 's/^ *# *include *//p' "$header" |
    grep -v -x -e '<genalpha/[a-z_]*\.h>' \
      -e '<\(std[a-z]*\|limits\|float\|math\|inttypes\|string\|complex\)\.h>' >"$work/out"
  ok "$name includes C and genalpha only" out_empty
done

finish

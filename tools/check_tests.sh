#!/bin/sh
# SPDX-License-Identifier: MIT
# Sources and tests belong together, by their paths or by docs/internals/tests.md:
# - every source DIR/FILE.c below src/ has a test DIR/test_FILE.c below tests/, or a line in the page that
#   names its tests;
# - every test DIR/test_FILE.c outside tests/properties has a source DIR/FILE.c, below src/ or at the top, or
#   is named in the page;
# - every source and test that the page names exists;
# - a header in tests/support has two users or more;
# - tests that the Makefile and tests/tests.cmake name exist.
set -eu
cd "$(dirname "$0")/.."
page=docs/internals/tests.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

wrong() { echo "check_tests: $*" >>"$work/wrong"; }
: >"$work/wrong"

# what the page names: `src/..`, `tests/..`, and so on
grep -o '`[a-z0-9_/]*\.\(c\|h\|sh\|py\|cmake\)`' "$page" | tr -d '`' | sort -u >"$work/named"
while read -r name; do
  [ -f "$name" ] || wrong "$page names $name, which does not exist"
done <"$work/named"

# lines of the table: | `src/..` | `tests/..`, `tests/..` | .. |
sed -n 's/^| `\(src\/[^`]*\)` | `tests\/.*/\1/p' "$page" | sort >"$work/lines"
uniq -d "$work/lines" | while read -r name; do wrong "$page has two lines for $name"; done

sources=0
for source in $(find src -name '*.c' | sort); do
  sources=$((sources + 1))
  path=${source#src/}
  [ -f "tests/$(dirname "$path")/test_$(basename "$path")" ] ||
    grep -q -x "$source" "$work/lines" ||
    wrong "$source has no test at its path and no line in $page"
done

tests=0
for test in $(find tests -name 'test_*.c' | sort); do
  tests=$((tests + 1))
  path=${test#tests/}
  file=$(dirname "$path")/$(basename "$path" | sed 's/^test_//')
  case $path in
    properties/*) continue ;;
  esac
  [ -f "src/$file" ] || [ -f "$file" ] || grep -q -x "$test" "$work/named" ||
    wrong "$test has no source at its path and is not named in $page"
done

# users FILE: sources that include it, those that a header in between includes count
users() {
  grep -rl "^#include \"$(basename "$1")\"" tests bench | while read -r user; do
    case $user in
      tests/support/*.h) users "$user" ;;
      *) echo "$user" ;;
    esac
  done | sort -u
}
for header in tests/support/*.h; do
  count=$(users "$header" | wc -l)
  [ "$count" -ge 2 ] || wrong "$header has $count user(s): it belongs into or beside that test"
done

# names of tests, as ctest has them: tests/run/test_events.c is run_events
{
  find tests -name 'test_*.c' -o -name 'test_*.sh' | sed -e 's/^tests\///' -e 's/\.[a-z]*$//' \
    -e 's/\//_/g' -e 's/_test_/_/' -e 's/^tool_commands_/tool_/'
  find examples -maxdepth 1 -name '*.c' | sed -e 's/.*\//example_/' -e 's/\.c$//'
} | sort >"$work/names"

# LONG_RUNS and the threads of the Makefile are patterns ^(a|b_(c|d))$: the words between the signs
sed -n -e "s/^LONG_RUNS = '^(\(.*\))\$\$'/\1/p" -e "s/.*-R '^(\(.*\))\$\$'.*/\1/p" Makefile |
  awk '{
    while (match($0, /[a-z_]*\([^()]*\)/)) {
      group = substr($0, RSTART, RLENGTH)
      $0 = substr($0, 1, RSTART - 1) substr($0, RSTART + RLENGTH)
      head = substr(group, 1, index(group, "(") - 1)
      n = split(substr(group, index(group, "(") + 1, length(group) - length(head) - 2), tail, "|")
      for (i = 1; i <= n; i++) print head tail[i]
    }
    n = split($0, tail, "|")
    for (i = 1; i <= n; i++) if (tail[i] != "") print tail[i]
  }' | sort -u >"$work/listed"
[ -s "$work/listed" ] || wrong "the list LONG_RUNS of the Makefile is not found"
# made in tests/tests.cmake without a file of that name
printf '%s\n' install_tree python_package >>"$work/names"
while read -r name; do
  grep -q -x -e "$name" "$work/names" || wrong "the Makefile names a test $name, which does not exist"
done <"$work/listed"
awk '/^set\(GA_(SLOW|VALGRIND)_TESTS/, /\)/' tests/tests.cmake | tr -d '()' |
  tr ' ' '\n' | grep -v -e '^set' -e '^GA_' -e '^$' | while read -r name; do
  grep -q -x -e "$name" "$work/names" || wrong "tests/tests.cmake names $name, which does not exist"
done

cat "$work/wrong"
echo "check_tests: $sources sources, $tests test programs"
[ ! -s "$work/wrong" ]

# SPDX-License-Identifier: MIT
# Helpers of the tool's tests, sourced by each script: sh test_x.sh PATH_OF_TOOL.
# A check prints a line only when it fails; `finish` prints the counts and sets the exit status.

tool=${1:?usage: sh $0 PATH_OF_TOOL}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checks=0
failed=0

# ok DESCRIPTION COMMAND...: the command must succeed
ok() {
  checks=$((checks + 1))
  description=$1
  shift
  if ! "$@"; then
    failed=$((failed + 1))
    echo "FAILED: $description"
    echo "  stdout: $(head -c 400 "$work/out" 2>/dev/null)"
    echo "  stderr: $(head -c 400 "$work/err" 2>/dev/null)"
  fi
}

# tool ARGUMENT...: run it; output in $work/out and $work/err, exit code in $code
tool() {
  code=0
  "$tool" "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
}

code_is() { [ "$code" -eq "$1" ]; }
out_has() { grep -q -e "$1" "$work/out"; }
err_has() { grep -q -e "$1" "$work/err"; }
out_empty() { [ ! -s "$work/out" ]; }
err_empty() { [ ! -s "$work/err" ]; }

# succeeds ARGUMENT...: exit 0 and silence on stderr
succeeds() {
  tool "$@"
  ok "exit 0: $*" code_is 0
  ok "no message: $*" err_empty
}

# refused CODE PATTERN ARGUMENT...: that exit code, the pattern on stderr, nothing on stdout
refused() {
  expected=$1
  pattern=$2
  shift 2
  tool "$@"
  ok "exit $expected, not $code: $*" code_is "$expected"
  ok "message '$pattern': $*" err_has "$pattern"
  ok "nothing on stdout: $*" out_empty
}

# column NAME: its values in the CSV of the last command, one per line
column() {
  awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
    c { print $c }' "$work/out"
}

# slopes_in NAME LEAST LARGEST: all but the first, which is empty
slopes_in() {
  column "$1_slope" | awk -v a="$2" -v b="$3" '
    NR == 1 { bad = $0 != "" ; next }
    !($1 >= a && $1 <= b) { bad = 1 }
    END { exit bad || NR < 2 }'
}

# JSON without a parser: strings and numbers become n, then values are folded until one is left
is_json_object() {
  tr -d ' \n' <"$1" | sed -n -e '/^{/!q' -e 's/"[A-Za-z_]*":/:/g' -e 's/"[^"]*"/n/g' \
    -e 's/-\{0,1\}[0-9][0-9]*\(\.[0-9][0-9]*\)\{0,1\}\([eE][-+]\{0,1\}[0-9][0-9]*\)\{0,1\}/n/g' \
    -e 's/null/n/g' -e 's/true/n/g' -e 's/false/n/g' -e 's/\[\]/n/g' \
    -e ':fold' -e 's/\[n\(,n\)*\]/n/g' -e 's/{:n\(,:n\)*}/n/g' -e 'tfold' -e 'p' | grep -q -x n
}

# rows of a CSV file all have as many fields as the head, and end with a newline
is_complete_csv() {
  [ "$(tail -c 1 "$1" | od -An -c | tr -d ' ')" = '\n' ] &&
    awk -F, 'NR == 1 { n = NF } NF != n { bad = 1 } END { exit bad || NR < 2 }' "$1"
}

rows() { echo $(($(wc -l <"$1") - 1)); }

# final_value COLUMN: of the end state that `run --final` printed
final_value() { sed -n "s/.*\"$1\": \([-+0-9.e]*\).*/\1/p" "$work/out" | tail -n 1; }
# final_is COLUMN NUMBER: to 1e-7
final_is() {
  ok "$1 = $2, not $(final_value "$1")" awk -v a="$(final_value "$1")" -v b="$2" \
    'BEGIN { d = a - b; exit !(a != "" && d < 1e-7 && d > -1e-7) }'
}

finish() {
  echo "$checks checks, $failed failed"
  [ "$failed" -eq 0 ]
  exit
}

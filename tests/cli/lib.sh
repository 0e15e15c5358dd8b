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

finish() {
  echo "$checks checks, $failed failed"
  [ "$failed" -eq 0 ]
  exit
}

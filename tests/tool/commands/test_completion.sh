# SPDX-License-Identifier: MIT
# Bash completion: sourced in bash, asked for the words after what was typed. Skipped without bash.
. "$(dirname "$0")/lib.sh"
command -v bash >/dev/null 2>&1 || { echo "skipped: no bash" && exit 77; }
script=$(dirname "$0")/../../../tool/completion.bash

# typed WORD...: what completes the last word, one per line in $work/out
typed() {
  bash -c '
    source "$1"
    shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _genalpha "$1"
    printf "%s\n" "${COMPREPLY[@]}"
  ' bash "$script" "$tool" "$@" 2>"$work/err" | LC_ALL=C sort >"$work/out"
  ok "each word once: $*" [ -z "$(uniq -d "$work/out")" ]
}

# gives 'WORDS' WORD...: exactly these words, sorted
gives() {
  expected=$1
  shift
  typed "$@"
  given=$(tr '\n' ' ' <"$work/out" | sed 's/ *$//')
  ok "'$*' is completed by '$expected'" [ "$given" = "$expected" ]
  ok "no message: $*" err_empty
}

# offers 'WORDS' WORD...: these words among others
offers() {
  expected=$1
  shift
  typed "$@"
  for word in $expected; do ok "'$*' offers $word" grep -q -x -e "$word" "$work/out"; done
}

# lacks 'WORDS' WORD...: none of these words
lacks() {
  expected=$1
  shift
  typed "$@"
  for word in $expected; do
    ok "'$*' does not offer $word" sh -c "! grep -q -x -e '$word' '$work/out'"
  done
}

offers '--help --version help converge export list params plot reproduce run view' ''
offers 'run' r
lacks 'list params' r
gives '' x
offers 'converge list params run' help ''
offers 'figures methods problems solvers' list ''
gives '--help' list methods ''

# names
"$tool" list problems | sed -n 's/^  \([a-z][a-z0-9-]*\) .*/\1/p' | LC_ALL=C sort >"$work/problems"
gives "$(tr '\n' ' ' <"$work/problems" | sed 's/ $//')" run ''
offers 'heavy-top heavy-top-se3' run heavy
lacks 'andrews' run heavy
offers 'heavy-top heavy-top-se3' converge heavy
offers 'index3' run heavy-top --method i
offers 'stab2 index3' run heavy-top --method ''
gives '3.4 3.5 index2 lunk-simeon mid mid3.5' run andrews --method hht --variant ''
gives 'mid mid3.5' run andrews --method hht --variant m
gives 'a a,v gamma none v' run heavy-top --rescale ''
gives 'evaluated previous' converge andrews --mass-at ''
offers 'auto dense' run heavy-top --linsol ''
offers 'newmark trapezoidal hht chung-hulbert' run heavy-top --params ''
offers 'newmark' params --params n

# words of options
gives 'best implicit perturbed plain shifted' run heavy-top --start ''
gives 'best implicit perturbed plain shifted' converge heavy-top --start ''
gives 'end' converge heavy-top --norm e
gives 'perturbed plain' run heavy-top --start p
gives 'perturbed plain' run heavy-top --start = p
gives 'best implicit perturbed plain shifted' run heavy-top --start =
gives 'check project' run --initial ''
gives 'keep-order plain' run heavy-top --h 1e-3 --project ''

# options: every one of the help texts
for command in run sweep converge check equilibrium modes plot view reproduce list params; do
  "$tool" $command --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p' | LC_ALL=C sort >"$work/options"
  gives "$(tr '\n' ' ' <"$work/options" | sed 's/ $//')" $command --
done
offers '--start' run heavy-top --st
offers '--newton-max --newton-tol' run --final heavy-top --newton

# an operand after a flag or a value; nothing where a number or the name of a file is wanted
offers 'oscillator' run --final osc
offers 'oscillator' run --h 1e-3 osc
offers 'oscillator' run --h = 1e-3 osc
gives '' run heavy-top --h ''
gives '' run heavy-top --out ''
gives '' run heavy-top osc
offers 'ab07-fig3 acb15-fig1' reproduce ''
offers 'acb15-fig1' reproduce ab07-fig3 acb15

finish

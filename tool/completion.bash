# SPDX-License-Identifier: MIT
# Bash completion of genalpha. It has no lists of its own: commands, options and their words are
# read from the tool's help, names from `genalpha list`.
# shellcheck shell=bash

# the options of a command, lines "--key ARGUMENT TEXT", ARGUMENT - for a flag
_genalpha_options() {
  "$1" "$2" --help 2>/dev/null | awk '
    function flush() { if (key) print key, argument, text; key = "" }
    /^  --/ {
      flush()
      key = $1
      argument = match($0, /^  --[a-z-]+ [^ ]/) ? $2 : "-"
      text = substr($0, 5 + length(key) + length(argument))
      next
    }
    !/^    / { flush() }
    { text = text " " $0 }
    END { flush() }'
}

# names of the kind that `genalpha list` introduces by "(USE NAME)" in a line of its own, or by
# "(USE NAME): " in the line of the names, which goes on in lines as deep
_genalpha_names() {
  "$1" list 2>/dev/null | awk -v use="($2 NAME)" '
    /^[^ ]/ { inside = index($0, use) }
    inside && /^  [^ ]/ { print $1 }
    /^  [^ ]/ || /^[^ ]/ || /^$/ { among = 0 }
    index($0, use ": ") && /^ / { among = 1; sub(/.*: /, "") }
    among { gsub(/,|\(default\)/, ""); print }'
}

# values of option KEY with ARGUMENT and TEXT: the words themselves, FILE, or names: those listed,
# and those told in the text by "a name: x, y" and "(default x)"
_genalpha_values() {
  local tool=$1 key=$2 argument=$3 text=$4
  case $argument in
    FILE*) echo FILE ;;
    [a-z]*'|'*) echo "${argument//|/ }" ;;
    *)
      _genalpha_names "$tool" "$key"
      echo "$text" | tr -s ' ' | tr -d ',' | sed -n -e 's/.*a name: \([a-z -]*\).*/\1/p' \
        -e 's/.*(default \([a-z][a-z0-9-]*\)).*/\1/p'
      ;;
  esac
}

# the operand of a command as its usage line shows it: PROBLEM, [FIGURE...], FILE.csv [COLUMNS]...
_genalpha_operand() {
  "$1" "$2" --help 2>/dev/null | sed -n '1s/^usage: genalpha [a-z]* \(.*\) \[options\]$/\1/p'
}

# what may stand for an operand: words, names, or FILE; those of a PROBLEM are told by
# `genalpha list problems`
_genalpha_operands() {
  local operand
  operand=$(_genalpha_operand "$1" "$2" | tr -d '[]' | sed 's/\.\.\.$//')
  case $operand in
    FILE* | RUN*) echo FILE ;;
    [a-z]*'|'*) echo "${operand//|/ }" ;;
    ?*) "$1" list "${operand,,}s" 2>/dev/null | sed -n 's/^  \([^ ]*\) .*/\1/p' ;;
  esac
}

# _genalpha_words TOOL CURRENT COMMAND WORD...: all words that may stand after WORD...
_genalpha_words() {
  local tool=$1 current=$2 command=$3 key='' argument text word operands=0
  local -A arguments texts
  shift 3
  while read -r key argument text; do
    arguments[$key]=$argument
    texts[$key]=$text
  done < <(_genalpha_options "$tool" "$command")

  # count operands; key becomes the option whose value comes next
  key=''
  for word; do
    case $word in
      =) ;; # bash splits --key=value into three words
      --*)
        key=$word
        if [[ ${arguments[$key]:--} == - ]]; then key=''; fi
        ;;
      *)
        if [[ ! $key ]]; then operands=$((operands + 1)); fi
        key=''
        ;;
    esac
  done

  if [[ $key ]]; then
    _genalpha_values "$tool" "$key" "${arguments[$key]}" "${texts[$key]}"
    return
  fi
  text=''
  # any number of names where the usage line says so, of a file only the first
  word=$(_genalpha_operand "$tool" "$command")
  if [[ $current != -* && ($operands -eq 0 || $word == *...\]) ]]; then
    text=$(_genalpha_operands "$tool" "$command")
  fi
  echo "${text:-${!arguments[*]}}"
}

_genalpha() {
  local tool=${1/#\~/$HOME} current=${COMP_WORDS[COMP_CWORD]} words
  if [[ $current == = ]]; then current=''; fi
  words=$("$tool" --help 2>/dev/null | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
  if ((COMP_CWORD == 1)); then
    words="$words help --help --version"
  elif [[ ${COMP_WORDS[1]} != help ]]; then
    words=$(_genalpha_words "$tool" "$current" "${COMP_WORDS[@]:1:COMP_CWORD-1}")
  fi
  COMPREPLY=()
  if [[ $words == FILE ]]; then
    compopt -o default 2>/dev/null # bash completes names of files
  else
    # each word once: a default is named among the values and in the text, too. Word splitting is
    # wanted; the words have no special characters
    # shellcheck disable=SC2207
    COMPREPLY=($(compgen -W "$words" -- "$current" | awk '!seen[$0]++'))
    # a problem may be a model file
    if ((${#COMPREPLY[@]} == 0)); then compopt -o default 2>/dev/null; fi
  fi
}

complete -F _genalpha genalpha

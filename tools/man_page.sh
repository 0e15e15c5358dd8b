#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes the man page: fills a template with what the tool itself says about its commands, options,
# methods, problems and solvers, so that the page cannot lack one.
# usage: man_page.sh TOOL TEMPLATE OUTPUT
set -eu
tool=$1
template=$2
output=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$tool" --help >"$work/help"
"$tool" --version | sed -n '1s/^genalpha //p' >"$work/version"
commands=$(sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$work/help")
for command in $commands; do
  "$tool" "$command" --help >"$work/help.$command"
done
for kind in methods problems solvers figures; do
  "$tool" list $kind >"$work/list.$kind"
done

awk -v dir="$work" -v commands="$commands" '
  # text that roff prints as it stands
  function plain(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/`/, "\\(ga", text)
    gsub(/\047/, "\\(aq", text)
    gsub(/\^/, "\\(ha", text)
    gsub(/~/, "\\(ti", text)
    sub(/^\./, "\\\\\\&.", text)
    return text
  }
  # --key ARGUMENT: bold, words to be typed bold, places to be filled italic
  function option(text,    at, argument) {
    at = index(text, " ")
    if (!at) return "\\fB" plain(text) "\\fR"
    argument = plain(substr(text, at + 1))
    if (argument ~ /^[a-z]/) gsub(/[a-z0-9\\-]+/, "\\fB&\\fR", argument)
    else argument = "\\fI" argument "\\fR"
    return "\\fB" plain(substr(text, 1, at - 1)) "\\fR " argument
  }
  # "  left   right" lines of a file as a list, right going on in deeper lines; style "lines" keeps
  # these apart, style "option" prints left as an option
  function items(file, style,    line, left, at) {
    while ((getline line < file) > 0) {
      if (line ~ /^  [^ ]/) {
        line = substr(line, 3)
        at = match(line, /   *[^ ]/)
        left = at ? substr(line, 1, at - 1) : line
        print ".TP"
        print style == "option" ? option(left) : "\\fB" plain(left) "\\fR"
        if (!at) continue
        line = substr(line, at)
      } else if (line !~ /^    /) {
        continue
      } else if (style == "lines") {
        print ".br"
      }
      sub(/^ */, "", line)
      print plain(line)
    }
    close(file)
  }
  function usage(command,    file, line) {
    file = dir "/help." command
    getline line < file
    close(file)
    sub(/^usage: genalpha /, "", line)
    print "\\fBgenalpha " command "\\fR" plain(substr(line, length(command) + 1))
    print ".br"
  }
  # summary and options of a command
  function describe(command,    file, line, n) {
    file = dir "/help." command
    print ".SS Options of " command
    while ((getline line < file) > 0 && line != "") if (n++) print plain(line)
    close(file)
    items(file, "option")
  }
  function word_in_file(file,    line) {
    getline line < file
    close(file)
    return line
  }
  BEGIN { ncommands = split(commands, command) }
  /@VERSION@/ { sub(/@VERSION@/, word_in_file(dir "/version")) }
  $0 == "@SYNOPSIS@" {
    for (i = 1; i <= ncommands; i++) usage(command[i])
    print "\\fBgenalpha \\-\\-help\\fR | \\fB\\-\\-version\\fR"
    next
  }
  $0 == "@COMMANDS@" { items(dir "/help"); next }
  $0 == "@OPTIONS@" { for (i = 1; i <= ncommands; i++) describe(command[i]); next }
  /^@LIST / { items(dir "/list." substr($2, 1, length($2) - 1), "lines"); next }
  { print }
' "$template" >"$work/page"

if grep '^@' "$work/page" >&2; then
  echo "man_page.sh: unknown marks in $template" >&2
  exit 1
fi
mv "$work/page" "$output"

#!/bin/sh
# SPDX-License-Identifier: MIT
# docs/data/benchmarks.md from bench.json: the tables of the measurement between the lines of the text
# docs/data/benchmarks.md.in that say @table NAME@, @ratios@ and @machine@. A ratio above its limit is
# marked. The limits are in bench.json, from bench/report.c and its callers.
# usage: benchmarks.sh BENCH.JSON TEMPLATE > PAGE
set -eu

awk '
  # value of a key in a line of JSON; "" if it is null or missing
  function get(line, key,   at, rest) {
    at = index(line, "\"" key "\": ")
    if (!at) return ""
    rest = substr(line, at + length(key) + 4)
    if (substr(rest, 1, 1) == "\"") {
      rest = substr(rest, 2)
      return substr(rest, 1, index(rest, "\"") - 1)
    }
    sub(/[,}].*/, "", rest)
    return rest == "null" ? "" : rest
  }
  # the keys of a row in order, into key[]
  function keys(line, key,   n, rest) {
    n = 0
    rest = line
    while (match(rest, /"[^"]*": /)) {
      key[++n] = substr(rest, RSTART + 1, RLENGTH - 4)
      rest = substr(rest, RSTART + RLENGTH)
      if (substr(rest, 1, 1) == "\"") {
        rest = substr(rest, 2)
        rest = substr(rest, index(rest, "\"") + 1)
      }
    }
    return n
  }
  function number(x) {
    if (x == "" || x !~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/) return x
    if (x + 0 >= 1e5 || (x + 0 < 0.01 && x + 0 > 0)) return sprintf("%.1e", x)
    return sprintf("%.3g", x)
  }
  function print_table(name,   i, j, n, key, text, head) {
    head = 0
    for (i = 1; i <= rows; i++) {
      if (get(row[i], "table") != name) continue
      n = keys(row[i], key)
      if (!head++) {
        text = "|"
        for (j = 2; j <= n; j++) text = text " " key[j] " |"
        print text
        gsub(/[^|]+/, "---", text)
        print text
      }
      text = "|"
      for (j = 2; j <= n; j++) text = text " " number(get(row[i], key[j])) " |"
      print text
    }
    if (!head) print "(not measured)"
  }
  # the table of ratios; one above its limit is marked, and named below the table
  function print_ratios(   i, ratio, above, names) {
    print "| ratio | measured | limit |"
    print "|---|---|---|"
    for (i = 1; i <= ratios; i++) {
      ratio = name[i]
      if (value[ratio] != "" && target[ratio] != "" && value[ratio] + 0 > target[ratio] + 0) {
        names = names (above++ ? ",\n`" : "\n`") ratio "`"
        printf "| %s | **%s, above its limit of %s** | %s |\n", ratio, number(value[ratio]),
          number(target[ratio]), number(target[ratio])
      } else {
        printf "| %s | %s | %s |\n", ratio, number(value[ratio]), number(target[ratio])
      }
    }
    printf "\n%d of %d ratios are above their limits", above, ratios
    print above ? ":" names "." : "."
  }
  FNR == NR {
    if (/^"machine"/) machine = $0
    if (/^\{"table"/) row[++rows] = $0
    if (/^"ratios"/) part = "ratios"
    if (/^"targets"/) part = "targets"
    if (/^"[^"]*": [-0-9.e+]+,?$/ || /^"[^"]*": null,?$/) {
      split($0, piece, "\"")
      number_ = $0
      sub(/^[^:]*: /, "", number_)
      sub(/,$/, "", number_)
      if (number_ == "null") number_ = ""
      if (part == "ratios") {
        name[++ratios] = piece[2]
        value[piece[2]] = number_
      } else {
        target[piece[2]] = number_
      }
    }
    next
  }
  /^@machine@$/ {
    ida = get(machine, "ida")
    printf "%s, %s; %s %s; genalpha %s, SUNDIALS IDA %s.\n", get(machine, "cpu"),
      get(machine, "system"), get(machine, "compiler"), get(machine, "flags"),
      get(machine, "genalpha"), ida == "" ? "not installed" : ida
    next
  }
  /^@ratios@$/ { print_ratios(); next }
  /^@table .*@$/ {
    name_ = $0
    sub(/^@table /, "", name_)
    sub(/@$/, "", name_)
    print_table(name_)
    next
  }
  { print }' "$1" "$2"

#!/bin/sh
# SPDX-License-Identifier: MIT
# No source file over 500 lines, no C function over 100.
set -eu
cd "$(dirname "$0")/.."

find include src problems results parallel tool papers tests examples bench tools \( -name '*.[ch]' -o -name '*.sh' \) -type f | sort |
  xargs awk '
    function finish() {
      if (file != "" && lines > 500) {
        printf "%s: %d lines, at most 500 allowed\n", file, lines
        bad++
      }
    }
    FNR == 1 { finish(); file = FILENAME; body = 0; head = ""; files++ }
    { lines = FNR }
    FILENAME !~ /\.[ch]$/ { next }
    # outside a body: collect a declaration from its first column to the brace that opens it
    !body && /^[A-Za-z_]/ { head = ""; start = FNR }
    !body { head = head $0 }
    !body && /[{]$/ { body = 1; is_function = (head ~ /\(/ && head !~ /=/ && head !~ /#define/) }
    body && /^}/ {
      length_ = FNR - start + 1
      if (is_function) {
        functions++
        if (length_ > 100) {
          printf "%s:%d: function of %d lines, at most 100 allowed\n", FILENAME, start, length_
          bad++
        }
        if (length_ > longest) longest = length_
      }
      body = 0
      head = ""
    }
    END {
      finish()
      printf "check_sizes: %d files, %d functions, longest function %d lines\n",
        files, functions, longest
      exit bad > 0
    }'

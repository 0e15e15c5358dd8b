#!/bin/sh
# SPDX-License-Identifier: MIT
# fuzz.sh SECONDS: the readers of model files and of robots under libFuzzer with sanitizers, from models/ as a
# corpus that grows in build/fuzz. Needs clang and the library of the preset debug (`make check-fuzz` builds it).
# The readers are compiled anew to tell the fuzzer which branches a text took; the rest comes from the library.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
mkdir -p build/fuzz/corpus build/fuzz/corpus_import
libraries=$(cmake -LA -N build/debug |
  sed -n 's/^\(KLU\|BTF\|AMD\|COLAMD\|SUITESPARSECONFIG\|YAML\|EXPAT\|ARPACK\|METIS\)_LIBRARY:[A-Z]*=//p' |
  grep -v NOTFOUND)
flags="-std=c11 -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -Iinclude -Isrc"
case $libraries in *expat*) flags="$flags -DGA_HAVE_EXPAT" ;; esac
export flags
# two files at a time
rm -rf build/fuzz/objects
mkdir -p build/fuzz/objects
find src/file src/import src/base -name '*.c' | xargs -P 2 -n 1 sh -c '
  clang -fsanitize=fuzzer-no-link $flags -c "$0" -o "build/fuzz/objects/$(echo "$0" | tr / _).o"'

# fuzz PROGRAM CORPUS LENGTH
fuzz() {
  # shellcheck disable=SC2086
  clang -fsanitize=fuzzer $flags "tests/fuzz/$1.c" build/fuzz/objects/*.o build/debug/libgenalpha.a $libraries \
    -llapack -lblas -lpthread -ldl -lm -o "build/fuzz/$1"
  "build/fuzz/$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len="$3" \
    "build/fuzz/$2" 2>build/fuzz/log || { tail -n 40 build/fuzz/log && exit 1; }
  tail -n 1 build/fuzz/log
}

cp models/*.yaml build/fuzz/corpus/
fuzz fuzz_file corpus 4096
case $libraries in
  *expat*)
    # its first byte chooses options
    for robot in models/*.urdf; do
      { printf '\0' && cat "$robot"; } >"build/fuzz/corpus_import/$(basename "$robot")"
    done
    fuzz fuzz_import corpus_import 16384
    ;;
esac

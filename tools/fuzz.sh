#!/bin/sh
# SPDX-License-Identifier: MIT
# fuzz.sh SECONDS: the reader of model files under libFuzzer with sanitizers, from models/ as a corpus that
# grows in build/fuzz. Needs clang.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
mkdir -p build/fuzz/corpus
libraries=$(cmake -LA -N build/release | sed -n 's/^\(KLU\|BTF\|AMD\|COLAMD\|SUITESPARSECONFIG\|YAML\)_LIBRARY:[A-Z]*=//p')
flags="-std=c11 -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -Iinclude -Isrc
  -DGA_MODULE_DIR=\"\" -DGA_MODULE_FROM_LIB=\"\" -DGA_MODULE_FROM_BIN=\"\""
export flags
# two files at a time
rm -rf build/fuzz/objects
mkdir -p build/fuzz/objects
find src -name '*.c' | xargs -P 2 -n 1 sh -c '
  clang -fsanitize=fuzzer-no-link $flags -c "$0" -o "build/fuzz/objects/$(echo "$0" | tr / _).o"'
# shellcheck disable=SC2086
clang -fsanitize=fuzzer $flags tests/fuzz/fuzz_file.c build/fuzz/objects/*.o $libraries \
  -llapack -lblas -lpthread -ldl -lm -o build/fuzz/fuzz_file
cp models/*.yaml build/fuzz/corpus/
build/fuzz/fuzz_file -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=4096 \
  build/fuzz/corpus 2>build/fuzz/log || { tail -n 40 build/fuzz/log && exit 1; }
tail -n 1 build/fuzz/log

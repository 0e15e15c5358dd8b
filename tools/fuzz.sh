#!/bin/sh
# SPDX-License-Identifier: MIT
# fuzz.sh SECONDS: the reader of model files under libFuzzer with sanitizers, from models/ as a corpus that
# grows in build/fuzz. Needs clang.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
mkdir -p build/fuzz/corpus
libraries=$(cmake -LA -N build/release | sed -n 's/^\(KLU\|BTF\|AMD\|COLAMD\|SUITESPARSECONFIG\|YAML\)_LIBRARY:[A-Z]*=//p')
# shellcheck disable=SC2046,SC2086
clang -std=c11 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -Iinclude -Isrc \
  tests/fuzz/fuzz_file.c $(find src -name '*.c') $libraries -llapack -lblas -lpthread -lm \
  -o build/fuzz/fuzz_file
cp models/*.yaml build/fuzz/corpus/
build/fuzz/fuzz_file -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=4096 \
  build/fuzz/corpus 2>build/fuzz/log || { tail -n 40 build/fuzz/log && exit 1; }
tail -n 1 build/fuzz/log

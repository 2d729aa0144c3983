#!/usr/bin/env bash
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# Fuzz the card with AddressSanitizer: linux/card/fuzz/run.sh [SECONDS]. Needs a nightly Rust toolchain and
# a C++ compiler. Inputs that reach new code stay in build/fuzz/corpus/card, failures in build/fuzz/failures.
set -euo pipefail
cd "$(dirname "$0")/../../.."
toolchain=${FUZZ_TOOLCHAIN:-nightly}
platform=$(rustc "+$toolchain" -vV | sed -n 's/^host: //p')
built=$PWD/build/fuzz/card
# LLVM's coverage counters, as libFuzzer reads them, and the sanitizer.
flags="-Zsanitizer=address --cfg fuzzing -Cpasses=sancov-module"
for option in coverage-level=4 coverage-inline-8bit-counters coverage-pc-table coverage-trace-compares; do
    flags+=" -Cllvm-args=-sanitizer-$option"
done
(
    cd linux/card/fuzz
    RUSTFLAGS=$flags CARGO_TARGET_DIR=$built cargo "+$toolchain" build --quiet --locked --target "$platform"
)
mkdir -p build/fuzz/corpus/card build/fuzz/failures
"$built/$platform/debug/ciphermill-card-fuzz" -max_total_time="${1-60}" -timeout=20 -max_len=4096 -len_control=0 \
    -artifact_prefix=build/fuzz/failures/card- -print_final_stats=1 build/fuzz/corpus/card

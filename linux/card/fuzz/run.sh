#!/usr/bin/env bash
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# Fuzz the card with AddressSanitizer: linux/card/fuzz/run.sh [SECONDS]. Needs a nightly Rust toolchain and
# a C++ compiler. Inputs that reach new code are added to build/fuzz/corpus/card. An input that makes the card fail
# is kept in build/fuzz/failures; once the fault is mended, move it to linux/card/fuzz/corpus, which
# `cargo test` in linux/card replays.
set -euo pipefail
cd "$(dirname "$0")/../../.."
toolchain=${FUZZ_TOOLCHAIN:-nightly}
if ! cargo "+$toolchain" --version > /dev/null 2>&1; then
    echo "There is no Rust toolchain '$toolchain': rustup toolchain install $toolchain" >&2
    exit 1
fi
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
    -artifact_prefix=build/fuzz/failures/card- -print_final_stats=1 build/fuzz/corpus/card linux/card/fuzz/corpus

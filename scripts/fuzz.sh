#!/usr/bin/env bash
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# Fuzzes one target for some seconds, with AddressSanitizer: scripts/fuzz.sh TARGET [SECONDS]
# Needs a nightly Rust toolchain (rustup toolchain install nightly) and a C++ compiler.
#
# Inputs that reach new code are added to build/fuzz/corpus/TARGET. An input that makes the
# target fail is kept in build/fuzz/failures; once the fault is mended, move it to
# engine/fuzz/corpus/TARGET, which `make test` replays.
#
# The target card is that of linux/card/fuzz, a crate of another workspace.
set -euo pipefail
cd "$(dirname "$0")/.."
seeds=engine/fuzz/corpus
target=${1-}
seconds=${2-60}
[ "$target" != card ] || exec linux/card/fuzz/run.sh "$seconds"
if [ -z "$target" ] || [ ! -d "$seeds/$target" ]; then
    echo "usage: scripts/fuzz.sh TARGET [SECONDS]; the targets are: $(ls "$seeds" | xargs) card" >&2
    exit 2
fi
toolchain=${FUZZ_TOOLCHAIN:-nightly}
if ! cargo "+$toolchain" --version > /dev/null 2>&1; then
    echo "There is no Rust toolchain '$toolchain': rustup toolchain install $toolchain" >&2
    exit 1
fi
platform=$(rustc "+$toolchain" -vV | sed -n 's/^host: //p')
built=$PWD/build/fuzz/target

# LLVM's coverage counters, as libFuzzer reads them, and the sanitizer. Naming the platform
# keeps them out of build scripts and macros.
flags="-Zsanitizer=address --cfg fuzzing -Cpasses=sancov-module"
for option in coverage-level=4 coverage-inline-8bit-counters coverage-pc-table coverage-trace-compares; do
    flags+=" -Cllvm-args=-sanitizer-$option"
done
(
    cd engine
    RUSTFLAGS=$flags CARGO_TARGET_DIR=$built cargo "+$toolchain" build --quiet --locked \
        --package ciphermill-fuzz --features fuzzer --bin fuzz --target "$platform"
)
grown=build/fuzz/corpus/$target
failures=build/fuzz/failures
mkdir -p "$grown" "$failures"
# Contexts that the provider and the C library keep for the life of a process are no leaks.
# An allocation that is too large for the sanitizer fails, as it does without it.
ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 CIPHERMILL_FUZZ_TARGET=$target \
    "$built/$platform/debug/fuzz" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 \
    -artifact_prefix="$failures/$target-" -print_final_stats=1 "$grown" "$seeds/$target"

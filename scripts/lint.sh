#!/usr/bin/env bash
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# Every linter, each run to its end so that one call shows everything; fails if any failed.
# Those of Rust, most of which wait for one process, run beside the others.
set -u
cd "$(dirname "$0")/.."
bin=$(dirname "${PYTHON:-.venv/bin/python}")
failed=$(mktemp)
trap 'rm -f "$failed"' EXIT

check() {
    local name=$1
    shift
    local begin=$SECONDS
    if output=$("$@" 2>&1); then
        printf '  ok      %-28s %4d s\n' "$name" $((SECONDS - begin))
    else
        printf '%s\n  FAILED  %-28s %4d s\n' "$output" "$name" $((SECONDS - begin))
        printf ' %s,' "$name" >> "$failed"
    fi
}

in_engine() { (cd engine && "$@"); }
# A workspace of its own; its folder of what was built is that of linux/run.sh.
in_card() { (cd linux/card && "$@"); }

of_rust() {
    check "rustfmt" in_engine cargo fmt --all --check
    check "clippy" in_engine cargo clippy --locked --workspace --all-targets --quiet -- -D warnings
    check "rustfmt of the card" in_card cargo fmt --all --check
    check "clippy of the card" in_card cargo clippy --locked --all-targets --quiet -- -D warnings
    check "rustdoc" env RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps --quiet --manifest-path engine/Cargo.toml
    if cargo deny --version > /dev/null 2>&1; then
        check "cargo deny" in_engine cargo deny --offline --locked check licenses bans sources
    fi
}

of_rust &
rust=$!

check "ruff check" "$bin/ruff" check .
check "ruff format" "$bin/ruff" format --check .
check "mypy" "$bin/mypy"
check "import-linter" "$bin/lint-imports"
# Benches, proofs and firmware import nothing of src/.
imports_of_tools() { ! grep -rnE '^ *(from|import) ciphermill(\.| |$)' --include='*.py' hw firmware; }
check "hardware stands alone" imports_of_tools
# A count is of cycles, and what the engine cuts a message into is a chunk.
other_names() { ! grep -rnE '_clocks\b|\b[Pp]ieces?\b' --include='*.rs' --exclude-dir=target engine; }
check "one name for one thing" other_names
check "verilator -Wall" "$bin/python" scripts/lint_rtl.py
check "structure of the RTL" "$bin/python" scripts/lint_structure.py
check "generated registers" "$bin/python" scripts/generate_registers.py --check
check "generated FuseSoC cores" "$bin/python" scripts/generate_fusesoc_cores.py --check
check "circles of files" "$bin/python" scripts/check_circles.py
check "dependencies" "$bin/python" scripts/check_dependencies.py
# By bash where the first line names it; the others run under sh, or are read by what does.
shells() {
    local script shell wrong=0
    for script in scripts/check_prerequisites.sh linux/*.sh linux/tests/*.sh tests/support/*.sh; do
        shell=sh
        head -n 1 "$script" | grep -q '^#!.*bash$' && shell=bash
        "$shell" -n "$script" || wrong=1
    done
    return $wrong
}
check "shell" shells
check "docs" env NO_MKDOCS_2_WARNING=1 "$bin/mkdocs" build --strict --quiet --site-dir build/site

wait $rust
if [ -s "$failed" ]; then
    printf 'lint: failed:%s\n' "$(sed 's/,$//' "$failed")"
    exit 1
fi
echo "lint: all clean"

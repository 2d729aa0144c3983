#!/bin/sh
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# Checks that what must come from the system is here, and says in one line what
# to install where it is not. Arguments: the Python to use, the least Rust version.
set -u
python=$1
rust_minimum=$2
missing=0

complain() {
    printf 'ciphermill: %s\n' "$1" >&2
    missing=1
}

# version_at_least HAVE WANT
version_at_least() {
    [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

if ! command -v "$python" >/dev/null 2>&1; then
    complain "$python is missing: apt install python3 python3-venv (3.11 or later), or name another with make PYTHON=..."
elif ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    complain "$python is older than 3.11: apt install python3.11 python3.11-venv, then make PYTHON=python3.11"
elif ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
    complain "$python cannot make virtual environments: apt install python3-venv (on Ubuntu the one of its version, such as python3.11-venv)"
fi

if ! command -v cargo >/dev/null 2>&1 || ! command -v rustc >/dev/null 2>&1; then
    complain "the Rust toolchain is missing: install it with rustup (rustup.rs), version $rust_minimum or later"
else
    rust_version=$(rustc --version 2>/dev/null | cut -d ' ' -f 2)
    if ! version_at_least "${rust_version:-0}" "$rust_minimum"; then
        complain "Rust ${rust_version:-of unknown version} is too old: rustup update stable ($rust_minimum or later; Debian 12's own is older)"
    fi
fi

command -v g++ >/dev/null 2>&1 || complain "g++ is missing: apt install g++"
command -v make >/dev/null 2>&1 || complain "make is missing: apt install make"
command -v perl >/dev/null 2>&1 || complain "perl is missing: apt install perl"

exit $missing

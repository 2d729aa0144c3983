#!/usr/bin/env bash
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# Build OpenSSL 3.5 into build/openssl-3.5, for tests: pipelines of the provider need it, and no
# system that the tests run on has to have it. Its source is that of the crate openssl-src, which
# Cargo fetches and checks by tests/openssl-3.5/Cargo.lock.
#
#     scripts/build_openssl.sh [JOBS]
set -euo pipefail
cd "$(dirname "$0")/.."
place=$PWD/build/openssl-3.5
work=$place.build
jobs=${1:-2}

step() {
    local log=$work/$1.log
    shift
    "$@" > "$log" 2>&1 || { grep -iE 'error|stop\.' "$log" | head -n 20; echo "$0: failed, see $log"; exit 1; }
}

manifest=tests/openssl-3.5/Cargo.toml
crate=$(cargo metadata --locked --format-version 1 --manifest-path "$manifest" |
    python3 -c '
import json, pathlib, sys
(crate,) = (one for one in json.load(sys.stdin)["packages"] if one["name"] == "openssl-src")
print(pathlib.Path(crate["manifest_path"]).parent)')

rm -rf "$place" "$work"
mkdir -p "$work" "$place/bin" "$place/lib"
cp -r "$crate/openssl/." "$work"
cd "$work"
echo "Building OpenSSL 3.5 (some minutes, once) ..."
# Without what no test here uses.
step configure perl ./Configure -fPIC --prefix="$place" --openssldir=/etc/ssl no-shared \
    no-tests no-docs no-module no-legacy no-engine no-zlib no-quic no-dtls no-ssl3 \
    no-aria no-bf no-camellia no-cast no-cmp no-cms no-ct no-gost no-idea no-md4 no-mdc2 no-ml-dsa \
    no-ml-kem no-ocb no-rc2 no-rc4 no-rmd160 no-seed no-siphash no-slh-dsa no-sm2 no-sm3 no-sm4 \
    no-srp no-ts no-whirlpool
step make make -j "$jobs" build_generated libcrypto.a libssl.a apps/openssl
# The crate's source builds no shared libraries. Theirs have the version of symbols that programs
# ask for which were linked with those of a system.
echo 'OPENSSL_3.0.0 { global: *; };' > versions
link() {
    cc -shared -o "$place/lib/$1.so.3" -Wl,-soname,"$1.so.3" -Wl,-Bsymbolic \
        -Wl,--version-script=versions -Wl,--whole-archive "$1.a" -Wl,--no-whole-archive "${@:2}"
    ln -s "$1.so.3" "$place/lib/$1.so"
}
step link-crypto link libcrypto -ldl -pthread
step link-ssl link libssl -L"$place/lib" -lcrypto
cp -r include "$place"
cp apps/openssl "$place/bin"
rm -rf "$work"
"$place/bin/openssl" version

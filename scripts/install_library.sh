#!/bin/sh
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# install_library.sh LIBRARY PREFIX: the C library with its header and pkg-config file under
# a prefix; DESTDIR, where it is set, comes before it.
set -eu
library=$1
prefix=$2
engine=$(dirname "$0")/../engine
root=${DESTDIR:-}$prefix
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$engine/Cargo.toml" | head -n 1)

mkdir -p "$root/lib/pkgconfig" "$root/include"
install -m 755 "$library" "$root/lib/libciphermill_c.so.0"
ln -sf libciphermill_c.so.0 "$root/lib/libciphermill_c.so"
install -m 644 "$engine/capi/include/ciphermill.h" "$root/include/ciphermill.h"
sed -e "s|@PREFIX@|$prefix|" -e "s|@VERSION@|$version|" "$engine/capi/ciphermill.pc.in" \
    >"$root/lib/pkgconfig/ciphermill.pc"

#!/usr/bin/env bash
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# Build an unmodified Linux kernel as a program (User Mode Linux) into build/linux, for tests of
# drivers without a board. Its source is Debian's package, which apt fetches and checks.
#
#     scripts/build_linux.sh [JOBS]
set -euo pipefail
cd "$(dirname "$0")/.."
place=$PWD/build/linux
options=$PWD/linux/kernel.config
jobs=${1:-2}
package=linux-source-6.1

for tool in apt-get dpkg-deb gcc make flex bison bc perl xz; do
    command -v "$tool" > /dev/null || {
        echo "$0: $tool is missing: apt-get install gcc make flex bison bc perl xz-utils" >&2
        exit 1
    }
done

step() {
    local log=$place/$1.log
    shift
    "$@" > "$log" 2>&1 || { tail -n 20 "$log"; echo "$0: failed, see $log" >&2; exit 1; }
}

rm -rf "$place"
mkdir -p "$place/package"
cd "$place/package"
echo "Fetching $package (140 MB, once) ..."
step fetch apt-get download "$package"
dpkg-deb -x ./"$package"_*.deb .
mkdir ../source
tar -C ../source --strip-components=1 -xf usr/src/$package.tar.xz
cd ../source
rm -rf ../package
step defaults make ARCH=um x86_64_defconfig
step options ./scripts/kconfig/merge_config.sh -m .config "$options"
step configure make ARCH=um olddefconfig
# An option that another one rules out is dropped without a word.
grep '^CONFIG' "$options" | while read -r line; do
    grep -qxF "$line" .config || { echo "$0: this kernel cannot have $line" >&2; exit 1; }
done
sed -n 's/^# \(CONFIG_[A-Z0-9_]*\) is not set$/\1/p' "$options" | while read -r option; do
    ! grep -q "^$option=" .config || { echo "$0: this kernel cannot be without $option" >&2; exit 1; }
done
echo "Building Linux (some minutes, once) ..."
step build make ARCH=um -j "$jobs"
strip -o "$place/linux" linux
"$place/linux" --version

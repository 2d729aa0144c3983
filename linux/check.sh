#!/usr/bin/env bash
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# Check the style and the types of the kernel modules: checkpatch, sparse (C=2) and the compiler's
# further warnings (W=1), against three kernels. Stops at the first finding. Needs no root.
#
#     linux/check.sh [JOBS]
#
# uml   6.1 as a program, in LINUX (build/linux if it is not set)        from make linux
# 6.12  of Debian 13, for x86_64, in build/linux-6.12                    prepared here, once
# arm   6.1 for 32-bit ARM, as on the ZedBoard, in build/linux-arm       prepared here, once
#
# The last two are configured and not built: their list of symbols is made from the source.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$PWD/build
uml=$(realpath -m "${LINUX:-build/linux}")
jobs=${1:-2}
modules=(driver platform probe)

# Types of checkpatch's messages that do not count: none. One a line, each with its reason.
ignored=()

# need PACKAGE TOOL...: stop where a tool of this Debian package is missing
need() {
    local package=$1
    shift
    for tool in "$@"; do
        command -v "$tool" > /dev/null || {
            echo "$0: $tool is missing: apt-get install $package" >&2
            exit 1
        }
    done
}
need apt apt-get
need dpkg dpkg-deb
need gcc gcc
need make make
need flex flex
need bison bison
need bc bc
need perl perl
need xz-utils xz
need binutils nm
need sparse sparse
need gcc-arm-linux-gnueabihf arm-linux-gnueabihf-gcc
for header in libelf.h:libelf-dev openssl/opensslv.h:libssl-dev; do
    echo "#include <${header%:*}>" | gcc -E -x c - > /dev/null 2>&1 || {
        echo "$0: ${header%:*} is missing: apt-get install ${header#*:}" >&2
        exit 1
    }
done
[ -e "$uml/source/Module.symvers" ] || {
    echo "$0: there is no kernel in $uml: build it with scripts/build_linux.sh, or name another folder in LINUX" >&2
    exit 1
}

# exports ARCHITECTURE: what the source of a kernel exports to modules, as Module.symvers of a kernel that
# was built. A symbol that nothing exports is then an error, as when the module is loaded.
exports() {
    find . -path ./tools -prune -o -path './arch/*' ! -path "./arch/$1" ! -path "./arch/$1/*" -prune -o \
        -name '*.[cSh]' -print0 |
        xargs -0 grep -hoE '\b(EXPORT_[A-Z_]+|define_dev_printk_level|STANDARD_PARAM_DEF)\( *\w+( *, *\w+)?' |
        awk -F '[(, ]+' -v architecture="$1" '
            function export(symbol, namespace) {
                if (!seen[symbol]++)
                    printf "0x00000000\t%s\tvmlinux\tEXPORT_SYMBOL_GPL\t%s\n", symbol, namespace
            }
            # Macros that make a name of their argument.
            $1 ~ /^EXPORT_STATIC_CALL/ { export("__SCT__" $2); export("__SCK__" $2); next }
            $1 == "STANDARD_PARAM_DEF" { export("param_ops_" $2); next }
            { export($2, $1 ~ /_NS/ ? $3 : "") }
            END {
                count = architecture == "x86" ? split("ax bx cx dx si di bp 8 9 10 11 12 13 14 15", names, " ") : 0
                for (at = 1; at <= count; at++) export("__x86_indirect_thunk_r" names[at])
            }'
}

# prepare FOLDER PACKAGE ARCH SOURCE_ARCH CROSS_COMPILE DEFCONFIG: fetch a kernel's source, and
# configure it for modules
prepare() {
    local place=$build/$1 package=$2 arch=$3 source_arch=$4 cross=$5 defaults=$6
    [ ! -e "$place/prepared" ] || return 0
    step() {
        local log=$place/$1.log
        shift
        "$@" > "$log" 2>&1 || { tail -n 20 "$log"; echo "$0: failed, see $log" >&2; exit 1; }
    }
    apt-cache show "$package" > /dev/null 2>&1 || {
        echo "$0: apt knows no $package: run apt-get update, with Debian 12's security archive or Debian 13 among its sources" >&2
        exit 1
    }
    rm -rf "$place"
    mkdir -p "$place/package" "$place/source"
    cd "$place/package"
    echo "Fetching $package (150 MB, once) ..."
    step fetch apt-get download "$package"
    dpkg-deb -x ./"$package"_*.deb .
    tar -C ../source --strip-components=1 -xf "usr/src/$package.tar.xz"
    cd ../source
    rm -rf ../package
    echo "Preparing $package for $arch (a minute, once) ..."
    step configure make ARCH="$arch" CROSS_COMPILE="$cross" "$defaults"
    step prepare make ARCH="$arch" CROSS_COMPILE="$cross" -j "$jobs" modules_prepare
    exports "$source_arch" > Module.symvers
    make --silent ARCH="$arch" kernelversion > "$place/prepared"
}
(prepare linux-6.12 linux-source-6.12 x86_64 x86 "" x86_64_defconfig)
(prepare linux-arm linux-source-6.1 arm arm arm-linux-gnueabihf- multi_v7_defconfig)

types=$(IFS=,; echo "${ignored[*]}")
for module in "${modules[@]}"; do
    for file in linux/"$module"/*.[ch] linux/"$module"/Makefile; do
        [ -e "$file" ] || continue
        # Without the tree it cannot know the kernel's own files: --no-tree.
        perl "$build/linux-6.12/source/scripts/checkpatch.pl" --no-tree --strict --no-summary \
            --show-types ${types:+--ignore "$types"} --quiet --file "$file" || {
            echo "$0: checkpatch: see above" >&2
            exit 1
        }
    done
done
echo "ok checkpatch --strict: ${modules[*]}"

# compile NAME SOURCE ARCH CROSS_COMPILE: every module, with sparse; any line of output is a finding
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compile() {
    local name=$1 source=$2 arch=$3 cross=$4 module
    for module in "${modules[@]}"; do
        rm -rf "${work:?}/$name"
        mkdir "$work/$name"
        cp linux/"$module"/*.[ch] linux/"$module"/Makefile "$work/$name/" 2> /dev/null || true
        make --silent -C "$source" ARCH="$arch" CROSS_COMPILE="$cross" W=1 C=2 -j "$jobs" \
            M="$work/$name" CIPHERMILL_INCLUDE="$PWD/linux/include/uapi" modules \
            > "$work/output" 2>&1 || echo "make failed" >> "$work/output"
        [ ! -s "$work/output" ] || {
            cat "$work/output"
            echo "$0: $module with kernel $name: see above" >&2
            exit 1
        }
    done
    echo "ok W=1 and sparse, $name ($(make --silent -C "$source" ARCH="$arch" kernelversion), $arch): ${modules[*]}"
}
compile uml "$uml/source" um ""
compile 6.12 "$build/linux-6.12/source" x86_64 ""
compile arm "$build/linux-arm/source" arm arm-linux-gnueabihf-

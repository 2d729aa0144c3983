#!/usr/bin/env bash
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# Build the card, the kernel modules and the programs of the tests, boot the kernel of
# scripts/build_linux.sh with cards on its PCI bus, and run the tests inside: linux/boots says which
# boots there are. Needs no root.
#
#     linux/run.sh [BOOT...]
#
# LINUX is the folder of the kernel, build/linux if it is not set. Logs are in LINUX/logs.
#
# CARD_MODEL is the library of scripts/build_card.py, for a simulated card instead of that in software:
# boots that need faults are left out then. CARD_LINK has options of its link (card --help).
set -euo pipefail
cd "$(dirname "$0")/.."
linux=$(realpath "${LINUX:-build/linux}")
guest=$linux/guest
logs=$linux/logs
card=linux/card
programs=${CARGO_TARGET_DIR:-$card/target}/debug

# The guest's programs are the host's.
for tool in cc make insmod dmsetup losetup mkfs.ext4 e2fsck; do
    PATH=$PATH:/usr/sbin:/sbin command -v "$tool" > /dev/null || {
        echo "$0: $tool is missing: apt-get install gcc make kmod dmsetup mount e2fsprogs" >&2
        exit 1
    }
done
[ -x "$linux/linux" ] || {
    echo "$0: there is no kernel in $linux: build it with make linux, or name another folder in LINUX" >&2
    exit 1
}

model=()
patience=900
if [ -n "${CARD_MODEL:-}" ]; then
    CARD_MODEL=$(realpath -e "$CARD_MODEL")
    export CARD_MODEL
    read -ra model <<< "${CARD_LINK:-}"
    model+=(--model "$CARD_MODEL")
    patience=7200
fi

(cd $card && cargo test --locked --quiet)
(cd $card && cargo build --locked --quiet --bins --examples)

# For the kernel as a process of this machine (linux/host/xstate.c).
mkdir -p "$guest/host"
cc -O2 -shared -fPIC -o "$guest/host/xstate.so" linux/host/xstate.c

# What the kernel sees as tests=FOLDER: modules, programs and scripts.
mkdir -p "$guest" "$logs"
module() {
    [ -d "linux/$1" ] || return 0
    mkdir -p "$guest/$1"
    cp -u "linux/$1"/* "$guest/$1/"
    make --silent -C "$linux/source" ARCH=um W=1 M="$guest/$1" \
        CIPHERMILL_INCLUDE="$PWD/linux/include/uapi" modules
}
module probe
module platform
module driver
mkdir -p "$guest/tests"
cp linux/*.sh "$guest/"
if [ -e linux/tests/Makefile ]; then
    # Static programs that may load others: the linker warns of libcrypto's, which nothing here calls.
    make --silent -C linux/tests OUT="$guest/tests" 2>&1 |
        { grep -v -e 'statically linked applications' -e 'libcrypto.a(' || true; }
    cp linux/tests/*.sh "$guest/tests/"
fi
# What fuzz_ioctls begins with, beside what it found here.
mkdir -p "$guest/corpus"
cp -u linux/tests/corpus/* "$guest/corpus/"

# The kernel waits for the card's answers for 40,000 times a microsecond: the card goes first where this user
# may do so and the kernel last, and lpj=, a processor some ten times as fast as it is, makes
# the microsecond longer. Of a function that disappears the kernel removes only one in slot 0 (it takes
# the slot's number for that of the function, um_pci_virtio_remove): that is the card.
favour=()
[ "$(nice -n -19 nice 2> /dev/null)" != -19 ] || favour=(nice -n -19)

work=$(mktemp -d)
servers=()
trap 'kill "${servers[@]}" 2> /dev/null || true; rm -rf "$work"' EXIT

# serve NAME COMMAND...: begin a card whose socket is NAME, and wait for it
serve() {
    local socket=$work/$1
    shift
    "${favour[@]}" "$@" "$socket" &
    servers+=($!)
    for _ in $(seq 200); do [ -S "$socket" ] && return || sleep 0.05; done
    echo "$0: $1 does not answer" >&2
    return 1
}

# boot NAME CARD_OPTIONS COMMAND: whether the tests inside passed
boot() {
    local name=$1 options command=$3
    read -ra options <<< "$2"
    rm -rf "$work"/*
    mkdir "$work/control"
    servers=()
    serve inverter "$programs/examples/inverter"
    serve card "$programs/card" --control "$work/control" "${model[@]}" "${options[@]}"
    printf '%s\n' "$command" > "$work/command"
    echo "== boot $name"
    LD_PRELOAD="$guest/host/xstate.so" nice -n 5 timeout "${SECONDS_A_BOOT:-$patience}" "$linux/linux" mem=512M rootfstype=hostfs root=none rw \
        init="$guest/init.sh" con=null con0=fd:0,fd:1 quiet \
        lpj=250000000 virtio_uml.device="$work/card:1234" virtio_uml.device="$work/inverter:1234" \
        tests="$guest" work="$work" project="$PWD" \
        < /dev/null > "$logs/$name.log" 2>&1 || true
    wait "${servers[@]}" || true
    # Without the colours of the kernel's log.
    sed -i 's/\x1b\[[0-9;]*m//g; s/\r$//' "$logs/$name.log"
    grep -E '^(ok|not ok|complaint|result)' "$logs/$name.log" || true
    grep -q '^result: passed' "$logs/$name.log" && return
    echo "$0: boot $name failed, see $logs/$name.log" >&2
    return 1
}

failed=()
ran=()
while IFS='|' read -r name options command; do
    name=${name// /}
    case $name in '' | '#'*) continue ;; esac
    [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
    needs=${command# }
    [[ $options != *named* ]] || [ $# != 0 ] || continue
    if [[ $options == *model* ]]; then
        [ ${#model[@]} != 0 ] || continue
        options=
    fi
    if [ ${#model[@]} != 0 ] && [[ $options == *--* || $needs == lies.sh ]]; then
        echo "== boot $name: a simulated card has no faults"
        continue
    fi
    if [ "$needs" = engine.sh ] && ! [ -x .venv/bin/ciphermill -a -e build/provider/ciphermill.so ]; then
        echo "== boot $name: the engine is not built: make setup provider"
        continue
    fi
    [ -e "$guest/${needs%% *}" ] || { echo "== boot $name: ${needs%% *} is not there"; continue; }
    ran+=("$logs/$name.log")
    begun=$SECONDS
    boot "$name" "$options" "$needs" || failed+=("$name")
    echo "== boot $name: $((SECONDS - begun)) s"
done < linux/boots
sum=$(cat /dev/null "${ran[@]}" | sed -n 's/^ok faults struck: \([0-9]*\),.*/\1/p' | paste -sd+)
[ -z "$sum" ] || echo "faults of all boots: $((sum))"
if [ $# = 0 ] && [ -n "$sum" ] && [ $((sum)) -lt 10000 ]; then
    echo "$0: fewer than 10,000 faults struck" >&2
    failed+=(faults)
fi
if [ ${#failed[@]} != 0 ]; then
    echo "$0: failed: ${failed[*]}" >&2
    exit 1
fi
echo "all boots passed"

#!/bin/sh
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# The applications of the thesis on a simulated card, whose cycles are counted: applications.sh FOLDER
# BOOT. Their figures go into FOLDER/../results/BOOT.json (linux/README.md), which
# `ciphermill paper thesis-zynq-ciphers` reads.
folder=$1
boot=$2
. "$folder/commands.sh"
results=$folder/../results
load kernel_crypto=0
mkdir -p "$results"
rm -f "$results/$boot.json"
clock_khz=$("$folder/tests/ciphermill_test" $prefix clock)
rings=$(ls $prefix* | wc -l)
rows=

now_ms() {
    date +%s%3N
}

cycles() {
    card_command cycles > /dev/null || return 1
    echo "${answers#cycles=}"
}

# row APPLICATION MODE BYTES STREAMS COMMAND ...: run it and keep its figures; BYTES of all streams
row() {
    application=$1 mode=$2 bytes=$3 streams=$4
    shift 4
    cycles_before=$(cycles)
    before=$(now_ms)
    if ! "$@"; then
        echo "not ok $application $mode, streams: $streams"
        return
    fi
    ms=$(($(now_ms) - before))
    passed=$(($(cycles) - cycles_before))
    if [ "$passed" -lt $((bytes / 16)) ]; then
        echo "not ok $application $mode, streams: $streams: it ran elsewhere, $passed cycles"
        return
    fi
    echo "ok $application $mode, streams: $streams, $bytes bytes, $passed cycles, $ms ms"
    rows="$rows${rows:+,
 }$(printf '{"boot": "%s", "application": "%s", "algorithm": "aes", "mode": "%s", "bytes": %d, "streams": %d, "core_cycles": %d, "core_clock_mhz": %d.%03d, "host_s": %d.%03d, "kernel": "%s", "card": "RTL, %d rings"}' \
        "$boot" "$application" "$mode" "$bytes" "$streams" "$passed" \
        $((clock_khz / 1000)) $((clock_khz % 1000)) $((ms / 1000)) $((ms % 1000)) "$(uname -r)" "$rings")"
}

each=131072
for mode in ecb cbc ctr; do
    for streams in 1 6; do
        row throughput $mode $((each * streams)) $streams \
            "$folder/tests/throughput" $prefix $mode $each $streams
    done
done

if [ -x "$project/.venv/bin/ciphermill" ] && [ -e "$project/build/provider/ciphermill.so" ]; then
    cd /mnt || exit 1
    head -c $each /dev/urandom > plain
    openssl_configuration
    key=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
    for mode in ecb cbc ctr; do
        set -- openssl enc -aes-256-$mode -K $key -in plain
        [ $mode = ecb ] || set -- "$@" -iv 0f0e0d0c0b0a09080706050403020100
        "$@" -out expected
        row openssl $mode $each 1 env OPENSSL_CONF=/mnt/openssl.cnf "$@" -out sealed
        check "openssl $mode same" cmp expected sealed
    done
else
    echo "openssl is left out: the engine is not built (make setup provider)"
fi
printf '[%s]\n' "$rows" > "$results/$boot.json"
unload

#!/bin/sh
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# The engine's device linux: inside the booted kernel: the command line, OpenSSL with the provider, and
# the applications of the thesis on six rings at once. $project has the engine (make setup provider).
#
#     engine.sh FOLDER [PART ...]
folder=$1
shift
parts=${*:-devices files six openssl digests campaign busy killed fork removal}
. "$folder/commands.sh"
ciphermill=$project/.venv/bin/ciphermill
HOME=/mnt
TMPDIR=/mnt
export HOME TMPDIR
load kernel_crypto=0
cd /mnt || exit 1

# on_card NAME LEAST COMMAND ...: the command passes, and at least so many messages ran on the card
on_card() {
    what=$1 least=$2
    shift 2
    before=$(messages)
    check "$what" "$@"
    check "$what ran on the card" [ $(($(messages) - before)) -ge "$least" ]
}

head -c 32 /dev/urandom > key
head -c 3000001 /dev/urandom > plain

devices() {
    check devices sh -c "'$ciphermill' devices --json | grep -q '\"linux:\"'"
}

# encrypt OUTPUT DEVICE, decrypt OUTPUT DEVICE INPUT
encrypt() {
    "$ciphermill" encrypt plain -o "$1" --device "$2" --key-file key --chunk 64k --force --quiet
}

decrypt() {
    "$ciphermill" decrypt "$3" -o "$1" --device "$2" --key-file key --force --quiet
}

files() {
    on_card encrypt 40 encrypt sealed linux:
    check encrypt_cpu_reads decrypt back cpu sealed
    check encrypt_same cmp plain back
    encrypt sealed cpu
    on_card decrypt 40 decrypt back linux:0 sealed
    check decrypt_same cmp plain back
    for mode in ctr cbc ecb; do
        check "container $mode" "$ciphermill" encrypt plain -o sealed --device linux: --key-file key \
            --mode $mode --force --quiet
        decrypt back cpu sealed
        check "container $mode same" cmp plain back
    done
}

# Six processes, each with a ring of its own.
six() {
    for stream in 0 1 2 3 4 5; do
        encrypt "sealed$stream" "linux:0-$stream" &
    done
    wait
    for stream in 0 1 2 3 4 5; do
        decrypt back cpu "sealed$stream"
        check "six $stream" cmp plain back
    done
    rm -f sealed?
}

with_provider() {
    OPENSSL_CONF=/mnt/openssl.cnf openssl "$@"
}

openssl_same() {
    key=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
    for cipher in aes-256-ctr aes-256-cbc aes-256-ecb aes-128-ctr aes-192-cbc; do
        bits=${cipher#aes-}
        short=$(echo $key | cut -c "1-$((${bits%%-*} / 4))")
        iv="-iv 0f0e0d0c0b0a09080706050403020100"
        [ $cipher = aes-256-ecb ] && iv=
        # shellcheck disable=SC2086
        openssl enc -$cipher -K "$short" $iv -in plain -out expected
        # shellcheck disable=SC2086
        on_card "openssl $cipher" 20 with_provider enc -$cipher -K "$short" $iv -in plain -out sealed
        check "openssl $cipher same" cmp expected sealed
        # shellcheck disable=SC2086
        check "openssl $cipher back" with_provider enc -d -$cipher -K "$short" $iv -in sealed -out back
        check "openssl $cipher back same" cmp plain back
    done
}

openssl_digests() {
    for digest in sha256 sha384 sha512; do
        openssl dgst -$digest -r plain > expected
        check "openssl $digest" sh -c "OPENSSL_CONF=/mnt/openssl.cnf openssl dgst -$digest -r plain > told"
        check "openssl $digest same" cmp expected told
    done
}

openssl() {
    command openssl "$@"
}

openssl_part() {
    openssl_configuration 'digests = yes' 'macs = yes' 'log = /mnt/log'
    openssl_same
    openssl_digests
}

digests() {
    for digest in sha-256 sha-512; do
        "$ciphermill" digest plain --algorithm $digest --device cpu > expected
        on_card "digest $digest" 1 sh -c "'$ciphermill' digest plain --algorithm $digest --device linux: > told"
        check "digest $digest same" cmp expected told
    done
}

# Both applications of the thesis, from file to file and into the sink, in wall time; the command
# compares every output with OpenSSL's. Its times are those of this kernel: nobody looks at them here.
campaign() {
    on_card campaign 100 sh -c "'$ciphermill' campaign --device linux: --folder /mnt --smallest 32k \
        --largest 256k --json > campaign.json"
    for stream in 0 1 2 3 4 5; do
        mkdir -p "folder$stream"
        XDG_DATA_HOME=/mnt/data$stream "$ciphermill" campaign --device "linux:0-$stream" \
            --folder "/mnt/folder$stream" --mode ctr --smallest 256k --largest 256k --json \
            > "campaign$stream.json" 2> "campaign$stream.log" &
        eval "process$stream=$!"
    done
    for stream in 0 1 2 3 4 5; do
        eval "check 'campaign, stream $stream of six' wait \$process$stream"
    done
}

busy() {
    exec 9<> /dev/ciphermill0-0
    check busy sh -c "'$ciphermill' encrypt plain -o busy --device linux:0-0 --key-file key 2>&1 |
        grep -q 'ring is busy'"
    check busy_another encrypt sealed linux:
    exec 9>&-
    check busy_no_more encrypt sealed linux:0-0
}

# A process that is killed with messages on the card leaves a ring that works.
killed() {
    for delay in 0.5 1 1.5 2; do
        while :; do
            "$ciphermill" encrypt plain -o sealed --device linux:0-0 --key-file key --chunk 4k --force --quiet
        done &
        sleep $delay
        kill -9 $!
        wait $! 2> /dev/null
        for process in /proc/[0-9]*; do
            tr '\0' ' ' 2> /dev/null < "$process/cmdline" | grep -q 'linux:0-0' &&
                kill -9 "${process#/proc/}"
        done
        sleep 0.2
        check "killed after $delay s" encrypt sealed linux:0-0
        decrypt back cpu sealed
        check "killed after $delay s same" cmp plain back
    done
}

# A device that is open in a process that forks.
fork() {
    on_card fork 2 "$project/.venv/bin/python" -c '
import os, ciphermill
plain = os.urandom(200000)
key, iv = bytes(32), bytes(16)
device = ciphermill.open_device("linux:")
other = ciphermill.open_device("cpu")
def same():
    ours, theirs = (ciphermill.transform(plain, mode="ctr", direction="encrypt", key=key, iv=iv, device=one)[0]
                    for one in (device, other))
    return ours == theirs
child = os.fork()
if child == 0:
    os._exit(0 if same() else 1)
good = same()
assert os.waitpid(child, 0)[1] == 0 and good
'
}

# The card goes in the middle of files: the command says so, and leaves no output.
removal() {
    function=$(basename "$(ls -d $driver/*:*)")
    head -c 30000000 /dev/urandom > big
    rm -f gone
    "$ciphermill" encrypt big -o gone --device linux: --key-file key --chunk 4k --quiet 2> told &
    sleep 3
    echo 1 > "/sys/bus/pci/devices/$function/remove"
    wait $!
    check removal [ $? = 5 ]
    check removal_told grep -q 'vanished' told
    check removal_no_output [ ! -e gone ]
    cat told
    check removal_none sh -c "'$ciphermill' encrypt plain -o gone --device linux: --key-file key 2>&1 |
        grep -q 'kernel driver'"
    echo 1 > /sys/bus/pci/rescan
    check rescan encrypt sealed linux:
    decrypt back cpu sealed
    check rescan_same cmp plain back
}

for part in $parts; do
    case $part in
    openssl) openssl_part ;;
    *) $part ;;
    esac
done
unload

#!/bin/sh
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# The tests of the driver, inside the booted kernel, where /proc, /sys and debugfs are mounted:
#
#     inside.sh FOLDER [PART ...]
#
# FOLDER has driver/ciphermill.ko and tests/ciphermill_test. The parts are below; without a name all
# but `load_plain`, `known_answers` and `platform` run.
folder=$1
shift
. "$folder/commands.sh"
parts=${*:-load_module self_tests files many dm_crypt suspend unbind removal removal_dm unload}
function=$(basename "$(dirname "$(grep -l 0xc1f1 /sys/bus/pci/devices/*/device | head -n 1)")")

# The device disappears, and comes back.
remove_device() {
    echo 1 > "/sys/bus/pci/devices/$function/remove"
}
add_device() {
    echo 1 > /sys/bus/pci/rescan
}

# The parts after this one have the card as a platform device.
platform() {
    check platform insmod "$folder/platform/platform_card.ko"
    driver=/sys/bus/platform/drivers/ciphermill-card
    function=ciphermill-card
    remove_device() {
        rmmod platform_card
    }
    add_device() {
        insmod "$folder/platform/platform_card.ko"
    }
}

# Every algorithm of ours is there, and its self-tests, the random ones too, passed.
self_tests() {
    awk -v want="${ALGORITHMS:-13}" '
        /^driver/ { ours = $3 ~ /ciphermill$/; name = $3 }
        /^selftest/ && ours { count++; if ($3 != "passed") { bad = 1; print "  " name ": " $3 } }
        END { print "  " count + 0 " algorithms"; exit bad || count < want }' /proc/crypto
    check self_tests [ $? = 0 ]
    check self_tests_log sh -c '! dmesg | grep -E "alg: .*(failed|mismatch|wrong)"'
}

load_module() {
    load
    check bound [ -e "$driver/$function" ]
}

# Without the kernel's algorithms, whose self-tests take minutes.
load_plain() {
    load kernel_crypto=0
}

# Many messages at once, on a card that is slower than those who ask. A simulated one is slow.
many() {
    card_command "fault delay=1000" > /dev/null
    program ciphermill_test load
    card_command "fault delay=0" > /dev/null
}

# What takes seconds on a simulated card too.
known_answers() {
    check known_answers "$folder/tests/ciphermill_test" "$prefix" messages known_answers forged
}

# PRESENT and Ascon, on the rings that have them.
algorithms() {
    check algorithms "$folder/tests/algorithms_test" "$prefix"
}

# The kernel's AES with rings of other algorithms beside; without its self-tests, which take minutes.
kernel_aes() {
    echo 1 > /sys/module/cryptomgr/parameters/notests
    check kernel_aes_module insmod "$folder/driver/ciphermill.ko"
    check kernel_aes "$folder/tests/algorithms_test" "$prefix" kernel
}

files() {
    check files "$folder/tests/ciphermill_test" "$prefix"
    check files_copied sh -c "echo 1 > /sys/module/ciphermill/parameters/bounce
        '$folder/tests/ciphermill_test' '$prefix' messages known_answers forged
        status=\$?; echo 0 > /sys/module/ciphermill/parameters/bounce; exit \$status"
}

key=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
key=$key$(echo $key | tr 0-9a-f f0-9a-e)

# map CIPHER NAME: an encrypted block device on $loop, the only one; nobody else makes its node
map() {
    echo "0 $sectors crypt capi:$1 $key 0 $loop 0" |
        dmsetup create --noudevrules --noudevsync "$2" || return 1
    mkdir -p /dev/mapper
    ln -sf /dev/dm-0 "/dev/mapper/$2"
    [ -b "/dev/mapper/$2" ]
}

unmap() {
    rm -f "/dev/mapper/$1"
    dmsetup remove --noudevrules --noudevsync "$1"
}

# The same device through the card and through the generic software, both ways.
dm_crypt() {
    sectors=8192
    dd if=/dev/zero of=/mnt/disk bs=512 count=$sectors 2> /dev/null
    loop=$(losetup --find --show /mnt/disk)
    dd if=/dev/urandom of=/mnt/plain bs=512 count=$sectors 2> /dev/null
    whole=$key
    for pair in "xts(aes)-plain64 xts(ecb(aes-generic))-plain64 128" \
        "cbc(aes)-plain64 cbc(aes-generic)-plain64 64" \
        "ctr(aes)-plain64 ctr(aes-generic)-plain64 64"; do
        # shellcheck disable=SC2086
        set -- $pair
        key=$(echo "$whole" | cut -c "1-$3")
        before=$(messages)
        map "$1" card && dd if=/mnt/plain of=/dev/mapper/card bs=64k oflag=direct 2> /dev/null
        check "dm_crypt $1 written" [ $? = 0 ]
        unmap card
        map "$2" software
        check "dm_crypt $1 read by software" cmp -n 4194304 /mnt/plain /dev/mapper/software
        dd if=/mnt/plain of=/dev/mapper/software bs=64k oflag=direct 2> /dev/null
        unmap software
        map "$1" card
        check "dm_crypt $1 written by software" cmp -n 4194304 /mnt/plain /dev/mapper/card
        unmap card
        check "dm_crypt $1 ran on the card" [ $(($(messages) - before)) -gt 1000 ]
    done
    key=$whole
    map "xts(aes)-plain64" card
    mkfs.ext4 -q -F /dev/mapper/card && mkdir -p /mnt/files &&
        mount /dev/mapper/card /mnt/files
    head -c 2000000 /mnt/plain > /mnt/files/two && sync && umount /mnt/files
    echo 3 > /proc/sys/vm/drop_caches
    mount /dev/mapper/card /mnt/files
    check ext4 cmp -n 2000000 /mnt/plain /mnt/files/two
    umount /mnt/files
    check ext4_check sh -c 'e2fsck -fn /dev/mapper/card > /dev/null 2>&1'
    unmap card
    losetup --detach "$loop"
}

suspend() {
    echo devices > /sys/power/pm_test
    "$folder/tests/ciphermill_test" "$prefix" streams &
    sleep 0.2
    check suspend sh -c 'echo freeze > /sys/power/state'
    check suspend_work wait $!
    echo none > /sys/power/pm_test
    check suspend_after "$folder/tests/ciphermill_test" "$prefix" known_answers
}

unbind() {
    echo "$function" > $driver/unbind
    check unbind sh -c '! ls /dev/ciphermill0-0 2> /dev/null'
    echo "$function" > $driver/bind
    check bind "$folder/tests/ciphermill_test" "$prefix" known_answers
}

# The function goes while programs and a block device use it.
removal() {
    # Each looks at ring 0 first.
    "$folder/tests/ciphermill_test" "$prefix" removal_read &
    two=$!
    sleep 0.5
    "$folder/tests/ciphermill_test" "$prefix" removal &
    one=$!
    sleep 0.5
    remove_device
    check removal_messages wait $one
    check removal_read wait $two
    add_device
    check rescan "$folder/tests/ciphermill_test" "$prefix" known_answers
}

# The function goes under a block device, which goes on in software. Its card is slow, so that more
# requests wait than the driver's queue takes.
removal_dm() {
    sectors=8192
    dd if=/dev/zero of=/mnt/disk2 bs=512 count=$sectors 2> /dev/null
    dd if=/dev/urandom of=/mnt/plain2 bs=512 count=$sectors 2> /dev/null
    loop=$(losetup --find --show /mnt/disk2)
    map "xts(aes)-plain64" card
    card_command "fault delay=1000" > /dev/null
    (while [ ! -e /mnt/stop ]; do
        dd if=/mnt/plain2 of=/dev/mapper/card bs=1M oflag=direct 2> /dev/null
    done) &
    sleep 0.5
    remove_device
    touch /mnt/stop
    wait $!
    card_command "fault delay=0" > /dev/null
    dd if=/mnt/plain2 of=/dev/mapper/card bs=64k oflag=direct 2> /dev/null
    check "removal_dm written" [ $? = 0 ]
    echo 3 > /proc/sys/vm/drop_caches
    check "removal_dm read" cmp -n 4194304 /mnt/plain2 /dev/mapper/card
    unmap card
    losetup --detach "$loop"
    add_device
    check removal_dm_rescan "$folder/tests/ciphermill_test" "$prefix" known_answers
}

for part in $parts; do
    $part
done

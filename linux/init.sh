#!/bin/sh
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# The first program of the kernel under test. Its command line names the folder of modules and
# tests (tests=FOLDER) and that of this boot (work=FOLDER), whose file `command` is the script to
# run, with its arguments. The script is given:
#
#     FOLDER   as $folder, and as its first argument: driver/, probe/ and tests/
#     PROJECT  as $project: the project's folder, where its engine may be built
#     CONTROL  the card's folder of commands (linux/card/README.md)
#
# It fails by its exit status, by a line `not ok ...`, or without a line `ok ...`. Whatever it does, the kernel may not complain.
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export PATH
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t debugfs debugfs /sys/kernel/debug
folder=$(sed -n 's/.*tests=\([^ ]*\).*/\1/p' /proc/cmdline)
work=$(sed -n 's/.* work=\([^ ]*\).*/\1/p' /proc/cmdline)
project=$(sed -n 's/.* project=\([^ ]*\).*/\1/p' /proc/cmdline)
CONTROL=$work/control
export folder project CONTROL
dmesg --clear

read -r script arguments < "$work/command"
result=passed
# The words of the arguments are wanted.
# shellcheck disable=SC2086
if ! sh "$folder/$script" "$folder" $arguments > "$work/output" 2>&1; then
    result=failed
fi
cat "$work/output"
grep -qE '^(not ok|result: failed)' "$work/output" && result=failed
grep -q '^ok' "$work/output" || result=failed

# Memory leaks when nothing points to it for five seconds.
if [ -e /sys/kernel/debug/kmemleak ]; then
    sleep 6
    echo scan > /sys/kernel/debug/kmemleak
    echo scan > /sys/kernel/debug/kmemleak
    # What the bus keeps of a function that disappeared is no leak of a driver: its buffers, and the
    # reference that um_pci_virtio_remove does not give back.
    awk 'BEGIN { RS = "unreferenced object" }
        NR > 1 && !/um_pci_virtio_probe|pci_scan_single_device/ { print "unreferenced object" $0 }' \
        /sys/kernel/debug/kmemleak | head -n 400 > "$work/leaks"
    cat "$work/leaks"
    [ -s "$work/leaks" ] && echo "complaint: memory leaks" && result=failed
fi
dmesg
# A card that disappears makes the bus itself warn (virtio_uml.c, vu_del_vqs): that is no fault of a driver.
complaints() {
    dmesg | grep -E 'BUG|WARNING|Oops|KASAN|possible|unsafe|hung' |
        grep -v 'WARNING: .* at arch/um/drivers/virtio_uml.c:'
}
if complaints > "$work/complaints"; then
    result=failed
    sed 's/^/complaint: /' "$work/complaints"
    dmesg | grep -q 'um virt-pci delay' &&
        echo "complaint: the card had no processor for too long: this machine is too busy for the test"
fi
echo "result: $result"
echo o > /proc/sysrq-trigger
sleep 10

#!/bin/sh
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# What the kernel itself does with the card: sockets of AF_ALG, TLS, encrypted files and files with a
# Merkle tree. Encrypted files that were written with the card are read again without the driver.
folder=$1
prefix=/dev/ciphermill0-
driver=/sys/bus/pci/drivers/ciphermill
mount -t devtmpfs devtmpfs /dev 2> /dev/null
mount -t tmpfs tmpfs /mnt

# check NAME COMMAND ...
check() {
    name=$1
    shift
    if "$@"; then echo "ok $name"; else echo "not ok $name"; fi
}

attach() {
    loop=$(losetup --find --show /mnt/disk) && mount "$loop" /mnt/files
}
detach() {
    umount /mnt/files && losetup --detach "$loop"
}
files() {
    "$folder/tests/kernel_test" "$prefix" "$@"
}

check load insmod "$folder/driver/ciphermill.ko"
files alg tls
truncate -s 64M /mnt/disk
mkfs.ext4 -q -F -b 4096 -O encrypt,verity /mnt/disk
mkdir -p /mnt/files
check mount attach
files encrypted /mnt/files write
check unmount detach
check mount_again attach
files encrypted /mnt/files read
check unmount_again detach
check unload rmmod ciphermill
check mount_without_driver attach
files encrypted /mnt/files read
check unmount_without_driver detach

check load_again insmod "$folder/driver/ciphermill.ko"
check mount attach
mkdir /mnt/files/tree
files verity /mnt/files/tree write
check unmount detach
check mount_again attach
files verity /mnt/files/tree read
# The kernel keeps the hash of fs-verity for ever, so the module stays. The card goes: its user goes on
# in software.
function=$(basename "$(ls -d $driver/*:*)")
echo "$function" > $driver/unbind
files verity /mnt/files/tree read
check unmount_without_card detach
echo "$function" > $driver/bind
files alg

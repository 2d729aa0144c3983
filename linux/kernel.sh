#!/bin/sh
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# What the kernel itself does with the card: sockets of AF_ALG, TLS, encrypted files and files with a
# Merkle tree. Files that it wrote with the card are read again without the driver.
folder=$1
prefix=/dev/ciphermill0-
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

check load insmod "$folder/driver/ciphermill.ko"
"$folder/tests/kernel_test" "$prefix" alg tls
truncate -s 64M /mnt/disk
mkfs.ext4 -q -F -b 4096 -O encrypt,verity /mnt/disk
mkdir -p /mnt/files
check mount attach
mkdir /mnt/files/tree
"$folder/tests/kernel_test" "$prefix" encrypted /mnt/files write
"$folder/tests/kernel_test" "$prefix" verity /mnt/files/tree write
check unmount detach
check read_again attach
"$folder/tests/kernel_test" "$prefix" encrypted /mnt/files read
"$folder/tests/kernel_test" "$prefix" verity /mnt/files/tree read
check unmount detach
check unload rmmod ciphermill
check software attach
"$folder/tests/kernel_test" "$prefix" encrypted /mnt/files read
"$folder/tests/kernel_test" "$prefix" verity /mnt/files/tree read
check unmount detach

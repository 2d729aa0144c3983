#!/bin/sh
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# What the kernel itself does with the card: sockets of AF_ALG, TLS, encrypted files and files with a
# Merkle tree. Encrypted files that were written with the card are read again without the driver.
folder=$1
. "$folder/commands.sh"

attach() {
    loop=$(losetup --find --show /mnt/disk) && mount "$loop" /mnt/files
}
detach() {
    umount /mnt/files && losetup --detach "$loop"
}

load
program kernel_test alg tls
truncate -s 64M /mnt/disk
mkfs.ext4 -q -F -b 4096 -O encrypt,verity /mnt/disk
mkdir -p /mnt/files
check mount attach
program kernel_test encrypted /mnt/files write
check unmount detach
check mount_again attach
program kernel_test encrypted /mnt/files read
check unmount_again detach
unload
check mount_without_driver attach
program kernel_test encrypted /mnt/files read
check unmount_without_driver detach

load
check mount attach
mkdir /mnt/files/tree
program kernel_test verity /mnt/files/tree write
check unmount detach
check mount_again attach
program kernel_test verity /mnt/files/tree read
# The kernel keeps the hash of fs-verity for ever, so the module stays. The card goes: its user goes on
# in software.
function=$(basename "$(ls -d $driver/*:*)")
echo "$function" > $driver/unbind
program kernel_test verity /mnt/files/tree read
check unmount_without_card detach
echo "$function" > $driver/bind
program kernel_test alg

# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# What scripts of boots share, with $folder, their first argument: checks, the driver, and commands for
# the card (linux/card/README.md) through $CONTROL.
prefix=/dev/ciphermill0-
driver=/sys/bus/pci/drivers/ciphermill

mount -t devtmpfs devtmpfs /dev 2> /dev/null
mount -t tmpfs tmpfs /mnt

# check NAME COMMAND ...: a line "ok NAME", or "not ok NAME", which fails the boot
check() {
    name=$1
    shift
    if "$@"; then echo "ok $name"; else echo "not ok $name"; fi
}

# load [PARAMETER=VALUE ...], unload: the module
load() {
    check load insmod "$folder/driver/ciphermill.ko" "$@"
}
unload() {
    check unload rmmod ciphermill
}

# program NAME ARGUMENT ...: a program of the tests, with the devices' names; "not ok" if it fails
program() {
    program=$1
    shift
    check "$program $*" "$folder/tests/$program" "$prefix" "$@"
}

# Whether the driver has the card.
bound() {
    ls "$driver" | grep -q ':'
}

# Messages of all rings that are free.
messages() {
    "$folder/tests/ciphermill_test" "$prefix" count
}

# openssl_configuration LINE ...: a file openssl.cnf with the provider on linux:, and these lines for it
openssl_configuration() {
    cat > openssl.cnf << END
openssl_conf = openssl_init
[openssl_init]
providers = provider_section
alg_section = algorithm_section
[provider_section]
default = default_section
ciphermill = ciphermill_section
[default_section]
activate = 1
[algorithm_section]
default_properties = ?provider=ciphermill
[ciphermill_section]
activate = 1
module = $project/build/provider/ciphermill.so
device = linux:
cbc = yes
threshold = 1
on_failure = fail
END
    printf '%s\n' "$@" >> openssl.cnf
}

command_number=0

# card_command LINE...: give the card commands, wait until they are done, and leave its answers in
# $answers; whether none is an error
card_command() {
    command_number=$((command_number + 1))
    file=$CONTROL/$$-$command_number
    printf '%s\n' "$@" > "$file.new"
    mv "$file.new" "$file.do"
    tries=0
    until [ -e "$file.done" ]; do
        tries=$((tries + 1))
        [ $tries = 1000 ] && echo "not ok the card does not answer" && return 1
        sleep 0.02
    done
    answers=$(cat "$file.done")
    ! echo "$answers" | grep '^error'
}

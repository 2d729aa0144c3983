#!/bin/sh
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# Compile a file of Verilator's run-time library once for all simulations with the same flags, and
# any other file as it is asked. It stands before the compiler in Verilator's makefiles (OBJCACHE).
#
#     compile_once.sh FOLDER COMPILER ARGUMENT...
#
# FOLDER keeps the objects. The last argument is the source; the object follows -o.
set -eu
folder=$1
shift
object='' last=''
for argument; do
    [ "$last" != -o ] || object=$argument
    last=$argument
done
include=$VERILATOR_ROOT/include
case $last in
    "$include"/*.cpp) ;;
    *) exec "$@" ;;
esac
mkdir -p "$folder"
key=$({
    "$1" -dumpfullversion
    printf '%s\n' "$@"
    cat "$include/verilated_config.h" "$last" # the version of the headers, and the source
} | sha256sum | cut -c 1-32)
# Processes that need the same object wait for the one that compiles it.
exec 9> "$folder/$key.lock"
flock 9
if [ ! -f "$folder/$key.o" ]; then
    "$@"
    cp "$object" "$folder/$key.new"
    mv "$folder/$key.new" "$folder/$key.o"
fi
cp "$folder/$key.o" "$object"

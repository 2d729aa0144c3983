#!/bin/sh
# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
#
# build.sh FOLDER: the simulated driver and compiler as libcuda.so and libnvrtc.so in a folder.
set -eu
g++ -std=c++17 -O1 -Wall -Wextra -Werror -fPIC -shared -o "$1/libcuda.so" \
    "$(dirname "$0")/driver.cc" -ldl
ln -sf libcuda.so "$1/libnvrtc.so"

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition software: SHA-512 by the processor alone.
#define FUNCTION sha512
#define HASH_BLOCK_BYTES 128

#include "sha2_software.h"

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition iterative: SHA-512 in hardware, a round a cycle.
#define FUNCTION COPROCESSOR_SHA2__MESSAGE__FUNCTION__SHA512
#define DIGEST_BLOCKS 4
#define HASH_BLOCK_BYTES 128

#include "sha2_iterative.h"

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition iterative: SHA-256 in hardware, a round a cycle.
#define FUNCTION COPROCESSOR_SHA2__MESSAGE__FUNCTION__SHA256
#define DIGEST_BLOCKS 2
#define HASH_BLOCK_BYTES 64

#include "sha2_iterative.h"

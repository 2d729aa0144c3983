// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition dma: SHA-256 by the accelerator behind the DMA engine.
#define HASH ACCEL__CONFIGURATION__HASH__SHA_256
#define WORDS ACCEL__CAPABILITY__SHA2_32_bm
#define DIGEST_BYTES 32
#define HASH_BLOCK_BYTES 64

#include "sha2_dma.h"

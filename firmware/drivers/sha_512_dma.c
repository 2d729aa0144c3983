// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition dma: SHA-512 by the accelerator behind the DMA engine.
#define HASH ACCEL__CONFIGURATION__HASH__SHA_512
#define WORDS ACCEL__CAPABILITY__SHA2_64_bm
#define DIGEST_BYTES 64
#define HASH_BLOCK_BYTES 128

#include "sha2_dma.h"

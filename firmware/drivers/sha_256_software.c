// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition software: SHA-256 by the processor alone.
#define FUNCTION sha256
#define HASH_BLOCK_BYTES 64

#include "sha2_software.h"

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Fake of the accelerator with SHA-2 alone and the DMA engine.
#define ACCELERATOR_CAPABILITY                                             \
  (ACCEL__CAPABILITY__ALGORITHM__SHA2 << ACCEL__CAPABILITY__ALGORITHM_bp | \
   ACCEL__CAPABILITY__SHA2_32_bm | ACCEL__CAPABILITY__SHA2_64_bm)

#include "fake_message_dma.h"

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Fake of the accelerator with Ascon and the DMA engine.
#define ACCELERATOR_CAPABILITY                                              \
  (ACCEL__CAPABILITY__ALGORITHM__ASCON << ACCEL__CAPABILITY__ALGORITHM_bp | \
   ACCEL__CAPABILITY__AEAD_bm | ACCEL__CAPABILITY__DIGEST_bm)

#include "fake_message_dma.h"

// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Whole messages on the accelerator behind the DMA engine: what the drivers of partition dma
// share beyond dma.h.
#ifndef CIPHERMILL_MESSAGE_DMA_H
#define CIPHERMILL_MESSAGE_DMA_H

#include "dma.h"

#define READ DMA__FLAGS__READ_bm
#define WRITE DMA__FLAGS__WRITE_bm
#define MODE(name) (ACCEL__CONFIGURATION__MODE__##name << ACCEL__CONFIGURATION__MODE_bp)
#define ALGORITHM(name) (ACCEL__CAPABILITY__ALGORITHM__##name << ACCEL__CAPABILITY__ALGORITHM_bp)

static int identified; // the accelerator is the one

// Returns whether the accelerator is there, with what a driver needs of its capabilities:
// bits `mask`, with the value `wanted`.
static int accelerator_has(uint32_t mask, uint32_t wanted) {
  if (!identified) {
    if (!dma_is_there() || (register_read(SOC_ACCELERATOR_CAPABILITY) & mask) != wanted) {
      return 0;
    }
    // The accelerator reports the end of a message; the DMA engine reports only errors.
    register_write(SOC_DMA_INTERRUPT_ENABLE, DMA__INTERRUPT_ENABLE__ERROR_bm);
    register_write(SOC_ACCELERATOR_INTERRUPT_ENABLE,
                   ACCEL__INTERRUPT_ENABLE__DONE_bm | ACCEL__INTERRUPT_ENABLE__ERROR_bm);
    identified = 1;
  }
  return 1;
}

// Starts the transfer of one packet from memory, to memory, or both; an empty one has none.
static inline void transfer(uint32_t flags, const uint32_t *source, uint32_t *destination,
                            size_t bytes) {
  if (bytes == 0) {
    return;
  }
  register_write(SOC_DMA_FLAGS, flags | DMA__FLAGS__MESSAGE_END_bm);
  if (flags & READ) {
    register_write(SOC_DMA_SOURCE, (uint32_t)(uintptr_t)source);
  }
  if (flags & WRITE) {
    register_write(SOC_DMA_DESTINATION, (uint32_t)(uintptr_t)destination);
  }
  register_write(SOC_DMA_LENGTH, bytes);
}

// Waits until the accelerator tells the end of a message whose transfers are under way.
// Returns PARTITION_OK, or PARTITION_HARDWARE after an error of either device.
static inline int wait_for_accelerator(void) {
  // While the transfers run, which take longer: nothing here reads the output before their
  // end, so that the cache holds none of it afterwards.
  forget_data_cache();
  if (dma_wait() != BY_ACCELERATOR ||
      register_read(SOC_ACCELERATOR_INTERRUPT_STATE) != ACCEL__INTERRUPT_STATE__DONE_bm) {
    return dma_recover();
  }
  register_write(SOC_ACCELERATOR_INTERRUPT_STATE, ACCEL__INTERRUPT_STATE__DONE_bm);
  return PARTITION_OK;
}

// Waits for the end of the transfers, after that of the message. Returns likewise.
static inline int wait_for_transfers(void) {
  while (register_read(SOC_DMA_STATUS) & DMA__STATUS__BUSY_bm) {
    // The last beats are on their way to memory.
  }
  if (register_read(SOC_SYSTEM_INTERRUPT_PENDING) & BY_DMA) {
    return dma_recover();
  }
  return PARTITION_OK;
}

static inline int wait_for_message(void) {
  int error = wait_for_accelerator();
  return error == PARTITION_OK ? wait_for_transfers() : error;
}

#endif

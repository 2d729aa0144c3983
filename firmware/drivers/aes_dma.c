// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition dma: the accelerator fetches and stores messages itself. The DMA engine
// reads the input from memory into the accelerator's stream and writes the output
// to memory. The processor starts both and is free until the interrupt.
#include "dma.h"

const unsigned partition_block_words = 4;

static int key_set;
static uint32_t configuration = 0xFFFFFFFF; // what CONFIGURATION holds; no such value at first
static uint32_t length;                     // what MESSAGE_LENGTH holds

static int identify(void) {
  static int identified;
  if (!identified) {
    if (!dma_is_there()) {
      return 0;
    }
    register_write(SOC_DMA_FLAGS, DMA__FLAGS__READ_bm | DMA__FLAGS__WRITE_bm |
                                   DMA__FLAGS__MESSAGE_END_bm | DMA__FLAGS__INTERRUPT_bm);
    register_write(SOC_DMA_INTERRUPT_ENABLE,
                   DMA__INTERRUPT_ENABLE__DONE_bm | DMA__INTERRUPT_ENABLE__ERROR_bm);
    register_write(SOC_ACCELERATOR_INTERRUPT_ENABLE, ACCEL__INTERRUPT_ENABLE__ERROR_bm);
    identified = 1;
  }
  return 1;
}

int partition_set_key(const uint32_t *key, unsigned key_bits, int decrypt) {
  key_set = 0;
  if (key_bits != 128 && key_bits != 192 && key_bits != 256) {
    return PARTITION_KEY_SIZE;
  }
  if (!identify()) {
    return PARTITION_HARDWARE;
  }
  uint32_t wanted = (key_bits - 128) >> 6 << ACCEL__CONFIGURATION__KEY_SIZE_bp |
                    (decrypt ? ACCEL__CONFIGURATION__DIRECTION_bm : 0);
  if (wanted != configuration) {
    register_write(SOC_ACCELERATOR_CONFIGURATION, wanted);
    configuration = wanted;
  }
  uint32_t address = SOC_ACCELERATOR_KEY;
  for (unsigned bits = 0; bits < key_bits; bits += 32, address += 4) {
    register_write(address, *key++);
  }
  register_write(SOC_ACCELERATOR_CONTROL, ACCEL__CONTROL__LOAD_KEY_bm);
  key_set = 1;
  return PARTITION_OK;
}

int partition_process(const uint32_t *input, uint32_t *output, unsigned blocks, int decrypt) {
  uint32_t direction = decrypt ? ACCEL__CONFIGURATION__DIRECTION_bm : 0;
  if (!key_set || (configuration & ACCEL__CONFIGURATION__DIRECTION_bm) != direction) {
    return PARTITION_NO_KEY;
  }
  if (blocks == 0) {
    return PARTITION_OK;
  }
  if (length != 16 * blocks) {
    length = 16 * blocks;
    register_write(SOC_ACCELERATOR_MESSAGE_LENGTH_LOW, length);
    register_write(SOC_ACCELERATOR_MESSAGE_LENGTH_HIGH, 0);
  }
  register_write(SOC_ACCELERATOR_CONTROL, ACCEL__CONTROL__START_bm);
  register_write(SOC_DMA_SOURCE, (uint32_t)(uintptr_t)input);
  register_write(SOC_DMA_DESTINATION, (uint32_t)(uintptr_t)output);
  register_write(SOC_DMA_LENGTH, length);
  // While the transfer runs, which takes longer: nothing here reads the output before its
  // end, so that the cache holds none of it afterwards.
  forget_data_cache();
  uint32_t pending = dma_wait();
  uint32_t state = register_read(SOC_DMA_INTERRUPT_STATE);
  if (pending != BY_DMA || state != DMA__INTERRUPT_STATE__DONE_bm) {
    return dma_recover();
  }
  register_write(SOC_DMA_INTERRUPT_STATE, DMA__INTERRUPT_STATE__DONE_bm);
  return PARTITION_OK;
}

void partition_zeroise(void) {
  register_write(SOC_ACCELERATOR_CONTROL, ACCEL__CONTROL__ZEROISE_bm);
  key_set = 0;
}

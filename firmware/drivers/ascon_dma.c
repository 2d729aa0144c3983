// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition dma: the accelerator fetches and stores messages itself. The DMA engine reads
// associated data, text and the tag to compare from memory, a packet each, and writes the
// text or the digest to memory; the processor starts both and is free until the interrupt.
#include "dma.h"
#include "zeroise.h"

#define KEY_BITS 128
#define BLOCK_WORDS 4
#define TAG_BYTES 16
#define DIGEST_BYTES 32
#define READ DMA__FLAGS__READ_bm
#define WRITE DMA__FLAGS__WRITE_bm
#define MODE(name) (ACCEL__CONFIGURATION__MODE__##name << ACCEL__CONFIGURATION__MODE_bp)

static int identified; // the accelerator is the one
static int key_set;

static int is_there(void) {
  if (!identified) {
    if (!dma_is_there() ||
        (register_read(SOC_ACCELERATOR_CAPABILITY) & ACCEL__CAPABILITY__ALGORITHM_bm) >>
                ACCEL__CAPABILITY__ALGORITHM_bp !=
            ACCEL__CAPABILITY__ALGORITHM__ASCON) {
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

static inline void put(uint32_t address, const uint32_t *words) {
  register_write(address + 0, words[0]);
  register_write(address + 4, words[1]);
  register_write(address + 8, words[2]);
  register_write(address + 12, words[3]);
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

int partition_set_key(const uint32_t *key, unsigned key_bits, int decrypt) {
  (void)decrypt; // one key serves both directions
  key_set = 0;
  if (key_bits != KEY_BITS) {
    return PARTITION_KEY_SIZE;
  }
  if (!is_there()) {
    return PARTITION_HARDWARE;
  }
  put(SOC_ACCELERATOR_KEY, key);
  register_write(SOC_ACCELERATOR_CONTROL, ACCEL__CONTROL__LOAD_KEY_bm);
  key_set = 1;
  return PARTITION_OK;
}

static void start(enum workload_operation operation, const struct partition_message *message) {
  uint32_t configuration = MODE(DIGEST);
  if (operation != OPERATION_DIGEST) {
    configuration = MODE(AEAD) |
                    (operation == OPERATION_DECRYPT ? ACCEL__CONFIGURATION__DIRECTION_bm : 0);
    register_write(SOC_ACCELERATOR_AAD_LENGTH_LOW, message->associated_bytes);
    put(SOC_ACCELERATOR_IV, message->nonce);
  }
  register_write(SOC_ACCELERATOR_CONFIGURATION, configuration);
  register_write(SOC_ACCELERATOR_MESSAGE_LENGTH_LOW, message->bytes);
  register_write(SOC_ACCELERATOR_CONTROL, ACCEL__CONTROL__START_bm);
  if (operation == OPERATION_DIGEST) {
    transfer(READ, message->input, NULL, message->bytes);
    transfer(WRITE, NULL, message->output, DIGEST_BYTES);
    return;
  }
  transfer(READ, message->associated, NULL, message->associated_bytes);
  transfer(READ | WRITE, message->input, message->output, message->bytes);
  if (operation == OPERATION_DECRYPT) {
    transfer(READ, message->tag, NULL, TAG_BYTES);
  }
}

int partition_run(enum workload_operation operation, const struct partition_message *message) {
  if (!is_there()) {
    return PARTITION_HARDWARE;
  }
  if (operation != OPERATION_DIGEST && !key_set) {
    return PARTITION_NO_KEY;
  }
  start(operation, message);
  // While the transfers run, which take longer: nothing here reads the output before their
  // end, so that the cache holds none of it afterwards.
  forget_data_cache();
  if (dma_wait() != BY_ACCELERATOR ||
      register_read(SOC_ACCELERATOR_INTERRUPT_STATE) != ACCEL__INTERRUPT_STATE__DONE_bm) {
    return dma_recover();
  }
  register_write(SOC_ACCELERATOR_INTERRUPT_STATE, ACCEL__INTERRUPT_STATE__DONE_bm);
  while (register_read(SOC_DMA_STATUS) & DMA__STATUS__BUSY_bm) {
    // The last beats are on their way to memory.
  }
  if (register_read(SOC_SYSTEM_INTERRUPT_PENDING) & BY_DMA) {
    return dma_recover();
  }
  if (register_read(SOC_ACCELERATOR_STATUS) & ACCEL__STATUS__FORGED_bm) {
    zeroise(message->output, message->bytes);
    return PARTITION_TAG;
  }
  if (operation == OPERATION_ENCRYPT) {
    for (unsigned word = 0; word < BLOCK_WORDS; word++) {
      message->tag[word] = register_read(SOC_ACCELERATOR_TAG + 4 * word);
    }
  }
  return PARTITION_OK;
}

void partition_zeroise(void) {
  register_write(SOC_ACCELERATOR_CONTROL, ACCEL__CONTROL__ZEROISE_bm);
  key_set = 0;
}

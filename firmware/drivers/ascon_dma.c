// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
//
// Partition dma: the accelerator fetches and stores messages itself. The DMA engine reads
// associated data, text and the tag to compare from memory, a packet each, and writes the
// text or the digest to memory; the processor starts both and is free until the interrupt.
#include "message_dma.h"
#include "zeroise.h"

#define KEY_BITS 128
#define BLOCK_WORDS 4
#define TAG_BYTES 16
#define DIGEST_BYTES 32

static int key_set;

static int is_there(void) {
  return accelerator_has(ACCEL__CAPABILITY__ALGORITHM_bm, ALGORITHM(ASCON));
}

static inline void put(uint32_t address, const uint32_t *words) {
  register_write(address + 0, words[0]);
  register_write(address + 4, words[1]);
  register_write(address + 8, words[2]);
  register_write(address + 12, words[3]);
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
  int status = wait_for_message();
  if (status != PARTITION_OK) {
    return status;
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
